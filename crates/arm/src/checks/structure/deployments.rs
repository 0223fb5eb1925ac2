//! The declarations of nested deployments.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/linked-templates> and
//! <https://learn.microsoft.com/azure/templates/microsoft.resources/deployments>.

use crate::checks::ProcessedTemplate;
use crate::checks::structure::{header, is_plain, properties, report};
use crate::scope::DeploymentScope;
use crate::text::Span;
use crate::value::Value;

/// The parts of requests and responses that a deployment logs.
const DETAIL_LEVELS: &[&str] = &["none", "requestContent", "responseContent"];

/// Checks a resource of the type `Microsoft.Resources/deployments`.
pub(super) fn check_deployment(subject: &ProcessedTemplate<'_>, resource: &Value) {
    check_placement(subject, resource);
    let Some(own) = resource.get("properties").filter(|own| own.as_object().is_some()) else {
        let is_known = resource.get("properties").is_none_or(Value::is_null);
        if is_known && resource.get("existing").and_then(Value::as_bool) != Some(true) {
            report(subject, header(resource), "the deployment has no `properties`".to_owned());
        }
        return;
    };
    properties::check_properties(subject, &properties::DEPLOYMENT, own);
    check_word(subject, own.get("mode"), "`mode` of a deployment", &["Incremental", "Complete"]);
    if lacks(own, "mode") {
        report(subject, header(own), "the deployment has no `mode`; add `\"mode\": \"Incremental\"`".to_owned());
    }
    match (lacks(own, "template"), lacks(own, "templateLink")) {
        (true, true) => {
            let message = "the deployment has neither `template` nor `templateLink`; add one of them";
            report(subject, header(own), message.to_owned());
        }
        (false, false) => {
            let message = "the deployment has both `template` and `templateLink`; remove one of them";
            report(subject, key_span(own, "templateLink"), message.to_owned());
        }
        _ => {}
    }
    if !lacks(own, "parameters") && !lacks(own, "parametersLink") {
        let message = "the deployment has both `parameters` and `parametersLink`; remove one of them";
        report(subject, key_span(own, "parametersLink"), message.to_owned());
    }
    check_link(subject, own);
    let scope = own.get("expressionEvaluationOptions").and_then(|options| options.get("scope"));
    check_word(subject, scope, "`scope` of `expressionEvaluationOptions`", &["Inner", "Outer", "NotSpecified"]);
    let on_error = own.get("onErrorDeployment");
    let kind = on_error.and_then(|on_error| on_error.get("type"));
    check_word(subject, kind, "`type` of `onErrorDeployment`", &["LastSuccessful", "SpecificDeployment"]);
    let level = own.get("debugSetting").and_then(|setting| setting.get("detailLevel"));
    if let Some((level, text)) =
        level.and_then(|level| Some((level, level.as_str()?))).filter(|(_, text)| is_plain(text))
        && !text.split(',').all(|part| DETAIL_LEVELS.iter().any(|known| known.eq_ignore_ascii_case(part.trim())))
    {
        let message = format!(
            "`detailLevel` is `none`, `requestContent`, `responseContent`, or the last two with a comma; found `{text}`"
        );
        report(subject, level.span, message);
    }
}

/// Checks where a deployment goes to: a deployment that does not target a resource group has a location.
fn check_placement(subject: &ProcessedTemplate<'_>, resource: &Value) {
    // The template of an outer scope sees the scope of the template around it.
    if subject.is_outer || !lacks(resource, "scope") {
        return;
    }
    let scope = match &subject.evaluator.level.scope {
        DeploymentScope::ResourceGroup { .. } => return,
        DeploymentScope::Subscription(_) => "a subscription",
        DeploymentScope::ManagementGroup(_) => "a management group",
        DeploymentScope::Tenant => "a tenant",
    };
    let has_group = !lacks(resource, "resourceGroup");
    let is_in_subscription = scope == "a subscription" || !lacks(resource, "subscriptionId");
    if !has_group && lacks(resource, "location") {
        let message = format!("the deployment to {scope} has no `location`, which says where its data is stored");
        let message = if is_in_subscription && scope != "a subscription" {
            "the deployment to a subscription has no `location`, which says where its data is stored".to_owned()
        } else {
            message
        };
        report(subject, header(resource), message);
    }
    if has_group && !is_in_subscription {
        let message = format!("{scope} has no resource groups; add `subscriptionId`, or set `scope`");
        report(subject, key_span(resource, "resourceGroup"), message);
    }
}

fn check_link(subject: &ProcessedTemplate<'_>, own: &Value) {
    let Some(link) = own.get("templateLink").filter(|link| link.as_object().is_some()) else { return };
    if ["id", "relativePath", "uri"].iter().all(|name| lacks(link, name)) {
        let message = "`templateLink` has no `uri`, `id`, or `relativePath`; add one of them";
        report(subject, header(link), message.to_owned());
    }
    if !lacks(link, "id") && !lacks(link, "uri") {
        let message = "`templateLink` has both `id` and `uri`; remove one of them";
        report(subject, key_span(link, "id"), message.to_owned());
    }
}

/// Reports a literal that is none of the words that a property takes.
pub(super) fn check_word(subject: &ProcessedTemplate<'_>, value: Option<&Value>, what: &str, known: &[&str]) {
    let Some((value, text)) = value.and_then(|value| Some((value, value.as_str()?))) else { return };
    if !is_plain(text) || known.iter().any(|known| known.eq_ignore_ascii_case(text)) {
        return;
    }
    let quoted: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    report(subject, value.span, format!("{what} is {}, found `{text}`", quoted.join(" or ")));
}

fn lacks(value: &Value, name: &str) -> bool {
    value.get(name).is_none_or(Value::is_null)
}

/// Returns the span of the name of a member, or else of its value.
fn key_span(value: &Value, name: &str) -> Option<Span> {
    let member = value.as_object()?.member(name)?;
    member.key_span.or(member.value.span)
}
