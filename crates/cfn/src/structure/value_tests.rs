//! Tests of values that CloudFormation or a service refuses: in calls, outputs, metadata, policies, and state machines.

use crate::structure::tests::{RESOURCES, check_whole, section};
use crate::tests::expanded;

#[test]
fn calls_that_need_more() {
    let value = |value: &str, expected: &[&str]| {
        check_whole(&format!("Resources: {{R: {{Type: 'Custom::A', Properties: {{P: {value}}}}}}}"), expected);
    };
    let sub = "expression/arguments: `Fn::Sub` takes a string, or a list of a string and an object";
    value("!Sub [a]", &[sub]);
    value("!Sub [a, {}]", &[]);
    let select = "expression/arguments: `Fn::Select` takes a list of an index and a list";
    value("!Select ['-1', [a, b]]", &[select]);
    value("!Select ['1', [a, b]]", &[]);
    value("AWS::Region", &["expression/sub-missing: nothing replaces `AWS::Region` here; write `!Ref AWS::Region`"]);
    value("!Ref AWS::Region", &[]);
    let single = "expression/sub-missing: nothing replaces `${AWS:Region}` here; pass the string to `Fn::Sub`";
    value("'a-${AWS:Region}'", &[single]);
    let blank = "expression/syntax: CloudFormation does not resolve a reference with blanks after `{{`; remove them";
    value("'{{ resolve:ssm:a }}'", &[blank]);
}

#[test]
fn secure_strings_are_for_some_passwords() {
    let check = |kind: &str, property: &str, expected: &[&str]| {
        let value = "'{{resolve:ssm-secure:a}}'";
        check_whole(&format!("Resources: {{R: {{Type: '{kind}', Properties: {{{property}: {value}}}}}}}"), expected);
    };
    let only =
        "expression/placement: only the passwords of some resources can have a dynamic reference to `ssm-secure`";
    check("AWS::RDS::DBInstance", "MasterUserPassword", &[]);
    check("AWS::RDS::DBInstance", "MasterUsername", &[only]);
    check("AWS::SNS::Topic", "DisplayName", &[only]);
    check("Custom::Any", "DisplayName", &[]);
}

#[test]
fn outputs_are_strings() {
    let check = |value: &str, expected: &[&str]| {
        let head = "Parameters: {L: {Type: CommaDelimitedList}, S: {Type: String}}";
        section(&format!("{head}\nOutputs: {{A: {{Value: !Ref S}}, O: {{Value: {value}}}}}"), expected);
    };
    check("!Ref L", &["template/shape: the value of an output must be a string, and the parameter `L` is a list"]);
    check("!Join [',', !Ref L]", &[]);
    check(
        "!Split [',', a]",
        &["template/shape: the value of an output must be a string, and the result of `Fn::Split` is a list"],
    );
}

#[test]
fn the_interface_shows_parameters() {
    let check = |interface: &str, expected: &[&str]| {
        let expanded = expanded(&format!("Metadata: {{AWS::CloudFormation::Interface: {interface}}}\n{RESOURCES}"));
        let remarks: Vec<&str> = expanded.expansion.breaches.iter().map(|breach| &*breach.message).collect();
        assert_eq!(remarks, expected, "{interface}");
    };
    check("{ParameterGroups: [{Label: {default: a}, Parameters: []}], ParameterLabels: {}}", &[]);
    check("{ParameterGroups: {}}", &["`ParameterGroups` must be a list, found a value of kind `object`"]);
    check(
        "{ParameterGroups: [{Lable: {default: a}}]}",
        &["a group of parameters has no `Lable`, did you mean `Label`?"],
    );
    check("{ParameterGroups: [{Label: a}]}", &["a label must be an object, found a value of kind `string`"]);
    check(
        "{ParameterGroups: [{Parameters: [X]}]}",
        &["the template has no parameter `X`, which the console would show"],
    );
}

#[test]
fn a_loop_declares_each_name_once() {
    let check = |names: &str, key: &str, expected: &[&str]| {
        let body = format!("{{'{key}': {{Type: 'AWS::SNS::Topic'}}}}");
        let text = format!("Transform: AWS::LanguageExtensions\nResources: {{'Fn::ForEach::L': [N, {names}, {body}]}}");
        check_whole(&text, expected);
    };
    let again = |name: &str| {
        format!("template/shape: the loop declares `{name}` again; each iteration needs a name of its own")
    };
    check("[A, B]", "T${N}", &[]);
    check("[A, A]", "T${N}", &[&again("TA")]);
    check("[A, B]", "T", &[&again("T")]);
}

#[test]
fn what_policies_name() {
    let statement = |statement: &str, expected: &[&str]| {
        let policy = format!("{{Version: 2012-10-17, Statement: [{{Effect: Allow, {statement}}}]}}");
        let resource = format!("{{Type: 'AWS::IAM::ManagedPolicy', Properties: {{PolicyDocument: {policy}}}}}");
        check_whole(&format!("Resources: {{R: {resource}, B: {{Type: 'AWS::S3::Bucket'}}}}"), expected);
    };
    statement(
        "Action: 'ec2:attacheVolume', Resource: '*'",
        &["policy/action: `ec2` has no action `attacheVolume`, did you mean `attachVolume`?"],
    );
    statement(
        "Action: 's3:*', Resource: !Ref B",
        &["policy/grammar: `Ref` of `B`, an `AWS::S3::Bucket`, is not an ARN; use `!GetAtt B.Arn`"],
    );
    statement("Action: 's3:*', Resource: !Sub '${B.Arn}/*'", &[]);
    statement(
        "Action: 's3:*', Resource: !Sub 'arn:aws:s3::${B}/*'",
        &["policy/grammar: the ARN `arn:aws:s3::${B}/*` has 5 parts between colons; expected 6"],
    );
    statement(
        "Action: 's3:*', Resource: '*', Sid: 'a b'",
        &["policy/grammar: `Sid` is `a b`; expected letters and digits only"],
    );
    statement(
        "Action: 's3:*', Resource: '*', Condition: {StringEqual: {a: b}}",
        &["policy/grammar: IAM has no operator `StringEqual` of conditions, did you mean `StringEquals`?"],
    );
    let role = |properties: &str, expected: &[&str]| {
        check_whole(&format!("Resources: {{R: {{Type: 'AWS::IAM::Role', Properties: {{{properties}}}}}}}"), expected);
    };
    let trust = |principal: &str| {
        format!(
            "AssumeRolePolicyDocument: {{Statement: [{{Effect: Allow, Action: 'sts:AssumeRole', Principal: {{{principal}}}}}]}}"
        )
    };
    role(&trust("Service: lambda.amazonaws.com"), &[]);
    role(
        &trust("Service: ecs-task.amazonaws.com"),
        &["policy/grammar: there is no service `ecs-task.amazonaws.com`, did you mean `ecs-tasks.amazonaws.com`?"],
    );
    role(
        "ManagedPolicyArns: ['arn:aws:iam::aws:policy/AWSLambdaBasicExecutionRole']",
        &[
            "policy/grammar: AWS has no policy `AWSLambdaBasicExecutionRole`, did you mean `service-role/AWSLambdaBasicExecutionRole`?",
        ],
    );
}

#[test]
fn state_machines_lead_to_states() {
    let machine = |definition: &str, expected: &[&str]| {
        let properties = format!("{{RoleArn: a, {definition}}}");
        check_whole(
            &format!("Resources: {{R: {{Type: 'AWS::StepFunctions::StateMachine', Properties: {properties}}}}}"),
            expected,
        );
    };
    machine("Definition: {StartAt: A, States: {A: {Type: Pass, Next: B}, B: {Type: Succeed}}}", &[]);
    machine(
        "Definition: {StartAt: A, States: {A: {Type: Pass, Next: C}, B: {Type: Succeed}}}",
        &["service/value: `Next` is `C`, and there is no such state", "service/value: no state leads to the state `B`"],
    );
    machine(
        "Definition: {States: {A: {Type: Pas, End: true}}}",
        &[
            "service/value: no state leads to the state `A`",
            "service/value: the definition lacks `StartAt`",
            "service/value: there is no type `Pas` of states, did you mean `Pass`?",
        ],
    );
    machine(
        "Definition: {StartAt: A, States: {A: {Type: Pass}}}",
        &["service/value: state `A` needs `Next`, or `End: true`"],
    );
    machine(
        r#"DefinitionString: !Sub '{"StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": ${AWS::AccountId}, "Next": "B"}}}'"#,
        &["service/value: `Next` is `B`, and there is no such state"],
    );
    machine(
        "Definition: {StartAt: A, States: {A: {Type: Pass, End: true, Retry: [{ErrorEquals: [a]}], Catch: [{ErrorEquals: a, Next: A}]}}}",
        &["service/value: `ErrorEquals` must be a list of names of errors, found a value of kind `string`"],
    );
    machine(
        "Definition: {StartAt: A, States: {A: {Type: Pass, End: true, Retry: {ErrorEquals: [a]}, Catch: [{Next: A}]}}}",
        &[
            "service/value: `Retry` must be a list, found a value of kind `object`",
            "service/value: an item of `Catch` needs `ErrorEquals`",
        ],
    );
    machine(
        r#"DefinitionString: '{"StartAt": "A"'"#,
        &["service/value: the definition is not JSON: expected `,` or `}` after a member, found the end of the text"],
    );
    machine(
        "Definition: {StartAt: M, States: {M: {Type: Map, End: true, ItemProcessor: {StartAt: Z, States: {A: {Type: Fail}}}}}}",
        &[
            "service/value: `StartAt` is `Z`, and there is no such state",
            "service/value: no state leads to the state `A`",
        ],
    );
}

#[test]
fn names_of_parameters_are_not_their_values() {
    let check = |condition: &str, value: &str, expected: &[&str]| {
        let parameters = "Parameters: {Os: {Type: String}, Role: {Type: String}}";
        let resource = format!("{{Type: 'Custom::A', Properties: {{P: {value}, Q: [!Ref Os, !Ref Role]}}}}");
        check_whole(
            &format!("{{{parameters}, Conditions: {{C: {condition}}}, Resources: {{R: {resource}}}}}"),
            expected,
        );
    };
    let not_its_value = |name: &str| {
        format!("expression/sub-missing: `{name}` is the name of a parameter, not its value; write `!Ref {name}`")
    };
    check("!Equals [Os, Windows]", "!If [C, a, b]", &[&not_its_value("Os")]);
    check("!Equals [!Ref Os, Windows]", "!If [C, a, b]", &[]);
    // Their result is meant to be always the same.
    check("!Equals ['true', 'true']", "!If [C, a, b]", &[]);
    let pseudo = "expression/sub-missing: nothing replaces `AWS::Partition` here; write `!Ref AWS::Partition`";
    check("!Equals [AWS::Partition, aws-cn]", "!If [C, a, b]", &[pseudo]);
    check("!Equals [!Ref Os, a]", "!If [C, Role, !Ref Os]", &[&not_its_value("Role")]);
    check("!Equals [!Ref Os, a]", "!If [C, Role, Other]", &[]);
}

#[test]
fn event_patterns_have_lists() {
    let rule = |pattern: &str, expected: &[&str]| {
        let properties = format!("{{Targets: [], EventPattern: {pattern}}}");
        check_whole(&format!("Resources: {{R: {{Type: 'AWS::Events::Rule', Properties: {properties}}}}}"), expected);
    };
    let list = |key: &str| format!("service/value: `{key}` of an event pattern must be a list of values");
    rule("{source: [aws.ec2], detail: {state: [running, {prefix: s}], $or: [{a: [1]}, {b: [{exists: false}]}]}}", &[]);
    rule("{source: aws.ec2}", &[&list("source")]);
    rule("{detail: {state: true}}", &[&list("state")]);
    rule("{resources: !Sub 'arn:${AWS::Partition}:s3:::a'}", &[&list("resources")]);
    rule("{detail: {$or: [{a: 1}, {b: [2]}]}}", &[&list("a")]);
    rule("{resources: !Split [',', 'a,b'], account: !GetAtt A.B}", &["expression/undefined: there is no resource `A`"]);
}

#[test]
fn mappings_have_a_key_for_each_value_of_a_parameter() {
    let check = |rows: &str, expected: &[&str]| {
        check_whole(
            &format!(
                "Parameters: {{Site: {{Type: String, Default: eu, AllowedValues: [eu, gov]}}}}\n\
                 Mappings: {{M: {rows}}}\n\
                 Resources: {{R: {{Type: 'Custom::A', Properties: {{P: !FindInMap [M, !Ref Site, Id]}}}}}}"
            ),
            expected,
        );
    };
    check("{eu: {Id: a}, gov: {Id: b}, other: {Name: c}}", &[]);
    check(
        "{eu: {Id: a}, gov: {Name: b}}",
        &[
            "expression/undefined: the mapping `M` has no `Id` under `gov`, which `Site` may be; add the key to each row",
        ],
    );
}
