//! Codes of Bicep's compiler as rules of reports and settings.

use std::sync::Arc;

use crate::bicep::codes::{self, BicepRule};
use crate::bicep::compiler::BICEP_WARNING;
use crate::diagnostic::{BicepCode, Level, Pillar, RuleDetails, RuleInfo, Severity};

/// Page of Bicep about the codes.
const PAGE: &str = "https://aka.ms/bicep/core-diagnostics";

/// Returns the descriptions of all codes.
pub(super) fn infos() -> impl Iterator<Item = RuleInfo> {
    codes::all().iter().map(info)
}

/// Returns the description of a code that is named `BCP053` or `bicep/BCP053`. `None` if Bicep has no such code.
pub fn bicep_rule(name: &str) -> Option<RuleInfo> {
    let name = name.to_ascii_uppercase();
    let code = BicepCode::read(name.strip_prefix("BICEP/").unwrap_or(&name))?;
    codes::all().iter().find(|rule| rule.code == code).map(info)
}

/// Returns the description of a code.
pub(super) fn bicep_info(code: BicepCode) -> RuleInfo {
    let known = codes::all().iter().find(|rule| rule.code == code).map(info);
    known.unwrap_or_else(|| described(code, format!("Bicep reports {code}"), Level::Warning))
}

fn info(rule: &BicepRule) -> RuleInfo {
    described(rule.code, format!("A Bicep file should not have this problem: {}", rule.title()), rule.level)
}

fn described(code: BicepCode, summary: String, level: Level) -> RuleInfo {
    let why = match level {
        Level::Error => "The Bicep compiler refuses the file. In some places, it only warns.",
        _ => {
            "The Bicep compiler warns. It builds the file, but the deployment may fail or do something else than meant."
        }
    };
    RuleInfo {
        id: code.rule_id(),
        name: code.to_string(),
        short_description: summary,
        full_description: why.to_owned(),
        recommendation: Some("Change what the message names.".to_owned()),
        help_uri: Some(format!("{PAGE}#{}", code.to_string().to_lowercase())),
        // An error is no finding: it means that the file cannot be built.
        severity: Severity::Low,
        resource_types: Vec::new(),
        definition: None,
        check: Some(BICEP_WARNING),
        details: Arc::new(RuleDetails { pillar: Some(Pillar::Operations), ..RuleDetails::default() }),
    }
}
