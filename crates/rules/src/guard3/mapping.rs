//! Mappings of rules to the controls of a framework, as the AWS Guard Rules Registry has them.
//!
//! ```json
//! {"ruleSetName": "PCI-DSS-3-2-1", "mappings": [{"guardFilePath": "rules/a.guard", "controls": ["1.2"]}]}
//! ```

use crate::diagnostic::Control;
use crate::syntax::json;
use crate::text::FileId;
use crate::value::Value;

/// Member that every mapping has.
const FILE: &str = "guardFilePath";

/// Frameworks whose controls have another name in rules of formwork.
const KNOWN: &[(&str, &str)] = &[("nist800-53rev5", "nist")];

/// Rules of a file, and the controls that they cover.
#[derive(Debug)]
pub struct Mapped {
    /// Path of the file, relative to the parent of the mapping's folder.
    pub path: String,
    /// Controls that all rules of the file cover.
    pub controls: Vec<Control>,
}

/// True if a text may be a mapping: a quick test before it is parsed.
pub fn may_be_mapping(text: &[u8]) -> bool {
    text.windows(FILE.len()).any(|word| word == FILE.as_bytes())
}

/// Reads a mapping. Returns `None` if the file is something else.
pub fn mapping(file: FileId, text: &arcstr::ArcStr, max_depth: u32) -> Option<Vec<Mapped>> {
    let value = json::parse(file, text, max_depth).value?;
    let framework = value.get("ruleSetName")?.as_str()?.to_lowercase();
    let framework = KNOWN.iter().find(|(theirs, _)| *theirs == framework).map_or(&*framework, |(_, ours)| ours);
    Some(
        value
            .get("mappings")?
            .as_array()?
            .iter()
            .filter_map(|entry: &Value| {
                let controls = entry.get("controls")?.as_array()?.iter().filter_map(Value::as_str);
                let controls = controls.map(|name| Control::new(framework, name)).collect();
                Some(Mapped { path: entry.get(FILE)?.as_str()?.to_owned(), controls })
            })
            .collect(),
    )
}
