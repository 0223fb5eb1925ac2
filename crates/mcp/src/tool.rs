//! The tools, and their arguments.

use serde_json::{Map, Value, json};

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Check,
    Fix,
    Explain,
    Expand,
    Diff,
    Rules,
    Type,
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) is_required: bool,
    description: &'static str,
}

/// Values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Text,
    /// A list of strings.
    Texts,
    /// An object with the text of each file. `null` stands for a deleted file.
    Files,
    Flag,
    /// A number up to a maximum.
    Count(u64),
    /// A word of a list.
    Word(&'static [&'static str]),
}

const fn optional(name: &'static str, takes: Takes, description: &'static str) -> Parameter {
    Parameter { name, takes, is_required: false, description }
}

const fn required(name: &'static str, takes: Takes, description: &'static str) -> Parameter {
    Parameter { is_required: true, ..optional(name, takes, description) }
}

const FILES: Parameter =
    optional("files", Takes::Files, "Unsaved texts by path, used instead of the files on disk; null: deleted");
const PATHS: Parameter = optional("paths", Takes::Texts, "Files or folders below the root; default [\".\"]");

const CHECK: &[Parameter] = &[
    PATHS,
    FILES,
    optional("min_severity", Takes::Word(&["low", "medium", "high"]), "Least severity to list; default medium"),
    optional("rule", Takes::Text, "Only findings of this rule; `*` matches anything"),
    optional("limit", Takes::Count(100), "Most kinds to list; default 20"),
    optional("cursor", Takes::Count(1_000_000), "Skip as many kinds, as the last answer said"),
];

const FIX: &[Parameter] = &[
    optional("ids", Takes::Texts, "IDs of findings"),
    optional("rule", Takes::Text, "ID of a rule"),
    PATHS,
    FILES,
    optional("unsafe", Takes::Flag, "Also edits that are only likely to be right; default false"),
];

const EXPLAIN: &[Parameter] = &[required("at", Takes::Text, "`file:line`, or the ID of a finding"), FILES];

const EXPAND: &[Parameter] = &[
    required("file", Takes::Text, "Template"),
    optional("parameters", Takes::Texts, "Parameter files; later ones override earlier ones"),
    optional("resource", Takes::Text, "Name, type, or path such as resources[0]"),
    FILES,
];

const DIFF: &[Parameter] =
    &[required("files", Takes::Files, "Unsaved texts by path, compared with the files on disk; null: deleted"), PATHS];

const RULES: &[Parameter] = &[
    optional("id", Takes::Text, "ID or name of a rule"),
    optional("query", Takes::Text, "Words such as `storage tls`"),
];

const TYPE: &[Parameter] = &[
    required("type", Takes::Text, "Such as Microsoft.Storage/storageAccounts or AWS::S3::Bucket"),
    optional("version", Takes::Text, "API version; default: the newest stable one"),
    optional("path", Takes::Text, "Such as properties.networkAcls"),
];

impl Tool {
    /// Every tool, in the order of the list.
    pub const ALL: [Self; 7] =
        [Self::Check, Self::Fix, Self::Explain, Self::Expand, Self::Diff, Self::Rules, Self::Type];

    /// Returns the name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Fix => "fix",
            Self::Explain => "explain",
            Self::Expand => "expand",
            Self::Diff => "diff",
            Self::Rules => "rules",
            Self::Type => "type",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Check => {
                "Check Bicep, ARM, and CloudFormation templates. The first word is the verdict: CLEAN, FAIL, or INCOMPLETE \
                 (something could not be read). Then one line per kind of finding: severity, rule, place, [ID], problem, fix."
            }
            Self::Fix => {
                "Return the edits that fix findings, and the verdict after them. Writes nothing: apply them with your edit \
                 tool. Name `ids` from `check`, or a `rule`."
            }
            Self::Explain => {
                "Explain a value (`file:line`) or a finding (its ID): where the value comes from, and what the rule expects."
            }
            Self::Expand => {
                "List the resources that a template deploys, or show one with all values. `resource` is a name, a type, or a path."
            }
            Self::Diff => "Show what unsaved `files` deploy differently from the files on disk, risks first.",
            Self::Rules => "Show a rule by `id`, or find rules by the words of a `query`.",
            Self::Type => {
                "Show the properties of an Azure or AWS resource type: required ones, types, allowed values. `path` selects an \
                 inner object."
            }
        }
    }

    /// Returns the arguments of the tool.
    pub(crate) const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Check => CHECK,
            Self::Fix => FIX,
            Self::Explain => EXPLAIN,
            Self::Expand => EXPAND,
            Self::Diff => DIFF,
            Self::Rules => RULES,
            Self::Type => TYPE,
        }
    }

    /// Returns the tool with a name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    /// Returns the entry in the list of tools.
    pub(crate) fn entry(self) -> Value {
        let parameters = self.parameters();
        let properties: Map<String, Value> =
            parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.schema())).collect();
        let required: Vec<&str> =
            parameters.iter().filter(|parameter| parameter.is_required).map(|parameter| parameter.name).collect();
        let mut input = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if let Some(input) = input.as_object_mut().filter(|_| !required.is_empty()) {
            input.insert("required".to_owned(), json!(required));
        }
        let mut entry = json!({
            "name": self.as_str(),
            "description": self.description(),
            "inputSchema": input,
            "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
        });
        if let Some(entry) = entry.as_object_mut().filter(|_| self == Self::Fix) {
            entry.insert("outputSchema".to_owned(), fix_schema());
        }
        entry
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.takes {
            Takes::Text => json!({"type": "string"}),
            Takes::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Takes::Files => json!({"type": "object", "additionalProperties": {"type": ["string", "null"]}}),
            Takes::Flag => json!({"type": "boolean"}),
            Takes::Count(most) => json!({"type": "integer", "minimum": 0, "maximum": most}),
            Takes::Word(words) => json!({"type": "string", "enum": words}),
        };
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), json!(self.description));
        }
        schema
    }
}

/// Returns the schema of the structured answer of `fix`.
fn fix_schema() -> Value {
    let line = json!({"type": "integer"});
    let text = json!({"type": "string"});
    let edit = json!({
        "type": "object",
        "properties": {"file": text, "start_line": line, "end_line": line, "old": text, "new": text},
        "required": ["file", "start_line", "end_line", "old", "new"],
    });
    json!({
        "type": "object",
        "properties": {"edits": {"type": "array", "items": edit}, "verdict": text},
        "required": ["edits", "verdict"],
    })
}
