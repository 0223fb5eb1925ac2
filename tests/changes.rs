//! `--changed`, `--staged` and `--show-files`, in real repositories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::harness::{Ended, parameters, standin, template};

/// A rule that wants `httpsOnly`, as a file.
pub(crate) const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// Where programs are found.
#[expect(clippy::disallowed_methods, reason = "a test that starts programs needs to find them")]
pub(crate) fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// A template with one site.
pub(crate) fn site(https_only: &str) -> String {
    template(&format!(
        r#""parameters": {{"https": {{"type": "bool", "defaultValue": true}}}},
  "resources": [
    {{
      "type": "Microsoft.Web/sites",
      "apiVersion": "2022-09-01",
      "name": "app",
      "properties": {{
        "httpsOnly": {https_only}
      }}
    }}
  ]"#
    ))
}

/// A folder with a repository, or with a clone of one.
pub(crate) struct Repository {
    _folder: TempDir,
    pub(crate) root: PathBuf,
}

impl Repository {
    /// An empty one, on the branch `main`.
    pub(crate) fn new() -> Self {
        let repository = Self::without_git();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub(crate) fn without_git() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        Self { _folder: folder, root }
    }

    /// One with a commit of these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repository = Self::new();
        repository.put(files).commit();
        repository
    }

    /// A shallow clone of `main` that holds its last commit only.
    fn shallow_clone(&self) -> Self {
        let clone = Self::without_git();
        let url = format!("file://{}", self.root.display());
        clone.git(&["clone", "--quiet", "--depth=1", "--branch=main", &url, "."]);
        clone
    }

    pub(crate) fn put(&self, files: &[(&str, &str)]) -> &Self {
        for (name, text) in files {
            let path = self.root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self
    }

    pub(crate) fn remove(&self, name: &str) -> &Self {
        fs::remove_file(self.root.join(name)).unwrap();
        self
    }

    pub(crate) fn commit(&self) -> &Self {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
        self
    }

    pub(crate) fn command(&self, program: &str, folder: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root.join(folder)).env_clear().env("PATH", search_path());
        for config in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
            command.env(config, "/dev/null");
        }
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@example.org");
            command.env(format!("GIT_{role}_DATE"), "2020-01-01T00:00:00Z");
        }
        command
    }

    /// Runs git, and returns what it prints.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git", "").args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Runs formwork in a folder of the repository.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Ended {
        self.run_with(folder, arguments, &[])
    }

    /// As [`Repository::run_in`], with variables in the environment.
    pub(crate) fn run_with(&self, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        self.formwork(folder, &[&["check"], arguments].concat(), variables)
    }

    /// Joins the reports of parts.
    pub(crate) fn merge(&self, arguments: &[&str]) -> Ended {
        self.formwork("", &[&["merge"], arguments].concat(), &[])
    }

    fn formwork(&self, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut command = self.command(env!("CARGO_BIN_EXE_formwork"), folder);
        let output = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.run_in("", arguments)
    }

    /// What would be checked, and why.
    #[track_caller]
    fn shown(&self, arguments: &[&str]) -> Vec<String> {
        let ended = self.run(&[&["--show-files", "--quiet"], arguments].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        ended.stdout.lines().map(str::to_owned).collect()
    }

    /// The files of the findings of the rule, with their lines, and the exit code.
    #[track_caller]
    fn findings(&self, arguments: &[&str]) -> (Vec<String>, i32) {
        let always = ["--no-builtin-rules", "--rules=rules.json", "--format=json", "--quiet"];
        let ended = self.run(&[&always, arguments].concat());
        let report = ended.json();
        let all = report["results"].as_array().unwrap().iter().filter(|it| it["rule"] == "T-1");
        let place =
            |it: &serde_json::Value| format!("{}:{}", it["location"]["file"].as_str().unwrap(), it["location"]["line"]);
        (all.map(place).collect(), ended.code)
    }
}

/// Four templates, none of which has to do with another.
fn plain() -> Repository {
    let text = site("true");
    Repository::with(&[("a.json", &text), ("b.json", &text), ("sub/c.json", &text), ("sub/d.json", &text)])
}

mod files {
    use super::*;

    #[test]
    fn what_is_not_committed_is_looked_at() {
        let it = plain();
        assert_eq!(it.shown(&["--changed"]), [""; 0]);
        it.put(&[("a.json", &site("false")), ("sub/new.json", &site("true")), (".gitignore", "*.tmp.json")]);
        it.put(&[("x.tmp.json", &site("true")), ("package.json", "{}")]);
        assert_eq!(it.shown(&["--changed"]), ["a.json: changed", "sub/new.json: is new"]);
        it.git(&["add", "sub/new.json"]);
        assert_eq!(it.shown(&["--changed"]), ["a.json: changed", "sub/new.json: is new"]);
        assert_eq!(it.shown(&["--changed", "sub"]), ["sub/new.json: is new"]);
        assert_eq!(it.shown(&["--changed", "a.json", "b.json"]), ["a.json: changed"]);
        assert_eq!(it.shown(&["--staged"]), ["sub/new.json: is new"]);
        it.git(&["rm", "--quiet", "--cached", "b.json"]);
        assert_eq!(it.shown(&["--changed", "b.json"]), ["b.json: changed"]);
        assert_eq!(it.shown(&["--staged", "b.json"]), [""; 0]);
    }

    #[test]
    fn without_a_change_all_files_are_shown() {
        let it = plain();
        assert_eq!(
            it.shown(&[".", "sub", "a.json"]),
            [
                "a.json: was named",
                "b.json: lies in the current folder",
                "sub/c.json: lies in sub",
                "sub/d.json: lies in sub"
            ]
        );
    }

    #[test]
    fn deleted_and_moved_files_are_not_errors() {
        let it = plain();
        it.put(&[("b.json", &site("true").replace("app", "b"))]).commit();
        it.remove("a.json").git(&["mv", "b.json", "moved.json"]);
        let expected = ["moved.json: was renamed from b.json"];
        assert_eq!(it.shown(&["--changed"]), expected);
        assert_eq!(it.shown(&["--changed", "a.json", "b.json", "moved.json"]), expected);
        assert_eq!(it.run(&["--changed", "a.json", "b.json"]).code, 0);
        assert_eq!(it.run(&["a.json"]).code, 3);
    }

    /// With a blank instead of the sign, a base is the name of a file, and nothing would be checked.
    #[test]
    fn a_name_of_nothing_is_an_error() {
        let it = plain();
        it.put(&[("a.json", &site("false"))]).git(&["add", "a.json"]);
        for flag in ["--changed", "--staged"] {
            let ended = it.run(&[flag, "main"]);
            assert_eq!(ended.code, 3, "{ended:?}");
            assert!(
                ended.stdout.contains("there is no such file") && ended.stdout.contains("`--changed=main`"),
                "{ended:?}"
            );
            let listed = it.run(&[flag, "--show-files", "main", "a.json"]);
            assert!(listed.stderr.contains("`--changed=main`"), "{listed:?}");
            assert_eq!((listed.stdout.as_str(), listed.code), ("a.json: changed\n", 3));
        }
        let listed = it.run(&["--show-files", "main"]);
        assert!(listed.stderr.contains("there is no such file") && listed.code == 3, "{listed:?}");
        it.git(&["rm", "--quiet", "-r", "--force", "sub"]);
        assert_eq!(it.run(&["--changed", "sub", "sub/c.json"]).code, 0);
    }

    #[test]
    fn a_folder_of_the_repository_can_be_the_current_one() {
        let it = plain();
        it.put(&[("a.json", &site("false")), ("sub/c.json", &site("false"))]);
        let shown = |arguments: &[&str]| it.run_in("sub", &[&["--show-files", "--changed"], arguments].concat()).stdout;
        assert_eq!(shown(&[]), "c.json: changed\n");
        assert_eq!(shown(&[".."]), format!("{}: changed\nc.json: changed\n", it.root.join("a.json").display()));
    }

    #[test]
    fn names_may_be_anything() {
        let it = Repository::new();
        let names = ["-x.json", "a b.json", "a\"b.json", "a\nb.json", "ü🐱.json", ":(top)x.json", "::error::x.json"];
        for name in names {
            it.put(&[(name, &site("true"))]);
        }
        let expected = |reason: &str| {
            let shown =
                ["-x.json", "./::error::x.json", ":(top)x.json", "a\\nb.json", "a b.json", "a\"b.json", "ü🐱.json"];
            let mut lines: Vec<String> = shown.iter().map(|it| format!("{it}: {reason}")).collect();
            lines.sort();
            lines
        };
        let sorted = |mut lines: Vec<String>| {
            lines.sort();
            lines
        };
        assert_eq!(sorted(it.shown(&["--changed"])), expected("is new"));
        it.commit();
        for name in &names {
            it.put(&[(name, &site("false"))]).git(&["add", "--", &format!("./{name}")]);
        }
        assert_eq!(sorted(it.shown(&["--changed"])), expected("changed"));
        assert_eq!(sorted(it.shown(&["--staged"])), expected("changed"));
        // Put away what is staged, so that the index has to be written out.
        for name in &names {
            it.put(&[(name, &site("true"))]);
        }
        assert_eq!(sorted(it.shown(&["--staged"])), expected("changed"));
        assert_eq!(it.shown(&["--changed"]), [""; 0]);
    }
}

mod base {
    use super::*;

    /// A branch with a change of `a.json`, while `main` went on with `b.json`.
    fn moved() -> Repository {
        let it = plain();
        it.git(&["switch", "--quiet", "--create=topic"]);
        it.put(&[("a.json", &site("false"))]).commit();
        it.git(&["switch", "--quiet", "main"]);
        it.put(&[("b.json", &site("false"))]).commit();
        it.git(&["switch", "--quiet", "topic"]);
        it
    }

    #[test]
    fn later_commits_of_the_base_are_not_part_of_the_change() {
        let it = moved();
        it.put(&[("sub/c.json", &site("false")), ("new.json", &site("true"))]);
        let expected = ["a.json: changed", "new.json: is new", "sub/c.json: changed"];
        assert_eq!(it.shown(&["--changed=main"]), expected);
        assert_eq!(it.shown(&["--changed=HEAD"]), ["new.json: is new", "sub/c.json: changed"]);
        assert_eq!(it.shown(&["--changed=HEAD~1"]), expected);
    }

    #[test]
    fn of_a_merge_only_the_effect_on_its_base_counts() {
        let it = moved();
        it.git(&["switch", "--quiet", "--detach", "main"]);
        it.git(&["merge", "--quiet", "--no-edit", "topic"]);
        assert_eq!(it.shown(&["--changed=main"]), ["a.json: changed"]);
        assert_eq!(it.shown(&["--changed=HEAD^1"]), ["a.json: changed"]);
    }

    #[test]
    fn a_shallow_clone_without_the_base_checks_everything() {
        let clone = moved().shallow_clone();
        let ended = clone.run(&["--show-files", "--changed=HEAD~1"]);
        let reason = "is checked because it is unknown what changed";
        let files = ["a.json", "b.json", "sub/c.json", "sub/d.json"];
        assert_eq!(ended.stdout, files.map(|it| format!("{it}: {reason}\n")).concat());
        assert_eq!(
            ended.stderr,
            "warning: the base `HEAD~1` is not in this shallow clone, so everything is checked; `git fetch --unshallow` gets the history, in a workflow `fetch-depth: 0` of `actions/checkout`\n"
        );
        assert_eq!(ended.code, 0);
    }

    #[test]
    fn a_partial_clone_tells_files_and_not_lines() {
        let origin = Repository::with(&[("a.json", &site("true")), ("b.json", &site("false")), ("rules.json", RULE)]);
        origin.put(&[("a.json", &site("false"))]).commit();
        origin.git(&["config", "uploadpack.allowFilter", "true"]);
        let clone = Repository::without_git();
        clone.git(&["clone", "--quiet", "--filter=blob:none", &format!("file://{}", origin.root.display()), "."]);
        clone.git(&["remote", "set-url", "origin", "file:///nowhere"]);
        assert_eq!(clone.shown(&["--changed=HEAD~1"]), ["a.json: changed"]);
        assert_eq!(clone.findings(&["--changed=HEAD~1"]), (vec!["a.json:11".to_owned()], 1));
        let ended = clone.run(&["--changed=HEAD~1", "--filter-mode=added"]);
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.starts_with("error: `git diff` failed: "), "{ended:?}");
    }

    #[test]
    fn a_base_without_common_history_is_compared_as_it_is() {
        let origin = moved();
        let clone = origin.shallow_clone();
        let tip = origin.git(&["rev-parse", "topic"]);
        clone.git(&["fetch", "--quiet", "--depth=1", "origin", "topic"]);
        for base in [tip.as_str(), "FETCH_HEAD"] {
            let ended = clone.run(&["--show-files", &format!("--changed={base}")]);
            assert_eq!(ended.stdout, "a.json: changed\nb.json: changed\n");
            let warning =
                format!("warning: `HEAD` and the base `{base}` have no common history in this shallow clone, ");
            assert!(ended.stderr.starts_with(&warning), "{ended:?}");
        }
    }

    #[test]
    fn after_a_forced_push_the_commits_in_common_count() {
        let it = plain();
        it.put(&[("a.json", &site("false"))]).commit();
        let before = it.git(&["rev-parse", "HEAD"]);
        it.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        it.put(&[("b.json", &site("false"))]).commit();
        assert_eq!(it.shown(&[&format!("--changed={before}")]), ["b.json: changed"]);
        // A clone that was made afterwards does not have the commit.
        let clone = Repository::without_git();
        clone.git(&["clone", "--quiet", &format!("file://{}", it.root.display()), "."]);
        let ended = clone.run(&["--show-files", &format!("--changed={before}")]);
        assert_eq!((ended.stdout.lines().count(), ended.code), (4, 0));
        let warning = format!(
            "warning: the base `{before}` is not in this clone, so everything is checked; it may have gone with a forced push"
        );
        assert!(ended.stderr.starts_with(&warning), "{ended:?}");
    }

    #[test]
    fn a_base_of_zeros_is_that_of_a_new_branch() {
        let it = plain();
        for zeros in ["0".repeat(40), "0".repeat(64)] {
            let ended = it.run(&["--show-files", &format!("--changed={zeros}")]);
            assert_eq!((ended.stdout.lines().count(), ended.code), (4, 0));
            assert!(ended.stderr.starts_with("warning: the base is all zeros, "), "{ended:?}");
        }
    }

    #[test]
    fn an_unknown_base_is_a_usage_error() {
        let it = plain();
        for base in ["nothing", "main..HEAD", "-x", "--output=x", "", "HEAD^{tree}", "0000000"] {
            let ended = it.run(&["--quiet", &format!("--changed={base}")]);
            assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{base}: {ended:?}");
        }
        assert!(!it.root.join("x").exists());
        let ended = it.run(&["--changed=nothing"]);
        assert_eq!(ended.stderr, "error: there is no commit `nothing` in this repository; branches here: `main`\n");
    }

    #[test]
    fn without_a_repository_the_change_is_unknown() {
        let it = Repository::without_git();
        let ended = it.run(&["--changed"]);
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.starts_with("error: the current folder is not in a git working tree: "), "{ended:?}");
        assert_eq!(it.run(&["--filter-mode=added"]).code, 2);
        let bare = Repository::new();
        bare.git(&["config", "core.bare", "true"]);
        assert_eq!(bare.run(&["--changed"]).code, 2);
    }

    #[test]
    fn in_a_repository_without_a_commit_everything_is_new() {
        let it = Repository::new();
        it.put(&[("a.json", &site("true")), ("b.json", &site("true"))]).git(&["add", "a.json"]);
        assert_eq!(it.shown(&["--changed"]), ["a.json: is new", "b.json: is new"]);
        assert_eq!(it.shown(&["--staged"]), ["a.json: is new"]);
    }

    #[test]
    fn in_the_middle_of_a_merge_both_sides_count() {
        let it = moved();
        it.put(&[("b.json", &site("null"))]).commit();
        assert!(!it.command("git", "").args(["merge", "main"]).output().unwrap().status.success());
        assert_eq!(it.shown(&["--changed"]), ["b.json: changed"]);
        assert_eq!(it.shown(&["--staged"]), ["b.json: changed"]);
    }
}

mod graph {
    use super::*;

    fn bicep() -> Repository {
        Repository::with(&[
            ("infra/main.bicep", "module s 'modules/storage.bicep' = { name: 's' }\nimport { t } from 'types.bicep'"),
            ("infra/modules/storage.bicep", "var x = loadTextContent('../data/a b.txt')\nmodule n 'net.bicep' = {}"),
            ("infra/modules/net.bicep", "var x = loadDirectoryFileInfo('../scripts')"),
            ("infra/types.bicep", "@export()\ntype t = string"),
            ("infra/dev.bicepparam", "using 'main.bicep'\nextends 'base.bicepparam'"),
            ("infra/base.bicepparam", "using none"),
            ("infra/data/a b.txt", "x"),
            ("infra/scripts/deep/a.ps1", "x"),
            ("bicepconfig.json", "{\"extends\": \"shared.json\"}"),
            ("shared.json", "{}"),
            ("other/other.bicep", "module a 'template.json' = {}"),
            ("other/template.json", &site("true")),
            ("other/other.parameters.json", &parameters("")),
        ])
    }

    #[track_caller]
    fn check(touched: &[&str], expected: &[&str]) {
        let it = bicep();
        for name in touched {
            let path = it.root.join(name);
            let text = fs::read_to_string(&path).unwrap_or_default();
            it.put(&[(name, &format!("{text}\n"))]);
        }
        assert_eq!(it.shown(&["--changed"]), expected, "{touched:?}");
    }

    const DEV: &str = "infra/dev.bicepparam: has parameters for infra/main.bicep, which";

    #[test]
    fn a_deployment_is_checked_when_anything_below_it_changed() {
        check(&["infra/main.bicep"], &["infra/dev.bicepparam: has parameters for infra/main.bicep, which changed"]);
        check(&["infra/modules/storage.bicep"], &[&format!("{DEV} uses infra/modules/storage.bicep, which changed")]);
        check(
            &["infra/data/a b.txt"],
            &[&format!("{DEV} uses infra/modules/storage.bicep, which loads infra/data/a b.txt, which changed")],
        );
        check(
            &["infra/scripts/deep/b.ps1"],
            &[&format!(
                "{DEV} uses infra/modules/storage.bicep, which uses infra/modules/net.bicep, which loads files of infra/scripts, of which infra/scripts/deep/b.ps1 is new"
            )],
        );
        check(&["infra/types.bicep"], &[&format!("{DEV} imports infra/types.bicep, which changed")]);
        check(&["infra/base.bicepparam"], &["infra/dev.bicepparam: extends infra/base.bicepparam, which changed"]);
        check(&["infra/dev.bicepparam"], &["infra/dev.bicepparam: changed"]);
        check(&["README.md"], &[]);
    }

    #[test]
    fn the_configuration_of_the_compiler_counts_below_its_folder() {
        let configured = "is configured by bicepconfig.json, which";
        check(
            &["bicepconfig.json"],
            &[
                &format!("infra/dev.bicepparam: {configured} changed"),
                &format!("other/other.bicep: {configured} changed"),
                &format!(
                    "other/other.parameters.json: has parameters for other/other.bicep, which {configured} changed"
                ),
            ],
        );
        check(
            &["shared.json", "infra/bicepconfig.json"],
            &[
                "infra/dev.bicepparam: is configured by infra/bicepconfig.json, which is new",
                &format!("other/other.bicep: {configured} extends shared.json, which changed"),
                &format!(
                    "other/other.parameters.json: has parameters for other/other.bicep, which {configured} extends shared.json, which changed"
                ),
            ],
        );
    }

    #[test]
    fn templates_in_json_are_modules_too() {
        check(
            &["other/template.json"],
            &[
                "other/other.bicep: uses other/template.json, which changed",
                "other/other.parameters.json: has parameters for other/other.bicep, which uses other/template.json, which changed",
                "other/template.json: changed",
            ],
        );
    }

    #[test]
    fn what_is_gone_is_missed_by_its_users() {
        let it = bicep();
        it.remove("infra/types.bicep").git(&["mv", "infra/modules/net.bicep", "infra/modules/vnet.bicep"]);
        assert_eq!(
            it.shown(&["--changed"]),
            [
                format!("{DEV} imports infra/types.bicep, which was deleted"),
                "infra/modules/vnet.bicep: was renamed from infra/modules/net.bicep".to_owned(),
            ]
        );
    }

    #[test]
    fn a_template_that_is_named_brings_its_parameter_files() {
        let it = bicep();
        it.put(&[("infra/dev.bicepparam", "using 'main.bicep'\n"), ("infra/base.bicepparam", "using none\n")]);
        assert_eq!(it.shown(&["--changed", "infra/main.bicep"]), ["infra/dev.bicepparam: changed"]);
        it.put(&[("infra/types.bicep", "")]);
        assert_eq!(
            it.shown(&["--changed", "infra/main.bicep"]),
            ["infra/dev.bicepparam: changed", "infra/main.bicep: imports infra/types.bicep, which changed"]
        );
    }

    #[test]
    fn of_files_that_use_each_other_one_is_shown() {
        let it = Repository::new();
        it.put(&[("a.bicep", "module b 'b.bicep' = {}"), ("b.bicep", "module a 'a.bicep' = {}")]);
        assert_eq!(it.shown(&["--changed"]), ["a.bicep: is new"]);
    }

    /// A template with a linked one, and parameter files.
    fn linked() -> Repository {
        let main = template(
            r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
            "properties": {"mode": "Incremental", "templateLink": {"relativePath": "nested/a.json"}}}]"#,
        );
        let linked = site("true");
        let given = parameters("");
        Repository::with(&[
            ("main.json", &main),
            ("main.parameters.dev.json", &given),
            ("main.parameters.prod.json", &given),
            ("nested/a.json", &linked),
            ("x.json", &linked),
            ("given.json", &given),
            ("rules.json", RULE),
        ])
    }

    #[test]
    fn linked_templates_and_parameter_files_count() {
        let it = linked();
        it.put(&[("nested/a.json", &site("false"))]);
        assert_eq!(
            it.shown(&["--changed"]),
            [
                "main.json: links to nested/a.json, which changed",
                "main.parameters.dev.json: has parameters for main.json, which links to nested/a.json, which changed",
                "main.parameters.prod.json: has parameters for main.json, which links to nested/a.json, which changed",
                "nested/a.json: changed",
            ]
        );
        assert_eq!(it.findings(&["--changed", "main.json"]), (vec!["nested/a.json:11".to_owned()], 1));
        it.git(&["checkout", "--quiet", "."]);
        it.put(&[("main.parameters.dev.json", &parameters("\n"))]);
        assert_eq!(it.shown(&["--changed"]), ["main.parameters.dev.json: changed"]);
        let report = it.run(&["--changed", "main.json", "--format=json", "--quiet"]).json();
        assert_eq!((&report["summary"]["templates"], &report["summary"]["deployments"]), (&1.into(), &1.into()));
    }

    #[test]
    fn files_that_a_stack_includes_count() {
        let stack = "Resources:\n  A:\n    Type: AWS::S3::Bucket\n    Properties:\n      \
                     Fn::Transform: {Name: AWS::Include, Parameters: {Location: parts/bucket.yaml}}\n";
        let it = Repository::with(&[("stack.yaml", stack), ("parts/bucket.yaml", "AccessControl: Private\n")]);
        it.put(&[("parts/bucket.yaml", "AccessControl: PublicRead\n")]);
        assert_eq!(it.shown(&["--changed"]), ["stack.yaml: links to parts/bucket.yaml, which changed"]);
        let found = it.run(&["--changed", "--format=json", "--quiet"]).json();
        let is_public = |it: &&serde_json::Value| it["rule"] == "AWS-S3-002";
        let public = found["results"].as_array().unwrap().iter().find(is_public).unwrap();
        assert_eq!(public["location"]["file"], "parts/bucket.yaml");
    }

    #[test]
    fn settings_of_sam_belong_to_the_templates_that_they_name() {
        let stack = "Parameters: {Stage: {Type: String}}\nResources: {A: {Type: AWS::SNS::Topic}}\n";
        let settings =
            "[prod.deploy.parameters]\ntemplate_file = 'stacks/app.yaml'\nparameter_overrides = 'Stage=prod'\n";
        let it =
            Repository::with(&[("samconfig.toml", settings), ("stacks/app.yaml", stack), ("template.yaml", stack)]);
        it.put(&[("stacks/app.yaml", &format!("# New\n{stack}"))]);
        let linked = ["samconfig.toml: has parameters for stacks/app.yaml, which changed", "stacks/app.yaml: changed"];
        assert_eq!(it.shown(&["--changed"]), linked);
    }

    #[test]
    fn what_every_check_depends_on_touches_everything() {
        let it = linked();
        it.put(&[("rules.json", &format!("{RULE}\n"))]);
        let all = |arguments: &[&str], reason: &str| {
            let shown = it.shown(&[&["--changed", "x.json", "nested"], arguments].concat());
            assert_eq!(shown, [format!("nested/a.json: {reason}"), format!("x.json: {reason}")]);
        };
        assert_eq!(it.shown(&["--changed", "x.json"]), [""; 0]);
        all(&["--rules=rules.json"], "is checked by the rules of rules.json, which changed");
        it.put(&[("formwork.yaml", "fail-on: high\n")]);
        all(&[], "is checked under formwork.yaml, which is new");
        it.remove("formwork.yaml").put(&[("given.json", &parameters("\n"))]);
        all(&["--parameters=given.json"], "takes parameters from given.json, which changed");
        it.put(&[("formwork.yaml", "rules:\n  paths: [rules.json]\n")]).commit();
        it.put(&[("rules.json", RULE)]);
        all(&[], "is checked by the rules of rules.json, which changed");
    }
}

mod staged {
    use super::*;

    #[test]
    fn what_is_staged_is_checked_and_not_what_is_there() {
        let it = Repository::with(&[("a.json", &site("true")), ("sub/b.json", &site("true")), ("rules.json", RULE)]);
        it.put(&[("a.json", &site("false"))]).git(&["add", "a.json"]);
        assert_eq!(it.findings(&["--staged"]), (vec!["a.json:11".to_owned()], 1));
        it.put(&[("a.json", &site("true")), ("sub/b.json", &site("false"))]);
        assert_eq!(it.findings(&["--staged"]), (vec!["a.json:11".to_owned()], 1));
        assert_eq!(it.findings(&["--changed"]), (vec!["sub/b.json:11".to_owned()], 1));
        // What is staged is fine, and what is there is not.
        it.git(&["add", "a.json"]);
        it.put(&[("a.json", &site("false"))]);
        assert_eq!(it.findings(&["--staged"]), (vec![], 0));
        it.remove("a.json").git(&["add", "sub/b.json"]);
        let ended =
            it.run_in("sub", &["--staged", "--no-builtin-rules", "--rules=../rules.json", "--format=concise", "-q"]);
        assert_eq!(ended.code, 1);
        assert!(ended.stdout.starts_with("b.json:11:"), "{ended:?}");
        let above = it.root.join("a.json").display().to_string();
        let arguments = ["--staged", "--no-builtin-rules", "--rules=../rules.json", "--format=concise", "-q", ".."];
        let ended = it.run_in("sub", &arguments);
        assert!(!ended.stdout.contains("formwork-"), "{ended:?}");
        it.put(&[("a.json", &site("null"))]).git(&["add", "a.json"]);
        it.put(&[("a.json", &site("true"))]);
        assert!(it.run_in("sub", &arguments).stdout.contains(&format!("{above}:11:")));
        let shown = it.run_in("sub", &["--staged", "--show-files", ".."]).stdout;
        assert_eq!(shown, format!("{above}: changed\nb.json: changed\n"));
        it.put(&[("sub/m.bicep", "module a '../a.json' = {}")]).git(&["add", "sub/m.bicep"]);
        let shown = it.run_in("sub", &["--staged", "--show-files", "m.bicep"]).stdout;
        assert_eq!(shown, "m.bicep: is new\n");
        it.git(&["commit", "--quiet", "--message=x"]);
        it.put(&[("a.json", &site("false"))]).git(&["add", "a.json"]);
        it.put(&[("a.json", &site("true"))]);
        let shown = it.run_in("sub", &["--staged", "--show-files", "m.bicep"]).stdout;
        assert_eq!(shown, format!("m.bicep: uses {above}, which changed\n"));
    }

    #[test]
    fn files_beside_a_template_count_as_they_are_staged() {
        let given = |value: &str| parameters(&format!(r#""https": {{"value": {value}}}"#));
        let it = Repository::with(&[
            ("a.json", &site("\"[parameters('https')]\"")),
            ("a.parameters.json", &given("true")),
            ("rules.json", RULE),
        ]);
        it.put(&[("a.parameters.json", &given("false"))]).git(&["add", "--all"]);
        it.put(&[("a.parameters.json", &given("true"))]);
        assert_eq!(it.findings(&["--staged"]), (vec!["a.json:11".to_owned()], 1));
        it.put(&[("rules.json", "[]")]);
        assert_eq!(it.findings(&["--staged"]).1, 1, "rules count as they are staged, too");
        it.put(&[("../untracked-rules.json", RULE)]);
        let rules = format!("--rules={}", it.root.join("../untracked-rules.json").display());
        assert_eq!(it.run(&["--staged", "--no-builtin-rules", &rules, "-q"]).code, 1);
        it.remove("../untracked-rules.json");
    }

    #[test]
    fn bicep_is_built_from_what_is_staged() {
        let text = |value: &str| {
            format!(
                "resource s 'Microsoft.Web/sites@2022-09-01' = {{\n  name: 'app'\n  properties: {{\n    httpsOnly: {value}\n  }}\n}}\n"
            )
        };
        let it = Repository::with(&[("sub/main.bicep", &text("true")), ("sub/main.bicep.twin", &site("true"))]);
        it.put(&[("rules.json", RULE), ("sub/main.bicep", &text("false")), ("sub/main.bicep.twin", &site("false"))]);
        it.git(&["add", "--all"]);
        it.put(&[("sub/main.bicep", &text("true")), ("sub/main.bicep.twin", &site("true"))]);
        let cli = standin();
        let run = |arguments: &[&str]| {
            let mut command = it.command(env!("CARGO_BIN_EXE_formwork"), "");
            command.env("PSRULE_AZURE_BICEP_PATH", &cli).args(["check", "--no-cache", "--format=concise", "-q"]);
            let output = command.args(["--no-builtin-rules", "--rules=rules.json"]).args(arguments).output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        let (code, report) = run(&["--staged"]);
        assert_eq!(code, Some(1), "{report}");
        assert!(report.starts_with("sub/main.bicep:4:"), "{report}");
        assert_eq!(run(&["--changed", "sub"]).0, Some(0));
        // A line is gone from the source, and a property from what it is compiled to.
        it.commit().put(&[
            ("sub/main.bicep", &text("true").replace("    httpsOnly: true\n", "")),
            ("sub/main.bicep.twin", &site("true").replace("\"httpsOnly\": true", "")),
        ]);
        let (code, report) = run(&["--changed", "--fail-on-scope=changed", "--filter-mode=added"]);
        assert_eq!(code, Some(1), "{report}");
        assert!(report.starts_with("sub/main.bicep:3:"), "{report}");
    }

    #[test]
    fn reports_are_written_to_the_working_directory_and_temporary_files_removed() {
        let it = Repository::with(&[("a.json", &site("true"))]);
        it.put(&[("a.json", &site("false"))]).git(&["add", "a.json"]);
        it.put(&[("a.json", &site("true"))]);
        let temporary = Repository::without_git();
        let mut command = it.command(env!("CARGO_BIN_EXE_formwork"), "");
        command.env("TMPDIR", &temporary.root).args(["check", "--staged", "--output=json=out.json"]);
        assert_eq!(command.output().unwrap().status.code(), Some(1));
        let report = fs::read_to_string(it.root.join("out.json")).unwrap();
        assert!(report.contains("a.json") && !report.contains(&*temporary.root.to_string_lossy()));
        #[cfg(unix)]
        assert_eq!(fs::read_dir(&temporary.root).unwrap().count(), 0);
    }
}

mod lines {
    use super::*;

    /// Two sites, each with a finding, eight lines apart, with a line between them that tests change.
    fn two(first: &str, between: &str, second: &str) -> String {
        let one = |name: &str, value: &str| {
            format!(
                "    {{\n      \"type\": \"Microsoft.Web/sites\",\n      \"apiVersion\": \"2022-09-01\",\n      \"name\": \"{name}\",\n      \"properties\": {{\n        \"httpsOnly\": {value}\n      }}\n    }}"
            )
        };
        let members = format!("\"resources\": [\n{},\n{between}{}\n  ]", one("a", first), one("b", second));
        template(&members)
    }

    fn repository() -> Repository {
        Repository::with(&[("a.json", &two("false", "", "false")), ("rules.json", RULE), ("b.json", &site("false"))])
    }

    fn lines(it: &Repository, arguments: &[&str]) -> (Vec<String>, i32) {
        it.findings(&[&["--changed"], arguments].concat())
    }

    #[test]
    fn findings_are_filtered_by_the_lines_that_changed() {
        let it = repository();
        let change = two("null", "", "false");
        it.put(&[("a.json", &change)]);
        let at = |numbers: &[usize]| numbers.iter().map(|it| format!("a.json:{it}")).collect::<Vec<_>>();
        let first = change.lines().position(|it| it.contains("httpsOnly")).unwrap() + 1;
        let both = [first, first + 8];
        assert_eq!(lines(&it, &[]), (at(&both), 1));
        assert_eq!(lines(&it, &["--filter-mode=added"]), (at(&[first]), 1));
        assert_eq!(lines(&it, &["--filter-mode=context"]), (at(&[first]), 1));
        assert_eq!(lines(&it, &["--filter-mode=file"]), (at(&both), 1));
        it.put(&[("a.json", &two("false", "\n", "false"))]);
        assert_eq!(lines(&it, &["--filter-mode=added"]), (vec![], 1));
        assert_eq!(lines(&it, &["--filter-mode=context"]), (at(&[first]), 1));
        it.put(&[("new.json", &site("false"))]);
        assert_eq!(lines(&it, &["--filter-mode=added"]), (vec!["new.json:11".to_owned()], 1));
    }

    #[test]
    fn what_fails_the_run_is_chosen_on_its_own() {
        let it = repository();
        it.put(&[("a.json", &two("false", "\n", "false"))]);
        assert_eq!(lines(&it, &["--fail-on-scope=changed"]).1, 0);
        assert_eq!(lines(&it, &["--fail-on-scope=changed"]).0.len(), 2);
        assert_eq!(lines(&it, &["--fail-on-scope=all", "--filter-mode=added"]), (vec![], 1));
        it.put(&[("a.json", &two("false", "\n", "null"))]);
        assert_eq!(lines(&it, &["--fail-on-scope=changed"]).1, 1);
        let ended = it.run(&["--changed", "--filter-mode=added", "--no-builtin-rules", "--rules=rules.json"]);
        assert!(ended.stderr.ends_with("notice: 1 finding outside the change, not shown\n"), "{ended:?}");
    }

    #[test]
    fn a_file_that_was_only_moved_has_no_lines_of_its_own() {
        let it = repository();
        it.git(&["mv", "a.json", "moved.json"]);
        for mode in ["--filter-mode=added", "--filter-mode=file"] {
            assert_eq!(lines(&it, &[mode]), (vec![], 1), "{mode}");
        }
        assert_eq!(lines(&it, &[]).0.len(), 2);
        assert_eq!(it.findings(&["--staged", "--filter-mode=added"]), (vec![], 1));
    }

    #[test]
    fn a_finding_is_shown_on_the_line_that_caused_it() {
        let given = |value: &str| parameters(&format!("\n\"https\": {{\"value\": {value}}}"));
        let it = Repository::with(&[
            ("a.json", &site("\"[parameters('https')]\"")),
            ("a.parameters.json", &given("true")),
            ("rules.json", RULE),
        ]);
        it.put(&[("a.parameters.json", &given("false"))]);
        assert_eq!(lines(&it, &[]), (vec!["a.json:11".to_owned()], 1));
        assert_eq!(lines(&it, &["--filter-mode=added"]), (vec!["a.parameters.json:2".to_owned()], 1));
        assert_eq!(lines(&it, &["--fail-on-scope=changed"]).1, 1);
    }

    /// A template that gives `value` to the one that it links to, on line 9, by a variable on line 4.
    fn linking(variable: &str, value: &str) -> String {
        template(&format!(
            r#""variables": {{"secure": {variable}}},
  "resources": [
    {{
      "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d", "properties": {{
        "mode": "Incremental", "templateLink": {{"relativePath": "nested/a.json"}},
        "parameters": {{"https": {{"value": {value}}}}}
      }}
    }}
  ]"#
        ))
    }

    /// Whether each finding is said to be on lines of the change.
    #[track_caller]
    fn on_changed_lines(it: &Repository, arguments: &[&str]) -> Vec<Option<bool>> {
        let always = ["--changed", "--all", "--no-builtin-rules", "--rules=rules.json", "--format=json"];
        let report = it.run(&[&always, arguments].concat()).json();
        report["results"].as_array().unwrap().iter().map(|it| it["on_changed_lines"].as_bool()).collect()
    }

    #[test]
    fn a_finding_in_a_module_is_shown_where_its_user_caused_it() {
        let it = Repository::with(&[
            ("main.json", &linking("true", "\"[variables('secure')]\"")),
            ("nested/a.json", &site("\"[parameters('https')]\"")),
            ("rules.json", RULE),
        ]);
        let shown = |arguments: &[&str]| lines(&it, &[&["main.json"], arguments].concat());
        let at = |place: &str| (vec![place.to_owned()], 1);
        it.put(&[("main.json", &linking("false", "\"[variables('secure')]\""))]);
        assert_eq!(shown(&[]), at("nested/a.json:11"));
        assert_eq!(shown(&["--filter-mode=added", "--fail-on-scope=changed"]), at("main.json:4"));
        assert_eq!(on_changed_lines(&it, &["main.json"]), [Some(true)]);
        it.put(&[("main.json", &linking("true", "false"))]);
        assert_eq!(shown(&["--filter-mode=added", "--fail-on-scope=changed"]), at("main.json:9"));
        // The module itself changed, which its user shows.
        it.git(&["add", "--all"]);
        it.git(&["commit", "--quiet", "--message=x"]);
        it.put(&[("nested/a.json", &site("\"[and(parameters('https'), true())]\""))]);
        assert_eq!(shown(&["--filter-mode=added", "--fail-on-scope=changed"]), at("nested/a.json:11"));
        it.put(&[("nested/a.json", &format!("{}\n", site("\"[parameters('https')]\"")))]);
        assert_eq!(shown(&["--filter-mode=added", "--fail-on-scope=changed"]), (vec![], 0));
        assert_eq!(on_changed_lines(&it, &["main.json"]), [Some(false)]);
    }

    /// Two sites with these lines in their properties.
    fn with_properties(first: &[&str], second: &[&str]) -> String {
        let lines = |it: &[&str]| it.iter().map(|line| format!("        {line}")).collect::<Vec<_>>().join("\n");
        let text = two("1", "\n", "2");
        let text = text.replace("        \"httpsOnly\": 1", &lines(first));
        text.replace("        \"httpsOnly\": 2", &lines(second))
    }

    const HTTPS: &str = "\"httpsOnly\": true";
    const ENABLED: &str = "\"enabled\": true";

    #[test]
    fn what_a_deletion_leaves_missing_is_of_the_change() {
        let (https, enabled) = (format!("{HTTPS},"), format!("{ENABLED},"));
        for before in [[&https, ENABLED], [&enabled, HTTPS]] {
            let it = Repository::with(&[
                ("a.json", &with_properties(&before, &["\"reserved\": true,", ENABLED])),
                ("rules.json", RULE),
            ]);
            let after = with_properties(&[ENABLED], &["\"reserved\": true,", ENABLED]);
            it.put(&[("a.json", &after)]);
            assert_eq!(on_changed_lines(&it, &[]), [Some(true), Some(false)], "{before:?}");
            let key = after.lines().position(|it| it.contains("\"properties\"")).unwrap() + 1;
            let shown = lines(&it, &["--filter-mode=added", "--fail-on-scope=changed"]);
            assert_eq!(shown, (vec![format!("a.json:{key}")], 1), "{before:?}");
            // Something else that is gone from elsewhere.
            it.commit().put(&[("a.json", &after.replace("\n\n", "\n"))]);
            assert_eq!(on_changed_lines(&it, &[]), [Some(false); 2]);
            assert_eq!(lines(&it, &["--fail-on-scope=changed"]).1, 0);
        }
    }

    #[test]
    fn what_is_gone_from_a_variable_is_of_the_change_for_its_user() {
        let text = |https: &str| {
            site("true")
                .replace(
                    "\"resources\"",
                    &format!("\"variables\": {{\"all\": {{\n{https}\"enabled\": true\n}}}},\n\"resources\""),
                )
                .replace("{\n        \"httpsOnly\": true\n      }", "\"[variables('all')]\"")
        };
        let it = Repository::with(&[("a.json", &text("\"httpsOnly\": true,\n")), ("rules.json", RULE)]);
        it.put(&[("a.json", &text(""))]);
        assert_eq!(on_changed_lines(&it, &[]), [Some(true)]);
        assert_eq!(lines(&it, &["--fail-on-scope=changed"]).1, 1);
    }

    #[test]
    fn a_block_of_yaml_loses_its_first_or_its_last_line() {
        let rule = r#"[{"id": "T-1", "name": "N", "shortDescription": "s", "fullDescription": "f", "severity": 2,
            "evaluation": {"resourceType": "AWS::SQS::Queue", "path": "Properties.KmsMasterKeyId", "exists": true}}]"#;
        let queue = |name: &str, lines: &str| {
            format!("  {name}:\n    Type: AWS::SQS::Queue\n    Properties:\n{lines}      DelaySeconds: 1\n")
        };
        let text = |first: &str| {
            let other = queue("Other", "");
            format!("AWSTemplateFormatVersion: '2010-09-09'\nResources:\n{first}\n\n{other}")
        };
        let key = "      KmsMasterKeyId: x\n";
        let after = text(&queue("Some", ""));
        for before in [text(&queue("Some", key)), text(&format!("{}{key}", queue("Some", "")))] {
            let it = Repository::with(&[("a.yaml", &before), ("rules.json", rule)]);
            it.put(&[("a.yaml", &after)]);
            assert_eq!(on_changed_lines(&it, &[]), [Some(true), Some(false)], "{before}");
        }
    }

    #[test]
    fn findings_say_whether_they_are_on_lines_of_the_change() {
        let it = repository();
        assert_eq!(on_changed_lines(&it, &[]), [Some(false); 3]);
        it.put(&[("a.json", &two("false", "", "null"))]);
        assert_eq!(on_changed_lines(&it, &[]), [Some(false), Some(true), Some(false)]);
        let unfiltered = it.run(&["--no-builtin-rules", "--rules=rules.json", "--format=json"]).json();
        assert_eq!(unfiltered["results"][0].get("on_changed_lines"), None);
    }
}

/// Nothing that a repository brings is run.
#[cfg(unix)]
#[test]
fn a_hostile_configuration_runs_nothing() {
    use std::os::unix::fs::PermissionsExt;

    let it = Repository::with(&[("a.json", &site("true")), ("b.json", &site("true"))]);
    let script = it.root.join(".git/evil");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", it.root.join("ran").display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = script.to_str().unwrap();
    let names = ["core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "filter.y.clean"];
    for name in names.into_iter().chain(["filter.y=z.process", "filter.y.smudge", "core.pager", "core.editor"]) {
        it.git(&["config", name, evil]);
    }
    it.git(&["config", "color.ui", "always"]);
    it.git(&["config", "diff.noprefix", "true"]);
    it.git(&["config", "diff.relative", "true"]);
    fs::write(it.root.join(".git/info/attributes"), "a.json diff=x filter=y\nb.json filter=y=z\n").unwrap();
    it.put(&[("a.json", &site("false")), ("b.json", &site("false"))]);
    for arguments in [&["--changed"][..], &["--changed=HEAD", "--filter-mode=added"], &["--staged"]] {
        let ended = it.run(&[&["--quiet", "--show-files"], arguments].concat());
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(!Path::exists(&it.root.join("ran")), "{arguments:?}");
    }
    assert_eq!(it.shown(&["--changed"]), ["a.json: changed", "b.json: changed"]);
}
