//! Builds Bicep files with the built-in compiler.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::bicep::compiler::{self, Compilation};
use crate::engine::bicep::host::Files;
use crate::engine::inputs::{Disk, Store};
use crate::model::Limits;
use crate::text::Sources;

/// Compiles one file. `path` is absolute.
pub(crate) fn compile_file(
    working: &Path,
    path: &Path,
    sources: &Sources,
    limits: &Limits,
    variables: &BTreeMap<String, String>,
) -> Compilation {
    let store = Arc::new(Store::new(working, sources, limits, &Disk, FxHashSet::default()));
    compiler::compile(path, &mut Files::new(&store, path, variables))
}
