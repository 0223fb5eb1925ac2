//! The value of a condition: what it may turn out to be.

use crate::value::Str;

/// What a condition may be: true, false, or a failure, since a function that fails denies the request. More than one of
/// these is possible if it depends on what is unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    can_hold: bool,
    can_be_false: bool,
    can_fail: bool,
    /// Why it is unknown, or how it fails.
    why: Option<Str>,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        Self { can_hold: value, can_be_false: !value, can_fail: false, why: None }
    }
}

impl Truth {
    /// Either true or false, for this reason: lower case, no final stop.
    pub(super) fn unknown(why: impl Into<Str>) -> Self {
        Self { can_hold: true, can_be_false: true, can_fail: false, why: Some(why.into()) }
    }

    /// A failure with this message.
    pub(super) fn failed(why: impl Into<Str>) -> Self {
        Self { can_fail: true, why: Some(why.into()), ..Self::default() }
    }

    /// Whether it may be true.
    pub(super) fn can_hold(&self) -> bool {
        self.can_hold
    }

    /// Whether it may be false.
    pub(super) fn can_be_false(&self) -> bool {
        self.can_be_false
    }

    /// Whether it may fail.
    pub(super) fn can_fail(&self) -> bool {
        self.can_fail
    }

    /// Whether it is certainly true.
    pub(super) fn holds(&self) -> bool {
        self.can_hold && !self.can_be_false && !self.can_fail
    }

    /// Whether it is certainly false.
    pub(super) fn is_false(&self) -> bool {
        self.can_be_false && !self.can_hold && !self.can_fail
    }

    /// Why it is unknown, or how it fails.
    pub(super) fn why(&self) -> Option<&Str> {
        self.why.as_ref()
    }

    /// What may be if either of two may be.
    pub(super) fn or_else(self, other: Self) -> Self {
        Self {
            can_hold: self.can_hold || other.can_hold,
            can_be_false: self.can_be_false || other.can_be_false,
            can_fail: self.can_fail || other.can_fail,
            why: self.why.or(other.why),
        }
    }

    /// The same, unless it is certain: then this reason.
    pub(super) fn because(mut self, why: &str) -> Self {
        if u8::from(self.can_hold) + u8::from(self.can_be_false) + u8::from(self.can_fail) > 1 && self.why.is_none() {
            self.why = Some(Str::from(why));
        }
        self
    }

    /// `not`: true and false change places, and a failure stays one.
    pub(super) fn not(self) -> Self {
        Self { can_hold: self.can_be_false, can_be_false: self.can_hold, ..self }
    }

    /// `allOf` of two. One that is false keeps another from failing only perhaps.
    pub(super) fn and(self, other: Self) -> Self {
        let can_hold = self.can_hold && other.can_hold;
        let sibling = |a: &Self, b: &Self| a.can_be_false && (b.can_hold || b.can_be_false || b.can_fail);
        let can_be_false = sibling(&self, &other) || sibling(&other, &self);
        let any = |truth: &Self| truth.can_hold || truth.can_be_false || truth.can_fail;
        let can_fail = (self.can_fail && any(&other)) || (other.can_fail && any(&self));
        let why = if !can_hold && !can_fail { None } else { self.why.or(other.why) };
        Self { can_hold, can_be_false, can_fail, why }
    }

    /// `anyOf` of two. One that is true keeps another from failing only perhaps.
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
