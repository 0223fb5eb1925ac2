//! Compiles Bicep to templates without the Bicep CLI.
//!
//! [`units`] reads a file and all that it is compiled from, [`model`] says what their names stand for, and [`template`]
//! makes the templates. Each value of a template has the span of the Bicep that it comes from.

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
pub use self::reference::Artifact;

/// What the compiler needs from the file system.
pub trait Host {
    /// Reads a text file. The error is a message.
    fn open(&mut self, path: &Path) -> Result<(FileId, ArcStr), String>;
    /// The syntax tree of a Bicep file. The error is a message.
    fn parse(&mut self, path: &Path) -> Result<Arc<SyntaxTree>, String>;
    /// Reads any file. The error is a message.
    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String>;
    /// The files in a folder. The error is a message.
    fn files_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String>;
    /// Whether there is a file.
    fn is_file(&mut self, path: &Path) -> bool;
    /// Whether files at this path may be read: those in the repository.
    fn is_inside(&mut self, path: &Path) -> bool;
    /// The template of a module of a registry. `root` is the cache folder that `bicepconfig.json` names.
    fn module(&mut self, artifact: &Artifact, root: Option<&Path>) -> Result<PathBuf, Missing>;
}

/// Why a module of a registry is not there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// Why it is not downloaded, as the end of a sentence.
    pub why: String,
    /// What the user can do about it.
    pub help: String,
    /// Whether nobody can have it, so that it is an error to name it.
    pub is_error: bool,
}

impl Missing {
    /// A reason, and what helps against it.
    pub fn because(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into(), is_error: false }
    }

    /// A reason why nobody can have the module, and what helps against it.
    pub fn for_all(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::because(why, help) }
    }
}

/// What was made of one file.
#[derive(Debug, Default)]
pub struct Compilation {
    /// The template. `None` if it cannot be made, or for a parameter file without a template. If there are problems, what
    /// they are about is unknown in it: it can be checked, but not deployed.
    pub template: Option<Value>,
    /// The parameter file. `None` if it or one that it extends has errors, or if the file is not a parameter file.
    pub parameters: Option<Value>,
    pub problems: Vec<Diagnostic>,
    /// What the linter says of the files of the repository.
    pub issues: Vec<Issue>,
}

impl Compilation {
    /// Whether there are no errors, so that what was made can be deployed.
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

/// Reads a file and all that it is compiled from, and makes something of them.
fn with_world(
    path: &Path,
    host: &mut dyn Host,
    make: impl for<'w> FnOnce(&'w World<'w>, UnitId) -> Compilation,
) -> Compilation {
    let (units, entry) = Units::load(path, host);
    let models: Vec<Option<Model<'_>>> =
        units.all.iter().enumerate().map(|(at, unit)| Model::of(UnitId(at), unit)).collect();
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
    // Emission stumbles over what has been reported.
    let is_known = |problem: &Diagnostic| {
        let span = problem.primary.span;
        problems.iter().any(|known| known.primary.span.file == span.file && overlap(known.primary.span, span))
    };
    let found = world.problems.take().into_iter().filter(|problem| !is_known(problem));
    let (missing, wrong): (Vec<Diagnostic>, Vec<Diagnostic>) = found.partition(is_missing);
    // Nobody may hide an error behind many notes.
    let known = problems.iter().filter(|problem| !is_missing(problem)).count();
    problems.extend(wrong.into_iter().take(semantics::MAX_PROBLEMS.saturating_sub(known)));
    problems.extend(missing);
    let of_file = |file: FileId| problems.iter().filter(move |problem| problem.primary.span.file == file);
    if models.iter().flatten().any(|model| model.is_parameters() && of_file(model.file).next().is_some()) {
        made.parameters = None;
    }
    let templates = world.templates.take();
    let is_unmade = |model: &&Model<'_>| {
        let is_failed = templates.get(&model.id).is_some_and(Option::is_none);
        is_failed || (model.is_parameters() && Some(model.id) == entry && made.parameters.is_none())
    };
    // Nobody may take a file for checked because all that is said of it is that a module is missing.
    if problems.iter().all(is_missing) {
        problems.extend(models.iter().flatten().filter(is_unmade).map(|model| unknown::file(model.file)));
    }
    problems.extend(of_referrers);
    made.problems = problems;
    made.issues = linter::issues(&world);
    made
}

/// Whether a problem is that something is not available, which is no defect of the file.
fn is_missing(problem: &Diagnostic) -> bool {
    problem.code == Code::BicepRestore
}

/// Whether two texts of one file have something in common.
fn overlap(a: Span, b: Span) -> bool {
    a.start.max(b.start) < a.end.min(b.end) || a == b
}
