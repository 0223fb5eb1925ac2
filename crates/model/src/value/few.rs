//! Lists that are usually empty.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// A list that takes only the space of a pointer while it is empty, a third of that of a vector. A run may have a
/// million findings, each with several lists that are usually empty.
#[derive(Clone, Debug)]
#[expect(clippy::box_collection, reason = "the box is what makes an empty list small")]
pub struct Few<T>(Option<Box<Vec<T>>>);

impl<T> Few<T> {
    /// A list without items.
    pub const NONE: Self = Self(None);

    /// Returns the items as a vector, to add and remove items.
    pub fn as_vec(&mut self) -> &mut Vec<T> {
        self.0.get_or_insert_default()
    }

    /// Converts the list to a vector.
    pub fn into_vec(self) -> Vec<T> {
        self.0.map_or_else(Vec::new, |items| *items)
    }
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |items| items.as_slice())
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0.as_mut().map_or(&mut [], |items| items.as_mut_slice())
    }
}

impl<T: PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Few<T> {}

impl<T: Hash> Hash for Few<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(items: Vec<T>) -> Self {
        Self((!items.is_empty()).then(|| Box::new(items)))
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Few<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_takes_no_more_than_a_pointer_and_equals_every_other() {
        assert_eq!(size_of::<Few<String>>(), size_of::<usize>());
        let mut emptied = Few::from(vec![1]);
        assert_ne!(emptied, Few::NONE);
        emptied.as_vec().clear();
        assert_eq!(emptied, Few::NONE);
        assert_eq!(emptied, Few::from(Vec::new()));
    }

    #[test]
    fn items_keep_their_order() {
        let mut items: Few<u8> = [1, 2].into_iter().collect();
        items.as_vec().insert(0, 3);
        items.iter_mut().for_each(|item| *item += 1);
        assert_eq!(*items, [4, 2, 3]);
        assert_eq!(items.into_vec(), [4, 2, 3]);
    }
}
