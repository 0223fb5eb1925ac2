//! Keys that an object has more than once.

use std::collections::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::shorten;
use crate::value::Member;

/// Up to here comparing each with each is quicker than a hash table.
const SMALL: usize = 16;

/// One text may have a million of them.
const MAX_REPORTED: usize = 100;

/// Adds a warning for each member whose key an earlier one has, in the same spelling. Computed members are passed over.
pub(super) fn find(members: &[Member], warnings: &mut Vec<Diagnostic>) {
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
fn report(first: &Member, again: &Member, warnings: &mut Vec<Diagnostic>) {
    let (Some(first), Some(place)) = (first.key_span, again.key_span) else {
        return;
    };
    if warnings.len() < MAX_REPORTED {
        let key = shorten(&again.key);
        let message = format!("the key `{key}` stands here again, and this one counts");
        let warning = Diagnostic::new(Code::SyntaxDuplicateKey, place, message);
        warnings.push(warning.with_label(first, "it stood here before"));
    }
}
