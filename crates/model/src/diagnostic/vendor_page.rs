//! Documentation pages of vendors about the subjects of checks.

use crate::diagnostic::Check;

impl Check {
    /// Returns the page of a vendor about the subject of the check. `None` for a check of both Azure and AWS, because
    /// findings of one must not link to the documentation of the other.
    pub(super) fn help_uri(self) -> Option<String> {
        let of_aws = match self {
            Self::PolicyGrammar => "IAM/latest/UserGuide/reference_policies_grammar",
            Self::SamInvalid => "serverless-application-model/latest/developerguide/sam-specification",
            Self::ExpressionSubMissing => "AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-sub",
            Self::UnusedMapping => "AWSCloudFormation/latest/TemplateReference/mappings-section-structure",
            _ => "",
        };
        if !of_aws.is_empty() {
            return Some(format!("https://docs.aws.amazon.com/{of_aws}.html"));
        }
        let page = match self {
            Self::SecretArgument | Self::SecretInNestedTemplate | Self::Credential => "templates/best-practices",
            Self::ParameterMissing | Self::ParameterEmpty => "templates/parameters",
            Self::UnusedVariable => "templates/variables",
            Self::OutputConstraint => "templates/outputs",
            Self::TemplateSegments => "templates/child-resource-name-type",
            Self::TemplateDependency => "templates/resource-dependency",
            Self::TemplateLink => "templates/linked-templates",
            Self::ResourceLocation | Self::ResourceRegion => "templates/resource-location",
            Self::ExpressionUnclosed => "templates/template-expressions",
            Self::StaleOutput => "bicep/bicep-cli",
            Self::TemplateSchema | Self::TemplateAmbiguous | Self::TemplateType | Self::TemplateValidate => {
                "templates/syntax"
            }
            _ => return None,
        };
        Some(format!("https://learn.microsoft.com/azure/azure-resource-manager/{page}"))
    }
}
