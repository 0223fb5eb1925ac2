//! Parses rules, assignments and blocks. After an error, parsing continues at the next line of the block.

use crate::guard3::ast::{Block, ByteRange, Clause, Let, NamedRule, Parameterized, RulesFile};
use crate::guard3::parse::clause::Reader;
use crate::guard3::parse::cursor::{Cursor, Read, Stop};
use crate::value::Str;

/// Parts of a rules file that have been read.
#[derive(Debug, Default)]
pub(super) struct Parts {
    lets: Vec<Let>,
    rules: Vec<NamedRule>,
    parameterized: Vec<Parameterized>,
    /// Clauses outside of rules.
    outside: Block,
    first_outside: Option<ByteRange>,
}

impl<'t> Cursor<'t> {
    /// Parses a whole file. The cursor collects its problems.
    pub(super) fn rules_file(mut self) -> (RulesFile, Self) {
        let mut parts = Parts::default();
        loop {
            self.blanks();
            if self.is_at_end() {
                break;
            }
            if let Err(stop) = self.statement(&mut parts) {
                self.report(stop);
                self.skip_to_statement();
            }
        }
        inherit_messages(&mut parts.outside);
        let mut rules = parts.rules;
        if let Some(place) = parts.first_outside {
            rules.insert(0, NamedRule { name: None, place, when: None, block: parts.outside });
        }
        let names = std::mem::take(&mut self.names);
        let file = RulesFile::new(self.file, names, parts.lets, rules, parts.parameterized);
        (file, self)
    }

    fn statement(&mut self, parts: &mut Parts) -> Read<()> {
        if let Some(assignment) = self.attempt(Self::assignment)? {
            parts.lets.push(assignment);
            return Ok(());
        }
        if let Some(rule) = self.attempt(Self::parameterized)? {
            parts.parameterized.push(rule);
            return Ok(());
        }
        if let Some(rule) = self.attempt(Self::named_rule)? {
            parts.rules.push(rule);
            return Ok(());
        }
        let start = self.at;
        let line = match self.attempt(|this| this.alternatives(Self::type_block))? {
            Some(line) => line,
            None => {
                if let Some(when) = self.attempt(Self::when_of_rule)? {
                    vec![when]
                } else {
                    let line = self.alternatives(Self::clause);
                    self.certain(line)?
                }
            }
        };
        parts.first_outside.get_or_insert(self.place(start));
        parts.outside.lines.push(line);
        Ok(())
    }

    fn assignment(&mut self) -> Read<Let> {
        let start = self.at;
        let is_let = self.rest().starts_with("let") && self.takes("let") && self.blanks();
        if !is_let {
            return Err(self.other("`let`"));
        }
        let name = self.name("the name of a variable")?;
        let name = self.names.intern(name);
        let place = self.place(start);
        self.blanks();
        if !self.takes(":=") && !self.rest().starts_with("==") && !self.takes("=") {
            let stop = self.other("`=` after the name of the variable");
            return Err(stop);
        }
        self.blanks();
        let value = self.operand();
        let value = self.certain(value)?;
        Ok(Let { name, place, value })
    }

    fn rule_word(&mut self) -> Read<()> {
        if self.takes("rule") && self.blanks() { Ok(()) } else { Err(self.other("`rule`")) }
    }

    fn parameterized(&mut self) -> Read<Parameterized> {
        self.rule_word()?;
        let start = self.at;
        let name = self.name("the name of a rule")?;
        let place = self.place(start);
        self.expect("(", "`(`")?;
        let name = self.names.intern(name);
        let mut parameters = Vec::new();
        loop {
            self.blanks();
            let parameter = self.name("the name of a parameter");
            let parameter = self.certain(parameter)?;
            parameters.push(self.names.intern(parameter));
            self.blanks();
            if self.takes(")") {
                break;
            }
            let comma = self.expect(",", "`,` or `)`");
            self.certain(comma)?;
        }
        self.blanks();
        let block = self.block(Self::item)?;
        Ok(Parameterized { name, place, parameters, block })
    }

    fn named_rule(&mut self) -> Read<NamedRule> {
        self.rule_word()?;
        let start = self.at;
        let name = self.name("the name of a rule")?;
        let place = self.place(start);
        let name = self.names.intern(name);
        self.blanks();
        let when = self.when()?;
        self.blanks();
        let block = self.block(Self::item)?;
        Ok(NamedRule { name: Some(name), place, when, block })
    }

    /// Parses `{ … }` with at least one assignment or clause. Errors inside are collected, and the rest of the block is
    /// parsed.
    pub(super) fn block(&mut self, read: Reader<'t>) -> Read<Block> {
        self.deeper(|this| {
            let start = this.at;
            let brace = this.expect("{", "`{`");
            this.certain(brace)?;
            let mut block = Block::default();
            let mut failed = false;
            loop {
                this.blanks();
                let is_empty = block.lets.is_empty() && block.lines.is_empty() && !failed;
                if this.peek() == Some('}') && !is_empty {
                    this.at += 1;
                    inherit_messages(&mut block);
                    return Ok(block);
                }
                if this.is_at_end() {
                    let message = "the block is not closed; expected `}`";
                    return Err(this.wrong(ByteRange::new(start, start + 1), message));
                }
                if let Err(stop) = this.block_line(&mut block, read) {
                    this.report(stop);
                    failed = true;
                    this.skip_line();
                }
            }
        })
    }

    fn block_line(&mut self, block: &mut Block, read: Reader<'t>) -> Read<()> {
        if let Some(assignment) = self.attempt(Self::assignment)? {
            block.lets.push(assignment);
            return Ok(());
        }
        let line = self.alternatives(read);
        block.lines.push(self.certain(line)?);
        Ok(())
    }

    fn report(&mut self, stop: Stop) {
        let problem = match stop {
            Stop::Other => self.complaint(),
            Stop::Wrong(problem) => *problem,
        };
        // Reading goes on where the problem is, not where the statement begins.
        self.at = self.at.max(problem.primary.span.start as usize);
        if !self.problems.iter().any(|known| known.primary.span == problem.primary.span) {
            self.problems.push(problem);
        }
        self.forget();
    }

    /// Skips the rest of the line, with the blocks that begin in it. A `}` that closes the enclosing block is not
    /// skipped.
    fn skip_line(&mut self) {
        let mut depth = 0_u32;
        while let Some(character) = self.peek() {
            match character {
                '\n' if depth == 0 => break,
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                '#' => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    continue;
                }
                '\'' | '"'
                    // A quote that nothing closes is a character like others.
                    if self.attempt(|this| this.string().map_err(|_| Stop::Other)).is_ok_and(|found| found.is_some()) => {
                        continue;
                    }
                _ => {}
            }
            self.at += character.len_utf8();
        }
        self.forget();
    }

    /// Skips to the next line that begins a rule, an assignment or a type.
    fn skip_to_statement(&mut self) {
        loop {
            let rest = self.rest();
            let Some(end) = rest.find('\n') else {
                self.at = self.text.len();
                break;
            };
            self.at += end + 1;
            let line = self.rest();
            if ["rule ", "let ", "AWS::", "Microsoft::", "when "].iter().any(|word| line.starts_with(word)) {
                break;
            }
        }
        self.forget();
    }
}

/// Gives each check without a message the one of the next clause of the block that has one: authors write it once for a
/// group.
fn inherit_messages(block: &mut Block) {
    let mut next: Option<Str> = None;
    for clause in block.lines.iter_mut().rev().flat_map(|line| line.iter_mut().rev()) {
        let message = match clause {
            Clause::Check(check) => &mut check.message,
            Clause::Reference(reference) => &mut reference.message,
            Clause::Call(call) => &mut call.message,
            Clause::Block(_) | Clause::When(_) | Clause::Type(_) => continue,
        };
        match message {
            Some(own) => next = Some(own.clone()),
            None => message.clone_from(&next),
        }
    }
}
