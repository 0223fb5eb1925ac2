//! Assignments, which put a definition or an initiative in force at a scope.

use crate::documents::{Arguments, ResourceSelector, Selector, name, optional_text, properties, text, texts};
use crate::ids::has_placeholder;
use crate::problem::Problem;
use crate::text::Span;
use crate::value::{Str, Value};

/// An assignment of a definition or an initiative.
#[derive(Debug)]
pub struct Assignment {
    /// Resource ID; empty if the file has none.
    pub id: Str,
    /// Name, which is the last segment of the ID; empty if the file has none.
    pub name: Str,
    /// Title in the portal, `displayName`. `None` if the file has none.
    pub display_name: Option<Str>,
    /// ID of the scope to which it applies, including everything below. `None` if the file has none.
    pub scope: Option<Str>,
    /// IDs of excluded scopes, including everything below.
    pub not_scopes: Vec<Str>,
    /// ID of the assigned definition or initiative.
    pub definition: Str,
    /// Selected version, such as `2.*.*`.
    pub version: Option<Str>,
    /// Arguments for the parameters of the definition or initiative.
    pub arguments: Arguments,
    /// Enforcement mode.
    pub enforcement: Enforcement,
    /// Selectors of resources, of which one has to match. Without any, all resources are selected.
    pub resource_selectors: Vec<ResourceSelector>,
    /// Other effects or versions for some resources or definitions. The first match counts.
    pub overrides: Vec<Override>,
    /// Messages for people whose requests are denied.
    pub messages: Vec<Message>,
    /// True if arguments for parameters that are not declared are ignored, and not refused.
    pub ignores_undeclared: bool,
    /// Reason for which it is not known whether it applies: a part of its scope or of its state is known only at
    /// deployment. `None` if nothing is unknown.
    pub doubt: Option<Str>,
    /// Span in the file.
    pub span: Option<Span>,
    /// Errors for which Azure would reject it.
    pub problems: Vec<Problem>,
}

/// Enforcement mode of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// Requests are denied and changed: `Default`, also if the file has no mode.
    Default,
    /// Compliance is evaluated, without effects.
    DoNotEnforce,
    /// Requests are denied and changed for enrolled scopes.
    Enroll,
}

/// Another effect or version for some resources or definitions of an assignment.
#[derive(Debug)]
pub struct Override {
    /// Replaced property: `kind` in the file, such as `policyEffect`.
    pub kind: OverrideKind,
    /// New value.
    pub value: Str,
    /// Conditions of the override.
    pub selectors: Vec<Selector>,
}

/// Property that an [`Override`] replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverrideKind {
    /// Effect of the definition: `policyEffect`.
    Effect,
    /// Version of the definition.
    Version,
}

/// A message of an assignment for people whose requests do not comply.
#[derive(Debug)]
pub struct Message {
    /// Text, `message` in the file; empty if there is none.
    pub text: Str,
    /// Reference of the initiative that the message is for. `None` for all others.
    pub reference: Option<Str>,
}

/// Part between the scope and the type in the ID of a policy document.
pub(crate) const PROVIDER: &str = "/providers/microsoft.authorization/";

/// Returns the scope in the ID of a policy document.
pub(super) fn scope_of_id(id: &str) -> Option<Str> {
    let at = id.to_ascii_lowercase().find(PROVIDER)?;
    id.get(..at).map(Str::from)
}

impl Assignment {
    /// Reads an assignment from the JSON of its file. Errors become its problems.
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
            ignores_undeclared: false,
            doubt: None,
            span: document.span,
            problems,
            id,
        }
    }

    /// Returns the first scope or excluded scope with a part that a deployment tool fills in, such as `${group}`.
    pub fn placeholder(&self) -> Option<&str> {
        self.scope.iter().chain(&self.not_scopes).map(|scope| &**scope).find(|scope| has_placeholder(scope))
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
