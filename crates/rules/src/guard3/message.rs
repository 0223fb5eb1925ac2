//! Messages: the text between `<<` and `>>`.
//!
//! In the AWS Guard Rules Registry it has the form `Violation: … Fix: …`, and in the rules of AWS Control Tower
//! `[CT.S3.PR.1]: … [FIX]: …`.

/// A message, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Problem of the value, which becomes the message of a finding.
    pub(super) violation: String,
    /// Advice, which becomes the recommendation of the rule.
    pub(super) fix: Option<String>,
}

/// Splits a message into the problem and the advice.
pub(super) fn read(text: &str) -> Message {
    let text = text.split_once("Violation:").map_or(text, |(_, after)| after);
    let parts = text.split_once("[FIX]:").or_else(|| text.split_once("Fix:"));
    let (violation, fix) = parts.map_or((text, None), |(violation, fix)| (violation, Some(fix)));
    Message { violation: join_lines(violation), fix: fix.map(join_lines).filter(|fix| !fix.is_empty()) }
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
