//! Compiles one Bicep file, without a run around it.

use std::path::Path;

use crate::bicep::Options;
use crate::bicep::compiler::{self, Compilation};
use crate::diagnostic::{Diagnostic, Level, NotChecked};
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
    let is_refused = |problem: &Diagnostic| problem.not_checked == Some(NotChecked::Environment);
    let parameters = made.parameters.filter(|_| !made.problems.iter().any(is_refused));
    let as_error = |problem: Diagnostic| if is_refused(&problem) { problem.with_level(Level::Error) } else { problem };
    let problems = made.problems.into_iter().map(as_error).collect();
    Compilation { template, parameters, problems, ..made }
}
