//! Converts a JSON report to a [`Report`].
//!
//! The JSON may come from a machine that ran untrusted code, so its members have limits, and numbers are corrected.
//! Files are known by their names, and only the lines in the report are known of their texts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{
    self, CheckTable, DeploymentKey, FailOn, FailedPaths, LabelRole, Outcome, ResourceRef, Severity, Shard, Subject,
};
use crate::json::document::{self, Location};
use crate::model::{
    AddedSuppression, Change, Edit, FaultId, File, Finding, Fix, Head, Label, Origin, Part, Place, Point, Problem,
    ReplacedLines, Report, ResourceNode, ResourceTree, Rule, StaleEntry, Suppressed,
};
use crate::read::{ReportError, read_as};
use crate::text::{Hunk, LineMap};
use crate::value::ValueExcerpt;

/// A report that was read, with the version of its author.
#[derive(Debug)]
pub struct Written {
    /// Version of formwork.
    pub version: String,
    /// Content, with the rules of findings resolved.
    pub report: Report,
}

/// Reads a JSON report of at most `limit` bytes. `checks` are all built-in checks. The error names the wrong member.
///
/// # Errors
///
/// Fails if the report is longer, if it is not JSON or has another schema, or if one of its members does not match the
/// schema.
pub fn read(bytes: &[u8], limit: u64, checks: &CheckTable) -> Result<Written, ReportError> {
    let document: document::Report<'static> = read_as(document::SCHEMA, bytes, limit)?;
    let version = document.tool.version.to_string();
    let report = Reader::new(&document, checks)
        .report(document)
        .map_err(|(path, problem)| ReportError::Member { path: path.to_owned(), problem })?;
    Ok(Written { version, report })
}

/// A wrong member, and its problem.
type Wrong = (&'static str, String);

/// Shared values of a report's members.
struct Reader<'a> {
    /// Built-in checks, by which those of the report are recognized.
    checks: &'a CheckTable,
    files: HashMap<String, Arc<File>>,
    names: HashMap<String, Arc<str>>,
    /// Rules of the report, by ID and severity.
    rules: HashMap<(String, Severity), Arc<Rule>>,
    /// Descriptions of rules, by ID.
    described: HashMap<String, document::Rule<'static>>,
    /// Change with the lines of the head, if the report has them.
    change: Option<Change>,
}

impl<'a> Reader<'a> {
    fn new(document: &document::Report<'_>, checks: &'a CheckTable) -> Self {
        let lines = document.shard.iter().flat_map(|shard| &shard.files).map(|file| {
            let [lines, hashes] = [&file.lines, &file.hashes]
                .map(|lines| lines.iter().map(|(&line, text)| (line, text.to_string())).collect());
            (file.file.to_string(), Arc::new(File::of_lines(&file.file, lines, hashes)))
        });
        Self {
            checks,
            files: lines.collect(),
            names: HashMap::default(),
            rules: HashMap::default(),
            described: HashMap::default(),
            change: None,
        }
    }

    fn report(mut self, document: document::Report<'static>) -> Result<Report, Wrong> {
        let summary = summary(&document.summary);
        self.described = document.rules.into_iter().map(|rule| (rule.id.to_string(), rule)).collect();
        let head = document.shard.as_ref().map(|shard| shard.head.as_slice());
        let change = document.change.map(|change| self.event_change(change, head.unwrap_or_default()));
        if head.is_some() {
            self.change.clone_from(&change);
        }
        let (mut rules, mut trees, mut part) = (Vec::new(), Vec::new(), None);
        if let Some(mut shard) = document.shard {
            rules = std::mem::take(&mut shard.rules).into_iter().map(|rule| self.full_rule(rule)).collect();
            trees = std::mem::take(&mut shard.trees).into_iter().filter_map(|tree| self.tree(tree)).collect();
            part = Some(self.part(shard)?);
        }
        Ok(Report {
            findings: document.results.into_iter().map(|verdict| self.finding(verdict)).collect(),
            problems: document.diagnostics.into_iter().map(|problem| self.problem(problem)).collect(),
            rules,
            summary,
            change,
            notices: document.notices.into_owned(),
            added_suppressions: document.added_suppressions.into_iter().map(|added| self.added(added)).collect(),
            trees,
            part,
            difference: document.difference,
            lists_unknown: false,
            hides_low: document.summary.hides_low,
            has_only_new: false,
            no_longer_deployed: Vec::new(),
            may_have_backticks: true,
        })
    }

    fn event_change(&mut self, change: document::Change<'_>, head: &[document::HeadFile<'_>]) -> Change {
        Change {
            files: head
                .iter()
                .map(|head: &document::HeadFile<'_>| {
                    let hunks = head.hunks.as_ref().map(|hunks| LineMap::new(hunks.iter().map(hunk).collect()));
                    (self.name(&head.file), diagnostic::HeadFile { name: Arc::from(&*head.name), lines: hunks })
                })
                .collect(),
            event: change.event.into_owned(),
            pull_request: change.pull_request,
            base: change.base.map(Cow::into_owned),
            head: change.head.map(Cow::into_owned),
            commit: change.commit.into_owned(),
        }
    }

    /// Returns a shared name.
    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = Arc::from(name);
        self.names.insert(name.to_owned(), Arc::clone(&new));
        new
    }

    fn file(&mut self, name: &str) -> Arc<File> {
        if let Some(known) = self.files.get(name) {
            return Arc::clone(known);
        }
        let new = Arc::new(File::of_lines(name, BTreeMap::new(), BTreeMap::new()));
        self.files.insert(name.to_owned(), Arc::clone(&new));
        new
    }

    fn place(&mut self, location: &Location<'_>) -> Place {
        let point = |line: u32, column: u32, byte_column: Option<u32>| Point {
            line: line.max(1),
            column: column.max(1),
            byte_column: byte_column.unwrap_or(column).max(1),
        };
        let start = point(location.line, location.column, location.byte_column);
        let end = point(location.end_line, location.end_column, location.end_byte_column).max(start);
        let mut place = Place { file: self.file(&location.file), start, end, head: None };
        place.head = match &self.change {
            Some(change) => change.head_of(&place),
            None => location.head.as_ref().map(|head| head_place(head, &place.file)),
        }
        .map(Box::new);
        place
    }

    fn label(&mut self, related: document::Related<'_>) -> Label {
        // The format has only the text.
        let (role, message) = LabelRole::read(&related.message);
        Label { place: self.place(&related.location), role, message: message.to_owned() }
    }

    fn full_rule(&mut self, rule: document::FullRule<'_>) -> Arc<Rule> {
        let check = self.checks.find(&rule.id);
        let rule = Arc::new(Rule {
            id: rule.id.into_owned(),
            name: rule.name.into_owned(),
            short_description: rule.description.into_owned(),
            full_description: rule.full_description.into_owned(),
            recommendation: rule.recommendation.map(Cow::into_owned),
            help_uri: rule.help_uri.map(Cow::into_owned),
            severity: rule.severity,
            resource_types: rule.resource_types.into_owned(),
            controls: rule.controls.into_owned(),
            origin: origin(&rule.origin),
            check,
        });
        let others = [Severity::High, Severity::Medium, Severity::Low].into_iter();
        for severity in others.filter(|severity| *severity != rule.severity) {
            self.rules
                .entry((rule.id.clone(), severity))
                .or_insert_with(|| Arc::new(Rule { severity, ..Rule::clone(&rule) }));
        }
        self.rules.insert((rule.id.clone(), rule.severity), Arc::clone(&rule));
        rule
    }

    /// Returns the rule of a result, with the severity of the result. A rule that is not among the rules that ran only
    /// has the description in the report.
    fn rule(&mut self, verdict: &document::Verdict<'_>) -> Arc<Rule> {
        let described = self.described.get(&*verdict.rule);
        Arc::clone(self.rules.entry((verdict.rule.to_string(), verdict.severity)).or_insert_with(|| {
            Arc::new(Rule {
                id: verdict.rule.to_string(),
                name: verdict.name.to_string(),
                short_description: described.map(|rule| rule.description.to_string()).unwrap_or_default(),
                full_description: String::new(),
                recommendation: described.and_then(|rule| Some(rule.recommendation.as_ref()?.to_string())),
                help_uri: described.and_then(|rule| Some(rule.help_uri.as_ref()?.to_string())),
                severity: verdict.severity,
                resource_types: Vec::new(),
                controls: Vec::new(),
                origin: described.map_or(Origin::Builtin, |rule| origin(&rule.origin)),
                check: self.checks.find(&verdict.rule),
            })
        }))
    }

    fn finding(&mut self, verdict: document::Verdict<'_>) -> Finding {
        let rule = self.rule(&verdict);
        let fault = FaultId::read(&verdict.fault).or_else(|| FaultId::read(&verdict.fingerprint));
        let resource = verdict.resource.map(|resource| {
            let document::Resource { r#type, name, id } = resource;
            Arc::new(ResourceRef {
                type_name: r#type.into_owned(),
                name: name.into_owned(),
                id: id.into_owned(),
                declared: None,
            })
        });
        let (edits, lines) = (verdict.edits, verdict.fix);
        Finding {
            rule,
            outcome: verdict.outcome,
            in_change: verdict.on_changed_lines,
            message: verdict.message.into_owned(),
            reason: verdict
                .reason
                .filter(|_| verdict.outcome == Outcome::Unknown)
                .map(|reason| reason.into_owned().into_boxed_str()),
            template: self.name(&verdict.template),
            parameters: verdict.parameters.iter().map(|name| self.name(name)).collect(),
            deployments: verdict.deployments.iter().filter_map(|id| DeploymentKey::read(id)).collect(),
            resource,
            subjects: verdict.subjects.unwrap_or_default().iter().filter_map(subject).collect(),
            failed_paths: FailedPaths::new(
                verdict.failed_paths.into_owned(),
                verdict.more_failed_paths as usize,
                &verdict.path,
            ),
            more_places: verdict.more_places,
            path: verdict.path.into_owned(),
            place: self.place(&verdict.location),
            related: verdict.related.into_iter().map(|related| self.label(related)).collect(),
            failures: verdict.failures.iter().map(|place| self.place(place)).collect(),
            actual: verdict.actual.map(|value| ValueExcerpt::shown_as(value.to_string())),
            fix: self.fix(edits, lines).map(Box::new),
            fingerprint: verdict.fingerprint.into_owned(),
            resource_fingerprint: verdict.resource_fingerprint.into_owned().into_boxed_str(),
            fault: fault.unwrap_or_default(),
            suppressed: verdict.suppressed.map(|by| {
                Box::new(Suppressed {
                    kind: by.kind,
                    reason: by.reason.map(Cow::into_owned),
                    place: by.place.map(|place| self.place(&place)),
                })
            }),
        }
    }

    fn fix(&mut self, edits: Option<document::Edits<'_>>, lines: Option<document::SuggestedFix<'_>>) -> Option<Fix> {
        let own = edits.as_ref().map(|edits| (edits.title.to_string(), edits.is_guess));
        let (title, is_guess) = own.or_else(|| lines.as_ref().map(|fix| (fix.title.to_string(), fix.is_guess)))?;
        let edits = edits.map(|edits| edits.replacements).unwrap_or_default().into_iter();
        let edits: Vec<Edit> = edits.map(|replacement| self.edit(replacement)).collect();
        let lines = lines.map(|lines| {
            let file = self.file(&lines.file);
            ReplacedLines {
                head: lines.head.as_ref().map(|head| Box::new(head_place(head, &file))),
                file: Arc::clone(file.name()),
                first: lines.line.max(1),
                last: lines.end_line.max(lines.line),
                text: lines.replacement.into_owned(),
            }
        });
        Some(Fix { title, edits: if is_plain(&edits) { edits } else { Vec::new() }, is_guess, lines })
    }

    fn edit(&mut self, replacement: document::Replacement<'_>) -> Edit {
        let document::Replacement { file, line, column, end_line, end_column, .. } = replacement;
        let (byte_column, end_byte_column) = (replacement.byte_column, replacement.end_byte_column);
        let location = Location { file, line, column, end_line, end_column, byte_column, end_byte_column, head: None };
        Edit { place: self.place(&location), replacement: replacement.text.into_owned() }
    }

    fn problem(&mut self, problem: document::Problem<'static>) -> Problem {
        Problem {
            code: problem.code,
            level: problem.level,
            message: problem.message.into_owned(),
            place: self.place(&problem.location),
            caption: problem.caption.into_owned(),
            related: problem.related.into_iter().map(|related| self.label(related)).collect(),
            help: problem.help.map(Cow::into_owned),
            not_checked: problem.not_checked,
        }
    }

    fn added(&mut self, added: document::Added<'_>) -> AddedSuppression {
        AddedSuppression {
            rule: added.rule.into_owned(),
            kind: added.kind,
            place: self.place(&added.place),
            reason: added.reason.map(Cow::into_owned),
            findings: added.findings,
        }
    }

    fn part(&mut self, shard: document::Shard<'_>) -> Result<Part, Wrong> {
        let document::Gate { fail_on, fail_on_unknown, strict, baseline, file_bytes } = shard.gate;
        let [high, medium, low, never] = FailOn::WORDS;
        let fail_on = fail_on
            .parse()
            .map_err(|()| ("shard.gate.fail_on", format!("expected `{high}`, `{medium}`, `{low}` or `{never}`")))?;
        let baseline = baseline.map(Cow::into_owned);
        let stale = shard.stale.into_iter().map(|entry| StaleEntry {
            rule: entry.rule.into_owned(),
            template: entry.template.into_owned(),
            is_checked: entry.checked,
            place: self.place(&entry.location),
        });
        Ok(Part {
            stale: stale.collect(),
            shard: Shard { index: shard.index, count: shard.count },
            gate: diagnostic::Gate { fail_on, fail_on_unknown, strict, baseline, file_bytes },
            shared_files: shard.suppressions.files.into_owned(),
            is_everything: shard.suppressions.everything,
            is_in_doubt: shard.suppressions.in_doubt,
            open: shard.suppressions.findings.into_iter().map(|verdict| self.finding(verdict)).collect(),
        })
    }

    fn tree(&mut self, tree: document::Tree<'_>) -> Option<ResourceTree> {
        Some(ResourceTree {
            key: DeploymentKey::read(&tree.key)?,
            nodes: tree
                .nodes
                .into_iter()
                .enumerate()
                .map(|(at, node): (usize, document::Node<'_>)| ResourceNode {
                    type_name: node.r#type.into_owned(),
                    name: node.name.into_owned(),
                    // Only what is before a node can be around it.
                    parent: node.parent.filter(|parent| *parent < at),
                    place: self.place(&node.location),
                    is_uncertain: node.uncertain,
                })
                .collect(),
            template: self.name(&tree.template),
            parameters: tree.parameters.map(|name| self.name(&name)),
            more: tree.more,
        })
    }
}

fn head_place(head: &document::HeadPlace<'_>, file: &File) -> Head {
    match head {
        document::HeadPlace::Nowhere => Head::Absent,
        document::HeadPlace::Lines(lines) => Head::At {
            file: lines.file.as_ref().map_or_else(|| Arc::clone(file.name()), |name| Arc::from(&**name)),
            line: lines.line,
            end_line: lines.end_line.max(lines.line),
        },
    }
}

/// Returns the origin of a rule. An unknown origin counts as the change, which is not trusted.
fn origin(word: &str) -> Origin {
    [Origin::Builtin, Origin::Base].into_iter().find(|origin| origin.as_str() == word).unwrap_or(Origin::Head)
}

fn subject(place: &document::Place<'_>) -> Option<Subject> {
    Some(Subject { tree: DeploymentKey::read(&place.tree)?, node: place.node })
}

fn hunk(&[old_start, old_count, new_start, new_count]: &[u32; 4]) -> Hunk {
    Hunk { old_start, old_count, new_start, new_count }
}

/// True if no edits overlap.
fn is_plain(edits: &[Edit]) -> bool {
    let mut places: Vec<(&str, Point, Point)> = edits.iter().map(|edit| edit.place.key()).collect();
    places.sort_unstable();
    places.windows(2).all(|pair: &[(&str, Point, Point)]| match pair {
        [(file, _, end), (next, start, _)] => file != next || end <= start,
        _ => true,
    })
}

fn summary(summary: &document::Summary) -> diagnostic::Summary {
    let document::Outside { high, medium, low } = summary.outside.unwrap_or_default();
    diagnostic::Summary {
        templates: summary.templates,
        deployments: summary.deployments,
        resources: summary.resources,
        rules: summary.rules,
        failed: summary.failed,
        passed: summary.passed,
        unknown: summary.unknown,
        suppressed: summary.suppressed,
        errors: summary.errors,
        unreadable: summary.unreadable,
        outside: diagnostic::BySeverity { high, medium, low },
    }
}
