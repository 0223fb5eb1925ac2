//! The stages of a check, on a generated deployment: `cargo bench`.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

use std::fmt::Write as _;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use formwork::machinery::{
    Context, Document, Limits, Offline, Request, RuleSet, Sources, Value, builtin_rules, expand, json, reader,
};

fn main() {
    divan::main();
}

/// A deployment with `modules` nested templates of ten storage accounts each, whose settings come through parameters and
/// variables.
fn template(modules: usize) -> String {
    let mut resources = String::new();
    for module in 0..modules {
        if module > 0 {
            resources.push(',');
        }
        write!(
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
        )
        .unwrap();
    }
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    format!(r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "resources": [{resources}]}}"#)
}

/// A parameter whose default has so many items, each of which meets constraints of every kind and a lambda.
fn constrained(items: usize) -> String {
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

struct Input {
    sources: Sources,
    text: Arc<str>,
}

impl Input {
    fn new(modules: usize) -> Self {
        Self::of(template(modules))
    }

    fn of(text: String) -> Self {
        Self { sources: Sources::new(), text: text.into() }
    }

    fn parse(&self) -> (formwork::machinery::FileId, Value) {
        let file = self.sources.add("main.json", Arc::clone(&self.text));
        (file, json::parse(file, &self.text, 256).value.unwrap())
    }

    fn expand(&self) -> Document {
        let (file, template) = self.parse();
        let (context, limits) = (Context::default(), Limits::default());
        let request = Request {
            file,
            template: &template,
            parameters: None,
            overrides: &[],
            context: &context,
            limits: &limits,
            states: false,
            loader: &Offline,
        };
        expand(&request).document.unwrap()
    }
}

/// A file as the Azure Verified Modules have them: much text, some structure.
fn bicep(resources: usize) -> String {
    let mut text = String::new();
    for at in 0..resources {
        write!(
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
        )
        .unwrap();
    }
    text
}

#[divan::bench(args = [10, 1000])]
fn read_bicep(bencher: Bencher<'_, '_>, resources: usize) {
    let sources = Sources::new();
    let text: Arc<str> = bicep(resources).into();
    let file = sources.add("main.bicep", Arc::clone(&text));
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| black_box(reader::read(file, &text)));
}

#[divan::bench(args = [10, 100])]
fn parse(bencher: Bencher<'_, '_>, modules: usize) {
    let input = Input::new(modules);
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.parse()));
}

#[divan::bench(args = [10, 100])]
fn parse_and_expand(bencher: Bencher<'_, '_>, modules: usize) {
    let input = Input::new(modules);
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.expand()));
}

#[divan::bench(args = [10, 100])]
fn check(bencher: Bencher<'_, '_>, modules: usize) {
    let input = Input::new(modules);
    let rules: RuleSet = builtin_rules(&input.sources);
    let document = input.expand();
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(rules.check(&document)));
}

/// A deployment that uses one large template `uses` times, by a loop. Reading its expressions is paid once: fifty uses
/// cost far less than fifty times one.
fn repeated(uses: usize) -> String {
    let settings = (0..100).map(|at| {
        format!(r#""setting{at}": "[if(equals(parameters('name'), 'none-{at}'), toUpper(concat('a', '{at}', uniqueString('{at}'))), 'b')]""#)
    });
    let settings = settings.collect::<Vec<_>>().join(",");
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    format!(
        r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "resources": [{{
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

#[divan::bench(args = [1, 50])]
fn uses_of_one_template(bencher: Bencher<'_, '_>, uses: usize) {
    let input = Input { sources: Sources::new(), text: repeated(uses).into() };
    bencher.counter(ItemsCount::new(uses)).bench_local(|| black_box(input.expand()));
}

#[divan::bench(args = [10_000])]
fn parse_constrained(bencher: Bencher<'_, '_>, items: usize) {
    let input = Input::of(constrained(items));
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.parse()));
}

#[divan::bench(args = [10_000])]
fn parse_and_check_constrained(bencher: Bencher<'_, '_>, items: usize) {
    let input = Input::of(constrained(items));
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.expand()));
}
