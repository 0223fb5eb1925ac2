//! Registries that are asked for modules.
//!
//! The author of a Bicep file names its registries, and may be a stranger. So a registry is asked only if it is the
//! public one, or if the environment of the run, which no file of a repository changes, trusts it.

/// The variable with further registries, which the Bicep CLI knows as well: names, or `*.` and the end of names,
/// separated by commas or semicolons.
pub(super) const VARIABLE: &str = "BICEP_TRUSTED_REGISTRIES";

/// The public registry, which `br/public:` stands for.
const PUBLIC: &str = "mcr.microsoft.com";

/// The registries that are asked.
#[derive(Debug, Default)]
pub(super) struct Trust {
    patterns: Vec<String>,
}

impl Trust {
    /// Trusts the public registry, and those that the variable lists.
    pub(super) fn new(variable: Option<&str>) -> Self {
        let listed = variable.unwrap_or_default().split([',', ';']).map(|name| name.trim().to_ascii_lowercase());
        Self { patterns: listed.filter(|name| !name.is_empty()).collect() }
    }

    /// Returns `true` if modules may be downloaded from a registry. `registry` is a host, with a port if it is not that
    /// of HTTPS.
    pub(super) fn includes(&self, registry: &str) -> bool {
        let registry = registry.to_ascii_lowercase();
        let is_one = |pattern: &String| match pattern.strip_prefix("*.") {
            Some(end) => registry.strip_suffix(end).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => *pattern == registry,
        };
        registry == PUBLIC || self.patterns.iter().any(is_one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_registry_and_those_of_the_environment_are_asked() {
        let none = Trust::new(None);
        assert!(none.includes("mcr.microsoft.com") && none.includes("MCR.Microsoft.com"));
        let others = ["ghcr.io", "mcr.microsoft.com:444", "mcr.microsoft.com.example", "x.mcr.microsoft.com", ""];
        assert!(!others.iter().any(|other| none.includes(other)));
        let some = Trust::new(Some("ghcr.io, *.azurecr.io;127.0.0.1:5000,, *."));
        for (registry, expected) in [
            ("ghcr.io", true),
            ("a.azurecr.io", true),
            ("azurecr.io", false),
            (".azurecr.io", false),
            ("evilazurecr.io", false),
            ("127.0.0.1:5000", true),
            ("127.0.0.1:5001", false),
            ("other.example", false),
        ] {
            assert_eq!(some.includes(registry), expected, "{registry}");
        }
    }
}
