//! Conditions as formulas over the parameters whose values are open.

use std::cell::Cell;

use foldhash::HashMap;

use crate::evaluator::{At, Evaluator};
use crate::functions::{sub_names, text_of};
use crate::loops::{Entry, Loops};
use crate::outcomes::Outcomes;
use crate::parameters;
use crate::pseudo;
use crate::text::Span;
use crate::value::{Kind, Str, Unknown, Value};

/// Maximum number of distinct values of one parameter.
const MAX_CHOICES: usize = 64;

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
    name: Str,
    kind: Kind,
    /// The values that it may have, the default first.
    pub(super) choices: Vec<Value>,
    /// True if the first choice is the default.
    pub(super) has_default: bool,
    /// True if the variable cannot have a value other than the choices.
    pub(super) is_listed: bool,
    /// True if there are more distinct values than choices.
    is_cut: bool,
    source: Source,
}

/// Origin of the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A parameter file, an argument, or the deployment.
    Given,
    /// The Parameter Store, so that it cannot be given.
    Stored,
}

/// A call of `Fn::Equals` that depends on an open parameter, or on what only a deployment knows.
#[derive(Debug)]
pub(super) struct Comparison {
    span: Option<Span>,
    pub(super) operands: Operands,
}

#[derive(Debug)]
pub(super) enum Operands {
    /// Operands that depend on one variable: the result for each of its choices, and for any other value.
    One { variable: usize, by_choice: Vec<Outcomes>, other: Outcomes },
    /// Operands with either result, if the variables have other values than the given ones.
    Open { variables: Vec<usize>, given: Outcomes },
}

/// Assumed values. `None` stands for the value in the given scenario.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// The choice of each variable.
    pub(super) choices: Vec<Option<usize>>,
    /// Outcomes of each comparison with [`Operands::Open`]: open if nothing is assumed of it.
    pub(super) open: Vec<Outcomes>,
}

/// The conditions of a template.
#[derive(Debug)]
pub(super) struct Formulas {
    conditions: Vec<Formula>,
    by_name: HashMap<Str, usize>,
    pub(super) variables: Vec<Variable>,
    pub(super) comparisons: Vec<Comparison>,
    steps: Cell<usize>,
}

impl Formulas {
    pub(super) fn of(evaluator: &Evaluator<'_, '_>) -> Self {
        let mut members: Vec<&Entry<'_>> = evaluator.declared_conditions().values().collect();
        members.sort_by(|a, b| {
            (a.key_span.map(|span| span.start), &a.name).cmp(&(b.key_span.map(|span| span.start), &b.name))
        });
        let by_name = members.iter().enumerate().map(|(at, member)| (member.name.clone(), at)).collect();
        let mut reader = Reader {
            evaluator,
            literals: HashMap::default(),
            known: HashMap::default(),
            loops: Loops::NONE,
            formulas: Self {
                conditions: Vec::with_capacity(members.len()),
                by_name,
                variables: Vec::new(),
                comparisons: Vec::new(),
                steps: Cell::new(0),
            },
        };
        for member in &members {
            reader.loops = member.loops.clone();
            reader.note_literals(member.value);
        }
        for member in members {
            reader.loops = member.loops.clone();
            let formula = reader.formula(member.value);
            reader.formulas.conditions.push(formula);
        }
        reader.formulas
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
    pub(super) fn given(&self) -> Assignment {
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
            None => None,
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
                _ if variable.source == Source::Stored => return None,
                0 if variable.has_default => return None,
                OTHER => other(variable),
                choice => variable.choices.get(choice)?.clone(),
            };
            Some((variable.name.clone(), value))
        };
        let values = chosen.filter_map(value).collect();
        let is_stored =
            |variable: usize| self.variables.get(variable).is_some_and(|variable| variable.source == Source::Stored);
        let is_other = |variable: usize| assignment.choices.get(variable) == Some(&Some(OTHER)) || is_stored(variable);
        let decided = |(at, comparison): (usize, &Comparison)| {
            let is_open = match &comparison.operands {
                Operands::One { variable, .. } => is_other(*variable),
                Operands::Open { .. } => true,
            };
            Some((comparison.span?, self.compared(at, assignment).to_bool().filter(|_| is_open)?))
        };
        (values, self.comparisons.iter().enumerate().filter_map(decided).collect())
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

/// Reads the conditions of a template.
struct Reader<'e, 's, 'a> {
    evaluator: &'e Evaluator<'s, 'a>,
    /// The strings that each name is compared with.
    literals: HashMap<Str, Vec<Value>>,
    /// The index of each variable; `None` for a name whose value is not open.
    known: HashMap<Str, Option<usize>>,
    /// The loops around the condition that is being read.
    loops: Loops,
    formulas: Formulas,
}

impl Reader<'_, '_, '_> {
    fn note_literals(&mut self, value: &Value) {
        value.as_array().into_iter().flatten().for_each(|item| self.note_literals(item));
        for member in value.as_object().into_iter().flatten() {
            match (&*member.key, member.value.as_array()) {
                ("Fn::Equals", Some([left, right])) => {
                    for (name, literal) in [(left, right), (right, left)] {
                        if let (Some(name), Some(literal)) = (plain_ref(name), self.literal(literal)) {
                            self.literals.entry(name.clone()).or_default().push(literal);
                        }
                    }
                }
                _ => self.note_literals(&member.value),
            }
        }
    }

    /// Returns the string of a literal, or of the variable of a loop.
    fn literal(&self, value: &Value) -> Option<Value> {
        let value = plain_ref(value).and_then(|name| self.loops.get(name)).unwrap_or(value);
        text_of(value)?;
        Some(match value.as_shared_str() {
            Some(text) => Value { span: value.span, ..Value::from(self.loops.substitute(text)) },
            None => value.clone(),
        })
    }

    /// Returns the context of the condition that is being read.
    fn context(&self) -> At<'_> {
        At { loops: &self.loops, ..At::START }
    }

    fn formula(&mut self, value: &Value) -> Formula {
        let call = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
        let Some(call) = call else { return self.as_given(value) };
        match (&*call.key, call.value.as_array()) {
            ("Condition", _) => {
                let name = call.value.as_shared_str().map(|name| self.loops.substitute(name));
                let named = name.and_then(|name| self.formulas.index_of(&name));
                named.map_or(Formula::Known(Outcomes::UNKNOWN), Formula::Named)
            }
            ("Fn::And" | "Fn::Or", Some(parts)) => {
                Formula::Each(*call.key == *"Fn::And", parts.iter().map(|part| self.formula(part)).collect())
            }
            ("Fn::Not", Some([inner])) => Formula::Not(Box::new(self.formula(inner))),
            ("Fn::Equals", Some([left, right])) => self.comparison(value.span, left, right),
            _ => self.as_given(value),
        }
    }

    /// Returns the formula for a value that is evaluated as in the given scenario.
    fn as_given(&self, value: &Value) -> Formula {
        Formula::Known(self.evaluator.truth(value, self.context()).outcomes)
    }

    fn comparison(&mut self, span: Option<Span>, left: &Value, right: &Value) -> Formula {
        let given = self.evaluator.equals(left, right, self.context()).outcomes;
        let mut names = Vec::new();
        let is_read = collect(left, &mut names) && collect(right, &mut names);
        names.retain(|name| self.loops.get(name).is_none());
        let mut variables: Vec<usize> = names.iter().filter_map(|name| self.variable(name)).collect();
        variables.sort_unstable();
        variables.dedup();
        let operands = match variables.as_slice() {
            _ if !is_read => return Formula::Known(given),
            [] if !given.is_open() => return Formula::Known(given),
            [variable] => self.by_choice(*variable, left, right),
            _ => None,
        };
        let is_in_loop = !self.loops.is_empty();
        let is_stored =
            |at: &usize| self.formulas.variables.get(*at).is_some_and(|variable| variable.source == Source::Stored);
        // What is assumed of a comparison holds wherever its text is evaluated, and so for all iterations.
        if is_in_loop && (operands.is_none() || variables.iter().any(is_stored)) {
            return Formula::Known(given);
        }
        let operands = operands.unwrap_or(Operands::Open { variables, given });
        self.formulas.comparisons.push(Comparison { span, operands });
        Formula::Compared(self.formulas.comparisons.len() - 1)
    }

    /// Returns the result of a comparison for each choice of its variable; `None` if the result for other values cannot
    /// be derived from them.
    fn by_choice(&self, at: usize, left: &Value, right: &Value) -> Option<Operands> {
        let variable = self.formulas.variables.get(at)?;
        let stack = self.evaluator.stack;
        let trial = |value: &Value| {
            stack.trial.replace(Some((variable.name.clone(), value.clone())));
            let truth = self.evaluator.equals(left, right, self.context()).outcomes;
            stack.trial.replace(None);
            truth
        };
        let by_choice: Vec<Outcomes> = variable.choices.iter().map(trial).collect();
        let is_plain = |name: &Value, literal: &Value| {
            plain_ref(name).is_some_and(|name| self.loops.get(name).is_none()) && self.literal(literal).is_some()
        };
        let is_plain = is_plain(left, right) || is_plain(right, left);
        let is_decided = |truth| by_choice.contains(&Outcomes::from(truth));
        if !(is_plain || variable.is_listed || (is_decided(true) && is_decided(false))) {
            return None;
        }
        // Each string that it is compared with is a choice, or is excluded by a constraint.
        let other = if is_plain && !variable.is_listed { Outcomes::FALSE } else { Outcomes::UNKNOWN };
        Some(Operands::One { variable: at, by_choice, other })
    }

    /// Returns the variable of a name; `None` if it is not one of an open value.
    fn variable(&mut self, name: &Str) -> Option<usize> {
        // The Region determines these.
        let is_of_region = ["AWS::Partition", "AWS::URLSuffix"].contains(&&**name);
        let region = Str::from("AWS::Region");
        let name = if is_of_region && self.literals.contains_key(&region) { &region } else { name };
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let variable = self.make(name);
        let at = variable.map(|variable| {
            self.formulas.variables.push(variable);
            self.formulas.variables.len() - 1
        });
        self.known.insert(name.clone(), at);
        at
    }

    fn make(&self, name: &Str) -> Option<Variable> {
        let stack = self.evaluator.stack;
        // A stack that nests this one may pass what it does not know itself.
        if stack.arguments.get(name).is_some_and(|value| value.first_unknown().is_none()) {
            return None;
        }
        let literals = || self.literals.get(name).into_iter().flatten().cloned();
        if pseudo::NAMES.contains(&&**name) {
            let (choices, is_cut) = distinct(literals());
            return Some(Variable {
                name: name.clone(),
                kind: Kind::String,
                choices,
                has_default: false,
                is_listed: false,
                is_cut,
                source: Source::Given,
            });
        }
        let declaration = stack.section("Parameters")?.get_exact(name)?;
        let is_stored = parameters::open_kind(declaration).is_none();
        let kind = parameters::open_kind(declaration).unwrap_or(Kind::String);
        let is_passed = stack.arguments.get(name).is_some();
        // The default of a stored value is its name, and one that is passed replaces the default.
        let default = declaration.get("Default").filter(|_| !is_stored && !is_passed).cloned();
        let has_default = default.is_some();
        let listed = declaration.get("AllowedValues").and_then(Value::as_array).filter(|_| !is_stored);
        let others: Vec<Value> = match (listed, kind) {
            _ if is_stored => literals().collect(),
            (_, Kind::Array) => Vec::new(),
            (Some(listed), _) => listed.to_vec(),
            (None, _) => literals().filter(|literal| stack.allows(name, literal, declaration)).collect(),
        };
        let (choices, is_cut) = distinct(default.into_iter().chain(others));
        Some(Variable {
            name: name.clone(),
            kind,
            choices,
            has_default,
            is_listed: listed.is_some() && kind != Kind::Array,
            is_cut,
            source: if is_stored { Source::Stored } else { Source::Given },
        })
    }
}

/// Returns each value once, at most [`MAX_CHOICES`] of them, and whether there may be more.
fn distinct(values: impl Iterator<Item = Value>) -> (Vec<Value>, bool) {
    let mut found: Vec<Value> = Vec::new();
    let mut is_cut = false;
    for (at, value) in values.enumerate() {
        if at >= 4 * MAX_CHOICES {
            return (found, true);
        }
        if found.iter().any(|known| text_of(known) == text_of(&value)) {
            continue;
        }
        is_cut |= found.len() >= MAX_CHOICES;
        if found.len() < MAX_CHOICES {
            found.push(value);
        }
    }
    (found, is_cut)
}

/// Returns the name in `{"Ref": "Name"}`.
fn plain_ref(value: &Value) -> Option<&Str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get_exact("Ref")?.as_shared_str()
}

/// Adds the names that a value refers to; `false` if it depends on a condition, too.
fn collect(value: &Value, names: &mut Vec<Str>) -> bool {
    if let Some(items) = value.as_array() {
        return items.iter().all(|item| collect(item, names));
    }
    value.as_object().into_iter().flatten().all(|member| match &*member.key {
        "Ref" => {
            names.extend(member.value.as_shared_str().cloned());
            member.value.as_str().is_some()
        }
        "Fn::Sub" => {
            let parts = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
            let text = parts.first().and_then(Value::as_str).unwrap_or_default();
            names.extend(sub_names(text).map(Str::from));
            parts.iter().skip(1).all(|variables| collect(variables, names))
        }
        "Fn::If" | "Condition" | "Fn::And" | "Fn::Or" | "Fn::Not" | "Fn::Equals" => false,
        _ => collect(&member.value, names),
    })
}
