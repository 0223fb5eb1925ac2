//! Finds the resources that properties of others refer to.

use foldhash::HashSet;

use crate::guard::rule::Exception;
use crate::guard::select::{Found, properties, visit};
use crate::model::{DeploymentId, Document, Resource, ResourceId};
use crate::value::Value;

/// What the properties of a template refer to.
#[derive(Default)]
struct References {
    /// The logical IDs in them.
    ids: HashSet<(DeploymentId, String)>,
    /// Whole values, which may be the name of a resource.
    names: HashSet<(DeploymentId, String)>,
}

/// The resources that a rule ignores.
pub(super) fn targets(exceptions: &[Exception], document: &Document) -> HashSet<ResourceId> {
    let mut references = References::default();
    for exception in exceptions {
        for source in document.resources.iter().filter(|source| *source.type_name == *exception.type_name) {
            visit(source, &exception.path, &mut |reached| {
                let written = match reached.found {
                    Found::Value(value) => value.approximate(),
                    Found::Unseen(unknown) => unknown.approximation.approximate(),
                    Found::Missing | Found::Empty => return,
                };
                references.add(source.deployment, written.as_str().unwrap_or_default());
            });
        }
    }
    if references.names.is_empty() {
        return HashSet::default();
    }
    let all = document.resources.iter().enumerate();
    all.filter(|(_, resource)| references.have(resource)).map(|(at, _)| ResourceId(at)).collect()
}

impl References {
    /// Adds a value, with the IDs that are written as `${ID}` and `${ID.Attribute}` where it is not known.
    fn add(&mut self, deployment: DeploymentId, text: &str) {
        let ids = text.split("${").skip(1).filter_map(|rest| rest.split(['}', '.']).next());
        self.ids.extend(ids.map(|id| (deployment, id.to_owned())));
        self.names.insert((deployment, text.to_owned()));
    }

    /// Whether any of them is to this resource: to its ID, or to the name that one of its properties gives it.
    fn have(&self, resource: &Resource) -> bool {
        let own = resource.body.get(properties(resource)).and_then(Value::as_object);
        let mut names = own.into_iter().flatten().filter(|member| member.key.ends_with("Name"));
        self.ids.contains(&(resource.deployment, resource.name.to_string()))
            || names.any(|member| {
                let name = member.value.approximate();
                name.as_str().is_some_and(|name| self.names.contains(&(resource.deployment, name.to_owned())))
            })
    }
}
