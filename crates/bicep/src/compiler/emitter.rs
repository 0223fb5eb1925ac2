//! State that all parts of the emission share: files, settings of the template, limits.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::compiler::formula::Formula;
use crate::compiler::loaded::Loads;
use crate::compiler::members::length_with;
use crate::compiler::model::{Model, ResourceId};
use crate::compiler::semantics::Types;
use crate::compiler::units::{UnitId, Units};
use crate::compiler::unknown;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Suggestions};
use crate::value::Value;

/// Maximum number of conversions in one compilation, besides one for each byte that it reads. Inlined variables can
/// multiply the text; real templates need less than a fifth of this. A value of a parameter file counts as many as
/// there are variables.
const MAX_STEPS: usize = 1_000_000;

/// Maximum depth of conversions, through variables, parents, and indexes.
const MAX_DEPTH: u32 = 700;

/// Maximum total length of compiled strings, besides four bytes for each byte read. Resource Manager accepts
/// templates of up to 4 MiB.
const MAX_BYTES: usize = 4 << 20;

/// Maximum total length of templates that modules contain once more, besides four bytes for each byte read.
const MAX_REPEATED: usize = 4 << 20;

/// Maximum number of problems with the same code in one compilation.
const MAX_PROBLEMS: usize = 100;

/// Error: the value cannot be emitted. The problem has been reported.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Made<T> = Result<T, Failed>;

/// Value of a parameter in a file that another one extends.
#[derive(Debug)]
pub(super) enum BaseValue {
    Known(Value),
    /// A formula with external inputs.
    Input(Formula),
    /// A secret that only a deployment reads.
    Secret,
}

/// The files of a compilation, and the results so far.
pub(super) struct World<'w> {
    pub units: &'w Units,
    pub models: &'w [Option<Model<'w>>],
    /// Loaded files, by unit.
    pub loads: &'w [Loads],
    /// Spans with errors. They are unknown in templates.
    refused: HashSet<Span>,
    pub types: &'w Types,
    pub problems: RefCell<Vec<Diagnostic>>,
    /// Finished templates; `None` for those that failed.
    pub templates: RefCell<HashMap<UnitId, Option<Value>>>,
    /// True if something is missing in the current template.
    pub lacks: Cell<bool>,
    /// True after a limit was reached. Nothing more is emitted then.
    is_too_large: Cell<bool>,
    /// Lengths of finished templates, by address.
    pub lengths: RefCell<HashMap<usize, usize>>,
    /// Files whose templates are part of another template.
    placed: RefCell<HashSet<UnitId>>,
    repeated: Cell<usize>,
    /// Parameter values of the files that a parameter file extends.
    pub base: RefCell<HashMap<String, BaseValue>>,
    pub secure: RefCell<HashMap<UnitId, Rc<HashSet<String>>>>,
    pub suggestions: Suggestions,
    /// Number of bytes read.
    read: usize,
    steps: Cell<usize>,
    depth: Cell<u32>,
    bytes: Cell<usize>,
}

impl<'w> World<'w> {
    pub(super) fn new(
        units: &'w Units,
        models: &'w [Option<Model<'w>>],
        loads: &'w [Loads],
        refused: HashSet<Span>,
        types: &'w Types,
    ) -> Self {
        let loaded: usize = loads.iter().map(Loads::length).sum();
        Self {
            read: units.bytes.saturating_add(loaded),
            units,
            models,
            loads,
            refused,
            types,
            problems: RefCell::default(),
            templates: RefCell::default(),
            lacks: Cell::new(false),
            is_too_large: Cell::new(false),
            base: RefCell::default(),
            secure: RefCell::default(),
            lengths: RefCell::default(),
            placed: RefCell::default(),
            repeated: Cell::new(0),
            suggestions: Suggestions::default(),
            steps: Cell::new(0),
            depth: Cell::new(0),
            bytes: Cell::new(0),
        }
    }

    pub(super) fn model(&self, id: UnitId) -> Option<&'w Model<'w>> {
        self.models.get(id.0)?.as_ref()
    }

    /// Returns the approximate length of a value in bytes. A finished template is not measured again.
    pub(super) fn length(&self, value: &Value) -> usize {
        let known = value.address().and_then(|address| self.lengths.borrow().get(&address).copied());
        known.unwrap_or_else(|| length_with(value, &|inner| self.length(inner)))
    }

    /// True if an error has been found at this span.
    pub(super) fn is_refused(&self, span: Span) -> bool {
        self.refused.contains(&span)
    }

    pub(super) fn problem(&self, span: Span, message: impl Into<String>) -> Failed {
        self.report(Diagnostic::new(Code::BicepDiagnostic, span, message));
        Failed
    }

    /// Reports a problem, unless one is known for the same span.
    pub(super) fn report(&self, problem: Diagnostic) {
        let mut problems = self.problems.borrow_mut();
        let is_known = problems.iter().any(|known| known.primary.span == problem.primary.span);
        let alike = problems.iter().filter(|known| known.code == problem.code).count();
        if !is_known && alike < MAX_PROBLEMS {
            problems.push(problem);
        }
    }
}

/// Decisions for a whole template.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// True if resources are an object, keyed by symbolic names.
    pub is_symbolic: bool,
    pub is_experimental: bool,
    /// Variables of the file that are written out where they are used.
    pub inlined: HashSet<usize>,
    /// Existing resources that are not part of the template.
    pub inlined_resources: HashSet<ResourceId>,
    /// Names of imported declarations in the template.
    pub names: HashMap<(UnitId, String), Rc<str>>,
}

/// Emitter of one template. Names are looked up in `model`: the file of the template, or a file that it imports from.
#[derive(Clone, Copy)]
pub(super) struct Emitter<'w> {
    pub world: &'w World<'w>,
    pub home: UnitId,
    pub model: &'w Model<'w>,
    pub settings: &'w Settings,
}

impl Emitter<'_> {
    /// Returns an emitter of the same template that looks up names in another file.
    pub(super) fn within(self, unit: UnitId) -> Option<Self> {
        Some(Self { model: self.world.model(unit)?, ..self })
    }

    pub(super) fn fail<T>(&self, span: Span, message: impl Into<String>) -> Made<T> {
        Err(self.world.problem(span, message))
    }

    /// Fails with the code that the problem has in Bicep.
    pub(super) fn fail_as<T>(&self, code: &str, span: Span, message: impl Into<String>) -> Made<T> {
        self.world.report(Diagnostic::new(Code::BicepDiagnostic, span, message).with_bicep_code(code));
        Err(Failed)
    }

    /// Fails because a limit was reached, and stops the emission.
    fn stop<T>(&self, span: Span, message: &str) -> Made<T> {
        self.world.is_too_large.set(true);
        self.fail(span, message)
    }

    /// Replaces a failed value by an unknown one, unless a limit was reached. In a parameter file, whose values are
    /// computed at compile time, the failure remains.
    pub(super) fn or_unknown(&self, failed: Failed) -> Made<Formula> {
        if self.is_parameter_file() || self.world.is_too_large.get() { Err(failed) } else { Ok(unknown::value()) }
    }

    /// Runs a conversion one level deeper.
    pub(super) fn deeper<T>(&self, span: Span, convert: impl FnOnce() -> Made<T>) -> Made<T> {
        let depth = self.world.depth.get();
        if depth >= MAX_DEPTH {
            return self.stop(span, "expressions refer to each other in a cycle, or too deeply");
        }
        self.spend(1, span)?;
        self.world.depth.set(depth + 1);
        let made = convert();
        self.world.depth.set(depth);
        made
    }

    /// Marks the template as incomplete if a part failed: what is reported about the other parts may be wrong.
    pub(super) fn kept<T>(&self, made: Made<T>) -> Option<T> {
        if made.is_err() {
            self.world.lacks.set(true);
        }
        made.ok()
    }

    /// Counts conversions. Fails if the limit was reached before.
    pub(super) fn spend(&self, steps: usize, span: Span) -> Made<()> {
        let spent = self.world.steps.get();
        if spent >= self.world.read.saturating_add(MAX_STEPS) {
            return self.stop(span, "the template would be too large: variables are repeated or computed too often");
        }
        self.world.steps.set(spent.saturating_add(steps));
        Ok(())
    }

    /// Counts the template of a module, unless it is the first that contains this file. A file is compiled once, but
    /// its template is repeated wherever it is used, with the templates in it.
    pub(super) fn count_module(&self, unit: UnitId, template: &Value, span: Span) -> Made<()> {
        let world = self.world;
        if world.placed.borrow_mut().insert(unit) {
            return Ok(());
        }
        let (repeated, limit) = (world.repeated.get(), world.read.saturating_mul(4).saturating_add(MAX_REPEATED));
        if repeated > limit {
            // Reported when the limit was exceeded.
            return Err(Failed);
        }
        world.repeated.set(repeated.saturating_add(world.length(template)));
        if world.repeated.get() > limit {
            return self.stop(span, "the template would be too large: modules contain each other too often");
        }
        Ok(())
    }

    /// Writes a formula as a value.
    pub(super) fn written(&self, formula: &Formula, span: Span) -> Made<Value> {
        if let Formula::Int(value) = formula {
            return Ok(Value::from(*value).at(span));
        }
        Ok(Value::from(self.string(formula, span)?).at(span))
    }

    /// Writes a formula as a string.
    pub(super) fn string(&self, formula: &Formula, span: Span) -> Made<String> {
        let limit = self.world.read.saturating_mul(4).saturating_add(MAX_BYTES);
        let left = limit.saturating_sub(self.world.bytes.get());
        let Some(text) = formula.write(left) else {
            return self.stop(span, "the template would be too large: expressions repeat each other too often");
        };
        self.world.bytes.set(self.world.bytes.get() + text.len());
        Ok(text)
    }

    /// Returns the name of a declaration in the template.
    pub(super) fn name_of(&self, unit: UnitId, name: &str) -> Rc<str> {
        if unit == self.home {
            return name.into();
        }
        self.settings.names.get(&(unit, name.to_owned())).map_or_else(|| name.into(), Rc::clone)
    }

    /// True if the template imports this declaration.
    pub(super) fn is_imported(&self, unit: UnitId, name: &str) -> bool {
        self.settings.names.contains_key(&(unit, name.to_owned()))
    }

    /// True if the file is a parameter file, whose values are all computed at compile time.
    pub(super) fn is_parameter_file(&self) -> bool {
        self.model.unit.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicepparam"))
    }

    /// True if names are looked up in the file of the template itself.
    pub(super) fn is_home(&self) -> bool {
        self.model.id == self.home
    }
}
