//! The resources of the deployments of a run, so that a report can show them as trees.

use std::sync::Arc;

use crate::diagnostic::DeploymentKey;
use crate::text::{FileId, Span};

/// What a template would create under at most one parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTree {
    /// What findings refer to it by.
    pub key: DeploymentKey,
    pub template: FileId,
    /// The name of its [`ParameterSet`](crate::diagnostic::ParameterSet).
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
    pub place: Span,
    /// Whether a condition that only a deployment can know decides on it.
    pub is_uncertain: bool,
}

/// A resource that a finding is about. One finding may be about those of several deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub tree: DeploymentKey,
    /// The position in [`ResourceTree::nodes`].
    pub node: usize,
}
