//! `use-recent-az-powershell-version`: scripts for an old version of Azure PowerShell.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{Expr, property};
use crate::value::Value;

declare_checks! {
    pub(super) USE_RECENT_AZ_POWERSHELL_VERSION = Lint Low "bicep/use-recent-az-powershell-version" "Bicep.RecentAzurePowerShell"
        "A deployment script should run a recent version of Azure PowerShell"
        "Old versions have known defects, and their images are retired."
        "Set `azPowerShellVersion` to a recent version.";
}

/// Oldest version that is not reported, unless the configuration sets another.
const MINIMUM: &str = "11.0";

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let minimum = file
        .settings()
        .option("use-recent-az-powershell-version", "minimumversion")
        .and_then(Value::as_str)
        .unwrap_or(MINIMUM);
    let Some(least) = version(minimum) else { return Vec::new() };
    let mut found = Vec::new();
    for resource in &file.model.resources {
        let body = resource.body;
        let is_script = resource.ty.eq_ignore_ascii_case("Microsoft.Resources/deploymentScripts");
        let kind = body.get("kind").and_then(Expr::literal).filter(|_| is_script);
        let properties = body.get("properties").and_then(Expr::as_object);
        let written = properties.and_then(|properties| property(properties, "azPowerShellVersion"));
        let Some(written) = written.filter(|_| kind.is_some_and(|kind| kind.eq_ignore_ascii_case("AzurePowerShell")))
        else {
            continue;
        };
        if let Some(own) = written.literal().filter(|own| version(own).is_some_and(|own| own < least)) {
            found.push((written.span, format!("Azure PowerShell {own} is old; use {minimum} or a later one")));
        }
    }
    found
}

/// Parses a version of two to four numbers.
fn version(text: &str) -> Option<Vec<u32>> {
    let numbers: Vec<u32> = text.split('.').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    (2..=4).contains(&numbers.len()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn an_old_version_is_found() {
        let text = |kind: &str, version: &str| {
            let text = format!(
                "resource a 'Microsoft.Resources/deploymentScripts@2023-08-01' = {{
  name: 'a'
  kind: '{kind}'
  properties: {{ azPowerShellVersion: '{version}' }}
}}\n"
            );
            lines("use-recent-az-powershell-version", &text)
        };
        assert_eq!(text("azurepowershell", "10.4"), [4]);
        assert_eq!(text("AzurePowerShell", "9.7.1"), [4]);
        assert_eq!(
            [text("AzurePowerShell", "11.0"), text("AzureCLI", "2.0"), text("AzurePowerShell", "x")],
            [[0; 0]; 3]
        );
    }
}
