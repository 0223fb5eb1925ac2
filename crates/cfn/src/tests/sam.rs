//! Tests of the errors of the transform of AWS SAM.

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
    let globals = "CodeSigningConfigArn: x, FileSystemConfigs: [], FunctionUrlConfig: {AuthType: NONE}";
    check(&format!("Globals: {{Function: {{{globals}}}}}\n{}", function("Timeout: 1")), &[]);
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
    check(&function("Role: 2"), &["sam/invalid: `Role` must be a string"]);
    let needs = |properties: &str, missing: &str| {
        let text = format!("Resources: {{F: {{Type: 'AWS::Serverless::Function', Properties: {{{properties}}}}}}}");
        check(&text, &[&format!("sam/invalid: function `F` needs {missing}")]);
    };
    needs("CodeUri: c", "`Runtime` and `Handler`");
    needs("CodeUri: c, Handler: b", "`Runtime`");
    needs("CodeUri: c, Runtime: a", "`Handler`");
    check(
        "Resources: {F: {Type: 'AWS::Serverless::Function', Properties: {PackageType: Image}}}",
        &["sam/invalid: `PackageType` `Image` needs `ImageUri`, or `Metadata` from which the image is built"],
    );
    check(
        "Resources: {F: {Type: 'AWS::Serverless::Function', Metadata: {Dockerfile: a}, Properties: {PackageType: Image}}}",
        &[],
    );
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

#[test]
fn sources_have_one_way_to_log_in() {
    let event = |kind: &str, properties: &str| {
        function(&format!("Events: {{E: {{Type: {kind}, Properties: {{{properties}}}}}}}"))
    };
    let kafka = |access: &str| {
        event(
            "SelfManagedKafka",
            &format!("KafkaBootstrapServers: [a], Topics: [b], SourceAccessConfigurations: [{access}]"),
        )
    };
    check(&kafka("{Type: BASIC_AUTH, URI: a}, {Type: VPC_SUBNET, URI: 'subnet:a'}"), &[]);
    check(
        &kafka("{Type: BASIC_AUTH, URI: a}, {Type: SASL_SCRAM_512_AUTH, URI: b}"),
        &[
            "sam/invalid: `SourceAccessConfigurations` has `SASL_SCRAM_512_AUTH` beside `BASIC_AUTH`; expected one way to log in",
        ],
    );
    let database = |access: &str| {
        event("DocumentDB", &format!("Cluster: a, DatabaseName: b, SourceAccessConfigurations: [{access}]"))
    };
    check(&database("{Type: BASIC_AUTH, URI: a}"), &[]);
    check(&database("{Type: BASIC_AUTH}"), &["sam/invalid: `BASIC_AUTH` lacks the required property `URI`"]);
    check(
        &database("{Type: VIRTUAL_HOST, URI: a}"),
        &[
            "sam/invalid: the `Type` is `VIRTUAL_HOST`; expected `BASIC_AUTH`",
            "sam/invalid: `SourceAccessConfigurations` lacks an entry of type `BASIC_AUTH`",
        ],
    );
    check(
        &event("MSK", "Stream: a, Topics: [b], SchemaRegistryConfig: {SchemaRegistryURI: a, EventRecordFormat: JSON}"),
        &["sam/invalid: `SchemaRegistryConfig` lacks the required property `SchemaValidationConfigs`"],
    );
}

#[test]
fn apis_are_what_the_transform_can_change() {
    let api = |kind: &str, properties: &str| {
        format!("Resources:\n  A:\n    Type: AWS::Serverless::{kind}\n    Properties: {{StageName: s, {properties}}}\n")
    };
    let domain =
        |mutual: &str| format!("Domain: {{DomainName: a, CertificateArn: b, MutualTlsAuthentication: {mutual}}}");
    check(&api("Api", &domain("{TruststoreUri: c}")), &[]);
    check(
        &api("Api", &domain("{TruststoreUrl: c}")),
        &["sam/invalid: `MutualTlsAuthentication` has no property `TruststoreUrl`, did you mean `TruststoreUri`?"],
    );
    check(
        &api("HttpApi", "CorsConfiguration: {AllowOrigin: [a]}"),
        &["sam/invalid: `CorsConfiguration` has no property `AllowOrigin`, did you mean `AllowOrigins`?"],
    );
    check(&api("HttpApi", "Tags: {a: b}, DefinitionBody: {openapi: 3.0.1, paths: {}}"), &[]);
    check(
        &api("HttpApi", "Tags: {a: b}, DefinitionBody: {openapi: '2.0', paths: {}}"),
        &["sam/invalid: `Tags` needs a `DefinitionBody` with `openapi` of version 3 and `paths`"],
    );
    check(
        &api("Api", "DefinitionUri: s3://a/b, DisableExecuteApiEndpoint: false"),
        &["sam/invalid: `DisableExecuteApiEndpoint` cannot be used with `DefinitionUri`"],
    );
    check(
        &api("Api", "GatewayResponses: {DEFAULT_4XX: {StatusCode: 1}, StatusCode: 200}"),
        &["sam/invalid: `StatusCode` in `GatewayResponses` must be an object, without a function"],
    );
    check(
        &api("Api", "Cors: \"'*'\", DefinitionBody: {paths: {/: {options: {responses: a}}}}"),
        &["sam/invalid: `responses` must be an object"],
    );
    let machine = |auth: &str, authorizer: &str| {
        format!(
            "{}  M:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      DefinitionUri: a\n      Events: {{E: {{Type: Api, Properties: {{Path: /, Method: get, RestApiId: !Ref A, Auth: {{Authorizer: {authorizer}}}}}}}}}\n",
            api("Api", auth)
        )
    };
    let auth = "Auth: {Authorizers: {Mine: {UserPoolArn: a}}}";
    check(&machine(auth, "Mine"), &[]);
    check(&machine(auth, "Other"), &["sam/invalid: the API has no authorizer `Other`"]);
    // An event adds nothing to a definition, and so needs nothing of it.
    let written = "DefinitionBody: {swagger: '2.0', paths: {/: {get: {}}}}";
    check(&machine(written, "Other"), &[]);
    check(&machine("DefinitionUri: s3://a/b", "NONE"), &[]);
    check(&machine(auth, "NONE"), &["sam/invalid: `NONE` needs a `DefaultAuthorizer` of the API"]);
}

#[test]
fn values_that_the_transform_reads_itself_are_checked() {
    check(
        &function("Tags: {'lambda:createdBy': me}"),
        &["sam/invalid: the transform sets the tag `lambda:createdBy` itself; remove it"],
    );
    check(&function("Policies: [AWSLambdaRole, {LambdaInvokePolicy: {FunctionName: a}}]"), &[]);
    check(
        &function("Policies: {LambdaInvokePolicy: {}}"),
        &["sam/invalid: the policy template `LambdaInvokePolicy` needs the parameter `FunctionName`"],
    );
    check(
        &function("Policies: [{LambdaInvokePolici: {FunctionName: a}}]"),
        &["sam/invalid: AWS SAM has no policy template `LambdaInvokePolici`, did you mean `LambdaInvokePolicy`?"],
    );
    check(
        &function("Policies: [{PolicyName: a, PolicyDocument: {}}]"),
        &["sam/invalid: a policy must have a `Statement`, or be one policy template"],
    );
    check(
        &function("FunctionUrlConfig: {AuthType: NONE, Cors: {MaxAge: '10'}}"),
        &["sam/invalid: `MaxAge` must be an integer"],
    );
    let event = |event: &str| function(&format!("Events: {{E: {event}}}"));
    check(
        &event("{Type: S3, Properties: {Bucket: !Ref B, Events: !Ref X}}"),
        &["sam/invalid: `Events` must be a string or a list of strings, without functions"],
    );
    let twice = "Resources: {F: {Type: 'AWS::Serverless::Function', Properties: {Runtime: a, Handler: b, CodeUri: 'http://a/b'}}}";
    check(twice, &["sam/invalid: `CodeUri` must be a local path, or of the form `s3://bucket/key`"]);
}

#[test]
fn generated_resources_need_names_of_their_own() {
    let role = "  FRole: {Type: 'AWS::IAM::Role'}\n";
    check(
        &format!("{}{role}", function("Timeout: 1")),
        &["sam/invalid: the transform generates a resource `FRole` for `F`; rename the declared one"],
    );
    check(&format!("{}{role}", function("Role: !GetAtt FRole.Arn")), &[]);
}

#[test]
fn apis_are_checked_as_the_transform_does() {
    let api = |kind: &str, properties: &str| {
        format!("Resources: {{A: {{Type: 'AWS::Serverless::{kind}', Properties: {{StageName: a, {properties}}}}}}}")
    };
    check(&api("Api", "OpenApiVersion: 3.0.1"), &[]);
    check(&api("Api", "OpenApiVersion: '5.0'"), &["sam/invalid: `OpenApiVersion` must be a version such as `3.0.1`"]);
    check(
        &api("Api", "GatewayResponses: {DEFAULT_4XX: {StatusCode: x}}"),
        &["sam/invalid: `StatusCode` must be a number"],
    );
    check(
        &api("Api", "GatewayResponses: {DEFAULT_4XX: {ResponseParameters: {Footers: {}}}}"),
        &["sam/invalid: `ResponseParameters` has no property `Footers`"],
    );
    check(
        &api("HttpApi", "Auth: {Authorizers: {L: {FunctionArn: a}}}"),
        &["sam/invalid: the authorizer `L` needs `AuthorizerPayloadFormatVersion`"],
    );
    check(
        &api("HttpApi", "Auth: {Authorizers: {L: {JwtConfiguration: {issuer: a}}}}"),
        &["sam/invalid: the authorizer `L` needs `IdentitySource`"],
    );
}
