//! What prose and names say too little with: short docstrings, closures over `it`.

use regex::Regex;

use crate::tidy::code::Source;

/// Docstrings of one line that have three words or fewer, in production code.
pub(super) fn short_docs(source: &Source) -> Vec<String> {
    let has = |line: usize, is_inner: bool| source.docs.iter().any(|doc| doc.line == line && doc.is_inner == is_inner);
    let is_alone = |line: usize, is_inner: bool| !has(line - 1, is_inner) && !has(line + 1, is_inner);
    let short = source.docs.iter().filter(|doc| doc.text.split_whitespace().count() <= 3);
    let found = short.filter(|doc| is_alone(doc.line, doc.is_inner));
    found.map(|doc| format!("{}:{}: {}", source.file, doc.line, doc.text)).collect()
}

/// Closures that name their parameter `it`.
pub(super) fn nameless(source: &Source) -> Vec<String> {
    let parameter = Regex::new(r"\| (?:[^|;{}]*[,&(] )?it (?:[,:)][^|;{}]*)?\|").unwrap();
    let code: Vec<&str> = source.tokens.iter().map(|token| token.text.as_str()).collect();
    parameter.find_iter(&code.join(" ")).map(|found| format!("{}: {}", source.file, found.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::read;

    #[test]
    fn short_docstrings_are_found() {
        let check = |code: &str, expected: &[&str]| {
            let source = read(vec![("a.rs".to_owned(), code.to_owned())]).remove(0);
            assert_eq!(short_docs(&source), expected, "{code}");
        };
        check(
            "//! The thing.\n\n/// The other thing.\nfn f() {}",
            &["src/a.rs:1: The thing.", "src/a.rs:3: The other thing."],
        );
        check("/// What it does here.\nfn f() {}", &[]);
        check("/// The thing.\n///\n/// It does much.\nfn f() {}", &[]);
        check("fn f() {}\n#[cfg(test)]\nmod tests {\n/// The thing.\nfn f() {}\n}", &[]);
    }

    #[test]
    fn closures_over_it_are_found() {
        let check = |code: &str, count: usize| {
            let source = read(vec![("a.rs".to_owned(), code.to_owned())]).remove(0);
            assert_eq!(nameless(&source).len(), count, "{code}");
        };
        check("f(|it| it + 1)", 1);
        check("f(|(it, _)| it, |&it: &u8| it)", 2);
        check("f(|item, with| item)", 0);
        check("f(\"|it|\") // |it|", 0);
        check("#[cfg(test)]\nmod tests { fn f() { g(|it| it) } }", 0);
    }
}
