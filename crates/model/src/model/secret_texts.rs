//! Secret texts, which no message may contain.
//!
//! Values are marked as secret, and their excerpts are masked. But messages also quote names, paths, and other texts
//! from values. So the front ends add each secret string that they compute, and all messages of an expansion are
//! passed through [`Mask::hide`] before they are returned.
//!
//! # Invariant
//!
//! No message of an expansion contains a secret: front ends note each secret string that they compute, and hide these
//! strings in everything that they report.

use std::cell::{Cell, RefCell};

use foldhash::HashSet;
use regex::Regex;

use crate::diagnostic::Diagnostic;
use crate::model::Issue;
use crate::value::{Data, SECRET, Str, Traits, Value};

/// Maximum total length of secret texts. If there are more, all quoted parts of messages are hidden.
const MAX_BYTES: usize = 256 << 10;

/// Maximum number of bytes of a text that are searched for, because messages truncate quotes.
const MAX_LENGTH: usize = 64;

/// Minimum length of a text that is searched for inside quoted text. A shorter one must equal the quoted text.
const MIN_PART: usize = 4;

/// Minimum length of a text that is searched for outside quotes. A shorter one may be a word of the message.
const MIN_WORD: usize = 8;

/// Maximum number of comparisons: the number of names times the number of secrets.
const MAX_COMPARISONS: usize = 100_000;

/// The secret strings of an expansion, in lower case, because names are compared without case.
#[derive(Debug, Default)]
pub struct SecretTexts {
    texts: RefCell<HashSet<Str>>,
    bytes: Cell<usize>,
}

impl SecretTexts {
    /// Adds a value if it is a secret string.
    pub fn note(&self, value: &Value) {
        let Data::String(text) = &value.data else { return };
        if !value.traits.has(Traits::SECRET) || self.bytes.get() > MAX_BYTES {
            return;
        }
        let start = text.get(..text.floor_char_boundary(MAX_LENGTH)).unwrap_or_default().trim();
        if !start.is_empty() && start != SECRET && self.texts.borrow_mut().insert(Str::from(start.to_ascii_lowercase()))
        {
            self.bytes.set(self.bytes.get() + start.len());
        }
    }

    /// Adds all secret strings in a value.
    pub fn note_all(&self, value: &Value) {
        if !value.traits.has(Traits::SECRET) || self.bytes.get() > MAX_BYTES {
            return;
        }
        match &value.data {
            Data::Array(items) => items.iter().for_each(|item| self.note_all(item)),
            Data::Object(object) => object.iter().for_each(|member| self.note_all(&member.value)),
            _ => self.note(value),
        }
    }

    /// Returns whether a text contains a secret string.
    pub fn is_in(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        self.texts.borrow().iter().any(|secret| secret.len() >= MIN_PART && text.contains(&**secret))
    }

    /// True if a secret string is in the name of a member, at any depth. Names have no marks of their own.
    ///
    /// Also true if there are too many names and secrets to compare.
    pub fn are_in_names(&self, value: &Value) -> bool {
        let texts = self.texts.borrow();
        let (mut left, mut open) = (MAX_COMPARISONS, vec![value]);
        while let Some(value) = open.pop() {
            match &value.data {
                Data::Array(items) => open.extend(items.iter()),
                Data::Object(object) => {
                    for member in object.iter() {
                        let Some(rest) = left.checked_sub(texts.len()) else { return true };
                        left = rest;
                        let name = member.key.to_ascii_lowercase();
                        let is_in = |secret: &Str| {
                            if secret.len() < MIN_PART { *name == **secret } else { name.contains(&**secret) }
                        };
                        if texts.iter().any(is_in) {
                            return true;
                        }
                        open.push(&member.value);
                    }
                }
                Data::Unknown(unknown) => open.push(&unknown.approximation),
                _ => {}
            }
        }
        self.bytes.get() > MAX_BYTES
    }

    /// Returns a mask that hides these texts in messages.
    pub fn mask(self) -> Mask {
        let texts = self.texts.into_inner();
        let mut long: Vec<&str> = texts.iter().map(|text| &**text).filter(|text| text.len() >= MIN_PART).collect();
        // The first alternative has precedence, so the longest is first. The order of the others does not matter.
        long.sort_unstable_by_key(|text| (std::cmp::Reverse(text.len()), *text));
        let pattern = long.iter().map(|text| regex::escape(text)).collect::<Vec<_>>().join("|");
        let hides_all = self.bytes.get() > MAX_BYTES;
        let pattern = if hides_all || long.is_empty() { None } else { Regex::new(&pattern).ok() };
        // A pattern that is too large hides all quotes, too.
        let hides_all = hides_all || (pattern.is_none() && !long.is_empty());
        let short = texts.iter().filter(|text| text.len() < MIN_PART).cloned().collect();
        Mask { pattern, short, hides_all }
    }
}

/// Hides the secrets of an expansion in its messages.
#[derive(Debug)]
pub struct Mask {
    pattern: Option<Regex>,
    short: HashSet<Str>,
    hides_all: bool,
}

impl Mask {
    /// Returns `true` if a text contains a secret that is not short.
    pub fn is_in(&self, text: &str) -> bool {
        let is_match = |pattern: &Regex| pattern.is_match(&text.to_ascii_lowercase());
        self.hides_all || self.pattern.as_ref().is_some_and(is_match)
    }

    /// Hides secrets in all texts of an issue.
    pub fn hide_in_issue(&self, issue: &mut Issue) {
        self.hide(&mut issue.message);
        issue.actual.take_if(|actual| self.is_in(&actual.to_string()));
        issue.related.iter_mut().for_each(|label| self.hide(&mut label.message));
    }

    /// Hides secrets in all texts of a diagnostic.
    pub fn hide_in(&self, diagnostic: &mut Diagnostic) {
        self.hide(&mut diagnostic.message);
        diagnostic.secondary.iter_mut().for_each(|label| self.hide(&mut label.message));
        diagnostic.help.iter_mut().for_each(|help| self.hide(help));
    }

    /// Masks quoted texts that contain a secret. If a secret is outside quotes, masks the rest of the message.
    pub fn hide(&self, message: &mut String) {
        if self.pattern.is_none() && self.short.is_empty() && !self.hides_all {
            return;
        }
        let lower = message.to_ascii_lowercase();
        let mut shown = String::with_capacity(message.len());
        let mut at = 0;
        while let Some((start, end)) = self.next(&lower, at) {
            shown.push_str(message.get(at..start).unwrap_or_default());
            shown.push_str(SECRET);
            at = end;
            // The closing quotation mark does not open another part.
            if message.get(end..).is_some_and(|rest| rest.starts_with('`')) {
                shown.push('`');
                at += 1;
            }
        }
        if at > 0 {
            shown.push_str(message.get(at..).unwrap_or_default());
            *message = shown;
        }
    }

    /// Masks a text without quotation marks that a message quotes, if it contains a secret.
    pub fn hide_quoted(&self, text: &mut String) {
        let mut quoted = format!("`{text}`");
        self.hide(&mut quoted);
        let inner = quoted.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        inner.unwrap_or(SECRET).clone_into(text);
    }

    /// Returns the next range of a message to hide, from `at`, which is outside quotation marks.
    fn next(&self, message: &str, at: usize) -> Option<(usize, usize)> {
        let mut from = at;
        loop {
            let rest = message.get(from..)?;
            let quote = rest.find('`').map_or(rest.len(), |offset| offset);
            let found = self.pattern.as_ref().and_then(|pattern| pattern.find(rest));
            if let Some(found) = found.filter(|found| found.start() < quote && found.len() >= MIN_WORD) {
                return Some((from + found.start(), message.len()));
            }
            let start = from + quote + 1;
            let inner = message.get(start..)?;
            let length = inner.find('`').unwrap_or(inner.len());
            // A secret may contain quotation marks.
            let found = self.pattern.as_ref().and_then(|pattern| pattern.find(inner));
            let end = match found.filter(|found| found.start() < length) {
                Some(found) => {
                    let after = inner.get(found.end()..)?;
                    Some(found.end() + after.find('`').unwrap_or(after.len()))
                }
                None if self.hides_all || inner.get(..length).is_some_and(|part| self.short.contains(part)) => {
                    Some(length)
                }
                None => None,
            };
            if let Some(end) = end {
                return Some((start, start + end));
            }
            from = start + length + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secrets: &[&str], message: &str, expected: &str) {
        let texts = SecretTexts::default();
        for secret in secrets {
            texts.note_all(&Value::from(*secret).into_secret());
        }
        let mut shown = message.to_owned();
        texts.mask().hide(&mut shown);
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_quoted_of_a_secret_is_hidden() {
        check(&[], "name `a` of `b`", "name `a` of `b`");
        check(&["secret"], "name `x/SECRET-1` of `b`", "name `{{Secret}}` of `b`");
        check(&["secret"], "name `b` of `secret", "name `b` of `{{Secret}}");
        check(&["a`secret"], "name `xa`secret` of `b`", "name `{{Secret}}` of `b`");
        check(&["secret", "more"], "`secret` and `some` or `more`", "`{{Secret}}` and `some` or `{{Secret}}`");
        check(&[&"long".repeat(500)], &format!("name `{}…`", "long".repeat(20)), "name `{{Secret}}`");
        check(&["zürich"], "`ZüRICH` is not `Zürich`", "`{{Secret}}` is not `{{Secret}}`");
    }

    #[test]
    fn a_short_secret_is_hidden_only_as_a_whole() {
        check(&["a"], "name `a` of `ba`, a name", "name `{{Secret}}` of `ba`, a name");
        check(&["name"], "name `a` of `name`", "name `a` of `{{Secret}}`");
        check(&["passphrase"], "it failed: my passphrase, or `b`", "it failed: my {{Secret}}");
    }

    #[test]
    fn a_text_is_hidden_as_if_it_were_quoted() {
        let texts = SecretTexts::default();
        texts.note_all(&Value::from("secret").into_secret());
        let mask = texts.mask();
        for (text, expected) in [("tags.env", "tags.env"), ("tags.my-secret", "{{Secret}}"), ("`", "`")] {
            let mut shown = text.to_owned();
            mask.hide_quoted(&mut shown);
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn of_too_many_secrets_nothing_is_shown() {
        let secrets: Vec<String> = (0..10_000).map(|at| format!("secret-number-{at:032}")).collect();
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        check(&secrets, "name `a` has `b`", "name `{{Secret}}` has `{{Secret}}`");
    }

    #[test]
    fn many_secrets_are_looked_for_at_once() {
        let secrets: Vec<String> = (0..4_000).map(|at| format!("secret-number-{at:032}")).collect();
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        check(&secrets, &format!("`a` is `{}`", secrets[3_999]), "`a` is `{{Secret}}`");
    }
}
