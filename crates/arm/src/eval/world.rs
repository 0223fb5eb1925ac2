//! The state that all evaluations of one document share: context, limits, caches, and the problems found.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::context::Context;
use crate::diagnostic::{Check, Code, Diagnostic};
use crate::eval::Blanks;
use crate::eval::Evaluator;
use crate::expr::{self, Expr};
use crate::fault::Fault;
use crate::model::{Budget, Issue, Limits, Mask, SecretTexts, masked};
use crate::scope::names_of_id;
use crate::text::{Span, Suggestions};
use crate::types::Types;
use crate::value::{Str, Traits, Value};

/// The resources that `reference()` and similar functions can see.
pub trait Resources {
    /// Returns the value of `reference(target)`, or of `reference(target, api, 'Full')` if `full`. `target` is a
    /// symbolic name, a name or a resource ID. `None` if it is not in this document.
    fn reference(&self, evaluator: &Evaluator<'_>, target: &str, full: bool) -> Option<Result<Value, Fault>>;

    /// Returns `true` if neither the template nor the enclosing ones declare `target`. `false` if that is not certain.
    fn lacks(&self, evaluator: &Evaluator<'_>, target: &str) -> bool;

    /// Returns the value of `references(symbol)`: an array with one entry for each iteration of the resource loop with
    /// this symbolic name. `None` if there is no such loop.
    fn references(&self, evaluator: &Evaluator<'_>, symbol: &str, full: bool) -> Option<Result<Value, Fault>>;

    /// Returns the evaluated declaration of the resource group with this ID. `None` if the deployment does not create
    /// it.
    fn group(&self, evaluator: &Evaluator<'_>, id: &str) -> Option<Value>;

    /// Returns the value of `resourceInfo(symbol)`, or `None` if there is no such resource.
    fn info(&self, evaluator: &Evaluator<'_>, symbol: &str) -> Option<Value>;
}

/// A language with the same expressions as templates, but with functions of its own, such as that of Azure Policy.
pub trait Dialect {
    /// Returns `true` if the language defines `function`, either in addition to the functions of templates or with
    /// another meaning.
    fn defines(&self, function: &str) -> bool;

    /// Returns the result of a function that the language defines. Arguments may be unknown.
    fn call(&self, evaluator: &Evaluator<'_>, function: &str, arguments: &[Value]) -> Result<Value, Fault>;

    /// Returns the value of a property that is missing in the result of `function`. `None` if reading it is a fault.
    fn absent(&self, function: &str) -> Option<Value>;
}

/// The state that all evaluations of one document share.
pub struct World<'a> {
    /// Environment of the deployment, as expressions see it.
    pub context: &'a Context,
    /// The limits on evaluation.
    pub limits: &'a Limits,
    /// The resources of the document.
    pub resources: &'a dyn Resources,
    /// The functions of another language than templates, if the expressions are in one.
    pub dialect: Option<&'a dyn Dialect>,
    /// True if `bicep:` stands for values that the Bicep compiler does not know.
    pub has_unknowns: bool,
    /// Suggestions for misspelled names.
    pub suggestions: Suggestions,
    /// Parsed expressions by their text.
    expressions: RefCell<HashMap<Str, Parsed>>,
    /// Type definitions by the address of their template, which they keep alive.
    types: RefCell<HashMap<usize, Rc<Types>>>,
    /// The templates that have no secret literals, by their addresses. They are kept alive.
    plain: RefCell<HashMap<usize, Value>>,
    /// Limits that remain for the expansion.
    pub budget: &'a Budget<'a>,
    /// Number of nested evaluations in progress.
    depth: Cell<u32>,
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// Codes and spans of `diagnostics`, which prevent duplicates.
    reported: RefCell<HashSet<(Code, Span)>>,
    /// The segments of names and scopes that are secret, in lower case.
    secret_names: RefCell<BTreeSet<Str>>,
    secret_texts: SecretTexts,
    issues: RefCell<Vec<Issue>>,
    /// Checks, spans and message hashes of `issues`, which prevent duplicates.
    raised: RefCell<HashSet<(Check, Span, u64)>>,
    /// Values that are still to be filled in.
    pub blanks: RefCell<Blanks>,
    /// True while parts of a template are evaluated that the given values do not reach. Then an `if` with an unknown
    /// condition keeps both branches, and a loop with an unknown count runs once.
    pub explores: Cell<bool>,
}

/// Maximum number of parsed expressions to cache.
const MAX_EXPRESSIONS: usize = 8_192;

/// A level of nested evaluation, which ends when this is dropped.
#[must_use = "the level ends when it is dropped"]
#[derive(Debug)]
pub struct Level<'w>(&'w Cell<u32>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

type Parsed = Result<Rc<Expr>, Fault>;

impl std::fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("budget", &self.budget)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}

impl<'a> World<'a> {
    /// Starts the evaluation of a document.
    pub fn new(context: &'a Context, budget: &'a Budget<'a>, resources: &'a dyn Resources) -> Self {
        Self {
            context,
            limits: budget.limits(),
            resources,
            dialect: None,
            has_unknowns: false,
            suggestions: Suggestions::default(),
            expressions: RefCell::default(),
            types: RefCell::default(),
            plain: RefCell::default(),
            budget,
            depth: Cell::new(0),
            diagnostics: RefCell::default(),
            reported: RefCell::default(),
            secret_names: RefCell::default(),
            secret_texts: SecretTexts::default(),
            issues: RefCell::default(),
            raised: RefCell::default(),
            blanks: RefCell::default(),
            explores: Cell::default(),
        }
    }

    /// Parses an expression, given with its brackets. The same text is parsed only once, wherever it is.
    pub fn parse(&self, text: &Str) -> Result<Rc<Expr>, Fault> {
        if let Some(parsed) = self.expressions.borrow().get(text) {
            return parsed.clone();
        }
        let parsed = if text.len() > self.limits.expression_bytes {
            Err(Fault::limit(format!(
                "the expression has {} bytes; the limit is {}",
                text.len(),
                self.limits.expression_bytes
            )))
        } else {
            expr::parse(text).map(Rc::new)
        };
        // Faults are kept as well, since a loop evaluates the same string again and again. Most strings of a long template
        // are evaluated once, so not all are kept.
        let mut expressions = self.expressions.borrow_mut();
        if expressions.len() >= MAX_EXPRESSIONS {
            expressions.clear();
        }
        expressions.insert(text.clone(), parsed.clone());
        parsed
    }

    /// Returns the type definitions of a template, which are read only once.
    pub fn types(&self, template: &Value) -> Rc<Types> {
        let Some(address) = template.address() else { return Rc::default() };
        if let Some(known) = self.known_types(template) {
            return known;
        }
        let types = Rc::new(Types::inspected(template, self));
        self.types.borrow_mut().insert(address, Rc::clone(&types));
        types
    }

    /// Returns the type definitions of a template, if it has been deployed.
    pub fn known_types(&self, template: &Value) -> Option<Rc<Types>> {
        self.types.borrow().get(&template.address()?).cloned()
    }

    /// Returns `true` if `template` is known to have no secret literals.
    pub fn is_plain(&self, template: &Value) -> bool {
        template.address().is_some_and(|address| self.plain.borrow().contains_key(&address))
    }

    /// Records that a template has no secret literals, because the enclosing template checks it again.
    pub fn set_plain(&self, template: &Value) {
        if let Some(address) = template.address() {
            self.plain.borrow_mut().insert(address, template.clone());
        }
    }

    /// Counts steps against the limit of the document, and checks the limit on memory. A step is about one call, or one
    /// value that is built.
    pub fn step(&self, steps: usize) -> Result<(), Fault> {
        self.budget.spend(steps as u64).map_err(|exceeded| Fault::limit(format!("the deployment {exceeded}")))
    }

    /// Returns `true` if a limit on steps or memory is exceeded, so that nothing more is evaluated.
    pub fn is_spent(&self) -> bool {
        self.step(0).is_err()
    }

    /// Goes one level deeper until the result is dropped, or fails at the limit on depth. Every call that leads back to
    /// the evaluator takes a level, because all levels share the stack of one thread.
    pub fn deeper(&self) -> Result<Level<'_>, Fault> {
        let depth = self.depth.get();
        if depth >= self.limits.call_depth {
            return Err(Fault::limit(format!(
                "the evaluation is nested deeper than {} levels",
                self.limits.call_depth
            )));
        }
        self.depth.set(depth + 1);
        Ok(Level(&self.depth))
    }

    /// Records a diagnostic, once per code and span, however often a loop produces it.
    pub fn report(&self, diagnostic: Diagnostic) {
        if self.reported.borrow_mut().insert((diagnostic.code, diagnostic.primary.span)) {
            self.diagnostics.borrow_mut().push(diagnostic);
        }
    }

    /// Reports, once, that an expression fails because of a blank value.
    pub fn report_blank(&self, place: Span, fault: &Fault) {
        let issue = self.blanks.borrow().issue(place, fault);
        if let Some(issue) = issue {
            self.issue(issue);
        }
    }

    /// Returns `true` if a problem with `code` was already reported at `span`.
    pub fn has_reported(&self, code: Code, span: Span) -> bool {
        self.reported.borrow().contains(&(code, span))
    }

    /// Hides the segments of a name in the names, IDs and scopes of all resources if it is a secret.
    pub fn hide_name(&self, name: &Value) {
        self.hide_segments(name, &|text| text.split('/').collect());
    }

    /// Hides the names in a scope if it is a secret: see [`World::hide_name`]. A scope that is not an ID may contain
    /// names anywhere.
    pub fn hide_scope(&self, scope: &Value) {
        self.hide_segments(scope, &names_of_id);
        self.hide_segments(scope, &|text| text.split('/').filter(|part| self.secret_texts.is_in(part)).collect());
    }

    fn hide_segments(&self, value: &Value, segments: &dyn Fn(&str) -> Vec<&str>) {
        let approximate = value.approximate();
        let Some(text) = approximate.as_str().filter(|_| value.traits.has(Traits::SECRET)) else { return };
        let segments = segments(text).into_iter().filter(|segment| !segment.is_empty());
        self.secret_names.borrow_mut().extend(segments.map(|segment| Str::from(segment.to_lowercase())));
    }

    /// Keeps the text of a value out of all messages if it is a secret string.
    pub fn note_secret(&self, value: &Value) {
        self.secret_texts.note(value);
    }

    /// Keeps the secret strings in a value out of all messages.
    pub fn note_secrets(&self, value: &Value) {
        self.secret_texts.note_all(value);
    }

    /// True if a secret string is in the name of a member of a value, at any depth.
    pub fn has_secret_names(&self, value: &Value) -> bool {
        self.secret_texts.are_in_names(value)
    }

    /// Masks the secret segments of a name or ID.
    pub fn masked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let names = self.secret_names.borrow();
        if names.is_empty() {
            return Cow::Borrowed(text);
        }
        masked(text, |segment| names.contains(&Str::from(segment.to_lowercase())))
    }

    /// Returns a name or ID as a value, which is a secret if a segment of it is.
    pub fn named(&self, text: &Str) -> Value {
        let is_secret = matches!(self.masked(text), Cow::Owned(_));
        let traits = if is_secret { Traits::SECRET } else { Traits::NONE };
        Value::from(text.clone()).with_traits(traits | self.context.traits_of(text))
    }

    /// Returns the segments of names that are secret.
    pub fn secret_names(&self) -> Vec<Str> {
        self.secret_names.borrow().iter().cloned().collect()
    }

    /// Records an issue of a check, once per span and message, however often a loop produces it.
    pub fn issue(&self, issue: Issue) {
        let mut message = DefaultHasher::new();
        issue.message.hash(&mut message);
        if self.raised.borrow_mut().insert((issue.check, issue.span, message.finish())) {
            self.issues.borrow_mut().push(issue);
        }
    }

    /// Returns the mask that hides the secrets of the evaluation in messages.
    pub fn into_mask(self) -> Mask {
        self.secret_texts.mask()
    }

    /// Returns all recorded issues and diagnostics, without secrets.
    pub fn into_problems(self) -> (Vec<Issue>, Vec<Diagnostic>) {
        let mask = self.secret_texts.mask();
        let shown = |text: &mut String| *text = self.context.shown(text);
        let mut issues = self.issues.into_inner();
        for issue in &mut issues {
            mask.hide_in_issue(issue);
            shown(&mut issue.message);
            issue.related.iter_mut().for_each(|label| shown(&mut label.message));
        }
        let mut diagnostics = self.diagnostics.into_inner();
        for diagnostic in &mut diagnostics {
            mask.hide_in(diagnostic);
            shown(&mut diagnostic.message);
            diagnostic.secondary.iter_mut().for_each(|label| shown(&mut label.message));
        }
        (issues, diagnostics)
    }
}
