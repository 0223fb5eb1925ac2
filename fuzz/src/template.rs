//! Templates of Resource Manager, with parameters of all types, loops, conditions, nested deployments, and functions.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

use crate::{Bytes, MANY, TEXTS, any, members, scalar, seldom, several};

const PARAMETERS: &[&str] = &["p0", "p1", "p2", "P0"];
const VARIABLES: &[&str] = &["v0", "v1", "v2", "v0[*]"];
const LOOPS: &[&str] = &["c0", "c1"];
const SYMBOLS: &[&str] = &["r0", "r1", "r2", "r3"];
const DEFINITIONS: &[&str] = &["d0", "d1"];
const PROPERTIES: &[&str] = &[
    "a",
    "b",
    "properties",
    "name",
    "type",
    "id",
    "tags",
    "length",
    "httpsOnly",
    "minTlsVersion",
    "subnets",
    "copy",
    "value",
];
const TYPES: &[&str] = &[
    "Microsoft.Web/sites",
    "Microsoft.Web/sites/config",
    "Microsoft.Storage/storageAccounts",
    "Microsoft.Storage/storageAccounts/blobServices",
    "Microsoft.KeyVault/vaults",
    "Microsoft.KeyVault/vaults/secrets",
    "Microsoft.Sql/servers",
    "Microsoft.Sql/servers/databases",
    "Microsoft.Network/virtualNetworks",
    "Microsoft.Network/networkSecurityGroups",
    "Microsoft.Compute/virtualMachines",
    "Microsoft.Compute/virtualMachines/extensions",
    "Microsoft.Authorization/roleAssignments",
    "Microsoft.Resources/deployments",
    "Microsoft.Resources/deploymentScripts",
    "Microsoft.Insights/diagnosticSettings",
    "x",
    "config",
    "",
];
const SCHEMAS: &[&str] = &[
    "2019-04-01/deploymentTemplate",
    "2018-05-01/subscriptionDeploymentTemplate",
    "2019-08-01/managementGroupDeploymentTemplate",
    "2019-08-01/tenantDeploymentTemplate",
    "2015-01-01/deploymentTemplate",
];

/// The names of all functions.
static FUNCTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    formwork_arm::functions::FAMILIES.iter().flat_map(|family| family.iter().map(|own| own.name)).collect()
});

/// The text of a template.
pub fn text(bytes: &[u8]) -> Option<String> {
    let mut bytes = Unstructured::new(bytes);
    let template = template(&mut bytes, 2).ok()?;
    serde_json::to_string_pretty(&template).ok()
}

fn template(bytes: Bytes<'_, '_>, depth: usize) -> Result<Value> {
    let schema = any(bytes, SCHEMAS)?;
    let is_symbolic = bytes.arbitrary::<bool>()?;
    let mut all = Map::new();
    all.insert("$schema".to_owned(), json!(format!("https://schema.management.azure.com/schemas/{schema}.json#")));
    all.insert("contentVersion".to_owned(), json!("1.0.0.0"));
    if is_symbolic {
        all.insert("languageVersion".to_owned(), json!(any(bytes, &["2.0", "2.1-experimental"])?));
        all.insert("definitions".to_owned(), members(bytes, DEFINITIONS, |bytes| declaration(bytes, 2))?);
    }
    all.insert("parameters".to_owned(), members(bytes, PARAMETERS, |bytes| declaration(bytes, 2))?);
    let mut variables = members(bytes, VARIABLES, |bytes| value(bytes, 3))?;
    if seldom(bytes)? {
        variables["copy"] = loops(bytes)?;
    }
    all.insert("variables".to_owned(), variables);
    all.insert("functions".to_owned(), json!([{"namespace": "u", "members": members(bytes, &["f", "g"], function)?}]));
    let resources = if is_symbolic {
        members(bytes, SYMBOLS, |bytes| resource(bytes, depth))?
    } else {
        Value::Array(several(bytes, |bytes| resource(bytes, depth))?)
    };
    all.insert("resources".to_owned(), resources);
    all.insert("outputs".to_owned(), members(bytes, &["o0", "o1"], output)?);
    Ok(Value::Object(all))
}

/// A parameter, a definition, or a part of one.
fn declaration(bytes: Bytes<'_, '_>, depth: usize) -> Result<Value> {
    let kinds = ["string", "int", "bool", "object", "array", "secureString", "secureObject", "any", "String"];
    let mut all = Map::new();
    if seldom(bytes)? {
        all.insert("$ref".to_owned(), json!(format!("#/definitions/{}", any(bytes, DEFINITIONS)?)));
    } else {
        all.insert("type".to_owned(), json!(any(bytes, &kinds)?));
    }
    for _ in 0..bytes.int_in_range(0..=MANY)? {
        let bounds = ["minValue", "maxValue", "minLength", "maxLength"];
        let (name, value) = match bytes.int_in_range(0..=8)? {
            0 | 1 => ("defaultValue", value(bytes, 2)?),
            2 => ("allowedValues", Value::Array(several(bytes, |bytes| value(bytes, 1))?)),
            3 => (any(bytes, &bounds)?, scalar(bytes)?),
            4 => ("nullable", json!(true)),
            5 => ("metadata", value(bytes, 1)?),
            _ if depth == 0 => ("sealed", json!(true)),
            6 => ("items", declaration(bytes, depth - 1)?),
            7 => ("properties", members(bytes, PROPERTIES, |bytes| declaration(bytes, depth - 1))?),
            _ => ("additionalProperties", declaration(bytes, depth - 1)?),
        };
        all.insert(name.to_owned(), value);
    }
    Ok(Value::Object(all))
}

fn function(bytes: Bytes<'_, '_>) -> Result<Value> {
    let kind = any(bytes, &["string", "int", "object", "array"])?;
    let parameters = several(bytes, |bytes| Ok(json!({"name": any(bytes, PARAMETERS)?, "type": kind})))?;
    Ok(json!({"parameters": parameters, "output": {"type": kind, "value": value(bytes, 2)?}}))
}

/// What repeats properties or variables.
fn loops(bytes: Bytes<'_, '_>) -> Result<Value> {
    let entry = |bytes: Bytes<'_, '_>| {
        Ok(json!({"name": any(bytes, LOOPS)?, "count": value(bytes, 1)?, "input": value(bytes, 2)?}))
    };
    Ok(Value::Array(several(bytes, entry)?))
}

fn resource(bytes: Bytes<'_, '_>, depth: usize) -> Result<Value> {
    let mut own = json!({"type": any(bytes, TYPES)?, "apiVersion": "2022-09-01", "name": value(bytes, 1)?});
    if bytes.arbitrary::<bool>()? {
        own["properties"] = value(bytes, 3)?;
    }
    for _ in 0..bytes.int_in_range(0..=MANY)? {
        match bytes.int_in_range(0..=9)? {
            0 => own["condition"] = value(bytes, 1)?,
            1 => {
                let mode = any(bytes, &["serial", "parallel"])?;
                own["copy"] =
                    json!({"name": any(bytes, LOOPS)?, "count": value(bytes, 1)?, "mode": mode, "batchSize": 1});
            }
            2 => own["dependsOn"] = Value::Array(several(bytes, dependency)?),
            3 => own["location"] = value(bytes, 1)?,
            4 => own["tags"] = value(bytes, 2)?,
            5 => own["scope"] = value(bytes, 1)?,
            6 => own["existing"] = json!(true),
            7 => {
                own[any(bytes, &["sku", "identity", "kind", "zones", "plan", "subscriptionId", "resourceGroup"])?] =
                    value(bytes, 2)?
            }
            _ if depth == 0 => own["comments"] = json!("deep"),
            8 => own["resources"] = Value::Array(several(bytes, |bytes| resource(bytes, depth - 1))?),
            _ => nested(bytes, depth, &mut own)?,
        }
    }
    Ok(own)
}

fn dependency(bytes: Bytes<'_, '_>) -> Result<Value> {
    if bytes.arbitrary()? { Ok(json!(any(bytes, SYMBOLS)?)) } else { value(bytes, 1) }
}

/// Makes a resource a deployment of another template.
fn nested(bytes: Bytes<'_, '_>, depth: usize, own: &mut Value) -> Result<()> {
    own["type"] = json!("Microsoft.Resources/deployments");
    own["properties"] = json!({
        "mode": "Incremental",
        "expressionEvaluationOptions": {"scope": any(bytes, &["inner", "outer", "notSpecified"])?},
        "parameters": members(bytes, PARAMETERS, |bytes| Ok(json!({"value": value(bytes, 2)?})))?,
        "template": template(bytes, depth - 1)?,
    });
    Ok(())
}

fn output(bytes: Bytes<'_, '_>) -> Result<Value> {
    let kind = any(bytes, &["string", "int", "bool", "object", "array", "securestring"])?;
    let mut own = json!({"type": kind, "value": value(bytes, 2)?});
    if seldom(bytes)? {
        own["condition"] = value(bytes, 1)?;
    }
    if seldom(bytes)? {
        own["copy"] = json!({"count": value(bytes, 1)?, "input": value(bytes, 2)?});
    }
    Ok(own)
}

/// A value of a template, which may have expressions.
fn value(bytes: Bytes<'_, '_>, depth: usize) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 | 1 => scalar(bytes)?,
        2..=4 => json!(format!("[{}]", expression(bytes, depth)?)),
        _ if depth == 0 => json!("[[escaped]"),
        5 => Value::Array(several(bytes, |bytes| value(bytes, depth - 1))?),
        _ => {
            let mut own = members(bytes, PROPERTIES, |bytes| value(bytes, depth - 1))?;
            if seldom(bytes)? {
                own["copy"] = loops(bytes)?;
            }
            own
        }
    })
}

/// An expression without brackets.
fn expression(bytes: Bytes<'_, '_>, depth: usize) -> Result<String> {
    let inner = |bytes: Bytes<'_, '_>| if depth == 0 { literal(bytes) } else { expression(bytes, depth - 1) };
    Ok(match bytes.int_in_range(0..=11)? {
        0 => literal(bytes)?,
        1 => format!("parameters('{}')", any(bytes, PARAMETERS)?),
        2 => format!("variables('{}')", any(bytes, VARIABLES)?),
        3 => format!("copyIndex('{}')", any(bytes, LOOPS)?),
        4 => any(
            bytes,
            &["copyIndex()", "resourceGroup()", "deployment()", "subscription()", "environment()", "deployer()"],
        )?
        .to_owned(),
        5 => format!("resourceId('{}', {})", any(bytes, TYPES)?, inner(bytes)?),
        6 => format!("reference({}, '2022-09-01', '{}')", inner(bytes)?, any(bytes, &["full", ""])?),
        7 => format!("reference('{}').{}", any(bytes, SYMBOLS)?, any(bytes, PROPERTIES)?),
        8 => format!("u.{}({})", any(bytes, &["f", "g", "h"])?, several(bytes, inner)?.join(", ")),
        9 => format!("{}.{}", inner(bytes)?, any(bytes, PROPERTIES)?),
        10 => {
            let name = any(bytes, &["map", "filter", "reduce", "sort", "toObject", "groupBy", "mapValues"])?;
            let variables = any(bytes, &["'x'", "'x', 'y'", "'x', 'y', 'z'"])?;
            let body = format!("{}(lambdaVariables('x'), {})", bytes.choose(&FUNCTIONS)?, inner(bytes)?);
            format!("{name}({}, lambda({variables}, {body}))", inner(bytes)?)
        }
        _ => format!("{}({})", bytes.choose(&FUNCTIONS)?, several(bytes, inner)?.join(", ")),
    })
}

fn literal(bytes: Bytes<'_, '_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=2)? {
        0 => bytes.int_in_range(-3..=9)?.to_string(),
        1 => bytes.arbitrary::<i64>()?.to_string(),
        _ => format!("'{}'", any(bytes, TEXTS)?),
    })
}
