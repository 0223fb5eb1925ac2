//! Markdown of bounded length: each block is either complete or omitted. Also the links in it.

use std::fmt::Write as _;

use crate::published::{Basis, InPullRequest, Lines};
use crate::report::model::Place;
use crate::text::cut;
use crate::text::escape::markdown::{address, code};
use crate::text::escape::uri_path;

/// Longest path that is linked, in bytes.
const MAX_LINKED: usize = 400;

/// Longest path that is shown, in bytes.
const MAX_SHOWN: usize = 1_000;

/// Markdown that accepts blocks up to a limit.
#[derive(Clone, Debug)]
pub(super) struct Page {
    text: String,
    limit: usize,
}

impl Page {
    /// An empty page for `limit` bytes. GitHub's limits are in characters, which are never more than the bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    /// Appends a block if all of it fits.
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

    /// How many bytes fit.
    pub(super) fn room(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    /// The Markdown so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// The targets of links to locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links<'a> {
    /// The address of GitHub.
    pub(super) server: &'a str,
    /// The repository as `owner/name`.
    pub(super) repository: &'a str,
    /// The commit whose files are shown.
    pub(super) head: &'a str,
    /// Which lines of the report are lines of this commit.
    pub(super) basis: Basis,
    /// Whether to include line numbers. Text that is compared between runs omits them, because lines move.
    pub(super) has_lines: bool,
}

impl Links<'_> {
    /// `file:line`, as a link if the head has the line.
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

    /// `file:line` of the head, as a link.
    pub(super) fn lines(&self, path: &str, lines: Lines) -> String {
        linked(self.blob(path, lines).as_deref(), &code(&format!("{path}:{}", lines.start)))
    }

    /// The first digits of the commit.
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

/// Escaped Markdown, as a link if there is an address.
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
