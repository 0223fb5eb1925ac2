//! Documents of which a folder has the parts in several files.
//!
//! Microsoft's samples and its layout for policy as code have the rule in `*.rules.json`, the parameters in `*.parameters.json`,
//! and often the whole document as well.

use std::collections::BTreeMap;

use crate::value::{Member, Value};

/// The parts by folder and kind of document.
#[derive(Debug, Default)]
pub(super) struct Parts(BTreeMap<(String, &'static str), Part>);

#[derive(Debug, Default)]
struct Part {
    content: Option<Value>,
    parameters: Option<Value>,
    has_whole: bool,
}

/// The names of files before `.json`: of the whole, of its content, and of its parameters; and what the content is called in the
/// whole.
const NAMES: &[(&str, &str, &str, &str)] = &[
    ("azurepolicy", "azurepolicy.rules", "azurepolicy.parameters", "policyRule"),
    ("policy", "policy.rules", "policy.parameters", "policyRule"),
    ("policyset", "policyset.definitions", "policyset.parameters", "policyDefinitions"),
];

impl Parts {
    /// Keeps a file that is a part of a document. Whether it is one.
    pub(super) fn add(&mut self, path: &str, file: &Value) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(name) = name.strip_suffix(".json") else { return false };
        let Some((whole, content, _, member)) =
            NAMES.iter().find(|(whole, content, parameters, _)| [whole, content, parameters].contains(&&name))
        else {
            return false;
        };
        let is_rule = *member == "policyRule";
        let fits = if is_rule { file.get("if").is_some() } else { file.as_array().is_some() };
        let part = self.0.entry((folder.to_owned(), *member)).or_default();
        if name == *whole {
            part.has_whole = true;
        } else if name == *content {
            part.content = Some(file.clone()).filter(|_| fits);
        } else {
            part.parameters = Some(file.clone());
        }
        true
    }

    /// The documents whose parts are there, and that are nowhere as a whole. Their name is that of the folder.
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
