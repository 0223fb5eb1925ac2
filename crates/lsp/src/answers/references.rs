//! Where names and files are used.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types as lsp;
use lsp_server::ErrorCode;
use serde_json::Value;

use crate::answers::names::{self, MAX_PLACES};
use crate::answers::{Answer, Refusal, navigation, now, paths, read};
use crate::folder::Folder;
use crate::outline::{Declaration, Kind};
use crate::server::Server;
use crate::view::View;

/// Returns the places at which other files use the one of its argument.
pub(crate) const SHOW: &str = "formwork.showReferences";

type Place = (PathBuf, Range<usize>);

/// Answers `textDocument/references`: who uses the file that is named at the cursor, or the name that is there.
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

/// Answers the command with the places at which other files use a document, for the client to show.
pub(crate) fn command(server: &Server, parameters: &Value) -> Result<Answer, Refusal> {
    let uri = parameters.pointer("/arguments/0").and_then(Value::as_str).unwrap_or_default();
    let Some(view) = server.view(&lsp::Uri(uri.to_owned())) else {
        return Err((ErrorCode::InvalidParams, "expected the URI of an open file".to_owned()));
    };
    now(locations(&view, &users(&view, &view.path)))
}

/// The places at which the files that were checked name another one.
fn users(view: &View<'_>, file: &Path) -> Vec<Place> {
    let texts = view.folder.map(Folder::texts);
    let places = texts.into_iter().flatten().flat_map(|(path, text)| {
        let folder = path.parent().unwrap_or(path);
        paths::uses(text, folder, file).into_iter().map(|range| (path.clone(), range))
    });
    places.take(MAX_PLACES).collect()
}

/// The places of the name at an offset: in the file that declares it, and those of a parameter in the files that give it a
/// value.
fn of_name(view: &View<'_>, offset: usize, has_declaration: bool) -> Vec<Place> {
    let Some((path, declaration)) = navigation::declaration(view, offset) else { return Vec::new() };
    let Declaration { name, kind, place, .. } = declaration;
    let mut places: Vec<Place> = Vec::new();
    let is_declared = |range: &Range<usize>| place.start <= range.start && range.end <= place.end;
    if has_declaration {
        places.push((path.clone(), place.clone()));
    }
    if let Some(text) = navigation::text(view, &path) {
        let uses = names::uses(&path, text.text(), &name, kind);
        places.extend(uses.into_iter().filter(|range| !is_declared(range)).map(|range| (path.clone(), range)));
    }
    if kind == Kind::Parameter {
        places.extend(given(view, &path, &name));
    }
    places
}

/// Where a parameter of a template gets its value from: in parameter files, and in the files that deploy it.
fn given(view: &View<'_>, template: &Path, name: &str) -> Vec<Place> {
    let Some(folder) = view.folder else { return Vec::new() };
    let own = folder.name(template);
    let mut places = Vec::new();
    for (path, text) in folder.texts() {
        if places.len() >= MAX_PLACES {
            break;
        }
        let body = text.text();
        let of = |range: Range<usize>| (path.clone(), range);
        let is_with = |parameters: &Arc<str>| {
            folder
                .trees()
                .iter()
                .any(|tree| Some(&tree.template) == own && tree.parameters.as_ref() == Some(parameters))
        };
        let beside = path.parent().unwrap_or(path);
        if folder.name(path).is_some_and(is_with) {
            places.extend(names::assignments(path, body, name).into_iter().map(of));
        } else if path.extension().is_some_and(|extension| extension == "bicep") {
            let modules = paths::uses(text, beside, template);
            places.extend(names::arguments(body, &modules, name).into_iter().map(of));
        }
    }
    places
}

fn locations(view: &View<'_>, places: &[Place]) -> Vec<lsp::Location> {
    let location = |(path, range): &Place| {
        let range = navigation::text(view, path)?.range(range, view.server.client.encoding);
        Some(lsp::Location { uri: navigation::uri(view, path), range })
    };
    places.iter().filter_map(location).collect()
}
