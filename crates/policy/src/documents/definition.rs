//! Policy definitions: rules with parameters.

use crate::documents::{Parameter, name, optional_text, properties, text};
use crate::language::{Condition, Declared, check_expressions};
use crate::problem::Problem;
use crate::text::Span;
use crate::value::{Str, Value};

/// A policy definition: a rule about resources. It does nothing until it is assigned.
#[derive(Debug)]
pub struct Definition {
    /// Resource ID; empty if the file has none.
    pub id: Str,
    /// Name, which is the last segment of the ID; empty if the file has none.
    pub name: Str,
    /// Title in the portal, `displayName`. `None` if the file has none.
    pub display_name: Option<Str>,
    /// Resources that it is about.
    pub mode: Mode,
    /// Version, `Major.Minor.Patch`, if the file has one.
    pub version: Option<Str>,
    /// Declared parameters.
    pub parameters: Vec<Parameter>,
    /// Rule. `None` for a definition without one, such as one of the type `Static`.
    pub rule: Option<Rule>,
    /// Span in the file.
    pub span: Option<Span>,
    /// Errors for which Azure would reject it. A definition with problems decides nothing.
    pub problems: Vec<Problem>,
}

/// Resources that a definition is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Resource groups, subscriptions, and all types.
    All,
    /// Types with tags and a location.
    Indexed,
    /// Resources of a service that evaluates the definition itself, such as `Microsoft.Kubernetes.Data`.
    Provider(Str),
}

/// A condition, and its effect.
#[derive(Debug)]
pub struct Rule {
    /// Condition of the effect: `if`.
    pub condition: Condition,
    /// Types of resources for which the condition can hold. `None` if it does not restrict the type.
    pub types: Option<Vec<Str>>,
    /// JSON of the condition.
    pub written: Value,
    /// `then.effect`: the name of an effect, or an expression.
    pub effect: Value,
    /// `then.details`; null if there are none.
    pub details: Value,
    /// `then.details.existenceCondition`, if there is one.
    pub existence: Option<Condition>,
}

impl Definition {
    /// Reads a definition from the JSON of its file. Errors become its problems.
    pub fn read(document: &Value) -> Self {
        let own = properties(document);
        let mut problems = Vec::new();
        let parameters = Parameter::read_all(own, &mut problems);
        let is_static = text(own, "policyType").eq_ignore_ascii_case("Static");
        let rule = own.get("policyRule").filter(|_| !is_static);
        if rule.is_none() && !is_static {
            problems.push(Problem::new(document.span, "the definition has no `policyRule`"));
        } else if let Some(rule) = rule.filter(|rule| rule.as_object().is_none()) {
            problems.push(Problem::new(rule.span.or(document.span), "`policyRule` must be an object"));
        }
        Self {
            id: text(document, "id"),
            name: name(document),
            display_name: optional_text(own, "displayName"),
            mode: Mode::of_name(&text(own, "mode")),
            version: optional_text(own, "version"),
            rule: rule.map(|rule| Rule::read(rule, &parameters, &mut problems)),
            parameters,
            span: document.span,
            problems,
        }
    }
}

impl Mode {
    fn of_name(name: &Str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "all" => Self::All,
            "" | "indexed" => Self::Indexed,
            _ => Self::Provider(name.clone()),
        }
    }
}

impl Rule {
    fn read(rule: &Value, parameters: &[Parameter], problems: &mut Vec<Problem>) -> Self {
        let part = |object: &Value, name: &str| object.get(name).cloned().unwrap_or(Value::NULL);
        let then = part(rule, "then");
        let (written, effect, details) = (part(rule, "if"), part(&then, "effect"), part(&then, "details"));
        if effect.as_str().is_none() {
            problems.push(Problem::new(rule.span, "`policyRule` has no effect; give it the member `then.effect`"));
        }
        let condition = if written.is_null() {
            problems.push(Problem::new(rule.span, "`policyRule` has no condition; give it the member `if`"));
            Condition::Invalid
        } else {
            Condition::read(&written, problems)
        };
        let existence = details.get("existenceCondition").map(|written| Condition::read(written, problems));
        let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        for part in [&written, &effect, &details] {
            check_expressions(part, Declared { parameters: &names }, problems);
        }
        Self { types: condition.types(), condition, written, effect, details, existence }
    }
}
