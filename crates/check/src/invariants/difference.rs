//! Invariants of each difference that is read back: its pages are complete and stay within their limits.

use crate::report::difference::{Difference, Places, page, section};

/// Checks a difference as JSON: its pages can be made, and stay within their limits.
pub fn difference(bytes: &[u8]) {
    let Ok(difference) = Difference::read(bytes) else { return };
    let page = page(&difference);
    assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page:?}");
    for limit in [0, 100, 10_000] {
        let section = section(&difference, limit, Places::Lines);
        assert!(!section.contains(|c: char| c.is_control() && c != '\n'), "{section:?}");
    }
}
