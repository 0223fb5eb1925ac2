//! The declarations of parameters, outputs, types, variables and functions.

use crate::checks::structure::{header, is_plain, properties, report};
use crate::checks::{ProcessedTemplate, ambiguous};
use crate::expr::{TextKind, text_kind};
use crate::functions::article;
use crate::text::did_you_mean;
use crate::value::{Member, Value};

/// The data types of parameters and outputs.
const TYPES: &[&str] = &["array", "bool", "int", "object", "secureObject", "securestring", "string"];

pub(super) fn check_declarations(subject: &ProcessedTemplate<'_>) {
    // Since language version 2, a declaration may have `allowedValues` or nothing instead of a type.
    let version = subject.template.get("languageVersion").and_then(Value::as_str).unwrap_or_default();
    let needs_type = !version.starts_with('2');
    let declarations = Declarations { subject, needs_type };
    for member in subject.section("parameters") {
        declarations.named(member, "parameter", &properties::PARAMETER);
    }
    for member in subject.section("outputs") {
        declarations.named(member, "output", &properties::OUTPUT);
        if let Some(copy) = member.value.get("copy") {
            properties::check_properties(subject, &properties::OUTPUT_LOOP, copy);
        }
    }
    for member in subject.section("definitions") {
        declarations.part(&member.value);
    }
    let loops = subject.section("variables").filter(|member| member.key.eq_ignore_ascii_case("copy"));
    for entry in loops.filter_map(|member| member.value.as_array()).flatten() {
        properties::check_properties(subject, &properties::VARIABLE_LOOP, entry);
        if entry.as_object().is_some() && entry.get("name").is_none() {
            report(subject, header(entry), "the loop of a variable has no `name`".to_owned());
        }
    }
    let namespaces = subject.template.get("functions").and_then(Value::as_array);
    for namespace in namespaces.into_iter().flatten() {
        declarations.namespace(namespace);
    }
}

struct Declarations<'a> {
    subject: &'a ProcessedTemplate<'a>,
    /// True if each parameter and output must have a type.
    needs_type: bool,
}

impl Declarations<'_> {
    /// Checks a parameter or an output, with its name.
    fn named(&self, member: &Member, noun: &str, part: &properties::FixedProperties) {
        let value = &member.value;
        if value.as_object().is_none() {
            let found = article(value.kind());
            report(self.subject, value.span, format!("{noun} `{}` must be an object, found {found}", member.key));
            return;
        }
        if text_kind(&member.key) == TextKind::Expression {
            report(
                self.subject,
                member.key_span,
                format!("the name of a {noun} must be a literal, found an expression"),
            );
        }
        if self.needs_type && value.get("type").is_none() && value.get("$ref").is_none() {
            let span = member.key_span.or(header(value));
            report(self.subject, span, format!("{noun} `{}` has no `type`", member.key));
        }
        self.declaration(value, part);
    }

    fn declaration(&self, value: &Value, part: &properties::FixedProperties) {
        properties::check_properties(self.subject, part, value);
        self.check_type(value);
        self.check_allowed(value);
        self.check_bounds(value);
        if let Some(declared) = value.get("properties")
            && let Some(object) = declared.as_object()
        {
            ambiguous::report(self.subject.world(), object, declared.span);
            object.iter().for_each(|member| self.part(&member.value));
        }
        for inner in ["additionalProperties", "items"].iter().filter_map(|name| value.get(name)) {
            self.part(inner);
        }
        for inner in value.get("prefixItems").and_then(Value::as_array).into_iter().flatten() {
            self.part(inner);
        }
        let mapping = value.get("discriminator").and_then(|discriminator| discriminator.get("mapping"));
        for member in mapping.and_then(Value::as_object).into_iter().flatten() {
            self.part(&member.value);
        }
    }

    /// Checks a type, or the declaration of a part of a value.
    fn part(&self, value: &Value) {
        self.declaration(value, &properties::TYPE);
    }

    fn check_type(&self, value: &Value) {
        let Some(declared) = value.get("type") else { return };
        let Some(name) = declared.as_str() else {
            let found = article(declared.kind());
            report(self.subject, declared.span, format!("`type` must be a string, found {found}"));
            return;
        };
        if !TYPES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            let hint = did_you_mean(name, TYPES.iter().copied());
            report(self.subject, declared.span, format!("there is no type `{name}`{hint}"));
        }
    }

    fn check_allowed(&self, value: &Value) {
        let allowed = value.get("allowedValues");
        if allowed.and_then(Value::as_array).is_some_and(<[Value]>::is_empty) {
            let span = allowed.and_then(|allowed| allowed.span);
            report(self.subject, span, "`allowedValues` allows no value".to_owned());
        }
        if let Some(allowed) = allowed.filter(|allowed| allowed.as_array().is_none() && !allowed.is_null())
            && allowed.as_str().is_none_or(is_plain)
        {
            let found = article(allowed.kind());
            report(self.subject, allowed.span, format!("`allowedValues` must be an array, found {found}"));
        }
    }

    /// Reports bounds that are no integers, or that the type does not have.
    fn check_bounds(&self, value: &Value) {
        let kind = value.get("type").and_then(Value::as_str).map(str::to_ascii_lowercase);
        for (name, types) in [
            ("minLength", ["string", "securestring", "array"].as_slice()),
            ("maxLength", &["string", "securestring", "array"]),
            ("minValue", &["int"]),
            ("maxValue", &["int"]),
        ] {
            let member = value.as_object().and_then(|object| object.member(name));
            let Some(member) = member.filter(|member| !member.value.is_null()) else { continue };
            let span = member.value.span;
            let is_known = |kind: &&String| TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind));
            if let Some(kind) = kind.as_ref().filter(is_known).filter(|kind| !types.contains(&kind.as_str())) {
                let message = format!("the type `{kind}` has no `{name}`; remove it, or change the type");
                report(self.subject, member.key_span.or(span), message);
                continue;
            }
            let text = member.value.as_str();
            // A number in quotes is converted.
            let number = member.value.as_int().or_else(|| text.and_then(|text| text.trim().parse().ok()));
            match number {
                Some(number) if name.ends_with("Length") && number < 0 => {
                    report(self.subject, span, format!("`{name}` is {number}; expected 0 or more"));
                }
                None if text.is_none_or(is_plain) => {
                    let found = article(member.value.kind());
                    report(self.subject, span, format!("`{name}` must be an integer, found {found}"));
                }
                _ => {}
            }
        }
    }

    fn namespace(&self, value: &Value) {
        properties::check_properties(self.subject, &properties::NAMESPACE, value);
        for name in ["namespace", "members"] {
            if value.as_object().is_some() && value.get(name).is_none_or(Value::is_null) {
                report(self.subject, header(value), format!("the namespace of functions has no `{name}`"));
            }
        }
        for function in value.get("members").and_then(Value::as_object).into_iter().flatten() {
            properties::check_properties(self.subject, &properties::FUNCTION, &function.value);
            if function.value.as_object().is_some() && function.value.get("output").is_none_or(Value::is_null) {
                report(self.subject, function.key_span, format!("the function `{}` has no `output`", function.key));
            }
            for parameter in function.value.get("parameters").and_then(Value::as_array).into_iter().flatten() {
                self.declaration(parameter, &properties::FUNCTION_PARAMETER);
                if parameter.as_object().is_some() && parameter.get("name").is_none_or(Value::is_null) {
                    report(self.subject, header(parameter), "the parameter of a function has no `name`".to_owned());
                }
            }
            if let Some(output) = function.value.get("output") {
                self.declaration(output, &properties::FUNCTION_OUTPUT);
            }
        }
    }
}
