//! Paths of properties below a resource, such as `properties.securityRules[*].properties.access`.

use crate::value::Str;

/// A step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The member with this name, case-insensitive.
    Member(Str),
    /// Each item of an array: `[*]`.
    Each,
}

impl Step {
    /// True if two steps are the same, case-insensitive.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Member(a), Self::Member(b)) => a.eq_ignore_ascii_case(b),
            (Self::Each, Self::Each) => true,
            _ => false,
        }
    }
}

/// Steps from a resource to a property, or with `[*]` to several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// Parses a path with `.` between names, and `[*]` after the name of an array.
    pub fn parse(text: &str) -> Self {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let name = part.trim_end_matches("[*]");
            if !name.is_empty() {
                steps.push(Step::Member(Str::from(name)));
            }
            let stars = part.len().saturating_sub(name.len()) / "[*]".len();
            steps.extend(std::iter::repeat_n(Step::Each, stars));
        }
        Self(steps)
    }

    /// Returns the steps after `prefix`, or `None` if the path does not begin with it.
    pub fn after(&self, prefix: &Self) -> Option<&[Step]> {
        let (start, rest) = self.0.split_at_checked(prefix.0.len())?;
        start.iter().zip(&prefix.0).all(|(a, b)| a.is_same(b)).then_some(rest)
    }

    /// True if it has `[*]`, so that it leads to several properties.
    pub fn is_collection(&self) -> bool {
        self.0.contains(&Step::Each)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Member(name) if at == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Each => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}
