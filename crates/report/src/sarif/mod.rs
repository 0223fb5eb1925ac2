//! SARIF 2.1.0, as GitHub code scanning reads it. See
//! <https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning>
//! and <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
//!
//! `serde-sarif` is used here and nowhere else. There is always exactly one run, since GitHub rejects two of one tool,
//! and always a list of results, since old alerts close only against a list.

mod control;
mod fix;
mod location;
mod rule;
mod size;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use serde_json::json;
use serde_sarif::sarif;

use crate::Options;
use crate::counted::counted;
use crate::diagnostic::{Level, Outcome, homepage};
use crate::fault::{self, Fault};
use crate::file_list;
use crate::model::{Problem, Report, Suppressed};
use crate::parallel;
use crate::sarif::location::Locator;
use crate::sarif::rule::Rules;
use crate::text::escape::visible_lines;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Results that GitHub keeps of a run.
const MAX_RESULTS: usize = 5000;

/// Bytes of a compressed report. GitHub rejects more than ten megabytes, which include the overhead of Base64.
const MAX_BYTES: usize = 10_000_000;

/// Further places of a result. GitHub rejects more than a thousand.
const MAX_RELATED: usize = 100;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &document(report, options, options.sarif.surplus))?;
    writeln!(out)
}

/// Counts the results that code scanning would not keep.
pub fn surplus(report: &Report, options: &Options<'_>) -> io::Result<usize> {
    surplus_beyond(MAX_BYTES, report, options)
}

fn surplus_beyond(max_bytes: usize, report: &Report, options: &Options<'_>) -> io::Result<usize> {
    let total = results(report, options).len();
    let mut surplus = total.saturating_sub(MAX_RESULTS);
    loop {
        let text = serde_json::to_vec(&document(report, options, surplus))?;
        // Most reports are smaller even as they are.
        let size = if text.len() <= max_bytes { text.len() } else { size::compressed(&text)? };
        if size <= max_bytes || surplus == total {
            return Ok(surplus);
        }
        // A little less than in proportion, so that few rounds do; and at least one less, so that it ends.
        let kept = (total - surplus) * (max_bytes / 100) / (size / 100) * 9 / 10;
        surplus = total - kept.min(total - surplus - 1);
    }
}

/// Returns the message about omitted results.
pub fn surplus_text(count: usize) -> String {
    let results = counted(count, "result");
    format!("{results} omitted, least severe first: code scanning accepts at most {MAX_RESULTS} results and 10 MB")
}

fn document(report: &Report, options: &Options<'_>, surplus: usize) -> sarif::Sarif {
    sarif::Sarif::builder()
        .schema(SCHEMA.to_owned())
        .version(json!("2.1.0"))
        .runs(vec![the_run(report, options, surplus)])
        .build()
}

fn the_run(report: &Report, options: &Options<'_>, surplus: usize) -> sarif::Run {
    let version = options.tool_version;
    let (faults, dropped) = kept(report, options, surplus);
    let rules = Rules::collect(&faults);
    let taxonomies = control::taxonomies(faults.iter().map(|fault| &*fault.rule));
    let locator = Locator::new(&options.sarif);
    let mut results = parallel::map(&faults, |fault| result(fault, &rules, locator));
    if report.has_only_new {
        for result in &mut results {
            result.baseline_state = Some(json!("new"));
        }
    }
    let mut driver = sarif::ToolComponent::builder()
        .name("formwork")
        .version(version)
        .semantic_version(version)
        .rules(rules.descriptors)
        .build();
    driver.information_uri = homepage().map(str::to_owned);
    let mut run = sarif::Run::builder()
        .tool(driver)
        .results(results)
        .invocations(vec![invocation(report, locator, dropped)])
        .automation_details(sarif::RunAutomationDetails::builder().id(automation(options.sarif.category)).build())
        .column_kind(json!("utf16CodeUnits"))
        .build();
    run.taxonomies = taxonomies;
    run
}

/// Returns the ID of the analysis. The part before the last `/` is its category; a part after it would name the run.
fn automation(category: Option<&str>) -> String {
    category.map_or_else(|| "formwork/".to_owned(), |category| format!("formwork/{category}/"))
}

/// Returns the faults that become results.
fn results<'a>(report: &'a Report, options: &Options<'_>) -> Vec<Fault<'a>> {
    fault::faults(report.findings.iter().filter(|finding| match finding.outcome {
        Outcome::Failed => true,
        Outcome::Suppressed => !options.sarif.open_only,
        Outcome::Unknown => report.lists_unknown,
        Outcome::Passed => false,
    }))
}

/// Returns the faults that become results, and the number of those without room: the least severe are omitted.
fn kept<'a>(report: &'a Report, options: &Options<'_>, surplus: usize) -> (Vec<Fault<'a>>, usize) {
    let mut faults: Vec<(usize, Fault<'a>)> = results(report, options).into_iter().enumerate().collect();
    let dropped = surplus.max(faults.len().saturating_sub(MAX_RESULTS));
    if dropped > 0 {
        faults.sort_by_key(|(_, fault)| (fault.outcome != Outcome::Failed, fault.rule.severity));
        faults.truncate(faults.len().saturating_sub(dropped));
        faults.sort_by_key(|(index, _)| *index);
    }
    (faults.into_iter().map(|(_, fault)| fault).collect(), dropped)
}

fn result(finding: &Fault<'_>, rules: &Rules, locator: Locator<'_>) -> sarif::Result {
    let mut fingerprints = BTreeMap::from([("formwork/v1".to_owned(), finding.fingerprint.clone())]);
    let hash = finding.place.file.line_hash(finding.place.start.line);
    fingerprints.extend(hash.map(|hash| ("primaryLocationLineHash".to_owned(), hash.to_owned())));
    let mut result = sarif::Result::builder()
        .rule_id(finding.rule.id.clone())
        .level(level(finding.level()))
        .message(message(finding))
        .locations(vec![locator.of_finding(finding)])
        .partial_fingerprints(fingerprints)
        .build();
    if finding.reason.is_some() {
        // SARIF's word for a verdict that needs more information. Only a result of the kind `fail` has a level.
        result.kind = Some(sarif::ResultKind::Open);
        result.level = Some(sarif::ResultLevel::None);
    }
    result.occurrence_count = i64::try_from(finding.places()).ok().filter(|&count| count > 1);
    result.rule_index = rules.index_of(&finding.rule.id);
    let further = finding.failures.iter().map(|place| (place, Cow::Borrowed("and here")));
    let related = finding.related.iter().map(|label| (&label.place, label.text())).chain(further);
    let related: Vec<sarif::Location> =
        related.take(MAX_RELATED).zip(1..).map(|((span, text), id)| locator.related(span, &text, id)).collect();
    result.related_locations = (!related.is_empty()).then_some(related);
    result.fixes = fix::fix_of_fault(finding, locator).map(|fix| vec![fix]);
    result.suppressions = finding.suppressed.as_ref().map(|by| vec![suppression(by, locator)]);
    result
}

/// Returns the suppression of a result, with the reason of its author.
fn suppression(by: &Suppressed, locator: Locator<'_>) -> sarif::Suppression {
    let kind = if by.kind.is_in_source() { "inSource" } else { "external" };
    let mut suppression = sarif::Suppression::builder().kind(json!(kind)).build();
    suppression.justification.clone_from(&by.reason);
    suppression.location = by.place.as_ref().map(|place| locator.location(place));
    suppression
}

fn message(finding: &Fault<'_>) -> sarif::Message {
    let files = file_list::parameter_files(finding).map(|files| format!("in {files}"));
    let asides: Vec<String> = files.into_iter().chain(finding.note()).collect();
    let text = match asides.as_slice() {
        [] => finding.message.clone(),
        asides => format!("{} ({})", finding.message, asides.join("; ")),
    };
    sarif::Message::builder().text(visible_lines(&text)).build()
}

fn invocation(report: &Report, locator: Locator<'_>, dropped: usize) -> sarif::Invocation {
    let mut notifications: Vec<sarif::Notification> =
        report.problems.iter().map(|problem| notification(problem, locator)).collect();
    if dropped > 0 {
        let message = sarif::Message::builder().text(surplus_text(dropped)).build();
        let notification = sarif::Notification::builder().level(json!("warning")).message(message);
        notifications.push(notification.build());
    }
    let is_complete = !report.problems.iter().any(|problem| problem.level == Level::Error);
    sarif::Invocation::builder().execution_successful(is_complete).tool_execution_notifications(notifications).build()
}

fn notification(problem: &Problem, locator: Locator<'_>) -> sarif::Notification {
    let text = match &problem.help {
        Some(help) => format!("{}; {help}", problem.message),
        None => problem.message.clone(),
    };
    let code = sarif::ReportingDescriptorReference::builder().id(&*problem.code).build();
    let mut notification = sarif::Notification::builder()
        .descriptor(code)
        .level(json!(problem.level.as_str()))
        .message(sarif::Message::builder().text(visible_lines(&text)).build())
        .locations(vec![locator.location(&problem.place)])
        .build();
    notification.properties = problem.not_checked.as_deref().map(|kind| {
        let kind = BTreeMap::from([("notChecked".to_owned(), json!(kind))]);
        sarif::PropertyBag::builder().additional_properties(kind).build()
    });
    notification
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
    use std::fmt::Write as _;
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::diagnostic::{Finding, Run, Severity, Suppressed, SuppressionKind};
    use crate::{Format, sample};

    static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let schema = include_str!("../../../../tests/schema/sarif-2.1.0.json");
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
        sample::assert_report(Format::Sarif, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        valid(&sample::syntax_errors());
        sample::assert_report(Format::Sarif, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        assert_eq!(valid(&sample::empty())["runs"][0]["results"], json!([]));
        sample::assert_report(Format::Sarif, "empty", &sample::empty());
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
        let light = (0..MAX_RESULTS).map(|at| Finding { message: at.to_string(), ..light.clone() });
        run.findings = light.collect();
        run.findings.push(severe);
        let report = valid(&run);
        let results = report["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), MAX_RESULTS);
        assert_eq!(results[MAX_RESULTS - 1]["level"], json!("error"));
        let notifications = &report["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        let last = notifications.as_array().unwrap().last().unwrap();
        assert_eq!(
            last["message"]["text"],
            json!("1 result omitted, least severe first: code scanning accepts at most 5000 results and 10 MB")
        );
    }

    #[test]
    fn what_is_too_large_is_left_out_as_well() {
        let mut run = sample::run();
        let finding = run.findings.remove(0);
        // Texts that hardly compress: hexadecimal digits, by half.
        let noise = |seed: u64| -> String {
            let mixed = |at: u64| (seed * 1_000 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            (0..1_000_u64).fold(String::new(), |mut text, at| {
                let _ = write!(text, "{:04x}", mixed(at).wrapping_mul(0xD134_2543_DE82_EF95) >> 48);
                text
            })
        };
        let messages = (0..100).map(|at| Finding { message: noise(at), ..finding.clone() });
        run.findings = messages.collect();
        let mut options = sample::options();
        let room = 200_000;
        options.sarif.surplus = surplus_beyond(room, &sample::report(&run), &options).unwrap();
        assert!((10..60).contains(&options.sarif.surplus), "{}", options.sarif.surplus);
        let left = document(&sample::report(&run), &options, options.sarif.surplus);
        assert!(size::compressed(&serde_json::to_vec(&left).unwrap()).unwrap() <= room);
        run.findings.truncate(20);
        assert_eq!(surplus_beyond(room, &sample::report(&run), &options).unwrap(), 0);
    }

    #[test]
    fn what_is_accepted_elsewhere_is_told_from_what_its_file_suppresses() {
        let mut run = sample::run();
        run.findings.retain(|finding| finding.outcome == Outcome::Suppressed);
        let mut accepted = run.findings[0].clone();
        accepted.suppress(Suppressed { kind: SuppressionKind::Baseline, reason: None, place: None });
        run.findings.push(accepted);
        let report = valid(&run);
        let kind = |at: usize| report["runs"][0]["results"][at]["suppressions"][0]["kind"].clone();
        assert_eq!((kind(0), kind(1)), (json!("inSource"), json!("external")));
    }

    #[test]
    fn code_scanning_gets_no_results_that_were_accepted_or_suppressed() {
        let mut run = sample::run();
        let suppressed = run.findings.iter().find(|finding| finding.outcome == Outcome::Suppressed).unwrap();
        let mut accepted = suppressed.clone();
        accepted.suppress(Suppressed { kind: SuppressionKind::Baseline, reason: None, place: None });
        run.findings.push(accepted);
        let mut options = sample::options();
        let suppressions = |options: &Options<'_>| {
            let report = serde_json::to_value(document(&sample::report(&run), options, 0)).unwrap();
            let results = report["runs"][0]["results"].as_array().unwrap();
            (results.len(), results.iter().filter(|result| !result["suppressions"].is_null()).count())
        };
        assert_eq!(suppressions(&options), (6, 2));
        options.sarif.open_only = true;
        assert_eq!(suppressions(&options), (4, 0));
    }

    #[test]
    fn a_fault_in_many_deployments_is_one_result() {
        let mut run = sample::run();
        let finding = run.findings.remove(0);
        run.findings = ["a", "b", "c"].map(|name| sample::in_template(&finding, name)).into();
        let report = valid(&run);
        let results = report["runs"][0]["results"].as_array().unwrap();
        assert_eq!((results.len(), &results[0]["occurrenceCount"]), (1, &json!(3)));
        let text = "storage account `stdev001` accepts TLS older than 1.2 (also in 2 other deployments: b, c)";
        assert_eq!(results[0]["message"]["text"], text);
    }

    #[test]
    fn a_category_tells_analyses_of_one_commit_apart() {
        assert_eq!((automation(None), automation(Some("infra"))), ("formwork/".into(), "formwork/infra/".into()));
    }

    #[test]
    fn files_have_the_names_that_the_repository_gives_them() {
        let run = sample::run();
        let names = BTreeMap::from([("infra/main.json".into(), "deep/infra/main.json".to_owned())]);
        let mut options = sample::options();
        options.sarif.names = Some(&names);
        let mut out = Vec::new();
        render(&sample::report(&run), &options, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains(r#""uri": "deep/infra/main.json""#) && !text.contains(r#""uri": "infra/main.json""#));
        assert!(text.contains(r#""uri": "infra/dev.parameters.json""#));
    }

    proptest! {
        #[test]
        fn every_run_gives_a_valid_document(run in sample::any_run()) {
            valid(&run);
        }
    }
}
