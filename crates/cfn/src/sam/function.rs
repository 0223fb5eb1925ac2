//! `AWS::Serverless::Function`: the function, its role, and what its events need.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html>.

use crate::sam::SAM_INVALID;
use crate::sam::build::{
    Draft, Fields, allow, conditional, get, get_att, given_property, object, policy, reference, required, text, trust,
};
use crate::sam::intrinsics::{choice, hash, is_no_value};
use crate::sam::role::{Need, Role};
use crate::sam::target::EventTarget;
use crate::sam::{Sam, Source};
use crate::value::{Str, Value};

/// Properties of the generated function that are those of the SAM resource.
const COPIED: [&str; 26] = [
    "FunctionName",
    "Handler",
    "Runtime",
    "Description",
    "MemorySize",
    "Timeout",
    "VpcConfig",
    "Role",
    "Environment",
    "KmsKeyArn",
    "ReservedConcurrentExecutions",
    "Layers",
    "FileSystemConfigs",
    "ImageConfig",
    "PackageType",
    "Architectures",
    "SnapStart",
    "EphemeralStorage",
    "CodeSigningConfigArn",
    "RuntimeManagementConfig",
    "LoggingConfig",
    "TenancyConfig",
    "RecursiveLoop",
    "DurableConfig",
    "FunctionScalingConfig",
    "PublishToLatestPublished",
];

/// The actions that the type of a dead-letter queue needs.
const DEAD_LETTER_ACTIONS: [(&str, &str); 2] = [("SQS", "sqs:SendMessage"), ("SNS", "sns:Publish")];

impl Sam<'_, '_> {
    pub(super) fn function(&mut self, source: &Source) {
        // The transform rejects such a function, so it stays as it is.
        let is_image = text(&source.properties, "PackageType").is_some_and(|kind| **kind == *"Image");
        let is_missing = |name: &&str| !is_image && source.given_property(name).is_none();
        let missing = ["Runtime", "Handler"].into_iter().filter(is_missing);
        let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
        if !missing.is_empty() {
            let message = format!("function `{}` needs {}", source.id, missing.join(" and "));
            if source.given_property("ImageUri").is_none() {
                self.breach(SAM_INVALID, source.origin.key_span, source.origin.path.to_string(), message.as_str());
            }
            return self.miss(source.origin.key_span, format!("{message}, so it is not expanded"));
        }
        let mut function = self.lambda(source);
        let need = self.need_of_role(source);
        let mut target = EventTarget::function(source);
        let mut drafts = vec![];
        if let Some(alias) = self.alias(source, &mut function, &mut drafts) {
            target = EventTarget::alias(&alias);
        }
        let sends = self.invoke_config(source, &target, &mut drafts);
        let mut role = self.function_role(source, sends);
        match &need {
            Need::Given => {}
            Need::Generated => function.set("Role", role.arn()),
            Need::Chosen { role: chosen, condition } => {
                function.set("Role", chosen.clone());
                role.only_if(condition);
            }
        }
        drafts.insert(0, function);
        function_url(source, &target, &mut drafts);
        self.function_events(source, &target, &mut role, &mut drafts);
        if !matches!(need, Need::Given) {
            drafts.push(role.into_draft(Self::sam_tags(source, Vec::new())));
        }
        self.emit(source, drafts);
    }

    /// Returns the function itself, without its role.
    fn lambda(&self, source: &Source) -> Draft {
        let mut draft = source.main("AWS::Lambda::Function");
        draft.copy(&source.properties, &COPIED);
        let code = source.code();
        match source.get("InlineCode").or_else(|| source.get("CodeUri")).or_else(|| source.get("ImageUri")) {
            Some(written) => draft.set("Code", Value { span: code.span.or(written.span), ..code }),
            None => draft.set("Code", code),
        }
        draft.set("Tags", Self::sam_tags(source, Vec::new()));
        if self.is_traced(source) {
            draft.derive("TracingConfig", &source.properties, "Tracing", |mode| object([("Mode", mode.clone())]));
        }
        draft.derive("DeadLetterConfig", &source.properties, "DeadLetterQueue", |queue| {
            object([("TargetArn", required(queue, "TargetArn"))])
        });
        draft.derive("CapacityProviderConfig", &source.properties, "CapacityProviderConfig", |config| {
            let mut fields = Fields::default();
            fields.set_some("CapacityProviderArn", get(config, "Arn").cloned());
            for name in ["PerExecutionEnvironmentMaxConcurrency", "ExecutionEnvironmentMemoryGiBPerVCpu"] {
                fields.set_some(name, get(config, name).cloned());
            }
            object([("LambdaManagedInstancesCapacityProviderConfig", fields.into_value())])
        });
        draft
    }

    fn is_traced(&self, source: &Source) -> bool {
        let tracing = source.given_property("Tracing").map(|tracing| self.resolved(tracing));
        tracing.is_some_and(|tracing| tracing.as_str() != Some("Disabled"))
    }

    /// Returns the execution role with the policies that the properties of the function need.
    fn function_role(&self, source: &Source, sends: Vec<Value>) -> Role {
        let trust = source.get("AssumeRolePolicyDocument").cloned().unwrap_or_else(|| trust("lambda.amazonaws.com"));
        let basic = match source.given_property("DurableConfig") {
            Some(_) => "service-role/AWSLambdaBasicDurableExecutionRolePolicy",
            None => "service-role/AWSLambdaBasicExecutionRole",
        };
        let mut managed = vec![self.managed_policy(basic)];
        if self.is_traced(source) {
            managed.push(self.managed_policy(&self.xray_policy()));
        }
        if source.given_property("VpcConfig").is_some() {
            managed.push(self.managed_policy("service-role/AWSLambdaVPCAccessExecutionRole"));
        }
        let dead_letters = source.given_property("DeadLetterQueue").and_then(|queue| {
            let kind = text(queue, "Type")?;
            let (_, action) = DEAD_LETTER_ACTIONS.into_iter().find(|(known, _)| **kind == **known)?;
            let statement = allow(Value::from(action), get(queue, "TargetArn")?.clone());
            let document =
                object([("Version", Value::from("2012-10-17")), ("Statement", Value::array(vec![statement]))]);
            Some(object([("PolicyName", Value::from("DeadLetterQueuePolicy")), ("PolicyDocument", document)]))
        });
        self.role(source, trust, managed, dead_letters.into_iter().chain(sends).collect())
    }

    /// Returns the managed policy for tracing, which has another name outside of the commercial regions.
    pub(super) fn xray_policy(&self) -> String {
        match self.partition().as_str() {
            "aws" => "AWSXrayWriteOnlyAccess".to_owned(),
            _ => "AWSXRayDaemonWriteAccess".to_owned(),
        }
    }

    /// Generates `EventInvokeConfig`, with queues and topics for destinations that have none. Returns the policies for
    /// sending.
    fn invoke_config(&mut self, source: &Source, target: &EventTarget, drafts: &mut Vec<Draft>) -> Vec<Value> {
        let mut policies = Vec::new();
        let Some(config) = source.given_property("EventInvokeConfig") else { return policies };
        let config = self.resolved(config);
        let id = format!("{}EventInvokeConfig", source.id);
        let mut draft = Draft::new(id.as_str(), "AWS::Lambda::EventInvokeConfig", &source.origin);
        let mut destinations = Fields::default();
        for event in ["OnSuccess", "OnFailure"] {
            let written = get(&config, "DestinationConfig").and_then(|all| get(all, event));
            let Some(written) = written else { continue };
            let destination = self.destination(source, written, &format!("{id}{event}"), drafts);
            if let (Some(destination), Some(kind)) = (&destination, text(written, "Type")) {
                policies.extend(destination_policy(kind, destination, &format!("{id}{event}")));
            }
            let destination = destination.unwrap_or(Value::NULL);
            destinations.set(event, Value { span: written.span, ..object([("Destination", destination)]) });
        }
        draft.set("FunctionName", reference(&source.id));
        draft.set("Qualifier", target.alias_name.clone().unwrap_or_else(|| Value::from("$LATEST")));
        draft.set("DestinationConfig", destinations.into_value());
        draft.copy(&config, &["MaximumEventAgeInSeconds", "MaximumRetryAttempts"]);
        if let Some(alias) = &target.alias {
            draft.attributes.set("DependsOn", Value::array(vec![Value::from(alias.clone())]));
        }
        drafts.push(draft);
        policies
    }

    /// Returns the ARN of a destination. Without one, a queue or a topic is generated.
    fn destination(&mut self, source: &Source, written: &Value, id: &str, drafts: &mut Vec<Draft>) -> Option<Value> {
        let given = get(written, "Destination");
        let (condition, other) = match given {
            None => (None, None),
            Some(given) => match choice(given) {
                Some((condition, then, otherwise)) if is_no_value(then) => {
                    (Some(condition.clone()), Some(otherwise.clone()))
                }
                Some((condition, then, otherwise)) if is_no_value(otherwise) => {
                    (Some(self.negated(condition, source)), Some(then.clone()))
                }
                _ => return Some(given.clone()),
            },
        };
        let (kind, suffix) = match text(written, "Type").map(|kind| &**kind) {
            Some("SQS") => ("AWS::SQS::Queue", "Queue"),
            Some("SNS") => ("AWS::SNS::Topic", "Topic"),
            _ => return given.cloned(),
        };
        let mut draft = Draft::new(format!("{id}{suffix}"), kind, &source.origin);
        let arn = match kind {
            "AWS::SNS::Topic" => reference(&draft.id),
            _ => get_att(&draft.id, "Arn"),
        };
        if let Some(condition) = &condition {
            let combined = self.both(source.origin.condition(), condition, source);
            draft.attributes.set("Condition", Value::from(combined));
        }
        let property = if kind == "AWS::SNS::Topic" { "DestinationTopic" } else { "DestinationQueue" };
        self.output.references.add(&source.id, property, &draft.id);
        drafts.push(draft);
        Some(match condition {
            Some(condition) => conditional(&condition, arn, other),
            None => arn,
        })
    }

    /// Returns the name of a condition that holds if another does not.
    fn negated(&mut self, condition: &Str, source: &Source) -> Str {
        let id = format!("{}EventInvokeConfig", source.id);
        let name = Str::from(format!("NOT{condition}{}", hash(&Value::from(id))));
        let inner = object([("Condition", Value::from(condition.clone()))]);
        self.output.conditions.set(name.clone(), object([("Fn::Not", Value::array(vec![inner]))]));
        name
    }

    /// Returns the name of a condition that holds if both do.
    fn both(&mut self, first: Option<&Str>, second: &Str, source: &Source) -> Str {
        let Some(first) = first else { return second.clone() };
        let hash = hash(&Value::from(source.id.clone()));
        let name = Str::from(format!("{first}AND{second}{hash}"));
        let parts = [first, second].map(|name| object([("Condition", Value::from(name.clone()))]));
        self.output.conditions.set(name.clone(), object([("Fn::And", Value::array(parts.into()))]));
        name
    }
}

/// Returns the policy that a function needs to send to a destination.
pub(super) fn destination_policy(kind: &str, arn: &Value, id: &str) -> Option<Value> {
    let (suffix, action) = match kind {
        "SQS" => ("SQSPolicy", "sqs:SendMessage"),
        "SNS" => ("SNSPolicy", "sns:publish"),
        "EventBridge" => ("EventBridgePolicy", "events:PutEvents"),
        "Lambda" => ("LambdaPolicy", "lambda:InvokeFunction"),
        "S3" | "S3Bucket" => {
            let parts = Value::array(vec![arn.clone(), Value::from("*")]);
            let objects = object([("Fn::Join", Value::array(vec![Value::from("/"), parts]))]);
            let statements =
                vec![allow(Value::from("s3:PutObject"), objects), allow(Value::from("s3:ListBucket"), arn.clone())];
            return Some(policy(format!("{id}S3Policy"), statements));
        }
        _ => return None,
    };
    Some(policy(format!("{id}{suffix}"), vec![allow(Value::from(action), arn.clone())]))
}

/// Returns `true` if a property of the configuration of an event counts as given.
pub(super) fn has(value: &Value, name: &str) -> bool {
    given_property(value, name).is_some()
}

fn function_url(source: &Source, target: &EventTarget, drafts: &mut Vec<Draft>) {
    let Some(config) = source.given_property("FunctionUrlConfig") else { return };
    let mut url = Draft::new(format!("{}Url", source.id), "AWS::Lambda::Url", &source.origin)
        .with("TargetFunctionArn", target.name.clone());
    url.copy(config, &["AuthType", "Cors", "InvokeMode"]);
    drafts.push(url);
    let Some(auth) = get(config, "AuthType").filter(|auth| auth.as_str() == Some("NONE")) else { return };
    let permission = |suffix: &str, action: &str| {
        Draft::new(format!("{}{suffix}", source.id), "AWS::Lambda::Permission", &source.origin)
            .with("Action", Value::from(action))
            .with("FunctionName", target.name.clone())
            .with("Principal", Value::from("*"))
    };
    drafts
        .push(permission("UrlPublicPermissions", "lambda:InvokeFunctionUrl").with("FunctionUrlAuthType", auth.clone()));
    drafts.push(
        permission("URLInvokeAllowPublicAccess", "lambda:InvokeFunction")
            .with("InvokedViaFunctionUrl", Value::from(true)),
    );
}
