//! `--changed=auto`, for each event of GitHub: real repositories, cloned as `actions/checkout` does it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::changes::{RULE, Repository, site};
use crate::harness::{Ended, template};

/// The ids in the payloads.
const BASE: &str = "1111111111111111111111111111111111111111";
const HEAD: &str = "2222222222222222222222222222222222222222";

/// A template with a site whose `httpsOnly` is on line 15, below two lines that others may add to.
fn main_template(metadata: &str, https_only: &str) -> String {
    template(&format!(
        r#""metadata": {{
    "a": "",
    "b": ""{metadata}
  }},
  "resources": [
    {{
      "type": "Microsoft.Web/sites",
      "apiVersion": "2022-09-01",
      "name": "app",
      "location": "x",
      "properties": {{
        "httpsOnly": {https_only}
      }}
    }}
  ]"#
    ))
}

/// Two lines that move `httpsOnly` to line 17.
const TWO_LINES: &str = ",\n    \"c\": \"\",\n    \"d\": \"\"";

/// What GitHub has: a bare repository, filled from one where commits are made.
struct Server {
    author: Repository,
    bare: Repository,
}

impl Server {
    /// `main` with two templates, and `topic` with the change of one; `main` went on in the same file.
    fn new() -> Self {
        let author = Repository::with(&[
            ("infra/main.json", &main_template("", "true")),
            ("other.json", &site("true")),
            ("third.json", &site("false")),
            ("rules.json", RULE),
        ]);
        author.git(&["switch", "--quiet", "--create=topic"]);
        author.put(&[("infra/main.json", &main_template("", "false"))]).commit();
        author.git(&["switch", "--quiet", "main"]);
        author.put(&[("infra/main.json", &main_template(TWO_LINES, "true")), ("other.json", &site("false"))]).commit();
        let server = Self { author, bare: Repository::without_git() };
        server.bare.git(&["init", "--quiet", "--bare", "--initial-branch=main"]);
        for name in ["allowReachableSHA1InWant", "allowAnySHA1InWant"] {
            server.bare.git(&["config", &format!("uploadpack.{name}"), "true"]);
        }
        server.merge();
        server
    }

    /// Merges `topic` into `main` as GitHub does for a pull request, and shows all of it.
    fn merge(&self) {
        self.author.git(&["switch", "--quiet", "--detach", "main"]);
        self.author.git(&["merge", "--quiet", "--no-ff", "--no-edit", "topic"]);
        self.author.git(&["update-ref", "refs/pull/12/merge", "HEAD"]);
        self.author.git(&["switch", "--quiet", "main"]);
        self.publish();
    }

    fn publish(&self) {
        let to = self.bare.root.display().to_string();
        self.author.git(&["push", "--quiet", "--prune", &to, "+refs/heads/*:refs/heads/*", "+refs/pull/*:refs/pull/*"]);
    }

    fn id(&self, name: &str) -> String {
        self.author.git(&["rev-parse", name])
    }

    fn url(&self) -> String {
        format!("file://{}", self.bare.root.display())
    }

    /// What `actions/checkout` leaves of a commit.
    fn checkout(&self, commit: &str, depth: Option<u32>) -> Job {
        let clone = Repository::new();
        let id = self.id(commit);
        clone.git(&["remote", "add", "origin", &self.url()]);
        let to = format!("+{id}:refs/remotes/pull/12/merge");
        match depth {
            Some(depth) => clone.git(&["fetch", "--quiet", "--no-tags", &format!("--depth={depth}"), "origin", &to]),
            None => clone.git(&["fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", &to]),
        };
        clone.git(&["checkout", "--quiet", "--detach", &id]);
        Job {
            clone,
            event: String::new(),
            payload: String::new(),
            commit: id,
            more: Vec::new(),
            aside: tempfile::tempdir().unwrap(),
        }
    }

    /// A job for the pull request, with its merge checked out from such a depth.
    fn pull_request(&self, depth: Option<u32>) -> Job {
        // The event is older than the newest commit of the base.
        self.checkout("refs/pull/12/merge", depth).event(
            "pull_request",
            include_str!("events/pull_request.json"),
            &[&self.id("main~1"), &self.id("topic")],
        )
    }
}

/// A job of a workflow: a clone, and what the runner says.
struct Job {
    clone: Repository,
    event: String,
    payload: String,
    commit: String,
    more: Vec<(String, String)>,
    /// A folder outside of the clone.
    aside: TempDir,
}

const ALL: [&str; 3] = ["infra/main.json", "other.json", "third.json"];

impl Job {
    /// Gives it an event, with the ids of base and head in its payload.
    fn event(mut self, name: &str, payload: &str, ids: &[&str]) -> Self {
        name.clone_into(&mut self.event);
        payload.clone_into(&mut self.payload);
        for (from, to) in [BASE, HEAD].into_iter().zip(ids) {
            self.payload = self.payload.replace(from, to);
        }
        self
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.more.push((name.to_owned(), value.to_owned()));
        self
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        self.run_in("", arguments)
    }

    fn run_in(&self, folder: &str, arguments: &[&str]) -> Ended {
        let temporary = self.clone.root.join(".git/runner");
        fs::create_dir_all(&temporary).unwrap();
        let (path, trace) = (temporary.join("event.json"), temporary.join("trace"));
        fs::write(&path, &self.payload).unwrap();
        let _ = fs::remove_file(&trace);
        let mut variables = vec![
            ("GITHUB_EVENT_NAME", self.event.as_str()),
            ("GITHUB_EVENT_PATH", path.to_str().unwrap()),
            ("GITHUB_SHA", &self.commit),
            ("GITHUB_SERVER_URL", "https://github.example.org"),
            ("GIT_TRACE", trace.to_str().unwrap()),
        ];
        variables.extend(self.more.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self.clone.run_with(folder, &[&["--changed=auto", "--no-builtin-rules"], arguments].concat(), &variables)
    }

    /// How many times the last run fetched.
    fn fetches(&self) -> usize {
        let trace = fs::read_to_string(self.clone.root.join(".git/runner/trace")).unwrap();
        trace.lines().filter(|it| it.contains("trace: built-in: git fetch ")).count()
    }

    /// The files that would be checked, what is said, and how often was fetched for that.
    #[track_caller]
    fn shown(&self) -> (Vec<String>, String, usize) {
        let ended = self.run(&["--show-files"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let files = ended.stdout.lines().map(|it| it.split(": ").next().unwrap().to_owned());
        (files.collect(), ended.stderr, self.fetches())
    }

    /// Only these files would be checked, nothing is said, and this many fetches were made for that.
    #[track_caller]
    fn check(&self, files: &[&str], fetches: usize) {
        let (shown, said, fetched) = self.shown();
        assert_eq!((shown, said.as_str(), fetched), (files.iter().map(|&it| it.to_owned()).collect(), "", fetches));
    }

    /// Everything would be checked, one notice says why, and findings end the run as they always do.
    #[track_caller]
    fn check_unfiltered(&self, notice: &str, fetches: usize) {
        let (shown, said, fetched) = self.shown();
        assert_eq!((shown, fetched), (ALL.map(str::to_owned).to_vec(), fetches), "{said}");
        assert!(said.starts_with(&format!("warning: {notice}")) && said.lines().count() == 1, "{said}");
        let rules = ["--rules=rules.json", "--format=json", "--filter-mode=added", "--fail-on-scope=changed"];
        let ended = self.run(&rules);
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.json()["results"].as_array().unwrap().iter().all(|it| it.get("on_changed_lines").is_none()));
    }

    /// The report on the rule.
    #[track_caller]
    fn report(&self, arguments: &[&str]) -> serde_json::Value {
        self.run(&[&["--rules=rules.json", "--format=json"], arguments].concat()).json()
    }

    /// The annotations on the rule.
    fn annotations(&self, arguments: &[&str]) -> Vec<String> {
        let ended = self.run(&[&["--rules=rules.json", "--format=github"], arguments].concat());
        ended.stdout.lines().filter(|it| it.starts_with("::")).map(str::to_owned).collect()
    }
}

/// File, line, line in the head, and whether the line changed, for each result.
fn places(report: &serde_json::Value) -> Vec<String> {
    let place = |it: &serde_json::Value| {
        let (place, changed) = (&it["location"], &it["on_changed_lines"]);
        let head = match place.get("head") {
            None => "same".to_owned(),
            Some(head) if head.is_null() => "none".to_owned(),
            Some(head) => match head["file"].as_str() {
                Some(file) => format!("{file}:{}", head["line"]),
                None => head["line"].to_string(),
            },
        };
        format!("{}:{} head {head} changed {changed}", place["file"].as_str().unwrap(), place["line"])
    };
    report["results"].as_array().unwrap().iter().map(place).collect()
}

mod pull_request {
    use super::*;

    #[test]
    fn a_clone_of_one_commit_is_compared_with_its_base_after_one_fetch() {
        let server = Server::new();
        let job = server.pull_request(Some(1));
        let config = fs::read_to_string(job.clone.root.join(".git/config")).unwrap();
        let state = |job: &Job| {
            let references = job.clone.git(&["for-each-ref"]);
            let fetched = fs::read_to_string(job.clone.root.join(".git/FETCH_HEAD")).unwrap();
            (references, fetched, job.clone.git(&["status", "--porcelain=v1"]))
        };
        let before = state(&job);
        job.check(&["infra/main.json"], 1);
        assert_eq!(state(&job), before);
        assert_eq!(fs::read_to_string(job.clone.root.join(".git/config")).unwrap(), config);
        // What was fetched stays.
        job.check(&["infra/main.json"], 0);
        server.pull_request(Some(2)).check(&["infra/main.json"], 0);
        server.pull_request(None).check(&["infra/main.json"], 0);
    }

    #[test]
    fn lines_are_those_of_the_head() {
        let server = Server::new();
        let job = server.pull_request(Some(1));
        let report = job.report(&[]);
        assert_eq!(places(&report), ["infra/main.json:17 head 15 changed true"]);
        assert_eq!(
            report["change"],
            serde_json::json!({
                "event": "pull_request",
                "pull_request": 12,
                "base": server.id("main"),
                "head": server.id("topic"),
                "commit": server.id("refs/pull/12/merge"),
            })
        );
        let annotations = job.annotations(&[]);
        assert_eq!(annotations.len(), 1);
        let place = "::warning file=infra/main.json,title=T-1 HttpsOnly,line=15,endLine=15,col=9,endColumn=";
        assert!(annotations[0].starts_with(place), "{annotations:?}");
        let concise = job.run(&["--rules=rules.json", "--format=concise"]).stdout;
        assert!(concise.starts_with("infra/main.json:17:"), "{concise}");
        let sarif = job.run(&["--rules=rules.json", "--format=sarif"]).json();
        let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], 17);
    }

    #[test]
    fn with_all_findings_the_change_only_marks_those_on_its_lines() {
        let server = Server::new();
        server.author.put(&[("new.json", &site("false"))]).commit();
        server.merge();
        let job = server.pull_request(Some(1));
        let expected = [
            "infra/main.json:17 head 15 changed true",
            "new.json:11 head none changed false",
            "other.json:11 head none changed false",
            "third.json:11 head 11 changed false",
        ];
        assert_eq!(places(&job.report(&["--all"])), expected);
        assert_eq!(places(&job.report(&["--all", "--filter-mode=added"])), expected[..1]);
        assert_eq!(job.run(&["--all", "--rules=rules.json", "--fail-on-scope=changed"]).code, 1);
        let ended = job.run(&["--all", "--rules=rules.json", "--fail-on-scope=changed", "other.json", "third.json"]);
        assert_eq!(ended.code, 0);
        let shown = job.run(&["--all", "--show-files", "infra"]).stdout;
        assert_eq!(shown, "infra/main.json: lies in infra\n");
        // Where the head has no such line, the nearest one above is named.
        let annotations = job.annotations(&["--all"]);
        let below = annotations.iter().find(|it| it.contains("file=other.json")).unwrap();
        assert!(below.contains("title=T-1 HttpsOnly,line=10::"), "{below}");
        assert!(below.contains("%0Aat line 11 of the merge, which came with the base"), "{below}");
        let new = annotations.iter().find(|it| it.contains("file=new.json")).unwrap();
        assert!(new.contains(",line=11::"), "{new}");
        assert!(new.contains("%0Ain a file that came with the base"), "{new}");
    }

    #[test]
    fn a_finding_of_the_pull_request_may_be_on_a_line_that_it_does_not_touch() {
        let server = Server::new();
        let off = main_template("", "false").replace("\"location\": \"x\"", "\"condition\": false");
        server.author.put(&[("infra/main.json", &off)]).commit();
        server.author.git(&["switch", "--quiet", "--force-create=topic"]);
        server.author.put(&[("infra/main.json", &off.replace("\"condition\": false", "\"condition\": true"))]).commit();
        server.author.git(&["switch", "--quiet", "main"]);
        server.merge();
        for depth in [Some(1), None] {
            let job = server.pull_request(depth);
            let gate = ["--all", "--fail-on-scope=changed"];
            assert_eq!(job.run(&[&gate[..], &["--rules=rules.json"]].concat()).code, 1);
            let report = job.report(&["--all", "--filter-mode=added"]);
            assert_eq!(places(&report), ["infra/main.json:15 head 15 changed true"]);
        }
    }

    #[test]
    fn all_is_about_a_change() {
        let it = Repository::with(&[("a.json", &site("true"))]);
        let ended = it.run(&["--all"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
        assert!(ended.stderr.starts_with("error: `--all`, "), "{ended:?}");
    }

    #[test]
    fn a_file_that_the_base_renamed_has_its_old_name_in_the_head() {
        let server = Server::new();
        server.author.git(&["mv", "infra/main.json", "infra/app.json"]);
        server.author.commit();
        server.merge();
        let job = server.pull_request(Some(1));
        job.check(&["infra/app.json"], 1);
        assert_eq!(places(&job.report(&[])), ["infra/app.json:17 head infra/main.json:15 changed true"]);
        assert!(job.annotations(&[])[0].contains("file=infra/main.json,"));
    }

    #[test]
    fn a_file_that_the_head_renamed_has_its_new_name() {
        let server = Server::new();
        server.author.git(&["switch", "--quiet", "topic"]);
        server.author.git(&["mv", "infra/main.json", "infra/app.json"]);
        server.author.commit();
        server.merge();
        let job = server.pull_request(Some(1));
        job.check(&["infra/app.json"], 1);
        assert_eq!(places(&job.report(&[])), ["infra/app.json:17 head 15 changed true"]);
    }

    #[test]
    fn names_for_github_begin_at_the_root_of_the_repository() {
        let server = Server::new();
        for depth in [Some(1), None] {
            let job = server.pull_request(depth);
            let run = |format: &str| job.run_in("infra", &["--rules=../rules.json", format]);
            assert_eq!(
                places(&run("--format=json").json()),
                ["main.json:17 head infra/main.json:15 changed true"],
                "{depth:?}"
            );
            assert!(run("--format=github").stdout.starts_with("::warning file=infra/main.json,"));
        }
    }

    #[test]
    fn a_checked_out_head_is_compared_with_where_it_left_its_base() {
        let server = Server::new();
        let ids = [server.id("main"), server.id("topic")];
        let job = |depth, event: &str| {
            let mut job = server.checkout("topic", depth).event(
                event,
                include_str!("events/pull_request.json"),
                &[&ids[0], &ids[1]],
            );
            job.commit = server.id(if event == "pull_request" { "refs/pull/12/merge" } else { "main" });
            job
        };
        for event in ["pull_request", "pull_request_target"] {
            job(Some(1), event).check(&["infra/main.json"], 1);
            job(None, event).check(&["infra/main.json"], 0);
        }
        let report = job(Some(1), "pull_request").report(&[]);
        assert_eq!(places(&report), ["infra/main.json:15 head same changed true"]);
        assert_eq!(report["change"]["head"], report["change"]["commit"]);
        assert_eq!(report["change"]["base"], server.id("main~1"));
    }

    /// Appends so many commits to a branch.
    fn append(it: &Repository, branch: &str, count: usize) {
        let mut last = it.git(&["rev-parse", branch]);
        let tree = it.git(&["rev-parse", &format!("{branch}^{{tree}}")]);
        for _ in 0..count {
            last = it.git(&["commit-tree", &tree, "-p", &last, "-m", "x"]);
        }
        it.git(&["update-ref", &format!("refs/heads/{branch}"), &last]);
    }

    fn head_of(server: &Server) -> Job {
        let ids = [server.id("main"), server.id("topic")];
        let mut job = server.checkout("topic", Some(1)).event(
            "pull_request",
            include_str!("events/pull_request.json"),
            &[&ids[0], &ids[1]],
        );
        "0".repeat(40).clone_into(&mut job.commit);
        job
    }

    #[test]
    fn history_is_fetched_as_far_as_it_takes_and_no_farther() {
        let server = Server::new();
        server.author.git(&["switch", "--quiet", "--detach"]);
        append(&server.author, "topic", 10);
        server.publish();
        head_of(&server).check(&["infra/main.json"], 2);
        append(&server.author, "topic", 30);
        server.publish();
        head_of(&server).check(&["infra/main.json"], 3);
        append(&server.author, "topic", 600);
        server.publish();
        head_of(&server).check_unfiltered("the branch left its base more than 200 commits ago, ", 3);
    }

    #[test]
    fn what_is_checked_out_may_be_ahead_of_the_event() {
        let server = Server::new();
        server.author.git(&["switch", "--quiet", "--detach"]);
        let old = head_of(&server);
        // A job makes a commit.
        old.clone.put(&[("other.json", &site("null"))]).commit();
        old.check(&["infra/main.json", "other.json"], 1);
        // The branch goes on before the job starts.
        let event = old.payload;
        append(&server.author, "topic", 1);
        server.publish();
        let mut job = head_of(&server);
        job.payload = event;
        job.check(&["infra/main.json"], 2);
    }

    #[test]
    fn a_partial_clone_gets_whole_commits() {
        let server = Server::new();
        server.bare.git(&["config", "uploadpack.allowFilter", "true"]);
        let partial = |depth: &[&str]| {
            let whole = server.pull_request(Some(1));
            let clone = Repository::new();
            clone.git(&["remote", "add", "origin", &server.url()]);
            let to = format!("+{}:refs/remotes/pull/12/merge", whole.commit);
            let fetch = ["fetch", "--quiet", "--no-tags", "--filter=blob:none"];
            clone.git(&[&fetch, depth, &["origin", &to]].concat());
            clone.git(&["checkout", "--quiet", "--detach", &whole.commit]);
            Job { clone, ..whole }
        };
        let job = partial(&["--depth=1"]);
        job.check(&["infra/main.json"], 1);
        assert_eq!(places(&job.report(&[])), ["infra/main.json:17 head 15 changed true"]);
        // Nothing is fetched where all commits are there. Their contents would tell the lines.
        let job = partial(&[]);
        job.check(&["infra/main.json"], 0);
        assert_eq!(places(&job.report(&[])), ["infra/main.json:17 head none changed true"]);
    }

    #[test]
    fn an_answer_that_depends_on_missing_history_is_not_used() {
        let server = Server::new();
        let it = &server.author;
        it.git(&["switch", "--quiet", "--detach"]);
        let old = it.git(&["rev-parse", "main~1"]);
        append(it, "main", 5);
        let middle = it.git(&["rev-parse", "main"]);
        append(it, "main", 5);
        // Both have the old commit as their parent, and the one where they parted is far from the base.
        let join = |branch: &str, other: &str, tree: &str| {
            let (last, tree) = (it.git(&["rev-parse", branch]), it.git(&["rev-parse", &format!("{tree}^{{tree}}")]));
            let joined = it.git(&["commit-tree", &tree, "-p", &last, "-p", other, "-m", "x"]);
            it.git(&["update-ref", &format!("refs/heads/{branch}"), &joined]);
        };
        join("main", &old, "main");
        it.git(&["update-ref", "refs/heads/topic", &old]);
        join("topic", &middle, "refs/pull/12/merge");
        server.publish();
        let job = head_of(&server);
        job.check(&["infra/main.json"], 2);
        assert_eq!(job.report(&[])["change"]["base"], middle);
    }

    #[test]
    fn the_target_of_a_pull_request_has_nothing_of_it() {
        let server = Server::new();
        let ids = [server.id("main"), server.id("topic")];
        let payload = include_str!("events/pull_request.json");
        let job = server.checkout("main", Some(1)).event("pull_request_target", payload, &[&ids[0], &ids[1]]);
        job.check_unfiltered("a run by `pull_request_target` has the base checked out ", 0);
        let report = job.report(&[]);
        assert_eq!(report["change"]["pull_request"], 12);
        assert_eq!(report["change"]["head"], server.id("topic"));
        assert_eq!(report["change"]["commit"], server.id("main"));
        // A workflow may ask for the merge.
        let mut job = server.pull_request(Some(1));
        (job.event, job.commit) = ("pull_request_target".to_owned(), server.id("main"));
        job.check(&["infra/main.json"], 1);
        assert_eq!(places(&job.report(&[])), ["infra/main.json:17 head 15 changed true"]);
    }

    #[test]
    fn the_other_parent_of_a_merge_is_fetched_where_one_is_there() {
        let server = Server::new();
        for there in ["main", "topic"] {
            let job = server.pull_request(Some(1));
            job.clone.git(&["fetch", "--quiet", "--no-tags", "--depth=1", "origin", there]);
            job.check(&["infra/main.json"], 1);
            assert_eq!(places(&job.report(&[])), ["infra/main.json:17 head 15 changed true"], "{there}");
        }
    }

    #[test]
    fn a_merge_of_commits_that_the_event_does_not_name_is_one_if_the_run_is_for_it() {
        let server = Server::new();
        let payload = include_str!("events/pull_request.json");
        let old = server.id("main~1");
        let job = |event: &str| server.checkout("refs/pull/12/merge", None).event(event, payload, &[&old, &old]);
        job("pull_request").check(&["infra/main.json"], 0);
        // What such a run is for is the newest commit of the base, which may be a merge too.
        job("pull_request_target").check_unfiltered("a run by `pull_request_target` has the base checked out ", 0);
        // The branch merged its base.
        let ids = [server.id("main"), server.id("topic")];
        server.author.git(&["switch", "--quiet", "topic"]);
        server.author.git(&["merge", "--quiet", "--no-ff", "--no-edit", "main"]);
        server.publish();
        let mut job = server.checkout("topic", None).event("pull_request", payload, &[&ids[0], &ids[1]]);
        job.commit = server.id("refs/pull/12/merge");
        job.check(&["infra/main.json"], 0);
    }

    #[test]
    fn without_a_remote_everything_is_checked() {
        let server = Server::new();
        let notice = "what to compare with cannot be fetched, so everything is checked: fatal: ";
        let way_out = "; `fetch-depth: 2` of `actions/checkout` brings it along, and a private repository requires a token in `GITHUB_TOKEN`\n";
        let job = server.pull_request(Some(1));
        job.clone.git(&["remote", "set-url", "origin", "file:///nowhere/at/all"]);
        job.check_unfiltered(notice, 1);
        assert!(job.shown().1.ends_with(way_out), "{}", job.shown().1);
        let report = job.report(&[]);
        assert_eq!(
            (&report["change"]["base"], &report["change"]["pull_request"]),
            (&serde_json::Value::Null, &12.into())
        );
        job.clone.git(&["remote", "remove", "origin"]);
        job.check_unfiltered(notice, 1);
        // Protocols that start programs are not spoken.
        for url in ["ext::touch ran", "ssh://git@localhost/a.git", "git@localhost:a.git", "--upload-pack=touch ran"] {
            let job = server.pull_request(Some(1));
            job.clone.git(&["config", "remote.origin.url", url]);
            job.check_unfiltered(notice, 1);
            assert!(!job.clone.root.join("ran").exists());
        }
    }

    #[test]
    fn random_edits_of_the_base_move_lines_and_nothing_else() {
        // A generator of our own, so that a failure can be seen again.
        let mut state = 7_u32;
        let mut random = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        let server = Server::new();
        server.author.git(&["switch", "--quiet", "--detach", "topic"]);
        server.author.git(&["branch", "--quiet", "--force", "main"]);
        // Each line of the file is a resource of its own, and each resource has a finding on it.
        let resource = |name: &str| {
            format!(
                "{{\"type\": \"Microsoft.Web/sites\", \"apiVersion\": \"2022-09-01\", \"name\": \"{name}\", \"properties\": {{\"httpsOnly\": false}}}}"
            )
        };
        let text = |names: &[String]| {
            let lines: Vec<String> = names.iter().map(|it| resource(it)).collect();
            template(&format!("\"resources\": [\n{}\n]", lines.join(",\n")))
        };
        let names: Vec<String> = (0..200).map(|it| format!("n{it}")).collect();
        server.author.put(&[("infra/main.json", &text(&names))]).commit();
        server.author.git(&["branch", "--quiet", "--force", "main"]);
        server.author.put(&[("new.json", &site("false"))]).commit();
        server.author.git(&["branch", "--quiet", "--force", "topic"]);
        let mut edited = Vec::new();
        for (index, name) in names.iter().enumerate() {
            match random(8) {
                0 => {}
                1 => edited.push(format!("x{index}")),
                2 => edited.extend((0..=random(3)).map(|it| format!("y{index}-{it}")).chain([name.clone()])),
                _ => edited.push(name.clone()),
            }
        }
        server.author.git(&["switch", "--quiet", "main"]);
        server.author.put(&[("infra/main.json", &text(&edited))]).commit();
        server.merge();
        let head = text(&names);
        let head: Vec<&str> = head.lines().collect();
        let report = server.pull_request(Some(1)).report(&["--all", "infra"]);
        let results = report["results"].as_array().unwrap();
        assert_eq!(results.len(), edited.len());
        for result in results {
            let name = result["resource"]["name"].as_str().unwrap();
            match result["location"]["head"]["line"].as_u64() {
                Some(line) => {
                    let line = head[usize::try_from(line).unwrap() - 1];
                    assert!(line.contains(&format!("\"{name}\"")), "{name}: {line}");
                }
                None => assert!(!name.starts_with('n') || name == "n199", "{name}"),
            }
        }
    }
}

mod others {
    use super::*;

    #[test]
    fn a_merge_group_is_compared_with_what_it_stands_on() {
        let server = Server::new();
        let ids = [server.id("main"), server.id("refs/pull/12/merge")];
        let payload = include_str!("events/merge_group.json");
        let job = |depth| server.checkout(&ids[1], depth).event("merge_group", payload, &[&ids[0], &ids[1]]);
        job(Some(1)).check(&["infra/main.json"], 1);
        job(None).check(&["infra/main.json"], 0);
        let report = job(Some(1)).report(&[]);
        assert_eq!(places(&report), ["infra/main.json:17 head same changed true"]);
        assert_eq!(report["change"]["pull_request"], serde_json::Value::Null);
    }

    fn push(server: &Server, branch: &str, before: &str, depth: Option<u32>) -> Job {
        let payload = include_str!("events/push.json").replace("refs/heads/topic", branch);
        let after = server.id(branch.trim_start_matches("refs/heads/"));
        server.checkout(&after, depth).event("push", &payload, &[before, &after])
    }

    #[test]
    fn a_push_is_compared_with_what_was_there_before() {
        let server = Server::new();
        let before = server.id("main~1");
        for (depth, fetches) in [(Some(1), 1), (Some(2), 0), (None, 0)] {
            push(&server, "refs/heads/main", &before, depth).check(&["infra/main.json", "other.json"], fetches);
        }
        let report = push(&server, "refs/heads/main", &before, Some(1)).report(&[]);
        assert_eq!(places(&report), ["other.json:11 head same changed true"]);
        assert_eq!(report["change"]["base"], before.as_str());
    }

    #[test]
    fn a_forced_push_takes_commits_away() {
        let server = Server::new();
        let before = server.id("main");
        server.author.git(&["reset", "--quiet", "--hard", "main~1"]);
        server.author.put(&[("third.json", &site("null"))]).commit();
        server.publish();
        let forced = |depth| {
            let mut job = push(&server, "refs/heads/main", &before, depth);
            job.payload = job.payload.replace("\"forced\": false", "\"forced\": true");
            job
        };
        // GitHub keeps them for a while, and gives them by their ids.
        for depth in [Some(1), None] {
            forced(depth).check(&["infra/main.json", "other.json", "third.json"], 1);
        }
        server.bare.git(&["update-ref", "-d", "refs/pull/12/merge"]);
        server.bare.git(&["reflog", "expire", "--expire=now", "--all"]);
        server.bare.git(&["gc", "--quiet", "--prune=now"]);
        for depth in [Some(1), None] {
            let job = forced(depth);
            job.check_unfiltered("what to compare with cannot be fetched, so everything is checked: ", 1);
            assert!(job.shown().1.contains("; it may have gone with the forced push, "), "{}", job.shown().1);
        }
    }

    #[test]
    fn a_new_branch_is_compared_with_where_it_left_the_default_branch() {
        let server = Server::new();
        let zeros = "0".repeat(40);
        push(&server, "refs/heads/topic", &zeros, None).check(&["infra/main.json"], 0);
        push(&server, "refs/heads/topic", &zeros, Some(1))
            .check_unfiltered("the clone has no `origin/main` to compare with, so everything is checked; a push ", 0);
        push(&server, "refs/heads/main", &zeros, None)
            .check_unfiltered("the first push of a branch has nothing to compare with, so everything is checked; ", 0);
        let mut tag = push(&server, "refs/heads/main", &zeros, None);
        tag.payload = tag.payload.replace("refs/heads/main", "refs/tags/v1");
        tag.check_unfiltered("a push of a tag has nothing to compare with, so everything is checked; ", 0);
    }

    #[test]
    fn settings_of_the_base_are_those_of_its_newest_commit() {
        let server = Server::new();
        server.author.put(&[("formwork.yaml", "fail-on: never\n")]).commit();
        server.author.git(&["switch", "--quiet", "--create=later"]);
        server.author.put(&[("third.json", &site("null"))]).remove("formwork.yaml").commit();
        server.publish();
        let (main, topic) = (server.id("main"), server.id("topic"));
        let payload = include_str!("events/pull_request.json");
        for depth in [Some(1), None] {
            let job = server.checkout("topic", depth).event("pull_request", payload, &[&main, &topic]);
            let jobs = [Job { commit: main.clone(), ..job }, push(&server, "refs/heads/later", &main, depth)];
            for job in jobs {
                let codes = ["base", "head"].map(|from| {
                    let from = format!("--config-from={from}");
                    job.run(&["--rules=rules.json", &from]).code
                });
                assert_eq!(codes, [0, 1], "{depth:?} {}", job.event);
            }
        }
        let job = push(&server, "refs/heads/topic", &"0".repeat(40), None);
        assert_eq!(job.run(&["--rules=rules.json", "--config-from=base"]).code, 0);
    }

    #[test]
    fn other_events_have_no_change() {
        let server = Server::new();
        let job = |name: &str, payload: &str| server.checkout("main", Some(1)).event(name, payload, &[]);
        let notice = |name: &str| {
            format!(
                "a run by `{name}` has nothing to compare with, so everything is checked; `--changed=BASE` names a base\n"
            )
        };
        let payloads = [
            ("schedule", include_str!("events/schedule.json")),
            ("workflow_dispatch", include_str!("events/workflow_dispatch.json")),
            ("issue_comment", include_str!("events/issue_comment.json")),
            ("something_new", "no JSON"),
        ];
        for (name, payload) in payloads {
            job(name, payload).check_unfiltered(&notice(name), 0);
        }
        // Reports tell why a base is missing, and not that there is none.
        let told = |job: &Job| job.report(&[])["notices"].as_array().map_or(0, Vec::len);
        assert_eq!(told(&job("schedule", payloads[0].1)), 0);
        assert_eq!(told(&push(&server, "refs/heads/topic", &"0".repeat(40), Some(1))), 1);
        let job = job("workflow_run", include_str!("events/workflow_run.json"));
        job.check_unfiltered("a run by `workflow_run` sees the default branch and not the change: ", 0);
        assert_eq!(job.report(&[])["change"]["event"], "workflow_run");
    }

    #[test]
    fn a_payload_that_makes_no_sense_is_a_notice() {
        let server = Server::new();
        let job = |payload: &str| server.checkout("main", Some(1)).event("pull_request", payload, &[]);
        let cannot = "the event of this run cannot be told, so everything is checked: ";
        job("[").check_unfiltered(&format!("{cannot}the payload of the event `pull_request` cannot be read"), 0);
        job("{}")
            .check_unfiltered(&format!("{cannot}the payload of the event `pull_request` has no `pull_request`"), 0);
        let hostile = include_str!("events/pull_request.json").replace(BASE, "--upload-pack=touch x");
        job(&hostile).check_unfiltered(&format!("{cannot}in the payload of the event `pull_request`, "), 0);
        let gone = job("").with("GITHUB_EVENT_PATH", "nowhere.json");
        gone.check_unfiltered(&format!("{cannot}cannot read the file of `GITHUB_EVENT_PATH`: "), 0);
    }

    #[test]
    fn outside_of_a_workflow_the_default_branch_of_the_remote_counts() {
        let server = Server::new();
        let mut job = server.checkout("topic", None);
        job.check_unfiltered("the clone has no `origin/HEAD` to compare with, so everything is checked; ", 0);
        job.clone.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
        job.check(&["infra/main.json"], 0);
        job.clone.put(&[("third.json", &site("null"))]);
        job.check(&["infra/main.json", "third.json"], 0);
        let report = job.report(&[]);
        assert!(report.get("change").is_none());
        job.more.push(("PATH".to_owned(), "/nowhere".to_owned()));
        let ended = job.run(&["--show-files"]);
        assert_eq!((ended.code, ended.stdout.lines().count()), (0, 3));
        assert!(
            ended
                .stderr
                .starts_with("warning: what changed cannot be told, so everything is checked: cannot run `git`")
        );
    }

    #[test]
    fn without_a_repository_everything_is_checked() {
        let it = Repository::without_git();
        it.put(&[("a.json", &site("false")), ("rules.json", RULE)]);
        let ended = it.run(&["--changed=auto", "--no-builtin-rules", "--rules=rules.json", "--format=concise"]);
        assert_eq!(ended.code, 1);
        let notice = "warning: what changed cannot be told, so everything is checked: the current folder is not in a ";
        assert!(ended.stderr.starts_with(notice), "{ended:?}");
    }
}

/// The token goes to the server that it is for, and nowhere else.
#[cfg(unix)]
mod token {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::{Arc, Mutex};
    use std::thread;

    use super::*;

    const TOKEN: &str = "ghs_secretOfTheJob";
    /// `x-access-token:` and the token in Base64.
    const BASIC: &str = "eC1hY2Nlc3MtdG9rZW46Z2hzX3NlY3JldE9mVGhlSm9i";

    /// A server that wants a password from everybody, and where it listens.
    fn refusing() -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&heard);
        let serve = move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
                let head: Vec<String> = lines.take_while(|it| !it.is_empty()).collect();
                notes.lock().unwrap().extend(head);
                let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(answer.as_bytes());
            }
        };
        thread::Builder::new().spawn(serve).unwrap();
        (address, heard)
    }

    /// A job whose `git` writes down its arguments.
    fn spied(origin: &str, server: &str) -> Job {
        let job = Server::new().pull_request(Some(1));
        job.clone.git(&["remote", "set-url", "origin", &format!("{origin}/org/infra")]);
        let folder = job.aside.path().to_owned();
        let real =
            String::from_utf8(std::process::Command::new("sh").args(["-c", "command -v git"]).output().unwrap().stdout);
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" >> '{}/argv'\nenv | grep -v ^FORMWORK_GIT_HEADER= >> '{}/env'\nexec {} \"$@\"\n",
            folder.display(),
            folder.display(),
            real.unwrap().trim()
        );
        fs::write(folder.join("git"), script).unwrap();
        fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", folder.display(), crate::changes::search_path());
        job.with("PATH", &path).with("GITHUB_SERVER_URL", server).with("GITHUB_TOKEN", TOKEN)
    }

    /// Nothing that anybody else can read has the token.
    #[track_caller]
    fn check_secret(job: &Job) {
        let ended = job.run(&["--show-files"]);
        let is_clean = |text: &str| !text.contains(TOKEN) && !text.contains(BASIC);
        assert!(is_clean(&ended.stdout) && is_clean(&ended.stderr), "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        let (git, aside) = (job.clone.root.join(".git"), job.aside.path());
        for name in [aside.join("argv"), aside.join("env"), git.join("config"), git.join("runner/trace")] {
            let text = fs::read_to_string(&name).unwrap();
            assert!(is_clean(&text), "{}: {text}", name.display());
        }
        assert!(fs::read_to_string(aside.join("argv")).unwrap().contains("\nfetch\n"));
    }

    fn authorizations(heard: &Mutex<Vec<String>>) -> Vec<String> {
        let heard = heard.lock().unwrap();
        assert!(!heard.is_empty(), "nobody asked");
        heard.iter().filter(|it| it.to_lowercase().starts_with("authorization:")).cloned().collect()
    }

    #[test]
    fn it_is_shown_to_the_server_that_it_is_for() {
        let (server, heard) = refusing();
        let job = spied(&server, &server).with("GIT_TRACE_CURL", "1").with("GIT_TRACE_REDACT", "0");
        check_secret(&job);
        let expected = format!("AUTHORIZATION: basic {BASIC}");
        let found = authorizations(&heard);
        assert!(!found.is_empty() && found.iter().all(|it| *it == expected), "{found:?}");
    }

    #[test]
    fn another_server_does_not_get_it() {
        let (server, heard) = refusing();
        for own in ["https://github.com", "http://127.0.0.1", "http://127.0.0.1:1/x=y", "nonsense"] {
            check_secret(&spied(&server, own));
        }
        assert_eq!(authorizations(&heard), [""; 0]);
    }

    #[test]
    fn what_the_checkout_left_is_enough() {
        let (server, heard) = refusing();
        let job = spied(&server, &server);
        job.clone.git(&["config", &format!("http.{server}/.extraheader"), "AUTHORIZATION: basic a2VwdA=="]);
        check_secret(&job);
        let sent = authorizations(&heard);
        assert!(!sent.is_empty() && sent.iter().all(|it| it == "AUTHORIZATION: basic a2VwdA=="), "{sent:?}");
    }

    #[test]
    fn a_repository_in_the_change_does_not_choose_its_way() {
        let ((server, heard), (proxy, overheard)) = (refusing(), refusing());
        let job = spied(&server, &server);
        let config = format!("[http]\n\tproxy = {proxy}\n[remote \"origin\"]\n\turl = {server}/org/infra\n");
        job.clone.put(&[
            ("infra/HEAD", "ref: refs/heads/main\n"),
            ("infra/config", &config),
            ("infra/objects/x", ""),
            ("infra/refs/x", ""),
        ]);
        let ended = job.run_in("infra", &["--show-files"]);
        assert!(ended.stderr.contains("cannot be fetched"), "{ended:?}");
        assert_eq!(*overheard.lock().unwrap(), [""; 0], "{ended:?}");
        assert!(authorizations(&heard).iter().any(|line| line.ends_with(BASIC)));
    }

    /// A team may configure git with a file of the repository, and a container may have the checkout as its home.
    #[test]
    fn a_configuration_in_the_change_does_not_choose_its_way() {
        for is_home in [true, false] {
            let ((server, _), (proxy, overheard)) = (refusing(), refusing());
            let mut job = spied(&server, &server);
            job.clone.put(&[(".gitconfig", &format!("[http]\n\tproxy = {proxy}\n"))]).git(&["add", ".gitconfig"]);
            if is_home {
                let home = job.clone.root.display().to_string();
                job.more.push(("HOME".to_owned(), home.clone()));
                job.more.push(("GIT_CONFIG_GLOBAL".to_owned(), format!("{home}/.gitconfig")));
            } else {
                job.clone.git(&["config", "include.path", "../.gitconfig"]);
            }
            let ended = job.run(&["--show-files"]);
            let reason = ".gitconfig`, which is part of the repository; `fetch-depth: 2` of `actions/checkout`";
            assert!(ended.stderr.contains(reason) && ended.stderr.lines().count() == 1, "{ended:?}");
            assert_eq!(*overheard.lock().unwrap(), [""; 0], "{ended:?}");
        }
    }

    #[test]
    fn a_header_that_was_taken_back_is_none() {
        let (server, heard) = refusing();
        let job = spied(&server, &server);
        job.clone.git(&["config", &format!("http.{server}/.extraheader"), ""]);
        check_secret(&job);
        assert!(authorizations(&heard).iter().any(|it| it.ends_with(BASIC)));
    }

    #[test]
    fn the_token_for_formwork_comes_first() {
        let (server, heard) = refusing();
        let job = spied(&server, &server).with("FORMWORK_TOKEN", TOKEN).with("GITHUB_TOKEN", "another");
        check_secret(&job);
        let sent = authorizations(&heard);
        assert!(!sent.is_empty() && sent.iter().all(|it| it.ends_with(BASIC)), "{sent:?}");
    }
}

/// Nothing that a repository brings is run by a fetch.
#[cfg(unix)]
#[test]
fn a_hostile_configuration_runs_nothing() {
    use std::os::unix::fs::PermissionsExt;

    let server = Server::new();
    let job = server.pull_request(Some(1));
    let git = job.clone.root.join(".git");
    let script = git.join("evil");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", job.clone.root.join("ran").display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = script.to_str().unwrap();
    let names = [
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "core.fsmonitor",
        "remote.origin.uploadpack",
        "uploadpack.packObjectsHook",
        "fetch.bundleURI",
    ];
    for name in names {
        job.clone.git(&["config", name, evil]);
    }
    job.clone.git(&["config", "credential.helper", &format!("!{evil}")]);
    job.clone.git(&["config", "core.hooksPath", git.join("hooks").to_str().unwrap()]);
    job.clone.git(&["config", "maintenance.auto", "true"]);
    job.clone.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/heads/stolen/*"]);
    fs::create_dir_all(git.join("hooks")).unwrap();
    for hook in ["reference-transaction", "post-index-change", "pre-auto-gc", "post-checkout"] {
        fs::copy(&script, git.join("hooks").join(hook)).unwrap();
    }
    // Another clone on this machine, whose tips would be listed.
    let alternate = Repository::with(&[("a", "")]);
    fs::write(git.join("objects/info/alternates"), alternate.root.join(".git/objects").to_str().unwrap()).unwrap();
    let before = job.clone.git(&["for-each-ref"]);
    job.check(&["infra/main.json"], 1);
    assert!(!Path::exists(&job.clone.root.join("ran")));
    assert_eq!(job.clone.git(&["for-each-ref"]), before);
}
