//! The suite `policy`: the effects of policies on resources.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::model::Limits;
use crate::policy::{
    Assignment, Definition, Enrollment, Exemption, InForce, Initiative, Judged, Outcome, Policies, Request, Standing,
    Surroundings, Verdict,
};
use crate::syntax::json;
use crate::text::Sources;
use crate::value::{Data, Kind, Member, Str, Unknown, Value};

/// Returns the answer to a case.
pub(super) fn answer(line: &str) -> Result<Json, String> {
    let sources = Sources::new();
    let file = sources.add("case.json", line);
    let parsed = json::parse(file, sources.get(file).text(), Limits::default().nesting);
    let case = parsed.value.ok_or("the case is not JSON")?;
    let case = with_unknowns(&case);
    let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
    let requests: Vec<Request> = items(&case, "resources").iter().map(request).collect();
    let policies = policies(&case);
    let judged = InForce::new(&policies).judge(&requests, &surroundings(&case));
    let verdicts: Vec<Json> = requests.iter().zip(&judged).map(|(request, judged)| shown(request, judged)).collect();
    Ok(json!({"id": id, "verdicts": verdicts}))
}

fn items<'a>(case: &'a Value, name: &str) -> &'a [Value] {
    case.get(name).and_then(Value::as_array).unwrap_or_default()
}

/// Replaces `{"$unknown": true}` with unknown values.
fn with_unknowns(value: &Value) -> Value {
    match &value.data {
        Data::Object(object) if object.get_exact("$unknown").is_some() => {
            let unknown = Unknown::new(Kind::Any, "the case says so");
            Value::unknown(Unknown { is_optional: true, ..unknown })
        }
        Data::Object(object) => {
            let member = |member: &Member| Member { value: with_unknowns(&member.value), ..member.clone() };
            Value { span: value.span, ..Value::object(object.iter().map(member).collect()) }
        }
        Data::Array(items) => Value { span: value.span, ..Value::array(items.iter().map(with_unknowns).collect()) },
        _ => value.clone(),
    }
}

fn request(resource: &Value) -> Request {
    let part = |name: &str| resource.get(name).cloned().unwrap_or(Value::NULL);
    let text = |name: &str| part(name).as_shared_str().cloned().unwrap_or_else(|| Str::from(""));
    Request {
        id: text("id"),
        type_name: text("type"),
        name: part("name"),
        api_version: part("apiVersion"),
        body: resource.clone(),
        ..Request::default()
    }
}

/// Reads the policy documents of a case. A definition without an assignment is assigned everywhere.
fn policies(case: &Value) -> Policies {
    let definition = case.get("definition").cloned().unwrap_or(Value::NULL);
    let mut policies = Policies::default();
    if let Some(initiative) = definition.get("initiative") {
        policies.definitions.extend(items(&definition, "definitions").iter().map(Definition::read).map(Arc::new));
        let initiative = Initiative { id: Str::from(ASSIGNED), ..Initiative::read(initiative) };
        policies.initiatives.push(Arc::new(initiative));
    } else {
        let definition = Definition { id: Str::from(ASSIGNED), ..Definition::read(&definition) };
        policies.definitions.push(Arc::new(definition));
    }
    let assignment = Assignment::read(case.get("assignment").unwrap_or(&Value::NULL));
    policies.assignments.push(Assignment { definition: Str::from(ASSIGNED), ..assignment });
    policies.exemptions.extend(items(case, "exemptions").iter().map(Exemption::read));
    policies.enrollments.extend(items(case, "enrollments").iter().map(Enrollment::read));
    policies
}

/// The ID of the assigned definition.
const ASSIGNED: &str = "/providers/Microsoft.Authorization/policyDefinitions/case";

fn surroundings(case: &Value) -> Surroundings {
    let context = case.get("context").cloned().unwrap_or(Value::NULL);
    let groups = context.get("managementGroups").and_then(Value::as_array);
    let texts = |groups: &[Value]| groups.iter().filter_map(Value::as_shared_str).cloned().collect();
    Surroundings {
        resource_group: context.get("resourceGroup").cloned(),
        subscription: context.get("subscription").cloned(),
        management_groups: groups.map(texts),
        now: case.get("now").and_then(Value::as_shared_str).cloned(),
    }
}

/// Returns the outcome of a definition by the name that the cases use.
fn name(verdict: &Verdict) -> &'static str {
    let is_certain = match verdict.standing {
        Standing::NotEnforced | Standing::Exempt | Standing::Excluded => return "none",
        Standing::Applies => true,
        Standing::Conditional => false,
    };
    match verdict.outcome {
        Outcome::None => "none",
        Outcome::Effect(effect) if is_certain => effect.as_str(),
        Outcome::Effect(_) | Outcome::Unknown => "unknown",
    }
}

/// Outcomes of policies, strongest first.
pub(in crate::cli) const STRENGTH: &[&str] =
    &["deny", "unknown", "modify", "append", "audit", "auditIfNotExists", "deployIfNotExists", "none"];

fn shown(request: &Request, judged: &Judged) -> Json {
    let names: Vec<&str> = judged.verdicts.iter().map(name).collect();
    let effect = STRENGTH.iter().find(|effect| names.contains(effect)).unwrap_or(&"none");
    let by: Map<String, Json> =
        judged.verdicts.iter().map(|verdict| ((*verdict.reference).to_owned(), Json::from(name(verdict)))).collect();
    let why = judged.verdicts.iter().find(|verdict| name(verdict) == *effect).map(|verdict| verdict.why.as_str());
    let paths = judged.verdicts.iter().flat_map(|verdict| &verdict.changes).map(|change| change.path.as_str());
    let parts = paths.map(|path| path.split('.').next().unwrap_or(path));
    let part = |name: &str| judged.after.get(name).and_then(|value| serde_json::from_str(&value.to_json()).ok());
    let after: Map<String, Json> = parts.map(|name| (name.to_owned(), part(name).unwrap_or_default())).collect();
    json!({
        "resource": request.name.as_str().unwrap_or(&request.id),
        "effect": effect,
        "by": by,
        "after": after,
        "why": why.unwrap_or_default(),
    })
}
