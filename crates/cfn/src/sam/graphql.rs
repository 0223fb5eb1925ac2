//! `AWS::Serverless::GraphQLApi`: the API with its schema, keys, data sources, functions and resolvers.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-graphqlapi.html>.

use crate::sam::build::{
    Draft, Fields, get, get_att, given_property, items, object, reference, required, sub, sub_with, tag_list, text,
    trust,
};
use crate::sam::connector::Connector;
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// The service that has the generated roles.
const SERVICE: &str = "appsync.amazonaws.com";

/// The code of a resolver without code: it passes the result of the last function on.
const PASS_ON: &str =
    "export function request() {\n  return {};\n}\nexport function response(ctx) {\n  return ctx.prev.result;\n}\n";

/// Properties of the API that are those of the SAM resource.
const COPIED: [&str; 6] =
    ["XrayEnabled", "Visibility", "OwnerContact", "IntrospectionConfig", "QueryDepthLimit", "ResolverCountLimit"];

/// The configuration of each type of authentication, with its name in the SAM resource.
const AUTHENTICATION: [(&str, &str, &str); 3] = [
    ("AWS_LAMBDA", "LambdaAuthorizerConfig", "LambdaAuthorizer"),
    ("OPENID_CONNECT", "OpenIDConnectConfig", "OpenIDConnect"),
    ("AMAZON_COGNITO_USER_POOLS", "UserPoolConfig", "UserPool"),
];

/// Returns the members of an object.
fn members(value: Option<&Value>) -> impl Iterator<Item = &Member> {
    value.and_then(Value::as_object).into_iter().flatten()
}

impl Source {
    /// Returns a generated resource that belongs to the API.
    fn part(&self, name: &str, kind: &'static str, member: Option<&Member>) -> Draft {
        let origin = member.map_or_else(|| self.origin.clone(), |member| self.origin.within(member));
        Draft::new(format!("{}{name}", self.id), kind, &origin).with("ApiId", get_att(&self.id, "ApiId"))
    }
}

impl Sam<'_, '_> {
    pub(super) fn graphql_api(&mut self, source: &Source) {
        let mut draft = source.main("AWS::AppSync::GraphQLApi");
        draft.set("Name", source.given_property("Name").cloned().unwrap_or_else(|| Value::from(source.id.clone())));
        draft.copy(&source.properties, &COPIED);
        let mut tags = source.get("Tags").map(Fields::from_value).unwrap_or_default();
        tags.set("graphqlapi:createdBy", Value::from("SAM"));
        draft.set("Tags", Value::array(tag_list(Some(&tags.into_value()))));
        let mut drafts = Vec::new();
        self.graphql_auth(source, &mut draft, &mut drafts);
        graphql_logging(source, &mut draft, &mut drafts);
        let mut schema = source.part("Schema", "AWS::AppSync::GraphQLSchema", None);
        schema.derive("Definition", &source.properties, "SchemaInline", Clone::clone);
        schema.derive("DefinitionS3Location", &source.properties, "SchemaUri", Clone::clone);
        drafts.push(schema);
        for key in members(source.get("ApiKeys")) {
            let mut draft = source.part(&key.key, "AWS::AppSync::ApiKey", Some(key));
            draft.copy(&key.value, &["ApiKeyId", "Description"]);
            draft.derive("Expires", &key.value, "ExpiresOn", Clone::clone);
            drafts.push(draft);
        }
        if let Some(cache) = source.given_property("Cache") {
            let mut draft = source.part("ApiCache", "AWS::AppSync::ApiCache", None);
            let names = ["ApiCachingBehavior", "Type", "Ttl", "AtRestEncryptionEnabled", "TransitEncryptionEnabled"];
            draft.copy(cache, &names);
            drafts.push(draft);
        }
        if let Some(domain) = source.given_property("DomainName") {
            let id = format!("{}DomainName", source.id);
            let mut draft = Draft::new(id.as_str(), "AWS::AppSync::DomainName", &source.origin);
            draft.copy(domain, &["CertificateArn", "DomainName", "Description"]);
            let association = source.part("DomainNameApiAssociation", "AWS::AppSync::DomainNameApiAssociation", None);
            drafts.extend([draft, association.with("DomainName", reference(&id))]);
        }
        self.data_sources(source, &mut drafts);
        graphql_functions(source, &mut drafts);
        resolvers(source, &mut drafts);
        drafts.insert(0, draft);
        self.emit_all(source, drafts);
    }

    /// Sets the types of authentication, and generates the permissions for the functions of authorizers.
    fn graphql_auth(&self, source: &Source, draft: &mut Draft, drafts: &mut Vec<Draft>) {
        let Some(auth) = source.get("Auth") else { return };
        draft.derive("AuthenticationType", auth, "Type", Clone::clone);
        let mut functions = Vec::new();
        if let Some((name, config)) = authentication(auth, true) {
            functions.extend(get(&config, "AuthorizerUri").cloned());
            draft.set(name, config);
        }
        let mut providers = Vec::new();
        for additional in get(auth, "Additional").map(items).unwrap_or_default() {
            let mut provider = Fields::default();
            provider.set_some("AuthenticationType", get(additional, "Type").cloned());
            if let Some((name, config)) = authentication(additional, false) {
                functions.extend(get(&config, "AuthorizerUri").cloned());
                provider.set(name, config);
            }
            providers.push(Value { span: additional.span, ..provider.into_value() });
        }
        if !providers.is_empty() {
            draft.set("AdditionalAuthenticationProviders", Value::array(providers));
        }
        for (index, function) in functions.into_iter().enumerate() {
            let id = format!("{}ToLambdaAuthConnector{}", source.id, index + 1);
            let connector = Connector { id: &id, suffix: "", permissions: &["Write"] };
            let from = object([
                ("Type", Value::from("AWS::AppSync::GraphQLApi")),
                ("Arn", reference(&source.id)),
                ("ResourceId", get_att(&source.id, "ApiId")),
            ]);
            let to = object([("Type", Value::from("AWS::Lambda::Function")), ("Arn", function)]);
            drafts.extend(self.connected(&connector, &source.origin, [from, to]));
        }
    }

    fn data_sources(&self, source: &Source, drafts: &mut Vec<Draft>) {
        let all = source.get("DataSources");
        for member in members(all.and_then(|all| get(all, "DynamoDb"))) {
            let written = &member.value;
            let region = get(written, "Region").cloned().unwrap_or_else(|| reference("AWS::Region"));
            let table = required(written, "TableName");
            let mut config = Fields::default();
            config.set("AwsRegion", region.clone());
            config.set("TableName", table.clone());
            for name in ["UseCallerCredentials", "Versioned"] {
                config.set_some(name, given_property(written, name).cloned());
            }
            config.set_some("DeltaSyncConfig", given_property(written, "DeltaSync").cloned());
            let arn = get(written, "TableArn").cloned().unwrap_or_else(|| {
                let text = "arn:${AWS::Partition}:dynamodb:${__Region__}:${AWS::AccountId}:table/${__TableName__}";
                sub_with(text, [("__TableName__", table), ("__Region__", region)])
            });
            let permissions = get(written, "Permissions").map(items).unwrap_or_default();
            let permissions: Vec<&str> = permissions.iter().filter_map(Value::as_str).collect();
            let permissions = if permissions.is_empty() { vec!["Read", "Write"] } else { permissions };
            let kind = DataSource {
                name: "DynamoDB",
                kind: "AMAZON_DYNAMODB",
                config: ("DynamoDBConfig", config.into_value()),
                connector: "ToTableConnector",
                end: object([("Type", Value::from("AWS::DynamoDB::Table")), ("Arn", arn)]),
                permissions,
            };
            self.data_source(source, member, kind, drafts);
        }
        for member in members(all.and_then(|all| get(all, "Lambda"))) {
            let function = required(&member.value, "FunctionArn");
            let kind = DataSource {
                name: "Lambda",
                kind: "AWS_LAMBDA",
                config: ("LambdaConfig", object([("LambdaFunctionArn", function.clone())])),
                connector: "ToLambdaConnector",
                end: object([("Type", Value::from("AWS::Lambda::Function")), ("Arn", function)]),
                permissions: vec!["Write"],
            };
            self.data_source(source, member, kind, drafts);
        }
    }

    fn data_source(&self, source: &Source, member: &Member, kind: DataSource<'_>, drafts: &mut Vec<Draft>) {
        let name = format!("{}{}DataSource", member.key, kind.name);
        let written = &member.value;
        let mut draft = source.part(&name, "AWS::AppSync::DataSource", Some(member));
        draft.set("Name", given_property(written, "Name").cloned().unwrap_or_else(|| Value::from(member.key.clone())));
        draft.set("Type", Value::from(kind.kind));
        draft.copy(written, &["Description", "ServiceRoleArn"]);
        draft.set(kind.config.0, kind.config.1);
        if !draft.properties.has("ServiceRoleArn") {
            let role = Draft::new(format!("{}Role", draft.id), "AWS::IAM::Role", &draft.origin)
                .with("AssumeRolePolicyDocument", trust(SERVICE));
            draft.set("ServiceRoleArn", get_att(&role.id, "Arn"));
            let id = format!("{}{}", draft.id, kind.connector);
            let connector = Connector { id: &id, suffix: "", permissions: &kind.permissions };
            let from = object([
                ("Type", Value::from("AWS::AppSync::DataSource")),
                ("Arn", get_att(&draft.id, "DataSourceArn")),
                ("RoleName", reference(&role.id)),
            ]);
            drafts.extend(self.connected(&connector, &draft.origin, [from, kind.end]));
            drafts.push(role);
        }
        drafts.push(draft);
    }
}

/// Description of a data source, for all kinds.
struct DataSource<'d> {
    name: &'static str,
    kind: &'static str,
    config: (&'static str, Value),
    connector: &'static str,
    end: Value,
    permissions: Vec<&'d str>,
}

/// Returns the configuration of a type of authentication. Only the first of an API has a default action.
fn authentication(auth: &Value, is_default: bool) -> Option<(&'static str, Value)> {
    let kind = text(auth, "Type")?;
    let (_, name, property) = AUTHENTICATION.into_iter().find(|(known, ..)| **known == **kind)?;
    let written = get(auth, property)?;
    let mut fields = Fields::from_value(written);
    if !is_default {
        fields.remove("DefaultAction");
    }
    Some((name, Value { span: written.span, ..fields.into_value() }))
}

fn graphql_logging(source: &Source, draft: &mut Draft, drafts: &mut Vec<Draft>) {
    let written = source.get("Logging");
    if written.and_then(Value::as_bool) == Some(false) {
        return;
    }
    let named = |name: &str| written.and_then(|written| given_property(written, name)).cloned();
    let mut config = Fields::default();
    config.set_some("ExcludeVerboseContent", named("ExcludeVerboseContent"));
    config.set("FieldLogLevel", named("FieldLogLevel").unwrap_or_else(|| Value::from("ALL")));
    let role = named("CloudWatchLogsRoleArn").unwrap_or_else(|| {
        let policy = sub("arn:${AWS::Partition}:iam::aws:policy/service-role/AWSAppSyncPushToCloudWatchLogs");
        let id = format!("{}CloudWatchRole", source.id);
        let role = Draft::new(id.as_str(), "AWS::IAM::Role", &source.origin)
            .with("AssumeRolePolicyDocument", trust(SERVICE))
            .with("ManagedPolicyArns", Value::array(vec![policy]));
        drafts.push(role);
        get_att(&id, "Arn")
    });
    config.set("CloudWatchLogsRoleArn", role);
    draft.set("LogConfig", config.into_value());
}

/// Returns the name of a data source, from its name in the SAM resource.
fn data_source_name(source: &Source, written: &Value) -> Value {
    let Some(name) = written.as_str() else { return written.clone() };
    if name.eq_ignore_ascii_case("none") {
        return get_att(&format!("{}NoneDataSource", source.id), "Name");
    }
    let all = source.get("DataSources");
    let is_table = all.and_then(|all| get(get(all, "DynamoDb")?, name)).is_some();
    let kind = if is_table { "DynamoDB" } else { "Lambda" };
    get_att(&format!("{}{name}{kind}DataSource", source.id), "Name")
}

fn graphql_functions(source: &Source, drafts: &mut Vec<Draft>) {
    let mut uses_none = false;
    for member in members(source.get("Functions")).filter(|member| get(&member.value, "Id").is_none()) {
        let written = &member.value;
        let mut draft = source.part(&member.key, "AWS::AppSync::FunctionConfiguration", Some(member));
        draft.set("Name", given_property(written, "Name").cloned().unwrap_or_else(|| Value::from(member.key.clone())));
        draft.copy(written, &["MaxBatchSize", "Description"]);
        code(&mut draft, written);
        draft.derive("DataSourceName", written, "DataSource", |name| data_source_name(source, name));
        uses_none |= text(written, "DataSource").is_some_and(|name| name.eq_ignore_ascii_case("none"));
        draft.derive("SyncConfig", written, "Sync", Clone::clone);
        drafts.push(draft);
    }
    if uses_none {
        let mut draft = source.part("NoneDataSource", "AWS::AppSync::DataSource", None);
        draft.set("Name", Value::from(draft.id.clone()));
        drafts.push(draft.with("Type", Value::from("NONE")));
    }
}

/// Sets the code of a function or a resolver, and its runtime.
fn code(draft: &mut Draft, written: &Value) {
    draft.derive("Code", written, "InlineCode", Clone::clone);
    draft.derive("CodeS3Location", written, "CodeUri", Clone::clone);
    draft.derive("Runtime", written, "Runtime", |runtime| {
        let mut fields = Fields::default();
        fields.set_some("Name", get(runtime, "Name").cloned());
        fields.set_some("RuntimeVersion", get(runtime, "Version").cloned());
        fields.into_value()
    });
}

fn resolvers(source: &Source, drafts: &mut Vec<Draft>) {
    let functions = source.get("Functions");
    let schema = Value::array(vec![Value::from(format!("{}Schema", source.id))]);
    for kind in members(source.get("Resolvers")) {
        for member in members(Some(&kind.value)) {
            let written = &member.value;
            let mut draft = source.part(&format!("{}{}", kind.key, member.key), "AWS::AppSync::Resolver", Some(member));
            draft.attributes.set("DependsOn", schema.clone());
            code(&mut draft, written);
            if !draft.properties.has("Code") && !draft.properties.has("CodeS3Location") {
                draft.set("Code", Value::from(PASS_ON));
                let runtime = [("Name", Value::from("APPSYNC_JS")), ("RuntimeVersion", Value::from("1.0.0"))];
                draft.set("Runtime", object(runtime));
            }
            draft.set(
                "FieldName",
                given_property(written, "FieldName").cloned().unwrap_or_else(|| Value::from(member.key.clone())),
            );
            draft.set("TypeName", Value::from(kind.key.clone()));
            draft.copy(written, &["MaxBatchSize"]);
            draft.derive("CachingConfig", written, "Caching", Clone::clone);
            draft.derive("PipelineConfig", written, "Pipeline", |pipeline| {
                let function = |name: &Str| {
                    let id = functions.and_then(|all| get(get(all, name)?, "Id")).cloned();
                    id.unwrap_or_else(|| get_att(&format!("{}{name}", source.id), "FunctionId"))
                };
                let names = items(pipeline).iter().filter_map(Value::as_shared_str);
                object([("Functions", Value::array(names.map(function).collect()))])
            });
            if draft.properties.has("PipelineConfig") {
                draft.set("Kind", Value::from("PIPELINE"));
            }
            drafts.push(draft);
        }
    }
}
