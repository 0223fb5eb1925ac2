//! Uses of names and files.

use std::ops::Range;
use std::path::{Path, PathBuf};

use gen_lsp_types as lsp;
use lsp_server::ErrorCode;
use serde_json::Value;

use crate::answers::names::{self, MAX_PLACES};
use crate::answers::{Answer, Refusal, navigation, now, paths, read};
use crate::folder::Folder;
use crate::outline::{Declaration, Kind};
use crate::server::Server;
use crate::view::View;

/// Command that returns the places where other files use the file in its argument.
pub(crate) const SHOW: &str = "formwork.showReferences";

type FileRange = (PathBuf, Range<usize>);

/// Answers `textDocument/references` for the file or the name at the cursor.
pub(crate) fn references(server: &Server, parameters: Value) -> Result<Answer, Refusal> {
    let parameters: lsp::ReferenceParams = read(parameters)?;
    let at = parameters.text_document_position_params;
    let Some(view) = server.view(&at.text_document.uri).filter(|view| !view.is_of_others()) else {
        return now(Value::Null);
    };
    let offset = view.offset(at.position);
    let mut places = match paths::file_at(&view, offset) {
        Some(file) => users(&view, &file),
        None => of_name(&view, offset, parameters.context.include_declaration),
    };
    places.truncate(MAX_PLACES);
    now(locations(&view, &places))
}

/// Answers the command with the places where other files use a document.
pub(crate) fn command(server: &Server, parameters: &Value) -> Result<Answer, Refusal> {
    let uri = parameters.pointer("/arguments/0").and_then(Value::as_str).unwrap_or_default();
    let Some(view) = server.view(&lsp::Uri(uri.to_owned())) else {
        return Err((ErrorCode::InvalidParams, "expected the URI of an open file".to_owned()));
    };
    now(locations(&view, &users(&view, &view.path)))
}

/// Returns the places where checked files name another file.
fn users(view: &View<'_>, file: &Path) -> Vec<FileRange> {
    let texts = view.folder.map(Folder::texts);
    let places = texts.into_iter().flatten().flat_map(|(path, text)| {
        let folder = path.parent().unwrap_or(path);
        paths::uses(text, folder, file).into_iter().map(|range| (path.clone(), range))
    });
    places.take(MAX_PLACES).collect()
}

/// Returns the uses of the name at an offset, in the file that declares it, and for a parameter also in the files
/// that set it.
fn of_name(view: &View<'_>, offset: usize, has_declaration: bool) -> Vec<FileRange> {
    let Some((path, declaration)) = navigation::declaration(view, offset) else { return Vec::new() };
    let Declaration { name, kind, place, .. } = declaration;
    let mut places: Vec<FileRange> = Vec::new();
    if has_declaration {
        places.push((path.clone(), place.clone()));
    }
    if let Some(text) = navigation::text(view, &path) {
        let uses = names::uses(&path, text.text(), &name, kind);
        places.extend(
            uses.into_iter()
                .filter(|range| range.start < place.start || place.end < range.end)
                .map(|range| (path.clone(), range)),
        );
    }
    if kind == Kind::Parameter {
        places.extend(parameter_values(view, &path, &name));
    }
    places
}

/// Returns the places that set a parameter of a template: in parameter files, and in the files that deploy it.
fn parameter_values(view: &View<'_>, template: &Path, name: &str) -> Vec<FileRange> {
    let Some(folder) = view.folder else { return Vec::new() };
    let own = folder.name(template);
    let mut places = Vec::new();
    for (path, text) in folder.texts() {
        if places.len() >= MAX_PLACES {
            break;
        }
        let body = text.text();
        let is_for_template = folder.name(path).is_some_and(|parameters| {
            folder
                .trees()
                .iter()
                .any(|tree| Some(&tree.template) == own && tree.parameters.as_ref() == Some(parameters))
        });
        let beside = path.parent().unwrap_or(path);
        if is_for_template {
            places.extend(names::assignments(path, body, name).into_iter().map(|range| (path.clone(), range)));
        } else if path.extension().is_some_and(|extension| extension == "bicep") {
            let modules = paths::uses(text, beside, template);
            places.extend(names::arguments(body, &modules, name).into_iter().map(|range| (path.clone(), range)));
        }
    }
    places
}

fn locations(view: &View<'_>, places: &[FileRange]) -> Vec<lsp::Location> {
    let locations = places.iter().filter_map(|(path, range)| {
        let range = navigation::text(view, path)?.range(range, view.server.client.encoding);
        Some(lsp::Location { uri: navigation::uri(view, path), range })
    });
    locations.collect()
}
