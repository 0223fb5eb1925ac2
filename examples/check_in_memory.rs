//! Checks a template that is held in memory and prints what is found: `cargo run --example check_in_memory`.

use std::io;

use formwork::{Format, Rules, Status, Template};

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
    for finding in report.findings() {
        let severity = finding.severity.as_str();
        println!(
            "{}:{}:{}: {severity}: {} ({})",
            finding.file, finding.line, finding.column, finding.message, finding.rule
        );
    }
    if report.status() == Status::Incomplete {
        report.problems().for_each(|problem| eprintln!("{problem}"));
    }
    println!();
    report.render(Format::Markdown, &mut io::stdout().lock())
}
