//! The policy documents in the files of a repository.
//!
//! A file is recognized by its content: what other tools keep there is ignored. `shape` tells the documents apart, `parts` joins
//! what a folder has in several files, and `tree` reads the assignments and exemptions of Enterprise Policy as Code.

mod escapes;
mod parts;
mod shape;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use crate::builtin;
use crate::documents::{Assignment, Definition, Enrollment, Exemption, Initiative, Policies};
use crate::value::{Str, Value};

use self::parts::Parts;
use self::shape::Shape;

/// Gathers the documents of a run, file by file.
#[derive(Debug, Default)]
pub struct Gathering {
    policies: Policies,
    parts: Parts,
}

impl Gathering {
    /// Adds the documents of a file. `path` has `/` between its segments. Whether there are any in it.
    pub fn add(&mut self, path: &str, file: &Value) -> bool {
        if is_of_other_cloud(path) {
            return true;
        }
        if let Some(documents) = tree::read(file) {
            for document in &documents {
                self.document(document);
            }
            return true;
        }
        let found = listed(file).iter().filter(|document| self.document(document)).count();
        found > 0 || self.parts.add(path, file)
    }

    /// Everything that was added, and the built-in documents that it refers to.
    pub fn finish(mut self) -> Policies {
        for document in std::mem::take(&mut self.parts).join() {
            self.document(&document);
        }
        self.add_builtin();
        self.policies
    }

    /// Adds the built-in initiatives that are assigned, and the built-in definitions that are assigned or in an initiative.
    fn add_builtin(&mut self) {
        let policies = &mut self.policies;
        for assignment in &policies.assignments {
            if policies.initiative(&assignment.definition).is_none() {
                policies.initiatives.extend(builtin::initiative(&assignment.definition));
            }
        }
        let assigned = policies.assignments.iter().map(|assignment| &assignment.definition);
        let references = policies.initiatives.iter().flat_map(|initiative| &initiative.references);
        let mut ids: Vec<Str> = assigned.chain(references.map(|reference| &reference.definition)).cloned().collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            if policies.definition(&id).is_none() {
                policies.definitions.extend(builtin::definition(&id));
            }
        }
    }

    fn document(&mut self, document: &Value) -> bool {
        let Some(shape) = Shape::of(document) else { return false };
        let document = escapes::resolve(document);
        let policies = &mut self.policies;
        match shape {
            Shape::Definition => policies.definitions.push(Arc::new(Definition::read(&document))),
            Shape::Initiative => policies.initiatives.push(Arc::new(Initiative::read(&document))),
            Shape::Assignment => policies.assignments.push(Assignment::read(&document)),
            Shape::Exemption => policies.exemptions.push(Exemption::read(&document)),
            Shape::Enrollment => policies.enrollments.push(Enrollment::read(&document)),
        }
        true
    }
}

/// Whether a file has policy documents.
pub fn is_policy(file: &Value) -> bool {
    tree::read(file).is_some() || listed(file).iter().any(|document| Shape::of(document).is_some())
}

/// The documents of a file. The Azure CLI prints lists as arrays, and the REST API as objects with `value`.
fn listed(file: &Value) -> &[Value] {
    let list = file.as_array().or_else(|| file.get("value").and_then(Value::as_array));
    list.unwrap_or(std::slice::from_ref(file))
}

/// Whether a file is the variant of a document for a sovereign cloud. Only the public cloud is judged.
fn is_of_other_cloud(path: &str) -> bool {
    [".AzureChinaCloud.json", ".AzureUSGovernment.json"].iter().any(|end| path.ends_with(end))
}
