//! Why a value is what it is.

use crate::diagnostic::{Label, ResourceRef};
use crate::text::Span;

/// A value and the chain that made it.
#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    /// The resource that the value is in, where there is one.
    pub resource: Option<ResourceRef>,
    /// Path of the value in the template.
    pub path: String,
    /// The value as JSON.
    pub value: String,
    /// Where the value stands.
    pub span: Span,
    /// The texts that made it, nearest first. Their lines are shown.
    pub steps: Vec<Label>,
    /// Labelled remarks.
    pub notes: Vec<(&'static str, String)>,
}
