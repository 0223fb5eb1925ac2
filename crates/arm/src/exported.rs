//! Exports of existing resources: a JSON array of resources, or an object with the array as its `value` (REST) or
//! `data` (Resource Graph). Nothing in an export is evaluated.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::model::Expansion;
use crate::model::{
    Deployment, DeploymentId, Document, Hidden, Limits, Presence, Resource, ResourceId, join_index, join_key,
};
use crate::text::{FileId, Span};
use crate::value::{Member, Str, Value};

/// Returns the resources of an export, with the path of their array. `None` if the value is not an export: every item
/// must have a `type` and an `id` that ends with its `name`.
pub fn exported(value: &Value) -> Option<(&'static str, &[Value])> {
    let list = |name: &'static str| Some((name, value.get(name)?.as_array()?));
    let (path, items) = match value.as_array() {
        Some(items) => ("", items),
        None => list("value").or_else(|| list("data"))?,
    };
    items.iter().all(is_resource).then_some((path, items))
}

fn is_resource(value: &Value) -> bool {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let (Some(id), Some(type_name), Some(name)) = (text("id"), text("type"), text("name")) else { return false };
    let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    id.starts_with('/') && type_name.contains('/') && last(id) == last(name)
}

/// Builds a document from an export. Children find their parents by ID, whether they are items of the array or of the
/// `resources` of their parent. The only diagnostic is for too many resources.
pub fn of_export(file: FileId, value: &Value, limits: &Limits) -> Expansion {
    let mut reader = ExportReader { file, limits, resources: Vec::new(), diagnostics: Vec::new() };
    if let Some((path, items)) = exported(value) {
        reader.read(items, path);
    }
    let ExportReader { mut resources, diagnostics, .. } = reader;
    nest(&mut resources);
    let ids = (0..).map(ResourceId);
    let top = ids.zip(&resources).filter(|(_, resource)| resource.parent.is_none()).map(|(id, _)| id).collect();
    // Every resource belongs to a deployment. This one has no name and no ID, because it never took place.
    let deployment = Deployment {
        name: Str::from(""),
        id: Str::from(""),
        scope: Str::from("/"),
        resource: None,
        path: String::new(),
        template: Value::object(Vec::new()).at(Span::whole_file(file)),
        parameters: Value::object(Vec::new()),
        resources: top,
        outputs: Value::object(Vec::new()),
        settings: Value::NULL,
        written: Value::NULL,
    };
    let document = Document {
        file,
        deployments: vec![deployment],
        resources,
        existing: Vec::new(),
        possible: Vec::new(),
        mentioned: Vec::new(),
        linked: Vec::new(),
        hidden: Hidden::default(),
    };
    Expansion { document: Some(document), issues: Vec::new(), diagnostics }
}

/// Collects the resources of an export in the order of the text.
struct ExportReader<'a> {
    file: FileId,
    limits: &'a Limits,
    resources: Vec<Resource>,
    diagnostics: Vec<Diagnostic>,
}

impl ExportReader<'_> {
    fn read(&mut self, items: &[Value], path: &str) {
        for (index, item) in items.iter().enumerate() {
            if self.resources.len() >= self.limits.resources {
                let span = item.span.unwrap_or(Span::whole_file(self.file));
                let message = format!("the export has more than {} resources", self.limits.resources);
                self.diagnostics.push(Diagnostic::new(Code::TemplateLimit, span, message));
                return;
            }
            let path = join_index(path, index);
            let inner = item.get("resources").and_then(Value::as_array).filter(|items| items.iter().all(is_resource));
            self.resources.push(self.resource(item, path.clone(), inner.is_some()));
            self.read(inner.unwrap_or_default(), &join_key(&path, "resources"));
        }
    }

    fn resource(&self, item: &Value, path: String, has_inner: bool) -> Resource {
        let text = |name: &str| item.get(name).and_then(Value::as_shared_str).cloned().unwrap_or_else(|| Str::from(""));
        let (id, type_name) = (text("id"), text("type"));
        let name = Str::from(full_name(&id, &type_name).unwrap_or_else(|| text("name").to_string()));
        let body = body(item, &name, has_inner);
        Resource {
            scope: Str::from(scope_of(&id)),
            id,
            type_name,
            name,
            state: body.clone(),
            body,
            path,
            span: item.span.unwrap_or(Span::whole_file(self.file)),
            symbolic_name: None,
            deployment: DeploymentId(0),
            parent: None,
            children: Vec::new(),
            implied: Vec::new(),
            depends_on: Vec::new(),
            presence: Presence::Deployed,
        }
    }
}

/// Returns the exported resource with its full name, and without the children inside it.
fn body(item: &Value, name: &Str, has_inner: bool) -> Value {
    let members = item.as_object().into_iter().flatten();
    let own = members.filter(|member| !(has_inner && member.key.eq_ignore_ascii_case("resources")));
    let members = own.map(|member| {
        let is_name = member.key.eq_ignore_ascii_case("name");
        let full_name = || Value { span: member.value.span, ..Value::from(name.clone()) };
        let value = if is_name { full_name() } else { member.value.clone() };
        Member { value, ..member.clone() }
    });
    Value { span: item.span, ..Value::object(members.collect()) }
}

/// Returns the full name of a resource, such as `server/database`, from its ID. The `name` in an export may be only the
/// last segment of it. `None` if the ID has fewer names than the type.
fn full_name(id: &str, type_name: &str) -> Option<String> {
    let segments: Vec<&str> = id.split('/').collect();
    // The ID ends with `type/name` pairs, one for each segment of the type except the provider.
    let pairs = type_name.split('/').count() - 1;
    let first = segments.len().checked_sub(2 * pairs)?;
    let names: Vec<&str> = segments.into_iter().skip(first + 1).step_by(2).collect();
    Some(names.join("/"))
}

/// Returns the ID of the scope of the resource with this ID: its parent, the resource that it extends, or the
/// deployment scope.
fn scope_of(id: &str) -> &str {
    let outer = id.rsplitn(3, '/').nth(2).unwrap_or_default();
    let extended = outer.rsplit_once('/').and_then(|(head, _)| head.strip_suffix("/providers"));
    match extended.unwrap_or(outer) {
        "" => "/",
        scope => scope,
    }
}

/// Links children with their parents.
fn nest(resources: &mut [Resource]) {
    // A resource group is a scope, but not the parent of the resources in it.
    let parents = resources.iter().enumerate().filter(|(_, resource)| !is_scope(&resource.type_name));
    let by_id: HashMap<String, usize> = parents.map(|(at, resource)| (resource.id.to_ascii_lowercase(), at)).collect();
    for at in 0..resources.len() {
        let Some(child) = resources.get_mut(at) else { continue };
        let parent = by_id.get(&child.scope.to_ascii_lowercase()).copied();
        let Some(parent) = parent.filter(|&parent| parent != at) else { continue };
        child.parent = Some(ResourceId(parent));
        if let Some(parent) = resources.get_mut(parent) {
            parent.children.push(ResourceId(at));
        }
    }
}

/// Returns `true` if resources of this type are deployment scopes.
fn is_scope(type_name: &str) -> bool {
    let name = type_name.rsplit('/').next().unwrap_or_default();
    ["resourceGroups", "subscriptions", "managementGroups"].iter().any(|scope| scope.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use super::*;
    use crate::syntax::json;
    use crate::text::Sources;

    const GROUP: &str = "/subscriptions/s/resourceGroups/g";

    fn item(id: &str, type_name: &str, name: &str, more: &str) -> String {
        format!(r#"{{"id": "{id}", "type": "{type_name}", "name": "{name}"{more}}}"#)
    }

    /// Returns the resources of an export, a line each: path, type, name, scope, parent.
    fn show(text: &str) -> Option<Vec<String>> {
        let sources = Sources::new();
        let text: ArcStr = text.into();
        let file = sources.add("export.json", text.clone());
        let value = json::parse(file, &text, 64).value.unwrap();
        exported(&value)?;
        let document = of_export(file, &value, &Limits::default()).document.unwrap();
        let line = |resource: &Resource| {
            let parent = resource.parent.map_or("-", |parent| &document.resource(parent).name);
            assert_eq!(resource.body.get("name").and_then(Value::as_str), Some(&*resource.name));
            let Resource { path, type_name, name, scope, .. } = resource;
            format!("{path} {type_name} {name} {scope} {parent}")
        };
        Some(document.resources.iter().map(line).collect())
    }

    #[test]
    fn every_form_of_export_is_read() {
        let vault = item(&format!("{GROUP}/providers/A.B/vaults/v"), "A.B/vaults", "v", "");
        let line = |path: &str| Some(vec![format!("{path} A.B/vaults v {GROUP} -")]);
        assert_eq!(show(&format!("[{vault}]")), line("[0]"));
        assert_eq!(show(&format!(r#"{{"value": [{vault}], "nextLink": null}}"#)), line("value[0]"));
        assert_eq!(show(&format!(r#"{{"count": 1, "data": [{vault}]}}"#)), line("data[0]"));
    }

    #[test]
    fn children_find_their_parents() {
        let vault = format!("{GROUP}/providers/A.B/vaults/v");
        let key = item(&format!("{vault}/keys/k"), "A.B/vaults/keys", "k", "");
        let lock = item(&format!("{vault}/providers/C.D/locks/l"), "C.D/locks", "l", "");
        let inner =
            format!(r#", "resources": [{}]"#, item(&format!("{vault}/secrets/s"), "A.B/vaults/secrets", "s", ""));
        let outer = item(&vault, "A.B/vaults", "v", &inner);
        let group = item(GROUP, "Microsoft.Resources/resourceGroups", "g", "");
        let expected = [
            format!("[0] A.B/vaults/keys v/k {vault} v"),
            format!("[1] C.D/locks l {vault} v"),
            format!("[2] A.B/vaults v {GROUP} -"),
            format!("[2].resources[0] A.B/vaults/secrets v/s {vault} v"),
            "[3] Microsoft.Resources/resourceGroups g /subscriptions/s -".to_owned(),
        ];
        assert_eq!(show(&format!("[{key}, {lock}, {outer}, {group}]")), Some(expected.to_vec()));
    }

    #[test]
    fn other_arrays_are_not_exports() {
        assert_eq!(show(r#"[{"id": "/x/1", "name": "a", "type": "A.B/c"}]"#), None);
        assert_eq!(show(r#"[{"id": "1", "name": "1", "type": "A.B/c"}]"#), None);
        assert_eq!(show(r#"{"value": [1]}"#), None);
        assert_eq!(show(r#"{"resources": []}"#), None);
    }
}
