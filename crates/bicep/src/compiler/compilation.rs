//! Compiles one file with everything that it is compiled from.

use std::path::Path;

use crate::compiler::emitter::World;
use crate::compiler::host::Host;
use crate::compiler::loaded::Loads;
use crate::compiler::model::Model;
use crate::compiler::referrers::is_missing;
use crate::compiler::units::{UnitId, Units};
use crate::compiler::{decorators, linter, loads, referrers, semantics, unknown};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::model::Issue;
use crate::text::Span;
use crate::value::Value;

/// Result of compiling one file.
#[derive(Debug, Default)]
pub struct Compilation {
    /// The template. `None` if it cannot be emitted, or for a parameter file without a template. If there are
    /// problems, the affected values are unknown: the template can be checked, but not deployed.
    pub template: Option<Value>,
    /// The parameter file. `None` if it or a file that it extends has errors, or if the file is not a parameter file.
    pub parameters: Option<Value>,
    pub problems: Vec<Diagnostic>,
    /// Warnings. Those of `.bicep` files are among the issues, too.
    pub warnings: Vec<Diagnostic>,
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
    let (warnings, mut problems): (Vec<Diagnostic>, Vec<Diagnostic>) =
        problems.into_iter().partition(|problem| problem.level == Level::Warning);
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
    made.issues.extend(warnings.iter().filter_map(|warning| linter::compiler_warning(&world, warning)));
    made.warnings = warnings;
    made
}

/// True if two spans of one file overlap or are equal.
fn overlap(a: Span, b: Span) -> bool {
    a.start.max(b.start) < a.end.min(b.end) || a == b
}
