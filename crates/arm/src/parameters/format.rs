//! The structure of a parameter file.

use crate::checks::ambiguous;
use crate::diagnostic::{Code, Diagnostic};
use crate::functions::article;
use crate::text::{Span, did_you_mean};
use crate::value::{Kind, Member, Object, Value};

/// The sections of a parameter file.
const SECTIONS: &[&str] = &[
    "$schema",
    "contentVersion",
    "extensionConfigs",
    "externalInputDefinitions",
    "externalInputs",
    "metadata",
    "parameters",
];

/// The properties of a reference to a secret in a key vault, with `true` if they are required.
const SECRET: &[(&str, bool)] = &[("secretName", true), ("secretVersion", false)];

/// Returns the problems in the structure of a parameter file. Resource Manager rejects a deployment with such a file.
pub fn parameter_file_problems(file: &Value) -> Vec<Diagnostic> {
    let mut problems = Problems { is_filled: is_filled(file), ..Problems::default() };
    problems.names(file);
    for member in file.as_object().into_iter().flatten() {
        // Tools may add sections of their own.
        if SECTIONS.iter().any(|name| name.eq_ignore_ascii_case(&member.key)) {
            continue;
        }
        let hint = did_you_mean(&member.key, SECTIONS.iter().copied());
        if !hint.is_empty() {
            problems.add(member.key_span, format!("a parameter file has no section `{}`{hint}", member.key));
        }
    }
    if let Some(parameters) = file.get("parameters") {
        problems.must_be(parameters, Kind::Object, "`parameters`");
        problems.names(parameters);
        parameters.as_object().into_iter().flatten().for_each(|entry| problems.entry(entry));
    }
    problems.found
}

/// Returns `true` if the Azure Developer CLI fills in the values of a file, such as `${AZURE_LOCATION}`. It asks for a
/// parameter whose entry is empty.
fn is_filled(file: &Value) -> bool {
    let parameters = file.get("parameters").and_then(Value::as_object).into_iter().flatten();
    let mut texts = parameters.filter_map(|entry| entry.value.get("value")?.as_str());
    texts.any(|text| text.starts_with("${") && text.ends_with('}'))
}

#[derive(Default)]
struct Problems {
    found: Vec<Diagnostic>,
    is_filled: bool,
}

impl Problems {
    fn add(&mut self, span: Option<Span>, message: String) {
        self.found.extend(span.map(|span| Diagnostic::new(Code::ParameterFormat, span, message)));
    }

    /// Reports names that differ only in case, since the choice among their values is undefined.
    fn names(&mut self, value: &Value) {
        let object = value.as_object().into_iter();
        self.found.extend(object.flat_map(|object| ambiguous::problems(object, value.span, ToOwned::to_owned)));
    }

    /// Returns `true` if the value is of this kind, and reports it otherwise.
    fn must_be(&mut self, value: &Value, kind: Kind, what: &str) -> bool {
        if value.kind() == kind {
            return true;
        }
        let (expected, found) = (article(kind), article(value.kind()));
        self.add(value.span, format!("{what} must be {expected}, found {found}"));
        false
    }

    fn entry(&mut self, entry: &Member) {
        let name = &entry.key;
        if !self.must_be(&entry.value, Kind::Object, &format!("the entry of parameter `{name}`")) {
            return self.help(format!("write `\"{name}\": {{ \"value\": … }}`"));
        }
        self.names(&entry.value);
        let gives = ["value", "reference", "expression"].iter().any(|key| entry.value.get(key).is_some());
        let is_asked_for = self.is_filled && entry.value.as_object().is_some_and(Object::is_empty);
        if !gives
            && !is_asked_for
            && let Some(span) = entry.span()
        {
            let keys = entry.value.as_object().into_iter().flatten().map(|member| &*member.key);
            let hint = keys.map(|key| did_you_mean(key, ["value", "reference"])).find(|hint| !hint.is_empty());
            let hint = hint.unwrap_or_default();
            self.add(Some(span), format!("parameter `{name}` has neither a `value` nor a `reference`{hint}"));
            self.help(format!("write `\"{name}\": {{ \"value\": … }}`"));
        }
        if let Some(reference) = entry.value.get("reference").filter(|_| entry.value.get("value").is_none()) {
            self.reference(name, reference);
        }
    }

    /// Checks a reference to a secret in a key vault: `{"keyVault": {"id": "…"}, "secretName": "…"}`.
    fn reference(&mut self, name: &str, reference: &Value) {
        // A string is a placeholder that a pipeline replaces before it deploys.
        let is_placeholder = reference.kind() == Kind::String;
        if is_placeholder || !self.must_be(reference, Kind::Object, &format!("`reference` of parameter `{name}`")) {
            return;
        }
        let part = |key: &str| format!("`{key}` in the `reference` of parameter `{name}`");
        match reference.get("keyVault") {
            None => self.add(reference.span, format!("the `reference` of parameter `{name}` has no `keyVault`")),
            Some(vault) => {
                if self.must_be(vault, Kind::Object, &part("keyVault")) {
                    self.string(vault, "id", true, &part("keyVault.id"));
                }
            }
        }
        for &(key, is_required) in SECRET {
            self.string(reference, key, is_required, &part(key));
        }
    }

    fn string(&mut self, object: &Value, key: &str, is_required: bool, what: &str) {
        match object.get(key) {
            Some(value) => {
                self.must_be(value, Kind::String, what);
            }
            None if is_required => self.add(object.span, format!("{what} is missing")),
            None => {}
        }
    }

    fn help(&mut self, help: String) {
        if let Some(last) = self.found.pop() {
            self.found.push(last.with_help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use super::*;
    use crate::syntax::json;
    use crate::text::Sources;

    #[track_caller]
    fn check(file: &str, expected: &[&str]) {
        let text: ArcStr = file.into();
        let value = json::parse(Sources::new().add("file", text.clone()), &text, 64).value.unwrap();
        let found: Vec<String> = parameter_file_problems(&value).into_iter().map(|problem| problem.message).collect();
        assert_eq!(found, expected, "{file}");
    }

    #[test]
    fn names_that_differ_only_in_case_are_one_parameter() {
        let both = |again: &str, first: &str| {
            format!("`{again}` and `{first}` differ only in case, and Resource Manager treats them as one name")
        };
        let parameters = r#"{"parameters": {"https": {"value": true}, "b": {"value": 1}, "HTTPS": {"value": false}}}"#;
        check(parameters, &[&both("HTTPS", "https")]);
        check(
            r#"{"parameters": {"a": {"value": 1}}, "Parameters": {"a": {"value": 2}}}"#,
            &[&both("Parameters", "parameters")],
        );
        check(r#"{"parameters": {"a": {"value": 1, "Value": 2}}}"#, &[&both("Value", "value")]);
        check(r#"{"parameters": {"a": {"value": {"b": 1, "B": 2}}}, "metadata": {"c": 1, "C": 2}}"#, &[]);
    }

    #[test]
    fn an_entry_has_a_value_or_a_reference() {
        check(r#"{"parameters": {"p": {"value": null}, "q": {"expression": "[1]"}}, "tool": {}}"#, &[]);
        check(r#"{"parameters": [1]}"#, &["`parameters` must be an object, found an array"]);
        check(r#"{"parameters": {"p": 5}}"#, &["the entry of parameter `p` must be an object, found an integer"]);
        let neither = "parameter `p` has neither a `value` nor a `reference`";
        check(r#"{"parameters": {"p": {}}}"#, &[neither]);
        check(r#"{"parameters": {"p": {"valeu": 1}}}"#, &[&format!("{neither}, did you mean `value`?")]);
        check(r#"{"parameters": {"l": {"value": "${AZURE_LOCATION}"}, "p": {}}}"#, &[]);
        check(
            r#"{"parameters": {"l": {"value": "${AZURE_LOCATION}"}, "p": {"vale": 1}}}"#,
            &[&format!("{neither}, did you mean `value`?")],
        );
        check(r#"{"paramters": {}}"#, &["a parameter file has no section `paramters`, did you mean `parameters`?"]);
    }

    #[test]
    fn a_reference_names_a_secret_in_a_vault() {
        let reference = |reference: &str| format!(r#"{{"parameters": {{"p": {{"reference": {reference}}}}}}}"#);
        check(&reference(r#"{"keyVault": {"id": "/subscriptions/s"}, "secretName": "n", "secretVersion": "1"}"#), &[]);
        check(&reference("\"GET-SECRET\""), &[]);
        check(&reference("5"), &["`reference` of parameter `p` must be an object, found an integer"]);
        check(
            &reference(r#"{"secretName": 1}"#),
            &[
                "the `reference` of parameter `p` has no `keyVault`",
                "`secretName` in the `reference` of parameter `p` must be a string, found an integer",
            ],
        );
        check(
            &reference(r#"{"keyVault": {}}"#),
            &[
                "`keyVault.id` in the `reference` of parameter `p` is missing",
                "`secretName` in the `reference` of parameter `p` is missing",
            ],
        );
    }
}
