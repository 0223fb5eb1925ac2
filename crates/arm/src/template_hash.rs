//! Hash that identifies a template for Resource Manager, which Bicep writes into `metadata._generator.templateHash`.
//!
//! The hash covers the template in upper case, without blanks and without itself, in the order in which the deployment
//! engine serializes its own model of a template. The order is not documented: it was found by searching for the one
//! that gives the hashes of templates that Bicep compiled. Most of it is the order of the engine's classes for the
//! parts of a template; parts without a class keep the order of the text.
//!
//! Reference: <https://learn.microsoft.com/rest/api/resources/deployments/calculate-template-hash>.

use std::fmt::Write;

use crate::dotnet::case;
use crate::functions::murmur64;
use crate::value::{JsonStyle, Member, Value};

const TEMPLATE: &[&str] = &[
    "$schema",
    "languageVersion",
    "contentVersion",
    "definitions",
    "parameters",
    "variables",
    "functions",
    "extensions",
    "imports",
    "resources",
    "outputs",
    "asserts",
    "metadata",
];

/// A parameter, or a type that a template defines.
const TYPE: &[&str] = &[
    "$ref",
    "defaultValue",
    "minLength",
    "minValue",
    "allowedValues",
    "maxLength",
    "maxValue",
    "items",
    "nullable",
    "type",
    "metadata",
    "discriminator",
    "properties",
    "additionalProperties",
];

/// A type in another one.
const NESTED_TYPE: &[&str] = &[
    "type",
    "$ref",
    "metadata",
    "allowedValues",
    "nullable",
    "prefixItems",
    "minLength",
    "minValue",
    "properties",
    "additionalProperties",
    "items",
    "maxLength",
    "maxValue",
    "discriminator",
];

const OUTPUT: &[&str] = &["copy", "nullable", "$ref", "items", "type", "value", "metadata"];

const RESOURCE: &[&str] = &[
    "type",
    "apiVersion",
    "name",
    "location",
    "extendedLocation",
    "existing",
    "dependsOn",
    "tags",
    "plan",
    "sku",
    "kind",
    "zones",
    "identity",
    "properties",
    "subscriptionId",
    "scope",
    "metadata",
    "resourceGroup",
    "copy",
    "condition",
];

const COPY: &[&str] = &["name", "count", "mode", "batchSize"];
const IDENTITY: &[&str] = &["type", "userAssignedIdentities"];
const PLAN: &[&str] = &["name", "product", "publisher", "promotionCode"];
const SKU: &[&str] = &["name", "tier", "size", "family", "capacity"];

/// Returns the hash of a template. A hash in the template's metadata does not count.
pub fn template_hash(template: &Value) -> u64 {
    let text = ordered(template, TEMPLATE, section).to_json_as(JsonStyle::COMPACT.with_secrets());
    let mut upper = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            // The writer of .NET escapes what some readers take for the end of a line.
            '\u{85}' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(upper, "\\U{:04X}", u32::from(char));
            }
            _ => upper.push(case::upper(char)),
        }
    }
    murmur64(upper.as_bytes())
}

/// Orders the members of an object by `order`, and converts each with `part`. Members that are not in `order` come
/// last. Values other than objects are returned unchanged.
fn ordered(value: &Value, order: &[&str], part: fn(&str, &Value) -> Value) -> Value {
    let Some(object) = value.as_object() else { return value.clone() };
    let made = |member: &Member| Member::new(member.key.clone(), part(&member.key, &member.value));
    let mut members: Vec<Member> = object.iter().map(made).collect();
    members.sort_by_key(|member| order.iter().position(|name| *name == &*member.key).unwrap_or(order.len()));
    Value::object(members)
}

/// Converts each value of an object or an array with `make`.
fn each(value: &Value, make: fn(&Value) -> Value) -> Value {
    if let Some(items) = value.as_array() {
        return Value::array(items.iter().map(make).collect());
    }
    let Some(object) = value.as_object() else { return value.clone() };
    Value::object(object.iter().map(|member| Member::new(member.key.clone(), make(&member.value))).collect())
}

fn unchanged(_: &str, value: &Value) -> Value {
    value.clone()
}

fn section(name: &str, value: &Value) -> Value {
    match name {
        "definitions" | "parameters" => each(value, |ty| ordered(ty, TYPE, part_of_type)),
        "functions" => each(value, |namespace| ordered(namespace, &[], part_of_namespace)),
        "outputs" => each(value, |output| ordered(output, OUTPUT, part_of_type)),
        // The engine has an empty list for a template without resources, also if they have names.
        "resources" if value.as_object().is_some_and(|resources| resources.iter().next().is_none()) => {
            Value::array(Vec::new())
        }
        "resources" => each(value, |resource| ordered(resource, RESOURCE, part_of_resource)),
        "metadata" => ordered(value, &[], without_hash),
        _ => value.clone(),
    }
}

fn without_hash(name: &str, value: &Value) -> Value {
    match value.as_object() {
        Some(generator) if name == "_generator" => {
            Value::object(generator.iter().filter(|member| &*member.key != "templateHash").cloned().collect())
        }
        _ => value.clone(),
    }
}

fn part_of_type(name: &str, value: &Value) -> Value {
    let nested = |ty: &Value| ordered(ty, NESTED_TYPE, part_of_type);
    match name {
        "items" | "additionalProperties" => nested(value),
        "prefixItems" | "properties" => each(value, nested),
        "discriminator" => ordered(value, &[], |name, value| {
            let nested = |ty: &Value| ordered(ty, NESTED_TYPE, part_of_type);
            if name == "mapping" { each(value, nested) } else { value.clone() }
        }),
        _ => value.clone(),
    }
}

fn part_of_namespace(name: &str, value: &Value) -> Value {
    let member = |function: &Value| ordered(function, &[], part_of_function);
    if name == "members" { each(value, member) } else { value.clone() }
}

fn part_of_function(name: &str, value: &Value) -> Value {
    let parameter = |parameter: &Value| ordered(&ordered(parameter, TYPE, part_of_type), &["name"], unchanged);
    if name == "parameters" { each(value, parameter) } else { value.clone() }
}

fn part_of_resource(name: &str, value: &Value) -> Value {
    let order = match name {
        "copy" => COPY,
        "identity" => IDENTITY,
        "plan" => PLAN,
        "sku" => SKU,
        _ => return value.clone(),
    };
    ordered(value, order, unchanged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::json;
    use crate::text::Sources;

    #[track_caller]
    fn check(text: &str, expected: u64) {
        let text: arcstr::ArcStr = text.into();
        let file = Sources::new().add("main.json", text.clone());
        let template = json::parse(file, &text, 256).value.unwrap();
        assert_eq!(template_hash(&template), expected, "{text}");
    }

    /// Source: the example of the reference.
    #[test]
    fn a_template_has_the_hash_that_azure_documents() {
        let text = r#"{"$schema": "http://schemas.management.azure.com/deploymentTemplate?api-version=2014-04-01-preview",
            "contentVersion": "1.0.0.0", "parameters": {"string": {"type": "string"}}, "variables": {"string": "string",
            "int": 42, "bool": true, "array": [1, 2, 3, 4], "object": {"object": {"vmSize": "Large", "location": "West US"}}},
            "resources": [], "outputs": {"string": {"type": "string", "value": "myvalue"}}}"#;
        check(text, 695_440_707_931_307_747);
    }

    /// Source: samples of Bicep, <https://github.com/Azure/bicep/tree/main/src/Bicep.Core.Samples/Files>.
    #[test]
    fn a_template_has_the_hash_that_bicep_gives_it() {
        let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "languageVersion": "2.0", "contentVersion": "1.0.0.0", "metadata": {"_generator": {"name": "bicep",
            "version": "dev", "templateHash": "12008068100903792477"}}, "resources": {}}"#;
        check(text, 12_008_068_100_903_792_477);
        let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "metadata": {"_generator": {"name": "bicep", "version": "dev",
            "templateHash": "10281764714295777877"}}, "parameters": {"accountName": {"type": "string"}},
            "resources": [{"type": "Microsoft.Authorization/locks", "apiVersion": "2016-09-01", "scope":
            "[resourceId('Microsoft.Storage/storageAccounts', parameters('accountName'))]", "name": "DontDelete",
            "properties": {"level": "CanNotDelete"}}]}"#;
        check(text, 10_281_764_714_295_777_877);
        let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "metadata": {"_generator": {"name": "bicep", "version": "dev",
            "templateHash": "5873570432888469584"}}, "parameters": {"serviceName": {"type": "string",
            "defaultValue": "[format('cognitive-{0}', uniqueString(resourceGroup().id))]"}, "location": {"type":
            "string", "defaultValue": "[resourceGroup().location]"}, "sku": {"type": "string", "defaultValue":
            "S0"}}, "resources": [{"type": "Microsoft.CognitiveServices/accounts", "apiVersion": "2017-04-18",
            "name": "[parameters('serviceName')]", "location": "[parameters('location')]", "sku": {"name":
            "[parameters('sku')]"}, "kind": "CognitiveServices"}]}"#;
        check(text, 5_873_570_432_888_469_584);
    }
}
