//! Plain text in GitHub's Markdown.
//!
//! GitHub interprets text three times: as Markdown (<https://github.github.com/gfm/>), as HTML, and for mentions,
//! issues, and emoji, after all escapes are resolved. Character references protect text from the first two. Only an
//! invisible space inside a name protects it from the third.

use std::fmt::Write as _;

use crate::text::escape::terminal::written_out;

/// A zero-width space, which ends a name.
const BLANK: &str = "&#8203;";

/// Escapes text with names in backticks, for a table cell or any position in a line except its start. For the start
/// of a line, use [`paragraph`].
pub fn prose(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some((before, name, after)) = quoted(rest) {
        parts.push(escaped(before, true));
        parts.push(code(name));
        rest = after;
    }
    parts.push(escaped(rest, true));
    parts.concat()
}

/// Escapes text like [`prose`], for the start of a line, where it could start a list, a heading, or code.
pub fn paragraph(text: &str) -> String {
    let text = prose(text.trim_start_matches(' '));
    let mut rest = text.chars();
    match rest.next() {
        Some(first) if first.is_ascii_digit() || "-+=".contains(first) => {
            format!("&#{};{}", u32::from(first), rest.as_str())
        }
        _ => text,
    }
}

/// Formats a name as code. It uses a tag, because backticks cannot be escaped inside backticks.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text, false))
}

/// Escapes a web address as an attribute value. `None` for other texts. Three `~` could be interpreted as a fence.
/// Escaped, they have the same meaning (RFC 3986, 2.3).
pub fn address(uri: &str) -> Option<String> {
    let is_web = uri.starts_with("https://") || uri.starts_with("http://");
    let is_plain = uri.chars().all(|c| c.is_ascii_graphic() && !"\"<>|`\\".contains(c));
    (is_web && is_plain).then(|| uri.replace('&', "&amp;").replace("~~~", "%7E%7E%7E"))
}

/// Returns the text before, inside, and after the first pair of backticks.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (name, after) = rest.split_once('`')?;
    Some((before, name, after))
}

/// Escapes all markup. In code, GitHub does not search for emoji or issues such as `GH-1`.
fn escaped(text: &str, is_prose: bool) -> String {
    let shown = written_out(text);
    let mut escaped = String::with_capacity(shown.len());
    let mut characters = shown.char_indices();
    while let Some((at, c)) = characters.next() {
        let (before, rest) = (shown.get(..at).unwrap_or_default(), characters.as_str());
        match c {
            '@' | '#' => {
                let _ = write!(escaped, "&#{};{BLANK}", u32::from(c));
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '~' | '[' | ']' | '\\' | '$' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            // GitHub turns web addresses into links.
            ':' if rest.starts_with('/') => escaped.push_str("&#58;"),
            '.' if ends_with(before, "www") => escaped.push_str("&#46;"),
            ':' if is_prose && is_emoji(rest) => {
                let _ = write!(escaped, ":{BLANK}");
            }
            '-' if is_prose && ends_with(before, "gh") && rest.starts_with(|c: char| c.is_ascii_digit()) => {
                let _ = write!(escaped, "-{BLANK}");
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Returns whether `text` ends with `end`, ignoring case.
fn ends_with(text: &str, end: &str) -> bool {
    let start = text.len().checked_sub(end.len());
    start.and_then(|start| text.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// Returns whether the text after a colon completes a name such as `:tada:`.
fn is_emoji(rest: &str) -> bool {
    rest.split_once(':').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use formwork_testing::markdown as judge;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(prose(text), expected);
    }

    #[test]
    fn names_in_backticks_become_code() {
        check("the key `a<b` is `c`", "the key <code>a&lt;b</code> is <code>c</code>");
        check("a ` alone", "a &#96; alone");
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        check("a|b", "a&#124;b");
        check("@org #1", "&#64;&#8203;org &#35;&#8203;1");
        check("<script> &lt; **x**", "&lt;script&gt; &amp;lt; &#42;&#42;x&#42;&#42;");
        check("[a](https://x)\n", "&#91;a&#93;(https&#58;//x)&#92;n");
    }

    #[test]
    fn nothing_in_a_text_is_a_link_or_a_picture() {
        check("see www.a.b or WWW.a.b", "see www&#46;a.b or WWW&#46;a.b");
        check("GH-12, gh-x and :tada:", "GH-&#8203;12, gh-x and :&#8203;tada:");
        check("`GH-12` `arn:aws:s3:::a`", "<code>GH-12</code> <code>arn:aws:s3:::a</code>");
    }

    #[track_caller]
    fn check_paragraph(text: &str, expected: &str) {
        assert_eq!(paragraph(text), expected);
    }

    #[test]
    fn a_paragraph_starts_nothing_else() {
        check_paragraph("- a", "&#45; a");
        check_paragraph("    a", "a");
        check_paragraph("1. a", "&#49;. a");
        check_paragraph("===", "&#61;==");
        check_paragraph("# a", "&#35;&#8203; a");
        check_paragraph("größe", "größe");
    }

    #[test]
    fn only_an_address_of_the_web_is_linked() {
        assert_eq!(address("https://a.b/c?d&e").as_deref(), Some("https://a.b/c?d&amp;e"));
        assert_eq!(address("https://a.b/~c/~~~d").as_deref(), Some("https://a.b/~c/%7E%7E%7Ed"));
        assert_eq!(address("javascript:alert(1)"), None);
        assert_eq!(address("https://a.b/\"><script>"), None);
    }

    /// Returns the text that a reader sees, without the backticks that come in pairs.
    fn shown(text: &str) -> String {
        let pieces: Vec<&str> = text.split('`').collect();
        let (paired, rest) = pieces.split_at(pieces.len() - usize::from(pieces.len().is_multiple_of(2)));
        let text = [paired.concat(), rest.concat()].join(if rest.is_empty() { "" } else { "`" });
        written_out(&text).replace('\u{200b}', "").trim().to_owned()
    }

    /// Checks that GitHub shows `markdown`, which is `text` escaped, as the text only.
    fn judge(markdown: &str, text: &str) -> Result<(), TestCaseError> {
        let seen = judge::read(markdown);
        prop_assert!(
            seen.elements
                .iter()
                .all(|element| ["document", "paragraph", "text", "html_inline"].contains(&element.as_str())),
            "{:?}",
            seen
        );
        prop_assert!(seen.tags.iter().all(|tag| ["<code>", "</code>"].contains(&tag.as_str())), "{:?}", seen);
        prop_assert_eq!(seen.name(), None, "{:?}", seen);
        let seen = seen.text.trim().strip_prefix('x').map(str::trim);
        let expected = shown(text);
        prop_assert_eq!(seen, Some(expected.as_str()));
        Ok(())
    }

    proptest! {
        #[test]
        fn text_stays_text(text in judge::any_text()) {
            judge(&format!("x\n\n{}", paragraph(&text)), &text)?;
            judge(&format!("x\n\nx {}", prose(&text)), &format!("x {text}"))?;
        }

        #[test]
        fn a_name_stays_a_name(text in judge::any_text()) {
            let seen = judge::read(&code(&text));
            prop_assert_eq!(&seen.tags, &["<code>", "</code>"]);
            let shown = written_out(&text).replace('\u{200b}', "");
            prop_assert_eq!(seen.text.trim(), shown.trim());
        }

        #[test]
        fn a_cell_stays_a_cell(text in judge::any_text()) {
            let seen = judge::read(&format!("|a|b|\n|-|-|\n| {} | {} |\n", prose(&text), code(&text)));
            prop_assert_eq!(&seen.cells, &[2, 2]);
            prop_assert_eq!(seen.name(), None);
        }
    }
}
