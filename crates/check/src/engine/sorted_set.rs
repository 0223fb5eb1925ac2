//! Sets of few items.

use crate::value::Few;

/// A set in the order of its items. One item takes little more room than itself, where a tree has room for eleven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SortedSet<T>(Few<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self(Few::NONE)
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds an item, unless it is there.
    pub(super) fn insert(&mut self, item: T) {
        if let Err(at) = self.0.binary_search(&item) {
            let items = self.0.as_vec();
            if items.is_empty() {
                items.reserve_exact(1);
            }
            items.insert(at, item);
        }
    }

    pub(super) fn contains(&self, item: &T) -> bool {
        self.0.binary_search(item).is_ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the items in their order.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Returns the items in their order.
    pub(super) fn into_few(self) -> Few<T> {
        self.0
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.insert(item));
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::default();
        set.extend(items);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_in_their_order_once() {
        let set: SortedSet<i32> = [3, 1, 2, 3, 1].into_iter().collect();
        assert!(set.contains(&2) && !set.contains(&4));
        assert_eq!(*set.into_few(), [1, 2, 3]);
    }
}
