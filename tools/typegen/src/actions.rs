//! Lists the actions of IAM by service.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

/// Maximum length of a shared start.
const MAX_SHARED: usize = 35;

/// One line for each service: its prefix, and its actions in lower case and in order. Of each action, the first character
/// is the number of characters that it shares with the one before, in base 36.
pub fn list(file: &Path, version: &str, date: &str) -> String {
    let text = std::fs::read(file).expect("a readable file");
    let services: Value = serde_json::from_slice(&text).expect("JSON");
    let mut out = format!(
        "# The actions of IAM by service, from `Policies.json` of cfn-lint {version} of {date} (MIT-0). Each action begins with the\n\
         # number of characters, in base 36, that it shares with the one before. Made by `tools/typegen`.\n"
    );
    let mut services: Vec<_> = services.as_object().expect("an object").iter().collect();
    services.sort_by_key(|(name, _)| name.as_str());
    for (name, service) in services {
        out.push_str(name);
        let mut actions: Vec<String> =
            service["Actions"].as_object().into_iter().flatten().map(|(action, _)| action.to_lowercase()).collect();
        actions.sort();
        let mut before = "";
        for action in &actions {
            let shared = before.bytes().zip(action.bytes()).take_while(|(one, other)| one == other).count();
            let shared = shared.min(MAX_SHARED);
            let digit = char::from_digit(shared as u32, 36).expect("a digit");
            let _ = write!(out, " {digit}{}", &action[shared..]);
            before = action;
        }
        out.push('\n');
    }
    out
}
