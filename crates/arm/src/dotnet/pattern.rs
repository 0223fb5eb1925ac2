//! Formatting numbers with custom patterns such as `#,##0.00;(0);zero`.
//!
//! Reference: <https://learn.microsoft.com/dotnet/standard/base-types/custom-numeric-format-strings>.

use crate::dotnet::digits::{Digits, count};
use crate::dotnet::number::{digit_at, push_exponent};

/// The largest number of digits that an exponent is padded to.
const MAX_EXPONENT_WIDTH: usize = 10;

/// Formats a number with a pattern. There are no invalid patterns, so this cannot fail.
///
/// Up to three sections are for positive numbers, negative numbers and zero.
pub(super) fn format(mut digits: Digits, pattern: &str) -> String {
    let sections = sections(pattern);
    let first = sections.first().copied().unwrap_or_default();
    // The first section stands in for one that is missing or empty.
    let pick = |at: usize| match sections.get(at) {
        Some(text) if !text.is_empty() => (at, *text),
        _ => (0, first),
    };
    let (mut chosen, text) = pick(if digits.is_zero() { 2 } else { usize::from(digits.negative) });
    let mut section = Section::parse(text);
    section.round(&mut digits);
    // The places of a section can round the number to zero, which has a section of its own.
    let (zero, zero_text) = pick(2);
    if digits.is_zero() && zero != chosen {
        chosen = zero;
        section = Section::parse(zero_text);
    }
    let body = Writer::new(&section, &digits).write();
    // A section for negative numbers writes the sign itself.
    if digits.negative && chosen == 0 && (digits.scale != 0 || !body.is_empty()) { format!("-{body}") } else { body }
}

/// Splits a pattern at semicolons that are neither quoted nor escaped. There is at least one part.
fn sections(pattern: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut chars = pattern.char_indices();
    while let Some((at, char)) = chars.next() {
        match (char, quote) {
            (_, Some(open)) if char == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(char),
            ('\\', None) => {
                chars.next();
            }
            (';', None) => {
                parts.extend(pattern.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(pattern.get(start..));
    parts
}

#[derive(Debug)]
enum Element {
    /// A placeholder for a digit, `0` or `#`.
    Digit,
    Point,
    Text(char),
    /// `E`, `E+` or `E-`, and zeros that give its minimum number of digits.
    Exponent {
        letter: char,
        sign: Option<char>,
        zeros: usize,
    },
}

/// A parsed section, with facts about the whole of it that are needed before the first digit is written.
#[derive(Debug, Default)]
struct Section {
    elements: Vec<Element>,
    /// The number of digit placeholders.
    places: i64,
    /// Placeholders before the first point.
    point: Option<i64>,
    /// Placeholders before the first `0`.
    first_zero: Option<i64>,
    /// Placeholders up to and including the last `0`.
    last_zero: i64,
    /// The placeholders before the last run of commas, and the length of that run.
    commas: Option<(i64, i64)>,
    grouped: bool,
    /// The power of ten that the number is multiplied by, for percent signs and dividing commas.
    power: i64,
    scientific: bool,
}

impl Section {
    fn parse(text: &str) -> Self {
        let mut section = Self::default();
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            match char {
                '#' => section.place(false),
                '0' => section.place(true),
                '.' => {
                    section.point.get_or_insert(section.places);
                    section.elements.push(Element::Point);
                }
                ',' => section.comma(),
                '%' | '\u{2030}' => {
                    section.power += if char == '%' { 2 } else { 3 };
                    section.elements.push(Element::Text(char));
                }
                '\'' | '"' => {
                    let quoted = chars.by_ref().take_while(|&quoted| quoted != char);
                    section.elements.extend(quoted.map(Element::Text));
                }
                '\\' => section.elements.extend(chars.next().map(Element::Text)),
                'E' | 'e' => {
                    let element = exponent(char, &mut chars);
                    section.scientific |= matches!(element, Element::Exponent { .. });
                    section.elements.push(element);
                }
                _ => section.elements.push(Element::Text(char)),
            }
        }
        section.settle_commas();
        section
    }

    fn place(&mut self, zero: bool) {
        if zero {
            self.first_zero.get_or_insert(self.places);
            self.last_zero = self.places + 1;
        }
        self.places += 1;
        self.elements.push(Element::Digit);
    }

    fn comma(&mut self) {
        // Commas before the first digit or after the point have no meaning.
        if self.places == 0 || self.point.is_some() {
            return;
        }
        match &mut self.commas {
            Some((at, length)) if *at == self.places => *length += 1,
            commas => {
                // Only the last run can be right before the point, so an earlier one groups digits.
                self.grouped |= commas.is_some();
                *commas = Some((self.places, 1));
            }
        }
    }

    /// Applies the commas: each one right before the point divides the number by a thousand; all others group digits.
    fn settle_commas(&mut self) {
        if let Some((at, length)) = self.commas {
            if at == self.point() {
                self.power -= 3 * length;
            } else {
                self.grouped = true;
            }
        }
    }

    fn point(&self) -> i64 {
        self.point.unwrap_or(self.places)
    }

    /// Applies the power of ten to the number, and rounds it to the digits that the section can show.
    fn round(&self, digits: &mut Digits) {
        if digits.is_zero() {
            return digits.round_to(0);
        }
        digits.scale += self.power;
        digits.round_to(if self.scientific { self.places } else { digits.scale + self.places - self.point() });
    }
}

/// Returns the element that an `E` begins: an exponent if a sign or nothing and then zeros follow, otherwise literal
/// text.
fn exponent(letter: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Element {
    let mut ahead = chars.clone();
    let sign = ahead.next_if(|&next| next == '+' || next == '-');
    if ahead.peek() != Some(&'0') {
        return Element::Text(letter);
    }
    let mut zeros = 0;
    while ahead.next_if_eq(&'0').is_some() {
        zeros += 1;
    }
    *chars = ahead;
    Element::Exponent { letter, sign, zeros }
}

struct Writer<'a> {
    section: &'a Section,
    digits: &'a Digits,
    /// The index of the next digit of the number.
    next: i64,
    /// Number of digits that remain before the point; 0 or less after it.
    place: i64,
    /// Number of digits before the point minus the number of placeholders there; may be negative.
    surplus: i64,
    point_written: bool,
    out: String,
}

impl<'a> Writer<'a> {
    fn new(section: &'a Section, digits: &'a Digits) -> Self {
        let point = section.point();
        let (place, surplus) =
            if section.scientific { (point, 0) } else { (digits.scale.max(point), digits.scale - point) };
        Self { section, digits, next: 0, place, surplus, point_written: false, out: String::new() }
    }

    fn write(mut self) -> String {
        let mut exponent_written = false;
        for element in &self.section.elements {
            match element {
                Element::Digit => {
                    self.write_surplus();
                    self.write_place();
                }
                Element::Point => {
                    self.write_surplus();
                    self.write_point();
                }
                Element::Text(char) => self.out.push(*char),
                Element::Exponent { letter, sign, zeros } => {
                    // Only the first exponent is one; .NET copies any others.
                    if exponent_written {
                        self.out.push(*letter);
                        self.out.extend(*sign);
                        self.out.extend(std::iter::repeat_n('0', *zeros));
                    } else {
                        self.write_exponent(*letter, *sign == Some('+'), *zeros);
                        exponent_written = true;
                    }
                }
            }
        }
        self.out
    }

    /// Writes the digits that have no placeholder of their own, before those of the first placeholder.
    fn write_surplus(&mut self) {
        while self.surplus > 0 {
            self.surplus -= 1;
            self.write_digit();
        }
    }

    /// Writes the value of a placeholder: a digit, a zero, or nothing.
    fn write_place(&mut self) {
        // Between the first and the last `0`, zeros are written even where the number has no digits.
        let forced_from = self.section.first_zero.map_or(0, |zero| (self.section.point() - zero).max(0));
        let forced_to = (self.section.point() - self.section.last_zero).min(0);
        if self.surplus < 0 {
            self.surplus += 1;
            if self.place > forced_from {
                self.place -= 1;
            } else {
                self.push_digit('0');
            }
        } else if self.next < count(self.digits.as_slice().len()) || self.place > forced_to {
            self.write_digit();
        } else {
            self.place -= 1;
        }
    }

    fn write_digit(&mut self) {
        let digit = digit_at(self.digits, self.next);
        self.next += 1;
        self.push_digit(digit);
    }

    fn push_digit(&mut self, digit: char) {
        self.out.push(digit);
        if self.section.grouped && self.place > 1 && self.place % 3 == 1 {
            self.out.push(',');
        }
        self.place -= 1;
    }

    fn write_point(&mut self) {
        let section = self.section;
        let digits_left = self.next < count(self.digits.as_slice().len());
        let decimals_follow = section.last_zero > section.point() || (section.point() < section.places && digits_left);
        if self.place == 0 && !self.point_written && decimals_follow {
            self.out.push('.');
            self.point_written = true;
        }
    }

    fn write_exponent(&mut self, letter: char, plus: bool, zeros: usize) {
        let value = if self.digits.is_zero() { 0 } else { self.digits.scale - self.section.point() };
        let width = zeros.min(MAX_EXPONENT_WIDTH);
        push_exponent(value, letter, width, plus, &mut self.out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: i64, pattern: &str, expected: &str) {
        assert_eq!(format(Digits::of_int(value), pattern), expected, "{pattern}");
    }

    #[test]
    fn zeros_force_digits_and_hashes_do_not() {
        check(5, "000", "005");
        check(-1234, "000", "-1234");
        check(0, "#", "");
        check(0, "##.##", "");
        check(42, "0.00", "42.00");
        check(42, "0.##", "42");
        check(-5, "0000.0", "-0005.0");
        check(123_456_789, "000-00-00", "12345-67-89");
        check(12, "0 apples", "12 apples");
        check(12, "no digits", "no digits");
        check(-12, "no digits", "-no digits");
    }

    #[test]
    fn commas_group_or_divide() {
        check(-1234, "#,##0", "-1,234");
        check(5, "#,##0", "5");
        check(5, "0,000", "0,005");
        check(0, "#,#", "");
        check(1_234_567_890, "#,##0,,", "1,235");
        check(1_234_567, "0,.0", "1234.6");
        check(12_345, "#,0.0", "12,345.0");
        check(1000, "#,#", "1,000");
    }

    #[test]
    fn sections_are_for_positive_negative_and_zero() {
        check(7, "+0;-0;zero", "+7");
        check(-7, "+0;-0;zero", "-7");
        check(0, "+0;-0;zero", "zero");
        check(-7, "0;", "-7");
        check(-7, "0;(0)", "(7)");
        check(0, "0;(0)", "0");
        check(3, "0,;neg;none", "none");
        check(1, "0';'0", "0;1");
    }

    #[test]
    fn percent_and_permille_multiply() {
        check(42, "0%", "4200%");
        check(4, "0\u{2030}", "4000\u{2030}");
    }

    #[test]
    fn exponents() {
        check(1234, "0.00E+00", "1.23E+03");
        check(1234, "0.0e0", "1.2e3");
        check(0, "0E+0", "0E+0");
        check(1234, "00E-0", "12E2");
        check(5, "0Ex", "5Ex");
        check(5, "0E0 E+00", "5E0 E+00");
    }

    #[test]
    fn quotes_and_backslashes_make_literals() {
        check(5, "'n'0", "n5");
        check(5, "\"#\"0", "#5");
        check(5, "\\#0", "#5");
        check(5, "0'open", "5open");
        check(5, "0\\", "5");
    }

    #[test]
    fn floats_are_rounded_as_they_are_written() {
        let text = |value, pattern| format(Digits::significant(value, 15), pattern);
        assert_eq!(text(2.675, "0.00"), "2.68");
        assert_eq!(text(-0.001, "0.00"), "-0.00");
        assert_eq!(text(1e20, "0"), "100000000000000000000");
    }
}
