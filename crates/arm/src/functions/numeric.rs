//! Numeric functions.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-numeric>. `min` and
//! `max` also take arrays, so they are with the array functions.

use crate::fault::Fault;
use crate::functions::{Args, FromValue, Function, exactly, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("add", exactly(2), Kind::Int, add),
    pure("div", exactly(2), Kind::Int, div),
    pure("float", exactly(1), Kind::Float, float),
    pure("int", exactly(1), Kind::Int, int),
    pure("mod", exactly(2), Kind::Int, modulo),
    pure("mul", exactly(2), Kind::Int, mul),
    pure("sub", exactly(2), Kind::Int, sub),
];

/// An operand of an arithmetic function: an integer, or a string that holds one.
struct Operand(i64);

impl FromValue<'_> for Operand {
    const EXPECTED: &'static str = "an integer";

    fn from_value(value: Option<&Value>) -> Option<Self> {
        match &value?.data {
            Data::Int(number) => Some(Self(*number)),
            Data::String(text) => text.trim().parse().ok().map(Self),
            _ => None,
        }
    }
}

/// Returns the sum: `add(operand1, operand2)`.
fn add(args: Args<'_>) -> Result<Value, Fault> {
    arithmetic(args, i64::checked_add)
}

/// Returns the difference: `sub(operand1, operand2)`.
fn sub(args: Args<'_>) -> Result<Value, Fault> {
    arithmetic(args, i64::checked_sub)
}

/// Returns the product: `mul(operand1, operand2)`.
fn mul(args: Args<'_>) -> Result<Value, Fault> {
    arithmetic(args, i64::checked_mul)
}

/// `div(operand1, operand2)`: the quotient, rounded towards zero.
fn div(args: Args<'_>) -> Result<Value, Fault> {
    refuse_zero(args)?;
    arithmetic(args, i64::checked_div)
}

/// `mod(operand1, operand2)`: the remainder, which has the sign of the first operand.
fn modulo(args: Args<'_>) -> Result<Value, Fault> {
    refuse_zero(args)?;
    arithmetic(args, i64::checked_rem)
}

fn arithmetic(args: Args<'_>, operation: fn(i64, i64) -> Option<i64>) -> Result<Value, Fault> {
    let (Operand(a), Operand(b)) = args.get()?;
    operation(a, b).map(Value::from).ok_or_else(|| {
        Fault::failed(format!("the result of `{}` for `{a}` and `{b}` does not fit in 64 bits", args.function()))
    })
}

fn refuse_zero(args: Args<'_>) -> Result<(), Fault> {
    let (Operand(_), Operand(divisor)) = args.get()?;
    // `checked_div` also fails for zero, but that would be reported as an overflow.
    if divisor == 0 {
        return Err(Fault::failed(format!("`{}` cannot divide by zero", args.function())));
    }
    Ok(())
}

/// `int(valueToConvert)`: converts a number, rounding halves to even, or a string that holds an integer.
fn int(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    let number = match &value.data {
        Data::Int(number) => Some(*number),
        Data::BigInt(_) => None,
        Data::Float(number) => whole(number.round_ties_even()),
        Data::String(text) => text.trim().parse().ok(),
        _ => return Err(args.mismatch(0, "a number or a string")),
    };
    number.map(Value::from).ok_or_else(|| Fault::failed(format!("{} is not a 64-bit integer", shown(value))))
}

/// Converts a float without a fraction to an integer, if it fits.
fn whole(number: f64) -> Option<i64> {
    /// 2^63, the first value past the range.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (-LIMIT..LIMIT).contains(&number).then_some(number as i64)
}

/// `float(valueToConvert)`: converts a number or a string that holds one.
fn float(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    let number = match &value.data {
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => value.as_f64(),
        Data::String(text) => decimal(text),
        _ => return Err(args.mismatch(0, "a number or a string")),
    };
    let finite = number.filter(|number| number.is_finite());
    finite.map(Value::from).ok_or_else(|| Fault::failed(format!("{} is not a number", shown(value))))
}

/// Parses digits with an optional sign, point and exponent; commas may group the digits before the point.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    // `parse` alone would also accept `inf` and `nan`.
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,eE".contains(&byte)) || text.starts_with(',') {
        return None;
    }
    let end = text.find(['.', 'e', 'E']).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    format!("{}{rest}", whole.replace(',', "")).parse().ok()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("`{}`", value.to_json()), |text| format!("`{text}`"))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::{call, fails};

    #[test]
    fn integers_have_64_bits() {
        assert_eq!(call("add", &[i64::MAX.into(), (-1).into()]), "9223372036854775806");
        assert_eq!(
            fails("add", &[i64::MAX.into(), 1.into()]),
            "the result of `add` for `9223372036854775807` and `1` does not fit in 64 bits"
        );
        assert_eq!(
            fails("div", &[i64::MIN.into(), (-1).into()]),
            "the result of `div` for `-9223372036854775808` and `-1` does not fit in 64 bits"
        );
        assert_eq!(fails("mod", &[7.into(), 0.into()]), "`mod` cannot divide by zero");
    }

    #[test]
    fn strings_that_hold_numbers_are_converted() {
        assert_eq!(call("mul", &[5.into(), "3".into()]), "15");
        assert_eq!(call("int", &[" -4 ".into()]), "-4");
        assert_eq!(call("float", &["1,234.5e1".into()]), "12345.0");
        assert_eq!(fails("int", &["1.5".into()]), "`1.5` is not a 64-bit integer");
        assert_eq!(fails("float", &["NaN".into()]), "`NaN` is not a number");
    }

    #[test]
    fn floats_are_rounded_to_even() {
        assert_eq!(call("int", &[2.5.into()]), "2");
        assert_eq!(call("int", &[3.5.into()]), "4");
        assert_eq!(fails("int", &[1e19.into()]), "`1e+19` is not a 64-bit integer");
    }
}
