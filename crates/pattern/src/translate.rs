//! Translates a pattern into the syntax of `regex` and `fancy-regex`, token by token, without a syntax tree.

use std::fmt;

use foldhash::HashSet;

use crate::Dialect;

/// Greatest depth of nested groups.
const MAX_NESTING: usize = 50;

/// Memory of a compiled part besides its characters, in bytes.
const PART_SIZE: usize = 256;

/// Memory of a range of characters, in bytes: up to four sequences of up to four bytes each.
const RANGE_SIZE: usize = 512;

/// Memory of many ranges, in bytes. The largest class has all letters, and takes about 20 KB.
pub(super) const CLASS_SIZE: usize = 64 << 10;

/// Translation of `$` where characters may follow: before a line break that ends the string, too.
const DOTNET_END: &str = r"(?=\n?\z)";
const JAVA_END: &str = r"(?=(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)";

/// Reason why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Message in lower case, without a final period.
    pub message: String,
    /// Offset in the pattern, in characters.
    pub at: usize,
}

impl PatternError {
    /// Returns an error about the whole pattern.
    pub(super) fn of_whole(message: String) -> Self {
        Self { message, at: 0 }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.message, self.at)
    }
}

/// A translated pattern.
pub(super) struct Translated {
    pub(super) pattern: String,
    /// True if it looks around, refers to groups, or is atomic, which only `fancy-regex` supports.
    pub(super) backtracks: bool,
    /// Upper bound of the compiled pattern's memory, in bytes.
    pub(super) size: usize,
}

/// Translates a pattern. A pattern that backtracks is translated twice, because that is only known at its end.
pub(super) fn translate(dialect: Dialect, pattern: &str) -> Result<Translated, PatternError> {
    let (translated, needs) = Translator::new(dialect, pattern, EngineNeeds::default()).run()?;
    if !needs.backtracking {
        return Ok(translated);
    }
    Translator::new(dialect, pattern, needs).run().map(|(translated, _)| translated)
}

/// Features that a pattern needs of its engine.
#[derive(Clone, Copy, Default)]
struct EngineNeeds {
    backtracking: bool,
    captures: bool,
}

#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the language")]
pub(super) struct Options {
    pub(super) ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    /// True if blanks and comments are ignored.
    verbose: bool,
}

/// Part that a quantifier would repeat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuantifierTarget {
    Nothing,
    /// A part with this size.
    Part(usize),
    /// A look-ahead or look-behind.
    Look,
    Quantifier,
}

/// The group that is being read, or the whole pattern.
struct OpenGroup<'p> {
    /// Pattern from the opening parenthesis on.
    start: &'p str,
    options: Options,
    before: QuantifierTarget,
    /// True if the current alternative reached a `$`. `other_ended` is the same for an earlier alternative.
    ended: bool,
    other_ended: bool,
    is_behind: bool,
    size: usize,
}

/// Meaning of an escape.
pub(super) enum EscapeMeaning {
    Char(char),
    /// A set of characters in the syntax of the Rust engines, and an upper bound of its memory, in bytes.
    Set(String, usize),
}

enum GroupReference<'p> {
    Number(usize),
    Name(&'p str),
}

pub(super) struct Translator<'p> {
    pub(super) dialect: Dialect,
    pattern: &'p str,
    pub(super) rest: &'p str,
    pub(super) out: String,
    /// Features that the pattern needs, known from the first pass.
    known: EngineNeeds,
    found: EngineNeeds,
    group: OpenGroup<'p>,
    outer: Vec<OpenGroup<'p>>,
    captures: usize,
    names: HashSet<&'p str>,
    references: Vec<(&'p str, GroupReference<'p>)>,
}

impl<'p> Translator<'p> {
    fn new(dialect: Dialect, pattern: &'p str, known: EngineNeeds) -> Self {
        let options =
            Options { ignore_case: dialect == Dialect::DotNet, multiline: false, dot_all: false, verbose: false };
        Self {
            dialect,
            pattern,
            rest: pattern,
            out: String::with_capacity(pattern.len() + 16),
            known,
            found: EngineNeeds::default(),
            group: OpenGroup::new(pattern, options, false),
            outer: Vec::new(),
            captures: 0,
            names: HashSet::default(),
            references: Vec::new(),
        }
    }

    fn run(mut self) -> Result<(Translated, EngineNeeds), PatternError> {
        self.out.push_str(if self.dialect == Dialect::Java { r"\A(?:" } else { "(?i)" });
        loop {
            let at = self.rest;
            let Some(c) = self.bump() else { break };
            self.part(at, c)?;
        }
        if !self.outer.is_empty() {
            return self.fail(self.group.start, "the group is not closed");
        }
        self.check_references()?;
        if self.dialect == Dialect::Java {
            self.out.push_str(r")\z");
        }
        let backtracks = self.found.backtracking;
        Ok((Translated { pattern: self.out, backtracks, size: self.group.size }, self.found))
    }

    /// Translates the token that begins with `c`, at `at`.
    fn part(&mut self, at: &'p str, c: char) -> Result<(), PatternError> {
        match c {
            ' ' | '\t' | '\n' | '\r' | '\u{C}' if self.group.options.verbose => {}
            '#' if self.group.options.verbose => self.rest = self.rest.trim_start_matches(|c| c != '\n'),
            '|' => self.alternative(),
            '(' => return self.open(at),
            ')' => return self.close(at),
            '[' => {
                self.proceed();
                let size = self.class(at, 0)?;
                self.took(size);
            }
            '.' if self.dialect == Dialect::DotNet || self.group.options.dot_all => self.set(".", CLASS_SIZE),
            '.' => self.set(r"[^\n\r\x{85}\x{2028}\x{2029}]", CLASS_SIZE),
            '^' => self.anchor("^"),
            '$' if self.group.options.multiline => self.anchor("$"),
            '$' => self.end(),
            '\\' => return self.escape(at),
            '*' | '+' | '?' | '{' => return self.quantifier(at, c),
            _ => self.literal(c),
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.proceed();
        self.write_char(c);
        let size = 2 * self.range_size();
        self.took(size);
    }

    fn set(&mut self, written: &str, size: usize) {
        self.proceed();
        self.out.push_str(written);
        self.took(size);
    }

    fn anchor(&mut self, written: &str) {
        self.proceed();
        self.out.push_str(written);
        self.group.before = QuantifierTarget::Nothing;
        self.group.size = self.group.size.saturating_add(PART_SIZE);
    }

    /// Translates `$` and `\Z`. Without a look-ahead, the match may include the final line break, which does not
    /// matter: only the existence of a match counts, and a match of the whole string has no rest.
    fn end(&mut self) {
        let is_last = self.rest.bytes().all(|byte| byte == b')') && !self.group.is_behind;
        let looks = self.known.backtracking && !is_last;
        self.anchor(match (self.dialect, looks) {
            (Dialect::DotNet, false) => r"\n?\z",
            (Dialect::Java, false) => r"\z",
            (Dialect::DotNet, true) => DOTNET_END,
            (Dialect::Java, true) => JAVA_END,
        });
        self.group.ended = true;
    }

    fn escape(&mut self, at: &'p str) -> Result<(), PatternError> {
        let rest = self.rest;
        match self.bump() {
            Some('A') => self.anchor(r"\A"),
            Some('z') => self.anchor(r"\z"),
            Some('Z') => self.end(),
            Some('b') => self.anchor(r"\b"),
            Some('B') => self.anchor(r"\B"),
            Some('1'..='9') => {
                self.rest = self.rest.trim_start_matches(|next: char| next.is_ascii_digit());
                let number = rest.strip_suffix(self.rest).unwrap_or_default();
                self.refer(at, GroupReference::Number(number.parse().unwrap_or(usize::MAX)), &format!(r"\{number}"));
            }
            Some('k') => {
                let Some(name) = self.eat("<").then(|| self.until('>')).flatten() else {
                    return self.fail(at, r"expected `\k<name>`");
                };
                self.refer(at, GroupReference::Name(name), &format!(r"\k<{name}>"));
            }
            _ => {
                self.rest = rest;
                match self.escaped(at)? {
                    EscapeMeaning::Char(c) => self.literal(c),
                    EscapeMeaning::Set(written, size) => self.set(&written, size),
                }
            }
        }
        Ok(())
    }

    fn refer(&mut self, at: &'p str, reference: GroupReference<'p>, written: &str) {
        self.found = EngineNeeds { backtracking: true, captures: true };
        self.references.push((at, reference));
        self.set(written, CLASS_SIZE);
    }

    fn check_references(&self) -> Result<(), PatternError> {
        for (at, reference) in &self.references {
            let message = match *reference {
                GroupReference::Number(_) if self.dialect == Dialect::DotNet && !self.names.is_empty() => {
                    "a pattern with named groups refers to groups by their names".to_owned()
                }
                GroupReference::Number(number) if number > self.captures => {
                    format!("there is no group {number} to refer to")
                }
                GroupReference::Name(name) if !self.names.contains(name) => {
                    format!("there is no group `{name}` to refer to")
                }
                _ => continue,
            };
            return self.fail(at, message);
        }
        Ok(())
    }

    fn quantifier(&mut self, at: &'p str, c: char) -> Result<(), PatternError> {
        let mut count = 1;
        if c == '{' {
            let Some((min, max, rest)) = counts(self.rest) else {
                if self.dialect == Dialect::Java {
                    return self.fail(at, "`{` does not begin a quantifier; escape it to match it");
                }
                self.literal('{');
                return Ok(());
            };
            let (Ok(min), Ok(max)) = (min.parse::<u32>(), if max.is_empty() { min } else { max }.parse::<u32>()) else {
                return self.fail(at, "the count is too large");
            };
            if min > max {
                return self.fail(at, "the first count is larger than the second");
            }
            count = usize::try_from(max).unwrap_or(usize::MAX);
            self.rest = rest;
        }
        let size = match self.group.before {
            QuantifierTarget::Part(size) => size,
            // It takes nothing, so one is as good as many; `fancy-regex` refuses many.
            QuantifierTarget::Look if c == '+' => return Ok(()),
            QuantifierTarget::Quantifier => {
                return self.fail(at, "a quantifier follows a quantifier; put the first into a group");
            }
            QuantifierTarget::Nothing | QuantifierTarget::Look => {
                return self.fail(at, "a quantifier follows nothing that it could repeat; escape it to match it");
            }
        };
        let is_lazy = self.eat("?");
        self.found.backtracking |= !is_lazy && self.dialect == Dialect::Java && self.eat("+");
        self.out.push_str(at.strip_suffix(self.rest).unwrap_or_default());
        // What is repeated may come after its `$`.
        self.found.backtracking |= self.group.ended && c != '?';
        let size = size.saturating_mul(count).saturating_add(PART_SIZE);
        self.group.size = self.group.size.saturating_add(size);
        self.group.before = QuantifierTarget::Quantifier;
        Ok(())
    }

    fn alternative(&mut self) {
        self.out.push('|');
        self.group.other_ended |= self.group.ended;
        self.group.ended = false;
        self.group.before = QuantifierTarget::Nothing;
    }

    fn open(&mut self, at: &'p str) -> Result<(), PatternError> {
        if self.outer.len() >= MAX_NESTING {
            return self.fail(at, format!("groups are nested deeper than {MAX_NESTING}"));
        }
        if !self.eat("?") {
            self.captures += 1;
            self.enter(at, if self.known.captures { "(" } else { "(?:" });
            return Ok(());
        }
        for (kind, written) in [(":", "(?:"), ("=", "(?="), ("!", "(?!"), (">", "(?>"), ("<=", "(?<="), ("<!", "(?<!")]
        {
            if self.eat(kind) {
                self.found.backtracking |= kind != ":";
                self.enter(at, written);
                self.group.is_behind |= kind.starts_with('<');
                return Ok(());
            }
        }
        if self.eat("<") { self.named(at) } else { self.options(at) }
    }

    /// Opens a named group, after `(?<`.
    fn named(&mut self, at: &'p str) -> Result<(), PatternError> {
        let name = self.until('>').filter(|name| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name.starts_with(|c: char| !c.is_ascii_digit())
        });
        let Some(name) = name else {
            return self.fail(at, "expected a name of ASCII letters, digits and `_`, and `>`");
        };
        if !self.names.insert(name) {
            return self.fail(at, format!("two groups have the name `{name}`"));
        }
        self.captures += 1;
        if self.known.captures {
            self.enter(at, &format!("(?<{name}>"));
        } else {
            self.enter(at, "(?:");
        }
        Ok(())
    }

    /// Reads options after `(?`: up to the end of the enclosing group as in `(?i)`, or for a group of their own as in
    /// `(?i:…)`.
    fn options(&mut self, at: &'p str) -> Result<(), PatternError> {
        let mut options = self.group.options;
        let mut on = true;
        loop {
            match self.bump() {
                Some('-') => on = false,
                Some('i') => options.ignore_case = on,
                Some('s') => options.dot_all = on,
                Some('m') if self.dialect == Dialect::DotNet => options.multiline = on,
                Some('x') if self.dialect == Dialect::DotNet => options.verbose = on,
                Some(')') => {
                    self.out.push_str(&options.written());
                    self.out.push(')');
                    self.group.options = options;
                    self.group.before = QuantifierTarget::Nothing;
                    return Ok(());
                }
                Some(':') => {
                    self.enter(at, &format!("{}:", options.written()));
                    self.group.options = options;
                    return Ok(());
                }
                None => return self.fail(at, "the group is not closed"),
                Some('#') => return self.fail(at, "comments are not supported; remove the comment"),
                Some('\'') => return self.fail(at, "write the name of a group as `(?<name>…)`"),
                Some('(') => {
                    return self.fail(at, "conditional groups are not supported; write two alternatives");
                }
                Some(c) if c.is_alphabetic() => {
                    return self.fail(at, format!("the option `{c}` is not supported"));
                }
                Some(_) => return self.fail(at, "there is no such kind of group"),
            }
        }
    }

    fn enter(&mut self, at: &'p str, written: &str) {
        self.proceed();
        self.out.push_str(written);
        let group = OpenGroup::new(at, self.group.options, self.group.is_behind);
        self.outer.push(std::mem::replace(&mut self.group, group));
    }

    fn close(&mut self, at: &'p str) -> Result<(), PatternError> {
        let Some(outer) = self.outer.pop() else {
            return self.fail(at, "`)` closes nothing; escape it to match it");
        };
        let inner = std::mem::replace(&mut self.group, outer);
        self.out.push(')');
        self.took(inner.size);
        if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| inner.start.starts_with(look)) {
            self.group.before = QuantifierTarget::Look;
        }
        self.group.ended |= inner.ended || inner.other_ended;
        Ok(())
    }

    /// Notes that a part follows. After a `$`, it makes a look-ahead necessary.
    fn proceed(&mut self) {
        self.found.backtracking |= self.group.ended;
    }

    /// Notes the end of a part that a quantifier can repeat.
    fn took(&mut self, size: usize) {
        let size = size.saturating_add(PART_SIZE);
        self.group.size = self.group.size.saturating_add(size);
        self.group.before = QuantifierTarget::Part(size);
    }

    /// Writes a character that stands for itself.
    pub(super) fn write_char(&mut self, c: char) {
        if regex_syntax::is_meta_character(c) {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// Returns the memory for a range of ASCII characters, or for one character, including other cases.
    pub(super) fn range_size(&self) -> usize {
        if self.group.options.ignore_case { 4 * RANGE_SIZE } else { RANGE_SIZE }
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let mut rest = self.rest.chars();
        let c = rest.next()?;
        self.rest = rest.as_str();
        Some(c)
    }

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads up to `end`, and over it.
    pub(super) fn until(&mut self, end: char) -> Option<&'p str> {
        let (taken, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(taken)
    }

    /// Returns an error at the beginning of `at`.
    pub(super) fn fail<T>(&self, at: &str, message: impl Into<String>) -> Result<T, PatternError> {
        let at = self.pattern.chars().count() - at.chars().count();
        Err(PatternError { message: message.into(), at })
    }
}

impl<'p> OpenGroup<'p> {
    fn new(start: &'p str, options: Options, is_behind: bool) -> Self {
        Self { start, options, before: QuantifierTarget::Nothing, ended: false, other_ended: false, is_behind, size: 0 }
    }
}

impl Options {
    /// Writes options such as `(?i-ms`, which both engines understand.
    fn written(self) -> String {
        let options = [('i', self.ignore_case), ('m', self.multiline), ('s', self.dot_all)];
        let (on, off): (Vec<_>, Vec<_>) = options.into_iter().partition(|(_, is_on)| *is_on);
        let mut written: String = "(?".chars().chain(on.into_iter().map(|(letter, _)| letter)).collect();
        if !off.is_empty() {
            written.push('-');
            written.extend(off.into_iter().map(|(letter, _)| letter));
        }
        written
    }
}

/// Splits `1,2}` into the two counts and the rest. The second count is empty without an upper bound. Returns `None` if
/// the text does not begin like that.
fn counts(rest: &str) -> Option<(&str, &str, &str)> {
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ',')?;
    let (counts, rest) = rest.split_at_checked(end)?;
    let rest = rest.strip_prefix('}')?;
    let (min, max) = counts.split_once(',').unwrap_or((counts, counts));
    (!min.is_empty() && !max.contains(',')).then_some((min, max, rest))
}
