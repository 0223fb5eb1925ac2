//! Files of Enterprise Policy as Code (EPAC), which deploys a repository to several environments.
//!
//! `tree` reads assignments, `exemptions` reads exemptions, which can name definitions instead of assignments, and
//! `table` reads exemptions in CSV. Reference: <https://azure.github.io/enterprise-azure-policy-as-code/>.

mod exemptions;
mod table;
mod tree;

use self::exemptions::Pending;
use self::tree::{Leaf, ValueBudget};
use crate::documents::Problem;
use crate::files::Gathering;
use crate::problem::Consequence;
use crate::text::FileId;
use crate::value::{Member, Str, Value};

/// Name of what is for all environments.
const ALL: &str = "*";

/// Content of EPAC's files besides the documents that it deploys.
#[derive(Debug, Default)]
pub(super) struct Epac {
    /// Environments whose documents count, by `pacSelector`. All, if it is empty.
    selected: Vec<String>,
    left: ValueBudget,
    /// Excluded scopes of all assignments of an environment, which is named in lower case.
    global_not_scopes: Vec<(String, Str)>,
    /// Environments of assignments, in lower case, by the index of the assignment.
    environments: Vec<(usize, String)>,
    /// Exemptions whose assignments are found when all assignments are known.
    pending: Vec<Pending>,
}

impl Epac {
    pub(super) fn new(selected: &[String]) -> Self {
        Self { selected: selected.iter().map(|name| name.to_ascii_lowercase()).collect(), ..Self::default() }
    }

    #[cfg(test)]
    pub(super) fn with_values(values: usize) -> Self {
        Self { left: ValueBudget(values), ..Self::default() }
    }

    /// True if the documents of an environment count.
    fn selects(&self, environment: &str) -> bool {
        environment == ALL
            || self.selected.is_empty()
            || self.selected.iter().any(|name| name.eq_ignore_ascii_case(environment))
    }
}

/// True if a file is one of EPAC.
pub(super) fn is_epac(file: &Value) -> bool {
    let is_list = |name: &str| file.get(name).and_then(Value::as_array).is_some();
    is_list("exemptions") || is_list("pacEnvironments") || tree::is_tree(file)
}

impl Gathering {
    /// Adds what a file of EPAC deploys. `path` has `/` between its segments.
    pub(super) fn add_epac(&mut self, path: &str, file: &Value) {
        if let Some(entries) = file.get("exemptions").and_then(Value::as_array) {
            self.add_exemptions(path, entries);
        } else if let Some(environments) = file.get("pacEnvironments").and_then(Value::as_array) {
            self.epac.global_not_scopes.extend(environments.iter().flat_map(global_not_scopes));
        } else {
            self.add_tree(path, file);
        }
    }

    /// Adds the exemptions of a table in CSV. Returns `false` if it is not one of exemptions.
    pub fn add_table(&mut self, path: &str, text: &str, file: FileId) -> bool {
        let Some(entries) = table::exemptions(text, file) else { return false };
        self.add_exemptions(path, &entries);
        true
    }

    fn add_tree(&mut self, path: &str, file: &Value) {
        let tree = tree::read(file, &mut self.epac.left, &self.epac.selected);
        for Leaf { environment, document, doubt } in tree.leaves {
            if !self.epac.selects(&environment) {
                continue;
            }
            self.document(path, &document);
            if let Some(assignment) = self.policies.assignments.last_mut() {
                (assignment.ignores_undeclared, assignment.doubt) = (true, doubt);
                let at = self.policies.assignments.len().saturating_sub(1);
                self.epac.environments.push((at, environment.to_ascii_lowercase()));
            }
        }
        let problems = tree.problems.into_iter().map(|problem| problem.with(Consequence::Unknown));
        self.policies.problems.extend(problems);
        if tree.is_cut {
            let message = "the file and those before it stand for too many assignments; the rest is not read";
            self.policies.problems.push(Problem::new(file.span, message));
        }
    }

    fn add_exemptions(&mut self, path: &str, entries: &[Value]) {
        let environment = exemptions::environment_of(path).to_ascii_lowercase();
        if !self.epac.selects(&environment) {
            return;
        }
        for pending in entries.iter().flat_map(|entry| exemptions::read(entry, &environment)) {
            if self.epac.left.take(1) {
                self.epac.pending.push(pending);
            }
        }
    }

    /// Adds what depends on all files: the scopes that environments exclude, and the exemptions.
    pub(super) fn finish_epac(&mut self) {
        let Epac { selected, mut left, global_not_scopes, environments, pending } = std::mem::take(&mut self.epac);
        for (at, environment) in &environments {
            let is_own =
                |name: &str| name == environment || (environment == ALL && selected.iter().any(|own| own == name));
            let own = global_not_scopes.iter().filter(|(name, _)| is_own(name)).map(|(_, scope)| scope.clone());
            let Some(assignment) = self.policies.assignments.get_mut(*at) else { continue };
            for scope in own {
                if left.take(1) {
                    assignment.not_scopes.push(scope);
                }
            }
        }
        exemptions::resolve(&pending, &environments, &mut left, &mut self.policies);
        if left.is_spent() {
            let message = "the files of Enterprise Policy as Code stand for too many exemptions; the rest is not read";
            self.policies.problems.push(Problem::new(pending.first().and_then(Pending::span), message));
        }
    }
}

/// Returns the excluded scopes of an environment in the global settings, with its name in lower case.
fn global_not_scopes(environment: &Value) -> Vec<(String, Str)> {
    let name = environment.get("pacSelector").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let scopes = environment.get("globalNotScopes").and_then(Value::as_array).unwrap_or_default();
    scopes.iter().filter_map(|scope| Some((name.clone(), Str::from(excluded(scope.as_str()?))))).collect()
}

/// Returns an excluded scope in the form of Azure. Patterns have the form of an ID in which `*` stands for any text, and
/// a pattern for the titles of subscriptions, which are not known, becomes a placeholder.
fn excluded(scope: &str) -> String {
    let after = |prefix: &str| {
        let start = scope.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix))?;
        scope.get(start.len()..)
    };
    if let Some(pattern) = after("/resourceGroupPatterns/") {
        return format!("/subscriptions/*/resourceGroups/{pattern}");
    }
    match after("/subscriptions/subscriptionsPattern/") {
        Some(pattern) => format!("/subscriptions/{{{pattern}}}"),
        None => scope.to_owned(),
    }
}

/// Returns a document as Azure has it.
fn document(name: &str, id: &str, properties: Vec<Member>, written: &Value) -> Value {
    let text = |name: &str, text: &str| Member::new(name, Value::from(text));
    let members = vec![text("name", name), text("id", id), Member::new("properties", Value::object(properties))];
    Value { span: written.span, ..Value::object(members) }
}
