//! The arguments of `formwork upgrade`.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::Args;

use crate::cli::args::BicepArguments;
use crate::cli::args::check::{parse_threads, parse_today};
use crate::cli::terminal::Color;

pub(super) const AFTER_LONG_HELP: &str = "\
Examples:
  formwork upgrade                       What can move in the current folder, and what has to stay
  formwork upgrade infra --write         The same for a folder, and change what can move
  formwork upgrade --check               Exit with code 1 if something can move
  formwork upgrade --type Microsoft.Storage/storageAccounts --to 2023-05-01
  formwork upgrade --to newest --min-age 0 --preview";

/// Days ago that a version must have been published, unless the user says otherwise.
pub(in crate::cli) const MIN_AGE: u16 = 90;

/// Output formats of `upgrade`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum UpgradeFormat {
    /// Versions by file, for people
    #[default]
    Console,
    /// A section of a page on GitHub
    Markdown,
    /// A JSON object, for programs
    Json,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct UpgradeArguments {
    /// Files and folders with templates [default: the current folder].
    #[arg(value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// Change the versions that are safe.
    ///
    /// Only versions are changed. Before anything is written, the changed files are expanded: if a deployment
    /// differs in anything but versions, no file is changed, and the command exits with code 3.
    #[arg(long, conflicts_with = "check")]
    pub(in crate::cli) write: bool,
    /// Exit with code 1 if a version can be raised.
    #[arg(long)]
    pub(in crate::cli) check: bool,
    /// The version to move to: `fits`, `newest`, or a version such as 2023-05-01.
    ///
    /// `fits` is the newest stable version that all resources fit. `newest` is the newest stable version, or none; a preview
    /// still moves to the newest stable version that its resources fit.
    #[arg(long, value_name = "VERSION", default_value = "fits")]
    pub(in crate::cli) to: String,
    /// Move to previews, too.
    #[arg(long)]
    pub(in crate::cli) preview: bool,
    /// Only raise versions of this resource type. Can be repeated.
    #[arg(long = "type", value_name = "TYPE")]
    pub(in crate::cli) types: Vec<String>,
    /// How many days ago a version must have been published, by the date in its name.
    ///
    /// Azure lists a version before all its regions have it.
    #[arg(long, value_name = "DAYS", default_value_t = MIN_AGE)]
    pub(in crate::cli) min_age: u16,
    /// The date that ages are counted from, for repeatable results [default: today].
    #[arg(long, value_name = "DATE", value_parser = parse_today)]
    pub(in crate::cli) today: Option<NaiveDate>,
    /// Format of the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub(in crate::cli) format: UpgradeFormat,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub(in crate::cli) color: Color,
    /// Use this settings file, or the one of this folder.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository. With a folder, it looks there and in the parents of it.
    #[arg(long, value_name = "FILE", help_heading = "Inputs")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Number of threads to use [default: one per processor].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = parse_threads)]
    pub(in crate::cli) threads: usize,
    #[command(flatten)]
    pub(in crate::cli) bicep: BicepArguments,
}
