//! `AWS::Serverless::HttpApi`: the HTTP API with its stage, domain and authorizers.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-httpapi.html>.

use crate::sam::api::Api;
use crate::sam::api::editor::{Editor, INTEGRATION};
use crate::sam::build::{Draft, Fields, get, given_property, is_set, located, object, reference, strings, text};
use crate::sam::code::{BODY, location};
use crate::sam::intrinsics::{hash, is_intrinsic, is_no_value};
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// The stage without a name in URLs.
const DEFAULT: &str = "$default";

/// The tag that marks an API as made by SAM.
const TAG: &str = "httpapi:createdBy";

/// Settings of CORS with their names in a definition.
const CORS: [(&str, &str); 6] = [
    ("AllowOrigins", "allowOrigins"),
    ("AllowHeaders", "allowHeaders"),
    ("AllowMethods", "allowMethods"),
    ("ExposeHeaders", "exposeHeaders"),
    ("MaxAge", "maxAge"),
    ("AllowCredentials", "allowCredentials"),
];

/// The sections of the identity of a caller, with the prefix of each source.
const SOURCES: [(&str, &str); 4] = [
    ("Headers", "$request.header."),
    ("QueryStrings", "$request.querystring."),
    ("StageVariables", "$stageVariables."),
    ("Context", "$context."),
];

impl Sam<'_, '_> {
    pub(in crate::sam) fn http_api(&mut self, mut api: Api) {
        self.condition_paths(&mut api);
        api.settle_routes();
        let Api { source, editor, .. } = api;
        let mut draft = source.main("AWS::ApiGatewayV2::Api");
        draft.copy(&source.properties, &["FailOnWarnings"]);
        let is_inline = editor.as_ref().is_some_and(Editor::is_open_api);
        let body = match editor {
            Some(editor) => Some(self.http_body(&source, editor)),
            None => source.given_property("DefinitionBody").cloned(),
        };
        match source.given_property("DefinitionUri") {
            Some(uri) => draft.set("BodyS3Location", location(uri, &BODY)),
            None => draft.set("Body", body),
        }
        let mut tags = source.get("Tags").map(Fields::from_value).unwrap_or_default();
        if is_inline {
            tags.set(TAG, Value::from("SAM"));
        }
        let tags = (tags.len() > 0).then(|| tags.into_value());
        let stage = http_stage(&source, tags.clone());
        self.output.references.add(&source.id, "Stage", &stage.id);
        let mut drafts = vec![draft, stage];
        drafts.extend(self.http_permissions(&source));
        self.http_domain(&source, TAG, &mut drafts);
        for draft in drafts.iter_mut().filter(|draft| is_inline && draft.kind == "AWS::ApiGatewayV2::DomainName") {
            draft.set("Tags", tags.clone());
        }
        self.emit(&source, drafts);
    }

    /// Returns the definition with everything that the properties add to it.
    fn http_body(&self, source: &Source, mut editor: Editor) -> Value {
        if let Some(cors) = source.given_property("CorsConfiguration").map(|cors| self.resolved(cors)) {
            add_cors(&mut editor, &cors);
        }
        if let Some(auth) = source.given_property("Auth") {
            self.http_auth(auth, &mut editor);
        }
        if editor.is_open_api() {
            let mut tags = source.get("Tags").map(Fields::from_value).unwrap_or_default();
            tags.set(TAG, Value::from("SAM"));
            add_tags(&mut editor, &tags);
        }
        if let Some(disabled) = source.get("DisableExecuteApiEndpoint") {
            super::rest::disable_endpoint(&mut editor, disabled);
        }
        for (property, name) in [("Name", "title"), ("Description", "description")] {
            if let Some(value) = source.given_property(property) {
                editor.set_in("info", name, value.clone());
            }
        }
        if source.given_property("FailOnWarnings").is_some() {
            editor.rename(DEFAULT, &format!("/{DEFAULT}"));
        }
        editor.into_value()
    }

    fn http_auth(&self, auth: &Value, editor: &mut Editor) {
        let mut schemes = Fields::default();
        if get(auth, "EnableIamAuthorizer").and_then(Value::as_bool) == Some(true) {
            schemes.set("AWS_IAM", super::auth::signature());
        }
        let authorizers = given_property(auth, "Authorizers");
        for member in authorizers.and_then(Value::as_object).into_iter().flatten() {
            let scheme = located(self.http_authorizer(&member.value), member.value.span);
            schemes.put(Member { value: scheme, ..member.clone() });
        }
        if schemes.len() > 0 {
            let mut known = editor
                .doc
                .get("components")
                .and_then(|all| get(all, "securitySchemes"))
                .map(Fields::from_value)
                .unwrap_or_default();
            schemes.iter().for_each(|scheme| known.put(scheme.clone()));
            editor.set_in("components", "securitySchemes", known.into_value());
        }
        let Some(default) = get(auth, "DefaultAuthorizer").filter(|default| !is_no_value(default)) else { return };
        let Some(default) = default.as_shared_str() else { return };
        let scopes = authorizers.and_then(|all| get(get(all, default)?, "AuthorizationScopes"));
        let scopes = scopes.cloned().unwrap_or_else(|| Value::array(Vec::new()));
        let security = Value::array(vec![object([(default, scopes)])]);
        for path in editor.paths() {
            editor.change_methods(&path, &mut |method, fields| {
                if !method.eq_ignore_ascii_case("options") && !fields.get("security").is_some_and(is_set) {
                    fields.set("security", security.clone());
                }
            });
        }
    }

    /// Returns the definition of an authorizer: for tokens, or a function.
    fn http_authorizer(&self, written: &Value) -> Value {
        const EXTENSION: &str = "x-amazon-apigateway-authorizer";
        if let Some(configuration) = given_property(written, "JwtConfiguration") {
            let lower = |member: &Member| Member { key: Str::from(member.key.to_lowercase()), ..member.clone() };
            let members = configuration.as_object().into_iter().flatten().map(lower).collect();
            let mut inner = Fields::default();
            inner.set("jwtConfiguration", Value { span: configuration.span, ..Value::object(members) });
            inner.set_some("identitySource", get(written, "IdentitySource").cloned());
            inner.set("type", Value::from("jwt"));
            return object([("type", Value::from("oauth2")), (EXTENSION, inner.into_value())]);
        }
        let mut inner = Fields::default();
        inner.set("type", Value::from("request"));
        inner.set("authorizerUri", self.authorizer_uri(written));
        let role = given_property(written, "FunctionInvokeRole").filter(|role| role.as_str() != Some("NONE"));
        inner.set_some("authorizerCredentials", role.cloned());
        if let Some(identity) = given_property(written, "Identity") {
            inner.set_some("authorizerResultTtlInSeconds", get(identity, "ReauthorizeEvery").cloned());
            let mut sources = Vec::new();
            for (name, prefix) in SOURCES {
                let names = get(identity, name).and_then(Value::as_array).unwrap_or_default();
                let names = names.iter().filter_map(Value::as_str);
                sources.extend(names.map(|name| Value::from(format!("{prefix}{name}"))));
            }
            inner.set("identitySource", Value::array(sources));
        }
        inner.set_some("authorizerPayloadFormatVersion", get(written, "AuthorizerPayloadFormatVersion").cloned());
        inner.set_some("enableSimpleResponses", given_property(written, "EnableSimpleResponses").cloned());
        object([
            ("type", Value::from("apiKey")),
            ("name", Value::from("Unused")),
            ("in", Value::from("header")),
            (EXTENSION, inner.into_value()),
        ])
    }

    /// Returns the permissions for the functions of authorizers that ask for them.
    fn http_permissions(&self, source: &Source) -> Vec<Draft> {
        let authorizers = source
            .given_property("Auth")
            .and_then(|auth| given_property(auth, "Authorizers"))
            .and_then(Value::as_object);
        let permission = |member: &Member| {
            let function = given_property(&member.value, "FunctionArn")?;
            given_property(&member.value, "EnableFunctionDefaultPermissions")?;
            Some(self.authorizer_permission(source, &member.key, function))
        };
        authorizers.into_iter().flatten().filter_map(permission).collect()
    }
}

fn http_stage(source: &Source, tags: Option<Value>) -> Draft {
    let name = source.given_property("StageName").cloned().unwrap_or_else(|| Value::from(DEFAULT));
    let label = name.as_str().unwrap_or_default();
    let id = match label {
        DEFAULT => format!("{}ApiGatewayDefaultStage", source.id),
        "" => format!("{}Stage", source.id),
        _ if label.chars().all(char::is_alphanumeric) => format!("{}{label}Stage", source.id),
        _ => format!("{}Stage{}", source.id, hash(&name)),
    };
    let mut stage = Draft::new(id, "AWS::ApiGatewayV2::Stage", &source.origin)
        .with("ApiId", reference(&source.id))
        .with("StageName", name)
        .with("AutoDeploy", Value::from(true))
        .with("Tags", tags);
    let copied = ["StageVariables", "AccessLogSettings", "DefaultRouteSettings", "RouteSettings"];
    stage.copy(&source.properties, &copied);
    stage
}

fn add_cors(editor: &mut Editor, cors: &Value) {
    const EXTENSION: &str = "x-amazon-apigateway-cors";
    let mut fields = editor.doc.get(EXTENSION).map(Fields::from_value).unwrap_or_default();
    if cors.as_bool().is_some() {
        fields.set("allowOrigins", strings(["*"]));
    } else if is_intrinsic(cors) {
        for member in lowered(cors).as_object().into_iter().flatten() {
            fields.put(member.clone());
        }
    } else {
        for (name, lower) in CORS {
            let value = get(cors, name).filter(|value| is_set(value) || name == "MaxAge");
            fields.set_some(lower, value.cloned());
        }
    }
    editor.doc.set(EXTENSION, Value { span: cors.span, ..fields.into_value() });
}

/// Returns the value with the names of settings as a definition has them, at any depth.
fn lowered(value: &Value) -> Value {
    if let Some(items) = value.as_array() {
        return Value { span: value.span, ..Value::array(items.iter().map(lowered).collect()) };
    }
    let Some(object) = value.as_object() else { return value.clone() };
    let member = |member: &Member| {
        let known = CORS.iter().find(|(name, _)| **name == *member.key);
        let key = known.map_or_else(|| member.key.clone(), |(_, lower)| Str::from(*lower));
        Member { key, value: lowered(&member.value), ..member.clone() }
    };
    Value { span: value.span, ..Value::object(object.iter().map(member).collect()) }
}

fn add_tags(editor: &mut Editor, tags: &Fields) {
    const EXTENSION: &str = "x-amazon-apigateway-tag-value";
    let mut all = editor.doc.get("tags").and_then(Value::as_array).unwrap_or_default().to_vec();
    for tag in tags.iter() {
        match all.iter_mut().find(|known| text(known, "name") == Some(&tag.key)) {
            Some(known) => {
                let mut fields = Fields::from_value(known);
                fields.set(EXTENSION, tag.value.clone());
                *known = Value { span: known.span, ..fields.into_value() };
            }
            None => all.push(object([("name", Value::from(tag.key.clone())), (EXTENSION, tag.value.clone())])),
        }
    }
    editor.doc.set("tags", Value::array(all));
}

/// Returns the integration of a method.
pub(super) fn integration(definition: &Value) -> Option<&Value> {
    get(definition, INTEGRATION)
}
