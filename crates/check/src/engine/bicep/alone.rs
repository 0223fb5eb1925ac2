//! Compiles one Bicep file, without a run around it.

use std::path::Path;

use crate::bicep::Options;
use crate::bicep::compiler::{self, Compilation};
use crate::diagnostic::{Level, NotChecked};
use crate::engine::bicep::builtin::compiled;
use crate::engine::bicep::host::Files;
use crate::engine::inputs::Store;
use crate::files::Host;
use crate::model::Limits;
use crate::text::Sources;

/// Compiles one file, with the hashes that templates have in their metadata. `path` is absolute.
pub fn compile_file(
    (working, host): (&Path, &dyn Host),
    path: &Path,
    sources: &Sources,
    limits: &Limits,
    options: &Options,
) -> Compilation {
    let store = Store::of_file((working, host), path, sources, limits);
    let made = compiled(path, &mut Files::new(&store, path, options));
    let template = made.template.as_ref().map(compiler::with_hashes);
    // What a check does not know cannot be built.
    let mut problems = made.problems;
    let mut parameters = made.parameters;
    for problem in problems.iter_mut().filter(|problem| problem.not_checked == Some(NotChecked::Environment)) {
        problem.level = Level::Error;
        parameters = None;
    }
    Compilation { template, parameters, problems, ..made }
}
