//! What the reader makes of a text: declarations, and the skeleton of the expressions in them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::bicep::reader::literal;
use crate::text::{FileId, Span};

/// A range of bytes in the text of a [`File`]: half of a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Range {
    /// The range `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// Index of a [`Declaration`] in [`File::declarations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeclarationId(pub usize);

/// One `.bicep` or `.bicepparam` file.
#[derive(Debug)]
pub struct File {
    /// The id of the text.
    pub id: FileId,
    /// The text.
    pub text: Arc<str>,
    /// All declarations in the order in which they end, so that nested resources come before the one around them.
    pub declarations: Vec<Declaration>,
}

impl File {
    /// The span of a range of this file.
    pub fn span(&self, range: Range) -> Span {
        Span::new(self.id, range.start, range.end)
    }

    /// The text of a range.
    pub fn slice(&self, range: Range) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The declaration behind an id.
    pub fn declaration(&self, id: DeclarationId) -> &Declaration {
        &self.declarations[id.0]
    }

    /// The declarations with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (DeclarationId, &Declaration)> {
        self.declarations.iter().enumerate().map(|(at, it)| (DeclarationId(at), it))
    }

    /// The declared name; empty where there is none.
    pub fn name(&self, declaration: &Declaration) -> &str {
        declaration.name.map_or("", |it| self.slice(it))
    }

    /// What an identifier or a string without holes means: the name itself, or the text with its escapes resolved.
    /// `None` for a string with holes.
    pub fn word(&self, range: Range) -> Option<Cow<'_, str>> {
        let raw = self.slice(range);
        if raw.starts_with('\'') { literal::text_of(raw) } else { Some(Cow::Borrowed(raw)) }
    }
}

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationKind {
    /// `targetScope = 'subscription'`
    TargetScope,
    /// `metadata name = value`
    Metadata,
    /// `param name type = default`; in a parameter file `param name = value`
    Param,
    /// `var name type = value`
    Var,
    /// `type name = type`
    Type,
    /// `func name(parameter type) type => value`
    Func,
    /// `import { name as alias } from 'file'`, `import * as name from 'file'`
    Import,
    /// `using 'file'`
    Using,
    /// `extends 'file'`
    Extends,
    /// `resource name 'type@version' existing = body`
    Resource,
    /// `module name 'file' = body`
    Module,
    /// `output name type = value`
    Output,
    /// `assert name = value`
    Assert,
    /// `test name 'file' = body`
    Test,
    /// `extension name with {} as alias`; formerly `provider`, and `import 'name@version'`
    Extension,
    /// `extensionConfig name with {}`
    ExtensionConfig,
}

/// One statement, or one resource nested in another.
#[derive(Debug)]
pub struct Declaration {
    /// What is declared.
    pub kind: DeclarationKind,
    /// From the keyword to the end; decorators are not in it.
    pub range: Range,
    /// The declared name, or the alias of an import.
    pub name: Option<Range>,
    /// The type of a resource, the file of a module or an import, with its quotes.
    pub target: Option<Range>,
    /// Whether a resource is marked `existing`.
    pub existing: bool,
    /// The declared type.
    pub annotation: Option<Node>,
    /// What stands behind `=`, `=>` or `with`.
    pub value: Option<Node>,
    /// What stands before it.
    pub decorators: Vec<Decorator>,
    /// The parameters of a function, the names of an import.
    pub parts: Vec<Part>,
    /// The resource that this one is nested in.
    pub parent: Option<DeclarationId>,
}

impl Declaration {
    /// The body of a resource or module without the loop and the condition around it; else the value.
    pub fn body(&self) -> Option<&Node> {
        let mut node = self.value.as_ref()?;
        loop {
            node = match &node.shape {
                Shape::Loop(it) => &it.body,
                Shape::Condition(it) => &it.body,
                _ => return Some(node),
            };
        }
    }

    /// The loop around the body.
    pub fn iteration(&self) -> Option<&Loop> {
        match &self.value.as_ref()?.shape {
            Shape::Loop(it) => Some(it),
            _ => None,
        }
    }

    /// What stands behind `if`.
    pub fn condition(&self) -> Option<&Node> {
        let node = self.iteration().map_or(self.value.as_ref()?, |it| &it.body);
        match &node.shape {
            Shape::Condition(it) => Some(&it.test),
            _ => None,
        }
    }
}

/// A parameter of a function, or one name of an import.
#[derive(Debug)]
pub struct Part {
    /// The name that is known in this file: an alias, where there is one.
    pub name: Range,
    /// The name in the file that it comes from, where another one is used here.
    pub original: Option<Range>,
    /// From the first to the last of it.
    pub range: Range,
    /// The type of a parameter.
    pub annotation: Option<Node>,
}

/// `@name(arguments)`
#[derive(Debug)]
pub struct Decorator {
    /// All of it.
    pub range: Range,
    /// Its name without a namespace.
    pub name: Range,
    /// What stands in the brackets.
    pub arguments: Vec<Node>,
}

/// A value or a type. Only its skeleton is read: literals of objects and arrays, loops and conditions.
#[derive(Debug)]
pub struct Node {
    /// From its first to its last token.
    pub range: Range,
    /// What it is.
    pub shape: Shape,
}

/// The forms of a [`Node`].
#[derive(Debug)]
pub enum Shape {
    /// `{ name: value }`
    Object(Vec<Member>),
    /// `[ value ]`
    Array(Vec<Item>),
    /// `[for item in source: body]`
    Loop(Box<Loop>),
    /// `if (test) body`, which only resources and modules have.
    Condition(Box<Condition>),
    /// Anything else, with the literals of objects and arrays, and the loops, that are anywhere in it.
    Expression(Vec<Node>),
}

/// What stands in an object.
#[derive(Debug)]
pub enum Member {
    /// `name: value`
    Property(Property),
    /// `...value`
    Spread(Node),
    /// A resource in a resource.
    Resource(DeclarationId),
}

/// `name: value`
#[derive(Debug)]
pub struct Property {
    /// The name: an identifier, a string with its quotes, or `*` in a type.
    pub key: Range,
    /// The value.
    pub value: Node,
    /// Decorators, in a type.
    pub decorators: Vec<Decorator>,
}

impl Property {
    /// Name and value.
    pub fn range(&self) -> Range {
        self.key.to(self.value.range)
    }
}

/// What stands in an array.
#[derive(Debug)]
pub struct Item {
    /// Whether it is `...value`.
    pub spread: bool,
    /// The value.
    pub value: Node,
    /// Decorators, in a tuple type.
    pub decorators: Vec<Decorator>,
}

/// `[for item in source: body]`
#[derive(Debug)]
pub struct Loop {
    /// What it goes over.
    pub source: Node,
    /// What it makes of each item.
    pub body: Node,
}

/// `if (test) body`
#[derive(Debug)]
pub struct Condition {
    /// What stands in the brackets.
    pub test: Node,
    /// What it is about.
    pub body: Node,
}
