//! The resources of the deployments of a run, which a report can show as trees.

use std::sync::Arc;

use crate::diagnostic::DeploymentKey;
use crate::text::{FileId, Span};

/// The resources that a template would create with at most one parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTree {
    /// The key by which findings refer to the tree.
    pub key: DeploymentKey,
    pub template: FileId,
    /// The name of the [`ParameterSet`](crate::diagnostic::ParameterSet).
    pub parameters: Option<Arc<str>>,
    /// The resources. Each is after its parent.
    pub nodes: Vec<ResourceNode>,
    /// The number of resources that are not in `nodes`.
    pub more: usize,
}

/// A resource of a [`ResourceTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceNode {
    /// The fully qualified type.
    pub type_name: String,
    /// The full name, with secret segments masked.
    pub name: String,
    /// The index of the surrounding resource: its parent, or the nested deployment that declares it.
    pub parent: Option<usize>,
    /// The declaration.
    pub place: Span,
    /// True if the resource depends on a condition that is known only after a deployment.
    pub is_uncertain: bool,
}

/// A resource that a finding is about. One finding may be about resources of several deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub tree: DeploymentKey,
    /// The index in [`ResourceTree::nodes`].
    pub node: usize,
}
