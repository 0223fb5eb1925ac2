//! Lists the properties that CloudFormation cannot change in place, as the schemas of the types declare them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::schemas;

/// One line for each type: its name, and its paths below `Properties`. A `?` precedes a path if only some changes of it
/// replace the resource.
pub fn list(folder: &Path, version: &str, date: &str) -> String {
    let mut types: BTreeMap<String, String> = BTreeMap::new();
    for (name, schema) in schemas::read(folder) {
        let mut paths: Vec<String> = Vec::new();
        for (member, mark) in [("createOnlyProperties", ""), ("conditionalCreateOnlyProperties", "?")] {
            let listed = schema[member].as_array().into_iter().flatten().filter_map(Value::as_str);
            let paths_of = listed.filter_map(|path| path.strip_prefix("/properties/"));
            // Where a definition is repeated in a path, as in `A/items/properties/B`, only the names count.
            paths.extend(paths_of.map(|path| {
                let names = path.split('/').filter(|name| *name != "properties" && *name != "items");
                format!("{mark}{}", names.collect::<Vec<_>>().join("/"))
            }));
        }
        paths.sort();
        paths.dedup();
        if !paths.is_empty() {
            types.insert(name, paths.join(" "));
        }
    }
    let mut out = format!(
        "# The properties whose change replaces a resource of CloudFormation, from the schemas in cfn-lint {version} of {date};\n\
         # `?` precedes those of which only some changes do. Made by `tools/typegen`.\n"
    );
    for (name, paths) in types {
        let _ = writeln!(out, "{name} {paths}");
    }
    out
}
