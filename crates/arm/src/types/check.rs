//! Validates a value against its type.

use std::sync::Arc;

use crate::diagnostic::{Code, Outcome};
use crate::eval::Evaluator;
use crate::fault::Fault;
use crate::model::{join_index, join_key};
use crate::text::Span;
use crate::types::allowed::{self, Membership};
use crate::types::keyword::Keyword;
use crate::types::message;
use crate::types::resolve::{Type, Types};
use crate::types::schema::Schema;
use crate::types::validator::{Judgment, Validator};
use crate::value::{Data, Str, Traits, Unknown, Value, Via};

/// Maximum number of violations that are reported for one value.
const MAX_VIOLATIONS: usize = 1_000;

/// The parameter or output whose value is validated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) noun: Noun,
    pub(crate) name: &'a str,
}

/// The kind of a [`Subject`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noun {
    Parameter,
    Output,
}

/// A constraint that a value violates, or may violate.
#[derive(Debug)]
pub(crate) struct Violation {
    /// [`Outcome::Failed`], or [`Outcome::Unknown`] if only a deployment can decide.
    pub(crate) outcome: Outcome,
    /// The path of the offending part, which begins with the name of the subject: `config.tags.env`, `list[1]`.
    pub(crate) path: String,
    pub(crate) message: String,
    /// The offending part. `None` if it is missing, or if it must not be shown.
    pub(crate) value: Option<Value>,
    /// The span of the offending part. If it is missing, the span of the object that it is missing from.
    pub(crate) span: Option<Span>,
    /// The provenance of that part.
    pub(crate) via: Option<Arc<Via>>,
    /// The violated keyword of the declaration.
    pub(crate) keyword: &'static str,
    /// The span of the keyword.
    pub(crate) constraint: Option<Span>,
}

/// Validates a value against the type that `declaration` declares, and returns all violations. Validation lambdas see
/// the same names as the expressions of `evaluator`. Reaching a limit is reported and ends the validation.
pub(crate) fn validate(
    evaluator: &Evaluator<'_>,
    types: &Types,
    subject: Subject<'_>,
    declaration: &Value,
    value: &Value,
) -> Vec<Violation> {
    let mut checker = Checker { evaluator, types, subject, trail: Vec::new(), is_hidden: false, found: Vec::new() };
    if let Err(fault) = checker.validate_part(value, &types.declared_type(declaration)) {
        evaluator.report(&fault, value.span.or(declaration.span));
    }
    checker.found
}

/// A step from a value to a part of it.
#[derive(Clone, Debug)]
pub(super) enum Link {
    Key(Str),
    Index(usize),
    /// A property whose name is a secret, and must not be shown.
    Hidden,
}

/// Walks through a value and its type in parallel, and collects the violations.
pub(super) struct Checker<'a> {
    pub(super) evaluator: &'a Evaluator<'a>,
    pub(super) types: &'a Types,
    pub(super) subject: Subject<'a>,
    /// The steps from the whole value to the current part.
    trail: Vec<Link>,
    /// True if the current part is inside a value with a secure type.
    pub(super) is_hidden: bool,
    found: Vec<Violation>,
}

/// A violation by the current part of a value, before the path and the secrets on it are taken into account.
pub(super) struct Breach<'a> {
    pub(super) keyword: Keyword,
    /// The span of the keyword.
    pub(super) constraint: Option<Span>,
    pub(super) message: String,
    /// The offending part, or the object that something is missing from.
    pub(super) value: &'a Value,
    /// True if `value` itself is wrong, so that a report should show it.
    pub(super) shows_value: bool,
}

impl Checker<'_> {
    /// Validates the current part.
    ///
    /// # Errors
    ///
    /// Fails only if a limit is reached.
    pub(super) fn validate_part(&mut self, value: &Value, declared: &Type) -> Result<(), Fault> {
        let world = self.evaluator.world;
        let _level = world.deeper()?;
        world.step(declared.parts.len())?;
        let outer = self.is_hidden;
        self.is_hidden |= declared.is_secure;
        let result = self.check_parts(value, declared);
        self.is_hidden = outer;
        result
    }

    fn check_parts(&mut self, value: &Value, declared: &Type) -> Result<(), Fault> {
        match &value.data {
            Data::Unknown(unknown) => return self.unknown(value, unknown, declared),
            Data::Null => return if declared.takes_null() { Ok(()) } else { self.null(value, declared) },
            _ => {}
        }
        // A value of the wrong kind violates most other constraints too, so nothing else is reported for it.
        for part in &declared.parts {
            if let Some(kind) = part.kind.as_ref().filter(|kind| kind.what != value.kind()) {
                let message = message::wrong_type(&self.name(), value.kind(), kind.what);
                return self.fail(Breach {
                    keyword: Keyword::Type,
                    constraint: kind.span,
                    message,
                    value,
                    shows_value: true,
                });
            }
        }
        for part in &declared.parts {
            self.allowed(value, part)?;
            self.bounds(value, part)?;
            match &value.data {
                Data::Object(object) => self.object(value, object, part)?,
                Data::Array(items) => self.array(value, items, part)?,
                _ => {}
            }
            for validator in &part.validators {
                self.validate(value, validator)?;
            }
        }
        Ok(())
    }

    /// Reports an unknown value whose constraints only a deployment can check, if it has any besides a kind and the
    /// certain parts of the value.
    fn unknown(&mut self, value: &Value, unknown: &Unknown, declared: &Type) -> Result<(), Fault> {
        let shortest = unknown.ends.as_ref().map_or(0, |ends| {
            ends.start.encode_utf16().count() + ends.end.encode_utf16().count() + usize::from(ends.is_filled)
        });
        let shortest = i64::try_from(shortest).unwrap_or(i64::MAX);
        let is_met = |part: &Schema| {
            part.bounds.iter().all(|(keyword, limit)| *keyword != Keyword::MinLength || limit.what <= shortest)
        };
        let mut demands = declared.parts.iter().flat_map(|part| {
            let is_met = is_met(part);
            part.demands().filter(move |(keyword, _)| *keyword != Keyword::MinLength || !is_met)
        });
        let Some((keyword, constraint)) = demands.next() else { return Ok(()) };
        let message = message::unknown(&self.name(), keyword, &unknown.why);
        self.add(Outcome::Unknown, Breach { keyword, constraint, message, value, shows_value: false })
    }

    fn null(&mut self, value: &Value, declared: &Type) -> Result<(), Fault> {
        let decisive = declared.parts.iter().find_map(|part| part.nullable.as_ref()?.span);
        let constraint = decisive.or_else(|| declared.parts.first().and_then(|part| kind_span(part)));
        let message = message::null(&self.name());
        self.fail(Breach { keyword: Keyword::Nullable, constraint, message, value, shows_value: true })
    }

    fn allowed(&mut self, value: &Value, part: &Schema) -> Result<(), Fault> {
        let Some(allowed) = &part.allowed else { return Ok(()) };
        // Most comparisons end at the first difference, so their number determines the cost.
        let compared = value.as_array().map_or(1, <[Value]>::len).saturating_mul(allowed.what.len());
        self.evaluator.world.step(compared / 8)?;
        let (keyword, constraint) = (Keyword::AllowedValues, allowed.span);
        match allowed::membership(value, &allowed.what) {
            Membership::Allowed => Ok(()),
            Membership::Refused(offending) => {
                let secret = self.is_secret(offending);
                let message = message::not_allowed(&self.name(), value, offending, &allowed.what, secret);
                self.fail(Breach { keyword, constraint, message, value: offending, shows_value: true })
            }
            Membership::Unknown(why) => {
                let message = message::unknown(&self.name(), keyword, &why);
                self.add(Outcome::Unknown, Breach { keyword, constraint, message, value, shows_value: false })
            }
        }
    }

    fn bounds(&mut self, value: &Value, part: &Schema) -> Result<(), Fault> {
        for (keyword, limit) in &part.bounds {
            let Some(found) = measure(value, *keyword) else { continue };
            let breaks = match keyword {
                Keyword::MinValue | Keyword::MinLength => found < limit.what,
                _ => found > limit.what,
            };
            if breaks {
                let shown = (!self.is_secret(value)).then_some(found);
                let message = message::out_of_bounds(&self.name(), value.kind(), shown, *keyword, limit.what);
                self.fail(Breach { keyword: *keyword, constraint: limit.span, message, value, shows_value: true })?;
            }
        }
        Ok(())
    }

    fn validate(&mut self, value: &Value, validator: &Validator) -> Result<(), Fault> {
        let (keyword, constraint) = (Keyword::Validate, validator.span());
        match validator.judge(self.evaluator, value) {
            Judgment::Accepted | Judgment::Faulty => Ok(()),
            Judgment::Rejected => {
                let message = message::rejected(self.subject.noun, &self.path(), validator.message.as_deref());
                self.fail(Breach { keyword, constraint, message, value, shows_value: true })
            }
            Judgment::Unknown(why) => {
                let message = message::unknown(&self.name(), keyword, &why);
                self.add(Outcome::Unknown, Breach { keyword, constraint, message, value, shows_value: false })
            }
        }
    }

    /// Validates a part of the current part.
    pub(super) fn descend(&mut self, link: Link, value: &Value, declaration: &Value) -> Result<(), Fault> {
        self.trail.push(link);
        let result = self.validate_part(value, &self.types.declared_type(declaration));
        self.trail.pop();
        result
    }

    /// Reports a violation by a part of the current part.
    pub(super) fn fail_at(&mut self, link: Link, breach: Breach<'_>) -> Result<(), Fault> {
        self.trail.push(link);
        let result = self.fail(breach);
        self.trail.pop();
        result
    }

    pub(super) fn fail(&mut self, breach: Breach<'_>) -> Result<(), Fault> {
        self.add(Outcome::Failed, breach)
    }

    pub(super) fn add(&mut self, outcome: Outcome, breach: Breach<'_>) -> Result<(), Fault> {
        if self.found.len() >= MAX_VIOLATIONS {
            let message =
                format!("one value violates more than {MAX_VIOLATIONS} constraints; the others are not reported");
            return Err(Fault::new(Code::TemplateLimit, message));
        }
        let shown = (breach.shows_value && !self.is_hidden).then(|| breach.value.clone());
        self.found.push(Violation {
            outcome,
            path: self.path(),
            message: breach.message,
            value: shown,
            span: breach.value.span,
            via: breach.value.via.clone(),
            keyword: breach.keyword.as_str(),
            constraint: breach.constraint,
        });
        Ok(())
    }

    /// Returns `true` if a message must not quote `value`. Secrets inside an array or an object are masked when it is
    /// quoted.
    pub(super) fn is_secret(&self, value: &Value) -> bool {
        let is_scalar = !matches!(value.data, Data::Array(_) | Data::Object(_));
        self.is_hidden || (is_scalar && value.traits.has(Traits::SECRET))
    }

    /// Returns the path of the current part, which begins with the name of the subject. It ends before a secret name.
    fn path(&self) -> String {
        let mut path = join_key("", self.subject.name);
        for link in &self.trail {
            path = match link {
                Link::Key(key) => join_key(&path, key),
                Link::Index(index) => join_index(&path, *index),
                Link::Hidden => return path,
            };
        }
        path
    }

    /// Returns the name of the current part in messages: ``parameter `config.name` ``.
    pub(super) fn name(&self) -> String {
        message::name(self.subject.noun, &self.path())
    }
}

/// Returns the span of `type`, or else of `$ref`.
fn kind_span(part: &Schema) -> Option<Span> {
    let kind = part.kind.as_ref().and_then(|kind| kind.span);
    kind.or_else(|| part.reference.as_ref().and_then(|reference| reference.span))
}

/// Returns the number that a bound limits: an integer itself, the UTF-16 code units of a string, or the items of an
/// array. `None` if the keyword does not apply to the value.
fn measure(value: &Value, keyword: Keyword) -> Option<i64> {
    let is_length = matches!(keyword, Keyword::MinLength | Keyword::MaxLength);
    match &value.data {
        Data::Int(number) if !is_length => Some(*number),
        Data::String(text) if is_length => i64::try_from(text.encode_utf16().count()).ok(),
        Data::Array(items) if is_length => i64::try_from(items.len()).ok(),
        _ => None,
    }
}
