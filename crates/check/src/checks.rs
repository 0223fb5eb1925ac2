//! Checks of the pipeline: stale templates, Azure policies, and suppressions. [`CHECKS`] joins those of all crates.

use std::sync::LazyLock;

use formwork_bicep::compiler::lint_checks;
use formwork_model::declare_checks;

use crate::diagnostic::{CheckTable, TextTag, common_checks};

/// All built-in checks.
pub static CHECKS: LazyLock<CheckTable> = LazyLock::new(|| {
    let lists = [common_checks::CHECKS, crate::schema::checks::CHECKS, OF_PIPELINE];
    let of_languages = crate::arm::checks().chain(crate::cfn::checks()).chain(lint_checks());
    CheckTable::new(lists.into_iter().flatten().copied().chain(of_languages))
});

declare_checks! {
    const OF_PIPELINE;

    pub STALE_OUTPUT = Deployment Medium "bicep/stale-output" "Bicep.StaleOutput"
        "A template in JSON should be what the Bicep file beside it builds"
        "One of the two files is deployed and the other is reviewed, so a difference hides what is deployed. The template is checked on its own as well."
        "Build the Bicep file again, or remove the template in JSON."
        .azure("bicep/bicep-cli");
    pub TEMPLATE_TRAILING_COMMA = Template Medium "template/trailing-comma" "Template.TrailingComma"
        "A template should have no comma after the last member"
        "Resource Manager reads such a template, but the portal and the Azure CLI refuse it."
        "Remove the comma."
        .azure("templates/syntax");
    pub SECRET_TOKEN = Secret High "secret/token" "Deployment.SecretToken"
        "A template should not contain a token, a private key, or a password"
        "Everyone who can read the template can use it. It stays in the history of the repository after it is removed."
        "Revoke it, and let the deployment read a new one from a key vault or AWS Secrets Manager.";
    pub SECRET_SETTING = Secret Medium "secret/setting" "Deployment.SecretSetting"
        "A setting with the name of a secret should not have its value written in a template"
        "Everyone who can read the template, or the settings of the resource, can read the value."
        "Refer to a secret in a key vault or AWS Secrets Manager instead.";
    pub AZURE_POLICY_DENY = Policy High "azure-policy/deny" "AzurePolicy.Deny"
        "A deployment should not contain what a policy denies"
        "Azure refuses a resource that an assigned policy with the effect `deny` applies to, and the deployment fails with `RequestDisallowedByPolicy`."
        "Change the property that the policy names, or ask the owners of the assignment for an exemption."
        .refused();
    pub AZURE_POLICY_AUDIT = Policy Medium "azure-policy/audit" "AzurePolicy.Audit"
        "A resource should comply with the policies that audit it"
        "Azure deploys the resource and reports it as noncompliant."
        "Change the property that the policy names, or ask the owners of the assignment for an exemption.";
    pub AZURE_POLICY_MODIFY = Policy Low "azure-policy/modify" "AzurePolicy.Modify"
        "A template should set what a policy would change"
        "A policy with the effect `modify` or `append` changes the resource while it is deployed, so that it differs from the template."
        "Write the value of the policy into the template.";
    pub AZURE_POLICY_RELATED = Policy Low "azure-policy/related" "AzurePolicy.Related"
        "A deployment should contain the related resources that policies look for"
        "Policies with the effects `auditIfNotExists` and `deployIfNotExists` look for a related resource after the deployment. The one in this deployment does not comply."
        "Change the related resource, so that it meets the condition of the policy.";
    pub AZURE_POLICY_UNDECIDED = Policy Low "azure-policy/undecided" "AzurePolicy.Undecided"
        "What policies say of a resource should be known before it is deployed"
        "Some conditions depend on what only Azure knows, such as the caller, existing resources, or a property that is not in the template."
        "Declare what is known of the target environment in the settings. Otherwise, only the deployment can tell.";
    pub SUPPRESSION_UNUSED = Suppression Low "suppression/unused" "Suppression.Unused"
        "A suppression should suppress a finding"
        "A suppression that is no longer needed would hide the next finding of its rule. It is reported only if everything that it could suppress was checked with the rule."
        "Remove the name of the rule from the suppression, or the whole suppression."
        .tag(TextTag::Unnecessary);
    pub SUPPRESSION_UNKNOWN_RULE = Suppression Medium "suppression/unknown-rule" "Suppression.UnknownRule"
        "A suppression should name rules that exist"
        "A suppression of an unknown rule suppresses nothing. The name is usually misspelled."
        "Correct the ID or the name of the rule. `formwork rules list` prints both.";
    pub SUPPRESSION_EXPIRED = Suppression Medium "suppression/expired" "Suppression.Expired"
        "A suppression should not be expired"
        "A suppression with a date holds until the end of that day. Then its findings are reported again."
        "Fix the finding, or agree on a later date.";
    pub SUPPRESSION_NO_REASON = Suppression Medium "suppression/no-reason" "Suppression.NoReason"
        "A suppression should have a reason"
        "Without a reason, nobody can tell whether a suppression is still right. It suppresses nothing until it has one."
        "Write the reason after `--` in a comment, or in `reason` in metadata and settings.";
    pub SUPPRESSION_INVALID = Suppression Medium "suppression/invalid" "Suppression.Invalid"
        "A suppression should follow its syntax"
        "A suppression that cannot be understood suppresses nothing."
        "Write `formwork:ignore RULE[, RULE] [until YYYY-MM-DD] -- reason` in a comment, or objects with `rule`, `reason`, and `until` in metadata.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::diagnostic::Check;

    #[test]
    fn no_two_checks_share_an_id_or_a_name() {
        let infos = || CHECKS.iter().map(Check::info);
        let ids: BTreeSet<String> = infos().map(|info| info.id).collect();
        let names: BTreeSet<String> = infos().map(|info| info.name).collect();
        assert_eq!((ids.len(), names.len()), (infos().count(), infos().count()));
    }

    #[test]
    fn only_common_checks_represent_errors() {
        let others = CHECKS.iter().filter(|check| check.code().is_some() && !common_checks::CHECKS.contains(check));
        assert_eq!(others.count(), 0, "`Check::for_code` does not find it");
    }

    #[test]
    fn the_counterparts_of_rules_name_checks_that_exist() {
        for id in crate::rules::counterparts::own_ids().filter(|id| id.contains('/')) {
            assert!(CHECKS.find(id).is_some(), "{id}");
        }
    }

    /// The console shows the first sentence of the advice alone.
    #[test]
    fn the_first_advice_does_not_leave_out_a_cloud() {
        for info in CHECKS.iter().map(Check::info) {
            let advice = info.recommendation.unwrap_or_default();
            assert!(!advice.contains(". In CloudFormation, use"), "{}: {advice}", info.id);
        }
    }
}
