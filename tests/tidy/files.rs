//! What holds for each file: its length, its name, its module docs, no notes of work that is left.

use crate::tidy::code::Source;

/// Names that say nothing of what a module is for.
const VAGUE: &[&str] = &["utils", "util", "helpers", "common", "misc"];

const MARKS: &[&str] = &["TODO", "FIXME", "HACK"];

/// What is wrong with a file that may have so many lines before its unit tests.
pub(super) fn violations(source: &Source, cap: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    let production = source.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = production.lines().count();
    if lines > cap {
        wrong.push(format!("{}: {lines} lines, the cap is {cap}", source.file));
    }
    for name in source.module().into_iter().filter(|name| VAGUE.contains(name)) {
        wrong.push(format!("{}: `{name}` does not say what it holds", source.file));
    }
    if !source.text.starts_with("//!") {
        wrong.push(format!("{} does not begin with `//!`", source.file));
    }
    for mark in MARKS.iter().filter(|mark| source.text.contains(**mark)) {
        wrong.push(format!("{}: `{mark}`; finish the work, or open an issue", source.file));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::read;

    #[test]
    fn each_violation_is_found() {
        let check = |path: &str, text: &str, expected: &[&str]| {
            let sources = read(vec![(path.to_owned(), text.to_owned())]);
            assert_eq!(violations(&sources[0], 2), expected, "{text}");
        };
        check(
            "a.rs",
            "//! What it is.\n\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n}\n",
            &["src/a.rs: 3 lines, the cap is 2"],
        );
        check("a.rs", "//! What it is.\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n}\n", &[]);
        check("a.rs", "fn f() {}", &["src/a.rs does not begin with `//!`"]);
        check("a/util/b.rs", "//! What it is.", &["src/a/util/b.rs: `util` does not say what it holds"]);
        check("a.rs", "//! TODO: more.", &["src/a.rs: `TODO`; finish the work, or open an issue"]);
    }
}
