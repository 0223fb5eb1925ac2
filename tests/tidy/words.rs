//! What prose and names say too little with: short docstrings, closures over `it`.

use regex::Regex;

use crate::tidy::code::Source;

/// Docstrings of one line that have three words or fewer, in production code.
pub(super) fn short_docs(source: &Source) -> Vec<String> {
    let lines: Vec<(&str, &str)> = source.text.lines().zip(source.code.lines()).collect();
    let style = |at: usize| {
        let line = lines.get(at).map_or("", |(text, _)| text.trim());
        ["///", "//!"].into_iter().find(|style| line.starts_with(style))
    };
    let is_short = |at: &usize| {
        let (text, _) = lines[*at];
        let is_alone = |other: Option<usize>| other.and_then(style) != style(*at);
        style(*at).is_some()
            && is_alone(at.checked_sub(1))
            && is_alone(Some(at + 1))
            && text.trim()[3..].split_whitespace().count() <= 3
    };
    // What a docstring is about follows it: a blank rest is a unit test.
    let last = lines.iter().rposition(|(_, code)| !code.trim().is_empty()).unwrap_or(0);
    (0..last).filter(is_short).map(|at| format!("{}:{}: {}", source.file, at + 1, lines[at].0.trim())).collect()
}

/// Closures that name their parameter `it`.
pub(super) fn nameless(source: &Source) -> Vec<String> {
    let parameter = Regex::new(r"\|(?:[^|]*[ ,&(])?it(?:[,:)][^|]*)?\|").unwrap();
    let lines = source.code.lines().zip(source.text.lines()).enumerate();
    let found = lines.flat_map(|(at, (code, text))| {
        let place = format!("{}:{}: {}", source.file, at + 1, text.trim());
        parameter.find_iter(code).map(move |_| place.clone()).collect::<Vec<_>>()
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::read;

    fn planted(code: &str) -> Source {
        read(vec![("a.rs".to_owned(), code.to_owned())]).remove(0)
    }

    #[test]
    fn short_docstrings_are_found() {
        let check = |code: &str, expected: &[&str]| assert_eq!(short_docs(&planted(code)), expected, "{code}");
        check(
            "//! The thing.\n\n/// The other thing.\nfn f() {}",
            &["src/a.rs:1: //! The thing.", "src/a.rs:3: /// The other thing."],
        );
        check("/// What it does here.\nfn f() {}", &[]);
        check("/// The thing.\n///\n/// It does much.\nfn f() {}", &[]);
        check("fn f() {}\n#[cfg(test)]\nmod tests {\n/// The thing.\nfn f() {}\n}", &[]);
    }

    #[test]
    fn closures_over_it_are_found() {
        let check = |code: &str, count: usize| assert_eq!(nameless(&planted(code)).len(), count, "{code}");
        check("f(|it| it + 1)", 1);
        check("f(|(it, _)| it, |&it: &u8| it)", 2);
        check("f(|item, with| item)", 0);
        check("f(\"|it|\") // |it|", 0);
        check("#[cfg(test)]\nmod tests { fn f() { g(|it| it) } }", 0);
    }
}
