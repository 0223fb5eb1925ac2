//! Edits of Bicep files.

use arcstr::ArcStr;

use crate::bicep::language::ast::{DeclarationKind, Expr, Item, Property};
use crate::bicep::language::{SyntaxTree, parse};
use crate::engine::fix::layout::{self, Added, Braces, Extent, InsertionPoint, Lines, Style, insertion};
use crate::text::{FileId, Span};
use crate::value::{Data, Member, Value};

/// Separators of properties in Bicep.
const STYLE: Style = Style { needs_comma: false, padding: " ", is_free: true };

/// The prefix that turns an expression into a complete file.
const BEFORE: &str = "var it = ";

/// Returns the literal that replaces `old` with `value`. `None` unless `old` is the literal of `found`.
pub(super) fn literal(file: FileId, old: &str, found: &Value, value: &Value) -> Option<String> {
    means(file, old, found).then_some(())?;
    written(value)
}

/// Returns the type of a resource that replaces `old`, with the version `value`. `None` unless `old` is a type with the
/// version `found`.
pub(super) fn with_version(old: &str, found: &Value, value: &Value) -> Option<String> {
    let start = old.strip_prefix('\'')?.strip_suffix('\'')?.strip_suffix(found.as_str()?)?;
    let version = value.as_str().filter(|_| start.ends_with('@'))?;
    Some(format!("'{start}{version}'"))
}

/// Returns the name of a property that replaces `old`, quoted like it.
pub(super) fn name(old: &str, name: &Value) -> Option<String> {
    let text = name.as_str()?;
    if !old.starts_with('\'') && is_identifier(text) { Some(text.to_owned()) } else { written(name) }
}

fn is_identifier(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_of_name) && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Adds properties to the object at `span`. `None` if that is not an object, already has such a property, or contains
/// spreads, nested resources or computed names.
pub(super) fn members(span: Span, text: &str, new: &[Member]) -> Option<Added> {
    let (open, end) = (span.start as usize, span.end as usize);
    let object = text.get(open..end).filter(|text| text.starts_with('{') && text.ends_with('}'))?;
    let names = names(span.file, object)?;
    let is_there = |key: &str| names.iter().any(|name| name.eq_ignore_ascii_case(key));
    if new.iter().any(|member| !is_identifier(&member.key) || is_there(&member.key)) {
        return None;
    }
    let braces = Braces { open, close: end - 1, members: extents(span.file, object, open)? };
    let titles: Option<Vec<String>> = new.iter().map(|member| property(member, None)).collect();
    let each: Vec<_> = new
        .iter()
        .map(|member| move |place: &InsertionPoint<'_>| property(member, Some(place)).unwrap_or_default())
        .collect();
    let each: Vec<layout::Member<'_>> = each.iter().map(|member| member as layout::Member<'_>).collect();
    let title = titles?.join(", ");
    let (range, inserted) = insertion(text, &braces, &each, STYLE)?;
    let patched = format!("{}{inserted}{}", text.get(open..range.start)?, text.get(range.end..end)?);
    let mut wanted = names;
    wanted.extend(new.iter().map(|member| member.key.to_string()));
    (self::names(span.file, &patched)? == wanted).then_some(Added { range, text: inserted, title })
}

/// Returns a property as text. Objects in it have their properties on lines of their own if it has one.
fn property(member: &Member, place: Option<&InsertionPoint<'_>>) -> Option<String> {
    let colon = place.map_or(": ", |place| place.colon);
    let Some(object) = member.value.as_object().filter(|object| !object.is_empty()) else {
        return Some(format!("{}{colon}{}", member.key, written(&member.value)?));
    };
    if object.iter().any(|member| !is_identifier(&member.key)) {
        return None;
    }
    let Some(lines) = place.and_then(|place| place.lines) else {
        let members: Option<Vec<String>> = object.iter().map(|member| property(member, None)).collect();
        return Some(format!("{}{colon}{{ {} }}", member.key, members?.join(", ")));
    };
    let indent = format!("{}{}", lines.indent, lines.unit);
    let inner = InsertionPoint { colon, lines: Some(Lines { indent: &indent, ..lines }) };
    let members: Option<Vec<String>> =
        object.iter().map(|member| Some(format!("{indent}{}", property(member, Some(&inner))?))).collect();
    let end = lines.end;
    Some(format!("{}{colon}{{{end}{}{end}{}}}", member.key, members?.join(end), lines.indent))
}

/// Parses an expression as the value of a variable. `None` unless it is a single valid expression.
fn read(file: FileId, expression: &str) -> Option<SyntaxTree> {
    let tree = parse(file, &ArcStr::from(format!("{BEFORE}{expression}\n")));
    let is_one = tree.declarations.len() == 1 && tree.problems.is_empty();
    is_one.then_some(tree)
}

/// Returns the expression, if it covers all of the source.
fn whole<'t>(tree: &'t SyntaxTree, expression: &str) -> Option<&'t Expr> {
    let DeclarationKind::Var { value, .. } = &tree.declarations.first()?.kind else { return None };
    let range = (value.span.start as usize, value.span.end as usize);
    (range == (BEFORE.len(), BEFORE.len() + expression.len())).then_some(value)
}

fn properties<'t>(tree: &'t SyntaxTree, object: &str) -> Option<Vec<&'t Property>> {
    let items = whole(tree, object)?.as_object()?;
    let properties = items.iter().map(|item| match item {
        Item::Property(property) => Some(property),
        Item::Spread(_) | Item::Resource(_) => None,
    });
    properties.collect()
}

/// Returns the names of the properties of an object. `None` if one is computed.
fn names(file: FileId, object: &str) -> Option<Vec<String>> {
    let tree = read(file, object)?;
    let properties = properties(&tree, object)?;
    properties.iter().map(|property| property.name().map(ToOwned::to_owned)).collect()
}

fn extents(file: FileId, object: &str, open: usize) -> Option<Vec<Extent>> {
    let tree = read(file, object)?;
    let at = |offset: u32| (offset as usize - BEFORE.len()) + open;
    let extent = |property: &&Property| Extent {
        start: at(property.key.span.start),
        key_end: at(property.key.span.end),
        value_start: at(property.value.span.start),
        end: at(property.value.span.end),
    };
    Some(properties(&tree, object)?.iter().map(extent).collect())
}

/// Returns `true` if `text` is a literal of this value.
fn means(file: FileId, text: &str, value: &Value) -> bool {
    match &value.data {
        Data::Bool(it) => text == it.to_string(),
        Data::Int(it) => text == it.to_string(),
        Data::String(it) => {
            let tree = read(file, text).filter(|_| text.starts_with('\'') && !text.contains('\n'));
            let literal = tree.as_ref().and_then(|tree| whole(tree, text)?.literal());
            literal.is_some_and(|literal| *literal == **it)
        }
        _ => false,
    }
}

/// Returns a value as a Bicep literal. `None` for numbers with a fraction, which Bicep lacks, for strings with escapes,
/// and for objects with properties.
fn written(value: &Value) -> Option<String> {
    match &value.data {
        Data::Bool(it) => Some(it.to_string()),
        Data::Int(it) => Some(it.to_string()),
        Data::String(it) => {
            let is_simple = !it.contains(['\'', '\\', '$']) && !it.contains(char::is_control);
            is_simple.then(|| format!("'{it}'"))
        }
        Data::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(written).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Data::Object(object) if object.is_empty() => Some("{}".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    /// Returns the object with a property `new: true`; `None` where nothing is changed.
    fn with_member(before: &str, object: &str) -> Option<String> {
        let text = format!("{before}{object}\n");
        let file = Sources::new().add("a.bicep", text.as_str());
        let (start, end) = (before.len(), before.len() + object.len());
        let span = Span::new(file, u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        let Added { range, text: new, .. } = members(span, &text, &[Member::new("new", Value::from(true))])?;
        Some(format!("{}{new}{}", &text[start..range.start], &text[range.end..end]))
    }

    #[track_caller]
    fn check(before: &str, object: &str, wanted: &str) {
        assert_eq!(with_member(before, object).as_deref(), Some(wanted), "{object:?}");
    }

    #[test]
    fn a_property_goes_on_a_line_of_its_own_behind_others_that_do() {
        check("p: ", "{\n    a: 1\n  }", "{\n    a: 1\n    new: true\n  }");
        check("p: ", "{\r\n\ta: 'x' // y\r\n}", "{\r\n\ta: 'x' // y\r\n\tnew: true\r\n}");
        check("p: ", "{\n  a: {\n    b: 1\n  }\n}", "{\n  a: {\n    b: 1\n  }\n  new: true\n}");
        check("p: ", "{\n  a: 1,\n}", "{\n  a: 1,\n  new: true,\n}");
        check("p: ", "{\n  a: b ? 'x' : 'y'\n}", "{\n  a: b ? 'x' : 'y'\n  new: true\n}");
    }

    #[test]
    fn one_line_stays_one_line_and_an_empty_object_is_opened() {
        check("p: ", "{ a: 1, b: 2 }", "{ a: 1, b: 2, new: true }");
        check("p: ", "{ a: 1 }", "{ a: 1, new: true }");
        check("x = {\n  p: ", "{}", "{\n    new: true\n  }");
        check("x = f(", "{}", "{ new: true }");
    }

    #[test]
    fn what_may_have_the_property_already_stays_as_it_is() {
        for object in ["{\n  New: null\n}", "{\n  ...x\n}", "{\n  '${x}': 1\n}", "union({}, {})", "{\n  'new': 1\n}"] {
            assert_eq!(with_member("p: ", object), None, "{object}");
        }
    }

    #[test]
    fn objects_that_are_missing_on_the_way_are_written_as_the_file_is() {
        let inner = Value::object(vec![Member::new("action", Value::from("Deny"))]);
        let acls =
            Value::object(vec![Member::new("inner", inner), Member::new("list", Value::array(vec![Value::from(1)]))]);
        let new = [Member::new("acls", acls), Member::new("on", Value::from(true))];
        let check = |text: &str, wanted: &str| {
            let file = Sources::new().add("a.bicep", text);
            let open = text.find('{').expect("there is an object");
            let span = Span::new(file, u32::try_from(open).expect("short"), u32::try_from(text.len()).expect("short"));
            let Added { range, text: new, .. } = members(span, text, &new).expect("it can be added");
            assert_eq!(format!("{}{new}{}", &text[..range.start], &text[range.end..]), wanted);
        };
        check(
            "p: {\n  a: 1\n}",
            "p: {\n  a: 1\n  acls: {\n    inner: {\n      action: 'Deny'\n    }\n    list: [1]\n  }\n  on: true\n}",
        );
        check("p: { a: 1 }", "p: { a: 1, acls: { inner: { action: 'Deny' }, list: [1] }, on: true }");
    }

    #[track_caller]
    fn check_literal(old: &str, found: &Value, value: &Value, wanted: Option<&str>) {
        let file = Sources::new().add("a.bicep", "");
        assert_eq!(literal(file, old, found, value).as_deref(), wanted, "{old}");
    }

    #[test]
    fn the_version_of_a_type_is_replaced() {
        let (found, value) = (Value::from("2021-01-01"), Value::from("2024-01-01"));
        let check = |old, expected: Option<&str>| {
            assert_eq!(with_version(old, &found, &value).as_deref(), expected, "{old}");
        };
        check("'A.B/c@2021-01-01'", Some("'A.B/c@2024-01-01'"));
        check("'A.B/c@2022-01-01'", None);
        check("'2021-01-01'", None);
        check("'c'", None);
    }

    #[test]
    fn only_literals_are_replaced() {
        let (yes, text) = (Value::from(true), Value::from("Deny"));
        check_literal("false", &Value::from(false), &yes, Some("true"));
        check_literal("'Allow'", &Value::from("Allow"), &text, Some("'Deny'"));
        check_literal(r"'it\'s'", &Value::from("it's"), &text, Some("'Deny'"));
        check_literal("7", &Value::from(7), &Value::from(90), Some("90"));
        check_literal("https", &Value::from(false), &yes, None);
        check_literal("'a${b}'", &Value::from("ab"), &text, None);
        check_literal("'''\nAllow'''", &Value::from("Allow"), &text, None);
        check_literal("'Allow' ", &Value::from("Allow"), &text, None);
        check_literal("false", &Value::from(false), &Value::from(1.5), None);
        check_literal("false", &Value::from(false), &Value::from("it's"), None);
    }
}
