//! The laws of differences, on generated documents, and what is shown of single values.

use proptest::prelude::*;

use crate::allowed::AllowedChanges;
use crate::digest::Rules;
use crate::model::{DeploymentId, Document, Hidden, Presence, Resource};
use crate::text::{FileId, Sources, Span};
use crate::value::{Kind, Member, Step, Str, Traits, Unknown, Value, Via};
use crate::{Change, Difference, Outcome, ResourceChange, compare, leaves};

fn value() -> impl Strategy<Value = Value> {
    let text = || prop::sample::select(vec!["a", "b", "A", ""]).prop_map(Value::from);
    let unknown =
        prop::sample::select(vec!["why", "because"]).prop_map(|why| Value::unknown(Unknown::new(Kind::String, why)));
    let leaf = prop_oneof![
        Just(Value::NULL),
        (0..3_i64).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        text(),
        text().prop_map(|text| text.with_traits(Traits::SECRET)),
        unknown,
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let key = prop::sample::select(vec!["name", "x", "X", "y"]);
        let members = prop::collection::vec((key, inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::array),
            members.prop_map(|members| object(members.into_iter())),
        ]
    })
}

fn object(members: impl Iterator<Item = (&'static str, Value)>) -> Value {
    Value::object(members.map(|(key, value)| Member::new(key, value)).collect())
}

/// A resource by the number of its name, its body, and whether its name and its presence are known.
type Draft = (u8, Value, bool, bool);

fn document(drafts: &[Draft]) -> Document {
    let file = Sources::new().add("main.json", "");
    let resources = drafts.iter().enumerate().map(|(at, draft)| resource(file, at, draft)).collect();
    Document {
        file,
        deployments: Vec::new(),
        resources,
        existing: Vec::new(),
        possible: Vec::new(),
        mentioned: Vec::new(),
        linked: Vec::new(),
        hidden: Hidden::default(),
    }
}

fn resource(file: FileId, at: usize, (name, body, is_known, is_certain): &Draft) -> Resource {
    let text = if *is_known { format!("n{name}") } else { String::new() };
    let name = if *is_known { Value::from(text.as_str()) } else { Value::unknown(Unknown::new(Kind::String, "why")) };
    let maybe = || Presence::Maybe(std::sync::Arc::new(Unknown::new(Kind::Bool, "why")).into());
    let body = object([("name", name), ("properties", body.clone())].into_iter());
    Resource {
        type_name: Str::from("A.B/c"),
        name: Str::from(text.as_str()),
        id: Str::from(format!("/x/{text}")),
        scope: Str::from("/x"),
        state: body.clone(),
        body,
        path: format!("resources[{at}]"),
        span: Span::whole_file(file),
        symbolic_name: None,
        deployment: DeploymentId(0),
        parent: None,
        children: Vec::new(),
        implied: Vec::new(),
        depends_on: Vec::new(),
        presence: if *is_certain { Presence::Deployed } else { maybe() },
    }
}

/// A document with one resource of this type, or none.
pub(super) fn document_of(type_name: &str, body: Option<&str>) -> Document {
    let file = Sources::new().add("main.json", "");
    let parse = |text: &str| formwork_syntax::json::parse_computed(&text.into(), 16).unwrap();
    let mut document = document(&[]);
    document.resources.extend(body.map(|body| {
        let mut resource = resource(file, 0, &(0, Value::NULL, true, true));
        resource.type_name = Str::from(type_name);
        (resource.body, resource.state) = (parse(body), Value::NULL);
        resource
    }));
    document
}

fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    prop::collection::vec((0..4_u8, value(), prop::bool::weighted(0.7), prop::bool::weighted(0.8)), 0..5)
}

/// What a difference says, in any order, with its sides swapped or not.
fn told(difference: &Difference, is_swapped: bool) -> Vec<String> {
    let mut told: Vec<String> = difference.resources.iter().map(|resource| tell(resource, is_swapped)).collect();
    told.push(difference.same.to_string());
    told.sort();
    told
}

fn tell(resource: &ResourceChange, is_swapped: bool) -> String {
    let name = |side: bool| {
        let seen = if side == is_swapped { &resource.new } else { &resource.old };
        seen.as_ref().map(|seen| (seen.name.clone(), seen.maybe.is_some()))
    };
    let outcome = match resource.outcome {
        Outcome::Create if is_swapped => Outcome::Remove,
        Outcome::Remove if is_swapped => Outcome::Create,
        other => other,
    };
    let change = |change: &Change| {
        let shown = |value: &Option<Value>| value.as_ref().map(|value| format!("{:?} {}", value.data, value.to_json()));
        let (path, old_path) = match &change.old_path {
            Some(old) if is_swapped => (old.clone(), change.path.clone()),
            Some(old) => (change.path.clone(), old.clone()),
            None => (change.path.clone(), change.path.clone()),
        };
        let (old, new) = (shown(&change.old), shown(&change.new));
        let (old, new) = if is_swapped { (new, old) } else { (old, new) };
        format!("{path} {old_path} {old:?} {new:?} {}", change.is_secret)
    };
    let mut changes: Vec<String> = resource.changes.list.iter().map(change).collect();
    changes.sort();
    format!("{outcome:?} {:?} {:?} {:?} {changes:#?}", name(false), name(true), resource.renamed)
}

proptest! {
    #[test]
    fn nothing_differs_from_itself(drafts in drafts()) {
        let difference = compare(Some(&document(&drafts)), Some(&document(&drafts)));
        prop_assert!(difference.is_empty(), "{difference:#?}");
        prop_assert_eq!(difference.same, drafts.len());
    }

    #[test]
    fn the_order_of_resources_makes_no_difference(drafts in drafts()) {
        let mut reversed = drafts.clone();
        reversed.reverse();
        let difference = compare(Some(&document(&drafts)), Some(&document(&reversed)));
        prop_assert!(difference.is_empty(), "{difference:#?}");
    }

    #[test]
    fn swapped_sides_swap_the_difference(old in drafts(), new in drafts()) {
        let (old, new) = (document(&old), document(&new));
        let there = told(&compare(Some(&old), Some(&new)), false);
        let back = told(&compare(Some(&new), Some(&old)), true);
        prop_assert_eq!(there, back);
    }

    #[test]
    fn different_values_have_a_change(old in value(), new in value()) {
        let rules = Rules { ignores_case: true };
        let changes = leaves::bodies(rules, "A.B/c", &AllowedChanges::default(), &old, &new);
        if rules.digest(&old) == rules.digest(&new) {
            prop_assert!(changes.is_empty(), "{changes:#?}");
        }
        if changes.is_empty() {
            prop_assert_eq!(rules.digest(&without_order(&old)), rules.digest(&without_order(&new)));
        }
    }
}

/// The value with its arrays sorted, as far as items with names match in any order.
fn without_order(value: &Value) -> Value {
    if let Some(items) = value.as_array() {
        let mut items: Vec<Value> = items.iter().map(without_order).collect();
        items.sort_by_cached_key(|item| Rules { ignores_case: true }.digest(item).to_lowercase());
        return Value::array(items);
    }
    match value.as_object() {
        Some(members) => {
            let members = members.iter().map(|member| Member::new(member.key.clone(), without_order(&member.value)));
            Value::object(members.collect())
        }
        None => value.clone(),
    }
}

/// The changes as `path: old -> new`.
#[track_caller]
fn check(old: &str, new: &str, expected: &[&str]) {
    let parse = |text: &str| formwork_syntax::json::parse_computed(&text.into(), 16).unwrap();
    let changes =
        leaves::bodies(Rules { ignores_case: true }, "A.B/c", &AllowedChanges::default(), &parse(old), &parse(new));
    let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "none".to_owned(), Value::to_json);
    let mut told: Vec<String> = changes
        .list
        .iter()
        .map(|change| format!("{}: {} -> {}", change.path, shown(&change.old), shown(&change.new)))
        .collect();
    told.sort();
    assert_eq!(told, expected);
}

#[test]
fn items_match_by_name_or_by_order() {
    check(
        r#"{"s": [{"name": "a", "v": 1}, {"name": "b", "v": 2}]}"#,
        r#"{"s": [{"name": "B", "v": 3}, {"name": "a", "v": 1}]}"#,
        &[r#"s[name=B].name: "b" -> "B""#, "s[name=B].v: 2 -> 3"],
    );
    check(r#"{"s": [1, 2, 3]}"#, r#"{"s": [1, 9, 2, 3]}"#, &["s[1]: none -> 9"]);
    check(r#"{"s": [{"v": 1, "w": 1}]}"#, r#"{"s": [{"v": 1, "w": 2}]}"#, &["s[0].w: 1 -> 2"]);
    check(r#"{"s": {"a": 1}}"#, r#"{"s": {"b": {"c": 1}}}"#, &["s.a: 1 -> none", "s.b.c: none -> 1"]);
}

#[test]
fn items_of_a_set_have_no_order() {
    check(r#"{"zones": ["1", "2"]}"#, r#"{"zones": ["2", "1"]}"#, &[]);
    check(
        r#"{"order": ["1", "2"]}"#,
        r#"{"order": ["2", "1"]}"#,
        &[r#"order[0]: "1" -> none"#, r#"order[1]: none -> "1""#],
    );
    check(r#"{"zones": ["1", "2"]}"#, r#"{"zones": ["3", "1"]}"#, &[r#"zones[0]: "2" -> "3""#]);
    check(r#"{"zones": ["1", "1"]}"#, r#"{"zones": ["1"]}"#, &[r#"zones[1]: "1" -> none"#]);
    let rules = r#"{"ipRules": [{"value": "a", "action": "x"}, {"value": "b", "action": "x"}]}"#;
    let other = r#"{"ipRules": [{"value": "b", "action": "x"}, {"value": "a", "action": "y"}]}"#;
    check(rules, other, &[r#"ipRules[1].action: "x" -> "y""#]);
}

/// How many properties of a resource of this type differ.
fn differing(kind: &str, old: &str, new: &str) -> usize {
    let body = |text: &str| format!("{{\"type\": \"{kind}\", {text}}}");
    let [old, new] = [old, new].map(|text| document_of(kind, Some(&body(text))));
    compare(Some(&old), Some(&new)).resources.iter().map(|resource| resource.changes.list.len()).sum()
}

#[test]
fn the_type_says_which_arrays_are_sets() {
    let permissions = |actions: &str| format!(r#""properties": {{"permissions": [{{"actions": [{actions}]}}]}}"#);
    let (one, other) = (permissions(r#""a", "b""#), permissions(r#""b", "a""#));
    assert_eq!(differing("Microsoft.Authorization/roleDefinitions", &one, &other), 0);
    assert_eq!(differing("A.B/c", &one, &other), 2);
    let policies = |text: &str| format!(r#""properties": {{"accessPolicies": [{text}]}}"#);
    let policy = |id: &str, keys: &str| format!(r#"{{"objectId": "{id}", "permissions": {{"keys": [{keys}]}}}}"#);
    let old = policies(&format!("{}, {}", policy("x", r#""get", "list""#), policy("y", r#""get""#)));
    let new = policies(&format!("{}, {}", policy("y", r#""get""#), policy("x", r#""list", "get""#)));
    assert_eq!(differing("Microsoft.KeyVault/vaults", &old, &new), 0);
    let rule = |actions: &str| format!(r#""Properties": {{"Rule": {{"Actions": [{actions}]}}}}"#);
    let steps = [r#"{"StopAction": {}}, {"BounceAction": {}}"#, r#"{"BounceAction": {}}, {"StopAction": {}}"#];
    let [one, other] = steps.map(rule);
    assert_ne!(differing("AWS::SES::ReceiptRule", &one, &other), 0);
    let task = |words: &str| format!(r#""Properties": {{"RequiresCompatibilities": [{words}]}}"#);
    let [one, other] = [r#""EC2", "FARGATE""#, r#""FARGATE", "EC2""#].map(task);
    assert_eq!(differing("AWS::ECS::TaskDefinition", &one, &other), 0);
    assert_eq!(differing("AWS::A::B", &one, &other), 2);
}

#[test]
fn a_stack_takes_strings_for_numbers() {
    let digest = |ignores_case: bool, value: Value| Rules { ignores_case }.digest(&value);
    assert_eq!(digest(false, Value::from("443")), digest(false, Value::from(443)));
    assert_eq!(digest(false, Value::from("true")), digest(false, Value::from(true)));
    assert_ne!(digest(true, Value::from("443")), digest(true, Value::from(443)));
    assert_ne!(digest(false, Value::from("443")), digest(false, Value::from(444)));
}

#[test]
fn what_a_parameter_may_be_makes_no_difference() {
    let sku = |allowed: &[&str]| {
        let allowed = allowed.iter().map(|text| Value::from(*text));
        Value::unknown(Unknown::new(Kind::String, "parameter `sku` has no value").one_of(allowed))
    };
    let of_parameter = |value: Value| value.through(Some(Via::new(Step::Parameter(Str::from("sku")), None, None)));
    let digest = |value: Value| Rules { ignores_case: true }.digest(&value);
    assert_ne!(digest(sku(&["a"])), digest(sku(&["a", "b"])));
    assert_eq!(digest(of_parameter(sku(&["a"]))), digest(of_parameter(sku(&["a", "b"]))));
}

#[test]
fn what_is_not_sent_makes_no_difference() {
    check(r#"{"a": null, "b": 1, "C": 2}"#, r#"{"c": 2.0, "b": 1}"#, &[]);
    check(r#"{"s": []}"#, r#"{"s": [{"a": null}]}"#, &[r#"s[0]: none -> {"a":null}"#]);
    check("{}", r#"{"s": {"a": null}}"#, &[r#"s: none -> {"a":null}"#]);
}

#[test]
fn neither_value_is_shown_if_one_of_them_is_a_secret() {
    let (plain, secret) = (Value::from("hunter2"), Value::from("hunter3").with_traits(Traits::SECRET));
    let changes = leaves::bodies(Rules { ignores_case: true }, "A.B/c", &AllowedChanges::default(), &plain, &secret);
    assert!(changes.list.iter().all(|change| change.is_secret) && changes.list.len() == 1);
}
