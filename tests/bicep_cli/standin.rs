//! Stands in for the Bicep CLI: serves what lies beside a file as its twin.
//!
//! `x.bicep` is compiled to `x.bicep.twin`, `x.bicepparam` to `x.bicepparam.twin`; a file without a twin is an error. A
//! comment `// warning CODE: text` or `// error CODE: text` in a source is a message of the compiler on that line. With
//! `--no-restore` every module of a registry is missing. `STANDIN_LOG` names a file that gets a line for each start;
//! A `bicepconfig.json` beside or above a file with the word `silent` in it takes its messages away. `STANDIN_FAIL` is `hang`, `crash`, `noise`, `old` (no `jsonrpc`); `STANDIN_CRASH_ON` and `STANDIN_HANG_ON` name a file.
#![expect(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "it is a program")]
#![expect(clippy::unwrap_used, clippy::exit, reason = "it stands in for one that crashes")]

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Ok(log) = std::env::var("STANDIN_LOG") {
        let mut log = OpenOptions::new().create(true).append(true).open(log).unwrap();
        // In one piece: several of us may write at a time.
        log.write_all(format!("{} {}\n", std::process::id(), arguments.join(" ")).as_bytes()).unwrap();
    }
    let tokens = ["FORMWORK_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "AZURE_CLIENT_SECRET"];
    assert!(tokens.iter().all(|it| std::env::var_os(it).is_none()), "a token came along");
    let failure = std::env::var("STANDIN_FAIL").unwrap_or_default();
    match failure.as_str() {
        "hang" => std::thread::sleep(Duration::from_hours(1)),
        "crash" => std::process::exit(134),
        "noise" => (0..20_000).for_each(|_| eprintln!("WARNING: noise on standard error")),
        _ => {}
    }
    match arguments.first().map(String::as_str) {
        Some("--version") => println!("Bicep CLI version 0.46.1 (stand-in)"),
        Some("jsonrpc") if failure != "old" => serve(),
        Some("build" | "build-params") => build(&arguments),
        _ => {
            eprintln!("Unrecognized command or argument '{}'.", arguments.join(" "));
            std::process::exit(1);
        }
    }
}

fn twin(path: &Path) -> Option<String> {
    misbehave(path);
    let mut name = path.as_os_str().to_owned();
    name.push(".twin");
    fs::read_to_string(PathBuf::from(name)).ok()
}

fn misbehave(path: &Path) {
    let is_meant = |variable: &str| std::env::var(variable).is_ok_and(|it| path.ends_with(it));
    if is_meant("STANDIN_CRASH_ON") {
        std::process::exit(134);
    }
    if is_meant("STANDIN_HANG_ON") {
        std::thread::sleep(Duration::from_hours(1));
    }
}

/// The messages that a source holds.
fn messages(path: &Path, no_restore: bool) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut all = Vec::new();
    let mut settings = path.ancestors().skip(1).map(|folder| folder.join("bicepconfig.json"));
    let settings = settings.find_map(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    if settings.contains("silent") {
        return all;
    }
    for (line, content) in text.lines().enumerate() {
        let mut say = |level: &str, code: &str, message: &str| {
            let range = json!({"start": {"line": line, "char": 0}, "end": {"line": line, "char": content.len()}});
            all.push(json!({"source": path, "range": range, "level": level, "code": code, "message": message}));
        };
        if no_restore && content.contains("'br:") {
            say("Error", "BCP190", "The artifact has not been restored.");
        }
        for (word, level) in [("// warning ", "Warning"), ("// error ", "Error")] {
            if let Some((code, message)) = content.split_once(word).and_then(|(_, it)| it.split_once(": ")) {
                say(level, code, message);
            }
        }
    }
    all
}

fn is_error(message: &Value) -> bool {
    message["level"] == "Error"
}

fn using(path: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(path).ok()?;
    let name = text.lines().find_map(|it| it.strip_prefix("using '")?.strip_suffix('\''))?;
    Some(path.parent()?.join(name))
}

fn answer(method: &str, path: &Path) -> Option<Value> {
    let messages = messages(path, false);
    let success = !messages.iter().any(is_error);
    let twin_of = |path: &Path| twin(path).filter(|_| success);
    match method {
        "bicep/version" => Some(json!({"version": "0.46.1"})),
        "bicep/compile" => {
            let text = twin_of(path);
            Some(json!({"success": text.is_some(), "diagnostics": messages, "contents": text}))
        }
        "bicep/compileParams" => {
            let (text, template) = (twin_of(path), using(path).and_then(|it| twin(&it)));
            let success = text.is_some();
            Some(json!({"success": success, "diagnostics": messages, "parameters": text, "template": template}))
        }
        "bicep/getFileReferences" => Some(json!({"filePaths": [path, path.with_file_name("data.txt")]})),
        _ => None,
    }
}

fn serve() {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).unwrap() == 0 {
                return;
            }
            match line.trim().split_once(':') {
                Some((_, value)) => length = value.trim().parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).unwrap();
        let question: Value = serde_json::from_slice(&body).unwrap();
        let path = PathBuf::from(question["params"]["path"].as_str().unwrap_or_default());
        let mut reply = json!({"jsonrpc": "2.0", "id": question["id"]});
        match answer(question["method"].as_str().unwrap(), &path) {
            Some(result) => reply["result"] = result,
            None => reply["error"] = json!({"code": -32601, "message": "no such method"}),
        }
        let reply = reply.to_string();
        write!(output, "Content-Length: {}\r\n\r\n{reply}", reply.len()).unwrap();
        output.flush().unwrap();
    }
}

fn build(arguments: &[String]) {
    let path = arguments.iter().find(|it| it.contains(".bicep")).map(PathBuf::from).unwrap();
    let messages = messages(&path, arguments.iter().any(|it| it == "--no-restore"));
    for it in &messages {
        let line = it["range"]["start"]["line"].as_u64().unwrap() + 1;
        let word = |name: &str| it[name].as_str().unwrap().to_owned();
        eprintln!("{}({line},1) : {} {}: {}", path.display(), word("level"), word("code"), word("message"));
    }
    let Some(text) = twin(&path).filter(|_| !messages.iter().any(is_error)) else { std::process::exit(1) };
    if arguments[0] == "build-params" {
        let template = using(&path).and_then(|it| twin(&it));
        print!("{}", json!({"parametersJson": text, "templateJson": template, "templateSpecId": null}));
    } else {
        print!("{text}");
    }
}
