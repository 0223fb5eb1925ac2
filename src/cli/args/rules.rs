//! The flags of `formwork rules`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::check::{parse_output, parse_profile};
use crate::cli::args::filter::Filter;
use crate::cli::args::settings::{RuleFiles, SettingArguments};
use crate::cli::args::{BicepArguments, TemplateArguments};
use crate::cli::terminal::Color;
use crate::config::Profile;
use crate::report::Format;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum RulesCommand {
    /// List the rules.
    List(RulesListArguments),
    /// Print everything about a rule.
    Show(RulesShowArguments),
    /// Write a new rule and its samples.
    ///
    /// The rule requires a value of a property. The samples have marks below what it reports, with which `rules test --rules` passes.
    New(RulesNewArguments),
    /// Check rule files for errors, without running the rules.
    Lint(RulesLintArguments),
    /// Generate a Guard ruleset from a template.
    ///
    /// The rules require every property to have one of the values that it has in the template.
    Gen(RulesGenArguments),
    /// Run rules on sample templates, and compare the findings with marks in the samples.
    ///
    /// Files with unit tests of Guard rules or Azure policies are run instead, if there are any.
    ///
    /// A mark is a comment with carets below the text that must be reported. The samples pass if every mark is reported,
    /// and nothing else is. Exits with code 0 if all samples pass, 1 if a sample fails, and 2 if the rules are invalid or
    /// there are no samples.
    Test(RulesTestArguments),
    /// Print the JSON schema of rule files, for editors.
    Schema,
}

/// Output formats of `rules list`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum ListFormat {
    /// A table for the terminal
    #[default]
    Console,
    /// A JSON array of objects
    Json,
    /// A page with a table for each service
    Markdown,
}

/// Output formats of `rules show`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum PageFormat {
    /// Text for the terminal
    #[default]
    Console,
    /// A page in Markdown
    Markdown,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesListArguments {
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Format of the list.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(in crate::cli) format: ListFormat,
    /// Show the rules of other tools that find the same.
    ///
    /// Those of Template Analyzer, PSRule for Azure, checkov, cfn-nag, and the AWS Guard Rules Registry. A rule marked with
    /// "part" finds less; one marked with "some resources" looks at fewer resources. `--map cfn-lint` lists the rules of
    /// cfn-lint instead, and what reports the same.
    #[arg(long, value_name = "TOOL", num_args = 0..=1, default_missing_value = "all")]
    pub(in crate::cli) map: Option<MappedTool>,
    /// The rules that run with this profile: default, security, reliability, cost, or all [default: all].
    #[arg(long, value_name = "PROFILE", value_parser = parse_profile)]
    pub(in crate::cli) profile: Option<Profile>,
    #[command(flatten)]
    pub(in crate::cli) filter: Filter,
    #[command(flatten)]
    pub(in crate::cli) rules: SettingArguments<RuleFiles>,
}

/// Tools whose rules are compared with ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum MappedTool {
    /// Show each of our rules with those of all tools.
    All,
    /// Show each rule of cfn-lint.
    CfnLint,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesShowArguments {
    /// ID or name of the rule, for example AZ-STORAGE-003, `secret/output`, or Deployment.SecretOutput; `*` stands for any
    /// characters.
    #[arg(value_name = "RULE")]
    pub(in crate::cli) id: String,
    /// Format of the page.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(in crate::cli) format: PageFormat,
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) rules: SettingArguments<RuleFiles>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesNewArguments {
    /// ID of the rule, for example ACME-001. It should never change.
    #[arg(value_name = "ID")]
    pub(in crate::cli) id: String,
    /// Name of the rule, for example AppService.HttpsOnly.
    #[arg(value_name = "NAME")]
    pub(in crate::cli) name: String,
    /// Type of the resources to look at, for example Microsoft.Web/sites.
    #[arg(long = "type", value_name = "TYPE")]
    pub(in crate::cli) type_name: String,
    /// Path of the property, for example properties.httpsOnly.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) path: String,
    /// The value that it should have, as JSON.
    #[arg(long, value_name = "VALUE")]
    pub(in crate::cli) value: String,
    /// API version of the resources in the samples.
    #[arg(long, value_name = "VERSION", default_value = "2024-01-01")]
    pub(in crate::cli) api_version: String,
    /// Folder of the rules.
    #[arg(long, value_name = "FOLDER", default_value = "rules")]
    pub(in crate::cli) dir: PathBuf,
    /// Folder of the samples.
    #[arg(long, value_name = "FOLDER", default_value = "tests/rules")]
    pub(in crate::cli) tests: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesLintArguments {
    /// Rule files, or folders of rule files.
    #[arg(value_name = "PATH", required = true)]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(in crate::cli) color: Color,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesGenArguments {
    #[command(flatten)]
    pub(in crate::cli) template: TemplateArguments,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesTestArguments {
    /// Folders of sample templates, or single samples.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(in crate::cli) dirs: Vec<PathBuf>,
    /// Rule file, or folder of rule files, to test.
    ///
    /// Can be repeated. Without it, the rules of the settings are tested, or the built-in rules if the settings have none.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) rules: Vec<PathBuf>,
    /// File or folder of Azure policies to test.
    ///
    /// Can be repeated. Samples are judged by these policies, and by no rules without --rules. Unit tests of policies use those of
    /// the settings without it, or those in the folder of the tests if the settings have none.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) policy: Vec<PathBuf>,
    /// Also write the results to a file for a test dashboard, for example `--output junit=results.xml`.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_results)]
    pub(in crate::cli) output: Vec<(Format, PathBuf)>,
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) bicep: BicepArguments,
}

/// Parses the value of a flag.
fn parse_results(text: &str) -> Result<(Format, PathBuf), String> {
    match parse_output(text)? {
        (Format::Junit, path) => Ok((Format::Junit, path)),
        (other, _) => Err(format!("results of tests cannot be written as `{other}`; expected `junit=FILE`")),
    }
}
