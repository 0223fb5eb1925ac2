//! Evaluations: what a rule looks at, and what it wants.

use crate::rules::json::operators::{OPERATORS, Refusal, Test, ValueOperator};
use crate::rules::json::parse::problems::{Checked, Problems, Reported, found};
use crate::rules::json::rule::{Evaluation, Operator};
use crate::rules::lookup::is_below;
use crate::rules::lookup::{Path, Segment};
use crate::value::{Member, Object, Value};

const PLACES: [&str; 3] = ["resourceType", "path", "where"];
/// The operators over evaluations.
pub(in crate::rules::json) const STRUCTURED: [&str; 4] = ["allOf", "anyOf", "not", "evaluate"];

/// Every operator by name.
fn operator_names() -> impl Iterator<Item = &'static str> {
    OPERATORS.iter().map(|it| it.name).chain(STRUCTURED)
}

/// One evaluation with those inside it. `within` is the type of the resources that it looks into,
/// where that is certain.
pub(super) fn evaluation(value: &Value, within: Option<&str>, problems: &mut Problems) -> Checked<Evaluation> {
    let Some(object) = value.as_object() else {
        problems.error(value, format!("an evaluation must be an object, found {}", found(value)));
        return Err(Reported);
    };
    let known: Vec<&'static str> = PLACES.into_iter().chain(operator_names()).collect();
    let unique = problems.check_names(object, &known);
    let resource_type = resource_type(object, within, problems);
    let path = path(object, problems);
    // Below a path there may be anything.
    let has_path = object.get("path").is_some_and(|it| !it.is_null());
    let selected = object.get("resourceType").and_then(Value::as_str).or(within).filter(|_| !has_path);
    let condition = match object.get("where").filter(|it| !it.is_null()) {
        Some(given) => evaluation(given, selected, problems).map(|it| Some(Box::new(it))),
        None => Ok(None),
    };
    let operator = operator(value, object, selected, problems);
    unique?;
    Ok(Evaluation { resource_type: resource_type?, path: path?, condition: condition?, operator: operator? })
}

fn resource_type(object: &Object, within: Option<&str>, problems: &mut Problems) -> Checked<Option<Box<str>>> {
    let Some(value) = object.get("resourceType").filter(|it| !it.is_null()) else { return Ok(None) };
    let Some(text) = value.as_str().filter(|it| !it.is_empty()) else {
        problems
            .error(value, format!("`resourceType` is {}, wanted a type like `Microsoft.Sql/servers`", found(value)));
        return Err(Reported);
    };
    if !text.contains('/') && !text.contains("::") {
        problems
            .warn(value, format!("`{text}` is no fully qualified type, so no resource is of it"))
            .help("write the whole type, like `Microsoft.Sql/servers/databases` or `AWS::S3::Bucket`");
    } else if let Some(within) = within.filter(|within| !is_below(text, within)) {
        problems.warn(
            value,
            format!(
                "this is searched in the children of a resource of type `{within}`, and `{text}` is no child type of it"
            ),
        );
    }
    Ok(Some(text.to_ascii_lowercase().into_boxed_str()))
}

fn path(object: &Object, problems: &mut Problems) -> Checked<Option<Path>> {
    let Some(value) = object.get("path").filter(|it| !it.is_null()) else { return Ok(None) };
    let Some(text) = value.as_str() else {
        problems.error(value, format!("`path` is {}, wanted a string", found(value)));
        return Err(Reported);
    };
    let path = Path::parse(text);
    if let Some(suspicion) = path.segments.iter().find_map(Segment::suspicion) {
        problems.warn(value, suspicion);
    }
    Ok(Some(path))
}

/// The one operator of an evaluation.
fn operator(value: &Value, object: &Object, within: Option<&str>, problems: &mut Problems) -> Checked<Operator> {
    let is_operator = |member: &&Member| operator_names().any(|name| name.eq_ignore_ascii_case(&member.key));
    // Keys that recur are reported by name.
    let mut operators: Vec<&Member> = Vec::new();
    for member in object.iter().filter(is_operator) {
        match operators.iter_mut().find(|it| it.key.eq_ignore_ascii_case(&member.key)) {
            Some(earlier) => *earlier = member,
            None => operators.push(member),
        }
    }
    match operators[..] {
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
    if let Some(operator) = OPERATORS.iter().find(|it| it.name.eq_ignore_ascii_case(&member.key)) {
        return test(value, operator, given, problems);
    }
    match member.key.to_ascii_lowercase().as_str() {
        "allof" => parts("allOf", given, within, problems).map(Operator::All),
        "anyof" => parts("anyOf", given, within, problems).map(Operator::Any),
        "not" => evaluation(given, within, problems).map(|it| Operator::Not(Box::new(it))),
        _ => evaluation(given, within, problems).map(|it| Operator::Evaluate(Box::new(it))),
    }
}

fn test(
    evaluation: &Value,
    operator: &'static ValueOperator,
    given: &Value,
    problems: &mut Problems,
) -> Checked<Operator> {
    let name = operator.name;
    let has_path = evaluation.get("path").is_some_and(|it| !it.is_null());
    if !has_path {
        problems.lacks(evaluation, format!("`{name}` needs a `path` beside it"));
    }
    match (operator.read)(given) {
        Ok(operand) => has_path.then_some(Operator::Test(Test { operator, operand })).ok_or(Reported),
        Err(Refusal::Wanted(wanted)) => {
            problems.error(given, format!("`{name}` is {}, wanted {wanted}", found(given)));
            Err(Reported)
        }
        Err(Refusal::Pattern(error)) => {
            problems
                .error(given, format!("`{name}` is no regular expression that can be used: {error}"))
                .help("rules use the regular expressions of .NET");
            Err(Reported)
        }
    }
}

/// The evaluations of `allOf` or `anyOf`.
fn parts(name: &str, given: &Value, within: Option<&str>, problems: &mut Problems) -> Checked<Vec<Evaluation>> {
    let Some(items) = given.as_array().filter(|items| !items.is_empty()) else {
        let found = if given.as_array().is_some() { "empty".to_owned() } else { found(given) };
        problems.error(given, format!("`{name}` is {found}, wanted an array of evaluations"));
        return Err(Reported);
    };
    let parts: Vec<_> = items.iter().map(|item| evaluation(item, within, problems)).collect();
    parts.into_iter().collect()
}

/// The types that an evaluation begins with, as the author wrote them; empty if it looks at whole templates.
pub(super) fn written_types(value: &Value) -> Vec<String> {
    if let Some(text) = value.get("resourceType").and_then(Value::as_str) {
        return vec![text.to_owned()];
    }
    if value.get("path").is_some_and(|it| !it.is_null()) {
        return Vec::new();
    }
    let mut types: Vec<String> = Vec::new();
    for name in STRUCTURED {
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
