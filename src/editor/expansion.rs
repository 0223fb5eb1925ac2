//! The expansion of a deployment as a text to read.

use std::fmt::Write as _;

use crate::engine::Sight;
use crate::model::Resource;
use crate::value::{JsonStyle, Value};

/// Maximum length of the text, in bytes. Editors are slow with longer texts.
const MAX_LENGTH: usize = 4 << 20;

/// Returns the resources in the order of the source, as JSON with comments. A comment has the line of each
/// declaration.
pub(super) fn text(sight: &Sight<'_>) -> String {
    let name = |file| sight.sources.get(file).name().clone();
    let parameters = sight.parameters.as_ref().map_or_else(String::new, |name| format!(" with {name}"));
    let count = sight.document.resources.len();
    let mut text = format!("// What {}{parameters} deploys: {count} resources\n[", name(sight.template));
    let mut resources: Vec<&Resource> = sight.document.resources.iter().collect();
    resources.sort_by_key(|resource| {
        let place = (sight.place)(resource.span);
        (name(place.file), place.start)
    });
    for (at, resource) in resources.into_iter().enumerate() {
        if text.len() > MAX_LENGTH {
            text.push_str("\n  // This is too long to show: `formwork expand` prints all of it.");
            break;
        }
        text.push_str(if at > 0 { ",\n" } else { "\n" });
        let place = (sight.place)(resource.span);
        let line = sight.sources.get(place.file).position(place.start).line;
        let _ = writeln!(text, "  // {}:{line}", name(place.file));
        if let Some(doubt) = resource.presence.doubt() {
            let _ =
                writeln!(text, "  // only if a condition holds: {}", sight.document.hidden.masked(&doubt.unknown.why));
        }
        let body: Value = sight.document.hidden.marked(&resource.body);
        let json = body.to_json_as(JsonStyle::INDENTED);
        let json = sight.document.hidden.masked(&json);
        for line in json.lines() {
            let _ = writeln!(text, "  {line}");
        }
        text.truncate(text.trim_end().len());
    }
    text.push_str("\n]\n");
    text
}
