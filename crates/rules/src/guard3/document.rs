//! What rules see of a template.

use arcstr::ArcStr;
use foldhash::HashMap;

use crate::guard::rule_type;
use crate::syntax::{json, yaml};
use crate::text::FileId;
use crate::value::{Str, Value};

/// A template as rules see it.
#[derive(Debug)]
pub(super) struct GuardDocument {
    pub(super) root: Value,
    /// The template as it is written, where its functions have other values in `root`.
    pub(super) written: Option<Value>,
    /// Resources that may not be deployed, and why.
    pub(super) uncertain: HashMap<Str, Str>,
    /// Whether names and types are case-insensitive, as in Azure.
    pub(super) ignores_case: bool,
    /// Whether verdicts are those of cfn-guard 3.2.1, defects included.
    pub(super) is_raw: bool,
}

impl GuardDocument {
    /// The template as cfn-guard sees it.
    pub(super) fn raw(root: Value) -> Self {
        Self { root, written: None, uncertain: HashMap::default(), ignores_case: false, is_raw: true }
    }

    /// Whether a resource with this type is one of a type in the notation of rules.
    pub(super) fn is_type(&self, own: &str, wanted: &str) -> bool {
        if self.ignores_case { rule_type(own).eq_ignore_ascii_case(wanted) } else { own == wanted }
    }
}

/// Reads a template as `cfn-guard validate` does. `None` if it is neither JSON nor YAML, or empty.
pub fn read(file: FileId, text: &ArcStr, max_depth: u32) -> Option<Value> {
    if text.trim().is_empty() {
        return None;
    }
    let is_json = text.trim_start().starts_with(['{', '[']);
    let json = is_json.then(|| json::parse(file, text, max_depth).value).flatten();
    json.or_else(|| yaml::parse_guard(file, text, max_depth).value)
}

/// The template with further members, as `cfn-guard validate --input-parameters` joins them.
///
/// # Errors
///
/// Both have a member, or one of them is no object.
pub fn joined(template: &Value, more: &Value) -> Result<Value, String> {
    let (Some(own), Some(more)) = (template.as_object(), more.as_object()) else {
        return Err("only objects can be joined".to_owned());
    };
    if let Some(twice) = more.iter().find(|member| own.get_exact(&member.key).is_some()) {
        return Err(format!("`{}` is in both documents", twice.key));
    }
    Ok(Value::object(own.iter().chain(more).cloned().collect()))
}
