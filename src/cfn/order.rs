//! Resources that need each other.

use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::Str;

/// A resource and what it needs, by logical ids.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) name: Str,
    pub(super) span: Span,
    pub(super) others: Vec<Str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// How many circles are looked at. Where there are more, most of them share resources.
const MAX_CIRCLES: usize = 100;

/// Reports each circle once, at the resource of it that comes first.
pub(super) fn find_circles(all: &[Needs], report: &mut dyn FnMut(Diagnostic)) {
    let index: FxHashMap<&str, usize> = all.iter().enumerate().map(|(at, it)| (&*it.name, at)).collect();
    let mut states = vec![State::New; all.len()];
    let mut found = 0;
    for start in 0..all.len() {
        // Depth first, with a list in place of the call stack: a chain may be as long as the template.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if *next == 0 {
                if states[at] != State::New {
                    path.pop();
                    continue;
                }
                states[at] = State::Open;
            }
            let other = all[at].others.get(*next).map(|name| index.get(&**name));
            *next += 1;
            match other {
                None => {
                    states[at] = State::Done;
                    path.pop();
                }
                Some(Some(&other)) if states[other] == State::New => path.push((other, 0)),
                Some(Some(&other)) if states[other] == State::Open && found < MAX_CIRCLES => {
                    found += 1;
                    let from = path.iter().position(|&(it, _)| it == other).unwrap_or(0);
                    report(circle(all, path[from..].iter().map(|&(it, _)| it)));
                }
                Some(_) => {}
            }
        }
    }
}

fn circle(all: &[Needs], members: impl Iterator<Item = usize>) -> Diagnostic {
    const SHOWN: usize = 6;
    let members: Vec<usize> = members.collect();
    let mut names: Vec<String> = members.iter().take(SHOWN).map(|&it| format!("`{}`", all[it].name)).collect();
    if members.len() > SHOWN {
        names.push(format!("{} more", members.len() - SHOWN));
    }
    let first = members.first().map_or(0, |&it| it);
    let message = match names.as_slice() {
        [only] => format!("{only} needs itself"),
        _ => format!("{} need each other in a circle", names.join(", ")),
    };
    Diagnostic::new(Code::TemplateCycle, all[first].span, message)
}
