//! Finds dependency cycles of resources.

use std::cell::Cell;

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::evaluator::Evaluator;
use crate::loops::Entry;
use crate::text::Span;
use crate::value::{Object, Str};

/// A resource and what it depends on, by logical IDs.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) name: Str,
    pub(super) span: Span,
    /// Place in its `DependsOn` that names the resource itself.
    itself: Option<Span>,
    pub(super) others: Vec<Str>,
}

impl Needs {
    pub(super) fn new(entry: &Entry<'_>, span: Span, others: Vec<Str>) -> Self {
        let value = entry.value.as_object().and_then(|declared| declared.get_exact("DependsOn"));
        let mut items = value.into_iter().flat_map(|value| value.as_array().unwrap_or(std::slice::from_ref(value)));
        let itself = items.find(|item| item.as_shared_str() == Some(&entry.name)).and_then(|item| item.span);
        Self { name: entry.name.clone(), span, itself, others }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Maximum number of reported resources in cycles. If there are more cycles, most of them share resources.
const MAX_REPORTED: usize = 100;

/// Reports each resource that is in a dependency cycle, with the cycle that was found first: any of them may be the one
/// to change.
pub(super) fn find_cycles(all: &[Needs], report: &mut dyn FnMut(Diagnostic)) {
    let index: HashMap<&str, usize> = all.iter().enumerate().map(|(at, needs)| (&*needs.name, at)).collect();
    let states: Vec<Cell<State>> = vec![Cell::new(State::New); all.len()];
    let mut reported: HashSet<usize> = HashSet::default();
    for start in 0..all.len() {
        // Depth first, with a list instead of recursion: a chain may be as long as the template. Each entry has the index
        // of the dependency to follow next.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let (Some(needs), Some(state)) = (all.get(*at), states.get(*at)) else { return };
            if *next == 0 {
                if state.get() != State::New {
                    path.pop();
                    continue;
                }
                state.set(State::Open);
            }
            let Some(name) = needs.others.get(*next) else {
                state.set(State::Done);
                path.pop();
                continue;
            };
            *next += 1;
            let Some(&other) = index.get(&**name) else { continue };
            match states.get(other).map(Cell::get) {
                Some(State::New) => path.push((other, 0)),
                Some(State::Open) if reported.len() < MAX_REPORTED => {
                    let cycle: Vec<usize> = path.iter().map(|&(at, _)| at).skip_while(|&at| at != other).collect();
                    for (first, &at) in cycle.iter().enumerate() {
                        if reported.len() < MAX_REPORTED && reported.insert(at) {
                            let (before, after) = cycle.split_at(first);
                            let members = after.iter().chain(before).filter_map(|&at| all.get(at));
                            cycle_of(members, cycle.len()).into_iter().for_each(&mut *report);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns the names in `DependsOn`, which is one name or a list of them.
pub(super) fn depends_on(evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Vec<Str> {
    let Some(value) = declared.get_exact("DependsOn") else { return Vec::new() };
    let items = value.as_array().unwrap_or(std::slice::from_ref(value));
    let ids = evaluator.stack.logical_ids.get();
    let mut names = Vec::new();
    for item in items {
        let Some(name) = item.as_shared_str().map(|name| entry.loops.substitute(name)) else { continue };
        let is_made = || evaluator.stack.made.is_some_and(|made| made.may_have(&name));
        if ids.is_some_and(|ids| !ids.contains(&name)) && !is_made() {
            evaluator.stack.report_no_resource(item.span, &name);
        }
        names.push(name);
    }
    names
}

/// Returns the diagnostic for the first resource of a cycle of this length. `None` only for a cycle without members,
/// which does not occur.
fn cycle_of<'n>(mut members: impl Iterator<Item = &'n Needs> + Clone, length: usize) -> Option<Diagnostic> {
    const SHOWN: usize = 6;
    let mut names: Vec<String> = members.clone().take(SHOWN).map(|needs| format!("`{}`", needs.name)).collect();
    if length > SHOWN {
        names.push(format!("{} more", length - SHOWN));
    }
    let message = match names.as_slice() {
        [only] => format!("{only} depends on itself"),
        _ => format!("dependency cycle: {} depend on each other", names.join(", ")),
    };
    let first = members.next()?;
    let span = first.itself.filter(|_| length == 1).unwrap_or(first.span);
    Some(Diagnostic::new(Code::TemplateCycle, span, message))
}
