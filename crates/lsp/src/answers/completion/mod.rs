//! What can be written at the cursor, where no other server knows that: rules in suppressions, settings, and parameters in
//! parameter files.

mod parameters;
mod settings;
mod suppression;

use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::view::View;

/// What can be written at a position.
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
            Some(items.into_iter().map(Item::drawn).collect())
        }
        _ => parameters::items(view, offset),
    }
}

/// Something that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    label: String,
    detail: Option<String>,
    kind: lsp::CompletionItemKind,
    /// What is inserted, if that is not the label.
    inserted: Option<String>,
}

impl Item {
    fn value(label: &str) -> Self {
        Self { label: label.to_owned(), detail: None, kind: lsp::CompletionItemKind::Value, inserted: None }
    }

    fn drawn(self) -> Value {
        let inserted = self.inserted.unwrap_or_else(|| self.label.clone());
        json!({"label": self.label, "kind": self.kind, "detail": self.detail.unwrap_or_default(), "insertText": inserted})
    }
}
