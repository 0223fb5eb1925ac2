//! Checks names before evaluation: undefined variables and rules, wrong numbers of arguments, and cycles.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::guard3::ast::{Block, ByteRange, Clause, Let, Lines, Operand, Query, QueryPart, RulesFile, Test};
use crate::guard3::names::Name;
use crate::guard3::walk::{self, Node};
use crate::text::Suggestions;

/// Returns the problems with the names of a file, in no order.
pub(super) fn check_names(file: &RulesFile) -> Vec<Diagnostic> {
    let mut check = Check::new(file);
    check.file();
    check.cycles();
    check.problems
}

/// Uses of variables that are followed for cycles in one scope. Evaluation has a limit of its own.
const MAX_STEPS: usize = 1_000_000;

/// A dependency of a rule, for cycles: its name, and whether it has parameters.
type RuleKey = (Name, bool);

struct Check<'a> {
    file: &'a RulesFile,
    rules: HashSet<Name>,
    /// Number of parameters, by rule with parameters.
    arities: HashMap<Name, usize>,
    /// Names that queries capture, which are known in the whole file.
    captured: HashSet<Name>,
    /// All variables and parameters of the file: a rule with parameters sees those of its caller.
    anywhere: HashSet<Name>,
    /// Variables of the enclosing blocks, innermost last.
    scopes: Vec<HashSet<Name>>,
    is_parameterized: bool,
    /// Rule that is being checked.
    current: Option<RuleKey>,
    /// References between rules, with their ranges.
    edges: HashMap<RuleKey, Vec<(RuleKey, ByteRange)>>,
    suggestions: Suggestions,
    problems: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    fn new(file: &'a RulesFile) -> Self {
        let mut names = Declared::default();
        names.file(file);
        Self {
            file,
            rules: file.rules.iter().filter_map(|rule| rule.name).collect(),
            arities: file.parameterized.iter().map(|rule| (rule.name, rule.parameters.len())).collect(),
            captured: names.captured,
            anywhere: names.variables,
            scopes: Vec::new(),
            is_parameterized: false,
            current: None,
            edges: HashMap::default(),
            suggestions: Suggestions::default(),
            problems: Vec::new(),
        }
    }

    fn file(&mut self) {
        let file = self.file;
        let mut used = Declared::default();
        used.file(file);
        self.scope(&file.lets, &used);
        for rule in &file.rules {
            self.current = rule.name.map(|name| (name, false));
            rule.when.iter().for_each(|when| self.lines(when));
            self.block(&rule.block);
        }
        self.is_parameterized = true;
        for rule in &file.parameterized {
            self.current = Some((rule.name, true));
            let distinct: HashSet<Name> = rule.parameters.iter().copied().collect();
            if distinct.len() < rule.parameters.len() {
                self.problem(rule.place, "two parameters of the rule have the same name".to_owned());
            }
            self.scopes.push(distinct);
            self.block(&rule.block);
            self.scopes.pop();
        }
        self.scopes.pop();
    }

    fn problem(&mut self, place: ByteRange, message: String) {
        self.problems.push(Diagnostic::new(Code::RuleInvalid, place.span(self.file.file), message));
    }

    /// Enters a scope with these assignments, and checks their values.
    fn scope(&mut self, lets: &'a [Let], used: &Declared) {
        let mut names = HashSet::default();
        for assignment in lets {
            if !names.insert(assignment.name) {
                let text = self.file.names.text(assignment.name);
                let message =
                    format!("`{text}` already has a value here; a literal counts before a query, else the last one");
                let diagnostic = Diagnostic::new(Code::RuleSuspicious, assignment.place.span(self.file.file), message);
                self.problems.push(diagnostic);
            }
        }
        self.scopes.push(names);
        self.variable_cycles(lets, used);
        for assignment in lets {
            self.operand(&assignment.value);
        }
    }

    fn block(&mut self, block: &'a Block) {
        let mut used = Declared::default();
        used.lines(&block.lines);
        self.scope(&block.lets, &used);
        self.lines(&block.lines);
        self.scopes.pop();
    }

    fn lines(&mut self, lines: &'a Lines) {
        for clause in lines.iter().flatten() {
            self.clause(clause);
        }
    }

    fn clause(&mut self, clause: &'a Clause) {
        match clause {
            Clause::Check(check) => {
                self.query(&check.query);
                if let Test::Binary { right, .. } = &check.test {
                    self.operand(right);
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
                block.when.iter().for_each(|when| self.lines(when));
                self.block(&block.block);
            }
            Clause::Reference(reference) => self.reference(reference.name, reference.place),
            Clause::Call(call) => {
                self.call(call.name, call.arguments.len(), call.place);
                call.arguments.iter().for_each(|argument| self.operand(argument));
            }
        }
    }

    fn reference(&mut self, name: Name, place: ByteRange) {
        if self.rules.contains(&name) {
            return self.edge((name, false), place);
        }
        let text = self.file.names.text(name);
        let message = if self.arities.contains_key(&name) {
            format!("the rule `{text}` has parameters; call it as `{text}(…)`")
        } else {
            let known = self.rules.iter().map(|name| self.file.names.text(*name));
            format!("there is no rule `{text}`{}", self.suggestions.did_you_mean(text, known))
        };
        self.problem(place, message);
    }

    fn call(&mut self, name: Name, count: usize, place: ByteRange) {
        let text = self.file.names.text(name);
        let message = match self.arities.get(&name) {
            Some(arity) if *arity == count => return self.edge((name, true), place),
            Some(arity) => format!("the rule `{text}` has {arity} parameters, found {count} arguments"),
            None if self.rules.contains(&name) => format!("the rule `{text}` has no parameters"),
            None => {
                let known = self.arities.keys().map(|name| self.file.names.text(*name));
                let hint = self.suggestions.did_you_mean(text, known);
                format!("there is no rule `{text}` with parameters{hint}")
            }
        };
        self.problem(place, message);
    }

    fn edge(&mut self, target: RuleKey, place: ByteRange) {
        if let Some(current) = self.current {
            self.edges.entry(current).or_default().push((target, place));
        }
    }

    fn operand(&mut self, operand: &'a Operand) {
        match operand {
            Operand::Literal(_) => {}
            Operand::Query(query) => self.query(query),
            Operand::Call(call) => call.arguments.iter().for_each(|argument| self.operand(argument)),
        }
    }

    fn query(&mut self, query: &'a Query) {
        for part in &query.parts {
            match part {
                QueryPart::Variable(name) => self.variable(*name, query.place),
                QueryPart::Filter { lines, .. } => self.lines(lines),
                QueryPart::Keys { right, .. } => self.operand(right),
                _ => {}
            }
        }
    }

    fn variable(&mut self, name: Name, place: ByteRange) {
        if self.scopes.iter().any(|scope| scope.contains(&name)) || self.captured.contains(&name) {
            return;
        }
        let text = self.file.names.text(name);
        if self.is_parameterized && self.anywhere.contains(&name) {
            let message = format!("`%{text}` is a variable of the rules that call this one; pass it as an argument");
            let diagnostic = Diagnostic::new(Code::RuleSuspicious, place.span(self.file.file), message);
            self.problems.push(diagnostic);
        } else {
            let known = self.scopes.iter().flatten().chain(&self.captured).map(|name| self.file.names.text(*name));
            let hint = self.suggestions.did_you_mean(text, known);
            self.problem(place, format!("there is no variable `{text}`{hint}"));
        }
    }

    /// Reports used variables of one scope that depend on themselves.
    fn variable_cycles(&mut self, lets: &'a [Let], used: &Declared) {
        let uses: HashMap<Name, Vec<Name>> = lets
            .iter()
            .map(|assignment| {
                let mut used = Declared::default();
                used.operand(&assignment.value);
                (assignment.name, used.used.into_iter().collect())
            })
            .collect();
        let mut steps = 0;
        for assignment in lets {
            let mut reached: HashSet<Name> = HashSet::default();
            let mut open = uses.get(&assignment.name).cloned().unwrap_or_default();
            while let Some(name) = open.pop() {
                steps += 1;
                if steps > MAX_STEPS {
                    return;
                }
                if reached.insert(name) {
                    open.extend(uses.get(&name).into_iter().flatten());
                }
            }
            if reached.contains(&assignment.name) {
                let text = self.file.names.text(assignment.name);
                let message = format!("the value of `{text}` depends on itself");
                self.cycle(assignment.place, message, used.used.contains(&assignment.name));
            }
        }
    }

    /// Reports a cycle, as an error if evaluation may enter it.
    fn cycle(&mut self, place: ByteRange, message: String, is_entered: bool) {
        let code = if is_entered { Code::RuleInvalid } else { Code::RuleSuspicious };
        self.problems.push(Diagnostic::new(code, place.span(self.file.file), message));
    }

    /// Reports references on cycles of rules. A rule with parameters counts where it is called.
    fn cycles(&mut self) {
        let mut state: HashMap<RuleKey, bool> = HashMap::default();
        let mut found: Vec<(RuleKey, ByteRange, bool)> = Vec::new();
        let mut starts: Vec<RuleKey> = self.edges.keys().copied().collect();
        // Those without parameters come first: what they reach is evaluated.
        starts.sort_unstable_by_key(|&(name, has_parameters)| (has_parameters, name));
        for start in starts {
            // Depth first, with the index of the next edge of each rule on the way.
            let mut way: Vec<(RuleKey, usize)> = Vec::new();
            if state.contains_key(&start) {
                continue;
            }
            state.insert(start, false);
            way.push((start, 0));
            while let Some((node, next)) = way.last_mut() {
                let edge = self.edges.get(node).and_then(|edges| edges.get(*next)).copied();
                *next += 1;
                match edge {
                    None => {
                        state.insert(*node, true);
                        way.pop();
                    }
                    Some((target, place)) => match state.get(&target) {
                        None => {
                            state.insert(target, false);
                            way.push((target, 0));
                        }
                        Some(false) => found.push((target, place, !start.1)),
                        Some(true) => {}
                    },
                }
            }
        }
        for ((name, _), place, is_entered) in found {
            let message = format!("the rule `{}` depends on itself", self.file.names.text(name));
            self.cycle(place, message, is_entered);
        }
    }
}

/// Names that parts of a file declare and use.
#[derive(Default)]
struct Declared {
    captured: HashSet<Name>,
    variables: HashSet<Name>,
    used: HashSet<Name>,
}

impl Declared {
    fn file(&mut self, file: &RulesFile) {
        walk::file(file, &mut |node| self.note(node));
        self.variables.extend(file.parameterized.iter().flat_map(|rule| &rule.parameters));
    }

    fn lines(&mut self, lines: &Lines) {
        walk::lines(lines, &mut |node| self.note(node));
    }

    fn operand(&mut self, operand: &Operand) {
        walk::operand(operand, &mut |node| self.note(node));
    }

    fn note(&mut self, node: Node<'_>) {
        match node {
            Node::Let(assignment) => {
                self.variables.insert(assignment.name);
            }
            Node::QueryPart(QueryPart::Variable(name)) => {
                self.used.insert(*name);
            }
            Node::QueryPart(QueryPart::Items(capture) | QueryPart::Filter { capture, .. }) => {
                self.captured.extend(capture);
            }
            _ => {}
        }
    }
}
