//! Evaluates clauses, and combines their results.

use std::rc::Rc;

use crate::guard3::ast::{
    Block, Check, Clause, Lines, Parameterized, QueryBlock, Reference, RuleCall, Test, TypeBlock, WhenBlock,
};
use crate::guard3::eval::failure::{Failure, FailureKind};
use crate::guard3::eval::results::{FAIL, PASS, SKIP};
use crate::guard3::eval::scope::{LocatedItem, QueryResult, ResultKind, Results, Scope, TrailStep};
use crate::guard3::eval::view::{Item, Key, View};
use crate::guard3::eval::{Abort, EvalResult, Evaluator, Role};
use crate::guard3::names::Name;
use crate::outcomes::Outcomes;
use crate::value::Str;

/// Results of several checks or blocks in a conjunction.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about all of them")]
pub(super) struct Tally {
    any_fail: bool,
    any_pass: bool,
    /// True if a certain result failed. `has_passed` is the same for a passing one.
    has_failed: bool,
    has_passed: bool,
    /// True if every certain result may be a skip.
    all_skip: bool,
    has_certain: bool,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            any_fail: false,
            any_pass: false,
            has_failed: false,
            has_passed: false,
            all_skip: true,
            has_certain: false,
        }
    }

    /// Adds a result. One that is not certain may not be there, but what fails wherever it is there counts.
    pub(super) fn add(&mut self, set: Outcomes, is_certain: bool) {
        self.any_fail |= set.may_be(FAIL);
        self.any_pass |= set.may_be(PASS);
        self.has_failed |= set == FAIL;
        if is_certain {
            self.has_passed |= set == PASS;
            self.all_skip &= set.may_be(SKIP);
            self.has_certain = true;
        }
    }

    /// Records that a result exists, even without checks.
    pub(super) fn note_certain(&mut self, is_certain: bool) {
        self.has_certain |= is_certain;
    }

    /// True if there may be no result.
    pub(super) fn may_be_empty(&self) -> bool {
        !self.has_certain
    }

    /// Returns FAIL if any result fails, else PASS if any passes, else SKIP.
    pub(super) fn all(&self) -> Outcomes {
        FAIL.only_if(self.any_fail)
            .union(PASS.only_if(self.any_pass && !self.has_failed))
            .union(SKIP.only_if(self.all_skip && !self.has_failed))
    }

    /// Returns PASS if any result passes, else FAIL if any fails, else SKIP.
    pub(super) fn any(&self) -> Outcomes {
        PASS.only_if(self.any_pass)
            .union(FAIL.only_if(self.any_fail && !self.has_passed))
            .union(SKIP.only_if(self.all_skip))
    }

    /// Combines checks, which are never skipped: PASS unless one fails; with `some`, FAIL unless one passes.
    pub(super) fn of_checks(&self, some: bool) -> Outcomes {
        if some {
            return PASS.only_if(self.any_pass).union(FAIL.only_if(!self.has_passed));
        }
        FAIL.only_if(self.any_fail).union(PASS.only_if(!self.has_failed))
    }
}

impl<'a> Evaluator<'a> {
    /// Evaluates lines, a conjunction of disjunctions.
    pub(super) fn lines(&self, scope: &Scope<'_, 'a>, lines: &'a Lines, role: Role) -> EvalResult<Outcomes> {
        let _level = self.deeper()?;
        let mut tally = Tally::new();
        for line in lines {
            tally.add(self.line(scope, line, role)?, true);
        }
        Ok(tally.all())
    }

    fn line(&self, scope: &Scope<'_, 'a>, line: &'a [Clause], role: Role) -> EvalResult<Outcomes> {
        if let [clause] = line {
            return self.clause(scope, clause, role);
        }
        let mark = self.mark();
        let mut tally = Tally::new();
        for clause in line {
            let set = self.clause(scope, clause, role)?;
            tally.add(set, true);
            if set == PASS {
                return Ok(self.settle(mark, PASS));
            }
        }
        Ok(self.settle(mark, tally.any()))
    }

    fn clause(&self, scope: &Scope<'_, 'a>, clause: &'a Clause, role: Role) -> EvalResult<Outcomes> {
        match clause {
            Clause::Check(check) => self.evaluate_check(scope, check, role),
            Clause::Block(block) => self.query_block(scope, block, role),
            Clause::When(when) => self.when_block(scope, when, role),
            Clause::Type(block) => self.type_block(scope, block, role),
            Clause::Reference(reference) => self.reference(scope, reference, role),
            Clause::Call(call) => self.call_rule(scope, call, role),
        }
    }

    /// Evaluates a rule with its condition.
    pub(super) fn rule(
        &self,
        scope: &Scope<'_, 'a>,
        when: Option<&'a Lines>,
        block: &'a Block,
        role: Role,
    ) -> EvalResult<Outcomes> {
        let mark = self.mark();
        let Some(condition) = self.condition(scope, when, role)? else {
            return Ok(FAIL);
        };
        let set = guarded(condition, || self.block(scope, block, role))?;
        Ok(self.settle(mark, set))
    }

    /// Evaluates a condition. `None` if it cannot be decided, so that the guarded block fails.
    fn condition(&self, scope: &Scope<'_, 'a>, when: Option<&'a Lines>, role: Role) -> EvalResult<Option<Outcomes>> {
        let Some(when) = when else { return Ok(Some(PASS)) };
        let _gate = self.gate();
        match self.lines(scope, when, Role::Gate) {
            Ok(set) => Ok(Some(set)),
            Err(Abort::Undecidable) if role == Role::Assertion => Ok(None),
            Err(Abort::Fatal(_)) if !self.document.is_raw && role == Role::Assertion => Ok(None),
            Err(abort) => Err(abort),
        }
    }

    fn block(&self, scope: &Scope<'_, 'a>, block: &'a Block, role: Role) -> EvalResult<Outcomes> {
        let inner = scope.block(&block.lets);
        self.keeping(|| self.lines(&inner, &block.lines, role))
    }

    fn when_block(&self, scope: &Scope<'_, 'a>, when: &'a WhenBlock, role: Role) -> EvalResult<Outcomes> {
        let mark = self.mark();
        let Some(condition) = self.condition(scope, Some(&when.conditions), role)? else {
            self.fail(|| Failure {
                at: None,
                why: FailureKind::Nothing,
                place: when.place,
                message: None,
                doubt: None,
            });
            return Ok(FAIL);
        };
        let set = guarded(condition, || self.block(scope, &when.block, role))?;
        Ok(self.settle(mark, set))
    }

    fn query_block(&self, scope: &Scope<'_, 'a>, block: &'a QueryBlock, role: Role) -> EvalResult<Outcomes> {
        let mark = self.mark();
        let results = self.query(scope, &block.query)?;
        let mut tally = Tally::new();
        for found in results {
            let QueryResult { at, kind, is_certain } = found;
            let from = self.mark();
            let set = match kind {
                ResultKind::Lost(name) => {
                    self.fail(|| Failure {
                        at: Some(at),
                        why: FailureKind::Missing(name),
                        place: block.place,
                        message: None,
                        doubt: None,
                    });
                    FAIL
                }
                ResultKind::Unseen(unknown) => {
                    self.doubtful(Some(at), block, &unknown.why);
                    Outcomes::UNKNOWN.union(SKIP)
                }
                ResultKind::Value | ResultKind::Literal => {
                    let value = scope.value(at);
                    let set = self.block(&value, &block.block, role)?;
                    self.place_failures(from, &value.root);
                    set
                }
            };
            self.settle(from, if is_certain || set == FAIL { set } else { set.union(SKIP) });
            tally.add(set, is_certain);
        }
        let mut set = if block.query.some { tally.any() } else { tally.all() };
        if tally.may_be_empty() && block.not_empty {
            // Without a certain result, `all` has SKIP, which is FAIL here.
            set = FAIL.union(PASS.only_if(set.may_be(PASS)));
            if self.mark() == mark {
                self.fail(|| Failure {
                    at: None,
                    why: FailureKind::Nothing,
                    place: block.place,
                    message: None,
                    doubt: None,
                });
            }
        }
        Ok(self.settle(mark, set))
    }

    fn doubtful(&self, at: Option<LocatedItem<'a>>, block: &QueryBlock, why: &Str) {
        let doubt = Some(why.clone());
        self.fail(|| Failure { at, why: FailureKind::Nothing, place: block.place, message: None, doubt });
    }

    fn type_block(&self, scope: &Scope<'_, 'a>, block: &'a TypeBlock, role: Role) -> EvalResult<Outcomes> {
        let mark = self.mark();
        let mut tally = Tally::new();
        for (at, is_certain) in self.of_type(scope, &block.type_name) {
            let from = self.mark();
            let value = scope.value(at.clone());
            let set = if let Some(condition) = self.condition(&value, block.when.as_ref(), role)? {
                let set = guarded(condition, || self.block(&value, &block.block, role))?;
                self.place_failures(from, &value.root);
                set
            } else {
                let failure =
                    Failure { at: Some(at), why: FailureKind::Nothing, place: block.place, message: None, doubt: None };
                self.fail(|| failure);
                FAIL
            };
            self.settle(from, if is_certain || set == FAIL { set } else { set.union(SKIP) });
            tally.add(set, is_certain);
        }
        Ok(self.settle(mark, tally.all()))
    }

    /// Returns the resources of a type, each with whether it certainly exists.
    fn of_type(&self, scope: &Scope<'_, 'a>, type_name: &str) -> Vec<(LocatedItem<'a>, bool)> {
        let document = self.document;
        let root = &scope.root;
        let Some((resources, key)) = root.item.member("Resources", document.ignores_case) else { return Vec::new() };
        let trail = key.map_or_else(|| root.trail.clone(), |key| root.trail.to(TrailStep::Key(key)));
        let is_type = |own: &str| document.is_type(own, type_name);
        let of_type = match &resources {
            Item::Value(value, _) => {
                document.types_of(value).map(|types| resources.members_at(&types.of_known_type(is_type)))
            }
            _ => None,
        };
        let members = of_type.unwrap_or_else(|| {
            let mut members = resources.members().unwrap_or_default();
            members.retain(|(item, _)| {
                let own = item.member("Type", document.ignores_case);
                own.is_some_and(|(own, _)| own.view().text().is_some_and(is_type))
            });
            members
        });
        let found = members.into_iter().map(|(item, key)| {
            let is_certain = !document.uncertain.contains_key(&**key.text());
            let trail = match key {
                Key::Written(key) => trail.to(TrailStep::Key(key)),
                Key::Made(_) => trail.clone(),
            };
            (LocatedItem { item, trail }, is_certain)
        });
        found.collect()
    }

    fn reference(&self, scope: &Scope<'_, 'a>, reference: &'a Reference, role: Role) -> EvalResult<Outcomes> {
        let set = self.referred(scope, reference.name, role)?;
        let set = referred(set, reference.negated, role);
        if set.may_be(FAIL) {
            let doubt = (set != FAIL).then(|| Str::from("the other rule is undecided"));
            let why = FailureKind::Rule(reference.name);
            let message = reference.message.as_ref();
            self.fail(|| Failure { at: None, why, place: reference.place, message, doubt });
        }
        Ok(set)
    }

    /// Returns the result of the rules with a name: that of the first that is not skipped.
    fn referred(&self, scope: &Scope<'_, 'a>, name: Name, role: Role) -> EvalResult<Outcomes> {
        if let Some(set) = self.results.borrow().get(&(name, role)) {
            return Ok(*set);
        }
        let _level = self.deeper()?;
        let mark = self.mark();
        let file = scope.outermost();
        let mut set = SKIP;
        let mut rules = self.file.rules_named(name).peekable();
        if rules.peek().is_none() {
            return Err(Abort::fatal("a rule is referred to that does not exist"));
        }
        for rule in rules {
            let own = self.rule(file, rule.when.as_ref(), &rule.block, role)?;
            set = set.without(SKIP).union(own);
            if !own.may_be(SKIP) {
                break;
            }
        }
        self.failures.borrow_mut().truncate(mark);
        self.results.borrow_mut().insert((name, role), set);
        Ok(set)
    }

    fn call_rule(&self, scope: &Scope<'_, 'a>, call: &'a RuleCall, role: Role) -> EvalResult<Outcomes> {
        let _level = self.deeper()?;
        let called = self.file.parameterized_named(call.name);
        let Some(rule) = called.filter(|rule: &&Parameterized| distinct(&rule.parameters) == call.arguments.len())
        else {
            return Err(Abort::fatal("a rule is called that does not exist, or has other parameters"));
        };
        let mut arguments: Vec<(Name, Results<'a>)> = Vec::with_capacity(call.arguments.len());
        for (parameter, argument) in rule.parameters.iter().zip(&call.arguments) {
            let mut results = self.operand(scope, argument)?;
            // A literal argument counts as a value of the document.
            for found in results.iter_mut().filter(|found| matches!(found.kind, ResultKind::Literal)) {
                found.kind = ResultKind::Value;
            }
            arguments.push((*parameter, Rc::from(results)));
        }
        let mark = self.mark();
        let inner = scope.call(&arguments);
        let own = self.rule(&inner, None, &rule.block, role)?;
        // A rule that does not apply does not fail its caller, as in cfn-guard 3.1.1, for which AWS writes the rules of
        // Control Tower. In 3.2.1, it does.
        let is_skip_kept = role == Role::Assertion && !self.document.is_raw;
        let set = if is_skip_kept { own.negated_if(call.negated) } else { referred(own, call.negated, role) };
        if call.message.is_some() {
            for failure in self.failures.borrow_mut().iter_mut().skip(mark) {
                failure.message = failure.message.or(call.message.as_ref());
            }
        }
        if set.may_be(FAIL) && self.mark() == mark {
            let doubt = (set != FAIL).then(|| Str::from("the other rule is undecided"));
            let message = call.message.as_ref();
            self.fail(|| Failure { at: None, why: FailureKind::Rule(call.name), place: call.place, message, doubt });
        }
        let argument = arguments.iter().flat_map(|(_, results)| results.iter()).map(|found| &found.at);
        if let Some(at) = argument.chain([&scope.root]).find(|at| !at.trail.is_root()) {
            self.place_failures(mark, at);
        }
        Ok(self.settle(mark, set))
    }

    fn evaluate_check(&self, scope: &Scope<'_, 'a>, check: &'a Check, role: Role) -> EvalResult<Outcomes> {
        let mark = self.mark();
        let result = match &check.test {
            Test::Unary { operator, negated } => self.unary(scope, check, *operator, *negated, role),
            Test::Binary { operator, negated, right } => match self.operand(scope, right) {
                Ok(right) => self.binary(scope, check, (*operator, *negated), &right, role),
                Err(Abort::Limit(reached)) => return Err(Abort::Limit(reached)),
                Err(abort) if self.document.is_raw => return Err(abort),
                Err(_) => Err(Abort::Undecidable),
            },
        };
        let set = match result {
            Ok(set) => set,
            Err(Abort::Undecidable) if role == Role::Assertion => self.nothing(check),
            Err(Abort::Fatal(_)) if !self.document.is_raw => self.nothing(check),
            Err(abort) => return Err(abort),
        };
        Ok(self.settle(mark, set))
    }

    /// Records that a check failed without a value.
    pub(super) fn nothing(&self, check: &'a Check) -> Outcomes {
        let message = check.message.as_ref();
        self.fail(|| Failure { at: None, why: FailureKind::Nothing, place: check.place, message, doubt: None });
        FAIL
    }

    /// Records the result of a check on a value. An uncertain value may not exist.
    pub(super) fn checked(&self, check: &'a Check, found: &QueryResult<'a>, set: Outcomes) {
        if !set.may_be(FAIL) {
            return;
        }
        let doubt = (set != FAIL).then(|| match (&found.kind, found.at.item.view()) {
            (ResultKind::Unseen(unknown), _) => unknown.why.clone(),
            (_, View::Unknown(unknown)) => unknown.why.clone(),
            _ => Str::from(super::failure::WITHOUT_REASON),
        });
        self.fail(|| Failure {
            at: Some(found.at.clone()),
            why: match &found.kind {
                ResultKind::Lost(name) => FailureKind::Missing(name.clone()),
                _ => FailureKind::Value(check),
            },
            place: check.place,
            message: check.message.as_ref(),
            doubt,
        });
        if !found.is_certain && set != FAIL {
            let mark = self.mark();
            self.settle(mark.saturating_sub(1), Outcomes::UNKNOWN);
        }
    }
}

/// Converts the results of a rule to those of a reference to it.
fn referred(set: Outcomes, negated: bool, role: Role) -> Outcomes {
    let skipped = match role {
        Role::Assertion => FAIL,
        Role::Gate if negated => PASS,
        Role::Gate => SKIP,
    };
    set.without(SKIP).negated_if(negated).union(skipped.only_if(set.may_be(SKIP)))
}

/// Counts the distinct names.
fn distinct(names: &[Name]) -> usize {
    names.iter().enumerate().filter(|(at, name)| !names.iter().take(*at).any(|before| before == *name)).count()
}

/// Evaluates a guarded block, and adds SKIP if the condition may not hold.
fn guarded(condition: Outcomes, body: impl FnOnce() -> EvalResult<Outcomes>) -> EvalResult<Outcomes> {
    if !condition.may_be(PASS) {
        return Ok(SKIP);
    }
    Ok(body()?.union(SKIP.only_if(condition != PASS)))
}
