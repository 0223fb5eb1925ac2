//! Table of the rules for names of resource types.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The rows of the table, sorted by type without case.
static ROWS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("../../../data/azure.names").lines().filter(|line| !line.starts_with('#')).collect());

/// Rule for the names of a resource type, without those of its parents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Fewest and most characters.
    pub(super) min: usize,
    pub(super) max: Option<usize>,
    /// The characters that a name has.
    pub(super) middle: Class,
    /// The characters with which a name begins.
    pub(super) first: Class,
    /// The characters with which a name ends.
    pub(super) last: Class,
    /// Characters that are not twice in a row.
    pub(super) single: &'static str,
    /// Number of independent sources that agree.
    pub(super) sources: u32,
    /// The only name; empty if there are others.
    pub(super) exactly: &'static str,
    /// A regular expression that the name also matches; empty if there is none.
    pub(super) pattern: &'static str,
}

/// A set of characters: `a-z0-9-`, or `^/?` for all but these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(&'static str);

impl Class {
    /// True if a name may have the character.
    pub(super) fn has(self, letter: char) -> bool {
        let (is_negated, body) = self.0.strip_prefix('^').map_or((false, self.0), |body| (true, body));
        let is_letter = body.contains("a-z") && letter.is_ascii_lowercase()
            || body.contains("A-Z") && letter.is_ascii_uppercase()
            || body.contains("0-9") && letter.is_ascii_digit();
        let is_listed = is_letter || letter == ' ' && body.contains("\\s") || signs(body).any(|sign| sign == letter);
        // Line breaks and the like are nowhere in a name.
        is_listed != is_negated && !letter.is_control()
    }

    /// Returns the set for people: "lower-case letters, digits, and `-`".
    fn words(self) -> String {
        let (is_negated, body) = self.0.strip_prefix('^').map_or((false, self.0), |body| (true, body));
        let mut parts = Vec::new();
        match (body.contains("a-z"), body.contains("A-Z")) {
            (true, true) => parts.push("letters".to_owned()),
            (true, false) => parts.push("lower-case letters".to_owned()),
            (false, true) => parts.push("upper-case letters".to_owned()),
            (false, false) => {}
        }
        if body.contains("0-9") {
            parts.push("digits".to_owned());
        }
        parts.extend(signs(body).map(|sign| format!("`{sign}`")));
        if body.contains("\\s") {
            parts.push("blanks".to_owned());
        }
        let joined = match parts.as_slice() {
            [others @ .., last] if others.len() > 1 => format!("{}, and {last}", others.join(", ")),
            few => few.join(" and "),
        };
        if is_negated { format!("any characters but {joined}") } else { joined }
    }
}

/// Returns the characters of a set that are no letters, digits, or blanks.
fn signs(body: &'static str) -> impl Iterator<Item = char> {
    let rest = ["a-z", "A-Z", "0-9", "\\s"].iter().fold(body.to_owned(), |rest, range| rest.replacen(range, "", 1));
    rest.chars().collect::<Vec<_>>().into_iter()
}

impl Rule {
    fn read(row: &'static str) -> Option<Self> {
        let fields: Vec<&str> = row.split('\t').collect();
        let [_, min, max, middle, first, last, single, _, sources, exactly, pattern] = fields.as_slice() else {
            return None;
        };
        let or_middle = |class: &&'static str| Class(if class.is_empty() { middle } else { class });
        Some(Self {
            min: min.parse().ok()?,
            max: if max.is_empty() { None } else { Some(max.parse().ok()?) },
            middle: Class(middle),
            first: or_middle(first),
            last: or_middle(last),
            single,
            sources: sources.parse().ok()?,
            exactly,
            pattern,
        })
    }

    /// Returns the rule for people.
    pub(super) fn words(&self) -> String {
        if !self.exactly.is_empty() {
            return format!("`{}`", self.exactly);
        }
        let length = match self.max {
            Some(max) if max == self.min => format!("{max}"),
            Some(max) => format!("{} to {max}", self.min),
            None => format!("at least {}", self.min),
        };
        let mut words = format!("{}, {length} characters", self.middle.words());
        if self.first != self.middle && self.first == self.last {
            let _ = write!(words, ", with {} at both ends", self.first.words());
        } else {
            if self.first != self.middle {
                let _ = write!(words, ", with {} at the beginning", self.first.words());
            }
            if self.last != self.middle {
                let _ = write!(words, ", with {} at the end", self.last.words());
            }
        }
        for sign in self.single.trim().chars() {
            let _ = write!(words, ", without `{sign}{sign}`");
        }
        if !self.pattern.is_empty() {
            let _ = write!(words, ", as in `{}`", self.pattern);
        }
        words
    }
}

/// Returns the rule of a type.
pub(super) fn find(type_name: &str) -> Option<Rule> {
    let at = ROWS.binary_search_by(|row| compare(row.split('\t').next().unwrap_or_default(), type_name)).ok()?;
    Rule::read(ROWS.get(at)?)
}

fn compare(one: &str, other: &str) -> Ordering {
    one.bytes().map(|byte| byte.to_ascii_lowercase()).cmp(other.bytes().map(|byte| byte.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let names: Vec<String> = ROWS.iter().map(|row| row.split('\t').next().unwrap().to_lowercase()).collect();
        assert!(names.is_sorted());
        for row in ROWS.iter() {
            let rule = Rule::read(row).unwrap_or_else(|| panic!("{row}"));
            assert!(!rule.exactly.is_empty() || !rule.middle.0.is_empty(), "{row}");
            assert!(rule.max.is_none_or(|max| rule.min <= max), "{row}");
        }
    }

    #[test]
    fn rules_are_described() {
        let words = |name: &str| find(name).unwrap().words();
        assert_eq!(words("microsoft.storage/STORAGEACCOUNTS"), "lower-case letters and digits, 3 to 24 characters");
        assert_eq!(
            words("Microsoft.KeyVault/vaults"),
            "letters, digits, and `-`, 3 to 24 characters, with letters at the beginning, with letters and digits at the end, without `--`"
        );
        assert_eq!(words("Microsoft.Storage/storageAccounts/blobServices"), "`default`");
        assert!(find("Contoso.Lab/things").is_none());
    }

    #[test]
    fn classes_have_their_characters() {
        let has = |class, letter| Class(class).has(letter);
        assert!(has("a-z0-9-", '-') && has("a-z0-9-", '7') && !has("a-z0-9-", 'A'));
        assert!(has("^/?", 'A') && !has("^/?", '?') && !has("^/?", '\n'));
        assert!(has("a-z\\s", ' ') && !has("a-z", ' '));
    }
}
