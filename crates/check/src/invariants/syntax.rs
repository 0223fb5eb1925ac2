//! JSON, YAML, and TOML: what is written again reads as the same, and JSON means what it means to others.

use arcstr::ArcStr;

use crate::cfn::environments;
use crate::invariants::{check_problems, check_value, text};
use crate::syntax::{Parsed, json as own, toml, yaml as other};
use crate::text::{FileId, Sources};
use crate::value::{Data, Value};

/// The nesting that runs allow by default.
const DEPTH: u32 = 256;

/// Maximum nesting depth that `serde_json` reads.
const DEPTH_OF_OTHERS: usize = 127;

/// Checks JSON as Azure reads it, with comments.
pub fn json(bytes: &[u8]) {
    let (sources, file, text) = source("a.json", bytes);
    let parsed = own::parse(file, &text, DEPTH);
    check_parsed(&parsed, &sources);
    let comments = own::comments(&text);
    assert!(comments.iter().all(|range| text.get(range.clone()).is_some_and(|text| text.starts_with('/'))));
    let Some(value) = &parsed.value else {
        let is_valid = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        assert!(!is_valid, "{text:?} is JSON, but: {:?}", parsed.diagnostics);
        return;
    };
    check_inside(value);
    check_written(value);
    assert_eq!(own::parse_computed(&text, DEPTH).map(|value| value.to_json()), Ok(value.to_json()));
    if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
        let ours = serde_json::from_str::<serde_json::Value>(&value.to_json()).unwrap();
        assert!(is_same(&ours, &theirs), "{text:?} is {theirs}, not {ours}");
    }
}

/// Checks YAML in each dialect.
pub fn yaml(bytes: &[u8]) {
    let (sources, file, text) = source("a.yaml", bytes);
    let azure = |file, text: &ArcStr, depth| other::parse_azure(file, text, depth, &|_| false);
    let template = |file, text: &ArcStr, depth| other::parse_template(file, text, depth, &|_| false);
    for parse in [other::parse, azure, template] {
        let parsed = parse(file, &text, DEPTH);
        check_parsed(&parsed, &sources);
        parsed.value.iter().for_each(check_written);
    }
    for range in other::comments(file, &text) {
        assert!(text.get(range).is_some_and(|text| text.starts_with('#')));
    }
}

/// Checks settings of the AWS SAM CLI in TOML.
pub fn sam_config(bytes: &[u8]) {
    let (sources, file, text) = source("samconfig.toml", bytes);
    let parsed = toml::parse(file, &text, DEPTH);
    check_parsed(&parsed, &sources);
    for environment in parsed.value.iter().flat_map(|config| environments(config, file, &text)) {
        check_value(&environment.parameters, &sources);
    }
}

fn source(name: &str, bytes: &[u8]) -> (Sources, FileId, ArcStr) {
    let sources = Sources::new();
    let file = sources.add(name, text(bytes));
    let text = sources.get(file).text().clone();
    (sources, file, text)
}

/// Requires that a text was read or the reason is told.
fn check_parsed(parsed: &Parsed, sources: &Sources) {
    check_problems(&parsed.diagnostics, sources);
    match &parsed.value {
        Some(value) => check_value(value, sources),
        None => assert!(!parsed.diagnostics.is_empty()),
    }
}

/// Requires that each value of a JSON text lies in the one around it.
fn check_inside(value: &Value) {
    let outer = value.span.expect("everything that was read has a span");
    let check = |inner: &Value| {
        assert!(inner.span.is_some_and(|span| outer.contains(span)), "{inner:?} is not in {outer:?}");
        check_inside(inner);
    };
    match &value.data {
        Data::Array(items) => items.iter().for_each(check),
        Data::Object(members) => members.iter().for_each(|member| check(&member.value)),
        _ => {}
    }
}

/// Requires that a value that is written as JSON reads as the same value, here and elsewhere.
fn check_written(value: &Value) {
    let written = value.to_json();
    let again = own::parse_computed(&ArcStr::from(written.as_str()), DEPTH).unwrap();
    assert_eq!(again.to_json(), written);
    if value.size().depth as usize <= DEPTH_OF_OTHERS {
        let refused = serde_json::from_str::<serde_json::Value>(&written).err();
        // A whole number keeps its digits, and `serde_json` refuses what is beyond `f64`.
        let refused = refused.filter(|error| !error.to_string().starts_with("number out of range"));
        assert!(refused.is_none(), "{written:?}: {refused:?}");
    }
}

/// Returns `true` if two values are the same. `serde_json` rounds the last digit of a long number as it likes.
fn is_same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        (Number(a), Number(b)) if a.is_i64() && b.is_i64() => a == b,
        (Number(a), Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * 1e-15
        }
        _ => a == b,
    }
}
