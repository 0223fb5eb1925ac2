//! Warns of constructs that cfn-guard accepts in a rules file, but that are probably mistakes.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::guard3::ast::{ByteRange, Clause, Literal, Operand, Query, QueryPart, RulesFile, Test};
use crate::guard3::hooks;
use crate::guard3::names::Name;
use crate::guard3::walk::{self, Node};

/// Returns the warnings about a file, in no order.
pub(super) fn find_suspicious(file: &RulesFile) -> Vec<Diagnostic> {
    let mut lint =
        Lint { file, lists: lists(file), captures: HashMap::default(), used: HashSet::default(), problems: Vec::new() };
    walk::file(file, &mut |node| lint.note(node));
    lint.unused_captures();
    lint.rules_of_hooks();
    lint.problems
}

/// Returns the variables that are lists of literals wherever the file declares them.
fn lists(file: &RulesFile) -> HashSet<Name> {
    let mut lists = HashSet::default();
    let mut others: HashSet<Name> = file.parameterized.iter().flat_map(|rule| &rule.parameters).copied().collect();
    walk::file(file, &mut |node| match node {
        Node::Let(assignment) if matches!(assignment.value, Operand::Literal(Literal::List(_))) => {
            lists.insert(assignment.name);
        }
        Node::Let(assignment) => {
            others.insert(assignment.name);
        }
        Node::QueryPart(QueryPart::Items(capture) | QueryPart::Filter { capture, .. }) => others.extend(capture),
        _ => {}
    });
    lists.retain(|name| !others.contains(name));
    lists
}

/// State of the checks of a file.
struct Lint<'a> {
    file: &'a RulesFile,
    /// Variables that are lists of literals.
    lists: HashSet<Name>,
    /// Names in brackets, with the range of the first.
    captures: HashMap<Name, ByteRange>,
    /// Used variables.
    used: HashSet<Name>,
    problems: Vec<Diagnostic>,
}

impl<'a> Lint<'a> {
    fn warn(&mut self, place: ByteRange, message: String) {
        self.problems.push(Diagnostic::new(Code::RuleSuspicious, place.span(self.file.file), message));
    }

    fn note(&mut self, node: Node<'a>) {
        match node {
            Node::Query(query) => self.query(query),
            Node::QueryPart(QueryPart::Variable(name)) => {
                self.used.insert(*name);
            }
            Node::Clause(Clause::Check(check)) => {
                if check.negated && check.query.some {
                    let message = "`not some` negates each comparison, so that one which does not hold is enough";
                    self.warn(check.query.place, message.to_owned());
                }
                let of_literals = self.lone_list(&check.query);
                if let (true, Some(name), Test::Binary { .. }) = (check.query.some, of_literals, &check.test) {
                    let message =
                        format!("`%{name}` is a list of literals, which is compared as a whole, even with `some`");
                    self.warn(check.query.place, message);
                }
            }
            _ => {}
        }
    }

    /// Returns the name of a variable that is a list of literals, if a query consists of only that.
    fn lone_list(&self, query: &Query) -> Option<&'a str> {
        match &*query.parts {
            [QueryPart::Variable(name)] if self.lists.contains(name) => Some(self.file.names.text(*name)),
            _ => None,
        }
    }

    fn query(&mut self, query: &'a Query) {
        for part in &query.parts {
            if let QueryPart::Items(Some(name)) = part {
                self.captures.entry(*name).or_insert(query.place);
            }
        }
        match &*query.parts {
            [QueryPart::Variable(name), QueryPart::Items(None), ..] if self.lists.contains(name) => {
                let name = self.file.names.text(*name);
                self.warn(
                    query.place,
                    format!("`%{name}[*]` is `%{name}`; write `%{name}.*` for the items of the list"),
                );
            }
            _ => {}
        }
        let mut pairs = query.parts.iter().zip(query.parts.iter().skip(1));
        if pairs.any(|(part, next)| matches!((part, next), (QueryPart::Items(None), QueryPart::Filter { .. }))) {
            let message = "cfn-guard evaluates a filter after `[*]` on what is around the list, and formwork on its \
                           items; without `[*]`, both filter the items";
            self.warn(query.place, message.to_owned());
        }
    }

    /// Reports names in brackets that nothing refers to: `Resources[Bucket]` is about all resources.
    fn unused_captures(&mut self) {
        let mut unused: Vec<(Name, ByteRange)> = self.captures.iter().map(|(name, place)| (*name, *place)).collect();
        unused.retain(|(name, _)| !self.used.contains(name));
        for (name, place) in unused {
            let name = self.file.names.text(name);
            let message =
                format!("`[{name}]` means each member, and calls its key `%{name}`; write `['{name}']` for one member");
            self.warn(place, message);
        }
    }

    /// Reports rules that only a hook can run.
    fn rules_of_hooks(&mut self) {
        let file = self.file;
        for (rule, name) in hooks::rules(file) {
            let own = rule.name.map_or("the rule", |name| file.names.text(name));
            let message =
                format!("`{own}` cannot apply to a template: only the input of a CloudFormation hook has `{name}`");
            self.warn(rule.place, message);
        }
    }
}
