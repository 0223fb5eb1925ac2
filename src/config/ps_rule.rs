//! Takes over the keys of an existing `ps-rule.yaml` that matter here. Its other keys are for other tools and are ignored.

use std::path::Path;

use ignore::gitignore::GitignoreBuilder;

use crate::config::{Settings, keys};
use crate::value::{Member, Value};

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
