//! Forms of docstrings and names: how a docstring begins, and closures over `it`.

use regex::Regex;

use crate::tidy::code::{Source, Token};

/// Beginnings that make a docstring a clause without its subject.
const CLAUSES: &str = r"^(?:…|\.\.\.|(?:What|Whether|How|Where|Which|Why|It|Its|Those|That|They|Of|As|The same|One)\b)";

/// Beginnings of a sentence about a function: a verb in the third person, or what a Boolean means.
const ACTIONS: &str = r"^(?:[A-Z][a-z]*(?:-[a-z]+)*s|True|`true`)\b";

/// Words that end like a verb in the third person and are none.
const NO_ACTIONS: &str = r"^(?:This|These|Always|Besides|Afterwards|Unless|Across|Less|Plus|Yes|Its|As|Thus|Perhaps)\b";

/// Verbs of sentences about functions, with which no other docstring begins.
const ONLY_ACTIONS: &str = r"^(?:Returns|Says|Tells|Gives|Does|Is|Has)\b";

/// Docstrings in production code whose first words do not have the form of `CONTRIBUTING.md`: functions begin with a
/// verb in the third person, everything else with a noun.
pub(super) fn misformed_docs(source: &Source) -> Vec<String> {
    let [clause, action, no_action, only_action] =
        [CLAUSES, ACTIONS, NO_ACTIONS, ONLY_ACTIONS].map(|beginning| Regex::new(beginning).unwrap());
    let mut wrong = Vec::new();
    for (at, doc) in source.docs.iter().enumerate() {
        let continues =
            at > 0 && source.docs[at - 1].line + 1 == doc.line && source.docs[at - 1].is_inner == doc.is_inner;
        if continues {
            continue;
        }
        let mut last = doc.line;
        for next in &source.docs[at + 1..] {
            if next.line != last + 1 {
                break;
            }
            last = next.line;
        }
        let is_action = action.is_match(&doc.text) && !no_action.is_match(&doc.text);
        let is_wrong = match documented(source, last) {
            _ if clause.is_match(&doc.text) => true,
            _ if doc.is_inner => false,
            Documented::Function => !is_action,
            Documented::Other => only_action.is_match(&doc.text),
        };
        if is_wrong {
            wrong.push(format!("{}:{}: {}", source.file, doc.line, doc.text));
        }
    }
    wrong
}

/// Kind of an item that has a docstring.
enum Documented {
    Function,
    Other,
}

/// Returns the kind of the item after a line.
fn documented(source: &Source, line: usize) -> Documented {
    let start = source.tokens.partition_point(|token| token.line <= line);
    let mut rest = &source.tokens[start..];
    while let [hash, open, ..] = rest
        && hash.text == "#"
        && open.text == "["
    {
        rest = &rest[1 + group_length(&rest[1..])..];
    }
    while let [token, after @ ..] = rest {
        rest = match token.text.as_str() {
            "fn" => return Documented::Function,
            "pub" if after.first().is_some_and(|token| token.text == "(") => &after[group_length(after)..],
            "pub" | "const" | "async" | "unsafe" | "extern" | "\"" => after,
            _ => break,
        };
    }
    Documented::Other
}

/// Returns the count of tokens of the group in brackets that begins there.
fn group_length(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "[" | "(" | "{" => depth += 1,
            "]" | ")" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Returns the closures that name their parameter `it`.
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
    fn forms_of_docstrings_are_checked() {
        let check = |code: &str, expected: &[&str]| {
            let source = read(vec![("a.rs".to_owned(), code.to_owned())]).remove(0);
            assert_eq!(misformed_docs(&source), expected, "{code}");
        };
        check("//! What is here.\n\n/// Returns the sum.\nfn f() {}", &["src/a.rs:1: What is here."]);
        check("/// The sum.\nfn f() {}", &["src/a.rs:1: The sum."]);
        check("/// The sum.\n#[must_use]\n#[a(b = [1])]\npub(crate) const fn f() {}", &["src/a.rs:1: The sum."]);
        check("/// This is it.\nfn f() {}", &["src/a.rs:1: This is it."]);
        check("/// True if empty.\nasync fn f() {}\n/// Re-reads it.\nunsafe extern \"C\" fn g() {}", &[]);
        check(
            "/// The sum.\nstruct S {\n/// Whether it is.\na: u8,\n/// …\nb: u8 }",
            &["src/a.rs:3: Whether it is.", "src/a.rs:5: …"],
        );
        check("/// Returns it.\npub(in crate::a) fn f() {}\n/// The sum.\npub(in crate::a) struct S;", &[]);
        check("/// Returns it.\nconst A: fn() = f;", &["src/a.rs:1: Returns it."]);
        check("/// Ofcourse.\n/// Of two lines.\nconst A: u8 = 1;", &[]);
        check("enum E {\n/// One of them.\nA,\n/// Findings.\nB }", &["src/a.rs:2: One of them."]);
        check("#[cfg(test)]\nmod tests {\n/// What.\nfn f() {}\n}", &[]);
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
