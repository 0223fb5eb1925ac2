//! Places as text: files, lines and columns.

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::Finding;
use crate::text::escape::file_name;
use crate::text::{Position, Sources, Span};

/// A span as people and protocols name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The name of the file.
    pub(super) file: Arc<str>,
    /// Its first character.
    pub(super) start: Position,
    /// One past its last character.
    pub(super) end: Position,
    /// Whether it stands for the file, and not for a text in it.
    pub(super) is_whole_file: bool,
}

impl Place {
    pub(super) fn of(sources: &Sources, span: Span) -> Self {
        let source = sources.get(span.file);
        Self {
            file: Arc::clone(source.name()),
            start: source.position(span.start),
            end: source.position(span.end.max(span.start)),
            is_whole_file: span == Span::whole_file(span.file),
        }
    }

    pub(super) fn is_on_one_line(&self) -> bool {
        self.start.line == self.end.line
    }
}

/// `file:line:column`, safe for a terminal; only the name for a whole file.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&file_name(&self.file))?;
        if self.is_whole_file {
            return Ok(());
        }
        write!(f, ":{}:{}", self.start.line, self.start.column)
    }
}

/// The parameter files under which a finding holds, as [`short_names`].
pub(super) fn parameter_files(finding: &Finding) -> Option<String> {
    (!finding.parameters.is_empty()).then(|| short_names(&finding.parameters))
}

/// Files by their last names where these tell them apart.
pub(crate) fn short_names(paths: &[impl AsRef<str>]) -> String {
    let paths = || paths.iter().map(AsRef::as_ref);
    let names: Vec<&str> = paths().map(last_name).collect();
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < names.len() {
        return paths().collect::<Vec<_>>().join(", ");
    }
    names.join(", ")
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[track_caller]
    fn check_parameters(parameters: &[&str], expected: Option<&str>) {
        let mut finding = sample::run().findings.remove(0);
        finding.parameters = parameters.iter().map(|&it| Arc::from(it)).collect();
        assert_eq!(parameter_files(&finding).as_deref(), expected);
    }

    #[test]
    fn parameter_files_go_by_their_last_names() {
        check_parameters(&[], None);
        check_parameters(&["infra/dev.json", "infra/prod.json"], Some("dev.json, prod.json"));
    }

    #[test]
    fn parameter_files_of_one_last_name_keep_their_folders() {
        check_parameters(&["dev/main.json", "prod/main.json"], Some("dev/main.json, prod/main.json"));
    }

    #[test]
    fn a_place_counts_from_one_and_ends_one_past_its_text() {
        let sources = Sources::new();
        let file = sources.add("a\x1b.json", "{\r\n  \"é\": 1\n}");
        let place = Place::of(&sources, Span::new(file, 5, 9));
        assert_eq!(place.to_string(), "a\\u{1b}.json:2:3");
        assert_eq!((place.end.line, place.end.column), (2, 6));
        assert_eq!(Place::of(&sources, Span::whole_file(file)).to_string(), "a\\u{1b}.json");
    }
}
