//! Nodes of a syntax tree. Each has its span. Expressions and types know their depth: the parser rejects those that
//! are too deep, so code that walks a tree can recurse.
//!
//! Names and strings share the text of their file.

use std::sync::Arc;

use arcstr::Substr;

use crate::text::Span;

/// A name in the source text.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: Substr,
    pub span: Span,
}

/// A declaration at the top of a file, with its decorators.
#[derive(Debug)]
pub struct Declaration {
    /// Decorators. Those of a resource belong to its [`Resource`].
    pub decorators: Vec<Decorator>,
    /// Span from the keyword to the end.
    pub span: Span,
    pub kind: DeclarationKind,
}

impl Declaration {
    /// Returns the name that the declaration adds to its file.
    pub fn name(&self) -> Option<&Name> {
        match &self.kind {
            DeclarationKind::Metadata { name, .. }
            | DeclarationKind::Param { name, .. }
            | DeclarationKind::Var { name, .. }
            | DeclarationKind::Type { name, .. }
            | DeclarationKind::Output { name, .. }
            | DeclarationKind::Assert { name, .. }
            | DeclarationKind::ExtensionConfig { name, .. } => Some(name),
            DeclarationKind::Func(function) => Some(&function.name),
            DeclarationKind::Resource(resource) => Some(&resource.name),
            DeclarationKind::Module(module) | DeclarationKind::Test(module) => Some(&module.name),
            DeclarationKind::Import(Import { names: ImportNames::All(name), .. }) => Some(name),
            DeclarationKind::Extension(extension) => Some(extension.alias.as_ref().unwrap_or(&extension.specification)),
            DeclarationKind::Skipped
            | DeclarationKind::TargetScope(_)
            | DeclarationKind::Import(_)
            | DeclarationKind::Using { .. }
            | DeclarationKind::Extends(_) => None,
        }
    }
}

#[derive(Debug)]
pub enum DeclarationKind {
    /// Text that is not a declaration, or a declaration whose name or type cannot be parsed.
    Skipped,
    TargetScope(Expr),
    Metadata {
        name: Name,
        value: Expr,
    },
    /// `param name type = value`; a parameter file has only the value.
    Param {
        name: Name,
        ty: Option<TypeExpr>,
        value: Option<Expr>,
    },
    Var {
        name: Name,
        ty: Option<TypeExpr>,
        value: Expr,
    },
    Type {
        name: Name,
        ty: TypeExpr,
    },
    Func(Function),
    Output {
        name: Name,
        ty: TypeExpr,
        value: Expr,
    },
    Assert {
        name: Name,
        value: Expr,
    },
    Resource(Arc<Resource>),
    Module(Module),
    /// `test name 'file' = body`, which is never deployed.
    Test(Module),
    Import(Import),
    Extension(Extension),
    /// `using 'file' with {}`.
    Using {
        /// `None` for `using none`.
        target: Option<Text>,
        config: Option<Expr>,
    },
    Extends(Text),
    /// `extensionConfig name with {}`, which no template contains.
    ExtensionConfig {
        name: Name,
        config: Option<Expr>,
    },
}

/// `func name(parameter type) type => body`.
#[derive(Debug)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<(Name, TypeExpr)>,
    pub result: TypeExpr,
    pub body: Expr,
}

/// `resource name 'type@version' existing = body`, at the top or in another resource.
#[derive(Debug)]
pub struct Resource {
    pub name: Name,
    pub ty: Text,
    pub is_existing: bool,
    pub body: Expr,
    pub decorators: Vec<Decorator>,
    pub span: Span,
}

/// `module name 'path' = body`, or the same with `test`.
#[derive(Debug)]
pub struct Module {
    pub name: Name,
    pub path: Text,
    pub body: Expr,
}

/// `import { a, b as c } from 'path'` or `import * as name from 'path'`.
#[derive(Debug)]
pub struct Import {
    pub path: Text,
    pub names: ImportNames,
}

#[derive(Debug)]
pub enum ImportNames {
    All(Name),
    /// The name in the other file, and the name in this one.
    Each(Vec<(Name, Name)>),
}

/// `extension name with config as alias`.
#[derive(Debug)]
pub struct Extension {
    /// The name, or the text of a reference to a registry.
    pub specification: Name,
    pub config: Option<Expr>,
    pub alias: Option<Name>,
}

/// `@name(arguments)`, possibly with a namespace.
#[derive(Debug)]
pub struct Decorator {
    pub name: Name,
    /// True if the decorator has a namespace.
    pub is_qualified: bool,
    pub arguments: Box<[Expr]>,
    pub span: Span,
}

/// A string, with its escape sequences resolved.
#[derive(Debug)]
pub struct Text {
    pub span: Span,
    /// The text before the first interpolation.
    pub first: Substr,
    pub interpolations: Box<[Interpolation]>,
}

/// `${value}` in a string, and the text after it.
#[derive(Debug)]
pub struct Interpolation {
    pub value: Expr,
    pub text: Substr,
}

impl Text {
    /// Returns the string, if it has no interpolation.
    pub fn literal(&self) -> Option<&str> {
        self.interpolations.is_empty().then_some(&*self.first)
    }

    /// Iterates over the interpolated expressions.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        self.interpolations.iter().map(|interpolation| &interpolation.value)
    }
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
    depth: u16,
}

impl Expr {
    pub(super) fn new(span: Span, kind: ExprKind) -> Self {
        let depth = kind.depth().saturating_add(1);
        Self { span, kind, depth }
    }

    /// Returns the depth of nesting: 1 for a literal.
    pub(super) fn depth(&self) -> u16 {
        self.depth
    }

    /// Returns the expression inside parentheses, or before `!`.
    pub fn bare(&self) -> &Self {
        let mut expr = self;
        while let ExprKind::Paren(inner) | ExprKind::NonNull(inner) = &expr.kind {
            expr = inner;
        }
        expr
    }

    /// Returns the string, if the expression is a string without interpolation.
    pub fn literal(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Text(text) => text.literal(),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&[Item]> {
        match &self.kind {
            ExprKind::Object(items) => Some(items),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub enum ExprKind {
    /// Text that cannot be parsed. The problem has been reported.
    Skipped,
    Null,
    Bool(bool),
    /// Digits as written; a minus sign is an operator.
    Int(u64),
    Text(Text),
    Variable(Name),
    Object(Vec<Item>),
    Array(Vec<ArrayItem>),
    For(Box<For>),
    /// `if (test) body`, of a resource or module.
    If(Box<(Expr, Expr)>),
    Paren(Box<Expr>),
    /// An operator before its operand: `!x` or `-x`.
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<(Expr, Expr)>),
    Ternary(Box<(Expr, Expr, Expr)>),
    Call {
        name: Name,
        arguments: Box<[Expr]>,
    },
    /// A call with a namespace or resource before it: `base.name(arguments)`.
    Method {
        base: Box<Expr>,
        name: Name,
        arguments: Box<[Expr]>,
    },
    Property {
        base: Box<Expr>,
        name: Name,
        is_safe: bool,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
        is_safe: bool,
        from_end: bool,
    },
    /// A resource in another one: `base::name`.
    Nested {
        base: Box<Expr>,
        name: Name,
    },
    /// An expression that is asserted not to be null: `base!`.
    NonNull(Box<Expr>),
    Lambda {
        parameters: Vec<Name>,
        body: Box<Expr>,
    },
}

impl ExprKind {
    fn depth(&self) -> u16 {
        match self {
            Self::Skipped | Self::Null | Self::Bool(_) | Self::Int(_) | Self::Variable(_) => 0,
            Self::Text(text) => text.values().map(Expr::depth).max().unwrap_or(0),
            Self::Object(items) => items.iter().map(Item::depth).max().unwrap_or(0),
            Self::Array(items) => items.iter().map(|item| item.value.depth).max().unwrap_or(0),
            Self::For(inner) => inner.source.depth.max(inner.body.depth),
            Self::If(inner) => inner.0.depth.max(inner.1.depth),
            Self::Paren(inner) | Self::Unary(_, inner) | Self::NonNull(inner) => inner.depth,
            Self::Binary(_, inner) => inner.0.depth.max(inner.1.depth),
            Self::Ternary(inner) => inner.0.depth.max(inner.1.depth).max(inner.2.depth),
            Self::Call { arguments, .. } => max_depth(arguments),
            Self::Method { base, arguments, .. } => base.depth.max(max_depth(arguments)),
            Self::Property { base, .. } | Self::Nested { base, .. } => base.depth,
            Self::Index { base, index, .. } => base.depth.max(index.depth),
            Self::Lambda { body, .. } => body.depth,
        }
    }
}

fn max_depth(items: &[Expr]) -> u16 {
    items.iter().map(Expr::depth).max().unwrap_or(0)
}

/// An item of an object.
#[derive(Debug)]
pub enum Item {
    Property(Property),
    Spread(Expr),
    Resource(Arc<Resource>),
}

impl Item {
    fn depth(&self) -> u16 {
        match self {
            Self::Property(property) => property.value.depth,
            Self::Spread(value) => value.depth,
            Self::Resource(resource) => resource.body.depth,
        }
    }
}

/// A property of an object: `key: value`.
#[derive(Debug)]
pub struct Property {
    pub key: Text,
    pub value: Expr,
}

impl Property {
    /// Returns the span from the name to the end of the value.
    pub fn span(&self) -> Span {
        self.key.span.to(self.value.span)
    }

    /// Returns the name, if it has no interpolation.
    pub fn name(&self) -> Option<&str> {
        self.key.literal()
    }
}

/// Returns the value of a property. The name is case-sensitive.
pub fn property<'a>(items: &'a [Item], name: &str) -> Option<&'a Expr> {
    items.iter().find_map(|item| match item {
        Item::Property(property) if property.name() == Some(name) => Some(&property.value),
        _ => None,
    })
}

/// An item of an array.
#[derive(Debug)]
pub struct ArrayItem {
    pub is_spread: bool,
    pub value: Expr,
}

/// `[for (item, index) in source: body]`.
#[derive(Debug)]
pub struct For {
    pub item: Name,
    pub index: Option<Name>,
    pub source: Expr,
    pub body: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Coalesce,
    Or,
    And,
    Equal,
    NotEqual,
    EqualInsensitive,
    NotEqualInsensitive,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A type expression.
#[derive(Debug)]
pub struct TypeExpr {
    pub span: Span,
    pub kind: TypeKind,
    depth: u16,
}

impl TypeExpr {
    pub(super) fn new(span: Span, kind: TypeKind) -> Self {
        let depth = kind.depth().saturating_add(1);
        Self { span, kind, depth }
    }

    pub(super) fn depth(&self) -> u16 {
        self.depth
    }

    /// Returns the type inside parentheses.
    pub fn bare(&self) -> &Self {
        let mut ty = self;
        while let TypeKind::Paren(inner) = &ty.kind {
            ty = inner;
        }
        ty
    }
}

#[derive(Debug)]
pub enum TypeKind {
    /// Text that cannot be parsed. The problem has been reported.
    Skipped,
    Name(Name),
    Text(Text),
    Int(i64),
    Bool(bool),
    Null,
    Object {
        properties: Vec<TypeProperty>,
        additional: Option<Box<TypeProperty>>,
    },
    Tuple(Vec<TypeItem>),
    Array(Box<TypeExpr>),
    Nullable(Box<TypeExpr>),
    NonNull(Box<TypeExpr>),
    Union(Vec<TypeExpr>),
    Paren(Box<TypeExpr>),
    /// `base.name`, also of a namespace.
    Property {
        base: Box<TypeExpr>,
        name: Name,
    },
    /// An item of a tuple: `base[0]`.
    Element {
        base: Box<TypeExpr>,
        index: u64,
    },
    /// The items of an array: `base[*]`.
    Items(Box<TypeExpr>),
    /// Additional properties: `base.*`.
    Additional(Box<TypeExpr>),
    /// `name<arguments>`, possibly with a namespace.
    Generic {
        name: Name,
        arguments: Vec<TypeExpr>,
    },
    /// A reference to a resource: `resource 'type@version'`.
    Resource(Option<Text>),
}

impl TypeKind {
    fn depth(&self) -> u16 {
        match self {
            Self::Skipped
            | Self::Name(_)
            | Self::Text(_)
            | Self::Int(_)
            | Self::Bool(_)
            | Self::Null
            | Self::Resource(_) => 0,
            Self::Object { properties, additional } => {
                let all = properties.iter().chain(additional.as_deref());
                all.map(|property| property.item.ty.depth).max().unwrap_or(0)
            }
            Self::Tuple(items) => items.iter().map(|item| item.ty.depth).max().unwrap_or(0),
            Self::Array(inner)
            | Self::Nullable(inner)
            | Self::NonNull(inner)
            | Self::Paren(inner)
            | Self::Items(inner)
            | Self::Additional(inner)
            | Self::Property { base: inner, .. }
            | Self::Element { base: inner, .. } => inner.depth,
            Self::Union(items) | Self::Generic { arguments: items, .. } => {
                items.iter().map(Self::depth_of).max().unwrap_or(0)
            }
        }
    }

    fn depth_of(ty: &TypeExpr) -> u16 {
        ty.depth
    }
}

/// A property of an object type.
#[derive(Debug)]
pub struct TypeProperty {
    /// The name; `*` for additional properties.
    pub name: Name,
    pub item: TypeItem,
}

/// A type with its decorators.
#[derive(Debug)]
pub struct TypeItem {
    pub decorators: Vec<Decorator>,
    pub ty: TypeExpr,
}
