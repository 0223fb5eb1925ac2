//! The built-in checks: problems of a deployment that need no rule file, such as a secret in an output.

use crate::diagnostic::{RuleInfo, Severity};

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

            /// Whether Resource Manager rejects a deployment that fails the check. The other checks are advice.
            pub const fn is_refusal(self) -> bool {
                matches!(
                    self,
                    Self::ParameterConstraint | Self::OutputConstraint | Self::Assertion | Self::TemplateLimits
                )
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
        "A parameter value should meet the constraints of its parameter"
        "Azure rejects a deployment if a parameter value does not match its declared type."
        "Use a value that the declaration allows, or relax the declaration.";
    OutputConstraint "output/constraint" "Deployment.OutputConstraint" High
        "An output value should meet the constraints of its output"
        "A deployment fails in its last step if an output does not match its declared type."
        "Change the expression so that its value matches the declaration, or relax the declaration.";
    Assertion "template/assert" "Deployment.Assertion" High
        "The assertions of a template should be true"
        "The author of the template requires every deployment to satisfy its assertions."
        "Change the values that the assertion tests, or change the assertion.";
    TemplateLimits "template/limits" "Deployment.Limits" High
        "A template should stay within the limits of Resource Manager"
        "Azure rejects a template with more than 256 parameters, 512 variables, 64 outputs, or 800 resources, or with an expression of more than 24,576 characters."
        "Split the template into modules.";
    SecretDefault "secret/default" "Deployment.SecretDefault" High
        "A secure parameter should not have a default value"
        "Anyone who can read the template can read a password that it contains."
        "Remove the default value, or generate one with `newGuid()`.";
    SecretName "secret/parameter-type" "Deployment.SecretParameter" Medium
        "A parameter for a secret should have a secure type"
        "The deployment history and logs show the values of parameters without a secure type. A parameter is reported if it sets a property that is known to hold a secret, or if the words of its name mean one, unless its type, its default, or the properties that it sets show that it holds none."
        "Change the type to `securestring` or `secureObject`. If the value is not a secret, add the parameter to `AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES`.";
    SecretArgument "secret/argument" "Deployment.SecretArgument" High
        "A secret should be passed only to parameters with a secure type"
        "The deployment history and logs show the values of parameters without a secure type."
        "Change the type of the parameter to `securestring` or `secureObject`.";
    SecretOutput "secret/output" "Deployment.SecretOutput" High
        "An output should not contain a secret"
        "Anyone who can read the deployment history can read the outputs."
        "Read the secret from where it is stored, such as a key vault, or declare the output with a secure type.";
    SecretInNestedTemplate "secret/outer-scope" "Deployment.SecretInNestedTemplate" High
        "A nested template with outer scope should not use a secret"
        "With outer scope, the value of the secret becomes part of the nested template, which the deployment history shows."
        "Set `expressionEvaluationOptions.scope` to `inner`, and pass the secret to a parameter with a secure type.";
    Credential "secret/credential" "Deployment.Credential" High
        "A template should not contain the names and passwords of administrators"
        "Anyone who can read the template, or the values of parameters without a secure type, can read them."
        "Use a parameter. For a password, declare it as `securestring`.";
    UnusedParameter "parameter/unused" "Deployment.UnusedParameter" Low
        "A parameter should be used"
        "An unused parameter asks for a value that has no effect."
        "Remove the parameter.";
    UnusedVariable "variable/unused" "Deployment.UnusedVariable" Low
        "A variable should be used"
        "An unused variable misleads the readers of the template."
        "Remove the variable.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_checks_share_an_id_or_a_name() {
        let infos: Vec<RuleInfo> = Check::ALL.iter().map(|check| check.info()).collect();
        let ids: BTreeSet<&str> = infos.iter().map(|info| info.id.as_str()).collect();
        let names: BTreeSet<&str> = infos.iter().map(|info| info.name.as_str()).collect();
        assert_eq!((ids.len(), names.len()), (Check::ALL.len(), Check::ALL.len()));
    }
}
