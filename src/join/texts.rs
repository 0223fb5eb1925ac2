//! The texts of the files that reports name, so that their places become spans again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use foldhash::HashMap;

use crate::files::{normalize, read_bytes, register, repository_of};
use crate::join::raw::Place;
use crate::join::{Around, Error, MAX_BYTES, Named};
use crate::text::{FileId, Position, Sources, Span};

/// The files that may be read: those that formwork checks. A report could name any other to have it quoted.
const EXTENSIONS: &[&str] = &["json", "jsonc", "yaml", "yml", "template", "bicep", "bicepparam"];

/// How large the texts in place of files that cannot be read may be, all together, in bytes.
const MAX_UNKNOWN: usize = 64 * 1024 * 1024;

/// The files of reports, by their names.
#[derive(Debug)]
pub(super) struct Texts {
    files: HashMap<String, FileId>,
}

/// The places of a file, by lines.
type Lines = BTreeMap<u32, BTreeSet<u32>>;

impl Texts {
    /// Reads the files that reports name. One that is not there, or is another than that of the report, gets a text that
    /// only has its places.
    pub(super) fn read(reports: &[Named], around: &Around<'_>, sources: &Sources) -> Result<Self, Error> {
        let said = reports.first().and_then(|named| Some(named.report.shard.as_ref()?.gate.file_bytes.min(MAX_BYTES)));
        let around = &Around { file_bytes: said.unwrap_or(around.file_bytes), ..*around };
        let mut wanted: BTreeMap<&str, Lines> = BTreeMap::new();
        for named in reports {
            named.report.places(|place| {
                let lines = wanted.entry(place.file.as_str()).or_default();
                for position in [start(place), end(place)] {
                    lines.entry(position.line).or_default().insert(position.column);
                }
            });
            let verdicts = named.report.results.iter();
            for fix in verdicts.filter_map(|verdict| verdict.fix.as_ref().filter(|_| verdict.edits.is_none())) {
                wanted.entry(fix.file.as_str()).or_default().entry(fix.end_line.max(1)).or_default();
            }
            for file in named.report.shard.iter().flat_map(|shard| &shard.head) {
                wanted.entry(file.file.as_str()).or_default();
            }
            for tree in named.report.shard.iter().flat_map(|shard| &shard.trees) {
                wanted.entry(tree.template.as_str()).or_default();
                if let Some(name) = &tree.parameters {
                    wanted.entry(name.as_str()).or_default();
                }
            }
        }
        let root = repository_of(around.working).unwrap_or_else(|| around.working.to_path_buf());
        let (mut files, mut room) = (HashMap::default(), MAX_UNKNOWN);
        for (name, lines) in wanted {
            let mut unknown = || {
                let text = blank(&lines, &mut room).ok_or_else(|| Error::Places { name: name.to_owned() })?;
                Ok(sources.add_unknown(name, text))
            };
            let file = read(name, &lines, &root, around, sources).map_or_else(&mut unknown, Ok)?;
            files.insert(name.to_owned(), file);
        }
        Ok(Self { files })
    }

    /// The file of a name.
    pub(super) fn file(&self, name: &str) -> Option<FileId> {
        self.files.get(name).copied()
    }

    /// The span of a place. Every text has the places that the reports have in it.
    pub(super) fn span(&self, place: &Place, sources: &Sources) -> Option<Span> {
        let file = self.file(&place.file)?;
        let source = sources.get(file);
        let offsets = source.offset(start(place)).zip(source.offset(end(place)));
        Some(offsets.map_or(Span::whole_file(file), |(start, end)| Span::new(file, start, end.max(start))))
    }
}

fn start(place: &Place) -> Position {
    Position { line: place.line.max(1), column: place.column.max(1) }
}

fn end(place: &Place) -> Position {
    Position { line: place.end_line.max(1), column: place.end_column.max(1) }
}

/// Reads a template of the repository, if it has all of the places.
fn read(name: &str, lines: &Lines, root: &Path, around: &Around<'_>, sources: &Sources) -> Option<FileId> {
    let path = normalize(around.working, Path::new(name));
    let is_ours = path.extension().is_some_and(|end| EXTENSIONS.iter().any(|ours| end.eq_ignore_ascii_case(ours)));
    let real = path.canonicalize().ok().filter(|_| is_ours)?;
    let below = real.strip_prefix(root.canonicalize().ok()?).ok()?;
    if below.components().any(|part| part == Component::Normal(".git".as_ref())) || !real.is_file() {
        return None;
    }
    let bytes = read_bytes(&real, around.file_bytes).ok()?;
    // One that is not used must not be among the files of the run.
    let trial = Sources::new();
    let file = register(name, bytes.clone(), &trial).ok()?;
    let source = trial.get(file);
    let has = |line: u32, column: u32| source.offset(Position { line, column }).is_some();
    let fits = lines.iter().all(|(&line, columns)| has(line, 1) && columns.iter().all(|&column| has(line, column)));
    if fits { register(name, bytes, sources).ok() } else { None }
}

/// A text with these places. `None` if it needs more than `room`.
fn blank(lines: &Lines, room: &mut usize) -> Option<String> {
    let last = lines.last_key_value().map_or(1, |(&line, _)| line as usize);
    let widths = lines.values().filter_map(|columns| columns.last()).map(|&column| column as usize);
    *room = room.checked_sub(widths.fold(last, usize::saturating_add))?;
    let mut text = String::new();
    let mut at = 1;
    for (&line, columns) in lines {
        text.extend(std::iter::repeat_n('\n', (line - at) as usize));
        at = line;
        text.extend(std::iter::repeat_n(' ', columns.last().map_or(0, |&column| column as usize - 1)));
    }
    Some(text)
}
