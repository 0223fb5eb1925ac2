//! Limits on the size of a comparison. Differences beyond the limits are only counted, so memory and reports do not
//! grow with the number of deployments and the repetitions of their loops.

use crate::diagnostic::Severity;
use crate::value::{Data, Value};
use crate::{Difference, Outcome, ResourceChange};

/// Resources of one deployment that are listed.
const RESOURCES_OF_DEPLOYMENT: usize = 5_000;

/// Values of an array or object that are measured. Reports show as many.
const MAX_PARTS: usize = 1_000;

/// Remaining budget for the deployments that are not compared yet.
#[derive(Debug)]
pub struct Room {
    resources: usize,
    changes: usize,
    /// Bytes for the values of changes.
    bytes: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { resources: 20_000, changes: 50_000, bytes: 16 << 20 }
    }
}

/// Counts of the resources that differ and are not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unlisted {
    /// Counts by outcome, in the order of [`Outcome::ALL`].
    outcomes: [usize; 4],
    /// Counts of their risks, by severity.
    risks: [usize; 3],
}

impl Unlisted {
    /// Returns the number of resources with an outcome.
    pub(super) fn count(&self, outcome: Outcome) -> usize {
        Outcome::ALL.iter().zip(self.outcomes).filter(|(own, _)| **own == outcome).map(|(_, count)| count).sum()
    }

    /// Returns the number of risks with a severity.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        SEVERITIES.iter().zip(self.risks).filter(|(own, _)| **own == severity).map(|(_, count)| count).sum()
    }

    fn add(&mut self, resource: &ResourceChange) {
        for (count, outcome) in self.outcomes.iter_mut().zip(Outcome::ALL) {
            *count += usize::from(outcome == resource.outcome);
        }
        for (count, severity) in self.risks.iter_mut().zip(SEVERITIES) {
            *count += resource.risks.iter().filter(|risk| risk.severity == severity).count();
        }
    }
}

const SEVERITIES: [Severity; 3] = [Severity::High, Severity::Medium, Severity::Low];

impl Difference {
    /// Drops what exceeds the budget: the resources with the lowest risks, and the last properties.
    pub fn bound(&mut self, room: &mut Room) {
        let most = room.resources.min(RESOURCES_OF_DEPLOYMENT);
        if self.resources.len() > most {
            let mut order: Vec<usize> = (0..self.resources.len()).collect();
            order.sort_by_key(|at: &usize| {
                let risks = self.resources.get(*at).into_iter().flat_map(|resource| &resource.risks);
                let worst = risks.map(|risk| risk.severity).min();
                (worst.is_none(), worst)
            });
            let mut is_kept = vec![false; self.resources.len()];
            for at in order.into_iter().take(most) {
                is_kept.get_mut(at).into_iter().for_each(|kept| *kept = true);
            }
            let unlisted = &mut self.unlisted;
            let mut kept = is_kept.into_iter();
            self.resources.retain(|resource| {
                let is_kept = kept.next().unwrap_or_default();
                if !is_kept {
                    unlisted.add(resource);
                }
                is_kept
            });
            self.resources.shrink_to_fit();
        }
        room.resources -= self.resources.len().min(room.resources);
        for resource in &mut self.resources {
            let changes = &mut resource.changes;
            let fits = changes.list.iter().take_while(|change| {
                let bytes = [&change.old, &change.new].into_iter().flatten().map(|value| measured(value, &mut 0)).sum();
                let fits = room.changes > 0 && room.bytes >= bytes;
                if fits {
                    room.changes -= 1;
                    room.bytes -= bytes;
                }
                fits
            });
            let fits = fits.count();
            changes.more += changes.list.len() - fits;
            changes.list.truncate(fits);
        }
    }
}

/// Returns the approximate size of a value, in bytes. `parts` counts the values so far.
fn measured(value: &Value, parts: &mut usize) -> usize {
    *parts += 1;
    if *parts > MAX_PARTS {
        return 0;
    }
    match &value.data {
        Data::String(text) => text.len(),
        Data::Array(items) => items.iter().take(MAX_PARTS).map(|item| measured(item, parts)).sum(),
        Data::Object(object) => {
            object.iter().take(MAX_PARTS).map(|member| member.key.len() + measured(&member.value, parts)).sum()
        }
        Data::Unknown(unknown) => unknown.why.len() + measured(&unknown.approximation, parts),
        _ => 8,
    }
}
