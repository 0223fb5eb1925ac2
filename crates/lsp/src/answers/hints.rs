//! The computed names of resources, beside the expressions that compute them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use gen_lsp_types as lsp;

use crate::checks::{Shown, Written};
use crate::server::View;

/// How many characters of a name are shown.
const MAX_LENGTH: usize = 40;

/// The names in the first environment. Nothing is said of what is not known.
pub(crate) fn hints(view: &View<'_>) -> Vec<lsp::InlayHint> {
    let (Some(folder), Some(name)) = (view.folder, &view.name) else { return Vec::new() };
    let mut names: BTreeMap<usize, Vec<&Shown>> = BTreeMap::new();
    for value in folder.values(name) {
        if let Written::Property { start, .. } = value.of
            && value.is_known
            && value.of.name(view.text.text()) == "name"
            && !value.value.starts_with('<')
        {
            names.entry(start).or_default().push(value);
        }
    }
    names.into_iter().filter_map(|(start, values)| hint(view, start, &values)).collect()
}

fn hint(view: &View<'_>, start: usize, values: &[&Shown]) -> Option<lsp::InlayHint> {
    let environment =
        |value: &Shown| -> (Arc<str>, Option<Arc<str>>) { (value.template.clone(), value.parameters.clone()) };
    let first = values.iter().map(|value| environment(value)).min()?;
    let mut texts: Vec<&str> = Vec::new();
    for value in values.iter().filter(|value| environment(value) == first) {
        let text = value.value.trim_matches('"');
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let one = texts.first()?;
    let mut label: String = one.chars().take(MAX_LENGTH).collect();
    if one.chars().nth(MAX_LENGTH).is_some() {
        label.push('…');
    }
    if texts.len() > 1 {
        let _ = write!(label, " × {}", texts.len());
    }
    let line = view.text.content(view.text.line(start))?;
    Some(lsp::InlayHint {
        position: view.range(line.end..line.end).start,
        label: label.into(),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    })
}
