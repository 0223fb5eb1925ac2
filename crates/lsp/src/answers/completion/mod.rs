//! Completions that other servers do not have: rules in suppressions, settings, and parameters in parameter files.

mod parameters;
mod settings;
mod suppression;

use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::view::View;

/// Returns the completions at a position.
pub(crate) fn completion(view: &View<'_>, position: lsp::Position) -> Option<Value> {
    let offset = view.offset(position);
    let name = view.path.file_name()?.to_str()?;
    if let Some(rules) = suppression::rules(view, offset) {
        return Some(rules);
    }
    match name {
        "formwork.yaml" if view.server.client.options.beside.yaml => None,
        "formwork.yaml" => {
            let rules: Vec<&str> = view.folder.into_iter().flat_map(Folder::rules).map(|rule| &*rule.id).collect();
            let items = settings::items(view.server.schema(), &rules, view.text.text(), offset);
            Some(items.into_iter().map(CompletionEntry::drawn).collect())
        }
        _ => parameters::items(view, offset),
    }
}

/// A completion item.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CompletionEntry {
    label: String,
    detail: Option<String>,
    kind: lsp::CompletionItemKind,
    /// Inserted text, if it differs from the label.
    inserted: Option<String>,
}

impl CompletionEntry {
    fn value(label: &str) -> Self {
        Self { label: label.to_owned(), detail: None, kind: lsp::CompletionItemKind::Value, inserted: None }
    }

    fn drawn(self) -> Value {
        let inserted = self.inserted.unwrap_or_else(|| self.label.clone());
        json!({"label": self.label, "kind": self.kind, "detail": self.detail.unwrap_or_default(), "insertText": inserted})
    }
}
