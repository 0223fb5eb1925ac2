//! Parses the parts of a rule that only formwork reads: details for the catalogue, and the declared fix.
//!
//! They do not affect the findings of the rule, so a mistake is a warning, and the part with the mistake is dropped.

use crate::diagnostic::{Category, Control, DeclaredFix, Pillar, RuleDetails, RuleExample, read_tag};
use crate::json::parse::problems::{Problems, describe_found};
use crate::lookup::{Path, Segment};
use crate::rule_fix::RuleFix;
use crate::value::{Data, Value};

/// Returns the details of a rule, and its fixes.
pub(super) fn details(rule: &Value, problems: &mut Problems) -> (RuleDetails, Option<Vec<RuleFix>>) {
    let rule_fixes = fixes(rule, problems);
    let fixes = rule_fixes.iter().flatten().map(|(path, rule_fix)| DeclaredFix {
        path: path.clone(),
        value: rule_fix.value.to_json(),
        is_unsafe: rule_fix.is_unsafe,
    });
    let details = RuleDetails {
        category: word(rule, "category", Category::read, problems),
        pillar: word(rule, "pillar", Pillar::read, problems),
        is_optional: flag(rule, "optional", problems),
        is_for_production: flag(rule, "production", problems),
        platform_default: text(rule, "platformDefault", problems).map(str::to_owned),
        controls: words(rule, "controls", Control::read, problems),
        tags: words(rule, "tags", read_tag, problems),
        example: present_member(rule, "example").and_then(|example| self::example(example, problems)),
        fixes: fixes.collect(),
    };
    (details, rule_fixes.map(|rule_fixes| rule_fixes.into_iter().map(|(_, rule_fix)| rule_fix).collect()))
}

/// Returns a member unless it is `null`.
fn present_member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// Returns a string that is not blank.
fn text<'a>(object: &'a Value, name: &str, problems: &mut Problems) -> Option<&'a str> {
    let value = present_member(object, name)?;
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    if text.is_none() {
        problems.warn(value, format!("`{name}` is {}; expected a string", describe_found(value)));
    }
    text
}

fn flag(object: &Value, name: &str, problems: &mut Problems) -> bool {
    let Some(value) = present_member(object, name) else { return false };
    if value.as_bool().is_none() {
        problems.warn(value, format!("`{name}` is {}; expected `true` or `false`", describe_found(value)));
    }
    value.as_bool().unwrap_or_default()
}

/// Reads a string with `read`.
fn word<T>(rule: &Value, name: &str, read: fn(&str) -> Result<T, String>, problems: &mut Problems) -> Option<T> {
    let text = text(rule, name, problems)?;
    let value = present_member(rule, name)?;
    read(text).map_err(|message| problems.warn(value, message)).ok()
}

/// Reads an array of strings with `read`.
fn words<T: PartialEq>(
    rule: &Value,
    name: &str,
    read: fn(&str) -> Result<T, String>,
    problems: &mut Problems,
) -> Vec<T> {
    let Some(value) = present_member(rule, name) else { return Vec::new() };
    let Some(items) = value.as_array() else {
        problems.warn(value, format!("`{name}` is {}; expected an array of strings", describe_found(value)));
        return Vec::new();
    };
    let mut words = Vec::new();
    for item in items {
        let read = item.as_str().map_or_else(|| Err(format!("{} is not a string", describe_found(item))), read);
        match read {
            Ok(word) if words.contains(&word) => {
                problems.warn(item, format!("{} is already in `{name}`", describe_found(item)));
            }
            Ok(word) => words.push(word),
            Err(message) => {
                problems.warn(item, message);
            }
        }
    }
    words
}

fn example(example: &Value, problems: &mut Problems) -> Option<RuleExample> {
    let Some(object) = example.as_object() else {
        problems.warn(
            example,
            format!("`example` is {}; expected an object with `before` and `after`", describe_found(example)),
        );
        return None;
    };
    let unique = problems.check_names(object, &["apiVersion", "before", "after"]);
    let mut side = |name: &str| {
        let Some(value) = present_member(example, name) else {
            problems.warn(example, format!("an example needs `{name}`"));
            return None;
        };
        let resources = value.as_array().unwrap_or(std::slice::from_ref(value));
        let is_right = !resources.is_empty() && resources.iter().all(|resource| resource.as_object().is_some());
        if !is_right {
            let expected = "the members of a resource, or an array of whole resources";
            problems.warn(value, format!("`{name}` is {}; expected {expected}", describe_found(value)));
        }
        is_right.then(|| value.to_json())
    };
    let (before, after) = (side("before"), side("after"));
    let api_version = text(example, "apiVersion", problems).map(str::to_owned);
    unique.ok()?;
    Some(RuleExample { api_version, before: before?, after: after? })
}

/// Returns the fixes of a rule with their paths as written, or `None` if it declares none. If one fix is wrong, the
/// list is empty: the others alone would not be enough.
fn fixes(rule: &Value, problems: &mut Problems) -> Option<Vec<(String, RuleFix)>> {
    let value = present_member(rule, "fix")?;
    let items = value.as_array().unwrap_or(std::slice::from_ref(value));
    let each: Vec<_> = items.iter().map(|item| fix(item, problems)).collect();
    Some(each.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default())
}

fn fix(fix: &Value, problems: &mut Problems) -> Option<(String, RuleFix)> {
    let Some(object) = fix.as_object() else {
        problems.warn(fix, format!("`fix` is {}; expected an object with `path` and `value`", describe_found(fix)));
        return None;
    };
    let unique = problems.check_names(object, &["path", "value", "unsafe"]);
    if present_member(fix, "path").is_none() {
        problems.warn(fix, "a fix needs the `path` of a property");
    }
    let text = text(fix, "path", problems);
    let is_unsafe = flag(fix, "unsafe", problems);
    let Some(value) = fix.get("value") else {
        problems.warn(fix, "a fix needs the `value` that the property should have");
        return None;
    };
    let path = Path::parse(text?);
    if let (Some(suspicion), Some(at)) = (path.segments.iter().find_map(Segment::suspicion), fix.get("path")) {
        problems.warn(at, suspicion);
        return None;
    }
    if matches!(&value.data, Data::String(text) if text.starts_with('[')) {
        problems.warn(value, "a string that begins with `[` would be an expression; a fix can only write plain values");
        return None;
    }
    unique.ok()?;
    Some((text?.to_owned(), RuleFix { path, value: value.clone(), is_unsafe }))
}
