//! Files in a report, with the lines that it shows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::model::line_hash::hashes;
use crate::text::Source;

/// A file of a report, shared by the places in it.
#[derive(Debug)]
pub struct File {
    name: Arc<str>,
    text: Text,
}

/// Known part of a file's text.
#[derive(Debug)]
enum Text {
    /// The whole text, and the hashes of its lines, which are computed when they are first needed.
    Whole { source: Arc<Source>, hashes: OnceLock<Vec<String>> },
    /// Lines and hashes of lines in a report that was read, by line number.
    Lines { lines: BTreeMap<u32, String>, hashes: BTreeMap<u32, String> },
}

/// Equality by name: a report has one file of a name.
impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

impl Eq for File {}

impl File {
    /// Returns a file with a completely known text.
    pub(super) fn whole(source: Arc<Source>) -> Self {
        Self { name: Arc::clone(source.name()), text: Text::Whole { source, hashes: OnceLock::new() } }
    }

    /// Returns a file of which only some lines are known.
    pub fn of_lines(name: &str, lines: BTreeMap<u32, String>, hashes: BTreeMap<u32, String>) -> Self {
        Self { name: Arc::from(name), text: Text::Lines { lines, hashes } }
    }

    /// Returns the name for people: a path with `/`, relative to the current folder if the file is below it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// True if a line is in the file and known.
    pub fn has_line(&self, number: u32) -> bool {
        match &self.text {
            Text::Whole { .. } => true,
            Text::Lines { lines, .. } => lines.contains_key(&number),
        }
    }

    /// Returns a line (from 1) without its line ending, for measuring. It may contain secrets.
    pub fn line(&self, number: u32) -> Option<&str> {
        match &self.text {
            Text::Whole { source, .. } => source.line(number),
            Text::Lines { lines, .. } => lines.get(&number).map(String::as_str),
        }
    }

    /// Returns a part of a line for display: each byte of a secret is masked by one character.
    pub fn shown(&self, number: u32, part: Range<usize>) -> Option<Cow<'_, str>> {
        match &self.text {
            Text::Whole { source, .. } => {
                let start = source.line_range(number)?.start;
                source.shown(start + part.start..start + part.end)
            }
            Text::Lines { lines, .. } => lines.get(&number)?.get(part).map(Cow::Borrowed),
        }
    }

    /// Returns the hash by which code scanning recognizes a line. `None` if the text is not known: then the upload
    /// action computes it.
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
