//! Locations in SARIF.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_sarif::sarif;

use crate::SarifOptions;
use crate::diagnostic::ResourceRef;
use crate::model::{Finding, Place};
use crate::text::escape::{uri_path, visible_lines};

/// Converts places to locations.
#[derive(Clone, Copy)]
pub(super) struct Locator<'a> {
    /// Names of the files in the repository.
    names: Option<&'a BTreeMap<Arc<str>, String>>,
}

impl<'a> Locator<'a> {
    pub(super) fn new(options: &SarifOptions<'a>) -> Self {
        Self { names: options.names }
    }

    /// Returns the location of a place.
    pub(super) fn location(self, place: &Place) -> sarif::Location {
        let region = sarif::Region::builder()
            .start_line(place.start.line)
            .start_column(place.start.column)
            .end_line(place.end.line)
            .end_column(place.end.column)
            .build();
        let file = place.file.name();
        let name = self.names.and_then(|name| name.get(file)).map_or(&**file, String::as_str);
        let artifact = sarif::ArtifactLocation::builder().uri(uri(name)).build();
        let physical = sarif::PhysicalLocation::builder().artifact_location(artifact).region(region).build();
        sarif::Location::builder().physical_location(physical).build()
    }

    /// Returns the location of a finding, with its resource.
    pub(super) fn of_finding(self, finding: &Finding) -> sarif::Location {
        let mut location = self.location(&finding.place);
        location.logical_locations = finding.resource.as_ref().map(|resource| vec![logical(resource)]);
        location
    }

    /// Returns a location that explains a result. GitHub links to it by its ID.
    pub(super) fn related(self, place: &Place, text: &str, id: i64) -> sarif::Location {
        let mut location = self.location(place);
        location.id = Some(id);
        location.message = Some(sarif::Message::builder().text(visible_lines(text)).build());
        location
    }
}

fn logical(resource: &ResourceRef) -> sarif::LogicalLocation {
    sarif::LogicalLocation::builder()
        .name(resource.name.clone())
        .fully_qualified_name(resource.id.clone())
        .decorated_name(format!("{} {}", resource.type_name, resource.name))
        .kind("resource")
        .build()
}

/// Converts the name of a file to a reference (RFC 3986): relative if the name is, else a `file` URI.
fn uri(name: &str) -> String {
    if let [letter, b':', b'/', ..] = name.as_bytes()
        && letter.is_ascii_alphabetic()
        && let Some((drive, path)) = name.split_at_checked(2)
    {
        return format!("file:///{drive}{}", uri_path(path));
    }
    let scheme = if name.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", uri_path(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(uri(name), expected);
    }

    #[test]
    fn a_relative_name_stays_relative() {
        check("infra/main.json", "infra/main.json");
        check("../a.json", "../a.json");
    }

    #[test]
    fn what_a_uri_cannot_hold_is_escaped() {
        check("naïve dir/a:b,c#d%?.json", "na%C3%AFve%20dir/a%3Ab%2Cc%23d%25%3F.json");
        check("<stdin>", "%3Cstdin%3E");
    }

    #[test]
    fn an_absolute_name_is_a_file() {
        check("/tmp/a b.json", "file:///tmp/a%20b.json");
        check("C:/a.json", "file:///C:/a.json");
    }
}
