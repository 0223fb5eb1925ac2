//! How large a report gets when it is compressed for the upload, without compressing it: formwork has no other use for
//! that. What is computed is an upper bound of what the upload action sends, near enough to its size to decide by.

/// How far back a repetition may lie in a Deflate stream.
const WINDOW: usize = 32 * 1024;

/// The longest repetition that Deflate writes as one.
const MAX_MATCH: usize = 258;

/// A shorter repetition is not looked for.
const MIN_MATCH: usize = 4;

/// What a byte costs, in bits: those of the fixed code have eight or nine.
const LITERAL_BITS: usize = 9;

/// What a repetition costs at most, in bits: code and extra bits of its length (8 + 5) and of its distance (5 + 13).
const MATCH_BITS: usize = 31;

/// How many entries the table of places has.
const SLOTS: usize = 1 << 16;

/// At most how many bytes `text` has when it is compressed: those that Deflate (RFC 1951) needs with its fixed code and
/// the nearest repetitions. A real compressor looks further for repetitions, and makes a code for the text.
pub(super) fn compressed(text: &[u8]) -> usize {
    let mut places = vec![usize::MAX; SLOTS];
    let mut bits = 0;
    let mut at = 0;
    while at + MIN_MATCH <= text.len() {
        let slot = slot(&text[at..at + MIN_MATCH]);
        let earlier = std::mem::replace(&mut places[slot], at);
        let length = if earlier < at && at - earlier <= WINDOW { common(&text[earlier..], &text[at..]) } else { 0 };
        if length < MIN_MATCH {
            bits += LITERAL_BITS;
            at += 1;
            continue;
        }
        bits += MATCH_BITS;
        for inner in (at + 1..at + length).take_while(|it| it + MIN_MATCH <= text.len()) {
            places[self::slot(&text[inner..inner + MIN_MATCH])] = inner;
        }
        at += length;
    }
    (bits + (text.len() - at) * LITERAL_BITS) / 8
}

fn slot(bytes: &[u8]) -> usize {
    let word = bytes.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
    (word.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// How many bytes two texts begin with in common.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take(MAX_MATCH).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_repeat_costs_what_it_is() {
        let text: Vec<u8> = (0..=255).collect();
        assert_eq!(compressed(&text), 288);
        assert_eq!(compressed(b""), 0);
    }

    #[test]
    fn what_repeats_costs_little() {
        let text = "{\"rule\": \"AZ-0001\", \"level\": \"error\"}\n".repeat(10_000);
        assert!(compressed(text.as_bytes()) < text.len() / 50);
    }

    #[test]
    fn what_repeats_too_far_away_is_no_repetition() {
        let filler: Vec<u8> = (0..40_000u32).flat_map(|it| it.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        let text = [b"0123456789", &filler[..], b"0123456789"].concat();
        assert_eq!(compressed(&text), compressed(&[&text[..text.len() - 10]].concat()) + 10 * LITERAL_BITS / 8);
    }
}
