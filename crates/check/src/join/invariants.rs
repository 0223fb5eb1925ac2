//! Invariants of every report of a part that is read back: see [`crate::invariants`].

use crate::join::{Named, join};

/// Checks a report: alone, or joined with another, it results in a report that every format can show.
pub fn shard(bytes: &[u8]) {
    let read = || Named::read("part.json".to_owned(), bytes);
    let Ok(named) = read() else { return };
    for parts in [vec![named], read().into_iter().chain(read()).collect()] {
        if let Ok(joined) = join(parts) {
            crate::engine::invariants::check_rendered(&joined.report);
        }
    }
}
