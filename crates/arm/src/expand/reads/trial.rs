//! Searches for values of parameters with which conditions have given results.

use std::cell::Cell;
use std::rc::Rc;

use foldhash::HashMap;

use crate::eval::{Evaluator, Frames, TemplateLevel, decisive};
use crate::expand::reads::choices::{ParameterChoice, ParameterUses, TrialVariable, fixed};
use crate::value::{Data, Str, Traits, Value};

/// Maximum number of evaluations for one query.
const MAX_TRIED: usize = 256;

/// Maximum number of evaluations for one template.
const MAX_OF_TEMPLATE: usize = 10_000;

/// Maximum number of parameters that decide the conditions of one query.
const MAX_VARIABLES: usize = 12;

/// A condition, and the result that it must have.
#[derive(Clone, Debug)]
pub(super) struct ConditionFact {
    /// An expression or a Boolean.
    pub(super) condition: Value,
    /// The loops around it.
    pub(super) frames: Frames,
    pub(super) holds: bool,
}

impl ConditionFact {
    /// Returns a key that facts with the same condition share.
    pub(super) fn key(&self) -> String {
        let frames = if self.condition.as_str().is_some_and(|text| text.to_ascii_lowercase().contains("copyindex")) {
            self.frames.as_ref().map_or(0, |frame| Rc::as_ptr(frame).addr())
        } else {
            0
        };
        format!("{frames} {} {}", self.holds, self.condition.to_json())
    }

    /// Returns `true` if another fact has the same condition.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        let is_same_frame = match (&self.frames, &other.frames) {
            (Some(one), Some(another)) => Rc::ptr_eq(one, another),
            (None, None) => true,
            _ => false,
        };
        let is_of_loop = || self.condition.as_str().is_some_and(|text| text.to_ascii_lowercase().contains("copyindex"));
        self.condition.same(&other.condition) && (is_same_frame || !is_of_loop())
    }

    fn negated(&self) -> Self {
        Self { holds: !self.holds, ..self.clone() }
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialVerdict {
    /// The given values give the results.
    Given,
    /// Some values do, and some do not.
    Some,
    /// All values do with which the first facts hold.
    All,
    /// No values are known that do.
    None,
}

/// Searches in one template, with the arguments of one deployment.
pub(super) struct Trials<'e, 'w> {
    pub(super) evaluator: &'e Evaluator<'w>,
    /// True if the arguments may be others: they are not those of an enclosing template.
    pub(super) is_root: bool,
    pub(super) tried: Cell<usize>,
}

impl Trials<'_, '_> {
    /// Returns `true` if a limit may have hidden a result.
    pub(super) fn is_exhausted(&self) -> bool {
        self.tried.get() >= MAX_OF_TEMPLATE
    }

    /// Searches for values with which the facts `around` hold, and those in `failing`, too.
    pub(super) fn search(&self, around: &[ConditionFact], failing: &[ConditionFact]) -> TrialVerdict {
        let facts: Vec<ConditionFact> = around.iter().chain(failing).cloned().collect();
        let given = Self::results(self.evaluator, &facts);
        if given.iter().all(|result| *result == Some(true)) {
            return TrialVerdict::Given;
        }
        let mut uses = ParameterUses::default();
        for fact in &facts {
            uses.add(self.evaluator, &fact.condition);
        }
        let Some(variables) = self.variables(&uses) else { return TrialVerdict::None };
        let mut search = ValueSearch { trials: self, variables: &variables, chosen: HashMap::default(), tried: 0 };
        if search.find(&facts, 0) != Some(true) {
            return TrialVerdict::None;
        }
        let [failing] = failing else { return TrialVerdict::Some };
        let deployed: Vec<ConditionFact> = around.iter().cloned().chain([failing.negated()]).collect();
        let is_listed = variables.iter().all(|variable| variable.is_listed);
        let mut search = ValueSearch { trials: self, variables: &variables, chosen: HashMap::default(), tried: 0 };
        if is_listed && search.find(&deployed, 0) == Some(false) { TrialVerdict::All } else { TrialVerdict::Some }
    }

    /// Returns `true` if no values are known with which the facts `around` hold, and `absent` does not: where the reader
    /// is, the resource that it seems to read never is.
    pub(super) fn exclude(&self, around: &[ConditionFact], absent: &ConditionFact) -> bool {
        let facts: Vec<ConditionFact> = around.iter().cloned().chain([absent.negated()]).collect();
        let mut uses = ParameterUses::default();
        for fact in &facts {
            uses.add(self.evaluator, &fact.condition);
        }
        let Some(variables) = self.variables(&uses) else { return false };
        let mut search = ValueSearch { trials: self, variables: &variables, chosen: HashMap::default(), tried: 0 };
        search.find(&facts, 0) == Some(false)
    }

    /// Returns the parameters that decide conditions. `None` if there are too many, or if the values of several depend
    /// on an enclosing template.
    fn variables(&self, uses: &ParameterUses) -> Option<Vec<TrialVariable>> {
        if uses.parameters.len() > MAX_VARIABLES {
            return None;
        }
        let mut open = 0;
        let mut variables = Vec::new();
        for name in &uses.parameters {
            let supplied = self.evaluator.level.parameters.supplied_for(name)?;
            let is_known = || self.evaluator.parameter(name).is_ok_and(|value| value.first_unknown().is_none());
            if !self.is_root && is_known() {
                let kind = self.evaluator.level.types.declared_type(supplied.declaration).kind;
                variables.push(fixed(name, &supplied, kind)?);
                continue;
            }
            open += 1;
            variables.push(uses.variable(self.evaluator, name)?);
        }
        (self.is_root || open <= 1).then_some(variables)
    }

    /// Returns `true` for each fact that holds, `false` for each that does not; `None` if that is not known.
    fn results(evaluator: &Evaluator<'_>, facts: &[ConditionFact]) -> Vec<Option<bool>> {
        let evaluator = evaluator.guarded_if(true);
        let result = |fact: &ConditionFact| {
            let value = decisive(evaluator.expand(&fact.condition, &fact.frames));
            let truth = match &value.data {
                Data::Bool(truth) => Some(*truth),
                Data::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
                Data::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
                _ => None,
            };
            truth.map(|truth| truth == fact.holds)
        };
        facts.iter().map(result).collect()
    }

    /// Returns the results of facts with chosen values.
    fn tried(&self, facts: &[ConditionFact], chosen: &HashMap<String, ParameterChoice>) -> Vec<Option<bool>> {
        let level = &self.evaluator.level;
        let parameters = level.parameters.with_others(|supplied| {
            let name = supplied.name.to_ascii_lowercase();
            chosen.get(&name).cloned().flatten()
        });
        let level = TemplateLevel {
            parameters,
            variables: level.variables.with_others(|_| None),
            functions: level.functions.clone(),
            types: Rc::clone(&level.types),
            is_scope_assumed: level.is_scope_assumed,
            deployment: level.deployment.clone(),
            is_guarded: true,
            ..TemplateLevel::bare(level.scope.clone())
        };
        let evaluator = Evaluator::new(self.evaluator.world, Rc::new(level), self.evaluator.deployment);
        Self::results(&evaluator, facts)
    }
}

/// A search for values of variables.
struct ValueSearch<'s, 'e, 'w> {
    trials: &'s Trials<'e, 'w>,
    variables: &'s [TrialVariable],
    chosen: HashMap<String, ParameterChoice>,
    tried: usize,
}

impl ValueSearch<'_, '_, '_> {
    /// Returns `true` if the facts hold with some values of the variables from `at` on, and `false` if no values of
    /// those that are tried let them hold. `None` if a limit was reached, or if some results are not known.
    fn find(&mut self, facts: &[ConditionFact], at: usize) -> Option<bool> {
        let trials = self.trials;
        self.tried += 1;
        trials.tried.set(trials.tried.get() + 1);
        let level = &trials.evaluator.level;
        let steps = 8 + level.parameters.names().count() + level.variables.names().count();
        if self.tried > MAX_TRIED || trials.is_exhausted() || trials.evaluator.world.step(steps).is_err() {
            return None;
        }
        for variable in self.variables.get(at..).unwrap_or_default() {
            self.chosen.insert(variable.name.clone(), variable.open());
        }
        let results = trials.tried(facts, &self.chosen);
        if results.contains(&Some(false)) {
            return Some(false);
        }
        if results.iter().all(|result| *result == Some(true)) {
            return Some(true);
        }
        let variable = self.variables.get(at)?;
        let mut result = Some(false);
        for choice in &variable.choices {
            self.chosen.insert(variable.name.clone(), choice.clone());
            match self.find(facts, at + 1) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => result = None,
            }
        }
        result
    }
}

/// Returns an expression as a condition.
pub(super) fn condition_of(text: &str) -> Value {
    Value::from(Str::from(format!("[{text}]"))).with_traits(Traits::DYNAMIC)
}
