//! Semantic errors in Bicep files. All branches are checked, for all values of parameters.
//!
//! [`types`] are the types of values. [`declared`] reads type expressions, [`infer`] infers the types of expressions,
//! and [`assign`] compares them. The other modules check declarations. Unknown types are [`Type::Any`], for which
//! nothing is reported. So are the properties of resources: expansion compares these with the published types.
//!
//! Codes are those of Bicep,
//! <https://github.com/Azure/bicep/blob/main/src/Bicep.Core/Diagnostics/DiagnosticBuilder.cs>.
//!
//! # Invariant
//!
//! An expression of unknown type has the type `Any`, and is never reported.

mod access;
mod assign;
mod bodies;
mod calls;
mod constraints;
mod cycles;
mod declarations;
mod declared;
mod disabled;
mod duplicates;
mod experimental;
mod facts;
mod functions;
mod infer;
mod invariants;
mod lambdas;
mod locals;
mod names;
mod operators;
mod parameters;
mod placement;
mod published;
mod pure;
mod runtime;
mod scopes;
mod templates;
mod type_names;
mod types;

pub(super) use self::facts::Types;
pub(super) use self::names::{Use, each_use};
pub(super) use self::pure::RESOURCE_IDS;

use std::cell::{Cell, RefCell};

use foldhash::{HashMap, HashSet};

use crate::compiler::model::{Model, ResourceId};
use crate::compiler::semantics::types::Type;
use crate::compiler::units::{UnitId, Units};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::schema::PublishedNode;
use crate::text::{Span, Suggestions};

/// Maximum number of problems in one compilation.
pub(super) const MAX_PROBLEMS: usize = 100;

/// Maximum depth of types, through variables, properties, and declarations. Deeper types are unknown.
const MAX_DEPTH: u32 = 250;

/// Maximum number of types that one compilation compares, besides four for each byte that it reads. After that, all
/// types are assignable.
const MAX_STEPS: usize = 1_000_000;

/// Checks all files of a compilation. Returns the problems, and the facts about types for the linter.
pub(super) fn analyze<'w>(units: &'w Units, models: &'w [Option<Model<'w>>]) -> (Vec<Diagnostic>, Types) {
    let program = Program::new(units, models);
    for model in models.iter().flatten() {
        Checker { program: &program, model, is_quiet: false, is_lenient: false }.file();
    }
    let mut found = program.problems.into_inner();
    let mut warnings = program.warnings.into_inner();
    disabled::retain_enabled(models, &mut warnings);
    found.append(&mut warnings);
    found.sort_by_key(|problem| (problem.primary.span.file, problem.primary.span.start));
    (found, program.types.into_inner())
}

/// A declaration whose type is cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TypeKey {
    Variable(UnitId, usize),
    Declared(UnitId, usize),
    Parameter(UnitId, usize),
    /// The outputs of a file, as an object type.
    Outputs(UnitId),
    /// The parameters of a file, as an object type.
    Parameters(UnitId),
    /// The body of a resource.
    Body(UnitId, ResourceId),
    /// The condition of a resource.
    Condition(UnitId, ResourceId),
    /// The condition of a module.
    ModuleCondition(UnitId, usize),
}

/// All files, and the results so far.
struct Program<'w> {
    units: &'w Units,
    models: &'w [Option<Model<'w>>],
    /// Cache: types of declarations. `None` while a type is being inferred.
    known: RefCell<HashMap<TypeKey, Option<Type>>>,
    /// Cache: structures of published types.
    published: RefCell<HashMap<(PublishedNode, bool), Type>>,
    problems: RefCell<Vec<Diagnostic>>,
    warnings: RefCell<Vec<Diagnostic>>,
    /// Pairs of objects that were compared for the value that begins at an offset of a file.
    compared: RefCell<HashSet<(Span, usize, usize)>>,
    reported: RefCell<HashSet<(Span, &'static str)>>,
    /// Facts about expressions of the repository.
    types: RefCell<Types>,
    depth: Cell<u32>,
    /// Number of compared types.
    steps: Cell<usize>,
    suggestions: Suggestions,
}

impl<'w> Program<'w> {
    fn new(units: &'w Units, models: &'w [Option<Model<'w>>]) -> Self {
        Self {
            units,
            models,
            known: RefCell::default(),
            published: RefCell::default(),
            problems: RefCell::default(),
            warnings: RefCell::default(),
            compared: RefCell::default(),
            reported: RefCell::default(),
            types: RefCell::default(),
            depth: Cell::new(0),
            steps: Cell::new(0),
            suggestions: Suggestions::default(),
        }
    }

    fn model(&self, unit: UnitId) -> Option<&'w Model<'w>> {
        self.models.get(unit.0)?.as_ref()
    }

    /// Returns the type of a declaration, and infers it at the first call. The type of a declaration that depends on
    /// itself is `Any`.
    fn once(&self, key: TypeKey, find: impl FnOnce() -> Type) -> Type {
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone().unwrap_or(Type::Any);
        }
        self.known.borrow_mut().insert(key, None);
        let found = self.deeper(find);
        self.known.borrow_mut().insert(key, Some(found.clone()));
        found
    }

    /// Counts a comparison. Returns `false` if there were too many, because types that repeat each other multiply.
    fn spend(&self) -> bool {
        let steps = self.steps.get();
        self.steps.set(steps.saturating_add(1));
        steps < self.units.bytes.saturating_mul(4).saturating_add(MAX_STEPS)
    }

    /// Infers an access one level deeper.
    fn deeper_with(&self, find: impl FnOnce() -> (Type, bool)) -> (Type, bool) {
        let mut is_short = false;
        let ty = self.deeper(|| {
            let (ty, found) = find();
            is_short = found;
            ty
        });
        (ty, is_short)
    }

    /// Infers a type one level deeper.
    fn deeper(&self, find: impl FnOnce() -> Type) -> Type {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return Type::Any;
        }
        self.depth.set(depth + 1);
        let found = find();
        self.depth.set(depth);
        found
    }
}

/// Checker of one file of a compilation.
#[derive(Clone, Copy)]
struct Checker<'c, 'w> {
    program: &'c Program<'w>,
    model: &'w Model<'w>,
    /// True if only types are needed. Problems are reported where the declaration is checked.
    is_quiet: bool,
    /// True for values of resources, whose published types have mistakes: mismatches are warnings.
    is_lenient: bool,
}

impl Checker<'_, '_> {
    /// Returns a checker for another file that infers types only.
    fn within(self, unit: UnitId) -> Option<Self> {
        Some(Self { model: self.program.model(unit)?, is_quiet: true, ..self })
    }

    fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// Returns a checker for values of resources.
    fn lenient(self) -> Self {
        Self { is_lenient: true, ..self }
    }

    /// Returns a checker for values whose mismatches are errors.
    fn strict(self) -> Self {
        Self { is_lenient: false, ..self }
    }

    /// True if one more problem would be reported.
    fn reports(self) -> bool {
        !self.is_quiet && self.program.problems.borrow().len() < MAX_PROBLEMS
    }

    fn report(self, span: Span, code: &'static str, message: impl Into<String>) {
        if !self.reports() || !self.program.reported.borrow_mut().insert((span, code)) {
            return;
        }
        let problem = Diagnostic::new(Code::BicepDiagnostic, span, message).with_bicep_code(code);
        self.program.problems.borrow_mut().push(problem);
    }

    /// Reports what the language accepts with a warning.
    fn warn(self, span: Span, code: &'static str, message: impl Into<String>) {
        let is_full = self.program.warnings.borrow().len() >= MAX_PROBLEMS;
        if self.is_quiet || is_full || self.model.unit.registry.is_some() {
            return;
        }
        if self.program.reported.borrow_mut().insert((span, code)) {
            let warning = Diagnostic::new(Code::BicepDiagnostic, span, message).with_bicep_code(code);
            self.program.warnings.borrow_mut().push(warning.with_level(Level::Warning));
        }
    }

    /// Reports an error, or a warning if `warns` is true.
    fn report_or_warn(self, warns: bool, span: Span, code: &'static str, message: impl Into<String>) {
        if warns { self.warn(span, code, message) } else { self.report(span, code, message) }
    }

    fn file(self) {
        if self.model.is_parameters() {
            return self.parameter_file();
        }
        for directive in disabled::without_codes(self.model) {
            self.report(directive, "BCP226", "name the codes that the directive disables");
        }
        self.duplicates();
        self.cycles();
        self.declarations();
        self.experimental();
        self.runtime_values();
        self.loop_names();
        self.reserved_names();
        self.secret_calls();
        self.module_secrets();
        self.published_types();
    }

    /// Returns the end of a message that suggests a similar name.
    fn did_you_mean<'n>(self, name: &str, names: impl Iterator<Item = &'n str>) -> String {
        self.program.suggestions.did_you_mean(name, names)
    }
}
