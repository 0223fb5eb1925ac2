//! Which diagnostics a client has, and which it is to be sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gen_lsp_types as lsp;

use crate::documents::Documents;

/// What the client was last sent of each file.
#[derive(Debug, Default)]
pub(crate) struct Published {
    files: BTreeMap<PathBuf, (Option<i32>, Vec<lsp::Diagnostic>)>,
    /// The versions of documents that were checked last.
    checked: BTreeMap<PathBuf, i32>,
    /// How the client writes the URIs of the files that it has opened.
    uris: BTreeMap<PathBuf, String>,
}

impl Published {
    /// The URI of a file, as the client writes it.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.uris.get(path).cloned().unwrap_or_else(|| crate::uri::of_path(path))
    }

    /// Remembers the URI of a document that is opened. It has not been sent anything.
    pub(crate) fn open(&mut self, path: &Path, uri: &str) {
        self.uris.insert(path.to_path_buf(), uri.to_owned());
        self.checked.remove(path);
        if let Some((version, _)) = self.files.get_mut(path) {
            *version = None;
        }
    }

    /// Remembers which versions a check has seen.
    pub(crate) fn note(&mut self, versions: &BTreeMap<PathBuf, i32>) {
        self.checked.extend(versions.iter().map(|(path, version)| (path.clone(), *version)));
    }

    /// The messages after which the client has these diagnostics. A document whose text was checked again has one in any case.
    pub(crate) fn update(
        &mut self,
        mut drawn: BTreeMap<PathBuf, Vec<lsp::Diagnostic>>,
        documents: &Documents,
    ) -> Vec<lsp::PublishDiagnosticsParams> {
        let open = documents.iter().map(|(path, _)| path.to_path_buf());
        let paths: BTreeSet<PathBuf> = drawn.keys().chain(self.files.keys()).cloned().chain(open).collect();
        let mut messages = Vec::new();
        for path in paths {
            let diagnostics = drawn.remove(&path).unwrap_or_default();
            let is_open = documents.get(&path).is_some();
            let version = self.checked.get(&path).copied().filter(|_| is_open);
            if is_open && version.is_none() {
                continue;
            }
            let known = self.files.get(&path);
            let is_same = known.map_or(diagnostics.is_empty() && !is_open, |(sent, known)| {
                *known == diagnostics && (*sent == version || !is_open)
            });
            if is_same {
                continue;
            }
            let uri = lsp::Uri(self.uri(&path));
            if diagnostics.is_empty() && !is_open {
                self.files.remove(&path);
            } else {
                self.files.insert(path, (version, diagnostics.clone()));
            }
            messages.push(lsp::PublishDiagnosticsParams { uri, version, diagnostics });
        }
        messages
    }
}
