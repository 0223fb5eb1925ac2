//! A signal ends a run at once, with all that it started, and nothing stays behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Folder, template};

/// A Bicep CLI that hangs, does not care about signals, and has a child that keeps its output open.
const HUNG: &str = r#"#!/bin/sh
case "$*" in *version*) echo 'Bicep CLI version 0.46.1 (0123456789)'; exit;; esac
trap '' TERM INT HUP
(trap '' TERM INT HUP; while :; do sleep 60; done) &
echo $! $$ >>"$PIDS"
while :; do sleep 60; done
"#;

/// A folder with a Bicep file that is never built. The program gets `tmp` for temporary files.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("main.bicep", "param a string\n").write("bicep", HUNG).write("tmp/.keep", "");
    fs::set_permissions(folder.path().join("bicep"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn start(folder: &Folder, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(arguments)
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("PSRULE_AZURE_BICEP_PATH", folder.path().join("bicep"))
        .env("FORMWORK_BICEP_ENV", "PIDS")
        .env("PIDS", folder.path().join("pids"))
        .env("TMPDIR", folder.path().join("tmp"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[track_caller]
fn wait_for<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(started.elapsed() < Duration::from_mins(1), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(signal: &str, process: u32) {
    assert!(Command::new("kill").args(["-s", signal, &process.to_string()]).status().unwrap().success());
}

/// The processes of the hung CLI.
fn pids(folder: &Folder) -> Option<Vec<String>> {
    let text = fs::read_to_string(folder.path().join("pids")).ok().filter(|text| text.ends_with('\n'))?;
    Some(text.split_whitespace().map(str::to_owned).collect())
}

/// Whether this process was started with a signal ignored, as a shell starts what runs in the background. Then its children
/// ignore the signal, too.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1
}

fn is_running(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn left(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter(|name| name.contains("formwork-")).collect()
}

/// Sends a signal while the CLI hangs, and returns how the program ended. Nothing of it may run on.
#[track_caller]
fn ended_by(signal: &str, arguments: &[&str]) -> ExitStatus {
    let folder = folder();
    let mut child = start(&folder, arguments);
    let pids = wait_for("CLI", || pids(&folder));
    kill(signal, child.id());
    let status = wait_for("end", || child.try_wait().unwrap());
    for pid in &pids {
        wait_for("end of the CLI", || (!is_running(pid)).then_some(()));
    }
    wait_for("removal", || left(&folder.path().join("tmp")).is_empty().then_some(()));
    status
}

#[test]
fn a_hung_bicep_cli_ends_with_the_run() {
    let signals = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];
    for (signal, number) in signals.into_iter().filter(|(_, number)| !is_ignored(*number)) {
        assert_eq!(ended_by(signal, &["check", ".", "--bicep", "cli", "--no-cache"]).signal(), Some(number));
    }
    let alone = ["expand", "main.bicep", "--bicep", "cli", "--no-cache"];
    assert_eq!(ended_by("TERM", &alone).signal(), Some(15));
}

/// As a program that `nohup` started.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = folder();
    let script = "trap '' HUP; exec \"$F\" check . --bicep cli --no-cache";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder.path()).stdin(Stdio::null());
    shell.env("F", env!("CARGO_BIN_EXE_formwork")).env("PSRULE_AZURE_BICEP_PATH", folder.path().join("bicep"));
    shell.env("FORMWORK_BICEP_ENV", "PIDS").env("PIDS", folder.path().join("pids"));
    let mut child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("CLI", || pids(&folder));
    kill("HUP", child.id());
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "still running");
    kill("TERM", child.id());
    assert_eq!(wait_for("end", || child.try_wait().unwrap()).signal(), Some(15));
}

/// Whether a process that has not ended works in the folder.
fn is_in_use(folder: &Path) -> bool {
    let folder = fs::canonicalize(folder).unwrap();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes.map(|process| process.path().join("cwd")).any(|link| fs::read_link(link).is_ok_and(|cwd| cwd == folder))
}

/// Whenever a run is killed, a file is the old one or the new one, and nothing runs on. What the kernel kills cannot clean
/// up, but its worker can.
#[test]
fn a_file_is_whole_whenever_the_run_is_killed() {
    let folder = Folder::new();
    let site = r#"{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "NAME", "properties": {"httpsOnly": false}}"#;
    let sites: Vec<String> = (0..40).map(|at| site.replace("NAME", &format!("site{at}"))).collect();
    let before = template(&format!(r#""resources": [{}]"#, sites.join(",\n")));
    let names = ["a.json", "report.json", "report.sarif", "accepted.json"];
    let arguments = ["check", "a.json", "--fix", "--quiet", "--no-cache", "--write-baseline", "accepted.json"];
    let reports = ["--output", "json=report.json", "--output", "sarif=report.sarif"];
    for at in 0..30_u64 {
        folder.write("a.json", &before).write("tmp/.keep", "");
        let mut child = start(&folder, &[&arguments[..], &reports].concat());
        std::thread::sleep(Duration::from_millis(at * 17));
        let signal = ["KILL", "TERM", "INT"][usize::try_from(at % 3).unwrap()];
        // It may have ended by now.
        let _ = Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().unwrap();
        if signal == "KILL" {
            wait_for("end of the worker", || (!is_in_use(folder.path())).then_some(()));
            // It may have been killed before there was a worker.
            fs::remove_dir_all(folder.path().join("tmp")).unwrap();
        } else {
            assert!(!is_in_use(folder.path()), "after {at}");
            assert_eq!(left(&folder.path().join("tmp")), [""; 0], "after {at}");
        }
        for name in names {
            let Ok(text) = fs::read_to_string(folder.path().join(name)) else { continue };
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{name} after {at}: {text}");
        }
        assert_eq!(left(folder.path()), [""; 0], "after {at}");
    }
}
