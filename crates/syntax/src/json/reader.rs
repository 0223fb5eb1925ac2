//! The recursive-descent reader: arrays, objects, blanks and comments.

use std::ops::Range;

use arcstr::ArcStr;

use crate::diagnostic::{Code, Diagnostic};
use crate::json::problem::{Problem, Result, is_word};
use crate::text::{FileId, Span};
use crate::value::{Data, Member, Str, Traits, Value};
use crate::{duplicates, is_dynamic_key, is_dynamic_text, offset};

/// Reader of one text.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) text: &'a ArcStr,
    pub(super) bytes: &'a [u8],
    /// Offset of the next byte, which is a character boundary when a token begins.
    pub(super) at: usize,
    /// Range of the last string token, with its quotes, for error messages.
    pub(super) last_string: Range<usize>,
    /// Offset of the innermost open bracket, for error messages.
    pub(super) open: Option<usize>,
    /// File of the values; `None` for a computed text, whose values have no spans.
    pub(super) file: Option<FileId>,
    max_depth: u32,
    depth: u32,
    /// Members and items of all open brackets, innermost last. Each bracket takes its own when it closes, so that no
    /// array or object grows while it is read.
    members: Vec<Member>,
    items: Vec<Value>,
    warnings: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: Option<FileId>, text: &'a ArcStr, max_depth: u32) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            last_string: 0..0,
            open: None,
            file,
            max_depth,
            depth: 0,
            members: Vec::new(),
            items: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads the text, which must have exactly one value.
    pub(super) fn document(&mut self) -> Result<Value> {
        if u32::try_from(self.bytes.len()).is_err() {
            let message = "the text has 4 GiB or more, expected less";
            return Err(Problem::new(Code::FileTooLarge, 0..0, message));
        }
        self.skip_blanks()?;
        if self.peek().is_none() {
            let message = if self.text.is_empty() {
                "the text is empty, expected a JSON value"
            } else {
                "the text has nothing but blanks and comments, expected a JSON value"
            };
            return Err(Problem::new(Code::SyntaxJson, 0..self.at, message));
        }
        let value = self.value("a value")?;
        self.skip_blanks()?;
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.expected("nothing more after the value")),
        }
    }

    /// Returns the warnings about a text without errors.
    pub(super) fn into_warnings(self) -> Vec<Diagnostic> {
        self.warnings
    }

    /// Returns the text from the current position on.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the bytes from the current position on, which need not begin at a character boundary.
    pub(super) fn rest_bytes(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte, or `None` at the end of the text.
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Reads the value at the current position. If there is none, the error names `expected`.
    fn value(&mut self, expected: &str) -> Result<Value> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'"' | b'\'') => {
                let text = self.string()?;
                let traits = self.dynamic_if(is_dynamic_text(&text));
                Value::from(text).with_traits(traits)
            }
            Some(b'{') => self.object()?,
            Some(b'[') => self.array()?,
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => Value::new(self.number()?),
            _ => Value::new(self.literal(expected)?),
        };
        Ok(Value { span: self.span_from(start), ..value })
    }

    fn object(&mut self) -> Result<Value> {
        let outer = self.enter()?;
        let base = self.members.len();
        let mut traits = Traits::NONE;
        loop {
            self.skip_blanks()?;
            if self.take(b'}') {
                break;
            }
            let member = self.member()?;
            traits = traits | self.dynamic_if(is_dynamic_key(&member.key));
            self.members.push(member);
            self.skip_blanks()?;
            if !self.take(b',') && self.peek() != Some(b'}') {
                return Err(self.missing_comma("`,` or `}` after a member"));
            }
        }
        self.leave(outer);
        let members = self.members.split_off(base);
        duplicates::find(&members, &mut self.warnings);
        Ok(Value::object(members).with_traits(traits))
    }

    /// Reads a key, the colon and a value.
    fn member(&mut self) -> Result<Member> {
        let start = self.at;
        let key = self.key()?;
        let key_span = self.span_from(start);
        self.skip_blanks()?;
        if !self.take(b':') {
            return Err(self.expected("`:` after a key"));
        }
        self.skip_blanks()?;
        let value = self.value("a value after `:`")?;
        Ok(Member { key, key_span, value })
    }

    fn key(&mut self) -> Result<Str> {
        if let Some(b'"' | b'\'') = self.peek() {
            return self.string();
        }
        let start = self.at;
        self.at += self.word().len();
        if self.at == start {
            return Err(self.expected("a key in double quotes or `}`"));
        }
        Ok(Str::slice(self.text, offset(start), offset(self.at)))
    }

    fn array(&mut self) -> Result<Value> {
        let outer = self.enter()?;
        let base = self.items.len();
        loop {
            self.skip_blanks()?;
            if self.take(b']') {
                break;
            }
            if matches!(self.peek(), None | Some(b'}' | b',')) {
                return Err(self.expected("a value or `]`"));
            }
            let item = self.value("a value or `]`")?;
            self.items.push(item);
            self.skip_blanks()?;
            if !self.take(b',') && self.peek() != Some(b']') {
                return Err(self.missing_comma("`,` or `]` after an item"));
            }
        }
        self.leave(outer);
        Ok(Value::array(self.items.split_off(base)))
    }

    fn literal(&mut self, expected: &str) -> Result<Data> {
        let word = self.word();
        let data = match word {
            "true" => Data::Bool(true),
            "false" => Data::Bool(false),
            "null" => Data::Null,
            _ => return Err(self.wrong_word(word, expected)),
        };
        self.at += word.len();
        Ok(data)
    }

    /// Returns the word at the current position, or an empty string.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let len = rest.len() - rest.trim_start_matches(is_word).len();
        rest.get(..len).unwrap_or_default()
    }

    #[cold]
    fn wrong_word(&self, word: &str, expected: &str) -> Problem {
        let problem = self.expected(expected);
        match word.to_ascii_lowercase().as_str() {
            "" => problem,
            "true" | "false" | "null" => problem.help("write it in lower case"),
            _ => problem.help("put strings in double quotes"),
        }
    }

    #[cold]
    fn missing_comma(&self, expected: &str) -> Problem {
        let problem = self.expected(expected);
        match self.peek() {
            Some(b'"' | b'\'' | b'{' | b'[' | b'0'..=b'9' | b'-') => problem.help("put a `,` between the two"),
            _ => problem,
        }
    }

    /// Skips an opening bracket. Returns the offset of the enclosing one, for [`Reader::leave`].
    fn enter(&mut self) -> Result<Option<usize>> {
        let open = self.at;
        if self.depth >= self.max_depth {
            let message = format!("arrays and objects are nested more than {} deep", self.max_depth);
            return Err(Problem::new(Code::SyntaxDepth, open..open + 1, message));
        }
        self.depth += 1;
        self.at += 1;
        Ok(self.open.replace(open))
    }

    fn leave(&mut self, outer: Option<usize>) {
        self.depth -= 1;
        self.open = outer;
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips blanks and comments.
    #[inline]
    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\r' | b'\t') => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.skip_indentation();
                }
                Some(b'/') => self.skip_comment()?,
                Some(0x0B | 0x0C | 0x80..) if self.skip_odd_blank() => {}
                _ => return Ok(()),
            }
        }
    }

    /// Skips blanks, eight at a time: half of a generated template is indentation.
    #[inline]
    fn skip_indentation(&mut self) {
        while let Some(next) = self.rest_bytes().first_chunk() {
            let others = u64::from_le_bytes(*next) ^ u64::from_le_bytes([b' '; 8]);
            let blanks = others.trailing_zeros() / 8;
            self.at += blanks as usize;
            if blanks < 8 {
                return;
            }
        }
    }

    /// Skips one character of white space that RFC 8259 does not have, such as a no-break space in pasted text.
    /// Newtonsoft.Json accepts them. Returns `false` if there is none.
    #[cold]
    fn skip_odd_blank(&mut self) -> bool {
        let blank = self.rest().chars().next().filter(|c| c.is_whitespace());
        self.at += blank.map_or(0, char::len_utf8);
        blank.is_some()
    }

    fn skip_comment(&mut self) -> Result<()> {
        let open = self.at;
        let rest = self.rest_bytes();
        if rest.starts_with(b"//") {
            self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            return Ok(());
        }
        let Some(comment) = rest.strip_prefix(b"/*") else {
            return Err(self.expected("`,`, a bracket or a comment"));
        };
        let Some(len) = memchr::memmem::find(comment, b"*/") else {
            let message = "the comment is not closed, expected `*/` before the end of the text";
            return Err(Problem::new(Code::SyntaxJson, open..open + 2, message));
        };
        // The comment and its four delimiting characters.
        self.at += len + 4;
        Ok(())
    }

    fn span_from(&self, start: usize) -> Option<Span> {
        self.file.map(|file| Span::new(file, offset(start), offset(self.at)))
    }

    /// Returns [`Traits::DYNAMIC`] if the condition is true, and the text is not computed: results are not evaluated
    /// again.
    fn dynamic_if(&self, condition: bool) -> Traits {
        if condition && self.file.is_some() { Traits::DYNAMIC } else { Traits::NONE }
    }
}
