//! Evaluates operators with a right side.

use crate::guard3::ast::{Binary, Check};
use crate::guard3::eval::choices;
use crate::guard3::eval::clause::Tally;
use crate::guard3::eval::compare::{INCOMPARABLE, check_result, equal, in_order, membership_result, same};
use crate::guard3::eval::members::MemberIndex;
use crate::guard3::eval::query::is_function;
use crate::guard3::eval::results::{FAIL, PASS, SKIP};
use crate::guard3::eval::scope::{LocatedItem, QueryResult, ResultKind, Scope, TrailStep};
use crate::guard3::eval::view::{Item, List, View};
use crate::guard3::eval::{EvalResult, Evaluator, Role};
use crate::lookup::is_same_location;
use crate::outcomes::Outcomes;

/// Comparison of a clause.
struct Comparison<'e, 'a> {
    evaluator: &'e Evaluator<'a>,
    check: &'a Check,
    operator: Binary,
    negated: bool,
    tally: Tally,
}

/// Returns the operand, if it is one literal.
fn literal<'f>(results: &'f [QueryResult<'_>]) -> Option<View<'f>> {
    match results {
        [QueryResult { at, kind: ResultKind::Literal, .. }] => Some(at.item.view()),
        _ => None,
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn binary(
        &self,
        scope: &Scope<'_, 'a>,
        check: &'a Check,
        (operator, negated): (Binary, bool),
        right: &[QueryResult<'a>],
        role: Role,
    ) -> EvalResult<Outcomes> {
        let left = self.query(scope, &check.query)?;
        if left.is_empty() {
            let is_strict = check.query.is_lone_variable() && role == Role::Assertion;
            return Ok(if is_strict { self.nothing(check) } else { SKIP });
        }
        if right.is_empty() {
            return Ok(if role == Role::Assertion { self.nothing(check) } else { SKIP });
        }
        self.spend(left.len().saturating_mul(right.len()))?;
        let negated = negated != check.negated;
        let mut comparison = Comparison { evaluator: self, check, operator, negated, tally: Tally::new() };
        match operator {
            Binary::Equal => comparison.equality(&left, right),
            Binary::In => comparison.membership(&left, right),
            _ => comparison.order(&left, right),
        }
        let set = comparison.tally.of_checks(check.query.some);
        let has_certain = left.iter().any(|found| found.is_certain);
        Ok(if has_certain || set == FAIL { set } else { set.union(SKIP) })
    }

    /// Returns the results of filtering one key.
    pub(super) fn selects_key(
        &self,
        key: View<'_>,
        right: &[QueryResult<'a>],
        equal_to: bool,
        negated: bool,
    ) -> Outcomes {
        let is_equality = equal_to && right.len() <= 1;
        let compared = right.iter().map(|found| match &found.kind {
            ResultKind::Lost(_) => FAIL,
            ResultKind::Unseen(_) => Outcomes::UNKNOWN,
            ResultKind::Value | ResultKind::Literal => {
                let other = found.at.item.view();
                let is_literal = matches!(found.kind, ResultKind::Literal);
                let set = compared_key(key, other, is_equality, is_literal, negated);
                if found.is_certain { set } else { set.union(Outcomes::UNKNOWN) }
            }
        });
        // In cfn-guard, a key that differs from one of several passes `not in`.
        let needs_all = negated && !self.document.is_raw;
        if needs_all && !right.is_empty() { Outcomes::all(compared) } else { Outcomes::any(compared) }
    }
}

fn compared_key(key: View<'_>, other: View<'_>, is_equality: bool, is_literal: bool, negated: bool) -> Outcomes {
    if is_equality {
        let other = match other {
            View::List(list) if is_literal && list.len() == 1 => list.get(0).unwrap_or(other),
            _ => other,
        };
        return check_result(equal(key, other), negated);
    }
    let answer = match (key.text(), other) {
        (Some(key), View::String(text)) => Outcomes::from(text.contains(key)),
        (_, View::List(list)) => any_equal(key, list),
        (_, other) => equal(key, other),
    };
    check_result(answer, negated)
}

/// Returns whether an item equals a value. If one item cannot be compared, none can.
fn any_equal(value: View<'_>, list: List<'_>) -> Outcomes {
    let mut result = Outcomes::FALSE;
    for item in list.iter() {
        match equal(value, item) {
            INCOMPARABLE => return INCOMPARABLE,
            Outcomes::TRUE if result != Outcomes::ANY => result = Outcomes::TRUE,
            Outcomes::TRUE | Outcomes::FALSE => {}
            _ => result = Outcomes::ANY,
        }
    }
    result
}

/// Result of `in` for two values.
enum Contained {
    /// Comparison of two values.
    Value(Outcomes),
    /// Search for an item in a list.
    Item(Outcomes),
    /// Search for each item of a list in another list.
    Items(Vec<Outcomes>),
    /// Search for a list in a list of lists.
    List { is_in: Outcomes, is_empty: bool },
}

impl Contained {
    fn checked(&self, negated: bool, is_raw: bool) -> Outcomes {
        match self {
            Self::Value(answer) | Self::Item(answer) => check_result(*answer, negated),
            Self::Items(answers) if negated => {
                // In cfn-guard, an empty list is in everything.
                if is_raw && answers.is_empty() {
                    FAIL
                } else {
                    check_result(Outcomes::any(answers.iter().copied()), true)
                }
            }
            Self::Items(answers) => Outcomes::all(answers.iter().copied()),
            // In cfn-guard, `not in` asks for the items of the list.
            Self::List { is_in, is_empty } if negated && is_raw => {
                Outcomes::from(*is_empty && *is_in == Outcomes::FALSE)
            }
            Self::List { is_in, .. } => check_result(*is_in, negated),
        }
    }
}

impl<'a> Comparison<'_, 'a> {
    fn is_raw(&self) -> bool {
        self.evaluator.document.is_raw
    }

    /// Records the result of one check.
    fn note(&mut self, found: &QueryResult<'a>, set: Outcomes) {
        self.evaluator.checked(self.check, found, set);
        self.tally.add(set, found.is_certain);
    }

    /// Records a value that is missing, or lies in an unknown one.
    fn note_absent(&mut self, found: &QueryResult<'a>) -> bool {
        match found.kind {
            ResultKind::Lost(_) => self.note(found, FAIL),
            ResultKind::Unseen(_) => self.note(found, Outcomes::UNKNOWN),
            ResultKind::Value | ResultKind::Literal => return false,
        }
        true
    }

    /// Returns an item of a list as a separate result.
    fn item_of(found: &QueryResult<'a>, at: usize) -> Option<QueryResult<'a>> {
        let (item, position) = found.at.item.item(i64::try_from(at).ok()?)?;
        let trail = match item {
            Item::Value(..) => found.at.trail.to(TrailStep::Index(position)),
            _ => found.at.trail.clone(),
        };
        Some(QueryResult { at: LocatedItem { item, trail }, kind: ResultKind::Value, is_certain: found.is_certain })
    }

    fn equals(&self, found: &QueryResult<'a>, view: View<'_>, other: View<'_>) -> Outcomes {
        let document = self.evaluator.document;
        if let Item::Value(_, Some(written)) = &found.at.item
            && let View::Map(map) = other
            && map.len() == 1
            && map.iter().all(|(key, _)| is_function(key))
        {
            return equal(View::value(written), other);
        }
        if document.ignores_case
            && let (Some(text), Some(wanted)) = (view.text(), other.text())
            && let Some(TrailStep::Key(key)) = found.at.trail.last()
        {
            if key.eq_ignore_ascii_case("type") {
                return Outcomes::from(document.equals_type(text, wanted));
            }
            if key.eq_ignore_ascii_case("location") {
                return Outcomes::from(is_same_location(text, wanted));
            }
        }
        equal(view, other)
    }

    fn equality(&mut self, left: &[QueryResult<'a>], right: &[QueryResult<'a>]) {
        match (literal(left), literal(right)) {
            (Some(l), Some(r)) => self.note_first(left, check_result(equal(l, r), self.negated)),
            (Some(l), None) => self.literal_to_each(left, l, right),
            (None, Some(r)) => {
                for found in left {
                    if !self.note_absent(found) {
                        self.equal_to_literal(found, r);
                    }
                }
            }
            (None, None) => self.equal_sets(left, right),
        }
    }

    fn note_first(&mut self, left: &[QueryResult<'a>], set: Outcomes) {
        if let Some(found) = left.first() {
            self.note(found, set);
        }
    }

    /// Returns the result for an unknown value that may be a list, or one of several values.
    fn open(&self, found: &QueryResult<'a>, literal: View<'_>) -> Option<Outcomes> {
        let some = self.check.query.some;
        choices::of_each(found.at.item.view(), |view| match (self.operator, view, literal.text()) {
            (Binary::In, View::List(list), Some(text)) => {
                choices::of_items(list, some, self.negated, |item| part_of(item, text))
            }
            (Binary::In, _, Some(text)) => check_result(part_of(view, text), self.negated),
            (Binary::In, _, None) => self.contained(view, literal).checked(self.negated, self.is_raw()),
            (_, View::List(list), _) if !literal.is_list() => {
                choices::of_items(list, some, self.negated, |item| self.compared(found, item, literal))
            }
            _ => check_result(self.compared(found, view, literal), self.negated),
        })
    }

    /// Compares a value with a literal. A list with one item stands for its item.
    fn compared(&self, found: &QueryResult<'a>, view: View<'_>, literal: View<'_>) -> Outcomes {
        match literal {
            View::List(list) if view.is_scalar() && list.len() == 1 => {
                self.equals(found, view, list.get(0).unwrap_or(literal))
            }
            _ => self.equals(found, view, literal),
        }
    }

    fn equal_to_literal(&mut self, found: &QueryResult<'a>, literal: View<'_>) {
        if let Some(set) = self.open(found, literal) {
            return self.note(found, set);
        }
        match (literal, found.at.item.view()) {
            (_, View::List(list)) if !literal.is_list() => {
                for at in 0..list.len() {
                    let Some(item) = Self::item_of(found, at) else { continue };
                    let set = check_result(self.equals(&item, item.at.item.view(), literal), self.negated);
                    self.note(&item, set);
                }
                // A list without items has no checks, but it is a result.
                self.tally.note_certain(found.is_certain);
            }
            (_, view) => {
                let set = check_result(self.compared(found, view, literal), self.negated);
                self.note(found, set);
            }
        }
    }

    fn literal_to_each(&mut self, left: &[QueryResult<'a>], literal: View<'_>, right: &[QueryResult<'a>]) {
        for other in right {
            if other.is_lost() {
                self.note_first(left, FAIL);
                continue;
            }
            if !matches!(other.kind, ResultKind::Value | ResultKind::Literal) || !other.is_certain {
                self.note_first(left, Outcomes::UNKNOWN);
                continue;
            }
            match other.at.item.view() {
                view if choices::may_be_list(view) => self.note_first(left, Outcomes::UNKNOWN),
                View::List(list) if !literal.is_list() => {
                    for item in list.iter() {
                        self.note_first(left, check_result(equal(literal, item), self.negated));
                    }
                }
                view => self.note_first(left, check_result(equal(literal, view), self.negated)),
            }
        }
    }

    /// Records missing values on both sides. Returns the existing values of both sides, and whether some may be absent.
    fn values<'f>(
        &mut self,
        left: &'f [QueryResult<'a>],
        right: &'f [QueryResult<'a>],
    ) -> (Vec<&'f QueryResult<'a>>, Vec<&'f QueryResult<'a>>, bool) {
        let is_value = |found: &&QueryResult<'a>| matches!(found.kind, ResultKind::Value | ResultKind::Literal);
        for found in left {
            self.note_absent(found);
        }
        let lefts: Vec<&QueryResult<'a>> = left.iter().filter(is_value).collect();
        for _ in right.iter().filter(|found| found.is_lost()) {
            for found in &lefts {
                self.note(found, FAIL);
            }
        }
        let has_open = left.iter().chain(right).any(|found: &QueryResult<'a>| {
            !found.is_certain
                || matches!(found.kind, ResultKind::Unseen(_))
                || matches!(&found.at.item, Item::Value(value, _) if value.first_unknown().is_some())
        });
        (lefts, right.iter().filter(is_value).collect(), has_open)
    }

    /// Compares the results of two queries as sets.
    fn equal_sets(&mut self, left: &[QueryResult<'a>], right: &[QueryResult<'a>]) {
        let (lefts, rights, has_open) = self.values(left, right);
        if has_open {
            return lefts.iter().for_each(|found| self.note(found, Outcomes::UNKNOWN));
        }
        let by_left = lefts.len() > rights.len();
        let (longer, shorter) = if by_left { (&lefts, &rights) } else { (&rights, &lefts) };
        let others = MemberIndex::new(shorter);
        let is_in: Vec<bool> = longer.iter().map(|found| others.has(found.at.item.view())).collect();
        let is_equal = is_in.iter().all(|is_in| *is_in);
        if !self.negated && !is_equal {
            let failing = longer.iter().zip(&is_in).filter(|(_, is_in)| !**is_in);
            return failing.map(|(found, _)| *found).for_each(|found| self.note(found, FAIL));
        }
        if self.negated && !is_equal {
            return self.different_sets(&lefts, &rights, right.len() >= left.len(), (by_left, &is_in));
        }
        let set = Outcomes::from(!self.negated);
        for found in lefts {
            self.note(found, set);
        }
    }

    /// Compares two sets that differ with `!=`: values that are in both fail.
    fn different_sets(
        &mut self,
        lefts: &[&QueryResult<'a>],
        rights: &[&QueryResult<'a>],
        looks_at_right: bool,
        (by_left, is_in): (bool, &[bool]),
    ) {
        let longer = if by_left { lefts } else { rights };
        let differing: Vec<&QueryResult<'a>> =
            longer.iter().zip(is_in).filter(|(_, is_in)| !**is_in).map(|(found, _)| *found).collect();
        let different = MemberIndex::new(&differing);
        let looked_at = if looks_at_right { rights } else { lefts };
        let common: Vec<&&QueryResult<'a>> =
            looked_at.iter().filter(|found| !different.has(found.at.item.view())).collect();
        if common.is_empty() {
            return lefts.iter().for_each(|found| self.note(found, PASS));
        }
        for found in common {
            self.note(found, FAIL);
        }
    }

    fn membership(&mut self, left: &[QueryResult<'a>], right: &[QueryResult<'a>]) {
        match (literal(left), literal(right)) {
            (Some(l), Some(r)) => {
                let is_part = matches!((l.text(), r.text()), (Some(l), Some(r)) if r.contains(l));
                let contained = if is_part { Contained::Value(Outcomes::TRUE) } else { self.contained(l, r) };
                self.note_first(left, contained.checked(self.negated, self.is_raw()));
            }
            (Some(l), None) => self.literal_in(left, l, right),
            (None, Some(r)) => {
                for found in left {
                    if !self.note_absent(found) {
                        self.in_literal(found, r);
                    }
                }
            }
            (None, None) => self.in_results(left, right),
        }
    }

    fn in_literal(&mut self, found: &QueryResult<'a>, literal: View<'_>) {
        if let Some(set) = self.open(found, literal) {
            return self.note(found, set);
        }
        let view = found.at.item.view();
        let Some(text) = literal.text() else {
            let contained = match view {
                // Strings of a type are case-insensitive in Azure.
                View::String(_) if self.evaluator.document.ignores_case => match literal {
                    View::List(list) => Contained::Item(Outcomes::any(
                        list.iter().map(|item| membership_result(self.equals(found, view, item))),
                    )),
                    _ => self.contained(view, literal),
                },
                _ => self.contained(view, literal),
            };
            let set = contained.checked(self.negated, self.is_raw());
            return self.note(found, set);
        };
        if let View::List(list) = view {
            for at in 0..list.len() {
                let Some(item) = Self::item_of(found, at) else { continue };
                let set = check_result(part_of(item.at.item.view(), text), self.negated);
                self.note(&item, set);
            }
            self.tally.note_certain(found.is_certain);
            return;
        }
        self.note(found, check_result(part_of(view, text), self.negated));
    }

    fn literal_in(&mut self, left: &[QueryResult<'a>], literal: View<'_>, right: &[QueryResult<'a>]) {
        for _ in right.iter().filter(|found| found.is_lost()) {
            self.note_first(left, FAIL);
        }
        let others: Vec<&QueryResult<'a>> = right.iter().filter(|found| !found.is_lost()).collect();
        if others.iter().any(|found: &&QueryResult<'a>| {
            matches!(found.kind, ResultKind::Unseen(_))
                || !found.is_certain
                || choices::may_be_list(found.at.item.view())
        }) {
            return self.note_first(left, Outcomes::UNKNOWN);
        }
        let has_list = others.iter().any(|found| found.at.item.view().is_list());
        match literal {
            View::List(list) if !has_list => {
                let in_ranges = !self.is_raw();
                let answers: Vec<Outcomes> = list
                    .iter()
                    .map(|item| Outcomes::any(others.iter().map(|other| same(item, other.at.item.view(), in_ranges))))
                    .collect();
                let set = if self.negated && self.is_raw() {
                    FAIL
                } else {
                    Contained::Items(answers).checked(self.negated, self.is_raw())
                };
                self.note_first(left, set);
            }
            _ => {
                for other in others {
                    let contained = self.contained(literal, other.at.item.view());
                    self.note_first(left, contained.checked(self.negated, self.is_raw()));
                }
            }
        }
    }

    /// Checks that each value is in one of the values of the other side.
    fn in_results(&mut self, left: &[QueryResult<'a>], right: &[QueryResult<'a>]) {
        let (lefts, rights, has_open) = self.values(left, right);
        if has_open {
            return lefts.iter().for_each(|found| self.note(found, Outcomes::UNKNOWN));
        }
        let others = MemberIndex::flat(&rights);
        let is_in: Vec<bool> = lefts
            .iter()
            .map(|found| {
                let view = found.at.item.view();
                others.has_text(view).unwrap_or_else(|| {
                    rights.iter().any(|other: &&QueryResult<'a>| {
                        self.contained(view, other.at.item.view()).checked(false, self.is_raw()) == PASS
                    })
                })
            })
            .collect();
        if !self.is_raw() {
            let negated = self.negated;
            return lefts
                .iter()
                .zip(&is_in)
                .for_each(|(found, is_in)| self.note(found, Outcomes::from(*is_in != negated)));
        }
        let failing: Vec<&QueryResult<'a>> =
            lefts.iter().zip(&is_in).filter(|(_, is_in)| **is_in == self.negated).map(|(found, _)| *found).collect();
        if failing.is_empty() {
            return lefts.iter().for_each(|found| self.note(found, PASS));
        }
        for found in failing {
            self.note(found, FAIL);
        }
    }

    fn contained(&self, value: View<'_>, other: View<'_>) -> Contained {
        let in_ranges = !self.is_raw();
        match (value, other) {
            (View::List(items), View::List(list)) => {
                if list.get(0).is_some_and(View::is_list) {
                    let is_in = Outcomes::any(list.iter().map(|item| same(value, item, in_ranges)));
                    return Contained::List { is_in, is_empty: items.len() == 0 };
                }
                Contained::Items(
                    items
                        .iter()
                        .map(|item| Outcomes::any(list.iter().map(|other| same(item, other, in_ranges))))
                        .collect(),
                )
            }
            (View::List(_), _) => Contained::Value(INCOMPARABLE),
            (_, View::List(list)) => {
                Contained::Item(Outcomes::any(list.iter().map(|item| same(value, item, in_ranges))))
            }
            _ => Contained::Value(equal(value, other)),
        }
    }

    fn order(&mut self, left: &[QueryResult<'a>], right: &[QueryResult<'a>]) {
        let mut lefts: Vec<QueryResult<'a>> = Vec::with_capacity(left.len());
        for found in left {
            if self.note_absent(found) {
                continue;
            }
            match found.at.item.list_len() {
                Some(len) => {
                    lefts.extend((0..len).filter_map(|at| Self::item_of(found, at)));
                    self.tally.note_certain(found.is_certain);
                }
                None => lefts.push(found.clone()),
            }
        }
        for other in right {
            for found in &lefts {
                let set = match &other.kind {
                    ResultKind::Lost(_) => FAIL,
                    ResultKind::Unseen(_) => Outcomes::UNKNOWN,
                    _ if !other.is_certain => Outcomes::UNKNOWN,
                    _ if [found, other].iter().any(|one| choices::may_be_list(one.at.item.view())) => Outcomes::UNKNOWN,
                    _ => {
                        let view = found.at.item.view();
                        if let View::List(list) = other.at.item.view() {
                            for item in list.iter() {
                                let set = check_result(in_order(self.operator, view, item), self.negated);
                                self.note(found, set);
                            }
                            continue;
                        }
                        check_result(in_order(self.operator, view, other.at.item.view()), self.negated)
                    }
                };
                self.note(found, set);
            }
        }
    }
}

fn part_of(view: View<'_>, text: &str) -> Outcomes {
    match view {
        View::Unknown(_) => Outcomes::ANY,
        _ => view.text().map_or(INCOMPARABLE, |part| Outcomes::from(text.contains(part))),
    }
}
