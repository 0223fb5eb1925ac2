//! Suppressions, with which authors accept findings.

use chrono::NaiveDate;

use crate::diagnostic::{BicepCode, Code, RuleInfo, SuppressionKind};
use crate::text::Span;

/// A suppression of findings of some rules. The code that reads it determines which parts of a template it applies
/// to.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The kind of suppression.
    pub kind: SuppressionKind,
    /// The rules to suppress.
    pub rules: Vec<RulePattern>,
    /// The reason why the findings are accepted. Never empty.
    pub reason: Option<String>,
    /// The last day of the suppression.
    pub until: Option<NaiveDate>,
    /// The text of the suppression, without the delimiters of a comment.
    pub place: Span,
    /// True if the suppression is for another tool. Then it needs no reason, and may name rules that formwork does
    /// not have.
    pub is_foreign: bool,
}

impl Suppression {
    /// Returns whether the last day has passed. Nothing expires if the date is unknown.
    pub fn is_expired(&self, today: Option<NaiveDate>) -> bool {
        self.until.zip(today).is_some_and(|(until, today)| until < today)
    }

    /// Returns whether the suppression is effective: it has a reason and is not expired.
    pub fn holds(&self, today: Option<NaiveDate>) -> bool {
        (self.reason.is_some() || self.is_foreign) && !self.is_expired(today)
    }
}

/// The name of a rule in a suppression or in the settings: an ID, a name, or a pattern in which `*` matches any
/// characters. Case is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePattern {
    /// The text of the pattern.
    pub text: String,
    /// The position of the pattern.
    pub span: Span,
}

impl RulePattern {
    /// Returns whether the pattern may match several rules.
    pub fn is_wildcard(&self) -> bool {
        self.text.contains('*')
    }

    /// Returns whether the pattern matches all rules, such as `*` or `*.*`.
    pub fn is_of_everything(&self) -> bool {
        self.is_wildcard() && !self.text.contains(char::is_alphanumeric)
    }

    /// Returns whether the pattern matches a rule. `bicep/diagnostic` was the ID of all codes of Bicep's compiler.
    pub fn matches(&self, rule: &RuleInfo) -> bool {
        let is_of_compiler = BicepCode::read_id(&rule.id).is_some();
        is_of_compiler && self.text.eq_ignore_ascii_case(Code::BicepDiagnostic.as_str())
            || matches_pattern(&self.text, &rule.id)
            || matches_pattern(&self.text, &rule.name)
    }
}

/// Maximum length of a pattern with `*`, in bytes. Names of rules are much shorter.
const MAX_PATTERN: usize = 1_000;

/// Returns whether a text matches a pattern in which `*` matches any characters, ignoring case. A pattern that is too
/// long matches nothing.
///
/// # Examples
///
/// ```
/// use formwork_model::diagnostic::matches_pattern;
///
/// assert!(matches_pattern("AZ-*-001", "az-storage-001"));
/// assert!(!matches_pattern("a*a", "a"));
/// ```
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    // A template may contain hundreds of rules, and each is compared with all existing rules.
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

/// Parses a date. Only the format `2027-01-31` is valid.
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
