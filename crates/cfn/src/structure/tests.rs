//! Tests of the errors and remarks about a template that do not depend on what is deployed.

use crate::tests::expanded;

/// Resources that the other sections of a test refer to.
pub(super) const RESOURCES: &str = "Resources:\n  Topic: {Type: 'AWS::SNS::Topic'}\n";

/// The problems and breaches of a template, without their places, ordered.
#[track_caller]
pub(super) fn check_whole(template: &str, expected: &[&str]) {
    let expanded = expanded(template);
    let problems = expanded.problems().into_iter().filter_map(|problem| {
        let (_, rest) = problem.split_once(" error ")?;
        Some(rest.to_owned())
    });
    let refused = expanded.expansion.breaches.iter().filter(|breach| !breach.is_pedantic);
    let breaches = refused.map(|breach| format!("{}: {}", breach.check.id(), breach.message));
    let mut found: Vec<String> = problems.chain(breaches).collect();
    found.sort();
    let mut expected: Vec<&str> = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{template}");
}

#[track_caller]
pub(super) fn section(text: &str, expected: &[&str]) {
    check_whole(&format!("{text}\n{RESOURCES}"), expected);
}

#[test]
fn sections() {
    section(
        "Recources: {}",
        &["template/unknown-property: a template has no section `Recources`, did you mean `Resources`?"],
    );
    section("Globals: {}", &["template/unknown-property: `Globals` needs the transform `AWS::Serverless-2016-10-31`"]);
    section(
        "AWSTemplateFormatVersion: 2010-09-10",
        &["template/shape: `AWSTemplateFormatVersion` must be `2010-09-09`, which is the only version"],
    );
    section("AWSTemplateFormatVersion: 2010-09-09\nDescription: d\nMetadata: {a: b}\nRules: {}\nHooks: {}", &[]);
    section("Description: [a]", &["template/shape: `Description` must be a string, found a value of kind `array`"]);
    section("Conditions: []", &["template/shape: `Conditions` must be an object, found a value of kind `array`"]);
    section("Parameters:", &["template/shape: `Parameters` has no value, and CloudFormation refuses `null`"]);
    section("Transform: My::Macro\nRecources: {}", &[]);
    section("AWSTemplateFormatVersion: 2010-09-09-OC\nOrganizationBindings: {}", &[]);
    section(
        "Transform: {Nme: My::Macro}\nAWSTemplateFormatVersion: 2010-09-10",
        &[
            "template/shape: `AWSTemplateFormatVersion` must be `2010-09-09`, which is the only version",
            "template/shape: a transform must be a name, or an object with a `Name`",
        ],
    );
}

#[test]
fn names_of_imports() {
    let check = |name: &str, expected: &[&str]| {
        section(&format!("Outputs: {{O: {{Value: {{'Fn::ImportValue': {name}}}}}}}"), expected);
    };
    check("!Sub '${AWS::StackName}-x'", &[]);
    check("!Ref Topic", &["template/shape: the name of an import cannot refer to the resource `Topic`"]);
    check("{'Fn::ImportValue': x}", &["template/shape: the name of an import cannot call `Fn::ImportValue`"]);
}

#[test]
fn parameters() {
    let check = |declaration: &str, expected: &[&str]| section(&format!("Parameters: {{P: {declaration}}}"), expected);
    for type_name in [
        "String",
        "List<Number>",
        "CommaDelimitedList",
        "AWS::EC2::VPC::Id",
        "List<AWS::EC2::Subnet::Id>",
        "AWS::SSM::Parameter::Value<List<String>>",
        "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>",
    ] {
        check(&format!("{{Type: '{type_name}'}}"), &[]);
    }
    check("{Type: Strin}", &["template/shape: there is no type `Strin` of parameters, did you mean `String`?"]);
    check(
        "{Type: 'AWS::SSM::Parameter::Value<Number>'}",
        &[
            "template/shape: there is no type `AWS::SSM::Parameter::Value<Number>` of parameters, did you mean `AWS::SSM::Parameter::Name`?",
        ],
    );
    check("{Default: a}", &["template/shape: parameter `P` has no `Type`"]);
    check(
        "{Type: String, Defalt: a}",
        &["template/unknown-property: a parameter has no `Defalt`, did you mean `Default`?"],
    );
    check(
        "{Type: Number, MinValue: a}",
        &["template/shape: `MinValue` of a parameter must be a number, found a value of kind `string`"],
    );
    check("{Type: Number, MinValue: '1', MaxValue: 2.5, NoEcho: 'true'}", &[]);
    check("{Type: Number, MinValue: '1', MaxValue: 2.5, Default: 2}", &[]);
    check(
        "{Type: Number, MaxLength: 1}",
        &["template/shape: a parameter of type `Number` has no `MaxLength`; use `MaxValue`"],
    );
    check(
        "{Type: String, NoEcho: 1}",
        &["template/shape: `NoEcho` of a parameter must be `true` or `false`, found a value of kind `int`"],
    );
    check(
        "{Type: String, AllowedValues: a}",
        &["template/shape: `AllowedValues` of a parameter must be a list, found a value of kind `string`"],
    );
    section(
        "Parameters: {a-b: {Type: String}}",
        &["template/shape: the name of a parameter, `a-b`, must have only letters and digits"],
    );
    let many: Vec<String> = (0..201).map(|at| format!("  P{at}: {{Type: String}}")).collect();
    section(
        &format!("Parameters:\n{}", many.join("\n")),
        &["template/limits: the template has 201 parameters; CloudFormation takes at most 200"],
    );
}

#[test]
fn conditions() {
    let check = |condition: &str, expected: &[&str]| {
        section(&format!("Conditions: {{A: !Equals [a, b], C: {condition}}}"), expected);
    };
    check("!And [!Condition A, !Not [!Condition A]]", &[]);
    check(
        "x",
        &[
            "template/shape: the condition `C` must be one of `Fn::And`, `Fn::Equals`, `Fn::Not`, `Fn::Or`, and `Condition`",
        ],
    );
    check("!And [!Condition A]", &["template/shape: `Fn::And` takes a list of 2 to 10 conditions"]);
    check(
        "!Or [!Condition A, x]",
        &["template/shape: an operand must be one of `Fn::And`, `Fn::Equals`, `Fn::Not`, `Fn::Or`, and `Condition`"],
    );
    check("!Not [!Condition B]", &["expression/undefined: there is no condition `B`"]);
    check("!Equals [!Ref Topic, a]", &["template/shape: a condition cannot refer to the resource `Topic`"]);
    check(
        "!Equals [!Ref Tropic, a]",
        &["expression/undefined: there is no parameter and no resource `Tropic`, did you mean `Topic`?"],
    );
}

#[test]
fn mappings() {
    section("Mappings: {M: {a: {b: c, d: [e, 1]}}}", &[]);
    section(
        "Mappings: {M: {a: b}}",
        &["template/shape: `a` in a mapping must be an object, found a value of kind `string`"],
    );
    section(
        "Mappings: {M: {a: {b: !Ref Topic}}}",
        &["template/shape: `b` in a mapping calls `Ref`; mappings cannot call functions"],
    );
}

#[test]
fn resources() {
    let check = |resource: &str, expected: &[&str]| {
        check_whole(
            &format!("Conditions: {{A: !Equals [a, b]}}\nResources: {{T: {{Type: a}}, R: {resource}}}"),
            expected,
        );
    };
    check("{Type: a, DependsOn: [T], Condition: A, DeletionPolicy: Retain, Metadata: {}, Properties: {}}", &[]);
    check(
        "{Type: a, Propertis: {}}",
        &["template/unknown-property: a resource has no `Propertis`, did you mean `Properties`?"],
    );
    check("{Type: 'Custom::R', Version: 1}", &[]);
    check("{Type: 'AWS::SNS::Topic', Description: of alarms}", &[]);
    check("{Type: a, Version: 1}", &["template/unknown-property: a resource has no `Version`"]);
    check("{Properties: {}}", &["template/shape: resource `R` must be an object with a `Type`"]);
    check("{Type: a, DependsOn: S}", &["expression/undefined: there is no resource `S`"]);
    check("{Type: a, DependsOn: R}", &["template/cycle: `R` depends on itself"]);
    check("{Type: a, Condition: B}", &["expression/undefined: there is no condition `B`"]);
    check(
        "{Type: a, DeletionPolicy: Keep}",
        &[
            "template/shape: `DeletionPolicy` must be one of `Delete`, `Retain`, `RetainExceptOnCreate`, `Snapshot`, found `Keep`",
        ],
    );
    check(
        "{Type: 'AWS::SNS::Topic', UpdateReplacePolicy: Snapshot}",
        &[
            "template/shape: there are no snapshots of `AWS::SNS::Topic`, so its `UpdateReplacePolicy` cannot be `Snapshot`",
        ],
    );
    check("{Type: a, CreationPolicy: !Ref T}", &["template/shape: `CreationPolicy` must be an object with policies"]);
    check(
        "{Type: 'AWS::Serverless::SimpleTable'}",
        &["template/shape: resource `R` needs the transform of AWS SAM; add `Transform: AWS::Serverless-2016-10-31`"],
    );
}

#[test]
fn outputs() {
    let check = |output: &str, expected: &[&str]| section(&format!("Outputs: {{O: {output}}}"), expected);
    check("{Value: !Ref Topic, Export: {Name: !Sub '${AWS::StackName}-a'}, Description: d}", &[]);
    check("{Description: d}", &["template/shape: output `O` has no `Value`"]);
    check(
        "{Value: a, Condtion: b}",
        &["template/unknown-property: an output has no `Condtion`, did you mean `Condition`?"],
    );
    check("{Value: [a]}", &["template/shape: the value of an output must be a string, found a value of kind `array`"]);
    check("{Value: a, Export: b}", &["template/shape: `Export` must be an object with a `Name`"]);
    check("{Value: a, Condition: C}", &["expression/undefined: there is no condition `C`"]);
}

#[test]
fn branches_that_no_deployment_takes() {
    let check = |value: &str, expected: &[&str]| {
        let text = format!(
            "Conditions: {{Never: !Equals [a, b]}}\nResources: {{T: {{Type: a}}, R: {{Type: a, Condition: Never, Properties: {{P: {value}}}}}}}"
        );
        check_whole(&text, expected);
    };
    check("!If [Never, !Sub '${T.Arn}-${!T}-${AWS::Region}', !GetAtt T.Arn]", &[]);
    check("!Ref S", &["expression/undefined: there is no parameter and no resource `S`"]);
    check("!GetAtt S.Arn", &["expression/undefined: there is no resource `S`"]);
    check("!Sub ['${a}${S}', {a: b}]", &["expression/undefined: there is no parameter and no resource `S`"]);
    check("!If [Nver, a, b]", &["expression/undefined: there is no condition `Nver`, did you mean `Never`?"]);
    check("!FindInMap [M, a, b]", &["expression/undefined: there is no mapping `M`"]);
    check("!Join ['', a]", &["expression/arguments: `Fn::Join` takes a list of a delimiter and a list of strings"]);
    check("!Select [0, a]", &["expression/arguments: `Fn::Select` takes a list of an index and a list"]);
    check(
        "{Fn::Jion: [a, [b]]}",
        &["expression/unknown-function: there is no function `Fn::Jion`, did you mean `Fn::Join`?"],
    );
    check("", &["template/shape: `P` has no value, and CloudFormation refuses `null`"]);
}

#[test]
fn names_that_an_include_may_declare() {
    let text = "Resources: {R: {Type: a, Properties: {P: !Ref S}}, 'Fn::Transform': {Name: 'AWS::Include'}}";
    check_whole(text, &[]);
}

#[test]
fn what_conditions_cannot_know() {
    let text = "Conditions: {C: !Equals [!ImportValue a, b]}";
    section(text, &["template/shape: a condition cannot call `Fn::ImportValue`"]);
}

#[test]
fn rules() {
    section("Rules: {X86_64: {Assertions: []}}", &[]);
    let check = |rule: &str, expected: &[&str]| section(&format!("Rules: {{R: {rule}}}"), expected);
    check(
        "{RuleCondition: !Equals [a, b], Assertions: [{Assert: {Fn::Contains: [[a], b]}, AssertDescription: d}]}",
        &[],
    );
    check("{}", &["template/shape: rule `R` has no `Assertions`"]);
    check("{Assertions: [{Asert: !Equals [a, b]}]}", &["template/shape: an assertion must have `Assert`"]);
    check("{RuleCondition: !Equals [a], Assertions: []}", &["template/shape: `Fn::Equals` takes a list of two values"]);
    let undeclared = "{Assertions: [{Assert: {Fn::Contains: [[a], !Ref AWS::Reggion]}}, {Assert: !Equals [!Ref AWS::Region, !Ref S]}]}";
    check(
        undeclared,
        &[
            "expression/undefined: a rule refers to `AWS::Reggion`, which is not a parameter, did you mean `AWS::Region`?",
            "expression/undefined: a rule refers to `S`, which is not a parameter",
        ],
    );
}

#[test]
fn a_key_that_no_row_of_a_mapping_has() {
    let check = |row: &str, key: &str, expected: &[&str]| {
        check_whole(
            &format!(
                "{{Parameters: {{E: {{Type: String}}}}, Mappings: {{M: {{a: {{Id: x}}, b: {{Id: y, More: z}}}}}}, \
                Resources: {{R: {{Type: a, Properties: {{P: !FindInMap [M, {row}, {key}]}}}}}}}}"
            ),
            expected,
        );
    };
    check("!Ref AWS::Region", "Id", &[]);
    check("!Ref E", "More", &[]);
    check("!Ref E", "Idd", &["expression/undefined: no row of the mapping `M` has a key `Idd`, did you mean `Id`?"]);
    check("!Ref E", "!Ref E", &[]);
}

#[test]
fn transforms() {
    section("Transform: {Parameters: {}}", &["template/shape: a transform must be a name, or an object with a `Name`"]);
    section("Transform: [AWS::LanguageExtensions, {Name: 'AWS::Include'}]", &[]);
}

#[test]
fn names_that_nothing_replaces() {
    let check = |value: &str, expected: &[&str]| {
        check_whole(
            &format!("Resources: {{R: {{Type: a, Properties: {{P: {value}, UserData: '${{AWS::Region}}'}}}}}}"),
            expected,
        );
    };
    check("!Sub 'a-${AWS::Region}'", &[]);
    check("!Join ['', [a, !Sub ['${a}', {a: !Ref 'AWS::Region'}]]]", &[]);
    check("'${aws:username}-${Other}'", &[]);
    // A delimiter is searched for, as it is.
    check("!Join [!Ref 'AWS::Region', !Split ['${AWS::Region}', 'a-${aws:Region}-b']]", &[]);
    check(
        "'arn:aws:s3:::a-${AWS::Region}'",
        &["expression/sub-missing: nothing replaces `${AWS::Region}` here; pass the string to `Fn::Sub`"],
    );
}

/// Checks the errors about a policy in a property of a resource.
#[track_caller]
fn check_policy(type_name: &str, property: &str, policy: &str, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|message| format!("policy/grammar: {message}")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check_whole(&format!("Resources: {{R: {{Type: '{type_name}', Properties: {{{property}: {policy}}}}}}}"), &expected);
}

#[test]
fn policies_of_identities() {
    let identity = |statement: &str, expected: &[&str]| {
        check_policy(
            "AWS::IAM::Policy",
            "PolicyDocument",
            &format!("{{Version: 2012-10-17, Statement: [{statement}]}}"),
            expected,
        );
    };
    identity("{Effect: Allow, Action: 's3:Get*', Resource: '*', Condition: {}, Sid: a}", &[]);
    identity("{Effect: !Ref AWS::Region, Action: !Split [',', a], Resource: [!Sub a, 'arn:aws:s3:::a']}", &[]);
    identity("{'Fn::Transform': {Name: 'AWS::Include'}}", &[]);
    identity("{Effect: Alow, NotAction: ['*'], NotResource: '*'}", &["`Effect` must be `Allow` or `Deny`"]);
    identity(
        "{Effect: Allow, Action: s3, Resource: bucket}",
        &["a resource of a policy must be an ARN or `*`", "an action is written as `service:Name`"],
    );
    identity(
        "{Effect: Allow, Action: 's3:*', Resource: '*', Principal: '*'}",
        &["the policy of an identity has no `Principal`"],
    );
    identity(
        "{Action: 's3:*', NotAction: 's3:Get*', Resources: '*'}",
        &[
            "a statement has no `Resources`, did you mean `Resource`?",
            "a statement must have `Action` or `NotAction`, and not both",
            "a statement must have `Resource` or `NotResource`",
            "a statement must have an `Effect`",
        ],
    );
    let branches = "Conditions: {C: !Equals [a, b]}\nResources: {R: {Type: 'AWS::IAM::Policy', Properties: {PolicyDocument: {Statement: [!If [C, {Effect: Allow, Action: '*', Resource: x}, !Ref 'AWS::NoValue']]}}}}";
    check_whole(branches, &["policy/grammar: a resource of a policy must be an ARN or `*`"]);
}

#[test]
fn statements_may_be_chosen_together() {
    let statement = "{Effect: Allow, Action: 's3:GetObject', Resource: '*'}";
    let statements = format!("{{'Fn::If': [A, [{statement}], [{statement}, {{Effect: Allow}}]]}}");
    check_whole(
        &format!(
            "Conditions: {{A: !Equals [a, b]}}\nResources: {{R: {{Type: 'AWS::IAM::ManagedPolicy', Properties: {{PolicyDocument: {{Statement: {statements}}}}}}}}}"
        ),
        &[
            "policy/grammar: a statement must have `Action` or `NotAction`",
            "policy/grammar: a statement must have `Resource` or `NotResource`",
        ],
    );
}

#[test]
fn policies_of_roles_and_resources() {
    let trust =
        |policy: &str, expected: &[&str]| check_policy("AWS::IAM::Role", "AssumeRolePolicyDocument", policy, expected);
    trust("{Statement: {Effect: Allow, Action: 'sts:AssumeRole', Principal: {Service: ec2.amazonaws.com}}}", &[]);
    trust(
        "{Statement: {Effect: Allow, Action: 'sts:AssumeRole', Principal: {Services: a}, Resource: '*'}}",
        &[
            "a principal has no `Services`, did you mean `Service`?",
            "the policy of a role for those who assume it has no `Resource`",
        ],
    );
    trust("{}", &["a policy must have a `Statement`"]);
    let resource =
        |policy: &str, expected: &[&str]| check_policy("AWS::S3::BucketPolicy", "PolicyDocument", policy, expected);
    resource(
        "{Version: 2012-10-18, Statement: a}",
        &[
            "a statement must be an object, found a value of kind `string`",
            "the version of a policy must be `2012-10-17` or `2008-10-17`",
        ],
    );
    resource(
        "{Statement: [{Effect: Deny, Action: '*', Resource: a, Principal: 'arn:aws:iam::1:root'}]}",
        &["`Principal` must be `*` or an object, such as `AWS: arn:…`"],
    );
    let nested = "[{PolicyName: p, PolicyDocument: {Statement: [{Effect: Allow, Action: 's3:*', Resource: x}]}}]";
    check_policy("AWS::IAM::Role", "Policies", nested, &["a resource of a policy must be an ARN or `*`"]);
    let wrong = "{Statement: [{Effect: allow, Action: '*', Resource: '*', Principal: '*'}]}";
    for domain in ["AWS::Elasticsearch::Domain", "AWS::OpenSearchService::Domain"] {
        check_policy(domain, "AccessPolicies", wrong, &["`Effect` must be `Allow` or `Deny`"]);
    }
}

/// Checks the remarks about a template, apart from errors.
#[track_caller]
fn remarks(template: &str, expected: &[&str]) {
    let expanded = expanded(template);
    let breaches = expanded.expansion.breaches.iter().filter(|breach| breach.is_pedantic);
    let found: Vec<String> = breaches.map(|breach| format!("{}: {}", breach.path, breach.message)).collect();
    assert_eq!(found, expected, "{template}");
}

#[test]
fn what_nothing_uses() {
    let declared =
        "Parameters: {P: {Type: String}}\nConditions: {C: !Equals [!Ref AWS::Region, x]}\nMappings: {M: {a: {b: c}}}";
    let with = |uses: &str| format!("{declared}\nResources: {{T: {{Type: 'AWS::SNS::Topic', {uses}}}}}");
    let all = [
        "Parameters.P: parameter `P` is not used",
        "Conditions.C: condition `C` is not used",
        "Mappings.M: mapping `M` is not used",
    ];
    remarks(&with("DeletionPolicy: Retain"), &all);
    remarks(&with("Condition: C, Properties: {DisplayName: !Sub '${P}', TopicName: !FindInMap [M, a, b]}"), &[]);
    // The name of the mapping is computed, and so may be that of any.
    remarks(&with("Condition: C, Properties: {DisplayName: !FindInMap [!Ref P, a, b]}"), &[]);
    remarks(&with("Properties: {'Fn::Transform': {Name: 'AWS::Include'}}"), &[]);
    remarks(&format!("Transform: My::Macro\n{declared}\n{RESOURCES}"), &[]);
}

#[test]
fn comparisons_that_are_decided() {
    let with = |comparison: &str| {
        let used = "Resources: {T: {Type: 'AWS::SNS::Topic', Condition: C}}";
        format!(
            "Parameters: {{P: {{Type: String}}, Q: {{Type: String}}}}\nConditions: {{C: !Not [{comparison}]}}\n{used}\nOutputs: {{O: {{Value: !Sub '${{P}}${{Q}}'}}}}"
        )
    };
    remarks(&with("!Equals [a, a]"), &["Conditions.C.Fn::Not.Fn::Equals: this comparison is always true"]);
    remarks(&with("!Equals [a, b]"), &["Conditions.C.Fn::Not.Fn::Equals: this comparison is always false"]);
    remarks(&with("!Equals [!Ref P, !Ref P]"), &["Conditions.C.Fn::Not.Fn::Equals: this comparison is always true"]);
    remarks(&with("!Equals [!Ref P, !Ref Q]"), &[]);
}

#[test]
fn attributes_that_a_type_does_not_return() {
    let check = |value: &str, expected: &[&str]| {
        check_whole(&format!("{RESOURCES}Outputs: {{O: {{Value: {value}}}}}"), expected);
    };
    let wrong = "expression/undefined: `AWS::SNS::Topic` has no attribute `TopicNam` for `Fn::GetAtt`, did you mean `TopicName`?";
    check("!GetAtt Topic.TopicName", &[]);
    check("!GetAtt Topic.TopicNam", &if crate::schema::IS_KNOWN { vec![wrong] } else { Vec::new() });
    check("!Sub '${Topic.TopicNam}'", &if crate::schema::IS_KNOWN { vec![wrong] } else { Vec::new() });
}

#[test]
fn dynamic_references() {
    let check = |value: &str, expected: &[&str]| {
        check_whole(&format!("{RESOURCES}Outputs: {{O: {{Value: '{value}'}}}}"), expected);
    };
    check("{{resolve:ssm:/a/b}}", &[]);
    check(
        "{{resolve:ssn:/a/b}}",
        &["expression/syntax: a dynamic reference is to `ssm`, `ssm-secure`, or `secretsmanager`, found `ssn:/a/b`"],
    );
    check("{{resolve:ssm}}", &["expression/syntax: the dynamic reference `ssm` has no name after `ssm`"]);
    check(
        "{{resolve:secretsmanager:a}}",
        &["expression/placement: an output cannot have a dynamic reference to `secretsmanager`, only a resource can"],
    );
}

/// Resources in loops over two items each, one in the other.
fn loops(resource: &str) -> String {
    format!(
        "Transform: AWS::LanguageExtensions\nConditions:\n  Is: !Equals [!Ref 'AWS::Region', us-east-1]\nResources:\n  \
         'Fn::ForEach::Outer':\n    - One\n    - [A, B]\n    - 'Fn::ForEach::Inner':\n        - Two\n        - [C, D]\n        \
         - 'R${{One}}${{Two}}': {resource}\n"
    )
}

#[test]
fn declarations_in_loops() {
    let topic = "Type: 'AWS::SNS::Topic'";
    check_whole(
        &loops(&format!("{{{topic}, Properties: {{TopicName: !Sub '${{One}}-${{Two}}', DisplayName: !Ref One}}}}")),
        &[],
    );
    check_whole(
        &loops(&format!("{{{topic}, Propertis: {{}}}}")),
        &["template/unknown-property: a resource has no `Propertis`, did you mean `Properties`?"],
    );
    check_whole(
        &loops(&format!("{{{topic}, DeletionPolicy: Keep}}")),
        &[
            "template/shape: `DeletionPolicy` must be one of `Delete`, `Retain`, `RetainExceptOnCreate`, `Snapshot`, found `Keep`",
        ],
    );
    check_whole(
        &loops(&format!("{{{topic}, Properties: {{TopicName: !If [Is, !Ref Missing, !Ref Two]}}}}")),
        &["expression/undefined: there is no parameter and no resource `Missing`"],
    );
    check_whole(
        &loops(
            "{Type: 'AWS::IAM::Policy', Properties: {PolicyName: p, PolicyDocument: {Statement: {Effect: Alow, Action: 's3:*', Resource: '*'}}}}",
        ),
        &["policy/grammar: `Effect` must be `Allow` or `Deny`"],
    );
    // A name that a loop computes is refused as if it were written.
    let named = "Transform: AWS::LanguageExtensions\nResources:\n  'Fn::ForEach::L': [N, [a-b], {'${N}': {Type: 'AWS::SNS::Topic'}}]\n";
    check_whole(named, &["template/shape: the name of a resource, `a-b`, must have only letters and digits"]);
}

#[test]
fn calls_in_loops_of_properties() {
    let text = |value: &str| {
        format!(
            "Transform: AWS::LanguageExtensions\nConditions:\n  Is: !Equals [!Ref 'AWS::Region', us-east-1]\nResources:\n  T:\n    \
             Type: AWS::SNS::Topic\n    Properties:\n      'Fn::ForEach::P': [Name, [TopicName], {{'${{Name}}': {value}}}]\n"
        )
    };
    check_whole(&text("!Ref Name"), &[]);
    check_whole(
        &text("!If [Is, !If [a, b], c]"),
        &["expression/arguments: `Fn::If` takes the name of a condition and two values"],
    );
}
