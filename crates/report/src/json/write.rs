//! Converts a report to the members of its JSON.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::console::shown_lines;
use crate::diagnostic::{self, DeploymentKey, HeadFile as There, Outcome, Subject};
use crate::fault;
use crate::json::document::{
    Added, Change, Edits, FileLines, FullRule, Gate, HeadFile, HeadLines, HeadPlace, Location, Node, Outside, Place,
    Problem, Related, Replacement, Resource, Rule, Shard, Stale, SuggestedFix, Summary, Suppressed, Suppressions, Tree,
    Unchecked, Verdict,
};
use crate::listed_trees::listed_trees;
use crate::model::{self, File, Finding, Head, Label, Part, Point, Report, ResourceNode, ResourceTree};
use crate::value::ValueExcerpt;

/// Converts the parts of a report.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    /// True for the report of a part, which has everything that other reports need.
    is_part: bool,
}

impl Writer {
    pub(super) fn new(report: &Report) -> Self {
        Self { is_part: report.part.is_some() }
    }

    pub(super) fn verdict(self, finding: &Finding) -> Verdict<'_> {
        Verdict {
            rule: text(&finding.rule.id),
            name: text(&finding.rule.name),
            severity: finding.rule.severity,
            level: finding.level().as_str(),
            outcome: finding.outcome,
            on_changed_lines: finding.in_change,
            message: text(&finding.message),
            reason: finding.reason.as_deref().map(text),
            template: text(&finding.template),
            parameters: finding.parameters.iter().map(|name| text(name)).collect(),
            resource: finding.resource.as_deref().map(|resource| Resource {
                r#type: text(&resource.type_name),
                name: text(&resource.name),
                id: text(&resource.id),
            }),
            path: text(&finding.path),
            failed_paths: Cow::Borrowed(finding.failed_paths()),
            more_failed_paths: finding.failed_paths.more(),
            more_places: finding.more_places,
            location: self.location(&finding.place),
            failures: finding.failures.iter().map(|place| self.location(place)).collect(),
            related: self.related(&finding.related),
            actual: finding.actual.as_ref().map(actual),
            fix: finding.fix.as_deref().and_then(suggested_fix),
            edits: finding.fix.as_deref().filter(|fix| self.is_part && !fix.edits.is_empty()).map(edits),
            subjects: (self.is_part && !finding.subjects.is_empty())
                .then(|| finding.subjects.iter().map(subject).collect()),
            fingerprint: text(&finding.fingerprint),
            fault: Cow::Owned(finding.fault.to_string()),
            resource_fingerprint: text(&finding.resource_fingerprint),
            deployments: finding.deployments.iter().map(DeploymentKey::to_string).collect(),
            suppressed: finding.suppressed.as_deref().map(|by| Suppressed {
                kind: by.kind,
                reason: by.reason.as_deref().map(text),
                place: by.place.as_ref().map(|place| self.location(place)),
            }),
        }
    }

    pub(super) fn problem(self, problem: &model::Problem) -> Problem<'_> {
        Problem {
            code: text(&problem.code),
            level: problem.level,
            message: text(&problem.message),
            location: self.location(&problem.place),
            caption: text(&problem.caption),
            help: problem.help.as_deref().map(text),
            related: self.related(&problem.related),
            not_checked: problem.not_checked.as_deref().map(text),
        }
    }

    pub(super) fn unchecked<'a>(self, (kind, problem): &(&'a str, &'a model::Problem)) -> Unchecked<'a> {
        Unchecked { kind, message: &problem.message, location: self.location(&problem.place) }
    }

    pub(super) fn added(self, added: &model::AddedSuppression) -> Added<'_> {
        Added {
            rule: text(&added.rule),
            kind: added.kind,
            reason: added.reason.as_deref().map(text),
            place: self.location(&added.place),
            findings: added.findings,
        }
    }

    fn related(self, labels: &[Label]) -> Vec<Related<'_>> {
        let related = labels.iter();
        related.map(|label| Related { message: label.text(), location: self.location(&label.place) }).collect()
    }

    fn location(self, place: &model::Place) -> Location<'_> {
        let byte_column = |point: Point| byte_column(point).filter(|_| self.is_part);
        Location {
            file: text(place.file.name()),
            line: place.start.line,
            column: place.start.column,
            end_line: place.end.line,
            end_column: place.end.column,
            byte_column: byte_column(place.start),
            end_byte_column: byte_column(place.end),
            head: place.head.as_deref().map(|head| head_place(head, place.file.name())),
        }
    }

    /// Returns the additional members of a part's report.
    pub(super) fn shard<'a>(self, part: &'a Part, report: &'a Report) -> Shard<'a> {
        let head = report.change.iter().flat_map(|change| &change.files);
        let stale = |entry: &'a model::StaleEntry| Stale {
            rule: text(&entry.rule),
            template: text(&entry.template),
            checked: entry.is_checked,
            location: self.location(&entry.place),
        };
        Shard {
            index: part.shard.index,
            count: part.shard.count,
            gate: Gate {
                fail_on: text(part.gate.fail_on.as_str()),
                fail_on_unknown: part.gate.fail_on_unknown,
                strict: part.gate.strict,
                baseline: part.gate.baseline.as_deref().map(text),
                file_bytes: part.gate.file_bytes,
            },
            rules: report.rules.iter().map(|rule| full_rule(rule)).collect(),
            stale: part.stale.iter().map(stale).collect(),
            suppressions: Suppressions {
                files: Cow::Borrowed(&part.shared_files),
                everything: part.is_everything,
                in_doubt: part.is_in_doubt,
                findings: part.open.iter().map(|finding| self.verdict(finding)).collect(),
            },
            head: head.map(|(name, there)| head_file(name, there)).collect(),
            trees: listed_trees(report).map(|(tree, nodes)| self.tree(tree, nodes)).collect(),
            files: files(report, part),
        }
    }

    fn tree<'a>(self, tree: &'a ResourceTree, nodes: &'a [ResourceNode]) -> Tree<'a> {
        Tree {
            key: Cow::Owned(tree.key.to_string()),
            template: text(&tree.template),
            parameters: tree.parameters.as_deref().map(text),
            nodes: nodes
                .iter()
                .map(|node: &'a ResourceNode| Node {
                    r#type: text(&node.type_name),
                    name: text(&node.name),
                    parent: node.parent,
                    location: self.location(&node.place),
                    uncertain: node.is_uncertain,
                })
                .collect(),
            more: tree.more + (tree.nodes.len() - nodes.len()),
        }
    }
}

fn text(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Returns the column in bytes, if it differs from the one in UTF-16 code units.
fn byte_column(point: Point) -> Option<u32> {
    (point.byte_column != point.column).then_some(point.byte_column)
}

fn head_place<'a>(head: &'a Head, name: &str) -> HeadPlace<'a> {
    let Head::At { file, line, end_line } = head else { return HeadPlace::Nowhere };
    let file = (**file != *name).then(|| text(file));
    HeadPlace::Lines(HeadLines { file, line: *line, end_line: *end_line })
}

/// Returns the value itself. A shortened value is not JSON anymore, and becomes a string.
pub(super) fn actual(value: &ValueExcerpt) -> serde_json::Value {
    let text = value.to_string();
    serde_json::from_str(&text).unwrap_or_else(|_| text.into())
}

fn suggested_fix(fix: &model::Fix) -> Option<SuggestedFix<'_>> {
    let lines = fix.lines.as_ref()?;
    Some(SuggestedFix {
        title: text(&fix.title),
        file: text(&lines.file),
        line: lines.first,
        end_line: lines.last,
        replacement: text(&lines.text),
        is_guess: fix.is_guess,
        head: lines.head.as_deref().map(|head| head_place(head, &lines.file)),
    })
}

fn edits(fix: &model::Fix) -> Edits<'_> {
    Edits { title: text(&fix.title), is_guess: fix.is_guess, replacements: fix.edits.iter().map(replacement).collect() }
}

fn replacement(edit: &model::Edit) -> Replacement<'_> {
    let model::Place { file, start, end, .. } = &edit.place;
    Replacement {
        file: text(file.name()),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        byte_column: byte_column(*start),
        end_byte_column: byte_column(*end),
        text: text(&edit.replacement),
    }
}

fn subject(subject: &Subject) -> Place<'static> {
    Place { tree: Cow::Owned(subject.tree.to_string()), node: subject.node }
}

fn full_rule(rule: &model::Rule) -> FullRule<'_> {
    FullRule {
        id: text(&rule.id),
        name: text(&rule.name),
        description: text(&rule.short_description),
        full_description: text(&rule.full_description),
        recommendation: rule.recommendation.as_deref().map(text),
        help_uri: rule.help_uri.as_deref().map(text),
        severity: rule.severity,
        resource_types: Cow::Borrowed(&rule.resource_types),
        controls: Cow::Borrowed(&rule.controls),
        origin: text(rule.origin.as_str()),
    }
}

fn head_file<'a>(name: &'a str, there: &'a There) -> HeadFile<'a> {
    let hunks = there.lines.as_ref().map(|lines| {
        let hunks = lines.hunks().iter();
        hunks.map(|hunk| [hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count]).collect()
    });
    HeadFile { file: text(name), name: text(&there.name), hunks }
}

/// Line numbers of a file that reports show, and of lines with findings.
struct ShownLines<'a> {
    file: &'a Arc<File>,
    lines: BTreeSet<u32>,
    hashed: BTreeSet<u32>,
}

impl<'a> ShownLines<'a> {
    fn new(file: &'a Arc<File>) -> Self {
        Self { file, lines: BTreeSet::new(), hashed: BTreeSet::new() }
    }
}

/// Returns the lines that any report of these findings shows.
fn files<'a>(report: &'a Report, part: &'a Part) -> Vec<FileLines<'a>> {
    let mut files: BTreeMap<&str, ShownLines<'_>> = BTreeMap::new();
    shown_lines(report, &part.open, |file, lines| {
        files.entry(file.name()).or_insert_with(|| ShownLines::new(file)).lines.extend(lines);
    });
    for finding in report.findings.iter().chain(&part.open).filter(|finding| finding.outcome != Outcome::Passed) {
        let file = &finding.place.file;
        let shown = files.entry(file.name()).or_insert_with(|| ShownLines::new(file));
        shown.hashed.insert(finding.place.start.line);
    }
    files
        .into_values()
        .map(|ShownLines { file, lines, hashed }: ShownLines<'a>| FileLines {
            file: text(file.name()),
            lines: lines
                .into_iter()
                .filter_map(|line| Some((line, file.shown(line, 0..file.line(line)?.len())?)))
                .collect(),
            hashes: hashed.into_iter().filter_map(|line| Some((line, text(file.line_hash(line)?)))).collect(),
        })
        .collect()
}

pub(super) fn change(change: &model::Change) -> Change<'_> {
    Change {
        event: text(&change.event),
        pull_request: change.pull_request,
        base: change.base.as_deref().map(text),
        head: change.head.as_deref().map(text),
        commit: text(&change.commit),
    }
}

pub(super) fn summary(report: &Report) -> Summary {
    let summary = report.summary;
    Summary {
        templates: summary.templates,
        deployments: summary.deployments,
        resources: summary.resources,
        rules: summary.rules,
        failed: summary.failed,
        faults: fault::count_failed(report),
        passed: summary.passed,
        unknown: summary.unknown,
        suppressed: summary.suppressed,
        errors: summary.errors,
        unreadable: summary.unreadable,
        not_checked: report.not_checked().count(),
        hides_low: report.hides_low,
        outside: (summary.outside != diagnostic::BySeverity::default()).then(|| {
            let diagnostic::BySeverity { high, medium, low } = summary.outside;
            Outside { high, medium, low }
        }),
    }
}

/// Returns the rules with failed findings, by ID.
pub(super) fn rules(report: &Report) -> Vec<Rule<'_>> {
    let failed = report.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
    let rules: BTreeMap<&str, &model::Rule> =
        failed.map(|finding| (finding.rule.id.as_str(), &*finding.rule)).collect();
    rules.into_values().map(rule).collect()
}

fn rule(rule: &model::Rule) -> Rule<'_> {
    Rule {
        id: text(&rule.id),
        description: text(&rule.short_description),
        recommendation: rule.recommendation.as_deref().map(text),
        help_uri: rule.help_uri.as_deref().map(text),
        origin: text(rule.origin.as_str()),
    }
}
