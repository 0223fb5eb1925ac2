//! Three-valued answers: yes, no, or not known before the deployment.

/// Whether a value passes a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    /// It depends on a value that only a deployment can know.
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
    /// Whether any answer is yes. Without a yes, any unknown answer makes the result unknown.
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

    /// Whether all answers are yes. Without a no, any unknown answer makes the result unknown.
    pub(super) fn all(answers: impl Iterator<Item = Self>) -> Self {
        !Self::any(answers.map(|answer| !answer))
    }
}
