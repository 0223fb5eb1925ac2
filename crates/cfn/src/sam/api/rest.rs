//! `AWS::Serverless::Api`: the REST API with its deployment, stage, domain and usage plan.

use crate::sam::api::Api;
use crate::sam::api::editor::{Editor, is_open_api_3};
use crate::sam::api::{auth_of, cors};
use crate::sam::build::{
    Draft, Fields, get, given_property, is_set, items, located, object, reference, tag_list, text,
};
use crate::sam::code::{BODY, location};
use crate::sam::intrinsics::{digest, id_with, is_intrinsic};
use crate::sam::target::json_digest;
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// Properties of the REST API that are those of the SAM resource.
const COPIED: [&str; 10] = [
    "BinaryMediaTypes",
    "MinimumCompressionSize",
    "Name",
    "Description",
    "Mode",
    "ApiKeySourceType",
    "Policy",
    "SecurityPolicy",
    "EndpointAccessMode",
    "FailOnWarnings",
];

/// Properties of the stage that are those of the SAM resource.
const STAGE: [&str; 8] = [
    "StageName",
    "CacheClusterEnabled",
    "CacheClusterSize",
    "Variables",
    "MethodSettings",
    "AccessLogSetting",
    "CanarySetting",
    "TracingEnabled",
];

impl Sam<'_, '_> {
    pub(in crate::sam) fn rest_api(&mut self, mut api: Api) {
        self.condition_paths(&mut api);
        let Api { source, editor, .. } = api;
        let auth = source.given_property("Auth").map(|auth| self.resolved(auth));
        let mut draft = source.main("AWS::ApiGateway::RestApi");
        draft.copy(&source.properties, &COPIED);
        draft.derive("BinaryMediaTypes", &source.properties, "BinaryMediaTypes", |types| self.resolved(types));
        endpoint(&mut draft, &source);
        let body = self.body(&source, editor, auth.as_ref());
        match source.given_property("DefinitionUri") {
            Some(uri) => draft.set("BodyS3Location", location(uri, &BODY)),
            None => draft.set("Body", body),
        }
        let (deployment, stage) = stage(&source, &draft);
        let mut drafts = vec![draft];
        let permissions = self.authorizer_permissions(&source, auth.as_ref());
        self.output.references.add(&source.id, "Stage", &stage.id);
        self.output.references.add(&source.id, "Deployment", &deployment.id);
        let plans = self.usage_plan(&source, auth_of(auth.as_ref(), "UsagePlan"), &stage.id);
        drafts.extend([deployment, stage]);
        drafts.extend(permissions);
        drafts.extend(plans);
        self.rest_domain(&source, &mut drafts);
        self.emit(&source, drafts);
    }

    /// Returns the definition with everything that the properties add to it.
    fn body(&self, source: &Source, editor: Option<Editor>, auth: Option<&Value>) -> Option<Value> {
        let Some(mut editor) = editor else { return source.given_property("DefinitionBody").cloned() };
        let version = source.given_property("OpenApiVersion").map(|version| self.resolved(version));
        if let Some(settings) = source.given_property("Cors") {
            cors::add(&mut editor, settings);
        }
        if let Some(auth) = auth {
            self.rest_auth(source, auth, &mut editor);
        }
        for response in source.get("GatewayResponses").and_then(Value::as_object).into_iter().flatten() {
            let definition = located(gateway_response(&response.value), response.value.span);
            editor.set_in("x-amazon-apigateway-gateway-responses", &response.key, definition);
        }
        if let Some(types) = source.given_property("BinaryMediaTypes").map(|types| self.resolved(types)) {
            editor.doc.set("x-amazon-apigateway-binary-media-types", slashed(&types));
        }
        for model in source.get("Models").and_then(Value::as_object).into_iter().flatten() {
            editor.set_in("definitions", &model.key.to_lowercase(), model.value.clone());
        }
        if let Some(disabled) = source.get("DisableExecuteApiEndpoint") {
            disable_endpoint(&mut editor, disabled);
        }
        if editor.doc.get("swagger").is_none() && (editor.is_open_api() || is_open_api_3(version.as_ref())) {
            as_open_api(&mut editor);
        }
        Some(editor.into_value())
    }
}

/// Returns the deployment, which has another name after each change, and the stage.
fn stage(source: &Source, api: &Draft) -> (Draft, Draft) {
    let definition = api.properties.get("Body").or_else(|| api.properties.get("BodyS3Location"));
    let digest = definition.map_or_else(|| digest(&source.id), json_digest);
    let suffix: String = digest.chars().take(10).collect();
    let id = format!("{}Deployment{suffix}", source.id);
    let mut deployment = Draft::new(id, "AWS::ApiGateway::Deployment", &source.origin)
        .with("RestApiId", reference(&source.id))
        .with("Description", Value::from(format!("RestApi deployment id: {digest}")));
    if source.given_property("OpenApiVersion").is_none() {
        deployment.set("StageName", Value::from("Stage"));
    }
    let name = text(&source.properties, "StageName").map_or("", |name| name);
    let is_plain = !name.is_empty() && name.chars().all(char::is_alphanumeric);
    let id = if is_plain {
        Str::from(format!("{}{name}Stage", source.id))
    } else {
        id_with(&format!("{}Stage", source.id), name)
    };
    let mut stage = Draft::new(id, "AWS::ApiGateway::Stage", &source.origin)
        .with("RestApiId", reference(&source.id))
        .with("DeploymentId", reference(&deployment.id));
    stage.copy(&source.properties, &STAGE);
    if let Some(tags) = source.get("Tags") {
        stage.set("Tags", Value { span: tags.span, ..Value::array(tag_list(Some(tags))) });
    }
    (deployment, stage)
}

/// Sets the type of the endpoint and its networks.
fn endpoint(draft: &mut Draft, source: &Source) {
    let Some(written) = source.given_property("EndpointConfiguration") else { return };
    let kind = given_property(written, "Type");
    let mut fields = Fields::default();
    fields.set("Types", Value::array(vec![kind.unwrap_or(written).clone()]));
    if kind.is_some() {
        let networks = get(written, "VPCEndpointIds").or_else(|| get(written, "VpcEndpointIds"));
        fields.set_some("VpcEndpointIds", networks.cloned());
        fields.set_some("IpAddressType", get(written, "IpAddressType").cloned());
    }
    draft.derive("EndpointConfiguration", &source.properties, "EndpointConfiguration", |_| fields.into_value());
    draft.set("Parameters", object([("endpointConfigurationTypes", kind.unwrap_or(written).clone())]));
}

fn gateway_response(written: &Value) -> Value {
    let mut parameters = Fields::default();
    for (name, prefix) in [("Headers", "header"), ("Paths", "path"), ("QueryStrings", "querystring")] {
        let section = get(written, "ResponseParameters").and_then(|all| get(all, name)?.as_object());
        for member in section.into_iter().flatten() {
            let key = Str::from(format!("gatewayresponse.{prefix}.{}", member.key));
            parameters.put(Member { key, ..member.clone() });
        }
    }
    let templates = get(written, "ResponseTemplates").cloned().unwrap_or_else(|| object([]));
    let mut fields = Fields::default();
    fields.set("responseParameters", parameters.into_value());
    fields.set("responseTemplates", templates);
    let code = given_property(written, "StatusCode").map(|code| match code.as_int() {
        Some(number) => Value { span: code.span, ..Value::from(number.to_string()) },
        None => code.clone(),
    });
    fields.set_some("statusCode", code);
    fields.into_value()
}

/// Returns media types, in which `~1` stands for a slash.
fn slashed(types: &Value) -> Value {
    if let Some(text) = types.as_str() {
        return Value { span: types.span, ..Value::from(text.replace("~1", "/")) };
    }
    if let Some(items) = types.as_array() {
        return Value { span: types.span, ..Value::array(items.iter().map(slashed).collect()) };
    }
    let Some(object) = types.as_object() else { return types.clone() };
    let member = |member: &Member| Member { value: slashed(&member.value), ..member.clone() };
    Value { span: types.span, ..Value::object(object.iter().map(member).collect()) }
}

/// Says in the definition whether the API has its default endpoint.
pub(super) fn disable_endpoint(editor: &mut Editor, disabled: &Value) {
    const EXTENSION: &str = "x-amazon-apigateway-endpoint-configuration";
    const NAME: &str = "disableExecuteApiEndpoint";
    if !editor.is_open_api() {
        return editor.set_in(EXTENSION, NAME, disabled.clone());
    }
    let servers = editor.doc.get("servers").map(items).map_or_else(|| vec![object([])], <[Value]>::to_vec);
    let servers = servers.iter().map(|server| {
        let mut fields = Fields::from_value(server);
        let mut inner = fields.get(EXTENSION).map(Fields::from_value).unwrap_or_default();
        inner.set(NAME, disabled.clone());
        fields.set(EXTENSION, inner.into_value());
        Value { span: server.span, ..fields.into_value() }
    });
    let servers = servers.collect();
    editor.doc.set("servers", Value::array(servers));
}

/// Moves what `OpenAPI` 3 has elsewhere than Swagger 2.
fn as_open_api(editor: &mut Editor) {
    for (old, new) in [("securityDefinitions", "securitySchemes"), ("definitions", "schemas")] {
        if let Some(section) = editor.doc.get(old).filter(|section| is_set(section)).cloned() {
            editor.doc.remove(old);
            editor.set_in("components", new, section);
        }
    }
    let is_plain = |path: &Str| editor.item(path).is_some_and(|item| !is_intrinsic(item));
    let paths: Vec<Str> = editor.paths().into_iter().filter(is_plain).collect();
    for path in paths {
        editor.set_method(&path, "options", None, &mut |fields| {
            fields.remove("produces");
            fields.remove("consumes");
            let Some(responses) = fields.get("responses").cloned() else { return };
            let headers = get(&responses, "200").and_then(|answer| get(answer, "headers")?.as_object());
            let Some(headers) = headers.filter(|headers| !headers.is_empty()) else { return };
            let header =
                |header: &Member| Member { value: object([("schema", header.value.clone())]), ..header.clone() };
            let headers = Value::object(headers.iter().map(header).collect());
            let mut answer = get(&responses, "200").map(Fields::from_value).unwrap_or_default();
            answer.set("headers", headers);
            let mut all = Fields::from_value(&responses);
            all.set("200", answer.into_value());
            fields.set("responses", all.into_value());
        });
    }
}
