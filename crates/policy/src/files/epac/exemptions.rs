//! Exemptions of Enterprise Policy as Code (EPAC), which name an assignment, or the definition or initiative that any
//! number of assignments have. Reference:
//! <https://azure.github.io/enterprise-azure-policy-as-code/policy-exemptions/>.

use foldhash::HashMap;

use super::tree::ValueBudget;
use super::{ALL, document};
use crate::documents::{Assigned, Exemption, Index, Policies, Problem};
use crate::ids::last_segment;
use crate::problem::Consequence;
use crate::text::Span;
use crate::value::{Member, Str, Value};

/// An exemption at one scope.
#[derive(Debug)]
pub(super) struct Pending {
    entry: Value,
    /// Members of the exemption besides the assignment and the references.
    properties: Vec<Member>,
    target: Target,
    /// References, names, and IDs of the exempt definitions of the initiative. Empty for all.
    definitions: Vec<Str>,
    environment: String,
}

/// Assignments that an exemption is from.
#[derive(Debug)]
enum Target {
    Assignment(Str),
    /// Assignments of a definition, by its name in lower case.
    Definition(String),
    /// Assignments of an initiative, by its name in lower case.
    Initiative(String),
    Nothing,
}

impl Pending {
    pub(super) fn span(&self) -> Option<Span> {
        self.entry.span
    }
}

/// Returns the environment of the exemptions in a file, after whose `pacSelector` its folder below `policyExemptions` is
/// named.
pub(super) fn environment_of(path: &str) -> &str {
    let mut folders = path.rsplit_once('/').map_or("", |(folder, _)| folder).split('/');
    folders.find(|folder| folder.eq_ignore_ascii_case("policyExemptions"));
    folders.next().unwrap_or(ALL)
}

/// Members of an exemption that are those of an entry.
const MEMBERS: &[&str] =
    &["exemptionCategory", "description", "displayName", "expiresOn", "resourceSelectors", "assignmentScopeValidation"];

/// Returns the exemptions of an entry: one for each of its scopes.
pub(super) fn read(entry: &Value, environment: &str) -> Vec<Pending> {
    let many = entry.get("scopes").and_then(Value::as_array).unwrap_or_default();
    let scopes = entry.get("scope").filter(|scope| scope.as_str() != Some("")).into_iter().chain(many);
    let definitions = entry.get("policyDefinitionReferenceIds").and_then(Value::as_array).unwrap_or_default();
    let pending = |scope: &Value| {
        let known = MEMBERS.iter().filter_map(|name| Some(Member::new(*name, entry.get(name)?.clone())));
        // A title for people may stand before the ID.
        let scope = scope.as_str().map(|text| text.split_once(":/").map_or(text.into(), |(_, id)| format!("/{id}")));
        let scope = scope.map(|scope| Member::new("scope", Value::from(scope)));
        Pending {
            properties: known.chain(scope).collect(),
            target: Target::of_entry(entry),
            definitions: definitions.iter().filter_map(Value::as_shared_str).cloned().collect(),
            environment: environment.to_owned(),
            entry: entry.clone(),
        }
    };
    scopes.map(pending).collect()
}

impl Target {
    fn of_entry(entry: &Value) -> Self {
        let text = |name: &str| entry.get(name).and_then(Value::as_shared_str).filter(|text| !text.is_empty());
        let named = |id: &Str| last_segment(id).to_ascii_lowercase();
        let definition = || text("policyDefinitionId").or_else(|| text("policyDefinitionName"));
        let initiative = || text("policySetDefinitionId").or_else(|| text("policySetDefinitionName"));
        if let Some(id) = text("policyAssignmentId") {
            Self::Assignment(id.clone())
        } else if let Some(id) = definition() {
            Self::Definition(named(id))
        } else if let Some(id) = initiative() {
            Self::Initiative(named(id))
        } else if let Some(id) = text("assignmentReferenceId") {
            // The column of a table for all of them.
            match id.to_ascii_lowercase() {
                lower if lower.contains("policysetdefinitions/") => Self::Initiative(named(id)),
                lower if lower.contains("policydefinitions/") => Self::Definition(named(id)),
                _ => Self::Assignment(id.clone()),
            }
        } else {
            Self::Nothing
        }
    }
}

/// Assignments with the references of their definitions.
#[derive(Default)]
struct Assignments<'p> {
    /// Assignments of an initiative, by its name in lower case.
    of_initiative: HashMap<String, Vec<usize>>,
    /// Assignments of a definition, by its name in lower case, with its reference. `None` if it is assigned by itself.
    of_definition: HashMap<String, Vec<(usize, Option<&'p Str>)>>,
}

impl<'p> Assignments<'p> {
    fn new(policies: &'p Policies, left: &mut ValueBudget) -> Self {
        let (mut this, index) = (Self::default(), Index::new(policies));
        for (at, assignment) in policies.assignments.iter().enumerate() {
            match index.assigned(&assignment.definition) {
                Some(Assigned::Definition(definition)) if left.take(1) => {
                    this.of_definition.entry(definition.name.to_ascii_lowercase()).or_default().push((at, None));
                }
                Some(Assigned::Initiative(initiative)) if left.take(initiative.references.len()) => {
                    this.of_initiative.entry(initiative.name.to_ascii_lowercase()).or_default().push(at);
                    for reference in &initiative.references {
                        let name = last_segment(&reference.definition).to_ascii_lowercase();
                        this.of_definition.entry(name).or_default().push((at, Some(&reference.id)));
                    }
                }
                _ => {}
            }
        }
        this
    }

    /// Returns the assignments that an exemption is from, with the references of the exempt definitions. Empty
    /// references mean all.
    fn of(&self, pending: &Pending) -> Vec<(usize, Vec<Str>)> {
        match &pending.target {
            Target::Definition(name) => {
                let mut all: Vec<(usize, Vec<Str>)> = Vec::new();
                for (at, reference) in self.of_definition.get(name).into_iter().flatten() {
                    match all.last_mut().filter(|(last, _)| last == at) {
                        Some((_, references)) => references.extend(reference.cloned()),
                        None => all.push((*at, reference.cloned().into_iter().collect())),
                    }
                }
                all
            }
            Target::Initiative(name) => {
                let all = self.of_initiative.get(name).into_iter().flatten();
                all.map(|at| (*at, self.references(pending, Some(*at)))).collect()
            }
            Target::Assignment(_) | Target::Nothing => Vec::new(),
        }
    }

    /// Returns the references of the definitions that an exemption names, in one assignment if it is known.
    fn references(&self, pending: &Pending, assignment: Option<usize>) -> Vec<Str> {
        let resolved = |text: &Str| {
            if !text.contains('/') {
                return vec![text.clone()];
            }
            let all = self.of_definition.get(&last_segment(text).to_ascii_lowercase()).into_iter().flatten();
            let own = all.filter(|(at, _)| assignment.is_none_or(|assignment| assignment == *at));
            let own: Vec<Str> = own.filter_map(|(_, reference)| reference.cloned()).collect();
            // A reference that nothing has exempts from nothing.
            if own.is_empty() { vec![text.clone()] } else { own }
        };
        pending.definitions.iter().flat_map(resolved).collect()
    }
}

/// Adds the exemptions from the assignments that are meant. `environments` has those of the assignments, by index.
pub(super) fn resolve(
    all: &[Pending],
    environments: &[(usize, String)],
    left: &mut ValueBudget,
    policies: &mut Policies,
) {
    if all.is_empty() {
        return;
    }
    let environments: HashMap<usize, &str> = environments.iter().map(|(at, name)| (*at, name.as_str())).collect();
    let (mut exemptions, mut problems) = (Vec::new(), Vec::new());
    let assignments = Assignments::new(policies, left);
    for pending in all {
        let is_own = |at: &usize| {
            let own = environments.get(at).copied().unwrap_or(ALL);
            [own, &pending.environment].contains(&ALL) || own == pending.environment
        };
        let found = if let Target::Assignment(id) = &pending.target {
            vec![(id.clone(), assignments.references(pending, None))]
        } else {
            let found = assignments.of(pending).into_iter().filter(|(at, _)| is_own(at));
            let named = found.filter_map(|(at, references)| {
                let own = policies.assignments.get(at)?;
                Some((if own.id.is_empty() { own.name.clone() } else { own.id.clone() }, references))
            });
            named.collect()
        };
        let name = pending.entry.get("name").and_then(Value::as_str).unwrap_or_default();
        if found.is_empty() && !policies.assignments.is_empty() {
            let why = match pending.target {
                Target::Nothing => "it names neither an assignment nor a definition",
                _ => "nothing assigns its definition",
            };
            let message = format!("the exemption `{name}` exempts nothing: {why}");
            problems.push(Problem::new(pending.entry.span, message).with(Consequence::LeftOut));
        }
        for (assignment, references) in found {
            if !left.take(pending.properties.len().saturating_add(references.len())) {
                break;
            }
            let references = references.into_iter().map(Value::from).collect();
            let own = [
                Member::new("policyAssignmentId", Value::from(assignment)),
                Member::new("policyDefinitionReferenceIds", Value::array(references)),
            ];
            let properties = pending.properties.iter().cloned().chain(own).collect();
            exemptions.push(Exemption::read(&document(name, "", properties, &pending.entry)));
        }
    }
    policies.exemptions.extend(exemptions);
    policies.problems.extend(problems);
}
