//! Schedules of `EventBridge` Scheduler: events of the type `ScheduleV2`.

use crate::sam::build::{Draft, Fields, allow, get, get_att, object, policy, trust};
use crate::sam::events::{Event, rule};
use crate::value::Value;

/// Properties of the schedule that are those of the event.
const COPIED: [&str; 8] = [
    "ScheduleExpression",
    "State",
    "Description",
    "StartDate",
    "EndDate",
    "ScheduleExpressionTimezone",
    "GroupName",
    "KmsKeyArn",
];

/// Returns the role with which the scheduler invokes the target.
fn execution_role(event: &Event, arn: &Value, service: &str, queue: Option<&Value>) -> Draft {
    let invoke = match service {
        "states" => start_execution(&event.id, arn),
        _ => {
            policy(format!("{}LambdaPolicy", event.id), vec![allow(Value::from("lambda:InvokeFunction"), arn.clone())])
        }
    };
    let mut policies = vec![invoke];
    if let Some(queue) = queue {
        let statement = allow(Value::from("sqs:SendMessage"), queue.clone());
        policies.push(policy(format!("{}SQSPolicy", event.id), vec![statement]));
    }
    event
        .draft("Role", "AWS::IAM::Role")
        .with("AssumeRolePolicyDocument", trust("scheduler.amazonaws.com"))
        .with("Policies", Value::array(policies))
        .with("PermissionsBoundary", event.given_property("PermissionsBoundary").cloned())
}

/// Returns the policy that allows to start a state machine.
pub(in crate::sam) fn start_execution(id: &str, arn: &Value) -> Value {
    let statement = allow(Value::from("states:StartExecution"), arn.clone());
    policy(format!("{id}StartExecutionPolicy"), vec![statement])
}

/// Returns the schedule, and its role unless it has one. `service` is that of the target.
pub(in crate::sam) fn scheduler(event: &Event, arn: &Value, service: &str) -> Vec<Draft> {
    let mut schedule = event.draft("", "AWS::Scheduler::Schedule");
    schedule.copy(&event.properties, &COPIED);
    if event.given_property("OmitName").is_none() {
        let name = event.given_property("Name").cloned();
        schedule.set("Name", name.unwrap_or_else(|| Value::from(event.id.clone())));
    }
    let window = event.given_property("FlexibleTimeWindow").cloned();
    schedule.set("FlexibleTimeWindow", window.unwrap_or_else(|| object([("Mode", Value::from("OFF"))])));
    let mut drafts = Vec::new();
    let queue = event.get("DeadLetterConfig").map(|config| {
        if let Some(arn) = get(config, "Arn") {
            arn.clone()
        } else {
            let queue = rule::queue(event, config);
            let arn = get_att(&queue.id, "Arn");
            drafts.push(queue);
            arn
        }
    });
    let mut target = Fields::default();
    target.set("Arn", arn.clone());
    let role = event.given_property("RoleArn").cloned().unwrap_or_else(|| {
        let role = execution_role(event, arn, service, queue.as_ref());
        let arn = get_att(&role.id, "Arn");
        drafts.push(role);
        arn
    });
    target.set("RoleArn", role);
    for name in ["Input", "RetryPolicy"] {
        target.set_some(name, event.get(name).cloned());
    }
    target.set_some("DeadLetterConfig", queue.map(|arn| object([("Arn", arn)])));
    schedule.set("Target", target.into_value());
    drafts.insert(0, schedule);
    drafts
}
