//! The command line: commands, flags, and the text of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cli::terminal::Color;
use crate::config::FailOn;
use crate::diagnostic::Severity;
use crate::engine::Filter;
use crate::report::{Format, UnknownFormat};

/// Check Azure and AWS infrastructure templates before you deploy them.
///
/// formwork reads ARM, Bicep, and CloudFormation templates, expands them into the resources that a deployment would
/// create, and runs rules on these resources. It reports each finding on the line that causes it.
#[derive(Debug, Parser)]
#[command(name = "formwork", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  formwork check                                   Check the templates in the current folder
  formwork check infra --changed=origin/main       Check what changed on this branch
  formwork expand main.json                        Print the resources that a template would create
  formwork explain main.json 'resources[0].sku'    Show where a value comes from

Use `formwork help COMMAND` for the details of a command.";

const CHECK_AFTER_HELP: &str = "\
Exit codes:
  0  No finding has the severity of --fail-on or higher
  1  A finding has the severity of --fail-on or higher
  2  A flag, a settings file, or a rule file is invalid; nothing was checked
  3  An input could not be analyzed; everything else was checked and reported";

const CHECK_AFTER_LONG_HELP: &str = "\
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
  2  A flag, a settings file, or a rule file is invalid; nothing was checked
  3  An input could not be analyzed; everything else was checked and reported";

const EXPAND_AFTER_LONG_HELP: &str = "\
Examples:
  formwork expand main.json --parameters main.parameters.prod.json
  formwork expand main.bicep --resource Microsoft.Storage/storageAccounts";

const EXPLAIN_AFTER_LONG_HELP: &str = "\
Examples:
  formwork explain main.json 'resources[0].properties.sku'
  formwork explain main.parameters.prod.json outputs.address
  formwork explain main.json 'resources[0].name' --name nsg-web";

const EVAL_AFTER_LONG_HELP: &str = "\
Examples:
  formwork eval \"[toUpper('a')]\"
  formwork eval \"[uniqueString(resourceGroup().id)]\"
  formwork eval \"[parameters('name')]\" --set name=web";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find templates, and run rules on the resources that they would create.
    ///
    /// In folders, formwork recognizes templates by their content, and skips files that `.gitignore` excludes. It finds
    /// the parameter files of a template by their name or metadata, and expands the template once for each of them.
    /// Linked templates and modules are read from the repository.
    #[command(after_help = CHECK_AFTER_HELP, after_long_help = CHECK_AFTER_LONG_HELP)]
    Check(CheckArguments),
    /// Print the resources that a template would create, as JSON.
    ///
    /// Values that are known only after the deployment are placeholders. The member `_formwork` of a resource lists
    /// them, with the line of the template that declares the resource.
    #[command(after_long_help = EXPAND_AFTER_LONG_HELP)]
    Expand(ExpandArguments),
    /// Show where a value of a template comes from.
    ///
    /// Prints the value of a property, and the expressions, variables, and parameters that produce it, down to a
    /// default value or a line of a parameter file. Secrets are not printed.
    #[command(after_long_help = EXPLAIN_AFTER_LONG_HELP)]
    Explain(ExplainArguments),
    /// Print the value of a template expression, as JSON.
    ///
    /// Exits with code 1 if the expression cannot be evaluated.
    #[command(after_long_help = EVAL_AFTER_LONG_HELP)]
    Eval(EvalArguments),
    /// List, show, lint, test, and generate rules.
    Rules(RulesArguments),
    /// Print where each part of a compiled Bicep template was written, one JSON object per line.
    #[command(hide = true)]
    Sourcemap(SourcemapArguments),
    /// Publish findings to a pull request on GitHub.
    Github(GithubArguments),
    /// Show the settings and tools that formwork finds, and what is wrong with them.
    ///
    /// Prints the settings files, the rules, the Bicep CLI, git, the cache, and, in a workflow, its event and what
    /// would be published. Use it when formwork does not find something that you expect it to find.
    Doctor(DoctorArguments),
    /// Print a shell completion script.
    ///
    /// For example, `formwork completions bash > ~/.local/share/bash-completion/completions/formwork` installs
    /// completions for bash.
    Completions(CompletionsArguments),
}

/// Flags of the commands that read templates.
#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs")]
pub(super) struct InputArguments {
    /// Use this parameter file instead of those found beside the template.
    ///
    /// Can be repeated: `check` expands the template once for each file; the other commands merge the files, and later
    /// files override earlier ones.
    #[arg(long, value_name = "FILE")]
    pub(super) parameters: Vec<PathBuf>,
    /// Set a parameter; overrides parameter files.
    ///
    /// VALUE is JSON. A value that is not valid JSON is a string, so `--set name=web` needs no quotes. Can be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub(super) color: Color,
}

/// Flags that control how Bicep files are built.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bicep")]
pub(super) struct BicepArguments {
    /// Do not download Bicep modules from registries.
    ///
    /// Files that use a module that is not in the cache of the Bicep CLI are skipped.
    #[arg(long)]
    pub(super) offline: bool,
    /// With --offline, report a missing module as an error.
    #[arg(long, requires = "offline")]
    pub(super) strict: bool,
    /// Build all Bicep files again, and do not cache the results.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Folder for cached builds [default: `formwork` in the user's cache folder].
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub(super) cache_dir: Option<PathBuf>,
}

/// Flags that select rules.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleArguments {
    /// Use this rule file, or the rule files in this folder.
    ///
    /// Can be repeated. The rules are used in addition to the built-in rules and those of the settings.
    #[arg(long, value_name = "PATH")]
    pub(super) rules: Vec<PathBuf>,
    /// Do not use the built-in rules.
    #[arg(long)]
    pub(super) no_builtin_rules: bool,
}

/// The values of `--filter-mode`: which findings are reported, depending on the changed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FilterMode {
    /// Findings on added or modified lines, and findings that removed lines cause
    Added,
    /// Also findings within three lines of a change
    Context,
    /// All findings in changed files
    File,
    /// All findings
    #[default]
    None,
}

impl FilterMode {
    /// The filter of the engine for this value.
    pub(super) fn filter(self) -> Filter {
        match self {
            Self::Added => Filter::Added,
            Self::Context => Filter::Context,
            Self::File => Filter::File,
            Self::None => Filter::None,
        }
    }
}

/// The values of `--fail-on-scope`: which findings count towards the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOnScope {
    /// Findings on added or modified lines, and findings that removed lines cause
    Changed,
    /// All findings
    #[default]
    All,
}

/// Flags that apply or print fixes.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Fixes")]
pub(super) struct FixArguments {
    /// Fix findings in the files, and report the remaining ones.
    ///
    /// A finding has a fix if its rule allows exactly one value, and the value is written directly in the template.
    #[arg(long, conflicts_with_all = ["staged", "show_files"])]
    pub(super) fix: bool,
    /// Print the changes that --fix would make as a unified diff, instead of a report.
    ///
    /// No file is changed. `git apply` accepts the output.
    #[arg(long, conflicts_with_all = ["fix", "staged", "show_files", "format"])]
    pub(super) diff: bool,
}

/// Flags that limit a check to a change.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub(super) struct ChangeArguments {
    /// Check only changed files and their dependents [default BASE: HEAD].
    ///
    /// Without BASE, these are the uncommitted changes. With a branch or a commit as BASE, they are all changes since the
    /// current branch diverged from it.
    ///
    /// With `auto`, BASE comes from the event of the GitHub workflow: a pull request, a merge group, or a push. For other
    /// events, everything is checked. Outside of a workflow, `auto` is `origin/HEAD`.
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, default_missing_value = "HEAD")]
    pub(super) changed: Option<String>,
    /// Check only staged files and their dependents.
    ///
    /// Reads the staged content of the files, not that of the working tree.
    #[arg(long, conflicts_with = "changed")]
    pub(super) staged: bool,
    /// Check everything, and use the change only to mark findings.
    ///
    /// For use with --changed or --staged: findings on changed lines are still told apart, so that --filter-mode and
    /// --fail-on-scope work.
    #[arg(long)]
    pub(super) all: bool,
    /// Which findings to report.
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    pub(super) filter_mode: FilterMode,
    /// Which findings count towards the exit code, reported or not.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub(super) fail_on_scope: FailOnScope,
    /// Print the files that would be checked, and why, without checking them.
    #[arg(long)]
    pub(super) show_files: bool,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct CheckArguments {
    /// Templates, parameter files, and folders to check; `-` reads a template from standard input.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,
    /// Do not show progress or notices.
    #[arg(long, short, visible_alias = "no-progress")]
    pub(super) quiet: bool,
    /// Number of threads to use [default: one per processor].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) threads: usize,
    #[command(flatten)]
    pub(super) inputs: InputArguments,
    /// In folders, check only files that match this glob; overrides `include` of the settings.
    #[arg(long, value_name = "GLOB", help_heading = "Inputs")]
    pub(super) include: Vec<String>,
    /// In folders, skip files that match this glob; adds to `exclude` of the settings.
    #[arg(long, value_name = "GLOB", help_heading = "Inputs")]
    pub(super) exclude: Vec<String>,
    /// File name for the template from standard input [default: stdin.json].
    #[arg(long, value_name = "NAME", default_value = "stdin.json", hide_default_value = true, help_heading = "Inputs")]
    pub(super) stdin_filename: String,
    /// Skip PATHs that the settings exclude, that do not exist, or that are not templates.
    ///
    /// For pre-commit hooks, which pass every changed file. Without this flag, a PATH that names a file is always checked,
    /// and it is an error if it is not a template.
    #[arg(long, help_heading = "Inputs")]
    pub(super) force_exclude: bool,
    /// Also check the templates that depend on the PATHs.
    ///
    /// These are the templates that use a module, and the template of a parameter file. PATHs are treated as with
    /// --force-exclude.
    #[arg(long, conflicts_with_all = ["changed", "staged"], help_heading = "Inputs")]
    pub(super) dependents: bool,
    /// Fail if there is nothing to check.
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
    /// Make Guard rules fail if a property is missing, like `cfn-guard --strict-checks`.
    #[arg(long, help_heading = "Rules")]
    pub(super) guard_strict: bool,
    /// Run Guard rules on CloudFormation templates as written.
    ///
    /// Functions, conditions, and loops are not evaluated.
    #[arg(long, help_heading = "Rules")]
    pub(super) guard_raw: bool,
    /// Format of the report on standard output: console, concise, json, sarif, github, markdown, or junit.
    #[arg(long, value_name = "FORMAT", default_value = "console", value_parser = parse_format, help_heading = "Output")]
    pub(super) format: Format,
    /// Also write the report to a file, for example `--output sarif=report.sarif`.
    ///
    /// The formats are those of --format. Can be repeated.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_output, help_heading = "Output")]
    pub(super) output: Vec<(Format, PathBuf)>,
    /// Also report passed checks.
    #[arg(long, help_heading = "Output")]
    pub(super) show_passed: bool,
    /// Category of the SARIF report.
    ///
    /// Code scanning uses it to tell apart several reports for one commit. It consists of 1 to 64 letters, digits, `-`,
    /// `_`, and `.`.
    #[arg(long, value_name = "NAME", value_parser = parse_category, help_heading = "Output")]
    pub(super) category: Option<String>,
    /// Lowest severity that fails the run: high, medium, low, or never [default: low].
    #[arg(long, value_name = "SEVERITY", value_parser = parse_fail_on, help_heading = "Output")]
    pub(super) fail_on: Option<FailOn>,
    /// Lowest severity to report: high, medium, or low [default: low].
    ///
    /// Findings that are not reported do not count towards the exit code.
    #[arg(long, value_name = "SEVERITY", value_parser = parse_severity, help_heading = "Output")]
    pub(super) min_severity: Option<Severity>,
    /// Accept the findings that FILE lists; overrides `baseline` of the settings.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(super) baseline: Option<PathBuf>,
    /// Write the findings to FILE, to accept them with --baseline.
    ///
    /// If FILE exists, it is updated. Its notes are kept, and so are the entries for templates that this run does not
    /// check.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(super) write_baseline: Option<PathBuf>,
}

/// A template and the values that it is expanded with.
#[derive(Debug, Args)]
pub(super) struct TemplateArguments {
    /// Template, or parameter file of a template; `-` reads a template from standard input.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) inputs: InputArguments,
    /// File name for the template from standard input [default: stdin.json].
    #[arg(long, value_name = "NAME", default_value = "stdin.json", hide_default_value = true, help_heading = "Inputs")]
    pub(super) stdin_filename: String,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
}

#[derive(Debug, Args)]
pub(super) struct ExpandArguments {
    #[command(flatten)]
    pub(super) template: TemplateArguments,
    /// List child resources at the top level too, not only in their parents.
    #[arg(long, help_heading = "Output")]
    pub(super) flat: bool,
    /// Print only resources of this type, at any level.
    #[arg(long, value_name = "TYPE", help_heading = "Output")]
    pub(super) resource: Option<String>,
}

/// The output formats of `explain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExplainFormat {
    /// Excerpts of the files, for people
    #[default]
    Console,
    /// One JSON object per line for each value
    Json,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    // Declared before `template`, whose help headings would apply to it otherwise.
    /// Path of the value as in reports, for example `resources[0].properties.sku` or `outputs.address`.
    #[arg(value_name = "PATH", index = 2)]
    pub(super) path: String,
    #[command(flatten)]
    pub(super) template: TemplateArguments,
    /// Explain only the resource of this name.
    ///
    /// The resources of a copy loop share one path, and all of them are explained without this flag.
    #[arg(long, value_name = "NAME", help_heading = "Inputs")]
    pub(super) name: Option<String>,
    /// Format of the explanation.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub(super) format: ExplainFormat,
}

#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// Expression in brackets, for example `[toUpper('a')]`.
    #[arg(value_name = "EXPRESSION")]
    pub(super) expression: String,
    /// JSON file with the values that the expression can use.
    ///
    /// An object with any of `parameters`, `variables`, `config`, `deployment`, `copy`, and `resources`.
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
    /// List the rules.
    List(RulesListArguments),
    /// Print the description of a rule.
    Show(RulesShowArguments),
    /// Check rule files for errors, without running the rules.
    Lint(RulesLintArguments),
    /// Generate a Guard ruleset from a template.
    ///
    /// The rules require every property to have one of the values that it has in the template.
    Gen(RulesGenArguments),
    /// Run rules on sample templates, and compare the findings with marks in the samples.
    ///
    /// A mark is a comment with carets below the text that must be reported. The samples pass if every mark is reported,
    /// and nothing else is. Exits with code 0 if all samples pass, 1 if a sample fails, and 2 if the rules are invalid or
    /// there are no samples.
    Test(RulesTestArguments),
    /// Print the JSON schema of rule files, for editors.
    Schema,
}

/// The output formats of `rules list`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ListFormat {
    /// A table
    #[default]
    Console,
    /// A JSON array
    Json,
}

#[derive(Debug, Args)]
pub(super) struct RulesListArguments {
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Format of the list.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(super) format: ListFormat,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
}

#[derive(Debug, Args)]
pub(super) struct RulesShowArguments {
    /// ID of the rule, for example AZ-0003 or `secret/output`.
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
}

#[derive(Debug, Args)]
pub(super) struct RulesLintArguments {
    /// Rule files, or folders of rule files.
    #[arg(value_name = "PATH", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// When to use colors.
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
    /// Folders of sample templates, or single samples.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) dirs: Vec<PathBuf>,
    /// Rule file, or folder of rule files, to test.
    ///
    /// Can be repeated. Without it, the rules of the settings are tested, or the built-in rules if the settings have none.
    #[arg(long, value_name = "PATH")]
    pub(super) rules: Vec<PathBuf>,
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
}

#[derive(Debug, Args)]
pub(super) struct SourcemapArguments {
    /// Bicep file to build.
    #[arg(value_name = "FILE.bicep")]
    pub(super) file: PathBuf,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(super) color: Color,
    #[command(flatten)]
    pub(super) bicep: BicepArguments,
}

#[derive(Debug, Args)]
pub(super) struct GithubArguments {
    #[command(subcommand)]
    pub(super) command: GithubCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum GithubCommand {
    /// Check with the inputs of the action, which are environment variables, and write its outputs.
    #[command(hide = true)]
    Action,
    /// Publish the findings of a JSON report to a pull request.
    ///
    /// Needs --review, --summary, or both; a token with `pull-requests: write` in the environment variable `GITHUB_TOKEN`;
    /// and the repository, as `owner/name`, in `GITHUB_REPOSITORY`, which GitHub sets in a workflow.
    Report(GithubReportArguments),
}

#[derive(Debug, Args)]
pub(super) struct GithubReportArguments {
    /// JSON report, as written by `formwork check --output json=FILE`.
    #[arg(long, value_name = "FILE")]
    pub(super) from: PathBuf,
    /// Post review comments on the changed lines of the pull request.
    #[arg(long)]
    pub(super) review: bool,
    /// Post one comment that lists all findings, and keep it up to date.
    #[arg(long)]
    pub(super) summary: bool,
    /// Pull request to publish to [default: the pull request of the workflow event].
    #[arg(long, value_name = "NUMBER")]
    pub(super) pull_request: Option<u64>,
    /// Name that keeps the comments of several jobs on one pull request apart.
    #[arg(long, value_name = "NAME", default_value = "formwork")]
    pub(super) category: String,
    /// Print the requests that would change the pull request, instead of sending them.
    ///
    /// Prints one JSON object per line. Requests that only read are sent.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// How many seconds to wait for GitHub's rate limits in total.
    ///
    /// After that, the remaining comments are not posted.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(super) max_wait: u64,
    /// How many milliseconds to wait between two writes. GitHub asks for one second; tests set a shorter time.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, hide = true)]
    pub(super) pace: u64,
}

/// The output formats of `doctor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DoctorFormat {
    /// One line per item, for people
    #[default]
    Console,
    /// A JSON object
    Json,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(super) format: DoctorFormat,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// Shell to generate the script for.
    #[arg(value_enum, value_name = "SHELL")]
    pub(super) shell: clap_complete::Shell,
}

fn parse_format(text: &str) -> Result<Format, String> {
    text.parse().map_err(|error: UnknownFormat| error.to_string())
}

fn parse_output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, path) = text.split_once('=').ok_or("expected `FORMAT=FILE`, for example `sarif=report.sarif`")?;
    if path.is_empty() {
        return Err("expected a file name after `=`".to_owned());
    }
    Ok((parse_format(format)?, PathBuf::from(path)))
}

/// The form of a category, for messages.
pub(super) const CATEGORY: &str = "1 to 64 letters, digits, `-`, `_` and `.`";

/// Parses a category. It becomes one part of the path in `automationDetails.id` of a SARIF report, so it has no `/`.
pub(super) fn parse_category(text: &str) -> Result<String, String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_allowed) {
        return Err(format!("expected {CATEGORY}"));
    }
    Ok(text.to_owned())
}

fn parse_fail_on(text: &str) -> Result<FailOn, String> {
    text.parse().map_err(|()| format!("expected one of {}", FailOn::WORDS.join(", ")))
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    match text.parse() {
        Ok(FailOn::Severity(severity)) => Ok(severity),
        _ => Err(format!("expected one of {}", FailOn::WORDS[..3].join(", "))),
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
