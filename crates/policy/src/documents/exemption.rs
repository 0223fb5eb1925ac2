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
    /// The resource ID; empty if the file has none.
    pub id: Str,
    /// The name, which is the last segment of the ID; empty if the file has none.
    pub name: Str,
    /// The ID of what is exempt, with everything below. `None` if the file does not say it.
    pub scope: Option<Str>,
    /// The ID of the assignment.
    pub assignment: Str,
    /// The references of the initiative from which it exempts; all if there is none.
    pub references: Vec<Str>,
    /// Why there is one: `Waiver` or `Mitigated`. `None` if the file does not say it.
    pub category: Option<Str>,
    /// What its owners say of it: `description`, or else `displayName`.
    pub description: Option<Str>,
    /// When it ends, as it is written.
    pub expires: Option<Str>,
    /// The resources that it is for: those of one entry, or all if there is none.
    pub resource_selectors: Vec<ResourceSelector>,
    /// Where it is written.
    pub span: Option<Span>,
    /// Why Azure would refuse it.
    pub problems: Vec<Problem>,
}

/// An enrollment of a scope in an assignment with the enforcement mode `Enroll`.
#[derive(Debug)]
pub struct Enrollment {
    /// The ID of the scope, with everything below. `None` if the file does not say it.
    pub scope: Option<Str>,
    /// The ID of the assignment.
    pub assignment: Str,
    /// The resources that it is for: those of one entry, or all if there is none.
    pub resource_selectors: Vec<ResourceSelector>,
    /// Where it is written.
    pub span: Option<Span>,
}

impl Exemption {
    /// Reads an exemption from the JSON of its file. What is wrong with it is among its problems.
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

    /// The last day on which it holds. `None` if it does not end, or if `expiresOn` is not a date.
    pub fn last_day(&self) -> Option<NaiveDate> {
        let end = instant_or_day(self.expires.as_deref()?)?;
        // One that ends with the beginning of a day does not hold on it.
        end.checked_sub_signed(TimeDelta::nanoseconds(1)).map(|last| last.date_naive())
    }
}

impl Enrollment {
    /// Reads an enrollment from the JSON of its file. What is wrong with it is not kept.
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
