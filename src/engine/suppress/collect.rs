//! Finds the suppressions of a run: in the texts that it read, and in its settings.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "cli")]
use crate::bicep::reader;
use crate::diagnostic::{Diagnostic, Run, Suppression};
use crate::engine::parse::Reading;
#[cfg(feature = "cli")]
use crate::engine::suppress::bicep;
use crate::engine::suppress::comment::{self, Invalid, PREFIX};
use crate::engine::suppress::elements::{Element, beginning, of_value};
use crate::engine::suppress::foreign;
use crate::engine::suppress::metadata::InMetadata;
use crate::engine::suppress::{Context, Coverage, Entry};
use crate::syntax::{json, yaml};
use crate::text::{FileId, Source, Span};

/// What metadata with suppressions contains: `suppress`, or the name of another tool's list.
const IN_METADATA: [&str; 3] = ["suppress", "SuppressedRules", "checkov"];

/// Whether a text may have comments that suppress findings.
fn has_comments(text: &str) -> bool {
    text.contains(PREFIX) || foreign::may_have_comments(text)
}

/// The suppressions of a run, and those that cannot be understood.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) entries: Vec<Entry>,
    pub(super) invalid: Vec<Invalid>,
    /// What suppressions for other tools say that means nothing here.
    pub(super) notes: Vec<Diagnostic>,
}

/// All suppressions, in the order of precedence: those in texts before those of the settings.
pub(super) fn collect(run: &Run, context: &Context<'_>) -> Collected {
    let mut collected = Collected::default();
    for file in run.sources.ids().filter(|file| context.before.is_none_or(|before| *file > before)) {
        let source = run.sources.get(file);
        let text = source.text();
        if has_comments(text) || IN_METADATA.iter().any(|word| text.contains(word)) {
            (context.isolated)(source.name(), &mut || collected.file(file, &source, context));
        }
    }
    #[cfg(feature = "cli")]
    for (at, scoped) in context.suppressing.settings.iter().enumerate() {
        collected.entries.push(Entry::new(scoped.suppression.clone(), Coverage::Settings(at)));
    }
    collected
}

/// What a file has: comments, elements, and metadata.
#[derive(Debug, Default)]
struct Content {
    comments: Vec<Range<usize>>,
    elements: Vec<Element>,
    metadata: InMetadata,
}

impl Collected {
    fn file(&mut self, file: FileId, source: &Source, context: &Context<'_>) {
        let Some(content) = read(file, source, context.nesting) else { return };
        let Content { comments, elements, metadata } = &content;
        self.invalid.extend(metadata.invalid.iter().cloned());
        let mut unknown = Vec::new();
        let in_metadata = metadata.found.iter().cloned();
        let mut found: Vec<(Suppression, Coverage)> = in_metadata
            .map(|(suppression, text)| (suppression, Coverage::Text { places: vec![text], declared: vec![text] }))
            .collect();
        for range in comments {
            let text = source.text().get(range.clone()).unwrap_or_default();
            let of_line = || coverage(range, comments, elements, file, source);
            match comment::parse(text, file, range.start) {
                Some(Ok(suppression)) => found.push((suppression, of_line())),
                Some(Err(invalid)) => self.invalid.push(invalid),
                None => {
                    let Some(suppression) = foreign::comment(text, file, range.start) else { continue };
                    let block = foreign::block(range, &metadata.blocks, source);
                    let of_block = block.map(|block| Coverage::Text { places: vec![block], declared: vec![block] });
                    found.push((suppression, of_block.unwrap_or_else(of_line)));
                }
            }
        }
        for (mut suppression, coverage) in found {
            if suppression.is_foreign {
                unknown.extend(foreign::translate(&mut suppression, context));
            }
            self.entries.push(Entry::new(suppression, coverage));
        }
        self.notes.extend(foreign::note(&unknown));
    }
}

/// Reads a file in its language. `None` if it cannot be parsed: then no rule saw it either.
fn read(file: FileId, source: &Source, nesting: u32) -> Option<Content> {
    let (name, text) = (source.name(), source.text());
    #[cfg(feature = "cli")]
    if [".bicep", ".bicepparam"].iter().any(|extension| name.to_lowercase().ends_with(extension)) {
        return Some(read_bicep(file, text));
    }
    let reading = Reading::of(Path::new(&**name), file, text, nesting);
    let is_json = reading.is_json(true);
    let value = reading.into_chosen(true).value?;
    let mut metadata = InMetadata::default();
    metadata.template(&value, Span::new(file, 0, offset(text.len())));
    let comments = if !has_comments(text) {
        Vec::new()
    } else if is_json {
        json::comments(text)
    } else {
        yaml::comments(file, text)
    };
    let elements = if comments.is_empty() { Vec::new() } else { of_value(&value) };
    Some(Content { comments, elements, metadata })
}

#[cfg(feature = "cli")]
fn read_bicep(file: FileId, text: &Arc<str>) -> Content {
    let (tree, _) = reader::read(file, text);
    let mut metadata = InMetadata::default();
    bicep::metadata(&tree, &mut metadata);
    let comments = reader::comments(file, text).into_iter();
    let comments = comments.map(|range| range.start as usize..range.end as usize).collect();
    Content { comments, elements: bicep::elements(&tree), metadata }
}

/// What a comment covers: its line, if there is something else on it, or the next line that has something; and all of the
/// elements that begin there.
fn coverage(
    comment: &Range<usize>,
    comments: &[Range<usize>],
    elements: &[Element],
    file: FileId,
    source: &Source,
) -> Coverage {
    let own = source.position(offset(comment.start)).line;
    let last = source.position(offset(comment.end)).line;
    let (first, mut lines) = (own, own..=last);
    let is_alone = |line: u32| !has_code(line, comments, source);
    let target = if (own..=last).all(is_alone) {
        let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
        (last + 1..=count).find(|&line| !is_alone(line))
    } else {
        lines.find(|&line| !is_alone(line))
    };
    let spans = [Some(first), target].into_iter().flatten().filter_map(|line| source.line_range(line));
    let mut places: Vec<Span> = spans.map(|line| Span::new(file, offset(line.start), offset(line.end))).collect();
    let declared = places.last().map_or_else(Vec::new, |line| beginning(elements, line.start..line.end));
    places.extend(&declared);
    Coverage::Text { places, declared }
}

/// Whether a line has something besides comments. A directive of the Bicep compiler is like a comment.
fn has_code(line: u32, comments: &[Range<usize>], source: &Source) -> bool {
    let Some(range) = source.line_range(line) else { return false };
    let mut at = range.start;
    let first = comments.partition_point(|comment| comment.end <= range.start);
    for comment in comments.get(first..).unwrap_or_default().iter().take_while(|comment| comment.start < range.end) {
        if is_code(source.text().get(at..comment.start.max(at))) {
            return true;
        }
        at = comment.end;
    }
    is_code(source.text().get(at..range.end.max(at)))
}

fn is_code(text: Option<&str>) -> bool {
    let text = text.unwrap_or_default().trim();
    !text.is_empty() && !text.starts_with('#')
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
