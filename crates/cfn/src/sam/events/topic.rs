//! Topics of SNS, directly or through a queue.

use crate::sam::Sam;
use crate::sam::build::{Draft, get, get_att, is_set, object, reference, required, text};
use crate::sam::events::{Event, Invoked};
use crate::sam::intrinsics::target_of;
use crate::value::Value;

/// Properties of the subscription that are those of the event.
const COPIED: [&str; 4] = ["Region", "FilterPolicy", "FilterPolicyScope", "RedrivePolicy"];

impl Sam<'_, '_> {
    pub(super) fn topic(&self, event: &Event, invoked: &mut Invoked<'_>) {
        let topic = required(&event.properties, "Topic");
        let Some(queue) = event.given_property("SqsSubscription") else {
            let permission = event.permission(invoked.target, "sns.amazonaws.com", "").with("SourceArn", topic.clone());
            let subscription = subscription(event, "lambda", invoked.target.arn.clone(), topic);
            invoked.drafts.extend([permission, subscription]);
            return;
        };
        let (arn, url) = if let Some((arn, url)) = get(queue, "QueueArn").zip(get(queue, "QueueUrl")) {
            (arn.clone(), url.clone())
        } else {
            let queue = event.draft("Queue", "AWS::SQS::Queue").with("FifoQueue", self.fifo(&topic));
            let (arn, url) = (get_att(&queue.id, "Arn"), reference(&queue.id));
            invoked.drafts.push(queue);
            (arn, url)
        };
        let mut policy = event
            .draft("QueuePolicy", "AWS::SQS::QueuePolicy")
            .with("PolicyDocument", send_message(&topic, &arn))
            .with("Queues", Value::array(vec![url]));
        if let Some(id) = text(queue, "QueuePolicyLogicalId") {
            policy.id = id.clone();
        }
        let size = get(queue, "BatchSize").filter(|size| is_set(size)).cloned();
        let mapping = event
            .draft("EventSourceMapping", "AWS::Lambda::EventSourceMapping")
            .with("FunctionName", invoked.target.name.clone())
            .with("EventSourceArn", arn.clone())
            .with("BatchSize", size.unwrap_or_else(|| Value::from(10)))
            .with("Enabled", Value::from(true));
        invoked.role.attach(self.managed_policy("service-role/AWSLambdaSQSQueueExecutionRole"));
        invoked.drafts.extend([mapping, policy, subscription(event, "sqs", arn, topic)]);
    }

    /// Returns the property `FifoTopic` of a topic of the template, if it is set.
    fn fifo(&self, topic: &Value) -> Option<Value> {
        let body = self.declared(&target_of(topic)?)?;
        let fifo = self.resolved(get(get(body, "Properties")?, "FifoTopic")?);
        is_set(&fifo).then_some(fifo)
    }
}

fn subscription(event: &Event, protocol: &str, endpoint: Value, topic: Value) -> Draft {
    let mut draft = event
        .draft("", "AWS::SNS::Subscription")
        .with("Protocol", Value::from(protocol))
        .with("Endpoint", endpoint)
        .with("TopicArn", topic);
    draft.copy(&event.properties, &COPIED);
    draft
}

/// Returns the policy that lets a topic send to a queue.
pub(in crate::sam) fn send_message(topic: &Value, queue: &Value) -> Value {
    let source = object([("aws:SourceArn", topic.clone())]);
    let statement = object([
        ("Action", Value::from("sqs:SendMessage")),
        ("Effect", Value::from("Allow")),
        ("Principal", Value::from("*")),
        ("Resource", queue.clone()),
        ("Condition", object([("ArnEquals", source)])),
    ]);
    object([("Version", Value::from("2012-10-17")), ("Statement", Value::array(vec![statement]))])
}
