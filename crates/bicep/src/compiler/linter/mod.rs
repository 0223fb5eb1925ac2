//! Bicep's linter. It reads every branch, and ignores the values of parameters.
//!
//! [`rules`] are the checks, and [`mod@file`] is their input. The settings of the configuration decide which of them
//! run, and at which level.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter>.

mod file;
mod rules;
mod same;
#[cfg(test)]
mod tests;

use formwork_model::declare_checks;

use crate::compiler::emitter::World;
use crate::compiler::linter::file::LintFile;
use crate::compiler::linter::rules::{RULES, Rule};
use crate::compiler::model::Model;
use crate::diagnostic::{Check, CheckKind, Diagnostic, Level, Severity};
use crate::language::ast::DeclarationKind;
use crate::model::Issue;
use crate::text::Span;

/// Returns the findings in the files of the repository. Files with syntax errors are skipped.
pub(super) fn issues<'w>(world: &'w World<'w>) -> Vec<Issue> {
    let mut found = Vec::new();
    for model in world.models.iter().flatten() {
        if model.is_parameters() || model.unit.is_broken || model.unit.registry.is_some() {
            continue;
        }
        let linter = &model.unit.configuration.linter;
        let levels = RULES.iter().filter_map(|rule| Some((rule, linter.level(rule.name, rule.level)?)));
        let running: Vec<(&Rule, Level)> = levels.collect();
        if running.is_empty() {
            continue;
        }
        let file = LintFile::new(model, world);
        for (rule, level) in running {
            let severity = severity(level, rule.check);
            let is_pedantic = rule.is_style && !linter.names(rule.name);
            found.extend((rule.find)(&file).into_iter().map(|(span, message)| Issue {
                severity,
                is_pedantic,
                ..Issue::new(rule.check, path(model, span), span, message)
            }));
        }
    }
    found
}

/// Returns the checks that the rules declare, and the one for warnings of the compiler.
pub fn lint_checks() -> impl Iterator<Item = Check> {
    RULES.iter().map(|rule| rule.check).filter(|check| check.kind() == CheckKind::Lint).chain([BICEP_WARNING])
}

/// Returns the check for a rule of the linter, by its name in any case. `None` for an unknown name.
pub fn check_of_rule(name: &str) -> Option<Check> {
    RULES.iter().find(|rule| rule.name.eq_ignore_ascii_case(name)).map(|rule| rule.check)
}

declare_checks! {
    pub BICEP_WARNING = Lint Low "bicep/warning" "Bicep.Warning"
        "A Bicep file should have no warnings of the compiler"
        "Bicep builds the file, and the deployment is likely to fail or to do something else than meant. Each warning has the ID of its code, such as `bicep/BCP318`; `docs/bicep-codes.md` lists them."
        "Change what the message names.";
}

/// Codes that compare resources with Azure's published types, which have mistakes. The checks of the family `schema/`
/// report most of what is certain.
const OF_TYPES: [&str; 15] = [
    "BCP034", "BCP035", "BCP036", "BCP037", "BCP040", "BCP073", "BCP081", "BCP088", "BCP089", "BCP174", "BCP187",
    "BCP225", "BCP334", "BCP335", "BCP416",
];

/// Returns the finding for a warning of the compiler in a `.bicep` file.
pub(super) fn compiler_warning(world: &World<'_>, warning: &Diagnostic) -> Option<Issue> {
    let span = warning.primary.span;
    let model = world.models.iter().flatten().find(|model| model.file == span.file)?;
    let code = warning.bicep_code.filter(|_| !model.is_parameters())?;
    Some(Issue {
        bicep_code: Some(code),
        is_pedantic: OF_TYPES.contains(&code.to_string().as_str()),
        ..Issue::new(BICEP_WARNING, path(model, span), span, warning.message.clone())
    })
}

/// Returns the severity of a rule's findings at a level, if it differs from the check's. Only findings with the level
/// error fail a run.
fn severity(level: Level, check: Check) -> Option<Severity> {
    let is_high = check.severity() == Severity::High;
    match level {
        Level::Error => Some(Severity::High),
        _ => is_high.then_some(Severity::Low),
    }
}

/// Returns the path of the declaration around a span: its section and name.
fn path(model: &Model<'_>, span: Span) -> String {
    let after = model.declarations.partition_point(|declaration| {
        let first = declaration.decorators.first().map_or(declaration.span, |decorator| decorator.span);
        first.start <= span.start
    });
    let Some(around) = after.checked_sub(1).and_then(|at| model.declarations.get(at)) else { return String::new() };
    let section = match &around.kind {
        DeclarationKind::Param { .. } => "parameters",
        DeclarationKind::Var { .. } => "variables",
        DeclarationKind::Type { .. } => "definitions",
        DeclarationKind::Func(_) => "functions",
        DeclarationKind::Output { .. } => "outputs",
        DeclarationKind::Resource(_) | DeclarationKind::Module(_) => "resources",
        _ => return String::new(),
    };
    around.name().map_or_else(String::new, |name| format!("{section}.{}", name.text))
}
