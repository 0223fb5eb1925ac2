//! What authors write to accept findings on purpose.

use chrono::NaiveDate;

use crate::diagnostic::{RuleInfo, SuppressionKind};
use crate::text::Span;

/// A statement of an author that findings of some rules are accepted. What it covers is for those to say who found it.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// Where it is written.
    pub kind: SuppressionKind,
    /// The rules that it names.
    pub rules: Vec<RulePattern>,
    /// Why they are accepted. Never empty.
    pub reason: Option<String>,
    /// The last day on which it holds.
    pub until: Option<NaiveDate>,
    /// Its text, without the delimiters of a comment.
    pub place: Span,
    /// Whether it is written for another tool. It needs no reason then, and may name rules that formwork does not have.
    pub is_foreign: bool,
}

impl Suppression {
    /// Whether its last day is over. Nothing expires where the date is not known.
    pub fn is_expired(&self, today: Option<NaiveDate>) -> bool {
        self.until.zip(today).is_some_and(|(until, today)| until < today)
    }

    /// Whether it suppresses what it covers: it has a reason, and its last day is not over.
    pub fn holds(&self, today: Option<NaiveDate>) -> bool {
        (self.reason.is_some() || self.is_foreign) && !self.is_expired(today)
    }
}

/// The name of a rule in a suppression or in the settings: an ID, a name, or a pattern in which `*` stands for any
/// characters. Names are case-insensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePattern {
    /// As its author wrote it.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl RulePattern {
    /// Whether it may mean several rules.
    pub fn is_wildcard(&self) -> bool {
        self.text.contains('*')
    }

    /// Whether it says nothing about the rules that it means, such as `*` or `*.*`.
    pub fn is_of_everything(&self) -> bool {
        self.is_wildcard() && !self.text.contains(char::is_alphanumeric)
    }

    /// Whether it means this rule.
    pub fn matches(&self, rule: &RuleInfo) -> bool {
        matches_pattern(&self.text, &rule.id) || matches_pattern(&self.text, &rule.name)
    }
}

/// How long a pattern with `*` can be, in bytes. The names of rules are much shorter.
const MAX_PATTERN: usize = 1_000;

/// Whether a text matches a pattern in which `*` stands for any characters, without regard to case. A pattern that is longer
/// than any name matches none.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    // A template may name hundreds of rules, each of which is compared with all that there are.
    if pattern.is_ascii() && text.is_ascii() && !pattern.contains('*') {
        return pattern.eq_ignore_ascii_case(text);
    }
    if pattern.len() > MAX_PATTERN {
        return false;
    }
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.split_once(part) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    left.ends_with(last)
}

/// The date that a text is. Only the form `2027-01-31` is one.
pub fn parse_date(text: &str) -> Option<NaiveDate> {
    let has_form = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| has_form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_and_case_does_not_matter() {
        let check = |pattern, text, expected| assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        check("secret/*", "secret/output", true);
        check("Secret/*", "secret/", true);
        check("secret/*", "secrets/output", false);
        check("AZ-STORAGE-001", "az-storage-001", true);
        check("AZ-STORAGE-00", "AZ-STORAGE-001", false);
        check("*", "anything", true);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-c-b", false);
        check("ab*ba", "aba", false);
        check("*.Https", "Web.HTTPS", true);
        check("", "a", false);
        let [longest, longer] = [1_000, 1_001].map(|count| "*".repeat(count));
        check(&longest, "a", true);
        check(&longer, "a", false);
    }

    #[test]
    fn a_date_has_one_form() {
        assert_eq!(parse_date("2027-01-31"), NaiveDate::from_ymd_opt(2027, 1, 31));
        for wrong in ["2027-02-30", "2027-1-31", "31.01.2027", "+027-01-31", "2027-01-31 ", ""] {
            assert_eq!(parse_date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_suppression_holds_through_its_last_day() {
        let file = crate::text::Sources::new().add("a", "");
        let suppression = Suppression {
            kind: SuppressionKind::Comment,
            rules: Vec::new(),
            reason: Some("r".to_owned()),
            until: parse_date("2027-01-31"),
            place: Span::whole_file(file),
            is_foreign: false,
        };
        let holds = |day: &str| suppression.holds(parse_date(day));
        assert!(holds("2027-01-31") && !holds("2027-02-01") && suppression.holds(None));
        let bare = Suppression { reason: None, ..suppression.clone() };
        assert!(!bare.holds(None));
        assert!(Suppression { is_foreign: true, ..bare }.holds(None));
    }
}
