//! A file on which formwork fails costs nothing but its own results.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::changes::Repository;
use crate::harness::{Folder, template};

/// Takes longer than the test needs to find and end the process.
fn slow() -> String {
    let inner = "lambda('j', add(lambdaVariables('i'), lambdaVariables('j')))";
    let value = format!("[length(string(map(range(0, 3000), lambda('i', map(range(0, 3000), {inner})))))]");
    template(&format!(r#""resources": [], "outputs": {{"o": {{"type": "int", "value": "{value}"}}}}"#))
}

/// The processes that a process started.
fn children(of: u32) -> Vec<String> {
    let list = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    list.split_whitespace().map(str::to_owned).collect()
}

/// Whether a worker is expanding a file whose name begins like this.
fn is_in_work(journals: &Path, name: &str) -> bool {
    let folders = std::fs::read_dir(journals).unwrap().filter_map(Result::ok);
    let mut notes = folders.filter_map(|folder| std::fs::read_to_string(folder.path().join("notes")).ok());
    let count = |text: &str, mark: &str| text.matches(&format!("{mark}[\"expand\",\"{name}")).count();
    notes.any(|text| count(&text, "+") > count(&text, "-"))
}

/// The end of a check in which a signal ends each worker on a file `slow….json`. Nothing in formwork is known to crash, so this ends
/// the worker as the kernel would: while it works on that file. Nothing may stay among the temporary files.
#[track_caller]
fn crashing(folder: &Path, signal: &str, arguments: &[&str]) -> Output {
    crashing_on(folder, signal, arguments, Stdio::null())
}

/// The same with something on standard input.
#[track_caller]
fn crashing_on(folder: &Path, signal: &str, arguments: &[&str], stdin: Stdio) -> Output {
    let temporary = Folder::new();
    let mut supervisor = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .arg("check")
        .args(arguments)
        .current_dir(folder)
        .stdin(stdin)
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let mut crashes = 0;
    while supervisor.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_mins(4), "the check does not end");
        // A worker that is there before the notes are read has written them, or its successor has.
        let workers = children(supervisor.id());
        if is_in_work(temporary.path(), "slow") {
            for worker in workers {
                let killed = Command::new("kill").args(["-s", signal, &worker]).stderr(Stdio::null()).status().unwrap();
                crashes += usize::from(killed.success());
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(crashes > 0);
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "all is removed");
    supervisor.wait_with_output().unwrap()
}

/// What a supervisor tells a worker that reports, and leaves these files alone.
fn orders(fatal: &str) -> String {
    format!(r#"{{"mode": "report", "fatal": {{{fatal}}}, "finished": [], "closed": []}}"#)
}

/// The files of a report in the concise format, with their places and codes.
fn found(output: &Output) -> Vec<String> {
    let lines = str::from_utf8(&output.stdout).unwrap().lines();
    lines.filter_map(|line| line.split_once("] ")).map(|(found, _)| found.to_owned()).collect()
}

#[test]
fn a_crash_costs_the_results_for_one_file() {
    let folder = Folder::new();
    let unused = template(r#""parameters": {"p": {"type": "string"}}, "resources": []"#);
    folder.write("a.json", &unused).write("slow.json", slow()).write("z.json", &unused);
    let expected = [
        "slow.json:1:1: error[internal/fault",
        "a.json:4:18: low[parameter/unused",
        "z.json:4:18: low[parameter/unused",
    ];
    for (signal, message) in [("SEGV", "which is a defect of formwork"), ("KILL", "ended formwork with SIGKILL")] {
        let ended = crashing(folder.path(), signal, &[".", "--format", "concise", "--min-severity", "low"]);
        assert_eq!((found(&ended), ended.status.code()), (expected.map(str::to_owned).to_vec(), Some(3)), "{ended:?}");
        assert!(str::from_utf8(&ended.stdout).unwrap().contains(message), "{ended:?}");
    }
}

/// More crashes than workers that may write reports. The other findings are reported. With many more files, a busy
/// machine reaches the supervisor's limit of three minutes.
#[test]
fn many_crashes_cost_no_more_than_their_files() {
    let folder = Folder::new();
    folder.write("a.json", template(r#""parameters": {"p": {"type": "string"}}, "resources": []"#));
    for at in 0..20 {
        folder.write(&format!("slow{at}.json"), slow());
    }
    let ended = crashing(folder.path(), "SEGV", &[".", "--format=concise", "--min-severity=low"]);
    let found = found(&ended);
    assert!(found.contains(&"a.json:4:18: low[parameter/unused".to_owned()), "{ended:?}");
    let faults = found.iter().filter(|line| line.ends_with("error[internal/fault")).count();
    // On a busy machine, the test may not notice that one is in work.
    assert!((19..=20).contains(&faults) && ended.status.code() == Some(3), "{ended:?}");
}

/// A crash outside of the work on files.
#[test]
fn a_worker_that_gives_up_writes_all_reports() {
    let folder = Folder::new();
    folder.write("a.json", template(r#""resources": []"#)).write("b.yaml", "Resources: {}\n");
    let orders = r#"{"mode": "giveup", "fatal": {}, "finished": [], "closed": []}"#;
    folder.write("formwork-abc/orders", orders).write("formwork-abc/notes", "");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_formwork"));
    worker.args(["check", "a.json", "b.yaml", "--format=concise", "--output=sarif=report.sarif"]);
    worker.current_dir(folder.path()).env("FORMWORK_WORKER", folder.path().join("formwork-abc"));
    let ended = worker.output().unwrap();
    assert_eq!(found(&ended), ["a.json:1:1: error[internal/fault", "b.yaml:1:1: error[internal/fault"], "{ended:?}");
    assert_eq!(ended.status.code(), Some(3));
    assert!(folder.path().join("report.sarif").exists());
}

/// A template from standard input can be read only once.
#[test]
fn a_crash_on_standard_input_is_reported() {
    let folder = Folder::new();
    folder.write("input.json", slow());
    let stdin = std::fs::File::open(folder.path().join("input.json")).unwrap();
    let arguments = ["-", "--stdin-filename=slow.json", "--format=json"];
    let ended = crashing_on(folder.path(), "SEGV", &arguments, stdin.into());
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(
        (ended.status.code(), &report["diagnostics"][0]["code"]),
        (Some(3), &"internal/fault".into()),
        "{report}"
    );
}

/// A check of what is staged makes a copy of it.
#[test]
fn a_crash_leaves_no_temporary_files() {
    let repository = Repository::with(&[]);
    repository.put(&[("slow.json", &slow())]).git(&["add", "slow.json"]);
    repository.put(&[("slow.json", "{}")]);
    let ended = crashing(&repository.root, "SEGV", &["--staged", "--format", "concise"]);
    assert_eq!((found(&ended), ended.status.code()), (vec!["slow.json:1:1: error[internal/fault".to_owned()], Some(3)));
}

/// A crash of the compiler, as a supervisor tells the next worker of it. Without the file, nothing would be left to check.
#[test]
fn a_bicep_file_on_which_the_compiler_crashed_is_reported() {
    let folder = Folder::new();
    folder.write("main.bicep", "output o string = 'x'\n");
    for (signal, message) in
        [(r#""defect""#, "which is a defect of formwork"), (r#"{"killed": "SIGKILL"}"#, "ended formwork with SIGKILL")]
    {
        let path = folder.path().canonicalize().unwrap().join("main.bicep");
        let orders = orders(&format!("{path:?}: {signal}"));
        folder.write("formwork-abc/orders", orders).write("formwork-abc/notes", "");
        let mut worker = Command::new(env!("CARGO_BIN_EXE_formwork"));
        worker.args(["check", "main.bicep", "--bicep=builtin", "--format=concise"]).current_dir(folder.path());
        let ended = worker.env("FORMWORK_WORKER", folder.path().join("formwork-abc")).output().unwrap();
        assert_eq!(found(&ended), ["main.bicep:1:1: error[internal/fault"], "{ended:?}");
        assert!(str::from_utf8(&ended.stdout).unwrap().contains(message), "{ended:?}");
        assert_eq!(ended.status.code(), Some(3));
    }
}

/// Runs a worker with a journal in the folder, as a supervisor with this ID would. Returns its exit code, and what is in the
/// folder then.
#[track_caller]
fn worked(journal: &str, supervisor: u32) -> (Option<i32>, Vec<String>) {
    let folder = Folder::new();
    folder.write("a.json", template(r#""resources": []"#));
    folder.write(&format!("{journal}/orders"), orders("")).write(&format!("{journal}/notes"), "");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_formwork"));
    worker.args(["check", "a.json", "--output", "json=report.json"]).current_dir(folder.path());
    worker.env("FORMWORK_WORKER", folder.path().join(journal)).env("FORMWORK_SUPERVISOR", supervisor.to_string());
    let code = worker.output().unwrap().status.code();
    let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = left.collect();
    left.sort();
    (code, left)
}

/// Somebody has to, if the supervisor was killed.
#[test]
fn a_worker_removes_the_journal() {
    let own = std::process::id();
    assert_eq!(worked("formwork-abc", own), (Some(0), ["a.json", "report.json"].map(str::to_owned).to_vec()));
    let (code, left) = worked("somebody's", own);
    assert!(code == Some(0) && left.contains(&"somebody's".to_owned()), "it is no folder of formwork: {left:?}");
}

/// As if the supervisor was killed before the worker began. The next run may be at work on the same files.
#[test]
fn a_worker_without_a_supervisor_does_nothing() {
    assert_eq!(worked("formwork-abc", 1 + std::process::id()), (Some(3), vec!["a.json".to_owned()]));
}

/// Ends like a program that a user or a runner stops, and does not start again.
#[test]
fn a_worker_that_is_stopped_is_not_started_again() {
    let (folder, journals) = (Folder::new(), Folder::new());
    folder.write("slow.json", slow());
    let program = env!("CARGO_BIN_EXE_formwork");
    let mut supervisor = Command::new(program)
        .args(["check", "."])
        .current_dir(folder.path())
        .env("TMPDIR", journals.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !is_in_work(journals.path(), "slow.json") {
        assert!(started.elapsed() < Duration::from_mins(1), "the check does not begin");
        std::thread::sleep(Duration::from_millis(2));
    }
    for worker in children(supervisor.id()) {
        Command::new("kill").args(["-s", "TERM", &worker]).status().unwrap();
    }
    assert_eq!(supervisor.wait().unwrap().code(), Some(128 + 15));
}
