//! What rules see of a template.

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
    /// The template as it is written, where its functions have other values in `root`.
    pub(super) written: Option<Value>,
    /// Resources that may not be deployed, and why.
    pub(super) uncertain: HashMap<Str, Str>,
    /// Whether names and types are case-insensitive, as in Azure.
    pub(super) ignores_case: bool,
    /// Whether verdicts are those of cfn-guard 3.2.1, defects included.
    pub(super) is_raw: bool,
    types: OnceLock<Types>,
}

impl GuardDocument {
    /// The template as cfn-guard sees it.
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

    /// What a deployment creates, in the shape of a template: its sections, and the resources that are deployed with
    /// evaluated properties. Resources of Azure are members of an object by their ID.
    pub(super) fn expanded(document: &Document, types: &TypeIndex<'_>, id: DeploymentId, is_raw: bool) -> Self {
        let deployment = document.deployment(id);
        if is_raw && deployment.written.as_object().is_some() {
            return Self::raw(deployment.written.clone());
        }
        let is_of_azure = |id: &ResourceId| document.resource(*id).type_name.contains('/');
        let is_azure = deployment.template.get("$schema").is_some() || deployment.resources.iter().any(is_of_azure);
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

    /// The name of a resource among the resources of this document.
    pub(super) fn name<'r>(&self, resource: &'r Resource) -> &'r Str {
        name(resource, self.ignores_case)
    }

    /// The types of all resources, if this value is the object that has them.
    pub(super) fn types_of(&self, value: &Value) -> Option<&Types> {
        let resources = self.root.as_object()?.member("Resources")?;
        std::ptr::eq(&raw const resources.value, value)
            .then(|| self.types.get_or_init(|| Types::new(value, self.ignores_case)))
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

/// The name of a resource among those of its deployment: in CloudFormation its logical ID, which is the last name in its path,
/// or its own where a loop or a transform made it; in Azure its ID.
fn name(resource: &Resource, is_azure: bool) -> &Str {
    if is_azure { &resource.id } else { resource.symbolic_name.as_ref().unwrap_or(&resource.name) }
}
