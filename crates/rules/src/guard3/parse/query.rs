//! Parses queries: `Resources.*[ Type == 'X' ].Properties`.

use crate::guard3::ast::{Clause, Key, Lines, Operand, Query, QueryPart};
use crate::guard3::names::Name;
use crate::guard3::parse::cursor::{Cursor, Read, Stop};
use crate::guard3::walk::{self, Node};
use crate::value::Str;

impl Cursor<'_> {
    pub(super) fn query(&mut self) -> Read<Query> {
        let start = self.at;
        let some = self.takes_word("some");
        if some && !self.blanks() {
            return Err(self.other("a blank"));
        }
        let mut parts = vec![self.first_part()?];
        let mut end = self.at;
        loop {
            // A line that begins with `.` or `[` continues the path above.
            self.blanks();
            match self.peek() {
                Some('.') => {
                    self.at += 1;
                    parts.push(self.part_after_dot()?);
                }
                Some('[') => {
                    self.at += 1;
                    let part = self.deeper(Self::bracket);
                    parts.push(part?);
                }
                _ => break,
            }
            end = self.at;
        }
        self.at = end;
        Ok(Query { some, parts, place: self.place(start) })
    }

    fn first_part(&mut self) -> Read<QueryPart> {
        match self.peek() {
            Some('%') => self.variable().map(QueryPart::Variable),
            Some('\'' | '"') => Ok(key(&self.string()?)),
            _ if self.takes_word("this") => Ok(QueryPart::This),
            _ => self.name("a query").map(key),
        }
    }

    /// Parses the name of a variable after its `%`.
    fn variable(&mut self) -> Read<Name> {
        self.at += 1;
        let name = self.name("the name of a variable")?;
        Ok(self.names.intern(name))
    }

    fn part_after_dot(&mut self) -> Read<QueryPart> {
        match self.peek() {
            Some('%') => self.variable().map(QueryPart::Variable),
            Some('\'' | '"') => Ok(key(&self.string()?)),
            Some('*') => {
                self.at += 1;
                Ok(QueryPart::Values)
            }
            Some(c) if c == '-' || c.is_ascii_digit() => {
                let index = self.index()?;
                Ok(key(&index.to_string()))
            }
            _ => self.name("a name, an index, `%` or `*`").map(key),
        }
    }

    fn index(&mut self) -> Read<i64> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest.get(sign..).unwrap_or_default();
        let end = sign + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let text = rest.get(..end).unwrap_or_default();
        match text.parse() {
            Ok(index) => {
                self.at += end;
                Ok(index)
            }
            Err(_) => Err(self.other("an index")),
        }
    }

    /// Parses the text after a `[`, up to its `]`.
    fn bracket(&mut self) -> Read<QueryPart> {
        if self.peek().is_some_and(|c| c == '-' || c.is_ascii_digit()) {
            let part = self.index().map(QueryPart::Index).and_then(|part| self.closed(part));
            return self.certain(part);
        }
        if self.peek().is_some_and(|c| c == '\'' || c == '"')
            && let Some(part) = self.attempt(|this| {
                let name = this.string()?;
                this.closed(key(&name))
            })?
        {
            return Ok(part);
        }
        self.blanks();
        if self.takes("*") {
            let part = self.closed(QueryPart::Items(None));
            return self.certain(part);
        }
        if let Some(part) = self.attempt(|this| {
            let name = this.name("a name")?;
            let name = this.names.intern(name);
            this.closed(QueryPart::Items(Some(name)))
        })? {
            return Ok(part);
        }
        let selection = self.selection();
        self.certain(selection)
    }

    fn closed(&mut self, part: QueryPart) -> Read<QueryPart> {
        self.blanks();
        self.expect("]", "`]`")?;
        Ok(part)
    }

    /// Parses a filter of keys or values.
    fn selection(&mut self) -> Read<QueryPart> {
        let capture = self.attempt(|this| {
            let name = this.name("a name")?;
            this.line_blanks();
            if this.rest().starts_with("|OR|") {
                return Err(Stop::Other);
            }
            this.expect("|", "`|`")?;
            Ok(this.names.intern(name))
        })?;
        self.blanks();
        if let Some(part) = self.attempt(Cursor::keys)? {
            return Ok(part);
        }
        let lines = self.filter_lines()?;
        let types = if capture.is_none() { types(&lines) } else { Vec::new() };
        self.closed(QueryPart::Filter { capture, lines, types })
    }

    /// Parses a filter of keys: `keys == 'name'`.
    fn keys(&mut self) -> Read<QueryPart> {
        let start = self.at;
        if !self.takes_word("keys") {
            return Err(self.other("`keys`"));
        }
        self.blanks();
        let (equal, negated) = if self.takes("==") {
            (true, false)
        } else if self.takes("!=") {
            (true, true)
        } else {
            let negated = self.takes_not();
            if !self.takes_start("in") {
                let stop = self.other("`==`, `!=`, `in` or `not in`");
                return self.certain(Err(stop));
            }
            (false, negated)
        };
        self.blanks();
        let right = self.operand();
        let right: Operand = self.certain(right)?;
        self.blanks();
        if !self.takes("]") {
            let message = "this is a property that is called `keys`; a filter of keys must be alone in its brackets";
            self.suspicious(self.place(start), message);
            return Err(Stop::Other);
        }
        Ok(QueryPart::Keys { equal, negated, right: Box::new(right) })
    }

    fn filter_lines(&mut self) -> Read<Lines> {
        let mut lines = Vec::new();
        loop {
            self.blanks();
            if !lines.is_empty() && self.peek() == Some(']') {
                return Ok(lines);
            }
            lines.push(self.alternatives(Self::clause)?);
        }
    }
}

/// Returns the types to which the first line of a filter restricts it. Empty if the filter captures keys, which also
/// happens for values that it does not select.
fn types(lines: &Lines) -> Vec<Str> {
    let Some([Clause::Check(first)]) = lines.first().map(Vec::as_slice) else { return Vec::new() };
    let types = first.types();
    let mut captures = false;
    if !types.is_empty() && lines.len() > 1 {
        walk::lines(lines, &mut |node| {
            captures |=
                matches!(node, Node::QueryPart(QueryPart::Items(Some(_)) | QueryPart::Filter { capture: Some(_), .. }));
        });
    }
    if captures { Vec::new() } else { types }
}

fn key(text: &str) -> QueryPart {
    QueryPart::Key(Key::new(Str::from(text)))
}
