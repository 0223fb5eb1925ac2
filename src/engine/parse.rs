//! From the text of a file to a value: JSON or YAML, told by the text rather than by the name.

use std::path::Path;

use arcstr::ArcStr;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::detect;
use crate::syntax::{self, Parsed};
use crate::text::FileId;
use crate::value::Value;

/// A text, parsed as what it looks like. JSON begins with a bracket, even in a file with another extension; a text that is
/// not JSON may still be YAML, which CloudFormation accepts.
#[derive(Debug)]
pub(super) struct Reading {
    /// As the name and the first character say.
    pub(super) first: Parsed,
    /// Whether that is as JSON.
    is_first_json: bool,
    /// As YAML, if the first way failed and this one gives a CloudFormation template.
    stack: Option<Stack>,
}

#[derive(Debug)]
struct Stack {
    parsed: Parsed,
    /// Whether it only counts as a template because the user named the file.
    needs_name: bool,
}

impl Reading {
    /// Parses the text of the file at `path`.
    pub(super) fn of(path: &Path, file: FileId, text: &ArcStr, max_depth: u32) -> Self {
        let has_bracket = text.trim_start().starts_with(['{', '[']);
        if detect::is_yaml(path) && !has_bracket {
            return Self { first: yaml(file, text, max_depth), is_first_json: false, stack: None };
        }
        let first = syntax::json::parse(file, text, max_depth);
        if first.value.is_some() || !detect::may_be_ours(text.as_bytes()) {
            return Self { first, is_first_json: true, stack: None };
        }
        let parsed = syntax::yaml::parse_template(file, text, max_depth);
        let is_stack = |named| parsed.value.as_ref().is_some_and(|value| detect::is_stack(value, named));
        let (always, if_named) = (is_stack(false), is_stack(true));
        let stack = (always || if_named).then(|| Stack { parsed, needs_name: !always });
        Self { first, is_first_json: true, stack }
    }

    /// Whether what [`Reading::choose`] returns was read as JSON.
    pub(super) fn is_json(&self, named: bool) -> bool {
        self.is_first_json && self.stack.as_ref().is_none_or(|stack| stack.needs_name && !named)
    }

    /// A text that could not be parsed.
    #[cfg(feature = "cli")]
    pub(super) fn failed(problem: Diagnostic) -> Self {
        Self { first: Parsed { value: None, diagnostics: vec![problem] }, is_first_json: true, stack: None }
    }

    /// What the text says if the user named the file, or if not.
    pub(super) fn choose(&self, named: bool) -> &Parsed {
        let stack = self.stack.as_ref().filter(|stack| named || !stack.needs_name);
        stack.map_or(&self.first, |stack| &stack.parsed)
    }

    /// As [`Reading::choose`], by value.
    pub(super) fn into_chosen(self, named: bool) -> Parsed {
        match self.stack {
            Some(stack) if named || !stack.needs_name => stack.parsed,
            _ => self.first,
        }
    }
}

/// A text as YAML: of Resource Manager if it has one of its schemas, and of CloudFormation otherwise.
fn yaml(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    if detect::may_have_schema(text.as_bytes()) {
        let parsed = syntax::yaml::parse_azure(file, text, max_depth);
        if parsed.value.as_ref().is_some_and(detect::has_schema) {
            return parsed;
        }
    }
    syntax::yaml::parse_template(file, text, max_depth)
}

/// What is said of a file that the user named and that is of no kind that formwork knows.
pub(super) fn not_a_template(value: &Value, file: FileId) -> Diagnostic {
    const CODE: Code = Code::FileNotATemplate;
    let schema = value.get("$schema");
    match schema.and_then(|schema| Some((schema.as_str()?, schema.span?))) {
        Some((text, span)) => Diagnostic::new(
            CODE,
            span,
            format!("`{text}` is the schema of neither a deployment template nor a parameter file"),
        ),
        None => Diagnostic::of_file(
            CODE,
            file,
            "the file has neither the `$schema` of a deployment template or of a parameter file, nor the `Resources` of \
             CloudFormation",
        ),
    }
    .with_help(
        "a template begins with `\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\"`",
    )
}
