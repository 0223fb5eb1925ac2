//! Determines the kind of a file by its content.

mod look;

use std::path::Path;

use crate::arm;
use crate::cfn;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, nearest_name};
use crate::value::{Data, Object, Value};

pub(super) use self::look::{is_pointer, may_be_of_azure, may_be_ours, sets_overrides, was_meant_to_be_ours};

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
    /// The settings of the AWS SAM CLI, which set the parameters of several deployments.
    SamConfig,
}

impl Kind {
    /// Returns `true` if templates are expanded with the file, and the file is not expanded itself.
    pub(in crate::engine) fn is_of_parameters(self) -> bool {
        matches!(self, Self::Parameters | Self::StackParameters | Self::SamConfig)
    }

    /// Returns the kind of template that parameter files of this kind are for.
    pub(in crate::engine) fn template(self) -> Option<Self> {
        match self {
            Self::Parameters => Some(Self::Template),
            Self::StackParameters | Self::SamConfig => Some(Self::Stack),
            Self::Template | Self::Export | Self::Stack => None,
        }
    }
}

/// Returns `true` if the file has an extension of YAML.
pub(super) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["yaml", "yml"].iter().any(|yaml| extension.eq_ignore_ascii_case(yaml))
}

/// Returns `true` if the file has the name of the settings of the AWS SAM CLI.
pub(super) fn is_sam_config(path: &Path) -> bool {
    path.file_name().is_some_and(|name| cfn::SAM_CONFIGS.iter().any(|known| name == *known))
}

/// Property that every template and every parameter file of Resource Manager has.
const VERSION: &str = "contentVersion";

/// The prefixes of `deploymentTemplate.json`, one for each scope, in lower case.
const SCOPES: [&str; 4] = ["", "subscription", "managementgroup", "tenant"];

/// Returns the kind of a parsed file: by its top-level `$schema`, or by its shape. If the user named it, less is
/// enough: an empty list is an export, for example.
pub(super) fn kind(value: &Value, named: bool) -> Option<Kind> {
    if let Some(kind) = of_azure(value) {
        return Some(kind);
    }
    if is_stack(value, named) {
        return Some(Kind::Stack);
    }
    if cfn::is_parameter_file(value, named) {
        return Some(Kind::StackParameters);
    }
    let (_, items) = arm::exported(value)?;
    (named || !items.is_empty()).then_some(Kind::Export)
}

/// Returns the kind of a file of Resource Manager.
pub(super) fn of_azure(value: &Value) -> Option<Kind> {
    by_schema(value).or_else(|| by_shape(value))
}

/// Returns `true` if a value is a CloudFormation template: it has a format version, or resources that look like those
/// of CloudFormation, or a macro or a loop that creates them. The template of a service of the Serverless Framework is a
/// part of its file.
pub(super) fn is_stack(value: &Value, named: bool) -> bool {
    let Some(object) = value.as_object() else { return false };
    let has = |name: &str| object.get_exact(name).is_some();
    let resources = object.get_exact("Resources");
    let is_typed = |resource: &Value| resource.as_object().and_then(|body| body.get_exact("Type")?.as_str()).is_some();
    let makes_resources = |key: &str| key.starts_with("Fn::ForEach::") || key == "Fn::Transform";
    let mut members = resources.and_then(Value::as_object).into_iter().flatten();
    has(cfn::FORMAT_VERSION)
        || cfn::is_service(value)
        || (resources.is_some() && (named || has("Transform") || has("Fn::Transform")))
        || members.any(|member| is_typed(&member.value) || makes_resources(&member.key))
}

/// Returns the kind of a file of Resource Manager, by its top-level `$schema`. If there are several, in different case,
/// one of a template counts, as do resources beside the schema of a parameter file: Resource Manager may take either.
fn by_schema(value: &Value) -> Option<Kind> {
    let members = value.as_object()?.iter().filter(|member| member.key.eq_ignore_ascii_case("$schema"));
    let kinds: Vec<Kind> = members.filter_map(|member| of_schema(member.value.as_str()?)).collect();
    let is_template = kinds.contains(&Kind::Template) || (!kinds.is_empty() && has_resources(value));
    if is_template { Some(Kind::Template) } else { kinds.first().copied() }
}

fn has_resources(value: &Value) -> bool {
    value.get("resources").is_some_and(|resources| matches!(resources.data, Data::Array(_) | Data::Object(_)))
}

/// Returns the kind of the files of Resource Manager that have this schema.
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

/// Returns the kind of a file of Resource Manager whose `$schema` is missing or misspelled.
fn by_shape(value: &Value) -> Option<Kind> {
    if !matches!(value.get(VERSION)?.data, Data::String(_) | Data::Int(_) | Data::Float(_)) {
        return None;
    }
    if has_resources(value) {
        return Some(Kind::Template);
    }
    let parameters = value.get("parameters")?.as_object()?;
    let Some(schema) = value.get("$schema") else {
        return gives_only(value, parameters).then_some(Kind::Parameters);
    };
    let name = schema.as_str()?.split(['#', '?']).next()?.rsplit('/').next()?;
    nearest_name(name, ["deploymentParameters.json"]).map(|_| Kind::Parameters)
}

/// Returns `true` if a file has nothing but a version, metadata, and values of parameters, at least one.
fn gives_only(value: &Value, parameters: &Object) -> bool {
    let is_given = |value: &Value| ["value", "reference", "expression"].iter().any(|name| value.get(name).is_some());
    let is_known = |key: &str| [VERSION, "parameters", "metadata"].iter().any(|known| key.eq_ignore_ascii_case(known));
    value.as_object().into_iter().flatten().all(|member| is_known(&member.key))
        && !parameters.is_empty()
        && parameters.iter().all(|parameter| is_given(&parameter.value))
}

/// Returns the problem with the `$schema` of a file that is used nevertheless. The expansion reports that of a
/// template.
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
            Member::new("parameters", Value::object(Vec::new())),
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
        check(r#"{"ContentVersion": 1.0, "Parameters": {"a": {"Value": 1}}}"#, Some(Kind::Parameters), true);
        check(r#"{"contentVersion": "1", "parameters": {"a": {"value": 1}}, "triggers": {}}"#, None, false);
        check(r#"{"contentVersion": "1.0.0.0", "parameters": {"a": {"type": "int"}}}"#, None, false);
        check(r#"{"resources": []}"#, None, false);
    }

    #[test]
    fn what_may_be_a_template_is_one() {
        const BASE: &str = "https://schema.management.azure.com/schemas/2019-04-01";
        #[track_caller]
        fn check(members: Vec<Member>) {
            assert_eq!(kind(&Value::object(members), false), Some(Kind::Template));
        }
        let schema = |key: &str, name: &str| Member::new(key, Value::from(format!("{BASE}/{name}.json#")));
        check(vec![schema("$Schema", "deploymentTemplate"), schema("$schema", "deploymentParameters")]);
        check(vec![schema("$schema", "deploymentTemplate"), schema("$schema", "x")]);
        check(vec![schema("$schema", "deploymentParameters"), Member::new("resources", Value::array(Vec::new()))]);
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
            let value = syntax::yaml::parse_template(file, &text, 9, &|_| true).value.unwrap();
            assert_eq!((kind(&value, false), kind(&value, true)), (found, named), "{text}");
            assert!(found.is_none() || may_be_ours(text.as_bytes()), "{text}");
        }
        let stack = Some(Kind::Stack);
        check("AWSTemplateFormatVersion: 2010-09-09\n", stack, stack);
        check("Resources:\n  a: {Type: AWS::SNS::Topic}\n", stack, stack);
        check(r#"{"Resources": {"a": {"Type": "AWS::SNS::Topic"}}}"#, stack, stack);
        check("Resources: {}\n", None, stack);
        check("Transform: Macro\nResources: {}\n", stack, stack);
        check("Resources:\n  Fn::Transform: {Name: AWS::Include}\n", stack, stack);
        check("Resources:\n  Fn::ForEach::Topics: [a, [b], {}]\n", stack, stack);
        check("resources: {a: {Type: b}}\n", None, None);
        let parameters = Some(Kind::StackParameters);
        check("[{ParameterKey: a, ParameterValue: b}]", parameters, parameters);
        check(r#"["A=b", "C=d=e"]"#, parameters, parameters);
        check(r#"["-A=b"]"#, None, parameters);
        check(r#"{"Parameters": {"a": "b"}, "Tags": {"c": "d"}}"#, parameters, parameters);
        check(r#"{"Parameters": {"a": {"Type": "String"}}}"#, None, parameters);
        check(r#"{"Parameters": {"a": "b"}, "Other": 1}"#, None, parameters);
        check(r#"{"Parameters": {"TABLE_NAME": "b"}}"#, None, parameters);
        check("template-file-path: main.yaml\nparameters: {a: b}\n", parameters, parameters);
    }

    #[test]
    fn a_list_of_resources_is_an_export() {
        let text = r#"[{"id": "/subscriptions/s", "type": "A.B/c", "name": "s", "properties": {}}]"#;
        let parse = |text: &str| syntax::json::parse(Sources::new().add("x", text), &text.into(), 8).value.unwrap();
        assert_eq!(kind(&parse(text), false), Some(Kind::Export));
        assert_eq!(kind(&parse("[]"), true), Some(Kind::Export));
        assert_eq!(kind(&parse("[]"), false), None);
    }
}
