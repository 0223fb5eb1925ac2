//! Checks a template in memory and prints its findings: `cargo run --example check_in_memory`.

use std::io::{self, Write};

use formwork::{Finding, Format, Rules, Template};

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "httpsOnly": { "type": "bool" } },
  "resources": [
    {
      "type": "Microsoft.Web/sites",
      "apiVersion": "2022-09-01",
      "name": "app",
      "location": "westeurope",
      "properties": { "httpsOnly": "[parameters('httpsOnly')]" }
    }
  ]
}"#;

const PARAMETERS: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "httpsOnly": { "value": false } }
}"#;

fn main() -> io::Result<()> {
    let rules = Rules::builtin();
    let report = Template::new("main.json", TEMPLATE).with_parameters("main.parameters.json", PARAMETERS).check(&rules);
    let mut out = io::stdout().lock();
    for finding in report.findings() {
        let Finding { file, line, column, severity, message, rule, .. } = finding;
        writeln!(out, "{file}:{line}:{column}: {}: {message} ({rule})", severity.as_str())?;
    }
    for problem in report.problems() {
        writeln!(out, "{problem}")?;
    }
    writeln!(out)?;
    report.render(Format::Markdown, &mut out)
}
