//! Declarations of names, and files that texts refer to.

use std::path::{Path, PathBuf};

use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::answers::names;
use crate::answers::paths;
use crate::outline::{self, Declaration, Kind};
use crate::text::Text;
use crate::view::View;

/// Returns the file under the cursor, or the declaration of the name there.
pub(crate) fn definition(view: &View<'_>, position: lsp::Position) -> Option<lsp::Location> {
    let offset = view.offset(position);
    if let Some(path) = paths::file_at(view, offset) {
        let start = lsp::Position::new(0, 0);
        return Some(lsp::Location { uri: uri(view, &path), range: lsp::Range::new(start, start) });
    }
    let (path, declaration) = declaration(view, offset)?;
    let text = text(view, &path)?;
    let range = text.range(&declaration.place, view.server.client.encoding);
    Some(lsp::Location { uri: uri(view, &path), range })
}

/// Returns the declaration of the name at an offset, and its file. Parameters in a parameter file are declared by its
/// template.
pub(super) fn declaration(view: &View<'_>, offset: usize) -> Option<(PathBuf, Declaration)> {
    let text = view.text.text();
    let range = view.word(offset);
    let word = text.get(range.clone()).filter(|word| !word.is_empty())?;
    let template = template(view);
    let path = template.clone().unwrap_or_else(|| view.path.clone());
    let expected = if template.is_some() { Some(Kind::Parameter) } else { names::kind_before(text, range.start) };
    let declaring = self::text(view, &path)?.text();
    let found = outline::declarations(&path, declaring).into_iter().find(|one| {
        expected.is_none_or(|kind| kind == one.kind) && names::is_same(&path, declaring, &one.name, word)
    })?;
    Some((path, found))
}

/// Returns the template of a parameter file: the one that it names, or the one with which it was checked.
pub(super) fn template(view: &View<'_>) -> Option<PathBuf> {
    if view.path.extension().is_some_and(|extension| extension == "bicepparam") {
        let using = outline::tokens::using(view.text.text())?;
        return paths::files(view, using).into_iter().next().map(|(_, path)| path);
    }
    let (folder, name) = (view.folder?, view.name.as_ref()?);
    let tree = folder.trees().iter().find(|tree| tree.parameters.as_ref() == Some(name))?;
    folder.path(&tree.template).map(Path::to_path_buf)
}

/// Returns the paths in a document, as links.
pub(crate) fn links(view: &View<'_>) -> Vec<Value> {
    let files = paths::files(view, 0..view.text.text().len());
    files.into_iter().map(|(range, path)| json!({"range": view.range(range), "target": uri(view, &path)})).collect()
}

/// Returns the current text of a file, if it is open or was read.
pub(super) fn text<'a>(view: &'a View<'_>, path: &Path) -> Option<&'a Text> {
    if path == view.path { Some(view.text) } else { view.server.text(path) }
}

pub(super) fn uri(view: &View<'_>, path: &Path) -> lsp::Uri {
    lsp::Uri(view.server.uri(path))
}
