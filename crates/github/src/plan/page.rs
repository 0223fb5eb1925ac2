//! Markdown of limited length, in which each block is either complete or omitted, and links to locations.

use std::fmt::Write as _;

use crate::published::{Basis, InPullRequest, Lines};
use crate::report::model::Place;
use crate::text::cut;
use crate::text::escape::markdown::{address, code};
use crate::text::escape::uri_path;

/// Maximum length of a linked path, in bytes.
const MAX_LINKED: usize = 400;

/// Maximum length of a shown path, in bytes.
const MAX_SHOWN: usize = 1_000;

/// Markdown that accepts blocks up to a limit.
#[derive(Clone, Debug)]
pub(super) struct Page {
    text: String,
    limit: usize,
}

impl Page {
    /// Creates an empty page for `limit` bytes. GitHub's limits are in characters, which are never more than the
    /// bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    /// Appends a block if all of it fits. Returns `true` if it did.
    pub(super) fn push(&mut self, block: &str) -> bool {
        let fits = self.text.len() + block.len() <= self.limit;
        if fits {
            self.text.push_str(block);
        }
        fits
    }

    /// Appends a table with as many rows as fit, and returns their number.
    pub(super) fn table(&mut self, head: &str, rows: &[String]) -> usize {
        if rows.first().is_none_or(|row| self.text.len() + head.len() + row.len() > self.limit) {
            return 0;
        }
        self.push(head);
        rows.iter().take_while(|row| self.push(row)).count()
    }

    /// Raises the limit by `bytes`.
    pub(super) fn widen(&mut self, bytes: usize) {
        self.limit += bytes;
    }

    /// Reserves `bytes` for later blocks.
    pub(super) fn narrow(&mut self, bytes: usize) {
        self.limit = self.limit.saturating_sub(bytes);
    }

    /// Returns the number of bytes that still fit.
    pub(super) fn room(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    /// Returns the Markdown so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// Targets of links to locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links<'a> {
    /// Address of GitHub.
    pub(super) server: &'a str,
    /// Repository, as `owner/name`.
    pub(super) repository: &'a str,
    /// Commit whose files are linked.
    pub(super) head: &'a str,
    /// Relation of the report's lines to the lines of this commit.
    pub(super) basis: Basis,
    /// True to include line numbers. Text that is compared between runs omits them, because lines move.
    pub(super) has_lines: bool,
}

impl Links<'_> {
    /// Returns `file:line`, as a link if the head has the line.
    pub(super) fn place(&self, place: &Place) -> String {
        let file = cut(place.file.name(), MAX_SHOWN);
        if !self.has_lines {
            return code(&file);
        }
        let Some((path, lines)) = place.in_head(self.basis) else {
            return code(&format!("{file}:{}", place.lines().start));
        };
        self.lines(path, lines)
    }

    /// Returns `file:line` of the head, as a link.
    pub(super) fn lines(&self, path: &str, lines: Lines) -> String {
        linked(self.blob(path, lines).as_deref(), &code(&format!("{path}:{}", lines.start)))
    }

    /// Returns the first digits of the commit.
    pub(super) fn commit(&self) -> String {
        let short: String = self.head.chars().take(7).collect();
        linked(Some(&format!("{}/{}/commit/{}", self.server, self.repository, self.head)), &code(&short))
    }

    fn blob(&self, path: &str, lines: Lines) -> Option<String> {
        if path.len() > MAX_LINKED {
            return None;
        }
        let mut uri = format!("{}/{}/blob/{}/{}", self.server, self.repository, self.head, uri_path(path));
        let _ = write!(uri, "#L{}", lines.start);
        if lines.end > lines.start {
            let _ = write!(uri, "-L{}", lines.end);
        }
        Some(uri)
    }
}

/// Returns escaped Markdown, as a link if there is an address.
pub(super) fn linked(uri: Option<&str>, label: &str) -> String {
    match uri.and_then(address) {
        Some(uri) => format!("<a href=\"{uri}\">{label}</a>"),
        None => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_row_or_is_left_out() {
        let rows = ["xyz".to_owned(), "uvw".to_owned()];
        for (limit, count, text) in [(5, 0, ""), (6, 1, "abcxyz"), (8, 1, "abcxyz"), (9, 2, "abcxyzuvw")] {
            let mut page = Page::new(limit);
            assert_eq!((page.table("abc", &rows), page.text()), (count, text), "{limit}");
        }
        assert_eq!(Page::new(9).table("abc", &[]), 0);
    }
}
