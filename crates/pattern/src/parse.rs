//! Parsing the syntax of patterns.
//!
//! References: <https://learn.microsoft.com/dotnet/standard/base-types/regular-expression-language-quick-reference>,
//! <https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/regex/Pattern.html>.

use crate::Dialect;
use crate::ast::{Anchor, GroupName, Node};
use crate::class::Class;
use crate::cursor::{Cursor, PatternError, is_digit, is_word, text_of};
use crate::groups::Groups;

/// How deep groups may be nested.
const MAX_DEPTH: u32 = 50;

/// Options that a pattern can switch: `(?imnsx-imnsx)`, in Java only `i` and `s`.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "five independent switches of the language")]
pub(super) struct Options {
    pub(super) ignore_case: bool,
    pub(super) multiline: bool,
    explicit_capture: bool,
    single_line: bool,
    pub(super) ignore_blanks: bool,
}

impl Options {
    /// The options that a pattern starts with.
    fn initial(dialect: Dialect) -> Self {
        Self {
            ignore_case: dialect == Dialect::DotNet,
            multiline: false,
            explicit_capture: false,
            single_line: false,
            ignore_blanks: false,
        }
    }

    /// Switches an option. `None` if there is no such option.
    fn switch(&mut self, dialect: Dialect, letter: u32, on: bool) -> Option<()> {
        let letter = u8::try_from(letter).ok()?;
        let option = match if dialect == Dialect::DotNet { letter.to_ascii_lowercase() } else { letter } {
            b'm' | b'n' | b'x' if dialect == Dialect::Java => return None,
            b'i' => &mut self.ignore_case,
            b'm' => &mut self.multiline,
            b'n' => &mut self.explicit_capture,
            b's' => &mut self.single_line,
            b'x' => &mut self.ignore_blanks,
            _ => return None,
        };
        *option = on;
        Some(())
    }
}

/// The syntax tree of a pattern and the groups that it defines.
pub(super) fn parse(dialect: Dialect, units: &[u32]) -> Result<(Node, Groups), PatternError> {
    // A reference may precede its group, and `\12` is a reference or an octal number depending on how many there are.
    let first = Parser::run(dialect, units, None)?;
    let known = first.groups.finish();
    let second = Parser::run(dialect, units, Some(&known))?;
    Ok((second.node, known))
}

struct Parsed {
    node: Node,
    groups: Groups,
}

/// Parses one pattern. Escapes and classes are in files of their own.
pub(super) struct Parser<'p> {
    pub(super) dialect: Dialect,
    pub(super) cursor: Cursor<'p>,
    pub(super) options: Options,
    /// The groups of the pattern; `None` in the first run, which collects them.
    pub(super) known: Option<&'p Groups>,
    groups: Groups,
    depth: u32,
}

impl<'p> Parser<'p> {
    fn run(dialect: Dialect, units: &'p [u32], known: Option<&'p Groups>) -> Result<Parsed, PatternError> {
        let (cursor, options) = (Cursor::new(units), Options::initial(dialect));
        let mut parser = Self { dialect, cursor, options, known, groups: Groups::default(), depth: 0 };
        let branches = parser.alternatives()?;
        if parser.cursor.peek().is_some() {
            return parser.cursor.fail("`)` closes nothing; escape it to match it");
        }
        Ok(Parsed { node: either(branches), groups: parser.groups })
    }

    /// The branches up to the end of the group. Options that it sets end with it.
    fn alternatives(&mut self) -> Result<Vec<Node>, PatternError> {
        let outer = self.options;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.cursor.fail(format!("groups are nested deeper than {MAX_DEPTH}"));
        }
        let mut branches = vec![self.sequence()?];
        while self.cursor.eat(b'|') {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        self.options = outer;
        Ok(branches)
    }

    fn sequence(&mut self) -> Result<Node, PatternError> {
        let mut nodes = Vec::new();
        loop {
            self.skip_blanks()?;
            match self.cursor.peek().map(u8::try_from) {
                None | Some(Ok(b'|' | b')')) => break,
                Some(_) => {}
            }
            let Some(node) = self.unit()? else { continue };
            nodes.push(self.quantified(node)?);
        }
        Ok(match <[Node; 1]>::try_from(nodes) {
            Ok([only]) => only,
            Err(nodes) if nodes.is_empty() => Node::Empty,
            Err(nodes) => Node::Concat(nodes),
        })
    }

    /// A part that a quantifier can follow. `None` for a switch of options, which matches nothing itself.
    fn unit(&mut self) -> Result<Option<Node>, PatternError> {
        let start = self.cursor.at();
        if self.looks_at_quantifier() {
            return self.cursor.fail("a quantifier follows nothing that it could repeat; escape it to match it");
        }
        if self.dialect == Dialect::Java && self.cursor.looks_at(b'{') {
            return self.cursor.fail("`{` does not begin a quantifier; escape it to match it");
        }
        let Some(unit) = self.cursor.bump() else {
            return Ok(None);
        };
        Ok(Some(match u8::try_from(unit) {
            Ok(b'^') if self.options.multiline => Node::Anchor(Anchor::LineStart),
            Ok(b'^') => Node::Anchor(Anchor::Start),
            Ok(b'$') if self.options.multiline => Node::Anchor(Anchor::LineEnd),
            Ok(b'$') => Node::Anchor(Anchor::End),
            Ok(b'.') => Node::One(Class::dot(self.dialect, self.options.single_line)),
            Ok(b'[') => Node::One(self.class(start)?),
            Ok(b'\\') => self.escape()?,
            Ok(b'(') => return self.group(start),
            _ => Node::One(Class::unit(self.dialect, unit, self.options.ignore_case)),
        }))
    }

    /// Skips comments, `(?#…)`, and with `x` blanks and `#…`.
    fn skip_blanks(&mut self) -> Result<(), PatternError> {
        // Java has them only with `x`, which is not supported there.
        if self.dialect == Dialect::Java {
            return Ok(());
        }
        loop {
            let ahead = [0, 1, 2].map(|ahead| self.cursor.peek_at(ahead));
            if self.options.ignore_blanks && self.cursor.peek().is_some_and(is_blank) {
                self.cursor.bump();
            } else if self.options.ignore_blanks && self.cursor.looks_at(b'#') {
                self.cursor.take_while(|unit| unit != u32::from(b'\n'));
            } else if ahead == [b'(', b'?', b'#'].map(|c| Some(c.into())) {
                let start = self.cursor.at();
                self.cursor.take_while(|unit| unit != u32::from(b')'));
                if !self.cursor.eat(b')') {
                    return self.cursor.fail_at(start, "the comment is not closed");
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Whether a quantifier comes next. `{` begins one only in `{1}`, `{1,}` and `{1,2}`.
    fn looks_at_quantifier(&self) -> bool {
        match self.cursor.peek().map(u8::try_from) {
            Some(Ok(b'*' | b'+' | b'?')) => true,
            Some(Ok(b'{')) => {
                let mut ahead = self.cursor.clone();
                ahead.bump();
                let digits = !ahead.take_while(is_digit).is_empty();
                if ahead.eat(b',') {
                    ahead.take_while(is_digit);
                }
                digits && ahead.eat(b'}')
            }
            _ => false,
        }
    }

    /// `node` with the quantifier that follows it.
    fn quantified(&mut self, node: Node) -> Result<Node, PatternError> {
        self.skip_blanks()?;
        if !self.looks_at_quantifier() {
            return Ok(node);
        }
        let start = self.cursor.at();
        let (min, max) = match self.cursor.bump().map(u8::try_from) {
            Some(Ok(b'*')) => (0, None),
            Some(Ok(b'+')) => (1, None),
            Some(Ok(b'?')) => (0, Some(1)),
            _ => self.counts(start)?,
        };
        self.skip_blanks()?;
        let lazy = self.cursor.eat(b'?');
        let possessive = self.dialect == Dialect::Java && !lazy && self.cursor.eat(b'+');
        self.skip_blanks()?;
        if self.looks_at_quantifier() {
            return self.cursor.fail("a quantifier follows a quantifier; put the first into a group");
        }
        let repeated = Node::Repeat { node: Box::new(node), min, max, lazy };
        Ok(if possessive { Node::Atomic(Box::new(repeated)) } else { repeated })
    }

    /// The least and the greatest count in `1}`, `1,}` or `1,2}`.
    fn counts(&mut self, start: usize) -> Result<(u32, Option<u32>), PatternError> {
        let too_large = "the count is too large";
        let Some(min) = self.cursor.number() else {
            return self.cursor.fail_at(start, too_large);
        };
        let max = if !self.cursor.eat(b',') {
            Some(min)
        } else if self.cursor.looks_at(b'}') {
            None
        } else {
            match self.cursor.number() {
                None => return self.cursor.fail_at(start, too_large),
                max => max,
            }
        };
        self.cursor.eat(b'}');
        if max.is_some_and(|max| max < min) {
            return self.cursor.fail_at(start, "the first count is larger than the second");
        }
        Ok((min, max))
    }

    /// Parses a group whose `(` has been read. `start` is the offset of that bracket.
    fn group(&mut self, start: usize) -> Result<Option<Node>, PatternError> {
        if !self.cursor.looks_at(b'?') {
            return self.unnamed(start).map(Some);
        }
        self.cursor.bump();
        let dotnet = self.dialect == Dialect::DotNet;
        let look = |behind, negative| move |node| Node::Look { behind, negative, node: Box::new(node) };
        let node = match self.cursor.peek().map(u8::try_from) {
            Some(Ok(b':')) => self.body(start, |node| node)?,
            Some(Ok(b'=')) => self.body(start, look(false, false))?,
            Some(Ok(b'!')) => self.body(start, look(false, true))?,
            Some(Ok(b'>')) => self.body(start, |node| Node::Atomic(Box::new(node)))?,
            Some(Ok(b'(')) if dotnet => self.conditional(start)?,
            Some(Ok(b'\'')) if dotnet => self.named(start, b'\'')?,
            Some(Ok(b'<')) => match self.cursor.peek_at(1).map(u8::try_from) {
                Some(Ok(b'=')) => {
                    self.cursor.bump();
                    self.body(start, look(true, false))?
                }
                Some(Ok(b'!')) => {
                    self.cursor.bump();
                    self.body(start, look(true, true))?
                }
                _ => self.named(start, b'>')?,
            },
            _ => return self.switches(start),
        };
        Ok(Some(node))
    }

    /// Takes the last unit of what tells the kind of the group, and the rest of the group.
    fn body(&mut self, start: usize, wrap: impl FnOnce(Node) -> Node) -> Result<Node, PatternError> {
        self.cursor.bump();
        self.rest(start).map(wrap)
    }

    /// What is left of a group that began at `start`, with its `)`.
    fn rest(&mut self, start: usize) -> Result<Node, PatternError> {
        self.branches(start).map(either)
    }

    fn branches(&mut self, start: usize) -> Result<Vec<Node>, PatternError> {
        let branches = self.alternatives()?;
        if !self.cursor.eat(b')') {
            return self.cursor.fail_at(start, "the group is not closed");
        }
        Ok(branches)
    }

    fn unnamed(&mut self, start: usize) -> Result<Node, PatternError> {
        if self.options.explicit_capture {
            return self.rest(start);
        }
        let group = self.groups.next_unnamed();
        Ok(Node::Capture(group, Box::new(self.rest(start)?)))
    }

    /// Parses the rest of a named group, `<name>…)` or `'name'…)`. `close` is what ends the name.
    fn named(&mut self, start: usize, close: u8) -> Result<Node, PatternError> {
        self.cursor.bump();
        if self.cursor.looks_at(b'-') {
            return self.cursor.fail_at(start, BALANCING);
        }
        let group = self.group_name()?;
        if group == GroupName::Number(0) {
            return self.cursor.fail("group 0 is the whole match; expected another number");
        }
        if self.cursor.looks_at(b'-') {
            return self.cursor.fail_at(start, BALANCING);
        }
        if !self.cursor.eat(close) {
            return self.cursor.fail("the name of the group is not closed");
        }
        match (&group, self.dialect) {
            (_, Dialect::DotNet) => self.groups.define(&group),
            (GroupName::Name(name), Dialect::Java) if self.groups.define_in_order(name).is_some() => {}
            (GroupName::Name(name), Dialect::Java) => {
                return self.cursor.fail_at(start, format!("two groups have the name `{name}`"));
            }
            (GroupName::Number(_), Dialect::Java) => return self.cursor.fail_at(start, NAME),
        }
        Ok(Node::Capture(group, Box::new(self.rest(start)?)))
    }

    /// How a group is named: by a number, or a name of word characters.
    pub(super) fn group_name(&mut self) -> Result<GroupName, PatternError> {
        let start = self.cursor.at();
        if self.cursor.peek().is_some_and(is_digit) {
            return match self.cursor.number() {
                Some(number) if !self.cursor.peek().is_some_and(is_word) => Ok(GroupName::Number(number)),
                _ => self.cursor.fail_at(start, NAME),
            };
        }
        let name = self.cursor.name();
        if name.is_empty() {
            return self.cursor.fail_at(start, NAME);
        }
        Ok(GroupName::Name(name))
    }

    /// Switches of options: `imnsx-imnsx)`, which hold to the end of the enclosing group, or `imnsx-imnsx:…)`.
    fn switches(&mut self, start: usize) -> Result<Option<Node>, PatternError> {
        let outer = self.options;
        let mut on = true;
        loop {
            let at = self.cursor.at();
            match self.cursor.bump() {
                Some(unit) if unit == u32::from(b'-') => on = false,
                Some(unit) if unit == u32::from(b'+') => on = true,
                Some(unit) if unit == u32::from(b')') && at > start + 2 => return Ok(None),
                Some(unit) if unit == u32::from(b':') => {
                    let node = self.rest(start)?;
                    self.options = outer;
                    return Ok(Some(node));
                }
                Some(unit) if self.options.switch(self.dialect, unit, on).is_some() => {}
                Some(unit) if self.dialect == Dialect::Java && JAVA_OPTIONS.contains(&unit) => {
                    return self.cursor.fail_at(start, format!("the option `{}` is not supported", text_of(&[unit])));
                }
                _ => return self.cursor.fail_at(start, "there is no such kind of group"),
            }
        }
    }

    /// `(1)yes|no)`, `(name)yes|no)` or `(condition)yes|no)`.
    fn conditional(&mut self, start: usize) -> Result<Node, PatternError> {
        let open = self.cursor.at();
        self.cursor.bump();
        if let Some(group) = self.tested_group()? {
            let (yes, no) = self.yes_and_no(start)?;
            return Ok(Node::IfGroup { group, yes, no });
        }
        self.cursor.reset(open + 1);
        if self.cursor.eat(b'?') {
            let kind = [self.cursor.peek(), self.cursor.peek_at(1)].map(|unit| unit.map(u8::try_from));
            if matches!(
                kind,
                [Some(Ok(b'#' | b'\'')), _] | [Some(Ok(b'<')), Some(Ok(b'\'' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_'))]
            ) {
                return self.cursor.fail("a condition is neither a comment nor a named group");
            }
            self.cursor.reset(open);
            self.cursor.bump();
            let Some(condition) = self.group(open)? else {
                return self.cursor.fail_at(open, "the condition is empty");
            };
            let (yes, no) = self.yes_and_no(start)?;
            return Ok(Node::IfMatch { condition: Box::new(condition), yes, no });
        }
        let condition = Box::new(self.rest(open)?);
        let (yes, no) = self.yes_and_no(start)?;
        Ok(Node::IfMatch { condition, yes, no })
    }

    /// The group whose match `(?(group)` tests: a number, or a name that some group has.
    fn tested_group(&mut self) -> Result<Option<GroupName>, PatternError> {
        if !self.cursor.peek().is_some_and(is_word) {
            return Ok(None);
        }
        let start = self.cursor.at();
        let numbered = self.cursor.peek().is_some_and(is_digit);
        let name = self.group_name()?;
        let closed = self.cursor.eat(b')');
        let known = self.known.is_none_or(|groups| groups.resolve(&name).is_some());
        match (numbered, closed && known) {
            (_, true) => Ok(Some(name)),
            (true, false) => self.cursor.fail_at(start, "the condition names a group that does not exist"),
            (false, false) => Ok(None),
        }
    }

    fn yes_and_no(&mut self, start: usize) -> Result<(Box<Node>, Box<Node>), PatternError> {
        let mut branches = self.branches(start)?.into_iter();
        let yes = branches.next().unwrap_or(Node::Empty);
        let no = branches.next().unwrap_or(Node::Empty);
        if branches.next().is_some() {
            return self.cursor.fail_at(start, "a conditional group has more than two branches");
        }
        Ok((Box::new(yes), Box::new(no)))
    }
}

/// The options of Java that [`Options`] does not have.
const JAVA_OPTIONS: [u32; 5] = [b'd' as u32, b'm' as u32, b'u' as u32, b'x' as u32, b'U' as u32];

const NAME: &str = "the name of a group has letters, digits and `_` only";
const BALANCING: &str = "balancing groups are not supported";

/// One of several branches; the branch itself if there is only one.
fn either(branches: Vec<Node>) -> Node {
    match <[Node; 1]>::try_from(branches) {
        Ok([only]) => only,
        Err(branches) => Node::Either(branches),
    }
}

/// The blanks that `x` ignores.
fn is_blank(unit: u32) -> bool {
    matches!(unit, 0x09 | 0x0A | 0x0C | 0x0D | 0x20)
}
