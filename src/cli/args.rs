//! What the user typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cli::terminal::Color;
use crate::config::FailOn;
use crate::diagnostic::Severity;
use crate::engine::ChangeFilter;
use crate::report::{Format, UnknownFormat};

/// Checks Azure and AWS infrastructure templates before they are deployed.
#[derive(Debug, Parser)]
#[command(name = "formwork", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_CODES: &str = "Exit codes:
  0  all inputs were analysed, and nothing at or above --fail-on was found
  1  all inputs were analysed, and something was found
  2  a flag, a settings file or a rule file is wrong; nothing was checked
  3  an input could not be analysed; whatever could be checked is reported";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find templates, expand them, and run the rules over the resources that they would create
    Check(CheckArguments),
    /// Print the resources that a template would create, as JSON
    Expand(ExpandArguments),
    /// Print why a property of a resource has the value that it has: the chain of expressions, variables and parameters
    Explain(ExplainArguments),
    /// Print the value of one template expression, as JSON
    Eval(EvalArguments),
    /// Look at rules: what there is, what one means, whether a rule file is right
    Rules(RulesArguments),
    /// Print where each member of the compiled template of a Bicep file was written, a JSON object a line
    #[command(hide = true)]
    Sourcemap(SourcemapArguments),
    /// What workflows of GitHub use: publish a report to a pull request
    Github(GithubArguments),
    /// Print what formwork finds around itself: settings, rules, the Bicep CLI, git, the workflow, and what is broken
    Doctor(DoctorArguments),
    /// Print a script that completes this command line in a shell
    Completions(CompletionsArguments),
}

/// What several commands take.
#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs")]
pub(super) struct InputArguments {
    /// Parameter file to expand with; the files that would be found are left aside. `check` expands once for each,
    /// the other commands lay them over each other, the last on top
    #[arg(long, value_name = "FILE")]
    pub(super) parameters: Vec<PathBuf>,
    /// Value of one parameter, above all files; a value that is no JSON is a text
    #[arg(long = "set", value_name = "NAME=JSON")]
    pub(super) set: Vec<String>,
    /// Settings file; without it, `formwork.yaml` is looked for from here up to the root of the repository
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Reports")]
    pub(super) color: Color,
}

/// How Bicep is built.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bicep")]
pub(super) struct BicepArguments {
    /// Fetch no modules from registries; what hangs on one that the Bicep CLI has not got yet is skipped
    #[arg(long)]
    pub(super) offline: bool,
    /// With --offline: a module that is not there is an error
    #[arg(long, requires = "offline")]
    pub(super) strict: bool,
    /// Build everything anew, and keep nothing
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Folder for what was built [default: `formwork` in the cache folder of the user]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub(super) cache_dir: Option<PathBuf>,
}

/// Which rules to use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleArguments {
    /// Rule file, or folder of rule files, to use beside those of the settings
    #[arg(long, value_name = "FILE-OR-DIR")]
    pub(super) rules: Vec<PathBuf>,
    /// Leave out the embedded rules
    #[arg(long)]
    pub(super) no_builtin_rules: bool,
}

/// Which findings are reported, of those that a change has to do with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FilterMode {
    /// Those on lines that the change wrote, or about a value that it took lines away from
    Added,
    /// Those on lines that a diff of the change shows
    Context,
    /// Those in files that the change touches
    File,
    /// All
    #[default]
    None,
}

impl FilterMode {
    /// The same in the words of the engine.
    pub(super) fn filter(self) -> ChangeFilter {
        match self {
            Self::Added => ChangeFilter::Added,
            Self::Context => ChangeFilter::Context,
            Self::File => ChangeFilter::File,
            Self::None => ChangeFilter::None,
        }
    }
}

/// Which findings weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOnScope {
    /// Those on lines that the change wrote, or about a value that it took lines away from
    Changed,
    /// All
    #[default]
    All,
}

/// What becomes of findings that can be fixed.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Fixes")]
pub(super) struct FixArguments {
    /// Change the files where a rule leaves no doubt about what is wanted, and report what is left
    #[arg(long, conflicts_with_all = ["staged", "show_files"])]
    pub(super) fix: bool,
    /// Print what --fix would change as a unified diff, in place of a report, and change nothing
    #[arg(long, conflicts_with_all = ["fix", "staged", "show_files", "format"])]
    pub(super) diff: bool,
}

/// What is looked at.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub(super) struct ChangeArguments {
    /// Only check what changed and what hangs on it: what is not committed; with BASE, all since the branch left BASE;
    /// with `auto`, what the event of the workflow is about: a pull request, a merge group or a push; other events check
    /// everything, and outside of a workflow BASE is `origin/HEAD`
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, default_missing_value = "HEAD")]
    pub(super) changed: Option<String>,
    /// Only check what is staged and what hangs on it, as it is staged
    #[arg(long, conflicts_with = "changed")]
    pub(super) staged: bool,
    /// Check everything under PATHs all the same; the change only tells which findings are on its lines
    #[arg(long)]
    pub(super) all: bool,
    /// Which findings of a change are reported
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    pub(super) filter_mode: FilterMode,
    /// Which findings of a change decide the exit code, whether or not they are reported
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub(super) fail_on_scope: FailOnScope,
    /// Print which files would be checked, and why, and check nothing
    #[arg(long)]
    pub(super) show_files: bool,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct CheckArguments {
    /// Templates, parameter files and folders; `-` reads one template from standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) inputs: InputArguments,
    /// In folders, only look at files that match one of these globs; in place of those of the settings
    #[arg(long, value_name = "GLOB", help_heading = "Inputs")]
    pub(super) include: Vec<String>,
    /// In folders, leave out what matches one of these globs; beside those of the settings
    #[arg(long, value_name = "GLOB", help_heading = "Inputs")]
    pub(super) exclude: Vec<String>,
    /// Name for the template from standard input
    #[arg(long, value_name = "NAME", default_value = "stdin.json", hide_default_value = true, help_heading = "Inputs")]
    pub(super) stdin_filename: String,
    /// Take PATHs as hints, as a pre-commit hook gives them: what the settings exclude, what is no template and what is
    /// gone is passed over
    #[arg(long, help_heading = "Inputs")]
    pub(super) force_exclude: bool,
    /// Also check what hangs on the PATHs: of a module the templates that use it, of a parameter file its template. The
    /// PATHs are hints then, as for --force-exclude
    #[arg(long, conflicts_with_all = ["changed", "staged"], help_heading = "Inputs")]
    pub(super) dependents: bool,
    /// Fail if there is nothing to check
    #[arg(long, help_heading = "Inputs")]
    pub(super) require_inputs: bool,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
    #[command(flatten)]
    pub(super) change: ChangeArguments,
    #[command(flatten)]
    pub(super) fixes: FixArguments,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    /// Guard rules want every property to be there, as `cfn-guard --strict-checks` does
    #[arg(long, help_heading = "Rules")]
    pub(super) guard_strict: bool,
    /// Compare CloudFormation templates as they are written, without evaluating functions, conditions and loops
    #[arg(long, help_heading = "Rules")]
    pub(super) guard_raw: bool,
    /// Format of the report on standard output: console, concise, json, sarif, github, markdown, junit
    #[arg(long, value_name = "FORMAT", default_value = "console", value_parser = parse_format, help_heading = "Reports")]
    pub(super) format: Format,
    /// Write the report to a file too, in another format
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_output, help_heading = "Reports")]
    pub(super) output: Vec<(Format, PathBuf)>,
    /// Report what passed too
    #[arg(long, help_heading = "Reports")]
    pub(super) show_passed: bool,
    /// Category of the SARIF report, which tells it from others of the same commit
    #[arg(long, value_name = "NAME", value_parser = parse_category, help_heading = "Reports")]
    pub(super) category: Option<String>,
    /// From which severity on a finding fails the run: high, medium, low, never [default: low]
    #[arg(long, value_name = "SEVERITY", value_parser = parse_fail_on, help_heading = "Reports")]
    pub(super) fail_on: Option<FailOn>,
    /// Report no finding below this severity, and let none decide: high, medium, low [default: low]
    #[arg(long, value_name = "SEVERITY", value_parser = parse_severity, help_heading = "Reports")]
    pub(super) min_severity: Option<Severity>,
    /// Accept the findings that FILE lists; in place of the baseline of the settings
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(super) baseline: Option<PathBuf>,
    /// Write the findings of this run to FILE, so that it accepts them; what it says of templates that are not checked
    /// stays, and so do notes
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(super) write_baseline: Option<PathBuf>,
    /// Show no progress and no notices
    #[arg(long, short, visible_alias = "no-progress", help_heading = "Run")]
    pub(super) quiet: bool,
    /// How many threads to use; 0 is one per processor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Run")]
    pub(super) threads: usize,
}

/// One template and what to expand it with.
#[derive(Debug, Args)]
pub(super) struct TemplateArguments {
    /// Template, or a parameter file that leads to one; `-` reads a template from standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) inputs: InputArguments,
    /// Name for the template from standard input
    #[arg(long, value_name = "NAME", default_value = "stdin.json", hide_default_value = true, help_heading = "Inputs")]
    pub(super) stdin_filename: String,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
}

#[derive(Debug, Args)]
pub(super) struct ExpandArguments {
    #[command(flatten)]
    pub(super) template: TemplateArguments,
    /// List children at the top level as well as in their parents
    #[arg(long, help_heading = "Reports")]
    pub(super) flat: bool,
    /// Only resources of this type, wherever they are
    #[arg(long, value_name = "TYPE", help_heading = "Reports")]
    pub(super) resource: Option<String>,
}

/// How `explain` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExplainFormat {
    /// Excerpts.
    #[default]
    Console,
    /// A JSON object on a line, for each value.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    #[command(flatten)]
    pub(super) template: TemplateArguments,
    /// Path as reports print it, for example `resources[0].properties.sku` or `outputs.address`
    #[arg(value_name = "PATH")]
    pub(super) path: String,
    /// Of the resources that a loop makes, which share a path, only the one of this name
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Format of the explanation
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Reports")]
    pub(super) format: ExplainFormat,
}

#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The expression with its brackets, for example `[toUpper('a')]`
    #[arg(value_name = "EXPRESSION")]
    pub(super) expression: String,
    /// JSON with any of `parameters`, `variables`, `config`, `deployment`, `copy`, `resources`
    #[arg(long, value_name = "FILE", help_heading = "Inputs")]
    pub(super) context: Option<PathBuf>,
    #[command(flatten)]
    pub(super) inputs: InputArguments,
}

#[derive(Debug, Args)]
pub(super) struct RulesArguments {
    #[command(subcommand)]
    pub(super) command: RulesCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// List the rules
    List(RulesListArguments),
    /// Print the page of one rule
    Show(RulesShowArguments),
    /// Check rule files without running them
    Lint(RulesLintArguments),
    /// Print a Guard ruleset that holds for a template: every property has one of the values that it has there
    Gen(RulesGenArguments),
    /// Run rules on templates that have marks below what must be reported
    Test(RulesTestArguments),
    /// Print the JSON schema of a JSON rule file, for editors
    Schema,
}

/// How `rules list` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ListFormat {
    /// Columns.
    #[default]
    Console,
    /// A JSON array.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct RulesListArguments {
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    /// Settings file; without it, `formwork.yaml` is looked for from here up to the root of the repository
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Format of the list
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(super) format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct RulesShowArguments {
    /// Id of the rule
    #[arg(value_name = "ID")]
    pub(super) id: String,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    /// Settings file; without it, `formwork.yaml` is looked for from here up to the root of the repository
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct RulesLintArguments {
    /// Rule files, or folders of rule files
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(super) color: Color,
}

#[derive(Debug, Args)]
pub(super) struct RulesGenArguments {
    #[command(flatten)]
    pub(super) template: TemplateArguments,
}

#[derive(Debug, Args)]
pub(super) struct RulesTestArguments {
    /// Folders of templates with marks, or single templates
    #[arg(value_name = "DIR", default_value = ".")]
    pub(super) dirs: Vec<PathBuf>,
    /// Rule file, or folder of rule files, to test; without any those of the settings, and without these the embedded ones
    #[arg(long, value_name = "FILE-OR-DIR")]
    pub(super) rules: Vec<PathBuf>,
    /// Settings file; without it, `formwork.yaml` is looked for from here up to the root of the repository
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
}

#[derive(Debug, Args)]
pub(super) struct SourcemapArguments {
    /// The Bicep file; it is built with the Bicep CLI
    #[arg(value_name = "FILE.bicep")]
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
    /// Colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(super) color: Color,
}

#[derive(Debug, Args)]
pub(super) struct GithubArguments {
    #[command(subcommand)]
    pub(super) command: GithubCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum GithubCommand {
    /// What the action runs: check with its inputs, which are variables of the environment, and tell the runner
    #[command(hide = true)]
    Action,
    /// Publish the findings of a JSON report to the pull request of the event: as a review, as a summary, or as both
    Report(GithubReportArguments),
}

#[derive(Debug, Args)]
pub(super) struct GithubReportArguments {
    /// The report, as `check --output json=FILE` writes it
    #[arg(long, value_name = "FILE")]
    pub(super) from: PathBuf,
    /// Comment on the lines that the pull request changes
    #[arg(long)]
    pub(super) review: bool,
    /// Keep one comment with all findings up to date
    #[arg(long)]
    pub(super) summary: bool,
    /// The pull request; without it, that of the event
    #[arg(long, value_name = "NUMBER")]
    pub(super) pull_request: Option<u64>,
    /// What keeps the comments of several jobs on one pull request apart
    #[arg(long, value_name = "NAME", default_value = "formwork")]
    pub(super) category: String,
    /// Read from GitHub and print the requests that would write as JSON, one a line, in place of sending them
    #[arg(long)]
    pub(super) dry_run: bool,
    /// How many seconds to wait for GitHub's limits in all, before the rest is left out
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(super) max_wait: u64,
    /// How many milliseconds lie between two writes. GitHub asks for a second; tests have no time
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, hide = true)]
    pub(super) pace: u64,
}

/// How `doctor` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DoctorFormat {
    /// A line a matter.
    #[default]
    Console,
    /// A JSON object.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// Settings file; without it, `formwork.yaml` is looked for from here up to the root of the repository
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    /// Format of what is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(super) format: DoctorFormat,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(super) shell: clap_complete::Shell,
}

fn parse_format(text: &str) -> Result<Format, String> {
    text.parse().map_err(|error: UnknownFormat| error.to_string())
}

fn parse_output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, path) = text.split_once('=').ok_or("`FORMAT=FILE` is wanted, for example `sarif=report.sarif`")?;
    if path.is_empty() {
        return Err("a file is wanted behind `=`".to_owned());
    }
    Ok((parse_format(format)?, PathBuf::from(path)))
}

/// What a category looks like.
pub(super) const CATEGORY: &str = "1 to 64 letters, digits, `-`, `_` and `.`";

/// The category becomes a part of a path, of which the last part would be the name of a run.
pub(super) fn parse_category(text: &str) -> Result<String, String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_allowed) {
        return Err(format!("wanted {CATEGORY}"));
    }
    Ok(text.to_owned())
}

fn parse_fail_on(text: &str) -> Result<FailOn, String> {
    text.parse().map_err(|()| format!("the severities are {}", FailOn::WORDS.join(", ")))
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    match text.parse() {
        Ok(FailOn::Severity(severity)) => Ok(severity),
        _ => Err(format!("the severities are {}", FailOn::WORDS[..3].join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_fit_together() {
        Arguments::command().debug_assert();
    }

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
        for wrong in ["sarif", "sarif=", "word=x"] {
            assert!(parse_output(wrong).is_err(), "{wrong}");
        }
    }
}
