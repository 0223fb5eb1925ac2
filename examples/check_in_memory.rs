//! Checks Bicep files in memory and prints what was found, with fixes: `cargo run --example check_in_memory`.

use std::io::{self, Write};

use formwork::{Files, Finding, Format, Rules};

const MAIN: &str = "module site 'modules/site.bicep' = {
  name: 'site'
  params: {
    secure: false
  }
}
";

const SITE: &str = "param secure bool

resource app 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app'
  location: 'westeurope'
  properties: {
    httpsOnly: secure
    siteConfig: { minTlsVersion: '1.0' }
  }
}
";

fn main() -> io::Result<()> {
    let rules = Rules::builtin();
    let report = Files::new().with("main.bicep", MAIN).with("modules/site.bicep", SITE).check(&rules);
    let mut out = io::stdout().lock();
    for finding in report.findings() {
        let Finding { file, line, column, severity, message, rule, .. } = &finding;
        writeln!(out, "{file}:{line}:{column}: {}: {message} ({rule})", severity.as_str())?;
        for fix in finding.fixes() {
            writeln!(out, "  fix: {}", fix.description)?;
            for edit in &fix.edits {
                let (start, end) = (edit.start, edit.end);
                writeln!(
                    out,
                    "    {}:{}:{}-{}:{}: {}",
                    edit.file, start.line, start.column, end.line, end.column, edit.new_text
                )?;
            }
        }
    }
    for problem in report.problems() {
        writeln!(out, "{problem}")?;
    }
    writeln!(out)?;
    report.render(Format::Markdown, &mut out)
}
