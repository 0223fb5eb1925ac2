//! The elements and the metadata of Bicep files.

use crate::bicep::reader::{Declaration, DeclarationKind, Decorator, File, Node, ObjectItem, Range, Shape};
use crate::engine::suppress::elements::{Element, sort};
use crate::engine::suppress::metadata::{InMetadata, OWN};
use crate::text::Span;
use crate::value::{Member, Value};

/// The elements of a file, in the order of their beginnings.
pub(super) fn elements(file: &File) -> Vec<Element> {
    let mut finder = Finder { file, elements: Vec::new() };
    for declaration in &file.declarations {
        let span = file.span(with_decorators(declaration));
        let starts = declaration.decorators.iter().map(|decorator| decorator.range.start);
        let declared = starts.chain([declaration.range.start]);
        finder.elements.extend(declared.map(|start| Element { start, span, first_item: None }));
        declaration.value.iter().chain(&declaration.annotation).for_each(|node| finder.node(node));
    }
    sort(&mut finder.elements);
    finder.elements
}

fn with_decorators(declaration: &Declaration) -> Range {
    let first: Option<&Decorator> = declaration.decorators.first();
    first.map_or(declaration.range, |first| first.range.to(declaration.range))
}

struct Finder<'a> {
    file: &'a File,
    elements: Vec<Element>,
}

impl Finder<'_> {
    fn add(&mut self, range: Range, value: Option<&Node>) {
        let first_item = value.and_then(|node| match &node.shape {
            Shape::Array(items) => items.first().map(|item| item.value.range.start),
            _ => None,
        });
        self.elements.push(Element { start: range.start, span: self.file.span(range), first_item });
    }

    fn node(&mut self, node: &Node) {
        match &node.shape {
            Shape::Object(items) => {
                for item in items {
                    match item {
                        ObjectItem::Property(property) => {
                            self.add(property.range(), Some(&property.value));
                            self.node(&property.value);
                        }
                        ObjectItem::Spread(node) => self.node(node),
                        ObjectItem::Resource(_) => {}
                    }
                }
            }
            Shape::Array(items) => {
                for item in items {
                    self.add(item.value.range, None);
                    self.node(&item.value);
                }
            }
            Shape::Loop(inner) => self.node(&inner.body),
            Shape::Condition(inner) => self.node(&inner.body),
            Shape::Expression(nodes) => nodes.iter().for_each(|node| self.node(node)),
        }
    }
}

/// Adds the suppressions of `metadata formwork = {…}`, which cover the file, and of `@metadata({formwork: {…}})`, which
/// cover the declaration.
pub(super) fn metadata(file: &File, found: &mut InMetadata) {
    let length = u32::try_from(file.text.len()).unwrap_or(u32::MAX);
    for declaration in &file.declarations {
        found.blocks.push(file.span(with_decorators(declaration)));
        if declaration.kind == DeclarationKind::Metadata && file.name(declaration) == OWN {
            let value = declaration.value.as_ref().map(|node| value(file, node));
            if let Some(list) = value.as_ref().and_then(|value| value.get("suppress")) {
                found.own(list, Span::new(file.id, 0, length));
            }
        }
        for decorator in declaration.decorators.iter().filter(|decorator| file.slice(decorator.name) == "metadata") {
            let argument = decorator.arguments.first().map(|node| value(file, node));
            let own = argument.as_ref().and_then(|argument| argument.as_object()?.get_exact(OWN)?.get("suppress"));
            if let Some(list) = own {
                found.own(list, file.span(with_decorators(declaration)));
            }
        }
    }
}

/// The value of a literal; `null` stands for anything else.
fn value(file: &File, node: &Node) -> Value {
    let value = match &node.shape {
        Shape::Object(items) => {
            let members = items.iter().filter_map(|item| match item {
                ObjectItem::Property(property) => {
                    let key = file.word(property.key)?.into_owned();
                    let member = Member::new(key.as_str(), value(file, &property.value));
                    Some(Member { key_span: Some(file.span(property.key)), ..member })
                }
                _ => None,
            });
            Value::object(members.collect())
        }
        Shape::Array(items) => Value::array(items.iter().map(|item| value(file, &item.value)).collect()),
        Shape::Expression(_) if file.slice(node.range).starts_with('\'') => {
            file.word(node.range).map_or(Value::NULL, |text| Value::from(&*text))
        }
        _ => Value::NULL,
    };
    value.at(file.span(node.range))
}
