//! Counts of published changes, for the log.

use std::collections::BTreeSet;

use crate::plan::{PublishPlan, State, SummaryWrite};

/// Changes of all plans of one run. Each comment counts once: after an unclear write, it either exists or is planned
/// again.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    comments: BTreeSet<String>,
    fixed: BTreeSet<u64>,
    moved: BTreeSet<u64>,
    open: BTreeSet<u64>,
    summary: Option<&'static str>,
}

impl Tally {
    /// Adds the changes of a plan.
    pub(super) fn add(&mut self, plan: &PublishPlan) {
        self.comments.extend(plan.fingerprints.iter().cloned());
        for edit in &plan.edits {
            let of_state = match edit.state {
                State::Fixed if edit.is_moved => &mut self.moved,
                State::Fixed => &mut self.fixed,
                State::Open => &mut self.open,
            };
            of_state.insert(edit.id);
        }
        let summary = plan.summary.as_ref().map(|write| match write {
            SummaryWrite::Create(_) => "summary written",
            SummaryWrite::Update { .. } => "summary updated",
        });
        self.summary = self.summary.or(summary);
    }

    /// Returns the line for the log at the end. `rejected` has the fingerprints of rejected comments, `page` is the
    /// address of the summary.
    pub(super) fn line(&self, rejected: &BTreeSet<String>, page: Option<&str>) -> String {
        let mut parts = Vec::new();
        match self.comments.difference(rejected).count() {
            0 => {}
            1 => parts.push("1 comment".to_owned()),
            many => parts.push(format!("{many} comments")),
        }
        let counts = [
            (self.fixed.len(), "fixed"),
            (self.moved.len(), "moved"),
            (self.open.len(), "updated"),
            (rejected.len(), "not placed by GitHub"),
        ];
        parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")));
        parts.extend(self.summary.map(|summary| page.map_or(summary.to_owned(), |page| format!("{summary}: {page}"))));
        if parts.is_empty() { "nothing new to publish".to_owned() } else { parts.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CommentEdit;
    use crate::wire::Body;

    fn plan(fingerprints: &[&str]) -> PublishPlan {
        PublishPlan {
            fingerprints: fingerprints.iter().map(|&fingerprint| fingerprint.to_owned()).collect(),
            ..PublishPlan::default()
        }
    }

    #[test]
    fn what_was_planned_twice_was_written_once() {
        let edit = |id, state| CommentEdit { id, node_id: String::new(), body: None, state, is_moved: false };
        let mut tally = Tally::default();
        assert_eq!(tally.line(&BTreeSet::new(), None), "nothing new to publish");
        let edits = vec![edit(1, State::Fixed), edit(2, State::Open)];
        let summary = Some(SummaryWrite::Create(Body { body: String::new() }));
        tally.add(&PublishPlan { edits, summary, ..plan(&["a", "b", "c"]) });
        tally.add(&PublishPlan { edits: vec![edit(1, State::Fixed)], ..plan(&["b", "c"]) });
        let rejected = BTreeSet::from(["c".to_owned()]);
        let expected = "2 comments, 1 fixed, 1 updated, 1 not placed by GitHub, summary written: https://x/1";
        assert_eq!(tally.line(&rejected, Some("https://x/1")), expected);
    }
}
