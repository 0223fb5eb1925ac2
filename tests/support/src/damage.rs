//! Damages samples in every way: no prefix and no loss of a byte may break a property.

/// All damaged copies, of what is read quickly.
pub const ALL: usize = usize::MAX;

/// Checks a property of a sample and of so many of its damaged copies, evenly spread.
#[track_caller]
pub fn check(property: fn(&[u8]), sample: &[u8], count: usize) {
    property(sample);
    let step = (2 * sample.len() + 1).div_ceil(count);
    for (left, what) in damaged(sample).step_by(step) {
        let ended = std::panic::catch_unwind(|| property(&left));
        assert!(ended.is_ok(), "it does not hold of {what}:\n{}", String::from_utf8_lossy(&left));
    }
}

/// What is left of a sample, and in words.
fn damaged(sample: &[u8]) -> impl Iterator<Item = (Vec<u8>, String)> + '_ {
    let prefixes = (0..=sample.len()).map(|at| (sample[..at].to_vec(), format!("the first {at} bytes")));
    let without = (0..sample.len()).map(|at| {
        let left = [&sample[..at], &sample[at + 1..]].concat();
        (left, format!("all but byte {at}"))
    });
    prefixes.chain(without)
}

#[test]
#[should_panic = "it does not hold of all but byte 1:\nac"]
fn what_does_not_hold_is_told() {
    check(|left| assert!(left != b"ac"), b"abc", ALL);
}

#[test]
fn each_prefix_and_each_loss_of_a_byte_is_tried() {
    let tried: Vec<Vec<u8>> = damaged(b"abc").map(|(left, _)| left).collect();
    assert_eq!(tried, [&b""[..], b"a", b"ab", b"abc", b"bc", b"ac", b"ab"]);
}
