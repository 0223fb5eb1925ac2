//! Sets parameters that a template needs in parameter files in JSON, and corrects what these set that it does not declare.

use std::ops::Range;
use std::path::Path;

use arcstr::ArcStr;
use formwork_model::text::{Span, Suggestions};
use formwork_model::value::Value;

use crate::answers::navigation;
use crate::items::{Change, Item, Site};
use crate::outline::{self, Declaration, Kind};
use crate::view::View;

/// What can be done about a parameter without a value, or a value without a parameter. None of it is certain to be what the
/// author wants.
pub(super) fn changes(view: &View<'_>, item: &Item) -> Vec<Change> {
    match item.code.as_str() {
        "parameter/missing" => set(view, item),
        "parameter/undefined" => corrected(view, item),
        _ => Vec::new(),
    }
}

/// Sets the parameter that is declared at an item in the files that do not set it.
fn set(view: &View<'_>, item: &Item) -> Vec<Change> {
    let text = view.text.text();
    let place = &item.site.range;
    let is_here =
        |one: &Declaration| one.kind == Kind::Parameter && one.place.start <= place.end && place.start <= one.place.end;
    let Some(declared) = outline::of(&view.path, text).into_iter().find(is_here) else { return Vec::new() };
    let allowed = outline::allowed(&view.path, text, &declared.name);
    let value = placeholder(declared.type_name.as_deref(), allowed.first().map(String::as_str));
    let others = item.related.iter().map(|related| &related.site.file).filter(|file| **file != view.path);
    let change = |file: &std::path::PathBuf| {
        let (at, inserted) = insertion(file, view.server.text(file)?.text(), &declared.name, &value)?;
        let title = format!("set `{}` in {}", declared.name, file.file_name()?.to_string_lossy());
        let site = Site { file: file.clone(), range: at..at };
        Some(Change { title, is_guess: true, parts: vec![(site, inserted)] })
    };
    others.filter_map(change).collect()
}

/// A value in JSON that a parameter of this type may have, for the author to replace.
fn placeholder(type_name: Option<&str>, allowed: Option<&str>) -> String {
    let type_name = type_name.unwrap_or_default().to_ascii_lowercase();
    let (empty, is_text) = match type_name.as_str() {
        "int" => ("0", false),
        "bool" => ("false", false),
        "array" => ("[]", false),
        "object" | "secureobject" => ("{}", false),
        _ if type_name.ends_with("[]") => ("[]", false),
        _ => ("", true),
    };
    let value = allowed.unwrap_or(empty);
    if is_text { Value::from(value).to_json() } else { value.to_owned() }
}

/// Where to insert what, so that a parameter file of Resource Manager sets a parameter. `None` if it has no parameters.
fn insertion(path: &Path, text: &ArcStr, name: &str, value: &str) -> Option<(usize, String)> {
    let file = outline::parsed(path, text)?;
    let parameters = file.get("parameters")?;
    let entry = format!("{}: {{\"value\": {value}}}", Value::from(name).to_json());
    let Some(last) = parameters.as_object()?.iter().last() else {
        return Some((parameters.span?.start as usize + 1, entry));
    };
    let before = text.get(..last.key_span?.start as usize)?;
    let indent = before.rsplit('\n').next().filter(|indent| indent.trim().is_empty() && before.contains('\n'));
    let between = indent.map_or_else(|| " ".to_owned(), |indent| format!("\n{indent}"));
    Some((last.value.span?.end as usize, format!(",{between}{entry}")))
}

/// Gives the value at an item the name of a parameter that the template declares, or removes it.
fn corrected(view: &View<'_>, item: &Item) -> Vec<Change> {
    let text = view.text.text();
    let file = outline::parsed(&view.path, text);
    let entries = file.as_ref().map(entries).unwrap_or_default();
    let place = &item.site.range;
    let is_here = |entry: &Entry| entry.whole.start <= place.start && place.end <= entry.whole.end;
    let Some(at) = entries.iter().position(is_here) else { return Vec::new() };
    let Some(entry) = entries.get(at) else { return Vec::new() };
    let change = |title: String, range: Range<usize>, replacement: String| {
        let site = Site { file: view.path.clone(), range };
        Change { title, is_guess: true, parts: vec![(site, replacement)] }
    };
    let near = near(view, entry, &entries);
    let renamed = near.map(|near| {
        let title = format!("rename `{}` to `{near}`", entry.name);
        change(title, entry.key.clone(), Value::from(near.as_str()).to_json())
    });
    let removed = change(format!("remove `{}`", entry.name), removal(&entries, at), String::new());
    renamed.into_iter().chain([removed]).collect()
}

/// The parameter of the template whose name is like that of an entry, and that the file does not set.
fn near(view: &View<'_>, entry: &Entry, entries: &[Entry]) -> Option<String> {
    let template = navigation::template(view)?;
    let declared = outline::of(&template, navigation::text(view, &template)?.text());
    let names = declared.iter().filter(|one| one.kind == Kind::Parameter).map(|one| one.name.as_str());
    let free = names.filter(|name| !entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(name)));
    Suggestions::default().nearest(&entry.name, free).map(ToOwned::to_owned)
}

/// What sets a parameter in a file.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    /// The bytes of the name, with its quotes.
    key: Range<usize>,
    /// The bytes of all of it, without what separates it from others.
    whole: Range<usize>,
}

impl Entry {
    fn of(name: &str, key: Option<Span>, whole: Range<Option<Span>>) -> Option<Self> {
        let key = key?.start as usize..key?.end as usize;
        Some(Self { name: name.to_owned(), key, whole: whole.start?.start as usize..whole.end?.end as usize })
    }
}

/// What sets parameters in a file of Resource Manager or CloudFormation in JSON.
fn entries(file: &Value) -> Vec<Entry> {
    let section = file.get("parameters").or_else(|| file.get("Parameters")).unwrap_or(file);
    let members = section.as_object().into_iter().flatten();
    let members = members.map(|one| Entry::of(&one.key, one.key_span, one.key_span..one.value.span));
    let items = file.as_array().into_iter().flatten();
    let items = items.map(|item| {
        let name = item.get("ParameterKey")?;
        Entry::of(name.as_str()?, name.span, item.span..item.span)
    });
    members.chain(items).flatten().collect()
}

/// What to remove, so that an entry is gone and others are separated as they were.
fn removal(entries: &[Entry], at: usize) -> Range<usize> {
    let whole = |at: usize| entries.get(at).map(|entry| entry.whole.clone());
    let own = whole(at).unwrap_or_default();
    match (at.checked_sub(1).and_then(whole), whole(at + 1)) {
        (Some(before), _) => before.end..own.end,
        (None, Some(after)) => own.start..after.start,
        (None, None) => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_set_as_others_are() {
        for (text, expected) in [
            ("{\"parameters\": {}}", Some("{\"parameters\": {\"a\": {\"value\": 0}}}")),
            ("{\"parameters\": {\"b\": {}}}", Some("{\"parameters\": {\"b\": {}, \"a\": {\"value\": 0}}}")),
            (
                "{\n  \"Parameters\": {\n    \"b\": {} // why\n  }\n}",
                Some("{\n  \"Parameters\": {\n    \"b\": {},\n    \"a\": {\"value\": 0} // why\n  }\n}"),
            ),
            ("{}", None),
            ("{\"parameters\": 1}", None),
            ("[", None),
        ] {
            let text = ArcStr::from(text);
            let edited = insertion(Path::new("a.json"), &text, "a", "0")
                .map(|(at, entry)| [text.get(..at).unwrap(), &entry, text.get(at..).unwrap()].concat());
            assert_eq!(edited.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_placeholder_has_the_type_of_the_parameter() {
        for (type_name, allowed, expected) in [
            (Some("string"), None, "\"\""),
            (Some("String"), Some("a\"b"), "\"a\\\"b\""),
            (Some("int"), Some("5"), "5"),
            (Some("Bool"), None, "false"),
            (Some("'a' | 'b'"), Some("a"), "\"a\""),
            (Some("string[]"), None, "[]"),
            (None, None, "\"\""),
        ] {
            assert_eq!(placeholder(type_name, allowed), expected, "{type_name:?}");
        }
    }

    #[test]
    fn a_value_is_removed_with_its_comma() {
        for (text, expected) in [
            ("{\"parameters\": {\"a\": {}, \"x\": {}, \"b\": {}}}", "{\"parameters\": {\"a\": {}, \"b\": {}}}"),
            ("{\"parameters\": {\"x\": {}, \"b\": {}}}", "{\"parameters\": {\"b\": {}}}"),
            ("{\"Parameters\": {\"a\": \"\",\n\"x\": \"\"}}", "{\"Parameters\": {\"a\": \"\"}}"),
            ("{\"x\": \"\"}", "{}"),
            (
                "[{\"ParameterKey\": \"a\"}, {\"ParameterKey\": \"x\", \"ParameterValue\": 1}]",
                "[{\"ParameterKey\": \"a\"}]",
            ),
        ] {
            let file = outline::parsed(Path::new("a.json"), &text.into()).unwrap();
            let entries = entries(&file);
            let range = removal(&entries, entries.iter().position(|entry| entry.name == "x").unwrap());
            assert_eq!([text.get(..range.start).unwrap(), text.get(range.end..).unwrap()].concat(), expected);
        }
    }
}
