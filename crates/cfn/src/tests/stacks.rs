//! Tests of the values that a stack gets from parameter files, and from the stack that nests it.

use super::*;
use crate::diagnostic::common_checks::SECRET_GIVEN;

#[test]
fn nested_stacks_are_entered_with_their_parameters() {
    let sources = Sources::new();
    // The ID of the outer template is the first of its own list.
    sources.add("main.yaml", "");
    let files = Files::new(
        &sources,
        &[
            (
                "net.yaml",
                "Parameters: {Size: {Type: String}}\nResources:\n  Vpc: {Type: 'A::B::C', P: !Ref Size, R: !Ref 'AWS::Region'}\n",
            ),
            (
                "loop.yaml",
                "Resources: {Again: {Type: 'AWS::CloudFormation::Stack', Properties: {TemplateURL: loop.yaml}}}",
            ),
        ],
    );
    let nested = |url: &str| {
        let text = format!(
            "Resources:\n  Net:\n    Type: AWS::CloudFormation::Stack\n    Properties: {{TemplateURL: {url}, Parameters: {{Size: !Sub '2${{AWS::Region}}'}}}}\n"
        );
        expand_with(&text, &[("AWS::Region", "eu")], &Limits::default(), &files, false)
    };
    let found = nested("net.yaml");
    let shown: Vec<String> =
        found.resources().iter().map(|resource| format!("{} {}", resource.id, resource.path)).collect();
    assert_eq!(shown, ["Net Resources.Net", "Net/Vpc Resources.Vpc"]);
    assert_eq!(found.resources()[1].body.to_json(), r#"{"Type":"A::B::C","P":"2eu","R":"eu"}"#);
    let document = found.expansion.document.as_ref().unwrap();
    assert_eq!(document.deployments[1].resource.map(|id| id.0), Some(0));
    assert_eq!(document.deployments[0].resources.len(), 1);

    let problem = |url: &str| {
        let diagnostics = nested(url).expansion.diagnostics;
        diagnostics.iter().map(|problem| (problem.level, problem.code.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(problem("other.yaml"), [(Level::Note, "template/remote")]);
    assert_eq!(problem("https://example.org/x.yaml"), [(Level::Note, "template/remote")]);
    // What a URL names must take the parameters.
    assert_eq!(problem("https://bucket.s3.amazonaws.com/net.yaml"), [(Level::Note, "template/guessed")]);
    assert_eq!(
        problem("!Sub 'https://${AWS::AccountId}.s3.amazonaws.com/net.yaml'"),
        [(Level::Note, "template/guessed")]
    );
    assert_eq!(problem("https://bucket.s3.amazonaws.com/loop.yaml"), [(Level::Note, "template/remote")]);
    assert_eq!(problem("loop.yaml"), [(Level::Error, "parameter/undefined"), (Level::Error, "template/cycle")]);
    assert!(files.sources.get(files.files[0].1.file).text().contains("Vpc"));
}

#[test]
fn files_of_the_repository_are_included_with_their_places() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let topic = "Topic:\n  Type: A::B::C\n  Properties: {P: !Ref Nme}\n";
    let files =
        Files::new(&sources, &[("all.yaml", topic), ("part.yaml", "Q: 1\nR: [!Ref Name]\n"), ("list.yaml", "[1]")]);
    let text = "Parameters: {Name: {Type: String, Default: x}}\nResources:\n  \
        Fn::Transform: {Name: AWS::Include, Parameters: {Location: all.yaml}}\n  \
        Other:\n    Type: A::B::C\n    Properties:\n      P: 2\n      \
        Fn::Transform: {Name: AWS::Include, Parameters: {Location: part.yaml}}\n";
    let found = expand_with(text, &[], &Limits::default(), &files, false);
    let body = |at: usize| found.resources()[at].body.to_json();
    assert_eq!(body(1), r#"{"Type":"A::B::C","Properties":{"P":2,"Q":1,"R":["x"]}}"#);
    assert_eq!((&*found.resources()[0].name, found.resources()[0].span.file), ("Topic", files.files[0].1.file));
    let other = &found.resources()[1];
    let place = |path: [&str; 2]| {
        let mut walk = Walk::new("", &other.body, other.span);
        for name in path {
            walk.member(name);
        }
        let span = walk.span();
        let source = sources.get(span.file);
        let all = if span.file == other.span.file { text } else { source.text() };
        (all[span.start as usize..span.end as usize].to_owned(), walk.is_in_place())
    };
    assert_eq!(place(["Properties", "Q"]), ("Q: 1".to_owned(), true));
    assert_eq!(place(["Properties", "R"]), ("R: [!Ref Name]".to_owned(), true));
    assert_eq!(place(["Properties", "S"]), ("Properties".to_owned(), true));
    let problems: Vec<(FileId, &str)> =
        found.expansion.diagnostics.iter().map(|it| (it.primary.span.file, it.message.as_str())).collect();
    assert_eq!(
        problems,
        [(files.files[0].1.file, "there is no parameter and no resource `Nme`, did you mean `Name`?")]
    );
    for location in ["s3://bucket/all.yaml", "other.yaml", "list.yaml"] {
        let found = expand_with(&text.replace("all.yaml", location), &[], &Limits::default(), &files, false);
        let codes: Vec<&str> = found.expansion.diagnostics.iter().map(|it| it.code.as_str()).collect();
        assert_eq!((found.resources().len(), codes), (1, vec!["template/remote"]), "{location}");
    }
}

#[test]
fn what_is_included_again_is_paid_for() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let many: Vec<String> = (0..500).map(|at| format!("P{at}: [1, 2, 3]\n")).collect();
    let many = many.concat();
    let files = Files::new(&sources, &[("many.yaml", &many)]);
    let mut text = "Resources:\n".to_owned();
    for at in 0..100 {
        let call = "Fn::Transform: {Name: AWS::Include, Parameters: {Location: many.yaml}}";
        let _ = writeln!(text, "  R{at}: {{Type: A::B::C, Properties: {{{call}}}}}");
    }
    let codes = |text: &str| {
        let found = expand_with(text, &[], &Limits::default(), &files, false);
        let weight: u32 = found.resources().iter().map(|resource| resource.body.size().weight).sum();
        let codes: Vec<&str> = found.expansion.diagnostics.iter().map(|it| it.code.as_str()).collect();
        (weight / 1000, codes.iter().filter(|code| **code == "template/limit").count())
    };
    let (weight, limits) = codes(&text);
    assert!(weight < 200, "{weight}");
    assert_eq!(limits, 1);
    let few = text.split_inclusive('\n').take(50).collect::<String>();
    assert_eq!(codes(&few), (98, 0));
}

#[test]
fn what_is_written_counts_beside_what_is_included() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let files = Files::new(&sources, &[("part.yaml", "P: included\nQ: 1\n")]);
    let call = "Fn::Transform: {Name: AWS::Include, Parameters: {Location: part.yaml}}";
    for properties in [format!("P: written, {call}"), format!("{call}, P: written")] {
        let text = format!("Resources: {{R: {{Type: A::B::C, Properties: {{{properties}}}}}}}");
        let found = expand_with(&text, &[], &Limits::default(), &files, false);
        let body = &found.resources()[0].body;
        let property = |name: &str| body.get("Properties").and_then(|it| it.get(name)).map(Value::to_json);
        assert_eq!((property("P").as_deref(), property("Q").as_deref()), (Some("\"written\""), Some("1")), "{text}");
        let problem = &found.expansion.diagnostics[0];
        assert_eq!((problem.code.as_str(), problem.primary.span.file), ("syntax/duplicate-key", files.files[0].1.file));
        assert_eq!(
            problem.message,
            "`P` is also written beside the call that includes this file, and the value there counts"
        );
        assert_eq!(found.expansion.diagnostics.len(), 1);
    }
}

#[test]
fn a_stack_and_those_nested_in_it_fit_each_other() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let inner = "Parameters: {Size: {Type: Number}, Zone: {Type: String, Default: a}}\nResources: {T: {Type: x, P: !Ref Size}}\nOutputs: {Id: {Value: !Ref T}}\n";
    let including = format!("{inner}Fn::Transform: {{Name: AWS::Include, Parameters: {{Location: s3://a/b}}}}\n");
    let files = Files::new(&sources, &[("net.yaml", inner), ("open.yaml", &including)]);
    let check_with = |head: &str, url: &str, parameters: &str, value: &str, expected: &[&str]| {
        let text = format!(
            "{head}Resources:\n  Net:\n    Type: AWS::CloudFormation::Stack\n    Properties: {{TemplateURL: {url}{parameters}}}\nOutputs: {{O: {{Value: {value}}}}}\n"
        );
        let mut found = expand_with(&text, &[], &Limits::default(), &files, false);
        // What is not checked of a nested stack is a note in its file.
        found.expansion.diagnostics.retain(|problem| problem.level == Level::Error);
        let problems = found.problems();
        let problems: Vec<&str> =
            problems.iter().filter_map(|problem| problem.split_once(" error ")).map(|(_, problem)| problem).collect();
        assert_eq!(problems, expected, "{text}");
    };
    let check =
        |parameters: &str, value: &str, expected: &[&str]| check_with("", "net.yaml", parameters, value, expected);
    // What includes something may declare other outputs, and a macro may pass other parameters.
    check_with("", "open.yaml", ", Parameters: {Size: 1}", "!GetAtt Net.Outputs.Ip", &[]);
    check_with("Transform: Macro\n", "net.yaml", ", Parameters: {Sise: 1}", "a", &[]);
    check(", Parameters: {Size: 1}", "!GetAtt Net.Outputs.Id", &[]);
    // The file at the end of a URL may be another one.
    check_with(
        "",
        "https://bucket.s3.amazonaws.com/net.yaml",
        ", Parameters: {Size: 1}",
        "!GetAtt Net.Outputs.Ip",
        &[],
    );
    check(
        ", Parameters: !Ref AWS::NoValue",
        "!Sub '${Net.Outputs.Id}'",
        &["parameter/required: the nested stack `Net` does not set parameter `Size`, which has no default value"],
    );
    check(
        ", Parameters: {Size: 1, Sise: 2}",
        "a",
        &["parameter/undefined: there is no parameter `Sise`, did you mean `Size`?"],
    );
    let wrong = "expression/undefined: the template of the nested stack `Net` has no output `Ip`, did you mean `Id`?";
    check(", Parameters: {Size: 1}", "!GetAtt Net.Outputs.Ip", &[wrong]);
    check(", Parameters: {Size: 1}", "!Sub '${Net.Outputs.Ip}'", &[wrong]);
    check(", Parameters: {Size: 1}", "!GetAtt [Net, Outputs, Ip]", &[wrong]);
    check(", Parameters: {Size: 1}", "!Sub ['${Net.Outputs.Ip}', {a: b}]", &[wrong]);
    check(", Parameters: {Size: 1}", "!Sub ['${Net.Outputs.Ip}', {Net.Outputs.Ip: b}]", &[]);
    check(", Parameters: {Size: 1}", "!Sub ['${a}', {a: !GetAtt Net.Outputs.Ip}]", &[wrong]);
}

#[test]
fn the_url_of_somebody_else_does_not_nest_a_template_in_itself() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let text =
        "Resources: {A: {Type: 'AWS::CloudFormation::Stack', Properties: {TemplateURL: 'https://vendor/v1/vpc.yaml'}}}";
    let files = Files::new(&sources, &[("vpc.yaml", text)]);
    let found = expand_with(&text.replace("https://vendor/v1/", ""), &[], &Limits::default(), &files, false);
    let codes: Vec<&str> = found.expansion.diagnostics.iter().map(|it| it.code.as_str()).collect();
    assert_eq!((found.resources().len(), codes), (2, vec!["template/remote"]));
}

#[test]
fn many_parameters_of_a_url_are_looked_up() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let name = |at: usize| format!("P{at}: ");
    let declared: Vec<String> = (0..20_000).map(|at| format!("{}{{Type: String}}, ", name(at))).collect();
    let given: Vec<String> = (0..20_000).map(|at| format!("{}x, ", name(at))).collect();
    let (declared, given) = (declared.concat(), given.concat());
    let files = Files::new(&sources, &[("net.yaml", &format!("Parameters: {{{declared}}}\nResources: {{}}"))]);
    let text = format!(
        "Resources: {{A: {{Type: 'AWS::CloudFormation::Stack', Properties: {{TemplateURL: 'https://b/a/net.yaml', \
         Parameters: {{{given}}}}}}}}}"
    );
    let found = expand_with(&text, &[], &Limits::default(), &files, false);
    let codes: Vec<&str> = found.expansion.diagnostics.iter().map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["template/guessed"]);
}

#[test]
fn a_given_placeholder_is_unknown() {
    let text = "Parameters: {A: {Type: String, AllowedValues: [x]}, B: {Type: Number}}\n\
        Resources: {R: {Type: 'A::B::C', Properties: {A: !Ref A, B: !Ref B}}}";
    let given = |a: &str, b: &str| expand_with(text, &[("A", a), ("B", b)], &Limits::default(), &Offline, false);
    let found = given("<the name>", "#{size}#");
    assert_eq!(found.expansion.breaches, []);
    let body = found.resources()[0].body.get("Properties").and_then(|properties| properties.get("A")).cloned();
    let unknown = body.as_ref().and_then(Value::as_unknown).expect("it is unknown");
    assert_eq!(&*unknown.why, "a tool replaces the placeholder in the value of parameter `A`");
}

#[test]
fn a_parameter_file_that_shows_a_secret_is_reported() {
    let sources = Sources::new();
    let parse = |name: &str, text: &str| {
        let file = sources.add(name, text);
        let parsed = yaml::parse_template(file, sources.get(file).text(), Limits::default().nesting, &|_| true);
        (file, parsed.value.expect("it is YAML"))
    };
    let (file, template) = parse(
        "main.yaml",
        "Parameters: {A: {Type: String, NoEcho: true}, B: {Type: String}, C: {Type: Number, NoEcho: true}}\nResources: {}",
    );
    let text = "[A=x, B=x, 'C={{resolve:ssm-secure:x}}', 'C=${X}', {ParameterKey: C, ParameterValue: 12}, Bb=x]";
    let (given, values) = parse("main.parameters.json", text);
    let (set, chosen) = parse("--set C", "13");
    let limits = Limits::default();
    let request = Request {
        file,
        name: "main",
        template: &template,
        parameters: &[(given, &values)],
        overrides: &[("C".into(), chosen)],
        raw: false,
        scenario: None,
        loader: &Offline,
        budget: &Budget::new(&limits),
    };
    let Expansion { breaches, document, .. } = expand(&request);
    let found = breaches.iter().filter(|breach| breach.check == SECRET_GIVEN);
    let found: Vec<&str> = found.map(|breach| &*breach.message).collect();
    let expected = ["A", "C"].map(|name| format!("the parameter file sets the secret parameter `{name}`"));
    assert_eq!(found, expected);
    // Also hidden is what another value overrides, and what may be meant for a secret parameter.
    let document = document.expect("there is a document");
    let written = |span: &Span| sources.get(span.file).text()[span.start as usize..span.end as usize].to_owned();
    let hidden: Vec<_> = document.hidden.spans().iter().map(|span| (span.file == set, written(span))).collect();
    let of_file =
        ["A=x", "'C={{resolve:ssm-secure:x}}'", "'C=${X}'", "12", "Bb=x"].map(|text| (false, text.to_owned()));
    assert_eq!(hidden, [&of_file[..], &[(true, "13".to_owned())]].concat());
}

#[test]
fn a_file_that_a_service_merges_with_others_may_use_their_names() {
    let check = |service: &str, expected: &[&str]| {
        let sources = Sources::new();
        let text =
            "Resources: {A: {Type: 'A::B::C', Properties: {P: !Ref Other, Q: !If [Is, a, b], R: !GetAtt Other.Arn}}}";
        let all = [("main.yaml", text), ("serverless.yml", service), ("other.yaml", "Resources: {}")];
        let files = Files::new(&sources, &all);
        let codes = expand_with(text, &[], &Limits::default(), &files, false).expansion.diagnostics;
        let codes: Vec<&str> = codes.iter().map(|it| it.code.as_str()).collect();
        assert_eq!(codes, expected, "{service}");
    };
    let undefined = ["expression/undefined"; 3];
    check("resources:\n- ${file(other.yaml)}\n", &undefined);
    check("resources:\n- ${file(${self:custom.x}/main.yaml)}\n", &undefined);
    check("resources:\n- ${file(other.yaml)}\n- ${file(main.yaml):Resources}\n", &["template/macro"]);
}

#[test]
fn a_string_that_is_not_known_is_a_list_where_the_parameter_is_one() {
    let sources = Sources::new();
    sources.add("main.yaml", "");
    let inner = "Parameters: {Ids: {Type: CommaDelimitedList}}\nResources: {A: {Type: 'A::B::C', P: !Ref Ids, Q: !Select [0, !Ref Ids]}}\n";
    let files = Files::new(&sources, &[("inner.yaml", inner)]);
    let outer = |ids: &str| {
        let text = format!(
            "Resources:\n  B: {{Type: 'A::B::C'}}\n  N:\n    Type: AWS::CloudFormation::Stack\n    Properties: {{TemplateURL: inner.yaml, Parameters: {{Ids: {ids}}}}}\n"
        );
        let found = expand_with(&text, &[], &Limits::default(), &files, false);
        assert_eq!(found.expansion.diagnostics, []);
        let body = found.resources()[2].body.clone();
        ["P", "Q"].map(|name| {
            body.get(name).map(|value| (value.kind(), value.as_unknown().is_some())).expect("there is a value")
        })
    };
    assert_eq!(outer("!Join [',', [!Ref B, !GetAtt B.Arn]]"), [(Kind::Array, true), (Kind::Any, true)]);
    assert_eq!(outer("!GetAtt B.Arn")[0], (Kind::Any, true));
    assert_eq!(outer("'a,b'"), [(Kind::Array, false), (Kind::String, false)]);
}
