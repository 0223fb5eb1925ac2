//! Scopes: meanings of names at a position in a rule.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;

use crate::guard3::ast::{Let, Operand, Query};
use crate::guard3::eval::view::Item;
use crate::guard3::eval::{Abort, EvalResult, Evaluator};
use crate::guard3::names::Name;
use crate::value::{Str, Unknown};

/// A value with its path.
#[derive(Clone, Debug)]
pub(in crate::guard3) struct LocatedItem<'a> {
    pub(in crate::guard3) item: Item<'a>,
    pub(in crate::guard3) trail: Trail<'a>,
}

/// Steps from the root of the document to a value.
#[derive(Clone, Debug, Default)]
pub(in crate::guard3) struct Trail<'a>(Option<Rc<Link<'a>>>);

#[derive(Debug)]
struct Link<'a> {
    before: Trail<'a>,
    step: TrailStep<'a>,
}

/// A step from a value into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard3) enum TrailStep<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Trail<'a> {
    pub(super) fn to(&self, step: TrailStep<'a>) -> Self {
        Self(Some(Rc::new(Link { before: self.clone(), step })))
    }

    /// Returns the steps, first one first.
    pub(in crate::guard3) fn steps(&self) -> Vec<TrailStep<'a>> {
        let mut steps = Vec::new();
        let mut trail = self;
        while let Some(link) = &trail.0 {
            steps.push(link.step);
            trail = &link.before;
        }
        steps.reverse();
        steps
    }

    /// Returns the last step, or `None` for the root.
    pub(super) fn last(&self) -> Option<TrailStep<'a>> {
        self.0.as_ref().map(|link| link.step)
    }

    /// True if the path has no steps.
    pub(super) fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// True if the path consists of this one key.
    pub(super) fn is_of(&self, step: &str) -> bool {
        self.0.as_ref().is_some_and(|link| link.step == TrailStep::Key(step) && link.before.0.is_none())
    }
}

/// A result of a query.
#[derive(Clone, Debug)]
pub(in crate::guard3) struct QueryResult<'a> {
    /// Value, or its deepest existing ancestor.
    pub(in crate::guard3) at: LocatedItem<'a>,
    pub(in crate::guard3) kind: ResultKind,
    /// True if the result certainly exists.
    pub(in crate::guard3) is_certain: bool,
}

/// Kind of a result.
#[derive(Clone, Debug)]
pub(in crate::guard3) enum ResultKind {
    Value,
    /// A literal of the rules file, without a path.
    Literal,
    /// A missing value. Holds the name of the missing member.
    Lost(Option<Str>),
    /// A value inside of a value that only the deployment knows.
    Unseen(Arc<Unknown>),
}

impl QueryResult<'_> {
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.kind, ResultKind::Lost(_))
    }
}

/// Meanings of names at a position: a chain from the innermost block to the file.
#[derive(Debug)]
pub(super) struct Scope<'s, 'a> {
    parent: Option<&'s Self>,
    kind: ScopeKind<'s, 'a>,
    /// Value at which queries begin.
    pub(super) root: LocatedItem<'a>,
}

#[derive(Debug)]
enum ScopeKind<'s, 'a> {
    /// A block with assignments, or the file.
    Block(&'a [Let], Resolved<'a>),
    /// A value that is being tested, such as an item in a filter.
    Value,
    /// Arguments of a call.
    Arguments(&'s [(Name, Results<'a>)]),
}

/// Number of assignments of a block that are compared with a name in one step.
const LETS_IN_STEP: usize = 8;

/// The results of a query.
pub(super) type Results<'a> = Rc<[QueryResult<'a>]>;

/// The variables that have been evaluated.
type Resolved<'a> = RefCell<HashMap<Name, Results<'a>>>;

impl<'s, 'a> Scope<'s, 'a> {
    /// Returns the scope of the file.
    pub(super) fn file(lets: &'a [Let], root: LocatedItem<'a>) -> Self {
        Self { parent: None, kind: ScopeKind::Block(lets, RefCell::default()), root }
    }

    /// Returns the scope of a block at the value of this scope.
    pub(super) fn block(&'s self, lets: &'a [Let]) -> Self {
        Self { parent: Some(self), kind: ScopeKind::Block(lets, RefCell::default()), root: self.root.clone() }
    }

    /// Returns the scope of a value.
    pub(super) fn value(&'s self, root: LocatedItem<'a>) -> Self {
        Self { parent: Some(self), kind: ScopeKind::Value, root }
    }

    /// Returns the scope of a rule called with these arguments.
    pub(super) fn call(&'s self, arguments: &'s [(Name, Results<'a>)]) -> Self {
        Self { parent: Some(self), kind: ScopeKind::Arguments(arguments), root: self.root.clone() }
    }

    /// Returns the scope for the filters of a query that begins here. For the scope of a value, that is the enclosing
    /// one.
    pub(super) fn of_filters(&self) -> &Self {
        match (&self.kind, self.parent) {
            (ScopeKind::Value, Some(parent)) => parent,
            (ScopeKind::Arguments(_), Some(parent)) => parent.of_filters(),
            _ => self,
        }
    }

    /// Returns the scope of the file.
    pub(super) fn outermost(&self) -> &Self {
        let mut scope = self;
        while let Some(parent) = scope.parent {
            scope = parent;
        }
        scope
    }
}

impl<'a> Evaluator<'a> {
    /// Returns the values of a variable.
    pub(super) fn variable(&self, scope: &Scope<'_, 'a>, name: Name) -> EvalResult<Results<'a>> {
        let mut scope = scope;
        loop {
            match &scope.kind {
                ScopeKind::Arguments(arguments) => {
                    if let Some((_, results)) = arguments.iter().find(|(own, _)| *own == name) {
                        return Ok(Rc::clone(results));
                    }
                }
                ScopeKind::Block(lets, resolved) => {
                    if let Some(results) = self.assigned(scope, lets, resolved, name)? {
                        return Ok(results);
                    }
                }
                ScopeKind::Value => {}
            }
            match scope.parent {
                Some(parent) => scope = parent,
                None => return self.not_captured(scope, name),
            }
        }
    }

    /// Returns the values of a variable that is assigned in a scope, or `None` if it is not assigned there.
    fn assigned(
        &self,
        scope: &Scope<'_, 'a>,
        lets: &'a [Let],
        resolved: &Resolved<'a>,
        name: Name,
    ) -> EvalResult<Option<Results<'a>>> {
        if let Some(results) = resolved.borrow().get(&name) {
            return Ok(Some(Rc::clone(results)));
        }
        let is_of_file = scope.parent.is_none();
        let named: Vec<&'a Let> = if is_of_file {
            self.file.lets_named(name).collect()
        } else {
            self.spend(lets.len() / LETS_IN_STEP)?;
            lets.iter().filter(|assignment| assignment.name == name).collect()
        };
        let mut own = named.iter().rev().map(|assignment| &assignment.value);
        let literal = own.clone().find_map(|value| match value {
            Operand::Literal(literal) => Some(literal),
            _ => None,
        });
        if let Some(literal) = literal {
            let at = LocatedItem { item: Item::Literal(literal), trail: Trail::default() };
            let results: Results<'a> = Rc::from(vec![QueryResult { at, kind: ResultKind::Literal, is_certain: true }]);
            resolved.borrow_mut().insert(name, Rc::clone(&results));
            return Ok(Some(results));
        }
        if is_of_file && let Some(captured) = self.captures.borrow_mut().get_mut(&name) {
            return Ok(Some(captured.results()));
        }
        let call = own.clone().find(|value| matches!(value, Operand::Call(_)));
        let Some(value) = call.or_else(|| own.next()) else { return Ok(None) };
        let evaluate = || -> EvalResult<Results<'a>> {
            let results: Results<'a> = match value {
                Operand::Query(query) => self.selected(scope, query)?,
                other => self.operand(scope, other)?.into(),
            };
            self.keep(size_of_val(&*results))?;
            Ok(results)
        };
        let results = if is_of_file { self.keeping_for_file(evaluate)? } else { evaluate()? };
        resolved.borrow_mut().insert(name, Rc::clone(&results));
        Ok(Some(results))
    }

    /// Returns the results of an assigned query. `some` drops missing values and literals.
    fn selected(&self, scope: &Scope<'_, 'a>, query: &'a Query) -> EvalResult<Results<'a>> {
        let mut results = self.query_in(scope, scope, query)?;
        if query.some {
            results.retain(|found| matches!(found.kind, ResultKind::Value | ResultKind::Unseen(_)));
        }
        Ok(results.into())
    }

    /// Returns the values of a name that no query has captured yet. formwork evaluates the assignments that capture it.
    fn not_captured(&self, file: &Scope<'_, 'a>, name: Name) -> EvalResult<Results<'a>> {
        if !self.document.is_raw {
            self.spend(self.file.lets.len())?;
            for assignment in &self.file.lets {
                self.variable(file, assignment.name)?;
            }
            let mut captures = self.captures.borrow_mut();
            return Ok(captures.get_mut(&name).map_or_else(|| Rc::from(Vec::new()), Captured::results));
        }
        Err(Abort::fatal(format!("`%{}` is used before a query captures it", self.file.names.text(name))))
    }

    /// Records a captured key. All keys of the whole file are kept.
    pub(super) fn capture(&self, name: Name, found: QueryResult<'a>) {
        let mut captures = self.captures.borrow_mut();
        let captured = captures.entry(name).or_default();
        captured.found.push(found);
        captured.shared = None;
    }
}

/// Keys that queries captured under one name.
#[derive(Debug, Default)]
pub(super) struct Captured<'a> {
    found: Vec<QueryResult<'a>>,
    shared: Option<Results<'a>>,
}

impl<'a> Captured<'a> {
    fn results(&mut self) -> Results<'a> {
        Rc::clone(self.shared.get_or_insert_with(|| Rc::from(self.found.as_slice())))
    }
}
