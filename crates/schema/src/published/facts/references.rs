//! Resources that values refer to.

use crate::model::{DeploymentId, Document};
use crate::value::{Data, Step, Value, Via};

/// Target of a value that is nothing but a reference to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::published) struct Referred<'v> {
    /// Logical ID of the resource.
    pub(in crate::published) name: &'v str,
    /// Referenced attribute; empty for `Ref`.
    pub(in crate::published) attribute: &'v str,
    /// Parameters of nested stacks that the value passed through: the resource is in the stack that many levels further
    /// out.
    levels: usize,
}

impl Referred<'_> {
    /// Returns the stack of the resource, for a value in the stack `from`.
    pub(in crate::published) fn deployment(&self, document: &Document, from: DeploymentId) -> Option<DeploymentId> {
        (0..self.levels).try_fold(from, |inner, _| {
            let nested = document.deployments.get(inner.0)?.resource?;
            Some(document.resource(nested).deployment)
        })
    }
}

/// Returns the target of a value that is nothing but a reference: the name `Topic` and the attribute `TopicName` of
/// `${Topic.TopicName}`.
pub(in crate::published) fn referred(value: &Value) -> Option<Referred<'_>> {
    let Data::Unknown(unknown) = &value.data else { return None };
    let inner = unknown.approximation.as_str()?.strip_prefix("${")?.strip_suffix('}')?;
    let is_one = unknown.choices.is_empty() && !inner.contains(['$', '{', '}', ':']);
    let (name, attribute) = inner.split_once('.').unwrap_or((inner, ""));
    Some(Referred { name, attribute, levels: levels(value.via.as_deref())? }).filter(|_| is_one)
}

/// Counts the parameters that a value passed through. `None` if the value comes from several values.
fn levels(via: Option<&Via>) -> Option<usize> {
    let mut count = 0;
    let mut next = via;
    while let Some(via) = next {
        count += usize::from(matches!(via.step, Step::Parameter(_)));
        next = match &*via.earlier {
            [] => None,
            [earlier] => Some(&**earlier),
            _ => return None,
        };
    }
    Some(count)
}

/// True if two values of one stack are certainly equal: the same string, or references to the same attribute.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (referred(one), referred(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => super::text(one).is_some_and(|text| !text.is_empty() && super::text(other) == Some(text)),
        _ => false,
    }
}
