//! Declares the built-in checks from the rows in `check.rs`.

macro_rules! checks {
    ($($variant:ident $id:literal $name:literal $severity:ident $summary:literal $why:literal $fix:literal;)*) => {
        /// A check that runs while a deployment is expanded. Reports and settings treat it like a rule. An id never changes
        /// once it is released.
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

            /// The check that errors with this code are findings of. `None` if such an error means that something could
            /// not be read or built, or that a limit was reached.
            pub fn of(code: Code) -> Option<Self> {
                Self::ALL.iter().copied().find(|check| check.id() == code.as_str())
            }

            /// Whether the check stands for the problems inside a template that keep a part of it from being evaluated.
            /// Rules see only the rest, so such a check runs unless its ID is excluded.
            pub fn is_of_problems(self) -> bool {
                Code::ALL.iter().any(|code| code.as_str() == self.id())
            }

            /// Whether a deployment that fails the check would be rejected. The other checks are advice.
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

            /// True if it reports an error of the platform: what it would reject. Such a check is not advice, so it runs
            /// without the built-in rules as well.
            pub fn is_of_platform(self) -> bool {
                const SUBJECTS: [&str; 6] = ["network/", "order/", "resource/", "role/", "sam/", "schema/"];
                let is_error = || self.info().severity == Severity::High || self == Self::SchemaUnknownProperty;
                self.is_refusal() || (SUBJECTS.iter().any(|subject| self.id().starts_with(subject)) && is_error())
            }

            /// Whether it compares a resource with the type that its cloud publishes.
            pub fn is_of_types(self) -> bool {
                self == Self::SecretProperty || self.id().starts_with("schema/")
            }

            /// True if it compares a resource with what its service is known to refuse.
            pub fn is_of_services(self) -> bool {
                self.id().starts_with("service/")
            }

            /// Whether it reports what the policies that a run is given say.
            pub fn is_of_azure_policy(self) -> bool {
                self.id().starts_with("azure-policy/")
            }

            /// Whether it is about suppressions. Its findings cannot be suppressed.
            pub fn is_of_suppressions(self) -> bool {
                self.id().starts_with("suppression/")
            }

            /// The name of the rule of Bicep's linter that it is. `None` for another check.
            pub fn linter_rule(self) -> Option<&'static str> {
                self.id().strip_prefix("bicep/").filter(|_| self != Self::StaleOutput)
            }

            /// Whether it is about secrets. The other checks find what a cloud would reject.
            pub fn is_of_security(self) -> bool {
                self.id().starts_with("secret/")
            }

            /// What it serves, for the profiles.
            fn pillar(self) -> Pillar {
                if self.is_of_security() {
                    Pillar::Security
                } else if self.is_refusal() || self.is_of_types() || self.is_of_services() {
                    Pillar::Reliability
                } else {
                    Pillar::Operations
                }
            }

            /// The texts of the check for reports, with the severity that it has unless the settings change it.
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
