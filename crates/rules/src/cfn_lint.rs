//! The rules of cfn-lint, and what formwork reports in their place: the table `rules/data/cfn-lint.txt`.

use std::sync::LazyLock;

/// A rule of cfn-lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CfnLintRule {
    /// ID, `E3002`.
    pub id: &'static str,
    pub coverage: Coverage,
}

/// Coverage of a rule of cfn-lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// A check or a rule of formwork reports the same.
    Reported {
        /// ID of the check or the rule.
        by: &'static str,
        /// Template that both report. [`CfnLintRule::files`] expands it.
        sample: &'static str,
    },
    /// No template of a user needs the rule, for this reason.
    NotNeeded(&'static str),
    /// Nothing reports the same, for this reason.
    NotYet(&'static str),
}

impl Coverage {
    /// Returns the name of the state.
    pub const fn state(self) -> &'static str {
        match self {
            Self::Reported { .. } => "reported",
            Self::NotNeeded(_) => "not needed",
            Self::NotYet(_) => "not yet",
        }
    }

    /// Returns the ID of the check that reports the same, or the reason for which there is none.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Reported { by, .. } => by,
            Self::NotNeeded(reason) | Self::NotYet(reason) => reason,
        }
    }
}

impl CfnLintRule {
    /// Returns the files of the sample: the template `template.yaml`, and others to which it leads.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let Coverage::Reported { sample, .. } = self.coverage else { return Vec::new() };
        let mut parts = sample.split(" ;; ");
        let main = parts.next().unwrap_or_default();
        let others = parts.filter_map(|part| part.split_once(' '));
        let others = others.map(|(name, text)| (name, repeated(text)));
        [("template.yaml", repeated(&whole(main)))].into_iter().chain(others).collect()
    }
}

/// Returns a template. A sample may be a type with properties only.
fn whole(sample: &str) -> String {
    match sample.split_once(' ').filter(|_| !sample.starts_with('{')) {
        Some((kind, properties)) => format!("{{Resources: {{R: {{Type: '{kind}', Properties: {properties}}}}}}}\n"),
        None => format!("{sample}\n"),
    }
}

/// Repeats the text in each `%(3:text)%`. `#` stands for the number of the repetition.
fn repeated(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, found)) = rest.split_once("%(") {
        result.push_str(before);
        let Some((inner, after)) = found.split_once(")%") else { break };
        let (count, inner) = inner.split_once(':').unwrap_or(("0", inner));
        for number in 0..count.parse::<u32>().unwrap_or(0) {
            result.push_str(&inner.replace('#', &number.to_string()));
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

/// The rules for errors and warnings, ordered by ID.
static ROWS: LazyLock<Vec<CfnLintRule>> = LazyLock::new(|| {
    formwork_builtin::CFN_LINT.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

fn row(line: &'static str) -> Option<CfnLintRule> {
    let mut cells = line.splitn(4, '\t');
    let (id, state, text) = (cells.next()?, cells.next()?, cells.next()?);
    let coverage = match state {
        "reported" => Coverage::Reported { by: text, sample: cells.next()? },
        "not needed" => Coverage::NotNeeded(text),
        "not yet" => Coverage::NotYet(text),
        _ => return None,
    };
    Some(CfnLintRule { id, coverage })
}

/// Returns the rules of cfn-lint for errors and warnings, ordered by ID.
pub fn rules() -> &'static [CfnLintRule] {
    &ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_can_be_read() {
        let lines = formwork_builtin::CFN_LINT.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(rules().len(), lines);
        assert!(rules().is_sorted_by(|one, other| one.id < other.id));
        assert_eq!(lines, 309);
    }

    #[test]
    fn few_rules_are_not_reported_yet() {
        let count = |state: &str| rules().iter().filter(|rule| rule.coverage.state() == state).count();
        let met = rules().len() - count("not needed");
        assert!(count("not yet") * 10 <= met, "{} of {met}", count("not yet"));
    }

    #[test]
    fn samples_are_short_for_templates() {
        assert_eq!(whole("A::B {C: d}"), "{Resources: {R: {Type: 'A::B', Properties: {C: d}}}}\n");
        assert_eq!(repeated("a%(3:b#)%c"), "ab0b1b2c");
    }
}
