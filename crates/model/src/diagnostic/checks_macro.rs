//! Declares the built-in checks from the rows in `check.rs`.

macro_rules! checks {
    ($($variant:ident $id:literal $name:literal $severity:ident $summary:literal $why:literal $fix:literal;)*) => {
        /// A check that runs while a deployment is expanded. Reports and settings treat it like a rule. An ID never
        /// changes after its release.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Check {
            $(#[doc = $summary] $variant,)*
        }

        impl Check {
            /// All checks, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the ID in reports and settings, `subject/problem`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// Returns the check for errors with this code. `None` if such an error means that something could not be
            /// read or built, or that a limit was reached.
            pub fn of(code: Code) -> Option<Self> {
                Self::ALL.iter().copied().find(|check| check.id() == code.as_str())
            }

            /// Returns whether the check represents problems that prevent the evaluation of a part of a template.
            /// Rules see only the rest, so such a check runs unless its ID is excluded.
            pub fn is_of_problems(self) -> bool {
                Code::ALL.iter().any(|code| code.as_str() == self.id())
            }

            /// Returns whether a deployment that fails the check would be rejected. Other checks are advice.
            pub fn is_refusal(self) -> bool {
                let is_limit = matches!(
                    self,
                    Self::ParameterConstraint
                        | Self::OutputConstraint
                        | Self::Assertion
                        | Self::TemplateLimits
                        | Self::PolicyGrammar
                        | Self::AzurePolicyDeny
                );
                is_limit || self.is_of_problems()
            }

            /// Returns whether the check reports values that the platform would reject whatever else a resource has. It runs
            /// without the built-in rules as well. Missing properties, names, and facts of services need them.
            pub fn is_of_platform(self) -> bool {
                let is_of_values = matches!(
                    self,
                    Self::SchemaResourceType
                        | Self::SchemaType
                        | Self::SchemaValue
                        | Self::SchemaFormat
                        | Self::SchemaCombination
                        | Self::SchemaConflict
                );
                let is_of_subject = ["network/", "sam/"].iter().any(|subject| self.id().starts_with(subject));
                is_of_values || self.is_refusal() || (is_of_subject && self.info().severity == Severity::High)
            }

            /// Returns whether the check compares resources with the types that Azure or AWS publishes.
            pub fn is_of_types(self) -> bool {
                self == Self::SecretProperty || self.id().starts_with("schema/")
            }

            /// Returns whether the check compares resources with facts of their services.
            pub fn is_of_services(self) -> bool {
                self.id().starts_with("service/")
            }

            /// Returns whether the check reports results of Azure policies.
            pub fn is_of_azure_policy(self) -> bool {
                self.id().starts_with("azure-policy/")
            }

            /// Returns whether the check is about suppressions. Its findings cannot be suppressed.
            pub fn is_of_suppressions(self) -> bool {
                self.id().starts_with("suppression/")
            }

            /// Returns the corresponding rule of Bicep's linter. `None` for other checks.
            pub fn linter_rule(self) -> Option<&'static str> {
                self.id().strip_prefix("bicep/").filter(|_| self != Self::StaleOutput)
            }

            /// Returns whether the check is about secrets. Other checks find problems that Azure or AWS would reject.
            pub fn is_of_security(self) -> bool {
                self.id().starts_with("secret/")
            }

            /// Returns the pillar that the check belongs to, for the profiles.
            fn pillar(self) -> Pillar {
                if self.is_of_security() {
                    Pillar::Security
                } else if self.is_refusal() || self.is_of_types() || self.is_of_services() {
                    Pillar::Reliability
                } else {
                    Pillar::Operations
                }
            }

            /// Returns the texts of the check for reports, with its severity if the settings do not change it.
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
                    help_uri: self.help_uri(),
                    severity,
                    resource_types: Vec::new(),
                    definition: None,
                    details: Arc::new(RuleDetails { pillar: Some(self.pillar()), ..RuleDetails::default() }),
                }
            }
        }
    };
}
