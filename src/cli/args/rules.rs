//! The flags of `formwork rules`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::{BicepArguments, RuleArguments, TemplateArguments};
use crate::cli::terminal::Color;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum RulesCommand {
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
pub(in crate::cli) enum ListFormat {
    /// A table
    #[default]
    Console,
    /// A JSON array
    Json,
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
    /// "part" finds less; one marked with "some resources" looks at fewer resources.
    #[arg(long)]
    pub(in crate::cli) map: bool,
    #[command(flatten)]
    pub(in crate::cli) rules: RuleArguments,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RulesShowArguments {
    /// ID or name of the rule, for example AZ-STORAGE-003, `secret/output`, or Deployment.SecretOutput.
    #[arg(value_name = "RULE")]
    pub(in crate::cli) id: String,
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) rules: RuleArguments,
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
    /// Use this settings file.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) bicep: BicepArguments,
}
