//! Sets of few items.

/// A set in the order of its items. One item takes no more room than itself, where a tree has room for eleven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SortedSet<T>(Vec<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds an item, unless it is there.
    pub(super) fn insert(&mut self, item: T) {
        if let Err(at) = self.0.binary_search(&item) {
            if self.0.is_empty() {
                self.0.reserve_exact(1);
            }
            self.0.insert(at, item);
        }
    }

    /// Whether an item is there.
    pub(super) fn contains(&self, item: &T) -> bool {
        self.0.binary_search(item).is_ok()
    }

    /// Whether there are no items.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The items in their order.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The items in their order.
    pub(super) fn into_vec(self) -> Vec<T> {
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
        assert_eq!(set.into_vec(), [1, 2, 3]);
    }
}
