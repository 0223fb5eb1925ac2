//! Paths with which `loadJsonContent()` selects a part of a file, such as `$.a.b[0]` or `.items[?(@.size > 3)].name`.

use std::cmp::Ordering;

use crate::value::{Data, Value};

/// Selects one value, or an array of the values that a filter or `*` selects. Returns `None` if a path without them
/// selects nothing, or if the form of the path is unknown.
pub(super) fn select(value: &Value, path: &str) -> Option<Value> {
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut found = vec![value];
    let mut is_list = false;
    while !rest.is_empty() {
        let (step, after) = parse_step(rest)?;
        is_list |= matches!(step, JsonPathStep::All | JsonPathStep::Filter(_));
        found = found.into_iter().flat_map(|value| step.apply(value)).collect();
        rest = after;
    }
    if is_list { Some(Value::array(found.into_iter().cloned().collect())) } else { found.first().copied().cloned() }
}

enum JsonPathStep<'a> {
    Name(&'a str),
    Index(usize),
    All,
    Filter(Filter<'a>),
}

/// A comparison in a filter: `@.path operator literal`.
struct Filter<'a> {
    path: &'a str,
    operator: &'a str,
    literal: Data,
}

/// Parses the first step of a path. Returns the step and the rest.
fn parse_step(path: &str) -> Option<(JsonPathStep<'_>, &str)> {
    if let Some(inner) = path.strip_prefix("[?(") {
        let (filter, after) = inner.split_once(")]")?;
        return Some((JsonPathStep::Filter(parse_filter(filter)?), after));
    }
    if let Some(inner) = path.strip_prefix('[') {
        let (index, after) = inner.split_once(']')?;
        let step = match index.parse() {
            Ok(index) => JsonPathStep::Index(index),
            Err(_) if index == "*" => JsonPathStep::All,
            Err(_) => JsonPathStep::Name(index.strip_prefix(['\'', '"'])?.strip_suffix(['\'', '"'])?),
        };
        return Some((step, after));
    }
    let name = path.strip_prefix('.').unwrap_or(path);
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (name, after) = name.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    Some((if name == "*" { JsonPathStep::All } else { JsonPathStep::Name(name) }, after))
}

/// Parses a comparison: `@.path operator literal`.
fn parse_filter(text: &str) -> Option<Filter<'_>> {
    let text = text.trim().strip_prefix('@')?;
    let start = text.find(['=', '!', '<', '>'])?;
    let (path, rest) = text.split_at_checked(start)?;
    let end = rest.find(|c| !['=', '!', '<', '>'].contains(&c))?;
    let (operator, literal) = rest.split_at_checked(end)?;
    let literal = literal.trim();
    let quoted = literal.strip_prefix('\'').and_then(|literal| literal.strip_suffix('\''));
    let literal = match (quoted, literal) {
        (Some(text), _) => Data::String(text.into()),
        (None, "true") => Data::Bool(true),
        (None, "false") => Data::Bool(false),
        (None, "null") => Data::Null,
        (None, number) => Data::Float(number.parse().ok()?),
    };
    Some(Filter { path: path.trim(), operator, literal })
}

impl JsonPathStep<'_> {
    fn apply<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match self {
            Self::Name(name) => value.as_object().and_then(|object| object.get_exact(name)).into_iter().collect(),
            Self::Index(index) => value.as_array().and_then(|items| items.get(*index)).into_iter().collect(),
            Self::All => members(value),
            Self::Filter(filter) => members(value).into_iter().filter(|item| filter.accepts(item)).collect(),
        }
    }
}

fn members(value: &Value) -> Vec<&Value> {
    match &value.data {
        Data::Array(items) => items.iter().collect(),
        Data::Object(members) => members.iter().map(|member| &member.value).collect(),
        _ => Vec::new(),
    }
}

impl Filter<'_> {
    fn accepts(&self, item: &Value) -> bool {
        let Some(found) = select(item, self.path) else { return false };
        let literal = Value::new(self.literal.clone());
        let order = match (found.as_f64(), literal.as_f64()) {
            (Some(found), Some(literal)) => found.partial_cmp(&literal),
            _ => found.as_str().zip(literal.as_str()).map(|(found, literal)| found.cmp(literal)),
        };
        match self.operator {
            "==" => found.same(&literal),
            "!=" => !found.same(&literal),
            "<" => order == Some(Ordering::Less),
            "<=" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            ">" => order == Some(Ordering::Greater),
            ">=" => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_selected() {
        let text = r#"{"a": [{"b": 1, "c": "x"}, {"b": 5, "c": "y"}], "d e": true}"#;
        let value = crate::syntax::json::parse_computed(&text.into(), 10).unwrap();
        let check = |path, expected: Option<&str>| {
            assert_eq!(select(&value, path).map(|value| value.to_json()).as_deref(), expected, "{path}");
        };
        check("$.a[0].b", Some("1"));
        check("a[1].c", Some("\"y\""));
        check("$['d e']", Some("true"));
        check(".a[?(@.b > 3)].c", Some("[\"y\"]"));
        check(".a[?(@.c == 'x')].b", Some("[1]"));
        check(".a[*].b", Some("[1,5]"));
        check(".a[7]", None);
        check(".a[", None);
        check("..a", None);
    }
}
