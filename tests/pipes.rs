//! Pipes and devices in the place of files: a run ends, whoever put them there, and still uses what a shell substitutes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Ended, Folder, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// A folder with a template in which the rule finds something.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("rules.json", RULE).write("a.json", site());
    folder
}

fn site() -> String {
    template(
        r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "a", "properties": {"httpsOnly": false}}]"#,
    )
}

fn make_pipe(folder: &Folder, name: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Starts the program, by a shell that knows it as `$F`.
fn start(folder: &Path, script: &str) -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin");
    shell.env("F", env!("CARGO_BIN_EXE_formwork"));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// How it ended. It must, within a minute.
#[track_caller]
fn end(mut child: Child) -> Ended {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_mins(1) {
            let _ = child.kill();
            panic!("the program does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

const CHECK: &str = "$F check --no-builtin-rules --rules rules.json --format concise --no-cache";

#[track_caller]
fn run(folder: &Folder, script: &str) -> Ended {
    end(start(folder.path(), &format!("{CHECK} {script}")))
}

#[test]
fn a_walk_passes_them_by() {
    let folder = folder();
    for name in ["x.json", "sub/main.bicep", "sub/a.parameters.json", "loaded.txt", "module.bicep", "bicepconfig.json"]
    {
        make_pipe(&folder, name);
    }
    folder.write("loads.bicep", "output o string = loadTextContent('loaded.txt')\n");
    folder.write("uses.bicep", "module m 'module.bicep' = {\n  name: 'm'\n}\n");
    let ended = run(&folder, "--bicep builtin .");
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("a.json:4:") && ended.stdout.contains("[T-1]"), "{ended:?}");
    assert_eq!(ended.stdout.matches("found a pipe, a socket, or a device").count(), 2, "{ended:?}");
}

#[test]
fn a_folder_of_rules_has_none_of_them() {
    let folder = folder();
    make_pipe(&folder, "own/pipe.json");
    folder.write("own/rule.json", RULE);
    let ended = end(start(folder.path(), "$F check --no-builtin-rules --rules own --format concise a.json"));
    assert_eq!((ended.code, ended.stdout.matches("[T-1]").count()), (1, 1), "{ended:?}");
}

/// Whoever reads ignore files opens them like any other file.
#[test]
fn one_as_an_ignore_file_costs_its_folder() {
    let folder = folder();
    make_pipe(&folder, "sub/.gitignore");
    folder.write("sub/b.json", site());
    let ended = run(&folder, ".");
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("sub/.gitignore:1:1: error[file/unreadable] expected an ignore file"), "{ended:?}");
    assert!(ended.stdout.contains("a.json:4:") && !ended.stdout.contains("sub/b.json"), "{ended:?}");
    let ended = run(&folder, "sub");
    assert!(ended.stdout.contains("ignore files do not count") && ended.stdout.contains("sub/b.json:4:"), "{ended:?}");
    assert_eq!(end(start(folder.path(), "$F init --dry-run")).code, 0);
}

#[test]
fn one_that_is_named_is_given_up_if_nobody_writes() {
    let folder = folder();
    make_pipe(&folder, "pipe.json");
    std::os::unix::fs::symlink("pipe.json", folder.path().join("link.json")).unwrap();
    let scripts = [
        (3, format!("{CHECK} pipe.json a.json")),
        (3, format!("{CHECK} link.json a.json")),
        (3, format!("{CHECK} a.json --parameters pipe.json")),
        (2, format!("{CHECK} a.json --config pipe.json")),
        (2, format!("{CHECK} a.json --rules pipe.json")),
        (2, format!("{CHECK} a.json --baseline pipe.json")),
        (2, format!("{CHECK} a.json --write-baseline pipe.json")),
        (3, "$F merge pipe.json".to_owned()),
        (2, "$F rules lint pipe.json".to_owned()),
    ];
    let started: Vec<Child> = scripts.iter().map(|(_, script)| start(folder.path(), script)).collect();
    for ((code, script), child) in scripts.iter().zip(started) {
        let ended = end(child);
        assert_eq!(ended.code, *code, "{script}: {ended:?}");
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("no program writes to this pipe"), "{script}: {ended:?}");
        assert_eq!(ended.stdout.contains("a.json:4:"), *code == 3 && script.contains("a.json"), "{script}: {ended:?}");
    }
}

#[test]
fn one_that_is_named_is_read() {
    let folder = folder();
    make_pipe(&folder, "pipe.json");
    for script in ["pipe.json", "a.json --config pipe.json"] {
        let text = if script == "pipe.json" { "a.json" } else { "settings.json" };
        folder.write("settings.json", r#"{"min-severity": "high"}"#);
        let ended = end(start(folder.path(), &format!("cat {text} >pipe.json & {CHECK} {script}")));
        assert_eq!(ended.code, i32::from(script == "pipe.json"), "{ended:?}");
    }
    let ended = end(start(folder.path(), &format!("cat a.json | {CHECK} /dev/stdin")));
    assert!(ended.code == 1 && ended.stdout.contains("/dev/stdin:4:"), "{ended:?}");
}

#[test]
fn devices_end_too() {
    let folder = folder();
    for (device, message) in [("/dev/zero", "file/too-large"), ("/dev/null", "the text is empty")] {
        let ended = run(&folder, &format!("{device} a.json"));
        assert_eq!(ended.code, 3, "{ended:?}");
        assert!(ended.stdout.contains(message) && ended.stdout.contains("a.json:4:"), "{ended:?}");
    }
    assert_eq!(run(&folder, "a.json --config /dev/null").code, 1, "no settings");
}

#[test]
fn reports_go_into_them() {
    let folder = folder();
    make_pipe(&folder, "pipe");
    let ended =
        end(start(folder.path(), &format!("cat pipe >copy & {CHECK} a.json --output json=pipe; c=$?; wait; exit $c")));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(std::fs::read_to_string(folder.path().join("copy")).unwrap().contains("formwork/report/v1"));
    let ended = run(&folder, "a.json --output json=/dev/stdout");
    assert!(ended.code == 1 && ended.stdout.contains("formwork/report/v1"), "{ended:?}");
    let ended = run(&folder, "a.json --output json=pipe");
    assert!(ended.stderr.contains("cannot write `pipe`: no program reads from this pipe"), "{ended:?}");
    assert!(ended.code == 2 && ended.stdout.contains("[T-1]"), "{ended:?}");
}
