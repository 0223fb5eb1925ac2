//! Finds values of parameters that meet goals.

use crate::outcomes::Outcomes;
use crate::scenarios::formula::{Assignment, Formulas, OTHER, Operands};
use crate::scenarios::goals::Goal;
use crate::value::Str;

/// Maximum number of assignments that are tried for one goal.
const MAX_TRIED: usize = 500;

/// Maximum number of comparisons that are decided for one goal.
const MAX_DECIDED: u32 = 32;

/// The assignments that meet the goals which can be met.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) assignments: Vec<Assignment>,
    /// True if some goals need more assignments, or if the search for one took too long.
    pub(super) is_bounded: bool,
}

/// The result of a search.
pub(super) enum Met {
    By(Assignment),
    /// No values meet the goal.
    Never,
    /// None were found, but there may be some.
    Perhaps {
        is_bounded: bool,
    },
}

/// Finds at most `most` assignments. Each meets the first goal that none before it meets, and as many others as it can.
pub(super) fn cover(formulas: &Formulas, goals: &[Goal], most: usize) -> Found {
    let given = formulas.empty_assignment();
    let mut is_bounded = false;
    let mut waiting: Vec<&Goal> = Vec::new();
    for goal in goals {
        // The values that meet a goal by itself. A goal that none meet is never deployed.
        match meet(formulas, goal, &given) {
            Met::By(_) => waiting.push(goal),
            Met::Never => {}
            Met::Perhaps { is_bounded: is_long } => is_bounded |= is_long,
        }
    }
    let mut assignments = Vec::new();
    while !waiting.is_empty() && assignments.len() < most {
        let mut assignment = given.clone();
        waiting.retain(|goal| match meet(formulas, goal, &assignment) {
            Met::By(found) => {
                assignment = found;
                false
            }
            Met::Never | Met::Perhaps { .. } => true,
        });
        assignments.push(assignment);
    }
    Found { assignments, is_bounded: is_bounded || !waiting.is_empty() || formulas.is_exhausted() }
}

/// True if no values of parameters give a condition this result.
pub(super) fn is_impossible(formulas: &Formulas, condition: &Str, holds: bool) -> bool {
    let goal = vec![(condition.clone(), holds)];
    matches!(meet(formulas, &goal, &formulas.empty_assignment()), Met::Never) && !formulas.is_exhausted()
}

/// Returns the assignment, extended so that a goal is met.
fn meet(formulas: &Formulas, goal: &Goal, start: &Assignment) -> Met {
    let indexed = |(name, expected): &(Str, bool)| Some((formulas.index_of(name)?, *expected));
    let Some(goal) = goal.iter().map(indexed).collect::<Option<Vec<_>>>() else {
        return Met::Perhaps { is_bounded: false };
    };
    meet_indexed(formulas, &goal, start)
}

/// Returns the assignment in which a goal is met, and the rules that are about its conditions hold.
pub(super) fn meet_with_rules(formulas: &Formulas, goal: &Goal) -> Met {
    let indexed = |(name, expected): &(Str, bool)| Some((formulas.index_of(name)?, *expected));
    let Some(mut goal) = goal.iter().map(indexed).collect::<Option<Vec<_>>>() else {
        return Met::Perhaps { is_bounded: false };
    };
    let conditions: Vec<usize> = goal.iter().map(|(condition, _)| *condition).collect();
    goal.extend(formulas.rules_about(&conditions).into_iter().map(|rule| (rule, true)));
    meet_indexed(formulas, &goal, &formulas.empty_assignment())
}

fn meet_indexed(formulas: &Formulas, goal: &[(usize, bool)], start: &Assignment) -> Met {
    let mut search = Search { formulas, goal, tried: 0, is_bounded: false, is_open: false };
    match search.extend(start, 0) {
        Some(found) => Met::By(found),
        None if search.is_bounded || search.is_open => Met::Perhaps { is_bounded: search.is_bounded },
        None => Met::Never,
    }
}

struct Search<'a> {
    formulas: &'a Formulas,
    goal: &'a [(usize, bool)],
    tried: usize,
    /// True if a limit ended the search.
    is_bounded: bool,
    /// True if the search met a part whose results are not known for all values.
    is_open: bool,
}

impl Search<'_> {
    fn extend(&mut self, assignment: &Assignment, depth: u32) -> Option<Assignment> {
        self.tried += 1;
        if self.tried > MAX_TRIED || depth > MAX_DECIDED {
            self.is_bounded = true;
            return None;
        }
        let mut open = None;
        for &(condition, expected) in self.goal {
            match self.formulas.holds(condition, assignment).to_bool() {
                Some(truth) if truth == expected => {}
                Some(_) => return None,
                None => open = open.or(Some(condition)),
            }
        }
        let Some(open) = open else { return Some(assignment.clone()) };
        for comparison in self.formulas.undecided(open, assignment) {
            let options = self.options(comparison, assignment);
            if !options.is_empty() {
                self.is_open |= !self.formulas.is_exact(comparison);
                return options.iter().find_map(|option| self.extend(option, depth + 1));
            }
        }
        self.is_open = true;
        None
    }

    /// Returns the assignments that decide a comparison; those next to the given values come first.
    fn options(&self, at: usize, assignment: &Assignment) -> Vec<Assignment> {
        match self.formulas.comparisons.get(at).map(|comparison| &comparison.operands) {
            Some(Operands::One { variable, .. }) => self.choices(*variable, assignment),
            Some(Operands::Open { variables, given }) => {
                let first = *given != Outcomes::FALSE;
                let decide = |truth| self.decide(at, variables, truth, *given == Outcomes::from(truth), assignment);
                [first, !first].into_iter().filter_map(decide).collect()
            }
            Some(Operands::Unread { .. }) | None => Vec::new(),
        }
    }

    fn choices(&self, at: usize, assignment: &Assignment) -> Vec<Assignment> {
        let Some(variable) = self.formulas.variables.get(at) else { return Vec::new() };
        if assignment.choices.get(at).is_none_or(Option::is_some) {
            return Vec::new();
        }
        let others = (!variable.is_listed).then_some(OTHER);
        (0..variable.choices.len()).chain(others).filter_map(|choice| choose(assignment, at, choice)).collect()
    }

    /// Assumes the result `truth` of a comparison. If it `is_given`, the variables have their defaults; otherwise,
    /// other values.
    fn decide(
        &self,
        at: usize,
        variables: &[usize],
        truth: bool,
        is_given: bool,
        assignment: &Assignment,
    ) -> Option<Assignment> {
        let mut result = assignment.clone();
        for &variable in variables {
            let has_default = self.formulas.variables.get(variable)?.has_default;
            let choice = if is_given && has_default { 0 } else { OTHER };
            match assignment.choices.get(variable).copied()? {
                None => result = choose(&result, variable, choice)?,
                Some(known) if known == choice => {}
                Some(_) => return None,
            }
        }
        *result.open.get_mut(at)? = Outcomes::from(truth);
        Some(result)
    }
}

fn choose(assignment: &Assignment, variable: usize, choice: usize) -> Option<Assignment> {
    let mut result = assignment.clone();
    *result.choices.get_mut(variable)? = Some(choice);
    Some(result)
}
