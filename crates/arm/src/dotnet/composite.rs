//! Composite format strings: `{0}, {1,-8:N0} and {{braces}}`.
//!
//! Reference: <https://learn.microsoft.com/dotnet/standard/base-types/composite-formatting>.

use std::str::Chars;

/// .NET accepts indexes and widths below this.
const LIMIT: usize = 1_000_000;

/// A piece of a composite format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text that is copied to the result.
    Text(&'a str),
    /// A placeholder of the form `{index,width:format}`.
    Item(Item<'a>),
}

/// A placeholder for an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// Index of the argument, from 0.
    pub(crate) index: usize,
    /// The minimum width of the formatted argument, in UTF-16 code units.
    pub(crate) width: usize,
    /// True for alignment to the left, with spaces on the right.
    pub(crate) left: bool,
    /// The format string of the argument; may be empty.
    pub(crate) format: &'a str,
}

/// Splits a format string into its pieces.
///
/// # Errors
///
/// Fails with a message about the problem with the format string.
pub(crate) fn parse(format: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, braces) = rest.split_at(at);
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        // A doubled brace stands for a literal one.
        if let Some(after) = braces.strip_prefix("{{") {
            pieces.push(Piece::Text("{"));
            rest = after;
        } else if let Some(after) = braces.strip_prefix("}}") {
            pieces.push(Piece::Text("}"));
            rest = after;
        } else if let Some(after) = braces.strip_prefix('{') {
            let mut cursor = Cursor(after.chars());
            pieces.push(Piece::Item(cursor.item()?));
            rest = cursor.0.as_str();
        } else {
            return Err("unmatched `}`; write `}}` for a literal brace");
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// Reads one placeholder. Starts after the opening brace and ends after the closing one.
struct Cursor<'a>(Chars<'a>);

impl<'a> Cursor<'a> {
    fn item(&mut self) -> Result<Item<'a>, &'static str> {
        let index =
            self.number("a `{` must be followed by the index of an argument; write `{{` for a literal brace")?;
        self.skip_spaces();
        let mut item = Item { index, width: 0, left: false, format: "" };
        if self.eat(',') {
            self.skip_spaces();
            item.left = self.eat('-');
            item.width = self.number("the comma in a placeholder must be followed by a width")?;
            self.skip_spaces();
        }
        if self.eat(':') {
            let rest = self.0.as_str();
            let end = rest.find(['{', '}']).unwrap_or(rest.len());
            let (format, rest) = rest.split_at(end);
            item.format = format;
            self.0 = rest.chars();
        }
        if self.eat('}') { Ok(item) } else { Err("a placeholder has no closing `}`") }
    }

    fn eat(&mut self, char: char) -> bool {
        let found = self.0.as_str().starts_with(char);
        if found {
            self.0.next();
        }
        found
    }

    fn skip_spaces(&mut self) {
        self.0 = self.0.as_str().trim_start_matches(' ').chars();
    }

    /// Reads digits, or fails with `missing` if there are none.
    fn number(&mut self, missing: &'static str) -> Result<usize, &'static str> {
        let rest = self.0.as_str();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if end == 0 {
            return Err(missing);
        }
        let (digits, rest) = rest.split_at(end);
        self.0 = rest.chars();
        digits.parse().ok().filter(|&number| number < LIMIT).ok_or("a number in a placeholder is too large")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &str, expected: &[Piece<'_>]) {
        assert_eq!(parse(format).as_deref(), Ok(expected), "{format}");
    }

    fn item(index: usize, width: usize, left: bool, format: &str) -> Piece<'_> {
        Piece::Item(Item { index, width, left, format })
    }

    #[test]
    fn items_have_an_index_a_width_and_a_format() {
        check("{0}", &[item(0, 0, false, "")]);
    }

    #[test]
    fn spaces_are_allowed_after_numbers() {
        check("{0 }", &[item(0, 0, false, "")]);
        check("{0 , -5 :N0}", &[item(0, 5, true, "N0")]);
        check("{00:}", &[item(0, 0, false, "")]);
    }

    #[test]
    fn doubled_braces_stand_for_one() {
        check("{{}}a", &[Piece::Text("{"), Piece::Text("}"), Piece::Text("a")]);
        check("{{{0}", &[Piece::Text("{"), item(0, 0, false, "")]);
    }

    #[test]
    fn invalid_formats_are_refused() {
        for format in [
            "{",
            "}",
            "{}",
            "{ 0}",
            "{0",
            "{0}}",
            "{0,}",
            "{0,x}",
            "{-1}",
            "{a}",
            "{0:",
            "{0:{{x}}}",
            "{1000000}",
            "{0,1000000}",
            "{0 x}",
            "{0,- 5}",
        ] {
            assert!(parse(format).is_err(), "{format}");
        }
    }
}
