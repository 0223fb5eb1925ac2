//! SARIF 2.1.0, as GitHub code scanning reads it. See
//! <https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning>
//! and <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
//!
//! `serde-sarif` is used here and nowhere else. There is always exactly one run, since GitHub rejects two of one tool,
//! and always a list of results, since old alerts close only against a list.

mod fix;
mod line_hash;
mod location;
mod rule;

use std::collections::BTreeMap;
use std::io;

use serde_json::json;
use serde_sarif::sarif;

use crate::diagnostic::{Diagnostic, Finding, Level, Outcome, Run};
use crate::report::Options;
use crate::report::sarif::line_hash::LineHashes;
use crate::report::sarif::rule::Rules;
use crate::report::tally;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Where to read about the tool; empty for a build whose manifest does not say.
const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");

/// What is in front of the last `/` is the category of the analysis; what is behind names the run.
const AUTOMATION: &str = "formwork/";

/// How many results GitHub keeps of a run.
const MAX_RESULTS: usize = 5000;

/// How many further places a result may have. GitHub rejects more than a thousand.
const MAX_RELATED: usize = 100;

pub(super) fn render(run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let sarif = sarif::Sarif::builder()
        .schema(SCHEMA.to_owned())
        .version(json!("2.1.0"))
        .runs(vec![the_run(run, options.tool_version)])
        .build();
    serde_json::to_writer_pretty(&mut *out, &sarif)?;
    writeln!(out)
}

fn the_run(run: &Run, version: &str) -> sarif::Run {
    let (findings, dropped) = kept(run);
    let rules = Rules::of(run, &findings);
    let mut hashes = LineHashes::default();
    let results: Vec<sarif::Result> = findings.iter().map(|it| result(run, it, &rules, &mut hashes)).collect();
    let mut driver = sarif::ToolComponent::builder()
        .name("formwork")
        .version(version)
        .semantic_version(version)
        .rules(rules.descriptors)
        .build();
    if !HOMEPAGE.is_empty() {
        driver.information_uri = Some(HOMEPAGE.to_owned());
    }
    sarif::Run::builder()
        .tool(driver)
        .results(results)
        .invocations(vec![invocation(run, dropped)])
        .automation_details(sarif::RunAutomationDetails::builder().id(AUTOMATION).build())
        .column_kind(json!("utf16CodeUnits"))
        .build()
}

/// The findings that become results, and how many there is no room for: the least severe go first.
fn kept(run: &Run) -> (Vec<&Finding>, usize) {
    let is_result = |it: &&Finding| matches!(it.outcome, Outcome::Failed | Outcome::Suppressed);
    let mut findings: Vec<(usize, &Finding)> = run.findings.iter().filter(is_result).enumerate().collect();
    let dropped = findings.len().saturating_sub(MAX_RESULTS);
    if dropped > 0 {
        findings.sort_by_key(|(_, it)| (it.outcome == Outcome::Suppressed, it.rule.severity));
        findings.truncate(MAX_RESULTS);
        findings.sort_by_key(|(index, _)| *index);
    }
    (findings.into_iter().map(|(_, it)| it).collect(), dropped)
}

fn result(run: &Run, finding: &Finding, rules: &Rules, hashes: &mut LineHashes) -> sarif::Result {
    let hash = hashes.of_line(&run.sources, finding.span);
    let fingerprints = BTreeMap::from([
        ("primaryLocationLineHash".to_owned(), hash),
        ("formwork/v1".to_owned(), finding.fingerprint.clone()),
    ]);
    let mut result = sarif::Result::builder()
        .rule_id(finding.rule.id.clone())
        .level(level(finding.level()))
        .message(message(finding))
        .locations(vec![location::of_finding(&run.sources, finding)])
        .partial_fingerprints(fingerprints)
        .build();
    result.rule_index = rules.index_of(&finding.rule.id);
    let further = finding.failures.iter().map(|&span| (span, "and here"));
    let related = finding.related.iter().map(|it| (it.span, it.message.as_str())).chain(further);
    let related: Vec<sarif::Location> = related
        .take(MAX_RELATED)
        .zip(1..)
        .map(|((span, text), id)| location::related(&run.sources, span, text, id))
        .collect();
    result.related_locations = (!related.is_empty()).then_some(related);
    result.fixes = fix::of(run, finding).map(|it| vec![it]);
    if finding.outcome == Outcome::Suppressed {
        let kind = if finding.in_baseline { "external" } else { "inSource" };
        let suppression = sarif::Suppression::builder().kind(json!(kind)).build();
        result.suppressions = Some(vec![suppression]);
    }
    result
}

fn message(finding: &Finding) -> sarif::Message {
    let files = crate::report::place::parameter_files(finding);
    let text = match files {
        Some(files) => format!("{} (in {files})", finding.message),
        None => finding.message.clone(),
    };
    sarif::Message::builder().text(text).build()
}

fn invocation(run: &Run, dropped: usize) -> sarif::Invocation {
    let mut notifications: Vec<sarif::Notification> = run.diagnostics.iter().map(|it| notification(run, it)).collect();
    if dropped > 0 {
        let text = format!(
            "{} left out, the least severe first: code scanning keeps {MAX_RESULTS}",
            tally::counted(dropped, "result")
        );
        let message = sarif::Message::builder().text(text).build();
        let notification = sarif::Notification::builder().level(json!("warning")).message(message);
        notifications.push(notification.build());
    }
    let is_complete = !run.diagnostics.iter().any(|it| it.level == Level::Error);
    sarif::Invocation::builder().execution_successful(is_complete).tool_execution_notifications(notifications).build()
}

fn notification(run: &Run, diagnostic: &Diagnostic) -> sarif::Notification {
    let text = match &diagnostic.help {
        Some(help) => format!("{}; {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let code = sarif::ReportingDescriptorReference::builder().id(diagnostic.code.as_str()).build();
    sarif::Notification::builder()
        .descriptor(code)
        .level(json!(diagnostic.level.as_str()))
        .message(sarif::Message::builder().text(text).build())
        .locations(vec![location::of(&run.sources, diagnostic.primary.span)])
        .build()
}

fn level(level: Level) -> sarif::ResultLevel {
    match level {
        Level::Error => sarif::ResultLevel::Error,
        Level::Warning => sarif::ResultLevel::Warning,
        Level::Note => sarif::ResultLevel::Note,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::diagnostic::Severity;
    use crate::report::{Format, sample};

    static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let schema = include_str!("../../../tests/schema/sarif-2.1.0.json");
        let mut schema: Value = serde_json::from_str(schema).unwrap();
        for owner in ["run", "toolComponent"] {
            let language = &mut schema["definitions"][owner]["properties"]["language"];
            let pattern = language.as_object_mut().unwrap().remove("pattern");
            assert!(pattern.is_some(), "see tests/schema/README.md");
        }
        jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
    });

    #[track_caller]
    fn valid(run: &Run) -> Value {
        let text = sample::render(Format::Sarif, run, false, false);
        let report: Value = serde_json::from_str(&text).unwrap();
        let errors: Vec<String> =
            SCHEMA.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{text}");
        report
    }

    #[test]
    fn output() {
        valid(&sample::run());
        sample::check(Format::Sarif, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        valid(&sample::syntax_errors());
        sample::check(Format::Sarif, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        assert_eq!(valid(&sample::empty())["runs"][0]["results"], json!([]));
        sample::check(Format::Sarif, "empty", &sample::empty());
    }

    #[test]
    fn a_document_that_breaks_the_schema_is_noticed() {
        let mut report = valid(&sample::run());
        report["runs"][0]["results"][0]["level"] = json!("high");
        assert!(!SCHEMA.is_valid(&report));
    }

    #[test]
    fn the_least_severe_results_are_left_out_first() {
        let mut run = sample::run();
        let severe = run.findings.remove(0);
        let mut rule = (*severe.rule).clone();
        rule.severity = Severity::Low;
        let mut light = severe.clone();
        light.rule = Arc::new(rule);
        run.findings = vec![light; MAX_RESULTS];
        run.findings.push(severe);
        let report = valid(&run);
        let results = report["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), MAX_RESULTS);
        assert_eq!(results[MAX_RESULTS - 1]["level"], json!("error"));
        let notifications = &report["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        let last = notifications.as_array().unwrap().last().unwrap();
        assert_eq!(
            last["message"]["text"],
            json!("1 result left out, the least severe first: code scanning keeps 5000")
        );
    }

    proptest! {
        #[test]
        fn every_run_gives_a_valid_document(run in sample::any_run()) {
            valid(&run);
        }
    }
}
