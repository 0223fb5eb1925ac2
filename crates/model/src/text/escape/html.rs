//! Plain text in HTML, including quoted attribute values.

use crate::text::escape::terminal::written_out;

/// Escapes all markup. Invisible characters are shown as escape sequences.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in written_out(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '`' => escaped.push_str("&#96;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_text() {
        assert_eq!(html("<a href=\"x\">'&`"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#96;");
        assert!(!html("a\u{202e}b\u{0}").contains(['\u{202e}', '\u{0}']));
    }
}
