//! Warns of likely mistakes in a definition: unknown names, unused parameters, and effects that do not fit. Errors for
//! which Azure would reject it are among the problems of the definition instead.

use std::collections::BTreeSet;

use crate::aliases;
use crate::documents::{Definition, Mode, Parameter};
use crate::judge::Effect;
use crate::problem::Problem;
use crate::text::{Span, Suggestions, did_you_mean};
use crate::value::{Data, Member, Value};

/// Fields that every resource has: those in the documentation, and the last one, which built-in definitions use.
const FIELDS: &[&str] =
    &["name", "fullName", "kind", "type", "id", "location", "tags", "identity.type", "identity.userAssignedIdentities"];

/// Beginning of every call of `parameters`.
const PARAMETERS: &str = "parameters(";

/// Returns the likely mistakes in a definition, in the order of its text.
pub fn lint(definition: &Definition, suggestions: &Suggestions) -> Vec<Problem> {
    let Some(rule) = &definition.rule else { return Vec::new() };
    let mut linter = Linter { definition, suggestions, used: BTreeSet::new(), problems: Vec::new() };
    linter.walk(&rule.written);
    linter.string(&rule.effect);
    linter.walk(&rule.details);
    linter.unused();
    linter.effects(&rule.effect);
    linter.problems
}

/// Returns the problem that a definition has an effect that does not exist. Services have effects of their own.
pub(crate) fn unknown_effect(definition: &Definition) -> Option<Problem> {
    let effect = &definition.rule.as_ref()?.effect;
    let own = match parameter_of(definition, effect) {
        // Another default may be given.
        Some(parameter) => parameter.default.as_ref()?,
        None => effect,
    };
    let name = own.as_str().filter(|name| !name.starts_with('['))?;
    let is_wrong = !matches!(definition.mode, Mode::Provider(_)) && Effect::of_name(name).is_none();
    is_wrong.then(|| Problem::new(own.span.or(definition.span), no_effect(name, &did_you_mean(name, Effect::names()))))
}

fn no_effect(name: &str, hint: &str) -> String {
    format!("there is no effect `{name}`{hint}")
}

/// Returns the parameter that an expression is, if it is nothing else.
fn parameter_of<'d>(definition: &'d Definition, effect: &Value) -> Option<&'d Parameter> {
    let text = effect.as_str().filter(|text| text.starts_with('['))?;
    let name = parameters_in(text).next().filter(|name| text.len() == name.len() + "[parameters('')]".len())?;
    definition.parameters.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}

struct Linter<'a> {
    definition: &'a Definition,
    suggestions: &'a Suggestions,
    /// Names of the used parameters, in lower case.
    used: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl Linter<'_> {
    fn problem(&mut self, span: Option<Span>, message: String) {
        self.problems.push(Problem::new(span.or(self.definition.span), message));
    }

    fn walk(&mut self, value: &Value) {
        match &value.data {
            Data::Object(object) => object.iter().for_each(|member| self.member(member)),
            Data::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Data::String(_) => self.string(value),
            _ => {}
        }
    }

    fn member(&mut self, member: &Member) {
        // The template that a definition deploys has parameters of its own.
        if member.key.eq_ignore_ascii_case("template") {
            return;
        }
        if member.key.eq_ignore_ascii_case("field") {
            self.field(&member.value);
        }
        self.walk(&member.value);
    }

    /// Warns of a field name that no resource has.
    fn field(&mut self, value: &Value) {
        let Some(name) = value.as_str().filter(|name| !name.starts_with('[')) else { return };
        let lower = name.to_ascii_lowercase();
        let is_tag = lower.starts_with("tags[") || lower.starts_with("tags.");
        if is_tag || FIELDS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return;
        }
        if !name.contains('/') {
            let hint = self.suggestions.did_you_mean(name, FIELDS.iter().copied());
            return self.problem(value.span, format!("`{name}` is neither a field nor an alias{hint}"));
        }
        if !aliases::is_of_some_type(name) {
            let type_name = name.rsplit_once('/').map_or(name, |(type_name, _)| type_name);
            let known = aliases::of_type(type_name);
            let hint = self.suggestions.did_you_mean(name, known.iter().map(String::as_str));
            self.problem(value.span, format!("no resource type is known to have the alias `{name}`{hint}"));
        }
    }

    /// Records the parameters that an expression uses.
    fn string(&mut self, value: &Value) {
        let Some(text) = value.as_str().filter(|text| text.starts_with('[') && !text.starts_with("[[")) else { return };
        self.used.extend(parameters_in(text).map(str::to_ascii_lowercase));
    }

    fn unused(&mut self) {
        for parameter in &self.definition.parameters {
            if !self.used.contains(&parameter.name.to_ascii_lowercase()) {
                self.problem(parameter.span, format!("parameter `{}` is never used", parameter.name));
            }
        }
    }

    /// Warns of effects that no definition of this mode can have.
    fn effects(&mut self, effect: &Value) {
        let Some(parameter) = parameter_of(self.definition, effect) else { return self.effect(effect) };
        let allowed = parameter.allowed.as_ref().and_then(Value::as_array).unwrap_or_default();
        let default = parameter.default.iter().filter(|_| allowed.is_empty());
        allowed.iter().chain(default).for_each(|value| self.effect(value));
    }

    fn effect(&mut self, value: &Value) {
        let Some(name) = value.as_str().filter(|name| !name.starts_with('[')) else { return };
        let is_of_service = matches!(self.definition.mode, Mode::Provider(_));
        let is_told =
            || self.definition.problems.iter().any(|problem| problem.span.is_some() && problem.span == value.span);
        let message = match Effect::of_name(name) {
            None if is_told() => return,
            None => no_effect(name, &self.suggestions.did_you_mean(name, Effect::names())),
            Some(Effect::Mutate | Effect::AddToNetworkGroup) if !is_of_service => {
                format!("the effect `{name}` is only for the modes of services, such as `Microsoft.Kubernetes.Data`")
            }
            Some(_) => return,
        };
        self.problem(value.span, message);
    }
}

/// Returns the names in the calls `parameters('NAME')` of an expression.
fn parameters_in(text: &str) -> impl Iterator<Item = &str> {
    let lower = text.to_ascii_lowercase();
    let starts: Vec<usize> = lower.match_indices(PARAMETERS).map(|(at, call)| at + call.len()).collect();
    starts.into_iter().filter_map(move |start| {
        let rest = text.get(start..)?.trim_start().strip_prefix('\'')?;
        rest.split_once('\'').map(|(name, _)| name)
    })
}

#[cfg(test)]
#[cfg(feature = "types")]
mod tests {
    use super::*;

    fn check(definition: &str, expected: &[&str]) {
        let value = formwork_syntax::json::parse_computed(&definition.into(), 100).unwrap();
        let problems = lint(&Definition::read(&value), &Suggestions::default());
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, expected, "{definition}");
    }

    #[test]
    fn names_that_nothing_has_are_reported() {
        check(
            r#"{"policyRule": {"if": {"allOf": [{"field": "tpye", "equals": "x"}, {"field": "tags[a]", "exists": true},
                {"field": "Microsoft.Storage/storageAccounts/supportsHttpsTraficOnly", "equals": "[parameters('vlaue')]"}]},
                "then": {"effect": "denny"}},
                "parameters": {"value": {"type": "String"}}}"#,
            &[
                "`tpye` is neither a field nor an alias, did you mean `type`?",
                "no resource type is known to have the alias `Microsoft.Storage/storageAccounts/supportsHttpsTraficOnly`, \
                 did you mean `Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly`?",
                "parameter `value` is never used",
                "there is no effect `denny`, did you mean `deny`?",
            ],
        );
    }

    #[test]
    fn the_effects_of_a_parameter_are_checked_where_they_are_allowed() {
        check(
            r#"{"policyRule": {"if": {"field": "type", "equals": "x"}, "then": {"effect": "[parameters('effect')]"}},
                "parameters": {"effect": {"type": "String", "allowedValues": ["Audit", "Mutate"]}}}"#,
            &["the effect `Mutate` is only for the modes of services, such as `Microsoft.Kubernetes.Data`"],
        );
    }

    #[test]
    fn templates_have_parameters_of_their_own() {
        check(
            r#"{"policyRule": {"if": {"field": "type", "equals": "x"}, "then": {"effect": "deployIfNotExists", "details":
                {"deployment": {"properties": {"parameters": {"a": {"value": "[parameters('used')]"}},
                "template": {"x": "[parameters('own')]"}}}}}}, "parameters": {"used": {"type": "String"}}}"#,
            &[],
        );
    }
}
