//! Finds the parameter files beside templates that the user named. If the user names a folder, the walk finds them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::engine::bicep::is_parameters;
use crate::engine::detect::Kind;
use crate::engine::inputs::graph::{Graph, Using};
use crate::engine::inputs::link::{Link, candidates, link};
use crate::engine::inputs::load::Loaded;
use crate::files::Folders;

/// The files beside `templates` that may be their parameter files, ordered by path: all `.bicepparam` files, since only
/// their `using` statement decides, and files with a matching name such as `main.parameters.json`.
pub(in crate::engine) fn beside(templates: &FxHashSet<&Path>) -> BTreeSet<PathBuf> {
    let folders: BTreeSet<&Path> = templates.iter().filter_map(|path| path.parent()).collect();
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
    let may_belong = |path: &PathBuf| {
        is_parameters(path) || candidates(path).iter().any(|template| templates.contains(template.as_path()))
    };
    entries.map(|entry| entry.path()).filter(may_belong).collect()
}

/// Whether a `.bicepparam` file in the graph belongs to one of `templates`.
pub(in crate::engine) fn is_using(graph: &Graph, path: &Path, templates: &FxHashSet<&Path>) -> bool {
    matches!(graph.using(path), Using::File(target) if templates.contains(target.as_path()))
}

/// Whether a parameter file in JSON belongs to one of `templates`.
pub(super) fn is_linked(file: &Loaded, around: (&[PathBuf], &Folders), templates: &FxHashSet<&Path>) -> bool {
    file.kind == Kind::Parameters
        && matches!(link(around, &file.input.path, file.file, &file.value),
            Link::To(target) if templates.contains(target.as_path()))
}
