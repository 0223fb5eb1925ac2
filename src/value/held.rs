//! How much memory computed values take.

use std::cell::Cell;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// The bytes that the arrays and objects of this thread take, which only differences say something about: a value may
/// end on another thread than the one that made it.
pub(crate) fn held_bytes() -> usize {
    HELD.get()
}

/// The memory of one array or object, counted until it is dropped.
#[derive(Debug)]
pub(super) struct Held(usize);

impl Held {
    /// Counts an allocation of `count` parts of type `T`.
    pub(super) fn of<T>(count: usize) -> Self {
        let bytes = OVERHEAD + count * size_of::<T>();
        HELD.set(HELD.get().wrapping_add(bytes));
        Self(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The thread may be ending already.
        let _ = HELD.try_with(|held| held.set(held.get().wrapping_sub(self.0)));
    }
}

/// What an array or object takes beside its parts: two allocations with their headers, counters and lengths.
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
