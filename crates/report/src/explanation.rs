//! What `explain` shows of a value.

use crate::diagnostic::ResourceRef;
use crate::model::{Label, Place};

/// A value and the steps that produced it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The resource that the value is in, where there is one.
    pub resource: Option<ResourceRef>,
    /// Path of the value in the template.
    pub path: String,
    /// The value as JSON.
    pub value: String,
    /// The source text of the value.
    pub place: Place,
    /// The steps that led to it, nearest first. Their lines are shown.
    pub steps: Vec<Label>,
    /// Remarks with a label each, such as `note`.
    pub notes: Vec<(&'static str, String)>,
}
