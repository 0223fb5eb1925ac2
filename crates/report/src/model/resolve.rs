//! Converts a run of the engine, with byte ranges in source texts, to a report, with lines and columns.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;

use crate::backticks::may_write_backtick;
use crate::diagnostic::{
    self, Diagnostic, EventChange, HeadFile, NotChecked, Outcome, ResourceTree as Tree, RuleInfo, Run, Shared,
    rule_page,
};
use crate::model::{
    AddedSuppression, Change, Edit, FaultId, File, Finding, Fix, Head, Label, Origin, Part, Place, Point, Problem,
    ReplacedLines, Report, ResourceNode, ResourceTree, Rule, StaleEntry, Suppressed,
};
use crate::parallel;
use crate::text::{FileId, Sources, Span, digest_number};
use crate::value::Few;

/// Controls of a rule that are named. A mapping may relate a rule to any number of them.
const MAX_CONTROLS: usize = 200;

impl Report {
    /// Returns the report of a run. The run is consumed, so that nothing is stored twice.
    pub fn from_run(run: Run) -> Self {
        let Run { sources, findings, diagnostics, rules, summary, change, notices, part, shared, .. } = run;
        let mut resolver = Resolver::new(&sources);
        resolver.change = change.as_ref();
        resolver.origin = if run.rules_are_of_base { Origin::Base } else { Origin::Head };
        Self {
            findings: resolver.findings(findings),
            problems: resolver.problems(diagnostics),
            rules: rules.iter().map(|rule| resolver.rule(rule)).collect(),
            summary,
            notices,
            added_suppressions: run.added_suppressions.into_iter().map(|added| resolver.added(added)).collect(),
            no_longer_deployed: run.no_longer_deployed,
            trees: run.trees.into_iter().map(|tree| resolver.tree(tree)).collect(),
            part: part.map(|part| resolver.part(part, &shared)),
            difference: None,
            lists_unknown: run.lists_unknown,
            hides_low: run.hides_low,
            has_only_new: run.has_only_new,
            may_have_backticks: may_have_backticks(&sources),
            change: change.as_ref().map(|change| resolver.event_change(change)),
        }
    }

    /// Returns a report of findings and problems that end a command before there is a run.
    pub fn of_problems(findings: Vec<diagnostic::Finding>, problems: Vec<Diagnostic>, sources: &Sources) -> Self {
        let mut resolver = Resolver::new(sources);
        Self { findings: resolver.findings(findings), problems: resolver.problems(problems), ..Self::default() }
    }
}

/// Returns `true` if a file of the user may put a backtick into a message.
fn may_have_backticks(sources: &Sources) -> bool {
    let files: Vec<FileId> = sources.ids().collect();
    parallel::map(&files, |file| {
        let source = sources.get(*file);
        may_write_backtick(source.name()) || may_write_backtick(source.text())
    })
    .contains(&true)
}

/// Converts byte ranges of source texts to places. Files and rules are cached.
#[derive(Debug)]
pub struct Resolver<'a> {
    sources: &'a Sources,
    change: Option<&'a EventChange>,
    /// Author of the rules that are not embedded.
    origin: Origin,
    files: HashMap<FileId, Arc<File>>,
    /// Rules, by their addresses, which are stable while the run exists.
    rules: HashMap<*const RuleInfo, Arc<Rule>>,
}

impl<'a> Resolver<'a> {
    pub fn new(sources: &'a Sources) -> Self {
        let (files, rules) = (HashMap::default(), HashMap::default());
        Self { sources, change: None, origin: Origin::default(), files, rules }
    }

    /// Returns the place of a byte range.
    pub fn place(&mut self, span: Span) -> Place {
        let source = self.sources.get(span.file);
        let [start, end] = [span.start, span.end.max(span.start)].map(|offset| {
            let (at, byte_column) = source.located(offset);
            Point { line: at.line, column: at.column, byte_column }
        });
        let is_whole_file = span == Span::whole_file(span.file);
        let there = self.head_file(span.file);
        let head = there.map(|there| Box::new(Head::new(there, is_whole_file, (start.line, end.line))));
        let file = self.files.entry(span.file).or_insert_with(|| Arc::new(File::whole(source)));
        Place { file: Arc::clone(file), start, end, head }
    }

    fn head_file(&self, file: FileId) -> Option<&'a HeadFile> {
        self.change?.files.get(&file)
    }

    fn name(&self, file: FileId) -> Arc<str> {
        Arc::clone(self.sources.get(file).name())
    }

    pub fn label(&mut self, label: diagnostic::Label) -> Label {
        Label { place: self.place(label.span), role: label.role, message: label.message }
    }

    fn rule(&mut self, rule: &Arc<RuleInfo>) -> Arc<Rule> {
        let origin = if rule.definition.is_some() { self.origin } else { Origin::Builtin };
        Arc::clone(self.rules.entry(Arc::as_ptr(rule)).or_insert_with(|| {
            Arc::new(Rule {
                id: rule.id.clone(),
                name: rule.name.clone(),
                short_description: rule.short_description.clone(),
                full_description: rule.full_description.clone(),
                recommendation: rule.recommendation.clone(),
                help_uri: rule_page(rule).filter(|_| origin == Origin::Builtin).or_else(|| rule.help_uri.clone()),
                severity: rule.severity,
                resource_types: rule.resource_types.clone(),
                controls: rule.details.controls.iter().take(MAX_CONTROLS).map(ToString::to_string).collect(),
                origin,
                check: rule.check,
            })
        }))
    }

    fn findings(&mut self, findings: Vec<diagnostic::Finding>) -> Vec<Finding> {
        let sources = self.sources;
        let mut faults = parallel::map(&findings, |finding| fault(finding, sources)).into_iter();
        // Each takes the room of the other in the list, which a test makes sure of: there may be a million.
        findings.into_iter().map(|finding| self.finding(finding, faults.next().unwrap_or_default())).collect()
    }

    fn finding(&mut self, finding: diagnostic::Finding, fault: FaultId) -> Finding {
        let reason = finding.reason().map(String::into_boxed_str);
        let fix = finding.fix.filter(|_| finding.outcome == Outcome::Failed);
        Finding {
            rule: self.rule(&finding.rule),
            outcome: finding.outcome,
            in_change: finding.in_change,
            message: finding.message,
            reason,
            template: finding.template,
            parameters: finding.parameters,
            deployments: finding.deployments,
            resource: finding.resource,
            subjects: finding.subjects,
            path: finding.path,
            failed_paths: finding.failed_paths,
            more_places: finding.more_places,
            place: self.place(finding.span),
            related: few(finding.related, |label| self.label(label)),
            failures: few(finding.failures, |span| self.place(span)),
            actual: finding.actual,
            fix: fix.map(|fix| Box::new(self.fix(*fix))),
            fingerprint: finding.fingerprint,
            resource_fingerprint: finding.resource_fingerprint.into_boxed_str(),
            fault,
            suppressed: finding.suppressed.map(|by| Box::new(self.suppressed(*by))),
        }
    }

    fn suppressed(&mut self, by: diagnostic::Suppressed) -> Suppressed {
        Suppressed { kind: by.kind, reason: by.reason, place: by.place.map(|span| self.place(span)) }
    }

    fn fix(&mut self, fix: diagnostic::Fix) -> Fix {
        let there = fix.edits.first().and_then(|edit| self.head_file(edit.span.file));
        let lines = fix.as_lines(self.sources).map(|lines| ReplacedLines {
            head: there.map(|there| Box::new(Head::of_all(there, (lines.first, lines.last)))),
            file: lines.file,
            first: lines.first,
            last: lines.last,
            text: lines.text,
        });
        let edits = fix.edits.into_iter();
        let edits = edits.map(|edit| Edit { place: self.place(edit.span), replacement: edit.replacement }).collect();
        Fix { title: fix.title, edits, is_guess: fix.is_guess, lines }
    }

    fn problems(&mut self, problems: Vec<Diagnostic>) -> Vec<Problem> {
        problems.into_iter().map(|problem| self.problem(problem)).collect()
    }

    fn problem(&mut self, problem: Diagnostic) -> Problem {
        Problem {
            code: problem.id(),
            level: problem.level,
            message: problem.message,
            place: self.place(problem.primary.span),
            caption: problem.primary.message,
            related: problem.secondary.into_iter().map(|label| self.label(label)).collect(),
            help: problem.help,
            not_checked: problem.not_checked.map(NotChecked::as_str).map(Cow::Borrowed),
        }
    }

    fn added(&mut self, added: diagnostic::AddedSuppression) -> AddedSuppression {
        let diagnostic::AddedSuppression { rule, kind, place, reason, findings } = added;
        AddedSuppression { rule, kind, place: self.place(place), reason, findings }
    }

    fn tree(&mut self, tree: Tree) -> ResourceTree {
        ResourceTree {
            key: tree.key,
            nodes: tree
                .nodes
                .into_iter()
                .map(|node: diagnostic::ResourceNode| ResourceNode {
                    type_name: node.type_name,
                    name: node.name,
                    parent: node.parent,
                    place: self.place(node.place),
                    is_uncertain: node.is_uncertain,
                })
                .collect(),
            template: self.name(tree.template),
            parameters: tree.parameters,
            more: tree.more,
        }
    }

    fn part(&mut self, part: diagnostic::Part, shared: &Shared) -> Part {
        let stale = |entry: diagnostic::StaleEntry| StaleEntry {
            rule: entry.rule,
            template: entry.template,
            is_checked: entry.is_checked,
            place: self.place(entry.place),
        };
        let stale = part.stale.into_iter().map(stale).collect();
        let mut shared_files: Vec<String> = shared.files.iter().map(|&file| self.name(file).to_string()).collect();
        // Threads number the files in any order.
        shared_files.sort();
        Part {
            shard: part.shard,
            gate: part.gate,
            stale,
            shared_files,
            is_everything: shared.is_everything,
            is_in_doubt: shared.is_in_doubt,
            open: self.findings(part.open),
        }
    }

    fn event_change(&self, change: &EventChange) -> Change {
        let files: BTreeMap<Arc<str>, HeadFile> =
            change.files.iter().map(|(&file, there)| (self.name(file), there.clone())).collect();
        Change {
            event: change.event.clone(),
            pull_request: change.pull_request,
            base: change.base.clone(),
            head: change.head.clone(),
            commit: change.commit.clone(),
            files,
        }
    }
}

fn few<T, R>(items: Few<T>, each: impl FnMut(T) -> R) -> Few<R> {
    items.into_vec().into_iter().map(each).collect()
}

fn fault(finding: &diagnostic::Finding, sources: &Sources) -> FaultId {
    let Span { file, start, end } = finding.span;
    let file = sources.get(file);
    let parts = [&finding.rule.id, &**file.name(), &start.to_string(), &end.to_string(), &finding.message];
    FaultId::new(digest_number(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_room_where_the_one_of_the_run_was() {
        assert!(size_of::<Finding>() <= size_of::<diagnostic::Finding>());
        assert_eq!(align_of::<Finding>(), align_of::<diagnostic::Finding>());
    }
}
