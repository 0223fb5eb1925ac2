//! Files that cannot be written: what was there stays whole, nothing is left beside it, and nothing that was found is lost.

use std::fs;
use std::process::{Command, Stdio};

use crate::harness::{Ended, Folder, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// The reports and the baseline that exist before.
const OLD: [&str; 3] = ["old.json", "old.sarif", "baseline.json"];

const BASELINE: &str = "{\"schema\": \"formwork/baseline/v1\", \"findings\": []}\n";

fn folder() -> Folder {
    let folder = Folder::new();
    let site = r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "a",
    "properties": {
      "httpsOnly": false
    }}]"#;
    folder.write("in/rules.json", RULE).write("in/a.json", template(site));
    for name in OLD {
        folder.write(&format!("out/{name}"), BASELINE);
    }
    folder
}

/// Runs a script that knows the program as `$F`.
fn run(folder: &Folder, script: &str) -> Ended {
    let output = Command::new("sh")
        .args(["-c", script])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("F", env!("CARGO_BIN_EXE_formwork"))
        .env("R", "--no-builtin-rules --rules in/rules.json --format concise")
        .env("C", "check in/a.json --no-builtin-rules --rules in/rules.json --format concise")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ended {
        code: output.status.code().expect("no signal ends the program"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What is in a folder.
fn names(folder: &Folder, below: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path().join(below)).unwrap();
    let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The old files are as they were, and there are no others.
#[track_caller]
fn assert_unchanged(folder: &Folder) {
    assert_eq!(names(folder, "out"), ["baseline.json", "old.json", "old.sarif"]);
    for name in OLD {
        assert_eq!(fs::read_to_string(folder.path().join("out").join(name)).unwrap(), BASELINE, "{name}");
    }
}

/// With this limit, a write into any file fails; the output is a pipe.
const NO_FILES: &str = "ulimit -f 0;";

#[test]
fn reports_leave_the_old_ones() {
    let folder = folder();
    let ended = run(&folder, &format!("{NO_FILES} $F $C --output json=out/old.json --output sarif=out/old.sarif"));
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains("in/a.json:6:") && ended.stdout.contains("[T-1]"), "{ended:?}");
    for name in ["json", "sarif"] {
        assert!(
            ended.stderr.contains(&format!("error: cannot write `out/old.{name}`: it would be larger than")),
            "{ended:?}"
        );
    }
    assert_unchanged(&folder);
}

#[test]
fn a_baseline_leaves_the_old_one() {
    let folder = folder();
    let ended = run(&folder, &format!("{NO_FILES} $F $C --write-baseline out/baseline.json"));
    assert_eq!((ended.code, ended.stdout.matches("[T-1]").count()), (2, 1), "{ended:?}");
    assert!(ended.stderr.contains("baseline.json`: it would be larger than"), "{ended:?}");
    assert_unchanged(&folder);
}

#[test]
fn a_fix_leaves_the_template() {
    let folder = folder();
    let before = fs::read_to_string(folder.path().join("in/a.json")).unwrap();
    let ended = run(&folder, &format!("{NO_FILES} $F $C --fix --unsafe-fixes"));
    assert_eq!((ended.code, ended.stdout.matches("[T-1]").count()), (1, 1), "{ended:?}");
    assert!(ended.stderr.contains("warning: `in/a.json` is left unchanged: "), "{ended:?}");
    assert_eq!(fs::read_to_string(folder.path().join("in/a.json")).unwrap(), before);
    assert_eq!(names(&folder, "in"), ["a.json", "rules.json"]);
}

#[test]
fn new_files_are_not_half_there() {
    let folder = folder();
    let ended = run(&folder, &format!("{NO_FILES} cd out; $F init ."));
    assert!(ended.code == 2 && ended.stderr.contains("formwork.yaml`: it would be larger than"), "{ended:?}");
    let new = "$F rules new X-1 Some.Rule --type Microsoft.Web/sites --path properties.httpsOnly --value true";
    let ended = run(&folder, &format!("{NO_FILES} cd out; {new} --dir . --tests ."));
    assert!(ended.code == 2 && ended.stderr.contains("it would be larger than"), "{ended:?}");
    let _ = fs::remove_dir(folder.path().join("out/X-1"));
    assert_unchanged(&folder);
}

#[test]
fn one_report_does_not_cost_the_others() {
    let folder = folder();
    let ended =
        run(&folder, "$F $C --output json=gone/new.json --output sarif=out/old.sarif --write-baseline gone/b.json");
    assert_eq!((ended.code, ended.stdout.matches("[T-1]").count()), (2, 1), "{ended:?}");
    for name in ["new", "b"] {
        assert!(
            ended.stderr.contains(&format!("gone/{name}.json`: there is no such folder; create it first")),
            "{ended:?}"
        );
    }
    assert!(fs::read_to_string(folder.path().join("out/old.sarif")).unwrap().contains("T-1"));
}

#[test]
fn standard_output_does_not_cost_the_files() {
    let folder = folder();
    let ended = run(&folder, "$F $C --output json=out/old.json >/dev/full");
    assert_eq!(ended.code, 2);
    assert_eq!(
        ended.stderr,
        "error: cannot use the standard streams: no space is left there; free some, or write to another place\n"
    );
    assert!(fs::read_to_string(folder.path().join("out/old.json")).unwrap().contains("T-1"));
    assert_eq!(run(&folder, "$F --help >/dev/full").code, 2);
}

#[test]
fn closed_streams_do_not_change_the_result() {
    let folder = folder();
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        assert_eq!(run(&folder, &format!("$F $C --output json=out/old.json {closed}")).code, 1, "{closed}");
        assert!(fs::read_to_string(folder.path().join("out/old.json")).unwrap().starts_with('{'), "{closed}");
    }
    let piped = run(&folder, "{ $F $C; echo $? >code; } | head -c 1; cat code");
    assert_eq!(piped.stdout, "i1\n", "a closed pipe changes nothing: {piped:?}");
}

#[test]
fn a_current_folder_that_is_gone_is_told() {
    let folder = folder();
    let ended = run(&folder, "mkdir gone && cd gone && rmdir ../gone && $F check .");
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("the current folder was removed"), "{ended:?}");
}

#[test]
fn temporary_files_are_not_needed() {
    let folder = folder();
    for variables in ["TMPDIR=/nonexistent", "TMPDIR=/proc HOME=/nonexistent", "HOME= XDG_CACHE_HOME=/dev/null"] {
        assert_eq!(run(&folder, &format!("{variables} $F $C")).code, 1, "{variables}");
    }
}

/// A disk that is full, in a namespace of its own. Only root can make one.
#[test]
fn a_full_disk_leaves_what_is_on_it() {
    let folder = folder();
    let full = "mount -t tmpfs -o size=64k none disk && cp out/* in/a.json disk && (dd if=/dev/zero of=disk/fill 2>/dev/null || true)";
    let script = format!(
        "mkdir disk && unshare -m sh -c '{full} && {{ $F check disk/a.json $R --fix --unsafe-fixes --output json=disk/old.json --output sarif=disk/old.sarif --write-baseline disk/baseline.json; echo code $?; ls -A disk; cat disk/baseline.json; cmp disk/a.json in/a.json; cmp disk/old.json out/old.json; cmp disk/old.sarif out/old.sarif; }}'"
    );
    let can = Command::new("unshare").args(["-m", "true"]).status().is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: nothing can be mounted here, which needs root");
        return;
    }
    let ended = run(&folder, &script);
    let expected = format!("code 2\na.json\nbaseline.json\nfill\nold.json\nold.sarif\n{BASELINE}");
    assert!(ended.stdout.ends_with(&expected) && ended.stdout.contains("disk/a.json:6:"), "{ended:?}");
    assert_eq!(
        ended.stderr.matches("no space is left there; free some, or write to another place").count(),
        4,
        "{ended:?}"
    );
}
