//! Certain parts of strings that are built from unknown ones: beginnings and ends, and their consequences.

use crate::dotnet::case;
use crate::dotnet::composite::{self, Piece};
use crate::functions::Args;
use crate::functions::bounded::BoundedText;
use crate::functions::json_text::write_plain;
use crate::value::{Data, Ends, Kind, Traits, Value};

/// Maximum length of a beginning or an end to keep, in bytes.
const MAX_BYTES: usize = 4 << 10;

/// Puts a string together of known and unknown pieces, from left to right.
#[derive(Default)]
struct Pieces {
    ends: Ends,
    /// True after the first unknown piece: text that follows belongs to the end.
    is_open: bool,
}

impl Pieces {
    fn push_text(&mut self, text: &str) {
        let end = if self.is_open { &mut self.ends.end } else { &mut self.ends.start };
        end.push_str(text);
    }

    fn push_unknown(&mut self, piece: &Ends) {
        self.push_text(&piece.start);
        if self.is_open {
            // What was at the end is now in the middle.
            self.ends.append(piece);
        } else {
            self.is_open = true;
            let start = std::mem::take(&mut self.ends.start);
            self.ends = Ends { start, ..piece.clone() };
        }
    }

    /// Returns the certain parts of the whole string.
    fn finish(mut self) -> Ends {
        let Ends { start, end, is_filled, most, .. } = &mut self.ends;
        let longest =
            |text: &str| (0..=MAX_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        if start.len() > MAX_BYTES {
            start.truncate(longest(start));
            (*is_filled, *most) = (false, None);
        }
        if end.len() > MAX_BYTES {
            let from = (end.len() - MAX_BYTES..end.len()).find(|&at| end.is_char_boundary(at)).unwrap_or(end.len());
            end.drain(..from);
            (*is_filled, *most) = (false, None);
        }
        self.ends
    }

    fn push(&mut self, args: Args<'_>, value: &Value, quote: char) {
        let mut text = BoundedText::for_call(args);
        match &value.data {
            Data::Unknown(_) => self.push_unknown(&known_ends(value)),
            _ if value.traits.has(Traits::UNKNOWN) => self.push_unknown(&Ends::default()),
            _ => match write_plain(value, quote, &mut text) {
                Ok(()) => self.push_text(&text.into_string()),
                Err(_) => self.push_unknown(&Ends::default()),
            },
        }
    }
}

/// Returns the certain parts of `value` as a string. Nothing is certain unless it is an unknown with known parts.
fn known_ends(value: &Value) -> Ends {
    let Data::Unknown(unknown) = &value.data else { return Ends::default() };
    match (&unknown.ends, unknown.kind) {
        (Some(ends), _) => (**ends).clone(),
        (None, Kind::Bool | Kind::Int | Kind::Float) => Ends { is_filled: true, least: 1, ..Ends::default() },
        _ => Ends::default(),
    }
}

/// Returns the ends of the result of `concat`.
pub(super) fn of_concat(args: Args<'_>) -> Ends {
    let is_text = |value: &Value| matches!(value.kind(), Kind::String | Kind::Int | Kind::Float);
    // Unknowns alone may be arrays.
    if !args.values().iter().any(is_text) {
        return Ends::default();
    }
    let mut pieces = Pieces::default();
    args.values().iter().for_each(|value| pieces.push(args, value, '"'));
    pieces.finish()
}

/// Returns the ends of the result of `format`.
pub(super) fn of_format(args: Args<'_>) -> Ends {
    let format = args.at::<&str>(0).ok().and_then(|format| composite::parse(format).ok());
    let mut pieces = Pieces::default();
    for piece in format.into_iter().flatten() {
        match piece {
            Piece::Text(text) => pieces.push_text(text),
            Piece::Item(item) => match args.values().get(item.index + 1) {
                Some(value) if item.width == 0 && item.format.is_empty() => pieces.push(args, value, '\''),
                _ => pieces.push_unknown(&Ends::default()),
            },
        }
    }
    pieces.finish()
}

/// Returns the ends of the result of `toLower`.
pub(super) fn of_lower(args: Args<'_>) -> Ends {
    of_case(args, str::to_lowercase)
}

/// Returns the ends of the result of `toUpper`.
pub(super) fn of_upper(args: Args<'_>) -> Ends {
    of_case(args, str::to_uppercase)
}

/// Returns the ends of a string whose case changes. Characters that change in another way are ignored.
fn of_case(args: Args<'_>, change: fn(&str) -> String) -> Ends {
    let ends = args.values().first().map(known_ends).unwrap_or_default();
    if !ends.start.is_ascii() || !ends.end.is_ascii() || !ends.inside.is_ascii() {
        return Ends::default();
    }
    let mut changed = Ends { start: change(&ends.start), end: change(&ends.end), inside: String::new(), ..ends };
    changed.add_inside(&change(&ends.inside));
    changed
}

/// Returns the ends of the result of `uniqueString`.
pub(super) fn of_unique_string(_: Args<'_>) -> Ends {
    Ends { is_filled: true, least: 13, most: Some(13), ..Ends::default() }
}

/// Returns the ends of the result of `guid`.
pub(super) fn of_guid(_: Args<'_>) -> Ends {
    Ends { is_filled: true, least: 36, most: Some(36), inside: "-".to_owned(), ..Ends::default() }
}

/// Returns the ends of the first characters of a string.
pub(super) fn of_take(args: Args<'_>) -> Ends {
    let [text, count] = args.values() else { return Ends::default() };
    let count = count.as_int().and_then(|count| usize::try_from(count.max(0)).ok());
    match (count, text.kind()) {
        (Some(count), Kind::String) => first_characters(&known_ends(text), count),
        _ => Ends::default(),
    }
}

/// Returns the ends of a part of a string. If the part begins later, only its length is known.
pub(super) fn of_substring(args: Args<'_>) -> Ends {
    let [text, start, count] = args.values() else { return Ends::default() };
    let number = |value: &Value| value.as_int().and_then(|number| usize::try_from(number).ok());
    let (Some(start), Some(count)) = (number(start), number(count)) else { return Ends::default() };
    let own = if start == 0 { known_ends(text) } else { Ends::default() };
    let part = first_characters(&own, count);
    // A string that is too short is an error.
    let rest = u32::try_from(count.saturating_sub(part.start.chars().count())).unwrap_or(u32::MAX);
    Ends { least: rest, most: Some(rest), ..part }
}

/// Returns the certain parts of the first `count` characters of a string.
fn first_characters(ends: &Ends, count: usize) -> Ends {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let start: String = ends.start.chars().take(count).collect();
    let rest = count - start.chars().count();
    let after = number(ends.end.chars().count());
    let least = ends.least.saturating_add(after).min(number(rest));
    let most = ends.most.map_or(u32::MAX, |most| most.saturating_add(after)).min(number(rest));
    Ends { start, least, most: Some(most), ..Ends::default() }
}

/// Returns the ends of a resource ID.
pub(super) fn of_id(_: Args<'_>) -> Ends {
    Ends { start: "/".to_owned(), ..Ends::default() }
}

/// Returns `true` if an unknown string starts with a known one, ignoring case. `None` if that is unknown.
pub(super) fn starts_with(args: Args<'_>) -> Option<bool> {
    let (ends, part) = unknown_and_part(args)?;
    let (known, part) = (fold(&ends.start), fold(part));
    if known.starts_with(&part) {
        return Some(true);
    }
    (!part.starts_with(&known)).then_some(false)
}

/// Returns `true` if an unknown string ends with a known one, ignoring case. `None` if that is unknown.
pub(super) fn ends_with(args: Args<'_>) -> Option<bool> {
    let (ends, part) = unknown_and_part(args)?;
    let (known, part) = (fold(&ends.end), fold(part));
    if known.ends_with(&part) {
        return Some(true);
    }
    (!part.ends_with(&known)).then_some(false)
}

/// Returns `true` if an unknown string contains a known one. `None` if that is unknown.
pub(super) fn contains(args: Args<'_>) -> Option<bool> {
    let (ends, part) = unknown_and_part(args)?;
    (ends.start.contains(part) || ends.end.contains(part)).then_some(true)
}

/// Returns `false` if an unknown string has certain text. `None` if that is unknown.
pub(super) fn empty(args: Args<'_>) -> Option<bool> {
    let unknown = args.values().first()?.as_unknown()?;
    unknown.ends.as_ref().filter(|ends| ends.has_text()).map(|_| false)
}

/// Returns `false` if two values, one of which is an unknown string, cannot be equal. `None` if that is unknown.
pub(super) fn equals(args: Args<'_>) -> Option<bool> {
    let [a, b] = args.values() else { return None };
    (!may_equal(a, b) || !may_equal(b, a)).then_some(false)
}

/// Returns `true` if `a` may equal `b`. False only if `a` is an unknown whose choices or certain parts exclude `b`.
pub(super) fn may_equal(a: &Value, b: &Value) -> bool {
    let Data::Unknown(unknown) = &a.data else { return true };
    if b.traits.has(Traits::UNKNOWN) {
        return true;
    }
    let is_choice = unknown.choices.is_empty() || unknown.choices.iter().any(|choice| choice.same(b));
    let admits =
        unknown.ends.as_ref().is_none_or(|ends| b.as_str().is_some_and(|text| ends.admit(text, |a, b| a == b)));
    is_choice && admits
}

fn unknown_and_part(args: Args<'_>) -> Option<(&Ends, &str)> {
    let [text, part] = args.values() else { return None };
    Some((text.as_unknown()?.ends.as_deref()?, part.as_str()?))
}

fn fold(text: &str) -> String {
    text.chars().map(case::fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::array;
    use crate::model::Limits;
    use crate::value::Unknown;

    /// Returns an unknown number.
    fn number() -> Value {
        Value::unknown(Unknown::new(Kind::Int, "a test says so"))
    }

    fn text() -> Value {
        Value::unknown(Unknown::new(Kind::String, "a test says so"))
    }

    /// Returns an unknown string with this beginning and end.
    fn between(start: &str, end: &str) -> Value {
        let ends = Ends { start: start.to_owned(), end: end.to_owned(), is_filled: true, ..Ends::default() };
        Value::unknown(Unknown { ends: Some(ends.into()), ..Unknown::new(Kind::String, "a test says so") })
    }

    fn call<T>(function: fn(Args<'_>) -> T, values: &[Value]) -> T {
        function(Args::new("f", values, &Limits::default()))
    }

    /// Shows the certain parts, with `+` for a filling without white space, and with `*` for any filling.
    fn ends(function: fn(Args<'_>) -> Ends, values: &[Value]) -> String {
        let ends = call(function, values);
        format!("{}{}{}", ends.start, if ends.is_filled { '+' } else { '*' }, ends.end)
    }

    #[test]
    fn what_is_known_of_a_joined_string_is_how_it_begins_and_ends() {
        for (values, expected) in [
            (vec!["a".into(), number(), "b".into()], "a+b"),
            (vec!["a".into(), text(), "b".into()], "a*b"),
            (vec!["a".into(), between("b", "c"), "d".into()], "ab+cd"),
            (vec![between("a", "b"), between("c", "d")], "a+d"),
            (vec![number(), "m".into(), number()], "+"),
            (vec![number(), "m m".into(), number()], "*"),
            (vec![number(), "m".into(), text(), "z".into()], "*z"),
            (vec![text(), "m".into(), number(), "z".into()], "*z"),
            (vec!["a".into(), array([text()]), "b".into()], "a*b"),
            (vec![array(["a"]), Value::unknown(Unknown::new(Kind::Any, "a test says so"))], "*"),
        ] {
            assert_eq!(ends(of_concat, &values), expected, "{values:?}");
        }
    }

    #[test]
    fn beginnings_and_ends_are_kept_up_to_a_size() {
        let of = |start: &str, end: &str| call(of_concat, &[start.into(), number(), end.into()]);
        let most = "a".repeat(MAX_BYTES);
        let kept = |start: &str, end: &str, is_filled: bool| Ends {
            start: start.to_owned(),
            end: end.to_owned(),
            is_filled,
            least: 1,
            ..Ends::default()
        };
        assert_eq!(of(&most, &most), kept(&most, &most, true));
        let long = format!("{}{}", "a".repeat(MAX_BYTES), "b".repeat(900));
        assert_eq!(of(&long, "z"), kept(&most, "z", false));
        let long = format!("{}{}", "b".repeat(900), "a".repeat(MAX_BYTES));
        assert_eq!(of("z", &long), kept("z", &most, false));
        let broad = "é".repeat(MAX_BYTES);
        let odd = format!("a{broad}a");
        let count = MAX_BYTES / 2 - 1;
        let (start, end) = (format!("a{}", "é".repeat(count)), format!("{}a", "é".repeat(count)));
        assert_eq!(of(&odd, &odd), kept(&start, &end, false));
    }

    #[test]
    fn a_format_is_known_up_to_the_first_unknown_placeholder() {
        for (format, values, expected) in [
            ("a{0}b", vec![number()], "a+b"),
            ("{1}{0}", vec![number(), "x".into()], "x+"),
            ("a{0,5}b", vec![number()], "a*b"),
            ("a{0:N}b", vec![number()], "a*b"),
            ("a{0,5:N}b", vec![number()], "a*b"),
            ("a{1}b", vec![number()], "a*b"),
            ("a{0}b{1}", vec!["x".into(), number()], "axb+"),
        ] {
            let arguments: Vec<Value> = std::iter::once(format.into()).chain(values).collect();
            assert_eq!(ends(of_format, &arguments), expected, "{format}");
        }
    }

    #[test]
    fn the_case_of_what_is_known_changes() {
        assert_eq!(ends(of_lower, &[between("Ab", "Cd")]), "ab+cd");
        assert_eq!(ends(of_upper, &[between("Ab", "Cd")]), "AB+CD");
        assert_eq!(ends(of_upper, &[between("ß", "c")]), "*");
        assert_eq!(ends(of_upper, &[between("a", "ß")]), "*");
        assert_eq!(ends(of_unique_string, &[text()]), "+");
        assert_eq!(ends(of_id, &[text()]), "/*");
    }

    #[test]
    fn the_length_and_the_middle_of_a_joined_string_are_known() {
        let unique = || Value::unknown(Unknown::new(Kind::String, "").between(call(of_unique_string, &[text()])));
        let check = |ends: Ends, least: u32, most: Option<u32>, inside: &str| {
            assert_eq!((ends.least, ends.most, ends.inside.as_str()), (least, most, inside), "{ends:?}");
        };
        check(call(of_concat, &[unique(), "_a_".into(), unique()]), 29, Some(29), "_a");
        check(call(of_concat, &[text(), "-".into(), unique()]), 14, None, "-");
        check(call(of_take, &[unique(), 5.into()]), 5, Some(5), "");
        check(call(of_take, &[text(), 5.into()]), 0, Some(5), "");
        check(call(of_take, &[between("abc", ""), 2.into()]), 0, Some(0), "");
        check(call(of_take, &[array(["a"]), 2.into()]), 0, None, "");
        check(call(of_substring, &[unique(), 0.into(), 4.into()]), 4, Some(4), "");
        check(call(of_substring, &[between("abc", ""), 0.into(), 4.into()]), 1, Some(1), "");
        check(call(of_substring, &[text(), 2.into(), 4.into()]), 4, Some(4), "");
        check(call(of_guid, &[text()]), 36, Some(36), "-");
    }

    #[test]
    fn what_is_known_decides() {
        for (function, text, part, expected) in [
            (starts_with as fn(Args<'_>) -> Option<bool>, between("abc", ""), "AB", Some(true)),
            (starts_with, between("abc", ""), "abcd", None),
            (starts_with, between("abc", ""), "b", Some(false)),
            (ends_with, between("", "abc"), "BC", Some(true)),
            (ends_with, between("", "abc"), "xabc", None),
            (ends_with, between("", "abc"), "b", Some(false)),
            (contains, between("abc", "def"), "b", Some(true)),
            (contains, between("abc", "def"), "e", Some(true)),
            (contains, between("abc", "def"), "B", None),
            (equals, between("abc", "def"), "abc", Some(false)),
            (equals, between("abc", "def"), "abc-def", None),
            (equals, text(), "abc", None),
            (starts_with, text(), "abc", None),
        ] {
            assert_eq!(call(function, &[text.clone(), part.into()]), expected, "{text:?} {part}");
        }
        assert_eq!(call(equals, &["abc".into(), between("x", "")]), Some(false));
        assert_eq!(call(empty, &[between("", "")]), Some(false));
        assert_eq!(call(empty, &[text()]), None);
    }

    #[test]
    fn a_choice_equals_what_it_can_be() {
        let choice = Value::unknown(Unknown::new(Kind::String, "a test says so").one_of(["a", "b"].map(Value::from)));
        assert!(may_equal(&choice, &"a".into()));
        assert!(!may_equal(&choice, &"c".into()));
        assert!(may_equal(&choice, &text()));
        assert!(!may_equal(&between("a", "b"), &1.into()));
        assert!(!may_equal(&between("a", "b"), &"b".into()));
    }
}
