//! The command line: commands, flags, and the text of `--help`.

mod ambiguous;
mod check;
mod diff;
mod drift;
mod filter;
mod merge;
mod policy;
mod rules;
mod settings;
mod upgrade;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cli::terminal::Color;

pub(super) use self::ambiguous::ambiguous;
pub(super) use self::check::{
    CATEGORY, ChangeArguments, CheckArguments, ConfigSide, FailOnScope, FilterMode, parse_category,
};
pub(super) use self::diff::{DiffArguments, DiffFormat};
pub(super) use self::drift::{DriftArguments, DriftFormat};
pub(super) use self::filter::{Controls, Filter};
pub(super) use self::merge::MergeArguments;
pub(super) use self::policy::{PolicyArguments, PolicyCommand, PolicyExplainArguments, PolicyFormat};
pub(super) use self::rules::{
    ListFormat, MappedTool, PageFormat, RulesCommand, RulesGenArguments, RulesLintArguments, RulesListArguments,
    RulesNewArguments, RulesShowArguments, RulesTestArguments,
};
pub(super) use self::upgrade::{MIN_AGE, UpgradeArguments, UpgradeFormat};

use self::settings::{Bicep, RuleFiles, SettingArguments};

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
  formwork diff origin/main                        Show what this branch would deploy differently
  formwork expand main.json                        Print the resources that a template would create
  formwork explain main.json 'resources[0].sku'    Show where a value comes from

Use `formwork help COMMAND` for the details of a command.";

const MERGE_AFTER_LONG_HELP: &str = "\
Examples:
  formwork merge reports --output sarif=formwork.sarif
  formwork merge 1.json 2.json --fail-on high --format markdown";

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
    /// In folders, formwork recognizes templates by their content, and skips untracked files that `.gitignore` names. It
    /// finds the parameter files of a template by their name or metadata, and expands the template once for each of them.
    /// Linked templates and modules are read from the repository.
    #[command(after_help = check::AFTER_HELP, after_long_help = check::AFTER_LONG_HELP)]
    Check(Box<CheckArguments>),
    /// Join the JSON reports of the parts of a check into one report and one exit code.
    ///
    /// Reads the reports that `formwork check --shard I/N --output json=FILE` wrote on several machines. The result is the
    /// same as that of a check that was not split. Run it in a checkout of the same commit, with the same settings and
    /// rules. Exits with code 3 if a report is missing, because nothing is known about its templates.
    #[command(after_long_help = MERGE_AFTER_LONG_HELP)]
    Merge(MergeArguments),
    /// Print the template that a Bicep file is compiled to.
    ///
    /// For a parameter file, prints one JSON object with the parameters and the template. Problems are printed to standard
    /// error. Exits with code 3 if the file does not compile.
    Build(BuildArguments),
    /// Show which resources a change creates, changes, or no longer deploys.
    ///
    /// Expands every deployment on both sides, and compares the resources and their properties. Needs no cloud and no
    /// credentials. The sides are two files or folders, or two states of a git repository, from which only objects are
    /// read. Settings are those of the current folder on both sides.
    #[command(after_long_help = diff::AFTER_LONG_HELP)]
    Diff(DiffArguments),
    /// Show which resources differ from their templates.
    ///
    /// Compares an export of the resources that exist with what the templates declare. Only what a template sets is
    /// compared, so defaults and read-only properties are ignored. Needs no cloud and no credentials.
    #[command(after_long_help = drift::AFTER_LONG_HELP)]
    Drift(Box<DriftArguments>),
    /// Raise API versions where the resources fit newer ones.
    ///
    /// Expands every deployment, and compares each resource with the types of newer versions. A version is safe if
    /// the newer one refuses nothing that the resource has. Needs no cloud and no credentials, and compiles Bicep itself.
    #[command(after_long_help = upgrade::AFTER_LONG_HELP)]
    Upgrade(UpgradeArguments),
    /// Print the resources that a template would create, as JSON.
    ///
    /// Values that are known only after the deployment are placeholders. The member `_formwork` of a resource lists
    /// them, with the line of the template that declares the resource. Exits with code 1 if a part of the template cannot
    /// be evaluated.
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
    /// Explain what Azure policies do with the resources of a template.
    Policy(PolicyArguments),
    /// Print where each part of a compiled Bicep template was written, one JSON object per line.
    #[command(hide = true)]
    Sourcemap(SourcemapArguments),
    /// Answer the cases of a conformance suite, one JSON object per line.
    #[command(hide = true)]
    Verdicts(VerdictsArguments),
    /// Publish findings to a pull request on GitHub.
    Github(GithubArguments),
    /// Show the settings and tools that formwork finds, and what is wrong with them.
    ///
    /// Prints the settings files, the rules, the Bicep CLI, git, the cache, and, in a workflow, its event and what
    /// would be published. Use it when formwork does not find something that you expect it to find.
    Doctor(DoctorArguments),
    /// Write a settings file for this repository.
    ///
    /// Writes `formwork.yaml` with all settings in comments. What the settings of Template Analyzer, PSRule, checkov, and
    /// cfn-lint in the same folder say is imported: rules that do not run, severities, and accepted findings. Each part
    /// without a counterpart is a note. An existing file is never overwritten.
    Init(InitArguments),
    /// Print a JSON schema of what formwork reads or writes, for editors and scripts.
    Schema(SchemaArguments),
    /// Print a shell completion script.
    ///
    /// For example, `formwork completions bash > ~/.local/share/bash-completion/completions/formwork` installs
    /// completions for bash.
    Completions(CompletionsArguments),
    /// Print a man page.
    ///
    /// For example, `formwork man check | man -l -` shows the page of a command, and
    /// `formwork man > ~/.local/share/man/man1/formwork.1` installs the page of the program.
    Man(ManArguments),
    /// Serve an editor as a language server.
    ///
    /// Speaks the Language Server Protocol on standard input and output, so an editor starts it. It reports on the deployments
    /// of the open files as `formwork check` does, with the same settings, and includes changes that are not saved yet. It compiles
    /// Bicep itself, starts no process, and downloads nothing.
    #[cfg(feature = "lsp")]
    Lsp(LspArguments),
    /// Serve coding agents with the Model Context Protocol.
    ///
    /// Speaks on standard input and output, so a client starts it. Its tools check templates with changes that are not saved
    /// yet, return the edits that fix findings, explain values, and describe resource types. It reads only files below
    /// the root and downloaded Bicep modules, writes no file, starts no process, and uses no network.
    #[cfg(feature = "mcp")]
    Mcp(McpArguments),
}

/// Flags of the commands that read templates.
#[derive(Clone, Debug, Args)]
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
    /// VALUE is JSON. A value that is not valid JSON is a string, so `--set name=web` needs no quotes. It is an error if no
    /// template declares the parameter. Can be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Use this settings file, or the one of this folder.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository. With a folder, it looks there and in the parents of it.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub(super) color: Color,
}

/// Flags that control how Bicep files are built.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Bicep")]
pub(super) struct BicepArguments {
    #[command(flatten)]
    pub(super) compiler: SettingArguments<Bicep>,
    /// Do not download Bicep modules from registries.
    ///
    /// Files that use a module that is not in a module cache are skipped.
    #[arg(long)]
    pub(super) offline: bool,
    /// Build all Bicep files again, and do not cache the results.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Folder for cached builds and modules [default: `formwork` in the user's cache folder].
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub(super) cache_dir: Option<PathBuf>,
}

/// A template and the values that it is expanded with.
#[derive(Clone, Debug, Args)]
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

/// Output formats of `explain`.
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
    ///
    /// It may begin with the symbolic name or the logical ID of a resource, such as `store.properties`. Without it, FILE
    /// ends with the number of a line, as in `main.bicep:12`, and what begins there is explained.
    #[arg(value_name = "PATH", index = 2)]
    pub(super) path: Option<String>,
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

#[derive(Debug, Args)]
pub(super) struct BuildArguments {
    /// Bicep file or Bicep parameter file.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub(super) color: Color,
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

/// Conformance suites that are answered line by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Suite {
    /// Resources that exist, and templates
    Drift,
    /// Rules of Guard 2 and 3
    Guard3,
    /// The order of resources
    Order,
    /// Policies of Azure Policy
    Policy,
    /// Newer API versions
    Upgrade,
}

#[derive(Debug, Args)]
pub(super) struct VerdictsArguments {
    /// The suite that the cases are from.
    #[arg(value_enum, value_name = "SUITE")]
    pub(super) suite: Suite,
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
    /// Needs --review, --summary, or --check-run; a token with `pull-requests: write` in the environment variable `GITHUB_TOKEN`;
    /// and the repository, as `owner/name`, in `GITHUB_REPOSITORY`, which GitHub sets in a workflow.
    Report(GithubReportArguments),
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct GithubReportArguments {
    /// JSON report, as written by `formwork check --output json=FILE`.
    #[arg(long, value_name = "FILE")]
    pub(super) from: PathBuf,
    /// What the change deploys, as written by `formwork diff --format json`, for the comment of `--summary`.
    #[arg(long, value_name = "FILE", requires = "summary")]
    pub(super) difference: Option<PathBuf>,
    /// Post review comments on the changed lines of the pull request.
    #[arg(long)]
    pub(super) review: bool,
    /// Post one comment that lists all findings, and keep it up to date.
    #[arg(long)]
    pub(super) summary: bool,
    /// Post a check run for the commit, with an annotation for each finding.
    ///
    /// Needs a token with `checks: write`. A check run can have more annotations than the ten per level that GitHub shows
    /// for the log of a job.
    #[arg(long)]
    pub(super) check_run: bool,
    /// Print this file of workflow commands if the token may not post a check run.
    #[arg(long, value_name = "FILE", requires = "check_run", hide = true)]
    pub(super) or_annotate: Option<PathBuf>,
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

/// Output formats of `doctor`.
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
    /// Use this settings file, or the one of this folder.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository. With a folder, it looks there and in the parents of it.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(super) format: DoctorFormat,
    #[command(flatten)]
    pub(super) rules: SettingArguments<RuleFiles>,
}

#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// Folder of the new file [default: the root of the repository].
    #[arg(value_name = "FOLDER")]
    pub(super) folder: Option<PathBuf>,
    /// Write a section for coding agents into `AGENTS.md` instead.
    ///
    /// The section is between two marks, and replaces an older one. Also prints the entries that clients of
    /// `formwork mcp` need in their files, and the hook that runs `formwork check --hook`.
    #[arg(long)]
    pub(super) agents: bool,
    /// Print the file instead of writing it.
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Files that `schema` can describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SchemaSubject {
    /// The settings file, `formwork.yaml`
    Settings,
    /// The report of `formwork check --format json`
    Report,
    /// The output of `formwork diff --format json`
    Diff,
    /// The output of `formwork drift --format json`
    Drift,
    /// The file of `formwork check --write-baseline`
    Baseline,
    /// The output of `formwork expand`
    Expand,
    /// A line of `formwork explain --format json`
    Explain,
    /// A line of `formwork policy explain --format json`
    PolicyExplain,
    /// The output of `formwork upgrade --format json`
    Upgrade,
    /// The output of `formwork rules list --format json`
    RulesList,
    /// The output of `formwork doctor --format json`
    Doctor,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// The file that the schema describes.
    #[arg(value_enum, value_name = "SUBJECT")]
    pub(super) subject: SchemaSubject,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// Shell to generate the script for.
    #[arg(value_enum, value_name = "SHELL")]
    pub(super) shell: Shell,
}

/// Shells with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Shell {
    /// A script for Bash
    Bash,
    /// A script for Elvish
    Elvish,
    /// A script for fish
    Fish,
    /// A script for Nushell
    Nushell,
    /// A script for `PowerShell`
    #[value(alias = "pwsh")]
    Powershell,
    /// A script for Zsh
    Zsh,
}

#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Command to describe, for example `rules list`; without it, formwork as a whole.
    #[arg(value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

#[cfg(feature = "lsp")]
#[derive(Debug, Args)]
pub(super) struct LspArguments {
    /// Use standard input and output, which is always so; some editors add this flag.
    #[arg(long)]
    pub(super) stdio: bool,
    /// While a file has a syntax error, the findings of its last valid content stay for this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(super) keep: u64,
    /// Folder with downloaded Bicep modules [default: `formwork` in the user's cache folder].
    #[arg(long, value_name = "DIR")]
    pub(super) cache_dir: Option<PathBuf>,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// Folder that is checked; nothing outside of it is read [default: the current folder].
    #[arg(long, value_name = "FOLDER")]
    pub(super) root: Option<PathBuf>,
    /// Use this settings file, which may be outside of the root.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Folder with downloaded Bicep modules [default: `formwork` in the user's cache folder].
    #[arg(long, value_name = "DIR")]
    pub(super) cache_dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_fit_together() {
        Arguments::command().debug_assert();
    }
}
