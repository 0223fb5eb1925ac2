//! Counts the memory of computed values.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Returns the memory of the arrays and objects of this thread in bytes. Only differences are meaningful, because a
/// value may be dropped on another thread than the one that created it.
pub fn held_bytes() -> usize {
    HELD.get()
}

/// The memory of one array or object with a number of parts of type `T`. It counts until it is dropped.
#[derive(Debug)]
pub(super) struct Held<T>(u32, PhantomData<T>);

impl<T> Held<T> {
    /// Counts an allocation of `count` parts.
    pub(super) fn new(count: usize) -> Self {
        let held = Self(u32::try_from(count).unwrap_or(u32::MAX), PhantomData);
        HELD.set(HELD.get().wrapping_add(held.bytes()));
        held
    }

    fn bytes(&self) -> usize {
        OVERHEAD + self.0 as usize * size_of::<T>()
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        // The thread may be ending.
        let _ = HELD.try_with(|held| held.set(held.get().wrapping_sub(self.bytes())));
    }
}

/// Memory of an array or object in addition to its parts: two allocations with their headers, counters, and lengths.
const OVERHEAD: usize = 96;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Member, Value};

    #[test]
    fn a_value_counts_once_and_until_its_last_use_ends() {
        let before = held_bytes();
        let shared = Value::array(vec![Value::from(1); 1000]);
        let one = held_bytes() - before;
        assert!(one >= 1000 * size_of::<Value>());
        let pair = Value::object(vec![Member::new("a", shared.clone()), Member::new("b", shared.clone())]);
        assert!(held_bytes() - before < one + one / 2);
        drop(shared);
        assert!(held_bytes() - before > one);
        drop(pair);
        assert_eq!(held_bytes(), before);
    }
}
