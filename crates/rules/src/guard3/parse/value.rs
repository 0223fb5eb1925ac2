//! Parses literals, calls of functions, and right sides of operators.

use crate::guard3::ast::{ByteRange, Call, Ends, FUNCTIONS, Literal, Operand, PatternLiteral, Range};
use crate::guard3::parse::cursor::{Cursor, Read, Stop};
use crate::pattern::Pattern;
use crate::text::nearest_name;
use crate::value::Str;

impl Cursor<'_> {
    /// Parses a literal, a call of a function, or a query.
    pub(super) fn operand(&mut self) -> Read<Operand> {
        self.deeper(|this| {
            if let Some(literal) = this.attempt(Self::literal)? {
                return Ok(Operand::Literal(literal));
            }
            if let Some(call) = this.attempt(Self::function)? {
                return Ok(Operand::Call(call));
            }
            this.query().map(Operand::Query)
        })
    }

    fn literal(&mut self) -> Read<Literal> {
        match self.peek() {
            Some('\'' | '"') => Ok(Literal::String(Str::from(self.string()?))),
            Some('/') => self.pattern(),
            Some('[') => self.list(),
            Some('{') => self.map(),
            Some('-' | '0'..='9') => self.number(),
            Some('r') => self.range(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Read<Literal> {
        for (spellings, literal) in [
            (["true", "True", "TRUE"], Literal::Bool(true)),
            (["false", "False", "FALSE"], Literal::Bool(false)),
            (["null", "Null", "NULL"], Literal::Null),
        ] {
            if spellings.iter().any(|word| self.takes_exact_word(word)) {
                return Ok(literal);
            }
        }
        Err(self.other("a value"))
    }

    fn takes_exact_word(&mut self, word: &str) -> bool {
        self.rest().starts_with(word) && self.takes_word_of(word)
    }

    /// Consumes a word like [`Cursor::takes_word`], but in this case only.
    fn takes_word_of(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.takes(word) && !self.peek().is_some_and(super::cursor::is_name_char) {
            return true;
        }
        self.at = start;
        false
    }

    fn pattern(&mut self) -> Read<Literal> {
        let start = self.at;
        let rest = self.rest().get(1..).unwrap_or_default();
        let mut end = None;
        let mut is_escaped = false;
        for (at, character) in rest.char_indices() {
            if character == '/' && !is_escaped {
                end = Some(at);
                break;
            }
            is_escaped = character == '\\' && !is_escaped;
        }
        let Some(end) = end else {
            return Err(self.wrong(ByteRange::new(start, start + 1), "the pattern is not closed; expected `/`"));
        };
        let source = rest.get(..end).unwrap_or_default();
        self.at += end + 2;
        let place = self.place(start);
        if source.is_empty() {
            return Err(self.wrong(place, "the pattern is empty; comments begin with `#`"));
        }
        let source = source.replace("\\/", "/");
        match Pattern::rust(&source) {
            Ok(pattern) => Ok(Literal::Pattern(Box::new(PatternLiteral { source: Str::from(source), pattern }))),
            Err(error) => Err(self.wrong(place, format!("the pattern is invalid: {}", error.message))),
        }
    }

    fn number(&mut self) -> Read<Literal> {
        let (start, rest) = (self.at, self.rest());
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = |at: usize| rest.get(at..).unwrap_or_default();
        let sign = usize::from(rest.starts_with('-'));
        let whole = digits(after(sign));
        if whole == 0 {
            return Err(self.other("a number"));
        }
        let mut end = sign + whole;
        let mut is_float = false;
        if after(end).starts_with('.') {
            let fraction = digits(after(end + 1));
            if fraction == 0 {
                self.at += end + 1;
                return Err(self.wrong(self.place(start), "a number does not end in a dot"));
            }
            end += 1 + fraction;
            is_float = true;
        }
        if after(end).starts_with(['e', 'E']) {
            let signs = usize::from(after(end + 1).starts_with(['+', '-']));
            let exponent = digits(after(end + 1 + signs));
            if exponent > 0 {
                end += 1 + signs + exponent;
                is_float = true;
            }
        }
        self.at += end;
        let place = self.place(start);
        if self.peek().is_some_and(super::cursor::is_name_char) {
            return Err(self.wrong(place, "a letter follows the number; expected a blank"));
        }
        let text = rest.get(..end).unwrap_or_default();
        if is_float {
            return text.parse().map(Literal::Float).map_err(|_| self.wrong(place, "this is not a number"));
        }
        text.parse().map(Literal::Int).map_err(|_| self.wrong(place, "the number needs more than 64 bits"))
    }

    fn range(&mut self) -> Read<Literal> {
        let start = self.at;
        let rest = self.rest();
        if !rest.starts_with("r[") && !rest.starts_with("r(") {
            return self.word();
        }
        self.at += 2;
        let has_low = rest.starts_with("r[");
        self.blanks();
        let low = self.range_end()?;
        self.blanks();
        self.expect(",", "`,`")?;
        self.blanks();
        let high = self.range_end()?;
        self.blanks();
        let has_high = self.takes("]");
        if !has_high {
            self.expect(")", "`]` or `)`")?;
        }
        let ends = match (low, high) {
            (RangeEnd::Int(low), RangeEnd::Int(high)) => Ends::Ints(low, high),
            (RangeEnd::Float(low), RangeEnd::Float(high)) => Ends::Floats(low, high),
            (RangeEnd::Char(low), RangeEnd::Char(high)) => Ends::Chars(low, high),
            _ => {
                let message = "both ends of a range must be integers, both numbers with a dot, or both characters";
                return Err(self.wrong(self.place(start), message));
            }
        };
        Ok(Literal::Range(Range { ends, has_low, has_high }))
    }

    fn range_end(&mut self) -> Read<RangeEnd> {
        if self.peek().is_some_and(|c| c == '-' || c.is_ascii_digit()) {
            return match self.number()? {
                Literal::Int(int) => Ok(RangeEnd::Int(int)),
                Literal::Float(float) => Ok(RangeEnd::Float(float)),
                _ => Err(Stop::Other),
            };
        }
        match self.peek() {
            Some(character) if !character.is_whitespace() && !matches!(character, ',' | ')' | ']') => {
                self.at += character.len_utf8();
                Ok(RangeEnd::Char(character))
            }
            _ => Err(self.other("an end of the range")),
        }
    }

    fn list(&mut self) -> Read<Literal> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.takes("]") {
            return Ok(Literal::List(items));
        }
        loop {
            self.blanks();
            items.push(self.deeper(Self::literal)?);
            self.blanks();
            if self.takes("]") {
                return Ok(Literal::List(items));
            }
            self.expect(",", "`,` or `]`")?;
        }
    }

    fn map(&mut self) -> Read<Literal> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks();
        if self.takes("}") {
            return Ok(Literal::Map(members));
        }
        loop {
            self.blanks();
            let key = match self.peek() {
                Some('\'' | '"') => Str::from(self.string()?),
                _ => Str::from(self.map_key()?),
            };
            self.blanks();
            self.expect(":", "`:`")?;
            self.blanks();
            members.push((key, self.deeper(Self::literal)?));
            self.blanks();
            if self.takes("}") {
                return Ok(Literal::Map(members));
            }
            self.expect(",", "`,` or `}`")?;
        }
    }

    /// Parses a name that may have hyphens.
    fn map_key(&mut self) -> Read<String> {
        let mut key = self.name("a key")?.to_owned();
        while self.takes("-") {
            key.push('-');
            let rest = self.rest();
            let end = rest.find(|c: char| !super::cursor::is_name_char(c)).unwrap_or(rest.len());
            self.at += end;
            key.push_str(rest.get(..end).unwrap_or_default());
        }
        Ok(key)
    }

    fn function(&mut self) -> Read<Call> {
        let start = self.at;
        let name = self.name("a function")?;
        let place = self.place(start);
        self.expect("(", "`(`")?;
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let Some((_, function, count)) = known else {
            let near = nearest_name(name, FUNCTIONS.iter().map(|(known, ..)| *known));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(self.wrong(place, format!("there is no function `{name}`{hint}")));
        };
        let arguments = self.arguments();
        let arguments = self.certain(arguments)?;
        if arguments.len() != *count {
            let plural = if *count == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {count} argument{plural}, found {}", arguments.len());
            return Err(self.wrong(place, message));
        }
        Ok(Call { function: *function, arguments })
    }

    /// Parses the arguments of a call after its `(`, up to its `)`.
    pub(super) fn arguments(&mut self) -> Read<Vec<Operand>> {
        let mut arguments = Vec::new();
        self.blanks();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            self.blanks();
            arguments.push(self.operand()?);
            self.blanks();
            if self.takes(")") {
                return Ok(arguments);
            }
            self.expect(",", "`,` or `)`")?;
        }
    }
}

/// End of a range.
enum RangeEnd {
    Int(i64),
    Float(f64),
    Char(char),
}
