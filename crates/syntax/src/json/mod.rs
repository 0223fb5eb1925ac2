//! JSON as Azure's tools accept it.
//!
//! Resource Manager and its tools read templates with Newtonsoft.Json, which takes more than
//! [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259): comments, a comma after the last member, line breaks and other
//! control characters inside strings, single quotes, keys without quotes. Templates in the wild use all of these, so
//! they are read here too. Numbers and literals are those of the RFC.
//!
//! The parser is our own. It must return byte spans for every key and value, and limit nesting; `jsonc-parser` 0.34 reads this
//! dialect too, but its tree has to be converted to values, which makes it 1.6 to 1.9 times slower, it rejects lone
//! surrogates, and by default it accepts input that Azure's tools reject (`{"a":1 "b":2}`, `01`). Measured on one thread,
//! without LTO, in MB/s:
//!
//! | | formwork | jsonc-parser, tree | jsonc-parser, converted | serde_json |
//! |---|---|---|---|---|
//! | AVM modules (9.8 MB) | 545 | 429 | 293 | 357 |
//! | quickstarts (5 MB) | 386 | 330 | 237 | 278 |

mod commas;
mod comments;
mod number;
mod problem;
mod reader;
mod string;
#[cfg(test)]
mod tests;

use arcstr::ArcStr;

use crate::Parsed;
use crate::text::FileId;
use crate::value::Value;

pub use self::commas::trailing_commas;
pub use self::comments::comments;

use self::problem::Problem;
use self::reader::Reader;

/// Reads the text of `file`. Every value has its span, strings without escapes share the storage of `text`, and what
/// may be an expression or a `copy` loop is marked [`DYNAMIC`](crate::value::Traits::DYNAMIC).
///
/// Reading stops at the first syntax error; there is no value then. Deeper nesting than `max_depth` is an error.
pub fn parse(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    let mut reader = Reader::new(Some(file), text, max_depth);
    match reader.document() {
        Ok(value) => Parsed { value: Some(value), diagnostics: reader.into_warnings() },
        Err(problem) => Parsed { value: None, diagnostics: vec![problem.into_diagnostic(file)] },
    }
}

/// Reads a text that was computed, as the template function `json` does. The values have no span and are never
/// [`DYNAMIC`](crate::value::Traits::DYNAMIC), since results are not evaluated again. An error is a message only.
pub fn parse_computed(text: &ArcStr, max_depth: u32) -> Result<Value, String> {
    let value = Reader::new(None, text, max_depth).document();
    value.map_err(Problem::into_message)
}
