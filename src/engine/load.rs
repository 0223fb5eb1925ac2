//! From a file to a parsed template or parameter file.

use std::fs::File;
use std::io::Read;

use crate::diagnostic::Diagnostic;
use crate::engine::detect::{self, Kind};
use crate::engine::discover::Input;
use crate::engine::frontend::Subject;
use crate::engine::parse::{not_a_template, read};
use crate::files::{Unreadable, read_bytes, register};
use crate::model::Limits;
use crate::text::{FileId, Sources};
use crate::value::Value;

/// How much of a file over the limit is looked at to tell whether anybody cares.
const HEAD_BYTES: u64 = 64 << 10;

/// A file that is ours.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) input: Input,
    pub(super) file: FileId,
    pub(super) kind: Kind,
    pub(super) value: Value,
}

impl Loaded {
    /// What a front end takes.
    pub(super) fn subject(&self) -> Subject<'_> {
        Subject { file: self.file, name: &self.input.name, kind: self.kind, value: &self.value }
    }
}

/// Reads one file. What a walk found and is not ours is skipped without a word; what the user named is not.
pub(super) fn load(input: Input, sources: &Sources, limits: &Limits) -> (Option<Loaded>, Vec<Diagnostic>) {
    match read_bytes(&input.path, limits.file_bytes) {
        Ok(bytes) => load_bytes(input, bytes, sources, limits),
        Err(Unreadable::TooLarge { .. }) if !input.named && !head_may_be_ours(&input) => (None, Vec::new()),
        Err(problem) => (None, vec![problem.into_diagnostic(&input.name, sources)]),
    }
}

/// As [`load`], for bytes that were read already.
pub(super) fn load_bytes(
    input: Input,
    bytes: Vec<u8>,
    sources: &Sources,
    limits: &Limits,
) -> (Option<Loaded>, Vec<Diagnostic>) {
    if bytes.len() as u64 > limits.file_bytes {
        let problem = Unreadable::TooLarge { limit: limits.file_bytes };
        return (None, vec![problem.into_diagnostic(&input.name, sources)]);
    }
    if !input.named && !detect::may_be_ours(&bytes) {
        return (None, Vec::new());
    }
    match register(&input.name, bytes, sources) {
        Ok(file) => parse(input, file, sources, limits),
        Err(problem) => (None, vec![problem]),
    }
}

fn parse(input: Input, file: FileId, sources: &Sources, limits: &Limits) -> (Option<Loaded>, Vec<Diagnostic>) {
    let source = sources.get(file);
    let parsed = read(&input.path, input.named, file, source.text(), limits.nesting);
    let mut diagnostics = parsed.diagnostics;
    let Some(value) = parsed.value else {
        let silent = !input.named && !detect::was_meant_to_be_ours(source.text());
        return (None, if silent { Vec::new() } else { diagnostics });
    };
    if let Some(kind) = detect::kind(&value, input.named) {
        let loaded = Loaded { input, file, kind, value };
        return (Some(loaded), diagnostics);
    }
    if !input.named {
        return (None, Vec::new());
    }
    diagnostics.push(not_a_template(&value, file));
    (None, diagnostics)
}

fn head_may_be_ours(input: &Input) -> bool {
    let mut head = Vec::new();
    let read = File::open(&input.path).and_then(|it| it.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && detect::may_be_ours(&head)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

    /// The kind of the file, or the codes of its problems with their lines.
    fn outcome(bytes: &[u8], named: bool, limits: &Limits) -> Result<Option<Kind>, Vec<String>> {
        let sources = Sources::new();
        let input = Input::new(Path::new("/"), Path::new("/x.json"), named);
        let (loaded, diagnostics) = load_bytes(input, bytes.to_vec(), &sources, limits);
        if diagnostics.is_empty() {
            return Ok(loaded.map(|it| it.kind));
        }
        let shown = diagnostics.iter().map(|it| {
            let line = sources.range(it.primary.span).0.line;
            format!("{}:{line}", it.code.as_str())
        });
        Err(shown.collect())
    }

    #[track_caller]
    fn check(bytes: &[u8], found: Result<Option<Kind>, &str>, named: Result<Option<Kind>, &str>) {
        let limits = Limits::default();
        let expected = |it: Result<Option<Kind>, &str>| it.map_err(|code| vec![code.to_owned()]);
        assert_eq!(outcome(bytes, false, &limits), expected(found), "found");
        assert_eq!(outcome(bytes, true, &limits), expected(named), "named");
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        let text = format!(r#"{{"resources": [], "metadata": {{}}, "$schema": "{SCHEMA}"}}"#);
        check(text.as_bytes(), Ok(Some(Kind::Template)), Ok(Some(Kind::Template)));
    }

    #[test]
    fn utf_16_is_read_by_its_byte_order_mark() {
        let text = format!(r#"{{"$schema": "{SCHEMA}"}}"#);
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        check(&bytes, Ok(Some(Kind::Template)), Ok(Some(Kind::Template)));
    }

    #[test]
    fn other_files_are_skipped_silently_unless_they_are_named() {
        let not_ours = Err("file/not-a-template:1");
        check(br#"{"a": 1}"#, Ok(None), not_ours);
        check(br#"["deploymentTemplate.json"]"#, Ok(None), not_ours);
        check(b"", Ok(None), Err("syntax/json:1"));
        check(b"\n\n{", Ok(None), Err("syntax/json:3"));
        check(b"\0\x01\xFF", Ok(None), Err("file/encoding:1"));
        check("[".repeat(100_000).as_bytes(), Ok(None), Err("syntax/depth:1"));
    }

    #[test]
    fn a_template_that_is_cut_off_is_reported_in_any_case() {
        let text = format!("{{\n  \"$schema\": \"{SCHEMA}\",\n  \"resources\": [");
        check(text.as_bytes(), Err("syntax/json:3"), Err("syntax/json:3"));
    }

    #[test]
    fn a_file_over_the_limit_is_not_parsed() {
        let limits = Limits { file_bytes: 4, ..Limits::default() };
        let found = outcome(b"12345", true, &limits);
        assert_eq!(found, Err(vec!["file/too-large:1".to_owned()]));
    }
}
