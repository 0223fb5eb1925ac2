//! Rules of a file, each with what reports show of it.

use std::path::Path;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Level, RuleInfo, Severity};
use crate::guard3::ast::{Block, Clause, Let, Lines, Literal, NamedRule, Operand, Part, Query, RulesFile, Test};
use crate::guard3::header::Header;
use crate::guard3::names::Name;
use crate::guard3::names_check;
use crate::guard3::parse::parse as parse_file;
use crate::mend::Mend;
use crate::text::FileId;

/// A rule that is evaluated by itself.
#[derive(Clone, Debug)]
pub struct Rule {
    info: Arc<RuleInfo>,
    pub(super) file: Arc<RulesFile>,
    /// Which of the rules of its file it is.
    pub(super) index: usize,
    pub(super) fixes: Vec<Mend>,
}

impl Rule {
    /// The name, descriptions and severity that reports show.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// The same rule without a definition: a rule that is part of the program is in no file of the user.
    #[must_use]
    pub fn embedded(mut self) -> Self {
        Arc::make_mut(&mut self.info).definition = None;
        self
    }

    /// The same rule with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        Arc::make_mut(&mut self.info).severity = severity;
        self
    }
}

/// Parses a rules file called `name`. Every problem is reported, not only the first. A file with an error has no rules,
/// because they depend on each other.
///
/// The ID of a rule is its name; that of the clauses outside of rules is the name of the file with `:default`.
pub fn parse(file: FileId, name: &str, text: &str) -> (Vec<Rule>, Vec<Diagnostic>) {
    let parsed = parse_file(file, text);
    let mut problems = parsed.problems;
    problems.extend(names_check::check(&parsed.file));
    let rules_file = Arc::new(parsed.file);
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let definitions = Definitions::of(&rules_file);
    let mut rules = Vec::new();
    for (index, rule) in rules_file.rules.iter().enumerate() {
        let header = Header::new(text, &rules_file, rule, &mut problems);
        if header.is_silent {
            continue;
        }
        let id = match rule.name {
            Some(name) => rules_file.names.text(name).to_owned(),
            None => format!("{stem}:default"),
        };
        let mut info = RuleInfo {
            name: id.clone(),
            short_description: id.clone(),
            full_description: String::new(),
            recommendation: None,
            help_uri: None,
            severity: Severity::Medium,
            resource_types: types(&definitions, rule),
            definition: Some(rule.place.span(file)),
            details: Arc::default(),
            id,
        };
        let fixes = header.describe(&mut info);
        rules.push(Rule { info: Arc::new(info), file: Arc::clone(&rules_file), index, fixes });
    }
    if problems.iter().any(|problem| problem.level == Level::Error) {
        rules.clear();
    }
    problems.sort_by_key(|problem| problem.primary.span);
    problems.dedup();
    (rules, problems)
}

/// How many variables and rules are followed for the types of one rule.
const MAX_FOLLOWED: usize = 50;

/// What the names of a file stand for.
struct Definitions<'a> {
    rules: HashMap<Name, Vec<&'a Block>>,
    variables: HashMap<Name, Vec<&'a Operand>>,
}

impl<'a> Definitions<'a> {
    fn of(file: &'a RulesFile) -> Self {
        let mut own = Self { rules: HashMap::default(), variables: HashMap::default() };
        for rule in &file.rules {
            if let Some(name) = rule.name {
                own.rules.entry(name).or_default().push(&rule.block);
            }
        }
        for assignment in &file.lets {
            own.variables.entry(assignment.name).or_default().push(&assignment.value);
        }
        own
    }
}

/// The types of resources that a rule names: those of type blocks and of filters by `Type`.
fn types(definitions: &Definitions<'_>, rule: &NamedRule) -> Vec<String> {
    let mut types = Types { definitions, known: HashSet::default(), found: Vec::new(), seen: HashSet::default() };
    rule.when.iter().for_each(|when| types.lines(when));
    types.block(&rule.block);
    types.found
}

struct Types<'a> {
    definitions: &'a Definitions<'a>,
    /// The variables and rules that have been looked at.
    known: HashSet<Name>,
    found: Vec<String>,
    seen: HashSet<String>,
}

impl Types<'_> {
    fn add(&mut self, type_name: &str) {
        if self.seen.insert(type_name.to_owned()) {
            self.found.push(type_name.to_owned());
        }
    }

    /// Whether a name is to be looked at, which it is once.
    fn follows(&mut self, name: Name) -> bool {
        self.known.len() < MAX_FOLLOWED && self.known.insert(name)
    }

    fn block(&mut self, block: &Block) {
        self.lets(&block.lets);
        self.lines(&block.lines);
    }

    fn lets(&mut self, lets: &[Let]) {
        for assignment in lets {
            self.operand(&assignment.value);
        }
    }

    fn lines(&mut self, lines: &Lines) {
        for clause in lines.iter().flatten() {
            match clause {
                Clause::Check(check) => {
                    self.query(&check.query);
                    if let Test::Binary { negated: false, right: Operand::Literal(literal), .. } = &check.test
                        && matches!(&*check.query.parts, [Part::Key(key)] if &*key.text == "Type")
                    {
                        self.literal(literal);
                    }
                }
                Clause::Block(block) => {
                    self.query(&block.query);
                    self.block(&block.block);
                }
                Clause::When(when) => {
                    self.lines(&when.conditions);
                    self.block(&when.block);
                }
                Clause::Type(block) => {
                    self.add(&block.type_name);
                    self.block(&block.block);
                }
                Clause::Reference(reference) => {
                    if self.follows(reference.name) {
                        let rules = self.definitions.rules.get(&reference.name).into_iter().flatten();
                        rules.for_each(|block| self.block(block));
                    }
                }
                Clause::Call(call) => call.arguments.iter().for_each(|argument| self.operand(argument)),
            }
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::String(text) => self.add(text),
            Literal::List(items) => items.iter().for_each(|item| self.literal(item)),
            _ => {}
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Literal(_) => {}
            Operand::Query(query) => self.query(query),
            Operand::Call(call) => call.arguments.iter().for_each(|argument| self.operand(argument)),
        }
    }

    fn query(&mut self, query: &Query) {
        for part in &query.parts {
            match part {
                Part::Variable(name) if self.follows(*name) => {
                    let values = self.definitions.variables.get(name).into_iter().flatten();
                    values.for_each(|value| self.operand(value));
                }
                Part::Filter { lines, .. } => self.lines(lines),
                _ => {}
            }
        }
    }
}
