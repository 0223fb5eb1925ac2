//! Values that the parameters of conditions may have.

use foldhash::HashSet;

use crate::eval::{Evaluator, Given, Supplied};
use crate::expr::{Expr, ExprKind, TextKind, text_kind};
use crate::types::Type;
use crate::value::{Data, Kind, Str, Unknown, Value};

/// Maximum number of values of one parameter that are tried.
const MAX_CHOICES: usize = 16;

/// Maximum number of literals in the conditions of one query.
const MAX_LITERALS: usize = 64;

/// Maximum number of strings that lead from a condition to a parameter.
const MAX_TEXTS: usize = 500;

/// A string that no condition compares with, and no secret is equal to.
const OTHER: &str = "\u{2042}other";

/// Supplied value of a parameter: `None` for that in the given scenario.
pub(super) type ParameterChoice = Option<Option<Given>>;

/// A parameter that decides conditions, with its values.
pub(super) struct TrialVariable {
    /// In lower case.
    pub(super) name: String,
    kind: Kind,
    pub(super) choices: Vec<ParameterChoice>,
    /// True if the parameter has no other values.
    pub(super) is_listed: bool,
}

impl TrialVariable {
    /// Returns the value of a parameter that is not chosen yet.
    pub(super) fn open(&self) -> ParameterChoice {
        Some(Some(Given::Value(Value::unknown(Unknown::new(self.kind, "it is not chosen")))))
    }
}

/// Names of parameters in conditions, and the literals that these have.
#[derive(Default)]
pub(super) struct ParameterUses {
    /// In lower case, in the order of use.
    pub(super) parameters: Vec<String>,
    literals: Vec<Value>,
    seen: HashSet<Str>,
}

impl ParameterUses {
    /// Adds the uses in a value, and in the variables that it refers to.
    pub(super) fn add(&mut self, evaluator: &Evaluator<'_>, value: &Value) {
        match &value.data {
            Data::String(text) if text_kind(text) == TextKind::Expression => self.add_text(evaluator, text),
            Data::Array(items) => items.iter().for_each(|item| self.add(evaluator, item)),
            Data::Object(object) => object.iter().for_each(|member| self.add(evaluator, &member.value)),
            Data::String(_) | Data::Int(_) => self.add_literal(value),
            _ => {}
        }
    }

    fn add_text(&mut self, evaluator: &Evaluator<'_>, text: &Str) {
        if self.seen.len() >= MAX_TEXTS || !self.seen.insert(text.clone()) {
            return;
        }
        let Ok(expression) = evaluator.world.parse(text) else { return };
        let mut open = vec![&*expression];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Literal(value) => self.add_literal(value),
                ExprKind::Property(base, _) => open.push(base),
                ExprKind::Index(base, index) => open.extend([&**index, &**base]),
                ExprKind::Call(target, arguments) => match (target.name(), name_of(arguments)) {
                    ("parameters", Some(name)) => {
                        let name = name.to_ascii_lowercase();
                        if !self.parameters.contains(&name) {
                            self.parameters.push(name);
                        }
                    }
                    ("variables", Some(name)) => {
                        let level = std::rc::Rc::clone(&evaluator.level);
                        if let Some(written) = level.variables.written(name) {
                            self.add(evaluator, written);
                        }
                    }
                    _ => open.extend(arguments.iter().rev()),
                },
            }
        }
    }

    fn add_literal(&mut self, value: &Value) {
        let is_new = !self.literals.iter().any(|known| known.same(value));
        if is_new && self.literals.len() < MAX_LITERALS {
            self.literals.push(value.clone());
        }
    }

    /// Returns the values of a parameter that are worth trying, the given one first.
    pub(super) fn variable(&self, evaluator: &Evaluator<'_>, name: &str) -> Option<TrialVariable> {
        let level = &evaluator.level;
        let supplied = level.parameters.supplied_for(name)?;
        let declared = level.types.declared_type(supplied.declaration);
        let (mut values, is_listed) = self.values(&declared);
        if declared.nullable == Some(true) {
            values.push(Value::NULL);
        }
        let has_default = supplied.declaration.get("defaultValue").is_some();
        let given: ParameterChoice = None;
        let default: ParameterChoice = Some(None);
        let mut choices: Vec<ParameterChoice> = Vec::new();
        choices.extend(Some(given).filter(|_| supplied.has_value()));
        choices.extend(Some(default).filter(|_| supplied.is_given() && has_default));
        choices.extend(distinct(values).into_iter().map(|value| Some(Some(Given::Value(value)))));
        let is_cut = choices.len() > MAX_CHOICES;
        choices.truncate(MAX_CHOICES);
        Some(TrialVariable { name: name.to_owned(), kind: declared.kind, choices, is_listed: is_listed && !is_cut })
    }

    /// Returns values that a type allows, and `true` if it allows no others.
    fn values(&self, declared: &Type) -> (Vec<Value>, bool) {
        let (least, most) = declared.range();
        let allows = |value: &i64| least.is_none_or(|least| *value >= least) && most.is_none_or(|most| *value <= most);
        let allows_length = |length: usize| i64::try_from(length).is_ok_and(|length| allows(&length));
        let mut values: Vec<Value> = Vec::new();
        let mut is_listed = false;
        let literals = self.literals.iter().filter(|_| !declared.is_secure);
        match (declared.allowed_values().filter(|_| declared.kind != Kind::Array), declared.kind) {
            (Some(allowed), _) => {
                values.extend(allowed.iter().cloned());
                is_listed = true;
            }
            (None, Kind::Bool) => {
                values.extend([Value::from(true), Value::from(false)]);
                is_listed = true;
            }
            (None, Kind::String) => {
                let other = Str::from(fitted(OTHER, least, most));
                values.extend(
                    ["", &other].into_iter().filter(|text| allows_length(text.chars().count())).map(Value::from),
                );
                values.extend(
                    literals
                        .filter(|literal| literal.as_str().is_some_and(|text| allows_length(text.chars().count())))
                        .cloned(),
                );
            }
            (None, Kind::Int) => {
                let near = literals
                    .filter_map(Value::as_int)
                    .flat_map(|int| [int, int.saturating_add(1), int.saturating_sub(1)]);
                let numbers = least.into_iter().chain(most).chain([0, 1]).chain(near);
                values.extend(numbers.filter(allows).map(Value::from));
            }
            (None, Kind::Array) => {
                let item = || Value::unknown(Unknown::new(Kind::Any, "it is an item of a parameter"));
                values.extend(
                    [Vec::new(), vec![item()]].into_iter().filter(|items| allows_length(items.len())).map(Value::array),
                );
            }
            (None, Kind::Object) => values.push(Value::object(Vec::new())),
            _ => {}
        }
        (values, is_listed)
    }
}

/// Returns the variable whose only value is the given one.
pub(super) fn fixed(name: &str, supplied: &Supplied<'_>, kind: Kind) -> Option<TrialVariable> {
    let choices: Vec<ParameterChoice> = vec![None];
    supplied.has_value().then(|| TrialVariable { name: name.to_owned(), kind, choices, is_listed: true })
}

fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in values {
        if found.len() <= MAX_CHOICES && !found.iter().any(|known| known.same(&value)) {
            found.push(value);
        }
    }
    found
}

/// Returns a string with a length in characters that is allowed, as far as there is one that is not long.
fn fitted(text: &str, least: Option<i64>, most: Option<i64>) -> String {
    let least = usize::try_from(least.unwrap_or(0)).unwrap_or(0).min(256);
    let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let mut fitted: String = text.chars().chain(std::iter::repeat('x')).take(least.max(text.chars().count())).collect();
    if fitted.chars().count() > most {
        fitted = fitted.chars().take(most).collect();
    }
    fitted
}

/// Returns the first argument, if it is a string literal.
fn name_of(arguments: &[Expr]) -> Option<&Str> {
    match &arguments.first()?.kind {
        ExprKind::Literal(value) => value.as_shared_str(),
        _ => None,
    }
}
