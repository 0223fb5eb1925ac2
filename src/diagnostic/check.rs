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
                matches!(
                    self,
                    Self::ParameterConstraint | Self::OutputConstraint | Self::Assertion | Self::TemplateLimits
                )
            }

            /// What reports say about it, with its default severity, which settings can change.
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
    TemplateLimits "template/limits" "Deployment.Limits" High
        "A template keeps the limits of Resource Manager."
        "Azure refuses a template with more than 256 parameters, 512 variables, 64 outputs or 800 resources, or with an expression of more than 24,576 characters."
        "Split the template into modules.";
    SecretDefault "secret/default" "Deployment.SecretDefault" High
        "A secure parameter has no default."
        "Anyone who can read the template knows a password that is written in it."
        "Remove the default, or let `newGuid()` make one.";
    SecretName "secret/parameter-type" "Deployment.SecretParameter" Medium
        "A parameter for a secret has a secure type."
        "The values of other parameters are shown in the history of deployments and in logs."
        "Declare it as `securestring` or `secureObject`. If it is not a secret, name it in `AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES`.";
    SecretArgument "secret/argument" "Deployment.SecretArgument" High
        "A secret is only given to parameters of a secure type."
        "The values of other parameters are shown in the history of deployments and in logs."
        "Declare the parameter as `securestring` or `secureObject`.";
    SecretOutput "secret/output" "Deployment.SecretOutput" High
        "An output holds no secret."
        "Outputs are shown in the history of deployments to everyone who may read it."
        "Let the reader get the secret from where it is kept, such as a key vault, or declare the output with a secure type.";
    SecretInNestedTemplate "secret/outer-scope" "Deployment.SecretInNestedTemplate" High
        "A nested template that is evaluated in the template around it uses no secret."
        "With outer scope the value of the secret becomes part of the text of the nested template, which the history of deployments shows."
        "Set `expressionEvaluationOptions.scope` to `inner`, and give the secret to a parameter of a secure type.";
    Credential "secret/credential" "Deployment.Credential" High
        "Names and passwords of administrators are not written in the template."
        "What is written in a template, or given to a parameter without a secure type, is known to everyone who may read either."
        "Use a parameter: of the type `securestring` for a password.";
    UnusedParameter "parameter/unused" "Deployment.UnusedParameter" Low
        "Every parameter is used."
        "A parameter that nothing reads asks users for a value that changes nothing."
        "Remove the parameter.";
    UnusedVariable "variable/unused" "Deployment.UnusedVariable" Low
        "Every variable is used."
        "A variable that nothing reads misleads the readers of the template."
        "Remove the variable.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_checks_share_an_id_or_a_name() {
        let infos: Vec<RuleInfo> = Check::ALL.iter().map(|each| each.info()).collect();
        let ids: BTreeSet<&str> = infos.iter().map(|info| info.id.as_str()).collect();
        let names: BTreeSet<&str> = infos.iter().map(|info| info.name.as_str()).collect();
        assert_eq!((ids.len(), names.len()), (Check::ALL.len(), Check::ALL.len()));
    }
}
