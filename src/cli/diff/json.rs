//! The difference for programs, `formwork/diff/v1`. Its shape is a contract: fields are added, never renamed.

use serde_json::{Map, Value as Json, json};

use crate::cli::diff::pairs::{Comparison, Names, Pair, Status};
use crate::cli::diff::shown::{object, place_of, place_of_cause};
use crate::cli::diff::sides::{Side, Sides};
use crate::diagnostic::Severity;
use crate::diff::{Cause, Change, Fate, Outcome, ResourceChange, Risk};

/// The name and the version of the format.
const SCHEMA: &str = "formwork/diff/v1";

/// The complete output. Deployments that are the same on both sides are only counted.
pub(super) fn document(comparison: &Comparison<'_>, sides: &Sides) -> Json {
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
        "deployments": differing.map(|pair| deployment(pair, sides)).collect::<Vec<_>>(),
    })
}

/// How many risks of each severity there are.
fn risks(comparison: &Comparison<'_>) -> Json {
    let counted = |severity: Severity| (severity.as_str().to_owned(), json!(comparison.risks(severity)));
    Json::Object([Severity::High, Severity::Medium, Severity::Low].into_iter().map(counted).collect())
}

fn side(side: &Side) -> Json {
    let mut about = Map::from_iter([("name".to_owned(), json!(side.name))]);
    about.extend(side.commit.as_ref().map(|commit| ("commit".to_owned(), json!(commit))));
    Json::Object(about)
}

fn deployment(pair: &Pair<'_>, sides: &Sides) -> Json {
    let difference = &pair.difference;
    let mut about = Map::new();
    put_names(&mut about, ["template", "parameters"], Some(&pair.names));
    put_names(&mut about, ["oldTemplate", "oldParameters"], pair.old_names.as_ref());
    about.insert("status".to_owned(), json!(pair.status.as_str()));
    about.insert("same".to_owned(), json!(difference.same));
    let causes = difference.causes.iter().map(|made| cause(made, pair, sides)).collect();
    about.insert("causes".to_owned(), Json::Array(causes));
    let resources = difference.resources.iter().map(|changed| resource(changed, pair, sides)).collect();
    about.insert("resources".to_owned(), Json::Array(resources));
    Json::Object(about)
}

fn put_names(about: &mut Map<String, Json>, keys: [&str; 2], names: Option<&Names>) {
    let [template, parameters] = keys;
    let Some((name, file)) = names else { return };
    about.insert(template.to_owned(), json!(name));
    about.extend(file.as_ref().map(|file| (parameters.to_owned(), json!(file))));
}

fn cause(cause: &Cause, pair: &Pair<'_>, sides: &Sides) -> Json {
    let mut about = Map::from_iter([("parameter".to_owned(), json!(cause.parameter))]);
    let values = [("old", &cause.old), ("new", &cause.new)].into_iter();
    about.extend(values.filter_map(|(key, value)| Some((key.to_owned(), object(value.as_ref()?, cause.is_secret)))));
    if let Some(place) = place_of_cause(cause, pair, sides) {
        about.extend([("file".to_owned(), json!(place.file)), ("line".to_owned(), json!(place.line))]);
    }
    Json::Object(about)
}

fn resource(resource: &ResourceChange, pair: &Pair<'_>, sides: &Sides) -> Json {
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
    let parents = parents(resource, pair);
    if !parents.is_empty() {
        about.insert("parents".to_owned(), Json::Array(parents));
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
    if let Some(place) = place_of(resource, pair, sides) {
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

/// How many resources are listed that one is in.
const MAX_DEPTH: usize = 40;

/// What a resource is in, from the outside, on the side that it is shown of.
fn parents(resource: &ResourceChange, pair: &Pair<'_>) -> Vec<Json> {
    let (seen, deployed) = match (&resource.new, &resource.old) {
        (Some(seen), _) => (Some(seen), pair.new),
        (None, seen) => (seen.as_ref(), pair.old),
    };
    let Some((seen, document)) = seen.zip(deployed.and_then(|deployed| deployed.document.as_ref())) else {
        return Vec::new();
    };
    let around = std::iter::successors(document.around(seen.at), |id| document.around(*id));
    let shown = |id| {
        let parent = document.resource(id);
        let masked = |text: &str| document.hidden.masked(text).into_owned();
        json!({"type": masked(&parent.type_name), "name": masked(&parent.name)})
    };
    let mut parents: Vec<Json> = around.map(shown).collect();
    parents.reverse();
    parents.truncate(MAX_DEPTH);
    parents
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
