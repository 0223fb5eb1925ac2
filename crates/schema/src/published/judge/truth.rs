//! Evaluates rules: `Some(true)` if a value obeys a rule, `Some(false)` if it does not, `None` if that is not known
//! before the deployment.

use crate::published::formats;
use crate::published::pack::{Block, Clause, Id, Kinds, Name};
use crate::published::patterns;
use crate::published::tolerance::{is_boolean, is_intrinsic, is_placeholder, scalar_text};
use crate::value::{Data, Kind, Object, Traits, Value};

/// Greatest depth of nested rules. The data are trees, but termination must not depend on that.
const MAX_DEPTH: usize = 64;

/// Returns the conjunction of three-valued answers.
fn all(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(true);
    for next in answers {
        match next {
            Some(false) => return Some(false),
            Some(true) => {}
            None => answer = None,
        }
    }
    answer
}

/// Returns the disjunction of three-valued answers.
fn any(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    Some(!all(answers.into_iter().map(|answer| answer.map(|answer| !answer)))?)
}

/// True if an object has a member that is not `null`. `None` if the member may be absent.
pub(super) fn has(object: &Object, name: &str) -> Option<bool> {
    match object.get_exact(name) {
        None => Some(false),
        Some(value) if value.is_null() => Some(false),
        Some(value) if value.as_unknown().is_some_and(|unknown| unknown.is_optional) => None,
        Some(_) => Some(true),
    }
}

/// Evaluation of the rules of one block.
#[derive(Clone, Copy)]
pub(super) struct RuleEvaluation {
    pub(super) block: &'static Block,
    depth: usize,
}

impl RuleEvaluation {
    pub(super) fn new(block: &'static Block) -> Self {
        Self { block, depth: 0 }
    }

    /// Evaluates a rule.
    pub(super) fn evaluate(self, rule: Id, value: &Value) -> Option<bool> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        let inner = Self { depth: self.depth + 1, ..self };
        if let Some(unknown) = value.as_unknown().filter(|unknown| !unknown.choices.is_empty()) {
            let mut answers = unknown.choices.iter().map(|choice| inner.evaluate(rule, choice));
            let first = answers.next()??;
            return answers.all(|answer| answer == Some(first)).then_some(first);
        }
        all(self.block.rule(rule).iter().map(|clause| inner.clause(clause, value)))
    }

    pub(super) fn clause(self, clause: &Clause, value: &Value) -> Option<bool> {
        match clause {
            Clause::Opaque => None,
            Clause::Attributes(_) | Clause::Identifier(_) | Clause::Shutdown(_) => Some(true),
            Clause::Never => Some(false),
            Clause::All(rules) => all(rules.iter().map(|rule| self.evaluate(*rule, value))),
            Clause::Any(rules) => any(rules.iter().map(|rule| self.evaluate(*rule, value))),
            Clause::One(rules) => self.one(rules, value),
            Clause::Not(rule) => Some(!self.evaluate(*rule, value)?),
            Clause::If { condition, then, otherwise } => match self.evaluate(*condition, value) {
                Some(true) => self.evaluate(*then, value),
                Some(false) => self.evaluate(*otherwise, value),
                None => None,
            },
            _ if !is_known(value) => None,
            Clause::Kinds(kinds) => Some(is_kind(value, *kinds)),
            _ => match &value.data {
                Data::Object(object) => self.object(clause, object),
                Data::Array(items) => self.array(clause, items),
                _ => self.scalar(clause, value),
            },
        }
    }

    /// Evaluates a set of rules of which exactly one must hold.
    fn one(self, rules: &[Id], value: &Value) -> Option<bool> {
        let answers: Vec<Option<bool>> = rules.iter().map(|rule| self.evaluate(*rule, value)).collect();
        let [obeyed, unknown] =
            [Some(true), None].map(|wanted| answers.iter().filter(|answer| **answer == wanted).count());
        match (obeyed, unknown) {
            (2.., _) => Some(false),
            (count, 0) => Some(count == 1),
            _ => None,
        }
    }

    fn text(self, name: Name) -> &'static str {
        self.block.text(name)
    }

    fn scalar(self, clause: &Clause, value: &Value) -> Option<bool> {
        let text = scalar_text(value)?;
        match clause {
            Clause::OneOf { values, ignore_case } => Some(values.iter().any(|known| {
                let known = self.text(*known);
                *known == *text || *ignore_case && known.eq_ignore_ascii_case(&text)
            })),
            Clause::Pattern(pattern) => Some(patterns::matches(self.text(*pattern), &text, false)),
            Clause::Format(format) => Some(formats::expected(self.text(*format), &text).is_none()),
            Clause::Range { min, max } => {
                let Ok(number) = text.trim().parse::<i64>() else { return None };
                Some(min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max))
            }
            Clause::MultipleOf(factor) => Some(text.trim().parse::<u64>().ok()?.checked_rem(*factor)? == 0),
            Clause::Length { min, max } if value.as_str().is_some() => {
                let length = text.chars().count() as u64;
                Some(min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max))
            }
            _ => Some(true),
        }
    }

    fn object(self, clause: &Clause, object: &Object) -> Option<bool> {
        let has = |name: &Name| has(object, self.text(*name));
        match clause {
            Clause::OneOf { .. } => Some(false),
            Clause::Required(names) => all(names.iter().map(has)),
            Clause::RequiredOr(names) => any(names.iter().map(has)),
            Clause::RequiredXor(names) => {
                let answers: Vec<Option<bool>> = names.iter().map(has).collect();
                let count = answers.iter().filter(|answer| **answer == Some(true)).count();
                if count > 1 {
                    Some(false)
                } else {
                    all(answers.iter().map(|answer| answer.map(|_| true))).map(|_| count == 1)
                }
            }
            Clause::Forbidden(names) => Some(!any(names.iter().map(has))?),
            Clause::With(names) => match names.split_first() {
                Some((first, others)) => any([has(first).map(|has| !has), all(others.iter().map(has))]),
                None => Some(true),
            },
            Clause::Without(names) => match names.split_first() {
                Some((first, others)) => any([has(first).map(|has| !has), any(others.iter().map(has)).map(|has| !has)]),
                None => Some(true),
            },
            Clause::Only(names) => Some(
                object
                    .iter()
                    .all(|member| member.value.is_null() || names.iter().any(|name| *self.text(*name) == *member.key)),
            ),
            Clause::Members(members) => all(members.iter().map(|(name, rule)| {
                let member = object.get_exact(self.text(*name)).filter(|value| !value.is_null());
                member.map_or(Some(true), |value| self.member(*rule, value))
            })),
            Clause::Names(rule) => {
                all(object.iter().map(|member| self.evaluate(*rule, &Value::from(member.key.clone()))))
            }
            _ => Some(true),
        }
    }

    /// Evaluates a rule for a member. A member that may be absent never violates a rule.
    fn member(self, rule: Id, value: &Value) -> Option<bool> {
        let answer = self.evaluate(rule, value)?;
        let is_optional = value.as_unknown().is_some_and(|unknown| unknown.is_optional);
        (answer || !is_optional).then_some(answer)
    }

    fn array(self, clause: &Clause, items: &[Value]) -> Option<bool> {
        match clause {
            Clause::OneOf { .. } => Some(false),
            Clause::Items { min, max } => {
                let most = items.len() as u64;
                let least = most
                    - items
                        .iter()
                        .filter(|item: &&Value| item.as_unknown().is_some_and(|unknown| unknown.is_optional))
                        .count() as u64;
                match [least, most]
                    .map(|length| min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max))
                {
                    [true, true] => Some(true),
                    [false, false] => Some(false),
                    _ => None,
                }
            }
            Clause::Each(rule) => all(items.iter().map(|item| self.member(*rule, item))),
            Clause::Contains(rule) => any(items.iter().map(|item| self.evaluate(*rule, item))),
            Clause::Unique | Clause::UniqueBy(_) => None,
            _ => Some(true),
        }
    }
}

/// True if a value itself is known; its members or items need not be.
fn is_known(value: &Value) -> bool {
    let is_open = value.as_unknown().is_some() || value.traits.has(Traits::SECRET);
    let is_written = value.as_object().is_some_and(is_intrinsic) || value.as_str().is_some_and(is_placeholder);
    !is_open && !is_written
}

/// True if a value is of one of the kinds. CloudFormation accepts scalars for each other.
fn is_kind(value: &Value, kinds: Kinds) -> bool {
    let text = scalar_text(value).unwrap_or_default();
    match value.kind() {
        Kind::Array => kinds.has(Kinds::ARRAY),
        Kind::Object => kinds.has(Kinds::OBJECT),
        Kind::Null => kinds.has(Kinds::NULL),
        _ => {
            kinds.has(Kinds::STRING)
                || kinds.has(Kinds::BOOLEAN) && is_boolean(value)
                || kinds.has(Kinds::INTEGER) && text.trim().parse::<i64>().is_ok()
                || kinds.has(Kinds::NUMBER) && text.trim().parse::<f64>().is_ok()
        }
    }
}
