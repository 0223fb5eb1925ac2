//! Describes changes of settings that weaken a check, for those who review the change.
//!
//! The files are compared key by key. The table of settings says of each key in which direction it weakens a check. A
//! key that it does not have is listed however it changed: better too much than a hole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::config::table::{SETTINGS, Setting, Takes, Weakens};
use crate::config::{Profile, Settings, keys};
use crate::diagnostic::FailOn;
use crate::files::display_name;
use crate::text::cut;
use crate::value::Value;

/// The greatest length of a value in a message, in bytes.
const MAX_VALUE: usize = 60;

/// Number of levels of objects that are compared member by member.
const LEVELS: u32 = 2;

/// Returns the direction in which a key of the settings weakens a check. `key` is a path such as `rules.exclude`, whose
/// case is ignored, as that of the keys of `configuration` is.
fn direction(key: &str) -> Weakens {
    let (name, rest) = key.split_once('.').unwrap_or((key, ""));
    let inner = rest.split('.').next().unwrap_or_default();
    let find = |settings: &'static [Setting], name: &str| {
        settings.iter().find(|setting| setting.key.eq_ignore_ascii_case(name))
    };
    let Some(setting) = find(SETTINGS, name) else { return Weakens::Any };
    let weakens = match setting.takes {
        Takes::Section(settings) => find(settings, inner).map(|setting| setting.weakens),
        Takes::Configuration => keys::find(inner).map(|key| key.weakens),
        _ => None,
    };
    weakens.unwrap_or(setting.weakens)
}

/// Lists everything that the settings `after` allow and those `before` do not, each as the end of a sentence about the
/// change. Both are settings of the folder `root`.
pub fn weakened(before: &Settings, after: &Settings, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let names =
        |settings: &Settings| settings.files_read().map(|path| display_name(root, path)).collect::<BTreeSet<String>>();
    let (old, new) = (names(before), names(after));
    // The same words in another folder are about other files.
    found.extend(old.difference(&new).map(|name| format!("`{name}` is no longer read")));
    if !old.is_empty() {
        found.extend(new.difference(&old).map(|name| format!("`{name}` is read")));
    }
    let (old, new) = (flat(before), flat(after));
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        compare(key, old.get(key), new.get(key), &mut found);
    }
    found
}

fn compare(key: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<String>) {
    let weakens = direction(key);
    let default =
        SETTINGS.iter().find(|setting| setting.key.eq_ignore_ascii_case(key)).map_or("", |setting| setting.default);
    let json = |value: Option<&Value>| value.map(Value::to_json);
    if json(old) == json(new) {
        return;
    }
    let (before, after) = (items(old), items(new));
    let lost = |found: &mut Vec<String>| {
        found.extend(before.difference(&after).map(|item| format!("`{key}` no longer has {}", shown(item))));
    };
    let gained = |found: &mut Vec<String>| {
        found.extend(after.difference(&before).map(|item| format!("`{key}` has {}", shown(item))));
    };
    match weakens {
        Weakens::Added => gained(found),
        Weakens::Removed => lost(found),
        Weakens::Narrowed if before.is_empty() => gained(found),
        Weakens::Narrowed if after.is_empty() => {}
        Weakens::Narrowed => lost(found),
        Weakens::Elsewhere => {}
        Weakens::Fewer if profile(new).includes(profile(old)) => {}
        Weakens::Lowered if is_heavier(old, new) => {}
        Weakens::Raised if threshold(new, default) <= threshold(old, default) => {}
        Weakens::Being(weak) if json(new).as_deref() != Some(weak) => {}
        Weakens::NotBeing(strong) if json(old).as_deref() != Some(strong) => {}
        Weakens::Any if is_list(old) || is_list(new) => {
            gained(found);
            lost(found);
        }
        _ => found.push(match (old, new) {
            (None, Some(new)) => format!("`{key}` is {}", shown(&new.to_json())),
            (Some(old), Some(new)) => {
                format!("`{key}` is {} instead of {}", shown(&new.to_json()), shown(&old.to_json()))
            }
            (Some(old), None) => format!("`{key}` is no longer {}", shown(&old.to_json())),
            (None, None) => return,
        }),
    }
}

/// Returns the members of the files by their paths, those of a later file instead of those of an earlier one.
fn flat(settings: &Settings) -> BTreeMap<String, Value> {
    let mut members = BTreeMap::new();
    for (_, value) in &settings.texts {
        flatten("", value, LEVELS, &mut members);
    }
    members
}

fn flatten(prefix: &str, value: &Value, levels: u32, into: &mut BTreeMap<String, Value>) {
    match value.as_object() {
        Some(object) if prefix.is_empty() || levels > 0 => {
            for member in object {
                let name = if prefix.is_empty() { member.key.to_string() } else { format!("{prefix}.{}", member.key) };
                flatten(&name, &member.value, if prefix.is_empty() { levels } else { levels - 1 }, into);
            }
        }
        _ if value.is_null() => {}
        _ => {
            into.insert(prefix.to_owned(), value.clone());
        }
    }
}

/// Returns the entries of a list as JSON; a single value is a list of one.
fn items(value: Option<&Value>) -> BTreeSet<String> {
    match value.map(|value| (value, value.as_array())) {
        None => BTreeSet::new(),
        Some((_, Some(items))) => items.iter().map(Value::to_json).collect(),
        Some((value, None)) => BTreeSet::from([value.to_json()]),
    }
}

fn is_list(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value.as_array().is_some())
}

/// Returns the profile of a value: a value that is not set is `default`.
fn profile(value: Option<&Value>) -> Profile {
    value.and_then(Value::as_str).and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// Returns how much passes a threshold, from the lowest one. `default` is the threshold of settings without one.
fn threshold(value: Option<&Value>, default: &str) -> usize {
    let word = value.and_then(Value::as_str).unwrap_or(default);
    let [high, medium, low, never] = FailOn::WORDS;
    [low, medium, high, never].iter().position(|known| *known == word).unwrap_or_default()
}

/// Returns `true` if a rule has at least its previous severity. The default severity of a rule is not known here.
fn is_heavier(old: Option<&Value>, new: Option<&Value>) -> bool {
    let is_high = new.and_then(Value::as_str) == Some("high");
    is_high || (old.is_some() && new.is_some() && threshold(new, "low") >= threshold(old, "low"))
}

fn shown(json: &str) -> String {
    let text = json.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(json);
    format!("`{}`", cut(text, MAX_VALUE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::all_settings;
    use crate::syntax;
    use crate::text::Sources;

    fn settings(text: &str) -> Settings {
        let sources = Sources::new();
        let file = sources.add("formwork.yaml", text);
        let value = syntax::yaml::parse(file, sources.get(file).text(), 16).value.unwrap();
        Settings { texts: vec![("/r/formwork.yaml".into(), value)], ..Settings::default() }
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[&str]) {
        assert_eq!(weakened(&settings(before), &settings(after), Path::new("/r")), expected);
    }

    #[test]
    fn what_lets_more_pass_is_listed() {
        check("fail-on: medium", "fail-on: never", &["`fail-on` is `never` instead of `medium`"]);
        check("exclude: [a]", "exclude: [a, 'b/**']", &["`exclude` has `b/**`"]);
        check("a: 1", "a: 1\nexclude: b", &["`exclude` has `b`"]);
        check("a: 1", "a: 1\ninclude: [b]", &["`include` has `b`"]);
        check("include: [a, b]", "include: [a]", &["`include` no longer has `b`"]);
        check("rules: {exclude: [A]}", "rules: {exclude: [B]}", &["`rules.exclude` has `B`"]);
        check("rules: {paths: [r, s]}", "rules: {paths: [r]}", &["`rules.paths` no longer has `s`"]);
        check("rules: {paths: [r]}", "rules: {builtin: false, paths: [r]}", &["`rules.builtin` is `false`"]);
        check("rules: {profile: all}", "fail-on: low", &["`rules.profile` is no longer `all`"]);
        let both = ["`fail-on` is no longer `low`", "`rules.profile` is `cost`"];
        check("fail-on: low", "rules: {profile: cost}", &both);
        let cost = "rules: {profile: cost}";
        check("rules: {profile: security}", cost, &["`rules.profile` is `cost` instead of `security`"]);
        check("strict: true", "fail-on: low", &["`strict` is no longer `true`"]);
        check("deployment-diff: true", "fail-on: low", &["`deployment-diff` is no longer `true`"]);
        let expansion = "configuration: {azure_bicep_file_expansion: false}";
        check("fail-on: medium", expansion, &["`configuration.azure_bicep_file_expansion` is `false`"]);
        let added = "suppressions: [{rule: A}]";
        check("fail-on: medium", added, &["`suppressions` has `{\"rule\":\"A\"}`"]);
        check("fail-on-unknown: true", "fail-on: low", &["`fail-on-unknown` is no longer `true`"]);
        check("fail-on: medium", "allow-unreadable: true", &["`allow-unreadable` is `true`"]);
        check("fail-on: medium", "min-severity: high", &["`min-severity` is `high`"]);
        let severity = |word: &str| format!("rules: {{severity: {{A: {word}}}}}");
        check(&severity("high"), &severity("low"), &["`rules.severity.A` is `low` instead of `high`"]);
        check(&severity("high"), "fail-on: low", &["`rules.severity.A` is no longer `high`"]);
        check("fail-on: medium", &severity("medium"), &["`rules.severity.A` is `medium`"]);
        check("fail-on: medium", "limits: {file-size: 1}", &["`limits.file-size` is `1`"]);
    }

    const fn expansion(is_on: bool) -> &'static str {
        if is_on {
            "configuration: {AZURE_BICEP_FILE_EXPANSION: true}"
        } else {
            "configuration: {AZURE_BICEP_FILE_EXPANSION: false}"
        }
    }

    #[test]
    fn the_direction_of_a_key_is_that_of_the_table() {
        let same = |key: &str, weakens: Weakens| assert_eq!(direction(key), weakens, "{key}");
        for (key, setting) in all_settings() {
            same(&key, setting.weakens);
            same(&format!("{key}.AZ-STORAGE-001"), setting.weakens);
        }
        for key in keys::KEYS {
            same(&format!("configuration.{}", key.name.to_lowercase()), key.weakens);
            same(&format!("configuration.{}.name", key.name), key.weakens);
        }
        same("configuration.OTHER", Weakens::Any);
        same("rules.other", Weakens::Any);
        same("fail-on-other", Weakens::Any);
    }

    #[test]
    fn what_lets_less_pass_is_not() {
        check("fail-on: never", "fail-on: high", &[]);
        check("fail-on: never", "a: 1", &["`a` is `1`"]);
        check("exclude: [a, b]\nallow-unreadable: true", "exclude: [a]", &[]);
        check("include: [a]", "include: [a, b]", &[]);
        check("include: [a]", "fail-on: low", &[]);
        check("rules: {severity: {A: low}}", "rules: {severity: {A: medium, B: high}}", &[]);
        check("rules: {builtin: false}", "rules: {builtin: true, profile: all, paths: [r]}", &[]);
        check("rules: {profile: cost}", "fail-on: low", &[]);
        check("suppressions: [{rule: A}]", "fail-on: low", &[]);
        check(expansion(false), expansion(true), &[]);
    }

    #[test]
    fn keys_that_nobody_judged_are_listed_whatever_happened() {
        check("a: 1", "suppress: [{rule: A}]\na: 1", &["`suppress` has `{\"rule\":\"A\"}`"]);
        check("suppress: [{rule: A}]\na: 1", "a: 1", &["`suppress` no longer has `{\"rule\":\"A\"}`"]);
        check(
            "configuration: {X: {name: a}}",
            "configuration: {X: {name: b}}",
            &["`configuration.X.name` is `b` instead of `a`"],
        );
    }

    #[test]
    fn a_file_that_takes_the_place_of_another_is_listed() {
        let before = settings("exclude: [a]");
        let mut after = settings("exclude: [a]");
        for (path, _) in &mut after.texts {
            *path = "/r/infra/formwork.json".into();
        }
        let expected = ["`formwork.yaml` is no longer read", "`infra/formwork.json` is read"];
        assert_eq!(weakened(&before, &after, Path::new("/r")), expected);
    }
}
