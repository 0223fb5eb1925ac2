//! Changes of source text that fix findings.

use std::sync::Arc;

use crate::model::{Head, Place};

/// A change that makes a finding go away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a request: ``set `httpsOnly` to `true` ``.
    pub title: String,
    /// The parts of the change, which only together are one, and do not overlap. Empty if only the lines are known.
    pub edits: Vec<Edit>,
    /// Whether it is only likely that the author wants it, so that it is applied only on request.
    pub is_guess: bool,
    /// The change as a review comment suggests it, where that is the very same.
    pub lines: Option<ReplacedLines>,
}

/// Replaces one range of text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text to remove; empty for an insertion.
    pub place: Place,
    /// The text to insert.
    pub replacement: String,
}

/// Whole lines for whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLines {
    /// The name of the file.
    pub file: Arc<str>,
    /// First line to remove, from 1.
    pub first: u32,
    /// Last line to remove.
    pub last: u32,
    /// The lines to insert, joined by `\n`, without a line ending after the last.
    pub text: String,
    /// Where the lines are in the head of the pull request, if that is elsewhere.
    pub head: Option<Box<Head>>,
}
