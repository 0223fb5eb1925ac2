//! The resources of the deployments of a run, so that a report can show them as trees.

use std::sync::Arc;

use crate::diagnostic::DeploymentKey;
use crate::model::Place;

/// What a template would create under at most one parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTree {
    /// What findings refer to it by.
    pub key: DeploymentKey,
    /// The name of the template.
    pub template: Arc<str>,
    /// The name of the parameter file.
    pub parameters: Option<Arc<str>>,
    /// Each after the one that it is in.
    pub nodes: Vec<ResourceNode>,
    /// How many resources there are beyond `nodes`.
    pub more: usize,
}

/// A resource of a [`ResourceTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceNode {
    /// Its fully qualified type.
    pub type_name: String,
    /// Its full name, with secret segments masked.
    pub name: String,
    /// The position of the resource that it is in: its parent, or the nested deployment that declares it.
    pub parent: Option<usize>,
    /// Where the author wrote it.
    pub place: Place,
    /// Whether a condition that only a deployment can know decides on it.
    pub is_uncertain: bool,
}
