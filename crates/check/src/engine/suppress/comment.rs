//! The grammar of comments: `formwork:ignore RULE[, RULE] [until 2027-01-31] -- reason`.

use chrono::NaiveDate;

use crate::diagnostic::{RulePattern, Suppression, SuppressionKind, parse_date};
use crate::text::{FileId, Span};

/// Start of every comment for formwork.
pub(super) const PREFIX: &str = "formwork:";

/// The only thing that a comment can say.
const IGNORE: &str = "ignore";

/// The form of a comment, for messages.
const FORM: &str = "`formwork:ignore RULE[, RULE] [until YYYY-MM-DD] -- reason`";

/// Error in a comment or in metadata: its place and a message.
pub(super) type Invalid = (Span, String);

/// A word of a comment and its offset in the file.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    start: usize,
}

/// Reads a comment, with its delimiters, at `start` in its file. `None` if it is not for formwork.
pub(super) fn parse(comment: &str, file: FileId, start: usize) -> Option<Result<Suppression, Invalid>> {
    let content = content(comment);
    let rest = content.strip_prefix(PREFIX)?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let offset = |part: &str| start + (part.as_ptr() as usize).saturating_sub(comment.as_ptr() as usize);
    let place = span(file, offset(content), content.len());
    let invalid = |message: String| Some(Err((place, message)));
    let after = rest.strip_prefix(IGNORE).filter(|after| after.is_empty() || after.starts_with(char::is_whitespace));
    let Some(after) = after else {
        return invalid(format!("unknown comment for formwork; expected {FORM}"));
    };
    let words: Vec<Word<'_>> = words(after).map(|text| Word { text, start: offset(text) }).collect();
    let end = words.iter().position(|word| word.text.starts_with("--")).unwrap_or(words.len());
    let (head, tail) = words.split_at_checked(end).unwrap_or((&words, &[]));
    Some(head_of(head, file).map_err(|message| (place, message)).map(|(rules, until)| Suppression {
        kind: SuppressionKind::Comment,
        rules,
        reason: reason_of(tail),
        until,
        place,
        is_foreign: false,
    }))
}

/// Returns a comment without its delimiters and the blanks around it.
fn content(comment: &str) -> &str {
    let inner = match comment.strip_prefix("/*") {
        Some(inner) => inner.strip_suffix("*/").unwrap_or(inner),
        None => comment.trim_start_matches(['/', '#']),
    };
    inner.trim()
}

/// Returns the words of a text; a comma is a word of its own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let pieces = |word| str::split_inclusive(word, ',');
    let parts = |piece: &str| match piece.strip_suffix(',') {
        Some("") | None => [piece.len(), 0],
        Some(name) => [name.len(), 1],
    };
    text.split_whitespace().flat_map(pieces).flat_map(move |piece| {
        let [first, rest] = parts(piece);
        let (name, comma) = piece.split_at_checked(first).unwrap_or((piece, ""));
        std::iter::once(name).chain((rest > 0).then_some(comma))
    })
}

/// Returns the rules and the date before the reason.
fn head_of(head: &[Word<'_>], file: FileId) -> Result<(Vec<RulePattern>, Option<NaiveDate>), String> {
    let mut rules = Vec::new();
    let mut words = head.iter();
    loop {
        match words.next() {
            Some(word) if word.text != "," => {
                let span = span(file, word.start, word.text.len());
                let rule = RulePattern { text: word.text.to_owned(), span };
                if rule.is_of_everything() {
                    return Err(of_everything(&rule));
                }
                rules.push(rule);
            }
            _ => return Err(format!("expected the ID or the name of a rule; the form is {FORM}")),
        }
        match words.next().map(|word| word.text) {
            Some(",") => {}
            Some("until") => break,
            None => return Ok((rules, None)),
            Some(other) => {
                return Err(format!("expected `,`, `until`, or `--` before `{other}`; the form is {FORM}"));
            }
        }
    }
    let until = words.next().and_then(|word| parse_date(word.text));
    if until.is_none() || words.next().is_some() {
        return Err("expected a date such as `2027-01-31` after `until`, and then `--`".to_owned());
    }
    Ok((rules, until))
}

/// Returns the message that refuses a pattern that means every rule.
pub(super) fn of_everything(rule: &RulePattern) -> String {
    format!("`{}` would suppress every finding; name the rules, such as `AZ-STORAGE-001` or `secret/*`", rule.text)
}

/// Returns the text after `--`, on one line. `None` if it is empty.
fn reason_of(tail: &[Word<'_>]) -> Option<String> {
    let mut reason = String::new();
    for (at, word) in tail.iter().enumerate() {
        let text = if at == 0 { word.text.trim_start_matches('-') } else { word.text };
        if !reason.is_empty() && text != "," {
            reason.push(' ');
        }
        reason.push_str(text);
    }
    Some(reason).filter(|reason| reason.contains(char::is_alphanumeric))
}

fn span(file: FileId, start: usize, len: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(file, offset(start), offset(start + len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    /// Checks the rules, the date, and the reason of a comment, or its error.
    #[track_caller]
    fn check(comment: &str, expected: &str) {
        let file = Sources::new().add("a", "");
        let found = match parse(comment, file, 0) {
            None => "nothing".to_owned(),
            Some(Err((_, message))) => message,
            Some(Ok(it)) => {
                for rule in &it.rules {
                    assert_eq!(&comment[rule.span.start as usize..rule.span.end as usize], rule.text);
                }
                let rules: Vec<&str> = it.rules.iter().map(|rule| rule.text.as_str()).collect();
                let until = it.until.map_or_else(String::new, |date| format!(" until {date}"));
                format!("{}{until}: {}", rules.join("+"), it.reason.as_deref().unwrap_or("-"))
            }
        };
        assert!(found.starts_with(expected), "{comment}: {found}");
        assert!(!expected.contains(':') || found == expected, "{comment}: {found}");
    }

    #[test]
    fn a_comment_names_rules_and_gives_a_reason() {
        check("// formwork:ignore AZ-STORAGE-001 -- the old plan", "AZ-STORAGE-001: the old plan");
        check("//formwork:ignore a,b , c -- x, y", "a+b+c: x, y");
        check("# formwork:ignore secret/* until 2027-01-31 -- moves", "secret/* until 2027-01-31: moves");
        check("/* formwork:ignore a\n   -- long\n   reason */", "a: long reason");
        check("// formwork:ignore a --legacy -- see 12", "a: legacy -- see 12");
        check("// formwork:ignore a\r", "a: -");
        check("// formwork:ignore a --", "a: -");
        check("// formwork:ignore a -- ...", "a: -");
    }

    #[test]
    fn what_does_not_follow_the_grammar_is_reported() {
        check("// formwork:ignore", "expected the ID or the name of a rule");
        check("// formwork:ignore -- why", "expected the ID or the name of a rule");
        check("// formwork:ignore a, -- why", "expected the ID or the name of a rule");
        for everything in ["*", "**", "*.*", "*-*", "a, */*"] {
            let comment = format!("// formwork:ignore {everything} -- why");
            let name = everything.trim_start_matches("a, ");
            check(&comment, &format!("`{name}` would suppress every finding"));
        }
        check("// formwork:ignore a because", "expected `,`, `until`, or `--` before `because`");
        check("// formwork:ignore a until soon -- x", "expected a date");
        check("// formwork:ignore a until 2027-02-30 -- x", "expected a date");
        check("// formwork:ignore a until 2027-01-31 b -- x", "expected a date");
        check("// formwork:disable a -- x", "unknown comment for formwork");
        check("// formwork:ignored a -- x", "unknown comment for formwork");
    }

    #[test]
    fn other_comments_say_nothing() {
        for comment in ["// formwork", "# see formwork:ignore a -- b", "/* */", "// formwork: see docs", "//"] {
            check(comment, "nothing");
        }
    }
}
