//! The function `format`, .NET's composite formatting.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string#format>.

use crate::dotnet::composite::{self, Item, Piece};
use crate::dotnet::number::{self, FormatError, Number};
use crate::fault::Fault;
use crate::functions::bounded::{BoundedText, too_long};
use crate::functions::json_text::write_plain;
use crate::functions::{Args, Function, article, at_least, ends, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] =
    &[pure("format", at_least(1), Kind::String, format).with_ends(ends::of_format)];

/// `format(formatString, arg1, …)`: arrays and objects become JSON with single quotes.
fn format(args: Args<'_>) -> Result<Value, Fault> {
    args.known_throughout(Kind::String, |args| {
        let format: &str = args.at(0)?;
        let pieces = composite::parse(format).map_err(|problem| {
            let format = args.cite(0, format);
            Fault::failed(format!("invalid format string {format}: {problem}"))
        })?;
        let mut out = BoundedText::for_call(args);
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text)?,
                Piece::Item(item) => write_item(args, item, &mut out)?,
            }
        }
        Ok(out.into_value())
    })
}

fn write_item(args: Args<'_>, item: Item<'_>, out: &mut BoundedText) -> Result<(), Fault> {
    // The first argument is the format string.
    let Some(value) = args.values().get(item.index + 1) else {
        return Err(Fault::failed(format!(
            "placeholder `{{{}}}` has no argument, found {} after the format string",
            item.index,
            args.len() - 1
        )));
    };
    let text = text_of(args, value, item.format)?;
    let width = text.encode_utf16().count();
    let missing = item.width.saturating_sub(width);
    let (before, after) = if item.left { (0, missing) } else { (missing, 0) };
    out.push_repeated(' ', before)?;
    out.push_str(&text)?;
    out.push_repeated(' ', after)
}

/// Formats one argument. Only numbers use the format; .NET ignores it for everything else.
fn text_of(args: Args<'_>, value: &Value, format: &str) -> Result<String, Fault> {
    let number = match value.data {
        Data::Int(value) => Number::Int(value),
        Data::Float(value) => Number::Float(value),
        _ => {
            let mut out = BoundedText::for_call(args);
            write_plain(value, '\'', &mut out)?;
            return Ok(out.into_string());
        }
    };
    number::format(number, format, args.limits().text_bytes).map_err(|error| match error {
        FormatError::Specifier => {
            let found = article(value.kind());
            let format = args.cite(0, format);
            Fault::failed(format!("format {format} of a placeholder cannot be used for {found}"))
        }
        FormatError::TooLong => too_long(args.function(), args.limits().text_bytes),
    })
}
