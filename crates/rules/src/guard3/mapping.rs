//! Mappings of rules to the controls of a framework, as the AWS Guard Rules Registry has them.
//!
//! ```json
//! {"ruleSetName": "PCI-DSS-3-2-1", "mappings": [{"guardFilePath": "rules/a.guard", "controls": ["1.2"]}]}
//! ```

use crate::diagnostic::Control;
use crate::syntax::json;
use crate::text::FileId;
use crate::value::Value;

/// The member that every mapping has.
const FILE: &str = "guardFilePath";

/// A framework whose controls rules of the program have under another name.
const KNOWN: &[(&str, &str)] = &[("nist800-53rev5", "nist")];

/// The rules of a file, and the controls that they help to meet.
#[derive(Debug)]
pub struct Mapped {
    /// The path of the file, which is relative to the folder that has the folder of the mapping.
    pub path: String,
    /// What all rules of the file help to meet.
    pub controls: Vec<Control>,
}

/// Whether a text may be a mapping: a quick look before it is read.
pub fn may_be_mapping(text: &[u8]) -> bool {
    text.windows(FILE.len()).any(|word| word == FILE.as_bytes())
}

/// Reads a mapping. `None` if it is something else.
pub fn mapping(file: FileId, text: &arcstr::ArcStr, max_depth: u32) -> Option<Vec<Mapped>> {
    let value = json::parse(file, text, max_depth).value?;
    let framework = value.get("ruleSetName")?.as_str()?.to_lowercase();
    let framework = KNOWN.iter().find(|(theirs, _)| *theirs == framework).map_or(&*framework, |(_, ours)| ours);
    let mapped = |entry: &Value| {
        let controls = entry.get("controls")?.as_array()?.iter().filter_map(Value::as_str);
        let controls = controls.map(|name| Control::of(framework, name)).collect();
        Some(Mapped { path: entry.get(FILE)?.as_str()?.to_owned(), controls })
    };
    Some(value.get("mappings")?.as_array()?.iter().filter_map(mapped).collect())
}
