//! Parses rulesets, with one function per production of the grammar.
//!
//! The grammar is ambiguous, since an unquoted string may contain separators of rules. Here `|OR|` and `|AND|` come
//! first, then `WHEN` after the type and the first `CHECK` with a comparison on both sides, then the last ` <<`.

use crate::guard::ast::{Assignment, Clause, Comparison, Condition, Joint, Operator, RuleNode};
use crate::guard::parse::fault::{Fault, quoted};
use crate::guard::parse::path::path;
use crate::guard::piece::{BLANKS, Piece};
use crate::text::did_you_mean;

/// Occurrences of `CHECK` in one line that are tried. Each attempt takes time proportional to the length of the line.
const MAX_CHECKS: usize = 32;

type Parsed<'a, T> = Result<T, Fault<'a>>;

/// A line of a ruleset.
#[derive(Debug)]
pub(super) enum Statement<'a> {
    Blank,
    Comment(Piece<'a>),
    Assignment(Assignment<'a>),
    Clause(Clause<'a>),
}

/// Parses `[rule / clause / assignment / comment]`. Every wrong rule of a clause is reported.
pub(super) fn statement(line: Piece<'_>) -> Result<Statement<'_>, Vec<Fault<'_>>> {
    let line = line.trim();
    if let Some(at) = line.text.find('\r') {
        let message = "a lone carriage return does not end a line; expected a line feed";
        return Err(vec![Fault::syntax(line.split_at(at).1.split_at(1).0, message)]);
    }
    if line.text.is_empty() {
        return Ok(Statement::Blank);
    }
    if line.text.starts_with('#') {
        return Ok(Statement::Comment(line.split_at(1).1.trim()));
    }
    let mut rest = line;
    if rest.next_word().text == "let" {
        return assignment(line, rest).map(Statement::Assignment).map_err(|fault| vec![fault]);
    }
    clause(line).map(Statement::Clause)
}

/// Parses `let NAME = VALUE`.
fn assignment<'a>(line: Piece<'a>, mut rest: Piece<'a>) -> Parsed<'a, Assignment<'a>> {
    const FORM: &str = "an assignment is `let NAME = VALUE`";
    let name = rest.next_word();
    let operator = rest.next_word();
    let value = rest.trim();
    if name.text.is_empty() {
        return Err(Fault::syntax(line, "expected a name after `let`").with_help(FORM));
    }
    if let Some(wrong) = name.text.chars().find(|c| !c.is_alphanumeric() && *c != '_') {
        let message = format!("`{wrong}` is not allowed in the name of a variable; expected letters, digits and `_`");
        return Err(Fault::syntax(name, message).with_help(FORM));
    }
    if operator.text != "=" {
        let message = match operator.text {
            "" => "expected `=` and a value after the name".to_owned(),
            other => format!("expected `=`, found {}", quoted(other)),
        };
        let at = if operator.text.is_empty() { line } else { operator };
        return Err(Fault::syntax(at, message).with_help(FORM));
    }
    if value.text.is_empty() {
        return Err(Fault::syntax(operator, "expected a value after `=`"));
    }
    Ok(Assignment { name, value })
}

/// Parses rules with `|OR|` or with `|AND|` between them.
fn clause(line: Piece<'_>) -> Result<Clause<'_>, Vec<Fault<'_>>> {
    let joint = match (find_joint(line, Joint::Or), find_joint(line, Joint::And)) {
        (Some(or), Some(and)) if or < and => return Err(vec![mixed(line, and, Joint::And)]),
        (Some(or), Some(_)) => return Err(vec![mixed(line, or, Joint::Or)]),
        (Some(_), None) => Joint::Or,
        (None, _) => Joint::And,
    };
    let mut rules = Vec::new();
    let mut faults = Vec::new();
    let mut rest = line;
    loop {
        let at = find_joint(rest, joint);
        let (text, after) = rest.split_at(at.unwrap_or(rest.text.len()));
        let separator = after.split_at(if at.is_some() { joint.as_str().len() } else { 0 });
        match rule(text.trim(), rest, joint) {
            Ok(rule) => rules.push(rule),
            Err(fault) => faults.push(fault),
        }
        if at.is_none() {
            break;
        }
        rest = separator.1;
        if rest.trim().text.is_empty() {
            let message = format!("expected a rule after `{}`", joint.as_str());
            faults.push(Fault::syntax(separator.0, message).with_help("a rule does not continue on the next line"));
            break;
        }
    }
    if faults.is_empty() { Ok(Clause { text: line, joint, rules }) } else { Err(faults) }
}

fn find_joint(piece: Piece<'_>, joint: Joint) -> Option<usize> {
    piece.text.find(joint.as_str())
}

/// Returns the error for a mixture of `|OR|` and `|AND|`, at the operator that comes second.
fn mixed(line: Piece<'_>, at: usize, second: Joint) -> Fault<'_> {
    let at = line.split_at(at).1.split_at(second.as_str().len()).0;
    Fault::syntax(at, "one line cannot have both `|OR|` and `|AND|`")
        .with_help("put the rules around `|AND|` on lines of their own")
}

/// Parses a base rule or a conditional rule. `around` is the text that it is part of.
fn rule<'a>(text: Piece<'a>, around: Piece<'a>, joint: Joint) -> Parsed<'a, RuleNode<'a>> {
    let mut rest = text;
    let type_name = rest.next_word();
    if type_name.text.is_empty() {
        return Err(Fault::syntax(around, format!("expected a rule before `{}`", joint.as_str())));
    }
    if is_keyword(type_name.text, "WHEN") {
        return Err(Fault::syntax(type_name, "expected a resource type before `WHEN`"));
    }
    let mut after = rest;
    let when = after.next_word();
    if is_keyword(when.text, "WHEN")
        && let Some((condition, check)) = conditional(when, after)?
    {
        return Ok(RuleNode { text, type_name, condition: Some(condition), check });
    }
    if Operator::from_word(second_word(rest).text).is_none() && Operator::from_word(rest.first_word().text).is_some() {
        return Err(Fault::syntax(
            type_name,
            format!("expected a resource type before the path {}", quoted(type_name.text)),
        ));
    }
    match comparison(rest) {
        Ok(check) => Ok(RuleNode { text, type_name, condition: None, check }),
        Err(_) if rest.trim().text.is_empty() => Err(incomplete(text)),
        Err(fault) => Err(match_keyword(rest).unwrap_or(fault)),
    }
}

fn second_word(mut rest: Piece<'_>) -> Piece<'_> {
    rest.next_word();
    rest.next_word()
}

fn incomplete(text: Piece<'_>) -> Fault<'_> {
    Fault::syntax(text, format!("{} is not a rule", quoted(text.text)))
        .with_help("a rule is `TYPE PATH OPERATOR VALUE`")
}

/// Returns the error for a `WHEN` that is incomplete or in mixed case. `None` if something else is wrong.
fn match_keyword(rest: Piece<'_>) -> Option<Fault<'_>> {
    let word = rest.first_word();
    if is_keyword(word.text, "WHEN") {
        return Some(Fault::syntax(word, "expected a comparison, `CHECK` and a comparison after `WHEN`"));
    }
    let message = format!("{} is not a keyword, did you mean `WHEN`?", quoted(word.text));
    word.text.eq_ignore_ascii_case("when").then(|| Fault::syntax(word, message))
}

/// True if a word is a keyword. Keywords are in capitals, but cfn-guard accepts small letters, too.
fn is_keyword(word: &str, keyword: &str) -> bool {
    word == keyword || word == keyword.to_ascii_lowercase()
}

/// Parses the text after `WHEN`. Returns `None` without a `CHECK`, since `WHEN` may be the name of a property then.
fn conditional<'a>(when: Piece<'a>, text: Piece<'a>) -> Parsed<'a, Option<(Condition<'a>, Comparison<'a>)>> {
    let mut first_fault = None;
    for (before, keyword, after) in checks(text) {
        if is_keyword(after.first_word().text, "WHEN") {
            return Err(Fault::syntax(after.first_word(), "a condition cannot contain another condition"));
        }
        match (comparison(before), comparison(after)) {
            (Ok(comparison), Ok(check)) => {
                return unambiguous(check)
                    .map(|check| Some((Condition { keywords: [when, keyword], comparison }, check)));
            }
            (Err(fault), _) | (_, Err(fault)) => {
                first_fault.get_or_insert_with(|| part_fault(fault, [before, after]));
            }
        }
    }
    first_fault.map_or(Ok(None), Err)
}

/// Returns the error for a part of a conditional rule. The most common mistake is a type, which belongs before `WHEN`
/// only.
fn part_fault<'a>(fault: Fault<'a>, parts: [Piece<'a>; 2]) -> Fault<'a> {
    match parts.map(Piece::first_word).into_iter().find(|word| word.text.contains("::")) {
        Some(word) => {
            let message = format!("the type belongs before `WHEN` only, found {}", quoted(word.text));
            Fault::syntax(word, message)
        }
        None => fault,
    }
}

/// Returns the comparison after `CHECK`, or an error if its value contains another `CHECK` that could be meant.
fn unambiguous(check: Comparison<'_>) -> Parsed<'_, Comparison<'_>> {
    match checks(check.value).find(|(_, _, after)| comparison(*after).is_ok()) {
        Some((_, keyword, _)) => {
            Err(Fault::syntax(keyword, "a rule has one `CHECK`").with_help("put each check on a line of its own"))
        }
        None => Ok(check),
    }
}

/// Returns every `CHECK` that is a separate word: the text before it, the word, and the text after it.
fn checks(text: Piece<'_>) -> impl Iterator<Item = (Piece<'_>, Piece<'_>, Piece<'_>)> {
    let mut rest = text;
    let words = std::iter::from_fn(move || {
        let word = rest.next_word();
        (!word.text.is_empty()).then_some((word, rest))
    });
    let checks = words.filter(|(word, _)| is_keyword(word.text, "CHECK"));
    checks.take(MAX_CHECKS).map(move |(word, after)| {
        let before = text.split_at(text.text.len() - after.text.len() - word.text.len()).0;
        (before, word, after)
    })
}

/// Parses `PATH OPERATOR VALUE [<< MESSAGE]`.
fn comparison(text: Piece<'_>) -> Parsed<'_, Comparison<'_>> {
    let text = text.trim();
    let mut rest = text;
    let path_text = rest.next_word();
    let operator = rest.next_word();
    if path_text.text.is_empty() {
        return Err(Fault::syntax(text, "expected a comparison").with_help("a comparison is `PATH OPERATOR VALUE`"));
    }
    let path = path(path_text)?;
    let operator = match Operator::from_word(operator.text) {
        Some(known) => known,
        None if operator.text.is_empty() => return Err(incomplete(text)),
        None => return Err(unknown_operator(operator, rest)),
    };
    let (value, message) = split_message(rest.trim());
    if value.text.is_empty() {
        let message = format!("expected a value after `{}`", operator.as_str());
        return Err(Fault::syntax(text, message));
    }
    Ok(Comparison { text, path_text, path, operator, value, message })
}

fn unknown_operator<'a>(word: Piece<'a>, rest: Piece<'a>) -> Fault<'a> {
    let known = Operator::ALL.map(Operator::as_str);
    let hint = match word.text {
        "=" | "===" => ", did you mean `==`?".to_owned(),
        "NOT" | "not" if rest.first_word().text.eq_ignore_ascii_case("in") => ", did you mean `NOT_IN`?".to_owned(),
        other => did_you_mean(other, known),
    };
    let message = format!("{} is not an operator{hint}", quoted(word.text));
    Fault::syntax(word, message)
        .with_help(format!("the operators are {}", known.map(|name| format!("`{name}`")).join(", ")))
}

/// Splits a value from its message. The message begins at the last word that begins with `<<` and has a value before
/// it. In `<<<`, the third character is part of the message.
fn split_message(rest: Piece<'_>) -> (Piece<'_>, Option<Piece<'_>>) {
    let mut starts = rest.text.match_indices('<').map(|(at, _)| at).filter(|at| {
        let (before, _) = rest.split_at(*at);
        before.text.ends_with(BLANKS) && !before.trim().text.is_empty()
    });
    match starts.rfind(|at| rest.split_at(*at).1.text.starts_with("<<")) {
        Some(at) => {
            let (before, after) = rest.split_at(at);
            (before.trim(), Some(after.split_at(2).1.trim()))
        }
        None => (rest, None),
    }
}
