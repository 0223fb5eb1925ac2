//! The events of functions: what invokes them, and what that needs.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-eventsource.html>.

mod linked;
pub(super) mod pull;
pub(super) mod rule;
mod schedule;
mod topic;

pub(super) use self::linked::Linked;
pub(super) use self::schedule::{scheduler, start_execution};
use crate::sam::api::Kind;
use crate::sam::build::{Draft, Fields, Origin, get, given_property, object, reference, required, sub, sub_with, text};
use crate::sam::intrinsics::id_with;
use crate::sam::role::Role;
use crate::sam::target::EventTarget;
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// An event of a function or a state machine.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// The logical ID of what it generates: that of the resource, and its name.
    pub(super) id: Str,
    pub(super) kind: Str,
    pub(super) properties: Value,
    pub(super) origin: Origin,
}

impl Event {
    fn new(source: &Source, member: &Member) -> Option<Self> {
        Some(Self {
            id: Str::from(format!("{}{}", source.id, member.key)),
            kind: text(&member.value, "Type")?.clone(),
            properties: get(&member.value, "Properties").cloned().unwrap_or_else(|| Value::object(Vec::new())),
            origin: source.origin.within(member),
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        get(&self.properties, name)
    }

    pub(super) fn given_property(&self, name: &str) -> Option<&Value> {
        given_property(&self.properties, name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&Str> {
        text(&self.properties, name)
    }

    /// Returns a generated resource whose ID starts with that of the event.
    pub(super) fn draft(&self, suffix: &str, kind: &'static str) -> Draft {
        Draft::new(format!("{}{suffix}", self.id), kind, &self.origin)
    }

    /// Returns the permission for a service to invoke the target.
    pub(super) fn permission(&self, target: &EventTarget, service: &str, suffix: &str) -> Draft {
        let id = id_with(&format!("{}Permission", self.id), suffix);
        Draft::new(id, "AWS::Lambda::Permission", &self.origin)
            .with("Action", Value::from("lambda:InvokeFunction"))
            .with("FunctionName", target.name.clone())
            .with("Principal", Value::from(service))
    }
}

impl Source {
    /// Returns the events in the order of the template.
    pub(super) fn events(&self) -> Vec<Event> {
        let events = self.get("Events").and_then(Value::as_object);
        events.into_iter().flatten().filter_map(|member| Event::new(self, member)).collect()
    }
}

/// Returns the sort key of an event: its path or its name.
fn order(event: &Event) -> Str {
    let route = if *event.kind == *"HttpApi" { event.route(Kind::Http) } else { None };
    let path = route.map(|(path, _)| path).or_else(|| event.text("Path").cloned());
    path.unwrap_or_else(|| event.id.clone())
}

/// Source, target, role and generated resources of an event, apart from its permission.
pub(super) struct Invoked<'i> {
    pub(super) source: &'i Source,
    pub(super) target: &'i EventTarget,
    pub(super) role: &'i mut Role,
    pub(super) drafts: &'i mut Vec<Draft>,
}

impl Sam<'_, '_> {
    pub(super) fn function_events(
        &mut self,
        source: &Source,
        target: &EventTarget,
        role: &mut Role,
        drafts: &mut Vec<Draft>,
    ) {
        let mut events = source.events();
        // A route for all paths comes before the others, which then need no permission of their own.
        events.sort_by_cached_key(order);
        for event in &events {
            self.event(event, &mut Invoked { source, target, role, drafts });
        }
    }

    fn event(&mut self, event: &Event, invoked: &mut Invoked<'_>) {
        let target = invoked.target;
        match &*event.kind {
            "AlexaSkill" => {
                let permission = event.permission(target, "alexa-appkit.amazon.com", "");
                invoked.drafts.push(permission.with("EventSourceToken", event.get("SkillId").cloned()));
            }
            "Api" => self.api_event(event, invoked),
            "CloudWatchEvent" | "EventBridgeRule" => rule::rule(event, invoked),
            "CloudWatchLogs" => self.logs(event, invoked),
            "Cognito" => self.user_pool(event, invoked),
            "HttpApi" => self.http_api_event(event, invoked),
            "IoTRule" => self.iot(event, invoked),
            "S3" => self.bucket(event, invoked),
            "SNS" => self.topic(event, invoked),
            "Schedule" => rule::schedule(event, invoked),
            "ScheduleV2" => {
                let drafts = scheduler(event, &target.arn, "lambda");
                invoked.drafts.extend(drafts);
            }
            _ if pull::is_pulled(&event.kind) => self.pull(event, invoked),
            kind => {
                let message = format!("events of type `{kind}` are not expanded, so what they generate is not checked");
                self.miss(event.origin.key_span, message);
            }
        }
    }

    fn logs(&self, event: &Event, invoked: &mut Invoked<'_>) {
        let group = required(&event.properties, "LogGroupName");
        let arn = self.arn("logs", "log-group:${__LogGroupName__}:*");
        let permission = event
            .permission(invoked.target, "logs.amazonaws.com", "")
            .with("SourceArn", sub_with(arn, [("__LogGroupName__", group)]));
        let mut filter = event.draft("", "AWS::Logs::SubscriptionFilter");
        filter.copy(&event.properties, &["LogGroupName", "FilterPattern"]);
        filter.set("DestinationArn", invoked.target.arn.clone());
        filter.attributes.set("DependsOn", Value::array(vec![Value::from(permission.id.clone())]));
        invoked.drafts.extend([permission, filter]);
    }

    fn iot(&self, event: &Event, invoked: &mut Invoked<'_>) {
        let arn = self.arn("iot", "rule/${RuleName}");
        let permission = event
            .permission(invoked.target, "iot.amazonaws.com", "")
            .with("SourceArn", sub_with(arn, [("RuleName", reference(&event.id))]))
            .with("SourceAccount", sub("${AWS::AccountId}"));
        let mut payload = Fields::default();
        payload.set_some("Sql", event.get("Sql").cloned());
        payload.set("RuleDisabled", Value::from(false));
        let action = object([("FunctionArn", invoked.target.arn.clone())]);
        payload.set("Actions", Value::array(vec![object([("Lambda", action)])]));
        payload.set_some("AwsIotSqlVersion", event.given_property("AwsIotSqlVersion").cloned());
        let rule = event.draft("", "AWS::IoT::TopicRule").with("TopicRulePayload", payload.into_value());
        invoked.drafts.extend([permission, rule]);
    }

    /// Returns the ARN of a resource of this account and region, as a text for `Fn::Sub`.
    pub(super) fn arn(&self, service: &str, resource: &str) -> String {
        format!("arn:{}:{service}:${{AWS::Region}}:${{AWS::AccountId}}:{resource}", self.partition())
    }
}
