//! `AWS::Serverless::WebSocketApi`: the API with its routes, integrations, permissions, stage and domain.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-websocketapi.html>.

use crate::sam::build::{Draft, Fields, get, given_property, object, reference, required, sub_with, text};
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// The tag that marks an API as made by SAM.
const TAG: &str = "websocketapi:createdBy";

/// The route of new connections, which is the only one that is authorized.
const CONNECT: &str = "$connect";

/// ARN with which API Gateway invokes a function.
const INVOCATION: &str =
    "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${FunctionArn}/invocations";

/// Properties of the API that are those of the SAM resource.
const COPIED: [&str; 6] = [
    "ApiKeySelectionExpression",
    "Description",
    "DisableExecuteApiEndpoint",
    "DisableSchemaValidation",
    "IpAddressType",
    "RouteSelectionExpression",
];

/// Properties of a route that are those in the template.
const ROUTE: [&str; 6] = [
    "ApiKeyRequired",
    "ModelSelectionExpression",
    "OperationName",
    "RequestModels",
    "RequestParameters",
    "RouteResponseSelectionExpression",
];

impl Sam<'_, '_> {
    pub(in crate::sam) fn websocket_api(&mut self, source: &Source) {
        let mut draft = source.main("AWS::ApiGatewayV2::Api");
        draft.copy(&source.properties, &COPIED);
        draft.set("Name", source.get("Name").cloned().unwrap_or_else(|| Value::from(source.id.clone())));
        draft.set("ProtocolType", Value::from("WEBSOCKET"));
        let mut tags = source.get("Tags").map(Fields::from_value).unwrap_or_default();
        tags.set(TAG, Value::from("SAM"));
        draft.set("Tags", tags.into_value());
        let auth = source.given_property("Auth").map(|auth| self.resolved(auth));
        let routes = source.get("Routes").map(|routes| self.resolved(routes));
        let mut drafts = vec![draft];
        let mut ids = Vec::new();
        for member in routes.as_ref().and_then(Value::as_object).into_iter().flatten() {
            route(source, member, auth.as_ref(), &mut drafts);
            ids.push(Value::from(route_id(source, &member.key, "Route")));
        }
        let stage = stage(source, ids);
        self.output.references.add(&source.id, "Stage", &stage.id);
        drafts.push(stage);
        if let Some(auth) = auth.as_ref().filter(|auth| kind_of(auth) == "CUSTOM") {
            drafts.push(authorizer(source, auth));
            if let Some(function) =
                given_property(auth, "AuthArn").filter(|_| given_property(auth, "InvokeRole").is_none())
            {
                let permission = self.authorizer_permission(source, "", function);
                drafts.push(permission);
            }
        }
        self.http_domain(source, TAG, &mut drafts);
        self.emit(source, drafts);
    }
}

fn kind_of(auth: &Value) -> String {
    text(auth, "AuthType").map(|kind| kind.to_uppercase()).unwrap_or_default()
}

/// Returns the logical ID of a resource that belongs to a route.
fn route_id(source: &Source, key: &str, suffix: &str) -> String {
    let mut letters = key.trim_start_matches('$').chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{}{first}{}{suffix}", source.id, letters.as_str().to_lowercase())
}

fn route(source: &Source, member: &Member, auth: Option<&Value>, drafts: &mut Vec<Draft>) {
    let key = &member.key;
    let origin = source.origin.within(member);
    let id = |suffix: &str| route_id(source, key, suffix);
    let parts = Value::array(vec![Value::from("integrations"), reference(&id("Integration"))]);
    let mut route = Draft::new(id("Route"), "AWS::ApiGatewayV2::Route", &origin)
        .with("ApiId", reference(&source.id))
        .with("RouteKey", Value::from(key.clone()))
        .with("Target", object([("Fn::Join", Value::array(vec![Value::from("/"), parts]))]));
    route.copy(&member.value, &ROUTE);
    if let Some(kind) = auth.filter(|_| **key == *CONNECT).map(kind_of) {
        if kind == "CUSTOM" {
            route.set("AuthorizerId", reference(&format!("{}ConnectAuthorizer", source.id)));
        }
        route.set("AuthorizationType", Value::from(kind));
    }
    let function = required(&member.value, "FunctionArn");
    let integration = Draft::new(id("Integration"), "AWS::ApiGatewayV2::Integration", &origin)
        .with("ApiId", reference(&source.id))
        .with("IntegrationType", Value::from("AWS_PROXY"))
        .with("IntegrationUri", sub_with(INVOCATION, [("FunctionArn", function.clone())]))
        .with("TimeoutInMillis", get(&member.value, "IntegrationTimeout").cloned());
    let arn = format!(
        "arn:${{AWS::Partition}}:execute-api:${{AWS::Region}}:${{AWS::AccountId}}:${{{}.ApiId}}/${{__StageName__}}/{key}",
        source.id
    );
    let permission = Draft::new(id("Permission"), "AWS::Lambda::Permission", &origin)
        .with("Action", Value::from("lambda:InvokeFunction"))
        .with("FunctionName", function)
        .with("Principal", Value::from("apigateway.amazonaws.com"))
        .with("SourceArn", sub_with(arn, [("__StageName__", stage_name(source))]));
    drafts.extend([route, integration, permission]);
}

fn stage_name(source: &Source) -> Value {
    source.get("StageName").cloned().unwrap_or_else(|| Value::from("default"))
}

fn stage(source: &Source, routes: Vec<Value>) -> Draft {
    let name = stage_name(source);
    let id = match name.as_str().unwrap_or_default() {
        "default" => format!("{}DefaultStage", source.id),
        label => format!("{}{label}Stage", source.id),
    };
    let mut stage = Draft::new(id, "AWS::ApiGatewayV2::Stage", &source.origin)
        .with("ApiId", reference(&source.id))
        .with("StageName", name)
        .with("AutoDeploy", Value::from(true))
        .with("Tags", object([(TAG, Value::from("SAM"))]));
    stage.copy(&source.properties, &["StageVariables", "AccessLogSettings", "DefaultRouteSettings", "RouteSettings"]);
    if source.given_property("RouteSettings").is_some() && !routes.is_empty() {
        stage.attributes.set("DependsOn", Value::array(routes));
    }
    stage
}

fn authorizer(source: &Source, auth: &Value) -> Draft {
    let id = Str::from(format!("{}ConnectAuthorizer", source.id));
    let name = given_property(auth, "Name").cloned().unwrap_or_else(|| Value::from(id.clone()));
    let mut draft = Draft::new(id, "AWS::ApiGatewayV2::Authorizer", &source.origin)
        .with("ApiId", reference(&source.id))
        .with("AuthorizerType", Value::from("REQUEST"))
        .with("AuthorizerCredentialsArn", get(auth, "InvokeRole").cloned())
        .with("Name", name);
    draft.copy(auth, &["IdentitySource"]);
    if let Some(function) = get(auth, "AuthArn") {
        draft.set("AuthorizerUri", sub_with(INVOCATION, [("FunctionArn", function.clone())]));
    }
    draft
}
