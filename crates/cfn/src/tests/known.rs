//! Tests of the certain parts of unknown values, of computed names, and of spans.

use super::*;

/// Checks the certain parts of an unknown string, as `start…end`, with a `+` if an ID is between them.
#[track_caller]
fn check_ends(value: &str, expected: &str) {
    let found = expanded(&with_value(value)).property().expect("the property is there");
    let ends = found.as_unknown().unwrap_or_else(|| panic!("{value} is known")).ends.clone().unwrap_or_default();
    let filled = if ends.is_filled { "+" } else { "" };
    assert_eq!(format!("{}…{filled}{}", ends.start, ends.end), expected, "{value}");
}

#[test]
fn the_ends_of_a_string_are_certain() {
    check_ends("!Sub 'arn:${AWS::Partition}:iam::aws:policy/Admin'", "arn:…+:iam::aws:policy/Admin");
    check_ends("!Sub '${Topic}-${Size}'", "…+-20");
    check_ends("!Join [/, [a, !Ref Open, b, !Ref Topic]]", "a/…");
    check_ends("!Sub ['${A}/x', {A: !Sub 'y/${AWS::Region}/z'}]", "y/…+/z/x");
    check_ends("!GetAtt Topic.TopicArn", "…+");
    check_ends("!Ref Open", "…");
}

#[test]
fn dynamic_references_are_unknown_and_perhaps_secret() {
    let why = "only a deployment resolves `{{resolve:ssm:/a:1}}`";
    check_unknown("'x-{{resolve:ssm:/a:1}}-y'", why, r#""x-{{resolve:ssm:/a:1}}-y""#);
    check_ends("'x-{{resolve:ssm:/a:1}}-y'", "x-…-y");
    check_ends("!Sub 'x-{{resolve:ssm:${Open}}}-y'", "x-…-y");
    check_unknown("!Select [1, !Split ['-', 'x-{{resolve:ssm:/a:1}}']]", why, r#""{{resolve:ssm:/a:1}}""#);
    let is_secret = |value: &str| {
        let found = expanded(&with_value(value)).property();
        found.is_some_and(|found| found.traits.has(Traits::SECRET) && found.traits.has(Traits::UNKNOWN))
    };
    assert!(is_secret("'{{resolve:secretsmanager:${Open}:SecretString:p}}'"));
    assert!(is_secret("[{a: !Sub '{{resolve:ssm:x}}{{resolve:ssm-secure:${Open}}}'}]"));
    assert!(!is_secret("'{{resolve:ssm:x}}'"));
}

#[test]
fn names_may_be_computed_with_language_extensions() {
    let text = with_value("!Ref {'Fn::Join': ['', [Si, ze]]}");
    let problems = expanded(&text).problems();
    assert!(problems[0].ends_with("`Ref` takes the name of a parameter or a resource"), "{problems:?}");
    let extended = expanded(&format!("Transform: AWS::LanguageExtensions\n{text}"));
    assert_eq!(extended.problems(), [""; 0]);
    assert_eq!(extended.property().and_then(|value| value.as_int()), Some(20));
}

#[test]
fn a_module_has_resources_that_are_not_seen() {
    let text = "Resources:\n  Mod: {Type: 'My::Org::Thing::MODULE'}\n  R: {Type: 'A::B::C', Properties: {a: !Ref Mod.Inner, \
                b: !GetAtt ModInner.Arn, c: !Sub '${Mod.Inner.Arn}', d: !Ref Mode}}\n";
    let problems = expanded(text).problems();
    let unseen =
        "2:3 note template/remote: CloudFormation replaces this by the resources of a module; they are not checked";
    let undefined =
        "3:117 error expression/undefined: there is no parameter and no resource `Mode`, did you mean `Mod`?";
    assert_eq!(problems, [unseen, undefined]);
}

#[test]
fn spans_have_whole_characters() {
    let texts = [
        "ä: 1\n",
        "Resources:\n  ü: ñ\n  é: {Type: {ö: 1}}\n",
        "é: 1\nResources:\n  ü:\n    Typé: ñ\n  ö: {Type: 'A::B::C', DependsOn: ü, Condition: ç, Properties: {P: !Sub '${é}'}}\n",
        "Resources:\n  Fn::ForEach::é: ü\n  A: {Type: 'A::B::C', Properties: {é: !GetAtt é, ü: {'Fn::Jöin': é}}}\n",
    ];
    for text in texts {
        let expanded = expanded(text);
        assert!(!expanded.expansion.diagnostics.is_empty(), "{text}");
        for problem in &expanded.expansion.diagnostics {
            let span = problem.primary.span;
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{}: {text}", problem.message);
        }
    }
}

#[test]
fn secrets_that_a_template_shows_are_reported_in_all_branches() {
    let text = "Parameters:\n  Open: {Type: String}\n  Own: {Type: String, NoEcho: true, Default: x}\n  \
                Stored: {Type: 'AWS::SSM::Parameter::Value<String>'}\n\
                Conditions: {Never: !Equals [a, b]}\n\
                Resources:\n  A:\n    Type: AWS::RDS::DBInstance\n    Condition: Never\n    Properties:\n      \
                MasterUserPassword: !If [Never, plain, !Ref Open]\n  \
                B:\n    Type: AWS::RDS::DBCluster\n    Properties: {MasterUserPassword: !Ref Own}\n  \
                C:\n    Type: AWS::RDS::DBCluster\n    Properties: {MasterUserPassword: !Ref Stored}\n  \
                D:\n    Type: AWS::RDS::DBCluster\n    Properties: {MasterUserPassword: '{{resolve:secretsmanager:a}}'}\n  \
                E:\n    Type: AWS::AmazonMQ::Broker\n    Properties: {Users: [{Password: !Sub plain}, {Password: ''}]}\n  \
                F:\n    Type: AWS::Lambda::Function\n    Properties: {Environment: {Variables: {X: !Sub '${Own}-'}}}\n  \
                G:\n    Type: AWS::EC2::Instance\n    Metadata: {X: !Ref Own}\n    Properties: {UserData: !Base64 a}\n\
                Outputs:\n  O: {Value: !Join ['', [!Ref Own, !Ref Open]]}\n";
    let line = |breach: &Breach| format!("{} {}", breach.check.id(), breach.message);
    let found: Vec<String> =
        expanded(text).expansion.breaches.iter().filter(|breach| !breach.is_pedantic).map(line).collect();
    assert_eq!(
        found,
        [
            "secret/default the secret parameter `Own` has a default value",
            "secret/property `MasterUserPassword` of `AWS::RDS::DBInstance` is written in the template",
            "secret/parameter-type parameter `Open` sets `MasterUserPassword` of `AWS::RDS::DBInstance`, but has no `NoEcho: true`",
            "secret/property `Password` of `AWS::AmazonMQ::Broker` is written in the template",
            "secret/exposed the environment of `F` contains the secret parameter `Own`",
            "secret/exposed the metadata of `G` contains the secret parameter `Own`",
            "secret/output output `O` contains the secret parameter `Own`",
        ]
    );
}

#[test]
fn a_parameter_that_looks_like_a_password_hides_it() {
    let check = |name: &str, declared: &str, value: &str, is_reported: bool| {
        let text = format!(
            "Parameters: {{{name}: {{Type: {declared}}}}}\nResources: {{R: {{Type: 'A::B::C', Properties: {{P: {value}}}}}}}"
        );
        let message = format!("parameter `{name}` looks like a secret, but has no `NoEcho: true`");
        let breaches = expanded(&text).expansion.breaches;
        let found: Vec<&str> = breaches.iter().map(|breach| &*breach.message).collect();
        assert_eq!(found, if is_reported { vec![&*message] } else { vec![] }, "{text}");
    };
    for name in ["Password", "DBPassword", "MasterUserPassword1", "dbPwd"] {
        check(name, "String", &format!("!Ref {name}"), true);
    }
    check("Password", "String, NoEcho: false, Default: a", "!Ref Password", true);
    for name in ["PasswordLength", "UsePassword", "PasswordResetLambda", "ClientSecret", "PasswordParameterName"] {
        check(name, "String", &format!("!Ref {name}"), false);
    }
    for declared in [
        "String, NoEcho: true",
        "Number",
        "'AWS::SSM::Parameter::Value<String>'",
        "String, AllowedValues: [a, b]",
        "String, Default: true",
        "String, Default: 'false'",
        "String, Default: /prod/db/password",
        "String, Default: '{{resolve:ssm-secure:/a}}'",
        "String, Description: The name of the secret",
    ] {
        check("Password", declared, "!Ref Password", false);
    }
    check("Password", "String", "!Sub '{{resolve:ssm-secure:${Password}:1}}'", false);
    check("Password", "String", "!Join [':', ['{{resolve:ssm-secure', !Ref Password, '1}}']]", false);
}
