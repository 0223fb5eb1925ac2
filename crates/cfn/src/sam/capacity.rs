//! `AWS::Serverless::CapacityProvider`: what its instances are, and the role that manages them.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-capacityprovider.html>.

use crate::sam::build::{Draft, Fields, get, get_att, object, tag_list, trust};
use crate::sam::{Sam, Source};
use crate::value::Value;

/// Requirements of instances, with their names in the generated resource.
const REQUIREMENTS: [(&str, &str); 3] = [
    ("Architectures", "Architectures"),
    ("AllowedTypes", "AllowedInstanceTypes"),
    ("ExcludedTypes", "ExcludedInstanceTypes"),
];

impl Sam<'_, '_> {
    /// Generates a provider of instances for functions.
    pub(super) fn capacity_provider(&mut self, source: &Source) {
        let mut draft = source.main("AWS::Lambda::CapacityProvider");
        draft.copy(&source.properties, &["CapacityProviderName", "KmsKeyArn", "VpcConfig"]);
        let mark = object([("Key", Value::from("lambda:createdBy")), ("Value", Value::from("SAM"))]);
        let mut tags = tag_list(source.get("Tags"));
        tags.push(mark.clone());
        draft.set("Tags", Value::array(tags.clone()));
        draft.derive("InstanceRequirements", &source.properties, "InstanceRequirements", requirements);
        draft.derive("CapacityProviderScalingConfig", &source.properties, "ScalingConfig", scaling);
        let mut drafts = Vec::new();
        let role = source.given_property("OperatorRole").cloned().unwrap_or_else(|| {
            let id = format!("{}OperatorRole", source.id);
            let managed = Value::array(vec![self.managed_policy("AWSLambdaManagedEC2ResourceOperator")]);
            let is_propagated = source.given_property("PropagateTags").is_some();
            let role = Draft::new(id.as_str(), "AWS::IAM::Role", &source.origin)
                .with("AssumeRolePolicyDocument", trust("lambda.amazonaws.com"))
                .with("ManagedPolicyArns", managed)
                .with("Tags", Value::array(if is_propagated { tags } else { vec![mark] }));
            drafts.push(role);
            get_att(&id, "Arn")
        });
        draft.set("PermissionsConfig", object([("CapacityProviderOperatorRoleArn", role)]));
        drafts.insert(0, draft);
        self.emit_all(source, drafts);
    }
}

fn requirements(written: &Value) -> Value {
    let mut fields = Fields::default();
    for (name, new) in REQUIREMENTS {
        fields.set_some(new, get(written, name).cloned());
    }
    fields.into_value()
}

fn scaling(written: &Value) -> Value {
    let mut fields = Fields::default();
    fields.set_some("MaxVCpuCount", get(written, "MaxVCpuCount").cloned());
    match get(written, "AverageCPUUtilization") {
        Some(usage) => {
            let metric = Value::from("LambdaCapacityProviderAverageCPUUtilization");
            let policy = object([("PredefinedMetricType", metric), ("TargetValue", usage.clone())]);
            fields.set("ScalingMode", Value::from("Manual"));
            fields.set("ScalingPolicies", Value::array(vec![policy]));
        }
        None => fields.set("ScalingMode", Value::from("Auto")),
    }
    fields.into_value()
}
