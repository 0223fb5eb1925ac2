//! The findings about suppressions themselves: those that are unused, name unknown rules, have expired, or have no
//! reason.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::checks::{
    SUPPRESSION_EXPIRED, SUPPRESSION_INVALID, SUPPRESSION_NO_REASON, SUPPRESSION_UNKNOWN_RULE, SUPPRESSION_UNUSED,
};
use crate::diagnostic::{
    Analysed, Check, CheckKind, FailedPaths, Finding, Level, Outcome, RuleInfo, RulePattern, Run, Suppression,
    SuppressionKind,
};
use crate::engine::findings::{Anchor, Draft, Property};
use crate::engine::merge::merge;
use crate::engine::sorted_set::SortedSet;
use crate::engine::suppress::comment::Invalid;
use crate::engine::suppress::{CollectedSuppression, Context, Coverage, Extent};
use crate::text::{FileId, Span, Suggestions, cut_long};
use crate::value::Few;

/// The longest message, in bytes. A message quotes the name of a rule, which may be long.
const MAX_MESSAGE: usize = 2_000;

/// Data of a run that decide which suppressions are invalid, unused or expired.
pub(super) struct Judge<'a> {
    context: &'a Context<'a>,
    /// The rules that ran and reported all that they find.
    ran: HashSet<String>,
    /// For each template, by its name, true if it was checked in full.
    templates: HashMap<Arc<str>, bool>,
    /// For each parameter file, by its name, true if all templates with it were checked in full.
    parameters: HashMap<Arc<str>, bool>,
    /// True if everything in the repository was checked in full.
    is_all: bool,
    suggestions: Suggestions,
}

impl<'a> Judge<'a> {
    pub(super) fn new(run: &Run, context: &'a Context<'a>) -> Self {
        let is_silent = |check: Check| {
            check.kind() == CheckKind::Schema
                && context.checks.get(&check).is_some_and(|selected| !selected.reports_all)
        };
        let ran = run.rules.iter().filter(|rule| !rule.check.is_some_and(is_silent)).map(|rule| &rule.id);
        let is_full = |analysed: &Analysed| analysed.is_whole && analysed.is_usual;
        let mut parameters: HashMap<Arc<str>, bool> = HashMap::default();
        for analysed in &run.analysed {
            for of in &analysed.parameters {
                *parameters.entry(Arc::clone(&of.file)).or_insert(true) &= is_full(analysed);
            }
        }
        let is_in_error = run.diagnostics.iter().any(|problem| problem.level == Level::Error);
        Self {
            context,
            ran: ran.cloned().collect(),
            templates: run
                .analysed
                .iter()
                .map(|analysed| (Arc::clone(&analysed.template), is_full(analysed)))
                .collect(),
            parameters,
            is_all: context.suppressing.extent == Extent::Everything
                && !is_in_error
                && run.analysed.iter().all(is_full),
            suggestions: Suggestions::default(),
        }
    }

    /// Returns `true` if everything in the repository was checked in full.
    pub(super) fn is_all(&self) -> bool {
        self.is_all
    }

    /// Adds the findings about suppressions to the run, and notes in which files they are not of one template alone.
    pub(super) fn report(&self, entries: &[CollectedSuppression], invalid: Vec<Invalid>, run: &mut Run) {
        for entry in entries.iter().filter(|entry| !entry.suppression.is_foreign) {
            let file = entry.suppression.place.file;
            if self.of_file(entry, run.sources.get(file).name()).is_none() {
                run.shared.files.insert(file);
            }
        }
        let ordinals = Ordinals::new(entries, run);
        let mut notes: Vec<(Check, Span, String)> =
            invalid.into_iter().map(|(span, message)| (SUPPRESSION_INVALID, span, message)).collect();
        for entry in entries.iter().filter(|entry| !entry.suppression.is_foreign) {
            self.entry(entry, run, &mut notes);
        }
        let mut drafts: BTreeMap<Arc<str>, Vec<Draft>> = BTreeMap::new();
        for (check, span, message) in notes {
            let Some(selected) = self.context.checks.get(&check) else { continue };
            let name = Arc::clone(run.sources.get(span.file).name());
            let draft = draft(Arc::clone(&selected.info), span, message, &name, ordinals.subject(span, run));
            drafts.entry(name).or_default().push(draft);
        }
        let touched: HashSet<Arc<str>> = drafts.keys().cloned().collect();
        for (name, drafts) in drafts {
            let findings = merge(drafts, &(self.context.stable)(&name));
            for finding in findings {
                run.summary.count(finding.outcome, finding.places());
                run.findings.push(finding);
            }
        }
        // What there is in one template changes the order of no other.
        let place = |finding: &Finding| (finding.span.start, finding.span.end);
        run.findings.sort_by(|a, b| match a.template.cmp(&b.template) {
            Ordering::Equal if touched.contains(&a.template) => place(a).cmp(&place(b)),
            order => order,
        });
    }

    fn entry(&self, entry: &CollectedSuppression, run: &Run, notes: &mut Vec<(Check, Span, String)>) {
        let suppression = &entry.suppression;
        let (today, place) = (self.context.suppressing.today, suppression.place);
        let is_of_settings = matches!(suppression.kind, SuppressionKind::Settings | SuppressionKind::Exemption);
        let is_partial = self.context.suppressing.extent != Extent::Everything;
        // Settings are for the whole repository, and a check of one file is not held up by what has nothing to do with it.
        if is_of_settings && is_partial && !entry.is_matched.contains(&true) {
            return;
        }
        if suppression.reason.is_none() {
            let message = "the suppression has no reason, so it suppresses nothing".to_owned();
            notes.push((SUPPRESSION_NO_REASON, place, message));
        }
        if let Some(until) = suppression.until.filter(|_| suppression.is_expired(today)) {
            let message = match suppression.kind {
                SuppressionKind::Exemption => format!("the exemption held until {until}, and exempts nothing now"),
                _ => format!("the suppression expired on {until}, so it suppresses nothing"),
            };
            notes.push((SUPPRESSION_EXPIRED, place, message));
        }
        let is_seen = self.sees(entry, run.sources.get(place.file).name());
        for (pattern, is_matched) in suppression.rules.iter().zip(&entry.is_matched) {
            if let Some(message) = self.unknown(pattern) {
                notes.push((SUPPRESSION_UNKNOWN_RULE, pattern.span, message));
            } else if is_seen && !is_matched && suppression.holds(today) && self.ran(pattern) {
                let message = match suppression.kind {
                    SuppressionKind::Exemption => "the resource complies without this exemption".to_owned(),
                    _ => format!("no finding of `{}` is suppressed here", pattern.text),
                };
                notes.push((SUPPRESSION_UNUSED, pattern.span, message));
            }
        }
    }

    /// Returns the rules that a suppression may name.
    fn nameable_rules(&self) -> impl Iterator<Item = &Arc<RuleInfo>> {
        self.context.suppressing.known.rules().iter().filter(|info| !is_of_suppressions(info))
    }

    /// Returns a message about the name of a rule in a suppression. `None` if a rule has the name and its findings can
    /// be suppressed.
    fn unknown(&self, pattern: &RulePattern) -> Option<String> {
        let name = &pattern.text;
        if self.context.suppressing.known.has(pattern) {
            let can_be = self.nameable_rules().any(|info| pattern.matches(info));
            let refusal = || format!("findings of `{name}` cannot be suppressed; exclude it in the settings instead");
            return (!can_be).then(refusal);
        }
        let names = self.nameable_rules().flat_map(|info| [info.id.as_str(), info.name.as_str()]);
        let what = if pattern.is_wildcard() { "no rule matches" } else { "there is no rule" };
        Some(format!("{what} `{name}`{}", self.suggestions.did_you_mean(name, names)))
    }

    /// Returns `true` if all rules that a pattern means ran.
    fn ran(&self, pattern: &RulePattern) -> bool {
        self.nameable_rules().filter(|info| pattern.matches(info)).all(|info| self.ran.contains(&info.id))
    }

    /// Returns `true` if everything that a suppression could cover was checked in full.
    fn sees(&self, entry: &CollectedSuppression, name: &Arc<str>) -> bool {
        let is_needed = matches!(entry.coverage, Coverage::Exemption { is_needless: false, .. });
        if self.context.suppressing.extent == Extent::Part || is_needed {
            return false;
        }
        self.of_file(entry, name).unwrap_or(self.is_all)
    }

    /// Returns `true` if the template of a suppression was checked in full. `None` if the suppression is not about a
    /// single template.
    fn of_file(&self, entry: &CollectedSuppression, name: &Arc<str>) -> Option<bool> {
        let is_root = self.context.roots.contains(name);
        let of_file = self.templates.get(name).filter(|_| is_root).or_else(|| self.parameters.get(name));
        of_file.copied().filter(|_| matches!(entry.coverage, Coverage::Text { .. }))
    }
}

/// Numbers equal suppressions of a file by their order, also those that are not reported.
struct Ordinals {
    places: HashMap<(FileId, String), BTreeSet<u32>>,
}

impl Ordinals {
    fn new(entries: &[CollectedSuppression], run: &Run) -> Self {
        let mut places: HashMap<(FileId, String), BTreeSet<u32>> = HashMap::default();
        for Suppression { rules, place, .. } in entries.iter().map(|entry| &entry.suppression) {
            for span in rules.iter().map(|pattern| pattern.span).chain([*place]) {
                places.entry((span.file, text_of(span, run))).or_default().insert(span.start);
            }
        }
        Self { places }
    }

    /// Returns the subject of the finding about a suppression: its text, numbered if the file has the same text before
    /// it.
    fn subject(&self, span: Span, run: &Run) -> String {
        let text = text_of(span, run);
        let places = self.places.get(&(span.file, text.clone()));
        match places.map_or(0, |places| places.range(..span.start).count()) {
            0 => text,
            before => format!("{text}#{before}"),
        }
    }
}

/// Returns the text of a span with each sequence of blanks and line breaks as a single space.
fn text_of(span: Span, run: &Run) -> String {
    let source = run.sources.get(span.file);
    let text = source.text().get(span.start as usize..span.end as usize).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns `true` if a rule is about suppressions.
fn is_of_suppressions(info: &RuleInfo) -> bool {
    info.kind() == Some(CheckKind::Suppression)
}

pub(in crate::engine) fn draft(
    rule: Arc<RuleInfo>,
    span: Span,
    message: String,
    name: &Arc<str>,
    subject: String,
) -> Draft {
    Draft {
        rule,
        outcome: Outcome::Failed,
        message: cut_long(message, MAX_MESSAGE),
        template: Arc::clone(name),
        other_templates: SortedSet::default(),
        parameters: SortedSet::default(),
        deployments: SortedSet::default(),
        holds: Few::NONE,
        resource: None,
        subjects: SortedSet::default(),
        path: String::new(),
        failed_paths: FailedPaths::NONE,
        more_places: 0,
        qualifier: None,
        span,
        related: Few::NONE,
        failures: Few::NONE,
        extents: Few::NONE,
        actual: None,
        fix: None,
        // What a suppression says tells it apart from others of its file.
        anchor: Anchor { home: Arc::default(), property: Property::Text(subject.into()) },
        names: SortedSet::default(),
        is_counted_only: false,
    }
}
