//! The syntax tree of a rules file, with patterns compiled.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::guard3::cases;
use crate::guard3::names::{Name, Names};
use crate::pattern::Pattern;
use crate::text::{FileId, Span};
use crate::value::Str;

/// A range of bytes in the rules file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Place {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: offset(start), end: offset(end) }
    }

    pub(super) fn span(self, file: FileId) -> Span {
        Span::new(file, self.start, self.end)
    }
}

/// The syntax tree of a whole rules file.
#[derive(Debug)]
pub(super) struct RulesFile {
    /// Where it is, for labels of findings.
    pub(super) file: FileId,
    pub(super) names: Names,
    /// The assignments outside of rules.
    pub(super) lets: Vec<Let>,
    /// In the order in which they are evaluated: the rule of the clauses outside of rules comes first.
    pub(super) rules: Vec<NamedRule>,
    /// Rules with parameters, which are evaluated only where they are called.
    pub(super) parameterized: Vec<Parameterized>,
    /// The positions of rules, of those with parameters, and of assignments, by their names.
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

    /// The rules of a name, in the order of the text.
    pub(super) fn rules_named(&self, name: Name) -> impl Iterator<Item = &NamedRule> {
        self.rules_by_name.get(&name).into_iter().flatten().filter_map(|at| self.rules.get(*at))
    }

    /// The rule with parameters of a name. Of several ones, the last counts.
    pub(super) fn parameterized_named(&self, name: Name) -> Option<&Parameterized> {
        self.parameterized.get(*self.parameterized_by_name.get(&name)?)
    }

    /// The assignments of a name outside of rules, in the order of the text.
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
    /// `None` for the rule of the clauses outside of rules.
    pub(super) name: Option<Name>,
    /// The name, or the first clause of the rule without one.
    pub(super) place: Place,
    pub(super) when: Option<Lines>,
    pub(super) block: Block,
}

/// A rule with parameters.
#[derive(Debug)]
pub(super) struct Parameterized {
    pub(super) name: Name,
    pub(super) place: Place,
    pub(super) parameters: Vec<Name>,
    pub(super) block: Block,
}

/// Lines that are joined by *and*; the clauses of a line are joined by *or*.
pub(super) type Lines = Vec<Vec<Clause>>;

/// Assignments and lines between braces.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) lets: Vec<Let>,
    pub(super) lines: Lines,
}

/// `let NAME = VALUE`.
#[derive(Debug)]
pub(super) struct Let {
    pub(super) name: Name,
    pub(super) place: Place,
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

/// The functions of the language.
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

/// Names of functions, and how many arguments each takes.
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

/// What a rule asserts.
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
    /// Whether `not` or `!` is before the query.
    pub(super) negated: bool,
    pub(super) test: Test,
    /// The operator and its right side, as they are written.
    pub(super) shown: Str,
    /// Its own message, else that of the next clause of the block that has one.
    pub(super) message: Option<Str>,
    pub(super) place: Place,
}

impl Check {
    /// The strings that it allows for `Type`: `Type == 'AWS::S3::Bucket'`. Empty if it is another check.
    pub(super) fn types(&self) -> Vec<Str> {
        let is_about_type = matches!(&*self.query.parts, [Part::Key(key)] if &*key.text == "Type");
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

/// The operators without a right side.
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

/// How the operators without a right side are written in lower case.
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

/// The operators with a right side. `!=` and `not in` are negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Equal,
    In,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// `QUERY { … }`, evaluated on each result of the query.
#[derive(Debug)]
pub(super) struct QueryBlock {
    pub(super) query: Query,
    /// Whether a query without results fails.
    pub(super) not_empty: bool,
    pub(super) block: Block,
    pub(super) place: Place,
}

/// `when CONDITIONS { … }`.
#[derive(Debug)]
pub(super) struct WhenBlock {
    pub(super) conditions: Lines,
    pub(super) block: Block,
    pub(super) place: Place,
}

/// `AWS::S3::Bucket { … }`.
#[derive(Debug)]
pub(super) struct TypeBlock {
    pub(super) type_name: Str,
    pub(super) when: Option<Lines>,
    pub(super) block: Block,
    pub(super) place: Place,
}

/// A rule that another one refers to.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) name: Name,
    pub(super) negated: bool,
    pub(super) message: Option<Str>,
    pub(super) place: Place,
}

/// A call of a rule with parameters.
#[derive(Debug)]
pub(super) struct RuleCall {
    pub(super) name: Name,
    pub(super) negated: bool,
    pub(super) arguments: Vec<Operand>,
    pub(super) message: Option<Str>,
    pub(super) place: Place,
}

/// A path to values.
#[derive(Debug)]
pub(super) struct Query {
    /// Whether one result that passes is enough.
    pub(super) some: bool,
    pub(super) parts: Vec<Part>,
    pub(super) place: Place,
}

impl Query {
    /// Whether it is nothing but a variable.
    pub(super) fn is_lone_variable(&self) -> bool {
        matches!(&*self.parts, [Part::Variable(_)])
    }

    /// Whether it ends in something that selects, so that no result is an answer.
    pub(super) fn ends_in_selection(&self) -> bool {
        matches!(self.parts.last(), Some(Part::Filter { .. } | Part::Keys { .. }))
    }
}

/// A step of a query.
#[derive(Debug)]
pub(super) enum Part {
    /// `this`, which stays at the current value.
    This,
    /// `%name` at the beginning: the values of a variable. Later: the members that it names.
    Variable(Name),
    /// `.name`, `."name"` or `['name']`: the member of this name.
    Key(Key),
    /// `[0]`: the item of this index.
    Index(i64),
    /// `.*`: each member or item.
    Values,
    /// `[*]`, and `[name]`, which captures keys.
    Items(Option<Name>),
    /// `[ clauses ]`, and `[ name | clauses ]`, which captures keys.
    Filter {
        capture: Option<Name>,
        lines: Lines,
        /// The values that the filter allows for `Type`, where that is its first line and nothing in it captures keys.
        types: Vec<Str>,
    },
    /// `[ keys == 'name' ]`
    Keys { equal: bool, negated: bool, right: Box<Operand> },
}

/// The name of a member.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) text: Str,
    /// The index that the name is, if it is digits.
    pub(super) index: Option<i64>,
    spellings: OnceLock<Box<[String; cases::COUNT]>>,
}

impl Key {
    pub(super) fn new(text: Str) -> Self {
        Self { index: text.parse().ok(), text, spellings: OnceLock::new() }
    }

    /// The name in other cases, in the order in which they are tried.
    pub(super) fn spellings(&self) -> &[String; cases::COUNT] {
        self.spellings.get_or_init(|| Box::new(cases::spellings(&self.text)))
    }
}

/// A value that is written in the rules file.
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
    /// The strings that it allows on the left of an operator. Empty if there may be others.
    fn types(&self, operator: Binary) -> Vec<Str> {
        match (self, operator) {
            (Self::String(text), Binary::Equal) => vec![text.clone()],
            (Self::List(items), Binary::In) => {
                let text = |item: &Self| match item {
                    Self::String(text) => Some(text.clone()),
                    _ => None,
                };
                items.iter().map(text).collect::<Option<Vec<Str>>>().unwrap_or_default()
            }
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

/// `r[1, 5)`, with both ends of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) ends: Ends,
    pub(super) has_low: bool,
    pub(super) has_high: bool,
}

/// The ends of a range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ends {
    Ints(i64, i64),
    Floats(f64, f64),
    Chars(char, char),
}
