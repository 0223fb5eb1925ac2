//! Tokens.

/// A token and its range in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// The digits of a number.
    Int,
    /// A string without interpolation.
    Whole,
    /// Start of a string, from the quote to the first interpolation.
    Left,
    /// Part of a string between two interpolations.
    Middle,
    /// End of a string, from the last interpolation to the quote.
    Right,
    NewLine,
    End,
    Ellipsis,
    SafeDot,
    Dot,
    Arrow,
    Equal,
    EqualInsensitive,
    Assign,
    NotEqual,
    NotEqualInsensitive,
    Bang,
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    And,
    Or,
    Pipe,
    Coalesce,
    Question,
    DoubleColon,
    Colon,
    At,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    LeftParen,
    RightParen,
    Comma,
    Semicolon,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
}

/// All signs. Signs with the same first byte are adjacent, the longest first.
const SIGNS: [(&str, Kind); 36] = [
    ("...", Kind::Ellipsis),
    (".?", Kind::SafeDot),
    (".", Kind::Dot),
    ("=>", Kind::Arrow),
    ("==", Kind::Equal),
    ("=~", Kind::EqualInsensitive),
    ("=", Kind::Assign),
    ("!=", Kind::NotEqual),
    ("!~", Kind::NotEqualInsensitive),
    ("!", Kind::Bang),
    ("<=", Kind::LessOrEqual),
    ("<", Kind::Less),
    (">=", Kind::GreaterOrEqual),
    (">", Kind::Greater),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("|", Kind::Pipe),
    ("??", Kind::Coalesce),
    ("?", Kind::Question),
    ("::", Kind::DoubleColon),
    (":", Kind::Colon),
    ("@", Kind::At),
    ("{", Kind::LeftBrace),
    ("}", Kind::RightBrace),
    ("[", Kind::LeftBracket),
    ("]", Kind::RightBracket),
    ("(", Kind::LeftParen),
    (")", Kind::RightParen),
    (",", Kind::Comma),
    (";", Kind::Semicolon),
    ("+", Kind::Plus),
    ("-", Kind::Minus),
    ("*", Kind::Star),
    ("/", Kind::Slash),
    ("%", Kind::Percent),
    ("^", Kind::Caret),
];

/// For each byte, the index in [`SIGNS`] of the first sign that starts with it.
const FIRST: [u8; 256] = first();

#[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "it is computed by the compiler")]
const fn first() -> [u8; 256] {
    let mut first = [SIGNS.len() as u8; 256];
    let mut at = SIGNS.len();
    while at > 0 {
        at -= 1;
        first[SIGNS[at].0.as_bytes()[0] as usize] = at as u8;
    }
    first
}

impl Kind {
    /// Returns the sign at the start of `bytes`, and its length.
    pub(super) fn sign(bytes: &[u8]) -> Option<(Self, usize)> {
        let byte = *bytes.first()?;
        let signs = SIGNS.get(usize::from(*FIRST.get(usize::from(byte))?)..)?;
        let candidates = signs.iter().take_while(|(sign, _)| sign.as_bytes().first() == Some(&byte));
        let mut found = candidates.filter(|(sign, _)| match sign.as_bytes() {
            [_] => true,
            [_, rest @ ..] => rest.iter().enumerate().all(|(at, byte)| bytes.get(at + 1) == Some(byte)),
            [] => false,
        });
        found.next().map(|(sign, kind)| (*kind, sign.len()))
    }

    /// Returns the text of a sign. Empty for other tokens.
    pub(super) fn text(self) -> &'static str {
        SIGNS.iter().find(|(_, kind)| *kind == self).map_or("", |(sign, _)| sign)
    }
}
