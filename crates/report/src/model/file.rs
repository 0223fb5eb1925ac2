//! The files that a report names, with the lines that it shows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::model::line_hash::hashes;
use crate::text::Source;

/// A file of a report. The places in it share it.
#[derive(Debug)]
pub struct File {
    name: Arc<str>,
    text: Text,
}

/// What is known of a text.
#[derive(Debug)]
enum Text {
    /// All of it, and the hashes of its lines, which are computed when first asked for.
    Whole { source: Arc<Source>, hashes: OnceLock<Vec<String>> },
    /// Of a report that was read: its lines, and the hashes of lines, by their numbers.
    Lines { lines: BTreeMap<u32, String>, hashes: BTreeMap<u32, String> },
}

/// A report has one file of a name.
impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

impl Eq for File {}

impl File {
    /// A file of which the text is known.
    pub(super) fn whole(source: Arc<Source>) -> Self {
        Self { name: Arc::clone(source.name()), text: Text::Whole { source, hashes: OnceLock::new() } }
    }

    /// A file of which only some lines are known.
    pub fn of_lines(name: &str, lines: BTreeMap<u32, String>, hashes: BTreeMap<u32, String>) -> Self {
        Self { name: Arc::from(name), text: Text::Lines { lines, hashes } }
    }

    /// The name for people: a path with `/`, relative to the current folder if the file lies below it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Whether a line is known that is in the file.
    pub fn has_line(&self, number: u32) -> bool {
        match &self.text {
            Text::Whole { .. } => true,
            Text::Lines { lines, .. } => lines.contains_key(&number),
        }
    }

    /// A line (from 1) without its line ending, to measure. It may have secrets in it.
    pub fn line(&self, number: u32) -> Option<&str> {
        match &self.text {
            Text::Whole { source, .. } => source.line(number),
            Text::Lines { lines, .. } => lines.get(&number).map(String::as_str),
        }
    }

    /// A part of a line as it may be shown: each byte of a secret is masked by one.
    pub fn shown(&self, number: u32, part: Range<usize>) -> Option<Cow<'_, str>> {
        match &self.text {
            Text::Whole { source, .. } => {
                let start = source.line_range(number)?.start;
                source.shown(start + part.start..start + part.end)
            }
            Text::Lines { lines, .. } => lines.get(&number)?.get(part).map(Cow::Borrowed),
        }
    }

    /// What code scanning knows a line by. `None` if the text is not known: then the upload action computes it.
    pub fn line_hash(&self, number: u32) -> Option<&str> {
        match &self.text {
            Text::Whole { source, hashes } => {
                let hashes = hashes.get_or_init(|| self::hashes(source.text()));
                Some(hashes.get(number.saturating_sub(1) as usize).map_or("", String::as_str))
            }
            Text::Lines { hashes, .. } => hashes.get(&number).map(String::as_str),
        }
    }
}
