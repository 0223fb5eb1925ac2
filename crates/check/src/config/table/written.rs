//! Writes files from the table of settings: the reference in `docs/settings.md`, and the inputs in `action.yml`.
//! `INSTA_UPDATE=always cargo test` renews both.

use std::fs;
use std::path::Path;

use crate::config::table::setting::Input;
use crate::config::table::{Combines, Flag, Setting, Takes, Weakens};
use crate::config::{all_settings, keys, limits};

/// Compares a file of the repository with what it should be, and writes it if that is asked for.
#[expect(clippy::disallowed_methods, reason = "a test reads whether it renews files")]
#[track_caller]
fn assert_renewed(name: &str, renewed: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let wanted = renewed(&text);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write(&path, &wanted).unwrap();
    } else {
        assert!(text == wanted, "`INSTA_UPDATE=always cargo test settings_table` renews {name}");
    }
}

fn values(takes: Takes) -> String {
    let words = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match takes {
        Takes::Switch(_) => words(&["true", "false"]),
        Takes::Word(known, _) => words(known),
        Takes::Globs(..) => "globs".to_owned(),
        Takes::Paths(..) => "files and folders".to_owned(),
        Takes::File(..) => "a file".to_owned(),
        Takes::Rules(..) => "IDs, names, or patterns of rules".to_owned(),
        Takes::Names(_) => "names".to_owned(),
        Takes::Severities(_) => "a severity for each rule".to_owned(),
        Takes::Configuration => "[keys](#describe-the-target-environment)".to_owned(),
        Takes::Suppressions => "[suppressions](#accept-findings)".to_owned(),
        Takes::Templates => "[templates and files](#say-which-template-a-parameter-file-belongs-to)".to_owned(),
        Takes::Limits => "[limits](#change-limits)".to_owned(),
        Takes::Section(_) => String::new(),
    }
}

fn flag(flag: &Flag) -> String {
    let combines = match flag.combines {
        Combines::Overrides => "overrides it",
        Combines::Adds => "adds to it",
        Combines::TurnsOff => "sets `false`",
    };
    format!("`--{}` {combines}", flag.name)
}

fn weaker(weakens: Weakens) -> String {
    match weakens {
        Weakens::Added => "a new entry".to_owned(),
        Weakens::Removed => "a removed entry".to_owned(),
        Weakens::Narrowed => "the first entry, or a removed one".to_owned(),
        Weakens::Raised => "a higher severity".to_owned(),
        Weakens::Lowered => "a lower severity".to_owned(),
        Weakens::Fewer => "a profile without some of the rules".to_owned(),
        Weakens::Any => "any change".to_owned(),
        Weakens::Being(value) => format!("`{value}`"),
        Weakens::NotBeing(value) => format!("no longer `{value}`"),
        Weakens::Elsewhere => "a new entry in the file".to_owned(),
    }
}

/// Returns the page with these rows below the head of a table.
fn with_rows(page: &str, head: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let (before, rest) = page.split_once(&format!("\n{head}\n")).unwrap_or_else(|| panic!("no table `{head}`"));
    let old: usize = rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    let line = "|---".repeat(head.matches('|').count() - 1) + "|";
    let row = |cells: Vec<String>| {
        cells.iter().fold("|".to_owned(), |row, cell| row + &format!(" {cell} |").replace("  ", " ")) + "\n"
    };
    let rows: String = rows.map(row).collect();
    format!("{before}\n{head}\n{line}\n{rows}{}", rest.split_at(old).1)
}

/// Returns the cells of a setting in the reference.
fn cells(key: &str, setting: &Setting) -> Vec<String> {
    let default = match setting.takes {
        Takes::Switch(_) | Takes::Word(..) => format!("`{}`", setting.default),
        _ => setting.default.to_owned(),
    };
    let flag = setting.flag.as_ref().map(flag).unwrap_or_default();
    let input = setting.input.as_ref().map(|input| format!("`{}`", input.name)).unwrap_or_default();
    vec![format!("`{key}`"), values(setting.takes), default, flag, input, weaker(setting.weakens)]
}

#[test]
fn settings_table_is_in_the_reference() {
    assert_renewed("docs/settings.md", |page| {
        let keys = keys::KEYS.iter();
        let keys =
            keys.map(|key| vec![format!("`{}`", key.name), format!("`{}`", key.example), key.summary.to_owned()]);
        let page = with_rows(page, "| key | example | what it does |", keys);
        let page = with_rows(
            &page,
            "| key | default | maximum | what it limits |",
            limits::LIMITS.iter().map(|limit| limit.row().to_vec()),
        );
        let settings = all_settings().filter(|(_, setting)| !matches!(setting.takes, Takes::Section(_)));
        with_rows(
            &page,
            "| key | values | default | flag | input of the action | what weakens a check |",
            settings.map(|(key, setting)| cells(&key, setting)),
        )
    });
}

/// Returns an input as `action.yml` declares it.
fn declaration(input: &Input) -> String {
    let Input { name, default, description } = input;
    assert!(!description.contains(": ") && !description.contains(" #"), "`{description}` needs quotes in YAML");
    let is_plain = !["", "true", "false"].contains(default);
    let default = if is_plain { (*default).to_owned() } else { format!("\"{default}\"") };
    format!("  {name}:\n    description: {description}\n    default: {default}\n")
}

/// Adds an input to `action.yml`: declares it, and passes it to the check.
fn with_input(action: &str, input: &Input) -> String {
    let (inputs, rest) = action.split_once("\noutputs:\n").expect("outputs follow the inputs");
    let declared = declaration(input);
    let inputs = match inputs.split_once(&format!("\n  {}:\n", input.name)) {
        Some((before, after)) => {
            let is_of_input = |line: &&str| line.starts_with("    ");
            let old: usize = after.split_inclusive('\n').take_while(is_of_input).map(str::len).sum();
            format!("{before}\n{declared}{}", after.split_at(old).1)
        }
        None => format!("{inputs}{declared}"),
    };
    let variable = input.name.replace('-', "_").to_uppercase();
    let passed = format!("        FORMWORK_{variable}: ${{{{ inputs.{} }}}}\n", input.name);
    let (before, check) = rest.split_once("    - name: Check\n").expect("a step checks");
    let (check, after) = check.split_once("\n\n").expect("other steps follow");
    let (variables, token) = check.split_once("        FORMWORK_TOKEN: ").expect("the last variable is the token");
    let passed = if variables.contains(&passed) { "" } else { passed.as_str() };
    format!(
        "{inputs}\noutputs:\n{before}    - name: Check\n{variables}{passed}        FORMWORK_TOKEN: {token}\n\n{after}"
    )
}

#[test]
fn settings_table_is_in_the_action() {
    let inputs = || all_settings().filter_map(|(_, setting)| setting.input.as_ref());
    assert_renewed("action.yml", |action| inputs().fold(action.to_owned(), |action, input| with_input(&action, input)));
    let new = Input { name: "new-one", default: "false", description: "Whether it is new" };
    let action = with_input(
        "inputs:\n  a:\n    default: x\n\noutputs:\n    - name: Check\n      env:\n        FORMWORK_TOKEN: t\n\nend",
        &new,
    );
    let expected = "inputs:\n  a:\n    default: x\n  new-one:\n    description: Whether it is new\n    default: \"false\"\n\noutputs:\n    - name: Check\n      env:\n        FORMWORK_NEW_ONE: ${{ inputs.new-one }}\n        FORMWORK_TOKEN: t\n\nend";
    assert_eq!(action, expected);
    let changed = Input { description: "Whether it is old", ..new };
    assert_eq!(with_input(&action, &changed), expected.replace("it is new", "it is old"));
}

/// The table says what the readers of a setting rely on.
#[test]
fn settings_table_has_defaults_that_it_takes() {
    for (key, setting) in all_settings() {
        match setting.takes {
            Takes::Switch(_) => assert!(["true", "false"].contains(&setting.default), "{key}"),
            Takes::Word(words, _) => assert!(words.contains(&setting.default), "{key}"),
            _ => {}
        }
    }
}
