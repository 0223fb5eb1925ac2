//! Sample run for the tests of every format, and their checks.

use std::sync::Arc;

use proptest::prelude::*;

use crate::diagnostic::{
    Code, Control, DeploymentKey, Diagnostic, Edit, FailedPaths, Finding, Fix, Label, Level, NotChecked, Outcome,
    ResourceRef, RuleDetails, RuleInfo, Run, Severity, Summary, Suppressed, SuppressionKind,
};
use crate::text::{FileId, Span};
use crate::value::{Few, Member, Value, ValueExcerpt};
use crate::{BriefOptions, Format, Options, Report, SarifOptions, model};

const MAIN: &str = include_str!("sample/main.json");

const PARAMETERS: &str = r#"{
  "parameters": {
    "tls": { "value": "TLS1_0" }
  }
}
"#;

/// Hostile name: it tries to forge a command, to control a terminal, to break a table and a tag, and to mention
/// somebody.
pub(super) const HOSTILE: &str = "x`\r\n::error file=a::gotcha\n##[error]\x1b[31m|@org<script>]]>\u{202e}";

/// Compares the report of a run with its stored snapshot.
#[track_caller]
pub(super) fn assert_report(format: Format, case: &str, run: &Run) {
    let text = render(format, run, false, false);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{format}_{case}"), text);
    });
}

/// Returns the options of reports without colors and without passed verdicts.
pub(super) fn options() -> Options<'static> {
    let sarif = SarifOptions::default();
    let page = crate::PAGE;
    let brief = BriefOptions::default();
    Options { color: false, width: 100, show_passed: false, tool_version: "0.0.0", run_url: None, page, sarif, brief }
}

pub(super) fn render(format: Format, run: &Run, color: bool, show_passed: bool) -> String {
    let options = Options { color, show_passed, ..options() };
    let mut out = Vec::new();
    crate::render(format, &report(run), &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the report of a run, which is not consumed.
pub(super) fn report(run: &Run) -> Report {
    Report::from_run(Run {
        sources: run.sources.clone(),
        findings: run.findings.clone(),
        diagnostics: run.diagnostics.clone(),
        rules: run.rules.clone(),
        change: run.change.clone(),
        notices: run.notices.clone(),
        analysed: run.analysed.clone(),
        added_suppressions: run.added_suppressions.clone(),
        no_longer_deployed: run.no_longer_deployed.clone(),
        trees: run.trees.clone(),
        part: run.part.clone(),
        shared: run.shared.clone(),
        ..*run
    })
}

/// Returns these findings of [`run`], with their places.
pub(super) fn resolved(findings: &[Finding]) -> Vec<model::Finding> {
    report(&Run { findings: findings.to_vec(), ..run() }).findings
}

/// Returns the sample run: two templates and a parameter file, with a value from a parameter, an object over several
/// lines, a name in another script, line ends of Windows, a hostile name, every outcome, a problem of a whole file and
/// one with a place.
pub(super) fn run() -> Run {
    let run = Run::default();
    let main = run.sources.add("infra/main.json", MAIN);
    let parameters = run.sources.add("infra/dev.parameters.json", PARAMETERS);
    let windows = run.sources.add("infra/naïve dir/a,b:c.json", MAIN.replace('\n', "\r\n"));
    let broken = run.sources.add("infra/broken.json", "");
    let findings = vec![
        from_a_parameter(&run, main, parameters),
        over_several_lines(&run, main),
        with_outcome(finding_at(&run, main, &tags_rule(), "\"größe\""), Outcome::Unknown),
        accepted(finding_at(&run, main, &tags_rule(), "\"tags\"")),
        with_outcome(finding_at(&run, main, &https_rule(), "\"kind\""), Outcome::Passed),
        hostile(&run, windows),
        behind_wide_characters(&run, windows),
    ];
    let link = find(&run, main, "\"kind\"");
    let diagnostics = vec![
        Diagnostic::of_file(Code::FileUnreadable, broken, "permission denied"),
        Diagnostic::new(Code::SyntaxDuplicateKey, link, "the key `kind` is given twice")
            .with_caption("this one counts")
            .with_label(find(&run, main, "\"type\""), "beside this")
            .with_help("remove one of them"),
        Diagnostic::new(Code::TemplateRemote, find(&run, main, "\"$schema\""), "a template is not in this file")
            .not_checked(NotChecked::RemoteTemplate),
    ];
    finish(run, findings, diagnostics)
}

/// Returns a run in which nothing could be parsed.
pub(super) fn syntax_errors() -> Run {
    let run = Run::default();
    let file = run.sources.add("a.json", "{\n  \"a\": [1,\n  \"b\": 2\n}\n");
    let stdin = run.sources.add("<stdin>", "\x1b]0;title\x07{");
    let diagnostics = vec![
        Diagnostic::new(Code::SyntaxJson, Span::new(file, 17, 18), "expected `,` or `]`, found `:`")
            .with_label(Span::new(file, 9, 10), "the array begins here"),
        Diagnostic::new(Code::SyntaxJson, Span::new(stdin, 0, 1), "expected a value, found \x1b"),
    ];
    finish(run, Vec::new(), diagnostics)
}

/// Returns a run that found nothing.
pub(super) fn empty() -> Run {
    finish(Run::default(), Vec::new(), Vec::new())
}

fn finish(mut run: Run, findings: Vec<Finding>, diagnostics: Vec<Diagnostic>) -> Run {
    run.rules = vec![https_rule(), tags_rule(), tls_rule()];
    run.summary = Summary {
        templates: 2,
        deployments: 3,
        resources: 5,
        rules: run.rules.len(),
        errors: diagnostics.iter().filter(|problem| problem.level == Level::Error).count(),
        ..Summary::default()
    };
    for finding in &findings {
        run.summary.count(finding.outcome, finding.places());
    }
    run.findings = findings;
    run.diagnostics = diagnostics;
    run
}

fn tls_rule() -> Arc<RuleInfo> {
    Arc::new(RuleInfo {
        id: "AZ-STORAGE-001".into(),
        name: "Storage.MinTls12".into(),
        short_description: "Storage accounts accept TLS 1.2 and newer only.".into(),
        full_description: "Older versions of TLS have known weaknesses.".into(),
        recommendation: Some(
            "Set `minimumTlsVersion` to `TLS1_2`. Clients that speak only older versions can no longer connect, \
             so look at the logs of the account first."
                .into(),
        ),
        help_uri: Some("https://example.org/rules/AZ-STORAGE-001".into()),
        severity: Severity::High,
        resource_types: vec!["Microsoft.Storage/storageAccounts".into()],
        definition: None,
        check: None,
        details: Arc::default(),
    })
}

fn https_rule() -> Arc<RuleInfo> {
    Arc::new(RuleInfo {
        id: "AZ-STORAGE-002".into(),
        name: "Storage.Https".into(),
        short_description: "Storage accounts are reached over HTTPS only.".into(),
        full_description: String::new(),
        recommendation: None,
        help_uri: None,
        severity: Severity::Medium,
        resource_types: vec!["Microsoft.Storage/storageAccounts".into()],
        definition: None,
        check: None,
        details: Arc::new(RuleDetails {
            controls: vec![Control::new("NIST", "SC-8"), Control::new("mcsb", "DP-3")],
            ..RuleDetails::default()
        }),
    })
}

/// Returns a rule as in a ruleset of the user, with an ID only.
fn tags_rule() -> Arc<RuleInfo> {
    Arc::new(RuleInfo {
        id: "tags:3".into(),
        name: "tags:3".into(),
        short_description: String::new(),
        full_description: String::new(),
        recommendation: None,
        help_uri: None,
        severity: Severity::Low,
        resource_types: Vec::new(),
        definition: None,
        check: None,
        details: Arc::default(),
    })
}

fn find(run: &Run, file: FileId, text: &str) -> Span {
    let source = run.sources.get(file);
    let start = source.text().find(text).unwrap();
    let offset = |at| u32::try_from(at).unwrap();
    Span::new(file, offset(start), offset(start + text.len()))
}

fn finding_at(run: &Run, file: FileId, rule: &Arc<RuleInfo>, text: &str) -> Finding {
    Finding {
        rule: Arc::clone(rule),
        outcome: Outcome::Failed,
        in_change: None,
        message: format!("{text} is not as it should be"),
        template: Arc::clone(run.sources.get(file).name()),
        other_templates: Few::NONE,
        parameters: Few::NONE,
        deployments: vec![DeploymentKey::new(run.sources.get(file).name(), None, "")].into(),
        holds: Few::NONE,
        resource: None,
        subjects: Few::NONE,
        path: "resources[0]".into(),
        failed_paths: FailedPaths::NONE,
        more_places: 0,
        undecided: None,
        span: find(run, file, text),
        related: Few::NONE,
        failures: Few::NONE,
        extents: Few::NONE,
        actual: None,
        fix: None,
        fingerprint: "0123456789abcdef".into(),
        resource_fingerprint: "fedcba9876543210".into(),
        aliases: Few::NONE,
        suppressed: None,
    }
}

/// Returns the same finding in another template.
pub(super) fn in_template(finding: &Finding, name: &str) -> Finding {
    let deployments = vec![DeploymentKey::new(name, None, "")].into();
    Finding { template: Arc::from(name), parameters: Few::NONE, deployments, ..finding.clone() }
}

fn with_outcome(mut finding: Finding, outcome: Outcome) -> Finding {
    finding.outcome = outcome;
    finding
}

/// Returns the finding, suppressed by a comment at its place.
fn accepted(mut finding: Finding) -> Finding {
    let reason = Some("tags follow in `modules/tags`".into());
    finding.suppress(Suppressed { kind: SuppressionKind::Comment, reason, place: Some(finding.span) });
    finding
}

fn resource(name: &str) -> ResourceRef {
    let type_name = "Microsoft.Storage/storageAccounts";
    ResourceRef {
        type_name: type_name.into(),
        name: name.into(),
        id: format!("/subscriptions/0/resourceGroups/rg/providers/{type_name}/{name}"),
        declared: None,
    }
}

fn from_a_parameter(run: &Run, main: FileId, parameters: FileId) -> Finding {
    Finding {
        message: "storage account `stdev001` accepts TLS older than 1.2".into(),
        parameters: vec![Arc::from("infra/dev.parameters.json"), Arc::from("infra/prod.parameters.json")].into(),
        deployments: ["dev", "prod"].map(|name| DeploymentKey::new("infra/main.json", Some(name), "")).to_vec().into(),
        resource: Some(Arc::new(resource("stdev001"))),
        path: "resources[0].properties.minimumTlsVersion".into(),
        failed_paths: FailedPaths::Own,
        related: vec![
            Label::origin(find(run, main, "\"tls\""), "parameter `tls`"),
            Label::new(find(run, parameters, "\"TLS1_0\""), "which is set here"),
        ]
        .into(),
        actual: Some(ValueExcerpt::new(&Value::from("TLS1_0"))),
        ..finding_at(run, main, &tls_rule(), "\"minimumTlsVersion\": \"[parameters('tls')]\"")
    }
}

fn over_several_lines(run: &Run, main: FileId) -> Finding {
    let first = find(run, main, "\"networkAcls\"");
    let last = find(run, main, "\"ipRules\": []\n        }");
    Finding {
        message: "the network rules allow everybody".into(),
        resource: Some(Arc::new(resource("stdev001"))),
        span: first.to(last),
        failures: vec![find(run, main, "\"größe\"")].into(),
        failed_paths: FailedPaths::new(vec!["properties.networkAcls".into(), "tags.größe".into()], 0, ""),
        actual: Some(ValueExcerpt::new(&Value::object(vec![Member::new("defaultAction", Value::from("Allow"))]))),
        fix: Some(Box::new(fix(find(run, main, "\"Allow\""), "set `defaultAction` to `\"Deny\"`", "\"Deny\""))),
        ..finding_at(run, main, &https_rule(), "\"networkAcls\"")
    }
}

fn hostile(run: &Run, file: FileId) -> Finding {
    Finding {
        message: format!("storage account `{HOSTILE}` is reached over HTTP"),
        resource: Some(Arc::new(resource(HOSTILE))),
        actual: Some(ValueExcerpt::new(&Value::from(HOSTILE))),
        fix: Some(Box::new(fix(find(run, file, "\"type\""), HOSTILE, HOSTILE))),
        ..finding_at(run, file, &https_rule(), "\"type\"")
    }
}

fn fix(span: Span, title: &str, replacement: &str) -> Fix {
    Fix {
        title: title.into(),
        edits: vec![Edit { span, name: "x".into(), replacement: replacement.into() }],
        is_guess: false,
    }
}

fn behind_wide_characters(run: &Run, file: FileId) -> Finding {
    Finding { message: "a tag is not in the list".into(), ..finding_at(run, file, &tags_rule(), "\"𝕊\"") }
}

/// Returns the first character of `text` that controls a terminal, except for line feeds and, with colors, the escape
/// sequences of formwork.
pub(super) fn obeyed_by_a_terminal(text: &str, color: bool) -> Option<char> {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let colour = rest.as_str().strip_prefix('[').filter(|_| color && c == '\x1b');
        let behind =
            colour.and_then(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').strip_prefix('m'));
        match (behind, c) {
            (Some(behind), _) => rest = behind.chars(),
            (None, '\n') => {}
            (None, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => return Some(c),
            (None, _) if c.is_control() => return Some(c),
            (None, _) => {}
        }
    }
    None
}

/// Generates text that is likely to contain anything that some reader interprets.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        1 => Just("漢".repeat(300)),
        9 => "\\PC{0,6}",
        9 => any::<char>().prop_map(String::from),
        9 => proptest::sample::select(vec![
            "::",
            "##[error]",
            "##",
            "[add-mask]",
            "##vso[task.setvariable]",
            "\u{feff}::error::x",
            "%",
            "%25",
            "%0A",
            ",",
            ":",
            "=",
            "\r",
            "\n",
            "\r\n",
            "\t",
            "\x1b[31m",
            "\x07",
            "`",
            "|",
            "@",
            "<",
            "&",
            "]]>",
            "\u{202e}",
            "\u{9b}",
            "::error ::x",
            " ",
            "漢",
            "👩‍💻",
        ])
        .prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Generates a run with hostile text everywhere that a report prints, and with arbitrary spans.
pub(super) fn any_run() -> impl Strategy<Value = Run> {
    let finding = (any_text(), any_text(), 0..80_u32, 0..80_u32, 0..80_u32, any::<bool>());
    let findings = proptest::collection::vec(finding, 0..5);
    (any_text(), any_text(), findings).prop_map(|(name, text, findings)| {
        let blank = run().findings.remove(0);
        let mut run = empty();
        let file = run.sources.add(name.clone(), text);
        for (message, other, start, end, elsewhere, is_finding) in findings {
            let span = Span::new(file, start.min(end), start.max(end));
            let label = Label::new(Span::new(file, elsewhere, elsewhere + 2), other.clone());
            if is_finding {
                let mut rule = (*tls_rule()).clone();
                rule.name = other.clone();
                run.findings.push(Finding {
                    rule: Arc::new(rule),
                    message,
                    template: Arc::from(name.as_str()),
                    parameters: vec![Arc::from(other.as_str())].into(),
                    resource: Some(Arc::new(resource(&other))),
                    span,
                    related: vec![label].into(),
                    failures: vec![Span::new(file, elsewhere, end.max(elsewhere))].into(),
                    fix: Some(Box::new(fix(span, &other, &other))),
                    actual: Some(ValueExcerpt::new(&Value::from(other))),
                    ..blank.clone()
                });
            } else {
                let problem = Diagnostic::new(Code::ExpressionFailed, span, message);
                let problem = problem.with_label(label.span, label.message).with_caption(other.clone());
                run.diagnostics.push(problem.with_help(other));
            }
        }
        run
    })
}
