//! Reads the assignments of Enterprise Policy as Code (EPAC), as the documents that it deploys.
//!
//! A file of assignments is a tree, whose nodes inherit from those above. Each leaf is one assignment for each of its
//! scopes and definitions. Reference: <https://azure.github.io/enterprise-azure-policy-as-code/policy-assignments/>.

use super::{ALL, document, excluded};
use crate::problem::Problem;
use crate::value::{Member, Str, Value};

/// Values of the nodes and assignments of all files. Nodes inherit, and scopes and definitions multiply.
const MAX_VALUES: usize = 2_000_000;

/// Remaining budget of values for the documents of further files.
#[derive(Debug)]
pub(super) struct ValueBudget(pub(super) usize);

impl Default for ValueBudget {
    fn default() -> Self {
        Self(MAX_VALUES)
    }
}

impl ValueBudget {
    /// Takes values. Returns `false` if that is more than what is left, and nothing is left afterwards.
    pub(super) fn take(&mut self, values: usize) -> bool {
        let left = self.0.checked_sub(values);
        self.0 = left.unwrap_or_default();
        left.is_some()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Assignments of a tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) leaves: Vec<Leaf>,
    /// Nodes that assign nothing.
    pub(super) problems: Vec<Problem>,
    /// True if assignments are missing, because there are too many.
    pub(super) is_cut: bool,
}

/// An assignment of an environment.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) environment: Str,
    pub(super) document: Value,
    /// Reason for which its parameters may have other values.
    pub(super) doubt: Option<Str>,
}

/// True if a file is a tree of assignments.
pub(super) fn is_tree(file: &Value) -> bool {
    let has = |name: &str| file.get(name).is_some();
    has("nodeName") && (has("definitionEntry") || has("definitionEntryList") || has("children"))
}

/// Returns the assignments of a tree. `selected` has the environments that count.
pub(super) fn read(file: &Value, left: &mut ValueBudget, selected: &[String]) -> Tree {
    let mut walk = Walk { tree: Tree::default(), left, selected };
    walk.node(Node::default(), file);
    walk.tree
}

/// A walk through a tree, which ends when there are too many values.
struct Walk<'l> {
    tree: Tree,
    left: &'l mut ValueBudget,
    selected: &'l [String],
}

impl Walk<'_> {
    /// Takes values from the budget. Returns `false` if they exceed it.
    fn takes(&mut self, values: usize) -> bool {
        self.tree.is_cut |= !self.left.take(values);
        !self.tree.is_cut
    }

    fn node(&mut self, mut own: Node, node: &Value) {
        own.read(node);
        if own.is_ignored {
            return;
        }
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
        let missing = match () {
            () if own.entries.is_empty() => Some("`definitionEntry` or `definitionEntryList`"),
            () if own.scopes.is_empty() => Some("`scope`"),
            () => None,
        };
        if let Some(missing) = missing {
            let message = format!("nothing is assigned here: neither this node nor one above it has {missing}");
            self.tree.problems.push(Problem::new(node.span, message));
        }
        let unread = |file: &Str| Str::from(format!("its parameters are in `{file}`, which is not read"));
        let doubt = own.parameter_file.as_ref().map(unread);
        if let (Some(why), None) = (&doubt, missing) {
            let message = format!("whether what is assigned here applies is not known: {why}");
            self.tree.problems.push(Problem::new(node.span, message));
        }
        for entry in &own.entries {
            for (environment, scope) in &own.scopes {
                if !self.takes(own.size_of_assignment()) {
                    return;
                }
                if let Some(document) = own.assignment(node, entry, (environment, scope), self.selected) {
                    self.tree.leaves.push(Leaf { environment: environment.clone(), document, doubt: doubt.clone() });
                } else {
                    let message = "nothing is assigned here: the entry names neither a policy nor a policy set";
                    self.tree.problems.push(Problem::new(entry.span.or(node.span), message));
                }
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
    /// Scopes, with the environment of each.
    scopes: Vec<(Str, Value)>,
    not_scopes: Vec<(Str, Value)>,
    /// True if the branch is not deployed.
    is_ignored: bool,
    /// Name of the file with parameters, which is not read.
    parameter_file: Option<Str>,
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
const OTHERS: &[&str] = &["enforcementMode", "nonComplianceMessages", "definitionVersion"];

/// Members of a node that are lists of its assignments, to which it adds items.
const CUMULATIVE: &[&str] = &["overrides", "resourceSelectors"];

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
        for name in CUMULATIVE {
            if let Some(items) = node.get(name).and_then(Value::as_array) {
                let inherited = self.others.iter().find(|member| member.key.eq_ignore_ascii_case(name));
                let inherited = inherited.and_then(|member| member.value.as_array()).unwrap_or_default();
                let all = inherited.iter().chain(items).cloned().collect();
                replace(&mut self.others, Member::new(*name, Value::array(all)));
            }
        }
        if let Some(file) = node.get("parameterFile").and_then(Value::as_shared_str) {
            self.parameter_file = Some(file.clone());
        }
        self.is_ignored |= node.get("ignoreBranch").and_then(Value::as_bool) == Some(true);
    }

    /// Returns the number of values.
    fn size(&self) -> usize {
        self.size_of_assignment().saturating_add(self.entries.len()).saturating_add(self.scopes.len())
    }

    /// Returns the number of values of one of its assignments.
    fn size_of_assignment(&self) -> usize {
        let members = self.parameters.iter().chain(&self.others).map(|member| &member.value);
        let weights =
            members.chain(self.not_scopes.iter().map(|(_, scope)| scope)).map(|value| value.size().weight as usize);
        weights.fold(VALUES_OF_ASSIGNMENT + self.name.len() / BYTES_OF_VALUE, usize::saturating_add)
    }

    /// Returns the assignment of an entry at a scope of an environment. `None` if the entry names nothing.
    fn assignment(
        &self,
        node: &Value,
        entry: &Value,
        (environment, scope): (&Str, &Value),
        selected: &[String],
    ) -> Option<Value> {
        let names = ["policyId", "policySetId", "policyName", "policySetName", "initiativeId", "initiativeName"];
        let (kind, definition) = names.iter().find_map(|name| Some((name, entry.get(name)?.as_str()?)))?;
        let id = match *kind {
            "policyName" => format!("{PROVIDER}policyDefinitions/{definition}"),
            "policySetName" | "initiativeName" => format!("{PROVIDER}policySetDefinitions/{definition}"),
            _ => definition.to_owned(),
        };
        let naming = entry.get("assignment");
        let own = naming.and_then(|own| own.get("name")).and_then(Value::as_str).unwrap_or_default();
        let is_appended = naming.and_then(|own| own.get("append")).and_then(Value::as_bool).unwrap_or_default();
        let is_excluded = |(name, _): &&(Str, Value)| {
            let is_selected = || selected.iter().any(|own| own.eq_ignore_ascii_case(name));
            &**name == ALL || name.eq_ignore_ascii_case(environment) || (&**environment == ALL && is_selected())
        };
        let not_scopes = self
            .not_scopes
            .iter()
            .filter(is_excluded)
            .map(|(_, scope)| Value { span: scope.span, ..Value::from(excluded(scope.as_str().unwrap_or_default())) });
        let parameters = self.parameters.iter().map(|parameter| {
            let value = Value::object(vec![Member::new("value", parameter.value.clone())]);
            Member { value, ..parameter.clone() }
        });
        let mut properties = vec![
            Member::new("policyDefinitionId", Value::from(id)),
            Member::new("scope", scope.clone()),
            Member::new("notScopes", Value::array(not_scopes.collect())),
            Member::new("parameters", Value::object(parameters.collect())),
        ];
        properties
            .extend(entry.get("definitionVersion").map(|version| Member::new("definitionVersion", version.clone())));
        properties.extend(self.others.iter().cloned());
        let name = if is_appended { format!("{}{own}", self.name) } else { format!("{own}{}", self.name) };
        let id = format!(
            "{}/providers/Microsoft.Authorization/policyAssignments/{name}",
            scope.as_str().unwrap_or_default().trim_end_matches('/')
        );
        Some(document(&name, &id, properties, node))
    }
}

fn replace(members: &mut Vec<Member>, member: Member) {
    members.retain(|known| !known.key.eq_ignore_ascii_case(&member.key));
    members.push(member);
}

/// Returns the values by environment, which are selected by name: `{"*": […], "prod": […]}`.
fn by_environment(value: Option<&Value>) -> Vec<(Str, Value)> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    let of = |member: &Member| {
        let list = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
        let scopes = list.iter().filter(|scope| scope.as_str().is_some());
        scopes.map(|scope| (member.key.clone(), scope.clone())).collect::<Vec<_>>()
    };
    members.flat_map(of).collect()
}
