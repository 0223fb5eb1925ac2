//! Maps positions in compiled JSON to positions in the Bicep files that the user wrote.
//!
//! Expansion and rules work with the compiled JSON. Everything that leaves the engine is translated here.

use std::sync::Arc;

use crate::bicep::source_map::{Exactness, SourceLocation, SourceMap, pointer_at};
use crate::diagnostic::{Diagnostic, Label};
use crate::rules::{Leaf, Verdict};
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// The part of a pointer that leads into the template of a module.
const INTO_MODULE: &str = "/properties/template/";

/// Part of every pointer to a parameter of a nested template.
const PARAMETERS: &str = "/properties/template/parameters/";

/// Compiled JSON with the maps to its Bicep files.
#[derive(Debug)]
pub(super) struct Origin {
    /// The source that holds the compiled JSON.
    pub(super) compiled: FileId,
    /// The parsed JSON.
    pub(super) value: Value,
    /// The maps to the Bicep files. A parameter file has one for itself and one for each file that it extends.
    pub(super) maps: Vec<SourceMap>,
    /// True if the Bicep file is a parameter file.
    pub(super) is_parameters: bool,
    /// The position for everything that the maps do not cover.
    pub(super) fallback: Span,
}

/// The compiled sources of one expansion. Empty for a template that was written as JSON.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<Arc<Origin>>);

/// Position at which the author wrote a value that was checked.
pub(in crate::engine) enum Authored {
    /// The value is in the checked file itself, which was not compiled.
    Here,
    /// The value is the same in a Bicep file.
    At(SourceLocation),
    /// Nowhere, or as an expression that the compiler turned into this value.
    Nowhere,
}

/// A position in the user's files.
struct SourcePosition {
    span: Span,
    /// The position of the value alone, if `span` is that of a whole property.
    value: Span,
    exactness: Exactness,
    /// The module statements that lead to the position, outermost first.
    through: Vec<Span>,
}

impl Origin {
    fn locate(&self, pointer: &str) -> SourcePosition {
        // The `value` of a parameter file corresponds to a `defaultValue` in the maps.
        let renamed = self.is_parameters.then(|| pointer.replacen("/value", "/defaultValue", 1));
        let pointer = renamed.as_deref().unwrap_or(pointer);
        let mut places = self.maps.iter().map(|map| map.locate(pointer));
        let place = places.find(|place| place.exactness != Exactness::Generated || !place.through.is_empty());
        place.map_or_else(
            || SourcePosition {
                span: self.fallback,
                value: self.fallback,
                exactness: Exactness::Generated,
                through: Vec::new(),
            },
            |SourceLocation { span, value, exactness, through }| SourcePosition { span, value, exactness, through },
        )
    }

    fn locate_span(&self, span: Span) -> (String, SourcePosition) {
        let pointer = pointer_at(&self.value, span).unwrap_or_default();
        let found = self.locate(&pointer);
        (pointer, found)
    }
}

impl Origins {
    pub(super) fn new(origin: Arc<Origin>) -> Self {
        Self(vec![origin])
    }

    /// Returns the compiled sources of both operands.
    #[must_use]
    pub(in crate::engine) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// Returns `true` if nothing was compiled.
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the position at which the author wrote the value or object at `span`.
    pub(in crate::engine) fn authored(&self, span: Span) -> Authored {
        let Some(origin) = self.origin_of(span) else { return Authored::Here };
        let pointer = pointer_at(&origin.value, span).filter(|_| !origin.is_parameters);
        let place = pointer.and_then(|pointer| Some(origin.maps.first()?.locate(&pointer)));
        place.filter(|place| place.exactness == Exactness::Exact).map_or(Authored::Nowhere, Authored::At)
    }

    fn origin_of(&self, span: Span) -> Option<&Origin> {
        self.0.iter().map(|origin| &**origin).find(|origin| origin.compiled == span.file)
    }

    /// Returns `true` if a position is in a text that was generated.
    pub(in crate::engine) fn is_compiled(&self, span: Span) -> bool {
        self.origin_of(span).is_some()
    }

    /// Returns the position in the user's files, like [`Self::span`]. For a position in a module, it is the statement
    /// in the deployed template that refers to the module.
    pub(in crate::engine) fn outermost(&self, span: Span, sources: &Sources) -> Span {
        let Some(origin) = self.origin_of(span) else { return span };
        let (_, found) = origin.locate_span(span);
        found.through.first().map_or_else(|| shown(&found, sources), |statement| first_line(*statement, sources))
    }

    /// Returns the position in the user's files for a position in any source.
    pub fn span(&self, span: Span, sources: &Sources) -> Span {
        self.origin_of(span).map_or(span, |origin| shown(&origin.locate_span(span).1, sources))
    }

    /// Keeps a literal out of all excerpts, both of the compiled text and of what the author wrote.
    pub(in crate::engine) fn hide(&self, span: Span, sources: &Sources) {
        sources.hide(span);
        let found = self.origin_of(span).map(|origin| origin.locate_span(span).1);
        if let Some(found) = found.filter(|found| found.exactness != Exactness::Generated) {
            sources.hide(found.value);
        }
    }

    /// Moves a diagnostic and its labels into the user's files.
    pub(in crate::engine) fn diagnostic(&self, diagnostic: &mut Diagnostic, sources: &Sources) {
        for label in &mut diagnostic.secondary {
            label.span = self.span(label.span, sources);
        }
        if let Some(origin) = self.origin_of(diagnostic.primary.span) {
            let (_, found) = origin.locate_span(diagnostic.primary.span);
            diagnostic.primary.span = shown(&found, sources);
            diagnostic.secondary.extend(found.through.into_iter().rev().map(|span| statement(span, sources)));
        }
    }

    /// Moves a verdict into the user's files.
    pub(in crate::engine) fn verdict(&self, mut verdict: Verdict, sources: &Sources) -> Verdict {
        if !self.0.is_empty() {
            let (span, _) = self.placed(verdict.span, &verdict.path, Vec::new(), sources);
            verdict.span = span;
            for leaf in &mut verdict.leaves {
                let Leaf { path, span, extent, related, .. } = leaf;
                *extent = self.origin_of(*extent).map_or(*extent, |origin| origin.locate_span(*extent).1.value);
                (*span, *related) = self.placed(*span, path, std::mem::take(related), sources);
            }
        }
        verdict
    }

    /// Returns the position of the value at `path`, which was computed from the expression at `span`, and its labels.
    fn placed(&self, span: Span, path: &str, related: Vec<Label>, sources: &Sources) -> (Span, Vec<Label>) {
        let Some(origin) = self.origin_of(span) else {
            return (span, related.into_iter().map(|label| self.label(label, sources).0).collect());
        };
        // Only the path leads into the result of an expression; `span` covers the whole expression.
        let pointer = pointer_of(path);
        let by_path = origin.locate(&pointer);
        let (pointer, found) = match by_path.exactness {
            Exactness::Generated => origin.locate_span(span),
            // The path is that of the declaration, and the argument is what is wrong.
            Exactness::Nearest if pointer.contains(PARAMETERS) => origin.locate_span(span),
            _ => (pointer, by_path),
        };
        let mut labels: Vec<Label> = Vec::new();
        let mut primary = shown(&found, sources);
        let is_in_registry = found.exactness != Exactness::Exact && pointer.contains(INTO_MODULE);
        let mut is_placed = !is_in_registry;
        for label in related {
            let (label, is_exact) = self.label(label, sources);
            if !is_placed && is_exact && label.span != primary {
                // The user cannot change a module in a registry, only the arguments passed to it.
                labels.insert(0, statement(primary, sources));
                primary = label.span;
                is_placed = true;
            }
            labels.push(label);
        }
        labels.extend(found.through.into_iter().rev().map(|span| statement(span, sources)));
        let mut distinct: Vec<Label> = Vec::new();
        for label in labels {
            if label.span != primary && !distinct.iter().any(|known| known.span == label.span) {
                distinct.push(label);
            }
        }
        (primary, distinct)
    }

    /// Returns the label in the user's files, and whether its position is exact.
    fn label(&self, label: Label, sources: &Sources) -> (Label, bool) {
        match self.origin_of(label.span).map(|origin| origin.locate_span(label.span).1) {
            Some(found) => {
                let is_exact = found.exactness == Exactness::Exact;
                (Label { span: shown(&found, sources), ..label }, is_exact)
            }
            None => (label, true),
        }
    }
}

fn statement(span: Span, sources: &Sources) -> Label {
    Label::module(first_line(span, sources))
}

/// Returns the span to show: all of an exact position, or the first line of any other.
fn shown(found: &SourcePosition, sources: &Sources) -> Span {
    match found.exactness {
        Exactness::Exact => found.span,
        Exactness::Nearest | Exactness::Generated => first_line(found.span, sources),
    }
}

fn first_line(span: Span, sources: &Sources) -> Span {
    let source = sources.get(span.file);
    let line = source.line_range(source.position(span.start).line);
    let end = line.and_then(|line| u32::try_from(line.end).ok()).unwrap_or(span.end);
    Span { end: span.end.min(end).max(span.start), ..span }
}

/// Returns the JSON pointer for a path such as `resources[0].properties['a.b']`, up to the first step that has no
/// equivalent.
fn pointer_of(path: &str) -> String {
    let mut pointer = String::new();
    let mut rest = path;
    loop {
        let (step, after) = if let Some(quoted) = rest.strip_prefix("['") {
            let Some((name, after)) = quoted.split_once("']") else { break };
            (name.replace("''", "'"), after)
        } else if let Some(index) = rest.strip_prefix('[') {
            let Some((index, after)) = index.split_once(']') else { break };
            (index.to_owned(), after)
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, after) = name.split_at_checked(end).unwrap_or((name, ""));
            (name.to_owned(), after)
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
    fn an_inexact_position_is_shown_as_its_first_line() {
        let sources = Sources::new();
        let file = sources.add("main.bicep", "module m 'x' = {\r\n  a: 1\n}\n");
        assert_eq!(first_line(Span::new(file, 0, 26), &sources), Span::new(file, 0, 16));
        assert_eq!(first_line(Span::new(file, 0, 6), &sources), Span::new(file, 0, 6));
        assert_eq!(first_line(Span::whole_file(file), &sources), Span::whole_file(file));
    }
}
