//! Functions of the language. Each works on every result of its first argument.

use std::cell::LazyCell;
use std::rc::Rc;

use arcstr::ArcStr;
use chrono::DateTime;

use crate::guard3::ast::{Call, Function};
use crate::guard3::eval::scope::{LocatedItem, QueryResult, ResultKind, Scope, Trail};
use crate::guard3::eval::view::{Item, View};
use crate::guard3::eval::{Abort, EvalResult, Evaluator, Reached};
use crate::pattern::{Pattern, Stopped};
use crate::syntax::yaml;
use crate::text::FileId;
use crate::value::{Kind, Unknown, Value};

/// Number of bytes of a string that are replaced in one step.
const BYTES_IN_STEP: usize = 64;

/// Memory that `json_parse` takes for each byte of a string, in bytes.
const BYTES_OF_PARSED: usize = 16;

/// Maximum nesting of a string that `json_parse` reads.
const MAX_DEPTH: u32 = 64;

impl<'a> Evaluator<'a> {
    /// Evaluates a call.
    pub(super) fn call_function(&self, scope: &Scope<'_, 'a>, call: &'a Call) -> EvalResult<Vec<QueryResult<'a>>> {
        let _level = self.deeper()?;
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(self.operand(scope, argument)?);
        }
        let [first, second, third] =
            [0, 1, 2].map(|at| arguments.get(at).map_or(&[] as &[QueryResult<'a>], Vec::as_slice));
        match call.function {
            Function::Now => Ok(vec![computed_result(
                Item::Made(unknown(Kind::Int, "the time of the check")),
                Trail::default(),
                true,
            )]),
            Function::Count => Ok(vec![count(first)]),
            Function::Join => Ok(vec![join(first, &text(second)?, &|bytes| self.keep_text(bytes))?]),
            Function::Substring => {
                let (from, to) = (offset(second)?, offset(third)?);
                each(first, Kind::String, |view| {
                    view.text().and_then(|text| substring(text, from, to)).map_or(Ok(None), |text| self.kept(text))
                })
            }
            Function::RegexReplace => {
                let (pattern, replacement) = (text(second)?, text(third)?);
                self.spend(1 + pattern.len())?;
                let compiled = LazyCell::new(|| Pattern::rust(&pattern));
                each(first, Kind::String, |view| {
                    let Some(text) = view.text() else { return Ok(None) };
                    let pattern = compiled.as_ref().map_err(|error| Abort::fatal(error.message.clone()))?;
                    self.replaced(text, pattern, &replacement).map(Some)
                })
            }
            Function::JsonParse => each(first, Kind::Any, |view| {
                self.keep(view.text().map_or(0, str::len).saturating_mul(BYTES_OF_PARSED))?;
                parsed(self.file.file, view)
            }),
            Function::ToLower => {
                each(first, Kind::String, |view| view.text().map_or(Ok(None), |text| self.kept(text.to_lowercase())))
            }
            Function::ToUpper => {
                each(first, Kind::String, |view| view.text().map_or(Ok(None), |text| self.kept(text.to_uppercase())))
            }
            Function::UrlDecode => each(first, Kind::String, |view| {
                view.text().and_then(url_decoded).map_or(Ok(None), |text| self.kept(text))
            }),
            Function::ParseInt => each(first, Kind::Int, parse_int),
            Function::ParseFloat => each(first, Kind::Float, parse_float),
            Function::ParseString => each(first, Kind::String, parse_string),
            Function::ParseBoolean => each(first, Kind::Bool, parse_boolean),
            Function::ParseChar => each(first, Kind::Any, parse_char),
            Function::ParseEpoch => each(first, Kind::Int, parse_epoch),
        }
    }

    fn replaced(&self, text: &str, pattern: &Pattern, replacement: &str) -> EvalResult<Value> {
        let most = self.budget.limits().text_bytes;
        let replaced = pattern.replaced_matches(text, replacement, most).map_err(|stopped| match stopped {
            Stopped::Backtracking => Abort::fatal("the pattern takes too long"),
            Stopped::Length => Abort::Limit(Reached::Bytes),
        })?;
        self.keep_text(replaced.len())?;
        self.spend(1 + (text.len() + replaced.len()) / BYTES_IN_STEP)?;
        Ok(string(replaced))
    }

    /// Returns a text as a value that is kept.
    fn kept(&self, text: impl Into<String>) -> EvalResult<Option<Value>> {
        let text = text.into();
        self.keep_text(text.len())?;
        Ok(Some(string(text)))
    }
}

fn computed_result<'a>(item: Item<'a>, trail: Trail<'a>, is_certain: bool) -> QueryResult<'a> {
    QueryResult { at: LocatedItem { item, trail }, kind: ResultKind::Value, is_certain }
}

fn unknown(kind: Kind, why: &str) -> Rc<Value> {
    Rc::new(Value::unknown(Unknown::new(kind, why)))
}

fn string(text: impl Into<String>) -> Value {
    Value::from(text.into())
}

/// Result of a function for one value.
enum FunctionResult {
    Value(Value),
    Char(char),
}

impl From<Value> for FunctionResult {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// Calls a function for each value that it is defined for. The result for an unknown value is unknown.
fn each<'a, R: Into<FunctionResult>>(
    results: &[QueryResult<'a>],
    kind: Kind,
    function: impl Fn(View<'_>) -> EvalResult<Option<R>>,
) -> EvalResult<Vec<QueryResult<'a>>> {
    let mut out = Vec::with_capacity(results.len());
    for found in results {
        let trail = found.at.trail.clone();
        let item = match &found.kind {
            ResultKind::Lost(_) => continue,
            ResultKind::Unseen(of) => Item::Made(unknown(kind, &of.why)),
            ResultKind::Value | ResultKind::Literal => match found.at.item.view() {
                View::Unknown(of) => Item::Made(unknown(kind, &of.why)),
                view => match function(view)?.map(Into::into) {
                    Some(FunctionResult::Value(value)) => Item::Made(Rc::new(value)),
                    Some(FunctionResult::Char(character)) => Item::Char(character),
                    None => continue,
                },
            },
        };
        out.push(computed_result(item, trail, found.is_certain));
    }
    Ok(out)
}

fn count<'a>(results: &[QueryResult<'a>]) -> QueryResult<'a> {
    let trail = results.first().map(|found| found.at.trail.clone()).unwrap_or_default();
    let open = results.iter().find(|found| !found.is_certain || matches!(found.kind, ResultKind::Unseen(_)));
    let item = if open.is_some() {
        Item::Made(unknown(Kind::Int, "the number of results is not known"))
    } else {
        let count = results.iter().filter(|found| !found.is_lost()).count();
        Item::Made(Rc::new(Value::from(i64::try_from(count).unwrap_or(i64::MAX))))
    };
    computed_result(item, trail, true)
}

fn join<'a>(
    results: &[QueryResult<'a>],
    delimiter: &str,
    keep: &dyn Fn(usize) -> EvalResult<()>,
) -> EvalResult<QueryResult<'a>> {
    let mut parts = Vec::with_capacity(results.len());
    let trail = results.first().map(|found| found.at.trail.clone()).unwrap_or_default();
    for found in results {
        let view = found.at.item.view();
        match (&found.kind, view.text()) {
            (ResultKind::Value | ResultKind::Literal, Some(text)) if found.is_certain => parts.push(text),
            (ResultKind::Unseen(_), _) => {
                return Ok(computed_result(Item::Made(unknown(Kind::String, "a part is not known")), trail, true));
            }
            _ if matches!(view, View::Unknown(_)) || !found.is_certain => {
                return Ok(computed_result(Item::Made(unknown(Kind::String, "a part is not known")), trail, true));
            }
            _ => return Err(Abort::Undecidable),
        }
    }
    let bytes = parts.iter().map(|part| part.len().saturating_add(delimiter.len()));
    keep(bytes.fold(0, usize::saturating_add))?;
    Ok(computed_result(Item::Made(Rc::new(string(parts.join(delimiter)))), trail, true))
}

/// Returns an argument that must be a string.
fn text(results: &[QueryResult<'_>]) -> EvalResult<String> {
    let first = results.first().filter(|found| matches!(found.kind, ResultKind::Value | ResultKind::Literal));
    let text = first.and_then(|found| match found.at.item.view() {
        View::Char(character) => Some(character.to_string()),
        view => view.text().map(str::to_owned),
    });
    text.ok_or_else(|| Abort::fatal("an argument of a function must be a string"))
}

/// Returns an argument that must be an offset in characters.
fn offset(results: &[QueryResult<'_>]) -> EvalResult<usize> {
    let first = results.first().filter(|found| matches!(found.kind, ResultKind::Value | ResultKind::Literal));
    let offset = first.and_then(|found| match found.at.item.view() {
        View::Int(int) => usize::try_from(int).ok(),
        #[expect(clippy::cast_possible_truncation, reason = "the fraction is cut, and the rest saturates")]
        View::Float(float) if float.is_finite() => usize::try_from(float as i64).ok(),
        _ => None,
    });
    offset.ok_or_else(|| Abort::fatal("`substring` requires offsets, which are not negative"))
}

fn substring(text: &str, from: usize, to: usize) -> Option<String> {
    let length = text.chars().count();
    (from < to && to <= length).then(|| text.chars().skip(from).take(to - from).collect())
}

fn parsed(file: FileId, view: View<'_>) -> EvalResult<Option<Value>> {
    let Some(text) = view.text() else { return Ok(None) };
    let parsed = yaml::parse(file, &ArcStr::from(text), MAX_DEPTH);
    match parsed.value {
        Some(value) => Ok(Some(value)),
        None => Err(Abort::fatal("`json_parse` requires JSON")),
    }
}

fn url_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let decoded = match after {
            [high, low, ..] if *first == b'%' => {
                let [high, low] =
                    [high, low].map(|byte| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
                high.zip(low).map(|(high, low)| high << 4 | low)
            }
            _ => None,
        };
        bytes.push(decoded.unwrap_or(*first));
        rest = rest.get(if decoded.is_some() { 3 } else { 1 }..).unwrap_or_default();
    }
    String::from_utf8(bytes).ok()
}

fn parse_int(view: View<'_>) -> EvalResult<Option<Value>> {
    let int = match view {
        View::String(text) | View::Spelled(text, _) => text.parse().map_err(|_| Abort::Undecidable)?,
        View::Int(int) => int,
        View::Char(character) => i64::from(character.to_digit(10).ok_or(Abort::Undecidable)?),
        #[expect(clippy::cast_possible_truncation, reason = "the fraction is cut, and the rest saturates")]
        View::Float(float) => float as i64,
        _ => return Ok(None),
    };
    Ok(Some(Value::from(int)))
}

fn parse_float(view: View<'_>) -> EvalResult<Option<Value>> {
    let float = match view {
        View::String(text) | View::Spelled(text, _) => text.parse().map_err(|_| Abort::Undecidable)?,
        #[expect(clippy::cast_precision_loss, reason = "the nearest number is what is asked for")]
        View::Int(int) => int as f64,
        View::Char(character) => f64::from(character.to_digit(10).ok_or(Abort::Undecidable)?),
        View::Float(float) => float,
        _ => return Ok(None),
    };
    Ok(Some(Value::from(float)))
}

fn parse_string(view: View<'_>) -> EvalResult<Option<Value>> {
    Ok(Some(match view {
        View::String(text) | View::Spelled(text, _) => string(text),
        View::Int(int) => string(int.to_string()),
        View::Float(float) => string(float.to_string()),
        View::Bool(is_so) => string(is_so.to_string()),
        View::Char(character) => string(character.to_string()),
        _ => return Ok(None),
    }))
}

fn parse_boolean(view: View<'_>) -> EvalResult<Option<Value>> {
    match view {
        View::Bool(is_so) => Ok(Some(Value::from(is_so))),
        View::String(text) if text.eq_ignore_ascii_case("true") => Ok(Some(Value::from(true))),
        View::String(text) if text.eq_ignore_ascii_case("false") => Ok(Some(Value::from(false))),
        View::String(_) | View::Spelled(..) => Err(Abort::Undecidable),
        _ => Ok(None),
    }
}

fn parse_char(view: View<'_>) -> EvalResult<Option<FunctionResult>> {
    match view {
        View::Int(int @ 0..=9) => {
            let digit = u32::try_from(int).ok().and_then(|digit| char::from_digit(digit, 10));
            Ok(digit.map(FunctionResult::Char))
        }
        View::Int(_) => Err(Abort::Undecidable),
        View::String(text) | View::Spelled(text, _) if text.len() > 1 => Err(Abort::Undecidable),
        View::String(text) | View::Spelled(text, _) => Ok(text.chars().next().map(FunctionResult::Char)),
        View::Char(character) => Ok(Some(FunctionResult::Value(string(character.to_string())))),
        _ => Ok(None),
    }
}

fn parse_epoch(view: View<'_>) -> EvalResult<Option<Value>> {
    let Some(text) = view.text() else { return Ok(None) };
    let time = DateTime::parse_from_rfc3339(text).map_err(|_| Abort::Undecidable)?;
    Ok(Some(Value::from(time.timestamp())))
}
