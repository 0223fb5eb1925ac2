//! Texts for users are in plain English: the documentation, `--help`, the action, rules, and messages.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fancy_regex::Regex;

use crate::harness::Folder;

/// The files and folders to check. In a Rust file, these are the string literals outside of unit tests.
const CHECKED: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs",
    "action.yml",
    ".pre-commit-hooks.yaml",
    ".github",
    "editors/vscode/README.md",
    "editors/vscode/package.json",
    "rules",
    "ARCHITECTURE.md",
    "src",
];

/// Phrases to avoid, as regular expressions that ignore case, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    (r"\bheld against\b", "validated against, compared with"),
    (r"\b(?:leaves?|left|leaving) (?:no|any) doubt\b", "is unambiguous, allows exactly one value"),
    (r"(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)", "is not a …"),
    (r"\b(?:hangs?|hung|hanging) on\b", "depends on; dependents"),
    (r"\bpass(?:ed|es|ing)? over\b", "skip, ignore"),
    (r"\b(?:leaves?|left|leaving) aside\b", "ignore, leave unchanged"),
    (r"\b(?:leaves?|left|leaving) (?:\w+ )?out\b", "omit, remove, skip, suppress"),
    (r"\bweigh(?:s|t|ts|ed|ing)?\b", "counts towards the exit code; severity"),
    (r"\b(?:is|are|be) wanted\b|[,:] wanted\b|\bwanted (?:one|none)\b", "expected X, found Y"),
    (r"\bwants\b", "requires, expects"),
    (r"\bcircles?\b", "dependency cycle"),
    (r"\bin any spelling\b", "case-insensitive"),
    (r"\btruth values?\b", "Boolean"),
    (r"\b(?:a|empty) text\b|\btexts\b", "string"),
    (r"\bnothing uses\b|\bnothing reads\b", "unused variable `x`"),
    (r"\b(?:lies?|lying|laid|lay) (?:above|below|over|on top)\b", "overrides, merges"),
    (r"\bbehind\b(?! a load balancer)", "after; its cause"),
    (r"\bin front\b", "before"),
    (r"\bin place of\b|\btakes? the place of\b", "instead of; replaces, overrides"),
    (r"\bwhoever\b|(?:^|[.:;] )who (?:may|can|has|takes?|deletes?|uploads?)\b", "anyone who, if you"),
    (r"\bas it is\b", "unchanged, as written"),
    (r"\banew\b", "again"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\b(?:one|object|line|file|task) a (?:line|file|folder|range|template)\b", "one per line"),
    (r"\bstrangers?\b", "untrusted"),
    (r"\b(?:colour|licence|behaviour|honour|favour|neighbour|catalogue)", "American spelling"),
    (r"\banalys(?:e|ed|es|ing)\b", "American spelling: analyze"),
    (
        r"\b(?:recogn|normal|initial|organ|serial|summar|optim|minim|author)is(?:e|ed|es|ing)\b",
        "American spelling: -ize",
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A text for users, with the line on which it starts, from 1.
#[derive(Debug, PartialEq, Eq)]
struct Text {
    line: usize,
    text: String,
}

/// The paragraphs of a page, without blocks of code and output.
fn paragraphs(page: &str) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut is_code = false;
    let mut is_new = true;
    for (at, line) in page.lines().enumerate() {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        if is_fence || is_code || line.is_empty() {
            is_new = true;
            continue;
        }
        match texts.last_mut() {
            Some(Text { text, .. }) if !is_new => *text = format!("{text} {line}"),
            _ => texts.push(Text { line: at + 1, text: line.to_owned() }),
        }
        is_new = false;
    }
    texts
}

/// The lines of a file.
fn lines(text: &str) -> Vec<Text> {
    text.lines().enumerate().map(|(at, line)| Text { line: at + 1, text: line.to_owned() }).collect()
}

/// The string literals of Rust code, without unit tests and the reasons in attributes.
fn literals(code: &str) -> Vec<Text> {
    let token = [
        r"//[^\n]*",
        r"(?s:/\*.*?\*/)",
        r"b?'(?:\\.[^']*|[^\\'])'",
        r#"(?s:b?r(#*)"(?<raw>.*?)"\1)"#,
        r#"(?s:b?"(?<plain>(?:\\.|[^"\\])*)")"#,
    ];
    let token = Regex::new(&token.join("|")).unwrap();
    let code = code.split("\n#[cfg(test)]\nmod ").next().unwrap_or(code);
    let mut texts = Vec::new();
    for found in token.captures_iter(code) {
        let found = found.unwrap();
        let Some(literal) = found.name("raw").or_else(|| found.name("plain")) else { continue };
        let before = &code[..found.get(0).unwrap().start()];
        if !before.ends_with("reason = ") {
            let text = literal.as_str().replace("\\n", " ").replace("\\\n", " ");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            texts.push(Text { line: before.matches('\n').count() + 1, text });
        }
    }
    texts
}

/// The texts of a file, by its kind.
fn texts(path: &Path) -> Vec<Text> {
    // The names in generated tables are those of others; pictures have no text.
    let is_data = |extension: &OsStr| ["aliases", "png", "policies", "types"].iter().any(|kind| extension == *kind);
    if path.extension().is_some_and(is_data) || path.ends_with("cloudformation.sets") {
        return Vec::new();
    }
    let content = fs::read_to_string(path).unwrap();
    match path.extension().and_then(|it| it.to_str()) {
        Some("md") => paragraphs(&content),
        Some("rs") => literals(&content),
        _ => lines(&content),
    }
}

/// Whether a Rust file has only tests.
fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    path.components().any(|part| part.as_os_str() == "tests") || name.ends_with("tests.rs")
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if !is_test(path.strip_prefix(root()).unwrap()) && path.extension().is_none_or(|it| it != "snap") {
        files.push(path.to_owned());
    }
}

/// The phrases of the table that a text contains, each with what to write instead.
fn phrases(text: &str) -> Vec<(String, &'static str)> {
    static COMPILED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let compile = |phrase: &str| Regex::new(&format!("(?i){phrase}")).unwrap();
        PHRASES.iter().map(|&(phrase, instead)| (compile(phrase), instead)).collect()
    });
    static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("`[^`]*`").unwrap());
    // Code in backticks is not prose.
    let text = CODE.replace_all(text, "`x`");
    let find = |(phrase, instead): &(Regex, &'static str)| {
        let found = phrase.find(&*text).unwrap()?;
        Some((found.as_str().to_owned(), *instead))
    };
    COMPILED.iter().filter_map(find).collect()
}

/// The pages of `--help`: of the program, of its commands, and of theirs.
fn help(command: &[&str], pages: &mut Vec<(String, String)>) {
    let arguments = [command, &["--help"]].concat();
    let page = Folder::new().run(&arguments).stdout;
    let listed = page.split("\nCommands:\n").nth(1).unwrap_or_default();
    let listed = listed.lines().take_while(|line| !line.is_empty());
    for name in listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()) {
        if !name.is_empty() && name != "help" {
            help(&[command, &[name]].concat(), pages);
        }
    }
    pages.push((format!("formwork {}", arguments.join(" ")), page));
}

#[test]
fn files_are_in_plain_english() {
    let mut files = Vec::new();
    for name in CHECKED {
        collect(&root().join(name), &mut files);
    }
    files.sort();
    let mut report = String::new();
    for path in files {
        for Text { line, text } in texts(&path) {
            for (phrase, instead) in phrases(&text) {
                let name = path.strip_prefix(root()).unwrap().display();
                writeln!(report, "{name}:{line}: `{phrase}`; write: {instead}").unwrap();
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn help_is_in_plain_english() {
    let mut pages = Vec::new();
    help(&[], &mut pages);
    assert!(pages.len() > 10, "{pages:?}");
    let mut report = String::new();
    for (command, page) in pages {
        for Text { text, .. } in paragraphs(&page) {
            for (phrase, instead) in phrases(&text) {
                writeln!(report, "{command}: `{phrase}`; write: {instead}\n    {text}").unwrap();
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn phrases_are_found_in_sentences_that_made_readers_stumble() {
    for (text, phrase) in [
        ("write what a rule leaves no doubt about", "leaves no doubt"),
        ("a value that is no JSON is a text", "is no "),
        ("the files that would be found are left aside", "left aside"),
        ("Values are held against the types", "held against"),
        ("JSON and YAML that is no template is passed over", "passed over"),
        ("check what changed and what hangs on it", "hangs on"),
        ("`a` is `1`, wanted none of `2`", ", wanted"),
        ("Resources depend on each other in a circle.", "circle"),
        ("Whoever pins that commit", "Whoever"),
        ("all inputs were analysed", "analysed"),
    ] {
        let found = phrases(text);
        assert!(found.iter().any(|(it, _)| it.eq_ignore_ascii_case(phrase)), "{text}: {found:?}");
    }
    for text in [
        "there is no function `x`",
        "the runtime is no longer supported",
        "`x` is `true`; expected `false`",
        "Put the instance behind a load balancer",
        "`is no` is a phrase to avoid",
        "Anyone who can read the template can read the password.",
    ] {
        assert_eq!(phrases(text), [], "{text}");
    }
}

#[test]
fn texts_of_rust_code_are_its_literals() {
    let code = r##"//! A "comment".
const QUOTE: char = '"';
#[expect(lint, reason = "for readers of the code")]
fn f<'a>() -> &'a str {
    g("one \"two\" \
       three", r#"raw "four" words"#)
}
#[cfg(test)]
mod tests { const X: &str = "not this"; }
"##;
    let found: Vec<(usize, String)> = literals(code).into_iter().map(|it| (it.line, it.text)).collect();
    assert_eq!(found, [(5, r#"one \"two\" three"#.to_owned()), (6, r#"raw "four" words"#.to_owned())]);
}
