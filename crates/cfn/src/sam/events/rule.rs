//! Rules of `EventBridge`: events of the types `Schedule`, `CloudWatchEvent` and `EventBridgeRule`.

use crate::sam::build::{Draft, Fields, get, get_att, is_set, object, reference, text};
use crate::sam::events::{Event, Invoked};
use crate::value::Value;

/// Maximum length of the ID of a target, in characters.
const LONGEST_ID: usize = 64;

/// The service that invokes targets.
pub(in crate::sam) const SERVICE: &str = "events.amazonaws.com";

/// Target of a rule, and for state machines its role.
pub(in crate::sam) struct Invoke<'i> {
    pub(in crate::sam) arn: &'i Value,
    pub(in crate::sam) role: Option<Value>,
    /// The end of the ID of the target.
    pub(in crate::sam) suffix: &'static str,
}

/// Names in the event of properties of the target.
const TARGET: [&str; 4] = ["Input", "InputPath", "RetryPolicy", "InputTransformer"];

pub(super) fn schedule(event: &Event, invoked: &mut Invoked<'_>) {
    let invoke = Invoke { arn: &invoked.target.arn, role: None, suffix: "LambdaTarget" };
    let drafts = scheduled(event, &invoke);
    invoked.drafts.extend(drafts);
    permit(event, invoked);
}

pub(super) fn rule(event: &Event, invoked: &mut Invoked<'_>) {
    let invoke = Invoke { arn: &invoked.target.arn, role: None, suffix: "LambdaTarget" };
    let drafts = matched(event, &invoke);
    invoked.drafts.extend(drafts);
    permit(event, invoked);
}

fn permit(event: &Event, invoked: &mut Invoked<'_>) {
    let permission = event.permission(invoked.target, SERVICE, "");
    invoked.drafts.push(permission.with("SourceArn", get_att(&event.id, "Arn")));
}

/// Returns the rule of a schedule, with a queue for what fails.
pub(in crate::sam) fn scheduled(event: &Event, invoke: &Invoke<'_>) -> Vec<Draft> {
    let mut rule = event.draft("", "AWS::Events::Rule");
    rule.derive("ScheduleExpression", &event.properties, "Schedule", Clone::clone);
    rule.copy(&event.properties, &["Name", "Description"]);
    finished(event, rule, invoke)
}

/// Returns the rule of an event pattern, with a queue for what fails.
pub(in crate::sam) fn matched(event: &Event, invoke: &Invoke<'_>) -> Vec<Draft> {
    let mut rule = event.draft("", "AWS::Events::Rule");
    rule.copy(&event.properties, &["EventBusName"]);
    rule.derive("EventPattern", &event.properties, "Pattern", Clone::clone);
    rule.derive("Name", &event.properties, "RuleName", Clone::clone);
    finished(event, rule, invoke)
}

fn finished(event: &Event, mut rule: Draft, invoke: &Invoke<'_>) -> Vec<Draft> {
    rule.copy(&event.properties, &["State"]);
    if let Some(enabled) = event.get("Enabled") {
        let state = if is_set(enabled) { "ENABLED" } else { "DISABLED" };
        rule.set("State", Value { span: enabled.span, ..Value::from(state) });
    }
    let mut target = Fields::default();
    target.set("Arn", invoke.arn.clone());
    let id = event.get("Target").and_then(|target| get(target, "Id")).cloned();
    target.set("Id", id.unwrap_or_else(|| Value::from(target_id(&event.id, invoke.suffix))));
    target.set_some("RoleArn", invoke.role.clone());
    for name in TARGET {
        target.set_some(name, event.get(name).cloned());
    }
    let mut drafts = Vec::new();
    if let Some(config) = event.get("DeadLetterConfig") {
        let arn = match get(config, "Arn") {
            Some(arn) => arn.clone(),
            None => dead_letters(event, config, &mut drafts),
        };
        target.set("DeadLetterConfig", object([("Arn", arn)]));
    }
    rule.set("Targets", Value::array(vec![target.into_value()]));
    drafts.insert(0, rule);
    drafts
}

/// Adds a queue for what fails, and the policy that lets the rule send to it. Returns the ARN of the queue.
fn dead_letters(event: &Event, config: &Value, drafts: &mut Vec<Draft>) -> Value {
    let queue = queue(event, config);
    let arn = get_att(&queue.id, "Arn");
    let source = object([("aws:SourceArn", get_att(&event.id, "Arn"))]);
    let statement = object([
        ("Action", Value::from("sqs:SendMessage")),
        ("Effect", Value::from("Allow")),
        ("Principal", object([("Service", Value::from(SERVICE))])),
        ("Resource", arn.clone()),
        ("Condition", object([("ArnEquals", source)])),
    ]);
    let document = object([("Version", Value::from("2012-10-17")), ("Statement", Value::array(vec![statement]))]);
    let policy = event
        .draft("QueuePolicy", "AWS::SQS::QueuePolicy")
        .with("PolicyDocument", document)
        .with("Queues", Value::array(vec![reference(&queue.id)]));
    drafts.extend([queue, policy]);
    arn
}

/// Returns a queue for what fails, under the name that the author chose.
pub(super) fn queue(event: &Event, config: &Value) -> Draft {
    let mut queue = event.draft("Queue", "AWS::SQS::Queue");
    if let Some(id) = text(config, "QueueLogicalId") {
        queue.id = id.clone();
    }
    queue
}

/// Returns the ID of a target, which has a limited length.
fn target_id(id: &str, suffix: &str) -> String {
    let most = LONGEST_ID.saturating_sub(suffix.len());
    let start: String = id.chars().take(most).collect();
    format!("{start}{suffix}")
}
