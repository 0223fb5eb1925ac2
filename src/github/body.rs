//! The comment on a line: what is wrong, how to fix it, and where it comes from.

use std::collections::BTreeMap;

use crate::diagnostic::Severity;
use crate::github::marker::{self, Category, Marker};
use crate::github::page::{Links, Page, linked};
use crate::github::report::{Finding, Rule};
use crate::report::markdown::{code, paragraph, prose};
use crate::report::{short_names, visible};
use crate::text::cut;

/// GitHub refuses 65 536 characters.
const MAX_COMMENT: usize = 60_000;

/// A longer message is cut, in bytes.
const MAX_MESSAGE: usize = 1_000;

/// Most places that are listed as related.
const MAX_RELATED: usize = 5;

/// Longest suggestion, in bytes.
const MAX_SUGGESTION: usize = 20_000;

/// What all texts of one plan are written with.
#[derive(Clone, Debug)]
pub(super) struct Style<'a> {
    pub(super) category: Category,
    pub(super) links: Links<'a>,
    pub(super) rules: BTreeMap<&'a str, &'a Rule>,
}

/// Why a comment does not hold any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// Its finding is not found any more.
    Fixed,
    /// Its finding is accepted.
    Suppressed,
    /// An older comment says the same.
    Duplicate,
}

impl Style<'_> {
    /// The comment on a finding, with a suggestion where its lines are those of the fix.
    pub(super) fn comment(&self, finding: &Finding, is_fix: bool) -> String {
        let marker = self.category.open(&finding.fingerprint, &self.digest(finding));
        let mut page = Page::new(MAX_COMMENT - marker.len());
        page.push(&self.content(finding));
        if let Some(related) = self.related(finding) {
            page.push(&related);
        }
        let fix = finding.fix.as_ref().filter(|_| is_fix);
        if let Some(suggestion) = fix.and_then(|it| suggestion(&it.replacement)) {
            page.push(&suggestion);
        }
        page.into_text() + &marker
    }

    /// Tells whether a comment has to be written again. Lines take no part: when they move, GitHub moves the comment.
    pub(super) fn digest(&self, finding: &Finding) -> String {
        let replacement = finding.fix.as_ref().map_or("", |it| &it.replacement);
        marker::digest(&[&self.content(finding), replacement])
    }

    /// The comment `old` on a finding that is gone.
    pub(super) fn gone(&self, fingerprint: &str, old: &str, gone: Gone) -> String {
        let marker = self.category.fixed(fingerprint);
        let mut page = Page::new(MAX_COMMENT - marker.len() - FOLD_END.len());
        let commit = self.links.commit();
        page.push(&match gone {
            Gone::Fixed => format!("Fixed in {commit}.\n\n"),
            Gone::Suppressed => format!("Suppressed as of {commit}.\n\n"),
            Gone::Duplicate => "Another comment says the same.\n\n".to_owned(),
        });
        let old = foldable(old);
        if !old.is_empty() {
            page.push("<details><summary>What was found</summary>\n\n");
            for line in old {
                page.push(&format!("{line}\n"));
            }
            page.widen(FOLD_END.len());
            page.push(FOLD_END);
        }
        page.into_text() + &marker
    }

    /// The part of a comment that does not hang on lines.
    fn content(&self, finding: &Finding) -> String {
        let rule = self.rules.get(finding.rule.as_str());
        let mut text = format!("**{}** · {}", capitalised(finding.severity), self.rule(finding));
        if !finding.name.is_empty() && finding.name != finding.rule {
            text += &format!(" · {}", prose(&finding.name));
        }
        text += &format!("\n\n{}\n\n", paragraph(&cut(&finding.message, MAX_MESSAGE)));
        if let Some(recommendation) = rule.and_then(|it| it.recommendation.as_deref()) {
            text += &format!("How to fix: {}\n\n", prose(&cut(recommendation, MAX_MESSAGE)));
        }
        if let Some(about) = about(finding) {
            text += &format!("<sub>{about}</sub>\n\n");
        }
        text
    }

    /// The id of the rule of a finding, linked to its page.
    pub(super) fn rule(&self, finding: &Finding) -> String {
        let rule = self.rules.get(finding.rule.as_str());
        let uri = rule.and_then(|it| it.help_uri.as_deref()).filter(|it| it.starts_with("https://"));
        linked(uri, &code(&finding.rule))
    }

    /// Where the value came from.
    fn related(&self, finding: &Finding) -> Option<String> {
        let places: Vec<String> = finding
            .related
            .iter()
            .take(MAX_RELATED)
            .map(|it| format!("- {}: {}\n", self.links.place(it), prose(&cut(&it.message, MAX_MESSAGE))))
            .collect();
        (!places.is_empty()).then(|| format!("Related places:\n{}\n", places.concat()))
    }
}

const FOLD_END: &str = "\n</details>\n\n";

/// The resource of a finding and its parameter files.
pub(super) fn about(finding: &Finding) -> Option<String> {
    let resource = finding.resource.as_ref().map(|it| format!("{} {}", code(&it.type_name), code(&it.name)));
    let names = (!finding.parameters.is_empty()).then(|| short_names(&finding.parameters));
    let parameters = names.map(|it| format!("in {}", code(&cut(&it, MAX_MESSAGE))));
    let parts: Vec<String> = resource.into_iter().chain(parameters).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn capitalised(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "High",
        Severity::Medium => "Medium",
        Severity::Low => "Low",
    }
}

/// Lines that GitHub can put in the place of those of the comment. `None` for lines that it would not reproduce, and for
/// those in which a reader would not see what they are.
fn suggestion(replacement: &str) -> Option<String> {
    let shown = replacement.replace(['\n', '\t'], " ");
    if shown.is_empty() || replacement.len() > MAX_SUGGESTION || visible(&shown) != shown {
        return None;
    }
    let longest = replacement.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    Some(format!("{fence}suggestion\n{replacement}\n{fence}\n\n"))
}

/// The lines of a comment that may stand in a fold: without its marker, and up to the suggestion, which is not to be
/// applied any more. Whoever may edit comments could have written something else, so anything that could leave the
/// fold ends it.
fn foldable(body: &str) -> Vec<&str> {
    let can_leave = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        ["```", "~~~", "<!--", "<details", "</details", "<summary"].iter().any(|it| line.contains(it))
    };
    let behind_marker = body.lines().skip_while(|line| Marker::read(line).is_some());
    let mut lines: Vec<&str> = behind_marker.take_while(|line| !can_leave(line)).collect();
    while lines.last().is_some_and(|it| it.trim().is_empty()) {
        lines.pop();
    }
    lines
}
