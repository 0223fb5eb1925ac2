//! Compares a resource with two API versions of its type.
//!
//! Both are taken literally: an error that both descriptions have is no difference, and one that only the new version has
//! cannot be excluded without deploying.

use foldhash::HashSet;

use crate::checks::{SCHEMA_MISSING_PROPERTY, SCHEMA_PATTERN, SCHEMA_READ_ONLY, SCHEMA_UNKNOWN_PROPERTY};
use crate::diagnostic::Check;
use crate::known::PathPart;
use crate::published::azure::own_name;
use crate::published::catalog::{DescribedType, azure, is_preview};
use crate::published::judge::judge_literally;
use crate::published::message;
use crate::published::misfit::{Misfit, MisfitKind, MisfitStep};
use crate::published::pack::Version;
use crate::published::paths::lacks;
use crate::published::tolerance::Cloud;
use crate::published::walk_from;
use crate::value::Value;
use crate::versions::{ApiVersion, BreakingChange, PathSpan, VersionChange, VersionedBody};

/// Members of a resource that Azure takes although its type does not list them.
const ALWAYS_TAKEN: &[&str] = &["location", "tags", "etag"];

/// Differences of one resource that are listed. A text may repeat one property many times.
const MAX_CHANGES: usize = 100;

/// Returns the API versions of a type whose bodies are described, oldest first. Empty if the type is not known.
pub fn api_versions(type_name: &str) -> Vec<ApiVersion> {
    let Some(found) = described(type_name) else { return Vec::new() };
    let described = found.kind.versions.iter().filter(|version| !version.bodies.is_empty());
    let names = described.map(|version| found.block.text(version.name));
    names.map(|name| ApiVersion { name, is_preview: is_preview(name) }).collect()
}

/// Compares a resource with two versions of its type. What does not fit the old version either is not a difference; if
/// the old version is not known, everything fits it. `None` if the new version is not known.
pub fn compare_versions(resource: &VersionedBody<'_>, from: &str, to: &str) -> Option<VersionChange> {
    let found = described(resource.type_name)?;
    let new = found.version(to).filter(|version| !version.bodies.is_empty())?;
    let old = found.version(from).filter(|version| !version.bodies.is_empty());
    let name = resource.body.and_then(own_name);
    let (misfits, unseen) = misfits(found, new, resource, name.as_ref());
    let before = old.map(|old| self::misfits(found, old, resource, name.as_ref()).0).unwrap_or_default();
    let wrong_before: HashSet<(&[MisfitStep<'_>], Check)> =
        before.iter().map(|misfit| (misfit.steps.as_slice(), misfit.kind.failed_check())).collect();
    let anything_before: HashSet<&[MisfitStep<'_>]> = before.iter().map(|misfit| misfit.steps.as_slice()).collect();
    let mut change = VersionChange::default();
    for misfit in misfits.iter().filter(|misfit| !is_taken(misfit)) {
        let check = misfit.kind.failed_check();
        if check == SCHEMA_READ_ONLY {
            if !anything_before.contains(misfit.steps.as_slice()) {
                change.ignored.push(path_span(resource, misfit));
            }
        } else if check != SCHEMA_PATTERN
            && !matches!(misfit.kind, MisfitKind::Misspelled { .. })
            && !wrong_before.contains(&(misfit.steps.as_slice(), check))
        {
            let at = path_span(resource, misfit);
            let message = difference(misfit, &at.path, found.block.text(found.kind.name));
            change.breaking.push(BreakingChange { check, at, message });
        }
    }
    for read in resource.reads {
        let parts: Vec<PathPart<'_>> = read.names.iter().map(|name| PathPart::Name(name)).collect();
        if lacks(found, new, &parts) && !old.is_some_and(|old| lacks(found, old, &parts)) {
            let at = PathSpan { path: read.path(), span: read.span };
            let message = format!("has no `{}`, which an expression reads", at.path);
            change.breaking.push(BreakingChange { check: SCHEMA_UNKNOWN_PROPERTY, at, message });
        }
    }
    change.unseen.extend(unseen.iter().take(MAX_CHANGES).map(|steps| place_of(resource, steps, &[], false)));
    change.breaking.truncate(MAX_CHANGES);
    change.ignored.truncate(MAX_CHANGES);
    Some(change)
}

fn described(type_name: &str) -> Option<DescribedType> {
    let (provider, _) = type_name.split_once('/')?;
    DescribedType::new(azure()?.provider(provider)?, type_name)
}

/// Misfits of a body, and the paths of its unknown values.
type CloseLook<'a> = (Vec<Misfit<'a>>, Vec<Vec<MisfitStep<'a>>>);

/// Returns the misfits of a resource in a version, and its unknown values. If a version has several bodies, the one
/// with the fewest misfits counts.
fn misfits<'a>(
    found: DescribedType,
    version: &'static Version,
    resource: &VersionedBody<'a>,
    name: Option<&'a Value>,
) -> CloseLook<'a> {
    let Some(body) = resource.body.and_then(Value::as_object) else { return CloseLook::default() };
    let of_types = version.bodies.iter().map(|id| judge_literally(found.block, *id, body, name));
    of_types.min_by_key(|(misfits, _)| misfits.len()).unwrap_or_default()
}

/// True if Azure takes the member at the top of a resource although its type does not list it, or lists it as read-only.
fn is_taken(misfit: &Misfit<'_>) -> bool {
    let is_at_top = |names: &[&str]| match misfit.steps.as_slice() {
        [MisfitStep::Member(name)] => names.iter().any(|taken| taken.eq_ignore_ascii_case(name)),
        _ => false,
    };
    matches!(misfit.kind, MisfitKind::UnknownProperty { .. } | MisfitKind::ReadOnly) && is_at_top(ALWAYS_TAKEN)
}

fn path_span(resource: &VersionedBody<'_>, misfit: &Misfit<'_>) -> PathSpan {
    let is_name = matches!(misfit.kind, MisfitKind::UnknownProperty { .. } | MisfitKind::ReadOnly);
    place_of(resource, &misfit.steps, &misfit.chosen, is_name)
}

/// Returns the path of a value and its text, or that of its name with `is_name`.
fn place_of<'a>(
    resource: &VersionedBody<'a>,
    steps: &[MisfitStep<'_>],
    chosen: &[(usize, &'a Value)],
    is_name: bool,
) -> PathSpan {
    let walk = walk_from("", resource.body.unwrap_or(&Value::NULL), resource.span, steps, chosen);
    let span = if is_name { walk.name_span() } else { walk.span() };
    PathSpan { path: walk.path().to_owned(), span }
}

/// Describes what the new version refuses. The words follow the name of the version.
fn difference(misfit: &Misfit<'_>, path: &str, type_name: &str) -> String {
    match misfit.kind {
        MisfitKind::UnknownProperty { .. } => format!("has no `{path}`"),
        MisfitKind::MissingProperty => format!("requires `{path}`"),
        _ if misfit.kind.failed_check() == SCHEMA_MISSING_PROPERTY => {
            format!("requires more: {}", message::message(misfit, type_name, Cloud::Azure))
        }
        _ => format!("refuses `{path}`: {}", message::message(misfit, type_name, Cloud::Azure)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;
    use crate::versions::ReadPath;

    /// The differences of a body between two versions: what is breaking, what is ignored, and what is not known.
    fn change(type_name: &str, from: &str, to: &str, body: &str, reads: &[&str]) -> (Vec<String>, Vec<String>) {
        let sources = Sources::new();
        let file = sources.add("body.json", body);
        let body = formwork_syntax::json::parse(file, sources.get(file).text(), 100).value.unwrap();
        let span = body.span.unwrap();
        let read = |path: &&str| ReadPath { names: path.split('.').map(str::to_owned).collect(), span };
        let reads: Vec<ReadPath> = reads.iter().map(read).collect();
        let resource = VersionedBody { type_name, body: Some(&body), span, reads: &reads };
        let change = compare_versions(&resource, from, to).unwrap();
        let breaking = change.breaking.iter().map(|one| format!("{} {}", one.check.id(), one.message)).collect();
        (breaking, change.ignored.into_iter().map(|at| at.path).collect())
    }

    #[track_caller]
    fn check(case: (&str, &str, &str, &str), breaking: &[&str], ignored: &[&str]) {
        let (type_name, from, to, body) = case;
        let (found, read_only) = change(type_name, from, to, body, &[]);
        assert_eq!((found, read_only), (strings(breaking), strings(ignored)));
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    const COSMOS: &str = "Microsoft.DocumentDB/databaseAccounts";

    #[test]
    fn what_the_new_version_refuses_is_breaking() {
        let body = r#"{"location": "x", "properties": {"databaseAccountOfferType": "Standard", "locations": [], "ipRangeFilter": "y"}}"#;
        check(
            (COSMOS, "2020-03-01", "2026-03-15", body),
            &["schema/unknown-property has no `properties.ipRangeFilter`"],
            &[],
        );
        // What does not fit the old version either is no difference.
        check((COSMOS, "2020-03-01", "2026-03-15", &body.replace("ipRangeFilter", "other")), &[], &[]);
        check(
            (COSMOS, "1999-01-01", "2026-03-15", &body.replace("ipRangeFilter", "other")),
            &["schema/unknown-property has no `properties.other`"],
            &[],
        );
    }

    #[test]
    fn discriminators_and_closed_properties_are_compared() {
        let database = (
            "Microsoft.Kusto/clusters/databases",
            "2019-05-15",
            "2025-02-14",
            r#"{"location": "x", "properties": {}}"#,
        );
        check(database, &["schema/missing-property requires `kind`"], &[]);
        let advisor = r#"{"properties": {"autoExecuteValue": "Enabled"}}"#;
        check(("Microsoft.Sql/servers/databases/advisors", "2014-04-01", "2025-01-01", advisor), &[], &["properties"]);
    }

    #[test]
    fn what_every_resource_may_have_is_taken() {
        let body = r#"{"location": "x", "tags": {}, "etag": "y"}"#;
        check(("Microsoft.Authorization/locks", "2016-09-01", "2020-05-01", body), &[], &[]);
    }

    #[test]
    fn a_property_that_is_read_has_to_stay() {
        let body = r#"{"location": "x", "properties": {"databaseAccountOfferType": "Standard", "locations": []}}"#;
        let (breaking, _) =
            change(COSMOS, "2020-03-01", "2026-03-15", body, &["properties.ipRangeFilter", "properties.none"]);
        let expected = "schema/unknown-property has no `properties.ipRangeFilter`, which an expression reads";
        assert_eq!(breaking, [expected]);
        assert!(change(COSMOS, "2020-03-01", "2026-03-15", body, &["properties.documentEndpoint"]).0.is_empty());
    }

    #[test]
    fn versions_are_in_order() {
        let versions = api_versions("microsoft.storage/STORAGEACCOUNTS");
        assert!(versions.len() > 10 && versions.is_sorted_by_key(ApiVersion::day));
        let preview = ApiVersion { name: "2020-01-01-preview", is_preview: true };
        let stable = ApiVersion { name: "2020-01-01", is_preview: false };
        assert!(stable.is_later_than("2020-01-01-preview") && !preview.is_later_than("2020-01-01"));
        assert!(api_versions("Contoso.Own/things").is_empty());
    }
}
