//! The result of a comparison.

use crate::diagnostic::Severity;
use crate::text::Span;
use crate::value::Value;

/// Relation of a resource to its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftOutcome {
    /// A property that the template sets has another value.
    Drifted,
    /// The template declares the resource, and it does not exist.
    Missing,
    /// The resource exists, and no template declares it.
    Unmanaged,
    /// The resource of the export is not known, or whether the template deploys one.
    Uncertain,
    /// Every value that can be compared is as declared.
    Same,
}

/// Value of one side of a change.
#[derive(Clone, Debug)]
pub enum ChangeSide {
    /// The side does not have it.
    Absent,
    /// An item of a list, which only this side has.
    Present,
    Value(Value),
}

/// A difference between a template and a resource.
#[derive(Clone, Debug)]
pub struct DriftChange {
    /// Path below the resource, such as `properties.subnets[name=web].properties.addressPrefix`.
    pub path: String,
    pub template: ChangeSide,
    pub live: ChangeSide,
    /// True if neither value may be shown.
    pub is_secret: bool,
    /// High if access opened or a protection is gone, and low for tags.
    pub severity: Severity,
    /// The added item as a child of the resource, in lower case: `subnets/web`.
    pub(crate) child: Option<String>,
}

/// A resource of a template or of an export.
#[derive(Clone, Debug)]
pub struct DriftedResource {
    pub outcome: DriftOutcome,
    /// Fully qualified type.
    pub type_name: String,
    /// Full name.
    pub name: String,
    /// ID of the resource that exists, or else the one that the template declares.
    pub id: String,
    /// The text of the resource in the template. `None` if no template declares it.
    pub span: Option<Span>,
    /// Differences, by path.
    pub changes: Vec<DriftChange>,
    /// Number of differences that are not listed.
    pub more: usize,
    /// Paths that the template sets, and that the cloud does not return.
    pub unseen: Vec<String>,
    /// Paths whose values are secret, or known only after a deployment.
    pub uncompared: Vec<String>,
    /// Paths that could be set, and that the template leaves out.
    pub unset: Vec<String>,
    /// Reason of an uncertain outcome.
    pub reason: Option<String>,
    /// True if the next deployment deletes it, because it is in no template.
    pub is_doomed: bool,
}

/// Result of comparing all deployments with an export.
#[derive(Clone, Debug, Default)]
pub struct Drift {
    /// The resources of the templates, followed by those of the export that are in no template.
    pub resources: Vec<DriftedResource>,
}

impl Drift {
    /// Counts the resources with an outcome.
    pub fn count(&self, outcome: DriftOutcome) -> usize {
        self.resources.iter().filter(|resource| resource.outcome == outcome).count()
    }
}
