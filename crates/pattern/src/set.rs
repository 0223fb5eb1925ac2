//! What shorthands (`\d`) and properties (`\p{L}`) stand for in each dialect.

use std::fmt::Write as _;

use crate::Dialect;
use crate::blocks;

/// Where surrogates go: a string is searched as UTF-16 code units for .NET, and a surrogate becomes a character of the
/// last private plane. See [`as_units`](super::as_units).
pub(super) const SURROGATES: u32 = 0x10_0000;

/// What `\w` is in .NET.
pub(super) const DOTNET_WORD: &str = r"\p{L}\p{Mn}\p{Nd}\p{Pc}";

/// What `\w` is in Java.
pub(super) const JAVA_WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];

/// What ends a line in Java.
pub(super) const JAVA_LINE_TERMINATORS: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029)];

const JAVA_DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const JAVA_SPACE: &[(u32, u32)] = &[(0x09, 0x0D), (0x20, 0x20)];

/// `\h`: spaces and tabs.
const JAVA_HORIZONTAL: &[(u32, u32)] = &[
    (0x09, 0x09),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x180E, 0x180E),
    (0x2000, 0x200A),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
];

/// The line breaks that `\v` matches in Java.
const JAVA_VERTICAL: &[(u32, u32)] = &[(0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029)];

/// The POSIX classes of Java, which are of ASCII.
const JAVA_POSIX: &[(&str, &[(u32, u32)])] = &[
    ("ASCII", &[(0x00, 0x7F)]),
    ("Alnum", &[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]),
    ("Alpha", &[(0x41, 0x5A), (0x61, 0x7A)]),
    ("Blank", &[(0x09, 0x09), (0x20, 0x20)]),
    ("Cntrl", &[(0x00, 0x1F), (0x7F, 0x7F)]),
    ("Digit", JAVA_DIGIT),
    ("Graph", &[(0x21, 0x7E)]),
    ("Lower", &[(0x61, 0x7A)]),
    ("Print", &[(0x20, 0x7E)]),
    ("Punct", &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]),
    ("Space", JAVA_SPACE),
    ("Upper", &[(0x41, 0x5A)]),
    ("XDigit", &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
];

/// General categories and their groups. Both dialects are strict about upper and lower case here.
const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No",
    "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

/// A set of units with a name.
pub(super) enum Set {
    /// Its ranges, first and last unit of each.
    Ranges(Vec<(u32, u32)>),
    /// As the Rust engines write it inside a class.
    Written(String),
}

impl Set {
    /// `ranges`, or all units that are not in them.
    fn new(ranges: &[(u32, u32)], negated: bool) -> Self {
        if !negated {
            return Self::Ranges(ranges.to_vec());
        }
        let mut written = "[^".to_owned();
        for &(first, last) in ranges {
            written.push_str(&range_text(Dialect::Java, first, last));
        }
        written.push(']');
        Self::Written(written)
    }
}

/// What `\d`, `\w`, `\s`, in Java also `\h` and `\v`, and their negations in upper case stand for. `None` for any other
/// letter.
pub(super) fn shorthand(dialect: Dialect, letter: u32) -> Option<Set> {
    let letter = u8::try_from(letter).ok()?;
    match dialect {
        Dialect::DotNet => dotnet_shorthand(letter).map(Set::Written),
        Dialect::Java => {
            let ranges = match letter.to_ascii_lowercase() {
                b'd' => JAVA_DIGIT,
                b's' => JAVA_SPACE,
                b'w' => JAVA_WORD,
                b'h' => JAVA_HORIZONTAL,
                b'v' => JAVA_VERTICAL,
                _ => return None,
            };
            Some(Set::new(ranges, letter.is_ascii_uppercase()))
        }
    }
}

fn dotnet_shorthand(letter: u8) -> Option<String> {
    Some(match letter {
        b'd' => r"\p{Nd}".to_owned(),
        b'D' => r"\P{Nd}".to_owned(),
        b's' => r"\p{White_Space}".to_owned(),
        b'S' => r"\P{White_Space}".to_owned(),
        b'w' => DOTNET_WORD.to_owned(),
        b'W' => format!("[^{DOTNET_WORD}]"),
        _ => return None,
    })
}

/// What `\p{name}` stands for, or with `negated` `\P{name}`. `None` if the dialect does not have the name, or has it and
/// formwork does not.
pub(super) fn property(dialect: Dialect, name: &str, negated: bool, ignore_case: bool) -> Option<Set> {
    match dialect {
        Dialect::DotNet => dotnet_property(name, negated, ignore_case),
        Dialect::Java => java_property(name, negated, ignore_case),
    }
}

fn dotnet_property(name: &str, negated: bool, ignore_case: bool) -> Option<Set> {
    let caret = if negated { "^" } else { "" };
    match name {
        "Cs" => Some(Set::Written(format!("[{caret}{}]", range_text(Dialect::DotNet, 0xD800, 0xDFFF)))),
        // The private planes hold the surrogates here.
        "Co" => Some(Set::Written(format!(r"[{caret}\x{{E000}}-\x{{F8FF}}]"))),
        _ => category(name, negated, ignore_case).or_else(|| block(name, negated)),
    }
}

fn java_property(name: &str, negated: bool, ignore_case: bool) -> Option<Set> {
    if let Ok(at) = JAVA_POSIX.binary_search_by_key(&name, |&(known, _)| known) {
        return JAVA_POSIX.get(at).map(|&(_, ranges)| Set::new(ranges, negated));
    }
    // Rust's strings hold no surrogates.
    category(name.strip_prefix("Is").unwrap_or(name), negated, ignore_case).filter(|_| !name.ends_with("Cs"))
}

fn category(name: &str, negated: bool, ignore_case: bool) -> Option<Set> {
    if !CATEGORIES.contains(&name) {
        return None;
    }
    let mut written = String::new();
    // Writing to a string cannot fail.
    let _ = if ignore_case && ["Lu", "Ll", "Lt"].contains(&name) {
        // Letters of any case are one category when case is ignored.
        let caret = if negated { "^" } else { "" };
        write!(written, r"[{caret}\p{{Lu}}\p{{Ll}}\p{{Lt}}]")
    } else {
        write!(written, r"\{}{{{name}}}", if negated { 'P' } else { 'p' })
    };
    Some(Set::Written(written))
}

fn block(name: &str, negated: bool) -> Option<Set> {
    let (first, last) = blocks::find(name)?;
    if !negated {
        return Some(Set::Ranges(vec![(first, last)]));
    }
    let before = first.checked_sub(1).map(|end| (0, end));
    let after = (last < u16::MAX.into()).then_some((last + 1, u16::MAX.into()));
    Some(Set::Ranges(before.into_iter().chain(after).collect()))
}

/// A range of units inside a class. Surrogates are moved for .NET. Java's strings have none, so the range skips them.
pub(super) fn range_text(dialect: Dialect, first: u32, last: u32) -> String {
    let mut out = String::new();
    let mut part = |low: u32, high: u32, shift: u32| {
        let (low, high) = (first.max(low), last.min(high));
        if low <= high {
            let (low, high) = (low + shift, high + shift);
            // Writing to a string cannot fail.
            let _ = write!(out, r"\x{{{low:X}}}");
            if low < high {
                let _ = write!(out, r"-\x{{{high:X}}}");
            }
        }
    };
    part(0, 0xD7FF, 0);
    if dialect == Dialect::DotNet {
        part(0xD800, 0xDFFF, SURROGATES);
    }
    part(0xE000, 0x10_FFFF, 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posix_classes_are_sorted_by_name() {
        assert!(JAVA_POSIX.is_sorted_by_key(|&(name, _)| name));
    }
}
