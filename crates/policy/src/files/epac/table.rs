//! Tables in CSV. Reference: <https://www.rfc-editor.org/rfc/rfc4180>.

use formwork_syntax::json::parse_computed;

use crate::text::{FileId, Span};
use crate::value::{Member, Value};

/// Column that every table of exemptions has.
const CATEGORY: &str = "exemptionCategory";

/// Columns with lists, whose items are separated by `&`.
const LISTS: &[&str] = &["scopes", "policyDefinitionReferenceIds"];

/// Columns with JSON.
const JSON: &[&str] = &["resourceSelectors"];

/// Nesting of JSON in a cell.
const NESTING: u32 = 50;

/// Returns the entries of a table of exemptions in CSV, or `None` for another table.
pub(super) fn exemptions(text: &str, file: FileId) -> Option<Vec<Value>> {
    let mut rows = rows(text).into_iter();
    let header = rows.next()?.cells;
    if !header.iter().any(|column| column.trim().eq_ignore_ascii_case(CATEGORY)) {
        return None;
    }
    let entry = |row: Row| {
        let cells = header.iter().zip(row.cells).filter(|(_, cell)| !cell.trim().is_empty());
        let members = cells.map(|(column, cell)| Member::new(column.trim(), value(column.trim(), cell.trim())));
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Value { span: Some(Span::new(file, offset(row.start), offset(row.end))), ..Value::object(members.collect()) }
    };
    Some(rows.filter(|row| row.cells.iter().any(|cell| !cell.trim().is_empty())).map(entry).collect())
}

fn value(column: &str, cell: &str) -> Value {
    let is_one_of = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(column));
    if is_one_of(LISTS) {
        let items = cell.split('&').map(str::trim).filter(|item| !item.is_empty());
        return Value::array(items.map(Value::from).collect());
    }
    let parsed = is_one_of(JSON).then(|| parse_computed(&cell.into(), NESTING).ok()).flatten();
    parsed.unwrap_or_else(|| Value::from(cell))
}

/// A line of a table, which may have line breaks inside quotes.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    cells: Vec<String>,
    /// Offset of the first byte.
    start: usize,
    /// Offset after the last byte, without the line break.
    end: usize,
}

/// Splits a text into rows and cells.
fn rows(text: &str) -> Vec<Row> {
    const MARK: char = '\u{feff}';
    let start = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
    let mut rows = Vec::new();
    let mut row = Row { cells: Vec::new(), start, end: start };
    let (mut cell, mut is_quoted) = (String::new(), false);
    let mut characters = text.char_indices().skip_while(|(at, _)| *at < start).peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if(|(_, next)| *next == '"').is_some() => cell.push('"'),
            '"' if is_quoted || cell.is_empty() => is_quoted = !is_quoted,
            ',' if !is_quoted => row.cells.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => continue,
            '\n' if !is_quoted => {
                row.cells.push(std::mem::take(&mut cell));
                let start = at.saturating_add(1);
                rows.push(std::mem::replace(&mut row, Row { cells: Vec::new(), start, end: start }));
                continue;
            }
            _ => cell.push(character),
        }
        row.end = at.saturating_add(character.len_utf8());
    }
    if !cell.is_empty() || !row.cells.is_empty() {
        row.cells.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_at_commas_and_line_breaks_outside_quotes() {
        let text = "\u{feff}a,b\r\n\"x, \"\"y\"\"\nz\",\n,1";
        let cells: Vec<Vec<String>> = rows(text).into_iter().map(|row| row.cells).collect();
        assert_eq!(cells, [vec!["a", "b"], vec!["x, \"y\"\nz", ""], vec!["", "1"]]);
        let spans: Vec<&str> = rows(text).iter().filter_map(|row| text.get(row.start..row.end)).collect();
        assert_eq!(spans, ["a,b", "\"x, \"\"y\"\"\nz\",", ",1"]);
    }
}
