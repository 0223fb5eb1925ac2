//! Regular expressions of types in words: the characters that a string may have.

/// Longest list of signs in a message. Longer ones say little more than the pattern.
const MAX_SIGNS: usize = 40;

/// Characters that a pattern allows at every position of a string.
#[derive(Debug, PartialEq, Eq)]
struct Allowed {
    /// Ranges of characters, both ends included.
    ranges: Vec<(char, char)>,
}

/// Returns the characters of `found` that a pattern does not allow, with the allowed ones in words: "`–` is not allowed;
/// expected letters, digits, and `._-`". `None` if the pattern is more than a repeated set of characters, or if the string
/// has no other characters.
pub(super) fn misfit(pattern: &str, found: &str) -> Option<String> {
    let allowed = parse(pattern)?;
    let mut wrong: Vec<char> = found.chars().filter(|c| !allowed.has(*c)).collect();
    wrong.dedup();
    wrong.truncate(3);
    let first = match wrong.as_slice() {
        [] => return None,
        [' '] => "a space is not allowed".to_owned(),
        [one] => format!("`{one}` is not allowed"),
        several => {
            let shown: Vec<String> = several.iter().map(|c| format!("`{c}`")).collect();
            format!("{} are not allowed", shown.join(", "))
        }
    };
    Some(format!("{first}; expected {}", allowed.words()?))
}

/// Parses a pattern such as `^[a-z0-9._-]{1,64}$`.
fn parse(pattern: &str) -> Option<Allowed> {
    let mut inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    inner = unrepeated(inner);
    while let Some(grouped) = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        inner = unrepeated(grouped.strip_prefix("?:").unwrap_or(grouped));
    }
    let set = inner.strip_prefix('[')?.strip_suffix(']').filter(|set| !set.starts_with('^'))?;
    let signs: Vec<char> = set.chars().collect();
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut at = 0;
    while let Some((start, next)) = sign(&signs, at, &mut ranges)? {
        at = next;
        let Some(start) = start else { continue };
        let end = match signs.get(at..).unwrap_or_default() {
            ['-', end, ..] if *end != '\\' => {
                at += 2;
                *end
            }
            _ => start,
        };
        if end < start {
            return None;
        }
        ranges.push((start, end));
    }
    (!ranges.is_empty()).then_some(Allowed { ranges })
}

/// A sign of a set, or `None` for a class, and the position after it. The inner `None` is the end of the set.
type Sign = Option<(Option<char>, usize)>;

/// Reads a sign of a set, or adds the ranges of a class. `None` if it is not known.
fn sign(signs: &[char], at: usize, ranges: &mut Vec<(char, char)>) -> Option<Sign> {
    match signs.get(at..).unwrap_or_default() {
        [] => Some(None),
        // The set ends before the end of the pattern.
        [']', ..] | ['\\'] => None,
        ['\\', escaped, ..] => {
            match escaped {
                'd' => ranges.push(('0', '9')),
                'w' => ranges.extend([('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
                's' => ranges.extend([(' ', ' '), ('\t', '\r')]),
                letter if letter.is_ascii_alphanumeric() => return None,
                sign => return Some(Some((Some(*sign), at + 2))),
            }
            Some(Some((None, at + 2)))
        }
        [sign, ..] => Some(Some((Some(*sign), at + 1))),
    }
}

/// Returns a pattern without the repetition at its end.
fn unrepeated(pattern: &str) -> &str {
    if let Some(rest) = pattern.strip_suffix(['*', '+']) {
        return rest;
    }
    match pattern.rsplit_once('{') {
        Some((rest, bounds)) if bounds.strip_suffix('}').is_some_and(is_bounds) => rest,
        _ => pattern,
    }
}

fn is_bounds(bounds: &str) -> bool {
    bounds.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

impl Allowed {
    fn has(&self, char: char) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..=*end).contains(&char))
    }

    fn has_all(&self, start: char, end: char) -> bool {
        (start..=end).all(|char| self.has(char))
    }

    /// Returns the characters in words. `None` if some are neither letters, digits, nor signs of ASCII.
    fn words(&self) -> Option<String> {
        if self.ranges.iter().any(|(_, end)| !end.is_ascii()) {
            return None;
        }
        let (lower, upper, digits) = (self.has_all('a', 'z'), self.has_all('A', 'Z'), self.has_all('0', '9'));
        let mut words: Vec<String> = Vec::new();
        match (lower, upper) {
            (true, true) => words.push("ASCII letters".to_owned()),
            (true, false) => words.push("lower-case letters".to_owned()),
            (false, true) => words.push("upper-case letters".to_owned()),
            (false, false) => {}
        }
        words.extend(digits.then(|| "digits".to_owned()));
        words.extend(self.has(' ').then(|| "spaces".to_owned()));
        let is_named = |c: char| {
            lower && c.is_ascii_lowercase() || upper && c.is_ascii_uppercase() || digits && c.is_ascii_digit()
        };
        let signs: String = ('!'..='~').filter(|c| self.has(*c) && !is_named(*c) && *c != '`').collect();
        if signs.len() > MAX_SIGNS {
            return None;
        }
        words.extend((!signs.is_empty()).then(|| format!("`{signs}`")));
        match words.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            [one, other] => Some(format!("{one} and {other}")),
            [others @ .., last] => Some(format!("{}, and {last}", others.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, found: &str, expected: Option<&str>) {
        assert_eq!(misfit(pattern, found).as_deref(), expected, "{pattern} on {found}");
    }

    #[test]
    fn a_set_of_characters_is_described() {
        let description = r"^([a-z,A-Z,0-9,. _\-:/()#,@[\]+=&;\{\}!$*])*$";
        let words = "`–` is not allowed; expected ASCII letters, digits, spaces, and `!#$&()*+,-./:;=@[]_{}`";
        check(description, "a – b", Some(words));
        check(r"^[a-z0-9]*$", "a B", Some("` `, `B` are not allowed; expected lower-case letters and digits"));
        check(
            r"^[a-zA-Z0-9_.-]{1,64}$",
            "a b",
            Some("a space is not allowed; expected ASCII letters, digits, and `-._`"),
        );
        check(r"^[\w+=,.@-]+$", "a/b", Some("`/` is not allowed; expected ASCII letters, digits, and `+,-.=@_`"));
        check(r"^(?:[0-9A-F])+$", "xyz", Some("`x`, `y`, `z` are not allowed; expected digits and `ABCDEF`"));
        // Only the length is wrong, or the pattern says more.
        check(r"^[a-z]{1,2}$", "abc", None);
        check(r"^[a-z]+-[a-z]+$", "A", None);
        check(r"^[^a]+$", "a", None);
        check(r"^(a|b)$", "c", None);
        check(r"^[\p{L}]+$", "1", None);
        check(r"[a-z]", "1", None);
    }
}
