//! How a runtime property is told.

use crate::arm::context::PLACEHOLDER_ID;
use crate::arm::runtime::Subject;
use crate::value::{Kind, Value};

/// A runtime property of a type of resources.
#[derive(Clone, Copy)]
pub(super) struct Property {
    /// Where it is below `properties`: `primaryEndpoints.blob`.
    pub(super) path: &'static str,
    /// How it is told.
    pub(super) source: Source,
}

/// Where a runtime property comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// The same for all.
    Fixed(&'static str),
    /// A number that is the same for all.
    Number(i64),
    /// An array that is empty unless something is put in.
    Empty,
    /// A pattern in lower case: see [`Subject::fill`].
    Lower(&'static str),
    /// A pattern as it is.
    Text(&'static str),
    /// A text that Azure makes, and a pattern that it resembles.
    Like(&'static str),
    /// An id that Azure draws.
    Drawn,
    /// The id of the tenant.
    Tenant,
    /// What a function makes of the resource.
    Of(fn(&Subject<'_>) -> Option<Value>),
    /// Of this kind, and known to Azure alone: only `reference()` gives it.
    Unknown(Kind),
}

impl Property {
    /// A row of a table.
    pub(super) const fn new(path: &'static str, source: Source) -> Self {
        Self { path, source }
    }

    /// The value for a resource. `None` where there is nothing to show.
    pub(super) fn value(&self, subject: &Subject<'_>) -> Option<Value> {
        match self.source {
            Source::Fixed(text) => Some(Value::from(text)),
            Source::Number(number) => Some(Value::from(number)),
            Source::Empty => Some(Value::array(Vec::new())),
            Source::Lower(pattern) => Some(subject.text(subject.fill(pattern)?.to_lowercase())),
            Source::Text(pattern) => Some(subject.text(subject.fill(pattern)?)),
            Source::Like(pattern) => Some(subject.drawn(self.path, &subject.fill(pattern)?)),
            Source::Drawn => Some(subject.drawn(self.path, PLACEHOLDER_ID)),
            Source::Tenant => Some(subject.tenant_id()),
            Source::Of(make) => make(subject),
            Source::Unknown(_) => None,
        }
    }
}
