//! What the compiler does not check: layers, sizes, module docs.

use std::fs;
use std::path::{Path, PathBuf};

/// A module names only modules of earlier rows; modules of one row do not see each other. `ARCHITECTURE.md` says why.
const LAYERS: &[&[&str]] = &[
    &["text"],
    &["diagnostic"],
    &["value", "files"],
    &["syntax"],
    &["model"],
    &["arm", "cfn", "rules"],
    &["bicep", "config"],
    &["engine", "report"],
    &["github", "api"],
    &["cli"],
];

/// Longest file under `src`, in lines before its tests.
const MAX_LINES: usize = 600;

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}

/// The code of a file without its unit tests.
fn production(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text)
}

/// The folder or file below `src` that a path belongs to.
fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

#[test]
fn modules_name_only_lower_layers() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let own = module_of(&path);
        if own == "lib" || own == "main" {
            continue;
        }
        let own_rank = rank(&own).unwrap_or_else(|| panic!("{own} has no layer in {}", file!()));
        let code = production(&text);
        if code.contains("use crate::{") {
            wrong.push(format!("{}: one `use crate::x` line a module", path.display()));
        }
        for (at, _) in code.match_indices("crate::") {
            let name: String =
                code[at + 7..].chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
            let is_lower = rank(&name).is_none_or(|other| other < own_rank);
            if name != own && !is_lower {
                wrong.push(format!("{}: `{own}` names `{name}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_of_one_subject() {
    for (path, text) in sources() {
        let lines = production(&text).lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines, the cap is {MAX_LINES}", path.display());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(!["utils", "util", "helpers", "common", "misc"].contains(&name.as_str()), "{}", path.display());
    }
}

#[test]
fn every_module_says_what_it_is() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{} does not begin with `//!`", path.display());
    }
}

#[test]
fn work_left_open_is_not_hidden_in_comments() {
    for (path, text) in sources() {
        for mark in ["TODO", "FIXME", "HACK"] {
            assert!(!text.contains(mark), "{}: {mark}", path.display());
        }
    }
}
