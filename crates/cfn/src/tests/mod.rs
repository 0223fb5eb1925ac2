//! Templates, and the documents and diagnostics that their expansion returns.

#![expect(clippy::string_slice, reason = "a test should panic on a wrong span")]

mod known;
mod macros;
mod sam;
mod shared;
mod stacks;

use std::fmt::Write as _;

use arcstr::ArcStr;

use super::*;
use crate::diagnostic::common_checks::PARAMETER_CONSTRAINT;
use crate::diagnostic::{Diagnostic, Level};
use crate::model::{Certainty, Guess, Limits, LinkProblem, Linked, Located, Offline, Presence, Resource, Walk};
use crate::syntax::yaml;
use crate::text::Sources;
use crate::value::{Kind, Traits};

/// An expanded template with its source files.
pub(super) struct Expanded {
    sources: Sources,
    pub(super) expansion: Expansion,
}

fn expand_with(text: &str, given: &[(&str, &str)], limits: &Limits, loader: &dyn Loader, raw: bool) -> Expanded {
    let sources = Sources::new();
    let file = sources.add("main.yaml", text);
    let parsed = yaml::parse_template(file, sources.get(file).text(), limits.nesting, &|_| true);
    let template = parsed.value.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let overrides: Vec<(Str, Value)> = given.iter().map(|&(name, value)| (name.into(), Value::from(value))).collect();
    let request = Request {
        file,
        name: "main",
        template: &template,
        parameters: &[],
        overrides: &overrides,
        raw,
        scenario: None,
        loader,
        budget: &Budget::new(limits),
    };
    Expanded { expansion: expand(&request), sources }
}

pub(super) fn expanded(text: &str) -> Expanded {
    expand_with(text, &[], &Limits::default(), &Offline, false)
}

impl Expanded {
    fn resources(&self) -> &[Resource] {
        &self.expansion.document.as_ref().expect("there is a document").resources
    }

    /// The diagnostics as `line:column level code: message`.
    pub(super) fn problems(&self) -> Vec<String> {
        let shown = |problem: &Diagnostic| {
            let (at, _) = self.sources.range(problem.primary.span);
            let (level, code) = (problem.level.as_str(), problem.code.as_str());
            format!("{}:{} {level} {code}: {}", at.line, at.column, problem.message)
        };
        self.expansion.diagnostics.iter().map(shown).collect()
    }

    /// The property `P` of the only resource.
    fn property(&self) -> Option<Value> {
        self.resources().first()?.body.get("Properties")?.get("P").cloned()
    }
}

/// A template with this value in it, under declarations that tests need.
fn with_value(value: &str) -> String {
    format!(
        "Parameters:\n  Size: {{Type: Number, Default: 20}}\n  Zones: {{Type: CommaDelimitedList, Default: 'a, b,c'}}\n  \
         Open: {{Type: String}}\n  Key: {{Type: 'AWS::SSM::Parameter::Value<String>', Default: /x}}\n  \
         Secret: {{Type: String, NoEcho: yes, Default: hunter2}}\n\
         Mappings:\n  Map: {{eu: {{ami: ami-1, list: [x, y]}}}}\n\
         Conditions:\n  Big: !Equals [!Ref Size, '20']\n  Small: !Not [!Condition Big]\n  \
         Maybe: !Equals [!Ref Open, x]\n  \
         Never: !And [!Condition Maybe, !Condition Small]\n  Always: !Or [!Condition Maybe, !Condition Big]\n\
         Resources:\n  Subject:\n    Type: AWS::SNS::Topic\n    Properties:\n      P: {value}\n  Topic: {{Type: 'AWS::SNS::Topic'}}\n"
    )
}

/// The JSON of a value, with unknowns in it as their approximation, or `nothing`.
#[track_caller]
fn check(value: &str, expected: &str) {
    let expanded = expanded(&with_value(value));
    assert_eq!(expanded.problems(), [""; 0], "{value}");
    let found = expanded.property();
    assert!(found.as_ref().is_none_or(|value| !value.traits.has(Traits::UNKNOWN)), "{value} is unknown: {found:?}");
    assert_eq!(found.map_or_else(|| "nothing".to_owned(), |value| value.to_json()), expected, "{value}");
}

/// Checks the reason for which a value is unknown, and its approximation.
#[track_caller]
fn check_unknown(value: &str, why: &str, approximation: &str) {
    let expanded = expanded(&with_value(value));
    assert_eq!(expanded.problems(), [""; 0], "{value}");
    let found = expanded.property().expect("the property is there");
    let unknown = found.as_unknown().unwrap_or_else(|| panic!("{value} is known: {}", found.to_json()));
    assert_eq!((&*unknown.why, &*unknown.approximation.to_json()), (why, approximation), "{value}");
}

/// The only problem of a value.
#[track_caller]
fn fails(value: &str, problem: &str) {
    let problems = expanded(&with_value(value)).problems();
    assert_eq!(problems.len(), 1, "{value}: {problems:?}");
    assert!(problems[0].ends_with(problem), "{value}: {}", problems[0]);
}

/// Checks the property `P` of a template with the language extensions.
#[track_caller]
fn check_extended(value: &str, expected: &str) {
    let expanded = expanded(&format!("Transform: AWS::LanguageExtensions\n{}", with_value(value)));
    assert_eq!(expanded.problems(), [""; 0], "{value}");
    assert_eq!(expanded.property().map(|value| value.to_json()).as_deref(), Some(expected), "{value}");
}

#[test]
fn parameters_have_their_default() {
    check("!Ref Size", "20");
    check("!Ref Zones", r#"["a","b","c"]"#);
    check_unknown("!Ref Open", "parameter `Open` has no value", r#""${Open}""#);
    check_unknown("!Ref Key", "only a deployment looks up parameter `Key` in the Parameter Store", r#""${Key}""#);
}

#[test]
fn what_is_given_wins_over_the_default() {
    let text = with_value("!Sub '${Size} ${AWS::Region} ${AWS::URLSuffix}'");
    let given = [("Size", "9"), ("AWS::Region", "cn-north-1")];
    let expanded = expand_with(&text, &given, &Limits::default(), &Offline, false);
    assert_eq!(expanded.property().map(|value| value.to_json()).as_deref(), Some(r#""9 cn-north-1 amazonaws.com.cn""#));
}

#[test]
fn secrets_stay_secret_in_what_is_made_of_them() {
    for value in [
        "!Ref Secret",
        "!Sub 'x${Secret}'",
        "!Join ['', [a, !Ref Secret]]",
        "!Base64 {Ref: Secret}",
        "!Select [0, !Split [u, !Ref Secret]]",
    ] {
        check(value, r#""{{Secret}}""#);
    }
    let expanded = expanded(&with_value("x"));
    let template = &expanded.expansion.document.as_ref().unwrap().deployments[0].template;
    assert!(!template.to_json().contains("hunter2"));
}

#[test]
fn texts_are_put_together() {
    check("!Sub 'a-${Size}-${!Literal}$'", r#""a-20-${Literal}$""#);
    check("!Sub ['${A}${Size}', {A: !Ref Size}]", r#""2020""#);
    check("!Join ['-', [a, 1, true]]", r#""a-1-true""#);
    check("!Join [',', !Ref Zones]", r#""a,b,c""#);
    check("!Base64 héllo", r#""aMOpbGxv""#);
    check_extended("{Fn::ToJsonString: {a: [1, !Ref Size]}}", r#""{\"a\":[1,20]}""#);
    check_unknown(
        "!Sub 'arn:${AWS::Partition}:s3:::${Topic}'",
        "only a deployment knows `AWS::Partition`",
        r#""arn:${AWS::Partition}:s3:::${Topic}""#,
    );
    check_unknown(
        "!Join ['/', [a, !GetAtt Topic.TopicName]]",
        "only a deployment knows `TopicName` of `Topic`",
        r#""a/${Topic.TopicName}""#,
    );
}

#[test]
fn lists_are_taken_apart() {
    check("!Select [1, !Ref Zones]", r#""b""#);
    check("!Select ['2', [a, b, c]]", r#""c""#);
    check("!Split ['.', a.b.c]", r#"["a","b","c"]"#);
    check_extended("{Fn::Length: !Ref Zones}", "3");
    fails(
        "{Fn::Length: !Ref Zones}",
        "error template/shape: `Fn::Length` needs the transform `AWS::LanguageExtensions`",
    );
    fails("!Select [x, !Ref Zones]", "error expression/arguments: `Fn::Select` takes a list of an index and a list");
    check("!Cidr [10.0.0.0/24, 2, 5]", r#"["10.0.0.0/27","10.0.0.32/27"]"#);
    check_unknown("!Select [0, !GetAZs '']", "only a deployment knows the availability zones of an account", "{}");
    fails("!Select [3, !Ref Zones]", "error expression/failed: `Fn::Select` selects item 3 of a list of 3");
}

#[test]
fn mappings_are_looked_up() {
    check("!FindInMap [Map, eu, ami]", r#""ami-1""#);
    check("!Select [1, !FindInMap [Map, eu, list]]", r#""y""#);
    let with_default = with_value("!FindInMap [Map, us, ami, {DefaultValue: d}]");
    let found = expanded(&format!("Transform: AWS::LanguageExtensions\n{with_default}")).property();
    assert_eq!(found.and_then(|value| value.as_str().map(str::to_owned)), Some("d".to_owned()));
    check_unknown("!FindInMap [Map, !Ref 'AWS::Region', ami]", "only a deployment knows `AWS::Region`", "{}");
    fails("!FindInMap [Map, us, ami]", "error expression/undefined: there is no `ami` under `us` in a mapping `Map`");
}

#[test]
fn conditions_choose_and_take_away() {
    check("!If [Big, a, b]", r#""a""#);
    check("!If [Small, a, !Ref Size]", "20");
    check("!If [Small, a, !Ref 'AWS::NoValue']", "nothing");
    check("[a, !If [Big, !Ref 'AWS::NoValue', b]]", r#"["a"]"#);
    check("!If [Maybe, a, a]", r#""a""#);
    check("!If [Never, a, b]", r#""b""#);
    check("!If [Always, a, b]", r#""a""#);
    check_unknown("!If [Maybe, a, b]", "parameter `Open` has no value", r#""a""#);
}

#[test]
fn what_only_a_deployment_knows_is_unknown() {
    check_unknown("!Ref Topic", "only a deployment knows the ID of `Topic`", r#""${Topic}""#);
    check_unknown("!GetAtt Topic.TopicArn", "only a deployment knows `TopicArn` of `Topic`", r#""${Topic.TopicArn}""#);
    check_unknown("!ImportValue x", "only a deployment knows what another stack exports", r#""""#);
    check_unknown("!Rain::Embed x.txt", "another tool inserts this before a deployment", "{}");
}

#[test]
fn other_objects_stay_as_they_are() {
    check("{Condition: {StringEquals: {a: b}}}", r#"{"Condition":{"StringEquals":{"a":"b"}}}"#);
    check("{Ref: a, Other: b}", r#"{"Ref":"a","Other":"b"}"#);
    check("'{{resolve ssm:x}}'", r#""{{resolve ssm:x}}""#);
}

#[test]
fn names_that_are_nothing_are_pointed_at() {
    fails(
        "!Ref Sise",
        "19:15 error expression/undefined: there is no parameter and no resource `Sise`, did you mean `Size`?",
    );
    fails("!GetAtt Topics.Arn", "error expression/undefined: there is no resource `Topics`, did you mean `Topic`?");
    fails("!Sub '${Nothing}'", "error expression/undefined: there is no parameter and no resource `Nothing`");
    fails("!If [Bigg, a, b]", "error expression/undefined: there is no condition `Bigg`, did you mean `Big`?");
    fails(
        "!Jion [a, b]",
        "error expression/unknown-function: there is no function `Fn::Jion`, did you mean `Fn::Join`?",
    );
    fails("!Join [a]", "error expression/arguments: `Fn::Join` takes a list of a delimiter and a list of strings");
}

#[test]
fn resources_have_the_path_and_the_order_of_the_text() {
    let expanded = expanded(
        "Resources:\n  B: {Type: 'AWS::B::B', DependsOn: A}\n  A: {Type: 'AWS::A::A', DeletionPolicy: Retain}\n  \
         'x.y': {Type: 'AWS::A::A', Properties: {r: !GetAtt B.c}}\n",
    );
    let shown: Vec<String> = expanded
        .resources()
        .iter()
        .map(|resource| format!("{} {} {:?}", resource.path, resource.type_name, resource.depends_on))
        .collect();
    assert_eq!(
        shown,
        [
            "Resources.B AWS::B::B [ResourceId(1)]",
            "Resources.A AWS::A::A []",
            "Resources['x.y'] AWS::A::A [ResourceId(0)]"
        ]
    );
    assert_eq!(expanded.resources()[1].body.to_json(), r#"{"Type":"AWS::A::A","DeletionPolicy":"Retain"}"#);
}

#[test]
fn a_resource_whose_condition_is_false_is_not_there() {
    let declarations = with_value("x");
    let text = declarations.replace("  Subject:\n", "  Off: {Type: 'A::B::C', Condition: Small}\n  On: {Type: 'A::B::C', Condition: Big}\n  Perhaps: {Type: 'A::B::C', Condition: Maybe}\n  Subject:\n");
    let expanded = expanded(&text);
    let names: Vec<(&str, bool)> = expanded
        .resources()
        .iter()
        .map(|resource| (&*resource.name, matches!(resource.presence, Presence::Maybe(_))))
        .collect();
    assert_eq!(names, [("On", false), ("Perhaps", true), ("Subject", false), ("Topic", false)]);
}

#[test]
fn a_loop_declares_a_resource_for_each_value() {
    let expanded = expanded(
        "Transform: AWS::LanguageExtensions\nParameters:\n  Names: {Type: CommaDelimitedList, Default: 'a.1,b'}\n\
         Resources:\n  Fn::ForEach::Topics:\n    - Name\n    - !Ref Names\n    - Topic&{Name}:\n        Type: AWS::SNS::Topic\n        \
         Properties:\n          TopicName: !Ref Name\n          Label: is ${Name}\n          \
         Fn::ForEach::Inner:\n            - X\n            - [p, q]\n            - K${X}: !Sub '${X}-${Name}'\n          Other: !GetAtt Queue.Arn\n  Queue: {Type: 'AWS::SQS::Queue'}\n",
    );
    assert_eq!(expanded.problems(), [""; 0]);
    let shown: Vec<String> = expanded
        .resources()
        .iter()
        .map(|resource| format!("{} {}", resource.name, resource.body.approximate().to_json()))
        .collect();
    assert_eq!(
        shown,
        [
            r#"Topica1 {"Type":"AWS::SNS::Topic","Properties":{"TopicName":"a.1","Label":"is a.1","Kp":"p-a.1","Kq":"q-a.1","Other":"${Queue.Arn}"}}"#,
            r#"Topicb {"Type":"AWS::SNS::Topic","Properties":{"TopicName":"b","Label":"is b","Kp":"p-b","Kq":"q-b","Other":"${Queue.Arn}"}}"#,
            r#"Queue {"Type":"AWS::SQS::Queue"}"#,
        ]
    );
    assert_eq!(expanded.resources()[1].path, "Resources.Fn::ForEach::Topics[2].Topic&{Name}");
}

#[test]
fn a_loop_over_something_unknown_may_declare_a_resource() {
    let expanded = expanded(
        "Transform: [AWS::LanguageExtensions]\nParameters: {Names: {Type: CommaDelimitedList}}\nResources:\n  Fn::ForEach::T: [N, !Ref Names, {'T${N}': {Type: 'A::B::C'}}]\n",
    );
    assert!(matches!(expanded.resources()[0].presence, Presence::Maybe(_)));
    assert_eq!(&*expanded.resources()[0].name, "T${N}");
}

#[test]
fn a_loop_that_nothing_unrolls_is_no_resource() {
    for transform in ["", "Transform: My::Macro\n"] {
        let text = "Resources:\n  Fn::ForEach::T: [N, [a, b], {'T${N}': {Type: 'A::B::C'}}]\n  R: {Type: 'A::B::C'}\n";
        let expanded = expanded(&format!("{transform}{text}"));
        assert_eq!(expanded.resources().iter().map(|resource| &*resource.name).collect::<Vec<_>>(), ["R"]);
        let problems: Vec<_> =
            expanded.expansion.diagnostics.iter().map(|problem| (problem.level, problem.code.as_str())).collect();
        let said: &[_] = match transform {
            "" => &[(Level::Error, "template/shape")],
            _ => &[(Level::Warning, "template/shape"), (Level::Note, "template/macro")],
        };
        assert_eq!(problems, said, "{transform}");
    }
}

#[test]
fn outputs_are_evaluated() {
    let text = format!("{}Outputs:\n  A: {{Value: !Ref Size}}\n  B: {{Condition: Small, Value: x}}\n", with_value("x"));
    let document = expanded(&text).expansion.document.unwrap();
    assert_eq!(document.deployments[0].outputs.to_json(), r#"{"A":{"type":"int","value":20}}"#);
}

#[test]
fn values_tell_where_they_come_from() {
    let text = with_value("!Sub 'x${Size}'");
    let expanded = expanded(&text);
    let value = expanded.property().unwrap();
    let slice = |span: Option<Span>| span.map(|span| &text[span.start as usize..span.end as usize]);
    assert_eq!(slice(value.span), Some("!Sub 'x${Size}'"));
    let via = value.via.unwrap();
    assert_eq!((via.step.describe().as_str(), slice(via.span)), ("the default of parameter `Size`", Some("20")));
}

#[test]
fn raw_values_are_those_of_the_text() {
    let text = "Conditions: {Small: !Equals [a, b]}\nResources:\n  T:\n    Type: A::B::C\n    Condition: Small\n    Properties: {P: !GetAtt A.B, Q: !If [Small, 1, 2]}\n";
    let expanded = expand_with(text, &[], &Limits::default(), &Offline, true);
    assert_eq!(expanded.problems(), [""; 0]);
    assert_eq!(
        expanded.resources()[0].body.get("Properties").unwrap().to_json(),
        r#"{"P":{"Fn::GetAtt":["A","B"]},"Q":{"Fn::If":["Small",1,2]}}"#
    );
}

#[test]
fn what_is_no_template_is_reported() {
    let problems = |text: &str| expanded(text).problems();
    assert_eq!(
        problems("[]"),
        ["1:1 error template/shape: a template must be an object, found a value of kind `array`"]
    );
    assert_eq!(problems("A: 1"), ["1:1 error template/shape: the template has no `Resources`"]);
    assert_eq!(
        problems("Resources:\n"),
        ["1:1 error template/shape: `Resources` must be an object, found a value of kind `null`"]
    );
    assert_eq!(
        problems("Resources: {A: x}"),
        ["1:13 error template/shape: resource `A` must be an object with a `Type`"]
    );
    assert_eq!(
        problems("Resources: {A: {Type: !Rain::Module m}}"),
        ["1:13 note template/remote: a macro or another tool makes resources of this; they are not checked"]
    );
}

#[test]
fn a_cycle_is_reported_at_each_of_its_resources() {
    let problems = |text: &str| expanded(text).problems();
    assert_eq!(
        problems(
            "Resources:\n  A: {Type: x, DependsOn: B}\n  B: {Type: x, P: !Ref C}\n  C: {Type: x, P: !Sub '${A.Arn}'}\n  D: {Type: x, P: !Ref A}\n"
        ),
        [
            "2:3 error template/cycle: dependency cycle: `A`, `B`, `C` depend on each other",
            "3:3 error template/cycle: dependency cycle: `B`, `C`, `A` depend on each other",
            "4:3 error template/cycle: dependency cycle: `C`, `A`, `B` depend on each other"
        ]
    );
    let unused =
        "Conditions: {A: !Not [!Condition B], B: !Not [!Condition A]}\nResources: {R: {Type: 'AWS::SNS::Topic'}}";
    assert_eq!(problems(unused), ["1:58 error expression/recursion: the condition `A` depends on itself"]);
    assert_eq!(problems("Resources: {A: {Type: x, P: !Ref A}}"), ["1:13 error template/cycle: `A` depends on itself"]);
    assert_eq!(
        problems("Conditions: {A: !Condition B, B: !Not [!Condition A]}\nResources: {R: {Type: x, Condition: A}}"),
        ["1:51 error expression/recursion: the condition `A` depends on itself"]
    );
}

#[test]
fn a_value_that_its_parameter_does_not_allow_is_reported() {
    #[track_caller]
    fn check(declaration: &str, message: &str) {
        let text =
            format!("Parameters: {{P: {declaration}}}\nResources: {{R: {{Type: x, Properties: {{V: !Ref P}}}}}}");
        let breaches = expanded(&text).expansion.breaches.into_iter();
        let breaches: Vec<Breach> = breaches.filter(|breach| breach.check == PARAMETER_CONSTRAINT).collect();
        let messages: Vec<&str> = breaches.iter().map(|breach| breach.message.as_str()).collect();
        assert_eq!(messages.concat(), message, "{declaration}");
    }
    check("{Type: String, Default: a, AllowedValues: [b, c]}", "`a` of parameter `P` is not one of `AllowedValues`");
    check("{Type: String, Default: true, AllowedValues: ['true']}", "");
    let list = |constraint: &str| format!("{{Type: CommaDelimitedList, Default: 'b, c', {constraint}}}");
    check(&list("AllowedValues: [c, b, a]"), "");
    check(&list("AllowedValues: [b]"), "`c` of parameter `P` is not one of `AllowedValues`");
    check(&list("AllowedValues: [a, 'b, c']"), "");
    check(&list("AllowedPattern: '[ab]'"), "`c` of parameter `P` does not match `[ab]`");
    check("{Type: List<Number>, Default: '1,22,3', AllowedPattern: '.'}", "`22` of parameter `P` does not match `.`");
    check("{Type: Number, Default: 5, MinValue: 6}", "`5` of parameter `P` is less than 6");
    check("{Type: Number, Default: several}", "`several` of parameter `P` is not a number");
    check("{Type: Number, Default: '0x10'}", "");
    check("{Type: Number, Default: '{{resolve:ssm:size}}'}", "");
    check("{Type: String, Default: abc, MaxLength: 2}", "`abc` of parameter `P` has 3 characters, more than 2");
    check("{Type: String, Default: abc, AllowedPattern: '[a-c]+'}", "");
    check(
        "{Type: String, NoEcho: true, Default: abc, AllowedPattern: 'x+'}",
        "the value of parameter `P` does not match `x+`",
    );
    check("{Type: String, Default: prod, AllowedPattern: '(?!aws)[a-z]+'}", "");
    check(
        "{Type: String, Default: awsome, AllowedPattern: '(?!aws)[a-z]+'}",
        "`awsome` of parameter `P` does not match `(?!aws)[a-z]+`",
    );
    check("{Type: String, Default: Abc, AllowedPattern: '[a-c]+'}", "`Abc` of parameter `P` does not match `[a-c]+`");
}

#[test]
fn the_value_of_a_parameter_that_is_not_used_is_checked() {
    let text = "Parameters: {P: {Type: Number, Default: 5, MinValue: 6}}\nResources: {R: {Type: x}}";
    let breaches = expanded(text).expansion.breaches;
    let refused = breaches.iter().filter(|breach| !breach.is_pedantic);
    let messages: Vec<&str> = refused.map(|breach| breach.message.as_str()).collect();
    assert_eq!(messages, ["`5` of parameter `P` is less than 6"]);
}

#[test]
fn a_pattern_that_cannot_be_checked_is_reported_where_it_is() {
    assert_eq!(
        expanded("Parameters: {P: {Type: String, AllowedPattern: '['}}\nResources: {R: {Type: x}}").problems(),
        ["1:48 warning template/shape: `AllowedPattern` of parameter `P` is not a regular expression that can be \
             checked: the class is not closed"]
    );
    assert_eq!(
        expanded(
            "Parameters: {P: {Type: String, Default: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, \
             AllowedPattern: '(?=(a+)+$)(a|a)*\\1b'}}\nResources: {R: {Type: x, V: !Ref P}}"
        )
        .problems(),
        ["1:99 warning template/shape: matching parameter `P` against its `AllowedPattern` takes too long, so the \
             value is not checked"]
    );
}

/// Finds templates by their path.
#[derive(Debug)]
struct Files<'a> {
    sources: &'a Sources,
    files: Vec<(&'static str, Linked)>,
}

impl<'a> Files<'a> {
    fn new(sources: &'a Sources, files: &[(&'static str, &str)]) -> Self {
        let linked = |&(name, text): &(&'static str, &str)| {
            let text: ArcStr = text.into();
            let file = sources.add(name, text.clone());
            let value = yaml::parse_template(file, &text, 99, &|_| true).value.unwrap();
            (name, Linked { file, name: name.into(), value })
        };
        Self { sources, files: files.iter().map(linked).collect() }
    }
}

impl Loader for Files<'_> {
    fn load(&self, _: FileId, path: &str) -> Result<Linked, LinkProblem> {
        let found = self.files.iter().find(|(name, _)| *name == path);
        found.map(|(_, linked)| linked.clone()).ok_or(LinkProblem::Missing)
    }

    fn locate(&self, _: FileId, url: &str) -> Option<Located> {
        let path = url.rsplit('/').next()?;
        let certainty = Certainty::Guessed(Guess::Ending);
        self.files.iter().any(|(name, _)| *name == path).then(|| Located { path: path.to_owned(), certainty })
    }
}

#[test]
fn growth_ends_at_the_limits() {
    let codes = |text: &str, limits: &Limits| {
        let expanded = expand_with(text, &[], limits, &Offline, false);
        expanded.expansion.diagnostics.iter().map(|problem| problem.code.as_str()).collect::<Vec<_>>()
    };
    let items = vec!["x"; 100].join(",");
    let nested = "Resources:\n  Fn::ForEach::A: [A, [L], {'Fn::ForEach::B': [B, [L], {'Fn::ForEach::C': [C, [L], {'Fn::ForEach::D': [D, [L], {R: {Type: a}}]}]}]}]\n"
        .replace('L', &items);
    let nested = format!("Transform: AWS::LanguageExtensions\n{nested}");
    assert_eq!(codes(&nested, &Limits::default()), ["template/limit"]);
    let many = Limits { resources: 3, ..Limits::default() };
    let written = "Resources: {A: {Type: a}, B: {Type: a}, C: {Type: a}, D: {Type: a}}";
    assert_eq!(codes(written, &many), [""; 0]);
    let looped =
        "Transform: AWS::LanguageExtensions\nResources: {'Fn::ForEach::A': [A, [b, c, d, e], {'R${A}': {Type: a}}]}";
    assert_eq!(codes(looped, &many), ["template/limit"]);
    let mut chain = "Resources: {R: {Type: a, Condition: C0}}\nConditions:\n".to_owned();
    for at in 0..5000 {
        let _ = writeln!(chain, "  C{at}: !Condition C{}", at + 1);
    }
    chain += "  C5000: !Equals [a, a]\n";
    assert_eq!(codes(&chain, &Limits::default()), ["template/limit"]);
    let lists = "!Ref P,".repeat(9_000);
    let text = format!(
        "Parameters: {{P: {{Type: CommaDelimitedList, Default: '{items}'}}}}\nResources: {{R: {{Type: a, P: [{lists}]}}}}"
    );
    assert_eq!(codes(&text, &Limits { steps: 100_000, ..Limits::default() }), ["template/limit"]);
    let names: Vec<String> = (0..2_000).map(|at| format!("!Ref N{at}")).collect();
    assert_eq!(
        codes(&format!("Resources: {{R: {{Type: a, P: [{}]}}}}", names.join(",")), &Limits::default()).len(),
        500
    );
    let long = "x".repeat(1 << 20);
    let subs = "!Sub '${P}${P}${P}',".repeat(400);
    let text =
        format!("Parameters: {{P: {{Type: String, Default: {long}}}}}\nResources: {{R: {{Type: a, P: [{subs}]}}}}");
    assert_eq!(codes(&text, &Limits { steps: 100_000, ..Limits::default() }), ["template/limit"]);
}

#[test]
fn what_is_written_is_known_beyond_the_limits() {
    let items = vec!["x"; 100].join(",");
    let lists = "!Ref P,".repeat(9_000);
    let written = "  B: {Type: a, Properties: {Public: true, Name: !Ref P, Tags: [{Key: k}]}}\n";
    let looped = "  Fn::ForEach::L: [L, !Ref P, {'R${L}': {Type: a}}]\n";
    let text = format!(
        "Transform: AWS::LanguageExtensions\nParameters: {{P: {{Type: CommaDelimitedList, Default: '{items}'}}}}\n\
         Resources:\n{}{looped}{written}",
        format_args!("  A: {{Type: a, Properties: {{P: [{lists}]}}}}\n")
    );
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let expanded = expand_with(&text, &[], &limits, &Offline, false);
    let known = |resource: &&Resource| *resource.name == *"B";
    let body = &expanded.resources().iter().find(known).unwrap().body;
    let properties = body.get("Properties").unwrap();
    assert_eq!(properties.get("Public").and_then(Value::as_bool), Some(true));
    assert_eq!(properties.get("Tags").unwrap().to_json(), r#"[{"Key":"k"}]"#);
}

#[test]
fn a_raw_template_keeps_its_sam_resources() {
    let text = "Transform: AWS::Serverless-2016-10-31\nResources:\n  T: {Type: AWS::Serverless::SimpleTable}\n";
    let raw = expand_with(text, &[], &Limits::default(), &Offline, true);
    let types = |it: &Expanded| -> Vec<String> {
        it.resources().iter().map(|resource| resource.type_name.to_string()).collect()
    };
    assert_eq!(types(&raw), ["AWS::Serverless::SimpleTable"]);
    assert_eq!(types(&expanded(text)), ["AWS::DynamoDB::Table"]);
}

#[test]
fn what_the_transform_of_sam_leaves_out_may_declare_names() {
    let text = |kind: &str| {
        format!(
            "Transform: AWS::Serverless-2016-10-31\nResources:\n  S: {{Type: 'AWS::Serverless::{kind}'}}\n  \
             T: {{Type: AWS::SNS::Topic, Properties: {{P: !Ref Made}}}}\n"
        )
    };
    let future = "3:3 note template/transform: resources of type `AWS::Serverless::Future` are not expanded, so what they \
                  generate is not checked";
    assert_eq!(expanded(&text("Future")).problems(), [future]);
    let slip = expanded(&text("Functoin"));
    let messages: Vec<&str> = slip.expansion.breaches.iter().map(|breach| breach.message.as_str()).collect();
    assert_eq!(
        messages,
        ["AWS SAM has no resource type `AWS::Serverless::Functoin`, did you mean `AWS::Serverless::Function`?"]
    );
    assert_eq!(slip.problems(), [""; 0]);
    let undefined = "4:51 error expression/undefined: there is no parameter and no resource `Made`";
    assert_eq!(expanded(&text("SimpleTable")).problems(), [undefined]);
}
