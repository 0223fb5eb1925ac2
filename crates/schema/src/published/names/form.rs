//! Known parts of a name: the whole name, or its start, end, some of its characters, and its length.

use crate::published::names::table::{Class, Rule};
use crate::published::patterns;
use crate::value::Ends;

/// Known parts of the last segment of a name.
#[derive(Debug)]
pub(super) struct Form<'a> {
    /// Known start of the segment; the whole segment if it is known.
    pub(super) start: &'a str,
    end: &'a str,
    /// Characters that are certainly in it.
    inside: &'a str,
    /// Minimum and maximum number of characters.
    least: usize,
    most: Option<usize>,
    /// True if there is nothing between the beginning and the end.
    is_whole: bool,
    /// True if lower-case letters and digits stand for others.
    is_formed: bool,
}

impl<'a> Form<'a> {
    /// Returns a name that is known. If it `is_formed`, lower-case letters and digits stand for others.
    pub(super) fn of_text(text: &'a str, is_formed: bool) -> Self {
        let count = text.chars().count();
        let (least, most) = (count, Some(count));
        Self { start: text, end: "", inside: "", least, most, is_whole: true, is_formed }
    }

    /// Returns a name of which something is certain, after `depth` names of parents.
    pub(super) fn of_ends(ends: &'a Ends, depth: usize, is_formed: bool) -> Self {
        let Ends { start, end, least, most, inside, .. } = ends;
        let (least, most) = (*least as usize, most.map(|most| most as usize));
        if let Some((_, last)) = end.rsplit_once('/') {
            return Self::of_text(last, is_formed);
        }
        // If the beginning has the names of all parents, the rest is the segment. Otherwise an unknown part may have some.
        let own = start.match_indices('/').count() == depth && !inside.contains('/');
        let start = if own { start.rsplit('/').next().unwrap_or_default() } else { "" };
        let around = start.chars().count() + end.chars().count();
        let (least, most, inside) = if own { (least, most, inside.as_str()) } else { (0, None, "") };
        Self {
            start,
            end,
            inside,
            least: around + least,
            most: most.map(|most| around + most),
            is_whole: false,
            is_formed,
        }
    }

    /// Returns the problem of a name that breaks the rule whatever its unknown part is.
    pub(super) fn problem(&self, rule: &Rule) -> Option<String> {
        if !rule.exactly.is_empty() {
            let is_other = self.is_whole && !self.is_formed && !self.start.eq_ignore_ascii_case(rule.exactly);
            return is_other.then(|| "is another name".to_owned());
        }
        self.wrong_letter(rule).or_else(|| self.wrong_length(rule)).or_else(|| self.wrong_pattern(rule))
    }

    fn wrong_letter(&self, rule: &Rule) -> Option<String> {
        let all = || self.start.chars().chain(self.inside.chars()).chain(self.end.chars());
        if let Some(letter) =
            all().find(|letter| self.is_outside(rule.middle, *letter) && self.is_outside_ends(rule, *letter))
        {
            return Some(format!("contains {}", quoted(letter)));
        }
        let end = if self.is_whole { self.start } else { self.end };
        let first = self.start.chars().next();
        if let Some(letter) = first.filter(|letter| self.is_outside(rule.first, *letter)) {
            return Some(format!("begins with {}", quoted(letter)));
        }
        let last = end.chars().last();
        if let Some(letter) = last.filter(|letter| self.is_outside(rule.last, *letter)) {
            return Some(format!("ends with {}", quoted(letter)));
        }
        let twice = rule.single.trim().chars().map(|sign| format!("{sign}{sign}"));
        let mut twice = twice.filter(|twice| self.start.contains(twice) || self.end.contains(twice));
        twice.next().map(|twice| format!("contains `{twice}`"))
    }

    /// True if a class lacks a character that is certain.
    fn is_outside(&self, class: Class, letter: char) -> bool {
        let stands_for_another = self.is_formed && (letter.is_ascii_lowercase() || letter.is_ascii_digit());
        !class.has(letter) && !stands_for_another
    }

    /// True if a character cannot be at an end either, where some rules take more.
    fn is_outside_ends(&self, rule: &Rule, letter: char) -> bool {
        self.is_outside(rule.first, letter) && self.is_outside(rule.last, letter)
    }

    fn wrong_length(&self, rule: &Rule) -> Option<String> {
        let bound = |word: &str, count: usize| {
            let bound = if self.is_whole { String::new() } else { format!("{word} ") };
            format!("has {bound}{count} {}", if count == 1 { "character" } else { "characters" })
        };
        if rule.max.is_some_and(|max| self.least > max) {
            return Some(bound("at least", self.least));
        }
        let most = self.most.filter(|most| *most < rule.min)?;
        Some(bound("at most", most))
    }

    fn wrong_pattern(&self, rule: &Rule) -> Option<String> {
        let is_compared = self.is_whole && !self.is_formed && !rule.pattern.is_empty();
        (is_compared && !patterns::matches(rule.pattern, self.start, false))
            .then(|| "is not of the right form".to_owned())
    }
}

fn quoted(letter: char) -> String {
    match letter {
        ' ' => "a blank".to_owned(),
        letter if letter.is_control() => "a control character".to_owned(),
        letter => format!("`{letter}`"),
    }
}
