//! Reports of a finished run: one module per format, and one [`render`] for all.
//!
//! A format writes a [`Report`] as text. It does not evaluate templates, access the terminal or the environment, or
//! determine the exit code.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod azure;
mod backticks;
pub mod brief;
mod concise;
mod console;
mod counted;
pub mod difference;
pub mod drift;
mod explanation;
mod fault;
mod file_list;
mod github;
mod gitlab;
mod html;
mod item;
mod json;
mod junit;
mod listed_trees;
mod markdown;
pub mod model;
mod rdjson;
mod read;
mod sarif;
mod tally;
mod test_results;
mod titles;
pub mod upgrades;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod schema_file;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;

use formwork_model::{diagnostic, parallel, text, value};

use crate::text::escape::{JsonText, Notation};

pub use self::counted::counted;
pub use self::explanation::Explanation;
pub use self::fault::{Fault, Sighting, Spread};
pub use self::fault::{failed as failed_faults, undecided as undecided_faults};
pub use self::file_list::short_names;
pub use self::json::{Written, read as read_report};
pub use self::model::Report;
pub use self::read::ReportError;
pub use self::sarif::{surplus as sarif_surplus, surplus_text as sarif_surplus_text};
pub use self::test_results::{SuiteResult, TestResult, render_test_results};

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Excerpts and explanations, for people at a terminal.
    Console,
    /// A line per finding.
    Concise,
    /// The verdict and the kinds of findings in a few lines, for coding agents.
    Brief,
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
    /// A page for a browser, which needs nothing else.
    Html,
    /// Logging commands, which Azure Pipelines turns into issues of the build.
    Azure,
}

impl Format {
    /// Every format, in the order of their documentation.
    pub const ALL: &[Self] = &[
        Self::Console,
        Self::Concise,
        Self::Brief,
        Self::Json,
        Self::Sarif,
        Self::Github,
        Self::Markdown,
        Self::Junit,
        Self::Rdjson,
        Self::Gitlab,
        Self::Azure,
        Self::Html,
    ];

    /// Returns the notation that prevents the report's text from being a command to a runner. `None` for the format
    /// that consists of commands.
    pub const fn notation(self) -> Option<Notation> {
        match self {
            Self::Console | Self::Concise | Self::Brief => Some(Notation::Plain),
            Self::Json | Self::Sarif | Self::Rdjson | Self::Gitlab => Some(Notation::Json),
            Self::Markdown | Self::Junit | Self::Html => Some(Notation::Markup),
            Self::Github | Self::Azure => None,
        }
    }

    /// Returns the name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Concise => "concise",
            Self::Brief => "brief",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::Junit => "junit",
            Self::Rdjson => "rdjson",
            Self::Gitlab => "gitlab",
            Self::Azure => "azure",
            Self::Html => "html",
        }
    }
}

impl Format {
    /// True if readers expect file names relative to the root of the repository.
    pub const fn has_repository_names(self) -> bool {
        matches!(self, Self::Sarif | Self::Gitlab | Self::Azure)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error for an unknown name of a format.
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

/// Options of a report, besides the run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// True to use colors, in the formats for people.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// True to list verdicts that passed (console, JSON) and, in the console, those that could not be decided.
    pub show_passed: bool,
    /// Version in machine-readable reports.
    pub tool_version: &'a str,
    /// Web page of the run, if it belongs to a workflow.
    pub run_url: Option<&'a str>,
    /// Longest Markdown page, in bytes.
    pub page: usize,
    /// The options of SARIF reports.
    pub sarif: SarifOptions<'a>,
    /// The options of brief reports.
    pub brief: BriefOptions,
}

/// The options of brief reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BriefOptions {
    /// Maximum number of kinds of findings.
    pub kinds: usize,
    /// Number of kinds that earlier answers have listed.
    pub cursor: usize,
    /// Maximum length, in bytes. What a change hides may exceed it.
    pub length: usize,
    /// Differences from the previous answer to the same reader.
    pub progress: Option<Progress>,
    /// True if the reader can ask for the kinds that are not listed.
    pub is_paged: bool,
}

/// Numbers of findings that differ from an earlier answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub fixed: usize,
    pub new: usize,
}

impl Default for BriefOptions {
    fn default() -> Self {
        let length = 2_000 * brief::BYTES_PER_TOKEN;
        Self { kinds: 20, cursor: 0, length, progress: None, is_paged: false }
    }
}

/// Default length of a Markdown page, in bytes. GitHub's limit for comments is 65,536 characters; the rest is for a
/// header or a footer.
pub const PAGE: usize = 60_000;

/// The options of SARIF reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct SarifOptions<'a> {
    /// True to omit accepted and suppressed findings, because code scanning opens alerts for them.
    pub open_only: bool,
    /// Category, which distinguishes this analysis from others of the same commit.
    pub category: Option<&'a str>,
    /// Names of files in their repository, by their names in the run. Other files keep the name of the run.
    pub names: Option<&'a BTreeMap<Arc<str>, String>>,
    /// Number of results beyond the limits, from [`sarif_surplus`]. Other reports mention it.
    pub surplus: usize,
}

impl Options<'_> {
    /// Returns the name of a file in its repository, or its name in the run if that is not known.
    fn name_in_repository<'a>(&'a self, name: &'a Arc<str>) -> &'a str {
        self.sarif.names.and_then(|names| names.get(name)).map_or(name, String::as_str)
    }
}

/// Writes a report in one format.
pub fn render(format: Format, report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    match format.notation() {
        Some(Notation::Json) => write_format(format, report, options, &mut JsonText::new(out)),
        _ => write_format(format, report, options, out),
    }
}

fn write_format(format: Format, report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Console => console::render(report, options, out),
        Format::Concise => concise::render(report, options, out),
        Format::Brief => brief::render(report, options, out),
        Format::Json => json::render(report, options, out),
        Format::Sarif => sarif::render(report, options, out),
        Format::Github => github::render(report, options, out),
        Format::Markdown => markdown::render(report, options, out),
        Format::Junit => junit::render(report, out),
        Format::Rdjson => rdjson::render(report, options, out),
        Format::Gitlab => gitlab::render(report, options, out),
        Format::Azure => azure::render(report, options, out),
        Format::Html => html::render(report, options, out),
    }
}

/// Prints problems and findings for people, without a summary, if a command ends before it has a result.
pub fn render_problems(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    console::render_problems(report, options, out)
}

/// Prints an explanation for people.
pub fn render_explanation(explanation: &Explanation, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    console::render_explanation(explanation, options, out)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::text::escape::Guarded;

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
            "unknown report format `xml`: expected `console`, `concise`, `brief`, `json`, `sarif`, `github`, `markdown`, \
             `junit`, `rdjson`, `gitlab`, `azure` or `html`"
        );
    }

    /// What runners take for a command in a text: GitHub's, after `ActionCommand.cs` of actions/runner, with any name,
    /// and that of Azure Pipelines.
    fn commands(text: &str) -> Vec<&str> {
        let is_command = |line: &&str| {
            let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
            let name = line.strip_prefix("::").and_then(|rest| rest.split_once("::")?.0.split(' ').next());
            let is_new = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphanumeric()));
            let after = |prefix| line.to_lowercase().split_once(prefix).is_some_and(|(_, rest)| rest.contains(']'));
            is_new || after("##[") || after("##vso[")
        };
        text.split(['\r', '\n']).filter(is_command).collect()
    }

    /// A report as it gets to a standard stream in pieces of some length.
    fn streamed(text: &str, notation: Notation, piece: usize) -> String {
        let mut out = Guarded::new(Vec::new(), notation);
        text.as_bytes().chunks(piece).for_each(|bytes| out.write_all(bytes).unwrap());
        String::from_utf8(out.into_inner()).unwrap()
    }

    /// The text that `&#x5b;` and the like stand for.
    fn unescaped(markup: &str) -> String {
        let byte = |hex: &str| u8::from_str_radix(hex, 16).map(char::from).unwrap_or_default().to_string();
        let entity = regex::Regex::new("&#x([0-9a-f]{2});").unwrap();
        entity.replace_all(markup, |found: &regex::Captures<'_>| byte(&found[1])).into_owned()
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_commands_a_runner_in_any_format(
            run in sample::any_run(),
            color in any::<bool>(),
            piece in 1..40_usize,
        ) {
            for &format in Format::ALL {
                let Some(notation) = format.notation() else { continue };
                let text = sample::render(format, &run, color, true);
                let shown = streamed(&text, notation, piece);
                prop_assert_eq!(commands(&shown), Vec::<&str>::new(), "{}", format);
                match notation {
                    Notation::Plain => {}
                    Notation::Json => {
                        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                        prop_assert_eq!(parsed(&shown), parsed(&text));
                    }
                    Notation::Markup => prop_assert_eq!(unescaped(&shown), unescaped(&text)),
                }
            }
        }

        #[test]
        fn no_text_of_a_template_is_obeyed_by_a_terminal_in_any_format(run in sample::any_run()) {
            for &format in Format::ALL {
                let text = sample::render(format, &run, false, true);
                prop_assert_eq!(sample::obeyed_by_a_terminal(&text, false), None, "{}", format);
            }
        }

        #[test]
        fn no_text_at_all_commands_a_runner_in_a_guarded_stream(text in sample::any_text(), piece in 1..5_usize) {
            let shown = streamed(&text, Notation::Plain, piece);
            prop_assert_eq!(commands(&shown), Vec::<&str>::new());
        }
    }

    #[test]
    fn a_command_is_written_in_another_way_and_other_text_is_not() {
        let check = |text, expected: &str| assert_eq!(streamed(text, Notation::Plain, 1), expected);
        check("::error::x", "::\\u{65}rror::x");
        check("a\n \t\u{a0}::error::x", "a\n \t\u{a0}::\\u{65}rror::x");
        check("a ##[error]b ##vSo[c]", "a ##\\u{5b}error]b ##vSo\\u{5b}c]");
        check("###[x] ####vso[x]", "###\\u{5b}x] ####vso\\u{5b}x]");
        for plain in
            ["a::b", "\x1b[31m::x", "# #[a] ##v[b] ##vs[c] #[d]", ": :a", "::", "  ::: a.json:1:1", "::::error::"]
        {
            check(plain, plain);
        }
        assert_eq!(streamed("\"##[a]\"", Notation::Json, 3), "\"##\\u005ba]\"");
        assert_eq!(streamed("<a>##[b]</a>", Notation::Markup, 3), "<a>##&#x5b;b]</a>");
    }
}
