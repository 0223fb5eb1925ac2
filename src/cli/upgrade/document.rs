//! The upgrades as a document of the reports.

use crate::engine::{UpgradeOutcome, UpgradePlan, VersionUpgrade};
use crate::report::upgrades::{BreakingDifference, UpgradeSummary, UpgradedVersion, Upgrades, VersionOutcome};
use crate::schema::{BreakingChange, PathSpan};
use crate::text::{Sources, Span};

/// Returns the document of a plan after so many files were written.
pub(super) fn document(plan: &UpgradePlan, written: usize, sources: &Sources) -> Upgrades {
    let summary = UpgradeSummary {
        safe: plan.count(UpgradeOutcome::Safe),
        stays: plan.count(UpgradeOutcome::Stays),
        current: plan.count(UpgradeOutcome::Current),
        skipped: plan.count(UpgradeOutcome::Skipped),
        written,
    };
    let resources = plan.upgrades.iter().map(|upgrade| version(upgrade, sources)).collect();
    Upgrades::new(summary, resources)
}

fn version(upgrade: &VersionUpgrade, sources: &Sources) -> UpgradedVersion {
    let (file, line, column) = position(upgrade.place, sources);
    let paths = |all: &[PathSpan]| all.iter().map(|at| at.path.clone()).collect();
    UpgradedVersion {
        type_name: upgrade.type_name.to_string(),
        name: upgrade.name.as_ref().map(ToString::to_string),
        count: upgrade.resources,
        from: upgrade.from.clone(),
        to: upgrade.to.clone(),
        outcome: match upgrade.outcome {
            UpgradeOutcome::Safe => VersionOutcome::Safe,
            UpgradeOutcome::Stays => VersionOutcome::Stays,
            UpgradeOutcome::Current => VersionOutcome::Current,
            UpgradeOutcome::Skipped => VersionOutcome::Skipped,
        },
        fits: upgrade.fits.clone(),
        breaking: upgrade.breaking.iter().map(|change| breaking(change, sources)).collect(),
        ignored: paths(&upgrade.ignored),
        unseen: paths(&upgrade.unseen),
        reason: upgrade.reason.clone(),
        file,
        line,
        column,
    }
}

fn breaking(change: &BreakingChange, sources: &Sources) -> BreakingDifference {
    let (file, line, _) = position(change.at.span, sources);
    BreakingDifference {
        check: change.check.id().to_owned(),
        path: change.at.path.clone(),
        message: change.message.clone(),
        file,
        line,
    }
}

/// Returns the name of the file, the line, and the column of a text.
fn position(span: Span, sources: &Sources) -> (String, u32, u32) {
    let source = sources.get(span.file);
    let position = source.position(span.start);
    (source.name().to_string(), position.line, position.column)
}
