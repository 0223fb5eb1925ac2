//! Scenarios: other values of parameters, under which a template deploys resources and branches that the given values
//! leave out.
//!
//! What a template deploys depends on its conditions, and these mostly compare parameters with strings. [`reader`]
//! reads them as formulas ([`formula`]) over the parameters whose values are open, [`goals`] finds what each resource
//! and each branch of `Fn::If` requires of conditions, and [`solve`] looks for values that meet many of these
//! requirements together. A value that a parameter file or an argument gives is a fact, and is not varied.
//!
//! [`reads`] asks the same formulas for values with which a resource reads another that is not deployed.
//!
//! **Invariant:** the values of one scenario can hold together. A value that the constraints of a parameter exclude is not
//! assumed, and a comparison that only a deployment decides is assumed once for all its uses.

mod formula;
mod goals;
mod reader;
mod reads;
mod solve;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use foldhash::HashMap;

use crate::assumed::Scenario;
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::evaluator::{At, Evaluator};
use crate::outcomes::Outcomes;
use crate::value::Str;

use self::formula::{FormulaScope, Formulas};

pub(super) use self::reads::check_reads;

/// Maximum number of scenarios of a template, besides the given one. Conditions that do not depend on each other share
/// one; each value of a parameter that resources are bound to needs its own.
pub(super) const MAX_SCENARIOS: usize = 8;

/// Results of the search for scenarios of a stack.
#[derive(Debug, Default)]
pub(super) struct FoundScenarios {
    /// The scenarios in which the resources and branches are deployed that the values of the stack leave out, as far as
    /// there are values that do that.
    pub(super) scenarios: Vec<Scenario>,
    /// The conditions whose operands are not known, and that no values make hold, or all do.
    pub(super) decided: HashMap<Str, bool>,
    is_bounded: bool,
}

/// Finds at most `most` scenarios of a stack whose IDs have a prefix.
pub(super) fn find(evaluator: &Evaluator<'_, '_>, prefix: &str, most: usize) -> FoundScenarios {
    let world = evaluator.stack.world;
    if world.is_exhausted() {
        return FoundScenarios::default();
    }
    // What is wrong with a condition was said when it was evaluated.
    let found = world.in_silence(|| cover(evaluator, prefix, most)).unwrap_or_default();
    let conditions = evaluator.stack.template.as_object().and_then(|template| template.member("Conditions"));
    if let Some(span) = conditions.and_then(|conditions| conditions.key_span).filter(|_| found.is_bounded) {
        let message = format!(
            "more than {MAX_SCENARIOS} combinations of conditions would deploy further resources or branches, of which \
             the first {MAX_SCENARIOS} are checked"
        );
        let problem = Diagnostic::new(Code::TemplateLimit, span, message).with_level(Level::Note);
        world.report(problem.not_checked(NotChecked::Branches));
    }
    found
}

/// Finds scenarios, like [`find`]. Returns `None` if all resources and branches are deployed already.
fn cover(evaluator: &Evaluator<'_, '_>, prefix: &str, most: usize) -> Option<FoundScenarios> {
    evaluator.stack.section("Conditions")?;
    let names = evaluator.declared_conditions().keys();
    let truth = |name: &Str| (name.clone(), evaluator.condition_named(name, None, At::START).outcomes);
    let given: HashMap<Str, Outcomes> = names.map(truth).collect();
    let goals::Open { goals, is_bounded } = goals::open(evaluator, &given);
    if goals.is_empty() {
        return None;
    }
    let formulas = Formulas::from_conditions(evaluator, FormulaScope::Given);
    let found = solve::cover(&formulas, &goals, most);
    let given = Rc::new(given);
    let scenario = |assignment| {
        let (values, comparisons) = formulas.values(assignment);
        let (prefix, decided) = (Str::from(prefix), Rc::default());
        Scenario { prefix, decided, values, comparisons, given: Rc::clone(&given) }
    };
    let scenarios = found.assignments.iter().map(scenario).collect();
    let open = given.iter().filter(|(_, truth)| truth.is_open()).map(|(name, _)| name);
    let result = |name: &Str| {
        let holds = [true, false].into_iter().find(|holds| solve::is_impossible(&formulas, name, !holds))?;
        Some((name.clone(), holds))
    };
    Some(FoundScenarios {
        scenarios,
        decided: open.filter_map(result).collect(),
        is_bounded: is_bounded || found.is_bounded,
    })
}
