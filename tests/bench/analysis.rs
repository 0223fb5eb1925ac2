//! What the built-in Bicep compiler does with each keystroke in an editor, in a process that is warm: `cargo bench --bench analysis`.
//!
//! The budget for a file of 300 lines with five modules is 10 ms. The median is its measure.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

use std::fmt::Write as _;
use std::path::Path;

use divan::{Bencher, black_box};
use formwork::machinery::{Memory, Sources, compile_bicep};

/// How many modules and resources the file has.
const MODULES: usize = 5;
const RESOURCES: usize = 17;

fn main() {
    divan::main();
}

/// A module with a resource, 28 lines long.
fn module(at: usize) -> String {
    let mut text = "targetScope = 'resourceGroup'

@description('The name')
@minLength(3)
param name string
param tags object = {}
"
    .to_owned();
    for output in 0..4 {
        writeln!(text, "param size{output} int = {output}").unwrap();
    }
    write!(
        text,
        "
resource account{at} 'Microsoft.Storage/storageAccounts@2023-01-01' = {{
  name: toLower('${{name}}{at}')
  location: resourceGroup().location
  tags: union(tags, {{ module: 'm{at}' }})
  sku: {{ name: 'Standard_LRS' }}
  kind: 'StorageV2'
  properties: {{
    minimumTlsVersion: 'TLS1_2'
    allowBlobPublicAccess: false
  }}
}}

output id string = account{at}.id
output blob string = account{at}.properties.primaryEndpoints.blob
output sizes int[] = [size0, size1, size2, size3]
"
    )
    .unwrap();
    text
}

/// A file of about 300 lines.
fn main_file() -> String {
    let mut text = "@description('Where')
param location string = resourceGroup().location
param prefix string
@allowed(['dev', 'prod'])
param stage string = 'dev'

type rule = { name: string, priority: int, note: string? }

param rules rule[] = []
var isProd = stage == 'prod'
var names = map(rules, rule => rule.name)
"
    .to_owned();
    for at in 0..MODULES {
        write!(
            text,
            "
module part{at} 'm{at}.bicep' = if (isProd || {at} > 0) {{
  name: 'part{at}'
  params: {{
    name: '${{prefix}}{at}'
    tags: {{ stage: stage, names: join(names, ',') }}
    size0: length(names)
  }}
}}
output blob{at} string = part{at}.?outputs.blob ?? ''
"
        )
        .unwrap();
    }
    for at in 0..RESOURCES {
        write!(
            text,
            "
resource group{at} 'Microsoft.Network/networkSecurityGroups@2023-09-01' = {{
  name: '${{prefix}}-nsg{at}'
  location: location
  properties: {{
    securityRules: [for rule in rules: {{
      name: rule.name
      properties: {{ priority: rule.priority + {at}, direction: 'Inbound', access: 'Deny', protocol: '*' }}
    }}]
  }}
}}
output id{at} string = group{at}.id
"
        )
        .unwrap();
    }
    text
}

/// Reading, analysis, the linter and the template of a file, and of its modules.
#[divan::bench]
fn a_file_with_five_modules(bencher: Bencher<'_, '_>) {
    let main = main_file();
    let modules: Vec<(String, String)> = (0..MODULES).map(|at| (format!("m{at}.bicep"), module(at))).collect();
    let files: Vec<(&str, &str)> = modules
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .chain([("main.bicep", main.as_str())])
        .collect();
    let analyze = || {
        let sources = Sources::new();
        compile_bicep(Path::new("/r/main.bicep"), &mut Memory::new(&sources, files.iter().copied()))
    };
    let made = analyze();
    assert!(made.is_valid() && main.lines().count() >= 250, "{:?}, {} lines", made.problems, main.lines().count());
    bencher.bench_local(|| black_box(analyze()));
}
