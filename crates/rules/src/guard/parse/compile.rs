//! Compiles rules: looks up variables, compiles patterns and parses numbers.

use regex::RegexBuilder;

use crate::guard::ast::{Comparison, Operator, RuleNode};
use crate::guard::literal::{Literal, list};
use crate::guard::parse::fault::{Fault, quoted};
use crate::guard::parse::suspicious;
use crate::guard::piece::Piece;
use crate::guard::rule::{Branch, Check, Condition};
use crate::guard::test::{List, Pattern, Test, number};
use crate::guard::variables::{Reference, Variables, is_secret, reference};
use crate::pattern::Automaton;
use crate::text::Suggestions;

/// Memory limit of a compiled pattern, in bytes. Only nested counts, as in `(a{9999}){9999}`, exceed it.
const SIZE_LIMIT: usize = 4 << 20;

/// Replacement for the value of a secret environment variable in messages.
const MASK: &str = "***";

/// Compiles the rules of one file.
pub(super) struct Compiler<'a, 'v> {
    pub(super) variables: &'v Variables<'a>,
    /// Suggestions for misspelled variables.
    pub(super) suggestions: Suggestions,
    /// Problems that do not prevent a rule from running.
    pub(super) warnings: Vec<Fault<'a>>,
}

/// The right side of a comparison, with variables replaced.
enum Operand<'a> {
    /// Text in the rule.
    Written(Piece<'a>),
    /// Value of an assignment, and the variable in the rule.
    Assigned { value: Piece<'a>, at: Piece<'a> },
    /// Value of an environment variable, and the variable in the rule.
    Environment { name: &'a str, value: &'a str, at: Piece<'a> },
    /// A variable without a value.
    Undefined(Piece<'a>),
}

impl<'a> Operand<'a> {
    fn text(&self) -> &'a str {
        match self {
            Self::Written(piece) | Self::Assigned { value: piece, .. } | Self::Undefined(piece) => piece.text,
            Self::Environment { value, .. } => value,
        }
    }

    /// Returns the value for messages, masked if it is secret.
    fn shown(&self) -> &'a str {
        match self {
            Self::Environment { name, .. } if is_secret(name) => MASK,
            _ => self.text(),
        }
    }

    /// Returns the part of the rule with the value or its variable.
    fn piece(&self) -> Piece<'a> {
        match self {
            Self::Written(piece) | Self::Undefined(piece) => *piece,
            Self::Assigned { at, .. } | Self::Environment { at, .. } => *at,
        }
    }
}

impl<'a> Compiler<'a, '_> {
    /// Compiles a base rule or a conditional rule.
    pub(super) fn branch(&mut self, index: usize, rule: &RuleNode<'a>) -> Result<Branch, Vec<Fault<'a>>> {
        let condition = rule.condition.as_ref().map(|condition| self.condition(&condition.comparison)).transpose();
        match (condition, self.compile_check(&rule.check)) {
            (Ok(condition), Ok(check)) => Ok(Branch { index, type_name: rule.type_name.text.into(), condition, check }),
            (condition, check) => Err(condition.err().into_iter().chain(check.err()).collect()),
        }
    }

    fn condition(&mut self, comparison: &Comparison<'a>) -> Result<Condition, Fault<'a>> {
        if let Operand::Undefined(at) = self.operand(comparison)? {
            return Err(self.undefined(at).with_help("a condition with it would never hold"));
        }
        let check = self.compile_check(comparison)?;
        Ok(Condition { text: comparison.text.text.into(), check })
    }

    fn compile_check(&mut self, comparison: &Comparison<'a>) -> Result<Check, Fault<'a>> {
        Ok(Check {
            test: self.test(comparison)?,
            any: comparison.operator.is_existential(),
            path: comparison.path.clone(),
            message: comparison.message.map(|message| message.text.into()),
        })
    }

    fn operand(&self, comparison: &Comparison<'a>) -> Result<Operand<'a>, Fault<'a>> {
        let at = comparison.value;
        Ok(match reference(at)? {
            None => Operand::Written(at),
            Some(Reference::Assigned(name)) => match self.variables.assigned(name) {
                Some(value) => Operand::Assigned { value, at },
                None => Operand::Undefined(at),
            },
            Some(Reference::Environment(name)) => match self.variables.environment(name) {
                Some(value) => Operand::Environment { name, value, at },
                None => Operand::Undefined(at),
            },
            Some(Reference::Nothing) => Operand::Undefined(at),
        })
    }

    fn test(&mut self, comparison: &Comparison<'a>) -> Result<Test, Fault<'a>> {
        let operand = self.operand(comparison)?;
        match operand {
            Operand::Undefined(at) => {
                let fault = self.undefined(at);
                self.warnings.push(fault.with_help("everything compared with it fails").into_warning());
                return Ok(Test::Undefined { reference: at.text.into() });
            }
            Operand::Assigned { value, .. } => suspicious::value(comparison.operator, value, &mut self.warnings),
            Operand::Written(_) | Operand::Environment { .. } => {}
        }
        match comparison.operator {
            Operator::Equal | Operator::NotEqual => equality(&operand, comparison.operator == Operator::NotEqual),
            Operator::In | Operator::NotIn => membership(&operand, comparison.operator == Operator::NotIn),
            operator => order(&operand, operator),
        }
    }

    fn undefined(&self, at: Piece<'a>) -> Fault<'a> {
        let hint = match reference(at) {
            Ok(Some(Reference::Assigned(name))) => self.suggestions.did_you_mean(name, self.variables.names()),
            _ => String::new(),
        };
        Fault::invalid(at, format!("no value is defined for {}{hint}", quoted(at.text)))
    }
}

fn equality<'a>(operand: &Operand<'a>, negated: bool) -> Result<Test, Fault<'a>> {
    let shown = operand.shown().into();
    let literal = match operand {
        Operand::Written(value) | Operand::Assigned { value, .. } => match pattern(*value)? {
            Some(pattern) => return Ok(Test::Match { negated, pattern }),
            None if matches!(operand, Operand::Written(_)) => Literal::written(value.text),
            None => Literal::assigned(value.text),
        },
        _ => Literal::assigned(operand.text()),
    };
    Ok(Test::Equal { negated, literal, shown })
}

fn membership<'a>(operand: &Operand<'a>, negated: bool) -> Result<Test, Fault<'a>> {
    if let Operand::Written(value) | Operand::Assigned { value, .. } = operand
        && let Some(pattern) = pattern(*value)?
    {
        let shown = pattern.source.clone();
        return Ok(Test::Member { negated, list: List::Matching(pattern), shown });
    }
    let list = List::Literals(list(operand.text()));
    Ok(Test::Member { negated, list, shown: operand.shown().into() })
}

fn order<'a>(operand: &Operand<'a>, operator: Operator) -> Result<Test, Fault<'a>> {
    let text = operand.text();
    let Some(bound) = number(text) else {
        let found = match operand {
            Operand::Written(_) => quoted(text),
            _ => format!("{} in {}", quoted(operand.shown()), quoted(operand.piece().text)),
        };
        let message = format!("expected a number after `{}`, found {found}", operator.as_str());
        return Err(Fault::invalid(operand.piece(), message));
    };
    let shown = match operand.shown() {
        MASK => MASK.into(),
        _ => shown_number(bound).into(),
    };
    Ok(Test::Order { operator, bound, shown })
}

/// Formats a number like cfn-guard: with 32 bits of precision, but whole numbers exactly.
fn shown_number(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "the digits that cfn-guard would print")]
    if number.fract() == 0.0 { number.to_string() } else { (number as f32).to_string() }
}

/// Returns the pattern between two slashes, or `None` if there are no slashes.
fn pattern(value: Piece<'_>) -> Result<Option<Pattern>, Fault<'_>> {
    let text = value.text;
    if text.len() < 2 || !text.starts_with('/') || !text.ends_with('/') {
        return Ok(None);
    }
    let source = value.split_at(1).1.split_at(text.len() - 2).0;
    match RegexBuilder::new(source.text).size_limit(SIZE_LIMIT).build() {
        Ok(regex) => Ok(Some(Pattern { regex, source: source.text.into(), automaton: Automaton::default() })),
        Err(regex::Error::CompiledTooBig(_)) => Err(Fault::invalid(source, "the pattern is too large")),
        Err(_) => Err(pattern_fault(source)),
    }
}

fn pattern_fault(source: Piece<'_>) -> Fault<'_> {
    let (range, what) = match regex_syntax::Parser::new().parse(source.text) {
        Err(regex_syntax::Error::Parse(error)) => (offsets(error.span()), error.kind().to_string()),
        Err(regex_syntax::Error::Translate(error)) => (offsets(error.span()), error.kind().to_string()),
        _ => (0..source.text.len(), "it cannot be compiled".to_owned()),
    };
    let at = source.split_at(range.start).1.split_at(range.len()).0;
    Fault::invalid(at, format!("invalid pattern: {what}"))
        .with_help("the syntax of patterns is that of <https://docs.rs/regex/1/regex/#syntax>")
}

fn offsets(span: &regex_syntax::ast::Span) -> std::ops::Range<usize> {
    span.start.offset..span.end.offset
}
