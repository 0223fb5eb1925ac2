//! What pages about a difference show, and that nothing of a template is more than text on them.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::difference::html::bounded;
use crate::difference::{Difference, Places, page, section, text};
use crate::schema_file;
use formwork_testing::markdown as judge;

fn document(resources: &[Json]) -> Json {
    json!({
        "schema": "formwork/diff/v1",
        "old": {"name": "main"},
        "new": {"name": "the working tree"},
        "summary": {"deployments": {"new": 0, "changed": 1, "same": 2}, "resources": {"change": resources.len(), "same": 3}},
        "deployments": [{
            "template": "main.json", "parameters": "dev.json", "status": "changed", "same": 3,
            "causes": [{"parameter": "sku", "old": {"value": "a"}, "new": {"value": "b"}}],
            "resources": resources,
        }],
    })
}

fn resource(name: &str, path: &str, value: &str) -> Json {
    json!({
        "outcome": "change", "type": "A.B/c", "name": name, "file": "main.json", "line": 3,
        "risks": [{"severity": "high", "kind": "data", "message": "it holds data", "path": path, "source": "https://x"}],
        "changes": [
            {"path": path, "old": {"value": value}, "new": {"unknown": value}},
            {"path": "sku", "old": {"secret": true}, "new": {"secret": true}, "cause": 0},
        ],
    })
}

fn read(document: &Json) -> Difference {
    Difference::read(document.to_string().as_bytes()).unwrap()
}

/// The schema of `formwork/diff/v1`.
pub(crate) fn schema() -> Json {
    let about = "The output of `formwork diff --format json`. Later versions may add members.";
    schema_file::schema_of::<Difference>("Difference of formwork", about, "formwork/diff/v1")
}

#[test]
fn the_schema_is_that_of_the_structs() {
    schema_file::check_schema("diff.schema.json", &schema());
}

#[test]
fn a_section_a_page_and_a_text() {
    let mut other = resource("b", "x", "1");
    other["risks"] = json!([]);
    let difference = read(&document(&[other, resource("a", "kind", "Storage")]));
    insta::assert_snapshot!("section", section(&difference, 60_000, Places::Lines));
    insta::assert_snapshot!("page", page(&difference));
    insta::assert_snapshot!("text", text(&difference, false));
    assert!(!section(&difference, 60_000, Places::Files).contains("main.json:3"));
}

#[test]
fn deployments_that_differ_alike_are_one_fold() {
    let mut all = document(&[resource("a", "kind", "Storage")]);
    let with = |parameters: &str, name: &str| {
        let mut one = document(&[resource(name, "kind", "Storage")])["deployments"][0].clone();
        one["parameters"] = json!(parameters);
        one
    };
    all["deployments"] = json!([with("dev.json", "a"), with("test.json", "b"), with("prod.json", "a")]);
    let all = read(&all);
    let console = text(&all, false);
    assert!(console.starts_with("main.json with dev.json\nmain.json with prod.json\n  parameter"), "{console}");
    let text = section(&all, 60_000, Places::Lines);
    let titles: Vec<&str> = text.lines().filter(|line| line.contains("<summary>")).collect();
    assert_eq!(titles.len(), 2, "{text}");
    let both =
        "<code>main.json</code> with <code>dev.json</code>, <code>prod.json</code>: each 1 to change, 1 high risk";
    assert!(titles[0].contains(both), "{text}");
}

#[test]
fn a_section_has_a_bound_and_says_what_is_missing() {
    let many: Vec<Json> = (0..500).map(|at| resource(&format!("r{at}"), "kind", "x")).collect();
    let difference = read(&document(&many));
    for limit in [0, 100, 400, 1_000, 5_000, 20_000, 60_000] {
        let text = section(&difference, limit, Places::Lines);
        assert!(text.len() <= limit, "{} of {limit}", text.len());
        assert!(text.is_empty() || text.contains("… and "), "{limit}");
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }
}

#[test]
fn a_page_has_a_bound_and_says_what_is_missing() {
    let many: Vec<Json> = (0..500).map(|at| resource(&format!("r{at}"), "kind", "x")).collect();
    let difference = read(&document(&many));
    let empty = bounded(&read(&document(&[])), 0).len();
    for room in [0, 10_000, 100_000] {
        let text = bounded(&difference, room);
        assert!(text.len() < empty + room + 5_000, "{} of {room}", text.len() - empty);
        assert!(text.contains("more resources, for which this page has no room"), "{room}");
        assert_eq!(text.matches("<details").count(), text.matches("</details>").count());
    }
    assert!(!page(&difference).contains("no room"));
}

#[test]
fn what_is_no_difference_is_refused() {
    let refused = |document: Json| Difference::read(document.to_string().as_bytes()).unwrap_err().to_string();
    let mut other = document(&[]);
    other["schema"] = json!("formwork/report/v1");
    assert_eq!(refused(other), "`schema` of the report is not `formwork/diff/v1`");
    let mut wrong = document(&[resource("a", "b", "c")]);
    wrong["deployments"][0]["resources"][0]["outcome"] = json!("<script>");
    assert!(refused(wrong).starts_with("`deployments[0].resources[0].outcome` of the report"));
}

proptest! {
    #[test]
    fn no_text_is_more_than_text(texts in prop::collection::vec(judge::any_text(), 8)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let [name, path, value, file, template, parameter, message, why] = texts[..] else { unreachable!() };
        let mut own = resource(name, path, value);
        own["file"] = json!(file);
        own["type"] = json!(why);
        own["outcome"] = json!("uncertain");
        own["newMaybe"] = json!(why);
        own["oldName"] = json!(message);
        own["parents"] = json!([{"type": why, "name": file}, {"type": path, "name": name}]);
        own["risks"][0]["message"] = json!(message);
        let mut document = document(&[own]);
        document["old"]["name"] = json!(template);
        document["deployments"][0]["template"] = json!(template);
        document["deployments"][0]["causes"][0]["parameter"] = json!(parameter);
        let difference = read(&document);
        let seen = judge::read(&section(&difference, 60_000, Places::Lines));
        for tag in &seen.tags {
            let known = ["<code>", "</code>", "<sub>", "</sub>", "<br>", "</details>"];
            let is_known = known.contains(&tag.as_str()) || tag.starts_with("<details><summary>");
            prop_assert!(is_known, "{}", tag);
        }
        prop_assert_eq!(seen.name(), None, "{:?}", seen);
        prop_assert!(seen.cells.iter().all(|cells| *cells == 3), "{:?}", seen.cells);
        let console = text(&difference, false);
        prop_assert!(console.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", console);
        prop_assert_eq!(console.lines().count(), 8, "{}", console);
        let html = page(&difference);
        prop_assert_eq!((html.matches("<script").count(), html.matches("<style").count()), (1, 1));
        let tag = regex::Regex::new("<(/?[a-zA-Z!][a-zA-Z0-9]*)").unwrap();
        let known = [
            "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "span", "form", "label", "ul",
            "li", "select", "option", "input", "output", "details", "summary", "article", "div", "code", "script", "button",
        ];
        for found in tag.captures_iter(&html) {
            prop_assert!(known.contains(&found[1].trim_start_matches('/')), "{}", &found[1]);
        }
    }
}
