//! Verdicts of rules on small templates.

use std::fmt::Write as _;
use std::sync::Arc;

use arcstr::ArcStr;

use super::*;
use crate::diagnostic::Outcome;
use crate::json::testing;
use crate::model::{Presence, ResourceId};
use crate::text::Sources;
use crate::value::{Ends, Kind, Member, Step, Str, Traits, Unknown, Value, Via};

fn rules(evaluations: &[&str]) -> RuleSet {
    let sources = Sources::new();
    let rule = |evaluation: &&str| {
        format!(
            r#"{{"id": "X", "name": "X", "shortDescription": "it should", "fullDescription": "f", "evaluation": {evaluation}}}"#
        )
    };
    let texts: Vec<String> = evaluations.iter().map(rule).collect();
    let text: ArcStr = format!("[{}]", texts.join(",")).into();
    let (rules, problems) = json::parse(sources.add("rules.json", text.clone()), &text);
    assert!(problems.iter().all(|problem| problem.message.contains("another rule has the id")), "{problems:#?}");
    RuleSet::new(rules)
}

/// Verdicts as `outcome path:line`, with the leaves of those that did not pass in brackets.
fn written(verdicts: &[Verdict], sources: &Sources) -> String {
    let mut out = String::new();
    for it in verdicts {
        let line = |span| sources.range(span).0.line;
        let _ = write!(out, "{} {}:{}", it.outcome.as_str(), it.path, line(it.span));
        for leaf in &it.leaves {
            let _ = write!(out, " [{}:{}]", leaf.path, line(leaf.span));
        }
        out.push('\n');
    }
    out
}

#[track_caller]
fn check(template: &str, evaluation: &str, expected: &str) {
    let (sources, document) = testing::document(template);
    let verdicts = rules(&[evaluation]).check(&document);
    assert_eq!(written(&verdicts, &sources), expected, "{evaluation}");
}

const SITES: &str = r#"{
  "outputs": {"a": {"value": 1}},
  "resources": [
    {
      "type": "A/sites", "name": "one",
      "tags": {"x": "1", "list": [5, 6]},
      "properties": {
        "rules": [
          {"name": "r0", "on": true},
          {"name": "r1", "on": false}
        ]
      },
      "resources": [
        {"type": "config", "name": "web", "properties": {"tls": "1.0"}}
      ]
    },
    {"type": "a/SITES", "name": "two"},
    {"type": "A/sites/config", "name": "two/web", "properties": {"tls": "1.2"}},
    {"type": "A/sites/config", "name": "elsewhere", "dependsOn": ["two"], "properties": {"tls": "1.1"}},
    {"type": "A/sitesX/config", "name": "two/web", "properties": {"tls": "0"}}
  ]
}"#;

#[test]
fn a_value_operator_gives_a_verdict_for_each_path() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "path": "properties.rules[*].on", "equals": true}"#,
        "passed resources[0].properties.rules[0].on:9\n\
         failed resources[0].properties.rules[1].on:10 [resources[0].properties.rules[1].on:10]\n",
    );
    check(SITES, r#"{"path": "outputs.a.value", "less": 1}"#, "failed outputs.a.value:2 [outputs.a.value:2]\n");
}

#[test]
fn something_missing_is_shown_where_it_belongs() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "path": "properties.RULES[5].x", "exists": true}"#,
        "failed resources[0].properties.rules[5].x:8 [resources[0].properties.rules[5].x:8]\n\
         failed resources[1].properties.RULES[5].x:17 [resources[1].properties.RULES[5].x:17]\n",
    );
    check(SITES, r#"{"path": "outputs.b.c", "exists": true}"#, "failed outputs.b.c:2 [outputs.b.c:2]\n");
    check(SITES, r#"{"path": "metadata", "exists": true}"#, "failed metadata:1 [metadata:1]\n");
}

#[test]
fn a_wildcard_finds_what_is_there() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "path": "tags.*", "exists": true}"#,
        "passed resources[0].tags.x:6\npassed resources[0].tags.list[0]:6\npassed resources[0].tags.list[1]:6\n",
    );
    check(SITES, r#"{"resourceType": "A/sites", "path": "none.*", "exists": false}"#, "");
    check(
        SITES,
        r#"{"path": "resources[*].name", "regex": "^(one|two)$"}"#,
        "passed resources[0].name:5\npassed resources[1].name:17\n\
         failed resources[2].name:18 [resources[2].name:18]\n\
         failed resources[3].name:19 [resources[3].name:19]\n\
         failed resources[4].name:20 [resources[4].name:20]\n",
    );
    check(
        SITES,
        r#"{"path": "resources[0].resources[*].name", "exists": true}"#,
        "passed resources[0].resources[0].name:14\n",
    );
}

#[test]
fn an_index_finds_a_resource_of_the_text_or_nothing() {
    check(SITES, r#"{"path": "resources[1].name", "equals": "two"}"#, "passed resources[1].name:17\n");
    check(
        SITES,
        r#"{"path": "resources[9].name", "exists": true}"#,
        "failed resources[9].name:1 [resources[9].name:1]\n",
    );
}

#[test]
fn the_resources_of_a_resource_are_those_that_are_written_in_it() {
    let (sources, mut document) = testing::document(SITES);
    let config = document.resources[0].children[0];
    document.resources[0].children = vec![config, ResourceId(3)];
    let verdicts =
        rules(&[r#"{"resourceType": "A/sites", "path": "resources[*].name", "exists": true}"#]).check(&document);
    assert_eq!(written(&verdicts, &sources), "passed resources[0].resources[0].name:14\n");
}

#[test]
fn a_structured_operator_gives_a_verdict_for_each_scope() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "allOf": [
            {"path": "properties.rules[*].on", "equals": true}, {"path": "tags", "exists": true}]}"#,
        "failed resources[0]:4 [resources[0].properties.rules[1].on:10]\n\
         failed resources[1]:17 [resources[1].tags:17]\n",
    );
    check(
        SITES,
        r#"{"resourceType": "A/sites", "anyOf": [
            {"path": "properties.rules[*].on", "equals": true}, {"path": "name", "equals": "none"}]}"#,
        "passed resources[0]:4\nfailed resources[1]:17 [resources[1].name:17]\n",
    );
    check(SITES, r#"{"anyOf": [{"path": "none[*]", "exists": true}]}"#, "");
}

#[test]
fn not_names_the_values_that_are_to_blame() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "path": "properties.rules[*]", "not": {"path": "on", "equals": true}}"#,
        "failed resources[0].properties.rules[0].on:9 [resources[0].properties.rules[0].on:9]\n\
         passed resources[0].properties.rules[1].on:10\n",
    );
    check(
        SITES,
        r#"{"resourceType": "A/sites", "not": {"anyOf": [
            {"path": "properties.rules[*].on", "equals": true}, {"path": "name", "equals": "none"}]}}"#,
        "failed resources[0]:4 [resources[0].properties.rules[0].on:9]\npassed resources[1]:17\n",
    );
    check(
        SITES,
        r#"{"resourceType": "A/sites", "not": {"not": {"path": "name", "equals": "one"}}}"#,
        "passed resources[0].name:5\nfailed resources[1].name:17 [resources[1].name:17]\n",
    );
}

#[test]
fn where_decides_which_scopes_count() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "path": "properties.rules[*]",
            "where": {"path": "name", "equals": "r1"}, "evaluate": {"path": "on", "equals": false}}"#,
        "passed resources[0].properties.rules[1].on:10\n",
    );
    check(
        SITES,
        r#"{"resourceType": "A/sites", "where": {"path": "none[*]", "exists": true}, "path": "name", "exists": true}"#,
        "",
    );
}

#[test]
fn children_are_found_by_nesting_by_name_and_by_dependency() {
    check(
        SITES,
        r#"{"resourceType": "A/sites", "allOf": [
            {"resourceType": "A/sites/config", "path": "properties.tls", "equals": "1.2"}]}"#,
        "failed resources[0]:4 [resources[0].resources[0].properties.tls:14]\n\
         failed resources[1]:17 [resources[3].properties.tls:19]\n",
    );
    check(
        SITES,
        r#"{"resourceType": "A/sites/config", "path": "properties.tls", "greater": 1}"#,
        "failed resources[0].resources[0].properties.tls:14 [resources[0].resources[0].properties.tls:14]\n\
         failed resources[2].properties.tls:18 [resources[2].properties.tls:18]\n\
         failed resources[3].properties.tls:19 [resources[3].properties.tls:19]\n",
    );
}

#[test]
fn a_grandchild_is_found_through_what_it_depends_on() {
    let template = r#"{"resources": [
  {"type": "A/b", "name": "b"},
  {"type": "A/b/c", "name": "c", "dependsOn": ["b"]},
  {"type": "A/b/c/d", "name": "d", "dependsOn": ["c"]}
]}"#;
    check(
        template,
        r#"{"resourceType": "A/b", "allOf": [{"resourceType": "A/b/c/d", "path": "name", "equals": "x"}]}"#,
        "failed resources[0]:2 [resources[2].name:4]\n",
    );
}

#[test]
fn each_deployment_is_a_root() {
    let template = r#"{"outputs": {}, "resources": [
  {"type": "Microsoft.Resources/deployments", "name": "inner", "properties": {"template": {
    "outputs": {"x": 1},
    "resources": {"store": {"type": "A/b", "name": "b"}}
  }}}
]}"#;
    check(
        template,
        r#"{"path": "outputs.*", "equals": 2}"#,
        "failed resources[0].properties.template.outputs.x:3 [resources[0].properties.template.outputs.x:3]\n",
    );
    check(
        template,
        r#"{"resourceType": "A/b", "path": "name", "exists": true}"#,
        "passed resources[0].properties.template.resources.store.name:4\n",
    );
    check(
        template,
        r#"{"resourceType": "Microsoft.Resources/deployments", "path": "properties.template", "allOf": [
            {"resourceType": "A/b", "path": "name", "equals": "x"}]}"#,
        "failed resources[0].properties.template:2 [resources[0].properties.template.resources.store.name:4]\n",
    );
    check(
        template,
        r#"{"path": "resources.STORE.name", "hasValue": true}"#,
        "failed resources.STORE.name:1 [resources.STORE.name:1]\n\
         passed resources[0].properties.template.resources.store.name:4\n",
    );
}

#[test]
fn only_the_template_of_a_deployment_is_a_root_in_it() {
    let template = r#"{"resources": [
  {"type": "Microsoft.Resources/deployments", "name": "inner", "properties": {"other": {},
    "template": {"resources": [{"type": "A/b", "name": "b"}]}}}
]}"#;
    let inside = |name: &str| {
        format!(
            r#"{{"resourceType": "Microsoft.Resources/deployments", "path": "properties.{name}",
                "not": {{"resourceType": "A/b", "path": "name", "exists": true}}}}"#
        )
    };
    let name = "resources[0].properties.template.resources[0].name:3";
    check(template, &inside("template"), &format!("failed {name} [{name}]\n"));
    check(template, &inside("other"), "");
}

#[test]
fn verdicts_that_look_alike_are_given_once() {
    let (sources, mut document) = testing::document(
        r#"{"resources": [
  {"type": "A/b", "name": "b0", "properties": {"x": 1}},
  {"type": "A/b", "name": "b1", "properties": {"x": 1}},
  {"type": "A/b", "name": "b2", "properties": {"x": 2}}
]}"#,
    );
    // Three iterations of one loop.
    for resource in &mut document.resources {
        resource.path = "resources[0]".to_owned();
    }
    let rule = r#"{"resourceType": "A/b", "path": "properties.x", "equals": 2}"#;
    let verdicts = rules(&[rule, rule]).check(&document);
    let each = "failed resources[0].properties.x:2 [resources[0].properties.x:2]\npassed resources[0].properties.x:4\n";
    assert_eq!(written(&verdicts, &sources), each.repeat(2));
}

#[test]
fn only_rules_of_the_types_at_hand_are_looked_at() {
    let set = rules(&[
        r#"{"resourceType": "A/other", "path": "x", "exists": true}"#,
        r#"{"path": "outputs", "exists": true}"#,
        r#"{"resourceType": "A/Sites", "path": "x", "exists": true}"#,
    ]);
    let (_, document) = testing::document(SITES);
    let types = TypeIndex::new(&document);
    let applicable: Vec<_> =
        set.applicable(&document, &types).into_iter().map(|(rule, _)| rule.resource_type()).collect();
    assert_eq!(applicable, [None, Some("a/sites")]);
    assert_eq!(set.infos().count(), 3);
}

/// [`SITES`], with one member of the first resource's body replaced.
fn with_body(name: &str, value: Value) -> (Sources, Document) {
    let (sources, mut document) = testing::document(SITES);
    let body = &mut document.resources[0].body;
    let replaced = |member: &Member| {
        if *member.key == *name { Member { value: value.clone(), ..member.clone() } } else { member.clone() }
    };
    let members = body.as_object().into_iter().flatten().map(replaced).collect();
    *body = Value { span: body.span, ..Value::object(members) };
    (sources, document)
}

#[track_caller]
fn check_unknown(evaluation: &str, expected: &str) {
    let unknown = Value::unknown(Unknown::new(Kind::Object, "parameter `p` has no value"));
    let (sources, document) = with_body("properties", unknown);
    let verdicts = rules(&[evaluation]).check(&document);
    let first: Vec<Verdict> = verdicts.into_iter().filter(|verdict| verdict.resource == Some(ResourceId(0))).collect();
    assert_eq!(written(&first, &sources), expected, "{evaluation}");
    for verdict in first.iter().filter(|verdict| verdict.outcome == Outcome::Unknown) {
        assert_eq!(verdict.message, "it should: not known before the deployment, because parameter `p` has no value");
    }
}

#[test]
fn what_is_below_an_unknown_is_unknown() {
    let evaluation = r#"{"resourceType": "A/sites", "path": "properties.x", "equals": 1}"#;
    check_unknown(evaluation, "unknown resources[0].properties.x:7 [resources[0].properties.x:7]\n");
    let evaluation = r#"{"resourceType": "A/sites", "path": "properties.list[*].x", "equals": 1}"#;
    check_unknown(evaluation, "unknown resources[0].properties.list[*].x:7 [resources[0].properties.list[*].x:7]\n");
    let evaluation = r#"{"resourceType": "A/sites", "path": "properties", "hasValue": true}"#;
    check_unknown(evaluation, "passed resources[0].properties:7\n");
}

/// Returns the outcome of a rule about a path for the first site, if its properties have this value.
fn outcome(properties: Value, path: &str, operator: &str) -> &'static str {
    let (_, document) = with_body("properties", properties);
    let rule = format!(r#"{{"resourceType": "A/sites", "path": "{path}", {operator}}}"#);
    let verdicts = rules(&[&rule]).check(&document);
    let first = verdicts.iter().find(|verdict| verdict.resource == Some(ResourceId(0)));
    first.map_or("nothing", |verdict| verdict.outcome.as_str())
}

#[test]
fn the_kind_of_an_unknown_tells_what_can_be_in_it() {
    for (path, kinds) in [
        ("properties.x", [Kind::Any, Kind::Object]),
        ("properties[0]", [Kind::Any, Kind::Array]),
        ("properties[*].x", [Kind::Any, Kind::Array]),
        ("properties.*", [Kind::Any, Kind::Object]),
    ] {
        for kind in [Kind::Any, Kind::Object, Kind::Array, Kind::String] {
            let value = Value::unknown(Unknown::new(kind, "a test says so"));
            let found = outcome(value, path, r#""equals": 1"#);
            assert_eq!(found == "unknown", kinds.contains(&kind), "{path} of {kind:?}: {found}");
        }
    }
}

#[test]
fn of_an_unknown_only_what_is_certain_counts() {
    let known = Value::object(vec![Member::new("x", 1.into())]);
    let open = || Value::unknown(Unknown::open("a test says so", known.clone()));
    assert_eq!(outcome(open(), "properties.x", r#""equals": 1"#), "passed");
    assert_eq!(outcome(open(), "properties.x", r#""equals": 2"#), "failed");
    assert_eq!(outcome(open(), "properties.y", r#""equals": 1"#), "unknown");
    let likely = Value::unknown(Unknown::like(Kind::Object, "a test says so", known.clone()));
    assert_eq!(outcome(likely, "properties.x", r#""equals": 2"#), "unknown");
}

#[test]
fn an_unknown_that_changes_nothing_does_not_matter() {
    let any = |second: &str| {
        format!(r#"{{"resourceType": "A/sites", "anyOf": [{{"path": "properties.x", "equals": 1}}, {second}]}}"#)
    };
    check_unknown(&any(r#"{"path": "name", "equals": "one"}"#), "passed resources[0]:4\n");
    check_unknown(&any(r#"{"path": "name", "equals": "x"}"#), "unknown resources[0]:4 [resources[0].properties.x:7]\n");
    let all = any(r#"{"path": "name", "equals": "x"}"#).replace("anyOf", "allOf");
    check_unknown(&all, "failed resources[0]:4 [resources[0].name:5] [resources[0].properties.x:7]\n");
    check_unknown(&format!(r#"{{"not": {all}}}"#), "passed resources[0]:4\n");
}

#[test]
fn a_condition_that_is_unknown_leaves_open_whether_a_rule_applies() {
    let rule = |operator: &str| {
        let condition = r#""where": {"path": "properties.x", "equals": 1}"#;
        format!(r#"{{"resourceType": "A/sites", {condition}, "evaluate": {{"path": "name", {operator}}}}}"#)
    };
    check_unknown(&rule(r#""equals": "one""#), "passed resources[0].name:5\n");
    check_unknown(&rule(r#""equals": "x""#), "unknown resources[0].name:5 [resources[0].name:5]\n");
}

#[test]
fn a_resource_that_is_perhaps_deployed_is_checked_as_if_it_were() {
    let (sources, mut document) = testing::document(SITES);
    document.resources[0].presence = Presence::Maybe(Unknown::new(Kind::Bool, "parameter `p` has no value").into());
    let verdicts = rules(&[r#"{"resourceType": "A/sites", "path": "name", "equals": "x"}"#]).check(&document);
    assert_eq!(
        written(&verdicts, &sources),
        "failed resources[0].name:5 [resources[0].name:5]\nfailed resources[1].name:17 [resources[1].name:17]\n"
    );
}

#[test]
fn a_value_from_elsewhere_is_shown_where_it_is_used() {
    let (sources, _) = testing::document(SITES);
    let defaults = "{\n\n\"x\": {\"on\": 5}}";
    let file = sources.add("defaults.json", defaults);
    let text: ArcStr = defaults.into();
    let settings = syntax::json::parse(file, &text, 9).value.unwrap();
    let inner = settings.get("x").unwrap().clone();
    let via = |step: Step, earlier: Option<Arc<Via>>| Via::new(step, inner.span, earlier);
    let parameter = via(Step::Parameter(Str::from("p")), None);
    let value = inner.clone().through(Some(via(Step::Variable(Str::from("v")), Some(parameter))));
    let (_, document) = with_body("properties", value);
    let verdicts = rules(&[r#"{"resourceType": "A/sites", "path": "properties.on", "equals": 1}"#]).check(&document);
    let leaf = &verdicts[0].leaves[0];
    assert_eq!(sources.range(leaf.span).0.line, 7);
    assert_eq!(leaf.actual.as_ref().map(ToString::to_string).as_deref(), Some("5"));
    let related: Vec<_> = leaf
        .related
        .iter()
        .map(|label| (label.role.text(&label.message), sources.range(label.span).0.column))
        .collect();
    assert_eq!(related, [("value comes from variable `v`".into(), 13), ("value comes from parameter `p`".into(), 6)]);
}

#[track_caller]
fn says(evaluation: &str, expected: &str) {
    let (_, document) = testing::document(SITES);
    let verdicts = rules(&[evaluation]).check(&document);
    assert_eq!(verdicts[0].message, expected, "{evaluation}");
}

#[test]
fn a_message_says_what_was_found_and_wanted() {
    let site = |rest: &str| format!(r#"{{"resourceType": "A/sites", {rest}}}"#);
    says(&site(r#""path": "name", "equals": "one""#), "it should");
    says(&site(r#""path": "name", "equals": "x""#), "it should: `name` is `\"one\"`; expected `\"x\"`");
    says(
        &site(r#""path": "name", "notEquals": "one""#),
        "it should: `name` is `\"one\"`; expected anything other than `\"one\"`",
    );
    says(&site(r#""path": "zones", "exists": true"#), "it should: `zones` is missing");
    says(&site(r#""path": "name", "exists": false"#), "it should: `name` must not be set");
    says(&site(r#""path": "zones", "hasValue": true"#), "it should: `zones` is missing; expected a value");
    says(&site(r#""path": "tags.list[1]", "in": [1, 2]"#), "it should: `list[1]` is `6`; expected `1` or `2`");
    says(&site(r#""path": "tags.list[1]", "less": 5"#), "it should: `list[1]` is `6`; expected less than `5`");
    says(&site(r#""path": "tags.list[1]", "lessOrEquals": 5"#), "it should: `list[1]` is `6`; expected at most `5`");
    says(&site(r#""path": "tags.list[1]", "greater": 6"#), "it should: `list[1]` is `6`; expected more than `6`");
    says(
        &site(r#""path": "tags.list[1]", "greaterOrEquals": 7"#),
        "it should: `list[1]` is `6`; expected at least `7`",
    );
    let seven = "`1`, `2`, `3`, `4`, `5`, `7`, `8`";
    says(
        &site(r#""path": "tags.list[1]", "in": [1, 2, 3, 4, 5, 7, 8, 9]"#),
        &format!("it should: `list[1]` is `6`; expected {seven}, or `9`"),
    );
    says(
        &site(r#""path": "tags.list[1]", "in": [1, 2, 3, 4, 5, 7, 8, 9, 10]"#),
        &format!("it should: `list[1]` is `6`; expected {seven}, `9`, or others"),
    );
    says(
        &site(r#""path": "name", "regex": "^x""#),
        "it should: `name` is `\"one\"`; expected a value that begins with `x`",
    );
    says(
        &site(r#""not": {"path": "name", "regex": "o"}"#),
        "it should: `name` is `\"one\"`; expected a value that does not contain `o`",
    );
    says(
        &site(r#""path": "name", "regex": "^x?$""#),
        "it should: `name` is `\"one\"`; expected a value that matches `^x?$`",
    );
}

#[test]
fn a_message_says_whether_it_takes_one_or_all() {
    let site = |rest: &str| format!(r#"{{"resourceType": "A/sites", {rest}}}"#);
    let six = r#"{"path": "tags.list[1]", "greaterOrEquals": 90}, {"path": "tags.list[1]", "equals": 0}"#;
    says(&site(&format!(r#""anyOf": [{six}]"#)), "it should: `list[1]` is `6`; expected at least `90` or `0`");
    says(
        &site(&format!(r#""allOf": [{six}]"#)),
        "it should: `list[1]` is `6`, expected at least `90`; `list[1]` is `6`, expected `0`",
    );
    says(
        &site(
            r#""anyOf": [{"path": "a", "exists": true}, {"path": "b", "exists": true},
                  {"path": "c", "exists": true}, {"path": "d", "exists": true}]"#,
        ),
        "it should: `a` is missing; or `b` is missing; or `c` is missing; or 1 more",
    );
    // Only where each alone is enough is it a choice.
    let all = "it should: `a` is missing; `b` is missing; `c` is missing";
    let (a, b, c) =
        (r#"{"path": "a", "exists": true}"#, r#"{"path": "b", "exists": true}"#, r#"{"path": "c", "exists": true}"#);
    says(&site(&format!(r#""allOf": [{a}, {{"path": "name", "exists": true}}, {{"anyOf": [{b}, {c}]}}]"#)), all);
    says(&site(&format!(r#""anyOf": [{{"allOf": [{a}, {b}]}}, {c}]"#)), all);
    says(
        &site(&format!(r#""allOf": [{{"path": "name", "exists": true}}, {{"anyOf": [{b}, {c}]}}]"#)),
        "it should: `b` is missing; or `c` is missing",
    );
}

#[test]
fn what_a_value_holds_is_said_without_showing_all_of_it() {
    let says = |value: Value, operator: &str, expected: &str| {
        let (_, document) = with_body("name", value);
        let evaluation = format!(r#"{{"resourceType": "A/sites", "not": {{"path": "name", {operator}}}}}"#);
        assert_eq!(rules(&[&evaluation]).check(&document)[0].message, expected);
    };
    let names = Value::array(vec!["a".into(), "b".into()]);
    says(names, r#""containsAny": ["a"]"#, "it should: `name` contains `a`");
    says("a,b".into(), r#""containsAny": ["a"]"#, "it should: `name` is `\"a,b\"`, which contains `a`");
    let secret = Value::from("hunter2").with_traits(Traits::SECRET);
    says(secret, r#""secret": true"#, "it should: `name` holds a secret");
    says("x".into(), r#""secret": false"#, "it should: `name` holds no secret");
}

#[test]
fn of_a_value_that_is_known_in_part_the_message_shows_what_is_likely() {
    let says = |value: Value, operator: &str, expected: &str| {
        let (_, document) = with_body("name", value);
        let verdicts =
            rules(&[&format!(r#"{{"resourceType": "A/sites", "path": "name", {operator}}}"#)]).check(&document);
        assert_eq!(verdicts[0].message, expected, "{operator}");
        assert_eq!(verdicts[0].leaves[0].actual, None);
    };
    let ends = Ends { start: "a-".to_owned(), ..Ends::default() };
    let unknown = Unknown::like(Kind::String, "a test says so", "a-${x}".into()).between(ends);
    let partial = Value::unknown(unknown);
    let shown = "it should: `name` is `\"a-${x}\"`; expected `\"x\"`";
    says(partial.clone(), r#""equals": "x""#, shown);
    let hidden = "it should: `name` is not known; expected `\"x\"`";
    says(partial.with_traits(Traits::SECRET), r#""equals": "x""#, hidden);
    says(Value::unknown(Unknown::new(Kind::Int, "a test says so")), r#""equals": "x""#, hidden);
}

#[test]
fn a_long_value_is_cut() {
    let (_, document) = with_body("properties", Value::from("é".repeat(5000)));
    let verdicts = rules(&[r#"{"resourceType": "A/sites", "path": "properties", "equals": 1}"#]).check(&document);
    let leaf = &verdicts[0].leaves[0];
    assert_eq!(leaf.actual.as_ref().map(|value| value.to_string().chars().count()), Some(101));
}

#[test]
fn a_name_and_its_value_are_shown_together_where_they_share_a_line() {
    let (sources, document) = testing::document("{\"a\": 1, \"b\":\n  2, \"c\"  :  3}");
    let verdicts = rules(&[r#"{"path": "*", "equals": 0}"#]).check(&document);
    let shown: Vec<String> = verdicts
        .iter()
        .map(|label| sources.get(label.span.file).text()[label.span.start as usize..label.span.end as usize].to_owned())
        .collect();
    assert_eq!(shown, ["\"a\": 1", "2", "3"]);
}

/// Calls double the steps, and replacements the text. Each of these rules is named, and their neighbor has its verdict.
#[test]
fn guard_rules_that_take_too_much_are_named_and_others_are_evaluated() {
    let (sources, document) = testing::document(SITES);
    let mut text = "rule p0(x) { %x exists }\nlet v0 = 'ab'\n".to_owned();
    for at in 0..40 {
        let _ = writeln!(text, "rule p{}(x) {{\n  p{at}(%x)\n  p{at}(%x)\n}}", at + 1);
        let _ = writeln!(text, "let v{} = regex_replace(%v{at}, '(.*)', '${{1}}${{1}}')", at + 1);
    }
    text.push_str(
        "rule calls {\n  p40(resources)\n}\nrule texts {\n  %v40 == 'x'\n}\nrule fails {\n  resources !exists\n}\n",
    );
    let file = sources.add("own.guard", text.as_str());
    let (rules, problems) = guard3::parse(file, "own.guard", sources.get(file).text());
    assert!(problems.is_empty(), "{problems:#?}");
    let Checked { made, exceeded } = RuleSet::new(rules).check_with(&document, |verdicts| verdicts);
    let mut names: Vec<&str> = exceeded.iter().map(|rule| rule.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[0].contains("calls") && names[1].contains("texts"), "{names:?}");
    let failed = made.iter().flatten().filter(|verdict| verdict.outcome == Outcome::Failed);
    assert_eq!(failed.count(), 1);
}
