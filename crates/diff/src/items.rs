//! Matches the items of two arrays.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::digest::Rules;
use crate::value::{Traits, Value};

/// The members that identify an item of an array, in the order in which they are tried.
const NAMES: [&str; 10] =
    ["name", "id", "key", "sid", "policyName", "indexName", "attributeName", "parameterKey", "category", "objectId"];

/// Matches items that have no order: the positions of those that differ. Those without a counterpart match one by one if there
/// are as many on both sides.
pub(super) fn by_set(old: &[String], new: &[String]) -> Vec<(Option<usize>, Option<usize>)> {
    let sorted = |digests: &[String]| {
        let mut all: Vec<usize> = (0..digests.len()).collect();
        all.sort_by(|a, b| digests.get(*a).cmp(&digests.get(*b)));
        all
    };
    let (mut left, mut right) = (sorted(old).into_iter().peekable(), sorted(new).into_iter().peekable());
    let (mut gone, mut added) = (Vec::new(), Vec::new());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some(from), Some(to)) => match old.get(from).cmp(&new.get(to)) {
                Ordering::Equal => {
                    left.next();
                    right.next();
                }
                Ordering::Less => gone.extend(left.next()),
                Ordering::Greater => added.extend(right.next()),
            },
            (Some(_), None) => gone.extend(left.next()),
            (None, Some(_)) => added.extend(right.next()),
            (None, None) => break,
        }
    }
    if gone.len() == added.len() {
        return gone.into_iter().map(Some).zip(added.into_iter().map(Some)).collect();
    }
    let gone = gone.into_iter().map(|from| (Some(from), None));
    gone.chain(added.into_iter().map(|to| (None, Some(to)))).collect()
}

/// How many pairs of items are compared for the longest common subsequence of two arrays. Beyond, items match by their
/// positions.
const MAX_PAIRS: usize = 250_000;

/// An item that is identified by one of its members.
pub(super) struct Named<'a> {
    /// The member that has the name.
    pub(super) member: &'static str,
    /// The name and the item on the old side.
    pub(super) old: Option<(&'a str, &'a Value)>,
    /// The name and the item on the new side.
    pub(super) new: Option<(&'a str, &'a Value)>,
}

/// Matches items by a member with a known, distinct value in each of them. `None` if there is no such member.
pub(super) fn by_name<'a>(old: &'a [Value], new: &'a [Value], rules: Rules) -> Option<Vec<Named<'a>>> {
    let named = |member: &'static str| Some((member, named(old, member, rules)?, named(new, member, rules)?));
    let (member, old, new) = NAMES.into_iter().find_map(named)?;
    let mut matched: Vec<Named<'a>> =
        old.iter().map(|(key, item)| Named { member, old: Some(*item), new: new.get(key).copied() }).collect();
    let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
    matched.extend(added.map(|(_, item)| Named { member, old: None, new: Some(*item) }));
    Some(matched)
}

fn named<'a>(items: &'a [Value], name: &str, rules: Rules) -> Option<BTreeMap<String, (&'a str, &'a Value)>> {
    let mut named = BTreeMap::new();
    for item in items {
        let value = item.get(name).filter(|value| !value.traits.has(Traits::SECRET))?;
        let label = value.as_str().filter(|label| !label.is_empty())?;
        if named.insert(rules.key(label), (label, item)).is_some() {
            return None;
        }
    }
    Some(named)
}

/// Matches items by their order: the positions of those that differ, on the old and on the new side. Between items that are
/// the same, as many old as new ones match one by one; others came or went.
pub(super) fn by_sequence(old: &[String], new: &[String]) -> Vec<(Option<usize>, Option<usize>)> {
    // Which of several common subsequences is found must not depend on which side is which.
    if old > new {
        let swapped = by_sequence(new, old).into_iter().map(|(new, old)| (old, new));
        return swapped.collect();
    }
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let old = old.get(..old.len() - end).unwrap_or_default();
    let new = new.get(..new.len() - end).unwrap_or_default();
    let mut matched = Vec::new();
    let mut at = (0, 0);
    for (from, to) in common(old, new).into_iter().chain([(old.len(), new.len())]) {
        gap(at.0..from, at.1..to, &mut matched);
        at = (from + 1, to + 1);
    }
    let moved = |index: Option<usize>| index.map(|index| index + start);
    matched.into_iter().map(|(old, new)| (moved(old), moved(new))).collect()
}

type Matched = Vec<(Option<usize>, Option<usize>)>;

fn gap(old: std::ops::Range<usize>, new: std::ops::Range<usize>, matched: &mut Matched) {
    if old.len() == new.len() {
        matched.extend(old.zip(new).map(|(old, new)| (Some(old), Some(new))));
    } else {
        matched.extend(old.map(|old| (Some(old), None)));
        matched.extend(new.map(|new| (None, Some(new))));
    }
}

/// The positions of a longest common subsequence.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MAX_PAIRS {
        return Vec::new();
    }
    let width = new.len() + 1;
    // The length of the longest one of the items from a position on.
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let length = |lengths: &[u32], from: usize, to: usize| lengths.get(from * width + to).copied().unwrap_or_default();
    for (from, left) in old.iter().enumerate().rev() {
        for (to, right) in new.iter().enumerate().rev() {
            let best = if left == right {
                length(&lengths, from + 1, to + 1) + 1
            } else {
                length(&lengths, from + 1, to).max(length(&lengths, from, to + 1))
            };
            if let Some(cell) = lengths.get_mut(from * width + to) {
                *cell = best;
            }
        }
    }
    let mut found = Vec::new();
    let (mut from, mut to) = (0, 0);
    while let (Some(left), Some(right)) = (old.get(from), new.get(to)) {
        if left == right {
            found.push((from, to));
            (from, to) = (from + 1, to + 1);
        } else if length(&lengths, from + 1, to) >= length(&lengths, from, to + 1) {
            from += 1;
        } else {
            to += 1;
        }
    }
    found
}
