//! Notices for users about parts that could not be published. Each is one line that is safe to print in a workflow.

use std::time::Duration;

use crate::text::escape::{self, command_data, visible};

/// Page about publishing for pull requests from forks.
const FORKS_PAGE: &str = "docs/permissions.md";

/// Hint where the unpublished findings are.
const ELSEWHERE: &str = "all findings are in the annotations and in the summary of the job";

/// Returns the notice that the token has no access to the pull request, or that its conversation is locked. `answer`
/// is GitHub's error message.
pub(super) fn denied(answer: &str) -> String {
    if answer.to_ascii_lowercase().contains("locked") {
        return format!("nothing was written because the conversation is locked: {answer}; {ELSEWHERE}");
    }
    format!(
        "the token may not write to the pull request: {answer}; add `permissions: pull-requests: write` to the \
         workflow; a pull request from a fork or from Dependabot needs a second workflow, see {FORKS_PAGE}; {ELSEWHERE}"
    )
}

/// Returns the notice that the token cannot post check runs. `answer` is GitHub's error message.
pub(super) fn check_run_denied(answer: &str) -> String {
    format!(
        "the token may not post a check run: {answer}; add `permissions: checks: write` to the workflow; a pull request \
         from a fork or from Dependabot needs a second workflow, see {FORKS_PAGE}; {ELSEWHERE}"
    )
}

/// Returns the notice that GitHub's rate limit requires a longer wait than is allowed.
pub(super) fn limited(wait: Duration) -> String {
    let wait = wait.as_secs();
    format!(
        "GitHub's rate limit is reached: the required wait of {wait} s exceeds `--max-wait`; \
         the next run writes what is missing, and {ELSEWHERE}"
    )
}

/// Returns the workflow command that shows `text` on the page of the run. `text` can be untrusted.
pub fn command(text: &str) -> String {
    format!("::notice title=formwork::{}", command_data(&visible(text)))
}

/// Returns `text` as one line of a log.
pub fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_one_command() {
        let hostile = "100 %\n::error::x\r\n##[error]y\u{1b}[31m";
        let expected = "::notice title=formwork::100 %25\\n::error::x\\r\\n##\\u{5b}error]y\\u{1b}[31m";
        assert_eq!(command(hostile), expected);
        assert_eq!(line(hostile), "100 %\\n::error::x\\r\\n##\\u{5b}error]y\\u{1b}[31m");
    }

    #[test]
    fn a_missing_right_is_named_with_the_way_out() {
        let text = denied("Resource not accessible by integration (403)");
        assert!(text.contains("`permissions: pull-requests: write`") && text.contains(FORKS_PAGE), "{text}");
        assert!(denied("Unable to create comment because issue is locked. (403)").contains("conversation is locked"));
    }
}
