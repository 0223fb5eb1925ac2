//! Reads the conditions and the rules of a template as formulas.

use std::cell::Cell;

use foldhash::HashMap;

use crate::evaluator::{At, Evaluator};
use crate::functions::{sub_names, text_of};
use crate::loops::{Entry, Loops};
use crate::outcomes::Outcomes;
use crate::parameters;
use crate::pseudo;
use crate::scenarios::formula::{EqualsCall, Formula, FormulaScope, Formulas, Operands, Variable, VariableSource};
use crate::text::{Span, is_aws_region};
use crate::value::{Kind, Str, Value};

/// Maximum number of distinct values of one parameter.
const MAX_CHOICES: usize = 64;

/// Maximum number of comparisons with open operands that are compared with each other.
const MAX_OPEN: usize = 64;

impl Formulas {
    pub(super) fn from_conditions(evaluator: &Evaluator<'_, '_>, deployments: FormulaScope) -> Self {
        let mut members: Vec<&Entry<'_>> = evaluator.declared_conditions().values().collect();
        members.sort_by(|a, b| {
            (a.key_span.map(|span| span.start), &a.name).cmp(&(b.key_span.map(|span| span.start), &b.name))
        });
        let by_name = members.iter().enumerate().map(|(at, member)| (member.name.clone(), at)).collect();
        let mut reader = ConditionReader {
            evaluator,
            deployments,
            open: Vec::new(),
            literals: HashMap::default(),
            known: HashMap::default(),
            loops: Loops::NONE,
            formulas: Self {
                conditions: Vec::with_capacity(members.len()),
                rules: Vec::new(),
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
        let rules = evaluator.stack.section("Rules").filter(|_| deployments != FormulaScope::Given);
        rules.into_iter().flatten().for_each(|rule| reader.note_literals(&rule.value));
        for member in members {
            reader.loops = member.loops.clone();
            let formula = reader.formula(member.value);
            reader.formulas.conditions.push(formula);
        }
        reader.loops = Loops::NONE;
        for rule in rules.into_iter().flatten() {
            let formula = reader.rule(&rule.value);
            reader.formulas.rules.push(reader.formulas.conditions.len());
            reader.formulas.conditions.push(formula);
        }
        reader.formulas
    }
}

/// Reads the conditions of a template.
struct ConditionReader<'e, 's, 'a> {
    evaluator: &'e Evaluator<'s, 'a>,
    deployments: FormulaScope,
    /// The comparisons with open operands, and these.
    open: Vec<(usize, Value, Value)>,
    /// The strings that each name is compared with.
    literals: HashMap<Str, Vec<Value>>,
    /// The index of each variable; `None` for a name whose value is not open.
    known: HashMap<Str, Option<usize>>,
    /// The loops around the condition that is being read.
    loops: Loops,
    formulas: Formulas,
}

impl ConditionReader<'_, '_, '_> {
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
                ("Fn::Contains", Some([list, name])) => {
                    for literal in list.as_array().into_iter().flatten() {
                        if let (Some(name), Some(literal)) = (plain_ref(name), self.literal(literal)) {
                            self.literals.entry(name.clone()).or_default().push(literal);
                        }
                    }
                }
                _ => self.note_literals(&member.value),
            }
        }
    }

    /// Returns the formula of a rule: its assertions hold where its condition does.
    fn rule(&mut self, rule: &Value) -> Formula {
        let condition = rule.get("RuleCondition").map(|condition| self.formula(condition));
        let assertions = rule.get("Assertions").and_then(Value::as_array).into_iter().flatten();
        let assertions = assertions.filter_map(|assertion| assertion.get("Assert"));
        let assertions = Formula::Each(true, assertions.map(|assertion| self.formula(assertion)).collect());
        match condition {
            Some(condition) => Formula::Each(false, vec![Formula::Not(Box::new(condition)), assertions]),
            None => assertions,
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
            ("Fn::Contains", Some([list, operand])) if list.as_array().is_some() && plain_ref(operand).is_some() => {
                let items = list.as_array().into_iter().flatten();
                Formula::Each(false, items.map(|item| self.comparison(None, operand, item)).collect())
            }
            ("Fn::Contains" | "Fn::EachMemberEquals" | "Fn::EachMemberIn", _) => self.unread(&call.value),
            _ => self.as_given(value),
        }
    }

    /// Returns the formula for a value that is evaluated as in the given scenario.
    fn as_given(&self, value: &Value) -> Formula {
        Formula::Known(self.evaluator.truth(value, self.context()).outcomes)
    }

    /// Returns the formula for a function of rules that is not evaluated.
    fn unread(&mut self, argument: &Value) -> Formula {
        let mut names = Vec::new();
        collect(argument, &mut names);
        let mut variables: Vec<usize> = names.iter().filter_map(|name| self.variable(name)).collect();
        variables.sort_unstable();
        variables.dedup();
        self.formulas.comparisons.push(EqualsCall { spans: Vec::new(), operands: Operands::Unread { variables } });
        Formula::Compared(self.formulas.comparisons.len() - 1)
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
        let is_stored = |at: &usize| {
            self.formulas.variables.get(*at).is_some_and(|variable| variable.source == VariableSource::Stored)
        };
        // What is assumed of a comparison holds wherever its text is evaluated, and so for all iterations.
        if is_in_loop && (operands.is_none() || variables.iter().any(is_stored)) {
            return Formula::Known(given);
        }
        let operands = operands.unwrap_or(Operands::Open { variables, given });
        let at = self.formulas.comparisons.len();
        if matches!(operands, Operands::Open { .. }) {
            let is_same =
                |(_, a, b): &&(usize, Value, Value)| (a.same(left) && b.same(right)) || (a.same(right) && b.same(left));
            let same = self.open.iter().find(is_same).map(|(at, ..)| *at);
            if let Some((at, same)) = same.and_then(|at| Some((at, self.formulas.comparisons.get_mut(at)?))) {
                same.spans.extend(span);
                return Formula::Compared(at);
            }
            if self.open.len() < MAX_OPEN {
                self.open.push((at, left.clone(), right.clone()));
            }
        }
        self.formulas.comparisons.push(EqualsCall { spans: span.into_iter().collect(), operands });
        Formula::Compared(at)
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
        let given = stack.arguments.get(name).filter(|value| value.first_unknown().is_none());
        let is_varied = self.deployments == FormulaScope::Any && !pseudo::NAMES.contains(&&**name);
        if given.is_some() && !is_varied {
            return None;
        }
        let literals = || self.literals.get(name).into_iter().flatten().cloned();
        if pseudo::NAMES.contains(&&**name) {
            // A text that is no Region stands for one that a tool writes there.
            let may_be = |value: &Value| **name != *"AWS::Region" || value.as_str().is_some_and(is_aws_region);
            let (choices, is_cut) = distinct(literals().filter(may_be));
            return Some(Variable {
                name: name.clone(),
                kind: Kind::String,
                choices,
                has_default: false,
                is_listed: false,
                is_cut,
                source: VariableSource::Given,
            });
        }
        let declaration = stack.section("Parameters")?.get_exact(name)?;
        let is_stored = parameters::open_kind(declaration).is_none();
        let kind = parameters::open_kind(declaration).unwrap_or(Kind::String);
        let is_passed = stack.arguments.get(name).is_some();
        // The default of a stored value is its name, and one that is passed replaces the default.
        let default = declaration.get("Default").filter(|_| !is_passed).or(given).filter(|_| !is_stored).cloned();
        let has_default = default.is_some();
        let by_pattern = alternatives(declaration).filter(|_| kind == Kind::String);
        let listed = declaration.get("AllowedValues").and_then(Value::as_array).or(by_pattern.as_deref());
        let listed = listed.filter(|_| !is_stored);
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
            source: if is_stored { VariableSource::Stored } else { VariableSource::Given },
        })
    }
}

/// Returns the strings that a parameter may have, if its pattern is nothing but a list of them: `^(true|false)$`.
fn alternatives(declaration: &Value) -> Option<Vec<Value>> {
    let pattern = declaration.get("AllowedPattern").and_then(Value::as_str)?;
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
    let inner = pattern.strip_prefix("(?:").or_else(|| pattern.strip_prefix('('));
    let pattern = inner.and_then(|inner| inner.strip_suffix(')')).unwrap_or(pattern);
    let is_literal = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let texts: Vec<&str> = pattern.split('|').take(MAX_CHOICES + 1).collect();
    let is_list = texts.len() <= MAX_CHOICES && texts.iter().all(|text| is_literal(text));
    is_list.then(|| texts.into_iter().map(Value::from).collect())
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
