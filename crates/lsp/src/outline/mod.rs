//! Declarations of a file, for everything that follows names.
//!
//! They are found in the current text, even if it is invalid, and not in the results of a check, so that a new name
//! is found at once.

mod bicep;
mod blocks;
mod data;
pub(crate) mod tokens;

use std::ops::Range;
use std::path::Path;

use arcstr::ArcStr;
use formwork_model::value::Value;

/// A declaration of a template, or of a Bicep parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Bytes of the name, with its quotes if it has some.
    pub(crate) place: Range<usize>,
    /// Type, such as `string` or `AWS::S3::Bucket`.
    pub(crate) type_name: Option<String>,
    /// For a resource with a computed name, the start of the key of the name.
    pub(crate) computed: Option<usize>,
}

/// Kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parameter,
    Variable,
    Resource,
    Module,
    Output,
    Function,
    Type,
    Extension,
    Condition,
    Mapping,
}

impl Kind {
    /// Returns the name of the kind.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::Variable => "variable",
            Self::Resource => "resource",
            Self::Module => "module",
            Self::Output => "output",
            Self::Function => "function",
            Self::Type => "type",
            Self::Extension => "extension",
            Self::Condition => "condition",
            Self::Mapping => "mapping",
        }
    }
}

/// Sections of JSON and YAML templates whose members are declarations.
const SECTIONS: [(&str, Kind); 8] = [
    ("parameters", Kind::Parameter),
    ("variables", Kind::Variable),
    ("resources", Kind::Resource),
    ("outputs", Kind::Output),
    ("definitions", Kind::Type),
    ("conditions", Kind::Condition),
    ("mappings", Kind::Mapping),
    ("functions", Kind::Function),
];

/// Returns the kind of a section's members.
fn section(name: &str) -> Option<Kind> {
    SECTIONS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, kind)| *kind)
}

/// True if a text contains AWS types, even if it is invalid.
pub(crate) fn is_of_aws(text: &str) -> bool {
    text.contains("AWS::")
}

/// Returns the declarations in the text of a file, in source order. The extension decides the language.
pub(crate) fn declarations(path: &Path, text: &ArcStr) -> Vec<Declaration> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicep" | "bicepparam") => bicep::declarations(text),
        Some("json" | "jsonc") => data::of_json(text),
        // Most templates are written in blocks, which need not be parsed.
        Some("yaml" | "yml" | "template") => blocks::declarations(text).unwrap_or_else(|| data::of_yaml(text)),
        _ => Vec::new(),
    }
}

/// Returns the values that a parameter can have, if its declaration lists them.
pub(crate) fn allowed(path: &Path, text: &ArcStr, parameter: &str) -> Vec<String> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicep") => bicep::allowed(text, parameter),
        _ => data::allowed(parsed(path, text), parameter),
    }
}

/// Parses a JSON or YAML file.
pub(crate) fn parsed(path: &Path, text: &ArcStr) -> Option<Value> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("json" | "jsonc") => data::json(text),
        Some("yaml" | "yml" | "template") => data::yaml(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[(&str, &str, &str)]) {
        let declarations = declarations(Path::new(path), &text.into());
        let found: Vec<(&str, &str, &str)> = declarations
            .iter()
            .map(|one| (one.kind.noun(), text.get(one.place.clone()).unwrap(), one.type_name.as_deref().unwrap_or("")))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn declarations_are_found_in_each_language() {
        check(
            "a.bicep",
            "param  a string\n  var b = 1\nvar c = 'é'\nresource d 'T@1' = {\nmodule",
            &[("parameter", "a", "string"), ("variable", "c", ""), ("resource", "d", "T@1")],
        );
        let json =
            r#"{"parameters": {"a": {"type": "int"}}, "resources": [{"type": "T", "name": "[x]"}], "x": {"y": 1}}"#;
        check("a.json", json, &[("parameter", "\"a\"", "int"), ("resource", "\"[x]\"", "T")]);
        let yaml = "Parameters:\n  A:\n    Type: String\nResources:\n  B:\n    Type: AWS::S3::Bucket\n";
        check("a.yaml", yaml, &[("parameter", "A", "String"), ("resource", "B", "AWS::S3::Bucket")]);
        check("a.yaml", "Resources: {B: {Type: X}}", &[("resource", "B", "X")]);
        check("a.json", "{", &[]);
    }

    #[test]
    fn allowed_values_are_those_of_the_declaration() {
        let allowed = |path: &str, text: &str| allowed(Path::new(path), &text.into(), "b").join(" ");
        let bicep = "@allowed(['x'])\nparam a string\n@description('n')\n@allowed([\n  'y'\n  'z'\n])\n@minLength(1)\nparam b string\n";
        assert_eq!(allowed("a.bicep", bicep), "y z");
        assert_eq!(allowed("a.bicep", "@allowed(['x'])\nparam a string\nparam b string\n"), "");
        let bicep = "@allowed([\n  'y (it\\'s)' // it's the ) first\n  'z'\n])\n@sys.description('@allowed([\\'a\\'])')\n/* ) */\nparam b string\n";
        assert_eq!(allowed("a.bicep", bicep), "y (it's) z");
        assert_eq!(allowed("a.json", r#"{"parameters": {"b": {"allowedValues": ["x", 1]}}}"#), "x 1");
        assert_eq!(allowed("a.yaml", "Parameters:\n  b:\n    AllowedValues: [x, y]\n"), "x y");
    }

    /// Blocks and what is parsed are two ways to the same.
    #[test]
    fn blocks_declare_what_the_parsed_text_does() {
        for text in [
            "",
            "# none\n",
            "---\nResources:\n  # one\n  'B':\n    Type: 'AWS::S3::Bucket' # why\n\n  \"C\" :\n    Type: X\n    Properties:\n      Type: Y\n",
            "Description: |\n  Resources:\n    X:\nOutputs:\n    A:\n        Value: 1\r\n    B: x\n",
            "Transform:\n- AWS::Serverless-2016-10-31\nMappings:\n  M:\n    a: |\n      b:\n    c: 1\nConditions:\n  Is: !Equals [a, b]\n",
            "Parameters:\n\n  A: &x\n    Default: 'b: c'\n    Type: String\nMetadata:\n  A: 1\n",
            "resources:\n  Fn::Transform:\n    Type: T\n  A:\n    Metadata: >\n     Type: U\n    Type: V\n",
        ] {
            let text = ArcStr::from(text);
            assert_eq!(blocks::declarations(&text), Some(data::of_yaml(&text)), "{text}");
        }
        for text in [
            "Resources: {A: 1}\n",
            "Outputs:\n  B: {Value: 2}\n",
            "? Resources\n: A: 1\n",
            "{Resources: {A: 1}}",
            "Resources:\n  ? A\n",
            "Resources:\n  <<: *a\n",
        ] {
            assert_eq!(blocks::declarations(text), None, "{text}");
        }
    }
}
