//! Documents of which a folder has the parts in several files.
//!
//! Microsoft's samples and its layout for policy as code have the rule in `*.rules.json`, the parameters in
//! `*.parameters.json`, and often the whole document as well.

use std::collections::BTreeMap;

use crate::value::{Member, Str, Value};

/// Parts, by folder and kind of document.
#[derive(Debug, Default)]
pub(super) struct Parts(BTreeMap<(String, &'static str), Part>);

#[derive(Debug, Default)]
struct Part {
    content: Option<Value>,
    parameters: Option<Value>,
    has_whole: bool,
}

/// File names before `.json`: of the whole document, of its content, and of its parameters; and the member of the
/// content in the whole.
const NAMES: &[(&str, &str, &str, &str)] = &[
    ("azurepolicy", "azurepolicy.rules", "azurepolicy.parameters", "policyRule"),
    ("policy", "policy.rules", "policy.parameters", "policyRule"),
    ("azurepolicyset", "azurepolicyset.definitions", "azurepolicyset.parameters", "policyDefinitions"),
    ("policyset", "policyset.definitions", "policyset.parameters", "policyDefinitions"),
];

/// Returns the name for a document without one: that of the file, or that of its folder if the file is one of the
/// parts.
pub(super) fn name_of(path: &str) -> Str {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
    let is_part = NAMES.iter().any(|(whole, content, ..)| [whole, content].contains(&&name));
    Str::from(if is_part && !folder.is_empty() { folder.rsplit('/').next().unwrap_or(folder) } else { name })
}

/// True if a file is called like a part of a document.
pub(super) fn is_part(path: &str) -> bool {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    let name = file.strip_suffix(".json").unwrap_or(file);
    NAMES.iter().any(|(whole, content, parameters, _)| [whole, content, parameters].contains(&&name))
}

/// Returns `true` if a file declares parameters: each has a type.
fn is_declarations(file: &Value) -> bool {
    file.as_object().is_some_and(|object| object.iter().all(|member| member.value.get("type").is_some()))
}

impl Parts {
    /// Keeps a file that is a part of a document. Returns `false` if it is not. `is_document` is `true` if the file is
    /// a document by itself.
    pub(super) fn add(&mut self, path: &str, file: &Value, is_document: bool) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(name) = name.strip_suffix(".json") else { return false };
        let Some((whole, content, _, member)) =
            NAMES.iter().find(|(whole, content, parameters, _)| [whole, content, parameters].contains(&&name))
        else {
            return false;
        };
        let fits = if name == *whole {
            is_document
        } else if name != *content {
            is_declarations(file)
        } else if *member == "policyRule" {
            // One without a condition is a rule that Azure refuses.
            file.get("if").is_some() || file.get("then").is_some()
        } else {
            file.as_array().is_some()
        };
        if !fits {
            return false;
        }
        let part = self.0.entry((folder.to_owned(), *member)).or_default();
        if name == *whole {
            part.has_whole = true;
        } else if name == *content {
            part.content = Some(file.clone());
        } else {
            part.parameters = Some(file.clone());
        }
        true
    }

    /// Returns the documents whose parts are complete, unless there is a whole document, too. They are named after
    /// their folder.
    pub(super) fn join(self) -> Vec<Value> {
        let join = |((folder, member), part): ((String, &'static str), Part)| {
            let content = part.content.filter(|_| !part.has_whole)?;
            let span = content.span;
            let parameters = part.parameters.map(|parameters| Member::new("parameters", parameters));
            let own = parameters.into_iter().chain([Member::new(member, content)]).collect();
            let name = folder.rsplit('/').next().unwrap_or_default();
            let members = vec![Member::new("name", Value::from(name)), Member::new("properties", Value::object(own))];
            Some(Value { span, ..Value::object(members) })
        };
        self.0.into_iter().filter_map(join).collect()
    }
}
