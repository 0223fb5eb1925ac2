//! Formatting dates with standard and custom format strings.
//!
//! <https://learn.microsoft.com/dotnet/standard/base-types/standard-date-and-time-format-strings> and
//! <https://learn.microsoft.com/dotnet/standard/base-types/custom-date-and-time-format-strings>.

use std::fmt::Write as _;

use chrono::{Datelike, NaiveDateTime, Timelike};

use crate::dotnet::date::{DAYS, Instant, MONTHS, TICKS_PER_SECOND};

impl Instant {
    /// Formats the instant, or returns `None` if the format is malformed. A format of one character is a standard one;
    /// the empty format is `G`.
    pub(crate) fn format(self, format: &str) -> Option<String> {
        let custom = match format {
            "" => "MM/dd/yyyy HH:mm:ss",
            _ if format.chars().nth(1).is_none() => standard(format)?,
            _ => format,
        };
        let pattern: Vec<char> = custom.chars().collect();
        let mut writer = Writer { instant: self, utc: self.utc(), out: String::new() };
        writer.write(&pattern)?;
        Some(writer.out)
    }
}

/// Returns the custom format that a standard one abbreviates.
fn standard(format: &str) -> Option<&'static str> {
    Some(match format {
        "d" => "MM/dd/yyyy",
        "D" => "dddd, dd MMMM yyyy",
        "f" => "dddd, dd MMMM yyyy HH:mm",
        "F" | "U" => "dddd, dd MMMM yyyy HH:mm:ss",
        "g" => "MM/dd/yyyy HH:mm",
        "G" => "MM/dd/yyyy HH:mm:ss",
        "m" | "M" => "MMMM dd",
        "o" | "O" => "yyyy-MM-ddTHH:mm:ss.fffffffK",
        "r" | "R" => "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
        "s" => "yyyy-MM-ddTHH:mm:ss",
        "t" => "HH:mm",
        "T" => "HH:mm:ss",
        "u" => "yyyy-MM-dd HH:mm:ss'Z'",
        "y" | "Y" => "yyyy MMMM",
        _ => return None,
    })
}

struct Writer {
    instant: Instant,
    utc: NaiveDateTime,
    out: String,
}

impl Writer {
    fn write(&mut self, pattern: &[char]) -> Option<()> {
        let mut rest = pattern;
        while let [first, after @ ..] = rest {
            rest = match first {
                '\'' | '"' => self.quoted(*first, after)?,
                '\\' => {
                    let (escaped, after) = after.split_first()?;
                    self.out.push(*escaped);
                    after
                }
                // A single specifier. Without the percent sign, it would be a standard format.
                '%' => {
                    let (specifier, after) = after.split_first()?;
                    if matches!(specifier, '%' | '\'' | '"' | '\\') {
                        return None;
                    }
                    self.specifier(*specifier, 1)?;
                    after
                }
                _ => {
                    let repeated = after.iter().take_while(|char| *char == first).count();
                    self.specifier(*first, 1 + repeated)?;
                    after.split_at(repeated).1
                }
            };
        }
        Some(())
    }

    /// Copies everything up to the closing quote, and returns the rest of the format. `None` if the quote is not
    /// closed.
    fn quoted<'a>(&mut self, quote: char, mut rest: &'a [char]) -> Option<&'a [char]> {
        loop {
            rest = match rest {
                [char, after @ ..] if *char == quote => return Some(after),
                ['\\', escaped, after @ ..] => {
                    self.out.push(*escaped);
                    after
                }
                ['\\'] | [] => return None,
                [char, after @ ..] => {
                    self.out.push(*char);
                    after
                }
            };
        }
    }

    /// Writes a letter that the format repeats `length` times. One that is not a specifier is literal.
    fn specifier(&mut self, letter: char, length: usize) -> Option<()> {
        let utc = self.utc;
        match letter {
            'd' if length > 2 => self.name(DAYS.get(utc.weekday().num_days_from_sunday() as usize)?, length),
            'd' => self.number(utc.day(), length),
            'M' if length > 2 => self.name(MONTHS.get(utc.month0() as usize)?, length),
            'M' => self.number(utc.month(), length),
            'y' if length > 2 => self.number(utc.year_ce().1, length),
            'y' => self.number(utc.year_ce().1 % 100, length),
            'H' => self.number(utc.hour(), length.min(2)),
            'h' => self.number(utc.hour12().1, length.min(2)),
            'm' => self.number(utc.minute(), length.min(2)),
            's' => self.number(utc.second(), length.min(2)),
            'f' | 'F' => return self.fraction(letter, length),
            't' => {
                self.out.push(if utc.hour() < 12 { 'A' } else { 'P' });
                if length > 1 {
                    self.out.push('M');
                }
            }
            'g' => self.out.push_str("A.D."),
            'K' => self.out.extend(std::iter::repeat_n('Z', length)),
            'z' => self.out.push_str(match length {
                1 => "+0",
                2 => "+00",
                _ => "+00:00",
            }),
            _ => self.out.extend(std::iter::repeat_n(letter, length)),
        }
        Some(())
    }

    fn number(&mut self, number: u32, length: usize) {
        // `write!` panics for a width above `u16::MAX`.
        let length = length.min(usize::from(u16::MAX));
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{number:0length$}");
    }

    fn name(&mut self, name: &str, length: usize) {
        let abbreviation = name.get(..3).filter(|_| length == 3);
        self.out.push_str(abbreviation.unwrap_or(name));
    }

    /// Writes the first digits of the fraction of a second: `f` all of them, `F` without trailing zeros and, if no digit is
    /// left, without the point before them. .NET allows at most 7.
    fn fraction(&mut self, letter: char, length: usize) -> Option<()> {
        let digits = format!("{:07}", self.instant.ticks.rem_euclid(TICKS_PER_SECOND));
        let digits = digits.get(..length)?;
        if letter == 'f' {
            self.out.push_str(digits);
            return Some(());
        }
        let digits = digits.trim_end_matches('0');
        self.out.push_str(digits);
        if digits.is_empty() && self.out.ends_with('.') {
            self.out.pop();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(date: &str, format: &str, expected: &str) {
        let instant = Instant::parse(date).unwrap();
        assert_eq!(instant.format(format).as_deref(), Some(expected), "{date} {format}");
    }

    #[test]
    fn standard_formats_are_those_of_the_invariant_culture() {
        for (format, expected) in [
            ("d", "04/07/2020"),
            ("D", "Tuesday, 07 April 2020"),
            ("f", "Tuesday, 07 April 2020 14:53"),
            ("F", "Tuesday, 07 April 2020 14:53:14"),
            ("g", "04/07/2020 14:53"),
            ("G", "04/07/2020 14:53:14"),
            ("", "04/07/2020 14:53:14"),
            ("m", "April 07"),
            ("o", "2020-04-07T14:53:14.0000000Z"),
            ("R", "Tue, 07 Apr 2020 14:53:14 GMT"),
            ("s", "2020-04-07T14:53:14"),
            ("t", "14:53"),
            ("T", "14:53:14"),
            ("u", "2020-04-07 14:53:14Z"),
            ("U", "Tuesday, 07 April 2020 14:53:14"),
            ("Y", "2020 April"),
        ] {
            check("2020-04-07 14:53:14Z", format, expected);
        }
    }

    #[test]
    fn custom_specifiers_pad_to_their_length() {
        let date = "0987-06-05T04:03:02.0012300Z";
        check(date, "y yy yyy yyyy yyyyyy", "87 87 987 0987 000987");
        check(date, "M MM MMM MMMM MMMMM", "6 06 Jun June June");
        check(date, "H HH HHH h hh m mm s ss sss", "4 04 04 4 04 3 03 2 02 02");
        check(date, "f ff fffffff F FFFFFFF", "0 00 0012300  00123");
        check(date, "ss.FF|ss.FFF", "02|02.001");
        check(date, "t tt ttt", "A AM AM");
        check(date, "z zz zzz K gg", "+0 +00 +00:00 Z A.D.");
        check("2021-01-01T00:00:00Z", "h:m t", "12:0 A");
    }

    #[test]
    fn text_is_quoted_or_escaped_or_stands_for_itself() {
        let date = "2020-04-07 14:53:14Z";
        check(date, "'day' d", "day 7");
        check(date, "\"it''s\" d", "it''s 7");
        check(date, "\\d d", "d 7");
        check(date, "'a\\'b'", "a'b");
        check(date, "%d", "7");
        check(date, "%dd", "77");
        check(date, "é%Hé", "é14é");
    }

    #[test]
    fn malformed_formats_are_refused() {
        let instant = Instant::parse("2020-04-07").unwrap();
        for format in ["H", "q", "é", "'open", "ab\\", "a%", "a%%", "ffffffff", "'a\\"] {
            assert_eq!(instant.format(format), None, "{format}");
        }
    }
}
