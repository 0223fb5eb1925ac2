//! The JSON of an expansion. Its fields are a stable interface: fields are added, but never renamed.

use crate::arm::Context;
use crate::cli::expand::Expanded;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::model::Issue;
use crate::model::{Deployment, Document, Resource, ResourceId, join_index, join_key};
use crate::text::{Sources, Span};
use crate::value::{Data, Lazy, Member, Traits, Value};

/// An expansion to write, with the options for it.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// Lists children at the top level too.
    pub(super) flat: bool,
    /// Shows only resources of this type, all at the top level.
    pub(super) only: Option<&'a str>,
    /// The names and IDs that the template was expanded with.
    pub(super) context: &'a Context,
    /// The expanded template.
    pub(super) expanded: &'a Expanded,
    /// The sources of positions.
    pub(super) sources: &'a Sources,
}

impl View<'_> {
    /// Returns the members of the complete output of `formwork expand`. The resources are created one at a time,
    /// because the text of all together may be much larger than their shared values in memory.
    pub(super) fn members<'v>(&'v self, problems: &[Diagnostic]) -> Vec<(&'static str, Lazy<'v>)> {
        let expanded = self.expanded;
        let expansion = &expanded.expansion;
        let root = expansion.document.as_ref().and_then(|document| document.deployments.first());
        let template = &expanded.template;
        let resources = expansion.document.iter().flat_map(move |document| self.resources(document, template));
        let outputs = root.map(|root| root.outputs.clone()).filter(|value| value.as_object().is_some());
        let refused =
            expansion.issues.iter().filter(|issue| issue.outcome == Outcome::Failed && issue.check.is_refusal());
        let problems = problems.iter().map(|problem| self.diagnostic(problem)).collect::<Vec<_>>();
        vec![
            ("template", Lazy::Whole(text(self.sources.get(expanded.file).name()))),
            ("scope", Lazy::Whole(root.map_or(Value::NULL, |root| text(scope_name(&root.scope))))),
            ("resources", Lazy::Items(Box::new(resources))),
            ("outputs", Lazy::Whole(outputs.unwrap_or_else(|| Value::object(Vec::new())))),
            ("issues", Lazy::Whole(refused.map(|issue| self.issue(issue)).collect::<Vec<_>>().into())),
            ("diagnostics", Lazy::Whole(problems.into())),
        ]
    }

    fn resources<'v>(&'v self, document: &'v Document, template: &'v Value) -> impl Iterator<Item = Value> + 'v {
        // Exported resources have no deployment.
        let root = document.deployments.first().filter(|root| self.only.is_none() && !root.id.is_empty());
        let root = root.map(|deployment| self.root(document, deployment, template));
        let is_shown = |resource: &Resource| match self.only {
            Some(only) => resource.type_name.eq_ignore_ascii_case(only),
            None => self.flat || !is_nested(resource),
        };
        let shown = (0..document.resources.len()).map(ResourceId).filter(move |&id| is_shown(document.resource(id)));
        root.into_iter().chain(shown.map(move |id| self.resource(document, id)))
    }

    /// Returns the deployment of the template itself as a resource.
    fn root(&self, document: &Document, deployment: &Deployment, template: &Value) -> Value {
        if deployment.scope.is_empty() {
            return self.stack(document, deployment, template);
        }
        let shown = |text: &str| Value::from(document.hidden.masked(text).into_owned());
        let link = object([("id", shown(&deployment.scope)), ("uri", text("https://deployment-uri"))]);
        let properties = object([
            ("template", document.hidden.marked(template)),
            ("templateLink", link),
            ("parameters", Value::object(Vec::new())),
            ("mode", text("Incremental")),
            ("provisioningState", text("Accepted")),
            ("outputs", deployment.outputs.clone()),
        ]);
        let mut members = vec![
            Member::new("id", shown(&deployment.id)),
            Member::new("type", text("Microsoft.Resources/deployments")),
            Member::new("name", shown(&deployment.name)),
            Member::new("scope", shown(&deployment.scope)),
            Member::new(
                "location",
                self.context.resource_group.get("location").map_or(Value::NULL, Value::approximate),
            ),
        ];
        members.extend(template.get("metadata").map(|template| Member::new("metadata", template.clone())));
        members.push(Member::new("properties", properties));
        members.push(Member::new("resources", Value::array(Vec::new())));
        let span = Span::whole_file(document.file);
        let about = self.about(document, "", template.span.unwrap_or(span), deployment, Vec::new());
        members.push(Member::new("_formwork", Value::object(about)));
        Value::object(members)
    }

    /// Returns the stack of a CloudFormation template as a resource.
    fn stack(&self, document: &Document, deployment: &Deployment, template: &Value) -> Value {
        let span = template.span.unwrap_or(Span::whole_file(document.file));
        object([
            ("id", text(&deployment.id)),
            ("type", text("AWS::CloudFormation::Stack")),
            ("name", text(&deployment.name)),
            ("scope", text(&deployment.scope)),
            (
                "properties",
                object([("template", document.hidden.marked(template)), ("outputs", deployment.outputs.clone())]),
            ),
            ("resources", Value::array(Vec::new())),
            ("_formwork", Value::object(self.about(document, "", span, deployment, Vec::new()))),
        ])
    }

    /// Returns a resource with its children.
    fn resource(&self, document: &Document, id: ResourceId) -> Value {
        let resource = document.resource(id);
        let body = without_nulls(&in_camel_case(&resource.state));
        let own = body.as_object().into_iter().flatten();
        let own =
            own.filter(|member| !["id", "scope", "resources"].iter().any(|name| member.key.eq_ignore_ascii_case(name)));
        // A child is in its parent, so the dependency on the parent is redundant.
        let is_shown = |member: &Member| !member.key.eq_ignore_ascii_case("dependsOn") || has_order(resource, member);
        let own = own.filter(|member| is_shown(member));
        let shown = |text: &str| Value::from(document.hidden.masked(text).into_owned());
        let mut members = vec![Member::new("id", shown(&resource.id))];
        members.extend(own.cloned());
        // Resources of extensions have no name, so their symbolic name is shown.
        if body.get("name").is_none() {
            members.push(Member::new("name", shown(&resource.name)));
        }
        members.push(Member::new("scope", shown(&resource.scope)));
        let children = resource.children.iter().filter(|&&child| is_nested(document.resource(child)));
        let children = children.map(|&child| self.resource(document, child));
        let implied = resource.implied.iter().map(without_nulls);
        members.push(Member::new("resources", children.chain(implied).collect::<Vec<_>>().into()));
        members.push(Member::new("_formwork", self.about_resource(document, resource)));
        members.push(Member::new("_PSRule", self.source(resource)));
        Value::object(members)
    }

    /// Returns the source of a resource in the format of `PSRule` for Azure. Rules for the output of `PSRule` can
    /// then check the resource.
    fn source(&self, resource: &Resource) -> Value {
        let file = self.sources.get(resource.span.file);
        let position = file.position(resource.span.start);
        let source = object([
            ("file", text(file.name())),
            ("type", text("Template")),
            ("line", Value::from(i64::from(position.line))),
            ("position", Value::from(i64::from(position.column))),
        ]);
        object([("path", text(&resource.path)), ("source", Value::array(vec![source]))])
    }

    fn about_resource(&self, document: &Document, resource: &Resource) -> Value {
        let mut unknown = UnknownPaths::default();
        unknown.find(&in_camel_case(&resource.state), String::new());
        let deployment = document.deployment(resource.deployment);
        let mut about = self.about(document, &resource.path, resource.span, deployment, unknown.known_only_in_azure);
        if !unknown.assumed.is_empty() {
            about.push(Member::new("assumed", paths(unknown.assumed)));
        }
        about.extend(resource.symbolic_name.as_ref().map(|resource| Member::new("symbolicName", text(resource))));
        if let Some(why) = resource.presence.doubt() {
            about.push(Member::new("maybe", text(&why.unknown.why)));
        }
        Value::object(about)
    }

    fn about(
        &self,
        document: &Document,
        path: &str,
        span: Span,
        deployment: &Deployment,
        unknown: Vec<String>,
    ) -> Vec<Member> {
        let span = self.expanded.place(span, self.sources);
        let source = self.sources.get(span.file);
        let line = source.position(span.start).line;
        vec![
            Member::new("path", text(path)),
            Member::new("file", text(source.name())),
            Member::new("line", Value::from(i64::from(line))),
            Member::new("deployment", text(&document.hidden.masked(&deployment.name))),
            Member::new("unknown", paths(unknown)),
        ]
    }

    fn issue(&self, issue: &Issue) -> Value {
        let span = self.expanded.place(issue.span, self.sources);
        let source = self.sources.get(span.file);
        object([
            ("code", text(issue.check.id())),
            ("path", text(&issue.path)),
            ("message", text(&issue.message)),
            ("file", text(source.name())),
            ("line", Value::from(i64::from(source.position(span.start).line))),
        ])
    }

    fn diagnostic(&self, diagnostic: &Diagnostic) -> Value {
        let span = diagnostic.primary.span;
        let source = self.sources.get(span.file);
        let position = source.position(span.start);
        object([
            ("code", text(&diagnostic.id())),
            ("level", text(diagnostic.level.as_str())),
            ("message", text(&diagnostic.message)),
            ("file", text(source.name())),
            ("line", Value::from(i64::from(position.line))),
            ("column", Value::from(i64::from(position.column))),
        ])
    }
}

/// Returns whether a resource is shown inside its parent. As in the output of `PSRule` for Azure, a database is
/// beside its server.
fn is_nested(resource: &Resource) -> bool {
    resource.parent.is_some() && !resource.type_name.eq_ignore_ascii_case("Microsoft.Sql/servers/databases")
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn has_order(resource: &Resource, depends_on: &Member) -> bool {
    resource.parent.is_none() && !is_empty(&depends_on.value)
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::object(members.into_iter().map(|(name, value)| Member::new(name, value)).collect())
}

/// Renames `Type` and `Properties` of a CloudFormation resource to `type` and `properties`, as resources of Azure
/// have them.
fn in_camel_case(state: &Value) -> Value {
    let Some(object) = state.as_object().filter(|object| object.get_exact("Type").is_some()) else {
        return state.clone();
    };
    let renamed = |member: &Member| {
        let key = match &*member.key {
            "Type" => "type".into(),
            "Properties" => "properties".into(),
            _ => member.key.clone(),
        };
        Member { key, ..member.clone() }
    };
    Value { span: state.span, ..Value::object(object.iter().map(renamed).collect()) }
}

/// Returns the name of the kind of scope that an ID denotes. CloudFormation stacks have no ID.
fn scope_name(scope: &str) -> &'static str {
    if scope.is_empty() {
        return "stack";
    }
    let lower = scope.to_ascii_lowercase();
    if lower.contains("/resourcegroups/") {
        "resourceGroup"
    } else if lower.starts_with("/subscriptions/") {
        "subscription"
    } else if lower.contains("/managementgroups/") {
        "managementGroup"
    } else {
        "tenant"
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(<[Value]>::is_empty)
}

/// Removes properties that are `null`, as Resource Manager does before it sends a resource. Array items are kept.
fn without_nulls(value: &Value) -> Value {
    let kept = match &value.data {
        // Most values have none, and stay shared.
        _ if !has_null_member(value) => return value.clone(),
        Data::Object(object) => {
            let kept = object.iter().filter(|member| !member.value.is_null());
            let cleaned = |member: &Member| Member { value: without_nulls(&member.value), ..member.clone() };
            Value::object(kept.map(cleaned).collect())
        }
        Data::Array(array) => Value::array(array.iter().map(without_nulls).collect()),
        _ => return value.clone(),
    };
    kept.with_traits(value.traits)
}

fn has_null_member(value: &Value) -> bool {
    match &value.data {
        Data::Object(object) => object.iter().any(|member| member.value.is_null() || has_null_member(&member.value)),
        Data::Array(array) => array.iter().any(has_null_member),
        _ => false,
    }
}

fn paths(paths: Vec<String>) -> Value {
    Value::array(paths.into_iter().map(Value::from).collect())
}

/// Paths of the values that are known only after a deployment.
#[derive(Default)]
struct UnknownPaths {
    /// The value shown is a placeholder.
    known_only_in_azure: Vec<String>,
    /// The value shown results from assumptions in the settings, or from their defaults.
    assumed: Vec<String>,
}

impl UnknownPaths {
    /// Adds the paths of unknown values in `value`, which is at `path`.
    fn find(&mut self, value: &Value, path: String) {
        if !value.traits.has(Traits::UNKNOWN) {
            return;
        }
        match &value.data {
            Data::Unknown(_) if value.traits.has(Traits::ASSUMED) => self.assumed.push(path),
            Data::Unknown(_) => self.known_only_in_azure.push(path),
            Data::Array(array) => {
                for (at, item) in array.iter().enumerate() {
                    self.find(item, join_index(&path, at));
                }
            }
            Data::Object(object) => {
                for member in object.iter() {
                    self.find(&member.value, join_key(&path, &member.key));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Kind, Unknown};

    #[test]
    fn scopes_are_named_by_their_ids() {
        assert_eq!(scope_name("/subscriptions/1/resourceGroups/a"), "resourceGroup");
        assert_eq!(scope_name("/subscriptions/1"), "subscription");
        assert_eq!(scope_name("/providers/Microsoft.Management/managementGroups/a"), "managementGroup");
        assert_eq!(scope_name("/"), "tenant");
    }

    #[test]
    fn unknowns_are_listed_with_their_paths() {
        let unknown = || Value::unknown(Unknown::new(Kind::String, "why"));
        let list = Value::array(vec![Value::from(1), unknown()]);
        let value = object([("a.b", unknown()), ("c", object([("d", list)]))]);
        let assumed = object([("e", unknown().with_traits(Traits::ASSUMED))]);
        let mut paths = UnknownPaths::default();
        paths.find(&value, String::new());
        paths.find(&assumed, String::new());
        assert_eq!(paths.known_only_in_azure, ["['a.b']", "c.d[1]"]);
        assert_eq!(paths.assumed, ["e"]);
    }

    #[test]
    fn nulls_leave_objects_and_stay_in_arrays() {
        let value = object([("a", Value::NULL), ("b", Value::array(vec![Value::NULL]))]);
        assert_eq!(without_nulls(&value).to_json(), r#"{"b":[null]}"#);
    }
}
