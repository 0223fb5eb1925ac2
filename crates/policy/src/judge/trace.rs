//! Traces of conditions, for explanations.
//!
//! # Invariant
//!
//! Conditions are evaluated in one place: `policy explain` records each step of `judge`.

use std::cell::RefCell;

use crate::judge::fields::Many;
use crate::judge::truth::Truth;
use crate::language::{Condition, Count, Counted, Subject, Test};
use crate::model::Mask;
use crate::outcomes::Outcomes;
use crate::text::Span;
use crate::value::{Value, ValueExcerpt, plain};

/// An evaluated condition, or an item of an array for which one was evaluated.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// Kind of this part.
    pub kind: PartKind,
    /// Text of the condition, such as `location in [parameters('allowed')]`; empty for `allOf`, `anyOf` and `not`.
    pub text: String,
    /// Result for the request.
    pub answer: Answer,
    /// Reason of an unknown result or a failure.
    pub why: Option<String>,
    /// Value on the left side of the operator.
    pub left: Option<Seen>,
    /// Value on the right side, if the definition has an expression there.
    pub right: Option<String>,
    /// Nested conditions, and the items that it was evaluated for, in order.
    pub parts: Vec<Self>,
    /// Number of parts that were omitted.
    pub omitted: usize,
}

/// Kind of a part of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// `allOf`: all of the parts must hold.
    All,
    /// `anyOf`: one of the parts must hold.
    Any,
    /// `not`: the part must not hold.
    Not,
    /// A comparison with an operator.
    Test,
    /// An item of an array, for which the condition around is evaluated.
    Item,
    /// A resource of the type that an existence condition is about.
    Related,
    /// Something that cannot be read.
    Invalid,
}

/// Result of a condition, as reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The condition holds for every value of unknown parts.
    True,
    /// The condition does not hold.
    False,
    /// The condition may hold, or not, or fail.
    Unknown,
    /// A function in it fails, so the request is denied.
    Fails,
}

/// A value that a condition was evaluated on.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Evaluated field or expression that has the value.
    pub name: String,
    /// JSON of the value, shortened if it is long; `missing`, `unknown`, or the number of items in words.
    pub value: String,
    /// Span of the value. `None` for a missing property, and for a value that is not written anywhere.
    pub span: Option<Span>,
}

impl PartKind {
    /// Returns the name in definitions, or a similar word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "allOf",
            Self::Any => "anyOf",
            Self::Not => "not",
            Self::Test => "test",
            Self::Item => "item",
            Self::Related => "related",
            Self::Invalid => "invalid",
        }
    }
}

impl Answer {
    /// Returns the word for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::Fails => "fails",
        }
    }

    fn from_truth(truth: &Truth) -> Self {
        match truth.outcomes() {
            Outcomes::TRUE => Self::True,
            Outcomes::FALSE => Self::False,
            Outcomes::NEITHER => Self::Fails,
            _ => Self::Unknown,
        }
    }
}

/// Conditions that are being evaluated, innermost last, while a trace is recorded.
#[derive(Debug, Default)]
pub(super) struct Trace(RefCell<Option<Recording>>);

#[derive(Debug)]
struct Recording {
    /// Open parts; `None` for an omitted one.
    open: Vec<Option<Evaluated>>,
    /// Number of parts that can still be kept.
    left: usize,
}

/// Parts that one explanation keeps: as many as the largest definitions have, for an array of several items.
const MAX_PARTS: usize = 1_000;

impl Trace {
    /// Records the conditions that are evaluated during `act`.
    pub(super) fn record<T>(&self, act: impl FnOnce() -> T) -> (T, Vec<Evaluated>) {
        let root = Some(Evaluated::new(PartKind::All, String::new()));
        let before = self.0.replace(Some(Recording { open: vec![root], left: MAX_PARTS }));
        let result = act();
        let recording = self.0.replace(before);
        let root = recording.and_then(|recording| recording.open.into_iter().next()).flatten();
        (result, root.map(|root| root.parts).unwrap_or_default())
    }

    /// True if a trace is recorded.
    pub(super) fn is_recording(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Evaluates a part of the current part.
    pub(super) fn part(&self, describe: impl FnOnce() -> Evaluated, evaluate: impl FnOnce() -> Truth) -> Truth {
        let is_on = self.open(describe);
        let truth = evaluate();
        if is_on {
            self.close(&truth);
        }
        truth
    }

    /// Adds something to the innermost part.
    pub(super) fn note(&self, add: impl FnOnce(&mut Evaluated)) {
        if let Some(part) = self.0.borrow_mut().as_mut().and_then(|recording| recording.open.last_mut()?.as_mut()) {
            add(part);
        }
    }

    fn open(&self, describe: impl FnOnce() -> Evaluated) -> bool {
        let mut recording = self.0.borrow_mut();
        let Some(recording) = recording.as_mut() else { return false };
        let is_kept = recording.left > 0 && recording.open.last().is_some_and(Option::is_some);
        recording.left = recording.left.saturating_sub(1);
        recording.open.push(is_kept.then(describe));
        true
    }

    fn close(&self, truth: &Truth) {
        let mut recording = self.0.borrow_mut();
        let Some(recording) = recording.as_mut() else { return };
        let part = recording.open.pop().flatten();
        let Some(around) = recording.open.last_mut().and_then(Option::as_mut) else { return };
        match part {
            Some(part) => {
                let answer = Answer::from_truth(truth);
                let is_open = matches!(answer, Answer::Unknown | Answer::Fails);
                let why = truth.why().filter(|why| is_open && !why.is_empty()).map(|why| (**why).to_owned());
                around.parts.push(Evaluated { answer, why, ..part });
            }
            None => around.omitted += 1,
        }
    }
}

impl Evaluated {
    fn new(kind: PartKind, text: String) -> Self {
        let (answer, parts) = (Answer::Unknown, Vec::new());
        Self { kind, text, answer, why: None, left: None, right: None, parts, omitted: 0 }
    }

    /// Describes a condition that is about to be evaluated.
    pub(super) fn from_condition(condition: &Condition) -> Self {
        let (kind, text) = match condition {
            Condition::All(_) => (PartKind::All, String::new()),
            Condition::Any(_) => (PartKind::Any, String::new()),
            Condition::Not(_) => (PartKind::Not, String::new()),
            Condition::Test(test) => (PartKind::Test, describe_test(test)),
            Condition::Invalid => (PartKind::Invalid, String::new()),
        };
        Self::new(kind, text)
    }

    /// Describes an item of an array.
    pub(super) fn item(value: Option<&Value>) -> Self {
        Self { left: Some(Seen::new(String::new(), value)), ..Self::new(PartKind::Item, String::new()) }
    }

    /// Describes a resource that may be the related one, by its name.
    pub(super) fn related(name: &Value) -> Self {
        Self::new(PartKind::Related, plain(name))
    }

    /// Replaces the secrets in its texts.
    pub(super) fn hide_secrets(&mut self, mask: &Mask) {
        mask.hide_quoted(&mut self.text);
        self.why.iter_mut().for_each(|why| mask.hide(why));
        self.right.iter_mut().for_each(|right| mask.hide_quoted(right));
        if let Some(left) = &mut self.left {
            mask.hide_quoted(&mut left.name);
            mask.hide_quoted(&mut left.value);
        }
        self.parts.iter_mut().for_each(|part| part.hide_secrets(mask));
    }
}

impl Seen {
    /// Describes the value of a field or an expression.
    pub(super) fn new(name: String, value: Option<&Value>) -> Self {
        let shown = match value.filter(|value| !value.is_null()) {
            None => "missing".to_owned(),
            Some(value) if value.as_unknown().is_some() => "unknown".to_owned(),
            Some(value) => shown(value),
        };
        Self { name, value: shown, span: value.and_then(|value| value.span) }
    }

    /// Describes the properties of `[*]`: one item, or the number of items.
    pub(super) fn of_many(name: String, many: &Many) -> Self {
        let value = match many.items.as_slice() {
            _ if many.unknown.is_some() => "unknown".to_owned(),
            [] if many.lacks_array => "missing".to_owned(),
            [one] => return Self::new(name, one.as_ref()),
            items => format!("{} items", items.len()),
        };
        Self { name, value, span: None }
    }

    /// Describes a number of items between `least` and `most`, or without an upper bound.
    pub(super) fn of_count(least: i64, most: Option<i64>) -> Self {
        let value = match most {
            Some(most) if most == least => least.to_string(),
            Some(most) => format!("between {least} and {most}"),
            None => format!("at least {least}"),
        };
        Self { name: String::new(), value, span: None }
    }
}

/// Returns the JSON of a value, shortened if it is long, without secrets.
pub(super) fn shown(value: &Value) -> String {
    ValueExcerpt::new(value).to_string()
}

/// Returns what a count counts the items of, as the definition has it.
pub(super) fn counted_field(count: &Count) -> String {
    match &count.counted {
        Counted::Field(field) | Counted::Value(field, _) => plain(field),
    }
}

/// Formats a comparison on one line.
fn describe_test(test: &Test) -> String {
    let subject = match &test.subject {
        Subject::Field(field) => plain(field),
        Subject::Value(value) => plain(value),
        Subject::Count(count) => {
            let counted = counted_field(count);
            format!("count of {counted}{}", if count.condition.is_some() { " where the parts hold," } else { "" })
        }
    };
    let right = match test.right.as_str() {
        Some(text) if text.starts_with('[') => plain(&test.right),
        _ => shown(&test.right),
    };
    format!("{subject} {} {right}", test.operator.name)
}
