//! Values of plain scalars.

use crate::value::{Data, Str, Traits, Value};

/// Reads a plain scalar by the [core schema](https://yaml.org/spec/1.2.2/#103-core-schema) of YAML 1.2. Returns `None`
/// for a string: anything but `null`, a Boolean or a number. `yes` and `off` are strings, and so are `.inf` and `.nan`,
/// which JSON does not have.
pub(super) fn core(plain: &str) -> Option<Data> {
    Some(match plain {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        _ => return number(plain),
    })
}

/// Returns the value of a plain scalar in a CloudFormation template. Reference for the Booleans:
/// <https://yaml.org/type/bool.html>, without the single letters.
pub(super) fn template(plain: Str) -> Value {
    let boolean = match &*plain {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    };
    if let Some(boolean) = boolean {
        return Value::from(boolean);
    }
    match core(&plain).map(Value::new) {
        Some(number) if matches!(number.data, Data::Int(_) | Data::Float(_)) && number.to_json() != *plain => {
            Value::from(plain).with_traits(Traits::NUMERIC)
        }
        Some(value) => value,
        None => Value::from(plain),
    }
}

/// Returns the value of a plain scalar as `cfn-guard validate` reads it.
pub(super) fn guard(plain: Str) -> Value {
    if let Ok(int) = plain.parse::<i64>() {
        return Value::from(int);
    }
    if let Ok(float) = plain.parse::<f64>() {
        return Value::from(float);
    }
    match &*plain {
        "true" | "yes" | "on" | "y" => Value::from(true),
        "false" | "no" | "off" | "n" => Value::from(false),
        "~" => Value::NULL,
        word if word.eq_ignore_ascii_case("null") => Value::NULL,
        _ => Value::from(plain),
    }
}

/// Returns the value of a scalar with a tag of YAML, such as `!!int`, as `cfn-guard validate` reads it.
pub(super) fn guard_tagged(tag: &str, text: Str) -> Value {
    let typed = match tag {
        "bool" => text.parse::<bool>().ok().map(Value::from),
        "int" => text.parse::<i64>().ok().map(Value::from),
        "float" => text.parse::<f64>().ok().map(Value::from),
        "null" => Some(Value::NULL),
        _ => None,
    };
    typed.unwrap_or_else(|| Value::from(text))
}

/// Reads a number in decimal, hexadecimal (`0x`) or octal (`0o`) notation. Returns `None` if the scalar is not a
/// number.
pub fn number(plain: &str) -> Option<Data> {
    for (prefix, base) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = plain.strip_prefix(prefix) {
            // The standard library would read a sign, too.
            let is_unsigned = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
            return i64::from_str_radix(digits, base).ok().filter(|_| is_unsigned).map(Data::Int);
        }
    }
    let unsigned = plain.strip_prefix(['-', '+']).unwrap_or(plain);
    // Keeps out the `inf` and `nan` of Rust; the rest of its grammar of numbers is that of YAML.
    if !unsigned.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
        return None;
    }
    if let Ok(int) = plain.parse() {
        return Some(Data::Int(int));
    }
    let float = plain.parse().ok().filter(|float: &f64| float.is_finite());
    float.map(Data::Float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[track_caller]
    fn check(plain: &str, json: &str) {
        let data = core(plain).unwrap_or_else(|| Data::String(plain.into()));
        assert_eq!(Value::new(data).to_json(), json, "{plain}");
    }

    #[test]
    fn nulls_and_booleans_have_three_spellings() {
        for plain in ["", "~", "null", "Null", "NULL"] {
            check(plain, "null");
        }
        check("TRUE", "true");
        check("False", "false");
        check("tRue", "\"tRue\"");
        check("yes", "\"yes\"");
        check("off", "\"off\"");
    }

    #[test]
    fn numbers_are_decimal_octal_or_hexadecimal() {
        check("012", "12");
        check("+7", "7");
        check("-9223372036854775808", "-9223372036854775808");
        check("0o17", "15");
        check("0xfF", "255");
        check("1.", "1.0");
        check(".5", "0.5");
        check("-1.5e+3", "-1500.0");
        check("9223372036854775808", "9.223372036854776e+18");
    }

    #[test]
    fn what_only_resembles_a_number_is_a_string() {
        for plain in ["-", ".", "1e", "0x", "0x-1", "0o8", "1_000", "1.2.3", "2012-10-17", "12:30", "--1", "e5"] {
            check(plain, &format!("\"{plain}\""));
        }
        for plain in [".inf", "-.INF", ".nan", "inf", "NaN", "-infinity", "1e999"] {
            check(plain, &format!("\"{plain}\""));
        }
    }
}
