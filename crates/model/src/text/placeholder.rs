//! Placeholders in files, which a tool or a pipeline replaces by values before the deployment.

use std::ops::Range;

/// Delimiters of placeholders such as `#{name}#`, longest first. The text between them contains neither delimiter,
/// which excludes `<policies><inbound/></policies>`.
///
/// The delimiters are those of Teams Toolkit (`${{`), the Azure Developer CLI (`${`), Jinja and Mustache (`{{`),
/// tasks that replace tokens (`#{`, `__`), Azure Verified Modules (`#_`), Azure Pipelines (`$(`), and of people
/// (`<`).
const FENCES: &[(&str, &str)] = &[
    ("${{", "}}"),
    ("${", "}"),
    ("{{", "}}"),
    ("#{", "}#"),
    ("#{", "}"),
    ("#_", "_#"),
    ("##", "##"),
    ("$(", ")"),
    ("__", "__"),
    ("<", ">"),
];

/// Prefixes of placeholders in the parameter files of Azure's quickstart templates: `GEN-UNIQUE`,
/// `GET-PREREQ-vaultName`.
const PREFIXES: &[&str] = &["GEN-", "GET-"];

/// Maximum length of a placeholder in a longer string, with its closing but without its opening delimiter, in bytes.
const MAX_LENGTH: usize = 512;

/// Separators between the name of an environment variable and its default, as in `${NAME=default}`, longest first.
const ASSIGNMENTS: &[&str] = &[":=", ":-", "=", "-"];

/// A placeholder in a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The byte range in the string.
    pub range: Range<usize>,
    /// The replacement if nothing else is set: `x` in `${NAME=x}`.
    pub default: Option<&'a str>,
}

/// Returns whether the whole string is a placeholder.
pub fn is_placeholder(text: &str) -> bool {
    let is_fenced = |(start, end): &(&str, &str)| {
        let inner = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(start) && !inner.contains(end))
    };
    PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || FENCES.iter().any(is_fenced)
}

/// Words that people write as the default of a parameter that is only needed in some deployments, without separators
/// and in lower case.
const STAND_INS: &[&str] = &[
    "",
    "changeit",
    "changeme",
    "dummy",
    "empty",
    "fillin",
    "fixme",
    "na",
    "nil",
    "none",
    "notapplicable",
    "notdefined",
    "notneeded",
    "notrequired",
    "notset",
    "notspecified",
    "notused",
    "null",
    "optional",
    "placeholder",
    "replace",
    "replaceme",
    "sample",
    "setme",
    "tbd",
    "tobedefined",
    "todo",
    "undefined",
    "unknown",
    "unset",
    "unspecified",
    "unused",
];

/// Minimum length of an ID of zeros or of the letter x, such as `vpc-00000000`.
const MIN_ZEROS: usize = 8;

/// Returns `true` if a text only stands in for a value: `NA`, `n/a`, `change-me`, `subnet-00000000`, `<vpc id>`, or
/// nothing.
pub fn is_stand_in(text: &str) -> bool {
    let text = text.trim();
    if text.len() > MAX_LENGTH {
        return false;
    }
    let word: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let is_blank = |c: char| c == '0' || c.eq_ignore_ascii_case(&'x');
    let id = text.rsplit_once(['-', '/', ':']).map_or(text, |(_, id)| id);
    let is_blank_id = id.len() >= MIN_ZEROS && id.chars().all(is_blank);
    let is_blank_uuid = text.len() == 36 && text.chars().all(|c| c == '-' || is_blank(c));
    is_placeholder(text) || STAND_INS.contains(&word.as_str()) || is_blank_id || is_blank_uuid
}

/// Returns the placeholders in a string, in order. They do not overlap.
pub fn placeholders(text: &str) -> Vec<Placeholder<'_>> {
    if is_placeholder(text) {
        return vec![Placeholder { range: 0..text.len(), default: default_of(text) }];
    }
    let is_markup = text.contains("</") || text.contains("/>");
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(['$', '{', '#', '_', '<'])) {
        let start = at + next;
        let rest = text.get(start..).unwrap_or_default();
        let end = placeholder_at(text, start).filter(|_| !is_markup || !rest.starts_with('<'));
        at = end.unwrap_or(start + 1);
        if let Some(placeholder) = end.and_then(|end| text.get(start..end)) {
            found.push(Placeholder { range: start..at, default: default_of(placeholder) });
        }
    }
    found
}

/// Returns the end of the placeholder that begins at `start`. In a longer string, the text between the delimiters
/// must be a name. It may be an expression if the delimiters are unambiguous.
fn placeholder_at(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let (open, close, inner) = FENCES.iter().find_map(|(open, close)| {
        let inner = rest.strip_prefix(open)?;
        // A text may have as many opening delimiters as characters.
        let inner = inner.get(..inner.floor_char_boundary(MAX_LENGTH)).unwrap_or_default();
        let at = if *open == "${" { closing_brace(inner) } else { inner.find(close) };
        Some((*open, *close, inner.get(..at?)?))
    })?;
    let end = start + open.len() + inner.len() + close.len();
    let is_made_of = |also: &str| inner.chars().all(|c| c.is_ascii_alphanumeric() || also.contains(c));
    let is_name = |also: &str| inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && is_made_of(also);
    let is_placeholder = match open {
        "${{" | "{{" => !inner.trim().is_empty() && !inner.contains(['{', '}']),
        "${" => is_name("_") || name_and_default(inner).is_some(),
        "#{" => is_name("_.-"),
        "$(" => is_name("_.-"),
        "#_" => !inner.is_empty() && is_made_of("_.-"),
        "##" => is_name("_-. "),
        "<" => is_name("_-. ") && !inner.ends_with(' '),
        // Matches `kv-__ENV__`, but not the setting `Logging__Level__Default`.
        _ => !inner.starts_with('_') && is_name("_") && is_apart(text, start, end),
    };
    is_placeholder.then_some(end)
}

/// Returns the position of the brace that closes one before this text, which may contain other braces.
fn closing_brace(inner: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns whether no word continues on either side.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let [before, after] = [text.get(..start), text.get(end..)].map(Option::unwrap_or_default);
    !before.ends_with(is_part) && !after.starts_with(is_part)
}

/// Returns the default in `${NAME=default}`, with the separators of the Azure Developer CLI.
fn default_of(placeholder: &str) -> Option<&str> {
    let inner = placeholder.strip_prefix("${")?.strip_suffix('}')?;
    name_and_default(inner).map(|(_, default)| default).filter(|default| !default.contains("${"))
}

/// Splits `NAME=default` at the first separator.
fn name_and_default(inner: &str) -> Option<(&str, &str)> {
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|end| *end > 0)?;
    let (name, rest) = inner.split_at_checked(end)?;
    let default = ASSIGNMENTS.iter().find_map(|sign| rest.strip_prefix(sign))?;
    Some((name, default))
}

#[cfg(test)]
mod tests {
    use super::{is_placeholder, is_stand_in, placeholders};

    #[test]
    fn a_stand_in_is_no_value_that_is_meant() {
        for text in [
            "",
            " ",
            "-",
            "NA",
            "N/A",
            "none",
            "Not Applicable",
            "change-me",
            "<your vpc>",
            "subnet-00000000",
            "vpc-xxxxxxxx",
            "00000000-0000-0000-0000-000000000000",
            "arn:aws:iam::123456789012:role/00000000",
        ] {
            assert!(is_stand_in(text), "{text}");
        }
        for text in ["0", "x", "false", "0.0.0.0/0", "subnet-0a000000", "nano", "10000000", "unknown-host.example.com"]
        {
            assert!(!is_stand_in(text), "{text}");
        }
    }

    #[test]
    fn a_placeholder_is_the_whole_string() {
        for text in [
            "GEN-UNIQUE-8",
            "GET-PREREQ-vnet",
            "__name__",
            "#{name}#",
            "#{name}",
            "#_name_#",
            "## TO BE DEFINED ##",
            "<name>",
            "$(name)",
            "$(secretOrRandomPassword ${VAULT} name)",
            "{{name}}",
            "${NAME}",
            "${NAME=default}",
            "${{NAME}}",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in
            ["", "x", "GENERAL", "gen-1", "____", "<>", "a-$(name)", "<a>b</a>", "$(a)$(b)", "{{a}}-{{b}}", "#{}#"]
        {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    /// Checks the text with its placeholders replaced by their defaults, or else by `?`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut replaced = String::new();
        let mut at = 0;
        for found in placeholders(text) {
            replaced.push_str(text.get(at..found.range.start).unwrap());
            replaced.push_str(found.default.unwrap_or("?"));
            at = found.range.end;
        }
        replaced.push_str(text.get(at..).unwrap());
        assert_eq!(replaced, expected, "{text}");
    }

    #[test]
    fn placeholders_are_found_in_longer_strings() {
        check("rg-${NAME}-x", "rg-?-x");
        check("bot${{SUFFIX}}", "bot?");
        check("https://${{ HOST }}/${TENANT}", "https://?/?");
        check("dep-#_namePrefix_#-kv-#_namePrefix_#", "dep-?-kv-?");
        check("https://<account>.blob.core.windows.net", "https://?.blob.core.windows.net");
        check("kv-__ENV__", "kv-?");
        check("a-$(Build.BuildId)-#{b}#-#{c}", "a-?-?-?");
        check("{{a}}-{{b}}", "?-?");
        check("${A}${B=b}", "?b");
    }

    #[test]
    fn defaults_are_those_of_the_azure_developer_cli() {
        check("${NAME=default}", "default");
        check("${NAME:-a:b}", "a:b");
        check("${NAME-}", "");
        check("${USE_IT=false}", "false");
        check("v${MAJOR=1}.${MINOR:=2}", "v1.2");
        check("${A=${B}}", "?");
    }

    #[test]
    fn other_text_is_none() {
        for text in [
            "Logging__Level__Default",
            "a < b, c > d",
            "<p>x</p>",
            "set <b> and </b>",
            "a ${1}",
            "a $(1 + 2)",
            "a #{}",
            "a #__#",
            "${",
            "a {{ }}",
            "{\"a\": {\"b\": 1}}",
        ] {
            check(text, text);
        }
        for open in ["${", "{{", "<", "#{", "$(", "#_", "__a ", "${{"] {
            let text = open.repeat(50_000);
            check(&text, &text);
        }
    }
}
