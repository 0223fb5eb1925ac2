//! Invariants of every template, parameter file, rule file, and baseline: see [`crate::invariants`].

#![expect(clippy::unwrap_used, reason = "a property that does not hold panics")]

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use arcstr::ArcStr;

use crate::diagnostic::{Edit, rewritten};
use crate::diff;
use crate::engine::baseline::Baseline;
use crate::engine::bicep::Origins;
use crate::engine::findings::drafts;
use crate::engine::frontend::{FrontEnds, Subject};
use crate::engine::memory::{InMemory, MemoryRules};
use crate::engine::parse::Reading;
use crate::engine::{detect, fix};
use crate::files::Memory;
use crate::invariants::{check_problems, check_span, check_value, on_deep_stack, text};
use crate::model::{Assumptions, Budget, Document, Expansion, Limits, Offline};
use crate::report::{self, Format, Report};
use crate::rules::guard3;
use crate::text::escape::Notation;
use crate::text::{FileId, Sources};
use crate::value::Value;

/// The embedded rules, compiled once.
static BUILTIN: LazyLock<MemoryRules> = LazyLock::new(|| MemoryRules::new(true, &Memory::default()).0);

/// A template with findings of rules.
const SITE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {
    "tls": {"type": "string", "defaultValue": "1.0"}, "count": {"type": "int", "minValue": 1, "maxValue": 3},
    "key": {"type": "securestring"}, "tags": {"type": "object", "nullable": true}, "zones": {"type": "array"}
  },
  "resources": [
    {"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[concat('site', copyIndex())]",
      "copy": {"name": "sites", "count": "[parameters('count')]"}, "location": "[resourceGroup().location]",
      "tags": "[parameters('tags')]", "zones": "[parameters('zones')]",
      "properties": {"httpsOnly": false, "siteConfig": {"minTlsVersion": "[parameters('tls')]", "list": [1, "a", null]}}},
    {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account", "sku": {"name": "LRS"}}
  ],
  "outputs": {"all": {"type": "array", "value": "[parameters('zones')]"}}
}"#;

/// A template of CloudFormation with findings of rules.
const BUCKET: &str = "Parameters:
  Count: {Type: Number, Default: 1, MinValue: 1}
  Names: {Type: CommaDelimitedList, Default: 'a,b'}
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: !Sub '${AWS::StackName}-${Count}'
      Tags: [{Key: a, Value: !Join [',', !Ref Names]}]
  Volume:
    Type: AWS::EC2::Volume
    Properties: {Encrypted: false, Size: !Ref Count, AvailabilityZone: !Select [0, !GetAZs '']}
";

/// Separator between the rules and a template.
const SEPARATOR: &str = "\n=====\n";

/// A template of Resource Manager, as JSON or YAML.
pub fn template(bytes: &[u8]) {
    check_template(&named("main.json", bytes), &[], &BUILTIN);
}

/// A template of CloudFormation, as YAML or JSON.
pub fn stack(bytes: &[u8]) {
    check_template(&named("main.yaml", bytes), &[], &BUILTIN);
}

/// A parameter file of Resource Manager or CloudFormation.
pub fn parameters(bytes: &[u8]) {
    let file = named("main.parameters.json", bytes);
    check_template(&named_text("main.json", SITE), std::slice::from_ref(&file), &BUILTIN);
    check_template(&named_text("main.yaml", BUCKET), &[file], &BUILTIN);
}

/// A file of JSON rules.
pub fn rules(bytes: &[u8]) {
    check_book(named("own.json", bytes));
}

/// A ruleset of Guard.
pub fn ruleset(bytes: &[u8]) {
    check_book(named("own.guard", bytes));
}

/// Rules of Guard 3 and a template, with a line of [`SEPARATOR`] between them: as cfn-guard sees the template, and as
/// it would be deployed.
pub fn guard_verdicts(bytes: &[u8]) {
    let text = text(bytes);
    let (rules, template) = text.split_once(SEPARATOR).unwrap_or((&text, BUCKET));
    let statuses = || {
        let sources = Sources::new();
        let file = sources.add("main.yaml", template);
        let document = guard3::read(file, sources.get(file).text(), fuel().nesting)?;
        Some(
            guard3::Program::new(sources.add("own.guard", rules), rules).and_then(|program| program.statuses(document)),
        )
    };
    on_deep_stack(|| assert_eq!(statuses(), statuses()));
    let mut files = Memory::default();
    files.insert("own.guard", ArcStr::from(rules));
    let (book, _) = MemoryRules::new(false, &files);
    check_run(&named_text("main.yaml", template), &[], &book);
}

/// A baseline: what is written again reads as the same.
pub fn baseline(bytes: &[u8]) {
    let read = |text: &str| {
        let sources = Sources::new();
        let (baseline, problems) = Baseline::read(sources.add("baseline.json", text), &sources);
        check_problems(&problems, &sources);
        (baseline, problems)
    };
    let (once, problems) = read(&text(bytes));
    assert!(once.beyond(&once).is_empty());
    let (twice, again) = read(&once.text());
    if problems.is_empty() {
        assert_eq!(once.text(), twice.text());
        assert!(again.is_empty(), "{again:?}");
    }
}

/// A text with the name of its file.
struct NamedText {
    name: Arc<str>,
    text: ArcStr,
}

fn named(name: &str, bytes: &[u8]) -> NamedText {
    named_text(name, &text(bytes))
}

fn named_text(name: &str, text: &str) -> NamedText {
    NamedText { name: Arc::from(name), text: ArcStr::from(text) }
}

/// Returns low limits, so that each try is quick.
fn fuel() -> Limits {
    Limits {
        steps: 100_000,
        memory_bytes: 8 << 20,
        text_bytes: 64 << 10,
        value_weight: 20_000,
        copies: 100,
        resources: 200,
        ..Limits::default()
    }
}

/// Compiles rules, and runs them on a template of each cloud.
fn check_book(file: NamedText) {
    let mut files = Memory::default();
    files.insert(&file.name, file.text);
    let (book, problems) = MemoryRules::new(false, &files);
    check_problems(&problems.diagnostics, &problems.sources);
    check_rendered(&Report::from_run(problems));
    for template in [named_text("main.json", SITE), named_text("main.yaml", BUCKET)] {
        check_run(&template, &[], &book);
    }
}

/// Expands a template, compares it with itself, fixes it, and renders what is found.
fn check_template(template: &NamedText, parameters: &[NamedText], rules: &MemoryRules) {
    on_deep_stack(|| check_expanded(template, parameters, rules));
    check_run(template, parameters, rules);
}

fn check_run(template: &NamedText, parameters: &[NamedText], rules: &MemoryRules) {
    let mut files = Memory::default();
    parameters.iter().chain([template]).for_each(|file| files.insert(&file.name, file.text.clone()));
    let parameters: Vec<PathBuf> = parameters.iter().map(|file| Memory::path(&file.name)).collect();
    let check = InMemory {
        files: &files,
        template: Some(&Memory::path(&template.name)),
        parameters: &parameters,
        keep_passed: true,
        threads: 1,
        limits: &fuel(),
    };
    let mut run = check.check(rules);
    // Reports list all rules, which takes longer than everything else.
    run.rules.retain(|rule| run.findings.iter().any(|finding| finding.rule.id == rule.id));
    check_problems(&run.diagnostics, &run.sources);
    for finding in &run.findings {
        check_span(finding.span, &run.sources);
        finding.related.iter().for_each(|label| check_span(label.span, &run.sources));
        finding.failures.iter().for_each(|span| check_span(*span, &run.sources));
    }
    check_rendered(&Report::from_run(run));
}

/// Requires that every format shows a report without anything that steers a terminal.
pub fn check_rendered(report: &Report) {
    for &format in Format::ALL {
        let mut options = report::Options {
            color: false,
            width: 80,
            show_passed: true,
            tool_version: "0",
            run_url: None,
            page: report::PAGE,
            sarif: report::SarifOptions::default(),
            brief: report::BriefOptions::default(),
        };
        options.sarif.surplus = report::sarif_surplus(report, &options).unwrap();
        let mut bytes = Vec::new();
        report::render(format, report, &options, &mut bytes).unwrap();
        let shown = String::from_utf8(bytes).unwrap();
        if format.notation() == Some(Notation::Json) {
            serde_json::from_str::<serde_json::Value>(&shown).unwrap();
            continue;
        }
        let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{202a}'..='\u{202e}');
        let steering = shown.find(steers).map(|at| shown.get(..at).unwrap_or_default());
        assert!(steering.is_none(), "{}: after {:?}", format.as_str(), steering.unwrap_or_default());
    }
}

/// The texts of a check, parsed.
struct Files {
    sources: Sources,
    template: (FileId, Value),
    parameters: Vec<(FileId, Value)>,
}

fn files(template: &NamedText, parameters: &[NamedText], rules: &MemoryRules) -> Option<Files> {
    let sources = rules.sources.clone();
    let parse = |text: &NamedText| {
        let (file, value) = parsed(text, &sources);
        let value = value?;
        check_value(&value, &sources);
        Some((file, value))
    };
    let template = parse(template);
    let parameters = parameters.iter().filter_map(parse).collect();
    Some(Files { template: template?, parameters, sources })
}

fn parsed(NamedText { name, text }: &NamedText, sources: &Sources) -> (FileId, Option<Value>) {
    let file = sources.add(name.clone(), text.clone());
    let parsed = Reading::parse((**name).as_ref(), file, text, fuel().nesting).into_chosen(true);
    check_problems(&parsed.diagnostics, sources);
    (file, parsed.value)
}

fn check_expanded(template: &NamedText, parameters: &[NamedText], rules: &MemoryRules) {
    let Some(files) = files(template, parameters, rules) else { return };
    let (file, value) = &files.template;
    let Some(kind) = detect::kind(value, true).filter(|kind| !kind.is_of_parameters()) else { return };
    let given: Vec<(FileId, &Value)> = files.parameters.iter().map(|(file, value)| (*file, value)).collect();
    let expand = || {
        let limits = fuel();
        let subject = Subject { file: *file, name: &template.name, kind, value, has_unknowns: false };
        let front_ends = FrontEnds::new(&Assumptions::default(), &[], false, &limits).with_states();
        let budget = Budget::new(&limits);
        front_ends.expand_in(None, subject, &given, &Offline, &files.sources, &budget).expansion
    };
    let (once, twice) = (expand(), expand());
    check_problems(&once.diagnostics, &files.sources);
    assert_eq!(once.diagnostics, twice.diagnostics);
    let Expansion { document: Some(first), issues, .. } = once else { return };
    check_document(&first, &files.sources);
    check_same(&first, &twice.document.unwrap());
    let compiled = &rules.rules;
    let (verdicts, _) = drafts(issues, &first, &compiled.set, &compiled.checks, |verdict| verdict, |verdicts| verdicts);
    for verdict in verdicts.into_iter().flatten() {
        verdict.leaves.iter().for_each(|leaf| check_span(leaf.span, &files.sources));
        if let Some(fix) = fix::Fixes::new(&Origins::default(), &files.sources).fix_for(&verdict) {
            check_fixed(&fix.edits, &files, template);
        }
    }
}

/// Requires that what is said of resources is well-formed.
fn check_document(document: &Document, sources: &Sources) {
    for resource in &document.resources {
        check_span(resource.span, sources);
        for value in [&resource.body, &resource.state] {
            check_value(value, sources);
            serde_json::from_str::<serde::de::IgnoredAny>(&value.to_json()).map_or_else(check_depth, drop);
        }
    }
    document.hidden.spans().iter().for_each(|span| check_span(*span, sources));
}

/// Others read JSON of less depth.
fn check_depth(error: serde_json::Error) {
    assert!(error.to_string().contains("recursion limit"), "{error}");
}

/// Requires that two expansions of the same text are the same.
fn check_same(a: &Document, b: &Document) {
    let told = |document: &Document| -> Vec<String> {
        let resources = document.resources.iter().map(|own| format!("{} {}", own.id, own.body.to_json()));
        resources.chain(document.deployments.iter().map(|own| own.outputs.to_json())).collect()
    };
    assert_eq!(told(a), told(b));
    let difference = diff::compare(Some(a), Some(b));
    assert!(difference.is_empty(), "{difference:#?}");
}

/// Requires that a fixed template is still one.
fn check_fixed(edits: &[Edit], files: &Files, template: &NamedText) {
    let file = files.template.0;
    if edits.iter().any(|edit| edit.span.file != file) {
        return;
    }
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let fixed = rewritten(&template.text, 0, &edits).expect("the edits of a fix are in the text");
    let sources = Sources::new();
    let (_, value) = parsed(&named_text(&template.name, &fixed), &sources);
    let value = value.unwrap_or_else(|| panic!("{edits:?} breaks the template:\n{fixed}"));
    assert!(detect::kind(&value, true).is_some(), "{edits:?} makes something else of the template:\n{fixed}");
}

/// Checks a template that Bicep was compiled to.
pub fn compiled(template: &str, parameters: Option<&str>) {
    let parameters: Vec<NamedText> =
        parameters.map(|text| named_text("main.parameters.json", text)).into_iter().collect();
    check_template(&named_text("main.json", template), &parameters, &BUILTIN);
}
