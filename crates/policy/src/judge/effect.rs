//! Effects of policies.

/// Effect of a policy whose condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// No effect; the condition is not even evaluated.
    Disabled,
    /// Adds to the request.
    Append,
    /// Changes tags or properties of the request.
    Modify,
    /// Refuses the request, so that nothing is created or changed.
    Deny,
    /// Reports that the resource does not comply.
    Audit,
    /// Reports that a related resource is missing or does not comply.
    AuditIfNotExists,
    /// Deploys something if a related resource is missing or does not comply.
    DeployIfNotExists,
    /// Refuses requests that delete the resource.
    DenyAction,
    /// People attest whether the resource complies.
    Manual,
    /// Adds the resource to a network group.
    AddToNetworkGroup,
    /// Effect of a service with its own mode.
    Mutate,
}

impl Effect {
    const ALL: [(&'static str, Self); 11] = [
        ("disabled", Self::Disabled),
        ("append", Self::Append),
        ("modify", Self::Modify),
        ("deny", Self::Deny),
        ("audit", Self::Audit),
        ("auditIfNotExists", Self::AuditIfNotExists),
        ("deployIfNotExists", Self::DeployIfNotExists),
        ("denyAction", Self::DenyAction),
        ("manual", Self::Manual),
        ("addToNetworkGroup", Self::AddToNetworkGroup),
        ("mutate", Self::Mutate),
    ];

    /// Returns the effect with a name, case-insensitive.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, effect)| *effect)
    }

    /// True if it has no effect in deployments.
    pub fn is_idle(self) -> bool {
        matches!(self, Self::Disabled | Self::DenyAction | Self::Manual | Self::AddToNetworkGroup | Self::Mutate)
    }

    /// Returns the names of all effects.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        Self::ALL.iter().map(|(name, _)| *name)
    }

    /// Returns the name in the documentation, in camel case.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, effect)| *effect == self).map_or("", |(name, _)| name)
    }
}
