//! The targets of `cargo fuzz`: each property has one, and `.ci/fuzz` runs each.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// What a pattern captures in a text, in the order of the alphabet.
fn captured(pattern: &str, text: &str) -> BTreeSet<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// The properties that a text of `crates/check/src/invariants/mod.rs` exports.
fn properties(text: &str) -> BTreeSet<String> {
    let exported = captured(r"(?m)^pub use [\w:]+::(\{[\w, ]+\}|\w+);", text);
    exported.iter().flat_map(|names| captured(r"(\w+)", names)).collect()
}

#[test]
fn each_property_has_a_target() {
    let targets = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/targets")).unwrap();
    let texts: String = targets.map(|target| fs::read_to_string(target.unwrap().path()).unwrap()).collect();
    assert_eq!(
        captured(r"formwork_check::invariants::(\w+)\(", &texts),
        properties(&read("crates/check/src/invariants/mod.rs"))
    );
}

#[test]
fn each_target_is_built_and_run() {
    let declared = captured(r#"(?m)^path = "targets/(\w+)\.rs""#, &read("fuzz/Cargo.toml"));
    let script = read(".ci/fuzz");
    let run = captured(r"(\w+)", &captured(r"(?m)^all=\((.+)\)$", &script).pop_first().unwrap());
    assert_eq!(run, declared);
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/targets")).unwrap();
    let stems: BTreeSet<String> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(stems, declared);
}

#[test]
fn exports_are_read() {
    let text = "pub use a::b::{c, d};\npub use crate::e::f;\npub(crate) use g::h;\n";
    assert_eq!(properties(text), ["c", "d", "f"].map(str::to_owned).into());
}
