//! Each fact has a source and samples, and the samples show that it holds.

use arcstr::ArcStr;

use crate::model::ResourceId;
use crate::outcomes::Outcomes;
use crate::published::services::evaluate::{Node, Subject, Surroundings};
use crate::published::services::fact::Fact;
use crate::published::services::parse::parse;
use crate::published::services::path::Path;
use crate::published::services::predicate::{Predicate, Scope};
use crate::published::services::{FactFile, SOURCES};
use crate::published::tolerance::Cloud;
use crate::value::{Data, Kind, Member, Unknown, Value};

/// The resources around a sample: its member `^` is the parent, and `->` is what each of its values refers to.
struct Around;

impl<'d> Surroundings<'d> for Around {
    fn parent(&self, of: Node<'d>) -> Option<Node<'d>> {
        Some(Node { root: of.root.get("^")?, id: None::<ResourceId> })
    }

    fn target(&self, from: Node<'d>, _: &Value) -> Option<Node<'d>> {
        Some(Node { root: from.root.get("->")?, id: None })
    }
}

/// The messages of a fact about a sample of its first type. In samples, `"?"` stands for a value that is not known.
fn messages(source: &FactFile, fact: &'static Fact, sample: &str) -> Vec<String> {
    let value = formwork_syntax::json::parse_computed(&ArcStr::from(sample), 50);
    let value = unknown(&value.unwrap_or_else(|problem| panic!("{}: {problem}: {sample}", at(source, fact))));
    let node = Node { root: &value, id: None };
    let subject = Subject { cloud: source.cloud, node, prefix: &[], surroundings: &Around };
    let type_name = fact.targets[0].type_name.to_lowercase();
    subject.breaches(fact, &type_name).into_iter().map(|breach| breach.message).collect()
}

fn unknown(value: &Value) -> Value {
    match &value.data {
        Data::String(text) if &**text == "?" => Value::unknown(Unknown::new(Kind::Any, "a sample does not say it")),
        Data::Array(items) => Value::array(items.iter().map(unknown).collect()),
        Data::Object(members) => {
            let member = |member: &Member| Member { value: unknown(&member.value), ..member.clone() };
            Value::object(members.iter().map(member).collect())
        }
        _ => value.clone(),
    }
}

fn at(source: &FactFile, fact: &Fact) -> String {
    let folder = if source.cloud == Cloud::Azure { "azure" } else { "aws" };
    format!("{folder}/{}.facts:{}", source.name, fact.evidence.line)
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(is_number)
}

#[test]
fn all_facts_can_be_read_and_their_samples_show_them() {
    let mut wrong = Vec::new();
    for source in SOURCES.iter() {
        let file = parse(source.text);
        wrong.extend(file.problems.iter().map(|problem| format!("{}.facts: {problem}", source.name)));
        if file.service.is_empty() {
            wrong.push(format!("{}.facts: names no service", source.name));
        }
        for fact in file.facts.into_iter().map(|fact| &*Box::leak(Box::new(fact))) {
            wrong.extend(problems(source, fact).into_iter().map(|problem| format!("{}: {problem}", at(source, fact))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the problems of a fact.
fn problems(source: &FactFile, fact: &'static Fact) -> Vec<String> {
    let mut wrong = Vec::new();
    if !fact.evidence.source.starts_with("https://") || !is_day(fact.evidence.date) {
        wrong.push("`source` is not an address and a day".to_owned());
    }
    if fact.evidence.bad.is_empty() || fact.evidence.good.is_empty() {
        wrong.push("`bad` or `good` is missing".to_owned());
    }
    for sample in &fact.evidence.bad {
        if messages(source, fact, sample).is_empty() {
            wrong.push(format!("nothing is said of the bad sample {sample}"));
        }
    }
    for sample in &fact.evidence.good {
        if let Some(message) = messages(source, fact, sample).first() {
            wrong.push(format!("the good sample {sample} breaks it: {message}"));
        }
    }
    for target in &fact.targets {
        let name = target.type_name.to_lowercase();
        let separator = if source.cloud == Cloud::Azure { "/" } else { "::" };
        if name != "*" && source.provider != "*" && !name.starts_with(&format!("{}{separator}", source.provider)) {
            wrong.push(format!("`{}` is not a type of the provider of the file", target.type_name));
        }
    }
    wrong
}

/// The message of one fact about one sample.
#[track_caller]
fn check(text: &'static str, sample: &str, expected: &[&str]) {
    let file = parse(text);
    assert_eq!(file.problems, Vec::<String>::new());
    let source = FactFile { name: "test", cloud: Cloud::Azure, provider: "a", text, facts: std::sync::OnceLock::new() };
    let facts = file.facts.into_iter().map(|fact| &*Box::leak(Box::new(fact)));
    let found: Vec<String> = facts.flat_map(|fact| messages(&source, fact, sample)).collect();
    assert_eq!(found, expected, "{sample}");
}

#[test]
fn a_value_is_compared_without_case() {
    let text = "type A/b\nfact tier\n  must be Hot | Cool*";
    check(text, r#"{"tier": "hot"}"#, &[]);
    check(text, r#"{"tier": "CoolAndDry"}"#, &[]);
    check(text, r#"{"tier": "?"}"#, &[]);
    check(text, "{}", &[]);
    check(text, r#"{"tier": ""}"#, &[]);
    check(text, r#"{"tier": "Hat"}"#, &["`tier` is `Hat`; expected `Hot` or `Cool*`, did you mean `Hot`?"]);
}

#[test]
fn exact_values_have_their_case() {
    let text = "type A/b\nfact tier\n  must be exactly Hot";
    check(text, r#"{"tier": "Hot"}"#, &[]);
    check(text, r#"{"tier": "hot"}"#, &["`tier` is `hot`; expected `Hot`"]);
}

#[test]
fn an_open_list_refuses_only_slips() {
    let text = "type A/b\nfact kind\n  must be like StorageV2 | BlobStorage";
    check(text, r#"{"kind": "Whatever"}"#, &[]);
    check(
        text,
        r#"{"kind": "StoragV2"}"#,
        &["`kind` is `StoragV2`; expected one of `StorageV2`, `BlobStorage`, or another, did you mean `StorageV2`?"],
    );
}

#[test]
fn names_of_members_are_compared() {
    let text = "type A/b\nfact tags\n  must have names that lack / | %\n  words names without `/` or `%`";
    check(text, r#"{"tags": {"a": "/", "[concat('x/', 'y')]": "b"}}"#, &[]);
    check(text, r#"{"tags": {"a/b": "c"}}"#, &["`tags` has the name `a/b`; expected names without `/` or `%`"]);
}

#[test]
fn secrets_are_compared_and_not_shown() {
    let text = "type A/b\nfact word\n  must pass password\n  secret";
    check(text, r#"{"word": "Secret-1"}"#, &[]);
    check(
        text,
        r#"{"word": "secret"}"#,
        &[
            "`word` is refused; expected characters of three of four kinds: lower-case letters, upper-case letters, digits, and others",
        ],
    );
}

#[test]
fn conditions_say_when_a_fact_applies() {
    let text = "type A/b\nfact zones\n  when sku.name is Basic\n  unless kind is old\n  must be absent";
    check(
        text,
        r#"{"sku": {"name": "Basic"}, "zones": [1]}"#,
        &["`zones` cannot be set when `sku.name` is `Basic` and `kind` is not `old`"],
    );
    check(text, r#"{"sku": {"name": "Basic"}, "kind": "old", "zones": [1]}"#, &[]);
    check(text, r#"{"sku": {"name": "?"}, "zones": [1]}"#, &[]);
    check(text, r#"{"sku": {"name": "Basic"}, "zones": null}"#, &[]);
    check(text, r#"{"zones": [1]}"#, &[]);
}

#[test]
fn what_is_missing_is_reported_where_an_object_lacks_it() {
    let text = "type A/b\nfact p.login\n  when p is present\n  must be present";
    check(text, r#"{"p": {}}"#, &["`login` is missing when `p` is set"]);
    check(text, r#"{"p": {"login": "?"}}"#, &[]);
    check(text, r#"{"p": "?"}"#, &[]);
    check(text, "{}", &[]);
}

#[test]
fn numbers_have_ranges_and_steps() {
    let text =
        "type A/b\nfact n\n  must be from 1 to 7\nfact n\n  must be a multiple of 2\nfact n\n  must be at most @max";
    check(text, r#"{"n": 4, "max": 5}"#, &[]);
    check(text, r#"{"n": "4"}"#, &[]);
    check(text, r#"{"n": 8, "max": 5}"#, &["`n` is `8`; expected 1 to 7", "`n` is `8`; expected at most 5, the `max`"]);
    check(text, r#"{"n": 3}"#, &["`n` is `3`; expected a multiple of 2"]);
    check(text, r#"{"n": 4, "max": "?"}"#, &[]);
}

#[test]
fn lists_have_lengths_and_no_duplicates() {
    let text = "type A/b\nfact l\n  must have at most 2 items\nfact l\n  must have no duplicates by name";
    check(text, r#"{"l": [{"name": "a"}, {"name": "b"}]}"#, &[]);
    check(text, r#"{"l": [{"name": "a"}, {"name": "?"}]}"#, &[]);
    check(
        text,
        r#"{"l": [{"name": "a"}, {"name": "A"}]}"#,
        &["two items of `l` have the `name` `A`; expected different ones"],
    );
    check(text, r#"{"l": [{}, {}, {}]}"#, &["`l` has 3 items; expected at most 2"]);
}

#[test]
fn the_paths_of_a_fact_begin_at_items() {
    let text = "type A/b at p.rules[*]\nfact n\n  when kind is x\n  when /sku is y\n  must be 1";
    check(
        text,
        r#"{"sku": "y", "p": {"rules": [{"kind": "x", "n": 2}, {"kind": "z", "n": 2}]}}"#,
        &["`n` is `2`; expected `1` when `kind` is `x` and `sku` is `y`"],
    );
    check(text, r#"{"sku": "z", "p": {"rules": [{"kind": "x", "n": 2}]}}"#, &[]);
}

#[test]
fn conditions_lead_to_other_resources() {
    let text = "type A/b\nfact on\n  when plan->sku.tier is Free\n  must be false\nfact groups\n  when ^.sku.name is Basic\n  must be absent";
    check(
        text,
        r#"{"on": true, "plan": "p", "->": {"sku": {"tier": "Free"}}}"#,
        &["`on` is `true`; expected `false` when `sku.tier` of `plan` is `Free`"],
    );
    check(text, r#"{"on": true, "plan": "p"}"#, &[]);
    check(
        text,
        r#"{"groups": [], "^": {"sku": {"name": "Basic"}}}"#,
        &["`groups` cannot be set when `sku.name` of the parent is `Basic`"],
    );
}

#[test]
fn what_is_known_of_a_text_can_break_a_fact() {
    use crate::value::Ends;
    let predicate = |text| Predicate::parse(text).unwrap();
    let ends = Ends { start: "Uploads".into(), inside: "_".into(), least: 5, most: Some(5), ..Ends::default() };
    let value = Value::unknown(Unknown::new(Kind::String, "a test says so").between(ends));
    for (text, expected) in [
        ("lack _", Some(false)),
        ("lack -", None),
        ("lack U", Some(false)),
        ("begin with up", Some(true)),
        ("begin with x", Some(false)),
        ("have at most 11 characters", Some(false)),
        ("have at least 13 characters", Some(false)),
        ("have 3 to 63 characters", None),
        ("be x", None),
    ] {
        assert_eq!(predicate(text).holds(Some(&value), &NoScope), Outcomes::from(expected), "{text}");
    }
}

/// No values of other paths.
struct NoScope;

impl Scope for NoScope {
    fn cloud(&self) -> Cloud {
        Cloud::Azure
    }

    fn number(&self, _: &Path) -> Option<f64> {
        None
    }

    fn texts(&self, _: &Path) -> Option<Vec<String>> {
        None
    }
}

#[test]
fn texts_have_ends_and_lengths() {
    let text = "type A/b\nfact id\n  must end with /subnets/A\nfact n\n  must have 2 to 3 characters\nfact n\n  must lack x | y\nfact n\n  must match ^[a-z]+$\n  words lower-case letters";
    check(text, r#"{"id": "/v/SUBNETS/a", "n": "abc"}"#, &[]);
    check(
        text,
        r#"{"id": "/v/subnets/b"}"#,
        &["`id` is `/v/subnets/b`; expected a string that ends with `/subnets/A`"],
    );
    check(
        text,
        r#"{"n": "xbcd"}"#,
        &["`n` has 4 characters; expected 2 to 3", "`n` is `xbcd`; expected a string without `x` or `y`"],
    );
    check(text, r#"{"n": "A1"}"#, &["`n` is `A1`; expected lower-case letters"]);
}
