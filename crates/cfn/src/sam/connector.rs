//! `AWS::Serverless::Connector`: the permissions of one resource on another.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-connector.html>.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::sam::build::{Draft, Fields, Origin, get, get_att, items, object, reference, required, text};
use crate::sam::intrinsics::target_of;
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// Permissions that connectors grant. The header of the file describes the format.
const PROFILES: &str = include_str!("connectors.txt");

/// SAM types with those that they generate.
const GENERATED: [(&str, &str); 5] = [
    ("AWS::Serverless::Api", "AWS::ApiGateway::RestApi"),
    ("AWS::Serverless::Function", "AWS::Lambda::Function"),
    ("AWS::Serverless::HttpApi", "AWS::ApiGatewayV2::Api"),
    ("AWS::Serverless::SimpleTable", "AWS::DynamoDB::Table"),
    ("AWS::Serverless::StateMachine", "AWS::StepFunctions::StateMachine"),
];

/// Types whose `Ref` is their ARN.
const NAMED_BY_ARN: [&str; 4] =
    ["AWS::AppSync::DataSource", "AWS::AppSync::GraphQLApi", "AWS::SNS::Topic", "AWS::StepFunctions::StateMachine"];

/// Holder of the policy, and the statements for each access category.
#[derive(Debug, Default)]
struct Profile {
    holder: &'static str,
    lines: Vec<&'static str>,
}

/// Source or destination of a connector.
#[derive(Debug, Default)]
struct End {
    kind: String,
    /// The values that profiles refer to: `Arn`, `ResourceId`, `Name`, `Qualifier`.
    values: Fields,
    role: Option<Value>,
    queue: Option<Value>,
}

fn profiles() -> &'static HashMap<(&'static str, &'static str), Profile> {
    static TABLE: OnceLock<HashMap<(&'static str, &'static str), Profile>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<(&'static str, &'static str), Profile> = HashMap::default();
        let mut key = ("", "");
        for line in PROFILES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with(' ') {
                table.entry(key).or_default().lines.push(line.trim_start());
                continue;
            }
            let mut parts = line.split(' ');
            key = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            table.entry(key).or_default().holder = parts.next().unwrap_or_default();
        }
        table
    })
}

impl Sam<'_, '_> {
    /// Generates the connectors in the attribute `Connectors` of a resource.
    pub(super) fn embedded_connectors(&mut self, slot: usize, member: &Member) {
        let connectors = get(&member.value, "Connectors").and_then(Value::as_object);
        for connector in connectors.into_iter().flatten() {
            let mut properties = get(&connector.value, "Properties").map(Fields::from_value).unwrap_or_default();
            let mut from = properties.get("SourceReference").map(Fields::from_value).unwrap_or_default();
            from.set("Id", Value::from(member.key.clone()));
            properties.remove("SourceReference");
            properties.set("Source", from.into_value());
            let mut body = Fields::from_value(&connector.value);
            body.set("Properties", properties.into_value());
            let named = Member {
                key: Str::from(format!("{}{}", member.key, connector.key)),
                key_span: connector.key_span,
                value: Value { span: connector.value.span, ..body.into_value() },
            };
            let mut source = Source::new(slot, &named, &Str::from("AWS::Serverless::Connector"));
            source.origin.path = Str::from(crate::model::join_key("Resources", &member.key));
            let drafts = self.connect(&source);
            for draft in drafts {
                self.output.add(slot, draft);
            }
        }
    }

    pub(super) fn connector(&mut self, source: &Source) {
        let drafts = self.connect(source);
        self.emit_all(source, drafts);
    }

    fn connect(&mut self, source: &Source) -> Vec<Draft> {
        let (Some(from), Some(to)) = (source.get("Source"), source.get("Destination")) else { return Vec::new() };
        let is_list = to.as_array().is_some();
        let permissions = source.get("Permissions").map(items).unwrap_or_default();
        let permissions: Vec<&str> = permissions.iter().filter_map(Value::as_str).collect();
        let mut drafts = Vec::new();
        for (index, to) in items(to).iter().enumerate() {
            let suffix = if is_list { format!("Destination{index}") } else { String::new() };
            let connector = Connector { id: &source.id, suffix: &suffix, permissions: &permissions };
            let ends = [self.end(from, to), self.end(to, from)];
            if let Some(made) = connector.drafts(&source.origin, &ends) {
                drafts.extend(made);
            } else {
                let [from, to] = &ends;
                let message = format!(
                    "the connector from `{}` to `{}` is not expanded, so what it allows is not checked",
                    from.kind, to.kind
                );
                self.miss(source.origin.key_span, message);
            }
        }
        let ids = drafts.iter().map(|draft| draft.id.clone()).collect();
        self.output.references.replace(&source.id, ids);
        if let Some(depends_on) = get(&source.body, "DependsOn") {
            for draft in &mut drafts {
                draft.attributes.set("DependsOn", depends_on.clone());
            }
        }
        drafts
    }

    /// Returns the source or destination of a connector: the resource with the ID in `written`, or the properties
    /// written there of another resource.
    fn end(&self, written: &Value, other: &Value) -> End {
        let Some(id) = text(written, "Id") else {
            let kind = text(written, "Type").map_or("", |kind| kind);
            let generated = GENERATED.iter().find(|(sam, _)| *sam == kind).map_or(kind, |(_, generated)| generated);
            return End {
                kind: generated.to_owned(),
                values: Fields::from_value(written),
                role: get(written, "RoleName").cloned(),
                queue: get(written, "QueueUrl").cloned(),
            };
        };
        let (kind, properties) = self.output.resource(id).unwrap_or_else(|| (Str::from(""), Fields::default()));
        let mut values = Fields::default();
        let arn = if NAMED_BY_ARN.contains(&&*kind) { reference(id) } else { get_att(id, "Arn") };
        values.set("Arn", arn);
        match &*kind {
            "AWS::ApiGatewayV2::Api" | "AWS::ApiGateway::RestApi" => {
                values.set("ResourceId", reference(id));
                values.set("Qualifier", Value::from("*"));
            }
            "AWS::AppSync::GraphQLApi" => values.set("ResourceId", get_att(id, "ApiId")),
            "AWS::StepFunctions::StateMachine" => values.set("Name", get_att(id, "Name")),
            _ => {}
        }
        values.set_some("Qualifier", get(written, "Qualifier").cloned());
        let role = match &*kind {
            "AWS::Lambda::Function" => properties.get("Role").cloned(),
            "AWS::StepFunctions::StateMachine" => properties.get("RoleArn").cloned(),
            "AWS::AppSync::DataSource" => properties.get("ServiceRoleArn").cloned(),
            "AWS::Events::Rule" => rule_role(&properties, other),
            _ => None,
        };
        let role = role.and_then(|role| target_of(&role)).map(|role| reference(&role));
        let queue = (*kind == *"AWS::SQS::Queue").then(|| reference(id));
        End { kind: kind.to_string(), values, role, queue }
    }
}

/// Returns the role with which a rule invokes the other end.
fn rule_role(rule: &Fields, other: &Value) -> Option<Value> {
    let targets = rule.get("Targets")?.as_array()?;
    let is_other = |target: &&Value| {
        let arn = get(target, "Arn");
        let by_id = arn.and_then(target_of).zip(text(other, "Id")).is_some_and(|(target, other)| target == *other);
        by_id || arn.zip(get(other, "Arn")).is_some_and(|(target, other)| target.same(other))
    };
    get(targets.iter().find(is_other)?, "RoleArn").cloned()
}

/// A connector from one resource to one other.
pub(super) struct Connector<'c> {
    pub(super) id: &'c str,
    /// Suffix that distinguishes several destinations.
    pub(super) suffix: &'c str,
    pub(super) permissions: &'c [&'c str],
}

impl Connector<'_> {
    /// Returns the policies and permissions; `None` if the ends cannot be connected.
    fn drafts(&self, origin: &Origin, ends: &[End; 2]) -> Option<Vec<Draft>> {
        let [from, to] = ends;
        let profile = profiles().get(&(from.kind.as_str(), to.kind.as_str()))?;
        let statements = statements(profile, ends);
        let wanted = statements.into_iter().filter(|(category, _)| self.permissions.contains(category));
        let wanted: Vec<(&str, Fields)> = wanted.collect();
        let named =
            |name: &str, kind: &'static str| Draft::new(format!("{}{name}{}", self.id, self.suffix), kind, origin);
        if profile.holder == "function" {
            let permission = |(category, statement): (&str, Fields)| {
                named(&format!("{category}LambdaPermission"), "AWS::Lambda::Permission")
                    .with("Action", statement.get("Action").cloned())
                    .with("FunctionName", to.values.get("Arn").cloned())
                    .with("Principal", statement.get("Principal").and_then(|all| get(all, "Service")).cloned())
                    .with("SourceArn", statement.get("From").cloned())
                    .with("SourceAccount", statement.get("Account").cloned())
            };
            return Some(wanted.into_iter().map(permission).collect());
        }
        let statement = |(_, mut statement): (&str, Fields)| {
            if let Some(arn) = statement.remove("From") {
                statement.set("Condition", object([("ArnEquals", object([("aws:SourceArn", arn)]))]));
            }
            statement.into_value()
        };
        let all = Value::array(wanted.into_iter().map(statement).collect());
        let document = object([("Version", Value::from("2012-10-17")), ("Statement", all)]);
        let list = |value: Option<Value>| Some(Value::array(vec![value?]));
        let draft = match profile.holder {
            "topic" => {
                named("TopicPolicy", "AWS::SNS::TopicPolicy").with("Topics", list(to.values.get("Arn").cloned()))
            }
            "queue" => named("QueuePolicy", "AWS::SQS::QueuePolicy").with("Queues", list(to.queue.clone())),
            holder => {
                let role = if holder == "source" { &from.role } else { &to.role };
                named("Policy", "AWS::IAM::ManagedPolicy").with("Roles", list(role.clone()))
            }
        };
        Some(vec![draft.with("PolicyDocument", document)])
    }
}

impl Sam<'_, '_> {
    /// Returns the policies that connect two resources whose ARNs are known, for a generated API.
    pub(super) fn connected(&self, connector: &Connector<'_>, origin: &Origin, ends: [Value; 2]) -> Vec<Draft> {
        let [from, to] = &ends;
        let ends = [self.end(from, to), self.end(to, from)];
        connector.drafts(origin, &ends).unwrap_or_default()
    }
}

/// Returns the statements of a profile with their access categories.
fn statements(profile: &Profile, ends: &[End; 2]) -> Vec<(&'static str, Fields)> {
    let mut all: Vec<(&'static str, Fields)> = Vec::new();
    for line in &profile.lines {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        if verb == "for" {
            let mut statement = Fields::default();
            statement.set("Effect", Value::from("Allow"));
            all.push((rest, statement));
            continue;
        }
        let Some((_, statement)) = all.last_mut() else { continue };
        match (verb, rest.strip_prefix("only "), rest.strip_prefix("each ")) {
            ("allow", Some(action), _) => statement.set("Action", Value::from(action)),
            ("allow", None, _) => statement.set("Action", Value::array(rest.split(' ').map(Value::from).collect())),
            ("to", ..) => statement.set("Principal", object([("Service", Value::from(rest))])),
            ("on", _, None) => statement.set("Resource", filled(rest, ends)),
            ("on", _, Some(resource)) => {
                let mut resources = statement.get("Resource").map(items).unwrap_or_default().to_vec();
                resources.push(filled(resource, ends));
                statement.set("Resource", Value::array(resources));
            }
            ("from", ..) => statement.set("From", filled(rest, ends)),
            ("account", ..) => statement.set("Account", filled(rest, ends)),
            _ => {}
        }
    }
    all
}

/// Returns a text of a profile with the values of the ends.
fn filled(text: &str, [from, to]: &[End; 2]) -> Value {
    let value = |name: &str| match name.split_once('.') {
        Some(("Source", name)) => from.values.get(name).cloned(),
        Some((_, name)) => to.values.get(name).cloned(),
        None => None,
    };
    if let Some(name) =
        text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).filter(|name| !name.contains('<'))
    {
        return value(name).unwrap_or_else(|| required(&Value::NULL, name));
    }
    let mut result = String::new();
    let mut variables: Vec<Member> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>').unwrap_or((after, ""));
        let variable = name.replace('.', "");
        result.extend([before, "${", &variable, "}"]);
        variables.push(Member::new(variable, value(name).unwrap_or_else(|| required(&Value::NULL, name))));
        rest = after;
    }
    result.push_str(rest);
    let text = Value::from(result);
    if variables.is_empty() {
        return object([("Fn::Sub", text)]);
    }
    object([("Fn::Sub", Value::array(vec![text, Value::object(variables)]))])
}
