//! Findings and diagnostics from the members of reports.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{
    AddedSuppression, DeploymentKey, Diagnostic, Edit, EventChange, FailedPaths, Finding, Fix, HeadFile, Label,
    Outcome, ResourceNode, ResourceRef, ResourceTree, RuleInfo, Severity, StaleEntry, Subject, Suppressed,
};
use crate::join::Named;
use crate::join::raw::{self, Author, FullRule, Problem, Related, Report, Resource, Rule, Verdict};
use crate::join::texts::Texts;
use crate::text::{FileId, Hunk, LineMap, Sources, Span};
use crate::value::{Few, ValueExcerpt};

/// What was rebuilt so far.
pub(super) struct Rebuilt<'a> {
    pub(super) findings: Vec<Finding>,
    pub(super) diagnostics: Vec<Diagnostic>,
    texts: &'a Texts,
    sources: &'a Sources,
    /// Stands for the files of rules.
    definitions: FileId,
    /// The rules that ran, ordered by ID, as the parts describe them.
    pub(super) ran: Vec<Arc<RuleInfo>>,
    known: HashMap<&'a str, Arc<RuleInfo>>,
    described: HashMap<&'a str, &'a Rule>,
    /// The rules of findings, each once.
    rules: HashMap<(String, Severity), Arc<RuleInfo>>,
}

impl<'a> Rebuilt<'a> {
    /// `rules` are those that ran. A finding of another rule has only the description of its report.
    pub(super) fn new(
        texts: &'a Texts,
        sources: &'a Sources,
        rules: &'a [FullRule],
        described: HashMap<&'a str, &'a Rule>,
    ) -> Self {
        let mut rebuilt = Self {
            findings: Vec::new(),
            diagnostics: Vec::new(),
            texts,
            sources,
            definitions: sources.add_unknown("", ""),
            ran: Vec::new(),
            known: HashMap::default(),
            described,
            rules: HashMap::default(),
        };
        for rule in rules {
            let info = Arc::new(rebuilt.info(rule));
            rebuilt.known.insert(&rule.id, Arc::clone(&info));
            rebuilt.ran.push(info);
        }
        rebuilt
    }

    fn info(&self, rule: &FullRule) -> RuleInfo {
        RuleInfo {
            id: rule.id.clone(),
            name: rule.name.clone(),
            short_description: rule.description.clone(),
            full_description: rule.full_description.clone(),
            recommendation: rule.recommendation.clone(),
            help_uri: rule.help_uri.clone(),
            severity: rule.severity,
            resource_types: rule.resource_types.clone(),
            definition: self.definition(rule.origin),
            details: Arc::default(),
        }
    }

    /// Adds what a report lists.
    pub(super) fn add(&mut self, report: &Report) {
        for verdict in &report.results {
            if let Some(finding) = self.finding(verdict) {
                self.findings.push(finding);
            }
        }
        let problems = report.diagnostics.iter().filter_map(|problem| self.diagnostic(problem));
        let problems: Vec<Diagnostic> = problems.collect();
        self.diagnostics.extend(problems);
    }

    /// The change of the reports, which is the same in all of them.
    pub(super) fn change(&self, reports: &[Named]) -> Option<EventChange> {
        let change = reports.first()?.report.change.as_ref()?;
        let heads = reports.iter().filter_map(|named| named.report.shard.as_ref()).flat_map(|shard| &shard.head);
        let file = |head: &raw::HeadFile| {
            let hunks = head.hunks.as_ref().map(|hunks| hunks.iter().map(hunk).collect());
            Some((
                self.texts.file(&head.file)?,
                HeadFile { name: head.name.as_str().into(), lines: hunks.map(LineMap::new) },
            ))
        };
        Some(EventChange {
            event: change.event.clone(),
            pull_request: change.pull_request,
            base: change.base.clone(),
            head: change.head.clone(),
            commit: change.commit.clone(),
            files: heads.filter_map(file).collect(),
        })
    }

    /// Entries of the baseline that are stale for the whole run, in the order of its file.
    pub(super) fn stale(&self, reports: &[Named], is_in_doubt: bool) -> Vec<StaleEntry> {
        let parts = reports.iter().filter_map(|named| named.report.shard.as_ref());
        let entry = |raw: &raw::Stale| {
            let place = self.texts.span(&raw.location, self.sources)?;
            let (rule, template) = (raw.rule.clone(), raw.template.clone());
            Some(StaleEntry { rule, template, is_checked: raw.checked, place })
        };
        let mut stale: Vec<StaleEntry> = parts.flat_map(|shard| &shard.stale).filter_map(entry).collect();
        stale.retain(|entry| !(is_in_doubt && entry.is_checked));
        stale.sort_by_key(|entry| entry.place.start);
        stale.dedup_by_key(|entry| entry.place);
        stale
    }

    /// The suppressions that the change adds, each once, with what it suppresses in all parts.
    pub(super) fn added_suppressions(&self, reports: &[Named]) -> Vec<AddedSuppression> {
        let mut all: BTreeMap<(Arc<str>, u32, &str), AddedSuppression> = BTreeMap::new();
        for raw in reports.iter().flat_map(|named| &named.report.added_suppressions) {
            let Some(place) = self.texts.span(&raw.place, self.sources) else { continue };
            let name = Arc::clone(self.sources.get(place.file).name());
            let added = all.entry((name, place.start, &raw.rule)).or_insert_with(|| AddedSuppression {
                rule: raw.rule.clone(),
                kind: raw.kind,
                place,
                reason: raw.reason.clone(),
                findings: 0,
            });
            added.findings = added.findings.saturating_add(raw.findings);
        }
        all.into_values().collect()
    }

    /// The resources of all parts, as trees.
    pub(super) fn trees(&self, reports: &[Named]) -> Vec<ResourceTree> {
        let parts = reports.iter().filter_map(|named| named.report.shard.as_ref());
        parts.flat_map(|shard| &shard.trees).filter_map(|raw| self.tree(raw)).collect()
    }

    fn tree(&self, raw: &raw::Tree) -> Option<ResourceTree> {
        let node = |(at, node): (usize, &raw::Node)| {
            Some(ResourceNode {
                type_name: node.r#type.clone(),
                name: node.name.clone(),
                // Only what is before a node can be around it.
                parent: node.parent.filter(|parent| *parent < at),
                place: self.texts.span(&node.location, self.sources)?,
                is_uncertain: node.uncertain,
            })
        };
        Some(ResourceTree {
            key: DeploymentKey::read(&raw.key)?,
            template: self.texts.file(&raw.template)?,
            parameters: match &raw.parameters {
                Some(name) => Some(self.texts.file(name)?),
                None => None,
            },
            nodes: raw.nodes.iter().enumerate().map(node).collect::<Option<_>>()?,
            more: raw.more,
        })
    }

    pub(super) fn finding(&mut self, raw: &Verdict) -> Option<Finding> {
        let resource = raw.resource.as_ref().map(|Resource { r#type, name, id }| {
            Arc::new(ResourceRef { type_name: r#type.clone(), name: name.clone(), id: id.clone(), declared: None })
        });
        // The reason is the message, after the path if there is one.
        let reason = raw.reason.as_deref().filter(|_| raw.outcome == Outcome::Unknown);
        let undecided =
            reason.and_then(|reason| reason.strip_suffix(&raw.message)?.strip_prefix('`')?.strip_suffix("`: "));
        let mut finding = Finding {
            rule: self.rule(raw),
            outcome: raw.outcome,
            in_change: raw.on_changed_lines,
            message: raw.message.clone(),
            template: raw.template.as_str().into(),
            other_templates: Few::NONE,
            parameters: raw.parameters.iter().map(|name| name.as_str().into()).collect(),
            deployments: raw.deployments.iter().filter_map(|id| DeploymentKey::read(id)).collect(),
            holds: Few::NONE,
            resource,
            subjects: raw.subjects.iter().filter_map(subject).collect(),
            path: raw.path.clone(),
            failed_paths: FailedPaths::new(raw.failed_paths.clone(), &raw.path),
            undecided: undecided.map(Box::from),
            span: self.texts.span(&raw.location, self.sources)?,
            related: self.labels(&raw.related).into(),
            failures: raw.failures.iter().filter_map(|place| self.texts.span(place, self.sources)).collect(),
            extents: Few::NONE,
            actual: raw.actual.as_ref().map(|value| ValueExcerpt::shown_as(value.to_string())),
            fix: None,
            fingerprint: raw.fingerprint.clone(),
            resource_fingerprint: raw.resource_fingerprint.clone(),
            aliases: Few::NONE,
            suppressed: raw.suppressed.as_ref().map(|by| Box::new(self.suppressed(by))),
        };
        finding.fix = self.fix(raw).map(Box::new);
        Some(finding)
    }

    fn suppressed(&self, raw: &raw::Suppressed) -> Suppressed {
        let place = raw.place.as_ref().and_then(|place| self.texts.span(place, self.sources));
        Suppressed { kind: raw.kind, reason: raw.reason.clone(), place }
    }

    /// The rule of a verdict: as it is known here, with the severity that the verdict has.
    fn rule(&mut self, raw: &Verdict) -> Arc<RuleInfo> {
        let (known, described) = (self.known.get(raw.rule.as_str()), self.described.get(raw.rule.as_str()));
        if let Some(known) = known.filter(|known| known.severity == raw.severity) {
            return Arc::clone(known);
        }
        let definition = described.and_then(|rule| self.definition(rule.origin));
        let new = || match known {
            Some(known) => RuleInfo { severity: raw.severity, ..RuleInfo::clone(known) },
            None => RuleInfo {
                id: raw.rule.clone(),
                name: raw.name.clone(),
                short_description: described.map(|rule| rule.description.clone()).unwrap_or_default(),
                full_description: String::new(),
                recommendation: described.and_then(|rule| rule.recommendation.clone()),
                help_uri: described.and_then(|rule| rule.help_uri.clone()),
                severity: raw.severity,
                resource_types: Vec::new(),
                definition,
                details: Arc::default(),
            },
        };
        let rule = self.rules.entry((raw.rule.clone(), raw.severity)).or_insert_with(|| Arc::new(new()));
        Arc::clone(rule)
    }

    /// Where a rule is defined: somewhere that only its author matters of.
    fn definition(&self, author: Author) -> Option<Span> {
        (author != Author::Builtin).then(|| Span::whole_file(self.definitions))
    }

    fn labels(&self, related: &[Related]) -> Vec<Label> {
        let label = |related: &Related| {
            let span = self.texts.span(&related.place, self.sources)?;
            Some(Label { span, message: related.message.clone() })
        };
        related.iter().filter_map(label).collect()
    }

    /// The fix of a verdict. `None` if one of its parts has no place.
    fn fix(&self, raw: &Verdict) -> Option<Fix> {
        let Some(edits) = &raw.edits else { return self.lines(raw) };
        let edit = |edit: &raw::Replacement| {
            let span = self.texts.span(&edit.place, self.sources)?;
            Some(Edit { span, name: String::new(), replacement: edit.text.clone() })
        };
        let all: Option<Vec<Edit>> = edits.replacements.iter().map(edit).collect();
        let fix = Fix { title: edits.title.clone(), edits: all.filter(|all| is_plain(all))?, is_guess: edits.is_guess };
        if raw.fix.is_none()
            && let Some(lines) = fix.as_lines(self.sources)
        {
            // The lines contain a secret, which only the machine that checked them knows.
            self.hide_lines(&fix, lines.first, lines.last);
        }
        Some(fix)
    }

    /// A fix that is known as whole lines only.
    fn lines(&self, raw: &Verdict) -> Option<Fix> {
        let lines = raw.fix.as_ref()?;
        let file = self.texts.file(&lines.file)?;
        let source = self.sources.get(file);
        let (start, end) = (source.line_range(lines.line)?.start, source.line_range(lines.end_line)?.end);
        let span = Span::new(file, u32::try_from(start).ok()?, u32::try_from(end.max(start)).ok()?);
        let edit = Edit { span, name: String::new(), replacement: lines.replacement.clone() };
        Some(Fix { title: lines.title.clone(), edits: vec![edit], is_guess: lines.is_guess })
    }

    fn hide_lines(&self, fix: &Fix, first: u32, last: u32) {
        let Some(file) = fix.edits.first().map(|edit| edit.span.file) else { return };
        let source = self.sources.get(file);
        let range = source.line_range(first).zip(source.line_range(last));
        let range =
            range.and_then(|(top, bottom)| Some((u32::try_from(top.start).ok()?, u32::try_from(bottom.end).ok()?)));
        if let Some((start, end)) = range {
            self.sources.hide(Span::new(file, start, end));
        }
    }

    fn diagnostic(&self, raw: &Problem) -> Option<Diagnostic> {
        let span = self.texts.span(&raw.place, self.sources)?;
        Some(Diagnostic {
            code: raw.code,
            level: raw.level,
            message: raw.message.clone(),
            primary: Label { span, message: raw.caption.clone() },
            secondary: self.labels(&raw.related),
            help: raw.help.clone(),
            not_checked: raw.not_checked,
        })
    }
}

fn subject(raw: &raw::Subject) -> Option<Subject> {
    Some(Subject { tree: DeploymentKey::read(&raw.tree)?, node: raw.node })
}

fn hunk(&[old_start, old_count, new_start, new_count]: &[u32; 4]) -> Hunk {
    Hunk { old_start, old_count, new_start, new_count }
}

/// Whether there are edits, and none overlaps another.
fn is_plain(edits: &[Edit]) -> bool {
    let mut spans: Vec<(FileId, u32, u32)> =
        edits.iter().map(|edit| (edit.span.file, edit.span.start, edit.span.end)).collect();
    spans.sort_unstable();
    let is_apart = |pair: &[(FileId, u32, u32)]| match pair {
        [(file, _, end), (next, start, _)] => file != next || end <= start,
        _ => true,
    };
    !spans.is_empty() && spans.windows(2).all(is_apart)
}
