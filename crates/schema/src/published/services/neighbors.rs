//! Other resources of the template, to which facts lead: parents, and what a value refers to.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::model::{DeploymentId, Document, ResourceId};
use crate::published::facts::referred;
use crate::published::services::evaluate::{MAX_COMPARED, Node, Surroundings};
use crate::published::tolerance::Cloud;
use crate::value::{Data, Value};

/// The resources of a document.
pub(in crate::published) struct Neighbors<'d> {
    document: &'d Document,
    cloud: Cloud,
    /// Cache: resources by ID in lower case. `None` for an ID that several have.
    by_id: OnceLock<HashMap<String, Option<ResourceId>>>,
    /// Cache: resources by deployment and logical ID.
    by_name: OnceLock<HashMap<(DeploymentId, &'d str), ResourceId>>,
}

impl<'d> Neighbors<'d> {
    pub(in crate::published) fn new(document: &'d Document, cloud: Cloud) -> Self {
        Self { document, cloud, by_id: OnceLock::new(), by_name: OnceLock::new() }
    }

    /// Returns the resource with the properties that facts are about.
    pub(super) fn node(&self, id: ResourceId) -> Option<Node<'d>> {
        let body = &self.document.resources.get(id.0)?.body;
        let root = if self.cloud == Cloud::Aws { body.get("Properties")? } else { body };
        Some(Node { root, id: Some(id) })
    }

    fn by_id(&self, id: &str) -> Option<ResourceId> {
        let index = self.by_id.get_or_init(|| {
            let mut index: HashMap<String, Option<ResourceId>> = HashMap::default();
            for (at, resource) in self.document.resources.iter().enumerate() {
                let of_id = index.entry(resource.id.to_lowercase()).or_insert(Some(ResourceId(at)));
                if *of_id != Some(ResourceId(at)) {
                    *of_id = None;
                }
            }
            index
        });
        index.get(&id.to_lowercase()).copied().flatten()
    }

    /// Returns the item of a resource that an ID leads to, such as the subnet of a network.
    fn item(&self, id: &str) -> Option<Node<'d>> {
        let (above, name) = id.rsplit_once('/')?;
        let (parent, list) = above.rsplit_once('/')?;
        let parent = self.node(self.by_id(parent)?)?;
        let items = parent.root.get("properties")?.get(list)?.as_array()?;
        let is_meant = |item: &&Value| {
            item.get("name").and_then(Value::as_str).is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        let root = items.iter().take(MAX_COMPARED).find(is_meant)?;
        Some(Node { root, id: None })
    }

    fn by_name(&self, deployment: DeploymentId, name: &str) -> Option<ResourceId> {
        let index = self.by_name.get_or_init(|| {
            let all = self.document.resources.iter().enumerate();
            all.map(|(at, resource)| ((resource.deployment, &*resource.name), ResourceId(at))).collect()
        });
        index.get(&(deployment, name)).copied()
    }
}

impl<'d> Surroundings<'d> for Neighbors<'d> {
    fn parent(&self, of: Node<'d>) -> Option<Node<'d>> {
        let parent = self.document.resources.get(of.id?.0)?.parent?;
        self.node(parent)
    }

    fn target(&self, from: Node<'d>, value: &Value) -> Option<Node<'d>> {
        let found = match self.cloud {
            Cloud::Azure => {
                let id = match &value.data {
                    Data::String(id) => id,
                    Data::Unknown(unknown) => unknown.approximation.as_shared_str()?,
                    _ => return None,
                };
                match self.by_id(id) {
                    Some(found) => found,
                    None => return self.item(id),
                }
            }
            Cloud::Aws => {
                let referred = referred(value)?;
                let own = self.document.resources.get(from.id?.0)?.deployment;
                self.by_name(referred.deployment(self.document, own)?, referred.name)?
            }
        };
        self.node(found)
    }
}
