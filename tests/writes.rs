//! Paths that a run writes to. A pull request commits links there, and must not choose what is overwritten.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::action::job::Job;
use crate::harness::{Ended, Folder, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "fix": {"path": "properties.httpsOnly", "value": true},
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// What is in each file that a link leads to.
const OLD: &str = "old";

/// The links of the checkout, what they are links to, and the path of a report that would be written through them.
const ATTACKS: [(&str, &str, &str); 9] = [
    ("out.json", "scripts/publish.sh", "out.json"),
    ("out.json", "../home/profile", "out.json"),
    ("out.json", "../home/gone", "out.json"),
    ("out.json", ".git/hooks/pre-commit", "out.json"),
    ("out.json", ".git/config", "./out.json"),
    ("out", "../home", "out/profile"),
    ("out", ".git/hooks", "out/pre-commit"),
    ("out", "scripts", "in/../out/publish.sh"),
    ("out", "../home", "out/new/profile"),
];

/// A repository with a template that has a finding, and a home folder beside it.
fn repository() -> Folder {
    let folder = Folder::new();
    let site = r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "a", "properties": {
      "httpsOnly": false
    }}]"#;
    folder.write("work/in/a.json", template(site)).write("work/in/rules.jsonc", RULE);
    for name in ["work/scripts/publish.sh", "work/.git/config", "work/.git/hooks/pre-commit", "home/profile"] {
        folder.write(name, OLD);
    }
    folder
}

fn run(folder: &Folder, arguments: &[&str]) -> Ended {
    let program = env!("CARGO_BIN_EXE_formwork");
    let home = folder.path().join("home");
    let output = std::process::Command::new(program)
        .args(arguments)
        .current_dir(folder.path().join("work"))
        .env_clear()
        .env("HOME", home)
        .output()
        .unwrap();
    Ended {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn check(folder: &Folder, more: &[&str]) -> Ended {
    let all = ["check", "in/a.json", "--no-builtin-rules", "--rules", "in/rules.jsonc", "--format", "concise"];
    run(folder, &[&all[..], more].concat())
}

/// All that lies where links lead is as it was.
#[track_caller]
fn assert_untouched(folder: &Folder, what: &str) {
    for name in ["work/scripts/publish.sh", "work/.git/config", "work/.git/hooks/pre-commit", "home/profile"] {
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), OLD, "{what}: {name}");
    }
    let count = |name: &str| fs::read_dir(folder.path().join(name)).unwrap().count();
    let counts = ["work/scripts", "work/.git", "work/.git/hooks", "home"].map(count);
    assert_eq!(counts, [1, 2, 1, 1], "{what}");
}

#[test]
fn no_link_of_a_checkout_is_followed() {
    for (link, target, path) in ATTACKS {
        for is_absolute in [false, true] {
            let folder = repository();
            let work = folder.path().join("work");
            symlink(target, work.join(link)).unwrap();
            let path = if is_absolute { work.join(path).display().to_string() } else { path.to_owned() };
            let outputs = [
                vec!["--output".to_owned(), format!("json={path}")],
                vec!["--output".to_owned(), format!("sarif={path}")],
                vec!["--write-baseline".to_owned(), path.clone()],
            ];
            for output in outputs {
                let output: Vec<&str> = output.iter().map(String::as_str).collect();
                let ended = check(&folder, &output);
                let what = format!("{output:?} through {link} -> {target}: {ended:?}");
                assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{what}");
                assert!(ended.stderr.contains(&format!("`{link}` is a link")), "{what}");
                assert_untouched(&folder, &what);
                assert!(work.join(link).is_symlink(), "{what}");
            }
        }
    }
}

#[test]
fn other_commands_follow_none_either() {
    let folder = repository();
    let work = folder.path().join("work");
    symlink("../home", work.join("out")).unwrap();
    let new = [
        "rules",
        "new",
        "X-1",
        "Some.Rule",
        "--type",
        "Microsoft.Web/sites",
        "--path",
        "properties.httpsOnly",
        "--value",
        "true",
    ];
    assert_eq!(check(&folder, &["--output", "json=report.json"]).code, 1);
    for arguments in [
        &["merge", "report.json", "--output", "json=out/profile"][..],
        &[&new[..], &["--dir", "out", "--tests", "t"]].concat(),
        &[&new[..], &["--dir", "d", "--tests", "out/t"]].concat(),
        &["init", "out"],
        &["check", "in/a.json", "--cache-dir", "out/cache"],
        &["expand", "in/a.json", "--cache-dir", "out"],
    ] {
        let ended = run(&folder, arguments);
        assert_eq!((ended.code, ended.stdout.lines().count() < 2), (2, true), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains("`out` is a link"), "{arguments:?}: {ended:?}");
        assert_untouched(&folder, &format!("{arguments:?}"));
    }
}

/// A change could fill such a cache with modules and builds of its own.
#[test]
fn a_cache_in_the_checkout_is_refused() {
    let folder = repository();
    let checkout = folder.path().join("work");
    let absolute = checkout.join("cache").display().to_string();
    for cache in ["cache", "in/../cache", "./in", &absolute] {
        let ended = run(&folder, &["check", "in/a.json", "--cache-dir", cache]);
        assert_eq!(ended.code, 2, "{cache}: {ended:?}");
        assert!(ended.stderr.contains("the folder is in the checkout"), "{cache}: {ended:?}");
    }
    assert!(!checkout.join("cache").exists());
    assert_eq!(run(&folder, &["check", "in/a.json", "--cache-dir", "../cache"]).code, 1);
}

/// The built-in compiler takes no module of a cache that the checkout has.
#[test]
fn a_cache_of_the_environment_in_the_checkout_is_not_used() {
    let folder = repository();
    let module = template(r#""resources": []"#);
    let path = "formwork/modules/br/mcr.microsoft.com/bicep$a/1.0.0$/main.json";
    folder.write(&format!("work/cache/{path}"), &module).write(&format!("cache/{path}"), &module);
    folder.write("work/main.bicep", "module m 'br/public:a:1.0.0' = {}\n");
    let build = |cache: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
        command
            .args(["build", "main.bicep", "--bicep", "builtin", "--offline"])
            .current_dir(folder.path().join("work"));
        command.env_clear().env("XDG_CACHE_HOME", folder.path().join(cache)).output().unwrap().status.code()
    };
    assert_eq!((build("work/cache"), build("cache")), (Some(3), Some(0)));
}

#[test]
fn nothing_is_written_into_the_folder_of_git() {
    let folder = repository();
    for path in [".git/config", ".git/hooks/pre-commit", ".GIT/new.json", "in/../.git/new.json", ".git/new/x.json"] {
        let ended = check(&folder, &["--output", &format!("json={path}")]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{path}: {ended:?}");
        assert!(ended.stderr.contains("git keeps its own files there"), "{path}: {ended:?}");
        assert_untouched(&folder, path);
    }
}

#[test]
fn a_fix_changes_no_file_through_a_link() {
    let folder = repository();
    let work = folder.path().join("work");
    fs::rename(work.join("in"), work.join("scripts/in")).unwrap();
    symlink("scripts/in", work.join("in")).unwrap();
    let before = fs::read_to_string(work.join("scripts/in/a.json")).unwrap();
    let ended = check(&folder, &["--fix", "--unsafe-fixes"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let real = work.canonicalize().unwrap().join("scripts/in/a.json");
    let said = format!(
        "`in` is a link, and a change may have chosen where it leads; to write there, name `{}`",
        real.display()
    );
    assert!(ended.stderr.contains(&said), "{ended:?}");
    assert_eq!(fs::read_to_string(&real).unwrap(), before);
}

#[test]
fn the_action_writes_its_report_through_no_link() {
    for (link, target, path) in [
        ("out.sarif", "../action/.github/action/publish.sh", "out.sarif"),
        ("out.sarif", ".git/hooks/pre-commit", "out.sarif"),
        ("out", "../action/.github/action", "out/publish.sh"),
        ("out", "../temp", "out/new/x.sarif"),
    ] {
        let job = Job::new();
        job.write("workspace/main.json", template(r#""resources": []"#));
        fs::create_dir_all(job.path("workspace/.git/hooks")).unwrap();
        symlink(target, job.path("workspace").join(link)).unwrap();
        let script = fs::read(job.path("action/.github/action/publish.sh")).unwrap();
        let ended = job.input("sarif-file", path).input("diff-base", "none").run();
        assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (2, "2"), "{path}: {ended:?}");
        assert!(ended.log.contains(&format!("`{link}` is a link")), "{path}: {ended:?}");
        assert_eq!(fs::read(job.path("action/.github/action/publish.sh")).unwrap(), script, "{path}");
        assert!(!job.path("workspace/.git/hooks/pre-commit").exists() && !job.path("temp/new").exists(), "{path}");
    }
}

/// What users do, and what must go on working.
#[test]
fn links_of_the_user_and_streams_are_written_to() {
    let folder = repository();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).unwrap();
    symlink("real", at("tmp")).unwrap();
    symlink("work", at("also")).unwrap();
    for (path, file) in
        [("tmp/a.json", "real/a.json"), ("also/a.json", "work/a.json"), ("also/in/b.json", "work/in/b.json")]
    {
        let ended = check(&folder, &["--output", &format!("json={}", at(path).display())]);
        assert_eq!(ended.code, 1, "{path}: {ended:?}");
        assert!(fs::read_to_string(at(file)).unwrap().contains("T-1"), "{path}");
        assert!(at("tmp").is_symlink() && at("also").is_symlink());
    }
    if Path::new("/dev/stdout").exists() {
        let ended = check(&folder, &["--quiet", "--output", "json=/dev/stdout"]);
        assert!(ended.code == 1 && ended.stdout.contains("\"schema\""), "{ended:?}");
    }
}
