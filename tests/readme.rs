//! The README shows what a person sees.

use std::process::Command;

const README: &str = include_str!("../README.md");

/// What the program prints in the root of the repository, as a pipe sees it.
fn output(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear();
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn the_first_screen_is_real_output() {
    let (_, shown) = README.split_once("```console\n$ formwork check tests/examples/azure\n").unwrap();
    let (shown, _) = shown.split_once("```\n").unwrap();
    let (head, tail) = shown.split_once("\n…\n").unwrap();
    let printed = output(&["check", "tests/examples/azure"]);
    assert!(printed.starts_with(head), "the README begins with\n{head}\nand the program with\n{printed}");
    assert!(printed.ends_with(tail), "the README ends with\n{tail}\nand the program with\n{printed}");
}

#[test]
fn the_number_of_rules_is_right() {
    let listed = output(&["rules", "list"]);
    let count = |prefix: &str| listed.lines().filter(|line| line.starts_with(prefix)).count();
    assert!(README.contains(&format!("{} rules for Azure are built in", count("AZ-"))));
    assert!(README.contains(&format!("{} rules for AWS are built in", count("AWS-"))));
}
