//! An open document, as requests see it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types as lsp;

use crate::folder::Folder;
use crate::outline;
use crate::server::Server;
use crate::text::Text;

/// An open document, with the results of its folder.
pub(crate) struct View<'a> {
    pub(crate) server: &'a Server,
    pub(crate) path: PathBuf,
    pub(crate) text: &'a Text,
    /// Folder in which it is checked.
    pub(crate) root: PathBuf,
    /// Results, once there are some.
    pub(crate) folder: Option<&'a Folder>,
    /// Name in reports, if it was read.
    pub(crate) name: Option<Arc<str>>,
}

impl View<'_> {
    pub(crate) fn range(&self, range: Range<usize>) -> lsp::Range {
        self.text.range(&range, self.server.client.encoding)
    }

    pub(crate) fn offset(&self, position: lsp::Position) -> usize {
        self.text.offset(position, self.server.client.encoding)
    }

    /// True if another extension covers the declarations of the file.
    pub(crate) fn is_of_others(&self) -> bool {
        self.server.client.options.beside.has(&self.path, || outline::is_of_aws(self.text.text()))
    }

    /// Returns the bytes of the name around an offset.
    pub(crate) fn word(&self, offset: usize) -> Range<usize> {
        let text = self.text.text();
        let before = text.get(..offset).unwrap_or_default().chars().rev().take_while(is_name_part);
        let before: usize = before.map(char::len_utf8).sum();
        let after = text.get(offset..).unwrap_or_default().chars().take_while(is_name_part);
        let after: usize = after.map(char::len_utf8).sum();
        offset - before..offset + after
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the predicate of an iterator")]
fn is_name_part(c: &char) -> bool {
    c.is_alphanumeric() || *c == '_'
}
