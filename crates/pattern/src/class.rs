//! Character classes: sets of units, and how they are written for the Rust engines.

use crate::Dialect;
use crate::case;
use crate::set::{self, Set, range_text};

/// A set of units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    /// First and last unit of each range.
    pub(super) ranges: Vec<(u32, u32)>,
    /// Further sets that belong to the class, as the Rust engines write them.
    pub(super) written: Vec<String>,
    /// Whether the class is everything but the ranges and sets.
    pub(super) negated: bool,
    /// What .NET takes out of the class, after the negation.
    pub(super) subtracted: Option<Box<Class>>,
    /// What Java intersects the class with, before the negation.
    pub(super) intersected: Vec<Class>,
}

impl Class {
    /// One unit; with `ignore_case` also those that differ from it only in case.
    pub(super) fn unit(dialect: Dialect, unit: u32, ignore_case: bool) -> Self {
        let mut class = Self { ranges: vec![(unit, unit)], ..Self::default() };
        if ignore_case {
            class.close_case(dialect);
        }
        class
    }

    /// `.`: everything but what ends a line, or with `s` everything.
    pub(super) fn dot(dialect: Dialect, single_line: bool) -> Self {
        let ranges = match (single_line, dialect) {
            (true, _) => Vec::new(),
            (false, Dialect::DotNet) => vec![(0x0A, 0x0A)],
            (false, Dialect::Java) => set::JAVA_LINE_TERMINATORS.to_vec(),
        };
        Self { ranges, negated: true, ..Self::default() }
    }

    /// What counts as part of a word for `\b`: `\w`, and in .NET the two joiners.
    pub(super) fn word_edge(dialect: Dialect) -> Self {
        match dialect {
            Dialect::DotNet => {
                Self { ranges: vec![(0x200C, 0x200D)], written: vec![set::DOTNET_WORD.to_owned()], ..Self::default() }
            }
            Dialect::Java => Self { ranges: set::JAVA_WORD.to_vec(), ..Self::default() },
        }
    }

    /// Adds everything in `set`.
    pub(super) fn add(&mut self, set: Set) {
        match set {
            Set::Ranges(ranges) => self.ranges.extend(ranges),
            Set::Written(written) => self.written.push(written),
        }
    }

    /// Adds every unit that differs only in case from one in the ranges.
    pub(super) fn close_case(&mut self, dialect: Dialect) {
        case::close(dialect, &mut self.ranges);
    }

    /// Writes the class in the syntax that `regex` and `fancy-regex` share.
    pub(super) fn write(&self, dialect: Dialect, out: &mut String) {
        if let Some(subtracted) = &self.subtracted {
            out.push('[');
            self.write_base(dialect, self.negated, out);
            out.push_str("--");
            subtracted.write(dialect, out);
            out.push(']');
        } else if !self.intersected.is_empty() {
            out.push_str(if self.negated { "[^" } else { "[" });
            self.write_base(dialect, false, out);
            for class in &self.intersected {
                out.push_str("&&");
                class.write(dialect, out);
            }
            out.push(']');
        } else {
            self.write_base(dialect, self.negated, out);
        }
    }

    fn write_base(&self, dialect: Dialect, negated: bool, out: &mut String) {
        if self.ranges.is_empty() && self.written.is_empty() {
            // Only `.` with `s` has nothing in it, and it is negated.
            out.push_str(r"[\x{0}-\x{10FFFF}]");
            return;
        }
        out.push_str(if negated { "[^" } else { "[" });
        for &(first, last) in &self.ranges {
            out.push_str(&range_text(dialect, first, last));
        }
        for set in &self.written {
            out.push_str(set);
        }
        out.push(']');
    }
}
