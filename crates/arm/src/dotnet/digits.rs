//! A number as decimal digits, the starting point of all number formats.

/// More digits than any `f64` has after the point, so asking for more only adds zeros.
const EXACT: usize = 1100;

/// The number `0.d1d2d3… × 10^scale`, where the last digit is not zero. Zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    values: Vec<u8>,
    /// Number of digits before the point; negative if zeros follow it.
    pub(super) scale: i64,
    /// True if the number has a minus sign.
    pub(super) negative: bool,
    /// True if zero keeps its sign, as in floats.
    signed_zero: bool,
}

impl Digits {
    /// Returns the digits of an integer.
    pub(super) fn of_int(value: i64) -> Self {
        Self::read(&value.unsigned_abs().to_string(), value < 0, false)
    }

    /// Returns the shortest digits that identify this float, which must be finite.
    pub(super) fn shortest(value: f64) -> Self {
        Self::of_float(value, &format!("{:e}", value.abs()))
    }

    /// Rounds a finite float to `digits` significant digits. Halves go to even, as in .NET.
    pub(super) fn significant(value: f64, digits: usize) -> Self {
        let after_first = digits.saturating_sub(1).min(EXACT);
        Self::of_float(value, &format!("{:.after_first$e}", value.abs()))
    }

    /// Rounds a finite float to `decimals` digits after the point. Halves go to even, as in .NET.
    pub(super) fn decimals(value: f64, decimals: usize) -> Self {
        let decimals = decimals.min(EXACT);
        Self::of_float(value, &format!("{:.decimals$}", value.abs()))
    }

    fn of_float(value: f64, text: &str) -> Self {
        Self::read(text, value.is_sign_negative(), true)
    }

    /// Parses `12.5` or `1.25e1`, which are the formats of the standard library.
    fn read(text: &str, negative: bool, signed_zero: bool) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let whole = mantissa.find('.').unwrap_or(mantissa.len());
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        let all: Vec<u8> = digits.map(|digit| digit - b'0').collect();
        let leading = all.iter().take_while(|&&digit| digit == 0).count();
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let mut number = Self {
            values: all.into_iter().skip(leading).collect(),
            scale: count(whole) - count(leading) + exponent,
            negative,
            signed_zero,
        };
        number.trim();
        number
    }

    /// Returns the digits, each 0 to 9.
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.values
    }

    /// Returns `true` for zero.
    pub(super) fn is_zero(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the exponent in scientific notation: the power of ten of the first digit.
    pub(super) fn exponent(&self) -> i64 {
        if self.is_zero() { 0 } else { self.scale - 1 }
    }

    /// Rounds to `len` digits. Unlike the rounding of floats, halves go away from zero.
    pub(super) fn round_to(&mut self, len: i64) {
        let kept = usize::try_from(len).ok();
        let up = kept.and_then(|kept| self.values.get(kept)).is_some_and(|&digit| digit >= 5);
        self.values.truncate(kept.unwrap_or(0));
        if up {
            // Nines become zeros, which are not stored, and carry into the digit before them.
            while self.values.last() == Some(&9) {
                self.values.pop();
            }
            if let Some(last) = self.values.last_mut() {
                *last += 1;
            } else {
                self.values.push(1);
                self.scale += 1;
            }
        }
        self.trim();
    }

    /// Restores the invariant that the last digit is not zero.
    fn trim(&mut self) {
        while self.values.last() == Some(&0) {
            self.values.pop();
        }
        if self.values.is_empty() {
            self.scale = 0;
            self.negative &= self.signed_zero;
        }
    }
}

/// Converts a length to the type of positions, which may be negative.
pub(super) fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: &Digits, digits: &[u8], scale: i64) {
        assert_eq!((number.as_slice(), number.scale), (digits, scale));
    }

    #[test]
    fn digits_have_no_zeros_at_their_ends() {
        check(&Digits::of_int(1200), &[1, 2], 4);
        check(&Digits::of_int(0), &[], 0);
        check(&Digits::of_int(i64::MIN), &[9, 2, 2, 3, 3, 7, 2, 0, 3, 6, 8, 5, 4, 7, 7, 5, 8, 0, 8], 19);
        check(&Digits::shortest(0.00125), &[1, 2, 5], -2);
        check(&Digits::shortest(1e20), &[1], 21);
        check(&Digits::decimals(0.004, 2), &[], 0);
    }

    #[test]
    fn rounding_carries_into_a_new_digit() {
        let mut number = Digits::of_int(996);
        number.round_to(2);
        check(&number, &[1], 4);
    }

    #[test]
    fn rounding_to_no_digits_leaves_zero() {
        let mut number = Digits::of_int(-4);
        number.round_to(0);
        check(&number, &[], 0);
        assert!(!number.negative);
        number.round_to(-1);
        check(&number, &[], 0);
    }

    #[test]
    fn a_leading_half_rounds_up() {
        let mut number = Digits::of_int(5);
        number.round_to(0);
        check(&number, &[1], 2);
    }

    #[test]
    fn halves_of_floats_go_to_even() {
        check(&Digits::decimals(0.125, 2), &[1, 2], 0);
        check(&Digits::decimals(2.5, 0), &[2], 1);
        check(&Digits::significant(0.375, 2), &[3, 8], 0);
    }
}
