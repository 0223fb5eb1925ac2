//! The text between `<<` and `>>`.
//!
//! In the AWS Guard Rules Registry it has the form `Violation: … Fix: …`, and in the rules of AWS Control Tower
//! `[CT.S3.PR.1]: … [FIX]: …`.

/// A message, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// What is wrong with the value, which is the message of a finding.
    pub(super) violation: String,
    /// What to do about it, which is the recommendation of the rule.
    pub(super) fix: Option<String>,
}

/// Splits a message into what is wrong and what to do.
pub(super) fn read(text: &str) -> Message {
    let text = text.split_once("Violation:").map_or(text, |(_, after)| after);
    let parts = text.split_once("[FIX]:").or_else(|| text.split_once("Fix:"));
    let (violation, fix) = parts.map_or((text, None), |(violation, fix)| (violation, Some(fix)));
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Message { violation: line(violation), fix: fix.map(line).filter(|fix| !fix.is_empty()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_is_wrong_and_what_to_do() {
        let message = |violation: &str, fix: Option<&str>| Message {
            violation: violation.to_owned(),
            fix: fix.map(str::to_owned),
        };
        assert_eq!(
            read("Violation: Not\n encrypted.\nFix: Encrypt it."),
            message("Not encrypted.", Some("Encrypt it."))
        );
        assert_eq!(
            read("[CT.S3.PR.9]: Lock it\n[FIX]: Set a lock"),
            message("[CT.S3.PR.9]: Lock it", Some("Set a lock"))
        );
        assert_eq!(read("a bucket is not public"), message("a bucket is not public", None));
    }
}
