//! Trees of the resources of a run's deployments.

use std::sync::Arc;

use crate::diagnostic::DeploymentKey;
use crate::model::Place;

/// Resources that a template would create with at most one parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTree {
    /// Key by which findings refer to it.
    pub key: DeploymentKey,
    /// Name of the template.
    pub template: Arc<str>,
    /// Name of the parameter file.
    pub parameters: Option<Arc<str>>,
    /// Resources, each after its parent.
    pub nodes: Vec<ResourceNode>,
    /// Number of resources that are not in `nodes`.
    pub more: usize,
}

/// A resource of a [`ResourceTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceNode {
    /// Fully qualified type.
    pub type_name: String,
    /// Full name, with secret segments masked.
    pub name: String,
    /// Position of its parent, or of the nested deployment that declares it.
    pub parent: Option<usize>,
    /// Place of the declaration.
    pub place: Place,
    /// True if a condition that only the deployment knows decides whether it is created.
    pub is_uncertain: bool,
}
