//! Fixes: changes of source text that remove findings.

use std::sync::Arc;

use crate::model::{Head, Place};

/// A change that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Change as a request: ``set `httpsOnly` to `true` ``.
    pub title: String,
    /// Edits, which have to be applied together, and do not overlap. Empty if only the lines are known.
    pub edits: Vec<Edit>,
    /// True if it is only likely that the author wants the change, so that it is only applied on request.
    pub is_guess: bool,
    /// Change of whole lines with the same result, for a review comment, if there is one.
    pub lines: Option<ReplacedLines>,
}

/// Replacement of one range of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Text to remove; empty for an insertion.
    pub place: Place,
    /// Text to insert.
    pub replacement: String,
}

/// Replacement of whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLines {
    /// Name of the file.
    pub file: Arc<str>,
    /// First line to remove, from 1.
    pub first: u32,
    /// Last line to remove.
    pub last: u32,
    /// Lines to insert, joined by `
    /// `, without a line ending after the last.
    pub text: String,
    /// Lines in the head of the pull request, if they differ.
    pub head: Option<Box<Head>>,
}
