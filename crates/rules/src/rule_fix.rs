//! Fixes that rules declare: changes of the text that make a failed verdict pass.
//!
//! A fix sets a property. It is written where the verdict failed because of this property, and only if the author wrote
//! the value, or omitted it, in the resource itself: a value from a parameter or a variable may be used elsewhere, too.
//! Missing objects on the path are added.

use crate::lookup::{Owner, Path, PathStep, Position, Target, locate, walk_along, walk_from};
use crate::model::{Document, FixSite, ResourceId, ValueFix};
use crate::schema::{PathPart, takes};
use crate::value::{Data, Member, Str, Value};

/// A property and its expected value, as a rule declares them.
#[derive(Clone, Debug)]
pub(crate) struct RuleFix {
    /// Path from the resource.
    pub(crate) path: Path,
    pub(crate) value: Value,
    /// True if the fix may break a working deployment.
    pub(crate) is_unsafe: bool,
}

/// A value that made a verdict fail.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Path in the template.
    pub(crate) path: String,
    /// True if the verdict may pass without a change of this value.
    pub(crate) is_alternative: bool,
}

/// Returns the changes of `rule_fixes` in the resources in which a verdict failed because of `failures`. Empty unless
/// the changes cover all failures.
pub(crate) fn value_fixes(
    document: &Document,
    resources: &[ResourceId],
    rule_fixes: &[RuleFix],
    failures: &[Failure],
) -> Vec<ValueFix> {
    let mut changes = Vec::new();
    let mut fixed_paths: Vec<String> = Vec::new();
    let sites = resources.iter().flat_map(|resource| rule_fixes.iter().map(move |rule_fix| (*resource, rule_fix)));
    for (resource, rule_fix) in sites {
        for position in Position::resource(document, resource).reach(document, &rule_fix.path) {
            let path = locate(document, &position).path;
            let is_right = matches!(position.target, Target::Value(value) if value.same(&rule_fix.value));
            if is_right || !failures.iter().any(|failure| is_about(&failure.path, &path)) {
                continue;
            }
            let Some(change) = change(document, &position, rule_fix) else { return Vec::new() };
            changes.push(change);
            fixed_paths.push(path);
        }
    }
    let is_covered =
        |failure: &Failure| failure.is_alternative || fixed_paths.iter().any(|path| is_about(&failure.path, path));
    let changes = joined(changes);
    // Judged together: one change may add what the type requires beside what another one adds.
    if !failures.iter().all(is_covered)
        || !changes
            .iter()
            .all(|change: &FixChange<'_>| may_have(document, change.owner, &change.steps, &change.value_fix))
    {
        return Vec::new();
    }
    changes.into_iter().map(|change| change.value_fix).collect()
}

/// A change of an owner's value at some steps.
struct FixChange<'a> {
    owner: Owner,
    steps: Vec<PathStep<'a>>,
    value_fix: ValueFix,
}

/// True if the failure at a path is about a property: one of the two contains the other. If a whole array failed, as
/// with a number of items, none of its items is known to be wrong.
fn is_about(failed: &str, property: &str) -> bool {
    path_below(failed, property).is_some() || path_below(property, failed).is_some_and(|rest| !rest.contains('['))
}

/// Returns the rest of a path after the path of an ancestor, or `None` if the other path is no ancestor of it.
fn path_below<'p>(path: &'p str, ancestor: &str) -> Option<&'p str> {
    let (start, rest) = path.split_at_checked(ancestor.len())?;
    let is_below = start.eq_ignore_ascii_case(ancestor) && (rest.is_empty() || rest.starts_with(['.', '[']));
    is_below.then_some(rest)
}

/// Returns the change of one property, or `None` if the author did not write or omit it in the resource itself.
fn change<'a>(document: &'a Document, position: &Position<'a>, rule_fix: &RuleFix) -> Option<FixChange<'a>> {
    match position.target {
        Target::Value(found) => replacement(document, position, rule_fix, found),
        Target::Missing => addition(document, position, rule_fix),
        _ => None,
    }
}

/// Returns the change of an existing value.
fn replacement<'a>(
    document: &'a Document,
    position: &Position<'a>,
    rule_fix: &RuleFix,
    found: &Value,
) -> Option<FixChange<'a>> {
    let name = match position.steps.last()? {
        PathStep::Key(key) => (*key).to_owned(),
        PathStep::Index(index) => format!("[{index}]"),
        PathStep::Items => return None,
    };
    let mut walk = walk_from(document, position.owner);
    position.steps.iter().for_each(|step| walk_along(&mut walk, *step));
    let span = found.span.filter(|_| walk.is_in_place())?;
    let is_scalar =
        |value: &Value| matches!(value.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_));
    if !is_scalar(found) || !is_scalar(&rule_fix.value) {
        return None;
    }
    let site = FixSite::Value { span, found: found.clone() };
    let value_fix = ValueFix { name, value: rule_fix.value.clone(), site, is_guess: rule_fix.is_unsafe };
    Some(FixChange { owner: position.owner, steps: position.steps.clone(), value_fix })
}

/// Returns the addition of a missing member, with the missing objects on the path.
fn addition<'a>(document: &'a Document, position: &Position<'a>, rule_fix: &RuleFix) -> Option<FixChange<'a>> {
    let mut walk = walk_from(document, position.owner);
    let mut added: Vec<Str> = Vec::new();
    for step in &position.steps {
        let object = walk.value().filter(|object| walk.is_in_place() && object.via.is_none())?;
        let PathStep::Key(key) = step else {
            // An array that is missing is not made.
            if !added.is_empty() {
                return None;
            }
            walk_along(&mut walk, *step);
            continue;
        };
        let members = object.as_object()?;
        if members.get(key).is_some() && added.is_empty() {
            walk_along(&mut walk, *step);
            continue;
        }
        // A member that is written and computed as `null` cannot be added a second time.
        if added.is_empty() && members.dropped(key).is_some() {
            return None;
        }
        added.push(Str::from(*key));
    }
    let (first, inner) = added.split_first()?;
    let value = inner
        .iter()
        .rev()
        .fold(rule_fix.value.clone(), |value: Value, key: &Str| Value::object(vec![Member::new(key.clone(), value)]));
    // Two fixes may add members of the same name to different members that are added.
    let name = added.iter().map(|key| &**key).collect::<Vec<_>>().join(".");
    let site = FixSite::Member { object: walk.value()?.span?, key: first.clone() };
    let steps = position.steps.get(..position.steps.len().checked_sub(inner.len())?)?.to_vec();
    let value_fix = ValueFix { name, value, site, is_guess: rule_fix.is_unsafe };
    Some(FixChange { owner: position.owner, steps, value_fix })
}

/// True if a resource may have the changed value, as far as is known: its type has the property in the API version of
/// the resource, and the author declared the resource. Resources that SAM generates have other properties than their
/// text.
pub(crate) fn may_have(
    document: &Document,
    owner: Owner,
    steps: &[PathStep<'_>],
    ValueFix { value, site, .. }: &ValueFix,
) -> bool {
    let Owner::Resource(id) = owner else { return true };
    let resource = document.resource(id);
    let is_generated =
        resource.body.get("Type").and_then(|value| value.span).is_some_and(|at| at.start == resource.span.start);
    if is_generated && matches!(site, FixSite::Member { .. }) {
        return false;
    }
    let parts = steps.iter().map(|step| match *step {
        PathStep::Key(key) => PathPart::Name(key),
        PathStep::Index(_) | PathStep::Items => PathPart::Item,
    });
    let path: Vec<PathPart<'_>> = parts.collect();
    let version = resource.body.get("apiVersion").and_then(Value::as_str);
    takes(&resource.type_name, version, &path, value)
}

/// Merges changes that create the same member.
fn joined(changes: Vec<FixChange<'_>>) -> Vec<FixChange<'_>> {
    let mut joined: Vec<FixChange<'_>> = Vec::new();
    for change in changes {
        let same = joined.iter_mut().find(|known| match (&known.value_fix.site, &change.value_fix.site) {
            (FixSite::Member { object, key }, FixSite::Member { object: other, key: other_key }) => {
                object == other && key.eq_ignore_ascii_case(other_key)
            }
            _ => false,
        });
        match same {
            Some(known) => known.value_fix.value = merged(&known.value_fix.value, &change.value_fix.value),
            None => joined.push(change),
        }
    }
    joined
}

/// Merges two objects. Of two other values, returns the first.
fn merged(a: &Value, b: &Value) -> Value {
    let (Some(first), Some(second)) = (a.as_object(), b.as_object()) else { return a.clone() };
    let mut members: Vec<Member> = first.iter().cloned().collect();
    for member in second {
        match members.iter_mut().find(|known| known.key.eq_ignore_ascii_case(&member.key)) {
            Some(known) => known.value = merged(&known.value, &member.value),
            None => members.push(member.clone()),
        }
    }
    Value::object(members)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::is_about;
    use crate::RuleSet;
    use crate::json::{parse, testing};
    use crate::model::FixSite;
    use crate::text::Sources;

    /// Checks the changes as `name = value`, with the new member of an object before it, and a `?` after a guess.
    #[track_caller]
    fn check(resource: &str, fix: &str, evaluation: &str, expected: &str) {
        check_type("A/b", resource, fix, evaluation, expected);
    }

    /// Checks changes like [`check`], for a resource of a type.
    #[track_caller]
    fn check_type(type_name: &str, resource: &str, fix: &str, evaluation: &str, expected: &str) {
        let sources = Sources::new();
        let text = format!(
            r#"{{"id": "X", "name": "X", "shortDescription": "s", "fullDescription": "f", "fix": {fix},
                "evaluation": {{"resourceType": "{type_name}", {evaluation}}}}}"#
        );
        let (rules, problems) = parse(sources.add("rule.json", text.as_str()), &text.into());
        assert!(problems.is_empty(), "{problems:#?}");
        let template = format!(r#"{{"resources": [{{"type": "{type_name}", "name": "n", {resource}}}]}}"#);
        let (_sources, document) = testing::document(&template);
        let mut found = String::new();
        for value_fix in RuleSet::new(rules).check(&document).iter().flat_map(|verdict| &verdict.value_fixes) {
            let member = match &value_fix.site {
                FixSite::Member { key, .. } => format!("+{key} "),
                _ => String::new(),
            };
            let guess = if value_fix.is_guess { "?" } else { "" };
            let _ = write!(found, "{member}{} = {}{guess};", value_fix.name, value_fix.value.to_json());
        }
        assert_eq!(found, expected, "{fix} for {resource}");
    }

    const DENY: &str = r#"{"path": "properties.acls.action", "value": "Deny"}"#;
    const IS_DENY: &str = r#""path": "properties.acls.action", "equals": "Deny""#;

    #[test]
    fn a_value_is_replaced_or_added_with_what_is_around_it() {
        check(r#""properties": {"acls": {"action": "Allow"}}"#, DENY, IS_DENY, r#"action = "Deny";"#);
        check(r#""properties": {"Acls": {}}"#, DENY, IS_DENY, r#"+action action = "Deny";"#);
        check(r#""properties": {}"#, DENY, IS_DENY, r#"+acls acls.action = {"action":"Deny"};"#);
        check(r#""tags": {}"#, DENY, IS_DENY, r#"+properties properties.acls.action = {"acls":{"action":"Deny"}};"#);
        check(r#""properties": {"acls": null}"#, DENY, IS_DENY, "");
        check(r#""properties": {"acls": {"action": ["Allow"]}}"#, DENY, IS_DENY, "");
        let guess = DENY.replace("\"value\"", "\"unsafe\": true, \"value\"");
        check(r#""properties": {"acls": {}}"#, &guess, IS_DENY, r#"+action action = "Deny"?;"#);
    }

    #[test]
    fn what_the_rule_declares_replaces_what_it_leaves_no_choice_about() {
        let on = r#""path": "properties.on", "equals": true"#;
        check(r#""properties": {"on": false}"#, r#"{"path": "properties.other", "value": 1}"#, on, "");
        let any = r#""anyOf": [{"path": "properties.on", "equals": true}, {"path": "properties.x", "exists": true}]"#;
        check(r#""properties": {"on": false}"#, r#"{"path": "properties.on", "value": true}"#, any, "on = true;");
    }

    #[test]
    fn all_that_failed_is_fixed_and_nothing_else() {
        let both = r#"[{"path": "properties.p.on", "value": true}, {"path": "properties.p.days", "value": 90}]"#;
        let rule = r#""allOf": [{"path": "properties.p.on", "equals": true},
            {"path": "properties.p.days", "greaterOrEquals": 90}]"#;
        check(r#""properties": {"p": {"on": false, "days": 7}}"#, both, rule, "on = true;days = 90;");
        check(r#""properties": {"p": {"on": false, "days": 365}}"#, both, rule, "on = true;");
        check(r#""properties": {}"#, both, rule, r#"+p p.on = {"on":true,"days":90};"#);
        let one = r#"{"path": "properties.p.on", "value": true}"#;
        check(r#""properties": {"p": {"on": false, "days": 7}}"#, one, rule, "");
    }

    #[test]
    fn of_an_array_the_items_that_failed_are_fixed() {
        let fix = r#"{"path": "properties.rules[*].on", "value": true}"#;
        let rule = r#""path": "properties.rules[*]", "evaluate": {"path": "on", "equals": true}"#;
        let rules = r#""properties": {"rules": [{"on": true}, {"on": false}, {}]}"#;
        check(rules, fix, rule, "on = true;+on on = true;");
    }

    #[test]
    fn of_an_array_that_failed_as_a_whole_no_item_is_fixed() {
        let fix = r#"{"path": "properties.rules[*].on", "value": true}"#;
        let rule = r#""path": "properties.rules[*]", "where": {"path": "key", "equals": "a"}, "count": {"equals": 1}"#;
        check(r#""properties": {"rules": [{"key": "b", "on": false}]}"#, fix, rule, "");
        let each = r#""path": "properties.rules[*]", "where": {"path": "key", "equals": "a"},
            "allOf": [{"path": "on", "equals": true}]"#;
        let rules = r#""properties": {"rules": [{"key": "b", "on": false}, {"key": "a", "on": false}]}"#;
        check(rules, fix, each, "on = true;");
    }

    #[test]
    fn a_rule_may_say_that_there_is_no_fix() {
        let on = r#""path": "properties.on", "equals": true"#;
        check(r#""properties": {"on": false}"#, "null", on, "on = true;");
        check(r#""properties": {"on": false}"#, "[]", on, "");
    }

    #[test]
    fn what_failed_is_about_what_it_leads_into_and_what_leads_to_it() {
        for (failed, property, expected) in [
            ("a.b", "a.b", true),
            ("a.b", "A.B.c", true),
            ("A.B.c", "a.b", true),
            ("a.b[0]", "a.b", true),
            ("a.b[0]", "a.b[0].c", true),
            ("a.b", "a.b[0]", false),
            ("a.b", "a.b.c[0].d", false),
            ("a.b", "a.bc", false),
            ("a.bc", "a.b", false),
            ("a.b", "a.c.d", false),
            ("a.b", "a.c", false),
        ] {
            assert_eq!(is_about(failed, property), expected, "{failed} {property}");
        }
    }

    #[test]
    fn new_members_are_joined_if_they_are_of_one_object() {
        let fixes = r#"[{"path": "properties.p.on", "value": true}, {"path": "properties.q.on", "value": true}]"#;
        let rule =
            r#""allOf": [{"path": "properties.p.on", "equals": true}, {"path": "properties.q.on", "equals": true}]"#;
        check(r#""properties": {}"#, fixes, rule, r#"+p p.on = {"on":true};+q q.on = {"on":true};"#);
        check(r#""properties": {"p": {}, "q": {}}"#, fixes, rule, "+on on = true;+on on = true;");
    }

    #[cfg(feature = "types")]
    #[test]
    fn nothing_is_written_that_the_api_version_does_not_take() {
        let storage = |version: &str, encryption: &str, fix: &str, expected: &str| {
            let resource = format!(r#""apiVersion": "{version}", "properties": {{{encryption}}}"#);
            let twice = r#""path": "properties.encryption.requireInfrastructureEncryption", "equals": true"#;
            check_type("Microsoft.Storage/storageAccounts", &resource, fix, twice, expected);
        };
        let twice = r#"{"path": "properties.encryption.requireInfrastructureEncryption", "value": true}"#;
        let added = "+requireInfrastructureEncryption requireInfrastructureEncryption = true;";
        let key = r#"{"path": "properties.encryption.keySource", "value": "Microsoft.Storage"}"#;
        storage("2019-06-01", r#""encryption": {"keySource": "Microsoft.Storage"}"#, twice, added);
        storage("2018-11-01", r#""encryption": {"keySource": "Microsoft.Storage"}"#, twice, "");
        // What the author forgot is reported as such, and a fix of something else does not depend on it.
        storage("2019-06-01", r#""encryption": {}"#, twice, added);
        // The new object would lack its `keySource`.
        storage("2019-06-01", "", twice, "");
        // Together, two changes add both.
        let rule = r#""allOf": [
            {"path": "properties.encryption.requireInfrastructureEncryption", "equals": true},
            {"path": "properties.encryption.keySource", "equals": "Microsoft.Storage"}]"#;
        check_type(
            "Microsoft.Storage/storageAccounts",
            r#""apiVersion": "2019-06-01", "properties": {}"#,
            &format!("[{twice}, {key}]"),
            rule,
            "+encryption encryption.requireInfrastructureEncryption = \
             {\"requireInfrastructureEncryption\":true,\"keySource\":\"Microsoft.Storage\"};",
        );
        let expected =
            r#"+encryption encryption.requireInfrastructureEncryption = {"requireInfrastructureEncryption":true};"#;
        storage("2023-05-01", "", twice, expected);
        // The name of the new object itself, which is not that of a resource.
        let tier = r#"{"path": "sku.tier", "value": "Standard"}"#;
        let resource = r#""apiVersion": "2023-08-01", "properties": {}"#;
        check_type(
            "Microsoft.Sql/servers/databases",
            resource,
            tier,
            r#""path": "sku.tier", "equals": "Standard""#,
            "",
        );
    }

    #[cfg(feature = "types")]
    #[test]
    fn nothing_is_written_that_only_azure_sets() {
        let cosmos = |version: &str, expected: &str| {
            let resource = format!(r#""apiVersion": "{version}", "properties": {{}}"#);
            let access = r#""path": "properties.publicNetworkAccess", "equals": "Disabled""#;
            let fix = r#"{"path": "properties.publicNetworkAccess", "value": "Disabled"}"#;
            check_type("Microsoft.DocumentDB/databaseAccounts", &resource, fix, access, expected);
        };
        cosmos("2020-04-01", "");
        cosmos("2023-04-15", r#"+publicNetworkAccess publicNetworkAccess = "Disabled";"#);
    }
}
