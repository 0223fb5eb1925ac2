//! Escapes: a backslash and what follows, inside and outside of classes.

use crate::Dialect;
use crate::translate::{CLASS_SIZE, EscapeMeaning, PatternError, Translator};

/// Greatest number of ranges in Java's `\w`, in a [`POSIX`] class, or in their complements.
const ASCII_SET_RANGES: usize = 5;

/// POSIX classes that Java's properties name. They only contain ASCII.
const POSIX: [&str; 13] = [
    "ASCII", "Alnum", "Alpha", "Blank", "Cntrl", "Digit", "Graph", "Lower", "Print", "Punct", "Space", "Upper",
    "XDigit",
];

/// General categories of Unicode and their groups, without surrogates, which Rust's strings do not have.
const CATEGORIES: [&str; 36] = [
    "C", "Cc", "Cf", "Cn", "Co", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

impl<'p> Translator<'p> {
    /// Reads the escape whose backslash is at `at`.
    pub(super) fn escaped(&mut self, at: &'p str) -> Result<EscapeMeaning, PatternError> {
        let Some(c) = self.bump() else {
            return self.fail(at, r"the pattern ends in a backslash; write `\\` to match it");
        };
        Ok(EscapeMeaning::Char(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{C}',
            'a' => '\u{7}',
            'e' => '\u{1B}',
            'v' if self.dialect == Dialect::DotNet => '\u{B}',
            'x' => char::from_u32(self.hexadecimal(at, 2)?.into()).unwrap_or_default(),
            'u' => self.unit(at)?,
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                let size = if self.dialect == Dialect::Java { self.ascii_set_size() } else { CLASS_SIZE };
                return Ok(EscapeMeaning::Set(shorthand(self.dialect, c), size));
            }
            'p' | 'P' => return self.property(at, c == 'P'),
            _ if c.is_ascii_alphanumeric() || self.dialect == Dialect::DotNet && (c.is_alphanumeric() || c == '_') => {
                return self.fail(at, format!(r"`\{c}` is not supported"));
            }
            _ => c,
        }))
    }

    /// Reads the category of `\p{L}`, or the set of Java's `\p{Alnum}`.
    fn property(&mut self, at: &'p str, negated: bool) -> Result<EscapeMeaning, PatternError> {
        let Some(name) = self.eat("{").then(|| self.until('}')).flatten() else {
            return self.fail(at, r"expected a name in `{}` after `\p`");
        };
        let is_java = self.dialect == Dialect::Java;
        if is_java && POSIX.contains(&name) {
            let written = format!("[{}[:{}:]]", caret(negated), name.to_ascii_lowercase());
            return Ok(EscapeMeaning::Set(written, self.ascii_set_size()));
        }
        if CATEGORIES.contains(&name) {
            return Ok(EscapeMeaning::Set(format!(r"[{}\p{{{name}}}]", caret(negated)), CLASS_SIZE));
        }
        self.fail(at, format!("`{name}` is not a category of Unicode; write the characters as ranges"))
    }

    /// Returns the memory for a set of ASCII characters, or for its complement.
    fn ascii_set_size(&self) -> usize {
        ASCII_SET_RANGES * self.range_size()
    }

    /// Reads the character of `\u0041`, or of two escapes that are a surrogate pair.
    fn unit(&mut self, at: &'p str) -> Result<char, PatternError> {
        let high = self.hexadecimal(at, 4)?;
        let low =
            if (0xD800..0xDC00).contains(&high) && self.eat(r"\u") { Some(self.hexadecimal(at, 4)?) } else { None };
        match char::decode_utf16([high].into_iter().chain(low)).next() {
            Some(Ok(c)) => Ok(c),
            _ => self.fail(at, "half of a character is not supported; write both surrogates, as in `\\uD83D\\uDE00`"),
        }
    }

    fn hexadecimal(&mut self, at: &'p str, digits: usize) -> Result<u16, PatternError> {
        let split = self.rest.split_at_checked(digits);
        let number = split.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some((number, rest)) = number else {
            return self.fail(at, format!("expected {digits} hexadecimal digits"));
        };
        self.rest = rest;
        Ok(u16::from_str_radix(number, 16).unwrap_or_default())
    }
}

/// Returns the set of `\d`, `\s`, `\w` or their negations: of Unicode in .NET, of ASCII in Java.
fn shorthand(dialect: Dialect, letter: char) -> String {
    let set = match (dialect, letter.to_ascii_lowercase()) {
        (Dialect::DotNet, 'd') => r"\p{Nd}",
        (Dialect::DotNet, 's') => r"\s",
        (Dialect::DotNet, _) => r"\p{L}\p{Mn}\p{Nd}\p{Pc}",
        (Dialect::Java, 'd') => "0-9",
        (Dialect::Java, 's') => r"\t-\r ",
        (Dialect::Java, _) => "0-9A-Z_a-z",
    };
    format!("[{}{set}]", caret(letter.is_ascii_uppercase()))
}

fn caret(negated: bool) -> &'static str {
    if negated { "^" } else { "" }
}
