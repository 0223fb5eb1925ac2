//! From the text of a file to a value: JSON or YAML, told by the text rather than by the name.

use std::path::Path;

use arcstr::ArcStr;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::detect::{self, Kind};
use crate::policy::files::is_policy;
use crate::syntax::{self, Parsed};
use crate::text::FileId;
use crate::value::Value;

/// A text, parsed as what it looks like. JSON begins with a bracket, even in a file with another extension; a text that
/// is not JSON may still be YAML, which CloudFormation accepts.
#[derive(Debug)]
pub(super) struct Reading {
    /// Result of parsing the text in the way that its name and first character suggest.
    pub(super) first: Parsed,
    /// True if the first way is JSON.
    is_first_json: bool,
    /// Result of parsing the text as YAML, if the first way failed and this one gives a template.
    second: Option<Second>,
}

#[derive(Debug)]
struct Second {
    parsed: Parsed,
    /// True if it only counts as a template because the user named the file.
    needs_name: bool,
}

impl Reading {
    /// Parses the text of the file at `path`.
    pub(super) fn parse(path: &Path, file: FileId, text: &ArcStr, max_depth: u32) -> Self {
        if detect::is_sam_config(path) && !detect::is_yaml(path) {
            return Self { first: syntax::toml::parse(file, text, max_depth), is_first_json: false, second: None };
        }
        let has_bracket = text.trim_start().starts_with(['{', '[']);
        if detect::is_yaml(path) && !has_bracket {
            return Self { first: yaml(file, text, max_depth), is_first_json: false, second: None };
        }
        let first = syntax::json::parse(file, text, max_depth);
        if first.value.is_some() || !detect::may_be_ours(text.as_bytes()) {
            return Self { first, is_first_json: true, second: None };
        }
        // A template of Resource Manager is YAML only if its name says so: anything else is JSON with an error.
        let parsed = if detect::is_yaml(path) { yaml(file, text, max_depth) } else { stack(file, text, max_depth) };
        let kind = |named| match detect::kind(parsed.value.as_ref()?, named)? {
            Kind::Stack => Some(Kind::Stack),
            kind @ (Kind::Template | Kind::Parameters) => detect::is_yaml(path).then_some(kind),
            Kind::Export | Kind::StackParameters | Kind::SamConfig => None,
        };
        let (always, if_named) = (kind(false).is_some(), kind(true).is_some());
        let second = (always || if_named).then(|| Second { parsed, needs_name: !always });
        Self { first, is_first_json: true, second }
    }

    /// Returns `true` if the result of [`Reading::choose`] was parsed as JSON.
    pub(super) fn is_json(&self, named: bool) -> bool {
        self.is_first_json && self.second.as_ref().is_none_or(|second| second.needs_name && !named)
    }

    /// Creates a text that could not be parsed.
    pub(super) fn failed(problem: Diagnostic) -> Self {
        Self { first: Parsed { value: None, diagnostics: vec![problem] }, is_first_json: true, second: None }
    }

    /// Returns the parsed text. `named` is true if the user named the file.
    pub(super) fn choose(&self, named: bool) -> &Parsed {
        let second = self.second.as_ref().filter(|second| named || !second.needs_name);
        second.map_or(&self.first, |second| &second.parsed)
    }

    /// Converts into the result of [`Reading::choose`].
    pub(super) fn into_chosen(self, named: bool) -> Parsed {
        match self.second {
            Some(second) if named || !second.needs_name => second.parsed,
            _ => self.first,
        }
    }
}

/// Returns a text as YAML: of Resource Manager if it is a template or a parameter file of it, and of CloudFormation
/// otherwise.
fn yaml(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    if detect::may_be_of_azure(text.as_bytes()) {
        let is_of_azure = |value: &Value| detect::of_azure(value).is_some();
        let parsed = syntax::yaml::parse_azure(file, text, max_depth, &is_of_azure);
        if parsed.value.as_ref().is_some_and(is_of_azure) {
            return parsed;
        }
    }
    stack(file, text, max_depth)
}

/// Returns a text as YAML of CloudFormation.
fn stack(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    syntax::yaml::parse_template(file, text, max_depth, &|value| detect::is_stack(value, false))
}

/// Returns the diagnostic for a file that the user named and that is of no kind that formwork knows.
pub(super) fn not_a_template(value: &Value, file: FileId) -> Diagnostic {
    const CODE: Code = Code::FileNotATemplate;
    if is_policy(value) {
        let problem = Diagnostic::of_file(CODE, file, "the file is an Azure policy and not a template");
        return problem.with_help("name it with `--policy` or in `policy.paths` of the settings");
    }
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
