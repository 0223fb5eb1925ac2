//! Parameter files: the values that they and the command line give to the parameters of a root template.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/parameter-files>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod format;

use std::rc::Rc;

use crate::diagnostic::common_checks::SECRET_GIVEN;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::eval::{Evaluator, Frames, Given, TemplateLevel, World, has_placeholder, settled};
use crate::model::{Issue, join_key};
use crate::scope::DeploymentScope;
use crate::text::placeholders;
use crate::types::Types;
use crate::value::{Data, Member, Str, Value};

pub use self::format::parameter_file_problems;

/// The values that the parameters of a root template are deployed with.
#[derive(Debug)]
pub(super) struct GivenParameters<'a> {
    file: Option<&'a Value>,
    overrides: &'a [(Str, Value)],
    evaluator: Evaluator<'a>,
}

/// Reads a parameter file. `overrides` take precedence over it, the last one first. Entries without a value are
/// ignored; [`parameter_file_problems`] reports them.
pub(super) fn read_parameter_file<'a>(
    file: Option<&'a Value>,
    overrides: &'a [(Str, Value)],
    scope: &DeploymentScope,
    world: &'a World<'a>,
) -> GivenParameters<'a> {
    // Expressions in a parameter file see functions and external inputs, but nothing of the template.
    let level =
        TemplateLevel { parameter_file: file.cloned().unwrap_or(Value::NULL), ..TemplateLevel::bare(scope.clone()) };
    let evaluator = Evaluator::new(world, Rc::new(level), 0);
    GivenParameters { file, overrides, evaluator }
}

fn entries(file: Option<&Value>) -> impl Iterator<Item = &Member> {
    file.and_then(|file| file.get("parameters")).and_then(Value::as_object).into_iter().flatten()
}

impl GivenParameters<'_> {
    /// Returns the value of a parameter. A `value` is literal, even if it looks like an expression. `None` if neither
    /// the overrides nor the file have one.
    pub(super) fn get(&self, name: &str) -> Option<Given> {
        let set = self.overrides.iter().rev().find(|(found, _)| found.eq_ignore_ascii_case(name));
        if let Some((_, value)) = set {
            return Some(Given::Value(value.clone()));
        }
        let entry = self.file?.get("parameters")?.get(name)?;
        if let Some(value) = entry.get("value") {
            let is_placeholder = has_placeholder(value);
            return Some(if is_placeholder { Given::Placeholder(value.clone()) } else { Given::Value(settled(value)) });
        }
        if let Some(reference) = entry.get("reference") {
            return Some(Given::KeyVault(reference.clone()));
        }
        entry.get("expression").map(|expression| Given::Value(self.evaluator.expand(expression, &Frames::None)))
    }

    /// Returns the evaluated `extensionConfigs` of the file. `null` if it has none.
    pub(super) fn extension_configs(&self) -> Value {
        let configs = self.evaluator.level.parameter_file.get("extensionConfigs");
        configs.map_or(Value::NULL, |configs| self.evaluator.expand(configs, &Frames::None))
    }

    /// Returns the entries of the file, which `deployment().properties.parameters` returns.
    pub(super) fn as_arguments(&self) -> Value {
        Value::object(entries(self.file).cloned().collect())
    }

    /// Reports values for parameters that the template does not declare. Resource Manager rejects them, but the Azure
    /// Developer CLI passes only those that are declared. Reference: `ensureParameters` in
    /// <https://github.com/Azure/azure-dev/blob/main/cli/azd/pkg/infra/provisioning/bicep/bicep_provider.go>.
    pub(super) fn report_undeclared(&self, declared: &Value, world: &World<'_>) {
        let is_of_azd = entries(self.file).any(|member| member.value.get("value").is_some_and(is_azd_variable));
        for member in entries(self.file) {
            if declared.get(&member.key).is_some() {
                continue;
            }
            let Some(span) = member.key_span else { continue };
            let message = format!("the template declares no parameter `{}`", member.key);
            let names = declared.as_object().into_iter().flatten().map(|parameter| &*parameter.key);
            let diagnostic = if is_of_azd {
                let message = format!("{message}, so the Azure Developer CLI ignores the value");
                Diagnostic::new(Code::ParameterUndefined, span, message).with_level(Level::Note)
            } else {
                Diagnostic::new(Code::ParameterUndefined, span, message)
            };
            world.report(match world.suggestions.nearest(&member.key, names) {
                Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        }
    }

    /// Reports the values of parameters with a secure type that are written in the file.
    pub(super) fn report_secrets(&self, declared: &Value, types: &Types, world: &World<'_>) {
        for member in entries(self.file) {
            let (Some(declaration), Some(value)) = (declared.get(&member.key), member.value.get("value")) else {
                continue;
            };
            let Some(span) = value.span.filter(|_| shows_text(value) && types.declared_type(declaration).is_secure)
            else {
                continue;
            };
            let message = format!("the parameter file sets the secure parameter `{}`", member.key);
            let path = join_key("parameters", &member.key);
            world.issue(Issue { is_pedantic: true, ..Issue::new(SECRET_GIVEN, path, span, message) });
        }
    }

    /// Reports parameters that have neither a default nor a value in the parameter file. Nothing is missing without a
    /// parameter file, because the values are not known yet then.
    pub(super) fn report_missing(&self, declared: &Value, world: &World<'_>) {
        let Some(file) = self.file else { return };
        let entries = file.as_object().and_then(|file| file.member("parameters"));
        let in_file = entries.and_then(|member| member.key_span).or(file.span);
        for member in declared.as_object().into_iter().flatten() {
            // The target of a `$ref` may be nullable.
            let is_optional = ["defaultValue", "nullable", "$ref"].iter().any(|key| member.value.get(key).is_some());
            let configured = world.context.parameter_defaults.get(&member.key).is_some();
            let Some(span) = member.key_span.filter(|_| !is_optional && !configured) else { continue };
            let given = file.get("parameters").and_then(|parameters| parameters.get(&member.key));
            if given.is_none() && self.get(&member.key).is_none() {
                let message =
                    format!("parameter `{}` has no default, and the parameter file does not set it", member.key);
                let help = "if its value is passed at deployment, add a placeholder to `AZURE_PARAMETER_DEFAULTS`";
                let missing = Diagnostic::new(Code::ParameterMissing, span, message).with_help(help);
                world.report(match in_file {
                    Some(span) => missing.with_label(span, "this file does not set it"),
                    None => missing,
                });
            }
        }
    }
}

/// Returns `true` if `value` refers to an environment variable in the syntax of the Azure Developer CLI: `${NAME}`.
fn is_azd_variable(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    placeholders(text).iter().any(|found| {
        text.get(found.range.clone()).is_some_and(|found| found.starts_with("${") && !found.starts_with("${{"))
    })
}

/// Returns `true` if `value` contains text that is deployed unchanged. The limit on nesting bounds the recursion.
fn shows_text(value: &Value) -> bool {
    match &value.data {
        Data::String(text) => !text.is_empty() && !has_placeholder(value),
        Data::Array(items) => items.iter().any(shows_text),
        Data::Object(object) => object.iter().any(|member| shows_text(&member.value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use crate::context::Context;
    use crate::expand::{Request, expand};
    use crate::model::{Budget, Limits, Offline};
    use crate::syntax::json;
    use crate::text::Sources;

    /// Returns the output `o` of a template with one parameter `p`, and the messages of all diagnostics.
    fn outcome(declaration: &str, file: Option<&str>, config: &str) -> (String, Vec<String>) {
        let sources = Sources::new();
        let read = |text: String| {
            let text: ArcStr = text.into();
            let file = sources.add("file", text.clone());
            (file, json::parse(file, &text, 256).value.unwrap())
        };
        let (main, template) = read(format!(
            r#"{{"languageVersion": "2.0", "parameters": {{"p": {declaration}}}, "resources": {{}},
            "outputs": {{"o": {{"type": "string", "value": "[parameters('p')]"}}}}}}"#
        ));
        let file = file.map(|text| read(text.to_owned()));
        let context = Context::from_config(&read(config.to_owned()).1);
        let expansion = expand(&Request {
            file: main,
            template: &template,
            parameters: file.as_ref().map(|(id, value)| (*id, value)),
            overrides: &[],
            context: &context,
            budget: &Budget::new(&Limits::default()),
            states: true,
            explores: false,
            has_unknowns: false,
            loader: &Offline,
        });
        let document = expansion.document.unwrap();
        let value = document.deployments[0].outputs.get("o").unwrap().get("value").unwrap();
        let unknown = value.first_unknown().map(|unknown| format!("unknown: {}", unknown.why));
        let messages = expansion.diagnostics.into_iter().map(|diagnostic| diagnostic.message);
        (unknown.unwrap_or_else(|| value.to_json()), messages.collect())
    }

    #[track_caller]
    fn check(declaration: &str, file: &str, config: &str, expected: &str) {
        assert_eq!(outcome(declaration, Some(file), config), (expected.to_owned(), Vec::new()));
    }

    #[test]
    fn the_file_overrides_the_default_and_that_the_configuration() {
        let config = r#"{"AZURE_PARAMETER_DEFAULTS": {"P": "configured"}}"#;
        let with_default = r#"{"type": "string", "defaultValue": "default"}"#;
        check(with_default, r#"{"parameters": {"p": {"value": "file"}}}"#, config, r#""file""#);
        check(with_default, r#"{"parameters": {"p": {"value": null}}}"#, config, r#""default""#);
        check(with_default, "{}", config, r#""default""#);
        check(r#"{"type": "string"}"#, "{}", config, r#""configured""#);
        check(r#"{"type": "string", "nullable": true}"#, "{}", config, r#""configured""#);
        check(r#"{"type": "string", "nullable": true}"#, "{}", "{}", "null");
    }

    #[test]
    fn a_placeholder_in_a_file_is_a_value_that_is_not_known_yet() {
        let file = |value: &str| format!(r#"{{"parameters": {{"p": {{"value": {value}}}}}}}"#);
        let string = r#"{"type": "string", "maxLength": 5, "defaultValue": "x"}"#;
        let unknown = "unknown: the value of parameter `p` has the placeholder `GEN-UNIQUE`";
        check(string, &file(r#""GEN-UNIQUE""#), "{}", unknown);
        check(r#"{"type": "array"}"#, &file(r#""GEN-UNIQUE""#), "{}", unknown);
        check(string, &file(r#""GENERAL""#), "{}", r#""GENERAL""#);
        let inner = "unknown: the parameter file has the placeholder `#{name}#`";
        check(r#"{"type": "object"}"#, &file(r##"{"a": ["b", "#{name}#"]}"##), "{}", inner);
        let part = "unknown: the value of parameter `p` has the placeholder `${NAME}`";
        check(r#"{"type": "string", "maxLength": 5}"#, &file(r#""rg-${NAME}-longer""#), "{}", part);
    }

    #[test]
    fn the_default_of_a_placeholder_has_the_declared_type() {
        let file = |value: &str| format!(r#"{{"parameters": {{"p": {{"value": {value}}}}}}}"#);
        check(r#"{"type": "string"}"#, &file(r#""v${MAJOR=1}.${MINOR=2}""#), "{}", r#""v1.2""#);
        check(r#"{"type": "bool"}"#, &file(r#""${USE_IT=False}""#), "{}", "false");
        check(r#"{"type": "int"}"#, &file(r#""${COUNT=3}""#), "{}", "3");
        check(r#"{"type": "array"}"#, &file(r#""${NAMES=[1, 2]}""#), "{}", "[1,2]");
        // A value that cannot be converted is not passed.
        check(r#"{"type": "bool", "defaultValue": true}"#, &file(r#""${USE_IT=}""#), "{}", "true");
        check(r#"{"type": "int"}"#, &file(r#""${COUNT=many}""#), "{}", "unknown: parameter `p` has no value");
        check(r#"{"type": "string"}"#, &file(r#""${NAME=}""#), "{}", "unknown: parameter `p` has no value");
        check(r#"{"type": "string", "defaultValue": "x"}"#, &file(r#""${NAME=}""#), "{}", r#""""#);
        check(r#"{"type": "object"}"#, &file(r#"{"a": "${A=b}"}"#), "{}", r#"{"a":"b"}"#);
    }

    #[test]
    fn a_default_value_may_have_a_placeholder_too() {
        let unknown = "unknown: the value of parameter `p` has the placeholder `#_namePrefix_#`";
        check(r##"{"type": "string", "maxLength": 4, "defaultValue": "#_namePrefix_#"}"##, "{}", "{}", unknown);
        check(r#"{"type": "string", "defaultValue": "a-#_namePrefix_#-b"}"#, "{}", "{}", unknown);
    }

    #[test]
    fn a_configured_default_of_another_type_is_ignored() {
        let config = r#"{"AZURE_PARAMETER_DEFAULTS": {"p": {"x": 1}}}"#;
        check(r#"{"type": "int"}"#, "{}", config, "unknown: parameter `p` has no value");
        check(r#"{"type": "object"}"#, "{}", config, r#"{"x":1}"#);
        check(r#"{"type": "int"}"#, "{}", r#"{"AZURE_PARAMETER_DEFAULTS": {"p": "12"}}"#, "12");
    }

    #[test]
    fn an_expression_of_a_parameter_file_sees_its_external_inputs_and_nothing_of_the_template() {
        let file = |expression: &str| {
            format!(
                r#"{{"parameters": {{"p": {{"expression": "{expression}"}}}},
                "externalInputDefinitions": {{"a_0": {{"kind": "a"}}, "b_1": {{"kind": "b"}}}},
                "externalInputs": {{"a_0": {{"value": "7"}}}}}}"#
            )
        };
        let int = r#"{"type": "int"}"#;
        check(int, &file("[add(int(externalInputs('a_0')), 1)]"), "{}", "8");
        let later = "unknown: external input `b_1` of kind `b` is supplied at deployment";
        check(int, &file("[externalInputs('b_1')]"), "{}", later);
        let (_, problems) = outcome(int, Some(&file("[parameters('p')]")), "{}");
        assert_eq!(problems, ["there is no parameter `p`"]);
    }

    #[test]
    fn a_value_in_a_parameter_file_is_not_an_expression() {
        check(r#"{"type": "string"}"#, r#"{"parameters": {"p": {"value": "[add(1, 2)]"}}}"#, "{}", r#""[add(1, 2)]""#);
    }

    #[test]
    fn a_value_is_missing_only_from_a_parameter_file() {
        let missing = "parameter `p` has no default, and the parameter file does not set it";
        assert_eq!(outcome(r#"{"type": "string"}"#, Some("{}"), "{}").1, [missing]);
        assert_eq!(outcome(r#"{"type": "string"}"#, None, "{}").1, [""; 0]);
    }
}
