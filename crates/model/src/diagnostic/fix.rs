//! Changes of source text that fix findings.

use std::sync::Arc;

use crate::text::{Sources, Span};

/// A change that fixes a finding, and affects only the value of the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The change as a request: ``set `httpsOnly` to `true` ``.
    pub title: String,
    /// The edits, which must be applied together. There is at least one, and they do not overlap.
    pub edits: Vec<Edit>,
    /// True if the author probably, but not certainly, wants the change. Then it is applied only on request.
    pub is_guess: bool,
}

/// Replaces one range of text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text to remove. Empty for an insertion.
    pub span: Span,
    /// The name of the property that the edit sets.
    pub name: String,
    /// The text to insert.
    pub replacement: String,
}

/// A change as suggested in a review comment: it replaces whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLines {
    /// The name of the file.
    pub file: Arc<str>,
    /// First line to remove, from 1.
    pub first: u32,
    /// Last line to remove.
    pub last: u32,
    /// The lines to insert, separated by `\n`, without a line ending after the last.
    pub text: String,
}

/// Maximum number of lines of a suggestion. Longer ones are hard to read in a comment.
const MAX_LINES: u32 = 20;

/// Maximum length of a suggestion in bytes. A minified template is one line, which each suggestion would contain.
const MAX_BYTES: usize = 8 << 10;

impl Fix {
    /// Returns the change as whole lines. `None` if such a suggestion would differ from the change: if it is in
    /// several files, has lines that do not end in a plain `\n`, is too long, or contains a secret.
    pub fn as_lines(&self, sources: &Sources) -> Option<ReplacedLines> {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let (top, bottom) = (edits.first()?.span, edits.iter().max_by_key(|edit| edit.span.end)?.span);
        if edits.iter().any(|edit| edit.span.file != top.file) {
            return None;
        }
        let source = sources.get(top.file);
        let (first, last) = (source.position(top.start).line, source.position(bottom.end).line);
        let (start, end) = (source.line_range(first)?.start, source.line_range(last)?.end);
        if last - first >= MAX_LINES || end - start > MAX_BYTES {
            return None;
        }
        // Includes the first byte of the line ending, if there is one.
        let is_plain = !source.text().get(start..=end).or(source.text().get(start..))?.contains('\r');
        let is_safe = source.is_utf8() && !source.has_secret(start..end);
        let text = rewritten(source.text().get(start..end)?, start, &edits)?;
        (is_plain && is_safe && !text.contains('\r')).then(|| ReplacedLines {
            file: Arc::clone(source.name()),
            first,
            last,
            text,
        })
    }
}

/// Applies edits to a text that begins at `offset` of its file. The edits must be sorted and not overlap. `None` if
/// one is outside the text.
pub fn rewritten(text: &str, offset: usize, edits: &[&Edit]) -> Option<String> {
    let mut out = String::with_capacity(text.len() + edits.iter().map(|edit| edit.replacement.len()).sum::<usize>());
    let mut from = 0;
    for edit in edits {
        let start = (edit.span.start as usize).checked_sub(offset)?;
        out.push_str(text.get(from..start)?);
        out.push_str(&edit.replacement);
        from = (edit.span.end as usize).checked_sub(offset)?;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FileId;

    /// Returns the fix that writes each text in place of the one before it in the pair.
    fn fix(file: FileId, text: &str, changes: &[(&str, &str)]) -> Fix {
        let edit = |&(old, new): &(&str, &str)| {
            let start = text.find(old).unwrap();
            let (start, end) = (u32::try_from(start).unwrap(), u32::try_from(start + old.len()).unwrap());
            Edit { span: Span::new(file, start, end), name: String::new(), replacement: new.to_owned() }
        };
        Fix { title: String::new(), edits: changes.iter().map(edit).collect(), is_guess: false }
    }

    #[track_caller]
    fn check(text: &str, changes: &[(&str, &str)], wanted: Option<(u32, u32, &str)>) {
        let sources = Sources::new();
        let file = sources.add("a.json", text);
        let lines = fix(file, text, changes).as_lines(&sources);
        assert_eq!(
            lines.as_ref().map(|replaced| (replaced.first, replaced.last, replaced.text.as_str())),
            wanted,
            "{text:?}"
        );
    }

    #[test]
    fn the_lines_of_a_change_are_whole() {
        check("{\n  \"a\": 1, // x\n}\n", &[("1", "22")], Some((2, 2, "  \"a\": 22, // x")));
        check("{\n  \"a\": 1\n}", &[("1", "1,\n  \"b\": 2")], Some((2, 2, "  \"a\": 1,\n  \"b\": 2")));
        check("{\"a\": 1}", &[("1", "2")], Some((1, 1, "{\"a\": 2}")));
    }

    #[test]
    fn all_parts_of_a_change_are_in_its_lines_in_whatever_order() {
        check("[\n1,\nx,\n2\n]\n", &[("2", "b"), ("1", "a")], Some((2, 4, "a,\nx,\nb")));
    }

    #[test]
    fn lines_that_end_otherwise_are_no_suggestion() {
        check("{\r\n  \"a\": 1\r\n}", &[("1", "2")], None);
        check("{\n  \"a\": 1\r\n}", &[("1", "2")], None);
        check("{\r\n  \"a\": 1\n}", &[("1", "2")], Some((2, 2, "  \"a\": 2")));
        check("{\n  \"a\": 1\n}", &[("1", "2,\r\n3")], None);
    }

    #[test]
    fn a_long_change_or_one_in_two_files_is_no_suggestion() {
        let far = format!("1{}2", "\n".repeat(20));
        check(&far, &[("1", "a"), ("2", "b")], None);
        let long = "x".repeat(MAX_BYTES);
        check(&format!("1{long}"), &[("1", "a")], None);
        check(&long, &[("xx", "")], Some((1, 1, &"x".repeat(MAX_BYTES - 2))));
        let sources = Sources::new();
        let (a, b) = (sources.add("a", "1"), sources.add("b", "1"));
        let mut both = fix(a, "1", &[("1", "2")]);
        both.edits.extend(fix(b, "1", &[("1", "2")]).edits);
        assert_eq!(both.as_lines(&sources), None);
        let file = sources.add_recoded("c", "1");
        assert_eq!(fix(file, "1", &[("1", "2")]).as_lines(&sources), None);
    }
}
