//! From places in compiled JSON, which nobody wrote, to places in Bicep files.
//!
//! Everything before this works with the compiled text. Whatever leaves the engine goes through here.

use std::sync::Arc;

use crate::bicep::source_map::{Exactness, Place, SourceMap, pointer_at};
use crate::diagnostic::{Diagnostic, Label};
use crate::rules::{Leaf, Verdict};
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// How a pointer leads into the template of a module.
const INTO_MODULE: &str = "/properties/template/";

/// One compiled text and the way back from it.
#[derive(Debug)]
pub(super) struct Origin {
    /// The text.
    pub(super) compiled: FileId,
    /// What it says.
    pub(super) value: Value,
    /// The way back. A parameter file has one for itself and one for each file that it extends.
    pub(super) maps: Vec<SourceMap>,
    /// Whether it is a parameter file.
    pub(super) is_parameters: bool,
    /// What stands for everything that the maps do not know.
    pub(super) fallback: Span,
}

/// The compiled texts that one expansion is made of. None for a template that is JSON itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(Vec<Arc<Origin>>);

/// Where the author wrote what is in a text that was checked.
pub(in crate::engine) enum Authored {
    /// There: it was not compiled.
    Here,
    /// In a file of his own, just so.
    At(Place),
    /// Nowhere, or not just so.
    Nowhere,
}

/// A place in the user's files.
struct Found {
    span: Span,
    /// The value alone, where the place is a property.
    value: Span,
    exactness: Exactness,
    /// The statements of modules on the way.
    through: Vec<Span>,
}

impl Origin {
    fn locate(&self, pointer: &str) -> Found {
        // The compiler calls a default what a parameter file calls a value.
        let renamed = self.is_parameters.then(|| pointer.replacen("/value", "/defaultValue", 1));
        let pointer = renamed.as_deref().unwrap_or(pointer);
        let mut places = self.maps.iter().map(|it| it.locate(pointer));
        let place = places.find(|it| it.exactness != Exactness::Generated || !it.through.is_empty());
        place.map_or_else(
            || Found {
                span: self.fallback,
                value: self.fallback,
                exactness: Exactness::Generated,
                through: Vec::new(),
            },
            |Place { span, value, exactness, through }| Found { span, value, exactness, through },
        )
    }

    fn at(&self, span: Span) -> (String, Found) {
        let pointer = pointer_at(&self.value, span).unwrap_or_default();
        let found = self.locate(&pointer);
        (pointer, found)
    }
}

impl Origins {
    pub(super) fn new(origin: Arc<Origin>) -> Self {
        Self(vec![origin])
    }

    /// Both.
    #[must_use]
    pub(in crate::engine) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// Whether nothing was compiled.
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the author wrote the value that is at `span`, or the object.
    pub(in crate::engine) fn authored(&self, span: Span) -> Authored {
        let Some(origin) = self.of(span) else { return Authored::Here };
        let pointer = pointer_at(&origin.value, span).filter(|_| !origin.is_parameters);
        let place = pointer.and_then(|it| origin.maps.first().map(|map| map.locate(&it)));
        place.filter(|it| it.exactness == Exactness::Exact).map_or(Authored::Nowhere, Authored::At)
    }

    fn of(&self, span: Span) -> Option<&Origin> {
        self.0.iter().map(|it| &**it).find(|it| it.compiled == span.file)
    }

    /// The place in the user's files.
    pub(crate) fn span(&self, span: Span, sources: &Sources) -> Span {
        self.of(span).map_or(span, |it| shown(&it.at(span).1, sources))
    }

    /// Puts a problem, and what explains it, into the user's files.
    pub(in crate::engine) fn diagnostic(&self, diagnostic: &mut Diagnostic, sources: &Sources) {
        for label in &mut diagnostic.secondary {
            label.span = self.span(label.span, sources);
        }
        if let Some(origin) = self.of(diagnostic.primary.span) {
            let (_, found) = origin.at(diagnostic.primary.span);
            diagnostic.primary.span = shown(&found, sources);
            diagnostic.secondary.extend(found.through.into_iter().rev().map(|it| statement(it, sources)));
        }
    }

    /// Puts a verdict into the user's files.
    pub(in crate::engine) fn verdict(&self, mut verdict: Verdict, sources: &Sources) -> Verdict {
        if !self.0.is_empty() {
            let (span, _) = self.placed(verdict.span, &verdict.path, Vec::new(), sources);
            verdict.span = span;
            for leaf in &mut verdict.leaves {
                let Leaf { path, span, extent, related, .. } = leaf;
                *extent = self.of(*extent).map_or(*extent, |it| it.at(*extent).1.value);
                (*span, *related) = self.placed(*span, path, std::mem::take(related), sources);
            }
        }
        verdict
    }

    /// The place of what is at `path`, written at `span`, with what explains it.
    fn placed(&self, span: Span, path: &str, related: Vec<Label>, sources: &Sources) -> (Span, Vec<Label>) {
        let Some(origin) = self.of(span) else {
            return (span, related.into_iter().map(|it| self.label(it, sources).0).collect());
        };
        // Behind the text of an expression only the path leads on: into what the expression evaluates to.
        let pointer = pointer_of(path);
        let by_path = origin.locate(&pointer);
        let (pointer, found) = match by_path.exactness {
            Exactness::Generated => origin.at(span),
            _ => (pointer, by_path),
        };
        let mut labels: Vec<Label> = Vec::new();
        let mut primary = shown(&found, sources);
        let is_in_registry = found.exactness != Exactness::Exact && pointer.contains(INTO_MODULE);
        let mut is_placed = !is_in_registry;
        for label in related {
            let (label, is_exact) = self.label(label, sources);
            if !is_placed && is_exact && label.span != primary {
                // The module is not the user's: what he can change is its argument.
                labels.insert(0, statement(primary, sources));
                primary = label.span;
                is_placed = true;
            }
            labels.push(label);
        }
        labels.extend(found.through.into_iter().rev().map(|it| statement(it, sources)));
        let mut distinct: Vec<Label> = Vec::new();
        for label in labels {
            if label.span != primary && !distinct.iter().any(|it| it.span == label.span) {
                distinct.push(label);
            }
        }
        (primary, distinct)
    }

    /// The label in the user's files, and whether its place is just what it says.
    fn label(&self, label: Label, sources: &Sources) -> (Label, bool) {
        match self.of(label.span).map(|it| it.at(label.span).1) {
            Some(found) => {
                let is_exact = found.exactness == Exactness::Exact;
                (Label { span: shown(&found, sources), ..label }, is_exact)
            }
            None => (label, true),
        }
    }
}

fn statement(span: Span, sources: &Sources) -> Label {
    Label { span: first_line(span, sources), message: "deployed by this module".to_owned() }
}

/// What to point at: of a text that only holds the matter somewhere, its first line.
fn shown(found: &Found, sources: &Sources) -> Span {
    match found.exactness {
        Exactness::Exact => found.span,
        Exactness::Nearest | Exactness::Generated => first_line(found.span, sources),
    }
}

fn first_line(span: Span, sources: &Sources) -> Span {
    let source = sources.get(span.file);
    let line = source.line_range(source.position(span.start).line);
    let end = line.and_then(|it| u32::try_from(it.end).ok()).unwrap_or(span.end);
    Span { end: span.end.min(end).max(span.start), ..span }
}

/// The JSON pointer to what reports call `resources[0].properties['a.b']`; as far as it says where that is.
fn pointer_of(path: &str) -> String {
    let mut pointer = String::new();
    let mut rest = path;
    loop {
        let (step, after) = if let Some(quoted) = rest.strip_prefix("['") {
            let Some(end) = quoted.find("']") else { break };
            (quoted[..end].replace("''", "'"), &quoted[end + 2..])
        } else if let Some(index) = rest.strip_prefix('[') {
            let Some(end) = index.find(']') else { break };
            (index[..end].to_owned(), &index[end + 1..])
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            (name[..end].to_owned(), &name[end..])
        };
        if step.is_empty() || step == "*" {
            break;
        }
        pointer.push('/');
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        rest = after;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_pointers() {
        let check = |path, expected: &str| assert_eq!(pointer_of(path), expected, "{path}");
        check("", "");
        check("resources[0].properties.x", "/resources/0/properties/x");
        check("resources.a::b.tags['a.b/c']", "/resources/a::b/tags/a.b~1c");
        check("outputs['it''s']", "/outputs/it's");
        check("resources[0].properties.list[*].x", "/resources/0/properties/list");
        check("resources[0].properties.", "/resources/0/properties");
    }

    #[test]
    fn a_place_that_only_holds_the_matter_is_its_first_line() {
        let sources = Sources::new();
        let file = sources.add("main.bicep", "module m 'x' = {\r\n  a: 1\n}\n");
        assert_eq!(first_line(Span::new(file, 0, 26), &sources), Span::new(file, 0, 16));
        assert_eq!(first_line(Span::new(file, 0, 6), &sources), Span::new(file, 0, 6));
        assert_eq!(first_line(Span::whole_file(file), &sources), Span::whole_file(file));
    }
}
