//! What conditions were when they were evaluated, for people who ask why a policy does what it does.

use std::cell::RefCell;

use crate::judge::fields::Many;
use crate::judge::truth::Truth;
use crate::language::{Condition, Counted, Subject, Test};
use crate::model::Mask;
use crate::text::Span;
use crate::value::{Value, ValueExcerpt, plain};

/// A condition as it was evaluated, or an item of an array that one was evaluated for.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// Whether it is a condition, and of which kind.
    pub kind: PartKind,
    /// What it says, such as `location in [parameters('allowed')]`; empty for `allOf`, `anyOf` and `not`.
    pub text: String,
    /// Whether it holds for the request.
    pub answer: Answer,
    /// Why it is unknown, or how it fails.
    pub why: Option<String>,
    /// The value on the left side of the operator.
    pub left: Option<Seen>,
    /// The value on the right side, if the definition has an expression there.
    pub right: Option<String>,
    /// The conditions in it, and the items that it was evaluated for, in their order.
    pub parts: Vec<Self>,
    /// How many more parts there are, which were left out.
    pub omitted: usize,
}

/// What a part of an explanation is about.
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

/// What a condition was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds for every value of what is unknown.
    True,
    /// It does not hold.
    False,
    /// It may hold or not, or fail.
    Unknown,
    /// A function in it fails, so the request is denied.
    Fails,
}

/// A value that a condition looked at.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The field or the expression that it is the value of, evaluated.
    pub name: String,
    /// Its JSON, cut where it is long; `missing`, `unknown`, or in words how many items there are.
    pub value: String,
    /// Where it is written. `None` for a missing property, and for what is written nowhere.
    pub span: Option<Span>,
}

impl PartKind {
    /// The name in definitions, or a word of that kind.
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
    /// The word for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::Fails => "fails",
        }
    }

    fn of(truth: &Truth) -> Self {
        match (truth.holds(), truth.is_false(), truth.can_hold() || truth.can_be_false()) {
            (true, ..) => Self::True,
            (_, true, _) => Self::False,
            (.., false) if truth.can_fail() => Self::Fails,
            _ => Self::Unknown,
        }
    }
}

/// The conditions that are being evaluated, the innermost last, while somebody wants to know.
#[derive(Debug, Default)]
pub(super) struct Trace(RefCell<Option<Recording>>);

#[derive(Debug)]
struct Recording {
    /// `None` for a part that is left out.
    open: Vec<Option<Evaluated>>,
    /// How many more parts are kept.
    left: usize,
}

/// The most parts that one explanation keeps: those of the largest definitions, for an array of some items.
const MAX_PARTS: usize = 1_000;

impl Trace {
    /// Records the conditions that are evaluated meanwhile.
    pub(super) fn record<T>(&self, act: impl FnOnce() -> T) -> (T, Vec<Evaluated>) {
        let root = Some(Evaluated::new(PartKind::All, String::new()));
        let before = self.0.replace(Some(Recording { open: vec![root], left: MAX_PARTS }));
        let result = act();
        let recording = self.0.replace(before);
        let root = recording.and_then(|recording| recording.open.into_iter().next()).flatten();
        (result, root.map(|root| root.parts).unwrap_or_default())
    }

    /// Whether somebody wants to know about conditions.
    pub(super) fn is_recording(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Evaluates something that is a part of what is being evaluated.
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
                let answer = Answer::of(truth);
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

    /// A condition that is about to be evaluated.
    pub(super) fn of(condition: &Condition) -> Self {
        let (kind, text) = match condition {
            Condition::All(_) => (PartKind::All, String::new()),
            Condition::Any(_) => (PartKind::Any, String::new()),
            Condition::Not(_) => (PartKind::Not, String::new()),
            Condition::Test(test) => (PartKind::Test, said(test)),
            Condition::Invalid => (PartKind::Invalid, String::new()),
        };
        Self::new(kind, text)
    }

    /// An item of an array.
    pub(super) fn item(value: Option<&Value>) -> Self {
        Self { left: Some(Seen::of(String::new(), value)), ..Self::new(PartKind::Item, String::new()) }
    }

    /// A resource that may be the related one, by its name.
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
    /// The value of a field or an expression.
    pub(super) fn of(name: String, value: Option<&Value>) -> Self {
        let shown = match value.filter(|value| !value.is_null()) {
            None => "missing".to_owned(),
            Some(value) if value.as_unknown().is_some() => "unknown".to_owned(),
            Some(value) => shown(value),
        };
        Self { name, value: shown, span: value.and_then(|value| value.span) }
    }

    /// What `[*]` leads to: one item, or how many there are.
    pub(super) fn of_many(name: String, many: &Many) -> Self {
        let value = match many.items.as_slice() {
            _ if many.unknown.is_some() => "unknown".to_owned(),
            [] if many.lacks_array => "missing".to_owned(),
            [one] => return Self::of(name, one.as_ref()),
            items => format!("{} items", items.len()),
        };
        Self { name, value, span: None }
    }

    /// A number of items, which is from `least` to `most`, or has no bound.
    pub(super) fn of_count(least: i64, most: Option<i64>) -> Self {
        let value = match most {
            Some(most) if most == least => least.to_string(),
            Some(most) => format!("between {least} and {most}"),
            None => format!("at least {least}"),
        };
        Self { name: String::new(), value, span: None }
    }
}

/// The JSON of a value, cut where it is long, without secrets.
pub(super) fn shown(value: &Value) -> String {
    ValueExcerpt::of(value).to_string()
}

/// A comparison in one line.
fn said(test: &Test) -> String {
    let subject = match &test.subject {
        Subject::Field(field) => plain(field),
        Subject::Value(value) => plain(value),
        Subject::Count(count) => {
            let counted = match &count.counted {
                Counted::Field(field) | Counted::Value(field, _) => plain(field),
            };
            format!("count of {counted}{}", if count.condition.is_some() { " where the parts hold," } else { "" })
        }
    };
    let right = match test.right.as_str() {
        Some(text) if text.starts_with('[') => plain(&test.right),
        _ => shown(&test.right),
    };
    format!("{subject} {} {right}", test.operator.name)
}
