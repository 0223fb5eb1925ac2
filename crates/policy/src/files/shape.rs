//! Tells policy documents from each other, and from everything else.

use crate::value::Value;

/// The kinds of policy documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Definition,
    Initiative,
    Assignment,
    Exemption,
    Enrollment,
}

impl Shape {
    /// What a document is. It has its members below `properties`, as in the REST API, or all in one object, as the Azure CLI
    /// prints them. `None` for anything else, such as a template that deploys policies.
    pub(super) fn of(document: &Value) -> Option<Self> {
        let kind = document.get("type").and_then(Value::as_str).unwrap_or_default();
        let shape = Self::of_type(kind);
        if shape.is_none() && kind.contains('/') || document.get("resources").is_some() {
            return None;
        }
        let own = document.get("properties").unwrap_or(document);
        let is_text = |name: &str| own.get(name).and_then(Value::as_str).is_some();
        if own.get("policyRule").is_some_and(|rule| rule.as_object().is_some()) {
            Some(Self::Definition)
        } else if own.get("policyDefinitions").and_then(Value::as_array).is_some() {
            Some(Self::Initiative)
        } else if is_text("policyDefinitionId") {
            Some(Self::Assignment)
        } else if is_text("policyAssignmentId") {
            shape.or(Some(Self::Exemption))
        } else {
            None
        }
    }

    /// What resources of a type are.
    pub(super) fn of_type(kind: &str) -> Option<Self> {
        const TYPES: [(&str, Shape); 5] = [
            ("policyDefinitions", Shape::Definition),
            ("policySetDefinitions", Shape::Initiative),
            ("policyAssignments", Shape::Assignment),
            ("policyExemptions", Shape::Exemption),
            ("policyEnrollments", Shape::Enrollment),
        ];
        let (provider, name) = kind.split_once('/')?;
        let is_known = provider.eq_ignore_ascii_case("Microsoft.Authorization");
        TYPES.iter().find(|(known, _)| is_known && known.eq_ignore_ascii_case(name)).map(|(_, shape)| *shape)
    }
}
