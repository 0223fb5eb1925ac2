//! Exemptions from assignments, and enrollments in them.

use chrono::{NaiveDate, TimeDelta};

use crate::dates::instant_or_day;
use crate::documents::assignment::scope_of_id;
use crate::documents::{ResourceSelector, checked_text, name, optional_text, properties, text, texts};
use crate::problem::{Consequence, Problem};
use crate::text::Span;
use crate::value::{Str, Value};

/// An exemption of a scope from an assignment.
#[derive(Debug)]
pub struct Exemption {
    /// Resource ID; empty if the file has none.
    pub id: Str,
    /// Name, which is the last segment of the ID; empty if the file has none.
    pub name: Str,
    /// ID of the exempt scope, including everything below. `None` if the file has none.
    pub scope: Option<Str>,
    /// ID of the assignment.
    pub assignment: Str,
    /// References of the initiative from which it exempts; empty for all.
    pub references: Vec<Str>,
    /// Category: `Waiver` or `Mitigated`. `None` if the file has none.
    pub category: Option<Str>,
    /// Reason: `description`, or else `displayName`.
    pub description: Option<Str>,
    /// Time at which it ends, as written.
    pub expires: Option<Str>,
    /// Selectors of resources, of which one has to match. Without any, all resources are selected.
    pub resource_selectors: Vec<ResourceSelector>,
    /// Span in the file.
    pub span: Option<Span>,
    /// Errors for which Azure would reject it.
    pub problems: Vec<Problem>,
}

/// An enrollment of a scope in an assignment with the enforcement mode `Enroll`.
#[derive(Debug)]
pub struct Enrollment {
    /// ID of the scope, including everything below. `None` if the file has none.
    pub scope: Option<Str>,
    /// ID of the assignment.
    pub assignment: Str,
    /// Selectors of resources, of which one has to match. Without any, all resources are selected.
    pub resource_selectors: Vec<ResourceSelector>,
    /// Span in the file.
    pub span: Option<Span>,
}

impl Exemption {
    /// Reads an exemption from the JSON of its file. Errors become its problems.
    pub fn read(document: &Value) -> Self {
        let own = properties(document);
        let id = text(document, "id");
        let mut problems = Vec::new();
        let assignment = text(own, "policyAssignmentId");
        if assignment.is_empty() {
            problems.push(Problem::new(document.span, "it has no `policyAssignmentId`"));
        }
        let mut this = Self {
            name: name(document),
            scope: checked_text(own, "scope", &mut problems).or_else(|| scope_of_id(&id)),
            assignment,
            references: texts(own, "policyDefinitionReferenceIds", &mut problems),
            category: optional_text(own, "exemptionCategory"),
            description: optional_text(own, "description").or_else(|| optional_text(own, "displayName")),
            expires: checked_text(own, "expiresOn", &mut problems),
            resource_selectors: ResourceSelector::read_all(own, &mut problems),
            span: document.span,
            problems: Vec::new(),
            id,
        };
        for Problem { span, message, .. } in problems {
            let message = format!("the exemption `{}` exempts nothing: {message}", this.name);
            let problem = Problem::new(span.or(document.span), message);
            this.problems.push(problem.with(Consequence::LeftOut));
        }
        this
    }

    /// Returns the last day on which it is valid. `None` if it does not end, or if `expiresOn` is not a date.
    pub fn last_day(&self) -> Option<NaiveDate> {
        let end = instant_or_day(self.expires.as_deref()?)?;
        // One that ends with the beginning of a day does not hold on it.
        end.checked_sub_signed(TimeDelta::nanoseconds(1)).map(|last| last.date_naive())
    }
}

impl Enrollment {
    /// Reads an enrollment from the JSON of its file. Errors are ignored.
    pub fn read(document: &Value) -> Self {
        let own = properties(document);
        Self {
            scope: optional_text(own, "scope").or_else(|| scope_of_id(&text(document, "id"))),
            assignment: text(own, "policyAssignmentId"),
            resource_selectors: ResourceSelector::read_all(own, &mut Vec::new()),
            span: document.span,
        }
    }
}
