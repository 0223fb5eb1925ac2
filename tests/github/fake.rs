//! GitHub, as far as formwork knows it: one pull request with its comments, which remembers what is written to it.
//!
//! What it answers has the shape of GitHub's own description of its API; `.ci/contract` compares both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::github::record;
use crate::server::{Answer, Incoming, Reply, Server};

/// Who the token writes as.
pub(super) const BOT: &str = "github-actions[bot]";

/// The token of all tests.
pub(super) const TOKEN: &str = "ghs_TheTokenOfTheTests0123456789";

/// The number of the pull request of all tests.
pub(super) const NUMBER: u64 = 12;

/// A comment, on a line or on the pull request as a whole.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) id: u64,
    pub(super) author: String,
    pub(super) body: String,
    /// File and line, for a comment on a line.
    pub(super) place: Option<(String, u64)>,
    pub(super) reply_to: Option<u64>,
    pub(super) is_folded: bool,
    pub(super) is_resolved: bool,
    /// Whether its lines are no longer part of the diff.
    pub(super) is_outdated: bool,
    /// How often it was changed.
    pub(super) edits: usize,
}

/// A check run, with the annotations of all requests.
#[derive(Clone, Debug)]
pub(super) struct CheckRun {
    pub(super) id: u64,
    pub(super) head: String,
    pub(super) content: Value,
    pub(super) annotations: Vec<Value>,
}

/// What happens to requests in place of what they ask for.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// They get this answer and change nothing.
    Refused(Answer),
    /// They take effect, but get this reply.
    Accepted(Reply),
}

/// The pull request and what is wrong with GitHub.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) head: String,
    pub(super) is_closed: bool,
    /// The repository of the head, and its branch.
    pub(super) head_repository: String,
    pub(super) head_branch: String,
    /// Changed files: paths with their patches.
    pub(super) files: Vec<(String, Option<String>)>,
    /// Review comments, which are on lines.
    pub(super) comments: Vec<Comment>,
    /// Comments on the pull request as a whole.
    pub(super) summaries: Vec<Comment>,
    pub(super) reviews: usize,
    /// The check runs, of any commit.
    pub(super) check_runs: Vec<CheckRun>,
    /// Lines on which GitHub refuses comments although they are in the patch.
    pub(super) refused_lines: BTreeSet<u64>,
    /// Whether the token may resolve conversations.
    pub(super) may_resolve: bool,
    /// By method and end of the path; each is used once.
    pub(super) faults: Vec<(&'static str, &'static str, Fault)>,
    /// What other runs do as soon as a request with this method and end of the path was answered; each happens once.
    pub(super) meanwhile: Vec<Meanwhile>,
    /// All requests, with their paths below the address of the API.
    pub(super) requests: Vec<Request>,
    next_id: u64,
}

/// What happens after a request.
pub(super) type Meanwhile = (&'static str, &'static str, fn(&mut World));

/// A request that came in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Value,
}

impl Request {
    /// Whether it changes something.
    pub(super) fn is_write(&self) -> bool {
        self.method != "GET" && !self.body["query"].as_str().is_some_and(|query| query.starts_with("query"))
    }
}

/// A fake GitHub with one pull request, served until it is dropped.
pub(super) struct Github {
    world: Arc<Mutex<World>>,
    server: Server,
}

impl Github {
    /// A pull request without comments, whose newest commit is `head`.
    pub(super) fn start(head: &str) -> Self {
        let world = World {
            head: head.to_owned(),
            head_repository: "org/infra".to_owned(),
            head_branch: "topic".to_owned(),
            next_id: 1000,
            ..World::default()
        };
        let world = Arc::new(Mutex::new(world));
        let shared = Arc::clone(&world);
        let server = Server::start(move |incoming| answer(&mut shared.lock().unwrap(), incoming));
        Self { world, server }
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub(super) fn url(&self) -> String {
        self.server.url()
    }
}

impl World {
    /// Adds a file that the pull request brings in.
    pub(super) fn add_file(&mut self, path: &str, text: &str) {
        let count = text.lines().count();
        let lines: String = text.lines().flat_map(|line| ["\n+", line]).collect();
        self.files.retain(|(file, _)| file != path);
        self.files.push((path.to_owned(), Some(format!("@@ -0,0 +1,{count} @@{lines}"))));
    }

    /// Adds a comment on the pull request as a whole.
    pub(super) fn add_summary(&mut self, author: &str, body: &str) -> u64 {
        let comment = self.comment(author, body, None);
        let id = comment.id;
        self.summaries.push(comment);
        id
    }

    /// Adds a review comment on a line.
    pub(super) fn add_comment(&mut self, author: &str, body: &str, place: (&str, u64), reply_to: Option<u64>) -> u64 {
        let comment = Comment { reply_to, ..self.comment(author, body, Some((place.0.to_owned(), place.1))) };
        let id = comment.id;
        self.comments.push(comment);
        id
    }

    fn comment(&mut self, author: &str, body: &str, place: Option<(String, u64)>) -> Comment {
        self.next_id += 1;
        Comment {
            id: self.next_id,
            author: author.to_owned(),
            body: body.to_owned(),
            place,
            reply_to: None,
            is_folded: false,
            is_resolved: false,
            is_outdated: false,
            edits: 0,
        }
    }

    /// Makes the next request with this method and end of the path fail.
    pub(super) fn fault(&mut self, method: &'static str, end: &'static str, fault: Fault) {
        self.faults.push((method, end, fault));
    }

    pub(super) fn writes(&self) -> Vec<&Request> {
        self.requests.iter().filter(|request| request.is_write()).collect()
    }

    /// The last line of each hunk of a file on which GitHub takes comments.
    fn takes_comment(&self, path: &str, line: u64) -> bool {
        let patch = self.files.iter().find(|(it, _)| it == path).and_then(|(_, patch)| patch.as_deref());
        let lines = patch.map_or(0, |it| it.lines().filter(|it| it.starts_with('+')).count());
        (1..=lines as u64).contains(&line) && !self.refused_lines.contains(&line)
    }
}

/// An answer without headers.
pub(super) fn status(status: u16, body: &Value) -> Answer {
    let headers = vec![
        ("content-type".to_owned(), "application/json; charset=utf-8".to_owned()),
        ("date".to_owned(), "Sat, 21 Nov 2026 15:00:00 GMT".to_owned()),
    ];
    Answer { status, headers, body: body.to_string().into_bytes() }
}

/// What GitHub says to a token that may not do something.
pub(super) fn denied(code: u16) -> Answer {
    let message = if code == 404 { "Not Found" } else { "Resource not accessible by integration" };
    status(
        code,
        &json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": code.to_string()}),
    )
}

fn answer(world: &mut World, incoming: &Incoming) -> Reply {
    let body: Value = serde_json::from_slice(&incoming.body).unwrap_or(Value::Null);
    let target = incoming.target.as_str();
    let rest = target.strip_prefix("/api/v3").filter(|rest| rest.starts_with('/'));
    let Some(path) = rest.or_else(|| target.strip_prefix("/api").filter(|rest| *rest == "/graphql")) else {
        return Reply::Answer(denied(404));
    };
    assert_eq!(incoming.header("authorization"), [format!("Bearer {TOKEN}")], "{target}");
    assert_eq!(incoming.header("user-agent"), [concat!("formwork/", env!("CARGO_PKG_VERSION"))]);
    assert_eq!(incoming.header("x-github-api-version"), ["2022-11-28"]);
    assert_eq!(incoming.header("accept"), ["application/vnd.github+json"]);
    assert_eq!(incoming.header("content-length").len(), 1, "some proxies take no bodies of unknown length");
    let request = Request { method: incoming.method.clone(), path: path.to_owned(), body };
    world.requests.push(request.clone());
    let bare = path.split('?').next().unwrap_or_default();
    let reply = reply(world, &request, bare);
    while let Some(at) =
        world.meanwhile.iter().position(|(method, end, _)| *method == request.method && bare.ends_with(end))
    {
        world.meanwhile.remove(at).2(world);
    }
    reply
}

fn reply(world: &mut World, request: &Request, bare: &str) -> Reply {
    let fault = world.faults.iter().position(|(method, end, _)| *method == request.method && bare.ends_with(end));
    match fault.map(|at| world.faults.remove(at).2) {
        Some(Fault::Refused(answer)) => Reply::Answer(answer),
        Some(Fault::Accepted(reply)) => {
            route(world, request);
            reply
        }
        None => {
            let answer = route(world, request);
            record::write(request, &answer);
            Reply::Answer(answer)
        }
    }
}

#[expect(clippy::too_many_lines, reason = "a table of routes")]
fn route(world: &mut World, request: &Request) -> Answer {
    if request.path == "/graphql" {
        return graphql(world, &request.body);
    }
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let parts: Vec<&str> = path.trim_start_matches("/repos/org/infra/").split('/').collect();
    let number = NUMBER.to_string();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["pulls"]) => {
            let owner = world.head_repository.split('/').next().unwrap_or_default();
            let is_asked = query.get("head") == Some(&format!("{owner}%3A{}", world.head_branch).as_str());
            let all = if is_asked && !world.is_closed { vec![pull(world)] } else { Vec::new() };
            page(&all, &query)
        }
        ("GET", ["pulls", it]) if *it == number => status(200, &pull(world)),
        ("GET", ["pulls", it, "files"]) if *it == number => {
            page(&world.files.iter().map(file).collect::<Vec<_>>(), &query)
        }
        ("GET", ["pulls", it, "comments"]) if *it == number => {
            page(&world.comments.iter().map(review_comment).collect::<Vec<_>>(), &query)
        }
        ("GET", ["issues", it, "comments"]) if *it == number => {
            page(&world.summaries.iter().map(issue_comment).collect::<Vec<_>>(), &query)
        }
        ("POST", ["pulls", it, "reviews"]) if *it == number => review(world, &request.body),
        ("POST", ["issues", it, "comments"]) if *it == number => {
            let comment = world.comment(BOT, request.body["body"].as_str().unwrap(), None);
            world.summaries.push(comment.clone());
            status(201, &issue_comment(&comment))
        }
        ("GET", ["commits", head, "check-runs"]) => {
            let name = query.get("check_name").copied().unwrap_or_default();
            let runs = world.check_runs.iter().filter(|run| run.head == *head && run.content["name"] == name);
            let runs: Vec<Value> = runs.map(check_run).collect();
            status(200, &json!({"total_count": runs.len(), "check_runs": runs}))
        }
        ("POST", ["check-runs"]) => {
            world.next_id += 1;
            let head = request.body["head_sha"].as_str().unwrap().to_owned();
            let run = CheckRun { id: world.next_id, head, content: json!({}), annotations: Vec::new() };
            world.check_runs.push(run);
            written(world.check_runs.last_mut().unwrap(), &request.body, 201)
        }
        ("PATCH", ["check-runs", id]) => {
            let run = world.check_runs.iter_mut().find(|run| run.id.to_string() == *id);
            run.map_or_else(|| denied(404), |run| written(run, &request.body, 200))
        }
        ("DELETE", ["issues", "comments", id]) => {
            let before = world.summaries.len();
            world.summaries.retain(|comment| comment.id.to_string() != *id);
            if world.summaries.len() == before {
                denied(404)
            } else {
                Answer { body: Vec::new(), ..status(204, &Value::Null) }
            }
        }
        ("PATCH", ["pulls", "comments", id]) => edit(&mut world.comments, id, &request.body, review_comment),
        ("PATCH", ["issues", "comments", id]) => edit(&mut world.summaries, id, &request.body, issue_comment),
        _ => denied(404),
    }
}

fn page(all: &[Value], query: &BTreeMap<&str, &str>) -> Answer {
    let number = |name: &str, default| query.get(name).map_or(default, |value| value.parse::<usize>().unwrap());
    let (size, page) = (number("per_page", 30).min(100), number("page", 1));
    let items: Vec<&Value> = all.iter().skip((page - 1) * size).take(size).collect();
    let mut answer = status(200, &json!(items));
    if page * size < all.len() {
        // GitHub names an address, which is that of another host here: it is not to be used.
        answer.headers.push(("link".to_owned(), "<http://192.0.2.1/next>; rel=\"next\"".to_owned()));
    }
    answer
}

fn review(world: &mut World, body: &Value) -> Answer {
    assert_eq!((&body["event"], &body["commit_id"]), (&json!("COMMENT"), &json!(world.head)));
    let comments = body["comments"].as_array().unwrap();
    let place = |it: &Value| (it["path"].as_str().unwrap().to_owned(), it["line"].as_u64().unwrap());
    let is_wrong = |it: &Value| {
        let (path, line) = place(it);
        it["side"] != "RIGHT"
            || !world.takes_comment(&path, line)
            || it["start_line"].as_u64().is_some_and(|it| it >= line)
    };
    if comments.iter().any(is_wrong) {
        let errors = ["Line could not be resolved"];
        let documentation = "https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request";
        let message = "Unprocessable Entity";
        return status(422, &json!({"message": message, "errors": errors, "documentation_url": documentation}));
    }
    for it in comments {
        let comment = world.comment(BOT, it["body"].as_str().unwrap(), Some(place(it)));
        world.comments.push(comment);
    }
    world.reviews += 1;
    let page = format!("https://github.com/org/infra/pull/{NUMBER}");
    let answer = json!({
        "id": 80 + world.reviews, "node_id": "PRR_1", "user": user(BOT), "body": body["body"], "state": "COMMENTED",
        "html_url": format!("{page}#pullrequestreview-80"), "commit_id": world.head, "author_association": "NONE",
        "pull_request_url": format!("https://api.github.com/repos/org/infra/pulls/{NUMBER}"),
        "_links": {"html": {"href": page}, "pull_request": {"href": page}}, "submitted_at": "2026-11-21T15:00:00Z",
    });
    status(200, &answer)
}

/// Changes a check run: annotations are added, everything else is replaced.
fn written(run: &mut CheckRun, body: &Value, code: u16) -> Answer {
    let annotations = body["output"]["annotations"].as_array().unwrap();
    let is_wrong = |it: &Value| {
        it["start_line"].as_u64().is_none_or(|line| line == 0)
            || !["notice", "warning", "failure"].contains(&it["annotation_level"].as_str().unwrap())
            || it["message"].as_str().is_none_or(str::is_empty)
    };
    if annotations.len() > 50 || annotations.iter().any(is_wrong) {
        return status(422, &json!({"message": "Invalid request.", "errors": ["No more than 50 items are allowed"]}));
    }
    run.annotations.extend(annotations.iter().cloned());
    for (name, value) in body.as_object().unwrap() {
        run.content[name] = value.clone();
    }
    status(code, &check_run(run))
}

fn check_run(run: &CheckRun) -> Value {
    let page = format!("https://github.com/org/infra/runs/{}", run.id);
    let text = |name: &str| run.content.get(name).cloned().unwrap_or_default();
    json!({
        "id": run.id, "node_id": "CR_1", "head_sha": run.head, "external_id": text("external_id"), "url": page,
        "html_url": page, "details_url": page, "status": text("status"), "conclusion": text("conclusion"),
        "started_at": "2026-11-21T15:00:00Z", "completed_at": null, "name": text("name"), "check_suite": null, "app": null,
        "pull_requests": [],
        "output": {
            "title": run.content["output"]["title"], "summary": run.content["output"]["summary"], "text": null,
            "annotations_count": run.annotations.len(), "annotations_url": format!("{page}/annotations"),
        },
    })
}

fn edit(all: &mut [Comment], id: &str, body: &Value, shown: fn(&Comment) -> Value) -> Answer {
    let Some(comment) = all.iter_mut().find(|comment| comment.id.to_string() == id) else { return denied(404) };
    body["body"].as_str().unwrap().clone_into(&mut comment.body);
    comment.edits += 1;
    status(200, &shown(comment))
}

fn graphql(world: &mut World, body: &Value) -> Answer {
    let query = body["query"].as_str().unwrap();
    if query.contains("viewer") {
        return status(200, &json!({"data": {"viewer": {"login": BOT}}}));
    }
    if query.starts_with("mutation") {
        return mutations(world, query, &body["variables"]);
    }
    let first: Vec<&Comment> = world.comments.iter().filter(|it| it.reply_to.is_none()).collect();
    let start: usize = body["variables"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
    let end = first.len().min(start + 100);
    let node = |it: &&Comment| {
        json!({
            "id": format!("PRRT_{}", it.id),
            "isResolved": it.is_resolved,
            "comments": {"nodes": [{"id": node_id(it), "isMinimized": it.is_folded}]},
        })
    };
    let nodes: Vec<Value> = first[start..end].iter().map(node).collect();
    let info = json!({"hasNextPage": end < first.len(), "endCursor": end.to_string()});
    let threads = json!({"pageInfo": info, "nodes": nodes});
    status(200, &json!({"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}}))
}

/// Carries out `alias: name(input: {id: $variable …` one by one, as GitHub does.
fn mutations(world: &mut World, query: &str, variables: &Value) -> Answer {
    let (mut data, mut errors) = (serde_json::Map::new(), Vec::new());
    for field in query.split("{ clientMutationId }") {
        let Some((head, input)) = field.rsplit_once("(input: {") else { continue };
        let (alias, name) = head.rsplit_once(": ").unwrap();
        let alias = alias.rsplit(' ').next().unwrap();
        let variable: String =
            input.split('$').nth(1).unwrap().chars().take_while(char::is_ascii_alphanumeric).collect();
        let id = variables[&variable].as_str().unwrap();
        let may_resolve = world.may_resolve;
        let comment =
            world.comments.iter_mut().find(|it| node_id(it) == id || format!("PRRT_{}", it.id) == id).unwrap();
        match name {
            "minimizeComment" => comment.is_folded = true,
            "unminimizeComment" => comment.is_folded = false,
            "resolveReviewThread" if may_resolve => comment.is_resolved = true,
            "unresolveReviewThread" if may_resolve => comment.is_resolved = false,
            _ => {
                data.insert(alias.to_owned(), Value::Null);
                let message = "Resource not accessible by integration";
                errors.push(json!({"type": "FORBIDDEN", "path": [alias], "message": message}));
                continue;
            }
        }
        data.insert(alias.to_owned(), json!({"clientMutationId": null}));
    }
    let mut answer = json!({"data": data});
    if !errors.is_empty() {
        answer["errors"] = errors.into();
    }
    status(200, &answer)
}

fn node_id(comment: &Comment) -> String {
    format!("PRRC_{}", comment.id)
}

fn user(login: &str) -> Value {
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    let mut user =
        json!({"login": login, "id": 7, "node_id": "U_7", "gravatar_id": "", "type": kind, "site_admin": false});
    let urls = [
        "avatar_url",
        "events_url",
        "followers_url",
        "following_url",
        "gists_url",
        "html_url",
        "organizations_url",
        "received_events_url",
        "repos_url",
        "starred_url",
        "subscriptions_url",
        "url",
    ];
    for url in urls {
        user[url] = "https://api.github.com/users/somebody".into();
    }
    user
}

/// The members that are read, of the hundreds that there are.
fn pull(world: &World) -> Value {
    let state = if world.is_closed { "closed" } else { "open" };
    json!({
        "id": 1, "number": NUMBER, "state": state, "title": "Turn on TLS", "user": user("somebody"),
        "head": {"ref": world.head_branch, "sha": world.head, "repo": {"full_name": world.head_repository}},
        "base": {"ref": "main", "sha": "1".repeat(40), "repo": {"full_name": "org/infra"}},
    })
}

fn file((path, patch): &(String, Option<String>)) -> Value {
    let mut file = json!({
        "sha": "4".repeat(40), "filename": path, "status": "added", "additions": 1, "deletions": 0, "changes": 1,
        "blob_url": "https://github.com/x", "raw_url": "https://github.com/x", "contents_url": "https://api.github.com/x",
    });
    if let Some(patch) = patch {
        file["patch"] = patch.as_str().into();
    }
    file
}

fn review_comment(comment: &Comment) -> Value {
    let (path, line) = comment.place.clone().unwrap();
    let page = format!("https://github.com/org/infra/pull/{NUMBER}#discussion_r{}", comment.id);
    let mut shown = json!({
        "url": format!("https://api.github.com/repos/org/infra/pulls/comments/{}", comment.id),
        "pull_request_review_id": 80, "id": comment.id, "node_id": node_id(comment), "diff_hunk": "@@ -0,0 +1 @@\n+x",
        "path": path, "commit_id": "2".repeat(40), "original_commit_id": "2".repeat(40), "user": user(&comment.author),
        "body": comment.body, "created_at": "2026-11-21T15:00:00Z", "updated_at": "2026-11-21T15:00:00Z",
        "html_url": page, "pull_request_url": "https://api.github.com/repos/org/infra/pulls/12",
        "author_association": "NONE", "line": if comment.is_outdated { Value::Null } else { line.into() }, "original_line": line, "side": "RIGHT", "start_line": null,
        "_links": {"self": {"href": page}, "html": {"href": page}, "pull_request": {"href": page}},
    });
    if let Some(id) = comment.reply_to {
        shown["in_reply_to_id"] = id.into();
    }
    shown
}

fn issue_comment(comment: &Comment) -> Value {
    json!({
        "id": comment.id, "node_id": format!("IC_{}", comment.id), "user": user(&comment.author), "body": comment.body,
        "url": format!("https://api.github.com/repos/org/infra/issues/comments/{}", comment.id),
        "html_url": format!("https://github.com/org/infra/pull/{NUMBER}#issuecomment-{}", comment.id),
        "issue_url": format!("https://api.github.com/repos/org/infra/issues/{NUMBER}"),
        "created_at": "2026-11-21T15:00:00Z", "updated_at": "2026-11-21T15:00:00Z", "author_association": "NONE",
        "performed_via_github_app": null,
    })
}
