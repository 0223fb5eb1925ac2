//! The pages in `docs` show what the program prints.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::is_blessing;

const FENCE: &str = "```console\n";

/// What a line of a page prints in the root of the repository.
fn output(command: &str) -> String {
    let arguments = command.split_whitespace().skip(1).map(|argument| argument.trim_matches('\''));
    let mut program = Command::new(env!("CARGO_BIN_EXE_formwork"));
    let output = program.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear().output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// A block with what each of its commands prints, an empty line between them.
fn block(shown: &str) -> String {
    let commands = shown.lines().filter_map(|line| line.strip_prefix("$ "));
    let parts: Vec<String> = commands.map(|command| format!("$ {command}\n{}", output(command))).collect();
    parts.join("\n")
}

/// The page with real output in all of its blocks.
fn renewed(page: &str) -> String {
    let mut parts = page.split(FENCE);
    let mut renewed = parts.next().unwrap().to_owned();
    for part in parts {
        let (shown, behind) = part.split_once("```\n").unwrap();
        renewed.push_str(&[FENCE, &block(shown), "```\n", behind].concat());
    }
    renewed
}

#[test]
fn what_pages_show_is_real_output() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").read_dir().unwrap();
    for path in pages.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let page = fs::read_to_string(&path).unwrap();
        let renewed = renewed(&page);
        if is_blessing() {
            fs::write(&path, &renewed).unwrap();
        } else {
            assert!(page == renewed, "{} shows something else than\n{renewed}", path.display());
        }
    }
}
