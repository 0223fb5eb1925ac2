//! The drift as a document of the reports.

use serde_json::{Value as Json, json};

use crate::cli::diff::shown_value;
use crate::diagnostic::Severity;
use crate::drift::{ChangeSide, Drift, DriftChange, DriftOutcome, DriftedResource};
use crate::report::difference::Severity as WrittenSeverity;
use crate::report::drift::{ComparedResource, ComparedValues, DriftReport, DriftState, DriftSummary};
use crate::text::Sources;

/// Returns the document of a drift. `skipped` counts the items of the exports that are not resources.
pub(super) fn document(drift: &Drift, skipped: usize, sources: &Sources) -> DriftReport {
    let uncompared = drift.resources.iter().map(|resource| resource.unseen.len() + resource.uncompared.len()).sum();
    let summary = DriftSummary {
        drifted: drift.count(DriftOutcome::Drifted),
        missing: drift.count(DriftOutcome::Missing),
        unmanaged: drift.count(DriftOutcome::Unmanaged),
        uncertain: drift.count(DriftOutcome::Uncertain),
        same: drift.count(DriftOutcome::Same),
        uncompared,
        skipped,
    };
    DriftReport::new(summary, drift.resources.iter().map(|resource| compared(resource, sources)).collect())
}

fn compared(resource: &DriftedResource, sources: &Sources) -> ComparedResource {
    let place = resource.span.map(|span| {
        let source = sources.get(span.file);
        (source.name().to_string(), source.position(span.start).line)
    });
    let (file, line) = place.unzip();
    ComparedResource {
        outcome: match resource.outcome {
            DriftOutcome::Drifted => DriftState::Drifted,
            DriftOutcome::Missing => DriftState::Missing,
            DriftOutcome::Unmanaged => DriftState::Unmanaged,
            DriftOutcome::Uncertain => DriftState::Uncertain,
            DriftOutcome::Same => DriftState::Same,
        },
        type_name: resource.type_name.clone(),
        name: resource.name.clone(),
        id: resource.id.clone(),
        file,
        line,
        changes: resource.changes.iter().map(values).collect(),
        more_changes: resource.more,
        unseen: resource.unseen.clone(),
        uncompared: resource.uncompared.clone(),
        unset: resource.unset.clone(),
        reason: resource.reason.clone(),
        would_be_deleted: resource.is_doomed,
    }
}

fn values(change: &DriftChange) -> ComparedValues {
    let side = |side: &ChangeSide| match side {
        ChangeSide::Absent => Json::Null,
        ChangeSide::Present => json!("present"),
        ChangeSide::Value(value) => shown_value(value, change.is_secret),
    };
    ComparedValues {
        path: change.path.clone(),
        template: side(&change.template),
        live: side(&change.live),
        severity: match change.severity {
            Severity::High => WrittenSeverity::High,
            Severity::Medium => WrittenSeverity::Medium,
            Severity::Low => WrittenSeverity::Low,
        },
    }
}
