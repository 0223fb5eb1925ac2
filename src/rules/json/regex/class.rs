//! Character classes: sets of UTF-16 code units, and how they are written for the Rust engines.

use std::fmt::Write as _;

use crate::rules::json::regex::{blocks, case};

/// Where surrogates go: a text is searched as UTF-16 code units, and a surrogate becomes a character of the last private
/// plane. See [`as_units`](super::as_units).
pub(super) const SURROGATES: u32 = 0x10_0000;

/// What `\w` is in .NET.
const WORD: &str = r"\p{L}\p{Mn}\p{Nd}\p{Pc}";

/// General categories and their groups. Names are written exactly so.
const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No",
    "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

/// A set of code units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) ranges: Vec<(u16, u16)>,
    /// Further sets, as the Rust engines write them.
    pub(super) named: Vec<String>,
    pub(super) negated: bool,
    pub(super) subtracted: Option<Box<Class>>,
}

impl Class {
    /// One unit; with `ignore_case` also those that are alike.
    pub(super) fn unit(unit: u16, ignore_case: bool) -> Self {
        let mut class = Self { ranges: vec![(unit, unit)], ..Self::default() };
        if ignore_case {
            class.close_case();
        }
        class
    }

    /// `.`: everything but a line feed, or with `s` everything.
    pub(super) fn dot(single_line: bool) -> Self {
        let ranges = if single_line { Vec::new() } else { vec![(0x0A, 0x0A)] };
        Self { ranges, negated: true, ..Self::default() }
    }

    /// What counts as part of a word for `\b`: `\w` and the two joiners.
    pub(super) fn word_edge() -> Self {
        Self { ranges: vec![(0x200C, 0x200D)], named: vec![WORD.to_owned()], ..Self::default() }
    }

    /// Adds `\d`, `\w`, `\s` or the negation of one. `None` for any other letter.
    pub(super) fn add_shorthand(&mut self, letter: u16) -> Option<()> {
        let set = match u8::try_from(letter).ok()? {
            b'd' => r"\p{Nd}".to_owned(),
            b'D' => r"\P{Nd}".to_owned(),
            b's' => r"\p{White_Space}".to_owned(),
            b'S' => r"\P{White_Space}".to_owned(),
            b'w' => WORD.to_owned(),
            b'W' => format!("[^{WORD}]"),
            _ => return None,
        };
        self.named.push(set);
        Some(())
    }

    /// Adds `\p{name}` or `\P{name}`: a general category, or a block (`IsGreek`). `None` if there is no such thing.
    pub(super) fn add_property(&mut self, name: &str, negated: bool, ignore_case: bool) -> Option<()> {
        let caret = if negated { "^" } else { "" };
        let set = match name {
            // Letters of either case are one category when case does not count.
            "Lu" | "Ll" | "Lt" if ignore_case => format!(r"[{caret}\p{{Lu}}\p{{Ll}}\p{{Lt}}]"),
            "Cs" => format!("[{caret}{}]", range_text(0xD800, 0xDFFF)),
            // The private planes are surrogates here.
            "Co" => format!(r"[{caret}\x{{E000}}-\x{{F8FF}}]"),
            _ if CATEGORIES.contains(&name) => {
                format!(r"\{}{{{name}}}", if negated { 'P' } else { 'p' })
            }
            _ => {
                let (first, last) = blocks::find(name)?;
                self.add_block(first, last, negated);
                return Some(());
            }
        };
        self.named.push(set);
        Some(())
    }

    fn add_block(&mut self, first: u16, last: u16, negated: bool) {
        if !negated {
            self.ranges.push((first, last));
            return;
        }
        if let Some(before) = first.checked_sub(1) {
            self.ranges.push((0, before));
        }
        if let Some(behind) = last.checked_add(1) {
            self.ranges.push((behind, u16::MAX));
        }
    }

    /// Adds every unit that is alike to one in the ranges.
    pub(super) fn close_case(&mut self) {
        case::close(&mut self.ranges);
    }

    /// The class in the syntax that `regex` and `fancy-regex` share.
    pub(super) fn write(&self, out: &mut String) {
        if let Some(subtracted) = &self.subtracted {
            out.push('[');
            self.write_base(out);
            out.push_str("--");
            subtracted.write(out);
            out.push(']');
        } else {
            self.write_base(out);
        }
    }

    fn write_base(&self, out: &mut String) {
        if self.ranges.is_empty() && self.named.is_empty() {
            // Nothing, negated: everything.
            out.push_str(r"[\x{0}-\x{10FFFF}]");
            return;
        }
        out.push_str(if self.negated { "[^" } else { "[" });
        for &(first, last) in &self.ranges {
            out.push_str(&range_text(first, last));
        }
        for set in &self.named {
            out.push_str(set);
        }
        out.push(']');
    }
}

/// A range of units, with the surrogates in their place.
fn range_text(first: u16, last: u16) -> String {
    let mut out = String::new();
    let mut part = |low: u16, high: u16, shift: u32| {
        let (low, high) = (u32::from(first.max(low)), u32::from(last.min(high)));
        if low <= high {
            let (low, high) = (low + shift, high + shift);
            let _ = write!(out, r"\x{{{low:X}}}");
            if low < high {
                let _ = write!(out, r"-\x{{{high:X}}}");
            }
        }
    };
    part(0, 0xD7FF, 0);
    part(0xD800, 0xDFFF, SURROGATES);
    part(0xE000, 0xFFFF, 0);
    out
}
