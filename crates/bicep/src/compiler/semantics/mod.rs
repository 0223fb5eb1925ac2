//! What is wrong in Bicep files, whatever the values of their parameters are: all of it at once, in every branch.
//!
//! [`types`] are what values are. [`declared`] reads the types that are written, [`infer`] finds those of expressions, and
//! [`assign`] compares them. The other parts check declarations. What is not known is [`Type::Any`], of which nothing is said,
//! and so are the properties of resources: expansion compares these with the published types.
//!
//! The codes are those of Bicep, <https://github.com/Azure/bicep/blob/main/src/Bicep.Core/Diagnostics/DiagnosticBuilder.cs>.

mod access;
mod assign;
mod bodies;
mod calls;
mod constraints;
mod cycles;
mod declarations;
mod declared;
mod duplicates;
mod experimental;
mod facts;
mod functions;
mod infer;
mod lambdas;
mod locals;
mod names;
mod operators;
mod parameters;
mod pure;
mod runtime;
mod scopes;
mod templates;
mod types;

pub(super) use self::facts::Types;
pub(super) use self::names::{Use, each_use};

use std::cell::{Cell, RefCell};

use foldhash::{HashMap, HashSet};

use crate::compiler::model::Model;
use crate::compiler::semantics::types::Type;
use crate::compiler::units::{UnitId, Units};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Suggestions};

/// The most problems that are reported for one compilation.
pub(super) const MAX_PROBLEMS: usize = 100;

/// How deep types may lead into each other, through variables, properties and declarations. What lies deeper is not known.
const MAX_DEPTH: u32 = 250;

/// How many types one compilation may compare, besides four for each byte that it reads. After that, all are taken as fitting.
const MAX_STEPS: usize = 1_000_000;

/// What is wrong in all files of a compilation, and what the linter asks of the types in them.
pub(super) fn analyze<'w>(units: &'w Units, models: &'w [Option<Model<'w>>]) -> (Vec<Diagnostic>, Types) {
    let program = Program::new(units, models);
    for model in models.iter().flatten() {
        Checker { program: &program, model, is_quiet: false }.file();
    }
    let mut found = program.problems.into_inner();
    found.sort_by_key(|problem| (problem.primary.span.file, problem.primary.span.start));
    (found, program.types.into_inner())
}

/// A declaration whose type is found once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Variable(UnitId, usize),
    Declared(UnitId, usize),
    Parameter(UnitId, usize),
    /// The object that the outputs of a file, or its parameters, are.
    Outputs(UnitId),
    Parameters(UnitId),
}

/// All files, and what has been found of them.
struct Program<'w> {
    units: &'w Units,
    models: &'w [Option<Model<'w>>],
    /// The types of declarations. `None` while a type is being found.
    known: RefCell<HashMap<Key, Option<Type>>>,
    problems: RefCell<Vec<Diagnostic>>,
    reported: RefCell<HashSet<(Span, &'static str)>>,
    /// What is known of the types of expressions of the repository.
    types: RefCell<Types>,
    depth: Cell<u32>,
    /// How many types have been compared.
    steps: Cell<usize>,
    suggestions: Suggestions,
}

impl<'w> Program<'w> {
    fn new(units: &'w Units, models: &'w [Option<Model<'w>>]) -> Self {
        Self {
            units,
            models,
            known: RefCell::default(),
            problems: RefCell::default(),
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

    /// The type of a declaration, which is found when it is first needed. One that depends on itself is not known.
    fn once(&self, key: Key, find: impl FnOnce() -> Type) -> Type {
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone().unwrap_or(Type::Any);
        }
        self.known.borrow_mut().insert(key, None);
        let found = self.deeper(find);
        self.known.borrow_mut().insert(key, Some(found.clone()));
        found
    }

    /// Counts a comparison. `false` if there were too many: types that repeat each other multiply.
    fn spend(&self) -> bool {
        let steps = self.steps.get();
        self.steps.set(steps.saturating_add(1));
        steps < self.units.bytes.saturating_mul(4).saturating_add(MAX_STEPS)
    }

    /// Finds a type one level deeper.
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

/// Checks one file of a compilation.
#[derive(Clone, Copy)]
struct Checker<'c, 'w> {
    program: &'c Program<'w>,
    model: &'w Model<'w>,
    /// Whether only the types are asked for: what is wrong is reported where it is declared.
    is_quiet: bool,
}

impl Checker<'_, '_> {
    /// The same for another file, of which only types are asked for.
    fn within(self, unit: UnitId) -> Option<Self> {
        Some(Self { model: self.program.model(unit)?, is_quiet: true, ..self })
    }

    fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// Whether one more problem would be reported.
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

    fn file(self) {
        if self.model.is_parameters() {
            return self.parameter_file();
        }
        self.duplicates();
        self.cycles();
        self.declarations();
        self.experimental();
        self.runtime_values();
    }

    /// The end of a message that names a similar name.
    fn did_you_mean<'n>(self, name: &str, names: impl Iterator<Item = &'n str>) -> String {
        self.program.suggestions.did_you_mean(name, names)
    }
}
