//! Conversion of a plan to requests, in the order in which they are sent.

use crate::plan::{CommentEdit, PublishPlan, State, SummaryWrite};
use crate::publish::api::RepositoryName;
use crate::publish::graphql::{self, Threads};
use crate::publish::request::{Method, Request};
use crate::wire::NewReview;

/// A request, and its kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PublishStep {
    pub(super) request: Request,
    pub(super) kind: RequestKind,
}

/// The kind of a request, which determines how a failure is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// Adds comments. GitHub accepts all of them or none.
    Review,
    /// Minimizes comments or shows them again. GitHub may refuse this.
    Fold,
    /// Changes a comment, which may have been deleted.
    Edit,
    /// Creates or edits the summary comment.
    Summary,
    /// Deletes a summary that another run wrote at the same time. It may be deleted already.
    Delete,
}

/// Returns the requests of a plan for a pull request. A comment that is open again is unfolded before its text is
/// written. A fixed comment is folded after its text is written. If only the first request succeeds, the next plan
/// contains the other.
pub(super) fn requests(
    plan: &PublishPlan,
    repository: &RepositoryName,
    number: u64,
    threads: &Threads,
) -> Vec<PublishStep> {
    let mut steps = Vec::new();
    let review = plan.review.as_ref().map(|new| review(new, repository, number));
    add_steps(RequestKind::Review, review, &mut steps);
    add_steps(RequestKind::Fold, graphql::fold(&edited(plan, State::Open), threads, State::Open), &mut steps);
    add_steps(RequestKind::Edit, plan.edits.iter().filter_map(|change| edit(change, repository)), &mut steps);
    add_steps(RequestKind::Fold, graphql::fold(&edited(plan, State::Fixed), threads, State::Fixed), &mut steps);
    add_steps(RequestKind::Summary, plan.summary.as_ref().map(|write| summary(write, repository, number)), &mut steps);
    add_steps(RequestKind::Delete, plan.surplus.iter().map(|id| delete(*id, repository)), &mut steps);
    steps
}

fn add_steps(kind: RequestKind, requests: impl IntoIterator<Item = Request>, steps: &mut Vec<PublishStep>) {
    steps.extend(requests.into_iter().map(|request| PublishStep { request, kind }));
}

/// Returns the GraphQL IDs of the comments that get a state.
fn edited(plan: &PublishPlan, state: State) -> Vec<&str> {
    plan.edits.iter().filter(|edit| edit.state == state).map(|edit| edit.node_id.as_str()).collect()
}

fn delete(id: u64, repository: &RepositoryName) -> Request {
    Request::delete(format!("{}/issues/comments/{id}", repository.path()))
}

/// Returns the request that adds comments.
pub(super) fn review(review: &NewReview, repository: &RepositoryName, number: u64) -> Request {
    Request::write(Method::Post, format!("{}/pulls/{number}/reviews", repository.path()), review)
}

fn edit(edit: &CommentEdit, repository: &RepositoryName) -> Option<Request> {
    let path = format!("{}/pulls/comments/{}", repository.path(), edit.id);
    edit.body.as_ref().map(|body| Request::write(Method::Patch, path, body))
}

fn summary(summary: &SummaryWrite, repository: &RepositoryName, number: u64) -> Request {
    let issues = format!("{}/issues", repository.path());
    match summary {
        SummaryWrite::Create(body) => Request::write(Method::Post, format!("{issues}/{number}/comments"), body),
        SummaryWrite::Update { id, body } => Request::write(Method::Patch, format!("{issues}/comments/{id}"), body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Body;

    #[test]
    fn what_a_failure_in_between_leaves_open_can_be_seen() {
        let edit = |id: u64, state| CommentEdit {
            id,
            node_id: format!("N{id}"),
            body: Some(Body { body: "x".to_owned() }),
            state,
            is_moved: false,
        };
        let plan = PublishPlan {
            edits: vec![
                edit(1, State::Fixed),
                edit(2, State::Open),
                CommentEdit { body: None, ..edit(3, State::Fixed) },
            ],
            summary: Some(SummaryWrite::Update { id: 9, body: Body { body: "y".to_owned() } }),
            ..PublishPlan::default()
        };
        let repository = RepositoryName::read("o/r").unwrap();
        let steps = requests(&plan, &repository, 12, &Threads::default());
        let shown: Vec<_> = steps.iter().map(|step| format!("{:?} {}", step.kind, step.request.path)).collect();
        let expected = [
            "Fold /graphql",
            "Edit /repos/o/r/pulls/comments/1",
            "Edit /repos/o/r/pulls/comments/2",
            "Fold /graphql",
            "Summary /repos/o/r/issues/comments/9",
        ];
        assert_eq!(shown, expected);
        assert_eq!(steps[0].request.body["variables"]["c0"], "N2");
        assert_eq!(steps[3].request.body["variables"]["c1"], "N3");
    }
}
