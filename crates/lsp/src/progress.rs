//! Progress of long checks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::checks::Progress;

/// Duration after which progress is shown.
const LONG: Duration = Duration::from_millis(500);

/// Progress of a check in the client.
#[derive(Debug)]
pub(crate) struct ProgressReporter {
    progress: Arc<Progress>,
    /// Token by which the client identifies it.
    token: String,
    is_begun: bool,
    /// Time of the next message.
    pub(crate) due: Instant,
}

impl ProgressReporter {
    /// Creates the progress of a check that starts now. Each has its own number.
    pub(crate) fn new(progress: Arc<Progress>, number: u32, now: Instant) -> Self {
        // Some clients do not accept numbers.
        Self { progress, token: format!("formwork-{number}"), is_begun: false, due: now + LONG }
    }

    /// Returns the request that creates the progress token, if it was not sent.
    pub(crate) fn created(&self) -> Option<Value> {
        (!self.is_begun).then(|| json!({"token": self.token}))
    }

    /// Returns the next message.
    pub(crate) fn next_message(&mut self, now: Instant) -> Value {
        self.due = now + LONG;
        let percentage = self.progress.percentage();
        let value = if std::mem::replace(&mut self.is_begun, true) {
            json!({"kind": "report", "percentage": percentage})
        } else {
            json!({"kind": "begin", "title": "formwork: check the workspace", "percentage": percentage})
        };
        json!({"token": self.token, "value": value})
    }

    /// Returns the last message, if the client has been told of the start.
    pub(crate) fn ended(&self) -> Option<Value> {
        self.is_begun.then(|| json!({"token": self.token, "value": {"kind": "end"}}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_of_a_long_check_from_its_begin_to_its_end() {
        let now = Instant::now();
        let progress = Arc::new(Progress::default());
        let mut shown = ProgressReporter::new(Arc::clone(&progress), 7, now);
        assert_eq!((shown.due, shown.ended()), (now + LONG, None));
        assert_eq!(shown.created(), Some(json!({"token": "formwork-7"})));
        progress.begin(4);
        assert_eq!(shown.next_message(now)["value"]["percentage"], 0);
        assert_eq!(shown.created(), None);
        progress.advance();
        let expected = json!({"token": "formwork-7", "value": {"kind": "report", "percentage": 25}});
        assert_eq!(shown.next_message(now), expected);
        assert_eq!(shown.ended().unwrap()["value"], json!({"kind": "end"}));
    }
}
