//! Possible values of a condition.

use crate::value::Str;

/// Possible values of a condition: true, false, or a failure, since a function that fails denies the request. Several
/// are possible if the condition depends on unknown values.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    can_hold: bool,
    can_be_false: bool,
    can_fail: bool,
    /// Reason of an unknown value or a failure.
    why: Option<Str>,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        Self { can_hold: value, can_be_false: !value, can_fail: false, why: None }
    }
}

impl Truth {
    /// Returns true or false, with the reason for which it is unknown: lower case, without a final period.
    pub(super) fn unknown(why: impl Into<Str>) -> Self {
        Self { can_hold: true, can_be_false: true, can_fail: false, why: Some(why.into()) }
    }

    /// Returns a failure with this message.
    pub(super) fn failed(why: impl Into<Str>) -> Self {
        Self { can_fail: true, why: Some(why.into()), ..Self::default() }
    }

    /// True if it may be true.
    pub(super) fn can_hold(&self) -> bool {
        self.can_hold
    }

    /// True if it may be false.
    pub(super) fn can_be_false(&self) -> bool {
        self.can_be_false
    }

    /// True if it may fail.
    pub(super) fn can_fail(&self) -> bool {
        self.can_fail
    }

    /// True if it is certainly true.
    pub(super) fn holds(&self) -> bool {
        self.can_hold && !self.can_be_false && !self.can_fail
    }

    /// True if it is certainly false.
    pub(super) fn is_false(&self) -> bool {
        self.can_be_false && !self.can_hold && !self.can_fail
    }

    /// Returns the reason of an unknown value or a failure.
    pub(super) fn why(&self) -> Option<&Str> {
        self.why.as_ref()
    }

    /// Returns the union of the possible values of both.
    pub(super) fn or_else(self, other: Self) -> Self {
        Self {
            can_hold: self.can_hold || other.can_hold,
            can_be_false: self.can_be_false || other.can_be_false,
            can_fail: self.can_fail || other.can_fail,
            why: self.why.or(other.why),
        }
    }

    /// Sets the reason of an unknown value that has none. A certain value is returned unchanged.
    pub(super) fn because(mut self, why: &str) -> Self {
        if u8::from(self.can_hold) + u8::from(self.can_be_false) + u8::from(self.can_fail) > 1 && self.why.is_none() {
            self.why = Some(Str::from(why));
        }
        self
    }

    /// Returns the negation: true and false are swapped, and a failure stays one.
    pub(super) fn not(self) -> Self {
        Self { can_hold: self.can_be_false, can_be_false: self.can_hold, ..self }
    }

    /// Returns the conjunction. If one part may be false, a failure of the other is only possible, not certain.
    pub(super) fn and(self, other: Self) -> Self {
        let can_hold = self.can_hold && other.can_hold;
        let sibling = |a: &Self, b: &Self| a.can_be_false && (b.can_hold || b.can_be_false || b.can_fail);
        let can_be_false = sibling(&self, &other) || sibling(&other, &self);
        let any = |truth: &Self| truth.can_hold || truth.can_be_false || truth.can_fail;
        let can_fail = (self.can_fail && any(&other)) || (other.can_fail && any(&self));
        let why = if !can_hold && !can_fail { None } else { self.why.or(other.why) };
        Self { can_hold, can_be_false, can_fail, why }
    }

    /// Returns the disjunction. If one part may be true, a failure of the other is only possible, not certain.
    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(truth: &Truth) -> String {
        let mark = |is: bool, text: &'static str| if is { text } else { "" };
        let (can_hold, can_be_false) = (truth.can_hold(), truth.can_be_false());
        [mark(can_hold, "T"), mark(can_be_false, "F"), mark(truth.can_fail(), "X")].concat()
    }

    #[test]
    fn what_is_unknown_decides_only_if_all_agree() {
        let value = |name: char| match name {
            'T' => Truth::from(true),
            'F' => Truth::from(false),
            'U' => Truth::unknown("a test says so"),
            _ => Truth::failed("a test says so"),
        };
        for (a, b, all, any) in [
            ('T', 'T', "T", "T"),
            ('T', 'F', "F", "T"),
            ('T', 'U', "TF", "T"),
            ('F', 'U', "F", "TF"),
            ('U', 'U', "TF", "TF"),
            ('X', 'T', "X", "TX"),
            ('X', 'F', "FX", "X"),
            ('X', 'U', "FX", "TX"),
            ('X', 'X', "X", "X"),
        ] {
            assert_eq!(shown(&value(a).and(value(b))), all, "{a} and {b}");
            assert_eq!(shown(&value(b).and(value(a))), all, "{b} and {a}");
            assert_eq!(shown(&value(a).or(value(b))), any, "{a} or {b}");
        }
        assert_eq!(shown(&value('F').not()), "T");
        assert_eq!(shown(&value('X').not()), "X");
    }
}
