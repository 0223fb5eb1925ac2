//! Accepts findings in the baseline that the settings name.

use std::ops::Range;
use std::path::{Path, PathBuf};

use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::answers::actions::QUICK_FIX;
use crate::items::{Accepted, Item};
use crate::server::View;
use crate::text::Text;

/// How the schema of a baseline begins, which is near the beginning of its text.
const SIGN: &str = "\"formwork/baseline/";
const HEAD: usize = 256;

/// Adds the findings of an item to the baseline. `None` if no settings name one, or if it is written in another way.
pub(crate) fn accept(view: &View<'_>, item: &Item, diagnostics: &[&lsp::Diagnostic]) -> Option<Value> {
    let (path, text) = baseline(view)?;
    let prefix = of_repository(&view.root);
    let entries: Vec<Accepted> = item.findings.iter().map(|finding| finding.below(&prefix)).collect();
    let (at, entry) = added(text.text(), &entries)?;
    let range = text.range(&at, view.server.client.encoding);
    let title = format!("Accept {} in {}", item.code, path.file_name()?.to_string_lossy());
    let edit = json!({"changes": {view.server.uri(&path): [{"range": range, "newText": entry}]}});
    Some(json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "edit": edit}))
}

/// The baseline that the last check has read, as it is now.
fn baseline<'a>(view: &'a View<'_>) -> Option<(PathBuf, &'a Text)> {
    let is_it = |text: &Text| {
        let text = text.text();
        text.get(..text.floor_char_boundary(HEAD)).is_some_and(|head| head.contains(SIGN))
    };
    let (path, _) = view.folder?.texts().iter().find(|(_, text)| is_it(text))?;
    Some((path.clone(), view.server.text(path)?))
}

/// Where a folder is in its repository: a baseline names files from there.
fn of_repository(root: &Path) -> String {
    let repository = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root);
    let inside = root.strip_prefix(repository).unwrap_or(Path::new(""));
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).chain(["".into()]).collect();
    parts.join("/")
}

/// What to insert where, so that a baseline has these entries as well, at its end.
fn added(text: &str, entries: &[Accepted]) -> Option<(Range<usize>, String)> {
    let before = text.get(..text.rfind(']')?)?.trim_end();
    let entries: Option<Vec<String>> = entries.iter().map(|entry| serde_json::to_string_pretty(entry).ok()).collect();
    let entries = entries.filter(|entries| !entries.is_empty())?.join(",\n").replace('\n', "\n    ");
    let at = before.len()..before.len();
    match before.chars().next_back()? {
        '}' => Some((at, format!(",\n    {entries}"))),
        '[' => Some((at, format!("\n    {entries}\n  "))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(fingerprint: &str, parameters: &[&str]) -> Accepted {
        Accepted {
            template: "main.bicep".to_owned(),
            rule: "A".to_owned(),
            resource: None,
            parameters: parameters.iter().map(ToString::to_string).collect(),
            fingerprint: fingerprint.to_owned(),
        }
    }

    #[test]
    fn entries_are_written_as_a_baseline_has_them() {
        let page = |findings: Value| {
            serde_json::to_string_pretty(&json!({"schema": "formwork/baseline/v1", "findings": findings})).unwrap()
                + "\n"
        };
        let entry = |accepted: Accepted| serde_json::to_value(accepted.below("infra/")).unwrap();
        let new = [accepted("1", &[]).below("infra/"), accepted("2", &["dev.bicepparam"]).below("infra/")];
        let expected = [entry(accepted("1", &[])), entry(accepted("2", &["dev.bicepparam"]))];
        for old in [vec![], vec![entry(accepted("0", &["]"]))]] {
            let text = page(json!(old));
            let (at, inserted) = added(&text, &new).unwrap();
            let edited = [text.get(..at.start).unwrap(), &inserted, text.get(at.end..).unwrap()].concat();
            assert_eq!(edited, page(json!([&old[..], &expected[..]].concat())));
        }
        assert_eq!(added("{}", &new), None);
        assert_eq!(added("{\"findings\": [1]}", &new), None);
    }
}
