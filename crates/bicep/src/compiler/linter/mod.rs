//! What Bicep's linter says of a file, in every branch and whatever the values of its parameters are.
//!
//! [`rules`] finds what is wrong, [`mod@file`] is what the rules see, and [`settings`] says which of them run, and at which
//! level.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter>.

mod file;
mod rules;
mod same;
mod settings;
#[cfg(test)]
mod tests;

pub(super) use self::settings::Linter;

use crate::compiler::emitter::World;
use crate::compiler::linter::file::File;
use crate::compiler::linter::rules::{RULES, Rule};
use crate::compiler::model::Model;
use crate::diagnostic::{Check, Level, Severity};
use crate::language::ast::{Declaration, DeclarationKind};
use crate::model::Issue;
use crate::text::Span;

/// What is wrong in the files of the repository. Nothing is said of those that cannot be parsed in full.
pub(super) fn issues<'w>(world: &'w World<'w>) -> Vec<Issue> {
    let is_linted =
        |model: &&Model<'_>| !model.is_parameters() && !model.unit.is_broken && model.unit.registry.is_none();
    let mut found = Vec::new();
    for model in world.models.iter().flatten().filter(is_linted) {
        let level = |rule: &'static Rule| Some((rule, model.unit.configuration.linter.level(rule.name, rule.level)?));
        let running: Vec<(&Rule, Level)> = RULES.iter().filter_map(level).collect();
        if running.is_empty() {
            continue;
        }
        let file = File::new(model, world);
        for (rule, level) in running {
            let severity = severity(level, rule.check);
            let is_pedantic = rule.is_style && !model.unit.configuration.linter.names(rule.name);
            found.extend((rule.find)(&file).into_iter().map(|(span, message)| Issue {
                severity,
                is_pedantic,
                ..Issue::new(rule.check, path(model, span), span, message)
            }));
        }
    }
    found
}

/// The severity of what a rule finds at a level, if it is not that of its check. Only an error fails a check.
fn severity(level: Level, check: Check) -> Option<Severity> {
    let is_high = check.info().severity == Severity::High;
    match level {
        Level::Error => Some(Severity::High),
        _ => is_high.then_some(Severity::Low),
    }
}

/// The section and the name of the declaration at a place in a file.
fn path(model: &Model<'_>, span: Span) -> String {
    let start = |declaration: &Declaration| {
        declaration.decorators.first().map_or(declaration.span.start, |decorator| decorator.span.start)
    };
    let after = model.declarations.partition_point(|declaration| start(declaration) <= span.start);
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
