//! Yes, no, or not before the deployment.

/// Whether a value is as a rule wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    /// It hangs on a value that only a deployment can know.
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
    /// Whether any is so. An unknown one counts where no other decides.
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

    /// Whether all are so.
    pub(super) fn all(answers: impl Iterator<Item = Self>) -> Self {
        !Self::any(answers.map(|it| !it))
    }
}
