//! `AWS::Serverless::StateMachine`: the state machine, its role, its alias, and what its events need.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-statemachine.html>.

use crate::sam::api::Kind;
use crate::sam::api::event_route::{Integration, add_route};
use crate::sam::build::{
    Draft, Fields, Origin, conditional, get, get_att, object, reference, sub, tag_list, text, trust,
};
use crate::sam::code::{BODY, location};
use crate::sam::events::rule::{Invoke, SERVICE, matched, scheduled};
use crate::sam::events::{Event, scheduler, start_execution};
use crate::sam::intrinsics::{is_intrinsic, ref_of};
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// Properties of the state machine, with their names in the SAM resource.
const DERIVED: [(&str, &str); 5] = [
    ("StateMachineName", "Name"),
    ("StateMachineType", "Type"),
    ("LoggingConfiguration", "Logging"),
    ("TracingConfiguration", "Tracing"),
    ("RoleArn", "Role"),
];

/// ARN with which API Gateway starts a state machine.
const START: &str = "arn:${AWS::Partition}:apigateway:${AWS::Region}:states:action/StartExecution";

impl Sam<'_, '_> {
    pub(super) fn state_machine(&mut self, source: &Source) {
        let mut draft = source.main("AWS::StepFunctions::StateMachine");
        for (name, from) in DERIVED {
            draft.derive(name, &source.properties, from, Clone::clone);
        }
        definition(source, &mut draft);
        let mut tags = vec![object([("Key", Value::from("stateMachine:createdBy")), ("Value", Value::from("SAM"))])];
        tags.extend(tag_list(source.get("Tags")));
        let tags = Value::array(tags);
        draft.set("Tags", tags.clone());
        let mut drafts = Vec::new();
        if source.given_property("Role").is_none() {
            let mut role = self.role(source, trust("states.amazonaws.com"), Vec::new(), Vec::new());
            let traced = source.given_property("Tracing").and_then(|tracing| get(tracing, "Enabled")?.as_bool());
            if traced == Some(true) {
                role.attach(self.managed_policy(&self.xray_policy()));
            }
            draft.set("RoleArn", role.arn());
            drafts.push(role.into_draft(tags));
        }
        drafts.insert(0, draft);
        let alias = machine_alias(source, &mut drafts);
        let is_target = source.given_property("UseAliasAsEventTarget").is_some();
        let target = alias.filter(|_| is_target).unwrap_or_else(|| source.id.clone());
        for event in source.events() {
            self.machine_event(source, &event, &reference(&target), &mut drafts);
        }
        self.emit(source, drafts);
    }

    fn machine_event(&mut self, source: &Source, event: &Event, target: &Value, drafts: &mut Vec<Draft>) {
        let role = |service: &str| {
            let id = format!("{}Role", event.id);
            event
                .draft("Role", "AWS::IAM::Role")
                .with("AssumeRolePolicyDocument", trust(service))
                .with("Policies", Value::array(vec![start_execution(&id, target)]))
                .with("PermissionsBoundary", source.given_property("PermissionsBoundary").cloned())
        };
        let invoke = |role: Value| Invoke { arn: target, role: Some(role), suffix: "StepFunctionsTarget" };
        let own = get_att(&format!("{}Role", event.id), "Arn");
        match &*event.kind {
            "Schedule" => {
                if let Some(given) = event.get("RoleArn") {
                    drafts.extend(scheduled(event, &invoke(given.clone())));
                } else {
                    drafts.extend(scheduled(event, &invoke(own)));
                    drafts.push(role(SERVICE));
                }
            }
            "CloudWatchEvent" | "EventBridgeRule" => {
                drafts.extend(matched(event, &invoke(own)));
                drafts.push(role(SERVICE));
            }
            "ScheduleV2" => drafts.extend(scheduler(event, target, "states")),
            "Api" => {
                drafts.push(role("apigateway.amazonaws.com"));
                self.machine_route(source, event, target, own);
            }
            kind => {
                let message = format!("events of type `{kind}` are not expanded, so what they generate is not checked");
                self.miss(event.origin.key_span, message);
            }
        }
    }

    /// Adds the route of an event to its API.
    fn machine_route(&mut self, source: &Source, event: &Event, target: &Value, role: Value) {
        let Some((path, method)) = event.route(Kind::Rest) else { return };
        let Some(id) = event.api(Kind::Rest) else { return };
        let stage = self.stage_of(event);
        let Some(api) = self.apis.get_mut(&id).filter(|api| api.is_managed) else { return };
        let name = ref_of(target).cloned().unwrap_or_else(|| source.id.clone());
        let request = match event.given_property("UnescapeMappingTemplate") {
            Some(_) => format!(
                "{{\"input\": \"$util.escapeJavaScript($input.json('$')).replaceAll(\"\\\\'\",\"'\")\", \
                 \"stateMachineArn\": \"${{{name}}}\"}}"
            ),
            None => format!(
                "{{\"input\": \"$util.escapeJavaScript($input.json('$'))\", \"stateMachineArn\": \"${{{name}}}\"}}"
            ),
        };
        let mut uri = sub(START);
        if let Some(condition) = event.origin.condition() {
            uri = conditional(condition, uri, None);
        }
        let answer = |code: &str| object([("statusCode", Value::from(code))]);
        let mut fields = Fields::default();
        fields.set("type", Value::from("aws"));
        fields.set("httpMethod", Value::from("POST"));
        fields.set("uri", uri);
        fields.set("responses", object([("200", answer("200")), ("400", answer("400"))]));
        fields.set("credentials", role);
        fields.set("requestTemplates", object([("application/json", sub(request))]));
        let described = |text: &str| object([("description", Value::from(text))]);
        let responses = object([("200", described("OK")), ("400", described("Bad Request"))]);
        add_route(api, event, (&path, &method), &Integration { fields, responses });
        self.add_auth(event, &id, (&path, &method), &stage);
    }
}

/// Generates the alias of a state machine and its version. Returns the logical ID of the alias.
fn machine_alias(source: &Source, drafts: &mut Vec<Draft>) -> Option<Str> {
    let name = source.given_property("AutoPublishAlias")?;
    let origin = Origin { ..source.origin.clone() };
    let mut version = Draft::new(format!("{}Version", source.id), "AWS::StepFunctions::StateMachineVersion", &origin)
        .with("StateMachineArn", reference(&source.id))
        .with("StateMachineRevisionId", get_att(&source.id, "StateMachineRevisionId"));
    for policy in ["DeletionPolicy", "UpdateReplacePolicy"] {
        if !version.attributes.has(policy) {
            version.attributes.set(policy, Value::from("Retain"));
        }
    }
    let mut preference = source.given_property("DeploymentPreference").map(Fields::from_value).unwrap_or_default();
    if preference.len() == 0 {
        preference.set("Type", Value::from("ALL_AT_ONCE"));
    }
    preference.set("StateMachineVersionArn", reference(&version.id));
    let label = text(&source.properties, "AutoPublishAlias").map_or("", |name| name);
    let alias = Draft::new(format!("{}Alias{label}", source.id), "AWS::StepFunctions::StateMachineAlias", &origin)
        .with("Name", name.clone())
        .with("DeploymentPreference", preference.into_value());
    let id = alias.id.clone();
    drafts.extend([version, alias]);
    Some(id)
}

/// Returns the JSON of a definition whose members are sorted, indented by four spaces.
fn pretty(value: &Value, depth: usize) -> String {
    let inner = "    ".repeat(depth + 1);
    let outer = "    ".repeat(depth);
    let (parts, [open, close]): (Vec<String>, _) = match (value.as_array(), value.as_object()) {
        (Some(items), _) if !items.is_empty() => {
            (items.iter().map(|item| format!("{inner}{}", pretty(item, depth + 1))).collect(), ["[", "]"])
        }
        (_, Some(object)) if !object.is_empty() => {
            let member = |member: &Member| {
                let key = Value::from(member.key.clone()).to_json();
                format!("{inner}{key}: {}", pretty(&member.value, depth + 1))
            };
            (object.iter().map(member).collect(), ["{", "}"])
        }
        _ => return value.to_json(),
    };
    format!("{open}\n{}\n{outer}{close}", parts.join(",\n"))
}

/// Returns the definition with a placeholder for each function in it, whose value is a substitution.
fn substituted(value: &Value, substitutions: &mut Fields, count: &mut usize) -> Value {
    let is_dynamic = value.as_str().is_some_and(|text| text.starts_with("{{resolve:") && text.ends_with("}}"));
    if is_intrinsic(value) || is_dynamic {
        *count += 1;
        let name = format!("definition_substitution_{count}");
        substitutions.set(name.as_str(), value.clone());
        return Value { span: value.span, ..Value::from(format!("${{{name}}}")) };
    }
    if let Some(items) = value.as_array() {
        let items = items.iter().map(|item| substituted(item, substitutions, count)).collect();
        return Value { span: value.span, ..Value::array(items) };
    }
    let Some(object) = value.as_object() else { return value.clone() };
    let mut sorted: Vec<&Member> = object.iter().collect();
    sorted.sort_by(|a, b| a.key.cmp(&b.key));
    let member = |member: &&Member| {
        let value = substituted(&member.value, substitutions, count);
        Member { value, ..(*member).clone() }
    };
    Value { span: value.span, ..Value::object(sorted.iter().map(member).collect()) }
}

/// Sets the definition: a location, or an object whose functions become substitutions.
fn definition(source: &Source, draft: &mut Draft) {
    let mut substitutions = source.get("DefinitionSubstitutions").map(Fields::from_value).unwrap_or_default();
    match source.given_property("Definition") {
        Some(written) => {
            let mut count = 0;
            let definition = substituted(written, &mut substitutions, &mut count);
            draft.derive("DefinitionString", &source.properties, "Definition", |_| Value::from(pretty(&definition, 0)));
        }
        None => {
            draft.derive("DefinitionS3Location", &source.properties, "DefinitionUri", |uri| location(uri, &BODY));
        }
    }
    if substitutions.len() > 0 {
        let span = source.get("DefinitionSubstitutions").and_then(|written| written.span);
        draft.set("DefinitionSubstitutions", Value { span, ..substitutions.into_value() });
    }
}
