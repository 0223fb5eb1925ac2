//! Parses clauses: checks, blocks, references and calls of rules.

use crate::guard3::ast::{
    Binary, Block, Check, Clause, Lines, Query, QueryBlock, Reference, RuleCall, Test, TypeBlock, UNARY, WhenBlock,
};
use crate::guard3::parse::cursor::{Cursor, Read, Stop, is_name_char};
use crate::text::cut;
use crate::value::Str;

/// Longest operator with its right side in a message, in bytes.
const MAX_SHOWN: usize = 120;

/// Parser of one kind of clause.
pub(super) type Reader<'t> = fn(&mut Cursor<'t>) -> Read<Clause>;

impl<'t> Cursor<'t> {
    /// Parses one clause, or several with `or` between them.
    pub(super) fn alternatives(&mut self, read: Reader<'t>) -> Read<Vec<Clause>> {
        let mut clauses = vec![read(self)?];
        loop {
            let start = self.at;
            self.blanks();
            if !self.takes_or() {
                self.at = start;
                return Ok(clauses);
            }
            self.blanks();
            let next = read(self);
            clauses.push(self.certain(next)?);
        }
    }

    /// Consumes `or`, `OR` or `|OR|` before a blank. Returns `false` if it is not there.
    fn takes_or(&mut self) -> bool {
        let start = self.at;
        let is_or = self.takes("|OR|") || self.takes("or") || self.takes("OR");
        if is_or && (self.rest().starts_with([' ', '\t', '\r', '\n', '#'])) {
            return true;
        }
        self.at = start;
        false
    }

    /// Consumes `!`, or `not` with blanks after it. Returns `false` if it is not there.
    pub(super) fn takes_not(&mut self) -> bool {
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.at += 1;
            return true;
        }
        let start = self.at;
        if self.takes_start("not") && self.line_blanks() {
            return true;
        }
        self.at = start;
        false
    }

    /// Parses anything that may be directly in a rule.
    pub(super) fn item(&mut self) -> Read<Clause> {
        if let Some(block) = self.attempt(Self::type_block)? {
            return Ok(block);
        }
        if let Some(block) = self.attempt(Self::when_of_rule)? {
            return Ok(block);
        }
        self.clause_or_reference()
    }

    /// Parses a `when` whose block may refer to rules.
    pub(super) fn when_of_rule(&mut self) -> Read<Clause> {
        self.when_block(Self::clause_or_reference)
    }

    fn clause_or_reference(&mut self) -> Read<Clause> {
        match self.attempt(Self::clause)? {
            Some(clause) => Ok(clause),
            None => self.reference(),
        }
    }

    /// Parses anything that may be in every block.
    pub(super) fn clause(&mut self) -> Read<Clause> {
        if let Some(block) = self.attempt(|this| this.when_block(Self::clause))? {
            return Ok(block);
        }
        if let Some(call) = self.attempt(Self::call)? {
            return Ok(call);
        }
        self.check_or_block(true)
    }

    /// Parses anything that may be in the condition of a `when`.
    fn condition(&mut self) -> Read<Clause> {
        if let Some(call) = self.attempt(Self::call)? {
            return Ok(call);
        }
        match self.attempt(|this| this.check_or_block(false))? {
            Some(check) => Ok(check),
            None => self.reference(),
        }
    }

    fn when_block(&mut self, inside: Reader<'t>) -> Read<Clause> {
        let start = self.at;
        let Some(conditions) = self.when()? else { return Err(self.other("`when`")) };
        let place = self.place(start);
        self.blanks();
        let block = self.block(inside)?;
        Ok(Clause::When(WhenBlock { conditions, block, place }))
    }

    /// Parses the conditions after `when`. Returns `None` without the word.
    pub(super) fn when(&mut self) -> Read<Option<Lines>> {
        let start = self.at;
        if !self.takes_word("when") {
            let word = self.rest().get(..4).unwrap_or_default();
            if word == "when" || word == "WHEN" {
                let end = self.rest().find(|c: char| !is_name_char(c)).unwrap_or(self.rest().len());
                let place = crate::guard3::ast::ByteRange::new(start, start + end);
                self.refused(
                    place,
                    "cfn-guard takes a name that begins with `when` for a condition; write it in quotes",
                );
            }
            return Ok(None);
        }
        if !self.blanks() {
            let stop = self.other("a condition");
            return self.certain(Err(stop));
        }
        let mut lines = Vec::new();
        loop {
            let line = self.alternatives(Self::condition);
            lines.push(self.certain(line)?);
            self.blanks();
            if self.peek() == Some('{') {
                return Ok(Some(lines));
            }
        }
    }

    /// Parses `not QUERY`, `QUERY OPERATOR …`, or, if `blocks` are allowed, `QUERY { … }`.
    fn check_or_block(&mut self, blocks: bool) -> Read<Clause> {
        let start = self.at;
        let negated = self.takes_not();
        if negated && self.blanks_after_exclamation(start) {
            return Err(self.other("a query right after `!`"));
        }
        let query = self.query()?;
        let end = self.at;
        self.blanks();
        if blocks && !negated {
            if self.peek() == Some('{') {
                return self.query_block(query, false);
            }
            if let Some(block_at) = self.attempt(Self::not_empty_before_block)? {
                self.at = block_at;
                return self.query_block(query, true);
            }
        }
        self.test(start, end, query, negated)
    }

    fn blanks_after_exclamation(&self, start: usize) -> bool {
        self.text.get(start..).is_some_and(|text| text.starts_with('!'))
            && self.peek().is_some_and(|c| c.is_ascii_whitespace())
    }

    /// Parses `not empty` before a `{`, whose position is returned.
    fn not_empty_before_block(&mut self) -> Read<usize> {
        if self.takes_not() && self.takes_word("empty") {
            self.blanks();
            if self.peek() == Some('{') {
                return Ok(self.at);
            }
        }
        Err(Stop::Other)
    }

    fn query_block(&mut self, query: Query, not_empty: bool) -> Read<Clause> {
        let place = query.place;
        let block = self.block(Self::clause)?;
        Ok(Clause::Block(QueryBlock { query, not_empty, block, place }))
    }

    fn test(&mut self, start: usize, end: usize, query: Query, negated: bool) -> Read<Clause> {
        let before = self.at;
        let not = self.takes_not();
        for (word, operator) in UNARY {
            if self.takes_start(word) {
                self.warn_of_word(before);
                let test = Test::Unary { operator: *operator, negated: not };
                return self.finished(start, before, query, negated, test);
            }
        }
        let (operator, negated_operator) = if self.takes_start("in") {
            self.warn_of_word(before);
            (Binary::In, not)
        } else if not {
            self.at = before;
            return Err(self.other_operator(end));
        } else {
            match self.symbol() {
                Some(symbol) => symbol,
                None => return Err(self.other_operator(end)),
            }
        };
        self.blanks();
        let right = self.operand();
        let right = self.certain(right)?;
        self.finished(start, before, query, negated, Test::Binary { operator, negated: negated_operator, right })
    }

    fn other_operator(&mut self, end: usize) -> Stop {
        let stop = self.other("an operator");
        self.at = end;
        stop
    }

    fn symbol(&mut self) -> Option<(Binary, bool)> {
        const SYMBOLS: &[(&str, Binary, bool)] = &[
            ("==", Binary::Equal, false),
            ("!=", Binary::Equal, true),
            (">=", Binary::AtLeast, false),
            ("<=", Binary::AtMost, false),
            (">", Binary::Greater, false),
        ];
        if let Some((_, operator, negated)) = SYMBOLS.iter().find(|(symbol, ..)| self.takes(symbol)) {
            return Some((*operator, *negated));
        }
        let is_less = !self.rest().starts_with("<<") && self.takes("<");
        is_less.then_some((Binary::Less, false))
    }

    /// Warns of a word such as `is_strings`, which cfn-guard splits into an operator and a name.
    fn warn_of_word(&mut self, start: usize) {
        if self.peek().is_some_and(is_name_char) {
            let place = self.place(start);
            let word = self.text.get(start..self.at).unwrap_or_default();
            let message =
                format!("`{word}` is an operator, and the letters after it belong to something else; write a blank");
            self.suspicious(place, message);
        }
    }

    fn finished(&mut self, start: usize, before: usize, query: Query, negated: bool, test: Test) -> Read<Clause> {
        let place = self.place(start);
        let written = self.text.get(before..self.at).unwrap_or_default();
        let words = written.split_whitespace().collect::<Vec<_>>().join(" ");
        let not = if negated { "not " } else { "" };
        let shown = Str::from(cut(&format!("{not}{words}"), MAX_SHOWN));
        let message = self.message()?;
        Ok(Clause::Check(Check { query, negated, test, shown, message, place }))
    }

    /// Parses a message between `<<` and `>>`, if that is next.
    fn message(&mut self) -> Read<Option<Str>> {
        let start = self.at;
        self.blanks();
        let place = self.at;
        if !self.takes("<<") {
            self.at = start;
            return Ok(None);
        }
        let rest = self.rest();
        let Some(end) = rest.find(">>") else {
            let place = crate::guard3::ast::ByteRange::new(place, place + 2);
            return Err(self.wrong(place, "the message is not closed; expected `>>`"));
        };
        self.at += end + 2;
        Ok(Some(Str::from(rest.get(..end).unwrap_or_default().trim())))
    }

    /// Parses a call of a rule with parameters.
    fn call(&mut self) -> Read<Clause> {
        let start = self.at;
        let negated = self.takes_not();
        let name = self.name("a rule")?;
        self.expect("(", "`(`")?;
        let name = self.names.intern(name);
        let arguments = self.arguments();
        let arguments = self.certain(arguments)?;
        let place = self.place(start);
        let message = self.message()?;
        Ok(Clause::Call(RuleCall { name, negated, arguments, message, place }))
    }

    /// Parses a reference to a rule without parameters, alone on its line.
    fn reference(&mut self) -> Read<Clause> {
        let start = self.at;
        let negated = self.takes_not();
        let name = self.name("a clause")?;
        let place = self.place(start);
        self.line_blanks();
        let name = self.names.intern(name);
        let rest = self.rest();
        let end = self.at;
        let mut message = None;
        if rest.starts_with("<<") {
            let read = self.message();
            message = self.certain(read)?;
        } else if rest.starts_with('}') {
            self.refused(place, "cfn-guard requires the end of the line after the name of a rule");
        } else if !(rest.is_empty() || rest.starts_with(['\n', '\r', '#', '{']) || self.takes_or()) {
            return Err(self.other("an operator, or the end of the line after the name of a rule"));
        } else {
            self.at = end;
        }
        Ok(Clause::Reference(Reference { name, negated, message, place }))
    }

    /// Parses a block about a type, such as `AWS::S3::Bucket { … }`.
    pub(super) fn type_block(&mut self) -> Read<Clause> {
        let start = self.at;
        let mut type_name = self.name("a type")?.to_owned();
        let mut count = 1;
        while self.rest().starts_with("::") {
            self.at += 2;
            let part = self.name("a part of a type")?;
            if part == "MODULE" && count > 1 {
                break;
            }
            type_name.push_str("::");
            type_name.push_str(part);
            count += 1;
        }
        if count == 1 {
            return Err(self.other("`::`"));
        }
        let place = self.place(start);
        if count > 3 {
            self.refused(place, "cfn-guard refuses a type with more than three parts");
        }
        let block = self.of_type();
        let (when, block) = self.certain(block)?;
        Ok(Clause::Type(TypeBlock { type_name: Str::from(type_name), when, block, place }))
    }

    /// Parses the conditions and the block of a type.
    fn of_type(&mut self) -> Read<(Option<Lines>, Block)> {
        if !self.blanks() {
            return Err(self.other("a blank after the type"));
        }
        let when = self.when()?;
        self.blanks();
        if when.is_some() || self.peek() == Some('{') {
            return Ok((when, self.block(Self::clause)?));
        }
        let clause = self.clause()?;
        Ok((None, Block { lets: Vec::new(), lines: vec![vec![clause]] }))
    }
}
