//! Events of resources of the same template that are changed for them: buckets and user pools.

use foldhash::{HashMap, HashSet};

use crate::sam::Sam;
use crate::sam::build::{Fields, conditional, get, get_att, items, located, object, reference, tag_list};
use crate::sam::events::{Event, Invoked};
use crate::sam::intrinsics::ref_of;
use crate::value::{Str, Value};

/// Additions of events to the buckets and user pools of a template.
#[derive(Debug, Default)]
pub(in crate::sam) struct Linked {
    buckets: HashMap<Str, Bucket>,
    pools: HashMap<Str, Fields>,
}

/// Additions of events to a bucket.
#[derive(Debug, Default)]
struct Bucket {
    depends_on: Vec<Value>,
    tags: Vec<Value>,
    /// The tags that the last function propagates, which replace all others.
    propagated: Option<Value>,
    notifications: Vec<Value>,
    /// The JSON of the notifications, so that none is there twice.
    known: HashSet<String>,
}

impl Sam<'_, '_> {
    pub(super) fn bucket(&mut self, event: &Event, invoked: &mut Invoked<'_>) {
        let permission =
            event.permission(invoked.target, "s3.amazonaws.com", "").with("SourceAccount", reference("AWS::AccountId"));
        let Some(id) = event.get("Bucket").and_then(ref_of).filter(|id| self.output.written(id).is_some()).cloned()
        else {
            let message = "the bucket is not a resource of this template, so its notifications are not checked";
            self.note(event.get("Bucket").and_then(|bucket| bucket.span).or(event.origin.key_span), message);
            invoked.drafts.push(permission);
            return;
        };
        let bucket = self.linked.buckets.entry(id).or_default();
        let tags =
            invoked.source.given_property("Tags").filter(|_| invoked.source.given_property("PropagateTags").is_some());
        bucket.propagated = tags.cloned().or_else(|| bucket.propagated.take());
        let condition = event.origin.condition();
        match condition {
            Some(condition) => {
                let parts =
                    vec![Value::from(condition.clone()), reference(&permission.id), Value::from("no dependency")];
                let key = Value::from(format!("sam:ConditionalDependsOn:{}", permission.id));
                let value = object([("Fn::If", Value::array(parts))]);
                bucket.tags.push(object([("Key", key), ("Value", value)]));
            }
            None => bucket.depends_on.push(Value::from(permission.id.clone())),
        }
        for kind in event.get("Events").map(items).unwrap_or_default() {
            let mut fields = Fields::default();
            fields.set("Function", invoked.target.arn.clone());
            fields.set_some("Filter", event.get("Filter").cloned());
            fields.set("Event", kind.clone());
            let notification = fields.into_value();
            let notification = match condition {
                Some(condition) => conditional(condition, notification, None),
                None => notification,
            };
            if bucket.known.insert(notification.to_json()) {
                let notification = located(notification, event.origin.key_span);
                bucket.notifications.push(notification);
            }
        }
        invoked.drafts.push(permission);
    }

    pub(super) fn user_pool(&mut self, event: &Event, invoked: &mut Invoked<'_>) {
        let written = event.get("UserPool");
        let Some(id) = written.and_then(ref_of).filter(|id| self.output.written(id).is_some()).cloned() else {
            let message = "the user pool is not a resource of this template, so its triggers are not checked";
            return self.note(written.and_then(|pool| pool.span).or(event.origin.key_span), message);
        };
        let mut permission =
            event.permission(invoked.target, "cognito-idp.amazonaws.com", "").with("SourceArn", get_att(&id, "Arn"));
        permission.id = Str::from(format!("{}CognitoPermission", invoked.target.id(invoked.source)));
        invoked.drafts.push(permission);
        let pool = self.linked.pools.entry(id).or_default();
        for trigger in event.get("Trigger").map(items).unwrap_or_default().iter().filter_map(Value::as_shared_str) {
            pool.set(trigger.clone(), Value { span: event.origin.key_span, ..invoked.target.arn.clone() });
        }
    }

    /// Changes the buckets and user pools to which events are linked.
    pub(in crate::sam) fn link(&mut self) {
        let Linked { buckets, pools } = std::mem::take(&mut self.linked);
        for (id, bucket) in buckets {
            let Some(body) = self.output.written(&id).cloned() else { continue };
            self.output.rewrite(&id, bucket.applied(&body));
        }
        for (id, triggers) in pools {
            let Some(body) = self.output.written(&id).cloned() else { continue };
            let changed = changed(&body, "LambdaConfig", |config| {
                let mut fields = config.map(Fields::from_value).unwrap_or_default();
                triggers.iter().for_each(|member| fields.put(member.clone()));
                fields.into_value()
            });
            self.output.rewrite(&id, changed);
        }
    }
}

impl Bucket {
    /// Returns the body of the bucket with the notifications and what they need.
    fn applied(self, body: &Value) -> Value {
        let Self { depends_on, tags, propagated, notifications, .. } = self;
        let mut body = changed(body, "NotificationConfiguration", |config| {
            let mut fields = config.map(Fields::from_value).unwrap_or_default();
            let known = fields.get("LambdaConfigurations").and_then(Value::as_array).unwrap_or_default();
            let written: HashSet<String> = known.iter().map(Value::to_json).collect();
            let added = notifications.iter().filter(|added| !written.contains(&added.to_json()));
            let all = known.iter().chain(added).cloned().collect();
            fields.set("LambdaConfigurations", Value::array(all));
            fields.into_value()
        });
        if !tags.is_empty() {
            body = changed(&body, "Tags", |known| {
                let known = known.and_then(Value::as_array).unwrap_or_default();
                Value::array(known.iter().chain(&tags).cloned().collect())
            });
        }
        if let Some(tags) = propagated {
            body = changed(&body, "Tags", |_| Value::array(tag_list(Some(&tags))));
        }
        if depends_on.is_empty() {
            return body;
        }
        let mut fields = Fields::from_value(&body);
        let known = fields.get("DependsOn").map(items).unwrap_or_default();
        let all = known.iter().chain(&depends_on).cloned().collect();
        fields.set("DependsOn", Value { span: body.span, ..Value::array(all) });
        Value { span: body.span, ..fields.into_value() }
    }
}

/// Returns the body of a resource with a property that is computed from its former value.
fn changed(body: &Value, name: &str, change: impl FnOnce(Option<&Value>) -> Value) -> Value {
    let properties = get(body, "Properties");
    let known = properties.and_then(|properties| get(properties, name));
    let span = known.and_then(|known| known.span).or_else(|| properties?.span).or(body.span);
    let value = located(Value { span: None, ..change(known) }, span);
    let mut fields = properties.map(Fields::from_value).unwrap_or_default();
    fields.set(name, value);
    let span = properties.and_then(|properties| properties.span).or(body.span);
    let mut whole = Fields::from_value(body);
    whole.set("Properties", Value { span, ..fields.into_value() });
    Value { span: body.span, ..whole.into_value() }
}
