//! The README shows what a person sees.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::is_blessing;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

/// What the program prints in the root of the repository, as a pipe sees it.
fn output(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear();
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// The first findings, and the line that sums them up. What lies between is a row of dots in the README.
const FIRST_FINDINGS: usize = 2;

#[test]
fn the_first_screen_is_real_output() {
    const COMMAND: &str = "```console\n$ formwork check tests/examples/azure\n";
    let page = fs::read_to_string(path()).unwrap();
    let (before, shown) = page.split_once(COMMAND).unwrap();
    let (_, after) = shown.split_once("```\n").unwrap();
    let printed = output(&["check", "tests/examples/azure"]);
    let (findings, total) = printed.trim_end().rsplit_once('\n').unwrap();
    let first: Vec<&str> = findings.split("\n\n").take(FIRST_FINDINGS).collect();
    let renewed = format!("{before}{COMMAND}{}\n\n…\n{total}\n```\n{after}", first.join("\n\n"));
    if is_blessing() {
        fs::write(path(), renewed).unwrap();
    } else {
        assert!(page == renewed, "the README shows something else than\n{printed}");
    }
}

#[test]
fn the_number_of_rules_is_right() {
    let page = fs::read_to_string(path()).unwrap();
    let listed = output(&["rules", "list"]);
    let count = |prefix: &str| listed.lines().filter(|line| line.starts_with(prefix)).count();
    let (azure, aws) = (count("AZ-"), count("AWS-"));
    assert!(
        page.contains(&format!("formwork has {azure} built-in rules for Azure and {aws} for AWS.")),
        "{azure}, {aws}"
    );
}
