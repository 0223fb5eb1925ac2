//! Small templates that would take all the time, memory or stack there is. Each must end with a diagnostic, and must not
//! take the findings of its neighbor with it. `.ci/hostile` measures a release build on more of them.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{Folder, TEMPLATE, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

const NEIGHBOR: &str = r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "a",
  "properties": {"httpsOnly": false}}]"#;

/// How long a run may take: far more than it does in a build that is not optimized, on a busy machine.
const MOST_TIME: Duration = Duration::from_mins(1);

/// How much memory a run may take, in kB.
const MOST_MEMORY: u64 = 256 << 10;

/// Checks the file beside a template with a finding. Reports must have that, and all of `expected`.
#[track_caller]
fn check(name: &str, text: &str, expected: &[&str]) {
    check_with("", name, text, expected);
}

/// As [`check`], with settings.
#[track_caller]
fn check_with(settings: &str, name: &str, text: &str, expected: &[&str]) {
    check_beside(&[("formwork.yaml", settings)], name, text, expected);
}

/// As [`check`], with other files.
#[track_caller]
fn check_beside(others: &[(&str, &str)], name: &str, text: &str, expected: &[&str]) {
    let folder = Folder::new();
    for (name, text) in others {
        folder.write(name, text);
    }
    folder.write("rules/own.json", RULE).write("good/azuredeploy.json", template(NEIGHBOR)).write(name, text);
    let report = folder.path().join("report.json");
    let mut child = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["check", "--no-builtin-rules", "--rules", "rules", "--output", "json=report.json"])
        .args([name, "good"])
        .current_dir(folder.path())
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut memory = 0;
    let status = loop {
        memory = memory.max(peak_memory(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > MOST_TIME {
            child.kill().unwrap();
            panic!("{name} takes more than {MOST_TIME:?}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(status.code().is_some(), "{name} ends the process: {status}");
    assert!(memory < MOST_MEMORY, "{name} takes {memory} kB");
    let report = fs::read_to_string(report).unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&report).unwrap();
    let results = parsed["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["rule"] == "T-1"), "{name} takes a finding with it: {report}");
    for part in expected {
        assert!(report.contains(part), "{name}: no `{part}` in {report:.2000}");
    }
}

/// The peak memory of a process or of one that it started, in kB: a check works in a process of its own. 0 where there is
/// no `/proc`.
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let own = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0);
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let of_children = children.split_whitespace().filter_map(|id| id.parse().ok()).map(peak_memory);
    of_children.fold(own, u64::max)
}

#[track_caller]
fn ends(members: &str, expected: &[&str]) {
    check("bomb.json", &template(members), expected);
}

/// `value` inside `depth` arrays.
fn nested(value: &str, depth: usize) -> String {
    format!("{}{value}{}", "[".repeat(depth), "]".repeat(depth))
}

/// Members `prefix0`, `prefix1` and so on, with the values that `value` returns.
fn members(prefix: &str, count: usize, value: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| format!(r#""{prefix}{at}": {}"#, value(at))).collect::<Vec<_>>().join(", ")
}

/// A function that returns `value`, and an output that calls it.
fn function(value: &str) -> String {
    format!(
        r#""resources": [], "functions": [{{"namespace": "n", "members": {{
          "f": {{"parameters": [], "output": {{"type": "array", "value": {value}}}}}}}}}],
        "outputs": {{"o": {{"type": "array", "value": "[n.f()]"}}}}"#
    )
}

/// Resources `n0`, `n1` and so on, with the members that `members` returns.
fn resources(count: usize, members: impl Fn(usize) -> String) -> String {
    let resource = |at: usize| {
        let own = members(at);
        format!(r#"{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "n{at}", {own}}}"#)
    };
    format!(r#""resources": [{}]"#, (0..count).map(resource).collect::<Vec<_>>().join(", "))
}

/// A resource in a loop of `count` iterations.
fn looped(at: usize, count: usize, properties: &str) -> String {
    format!(
        r#"{{"type": "A.B/c{at}", "apiVersion": "2020-01-01", "name": "[concat('n', copyIndex())]",
        "copy": {{"name": "c{at}", "count": {count}}}, "properties": {properties}}}"#
    )
}

const DEEP: &[&str] = &["expression/limit"];

#[test]
fn functions_that_call_themselves_end() {
    for depth in [0, 1, 50, 240] {
        ends(&function(&nested(r#""[n.f()]""#, depth)), DEEP);
    }
    let objects = format!(r#"{}"[n.f()]"{}"#, r#"{"a": "#.repeat(50), "}".repeat(50));
    ends(&function(&objects), DEEP);
    let calls = |call: &str, close: &str, depth: usize| {
        function(&format!(r#""[{}n.f(){}]""#, call.repeat(depth), close.repeat(depth)))
    };
    ends(&calls("string(", ")", 60), DEEP);
    ends(&calls("if(true(), ", ", 1)", 50), DEEP);
    ends(&calls("map(range(0, 1), lambda('x', ", "))", 30), DEEP);
    ends(&calls("createArray(1)[", "]", 20), DEEP);
    ends(&calls("createArray(n.f(), ", ")", 1), DEEP);
    ends(&function(r#"{"copy": [{"name": "x", "count": 1, "input": "[n.f()]"}]}"#), DEEP);
}

#[test]
fn dependencies_on_names_of_many_resources_end() {
    let depends = |on: &str| format!(r#"{{}}, "dependsOn": {on}"#);
    let loops = [
        looped(0, 800, &depends(r#"["c0"]"#)),
        looped(1, 800, &depends(r#"["c0"]"#)),
        looped(2, 800, &depends(r#"["c0", "c1"]"#)),
    ];
    ends(&format!(r#""resources": [{}]"#, loops.join(", ")), &["template/cycle"]);
    let twins = r#"{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "n", "dependsOn": ["n"]}"#;
    ends(&format!(r#""resources": [{}]"#, vec![twins; 4000].join(", ")), &["template/duplicate"]);
    let both = |at: usize| format!(r#""dependsOn": ["n0", "n{}"]"#, (at + 1) % 3000);
    ends(&resources(3000, both), &["template/cycle"]);
    let ring = |at: usize| format!(r#""dependsOn": ["n{}"]"#, (at + 1) % 3000);
    ends(&resources(3000, ring), &["template/cycle", " 2979 more -> `n0`"]);
}

#[test]
fn chains_of_definitions_end() {
    let chain = |prefix: &str, value: &dyn Fn(usize) -> String| members(prefix, 3_000, value);
    let variable = |at: usize| format!(r#""[variables('v{}')]""#, at + 1);
    ends(&format!(r#""resources": [], "variables": {{{}}}"#, chain("v", &variable)), DEEP);
    let below = |at: usize| nested(&variable(at), 5);
    ends(&format!(r#""resources": [], "variables": {{{}}}"#, chain("v", &below)), DEEP);
    let parameter = |at: usize| format!(r#"{{"type": "string", "defaultValue": "[parameters('v{}')]"}}"#, at + 1);
    ends(&format!(r#""resources": [], "parameters": {{{}}}"#, chain("v", &parameter)), DEEP);
}

#[test]
fn chains_of_references_end() {
    let reference = |at: usize| format!(r#""[reference('n{}').p]""#, at + 1);
    ends(&resources(1_500, |at| format!(r#""properties": {{"p": {}}}"#, reference(at))), DEEP);
    ends(&resources(1_500, |at| format!(r#""properties": {{"p": {}}}"#, nested(&reference(at), 10))), DEEP);
    // Processed from the last to the first, none of them is deep, but what they return is.
    let ordered = |at: usize| {
        let next = at + 1;
        format!(r#""dependsOn": ["n{next}"], "properties": {{"p": {}}}"#, nested(&reference(at), 10))
    };
    ends(&resources(1_500, ordered), DEEP);
    let whole = |at: usize| format!(r#""dependsOn": ["n{0}"], "properties": {{"p": "[reference('n{0}')]"}}"#, at + 1);
    ends(&resources(1_500, whole), DEEP);
}

const RECURSIVE_TYPE: &str = r##""languageVersion": "2.0", "resources": {}, "definitions": {"t": {"type": "object",
    "discriminator": {"propertyName": "k", "mapping": {"a": {"$ref": "#/definitions/t"}}}}},
    "parameters": {"p": {"$ref": "#/definitions/t", "defaultValue": {"k": "a"}}}"##;

#[test]
fn types_that_select_themselves_end() {
    ends(RECURSIVE_TYPE, DEEP);
}

/// Each way to recurse, down to the largest limits that settings allow, on the stack of a worker in the build under test.
#[test]
fn the_largest_limits_fit_the_stack() {
    let call = |open: &str, close: &str, depth: usize| {
        function(&format!(r#""[{}n.f(){}]""#, open.repeat(depth), close.repeat(depth)))
    };
    let definition = |section: &str, value: &dyn Fn(usize) -> String| {
        format!(r#""resources": [], "{section}": {{{}}}"#, members("v", 5_000, value))
    };
    let reference = |at: usize| format!(r#""properties": {{"p": "[reference('n{}').p]"}}"#, at + 1);
    for bomb in [
        call("", "", 1),
        call("string(", ")", 100),
        call("if(true(), ", ", 1)", 100),
        call("map(range(0, 1), lambda('x', ", "))", 50),
        function(&nested(r#""[string(n.f())]""#, 50)),
        function(r#"{"copy": [{"name": "x", "count": 1, "input": "[string(n.f())]"}]}"#),
        definition("variables", &|at| format!(r#""[variables('v{}')]""#, at + 1)),
        definition("parameters", &|at| {
            format!(r#"{{"type": "string", "defaultValue": "[parameters('v{}')]"}}"#, at + 1)
        }),
        resources(5_000, reference),
        RECURSIVE_TYPE.to_owned(),
    ] {
        check_with("limits: {call-depth: 4096, nesting: 512}\n", "bomb.json", &template(&bomb), DEEP);
    }
}

#[test]
fn deeply_nested_texts_are_reported() {
    let schema = format!(r#"{{"$schema": "{TEMPLATE}", "resources": "#);
    check("bomb.json", &format!("{schema}{}", "[".repeat(1_000_000)), &["syntax/depth"]);
    check("bomb.json", &format!("{schema}{}", r#"{"a":"#.repeat(300_000)), &["syntax/depth"]);
    let levels = (1..2_000).map(|at| format!("{}a:\n", " ".repeat(at))).collect::<Vec<_>>().concat();
    check("bomb.yaml", &format!("Resources:\n{levels}"), &["syntax/depth"]);
    check("bomb.yaml", &format!("Resources: {}a", "- ".repeat(100_000)), &["syntax/"]);
    check("bomb.yaml", &format!("Resources: {}", "[".repeat(300_000)), &["syntax/"]);
    check("bomb.yaml", "&　぀　\n\"\"", &[]);
    let alias = |at: usize| format!("      v{at}: &v{at} [*v{0}, *v{0}]\n", at - 1);
    let aliases = (1..40).map(alias).collect::<Vec<_>>().concat();
    let text = format!("Resources:\n  A:\n    Type: A::B::C\n    Properties:\n      v0: &v0 [x, x]\n{aliases}");
    check("bomb.yaml", &text, &["syntax/yaml"]);
}

#[test]
fn templates_nested_in_each_other_end() {
    let mut inner = r#""resources": []"#.to_owned();
    for at in 0..50 {
        inner = format!(
            r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2020-10-01", "name": "d{at}",
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {}}}}}]"#,
            template(&inner)
        );
    }
    ends(&inner, &[]);
}

#[test]
fn values_that_double_end() {
    let doubling = |at: usize| format!(r#"{{"a": "[variables('v{0}')]", "b": "[variables('v{0}')]"}}"#, at + 1);
    let doubled = format!(r#""variables": {{{}, "v16": "x"}}"#, members("v", 16, doubling));
    let one = looped(0, 800, r#"{"x": "[variables('v0')]"}"#);
    ends(&format!(r#""resources": [{one}], {doubled}"#), DEEP);
    let strings = |at: usize| format!(r#""[concat(variables('v{0}'), variables('v{0}'))]""#, at + 1);
    let strings = members("v", 30, strings);
    ends(&format!(r#""resources": [], "variables": {{{strings}, "v30": "x"}}"#), DEEP);
    let unions = |at: usize| {
        format!(
            r#""[union(createArray(createObject('k{at}', variables('v{0}'))), variables('v{0}'), variables('v{0}'))]""#,
            at + 1
        )
    };
    ends(&format!(r#""resources": [], "variables": {{{}, "v25": [1]}}"#, members("v", 25, unions)), &[]);
}

/// A stack with a condition that nobody can decide, and a bucket whose name is `name`.
fn undecided(name: &str, more: &str) -> String {
    format!(
        r#"{{"Parameters": {{"P": {{"Type": "String"}}, "Q": {{"Type": "String"}}}},
        "Conditions": {{"C": {{"Fn::Equals": [{{"Ref": "Q"}}, "x"]}}}}, "Resources": {{
        "B": {{"Type": "AWS::S3::Bucket", "Properties": {{"BucketName": {name}}}}}{more}}}}}"#
    )
}

#[test]
fn choices_in_choices_end() {
    let folder = Folder::new();
    let checked = |name: &str| folder.run(&["check", "--format", "json", name]);
    let choice = |inner: &str, other: &str| format!(r#"{{"Fn::If": ["C", {inner}, {other}]}}"#);
    let deep = (0..100).fold(r#""name""#.to_owned(), |inner, at| choice(&inner, &format!(r#""name{at}""#)));
    folder.write("deep.json", undecided(&deep, ""));
    assert!(!checked("deep.json").stdout.contains("/limit\""));

    // Each level has the one below it twice. Aliases share the text of both.
    let doubling = |levels: usize| {
        let level = |at: usize| format!("      m{at}: &m{at} !If [C, *m{0}, [*m{0}]]\n", at - 1);
        let levels_text = (1..=levels).map(level).collect::<Vec<_>>().concat();
        format!(
            "Parameters: {{P: {{Type: String}}}}\nConditions: {{C: !Equals [!Ref P, x]}}\nResources:\n  B:\n    \
             Type: AWS::S3::Bucket\n    Metadata:\n      m0: &m0 name\n{levels_text}    Properties:\n      \
             BucketName: *m{levels}\n"
        )
    };
    folder.write("ten.yaml", doubling(10)).write("thirty.yaml", doubling(30));
    assert!(checked("ten.yaml").stdout.contains("schema/type"));
    assert!(checked("thirty.yaml").stdout.contains("syntax/yaml"));

    // Each stack hands what it was given to the next, several times.
    for at in 0..16 {
        let uses = (0..6).fold(r#""z""#.to_owned(), |inner, _| choice(r#"{"Ref": "P"}"#, &inner));
        let next = format!(
            r#", "S": {{"Type": "AWS::CloudFormation::Stack", "Properties": {{"TemplateURL": "s{}.json",
            "Parameters": {{"P": {uses}, "Q": {{"Ref": "Q"}}}}}}}}"#,
            at + 1
        );
        folder.write(&format!("s{at}.json"), undecided(r#"{"Ref": "P"}"#, if at < 15 { &next } else { "" }));
    }
    let ended = checked("s0.json");
    assert!(ended.stdout.contains("template/limit"), "{:.2000}", ended.stdout);
}

#[test]
fn parsed_texts_are_held_only_within_the_limit() {
    let text = r#""[concat('[', join(map(range(0, 10000), lambda('i', '[1]')), ','), ']')]""#;
    let list = r#"{"copy": [{"name": "x", "count": 800, "input": "[json(variables('text'))]"}]}"#;
    ends(&format!(r#""resources": [], "variables": {{"text": {text}, "list": {list}}}"#), DEEP);
}

#[test]
fn loops_that_multiply_end() {
    let limits = "limits: {resources: 2000}\n";
    let folder = Folder::new();
    let inner = |inner: &str, at: usize| {
        format!(
            r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2020-10-01",
            "name": "[concat('d{at}', copyIndex())]", "copy": {{"name": "c{at}", "count": 2}}, "properties":
            {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {}}}}}]"#,
            template(inner)
        )
    };
    let bomb = (0..20).fold(r#""resources": []"#.to_owned(), |text, at| inner(&text, at));
    folder.write("formwork.yaml", limits).write("bomb.json", template(&bomb));
    let ended = folder.run(&["check", "--format", "json", "bomb.json"]);
    assert!(ended.stdout.contains("repeat resources more than 2000 times"), "{ended:?}");
}

#[test]
fn what_is_written_does_not_count_as_repeated() {
    let folder = Folder::new();
    folder.write("formwork.yaml", "limits: {resources: 10, steps: 1000, values: 100}\n");
    folder.write("long.json", template(&resources(500, |_| r#""properties": {"a": "[concat('b', 'c')]"}"#.to_owned())));
    let entry = |at: usize| format!("  A{at}: {{Type: 'A::B::C', Properties: {{X: !Sub x}}}}\n");
    let stack = (0..500).map(entry).collect::<Vec<_>>().concat();
    folder.write("long.yaml", format!("Resources:\n{stack}"));
    for name in ["long.json", "long.yaml"] {
        let ended = folder.run(&["check", "--format", "json", name]);
        assert!(ended.code < 3 && !ended.stdout.contains("/limit\""), "{ended:?}");
        assert_eq!(ended.json()["summary"]["resources"], 500, "{ended:?}");
    }
}

#[test]
fn thousands_of_unknown_names_end() {
    let outputs =
        members("o", 3_000, |at| format!(r#"{{"type": "string", "value": "[parameters('paramater_nunber_{at}')]"}}"#));
    let parameters = members("parameter_number_", 5_000, |_| r#"{"type": "string"}"#.to_owned());
    ends(
        &format!(r#""resources": [], "parameters": {{{parameters}}}, "outputs": {{{outputs}}}"#),
        &["did you mean `parameter_number_0` or `parameter_number_1`?"],
    );
    let calls = members("v", 5_000, |at| format!(r#""[createobjekt{at}()]""#));
    ends(&format!(r#""resources": [], "variables": {{{calls}}}"#), &["expression/unknown-function"]);
}

#[test]
fn names_of_any_length_are_cut_in_messages() {
    let name = "x".repeat(1_000_000);
    let outputs = members("o", 100, |at| format!(r#"{{"type": "string", "value": "[parameters('{at}{name:.9}')]"}}"#));
    let resource = format!(r#"{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "{name}"}}"#);
    let twice = format!(r#""resources": [{resource}, {resource}], "outputs": {{{outputs}}}"#);
    let folder = Folder::new();
    folder.write("bomb.json", template(&twice));
    let ended = folder.run(&["check", "--format", "json", "bomb.json"]);
    assert!(ended.stdout.contains("template/duplicate") && ended.stdout.len() < 1_000_000, "{}", ended.stdout.len());
}

/// A minified template is one line, of which no finding may take or show all.
#[test]
fn findings_on_one_long_line_take_their_part_of_it() {
    let sites = |members: &str| {
        resources(500, |_| format!(r#""properties": {{{members}}}"#)).replace("A.B/c", "Microsoft.Web/sites")
    };
    for text in [template(&sites("")), template(&sites(r#""httpsOnly": false"#))] {
        let text = text.replace('\n', " ");
        let folder = Folder::new();
        folder.write("rules/own.json", RULE).write("line.json", &text);
        for format in ["json", "sarif", "rdjson", "html", "console"] {
            let ended =
                folder.run(&["check", "--no-builtin-rules", "--rules", "rules", "--format", format, "line.json"]);
            let (written, most) = (ended.stdout.len(), 40 * text.len());
            assert!(ended.code == 1 && written < most, "{format}: {written} bytes from {}", text.len());
        }
        let ended = folder.run(&["check", "--no-builtin-rules", "--rules", "rules", "--fix", "line.json"]);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}

#[test]
fn imports_of_imports_end() {
    let each = |text: &dyn Fn(usize) -> String| (0..6_000).map(text).collect::<Vec<_>>().concat();
    let values = each(&|at| format!("@export()\nvar v{at} = 1\n"));
    let uses = each(&|at| format!("  all.v{at}\n"));
    let list = format!("import * as all from 'values.bicep'\n@export()\nvar list = [\n{uses}]\n");
    let main = "import {list} from 'list.bicep'\noutput o array = list\n";
    check_beside(&[("values.bicep", &values), ("list.bicep", &list)], "main.bicep", main, &["main.bicep"]);
}
