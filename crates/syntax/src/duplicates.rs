//! Reports duplicate keys of objects.

use foldhash::{HashMap, HashMapExt as _};

use crate::diagnostic::{Code, Diagnostic};
use crate::shorten;
use crate::value::Member;

/// Members up to which comparing each pair is faster than a hash table.
const SMALL: usize = 16;

/// Duplicates that are reported per file, which may have a million of them.
const MAX_REPORTED: usize = 100;

/// Adds a warning for each member that repeats the key of an earlier one, case-sensitive. Members without a span are
/// computed and skipped.
pub(super) fn find(members: &[Member], warnings: &mut Vec<Diagnostic>) {
    if members.len() <= SMALL {
        for (at, member) in members.iter().enumerate() {
            let mut earlier = members.iter().take(at);
            if let Some(first) = earlier.find(|earlier| earlier.key == member.key) {
                report(first, member, warnings);
            }
        }
        return;
    }
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
    let (Some(first), Some(again_span)) = (first.key_span, again.key_span) else {
        return;
    };
    if warnings.len() < MAX_REPORTED {
        let key = shorten(&again.key);
        let message = format!("the key `{key}` is repeated here, and this value counts");
        let warning = Diagnostic::new(Code::SyntaxDuplicateKey, again_span, message);
        warnings.push(warning.with_label(first, "the key comes first here"));
    }
}
