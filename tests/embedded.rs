//! What a change brings to be taken for something else: folders for repositories, and files for programs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::changes::{RULE, Repository, search_path, site};
use crate::harness::{Ended, standin};

/// Configuration that runs a program, and makes git take the folder of a bare repository for a working tree.
fn hostile(mark: &Path) -> String {
    let run = format!("\"touch '{}'; false\"", mark.display());
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {run}\n\
         \tsshCommand = {run}\n[diff]\n\texternal = {run}\n[filter \"x\"]\n\tclean = {run}\n"
    )
}

/// A repository of which a change makes `infra` insecure, and the same folder a bare repository.
fn embedding(config: &str) -> Repository {
    let it = Repository::with(&[("infra/main.json", &site("true")), ("rules.json", RULE)]);
    it.put(&[
        ("infra/main.json", &site("false")),
        ("infra/HEAD", "ref: refs/heads/main\n"),
        ("infra/config", config),
        ("infra/objects/info/x", ""),
        ("infra/refs/heads/x", ""),
        ("infra/.gitignore", "*.json\n"),
        ("infra/.gitattributes", "*.json filter=x\n"),
    ]);
    it.git(&["add", "--all", "--force"]);
    it.git(&["commit", "--quiet", "--message=x"]);
    it
}

const CHECK: [&str; 3] = ["--no-builtin-rules", "--format=concise", "--quiet"];

/// What `formwork check` finds in a folder.
fn found(it: &Repository, folder: &str, arguments: &[&str]) -> Ended {
    let rules = format!("--rules={}", it.root.join("rules.json").display());
    it.run_in(folder, &[&CHECK[..], &[rules.as_str()], arguments].concat())
}

#[test]
fn a_bare_repository_is_a_folder() {
    let mark = tempfile::tempdir().unwrap();
    let ran = mark.path().join("ran");
    for config in [&hostile(&ran), "[core]\n\tbare = true\n", "not a configuration\n"] {
        let it = embedding(config);
        for (folder, arguments) in [
            ("", &["infra"][..]),
            ("infra", &["."]),
            ("", &["--changed=HEAD~1", "infra"]),
            ("infra", &["--changed=HEAD~1"]),
            ("infra", &["--changed=HEAD~1", "--filter-mode=added"]),
            ("infra", &["--changed=HEAD~1", "--new-only"]),
        ] {
            let ended = found(&it, folder, arguments);
            assert_eq!((ended.code, ended.stderr.as_str()), (1, ""), "{folder} {arguments:?} {config}: {ended:?}");
            assert!(ended.stdout.contains("main.json:11:"), "{ended:?}");
        }
        let shown = it.run_in("infra", &["--show-files", "--changed=HEAD~1"]);
        assert_eq!((shown.stdout.as_str(), shown.code), ("main.json: changed\n", 0), "{shown:?}");
        it.put(&[("infra/main.json", &format!("{}\n", site("false")))]).git(&["add", "--all", "--force"]);
        assert_eq!(found(&it, "infra", &["--staged"]).code, 1);
        let mut doctor = it.command(env!("CARGO_BIN_EXE_formwork"), "infra");
        let doctor = doctor.args(["doctor", "--format=json"]).output().unwrap();
        let doctor: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
        assert_eq!(doctor["git"]["repository"], it.root.to_str().unwrap());
        assert!(!ran.exists(), "{config}");
    }
}

#[test]
fn a_variable_of_git_does_not_choose_another_repository() {
    let it = embedding("[core]\n\tbare = true\n");
    let other = Repository::with(&[("a", "")]);
    let git = other.root.join(".git");
    let (git, tree) = (git.to_str().unwrap(), other.root.to_str().unwrap());
    for (name, value) in
        [("GIT_DIR", git), ("GIT_WORK_TREE", tree), ("GIT_COMMON_DIR", git), ("GIT_OBJECT_DIRECTORY", "/nowhere")]
    {
        let shown = it.run_with("infra", &["--show-files", "--changed=HEAD~1"], &[(name, value)]);
        assert_eq!((shown.stdout.as_str(), shown.code), ("main.json: changed\n", 0), "{name}: {shown:?}");
    }
}

/// As for `git commit main.json`, whose hook sees what will be committed in an index of its own.
#[test]
fn the_index_of_a_hook_is_the_one_that_is_staged() {
    let it = Repository::with(&[("a.json", &site("true")), ("b.json", &site("true"))]);
    it.put(&[("a.json", &site("false")), ("b.json", &site("false"))]);
    let mut add = it.command("git", "");
    let status = add.env("GIT_INDEX_FILE", ".git/next").args(["add", "a.json"]).status().unwrap();
    assert!(status.success());
    let shown = it.run_with("", &["--show-files", "--staged"], &[("GIT_INDEX_FILE", ".git/next")]);
    assert!(shown.stdout.starts_with("a.json: changed\n"), "{shown:?}");
}

#[test]
fn a_worktree_is_a_repository_and_so_is_a_submodule() {
    let it = Repository::with(&[("a.json", &site("true"))]);
    let other = tempfile::tempdir().unwrap();
    let tree = other.path().join("tree");
    it.git(&["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    fs::write(tree.join("a.json"), site("false")).unwrap();
    let shown = |folder: &Path, arguments: &[&str]| {
        let arguments = [&["check", "--show-files"], arguments].concat();
        let output = it.command(env!("CARGO_BIN_EXE_formwork"), "").args(arguments).current_dir(folder).output();
        let output = output.unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(shown(&tree, &["--changed"]), ("a.json: changed\n".to_owned(), String::new()));
    let outer = Repository::with(&[("b.json", &site("true"))]);
    let first = outer.git(&["rev-parse", "HEAD"]);
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", it.root.to_str().unwrap(), "infra"]);
    outer.commit();
    let infra = outer.root.join("infra");
    fs::write(infra.join("a.json"), site("null")).unwrap();
    assert_eq!(shown(&infra, &["--changed=HEAD"]), ("a.json: changed\n".to_owned(), String::new()));
    // The event of a workflow is about the outer one: a change can make any folder a submodule.
    let event = outer.root.join(".git/event.json");
    let payload = serde_json::json!({
        "ref": "refs/heads/main", "before": first, "after": outer.git(&["rev-parse", "HEAD"]), "forced": false,
        "created": false, "repository": {"full_name": "owner/infra", "default_branch": "main"},
    });
    fs::write(&event, payload.to_string()).unwrap();
    let variables =
        [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "push"), ("GITHUB_EVENT_PATH", event.to_str().unwrap())];
    let ended = outer.run_with("infra", &["--show-files", "--changed=auto"], &variables);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("a.json: changed\n", ""), "{ended:?}");
}

/// A program that leaves a mark, and then does what the real one does.
fn plant(it: &Repository, name: &str, real: &Path) {
    let path = it.root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!("#!/bin/sh\ntouch '{}'\nexec '{}' \"$@\"\n", it.root.join("ran").display(), real.display());
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn programs_of_the_repository_are_not_run() {
    let it =
        Repository::with(&[("a.json", &site("true")), ("rules.json", RULE), ("main.bicep", "output one int = 1\n")]);
    it.put(&[("a.json", &site("false"))]);
    let folders = std::env::split_paths(&search_path()).collect::<Vec<_>>();
    let git = folders.iter().map(|folder| folder.join("git")).find(|file| file.exists()).unwrap();
    plant(&it, "git", &git);
    plant(&it, "tools/git", &git);
    plant(&it, "bicep", &standin());
    plant(&it, "tools/bicep", &standin());
    let tools = it.root.join("tools").display().to_string();
    for before in [".", "", "tools", &tools, &format!("{tools}/../tools")] {
        let path = format!("{before}:{}", search_path());
        let ended = it.run_with("", &["--changed", "--show-files", "a.json"], &[("PATH", &path)]);
        assert_eq!((ended.stdout.as_str(), ended.code), ("a.json: changed\n", 0), "{before}: {ended:?}");
        let compiler = |compiler: &str| {
            let bicep = format!("--bicep={compiler}");
            it.run_with("", &["--no-cache", &bicep, "main.bicep"], &[("PATH", &path)])
        };
        assert_eq!(compiler("auto").code, 0, "the built-in compiler builds the file");
        let ended = compiler("cli");
        assert!(ended.stdout.contains("there is no") && ended.stdout.contains("`bicep`"), "{before}: {ended:?}");
        assert!(!it.root.join("ran").exists(), "{before}");
    }
    let ended = it.run_with("", &["--changed"], &[("PATH", &tools)]);
    let why = format!("`{tools}/git` is in the repository and is not run, and there is no other `git` on the `PATH`");
    assert!(ended.code == 2 && ended.stderr.contains(&why), "{ended:?}");
    let own = it.root.join("tools/bicep");
    let named = [("PATH", search_path()), ("PSRULE_AZURE_BICEP_PATH", own.display().to_string())];
    let named: Vec<(&str, &str)> = named.iter().map(|(name, value)| (*name, value.as_str())).collect();
    it.run_with("", &["--no-cache", "main.bicep"], &named);
    assert!(it.root.join("ran").exists(), "who names a program gets it");
}
