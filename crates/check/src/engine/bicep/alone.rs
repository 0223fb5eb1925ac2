//! Compiles one Bicep file that is on the disk, without a run around it.

use std::path::Path;

use foldhash::HashSet;

use crate::bicep::Options;
use crate::bicep::compiler::Compilation;
use crate::engine::bicep::builtin::compiled;
use crate::engine::bicep::host::Files;
use crate::engine::inputs::Store;
use crate::files::Disk;
use crate::model::Limits;
use crate::text::Sources;

/// Compiles one file. `path` is absolute.
pub fn compile_file(working: &Path, path: &Path, sources: &Sources, limits: &Limits, options: &Options) -> Compilation {
    let store = Store::new(working, sources, limits, &Disk, HashSet::default());
    compiled(path, &mut Files::new(&store, path, options))
}
