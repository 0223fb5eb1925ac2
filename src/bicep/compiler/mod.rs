//! Compiles Bicep to templates without the Bicep CLI.
//!
//! [`units`] reads a file and all that it is compiled from, [`model`] says what their names stand for, and [`template`]
//! makes the templates. Each value of a template has the span of the Bicep that it comes from.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod calls;
mod convert;
mod depend;
mod emitter;
mod exported;
mod formula;
mod functions;
mod identity;
mod imports;
mod inline;
mod loads;
mod model;
mod order;
mod reference;
mod references;
mod resolve;
mod resources;
mod scope;
mod secure;
mod settings;
mod template;
mod types;
mod units;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bicep::compiler::emitter::World;
use crate::bicep::compiler::loads::Loads;
use crate::bicep::compiler::model::Model;
use crate::bicep::compiler::units::{UnitId, Units};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::text::FileId;
use crate::value::Value;

pub(crate) use self::reference::Artifact;

/// What the compiler needs from the file system.
pub(crate) trait Host {
    /// Reads a text file. The error is a message.
    fn open(&mut self, path: &Path) -> Result<(FileId, Arc<str>), String>;
    /// Reads any file. The error is a message.
    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String>;
    /// Whether there is a file.
    fn is_file(&mut self, path: &Path) -> bool;
    /// Whether files at this path may be read: those in the repository.
    fn is_inside(&mut self, path: &Path) -> bool;
    /// The template of a module in the cache. `None` if it is not there.
    fn module(&mut self, artifact: &Artifact) -> Option<PathBuf>;
}

/// What was made of one file.
#[derive(Debug)]
pub(crate) struct Compilation {
    /// The template. `None` if the file has errors.
    pub template: Option<Value>,
    pub problems: Vec<Diagnostic>,
    /// All files that were read.
    pub references: Vec<PathBuf>,
}

/// Compiles a `.bicep` file.
pub(crate) fn compile(path: &Path, host: &mut dyn Host) -> Compilation {
    let (units, entry) = Units::load(path, host);
    let models: Vec<Option<Model<'_>>> =
        units.all.iter().enumerate().map(|(at, unit)| Model::of(UnitId(at), unit)).collect();
    let mut problems = units.problems.clone();
    let mut references: Vec<PathBuf> = units.all.iter().map(|unit| unit.path.clone()).collect();
    let mut all_loads: Vec<Loads> = Vec::new();
    for model in &models {
        let Some(model) = model else {
            all_loads.push(Loads::default());
            continue;
        };
        problems.extend(model.problems.iter().cloned());
        let (loads, found, read) = loads::load(model, host);
        problems.extend(found.into_iter().map(|(span, message)| Diagnostic::new(Code::BicepDiagnostic, span, message)));
        references.extend(read);
        all_loads.push(loads);
    }
    let world = World::new(&units, &models, &all_loads);
    let template = entry.and_then(|entry| world.template(entry));
    problems.extend(world.problems.take());
    let is_failed = problems.iter().any(|problem| problem.level == Level::Error);
    Compilation { template: template.filter(|_| !is_failed), problems, references }
}
