//! Inlay hints with computed values, such as the names of resources.

use std::fmt::Write as _;

use gen_lsp_types as lsp;

use crate::answers::first_values;
use crate::checks::Shown;
use crate::client::Hints;
use crate::view::View;

/// Maximum number of characters of a value.
const MAX_LENGTH: usize = 40;

/// Returns hints at line ends with the values in the chosen environment: names of resources, or all values. Unknown
/// values have no hint.
pub(crate) fn hints(view: &View<'_>) -> Vec<lsp::InlayHint> {
    let values = first_values(view);
    let shown = values.iter().filter(|(_, values)| {
        values.first().is_some_and(|value| {
            view.server.client.options.hints == Hints::All || value.of.name(view.text.text()) == "name"
        })
    });
    shown.filter_map(|(start, values)| hint(view, *start, values)).collect()
}

fn hint(view: &View<'_>, start: usize, values: &[&Shown]) -> Option<lsp::InlayHint> {
    let mut texts: Vec<&str> = Vec::new();
    for text in values.iter().filter_map(|value| value.text()) {
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
