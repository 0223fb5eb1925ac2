//! Settings of the linter in `bicepconfig.json`.

use std::collections::BTreeMap;

use crate::diagnostic::Level;
use crate::value::Value;

/// Names of levels. A rule with the level `None` does not run.
const LEVELS: [(&str, Option<Level>); 4] =
    [("off", None), ("info", Some(Level::Note)), ("warning", Some(Level::Warning)), ("error", Some(Level::Error))];

/// Settings of the linter for a file: `analyzers.core`.
#[derive(Clone, Debug, Default)]
pub(super) struct Linter {
    is_off: bool,
    /// Levels, by the lowercase name of the rule. `None` turns a rule off.
    levels: BTreeMap<String, Option<Level>>,
    /// Options of rules, by the lowercase names of the rule and of the option.
    options: BTreeMap<(String, String), Value>,
}

impl Linter {
    /// Merges a configuration, which overrides earlier ones.
    pub(super) fn add(&mut self, configuration: &Value) {
        let Some(core) = configuration.get("analyzers").and_then(|analyzers| analyzers.get("core")) else { return };
        if let Some(is_on) = core.get("enabled").and_then(Value::as_bool) {
            self.is_off = !is_on;
        }
        for rule in core.get("rules").and_then(Value::as_object).into_iter().flatten() {
            let name = rule.key.to_lowercase();
            for option in rule.value.as_object().into_iter().flatten() {
                let key = option.key.to_lowercase();
                if key != "level" {
                    self.options.insert((name.clone(), key), option.value.clone());
                    continue;
                }
                // Unknown words are ignored.
                let word = option.value.as_str().unwrap_or_default();
                if let Some((_, level)) = LEVELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)) {
                    self.levels.insert(name.clone(), *level);
                }
            }
        }
    }

    /// Returns the level of a rule, given its default. `None` if it does not run.
    pub(super) fn level(&self, rule: &str, default: Option<Level>) -> Option<Level> {
        if self.is_off { None } else { self.levels.get(rule).copied().unwrap_or(default) }
    }

    /// True if a configuration sets the level of a rule.
    pub(super) fn names(&self, rule: &str) -> bool {
        self.levels.contains_key(rule)
    }

    /// Returns an option of a rule.
    pub(super) fn option(&self, rule: &str, name: &str) -> Option<&Value> {
        self.options.get(&(rule.to_owned(), name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;
    use crate::text::Sources;

    fn linter(layers: &[&str]) -> Linter {
        let sources = Sources::new();
        let mut linter = Linter::default();
        for text in layers {
            let file = sources.add("bicepconfig.json", *text);
            linter.add(&syntax::json::parse(file, sources.get(file).text(), 50).value.unwrap());
        }
        linter
    }

    #[test]
    fn a_later_configuration_overrides_levels_and_options_one_by_one() {
        let base = r#"{"analyzers": {"core": {"rules": {"a": {"level": "Off", "x": 1}, "b": {"level": "info"}}}}}"#;
        let own = r#"{"analyzers": {"core": {"rules": {"A": {"level": "error", "Y": 2}, "b": {"level": "?"}}}}}"#;
        let linter = linter(&[base, own]);
        let level = |rule| linter.level(rule, Some(Level::Warning));
        assert_eq!([level("a"), level("b"), level("c")], [Level::Error, Level::Note, Level::Warning].map(Some));
        assert!(["x", "y"].iter().all(|name| linter.option("a", name).is_some()));
    }

    #[test]
    fn no_rule_runs_if_the_linter_is_off() {
        let linter = linter(&[r#"{"analyzers": {"core": {"enabled": false, "rules": {"a": {"level": "error"}}}}}"#]);
        assert_eq!(linter.level("a", Some(Level::Warning)), None);
        assert_eq!(linter.level("b", Some(Level::Error)), None);
    }
}
