//! The location that the files of a deployment are deployed from, and the URIs that templates build from it.
//!
//! By convention, a template has a parameter `_artifactsLocation`, the folder that it and the files beside it were copied
//! to, and a parameter `_artifactsLocationSasToken`, which is the query of each URI. Reference:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-tutorial-create-linked-templates>. Both
//! are only known when the template is deployed, but the folder is that of the template in the repository.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use crate::value::{Kind, Traits, Unknown, Value};

/// The URI of the root template that `deployment()` returns. It stands for the folder of that template, so a URI that
/// is built from it resolves to a file in the folder.
pub(super) const ROOT_URI: &str = "https://deployment-uri";

/// The parameter with the location of the files of a deployment.
pub(super) const LOCATION: &str = "_artifactsLocation";

/// The parameter with the access token for these files, which is appended to URIs.
const TOKEN: &str = "_artifactsLocationSasToken";

/// The functions that build a string of their arguments without changing the path in it.
const BUILDERS: [&str; 5] = ["concat", "format", "string", "trim", "uri"];

/// Returns the value of a parameter of the convention that is not set: the folder of the root template, or an empty
/// token. `None` for any other parameter.
pub(super) fn parameter(name: &str, kind: Kind, why: &str) -> Option<Value> {
    let approximation = match name {
        _ if kind != Kind::String => return None,
        name if name.eq_ignore_ascii_case(LOCATION) => ROOT_URI,
        name if name.eq_ignore_ascii_case(TOKEN) => "",
        _ => return None,
    };
    let unknown = Unknown::like(kind, why, Value::from(approximation));
    Some(Value::unknown(unknown).with_traits(Traits::PATH))
}

/// Returns `true` if the string that `function` builds from `arguments` has a known path (see [`Traits::PATH`]),
/// although some arguments are unknown. `result` is its approximation.
///
/// The path is known if each unknown argument has one. In addition, the last argument of `concat` may be any unknown if
/// a complete path precedes it: then it is a query. An unknown elsewhere may be a part of the path, so the path is
/// unknown.
pub(super) fn keeps_path(function: &str, arguments: &[Value], result: &Value) -> bool {
    if !BUILDERS.contains(&function) {
        return false;
    }
    let (Some(text), Some((last, others))) = (result.as_str(), arguments.split_last()) else { return false };
    let has_path = |value: &Value| !value.traits.has(Traits::UNKNOWN) || value.traits.has(Traits::PATH);
    let is_query = |value: &Value| {
        let before = value.as_unknown().and_then(|unknown| unknown.approximation.as_str());
        before == Some("") && function == "concat" && (names_template(text) || text.contains('?'))
    };
    others.iter().all(has_path) && (has_path(last) || is_query(last))
}

/// Returns `true` if `path` has the extension of a template or parameter file.
fn names_template(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["json", "jsonc", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}
