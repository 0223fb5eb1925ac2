//! Compares a template in JSON with what Bicep builds from the file beside it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::engine::bicep::is_bicep;
use crate::engine::inputs::load::Loaded;
use crate::engine::inputs::meaning::{is_same_property, is_same_text};
use crate::text::{FileId, Span};
use crate::value::{Object, Value};

/// The member of `metadata` in which the compiler signs a template.
const GENERATOR: &str = "_generator";

/// Text in every template that the compiler signed.
pub(super) const SIGNATURE: &str = "\"_generator\"";

/// Difference between a template and the current output of its Bicep file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Stale {
    /// The path of the first value that differs.
    pub(in crate::engine) path: String,
    pub(in crate::engine) span: Span,
    pub(in crate::engine) message: String,
}

/// Returns the path of the Bicep file that a template would be built from: the template's path with the extension
/// `bicep`. `None` if the user named the template, or if it is a Bicep file.
pub(super) fn bicep_beside(template: &Loaded) -> Option<PathBuf> {
    let is_found = !template.input.named && !is_bicep(&template.input.path);
    is_found.then(|| template.input.path.with_extension("bicep"))
}

/// Returns `true` if the metadata of a template name the Bicep compiler as its generator.
pub(super) fn has_signature(template: &Value) -> bool {
    generator(template, "name").is_some_and(|name| name == "bicep")
}

/// Returns the types and names of the resources of a template, sorted. `None` if there are none.
pub(super) fn outline(template: &Value) -> Option<Vec<(String, String)>> {
    let resources = template.get("resources")?;
    let items = resources.as_array().into_iter().flatten();
    let members = resources.as_object().into_iter().flatten().map(|member| &member.value);
    let text =
        |resource: &Value, name: &str| resource.get(name).and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let mut outline: Vec<(String, String)> =
        items.chain(members).map(|resource| (text(resource, "type"), text(resource, "name"))).collect();
    outline.sort();
    (!outline.is_empty()).then_some(outline)
}

/// Compares a template with what was built from `source`. `None` if they are the same deployment.
pub(super) fn stale(file: FileId, template: &Value, built: &Value, source: &Path) -> Option<Stale> {
    let mut path = String::new();
    let value = difference(template, built, &mut path)?;
    let source = source.file_name().unwrap_or_default().to_string_lossy();
    let versions = (generator(template, "version"), generator(built, "version"));
    let by = match versions {
        (Some(old), Some(new)) if old != new => format!("version {old} of Bicep built it, and version {new} builds"),
        _ => "Bicep builds".to_owned(),
    };
    let message = format!("the template is not what `{source}` says: {by} something else here; build it again");
    Some(Stale { path, span: value.span.unwrap_or(Span::whole_file(file)), message })
}

fn generator<'a>(template: &'a Value, name: &str) -> Option<&'a str> {
    template.get("metadata")?.get(GENERATOR)?.get(name)?.as_str()
}

/// Returns the first value of `written` that differs, whose path is appended to `path`. The order of members, the
/// signature of the compiler, and what its versions write in different ways make no difference.
fn difference<'v>(written: &'v Value, built: &Value, path: &mut String) -> Option<&'v Value> {
    match (written.as_object(), built.as_object()) {
        (Some(old), Some(new)) => return of_objects(written, (old, new), path),
        (None, None) => {}
        _ => return Some(written),
    }
    match (written.as_array(), built.as_array()) {
        (Some(old), Some(new)) => {
            let length = path.len();
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                // Writing to a string cannot fail.
                let _ = write!(path, "[{at}]");
                if let Some(value) = difference(old, new, path) {
                    return Some(value);
                }
                path.truncate(length);
            }
            (old.len() != new.len()).then_some(written)
        }
        (None, None) => {
            let is_same = match (written.as_str(), built.as_str()) {
                (Some(old), Some(new)) => is_same_text(old, new),
                _ => written.to_json() == built.to_json(),
            };
            (!is_same).then_some(written)
        }
        _ => Some(written),
    }
}

fn of_objects<'v>(written: &'v Value, (old, new): (&'v Object, &Object), path: &mut String) -> Option<&'v Value> {
    let is_template = is_template(old) && is_template(new);
    let ty = new.get("type").and_then(Value::as_str);
    let (old, new) = (members(old, is_template), members(new, is_template));
    let length = path.len();
    for (key, values) in &old {
        path.push_str(if length == 0 { "" } else { "." });
        path.push_str(key);
        let found = match new.get(key) {
            None => values.first().copied(),
            Some(others) => {
                let mut pairs = values.iter().zip(others);
                let found = pairs.find_map(|(value, other)| {
                    if is_same_property(key, ty, value, other) { None } else { difference(value, other, path) }
                });
                found.or_else(|| (values.len() != others.len()).then_some(written))
            }
        };
        if found.is_some() {
            return found;
        }
        path.truncate(length);
    }
    (old.len() != new.len()).then_some(written)
}

fn is_template(object: &Object) -> bool {
    let schema = object.get("$schema").and_then(Value::as_str);
    schema.is_some_and(|schema| schema.to_ascii_lowercase().contains("deploymenttemplate.json"))
}

/// Returns the members by their names. The `metadata` of a template is taken apart, to leave out the signature of the
/// compiler.
fn members(object: &Object, is_template: bool) -> BTreeMap<String, Vec<&Value>> {
    let mut members: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for member in object {
        match member.value.as_object().filter(|_| is_template && &*member.key == "metadata") {
            None => members.entry(member.key.to_string()).or_default().push(&member.value),
            Some(metadata) => {
                let others = metadata.iter().filter(|member| &*member.key != GENERATOR);
                members.extend(others.map(|member| (format!("metadata.{}", member.key), vec![&member.value])));
            }
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;
    use crate::text::Sources;

    const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

    #[track_caller]
    fn check(written: &str, built: &str, expected: Option<&str>) {
        let sources = Sources::new();
        let read = |text: &str| {
            let text = text.replace("SCHEMA", SCHEMA);
            let file = sources.add("main.json", text);
            syntax::json::parse(file, sources.get(file).text(), 64).value.unwrap()
        };
        let mut path = String::new();
        let found = difference(&read(written), &read(built), &mut path).map(|_| path.as_str());
        assert_eq!(found, expected, "{written}");
    }

    #[test]
    fn the_signature_and_the_order_of_members_do_not_matter() {
        let signed = |version: &str, rest: &str| {
            format!(
                r#"{{"$schema": "SCHEMA", "metadata": {{"_generator": {{"version": "{version}"}}{rest}}}, "resources": []}}"#
            )
        };
        check(&signed("1", ""), &signed("2", ""), None);
        check(&signed("1", ""), r#"{"resources": [], "$schema": "SCHEMA"}"#, None);
        check(&signed("1", r#", "a": 1"#), &signed("1", r#", "a": 2"#), Some("metadata.a"));
        let inner = |version: &str| format!(r#"{{"resources": [{{"template": {}}}]}}"#, signed(version, ""));
        check(&inner("1"), &inner("2"), None);
    }

    #[test]
    fn what_versions_of_bicep_write_differently_is_the_same() {
        let resource = |ty: &str, version: &str, rest: &str| {
            format!(r#"{{"resources": [{{"type": "{ty}", "apiVersion": "{version}", {rest}}}]}}"#)
        };
        let lock = |scope: &str| resource("Microsoft.A/locks", "1", &format!(r#""scope": "{scope}""#));
        check(&lock("[format('Microsoft.B/c/{0}', 'x')]"), &lock("[resourceId('Microsoft.B/c', 'x')]"), None);
        check(
            &lock("[format('Microsoft.B/c/{0}', 'x')]"),
            &lock("[resourceId('Microsoft.B/c', 'y')]"),
            Some("resources[0].scope"),
        );
        let module = |version: &str, names: &str| {
            resource("Microsoft.Resources/deployments", version, &format!(r#""dependsOn": [{names}]"#))
        };
        check(&module("2022-09-01", r#""a", "b""#), &module("2025-04-01", r#""b", "a""#), None);
        check(&module("2022-09-01", r#""a""#), &module("1", r#""a""#), Some("resources[0].apiVersion"));
        check(&module("1", r#""a""#), &module("1", r#""a", "b""#), Some("resources[0].dependsOn"));
        check(
            &resource("Microsoft.A/b", "2022-09-01", r#""a": 1"#),
            &resource("Microsoft.A/b", "2025-04-01", r#""a": 1"#),
            Some("resources[0].apiVersion"),
        );
    }

    #[test]
    fn any_other_difference_is_found_with_its_path() {
        check(r#"{"a": [1, {"b": 2}]}"#, r#"{"a": [1, {"b": 3}]}"#, Some("a[1].b"));
        check(r#"{"a": [1]}"#, r#"{"a": [1, 2]}"#, Some("a"));
        check(r#"{"a": {}}"#, r#"{"a": []}"#, Some("a"));
        check(r#"{"a": 1}"#, r#"{"a": "1"}"#, Some("a"));
        check(r#"{"a": 1, "b": 2}"#, r#"{"a": 1}"#, Some("b"));
        check(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, Some(""));
        check(r#"{"a": 1}"#, r#"{"A": 1}"#, Some("a"));
        // Only a template has a signature.
        let inner = |version: u8| format!(r#"{{"metadata": {{"_generator": {version}}}}}"#);
        check(&inner(1), &inner(2), Some("metadata._generator"));
    }
}
