//! Holding a value against its type.

use std::sync::Arc;

use crate::arm::eval::Evaluator;
use crate::arm::fault::Fault;
use crate::arm::types::keyword::Keyword;
use crate::arm::types::resolve::{Type, Types};
use crate::arm::types::schema::Schema;
use crate::arm::types::validator::{Validator, Verdict};
use crate::arm::types::{allowed, message};
use crate::diagnostic::{Code, Outcome};
use crate::model::{join_index, join_key};
use crate::text::Span;
use crate::value::{Data, Str, Traits, Unknown, Value, Via};

/// How many broken constraints of one value are told apart.
const MAX_VIOLATIONS: usize = 1_000;

/// What a value is the value of.
#[derive(Clone, Copy, Debug)]
pub(in crate::arm) struct Subject<'a> {
    pub(in crate::arm) noun: Noun,
    pub(in crate::arm) name: &'a str,
}

/// What kind of thing has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::arm) enum Noun {
    Parameter,
    Output,
}

/// One constraint that a value breaks, or may break.
#[derive(Debug)]
pub(in crate::arm) struct Violation {
    /// [`Outcome::Failed`] or [`Outcome::Unknown`].
    pub(in crate::arm) outcome: Outcome,
    /// The path of the part of the value, from the name of the subject on: `config.tags.env`, `list[1]`.
    pub(in crate::arm) path: String,
    pub(in crate::arm) message: String,
    /// The part of the value that breaks it. `None` for a part that is missing or must not be shown.
    pub(in crate::arm) value: Option<Value>,
    /// The text of the part of the value, or of what it should be in.
    pub(in crate::arm) span: Option<Span>,
    /// How that part came there.
    pub(in crate::arm) via: Option<Arc<Via>>,
    /// The keyword that is broken, and where it stands.
    pub(in crate::arm) keyword: &'static str,
    pub(in crate::arm) constraint: Option<Span>,
}

/// Everything in which a value breaks its type, or may. Lambdas see the level of `evaluator`.
pub(in crate::arm) fn check(
    evaluator: &Evaluator<'_>,
    types: &Types,
    subject: Subject<'_>,
    declaration: &Value,
    value: &Value,
) -> Vec<Violation> {
    let mut checker = Checker { evaluator, types, subject, trail: Vec::new(), is_hidden: false, found: Vec::new() };
    if let Err(fault) = checker.check(value, &types.of(declaration)) {
        evaluator.report(&fault, value.span.or(declaration.span));
    }
    checker.found
}

/// A step from a value into it.
#[derive(Clone, Debug)]
pub(super) enum Link {
    Key(Str),
    Index(usize),
    /// A name that is itself a secret.
    Hidden,
}

/// A walk over a value with its type beside it.
pub(super) struct Checker<'a> {
    pub(super) evaluator: &'a Evaluator<'a>,
    pub(super) types: &'a Types,
    pub(super) subject: Subject<'a>,
    trail: Vec<Link>,
    /// Whether this part lies in something secure.
    pub(super) is_hidden: bool,
    found: Vec<Violation>,
}

/// What is said of one part of a value.
pub(super) struct Finding<'a> {
    pub(super) keyword: Keyword,
    /// Where the keyword stands.
    pub(super) constraint: Option<Span>,
    pub(super) message: String,
    /// The offending part; for something missing what it is missing in.
    pub(super) value: &'a Value,
    /// Whether the value itself is wrong, and worth showing.
    pub(super) shows_value: bool,
}

impl Checker<'_> {
    /// Holds a value against a type. The only fault is a limit.
    pub(super) fn check(&mut self, value: &Value, declared: &Type) -> Result<(), Fault> {
        self.evaluator.world.step(declared.parts.len())?;
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
        for part in &declared.parts {
            if let Some(kind) = part.kind.as_ref().filter(|kind| kind.what != value.kind()) {
                let message = message::wrong_type(&self.name(), value.kind(), kind.what);
                return self.fail(Finding {
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

    /// What is unknown breaks nothing. Where more than a kind is asked of it, only a deployment can tell.
    fn unknown(&mut self, value: &Value, unknown: &Unknown, declared: &Type) -> Result<(), Fault> {
        let mut demands = declared.parts.iter().flat_map(|part| part.demands());
        let Some((keyword, constraint)) = demands.next() else { return Ok(()) };
        let message = message::unknown(&self.name(), keyword, &unknown.why);
        self.add(Outcome::Unknown, Finding { keyword, constraint, message, value, shows_value: false })
    }

    fn null(&mut self, value: &Value, declared: &Type) -> Result<(), Fault> {
        let decisive = declared.parts.iter().find_map(|part| part.nullable.as_ref()).and_then(|it| it.span);
        let constraint = decisive.or_else(|| declared.parts.first().and_then(|part| kind_span(part)));
        let message = message::null(&self.name());
        self.fail(Finding { keyword: Keyword::Nullable, constraint, message, value, shows_value: true })
    }

    fn allowed(&mut self, value: &Value, part: &Schema) -> Result<(), Fault> {
        let Some(allowed) = &part.allowed else { return Ok(()) };
        // A comparison ends at the first difference, so their number is what counts.
        let compared = value.as_array().map_or(1, <[Value]>::len).saturating_mul(allowed.what.len());
        self.evaluator.world.step(compared / 8)?;
        let (keyword, constraint) = (Keyword::AllowedValues, allowed.span);
        match allowed::verdict(value, &allowed.what) {
            allowed::Verdict::Allowed => Ok(()),
            allowed::Verdict::Refused(offending) => {
                let secret = self.is_secret(offending);
                let message = message::not_allowed(&self.name(), value, offending, &allowed.what, secret);
                self.fail(Finding { keyword, constraint, message, value: offending, shows_value: true })
            }
            allowed::Verdict::Unknown(why) => {
                let message = message::unknown(&self.name(), keyword, &why);
                self.add(Outcome::Unknown, Finding { keyword, constraint, message, value, shows_value: false })
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
                self.fail(Finding { keyword: *keyword, constraint: limit.span, message, value, shows_value: true })?;
            }
        }
        Ok(())
    }

    fn validate(&mut self, value: &Value, validator: &Validator) -> Result<(), Fault> {
        let (keyword, constraint) = (Keyword::Validate, validator.span());
        match validator.judge(self.evaluator, value) {
            Verdict::Accepted | Verdict::Faulty => Ok(()),
            Verdict::Rejected => {
                let message = message::rejected(self.subject.noun, &self.path(), validator.message.as_deref());
                self.fail(Finding { keyword, constraint, message, value, shows_value: true })
            }
            Verdict::Unknown(why) => {
                let message = message::unknown(&self.name(), keyword, &why);
                self.add(Outcome::Unknown, Finding { keyword, constraint, message, value, shows_value: false })
            }
        }
    }

    /// Goes on with a part of the value.
    pub(super) fn descend(&mut self, link: Link, value: &Value, declaration: &Value) -> Result<(), Fault> {
        self.trail.push(link);
        let result = self.check(value, &self.types.of(declaration));
        self.trail.pop();
        result
    }

    /// Says something of a part of the value.
    pub(super) fn fail_at(&mut self, link: Link, finding: Finding<'_>) -> Result<(), Fault> {
        self.trail.push(link);
        let result = self.fail(finding);
        self.trail.pop();
        result
    }

    pub(super) fn fail(&mut self, finding: Finding<'_>) -> Result<(), Fault> {
        self.add(Outcome::Failed, finding)
    }

    pub(super) fn add(&mut self, outcome: Outcome, finding: Finding<'_>) -> Result<(), Fault> {
        if self.found.len() >= MAX_VIOLATIONS {
            let message = format!("one value breaks more than {MAX_VIOLATIONS} constraints, and the rest is not told");
            return Err(Fault::new(Code::TemplateLimit, message));
        }
        let shown = (finding.shows_value && !self.is_hidden).then(|| finding.value.clone());
        self.found.push(Violation {
            outcome,
            path: self.path(),
            message: finding.message,
            value: shown,
            span: finding.value.span,
            via: finding.value.via.clone(),
            keyword: finding.keyword.as_str(),
            constraint: finding.constraint,
        });
        Ok(())
    }

    /// Whether nothing of the value may be told. Of something that only holds secrets, these are masked.
    pub(super) fn is_secret(&self, value: &Value) -> bool {
        let is_scalar = !matches!(value.data, Data::Array(_) | Data::Object(_));
        self.is_hidden || (is_scalar && value.traits.has(Traits::SECRET))
    }

    /// The path of this part, from the name of the subject on. What lies behind a secret name is part of it.
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

    /// For messages: ``parameter `config.name` ``.
    pub(super) fn name(&self) -> String {
        message::name(self.subject.noun, &self.path())
    }
}

fn kind_span(part: &Schema) -> Option<Span> {
    let kind = part.kind.as_ref().and_then(|it| it.span);
    kind.or_else(|| part.reference.as_ref().and_then(|it| it.span))
}

/// What a bound counts: numbers themselves, UTF-16 code units of texts, items of arrays. `None` where it says nothing of
/// such a value.
fn measure(value: &Value, keyword: Keyword) -> Option<i64> {
    let is_length = matches!(keyword, Keyword::MinLength | Keyword::MaxLength);
    match &value.data {
        Data::Int(number) if !is_length => Some(*number),
        Data::String(text) if is_length => i64::try_from(text.encode_utf16().count()).ok(),
        Data::Array(items) if is_length => i64::try_from(items.len()).ok(),
        _ => None,
    }
}
