//! Events of REST APIs: permissions, and routes with what they need.

use crate::sam::Sam;
use crate::sam::api::editor::{Editor, Format, INTEGRATION};
use crate::sam::api::{Api, Kind, arn_path, auth_of, policy};
use crate::sam::build::{
    Draft, Fields, conditional, get, given_property, is_set, located, object, reference, sub, sub_with, text,
};
use crate::sam::events::{Event, Invoked};
use crate::sam::intrinsics::shorthand;
use crate::value::{Str, Value};

/// Integration of a route, and the responses of its method.
pub(in crate::sam) struct Integration {
    pub(in crate::sam) fields: Fields,
    /// The responses of the method, unless it has some.
    pub(in crate::sam) responses: Value,
}

impl Sam<'_, '_> {
    pub(in crate::sam) fn api_event(&mut self, event: &Event, invoked: &mut Invoked<'_>) {
        let Some((path, method)) = event.route(Kind::Rest) else { return };
        let stage = self.stage_of(event);
        let permission = self.route_permission(event, invoked, (&path, &method), &stage);
        invoked.drafts.push(permission);
        let Some(id) = event.api(Kind::Rest) else { return };
        let partition = self.partition();
        let Some(api) = self.apis.get_mut(&id) else { return };
        let merges = api.source.given_property("MergeDefinitions").is_some();
        if api.is_managed || merges {
            let span = event.origin.key_span;
            let whole = if merges { api.editor.replace(Editor::new(Format::Swagger, span)) } else { None };
            if let Some(editor) = &mut api.editor {
                editor.add_path(&path, &method, span);
            }
            let mode = event.text("ResponseTransferMode").is_some_and(|mode| **mode == *"RESPONSE_STREAM");
            let mut uri = sub(invocation(&partition, &invoked.target.arn, mode));
            let condition = event.origin.condition().cloned();
            if let Some(condition) = &condition {
                uri = conditional(condition, uri, None);
            }
            let fields = lambda_integration(api, event, uri, mode, &partition);
            add_route(api, event, (&path, &method), &Integration { fields, responses: object([]) });
            self.add_auth(event, &id, (&path, &method), &stage);
            if let Some((whole, api)) = whole.zip(self.apis.get_mut(&id)) {
                let made = api.editor.replace(whole);
                if let (Some(made), Some(editor)) = (made, &mut api.editor) {
                    editor.merge(&made, &path, &method);
                }
            }
        } else if event.get("Auth").is_some_and(|auth| given_property(auth, "OverrideApiAuth").is_some()) {
            self.add_auth(event, &id, (&path, &method), &stage);
        }
    }

    /// Returns the stage that is part of the ID of a permission.
    pub(in crate::sam) fn stage_of(&self, event: &Event) -> String {
        let Some(id) = event.api(Kind::Rest) else { return "AllStages".to_owned() };
        let stage = self.apis.get(&id).and_then(|api| api.source.get("StageName")).or_else(|| {
            let api = self.declared(&id)?;
            get(get(api, "Properties")?, "StageName")
        });
        stage.and_then(Value::as_str).unwrap_or("Stage").to_owned()
    }

    fn route_permission(&self, event: &Event, invoked: &Invoked<'_>, route: (&Str, &Str), stage: &str) -> Draft {
        let (path, method) = route;
        let method = if method.eq_ignore_ascii_case("any") { "*".to_owned() } else { method.to_uppercase() };
        let resource = format!("${{__ApiId__}}/${{__Stage__}}/{method}{}", arn_path(path));
        let implied = || reference(Kind::Rest.implied());
        let api = event.get("RestApiId").cloned().unwrap_or_else(implied);
        let arn = sub_with(self.arn("execute-api", &resource), [("__ApiId__", api), ("__Stage__", Value::from("*"))]);
        event.permission(invoked.target, "apigateway.amazonaws.com", stage).with("SourceArn", arn)
    }

    /// Adds the settings in `Auth` of an event to its method.
    pub(in crate::sam) fn add_auth(&mut self, event: &Event, id: &str, route: (&Str, &Str), stage: &str) {
        let Some(auth) = event.given_property("Auth").cloned() else { return };
        let (path, method) = route;
        let api_auth = self.apis.get(id).and_then(|api| api.source.get("Auth")).map(|auth| self.resolved(auth));
        let Some(editor) = self.apis.get_mut(id).and_then(|api| api.editor.as_mut()) else { return };
        let mut security: Vec<Value> = Vec::new();
        if let Some(name) = text(&auth, "Authorizer") {
            let authorizer = auth_of(api_auth.as_ref(), "Authorizers").and_then(|all| get(all, name));
            let scopes = authorizer.and_then(|authorizer| {
                get(&auth, "AuthorizationScopes").or_else(|| get(authorizer, "AuthorizationScopes"))
            });
            let scopes = scopes.cloned().unwrap_or_else(|| Value::array(Vec::new()));
            security.push(object([(name, scopes)]));
        }
        if let Some(required) = get(&auth, "ApiKeyRequired") {
            let name = if is_set(required) { "api_key" } else { "api_key_false" };
            security.push(object([(name, Value::array(Vec::new()))]));
            if is_set(required) {
                editor.set_in("securityDefinitions", "api_key", super::auth::api_key());
            }
        }
        if !security.is_empty() {
            let mut is_iam = false;
            editor.change_method(path, method, &mut |fields| {
                let known = fields.get("security").and_then(Value::as_array).unwrap_or_default();
                let all: Vec<Value> = known.iter().chain(&security).cloned().collect();
                is_iam |= all.first().is_some_and(|first| get(first, "AWS_IAM").is_some());
                fields.set("security", Value::array(all));
            });
            if is_iam {
                editor.set_in("securityDefinitions", "AWS_IAM", super::auth::signature());
            }
        }
        if let Some(resources) = given_property(&auth, "ResourcePolicy") {
            policy::add(editor, resources, path, &Value::from(stage));
            policy::add_custom(editor, resources);
        }
    }
}

/// Adds a route with its integration, and the other settings of the event for it.
pub(in crate::sam) fn add_route(api: &mut Api, event: &Event, route: (&Str, &Str), integration: &Integration) {
    let (path, method) = route;
    let span = event.origin.key_span;
    let Some(editor) = &mut api.editor else { return };
    let is_open_api = editor.is_open_api();
    let model = event.given_property("RequestModel").filter(|model| given_property(model, "Model").is_some());
    let validator = model.and_then(validator);
    let condition = event.origin.condition().cloned();
    let timeout = event.given_property("TimeoutInMillis");
    editor.set_method(path, method, condition.as_deref(), &mut |fields| {
        let mut inner = integration.fields.clone();
        inner.set_some("timeoutInMillis", timeout.cloned());
        fields.set(INTEGRATION, located(inner.into_value(), span));
        if !fields.has("responses") {
            fields.set("responses", integration.responses.clone());
        }
        if let Some(model) = model {
            add_model(fields, model, is_open_api);
        }
        if let Some((name, _)) = &validator {
            fields.set("x-amazon-apigateway-request-validator", Value::from(*name));
        }
        if let Some(parameters) = event.given_property("RequestParameters").and_then(Value::as_array) {
            add_parameters(fields, parameters);
        }
    });
    if let Some((name, definition)) = validator {
        editor.set_in("x-amazon-apigateway-request-validators", name, definition);
    }
}

/// Returns the ARN by which API Gateway invokes a function, as a text for `Fn::Sub`.
pub(in crate::sam) fn invocation(partition: &str, function: &Value, is_streamed: bool) -> String {
    let (version, path) =
        if is_streamed { ("2021-11-15", "response-streaming-invocations") } else { ("2015-03-31", "invocations") };
    let function = shorthand(function);
    format!("arn:{partition}:apigateway:${{AWS::Region}}:lambda:path/{version}/functions/{function}/{path}")
}

fn lambda_integration(api: &Api, event: &Event, uri: Value, is_streamed: bool, partition: &str) -> Fields {
    let mut fields = Fields::default();
    fields.set("type", Value::from("aws_proxy"));
    fields.set("httpMethod", Value::from("POST"));
    fields.set("uri", uri);
    if is_streamed {
        fields.set("responseTransferMode", Value::from("STREAM"));
    }
    let own = event.get("Auth");
    let shared = api.source.get("Auth");
    let name = |auth: Option<&Value>, name: &str| auth.and_then(|auth| text(auth, name)).cloned();
    let is_iam = match name(own, "Authorizer") {
        Some(authorizer) => *authorizer == *"AWS_IAM",
        None => own.is_none() && name(shared, "DefaultAuthorizer").is_some_and(|default| *default == *"AWS_IAM"),
    };
    if is_iam {
        let written = |auth: Option<&Value>| auth.and_then(|auth| auth.as_object()?.get_exact("InvokeRole")).cloned();
        let role = written(own).or_else(|| written(shared));
        let caller = || Value::from(format!("arn:{partition}:iam::*:user/*"));
        let credentials = match role {
            None => Some(caller()),
            Some(role) if role.is_null() || role.as_str() == Some("NONE") => None,
            Some(role) if role.as_str() == Some("CALLER_CREDENTIALS") => Some(caller()),
            Some(role) => Some(role),
        };
        fields.set_some("credentials", credentials);
    }
    fields
}

/// Returns the name and the definition of the validator of requests that a model asks for.
fn validator(model: &Value) -> Option<(&'static str, Value)> {
    let (body, parameters) = (get(model, "ValidateBody"), get(model, "ValidateParameters"));
    if body.is_none() && parameters.is_none() {
        return None;
    }
    let (body, parameters) = (body.is_some_and(is_set), parameters.is_some_and(is_set));
    let name = match (body, parameters) {
        (true, true) => "body-and-params",
        (true, false) => "body-only",
        (false, true) => "params-only",
        (false, false) => "no-validation",
    };
    let definition =
        object([("validateRequestBody", Value::from(body)), ("validateRequestParameters", Value::from(parameters))]);
    Some((name, definition))
}

fn add_model(fields: &mut Fields, model: &Value, is_open_api: bool) {
    let Some(name) = text(model, "Model").map(|name| name.to_lowercase()) else { return };
    let required = get(model, "Required").cloned();
    let mut described = Fields::default();
    if is_open_api {
        let schema = object([("$ref", Value::from(format!("#/components/schemas/{name}")))]);
        described.set("content", object([("application/json", object([("schema", schema)]))]));
        described.set_some("required", required);
        fields.set("requestBody", described.into_value());
        return;
    }
    described.set("in", Value::from("body"));
    described.set("name", Value::from(name.as_str()));
    described.set("schema", object([("$ref", Value::from(format!("#/definitions/{name}")))]));
    described.set_some("required", required);
    add_parameter(fields, described.into_value());
}

fn add_parameter(fields: &mut Fields, parameter: Value) {
    let known = fields.get("parameters").and_then(Value::as_array).unwrap_or_default();
    let all = known.iter().cloned().chain(std::iter::once(parameter)).collect();
    fields.set("parameters", Value::array(all));
}

fn add_parameters(fields: &mut Fields, parameters: &[Value]) {
    for parameter in parameters {
        let setting = parameter.as_object().and_then(|object| object.iter().next());
        let name = parameter.as_shared_str().or_else(|| Some(&setting?.key));
        let Some((location, rest)) = name.and_then(|name| name.strip_prefix("method.request.")?.split_once('.')) else {
            continue;
        };
        let flag = |flag: &str| setting.and_then(|setting| get(&setting.value, flag)).cloned();
        let location = if location == "querystring" { "query" } else { location };
        let described = object([
            ("in", Value::from(location)),
            ("name", Value::from(rest)),
            ("required", flag("Required").unwrap_or_else(|| Value::from(false))),
            ("type", Value::from("string")),
        ]);
        add_parameter(fields, described);
        if flag("Caching").is_some_and(|caching| is_set(&caching)) {
            let mut integration = fields.get(INTEGRATION).map(Fields::from_value).unwrap_or_default();
            let known = integration.get("cacheKeyParameters").and_then(Value::as_array).unwrap_or_default();
            let name = Value::from(name.cloned().unwrap_or_else(|| Str::from("")));
            let all = known.iter().cloned().chain(std::iter::once(name)).collect();
            integration.set("cacheKeyParameters", Value::array(all));
            fields.set(INTEGRATION, integration.into_value());
        }
    }
}
