//! Where names are declared, and the files that texts name.

use std::ops::Range;
use std::path::PathBuf;

use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::answers::symbols;
use crate::server::View;

/// How many links a document has.
const MAX_LINKS: usize = 500;

/// For how many strings of a document the disk is asked whether they are paths.
const MAX_ASKED: usize = 2_000;

/// The file under the cursor, or the declaration of the name there.
pub(crate) fn definition(view: &View<'_>, position: lsp::Position) -> Option<lsp::Location> {
    let offset = view.offset(position);
    if let Some((_, path)) = files(view).into_iter().find(|(range, _)| range.contains(&offset)) {
        let start = lsp::Position::new(0, 0);
        return Some(lsp::Location { uri: uri(view, &path), range: lsp::Range::new(start, start) });
    }
    let text = view.text.text();
    let word = text.get(view.word(offset))?;
    let named = |symbol: &symbols::Symbol| symbol.name == word;
    let own = symbols::of_text(&view.path, text).into_iter().find(named);
    // What a parameter file sets, its template declares.
    let is_parameter_file = view.path.extension().is_some_and(|extension| extension == "bicepparam");
    if let Some(symbol) = own.filter(|_| !is_parameter_file) {
        return Some(lsp::Location { uri: uri(view, &view.path), range: view.range(symbol.place) });
    }
    let (_, template) = files(view).into_iter().find(|_| is_parameter_file)?;
    let text = view.server.text(&template)?;
    let symbol = symbols::of_text(&template, text.text()).into_iter().find(named)?;
    let range = text.range(&symbol.place, view.server.client.encoding);
    Some(lsp::Location { uri: uri(view, &template), range })
}

/// The paths in a document, as links.
pub(crate) fn links(view: &View<'_>) -> Vec<Value> {
    let link = |(range, path): (Range<usize>, PathBuf)| json!({"range": view.range(range), "target": uri(view, &path)});
    files(view).into_iter().map(link).collect()
}

fn uri(view: &View<'_>, path: &std::path::Path) -> lsp::Uri {
    lsp::Uri(view.server.uri(path))
}

/// The quoted relative paths that lead to a file, without their quotes.
fn files(view: &View<'_>) -> Vec<(Range<usize>, PathBuf)> {
    let (mut found, mut asked) = (Vec::new(), 0);
    let text = view.text.text();
    let folder = view.path.parent().unwrap_or(&view.path);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for quote in ['\'', '"'] {
            let mut at = start;
            for (index, part) in line.split(quote).enumerate() {
                if index % 2 == 1 && is_path(part) && found.len() < MAX_LINKS && asked < MAX_ASKED {
                    asked += 1;
                    let path = formwork_model::path::normalize(folder, std::path::Path::new(part));
                    let is_inside = path.starts_with(&view.root);
                    if is_inside && (view.server.documents.get(&path).is_some() || path.is_file()) {
                        found.push((at..at + part.len(), path));
                    }
                }
                at += part.len() + quote.len_utf8();
            }
        }
        start += line.len();
    }
    found
}

/// Whether a string is written like a relative path of a file that templates use.
fn is_path(text: &str) -> bool {
    const OURS: [&str; 7] = [".bicep", ".bicepparam", ".json", ".jsonc", ".yaml", ".yml", ".template"];
    !text.contains([':', '$', '\\', '*', ' ']) && !text.starts_with('/') && OURS.iter().any(|end| text.ends_with(end))
}
