//! Composite format strings: `{0}, {1,-8:N0} and {{braces}}`.
//!
//! Reference: <https://learn.microsoft.com/dotnet/standard/base-types/composite-formatting>.

use std::str::Chars;

/// .NET takes indexes and widths below this.
const LIMIT: usize = 1_000_000;

/// A piece of a composite format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::arm) enum Piece<'a> {
    /// Text that stands for itself.
    Text(&'a str),
    /// `{index,width:format}`.
    Item(Item<'a>),
}

/// The place of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::arm) struct Item<'a> {
    /// Which argument, from 0.
    pub(in crate::arm) index: usize,
    /// How wide the text is at least, in UTF-16 code units.
    pub(in crate::arm) width: usize,
    /// Whether blanks are added on the right.
    pub(in crate::arm) left: bool,
    /// How the argument is formatted; may be empty.
    pub(in crate::arm) format: &'a str,
}

/// The pieces in order, or what is wrong with the format string.
pub(in crate::arm) fn parse(format: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let brace = &rest[at..=at];
        let behind = &rest[at + 1..];
        if behind.starts_with(brace) {
            pieces.push(Piece::Text(brace));
            rest = &behind[1..];
        } else if brace == "}" {
            return Err("a `}` closes nothing; write `}}` for a brace");
        } else {
            let mut cursor = Cursor(behind.chars());
            pieces.push(Piece::Item(cursor.item()?));
            rest = cursor.0.as_str();
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// Reads one item, from behind its brace to behind the closing one.
struct Cursor<'a>(Chars<'a>);

impl<'a> Cursor<'a> {
    fn item(&mut self) -> Result<Item<'a>, &'static str> {
        let index = self.number("a `{` must be followed by the index of an argument; write `{{` for a brace")?;
        self.blanks();
        let mut item = Item { index, width: 0, left: false, format: "" };
        if self.eat(',') {
            self.blanks();
            item.left = self.eat('-');
            item.width = self.number("the comma in a placeholder must be followed by a width")?;
            self.blanks();
        }
        if self.eat(':') {
            let rest = self.0.as_str();
            let end = rest.find(['{', '}']).unwrap_or(rest.len());
            item.format = &rest[..end];
            self.0 = rest[end..].chars();
        }
        if self.eat('}') { Ok(item) } else { Err("a placeholder is not closed by `}`") }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.0.as_str().starts_with(wanted);
        if found {
            self.0.next();
        }
        found
    }

    fn blanks(&mut self) {
        self.0 = self.0.as_str().trim_start_matches(' ').chars();
    }

    fn number(&mut self, missing: &'static str) -> Result<usize, &'static str> {
        let rest = self.0.as_str();
        let end = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
        if end == 0 {
            return Err(missing);
        }
        self.0 = rest[end..].chars();
        rest[..end].parse().ok().filter(|&it| it < LIMIT).ok_or("a number in a placeholder is too large")
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
    fn blanks_are_allowed_behind_numbers() {
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
    fn what_is_no_format_is_refused() {
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
