//! The flags of `formwork check`.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::Args;

use crate::cli::args::settings::{Baseline, Inputs, Output, Policy, RuleFiles, Rules, SettingArguments};
use crate::cli::args::{BicepArguments, InputArguments};
use crate::config::{Given, Profile};
use crate::diagnostic::{FailOn, Severity, Shard, parse_date};
use crate::engine::{ChangeFilter, MAX_THREADS};
use crate::report::{Format, UnknownFormat};

pub(super) const AFTER_HELP: &str = "\
Exit codes:
  0  No finding has the severity of --fail-on or higher
  1  A finding has the severity of --fail-on or higher
  2  A flag, a settings file, or a rule file is invalid, and nothing was checked; or a report could not be written
  3  An input could not be read, parsed, or built; everything else was checked and reported";

pub(super) const AFTER_LONG_HELP: &str = "\
Examples:
  formwork check infra
      Check the templates in a folder.

  formwork check main.json --parameters main.parameters.prod.json --set sku=Standard
      Check one template with a parameter file and one more value.

  formwork check --changed=origin/main --fail-on high
      Check what changed on this branch; only findings of high severity fail the run.

  formwork check --output sarif=formwork.sarif --output markdown=summary.md
      Print the findings, and write them to two files.

  formwork check --write-baseline formwork-baseline.json
      Accept the current findings, so that only new ones fail a run with --baseline.

Exit codes:
  0  No finding has the severity of --fail-on or higher
  1  A finding has the severity of --fail-on or higher
  2  A flag, a settings file, or a rule file is invalid, and nothing was checked; or a report could not be written
  3  An input could not be read, parsed, or built; everything else was checked and reported";

/// Values of `--filter-mode`: findings that are reported, depending on the changed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum FilterMode {
    /// Findings of the change: it touches their lines, or the base does not have them
    Added,
    /// Also findings within three lines of a change
    Context,
    /// Also all other findings in changed files
    File,
    /// All findings
    #[default]
    None,
}

impl FilterMode {
    /// Returns the filter of the engine for this value.
    pub(in crate::cli) fn filter(self) -> ChangeFilter {
        match self {
            Self::Added => ChangeFilter::Added,
            Self::Context => ChangeFilter::Context,
            Self::File => ChangeFilter::File,
            Self::None => ChangeFilter::None,
        }
    }
}

/// Values of `--fail-on-scope`: findings that count towards the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum FailOnScope {
    /// Findings of the change: it touches their lines, or the base does not have them
    Changed,
    /// All findings
    #[default]
    All,
}

/// Values of `--config-from`: source of the settings, rules, and baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum ConfigSide {
    /// Those of the base of the change, as git has them
    Base,
    /// Those that are checked out
    #[default]
    Head,
}

/// Flags that apply or print fixes.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Fixes")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct FixArguments {
    /// Fix findings in the files, and report the remaining ones.
    ///
    /// A finding has a fix if its rule allows exactly one value, and the value is written directly in the template.
    #[arg(long, conflicts_with_all = ["staged", "show_files"])]
    pub(in crate::cli) fix: bool,
    /// Print the changes that --fix would make as a unified diff, instead of a report.
    ///
    /// No file is changed. `git apply` accepts the output.
    #[arg(long, conflicts_with_all = ["fix", "staged", "show_files", "format"])]
    pub(in crate::cli) diff: bool,
    /// Let --fix and --diff also make changes that are only likely to be right.
    ///
    /// These correct a misspelled type, property, or value, and renew an old API version.
    #[arg(long)]
    pub(in crate::cli) unsafe_fixes: bool,
    /// Let --fix also raise API versions, where `formwork upgrade` finds a newer one safe.
    ///
    /// The versions are raised before the check.
    #[arg(long, requires = "fix")]
    pub(in crate::cli) upgrade: bool,
}

/// Flags that limit a check to a change.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub(in crate::cli) struct ChangeArguments {
    /// Check only changed files and their dependents [default BASE: HEAD].
    ///
    /// Without BASE, these are the uncommitted changes. With a branch or a commit as BASE, they are all changes since the
    /// current branch diverged from it.
    ///
    /// With `auto`, BASE comes from the event of the GitHub workflow: a pull request, a merge group, or a push. For other
    /// events, everything is checked. Outside of a workflow, `auto` is `origin/HEAD`.
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, default_missing_value = "HEAD")]
    pub(in crate::cli) changed: Option<String>,
    /// Check only staged files and their dependents.
    ///
    /// Reads the staged content of the files, not that of the working tree.
    #[arg(long, conflicts_with = "changed")]
    pub(in crate::cli) staged: bool,
    /// Check everything, and use the change only to mark findings.
    ///
    /// For use with --changed or --staged: findings of the change are still told apart, so that --filter-mode and
    /// --fail-on-scope work.
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Whose settings, rules, and baseline count.
    ///
    /// A change can weaken its own check. With `base`, `formwork.yaml`, `ps-rule.yaml`, `bicepconfig.json`, rule files, and
    /// the baseline come from the newest commit of the base, and what the change does to them counts once it is merged.
    /// Without --changed or --staged, the base is that of --changed=auto. With `head`, a warning lists what the change
    /// weakens.
    #[arg(long, value_enum, value_name = "SIDE", default_value_t)]
    pub(in crate::cli) config_from: ConfigSide,
    /// Which findings to report.
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    pub(in crate::cli) filter_mode: FilterMode,
    /// Which findings count towards the exit code, reported or not.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub(in crate::cli) fail_on_scope: FailOnScope,
    /// Report only findings that BASE does not have [default BASE: that of --changed or --staged, else HEAD].
    ///
    /// BASE is checked, too, with the same options and with the settings, suppressions, and baseline that it has. What that
    /// does not report is new. A finding is the same if its rule, resource, and property are, wherever its lines are now, and
    /// if it holds for no more copies and deployments. Findings that BASE has do not count towards the exit code.
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with_all = ["fix", "diff", "write_baseline"])]
    pub(in crate::cli) new_only: Option<String>,
    /// Print the files that would be checked, and why, without checking them.
    #[arg(long)]
    pub(in crate::cli) show_files: bool,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct CheckArguments {
    /// Templates, parameter files, folders, and globs to check; `-` reads a template from standard input.
    ///
    /// A glob such as `modules/*/main.bicep` selects files as in a folder: `*` does not match `/`, and `**` does.
    #[arg(value_name = "PATH", default_value = ".", default_value_if("deleted", "true", None))]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// Do not show progress or notices.
    #[arg(long, short, visible_alias = "no-progress")]
    pub(in crate::cli) quiet: bool,
    /// Number of threads to use [default: one per processor].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = parse_threads)]
    pub(in crate::cli) threads: usize,
    #[command(flatten)]
    pub(in crate::cli) inputs: InputArguments,
    #[command(flatten)]
    pub(in crate::cli) files: SettingArguments<Inputs>,
    /// File name for the template from standard input [default: stdin.json].
    #[arg(long, value_name = "NAME", default_value = "stdin.json", hide_default_value = true, help_heading = "Inputs")]
    pub(in crate::cli) stdin_filename: String,
    /// Skip PATHs that the settings exclude, that do not exist, or that are not templates.
    ///
    /// For pre-commit hooks, which pass every changed file. Without this flag, a PATH that names a file is always checked,
    /// and it is an error if it is not a template.
    #[arg(long, help_heading = "Inputs")]
    pub(in crate::cli) force_exclude: bool,
    /// Also check the templates that depend on the PATHs.
    ///
    /// These are the templates that use a module, and the template of a parameter file. PATHs are treated as with
    /// --force-exclude.
    #[arg(long, conflicts_with_all = ["changed", "staged"], help_heading = "Inputs")]
    pub(in crate::cli) dependents: bool,
    /// Treat the files that the next commit deletes as PATHs too, and without a PATH, only those.
    ///
    /// For pre-commit hooks, which are not told of deleted files: the templates that use them are checked. If pre-commit
    /// compares two commits, the files that were deleted between them count.
    #[arg(long, requires = "dependents", help_heading = "Inputs")]
    pub(in crate::cli) deleted: bool,
    /// Check only part I of N, for example `2/4`.
    ///
    /// The parts cost about the same, no template is in two of them, and together they are the whole check. Run one on
    /// each machine with `--output json=FILE`, and join the reports with `formwork merge`.
    #[arg(
        long,
        value_name = "I/N",
        value_parser = parse_shard,
        conflicts_with_all = ["write_baseline", "fix", "diff"],
        help_heading = "Inputs"
    )]
    pub(in crate::cli) shard: Option<Shard>,
    /// Fail if there is nothing to check.
    #[arg(long, help_heading = "Inputs")]
    pub(in crate::cli) require_inputs: bool,
    #[command(flatten)]
    pub(in crate::cli) bicep: BicepArguments,
    #[command(flatten)]
    pub(in crate::cli) change: ChangeArguments,
    #[command(flatten)]
    pub(in crate::cli) fixes: FixArguments,
    #[command(flatten)]
    pub(in crate::cli) rule_files: SettingArguments<RuleFiles>,
    #[command(flatten)]
    pub(in crate::cli) rules: SettingArguments<Rules>,
    #[command(flatten)]
    pub(in crate::cli) policy: SettingArguments<Policy>,
    /// Make Guard rules fail if a property is missing, like `cfn-guard --strict-checks`.
    #[arg(long, help_heading = "Rules")]
    pub(in crate::cli) guard_strict: bool,
    /// Run Guard rules on CloudFormation templates as written.
    ///
    /// Functions, conditions, and loops are not evaluated.
    #[arg(long, help_heading = "Rules")]
    pub(in crate::cli) guard_raw: bool,
    /// Format of the report on standard output: console, concise, brief, json, sarif, github,
    /// markdown, html, junit, rdjson, gitlab, or azure.
    #[arg(long, value_name = "FORMAT", default_value = "console", value_parser = parse_format, help_heading = "Output")]
    pub(in crate::cli) format: Format,
    /// Check the file that a coding agent has just edited, and its dependents.
    ///
    /// Reads the event of the agent from standard input as JSON, with the path of the file in `tool_input.file_path`,
    /// `file_path`, or `path`. Findings that the last commit does not have are printed on standard error in the format
    /// `brief`. If one of them has the severity of --fail-on or higher, the exit code is 2; otherwise, and for any other
    /// file than a template, it is 0.
    #[arg(long, conflicts_with_all = ["paths", "fix", "diff", "changed", "staged", "new_only", "shard", "write_baseline",
        "show_files", "format", "output"], help_heading = "Output")]
    pub(in crate::cli) hook: bool,
    /// Also write the report to a file, for example `--output sarif=report.sarif`.
    ///
    /// The formats are those of --format. Can be repeated.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_output, help_heading = "Output")]
    pub(in crate::cli) output: Vec<(Format, PathBuf)>,
    /// Also report passed checks.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) show_passed: bool,
    /// Also report verdicts that could not be decided, with the reason.
    ///
    /// JSON reports always list them.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) show_unknown: bool,
    /// Category of the SARIF report.
    ///
    /// Code scanning uses it to tell apart several reports for one commit. It consists of 1 to 64 letters, digits, `-`,
    /// `_`, and `.`.
    #[arg(long, value_name = "NAME", value_parser = parse_category, help_heading = "Output")]
    pub(in crate::cli) category: Option<String>,
    /// Write SARIF reports for GitHub code scanning.
    ///
    /// They omit findings that are accepted by a baseline or suppressed, because code scanning opens alerts for them.
    /// Other SARIF reports have them with a suppression.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) code_scanning: bool,
    #[command(flatten)]
    pub(in crate::cli) outcome: SettingArguments<Output>,
    /// Date on which suppressions may have expired, such as 2027-01-31 [default: the current date in UTC].
    #[arg(long, value_name = "DATE", value_parser = parse_today, help_heading = "Rules")]
    pub(in crate::cli) today: Option<NaiveDate>,
    #[command(flatten)]
    pub(in crate::cli) baseline: SettingArguments<Baseline>,
    /// Write the findings to FILE, to accept them with --baseline.
    ///
    /// If FILE exists, it is updated. Its notes are kept, and so are the entries for templates that this run does not
    /// check.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(in crate::cli) write_baseline: Option<PathBuf>,
}

impl CheckArguments {
    /// Returns the settings that the flags set.
    pub(in crate::cli) fn given_settings(&self) -> Given {
        let Self { files, bicep, rule_files, rules, policy, outcome, baseline, .. } = self;
        let parts = [
            &files.given,
            &bicep.compiler.given,
            &rule_files.given,
            &rules.given,
            &policy.given,
            &outcome.given,
            &baseline.given,
        ];
        parts.into_iter().fold(Given::default(), Given::and)
    }
}

/// Parses the value of a flag.
pub(super) fn parse_format(text: &str) -> Result<Format, String> {
    text.parse().map_err(|error: UnknownFormat| error.to_string())
}

/// Parses the value of a flag.
pub(super) fn parse_output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, path) = text.split_once('=').ok_or("expected `FORMAT=FILE`, for example `sarif=report.sarif`")?;
    if path.is_empty() {
        return Err("expected a file name after `=`".to_owned());
    }
    // Elsewhere, `-` means standard input.
    if path == "-" {
        return Err("expected a file name after `=`, found `-`; write `./-` for a file of this name".to_owned());
    }
    Ok((parse_format(format)?, PathBuf::from(path)))
}

/// Form of a category, for messages.
pub(in crate::cli) const CATEGORY: &str = "1 to 64 letters, digits, `-`, `_` and `.`";

/// Parses a category. It becomes a part of the path in `automationDetails.id` of a SARIF report, so it cannot contain
/// `/`.
pub(in crate::cli) fn parse_category(text: &str) -> Result<String, String> {
    let is_allowed = text.chars().all(|c: char| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if text.is_empty() || text.len() > 64 || !is_allowed {
        return Err(format!("expected {CATEGORY}"));
    }
    Ok(text.to_owned())
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    text.parse().map_err(|()| {
        format!("expected the number of a part and how many there are, at most {}, for example `2/4`", Shard::MAX)
    })
}

pub(super) fn parse_profile(text: &str) -> Result<Profile, String> {
    text.parse().map_err(|()| format!("expected one of {}", Profile::WORDS.join(", ")))
}

pub(super) fn parse_today(text: &str) -> Result<NaiveDate, String> {
    parse_date(text).ok_or_else(|| "expected a date such as 2027-01-31".to_owned())
}

/// Parses a number of threads. 0 means one per processor.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count <= MAX_THREADS);
    count.ok_or_else(|| format!("expected a number from 1 to {MAX_THREADS}"))
}

pub(super) fn parse_severity(text: &str) -> Result<Severity, String> {
    match text.parse() {
        Ok(FailOn::Severity(severity)) => Ok(severity),
        _ => Err(format!("expected one of {}", FailOn::WORDS[..3].join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_one_part_of_a_path() {
        assert_eq!(parse_category("infra-2.x_y"), Ok("infra-2.x_y".to_owned()));
        for wrong in ["", "a/b", "a b", "größe", "a\n", &"x".repeat(65)] {
            assert!(parse_category(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_output_is_a_format_and_a_file() {
        let (format, path) = parse_output("sarif=a=b.sarif").unwrap();
        assert_eq!((format, path), ("sarif".parse().unwrap(), PathBuf::from("a=b.sarif")));
        for wrong in ["sarif", "sarif=", "word=x", "junit=-"] {
            assert!(parse_output(wrong).is_err(), "{wrong}");
        }
    }
}
