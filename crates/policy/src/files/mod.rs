//! Policy documents in the files of a repository.
//!
//! A file is recognized by its content: files of other tools are ignored. `shape` distinguishes the documents, `parts`
//! joins documents in several files, `epac` reads the assignments and exemptions of Enterprise Policy as Code, and
//! `deployed` reads documents in templates.

mod deployed;
mod epac;
mod escapes;
mod parts;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::builtin;
use crate::documents::{Assignment, Definition, Enrollment, Exemption, Index, Initiative, Policies, Problem};
use crate::lint::unknown_effect;
use crate::problem::Consequence;
use crate::value::{Str, Value};

pub use self::deployed::Deployed;
use self::epac::{Epac, is_epac};
use self::parts::Parts;
use self::shape::Shape;

/// Collects the documents of a run, file by file.
#[derive(Debug, Default)]
pub struct Gathering {
    /// Definitions in files, which are shared only after they have IDs.
    definitions: Vec<Definition>,
    initiatives: Vec<Initiative>,
    /// All other documents, and built-in ones.
    policies: Policies,
    parts: Parts,
    epac: Epac,
    /// Digests of the documents that templates deploy, so that each is added once.
    deployed: HashSet<String>,
    /// Deployed definitions and initiatives, by ID or by name if that is not known, in lower case.
    by_id: HashMap<(Shape, String), deployed::Known>,
    /// All definitions and initiatives with an ID, by ID in lower case.
    identified: HashMap<(Shape, String), Value>,
}

impl Gathering {
    /// Creates an empty collection. `environments` has the environments of Enterprise Policy as Code whose documents
    /// count; if it is empty, those of all environments count.
    pub fn new(environments: &[String]) -> Self {
        Self { epac: Epac::new(environments), ..Self::default() }
    }

    /// Adds the documents of a file. `path` has `/` between its segments. Returns `false` if there are none.
    pub fn add(&mut self, path: &str, file: &Value) -> bool {
        if is_of_other_cloud(path) {
            return true;
        }
        if is_epac(file) {
            self.add_epac(path, file);
            return true;
        }
        let found = documents(file).filter(|document| self.document(path, document)).count();
        self.parts.add(path, file, found > 0) || found > 0
    }

    /// Returns everything that was added, and the built-in documents that it refers to.
    pub fn finish(mut self) -> Policies {
        for document in std::mem::take(&mut self.parts).join() {
            self.document("", &document);
        }
        self.identify();
        self.policies.definitions.extend(self.definitions.drain(..).map(Arc::new));
        self.policies.initiatives.extend(self.initiatives.drain(..).map(Arc::new));
        self.add_builtin();
        self.finish_epac();
        self.policies
    }

    /// Gives IDs to documents without one that share their names with others, so that each can be assigned.
    fn identify(&mut self) {
        let definitions = self.definitions.iter_mut().map(|own| (&own.name, &mut own.id));
        let initiatives = self.initiatives.iter_mut().map(|own| (&own.name, &mut own.id));
        let all: Vec<(&Str, &mut Str)> = definitions.chain(initiatives).collect();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (name, _) in &all {
            *names.entry(name.to_ascii_lowercase()).or_default() += 1;
        }
        for (at, (name, id)) in (1..).zip(all) {
            let is_shared = name.is_empty() || names.get(&name.to_ascii_lowercase()).is_some_and(|count| *count > 1);
            if id.is_empty() && is_shared {
                *id = Str::from(format!("{name} ({at})"));
            }
        }
    }

    /// Adds the built-in initiatives that are assigned, and the built-in definitions that are assigned or in an
    /// initiative.
    fn add_builtin(&mut self) {
        let policies = &mut self.policies;
        let assigned: BTreeSet<Str> = policies.assignments.iter().map(|own| own.definition.clone()).collect();
        let index = Index::new(policies);
        let initiatives =
            assigned.iter().filter(|id| index.initiative(id).is_none()).filter_map(|id| builtin::initiative(id));
        let initiatives: Vec<Arc<Initiative>> = initiatives.collect();
        policies.initiatives.extend(initiatives);
        let references = policies.initiatives.iter().flat_map(|initiative| &initiative.references);
        let ids: BTreeSet<Str> = references.map(|reference| reference.definition.clone()).chain(assigned).collect();
        let index = Index::new(policies);
        let definitions =
            ids.iter().filter(|id| index.definition(id).is_none()).filter_map(|id| builtin::definition(id));
        let definitions: Vec<Arc<Definition>> = definitions.collect();
        policies.definitions.extend(definitions);
    }

    /// Adds a document of the file at `path`, which gives it a name if it has none. Returns `false` if it is not a
    /// policy document.
    fn document(&mut self, path: &str, document: &Value) -> bool {
        let Some(shape) = Shape::recognize(document) else { return false };
        let document = escapes::resolve(document);
        self.read(shape, path, &document);
        self.identified(shape, &document);
        true
    }

    /// Records the ID of a definition or an initiative. If several differ, the first counts, and the others get a
    /// problem.
    fn identified(&mut self, shape: Shape, document: &Value) {
        let id = document.get("id").and_then(Value::as_str).unwrap_or_default();
        if id.is_empty() || !matches!(shape, Shape::Definition | Shape::Initiative) {
            return;
        }
        match self.identified.entry((shape, id.to_ascii_lowercase())) {
            Entry::Vacant(vacant) => {
                vacant.insert(document.clone());
            }
            Entry::Occupied(first) if !decides_same(first.get(), document) => {
                let message = format!(
                    "this is not used, because another file says something else of `{id}` and comes first; \
                                       the files of the settings come before those of the command line"
                );
                let problem = Problem::new(document.span, message).with(Consequence::LeftOut);
                self.policies.problems.push(problem);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Adds a document like [`Self::document`], with a known shape.
    fn read(&mut self, shape: Shape, path: &str, document: &Value) {
        let policies = &mut self.policies;
        let named = |name: Str| if name.is_empty() { parts::name_of(path) } else { name };
        match shape {
            Shape::Definition => {
                let mut definition = Definition::read(document);
                definition.problems.extend(unknown_effect(&definition));
                let name = named(definition.name.clone());
                self.definitions.push(Definition { name, ..definition });
            }
            Shape::Initiative => {
                let initiative = Initiative::read(document);
                let name = named(initiative.name.clone());
                self.initiatives.push(Initiative { name, ..initiative });
            }
            Shape::Assignment => {
                let mut assignment = Assignment::read(document);
                if assignment.definition.is_empty() {
                    let message = "the assignment has no `policyDefinitionId`";
                    assignment.problems.push(Problem::new(document.span, message));
                }
                let name = named(assignment.name.clone());
                policies.assignments.push(Assignment { name, ..assignment });
            }
            Shape::Exemption => policies.exemptions.push(Exemption::read(document)),
            Shape::Enrollment => policies.enrollments.push(Enrollment::read(document)),
        }
    }
}

/// True if two definitions or initiatives have the same effect. Their descriptions may differ.
fn decides_same(one: &Value, other: &Value) -> bool {
    const DECISIVE: [&str; 4] = ["mode", "parameters", "policyRule", "policyDefinitions"];
    let part = |document: &Value, name: &str| {
        let own = document.get("properties").unwrap_or(document);
        own.get(name).cloned().unwrap_or(Value::NULL)
    };
    DECISIVE.iter().all(|name| part(one, name).same(&part(other, name)))
}

/// True if a file has policy documents.
pub fn is_policy(file: &Value) -> bool {
    is_epac(file) || documents(file).any(|document| Shape::recognize(document).is_some())
}

/// Strings in lower case that occur in policy documents, to recognize text that is not valid JSON.
const MARKS: &[&str] = &[
    "policyrule",
    "policydefinition",
    "policysetdefinition",
    "policyassignment",
    "policyexemption",
    "microsoft.authorization/polic",
    "definitionentry",
];

/// True if a file that cannot be parsed was meant as a policy document, by its name or by what it names. `path` has `/`
/// between its segments.
pub fn is_meant_as_policy(path: &str, text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let has = |mark: &&str| text.windows(mark.len()).any(|part| part == mark.as_bytes());
    parts::is_part(path) || MARKS.iter().any(has)
}

/// Returns what may be documents of a file. The Azure CLI prints lists as arrays, and the REST API as objects with
/// `value`. A list of the definitions in an initiative has no documents.
fn documents(file: &Value) -> impl Iterator<Item = &Value> {
    let list = file.as_array().or_else(|| file.get("value").and_then(Value::as_array));
    let all = list.unwrap_or(std::slice::from_ref(file));
    all.iter().filter(move |document| list.is_none() || !shape::is_reference(document))
}

/// True if a file is the variant of a document for a sovereign cloud. Only the public cloud is evaluated.
fn is_of_other_cloud(path: &str) -> bool {
    [".AzureChinaCloud.json", ".AzureUSGovernment.json"].iter().any(|end| path.ends_with(end))
}
