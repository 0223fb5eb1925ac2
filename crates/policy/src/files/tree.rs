//! Reads the assignments and exemptions of Enterprise Policy as Code (EPAC), as the documents that it deploys.
//!
//! A file of assignments is a tree, whose nodes inherit from those above. Each leaf is one assignment for each of its
//! scopes and definitions. Reference: <https://azure.github.io/enterprise-azure-policy-as-code/policy-assignments/>.

use crate::value::{Member, Value};

/// Values of the nodes and assignments of all files. Nodes inherit, and scopes and definitions multiply.
const MAX_VALUES: usize = 2_000_000;

/// Remaining budget of values for the trees of further files.
#[derive(Debug)]
pub(super) struct ValueBudget(pub(super) usize);

impl Default for ValueBudget {
    fn default() -> Self {
        Self(MAX_VALUES)
    }
}

/// Documents of an EPAC file.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) documents: Vec<Value>,
    /// True if documents are missing, because there are too many.
    pub(super) is_cut: bool,
}

/// True if a file is one of EPAC.
pub(super) fn is_tree(file: &Value) -> bool {
    let has = |name: &str| file.get(name).is_some();
    let is_node = has("definitionEntry") || has("definitionEntryList") || has("children");
    file.get("exemptions").and_then(Value::as_array).is_some() || (has("nodeName") && is_node)
}

/// Returns the documents of an EPAC file, or `None` for another file.
pub(super) fn read(file: &Value, left: &mut ValueBudget) -> Option<Tree> {
    if !is_tree(file) {
        return None;
    }
    if let Some(exemptions) = file.get("exemptions").and_then(Value::as_array) {
        return Some(Tree { documents: exemptions.iter().flat_map(exemption).collect(), is_cut: false });
    }
    let mut walk = Walk { tree: Tree::default(), left };
    walk.node(Node::default(), file);
    Some(walk.tree)
}

/// A walk through a tree, which ends when there are too many values.
struct Walk<'l> {
    tree: Tree,
    left: &'l mut ValueBudget,
}

impl Walk<'_> {
    /// Takes values from the budget. Returns `false` if they exceed it.
    fn takes(&mut self, values: usize) -> bool {
        match self.left.0.checked_sub(values) {
            Some(left) => self.left.0 = left,
            None => self.tree.is_cut = true,
        }
        !self.tree.is_cut
    }

    fn node(&mut self, mut own: Node, node: &Value) {
        own.read(node);
        if !self.takes(own.size()) {
            return;
        }
        match node.get("children").and_then(Value::as_array).filter(|children| !children.is_empty()) {
            Some(children) => {
                for child in children {
                    if self.tree.is_cut {
                        return;
                    }
                    self.node(own.clone(), child);
                }
            }
            None => self.assign(&own, node),
        }
    }

    fn assign(&mut self, own: &Node, node: &Value) {
        for entry in &own.entries {
            for scope in &own.scopes {
                if !self.takes(own.size_of_assignment()) {
                    return;
                }
                self.tree.documents.extend(own.assignment(node, entry, scope));
            }
        }
    }
}

/// Own and inherited content of a node.
#[derive(Clone, Default)]
struct Node {
    /// Beginning of the names of its assignments.
    name: String,
    entries: Vec<Value>,
    parameters: Vec<Member>,
    scopes: Vec<Value>,
    not_scopes: Vec<Value>,
    /// Members such as `overrides` and `enforcementMode`, which an assignment has unchanged.
    others: Vec<Member>,
}

/// Beginning of the IDs of built-in documents. A name in such an ID is looked up like the name of any document.
const PROVIDER: &str = "/providers/Microsoft.Authorization/";

/// Values of an assignment without settings.
const VALUES_OF_ASSIGNMENT: usize = 20;

/// Bytes of a name that count as one value.
const BYTES_OF_VALUE: usize = 64;

/// Members of a node that are members of its assignments.
const OTHERS: &[&str] =
    &["overrides", "resourceSelectors", "enforcementMode", "nonComplianceMessages", "definitionVersion"];

impl Node {
    /// Adds the content of a node below.
    fn read(&mut self, node: &Value) {
        self.name.push_str(
            node.get("assignment").and_then(|own| own.get("name")).and_then(Value::as_str).unwrap_or_default(),
        );
        let entries = node.get("definitionEntryList").and_then(Value::as_array).unwrap_or_default();
        self.entries.extend(node.get("definitionEntry").into_iter().chain(entries).cloned());
        if let Some(own) = node.get("parameters").and_then(Value::as_object) {
            self.parameters.retain(|inherited| own.get(&inherited.key).is_none());
            self.parameters.extend(own.iter().cloned());
        }
        let scopes = by_environment(node.get("scope"));
        if !scopes.is_empty() {
            self.scopes = scopes;
        }
        self.not_scopes.extend(by_environment(node.get("notScopes").or_else(|| node.get("notScope"))));
        for name in OTHERS {
            if let Some(value) = node.get(name) {
                replace(&mut self.others, Member::new(*name, value.clone()));
            }
        }
    }

    /// Returns the number of values.
    fn size(&self) -> usize {
        self.size_of_assignment().saturating_add(self.entries.len()).saturating_add(self.scopes.len())
    }

    /// Returns the number of values of one of its assignments.
    fn size_of_assignment(&self) -> usize {
        let members = self.parameters.iter().chain(&self.others).map(|member| &member.value);
        let weights = members.chain(&self.not_scopes).map(|value| value.size().weight as usize);
        weights.fold(VALUES_OF_ASSIGNMENT + self.name.len() / BYTES_OF_VALUE, usize::saturating_add)
    }

    fn assignment(&self, node: &Value, entry: &Value, scope: &Value) -> Option<Value> {
        let names = ["policyId", "policySetId", "policyName", "policySetName", "initiativeId", "initiativeName"];
        let (kind, definition) = names.iter().find_map(|name| Some((name, entry.get(name)?.as_str()?)))?;
        let id = match *kind {
            "policyName" => format!("{PROVIDER}policyDefinitions/{definition}"),
            "policySetName" | "initiativeName" => format!("{PROVIDER}policySetDefinitions/{definition}"),
            _ => definition.to_owned(),
        };
        let own = entry.get("assignment").and_then(|own| own.get("name")).and_then(Value::as_str).unwrap_or_default();
        let parameters = self.parameters.iter().map(|parameter| {
            let value = Value::object(vec![Member::new("value", parameter.value.clone())]);
            Member { value, ..parameter.clone() }
        });
        let mut properties = vec![
            Member::new("policyDefinitionId", Value::from(id)),
            Member::new("scope", scope.clone()),
            Member::new("notScopes", Value::array(self.not_scopes.clone())),
            Member::new("parameters", Value::object(parameters.collect())),
        ];
        properties
            .extend(entry.get("definitionVersion").map(|version| Member::new("definitionVersion", version.clone())));
        properties.extend(self.others.iter().cloned());
        let name = format!("{}{own}", self.name);
        let id = format!(
            "{}/providers/Microsoft.Authorization/policyAssignments/{name}",
            scope.as_str().unwrap_or_default().trim_end_matches('/')
        );
        Some(document(&name, &id, properties, node))
    }
}

/// Returns the exemptions of an entry: one for each of its scopes.
fn exemption(entry: &Value) -> Vec<Value> {
    let many = entry.get("scopes").and_then(Value::as_array).unwrap_or_default();
    let scopes: Vec<&Value> = entry.get("scope").into_iter().chain(many).collect();
    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
    let make = |scope: &Value| {
        let known = [
            "policyAssignmentId",
            "policyDefinitionReferenceIds",
            "exemptionCategory",
            "description",
            "displayName",
            "expiresOn",
            "resourceSelectors",
        ];
        let mut properties: Vec<Member> =
            known.iter().filter_map(|name| Some(Member::new(*name, entry.get(name)?.clone()))).collect();
        properties.push(Member::new("scope", scope.clone()));
        document(name, "", properties, entry)
    };
    scopes.into_iter().map(make).collect()
}

fn document(name: &str, id: &str, properties: Vec<Member>, written: &Value) -> Value {
    let text = |name: &str, text: &str| Member::new(name, Value::from(text));
    let members = vec![text("name", name), text("id", id), Member::new("properties", Value::object(properties))];
    Value { span: written.span, ..Value::object(members) }
}

fn replace(members: &mut Vec<Member>, member: Member) {
    members.retain(|known| !known.key.eq_ignore_ascii_case(&member.key));
    members.push(member);
}

/// Returns the values for all environments of a repository, which are selected by name: `{"*": […], "prod": […]}`.
fn by_environment(value: Option<&Value>) -> Vec<Value> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    let lists = members.flat_map(|member| member.value.as_array().unwrap_or(std::slice::from_ref(&member.value)));
    lists.filter(|scope| scope.as_str().is_some()).cloned().collect()
}
