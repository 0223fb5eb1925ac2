//! The identity of a deployment.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identifies a deployment of a run: a template under at most one parameter file, or a deployment nested in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DeploymentKey(u64);

impl fmt::Display for DeploymentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl DeploymentKey {
    /// The deployment at `path` of a template; the path of the template itself is empty.
    pub(crate) fn new(template: &str, parameters: Option<&str>, path: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (template, parameters, path).hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Reads what [`Display`](fmt::Display) writes.
    pub(crate) fn read(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16).map(Self)
    }
}
