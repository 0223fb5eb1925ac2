//! The flags of `formwork policy`.

use clap::{Args, Subcommand};

use crate::cli::args::TemplateArguments;
use crate::cli::args::settings::{Policy, SettingArguments};

const EXPLAIN_AFTER_LONG_HELP: &str = "\
Examples:
  formwork policy explain deny-public-ip main.bicep
  formwork policy explain deny-public-ip main.bicep store
  formwork policy explain deny-public-ip main.bicep --policy policies";

#[derive(Debug, Args)]
pub(in crate::cli) struct PolicyArguments {
    #[command(subcommand)]
    pub(in crate::cli) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PolicyCommand {
    /// Show why an Azure policy does what it does with the resources of a template.
    ///
    /// Prints the conditions of the policy with the value of each, the properties of the resource that they look at, and the
    /// values of the parameters with what gives them. The policies are those of the settings and of --policy. Secrets are not
    /// printed.
    #[command(after_long_help = EXPLAIN_AFTER_LONG_HELP)]
    Explain(Box<PolicyExplainArguments>),
}

/// Output formats of `policy explain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum PolicyFormat {
    /// A tree of conditions, for people
    #[default]
    Console,
    /// One JSON object per line for each resource and definition
    Json,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PolicyExplainArguments {
    // The first two are declared before `template`, whose help headings would apply to them otherwise.
    /// Name, ID, or title of an assignment, or of a definition that is assigned.
    #[arg(value_name = "ASSIGNMENT")]
    pub(in crate::cli) assignment: String,
    /// Explain only these resources, by name, symbolic name, type, or ID.
    ///
    /// They are explained even if the policy does not apply to them. Without this argument, all resources that it applies to are
    /// explained.
    #[arg(value_name = "RESOURCE", index = 3)]
    pub(in crate::cli) resource: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) template: TemplateArguments,
    #[command(flatten)]
    pub(in crate::cli) policies: SettingArguments<Policy>,
    /// Format of the explanation.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub(in crate::cli) format: PolicyFormat,
}
