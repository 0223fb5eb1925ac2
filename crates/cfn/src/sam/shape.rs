//! Checks the properties of SAM resources, and the section `Globals`, against the shapes that the transform knows.
//!
//! What the transform passes on is checked where it arrives, in the generated resource.

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::Breach;
use crate::diagnostic::Check;
use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::model::{join_index, join_key};
use crate::sam::SAM_INVALID;
use crate::sam::intrinsics::is_intrinsic;
use crate::sam::known;
use crate::sam::{PREFIX, Sam, Source};
use crate::schema::checks::{SCHEMA_TYPE, SCHEMA_UNKNOWN_PROPERTY, SCHEMA_VALUE};
use crate::text::{Span, did_you_mean};
use crate::value::{Data, Member, Object, Value};

/// Maximum number of values of an enumeration in a message.
const MAX_NAMED: usize = 8;

/// The shapes by their names, which begin with the name of a file.
static SHAPES: LazyLock<HashMap<&'static str, Shape>> = LazyLock::new(|| parse(include_str!("shapes.txt")));

/// The files of shapes, by the last part of a type.
const FILES: [(&str, &str); 11] = [
    ("Api", "api"),
    ("Application", "application"),
    ("CapacityProvider", "capacity_provider"),
    ("Connector", "connector"),
    ("Function", "function"),
    ("GraphQLApi", "graphqlapi"),
    ("HttpApi", "httpapi"),
    ("LayerVersion", "layerversion"),
    ("SimpleTable", "simpletable"),
    ("StateMachine", "statemachine"),
    ("WebSocketApi", "websocketapi"),
];

/// The properties of an object, in the order of SAM's schema.
#[derive(Debug, Default)]
struct Shape(Vec<Field>);

#[derive(Debug)]
struct Field {
    name: &'static str,
    is_required: bool,
    /// Allowed kinds; empty if any value is allowed.
    kinds: Vec<ValueShape>,
}

/// Allowed kind of a value. An intrinsic function is allowed for each kind.
#[derive(Debug)]
enum ValueShape {
    Scalar,
    Text(&'static str),
    List(Vec<ValueShape>),
    Map(Vec<ValueShape>),
    Shape(&'static str),
}

impl Shape {
    fn field(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|field| field.name == name)
    }

    /// Returns `true` if `Type` may have this value.
    fn has_type(&self, name: &str) -> bool {
        let kinds = self.field("Type").map_or(&[][..], |field| &field.kinds);
        kinds.iter().any(|kind| matches!(kind, ValueShape::Text(text) if *text == name))
    }
}

fn parse(text: &'static str) -> HashMap<&'static str, Shape> {
    let mut shapes: HashMap<&'static str, Shape> = HashMap::default();
    let mut current = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some(field) = line.strip_prefix("  ") else {
            current = line;
            shapes.entry(current).or_default();
            continue;
        };
        let Some((name, kinds)) = field.split_once(' ') else { continue };
        let is_required = name.ends_with('!');
        let field = Field { name: name.trim_end_matches('!'), is_required, kinds: kinds_of(kinds) };
        shapes.entry(current).or_default().0.push(field);
    }
    shapes
}

/// Alternatives, separated by `|` outside of brackets.
fn kinds_of(text: &'static str) -> Vec<ValueShape> {
    let mut kinds = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    let mut push = |part: &'static str| kinds.extend(kind_of(part));
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => {
                push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    push(text.get(start..).unwrap_or_default());
    kinds
}

/// Reads the kind of a value. `None` if any value is allowed.
fn kind_of(text: &'static str) -> Option<ValueShape> {
    let within = |open: char, close: char| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Some(name) = text.strip_prefix('@') {
        return Some(ValueShape::Shape(name));
    }
    if let Some(value) = text.strip_prefix('=') {
        return Some(ValueShape::Text(value));
    }
    if let Some(items) = within('[', ']') {
        return Some(ValueShape::List(kinds_of(items)));
    }
    if let Some(values) = within('{', '}') {
        return Some(ValueShape::Map(kinds_of(values)));
    }
    match text {
        "map" => Some(ValueShape::Map(Vec::new())),
        "list" => Some(ValueShape::List(Vec::new())),
        "any" | "intrinsic" => None,
        _ => Some(ValueShape::Scalar),
    }
}

impl Sam<'_, '_> {
    /// Checks what a resource declares itself. `globals` are those of its type, which may have what it lacks.
    pub(super) fn check_shape(&self, source: &Source, globals: Option<&Value>) {
        let Some((file, known)) = file_of(&source.kind).zip(known::find(known::TYPES, &source.kind)) else { return };
        let Some(properties) = source.body.get("Properties") else { return };
        let path = join_key(&source.origin.path, "Properties");
        let Some(object) = properties.as_object() else {
            return self.wrong_kind(properties, &path, "Properties", "an object");
        };
        let Some(shape) = SHAPES.get(format!("{file}.Properties").as_str()) else { return };
        for member in object.iter().filter(|member| !member.key.starts_with("Fn::")) {
            match shape.field(&member.key) {
                Some(field) => {
                    let is_merged = globals.is_some_and(|globals| globals.get(&member.key).is_some());
                    let checker = ShapeChecker { sam: self, has_all: !is_merged };
                    checker.value(&member.value, &field.kinds, &join_key(&path, &member.key), &member.key);
                }
                None if known.has(&member.key) => {}
                None => {
                    let names = shape.0.iter().map(|field| field.name);
                    let message = format!(
                        "`{}` has no property `{}`{}",
                        source.kind,
                        member.key,
                        did_you_mean(&member.key, names)
                    );
                    self.breach(TEMPLATE_PROPERTY, member.span(), join_key(&path, &member.key), message);
                }
            }
        }
    }

    /// Checks the section `Globals`.
    pub(super) fn check_globals(&self, section: &Member) {
        let Some(globals) = section.value.as_object() else {
            return self.wrong_kind(&section.value, "Globals", "Globals", "an object");
        };
        for member in globals {
            let path = join_key("Globals", &member.key);
            let file = FILES.iter().find(|(name, _)| *member.key == **name).map(|(_, file)| file);
            let shape = file.and_then(|file| SHAPES.get(format!("{file}.Globals").as_str()));
            let Some(shape) = shape else {
                let names = FILES.iter().map(|(name, _)| *name);
                let names =
                    names.filter(|name| *name != "Application" && *name != "Connector" && *name != "GraphQLApi");
                let message = format!("`Globals` has no section `{}`{}", member.key, did_you_mean(&member.key, names));
                self.breach(TEMPLATE_PROPERTY, member.span(), path, message);
                continue;
            };
            let Some(properties) = member.value.as_object() else {
                self.wrong_kind(&member.value, &path, &member.key, "an object");
                continue;
            };
            let known = known::find(known::TYPES, &format!("{PREFIX}{}", member.key));
            for property in properties.iter().filter(|property| !property.key.starts_with("Fn::")) {
                let path = join_key(&path, &property.key);
                if let Some(field) = shape.field(&property.key) {
                    let checker = ShapeChecker { sam: self, has_all: false };
                    checker.value(&property.value, &field.kinds, &path, &property.key);
                    continue;
                }
                let names = shape.0.iter().map(|field| field.name);
                let is_of_resource = known.is_some_and(|known| known.has(&property.key));
                let hint = if is_of_resource { String::new() } else { did_you_mean(&property.key, names) };
                let message = format!("`Globals` has no property `{}` for `{}`{hint}", property.key, member.key);
                self.breach(TEMPLATE_PROPERTY, property.span(), path, message);
            }
        }
    }

    /// Reports what the transform rejects.
    pub(super) fn breach(&self, check: Check, span: Option<Span>, path: impl Into<String>, message: impl Into<String>) {
        if let Some(span) = span {
            self.stack.world.report_breach(Breach {
                check,
                path: path.into(),
                message: message.into(),
                span,
                is_pedantic: false,
                severity: None,
                further: Vec::new(),
            });
        }
    }

    pub(super) fn wrong_kind(&self, value: &Value, path: &str, name: &str, expected: &str) {
        let message = format!("`{name}` is {}; expected {expected}", described(value));
        self.breach(SCHEMA_TYPE, value.span, path, message);
    }
}

/// Checks the values of one property.
struct ShapeChecker<'s, 'c, 'a> {
    sam: &'c Sam<'s, 'a>,
    /// True if nothing else adds properties that the value lacks.
    has_all: bool,
}

impl ShapeChecker<'_, '_, '_> {
    /// Checks a value. Of several shapes, that counts which has the `Type` of the value; if there is none, the only
    /// one.
    fn value(&self, value: &Value, kinds: &[ValueShape], path: &str, name: &str) {
        if kinds.is_empty() || value.is_null() || is_intrinsic(value) {
            return;
        }
        match &value.data {
            Data::Object(object) => self.object(value, object, kinds, path, name),
            Data::Array(items) => {
                let Some(of_items) = kinds.iter().find_map(|kind| match kind {
                    ValueShape::List(items) => Some(items),
                    _ => None,
                }) else {
                    return self.sam.wrong_kind(value, path, name, &expected(kinds));
                };
                for (index, item) in items.iter().enumerate() {
                    self.value(item, of_items, &join_index(path, index), name);
                }
            }
            Data::Unknown(_) | Data::Null => {}
            Data::Bool(_) | Data::Int(_) | Data::BigInt(_) | Data::Float(_) | Data::String(_) => {
                let is_scalar = |kind: &ValueShape| matches!(kind, ValueShape::Scalar | ValueShape::Text(_));
                if !kinds.iter().any(is_scalar) {
                    return self.sam.wrong_kind(value, path, name, &expected(kinds));
                }
                self.text(value, kinds, path, name);
            }
        }
    }

    fn text(&self, value: &Value, kinds: &[ValueShape], path: &str, name: &str) {
        let Some(text) = value.as_str() else { return };
        let is_other = |kind: &ValueShape| {
            matches!(kind, ValueShape::Scalar) || matches!(kind, ValueShape::Text(known) if *known == text)
        };
        if kinds.iter().any(is_other) {
            return;
        }
        let message = format!("`{name}` is `{text}`; expected {}", expected(kinds));
        self.sam.breach(SCHEMA_VALUE, value.span, path, message);
    }

    fn object(&self, value: &Value, object: &Object, kinds: &[ValueShape], path: &str, name: &str) {
        let shapes: Vec<&Shape> = kinds
            .iter()
            .filter_map(|kind| match kind {
                ValueShape::Shape(name) => SHAPES.get(name),
                _ => None,
            })
            .collect();
        let type_name = object.get_exact("Type").and_then(Value::as_str);
        let typed = shapes.iter().find(|shape| type_name.is_some_and(|name| shape.has_type(name)));
        match (typed, shapes.as_slice()) {
            (Some(shape), _) | (None, [shape]) => return self.members(value, object, shape, path, name),
            (None, [_, ..]) => return,
            (None, []) => {}
        }
        let of_values = kinds.iter().find_map(|kind| match kind {
            ValueShape::Map(values) => Some(values),
            _ => None,
        });
        let Some(of_values) = of_values else {
            return self.sam.wrong_kind(value, path, name, &expected(kinds));
        };
        for member in object.iter().filter(|member| !member.key.starts_with("Fn::")) {
            self.value(&member.value, of_values, &join_key(path, &member.key), &member.key);
        }
    }

    fn members(&self, value: &Value, object: &Object, shape: &Shape, path: &str, name: &str) {
        for member in object.iter().filter(|member| !member.key.starts_with("Fn::")) {
            let path = join_key(path, &member.key);
            if let Some(field) = shape.field(&member.key) {
                self.value(&member.value, &field.kinds, &path, &member.key);
                continue;
            }
            let names = shape.0.iter().map(|field| field.name);
            let message = format!("`{name}` has no property `{}`{}", member.key, did_you_mean(&member.key, names));
            self.sam.breach(SCHEMA_UNKNOWN_PROPERTY, member.span(), path, message);
        }
        let is_open = object.iter().any(|member| member.key.starts_with("Fn::"));
        let is_there = |field: &&Field| object.get_exact(field.name).is_some_and(|value| !value.is_null());
        let missing = shape.0.iter().filter(|field| field.is_required && self.has_all && !is_open);
        for field in missing.filter(|field| !is_there(field)) {
            let message = format!("`{name}` lacks the required property `{}`", field.name);
            let span = value.span.map(|span| Span { end: span.end.min(span.start + 1), ..span });
            self.sam.breach(SAM_INVALID, span, join_key(path, field.name), message);
        }
    }
}

/// Returns `true` if SAM's schema has a property of a type.
pub(super) fn has(kind: &str, property: &str) -> bool {
    let shape = file_of(kind).and_then(|file| SHAPES.get(format!("{file}.Properties").as_str()));
    shape.is_some_and(|shape| shape.field(property).is_some())
}

fn file_of(kind: &str) -> Option<&'static str> {
    let name = kind.strip_prefix(PREFIX)?;
    FILES.iter().find(|(known, _)| *known == name).map(|(_, file)| *file)
}

/// Returns the kind of a value, with an article, for a message.
fn described(value: &Value) -> &'static str {
    match &value.data {
        Data::Object(_) => "an object",
        Data::Array(_) => "an array",
        Data::String(_) => "a string",
        Data::Bool(_) => "a Boolean",
        Data::Null => "`null`",
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => "a number",
        Data::Unknown(_) => "unknown",
    }
}

fn expected(kinds: &[ValueShape]) -> String {
    let text = |kind: &ValueShape| match kind {
        ValueShape::Text(text) => Some(format!("`{text}`")),
        _ => None,
    };
    let texts: Vec<String> = kinds.iter().filter_map(text).take(MAX_NAMED).collect();
    let has = |is_it: fn(&ValueShape) -> bool| kinds.iter().any(is_it);
    let mut words = Vec::new();
    if has(|kind| matches!(kind, ValueShape::Shape(_) | ValueShape::Map(_))) {
        words.push("an object".to_owned());
    }
    if has(|kind| matches!(kind, ValueShape::List(_))) {
        words.push("an array".to_owned());
    }
    if has(|kind| matches!(kind, ValueShape::Scalar)) {
        words.push("a string, a number, or a Boolean".to_owned());
    }
    if !texts.is_empty() {
        let one_of = if texts.len() > 1 { "one of " } else { "" };
        words.push(format!("{one_of}{}", texts.join(", ")));
    }
    words.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the names of the shapes in `kinds`.
    fn names<'k>(kinds: &'k [ValueShape], found: &mut Vec<&'k str>) {
        for kind in kinds {
            match kind {
                ValueShape::Shape(name) => found.push(name),
                ValueShape::List(inner) | ValueShape::Map(inner) => names(inner, found),
                ValueShape::Scalar | ValueShape::Text(_) => {}
            }
        }
    }

    #[test]
    fn each_shape_that_is_named_is_there() {
        let mut found = Vec::new();
        SHAPES.values().flat_map(|shape| &shape.0).for_each(|field| names(&field.kinds, &mut found));
        let missing: Vec<&str> = found.into_iter().filter(|name| !SHAPES.contains_key(name)).collect();
        assert_eq!(missing, [""; 0]);
        for (_, file) in FILES {
            assert!(SHAPES.contains_key(format!("{file}.Properties").as_str()), "{file}");
        }
    }
}
