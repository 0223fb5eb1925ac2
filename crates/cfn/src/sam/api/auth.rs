//! Authorizers of REST APIs.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-api-apiauth.html>.

use crate::sam::api::editor::Editor;
use crate::sam::api::policy;
use crate::sam::build::{
    Draft, Fields, get, given_property, items, located, object, reference, required, sub_with, text,
};
use crate::sam::{Sam, Source};
use crate::value::{Str, Value};

/// The sections of the identity of a caller, with the prefix of each source.
const SOURCES: [(&str, &str); 4] = [
    ("Headers", "method.request.header."),
    ("QueryStrings", "method.request.querystring."),
    ("StageVariables", "stageVariables."),
    ("Context", "context."),
];

/// Returns the definition of requests that are signed.
pub(super) fn signature() -> Value {
    object([
        ("type", Value::from("apiKey")),
        ("name", Value::from("Authorization")),
        ("in", Value::from("header")),
        ("x-amazon-apigateway-authtype", Value::from("awsSigv4")),
    ])
}

/// Returns the definition of requests with an API key.
pub(super) fn api_key() -> Value {
    object([("type", Value::from("apiKey")), ("name", Value::from("x-api-key")), ("in", Value::from("header"))])
}

impl Sam<'_, '_> {
    /// Adds the authorizers of an API to its definition, and the default one to its methods.
    pub(super) fn rest_auth(&self, source: &Source, auth: &Value, editor: &mut Editor) {
        let default = text(auth, "DefaultAuthorizer");
        let authorizers = given_property(auth, "Authorizers").and_then(Value::as_object);
        if default.is_some_and(|default| **default == *"AWS_IAM") {
            editor.set_in("securityDefinitions", "AWS_IAM", signature());
        }
        for authorizer in authorizers.into_iter().flatten() {
            let definition = located(self.authorizer(&authorizer.value), authorizer.value.span);
            editor.set_in("securityDefinitions", &authorizer.key, definition);
        }
        if let Some(default) = default {
            let preflight = get(auth, "AddDefaultAuthorizerToCorsPreflight").and_then(Value::as_bool).unwrap_or(true);
            let names: Vec<Str> = authorizers.into_iter().flatten().map(|member| member.key.clone()).collect();
            let scopes = get(auth, "Authorizers").and_then(|all| get(get(all, default)?, "AuthorizationScopes"));
            let required = object([(default, scopes.cloned().unwrap_or_else(|| Value::array(Vec::new())))]);
            for path in editor.paths() {
                editor.change_methods(&path, &mut |method, fields| {
                    if preflight || !method.eq_ignore_ascii_case("options") {
                        require_authorizer(fields, &names, &required);
                    }
                });
            }
        }
        if given_property(auth, "ApiKeyRequired").is_some() {
            editor.set_in("securityDefinitions", "api_key", api_key());
            let preflight = get(auth, "AddApiKeyRequiredToCorsPreflight").and_then(Value::as_bool).unwrap_or(true);
            for path in editor.paths() {
                editor.change_methods(&path, &mut |method, fields| {
                    require_api_key(fields, preflight || !method.eq_ignore_ascii_case("options"));
                });
            }
        }
        if let Some(resources) = given_property(auth, "ResourcePolicy") {
            let stage = required(&source.properties, "StageName");
            for path in editor.paths() {
                policy::add(editor, resources, &path, &stage);
            }
            policy::add_custom(editor, resources);
        }
    }

    /// Returns the definition of an authorizer: a user pool or a function.
    fn authorizer(&self, written: &Value) -> Value {
        let pool = given_property(written, "UserPoolArn");
        let is_request = text(written, "FunctionPayloadType").is_some_and(|kind| **kind == *"REQUEST");
        let identity = get(written, "Identity");
        let of_identity = |name: &str| identity.and_then(|identity| given_property(identity, name)).cloned();
        let header = if pool.is_none() && is_request {
            Value::from("Unused")
        } else {
            of_identity("Header").unwrap_or_else(|| Value::from("Authorization"))
        };
        let mut inner = Fields::default();
        if let Some(pool) = pool {
            inner.set("type", Value::from("cognito_user_pools"));
            inner.set("providerARNs", Value::array(items(pool).to_vec()));
        } else {
            inner.set("type", Value::from(if is_request { "request" } else { "token" }));
            inner.set("authorizerUri", self.authorizer_uri(written));
            let ttl = identity.and_then(|identity| get(identity, "ReauthorizeEvery"));
            inner.set_some("authorizerResultTtlInSeconds", ttl.cloned());
            let role = given_property(written, "FunctionInvokeRole").filter(|role| role.as_str() != Some("NONE"));
            inner.set_some("authorizerCredentials", role.cloned());
            let sources = identity.filter(|_| is_request).map(identity_sources).unwrap_or_default();
            if !sources.is_empty() {
                inner.set("identitySource", Value::from(sources.join(", ")));
            }
        }
        if pool.is_some() || !is_request {
            inner.set_some("identityValidationExpression", of_identity("ValidationExpression"));
        }
        object([
            ("type", Value::from("apiKey")),
            ("name", header),
            ("in", Value::from("header")),
            ("x-amazon-apigateway-authtype", Value::from(if pool.is_some() { "cognito_user_pools" } else { "custom" })),
            ("x-amazon-apigateway-authorizer", inner.into_value()),
        ])
    }

    /// Returns the URI by which API Gateway invokes the function of an authorizer.
    pub(super) fn authorizer_uri(&self, written: &Value) -> Value {
        let text = format!(
            "arn:{}:apigateway:${{AWS::Region}}:lambda:path/2015-03-31/functions/${{__FunctionArn__}}/invocations",
            self.partition()
        );
        sub_with(text, [("__FunctionArn__", required(written, "FunctionArn"))])
    }

    /// Returns the permissions for the functions of authorizers.
    pub(super) fn authorizer_permissions(&self, source: &Source, auth: Option<&Value>) -> Vec<Draft> {
        let authorizers = auth.and_then(|auth| given_property(auth, "Authorizers")).and_then(Value::as_object);
        let invoked = authorizers.into_iter().flatten().filter_map(|authorizer| {
            let function = given_property(&authorizer.value, "FunctionArn")?;
            let is_given = given_property(&authorizer.value, "DisableFunctionDefaultPermissions").is_some();
            (!is_given).then_some((authorizer, function))
        });
        let permission = |(authorizer, function): (&crate::value::Member, &Value)| {
            self.authorizer_permission(source, &authorizer.key, function)
        };
        invoked.map(permission).collect()
    }

    /// Returns the permission for the function of an authorizer.
    pub(super) fn authorizer_permission(&self, source: &Source, name: &str, function: &Value) -> Draft {
        let arn = self.arn("execute-api", "${__ApiId__}/authorizers/*");
        Draft::new(format!("{}{name}AuthorizerPermission", source.id), "AWS::Lambda::Permission", &source.origin)
            .with("Action", Value::from("lambda:InvokeFunction"))
            .with("FunctionName", function.clone())
            .with("Principal", Value::from("apigateway.amazonaws.com"))
            .with("SourceArn", sub_with(arn, [("__ApiId__", reference(&source.id))]))
    }
}

/// Returns the parts of a request that identify a caller, as API Gateway names them.
fn identity_sources(identity: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for (name, prefix) in SOURCES {
        let names = get(identity, name).and_then(Value::as_array).unwrap_or_default();
        all.extend(names.iter().filter_map(Value::as_str).map(|name| format!("{prefix}{name}")));
    }
    all
}

/// Requires the default authorizer, unless the method has one of its own or declines it with `NONE`.
fn require_authorizer(fields: &mut Fields, authorizers: &[Str], required: &Value) {
    let known = fields.get("security").and_then(Value::as_array).unwrap_or_default();
    let is_authorizer = |security: &Value| {
        get(security, "AWS_IAM").is_some() || authorizers.iter().any(|name| get(security, name).is_some())
    };
    let declines = |security: &Value| get(security, "NONE").is_some();
    let (own, mut others): (Vec<&Value>, Vec<&Value>) = known.iter().partition(|security| is_authorizer(security));
    if let Some(at) = others.iter().position(|security| declines(security)) {
        others.remove(at);
    } else if own.is_empty() {
        others.push(required);
    } else {
        others.extend(own);
    }
    let security: Vec<Value> = others.into_iter().cloned().collect();
    if !security.is_empty() {
        fields.set("security", Value::array(security));
    }
}

/// Requires an API key, unless the method declines it.
fn require_api_key(fields: &mut Fields, is_required: bool) {
    let known = fields.get("security").and_then(Value::as_array).unwrap_or_default();
    let declines = known.iter().any(|security| get(security, "api_key_false").is_some());
    let is_other = |security: &&Value| get(security, "api_key").is_none() && get(security, "api_key_false").is_none();
    let mut all: Vec<Value> = known.iter().filter(is_other).cloned().collect();
    if is_required && !declines {
        all.push(object([("api_key", Value::array(Vec::new()))]));
    }
    if !all.is_empty() || !known.is_empty() {
        fields.set("security", Value::array(all));
    }
}
