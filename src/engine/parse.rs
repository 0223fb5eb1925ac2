//! From the text of a file to a value: JSON or YAML, told by the text rather than by the name.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::detect;
use crate::syntax::{self, Parsed};
use crate::text::FileId;
use crate::value::Value;

/// Reads a text as what it looks like. JSON begins with a bracket, even in a file with another extension; a text that is
/// not JSON may still be YAML, which CloudFormation accepts.
pub(super) fn read(path: &Path, named: bool, file: FileId, text: &Arc<str>, max_depth: u32) -> Parsed {
    let extension = path.extension().unwrap_or_default();
    let is_yaml = ["yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    let has_bracket = text.trim_start().starts_with(['{', '[']);
    if is_yaml && !has_bracket {
        return syntax::yaml::parse_template(file, text, max_depth);
    }
    let json = syntax::json::parse(file, text, max_depth);
    if json.value.is_some() || !detect::may_be_ours(text.as_bytes()) {
        return json;
    }
    let yaml = syntax::yaml::parse_template(file, text, max_depth);
    let is_stack = yaml.value.as_ref().is_some_and(|value| detect::is_stack(value, named));
    if is_stack || (is_yaml && !has_bracket) { yaml } else { json }
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
