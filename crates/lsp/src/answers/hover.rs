//! Value of the expression under the cursor, in each environment.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use gen_lsp_types as lsp;

use crate::checks::{Shown, Written};
use crate::environment;
use crate::view::View;

/// Maximum number of environments.
const MAX_ROWS: usize = 8;

/// Maximum number of values of a loop in one environment.
const MAX_VALUES: usize = 3;

/// Maximum number of characters of a value.
const MAX_LENGTH: usize = 60;

/// Returns a table of the values. `None` if nothing is computed there.
pub(crate) fn hover(view: &View<'_>, position: lsp::Position) -> Option<lsp::Hover> {
    let offset = view.offset(position);
    let (range, title, values) = name(view, offset).or_else(|| property(view, offset))?;
    let mut rows: BTreeMap<String, Vec<&Shown>> = BTreeMap::new();
    for value in values {
        rows.entry(place(view, value)).or_default().push(value);
    }
    let mut text = format!("`{title}`\n\n| in | value | from |\n|---|---|---|\n");
    for (place, values) in rows.iter().take(MAX_ROWS) {
        text.push_str(&row(place, values));
    }
    if rows.len() > MAX_ROWS {
        let _ = writeln!(text, "\nand in {} more", rows.len() - MAX_ROWS);
    }
    let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: text };
    Some(lsp::Hover { contents: contents.into(), range: Some(view.range(range)) })
}

type HoverTarget<'a> = (Range<usize>, String, Vec<&'a Shown>);

/// Returns the parameter or variable under the cursor.
fn name<'a>(view: &'a View<'_>, offset: usize) -> Option<HoverTarget<'a>> {
    let range = view.word(offset);
    let word = view.text.text().get(range.clone()).filter(|word| !word.is_empty())?;
    let before = view.text.text().get(..range.start)?;
    if before.ends_with('.') {
        return None;
    }
    let values = view.folder?.values(view.name.as_deref()?);
    let values = values.filter(|value| matches!(&value.of, Written::Name(name) if name.eq_ignore_ascii_case(word)));
    let values: Vec<&Shown> = values.collect();
    (!values.is_empty()).then(|| (range, word.to_owned(), values))
}

/// Returns the property under the cursor, by its name or value.
fn property<'a>(view: &'a View<'_>, offset: usize) -> Option<HoverTarget<'a>> {
    let line = view.text.content(view.text.line(offset))?;
    let values: Vec<&Shown> = view.folder?.values(view.name.as_deref()?).collect();
    let range =
        values.iter().filter_map(|value| property_range(value, line.start, offset)).max_by_key(|range| range.start)?;
    // Another property between it and the cursor has a literal value, which has no hover.
    let between = view.text.text().get(range.end..offset.max(range.end))?;
    if between.contains([',', '}']) {
        return None;
    }
    let values: Vec<&Shown> =
        values.into_iter().filter(|value| property_range(value, line.start, offset).as_ref() == Some(&range)).collect();
    let title = values.first()?.of.name(view.text.text()).to_owned();
    Some((range, title, values))
}

/// Returns the range of the value of a property whose value starts between two offsets.
fn property_range(value: &Shown, first: usize, last: usize) -> Option<Range<usize>> {
    match value.of {
        Written::Property { start, end } if start >= first && start <= last => Some(start..end),
        _ => None,
    }
}

/// Returns the environment of a value. For a module, names the template that deploys it.
fn place(view: &View<'_>, value: &Shown) -> String {
    let environment = environment::name(&value.template, value.parameters.as_deref());
    let is_own = view.name.as_ref() == Some(&value.template) || view.name == value.parameters;
    if is_own { environment } else { format!("via {} ({environment})", value.template) }
}

fn row(place: &str, values: &[&Shown]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for value in values {
        let text = if value.is_known {
            format!("`{}`", cell(&value.value))
        } else {
            format!("unknown: {}", cell(&value.value))
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let more = texts.len().saturating_sub(MAX_VALUES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown: Vec<String> = texts.into_iter().take(MAX_VALUES).collect();
    let from = values.first().and_then(|value| value.from.as_ref());
    let from =
        from.map_or_else(String::new, |(file, line)| format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)));
    format!("| {} | {}{more} | {} |\n", cell(place), shown.join(", "), cell(&from))
}

/// Escapes a text for a cell of a table: one line, without characters that end a cell or code.
fn cell(text: &str) -> String {
    let safe = text.chars().take(MAX_LENGTH).map(|c| match c {
        '|' => '¦',
        '`' => '\'',
        c if c.is_control() => ' ',
        c => c,
    });
    let mut cut: String = safe.collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        cut.push('…');
    }
    cut
}
