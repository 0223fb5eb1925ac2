//! Accepting findings in the baseline that the settings name.

use std::ops::Range;

use serde_json::{Value, json};

use crate::answers::actions::QUICK_FIX;
use crate::checks::Baseline;
use crate::items::Item;
use crate::view::View;

/// Returns the action that adds the findings of an item to the baseline. `None` if the settings name none, or if the
/// form of the file is unknown.
pub(crate) fn accept(view: &View<'_>, item: &Item, diagnostics: &[&Value]) -> Option<Value> {
    let Baseline { path, entry } = view.folder?.baseline()?;
    let text = view.server.text(path)?;
    let entries: Vec<String> = item.accepted.iter().map(|accepted| entry(accepted, &view.root)).collect();
    let (at, entries) = added(text.text(), &entries)?;
    let range = text.range(&at, view.server.client.encoding);
    let title = format!("Accept {} in {}", item.code, path.file_name()?.to_string_lossy());
    let edit = json!({"changes": {view.server.uri(path): [{"range": range, "newText": entries}]}});
    Some(json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "edit": edit}))
}

/// Returns the insertion that adds entries at the end of a baseline.
fn added(text: &str, entries: &[String]) -> Option<(Range<usize>, String)> {
    let before = text.get(..text.rfind(']')?)?.trim_end();
    let at = before.len()..before.len();
    if entries.is_empty() {
        return None;
    }
    let entries = entries.join(",\n").replace('\n', "\n    ");
    match before.chars().next_back()? {
        '}' => Some((at, format!(",\n    {entries}"))),
        '[' => Some((at, format!("\n    {entries}\n  "))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_written_as_a_baseline_has_them() {
        let page = |findings: &[&Value]| {
            serde_json::to_string_pretty(&json!({"schema": "formwork/baseline/v1", "findings": findings})).unwrap()
                + "\n"
        };
        let [zero, one, two] = ["]", "1", "2"].map(|name| json!({"fingerprint": name, "parameters": [name]}));
        let new = [&one, &two].map(|entry| serde_json::to_string_pretty(entry).unwrap());
        for old in [vec![], vec![&zero]] {
            let text = page(&old);
            let (at, inserted) = added(&text, &new).unwrap();
            let edited = [text.get(..at.start).unwrap(), &inserted, text.get(at.end..).unwrap()].concat();
            assert_eq!(edited, page(&[&old[..], &[&one, &two]].concat()));
        }
        assert_eq!(added("{}", &new), None);
        assert_eq!(added("{\"findings\": [1]}", &new), None);
        assert_eq!(added("{\"findings\": []}", &[]), None);
    }
}
