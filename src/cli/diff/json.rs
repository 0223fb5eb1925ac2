//! The difference for programs, `formwork/diff/v1`. Its shape is a contract: fields are added, never renamed.

use serde_json::{Map, Value as Json, json};

use crate::cli::diff::pairs::{Comparison, Names, Pair, Status};
use crate::cli::diff::shown::{Parent, Place, Surroundings, object};
use crate::cli::diff::sides::{Side, Sides};
use crate::diagnostic::Severity;
use crate::diff::{Cause, Change, Fate, Outcome, ResourceChange, Risk};

/// The name and the version of the format.
const SCHEMA: &str = "formwork/diff/v1";

/// The complete output. Deployments that are the same on both sides are only counted.
pub(super) fn document(comparison: &Comparison, sides: &Sides) -> Json {
    let same: usize = comparison.pairs.iter().map(|pair| pair.difference.same).sum();
    let statuses = [Status::New, Status::Changed, Status::Removed, Status::Same, Status::Unreadable];
    let deployments: Map<String, Json> =
        statuses.into_iter().map(|status| (status.as_str().to_owned(), json!(comparison.count(status)))).collect();
    let outcomes = Outcome::ALL.into_iter();
    let mut resources: Map<String, Json> =
        outcomes.map(|outcome| (outcome.as_str().to_owned(), json!(comparison.resources(outcome)))).collect();
    resources.insert("same".to_owned(), json!(same));
    let differing = comparison.pairs.iter().filter(|pair| pair.status != Status::Same);
    json!({
        "schema": SCHEMA,
        "tool": {"name": "formwork", "version": env!("CARGO_PKG_VERSION")},
        "old": side(&sides.old),
        "new": side(&sides.new),
        "summary": {"deployments": deployments, "resources": resources, "risks": risks(comparison), "untouched": comparison.untouched},
        "deployments": differing.map(deployment).collect::<Vec<_>>(),
    })
}

/// How many risks of each severity there are.
fn risks(comparison: &Comparison) -> Json {
    let counted = |severity: Severity| (severity.as_str().to_owned(), json!(comparison.risks(severity)));
    Json::Object([Severity::High, Severity::Medium, Severity::Low].into_iter().map(counted).collect())
}

fn side(side: &Side) -> Json {
    let mut about = Map::from_iter([("name".to_owned(), json!(side.name))]);
    about.extend(side.commit.as_ref().map(|commit| ("commit".to_owned(), json!(commit))));
    Json::Object(about)
}

fn deployment(pair: &Pair) -> Json {
    let difference = &pair.difference;
    let mut about = Map::new();
    put_names(&mut about, ["template", "parameters"], Some(&pair.names));
    put_names(&mut about, ["oldTemplate", "oldParameters"], pair.old_names.as_ref());
    about.insert("status".to_owned(), json!(pair.status.as_str()));
    about.insert("same".to_owned(), json!(difference.same));
    let causes = pair.causes().map(|(made, place)| cause(made, place)).collect();
    about.insert("causes".to_owned(), Json::Array(causes));
    let resources = pair.resources().map(|(changed, around)| resource(changed, around)).collect();
    about.insert("resources".to_owned(), Json::Array(resources));
    let more: Map<String, Json> = Outcome::ALL
        .into_iter()
        .map(|outcome| (outcome.as_str().to_owned(), json!(difference.unlisted(outcome))))
        .filter(|(_, count)| *count != 0)
        .collect();
    if !more.is_empty() {
        about.insert("moreResources".to_owned(), Json::Object(more));
    }
    Json::Object(about)
}

fn put_names(about: &mut Map<String, Json>, keys: [&str; 2], names: Option<&Names>) {
    let [template, parameters] = keys;
    let Some((name, file)) = names else { return };
    about.insert(template.to_owned(), json!(name));
    about.extend(file.as_ref().map(|file| (parameters.to_owned(), json!(file))));
}

fn cause(cause: &Cause, place: Option<&Place>) -> Json {
    let mut about = Map::from_iter([("parameter".to_owned(), json!(cause.parameter))]);
    let values = [("old", &cause.old), ("new", &cause.new)].into_iter();
    about.extend(values.filter_map(|(key, value)| Some((key.to_owned(), object(value.as_ref()?, cause.is_secret)))));
    if let Some(place) = place {
        about.extend([("file".to_owned(), json!(place.file)), ("line".to_owned(), json!(place.line))]);
    }
    Json::Object(about)
}

fn resource(resource: &ResourceChange, around: &Surroundings) -> Json {
    let mut about = Map::new();
    about.insert("outcome".to_owned(), json!(resource.outcome.as_str()));
    about.insert("type".to_owned(), json!(resource.type_name));
    if let Some(seen) = resource.seen() {
        about.insert("name".to_owned(), json!(seen.name));
        about.insert("id".to_owned(), json!(seen.id));
        if seen.is_approximate {
            about.insert("nameIsApproximate".to_owned(), json!(true));
        }
    }
    if !around.parents.is_empty() {
        about.insert("parents".to_owned(), around.parents.iter().map(parent).collect());
    }
    about.insert("inOld".to_owned(), json!(resource.old.is_some()));
    about.insert("inNew".to_owned(), json!(resource.new.is_some()));
    for (key, seen) in [("oldMaybe", &resource.old), ("newMaybe", &resource.new)] {
        let why = seen.as_ref().and_then(|seen| seen.maybe.as_ref());
        about.extend(why.map(|why| (key.to_owned(), json!(&*why.why))));
    }
    let other = if resource.new.is_some() { "oldName" } else { "newName" };
    about.extend(resource.renamed.as_ref().map(|name| (other.to_owned(), json!(name))));
    about.extend(resource.fate.map(|fate| ("fate".to_owned(), json!(fate_name(fate)))));
    if let Some(place) = &around.place {
        about.extend([("file".to_owned(), json!(place.file)), ("line".to_owned(), json!(place.line))]);
    }
    if !resource.risks.is_empty() {
        about.insert("risks".to_owned(), resource.risks.iter().map(risk).collect());
    }
    let changes = resource.changes.list.iter().map(change).collect();
    about.insert("changes".to_owned(), Json::Array(changes));
    if resource.changes.more > 0 {
        about.insert("moreChanges".to_owned(), json!(resource.changes.more));
    }
    Json::Object(about)
}

fn parent(parent: &Parent) -> Json {
    json!({"type": parent.type_name, "name": parent.name})
}

fn risk(risk: &Risk) -> Json {
    let mut about = Map::from_iter([
        ("severity".to_owned(), json!(risk.severity.as_str())),
        ("kind".to_owned(), json!(risk.kind.as_str())),
        ("message".to_owned(), json!(risk.message)),
    ]);
    about.extend(risk.path.as_ref().map(|path| ("path".to_owned(), json!(path))));
    about.insert("source".to_owned(), json!(risk.source));
    Json::Object(about)
}

const fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Untouched => "untouched",
        Fate::Deleted => "deleted",
        Fate::Snapshot => "snapshot",
        Fate::Kept => "kept",
    }
}

fn change(change: &Change) -> Json {
    let mut about = Map::from_iter([("path".to_owned(), json!(change.path))]);
    about.extend(change.old_path.as_ref().map(|path| ("oldPath".to_owned(), json!(path))));
    let values = [("old", &change.old), ("new", &change.new)].into_iter();
    about.extend(values.filter_map(|(key, value)| Some((key.to_owned(), object(value.as_ref()?, change.is_secret)))));
    about.extend(change.cause.map(|cause| ("cause".to_owned(), json!(cause))));
    Json::Object(about)
}
