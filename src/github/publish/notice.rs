//! What people are told where not all could be published, in one line that is safe to print in a workflow.

use std::time::Duration;

use crate::text::escape::{self, command_data, visible};

/// The page that says how to publish for pull requests from forks.
const FORKS_PAGE: &str = "docs/permissions.md";

/// Where the findings are all the same.
const ELSEWHERE: &str = "all findings are in the annotations and in the summary of the job";

/// The token may not read or write the pull request, or nobody may. `answer` is from GitHub.
pub(super) fn denied(answer: &str) -> String {
    if answer.to_ascii_lowercase().contains("locked") {
        return format!("nothing was written because the conversation is locked: {answer}; {ELSEWHERE}");
    }
    format!(
        "the token may not write to the pull request: {answer}; add `permissions: pull-requests: write` to the \
         workflow; a pull request from a fork or from Dependabot needs a second workflow, see {FORKS_PAGE}; {ELSEWHERE}"
    )
}

/// GitHub wants more time than there is.
pub(super) fn limited(wait: Duration) -> String {
    let wait = wait.as_secs();
    format!(
        "GitHub's rate limit is reached: the required wait of {wait} s exceeds `--max-wait`; \
         the next run writes what is missing, and {ELSEWHERE}"
    )
}

/// A workflow command that shows a text beside the run. The text may hold anything.
pub(crate) fn command(text: &str) -> String {
    format!("::notice title=formwork::{}", command_data(&visible(text)))
}

/// A text on one line of a log.
pub(crate) fn line(text: &str) -> String {
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
