//! Newer API versions for the resources of a repository, with proof: after the change, every deployment has the same
//! resources, and their types accept them.
//!
//! ```text
//! Deployments ─► Collected ─► UpgradePlan ─► edited texts ─► Deployments
//! expanded       uses of      outcome of     over the files   the same but for
//! one by one     each text    each text                       versions?
//! ```
//!
//! A version is a text in a file, such as `@2021-09-01` in Bicep. It moves only if everything that uses it fits the new
//! version, in all deployments.
//!
//! # Invariant
//!
//! Only the texts of versions are edited, and nothing is written before the edited files were expanded.

mod bicep;
mod collect;
mod decide;
mod proof;
mod sites;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arcstr::ArcStr;

use crate::diagnostic::{Edit, rewritten};
use crate::path::normalize;
use crate::schema::{BreakingChange, PathSpan};
use crate::text::{Sources, Span};
use crate::value::Str;

pub use self::collect::Collected;
pub use self::proof::{Disproof, prove};

/// The versions that resources may move to.
#[derive(Clone, Debug, Default)]
pub struct UpgradeOptions {
    pub target: UpgradeTarget,
    /// True if a version may be a preview.
    pub takes_previews: bool,
    /// Types that are upgraded, case-insensitive; empty for all.
    pub types: Vec<String>,
    /// The last day on which a version may have been published, like `2026-08-30`. `None` for any day.
    pub until: Option<String>,
}

/// The version that a resource moves to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum UpgradeTarget {
    /// The newest version that the resource fits.
    #[default]
    Fits,
    /// The newest version, or none.
    Newest,
    /// This version, or none.
    Version(String),
}

/// Decision about a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpgradeOutcome {
    /// Everything that uses it fits a newer version.
    Safe,
    /// There is a newer version, but not all that uses it fits.
    Stays,
    /// There is no newer version.
    Current,
    /// Nothing is known about it, or it cannot be edited.
    Skipped,
}

/// A version in a file, with the resources of one type that use it.
#[derive(Clone, Debug)]
pub struct VersionUpgrade {
    pub type_name: Str,
    /// Name of the first resource. `None` for one that is only read, whose name is not known.
    pub name: Option<Str>,
    /// Number of resources with different names.
    pub resources: usize,
    pub from: String,
    /// The version to move to. For an outcome other than [`UpgradeOutcome::Safe`], the version that was tried.
    pub to: Option<String>,
    pub outcome: UpgradeOutcome,
    /// The newest stable version that the resources fit, whatever the options ask for.
    pub fits: Option<String>,
    /// Differences that the version `to` refuses.
    pub breaking: Vec<BreakingChange>,
    /// Properties that are read-only in the version `to`.
    pub ignored: Vec<PathSpan>,
    /// Values that are known only after a deployment, and that the version `to` may refuse.
    pub unseen: Vec<PathSpan>,
    /// Reason of an outcome that the types do not explain.
    pub reason: Option<String>,
    /// The text of the version, or of what it is computed from if it cannot be edited.
    pub place: Span,
}

/// The versions of all deployments, by the places of their texts.
#[derive(Debug, Default)]
pub struct UpgradePlan {
    pub upgrades: Vec<VersionUpgrade>,
    /// Edits of the safe ones by the names of their files, in the order of the text.
    pub(in crate::engine) edits: BTreeMap<Arc<str>, Vec<Edit>>,
    /// Versions that are replaced, with the new ones.
    moved: Vec<(String, String)>,
}

impl UpgradePlan {
    /// Returns the number of versions with an outcome.
    pub fn count(&self, outcome: UpgradeOutcome) -> usize {
        self.upgrades.iter().filter(|upgrade| upgrade.outcome == outcome).count()
    }

    /// Skips all versions that would be edited, for a reason that concerns all of them.
    pub fn refuse(&mut self, reason: &str) {
        self.edits.clear();
        for upgrade in self.upgrades.iter_mut().filter(|upgrade| upgrade.outcome == UpgradeOutcome::Safe) {
            upgrade.outcome = UpgradeOutcome::Skipped;
            upgrade.reason = Some(reason.to_owned());
        }
    }

    /// Returns the texts of the files with all edits, by absolute path.
    pub fn edited(&self, working: &std::path::Path, sources: &Sources) -> BTreeMap<PathBuf, ArcStr> {
        let texts = self.edits.iter().filter_map(|(name, edits)| {
            let file = edits.first()?.span.file;
            let edits: Vec<&Edit> = edits.iter().collect();
            let text = rewritten(sources.get(file).text(), 0, &edits)?;
            Some((normalize(working, std::path::Path::new(&**name)), ArcStr::from(text)))
        });
        texts.collect()
    }
}
