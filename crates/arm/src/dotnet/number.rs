//! Formatting numbers: standard format strings such as `N2`, and the plain form.
//!
//! Reference: <https://learn.microsoft.com/dotnet/standard/base-types/standard-numeric-format-strings>.

use crate::dotnet::digits::{Digits, count};
use crate::dotnet::pattern;

/// The default number of decimals of `C`, `F`, `N` and `P`.
const DECIMALS: usize = 2;
/// The default number of decimals of `E`.
const EXPONENT_DECIMALS: usize = 6;
/// Digits that suffice to distinguish any two floats. The shortest form has no exponent up to this many digits.
const ROUND_TRIP_DIGITS: usize = 17;
/// Significant digits of a float that a custom pattern can show.
const PATTERN_DIGITS: usize = 15;
/// The largest precision that .NET accepts.
const MAX_PRECISION: usize = 999_999_999;

/// A number to format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// A number that is a 64-bit integer.
    Int(i64),
    /// A number with a fraction, or outside the range of integers.
    Float(f64),
}

/// Reason why a number cannot be formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatError {
    /// The format string is not defined for this type of number.
    Specifier,
    /// The format string asks for more digits than a string may have.
    TooLong,
}

/// Formats a number with at most `max_digits` digits after the point. The empty format string means the plain form.
pub(crate) fn format(number: Number, format: &str, max_digits: usize) -> Result<String, FormatError> {
    if let Number::Float(value) = number
        && !value.is_finite()
    {
        return Ok(not_finite(value).to_owned());
    }
    match standard(format, max_digits)? {
        Some((letter, precision)) => format_standard(number, letter, precision),
        None => Ok(pattern::format(
            match number {
                Number::Int(value) => Digits::of_int(value),
                Number::Float(value) => Digits::significant(value, PATTERN_DIGITS),
            },
            format,
        )),
    }
}

/// Returns the shortest string that identifies this float: `1.5`, `100`, `1E+20`.
pub(crate) fn float_to_string(value: f64) -> String {
    if !value.is_finite() {
        return not_finite(value).to_owned();
    }
    shortest(value, 'E')
}

fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// Returns the letter and the precision of a standard format, or `None` for a custom pattern.
fn standard(format: &str, max_digits: usize) -> Result<Option<(char, Option<usize>)>, FormatError> {
    let mut chars = format.chars();
    let Some(letter) = chars.next() else {
        return Ok(Some(('G', None)));
    };
    let digits = chars.as_str();
    if !letter.is_ascii_alphabetic() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    if digits.is_empty() {
        return Ok(Some((letter, None)));
    }
    match digits.trim_start_matches('0') {
        "" => Ok(Some((letter, Some(0)))),
        significant => match significant.parse() {
            Ok(precision) if precision <= max_digits.min(MAX_PRECISION) => Ok(Some((letter, Some(precision)))),
            Ok(..=MAX_PRECISION) => Err(FormatError::TooLong),
            _ => Err(FormatError::Specifier),
        },
    }
}

fn format_standard(number: Number, letter: char, precision: Option<usize>) -> Result<String, FormatError> {
    let decimals = precision.unwrap_or(DECIMALS);
    let exponent = if letter.is_ascii_uppercase() { 'E' } else { 'e' };
    Ok(match (letter.to_ascii_uppercase(), number) {
        ('C', _) => {
            let digits = number.with_decimals(decimals);
            // The invariant culture has the sign `¤`, and negative amounts in parentheses.
            let amount = fixed(&digits, decimals, true);
            if digits.negative { format!("(\u{a4}{amount})") } else { format!("\u{a4}{amount}") }
        }
        // .NET writes at least three digits of the exponent here, but two for `G`.
        ('E', _) => {
            let decimals = precision.unwrap_or(EXPONENT_DECIMALS);
            let digits = number.with_significant(decimals + 1);
            signed(&digits, scientific(&digits, decimals, exponent, 3))
        }
        ('F', _) => {
            let digits = number.with_decimals(decimals);
            signed(&digits, fixed(&digits, decimals, false))
        }
        ('N', _) => {
            let digits = number.with_decimals(decimals);
            signed(&digits, fixed(&digits, decimals, true))
        }
        ('P', _) => {
            let mut digits = number.with_decimals(decimals + 2);
            // Moving the point multiplies by 100 without rounding again.
            if !digits.is_zero() {
                digits.scale += 2;
            }
            signed(&digits, fixed(&digits, decimals, true)) + " %"
        }
        ('G', _) if precision.is_some_and(|precision| precision > 0) => {
            let digits = number.with_significant(decimals);
            signed(&digits, general(&digits, decimals, exponent))
        }
        ('G', Number::Int(value)) => value.to_string(),
        ('G' | 'R', Number::Float(value)) => shortest(value, exponent),
        ('D', Number::Int(value)) => {
            let digits = zero_filled(value.unsigned_abs().to_string(), precision);
            if value < 0 { format!("-{digits}") } else { digits }
        }
        ('B', Number::Int(value)) => zero_filled(format!("{value:b}"), precision),
        ('X', Number::Int(value)) if exponent == 'E' => zero_filled(format!("{value:X}"), precision),
        ('X', Number::Int(value)) => zero_filled(format!("{value:x}"), precision),
        _ => return Err(FormatError::Specifier),
    })
}

impl Number {
    fn with_decimals(self, decimals: usize) -> Digits {
        match self {
            Self::Int(value) => Digits::of_int(value),
            Self::Float(value) => Digits::decimals(value, decimals),
        }
    }

    fn with_significant(self, len: usize) -> Digits {
        match self {
            Self::Int(value) => {
                let mut digits = Digits::of_int(value);
                digits.round_to(count(len));
                digits
            }
            Self::Float(value) => Digits::significant(value, len),
        }
    }
}

fn shortest(value: f64, exponent: char) -> String {
    let digits = Digits::shortest(value);
    let max_digits = digits.as_slice().len().max(ROUND_TRIP_DIGITS);
    signed(&digits, general(&digits, max_digits, exponent))
}

fn signed(digits: &Digits, text: String) -> String {
    if digits.negative { format!("-{text}") } else { text }
}

fn zero_filled(digits: String, width: Option<usize>) -> String {
    match width.unwrap_or(0).checked_sub(digits.len()) {
        Some(missing @ 1..) => "0".repeat(missing) + &digits,
        _ => digits,
    }
}

/// Formats in fixed-point notation without a sign: `1234.50`, or `1,234.50` if `grouped`.
fn fixed(digits: &Digits, decimals: usize, grouped: bool) -> String {
    let mut out = String::new();
    // A number below 1 has a zero before its point.
    for place in (1..=digits.scale.max(1)).rev() {
        out.push(digit_at(digits, digits.scale - place));
        if grouped && place > 1 && place % 3 == 1 {
            out.push(',');
        }
    }
    push_decimals(digits, digits.scale, decimals, &mut out);
    out
}

/// Formats in scientific notation without a sign, `1.23E+006`, where the exponent has at least `width` digits.
fn scientific(digits: &Digits, decimals: usize, letter: char, width: usize) -> String {
    let mut out = String::from(digit_at(digits, 0));
    push_decimals(digits, 1, decimals, &mut out);
    push_exponent(digits.exponent(), letter, width, true, &mut out);
    out
}

/// Formats all digits, in fixed-point notation if at most `max_digits` precede the point, and in scientific notation
/// otherwise.
fn general(digits: &Digits, max_digits: usize, letter: char) -> String {
    let len = digits.as_slice().len();
    // Exponents from -4 on are written in fixed-point notation.
    if digits.scale > count(max_digits) || digits.scale < -3 {
        scientific(digits, len.saturating_sub(1), letter, 2)
    } else {
        let decimals = count(len) - digits.scale;
        fixed(digits, usize::try_from(decimals).unwrap_or(0), false)
    }
}

/// Writes the point and `decimals` digits, from the digit at index `point`.
fn push_decimals(digits: &Digits, point: i64, decimals: usize, out: &mut String) {
    if decimals > 0 {
        out.push('.');
        out.extend((0..count(decimals)).map(|at| digit_at(digits, point + at)));
    }
}

/// Writes an exponent such as `E+06` with at least `width` digits. With `plus`, writes a plus sign.
pub(super) fn push_exponent(value: i64, letter: char, width: usize, plus: bool, out: &mut String) {
    out.push(letter);
    if value < 0 {
        out.push('-');
    } else if plus {
        out.push('+');
    }
    out.push_str(&zero_filled(value.unsigned_abs().to_string(), Some(width)));
}

/// Returns the digit at index `at`, or `0` before the first and after the last.
pub(super) fn digit_at(digits: &Digits, at: i64) -> char {
    let digit = usize::try_from(at).ok().and_then(|at| digits.as_slice().get(at));
    char::from(b'0' + digit.copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_DIGITS: usize = 1 << 20;

    #[track_caller]
    fn int(value: i64, spec: &str, expected: &str) {
        assert_eq!(format(Number::Int(value), spec, MAX_DIGITS).as_deref(), Ok(expected));
    }

    #[track_caller]
    fn float(value: f64, spec: &str, expected: &str) {
        assert_eq!(format(Number::Float(value), spec, MAX_DIGITS).as_deref(), Ok(expected));
    }

    #[test]
    fn integers() {
        int(-5, "", "-5");
        int(-5, "D3", "-005");
        int(1_234_567, "N", "1,234,567.00");
        int(999, "N0", "999");
        int(-1000, "n1", "-1,000.0");
        int(8_175_133, "E2", "8.18E+006");
        int(0, "e", "0.000000e+000");
        int(-42, "X", "FFFFFFFFFFFFFFD6");
        int(255, "x4", "00ff");
        int(5, "B8", "00000101");
        int(-5, "C", "(\u{a4}5.00)");
        int(42, "P0", "4,200 %");
        int(i64::MIN, "D", "-9223372036854775808");
        int(1_234_567, "G3", "1.23E+06");
        int(1200, "G10", "1200");
        int(1200, "g00", "1200");
    }

    #[test]
    fn floats() {
        float(1.5, "", "1.5");
        float(100.0, "", "100");
        float(0.0001, "", "0.0001");
        float(0.00001, "", "1E-05");
        float(1e17, "", "1E+17");
        float(1e16, "", "10000000000000000");
        float(-0.0, "", "-0");
        float(1.0 / 3.0, "r", "0.3333333333333333");
        float(1234.565, "N1", "1,234.6");
        float(0.125, "F2", "0.12");
        float(0.5, "P", "50.00 %");
        float(12345.678, "E3", "1.235E+004");
        float(12345.678, "G2", "1.2E+04");
        float(0.004, "F2", "0.00");
        float(f64::INFINITY, "N2", "Infinity");
    }

    #[test]
    fn undefined_formats_are_refused() {
        for spec in ["Z", "Q2", "R", "D1000000000"] {
            assert_eq!(format(Number::Int(1), spec, MAX_DIGITS), Err(FormatError::Specifier));
        }
        for spec in ["D", "X", "B"] {
            assert_eq!(format(Number::Float(1.5), spec, MAX_DIGITS), Err(FormatError::Specifier));
        }
    }

    #[test]
    fn huge_precisions_are_refused_before_they_are_written() {
        assert_eq!(format(Number::Int(1), "D999999999", MAX_DIGITS), Err(FormatError::TooLong));
        assert_eq!(format(Number::Int(1), "D11", 10), Err(FormatError::TooLong));
        int(7, "D0000000000000000003", "007");
    }
}
