//! What can be done about a finding.

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
use crate::items::{Change, Item, Site};
use crate::server::Server;
use crate::view::View;

pub(crate) const QUICK_FIX: &str = "quickfix";

/// The command that opens a page.
pub(crate) const OPEN: &str = "formwork.openPage";

/// For how many findings of a range there are actions. A person chooses among those of a line; a client may ask for a whole file.
const MAX_FINDINGS: usize = 50;

/// All safe fixes of a file.
pub(crate) const FIX_ALL: &str = "source.fixAll.formwork";

/// What a client asks for. Its diagnostics come back as they are: those of a whole file are many.
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

/// The actions for the findings in a range.
pub(crate) fn actions(view: &View<'_>, asked: &Asked) -> Vec<Value> {
    let only = &asked.context.only;
    // `source` asks for `source.fixAll` as well.
    let is_asked = |kind: &str| {
        only.as_ref().is_none_or(|kinds| {
            kinds.iter().any(|asked| {
                kind.strip_prefix(asked.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        })
    };
    let Some(folder) = view.folder else { return Vec::new() };
    let [start, end] = [asked.range.start, asked.range.end].map(|end| view.offset(end));
    let (first, last) = (view.text.line(start.min(end)), view.text.line(start.max(end)));
    let is_here = |item: &&Arc<Item>| {
        let Site { file, range } = &item.site;
        *file == view.path && view.text.line(range.start) <= last && first <= view.text.line(range.end)
    };
    // A client may send all diagnostics of a file, of which a line has few.
    let line = |one: &Value| one.pointer("/range/start/line")?.as_u64();
    let shown: Vec<(u64, &Value)> =
        asked.context.diagnostics.iter().filter_map(|one| Some((line(one)?, one))).collect();
    let mut actions = Vec::new();
    if is_asked(QUICK_FIX) {
        for item in folder.items().iter().filter(is_here).take(MAX_FINDINGS) {
            let range = view.range(item.site.range.clone());
            let (line, range) = (u64::from(range.start.line), json!(range));
            let known = |(at, one): &&(u64, &Value)| *at == line && is_of(one, item) && one["range"] == range;
            let diagnostics: Vec<&Value> = shown.iter().filter(known).map(|(_, one)| *one).collect();
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
    if is_asked(FIX_ALL) && only.is_some() {
        actions.extend(fix_all(view, folder.items()));
    }
    actions
}

fn is_of(diagnostic: &Value, item: &Item) -> bool {
    diagnostic["code"] == item.code.as_str() && diagnostic["source"] == SOURCE
}

fn fix(view: &View<'_>, change: &Change, diagnostics: &[&Value]) -> Option<Value> {
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

/// Opens the page of a rule, for a client that does not link to it.
fn open_page(view: &View<'_>, item: &Item, diagnostics: &[&Value]) -> Option<Value> {
    let client = &view.server.client;
    let page = item.page.as_ref().filter(|_| client.opens_links && !client.shows_pages)?;
    let title = format!("Open the page of {}", item.code);
    let command = json!({"title": title, "command": OPEN, "arguments": [page]});
    Some(json!({"title": title, "kind": QUICK_FIX, "diagnostics": diagnostics, "command": command}))
}

/// Opens the page that is the argument.
pub(crate) fn open(server: &mut Server, parameters: &Value) -> Result<Answer, Refusal> {
    let page = parameters.pointer("/arguments/0").and_then(Value::as_str).filter(|page| page.starts_with("https://"));
    let Some(page) = page else { return Err((ErrorCode::InvalidParams, "expected the page of a rule".to_owned())) };
    server.ask("window/showDocument", json!({"uri": page, "external": true}));
    Ok(Answer::Now(Value::Null))
}

/// The safe fixes of a file whose edits do not overlap. What remains, the next request has.
fn fix_all(view: &View<'_>, items: &[Arc<Item>]) -> Option<Value> {
    let mut taken: Vec<(Site, String)> = Vec::new();
    let safe = items.iter().filter(|item| item.site.file == view.path);
    for change in safe.filter_map(|item| item.change.as_ref()).filter(|change| !change.is_guess) {
        let is_here = change.parts.iter().all(|(site, _)| site.file == view.path);
        let overlaps = |(site, _): &(Site, String)| taken.iter().any(|(other, _)| touches(&site.range, &other.range));
        if is_here && !change.parts.iter().any(overlaps) {
            taken.extend(change.parts.iter().cloned());
        }
    }
    let edit = edit(view, &taken).filter(|_| !taken.is_empty())?;
    Some(json!({"title": "Fix all safe findings of formwork", "kind": FIX_ALL, "edit": edit}))
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}

/// An edit of the texts as they are now. `None` if one of them is not known.
fn edit(view: &View<'_>, parts: &[(Site, String)]) -> Option<Value> {
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (site, text) in parts {
        let range = view.server.text(&site.file)?.range(&site.range, view.server.client.encoding);
        let uri = view.server.uri(&site.file);
        changes.entry(uri).or_default().push(json!({"range": range, "newText": text}));
    }
    Some(json!({"changes": changes}))
}

/// A comment on the line above, with the cursor in its reason where the client can do that.
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

/// A text in a snippet, in which `$` and `}` mean something.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// An entry in `rules.exclude` of the settings, where it is plain how to write it.
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

/// The settings file of a folder.
fn settings(root: &Path) -> Option<PathBuf> {
    root.ancestors().map(|folder| folder.join("formwork.yaml")).find(|path| path.is_file())
}

/// Where to insert what into settings, so that they exclude a rule. `None` if they are written in another way.
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
