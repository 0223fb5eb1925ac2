//! Invariants of every report of a part that is read back: see [`crate::invariants`].

use crate::join::{Named, join};

/// A report: alone, or one of two that are joined, it gives one that every format can show.
pub fn shard(bytes: &[u8]) {
    let read = || Named::read("part.json".to_owned(), bytes);
    let Ok(named) = read() else { return };
    for parts in [vec![named], read().into_iter().chain(read()).collect()] {
        if let Ok(joined) = join(parts) {
            crate::engine::invariants::check_rendered(&joined.report);
        }
    }
}
