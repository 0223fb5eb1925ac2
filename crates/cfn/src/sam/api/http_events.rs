//! Events of HTTP APIs: permissions, and routes with what they need.

use crate::sam::Sam;
use crate::sam::api::editor::{ANY, Editor, INTEGRATION, branches};
use crate::sam::api::event_route::invocation;
use crate::sam::api::{Kind, arn_path, http};
use crate::sam::build::{
    Draft, Fields, conditional, get, given_property, is_set, located, object, reference, sub, sub_with, text,
};
use crate::sam::events::{Event, Invoked};
use crate::sam::intrinsics::is_no_value;
use crate::value::{Str, Value};

/// The path of the route for everything else.
const DEFAULT: &str = "$default";

impl Sam<'_, '_> {
    pub(in crate::sam) fn http_api_event(&mut self, event: &Event, invoked: &mut Invoked<'_>) {
        let Some((path, method)) = event.route(Kind::Http) else { return };
        let Some(id) = event.api(Kind::Http) else { return };
        let editor = self.apis.get(&id).and_then(|api| api.editor.as_ref());
        let owner = invoked.target.id(invoked.source);
        let is_covered = *path != *DEFAULT && editor.is_some_and(|editor| invokes(editor, &owner));
        if !is_covered {
            invoked.drafts.push(http_permission(event, invoked, &path, &method));
        }
        let Some(api) = self.apis.get_mut(&id) else { return };
        let auth = api.source.get("Auth").cloned();
        let Some(editor) = api.editor.as_mut() else { return };
        let is_new = !editor.has_integration(&path, &method);
        let span = event.origin.key_span;
        editor.add_path(&path, &method, span);
        let condition = event.origin.condition().cloned();
        let mut uri = sub(invocation("${AWS::Partition}", &invoked.target.arn, false));
        if let Some(condition) = &condition {
            uri = conditional(condition, uri, None);
        }
        let mut inner = Fields::default();
        inner.set("type", Value::from("aws_proxy"));
        inner.set("httpMethod", Value::from("POST"));
        inner.set("payloadFormatVersion", Value::from("2.0"));
        inner.set("uri", uri);
        let settings = [("timeoutInMillis", "TimeoutInMillis"), ("payloadFormatVersion", "PayloadFormatVersion")];
        let security = event.given_property("Auth").and_then(|own| security(own, auth.as_ref()));
        let is_default = *path == *DEFAULT && (*method == *ANY || method.eq_ignore_ascii_case("any"));
        let condition = condition.filter(|_| is_new);
        editor.set_method(&path, &method, condition.as_deref(), &mut |fields| {
            let mut inner = match fields.get(INTEGRATION).filter(|_| !is_new) {
                Some(known) => Fields::from_value(known),
                None => inner.clone(),
            };
            for (name, from) in settings {
                inner.set_some(name, event.given_property(from).cloned());
            }
            fields.set(INTEGRATION, located(inner.into_value(), span));
            if is_default && is_new {
                fields.set("isDefaultRoute", Value::from(true));
            }
            if is_new && !fields.has("responses") {
                fields.set("responses", object([]));
            }
            if let Some(security) = &security {
                let known = fields.get("security").and_then(Value::as_array).unwrap_or_default();
                let all = known.iter().chain(std::iter::once(security)).cloned().collect();
                fields.set("security", Value::array(all));
            }
            add_parameters(fields, &path);
        });
    }
}

fn http_permission(event: &Event, invoked: &Invoked<'_>, path: &Str, method: &Str) -> Draft {
    let path = if **path == *DEFAULT { "" } else { path };
    let path = arn_path(path);
    let is_any = **method == *ANY || method.eq_ignore_ascii_case("any");
    let method = if is_any { "*".to_owned() } else { method.to_uppercase() };
    let resource = if is_any && path == format!("/{DEFAULT}") { path } else { format!("/{method}{path}") };
    let text = format!(
        "arn:${{AWS::Partition}}:execute-api:${{AWS::Region}}:${{AWS::AccountId}}:${{__ApiId__}}/${{__Stage__}}{resource}"
    );
    let api = event.get("ApiId").cloned().unwrap_or_else(|| reference(Kind::Http.implied()));
    let arn = sub_with(text, [("__ApiId__", api), ("__Stage__", Value::from("*"))]);
    event.permission(invoked.target, "apigateway.amazonaws.com", "").with("SourceArn", arn)
}

/// Returns `true` if the default route invokes a function. The function then has a permission for all routes.
fn invokes(editor: &Editor, function: &str) -> bool {
    let Some(definition) = editor.item(DEFAULT).and_then(|item| get(branches(item).first()?, ANY)) else {
        return false;
    };
    let integration = branches(definition).into_iter().find_map(http::integration);
    let Some(uri) = integration.and_then(|integration| get(integration, "uri")) else { return false };
    let called = |uri: &Value| {
        let arn = text(uri, "Fn::Sub")?;
        let (_, rest) = arn.split_once("/functions/${")?;
        Some(rest.split_once(".Arn}")?.0.to_owned())
    };
    branches(uri).into_iter().all(|uri| called(uri).is_some_and(|name| name == function))
}

/// Returns the requirement of an authorizer that an event, or the API by default, has.
fn security(own: &Value, shared: Option<&Value>) -> Option<Value> {
    let default = shared.and_then(|auth| get(auth, "DefaultAuthorizer")).filter(|default| !is_no_value(default));
    let name = given_property(own, "Authorizer").or(default)?.as_shared_str()?;
    let mut scopes = Value::array(Vec::new());
    if !matches!(&**name, "NONE" | "AWS_IAM") {
        let authorizer = shared.and_then(|auth| get(get(auth, "Authorizers")?, name));
        let known = authorizer.and_then(|authorizer| get(authorizer, "AuthorizationScopes"));
        let written = given_property(own, "AuthorizationScopes").or(known).filter(|scopes| is_set(scopes));
        scopes = written.cloned().unwrap_or(scopes);
    }
    Some(object([(name, scopes)]))
}

/// Adds the parameters in a path to its method.
fn add_parameters(fields: &mut Fields, path: &str) {
    let names: Vec<&str> = path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect();
    if names.is_empty() {
        return;
    }
    let mut all = fields.get("parameters").and_then(Value::as_array).unwrap_or_default().to_vec();
    for name in names {
        let parameter =
            || object([("name", Value::from(name)), ("in", Value::from("path")), ("required", Value::from(true))]);
        match all.iter_mut().find(|known| text(known, "name").is_some_and(|known| **known == *name)) {
            Some(known) => {
                let mut fields = Fields::from_value(known);
                fields.set("in", Value::from("path"));
                fields.set("required", Value::from(true));
                *known = fields.into_value();
            }
            None => all.push(parameter()),
        }
    }
    fields.set("parameters", Value::array(all));
}
