//! Warns of rules that are valid but probably not intended.

use crate::guard::ast::{Clause, Comparison, Joint, Operator, RuleNode};
use crate::guard::literal::{Literal, list as elements};
use crate::guard::parse::fault::{Fault, quoted};
use crate::guard::path::Segment;
use crate::guard::piece::Piece;
use crate::guard::test::number;

/// Checks every rule of a line.
pub(super) fn clause<'a>(clause: &Clause<'a>, faults: &mut Vec<Fault<'a>>) {
    several_types(clause, faults);
    for rule in &clause.rules {
        type_name(rule, faults);
        if let Some(condition) = &rule.condition {
            for (keyword, word) in condition.keywords.into_iter().zip(["WHEN", "CHECK"]) {
                if keyword.text != word {
                    faults.push(Fault::suspicious(keyword, format!("write the keyword in capitals: `{word}`")));
                }
            }
            comparison(&condition.comparison, faults);
        }
        comparison(&rule.check, faults);
    }
}

/// Warns of alternatives about different types: a resource has only one type, so they are about the whole template.
fn several_types<'a>(clause: &Clause<'a>, faults: &mut Vec<Fault<'a>>) {
    let Some(first) = clause.rules.first().filter(|_| clause.joint == Joint::Or) else { return };
    let Some(other) = clause.rules.iter().find(|rule| rule.type_name.text != first.type_name.text) else { return };
    let message = format!(
        "the alternatives are about {} and {}: one has to hold for all resources of its type in the template",
        quoted(first.type_name.text),
        quoted(other.type_name.text)
    );
    let help = "to check each resource by itself, write a line for each type";
    faults.push(Fault::suspicious(other.type_name, message).with_help(help));
}

fn type_name<'a>(rule: &RuleNode<'a>, faults: &mut Vec<Fault<'a>>) {
    let name = rule.type_name;
    if name.text.contains("::") {
        return;
    }
    let fault = Fault::suspicious(name, format!("no resource is of type {}", quoted(name.text)));
    let help = if name.text.contains('/') {
        format!("write `{}`", name.text.replace(['.', '/'], "::"))
    } else {
        "a type is written like `AWS::S3::Bucket` or `Microsoft::Storage::storageAccounts`".to_owned()
    };
    faults.push(fault.with_help(help));
}

fn comparison<'a>(comparison: &Comparison<'a>, faults: &mut Vec<Fault<'a>>) {
    for segment in &comparison.path.segments {
        match segment {
            Segment::Empty => {
                let message = "the path ends at the missing name; what follows is ignored";
                faults.push(Fault::suspicious(comparison.path_text, message));
            }
            Segment::Prefix(start) => {
                let message =
                    format!("`{start}*` is not in the grammar; it matches all names that begin with `{start}`");
                let fault = Fault::suspicious(comparison.path_text, message);
                faults.push(fault.with_help(format!("`{start}.*` stands for everything in `{start}`")));
            }
            Segment::Name { .. } | Segment::Any => {}
        }
    }
    if let Some(message) = comparison.message.filter(|message| message.text.starts_with('<')) {
        faults.push(Fault::suspicious(message, "the message begins with `<`: two characters begin a message"));
    }
    rest_of_line(comparison, faults);
    value(comparison.operator, comparison.value, faults);
}

/// Warns of text at the end of the line that looks like a comment or another rule. It is part of the value, which
/// extends to the end of the line.
fn rest_of_line<'a>(comparison: &Comparison<'a>, faults: &mut Vec<Fault<'a>>) {
    let value = comparison.value;
    let lower = value.text.to_ascii_lowercase();
    if ["|or|", "|and|", "| or |", "| and |"].iter().any(|joint| lower.contains(joint)) {
        let fault = Fault::suspicious(value, "this is one value: rules are joined by `|OR|` and `|AND|`");
        return faults.push(fault);
    }
    let mut rest = value;
    let mut before = rest.next_word();
    while !rest.text.is_empty() {
        let word = rest.next_word();
        if word.text.starts_with('#') {
            faults.push(Fault::suspicious(word, "this is part of the value: a comment needs a line of its own"));
            return;
        }
        let joins = ["OR", "AND"].iter().any(|word| before.text.eq_ignore_ascii_case(word));
        if joins && word.text.contains("::") {
            let message = format!("this is part of the value: rules are joined by `|{}|`", before.text.to_uppercase());
            faults.push(Fault::suspicious(before, message));
            return;
        }
        before = word;
    }
    if value.text.contains("<<") {
        let message = "this is part of the value: a message begins at the last `<<` with a blank before it";
        faults.push(Fault::suspicious(value, message));
    }
}

/// Warns of a value that may be intended as something else.
pub(super) fn value<'a>(operator: Operator, value: Piece<'a>, faults: &mut Vec<Fault<'a>>) {
    let text = value.text;
    match operator {
        Operator::Equal | Operator::NotEqual => {
            if text.starts_with('/') && (text.len() == 1 || !text.ends_with('/')) {
                let fault = Fault::suspicious(value, "this is a string, not a pattern: it does not end with `/`");
                faults.push(fault);
            }
            if text.starts_with('{') && text.ends_with('}') && Literal::written(text).is_text() {
                faults.push(Fault::suspicious(value, "this is a string, not an object: it is not JSON"));
            }
        }
        Operator::In | Operator::NotIn => list(value, faults),
        Operator::Less | Operator::Greater | Operator::AtMost | Operator::AtLeast => {
            let is_json = serde_json::from_str::<serde_json::Number>(text).is_ok();
            if number(text).is_some() && !is_json {
                faults.push(Fault::suspicious(value, format!("{} is not a JSON number", quoted(text))));
            }
        }
    }
}

fn list<'a>(value: Piece<'a>, faults: &mut Vec<Fault<'a>>) {
    let text = value.text;
    if text.starts_with('%') || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return;
    }
    let [opening, closing] = ['[', ']'].map(|bracket| text.matches(bracket).count());
    if text.starts_with('[') != text.ends_with(']') || opening != closing {
        faults.push(Fault::suspicious(value, "the brackets around the list do not match"));
    } else if text.starts_with("[[") && elements(text).iter().all(Literal::is_text) {
        faults.push(Fault::suspicious(
            value,
            "this is not a list of lists, since it is not JSON; its brackets are ignored",
        ));
    }
    if elements(text).iter().any(Literal::has_quotes) {
        let fault = Fault::suspicious(value, "quotes are part of the elements, since the list is not JSON");
        faults.push(fault.with_help("write a JSON array, or remove the quotes"));
    }
}
