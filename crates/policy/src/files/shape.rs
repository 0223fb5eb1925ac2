//! Shapes of policy documents.

use crate::value::Value;

/// Kind of a policy document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Definition,
    Initiative,
    Assignment,
    Exemption,
    Enrollment,
}

impl Shape {
    /// Returns the kind of a document, whose members are below `properties`, as in the REST API, or in one object, as
    /// the Azure CLI prints them. `None` for anything else, such as a template that deploys policies.
    pub(super) fn recognize(document: &Value) -> Option<Self> {
        let kind = document.get("type").and_then(Value::as_str).unwrap_or_default();
        let shape = Self::of_type(kind);
        if shape.is_none() && kind.contains('/') || document.get("resources").is_some() {
            return None;
        }
        let own = document.get("properties").unwrap_or(document);
        let is_text = |name: &str| own.get(name).and_then(Value::as_str).is_some();
        let has_rule = own.get("policyRule").is_some_and(|rule| !rule.is_null());
        if has_rule || (shape.is_none() && has_rule_of_another_name(own)) {
            Some(Self::Definition)
        } else if own.get("policyDefinitions").and_then(Value::as_array).is_some() {
            Some(Self::Initiative)
        } else if is_text("policyDefinitionId") {
            Some(Self::Assignment)
        } else if is_text("policyAssignmentId") {
            shape.or(Some(Self::Exemption))
        } else {
            // Its type says what it is meant as, and reading it says what is missing.
            shape
        }
    }

    /// Returns the kind of resources of a type.
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

/// True if a value is a reference of an initiative to a definition. Assignments in a list have an ID, a name, or a scope.
pub(super) fn is_reference(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("policyDefinitionId") && !["id", "name", "type", "scope"].iter().any(|name| has(name))
}

/// True if a member is the rule of a policy under another name, such as `polcyRule`: a condition with an effect.
fn has_rule_of_another_name(own: &Value) -> bool {
    let is_rule =
        |value: &Value| value.get("if").is_some() && value.get("then").is_some_and(|then| then.get("effect").is_some());
    own.as_object().is_some_and(|object| object.iter().any(|member| is_rule(&member.value)))
}
