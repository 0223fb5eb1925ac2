//! Templates as rules see them.

use std::sync::OnceLock;

use arcstr::ArcStr;
use foldhash::HashMap;

use crate::guard::rule_type;
use crate::guard3::types::Types;
use crate::lookup::TypeIndex;
use crate::model::{DeploymentId, Document, Resource, ResourceId};
use crate::syntax::{json, yaml};
use crate::text::FileId;
use crate::value::{Member, Str, Value};

/// A template as rules see it.
#[derive(Debug)]
pub(super) struct GuardDocument {
    pub(super) root: Value,
    /// Template with unevaluated functions, if `root` has their values.
    pub(super) written: Option<Value>,
    /// Resources that may not be deployed, with the reasons.
    pub(super) uncertain: HashMap<Str, Str>,
    /// True if names and types are case-insensitive, as in Azure.
    pub(super) ignores_case: bool,
    /// True if verdicts are those of cfn-guard 3.2.1, including its defects.
    pub(super) is_raw: bool,
    types: OnceLock<Types>,
}

impl GuardDocument {
    /// Returns the template as cfn-guard sees it.
    pub(super) fn raw(root: Value) -> Self {
        Self {
            root,
            written: None,
            uncertain: HashMap::default(),
            ignores_case: false,
            is_raw: true,
            types: OnceLock::new(),
        }
    }

    /// Returns the result of a deployment in the shape of a template: its sections, and the resources that are deployed
    /// with evaluated properties. Resources of Azure are members of an object by their ID.
    pub(super) fn expanded(document: &Document, types: &TypeIndex<'_>, id: DeploymentId, is_raw: bool) -> Self {
        let deployment = document.deployment(id);
        if is_raw && deployment.written.as_object().is_some() {
            return Self::raw(deployment.written.clone());
        }
        let is_azure = deployment.template.get("$schema").is_some()
            || deployment.resources.iter().any(|id: &ResourceId| document.resource(*id).type_name.contains('/'));
        let mut own: Vec<ResourceId> = deployment.resources.clone();
        if is_azure {
            own = (0..document.resources.len()).map(ResourceId).collect();
            own.retain(|own| document.resource(*own).deployment == id);
        }
        let (mut members, mut uncertain) = (Vec::with_capacity(own.len()), HashMap::default());
        for own in own {
            let resource = document.resource(own);
            let name = name(resource, is_azure).clone();
            if let Some(why) = types.doubt(own) {
                uncertain.insert(name.clone(), why.clone());
            }
            members.push(Member { key: name, key_span: None, value: resource.body.clone() });
        }
        let sections = deployment.template.as_object().into_iter().flatten();
        let mut all: Vec<Member> =
            sections.filter(|section| !section.key.eq_ignore_ascii_case("resources")).cloned().collect();
        let resources = if is_azure { "resources" } else { "Resources" };
        all.push(Member { key: Str::from(resources), key_span: None, value: Value::object(members) });
        let root = Value { span: deployment.template.span, ..Value::object(all) };
        let written = (!is_raw && !is_azure).then(|| deployment.written.clone());
        Self { root, written, uncertain, ignores_case: is_azure, is_raw, types: OnceLock::new() }
    }

    /// Returns the name of a resource in this document.
    pub(super) fn name<'r>(&self, resource: &'r Resource) -> &'r Str {
        name(resource, self.ignores_case)
    }

    /// Returns the types of all resources, if `value` is the object with the resources.
    pub(super) fn types_of(&self, value: &Value) -> Option<&Types> {
        let resources = self.root.as_object()?.member("Resources")?;
        std::ptr::eq(&raw const resources.value, value)
            .then(|| self.types.get_or_init(|| Types::new(value, self.ignores_case)))
    }

    /// True if a resource with the type `own` has a type in the notation of rules.
    pub(super) fn is_type(&self, own: &str, wanted: &str) -> bool {
        if self.ignores_case { rule_type(own).eq_ignore_ascii_case(wanted) } else { own == wanted }
    }

    /// True if the value of a type equals a string: the type in the notation of Azure or in that of rules.
    pub(super) fn equals_type(&self, own: &str, wanted: &str) -> bool {
        let is_written = if self.ignores_case { own.eq_ignore_ascii_case(wanted) } else { own == wanted };
        is_written || self.is_type(own, wanted)
    }
}

/// Reads a template like `cfn-guard validate`. Returns `None` if it is neither JSON nor YAML, or empty.
pub fn read(file: FileId, text: &ArcStr, max_depth: u32) -> Option<Value> {
    if text.trim().is_empty() {
        return None;
    }
    let is_json = text.trim_start().starts_with(['{', '[']);
    let json = is_json.then(|| json::parse(file, text, max_depth).value).flatten();
    json.or_else(|| yaml::parse_guard(file, text, max_depth).value)
}

/// Joins a template with further members, like `cfn-guard validate --input-parameters`.
///
/// # Errors
///
/// Both have the same member, or one of them is not an object.
pub fn joined(template: &Value, more: &Value) -> Result<Value, String> {
    let (Some(own), Some(more)) = (template.as_object(), more.as_object()) else {
        return Err("only objects can be joined".to_owned());
    };
    if let Some(twice) = more.iter().find(|member| own.get_exact(&member.key).is_some()) {
        return Err(format!("`{}` is in both documents", twice.key));
    }
    Ok(Value::object(own.iter().chain(more).cloned().collect()))
}

/// Returns the name of a resource in its deployment: in CloudFormation its logical ID or the name that a loop or a
/// transform gave it, in Azure its ID.
fn name(resource: &Resource, is_azure: bool) -> &Str {
    if is_azure { &resource.id } else { resource.symbolic_name.as_ref().unwrap_or(&resource.name) }
}
