//! What is compared between WebAssembly and other targets.

use std::fmt::Write;

use formwork::{Files, Format, Rules};

/// Checks files, and says what was found, with fixes.
pub(crate) fn report<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let files = files.into_iter().fold(Files::new(), |files, (name, text)| files.with(name, text));
    let report = files.check(&Rules::builtin());
    let mut out = Vec::new();
    report.render(Format::Concise, &mut out).expect("a vector can be written to");
    let mut out = String::from_utf8(out).expect("reports are UTF-8");
    for finding in report.findings() {
        for fix in finding.fixes() {
            let edit = &fix.edits[0];
            let (line, column) = (edit.start.line, edit.start.column);
            writeln!(out, "{}:{line}:{column}: {}", edit.file, fix.description).expect("a string can be written to");
        }
    }
    out
}
