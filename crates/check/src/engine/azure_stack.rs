//! Templates for Azure Stack Hub, which has other types, API versions, and features than Azure.
//!
//! Such a template names a hybrid API profile. Azure accepts these profiles, too, so what is not checked is listed, and what
//! opens a network to anybody is still reported.
//!
//! Reference: <https://learn.microsoft.com/azure-stack/user/azure-stack-profiles-azure-resource-manager-versions>.

use crate::diagnostic::{Category, CheckKind, Code, Diagnostic, NotChecked, RuleInfo, Severity};
use crate::engine::findings::Draft;
use crate::model::Document;
use crate::text::Span;

/// End of the names of the API profiles that Azure Stack Hub shares with Azure.
const HYBRID: &str = "-hybrid";

/// Returns the text of the API profile of a template for Azure Stack Hub. `None` for other templates.
pub(super) fn profile(document: &Document) -> Option<Span> {
    let root = document.deployments.first()?;
    let profile = root.template.get("apiProfile")?;
    profile.span.filter(|_| profile.as_str().is_some_and(|name| name.ends_with(HYBRID)))
}

/// Removes findings about what only Azure has, and returns the problem that they are not checked.
pub(super) fn leave_out(drafts: &mut [Vec<Draft>], profile: Span) -> Diagnostic {
    for part in drafts {
        part.retain(|draft| !is_of_azure(&draft.rule));
    }
    let message = "the API profile is that of Azure Stack Hub, so the types of Azure and most rules are not checked";
    Diagnostic::new(Code::TemplateAzureStack, profile, message).not_checked(NotChecked::AzureStack)
}

/// Returns `true` if a rule is about types, values, and features of Azure.
fn is_of_azure(rule: &RuleInfo) -> bool {
    if let Some(check) = rule.check {
        return matches!(check.kind(), CheckKind::Schema | CheckKind::Service);
    }
    let opens_network = rule.severity == Severity::High && rule.details.category == Some(Category::Network);
    rule.definition.is_none() && !opens_network
}
