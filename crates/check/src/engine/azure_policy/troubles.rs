//! Problems of the policies of a run that are reported once, and not for each resource: policies that cannot be
//! evaluated.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt as _};

use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::policy::documents::Problem;
use crate::policy::{Assignment, Exemption, InForce, Policies, Trouble};
use crate::report::counted;
use crate::text::Span;

/// Definitions that assignments put in force and that decide nothing: one for each reason, at the first assignment that
/// it is about. Those whose own document is wrong are reported there.
pub(super) fn of_definitions(policies: &Policies, troubles: Vec<Trouble>) -> Vec<Diagnostic> {
    let mut all: Vec<(Diagnostic, usize)> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for Trouble { assignment, definition, why, is_of_document, .. } in troubles {
        let Some(assignment) = policies.assignments.get(assignment) else { continue };
        let Some(span) = assignment.span.filter(|_| !is_of_document && !is_refused(assignment)) else { continue };
        if let Some((_, more)) = known.get(&why).and_then(|at| all.get_mut(*at)) {
            *more += 1;
            continue;
        }
        let message = format!("assignment `{}`: policy `{definition}` decides nothing: {why}", assignment.name);
        known.insert(why, all.len());
        let problem = Diagnostic::new(Code::AzurePolicyUnresolved, span, message).not_checked(NotChecked::Policy);
        all.push((problem, 0));
    }
    let with_number = |(diagnostic, more): (Diagnostic, usize)| match more {
        0 => diagnostic,
        more => diagnostic.with_help(format!("the same is true of {more} more in the assignments")),
    };
    all.into_iter().map(with_number).collect()
}

/// Assignments of which a scope has a part that a deployment tool fills in, so that it is not known where they apply.
pub(super) fn of_scopes(policies: &Policies) -> Vec<Diagnostic> {
    let diagnostic = |assignment: &Assignment| {
        let scope = assignment.placeholder()?;
        let span = assignment.span.filter(|_| !is_refused(assignment))?;
        let name = &assignment.name;
        let message = format!("assignment `{name}` applies perhaps: a part of its scope `{scope}` is a placeholder");
        let problem = Diagnostic::new(Code::AzurePolicyUnresolved, span, message).not_checked(NotChecked::Policy);
        Some(problem.with_help("replace placeholders before the check, as your deployment does"))
    };
    policies.assignments.iter().filter_map(diagnostic).collect()
}

/// Reports a definition that takes more than its share of the steps, so that it does not decide about all resources of
/// a template.
pub(super) fn of_limit(policies: &Policies, trouble: &Trouble, template: Span) -> Diagnostic {
    let Trouble { assignment, definition, why, .. } = trouble;
    let own = policies.definitions.iter().find(|own| own.name.eq_ignore_ascii_case(definition));
    let assigned = || policies.assignments.get(*assignment).and_then(|assignment| assignment.span);
    let span = own.and_then(|own| own.span).or_else(assigned).unwrap_or(template);
    let message = format!("policy `{definition}` cannot be evaluated: {why}");
    let help = "make its conditions simpler, for example with fewer `count` expressions inside each other";
    Diagnostic::new(Code::ExpressionLimit, span, message).with_help(help)
}

/// Exemptions from assignments that are nowhere, where there are assignments at all, or of which it is not known which
/// are meant.
pub(super) fn of_exemptions(policies: &Policies, in_force: &InForce<'_>) -> Vec<Diagnostic> {
    // What nothing assigns is tried at the root.
    let is_tried = policies.assignments.iter().all(|assignment| assignment.scope.as_deref() == Some("/"));
    let about = |at: usize, message: &dyn Fn(&Exemption) -> String| {
        let exemption = policies.exemptions.get(at)?;
        let span = exemption.span.filter(|_| exemption.problems.is_empty())?;
        Some(warning(span, format!("exemption `{}`: {}", exemption.name, message(exemption))))
    };
    let is_not_there = |exemption: &Exemption| format!("the assignment `{}` is not there", exemption.assignment);
    let is_vague = |exemption: &Exemption| {
        let id = &exemption.assignment;
        format!("`{id}` is not the whole ID of an assignment, so that it is not known whether anything is exempt")
    };
    let alone = in_force.exemptions_without_assignment().into_iter().filter(|_| !is_tried);
    let alone = alone.filter_map(|at| about(at, &is_not_there));
    let by_name = in_force.exemptions_by_name().into_iter().filter_map(|at| about(at, &is_vague));
    alone.chain(by_name).collect()
}

/// Definitions that are not evaluated, because services judge their modes, such as `Microsoft.Kubernetes.Data`: how
/// many, at the first assignment of one.
pub(super) fn of_services(policies: &Policies, in_force: &InForce<'_>) -> Option<Diagnostic> {
    let mut modes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut place = None;
    for (assignment, mode) in in_force.of_provider_modes() {
        *modes.entry(mode).or_default() += 1;
        place = place.or_else(|| policies.assignments.get(assignment)?.span);
    }
    let count = modes.values().sum();
    let listed: Vec<String> = modes.iter().map(|(mode, count)| format!("`{mode}` ({count})")).collect();
    let (definitions, listed) = (counted(count, "assigned definition"), listed.join(", "));
    let message = format!("{definitions} not evaluated, because services judge these modes themselves: {listed}");
    Some(Diagnostic::new(Code::AzurePolicyNotJudged, place?, message))
}

fn is_refused(assignment: &Assignment) -> bool {
    assignment.problems.iter().any(|problem: &Problem| problem.span.is_some())
}

fn warning(span: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::AzurePolicyInvalid, span, message).with_level(Level::Warning)
}
