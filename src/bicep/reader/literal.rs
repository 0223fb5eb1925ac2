//! Decodes string literals.
//!
//! See <https://learn.microsoft.com/azure/azure-resource-manager/bicep/data-types#strings>.

use std::borrow::Cow;

/// The value of a string literal, which is given with its quotes. `None` if it has interpolations, or if it is not a
/// complete literal.
pub(super) fn text_of(raw: &str) -> Option<Cow<'_, str>> {
    if raw.len() >= 6 && raw.starts_with("'''") {
        let inner = raw.strip_prefix("'''")?.strip_suffix("'''")?;
        // A line break directly after the quotes is not part of the value.
        let inner = inner.strip_prefix("\r\n").or_else(|| inner.strip_prefix('\n')).unwrap_or(inner);
        return Some(Cow::Borrowed(inner));
    }
    let inner = raw.strip_prefix('\'')?.strip_suffix('\'')?;
    if !inner.contains(['\\', '$']) {
        return Some(Cow::Borrowed(inner));
    }
    unescape(inner).map(Cow::Owned)
}

/// Resolves escapes. `None` if there is an interpolation or an invalid escape.
fn unescape(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(next) = rest.next() {
        match next {
            '$' if rest.as_str().starts_with('{') => return None,
            '\\' => match rest.next()? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                c @ ('\\' | '\'' | '$') => text.push(c),
                'u' => {
                    let (digits, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                    text.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                    rest = after.chars();
                }
                _ => return None,
            },
            _ => text.push(next),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, expected: Option<&str>) {
        assert_eq!(text_of(raw).as_deref(), expected, "{raw}");
    }

    #[test]
    fn escapes_are_resolved() {
        check("'abc'", Some("abc"));
        check("''", Some(""));
        check(r"'it\'s \u{1F431} $ \${x} \\'", Some("it's 🐱 $ ${x} \\"));
        check("'''\r\nraw ${x} \\n'''", Some("raw ${x} \\n"));
        check("''''quoted''''", Some("'quoted'"));
    }

    #[test]
    fn interpolations_and_incomplete_literals_have_no_value() {
        for raw in ["'a${b}'", "'", "'a", r"'\x'", r"'\u{110000}'", r"'\u{41'", ""] {
            check(raw, None);
        }
    }
}
