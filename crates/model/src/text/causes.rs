//! Errors with their causes in one line.

use std::error::Error;

/// Returns the message of an error, followed by those of its causes. A cause that is already at the end of a message
/// is not repeated.
pub fn with_causes(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !line.ends_with(&message) {
            line.push_str(": ");
            line.push_str(&message);
        }
        cause = error.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Told(&'static str, #[source] Option<Box<Told>>);

    #[track_caller]
    fn check(messages: [&'static str; 3], line: &str) {
        let error = messages.into_iter().rev().fold(None, |cause, message| Some(Box::new(Told(message, cause))));
        assert_eq!(with_causes(error.as_deref().unwrap()), line);
    }

    #[test]
    fn a_cause_is_told_once() {
        check(["a", "b", "c"], "a: b: c");
        check(["a", "b", "b"], "a: b");
        check(["a: b", "b", "c"], "a: b: c");
    }
}
