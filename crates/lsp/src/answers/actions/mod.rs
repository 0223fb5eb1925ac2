//! Code actions for findings.

mod parameters;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types as lsp;
use lsp_server::ErrorCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answers::{Answer, Refusal, baseline};
use crate::diagnostics::SOURCE;
use crate::items::{Item, Site, TextChange};
use crate::server::Server;
use crate::view::View;

pub(crate) const QUICK_FIX: &str = "quickfix";

/// Command that opens a page.
pub(crate) const OPEN: &str = "formwork.openPage";

/// Maximum number of findings in a range that have actions. Users choose among those of a line, but a client may
/// request a whole file.
const MAX_FINDINGS: usize = 50;

/// Kind of the action that applies all safe fixes of a file.
pub(crate) const FIX_ALL: &str = "source.fixAll.formwork";

/// Parameters of a request. Its diagnostics are returned unchanged, because those of a whole file are many.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    pub(crate) text_document: lsp::TextDocumentIdentifier,
    range: lsp::Range,
    context: Context,
}

#[derive(Debug, Deserialize)]
struct Context {
    diagnostics: Vec<Value>,
    only: Option<Vec<String>>,
}

/// Returns the actions for the findings in a range.
pub(crate) fn actions(view: &View<'_>, asked: &Asked) -> Vec<Value> {
    let only = &asked.context.only;
    let Some(folder) = view.folder else { return Vec::new() };
    let [start, end] = [asked.range.start, asked.range.end].map(|end| view.offset(end));
    let (first, last) = (view.text.line(start.min(end)), view.text.line(start.max(end)));
    // The client may send all diagnostics of a file, of which a line has few.
    let shown = asked.context.diagnostics.iter();
    let shown = shown.filter_map(|one| Some((one.pointer("/range/start/line")?.as_u64()?, one)));
    let shown: Vec<(u64, &Value)> = shown.collect();
    let mut actions = Vec::new();
    if is_requested(only.as_deref(), QUICK_FIX) {
        for item in folder.items().iter().filter(|item| is_on_lines(view, item, first, last)).take(MAX_FINDINGS) {
            let range = view.range(item.site.range.clone());
            let (line, range) = (u64::from(range.start.line), json!(range));
            let known = shown.iter().filter(|(at, one)| *at == line && is_of(one, item) && one["range"] == range);
            let diagnostics: Vec<&Value> = known.map(|(_, one)| *one).collect();
            actions.extend(item.change.as_ref().and_then(|change| fix(view, change, &diagnostics)));
            let of_parameters = parameters::changes(view, item);
            actions.extend(of_parameters.iter().filter_map(|change| fix(view, change, &diagnostics)));
            actions.extend(open_page(view, item, &diagnostics));
            if item.is_finding && !item.is_undecided {
                actions.extend(suppress(view, item, &diagnostics));
                actions.extend(baseline::accept(view, item, &diagnostics));
                actions.extend(turn_off(view, item, &diagnostics));
            }
        }
    }
    // Asked for explicitly, or offered with the fixes of a line.
    if is_requested(only.as_deref(), FIX_ALL) && only.is_some() {
        actions.extend(fix_all(view, folder.items()));
    }
    actions
}

/// True if a client requests actions of a kind. `source` includes `source.fixAll`.
fn is_requested(only: Option<&[String]>, kind: &str) -> bool {
    only.is_none_or(|kinds| {
        kinds
            .iter()
            .any(|asked| kind.strip_prefix(asked.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    })
}

fn is_on_lines(view: &View<'_>, item: &Item, first: usize, last: usize) -> bool {
    let Site { file, range } = &item.site;
    *file == view.path && view.text.line(range.start) <= last && first <= view.text.line(range.end)
}

fn is_of(diagnostic: &Value, item: &Item) -> bool {
    diagnostic["code"] == item.code.as_str() && diagnostic["source"] == SOURCE
}

fn fix(view: &View<'_>, change: &TextChange, diagnostics: &[&Value]) -> Option<Value> {
    let mut title = change.title.clone();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if change.is_guess {
        title.push_str(" (check the result)");
    }
    let edit = edit(view, &change.parts)?;
    Some(
        json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "isPreferred": !change.is_guess, "edit": edit}),
    )
}

/// Returns the action that opens the page of a rule, for a client that does not link to it.
fn open_page(view: &View<'_>, item: &Item, diagnostics: &[&Value]) -> Option<Value> {
    let client = &view.server.client;
    let page = item.page.as_ref().filter(|_| client.opens_links && !client.shows_pages)?;
    let title = format!("Open the page of {}", item.code);
    let command = json!({"title": title, "command": OPEN, "arguments": [page]});
    Some(json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "command": command}))
}

/// Opens the page in the argument.
pub(crate) fn open(server: &mut Server, parameters: &Value) -> Result<Answer, Refusal> {
    let page = parameters.pointer("/arguments/0").and_then(Value::as_str).filter(|page| page.starts_with("https://"));
    let Some(page) = page else { return Err((ErrorCode::InvalidParams, "expected the page of a rule".to_owned())) };
    server.ask("window/showDocument", json!({"uri": page, "external": true}));
    Ok(Answer::Now(Value::Null))
}

/// Returns the action that applies the safe fixes of a file whose edits do not overlap. The next request returns the
/// remaining ones.
fn fix_all(view: &View<'_>, items: &[Arc<Item>]) -> Option<Value> {
    let mut taken: Vec<(Site, String)> = Vec::new();
    let safe = items.iter().filter(|item| item.site.file == view.path);
    for change in safe.filter_map(|item| item.change.as_ref()).filter(|change| !change.is_guess) {
        let is_here = change.parts.iter().all(|(site, _)| site.file == view.path);
        if is_here && !change.parts.iter().any(|(site, _)| overlaps(&taken, site)) {
            taken.extend(change.parts.iter().cloned());
        }
    }
    let edit = edit(view, &taken).filter(|_| !taken.is_empty())?;
    Some(json!({"title": "Fix all safe findings of formwork", "kind": FIX_ALL, "edit": edit}))
}

fn overlaps(taken: &[(Site, String)], site: &Site) -> bool {
    taken.iter().any(|(other, _)| touches(&site.range, &other.range))
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}

/// Returns an edit of the current texts, or `None` if one of them is unknown.
fn edit(view: &View<'_>, parts: &[(Site, String)]) -> Option<Value> {
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (site, text) in parts {
        let range = view.server.text(&site.file)?.range(&site.range, view.server.client.encoding);
        let uri = view.server.uri(&site.file);
        changes.entry(uri).or_default().push(json!({"range": range, "newText": text}));
    }
    Some(json!({"changes": changes}))
}

/// Returns the action that inserts a suppression on the line above, with the cursor in its reason if the client
/// supports snippets.
fn suppress(view: &View<'_>, item: &Item, diagnostics: &[&Value]) -> Option<Value> {
    let line = view.text.content(view.text.line(item.site.range.start))?;
    let text = view.text.text().get(line.clone())?;
    let indent = text.get(..text.len() - text.trim_start().len())?;
    let extension = view.path.extension().unwrap_or_default().to_string_lossy();
    let mark = if ["yaml", "yml", "template"].contains(&&*extension) { "#" } else { "//" };
    let comment = format!("{indent}{mark} formwork:ignore {} -- ", item.code);
    let range = view.range(line.start..line.start);
    let uri = view.server.uri(&view.path);
    let edit = if view.server.client.has_snippets {
        let version = view.server.documents.get(&view.path)?.version;
        let snippet = json!({"kind": "snippet", "value": format!("{}${{1:reason}}\n", escaped(&comment))});
        let edits = json!([{"range": range, "snippet": snippet}]);
        json!({"documentChanges": [{"textDocument": {"uri": uri, "version": version}, "edits": edits}]})
    } else {
        json!({"changes": {uri: [{"range": range, "newText": format!("{comment}\n")}]}})
    };
    let title = format!("Suppress {} with a reason", item.code);
    Some(json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "edit": edit}))
}

/// Escapes a text for a snippet, in which `$` and `}` have a meaning.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// Returns the action that adds an entry to `rules.exclude` of the settings, if their form is known.
fn turn_off(view: &View<'_>, item: &Item, diagnostics: &[&Value]) -> Option<Value> {
    let path = settings(&view.root)?;
    let open = view.server.documents.get(&path).map(|document| document.text.clone());
    let text = open.or_else(|| view.server.text(&path).cloned())?;
    let (at, entry) = exclude(text.text(), &item.code)?;
    let range = text.range(&(at..at), view.server.client.encoding);
    let uri = view.server.uri(&path);
    let title = format!("Turn {} off in {}", item.code, path.file_name()?.to_string_lossy());
    let edit = json!({"changes": {uri: [{"range": range, "newText": entry}]}});
    Some(json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "edit": edit}))
}

/// Returns the settings file of a folder.
fn settings(root: &Path) -> Option<PathBuf> {
    root.ancestors().map(|folder| folder.join("formwork.yaml")).find(|path| path.is_file())
}

/// Returns the position and text that exclude a rule in settings, or `None` if their form is unknown.
fn exclude(text: &str, id: &str) -> Option<(usize, String)> {
    let mut start = 0;
    let mut of_rules: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let (content, end) = (line.trim_end(), start + line.len());
        let is_inside = of_rules.is_some() && content.starts_with(' ');
        match content.trim_start().strip_prefix("exclude:") {
            Some(list) if is_inside => {
                let list = list.trim();
                let at = start + content.len();
                return match (list.strip_prefix('['), list.strip_suffix(']')) {
                    (Some("]"), Some(_)) => Some((at - 1, id.to_owned())),
                    (Some(_), Some(_)) => Some((at - 1, format!(", {id}"))),
                    (None, None) if list.is_empty() => Some((end, format!("    - {id}\n"))),
                    _ => None,
                };
            }
            _ if content == "rules:" => of_rules = Some(end),
            // Another key of the first level.
            _ if !content.is_empty() && !content.starts_with([' ', '#']) => {
                if content.starts_with("rules:") {
                    return None;
                }
                if let Some(end) = of_rules {
                    return Some((end, format!("  exclude: [{id}]\n")));
                }
            }
            _ => {}
        }
        start = end;
    }
    let line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    match of_rules {
        Some(end) => Some((end, format!("{}  exclude: [{id}]\n", if end == text.len() { line } else { "" }))),
        None => Some((text.len(), format!("{line}rules:\n  exclude: [{id}]\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_excluded_where_the_settings_exclude_rules() {
        for (text, expected) in [
            ("", Some("rules:\n  exclude: [X]\n")),
            ("a: 1", Some("a: 1\nrules:\n  exclude: [X]\n")),
            ("rules:\n  exclude: [A]\nb: 1\n", Some("rules:\n  exclude: [A, X]\nb: 1\n")),
            ("rules:\n  exclude: []\n", Some("rules:\n  exclude: [X]\n")),
            ("rules:\n  paths: [a]\nb: 1\n", Some("rules:\n  exclude: [X]\n  paths: [a]\nb: 1\n")),
            ("rules:\n  exclude:\n    - A\n", Some("rules:\n  exclude:\n    - X\n    - A\n")),
            ("exclude: [a]\nrules:\n  paths: [a]\n", Some("exclude: [a]\nrules:\n  exclude: [X]\n  paths: [a]\n")),
            ("rules: {exclude: [A]}\n", None),
            ("rules:\n  exclude: [\n  A]\n", None),
        ] {
            let edited = exclude(text, "X")
                .map(|(at, entry)| [text.get(..at).unwrap(), &entry, text.get(at..).unwrap()].concat());
            assert_eq!(edited.as_deref(), expected, "{text}");
        }
    }
}
