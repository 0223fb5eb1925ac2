//! Actions that set missing parameters in JSON parameter files, and correct undeclared ones.

use std::ops::Range;
use std::path::Path;

use arcstr::ArcStr;
use formwork_model::diagnostic::Code;
use formwork_model::text::{Span, Suggestions};
use formwork_model::value::Value;

use crate::answers::navigation;
use crate::items::{Item, Site, TextChange};
use crate::outline::{self, Kind};
use crate::view::View;

/// Returns changes for a parameter without a value, or a value without a parameter. None of them is certain to be the
/// author's intention.
pub(super) fn changes(view: &View<'_>, item: &Item) -> Vec<TextChange> {
    match item.problem_code() {
        Some(Code::ParameterMissing) => set(view, item),
        Some(Code::ParameterUndefined) => correct(view, item),
        _ => Vec::new(),
    }
}

/// Returns changes that set the parameter declared at an item, in the files that do not set it.
fn set(view: &View<'_>, item: &Item) -> Vec<TextChange> {
    let text = view.text.text();
    let place = &item.site.range;
    let declared = outline::declarations(&view.path, text)
        .into_iter()
        .find(|one| one.kind == Kind::Parameter && one.place.start <= place.end && place.start <= one.place.end);
    let Some(declared) = declared else { return Vec::new() };
    let allowed = outline::allowed(&view.path, text, &declared.name);
    let value = placeholder(declared.type_name.as_deref(), allowed.first().map(String::as_str));
    let others = item.related.iter().map(|related| &related.site.file).filter(|file| **file != view.path);
    let changes = others.filter_map(|file| {
        let (at, inserted) = insertion(file, view.server.text(file)?.text(), &declared.name, &value)?;
        let title = format!("set `{}` in {}", declared.name, file.file_name()?.to_string_lossy());
        let site = Site { file: file.clone(), range: at..at };
        Some(TextChange { title, is_guess: true, parts: vec![(site, inserted)] })
    });
    changes.collect()
}

/// Returns a JSON value that a parameter of this type can have, as a placeholder.
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

/// Returns the position and text that set a parameter in a Resource Manager parameter file. `None` if the file has no
/// parameters.
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

/// Returns changes that rename the value at an item to a declared parameter, or remove it.
fn correct(view: &View<'_>, item: &Item) -> Vec<TextChange> {
    let text = view.text.text();
    let file = outline::parsed(&view.path, text);
    let entries = file.as_ref().map(entries).unwrap_or_default();
    let place = &item.site.range;
    let at = entries.iter().position(|entry| entry.whole.start <= place.start && place.end <= entry.whole.end);
    let Some(at) = at else { return Vec::new() };
    let Some(entry) = entries.get(at) else { return Vec::new() };
    let change = |title: String, range: Range<usize>, replacement: String| {
        let site = Site { file: view.path.clone(), range };
        TextChange { title, is_guess: true, parts: vec![(site, replacement)] }
    };
    let near = near(view, entry, &entries);
    let renamed = near.map(|near| {
        let title = format!("rename `{}` to `{near}`", entry.name);
        change(title, entry.key.clone(), Value::from(near.as_str()).to_json())
    });
    let removed = change(format!("remove `{}`", entry.name), removal(&entries, at), String::new());
    renamed.into_iter().chain([removed]).collect()
}

/// Returns the parameter of the template with the most similar name that the file does not set.
fn near(view: &View<'_>, entry: &ParameterEntry, entries: &[ParameterEntry]) -> Option<String> {
    let template = navigation::template(view)?;
    let declared = outline::declarations(&template, navigation::text(view, &template)?.text());
    let names = declared.iter().filter(|one| one.kind == Kind::Parameter).map(|one| one.name.as_str());
    let free = names.filter(|name| !entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(name)));
    Suggestions::default().nearest(&entry.name, free).map(ToOwned::to_owned)
}

/// An entry that sets a parameter in a file.
#[derive(Debug, PartialEq, Eq)]
struct ParameterEntry {
    name: String,
    /// Bytes of the name, with its quotes.
    key: Range<usize>,
    /// Bytes of the entry, without separators.
    whole: Range<usize>,
}

impl ParameterEntry {
    fn new(name: &str, key: Option<Span>, whole: Range<Option<Span>>) -> Option<Self> {
        let key = key?.start as usize..key?.end as usize;
        Some(Self { name: name.to_owned(), key, whole: whole.start?.start as usize..whole.end?.end as usize })
    }
}

/// Returns the entries of a parameter file in JSON, of Resource Manager or CloudFormation.
fn entries(file: &Value) -> Vec<ParameterEntry> {
    let section = file.get("parameters").or_else(|| file.get("Parameters")).unwrap_or(file);
    let members = section.as_object().into_iter().flatten();
    let members = members.map(|one| ParameterEntry::new(&one.key, one.key_span, one.key_span..one.value.span));
    let items = file.as_array().into_iter().flatten();
    let items = items.map(|item| {
        let name = item.get("ParameterKey")?;
        ParameterEntry::new(name.as_str()?, name.span, item.span..item.span)
    });
    members.chain(items).flatten().collect()
}

/// Returns the bytes to remove with an entry, so that the others stay separated.
fn removal(entries: &[ParameterEntry], at: usize) -> Range<usize> {
    let own = entries.get(at).map(|entry| entry.whole.clone()).unwrap_or_default();
    let before = at.checked_sub(1).and_then(|at| entries.get(at));
    match (before.map(|entry| &entry.whole), entries.get(at + 1).map(|entry| &entry.whole)) {
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
