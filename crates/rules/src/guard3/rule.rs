//! Rules of a file with their metadata.

use std::path::Path;
use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::{Control, Diagnostic, Level, RuleInfo, Severity};
use crate::guard3::ast::{Clause, Literal, NamedRule, Operand, QueryPart, RulesFile, Test};
use crate::guard3::header::Headers;
use crate::guard3::message;
use crate::guard3::names::Name;
use crate::guard3::names_check;
use crate::guard3::parse::parse as parse_file;
use crate::guard3::suspicious;
use crate::guard3::walk::{self, Node};
use crate::rule_fix::RuleFix;
use crate::text::FileId;

/// A rule that is evaluated by itself.
#[derive(Clone, Debug)]
pub struct Rule {
    info: Arc<RuleInfo>,
    pub(super) file: Arc<RulesFile>,
    /// Index in the rules of the file.
    pub(super) index: usize,
    pub(super) fixes: Vec<RuleFix>,
}

impl Rule {
    /// Returns the metadata of the rule.
    pub fn info(&self) -> &Arc<RuleInfo> {
        &self.info
    }

    /// Removes the definition: an embedded rule is in no file of the user.
    #[must_use]
    pub fn embedded(mut self) -> Self {
        Arc::make_mut(&mut self.info).definition = None;
        self
    }

    /// Adds controls that the rule covers.
    #[must_use]
    pub fn with_controls(mut self, controls: &[Control]) -> Self {
        let own = &mut Arc::make_mut(&mut Arc::make_mut(&mut self.info).details).controls;
        own.extend_from_slice(controls);
        own.sort_unstable();
        own.dedup();
        self
    }

    /// Sets the severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        Arc::make_mut(&mut self.info).severity = severity;
        self
    }
}

/// Parses a rules file called `name`. All problems are reported. A file with an error has no rules, because rules
/// depend on each other.
///
/// The ID of a rule is its name; that of the clauses outside of rules is the name of the file with `:default`.
pub fn parse(file: FileId, name: &str, text: &str) -> (Vec<Rule>, Vec<Diagnostic>) {
    let parsed = parse_file(file, text);
    let mut problems = parsed.problems;
    problems.extend(names_check::check_names(&parsed.file));
    problems.extend(suspicious::find_suspicious(&parsed.file));
    let rules_file = Arc::new(parsed.file);
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let headers = Headers::new(text, &rules_file);
    let mut rules = Vec::new();
    for (index, rule) in rules_file.rules.iter().enumerate() {
        let header = headers.read(rule, &mut problems);
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
            resource_types: types(&rules_file, rule),
            definition: Some(rule.place.span(file)),
            check: None,
            details: Arc::default(),
            id,
        };
        let fixes = header.describe(&mut info);
        info.recommendation = info.recommendation.or_else(|| recommendation(rule));
        rules.push(Rule { info: Arc::new(info), file: Arc::clone(&rules_file), index, fixes });
    }
    if problems.iter().any(|problem| problem.level == Level::Error) {
        rules.clear();
    }
    problems.sort_by_key(|problem| problem.primary.span);
    problems.dedup();
    (rules, problems)
}

/// Recommendations that are taken from the messages of a rule.
const MAX_FIXES: usize = 8;

/// Characters of all recommendations together. Reports show them with the rule.
const MAX_RECOMMENDATION: usize = 2000;

/// Returns the distinct recommendations in the messages of a rule.
fn recommendation(rule: &NamedRule) -> Option<String> {
    let mut fixes: Vec<String> = Vec::new();
    walk::block(&rule.block, &mut |node| {
        if fixes.len() == MAX_FIXES {
            return;
        }
        let message = match node {
            Node::Clause(Clause::Check(check)) => check.message.as_ref(),
            Node::Clause(Clause::Reference(reference)) => reference.message.as_ref(),
            Node::Clause(Clause::Call(call)) => call.message.as_ref(),
            _ => None,
        };
        let fix = message.and_then(|message| message::read(message).fix);
        fixes.extend(fix.filter(|fix| !fixes.contains(fix)));
    });
    let mut text = fixes.join(" ");
    if let Some((end, _)) = text.char_indices().nth(MAX_RECOMMENDATION) {
        text.truncate(end);
        text.push('…');
    }
    Some(text).filter(|text| !text.is_empty())
}

/// Variables and rules that are followed for the types of one rule.
const MAX_FOLLOWED: usize = 50;

/// Returns the resource types that a rule names: those of type blocks and of filters by `Type`, also in the variables
/// and the rules that it refers to.
fn types(file: &RulesFile, rule: &NamedRule) -> Vec<String> {
    let mut types = Types::default();
    rule.when.iter().for_each(|when| walk::lines(when, &mut |node| types.note(node)));
    walk::block(&rule.block, &mut |node| types.note(node));
    let mut at = 0;
    while let Some(reference) = types.references.get(at).copied() {
        at += 1;
        match reference {
            Refers::ToRule(name) => {
                file.rules_named(name).for_each(|rule| walk::block(&rule.block, &mut |node| types.note(node)));
            }
            Refers::ToVariable(name) => {
                file.lets_named(name).for_each(|own| walk::operand(&own.value, &mut |node| types.note(node)));
            }
        }
    }
    types.found
}

/// A reference of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Refers {
    ToRule(Name),
    ToVariable(Name),
}

#[derive(Default)]
struct Types {
    /// Distinct references, in the order of the text.
    references: Vec<Refers>,
    known: HashSet<Refers>,
    found: Vec<String>,
    seen: HashSet<String>,
}

impl Types {
    fn note(&mut self, node: Node<'_>) {
        match node {
            Node::Clause(Clause::Check(check)) => {
                if let Test::Binary { negated: false, right: Operand::Literal(literal), .. } = &check.test
                    && matches!(&*check.query.parts, [QueryPart::Key(key)] if &*key.text == "Type")
                {
                    self.literal(literal);
                }
            }
            Node::Clause(Clause::Type(block)) => self.add(&block.type_name),
            Node::Clause(Clause::Reference(reference)) => self.follow(Refers::ToRule(reference.name)),
            Node::QueryPart(QueryPart::Variable(name)) => self.follow(Refers::ToVariable(*name)),
            _ => {}
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::String(text) => self.add(text),
            Literal::List(items) => items.iter().for_each(|item| self.literal(item)),
            _ => {}
        }
    }

    fn add(&mut self, type_name: &str) {
        if self.seen.insert(type_name.to_owned()) {
            self.found.push(type_name.to_owned());
        }
    }

    fn follow(&mut self, reference: Refers) {
        if self.references.len() < MAX_FOLLOWED && self.known.insert(reference) {
            self.references.push(reference);
        }
    }
}
