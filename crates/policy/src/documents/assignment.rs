//! Assignments, which put a definition or an initiative in force at a scope.

use crate::documents::{Arguments, ResourceSelector, Selector, name, optional_text, properties, text, texts};
use crate::problem::Problem;
use crate::text::Span;
use crate::value::{Str, Value};

/// An assignment of a definition or an initiative.
#[derive(Debug)]
pub struct Assignment {
    /// The resource ID; empty if the file has none.
    pub id: Str,
    /// The name, which is the last segment of the ID; empty if the file has none.
    pub name: Str,
    /// The title in the portal, `displayName`. `None` if the file has none.
    pub display_name: Option<Str>,
    /// The ID of the scope that it applies to, with everything below. `None` if the file does not say it.
    pub scope: Option<Str>,
    /// The IDs of what it does not apply to, with everything below.
    pub not_scopes: Vec<Str>,
    /// The ID of what it assigns.
    pub definition: Str,
    /// The version that it selects, such as `2.*.*`.
    pub version: Option<Str>,
    /// What it gives to the parameters of what it assigns.
    pub arguments: Arguments,
    /// Whether it blocks and changes anything.
    pub enforcement: Enforcement,
    /// The resources that it is for: those of one entry, or all if there is none.
    pub resource_selectors: Vec<ResourceSelector>,
    /// Other effects or versions for some resources or definitions, of which the first that matches counts.
    pub overrides: Vec<Override>,
    /// What people read who are denied.
    pub messages: Vec<Message>,
    /// Where it is written.
    pub span: Option<Span>,
    /// Why Azure would refuse it.
    pub problems: Vec<Problem>,
}

/// Whether an assignment blocks and changes requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// It does: `Default`, which is also meant if the file says nothing.
    Default,
    /// It is only evaluated for compliance.
    DoNotEnforce,
    /// It does where an enrollment says so.
    Enroll,
}

/// Another effect or version for some resources or definitions of an assignment.
#[derive(Debug)]
pub struct Override {
    /// What is replaced: `kind` in the file, such as `policyEffect`.
    pub kind: OverrideKind,
    /// What it is replaced with.
    pub value: Str,
    /// What has to hold for the override.
    pub selectors: Vec<Selector>,
}

/// What an [`Override`] replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverrideKind {
    /// The effect of the definition: `policyEffect`.
    Effect,
    /// The version of the definition.
    Version,
}

/// A message about what an assignment does not allow.
#[derive(Debug)]
pub struct Message {
    /// The text that people read, `message` in the file; empty if there is none.
    pub text: Str,
    /// The reference of the initiative that it is for. `None` for the others.
    pub reference: Option<Str>,
}

/// What stands between the scope and the name in the ID of a policy document.
const PROVIDER: &str = "/providers/microsoft.authorization/";

/// The scope in the ID of a policy document: what is before its own type.
pub(super) fn scope_of_id(id: &str) -> Option<Str> {
    let at = id.to_ascii_lowercase().find(PROVIDER)?;
    id.get(..at).map(Str::from)
}

impl Assignment {
    /// Reads an assignment from the JSON of its file. What is wrong with it is among its problems.
    pub fn read(document: &Value) -> Self {
        let own = properties(document);
        let id = text(document, "id");
        let mut problems = Vec::new();
        let resource_selectors = ResourceSelector::read_all(own, &mut problems);
        let overrides = own.get("overrides").and_then(Value::as_array).unwrap_or_default();
        let messages = own.get("nonComplianceMessages").and_then(Value::as_array).unwrap_or_default();
        Self {
            name: name(document),
            display_name: optional_text(own, "displayName"),
            scope: optional_text(own, "scope").or_else(|| scope_of_id(&id)),
            not_scopes: texts(own, "notScopes", &mut problems),
            definition: text(own, "policyDefinitionId"),
            version: optional_text(own, "definitionVersion"),
            arguments: Arguments::read(own),
            enforcement: Enforcement::read(own, &mut problems),
            resource_selectors,
            overrides: overrides.iter().filter_map(|entry| Override::read(entry, &mut problems)).collect(),
            messages: messages.iter().map(Message::read).collect(),
            span: document.span,
            problems,
            id,
        }
    }
}

impl Enforcement {
    fn read(properties: &Value, problems: &mut Vec<Problem>) -> Self {
        let name = text(properties, "enforcementMode");
        match name.to_ascii_lowercase().as_str() {
            "" | "default" => Self::Default,
            "donotenforce" => Self::DoNotEnforce,
            "enroll" => Self::Enroll,
            _ => {
                let message = format!("`enforcementMode` is `{name}`; expected Default, DoNotEnforce or Enroll");
                problems.push(Problem::new(properties.get("enforcementMode").and_then(|mode| mode.span), message));
                Self::Default
            }
        }
    }
}

impl Override {
    fn read(value: &Value, problems: &mut Vec<Problem>) -> Option<Self> {
        let kind = text(value, "kind");
        let known = match kind.to_ascii_lowercase().as_str() {
            "policyeffect" => OverrideKind::Effect,
            "policyversion" | "definitionversion" => OverrideKind::Version,
            _ => {
                let message = format!("an override has the kind `{kind}`; expected policyEffect or policyVersion");
                problems.push(Problem::new(value.span, message));
                return None;
            }
        };
        Some(Self { kind: known, value: text(value, "value"), selectors: Selector::read_all(value, problems) })
    }
}

impl Message {
    fn read(value: &Value) -> Self {
        Self { text: text(value, "message"), reference: optional_text(value, "policyDefinitionReferenceId") }
    }
}
