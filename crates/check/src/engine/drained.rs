//! Long lists that become others.

/// Lists with fewer items are taken as they are.
const LONG: usize = 1 << 14;

/// Returns the items of a list in their order. The room of those that are taken is given back on the way, so that a
/// long list and what is made of it take little more than the longer of the two.
pub(super) fn drained<T>(mut items: Vec<T>) -> impl Iterator<Item = T> {
    // Only the end of a vector can be given back.
    items.reverse();
    let step = (items.len() / 16).max(LONG);
    std::iter::from_fn(move || {
        let item = items.pop();
        if items.capacity() - items.len() > step {
            items.shrink_to_fit();
        }
        item
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order() {
        for count in [0, 1, 5, 16 * LONG] {
            assert!(drained((0..count).collect()).eq(0..count), "{count}");
        }
    }
}
