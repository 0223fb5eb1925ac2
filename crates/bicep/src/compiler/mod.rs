//! Compiles Bicep to templates without the Bicep CLI.
//!
//! [`units`] reads a file and everything that it is compiled from, [`model`] resolves names, and [`template`] emits
//! the templates. Each value of a template has the span of the Bicep that it comes from.
//!
//! # Invariants
//!
//! - Each value of a compiled template has the span of the Bicep that it comes from.
//! - A construct that the compiler does not understand is an error. Its value is unknown in a template that is checked.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod ancestry;
mod arguments;
mod calls;
mod configuration;
mod convert;
mod decorators;
mod depend;
mod emitter;
mod exported;
mod extensions;
mod features;
mod formula;
mod functions;
mod generator;
mod identity;
mod imports;
mod inline;
mod json_path;
mod linter;
mod loads;
pub mod memory;
mod model;
mod order;
mod parameters;
mod reference;
mod references;
mod referrers;
mod resolve;
mod resources;
mod scope;
mod secure;
mod semantics;
mod settings;
mod template;
#[cfg(test)]
mod tests;
mod types;
mod units;
mod unknown;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::compiler::emitter::World;
use crate::compiler::loads::Loads;
use crate::compiler::model::Model;
use crate::compiler::units::{UnitId, Units};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::language::SyntaxTree;
use crate::model::Issue;
use crate::text::{FileId, Span};
use crate::value::Value;

pub use self::generator::with_hashes;
pub use self::linter::{check_of_rule, lint_checks};
pub use self::reference::Artifact;

/// File access of the compiler. Errors are messages.
pub trait Host {
    /// Reads a text file.
    fn open(&mut self, path: &Path) -> Result<(FileId, ArcStr), String>;
    /// Parses a Bicep file.
    fn parse(&mut self, path: &Path) -> Result<Arc<SyntaxTree>, String>;
    /// Reads any file.
    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String>;
    /// Lists the files in a folder.
    fn files_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String>;
    /// Returns `true` if the file exists.
    fn is_file(&mut self, path: &Path) -> bool;
    /// Returns `true` if the path is in the repository. Other files are not read.
    fn is_inside(&mut self, path: &Path) -> bool;
    /// Returns the path of a registry module's template. `root` is the cache folder that `bicepconfig.json` names.
    fn module(&mut self, artifact: &Artifact, root: Option<&Path>) -> Result<PathBuf, Missing>;
}

/// Reason why a module of a registry is not available.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// Reason why it is not downloaded, as the end of a sentence.
    pub why: String,
    /// Action for the user.
    pub help: String,
    /// True if the module cannot exist, so that the reference to it is an error.
    pub is_error: bool,
}

impl Missing {
    /// Returns a reason with an action for the user.
    pub fn because(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into(), is_error: false }
    }

    /// Returns a reason why the module cannot exist, with an action for the user.
    pub fn for_all(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::because(why, help) }
    }
}

/// Result of compiling one file.
#[derive(Debug, Default)]
pub struct Compilation {
    /// The template. `None` if it cannot be emitted, or for a parameter file without a template. If there are
    /// problems, the affected values are unknown: the template can be checked, but not deployed.
    pub template: Option<Value>,
    /// The parameter file. `None` if it or a file that it extends has errors, or if the file is not a parameter file.
    pub parameters: Option<Value>,
    pub problems: Vec<Diagnostic>,
    /// Issues that the linter found in files of the repository.
    pub issues: Vec<Issue>,
}

impl Compilation {
    /// True if there are no errors, so that the result can be deployed.
    pub fn is_valid(&self) -> bool {
        self.problems.iter().all(|problem| problem.level != Level::Error)
    }
}

/// Compiles a `.bicep` file.
pub fn compile(path: &Path, host: &mut dyn Host) -> Compilation {
    with_world(path, host, |world, entry| Compilation { template: world.template(entry), ..Compilation::default() })
}

/// Compiles a `.bicepparam` file with its template.
pub fn compile_parameters(path: &Path, host: &mut dyn Host) -> Compilation {
    with_world(path, host, |world, entry| {
        let parameters = world.parameter_file(entry);
        let using = world.model(entry).and_then(|model| model.using?.0);
        Compilation { template: using.and_then(|unit| world.template(unit)), parameters, ..Compilation::default() }
    })
}

/// Loads a file and everything that it is compiled from, checks them, and runs `make`.
fn with_world(
    path: &Path,
    host: &mut dyn Host,
    make: impl for<'w> FnOnce(&'w World<'w>, UnitId) -> Compilation,
) -> Compilation {
    let (units, entry) = Units::load(path, host);
    let models: Vec<Option<Model<'_>>> =
        units.all.iter().enumerate().map(|(at, unit)| Model::from_unit(UnitId(at), unit)).collect();
    let mut problems = units.problems.clone();
    let mut all_loads: Vec<Loads> = Vec::new();
    for model in &models {
        let Some(model) = model else {
            all_loads.push(Loads::default());
            continue;
        };
        problems.extend(model.problems.iter().cloned());
        problems.extend(decorators::problems(model));
        let (loads, found) = loads::load(model, host);
        problems.extend(found.into_iter().map(|(span, message)| Diagnostic::new(Code::BicepDiagnostic, span, message)));
        all_loads.push(loads);
    }
    let (found, types) = semantics::analyze(&units, &models);
    problems.extend(found);
    let of_referrers = referrers::problems(&units, &problems);
    let refused = problems.iter().map(|problem| problem.primary.span).collect();
    let world = World::new(&units, &models, &all_loads, refused, &types);
    let mut made = entry.map(|entry| make(&world, entry)).unwrap_or_default();
    let found = world.problems.take().into_iter().filter(|problem| {
        // Emission fails again where an error has been reported.
        let span = problem.primary.span;
        !problems.iter().any(|known| known.primary.span.file == span.file && overlap(known.primary.span, span))
    });
    let (missing, wrong): (Vec<Diagnostic>, Vec<Diagnostic>) = found.partition(is_missing);
    // Notes must not use up the limit of errors.
    let known = problems.iter().filter(|problem| !is_missing(problem)).count();
    problems.extend(wrong.into_iter().take(semantics::MAX_PROBLEMS.saturating_sub(known)));
    problems.extend(missing);
    let has_invalid_parameters = models
        .iter()
        .flatten()
        .any(|model| model.is_parameters() && problems.iter().any(|problem| problem.primary.span.file == model.file));
    if has_invalid_parameters {
        made.parameters = None;
    }
    let templates = world.templates.take();
    // A missing module alone must not make an unfinished file look checked.
    if problems.iter().all(is_missing) {
        let unfinished = models.iter().flatten().filter(|model| {
            let is_failed = templates.get(&model.id).is_some_and(Option::is_none);
            is_failed || (model.is_parameters() && Some(model.id) == entry && made.parameters.is_none())
        });
        problems.extend(unfinished.map(|model| unknown::file(model.file)));
    }
    problems.extend(of_referrers);
    made.problems = problems;
    made.issues = linter::issues(&world);
    made
}

/// True if a problem is an unavailable module, which is no defect of the file.
fn is_missing(problem: &Diagnostic) -> bool {
    problem.code == Code::BicepRestore
}

/// True if two spans of one file overlap or are equal.
fn overlap(a: Span, b: Span) -> bool {
    a.start.max(b.start) < a.end.min(b.end) || a == b
}
