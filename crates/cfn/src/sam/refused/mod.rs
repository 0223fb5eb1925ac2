//! Errors of the transform beyond the shapes of properties: combinations, events, and routes.
//!
//! Reference: <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification.html>,
//! and the errors of the transform in samtranslator/model of aws/serverless-application-model.

mod apis;
mod auth;
mod sources;
mod values;

use foldhash::{HashMap, HashSet};

use crate::model::join_key;
use crate::sam::SAM_INVALID;
use crate::sam::build::{get, given_property, text};
use crate::sam::intrinsics::is_intrinsic;
use crate::sam::{PREFIX, Sam, Source};
use crate::value::{Member, Object, Value};

/// Properties of a type of which only one may be given.
const EXCLUSIVE: &[(&str, [&str; 2])] = &[
    ("Api", ["DefinitionUri", "DefinitionBody"]),
    ("Api", ["DefinitionUri", "MergeDefinitions"]),
    ("Api", ["DefinitionUri", "Cors"]),
    ("Function", ["CapacityProviderConfig", "ProvisionedConcurrencyConfig"]),
    ("Function", ["TenancyConfig", "FunctionUrlConfig"]),
    ("Function", ["TenancyConfig", "ProvisionedConcurrencyConfig"]),
    ("Function", ["TenancyConfig", "SnapStart"]),
    ("HttpApi", ["DefinitionUri", "DefinitionBody"]),
    ("HttpApi", ["DefinitionUri", "CorsConfiguration"]),
    ("HttpApi", ["DefinitionUri", "Tags"]),
];

/// Properties of a type that need another one.
const NEEDS: &[(&str, &str, &str)] = &[
    ("Function", "ProvisionedConcurrencyConfig", "AutoPublishAlias"),
    ("Function", "VersionDeletionPolicy", "AutoPublishAlias"),
];

/// The events that functions with `TenancyConfig` may have.
const OF_TENANTS: [&str; 2] = ["Api", "HttpApi"];

/// The events whose type is known. Those of state machines are among them.
const EVENTS: [&str; 19] = [
    "AlexaSkill",
    "Api",
    "CloudWatchEvent",
    "CloudWatchLogs",
    "Cognito",
    "DocumentDB",
    "DynamoDB",
    "EventBridgeRule",
    "HttpApi",
    "IoTRule",
    "Kinesis",
    "MQ",
    "MSK",
    "S3",
    "SNS",
    "SQS",
    "Schedule",
    "ScheduleV2",
    "SelfManagedKafka",
];

/// The properties without which an event source cannot be mapped.
const OF_EVENTS: &[(&str, &[&str])] = &[
    ("DynamoDB", &["Stream", "StartingPosition"]),
    ("Kinesis", &["Stream", "StartingPosition"]),
    ("MQ", &["Broker", "Queues", "SourceAccessConfigurations"]),
    ("MSK", &["Stream"]),
    ("S3", &["Bucket", "Events"]),
    ("SNS", &["Topic"]),
    ("SQS", &["Queue"]),
    ("SelfManagedKafka", &["KafkaBootstrapServers", "SourceAccessConfigurations", "Topics"]),
];

/// Routes that events declare: the methods and paths of each API.
#[derive(Default)]
pub(super) struct Routes(HashMap<(String, bool), HashSet<(String, String)>>);

impl Sam<'_, '_> {
    /// Reports what the transform rejects in a resource.
    pub(super) fn check_refused(&self, source: &Source, routes: &mut Routes) {
        let Some(kind) = source.kind.strip_prefix(PREFIX) else { return };
        let path = join_key(&source.origin.path, "Properties");
        for (_, [first, second]) in EXCLUSIVE.iter().filter(|(name, _)| *name == kind) {
            if let (Some(_), Some(value)) = (source.given_property(first), source.given_property(second)) {
                self.refuse(value, &join_key(&path, second), format!("`{second}` cannot be used with `{first}`"));
            }
        }
        for (_, property, needed) in NEEDS.iter().filter(|(name, _, _)| *name == kind) {
            if let Some(value) = source.given_property(property).filter(|_| source.given_property(needed).is_none()) {
                self.refuse(value, &join_key(&path, property), format!("`{property}` needs `{needed}`"));
            }
        }
        match kind {
            "Function" => {
                self.refused_preference(source, &path);
                self.refused_function(source, &path);
                self.refused_values(source, &path);
                self.refused_policies(source, &path);
            }
            "StateMachine" => {
                self.refused_preference(source, &path);
                self.refused_location(source, &path);
                self.refused_policies(source, &path);
            }
            "LayerVersion" => self.refused_layer(source, &path),
            "CapacityProvider" => self.refused_requirements(source, &path),
            "Connector" => self.refused_ends(source, &path),
            "Api" | "HttpApi" => self.refused_api(source, &path),
            "WebSocketApi" => self.refused_websocket(source, &path),
            _ => {}
        }
        self.refused_tags(source, &path);
        if matches!(kind, "Function" | "StateMachine") {
            let events = source.get("Events").and_then(Value::as_object).into_iter().flatten();
            for event in events.filter(|event| !event.key.starts_with("Fn::")) {
                let path = join_key(&join_key(&path, "Events"), &event.key);
                self.refused_event(source, event, &path, routes);
            }
        }
    }

    /// Reports what the transform rejects at a value.
    fn refuse(&self, value: &Value, path: &str, message: impl Into<String>) {
        self.breach(SAM_INVALID, value.span, path, message);
    }

    /// Checks that a preference that is not switched off is about an alias.
    fn refused_preference(&self, source: &Source, path: &str) {
        let Some(preference) = source.given_property("DeploymentPreference").filter(|preference| is_whole(preference))
        else {
            return;
        };
        let is_on = |enabled: &Value| enabled.as_bool() == Some(true) || enabled.as_str() == Some("true");
        if get(preference, "Enabled").is_none_or(is_on) && source.given_property("AutoPublishAlias").is_none() {
            let path = join_key(path, "DeploymentPreference");
            self.refuse(preference, &path, "`DeploymentPreference` needs `AutoPublishAlias`");
        }
    }

    fn refused_function(&self, source: &Source, path: &str) {
        if let Some(alias) = source.given_property("AutoPublishAlias") {
            let is_name = |name: &str| {
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
                    && !name.bytes().all(|byte| byte.is_ascii_digit())
            };
            if alias.as_str().is_some_and(|name| !name.contains("{{resolve:") && !is_name(name)) {
                let message = "`AutoPublishAlias` must have letters, digits, `-`, and `_` only, and not only digits";
                self.refuse(alias, &join_key(path, "AutoPublishAlias"), message);
            }
        }
        let policy = source.given_property("VersionDeletionPolicy").filter(|policy| !is_intrinsic(policy));
        if let Some(policy) = policy.filter(|policy| !matches!(policy.as_str(), Some("Delete" | "Retain"))) {
            let message = "`VersionDeletionPolicy` must be `Delete` or `Retain`";
            self.refuse(policy, &join_key(path, "VersionDeletionPolicy"), message);
        }
        let role = source.get("Role").filter(|role| role.as_str().is_none() && !is_intrinsic(role));
        if let Some(role) = role.filter(|role| role.as_unknown().is_none()) {
            self.refuse(role, &join_key(path, "Role"), "`Role` must be a string");
        }
        // `sam build` makes the image that the metadata describe.
        let is_built = get(&source.body, "Metadata").is_some();
        let has_code = ["CodeUri", "ImageUri", "InlineCode"].iter().any(|name| source.get(name).is_some());
        let package = source.get("PackageType").filter(|package| package.as_str() == Some("Image"));
        if let Some(package) = package.filter(|_| !is_built && !has_code) {
            let message = "`PackageType` `Image` needs `ImageUri`, or `Metadata` from which the image is built";
            self.refuse(package, &join_key(path, "ImageUri"), message);
        }
    }

    /// Checks that the definition of a state machine is a file, or an object in S3.
    fn refused_location(&self, source: &Source, path: &str) {
        let Some(location) = source.given_property("DefinitionUri").filter(|location| is_whole(location)) else {
            return;
        };
        if ["Bucket", "Key"].iter().any(|name| given_property(location, name).is_none()) {
            self.refuse(location, &join_key(path, "DefinitionUri"), "`DefinitionUri` needs `Bucket` and `Key`");
        }
    }

    fn refused_requirements(&self, source: &Source, path: &str) {
        let Some(requirements) = source.given_property("InstanceRequirements") else { return };
        if let (Some(_), Some(excluded)) = (get(requirements, "AllowedTypes"), get(requirements, "ExcludedTypes")) {
            let path = join_key(&join_key(path, "InstanceRequirements"), "ExcludedTypes");
            self.refuse(excluded, &path, "`ExcludedTypes` cannot be used with `AllowedTypes`");
        }
    }

    /// Checks that the source and destinations of a connector are named by their logical IDs.
    fn refused_ends(&self, source: &Source, path: &str) {
        for name in ["Source", "Destination"] {
            let Some(end) = source.get(name) else { continue };
            for end in end.as_array().unwrap_or(std::slice::from_ref(end)) {
                if let Some(id) = get(end, "Id").filter(|id| id.as_str().is_none() && !is_intrinsic(id)) {
                    self.refuse(id, &join_key(&join_key(path, name), "Id"), "`Id` must be a string");
                }
            }
        }
    }

    fn refuse_member(&self, member: &Member, path: &str, message: String) {
        self.breach(SAM_INVALID, member.span(), path, message);
    }

    fn refused_event(&self, source: &Source, event: &Member, path: &str, routes: &mut Routes) {
        if is_intrinsic(&event.value) || !is_whole(&event.value) {
            return;
        }
        let Some(kind) = text(&event.value, "Type") else {
            return self.refuse_member(event, path, format!("event `{}` must be an object with a `Type`", event.key));
        };
        if !EVENTS.contains(&&**kind) {
            let message = format!("there is no event type `{kind}`{}", crate::text::did_you_mean(kind, EVENTS));
            return self.refuse_member(event, &join_key(path, "Type"), message);
        }
        if source.given_property("TenancyConfig").is_some() && !OF_TENANTS.contains(&&**kind) {
            let message = format!("a function with `TenancyConfig` cannot have events of type `{kind}`");
            self.refuse_member(event, path, message);
        }
        let path = join_key(path, "Properties");
        let properties = get(&event.value, "Properties");
        if properties.is_some_and(|properties| !is_whole(properties)) {
            return;
        }
        let needed = OF_EVENTS.iter().filter(|(name, _)| **kind == **name).flat_map(|(_, needed)| *needed);
        let lacks = |name: &&&str| properties.is_none_or(|properties| get(properties, name).is_none());
        for name in needed.filter(lacks) {
            let message = format!("an event of type `{kind}` lacks the required property `{name}`");
            self.refuse_member(event, &join_key(&path, name), message);
        }
        let nothing = Value::object(Vec::new());
        let properties = match properties {
            Some(properties) => properties,
            None if **kind == *"HttpApi" => &nothing,
            None => return,
        };
        self.refused_source(kind, properties, &path);
        match &**kind {
            "S3" => {
                self.refused_bucket(properties);
                self.refused_names(properties, &path, "Events");
            }
            "Cognito" => {
                self.refused_pool(properties);
                self.refused_names(properties, &path, "Trigger");
            }
            "CloudWatchEvent" | "EventBridgeRule" | "Schedule" | "ScheduleV2" => self.refused_rule(properties, &path),
            "Api" | "HttpApi" => self.refused_route(event, properties, &path, routes, **kind == *"HttpApi"),
            _ => {}
        }
    }

    /// Checks an event that is a rule or a schedule.
    fn refused_rule(&self, properties: &Value, path: &str) {
        if let (Some(state), Some(_)) = (get(properties, "State"), get(properties, "Enabled")) {
            self.refuse(state, &join_key(path, "State"), "`State` cannot be used with `Enabled`");
        }
        let Some(queue) = get(properties, "DeadLetterConfig").filter(|queue| is_whole(queue)) else { return };
        let path = join_key(path, "DeadLetterConfig");
        match (get(queue, "Arn"), get(queue, "Type")) {
            (Some(_), Some(kind)) => self.refuse(kind, &path, "`Type` cannot be used with `Arn`"),
            (None, None) => self.refuse(queue, &path, "`DeadLetterConfig` needs `Arn` or `Type`"),
            (None, Some(kind)) if kind.as_str().is_some_and(|kind| kind != "SQS") => {
                self.refuse(kind, &path, "the `Type` of `DeadLetterConfig` must be `SQS`");
            }
            _ => {}
        }
        let id = get(queue, "QueueLogicalId").filter(|id| id.as_str().is_none());
        if let Some(id) = id {
            self.refuse(id, &join_key(&path, "QueueLogicalId"), "`QueueLogicalId` must be a string");
        }
    }

    /// Checks that the configurations of a bucket are a list. Events that call a function add one.
    fn refused_bucket(&self, properties: &Value) {
        let id = get(properties, "Bucket").and_then(|bucket| get(bucket, "Ref")?.as_str());
        let Some((id, bucket)) = id.and_then(|id| Some((id, get(self.declared(id)?, "Properties")?))) else { return };
        let Some(notifications) = get(bucket, "NotificationConfiguration").filter(|value| !is_intrinsic(value)) else {
            return;
        };
        let path = format!("{}.Properties.NotificationConfiguration", join_key("Resources", id));
        if notifications.as_object().is_none() {
            self.refuse(notifications, &path, "`NotificationConfiguration` must be an object");
        }
        let functions = get(notifications, "LambdaConfigurations").filter(|value| !is_intrinsic(value));
        if let Some(functions) = functions.filter(|functions| functions.as_array().is_none()) {
            let path = join_key(&path, "LambdaConfigurations");
            self.refuse(functions, &path, "`LambdaConfigurations` must be a list");
        }
    }

    /// Checks that a property is a string or a list of strings, which the transform reads itself.
    fn refused_names(&self, properties: &Value, path: &str, name: &str) {
        let Some(value) = get(properties, name) else { return };
        let items = value.as_array().unwrap_or(std::slice::from_ref(value));
        if items.iter().any(|item| item.as_str().is_none() && item.as_unknown().is_none()) {
            let message = format!("`{name}` must be a string or a list of strings, without functions");
            self.refuse(value, &join_key(path, name), message);
        }
    }

    /// Checks that the triggers of a user pool are an object. Events that call a function add one.
    fn refused_pool(&self, properties: &Value) {
        let id = get(properties, "UserPool").and_then(|pool| get(pool, "Ref")?.as_str());
        let Some((id, pool)) = id.and_then(|id| Some((id, get(self.declared(id)?, "Properties")?))) else { return };
        let triggers = get(pool, "LambdaConfig").filter(|triggers| !is_intrinsic(triggers));
        if let Some(triggers) = triggers.filter(|triggers| triggers.as_object().is_none()) {
            let path = format!("{}.Properties.LambdaConfig", join_key("Resources", id));
            self.refuse(triggers, &path, "`LambdaConfig` must be an object");
        }
    }

    /// Checks that the authorizer of a route is one of its API.
    fn refused_authorizer(&self, api: &Source, properties: &Value, path: &str) {
        let Some(auth) = get(properties, "Auth").filter(|auth| is_whole(auth)) else { return };
        let Some((name, written)) = get(auth, "Authorizer").and_then(|name| Some((name.as_str()?, name))) else {
            return;
        };
        let shared = api.given_property("Auth");
        if name == "AWS_IAM" || shared.is_some_and(|shared| !is_whole(shared)) {
            return;
        }
        let path = join_key(&join_key(path, "Auth"), "Authorizer");
        let authorizers = shared.and_then(|shared| get(shared, "Authorizers"));
        if name == "NONE" {
            if shared.and_then(|shared| given_property(shared, "DefaultAuthorizer")).is_none() {
                self.refuse(written, &path, "`NONE` needs a `DefaultAuthorizer` of the API");
            }
        } else if authorizers.is_none_or(|authorizers| is_whole(authorizers) && get(authorizers, name).is_none()) {
            let names = authorizers.and_then(Value::as_object).into_iter().flatten().map(|known| &*known.key);
            let hint = self.stack.world.suggestions.did_you_mean(name, names);
            self.refuse(written, &path, format!("the API has no authorizer `{name}`{hint}"));
        }
    }

    /// Checks an event that is a route of an API.
    fn refused_route(&self, event: &Member, properties: &Value, path: &str, routes: &mut Routes, is_http: bool) {
        let (property, kind) = if is_http { ("ApiId", "HttpApi") } else { ("RestApiId", "Api") };
        let written = get(properties, property);
        let api = match written {
            None => "",
            Some(value) => match value.as_str().or_else(|| get(value, "Ref")?.as_str()) {
                Some(api) => api,
                None if is_http => return,
                None => {
                    let message = format!("`{property}` must be the logical ID of an API, or a `Ref` to one");
                    return self.refuse(value, &join_key(path, property), message);
                }
            },
        };
        for name in ["Path", "Method"] {
            let value = get(properties, name).filter(|value| value.as_str().is_none() && value.as_unknown().is_none());
            if let Some(value) = value.filter(|value| value.as_object().is_none()) {
                self.refuse(value, &join_key(path, name), format!("`{name}` must be a string"));
            }
        }
        let of_api = |api: &str| self.declared(api).and_then(|api| text(api, "Type").cloned());
        let is_other = !is_http && of_api(api).is_some_and(|found| *found != *format!("{PREFIX}{kind}"));
        if let Some(value) = written.filter(|value| value.as_str().is_none() && is_other) {
            let message = format!("`{property}` must refer to an `{PREFIX}{kind}`");
            return self.refuse(value, &join_key(path, property), message);
        }
        // Events add nothing to an API with a definition of its own: the transform marks the others with `__MANAGE_SWAGGER`.
        let implied = if is_http { "ServerlessHttpApi" } else { "ServerlessRestApi" };
        let source_of_api = self.apis.get(if api.is_empty() { implied } else { api });
        let is_written = source_of_api.is_some_and(|api| !api.is_managed);
        if let Some(api) = source_of_api.filter(|_| is_http) {
            self.refused_body(&api.source, written.unwrap_or(&event.value), path);
        }
        if let Some(api) = source_of_api.filter(|_| !is_http && !is_written) {
            self.refused_authorizer(&api.source, properties, path);
        }
        let is_computed = |value: &&Value| is_intrinsic(value) && get(value, "Ref").is_none();
        if let Some(escape) = get(properties, "UnescapeMappingTemplate").filter(is_computed) {
            let message = "`UnescapeMappingTemplate` must be a Boolean";
            self.refuse(escape, &join_key(path, "UnescapeMappingTemplate"), message);
        }
        let is_default = is_http && ["Path", "Method"].iter().all(|name| get(properties, name).is_none());
        let (route, method) = match (text(properties, "Path"), text(properties, "Method")) {
            (Some(route), Some(method)) => (&**route, &**method),
            _ if is_default => ("$default", "any"),
            _ => return,
        };
        let of_api = routes.0.entry((api.to_owned(), is_http)).or_default();
        if !of_api.insert((route.to_string(), method.to_lowercase())) && !is_written {
            let message = format!("another event has the method `{method}` of the path `{route}`, too");
            self.refuse_member(event, path, message);
        }
    }
}

/// Allowed properties of an authorization of a WebSocket API, besides its type.
const OF_WEBSOCKET_AUTH: [&str; 4] = ["AuthArn", "InvokeRole", "IdentitySource", "Name"];

impl Sam<'_, '_> {
    /// Reports what the transform rejects in a WebSocket API.
    fn refused_websocket(&self, source: &Source, path: &str) {
        let stage = source.get("StageName").filter(|stage| stage.as_str() == Some("$default"));
        if let Some(stage) = stage {
            self.refuse(stage, &join_key(path, "StageName"), "a stage of a WebSocket API cannot be called `$default`");
        }
        let address = source.get("IpAddressType").filter(|address| !is_intrinsic(address));
        if let Some(address) = address.filter(|address| !matches!(address.as_str(), Some("ipv4" | "dualstack"))) {
            let message = "`IpAddressType` must be `ipv4` or `dualstack`";
            self.refuse(address, &join_key(path, "IpAddressType"), message);
        }
        let Some(routes) = source.get("Routes").filter(|routes| is_whole(routes)) else { return };
        let path_of_routes = join_key(path, "Routes");
        let routes_by_key = routes.as_object().into_iter().flatten();
        if routes.as_object().is_some_and(Object::is_empty) {
            self.refuse(routes, &path_of_routes, "a WebSocket API needs a route");
        }
        for route in routes_by_key.clone() {
            let is_key = matches!(&*route.key, "$connect" | "$disconnect" | "$default")
                || route.key.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let path = join_key(&path_of_routes, &route.key);
            if !is_key {
                let message =
                    format!("route key `{}` must be alphanumeric, `$connect`, `$disconnect`, or `$default`", route.key);
                self.refuse_member(route, &path, message);
            }
            let parameters = get(&route.value, "RequestParameters").filter(|_| *route.key != *"$connect");
            if let Some(parameters) = parameters {
                let message = "only the route `$connect` may have `RequestParameters`";
                self.refuse(parameters, &join_key(&path, "RequestParameters"), message);
            }
        }
        let Some(auth) = source.given_property("Auth").filter(|auth| is_whole(auth)) else { return };
        let has_connect = routes_by_key.clone().any(|route| *route.key == *"$connect");
        self.refused_websocket_auth(auth, &join_key(path, "Auth"), has_connect);
    }

    fn refused_websocket_auth(&self, auth: &Value, path: &str, has_connect: bool) {
        if !has_connect {
            self.refuse(auth, path, "`Auth` needs the route `$connect`");
        }
        let Some(kind) = get(auth, "AuthType").and_then(Value::as_str) else { return };
        let further = OF_WEBSOCKET_AUTH.iter().find_map(|name| get(auth, name));
        match (kind, further) {
            ("CUSTOM", _) if get(auth, "AuthArn").is_none() => {
                self.refuse(auth, path, "`AuthType` `CUSTOM` needs `AuthArn`");
            }
            ("CUSTOM", _) | ("AWS_IAM" | "NONE", None) => {}
            ("AWS_IAM" | "NONE", Some(further)) => {
                self.refuse(further, path, format!("`AuthType` `{kind}` cannot have further properties"));
            }
            _ => self.refuse(auth, path, "`AuthType` must be `AWS_IAM`, `CUSTOM`, or `NONE`"),
        }
    }
}

/// Returns `true` if a value is an object to which no function adds members.
fn is_whole(value: &Value) -> bool {
    !is_intrinsic(value)
        && value.as_object().is_some_and(|object| object.iter().all(|member| !member.key.starts_with("Fn::")))
}
