//! Which module uses which, and which parts of a module use each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::code::{Source, paths};

/// Edges of a graph: who uses what, each with a line that shows it.
pub(super) type Edges = BTreeMap<(String, String), String>;

/// Who uses which of the top modules, by the paths that begin with `crate::`.
pub(super) fn modules(sources: &[Source]) -> Edges {
    let mut edges = Edges::new();
    let modules: BTreeSet<&str> = of_package(sources).map(|source| source.module()[0]).collect();
    for source in of_package(sources) {
        let own = source.module()[0];
        for (at, path) in paths(&source.tokens, "crate") {
            if path[0] != own && modules.contains(path[0].as_str()) {
                let edge = (own.to_owned(), path[0].clone());
                edges.entry(edge).or_insert_with(|| format!("{}:{}", source.file, source.tokens[at].line));
            }
        }
    }
    edges
}

/// The modules of the package. Which crates use each other is in their manifests.
fn of_package(sources: &[Source]) -> impl Iterator<Item = &Source> {
    sources.iter().filter(|source| source.of_crate.is_none() && !is_root(source))
}

/// The crate root names all modules, and is none.
fn is_root(source: &Source) -> bool {
    matches!(source.path.as_str(), "lib.rs" | "main.rs")
}

/// What is wrong with the edges: uses that the table does not allow, and permissions that nothing needs.
pub(super) fn compare(edges: &Edges, table: &[(&str, &[&str])]) -> Vec<String> {
    let mut wrong = Vec::new();
    let allows = |module: &str, used: &str| table.iter().any(|(name, uses)| *name == module && uses.contains(&used));
    for ((module, used), place) in edges {
        if !allows(module, used) {
            wrong.push(format!("{place}: `{module}` may not use `{used}`"));
        }
    }
    for (at, (module, uses)) in table.iter().enumerate() {
        for used in *uses {
            if !edges.contains_key(&((*module).to_owned(), (*used).to_owned())) {
                wrong.push(format!("`{module}` does not use `{used}`: take it out of the table"));
            }
            if !table[..at].iter().any(|(earlier, _)| earlier == used) {
                wrong.push(format!("`{used}` does not stand before `{module}`, which uses it"));
            }
        }
    }
    wrong
}

/// The uses between the parts of a top module or crate, which are its direct submodules. What its `mod.rs` re-exports counts as
/// the part that it comes from; what is defined there is shared by the parts, and may call them.
pub(super) fn parts(sources: &[Source], top: &str) -> Edges {
    let files: Vec<&Source> = sources.iter().filter(|source| source.module()[0] == top && !is_root(source)).collect();
    let names: BTreeSet<&str> = files.iter().filter_map(|source| source.module().get(1).copied()).collect();
    let facade = files.iter().find(|source| source.module().len() == 1);
    let exports = facade.map(|source| exports(source, top, &names)).unwrap_or_default();
    let part_of = |path: &[String]| match path {
        [first, rest @ ..] if first == top => match rest.first() {
            Some(name) if names.contains(name.as_str()) => Some(name.clone()),
            Some(name) => exports.get(name).cloned(),
            None => None,
        },
        _ => None,
    };
    let mut edges = Edges::new();
    for source in &files {
        let module = source.module();
        let Some(own) = module.get(1).copied() else { continue };
        for (at, path) in absolute(source, &names) {
            if let Some(used) = part_of(&path).filter(|used| used != own) {
                let line = source.tokens[at].line;
                edges.entry((own.to_owned(), used)).or_insert_with(|| format!("{}:{line}", source.file));
            }
        }
    }
    edges
}

/// The paths of a file, from the crate root, and the tokens where they begin. Those of a top `mod.rs` may begin with one of its parts.
fn absolute(source: &Source, parts: &BTreeSet<&str>) -> Vec<(usize, Vec<String>)> {
    let module: Vec<String> = source.module().into_iter().map(str::to_owned).collect();
    let mut found = paths(&source.tokens, "crate");
    for (_, path) in &mut found {
        path.splice(..0, source.of_crate.clone());
    }
    for (at, path) in paths(&source.tokens, "super") {
        let ups = 1 + path.iter().take_while(|name| *name == "super").count();
        let kept = module.len().saturating_sub(ups);
        found.push((at, [&module[..kept], &path[ups - 1..]].concat()));
    }
    if module.len() == 1 {
        for part in parts.iter().copied().chain(["self"]) {
            for (at, path) in paths(&source.tokens, part) {
                let own = (part != "self").then(|| part.to_owned());
                found.push((at, module.iter().cloned().chain(own).chain(path).collect()));
            }
        }
    }
    found
}

/// The names that a `mod.rs` re-exports, with the parts that they come from.
fn exports(facade: &Source, top: &str, parts: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for (at, path) in absolute(facade, parts) {
        if let [first, part, .., name] = path.as_slice()
            && first == top
            && parts.contains(part.as_str())
            && is_exported(facade, at)
        {
            exports.insert(name.clone(), part.clone());
        }
    }
    exports
}

/// Whether the path at a token follows `pub use` or `pub(…) use`.
fn is_exported(source: &Source, at: usize) -> bool {
    let before: Vec<&str> = source.tokens[..at].iter().rev().take(2).map(|token| token.text.as_str()).collect();
    matches!(before.as_slice(), ["use", "pub" | ")"])
}

/// The groups of nodes of which each reaches each other, sorted; a node alone is none.
pub(super) fn cycles(edges: &Edges) -> Vec<Vec<String>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges.keys() {
        next.entry(from).or_default().insert(to);
    }
    let reached = |from: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(node) = open.pop() {
            let new = next.get(node).into_iter().flatten().filter(|node| seen.insert(**node));
            open.extend(new.copied().collect::<Vec<_>>());
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|node| (*node, reached(node))).collect();
    let group = |node: &str| -> Vec<String> {
        let is_mutual = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(node));
        reach[node].iter().filter(is_mutual).map(|other| (*other).to_owned()).collect()
    };
    let groups: BTreeSet<Vec<String>> = reach.keys().map(|node| group(node)).collect();
    groups.into_iter().filter(|group| group.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::read;

    fn planted(files: &[(&str, &str)]) -> Vec<Source> {
        read(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }

    fn pairs(edges: &Edges) -> Vec<String> {
        edges.keys().map(|(from, to)| format!("{from} -> {to}")).collect()
    }

    #[test]
    fn uses_in_code_are_found() {
        let sources = planted(&[
            ("lib.rs", "mod a; use crate::a::x;"),
            (
                "a/mod.rs",
                "//! crate::c\n#[cfg(test)]\nmod tests { use crate::d::e; }\nfn f() { crate::b::g(\"crate::e\") }",
            ),
            ("b.rs", "use crate::b::own;\nuse crate::a::{b, c};"),
        ]);
        let edges = modules(&sources);
        assert_eq!(pairs(&edges), ["a -> b", "b -> a"]);
        assert_eq!(edges[&("b".to_owned(), "a".to_owned())], "src/b.rs:2");
    }

    #[test]
    fn the_table_says_no_more_and_no_less() {
        let sources = planted(&[("a.rs", ""), ("b.rs", "use crate::a::x;"), ("c.rs", "use crate::b::x;")]);
        let check = |table: &[(&str, &[&str])], expected: &[&str]| {
            assert_eq!(compare(&modules(&sources), table), expected);
        };
        check(&[("a", &[]), ("b", &["a"]), ("c", &["b"])], &[]);
        check(&[("a", &[]), ("b", &["a"]), ("c", &[])], &["src/c.rs:1: `c` may not use `b`"]);
        let needless = "`c` does not use `a`: take it out of the table";
        check(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])], &[needless]);
        let late = "`b` does not stand before `c`, which uses it";
        check(&[("a", &[]), ("c", &["b"]), ("b", &["a"])], &[late]);
    }

    #[test]
    fn parts_are_found_through_reexports() {
        let sources = planted(&[
            (
                "t/mod.rs",
                "mod a; mod b; mod c;\npub(crate) use crate::t::a::X;\npub use self::b::Y;\nfn z() { c::f() }",
            ),
            ("t/a/mod.rs", "use crate::t::Y;\nuse super::b::Y;"),
            ("t/a/deep.rs", "use super::super::c::W; use super::own;"),
            ("t/b.rs", "use crate::t::{X, z};"),
            ("t/c.rs", "use crate::other::a;"),
        ]);
        let edges = parts(&sources, "t");
        assert_eq!(pairs(&edges), ["a -> b", "a -> c", "b -> a"]);
        assert_eq!(cycles(&edges), [["a", "b"]]);
    }

    #[test]
    fn a_long_way_round_is_a_cycle() {
        let check = |edges: &[(&str, &str)], expected: &[&[&str]]| {
            let edges =
                edges.iter().map(|(from, to)| (((*from).to_owned(), (*to).to_owned()), String::new())).collect();
            assert_eq!(cycles(&edges), expected);
        };
        check(&[("a", "b"), ("b", "c"), ("a", "c")], &[]);
        check(
            &[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d")],
            &[&["a", "b", "c"], &["d", "e"]],
        );
    }
}
