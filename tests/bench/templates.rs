//! Templates for Azure, of any size.

use std::fmt::Write as _;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// A deployment with `modules` nested templates of ten storage accounts each, whose settings come through parameters and
/// variables.
pub(crate) fn template(modules: usize) -> String {
    let mut resources = String::new();
    for module in 0..modules {
        if module > 0 {
            resources.push(',');
        }
        let _ = write!(
            resources,
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "module{module}",
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
              "parameters": {{"prefix": {{"value": "[format('st{{0}}', uniqueString(resourceGroup().id, '{module}'))]"}}}},
              "template": {{
                "parameters": {{"prefix": {{"type": "string"}}, "tls": {{"type": "string", "defaultValue": "TLS1_0"}}}},
                "variables": {{"settings": {{"tls": "[parameters('tls')]", "https": "[equals(parameters('tls'), 'TLS1_2')]"}}}},
                "resources": [{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01",
                  "name": "[concat(parameters('prefix'), copyIndex())]", "copy": {{"name": "accounts", "count": 10}},
                  "location": "[resourceGroup().location]", "kind": "StorageV2", "sku": {{"name": "Standard_LRS"}},
                  "properties": {{"minimumTlsVersion": "[variables('settings').tls]",
                    "supportsHttpsTrafficOnly": "[variables('settings').https]",
                    "networkAcls": {{"defaultAction": "Allow", "bypass": "AzureServices"}}}}}}]
              }}}}}}"#
        );
    }
    format!(r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "resources": [{resources}]}}"#)
}

/// A parameter whose default has so many items, each of which meets constraints of every kind and a lambda.
pub(crate) fn constrained(items: usize) -> String {
    let item = |at: usize| format!(r#"{{"name": "item-{at}", "size": {}, "tags": ["a"]}}"#, at % 100);
    let items: Vec<String> = (0..items).map(item).collect();
    format!(
        r##"{{"languageVersion": "2.0", "resources": {{}},
        "definitions": {{"item": {{"type": "object", "properties": {{
            "name": {{"type": "string", "minLength": 3, "maxLength": 24}},
            "size": {{"type": "int", "minValue": 0, "maxValue": 100}},
            "tags": {{"type": "array", "allowedValues": ["a", "b"]}}
        }}, "additionalProperties": false,
        "validate": ["[lambda('x', startsWith(lambdaVariables('x').name, 'item-'))]", "items are named so"]}}}},
        "parameters": {{"items": {{"type": "array", "items": {{"$ref": "#/definitions/item"}}, "defaultValue": [{}]}}}}}}"##,
        items.join(",")
    )
}

/// A file as the Azure Verified Modules have them: much text, some structure.
pub(crate) fn bicep(resources: usize) -> String {
    let mut text = String::new();
    for at in 0..resources {
        let _ = write!(
            text,
            "@description('Optional. The settings of account {at}; they may be overridden by the parent deployment.')
param settings{at} {{
  @description('Required. The name of the account.')
  name: string
  tags: object?
}}[]?

// Accounts are deployed one after the other.
@batchSize(1)
resource account{at} 'Microsoft.Storage/storageAccounts@2023-05-01' = [for (item, index) in (settings{at} ?? []): if (enabled) {{
  name: '${{prefix}}-${{item.name}}-${{index}}'
  location: location
  kind: 'StorageV2'
  tags: item.?tags ?? tags
  properties: {{
    ...(!empty(item.?domain) ? {{ customDomain: {{ name: item.domain, useSubDomainName: false }} }} : {{}})
    minimumTlsVersion: 'TLS1_2'
    networkAcls: {{
      bypass: 'AzureServices'
      virtualNetworkRules: [
        {{ id: subnet.id, action: 'Allow' }}
      ]
    }}
  }}
}}]

"
        );
    }
    text
}

/// A deployment that uses one large template `uses` times, by a loop. Reading its expressions is paid once: fifty uses
/// cost far less than fifty times one.
pub(crate) fn repeated(uses: usize) -> String {
    let settings = (0..100).map(|at| {
        format!(r#""setting{at}": "[if(equals(parameters('name'), 'none-{at}'), toUpper(concat('a', '{at}', uniqueString('{at}'))), 'b')]""#)
    });
    let settings = settings.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "resources": [{{
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "[concat('m', copyIndex())]",
        "copy": {{"name": "uses", "count": {uses}}},
        "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
          "parameters": {{"name": {{"value": "[concat('n', copyIndex())]"}}}},
          "template": {{
            "parameters": {{"name": {{"type": "string"}}}},
            "resources": [{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[parameters('name')]",
              "properties": {{{settings}}}}}]
          }}}}}}]}}"#
    )
}

/// A template of one storage account, which no other of these templates has.
pub(crate) fn account(at: usize) -> String {
    format!(
        r#"{{
  "$schema": "{SCHEMA}",
  "contentVersion": "1.0.0.0",
  "parameters": {{"prefix": {{"type": "string", "defaultValue": "data{at}"}}}},
  "resources": [
    {{
      "type": "Microsoft.Storage/storageAccounts",
      "apiVersion": "2023-01-01",
      "name": "[concat(parameters('prefix'), uniqueString(resourceGroup().id))]",
      "location": "[resourceGroup().location]",
      "kind": "StorageV2",
      "sku": {{"name": "Standard_LRS"}},
      "properties": {{"supportsHttpsTrafficOnly": true, "minimumTlsVersion": "TLS1_0"}}
    }}
  ]
}}
"#
    )
}

/// As many resources as `loops` times 800, which is the most that one loop may have.
pub(crate) fn loops(loops: usize) -> String {
    let one = |at: usize| {
        format!(
            r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "[concat('data{at}x', copyIndex())]",
    "copy": {{"name": "loop{at}", "count": 800}}, "location": "westeurope", "kind": "StorageV2", "sku": {{"name": "Standard_LRS"}},
    "properties": {{"minimumTlsVersion": "[if(equals(mod(copyIndex(), 2), 0), 'TLS1_2', 'TLS1_0')]"}}}}"#
        )
    };
    let resources: Vec<String> = (0..loops).map(one).collect();
    format!(r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "resources": [{}]}}"#, resources.join(",\n"))
}

/// A template that declares many parameters, and uses none.
pub(crate) fn parameters(count: usize) -> String {
    let one = |at: usize| format!(r#""parameter{at}": {{"type": "string"}}"#);
    let parameters: Vec<String> = (0..count).map(one).collect();
    let parameters = parameters.join(",\n");
    format!(
        r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "parameters": {{{parameters}}}, "resources": []}}"#
    )
}
