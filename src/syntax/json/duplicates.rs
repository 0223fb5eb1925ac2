//! Keys that an object has more than once.

use std::collections::HashMap;
use std::ops::Range;

use crate::diagnostic::Code;
use crate::syntax::json::problem::{Problem, shorten};
use crate::value::Member;

/// Up to here comparing each with each is quicker than a hash table.
const SMALL: usize = 16;

/// One text may have a million of them.
const MAX_REPORTED: usize = 100;

/// Adds a warning for each member whose key an earlier one has, in the same spelling.
pub(super) fn find(members: &[Member], warnings: &mut Vec<Problem>) {
    if members.len() <= SMALL {
        for (at, member) in members.iter().enumerate() {
            let earlier = &members[..at];
            if let Some(first) = earlier.iter().find(|it| it.key == member.key) {
                report(first, member, warnings);
            }
        }
        return;
    }
    // The hash of the standard library is seeded: keys cannot be chosen to collide.
    let mut firsts: HashMap<&str, &Member> = HashMap::with_capacity(members.len());
    for member in members {
        let first = *firsts.entry(&member.key).or_insert(member);
        if !std::ptr::eq(first, member) {
            report(first, member, warnings);
        }
    }
}

#[cold]
fn report(first: &Member, again: &Member, warnings: &mut Vec<Problem>) {
    let (Some(first), Some(place)) = (key_range(first), key_range(again)) else {
        return;
    };
    if warnings.len() < MAX_REPORTED {
        let message = format!(
            "the key `{}` stands here again, and this one counts",
            shorten(&again.key)
        );
        let problem = Problem::new(Code::SyntaxDuplicateKey, place, message);
        warnings.push(problem.label(first, "it stood here before"));
    }
}

fn key_range(member: &Member) -> Option<Range<usize>> {
    let span = member.key_span?;
    Some(span.start as usize..span.end as usize)
}
