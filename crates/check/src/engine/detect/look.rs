//! Rules most files out by their bytes, before they are parsed: they contain no key or schema of a template.
//!
//! A look may be wrong in one direction only. It takes a file in which the words stand anywhere, and the parsed keys
//! decide. So it must find them however the grammar lets an author write them: with escapes, in any style of YAML, in
//! any encoding.
//!
//! # Invariant
//!
//! A look at the bytes of a file only excludes the file, so it finds keys in every spelling that the grammars allow.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::{Captures, Regex};

use crate::cfn;

/// Pattern that every template and every parameter file of Resource Manager matches: a version, or a schema. Every
/// scope has its own schema: `subscriptionDeploymentTemplate.json` and so on.
static AZURE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i-u)contentversion|deployment(?:template|parameters)\.json"));

/// The name of a schema where it is the value of `$schema`, at whatever depth.
static SCHEMA_MEMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i-u)["']?\$schema["']?\s*:\s*["']?[^"'\n]*deployment(?:template|parameters)\.json"#));

/// Pattern that every CloudFormation template matches: a word that may be a key, because it is before a colon, a
/// comment, the end of the line, or non-ASCII blanks.
static STACK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?-u)\bResources["']?[ \t]*(?:[:#/\x00-\x1F\x7F-\xFF]|$)|AWSTemplateFormatVersion"#));

/// The keys of every service of the Serverless Framework.
static SERVICE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m-u)^\s*(?:\{\s*)?["']?service["']?\s*:|"service"\s*:"#));

/// The name of a type of resources, as CloudFormation writes them.
static STACK_TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?-u)\bType["']?\s*:\s*["']?(?:AWS|Alexa|Custom)::"#));

/// Pattern that every parameter file of CloudFormation matches: see [`cfn::is_parameter_file`] and
/// [`cfn::environments`].
static STACK_PARAMETERS: LazyLock<Regex> = LazyLock::new(|| {
    let keys = r#"\bParameterKey["']?[ \t]*:|\btemplate-file-path["']?[ \t]*:|\bparameter_overrides\b"#;
    let object = r#"(?:Parameters|StackPolicy|Tags)["']?\s*:"#;
    pattern(&format!(r#"(?-u){keys}|^(?:\xEF\xBB\xBF)?\s*(?:\{{\s*["']?{object}|\[\s*["']?[A-Za-z0-9]+=)"#))
});

/// The beginning of a list of resources, or of an answer with one.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    let members = "value|data|count|nextLink|skip_token|total_records";
    pattern(&format!(r#"^(?-u)(?:\xEF\xBB\xBF)?\s*(?:\[\s*\{{|\{{\s*"(?:{members})"\s*:)"#))
});

/// Escapes of JSON and YAML for printable characters of ASCII, and line breaks that YAML drops from a string.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?-u)\\(?:(?:u00|x|U000000)(?P<code>[2-7][0-9A-Fa-f])|(?P<slash>/)|(?:\r\n?|\n)[ \t]*)")
});

#[expect(clippy::expect_used, reason = "the patterns are literals that tests compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// The number of bytes that a pointer of Git LFS is shorter than.
const MAX_POINTER: usize = 1024;

/// Returns `true` if the bytes may be those of a template or a parameter file.
pub(in crate::engine) fn may_be_ours(bytes: &[u8]) -> bool {
    is_wide(bytes)
        || is_pointer(bytes)
        || in_any_spelling(bytes, |bytes| {
            AZURE.is_match(bytes)
                || STACK.is_match(bytes)
                || STACK_PARAMETERS.is_match(bytes)
                || is_export(bytes)
                || is_service(bytes)
        })
}

/// Returns `true` if the bytes are those of a pointer, which Git LFS stores in place of a file. Reference:
/// <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
pub(in crate::engine) fn is_pointer(bytes: &[u8]) -> bool {
    bytes.len() < MAX_POINTER && bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}

/// Returns `true` if the bytes may be those of a template or a parameter file of Resource Manager.
pub(in crate::engine) fn may_be_of_azure(bytes: &[u8]) -> bool {
    in_any_spelling(bytes, |bytes| AZURE.is_match(bytes))
}

/// Returns `true` if a text that cannot be parsed looks as if it were meant to be a template or a parameter file.
pub(in crate::engine) fn was_meant_to_be_ours(text: &str) -> bool {
    in_any_spelling(text.as_bytes(), |bytes| SCHEMA_MEMBER.is_match(bytes) || is_meant_as_stack(bytes))
}

/// Returns `true` if a text that may be the settings of the AWS SAM CLI mentions `parameter_overrides`. The text need
/// not be valid.
pub(in crate::engine) fn sets_overrides(text: &str) -> bool {
    in_any_spelling(text.as_bytes(), |bytes| memmem::find(bytes, b"parameter_overrides").is_some())
}

fn is_meant_as_stack(bytes: &[u8]) -> bool {
    memmem::find(bytes, cfn::FORMAT_VERSION.as_bytes()).is_some()
        || (STACK.find_iter(bytes).any(|found| is_outermost(bytes, found.start())) && STACK_TYPE.is_match(bytes))
}

/// Returns `true` if a key is indented at most as much as the first line with content. In a flow collection,
/// indentation does not tell the depth, so the result is `true`.
fn is_outermost(bytes: &[u8], at: usize) -> bool {
    let indentation = |line: &[u8]| line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let mut lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r'));
    let is_content = |line: &&[u8]| !matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%' | b'-'));
    let Some(first) = lines.find(is_content) else { return false };
    let before = bytes.get(..at).unwrap_or_default();
    let line = before.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    first.trim_ascii_start().starts_with(b"{") || indentation(line) <= indentation(first)
}

/// Returns `true` if the bytes may be those of a service of the Serverless Framework, whose provider is AWS.
fn is_service(bytes: &[u8]) -> bool {
    [&b"provider"[..], b"aws"].iter().all(|word| memmem::find(bytes, word).is_some()) && SERVICE.is_match(bytes)
}

fn is_export(bytes: &[u8]) -> bool {
    LIST.is_match(bytes) && memmem::find(bytes, b"\"/").is_some()
}

/// Returns `true` if `look` accepts the bytes as they are, without the zeros between the characters of UTF-16 and
/// UTF-32, or with escapes replaced by their characters. The bytes as they are count because a backslash in a block
/// scalar, for example, is not an escape.
fn in_any_spelling(bytes: &[u8], look: impl Fn(&[u8]) -> bool) -> bool {
    if look(bytes) {
        return true;
    }
    let is_padded = matches!(bytes, [0, ..] | [_, 0, ..] | [_, _, 0, ..]);
    let narrow: Cow<'_, [u8]> =
        if is_padded { bytes.iter().copied().filter(|byte| *byte != 0).collect() } else { bytes.into() };
    let plain = ESCAPE.replace_all(&narrow, |escape: &Captures<'_>| meant(escape));
    (is_padded || matches!(plain, Cow::Owned(_))) && look(&plain)
}

/// Returns the character that an escape stands for; nothing for a line break.
fn meant(escape: &Captures<'_>) -> Vec<u8> {
    let code = escape.name("code").and_then(|code| std::str::from_utf8(code.as_bytes()).ok());
    let character = code.and_then(|code| u8::from_str_radix(code, 16).ok());
    character.or_else(|| escape.name("slash").map(|_| b'/')).into_iter().collect()
}

/// Returns `true` if the bytes begin with the byte order mark of UTF-16 or UTF-32.
fn is_wide(bytes: &[u8]) -> bool {
    [&b"\xFF\xFE"[..], b"\xFE\xFF", b"\0\0\xFE\xFF"].iter().any(|mark| bytes.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: impl AsRef<[u8]>, expected: bool) {
        let bytes = bytes.as_ref();
        assert_eq!(may_be_ours(bytes), expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn the_words_of_templates_are_found_in_every_spelling() {
        for schema in [
            r"deploymentTemplate.json",
            r"DEPLOYMENTTEMPLATE.JSON",
            r"deploymentTemplat\u0065.json",
            r"deployment\u0054emplate\u002Ejson",
            r"deployment\x50arameters\U0000002ejson",
            "deploy\\\n    mentTemplate.json",
            "deploy\\\r\n\tmentTemplate.json",
        ] {
            check(format!(r#"{{"a": "https://schema.management.azure.com/schemas/2019-04-01/{schema}#"}}"#), true);
        }
        check(r#"{"contentVersio\u006e": 1}"#, true);
        check(r#"{"ContentVersion": 1}"#, true);
        for key in [
            r#""Resources""#,
            r#""Resources" "#,
            r"'Resources'",
            r#""\u0052esources""#,
            r#""Reso\x75rces""#,
            "\"Reso\\\n  urces\"",
            "? Resources\n",
            "? Resources # x\n",
            "? |-\n Resources\r",
            "!!str Resources",
            "&x Resources",
            "{Resources",
            "Resources /* x */ ",
            "Resources\u{a0}",
        ] {
            check(format!("{key}: {{}}"), true);
        }
        check("? Resources", true);
    }

    #[test]
    fn other_words_are_not() {
        check(r#"{"title": "Resources", "body": "Other Resources of \u0041zure"}"#, false);
        check("jobs:\n  a:\n    run: |\n      echo Resources \\\n        are here\n", false);
        check("resources:\n  limits: {}\n", false);
        check(r#"{"contentVersions": 1, "HumanResources2": 1}"#, true);
        check(r#"{"HumanResources": 1}"#, false);
        check("", false);
    }

    #[test]
    fn a_service_has_a_provider() {
        check("service: a\nprovider:\n  name: aws\n", true);
        check(r#"{"service": "a", "provider": {"name": "aws"}}"#, true);
        check("service: a\nprovider:\n  name: azure\n", false);
        check("services: a\nprovider: aws\n", false);
    }

    #[test]
    fn the_encoding_does_not_hide_them() {
        let text = r#"{"contentVersion": "1.0.0.0"}"#;
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&wide, true);
        check([b"\xFF\xFE", wide.as_slice()].concat(), true);
        check(text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>(), true);
        check(text.chars().flat_map(|character| u32::from(character).to_be_bytes()).collect::<Vec<_>>(), true);
        check("{\"a\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(), false);
        check(b"\0\0\xFE\xFF", true);
    }

    #[test]
    fn a_list_of_resources_may_be_an_export() {
        let text = r#"[{"id": "/subscriptions/s", "type": "A.B/c", "name": "s", "properties": {}}]"#;
        check(text, true);
        check(format!("\u{feff} {{ \"value\": {text}}}"), true);
        check(text.replace('/', r"\/"), true);
        check(r#"["/subscriptions"]"#, false);
        check(r#"{"a": [{"id": "/subscriptions/s"}]}"#, false);
    }

    #[test]
    fn a_broken_text_is_ours_if_it_has_our_schema_or_keys() {
        #[track_caller]
        fn check(text: &str, expected: bool) {
            assert_eq!(was_meant_to_be_ours(text), expected, "{text}");
        }
        let template =
            |name: &str| format!(r#"{{"$schema": "https://schema.management.azure.com/schemas/1/{name}#", "#);
        check(&template("deploymentTemplate.json"), true);
        check(&template(r"deploymentTemplat\u0065.json"), true);
        check(r#"["deploymentTemplate.json", "#, false);
        check("AWSTemplateFormatVersion: 2010-09-09\n\ta", true);
        check(" Resources:\n   b:\n     Type: AWS::S3::Bucket\n\t}", true);
        check("# x\n---\n\"Resourc\\x65s\":\n  b: {Type: 'AWS::S3::Bucket'\n", true);
        check("{Resources: {b: {Type: AWS::S3::Bucket, ", true);
        check("resources:\n  Resources:\n    b:\n      Type: AWS::S3::Bucket\n\t}", false);
        check("Resources:\n  b: {{ x }}\n", false);
    }
}
