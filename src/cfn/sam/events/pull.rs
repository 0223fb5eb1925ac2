//! Events of streams and queues, which Lambda reads.

use crate::cfn::sam::Sam;
use crate::cfn::sam::build::{Fields, allow, get, given, object, policy, strings, sub, text};
use crate::cfn::sam::events::{Event, Invoked};
use crate::cfn::sam::function::destination_policy;
use crate::value::{Str, Value};

/// A service that Lambda reads from.
struct Service {
    name: &'static str,
    /// The property with the ARN of the source.
    source: &'static str,
    /// The managed policy for reading.
    policy: &'static str,
}

const SERVICES: [Service; 7] = [
    Service { name: "DocumentDB", source: "Cluster", policy: "" },
    Service { name: "DynamoDB", source: "Stream", policy: "service-role/AWSLambdaDynamoDBExecutionRole" },
    Service { name: "Kinesis", source: "Stream", policy: "service-role/AWSLambdaKinesisExecutionRole" },
    Service { name: "MQ", source: "Broker", policy: "" },
    Service { name: "MSK", source: "Stream", policy: "service-role/AWSLambdaMSKExecutionRole" },
    Service { name: "SQS", source: "Queue", policy: "service-role/AWSLambdaSQSQueueExecutionRole" },
    Service { name: "SelfManagedKafka", source: "", policy: "" },
];

/// Properties of the mapping that are those of the event.
const COPIED: [&str; 20] = [
    "StartingPosition",
    "StartingPositionTimestamp",
    "BatchSize",
    "Enabled",
    "MaximumBatchingWindowInSeconds",
    "MaximumRetryAttempts",
    "BisectBatchOnFunctionError",
    "MaximumRecordAgeInSeconds",
    "ParallelizationFactor",
    "Topics",
    "Queues",
    "SourceAccessConfigurations",
    "TumblingWindowInSeconds",
    "FunctionResponseTypes",
    "FilterCriteria",
    "KmsKeyArn",
    "ScalingConfig",
    "ProvisionedPollerConfig",
    "MetricsConfig",
    "LoggingConfig",
];

/// What a function in a network needs.
const NETWORK: [&str; 6] = [
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeVpcs",
    "ec2:DescribeSubnets",
    "ec2:DescribeSecurityGroups",
];

/// How clients of Kafka authenticate.
const AUTHENTICATION: [&str; 4] =
    ["SASL_SCRAM_256_AUTH", "SASL_SCRAM_512_AUTH", "BASIC_AUTH", "CLIENT_CERTIFICATE_TLS_AUTH"];

pub(super) fn is_pulled(kind: &str) -> bool {
    SERVICES.iter().any(|service| service.name == kind)
}

impl Sam<'_, '_> {
    pub(super) fn pull(&self, event: &Event, invoked: &mut Invoked<'_>) {
        let Some(service) = SERVICES.iter().find(|service| *service.name == *event.kind) else { return };
        let mut mapping =
            event.draft("", "AWS::Lambda::EventSourceMapping").with("FunctionName", invoked.target.name.clone());
        mapping.derive("EventSourceArn", &event.properties, service.source, Clone::clone);
        mapping.copy(&event.properties, &COPIED);
        mapping.derive("SelfManagedEventSource", &event.properties, "KafkaBootstrapServers", |servers| {
            object([("Endpoints", object([("KafkaBootstrapServers", servers.clone())]))])
        });
        let kafka = match service.name {
            "MSK" => Some("AmazonManagedKafkaEventSourceConfig"),
            "SelfManagedKafka" => Some("SelfManagedKafkaEventSourceConfig"),
            _ => None,
        };
        let mut config = Fields::default();
        for name in ["ConsumerGroupId", "SchemaRegistryConfig"] {
            config.set_some(name, event.given(name).cloned());
        }
        if let Some(name) = kafka.filter(|_| config.len() > 0) {
            mapping.set(name, config.into_value());
        }
        if service.name == "DocumentDB" {
            let mut config = Fields::default();
            for name in ["DatabaseName", "CollectionName", "FullDocument"] {
                config.set_some(name, event.given(name).cloned());
            }
            mapping.set("DocumentDBEventSourceConfig", config.into_value());
        }
        if !service.policy.is_empty() {
            invoked.role.attach(self.managed_policy(service.policy));
        }
        if let Some(policy) = self.pull_policy(event) {
            invoked.role.add(policy);
        }
        if let Some(config) = event.given("DestinationConfig") {
            mapping.set("DestinationConfig", self.pull_destination(event, config, invoked));
        }
        invoked.drafts.push(mapping);
    }

    /// The configuration of the destination without its type, for which the role gets a policy.
    fn pull_destination(&self, event: &Event, config: &Value, invoked: &mut Invoked<'_>) -> Value {
        let Some(failure) = get(config, "OnFailure") else { return config.clone() };
        let mut fields = Fields::of(failure);
        fields.remove("Type");
        let arn = get(failure, "Destination").cloned().unwrap_or(Value::NULL);
        let kind = text(failure, "Type").filter(|kind| matches!(&***kind, "SQS" | "SNS" | "S3"));
        if let Some(policy) = kind.and_then(|kind| destination_policy(kind, &arn, &event.id)) {
            invoked.role.add(policy);
        }
        let mut whole = Fields::of(config);
        whole.set("OnFailure", Value { span: failure.span, ..fields.into_value() });
        Value { span: config.span, ..whole.into_value() }
    }

    /// The inline policy that reading from the source needs.
    fn pull_policy(&self, event: &Event) -> Option<Value> {
        let name = match &*event.kind {
            "DocumentDB" => "SamAutoGeneratedDocumentDBPolicy".to_owned(),
            "MQ" if event.given("DynamicPolicyName").is_some() => format!("{}AMQPolicy", event.id),
            "MQ" => "SamAutoGeneratedAMQPolicy".to_owned(),
            "MSK" => "MSKExecutionRolePolicy".to_owned(),
            "SelfManagedKafka" => "SelfManagedKafkaExecutionRolePolicy".to_owned(),
            _ => return None,
        };
        let statements = match &*event.kind {
            "DocumentDB" => document_db(event),
            "MQ" => broker(event),
            "MSK" => self.managed_kafka(event),
            _ => self.kafka(event),
        };
        if *event.kind != *"SelfManagedKafka" {
            return (!statements.is_empty()).then(|| policy(name, statements));
        }
        let document = object([("Version", Value::from("2012-10-17")), ("Statement", Value::array(statements))]);
        Some(object([("PolicyDocument", document), ("PolicyName", Value::from(name))]))
    }

    fn managed_kafka(&self, event: &Event) -> Vec<Value> {
        let mut statements = self.schema_registry(event);
        let certificates = configurations(event).filter(|(kind, _)| **kind == *"CLIENT_CERTIFICATE_TLS_AUTH");
        statements.extend(certificates.map(|(_, uri)| secret(uri)));
        statements
    }

    fn kafka(&self, event: &Event) -> Vec<Value> {
        let mut authentication = None;
        let (mut has_certificate, mut has_network) = (false, false);
        for (kind, uri) in configurations(event) {
            match &**kind {
                "VPC_SUBNET" | "VPC_SECURITY_GROUP" => has_network = true,
                "SERVER_ROOT_CA_CERTIFICATE" => has_certificate = true,
                kind if AUTHENTICATION.contains(&kind) => authentication = Some(uri),
                _ => {}
            }
        }
        let mut statements: Vec<Value> = authentication.map(secret).into_iter().collect();
        if has_certificate {
            statements.extend(authentication.map(secret));
        }
        if has_network {
            statements.push(allow(strings(NETWORK), Value::from("*")));
        }
        statements.extend(decrypt(event, strings(["kms:Decrypt"])));
        statements.extend(self.schema_registry(event));
        statements
    }

    /// What a registry of schemas needs.
    fn schema_registry(&self, event: &Event) -> Vec<Value> {
        let Some(config) = event.given("SchemaRegistryConfig") else { return Vec::new() };
        let access = get(config, "AccessConfigs").and_then(Value::as_array).unwrap_or_default();
        let mut statements: Vec<Value> = access.iter().filter_map(|access| get(access, "URI")).map(secret).collect();
        let Some(uri) = get(config, "SchemaRegistryURI") else { return statements };
        let resolved = self.resolved(uri);
        let arn = resolved.as_str().or_else(|| text(&resolved, "Fn::Sub").map(|text| &**text));
        let is_arn = arn.filter(|arn| arn.starts_with("arn"));
        let Some(name) = is_arn.and_then(|arn| arn.rsplit(':').next()?.strip_prefix("registry/")) else {
            return statements;
        };
        statements.push(allow(strings(["glue:GetRegistry"]), uri.clone()));
        let schemas = format!("arn:${{AWS::Partition}}:glue:${{AWS::Region}}:${{AWS::AccountId}}:schema/{name}/*");
        statements.push(allow(strings(["glue:GetSchemaVersion"]), Value::array(vec![sub(schemas)])));
        statements
    }
}

/// The types and URIs in `SourceAccessConfigurations`.
fn configurations(event: &Event) -> impl Iterator<Item = (&Str, &Value)> {
    let all = event.get("SourceAccessConfigurations").and_then(Value::as_array).unwrap_or_default();
    all.iter().filter_map(|config| text(config, "Type").zip(given(config, "URI")))
}

fn secret(uri: &Value) -> Value {
    allow(strings(["secretsmanager:GetSecretValue"]), uri.clone())
}

/// The statement for the key of the secrets. `action` is a string or a list, depending on the event.
fn decrypt(event: &Event, action: Value) -> Option<Value> {
    let key = event.given("SecretsManagerKmsKeyId")?.as_str()?;
    let arn = format!("arn:${{AWS::Partition}}:kms:${{AWS::Region}}:${{AWS::AccountId}}:key/{key}");
    Some(allow(action, sub(arn)))
}

fn basic_auth(event: &Event) -> Vec<Value> {
    configurations(event).filter(|(kind, _)| ***kind == *"BASIC_AUTH").map(|(_, uri)| secret(uri)).collect()
}

fn broker(event: &Event) -> Vec<Value> {
    let mut statements = basic_auth(event);
    statements.push(allow(strings(["mq:DescribeBroker"]), event.get("Broker").cloned().unwrap_or(Value::NULL)));
    statements.extend(decrypt(event, Value::from("kms:Decrypt")));
    statements
}

fn document_db(event: &Event) -> Vec<Value> {
    let rds =
        |resource: &str| sub(format!("arn:${{AWS::Partition}}:rds:${{AWS::Region}}:${{AWS::AccountId}}:{resource}:*"));
    let cluster = event.get("Cluster").cloned().unwrap_or(Value::NULL);
    let mut statements = basic_auth(event);
    statements.extend([
        allow(strings(["rds:DescribeDBClusterParameters"]), rds("cluster-pg")),
        allow(strings(["rds:DescribeDBSubnetGroups"]), rds("subgrp")),
        allow(strings(["rds:DescribeDBClusters"]), cluster),
        allow(strings(NETWORK), Value::from("*")),
    ]);
    statements.extend(decrypt(event, strings(["kms:Decrypt"])));
    statements
}
