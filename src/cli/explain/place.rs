//! Other ways to name a value than by its path: the line of a file, and the symbolic name or the logical ID of a resource.

use std::path::{Path, PathBuf};

use crate::cli::explain::find::starts;
use crate::cli::explain::path::{Segment, parse};
use crate::engine::Expanded;
use crate::model::{Document, Resource, Walk, join_key};
use crate::text::Sources;

/// How deep a value may be in a resource to be found by its line.
const MAX_DEPTH: usize = 64;

/// How many values are looked at.
const MAX_VALUES: usize = 1 << 20;

/// The file and the line that `FILE:LINE` or `FILE:LINE:COLUMN` names. `None` if there is no such number, or a file with
/// this whole name.
pub(super) fn line_of(argument: &Path, working: &Path) -> Option<(PathBuf, u32)> {
    if working.join(argument).exists() {
        return None;
    }
    let (rest, last) = argument.to_str()?.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some((file.into(), line)),
        None => Some((rest.into(), last)),
    }
}

/// The paths of the outermost values that begin on a line of the template, each once.
pub(super) fn paths_on(line: u32, expanded: &Expanded, document: &Document, sources: &Sources) -> Vec<Vec<Segment>> {
    let mut search = Search { line, expanded, sources, left: MAX_VALUES, found: Vec::new() };
    for start in starts(document) {
        let is_template = start.resource.is_none();
        search.visit(Walk::new(start.path.as_str(), start.value, start.span), is_template, 0);
    }
    search.found.iter().filter_map(|path| parse(path).ok()).collect()
}

struct Search<'a> {
    line: u32,
    expanded: &'a Expanded,
    sources: &'a Sources,
    left: usize,
    found: Vec<String>,
}

impl Search<'_> {
    /// Looks at a value and what is in it. Resources are looked at as resources, and not as parts of a template.
    fn visit(&mut self, walk: Walk<'_>, is_template: bool, depth: usize) {
        if self.left == 0 || depth > MAX_DEPTH {
            return;
        }
        self.left -= 1;
        let place = self.expanded.place(walk.span(), self.sources);
        // A Bicep file and what it is compiled to have one name.
        let source = self.sources.get(place.file);
        let is_here = source.name() == self.sources.get(self.expanded.file).name()
            && source.position(place.start).line == self.line
            && !walk.path().is_empty();
        if is_here {
            if !self.found.iter().any(|path| path == walk.path()) {
                self.found.push(walk.path().to_owned());
            }
            return;
        }
        for member in walk.members().into_iter().flatten() {
            if !is_template || !member.key.eq_ignore_ascii_case("resources") {
                let mut inner = walk.clone();
                inner.member(&member.key);
                self.visit(inner, false, depth + 1);
            }
        }
        for index in 0..walk.value().and_then(|value| value.as_array()).map_or(0, <[_]>::len) {
            let mut inner = walk.clone();
            inner.item(index);
            self.visit(inner, false, depth + 1);
        }
    }
}

/// The paths that are meant by one that begins with a symbolic name or a logical ID. Empty if there is no such resource.
pub(super) fn paths_of_name(
    path: &[Segment],
    expanded: &Expanded,
    document: &Document,
    sources: &Sources,
) -> Vec<Vec<Segment>> {
    let Some((Segment::Key(name), rest)) = path.split_first() else { return Vec::new() };
    let is_meant = |resource: &&Resource| {
        resource.symbolic_name.as_ref().is_some_and(|symbol| **symbol == *name)
            || resource.path == join_key("Resources", name)
            || declared_name(resource, expanded, sources).is_some_and(|declared| declared == *name)
    };
    let mut paths: Vec<Vec<Segment>> = Vec::new();
    for resource in document.resources.iter().filter(is_meant) {
        let path = parse(&resource.path).unwrap_or_default();
        let path: Vec<Segment> = path.into_iter().chain(rest.iter().cloned()).collect();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The name that a declaration of Bicep gives to a resource.
fn declared_name(resource: &Resource, expanded: &Expanded, sources: &Sources) -> Option<String> {
    let place = expanded.place(resource.span, sources);
    let source = sources.get(place.file);
    if !source.name().ends_with(".bicep") {
        return None;
    }
    let text = source.text().get(place.start as usize..)?;
    // Decorators are on lines before.
    let declaration = text.lines().take(MAX_DEPTH).find_map(|line| line.trim_start().strip_prefix("resource "))?;
    let name = declaration.trim_start().split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_follows_the_name_of_a_file() {
        let of = |text: &str| line_of(Path::new(text), Path::new("/nowhere"));
        assert_eq!(of("a/main.bicep:12"), Some(("a/main.bicep".into(), 12)));
        assert_eq!(of("main.json:12:9"), Some(("main.json".into(), 12)));
        assert_eq!(of("main.json"), None);
        assert_eq!(of("main.json:x"), None);
    }
}
