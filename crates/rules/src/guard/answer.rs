//! Three-valued answers: yes, no, or not known before the deployment.

/// Result of testing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    /// Only the deployment knows the result.
    Unknown,
}

impl From<bool> for Answer {
    fn from(is_so: bool) -> Self {
        if is_so { Self::Yes } else { Self::No }
    }
}

impl std::ops::Not for Answer {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }
}

impl Answer {
    /// Returns the disjunction: yes if any answer is yes, else unknown if any is unknown.
    pub(super) fn any(answers: impl Iterator<Item = Self>) -> Self {
        let mut any = Self::No;
        for answer in answers {
            match answer {
                Self::Yes => return Self::Yes,
                Self::Unknown => any = Self::Unknown,
                Self::No => {}
            }
        }
        any
    }

    /// Returns the conjunction: no if any answer is no, else unknown if any is unknown.
    pub(super) fn all(answers: impl Iterator<Item = Self>) -> Self {
        !Self::any(answers.map(|answer| !answer))
    }
}
