//! Describes simple regular expressions in words, for messages.

/// Describes the values that a regular expression matches or, if `negated`, does not match. Returns `None` unless it
/// only restricts the length, or requires literal texts in one position.
pub(super) fn words(pattern: &str, negated: bool) -> Option<String> {
    of_length(pattern, negated).or_else(|| of_texts(pattern, negated))
}

/// Describes a length pattern, `^.{2,5}$`, where either bound may be absent.
fn of_length(pattern: &str, negated: bool) -> Option<String> {
    let (least, most) = pattern.strip_prefix("^.{")?.strip_suffix("}$")?.split_once(',')?;
    let least: u32 = least.parse().ok()?;

    match (most.is_empty(), negated) {
        (true, false) => Some(format!("at least {}", characters(least))),
        (true, true) => Some(format!("at most {}", characters(least.checked_sub(1)?))),
        (false, false) if least == 0 => Some(format!("at most {}", characters(most.parse().ok()?))),
        (false, true) if least == 0 => {
            Some(format!("at least {}", characters(most.parse::<u32>().ok()?.checked_add(1)?)))
        }
        _ => None,
    }
}

fn characters(count: u32) -> String {
    if count == 1 { "1 character".to_owned() } else { format!("{count} characters") }
}

/// Describes a pattern of literal texts, such as `^http://` or `(System|User)Assigned`.
fn of_texts(pattern: &str, negated: bool) -> Option<String> {
    let (pattern, is_start) = pattern.strip_prefix('^').map_or((pattern, false), |rest| (rest, true));
    let (pattern, is_end) = pattern.strip_suffix('$').map_or((pattern, false), |rest| (rest, true));
    let texts = alternatives(pattern, is_start || is_end)?;
    let texts: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
    let list = match texts.as_slice() {
        [first @ .., last] if first.len() > 1 => format!("{}, or {last}", first.join(", ")),
        texts => texts.join(" or "),
    };
    let (verb, verb_after_not) = match (is_start, is_end) {
        (true, true) if negated => return Some(format!("a value other than {list}")),
        (true, true) => return Some(list),
        (true, false) => ("begins with", "begin with"),
        (false, true) => ("ends with", "end with"),
        (false, false) => ("contains", "contain"),
    };
    Some(if negated {
        format!("a value that does not {verb_after_not} {list}")
    } else {
        format!("a value that {verb} {list}")
    })
}

/// Returns the literal texts that a pattern matches, which may have one group or alternatives. An anchored pattern must
/// not have alternatives outside of a group, since the anchor would only apply to one.
fn alternatives(pattern: &str, is_anchored: bool) -> Option<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('(') else {
        let parts = pattern.split('|');
        return if is_anchored && pattern.contains('|') { None } else { parts.map(literal).collect() };
    };
    let (inner, after) = rest.split_once(')')?;
    let (before, after) = (literal_or_empty(before)?, literal_or_empty(after)?);
    inner.split('|').map(|part| Some(format!("{before}{}{after}", literal(part)?))).collect()
}

fn literal_or_empty(pattern: &str) -> Option<String> {
    if pattern.is_empty() { Some(String::new()) } else { literal(pattern) }
}

/// Returns the text of a pattern without operators.
fn literal(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.push(letters.next().filter(char::is_ascii_punctuation)?),
            letter if letter.is_alphanumeric() || " -_/:;,@<>=\"'#%&~!".contains(letter) => text.push(letter),
            _ => return None,
        }
    }
    (!text.is_empty() && !text.contains('`')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn simple_patterns_are_words() {
        for (pattern, plain, negated) in [
            ("^.{16,}$", "at least 16 characters", "at most 15 characters"),
            ("^.{0,1}$", "at most 1 character", "at least 2 characters"),
            (
                "(System|User)Assigned",
                "a value that contains `SystemAssigned` or `UserAssigned`",
                "a value that does not contain `SystemAssigned` or `UserAssigned`",
            ),
            ("a|b|c", "a value that contains `a`, `b`, or `c`", "a value that does not contain `a`, `b`, or `c`"),
            (r"^https?", "", ""),
            ("^http://", "a value that begins with `http://`", "a value that does not begin with `http://`"),
            (r"\.zip$", "a value that ends with `.zip`", "a value that does not end with `.zip`"),
            ("^(F1|D1)$", "`F1` or `D1`", "a value other than `F1` or `D1`"),
            ("^a|b$", "", ""),
            ("(^|/)web$", "", ""),
            ("a(b|c)(d|e)", "", ""),
            (r"\d", "", ""),
            ("", "", ""),
        ] {
            assert_eq!(words(pattern, false).unwrap_or_default(), plain, "{pattern}");
            assert_eq!(words(pattern, true).unwrap_or_default(), negated, "{pattern}");
        }
    }
}
