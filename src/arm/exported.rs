//! Resources that exist, as tools export them: a list of them, or the answer that has the list as its `value` (Azure
//! CLI, REST) or `data` (Resource Graph). Nothing in it is evaluated.

use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::model::Expansion;
use crate::model::{Deployment, DeploymentId, Document, Limits, Presence, Resource, ResourceId, join_index, join_key};
use crate::text::{FileId, Span};
use crate::value::{Member, Str, Value};

/// The resources of an export, with the path of their list. `None` if the value is no export, as far as its shape tells:
/// every item must have an `id` that ends with its `name`, and a `type`.
pub(crate) fn exported(value: &Value) -> Option<(&'static str, &[Value])> {
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

/// The document of an export. Children find their parents by id; they may also stand in a `resources` of their parent.
pub(crate) fn of_export(file: FileId, value: &Value, limits: &Limits) -> Expansion {
    let mut reader = Reader { file, limits, resources: Vec::new(), diagnostics: Vec::new() };
    if let Some((path, items)) = exported(value) {
        reader.read(items, path);
    }
    let Reader { mut resources, diagnostics, .. } = reader;
    nest(&mut resources);
    let top = (0..resources.len()).filter(|&it| resources[it].parent.is_none()).map(ResourceId).collect();
    // What resources belong to. It has no id, for nobody deploys it.
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
    };
    let document = Document { file, deployments: vec![deployment], resources };
    Expansion { document: Some(document), issues: Vec::new(), diagnostics }
}

struct Reader<'a> {
    file: FileId,
    limits: &'a Limits,
    resources: Vec<Resource>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn read(&mut self, items: &[Value], path: &str) {
        for (index, item) in items.iter().enumerate() {
            if self.resources.len() >= self.limits.resources {
                let span = item.span.unwrap_or(Span::whole_file(self.file));
                let message = format!("the export has more than {} resources", self.limits.resources);
                self.diagnostics.push(Diagnostic::new(Code::TemplateLimit, span, message));
                return;
            }
            let path = join_index(path, index);
            let inner = item.get("resources").and_then(Value::as_array).filter(|it| it.iter().all(is_resource));
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

/// The resource as it is, with its full name and without the children in it.
fn body(item: &Value, name: &Str, has_inner: bool) -> Value {
    let members = item.as_object().into_iter().flatten();
    let members = members.filter(|it| !(has_inner && it.key.eq_ignore_ascii_case("resources"))).map(|it| {
        let is_name = it.key.eq_ignore_ascii_case("name");
        let value = if is_name { Value { span: it.value.span, ..Value::from(name.clone()) } } else { it.value.clone() };
        Member { value, ..it.clone() }
    });
    Value { span: item.span, ..Value::object(members.collect()) }
}

/// The names in an id, behind its last provider: `server/database`. Exports only give the last of them.
fn full_name(id: &str, type_name: &str) -> Option<String> {
    let segments: Vec<&str> = id.split('/').collect();
    let types = type_name.split('/').count() - 1;
    let names = segments.len().checked_sub(2 * types)?;
    let names: Vec<&str> = segments[names..].iter().skip(1).step_by(2).copied().collect();
    Some(names.join("/"))
}

/// What the resource of an id lies in: its parent, what it extends, or what it is deployed to.
fn scope_of(id: &str) -> &str {
    let outer = id.rsplitn(3, '/').nth(2).unwrap_or_default();
    let extended = outer.rsplit_once('/').and_then(|(head, _)| head.strip_suffix("/providers"));
    match extended.unwrap_or(outer) {
        "" => "/",
        scope => scope,
    }
}

fn nest(resources: &mut [Resource]) {
    let by_id: FxHashMap<String, usize> =
        resources.iter().enumerate().map(|(at, it)| (it.id.to_ascii_lowercase(), at)).collect();
    for at in 0..resources.len() {
        let parent = by_id.get(&resources[at].scope.to_ascii_lowercase()).copied();
        // A resource group is no parent of what lies in it.
        let is_parent = |it: &usize| *it != at && !is_group(&resources[*it].type_name);
        if let Some(parent) = parent.filter(is_parent) {
            resources[at].parent = Some(ResourceId(parent));
            resources[parent].children.push(ResourceId(at));
        }
    }
}

fn is_group(type_name: &str) -> bool {
    let name = type_name.rsplit('/').next().unwrap_or_default();
    ["resourceGroups", "subscriptions", "managementGroups"].iter().any(|it| it.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::syntax::json;
    use crate::text::Sources;

    const GROUP: &str = "/subscriptions/s/resourceGroups/g";

    fn item(id: &str, type_name: &str, name: &str, more: &str) -> String {
        format!(r#"{{"id": "{id}", "type": "{type_name}", "name": "{name}"{more}}}"#)
    }

    /// The resources of an export, a line each: path, type, name, scope, parent.
    fn show(text: &str) -> Option<Vec<String>> {
        let sources = Sources::new();
        let text: Arc<str> = text.into();
        let file = sources.add("export.json", Arc::clone(&text));
        let value = json::parse(file, &text, 64).value.unwrap();
        exported(&value)?;
        let document = of_export(file, &value, &Limits::default()).document.unwrap();
        let line = |it: &Resource| {
            let parent = it.parent.map_or("-", |parent| &document.resource(parent).name);
            assert_eq!(it.body.get("name").and_then(Value::as_str), Some(&*it.name));
            format!("{} {} {} {} {parent}", it.path, it.type_name, it.name, it.scope)
        };
        Some(document.resources.iter().map(line).collect())
    }

    #[test]
    fn every_form_of_list_is_read() {
        let vault = item(&format!("{GROUP}/providers/A.B/vaults/v"), "A.B/vaults", "v", "");
        let line = |path: &str| Some(vec![format!("{path} A.B/vaults v {GROUP} -")]);
        assert_eq!(show(&format!("[{vault}]")), line("[0]"));
        assert_eq!(show(&format!(r#"{{"value": [{vault}], "nextLink": null}}"#)), line("value[0]"));
        assert_eq!(show(&format!(r#"{{"count": 1, "data": [{vault}]}}"#)), line("data[0]"));
    }

    #[test]
    fn children_find_their_parents_wherever_they_stand() {
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
    fn other_lists_are_no_exports() {
        assert_eq!(show(r#"[{"id": "/x/1", "name": "a", "type": "A.B/c"}]"#), None);
        assert_eq!(show(r#"[{"id": "1", "name": "1", "type": "A.B/c"}]"#), None);
        assert_eq!(show(r#"{"value": [1]}"#), None);
        assert_eq!(show(r#"{"resources": []}"#), None);
    }
}
