//! Finds secrets that a template shows: passwords in plain text, and `NoEcho` parameters where everyone can read them.
//!
//! References: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/security-best-practices.html#creds>,
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html>.

use arcstr::ArcStr;
use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::Breach;
use crate::diagnostic::Check;
use crate::diagnostic::common_checks::{SECRET_DEFAULT, SECRET_GIVEN, SECRET_NAME, SECRET_OUTPUT};
use crate::dynamic;
use crate::functions::{sub_names, text_of};
use crate::loops::Declaration;
use crate::model::{join_index, join_key};
use crate::parameters;
use crate::schema::checks::SECRET_PROPERTY;
use crate::secret_names;
use crate::stack::Stack;
use crate::syntax::json;
use crate::text::{Span, is_placeholder, is_stand_in};
use crate::value::{Data, Member, Str, Value};

declare_checks! {
    pub(crate) const CHECKS;

    SECRET_EXPOSED = Secret Medium "secret/exposed" "Deployment.SecretExposed"
        "User data, environment variables, and metadata should not contain a secret"
        "Everyone who may describe the resource can read them, and CloudFormation does not mask a `NoEcho` parameter there."
        "Let the program read the secret from AWS Secrets Manager or the Parameter Store when it starts, and pass only its name.";
}

/// The properties that hold a secret, by type. `*` stands for every item of a list. Source: the reference of each type.
const SECRET: &[(&str, &[&str])] = &[
    ("Alexa::ASK::Skill", &["AuthenticationConfiguration.ClientSecret", "AuthenticationConfiguration.RefreshToken"]),
    ("AWS::AmazonMQ::Broker", &["Users.*.Password"]),
    ("AWS::Amplify::App", &["AccessToken", "BasicAuthConfig.Password", "OauthToken"]),
    ("AWS::Amplify::Branch", &["BasicAuthConfig.Password"]),
    ("AWS::CodeBuild::SourceCredential", &["Token"]),
    ("AWS::CodePipeline::Webhook", &["AuthenticationConfiguration.SecretToken"]),
    ("AWS::Cognito::UserPoolIdentityProvider", &["ProviderDetails.client_secret"]),
    ("AWS::DMS::Endpoint", &["Password"]),
    ("AWS::DirectoryService::MicrosoftAD", &["Password"]),
    ("AWS::DirectoryService::SimpleAD", &["Password"]),
    ("AWS::DocDB::DBCluster", &["MasterUserPassword"]),
    ("AWS::DocDBElastic::Cluster", &["AdminUserPassword"]),
    ("AWS::EC2::VPNConnection", &["VpnTunnelOptionsSpecifications.*.PreSharedKey"]),
    ("AWS::EMR::Cluster", &["KerberosAttributes.ADDomainJoinPassword", "KerberosAttributes.KdcAdminPassword"]),
    ("AWS::ElastiCache::ReplicationGroup", &["AuthToken"]),
    ("AWS::ElastiCache::User", &["AuthenticationMode.Passwords.*", "Passwords.*"]),
    ("AWS::ElasticLoadBalancingV2::Listener", &["DefaultActions.*.AuthenticateOidcConfig.ClientSecret"]),
    ("AWS::ElasticLoadBalancingV2::ListenerRule", &["Actions.*.AuthenticateOidcConfig.ClientSecret"]),
    ("AWS::Elasticsearch::Domain", &["AdvancedSecurityOptions.MasterUserOptions.MasterUserPassword"]),
    (
        "AWS::Events::Connection",
        &[
            "AuthParameters.ApiKeyAuthParameters.ApiKeyValue",
            "AuthParameters.BasicAuthParameters.Password",
            "AuthParameters.OAuthParameters.ClientParameters.ClientSecret",
        ],
    ),
    ("AWS::FSx::FileSystem", &["WindowsConfiguration.SelfManagedActiveDirectoryConfiguration.Password"]),
    ("AWS::IAM::ServerCertificate", &["PrivateKey"]),
    ("AWS::IAM::User", &["LoginProfile.Password"]),
    ("AWS::KinesisFirehose::DeliveryStream", &["RedshiftDestinationConfiguration.Password"]),
    ("AWS::MemoryDB::User", &["AuthenticationMode.Passwords.*"]),
    ("AWS::OpenSearchService::Domain", &["AdvancedSecurityOptions.MasterUserOptions.MasterUserPassword"]),
    ("AWS::RDS::DBCluster", &["MasterUserPassword"]),
    ("AWS::RDS::DBInstance", &["MasterUserPassword", "TdeCredentialPassword"]),
    ("AWS::Redshift::Cluster", &["MasterUserPassword"]),
    ("AWS::RedshiftServerless::Namespace", &["AdminUserPassword"]),
    ("AWS::SecretsManager::Secret", &["SecretString"]),
    ("AWS::Timestream::InfluxDBInstance", &["Password"]),
];

/// The properties that everyone can read who may describe the resource, by type.
const SHOWN: &[(&str, &[&str])] = &[
    ("AWS::AutoScaling::LaunchConfiguration", &["UserData"]),
    ("AWS::Batch::JobDefinition", &["ContainerProperties.Environment.*.Value"]),
    ("AWS::CodeBuild::Project", &["Environment.EnvironmentVariables.*.Value"]),
    ("AWS::EC2::Instance", &["UserData"]),
    ("AWS::EC2::LaunchTemplate", &["LaunchTemplateData.UserData"]),
    ("AWS::ECS::TaskDefinition", &["ContainerDefinitions.*.Environment.*.Value"]),
    ("AWS::Lambda::Function", &["Environment.Variables"]),
    ("AWS::Serverless::Function", &["Environment.Variables"]),
];

/// The ends of names of parameters that are passwords. A name that ends with `Secret` is often that of a secret.
const PASSWORDS: [&str; 4] = ["password", "passwd", "passphrase", "pwd"];

/// Maximum number of names in a message.
const MAX_LISTED: usize = 4;

/// Words in the description of a parameter that has the location of a password, not the password.
const PLACES: [&str; 5] = ["arn of", "name of", "parameter store", "secrets manager", "ssm"];

/// Checks a template in all its branches. The result is the text of the secrets that are written in it.
pub(super) fn find_secrets(stack: &Stack<'_>) -> Vec<Span> {
    let mut checker = SecretFinder { stack, found: Vec::new(), reported: HashSet::default() };
    checker.defaults();
    checker.check_parameter_files();
    for Declaration { member: resource, path, .. } in stack.declarations("Resources") {
        let Some(body) = resource.value.as_object() else { continue };
        let mut shown: Vec<ShownSecret> = Vec::new();
        if let Some(metadata) = body.get_exact("Metadata") {
            checker.add_shown(metadata, &join_key(&path, "Metadata"), "Metadata", &mut shown);
        }
        let type_name = body.get_exact("Type").and_then(Value::as_str).unwrap_or_default();
        let properties = body.get_exact("Properties").unwrap_or(&Value::NULL);
        let path = join_key(&path, "Properties");
        let of_type = |table: &'static [(&str, &'static [&'static str])]| {
            table.iter().filter(|(name, _)| *name == type_name).flat_map(|(_, properties)| *properties)
        };
        for property in of_type(SECRET) {
            visit(properties, &path, property, &mut |value, path| checker.secret(value, path, property, type_name));
        }
        for property in of_type(SHOWN) {
            visit(properties, &path, property, &mut |value, path| {
                checker.add_shown(value, path, property, &mut shown);
            });
        }
        checker.report_shown(&resource.key, &shown);
    }
    checker.outputs();
    checker.names();
    checker.found
}

/// A secret parameter in a part of a resource that others can read.
struct ShownSecret {
    /// Description of the part.
    what: &'static str,
    /// Name of the parameter.
    name: Str,
    path: String,
    span: Span,
}

struct SecretFinder<'s, 'a> {
    stack: &'s Stack<'a>,
    /// The text of what is written in the template.
    found: Vec<Span>,
    /// The parameters that set a secret and have no `NoEcho`.
    reported: HashSet<Str>,
}

impl SecretFinder<'_, '_> {
    fn report(&self, check: Check, span: Option<Span>, path: &str, message: String) {
        self.report_all(check, (span, path), message, Vec::new());
    }

    fn report_all(
        &self,
        check: Check,
        (span, path): (Option<Span>, &str),
        message: String,
        further: Vec<(String, Span)>,
    ) {
        if let Some(span) = span {
            self.stack.world.report_breach(Breach {
                check,
                path: path.to_owned(),
                message,
                span,
                is_pedantic: false,
                severity: None,
                further,
            });
        }
    }

    /// Reports `NoEcho` parameters whose default is written in the template.
    fn defaults(&self) {
        for parameter in self.stack.section("Parameters").into_iter().flatten() {
            let Some(default) = parameter.value.get("Default").filter(|_| parameters::is_secret(&parameter.value))
            else {
                continue;
            };
            if is_plain(default) {
                let path = join_key(&join_key("Parameters", &parameter.key), "Default");
                let message = format!("the secret parameter `{}` has a default value", parameter.key);
                self.report(SECRET_DEFAULT, default.span, &path, message);
            }
        }
    }

    /// Reports `NoEcho` parameters whose value is written in a parameter file.
    fn check_parameter_files(&self) {
        for (name, value) in self.stack.arguments.of_files().filter(|(name, _)| self.stack.is_secret(name)) {
            let is_shown = is_plain(value) && !value.as_str().is_some_and(is_placeholder);
            if let Some(span) = value.span.filter(|_| is_shown) {
                let message = format!("the parameter file sets the secret parameter `{name}`");
                let path = join_key("Parameters", name);
                self.stack.remark(SECRET_GIVEN, path, message, Some(span));
            }
        }
    }

    /// Checks a value of a property that holds a secret.
    fn secret(&mut self, value: &Value, path: &str, property: &str, type_name: &str) {
        let name = property.trim_end_matches(".*").rsplit('.').next().unwrap_or(property);
        // A vault is where the real secret is written later.
        if type_name == VAULT_SECRET && value.as_str().is_some_and(is_filled_later) {
            return;
        }
        if is_plain(value) {
            self.found.extend(value.span);
            let message = format!("`{name}` of `{type_name}` is written in the template");
            return self.report(SECRET_PROPERTY, value.span, path, message);
        }
        let Some(parameter) = value.get("Ref").and_then(Value::as_str) else { return };
        let Some(declared) = self.stack.section("Parameters").and_then(|section| section.member(parameter)) else {
            return;
        };
        let type_is_open = parameters::open_kind(&declared.value).is_some();
        if *declared.key == *parameter && type_is_open && !parameters::is_secret(&declared.value) {
            let message = format!("parameter `{parameter}` sets `{name}` of `{type_name}`, but has no `NoEcho: true`");
            self.report(SECRET_NAME, declared.span(), &join_key("Parameters", parameter), message);
            self.reported.insert(declared.key.clone());
        }
    }

    /// Parameters whose name is that of a password, and which have no `NoEcho`.
    fn names(&self) {
        let parameters = self.stack.section("Parameters").into_iter().flatten();
        let passwords: Vec<&Member> =
            parameters.filter(|parameter| is_password(parameter) && !self.reported.contains(&parameter.key)).collect();
        if passwords.is_empty() {
            return;
        }
        let mut resolved = Vec::new();
        collect_resolved(self.stack.template, &mut resolved);
        for parameter in passwords {
            if !resolved.iter().any(|(name, _)| *name == parameter.key) {
                let message = format!("parameter `{}` looks like a secret, but has no `NoEcho: true`", parameter.key);
                self.report(SECRET_NAME, parameter.span(), &join_key("Parameters", &parameter.key), message);
            }
        }
    }

    /// Adds the secrets in a part that everyone can read who may describe the resource.
    fn add_shown(&self, value: &Value, path: &str, property: &str, shown: &mut Vec<ShownSecret>) {
        let what = match property.split('.').find(|part| *part != "LaunchTemplateData") {
            Some("UserData") => "the user data",
            Some("Metadata") => "the metadata",
            _ => "the environment",
        };
        self.each_secret(value, &mut |name, span| {
            shown.extend(span.map(|span| ShownSecret { what, name: name.clone(), path: path.to_owned(), span }));
        });
    }

    /// Reports the secrets that a resource shows, together: they have the same cause and the same fix.
    fn report_shown(&self, resource: &str, shown: &[ShownSecret]) {
        let Some((first, others)) = shown.split_first() else { return };
        let mut names: Vec<&str> = Vec::new();
        let mut parts: Vec<&str> = Vec::new();
        for ShownSecret { what, name, .. } in shown {
            if !names.contains(&&**name) {
                names.push(name);
            }
            if !parts.contains(what) {
                parts.push(what);
            }
        }
        let verb = if parts.len() == 1 { "contains" } else { "contain" };
        let noun = if names.len() == 1 { "parameter" } else { "parameters" };
        let (parts, names) = (parts.join(" and "), listed(&names));
        let message = format!("{parts} of `{resource}` {verb} the secret {noun} {names}");
        let further = others.iter().map(|shown| (shown.path.clone(), shown.span)).collect();
        self.report_all(SECRET_EXPOSED, (Some(first.span), &first.path), message, further);
    }

    fn outputs(&self) {
        for Declaration { member: output, path, .. } in self.stack.declarations("Outputs") {
            let Some(value) = output.value.get("Value") else { continue };
            let path = join_key(&path, "Value");
            self.each_secret(value, &mut |name, span| {
                let message = format!("output `{}` contains the secret parameter `{name}`", output.key);
                self.report(SECRET_OUTPUT, span, &path, message);
            });
        }
    }

    /// Visits the first reference to each `NoEcho` parameter.
    fn each_secret(&self, value: &Value, visitor: &mut dyn FnMut(&Str, Option<Span>)) {
        let mut references = Vec::new();
        collect(value, &mut references);
        let mut seen: Vec<&Str> = Vec::new();
        for (name, span) in &references {
            if self.stack.is_secret(name) && !seen.contains(&name) {
                seen.push(name);
                visitor(name, *span);
            }
        }
    }
}

/// Lists the first names of secrets: "`a`, `b`, and 3 more".
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    match (names.len().saturating_sub(MAX_LISTED), shown.as_slice()) {
        (0, [one, other]) => format!("{one} and {other}"),
        (0, [others @ .., last]) if !others.is_empty() => format!("{}, and {last}", others.join(", ")),
        (0, _) => shown.concat(),
        (more, _) => format!("{}, and {more} more", shown.join(", ")),
    }
}

/// The type of a secret in Secrets Manager.
const VAULT_SECRET: &str = "AWS::SecretsManager::Secret";

/// Maximum depth of a secret in JSON.
const MAX_DEPTH: u32 = 8;

/// Returns `true` if a text only stands in for a secret: `ChangeMe`, or an object in JSON with nothing else.
fn is_filled_later(text: &str) -> bool {
    if is_stand_in(text) {
        return true;
    }
    let Ok(value) = json::parse_computed(&ArcStr::from(text), MAX_DEPTH) else { return false };
    let mut members = value.as_object().into_iter().flatten().map(|member| member.value.as_str()).peekable();
    members.peek().is_some() && members.all(|text| text.is_some_and(is_stand_in))
}

/// Returns `true` if a value is a string or a number that a deployment uses unchanged.
fn is_plain(value: &Value) -> bool {
    let is_bool = matches!(value.data, Data::Bool(_));
    match text_of(value).filter(|_| !is_bool) {
        Some(text) => !text.is_empty() && !text.contains(dynamic::OPEN),
        None => value
            .get("Fn::Sub")
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty() && !text.contains(dynamic::OPEN) && sub_names(text).next().is_none()),
    }
}

/// Returns `true` if a parameter has the name of a password, and accepts any string without `NoEcho`.
fn is_password(parameter: &Member) -> bool {
    let (name, declared) = (parameter.key.trim_end_matches(|c: char| c.is_ascii_digit()), &parameter.value);
    let is_named = PASSWORDS.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    if !is_named || secret_names::hint(name).is_none() || parameters::is_secret(declared) {
        return false;
    }
    let is_string = declared.get("Type").and_then(Value::as_str) == Some("String");
    let is_open = is_string && declared.get("AllowedValues").is_none();
    let is_place = |text: &str| {
        let is_switch = ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word));
        is_switch || ["/", "arn:", "https:"].iter().any(|start| text.starts_with(start)) || text.contains(dynamic::OPEN)
    };
    let default = declared.get("Default");
    let is_switch = default.is_some_and(|default| matches!(default.data, Data::Bool(_)));
    let description = declared.get("Description").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    is_open
        && !is_switch
        && !default.and_then(Value::as_str).is_some_and(is_place)
        && !PLACES.iter().any(|words| description.contains(words))
}

/// Adds the names that are used in dynamic references: they say where a secret is.
fn collect_resolved(value: &Value, found: &mut Vec<(Str, Option<Span>)>) {
    for member in value.as_object().into_iter().flatten() {
        match &*member.key {
            "Fn::Sub" | "Fn::Join" if has_reference(&member.value) => collect(value, found),
            _ => collect_resolved(&member.value, found),
        }
    }
    value.as_array().into_iter().flatten().for_each(|item| collect_resolved(item, found));
}

/// Returns `true` if a value contains a dynamic reference.
fn has_reference(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains(dynamic::OPEN))
        || value.as_array().is_some_and(|items| items.iter().any(has_reference))
        || value.as_object().is_some_and(|object| object.iter().any(|member| has_reference(&member.value)))
}

/// Calls `visitor` with each value at a property such as `Users.*.Password`, in all branches, and with its path.
fn visit(value: &Value, path: &str, property: &str, visitor: &mut dyn FnMut(&Value, &str)) {
    if let Some([_, yes, no]) = value.get("Fn::If").and_then(Value::as_array) {
        let path = join_key(path, "Fn::If");
        visit(yes, &join_index(&path, 1), property, visitor);
        return visit(no, &join_index(&path, 2), property, visitor);
    }
    if property.is_empty() {
        return visitor(value, path);
    }
    let (name, rest) = property.split_once('.').unwrap_or((property, ""));
    if name == "*" {
        for (index, item) in value.as_array().unwrap_or_default().iter().enumerate() {
            visit(item, &join_index(path, index), rest, visitor);
        }
    } else if let Some(inner) = value.as_object().and_then(|object| object.get_exact(name)) {
        visit(inner, &join_key(path, name), rest, visitor);
    }
}

/// Adds the names that `Ref` and `Fn::Sub` in a value refer to.
fn collect(value: &Value, found: &mut Vec<(Str, Option<Span>)>) {
    value.as_array().into_iter().flatten().for_each(|item| collect(item, found));
    for member in value.as_object().into_iter().flatten() {
        match &*member.key {
            "Ref" => found.extend(member.value.as_shared_str().map(|name| (name.clone(), member.value.span))),
            "Fn::Sub" => {
                let parts = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
                let names = parts.first().and_then(Value::as_str).into_iter().flat_map(sub_names);
                found.extend(names.map(|name| (Str::from(name), member.value.span)));
                parts.iter().skip(1).for_each(|variables| collect(variables, found));
            }
            _ => collect(&member.value, found),
        }
    }
}
