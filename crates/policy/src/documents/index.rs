//! Finds definitions and initiatives by references to them.

use std::sync::Arc;

use foldhash::HashMap;

use crate::documents::{Definition, Initiative, Policies};
use crate::ids::last_segment;
use crate::value::Str;

/// Definitions and initiatives of a run, by ID and by name, case-insensitive.
#[derive(Debug)]
pub struct Index<'p> {
    definitions: ByName<'p, Definition>,
    initiatives: ByName<'p, Initiative>,
}

/// Target of an assignment.
#[derive(Debug)]
pub enum Assigned<'p> {
    /// A definition by itself.
    Definition(&'p Arc<Definition>),
    /// A group of definitions.
    Initiative(&'p Arc<Initiative>),
}

/// Segment that marks the ID of a definition.
const DEFINITION: &str = "policydefinitions";
const INITIATIVE: &str = "policysetdefinitions";

impl<'p> Index<'p> {
    /// Indexes all documents.
    pub fn new(policies: &'p Policies) -> Self {
        Self {
            definitions: ByName::new(&policies.definitions, |definition| (&definition.id, &definition.name)),
            initiatives: ByName::new(&policies.initiatives, |initiative| (&initiative.id, &initiative.name)),
        }
    }

    /// Returns the definition that `id` refers to: the one with this ID, or else the only one with the name at its end.
    pub fn definition(&self, id: &str) -> Option<&'p Arc<Definition>> {
        self.definitions.exact(id).or_else(|| self.definitions.named(id))
    }

    /// Returns the initiative that `id` refers to: see [`Index::definition`].
    pub fn initiative(&self, id: &str) -> Option<&'p Arc<Initiative>> {
        self.initiatives.exact(id).or_else(|| self.initiatives.named(id))
    }

    /// Returns the target of an assignment with `id`. If a definition and an initiative have the name at its end, the
    /// type in the ID decides. Otherwise the type is ignored: ALZ-Bicep assigns initiatives with `policyDefinitions` in
    /// the ID.
    pub fn assigned(&self, id: &str) -> Option<Assigned<'p>> {
        if let Some(exact) = self.definitions.exact(id) {
            return Some(Assigned::Definition(exact));
        }
        if let Some(exact) = self.initiatives.exact(id) {
            return Some(Assigned::Initiative(exact));
        }
        let lower = id.to_ascii_lowercase();
        let kind = lower.rsplit('/').nth(1).unwrap_or_default();
        match (self.definitions.named(id), self.initiatives.named(id)) {
            (Some(definition), Some(_)) if kind == DEFINITION => Some(Assigned::Definition(definition)),
            (Some(_), Some(initiative)) if kind == INITIATIVE => Some(Assigned::Initiative(initiative)),
            (Some(definition), None) => Some(Assigned::Definition(definition)),
            (None, Some(initiative)) => Some(Assigned::Initiative(initiative)),
            _ => None,
        }
    }
}

/// Documents of one kind. A document without an ID or a name is not found by it.
#[derive(Debug)]
struct ByName<'p, T> {
    ids: HashMap<String, &'p Arc<T>>,
    /// Documents by name; `None` for a name that several have.
    names: HashMap<String, Option<&'p Arc<T>>>,
}

impl<'p, T> ByName<'p, T> {
    fn new(all: &'p [Arc<T>], named: impl Fn(&T) -> (&Str, &Str)) -> Self {
        let (mut ids, mut names) = (HashMap::default(), HashMap::default());
        for document in all {
            let (id, name) = named(document);
            if !id.is_empty() {
                ids.entry(id.to_ascii_lowercase()).or_insert(document);
            }
            if !name.is_empty() {
                names.entry(name.to_ascii_lowercase()).and_modify(|known| *known = None).or_insert(Some(document));
            }
        }
        Self { ids, names }
    }

    fn exact(&self, id: &str) -> Option<&'p Arc<T>> {
        self.ids.get(&id.to_ascii_lowercase()).copied()
    }

    fn named(&self, id: &str) -> Option<&'p Arc<T>> {
        self.names.get(&last_segment(id).to_ascii_lowercase()).copied().flatten()
    }
}
