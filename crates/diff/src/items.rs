//! Matches the items of two arrays.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::digest::Rules;
use crate::value::{Traits, Value};

/// Members that may identify an item of an array, in the order in which they are tried.
const NAMES: [&str; 10] =
    ["name", "id", "key", "sid", "policyName", "indexName", "attributeName", "parameterKey", "category", "objectId"];

/// Matches items without an order. Returns the positions of those that differ; items without a counterpart match one by
/// one if there are as many on both sides.
pub(super) fn by_set(old: &[String], new: &[String]) -> Vec<(Option<usize>, Option<usize>)> {
    let [mut left, mut right] = [old, new].map(|digests| {
        let mut positions: Vec<usize> = (0..digests.len()).collect();
        positions.sort_by(|a, b| digests.get(*a).cmp(&digests.get(*b)));
        positions.into_iter().peekable()
    });
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

/// Pairs of items that are compared for the longest common subsequence of two arrays. Items of longer arrays match by
/// position.
const MAX_PAIRS: usize = 250_000;

/// An item that is identified by one of its members.
pub(super) struct NamedItem<'a> {
    /// Member that has the name.
    pub(super) member: &'static str,
    /// Name and item on the old side.
    pub(super) old: Option<(&'a str, &'a Value)>,
    /// Name and item on the new side.
    pub(super) new: Option<(&'a str, &'a Value)>,
}

/// Matches items by a member that has a known, distinct value in each of them. Returns `None` if there is no such
/// member.
pub(super) fn by_name<'a>(old: &'a [Value], new: &'a [Value], rules: Rules) -> Option<Vec<NamedItem<'a>>> {
    let (member, old, new) = NAMES
        .into_iter()
        .find_map(|member| Some((member, items_by_name(old, member, rules)?, items_by_name(new, member, rules)?)))?;
    let mut matched: Vec<NamedItem<'a>> =
        old.iter().map(|(key, item)| NamedItem { member, old: Some(*item), new: new.get(key).copied() }).collect();
    let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
    matched.extend(added.map(|(_, item)| NamedItem { member, old: None, new: Some(*item) }));
    Some(matched)
}

/// Returns the items by the key of their names. `None` if an item has no name, or if two have the same.
fn items_by_name<'a>(items: &'a [Value], name: &str, rules: Rules) -> Option<BTreeMap<String, (&'a str, &'a Value)>> {
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

/// Matches items by their order. Returns the positions of those that differ, on the old and on the new side. Between
/// equal items, as many old as new items match one by one; if the numbers differ, they are removed and added.
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
    matched.into_iter().map(|(old, new)| (old.map(|old| old + start), new.map(|new| new + start))).collect()
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

/// Returns the positions of a longest common subsequence.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MAX_PAIRS {
        return Vec::new();
    }
    let mut lengths = SuffixLengths::new(old.len(), new.len());
    for (from, left) in old.iter().enumerate().rev() {
        for (to, right) in new.iter().enumerate().rev() {
            let best = if left == right {
                lengths.get(from + 1, to + 1) + 1
            } else {
                lengths.get(from + 1, to).max(lengths.get(from, to + 1))
            };
            lengths.set(from, to, best);
        }
    }
    let mut found = Vec::new();
    let (mut from, mut to) = (0, 0);
    while let (Some(left), Some(right)) = (old.get(from), new.get(to)) {
        if left == right {
            found.push((from, to));
            (from, to) = (from + 1, to + 1);
        } else if lengths.get(from + 1, to) >= lengths.get(from, to + 1) {
            from += 1;
        } else {
            to += 1;
        }
    }
    found
}

/// Lengths of the longest common subsequences of the items from two positions on.
struct SuffixLengths {
    lengths: Vec<u32>,
    width: usize,
}

impl SuffixLengths {
    fn new(old: usize, new: usize) -> Self {
        let width = new + 1;
        Self { lengths: vec![0; (old + 1) * width], width }
    }

    fn get(&self, from: usize, to: usize) -> u32 {
        self.lengths.get(from * self.width + to).copied().unwrap_or_default()
    }

    fn set(&mut self, from: usize, to: usize, length: u32) {
        if let Some(cell) = self.lengths.get_mut(from * self.width + to) {
            *cell = length;
        }
    }
}
