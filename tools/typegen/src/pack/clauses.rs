//! Writes the clauses of rules. `crates/schema/src/published/pack/clauses.rs` reads them.

use crate::graph::{Clause, Id};
use crate::pack::{Strings, number, signed};

/// The strings of a clause.
pub(super) fn strings(clause: &Clause) -> Vec<&str> {
    match clause {
        Clause::Pattern(text) | Clause::Format(text) | Clause::Shutdown(text) => vec![text],
        Clause::OneOf { values: names, .. }
        | Clause::Attributes(names)
        | Clause::Identifier(names)
        | Clause::UniqueBy(names)
        | Clause::Required(names)
        | Clause::RequiredOr(names)
        | Clause::RequiredXor(names)
        | Clause::Forbidden(names)
        | Clause::With(names)
        | Clause::Without(names)
        | Clause::Only(names) => names.iter().map(String::as_str).collect(),
        Clause::Members(members) => members.iter().map(|(name, _)| name.as_str()).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn write(out: &mut Vec<u8>, clause: &Clause, strings: &Strings<'_>, id: &mut dyn FnMut(&mut Vec<u8>, Id)) {
    let mut rules = |out: &mut Vec<u8>, kind: u8, rules: &[Id]| {
        out.push(kind);
        number(out, rules.len() as u64);
        rules.iter().for_each(|rule| id(out, *rule));
    };
    let names = |out: &mut Vec<u8>, kind: u8, names: &[String]| {
        out.push(kind);
        number(out, names.len() as u64);
        names.iter().for_each(|name| strings.write(out, name));
    };
    let bounds = |out: &mut Vec<u8>, kind: u8, min: Option<u64>, max: Option<u64>| {
        out.push(kind);
        [min, max].into_iter().for_each(|bound| number(out, bound.map_or(0, |bound| bound + 1)));
    };
    match clause {
        Clause::Opaque => out.push(0),
        Clause::Never => out.push(1),
        Clause::Kinds(kinds) => out.extend([2, *kinds]),
        Clause::OneOf { values, ignore_case } => names(out, 3 + u8::from(*ignore_case), values),
        Clause::Pattern(pattern) => {
            out.push(5);
            strings.write(out, pattern);
        }
        Clause::Format(format) => {
            out.push(6);
            strings.write(out, format);
        }
        Clause::Shutdown(day) => {
            out.push(31);
            strings.write(out, day);
        }
        Clause::Range { min, max } => {
            out.push(7);
            out.push(u8::from(min.is_some()) | u8::from(max.is_some()) << 1);
            min.iter().chain(max).for_each(|value| signed(out, *value));
        }
        Clause::MultipleOf(factor) => {
            out.push(8);
            number(out, *factor);
        }
        Clause::Length { min, max } => bounds(out, 9, *min, *max),
        Clause::Items { min, max } => bounds(out, 10, *min, *max),
        Clause::Unique => out.push(11),
        Clause::UniqueBy(all) => names(out, 12, all),
        Clause::Required(all) => names(out, 13, all),
        Clause::RequiredOr(all) => names(out, 14, all),
        Clause::RequiredXor(all) => names(out, 15, all),
        Clause::Forbidden(all) => names(out, 16, all),
        Clause::With(all) => names(out, 17, all),
        Clause::Without(all) => names(out, 18, all),
        Clause::Only(all) => names(out, 19, all),
        Clause::Members(members) => {
            out.push(20);
            number(out, members.len() as u64);
            for (name, rule) in members {
                strings.write(out, name);
                id(out, *rule);
            }
        }
        Clause::Names(rule) => rules(out, 21, &[*rule]),
        Clause::Each(rule) => rules(out, 22, &[*rule]),
        Clause::Contains(rule) => rules(out, 23, &[*rule]),
        Clause::All(all) => rules(out, 24, all),
        Clause::Any(all) => rules(out, 25, all),
        Clause::One(all) => rules(out, 26, all),
        Clause::Not(rule) => rules(out, 27, &[*rule]),
        Clause::If(all) => rules(out, 28, all),
        Clause::Attributes(all) => names(out, 29, all),
        Clause::Identifier(all) => names(out, 30, all),
    }
}
