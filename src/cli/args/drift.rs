//! The arguments of `formwork drift`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::check::parse_threads;
use crate::cli::args::{BicepArguments, InputArguments};

pub(super) const AFTER_LONG_HELP: &str = "\
Examples:
  formwork drift main.bicep --against live.json --parameters prod.bicepparam
  formwork drift infra --against live.json --exit-code
  formwork drift stack.yaml --against buckets.json --against queues.json

An export of Azure:
  az resource list -g GROUP --query '[].id' -o tsv | xargs az resource show --ids > live.json
An export of AWS:
  aws cloudcontrol list-resources --type-name AWS::S3::Bucket > buckets.json";

/// Output formats of `drift`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum DriftFormat {
    /// Resources that differ, for people
    #[default]
    Console,
    /// A section of a page on GitHub
    Markdown,
    /// A JSON object, for programs
    Json,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DriftArguments {
    /// Templates, parameter files of templates, and folders with them [default: the current folder].
    #[arg(value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// An export of the resources that exist. Can be repeated.
    ///
    /// A JSON file with resources as `az resource show`, `az graph query`, `Get-AzResource`, or `Export-AzRuleData` write
    /// them, or the output of `aws cloudcontrol get-resource` or `list-resources`.
    #[arg(long, value_name = "FILE", required = true)]
    pub(in crate::cli) against: Vec<PathBuf>,
    /// Exit with code 1 if a resource differs or is missing.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) exit_code: bool,
    /// With `--exit-code`, also count resources that are in no template.
    #[arg(long, requires = "exit_code", help_heading = "Output")]
    pub(in crate::cli) unmanaged: bool,
    /// List values that cannot be compared, and properties that the templates do not set.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) all: bool,
    /// Format of the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub(in crate::cli) format: DriftFormat,
    /// Number of threads to use [default: one per processor].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = parse_threads)]
    pub(in crate::cli) threads: usize,
    #[command(flatten)]
    pub(in crate::cli) inputs: InputArguments,
    #[command(flatten)]
    pub(in crate::cli) bicep: BicepArguments,
}
