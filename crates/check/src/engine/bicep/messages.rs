//! Turns messages of the Bicep compiler into diagnostics.

use crate::bicep::{Message, MessageLevel, NAMES_VARIABLE, Point};
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::engine::bicep::BicepFiles;
use crate::text::{FileId, Source, Sources, Span};

/// Code of Bicep for a reference to a file with errors.
const NAMES_INVALID: &str = "BCP104";

/// Code of Bicep for an environment variable that is not there. A note says that the built-in compiler does not read it.
const ENVIRONMENT: &str = "BCP427";

/// Returns the diagnostic for a message, in the user's file.
pub(super) fn diagnostic(message: &Message, files: &mut BicepFiles<'_>, sources: &Sources) -> Diagnostic {
    let file = files.text_of(&message.file);
    let level = match message.level {
        // The errors of the file are reported in it.
        _ if message.code == NAMES_INVALID => Level::Note,
        MessageLevel::Error => Level::Error,
        MessageLevel::Warning => Level::Warning,
        MessageLevel::Info => Level::Note,
    };
    let text = if files.may_quote(&message.file) {
        message.text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        "the compiler refuses this file; it is not a Bicep file of the repository, so its text is not shown".to_owned()
    };
    let is_about_environment = text.contains("nvironment variable") && text.contains("does not exist");
    let problem = Diagnostic::new(Code::BicepDiagnostic, span(file, message, &sources.get(file)), text)
        .with_level(level)
        .with_bicep_code(&message.code);
    let problem = match problem.bicep_code {
        // Its ID is not the code, so that the message has to tell it.
        None if !message.code.is_empty() => {
            Diagnostic { message: format!("{}: {}", message.code, problem.message), ..problem }
        }
        _ => problem,
    };
    let problem = match level {
        Level::Note if message.code == ENVIRONMENT => problem.not_checked(NotChecked::Environment),
        _ => problem,
    };
    match &message.help {
        Some(help) => problem.with_help(help.as_str()),
        None if is_about_environment => problem.with_help(help_with_environment()),
        None => problem,
    }
}

/// Returns the help if a parameter file reads a variable that the compiler does not get.
fn help_with_environment() -> String {
    format!("formwork passes only some variables to Bicep; list the names of others in `{NAMES_VARIABLE}`")
}

/// Returns the diagnostic for a module that is not in the cache of a run with `--offline`, so that the file called
/// `user` is not built.
pub(super) fn not_restored(message: &Message, user: &str, files: &mut BicepFiles<'_>, sources: &Sources) -> Diagnostic {
    let file = files.text_of(&message.file);
    let span = span(file, message, &sources.get(file));
    let text = format!("the module is not in the module cache, so `{user}` is not checked");
    let help = "run `bicep restore` for the file once, or run without `--offline`";
    Diagnostic::new(Code::BicepRestore, span, text).with_help(help).not_checked(NotChecked::BicepModule)
}

/// Returns the diagnostic for modules that the built-in compiler took as unknown.
pub(super) fn unknown_module(message: &Message, files: &mut BicepFiles<'_>, sources: &Sources) -> Diagnostic {
    let file = files.text_of(&message.file);
    let span = span(file, message, &sources.get(file));
    let problem = Diagnostic::new(Code::BicepRestore, span, message.text.as_str()).not_checked(NotChecked::BicepModule);
    message.help.iter().fold(problem, |problem, help| problem.with_help(help.as_str()))
}

fn span(file: FileId, message: &Message, source: &Source) -> Span {
    let start = offset(source, message.start);
    Span::new(file, start, offset(source, message.end).max(start))
}

/// Returns the byte offset of a position that the compiler reported. A column past the end of the line is the end of
/// the line.
fn offset(source: &Source, point: Point) -> u32 {
    let text = source.text();
    let line = point.line.checked_add(1).and_then(|line| source.line_range(line));
    let range = line.unwrap_or(text.len()..text.len());
    let mut units = point.character as usize;
    let mut at = range.start;
    for letter in text.get(range).unwrap_or_default().chars() {
        match units.checked_sub(letter.len_utf16()) {
            Some(rest) => units = rest,
            None => break,
        }
        at += letter.len_utf8();
    }
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_from_0_and_utf16_units() {
        let sources = Sources::new();
        let source = sources.get(sources.add("x", "ab\r\n𐍈é=1\n"));
        let at = |line, character| offset(&source, Point { line, character });
        assert_eq!([at(0, 1), at(0, 9), at(1, 0), at(1, 2), at(1, 3), at(9, 0)], [1, 2, 4, 8, 10, 13]);
    }
}
