//! How long functions are.

use crate::tidy::code::{Source, block_end, line, words};

/// A function with a body.
#[derive(Debug, PartialEq)]
pub(super) struct Function {
    /// File and name: `src/engine/mod.rs: check`.
    pub(super) name: String,
    /// Lines of its head and body that hold code. Those of functions inside are theirs; closures belong to the function.
    pub(super) lines: usize,
}

/// The functions of the production code of a file.
pub(super) fn functions(source: &Source) -> Vec<Function> {
    let code = source.code.as_str();
    let mut spans = Vec::new();
    let mut all = words(code).peekable();
    while let Some((start, word)) = all.next() {
        // What follows the `fn` of a type is `(`.
        let Some((at, name)) = all.peek().copied().filter(|(at, _)| word == "fn" && *at == start + 3) else { continue };
        if let Some(end) = body_end(code, at + name.len()) {
            spans.push((start, end, name));
        }
    }
    let last = spans.iter().map(|(start, end, name)| {
        let is_inside = |line: usize| {
            let inner = spans.iter().filter(|(from, to, _)| start < from && to <= end);
            inner.clone().any(|(from, to, _)| (self::line(code, *from)..=self::line(code, *to - 1)).contains(&line))
        };
        let first = line(code, *start);
        let lines = code[*start..*end].lines().enumerate();
        let count = lines.filter(|(at, text)| !text.trim().is_empty() && !is_inside(first + at)).count();
        Function { name: format!("{}: {name}", source.file), lines: count }
    });
    last.collect()
}

/// Where the body ends of a function whose parameters begin after an offset; `None` without a body.
fn body_end(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, char) in code[from..].char_indices() {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' if depth == 0 => return None,
            '{' if depth == 0 => return Some(block_end(code, from + at)),
            _ => {}
        }
    }
    None
}

/// Functions beyond the cap that are not among the exceptions, and exceptions that no function needs.
pub(super) fn too_long(functions: &[Function], cap: usize, exceptions: &[(&str, &str)]) -> Vec<String> {
    let is_excepted = |function: &Function| exceptions.iter().any(|(name, _)| *name == function.name);
    let long: Vec<&Function> = functions.iter().filter(|function| function.lines > cap).collect();
    let over = long.iter().filter(|function| !is_excepted(function));
    let mut wrong: Vec<String> =
        over.map(|function| format!("{}: {} lines, the cap is {cap}", function.name, function.lines)).collect();
    let stale = exceptions.iter().filter(|(name, _)| !long.iter().any(|function| function.name == *name));
    wrong.extend(stale.map(|(name, _)| format!("{name}: no longer needs its exception")));
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::read;

    const CODE: &str = "trait T { fn none(&self, x: [u8; 3]); }
type F = fn(u8) -> u8;
const fn one() {}
fn outer<T>(
    text: &str, // a comment
) -> [u8; 2]
where
    T: Fn(),
{
    // A comment, and an empty line.

    let text = \"{ // \";
    fn inner() {
        let x = 'x';
    }
    let closure = || {
        1
    };
}
#[cfg(test)]
mod tests {
    fn long() {
    }
}
";

    fn planted() -> Vec<Function> {
        read(vec![("a.rs".to_owned(), CODE.to_owned())]).iter().flat_map(functions).collect()
    }

    #[test]
    fn lines_of_code_are_counted() {
        let all = planted();
        let found: Vec<_> = all.iter().map(|function| (function.name.as_str(), function.lines)).collect();
        assert_eq!(found, [("src/a.rs: one", 1), ("src/a.rs: outer", 11), ("src/a.rs: inner", 3)]);
    }

    #[test]
    fn long_functions_and_stale_exceptions_are_reported() {
        assert_eq!(too_long(&planted(), 11, &[]), [""; 0]);
        assert_eq!(too_long(&planted(), 10, &[]), ["src/a.rs: outer: 11 lines, the cap is 10"]);
        assert_eq!(too_long(&planted(), 10, &[("src/a.rs: outer", "a table")]), [""; 0]);
        let stale = "src/a.rs: outer: no longer needs its exception";
        assert_eq!(too_long(&planted(), 11, &[("src/a.rs: outer", "a table")]), [stale]);
    }
}
