//! Finds resources that properties of other resources refer to.

use foldhash::HashSet;

use crate::guard::rule::Exception;
use crate::guard::select::{TargetValue, properties, visit};
use crate::model::{DeploymentId, Document, Resource, ResourceId};
use crate::value::Value;

/// Targets of references in a template.
#[derive(Default)]
struct References {
    /// Logical IDs.
    ids: HashSet<(DeploymentId, String)>,
    /// Whole values, which may be names of resources.
    names: HashSet<(DeploymentId, String)>,
}

/// Returns the resources that a rule ignores.
pub(super) fn targets(exceptions: &[Exception], document: &Document) -> HashSet<ResourceId> {
    let mut references = References::default();
    for exception in exceptions {
        for source in document.resources.iter().filter(|source| *source.type_name == *exception.type_name) {
            visit(source, &exception.path, &mut |reached| {
                let written = match reached.found {
                    TargetValue::Value(value) => value.approximate(),
                    TargetValue::Unseen(unknown) => unknown.approximation.approximate(),
                    TargetValue::Missing | TargetValue::Empty => return,
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
    /// Adds a value, or the IDs in it (`${ID}` and `${ID.Attribute}`) if it is not known.
    fn add(&mut self, deployment: DeploymentId, text: &str) {
        let ids = text.split("${").skip(1).filter_map(|rest| rest.split(['}', '.']).next());
        self.ids.extend(ids.map(|id| (deployment, id.to_owned())));
        self.names.insert((deployment, text.to_owned()));
    }

    /// True if something refers to this resource by its ID, or by a name in its properties.
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
