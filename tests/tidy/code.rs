//! Rust as the checks read it: the tokens of production code, without unit tests, and docstrings.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A file under `src`, or under that of a crate.
pub(super) struct Source {
    /// The path below the repository, with `/`.
    pub(super) file: String,
    /// The path below `src`; that of a file of a crate is in a folder with the name of the crate, but for [`CHECK`].
    pub(super) path: String,
    /// The crate under `crates`.
    pub(super) of_crate: Option<String>,
    pub(super) text: String,
    /// Production code. None for files that only unit tests use.
    pub(super) tokens: Vec<Token>,
    /// The lines of docstrings in production code.
    pub(super) docs: Vec<Doc>,
}

/// The crate whose top modules are in the table of modules, as those of the package are.
pub(super) const CHECK: &str = "check";

/// A name, a single character, or `"` for any literal.
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A line of a docstring.
pub(super) struct Doc {
    pub(super) line: usize,
    /// Whether it is about what it is in, as with `//!`.
    pub(super) is_inner: bool,
    pub(super) text: String,
}

impl Source {
    /// The modules that lead to this file: `arm/eval/mod.rs` is `["arm", "eval"]`.
    pub(super) fn module(&self) -> Vec<&str> {
        let path = self.path.trim_end_matches(".rs");
        path.strip_suffix("/mod").unwrap_or(path).split('/').collect()
    }
}

/// The files under `src` and under those of the crates, by path.
pub(super) fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = read(collect(&root.join("src"), ""));
        let mut crates: Vec<_> =
            fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        crates.sort();
        for name in crates {
            let name = name.to_str().unwrap();
            sources.extend(of_crate(name, collect(&root.join("crates").join(name).join("src"), "")));
        }
        sources
    });
    &SOURCES
}

/// The files of a crate, as those of a module of its name.
fn of_crate(name: &str, files: Vec<(String, String)>) -> Vec<Source> {
    let mut sources = read(files);
    for source in &mut sources {
        source.file = format!("crates/{name}/src/{}", source.path);
        if name == CHECK {
            continue;
        }
        source.path = match source.path.as_str() {
            "lib.rs" => format!("{name}/mod.rs"),
            path => format!("{name}/{path}"),
        };
        source.of_crate = Some(name.to_owned());
    }
    sources
}

/// The Rust files in a folder, with their paths in it, by path.
fn collect(folder: &Path, prefix: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            files.extend(collect(&path, &format!("{name}/")));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Separates production code from tests, also where a file is a test because another file declares it as one.
pub(super) fn read(files: Vec<(String, String)>) -> Vec<Source> {
    let mut tests = Vec::new();
    let mut sources = Vec::new();
    for (path, text) in files {
        let mut reader = Reader::default();
        reader.read(text.parse().unwrap());
        let folder = match path.rsplit_once('/') {
            Some((folder, "mod.rs")) => format!("{folder}/"),
            _ if path == "lib.rs" => String::new(),
            _ => format!("{}/", path.trim_end_matches(".rs")),
        };
        tests.extend(reader.tests.into_iter().map(|name| folder.clone() + &name));
        let (tokens, docs) = (reader.tokens, reader.docs);
        sources.push(Source { file: format!("src/{path}"), path, of_crate: None, text, tokens, docs });
    }
    for source in &mut sources {
        let is_below =
            |test: &String| source.path.strip_prefix(test.as_str()).is_some_and(|rest| rest.starts_with(['.', '/']));
        if tests.iter().any(is_below) {
            source.tokens.clear();
            source.docs.clear();
        }
    }
    sources
}

/// What is read of a file.
#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    docs: Vec<Doc>,
    /// Modules of tests in files of their own.
    tests: Vec<String>,
}

impl Reader {
    fn read(&mut self, stream: TokenStream) {
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let is_hash = is_char(&tree, '#');
            let is_inner = is_hash && trees.next_if(|next| is_char(next, '!')).is_some();
            match trees.peek() {
                Some(TokenTree::Group(group)) if is_hash && is_test(group) => {
                    let mut name = String::new();
                    // Up to the `;` or the braces of the item.
                    for part in trees.by_ref() {
                        match part {
                            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
                            part if is_char(&part, ';') => {
                                self.tests.push(name);
                                break;
                            }
                            part => name = part.to_string(),
                        }
                    }
                }
                Some(TokenTree::Group(group)) if is_hash => {
                    if let Some(text) = doc(group) {
                        self.docs.push(Doc { line: group.span().start().line, is_inner, text });
                        trees.next();
                    } else {
                        self.push(&tree, "#");
                    }
                }
                _ => self.tree(tree),
            }
        }
    }

    fn tree(&mut self, tree: TokenTree) {
        match tree {
            TokenTree::Group(ref group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    _ => ("(", ")"),
                };
                self.push(&tree, open);
                self.read(group.stream());
                self.push(&tree, close);
            }
            TokenTree::Literal(_) => self.push(&tree, "\""),
            TokenTree::Ident(_) | TokenTree::Punct(_) => self.push(&tree, &tree.to_string()),
        }
    }

    fn push(&mut self, tree: &TokenTree, text: &str) {
        self.tokens.push(Token { line: tree.span().start().line, text: text.to_owned() });
    }
}

fn is_char(tree: &TokenTree, char: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// Whether an attribute is `[cfg(test)]`, or a condition that needs tests.
fn is_test(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    text.starts_with("cfg(") && !text.contains("not(") && text.split(['(', ')', ',']).any(|word| word == "test")
}

/// The text of `[doc = "text"]`, which a docstring is to the compiler.
fn doc(attribute: &Group) -> Option<String> {
    let mut trees = attribute.stream().into_iter();
    trees.next().filter(|name| name.to_string() == "doc")?;
    trees.next().filter(|equals| is_char(equals, '='))?;
    let text = trees.next().filter(|text| matches!(text, TokenTree::Literal(_)))?;
    Some(text.to_string().trim_matches('"').trim().to_owned())
}

/// The paths that begin with a name, without it, and the tokens where they begin: `crate::{a::b, c}` is `a::b` and `c`.
pub(super) fn paths(tokens: &[Token], root: &str) -> Vec<(usize, Vec<String>)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| text(*at) == root && text(at + 1) == ":" && text(at + 2) == ":") {
        let before = |back: usize| at.checked_sub(back).map_or("", text);
        if before(1) != "$" && (before(1), before(2)) != (":", ":") {
            tree(tokens, &mut (at + 3), &mut Vec::new(), &mut |path| found.push((at, path.to_vec())));
        }
    }
    found
}

/// Passes the paths of a path or group to `found`.
fn tree(tokens: &[Token], at: &mut usize, path: &mut Vec<String>, found: &mut dyn FnMut(&[String])) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let depth = path.len();
    if text(*at) == "{" {
        *at += 1;
        while !["}", ""].contains(&text(*at)) {
            tree(tokens, at, path, found);
            // A new name (`as x`) is none of the path.
            while !["}", ",", ""].contains(&text(*at)) {
                *at += 1;
            }
            *at += usize::from(text(*at) == ",");
        }
        *at += 1;
    } else {
        path.push(text(*at).to_owned());
        *at += 1;
        if text(*at) == ":" && text(*at + 1) == ":" && text(*at + 2) != "<" {
            *at += 2;
            tree(tokens, at, path, found);
        } else {
            found(path);
        }
    }
    path.truncate(depth);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(code: &str) -> Vec<Token> {
        read(vec![("a.rs".to_owned(), code.to_owned())]).remove(0).tokens
    }

    #[test]
    fn tests_are_not_production_code() {
        let files = [
            ("a/mod.rs", "mod b;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\npub(crate) mod sample;\nfn f() {}\n"),
            ("a/sample.rs", "fn f() {}"),
            ("a/tests/more.rs", "fn f() {}"),
            (
                "a/b.rs",
                "#[cfg(not(test))]\nfn g() {}\n#[cfg(all(test, unix))]\n#[rustfmt::skip]\nfn h() { '}' }\nfn i() {}",
            ),
        ];
        let sources = read(files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec());
        let code = sources
            .iter()
            .map(|source| source.tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" "));
        let expected = ["mod b ; fn f ( ) { }", "", "", "# [ cfg ( not ( test ) ) ] fn g ( ) { } fn i ( ) { }"];
        assert_eq!(code.collect::<Vec<_>>(), expected);
        assert_eq!((sources[0].module(), sources[3].module()), (vec!["a"], vec!["a", "b"]));
    }

    #[test]
    fn groups_of_paths_are_read() {
        let check = |code: &str, expected: &[&str]| {
            let found: Vec<String> = paths(&tokens(code), "crate").iter().map(|(_, path)| path.join("::")).collect();
            assert_eq!(found, expected, "{code}");
        };
        check("use crate::a::b;", &["a::b"]);
        check(
            "use crate::a::{self, b::{c, d}, e as f,};\nfn x() { crate::g::<T>(x) }",
            &["a::self", "a::b::c", "a::b::d", "a::e", "g"],
        );
        check("use crate::{a as b, c::*};", &["a", "c::*"]);
        check("$crate::a other::crate::b mycrate::c \"crate::d\" // crate::e", &[]);
        check("fn f(x: crate::a) {}", &["a"]);
    }
}
