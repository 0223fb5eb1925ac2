//! The suite `drift`: how an export differs from a template.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::arm;
use crate::drift::{ChangeSide, Comparison, Drift, DriftOptions, DriftOutcome, Export};
use crate::model::{Assumptions, Budget, Limits, Offline};
use crate::syntax::json as json_syntax;
use crate::text::Sources;
use crate::value::{JsonStyle, Member, Value};

/// Returns the answer to a case.
pub(super) fn answer(line: &str) -> Result<Json, String> {
    let sources = Sources::new();
    let file = sources.add("case.json", line);
    let limits = Limits::default();
    let parsed = json_syntax::parse(file, sources.get(file).text(), limits.nesting);
    let case = parsed.value.ok_or("the case is not JSON")?;
    let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
    let template = case.get("template").ok_or("the case has no template")?;
    let expansion = arm::expand(&arm::Request {
        file,
        template,
        parameters: None,
        overrides: &[],
        context: &arm::Context::new(&assumptions(&case)),
        budget: &Budget::new(&limits),
        states: false,
        explores: false,
        has_unknowns: false,
        loader: &Offline,
    });
    let document = expansion.document.ok_or("the template has no resources")?;
    let mut export = Export::default();
    export.add(case.get("export").ok_or("the case has no export")?).map_err(|fault| format!("{fault:?}"))?;
    let mut comparison = Comparison::new(&export, DriftOptions::default());
    comparison.add(&document, |span| span);
    let drift = comparison.finish();
    let changes = drift.resources.iter().flat_map(|resource| &resource.changes);
    let changes: Vec<Json> = changes
        .map(|change| json!({"path": change.path, "template": side(&change.template), "live": side(&change.live)}))
        .collect();
    let unseen: BTreeSet<&String> = drift.resources.iter().flat_map(|resource| &resource.unseen).collect();
    let ids = |outcome| ids(&drift, outcome);
    let (missing, unmanaged) = (ids(DriftOutcome::Missing), ids(DriftOutcome::Unmanaged));
    Ok(json!({"id": id, "drift": changes, "unseen": unseen, "missing": missing, "unmanaged": unmanaged}))
}

/// Returns the settings that name the subscription and the resource group of a case.
fn assumptions(case: &Value) -> Assumptions {
    let part = |name: &str| case.get("scope").and_then(|scope| scope.get(name)).cloned().unwrap_or(Value::NULL);
    let subscription = Value::object(vec![Member::new("subscriptionId", part("subscription"))]);
    let settings = vec![
        Member::new("AZURE_SUBSCRIPTION", subscription),
        Member::new("AZURE_RESOURCE_GROUP", part("resourceGroup")),
    ];
    Assumptions::from_config(&Value::object(settings))
}

fn ids(drift: &Drift, outcome: DriftOutcome) -> Vec<&str> {
    let resources = drift.resources.iter().filter(|resource| resource.outcome == outcome);
    resources.map(|resource| resource.id.as_str()).collect()
}

fn side(side: &ChangeSide) -> Json {
    match side {
        ChangeSide::Absent => Json::Null,
        ChangeSide::Present => json!("present"),
        ChangeSide::Value(value) => {
            serde_json::from_str(&value.to_json_as(JsonStyle::COMPACT.with_secrets())).unwrap_or(Json::Null)
        }
    }
}
