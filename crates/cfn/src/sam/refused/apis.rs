//! Errors of the transform about APIs: definitions, domains, and responses.
//!
//! Facts from samtranslator/model/api, samtranslator/swagger, and `samtranslator/open_api` of
//! aws/serverless-application-model (Apache-2.0).

use crate::model::{join_index, join_key};
use crate::sam::build::{get, given_property};
use crate::sam::intrinsics::is_intrinsic;
use crate::sam::refused::is_whole;
use crate::sam::{Sam, Source};
use crate::text::did_you_mean;
use crate::value::{Member, Object, Value};

/// Allowed properties of mutual TLS for a domain.
const OF_MUTUAL_TLS: [&str; 2] = ["TruststoreUri", "TruststoreVersion"];

/// Allowed properties of the CORS configuration of an HTTP API.
const OF_CORS: [&str; 6] =
    ["AllowCredentials", "AllowHeaders", "AllowMethods", "AllowOrigins", "ExposeHeaders", "MaxAge"];

/// The properties of an HTTP API that are written into its definition.
const IN_DEFINITION: [&str; 3] = ["Auth", "CorsConfiguration", "Tags"];

/// Allowed properties of a response of a gateway.
const OF_RESPONSES: [&str; 3] = ["ResponseParameters", "ResponseTemplates", "StatusCode"];

/// Allowed members of the parameters of a response.
const OF_RESPONSE_PARAMETERS: [&str; 3] = ["Headers", "Paths", "QueryStrings"];

/// Members of a path in a definition that are not methods.
const NOT_METHODS: [&str; 3] = ["summary", "description", "parameters"];

/// The methods of a path in a definition.
const METHODS: [&str; 8] =
    ["get", "put", "post", "delete", "options", "head", "patch", "x-amazon-apigateway-any-method"];

/// Extension of a definition that configures the endpoint.
const ENDPOINT: &str = "x-amazon-apigateway-endpoint-configuration";

impl Sam<'_, '_> {
    pub(super) fn refused_api(&self, source: &Source, path: &str) {
        let is_http = *source.kind == *"AWS::Serverless::HttpApi";
        let stage = source.get("StageName").filter(|stage| stage.as_str() == Some(""));
        if let Some(stage) = stage {
            self.refuse(stage, &join_key(path, "StageName"), "`StageName` cannot be empty");
        }
        if let Some(domain) = source.given_property("Domain").filter(|domain| domain.as_object().is_some()) {
            self.refused_domain(domain, &join_key(path, "Domain"));
        }
        self.refused_auth(source, path, is_http);
        if is_http {
            self.refused_http(source, path);
        } else {
            self.refused_responses(source, path);
            self.refused_rest(source, path);
        }
        if let Some(switch) = source.get("DisableExecuteApiEndpoint") {
            let path = join_key(path, "DisableExecuteApiEndpoint");
            if source.given_property("DefinitionUri").is_some() {
                self.refuse(switch, &path, "`DisableExecuteApiEndpoint` cannot be used with `DefinitionUri`");
            }
            if is_http && switch.as_str().is_some_and(|text| !matches!(text, "true" | "false")) {
                self.refuse(switch, &path, "`DisableExecuteApiEndpoint` must be a Boolean");
            }
        }
        let Some(body) = source.given_property("DefinitionBody").filter(|body| is_whole(body)) else { return };
        let Some(body) = body.as_object() else { return };
        let path = join_key(path, "DefinitionBody");
        let has_default =
            source.given_property("Auth").and_then(|auth| given_property(auth, "DefaultAuthorizer")).is_some();
        self.refused_definition(body, &path, is_http, has_default);
        if source.get("DisableExecuteApiEndpoint").is_some() {
            self.refused_endpoints(body, &path);
        }
        if source.given_property("Cors").is_some() {
            self.refused_preflights(body, &path);
        }
    }

    fn refused_domain(&self, domain: &Value, path: &str) {
        let has_zone =
            |route: &&Value| ["HostedZoneId", "HostedZoneName"].iter().any(|zone| get(route, zone).is_some());
        let route = given_property(domain, "Route53").filter(|route| is_whole(route));
        if let Some(route) = route.filter(|route| !has_zone(route)) {
            let path = join_key(path, "Route53");
            self.refuse(route, &path, "`Route53` needs `HostedZoneId` or `HostedZoneName`");
        }
        let Some(mutual) = given_property(domain, "MutualTlsAuthentication").filter(|mutual| !is_intrinsic(mutual))
        else {
            return;
        };
        self.only(mutual, &join_key(path, "MutualTlsAuthentication"), "MutualTlsAuthentication", &OF_MUTUAL_TLS);
    }

    /// Reports a value that is not an object, or has other members than these.
    fn only(&self, value: &Value, path: &str, name: &str, known: &[&'static str]) {
        let Some(object) = value.as_object() else {
            return self.refuse(value, path, format!("`{name}` must be an object"));
        };
        let is_other = |member: &&Member| !known.contains(&&*member.key) && !member.key.starts_with("Fn::");
        for member in object.iter().filter(is_other) {
            let hint = did_you_mean(&member.key, known.iter().copied());
            let message = format!("`{name}` has no property `{}`{hint}", member.key);
            self.refuse_member(member, &join_key(path, &member.key), message);
        }
    }

    fn refused_http(&self, source: &Source, path: &str) {
        if let Some(cors) = source.given_property("CorsConfiguration").filter(|cors| is_whole(cors)) {
            self.only(cors, &join_key(path, "CorsConfiguration"), "CorsConfiguration", &OF_CORS);
        }
        let Some(body) = source.given_property("DefinitionBody").filter(|body| is_whole(body)) else { return };
        let asking = IN_DEFINITION.iter().find(|name| source.given_property(name).is_some());
        if let Some(name) = asking.filter(|_| !is_definition(body)) {
            let message = format!("`{name}` needs a `DefinitionBody` with `openapi` of version 3 and `paths`");
            self.refuse(body, &join_key(path, "DefinitionBody"), message);
        }
    }

    /// Checks that the HTTP API to which an event adds a route has a definition with paths.
    pub(super) fn refused_body(&self, api: &Source, event: &Value, path: &str) {
        let body = api.given_property("DefinitionBody").filter(|body| is_whole(body));
        if body.is_some_and(|body| !is_definition(body)) {
            let message =
                format!("the event needs a `DefinitionBody` of `{}` with `openapi` of version 3 and `paths`", api.id);
            self.refuse(event, &join_key(path, "ApiId"), message);
        }
    }

    /// Checks the properties of a REST API that the transform reads itself.
    fn refused_rest(&self, source: &Source, path: &str) {
        if let Some(version) = source.get("OpenApiVersion").filter(|version| !is_intrinsic(version)) {
            let text = version.as_str().map_or_else(|| version.to_json(), str::to_owned);
            let parts: Vec<&str> = text.split('.').collect();
            let is_digit = |part: &&str| part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_digit());
            let is_right = matches!(parts.as_slice(), ["2" | "3", rest @ ..]
                if matches!(rest.len(), 1 | 2) && rest.iter().all(is_digit));
            if !is_right && version.as_unknown().is_none() {
                let message = "`OpenApiVersion` must be a version such as `3.0.1`";
                self.refuse(version, &join_key(path, "OpenApiVersion"), message);
            }
        }
        if let Some(endpoint) = source.given_property("EndpointConfiguration").filter(|endpoint| is_whole(endpoint)) {
            let both = ["VPCEndpointIds", "VpcEndpointIds"].map(|name| get(endpoint, name));
            if let [Some(_), Some(second)] = both {
                let path = join_key(&join_key(path, "EndpointConfiguration"), "VpcEndpointIds");
                self.refuse(second, &path, "`VpcEndpointIds` cannot be used with `VPCEndpointIds`");
            }
        }
        let Some(cors) = source.given_property("Cors").filter(|cors| is_whole(cors)) else { return };
        let path = join_key(path, "Cors");
        let origin = get(cors, "AllowOrigin");
        if let Some(origin) = origin.filter(|origin| origin.as_str() == Some("")) {
            self.refuse(origin, &join_key(&path, "AllowOrigin"), "`AllowOrigin` cannot be empty");
        }
        let credentials = get(cors, "AllowCredentials").filter(|value| value.as_bool() == Some(true));
        let is_wild = origin.is_none_or(|origin| origin.as_str() == Some("'*'"));
        if let Some(credentials) = credentials.filter(|_| is_wild) {
            let message = "`AllowCredentials` cannot be used with the `AllowOrigin` `'*'`, which is the default";
            self.refuse(credentials, &join_key(&path, "AllowCredentials"), message);
        }
    }

    /// Checks that the responses of a REST API are written in the template.
    fn refused_responses(&self, source: &Source, path: &str) {
        let responses = source.given_property("GatewayResponses").filter(|responses| is_whole(responses));
        for response in responses.and_then(Value::as_object).into_iter().flatten() {
            if response.value.as_object().is_none() || is_intrinsic(&response.value) {
                let path = join_key(&join_key(path, "GatewayResponses"), &response.key);
                let message = format!("`{}` in `GatewayResponses` must be an object, without a function", response.key);
                self.refuse_member(response, &path, message);
                continue;
            }
            self.refused_response(response, &join_key(&join_key(path, "GatewayResponses"), &response.key));
        }
    }

    fn refused_response(&self, response: &Member, path: &str) {
        self.only(&response.value, path, &response.key, &OF_RESPONSES);
        if let Some(status) = get(&response.value, "StatusCode").filter(|status| !is_intrinsic(status)) {
            let text = status.as_str().map_or_else(|| status.to_json(), str::to_owned);
            let is_right = matches!(text.len(), 1..=3) && text.bytes().all(|byte| byte.is_ascii_digit());
            if !is_right && status.as_unknown().is_none() {
                self.refuse(status, &join_key(path, "StatusCode"), "`StatusCode` must be a number");
            }
        }
        let parameters = get(&response.value, "ResponseParameters").filter(|parameters| !is_intrinsic(parameters));
        if let Some(parameters) = parameters {
            let path = join_key(path, "ResponseParameters");
            self.only(parameters, &path, "ResponseParameters", &OF_RESPONSE_PARAMETERS);
        }
    }

    /// Checks that a definition in `OpenAPI` consists of objects down to the methods, which may be empty for an HTTP
    /// API.
    fn refused_definition(&self, body: &Object, path: &str, is_http: bool, has_default: bool) {
        let security = body.get_exact("securityDefinitions").filter(|security| security.as_object().is_none());
        if let Some(security) = security {
            self.refuse(security, &join_key(path, "securityDefinitions"), "`securityDefinitions` must be an object");
        }
        for (item, path) in paths(body, path) {
            let Some(methods) = item.value.as_object() else {
                self.refuse_member(item, &path, format!("the path `{}` must be an object", item.key));
                continue;
            };
            let is_other =
                |member: &&Member| member.value.as_object().is_none() && !(is_http && member.value.is_null());
            // A default authorizer is added to each member that is not known to be none of the methods.
            let is_method = |member: &&Member| {
                METHODS.contains(&&*member.key) || has_default && !is_http && !NOT_METHODS.contains(&&*member.key)
            };
            for method in methods.iter().filter(is_method).filter(is_other) {
                let message = format!("the method `{}` of the path `{}` must be an object", method.key, item.key);
                self.refuse_member(method, &join_key(&path, &method.key), message);
            }
        }
    }

    /// Reports an endpoint configuration of a definition that is not an object. The transform changes it.
    fn refused_endpoints(&self, body: &Object, path: &str) {
        let servers = body.get_exact("servers").and_then(Value::as_array).and_then(|servers| servers.first());
        let servers =
            servers.and_then(Value::as_object).map(|server| (server, join_index(&join_key(path, "servers"), 0)));
        for (object, path) in [(body, path.to_owned())].into_iter().chain(servers) {
            let endpoint = object.get_exact(ENDPOINT).filter(|endpoint| !endpoint.is_null());
            if let Some(endpoint) = endpoint.filter(|endpoint| endpoint.as_object().is_none()) {
                self.refuse(endpoint, &join_key(&path, ENDPOINT), format!("`{ENDPOINT}` must be an object"));
            }
        }
    }

    /// Checks that the responses of `options` are objects, since CORS adds headers to them.
    fn refused_preflights(&self, body: &Object, path: &str) {
        for (item, path) in paths(body, path) {
            let Some(responses) = get(&item.value, "options").and_then(|options| get(options, "responses")) else {
                continue;
            };
            let path = join_key(&join_key(&path, "options"), "responses");
            if responses.as_object().is_none() {
                self.refuse(responses, &path, "`responses` must be an object");
            }
            for response in responses.as_object().into_iter().flatten() {
                let headers = get(&response.value, "headers").filter(|headers| headers.as_object().is_none());
                if let Some(headers) = headers {
                    let path = join_key(&join_key(&path, &response.key), "headers");
                    self.refuse(headers, &path, "`headers` must be an object");
                }
            }
        }
    }
}

/// Returns `true` if a definition has paths, and a version in which events can add some.
fn is_definition(body: &Value) -> bool {
    let version = get(body, "openapi");
    version.is_some_and(|version| version.as_str().is_none_or(|text| text.starts_with('3')))
        && get(body, "paths").is_some_and(|paths| paths.as_object().is_some())
}

/// Returns the paths of a definition, each with where it is in the template.
fn paths<'v>(body: &'v Object, path: &str) -> impl Iterator<Item = (&'v Member, String)> {
    let path = join_key(path, "paths");
    let paths = body.get_exact("paths").and_then(Value::as_object).into_iter().flatten();
    let paths = paths.filter(|item| !item.key.starts_with("Fn::"));
    paths.map(move |item| (item, join_key(&path, &item.key)))
}
