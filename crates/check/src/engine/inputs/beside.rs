//! Finds the parameter files beside templates that the user named. If the user names a folder, the walk finds them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use foldhash::HashSet;
use rayon::prelude::*;

use crate::engine::bicep::names::is_parameters;
use crate::engine::detect::is_sam_config;
use crate::engine::inputs::graph::{Graph, Using};
use crate::engine::inputs::link::candidates;
use crate::files::Fence;

/// Returns the files beside `templates` that may be their parameter files, ordered by path: all `.bicepparam` files,
/// since only their `using` statement decides, the settings of the AWS SAM CLI, which may name a template, and files
/// with a matching name such as `main.parameters.json`.
pub(in crate::engine) fn beside(templates: &HashSet<&Path>, fence: &Fence<'_>) -> BTreeSet<PathBuf> {
    let folders: BTreeSet<&Path> = templates.iter().filter_map(|path| path.parent()).collect();
    let may_belong = |path: &PathBuf| {
        is_parameters(path)
            || is_sam_config(path)
            || candidates(path).iter().any(|template| templates.contains(template.as_path()))
    };
    let files = |folder: &Path| fence.list(folder).into_iter().flatten().filter(may_belong).collect::<Vec<_>>();
    folders.into_par_iter().flat_map_iter(files).collect()
}

/// Returns `true` if a `.bicepparam` file in the graph belongs to one of `templates`.
pub(in crate::engine) fn is_using(graph: &Graph, path: &Path, templates: &HashSet<&Path>) -> bool {
    matches!(graph.using(path), Using::File(target) if templates.contains(target.as_path()))
}
