//! Visits the syntax tree of a rules file, in the order of the text.

use crate::guard3::ast::{Block, Clause, Let, Lines, Operand, Query, QueryPart, RulesFile, Test};

/// A node of the syntax tree. A node comes before the nodes in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'a> {
    Let(&'a Let),
    Clause(&'a Clause),
    Query(&'a Query),
    QueryPart(&'a QueryPart),
}

/// Visitor, called with each node.
pub(super) type Each<'e, 'a> = dyn FnMut(Node<'a>) + 'e;

pub(super) fn file<'a>(file: &'a RulesFile, each: &mut Each<'_, 'a>) {
    lets(&file.lets, each);
    for rule in &file.rules {
        rule.when.iter().for_each(|when| lines(when, each));
        block(&rule.block, each);
    }
    for rule in &file.parameterized {
        block(&rule.block, each);
    }
}

pub(super) fn block<'a>(block: &'a Block, each: &mut Each<'_, 'a>) {
    lets(&block.lets, each);
    lines(&block.lines, each);
}

pub(super) fn lets<'a>(lets: &'a [Let], each: &mut Each<'_, 'a>) {
    for assignment in lets {
        each(Node::Let(assignment));
        operand(&assignment.value, each);
    }
}

pub(super) fn lines<'a>(lines: &'a Lines, each: &mut Each<'_, 'a>) {
    for clause in lines.iter().flatten() {
        each(Node::Clause(clause));
        self::clause(clause, each);
    }
}

fn clause<'a>(clause: &'a Clause, each: &mut Each<'_, 'a>) {
    match clause {
        Clause::Check(check) => {
            query(&check.query, each);
            if let Test::Binary { right, .. } = &check.test {
                operand(right, each);
            }
        }
        Clause::Block(own) => {
            query(&own.query, each);
            block(&own.block, each);
        }
        Clause::When(when) => {
            lines(&when.conditions, each);
            block(&when.block, each);
        }
        Clause::Type(own) => {
            own.when.iter().for_each(|when| lines(when, each));
            block(&own.block, each);
        }
        Clause::Reference(_) => {}
        Clause::Call(call) => call.arguments.iter().for_each(|argument| operand(argument, each)),
    }
}

pub(super) fn operand<'a>(operand: &'a Operand, each: &mut Each<'_, 'a>) {
    match operand {
        Operand::Literal(_) => {}
        Operand::Query(own) => query(own, each),
        Operand::Call(call) => call.arguments.iter().for_each(|argument| self::operand(argument, each)),
    }
}

fn query<'a>(query: &'a Query, each: &mut Each<'_, 'a>) {
    each(Node::Query(query));
    for part in &query.parts {
        each(Node::QueryPart(part));
        match part {
            QueryPart::Filter { lines, .. } => self::lines(lines, each),
            QueryPart::Keys { right, .. } => operand(right, each),
            _ => {}
        }
    }
}
