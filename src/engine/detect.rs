//! Tells by its content what a file is.

use std::path::Path;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::arm;
use crate::cfn;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, nearest_name};
use crate::value::Value;

/// The kinds of files that a run reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Kind {
    /// A deployment template of Azure Resource Manager.
    Template,
    /// A parameter file of Azure Resource Manager.
    Parameters,
    /// Resources that were exported from Azure.
    Export,
    /// A CloudFormation template, which describes a stack.
    Stack,
    /// A parameter file for CloudFormation.
    StackParameters,
}

impl Kind {
    /// Whether templates are expanded with it, and it is not expanded itself.
    pub(in crate::engine) fn is_of_parameters(self) -> bool {
        matches!(self, Self::Parameters | Self::StackParameters)
    }

    /// The kind of template that parameter files of this kind are for.
    pub(in crate::engine) fn template(self) -> Option<Self> {
        match self {
            Self::Parameters => Some(Self::Template),
            Self::StackParameters => Some(Self::Stack),
            Self::Template | Self::Export | Self::Stack => None,
        }
    }
}

/// Every scope has its own schema: `subscriptionDeploymentTemplate.json` and so on. Editors of JSON write no escapes
/// in these names.
static SCHEMA_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i-u)deployment(?:template|parameters)\.json"));

/// The name where it is the value of `$schema`, at whatever depth.
static SCHEMA_MEMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i-u)["']?\$schema["']?\s*:\s*["'][^"'\n]*deployment(?:template|parameters)\.json"#));

/// What every CloudFormation template has, as a key of JSON or at the start of a line of YAML.
static STACK_MEMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m-u)["']Resources["']\s*:|^Resources\s*:|AWSTemplateFormatVersion"#));

/// The beginning of a list of resources, or of an answer with one.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    let members = "value|data|count|nextLink|skip_token|total_records";
    pattern(&format!(r#"^(?-u)(?:\xEF\xBB\xBF)?\s*(?:\[\s*\{{|\{{\s*"(?:{members})"\s*:)"#))
});

#[expect(clippy::expect_used, reason = "the patterns are literals that tests compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// Whether the bytes may be those of a template or a parameter file. This rules out most other files before they are
/// parsed.
pub(super) fn may_be_ours(bytes: &[u8]) -> bool {
    let utf16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    let is_export = || LIST.is_match(bytes) && memchr::memmem::find(bytes, b"\"/").is_some();
    utf16 || may_be_of_azure(bytes) || STACK_MEMBER.is_match(bytes) || is_export()
}

/// Whether the name of a file is that of one in YAML.
pub(super) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["yaml", "yml"].iter().any(|yaml| extension.eq_ignore_ascii_case(yaml))
}

/// Whether the bytes name a schema of Resource Manager anywhere.
pub(super) fn may_have_schema(bytes: &[u8]) -> bool {
    SCHEMA_NAME.is_match(bytes)
}

/// Whether the bytes may be those of a template or a parameter file of Resource Manager.
pub(super) fn may_be_of_azure(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, VERSION.as_bytes()).is_some() || may_have_schema(bytes)
}

/// Whether a value has a schema of Resource Manager.
pub(super) fn has_schema(value: &Value) -> bool {
    by_schema(value).is_some()
}

/// What every template and every parameter file of Resource Manager has.
const VERSION: &str = "contentVersion";

/// Whether a text that cannot be parsed looks as if it were meant to be a template or a parameter file.
pub(super) fn was_meant_to_be_ours(text: &str) -> bool {
    SCHEMA_MEMBER.is_match(text.as_bytes()) || text.contains(cfn::FORMAT_VERSION)
}

/// The prefixes of `deploymentTemplate.json`, one for each scope, in lower case.
const SCOPES: [&str; 4] = ["", "subscription", "managementgroup", "tenant"];

/// The kind of a parsed file: by its top-level `$schema`, or by its shape. If the user named it, less is
/// enough: an empty list is an export, for example.
pub(super) fn kind(value: &Value, named: bool) -> Option<Kind> {
    if let Some(kind) = by_schema(value).or_else(|| by_shape(value)) {
        return Some(kind);
    }
    if is_stack(value, named) {
        return Some(Kind::Stack);
    }
    if named && cfn::is_parameter_file(value) {
        return Some(Kind::StackParameters);
    }
    let (_, items) = arm::exported(value)?;
    (named || !items.is_empty()).then_some(Kind::Export)
}

/// Whether a value is a CloudFormation template: it says so, or has resources that look like those of one.
pub(super) fn is_stack(value: &Value, named: bool) -> bool {
    let Some(object) = value.as_object() else { return false };
    let resources = object.get_exact("Resources");
    let is_typed = |resource: &Value| resource.as_object().and_then(|body| body.get_exact("Type")?.as_str()).is_some();
    let mut members = resources.and_then(Value::as_object).into_iter().flatten();
    let says_so = object.get_exact(cfn::FORMAT_VERSION).is_some();
    says_so || (named && resources.is_some()) || members.any(|member| is_typed(&member.value))
}

/// The kind of a file of Resource Manager, by its top-level `$schema`.
fn by_schema(value: &Value) -> Option<Kind> {
    of_schema(value.get("$schema")?.as_str()?)
}

/// The kind of the files of Resource Manager that have this schema.
pub(super) fn of_schema(schema: &str) -> Option<Kind> {
    let schema = schema.to_ascii_lowercase();
    let (_, rest) = schema.split_once("schema.management.azure.com/schemas/")?;
    let name = rest.split(['#', '?']).next()?.rsplit('/').next()?;
    let scope = |suffix| name.strip_suffix(suffix).filter(|scope| SCOPES.contains(scope));
    if scope("deploymenttemplate.json").is_some() {
        Some(Kind::Template)
    } else if scope("deploymentparameters.json").is_some() {
        Some(Kind::Parameters)
    } else {
        None
    }
}

/// The kind of a file of Resource Manager whose `$schema` is missing or misspelled.
fn by_shape(value: &Value) -> Option<Kind> {
    value.get(VERSION)?.as_str()?;
    let holds = |name: &str| value.get(name).is_some_and(|section| section.as_object().is_some());
    if holds("resources") || value.get("resources").is_some_and(|resources| resources.as_array().is_some()) {
        return Some(Kind::Template);
    }
    let name = value.get("$schema")?.as_str()?.split(['#', '?']).next()?.rsplit('/').next()?;
    let is_near = nearest_name(name, ["deploymentParameters.json"]).is_some();
    (is_near && holds("parameters")).then_some(Kind::Parameters)
}

/// The problem with the `$schema` of a file that is used nevertheless. The expansion reports that of a template.
pub(super) fn schema_problem(value: &Value, kind: Kind, file: FileId) -> Option<Diagnostic> {
    if !matches!(kind, Kind::Template | Kind::Parameters) || by_schema(value).is_some() {
        return None;
    }
    let (noun, name) = match kind {
        Kind::Parameters => ("parameter file", "deploymentParameters"),
        _ => ("template", "deploymentTemplate"),
    };
    let problem = match value.get("$schema") {
        None => Diagnostic::of_file(Code::TemplateSchema, file, format!("the {noun} has no `$schema`")),
        Some(_) if kind == Kind::Template => return None,
        Some(schema) => {
            let text = schema.as_str().unwrap_or_default();
            let message = format!("`{text}` is not the schema of a {noun}");
            Diagnostic::new(Code::TemplateSchema, schema.span?, message)
        }
    };
    let url = format!("https://schema.management.azure.com/schemas/2019-04-01/{name}.json#");
    Some(problem.with_help(format!("write `\"$schema\": \"{url}\"`")))
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use super::*;
    use crate::syntax;
    use crate::text::Sources;
    use crate::value::Member;

    #[track_caller]
    fn check(schema: &str, expected: Option<Kind>) {
        let value = Value::object(vec![
            Member::new("resources", Value::array(Vec::new())),
            Member::new("$schema", Value::from(schema)),
        ]);
        assert_eq!(kind(&value, false), expected);
        assert!(expected.is_none() || may_be_ours(schema.as_bytes()));
    }

    #[test]
    fn the_schema_tells_the_kind_at_every_scope() {
        const BASE: &str = "https://schema.management.azure.com/schemas/2019-04-01";
        check(&format!("{BASE}/deploymentTemplate.json#"), Some(Kind::Template));
        check(&format!("{BASE}/subscriptionDeploymentTemplate.json#"), Some(Kind::Template));
        check(&format!("{BASE}/managementGroupDeploymentTemplate.json"), Some(Kind::Template));
        check(&format!("{BASE}/tenantDeploymentTemplate.json#"), Some(Kind::Template));
        check(&format!("{BASE}/deploymentParameters.json#"), Some(Kind::Parameters));
        check(
            "http://Schema.Management.Azure.com/schemas/2014-04-01-preview/DEPLOYMENTTEMPLATE.JSON",
            Some(Kind::Template),
        );
    }

    #[test]
    fn other_schemas_are_not_ours() {
        check("https://json-schema.org/draft-07/schema", None);
        check("https://example.org/deploymentTemplate.json#", None);
        check("https://schema.management.azure.com/schemas/0.1.2-preview/CreateUIDefinition.MultiVm.json#", None);
    }

    #[test]
    fn a_file_with_a_missing_or_misspelled_schema_is_told_by_its_shape() {
        #[track_caller]
        fn check(text: &str, expected: Option<Kind>, has_problem: bool) {
            let file = Sources::new().add("x", text);
            let value = syntax::json::parse(file, &text.into(), 8).value.unwrap();
            let found = kind(&value, false);
            assert_eq!(found, expected, "{text}");
            assert_eq!(found.is_some_and(|kind| schema_problem(&value, kind, file).is_some()), has_problem, "{text}");
            assert!(expected.is_none() || may_be_ours(text.as_bytes()), "{text}");
        }
        check(r#"{"contentVersion": "1.0.0.0", "resources": []}"#, Some(Kind::Template), true);
        // The expansion reports the schema of a template.
        let template =
            |schema: &str| format!(r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "resources": {{}}}}"#);
        check(
            &template("https://schema.management.azure.com/2019-04-01/deploymentTemplat.json"),
            Some(Kind::Template),
            false,
        );
        let parameters =
            |schema: &str| format!(r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "parameters": {{}}}}"#);
        check(
            &parameters("https://schema.management.azure.com/schemas/deploymentParametres.json#"),
            Some(Kind::Parameters),
            true,
        );
        check(
            &parameters("https://schema.management.azure.com/schemas/2015-01-01/deploymentParameters.json#"),
            Some(Kind::Parameters),
            false,
        );
        check(
            &parameters(
                "https://schema.management.azure.com/providers/Microsoft.Logic/schemas/2016-06-01/workflowdefinition.json#",
            ),
            None,
            false,
        );
        check(r#"{"contentVersion": "1.0.0.0", "parameters": {}}"#, None, false);
        check(r#"{"resources": []}"#, None, false);
    }

    #[test]
    fn a_value_without_a_schema_is_not_ours() {
        assert_eq!(kind(&Value::object(Vec::new()), true), None);
        assert_eq!(kind(&Value::from("deploymentTemplate.json"), true), None);
    }

    #[test]
    fn a_template_of_cloudformation_says_so_or_has_typed_resources() {
        #[track_caller]
        fn check(text: &str, found: Option<Kind>, named: Option<Kind>) {
            let text = ArcStr::from(text);
            let file = Sources::new().add("x", text.clone());
            let value = syntax::yaml::parse_template(file, &text, 9).value.unwrap();
            assert_eq!((kind(&value, false), kind(&value, true)), (found, named), "{text}");
            assert!(found.is_none() || may_be_ours(text.as_bytes()), "{text}");
        }
        let stack = Some(Kind::Stack);
        check("AWSTemplateFormatVersion: 2010-09-09\n", stack, stack);
        check("Resources:\n  a: {Type: AWS::SNS::Topic}\n", stack, stack);
        check(r#"{"Resources": {"a": {"Type": "AWS::SNS::Topic"}}}"#, stack, stack);
        check("Resources: {}\n", None, stack);
        check("resources: {a: {Type: b}}\n", None, None);
        check("[{ParameterKey: a, ParameterValue: b}]", None, Some(Kind::StackParameters));
        check("Parameters: {a: b}", None, Some(Kind::StackParameters));
    }

    #[test]
    fn a_list_of_resources_is_an_export() {
        let text = r#"[{"id": "/subscriptions/s", "type": "A.B/c", "name": "s", "properties": {}}]"#;
        let parse = |text: &str| syntax::json::parse(Sources::new().add("x", text), &text.into(), 8).value.unwrap();
        assert_eq!(kind(&parse(text), false), Some(Kind::Export));
        assert_eq!(kind(&parse("[]"), true), Some(Kind::Export));
        assert_eq!(kind(&parse("[]"), false), None);
        assert!(may_be_ours(text.as_bytes()) && may_be_ours(format!("\u{feff} {{ \"value\": {text}}}").as_bytes()));
        assert!(!may_be_ours(br#"["/subscriptions"]"#) && !may_be_ours(br#"{"a": [{"id": "/subscriptions/s"}]}"#));
    }

    #[test]
    fn a_broken_text_is_ours_if_it_has_our_schema() {
        assert!(was_meant_to_be_ours(
            r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "#
        ));
        assert!(!was_meant_to_be_ours(r#"["deploymentTemplate.json", "#));
    }
}
