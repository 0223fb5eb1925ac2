//! Operations that only GraphQL offers: the login of the token, and listing, minimizing, and resolving comments. See
//! <https://docs.github.com/graphql>.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::plan::State;
use crate::publish::request::Request;

/// Maximum number of comments that one request changes.
const BATCH: usize = 20;

/// Returns a request for the login of the account that the token belongs to.
pub(super) fn viewer() -> Request {
    Request::graphql("query { viewer { login } }", &json!({}))
}

/// Returns a request for a page of the conversations of a pull request. The first page has no `cursor`.
pub(super) fn threads(owner: &str, name: &str, number: u64, cursor: Option<&str>) -> Request {
    // Each comment of a review starts a conversation, so the comments of formwork are the first in theirs.
    let query = "query($owner: String!, $name: String!, $number: Int!, $cursor: String) { \
                 repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
                 reviewThreads(first: 100, after: $cursor) { pageInfo { hasNextPage endCursor } nodes { \
                 id isResolved comments(first: 1) { nodes { id isMinimized } } } } } } }";
    let variables = json!({"owner": owner, "name": name, "number": number, "cursor": cursor});
    Request::graphql(query, &variables)
}

/// Returns requests that minimize obsolete comments and resolve their conversations, or undo both. Each operation of
/// a request can fail separately: resolving needs more permissions than minimizing.
pub(super) fn fold(comments: &[&str], threads: &Threads, state: State) -> Vec<Request> {
    comments.chunks(BATCH).map(|batch| fold_batch(batch, threads, state)).collect()
}

fn fold_batch(comments: &[&str], threads: &Threads, state: State) -> Request {
    let (mut declared, mut fields, mut variables) = (String::new(), String::new(), Map::new());
    let mut declare = |name: String, value: &str| {
        let separator = if variables.is_empty() { "" } else { ", " };
        let _ = write!(declared, "{separator}${name}: ID!");
        variables.insert(name, value.into());
    };
    for (number, comment) in comments.iter().enumerate() {
        declare(format!("c{number}"), comment);
        let _ = match state {
            State::Fixed => write!(
                fields,
                " c{number}: minimizeComment(input: {{subjectId: $c{number}, classifier: RESOLVED}}) {{ clientMutationId }}"
            ),
            State::Open => {
                write!(fields, " c{number}: unminimizeComment(input: {{subjectId: $c{number}}}) {{ clientMutationId }}")
            }
        };
        let Some(thread) = threads.of_comments.get(*comment) else { continue };
        let field = match (state, thread.is_resolved) {
            (State::Fixed, false) => "resolveReviewThread",
            (State::Open, true) => "unresolveReviewThread",
            _ => continue,
        };
        declare(format!("t{number}"), &thread.id);
        let _ = write!(fields, " t{number}: {field}(input: {{threadId: $t{number}}}) {{ clientMutationId }}");
    }
    Request::graphql(&format!("mutation({declared}) {{{fields} }}"), &Value::Object(variables))
}

/// Conversations of a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Threads {
    /// Conversations by the GraphQL ID of their first comment.
    pub(super) of_comments: BTreeMap<String, Thread>,
    /// GraphQL IDs of first comments that are minimized.
    pub(super) hidden: BTreeSet<String>,
}

/// A conversation of review comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    /// ID in the GraphQL API.
    pub(super) id: String,
    /// True if the conversation is resolved.
    pub(super) is_resolved: bool,
}

/// Returns the login in the answer to [`viewer`].
pub(super) fn read_viewer(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Data {
        viewer: Viewer,
    }
    #[derive(Deserialize)]
    struct Viewer {
        login: String,
    }
    data::<Data>(body).map(|data| data.viewer.login)
}

/// Page that follows a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NextPage {
    /// Another page, which starts after this cursor.
    After(String),
    /// None: this was the last page.
    None,
}

/// Adds a page to the conversations. Returns `None` if the answer has an unexpected form.
pub(super) fn read_threads(body: &[u8], threads: &mut Threads) -> Option<NextPage> {
    let page = data::<Repositories>(body)?.repository.pull_request.review_threads;
    for node in page.nodes {
        for comment in node.comments.nodes {
            if comment.is_minimized {
                threads.hidden.insert(comment.id.clone());
            }
            let thread = Thread { id: node.id.clone(), is_resolved: node.is_resolved };
            threads.of_comments.insert(comment.id, thread);
        }
    }
    let next = page.page_info.end_cursor.filter(|_| page.page_info.has_next_page);
    Some(next.map_or(NextPage::None, NextPage::After))
}

fn data<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Envelope<T> {
        data: T,
    }
    serde_json::from_slice::<Envelope<T>>(body).ok().map(|answer| answer.data)
}

#[derive(Deserialize)]
struct Repositories {
    repository: Repository,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    pull_request: PullRequest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullRequest {
    review_threads: Page<ThreadNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    page_info: PageInfo,
    nodes: Vec<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadNode {
    id: String,
    is_resolved: bool,
    comments: Nodes,
}

#[derive(Deserialize)]
struct Nodes {
    nodes: Vec<CommentNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommentNode {
    id: String,
    is_minimized: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Threads {
        let thread = |id: &str, is_resolved| Thread { id: id.to_owned(), is_resolved };
        let of_comments = [("A", thread("TA", false)), ("B", thread("TB", true))];
        Threads { of_comments: of_comments.map(|(k, v)| (k.to_owned(), v)).into(), hidden: BTreeSet::new() }
    }

    #[test]
    fn fixed_comments_are_folded_and_what_is_open_resolved() {
        let [request] = &fold(&["A", "B", "C"], &sample(), State::Fixed)[..] else { panic!("one request") };
        let expected = "mutation($c0: ID!, $t0: ID!, $c1: ID!, $c2: ID!) { \
            c0: minimizeComment(input: {subjectId: $c0, classifier: RESOLVED}) { clientMutationId } \
            t0: resolveReviewThread(input: {threadId: $t0}) { clientMutationId } \
            c1: minimizeComment(input: {subjectId: $c1, classifier: RESOLVED}) { clientMutationId } \
            c2: minimizeComment(input: {subjectId: $c2, classifier: RESOLVED}) { clientMutationId } }";
        assert_eq!(request.body["query"], expected);
        assert_eq!(request.body["variables"], json!({"c0": "A", "t0": "TA", "c1": "B", "c2": "C"}));
    }

    #[test]
    fn comments_that_hold_again_are_unfolded() {
        let [request] = &fold(&["B"], &sample(), State::Open)[..] else { panic!("one request") };
        let expected = "mutation($c0: ID!, $t0: ID!) { \
            c0: unminimizeComment(input: {subjectId: $c0}) { clientMutationId } \
            t0: unresolveReviewThread(input: {threadId: $t0}) { clientMutationId } }";
        assert_eq!(request.body["query"], expected);
    }

    #[test]
    fn many_comments_are_several_requests() {
        let ids: Vec<String> = (0..45).map(|at| at.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(fold(&ids, &Threads::default(), State::Fixed).len(), 3);
        assert!(fold(&[], &Threads::default(), State::Fixed).is_empty());
    }

    #[test]
    fn answers_are_read_and_errors_are_none() {
        assert_eq!(read_viewer(br#"{"data": {"viewer": {"login": "octocat"}}}"#).as_deref(), Some("octocat"));
        for none in ["", "[]", r#"{"data": null, "errors": []}"#, r#"{"message": "x"}"#] {
            assert_eq!(read_viewer(none.as_bytes()), None);
            assert_eq!(read_threads(none.as_bytes(), &mut Threads::default()), None);
        }
        let page = r#"{"data": {"repository": {"pullRequest": {"reviewThreads": {
            "pageInfo": {"hasNextPage": true, "endCursor": "next"},
            "nodes": [{"id": "TA", "isResolved": false, "comments": {"nodes": [{"id": "A", "isMinimized": true}]}}]
        }}}}}"#;
        let mut threads = Threads::default();
        assert_eq!(read_threads(page.as_bytes(), &mut threads), Some(NextPage::After("next".to_owned())));
        assert_eq!(threads.of_comments["A"].id, "TA");
        assert!(threads.hidden.contains("A"));
    }
}
