//! API versions that a change raises, and what the new versions refuse of the resources.

use crate::diagnostic::Severity;
use crate::diff::{Difference, ResourceChange, Risk, RiskKind};
use crate::model::Document;
use crate::schema::{self, VersionedBody};

/// Azure's documentation of API versions.
const VERSIONS: &str =
    "https://learn.microsoft.com/azure/azure-resource-manager/management/resource-providers-and-types";

/// Differences that one resource lists as risks.
const MAX_OF_RESOURCE: usize = 20;

/// Numbers of resources that have another API version, and of those that do not fit it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VersionChanges {
    pub(super) changed: usize,
    pub(super) breaking: usize,
}

/// Adds a risk for everything that a changed API version refuses of a resource, and the old one does not.
pub(super) fn add_risks(difference: &mut Difference, new: &Document) -> VersionChanges {
    let mut changes = VersionChanges::default();
    for resource in &mut difference.resources {
        let Some(risks) = risks(resource, new) else { continue };
        changes.changed += 1;
        if !risks.is_empty() {
            changes.breaking += 1;
            resource.risks.extend(risks);
            resource.risks.sort_by_key(|risk| risk.severity.number());
        }
    }
    changes
}

/// Returns the risks of a changed API version. `None` if the version is the same, or not known.
fn risks(resource: &ResourceChange, new: &Document) -> Option<Vec<Risk>> {
    let change = resource.changes.list.iter().find(|change| change.path == "apiVersion")?;
    let (from, to) = (change.old.as_ref()?.as_str()?, change.new.as_ref()?.as_str()?);
    let deployed = new.resource(resource.new.as_ref()?.at?);
    let type_name = schema::deployed_type(deployed);
    let body = VersionedBody { type_name: &type_name, body: Some(&deployed.body), span: deployed.span, reads: &[] };
    let found = schema::compare_versions(&body, from, to)?;
    let risk = |breaking: schema::BreakingChange| Risk {
        severity: Severity::High,
        kind: RiskKind::Version,
        message: format!("API version `{to}` {}", breaking.message),
        path: Some(breaking.at.path),
        source: VERSIONS,
    };
    Some(found.breaking.into_iter().take(MAX_OF_RESOURCE).map(risk).collect())
}
