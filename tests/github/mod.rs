//! `formwork github report` against a GitHub on this machine.

mod check_run;
mod failures;
mod fake;
mod faults;
mod network;
mod origin;
mod pull_request;
mod record;

use serde_json::{Value, json};

use crate::github::fake::{Github, NUMBER, TOKEN};
use crate::harness::{Ended, Folder, template};

/// The newest commit of the pull request.
const HEAD: &str = "2222222222222222222222222222222222222222";

/// A commit other than [`HEAD`], for a pull request that moved on.
const OTHER: &str = "3333333333333333333333333333333333333333";

/// A workflow run for a pull request: a folder with a template and its report, and the GitHub that it is for.
struct Job {
    folder: Folder,
    github: Github,
}

impl Job {
    /// The pull request brings in a template with sites, of which those are wrong that are named.
    fn new(wrong: &[&str]) -> Self {
        let job = Self { folder: Folder::new(), github: Github::start(HEAD) };
        job.push(HEAD, &sites(wrong, 0));
        job.event("pull_request", &pull_request_event(HEAD));
        job
    }

    /// A new commit with this template, which is checked.
    fn push(&self, head: &str, template: &str) {
        self.push_as(head, "main.json", template);
    }

    fn push_as(&self, head: &str, name: &str, template: &str) {
        self.move_to(head);
        self.github.world().add_file(name, template);
        self.folder.write(name, template);
        let rule = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/azure/appservice/https-only.json");
        let ended = self.folder.run(&["check", "--no-builtin-rules", "--rules", rule, "--format", "json", name]);
        let mut report = ended.json();
        report["change"] = json!({
            "event": "pull_request", "pull_request": NUMBER, "base": "1".repeat(40), "head": head, "commit": head,
        });
        self.write_report(&report);
    }

    /// Makes this commit the newest one.
    fn move_to(&self, head: &str) {
        head.clone_into(&mut self.github.world().head);
        self.event("pull_request", &pull_request_event(head));
    }

    fn write_report(&self, report: &Value) {
        self.folder.write("report.json", report.to_string());
    }

    fn read_report(&self) -> Value {
        let text = std::fs::read(self.folder.path().join("report.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// What the workflow runs for.
    fn event(&self, name: &str, payload: &Value) {
        self.folder.write("event.json", payload.to_string()).write("event.name", name);
    }

    /// Publishes as a review and as a summary.
    fn report(&self) -> Ended {
        self.report_with(&["--review", "--summary"], &[])
    }

    fn report_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut all = vec!["github", "report", "--from", "report.json", "--pace", "0"];
        all.extend(arguments);
        let event = self.folder.path().join("event.json");
        let name = std::fs::read_to_string(self.folder.path().join("event.name")).unwrap();
        let (api, graphql) = (format!("{}/api/v3", self.github.url()), format!("{}/api/graphql", self.github.url()));
        let mut environment = vec![
            ("GITHUB_TOKEN", TOKEN),
            ("GITHUB_API_URL", &api),
            ("GITHUB_GRAPHQL_URL", &graphql),
            ("GITHUB_REPOSITORY", "org/infra"),
            ("GITHUB_EVENT_NAME", &name),
            ("GITHUB_EVENT_PATH", event.to_str().unwrap()),
            ("GITHUB_OUTPUT", "output.txt"),
            ("GITHUB_RUN_ID", "4711"),
            ("GITHUB_ACTIONS", "true"),
        ];
        // What is set twice has the value that comes last.
        environment.extend(variables);
        let ended = self.folder.run_with(&all, &environment, b"");
        assert!(!format!("{ended:?}").contains(TOKEN), "{ended:?}");
        ended
    }

    /// The methods and paths of what was written since the last call.
    fn writes(&self) -> Vec<String> {
        let mut world = self.github.world();
        let writes = world.writes().iter().map(|request| format!("{} {}", request.method, request.path)).collect();
        world.requests.clear();
        writes
    }

    /// The lines with comments of ours that hold.
    fn commented_lines(&self) -> Vec<u64> {
        let world = self.github.world();
        let open =
            world.comments.iter().filter(|comment| comment.author == fake::BOT && comment.body.contains(":open:"));
        let mut lines: Vec<u64> = open.filter_map(|comment| comment.place.as_ref()).map(|(_, line)| *line).collect();
        lines.sort_unstable();
        lines
    }

    fn outputs(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("output.txt")).unwrap_or_default()
    }
}

const REVIEW: &str = "POST /repos/org/infra/pulls/12/reviews";
const NEW_SUMMARY: &str = "POST /repos/org/infra/issues/12/comments";

/// A template with these sites, of which AZ-APPSERVICE-001 finds the wrong ones, below some empty lines.
fn sites(wrong: &[&str], shift: usize) -> String {
    let site = |name: &&str| {
        format!(
            "{{\n\"type\": \"Microsoft.Web/sites\", \"apiVersion\": \"2022-09-01\", \"name\": \"{name}\",\n\
             \"properties\": {{\n\"httpsOnly\": false\n}}}}"
        )
    };
    let all: Vec<String> = wrong.iter().map(site).collect();
    format!("{}{}", "\n".repeat(shift), template(&format!("\"resources\": [\n{}\n]", all.join(",\n"))))
}

fn pull_request_event(head: &str) -> Value {
    let repository = json!({"id": 1, "full_name": "org/infra", "default_branch": "main"});
    let side = |name: &str, sha: &str| json!({"ref": name, "sha": sha, "repo": repository});
    json!({
        "number": NUMBER, "repository": repository,
        "pull_request": {"number": NUMBER, "head": side("topic", head), "base": side("main", &"1".repeat(40))},
    })
}

#[track_caller]
fn check_exit(ended: &Ended, code: i32) {
    assert_eq!(ended.code, code, "{ended:?}");
}

/// The notices that the runner reads from standard output, which holds nothing else.
fn notices(ended: &Ended) -> Vec<&str> {
    let notice = |line| str::strip_prefix(line, "::notice title=formwork::").unwrap_or_else(|| panic!("{ended:?}"));
    ended.stdout.lines().map(notice).collect()
}
