//! What the transform of AWS SAM rejects.

use super::*;

const HEAD: &str = "Transform: AWS::Serverless-2016-10-31\n";

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let expanded = expanded(&format!("{HEAD}{text}"));
    let line = |breach: &Breach| format!("{}: {}", breach.check.id(), breach.message);
    let found: Vec<String> = expanded.expansion.breaches.iter().map(line).collect();
    assert_eq!(found, expected, "{text}");
}

/// A function with these properties.
fn function(properties: &str) -> String {
    format!(
        "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties: {{Runtime: a, Handler: b, CodeUri: c, {properties}}}\n"
    )
}

#[test]
fn properties_have_the_shapes_that_sam_knows() {
    check(&function("MemorySize: !Ref X, Tags: {A: b}, Events: {E: {Type: SQS, Properties: {Queue: a}}}"), &[]);
    check(
        &function("MemorySise: 1"),
        &[
            "template/unknown-property: `AWS::Serverless::Function` has no property `MemorySise`, did you mean `MemorySize`?",
        ],
    );
    check(&function("Tags: [a]"), &["schema/type: `Tags` is an array; expected an object"]);
    check(&function("Tracing: No"), &[]);
    check(
        &function("Tracing: Maybe"),
        &["schema/value: `Tracing` is `Maybe`; expected one of `Active`, `PassThrough`, `Disabled`"],
    );
    check(
        &function("FunctionUrlConfig: {Cors: {}}"),
        &["sam/invalid: `FunctionUrlConfig` lacks the required property `AuthType`"],
    );
    check(
        &format!("Globals: {{Function: {{Timeot: 1}}, Table: {{}}}}\n{}", function("Timeout: 1")),
        &[
            "template/unknown-property: `Globals` has no property `Timeot` for `Function`, did you mean `Timeout`?",
            "template/unknown-property: `Globals` has no section `Table`",
        ],
    );
}

#[test]
fn what_the_transform_rejects_is_reported() {
    let event = |event: &str| function(&format!("Events: {{E: {event}}}"));
    check(&event("{Type: Sqs}"), &["sam/invalid: there is no event type `Sqs`, did you mean `SQS`?"]);
    check(
        &event("{Type: Schedule, Properties: {Schedule: rate(1 day), State: ENABLED, Enabled: true}}"),
        &["sam/invalid: `State` cannot be used with `Enabled`"],
    );
    check(
        &event("{Type: Api, Properties: {Path: /, Method: get, RestApiId: !Sub x}}"),
        &["sam/invalid: `RestApiId` must be the logical ID of an API, or a `Ref` to one"],
    );
    check(
        &function("ProvisionedConcurrencyConfig: {A: 1}"),
        &["sam/invalid: `ProvisionedConcurrencyConfig` needs `AutoPublishAlias`"],
    );
    check(&function("DeploymentPreference: {Enabled: false}"), &[]);
    let api = |properties: &str| {
        format!("Resources:\n  A:\n    Type: AWS::Serverless::Api\n    Properties: {{StageName: s, {properties}}}\n")
    };
    check(&api("DefinitionBody: {paths: {/: {get: {}}}}"), &[]);
    check(
        &api("DefinitionBody: {paths: {/: {get: 1}}}"),
        &["sam/invalid: the method `get` of the path `/` must be an object"],
    );
    check(
        &api("DefinitionUri: s3://a/b, DefinitionBody: {paths: {}}"),
        &["sam/invalid: `DefinitionBody` cannot be used with `DefinitionUri`"],
    );
}
