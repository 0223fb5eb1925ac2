//! Which units are the same when case is ignored.
//!
//! In Java these are the letters of ASCII. In .NET two units are alike when they have the same simple lower-case
//! mapping in the invariant culture. That is narrower than Unicode's case folding, which the `regex` crate uses: `ſ`
//! is not `s`, `ς` is not `σ`, and `µ` is not `μ`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::Dialect;

/// The sign for kelvin, the only unit outside ASCII that is like one inside.
const KELVIN: u32 = 0x212A;

/// For each unit that is like others, all of them with the unit itself.
static ALIKE: LazyLock<BTreeMap<u32, Box<[u32]>>> = LazyLock::new(|| {
    let mut classes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for unit in 0..=u16::MAX.into() {
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

/// The simple lower-case mapping, which is the unit itself if it has none. A mapping to several characters is not a
/// simple one; that of `İ` is the only one.
fn lower(unit: u32) -> u32 {
    let Some(character) = char::from_u32(unit) else {
        return unit;
    };
    let mut mapped = character.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if u32::from(one) <= u16::MAX.into() => one.into(),
        _ => unit,
    }
}

/// Adds to `ranges` every unit that is like one in them.
pub(super) fn close(dialect: Dialect, ranges: &mut Vec<(u32, u32)>) {
    let mut added = Vec::new();
    for &(first, last) in ranges.iter() {
        if dialect == Dialect::Java {
            close_ascii(first, last, &mut added);
        } else if last < 0x80 {
            // Spares the table, which few patterns need.
            close_ascii(first, last, &mut added);
            if [b'k', b'K'].iter().any(|&letter| (first..=last).contains(&letter.into())) {
                added.push((KELVIN, KELVIN));
            }
        } else {
            for class in ALIKE.range(first..=last).map(|(_, class)| class) {
                added.extend(class.iter().map(|&unit| (unit, unit)));
            }
        }
    }
    ranges.append(&mut added);
}

/// Adds the other case of the ASCII letters in a range.
fn close_ascii(first: u32, last: u32, added: &mut Vec<(u32, u32)>) {
    let mut overlap = |low: u8, high: u8, shift: i32| {
        let (low, high) = (first.max(low.into()), last.min(high.into()));
        if low <= high {
            added.push((low.wrapping_add_signed(shift), high.wrapping_add_signed(shift)));
        }
    };
    overlap(b'A', b'Z', 0x20);
    overlap(b'a', b'z', -0x20);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(character: char, alike: &str) {
        let unit = u32::from(character);
        let mut ranges = vec![(unit, unit)];
        close(Dialect::DotNet, &mut ranges);
        let mut found: Vec<u32> = ranges.iter().flat_map(|&(first, last)| first..=last).collect();
        found.sort_unstable();
        found.dedup();
        let mut expected: Vec<u32> = alike.chars().map(u32::from).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{character}");
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
            let (first, last) = (u32::from(first), u32::from(last));
            let mut ranges = vec![(first, last)];
            close(Dialect::DotNet, &mut ranges);
            let added = ranges.iter().skip(1);
            let mut fast: Vec<u32> = added.flat_map(|&(first, last)| first..=last).collect();
            let mut slow: Vec<u32> = ALIKE
                .range(first..=last)
                .flat_map(|(&unit, class)| class.iter().copied().filter(move |&other| other != unit))
                .collect();
            fast.sort_unstable();
            fast.dedup();
            slow.sort_unstable();
            slow.dedup();
            assert_eq!(fast, slow);
        }
    }
}
