//! Explanations of values by `explain`.

use crate::diagnostic::ResourceRef;
use crate::model::{Label, Place};

/// A value and the steps that produced it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Resource of the value, if it is in one.
    pub resource: Option<ResourceRef>,
    /// Path of the value in the template.
    pub path: String,
    /// The value as JSON.
    pub value: String,
    /// Source text of the value.
    pub place: Place,
    /// Steps that led to it, nearest first. Their lines are shown.
    pub steps: Vec<Label>,
    /// Notes with a label each, such as `note`.
    pub notes: Vec<(&'static str, String)>,
}
