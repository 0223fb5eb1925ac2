//! Lists the arrays of CloudFormation whose items have no order, as the schemas of the types declare them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::schemas;

/// How deep paths go; definitions may contain each other.
const MAX_DEPTH: usize = 8;

/// One line for each type: its name, and the paths of its sets below `Properties`, without items.
pub fn list(folder: &Path, version: &str, date: &str) -> String {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, schema) in schemas::read(folder) {
        let mut sets = Sets { schema: &schema, paths: BTreeSet::new() };
        sets.members(&schema, &mut Vec::new(), &mut Vec::new());
        if !sets.paths.is_empty() {
            types.insert(name, sets.paths);
        }
    }
    let mut out = format!(
        "# The arrays of CloudFormation whose items have no order (`insertionOrder: false`), from the schemas in cfn-lint {version} of\n\
         # {date}; tags are omitted, since their keys match them. Made by `tools/typegen`.\n"
    );
    for (name, paths) in types {
        let _ = writeln!(out, "{name} {}", paths.into_iter().collect::<Vec<_>>().join(" "));
    }
    out
}

struct Sets<'a> {
    schema: &'a Value,
    paths: BTreeSet<String>,
}

impl<'a> Sets<'a> {
    fn members(&mut self, schema: &'a Value, path: &mut Vec<&'a str>, within: &mut Vec<&'a str>) {
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            path.push(name);
            self.visit(member, path, within);
            path.pop();
        }
        for word in ["allOf", "anyOf", "oneOf"] {
            for part in schema[word].as_array().into_iter().flatten() {
                self.members(part, path, within);
            }
        }
    }

    fn visit(&mut self, schema: &'a Value, path: &mut Vec<&'a str>, within: &mut Vec<&'a str>) {
        let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/definitions/"));
        if path.len() > MAX_DEPTH || reference.is_some_and(|name| within.contains(&name)) {
            return;
        }
        within.extend(reference);
        let target = reference.map_or(schema, |name| &self.schema["definitions"][name]);
        let is_set = [schema, target].iter().any(|one| one["insertionOrder"] == Value::Bool(false));
        if is_set && target["items"].is_object() && path.last().is_some_and(|name| *name != "Tags") {
            self.paths.insert(path.join("/"));
        }
        self.members(target, path, within);
        if target["items"].is_object() {
            self.visit(&target["items"], path, within);
        }
        within.truncate(within.len() - usize::from(reference.is_some()));
    }
}
