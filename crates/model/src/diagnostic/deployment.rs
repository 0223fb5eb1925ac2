//! The identity of a deployment, and the resources that a finding is about.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identifies a deployment of a run: a template with at most one parameter file, or a deployment nested in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeploymentKey(u64);

impl fmt::Display for DeploymentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl DeploymentKey {
    /// Creates the key of the deployment at `path` of a template. The path of the template itself is empty.
    pub fn new(template: &str, parameters: Option<&str>, path: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (template, parameters, path).hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Parses the output of [`Display`](fmt::Display).
    pub fn read(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16).map(Self)
    }
}

/// The resources of one deployment that a finding is about, as digests that can be compared between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    /// The deployment of a template, with all nested deployments.
    pub deployment: DeploymentKey,
    /// The number of resources.
    resources: u32,
    /// The sum of the digests of their names, which does not depend on their order.
    names: u64,
}

impl Holds {
    /// Creates a value for resources with these digests of their names. Without names, the finding is about the whole
    /// template.
    pub fn new(deployment: DeploymentKey, names: impl Iterator<Item = u64>) -> Self {
        let mut holds = Self { deployment, resources: 0, names: 0 };
        for name in names {
            holds.add(Self { deployment, resources: 1, names: name });
        }
        holds
    }

    /// Adds other resources of the same deployment.
    pub fn add(&mut self, other: Self) {
        self.resources = self.resources.saturating_add(other.resources);
        self.names = self.names.wrapping_add(other.names);
    }

    /// Returns whether these resources probably include those of `other`, according to their number and names.
    pub fn covers(&self, other: &Self) -> bool {
        let are_same = self.resources == other.resources && self.names == other.names;
        are_same || self.resources > other.resources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_resources_or_others_are_not_covered() {
        let key = DeploymentKey::new("main.json", None, "");
        let holds = |names: &[u64]| Holds::new(key, names.iter().copied());
        assert!(holds(&[1, 2, 3]).covers(&holds(&[3, 1, 2])));
        assert!(holds(&[1, 2, 3]).covers(&holds(&[1, 3])), "some are gone");
        assert!(holds(&[]).covers(&holds(&[])));
        assert!(!holds(&[1, 2]).covers(&holds(&[1, 2, 3])));
        assert!(!holds(&[1, 2]).covers(&holds(&[1, 3])));
        assert!(!holds(&[]).covers(&holds(&[1])));
    }
}
