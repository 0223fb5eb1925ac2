//! Bounds the findings of one expansion: a few lines of YAML can repeat a long object thousands of times, and each
//! repetition may have as many faults as the object. Rules and policies multiply with resources.
//!
//! The first place of each fault comes before the second place of any other; then worse ones come first, and then the
//! first of each rule. Findings that are too many are dropped while others are made, and counted. **Invariant:** a run
//! in which findings are left out has an error, so it never passes; and the order in which threads make them changes
//! nothing.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic, Outcome, Severity};
use crate::engine::findings::Draft;
use crate::text::{FileId, Span};

/// Number of findings of one expansion that are reported, however short its text is.
const LEAST: usize = 10_000;

/// Number of bytes of the text per reported finding.
const BYTES_PER_FINDING: usize = 8;

/// Returns the maximum number of reported findings of a template whose texts have `written` bytes in total: each text
/// may have further faults.
pub(super) fn most(written: u64) -> usize {
    LEAST + usize::try_from(written).unwrap_or(usize::MAX) / BYTES_PER_FINDING
}

/// Returns the problem with a template that has more findings under its parameter files, of which so many are omitted.
pub(super) fn omitted(count: usize, template: FileId) -> Diagnostic {
    let message =
        format!("under its parameter files, the template has {count} findings too many, which are not reported");
    let help = "correct what all of them have in common, or check fewer parameter files in one run";
    Diagnostic::of_file(Code::TemplateLimit, template, message).with_help(help)
}

/// Collects the findings of one expansion.
#[derive(Debug)]
pub(super) struct Flood {
    most: usize,
    collected: Mutex<Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    parts: Vec<Vec<Ranked>>,
    /// Number of findings in the parts.
    open: usize,
    /// Number of findings of each rule so far, by the address of its description.
    of_rules: HashMap<usize, u32>,
    /// Number of dropped findings, by the ID of their rule.
    dropped: HashMap<String, usize>,
}

/// A draft, and what decides whether it is kept.
#[derive(Debug)]
struct Ranked {
    draft: Draft,
    /// Number of previous findings of the same rule at the same place.
    repeated: u32,
    /// Number of previous findings of the same rule.
    before: u32,
}

/// The order in which findings are kept. Nothing in it depends on threads.
type Rank<'d> = (u32, Severity, u32, &'d str, (u32, u32), &'d str);

/// Findings that were added together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added(usize);

impl Flood {
    /// Begins to collect at most so many findings.
    pub(super) fn new(most: usize) -> Self {
        Self { most, collected: Mutex::default() }
    }

    /// Adds drafts. Those of one rule are added by one thread after the other.
    pub(super) fn add(&self, drafts: Vec<Draft>) -> Added {
        let mut repeated: HashMap<(usize, Span), u32> = HashMap::default();
        let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        let collected = &mut *collected;
        let mut part = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let mut ranked = Ranked { repeated: 0, before: 0, draft };
            if is_open(&ranked.draft) {
                let rule = Arc::as_ptr(&ranked.draft.rule).addr();
                ranked.repeated = next(repeated.entry((rule, ranked.draft.span)).or_default());
                ranked.before = next(collected.of_rules.entry(rule).or_default());
                collected.open += 1;
            }
            part.push(ranked);
        }
        collected.parts.push(part);
        if collected.open > self.most.saturating_mul(2) {
            collected.drop_to(self.most);
        }
        Added(collected.parts.len() - 1)
    }

    /// Counts findings of a rule that were not even made.
    pub(super) fn count_dropped(&self, rule: &str, count: usize) {
        let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        *collected.dropped.entry(rule.to_owned()).or_default() += count;
    }

    /// Returns the findings that are kept, in this order, and the problem that there are more. The problem is about the
    /// template.
    pub(super) fn into_parts(self, order: &[Added], template: Span) -> (Vec<Vec<Draft>>, Option<Diagnostic>) {
        let Self { most, collected } = self;
        let mut collected = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        if collected.open > most {
            collected.drop_to(most);
        }
        let problem = collected.problem(most, template);
        let mut take = |added: &Added| collected.parts.get_mut(added.0).map(std::mem::take).unwrap_or_default();
        let drafts = order.iter().map(|added| take(added).into_iter().map(|ranked| ranked.draft).collect()).collect();
        (drafts, problem)
    }
}

impl Collected {
    /// Drops the findings that rank last until there are so many.
    fn drop_to(&mut self, most: usize) {
        let all = self.parts.iter().flatten().filter(|ranked| is_open(&ranked.draft));
        let mut ranks: Vec<(Rank<'_>, usize)> = all.map(Ranked::rank).zip(0..).collect();
        ranks.sort_unstable();
        let mut is_kept = vec![true; ranks.len()];
        for (_, at) in ranks.iter().skip(most) {
            is_kept.get_mut(*at).into_iter().for_each(|kept| *kept = false);
        }
        let mut is_kept = is_kept.into_iter();
        for part in &mut self.parts {
            part.retain(|ranked| {
                let keeps = !is_open(&ranked.draft) || is_kept.next().unwrap_or_default();
                if !keeps {
                    *self.dropped.entry(ranked.draft.rule.id.clone()).or_default() += 1;
                }
                keeps
            });
            part.shrink_to_fit();
        }
        self.open = self.open.min(most);
    }

    fn problem(&self, most: usize, template: Span) -> Option<Diagnostic> {
        let (rule, _) = self.dropped.iter().max_by(|(a, one), (b, other)| (one, b).cmp(&(other, a)))?;
        let all = self.open + self.dropped.values().sum::<usize>();
        let reported = self.open.min(most);
        let message =
            format!("the template has {all} findings, of which {reported} are reported, those of each fault first");
        let help =
            format!("most of the others are of `{rule}`: correct what the template repeats, or exclude the rule");
        Some(Diagnostic::new(Code::TemplateLimit, template, message).with_help(help))
    }
}

impl Ranked {
    fn rank(&self) -> Rank<'_> {
        let Draft { rule, span, path, .. } = &self.draft;
        (self.repeated, rule.severity, self.before, &rule.id, (span.start, span.end), path)
    }
}

/// Returns `true` if the draft becomes a finding, and is not only counted.
fn is_open(draft: &Draft) -> bool {
    !draft.is_counted_only && draft.outcome != Outcome::Passed
}

/// Counts one more. Returns how many there were.
fn next(count: &mut u32) -> u32 {
    let before = *count;
    *count = count.saturating_add(1);
    before
}
