//! Rule descriptors in SARIF.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foldhash::HashMap;

use serde_json::json;
use serde_sarif::sarif;

use crate::diagnostic::{CheckKind, Severity};
use crate::fault::Fault;
use crate::model::{Origin, Rule};
use crate::sarif::control;
use crate::text::cut_to_width;

/// Characters of a description that GitHub accepts.
const MAX_DESCRIPTION: usize = 1024;

/// Characters of a name that GitHub accepts.
const MAX_NAME: usize = 255;

/// Tags with resource types. GitHub keeps ten tags; the others classify the alert.
const MAX_TYPES: usize = 8;

/// Rules with results, each once, with the references by which results name them.
pub(super) struct Rules {
    pub(super) descriptors: Vec<sarif::ReportingDescriptor>,
    index: HashMap<String, i64>,
}

impl Rules {
    /// Returns the rules with results: code scanning needs no others.
    pub(super) fn collect(faults: &[Fault<'_>]) -> Self {
        let mut rules = Self { descriptors: Vec::new(), index: HashMap::default() };
        for fault in faults {
            rules.add(&fault.rule);
        }
        rules
    }

    fn add(&mut self, rule: &Rule) {
        if !self.index.contains_key(&rule.id) {
            let index = i64::try_from(self.descriptors.len()).unwrap_or(i64::MAX);
            self.index.insert(rule.id.clone(), index);
            self.descriptors.push(descriptor(rule));
        }
    }

    pub(super) fn index_of(&self, id: &str) -> Option<i64> {
        self.index.get(id).copied()
    }
}

fn descriptor(rule: &Rule) -> sarif::ReportingDescriptor {
    // GitHub takes an empty text for a missing one, and rejects that.
    let name = first_said(&rule.name, &rule.id);
    let short = first_said(&rule.short_description, name);
    let full = first_said(&rule.full_description, short);
    let level = sarif::ReportingConfiguration::builder().level(json!(rule.severity.level().as_str())).build();
    let mut descriptor = sarif::ReportingDescriptor::builder()
        .id(rule.id.clone())
        .name(cut_to_width(name, MAX_NAME))
        .short_description(text(cut_to_width(short, MAX_DESCRIPTION)))
        .full_description(text(cut_to_width(full, MAX_DESCRIPTION)))
        .help(help(rule, full))
        .default_configuration(level)
        .properties(properties(rule))
        .build();
    descriptor.relationships = control::relationships(rule);
    descriptor.help_uri = rule.help_uri.clone().filter(|uri| is_web(uri));
    descriptor
}

fn help(rule: &Rule, description: &str) -> sarif::MultiformatMessageString {
    let advice = rule.recommendation.as_deref().filter(|text| !text.trim().is_empty());
    let advice = advice.unwrap_or(description);
    let (mut plain, mut markdown) = (advice.to_owned(), advice.to_owned());
    if advice != description {
        markdown = format!("{description}\n\n**How to fix it**\n\n{advice}");
    }
    if let Some(uri) = rule.help_uri.as_deref().filter(|uri| is_web(uri)) {
        let _ = write!(plain, "\n\nSee {uri}");
        let _ = write!(markdown, "\n\n[Read more]({uri})");
    } else if rule.origin == Origin::Builtin {
        let _ = write!(plain, "\n\n`formwork rules show {}` explains the rule", rule.id);
        let _ = write!(markdown, "\n\n`formwork rules show {}` explains the rule", rule.id);
    }
    let mut help = text(plain);
    help.markdown = Some(markdown);
    help
}

/// Returns the properties by which alerts are sorted and filtered. A severity makes them security alerts, with one of
/// GitHub's words for each range. Checks of a deployment that are not about secrets find what Azure would reject, which
/// does not concern security.
fn properties(rule: &Rule) -> sarif::PropertyBag {
    let is_security = rule.kind().is_none_or(|kind| kind == CheckKind::Secret);
    let (subject, key, severity) = match (is_security, rule.severity) {
        (true, Severity::High) => ("security", "security-severity", "8.0"),
        (true, Severity::Medium) => ("security", "security-severity", "5.5"),
        (true, Severity::Low) => ("security", "security-severity", "3.0"),
        (false, Severity::High) => ("correctness", "problem.severity", "error"),
        (false, Severity::Medium) => ("correctness", "problem.severity", "warning"),
        (false, Severity::Low) => ("correctness", "problem.severity", "recommendation"),
    };
    let mut tags = vec![subject.to_owned(), "infrastructure-as-code".to_owned()];
    tags.extend(rule.resource_types.iter().take(MAX_TYPES).cloned());
    tags.sort_unstable();
    tags.dedup();
    sarif::PropertyBag::builder()
        .tags(tags)
        .additional_properties(BTreeMap::from([
            ("precision".to_owned(), json!("high")),
            (key.to_owned(), json!(severity)),
        ]))
        .build()
}

fn first_said<'a>(first: &'a str, second: &'a str) -> &'a str {
    if first.trim().is_empty() { second } else { first }
}

/// True if an address has the form of a URI, which the schema requires.
fn is_web(uri: &str) -> bool {
    let is_plain = uri.chars().all(|c| c.is_ascii_graphic() && !"\"<>|`\\^{}()".contains(c));
    is_plain && (uri.starts_with("https://") || uri.starts_with("http://"))
}

fn text(text: String) -> sarif::MultiformatMessageString {
    sarif::MultiformatMessageString::builder().text(text).build()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diagnostic::common_checks::{PARAMETER_CONSTRAINT, SECRET_NAME, SECRET_OUTPUT};
    use crate::diagnostic::{RuleInfo, Run};
    use crate::fault::faults;
    use crate::sample;

    #[test]
    fn a_rule_that_says_nothing_is_described_by_its_id() {
        let run = sample::run();
        let rules = sample::report(&run).rules;
        let rule = rules.iter().find(|rule| rule.id == "tags:3").unwrap();
        let descriptor = descriptor(rule);
        assert_eq!(descriptor.short_description.unwrap().text, "tags:3");
        assert_eq!(descriptor.full_description.unwrap().text, "tags:3");
        assert_eq!(descriptor.help.unwrap().text, "tags:3\n\n`formwork rules show tags:3` explains the rule");
    }

    #[test]
    fn rules_are_of_security_and_checks_of_deployments_are_not() {
        let of = |rule: &RuleInfo| {
            let run = Run { rules: vec![Arc::new(rule.clone())], ..Run::default() };
            let properties = serde_json::to_value(properties(&sample::report(&run).rules[0])).unwrap();
            let text = |key: &str| properties[key].as_str().unwrap_or_default().to_owned();
            (
                properties["tags"].to_string().contains("\"security\""),
                text("security-severity"),
                text("problem.severity"),
            )
        };
        assert_eq!(of(&PARAMETER_CONSTRAINT.info()), (false, String::new(), "error".to_owned()));
        assert_eq!(of(&SECRET_OUTPUT.info()), (true, "8.0".to_owned(), String::new()));
        assert_eq!(of(&SECRET_NAME.info()), (true, "5.5".to_owned(), String::new()));
        let mut rule = (*sample::run().rules[0]).clone();
        for (severity, number) in [(Severity::High, "8.0"), (Severity::Medium, "5.5"), (Severity::Low, "3.0")] {
            rule.severity = severity;
            assert_eq!(of(&rule), (true, number.to_owned(), String::new()));
        }
    }

    #[test]
    fn a_rule_with_results_is_listed_once_and_found_by_its_id() {
        let report = sample::report(&sample::run());
        let rules = Rules::collect(&faults(&report.findings));
        let ids: Vec<&str> = rules.descriptors.iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(ids, ["AZ-STORAGE-001", "AZ-STORAGE-002", "tags:3"]);
        assert_eq!(rules.index_of("tags:3"), Some(2));
        assert!(Rules::collect(&[]).descriptors.is_empty());
    }
}
