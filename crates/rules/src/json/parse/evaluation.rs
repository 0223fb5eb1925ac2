//! Parses evaluations: what a rule selects, and what must hold.

use crate::json::operators::{OPERATORS, Refusal, Test, ValueOperator};
use crate::json::parse::problems::{Checked, Problems, Reported, describe_found};
use crate::json::parse::relations;
use crate::json::rule::{Evaluation, Operator};
use crate::lookup::{ANY_TYPE, Path, Segment, is_below};
use crate::value::{Member, Object, Value};

/// Members that select what an evaluation is about.
const SELECTORS: [&str; 3] = ["resourceType", "path", "where"];

/// Operators over evaluations.
pub(in crate::json) const STRUCTURED: [&str; 8] =
    ["allOf", "anyOf", "not", "evaluate", "count", "descendants", "refersTo", "referencedBy"];

/// Operators whose evaluations begin with the resources that the enclosing evaluation selects.
const TRANSPARENT: [&str; 4] = ["allOf", "anyOf", "not", "evaluate"];

/// Returns the names of all operators.
fn operator_names() -> impl Iterator<Item = &'static str> {
    OPERATORS.iter().map(|operator| operator.name).chain(STRUCTURED)
}

/// Parses an evaluation with those inside it. `within` is the type of the resources that it is about, if that is
/// certain.
pub(super) fn evaluation(value: &Value, within: Option<&str>, problems: &mut Problems) -> Checked<Evaluation> {
    let Some(object) = value.as_object() else {
        problems.error(value, format!("an evaluation must be an object, found {}", describe_found(value)));
        return Err(Reported);
    };
    let known: Vec<&'static str> = SELECTORS.into_iter().chain(operator_names()).collect();
    let unique = problems.check_names(object, &known);
    let resource_type = resource_type(object, within, problems);
    let path = path(object, problems);
    // A path may lead to anything, also to resources of other types.
    let has_path = object.get("path").is_some_and(|value| !value.is_null());
    let selected = object.get("resourceType").and_then(Value::as_str).or(within).filter(|_| !has_path);
    let selected = selected.filter(|type_name| *type_name != ANY_TYPE);
    let condition = match object.get("where").filter(|value| !value.is_null()) {
        Some(given) => evaluation(given, selected, problems).map(|condition| Some(Box::new(condition))),
        None => Ok(None),
    };
    let operator = operator(value, object, selected, problems);
    unique?;
    Ok(Evaluation { resource_type: resource_type?, path: path?, condition: condition?, operator: operator? })
}

fn resource_type(object: &Object, within: Option<&str>, problems: &mut Problems) -> Checked<Option<Box<str>>> {
    let Some(value) = object.get("resourceType").filter(|value| !value.is_null()) else { return Ok(None) };
    let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
        problems.error(
            value,
            format!("`resourceType` is {}; expected a type like `Microsoft.Sql/servers`", describe_found(value)),
        );
        return Err(Reported);
    };
    if text == ANY_TYPE {
        return Ok(Some(ANY_TYPE.into()));
    }
    if !text.contains('/') && !text.contains("::") {
        problems
            .warn(value, format!("`{text}` is not a fully qualified type, so no resource has it"))
            .help("write the full type, like `Microsoft.Sql/servers/databases` or `AWS::S3::Bucket`");
    } else if let Some(within) = within.filter(|within| !is_below(text, within)) {
        problems.warn(
            value,
            format!(
                "this looks in the children of a resource of type `{within}`, and `{text}` is not a child type of it"
            ),
        );
    }
    Ok(Some(text.to_ascii_lowercase().into_boxed_str()))
}

fn path(object: &Object, problems: &mut Problems) -> Checked<Option<Path>> {
    let Some(value) = object.get("path").filter(|value| !value.is_null()) else { return Ok(None) };
    let Some(text) = value.as_str() else {
        problems.error(value, format!("`path` is {}; expected a string", describe_found(value)));
        return Err(Reported);
    };
    let path = Path::parse(text);
    if let Some(suspicion) = path.segments.iter().find_map(Segment::suspicion) {
        problems.warn(value, suspicion);
    }
    Ok(Some(path))
}

/// Parses the only operator of an evaluation.
fn operator(value: &Value, object: &Object, within: Option<&str>, problems: &mut Problems) -> Checked<Operator> {
    // Duplicate keys were reported already; the last one counts.
    let mut operators: Vec<&Member> = Vec::new();
    for member in
        object.iter().filter(|member: &&Member| operator_names().any(|name| name.eq_ignore_ascii_case(&member.key)))
    {
        match operators.iter_mut().find(|earlier| earlier.key.eq_ignore_ascii_case(&member.key)) {
            Some(earlier) => *earlier = member,
            None => operators.push(member),
        }
    }
    match *operators.as_slice() {
        [member] => one_operator(value, member, within, problems),
        [] => {
            let names: Vec<&str> = operator_names().collect();
            problems
                .lacks(value, "an evaluation needs an operator")
                .help(format!("the operators are `{}`", names.join("`, `")));
            Err(Reported)
        }
        [first, second, ..] => {
            problems
                .error_at_key(second, format!("`{}` is a second operator beside `{}`", second.key, first.key))
                .help("combine the two with `allOf` or `anyOf`");
            Err(Reported)
        }
    }
}

fn one_operator(value: &Value, member: &Member, within: Option<&str>, problems: &mut Problems) -> Checked<Operator> {
    let given = &member.value;
    if let Some(operator) = OPERATORS.iter().find(|operator| operator.name.eq_ignore_ascii_case(&member.key)) {
        return test(value, operator, given, problems);
    }
    match member.key.to_ascii_lowercase().as_str() {
        "allof" => parts("allOf", given, within, problems).map(Operator::All),
        "anyof" => parts("anyOf", given, within, problems).map(Operator::Any),
        "not" => evaluation(given, within, problems).map(|inner| Operator::Not(Box::new(inner))),
        "evaluate" => evaluation(given, within, problems).map(|inner| Operator::Evaluate(Box::new(inner))),
        "count" => relations::count(value, given, problems).map(Operator::Count),
        "descendants" => evaluation(given, None, problems).map(|inner| Operator::Descendants(Box::new(inner))),
        "refersto" => relations::refers_to(value, given, problems).map(|inner| Operator::RefersTo(Box::new(inner))),
        _ => relations::referenced_by(given, problems).map(Operator::ReferencedBy),
    }
}

/// Parses the evaluation in an object that may also have the `other` members. Returns `None` if it has only those.
pub(super) fn evaluation_beside(
    value: &Value,
    other: &[&'static str],
    problems: &mut Problems,
) -> Checked<Option<Evaluation>> {
    let Some(object) = value.as_object() else {
        problems.error(value, format!("expected an object, found {}", describe_found(value)));
        return Err(Reported);
    };
    let own = object.iter().filter(|member| !other.iter().any(|name| name.eq_ignore_ascii_case(&member.key)));
    let own: Vec<Member> = own.cloned().collect();
    if own.is_empty() {
        return Ok(None);
    }
    evaluation(&Value { span: value.span, ..Value::object(own) }, None, problems).map(Some)
}

fn test(
    evaluation: &Value,
    operator: &'static ValueOperator,
    given: &Value,
    problems: &mut Problems,
) -> Checked<Operator> {
    let name = operator.name;
    let has_path = evaluation.get("path").is_some_and(|value| !value.is_null());
    if !has_path {
        problems.lacks(evaluation, format!("`{name}` needs a `path` beside it"));
    }
    if operator.name == "regex" && given.as_str().is_some_and(|text| !problems.allow_pattern(text)) {
        problems.error(given, format!("`{name}`: the patterns of the file are too large together"));
        return Err(Reported);
    }
    match (operator.read)(given) {
        Ok(operand) => has_path.then_some(Operator::Test(Test { operator, operand })).ok_or(Reported),
        Err(Refusal::Expected(expected)) => {
            problems.error(given, format!("`{name}` is {}; expected {expected}", describe_found(given)));
            Err(Reported)
        }
        Err(Refusal::Unusable(why)) => {
            problems.error(given, format!("`{name}`: {why}"));
            Err(Reported)
        }
        Err(Refusal::Pattern(error)) => {
            problems
                .error(given, format!("`{name}` is not a regular expression that can be used: {error}"))
                .help("rules use the regular expressions of .NET");
            Err(Reported)
        }
    }
}

/// Parses the evaluations of `allOf` or `anyOf`.
fn parts(name: &str, given: &Value, within: Option<&str>, problems: &mut Problems) -> Checked<Vec<Evaluation>> {
    let Some(items) = given.as_array().filter(|items| !items.is_empty()) else {
        let found = if given.as_array().is_some() { "empty".to_owned() } else { describe_found(given) };
        problems.error(given, format!("`{name}` is {found}; expected an array of evaluations"));
        return Err(Reported);
    };
    let parts: Vec<_> = items.iter().map(|item| evaluation(item, within, problems)).collect();
    parts.into_iter().collect()
}

/// Returns the types that an evaluation starts from, as written. Empty if it is about whole templates.
pub(super) fn written_types(value: &Value) -> Vec<String> {
    if let Some(text) = value.get("resourceType").and_then(Value::as_str) {
        return if text == ANY_TYPE { Vec::new() } else { vec![text.to_owned()] };
    }
    if value.get("path").is_some_and(|value| !value.is_null()) {
        return Vec::new();
    }
    let mut types: Vec<String> = Vec::new();
    for name in TRANSPARENT {
        let Some(inner) = value.get(name) else { continue };
        let parts = inner.as_array().unwrap_or(std::slice::from_ref(inner));
        for found in parts.iter().flat_map(written_types) {
            if !types.contains(&found) {
                types.push(found);
            }
        }
    }
    types
}
