//! The arguments of `merge`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::check::{FailOnScope, parse_category, parse_format, parse_output};
use crate::cli::args::settings::{Merge, SettingArguments};
use crate::cli::terminal::Color;
use crate::report::Format;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct MergeArguments {
    /// JSON reports of all parts, and folders with such reports.
    #[arg(value_name = "REPORT", required = true)]
    pub(in crate::cli) reports: Vec<PathBuf>,
    /// Do not show notices.
    #[arg(long, short)]
    pub(in crate::cli) quiet: bool,
    /// Fail if nothing was checked.
    #[arg(long, help_heading = "Inputs")]
    pub(in crate::cli) require_inputs: bool,
    /// Format of the report on standard output: concise, brief, json, sarif, github, markdown, html, junit,
    /// rdjson, gitlab, or azure.
    ///
    /// The format `console` is for a check.
    #[arg(long, value_name = "FORMAT", default_value = "concise", value_parser = parse_format_of_merge, help_heading = "Output")]
    pub(in crate::cli) format: Format,
    /// Also write the report to a file, for example `--output sarif=report.sarif`.
    ///
    /// The formats are those of --format. Can be repeated.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_output_of_merge, help_heading = "Output")]
    pub(in crate::cli) output: Vec<(Format, PathBuf)>,
    /// When to use colors.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub(in crate::cli) color: Color,
    /// Also report verdicts that could not be decided, with the reason.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) show_unknown: bool,
    /// Category of the SARIF report, as for `formwork check`.
    #[arg(long, value_name = "NAME", value_parser = parse_category, help_heading = "Output")]
    pub(in crate::cli) category: Option<String>,
    /// Omit accepted and suppressed findings from SARIF reports, as for `formwork check`.
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) code_scanning: bool,
    /// Which findings count towards the exit code. `changed` needs reports of checks with `--changed`.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t, help_heading = "Output")]
    pub(in crate::cli) fail_on_scope: FailOnScope,
    #[command(flatten)]
    pub(in crate::cli) settings: SettingArguments<Merge>,
}

fn parse_format_of_merge(text: &str) -> Result<Format, String> {
    refuse_console(parse_format(text)?)
}

fn parse_output_of_merge(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, path) = parse_output(text)?;
    Ok((refuse_console(format)?, path))
}

fn refuse_console(format: Format) -> Result<Format, String> {
    match format {
        Format::Console => Err("`console` is a format for a check; use `concise` or `markdown`".to_owned()),
        other => Ok(other),
    }
}
