//! Rust as the checks read it: without comments, without the content of literals, without unit tests.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A file under `src`, or under that of a crate.
pub(super) struct Source {
    /// The path below the repository, with `/`.
    pub(super) file: String,
    /// The path below `src`; that of a file of a crate is in a folder with the name of the crate.
    pub(super) path: String,
    /// The crate under `crates`.
    pub(super) of_crate: Option<String>,
    pub(super) text: String,
    /// The production code, with every byte where it is in `text`: comments and unit tests are blank, and literals are
    /// runs of `"`. Empty for files that only unit tests use.
    pub(super) code: String,
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
        let mut code = mask(&text);
        let folder = match path.rsplit_once('/') {
            Some((folder, "mod.rs")) => format!("{folder}/"),
            _ if path == "lib.rs" => String::new(),
            _ => format!("{}/", path.trim_end_matches(".rs")),
        };
        tests.extend(remove_tests(&mut code).into_iter().map(|name| folder.clone() + &name));
        sources.push(Source { file: format!("src/{path}"), path, of_crate: None, text, code });
    }
    for source in &mut sources {
        let is_below =
            |test: &String| source.path.strip_prefix(test.as_str()).is_some_and(|rest| rest.starts_with(['.', '/']));
        if tests.iter().any(is_below) {
            source.code.clear();
        }
    }
    sources
}

/// Blanks comments and fills literals with `"`, so that what is left are the tokens, each in its line and column.
pub(super) fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while let Some(first) = rest.chars().next() {
        let (length, fill) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), ' ')
        } else if rest.starts_with("/*") {
            (block_comment(rest), ' ')
        } else if let Some(length) = literal(rest).filter(|_| !is_word(previous) || first == '"') {
            (length, '"')
        } else {
            masked.push(first);
            previous = first;
            rest = &rest[first.len_utf8()..];
            continue;
        };
        for byte in rest[..length].bytes() {
            masked.push(if byte == b'\n' { '\n' } else { fill });
        }
        previous = fill;
        rest = &rest[length..];
    }
    masked
}

/// The length of a comment that may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(offset) = text[at..].find(['/', '*']) {
        at += offset;
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of a string or character literal at the beginning of a text.
fn literal(text: &str) -> Option<usize> {
    let body = text.strip_prefix(['b', 'c']).unwrap_or(text);
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let content = raw[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = content.find(&end).map_or(content.len(), |at| at + end.len());
        return Some(text.len() - content.len() + length);
    }
    let quote = body.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let mut chars = body.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            _ if char == quote => return Some(text.len() - body.len() + at + 1),
            // `'a` without a quote after it is a lifetime.
            _ if quote == '\'' && !body[at + char.len_utf8()..].starts_with('\'') && !body[1..].starts_with('\\') => {
                return None;
            }
            _ => {}
        }
    }
    Some(text.len())
}

/// Blanks each item under `#[cfg(test)]`, and gives the names of the modules that lie in files of their own.
fn remove_tests(code: &mut String) -> Vec<String> {
    let mut names = Vec::new();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(") {
        let start = from + found;
        from = start + 6;
        if !names_test(code[from..].split(")]").next().unwrap_or_default()) {
            continue;
        }
        let end = item_end(code, start);
        let declaration = code[start..end].rsplit(']').next().unwrap_or_default();
        let words: Vec<&str> = declaration.split_whitespace().collect();
        if let [.., "mod", name] = words.as_slice()
            && let Some(name) = name.strip_suffix(';')
        {
            names.push(name.to_owned());
        }
        let blank = code[start..end].replace(|char| char != '\n', " ");
        code.replace_range(start..end, &blank);
    }
    names
}

fn names_test(condition: &str) -> bool {
    !condition.contains("not(") && words(condition).any(|(_, word)| word == "test")
}

/// Where the item ends that begins, with its attributes, at an offset of masked code.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, char) in code[start..].char_indices() {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' if depth == 0 => return start + at + 1,
            '{' if depth == 0 => return block_end(code, start + at),
            _ => {}
        }
    }
    code.len()
}

/// Where the block ends that begins with the brace at an offset of masked code.
pub(super) fn block_end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, char) in code[start..].char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return start + at + 1;
        }
    }
    code.len()
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The identifiers and keywords of masked code, with their offsets.
pub(super) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += code[at..].find(is_word)?;
        let length = code[at..].find(|char| !is_word(char)).unwrap_or(code.len() - at);
        let word = (at, &code[at..at + length]);
        at += length;
        Some(word)
    })
}

/// The paths of masked code that begin with a name, without it, in its lines: `crate::{a::b, c}` is `a::b` and `c`.
pub(super) fn paths(code: &str, root: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(root) {
        let before = &code[..at];
        let is_first = !before.ends_with("::") && !before.ends_with('$') && !before.ends_with(is_word);
        if let Some(rest) = code[at + root.len()..].strip_prefix("::").filter(|_| is_first) {
            tree(rest, &mut Vec::new(), &mut |path| found.push((line(code, at), path.to_vec())));
        }
    }
    found
}

/// The number of the line at an offset.
pub(super) fn line(code: &str, offset: usize) -> usize {
    1 + code[..offset].matches('\n').count()
}

/// Passes the paths of a path or group to `found`, and gives the text after it.
fn tree<'a>(text: &'a str, path: &mut Vec<String>, found: &mut dyn FnMut(&[String])) -> &'a str {
    let text = text.trim_start();
    let depth = path.len();
    let rest = if let Some(mut group) = text.strip_prefix('{') {
        loop {
            group = tree(group, path, found).trim_start();
            match group.strip_prefix(',') {
                Some(next) if !next.trim_start().starts_with('}') => group = next,
                Some(next) => break next.trim_start().trim_start_matches('}'),
                None => break group.strip_prefix('}').unwrap_or(group),
            }
        }
    } else {
        let length = text.find(|char: char| !is_word(char) && char != '*').unwrap_or(text.len());
        let (name, rest) = text.split_at(length);
        path.push(name.to_owned());
        match rest.strip_prefix("::") {
            Some(next) if !next.starts_with('<') => tree(next, path, found),
            _ => {
                found(path);
                // A new name (`as x`) is none of the path.
                match rest.strip_prefix(" as ") {
                    Some(next) => next.trim_start_matches(is_word),
                    None => rest,
                }
            }
        }
    };
    path.truncate(depth);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_not_code() {
        let check = |text: &str, expected: &str| assert_eq!(mask(text), expected, "{text}");
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */ d */ e", "a                   e");
        check(r#"f("x\"y") g"#, r#"f("""""") g"#);
        check("r#\"a\"b\"# c", "\"\"\"\"\"\"\"\" c");
        check("br\"\\\" c", "\"\"\"\"\" c");
        check("'a' 'b 'c: '\\'' d", "\"\"\" 'b 'c: \"\"\"\" d");
        check("'\\u{1F600}' x", "\"\"\"\"\"\"\"\"\"\"\" x");
        check("r#type for<'a> 'ä'", "r#type for<'a> \"\"\"\"");
        check("bar\"x\"", "bar\"\"\"");
    }

    #[test]
    fn tests_are_not_production_code() {
        let files = [
            ("a/mod.rs", "mod b;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\npub(crate) mod sample;\nfn f() {}\n"),
            ("a/sample.rs", "fn f() {}"),
            ("a/tests.rs", "fn f() {}"),
            ("a/tests/more.rs", "fn f() {}"),
            (
                "a/b.rs",
                "#[cfg(not(test))]\nfn g() {}\n#[cfg(all(test, unix))]\n#[rustfmt::skip]\nfn h() { '}' }\nfn i() {}",
            ),
        ];
        let sources = read(files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec());
        let code: Vec<_> =
            sources.iter().map(|source| source.code.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(code, ["mod b; fn f() {}", "", "", "", "#[cfg(not(test))] fn g() {} fn i() {}"]);
        assert_eq!((sources[0].module(), sources[4].module()), (vec!["a"], vec!["a", "b"]));
    }

    #[test]
    fn groups_of_paths_are_read() {
        let check = |code: &str, expected: &[&str]| {
            let found: Vec<String> = paths(code, "crate").into_iter().map(|(_, path)| path.join("::")).collect();
            assert_eq!(found, expected, "{code}");
        };
        check("use crate::a::b;", &["a::b"]);
        check(
            "use crate::a::{self, b::{c, d}, e as f,};\ncrate::g::<T>(x)",
            &["a::self", "a::b::c", "a::b::d", "a::e", "g"],
        );
        check("use crate::{a as b, c::*};", &["a", "c::*"]);
        check("$crate::a other::crate::b mycrate::c", &[]);
        assert_eq!(paths("\n\ncrate::a", "crate")[0].0, 3);
    }
}
