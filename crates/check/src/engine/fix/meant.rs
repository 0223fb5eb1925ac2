//! Fixes of misspelled names that a message corrects: ``there is no parameter `loaction`, did you mean `location`?``.

use crate::diagnostic::{Edit, Fix};
use crate::text::{Source, Span, slips};

/// Text before the suggested name at the end of a message. A message with several suggestions ends in another way.
const SUGGESTS: &str = ", did you mean `";

/// Maximum number of characters that differ between the names. Names that differ more are only guesses.
const MAX_SLIPS: usize = 2;

/// Returns the fix for a message about the text at `span`. `None` if it suggests nothing, or if the text does not have the
/// misspelled name exactly once.
pub(super) fn of_message(message: &str, span: Span, source: &Source) -> Option<Fix> {
    let (before, rest) = message.rsplit_once(SUGGESTS)?;
    let meant = rest.strip_suffix("`?").filter(|meant| is_plain(meant))?;
    let text = source.text().get(span.start as usize..span.end as usize).filter(|_| source.is_utf8())?;
    let names = before.split('`').skip(1).step_by(2).filter(|name| is_plain(name) && name != &meant);
    let distance = |name: &str| slips(name, meant);
    let found = names.min_by_key(|name| distance(name))?;
    let at = only(text, found)?;
    let start = span.start + u32::try_from(at).ok()?;
    let span = Span::new(span.file, start, start + u32::try_from(found.len()).ok()?);
    let edit = Edit { span, name: found.to_owned(), replacement: meant.to_owned() };
    let is_guess = distance(found) > MAX_SLIPS;
    Some(Fix { title: format!("rename `{found}` to `{meant}`"), edits: vec![edit], is_guess })
}

/// Returns `true` if a name needs no quotes and no escapes in any language.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:".contains(c))
}

/// Returns the offset of a name that occurs once in a text, and not as a part of a longer name.
fn only(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(name).filter(|(at, name)| {
        let (before, after) = (text.get(..*at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    let (at, _) = found.next()?;
    found.next().is_none().then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[track_caller]
    fn check(message: &str, text: &str, expected: Option<(&str, bool)>) {
        let sources = Sources::new();
        let file = sources.add("a.json", text);
        let span = Span::new(file, 0, u32::try_from(text.len()).unwrap());
        let fix = of_message(message, span, &sources.get(file));
        let applied = fix.as_ref().map(|fix| {
            let edit = &fix.edits[0];
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            (format!("{}{}{}", &text[..start], edit.replacement, &text[end..]), fix.is_guess)
        });
        assert_eq!(applied, expected.map(|(text, is_guess)| (text.to_owned(), is_guess)), "{message}");
    }

    #[test]
    fn a_suggested_name_replaces_the_misspelled_one() {
        let message = "there is no parameter `loaction`, did you mean `location`?";
        check(message, "[parameters('loaction')]", Some(("[parameters('location')]", false)));
        check(message, "loaction", Some(("location", false)));
        check("`Basc` has no `abcdef`, did you mean `abcxyz`?", "x.abcdef", Some(("x.abcxyz", true)));
        // Twice, in a longer name, not there, several suggestions, none.
        check(message, "loaction loaction", None);
        check(message, "loaction2", None);
        check(message, "location", None);
        check("there is no parameter `subnet3`, did you mean `subnet1` or `subnet2`?", "subnet3", None);
        check("there is no parameter `loaction`", "loaction", None);
        check("there is no parameter `a b`, did you mean `a'b`?", "a b", None);
    }
}
