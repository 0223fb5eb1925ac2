//! The syntax tree: declarations, and the skeletons of the expressions in them.

use std::borrow::Cow;

use arcstr::ArcStr;

use crate::bicep::reader::literal;
use crate::text::{FileId, Span};

/// A range of bytes in the text of a [`File`]: half of a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Range {
    /// The range from `start` up to but not including `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that contains both ranges.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// The index of a [`Declaration`] in [`File::declarations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeclarationId(pub usize);

/// One `.bicep` or `.bicepparam` file.
#[derive(Debug)]
pub struct File {
    /// The id of the text that was read.
    pub id: FileId,
    /// The whole text of the file.
    pub text: ArcStr,
    /// All declarations in the order in which they end, so nested resources come before their parent.
    pub declarations: Vec<Declaration>,
}

impl File {
    /// The span of a range in this file.
    pub fn span(&self, range: Range) -> Span {
        Span::new(self.id, range.start, range.end)
    }

    /// The text in a range of this file. Empty if the file does not have the range.
    pub fn slice(&self, range: Range) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The declaration with an id of this file.
    #[expect(clippy::indexing_slicing, reason = "an id is the index of a declaration, and the tree never changes")]
    pub fn declaration(&self, id: DeclarationId) -> &Declaration {
        &self.declarations[id.0]
    }

    /// All declarations with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (DeclarationId, &Declaration)> {
        self.declarations.iter().enumerate().map(|(at, declaration)| (DeclarationId(at), declaration))
    }

    /// The declared name. Empty if the declaration has none.
    pub fn name(&self, declaration: &Declaration) -> &str {
        declaration.name.map_or("", |name| self.slice(name))
    }

    /// The name that an identifier or a string literal stands for, with the escapes resolved. `None` for a string with
    /// interpolations.
    pub fn word(&self, range: Range) -> Option<Cow<'_, str>> {
        let raw = self.slice(range);
        if raw.starts_with('\'') { literal::text_of(raw) } else { Some(Cow::Borrowed(raw)) }
    }
}

/// The kinds of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationKind {
    /// `targetScope = 'subscription'`.
    TargetScope,
    /// `metadata name = value`.
    Metadata,
    /// `param name type = default`, or `param name = value` in a parameter file.
    Param,
    /// `var name type = value`.
    Var,
    /// `type name = type`.
    Type,
    /// `func name(parameter type) type => value`.
    Func,
    /// `import { name as alias } from 'file'` or `import * as name from 'file'`.
    Import,
    /// `using 'file'`.
    Using,
    /// `extends 'file'`.
    Extends,
    /// `resource name 'type@version' existing = body`.
    Resource,
    /// `module name 'file' = body`.
    Module,
    /// `output name type = value`.
    Output,
    /// `assert name = value`.
    Assert,
    /// `test name 'file' = body`.
    Test,
    /// `extension name with {} as alias`, formerly `provider name` or `import 'name@version'`.
    Extension,
    /// `extensionConfig name with {}`.
    ExtensionConfig,
}

/// One statement, or one resource nested in another.
#[derive(Debug)]
pub struct Declaration {
    /// The kind of the declaration.
    pub kind: DeclarationKind,
    /// The range from the keyword to the end, without decorators.
    pub range: Range,
    /// The declared name, or the alias of an import.
    pub name: Option<Range>,
    /// The type of a resource, or the file of a module or an import, with its quotes.
    pub target: Option<Range>,
    /// Whether a resource is declared as `existing`.
    pub existing: bool,
    /// The declared type. That of a function is the type of its result.
    pub annotation: Option<Node>,
    /// The node after `=`, `=>` or `with`.
    pub value: Option<Node>,
    /// The decorators before the keyword.
    pub decorators: Vec<Decorator>,
    /// The parameters of a function, or the names of an import.
    pub parts: Vec<Part>,
    /// The resource that this one is nested in.
    pub parent: Option<DeclarationId>,
}

impl Declaration {
    /// The value without the loop and the condition around it. `None` if there is no value.
    pub fn body(&self) -> Option<&Node> {
        let mut node = self.value.as_ref()?;
        loop {
            node = match &node.shape {
                Shape::Loop(inner) => &inner.body,
                Shape::Condition(inner) => &inner.body,
                _ => return Some(node),
            };
        }
    }

    /// The loop around the body. `None` if there is none.
    pub fn iteration(&self) -> Option<&Loop> {
        match &self.value.as_ref()?.shape {
            Shape::Loop(iteration) => Some(iteration),
            _ => None,
        }
    }

    /// The test of the `if` around the body. `None` if there is none.
    pub fn condition(&self) -> Option<&Node> {
        let node = self.iteration().map_or(self.value.as_ref()?, |iteration| &iteration.body);
        match &node.shape {
            Shape::Condition(condition) => Some(&condition.test),
            _ => None,
        }
    }
}

/// A parameter of a function, or one name of an import.
#[derive(Debug)]
pub struct Part {
    /// The name in this file, which is the alias of an import if it has one.
    pub name: Range,
    /// The name in the imported file. `None` if it is the same.
    pub original: Option<Range>,
    /// The range of the whole part.
    pub range: Range,
    /// The type of a function's parameter.
    pub annotation: Option<Node>,
}

/// A decorator, `@name(arguments)`.
#[derive(Debug)]
pub struct Decorator {
    /// The range of the whole decorator.
    pub range: Range,
    /// The name without its namespace.
    pub name: Range,
    /// The arguments in the parentheses.
    pub arguments: Vec<Node>,
}

/// The skeleton of a value or a type: object and array literals, loops and conditions.
#[derive(Debug)]
pub struct Node {
    /// The range from its first to its last token.
    pub range: Range,
    /// The form of the node, with its children.
    pub shape: Shape,
}

/// The forms of a [`Node`].
#[derive(Debug)]
pub enum Shape {
    /// An object literal, `{ name: value }`.
    Object(Vec<ObjectItem>),
    /// An array literal, `[ value ]`.
    Array(Vec<ArrayItem>),
    /// A loop, `[for item in source: body]`.
    Loop(Box<Loop>),
    /// A condition, `if (test) body`. Only resources and modules have one.
    Condition(Box<Condition>),
    /// Any other expression, with the outermost literals and loops in it.
    Expression(Vec<Node>),
}

/// An item of an object literal.
#[derive(Debug)]
pub enum ObjectItem {
    /// A property, `name: value`.
    Property(Property),
    /// A spread, `...value`.
    Spread(Node),
    /// A resource nested in the body of another one.
    Resource(DeclarationId),
}

/// A property of an object literal or an object type, `name: value`.
#[derive(Debug)]
pub struct Property {
    /// The name: an identifier, a string with its quotes, or `*` in a type.
    pub key: Range,
    /// The value, or the type in an object type.
    pub value: Node,
    /// The decorators, which only properties of types have.
    pub decorators: Vec<Decorator>,
}

impl Property {
    /// The range of the name and the value.
    pub fn range(&self) -> Range {
        self.key.to(self.value.range)
    }
}

/// An item of an array literal or a tuple type.
#[derive(Debug)]
pub struct ArrayItem {
    /// Whether it is a spread, `...value`.
    pub spread: bool,
    /// The value, or the type in a tuple type.
    pub value: Node,
    /// The decorators, which only items of tuple types have.
    pub decorators: Vec<Decorator>,
}

/// A loop, `[for item in source: body]`.
#[derive(Debug)]
pub struct Loop {
    /// The array that it iterates over.
    pub source: Node,
    /// The value for each item.
    pub body: Node,
}

/// A conditional body, `if (test) body`.
#[derive(Debug)]
pub struct Condition {
    /// The expression in the parentheses.
    pub test: Node,
    /// The body of the resource or module.
    pub body: Node,
}
