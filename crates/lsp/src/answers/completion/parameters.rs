//! Completion of names and values of parameters in JSON parameter files.

use std::path::Path;

use arcstr::ArcStr;
use gen_lsp_types::CompletionItemKind;
use serde_json::Value;

use super::CompletionEntry;
use crate::answers::navigation;
use crate::outline::{self, Kind};
use crate::view::View;

/// Context of a position in a JSON text.
#[derive(Debug, Default, PartialEq, Eq)]
struct JsonPosition {
    /// Keys around it, the outermost first. An item of an array has none.
    path: Vec<String>,
    is_key: bool,
    /// True inside an unclosed string.
    is_in_string: bool,
    /// Value of `ParameterKey` in the innermost object.
    named: Option<String>,
}

/// Returns the names and values that the template of a parameter file declares.
pub(super) fn items(view: &View<'_>, offset: usize) -> Option<Value> {
    let is_json = view.path.extension().is_some_and(|extension| extension == "json" || extension == "jsonc");
    let template = navigation::template(view).filter(|_| is_json)?;
    let text = navigation::text(view, &template)?.text();
    let place = JsonPosition::at_end_of(view.text.text().get(..offset)?)?;
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    let items: Vec<CompletionEntry> = match path.as_slice() {
        ["parameters" | "Parameters"] if place.is_key => name_items(&template, text, &place),
        ["parameters", name, "value"] | ["Parameters", name] if !place.is_key => {
            value_items(&template, text, name, &place)
        }
        ["ParameterKey"] if !place.is_key => name_items(&template, text, &place),
        ["ParameterValue"] if !place.is_key => value_items(&template, text, place.named.as_deref()?, &place),
        _ => return None,
    };
    Some(items.into_iter().map(CompletionEntry::drawn).collect())
}

fn name_items(template: &Path, text: &ArcStr, place: &JsonPosition) -> Vec<CompletionEntry> {
    let declarations = outline::declarations(template, text).into_iter();
    let parameters = declarations.filter(|one| one.kind == Kind::Parameter);
    let items = parameters.map(|one| {
        let (inserted, detail) = (place.quoted(&one.name), one.type_name);
        CompletionEntry { label: one.name, detail, kind: CompletionItemKind::Property, inserted }
    });
    items.collect()
}

fn value_items(template: &Path, text: &ArcStr, name: &str, place: &JsonPosition) -> Vec<CompletionEntry> {
    let allowed = outline::allowed(template, text, name).into_iter();
    allowed.map(|label| CompletionEntry { inserted: place.quoted(&label), ..CompletionEntry::value(&label) }).collect()
}

/// An unclosed object or array.
#[derive(Debug, Default)]
struct Open {
    is_object: bool,
    /// Key whose value follows.
    key: Option<String>,
    named: Option<String>,
}

impl JsonPosition {
    /// Returns the text to insert for a string: in quotes unless they have been written.
    fn quoted(&self, label: &str) -> Option<String> {
        (!self.is_in_string).then(|| format!("\"{label}\""))
    }

    /// Returns the context at the end of `before`. `None` in a comment.
    fn at_end_of(before: &str) -> Option<Self> {
        let mut open: Vec<Open> = Vec::new();
        let mut last: Option<String> = None;
        let mut is_in_string = false;
        let mut chars = before.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    let mut text = String::new();
                    is_in_string = true;
                    while let Some(c) = chars.next() {
                        match c {
                            '"' => {
                                is_in_string = false;
                                break;
                            }
                            '\\' => text.extend(chars.next()),
                            c => text.push(c),
                        }
                    }
                    if let Some(around) = open.last_mut().filter(|around| around.key.as_deref() == Some("ParameterKey"))
                    {
                        around.named = Some(text.clone());
                    }
                    last = Some(text);
                }
                '/' if chars.as_str().starts_with('/') => {
                    chars = chars.as_str().split_once('\n')?.1.chars();
                }
                '/' if chars.as_str().starts_with('*') => {
                    chars = chars.as_str().get(1..)?.split_once("*/")?.1.chars();
                }
                '{' | '[' => open.push(Open { is_object: c == '{', ..Open::default() }),
                '}' | ']' => drop(open.pop()),
                ':' => {
                    if let Some(around) = open.last_mut() {
                        around.key = last.take();
                    }
                }
                ',' => {
                    if let Some(around) = open.last_mut() {
                        around.key = None;
                    }
                }
                _ => {}
            }
        }
        let is_key = open.last().is_some_and(|around| around.is_object && around.key.is_none());
        let named = open.last_mut().and_then(|around| around.named.take());
        let path = open.into_iter().filter_map(|around| around.key).collect();
        Some(Self { path, is_key, is_in_string, named })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_keys_around_it() {
        for (before, path, is_key, is_in_string) in [
            ("{", "", true, false),
            ("{\"parameters\": {", "parameters", true, false),
            ("{\"parameters\": {\"a", "parameters", true, true),
            ("{\"parameters\": {\"a\": {\"value\": 1}, \"", "parameters", true, true),
            ("{\"parameters\": {\"a\": {\"value\": \"x", "parameters/a/value", false, true),
            ("[{\"ParameterKey\": \"", "ParameterKey", false, true),
            ("{\"a\\\"}\": [1, ", "a\"}", false, false),
            ("}]:,\"", "", false, true),
            ("{// don't \"touch {\n\"parameters\" /* \" */: {", "parameters", true, false),
            ("{\"a\": \"// /* ", "a", false, true),
        ] {
            let place = JsonPosition::at_end_of(before).unwrap();
            assert_eq!((place.path.join("/").as_str(), place.is_key, place.is_in_string), (path, is_key, is_in_string));
        }
        for comment in ["{ // \"", "{\n// ", "{ /* *\n", "{/*/"] {
            assert_eq!(JsonPosition::at_end_of(comment), None, "{comment}");
        }
        let place = JsonPosition::at_end_of("[{\"ParameterKey\": \"Env\", \"ParameterValue\": ").unwrap();
        assert_eq!((place.path, place.named.as_deref()), (vec!["ParameterValue".to_owned()], Some("Env")));
    }
}
