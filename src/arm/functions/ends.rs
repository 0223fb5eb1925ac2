//! What is certain of strings that are made of unknown ones: how they begin and end, and what follows from that.

use crate::arm::dotnet::case;
use crate::arm::dotnet::composite::{self, Piece};
use crate::arm::functions::Args;
use crate::arm::functions::bounded::BoundedText;
use crate::arm::functions::json_text::write_plain;
use crate::value::{Data, Ends, Kind, Traits, Value};

/// How much of a beginning or an end is kept, in bytes.
const MAX_BYTES: usize = 4 << 10;

/// Puts a string together of known and unknown pieces, from left to right.
#[derive(Default)]
struct Pieces {
    ends: Ends,
    /// Whether there was an unknown piece: then what follows is at the end.
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
            let middle = std::mem::take(&mut self.ends.end);
            self.ends.is_filled &= piece.is_filled && !middle.contains(char::is_whitespace);
        } else {
            self.is_open = true;
            self.ends.is_filled = piece.is_filled;
        }
        self.ends.end.clone_from(&piece.end);
    }

    /// What is certain of the whole string.
    fn finish(mut self) -> Ends {
        let Ends { start, end, is_filled } = &mut self.ends;
        let longest =
            |text: &str| (0..=MAX_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        if start.len() > MAX_BYTES {
            start.truncate(longest(start));
            *is_filled = false;
        }
        if end.len() > MAX_BYTES {
            let from = (end.len() - MAX_BYTES..end.len()).find(|&at| end.is_char_boundary(at)).unwrap_or(end.len());
            end.drain(..from);
            *is_filled = false;
        }
        self.ends
    }

    fn push(&mut self, args: Args<'_>, value: &Value, quote: char) {
        let mut text = BoundedText::of(args);
        match &value.data {
            Data::Unknown(_) => self.push_unknown(&of(value)),
            _ if value.traits.has(Traits::UNKNOWN) => self.push_unknown(&Ends::default()),
            _ => match write_plain(value, quote, &mut text) {
                Ok(()) => self.push_text(&text.into_string()),
                Err(_) => self.push_unknown(&Ends::default()),
            },
        }
    }
}

/// What is certain of an unknown value, written as a string.
fn of(value: &Value) -> Ends {
    let Data::Unknown(unknown) = &value.data else { return Ends::default() };
    match (&unknown.ends, unknown.kind) {
        (Some(ends), _) => (**ends).clone(),
        (None, Kind::Bool | Kind::Int | Kind::Float) => Ends { is_filled: true, ..Ends::default() },
        _ => Ends::default(),
    }
}

/// The ends of the result of `concat`.
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

/// The ends of the result of `format`.
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

/// The ends of the result of `toLower`.
pub(super) fn of_lower(args: Args<'_>) -> Ends {
    of_case(args, str::to_lowercase)
}

/// The ends of the result of `toUpper`.
pub(super) fn of_upper(args: Args<'_>) -> Ends {
    of_case(args, str::to_uppercase)
}

/// The ends of a string whose case changes. Characters that change otherwise are left out of account.
fn of_case(args: Args<'_>, change: fn(&str) -> String) -> Ends {
    let ends = args.values().first().map(of).unwrap_or_default();
    if !ends.start.is_ascii() || !ends.end.is_ascii() {
        return Ends::default();
    }
    Ends { start: change(&ends.start), end: change(&ends.end), ..ends }
}

/// The ends of a hash, which is not empty.
pub(super) fn of_hash(_: Args<'_>) -> Ends {
    Ends { is_filled: true, ..Ends::default() }
}

/// The ends of a resource ID.
pub(super) fn of_id(_: Args<'_>) -> Ends {
    Ends { start: "/".to_owned(), ..Ends::default() }
}

/// Whether an unknown string starts with a known one, ignoring case. `None` if that is unknown.
pub(super) fn starts_with(args: Args<'_>) -> Option<bool> {
    let (ends, part) = unknown_and_part(args)?;
    let (known, part) = (fold(&ends.start), fold(part));
    if known.starts_with(&part) {
        return Some(true);
    }
    (!part.starts_with(&known)).then_some(false)
}

/// Whether an unknown string ends with a known one, ignoring case. `None` if that is unknown.
pub(super) fn ends_with(args: Args<'_>) -> Option<bool> {
    let (ends, part) = unknown_and_part(args)?;
    let (known, part) = (fold(&ends.end), fold(part));
    if known.ends_with(&part) {
        return Some(true);
    }
    (!part.ends_with(&known)).then_some(false)
}

/// Whether an unknown string contains a known one. `None` if that is unknown.
pub(super) fn contains(args: Args<'_>) -> Option<bool> {
    let (ends, part) = unknown_and_part(args)?;
    (ends.start.contains(part) || ends.end.contains(part)).then_some(true)
}

/// Whether an unknown string is empty. `None` if that is unknown.
pub(super) fn empty(args: Args<'_>) -> Option<bool> {
    let unknown = args.values().first()?.as_unknown()?;
    unknown.ends.as_ref().filter(|ends| ends.has_text()).map(|_| false)
}

/// Whether two values are equal, one of which is an unknown string. `None` if that is unknown.
pub(super) fn equals(args: Args<'_>) -> Option<bool> {
    let [a, b] = args.values() else { return None };
    (!may_equal(a, b) || !may_equal(b, a)).then_some(false)
}

/// Whether `a` may equal `b`, if `a` is an unknown of which something is certain.
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
