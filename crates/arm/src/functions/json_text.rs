//! Conversion of values to strings, for `string`, `format`, `join` and `concat`.

use crate::dotnet::number::float_to_string;
use crate::fault::Fault;
use crate::functions::bounded::BoundedText;
use crate::value::{Data, Value};

/// Writes a value as .NET interpolates it: strings without quotes, `True` for `true`, nothing for `null`. Arrays and
/// objects become JSON with their strings in `quote`s.
pub(super) fn write_plain(value: &Value, quote: char, out: &mut BoundedText) -> Result<(), Fault> {
    match &value.data {
        Data::Null => Ok(()),
        Data::Bool(value) => out.push_str(if *value { "True" } else { "False" }),
        Data::Float(value) => out.push_str(&float_to_string(*value)),
        Data::String(text) => out.push_str(text),
        Data::Unknown(unknown) => write_plain(&unknown.approximation, quote, out),
        Data::Int(_) | Data::BigInt(_) | Data::Array(_) | Data::Object(_) => write_json(value, quote, out),
    }
}

/// Writes a value as compact JSON, escaped as by Json.NET, with strings in `quote`s, `"` or `'`.
fn write_json(value: &Value, quote: char, out: &mut BoundedText) -> Result<(), Fault> {
    match &value.data {
        Data::Null => out.push_str("null"),
        Data::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Data::Int(value) => out.push_str(&value.to_string()),
        Data::BigInt(digits) => out.push_str(digits),
        Data::Float(value) => write_float(*value, out),
        Data::String(text) => write_text(text, quote, out),
        Data::Array(items) => {
            out.push('[')?;
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',')?;
                }
                write_json(item, quote, out)?;
            }
            out.push(']')
        }
        Data::Object(object) => {
            out.push('{')?;
            for (at, member) in object.iter().enumerate() {
                if at > 0 {
                    out.push(',')?;
                }
                write_text(&member.key, quote, out)?;
                out.push(':')?;
                write_json(&member.value, quote, out)?;
            }
            out.push('}')
        }
        Data::Unknown(unknown) => write_json(&unknown.approximation, quote, out),
    }
}

/// Writes a float with a point or an exponent, so that it is read back as a float.
fn write_float(value: f64, out: &mut BoundedText) -> Result<(), Fault> {
    let text = float_to_string(value);
    out.push_str(&text)?;
    if text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
        out.push_str(".0")?;
    }
    Ok(())
}

fn write_text(text: &str, quote: char, out: &mut BoundedText) -> Result<(), Fault> {
    out.push(quote)?;
    let mut rest = text;
    // Plain stretches are copied whole, since most strings have nothing to escape.
    while let Some(at) = rest.find(|char| escape_letter(char, quote).is_some()) {
        let (plain, escaped) = rest.split_at(at);
        out.push_str(plain)?;
        let mut chars = escaped.chars();
        if let Some(char) = chars.next()
            && let Some(letter) = escape_letter(char, quote)
        {
            out.push('\\')?;
            out.push(letter)?;
            if letter == 'u' {
                out.push_str(&format!("{:04x}", u32::from(char)))?;
            }
        }
        rest = chars.as_str();
    }
    out.push_str(rest)?;
    out.push(quote)
}

/// Returns the character after the backslash in the escape of `char`; `u` is followed by its number. `None` for a
/// character that needs no escape.
fn escape_letter(char: char, quote: char) -> Option<char> {
    match char {
        '\\' => Some('\\'),
        '\u{8}' => Some('b'),
        '\t' => Some('t'),
        '\n' => Some('n'),
        '\u{c}' => Some('f'),
        '\r' => Some('r'),
        '\0'..='\u{1f}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('u'),
        _ if char == quote => Some(quote),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Args;
    use crate::model::Limits;
    use crate::value::Member;

    #[track_caller]
    fn check(value: &Value, quote: char, expected: &str) {
        let mut out = BoundedText::for_call(Args::new("string", &[], &Limits::default()));
        assert!(write_json(value, quote, &mut out).is_ok());
        assert_eq!(out.into_string(), expected);
    }

    #[test]
    fn values_are_written_compactly() {
        let value = Value::object(vec![
            Member::new("a", Value::array(vec![Value::NULL, true.into(), 1.into()])),
            Member::new("b'\"", Value::from("x")),
            Member::new("", Value::from(1.0)),
            Member::new("e", Value::from(1e20)),
        ]);
        check(&value, '"', r#"{"a":[null,true,1],"b'\"":"x","":1.0,"e":1E+20}"#);
        check(&value, '\'', r#"{'a':[null,true,1],'b\'"':'x','':1.0,'e':1E+20}"#);
    }

    #[test]
    fn an_interpolated_value_is_written_without_quotes() {
        for (value, expected) in [
            (Value::NULL, ""),
            (true.into(), "True"),
            (Value::from("it's"), "it's"),
            (Value::from(2.0), "2"),
            (Value::array(vec![true.into(), "a".into()]), "[true,'a']"),
        ] {
            let mut out = BoundedText::for_call(Args::new("format", &[], &Limits::default()));
            assert!(write_plain(&value, '\'', &mut out).is_ok());
            assert_eq!(out.into_string(), expected);
        }
    }

    #[test]
    fn control_characters_and_line_separators_are_escaped() {
        check(
            &Value::from("\\/\u{8}\t\n\u{c}\r\u{1}\u{7f}\u{85}\u{2028}ü"),
            '"',
            "\"\\\\/\\b\\t\\n\\f\\r\\u0001\u{7f}\\u0085\\u2028ü\"",
        );
    }
}
