//! The assignments and exemptions of Enterprise Policy as Code (EPAC), as the documents that it deploys.
//!
//! A file of assignments is a tree, whose nodes inherit from those above. Each leaf is one assignment for each of its scopes and
//! definitions. Reference: <https://azure.github.io/enterprise-azure-policy-as-code/policy-assignments/>.

use crate::value::{Member, Value};

/// How many assignments a file may stand for: scopes and definitions multiply.
const MAX_ASSIGNMENTS: usize = 10_000;

/// The documents that a file of EPAC stands for. `None` for another file.
pub(super) fn read(file: &Value) -> Option<Vec<Value>> {
    if let Some(exemptions) = file.get("exemptions").and_then(Value::as_array) {
        return Some(exemptions.iter().flat_map(exemption).collect());
    }
    let is_entry = file.get("definitionEntry").or_else(|| file.get("definitionEntryList")).is_some();
    file.get("nodeName").filter(|_| is_entry || file.get("children").is_some())?;
    let mut documents = Vec::new();
    Node::default().walk(file, &mut documents);
    Some(documents)
}

/// What a node has, its own and inherited.
#[derive(Clone, Default)]
struct Node {
    /// The beginning of the names of its assignments.
    name: String,
    entries: Vec<Value>,
    parameters: Vec<Member>,
    scopes: Vec<Value>,
    not_scopes: Vec<Value>,
    /// `overrides`, `enforcementMode` and others that an assignment has as they are.
    others: Vec<Member>,
}

/// The members of a node that are those of its assignments.
const OTHERS: &[&str] =
    &["overrides", "resourceSelectors", "enforcementMode", "nonComplianceMessages", "definitionVersion"];

impl Node {
    fn walk(mut self, node: &Value, documents: &mut Vec<Value>) {
        self.name.push_str(
            node.get("assignment").and_then(|own| own.get("name")).and_then(Value::as_str).unwrap_or_default(),
        );
        let entries = node.get("definitionEntryList").and_then(Value::as_array).unwrap_or_default();
        self.entries.extend(node.get("definitionEntry").into_iter().chain(entries).cloned());
        for member in node.get("parameters").and_then(Value::as_object).into_iter().flatten() {
            replace(&mut self.parameters, member.clone());
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
        match node.get("children").and_then(Value::as_array).filter(|children| !children.is_empty()) {
            Some(children) => children.iter().for_each(|child| self.clone().walk(child, documents)),
            None => self.assign(node, documents),
        }
    }

    fn assign(&self, node: &Value, documents: &mut Vec<Value>) {
        for entry in &self.entries {
            for scope in &self.scopes {
                if documents.len() < MAX_ASSIGNMENTS {
                    documents.extend(self.assignment(node, entry, scope));
                }
            }
        }
    }

    fn assignment(&self, node: &Value, entry: &Value, scope: &Value) -> Option<Value> {
        let names = ["policyId", "policySetId", "policyName", "policySetName", "initiativeId", "initiativeName"];
        let definition = names.iter().find_map(|name| entry.get(name).filter(|value| value.as_str().is_some()))?;
        let own = entry.get("assignment").and_then(|own| own.get("name")).and_then(Value::as_str).unwrap_or_default();
        let parameters = self.parameters.iter().map(|parameter| {
            let value = Value::object(vec![Member::new("value", parameter.value.clone())]);
            Member { value, ..parameter.clone() }
        });
        let mut properties = vec![
            Member::new("policyDefinitionId", definition.clone()),
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

/// The exemptions that an entry stands for: one for each of its scopes.
fn exemption(entry: &Value) -> Vec<Value> {
    let many = entry.get("scopes").and_then(Value::as_array).unwrap_or_default();
    let scopes: Vec<&Value> = entry.get("scope").into_iter().chain(many).collect();
    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
    let make = |scope: &Value| {
        let known = [
            "policyAssignmentId",
            "policyDefinitionReferenceIds",
            "exemptionCategory",
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

/// The values for all environments of a repository, which their names select: `{"*": […], "prod": […]}`.
fn by_environment(value: Option<&Value>) -> Vec<Value> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    let lists = members.flat_map(|member| member.value.as_array().unwrap_or(std::slice::from_ref(&member.value)));
    lists.filter(|scope| scope.as_str().is_some()).cloned().collect()
}
