//! Who reads files, the clock, the environment, and who speaks to the network.

use crate::tidy::code::{Source, paths};

/// Something outside of a run that code can reach.
pub(super) struct Effect {
    pub(super) name: &'static str,
    /// Beginnings of paths that reach it, such as `std::fs` or `Utc::now`.
    pub(super) paths: &'static [&'static str],
    /// Files and folders under `src` that may.
    pub(super) owners: &'static [&'static str],
}

/// What reaches an effect that it does not own, and owners that own nothing.
pub(super) fn violations(sources: &[Source], effects: &[Effect]) -> Vec<String> {
    let mut wrong = Vec::new();
    for effect in effects {
        let uses: Vec<(&Source, usize, String)> = sources.iter().flat_map(|source| uses(source, effect)).collect();
        for (source, line, path) in &uses {
            if !effect.owners.iter().any(|owner| is_below(&source.path, owner)) {
                wrong.push(format!("{}:{line}: `{path}` is for the owners of {}", source.file, effect.name));
            }
        }
        for owner in effect.owners {
            if !uses.iter().any(|(source, ..)| is_below(&source.path, owner)) {
                wrong.push(format!("src/{owner} does not use {}: take it out of its owners", effect.name));
            }
        }
    }
    wrong
}

fn is_below(path: &str, owner: &str) -> bool {
    path.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest == ".rs")
}

fn uses<'a>(source: &'a Source, effect: &Effect) -> Vec<(&'a Source, usize, String)> {
    let mut found = Vec::new();
    for owned in effect.paths {
        let (root, rest) = owned.split_once("::").unwrap_or((owned, ""));
        let rest: Vec<&str> = rest.split("::").filter(|name| !name.is_empty()).collect();
        for (at, mut path) in paths(&source.tokens, root) {
            path.retain(|name| name != "self");
            // `use std::time` opens what is in it, as `use std::time::Instant` does; `std::io` has harmless uses.
            let is_whole = path.len() >= rest.len() || path.last().is_some_and(|name| name == "*");
            let is_owned = rest.iter().zip(&path).all(|(name, other)| *name == other || other == "*");
            if is_owned && (is_whole || root == "std" && path != ["io"] && !path.is_empty()) {
                found.push((source, source.tokens[at].line, [&[root.to_owned()], path.as_slice()].concat().join("::")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::read;

    fn check(code: &str, owners: &'static [&'static str], expected: &[&str]) {
        let files = vec![("a/b.rs".to_owned(), code.to_owned()), ("c.rs".to_owned(), "fn f() {}".to_owned())];
        let effect = Effect { name: "the clock", paths: &["std::time::Instant", "Utc::now", "tokio"], owners };
        assert_eq!(violations(&read(files), &[effect]), expected, "{code}");
    }

    #[test]
    fn effects_outside_of_their_owners_are_found() {
        let wrong = |path: &str| format!("src/a/b.rs:1: `{path}` is for the owners of the clock");
        for (code, path) in [
            ("use std::time::{Duration, Instant};", "std::time::Instant"),
            ("use std::{fmt, time};", "std::time"),
            ("use std::time::{self};", "std::time"),
            ("use std::time::*;", "std::time::*"),
            ("fn f() { std::time::Instant::now() }", "std::time::Instant::now"),
            ("fn f() { chrono::Utc::now(); Utc::now(); }", "Utc::now"),
            ("use tokio::runtime;", "tokio::runtime"),
        ] {
            check(code, &[], &[&wrong(path)]);
            check(code, &["a"], &[]);
            check(code, &["a/b"], &[]);
        }
    }

    #[test]
    fn what_has_no_effect_passes() {
        check("use std::time::Duration; use std::fmt; use own::Instant; // Utc::now", &[], &[]);
        check("#[cfg(test)]\nmod tests { use std::time::Instant; }", &[], &[]);
    }

    #[test]
    fn owners_that_own_nothing_are_reported() {
        let wrong = "src/c does not use the clock: take it out of its owners";
        check("use tokio::runtime;", &["a", "c"], &[wrong]);
    }
}
