//! The difference as a JSON document, `formwork/diff/v1`. Programs read it, and the pages are written from it.

use crate::cli::diff::pairs::{Pair, PairedDeployments, Status};
use crate::cli::diff::shown::{SourceLine, Surroundings, value};
use crate::cli::diff::sides::{Side, Sides};
use crate::diagnostic::Severity;
use crate::diff;
use crate::report::difference::{
    Cause, Change, Deployment, DeploymentCounts, Difference, Fate, Outcome, Resource, ResourceCounts, Risk, RiskCounts,
    Severity as RiskSeverity, Side as SideName, Status as WrittenStatus, Summary, Unlisted, VersionCounts,
};

/// Returns the complete difference. Deployments that are the same on both sides are only counted.
pub(super) fn document(comparison: &PairedDeployments, sides: &Sides) -> Difference {
    let deployments = comparison.pairs.iter().filter_map(deployment).collect();
    Difference::new([side(&sides.old), side(&sides.new)], summary(comparison), deployments)
}

fn side(side: &Side) -> SideName {
    SideName { name: side.name.clone(), commit: side.commit.clone() }
}

fn summary(comparison: &PairedDeployments) -> Summary {
    Summary {
        deployments: DeploymentCounts {
            new: comparison.count(Status::New),
            changed: comparison.count(Status::Changed),
            removed: comparison.count(Status::Removed),
            same: comparison.count(Status::Same),
            unreadable: comparison.count(Status::Unreadable),
        },
        resources: ResourceCounts {
            create: comparison.resources(diff::Outcome::Create),
            change: comparison.resources(diff::Outcome::Change),
            remove: comparison.resources(diff::Outcome::Remove),
            uncertain: comparison.resources(diff::Outcome::Uncertain),
            same: comparison.pairs.iter().map(|pair| pair.difference.same).sum(),
        },
        risks: RiskCounts {
            high: comparison.risks(Severity::High),
            medium: comparison.risks(Severity::Medium),
            low: comparison.risks(Severity::Low),
        },
        untouched: comparison.untouched,
        versions: VersionCounts {
            changed: comparison.pairs.iter().map(|pair| pair.versions.changed).sum(),
            breaking: comparison.pairs.iter().map(|pair| pair.versions.breaking).sum(),
        },
    }
}

/// Returns a deployment, or `None` if it is the same on both sides.
fn deployment(pair: &Pair) -> Option<Deployment> {
    let difference = &pair.difference;
    let (template, parameters) = pair.names.clone();
    let (old_template, old_parameters) =
        pair.old_names.clone().map_or((None, None), |(template, parameters)| (Some(template), parameters));
    Some(Deployment {
        template,
        parameters,
        old_template,
        old_parameters,
        status: match pair.status {
            Status::Same => return None,
            Status::New => WrittenStatus::New,
            Status::Changed => WrittenStatus::Changed,
            Status::Removed => WrittenStatus::Removed,
            Status::Unreadable => WrittenStatus::Unreadable,
        },
        same: difference.same,
        causes: pair.causes().map(|(made, place)| cause(made, place)).collect(),
        resources: pair.resources().map(|(changed, around)| resource(changed, around)).collect(),
        more_resources: Unlisted {
            create: difference.unlisted(diff::Outcome::Create),
            change: difference.unlisted(diff::Outcome::Change),
            remove: difference.unlisted(diff::Outcome::Remove),
            uncertain: difference.unlisted(diff::Outcome::Uncertain),
        },
    })
}

fn cause(cause: &diff::Cause, place: Option<&SourceLine>) -> Cause {
    let shown = |side: &Option<_>| side.as_ref().map(|side| value(side, cause.is_secret));
    Cause {
        parameter: cause.parameter.clone(),
        old: shown(&cause.old),
        new: shown(&cause.new),
        file: place.map(|place| place.file.clone()),
        line: place.map(|place| place.line),
    }
}

fn resource(resource: &diff::ResourceChange, around: &Surroundings) -> Resource {
    let seen = resource.seen();
    let maybe = |seen: &Option<diff::Seen>| Some(seen.as_ref()?.maybe.as_ref()?.why.to_string());
    let other = resource.renamed.clone();
    let (old_name, new_name) = if resource.new.is_some() { (other, None) } else { (None, other) };
    Resource {
        outcome: match resource.outcome {
            diff::Outcome::Create => Outcome::Create,
            diff::Outcome::Change => Outcome::Change,
            diff::Outcome::Remove => Outcome::Remove,
            diff::Outcome::Uncertain => Outcome::Uncertain,
        },
        type_name: resource.type_name.clone(),
        name: seen.map(|seen| seen.name.clone()).unwrap_or_default(),
        id: seen.map(|seen| seen.id.clone()).unwrap_or_default(),
        name_is_approximate: seen.is_some_and(|seen| seen.is_approximate),
        parents: around.parents.clone(),
        in_old: resource.old.is_some(),
        in_new: resource.new.is_some(),
        old_maybe: maybe(&resource.old),
        new_maybe: maybe(&resource.new),
        old_name,
        new_name,
        fate: resource.fate.map(|fate| match fate {
            diff::Fate::Untouched => Fate::Untouched,
            diff::Fate::Deleted => Fate::Deleted,
            diff::Fate::Snapshot => Fate::Snapshot,
            diff::Fate::Kept => Fate::Kept,
        }),
        file: around.place.as_ref().map(|place| place.file.clone()),
        line: around.place.as_ref().map(|place| place.line),
        risks: resource.risks.iter().map(risk).collect(),
        changes: resource.changes.list.iter().map(change).collect(),
        more_changes: resource.changes.more,
    }
}

fn risk(risk: &diff::Risk) -> Risk {
    Risk {
        severity: match risk.severity {
            Severity::High => RiskSeverity::High,
            Severity::Medium => RiskSeverity::Medium,
            Severity::Low => RiskSeverity::Low,
        },
        kind: risk.kind.as_str().to_owned(),
        message: risk.message.clone(),
        path: risk.path.clone(),
        source: risk.source.to_string(),
    }
}

fn change(change: &diff::Change) -> Change {
    let shown = |side: &Option<_>| side.as_ref().map(|side| value(side, change.is_secret));
    Change {
        path: change.path.clone(),
        old_path: change.old_path.clone(),
        old: shown(&change.old),
        new: shown(&change.new),
        cause: change.cause,
    }
}
