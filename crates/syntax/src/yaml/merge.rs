//! Merge keys: `<<: *defaults`.
//!
//! See <https://yaml.org/type/merge.html>.

use foldhash::HashSet;

use crate::value::{Data, Member, Str};

/// Replaces each `<<` by the members that it merges. A written member overrides a merged one, and the first merged
/// object overrides later ones.
pub(super) fn merge(members: Vec<Member>) -> Vec<Member> {
    if !members.iter().any(is_merge) {
        return members;
    }
    let mut known: HashSet<Str> = {
        let written = members.iter().filter(|member| !is_merge(member));
        written.map(|member| member.key.clone()).collect()
    };
    let mut merged = Vec::with_capacity(members.len());
    for member in members {
        if is_merge(&member) {
            let sources = sources(&member.value.data).flatten();
            merged.extend(sources.filter(|source| known.insert(source.key.clone())).cloned());
        } else {
            merged.push(member);
        }
    }
    merged
}

/// True if a member is a `<<` with objects to merge.
fn is_merge(member: &Member) -> bool {
    let mergeable = match &member.value.data {
        Data::Object(_) => true,
        Data::Array(items) => items.iter().all(|item| item.as_object().is_some()),
        _ => false,
    };
    *member.key == *"<<" && mergeable
}

/// Returns the objects to merge: one, or a list of them.
fn sources(data: &Data) -> impl Iterator<Item = &crate::value::Object> {
    let items: &[crate::value::Value] = match data {
        Data::Array(items) => items,
        _ => &[],
    };
    let single = match data {
        Data::Object(object) => Some(&**object),
        _ => None,
    };
    single.into_iter().chain(items.iter().filter_map(crate::value::Value::as_object))
}
