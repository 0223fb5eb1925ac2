//! Syntax tree of a rules file, with compiled patterns.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::guard3::cases;
use crate::guard3::names::{Name, Names};
use crate::pattern::Pattern;
use crate::text::{FileId, Span};
use crate::value::Str;

/// A range of bytes in the rules file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteRange {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl ByteRange {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let [start, end] = [start, end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Self { start, end }
    }

    pub(super) fn span(self, file: FileId) -> Span {
        Span::new(file, self.start, self.end)
    }
}

/// Syntax tree of a whole rules file.
#[derive(Debug)]
pub(super) struct RulesFile {
    /// File, for labels of findings.
    pub(super) file: FileId,
    pub(super) names: Names,
    /// Assignments outside of rules.
    pub(super) lets: Vec<Let>,
    /// Rules in the order of evaluation: the rule of the clauses outside of rules comes first.
    pub(super) rules: Vec<NamedRule>,
    /// Rules with parameters, which are only evaluated where they are called.
    pub(super) parameterized: Vec<Parameterized>,
    /// Positions of rules, of rules with parameters, and of assignments, by name.
    rules_by_name: HashMap<Name, Vec<usize>>,
    parameterized_by_name: HashMap<Name, usize>,
    lets_by_name: HashMap<Name, Vec<usize>>,
}

impl RulesFile {
    pub(super) fn new(
        file: FileId,
        names: Names,
        lets: Vec<Let>,
        rules: Vec<NamedRule>,
        parameterized: Vec<Parameterized>,
    ) -> Self {
        let (mut rules_by_name, mut lets_by_name) = (HashMap::default(), HashMap::default());
        for (at, rule) in rules.iter().enumerate() {
            rule.name.into_iter().for_each(|name| put(&mut rules_by_name, name, at));
        }
        lets.iter().enumerate().for_each(|(at, assignment)| put(&mut lets_by_name, assignment.name, at));
        let parameterized_by_name = parameterized.iter().enumerate().map(|(at, rule)| (rule.name, at)).collect();
        Self { file, names, lets, rules, parameterized, rules_by_name, parameterized_by_name, lets_by_name }
    }

    /// Returns the rules with a name, in the order of the text.
    pub(super) fn rules_named(&self, name: Name) -> impl Iterator<Item = &NamedRule> {
        self.rules_by_name.get(&name).into_iter().flatten().filter_map(|at| self.rules.get(*at))
    }

    /// Returns the rule with parameters that has a name. Of several, the last counts.
    pub(super) fn parameterized_named(&self, name: Name) -> Option<&Parameterized> {
        self.parameterized.get(*self.parameterized_by_name.get(&name)?)
    }

    /// Returns the assignments of a name outside of rules, in the order of the text.
    pub(super) fn lets_named(&self, name: Name) -> impl Iterator<Item = &Let> {
        self.lets_by_name.get(&name).into_iter().flatten().filter_map(|at| self.lets.get(*at))
    }
}

fn put(positions: &mut HashMap<Name, Vec<usize>>, name: Name, at: usize) {
    positions.entry(name).or_default().push(at);
}

/// A rule that is evaluated by itself.
#[derive(Debug)]
pub(super) struct NamedRule {
    /// Name; `None` for the rule of the clauses outside of rules.
    pub(super) name: Option<Name>,
    /// Range of the name, or of the first clause of the rule without one.
    pub(super) place: ByteRange,
    pub(super) when: Option<Lines>,
    pub(super) block: Block,
}

/// A rule with parameters.
#[derive(Debug)]
pub(super) struct Parameterized {
    pub(super) name: Name,
    pub(super) place: ByteRange,
    pub(super) parameters: Vec<Name>,
    pub(super) block: Block,
}

/// Lines in a conjunction; the clauses of a line are a disjunction.
pub(super) type Lines = Vec<Vec<Clause>>;

/// Assignments and lines in braces.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) lets: Vec<Let>,
    pub(super) lines: Lines,
}

/// An assignment, `let NAME = VALUE`.
#[derive(Debug)]
pub(super) struct Let {
    pub(super) name: Name,
    pub(super) place: ByteRange,
    pub(super) value: Operand,
}

/// The right side of an operator or an assignment, or an argument.
#[derive(Debug)]
pub(super) enum Operand {
    Literal(Literal),
    Query(Query),
    Call(Call),
}

/// A call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) arguments: Vec<Operand>,
}

/// Functions of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Join,
    JsonParse,
    Now,
    ParseBoolean,
    ParseChar,
    ParseEpoch,
    ParseFloat,
    ParseInt,
    ParseString,
    RegexReplace,
    Substring,
    ToLower,
    ToUpper,
    UrlDecode,
}

/// Names of functions with their numbers of arguments.
pub(super) const FUNCTIONS: &[(&str, Function, usize)] = &[
    ("count", Function::Count, 1),
    ("join", Function::Join, 2),
    ("json_parse", Function::JsonParse, 1),
    ("now", Function::Now, 0),
    ("parse_boolean", Function::ParseBoolean, 1),
    ("parse_char", Function::ParseChar, 1),
    ("parse_epoch", Function::ParseEpoch, 1),
    ("parse_float", Function::ParseFloat, 1),
    ("parse_int", Function::ParseInt, 1),
    ("parse_string", Function::ParseString, 1),
    ("regex_replace", Function::RegexReplace, 3),
    ("substring", Function::Substring, 3),
    ("to_lower", Function::ToLower, 1),
    ("to_upper", Function::ToUpper, 1),
    ("url_decode", Function::UrlDecode, 1),
];

/// An assertion of a rule.
#[derive(Debug)]
pub(super) enum Clause {
    Check(Check),
    Block(QueryBlock),
    When(WhenBlock),
    Type(TypeBlock),
    Reference(Reference),
    Call(RuleCall),
}

/// A query and a test of its results.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) query: Query,
    /// True after `not` or `!`.
    pub(super) negated: bool,
    pub(super) test: Test,
    /// Operator and right side, as in the text.
    pub(super) shown: Str,
    /// Message of the check or, if it has none, of the next clause of the block with one.
    pub(super) message: Option<Str>,
    pub(super) place: ByteRange,
}

impl Check {
    /// Returns the values that it allows for `Type`: `Type == 'AWS::S3::Bucket'`. Empty for any other check.
    pub(super) fn types(&self) -> Vec<Str> {
        let is_about_type = matches!(&*self.query.parts, [QueryPart::Key(key)] if &*key.text == "Type");
        match &self.test {
            Test::Binary { operator, negated: false, right: Operand::Literal(literal) }
                if is_about_type && !self.query.some && !self.negated =>
            {
                literal.types(*operator)
            }
            _ => Vec::new(),
        }
    }
}

/// An operator with its right side.
#[derive(Debug)]
pub(super) enum Test {
    Unary { operator: Unary, negated: bool },
    Binary { operator: Binary, negated: bool, right: Operand },
}

/// Operators without a right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Exists,
    Empty,
    IsString,
    IsList,
    IsStruct,
    IsBool,
    IsInt,
    IsFloat,
    IsNull,
}

/// Operators without a right side in lower case.
pub(super) const UNARY: &[(&str, Unary)] = &[
    ("exists", Unary::Exists),
    ("empty", Unary::Empty),
    ("is_string", Unary::IsString),
    ("is_list", Unary::IsList),
    ("is_struct", Unary::IsStruct),
    ("is_bool", Unary::IsBool),
    ("is_int", Unary::IsInt),
    ("is_float", Unary::IsFloat),
    ("is_null", Unary::IsNull),
];

/// Operators with a right side. `!=` and `not in` are negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Equal,
    In,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A block, `QUERY { … }`, evaluated on each result of the query.
#[derive(Debug)]
pub(super) struct QueryBlock {
    pub(super) query: Query,
    /// True if a query without results fails.
    pub(super) not_empty: bool,
    pub(super) block: Block,
    pub(super) place: ByteRange,
}

/// A conditional block, `when CONDITIONS { … }`.
#[derive(Debug)]
pub(super) struct WhenBlock {
    pub(super) conditions: Lines,
    pub(super) block: Block,
    pub(super) place: ByteRange,
}

/// A block about a type, `AWS::S3::Bucket { … }`.
#[derive(Debug)]
pub(super) struct TypeBlock {
    pub(super) type_name: Str,
    pub(super) when: Option<Lines>,
    pub(super) block: Block,
    pub(super) place: ByteRange,
}

/// A reference to a rule.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) name: Name,
    pub(super) negated: bool,
    pub(super) message: Option<Str>,
    pub(super) place: ByteRange,
}

/// A call of a rule with parameters.
#[derive(Debug)]
pub(super) struct RuleCall {
    pub(super) name: Name,
    pub(super) negated: bool,
    pub(super) arguments: Vec<Operand>,
    pub(super) message: Option<Str>,
    pub(super) place: ByteRange,
}

/// A path to values.
#[derive(Debug)]
pub(super) struct Query {
    /// True if one passing result is enough.
    pub(super) some: bool,
    pub(super) parts: Vec<QueryPart>,
    pub(super) place: ByteRange,
}

impl Query {
    /// True if it is only a variable.
    pub(super) fn is_lone_variable(&self) -> bool {
        matches!(&*self.parts, [QueryPart::Variable(_)])
    }

    /// True if it ends with a selection, so that no result is an answer, too.
    pub(super) fn ends_in_selection(&self) -> bool {
        matches!(self.parts.last(), Some(QueryPart::Filter { .. } | QueryPart::Keys { .. }))
    }
}

/// A segment of a query.
#[derive(Debug)]
pub(super) enum QueryPart {
    /// `this`, the current value.
    This,
    /// `%name`: at the beginning, the values of a variable; later, the members that the variable names.
    Variable(Name),
    /// `.name`, `."name"` or `['name']`: the member with this name.
    Key(Key),
    /// `[0]`: the item with this index.
    Index(i64),
    /// `.*`: each member or item.
    Values,
    /// `[*]`, and `[name]`, which captures keys.
    Items(Option<Name>),
    /// `[ clauses ]`, and `[ name | clauses ]`, which captures keys.
    Filter {
        capture: Option<Name>,
        lines: Lines,
        /// Values that the filter allows for `Type`, if its first line is about `Type` and nothing in it captures keys.
        types: Vec<Str>,
    },
    /// A filter of keys, `[ keys == 'name' ]`.
    Keys { equal: bool, negated: bool, right: Box<Operand> },
}

/// The name of a member.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) text: Str,
    /// The name as an index, if it consists of digits.
    pub(super) index: Option<i64>,
    spellings: OnceLock<Box<[String; cases::COUNT]>>,
}

impl Key {
    pub(super) fn new(text: Str) -> Self {
        Self { index: text.parse().ok(), text, spellings: OnceLock::new() }
    }

    /// Returns the name in other cases, in the order in which they are tried.
    pub(super) fn spellings(&self) -> &[String; cases::COUNT] {
        self.spellings.get_or_init(|| Box::new(cases::spellings(&self.text)))
    }
}

/// A literal in the rules file.
#[derive(Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(Str),
    Pattern(Box<PatternLiteral>),
    Range(Range),
    List(Vec<Literal>),
    Map(Vec<(Str, Literal)>),
}

impl Literal {
    /// Returns the strings that it allows on the left of an operator. Empty if others may be allowed.
    fn types(&self, operator: Binary) -> Vec<Str> {
        match (self, operator) {
            (Self::String(text), Binary::Equal) => vec![text.clone()],
            (Self::List(items), Binary::In) => items
                .iter()
                .map(|item: &Self| match item {
                    Self::String(text) => Some(text.clone()),
                    _ => None,
                })
                .collect::<Option<Vec<Str>>>()
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

/// A regular expression between slashes.
#[derive(Debug)]
pub(super) struct PatternLiteral {
    pub(super) source: Str,
    pub(super) pattern: Pattern,
}

/// A range, `r[1, 5)`, with ends of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) ends: Ends,
    pub(super) has_low: bool,
    pub(super) has_high: bool,
}

/// Ends of a range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ends {
    Ints(i64, i64),
    Floats(f64, f64),
    Chars(char, char),
}
