//! Files that texts refer to.

use std::ops::Range;
use std::path::{Path, PathBuf};

use formwork_model::path::normalize;

use crate::text::Text;
use crate::view::View;

/// Maximum number of links in a document.
const MAX_LINKS: usize = 500;

/// Maximum number of strings of a document that are looked up on disk.
const MAX_ASKED: usize = 2_000;

/// Extensions of files that templates use.
const OURS: [&str; 7] = [".bicep", ".bicepparam", ".json", ".jsonc", ".yaml", ".yml", ".template"];

/// Returns the files that a byte range of a document refers to.
pub(super) fn files(view: &View<'_>, bytes: Range<usize>) -> Vec<(Range<usize>, PathBuf)> {
    let folder = view.path.parent().unwrap_or(&view.path);
    let named = strings(view.text.text(), bytes).take(MAX_ASKED);
    let targets = named.map(|(range, name)| (range, normalize(folder, Path::new(name))));
    let files = targets.filter(|(_, path)| {
        path.starts_with(&view.root) && (view.server.documents.get(path).is_some() || path.is_file())
    });
    files.take(MAX_LINKS).collect()
}

/// Returns the file that is named at an offset.
pub(super) fn file_at(view: &View<'_>, offset: usize) -> Option<PathBuf> {
    let line = view.text.content(view.text.line(offset))?;
    files(view, line).into_iter().find(|(range, _)| range.contains(&offset)).map(|(_, path)| path)
}

/// Returns the ranges where the text of a file in `folder` names `target`.
pub(super) fn uses(text: &Text, folder: &Path, target: &Path) -> Vec<Range<usize>> {
    let body = text.text();
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // Most texts do not contain the name.
    if !body.contains(&*name) {
        return Vec::new();
    }
    let named = strings(body, 0..body.len()).filter(|(_, written)| written.ends_with(&*name));
    named.filter(|(_, written)| normalize(folder, Path::new(written)) == target).map(|(range, _)| range).collect()
}

/// Iterates over quoted texts that look like relative paths of files that templates use, without their quotes.
fn strings(text: &str, bytes: Range<usize>) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = bytes.start;
    text.get(bytes).unwrap_or_default().split_inclusive('\n').flat_map(move |line| {
        let begin = start;
        start += line.len();
        ['\'', '"'].into_iter().flat_map(move |quote| {
            let mut at = begin;
            line.split(quote).enumerate().filter_map(move |(index, part)| {
                let range = at..at + part.len();
                at = range.end + quote.len_utf8();
                (index % 2 == 1 && is_path(part)).then_some((range, part))
            })
        })
    })
}

fn is_path(text: &str) -> bool {
    OURS.iter().any(|end| text.ends_with(end)) && !text.contains([':', '$', '\\', '*', ' ']) && !text.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_files_in_either_quotes() {
        let text =
            "module m 'a/m.bicep' = {}\nvar x = \"b.json\" + 'c d.json' + '/e.json' + 'f.txt'\nusing './é.bicep'\n";
        let found: Vec<&str> = strings(text, 0..text.len()).map(|(range, _)| text.get(range).unwrap()).collect();
        assert_eq!(found, ["a/m.bicep", "b.json", "./é.bicep"]);
        let folder = Path::new("/w/x");
        let text = Text::new("'../m.bicep' './n.bicep' 'm.bicep'".into());
        let first = |target: &str| uses(&text, folder, Path::new(target)).first().map(|range| (range.start, range.end));
        let found = ["/w/m.bicep", "/w/x/n.bicep", "/w/y/m.bicep"].map(first);
        assert_eq!(found, [Some((1, 11)), Some((14, 23)), None]);
    }
}
