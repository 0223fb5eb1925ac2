//! Recognizes the version of Guard that a file is written for.
//!
//! Guard 1.0 and Guard 3 share the extension of their files, and many files are valid in both, with another meaning. So
//! formwork looks for lines that only Guard 2 and 3 have. A comment `# guard: 1` or `# guard: 3` above the first
//! statement decides.

use crate::diagnostic::Level;
use crate::guard;
use crate::guard3::ast::UNARY;
use crate::guard3::parse::parse;
use crate::text::Sources;

/// True if a file with Guard rules is in the language of Guard 2 and 3, not in that of Guard 1.0.
pub fn is_guard3(text: &str) -> bool {
    if let Some(version) = declared(text) {
        return version != "1";
    }
    let mut rest = Rest::default();
    if text.lines().any(|line| has_sign(&rest.without_quotes(line))) {
        return true;
    }
    // A path that begins elsewhere is probably one of Guard 1.0, which has errors that are worth to be told.
    let file = Sources::new().add("rules.guard", "");
    text.contains("Properties") && !guard::is_valid(text) && {
        let parsed = parse(file, text);
        !parsed.file.rules.is_empty() && parsed.problems.iter().all(|problem| problem.level != Level::Error)
    }
}

/// Returns the version that a comment above the first statement names.
fn declared(text: &str) -> Option<&str> {
    let comments = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let named = comments.filter_map(|line| line.trim_start_matches('#').trim().strip_prefix("guard:"));
    named.map(str::trim).find(|version| matches!(*version, "1" | "2" | "3"))
}

/// True if Guard 1.0 does not have such a line. Comments and quoted texts have been removed.
fn has_sign(line: &str) -> bool {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();

    let (first, second) = match &*words {
        [] => return false,
        [first, second, ..] => (*first, Some(*second)),
        [first] => (*first, None),
    };
    let named = first == "rule" && second.is_some();
    let is_block = line.ends_with('{') && !line.ends_with("%{") || line.starts_with('}');
    let begins = first.starts_with('%')
        || ["when", "some", "Resources", "Parameters"]
            .iter()
            .any(|word| first == *word || first.starts_with(word) && first.get(word.len()..).is_some_and(is_path));
    // Guard 1.0 has errors for `EXISTS` and `:=` that name the line.
    let has_operator = words.iter().enumerate().any(|(at, word)| {
        matches!(at, 1 | 2) && (*word == "in" || (*word == "not" || *word == "NOT") && words.get(at + 1).is_some())
    });
    let ends_in_unary =
        words.len() > 1 && words.last().is_some_and(|word: &&str| UNARY.iter().any(|(name, _)| word == name));
    let is_query =
        |value: &str| value.starts_with("Resources.") || value.starts_with('%') && value.contains(['.', '[']);
    let is_let = first == "let" && words.get(2) == Some(&"=") && words.get(3).is_some_and(|value| is_query(value));
    named || is_block || begins || has_operator || ends_in_unary || is_let
}

fn is_path(rest: &str) -> bool {
    rest.starts_with(['.', '['])
}

/// State between lines: an open string or message.
#[derive(Default)]
struct Rest {
    is_message: bool,
}

impl Rest {
    /// Returns a line without comments, strings, patterns and messages.
    fn without_quotes(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            if self.is_message {
                let Some((_, after)) = rest.split_once(">>") else { break };
                self.is_message = false;
                rest = after;
                continue;
            }
            let after = rest.get(first.len_utf8()..).unwrap_or_default();
            match first {
                '#' => break,
                '<' if after.starts_with('<') => {
                    self.is_message = true;
                    rest = after.get(1..).unwrap_or_default();
                }
                '\'' | '"' | '/' if after.contains(first) => {
                    rest = after.split_once(first).map_or("", |(_, after)| after);
                }
                other => {
                    out.push(other);
                    rest = after;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_the_later_language_are_recognized() {
        for text in [
            "rule a { A == 1 }",
            "let b = Resources.*[ Type == 'X' ]",
            "AWS::S3::Bucket {\n  Properties exists\n}",
            "# guard: 3\nAWS::EC2::Volume Size <= 100",
            "AWS::S3::Bucket Properties.BucketName exists",
            "%b !empty",
        ] {
            assert!(is_guard3(text), "{text}");
        }
        for text in [
            "AWS::EC2::Volume Size <= 100",
            "let x = 5\nAWS::EC2::Volume Size <= %x",
            "AWS::EC2::Volume Size == 1 << in a rule { >>",
            "# guard: 1\nrule a",
            "AWS::S3::Bucket BucketName EXISTS",
            "let b := Resources.*",
            "",
        ] {
            assert!(!is_guard3(text), "{text}");
        }
    }
}
