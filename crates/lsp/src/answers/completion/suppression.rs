//! Completion of the rules that a suppression can name.

use std::collections::BTreeMap;

use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::view::View;

/// Start of a suppression in a comment.
const MARK: &str = "formwork:ignore";

/// Returns the IDs of rules after `formwork:ignore`. Rules with a finding on this line or the next come first.
pub(super) fn rules(view: &View<'_>, offset: usize) -> Option<Value> {
    let line = view.text.line(offset);
    let before = view.text.text().get(view.text.content(line)?.start..offset)?;
    let (_, written) = before.split_once(MARK)?;
    if written.contains("--") || written.contains(" until ") {
        return None;
    }
    let folder = view.folder?;
    let mut rules: BTreeMap<&str, (bool, String)> = BTreeMap::new();
    for rule in folder.rules() {
        rules.insert(&rule.id, (false, format!("{}: {}", rule.name, rule.short_description)));
    }
    for item in folder.items().iter().filter(|item| item.is_finding && item.site.file == view.path) {
        let at = view.text.line(item.site.range.start);
        let is_near = at == line || at == line + 1;
        let entry = rules.entry(&item.code).or_insert_with(|| (false, item.message.clone()));
        entry.0 |= is_near;
    }
    let items = rules.into_iter().map(|(id, (is_near, detail))| {
        let order = format!("{}{id}", u8::from(!is_near));
        json!({"label": id, "kind": lsp::CompletionItemKind::Constant, "detail": detail, "sortText": order})
    });
    Some(items.collect())
}
