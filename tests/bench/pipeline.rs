//! The stages of a check, on a generated deployment: `cargo bench`.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

use std::fmt::Write as _;
use std::sync::Arc;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use formwork::machinery::{
    Context, Document, Limits, Request, RuleSet, Sources, Value, builtin_rules, expand, json, reader,
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

struct Input {
    sources: Sources,
    text: Arc<str>,
}

impl Input {
    fn new(modules: usize) -> Self {
        Self { sources: Sources::new(), text: template(modules).into() }
    }

    fn parse(&self) -> (formwork::machinery::FileId, Value) {
        let file = self.sources.add("main.json", Arc::clone(&self.text));
        (file, json::parse(file, &self.text, 256).value.unwrap())
    }

    fn expand(&self) -> Document {
        let (file, template) = self.parse();
        let (context, limits) = (Context::default(), Limits::default());
        let request =
            Request { file, template: &template, parameters: None, overrides: &[], context: &context, limits: &limits };
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
