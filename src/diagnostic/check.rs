//! The checks of the deployment itself, which need no rule file.

use crate::diagnostic::{RuleInfo, Severity};

macro_rules! checks {
    ($($variant:ident $id:literal $name:literal $severity:ident $summary:literal $why:literal $fix:literal;)*) => {
        /// A check of a deployment that is built into its expansion. Reports treat it like a rule. Ids are never renamed
        /// once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Check {
            $(#[doc = $summary] $variant,)*
        }

        impl Check {
            /// Every check, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The id in reports and settings, `subject/problem`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// Whether Resource Manager refuses a deployment that fails the check. The other checks are advice.
            pub const fn is_refusal(self) -> bool {
                matches!(self, Self::ParameterConstraint | Self::OutputConstraint | Self::Assertion)
            }

            /// What reports say about it, with the weight that it has unless settings give it another.
            pub fn info(self) -> RuleInfo {
                let (name, severity, summary, why, fix) = match self {
                    $(Self::$variant => ($name, Severity::$severity, $summary, $why, $fix),)*
                };
                RuleInfo {
                    id: self.id().to_owned(),
                    name: name.to_owned(),
                    short_description: summary.to_owned(),
                    full_description: why.to_owned(),
                    recommendation: Some(fix.to_owned()),
                    help_uri: None,
                    severity,
                    resource_types: Vec::new(),
                    definition: None,
                }
            }
        }
    };
}

checks! {
    ParameterConstraint "parameter/constraint" "Deployment.ParameterConstraint" High
        "A value keeps the constraints of its parameter."
        "Azure refuses a deployment whose values break the declared types."
        "Give a value that the declaration allows, or widen the declaration.";
    OutputConstraint "output/constraint" "Deployment.OutputConstraint" High
        "A value keeps the constraints of its output."
        "A deployment fails at its end if an output breaks its declared type."
        "Let the expression give what the declaration allows, or widen the declaration.";
    Assertion "template/assert" "Deployment.Assertion" High
        "The assertions of a template hold."
        "The author of the template wrote down what must be true of every deployment."
        "Change what the assertion is about, or the assertion.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_checks_share_an_id_or_a_name() {
        let infos: Vec<RuleInfo> = Check::ALL.iter().map(|it| it.info()).collect();
        let ids: BTreeSet<&str> = infos.iter().map(|it| it.id.as_str()).collect();
        let names: BTreeSet<&str> = infos.iter().map(|it| it.name.as_str()).collect();
        assert_eq!((ids.len(), names.len()), (Check::ALL.len(), Check::ALL.len()));
    }
}
