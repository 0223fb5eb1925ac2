//! Which UTF-16 code units .NET takes for the same when case does not count.
//!
//! Two units are alike when they have the same simple lower-case mapping in the invariant culture. That is narrower than
//! Unicode's case folding, which the `regex` crate uses: `ſ` is not `s`, `ς` is not `σ`, and `µ` is not `μ`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The sign for kelvin, the only unit outside ASCII that is alike to one inside.
const KELVIN: u16 = 0x212A;

/// The units that are alike to others, by unit, each with its class.
static ALIKE: LazyLock<BTreeMap<u16, Box<[u16]>>> = LazyLock::new(|| {
    let mut classes: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
    for unit in 0..=u16::MAX {
        let lower = lower(unit);
        if lower != unit {
            classes.entry(lower).or_insert_with(|| vec![lower]).push(unit);
        }
    }
    let mut alike = BTreeMap::new();
    for class in classes.into_values() {
        for &unit in &class {
            alike.insert(unit, class.clone().into_boxed_slice());
        }
    }
    alike
});

/// The simple lower-case mapping. A mapping to several characters (there is one, that of `İ`) is no simple one.
fn lower(unit: u16) -> u16 {
    let Some(character) = char::from_u32(unit.into()) else {
        return unit;
    };
    let mut mapped = character.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => u16::try_from(u32::from(one)).unwrap_or(unit),
        _ => unit,
    }
}

/// Adds to `ranges` every unit that is alike to one in them.
pub(super) fn close(ranges: &mut Vec<(u16, u16)>) {
    let mut added = Vec::new();
    for &(first, last) in ranges.iter() {
        if last < 0x80 {
            close_ascii(first, last, &mut added);
        } else {
            for class in ALIKE.range(first..=last).map(|(_, class)| class) {
                added.extend(class.iter().map(|&unit| (unit, unit)));
            }
        }
    }
    ranges.append(&mut added);
}

/// As [`close`] for a range in ASCII: spares the table, which nearly no pattern needs.
fn close_ascii(first: u16, last: u16, added: &mut Vec<(u16, u16)>) {
    let mut overlap = |low: u8, high: u8, shift: i16| {
        let (low, high) = (first.max(low.into()), last.min(high.into()));
        if low <= high {
            added.push((low.wrapping_add_signed(shift), high.wrapping_add_signed(shift)));
        }
    };
    overlap(b'A', b'Z', 0x20);
    overlap(b'a', b'z', -0x20);
    let holds = |letter: u8| (first..=last).contains(&letter.into());
    if holds(b'k') || holds(b'K') {
        added.push((KELVIN, KELVIN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(character: char, alike: &str) {
        let unit = u16::try_from(u32::from(character)).unwrap();
        let mut ranges = vec![(unit, unit)];
        close(&mut ranges);
        let mut found: Vec<u16> = ranges.iter().flat_map(|&(first, last)| first..=last).collect();
        found.sort_unstable();
        found.dedup();
        let mut wanted: Vec<u16> = alike.encode_utf16().collect();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{character}");
    }

    #[test]
    fn units_with_one_lower_case_mapping_are_alike() {
        check('a', "aA");
        check('K', "kK\u{212A}");
        check('\u{212A}', "kK\u{212A}");
        check('é', "éÉ");
        check('ß', "ßẞ");
        check('ǅ', "ǄǅǆǄ".chars().take(3).collect::<String>().as_str());
        check('-', "-");
    }

    #[test]
    fn units_that_only_fold_alike_are_not() {
        check('s', "sS");
        check('ſ', "ſ");
        check('σ', "σΣ");
        check('ς', "ς");
        check('µ', "µ");
        check('i', "iI");
        check('İ', "İ");
        check('ı', "ı");
    }

    #[test]
    fn a_range_of_ascii_closes_as_the_table_would() {
        for (first, last) in [(b'0', b'z'), (b'X', b'c'), (b'j', b'l'), (b'!', b'/')] {
            let (first, last) = (u16::from(first), u16::from(last));
            let mut fast = Vec::new();
            close_ascii(first, last, &mut fast);
            let mut fast: Vec<u16> = fast.iter().flat_map(|&(a, b)| a..=b).collect();
            let mut slow: Vec<u16> = ALIKE
                .range(first..=last)
                .flat_map(|(&unit, class)| class.iter().copied().filter(move |&it| it != unit))
                .collect();
            fast.sort_unstable();
            fast.dedup();
            slow.sort_unstable();
            slow.dedup();
            assert_eq!(fast, slow);
        }
    }
}
