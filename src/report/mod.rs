//! Reports of a finished run: one module per format, and one [`render`] for all.
//!
//! A report reads a [`Run`] and writes text. It does not evaluate templates, access the terminal or the environment, or
//! determine the exit code. Spans become lines and columns here; see [`source_range`].

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod azure;
mod concise;
mod console;
mod explanation;
mod file_list;
mod github;
mod gitlab;
mod item;
mod json;
mod junit;
mod markdown;
mod part;
mod rdjson;
#[cfg(feature = "cli")]
mod read;
mod sarif;
mod source_range;
mod tally;

#[cfg(test)]
mod sample;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;

use crate::diagnostic::Run;
use crate::text::Sources;

pub(crate) use self::explanation::Explanation;
#[cfg(feature = "github")]
pub(crate) use self::file_list::short_names;
#[cfg(feature = "cli")]
pub(crate) use self::read::{ReportError, bounded, read as read_report};
pub(crate) use self::sarif::{surplus as sarif_surplus, surplus_text as sarif_surplus_text};
pub(crate) use self::tally::counted;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Excerpts and explanations, for people at a terminal.
    Console,
    /// One line for each finding.
    Concise,
    /// The stable machine-readable report.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands, which GitHub turns into annotations.
    Github,
    /// A summary for a job page or a pull request.
    Markdown,
    /// `JUnit` XML, for test dashboards.
    Junit,
    /// The Reviewdog Diagnostic Format, for reviewdog.
    Rdjson,
    /// A Code Quality report, for merge requests on GitLab.
    Gitlab,
    /// Logging commands, which Azure Pipelines turns into issues of the build.
    Azure,
}

impl Format {
    /// Every format, in the order of their documentation.
    pub const ALL: &[Self] = &[
        Self::Console,
        Self::Concise,
        Self::Json,
        Self::Sarif,
        Self::Github,
        Self::Markdown,
        Self::Junit,
        Self::Rdjson,
        Self::Gitlab,
        Self::Azure,
    ];

    /// The name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::Junit => "junit",
            Self::Rdjson => "rdjson",
            Self::Gitlab => "gitlab",
            Self::Azure => "azure",
        }
    }
}

impl Format {
    /// Whether its readers know files by their names from the root of the repository.
    pub(crate) const fn has_repository_names(self) -> bool {
        matches!(self, Self::Sarif | Self::Gitlab | Self::Azure)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a name that is not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown report format `{name}`: expected {}", names())]
pub struct UnknownFormat {
    name: String,
}

fn names() -> String {
    let quoted: Vec<String> = Format::ALL.iter().map(|each| format!("`{each}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let mut formats = Self::ALL.iter().copied();
        formats.find(|format| format.as_str() == name).ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// What a report depends on in addition to the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// Whether to use colors. Only the formats for people have them.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether verdicts that passed are listed (console, JSON), and in the console those that could not be decided.
    pub show_passed: bool,
    /// The version that machine-readable reports name.
    pub tool_version: &'a str,
    /// Where people find the run, if it is one of a workflow.
    pub run_url: Option<&'a str>,
    /// The options of SARIF reports.
    pub sarif: SarifOptions<'a>,
}

/// The options of SARIF reports for code scanning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SarifOptions<'a> {
    /// The category, which distinguishes this analysis from others of the same commit.
    pub category: Option<&'a str>,
    /// The names that files have in their repository, by those that the run has for them. A file that is not listed
    /// keeps the name of the run.
    pub names: Option<&'a BTreeMap<Arc<str>, String>>,
    /// The number of results that exceed the limits, from [`sarif_surplus`]. Other reports mention it.
    pub surplus: usize,
}

impl Options<'_> {
    /// The name that a file has in its repository, if it is known, by the name that the run has for it.
    fn name_in_repository<'a>(&'a self, name: &'a Arc<str>) -> &'a str {
        self.sarif.names.and_then(|names| names.get(name)).map_or(name, String::as_str)
    }
}

/// Writes `run` in one format.
pub(crate) fn render(format: Format, run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Console => console::render(run, options, out),
        Format::Concise => concise::render(run, options, out),
        Format::Json => json::render(run, options, out),
        Format::Sarif => sarif::render(run, options, out),
        Format::Github => github::render(run, options, out),
        Format::Markdown => markdown::render(run, options, out),
        Format::Junit => junit::render(run, out),
        Format::Rdjson => rdjson::render(run, options, out),
        Format::Gitlab => gitlab::render(run, options, out),
        Format::Azure => azure::render(run, options, out),
    }
}

/// Writes the diagnostics and findings of `run` for people, without a summary: for problems that end a command before
/// there is a result.
pub(crate) fn render_problems(run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    console::render_problems(run, options, out)
}

/// Writes an explanation for people.
pub(crate) fn render_explanation(
    explanation: &Explanation,
    sources: &Sources,
    options: &Options<'_>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    console::render_explanation(explanation, sources, options, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_found_by_its_name() {
        for &format in Format::ALL {
            assert_eq!(format.as_str().parse(), Ok(format));
        }
    }

    #[test]
    fn an_unknown_format_is_answered_with_the_names_there_are() {
        let error = "xml".parse::<Format>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown report format `xml`: expected `console`, `concise`, `json`, `sarif`, `github`, `markdown`, \
             `junit`, `rdjson`, `gitlab` or `azure`"
        );
    }
}
