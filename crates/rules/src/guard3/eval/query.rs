//! Follows queries from a value to their results.

use std::rc::Rc;
use std::sync::Arc;

use crate::guard3::ast::{Key, Lines, Operand, Query, QueryPart};
use crate::guard3::cases;
use crate::guard3::eval::results::{FAIL, PASS};
use crate::guard3::eval::scope::{LocatedItem, QueryResult, ResultKind, Results, Scope, Trail, TrailStep};
use crate::guard3::eval::view::{self, Item, View};
use crate::guard3::eval::{Abort, EvalResult, Evaluator, Role};
use crate::guard3::names::Name;
use crate::outcomes::Outcomes;
use crate::value::{Kind, Str, Unknown, Value};

/// A query that is being followed.
struct Walk<'q, 's, 'a> {
    evaluator: &'q Evaluator<'a>,
    parts: &'a [QueryPart],
    out: &'q mut Vec<QueryResult<'a>>,
    /// Scope of filters that refer to surrounding values.
    scope: &'q Scope<'s, 'a>,
}

/// Position of a query.
#[derive(Clone)]
struct QueryPosition<'a> {
    at: LocatedItem<'a>,
    is_certain: bool,
    /// Spelling by which the last member with another case was found. The rest of the query only uses this one.
    spelling: Option<usize>,
}

impl<'a> Evaluator<'a> {
    /// Returns the results of a query from the value of a scope.
    pub(super) fn query(&self, scope: &Scope<'_, 'a>, query: &'a Query) -> EvalResult<Vec<QueryResult<'a>>> {
        self.query_in(scope, scope.of_filters(), query)
    }

    /// Returns the results of a query, with another scope for filters that refer to surrounding values.
    pub(super) fn query_in(
        &self,
        scope: &Scope<'_, 'a>,
        around: &Scope<'_, 'a>,
        query: &'a Query,
    ) -> EvalResult<Vec<QueryResult<'a>>> {
        let _level = self.deeper()?;
        let mut out = Vec::new();
        if let Some(QueryPart::Variable(name)) = query.parts.first() {
            self.begin_at_variable(around, *name, &query.parts, &mut out)?;
            return Ok(out);
        }
        let here = QueryPosition { at: scope.root.clone(), is_certain: true, spelling: None };
        let mut walk = Walk { evaluator: self, parts: &query.parts, out: &mut out, scope: around };
        walk.step(0, here)?;
        Ok(out)
    }

    fn begin_at_variable(
        &self,
        scope: &Scope<'_, 'a>,
        name: Name,
        parts: &'a [QueryPart],
        out: &mut Vec<QueryResult<'a>>,
    ) -> EvalResult<()> {
        // `%v[*]` is `%v`.
        let next = if matches!(parts.get(1), Some(QueryPart::Items(None))) { 2 } else { 1 };
        for found in self.variable(scope, name)?.iter() {
            if matches!(found.kind, ResultKind::Lost(_) | ResultKind::Unseen(_)) || next >= parts.len() {
                out.push(found.clone());
                continue;
            }
            let scope = scope.value(found.at.clone());
            let here = QueryPosition { at: found.at.clone(), is_certain: found.is_certain, spelling: None };
            Walk { evaluator: self, parts, out, scope: &scope }.step(next, here)?;
        }
        Ok(())
    }

    /// Returns the results of a literal, a query or a call.
    pub(super) fn operand(&self, scope: &Scope<'_, 'a>, operand: &'a Operand) -> EvalResult<Vec<QueryResult<'a>>> {
        match operand {
            Operand::Literal(literal) => {
                let at = LocatedItem { item: Item::Literal(literal), trail: Trail::default() };
                Ok(vec![QueryResult { at, kind: ResultKind::Literal, is_certain: true }])
            }
            Operand::Query(query) => self.query(scope, query),
            Operand::Call(call) => self.call_function(scope, call),
        }
    }
}

impl<'a> Walk<'_, '_, 'a> {
    fn emit(&mut self, here: QueryPosition<'a>, kind: ResultKind) {
        self.out.push(QueryResult { at: here.at, kind, is_certain: here.is_certain });
    }

    fn lose(&mut self, here: QueryPosition<'a>, name: Option<&Str>) {
        self.emit(here, ResultKind::Lost(name.cloned()));
    }

    fn step(&mut self, index: usize, here: QueryPosition<'a>) -> EvalResult<()> {
        self.evaluator.spend(1)?;
        let Some(part) = self.parts.get(index) else {
            self.emit(here, ResultKind::Value);
            return Ok(());
        };
        match part {
            QueryPart::This => return self.step(index + 1, here),
            QueryPart::Key(key) => return self.key(index, key, here),
            _ => {}
        }
        if let View::Unknown(unknown) = here.at.item.view() {
            let unknown = Arc::clone(unknown);
            return self.enter_unknown(index, part, &unknown, here);
        }
        match part {
            QueryPart::This | QueryPart::Key(_) => Ok(()),
            QueryPart::Variable(name) => self.interpolated(index, *name, here),
            QueryPart::Index(at) => self.item(index, *at, here),
            QueryPart::Values => self.values(index, None, here),
            QueryPart::Items(None) if here.at.item.list_len().is_none() => self.step(index + 1, here),
            QueryPart::Items(name) => self.values(index, *name, here),
            QueryPart::Filter { capture, lines, .. } => self.filter(index, *capture, lines, here),
            QueryPart::Keys { equal, negated, right } => self.keys(index, (*equal, *negated), right, here),
        }
    }

    fn key(&mut self, index: usize, key: &'a Key, here: QueryPosition<'a>) -> EvalResult<()> {
        if let Some(face) = written(key, &here) {
            return self.step(index + 1, face);
        }
        if let Some(at) = key.index {
            let is_map = matches!(here.at.item.view(), View::Map(_));
            // cfn-guard cannot reach a key of digits.
            if !is_map || self.evaluator.document.is_raw {
                return self.item(index, at, here);
            }
        }
        if let Some(next) = self.member(&key.text, &here) {
            return self.step(index + 1, next);
        }
        if let View::Unknown(unknown) = here.at.item.view() {
            let unknown = Arc::clone(unknown);
            match unknown.kind {
                Kind::Any | Kind::Object => self.emit(here, ResultKind::Unseen(unknown)),
                _ => self.lose(here, Some(&key.text)),
            }
            return Ok(());
        }
        let is_map = matches!(here.at.item.view(), View::Map(_));
        let spellings = is_map.then(|| key.spellings());
        for (at, spelling) in spellings.into_iter().flatten().enumerate() {
            let is_tried = here.spelling.is_none_or(|only| only == at);
            let is_dropped = at == cases::SINGULAR && !self.evaluator.document.is_raw;
            if is_tried
                && !is_dropped
                && let Some(next) = self.member(spelling, &here)
            {
                return self.step(index + 1, QueryPosition { spelling: Some(at), ..next });
            }
        }
        self.lose(here, Some(&key.text));
        Ok(())
    }

    fn member(&self, name: &str, here: &QueryPosition<'a>) -> Option<QueryPosition<'a>> {
        let (item, key) = here.at.item.member(name, self.evaluator.document.ignores_case)?;
        let trail = key.map_or_else(|| here.at.trail.clone(), |key| here.at.trail.to(TrailStep::Key(key)));
        let is_certain = here.is_certain && self.is_certain_member(here, name);
        Some(QueryPosition { at: LocatedItem { item, trail }, is_certain, spelling: here.spelling })
    }

    /// True if a member certainly exists: a resource may depend on a condition.
    fn is_certain_member(&self, here: &QueryPosition<'a>, name: &str) -> bool {
        let uncertain = &self.evaluator.document.uncertain;
        uncertain.is_empty() || !(here.at.trail.is_of("Resources") && uncertain.contains_key(name))
    }

    fn item(&mut self, index: usize, at: i64, here: QueryPosition<'a>) -> EvalResult<()> {
        if let Some((item, position)) = here.at.item.item(at) {
            let trail = trail_of_item(&here.at, position);
            self.step(index + 1, QueryPosition { at: LocatedItem { item, trail }, ..here })
        } else {
            self.lose(here, None);
            Ok(())
        }
    }

    /// Continues into each member or item, in the scope of the member for filters.
    fn values(&mut self, index: usize, capture: Option<Name>, here: QueryPosition<'a>) -> EvalResult<()> {
        if let Some(len) = here.at.item.list_len() {
            if len == 0 {
                self.lose(here, None);
                return Ok(());
            }
            return self.each_item(len, &here, |walk, next| walk.step(index + 1, next));
        }
        let members = if capture.is_some() { here.at.item.members() } else { self.selectable(index + 1, &here) };
        match members {
            None => self.step(index + 1, here),
            Some(_) if here.at.item.is_empty_map() => {
                self.lose(here, None);
                Ok(())
            }
            Some(members) => {
                for (item, key) in members {
                    let next = self.entered(&here, item, &key);
                    if let Some(name) = capture {
                        self.evaluator.capture(name, captured(&here, &key, next.is_certain));
                    }
                    let scope = self.scope.value(next.at.clone());
                    self.within(&scope).step(index + 1, next)?;
                }
                Ok(())
            }
        }
    }

    /// Returns the members of a map, without resources that a filter at this index does not select. `None` for anything
    /// else.
    fn selectable(&self, index: usize, here: &QueryPosition<'a>) -> Option<Vec<(Item<'a>, view::Key<'a>)>> {
        let document = self.evaluator.document;
        match self.parts.get(index) {
            // In cfn-guard, the other lines of a filter may end the run even if the first one fails.
            Some(QueryPart::Filter { types, lines, .. })
                if !types.is_empty() && (!document.is_raw || lines.len() == 1) =>
            {
                let Item::Value(value, _) = here.at.item else { return here.at.item.members() };
                match document.types_of(value) {
                    Some(known) => {
                        let positions = known.may_be(|own| types.iter().any(|one| document.equals_type(own, one)));
                        Some(here.at.item.members_at(&positions))
                    }
                    None => here.at.item.members(),
                }
            }
            _ => here.at.item.members(),
        }
    }

    fn each_item(
        &mut self,
        len: usize,
        here: &QueryPosition<'a>,
        mut then: impl FnMut(&mut Self, QueryPosition<'a>) -> EvalResult<()>,
    ) -> EvalResult<()> {
        for at in 0..len {
            if let Some((item, position)) = here.at.item.item(i64::try_from(at).unwrap_or(i64::MAX)) {
                let trail = trail_of_item(&here.at, position);
                then(self, QueryPosition { at: LocatedItem { item, trail }, ..here.clone() })?;
            }
        }
        Ok(())
    }

    /// Returns the same query in another scope.
    fn within<'q>(&'q mut self, scope: &'q Scope<'q, 'a>) -> Walk<'q, 'q, 'a> {
        Walk { evaluator: self.evaluator, parts: self.parts, out: self.out, scope }
    }

    fn entered(&self, here: &QueryPosition<'a>, item: Item<'a>, key: &view::Key<'a>) -> QueryPosition<'a> {
        let trail = match key {
            view::Key::Written(key) => here.at.trail.to(TrailStep::Key(key)),
            view::Key::Made(_) => here.at.trail.clone(),
        };
        let is_certain = here.is_certain && self.is_certain_member(here, key.text());
        QueryPosition { at: LocatedItem { item, trail }, is_certain, spelling: here.spelling }
    }

    fn filter(
        &mut self,
        index: usize,
        capture: Option<Name>,
        lines: &'a Lines,
        here: QueryPosition<'a>,
    ) -> EvalResult<()> {
        let before = index.checked_sub(1).and_then(|before| self.parts.get(before));
        if let Some(len) = here.at.item.list_len() {
            return self.each_item(len, &here, |walk, next| {
                let scope = walk.scope.value(next.at.clone());
                let set = walk.selects(lines, &scope)?;
                walk.go_on(index, set, next)
            });
        }
        let is_raw = self.evaluator.document.is_raw;
        // A filter of a variable filters its values.
        let is_of_variable = index == 1 && matches!(before, Some(QueryPart::Variable(_)));
        let is_after_all = is_of_variable || matches!(before, Some(QueryPart::Values | QueryPart::Items(_)));
        let Some(members) = self.selectable(index, &here) else {
            if is_raw && !is_of_variable && !matches!(before, Some(QueryPart::Items(_))) {
                self.lose(here, None);
                return Ok(());
            }
            let scope = self.scope.value(here.at.clone());
            let set = self.selects(lines, &scope)?;
            return self.go_on(index, set, here);
        };
        if is_after_all || !matches!(before, Some(QueryPart::Key(_) | QueryPart::Variable(_))) {
            if !is_after_all && is_raw {
                return Err(Abort::fatal("cfn-guard crashes on a filter of a map after this step"));
            }
            return self.filter_itself(index, lines, here);
        }
        for (item, key) in members {
            let next = self.entered(&here, item, &key);
            let scope = self.scope.value(next.at.clone());
            let mut walk = self.within(&scope);
            let set = walk.selects(lines, &scope)?;
            if let Some(name) = capture.filter(|_| set.may_be(PASS)) {
                walk.evaluator.capture(name, captured(&here, &key, next.is_certain && set == PASS));
            }
            walk.go_on(index, set, next)?;
        }
        Ok(())
    }

    /// Keeps a value if the filter selects it. In cfn-guard, the clauses refer to surrounding values, unless a step
    /// over a map led here.
    fn filter_itself(&mut self, index: usize, lines: &'a Lines, here: QueryPosition<'a>) -> EvalResult<()> {
        if self.evaluator.document.is_raw {
            let set = self.selects(lines, self.scope)?;
            return self.go_on(index, set, here);
        }
        let scope = self.scope.value(here.at.clone());
        let set = self.selects(lines, &scope)?;
        self.go_on(index, set, here)
    }

    /// Continues if a filter may select the value.
    fn go_on(&mut self, index: usize, set: Outcomes, here: QueryPosition<'a>) -> EvalResult<()> {
        if !set.may_be(PASS) {
            return Ok(());
        }
        let is_certain = here.is_certain && set == PASS;
        self.step(index + 1, QueryPosition { is_certain, ..here })
    }

    fn selects(&self, lines: &'a Lines, scope: &Scope<'_, 'a>) -> EvalResult<Outcomes> {
        let _gate = self.evaluator.gate();
        match self.evaluator.lines(scope, lines, Role::Gate) {
            // A clause that cannot be decided selects nothing.
            Err(Abort::Undecidable | Abort::Fatal(_)) if !self.evaluator.document.is_raw => Ok(FAIL),
            result => result,
        }
    }

    /// Follows the members that a variable names.
    fn interpolated(&mut self, index: usize, name: Name, here: QueryPosition<'a>) -> EvalResult<()> {
        if here.at.item.members().is_none() {
            self.lose(here, None);
            return Ok(());
        }
        let mut keys: Results<'a> = self.evaluator.variable(self.scope, name)?;
        let mut next = index;
        match self.parts.get(index + 1) {
            None | Some(QueryPart::Items(_) | QueryPart::Key(_)) => {}
            Some(QueryPart::Index(at)) => {
                let distance = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
                let position = if *at < 0 { keys.len().checked_sub(distance) } else { Some(distance) };
                let Some(key) = position.and_then(|position| keys.get(position)) else {
                    self.lose(here, None);
                    return Ok(());
                };
                keys = Rc::from(vec![key.clone()]);
                next += 1;
            }
            Some(_) if self.evaluator.document.is_raw => return Err(Abort::Undecidable),
            Some(_) => {}
        }
        for key in keys.iter() {
            let here = QueryPosition { is_certain: here.is_certain && key.is_certain, ..here.clone() };
            if !matches!(key.kind, ResultKind::Value | ResultKind::Literal) {
                self.lose(here, None);
                continue;
            }
            self.named(next, key.at.item.view(), here)?;
        }
        Ok(())
    }

    fn named(&mut self, index: usize, key: View<'_>, here: QueryPosition<'a>) -> EvalResult<()> {
        if let View::List(names) = key {
            for name in names.iter() {
                match name.text() {
                    Some(_) => self.named(index, name, here.clone())?,
                    None => {
                        return Err(Abort::fatal("a variable names a member, and has a value that is not a string"));
                    }
                }
            }
            return Ok(());
        }
        let Some(name) = key.text() else {
            if matches!(key, View::Unknown(_)) {
                let why = Unknown::new(Kind::Any, "the name of the member is not known");
                self.emit(here, ResultKind::Unseen(Arc::new(why)));
                return Ok(());
            }
            return Err(Abort::fatal("a variable names a member, and has a value that is not a string"));
        };
        if let Some(next) = self.member(name, &here) {
            self.step(index + 1, next)
        } else {
            self.lose(here, Some(&Str::from(name)));
            Ok(())
        }
    }

    fn keys(
        &mut self,
        index: usize,
        (equal, negated): (bool, bool),
        right: &'a Operand,
        here: QueryPosition<'a>,
    ) -> EvalResult<()> {
        let Some(members) = here.at.item.members() else {
            self.lose(here, None);
            return Ok(());
        };
        let right = match right {
            Operand::Query(query) => {
                let scope = self.scope.value(here.at.clone());
                self.evaluator.query_in(&scope, self.scope, query)?
            }
            other => self.evaluator.operand(self.scope, other)?,
        };
        for (item, key) in members {
            let name = Value::from(key.text().clone());
            let set = self.evaluator.selects_key(View::value(&name), &right, equal, negated);
            self.go_on(index, set, self.entered(&here, item, &key))?;
        }
        Ok(())
    }

    /// Continues into an unknown value.
    fn enter_unknown(
        &mut self,
        index: usize,
        part: &QueryPart,
        unknown: &Arc<Unknown>,
        here: QueryPosition<'a>,
    ) -> EvalResult<()> {
        let is_scalar = matches!(unknown.kind, Kind::String | Kind::Int | Kind::Float | Kind::Bool | Kind::Null);
        match part {
            QueryPart::Values | QueryPart::Items(_) if is_scalar => self.step(index + 1, here),
            QueryPart::Values | QueryPart::Items(_) => {
                self.emit(QueryPosition { is_certain: false, ..here }, ResultKind::Unseen(Arc::clone(unknown)));
                Ok(())
            }
            _ if is_scalar && !matches!(part, QueryPart::Filter { .. }) => {
                self.lose(here, None);
                Ok(())
            }
            QueryPart::Filter { .. } | QueryPart::Keys { .. } => {
                self.emit(QueryPosition { is_certain: false, ..here }, ResultKind::Unseen(Arc::clone(unknown)));
                Ok(())
            }
            _ => {
                self.emit(here, ResultKind::Unseen(Arc::clone(unknown)));
                Ok(())
            }
        }
    }
}

/// Returns the name of a member as a value, located at its map.
fn captured<'a>(here: &QueryPosition<'a>, key: &view::Key<'a>, is_certain: bool) -> QueryResult<'a> {
    let item = Item::Made(Rc::new(Value::from(key.text().clone())));
    QueryResult { at: LocatedItem { item, trail: here.at.trail.clone() }, kind: ResultKind::Value, is_certain }
}

/// True if a segment with this name reads the unevaluated form of a value.
pub(super) fn is_function(name: &str) -> bool {
    name == "Ref" || name == "Condition" || name.starts_with("Fn::")
}

/// Returns the unevaluated form, if the segment names its function: `CertificateArn.Ref`.
fn written<'a>(key: &Key, here: &QueryPosition<'a>) -> Option<QueryPosition<'a>> {
    let Item::Value(value, Some(written)) = &here.at.item else { return None };
    // `!Ref` is another spelling of `Ref`, as `tags` is one of `Tags`.
    let name = key.text.strip_prefix('!').unwrap_or(&key.text);
    if !is_function(name) || value.as_object().is_some_and(|object| object.get_exact(name).is_some()) {
        return None;
    }
    let member = written.as_object()?.get_exact(name)?;
    // The function has no place of its own in the document: findings are about what it computes.
    let at = LocatedItem { item: Item::Value(member, None), trail: here.at.trail.clone() };
    Some(QueryPosition { at, ..here.clone() })
}

fn trail_of_item<'a>(at: &LocatedItem<'a>, position: usize) -> Trail<'a> {
    match at.item {
        Item::Value(..) | Item::Literal(_) => at.trail.to(TrailStep::Index(position)),
        Item::Made(_) | Item::Char(_) => at.trail.clone(),
    }
}
