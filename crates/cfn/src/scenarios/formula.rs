//! Conditions as formulas over the parameters whose values are open.

use std::cell::Cell;

use foldhash::{HashMap, HashSet};

use crate::outcomes::Outcomes;
use crate::text::Span;
use crate::value::{Kind, Str, Unknown, Value};

/// Maximum number of steps for all evaluations of the formulas of a template.
const MAX_STEPS: usize = 2_000_000;

/// Maximum depth of conditions that are defined by other conditions.
const MAX_DEPTH: u32 = 64;

/// The choice of a value that is none of those that conditions compare with. It stands for many, so it is not known.
pub(super) const OTHER: usize = usize::MAX;

/// The conditions that were evaluated with one assignment, by their index.
type Memo = HashMap<usize, Outcomes>;

/// A part of a condition.
#[derive(Debug)]
pub(super) enum Formula {
    /// A part that does not depend on an open parameter.
    Known(Outcomes),
    /// The comparison at this index.
    Compared(usize),
    /// The condition at this index.
    Named(usize),
    Not(Box<Formula>),
    /// `Fn::And` (`true`) or `Fn::Or`.
    Each(bool, Vec<Formula>),
}

/// A parameter or a pseudo parameter whose value is open.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: Str,
    pub(super) kind: Kind,
    /// The values that it may have, the default first.
    pub(super) choices: Vec<Value>,
    /// True if the first choice is the default.
    pub(super) has_default: bool,
    /// True if the variable cannot have a value other than the choices.
    pub(super) is_listed: bool,
    /// True if there are more distinct values than choices.
    pub(super) is_cut: bool,
    pub(super) source: VariableSource,
}

/// Origin of the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableSource {
    /// A parameter file, an argument, or the deployment.
    Given,
    /// The Parameter Store, so that it cannot be given.
    Stored,
}

/// A call of `Fn::Equals` that depends on an open parameter, or on what only a deployment knows.
#[derive(Debug)]
pub(super) struct EqualsCall {
    /// The calls that compare these operands.
    pub(super) spans: Vec<Span>,
    pub(super) operands: Operands,
}

#[derive(Debug)]
pub(super) enum Operands {
    /// Operands that depend on one variable: the result for each of its choices, and for any other value.
    One { variable: usize, by_choice: Vec<Outcomes>, other: Outcomes },
    /// Operands with either result, if the variables have other values than the given ones.
    Open { variables: Vec<usize>, given: Outcomes },
    /// A call of a function that is not evaluated, and the variables that it depends on.
    Unread { variables: Vec<usize> },
}

/// Assumed values. `None` stands for the value in the given scenario.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// The choice of each variable.
    pub(super) choices: Vec<Option<usize>>,
    /// Outcomes of each comparison with [`Operands::Open`]: open if nothing is assumed of it.
    pub(super) open: Vec<Outcomes>,
}

/// Deployments that formulas are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormulaScope {
    /// The given values of parameters.
    Given,
    /// The arguments of a nested stack.
    Nested,
    /// Any values of parameters that the rules of the template allow.
    Any,
}

/// The conditions of a template.
#[derive(Debug)]
pub(super) struct Formulas {
    /// The declared conditions, and then the rules.
    pub(super) conditions: Vec<Formula>,
    /// The rules, by their index.
    pub(super) rules: Vec<usize>,
    pub(super) by_name: HashMap<Str, usize>,
    pub(super) variables: Vec<Variable>,
    pub(super) comparisons: Vec<EqualsCall>,
    pub(super) steps: Cell<usize>,
}

impl Formulas {
    /// Returns the rules that depend on a variable which decides one of these conditions.
    pub(super) fn rules_about(&self, conditions: &[usize]) -> Vec<usize> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let mut known: HashSet<usize> = conditions.iter().flat_map(|&condition| self.variables_of(condition)).collect();
        let mut waiting: Vec<(usize, Vec<usize>)> =
            self.rules.iter().map(|&rule| (rule, self.variables_of(rule))).collect();
        let mut found = Vec::new();
        loop {
            let is_about = |(_, variables): &(usize, Vec<usize>)| variables.iter().any(|at| known.contains(at));
            let (about, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_about);
            self.steps.set(self.steps.get().saturating_add(about.len() + rest.len()));
            if about.is_empty() || self.is_exhausted() {
                return found;
            }
            found.extend(about.iter().map(|(rule, _)| *rule));
            known.extend(about.into_iter().flat_map(|(_, variables)| variables));
            waiting = rest;
        }
    }

    /// Returns the variables that may decide a condition.
    fn variables_of(&self, condition: usize) -> Vec<usize> {
        let comparisons = self.undecided(condition, &self.empty_assignment());
        let comparisons = comparisons.iter().filter_map(|&at| self.comparisons.get(at));
        let variables = comparisons.flat_map(|comparison| match &comparison.operands {
            Operands::One { variable, .. } => std::slice::from_ref(variable),
            Operands::Open { variables, .. } | Operands::Unread { variables } => variables,
        });
        variables.copied().collect()
    }

    /// Returns `true` if an assignment assumes the results of two comparisons whose operands may depend on each other.
    pub(super) fn is_doubtful(&self, assignment: &Assignment) -> bool {
        let mut seen: HashMap<usize, usize> = HashMap::default();
        let mut has_assumed = false;
        for (comparison, assumed) in self.comparisons.iter().zip(&assignment.open) {
            let Operands::Open { variables, given } = &comparison.operands else { continue };
            if assumed.is_open() {
                continue;
            }
            has_assumed |= given != assumed;
            for &at in variables {
                *seen.entry(at).or_default() += 1;
            }
        }
        has_assumed && seen.values().any(|&count| count > 1)
    }

    /// True if the choices of the variable of a comparison tell all that it may give.
    pub(super) fn is_exact(&self, comparison: usize) -> bool {
        match self.comparisons.get(comparison).map(|comparison| &comparison.operands) {
            Some(Operands::One { variable, by_choice, other }) => {
                let is_decided = !by_choice.iter().any(|outcomes| outcomes.is_open());
                let variable = self.variables.get(*variable);
                is_decided
                    && variable.is_some_and(|variable| !variable.is_cut && (variable.is_listed || !other.is_open()))
            }
            _ => false,
        }
    }

    /// Returns the assignment that assumes nothing.
    pub(super) fn empty_assignment(&self) -> Assignment {
        Assignment { choices: vec![None; self.variables.len()], open: vec![Outcomes::UNKNOWN; self.comparisons.len()] }
    }

    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns `true` if the search used up its steps.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() > MAX_STEPS
    }

    /// Returns the outcomes of a condition for all values of unassigned variables.
    pub(super) fn holds(&self, condition: usize, assignment: &Assignment) -> Outcomes {
        self.named(condition, assignment, &mut Memo::default(), 0)
    }

    fn named(&self, at: usize, assignment: &Assignment, known: &mut Memo, depth: u32) -> Outcomes {
        if let Some(known) = known.get(&at) {
            return *known;
        }
        // Until it is known, a condition that depends on itself is not.
        known.insert(at, Outcomes::UNKNOWN);
        let Some(condition) = self.conditions.get(at) else { return Outcomes::UNKNOWN };
        let truth = self.truth(condition, assignment, known, depth);
        known.insert(at, truth);
        truth
    }

    fn truth(&self, formula: &Formula, assignment: &Assignment, known: &mut Memo, depth: u32) -> Outcomes {
        self.steps.set(self.steps.get().saturating_add(1));
        if depth > MAX_DEPTH || self.is_exhausted() {
            return Outcomes::UNKNOWN;
        }
        match formula {
            Formula::Known(truth) => *truth,
            Formula::Compared(at) => self.compared(*at, assignment),
            Formula::Named(at) => self.named(*at, assignment, known, depth + 1),
            Formula::Not(inner) => self.truth(inner, assignment, known, depth + 1).negated(),
            Formula::Each(all, parts) => {
                let parts = parts.iter().map(|part| self.truth(part, assignment, known, depth + 1));
                if *all { Outcomes::all(parts) } else { Outcomes::any(parts) }
            }
        }
    }

    /// Returns the outcomes of a comparison for all values of unassigned variables.
    pub(super) fn compared(&self, at: usize, assignment: &Assignment) -> Outcomes {
        let outcomes = match self.comparisons.get(at).map(|comparison| &comparison.operands) {
            Some(Operands::One { variable, by_choice, other }) => match assignment.choices.get(*variable) {
                Some(Some(OTHER)) => Some(other),
                Some(Some(choice)) => by_choice.get(*choice),
                _ => None,
            },
            Some(Operands::Open { .. }) => assignment.open.get(at),
            Some(Operands::Unread { .. }) | None => None,
        };
        outcomes.copied().unwrap_or(Outcomes::UNKNOWN)
    }

    /// Returns the comparisons that decide a condition and are not decided.
    pub(super) fn undecided(&self, condition: usize, assignment: &Assignment) -> Vec<usize> {
        let (mut found, mut seen) = (Vec::new(), vec![false; self.conditions.len()]);
        let mut waiting: Vec<&Formula> = Vec::new();
        let enter = |at: usize, seen: &mut [bool]| {
            let is_new = seen.get_mut(at).is_some_and(|seen| !std::mem::replace(seen, true));
            self.conditions.get(at).filter(|_| is_new)
        };
        waiting.extend(enter(condition, &mut seen));
        while let Some(formula) = waiting.pop() {
            self.steps.set(self.steps.get().saturating_add(1));
            match formula {
                Formula::Known(_) => {}
                Formula::Compared(at) if self.compared(*at, assignment).is_open() => found.push(*at),
                Formula::Compared(_) => {}
                Formula::Named(at) => waiting.extend(enter(*at, &mut seen)),
                Formula::Not(inner) => waiting.push(inner),
                Formula::Each(_, parts) => waiting.extend(parts.iter().rev()),
            }
        }
        found
    }

    /// Returns the values that an assignment gives to parameters, and what comparisons give that these do not decide.
    pub(super) fn values(&self, assignment: &Assignment) -> (Vec<(Str, Value)>, HashMap<Span, bool>) {
        let chosen = self.variables.iter().zip(&assignment.choices);
        let value = |(variable, choice): (&Variable, &Option<usize>)| {
            let value = match (*choice)? {
                _ if variable.source == VariableSource::Stored => return None,
                0 if variable.has_default => return None,
                OTHER => other(variable),
                choice => variable.choices.get(choice)?.clone(),
            };
            Some((variable.name.clone(), value))
        };
        let values = chosen.filter_map(value).collect();
        let is_stored = |variable: usize| {
            self.variables.get(variable).is_some_and(|variable| variable.source == VariableSource::Stored)
        };
        let is_other = |variable: usize| assignment.choices.get(variable) == Some(&Some(OTHER)) || is_stored(variable);
        let decided = |(at, comparison): (usize, &EqualsCall)| {
            let is_open = match &comparison.operands {
                Operands::One { variable, .. } => is_other(*variable),
                Operands::Open { .. } | Operands::Unread { .. } => true,
            };
            let result = self.compared(at, assignment).to_bool().filter(|_| is_open);
            let spans = comparison.spans.clone();
            spans.into_iter().filter_map(move |span| Some((span, result?)))
        };
        (values, self.comparisons.iter().enumerate().flat_map(decided).collect())
    }
}

/// Returns a value that is none of the choices.
fn other(variable: &Variable) -> Value {
    let name = &variable.name;
    let why = format!("`{name}` has another value");
    match variable.kind {
        Kind::String => Value::unknown(Unknown::like(Kind::String, why, Value::from(format!("${{{name}}}")))),
        kind => Value::unknown(Unknown::new(kind, why)),
    }
}
