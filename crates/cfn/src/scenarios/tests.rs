//! Tests of the scenarios of templates, and of their assumptions.

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
