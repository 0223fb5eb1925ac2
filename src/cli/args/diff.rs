//! The arguments of `formwork diff`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::check::{parse_severity, parse_threads};
use crate::cli::args::{BicepArguments, ConfigSide};
use crate::cli::terminal::Color;
use crate::diagnostic::Severity;

pub(super) const AFTER_LONG_HELP: &str = "\
Examples:
  formwork diff                          The working tree, compared with the last commit
  formwork diff origin/main              Everything since this branch left origin/main
  formwork diff origin/main infra        The same, only for the deployments in a folder
  formwork diff v1.0..v1.1               Two commits
  formwork diff --staged --exit-code     The next commit; exits with code 1 if it deploys anything else
  formwork diff old.json new.json        Two files, or two folders, with or without git

Two arguments that are both files or folders are OLD and NEW. To compare two paths with the last commit, name it:
`formwork diff HEAD network storage`.";

/// Output formats of `diff`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum DiffFormat {
    /// Resources and properties, for people
    #[default]
    Console,
    /// A section of a page on GitHub
    Markdown,
    /// A page for a browser, which needs nothing else
    Html,
    /// A JSON object, for programs
    Json,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArguments {
    /// OLD and NEW, or BASE[..HEAD] and the paths to compare.
    ///
    /// Two files or two folders are compared with each other. Otherwise the first argument, if it is not a path, names the
    /// old state in git: BASE stands for the commit at which the current branch left it, and is compared with the working
    /// tree. BASE..HEAD are two commits, and BASE...HEAD begins where HEAD left BASE. Without BASE, the last commit is
    /// compared with the working tree. Without paths, the current folder is compared.
    #[arg(value_name = "BASE|PATH")]
    pub(in crate::cli) what: Vec<PathBuf>,
    /// Compare with the staged content of the files instead of the working tree.
    #[arg(long)]
    pub(in crate::cli) staged: bool,
    /// Expand all deployments, not only those that the change can touch.
    ///
    /// In git, a deployment is expanded if the change touches one of its files, or a file that it is compiled from, links
    /// to, or loads. The others are the same on both sides.
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Exit with code 1 if anything differs.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) exit_code: bool,
    /// Exit with code 1 if the change has a risk of this severity or higher.
    ///
    /// A table says what is a risk: data that are deleted, resources that are replaced or cannot be changed, access that
    /// opens, encryption that becomes weaker, and locks and backups that go away.
    #[arg(long, value_parser = parse_severity, value_name = "SEVERITY", help_heading = "Output")]
    pub(in crate::cli) fail_on_risk: Option<Severity>,
    /// Format of the difference.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub(in crate::cli) format: DiffFormat,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub(in crate::cli) color: Color,
    /// Use this settings file, or the one of this folder.
    ///
    /// Without it, formwork looks for `formwork.yaml` in the current folder and its parents, up to the root of the
    /// repository. With a folder, it looks there and in the parents of it.
    #[arg(long, value_name = "FILE", help_heading = "Inputs")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Whose settings count.
    ///
    /// With `base`, `formwork.yaml`, `ps-rule.yaml`, and `bicepconfig.json` come from the newest commit of BASE, or from the
    /// last commit without it; in a workflow, from that of the base of its event. What the change does to them counts once
    /// it is merged. For two files or folders, the base is that of `formwork check --changed=auto`.
    #[arg(long, value_enum, value_name = "SIDE", default_value_t, help_heading = "Inputs")]
    pub(in crate::cli) config_from: ConfigSide,
    /// Number of threads to use [default: one per processor].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = parse_threads)]
    pub(in crate::cli) threads: usize,
    #[command(flatten)]
    pub(in crate::cli) bicep: BicepArguments,
}
