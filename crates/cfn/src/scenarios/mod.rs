//! Scenarios: other values of parameters, under which a template deploys resources and branches that the given values leave
//! out.
//!
//! What a template deploys depends on its conditions, and these mostly compare parameters with strings. [`formula`] reads
//! them as formulas over the parameters whose values are open, [`goals`] finds what each resource and each branch of
//! `Fn::If` requires of conditions, and [`solve`] looks for values that meet many of these requirements together. A value
//! that a parameter file or an argument gives is a fact, and is not varied.
//!
//! **Invariant:** the values of one scenario can hold together. A value that the constraints of a parameter exclude is not
//! assumed, and a comparison that only a deployment decides is assumed once for all its uses.

mod formula;
mod goals;
mod solve;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use foldhash::HashMap;

use crate::assumed::Scenario;
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::evaluator::{At, Evaluator};
use crate::loops::PREFIX;
use crate::value::Str;

use self::formula::Formulas;

/// How many scenarios of a template are looked at, besides the given one. Conditions that do not depend on each other
/// share one; each value of a parameter that resources are bound to needs one of its own.
const MAX_SCENARIOS: usize = 8;

/// The scenarios in which the resources and branches are deployed that the values of a stack leave out, as far as there are
/// values that do that.
pub(super) fn find(evaluator: &Evaluator<'_, '_>) -> Vec<Scenario> {
    let world = evaluator.stack.world;
    if world.is_exhausted() {
        return Vec::new();
    }
    // What is wrong with a condition was said when it was evaluated.
    let (scenarios, is_bounded) = world.in_silence(|| cover(evaluator)).unwrap_or_default();
    let conditions = evaluator.stack.template.as_object().and_then(|template| template.member("Conditions"));
    if let Some(span) = conditions.and_then(|conditions| conditions.key_span).filter(|_| is_bounded) {
        let message = format!(
            "more than {MAX_SCENARIOS} combinations of conditions would deploy further resources or branches, of which \
             the first {MAX_SCENARIOS} are checked"
        );
        let problem = Diagnostic::new(Code::TemplateLimit, span, message).with_level(Level::Note);
        world.report(problem.not_checked(NotChecked::Branches));
    }
    scenarios
}

/// The scenarios, and whether there would be more; `None` if all that the template has is deployed.
fn cover(evaluator: &Evaluator<'_, '_>) -> Option<(Vec<Scenario>, bool)> {
    let section = evaluator.stack.section("Conditions")?;
    let names = section.iter().map(|condition| &condition.key).filter(|name| !name.starts_with(PREFIX));
    let truth = |name: &Str| (name.clone(), evaluator.condition_named(name, None, At::START).decided());
    let given: HashMap<Str, Option<bool>> = names.map(truth).collect();
    let goals = goals::open(evaluator.stack, &given);
    if goals.is_empty() {
        return None;
    }
    let formulas = Formulas::of(evaluator, section);
    let found = solve::cover(&formulas, &goals, MAX_SCENARIOS);
    let given = Rc::new(given);
    let scenario = |assignment| {
        let (values, comparisons) = formulas.values(assignment);
        Scenario { values, comparisons, given: Rc::clone(&given) }
    };
    Some((found.assignments.iter().map(scenario).collect(), found.is_bounded))
}
