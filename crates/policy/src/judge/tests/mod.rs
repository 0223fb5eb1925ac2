//! Tests of policies on one storage account.

mod exemptions;
mod explain;
mod unknown;

use std::sync::Arc;

use formwork_syntax::json;

use crate::model::Limits;
use crate::text::Sources;
use crate::value::{Kind, Str, Unknown, Value};
use crate::{
    Assignment, Definition, Effect, InForce, Judged, Outcome, Policies, Request, Standing, Surroundings, Verdict,
};

fn read(text: &str) -> Value {
    let sources = Sources::new();
    let file = sources.add("policy.json", text);
    json::parse(file, sources.get(file).text(), Limits::default().nesting).value.expect("the text is JSON")
}

fn request(body: Value) -> Request {
    let group = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg";
    Request {
        id: Str::from(format!("{group}/providers/Microsoft.Storage/storageAccounts/st")),
        type_name: Str::from("Microsoft.Storage/storageAccounts"),
        name: Value::from("st"),
        api_version: Value::from("2023-05-01"),
        body,
        ..Request::default()
    }
}

/// A definition, which is given by its rule, and its assignment.
fn assigned(rule: &str, assignment: &str) -> Policies {
    let definition = read(&format!(r#"{{"name": "it", "properties": {{"mode": "All", "policyRule": {rule}}}}}"#));
    let assignment = Assignment { definition: Str::from("it"), ..Assignment::read(&read(assignment)) };
    Policies {
        definitions: vec![Arc::new(Definition::read(&definition))],
        assignments: vec![assignment],
        ..Policies::default()
    }
}

/// Returns the verdict of a definition on a request.
fn verdict(rule: &str, request: Request, assignment: &str) -> Option<Verdict> {
    let policies = assigned(rule, assignment);
    let judged = InForce::new(&policies).judge(&[request], &Surroundings::default());
    judged.into_iter().next()?.verdicts.into_iter().next()
}

/// Returns the effect of a definition with a rule: its name, `none`, or `unknown`.
fn effect(rule: &str, body: Value, assignment: &str) -> (&'static str, Standing) {
    match verdict(rule, request(body), assignment) {
        None => ("none", Standing::Excluded),
        Some(verdict) => match verdict.outcome {
            Outcome::None => ("none", verdict.standing),
            Outcome::Effect(effect) => (effect.as_str(), verdict.standing),
            Outcome::Unknown => ("unknown", verdict.standing),
        },
    }
}

#[track_caller]
fn check(condition: &str, body: Value, expected: &str) {
    let rule = format!(r#"{{"if": {condition}, "then": {{"effect": "audit"}}}}"#);
    assert_eq!(effect(&rule, body, "{}").0, expected, "{condition}");
}

#[test]
fn conditions_have_three_values() {
    let known = || read(r#"{"location": "West Europe", "tags": {"env": "x"}}"#);
    let unknown = || {
        let location = Value::unknown(Unknown::new(Kind::Any, "a test says so"));
        Value::object(vec![crate::value::Member::new("location", location)])
    };
    let here = r#"{"field": "location", "equals": "westeurope"}"#;
    check(here, known(), "audit");
    check(here, unknown(), "unknown");
    check(&format!(r#"{{"anyOf": [{here}, {{"field": "name", "equals": "ST"}}]}}"#), unknown(), "audit");
    check(&format!(r#"{{"allOf": [{here}, {{"field": "name", "equals": "other"}}]}}"#), unknown(), "none");
    check(r#"{"field": "tags.ENV", "exists": "false"}"#, known(), "none");
    check(r#"{"field": "tags", "containsKey": "env"}"#, known(), "audit");
}

#[test]
fn a_function_that_fails_denies() {
    let fails = r#"{"value": "[substring(field('name'), 0, 3)]", "equals": "abc"}"#;
    let all = |other: &str| format!(r#"{{"allOf": [{other}, {fails}]}}"#);
    check(fails, read("{}"), "deny");
    check(&all(r#"{"field": "type", "equals": "Microsoft.Web/sites"}"#), read("{}"), "none");
    check(&all(r#"{"field": "tags.env", "exists": true}"#), read("{}"), "unknown");
    check(&all(r#"{"field": "tags.env", "exists": false}"#), read("{}"), "deny");
}

#[test]
fn an_assignment_applies_at_its_scope() {
    let rule = r#"{"if": {"field": "name", "like": "s*"}, "then": {"effect": "deny"}}"#;
    let at = |scope: &str| effect(rule, read("{}"), &format!(r#"{{"properties": {{"scope": "{scope}"}}}}"#));
    let subscription = "/subscriptions/00000000-0000-0000-0000-000000000001";
    assert_eq!(at(subscription), ("deny", Standing::Applies));
    assert_eq!(at(&format!("{subscription}/resourceGroups/r")), ("none", Standing::Excluded));
    assert_eq!(at("/providers/Microsoft.Management/managementGroups/corp"), ("deny", Standing::Conditional));
    let silent = effect(rule, read("{}"), r#"{"properties": {"enforcementMode": "DoNotEnforce"}}"#);
    assert_eq!(silent, ("deny", Standing::NotEnforced));
}

#[test]
fn a_definition_that_azure_refuses_decides_nothing() {
    for condition in [
        r#"{"value": "[newGuid()]", "equals": "x"}"#,
        r#"{"value": "[parameters('x')]", "equals": "x"}"#,
        r#"{"field": "name", "equal": "x"}"#,
        r#"{"field": "name", "equals": ["x"]}"#,
        r#"{"allOf": {}}"#,
        "[]",
    ] {
        check(condition, read("{}"), "unknown");
    }
}

#[test]
fn no_text_of_a_verdict_contains_a_secret() {
    let group = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/S3CRET-group";
    let secret = |text: &str| Value::from(text).into_secret();
    let tags = Value::object(vec![crate::value::Member::new("a", secret("S3CRET-2020-01-01T00:00:00Z"))]);
    let request = || Request {
        id: Str::from(format!("{group}/providers/Microsoft.Storage/storageAccounts/sS3CRET-name")),
        name: secret("sS3CRET-name"),
        is_secret: true,
        ..request(Value::object(vec![crate::value::Member::new("tags", tags.clone())]))
    };
    let field = "[concat('tags[', field('tags.a'), ']')]";
    let change = |effect: &str, details: &str| {
        let condition = r#"{"field": "tags.a", "exists": true}"#;
        format!(r#"{{"if": {condition}, "then": {{"effect": "{effect}", "details": {details}}}}}"#)
    };
    let audit = |condition: &str| format!(r#"{{"if": {condition}, "then": {{"effect": "audit"}}}}"#);
    for rule in [
        audit(r#"{"field": "id", "contains": "s"}"#),
        audit(r#"{"value": "[toUpper(field('id'))]", "contains": "s"}"#),
        audit(r#"{"value": "[base64(resourceGroup().name)]", "notEquals": "s"}"#),
        audit(&format!(r#"{{"field": "{field}", "exists": false}}"#)),
        audit(r#"{"field": "[concat('Microsoft.Storage/storageAccounts/', field('tags.a'))]", "exists": false}"#),
        audit(r#"{"value": "[int(field('tags.a'))]", "equals": 1}"#),
        audit(r#"{"value": "[addDays(field('tags.a'), 1)]", "equals": 1}"#),
        audit(r#"{"value": "[parameters(field('tags.a'))]", "equals": 1}"#),
        change("append", &format!(r#"[{{"field": "{field}", "value": "x"}}]"#)),
        change("append", r#"[{"field": "tags.a", "value": "x"}]"#),
        change("modify", &format!(r#"{{"operations": [{{"operation": "add", "field": "{field}", "value": "x"}}]}}"#)),
    ] {
        let verdict = verdict(&rule, request(), "{}").expect("a verdict");
        let changes = verdict
            .changes
            .iter()
            .map(|change| format!("{} {}", change.path, change.after.as_ref().map(Value::to_json).unwrap_or_default()));
        let shown = changes.chain([verdict.why]).collect::<Vec<_>>().join(" ");
        assert!(!shown.to_ascii_lowercase().contains("s3cret"), "{rule}: {shown}");
        assert!(!shown.contains("UzNDUkVU"), "{rule}: {shown}");
    }
}

/// All work that grows with the input takes steps, of which there is a limit.
#[test]
fn what_takes_too_many_steps_is_unknown() {
    let member = |name: &str, value: Value| Value::object(vec![crate::value::Member::new(name, value)]);
    let numbers = |from: usize| Value::array((from..from + 400).map(|at| Value::from(format!("{at:05}"))).collect());
    let body = || member("properties", member("networkAcls", member("ipRules", numbers(0))));
    let rules = r#"{"field": "Microsoft.Storage/storageAccounts/networkAcls.ipRules[*]"}"#;
    let others = numbers(1_000).to_json();
    let each = format!(r#"{{"field": "Microsoft.Storage/storageAccounts/networkAcls.ipRules[*]", "notIn": {others}}}"#);
    let any = format!(r#"{{"count": {{"value": {others}, "where": {each}}}, "greater": 0}}"#);
    let number = format!(r#"{{"count": {rules}, "notIn": {others}}}"#);
    let many = |test: &str| format!(r#"{{"allOf": [{}]}}"#, vec![test; 4_000].join(", "));
    let short = r#"{"field": "Microsoft.Storage/storageAccounts/networkAcls.ipRules[*]", "notEquals": "x"}"#;
    let judge = |condition: &str| {
        let policies = assigned(&format!(r#"{{"if": {condition}, "then": {{"effect": "audit"}}}}"#), "{}");
        let in_force = InForce::with_steps(&policies, 4_000);
        in_force.judge(&[request(body())], &Surroundings::default()).remove(0).verdicts.remove(0)
    };
    // A list of strings is an index, in which each item of the other is looked up.
    assert_eq!(judge(&each).outcome, Outcome::Effect(Effect::Audit));
    let mixed = each.replace(&others, &others.replacen('[', "[0.5, ", 1));
    for condition in [any, mixed, many(&number), many(short)] {
        let verdict = judge(&condition);
        assert_eq!(verdict.outcome, Outcome::Unknown);
        assert!(verdict.why.contains("more than 4000 steps"), "{}", verdict.why);
    }
}

/// Several definitions, given by their conditions, which are all assigned.
fn all_assigned(conditions: &[&str]) -> Policies {
    let mut policies = Policies::default();
    for (at, condition) in conditions.iter().enumerate() {
        let rule = format!(r#"{{"if": {condition}, "then": {{"effect": "deny"}}}}"#);
        let text = format!(r#"{{"name": "p{at}", "properties": {{"mode": "All", "policyRule": {rule}}}}}"#);
        policies.definitions.push(Arc::new(Definition::read(&read(&text))));
        let assignment = Assignment::read(&read(&format!(r#"{{"name": "a{at}"}}"#)));
        policies.assignments.push(Assignment { definition: Str::from(format!("p{at}")), ..assignment });
    }
    policies
}

/// Whoever exceeds the share of steps is named, and all others judge each request.
#[test]
fn a_policy_that_takes_its_share_of_steps_leaves_the_others_theirs() {
    let count = |inner: &str| format!(r#"{{"count": {{"value": "[range(0, 300)]", "where": {inner}}}, "greater": 0}}"#);
    let endless = count(&count(&count(r#"{"value": 1, "equals": 2}"#)));
    let plain = r#"{"field": "name", "like": "*"}"#;
    let policies = all_assigned(&[plain, &endless, plain, &endless, plain]);
    let in_force = InForce::with_steps(&policies, 20_000);
    let judgment = in_force.judge_up_to(100, &[request(read("{}")), request(read("{}"))], &Surroundings::default());
    for judged in &judgment.judged {
        let outcomes: Vec<Outcome> = judged.verdicts.iter().map(|verdict| verdict.outcome).collect();
        let deny = Outcome::Effect(Effect::Deny);
        assert_eq!(outcomes, [deny, Outcome::Unknown, deny, Outcome::Unknown, deny]);
    }
    let exceeded: Vec<&str> = judgment.exceeded.iter().map(|trouble| &*trouble.definition).collect();
    assert_eq!(exceeded, ["p1", "p3"]);
    assert!(judgment.exceeded[0].why.contains("more than 4500 steps"), "{}", judgment.exceeded[0].why);
}

/// Verdicts beyond the limit are counted, and each policy keeps some.
#[test]
fn verdicts_beyond_those_that_are_reported_are_counted() {
    let plain = r#"{"field": "name", "like": "*"}"#;
    let other = r#"{"field": "name", "equals": "other"}"#;
    let policies = all_assigned(&[plain, plain, other, plain]);
    let requests: Vec<Request> = (0..100).map(|_| request(read("{}"))).collect();
    let judgment = InForce::new(&policies).judge_up_to(80, &requests, &Surroundings::default());
    let kept =
        |at: usize| judgment.judged.iter().flat_map(|judged| &judged.verdicts).filter(move |own| own.assignment == at);
    assert_eq!([0, 1, 2, 3].map(|at| kept(at).count()), [20, 20, 0, 20]);
    assert_eq!(judgment.left_out[&Outcome::Effect(Effect::Deny)], 300 - 60);
}

/// Each resource that may be the related one takes steps for each resource that is judged.
#[test]
fn looking_for_related_resources_takes_steps() {
    let rule = r#"{"if": {"field": "name", "like": "*"}, "then": {"effect": "auditIfNotExists", "details":
        {"type": "Microsoft.KeyVault/vaults", "existenceCondition": {"field": "location", "equals": "nowhere"}NAME}}}"#;
    let (rule, named) = (rule.replace("NAME", ""), rule.replace("NAME", r#", "name": "x""#));
    let vault = |at: usize| Request {
        type_name: Str::from("Microsoft.KeyVault/vaults"),
        name: Value::from(format!("kv{at}")),
        ..request(read("{}"))
    };
    let judge = |rule: &str, vaults: usize| {
        let policies = assigned(rule, "{}");
        let requests: Vec<Request> = std::iter::once(request(read("{}"))).chain((0..vaults).map(vault)).collect();
        let in_force = InForce::with_steps(&policies, 2_500);
        in_force.judge(&requests, &Surroundings::default())[0].verdicts[0].why.clone()
    };
    assert!(!judge(&rule, 10).contains("steps"), "{}", judge(&rule, 10));
    assert!(judge(&rule, 3_000).contains("more than 2500 steps"), "{}", judge(&rule, 3_000));
    // Those with another name are not even looked at.
    assert!(!judge(&named, 3_000).contains("steps"), "{}", judge(&named, 3_000));
}

/// Several assignments put one definition in force: what it does is decided once, unless it depends on the assignment.
#[test]
fn assignments_of_one_definition_do_the_same_unless_it_depends_on_them() {
    let of = |condition: &str| {
        let rule = format!(r#"{{"if": {condition}, "then": {{"effect": "deny"}}}}"#);
        let replaced = r#"{"name": "c", "overrides": [{"kind": "policyEffect", "value": "audit"}]}"#;
        let assignments = [r#"{"name": "a", "id": "/a"}"#, r#"{"name": "b", "id": "/b"}"#, replaced];
        let assignments = assignments.map(|own| assigned(&rule, own).assignments).into_iter().flatten().collect();
        let policies = Policies { assignments, ..assigned(&rule, "{}") };
        let judged = InForce::new(&policies).judge(&[request(read("{}"))], &Surroundings::default());
        judged[0].verdicts.iter().map(|verdict| (verdict.outcome, verdict.why.clone())).collect::<Vec<_>>()
    };
    let plain = of(r#"{"field": "name", "like": "*"}"#);
    let outcomes: Vec<Outcome> = plain.iter().map(|(outcome, _)| *outcome).collect();
    assert_eq!(outcomes, [Effect::Deny, Effect::Deny, Effect::Audit].map(Outcome::Effect));
    assert!(plain.iter().all(|(_, why)| why.starts_with("`name` is ")), "{plain:?}");
    let of_assignment = of(r#"{"value": "[policy().assignmentId]", "equals": "/b"}"#);
    let outcomes: Vec<Outcome> = of_assignment.iter().map(|(outcome, _)| *outcome).collect();
    assert_eq!(outcomes, [Outcome::None, Outcome::Effect(Effect::Deny), Outcome::None]);
}
