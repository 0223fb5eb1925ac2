//! Merge keys: `<<: *defaults`.
//!
//! See <https://yaml.org/type/merge.html>.

use rustc_hash::FxHashSet;

use crate::value::{Data, Member, Str};

/// The members with what `<<` brings among them, in its place. A member that is written wins over one that is merged,
/// and of several merged ones the first.
pub(super) fn merge(members: Vec<Member>) -> Vec<Member> {
    if !members.iter().any(is_merge) {
        return members;
    }
    let mut known: FxHashSet<Str> = members.iter().filter(|it| !is_merge(it)).map(|it| it.key.clone()).collect();
    let mut merged = Vec::with_capacity(members.len());
    for member in members {
        if is_merge(&member) {
            let brought = sources(&member.value.data).flatten();
            merged.extend(brought.filter(|it| known.insert(it.key.clone())).cloned());
        } else {
            merged.push(member);
        }
    }
    merged
}

fn is_merge(member: &Member) -> bool {
    let mergeable = match &member.value.data {
        Data::Object(_) => true,
        Data::Array(items) => items.iter().all(|it| it.as_object().is_some()),
        _ => false,
    };
    *member.key == *"<<" && mergeable
}

/// The objects to merge: one, or a list of them.
fn sources(data: &Data) -> impl Iterator<Item = &crate::value::Object> {
    let items = match data {
        Data::Array(items) => &items[..],
        _ => &[],
    };
    let single = match data {
        Data::Object(object) => Some(&**object),
        _ => None,
    };
    single.into_iter().chain(items.iter().filter_map(crate::value::Value::as_object))
}
