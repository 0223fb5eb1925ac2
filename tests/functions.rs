//! The golden files of the functions, and their completeness.
//!
//! A line is `[expression] => JSON` or `[expression] => error: message`, and may begin with an object: surroundings that
//! take the place of the usual ones. `INSTA_UPDATE=always` rewrites the right sides.

use arcstr::ArcStr;
use formwork::machinery::{Function, Limits, Sources, Span, evaluate, function_families, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::harness::is_blessing;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/functions")
}

/// What the expressions of the golden files can speak of.
const SURROUNDINGS: &str = r#"{
    "parameters": {"p": "value"},
    "variables": {"v": "[toUpper(parameters('p'))]"},
    "extensions": {"k8s": {"name": "Kubernetes", "version": "1.0.0", "config": {
        "namespace": {"type": "string", "defaultValue": "[toLower('Default')]"}}}},
    "externalInputDefinitions": {"later": {"kind": "sys.cli"}},
    "externalInputs": {"region": {"value": "eastus"}, "count": {"value": "3"}},
    "resources": {
        "module": {"properties": {"outputs": {"key": {"type": "string", "value": "k"}}}},
        "vault": {"id": "/subscriptions/s", "name": "v", "type": "A.B/c", "apiVersion": "2020-01-01"}},
    "copy": [{"name": "outer", "index": 1, "resource": true}, {"name": "inner", "index": 5}]
}"#;

/// The value of an expression, as the golden files write it.
fn outcome(line: &str) -> String {
    let other = line.find("} [").map(|end| line.split_at(end + 1));
    let (surroundings, expression) = other.map_or((SURROUNDINGS, line), |(other, rest)| (other, rest.trim_start()));
    let sources = Sources::new();
    let file = sources.add("expression", expression);
    let end = u32::try_from(expression.len()).unwrap();
    let surroundings = ArcStr::from(surroundings);
    let place = sources.add("surroundings", surroundings.clone());
    let surroundings = json::parse(place, &surroundings, 16).value.unwrap();
    match evaluate(expression, Span::new(file, 0, end), &surroundings, &Limits::default()) {
        Ok(value) => match value.as_unknown() {
            Some(unknown) => format!("unknown: {}", unknown.why),
            None => value.to_json(),
        },
        Err(diagnostics) => format!("error: {}", diagnostics[0].message),
    }
}

/// The golden files by name, as lines of expression and outcome.
fn goldens() -> BTreeMap<String, String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap()))
        .collect()
}

fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter(|line| line.starts_with(['[', '{'])).map(|line| line.split_once(" => ").unwrap_or((line, "")))
}

#[test]
fn functions_do_what_their_golden_files_say() {
    let bless = is_blessing();
    let mut wrong = String::new();
    for (name, text) in goldens() {
        let mut blessed = String::new();
        for line in text.lines() {
            let Some((expression, expected)) =
                line.starts_with(['[', '{']).then(|| line.split_once(" => ").unwrap_or((line, "")))
            else {
                writeln!(blessed, "{line}").unwrap();
                continue;
            };
            let found = outcome(expression);
            writeln!(blessed, "{expression} => {found}").unwrap();
            if found != expected {
                writeln!(wrong, "{name}: {expression}\n  expected {expected}\n  found    {found}").unwrap();
            }
        }
        if bless {
            fs::write(folder().join(name), blessed).unwrap();
        }
    }
    assert!(bless || wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_function_has_a_success_and_a_failure() {
    let all: Vec<(String, bool)> = goldens()
        .values()
        .flat_map(|text| {
            cases(text)
                .map(|(it, outcome)| (it.to_ascii_lowercase(), outcome.starts_with("error:")))
                .collect::<Vec<_>>()
        })
        .collect();
    let shown = |function: &Function, failed: bool| {
        let call = format!("{}(", function.name.to_ascii_lowercase());
        all.iter().any(|(expression, is_error)| *is_error == failed && expression.contains(&call))
    };
    let functions = || function_families().iter().flat_map(|family| family.iter());
    let missing: Vec<_> = functions()
        .flat_map(|function| [(function, true), (function, false)])
        .filter(|&(function, failed)| !shown(function, failed))
        .map(|(function, failed)| format!("{}: no {}", function.name, if failed { "failure" } else { "success" }))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn tables_are_sorted_and_names_are_unique() {
    let mut seen = std::collections::BTreeSet::new();
    for family in function_families() {
        let names: Vec<_> = family.iter().map(|function| function.name.to_ascii_lowercase()).collect();
        assert!(names.is_sorted(), "{names:?}");
        for name in names {
            assert!(seen.insert(name.clone()), "{name} is in two tables");
        }
    }
}
