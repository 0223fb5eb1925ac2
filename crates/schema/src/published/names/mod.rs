//! Names that services refuse, although the published types allow them.
//!
//! `table` has what each type takes, and `form` what is known of a name that is not known in full.

mod form;
mod table;

use crate::checks::RESOURCE_NAME;
use crate::diagnostic::Severity;
use crate::model::{Issue, Resource, ResourceId};
use crate::published::misfit::MisfitStep;
use crate::published::names::form::Form;
use crate::published::names::table::Rule;
use crate::published::tolerance::Cloud;
use crate::published::{issue_at, walk};
use crate::text::cut;
use crate::value::{Step, Traits, Value, ValueExcerpt, Via};

/// The longest part of a name in a message, in bytes.
const MAX_SHOWN: usize = 100;

/// Adds the issue of a name that Azure refuses. `type_name` is the type of the resource itself, without that of what it
/// extends. `issues` from `start` on are those that the resource has already: of a name that the type refuses, nothing
/// more is said.
pub(super) fn check_name(resource: &Resource, id: ResourceId, type_name: &str, issues: &mut Vec<Issue>, start: usize) {
    let Some(rule) = table::find(type_name) else { return };
    let Some(value) = resource.body.get("name") else { return };
    let walk = walk(resource, &[MisfitStep::Member("name")], &[]);
    if issues.iter().skip(start).any(|known| known.path == walk.path()) {
        return;
    }
    let depth = type_name.split('/').count().saturating_sub(2);
    let Some(problem) = problem(&rule, value, depth).filter(|_| !has_empty_part(value)) else { return };
    let mut issue = issue_at(&walk, id, RESOURCE_NAME, problem);
    issue.severity = (rule.sources < 2).then_some(Severity::Medium);
    issue.actual = value.as_str().map(|_| ValueExcerpt::new(value));
    issues.push(issue);
}

/// Returns the problem of a name, of which `depth` segments are those of parents. `None` if the service accepts the
/// name, or may accept it.
fn problem(rule: &Rule, value: &Value, depth: usize) -> Option<String> {
    if value.traits.has(Traits::SECRET) {
        return None;
    }
    if let Some(text) = value.as_str() {
        let form = known_form(value, text)?;
        let segment = cut(form.start.trim(), MAX_SHOWN);
        return form.problem(rule).map(|problem| format!("`{segment}` {problem}; expected {}", rule.words()));
    }
    let unknown = value.as_unknown().filter(|unknown| !unknown.is_optional)?;
    if !unknown.choices.is_empty() {
        let problems = unknown.choices.iter().map(|choice| problem(rule, choice, depth));
        return problems.collect::<Option<Vec<String>>>()?.into_iter().next();
    }
    let is_computed = value.traits.has(Traits::PLACEHOLDER) && !value.traits.has(Traits::FORMED);
    // A part that a person replaces may stand for all of it.
    let is_replaced = unknown.approximation.as_str().is_some_and(|text| Cloud::Azure.is_replaced(text));
    let is_open = is_computed || is_replaced || value.traits.has(Traits::ASSUMED);
    let ends = unknown.ends.as_deref().filter(|_| !is_open)?;
    let form = Form::of_ends(ends, depth, value.traits.has(Traits::FORMED));
    let problem = form.problem(rule)?;
    Some(format!("whatever its unknown part is, the name {problem}; expected {}", rule.words()))
}

/// Returns `true` if a part of a name seems to be an empty default of a parameter, as in `-shop` and `a--b`. Deployments
/// give such a parameter a value.
fn has_empty_part(value: &Value) -> bool {
    let Some(text) = value.as_str().map(|text| text.rsplit('/').next().unwrap_or(text)) else { return false };
    let is_bare = text.starts_with(SEPARATORS) || text.ends_with(SEPARATORS) || text.contains("--");
    is_bare && value.via.as_deref().is_some_and(|via| is_of_default(via, MAX_STEPS))
}

/// Characters between the parts of names.
const SEPARATORS: [char; 3] = ['-', '_', '.'];

/// Number of steps of an origin that are read.
const MAX_STEPS: usize = 8;

/// Returns `true` if the default of a parameter is on the way to a value, at most so many steps before it.
fn is_of_default(via: &Via, most: usize) -> bool {
    matches!(via.step, Step::Default(_))
        || most > 0 && via.earlier.iter().any(|earlier| is_of_default(earlier, most - 1))
}

/// Returns the last segment of a name that is known. `None` if tools replace a part of it, or if another one stands for
/// it.
fn known_form<'a>(value: &Value, text: &'a str) -> Option<Form<'a>> {
    let is_formed = value.traits.has(Traits::FORMED);
    let is_computed = value.traits.has(Traits::PLACEHOLDER) && !is_formed;
    if is_computed || Cloud::Azure.is_replaced(text) || text.is_empty() {
        return None;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    // Services make some resources themselves, such as `$Default` of an event hub and `$web` of a storage account.
    (!name.starts_with('$')).then(|| Form::of_text(name, is_formed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Ends, Kind, Unknown};

    #[track_caller]
    fn check(type_name: &str, name: impl Into<Value>, expected: Option<&str>) {
        let value = name.into();
        let rule = table::find(type_name).expect("the type has a rule");
        let depth = type_name.split('/').count() - 2;
        let found = problem(&rule, &value, depth);
        let found = found.as_deref().and_then(|problem| problem.split("; expected").next());
        assert_eq!(found, expected, "{type_name} {value:?}");
    }

    fn unknown(start: &str, end: &str, least: u32, inside: &str) -> Value {
        let ends = Ends { start: start.into(), end: end.into(), least, inside: inside.into(), ..Ends::default() };
        Value::unknown(Unknown::new(Kind::String, "a test says so").between(ends))
    }

    const ACCOUNT: &str = "Microsoft.Storage/storageAccounts";
    const CONTAINER: &str = "Microsoft.Storage/storageAccounts/blobServices/containers";

    #[test]
    fn names_are_compared_with_case() {
        check(ACCOUNT, "mystorage", None);
        check(ACCOUNT, "MyStorage", Some("`MyStorage` contains `M`"));
        check(ACCOUNT, "my_storage", Some("`my_storage` contains `_`"));
        check(ACCOUNT, "st", Some("`st` has 2 characters"));
        check(CONTAINER, "st/default/a--b", Some("`a--b` contains `--`"));
        check("Microsoft.KeyVault/vaults", "1vault", Some("`1vault` begins with `1`"));
        check("Microsoft.KeyVault/vaults", "vault-", Some("`vault-` ends with `-`"));
        check("Microsoft.Network/privateDnsZones", "local", Some("`local` is not of the right form"));
    }

    #[test]
    fn what_is_known_of_a_name_can_rule_it_out() {
        check(ACCOUNT, unknown("st", "", 0, ""), None);
        check(ACCOUNT, unknown("Uploads_", "", 0, ""), Some("whatever its unknown part is, the name contains `U`"));
        check(ACCOUNT, unknown("", "", 1, "_"), Some("whatever its unknown part is, the name contains `_`"));
        check(ACCOUNT, unknown("", "-x", 0, ""), Some("whatever its unknown part is, the name contains `-`"));
        let long = Some("whatever its unknown part is, the name has at least 25 characters");
        check(ACCOUNT, unknown("storageaccount", "", 11, ""), long);
        check(CONTAINER, unknown("ST/default/", "", 0, ""), None);
        check(CONTAINER, unknown("", "/default/A", 0, ""), Some("whatever its unknown part is, the name contains `A`"));
        check(CONTAINER, unknown("st/", "", 0, "D"), None);
    }

    #[test]
    fn what_a_hash_stands_for_is_not_compared() {
        let formed = |text: &str| Value::from(text).with_traits(Traits::PLACEHOLDER | Traits::FORMED);
        check("Microsoft.KeyVault/vaults", formed("2abcdefghijkl"), None);
        check(ACCOUNT, formed("Storage2abcdefghijkl"), Some("`Storage2abcdefghijkl` contains `S`"));
        check(ACCOUNT, Value::from("Storage").with_traits(Traits::PLACEHOLDER), None);
    }

    #[test]
    fn values_that_tools_replace_are_not_names() {
        check(ACCOUNT, "#{storage_account}#", None);
        check(ACCOUNT, "", None);
    }
}
