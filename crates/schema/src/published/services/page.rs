//! The page that tells for each service which facts are checked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::published::services::SOURCES;
use crate::published::services::fact::Fact;
use crate::published::services::parse::parse;
use crate::published::services::path;
use crate::published::services::predicate::Operator;
use crate::published::services::words::{stated, stated_condition};
use crate::published::tolerance::Cloud;

/// Start of the page, before the facts.
const HEAD: &str = "\
# See what is checked of each service

Services refuse some values that their published types allow: a feature that a SKU does not have, two rules of one priority, a number
that is not in the right steps. formwork knows the facts on this page. A resource that breaks one is reported by `service/value`,
`service/limit`, `service/combination`, `service/required`, or `service/duplicate`. The types, and what the other
[checks](rules/checks.md) know, come on top.

The service refuses each resource that breaks a fact. If a fact is marked *usual*, a resource that breaks it is most likely a mistake,
and the finding has the severity `low`. Most of these facts are not confirmed. A value that only a deployment knows breaks no fact. The
day of a source is the one that it shows; if its page was not read, it is the day on which the fact was written down.

The page is written from `crates/schema/data/services`. To add a fact, see [CONTRIBUTING](../CONTRIBUTING.md#add-a-fact-of-a-service).
";

/// Returns the text of the page.
fn page() -> String {
    let mut text = HEAD.to_owned();
    for cloud in [Cloud::Azure, Cloud::Aws] {
        let mut services = BTreeMap::new();
        for source in SOURCES.iter().filter(|source| source.cloud == cloud) {
            let file = parse(source.text);
            services.insert(file.service, file.facts);
        }
        write!(text, "\n## {}\n", cloud.name()).unwrap();
        for (service, facts) in services.iter().filter(|(_, facts)| !facts.is_empty()) {
            write!(text, "\n### {service}\n\n| type | fact | error | source |\n|---|---|---|---|\n").unwrap();
            for fact in facts {
                row(&mut text, fact);
            }
        }
    }
    text
}

fn row(text: &mut String, fact: &Fact) {
    let types = fact.targets.iter().map(|target| {
        let at = if target.at.steps.is_empty() { String::new() } else { format!(", {}", target.at.words()) };
        if target.type_name == "*" { "all types".to_owned() } else { format!("`{}`{at}", target.type_name) }
    });
    let types: Vec<String> = types.collect();
    let mark = if fact.is_certain { "" } else { " (*usual*)" };
    let code = if fact.evidence.code.is_empty() { String::new() } else { format!("`{}`", fact.evidence.code) };
    let sentence = sentence(fact).replace('|', "\\|");
    writeln!(
        text,
        "| {} | {sentence}{mark} | {code} | [{}]({}) |",
        types.join("<br>"),
        fact.evidence.date,
        fact.evidence.source
    )
    .unwrap();
}

/// Returns a fact as a sentence of the documentation.
fn sentence(fact: &Fact) -> String {
    let name = format!("`{}`", whole(&fact.path));
    let must = match &fact.must.operator {
        Operator::Present => "is required".to_owned(),
        Operator::Absent => "cannot be set".to_owned(),
        Operator::Unique(path) if path.steps.is_empty() => "has each item once".to_owned(),
        Operator::Unique(path) => format!("has items that differ in `{}`", path.last_name().unwrap_or_default()),
        Operator::Items(_) | Operator::Characters(_) | Operator::Names(_) => format!("has {}", stated(&fact.must)),
        _ => format!("is {}", stated(&fact.must)),
    };
    let conditions: Vec<String> = fact.conditions.iter().map(stated_condition).collect();
    match conditions.as_slice() {
        [] => format!("{name} {must}"),
        conditions => format!("{name} {must} if {}", conditions.join(" and ")),
    }
}

/// Returns a path with all of its steps.
fn whole(path: &path::Path) -> String {
    path.words().trim_matches('`').to_owned()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the variable of the environment renews the page")]
fn the_page_of_services_is_written_from_the_facts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/services.md");
    let wanted = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "`INSTA_UPDATE=always cargo test -p formwork-schema --all-features` renews docs/services.md"
    );
}
