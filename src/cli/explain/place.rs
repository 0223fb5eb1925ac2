//! Other ways to name a value than by its path: the line of a file, and the symbolic name or the logical ID of a
//! resource.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::explain::find::starts;
use crate::cli::explain::path::{Segment, parse};
use crate::engine::Expanded;
use crate::model::{Document, Limits, Resource, Walk, join_key};
use crate::syntax::json;
use crate::text::{Sources, Span};

/// Maximum depth of a value in a resource.
const MAX_DEPTH: usize = 64;

/// Maximum number of values that are visited.
const MAX_VALUES: usize = 1 << 20;

/// The path of the values of the template's own parameters.
const PARAMETERS: &str = "parameters";

/// Returns the file and the line of `FILE:LINE` or `FILE:LINE:COLUMN`. `None` if there is no such number, or a file
/// with this whole name exists.
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

/// Returns the paths of the outermost values that begin on a line of the file that the user passed, without
/// duplicates.
pub(super) fn paths_on(line: u32, expanded: &Expanded, document: &Document, sources: &Sources) -> Vec<Vec<Segment>> {
    let is_template = expanded.named == expanded.file;
    let mut search = LineSearch {
        line,
        is_template,
        expanded,
        sources,
        left: MAX_VALUES,
        found: Vec::new(),
        known: BTreeSet::default(),
    };
    // A parameter file gives values to the parameters of the template, which pass them on.
    for start in starts(document).filter(|start| is_template || start.path == PARAMETERS) {
        let is_text = start.resource.is_none();
        search.visit(Walk::new(start.path.as_str(), start.value, start.span), is_text, 0);
    }
    if search.found.is_empty() && !is_template {
        search.found.extend(named_on(line, expanded, document, sources));
    }
    search.found.iter().filter_map(|path| parse(path).ok()).collect()
}

/// Returns the path of the parameter whose name is on a line of the parameter file. Its value may begin on a later
/// line.
fn named_on(line: u32, expanded: &Expanded, document: &Document, sources: &Sources) -> Option<String> {
    let source = sources.get(expanded.named);
    let text = source.text();
    let name = if source.name().ends_with(".bicepparam") {
        let declaration = text.get(source.line_range(line)?)?.trim_start().strip_prefix("param ")?;
        declaration.split(['=', ' ']).find(|part| !part.is_empty())?.to_owned()
    } else {
        let written = json::parse(expanded.named, text, Limits::default().nesting).value?;
        let is_here = |key: Span| source.position(key.start).line == line;
        let mut members = written.get(PARAMETERS)?.as_object()?.iter();
        members.find(|member| member.key_span.is_some_and(is_here))?.key.to_string()
    };
    let parameters = starts(document).find(|start| start.path == PARAMETERS)?.value.as_object()?;
    Some(join_key(PARAMETERS, &parameters.member(&name)?.key))
}

/// A search for the values that begin on a line.
struct LineSearch<'a> {
    line: u32,
    /// True if the line is in the template, not in a parameter file.
    is_template: bool,
    expanded: &'a Expanded,
    sources: &'a Sources,
    left: usize,
    found: Vec<String>,
    /// The paths in `found`.
    known: BTreeSet<String>,
}

impl LineSearch<'_> {
    /// Visits a value and everything nested in it. Resources are visited as resources, not as parts of a template.
    fn visit(&mut self, walk: Walk<'_>, is_text: bool, depth: usize) {
        if self.left == 0 || depth > MAX_DEPTH {
            return;
        }
        self.left -= 1;
        let span = if self.is_template { walk.span() } else { walk.extent() };
        let place = self.expanded.place(span, self.sources);
        // A Bicep file and its compiled template have the same name.
        let source = self.sources.get(place.file);
        let is_here = source.name() == self.sources.get(self.expanded.named).name()
            && source.position(place.start).line == self.line
            && !walk.path().is_empty();
        if is_here {
            if self.known.insert(walk.path().to_owned()) {
                self.found.push(walk.path().to_owned());
            }
            return;
        }
        for member in walk.members().into_iter().flatten() {
            if !is_text || !member.key.eq_ignore_ascii_case("resources") {
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

/// Returns the paths that begin with the resources of a symbolic name or logical ID. Resources of the template have
/// precedence over those of its modules. Empty if there is no such resource.
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
    let meant: Vec<&Resource> = document.resources.iter().filter(is_meant).collect();
    let has_own = meant.iter().any(|resource| is_in_template(resource, expanded, sources));
    let mut paths: Vec<Vec<Segment>> = Vec::new();
    for resource in meant.into_iter().filter(|resource| !has_own || is_in_template(resource, expanded, sources)) {
        let path = parse(&resource.path).unwrap_or_default();
        let path: Vec<Segment> = path.into_iter().chain(rest.iter().cloned()).collect();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

fn is_in_template(resource: &Resource, expanded: &Expanded, sources: &Sources) -> bool {
    let span = expanded.place(resource.span, sources);
    sources.get(span.file).name() == sources.get(expanded.file).name()
}

/// Returns the name in the Bicep declaration of a resource, or of the module that deploys it.
fn declared_name(resource: &Resource, expanded: &Expanded, sources: &Sources) -> Option<String> {
    let place = expanded.place(resource.span, sources);
    let source = sources.get(place.file);
    if !source.name().ends_with(".bicep") {
        return None;
    }
    let text = source.text().get(place.start as usize..)?;
    // Decorators are on the lines before the declaration.
    let declaration = text
        .lines()
        .take(MAX_DEPTH)
        .map(str::trim_start)
        .find_map(|line| line.strip_prefix("resource ").or_else(|| line.strip_prefix("module ")))?;
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
