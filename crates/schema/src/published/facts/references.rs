//! To which resource a value refers.

use crate::model::{DeploymentId, Document};
use crate::value::{Data, Step, Value, Via};

/// What a value refers to that is only a reference to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::published) struct Referred<'v> {
    /// The logical ID of the resource.
    pub(in crate::published) name: &'v str,
    /// What the value is of it; empty for its ID.
    pub(in crate::published) attribute: &'v str,
    /// Through how many parameters of nested stacks the value came: the resource is in the stack that is so many levels
    /// further out.
    levels: usize,
}

impl Referred<'_> {
    /// The stack of the resource, for a value in the stack `from`.
    pub(in crate::published) fn deployment(&self, document: &Document, from: DeploymentId) -> Option<DeploymentId> {
        (0..self.levels).try_fold(from, |inner, _| {
            let nested = document.deployments.get(inner.0)?.resource?;
            Some(document.resource(nested).deployment)
        })
    }
}

/// The resource that a value refers to, if it is only a reference to one: the name `Topic` and the attribute `TopicName`.
pub(in crate::published) fn referred(value: &Value) -> Option<Referred<'_>> {
    let Data::Unknown(unknown) = &value.data else { return None };
    let inner = unknown.approximation.as_str()?.strip_prefix("${")?.strip_suffix('}')?;
    let is_one = unknown.choices.is_empty() && !inner.contains(['$', '{', '}', ':']);
    let (name, attribute) = inner.split_once('.').unwrap_or((inner, ""));
    Some(Referred { name, attribute, levels: levels(value.via.as_deref())? }).filter(|_| is_one)
}

/// How many parameters a value passed; `None` if it comes from several values.
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

/// Whether two values of one stack are certainly the same: the same string, or references to the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (referred(one), referred(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => super::text(one).is_some_and(|text| !text.is_empty() && super::text(other) == Some(text)),
        _ => false,
    }
}
