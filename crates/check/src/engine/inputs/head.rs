//! Tells by its beginning that a text is a template, without parsing all of it.
//!
//! Nearly every template has its kind in one of its first lines. Those that do not are parsed to find out.

use std::path::Path;

use crate::cfn::FORMAT_VERSION;
use crate::engine::detect::{self, Kind};

/// Returns the kind of a template, if the beginning of its text is proof of it.
pub(super) fn kind(path: &Path, text: &str) -> Option<Kind> {
    let found = match text.trim_start().strip_prefix('{') {
        Some(members) => of_members(members),
        None if detect::is_yaml(path) => of_lines(text),
        None => None,
    };
    // What Resource Manager would take as a template is one, whatever else it is.
    found.filter(|kind| *kind != Kind::Stack || !detect::may_be_of_azure(text.as_bytes()))
}

/// Returns the kind by the first members of an object in JSON, as long as these are strings.
fn of_members(text: &str) -> Option<Kind> {
    let mut rest = text;
    loop {
        let (key, after) = string(rest)?;
        let (value, after) = string(after.trim_start().strip_prefix(':')?)?;
        match key {
            "$schema" => return detect::of_schema(value).filter(|kind| *kind == Kind::Template),
            FORMAT_VERSION => return Some(Kind::Stack),
            _ => rest = after.trim_start().strip_prefix(',')?,
        }
    }
}

/// Returns a string without escapes after blanks, and what follows it.
fn string(text: &str) -> Option<(&str, &str)> {
    let (content, rest) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    (!content.contains('\\')).then_some((content, rest))
}

/// Returns the kind by the first keys of a mapping in YAML. A description is often before the version.
fn of_lines(text: &str) -> Option<Kind> {
    // A line that is indented belongs to the key before it.
    let mut keys = text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', ' ', '\t', '\r']));
    let first = keys.next()?;
    let first = if first.trim_end() == "---" { keys.next()? } else { first };
    let is_version = |line: &str| line.strip_prefix(FORMAT_VERSION).is_some_and(|rest| rest.starts_with(':'));
    let is_found = is_version(first) || (first.starts_with("Description:") && is_version(keys.next()?));
    is_found.then_some(Kind::Stack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::parse::Reading;
    use crate::text::Sources;

    const SCHEMA: &str =
        r#""$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#""#;

    /// Checks the kind that the head has, which must also be that of the parsed text, if there is one.
    #[track_caller]
    fn check(name: &str, text: &str, expected: Option<Kind>) {
        assert_eq!(kind(Path::new(name), text), expected, "{text}");
        let file = Sources::new().add(name, text);
        let reading = Reading::parse(Path::new(name), file, &text.into(), 9);
        let parsed = reading.choose(false).value.as_ref().and_then(|value| detect::kind(value, false));
        assert!(expected.is_none() || parsed == expected, "{parsed:?}: {text}");
    }

    #[test]
    fn a_template_of_resource_manager_is_told_by_its_schema() {
        let template = Some(Kind::Template);
        check("a.json", &format!("\n{{ {SCHEMA} }}"), template);
        check("a.yaml", &format!(r#"{{"contentVersion" : "1.0.0.0",{SCHEMA}, "resources": []}}"#), template);
        check("a.json", &format!(r#"{{"AWSTemplateFormatVersion": "2010-09-09", {SCHEMA}}}"#), None);
        check("a.json", r#"{"AWSTemplateFormatVersion": "2010-09-09", "contentVersion": "1.0.0.0"}"#, None);
        check("a.json", &format!("{{ /* first */ {SCHEMA} }}"), None);
        check("a.json", &format!(r#"{{"metadata": {{}}, {SCHEMA}}}"#), None);
        check("a.json", &format!(r#"{{"a\"": "{SCHEMA}"}}"#), None);
        check("a.json", &SCHEMA.replace("Template", "Parameters"), None);
        check("a.json", "{}", None);
    }

    #[test]
    fn a_stack_is_told_by_its_version() {
        let stack = Some(Kind::Stack);
        check("a.json", r#"{"Description": "d", "AWSTemplateFormatVersion": "2010-09-09"}"#, stack);
        check("a.yml", "# First\n---\nAWSTemplateFormatVersion: 2010-09-09\nResources: {}\n", stack);
        check("a.yaml", "Description: >\n  A\n\n  AWSTemplateFormatVersion: x\nAWSTemplateFormatVersion: '1'\n", stack);
        check("a.json", "AWSTemplateFormatVersion: 2010-09-09\n", None);
        check("a.yaml", "Description: d\nResources: {}\nAWSTemplateFormatVersion: 2010-09-09\n", None);
        check("a.yaml", "a: b\n---\nAWSTemplateFormatVersion: 2010-09-09\n", None);
        check("a.yaml", "AWSTemplateFormatVersions: 2010-09-09\n", None);
        check("a.yaml", "AWSTemplateFormatVersion: 2010-09-09\ncontentVersion: 1.0.0.0\n", None);
        check("a.yaml", "", None);
    }
}
