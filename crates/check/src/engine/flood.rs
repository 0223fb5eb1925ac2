//! Bounds the findings of one expansion: a few lines of YAML can repeat a long object thousands of times, and each
//! repetition may have as many faults as the object.
//!
//! Of each fault, the first place comes before the second place of any other, and worse ones come first. **Invariant:** a
//! run in which findings are left out has an error, so it never passes.

use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic, Outcome, RuleInfo, Severity};
use crate::engine::findings::Draft;
use crate::text::{FileId, Span};

/// How many findings of one expansion are reported, however short its text is.
const LEAST: usize = 10_000;

/// For how many bytes of the text there may be another finding.
const BYTES_PER_FINDING: usize = 8;

/// How many findings of a template are reported, for all texts that it is expanded with: each of them may be another fault.
pub(super) fn most(written: u64) -> usize {
    LEAST + usize::try_from(written).unwrap_or(usize::MAX) / BYTES_PER_FINDING
}

/// The problem with a template that has more findings under its parameter files, of which so many are omitted.
pub(super) fn omitted(count: usize, template: FileId) -> Diagnostic {
    let message =
        format!("under its parameter files, the template has {count} findings too many, which are not reported");
    let help = "correct what all of them have in common, or check fewer parameter files in one run";
    Diagnostic::of_file(Code::TemplateLimit, template, message).with_help(help)
}

/// Leaves out the findings that are too many for a text of this length. The problem is about the template.
pub(super) fn bound(drafts: &mut [Vec<Draft>], written: usize, template: Span) -> Option<Diagnostic> {
    let most = most(written as u64);
    let all = drafts.iter().flatten().filter(|draft| is_open(draft)).count();
    if all <= most {
        return None;
    }
    let mut is_kept = kept(drafts, most).into_iter();
    let mut counts: HashMap<Arc<str>, usize> = HashMap::default();
    for part in drafts {
        part.retain(|draft| {
            if !is_open(draft) {
                return true;
            }
            let is_kept = is_kept.next().unwrap_or_default();
            if !is_kept {
                *counts.entry(draft.rule.id.as_str().into()).or_default() += 1;
            }
            is_kept
        });
        part.shrink_to_fit();
    }
    let most_common = counts.into_iter().max_by(|(a, one), (b, other)| (one, b).cmp(&(other, a)));
    let (rule, _) = most_common?;
    let message = format!("the template has {all} findings, of which {most} are reported, those of each fault first");
    let help = format!("most of the others are of `{rule}`: correct what the template repeats, or exclude the rule");
    Some(Diagnostic::new(Code::TemplateLimit, template, message).with_help(help))
}

/// Whether it becomes a finding, and not only a number.
fn is_open(draft: &Draft) -> bool {
    !draft.is_counted_only && draft.outcome != Outcome::Passed
}

/// For each finding, whether it is among those that are reported.
fn kept(drafts: &[Vec<Draft>], most: usize) -> Vec<bool> {
    let mut places: HashMap<(*const RuleInfo, Span), usize> = HashMap::default();
    let mut ranks: Vec<(usize, Severity, usize)> = Vec::new();
    for draft in drafts.iter().flatten().filter(|draft| is_open(draft)) {
        let place = places.entry((Arc::as_ptr(&draft.rule), draft.span)).or_default();
        ranks.push((*place, draft.rule.severity, ranks.len()));
        *place += 1;
    }
    let mut is_kept = vec![false; ranks.len()];
    ranks.sort_unstable();
    for (_, _, at) in ranks.into_iter().take(most) {
        is_kept.get_mut(at).into_iter().for_each(|kept| *kept = true);
    }
    is_kept
}
