//! Comment on a line: the finding, its fix, and its origin.

use std::fmt::Write as _;

use crate::diagnostic::Severity;
use crate::plan::anchor::Anchor;
use crate::plan::fault::Fault;
use crate::plan::marker::{Category, Marker};
use crate::plan::page::{Links, Page, linked};
use crate::report::model::Finding;
use crate::report::short_names;
use crate::text::escape::markdown::{code, paragraph, prose};
use crate::text::escape::visible;
use crate::text::{cut, digest};

/// Maximum length of a comment, in bytes. GitHub rejects more than 65,536 characters.
const MAX_COMMENT: usize = 60_000;

/// Maximum length of a message, in bytes. Longer ones are cut.
const MAX_MESSAGE: usize = 1_000;

/// Maximum length of the names of parameter files, in bytes. Longer ones are cut.
pub(super) const MAX_NAMES: usize = 300;

/// Maximum number of related locations.
const MAX_RELATED: usize = 5;

/// Maximum length of a suggestion, in bytes.
const MAX_SUGGESTION: usize = 20_000;

/// Settings that all comments of one plan share.
#[derive(Clone, Debug)]
pub(super) struct Style<'a> {
    pub(super) category: Category,
    pub(super) links: Links<'a>,
}

/// The reason why a comment is obsolete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obsolete<'a> {
    /// The finding no longer occurs.
    Fixed,
    /// The finding is suppressed or in the baseline.
    Suppressed,
    /// Another comment on the same finding exists.
    Duplicate,
    /// The lines are no longer part of the diff, or its template was renamed. The new comment is at this anchor.
    Moved(&'a Anchor<'a>),
}

impl Style<'_> {
    /// Returns the comment on a finding, with a suggestion if its lines are those of the fix.
    pub(super) fn comment(&self, finding: &Fault<'_>, is_fix: bool) -> String {
        let resource = Some(&*finding.resource_fingerprint).filter(|fingerprint| !fingerprint.is_empty());
        let marker = self.category.open(&finding.fingerprint, &digest_of(finding), resource);
        let mut page = Page::new(MAX_COMMENT - marker.len());
        page.push(&content(finding));
        if let Some(related) = self.related(finding) {
            page.push(&related);
        }
        let fix = finding.fix().filter(|_| is_fix);
        if let Some(suggestion) = fix.and_then(|fix| suggestion(&fix.text)) {
            page.push(&suggestion);
        }
        page.into_text() + &marker
    }

    /// Returns the new text of the comment `old`, whose finding is gone.
    pub(super) fn gone(&self, fingerprint: &str, old: &str, gone: Obsolete<'_>) -> String {
        let marker = self.category.fixed(fingerprint);
        let mut page = Page::new(MAX_COMMENT - marker.len() - FOLD_END.len());
        let commit = self.links.commit();
        page.push(&match gone {
            Obsolete::Fixed => format!("Fixed in {commit}.\n\n"),
            Obsolete::Suppressed => format!("Suppressed as of {commit}.\n\n"),
            Obsolete::Duplicate => "Another comment says the same.\n\n".to_owned(),
            Obsolete::Moved(anchor) => {
                format!("Moved to {}: see the new comment there.\n\n", self.links.lines(anchor.path, anchor.lines))
            }
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

    /// Returns the list of locations that the value came from.
    fn related(&self, finding: &Finding) -> Option<String> {
        let places: Vec<String> = finding
            .related
            .iter()
            .take(MAX_RELATED)
            .map(|label| format!("- {}: {}\n", self.links.place(&label.place), prose(&cut(&label.text(), MAX_MESSAGE))))
            .collect();
        (!places.is_empty()).then(|| format!("Related places:\n{}\n", places.concat()))
    }
}

const FOLD_END: &str = "\n</details>\n\n";

/// Returns the digest of a comment, which tells whether it must be updated. It does not depend on lines, because
/// GitHub moves comments along with their lines.
pub(super) fn digest_of(finding: &Fault<'_>) -> String {
    let replacement = finding.fix().map_or("", |fix| &fix.text);
    digest(&[&content(finding), replacement])
}

/// Returns the part of a comment that does not depend on lines.
fn content(finding: &Fault<'_>) -> String {
    let rule = &finding.rule;
    let mut text = format!("**{}** · {}", capitalised(rule.severity), linked_rule(finding));
    if !rule.name.is_empty() && rule.name != rule.id {
        let _ = write!(text, " · {}", prose(&rule.name));
    }
    let _ = write!(text, "\n\n{}\n\n", paragraph(&cut(&finding.message, MAX_MESSAGE)));
    if let Some(recommendation) = &rule.recommendation {
        let _ = write!(text, "How to fix: {}\n\n", prose(&cut(recommendation, MAX_MESSAGE)));
    }
    if let Some(about) = about(finding, MAX_NAMES) {
        let _ = write!(text, "<sub>{about}</sub>\n\n");
    }
    text
}

/// Returns the ID of a finding's rule, linked to its page.
pub(super) fn linked_rule(finding: &Finding) -> String {
    let uri = finding.rule.help_uri.as_deref().filter(|uri| uri.starts_with("https://"));
    linked(uri, &code(&finding.rule.id))
}

/// Returns the resource of a fault, its parameter files, and its other locations.
pub(super) fn about(finding: &Fault<'_>, max_names: usize) -> Option<String> {
    let resource =
        finding.resource.as_ref().map(|resource| format!("{} {}", code(&resource.type_name), code(&resource.name)));
    let names = (!finding.parameters.is_empty()).then(|| short_names(&finding.parameters).join(", "));
    let parameters = names.map(|name| format!("in {}", code(&cut(&name, max_names))));
    let own: Vec<String> = resource.into_iter().chain(parameters).collect();
    let note = finding.note().map(|note| prose(&cut(&note, max_names)));
    let parts: Vec<String> = (!own.is_empty()).then(|| own.join(" ")).into_iter().chain(note).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn capitalised(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "High",
        Severity::Medium => "Medium",
        Severity::Low => "Low",
    }
}

/// Returns the suggestion block that replaces the lines of the comment. `None` if GitHub would not reproduce the
/// lines exactly, or if they contain invisible characters.
fn suggestion(replacement: &str) -> Option<String> {
    let shown = replacement.replace(['\n', '\t'], " ");
    if shown.is_empty() || replacement.len() > MAX_SUGGESTION || visible(&shown) != shown {
        return None;
    }
    let longest = replacement.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    Some(format!("{fence}suggestion\n{replacement}\n{fence}\n\n"))
}

/// Returns the lines of a comment to show in a fold: without its marker, and up to the suggestion, which must no
/// longer be applied. Other people may have edited the comment, so the first line that could close the fold ends it.
fn foldable(body: &str) -> Vec<&str> {
    let after_marker = body.lines().skip_while(|line| Marker::read(line).is_some());
    let mut lines: Vec<&str> = after_marker.take_while(|line| !can_end_fold(line)).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// True if a line could end the fold, or start a block that hides the rest.
fn can_end_fold(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    ["```", "~~~", "<!--", "<details", "</details", "<summary"].iter().any(|mark| line.contains(mark))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::plan::marker::State;
    use crate::plan::sample::{self, HEAD, document, finding, fingerprint, place, read, report, with_members};
    use crate::published::Report;
    use formwork_testing::markdown::{self as judge, Seen};

    fn write(report: &Report, is_fix: bool) -> String {
        sample::style(report).comment(&Fault::all(report)[0], is_fix)
    }

    fn fix(replacement: &str) -> Value {
        with_members(place("infra/main.json", 11, 11), json!({"title": "a", "replacement": replacement}))
    }

    fn whole() -> Value {
        let related = [
            with_members(place("infra/main.json", 4, 4), json!({"message": "value comes from parameter `tls`"})),
            with_members(place("infra/dev.json", 3, 3), json!({"message": "which is set here"})),
        ];
        with_members(finding(1, 11), json!({"related": related, "fix": fix("  \"minimumTlsVersion\": \"TLS1_2\",")}))
    }

    #[track_caller]
    fn check(name: &str, text: &str) {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("comment_{name}"), text);
        });
    }

    #[test]
    fn a_comment() {
        check("open", &write(&report(&[whole()]), true));
    }

    #[test]
    fn a_comment_with_little_to_say() {
        let members = json!({"rule": "tags:3", "name": "tags:3", "severity": 3, "resource": null, "parameters": []});
        check("short", &write(&report(&[with_members(finding(2, 9), members)]), false));
    }

    #[test]
    fn a_comment_that_is_fixed() {
        let report = report(&[whole()]);
        let old = write(&report, true);
        check("fixed", &sample::style(&report).gone(&fingerprint(1), &old, Obsolete::Fixed));
    }

    #[test]
    fn a_fold_holds_what_it_holds() {
        let report = report(&[]);
        for old in ["", "<!-- formwork:v1:default:0a -->", "```suggestion\na\n```", "</details>a", "a</DETAILS>\nb"] {
            let body = sample::style(&report).gone("0a", old, Obsolete::Fixed);
            assert!(!body.contains("<details>"), "{body}");
        }
        let body = sample::style(&report).gone("0a", "one\r\n\r\n~~~\r\ntwo", Obsolete::Fixed);
        assert!(body.contains("</summary>\n\none\n\n</details>\n\n<!--"), "{body}");
        let body = sample::style(&report).gone("0a", &"a line\n".repeat(20_000), Obsolete::Fixed);
        assert!(body.len() <= MAX_COMMENT && body.contains("\n</details>\n"));
    }

    #[test]
    fn a_digest_changes_with_the_text_and_not_with_lines() {
        let digest = |members: Value| {
            let report = report(&[with_members(whole(), members)]);
            digest_of(&Fault::all(&report)[0])
        };
        let first = digest(json!({}));
        assert_eq!(first, digest(json!({"location": place("infra/main.json", 51, 51), "related": []})));
        assert_ne!(first, digest(json!({"message": "b"})));
        assert_ne!(first, digest(json!({"parameters": []})));
        assert_ne!(first, digest(json!({"fix": fix("b")})));
    }

    #[test]
    fn the_longest_comment_is_not_too_long() {
        let long = |c: &str| c.repeat(9_000);
        let members = json!({
            "rule": long("@"), "name": long("@"), "message": long("@"),
            "resource": {"type": long("@"), "name": long("#")},
            "parameters": vec![long("#"); 200], "fix": fix(&long("a")),
            "related": vec![with_members(place(&long("@"), 1, 1), json!({"message": long("@")})); 200],
        });
        let rules = json!([{
            "id": format!("{}…", "@".repeat(8_000)), "recommendation": long("#"),
            "help_uri": format!("https://a/{}", "&".repeat(980)),
        }]);
        let document = with_members(document(&[with_members(whole(), members)], &[]), json!({"rules": rules}));
        let text = write(&read(&document), true);
        assert!(text.len() <= MAX_COMMENT && text.len() > 30_000, "{}", text.len());
        assert!(text.contains("<a href=") && text.contains("How to fix") && text.ends_with(" -->"));
    }

    /// Whether a comment has exactly the elements that formwork writes.
    fn is_ours(seen: &Seen) -> Result<(), TestCaseError> {
        let elements = [
            "document",
            "paragraph",
            "text",
            "html_inline",
            "html_block",
            "strong",
            "list",
            "item",
            "softbreak",
            "code_block",
        ];
        prop_assert!(seen.elements.iter().all(|element| elements.contains(&element.as_str())), "{:?}", seen);
        prop_assert_eq!(seen.elements.iter().filter(|element| *element == "strong").count(), 1);
        prop_assert_eq!(seen.name(), None, "{:?}", seen);
        let (markers, tags): (Vec<&String>, Vec<&String>) = seen.tags.iter().partition(|tag| tag.starts_with("<!--"));
        prop_assert_eq!(markers.len(), 1, "{:?}", seen);
        for tag in tags {
            let is_known = ["<code>", "</code>", "<sub>", "</sub>", "</a>"].contains(&tag.as_str());
            prop_assert!(is_known || judge::is_link(tag), "{}", tag);
        }
        Ok(())
    }

    /// Lines that would end the block that contains them.
    fn any_lines() -> impl Strategy<Value = String> {
        let parts = [
            "```",
            "````",
            "`",
            "~~~",
            "```suggestion",
            "\n",
            "\n\n",
            "\t",
            "   ",
            "a",
            "</details>",
            "<!--",
            "-->",
            "@org",
            "\r",
        ];
        prop::collection::vec(prop::sample::select(parts.to_vec()), 0..9).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_text_is_more_than_text(
            texts in prop::collection::vec(judge::any_text(), 8),
            replacement in any_lines(),
            is_fix: bool,
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let [rule, name, message, recommendation, uri, file, resource, related] = texts[..] else { unreachable!() };
            let members = json!({
                "rule": rule, "name": name, "message": message, "parameters": [file, resource],
                "resource": {"type": resource, "name": name},
                "related": [with_members(place(file, 3, 9), json!({"message": related}))],
                "fix": fix(&replacement),
            });
            let rules = json!([{"id": rule, "recommendation": recommendation, "help_uri": format!("https://{uri}")}]);
            let report = read(&with_members(document(&[with_members(finding(1, 1), members)], &[]), json!({"rules": rules})));
            let text = write(&report, is_fix);
            let seen = judge::read(&text);
            is_ours(&seen)?;
            let fences: Vec<(String, String)> = match suggestion(&replacement) {
                Some(_) if is_fix => vec![("suggestion".to_owned(), format!("{replacement}\n"))],
                _ => Vec::new(),
            };
            prop_assert_eq!(&seen.fences, &fences);
            let marker = Marker::read(&text).unwrap();
            prop_assert_eq!(marker.subject, fingerprint(1));
            prop_assert_eq!(marker.state, State::Open);
            let gone = sample::style(&report).gone(&fingerprint(1), &text, Obsolete::Fixed);
            let folded = judge::read(&gone);
            prop_assert_eq!(folded.fences.len(), 0);
            prop_assert_eq!(folded.name(), None);
            let is_block = |line: &&str| ["<!--", "<details", "</details"].iter().any(|start| line.starts_with(start));
            let blocks: Vec<&str> = folded.tags.iter().map(String::as_str).filter(is_block).collect();
            let marker = sample::style(&report).category.fixed(&fingerprint(1));
            prop_assert_eq!(blocks, ["<details><summary>What was found</summary>", "</details>", &marker]);
            prop_assert!(gone.contains(HEAD));
        }
    }
    #[test]
    fn long_suggestions_are_left_out() {
        assert!(suggestion(&"a".repeat(MAX_SUGGESTION)).is_some());
        assert!(suggestion(&"a".repeat(MAX_SUGGESTION + 1)).is_none());
    }
}
