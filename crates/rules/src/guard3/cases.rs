//! Spellings of member names in other cases.
//!
//! A name that an object does not have is looked for in seven other spellings, those of the crate `cruet` 0.14 that
//! cfn-guard uses: `block_device_mappings` finds `BlockDeviceMappings`, and `tags` finds `Tags`.

/// Number of spellings that are tried.
pub(super) const COUNT: usize = 7;

/// Index of the spelling in the singular: `Policies` finds `Policy`.
pub(super) const SINGULAR: usize = 1;

/// Converts a name to camel, class, kebab, pascal, snake, title, and train case.
pub(super) fn spellings(name: &str) -> [String; COUNT] {
    [
        joined(name, &Joint { first: false, between: None, digits_end_words: true }),
        class(name),
        separated(name, '-'),
        joined(name, &Joint { first: true, between: None, digits_end_words: true }),
        separated(name, '_'),
        joined(name, &Joint { first: true, between: Some(' '), digits_end_words: false }),
        joined(name, &Joint { first: true, between: Some('-'), digits_end_words: true }),
    ]
}

/// Rules for joining words.
struct Joint {
    /// True if the first word gets a capital letter.
    first: bool,
    /// Separator between words.
    between: Option<char>,
    /// True if a word begins after a digit.
    digits_end_words: bool,
}

fn joined(name: &str, joint: &Joint) -> String {
    let (mut is_new, mut is_first) = (joint.first, joint.first);
    let (mut last, mut has_begun) = (' ', false);
    let mut result = String::with_capacity(name.len() + 4);
    for character in trimmed(name).chars() {
        if !character.is_alphanumeric() {
            is_new |= has_begun;
            continue;
        }
        has_begun = true;
        if character.is_numeric() && joint.digits_end_words {
            is_new = true;
            result.push(character);
        } else if is_new || last.is_lowercase() && character.is_uppercase() {
            is_new = false;
            result.extend(joint.between.filter(|_| !is_first));
            result.push(character.to_ascii_uppercase());
            is_first = false;
        } else {
            last = character;
            result.push(character.to_ascii_lowercase());
        }
    }
    result
}

/// Converts a name to Pascal case with the last word in the singular.
fn class(name: &str) -> String {
    let plural = joined(name, &Joint { first: true, between: None, digits_end_words: true });
    let (before, last) =
        plural.split_at_checked(plural.rfind(char::is_uppercase).unwrap_or(0)).unwrap_or((&plural, ""));
    format!("{before}{}", singular(last))
}

fn separated(name: &str, separator: char) -> String {
    let characters: Vec<char> = trimmed(name).chars().collect();
    let is_lower = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|c: &char| c.is_lowercase());
    let mut result = String::with_capacity(name.len() + 4);
    let mut is_first = true;
    for (at, character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            if !is_first {
                is_first = true;
                result.push(separator);
            }
            continue;
        }
        let is_capital = *character == character.to_ascii_uppercase();
        if !is_first && is_capital && (is_lower(Some(at + 1)) || is_lower(at.checked_sub(1))) {
            result.push(separator);
        }
        is_first = false;
        result.push(character.to_ascii_lowercase());
    }
    result
}

fn trimmed(name: &str) -> &str {
    name.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// Words with irregular plurals. They are looked up in lower case, so a capital letter makes them regular.
const IRREGULAR: &[(&str, &str)] = &[
    ("oxen", "ox"),
    ("men", "man"),
    ("women", "woman"),
    ("dice", "die"),
    ("yeses", "yes"),
    ("feet", "foot"),
    ("eaves", "eave"),
    ("geese", "goose"),
    ("teeth", "tooth"),
    ("quizzes", "quiz"),
];

/// Endings of plurals, with the required text before each, and the ending in the singular. The first match counts.
const ENDINGS: &[(&str, &[&str], &str)] = &[
    ("s", &["database"], ""),
    ("zes", &["quiz"], ""),
    ("ices", &["matr"], "ix"),
    ("ices", &["vert", "ind"], "ex"),
    ("es", &["alias", "status"], ""),
    ("", &["alias", "status"], ""),
    ("us", &["octop", "vir"], "us"),
    ("i", &["octop", "vir"], "us"),
    ("is", &["cris", "test"], "is"),
    ("es", &["cris", "test"], "is"),
    ("es", &["bus"], ""),
    ("", &["bus"], ""),
    ("ice", &["m", "l"], "ouse"),
    ("es", &["x", "ch", "ss", "sh"], ""),
    ("ovies", &["m"], "ovie"),
    ("eries", &["s"], "eries"),
    ("ies", CONSONANTS, "y"),
    ("ves", &["l", "r"], "f"),
    ("s", &["tive", "hive"], ""),
    ("ves", NOT_F, "fe"),
    ("ses", ANALYSES, "sis"),
    ("sis", ANALYSES, "sis"),
    ("a", &["t", "i"], "um"),
    ("oes", &[""], "o"),
    ("ews", &["n"], "ews"),
    ("", &["ss"], ""),
    ("s", &[""], ""),
];

const CONSONANTS: &[&str] =
    &["b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "q", "r", "s", "t", "v", "w", "x", "z", "qu"];
const ANALYSES: &[&str] = &["analy", "ba", "diagno", "parenthe", "progno", "synop", "the"];
const NOT_F: &[&str] = &[
    "a", "b", "c", "d", "e", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
    "y", "z",
];

fn singular(word: &str) -> String {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return (*singular).to_owned();
    }
    for (ending, before, singular) in ENDINGS {
        if let Some(stem) = word.strip_suffix(ending)
            && before.iter().any(|before| stem.ends_with(before))
        {
            return format!("{stem}{singular}");
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_spelled_in_seven_cases() {
        assert_eq!(
            spellings("block_device_mappings"),
            [
                "blockDeviceMappings",
                "BlockDeviceMapping",
                "block-device-mappings",
                "BlockDeviceMappings",
                "block_device_mappings",
                "Block Device Mappings",
                "Block-Device-Mappings"
            ]
        );
        assert_eq!(
            spellings("Policies"),
            ["policies", "Policy", "policies", "Policies", "policies", "Policies", "Policies"]
        );
    }

    #[test]
    fn plurals_become_singulars() {
        // The rules of `cruet` are about words in lower case, so some miss a word that begins with a capital.
        for (plural, expected) in [
            ("Tags", "Tag"),
            ("Addresses", "Address"),
            ("Access", "Access"),
            ("Boxes", "Box"),
            ("Statuses", "Statuse"),
            ("Indices", "Indice"),
            ("Keys", "Key"),
            ("Entries", "Entry"),
            ("Data", "Datum"),
        ] {
            assert_eq!(singular(plural), expected, "{plural}");
        }
    }
}
