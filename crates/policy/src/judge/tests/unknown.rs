//! Tests that unknown IDs, scopes, changes, and related resources decide nothing.

use super::*;
use crate::value::Member;

const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg";

fn unknown(approximation: &str) -> Value {
    Value::unknown(Unknown::like(Kind::String, "a test says so", Value::from(approximation)))
}

fn outcome(judged: &Judged, at: usize) -> &'static str {
    match judged.verdicts.get(at).map(|verdict| (verdict.outcome, verdict.standing)) {
        None => "none",
        Some((_, Standing::Conditional)) => "conditional",
        Some((Outcome::None, _)) => "none",
        Some((Outcome::Effect(effect), _)) => effect.as_str(),
        Some((Outcome::Unknown, _)) => "unknown",
    }
}

/// Definitions by their rules, each assigned at the root.
fn all(rules: &[&str]) -> Policies {
    let definition = |(at, rule): (usize, &&str)| {
        let text = format!(r#"{{"name": "d{at}", "properties": {{"mode": "All", "policyRule": {rule}}}}}"#);
        Arc::new(Definition::read(&read(&text)))
    };
    let assignment =
        |at: usize| Assignment::read(&read(&format!(r#"{{"policyDefinitionId": "d{at}", "scope": "/"}}"#)));
    Policies {
        definitions: rules.iter().enumerate().map(definition).collect(),
        assignments: (0..rules.len()).map(assignment).collect(),
        ..Policies::default()
    }
}

#[test]
fn an_id_with_unknown_parts_is_unknown() {
    let of_name = || Request {
        id: Str::from(format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/st-guess")),
        name: unknown("st-guess"),
        approximate: vec![Str::from("st-guess")],
        ..request(read("{}"))
    };
    let of_group = || Request { approximate: vec![Str::from("rg")], ..request(read("{}")) };
    let check = |condition: &str, request: Request, expected: &str| {
        let rule = format!(r#"{{"if": {condition}, "then": {{"effect": "deny"}}}}"#);
        let judged = InForce::new(&all(&[&rule])).judge(&[request], &Surroundings::default());
        assert_eq!(outcome(&judged[0], 0), expected, "{condition}");
    };
    check(r#"{"field": "id", "like": "*guess"}"#, of_name(), "unknown");
    check(r#"{"value": "[resourceGroup().name]", "equals": "rg"}"#, of_name(), "deny");
    check(r#"{"value": "[resourceGroup().name]", "equals": "rg"}"#, of_group(), "unknown");
    check(r#"{"field": "id", "like": "*st"}"#, of_group(), "unknown");
    let rule = r#"{"if": {"field": "name", "like": "*"}, "then": {"effect": "deny"}}"#;
    let at = |scope: &str, request: Request| {
        let policies = assigned(rule, &format!(r#"{{"properties": {{"scope": "{scope}"}}}}"#));
        outcome(&InForce::new(&policies).judge(&[request], &Surroundings::default())[0], 0)
    };
    assert_eq!(at(GROUP, of_group()), "conditional");
    assert_eq!(at("/subscriptions/00000000-0000-0000-0000-000000000001", of_group()), "deny");
    assert_eq!(at("/subscriptions/00000000-0000-0000-0000-000000000002", of_group()), "none");
}

#[test]
fn an_unknown_management_group_is_not_the_one_in_the_id() {
    let rule = r#"{"if": {"field": "name", "like": "*"}, "then": {"effect": "deny"}}"#;
    let groups = "/providers/Microsoft.Management/managementGroups";
    let sent = |approximate: &[&str]| Request {
        id: Str::from(format!("{groups}/corp/providers/Microsoft.Authorization/roleAssignments/x")),
        approximate: approximate.iter().copied().map(Str::from).collect(),
        type_name: Str::from("Microsoft.Authorization/roleAssignments"),
        ..request(read("{}"))
    };
    let surroundings = Surroundings { management_groups: Some(vec![Str::from("corp")]), ..Surroundings::default() };
    let at = |group: &str, request: Request| {
        let policies = assigned(rule, &format!(r#"{{"properties": {{"scope": "{groups}/{group}"}}}}"#));
        outcome(&InForce::new(&policies).judge(&[request], &surroundings)[0], 0)
    };
    assert_eq!([at("corp", sent(&[])), at("other", sent(&[]))], ["deny", "none"]);
    assert_eq!([at("corp", sent(&["corp"])), at("other", sent(&["corp"]))], ["conditional", "conditional"]);
}

#[test]
fn what_settings_say_of_a_group_is_not_true_of_others() {
    let described = |name: &str| Surroundings {
        resource_group: Some(read(&format!(r#"{{"name": "{name}", "location": "westeurope"}}"#))),
        ..Surroundings::default()
    };
    let rule = r#"{"if": {"value": "[resourceGroup().location]", "equals": "westeurope"}, "then": {"effect": "deny"}}"#;
    let policies = all(&[rule]);
    let judge = |surroundings: &Surroundings| {
        outcome(&InForce::new(&policies).judge(&[request(read("{}"))], surroundings)[0], 0)
    };
    assert_eq!([judge(&described("RG")), judge(&described("other"))], ["deny", "unknown"]);
    let subscription = Some(read(r#"{"subscriptionId": "00000000-0000-0000-0000-000000000002"}"#));
    assert_eq!(judge(&Surroundings { subscription, ..described("rg") }), "unknown");
}

/// Unknown conditions of ten policies leave open whether each changes the request, so it may have the result of any of
/// them.
#[test]
fn changes_that_are_not_decided_may_happen_or_not() {
    let change = |at: usize| {
        format!(
            r#"{{"if": {{"value": "[utcNow()]", "notEquals": "{at}"}}, "then": {{"effect": "modify", "details": {{"operations": [
            {{"operation": "addOrReplace", "field": "tags.t{at}", "value": "x"}}]}}}}}}"#
        )
    };
    let changes: Vec<String> = (0..10).map(change).collect();
    let missing =
        |tag: &str| format!(r#"{{"if": {{"field": "tags.{tag}", "exists": false}}, "then": {{"effect": "deny"}}}}"#);
    let denies = [missing("t9"), missing("t0"), missing("other")];
    let rules: Vec<&str> = changes.iter().chain(&denies).map(String::as_str).collect();
    let judged = InForce::new(&all(&rules)).judge(&[request(read("{}"))], &Surroundings::default());
    assert_eq!([10, 11, 12].map(|at| outcome(&judged[0], at)), ["unknown", "unknown", "deny"]);
}

#[test]
fn a_change_of_an_unknown_property_may_be_of_any() {
    let change = r#"{"if": {"field": "tags.a", "exists": true}, "then": {"effect": "modify", "details": {"operations": [
        {"operation": "addOrReplace", "field": "[concat('tags[', field('tags.a'), ']')]", "value": "x"}]}}}"#;
    let deny = r#"{"if": {"field": "tags.b", "exists": false}, "then": {"effect": "deny"}}"#;
    let policies = all(&[change, deny]);
    let judge = |tag: Value| {
        let body = Value::object(vec![Member::new("tags", Value::object(vec![Member::new("a", tag)]))]);
        let judged = InForce::new(&policies).judge(&[request(body)], &Surroundings::default());
        [outcome(&judged[0], 0), outcome(&judged[0], 1)]
    };
    assert_eq!(judge(Value::from("c")), ["modify", "deny"]);
    assert_eq!(judge(unknown("c")), ["unknown", "unknown"]);
}

/// An unknown operation leaves open if the others happen, also beside another policy with one of them.
#[test]
fn an_operation_that_is_not_known_leaves_the_others_open() {
    let operation = |field: &str| format!(r#"{{"operation": "addOrReplace", "field": "{field}", "value": "x"}}"#);
    let change = |operations: &[String]| {
        format!(
            r#"{{"if": {{"field": "name", "like": "*"}}, "then": {{"effect": "modify", "details": {{"operations": [{}]}}}}}}"#,
            operations.join(", ")
        )
    };
    let strange = || operation("Microsoft.Storage/storageAccounts/someNewThing");
    let both = [change(&[operation("tags.a"), strange()]), change(&[strange(), operation("tags.a")])];
    let missing = r#"{"if": {"field": "tags.a", "exists": false}, "then": {"effect": "deny"}}"#;
    let other = r#"{"if": {"field": "tags.b", "exists": false}, "then": {"effect": "deny"}}"#;
    for change in &both {
        let judged =
            InForce::new(&all(&[change, missing, other])).judge(&[request(read("{}"))], &Surroundings::default());
        assert_eq!([0, 1, 2].map(|at| outcome(&judged[0], at)), ["unknown", "unknown", "deny"], "{change}");
    }
    let judged = InForce::new(&all(&[&both[0], &change(&[operation("tags.a")])]))
        .judge(&[request(read("{}"))], &Surroundings::default());
    assert_eq!([0, 1].map(|at| outcome(&judged[0], at)), ["unknown", "unknown"]);
    // An operation that fails denies, whatever the others do.
    let fails = r#"{"operation": "addOrReplace", "field": "tags.a", "value": "[substring('', 0, 3)]"}"#.to_owned();
    let perhaps = fails.replace('{', r#"{"condition": "[equals(utcNow(), 'x')]", "#);
    assert_eq!(effect(&change(&[strange(), operation("tags.a"), fails]), read("{}"), "{}").0, "deny");
    assert_eq!(effect(&change(&[operation("tags.a"), perhaps]), read("{}"), "{}").0, "unknown");
}

/// The operations of a policy whose condition is false do not matter.
#[test]
fn a_policy_that_does_not_apply_changes_nothing() {
    let rule = r#"{"if": {"field": "tags.a", "exists": true}, "then": {"effect": "modify", "details": {"operations": [
        {"operation": "explode", "field": "tags.b", "value": "x"}]}}}"#;
    assert_eq!(effect(rule, read("{}"), "{}").0, "none");
    assert_eq!(effect(rule, read(r#"{"tags": {"a": "x"}}"#), "{}").0, "unknown");
}

#[test]
fn overrides_that_may_count_leave_the_effect_open() {
    let change = r#"{"if": {"field": "name", "like": "*"}, "then": {"effect": "modify", "details": {"operations": [
        {"operation": "addOrReplace", "field": "tags.a", "value": "x"}]}}}"#;
    let deny = r#"{"if": {"field": "tags.a", "exists": false}, "then": {"effect": "deny"}}"#;
    let mut policies = all(&[change, deny]);
    let overrides = r#"{"policyDefinitionId": "d0", "scope": "/", "overrides": [{"kind": "policyEffect", "value": "disabled",
        "selectors": [{"kind": "userPrincipalId", "in": ["x"]}]}]}"#;
    policies.assignments[0] = Assignment::read(&read(overrides));
    let judged = InForce::new(&policies).judge(&[request(read("{}"))], &Surroundings::default());
    assert_eq!([outcome(&judged[0], 0), outcome(&judged[0], 1)], ["unknown", "unknown"]);
    let mut other = all(&[&change.replace(r#""name", "like": "*""#, r#""tags.z", "exists": true"#), deny]);
    other.assignments[0] = Assignment::read(&read(overrides));
    let judged = InForce::new(&other).judge(&[request(read("{}"))], &Surroundings::default());
    assert_eq!([outcome(&judged[0], 0), outcome(&judged[0], 1)], ["none", "deny"]);
}

#[test]
fn an_override_selects_a_major_version() {
    let definition = r#"{"name": "it", "properties": {"mode": "All", "version": "2.1.0", "policyRule":
        {"if": {"field": "name", "like": "*"}, "then": {"effect": "deny"}}}}"#;
    for (version, expected) in [("2.*.*", "deny"), ("1.*.*", "unknown"), ("*.*.*", "deny")] {
        let assignment = format!(
            r#"{{"policyDefinitionId": "it", "scope": "/", "overrides": [{{"kind": "policyVersion", "value": "{version}"}}]}}"#
        );
        let policies = Policies {
            definitions: vec![Arc::new(Definition::read(&read(definition)))],
            assignments: vec![Assignment::read(&read(&assignment))],
            ..Policies::default()
        };
        let judged = InForce::new(&policies).judge(&[request(read("{}"))], &Surroundings::default());
        assert_eq!(outcome(&judged[0], 0), expected, "{version}");
    }
}

#[test]
fn a_rule_that_may_fail_before_it_excludes_a_resource_denies() {
    let rule = r#"{"if": {"field": "name", "in": ["[substring('', 0, 3)]"]}, "then": {"effect": "audit"}}"#;
    assert_eq!(effect(rule, read("{}"), "{}").0, "deny");
}

#[test]
fn a_rule_has_at_most_4096_conditions() {
    let rule = |count: usize| {
        let all = vec![r#"{"field": "name", "like": "*"}"#; count - 1].join(", ");
        format!(r#"{{"if": {{"allOf": [{all}]}}, "then": {{"effect": "audit"}}}}"#)
    };
    assert_eq!([4_096, 4_097].map(|count| effect(&rule(count), read("{}"), "{}").0), ["audit", "unknown"]);
}

#[test]
fn a_related_resource_counts_only_if_it_is_certain() {
    let rule = |details: &str| {
        let details = format!(
            r#"{{"type": "Microsoft.Storage/storageAccounts/blobServices", "existenceCondition":
            {{"field": "Microsoft.Storage/storageAccounts/blobServices/isVersioningEnabled", "equals": true}}, {details}}}"#
        );
        format!(
            r#"{{"if": {{"field": "type", "equals": "Microsoft.Storage/storageAccounts"}},
            "then": {{"effect": "auditIfNotExists", "details": {details}}}}}"#
        )
    };
    let account = || request(read(r#"{"tags": {"a": "x"}}"#));
    let blob = |enabled: bool| Request {
        id: Str::from(format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/st/blobServices/default")),
        type_name: Str::from("Microsoft.Storage/storageAccounts/blobServices"),
        name: Value::from("st/default"),
        ..request(read(&format!(r#"{{"properties": {{"isVersioningEnabled": {enabled}}}}}"#)))
    };
    let named = rule(r#""name": "default""#);
    let open = rule(r#""name": "[concat('default', utcNow())]""#);
    let unsure = || Request { approximate: vec![Str::from("st")], name: unknown("st"), ..account() };
    let maybe = |enabled: bool| Request { doubt: Some(Str::from("a test says so")), ..blob(enabled) };
    for (rule, own, related, expected) in [
        (&named, account(), vec![blob(true)], "none"),
        (&named, account(), vec![blob(false)], "auditIfNotExists"),
        (&named, account(), vec![], "unknown"),
        (&named, account(), vec![maybe(true)], "unknown"),
        (&named, account(), vec![maybe(false)], "unknown"),
        (&named, account(), vec![maybe(true), blob(false)], "unknown"),
        (&named, unsure(), vec![blob(false)], "unknown"),
        (&named, unsure(), vec![blob(true)], "unknown"),
        (&open, account(), vec![blob(true)], "unknown"),
        (&open, account(), vec![blob(false)], "unknown"),
    ] {
        let requests: Vec<Request> = std::iter::once(own).chain(related).collect();
        let judged = InForce::new(&all(&[rule])).judge(&requests, &Surroundings::default());
        assert_eq!(outcome(&judged[0], 0), expected, "{rule} {requests:?}");
    }
}

/// Settings of diagnostics of one vault say nothing of another.
#[test]
fn an_extension_is_related_to_what_it_extends() {
    let rule = r#"{"if": {"field": "type", "equals": "Microsoft.KeyVault/vaults"}, "then": {"effect": "auditIfNotExists", "details":
        {"type": "Microsoft.Insights/diagnosticSettings", "name": "x", "existenceCondition":
        {"field": "Microsoft.Insights/diagnosticSettings/workspaceId", "equals": "w"}}}}"#;
    let vault = |name: &str| Request {
        id: Str::from(format!("{GROUP}/providers/Microsoft.KeyVault/vaults/{name}")),
        type_name: Str::from("Microsoft.KeyVault/vaults"),
        name: Value::from(name),
        ..request(read("{}"))
    };
    let settings = |of: &Request, workspace: &str| Request {
        id: Str::from(format!("{}/providers/Microsoft.Insights/diagnosticSettings/x", of.id)),
        approximate: of.approximate.clone(),
        type_name: Str::from("Microsoft.Insights/diagnosticSettings"),
        name: Value::from("x"),
        ..request(read(&format!(r#"{{"properties": {{"workspaceId": "{workspace}"}}}}"#)))
    };
    let unsure = || Request { approximate: vec![Str::from("kv2")], name: unknown("kv2"), ..vault("kv2") };
    for (own, of, workspace, expected) in [
        (vault("kv1"), vault("kv1"), "w", "none"),
        (vault("kv1"), vault("kv1"), "other", "auditIfNotExists"),
        (vault("kv1"), vault("kv2"), "w", "unknown"),
        (vault("kv1"), vault("kv2"), "other", "unknown"),
        (vault("kv1"), unsure(), "w", "unknown"),
        (unsure(), vault("kv1"), "other", "unknown"),
        (unsure(), unsure(), "other", "unknown"),
    ] {
        let requests = [own, settings(&of, workspace)];
        let judged = InForce::new(&all(&[rule])).judge(&requests, &Surroundings::default());
        assert_eq!(outcome(&judged[0], 0), expected, "{workspace} {requests:?}");
    }
}

/// A name with fewer segments than the type may be that of several resources, below different parents.
#[test]
fn the_name_of_a_related_resource_has_a_segment_for_each_of_its_type() {
    const DATABASE: &str = "Microsoft.Sql/servers/databases";
    let rule = |own: &str, name: &str| {
        format!(
            r#"{{"if": {{"field": "type", "equals": "{own}"}}, "then": {{"effect": "auditIfNotExists", "details":
            {{"type": "{DATABASE}", "name": "{name}", "existenceCondition": {{"field": "tags.ok", "equals": "y"}}}}}}}}"#
        )
    };
    let sent = |type_name: &str, path: &str, name: &str, tag: &str| Request {
        id: Str::from(format!("{GROUP}/providers/{path}")),
        type_name: Str::from(type_name),
        name: Value::from(name),
        ..request(read(&format!(r#"{{"tags": {{"ok": "{tag}"}}}}"#)))
    };
    let site = || sent("Microsoft.Web/sites", "Microsoft.Web/sites/w", "w", "");
    let server = || sent("Microsoft.Sql/servers", "Microsoft.Sql/servers/srv1", "srv1", "");
    let database = |tag: &str| sent(DATABASE, "Microsoft.Sql/servers/srv1/databases/db", "srv1/db", tag);
    for (own, name, tag, expected) in [
        (site(), "srv1/db", "y", "none"),
        (site(), "srv1/db", "n", "auditIfNotExists"),
        (site(), "srv2/db", "y", "unknown"),
        (site(), "srv2/db", "n", "unknown"),
        (site(), "db", "y", "none"),
        (site(), "db", "n", "unknown"),
        (server(), "db", "n", "auditIfNotExists"),
        (server(), "srv1/db", "n", "auditIfNotExists"),
        (database("n"), "db", "n", "auditIfNotExists"),
    ] {
        let rule = rule(&own.type_name, name);
        let requests = [own, database(tag)];
        let judged = InForce::new(&all(&[&rule])).judge(&requests, &Surroundings::default());
        assert_eq!(outcome(&judged[0], 0), expected, "{rule} {tag}");
    }
}

/// Two policies are in conflict about one property for certain, and perhaps with a third about another.
#[test]
fn a_certain_conflict_denies_whatever_else_is_in_conflict() {
    let change = |condition: &str, tags: &[&str]| {
        let operation = |tag: &&str| format!(r#"{{"operation": "addOrReplace", "field": "tags.{tag}", "value": "x"}}"#);
        let operations = tags.iter().map(operation).collect::<Vec<_>>().join(", ");
        format!(r#"{{"if": {condition}, "then": {{"effect": "modify", "details": {{"operations": [{operations}]}}}}}}"#)
    };
    let (always, perhaps) = (r#"{"field": "name", "like": "*"}"#, r#"{"value": "[utcNow()]", "notEquals": "x"}"#);
    for (certain, open) in [("a", "z"), ("z", "a")] {
        let rules = [change(always, &[certain, open]), change(always, &[certain]), change(perhaps, &[open])];
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        let judged = InForce::new(&all(&rules)).judge(&[request(read("{}"))], &Surroundings::default());
        assert_eq!([0, 1, 2].map(|at| outcome(&judged[0], at)), ["deny", "deny", "unknown"], "{certain}");
    }
}

/// A name of which only an end is known is compared by it.
#[test]
fn the_known_ends_of_a_name_decide() {
    let child = |start: &str, end: &str| Request {
        id: Str::from(format!("{GROUP}/providers/Microsoft.EventHub/namespaces/ns/authorizationRules/x")),
        type_name: Str::from("Microsoft.EventHub/namespaces/authorizationRules"),
        name: Value::unknown(Unknown::new(Kind::String, "a test says so").between(crate::value::Ends {
            start: start.to_owned(),
            end: end.to_owned(),
            ..crate::value::Ends::default()
        })),
        ..request(read("{}"))
    };
    let check = |condition: &str, request: Request, expected: &str| {
        let rule = format!(r#"{{"if": {condition}, "then": {{"effect": "deny"}}}}"#);
        let judged = InForce::new(&all(&[&rule])).judge(&[request], &Surroundings::default());
        assert_eq!(outcome(&judged[0], 0), expected, "{condition}");
    };
    let root = |start: &str| child(start, "/RootManage");
    check(r#"{"field": "name", "equals": "rootmanage"}"#, root(""), "deny");
    check(r#"{"field": "name", "notEquals": "rootmanage"}"#, root("ns"), "none");
    check(r#"{"field": "name", "equals": "other"}"#, root(""), "none");
    check(r#"{"field": "fullName", "like": "*/rootmanage"}"#, root(""), "deny");
    check(r#"{"field": "fullName", "like": "ns-*"}"#, root("ns-a"), "deny");
    check(r#"{"field": "fullName", "notLike": "other*"}"#, root("ns-a"), "deny");
    check(r#"{"field": "fullName", "contains": "manage"}"#, root(""), "deny");
    check(r#"{"field": "fullName", "like": "ns-*"}"#, root("n"), "unknown");
    check(r#"{"field": "name", "like": "*-suffix"}"#, child("ns", "x-suffix"), "deny");
    check(r#"{"field": "name", "like": "ns*"}"#, child("ns", "x-suffix"), "unknown");
}
