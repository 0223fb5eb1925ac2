//! Reports values that violate the rules of their type.

use crate::outcomes::Outcomes;
use crate::published::formats;
use crate::published::judge::truth::{RuleEvaluation, has};
use crate::published::judge::{Demand, Judge};
use crate::published::misfit::{Misfit, MisfitKind, MisfitStep};
use crate::published::pack::{Clause, Id};
use crate::published::tolerance::{is_intrinsic, is_placeholder, scalar_text};
use crate::value::{Data, Member, Object, Traits, Value, plain};

/// Greatest depth of nested rules. The data are trees, but termination must not depend on that.
const MAX_DEPTH: usize = 64;

/// Number of recent misfits that are searched for a duplicate.
const MAX_LOOKED_AT: usize = 32;

/// Items of an array that are compared with each other.
const MAX_COMPARED: usize = 200;

impl<'a> Judge<'a> {
    /// Reports violations of a rule that are certain.
    pub(super) fn obey(&mut self, rule: Id, value: &'a Value) {
        if self.depth == MAX_DEPTH {
            return;
        }
        if let Some(unknown) = value.as_unknown().filter(|unknown| !unknown.choices.is_empty()) {
            for choice in &unknown.choices {
                self.chosen.push((self.steps.len(), choice));
                self.obey(rule, choice);
                self.chosen.pop();
            }
            return;
        }
        let block = self.block;
        self.depth += 1;
        for clause in block.rule(rule) {
            self.clause(clause, value);
        }
        self.depth -= 1;
    }

    fn clause(&mut self, clause: &'static Clause, value: &'a Value) {
        let truth = RuleEvaluation::new(self.block);
        match clause {
            Clause::All(rules) => rules.iter().for_each(|rule| self.obey(*rule, value)),
            Clause::Any(rules) if truth.clause(clause, value) == Outcomes::FALSE => self.nearest(rules, value),
            Clause::One(rules) if truth.clause(clause, value) == Outcomes::FALSE => {
                if rules.iter().any(|rule| truth.evaluate(*rule, value) == Outcomes::TRUE) {
                    self.several(rules, value);
                } else {
                    self.nearest(rules, value);
                }
            }
            Clause::If { condition, then, otherwise } => match truth.evaluate(*condition, value) {
                Outcomes::TRUE => {
                    self.reasons.push((*condition, value));
                    self.obey(*then, value);
                    self.reasons.pop();
                }
                Outcomes::FALSE => self.obey(*otherwise, value),
                _ => {}
            },
            Clause::Never => self.broken(MisfitKind::Forbidden),
            Clause::Not(_) if truth.clause(clause, value) == Outcomes::FALSE => self.broken(MisfitKind::NoForm),
            _ => match &value.data {
                Data::Object(object) if !is_intrinsic(object) => self.object_clause(clause, object),
                Data::Array(items) => self.array_clause(clause, items, value),
                Data::Object(_) => {}
                _ => self.scalar_clause(clause, value),
            },
        }
    }

    /// Reports the violations of the rule that a value comes nearest to, if it obeys none of several.
    fn nearest(&mut self, rules: &'static [Id], value: &'a Value) {
        let references = self.references.len();
        let mut all: Vec<Vec<Misfit<'a>>> = Vec::new();
        for rule in rules {
            let before = std::mem::take(&mut self.misfits);
            self.obey(*rule, value);
            all.push(std::mem::replace(&mut self.misfits, before));
            self.references.truncate(references);
        }
        let demanded = rules.iter().map(|rule| self.demanded_alone(*rule)).collect::<Option<Vec<_>>>();
        let formats = all.iter().map(|misfits| only_format(misfits)).collect::<Option<Vec<_>>>();
        let best = all.into_iter().filter(|misfits| !misfits.is_empty()).min_by_key(Vec::len);
        match (demanded, formats, best) {
            (Some(sets), ..) => self.lacking(sets),
            (_, Some(formats), _) => self.broken(MisfitKind::Format { found: value, expected: formats.concat() }),
            (_, _, Some(best)) => self.misfits.extend(best),
            _ => self.broken(MisfitKind::NoForm),
        }
    }

    /// Reports a value that obeys more than one of several rules.
    fn several(&mut self, rules: &'static [Id], value: &'a Value) {
        let obeyed =
            rules.iter().filter(|rule| RuleEvaluation::new(self.block).evaluate(**rule, value) == Outcomes::TRUE);
        let sets = obeyed.map(|rule| self.demanded_alone(*rule)).collect::<Option<Vec<_>>>();
        match sets.as_deref() {
            Some([first, second, ..]) => {
                if let (Some(with), Some(name)) =
                    (first.first(), second.iter().find(|name: &&&str| !first.contains(name)))
                {
                    let (with, name) = (*with, *name);
                    self.within(MisfitStep::Member(name), |judge| judge.broken(MisfitKind::Excluded { with }));
                }
            }
            _ => self.broken(MisfitKind::NoForm),
        }
    }

    /// Returns the members that a rule requires, if it says nothing else.
    fn demanded_alone(&self, rule: Id) -> Option<Vec<&'static str>> {
        match self.block.rule(rule) {
            [Clause::Required(names)] => Some(names.iter().map(|name| self.block.text(*name)).collect()),
            _ => None,
        }
    }

    fn lacking(&mut self, sets: Vec<Vec<&'a str>>) {
        let Some(first) = sets.first().and_then(|set| set.first()).copied() else { return };
        self.within(MisfitStep::Member(first), |judge| judge.broken(MisfitKind::MissingOneOf { sets }));
    }

    /// Adds a misfit, unless a misfit of the same check is at the same path.
    fn broken(&mut self, kind: MisfitKind<'a>) {
        let check = kind.failed_check();
        let mut last = self.misfits.iter().rev().take(MAX_LOOKED_AT);
        if last.any(|known| known.steps == self.steps && known.kind.failed_check() == check) {
            return;
        }
        let reasons: Vec<String> = self.reasons.iter().filter_map(|(rule, value)| self.reason(*rule, value)).collect();
        self.misfit(kind);
        if let Some(misfit) = self.misfits.last_mut() {
            misfit.reasons = reasons;
        }
    }

    /// Returns the reason why a value obeys a rule, such as "`Engine` is `mysql`".
    fn reason(&self, rule: Id, value: &Value) -> Option<String> {
        let object = value.as_object()?;
        let mut reasons: Vec<String> = Vec::new();
        for clause in self.block.rule(rule) {
            let names: Vec<&str> = match clause {
                Clause::Members(members) => members.iter().map(|(name, _)| self.block.text(*name)).collect(),
                Clause::Required(names) | Clause::RequiredOr(names) => {
                    names.iter().map(|name| self.block.text(*name)).collect()
                }
                _ => continue,
            };
            // What is wrong is not a reason.
            for name in names.into_iter().filter(|name| self.steps.last() != Some(&MisfitStep::Member(name))) {
                let reason = match object.get_exact(name).filter(|value| !value.is_null()) {
                    Some(value) if is_plain(value) => format!("`{name}` is `{}`", plain(value)),
                    Some(_) => format!("`{name}` is set"),
                    None => format!("`{name}` is not set"),
                };
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        (!reasons.is_empty()).then(|| reasons.join(" and "))
    }

    fn scalar_clause(&mut self, clause: &'static Clause, value: &'a Value) {
        if let Clause::Format(format) = clause {
            self.refer(value, Demand::Format(self.block.text(*format)));
        }
        if RuleEvaluation::new(self.block).clause(clause, value) != Outcomes::FALSE {
            return;
        }
        let block = self.block;
        let kind = match clause {
            Clause::Kinds(_) => MisfitKind::NoForm,
            Clause::OneOf { values, .. } => {
                MisfitKind::Value { found: value, choices: values.iter().map(|value| block.text(*value)).collect() }
            }
            Clause::Pattern(pattern) => MisfitKind::Pattern { found: value, pattern: block.text(*pattern) },
            Clause::Format(format) => {
                let Some(expected) = formats::expected(block.text(*format), &scalar_text(value).unwrap_or_default())
                else {
                    return;
                };
                MisfitKind::Format { found: value, expected: vec![expected] }
            }
            Clause::Range { min, max } => MisfitKind::Range { found: value, min: *min, max: *max },
            Clause::Length { min, max } => {
                let found = scalar_text(value).unwrap_or_default().chars().count() as u64;
                MisfitKind::Length { found, unit: "characters", min: *min, max: *max }
            }
            _ => MisfitKind::NoForm,
        };
        self.broken(kind);
    }

    fn array_clause(&mut self, clause: &'static Clause, items: &'a [Value], value: &'a Value) {
        match clause {
            Clause::Each(rule) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(MisfitStep::Item(index), |judge| judge.obey(*rule, item));
                }
            }
            Clause::Unique => self.unique(items, Value::same),
            Clause::UniqueBy(names) => {
                let block = self.block;
                self.unique(items, |one, other| {
                    names.iter().all(|name| {
                        let [one, other] = [one, other].map(|item| item.get(block.text(*name)));
                        one.is_some_and(is_plain) && one.zip(other).is_some_and(|(one, other)| one.same(other))
                    })
                });
            }
            Clause::Items { min, max } if RuleEvaluation::new(self.block).clause(clause, value) == Outcomes::FALSE => {
                let found = items.len() as u64;
                self.broken(MisfitKind::Length { found, unit: "items", min: *min, max: *max });
            }
            _ if RuleEvaluation::new(self.block).clause(clause, value) == Outcomes::FALSE => {
                self.broken(MisfitKind::NoForm);
            }
            _ => {}
        }
    }

    /// Reports items that are equal to an earlier one.
    fn unique(&mut self, items: &'a [Value], is_same: impl Fn(&Value, &Value) -> bool) {
        let known: Vec<(usize, &Value)> =
            items.iter().take(MAX_COMPARED).enumerate().filter(|(_, item)| is_whole(item)).collect();
        for (at, &(index, item)) in known.iter().enumerate() {
            if known.iter().take(at).any(|(_, other)| is_same(other, item)) {
                self.within(MisfitStep::Item(index), |judge| judge.broken(MisfitKind::Repeated));
            }
        }
    }

    fn object_clause(&mut self, clause: &'static Clause, object: &'a Object) {
        match clause {
            Clause::Members(members) => {
                for (name, rule) in members {
                    let name = self.block.text(*name);
                    let member = object.member(name).filter(|member| *member.key == *name && !member.value.is_null());
                    if let Some(member) = member {
                        self.within(MisfitStep::Member(&member.key), |judge| judge.obey(*rule, &member.value));
                    }
                }
            }
            Clause::Names(rule) => {
                for member in object {
                    let key = Value::from(member.key.clone());
                    if RuleEvaluation::new(self.block).evaluate(*rule, &key) == Outcomes::FALSE {
                        self.wrong(&member.key, MisfitKind::Forbidden);
                    }
                }
            }
            Clause::Required(names)
            | Clause::RequiredOr(names)
            | Clause::RequiredXor(names)
            | Clause::Forbidden(names)
            | Clause::With(names)
            | Clause::Without(names)
            | Clause::Only(names) => {
                let block = self.block;
                let names: Vec<&'static str> = names.iter().map(|name| block.text(*name)).collect();
                self.presence(clause, &names, object);
            }
            _ => {}
        }
    }

    /// Reports missing members that are required, and present members that are forbidden.
    fn presence(&mut self, clause: &Clause, names: &[&'static str], object: &'a Object) {
        let is_there = |name: &&&'static str| has(object, name) == Outcomes::TRUE;
        let is_missing = |name: &&&'static str| has(object, name) == Outcomes::FALSE;
        match clause {
            Clause::Required(_) => {
                names.iter().filter(is_missing).for_each(|name| self.wrong(name, MisfitKind::MissingProperty));
            }
            Clause::Forbidden(_) => {
                names.iter().filter(is_there).for_each(|name| self.wrong(name, MisfitKind::Forbidden));
            }
            Clause::RequiredOr(_) | Clause::RequiredXor(_) => {
                if names.iter().all(|name| is_missing(&name)) {
                    self.lacking(names.iter().map(|name| vec![*name]).collect());
                }
                let mut there = names.iter().filter(|name| excludes(object, name));
                if let (Clause::RequiredXor(_), Some(with), Some(name)) = (clause, there.next(), there.next()) {
                    self.wrong(name, MisfitKind::Excluded { with });
                }
            }
            Clause::With(_) | Clause::Without(_) => {
                let Some((by, others)) = names.split_first().filter(|(first, _)| is_there(first)) else { return };
                if matches!(clause, Clause::With(_)) {
                    others.iter().filter(is_missing).for_each(|name| self.wrong(name, MisfitKind::Needed { by }));
                } else {
                    let others = others.iter().filter(|name| excludes(object, name) && excludes(object, by));
                    others.for_each(|name| self.wrong(name, MisfitKind::Excluded { with: by }));
                }
            }
            Clause::Only(_) => {
                object
                    .iter()
                    .filter(|member: &&'a Member| !member.value.is_null() && !names.contains(&&*member.key))
                    .for_each(|member| self.wrong(&member.key, MisfitKind::Forbidden));
            }
            _ => {}
        }
    }

    /// Reports a misfit of a member.
    fn wrong(&mut self, name: &'a str, kind: MisfitKind<'a>) {
        self.within(MisfitStep::Member(name), |judge| judge.broken(kind));
    }
}

/// True if a member excludes others. An empty list does not: alarms exported by AWS have one.
///
/// Source: <https://github.com/aws-cloudformation/cfn-lint/issues/2890>.
fn excludes(object: &Object, name: &str) -> bool {
    has(object, name) == Outcomes::TRUE
        && !object.get_exact(name).is_some_and(|value: &Value| value.as_array().is_some_and(<[Value]>::is_empty))
}

/// Returns the expected formats if the only misfit is a wrong format.
fn only_format(misfits: &[Misfit<'_>]) -> Option<Vec<&'static str>> {
    match misfits {
        [Misfit { kind: MisfitKind::Format { expected, .. }, .. }] => Some(expected.clone()),
        _ => None,
    }
}

/// True if a value is a scalar that a message may show.
fn is_plain(value: &Value) -> bool {
    let is_scalar = matches!(value.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_));
    is_scalar && !value.traits.has(Traits::SECRET) && !value.as_str().is_some_and(is_placeholder)
}

/// True if a value is completely known.
fn is_whole(value: &Value) -> bool {
    match &value.data {
        Data::Unknown(_) | Data::Null => false,
        Data::Array(items) => items.iter().all(is_whole),
        Data::Object(object) => !is_intrinsic(object) && object.iter().all(|member| is_whole(&member.value)),
        _ => is_plain(value),
    }
}
