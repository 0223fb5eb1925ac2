//! Bounds the places of one fault in a template: a module that is deployed 10,000 times has each of its faults at
//! 10,000 paths, and people correct each of them once.
//!
//! The first places are findings. The last of these counts all others, and knows what tells whether a change brings one
//! of them: for which resources they hold, and where their values are written.
//!
//! # Invariant
//!
//! Each place of a finding counts in the summary, and what suppresses one resource suppresses no place that is not
//! listed.

use foldhash::HashMap;

use crate::diagnostic::{Outcome, Severity};
use crate::engine::drained::drained;
use crate::engine::findings::Draft;
use crate::text::Span;

/// Maximum number of places of one fault of a template that are listed.
pub(super) const MAX_PLACES: usize = 100;

/// The places of a fault that are listed.
#[derive(Default)]
struct Listed {
    count: usize,
    /// The index of the last one.
    last: usize,
}

/// Removes the places of faults beyond the limit. The others keep their order. `drafts` has no two equal ones of the
/// same path.
pub(super) fn bound(drafts: Vec<Draft>) -> Vec<Draft> {
    if drafts.len() <= MAX_PLACES {
        return drafts;
    }
    let (faults, counts) = faults(&drafts);
    // Mostly all places are listed, and the drafts of a long template are better not moved.
    if counts.iter().all(|count| *count <= MAX_PLACES) {
        return drafts;
    }
    let mut listed: Vec<Listed> = counts.iter().map(|_| Listed::default()).collect();
    let mut kept: Vec<Draft> = Vec::with_capacity(drafts.len());
    for (draft, fault) in drained(drafts).zip(faults) {
        if let Some(of_fault) = fault.and_then(|fault| listed.get_mut(fault)) {
            if of_fault.count == MAX_PLACES {
                kept.get_mut(of_fault.last).into_iter().for_each(|last| add(last, &draft));
                continue;
            }
            *of_fault = Listed { count: of_fault.count + 1, last: kept.len() };
        }
        kept.push(draft);
    }
    kept.shrink_to_fit();
    kept
}

/// Returns the number of the fault of each draft that becomes a finding to correct, and the number of places of each
/// fault. Places of one fault have the same rule, text, message, and outcome.
fn faults(drafts: &[Draft]) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut numbers: HashMap<(&str, Severity, Span, &str, Outcome), usize> = HashMap::default();
    let mut counts: Vec<usize> = Vec::new();
    let mut of_drafts = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let Draft { rule, span, message, outcome, .. } = draft;
        if !is_open(draft) {
            of_drafts.push(None);
            continue;
        }
        let fault = *numbers.entry((&rule.id, rule.severity, *span, message, *outcome)).or_insert(counts.len());
        if fault == counts.len() {
            counts.push(0);
        }
        counts.get_mut(fault).into_iter().for_each(|count| *count += 1);
        of_drafts.push(Some(fault));
    }
    (of_drafts, counts)
}

/// Returns `true` if the draft becomes a finding to correct.
fn is_open(draft: &Draft) -> bool {
    matches!(draft.outcome, Outcome::Failed | Outcome::Unknown)
}

/// Counts a place that is not listed.
fn add(last: &mut Draft, other: &Draft) {
    last.more_places = last.more_places.saturating_add(other.more_places).saturating_add(1);
    last.hold_for(&other.holds);
    for extent in &other.extents {
        // Mostly it is the same text each time.
        if last.extents.last() != Some(extent) {
            last.extents.as_vec().push(*extent);
        }
    }
    // A fault has a fix only if the same is right everywhere.
    if last.fix != other.fix {
        last.fix = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::arm::CREDENTIAL;
    use crate::engine::merge::merge;
    use crate::engine::suppress::draft;
    use crate::text::Sources;

    #[test]
    fn the_last_place_that_is_listed_counts_the_others() {
        let file = Sources::new().add("a", "");
        let (rule, name) = (Arc::new(CREDENTIAL.info()), Arc::from("a"));
        let made = |count: usize, start: u32| {
            let draft = |at: usize| {
                let place = Span::new(file, start, start + 1);
                Draft {
                    path: format!("[{at:05}]"),
                    ..draft(Arc::clone(&rule), place, String::new(), &name, String::new())
                }
            };
            (0..count).map(draft).collect::<Vec<_>>()
        };
        let merged = |counts: [usize; 2]| merge([made(counts[0], 1), made(counts[1], 5)].concat(), "a");
        let more = |counts| merged(counts).iter().map(|finding| finding.more_places).collect::<Vec<_>>();
        assert_eq!(more([MAX_PLACES, 3]), vec![0; MAX_PLACES + 3]);
        let many = more([2_000, MAX_PLACES + 1]);
        assert_eq!((many.len(), many[MAX_PLACES - 1], many[2 * MAX_PLACES - 1]), (2 * MAX_PLACES, 1_900, 1));
        assert_eq!(many.iter().sum::<u32>(), 1_901);
        // One more place is another finding.
        let last = |count| merged([count, 0]).pop().unwrap().fingerprint;
        assert_eq!(last(150), last(150));
        assert_ne!(last(150), last(151));
    }
}
