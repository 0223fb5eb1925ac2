//! Usage plans of REST APIs, with their API keys.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-api-apiusageplan.html>.

use crate::sam::build::{Draft, Origin, object, reference, text};
use crate::sam::{Sam, Source, tag};
use crate::value::{Str, Value};

/// The condition of a plan that several APIs share, if all have one.
const CONDITION: &str = "SharedUsagePlanCondition";

/// The prefix of the names of a plan that several APIs share.
const SHARED: &str = "Serverless";

/// Properties of the plan that are those in the template.
const COPIED: [&str; 5] = ["UsagePlanName", "Description", "Quota", "Tags", "Throttle"];

/// Usage plan that several APIs share.
#[derive(Debug, Default)]
pub(in crate::sam) struct SharedPlan {
    stages: Vec<Value>,
    keys: Vec<Value>,
    apis: Vec<Value>,
    conditions: Vec<Str>,
    is_unconditional: bool,
    /// Settings of the plan in the last of the APIs, and their origin.
    plan: Option<(Value, Origin)>,
    /// The tags that the last of them propagates.
    tags: Option<Value>,
}

/// The names of a plan, its key, and what connects them.
struct Names {
    plan: String,
    key: String,
    connection: String,
}

impl Names {
    fn with_prefix(prefix: &str) -> Self {
        let name = |suffix: &str| format!("{prefix}{suffix}");
        Self { plan: name("UsagePlan"), key: name("ApiKey"), connection: name("UsagePlanKey") }
    }
}

impl Sam<'_, '_> {
    /// Returns the plan, the key and their connection that `UsagePlan` of an API asks for.
    pub(super) fn usage_plan(&mut self, source: &Source, plan: Option<&Value>, stage: &Str) -> Vec<Draft> {
        let Some((plan, kind)) = plan.and_then(|plan| Some((plan, text(plan, "CreateUsagePlan")?))) else {
            return Vec::new();
        };
        let used = object([("ApiId", reference(&source.id)), ("Stage", reference(stage))]);
        let key = object([("RestApiId", reference(&source.id)), ("StageName", reference(stage))]);
        let api = Value::from(source.id.clone());
        let mut origin = source.origin.clone();
        match &**kind {
            "PER_API" => {
                let names = Names::with_prefix(&source.id);
                self.refer_to_plan(source, &names);
                drafts(plan, &origin, &names, [vec![used], vec![key], vec![api]])
            }
            "SHARED" => {
                let names = Names::with_prefix(SHARED);
                self.share_plan(&mut origin);
                let shared = &mut self.shared_plan;
                shared.stages.push(used);
                shared.keys.push(key);
                shared.apis.push(api);
                shared.plan = Some((plan.clone(), origin));
                shared.tags =
                    source.given_property("Tags").filter(|_| source.given_property("PropagateTags").is_some()).cloned();
                self.refer_to_plan(source, &names);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn refer_to_plan(&mut self, source: &Source, names: &Names) {
        let all = [("UsagePlan", &names.plan), ("ApiKey", &names.key), ("UsagePlanKey", &names.connection)];
        for (property, id) in all {
            self.output.references.add(&source.id, property, &Str::from(id.as_str()));
        }
    }

    /// Adds the plan that several APIs share.
    pub(in crate::sam) fn finish_shared_plan(&mut self) {
        let SharedPlan { stages, keys, apis, plan, tags, .. } = std::mem::take(&mut self.shared_plan);
        let Some((plan, origin)) = plan else { return };
        let slot = self.output.last();
        for mut draft in drafts(&plan, &origin, &Names::with_prefix(SHARED), [stages, keys, apis]) {
            if let Some(tags) = &tags {
                tag(&mut draft, tags);
            }
            self.output.add(slot, draft);
        }
    }

    /// Gives a shared plan the condition that any of its APIs exists.
    fn share_plan(&mut self, origin: &mut Origin) {
        match origin.condition().cloned() {
            Some(condition) if self.shared_plan.conditions.contains(&condition) => {}
            Some(condition) => self.shared_plan.conditions.push(condition),
            None => self.shared_plan.is_unconditional = true,
        }
        origin.attributes.remove("Condition");
        if self.shared_plan.is_unconditional {
            return;
        }
        let conditions = self.shared_plan.conditions.clone();
        match conditions.as_slice() {
            [only] => {
                self.output.conditions.set(CONDITION, object([("Condition", Value::from(only.clone()))]));
            }
            all => self.any_of(CONDITION, all),
        }
        origin.attributes.set("Condition", Value::from(CONDITION));
    }
}

fn drafts(plan: &Value, origin: &Origin, names: &Names, [stages, keys, apis]: [Vec<Value>; 3]) -> Vec<Draft> {
    let after = |draft: &mut Draft, names: Vec<Value>| draft.attributes.set("DependsOn", Value::array(names));
    let mut usage =
        Draft::new(names.plan.as_str(), "AWS::ApiGateway::UsagePlan", origin).with("ApiStages", Value::array(stages));
    usage.copy(plan, &COPIED);
    after(&mut usage, apis);
    let mut key = Draft::new(names.key.as_str(), "AWS::ApiGateway::ApiKey", origin)
        .with("Enabled", Value::from(true))
        .with("StageKeys", Value::array(keys));
    after(&mut key, vec![Value::from(names.plan.as_str())]);
    let mut connection = Draft::new(names.connection.as_str(), "AWS::ApiGateway::UsagePlanKey", origin)
        .with("KeyId", reference(&names.key))
        .with("KeyType", Value::from("API_KEY"))
        .with("UsagePlanId", reference(&names.plan));
    after(&mut connection, vec![Value::from(names.key.as_str())]);
    vec![usage, key, connection]
}
