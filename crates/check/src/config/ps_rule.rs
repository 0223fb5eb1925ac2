//! Takes over the keys of an existing `ps-rule.yaml` that matter here: facts about the target environment, and which
//! files to ignore. What it says about rules and findings is a decision that `formwork init` imports once, so that the
//! decisions of a repository are in one file. Its other keys are for `PSRule` itself and are ignored.

use std::path::Path;

use ignore::gitignore::GitignoreBuilder;

use crate::config::{Settings, keys};
use crate::diagnostic::{Code, Diagnostic};
use crate::value::{Member, Object, Value};

/// The decisions, each with the keys that make one, if not all do.
const DECISIONS: [(&str, &[&str]); 3] =
    [("rule", &["include", "exclude", "baseline"]), ("suppression", &[]), ("override", &["level"])];

/// Takes over `configuration` and `input.pathIgnore`.
pub(super) fn apply(value: &Value, path: &Path, settings: &mut Settings) {
    if let Some(configuration) = value.get("configuration").and_then(Value::as_object) {
        let usable = |member: &&Member| keys::kind_of(&member.key) == Some(member.value.kind());
        let members = configuration.iter().filter(usable).cloned().collect();
        settings.configuration = Some(Value::object(members));
    }
    let ignored = value.get("input").and_then(|input| input.get("pathIgnore"));
    if let (Some(patterns), Some(folder)) = (ignored.and_then(Value::as_array), path.parent()) {
        let mut builder = GitignoreBuilder::new(folder);
        for pattern in patterns.iter().filter_map(Value::as_str) {
            // PSRule ignores a pattern that it does not understand, too.
            let _ = builder.add_line(None, pattern);
        }
        settings.files.path_ignore = builder.build().ok();
    }
}

/// Returns a note about the decisions in the file, which have no effect unless they are imported.
pub(super) fn note_decisions(value: &Value) -> Option<Diagnostic> {
    let decides = |(section, keys): (&'static str, &[&str])| {
        let object = value.get(section).and_then(Value::as_object).filter(|object| !object.is_empty())?;
        let is_one = |object: &Object| keys.is_empty() || keys.iter().any(|key| object.get(key).is_some());
        let member = value.as_object()?.member(section).filter(|_| is_one(object))?;
        Some((section, member.key_span.or(member.value.span)?))
    };
    let found: Vec<_> = DECISIONS.into_iter().filter_map(decides).collect();
    let (_, span) = found.first()?;
    let names: Vec<String> = found.iter().map(|(section, _)| format!("`{section}`")).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{} of PSRule {verb} no effect here", names.join(", "));
    let note = Diagnostic::new(Code::ConfigNotImported, *span, message);
    Some(note.with_help("`formwork init` imports it into a `formwork.yaml`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_paths_may_be_taken_back() {
        let patterns = ["**", "!deploy/**/main.json"].map(Value::from).to_vec();
        let input = Value::object(vec![Member::new("pathIgnore", Value::array(patterns))]);
        let value = Value::object(vec![Member::new("input", input)]);
        let mut settings = Settings::default();
        apply(&value, Path::new("/repo/ps-rule.yaml"), &mut settings);
        let takes = |path: &str| settings.files.takes_file(Path::new(path));
        assert!(takes("/repo/deploy/a/main.json"));
        assert!(!takes("/repo/deploy/a/other.json"));
        assert!(takes("/elsewhere/other.json"));
    }
}
