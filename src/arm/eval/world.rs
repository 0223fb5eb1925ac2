//! What all evaluations of one document share: context, limits, parsed expressions, problems found.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arm::context::Context;
use crate::arm::eval::Evaluator;
use crate::arm::expr::{self, Expr};
use crate::arm::fault::Fault;
use crate::arm::types::Types;
use crate::diagnostic::{Check, Code, Diagnostic};
use crate::model::Issue;
use crate::model::Limits;
use crate::text::Span;
use crate::value::{Data, Str, Value};

/// The resources that `reference()` and its kin can see.
pub trait Resources {
    /// The value of `reference(target)`, or of `reference(target, api, 'Full')`. `None` where `target`, a symbolic name,
    /// a name or a resource id, is nothing of this document.
    fn reference(&self, evaluator: &Evaluator<'_>, target: &str, full: bool) -> Option<Result<Value, Fault>>;

    /// The values of `references(loop)`: one for each iteration of a resource loop, by its symbolic name.
    fn references(&self, evaluator: &Evaluator<'_>, symbol: &str, full: bool) -> Option<Result<Value, Fault>>;

    /// The value of `resourceInfo(symbol)`: what is known of a resource without its state.
    fn info(&self, evaluator: &Evaluator<'_>, symbol: &str) -> Option<Value>;
}

/// See the module.
pub struct World<'a> {
    /// The world around the deployment.
    pub context: &'a Context,
    /// How far evaluation goes.
    pub limits: &'a Limits,
    /// The resources of the document.
    pub resources: &'a dyn Resources,
    /// Parsed expressions by the address of their text. The text is kept, so that no other can take its address.
    expressions: RefCell<FxHashMap<(usize, u32), (Str, Parsed)>>,
    /// The types of templates by the address of the template, which they keep.
    types: RefCell<FxHashMap<usize, Rc<Types>>>,
    steps: Cell<u64>,
    depth: Cell<u32>,
    diagnostics: RefCell<Vec<Diagnostic>>,
    reported: RefCell<FxHashSet<(Code, Span)>>,
    issues: RefCell<Vec<Issue>>,
    raised: RefCell<FxHashSet<(Check, Span, String)>>,
}

type Parsed = Result<Rc<Expr>, Fault>;

impl std::fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("steps", &self.steps)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}

impl<'a> World<'a> {
    /// A world without problems yet.
    pub fn new(context: &'a Context, limits: &'a Limits, resources: &'a dyn Resources) -> Self {
        Self {
            context,
            limits,
            resources,
            expressions: RefCell::default(),
            types: RefCell::default(),
            steps: Cell::new(0),
            depth: Cell::new(0),
            diagnostics: RefCell::default(),
            reported: RefCell::default(),
            issues: RefCell::default(),
            raised: RefCell::default(),
        }
    }

    /// The expression of a text with its brackets, read once.
    pub fn parse(&self, text: &Str) -> Result<Rc<Expr>, Fault> {
        if let Some((_, parsed)) = self.expressions.borrow().get(&text.address()) {
            return parsed.clone();
        }
        let parsed = if text.len() > self.limits.expression_bytes {
            Err(Fault::limit(format!(
                "the expression has {} bytes, and the limit is {}",
                text.len(),
                self.limits.expression_bytes
            )))
        } else {
            expr::parse(text).map(Rc::new)
        };
        self.expressions.borrow_mut().insert(text.address(), (text.clone(), parsed.clone()));
        parsed
    }

    /// The types of a template, read once however often it is deployed.
    pub fn types(&self, template: &Value) -> Rc<Types> {
        let Data::Object(object) = &template.data else { return Rc::default() };
        let address = Arc::as_ptr(object).addr();
        if let Some(known) = self.types.borrow().get(&address) {
            return Rc::clone(known);
        }
        let types = Rc::new(Types::inspected(template, self));
        self.types.borrow_mut().insert(address, Rc::clone(&types));
        types
    }

    /// Takes steps of the allowance of the document.
    pub fn step(&self, steps: usize) -> Result<(), Fault> {
        let taken = self.steps.get().saturating_add(steps as u64);
        self.steps.set(taken);
        if taken <= self.limits.steps {
            return Ok(());
        }
        Err(Fault::limit(format!("the deployment takes more than {} steps to evaluate", self.limits.steps)))
    }

    /// Runs `evaluate` one level deeper.
    pub fn deeper<T>(&self, evaluate: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        let depth = self.depth.get() + 1;
        if depth > self.limits.call_depth {
            let message = format!(
                "calls, variables and parameters lead deeper into each other than {} levels",
                self.limits.call_depth
            );
            return Err(Fault::limit(message));
        }
        self.depth.set(depth);
        let result = evaluate();
        self.depth.set(depth - 1);
        result
    }

    /// Notes a problem. One kind of problem is noted once at one place, however often a loop runs into it.
    pub fn report(&self, diagnostic: Diagnostic) {
        if self.reported.borrow_mut().insert((diagnostic.code, diagnostic.primary.span)) {
            self.diagnostics.borrow_mut().push(diagnostic);
        }
    }

    /// Notes what a check says. The same is noted once at one place, however often a loop says it.
    pub fn issue(&self, issue: Issue) {
        if self.raised.borrow_mut().insert((issue.check, issue.span, issue.message.clone())) {
            self.issues.borrow_mut().push(issue);
        }
    }

    /// Everything noted so far.
    pub fn into_problems(self) -> (Vec<Issue>, Vec<Diagnostic>) {
        (self.issues.into_inner(), self.diagnostics.into_inner())
    }
}
