//! Compares bodies of resources leaf by leaf.

use crate::allowed::AllowedChanges;
use crate::digest::Rules;
use crate::model::{join_index, join_key};
use crate::value::{Data, Traits, Value};
use crate::{Change, items, sets};

/// Changes of one resource that are listed.
const MAX_OF_RESOURCE: usize = 1_000;

/// Changes of one deployment that are listed.
const MAX_OF_DEPLOYMENT: usize = 20_000;

/// Properties of a resource that differ.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Listed changes, sorted by path.
    pub list: Vec<Change>,
    /// Number of changes that are not listed.
    pub more: usize,
}

impl Changes {
    /// True if no property differs.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.more == 0
    }

    /// Adds a property that differs.
    pub(super) fn add(&mut self, at: &LeafPath, old: Option<&Value>, new: Option<&Value>) {
        if self.list.len() >= MAX_OF_RESOURCE {
            self.more += 1;
            return;
        }
        let is_secret = [old, new].into_iter().flatten().any(|value| value.traits.has(Traits::SECRET));
        let (path, other) = if new.is_some() { (&at.new, &at.old) } else { (&at.old, &at.new) };
        let moved = (old.is_some() && new.is_some() && path != other).then(|| other.clone());
        self.list.push(Change {
            path: path.clone(),
            old_path: moved,
            old: old.cloned(),
            new: new.cloned(),
            is_secret,
            cause: None,
        });
    }

    /// Drops the changes beyond the limit of the deployment. `kept` counts those that it lists so far.
    pub(super) fn bound(&mut self, kept: &mut usize) {
        self.list.sort_by_cached_key(|change: &Change| change.path.clone());
        let room = MAX_OF_DEPLOYMENT.saturating_sub(*kept);
        self.more += self.list.len().saturating_sub(room);
        self.list.truncate(room);
        *kept += self.list.len();
    }
}

/// Path of a value on both sides.
#[derive(Clone, Debug, Default)]
pub(super) struct LeafPath {
    old: String,
    new: String,
    /// Names of the path without items, in lower case and separated by slashes.
    names: String,
}

impl LeafPath {
    /// Returns a path that is equal on both sides.
    pub(super) fn path(path: &str) -> Self {
        Self { old: path.to_owned(), new: path.to_owned(), names: String::new() }
    }

    fn member(&self, old: &str, new: &str) -> Self {
        Self { old: join_key(&self.old, old), new: join_key(&self.new, new), names: sets::join(&self.names, new) }
    }

    fn items(&self, old: usize, new: usize) -> Self {
        Self { old: join_index(&self.old, old), new: join_index(&self.new, new), names: self.names.clone() }
    }

    fn named(&self, member: &str, old: &str, new: &str) -> Self {
        Self {
            old: format!("{}[{member}={old}]", self.old),
            new: format!("{}[{member}={new}]", self.new),
            names: self.names.clone(),
        }
    }
}

/// Compares the bodies of two resources of this type.
pub(super) fn bodies(rules: Rules, type_name: &str, allowed: &AllowedChanges, old: &Value, new: &Value) -> Changes {
    let mut comparison = LeafComparison { rules, type_name, allowed, changes: Changes::default() };
    comparison.both(&LeafPath::default(), old, new);
    comparison.changes
}

/// Compares two values in resources of this type. `path` has the names on the way to them, separated by slashes.
pub(super) fn values(rules: Rules, type_name: &str, path: &str, old: &Value, new: &Value) -> Changes {
    let mut comparison =
        LeafComparison { rules, type_name, allowed: &AllowedChanges::default(), changes: Changes::default() };
    comparison.both(&LeafPath { names: path.to_ascii_lowercase(), ..LeafPath::default() }, old, new);
    comparison.changes
}

struct LeafComparison<'a> {
    rules: Rules,
    type_name: &'a str,
    allowed: &'a AllowedChanges,
    changes: Changes,
}

impl LeafComparison<'_> {
    fn both(&mut self, at: &LeafPath, old: &Value, new: &Value) {
        match (&old.data, &new.data) {
            (Data::Object(_), Data::Object(_)) => self.members(at, old, new),
            (Data::Array(old), Data::Array(new)) => self.items(at, old, new),
            _ if self.rules.digest(old) == self.rules.digest(new) => {}
            _ if self.allowed.explain(self.rules, old, new) => {}
            _ => self.changes.add(at, Some(old), Some(new)),
        }
    }

    fn members(&mut self, at: &LeafPath, old: &Value, new: &Value) {
        let (old, new) = (self.rules.members(old), self.rules.members(new));
        for (key, member) in &old {
            match new.get(key) {
                Some(other) => self.both(&at.member(&member.key, &other.key), &member.value, &other.value),
                None => self.one(&at.member(&member.key, &member.key), Side::Old, &member.value),
            }
        }
        for (_, member) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            self.one(&at.member(&member.key, &member.key), Side::New, &member.value);
        }
    }

    fn items(&mut self, at: &LeafPath, old: &[Value], new: &[Value]) {
        if let Some(matched) = items::by_name(old, new, self.rules) {
            for items::NamedItem { member, old, new } in matched {
                let [old_name, new_name] = [old.or(new), new.or(old)].map(|named| named.map_or("", |(name, _)| name));
                let at = at.named(member, old_name, new_name);
                self.either(&at, old.map(|(_, item)| item), new.map(|(_, item)| item));
            }
            return;
        }
        let [old_digests, new_digests] =
            [old, new].map(|items| items.iter().map(|item| self.digest(at, item)).collect::<Vec<_>>());
        let matched = if sets::is_set(self.type_name, &at.names) {
            items::by_set(&old_digests, &new_digests)
        } else {
            items::by_sequence(&old_digests, &new_digests)
        };
        for (from, to) in matched {
            let at = at.items(from.or(to).unwrap_or_default(), to.or(from).unwrap_or_default());
            self.either(&at, from.and_then(|from| old.get(from)), to.and_then(|to| new.get(to)));
        }
    }

    /// Returns the digest of an item. The order of the items of sets does not matter.
    fn digest(&self, at: &LeafPath, item: &Value) -> String {
        self.rules.digest(&sets::sorted(self.rules, self.type_name, &at.names, item))
    }

    fn either(&mut self, at: &LeafPath, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) => self.both(at, old, new),
            (Some(old), None) => self.one(at, Side::Old, old),
            (None, Some(new)) => self.one(at, Side::New, new),
            (None, None) => {}
        }
    }

    /// Adds the leaves of a value that only one side has.
    fn one(&mut self, at: &LeafPath, side: Side, value: &Value) {
        // An object may have nothing but members that are not sent.
        let members = self.rules.members(value);
        match &value.data {
            Data::Object(_) if !members.is_empty() => {
                for member in members.into_values() {
                    self.one(&at.member(&member.key, &member.key), side, &member.value);
                }
            }
            Data::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    self.one(&at.items(index, index), side, item);
                }
            }
            _ => match side {
                Side::Old => self.changes.add(at, Some(value), None),
                Side::New => self.changes.add(at, None, Some(value)),
            },
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}
