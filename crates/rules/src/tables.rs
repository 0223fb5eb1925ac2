//! Tables in `rules/data` with the dates on which support ends.
//!
//! A table has the date of its facts in a row that begins with `as of`. The other rows have a pattern, a date and, if
//! the facts are from different pages, the page. In a pattern, a `*` stands for any text, and a `?` for one character.
//! Support has ended if its date is not after the date of the facts, so a table has the same result on every day.

/// A table with dates.
#[derive(Debug)]
pub(crate) struct Table {
    as_of: &'static str,
    rows: Vec<DatedRow>,
}

/// A row of a table.
#[derive(Debug)]
pub(crate) struct DatedRow {
    /// Pattern of the names that the row is about.
    pub(crate) pattern: Glob,
    /// Date on which support ends, `YYYY-MM-DD`.
    pub(crate) date: &'static str,
}

impl Table {
    /// Returns the names of all tables.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        formwork_builtin::TABLES.iter().map(|(name, _)| *name)
    }

    /// Returns the table with a name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        let (_, text) = formwork_builtin::TABLES.iter().find(|(known, _)| *known == name)?;
        let mut table = Self { as_of: "", rows: Vec::new() };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((pattern, rest)) = line.split_once('\t') else { continue };
            let date = rest.split('\t').next().unwrap_or_default();
            if pattern == "as of" {
                table.as_of = date;
            } else {
                table.rows.push(DatedRow { pattern: Glob::pattern(pattern), date });
            }
        }
        Some(table)
    }

    /// Returns the rows about names that are out of support.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &DatedRow> {
        // Days of this form are in the order of their texts.
        self.rows.iter().filter(|row| row.date <= self.as_of)
    }
}

/// Longest text that is compared, in characters. It bounds the time of a comparison.
const MAX_LENGTH: usize = 512;

/// A text in lower case of which some parts may be any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glob(Vec<GlobPart>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobPart {
    Character(char),
    /// Any character.
    One,
    Any,
}

impl GlobPart {
    /// True if a part of a pattern matches this part of a text.
    fn matches(self, text: Self) -> bool {
        self == text || self == Self::One && text != Self::Any
    }
}

impl Glob {
    /// Parses a pattern in which a `*` stands for any text, and a `?` for one character.
    pub(crate) fn pattern(text: &str) -> Self {
        let mut glob = Self::default();
        for (at, part) in text.split('*').enumerate() {
            if at > 0 {
                glob.add_any();
            }
            let from = glob.0.len();
            glob.add_text(part);
            let added = glob.0.iter_mut().skip(from);
            added.filter(|part| **part == GlobPart::Character('?')).for_each(|part| *part = GlobPart::One);
        }
        glob
    }

    /// Adds a known text.
    pub(crate) fn add_text(&mut self, text: &str) {
        let room = MAX_LENGTH.saturating_sub(self.0.len());
        self.0.extend(text.chars().flat_map(char::to_lowercase).take(room).map(GlobPart::Character));
    }

    /// Adds a part that may be any string.
    pub(crate) fn add_any(&mut self) {
        if self.0.last() != Some(&GlobPart::Any) {
            self.0.push(GlobPart::Any);
        }
    }

    /// True if every text that `other` may be matches this pattern.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let (pattern, text) = (&self.0, &other.0);
        let (mut at, mut read) = (0, 0);
        // Where to go on if the text differs: after the last `*`, which then stands for one part more.
        let mut retry: Option<(usize, usize)> = None;
        while let Some(part) = text.get(read) {
            match pattern.get(at) {
                Some(GlobPart::Any) => {
                    at += 1;
                    retry = Some((at, read));
                }
                Some(expected) if expected.matches(*part) => {
                    at += 1;
                    read += 1;
                }
                _ => {
                    let Some((after, from)) = retry else { return false };
                    retry = Some((after, from + 1));
                    (at, read) = (after, from + 1);
                }
            }
        }
        pattern.iter().skip(at).all(|part| *part == GlobPart::Any)
    }

    /// True if some text that `other` may be matches this pattern.
    pub(crate) fn may_match(&self, other: &Self) -> bool {
        // Few rows of a table begin and end like a text, so little is compared part by part.
        let Some(start) = agreeing(self.0.iter().zip(&other.0)) else { return false };
        let (_, pattern) = self.0.split_at(start);
        let (_, text) = other.0.split_at(start);
        let Some(end) = agreeing(pattern.iter().rev().zip(text.iter().rev())) else { return false };
        let (pattern, _) = pattern.split_at(pattern.len() - end);
        let (text, _) = text.split_at(text.len() - end);
        overlap(pattern, text)
    }
}

/// Counts the equal parts before one that may be any text. `None` if they differ before that.
fn agreeing<'a>(pairs: impl Iterator<Item = (&'a GlobPart, &'a GlobPart)>) -> Option<usize> {
    let mut same = 0;
    for (part, other) in pairs {
        match (part, other) {
            (GlobPart::Any, _) | (_, GlobPart::Any) => break,
            _ if part.matches(*other) => same += 1,
            _ => return None,
        }
    }
    Some(same)
}

/// True if some text matches both globs.
fn overlap(pattern: &[GlobPart], text: &[GlobPart]) -> bool {
    let is_any = |at: usize| text.get(at) == Some(&GlobPart::Any);
    // Which beginnings of `text` match the beginning of `pattern` that was read so far.
    let mut matching = vec![false; text.len() + 1];
    let mut may_begin = true;
    for (at, begins) in matching.iter_mut().enumerate() {
        *begins = may_begin;
        may_begin &= is_any(at);
    }
    for part in pattern {
        // What `matching` was for one beginning before, and what it is now.
        let (mut before, mut now) = (false, false);
        for (at, begins) in matching.iter_mut().enumerate() {
            let here = *begins;
            let behind = at.checked_sub(1).and_then(|at| text.get(at));
            let is_reached = match part {
                GlobPart::Any => now || here,
                GlobPart::Character(_) | GlobPart::One => {
                    before && behind.is_some_and(|text| part.matches(*text)) || here && is_any(at)
                }
            };
            (before, now) = (here, is_reached || now && behind == Some(&GlobPart::Any));
            *begins = now;
        }
    }
    matching.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::parse_date;

    #[track_caller]
    fn check(pattern: &str, text: &str, covers: bool, may_match: bool) {
        let (pattern, text) = (Glob::pattern(pattern), Glob::pattern(text));
        assert_eq!((pattern.covers(&text), pattern.may_match(&text)), (covers, may_match), "{pattern:?} {text:?}");
    }

    #[test]
    fn a_pattern_is_compared_with_what_is_known_of_a_text() {
        check("a:b*:c", "A:bcd:C", true, true);
        check("a:b*:c", "a:b:c", true, true);
        check("a*", "ba", false, false);
        check("*", "", true, true);
        check("", "", true, true);
        check("a", "", false, false);
        check("a*b*c", "axxbyyc", true, true);
        check("a*b*c", "axxbyy", false, false);
        // In the texts below, a `*` is what is not known.
        check("a:*:c", "a:*:c", true, true);
        check("a:b:c", "a:*:c", false, true);
        check("a:b:c", "a:*:d", false, false);
        check("*c", "a*", false, true);
        check("b*", "a*", false, false);
        check("ab", "*", false, true);
        check("abc", "a*c", false, true);
        check("ac", "a*c", false, true);
        check("a*", "a*c", true, true);
        check("*b*", "a*c", false, true);
        check("a*a*", "a*a*a", true, true);
        check("a**b", "a*b*b", true, true);
        check("*aab", "aaaab", true, true);
        check("*aab", "aaaa", false, false);
        check("a?c", "abc", true, true);
        check("a?c", "ac", false, false);
        check("a?", "a*", false, true);
        check("*a?b", "xaab", true, true);
        check("a?*d", "a*cd", false, true);
    }

    #[test]
    fn every_table_has_days_and_patterns() {
        for (name, text) in formwork_builtin::TABLES {
            let rows: Vec<Vec<&str>> =
                text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
            for row in &rows {
                assert!((2..=3).contains(&row.len()), "{name}: {row:?}");
                assert!(!row[0].trim().is_empty() && parse_date(row[1]).is_some(), "{name}: {row:?}");
            }
            let days = rows.iter().filter(|row| row[0] == "as of");
            assert_eq!(days.count(), 1, "{name}: one row `as of` is wanted");
            let table = Table::find(name).expect("it is in the list");
            assert!(table.ended().next().is_some(), "{name}: nothing has ended");
        }
    }
}
