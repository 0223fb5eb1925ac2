//! The pages in `docs` show what the program prints, and with which code it exits.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::is_blessing;

const FENCE: &str = "```console\n";

/// What a page says of a command that exits with another code than 0, after the command.
const EXITS: &str = "    # exits with code ";

/// What a line of a page prints in the root of the repository. It has to say with which code it exits.
fn output(page: &Path, line: &str) -> String {
    let (command, code) = line.split_once(EXITS).unwrap_or((line, "0"));
    let arguments = command.split_whitespace().skip(1).map(|argument| argument.trim_matches('\''));
    let mut program = Command::new(env!("CARGO_BIN_EXE_formwork"));
    let output = program.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear().output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let found = output.status.code().unwrap();
    let page = page.display();
    assert!(found.to_string() == code, "{page}: `{line}` should say `{EXITS}{found}`, if it should print\n{shown}");
    shown
}

/// A block with what each of its commands prints, an empty line between them.
fn block(page: &Path, shown: &str) -> String {
    let commands = shown.lines().filter_map(|line| line.strip_prefix("$ "));
    let parts: Vec<String> = commands.map(|command| format!("$ {command}\n{}", output(page, command))).collect();
    parts.join("\n")
}

/// The page with real output in all of its blocks.
fn renewed(path: &Path, page: &str) -> String {
    let mut parts = page.split(FENCE);
    let mut renewed = parts.next().unwrap().to_owned();
    for part in parts {
        let (shown, behind) = part.split_once("```\n").unwrap();
        renewed.push_str(&[FENCE, &block(path, shown), "```\n", behind].concat());
    }
    renewed
}

#[test]
fn what_pages_show_is_real_output() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").read_dir().unwrap();
    for path in pages.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let page = fs::read_to_string(&path).unwrap();
        let renewed = renewed(&path, &page);
        if is_blessing() {
            fs::write(&path, &renewed).unwrap();
        } else {
            assert!(page == renewed, "{} shows something else than\n{renewed}", path.display());
        }
    }
}
