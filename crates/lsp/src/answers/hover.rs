//! The value of what is under the cursor, in each environment.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gen_lsp_types as lsp;

use crate::checks::{Shown, Written};
use crate::environment;
use crate::view::View;

/// How many environments are shown.
const MAX_ROWS: usize = 8;

/// How many values of a loop are shown in one environment.
const MAX_VALUES: usize = 3;

/// How many characters of a value are shown.
const MAX_LENGTH: usize = 60;

/// A table of the values. `None` where nothing is computed.
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

type Found<'a> = (std::ops::Range<usize>, String, Vec<&'a Shown>);

/// The parameter or variable whose name is under the cursor.
fn name<'a>(view: &'a View<'_>, offset: usize) -> Option<Found<'a>> {
    let range = view.word(offset);
    let word = view.text.text().get(range.clone()).filter(|word| !word.is_empty())?;
    let before = view.text.text().get(..range.start)?;
    if before.ends_with('.') {
        return None;
    }
    let is_it = |value: &&Shown| matches!(&value.of, Written::Name(name) if name.eq_ignore_ascii_case(word));
    let values: Vec<&Shown> = view.folder?.values(view.name.as_deref()?).filter(is_it).collect();
    (!values.is_empty()).then(|| (range, word.to_owned(), values))
}

/// The property under the cursor, or whose value is.
fn property<'a>(view: &'a View<'_>, offset: usize) -> Option<Found<'a>> {
    let line = view.text.content(view.text.line(offset))?;
    let place = |value: &Shown| match value.of {
        Written::Property { start, end } if start >= line.start && start <= offset => Some(start..end),
        _ => None,
    };
    let values: Vec<&Shown> = view.folder?.values(view.name.as_deref()?).collect();
    let range = values.iter().filter_map(|value| place(value)).max_by_key(|range| range.start)?;
    // Another property between it and the cursor is a literal, of which there is nothing to say.
    let between = view.text.text().get(range.end..offset.max(range.end))?;
    if between.contains([',', '}']) {
        return None;
    }
    let values: Vec<&Shown> = values.into_iter().filter(|value| place(value).as_ref() == Some(&range)).collect();
    let title = values.first()?.of.name(view.text.text()).to_owned();
    Some((range, title, values))
}

/// The environment of a value. In a module, it is the way in.
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

/// A text in a cell of a table: one line, without what ends a cell or code.
fn cell(text: &str) -> String {
    let safe = |c: char| match c {
        '|' => '¦',
        '`' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    let mut cut: String = text.chars().take(MAX_LENGTH).map(safe).collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        cut.push('…');
    }
    cut
}
