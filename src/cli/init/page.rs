//! The text of a new `formwork.yaml`.

use std::fmt::Write as _;

use crate::cli::init::survey::Survey;
use crate::config::{SETTINGS, Setting};
use crate::migrate::{Imported, ImportedSuppression, ImportedValue};

/// URL of the schema for the version that writes the file.
const SCHEMA: &str =
    concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/v", env!("CARGO_PKG_VERSION"), "/schemas/settings.schema.json");

/// Returns all settings: the imported ones, and an example of each other one in a comment.
pub(super) fn page(survey: &Survey, imported: &Imported) -> String {
    let mut page = format!(
        "# yaml-language-server: $schema={SCHEMA}\n\
         #\n\
         # Settings of formwork. `formwork init` {}.\n\
         # Examples are in comments: remove the `# ` before one to use it. docs/settings.md describes each key.\n",
        survey.summary()
    );
    for setting in SETTINGS {
        let _ = write!(page, "\n# {}\n", setting.summary);
        match active(setting.key, imported) {
            Some(block) => page.push_str(&block),
            None => page.push_str(&example(setting)),
        }
    }
    page
}

fn example(setting: &Setting) -> String {
    setting.example.lines().fold(String::new(), |text, line| text + "# " + line + "\n")
}

/// Returns the imported value of a key.
fn active(key: &str, imported: &Imported) -> Option<String> {
    match key {
        "exclude" if !imported.excluded_paths.is_empty() => {
            Some(format!("exclude:\n{}", list(&imported.excluded_paths, "  ")))
        }
        "rules" => rules(imported),
        "fail-on" => single_entry(key, imported.fail_on.as_ref()),
        "min-severity" => single_entry(key, imported.min_severity.as_ref()),
        "suppressions" if !imported.suppressions.is_empty() => {
            let entries: String = imported.suppressions.iter().map(suppression).collect();
            Some(format!("suppressions:\n{entries}"))
        }
        _ => None,
    }
}

fn single_entry(key: &str, entry: Option<&ImportedValue>) -> Option<String> {
    entry.map(|entry| format!("{key}: {} # {}\n", entry.value, in_comment(&entry.comment)))
}

fn rules(imported: &Imported) -> Option<String> {
    let mut text = String::new();
    for (key, entries) in [("include", &imported.include), ("exclude", &imported.exclude)] {
        if !entries.is_empty() {
            let _ = write!(text, "  {key}:\n{}", list(entries, "    "));
        }
    }
    if !imported.severities.is_empty() {
        text.push_str("  severity:\n");
        for (entry, severity) in &imported.severities {
            let (key, comment) = (scalar(&entry.value), in_comment(&entry.comment));
            let _ = writeln!(text, "    {key}: {} # {comment}", severity.as_str());
        }
    }
    (!text.is_empty()).then(|| format!("rules:\n{text}"))
}

fn list(entries: &[ImportedValue], indent: &str) -> String {
    let lines =
        entries.iter().map(|entry| format!("{indent}- {} # {}\n", scalar(&entry.value), in_comment(&entry.comment)));
    lines.collect()
}

fn suppression(accepted: &ImportedSuppression) -> String {
    let lists = [
        ("rule", &accepted.rules),
        ("path", &accepted.paths),
        ("resource-type", &accepted.types),
        ("resource", &accepted.names),
    ];
    let given = lists.into_iter().filter(|(_, values)| !values.is_empty());
    let mut lines: Vec<String> = given.map(|(key, values)| format!("{key}: {}", one_or_list(values))).collect();
    lines.push(format!("reason: {}", scalar(&accepted.reason)));
    lines.extend(accepted.until.as_ref().map(|date| format!("until: {}", scalar(date))));
    let body = lines.join("\n    ");
    format!("  # {}\n  - {body}\n", in_comment(&accepted.comment))
}

fn one_or_list(values: &[String]) -> String {
    if let [value] = values {
        return scalar(value);
    }
    let items: Vec<String> = values.iter().map(|value| scalar(value)).collect();
    format!("[{}]", items.join(", "))
}

/// Returns a YAML string. It is quoted if it could be read as another value.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&&*text.to_ascii_lowercase());
    if starts_well && !is_word && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

/// Replaces line breaks and control characters, so that a text stays in its comment.
fn in_comment(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(scalar(text), expected);
        let read: serde_json::Value = serde_json::from_str(expected).unwrap_or_else(|_| expected.into());
        assert_eq!(read, text);
    }

    #[test]
    fn strings_keep_their_meaning() {
        check("AZ-STORAGE-001", "AZ-STORAGE-001");
        check("secret/output", "secret/output");
        check("*", "\"*\"");
        check("no", "\"no\"");
        check("2027-01-31", "\"2027-01-31\"");
        check("a: b # c", "\"a: b # c\"");
        check("a\nb\"", r#""a\nb\"""#);
        check("", "\"\"");
    }

    #[test]
    fn a_comment_stays_on_its_line() {
        assert_eq!(in_comment("a\nb: c\r\u{2028}d"), "a b: c  d");
    }
}
