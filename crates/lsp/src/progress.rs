//! Tells the client how far a long check is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::checks::Progress;

/// After how long a check is a long one.
const LONG: Duration = Duration::from_millis(500);

/// What the client shows of a check.
#[derive(Debug)]
pub(crate) struct Shown {
    progress: Arc<Progress>,
    /// Under which the client knows it, once it has been told.
    token: String,
    is_begun: bool,
    /// When there is something to tell.
    pub(crate) due: Instant,
}

impl Shown {
    /// A check that begins now. No two have the same number.
    pub(crate) fn new(progress: Arc<Progress>, number: u32, now: Instant) -> Self {
        // Some clients take no number.
        Self { progress, token: format!("formwork-{number}"), is_begun: false, due: now + LONG }
    }

    /// What to ask the client before anything is told, if that was not done.
    pub(crate) fn created(&self) -> Option<Value> {
        (!self.is_begun).then(|| json!({"token": self.token}))
    }

    /// What to tell now.
    pub(crate) fn told(&mut self, now: Instant) -> Value {
        self.due = now + LONG;
        let percentage = self.progress.percentage();
        let value = if std::mem::replace(&mut self.is_begun, true) {
            json!({"kind": "report", "percentage": percentage})
        } else {
            json!({"kind": "begin", "title": "formwork: check the workspace", "percentage": percentage})
        };
        json!({"token": self.token, "value": value})
    }

    /// What to tell at the end, if the client was told that it has begun.
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
        let mut shown = Shown::new(Arc::clone(&progress), 7, now);
        assert_eq!((shown.due, shown.ended()), (now + LONG, None));
        assert_eq!(shown.created(), Some(json!({"token": "formwork-7"})));
        progress.begin(4);
        assert_eq!(shown.told(now)["value"]["percentage"], 0);
        assert_eq!(shown.created(), None);
        progress.advance();
        let expected = json!({"token": "formwork-7", "value": {"kind": "report", "percentage": 25}});
        assert_eq!(shown.told(now), expected);
        assert_eq!(shown.ended().unwrap()["value"], json!({"kind": "end"}));
    }
}
