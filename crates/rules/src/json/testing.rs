//! Documents for tests, from templates without expressions.

use arcstr::ArcStr;

use crate::model::{Deployment, DeploymentId, Document, Hidden, Presence, Resource, ResourceId, join_index, join_key};
use crate::text::{FileId, Sources, Span};
use crate::value::{Member, Str, Value};

/// Parses a value without a file.
#[track_caller]
pub(crate) fn json(text: &str) -> Value {
    crate::syntax::json::parse_computed(&ArcStr::from(text), 64).expect("the text is JSON")
}

/// Converts a template without expressions to a document. A `dependsOn` names resources by their full names.
#[track_caller]
pub(crate) fn document(text: &str) -> (Sources, Document) {
    let sources = Sources::new();
    let text: ArcStr = text.into();
    let file = sources.add("main.json", text.clone());
    let template = crate::syntax::json::parse(file, &text, 64).value.expect("the text is JSON");
    let mut builder = Builder {
        file,
        document: Document {
            file,
            deployments: Vec::new(),
            resources: Vec::new(),
            existing: Vec::new(),
            possible: Vec::new(),
            mentioned: Vec::new(),
            linked: Vec::new(),
            hidden: Hidden::default(),
        },
    };
    builder.deployment(&template, String::new(), None);
    let mut document = builder.document;
    step(&mut document);
    (sources, document)
}

struct Builder {
    file: FileId,
    document: Document,
}

impl Builder {
    fn deployment(&mut self, template: &Value, path: String, resource: Option<ResourceId>) {
        let id = DeploymentId(self.document.deployments.len());
        self.document.deployments.push(Deployment {
            name: Str::from("main"),
            id: Str::from("main"),
            scope: Str::from("/"),
            resource,
            path: path.clone(),
            template: without(template, &["resources"]),
            parameters: Value::NULL,
            resources: Vec::new(),
            outputs: Value::NULL,
            settings: Value::NULL,
            written: Value::NULL,
        });
        let resources = self.resources(template, &path, id, None);
        self.document.deployments[id.0].resources = resources;
    }

    fn resources(
        &mut self,
        owner: &Value,
        path: &str,
        deployment: DeploymentId,
        parent: Option<ResourceId>,
    ) -> Vec<ResourceId> {
        let path = join_key(path, "resources");
        match owner.get("resources") {
            Some(value) if value.as_object().is_some() => {
                let members = value.as_object().into_iter().flatten();
                members
                    .filter_map(|member: &Member| {
                        let id = self.resource(&member.value, join_key(&path, &member.key), deployment, parent)?;
                        self.document.resources[id.0].symbolic_name = Some(member.key.clone());
                        Some(id)
                    })
                    .collect()
            }
            value => {
                let items = value.and_then(Value::as_array).unwrap_or_default().iter().enumerate();
                items.filter_map(|(at, item)| self.resource(item, join_index(&path, at), deployment, parent)).collect()
            }
        }
    }

    fn resource(
        &mut self,
        value: &Value,
        path: String,
        deployment: DeploymentId,
        parent: Option<ResourceId>,
    ) -> Option<ResourceId> {
        if value.get("condition").and_then(Value::as_bool) == Some(false) {
            return None;
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let above = parent.map(|id| self.document.resource(id));
        let full =
            |own: &str, above: Option<&Str>| Str::from(above.map_or(own.to_owned(), |above| format!("{above}/{own}")));
        let type_name = full(text("type"), above.map(|resource| &resource.type_name));
        let name = full(text("name"), above.map(|resource| &resource.name));
        let id = ResourceId(self.document.resources.len());
        self.document.resources.push(Resource {
            type_name,
            name: name.clone(),
            id: name,
            scope: Str::from("/"),
            body: without(value, &["resources", "condition", "copy"]),
            state: Value::NULL,
            path: path.clone(),
            span: value.span.unwrap_or_else(|| Span::whole_file(self.file)),
            symbolic_name: None,
            deployment,
            parent,
            children: Vec::new(),
            depends_on: Vec::new(),
            implied: Vec::new(),
            presence: Presence::Deployed,
        });
        let children = self.resources(value, &path, deployment, Some(id));
        self.document.resources[id.0].children = children;
        if let Some(template) = value.get("properties").and_then(|properties| properties.get("template")) {
            self.deployment(template, format!("{path}.properties.template"), Some(id));
        }
        Some(id)
    }
}

fn without(value: &Value, names: &[&str]) -> Value {
    let members = value.as_object().into_iter().flatten();
    let members = members.filter(|member| names.iter().all(|name| !member.key.eq_ignore_ascii_case(name)));
    Value { span: value.span, ..Value::object(members.cloned().collect()) }
}

fn step(document: &mut Document) {
    for at in 0..document.resources.len() {
        let names: Vec<String> = match document.resources[at].body.get("dependsOn").and_then(Value::as_array) {
            Some(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => Vec::new(),
        };
        document.resources[at].depends_on = (0..document.resources.len())
            .map(ResourceId)
            .filter(|id: &ResourceId| names.iter().any(|name| **name == *document.resource(*id).name))
            .collect();
    }
}
