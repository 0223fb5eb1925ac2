//! What the VS Code extension, its package, and `docs/editors.md` say of each other and of the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn manifest() -> Value {
    serde_json::from_str(&read("editors/vscode/package.json")).unwrap()
}

/// The cells of the table of the page that begins with this row.
fn table(head: &str) -> Vec<Vec<String>> {
    let page = read("docs/editors.md");
    let (_, rows) = page.split_once(head).unwrap();
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn the_extension_has_the_version_of_the_program() {
    assert_eq!(manifest()["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_page_lists_the_settings_with_their_defaults() {
    let manifest = manifest();
    let settings = manifest.pointer("/contributes/configuration/properties").unwrap().as_object().unwrap();
    let expected: BTreeMap<String, String> = settings
        .iter()
        .map(|(name, setting)| {
            let default = setting["default"].as_str().map_or_else(|| setting["default"].to_string(), str::to_owned);
            (format!("`{name}`"), if default.is_empty() { default } else { format!("`{default}`") })
        })
        .collect();
    let listed = table("| setting | default | what it is for |");
    let listed: BTreeMap<String, String> = listed.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(listed, expected);
}

#[test]
fn the_page_lists_the_commands() {
    let listed: Vec<String> = table("| command | what it does |").concat();
    let manifest = manifest();
    for command in manifest["contributes"]["commands"].as_array().unwrap() {
        let title = command["title"].as_str().unwrap();
        assert!(listed.iter().any(|cell| cell.split(", ").any(|name| name == title)), "{title}");
    }
}

#[test]
fn the_page_shows_small_pictures() {
    let page = read("docs/editors.md");
    let shown: Vec<&str> = page.split("](images/").skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
    assert!(!shown.is_empty());
    for name in shown {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images").join(name);
        assert!(fs::metadata(path).unwrap().len() < 150_000, "{name}");
    }
}

/// A setting that names a program counts only in a folder that is trusted.
#[test]
fn what_names_a_program_is_restricted() {
    let manifest = manifest();
    let trust = &manifest["capabilities"]["untrustedWorkspaces"];
    assert_eq!(trust["supported"], "limited");
    assert_eq!(trust["restrictedConfigurations"], serde_json::json!(["formwork.path"]));
    assert_eq!(
        manifest.pointer("/contributes/configuration/properties/formwork.path/scope").unwrap(),
        "machine-overridable"
    );
}

/// The checksums say what is installed, wherever it comes from.
#[test]
fn the_lock_file_has_checksums_and_no_addresses() {
    let lock: Value = serde_json::from_str(&read("editors/vscode/package-lock.json")).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
        assert!(package["integrity"].is_string() && package.get("resolved").is_none(), "{name}");
    }
}
