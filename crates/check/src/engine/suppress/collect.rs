//! Finds the suppressions of a run: in the texts that it read, and in its settings.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use crate::bicep::language;
use crate::diagnostic::{Diagnostic, Run, Suppression};
use crate::engine::parse::Reading;
use crate::engine::suppress::bicep;
use crate::engine::suppress::comment::{self, Invalid, PREFIX};
use crate::engine::suppress::directive;
use crate::engine::suppress::elements::{Element, beginning, of_value};
use crate::engine::suppress::foreign::{self, Blocks};
use crate::engine::suppress::metadata::{InMetadata, OWN};
use crate::engine::suppress::{CollectedSuppression, Context, Coverage, Exempting};
use crate::syntax::{json, yaml};
use crate::text::{FileId, Source, Span};

/// Texts of which a file with suppressions contains at least one: formwork's own name, in a comment or in metadata, or
/// words of other tools.
const SIGNS: [&str; 6] = [OWN, foreign::SKIP, "rules_to_suppress", "SuppressedRules", "checkov", "#disable-"];

/// Each text of the run is searched for all signs at once.
#[expect(clippy::expect_used, reason = "words are a valid pattern, and tests compile it")]
static SIGN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&SIGNS.map(regex::escape).join("|")).expect("the pattern is valid"));

/// Returns `true` if a text may have comments that suppress findings.
fn has_comments(text: &str) -> bool {
    text.contains(PREFIX) || foreign::may_have_comments(text)
}

/// Maximum number of rules that the suppressions of a file may name.
const MAX_RULES: usize = 2_000;

/// Suppressions, and those that cannot be understood.
#[derive(Debug, Default)]
pub(in crate::engine) struct Collected {
    pub(super) entries: Vec<CollectedSuppression>,
    pub(super) invalid: Vec<Invalid>,
    /// Notes about suppressions for other tools that have no meaning here.
    pub(super) notes: Vec<Diagnostic>,
}

/// Returns the suppressions in a text of the run.
pub(in crate::engine) fn of_text(run: &Run, file: FileId, context: &Context<'_>) -> Collected {
    let source = run.sources.get(file);
    let mut collected = Collected::default();
    if SIGN.is_match(source.text()) {
        (context.isolated)(source.name(), &mut || collected.file(file, &source, context));
    }
    collected
}

/// Returns all suppressions, in the order of precedence: those in texts before those of the settings, and these before
/// exemptions.
pub(super) fn all(of_texts: Vec<Collected>, context: &Context<'_>) -> Collected {
    let mut collected = Collected::default();
    for Collected { entries, invalid, notes } in of_texts {
        collected.entries.extend(entries);
        collected.invalid.extend(invalid);
        collected.notes.extend(notes);
    }
    for (at, scoped) in context.suppressing.settings.iter().enumerate() {
        collected.entries.push(CollectedSuppression::new(scoped.suppression.clone(), Coverage::Settings(at)));
    }
    for Exempting { suppression, label, expired, is_needless } in &context.exemptions {
        let (label, expired) = (label.clone(), expired.clone());
        let coverage = Coverage::Exemption { label, expired, is_needless: *is_needless };
        collected.entries.push(CollectedSuppression::new(suppression.clone(), coverage));
    }
    collected
}

/// Parts of a file that are read for suppressions.
#[derive(Debug, Default)]
struct Content {
    comments: Vec<Range<usize>>,
    elements: Vec<Element>,
    metadata: InMetadata,
    /// The directives of the Bicep compiler, each with the text that it covers.
    directives: Vec<(Suppression, Span)>,
}

impl Collected {
    fn file(&mut self, file: FileId, source: &Source, context: &Context<'_>) {
        let Some(content) = read(file, source, context.nesting) else { return };
        let Content { comments, elements, metadata, directives } = content;
        let first = self.entries.len();
        self.invalid.extend(metadata.invalid);
        let of_text = |text: Span| Coverage::Text { places: vec![text], declared: [text].into() };
        let in_metadata = metadata.found.into_iter();
        self.entries
            .extend(in_metadata.map(|(suppression, text)| CollectedSuppression::new(suppression, of_text(text))));
        self.entries.extend(
            directives.into_iter().map(|(suppression, text)| CollectedSuppression::new(suppression, of_text(text))),
        );
        let mut lines = CommentLines::new(source, &comments);
        let blocks = if foreign::may_have_comments(source.text()) { metadata.blocks.as_slice() } else { &[] };
        let blocks = Blocks::new(blocks, source);
        for range in &comments {
            let text = source.text().get(range.clone()).unwrap_or_default();
            match comment::parse(text, file, range.start) {
                Some(Ok(suppression)) => {
                    let coverage = lines.coverage(range, &elements, file);
                    self.entries.push(CollectedSuppression::new(suppression, coverage));
                }
                Some(Err(invalid)) => self.invalid.push(invalid),
                // Finding the block of a comment may take as long as the file has blocks.
                None if self.entries.len() - first <= MAX_RULES => {
                    let Some(suppression) = foreign::comment(text, file, range.start) else { continue };
                    let block = blocks.block_around(range, |line| lines.next_after(line)).map(of_text);
                    let coverage = block.unwrap_or_else(|| lines.coverage(range, &elements, file));
                    self.entries.push(CollectedSuppression::new(suppression, coverage));
                }
                None => {}
            }
        }
        self.limit(first);
        self.translate(first, context);
    }

    /// Adds our rules to the suppressions for other tools among those from `first` on.
    fn translate(&mut self, first: usize, context: &Context<'_>) {
        let own = self.entries.get_mut(first..).unwrap_or_default();
        let mut unknown = Vec::new();
        for entry in own.iter_mut().filter(|entry| entry.suppression.is_foreign) {
            unknown.extend(foreign::translate(&mut entry.suppression, context));
            entry.is_matched.resize(entry.suppression.rules.len(), false);
        }
        self.notes.extend(foreign::note(&unknown));
    }

    /// Drops the suppressions of a file, which begin at `first`, that name too many rules. Each of them is compared
    /// with all rules that there are.
    fn limit(&mut self, first: usize) {
        let mut rules = 0;
        let exceeds = |entry: &CollectedSuppression| {
            rules += entry.suppression.rules.len();
            rules > MAX_RULES
        };
        let own = self.entries.get(first..).unwrap_or_default();
        if let Some(at) = own.iter().position(exceeds) {
            let place = own.get(at).map(|entry| entry.suppression.place);
            let message =
                format!("the suppressions of a file may name {MAX_RULES} rules; this and later ones are ignored");
            self.invalid.extend(place.map(|place| (place, message)));
            self.entries.truncate(first + at);
        }
    }
}

/// Reads a file in its language. `None` if it cannot be parsed: then no rule saw it either.
fn read(file: FileId, source: &Source, nesting: u32) -> Option<Content> {
    let (name, text) = (source.name(), source.text());
    if [".bicep", ".bicepparam"].iter().any(|extension| name.to_lowercase().ends_with(extension)) {
        return Some(read_bicep(file, source));
    }
    let reading = Reading::parse(Path::new(&**name), file, text, nesting);
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
    Some(Content { comments, elements, metadata, directives: Vec::new() })
}

fn read_bicep(file: FileId, source: &Source) -> Content {
    let tree = language::parse(file, source.text());
    let mut metadata = InMetadata::default();
    bicep::metadata(&tree, &mut metadata);
    let comments = tree.comments().map(|span| span.start as usize..span.end as usize).collect();
    let directives = directive::directives(&tree, source);
    Content { comments, elements: bicep::elements(&tree), metadata, directives }
}

/// The lines of a file, of which some have only comments.
struct CommentLines<'a> {
    source: &'a Source,
    /// The next line with more than comments, for each line from 1; the line itself counts.
    next: Vec<Option<u32>>,
    /// The elements that begin on the last line that a comment covered: hundreds of comments may be about one line.
    last: (Option<u32>, Arc<[Span]>),
}

impl<'a> CommentLines<'a> {
    fn new(source: &'a Source, comments: &[Range<usize>]) -> Self {
        let count = if comments.is_empty() { 0 } else { source.line_count() };
        let mut next = vec![None; count + 2];
        let mut nearest = None;
        for line in (1..=count).rev() {
            let number = offset(line);
            nearest = if has_code(number, comments, source) { Some(number) } else { nearest };
            if let Some(entry) = next.get_mut(line) {
                *entry = nearest;
            }
        }
        Self { source, next, last: (None, Arc::default()) }
    }

    /// Returns the first line after `line` that has more than comments.
    fn next_after(&self, line: u32) -> Option<u32> {
        self.next.get(line as usize + 1).copied().flatten()
    }

    /// Returns the coverage of a comment: its line, if there is something else on it, or the next line that has
    /// something; and all of the elements that begin there. A finding about the whole file is on the first line.
    fn coverage(&mut self, comment: &Range<usize>, elements: &[Element], file: FileId) -> Coverage {
        let own = self.source.position(offset(comment.start)).line;
        let target = self.next.get(own as usize).copied().flatten();
        let span =
            |line| self.source.line_range(line).map(|line| Span::new(file, offset(line.start), offset(line.end)));
        let mut places: Vec<Span> = span(own).into_iter().collect();
        let Some((target, line)) = target.and_then(|target| Some((target, span(target)?))) else {
            return Coverage::Text { places, declared: Arc::default() };
        };
        if self.last.0 != Some(target) {
            self.last = (Some(target), beginning(elements, line.start..line.end).into());
        }
        let declared = Arc::clone(&self.last.1);
        // Each of the elements has a part of the line, so together they are one text.
        places.push(declared.iter().fold(line, |all, element| all.to(*element)));
        Coverage::Text { places, declared }
    }
}

/// Returns `true` if a line has something besides comments. A directive of the Bicep compiler is like a comment.
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
