//! Finds rules that read the input of a CloudFormation hook, which templates do not have.

use foldhash::HashSet;

use crate::guard3::ast::{Clause, NamedRule, QueryPart, RulesFile};
use crate::guard3::names::Name;
use crate::guard3::walk::{self, Node};

/// Names in the input of a CloudFormation hook that templates do not have. Sources: the rules of AWS Control Tower, and
/// <https://docs.aws.amazon.com/cloudformation-cli/latest/hooks-userguide/guard-hooks-write-rules.html>.
const OF_HOOKS: &[&str] = &["resourceProperties", "ResourceProperties", "ResourceType", "HookContext"];

/// Names in a template that the input of a hook does not have.
const OF_TEMPLATES: &[&str] = &["Type", "Properties"];

/// Nodes of the syntax tree that are visited per file: each rule visits the variables that it uses.
const MAX_NODES: usize = 1 << 20;

/// Returns the rules that only a hook can run, each with the first name that only the input of a hook has.
pub(super) fn rules(file: &RulesFile) -> Vec<(&NamedRule, &'static str)> {
    let mut left = MAX_NODES;
    let mut found = Vec::new();
    for rule in &file.rules {
        let reads = Reads::collect(rule, file, &mut left);
        if left == 0 {
            break;
        }
        found.extend(reads.of_hooks.filter(|_| !reads.is_of_templates).map(|name| (rule, name)));
    }
    found
}

/// Names that a rule reads, including those in variables of the file and in rules that it calls.
#[derive(Default)]
struct Reads {
    /// First name that only the input of a hook has.
    of_hooks: Option<&'static str>,
    is_of_templates: bool,
    /// Variables and rules with parameters that have to be visited.
    variables: Vec<Name>,
    calls: Vec<Name>,
}

impl Reads {
    fn collect(rule: &NamedRule, file: &RulesFile, left: &mut usize) -> Self {
        let mut reads = Self::default();
        let mut note = |reads: &mut Self, node: Node<'_>| {
            *left = left.saturating_sub(1);
            reads.note(node);
        };
        rule.when.iter().for_each(|when| walk::lines(when, &mut |node| note(&mut reads, node)));
        walk::block(&rule.block, &mut |node| note(&mut reads, node));
        let (mut variables, mut calls) = (HashSet::default(), HashSet::default());
        loop {
            if let Some(name) = reads.variables.pop() {
                if variables.insert(name) {
                    let values = file.lets_named(name).map(|assignment| &assignment.value);
                    values.for_each(|value| walk::operand(value, &mut |node| note(&mut reads, node)));
                }
            } else if let Some(name) = reads.calls.pop() {
                let called = file.parameterized_named(name).filter(|_| calls.insert(name));
                if let Some(rule) = called {
                    walk::block(&rule.block, &mut |node| note(&mut reads, node));
                }
            } else {
                return reads;
            }
        }
    }

    fn note(&mut self, node: Node<'_>) {
        match node {
            Node::QueryPart(QueryPart::Key(key)) => {
                let known = OF_HOOKS.iter().find(|known| ***known == *key.text);
                self.of_hooks = self.of_hooks.or(known.copied());
                self.is_of_templates |= OF_TEMPLATES.contains(&&*key.text);
            }
            Node::QueryPart(QueryPart::Variable(name)) => self.variables.push(*name),
            Node::Clause(Clause::Type(_)) => self.is_of_templates = true,
            Node::Clause(Clause::Call(call)) => self.calls.push(call.name),
            _ => {}
        }
    }
}
