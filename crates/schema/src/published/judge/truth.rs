//! Evaluates rules: true if a value obeys a rule.

use crate::outcomes::Outcomes;
use crate::published::formats;
use crate::published::pack::{Block, Clause, Id, Kinds, Name};
use crate::published::patterns;
use crate::published::tolerance::{is_boolean, is_intrinsic, is_placeholder, scalar_text};
use crate::value::{Data, Kind, Object, Traits, Value};

/// Greatest depth of nested rules. The data are trees, but termination must not depend on that.
const MAX_DEPTH: usize = 64;

/// Returns `TRUE` if an object has a member that is not `null`.
pub(super) fn has(object: &Object, name: &str) -> Outcomes {
    match object.get_exact(name) {
        Some(value) if value.as_unknown().is_some_and(|unknown| unknown.is_optional) => Outcomes::UNKNOWN,
        value => Outcomes::from(value.is_some_and(|value| !value.is_null())),
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
    pub(super) fn evaluate(self, rule: Id, value: &Value) -> Outcomes {
        if self.depth == MAX_DEPTH {
            return Outcomes::UNKNOWN;
        }
        let inner = Self { depth: self.depth + 1, ..self };
        if let Some(unknown) = value.as_unknown().filter(|unknown| !unknown.choices.is_empty()) {
            return Outcomes::union_of(unknown.choices.iter().map(|choice| inner.evaluate(rule, choice)));
        }
        Outcomes::all(self.block.rule(rule).iter().map(|clause| inner.clause(clause, value)))
    }

    pub(super) fn clause(self, clause: &Clause, value: &Value) -> Outcomes {
        match clause {
            Clause::Opaque => Outcomes::UNKNOWN,
            Clause::Attributes(_) | Clause::Identifier(_) | Clause::Shutdown(_) => Outcomes::TRUE,
            Clause::Never => Outcomes::FALSE,
            Clause::All(rules) => Outcomes::all(rules.iter().map(|rule| self.evaluate(*rule, value))),
            Clause::Any(rules) => Outcomes::any(rules.iter().map(|rule| self.evaluate(*rule, value))),
            Clause::One(rules) => exactly_one(rules.iter().map(|rule| self.evaluate(*rule, value))),
            Clause::Not(rule) => !self.evaluate(*rule, value),
            Clause::If { condition, then, otherwise } => match self.evaluate(*condition, value) {
                Outcomes::TRUE => self.evaluate(*then, value),
                Outcomes::FALSE => self.evaluate(*otherwise, value),
                _ => Outcomes::UNKNOWN,
            },
            _ if !is_known(value) => Outcomes::UNKNOWN,
            Clause::Kinds(kinds) => Outcomes::from(is_kind(value, *kinds)),
            _ => match &value.data {
                Data::Object(object) => self.object(clause, object),
                Data::Array(items) => self.array(clause, items),
                _ => self.scalar(clause, value).into(),
            },
        }
    }

    fn text(self, name: Name) -> &'static str {
        self.block.text(name)
    }

    /// Returns `true` if a scalar obeys a clause. `None` if it cannot be read as what the clause is about.
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

    fn object(self, clause: &Clause, object: &Object) -> Outcomes {
        let has = |name: &Name| has(object, self.text(*name));
        match clause {
            Clause::OneOf { .. } => Outcomes::FALSE,
            Clause::Required(names) => Outcomes::all(names.iter().map(has)),
            Clause::RequiredOr(names) => Outcomes::any(names.iter().map(has)),
            Clause::RequiredXor(names) => exactly_one(names.iter().map(has)),
            Clause::Forbidden(names) => !Outcomes::any(names.iter().map(has)),
            Clause::With(names) => match names.split_first() {
                Some((first, others)) => (!has(first)).or(Outcomes::all(others.iter().map(has))),
                None => Outcomes::TRUE,
            },
            Clause::Without(names) => match names.split_first() {
                Some((first, others)) => (!has(first)).or(!Outcomes::any(others.iter().map(has))),
                None => Outcomes::TRUE,
            },
            Clause::Only(names) => Outcomes::from(
                object
                    .iter()
                    .all(|member| member.value.is_null() || names.iter().any(|name| *self.text(*name) == *member.key)),
            ),
            Clause::Members(members) => Outcomes::all(members.iter().map(|(name, rule)| {
                let member = object.get_exact(self.text(*name)).filter(|value| !value.is_null());
                member.map_or(Outcomes::TRUE, |value| self.member(*rule, value))
            })),
            Clause::Names(rule) => {
                Outcomes::all(object.iter().map(|member| self.evaluate(*rule, &Value::from(member.key.clone()))))
            }
            _ => Outcomes::TRUE,
        }
    }

    /// Evaluates a rule for a member. A member that may be absent never violates a rule.
    fn member(self, rule: Id, value: &Value) -> Outcomes {
        let is_optional = value.as_unknown().is_some_and(|unknown| unknown.is_optional);
        self.evaluate(rule, value).union(Outcomes::TRUE.only_if(is_optional))
    }

    fn array(self, clause: &Clause, items: &[Value]) -> Outcomes {
        match clause {
            Clause::OneOf { .. } => Outcomes::FALSE,
            Clause::Items { min, max } => {
                let most = items.len() as u64;
                let least = most
                    - items
                        .iter()
                        .filter(|item: &&Value| item.as_unknown().is_some_and(|unknown| unknown.is_optional))
                        .count() as u64;
                Outcomes::union_of([least, most].map(|length| {
                    Outcomes::from(min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max))
                }))
            }
            Clause::Each(rule) => Outcomes::all(items.iter().map(|item| self.member(*rule, item))),
            Clause::Contains(rule) => Outcomes::any(items.iter().map(|item| self.evaluate(*rule, item))),
            Clause::Unique | Clause::UniqueBy(_) => Outcomes::UNKNOWN,
            _ => Outcomes::TRUE,
        }
    }
}

/// Returns `TRUE` if exactly one of the answers is true.
fn exactly_one(answers: impl Iterator<Item = Outcomes>) -> Outcomes {
    let (mut certain, mut open) = (0, 0);
    for answer in answers {
        certain += usize::from(answer == Outcomes::TRUE);
        open += usize::from(answer.is_open());
    }
    match (certain, open) {
        (2.., _) => Outcomes::FALSE,
        (certain, 0) => Outcomes::from(certain == 1),
        _ => Outcomes::UNKNOWN,
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
