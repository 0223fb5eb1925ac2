//! Ranges of numbers: `1 to 7`, `at least 1`, `at most 7`, and with the value of a path for a bound.

use std::fmt::{self, Display, Formatter};

use crate::outcomes::Outcomes;
use crate::published::services::path::Path;

/// A bound of a range.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    Number(f64),
    /// The number at a path.
    Path(Path),
}

impl Bound {
    /// Reads a number, or `@path`.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        match text.strip_prefix('@') {
            Some(path) => Path::parse(path).map(Self::Path),
            None => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Self::Number),
        }
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Path(path) => f.write_str(&path.words()),
        }
    }
}

/// A range with at least one bound.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) min: Option<Bound>,
    pub(super) max: Option<Bound>,
}

impl Range {
    /// Reads a range. `None` if it is not one.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        if let Some(min) = text.strip_prefix("at least ") {
            return Some(Self { min: Some(Bound::parse(min)?), max: None });
        }
        if let Some(max) = text.strip_prefix("at most ") {
            return Some(Self { min: None, max: Some(Bound::parse(max)?) });
        }
        if let Some((min, max)) = text.split_once(" to ") {
            return Some(Self { min: Some(Bound::parse(min)?), max: Some(Bound::parse(max)?) });
        }
        let exactly = Bound::parse(text.strip_prefix("exactly ")?)?;
        Some(Self { min: Some(exactly.clone()), max: Some(exactly) })
    }

    /// True if no number from `least` to `most` is in the range. Bounds at paths do not count.
    pub(super) fn excludes(&self, least: f64, most: Option<f64>) -> bool {
        let is_above = matches!(self.max, Some(Bound::Number(max)) if least > max);
        let is_below = matches!(self.min, Some(Bound::Number(min)) if most.is_some_and(|most| most < min));
        is_above || is_below
    }

    /// Returns `TRUE` if the number is in the range, where `value_of` knows the bounds at paths.
    pub(super) fn holds(&self, number: f64, mut value_of: impl FnMut(&Path) -> Option<f64>) -> Outcomes {
        let mut resolve = |bound: &Bound| match bound {
            Bound::Number(number) => Some(*number),
            Bound::Path(path) => value_of(path),
        };
        let is_least = self.min.as_ref().map_or(Outcomes::TRUE, |min| resolve(min).map(|min| number >= min).into());
        let is_most = self.max.as_ref().map_or(Outcomes::TRUE, |max| resolve(max).map(|max| number <= max).into());
        is_least.and(is_most)
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) if min.to_string() == max.to_string() => write!(f, "{min}"),
            (Some(min), Some(max)) => write!(f, "{min} to {max}"),
            (Some(min), None) => write!(f, "at least {min}"),
            (None, Some(max)) => write!(f, "at most {max}"),
            (None, None) => Ok(()),
        }
    }
}
