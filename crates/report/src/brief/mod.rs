//! A short report for coding agents: the verdict, what a change hides, and kinds of findings, the worst first.
//!
//! # Invariants
//!
//! - Text of a template is only in JSON strings, which have no control characters, markup, or backticks.
//! - `CLEAN` means that everything was read and checked.
//! - What a change hides is always listed; only kinds of findings are cut.

mod hides;
mod kind;
mod quote;
mod verdict;

use std::io;

use crate::brief::kind::{Kind, kinds};
use crate::counted::counted;
use crate::model::Report;
use crate::{BriefOptions, Options};

pub use self::kind::kind_id;
pub use self::quote::{Words, file as quoted_file, message as quoted_message, quoted};

/// Number of bytes that count as a token.
pub const BYTES_PER_TOKEN: usize = 4;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(text(report, &options.brief).as_bytes())
}

/// Returns the report as text.
pub fn text(report: &Report, options: &BriefOptions) -> String {
    let kinds = kinds(report);
    let file = only_file(report, &kinds);
    let mut text = verdict::line(report, &kinds, file, options);
    for line in hides::lines(report, options.length / 2) {
        push_line(&mut text, &line);
    }
    let shown: Vec<&Kind<'_>> = kinds.iter().filter(|kind| !kind.is_counted_only(report)).collect();
    let mut listed = 0;
    for kind in shown.iter().skip(options.cursor).take(options.kinds) {
        let line = kind.line(report, file);
        if text.len() + line.len() + ROOM > options.length && listed > 0 {
            break;
        }
        push_line(&mut text, &line);
        listed += 1;
    }
    if let Some(line) = rest(&kinds, &shown, listed, options) {
        push_line(&mut text, &line);
    }
    text
}

/// Returns `true` if the report lists something that a change hides.
pub fn hides_something(report: &Report) -> bool {
    !hides::lines(report, 0).is_empty()
}

/// Number of bytes that are kept for the last line.
const ROOM: usize = 120;

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Returns the only file with findings of a report on one template, which need not be named in each line.
fn only_file<'a>(report: &Report, kinds: &[Kind<'a>]) -> Option<&'a str> {
    let mut files = kinds.iter().flat_map(Kind::files);
    let first = files.next()?;
    (report.summary.templates == 1 && files.all(|file| file == first)).then_some(first)
}

/// Describes the kinds that are not listed: `not shown: 3 kinds (2 low); cursor: 3`. `None` if all are.
fn rest(kinds: &[Kind<'_>], shown: &[&Kind<'_>], listed: usize, options: &BriefOptions) -> Option<String> {
    let before = options.cursor.min(shown.len());
    let left: Vec<&Kind<'_>> = shown.iter().skip(before + listed).copied().collect();
    let counted_only = kinds.len() - shown.len();
    if before == 0 && left.is_empty() && counted_only == 0 {
        return None;
    }
    let mut parts = Vec::new();
    if before > 0 {
        parts.push(format!("{} before", counted(before, "kind")));
    }
    if !left.is_empty() {
        let low = left.iter().filter(|kind| kind.is_low()).count();
        let of_low = if low > 0 { format!(" ({low} low)") } else { String::new() };
        let more = counted(left.len(), "kind") + &of_low;
        parts.push(if options.is_paged { format!("{more}; cursor: {}", before + listed) } else { more });
    }
    if counted_only > 0 {
        let flag = if options.is_paged { "min_severity \"low\"" } else { "--min-severity low" };
        parts.push(format!("{} of low severity, with {flag}", counted(counted_only, "kind")));
    }
    Some(format!("not shown: {}", parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Format, sample};

    #[test]
    fn the_verdict_and_the_counts_come_first() {
        let check = |run: &crate::diagnostic::Run, expected: &str| {
            let text = sample::render(Format::Brief, run, false, false);
            assert!(text.starts_with(expected), "{text}");
        };
        let unread = "INCOMPLETE 1 input could not be read or built; ";
        check(&sample::run(), &format!("{unread}1 high, 2 medium, 1 low (2 templates, 5 resources)"));
        check(&sample::syntax_errors(), "INCOMPLETE 2 inputs could not be read or built; no findings (2 templates, ");
        check(&sample::empty(), "CLEAN no findings (2 templates, 5 resources)\n");
    }

    #[test]
    fn a_list_of_what_a_change_hides_is_summed_up_and_not_cut() {
        let gone = |at: usize| crate::model::NoLongerDeployed {
            template: "main.bicep".into(),
            type_name: format!("Microsoft.Storage/type{}", at % 40),
            name: format!("st{at}"),
        };
        let mut report = sample::report(&sample::run());
        report.no_longer_deployed = (0..2).map(gone).collect();
        let short = text(&report, &BriefOptions::default());
        assert!(short.contains("\n- no longer deployed: Microsoft.Storage/type1 \"st1\" of main.bicep\n"), "{short}");
        report.no_longer_deployed = (0..4_000).map(gone).collect();
        let long = text(&report, &BriefOptions::default());
        assert!(long.contains("\n- no longer deployed: 100 resources of Microsoft.Storage/type0\n"), "{long}");
        assert!(long.contains("\n- 1000 further resources that are no longer deployed\n"), "{long}");
        assert!(long.len() <= 8_000, "{}", long.len());
    }

    #[test]
    fn kinds_are_paged() {
        let report = sample::report(&sample::run());
        let all = kinds(&report).len();
        let options = BriefOptions { kinds: 1, is_paged: true, ..BriefOptions::default() };
        let pages = (0..all).map(|cursor| text(&report, &BriefOptions { cursor, ..options }));
        let lines: Vec<String> = pages.filter_map(|page| page.lines().nth(1).map(str::to_owned)).collect();
        let whole = text(&report, &BriefOptions { kinds: 100, ..options });
        assert!(lines.iter().all(|line| whole.contains(line.as_str())), "{whole}");
        assert!(text(&report, &options).contains(&format!("not shown: {} kinds", all - 1)));
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_is_markup(run in sample::any_run()) {
            let text = sample::render(Format::Brief, &run, false, true).replace("\" -> \"", "");
            prop_assert!(!text.contains(['<', '>', '`', '\u{feff}', '\u{202e}']), "{text}");
        }
    }
}
