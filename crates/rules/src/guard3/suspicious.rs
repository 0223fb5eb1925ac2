//! What cfn-guard accepts in a rules file, and what its author probably did not mean.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::guard3::ast::{Clause, Literal, Operand, Part, Place, Query, RulesFile, Test};
use crate::guard3::hooks;
use crate::guard3::names::Name;
use crate::guard3::walk::{self, Node};

/// The warnings about a file, in no order.
pub(super) fn check(file: &RulesFile) -> Vec<Diagnostic> {
    let mut lint =
        Lint { file, lists: lists(file), captures: HashMap::default(), used: HashSet::default(), problems: Vec::new() };
    walk::file(file, &mut |node| lint.note(node));
    lint.unused_captures();
    lint.rules_of_hooks();
    lint.problems
}

/// The variables that are a list of literals wherever the file declares them.
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
        Node::Part(Part::Items(capture) | Part::Filter { capture, .. }) => others.extend(capture),
        _ => {}
    });
    lists.retain(|name| !others.contains(name));
    lists
}

/// What is known of a file so far.
struct Lint<'a> {
    file: &'a RulesFile,
    /// Variables that are lists of literals.
    lists: HashSet<Name>,
    /// Names in brackets, and where each is first.
    captures: HashMap<Name, Place>,
    /// The variables that are used.
    used: HashSet<Name>,
    problems: Vec<Diagnostic>,
}

impl<'a> Lint<'a> {
    fn warn(&mut self, place: Place, message: String) {
        self.problems.push(Diagnostic::new(Code::RuleSuspicious, place.span(self.file.file), message));
    }

    fn note(&mut self, node: Node<'a>) {
        match node {
            Node::Query(query) => self.query(query),
            Node::Part(Part::Variable(name)) => {
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

    /// The name of a variable that is a list of literals, if a query is nothing else.
    fn lone_list(&self, query: &Query) -> Option<&'a str> {
        match &*query.parts {
            [Part::Variable(name)] if self.lists.contains(name) => Some(self.file.names.text(*name)),
            _ => None,
        }
    }

    fn query(&mut self, query: &'a Query) {
        for part in &query.parts {
            if let Part::Items(Some(name)) = part {
                self.captures.entry(*name).or_insert(query.place);
            }
        }
        match &*query.parts {
            [Part::Variable(name), Part::Items(None), ..] if self.lists.contains(name) => {
                let name = self.file.names.text(*name);
                self.warn(
                    query.place,
                    format!("`%{name}[*]` is `%{name}`; write `%{name}.*` for the items of the list"),
                );
            }
            _ => {}
        }
        let mut pairs = query.parts.iter().zip(query.parts.iter().skip(1));
        if pairs.any(|(part, next)| matches!((part, next), (Part::Items(None), Part::Filter { .. }))) {
            let message = "cfn-guard evaluates a filter after `[*]` on what is around the list, and formwork on its \
                           items; without `[*]`, both filter the items";
            self.warn(query.place, message.to_owned());
        }
    }

    /// Names in brackets that nothing refers to: `Resources[Bucket]` is about all resources.
    fn unused_captures(&mut self) {
        let mut unused: Vec<(Name, Place)> = self.captures.iter().map(|(name, place)| (*name, *place)).collect();
        unused.retain(|(name, _)| !self.used.contains(name));
        for (name, place) in unused {
            let name = self.file.names.text(name);
            let message =
                format!("`[{name}]` means each member, and calls its key `%{name}`; write `['{name}']` for one member");
            self.warn(place, message);
        }
    }

    /// Rules that only a hook can run.
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
