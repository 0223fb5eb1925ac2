//! Tests of the scenarios of templates, and of their assumptions.

use crate::diagnostic::common_checks::EXPRESSION_NOT_DEPLOYED;
use crate::model::{Budget, Limits, Offline};
use crate::syntax::yaml;
use crate::text::Sources;
use crate::value::Value;
use crate::{Expansion, Request, Scenario, expand};

/// Returns the resources that each scenario of a template deploys, after the given one.
#[track_caller]
fn deployed(text: &str, parameters: Option<&str>) -> Vec<Vec<String>> {
    let sources = Sources::new();
    let parse = |name: &str, text: &str| {
        let text = arcstr::ArcStr::from(text);
        let file = sources.add(name, text.clone());
        let parsed = yaml::parse_template(file, &text, 50, &|_| true);
        assert_eq!(parsed.diagnostics, [], "{text}");
        (file, parsed.value.unwrap())
    };
    let (file, template) = parse("main.yaml", text);
    let given = parameters.map(|text| parse("parameters.json", text));
    let given: Vec<(_, &Value)> = given.iter().map(|(file, value)| (*file, value)).collect();
    let limits = Limits::default();
    let budget = Budget::new(&limits);
    let run = |scenario: Option<&Scenario>| -> Expansion {
        expand(&Request {
            file,
            name: "main",
            template: &template,
            parameters: &given,
            overrides: &[],
            raw: false,
            scenario,
            loader: &Offline,
            budget: &budget,
        })
    };
    let first = run(None);
    assert_eq!(first.diagnostics, []);
    let names = |expansion: &Expansion| {
        let document = expansion.document.as_ref().unwrap();
        let resources = document.resources.iter();
        resources
            .map(|resource| {
                format!(
                    "{} {}",
                    resource.name,
                    resource.body.get("Properties").map_or_else(String::new, Value::to_json)
                )
                .trim()
                .to_owned()
            })
            .collect()
    };
    let others = first.scenarios.iter().map(|scenario| names(&run(Some(scenario))));
    std::iter::once(names(&first)).chain(others).collect()
}

const TOPIC: &str = "Type: AWS::SNS::Topic";

#[test]
fn a_condition_that_is_false_holds_in_another_scenario() {
    let text = format!(
        "Parameters:\n  Env: {{Type: String, Default: dev, AllowedValues: [dev, prod]}}\n\
         Conditions:\n  IsProd: !Equals [!Ref Env, prod]\n\
         Resources:\n  A: {{{TOPIC}, Condition: IsProd, Properties: {{TopicName: !Ref Env}}}}\n  B: {{{TOPIC}}}\n"
    );
    let expected: [&[&str]; 2] = [&["B"], &[r#"A {"TopicName":"prod"}"#, "B"]];
    assert_eq!(deployed(&text, None), expected);
    // What a parameter file gives is a fact.
    assert_eq!(deployed(&text, Some(r#"{"Parameters": {"Env": "dev"}}"#)), [["B"]]);
}

#[test]
fn conditions_that_exclude_each_other_have_scenarios_of_their_own() {
    let text = format!(
        "Parameters:\n  Env: {{Type: String, Default: dev, AllowedValues: [dev, test, prod]}}\n  \
         Size: {{Type: String, Default: small}}\n\
         Conditions:\n  IsProd: !Equals [!Ref Env, prod]\n  IsTest: !Equals [!Ref Env, test]\n  \
         Never: !And [!Condition IsProd, !Condition IsTest]\n  Qa: !Equals [!Ref Env, qa]\n  \
         Large: !Not [!Equals [!Ref Size, small]]\n\
         Resources:\n  A: {{{TOPIC}, Condition: IsProd}}\n  B: {{{TOPIC}, Condition: IsTest}}\n  \
         C: {{{TOPIC}, Condition: Never}}\n  D: {{{TOPIC}, Condition: Qa}}\n  E: {{{TOPIC}, Condition: Large}}\n"
    );
    let expected: [&[&str]; 3] = [&[], &["A", "E"], &["B"]];
    assert_eq!(deployed(&text, None), expected);
}

#[test]
fn branches_are_taken_in_another_scenario() {
    let text = format!(
        "Parameters:\n  Key: {{Type: String, Default: ''}}\n  Env: {{Type: String, Default: dev}}\n\
         Conditions:\n  HasKey: !Not [!Equals [!Ref Key, '']]\n  IsProd: !Equals [!Ref Env, prod]\n\
         Resources:\n  A:\n    {TOPIC}\n    Properties:\n      \
         TopicName: !If [HasKey, !If [IsProd, a, b], c]\n"
    );
    let name = |name: &str| vec![format!(r#"A {{"TopicName":"{name}"}}"#)];
    assert_eq!(deployed(&text, None), [name("c"), name("a"), name("b")]);
}

#[test]
fn lists_mappings_and_pseudo_parameters_decide_conditions() {
    let text = format!(
        "Parameters:\n  Subnets: {{Type: CommaDelimitedList, Default: ''}}\n  \
         Env: {{Type: String, Default: dev, AllowedValues: [dev, prod]}}\n\
         Mappings:\n  Envs: {{dev: {{Has: 'no'}}, prod: {{Has: 'yes'}}}}\n\
         Conditions:\n  HasSubnets: !Not [!Equals [!Join ['', !Ref Subnets], '']]\n  \
         HasIt: !Equals [!FindInMap [Envs, !Ref Env, Has], 'yes']\n  InEast: !Equals [!Ref 'AWS::Region', us-east-1]\n\
         Resources:\n  A: {{{TOPIC}, Condition: HasSubnets}}\n  B: {{{TOPIC}, Condition: HasIt}}\n  \
         C: {{{TOPIC}, Properties: {{TopicName: !If [InEast, a, b]}}}}\n"
    );
    let found = deployed(&text, None);
    let expected: [&[&str]; 2] = [&["A", "B", r#"C {"TopicName":"a"}"#], &[r#"C {"TopicName":"b"}"#]];
    assert_eq!(&found[1..], expected);
}

#[test]
fn a_value_that_its_parameter_does_not_allow_is_not_assumed() {
    let text = format!(
        "Parameters:\n  Env: {{Type: String, Default: dev, AllowedPattern: '[a-d]e[a-z]'}}\n\
         Conditions:\n  IsProd: !Equals [!Ref Env, prod]\n\
         Resources:\n  A: {{{TOPIC}, Condition: IsProd}}\n  B: {{{TOPIC}}}\n"
    );
    assert_eq!(deployed(&text, None), [["B"]]);
}

#[test]
fn independent_conditions_share_a_scenario() {
    use std::fmt::Write as _;
    let (mut parameters, mut conditions, mut resources) = (String::new(), String::new(), String::new());
    for at in 0..60 {
        let _ = writeln!(parameters, "  P{at}: {{Type: String, Default: 'no'}}");
        let _ = writeln!(conditions, "  C{at}: !Equals [!Ref P{at}, 'yes']");
        let _ = writeln!(resources, "  R{at}: {{{TOPIC}, Condition: C{at}}}");
    }
    let text = format!("Parameters:\n{parameters}Conditions:\n{conditions}Resources:\n{resources}");
    let sizes: Vec<usize> = deployed(&text, None).iter().map(Vec::len).collect();
    assert_eq!(sizes, [0, 60]);
}

#[test]
fn a_condition_that_no_values_meet_deploys_nothing() {
    let text = format!(
        "Parameters:\n  Env: {{Type: String}}\n\
         Conditions:\n  IsProd: !Equals [!Ref Env, prod]\n  IsTest: !Equals [!Ref Env, test]\n  \
         Both: !And [!Condition IsProd, !Condition IsTest]\n  Any: !Not [!Condition Both]\n\
         Resources:\n  A: {{{TOPIC}, Condition: Both}}\n  B: {{{TOPIC}, Condition: IsProd}}\n  C: {{{TOPIC}, Condition: Any}}\n"
    );
    let expected: [&[&str]; 2] = [&["B", "C"], &["B", "C"]];
    assert_eq!(deployed(&text, None), expected);
}

#[test]
fn more_strings_than_are_told_apart_exclude_nothing() {
    use std::fmt::Write as _;
    let mut conditions = String::new();
    for at in 0..100 {
        let _ = writeln!(conditions, "  C{at}: !Equals [!Ref P, v{at}]");
    }
    let text = format!(
        "Parameters:\n  P: {{Type: String}}\nConditions:\n{conditions}\
         Resources:\n  A: {{{TOPIC}, Condition: C99}}\n  B: {{{TOPIC}, Condition: C0}}\n"
    );
    assert_eq!(deployed(&text, None)[0], ["A", "B"]);
}

#[test]
fn the_condition_of_a_resource_holds_in_it() {
    let text = format!(
        "Parameters:\n  Env: {{Type: String}}\nConditions:\n  IsProd: !Equals [!Ref Env, prod]\n\
         Resources:\n  A: {{{TOPIC}, Condition: IsProd, Properties: {{TopicName: !If [IsProd, a, b]}}}}\n"
    );
    assert_eq!(deployed(&text, None)[0], [r#"A {"TopicName":"a"}"#]);
}

#[test]
fn loops_are_entered() {
    let text = format!(
        "Transform: AWS::LanguageExtensions\nParameters:\n  Env: {{Type: String, Default: c}}\n\
         Conditions:\n  'Fn::ForEach::C': [X, [a, b], {{'Is${{X}}': !Equals [!Ref Env, !Ref X]}}]\n\
         Resources:\n  'Fn::ForEach::R': [X, [a, b], {{'R${{X}}': {{{TOPIC}, Condition: 'Is${{X}}'}}}}]\n  \
         S:\n    {TOPIC}\n    Properties:\n      'Fn::ForEach::P': [Y, [TopicName], {{'${{Y}}': !If [Isa, d, e]}}]\n"
    );
    let expected: [&[&str]; 3] =
        [&[r#"S {"TopicName":"e"}"#], &["Ra", r#"S {"TopicName":"d"}"#], &["Rb", r#"S {"TopicName":"e"}"#]];
    assert_eq!(deployed(&text, None), expected);
}

/// Returns the reads of resources that are not deployed: the severity, and the text that is reported.
#[track_caller]
fn reads(text: &str, parameters: Option<&str>) -> Vec<String> {
    let sources = Sources::new();
    let parse = |name: &str, text: &str| {
        let text = arcstr::ArcStr::from(text);
        let file = sources.add(name, text.clone());
        let parsed = yaml::parse_template(file, &text, 50, &|_| true);
        assert_eq!(parsed.diagnostics, [], "{text}");
        (file, parsed.value.unwrap())
    };
    let (file, template) = parse("main.yaml", text);
    let given = parameters.map(|text| parse("parameters.json", text));
    let given: Vec<(_, &Value)> = given.iter().map(|(file, value)| (*file, value)).collect();
    let limits = Limits::default();
    let expansion = expand(&Request {
        file,
        name: "main",
        template: &template,
        parameters: &given,
        overrides: &[],
        raw: false,
        scenario: None,
        loader: &Offline,
        budget: &Budget::new(&limits),
    });
    assert_eq!(expansion.diagnostics, [], "{text}");
    let reads = expansion.breaches.iter().filter(|breach| breach.check == EXPRESSION_NOT_DEPLOYED);
    reads
        .map(|breach| {
            let written = text.get(breach.span.start as usize..breach.span.end as usize).unwrap();
            format!("{:?} {} {written}", breach.severity.unwrap(), breach.path)
        })
        .collect()
}

/// Returns a template with a queue `Q` under `Prod`, and a topic `T`.
fn template(conditions: &str, condition: &str, name: &str) -> String {
    format!(
        "Parameters:\n  Env: {{Type: String, AllowedValues: [dev, test, prod]}}\n\
         Conditions:\n  Prod: !Equals [!Ref Env, prod]\n{conditions}\
         Resources:\n  Q: {{Type: AWS::SQS::Queue, Condition: Prod}}\n  \
         T: {{{TOPIC}{condition}, Properties: {{DisplayName: {name}}}}}\n"
    )
}

#[test]
fn a_read_of_a_resource_that_may_not_be_deployed_is_reported() {
    let name = "Medium Resources.T.Properties.DisplayName";
    let wrong = reads(&template("", "", "!If [Prod, x, !Ref Q]"), None);
    assert_eq!(wrong, ["High Resources.T.Properties.DisplayName.Fn::If[2].Ref Q"]);
    for (written, path, text) in [
        ("!GetAtt Q.QueueName", ".Fn::GetAtt[0]", "Q.QueueName"),
        ("{'Fn::GetAtt': [Q, Arn]}", ".Fn::GetAtt", "[Q, Arn]"),
        ("!Ref Q", ".Ref", "Q"),
        ("!Sub 'x-${Q.Arn}-${Q}'", ".Fn::Sub", "'x-${Q.Arn}-${Q}'"),
    ] {
        assert_eq!(reads(&template("", "", written), None), [format!("{name}{path} {text}")], "{written}");
    }
    let depends = template("", ", DependsOn: Q", "x");
    assert_eq!(reads(&depends, None), ["Medium Resources.T.DependsOn Q"]);
    let output =
        template("", "", "x") + "Outputs:\n  O: {Value: !GetAtt Q.Arn}\n  P: {Value: !Ref Q, Condition: Prod}\n";
    assert_eq!(reads(&output, None), ["Medium Outputs.O.Value.Fn::GetAtt[0] Q.Arn"]);
}

#[test]
fn a_guarded_read_is_not_reported() {
    for written in [
        "!If [Prod, !GetAtt Q.Arn, x]",
        "!If [Big, !Ref Q, x]",
        "!If [NotProd, x, !Ref Q]",
        "!Sub ['${Q}', {Q: x}]",
        "!If [Prod, !If [Prod, !Ref Q, !GetAtt Q.Arn], x]",
        "!If [Never, !Ref Q, x]",
    ] {
        let conditions = "  NotProd: !Not [!Condition Prod]\n  Test: !Equals [test, !Ref Env]\n  \
             Big: !And [!Condition Prod, !Equals [!Ref 'AWS::Region', us-east-1]]\n  \
             Never: !And [!Condition Prod, !Condition Test]\n";
        assert_eq!(reads(&template(conditions, "", written), None), [""; 0], "{written}");
    }
    let implied = "  NotDev: !Not [!Or [!Equals [!Ref Env, dev], !Equals [!Ref Env, test]]]\n";
    assert_eq!(reads(&template(implied, ", Condition: NotDev", "!Ref Q"), None), [""; 0]);
}

#[test]
fn a_read_that_fails_for_certain_is_high() {
    let dev = "  Dev: !Not [!Condition Prod]\n";
    let never = template(dev, ", Condition: Dev", "!GetAtt Q.QueueName");
    let high = ["High Resources.T.Properties.DisplayName.Fn::GetAtt[0] Q.QueueName"];
    assert_eq!(reads(&never, None), high);
    assert_eq!(reads(&never, Some(r#"{"Parameters": {"Env": "prod"}}"#)), high);
    let some = template("", "", "!GetAtt Q.QueueName");
    let medium = ["Medium Resources.T.Properties.DisplayName.Fn::GetAtt[0] Q.QueueName"];
    assert_eq!(reads(&some, None), medium);
    assert_eq!(reads(&some, Some(r#"{"Parameters": {"Env": "prod"}}"#)), medium);
    assert_eq!(reads(&some, Some(r#"{"Parameters": {"Env": "dev"}}"#)), high);
    assert_eq!(reads(&some.replace("AllowedValues", "Default: dev, AllowedValues"), None), high);
}

#[test]
fn values_that_a_template_excludes_are_not_assumed() {
    let read = template("  Other: !Equals [!Ref Env, test]\n", ", Condition: Other", "!Ref Q");
    let rule = |assertion: &str| format!("{read}Rules:\n  R: {{Assertions: [{{Assert: {assertion}}}]}}\n");
    let found = "High Resources.T.Properties.DisplayName.Ref Q";
    assert_eq!(reads(&read, None), [found]);
    assert_eq!(reads(&rule("{'Fn::Contains': [[dev, prod], !Ref Env]}"), None), [""; 0]);
    assert_eq!(reads(&rule("{'Fn::Contains': [[test, prod], !Ref Env]}"), None), [found]);
    assert_eq!(reads(&rule("{'Fn::EachMemberIn': [[!Ref Env], [prod]]}"), None), [""; 0]);
    assert_eq!(reads(&rule("!Equals [!Ref 'AWS::Region', us-east-1]"), None), [found]);
    let pattern = |condition: &str| {
        read.replace("AllowedValues: [dev, test, prod]", "AllowedPattern: '^(test|prod)$'")
            .replace("Condition: Other", condition)
    };
    assert_eq!(reads(&pattern("DependsOn: []"), None), [found.replace("High", "Medium")]);
    let not_test = "  Other: !Not [!Equals [!Ref Env, test]]\n";
    assert_eq!(
        reads(&pattern("Condition: Other").replace("  Other: !Equals [!Ref Env, test]\n", not_test), None),
        [""; 0]
    );
}

#[test]
fn operands_that_depend_on_each_other_are_not_told_apart() {
    let conditions = "  Same: !Equals [!Ref A, !Ref B]\n  Also: !Equals [!Ref B, !Ref A]\n  \
         Joined: !Equals [!Join ['', [!Ref A, x]], !Sub '${B}x']\n";
    let text = |of: &str, reader: &str| {
        format!(
            "Parameters:\n  A: {{Type: String}}\n  B: {{Type: String}}\nConditions:\n{conditions}\
             Resources:\n  Q: {{Type: AWS::SQS::Queue, Condition: {of}}}\n  \
             T: {{{TOPIC}, Condition: {reader}, Properties: {{DisplayName: !Ref Q}}}}\n"
        )
    };
    assert_eq!(reads(&text("Same", "Also"), None), [""; 0]);
    assert_eq!(reads(&text("Same", "Joined"), None), [""; 0]);
    let alone = text("Same", "Joined").replace(", Condition: Joined", "");
    assert_eq!(reads(&alone, None), ["Medium Resources.T.Properties.DisplayName.Ref Q"]);
}

#[test]
fn loops_are_entered_for_reads() {
    let text = format!(
        "Transform: AWS::LanguageExtensions\nParameters:\n  Env: {{Type: String, Default: c}}\n\
         Conditions:\n  'Fn::ForEach::C': [X, [a, b], {{'Is${{X}}': !Equals [!Ref Env, !Ref X]}}]\n\
         Resources:\n  'Fn::ForEach::R': [X, [a, b], {{'R${{X}}': {{{TOPIC}, Condition: 'Is${{X}}'}}}}]\n  \
         S: {{{TOPIC}, Condition: Isa, Properties: {{TopicName: !Ref Ra, DisplayName: !Ref Rb}}}}\n"
    );
    assert_eq!(reads(&text, None), ["High Resources.S.Properties.DisplayName.Ref Rb"]);
}
