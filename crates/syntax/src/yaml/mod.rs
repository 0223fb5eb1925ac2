//! Reads YAML: configuration files, and templates in a [`Dialect`] of their own.
//!
//! `saphyr-parser` knows the grammar; this module turns its events into a [`Value`] with byte spans. Every span falls on
//! character boundaries. A file holds one document. In configuration files tags other than `!!str` change nothing, and
//! `<<` is a key like any other.

mod builder;
mod comments;
mod merge;
mod offsets;
mod repair;
mod schema;
mod tag;
#[cfg(test)]
mod tests;

use arcstr::ArcStr;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};
use crate::value::Value;
use crate::{Parsed, offset};

use self::builder::Builder;
use self::offsets::Offsets;
use self::repair::Repairs;

pub use self::comments::comments;
pub use self::schema::number;

/// Meaning of tags, plain scalars and `<<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The core schema of YAML 1.2.
    Core,
    /// The core schema, where strings may be expressions of Resource Manager: see [`parse_azure`].
    Azure,
    /// Dialect of CloudFormation: see [`parse_template`].
    Template,
    /// Dialect of `cfn-guard validate`: see [`parse_guard`].
    Guard,
    /// Dialect of `cfn-guard test`: the core schema, with the functions of CloudFormation.
    GuardTest,
}

/// Reads the text of `file`. A text without a document is `null`. Every value has its span; what an
/// alias refers to has the span of the alias.
///
/// Reading stops at the first error; there is no value then. Deeper nesting than `max_depth` is an error, and so are
/// aliases that add too many values. A second document is an error, too, but the value of the first is kept.
pub fn parse(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    parse_as(Dialect::Core, file, text, max_depth, &|_| true)
}

/// Reads a template or a parameter file of Resource Manager that is written as YAML, within the same bounds as [`parse`].
/// Tools convert such files to JSON before they deploy them. What may be an expression or a `copy` loop is marked
/// [`DYNAMIC`](crate::value::Traits::DYNAMIC), as in JSON. `<<` merges mappings.
///
/// Of several documents, the value is that of the first for which `is_wanted` holds, or of the first of all.
pub fn parse_azure(file: FileId, text: &ArcStr, max_depth: u32, is_wanted: &Choice<'_>) -> Parsed {
    parse_as(Dialect::Azure, file, text, max_depth, is_wanted)
}

/// Reads a CloudFormation template, within the same bounds as [`parse`].
///
/// - A short-form tag becomes the long form: `!Ref a` is `{"Ref": "a"}`, `!GetAtt a.b` is `{"Fn::GetAtt": ["a", "b"]}`.
/// - `yes`, `no`, `on` and `off` are Booleans, as in YAML 1.1. `y` and `n` are strings, as in most implementations of
///   YAML 1.1: `AttributeType: N` is the type of a number.
/// - A number that JSON would write differently stays a string, marked with
///   [`Traits::NUMERIC`](crate::value::Traits::NUMERIC): `0123` may be an account, `1.10` a version. [`number`] returns
///   its value.
/// - `<<` merges mappings, as `aws cloudformation package` does.
/// - Lines in brackets and in quoted scalars may begin in any column, and `-` is a string in brackets.
///
/// Of several documents, the value is that of the first for which `is_wanted` holds, or of the first of all.
pub fn parse_template(file: FileId, text: &ArcStr, max_depth: u32, is_wanted: &Choice<'_>) -> Parsed {
    parse_as(Dialect::Template, file, text, max_depth, is_wanted)
}

/// Reads a template as `cfn-guard validate` does, within the same bounds as [`parse`].
///
/// - A plain scalar is a number in the notation of Rust, else a Boolean if it is one of YAML 1.1 in lower case. An empty
///   value is the string `""`.
/// - A short-form tag becomes the long form where cfn-guard knows it. `!GetAtt a.b` has a string. Any other tag is dropped.
/// - Lines in brackets and in quoted scalars may begin in any column.
///
/// What cfn-guard refuses, such as aliases, and keys that are not strings, is read like anywhere else.
pub fn parse_guard(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    parse_as(Dialect::Guard, file, text, max_depth, &|_| true)
}

/// Reads the unit tests of Guard rules as `cfn-guard test` does, within the same bounds as [`parse`]: the core schema of
/// YAML 1.2, with short-form tags.
pub fn parse_guard_test(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    parse_as(Dialect::GuardTest, file, text, max_depth, &|_| true)
}

/// Selection of one of several documents.
type Choice<'a> = dyn Fn(&Value) -> bool + 'a;

fn parse_as(dialect: Dialect, file: FileId, text: &ArcStr, max_depth: u32, is_wanted: &Choice<'_>) -> Parsed {
    if let Err(error) = refuse_unreadable(file, text) {
        return Parsed { value: None, diagnostics: vec![*error] };
    }

    let may_begin_anywhere = matches!(dialect, Dialect::Template | Dialect::Guard | Dialect::GuardTest);
    let mut repairs = Repairs::none(text);
    let mut first = None;
    loop {
        let mut builder = Builder::new(file, text, dialect, max_depth);
        let error = match read(file, &repairs, &mut builder, is_wanted) {
            Ok(value) => return Parsed { value: Some(value), diagnostics: builder.into_diagnostics() },
            Err(error) => error,
        };
        let is_repaired = may_begin_anywhere && repairs.extend(&error.message, error.primary.span.start as usize);
        let first = first.get_or_insert(error);
        if !is_repaired {
            return Parsed { value: None, diagnostics: vec![(**first).clone()] };
        }
    }
}

/// Result with a boxed error: errors are rare, and every event may return one.
type Result<T> = std::result::Result<T, Box<Diagnostic>>;

fn read(file: FileId, repairs: &Repairs<'_>, builder: &mut Builder<'_>, is_wanted: &Choice<'_>) -> Result<Value> {
    let text = repairs.text();
    let offsets = Offsets::new(&text);
    let byte = |character: usize| repairs.original(offsets.byte(character));
    let mut parser = Parser::new_from_str(&text);
    let (mut documents, mut first) = (0, None);
    while let Some(event) = parser.next_event() {
        let (event, range) =
            event.map_err(|error| syntax_error(file, byte(error.marker().index()), &error, builder))?;
        let start = byte(range.start.index());
        let end = byte(range.end.index()).max(start);
        match event {
            Event::DocumentStart(_) => documents += 1,
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => continue,
            Event::Scalar(text, ScalarStyle::Plain, anchor, tag) if repairs.is_dash(&text, start..end) => {
                builder.event(Event::Scalar("-".into(), ScalarStyle::Plain, anchor, tag), start..end)?;
                continue;
            }
            _ => {
                builder.event(event, start..end)?;
                continue;
            }
        }
        if documents == 1 {
            continue;
        }
        if documents == 2 {
            builder.second_document(Span::new(file, offset(start), offset(end)));
        }
        let value = builder.finish();
        if is_wanted(&value) {
            return Ok(value);
        }
        first.get_or_insert(value);
    }
    let last = builder.finish();
    Ok(if is_wanted(&last) { last } else { first.unwrap_or(last) })
}

/// Rejects a text that is too large for spans, or has a NUL: the parser takes that for the end of the text, and would
/// drop the rest.
fn refuse_unreadable(file: FileId, text: &str) -> Result<()> {
    if u32::try_from(text.len()).is_err() {
        let message = "the text has 4 GiB or more, expected less";
        return Err(Box::new(Diagnostic::of_file(Code::FileTooLarge, file, message)));
    }
    match memchr::memchr(0, text.as_bytes()) {
        None => Ok(()),
        Some(at) => {
            let span = Span::new(file, offset(at), offset(at + 1));
            let message = "the text has a NUL character, which YAML does not allow";
            Err(Box::new(Diagnostic::new(Code::SyntaxYaml, span, message)))
        }
    }
}

/// Deepest nesting of flow collections that the parser reads. It reads ahead, so it may report deeper nesting before
/// the builder reaches its own limit.
const MAX_FLOW_DEPTH: u32 = 255;
const TOO_DEEP: &str = "recursion limit exceeded";

/// Converts an error of the parser. Its position has no length.
fn syntax_error(file: FileId, at: usize, error: &ScanError, builder: &Builder<'_>) -> Diagnostic {
    let at = offset(at);
    let span = Span::new(file, at, at);
    if error.info() == TOO_DEEP {
        return builder.too_deep(span, MAX_FLOW_DEPTH);
    }
    Diagnostic::new(Code::SyntaxYaml, span, error.info())
}
