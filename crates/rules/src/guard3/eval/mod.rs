//! Evaluates rules on a document.

mod binary;
mod choices;
mod clause;
mod compare;
mod failure;
mod functions;
mod members;
mod query;
pub(in crate::guard3) mod results;
mod scope;
mod unary;
mod view;

use std::cell::{Cell, RefCell};

use foldhash::HashMap;

use crate::guard3::ast::RulesFile;
use crate::guard3::document::GuardDocument;
use crate::guard3::names::Name;
use crate::model::{Budget, Exceeded};
use crate::outcomes::Outcomes;

pub(in crate::guard3) use self::failure::{Failure, FailureKind};
pub(in crate::guard3) use self::scope::{LocatedItem, TrailStep};
pub(in crate::guard3) use self::view::Item;

use self::scope::{Captured, Scope, Trail};

/// Greatest depth of evaluation. The parser bounds blocks, and cycles are rejected, so only long chains of rules and
/// variables come near it.
const MAX_DEPTH: u32 = 192;

/// Reason for the absence of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard3) enum Abort {
    /// The operator or function is not defined for this value. An assertion fails, and so does the block that a
    /// condition guards.
    Undecidable,
    /// cfn-guard ends the run, for this reason.
    Fatal(String),
    /// A limit is exceeded, for this reason: nothing is known of the rule.
    Limit(Reached),
}

/// A limit of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard3) enum Reached {
    Depth,
    Steps,
    Bytes,
}

impl Abort {
    /// Returns a short description.
    pub(in crate::guard3) fn reason(&self) -> &str {
        match self {
            Self::Undecidable => "a clause is undecidable",
            Self::Fatal(why) => why,
            Self::Limit(Reached::Depth) => "rules and variables refer to each other in too many levels",
            Self::Limit(Reached::Steps) => "it takes too many steps",
            Self::Limit(Reached::Bytes) => "its variables and what it finds take too much memory",
        }
    }

    fn fatal(why: impl Into<String>) -> Self {
        Self::Fatal(why.into())
    }
}

/// A result, or the reason for its absence.
pub(in crate::guard3) type EvalResult<T> = Result<T, Abort>;

/// Purpose of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// An assertion: its failure is the failure of the rule.
    Assertion,
    /// A condition or a filter, which decides whether something applies.
    Gate,
}

/// Evaluation of a rules file on a document.
#[derive(Debug)]
pub(in crate::guard3) struct Evaluator<'a> {
    file: &'a RulesFile,
    document: &'a GuardDocument,
    captures: RefCell<HashMap<Name, Captured<'a>>>,
    /// Cache: results of rules that others refer to.
    results: RefCell<HashMap<(Name, Role), Outcomes>>,
    failures: RefCell<Vec<Failure<'a>>>,
    /// Number of enclosing conditions and filters. Failures in them are not reported.
    gates: Cell<u32>,
    depth: Cell<u32>,
    /// The steps and bytes that the rules of the file share.
    budget: &'a Budget<'a>,
    /// The bytes that are kept for blocks.
    kept: Cell<usize>,
}

/// A level of the evaluation, which ends when this is dropped.
struct Level<'e>(&'e Cell<u32>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl<'a> Evaluator<'a> {
    pub(in crate::guard3) fn new(file: &'a RulesFile, document: &'a GuardDocument, budget: &'a Budget<'a>) -> Self {
        Self {
            file,
            document,
            captures: RefCell::default(),
            results: RefCell::default(),
            failures: RefCell::default(),
            gates: Cell::new(0),
            depth: Cell::new(0),
            budget,
            kept: Cell::new(0),
        }
    }

    /// Evaluates the rules with these indexes, in order. `each` receives the index, the possible results of the rule,
    /// and the failed checks. An error ends the evaluation.
    pub(in crate::guard3) fn rules(
        &self,
        indexes: impl Iterator<Item = usize>,
        each: &mut dyn FnMut(usize, EvalResult<Outcomes>, Vec<Failure<'a>>),
    ) {
        let root = LocatedItem {
            item: Item::Value(&self.document.root, self.document.written.as_ref()),
            trail: Trail::default(),
        };
        let scope = Scope::file(&self.file.lets, root);
        for (at, index) in indexes.enumerate() {
            let Some(rule) = self.file.rules.get(index) else { continue };
            let _work = self.budget.work(at);
            let result = self.rule(&scope, rule.when.as_ref(), &rule.block, Role::Assertion);
            let failures = self.failures.take();
            self.budget.give_back(failures.len().saturating_mul(failure::BYTES_OF_FAILURE));
            each(index, result, failures);
        }
    }

    /// Enters a level.
    fn deeper(&self) -> EvalResult<Level<'_>> {
        if self.depth.get() >= MAX_DEPTH {
            return Err(Abort::Limit(Reached::Depth));
        }
        self.spend(1)?;
        self.depth.set(self.depth.get() + 1);
        Ok(Level(&self.depth))
    }

    /// Takes steps of those of the rule that is evaluated.
    fn spend(&self, steps: usize) -> EvalResult<()> {
        self.budget.spend(steps as u64).map_err(limit)
    }

    /// Keeps so many bytes until the block ends that is evaluated.
    fn keep(&self, bytes: usize) -> EvalResult<()> {
        self.kept.set(self.kept.get().saturating_add(bytes));
        self.budget.keep(bytes).map_err(limit)
    }

    /// Keeps a text of so many bytes that was made, or is about to be. Fails if it is longer than the limit.
    fn keep_text(&self, bytes: usize) -> EvalResult<()> {
        if bytes > self.budget.limits().text_bytes {
            return Err(Abort::Limit(Reached::Bytes));
        }
        self.keep(bytes)
    }

    /// Evaluates a block. What it keeps is dropped at its end.
    fn keeping<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.kept.get();
        let result = act();
        self.budget.give_back(self.kept.replace(before).saturating_sub(before));
        result
    }

    /// Evaluates what is kept to the end of the file.
    fn keeping_for_file<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.kept.get();
        let result = act();
        self.kept.set(before);
        result
    }

    /// Enters a condition or a filter, in which nothing is reported.
    fn gate(&self) -> Level<'_> {
        self.gates.set(self.gates.get() + 1);
        Level(&self.gates)
    }
}

fn limit(exceeded: Exceeded) -> Abort {
    Abort::Limit(if matches!(exceeded, Exceeded::Bytes(_)) { Reached::Bytes } else { Reached::Steps })
}
