//! The machine-readable report, `formwork/report/v1`.
//!
//! The structs here are the contract with scripts that read the report: fields are added, never renamed, and nothing
//! of the model is serialized directly. Columns count UTF-16 code units.

mod object;
mod part;

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use crate::diagnostic::{
    self, AddedSuppression, Diagnostic, Finding, Fix, InHead, Label, NotChecked, Outcome, ReplacedLines, RuleInfo, Run,
};
use crate::report::Options;
use crate::report::fault;
use crate::report::source_range::SourceRange;
use crate::text::{FileId, Span};
use crate::value::ValueExcerpt;

use self::object::Object;
#[cfg(test)]
use self::part::Shard;
use self::part::{Edits, Place};

const SCHEMA: &str = "formwork/report/v1";

/// The JSON schema of the report. A test makes it from the structs below, and `INSTA_UPDATE=always` renews it.
pub(crate) const JSON_SCHEMA: &str = include_str!("../../../schemas/report.schema.json");

// The members of a report, of which the schema is made: `render` writes them one by one.
#[cfg(test)]
#[derive(Serialize, schemars::JsonSchema)]
struct Report<'a> {
    schema: &'static str,
    tool: Tool<'a>,
    /// Only of a part of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<Shard<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Change<'a>>,
    summary: Summary,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notices: &'a [String],
    results: Vec<Verdict<'a>>,
    diagnostics: Vec<Problem<'a>>,
    /// What is not checked although nothing is wrong with it; each is a diagnostic, too.
    not_checked: Vec<Unchecked<'a>>,
    /// The suppressions that the change adds. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added_suppressions: Vec<Added<'a>>,
    /// Those that failed somewhere, ordered by id.
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

/// What the event of the workflow says.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Change<'a> {
    event: &'a str,
    pull_request: Option<u64>,
    base: Option<&'a str>,
    head: Option<&'a str>,
    commit: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Summary {
    templates: usize,
    deployments: usize,
    resources: usize,
    rules: usize,
    failed: usize,
    /// Findings that failed, where those with the same rule, place, and message count as one.
    faults: usize,
    passed: usize,
    unknown: usize,
    suppressed: usize,
    errors: usize,
    /// Errors that `--allow-unreadable` turned into warnings.
    unreadable: usize,
    /// The entries of `not_checked`.
    not_checked: usize,
    /// Absent if there are none: see [`diagnostic::Summary::outside`].
    #[serde(skip_serializing_if = "Option::is_none")]
    outside: Option<Outside>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Outside {
    high: usize,
    medium: usize,
    low: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Verdict<'a> {
    rule: &'a str,
    name: &'a str,
    severity: u8,
    level: &'static str,
    outcome: &'static str,
    /// Whether the change touches the lines of the finding or brings it. Absent if no change is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_changed_lines: Option<bool>,
    message: &'a str,
    /// Only of a verdict that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    template: &'a str,
    parameters: Vec<&'a str>,
    resource: Option<Resource<'a>>,
    path: &'a str,
    failed_paths: &'a [String],
    location: Location,
    failures: Vec<Location>,
    related: Vec<Related<'a>>,
    /// Absent if there is no value: `null` is a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Repair<'a>>,
    /// The parts of the fix, only in the report of a part of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    edits: Option<Edits<'a>>,
    /// Its resource in the trees of the deployments, only in the report of a part of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    subjects: Option<Vec<Place>>,
    fingerprint: &'a str,
    /// The same for findings with the same rule, place, and message.
    fault: String,
    /// As `fingerprint`, without the path of the template: the same after it was renamed.
    resource_fingerprint: &'a str,
    /// The IDs of the deployments in which it was found.
    deployments: Vec<String>,
    /// Only of a finding that is suppressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Suppressed<'a>>,
}

/// What suppresses a finding.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Suppressed<'a> {
    kind: &'static str,
    reason: Option<&'a str>,
    place: Option<Location>,
}

/// Whole lines for whole lines, as a review comment suggests them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Repair<'a> {
    title: &'a str,
    file: String,
    line: u32,
    end_line: u32,
    /// Joined by `\n`, without a line ending after the last.
    replacement: String,
    /// Whether it is only likely that the author wants it.
    #[serde(rename = "unsafe", skip_serializing_if = "std::ops::Not::not")]
    is_guess: bool,
    /// As that of a place; `null` also where the head does not have the lines one after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<HeadPlace>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Resource<'a> {
    r#type: &'a str,
    name: &'a str,
    id: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Location {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    /// Left out where the head has the same lines; `null` where it does not have the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<HeadPlace>,
}

/// Where a place is in the head of the pull request.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum HeadPlace {
    Lines(HeadLines),
    Nowhere,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HeadLines {
    /// The path from the root of the repository, where the report calls the file something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: u32,
    end_line: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Related<'a> {
    message: &'a str,
    #[serde(flatten)]
    location: Location,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Problem<'a> {
    code: &'static str,
    level: &'static str,
    message: &'a str,
    #[serde(flatten)]
    location: Location,
    /// What is at the place, where the message does not say it.
    #[serde(skip_serializing_if = "str::is_empty")]
    caption: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    related: Vec<Related<'a>>,
    /// The kind, if it says that something is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'static str>,
}

/// A suppression that the change adds, with one of its rules.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Added<'a> {
    rule: &'a str,
    kind: &'static str,
    reason: Option<&'a str>,
    place: Location,
    /// How many findings of the rule it suppresses.
    findings: usize,
}

/// A part of the inputs that is not checked.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Unchecked<'a> {
    /// One of a fixed list of names.
    kind: &'static str,
    message: &'a str,
    #[serde(flatten)]
    location: Location,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Rule<'a> {
    id: &'a str,
    description: &'a str,
    recommendation: Option<&'a str>,
    help_uri: Option<&'a str>,
    /// Who wrote the rule: `builtin`, or the `base` or the `head` of the change.
    origin: &'static str,
}

pub(super) fn render(run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let listed = |finding: &&Finding| options.show_passed || finding.outcome != Outcome::Passed;
    let findings: Vec<&Finding> = run.findings.iter().filter(listed).collect();
    let mut report = Object::new(out);
    report.member("schema", &SCHEMA)?;
    report.member("tool", &Tool { name: "formwork", version: options.tool_version })?;
    report.optional("shard", part::shard(run).as_ref())?;
    report.optional("change", run.change.as_ref().map(change).as_ref())?;
    report.member("summary", &summary(run))?;
    report.optional("notices", Some(&run.notices).filter(|notices| !notices.is_empty()))?;
    report.list("results", &findings, |finding| verdict(finding, run))?;
    report.list("diagnostics", &run.diagnostics, |diagnostic| problem(diagnostic, run))?;
    report.list("not_checked", &run.not_checked().collect::<Vec<_>>(), |(kind, problem)| Unchecked {
        kind: kind.as_str(),
        message: &problem.message,
        location: location(problem.primary.span, run),
    })?;
    let added: Vec<Added<'_>> = run.added_suppressions.iter().map(|added| self::added(added, run)).collect();
    report.optional("added_suppressions", Some(&added).filter(|added| !added.is_empty()))?;
    report.member("rules", &rules(run))?;
    report.end()
}

fn change(change: &diagnostic::EventChange) -> Change<'_> {
    Change {
        event: &change.event,
        pull_request: change.pull_request,
        base: change.base.as_deref(),
        head: change.head.as_deref(),
        commit: &change.commit,
    }
}

fn summary(run: &Run) -> Summary {
    Summary {
        templates: run.summary.templates,
        deployments: run.summary.deployments,
        resources: run.summary.resources,
        rules: run.summary.rules,
        failed: run.summary.failed,
        faults: fault::count_failed(run),
        passed: run.summary.passed,
        unknown: run.summary.unknown,
        suppressed: run.summary.suppressed,
        errors: run.summary.errors,
        unreadable: run.summary.unreadable,
        not_checked: run.not_checked().count(),
        outside: (run.summary.outside != diagnostic::BySeverity::default()).then(|| {
            let diagnostic::BySeverity { high, medium, low } = run.summary.outside;
            Outside { high, medium, low }
        }),
    }
}

fn rules(run: &Run) -> Vec<Rule<'_>> {
    let failed = run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
    let rules: BTreeMap<&str, Rule<'_>> =
        failed.map(|finding| (finding.rule.id.as_str(), rule(&finding.rule, run))).collect();
    rules.into_values().collect()
}

fn rule<'a>(rule: &'a RuleInfo, run: &Run) -> Rule<'a> {
    Rule {
        id: &rule.id,
        description: &rule.short_description,
        recommendation: rule.recommendation.as_deref(),
        help_uri: rule.help_uri.as_deref(),
        origin: origin(rule, run),
    }
}

fn origin(rule: &RuleInfo, run: &Run) -> &'static str {
    match rule.definition {
        None => "builtin",
        Some(_) if run.rules_are_of_base => "base",
        Some(_) => "head",
    }
}

fn verdict<'a>(finding: &'a Finding, run: &Run) -> Verdict<'a> {
    let resource = finding.resource.as_ref().map(|resource| Resource {
        r#type: &resource.type_name,
        name: &resource.name,
        id: &resource.id,
    });
    Verdict {
        rule: &finding.rule.id,
        name: &finding.rule.name,
        severity: finding.rule.severity.number(),
        level: finding.level().as_str(),
        outcome: finding.outcome.as_str(),
        on_changed_lines: finding.in_change,
        message: &finding.message,
        reason: finding.reason(),
        template: &finding.template,
        parameters: finding.parameters.iter().map(|name| &**name).collect(),
        resource,
        path: &finding.path,
        failed_paths: finding.failed_paths(),
        location: location(finding.span, run),
        failures: finding.failures.iter().map(|&span| location(span, run)).collect(),
        related: related(&finding.related, run),
        actual: finding.actual.as_ref().map(actual),
        fix: finding.fix.as_ref().filter(|_| finding.outcome == Outcome::Failed).and_then(|fix| repair(fix, run)),
        edits: part::edits(finding, run),
        subjects: part::subjects(finding, run),
        fingerprint: &finding.fingerprint,
        fault: fault::id(finding, &run.sources),
        resource_fingerprint: &finding.resource_fingerprint,
        deployments: finding.deployments.iter().map(ToString::to_string).collect(),
        suppressed: finding.suppressed.as_deref().map(|by| suppressed(by, run)),
    }
}

fn suppressed<'a>(by: &'a diagnostic::Suppressed, run: &Run) -> Suppressed<'a> {
    Suppressed {
        kind: by.kind.as_str(),
        reason: by.reason.as_deref(),
        place: by.place.map(|place| location(place, run)),
    }
}

fn repair<'a>(fix: &'a Fix, run: &Run) -> Option<Repair<'a>> {
    let ReplacedLines { file, first, last, text } = fix.as_lines(&run.sources)?;
    Some(Repair {
        title: &fix.title,
        head: head_lines(fix.edits.first()?.span.file, first, last, &file, run),
        file: file.to_string(),
        line: first,
        end_line: last,
        replacement: text,
        is_guess: fix.is_guess,
    })
}

/// Where lines are in the head that give way to others, all of them.
fn head_lines(file: FileId, first: u32, last: u32, name: &str, run: &Run) -> Option<HeadPlace> {
    let (change, source) = (run.change.as_ref()?, run.sources.get(file));
    let in_head = |line: u32| {
        let start = u32::try_from(source.line_range(line)?.start).ok()?;
        change.in_head(Span::new(file, start, start.saturating_add(1)), &run.sources)
    };
    let InHead::At { first: top, file: head, .. } = in_head(first)? else { return Some(HeadPlace::Nowhere) };
    let follows = |line: u32| matches!(in_head(line), Some(InHead::At { first: it, .. }) if it == top + (line - first));
    if !(first..=last).all(follows) {
        return Some(HeadPlace::Nowhere);
    }
    let file = (*head != *name).then(|| head.to_string());
    Some(HeadPlace::Lines(HeadLines { file, line: top, end_line: top + (last - first) }))
}

/// The value itself. One that was shortened is not JSON anymore, and is given as a string.
fn actual(value: &ValueExcerpt) -> serde_json::Value {
    let text = value.to_string();
    serde_json::from_str(&text).unwrap_or_else(|_| text.into())
}

fn problem<'a>(diagnostic: &'a Diagnostic, run: &Run) -> Problem<'a> {
    Problem {
        code: diagnostic.code.as_str(),
        level: diagnostic.level.as_str(),
        message: &diagnostic.message,
        location: location(diagnostic.primary.span, run),
        caption: &diagnostic.primary.message,
        help: diagnostic.help.as_deref(),
        related: related(&diagnostic.secondary, run),
        not_checked: diagnostic.not_checked.map(NotChecked::as_str),
    }
}

fn added<'a>(added: &'a AddedSuppression, run: &Run) -> Added<'a> {
    Added {
        rule: &added.rule,
        kind: added.kind.as_str(),
        reason: added.reason.as_deref(),
        place: location(added.place, run),
        findings: added.findings,
    }
}

fn related<'a>(labels: &'a [Label], run: &Run) -> Vec<Related<'a>> {
    let related = labels.iter().map(|label| Related { message: &label.message, location: location(label.span, run) });
    related.collect()
}

fn location(span: Span, run: &Run) -> Location {
    let place = SourceRange::of(&run.sources, span);
    let in_head = run.change.as_ref().and_then(|change| change.in_head(span, &run.sources));
    Location {
        head: in_head.map(|head| head_place(head, &place.file)),
        file: place.file.to_string(),
        line: place.start.line,
        column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
    }
}

fn head_place(in_head: InHead, name: &str) -> HeadPlace {
    let InHead::At { file, first, last } = in_head else { return HeadPlace::Nowhere };
    let file = (*file != *name).then(|| file.to_string());
    HeadPlace::Lines(HeadLines { file, line: first, end_line: last })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Edit, HeadFile};
    #[cfg(feature = "cli")]
    use crate::report::difference;
    use crate::report::{Format, sample};
    use crate::text::{Hunk, LineMap};
    use crate::value::Value;

    /// Describes the member `difference`, which the action adds from the output of `formwork diff`.
    #[cfg(feature = "cli")]
    fn add_difference(schema: &mut serde_json::Value) {
        let text = difference::JSON_SCHEMA.replace("\"#/$defs/", "\"#/$defs/difference.");
        let mut added: serde_json::Value = serde_json::from_str(&text).unwrap();
        let members = added.as_object_mut().unwrap();
        members.remove("$schema");
        let definitions = members.remove("$defs").unwrap();
        members["description"] = "What the change deploys, as `formwork diff --format json` prints it.".into();
        let into = schema["$defs"].as_object_mut().unwrap();
        into.insert("difference".to_owned(), added);
        for (name, definition) in definitions.as_object().unwrap() {
            into.insert(format!("difference.{name}"), definition.clone());
        }
        schema["properties"]["difference"] = serde_json::json!({"$ref": "#/$defs/difference"});
    }

    #[cfg(feature = "cli")]
    #[test]
    fn the_schema_is_that_of_the_structs() {
        // Of what is written: members that may be left out are not required.
        let settings = schemars::generate::SchemaSettings::default().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Report<'_>>().to_value();
        schema["title"] = "Report of formwork".into();
        schema["description"] = "The output of `formwork check --format json`. Later versions may add fields.".into();
        schema["properties"]["schema"]["const"] = SCHEMA.into();
        add_difference(&mut schema);
        let text = format!("{schema:#}\n");
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/report.schema.json");
        #[expect(clippy::disallowed_methods, reason = "the one switch of the tests")]
        if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "INSTA_UPDATE=always renews {}", path.display());
    }

    #[test]
    fn output() {
        sample::check(Format::Json, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::check(Format::Json, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::check(Format::Json, "empty", &sample::empty());
    }

    #[track_caller]
    fn check_outcomes(show_passed: bool, expected: &[&str]) {
        let text = sample::render(Format::Json, &sample::run(), false, show_passed);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let results = report["results"].as_array().unwrap().iter();
        let outcomes: Vec<&str> = results.map(|result| result["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, expected);
    }

    #[test]
    fn verdicts_that_passed_are_listed_on_request() {
        let shown = ["failed", "failed", "unknown", "suppressed", "failed", "failed"];
        check_outcomes(false, &shown);
        check_outcomes(true, &["failed", "failed", "unknown", "suppressed", "passed", "failed", "failed"]);
    }

    #[test]
    fn a_change_adds_its_facts_and_the_places_in_its_head() {
        let mut run = sample::run();
        let place = |run: &Run, at: usize| run.findings[at].span.file;
        let lines = LineMap::new(vec![Hunk { old_start: 2, old_count: 0, new_start: 3, new_count: 2 }]);
        let there = HeadFile { name: "infra/old.json".into(), lines: Some(lines) };
        let gone = HeadFile { name: "infra/gone.json".into(), lines: None };
        let files = [(place(&run, 0), there), (place(&run, 5), gone)].into_iter().collect();
        let (event, commit) = ("pull_request".to_owned(), "c".to_owned());
        run.change =
            Some(diagnostic::EventChange { event, pull_request: Some(7), commit, files, ..Default::default() });
        run.findings[0].in_change = Some(true);
        let report: serde_json::Value =
            serde_json::from_str(&sample::render(Format::Json, &run, false, false)).unwrap();
        let change = r#"{"event":"pull_request","pull_request":7,"base":null,"head":null,"commit":"c"}"#;
        assert_eq!(report["change"].to_string(), change);
        let result = &report["results"][0];
        assert_eq!(result["on_changed_lines"], true);
        let line = result["location"]["line"].as_u64().unwrap();
        let expected = serde_json::json!({"file": "infra/old.json", "line": line - 2, "end_line": line - 2});
        assert_eq!(result["location"]["head"], expected);
        assert!(result["related"][0].get("head").is_some());
        assert!(result["related"][1].get("head").is_none());
        assert_eq!(report["results"][1].get("on_changed_lines"), None);
        assert_eq!(report["results"][4]["location"].get("head"), Some(&serde_json::Value::Null));
    }

    /// Where the lines of a fix are, given that one stands in the run that the head does not have.
    #[track_caller]
    fn check_fix_in_head(base_line: u32, expected: serde_json::Value) {
        let mut run = sample::run();
        let file = run.findings[0].span.file;
        let text = run.sources.get(file).text().clone();
        let at = |needle: &str| u32::try_from(text.find(needle).unwrap()).unwrap();
        let edit =
            |start: u32| Edit { span: Span::new(file, start, start), name: String::new(), replacement: "x".into() };
        let edits = vec![edit(at("\"minimumTlsVersion\"")), edit(at("\"networkAcls\""))];
        run.findings.truncate(1);
        run.findings[0].fix = Some(Box::new(Fix { title: String::new(), edits, is_guess: false }));
        let hunk = Hunk { old_start: base_line - 1, old_count: 0, new_start: base_line, new_count: 1 };
        let there = HeadFile { name: run.sources.get(file).name().clone(), lines: Some(LineMap::new(vec![hunk])) };
        run.change =
            Some(diagnostic::EventChange { files: [(file, there)].into_iter().collect(), ..Default::default() });
        let text = sample::render(Format::Json, &run, false, false);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let fix = &report["results"][0]["fix"];
        assert_eq!((fix["line"].as_u64(), fix["end_line"].as_u64()), (Some(11), Some(12)));
        assert_eq!(fix.get("head"), Some(&expected), "{base_line}");
    }

    #[test]
    fn the_lines_of_a_fix_are_in_the_head_all_together_or_not_at_all() {
        check_fix_in_head(2, serde_json::json!({"line": 10, "end_line": 11}));
        check_fix_in_head(13, serde_json::json!({"line": 11, "end_line": 12}));
        check_fix_in_head(11, serde_json::Value::Null);
        check_fix_in_head(12, serde_json::Value::Null);
    }

    #[test]
    fn an_actual_value_is_json_where_it_can_be() {
        let shown = |value: Value| actual(&ValueExcerpt::of(&value));
        assert_eq!(shown(Value::NULL), serde_json::Value::Null);
        assert_eq!(shown(Value::array(vec![Value::from(1)])), serde_json::json!([1]));
        assert_eq!(shown(Value::from("x".repeat(300))), serde_json::json!(format!("\"{}…", "x".repeat(199))));
    }
}
