//! Types of values.

use std::fmt;
use std::rc::Rc;

use crate::compiler::model::{ResourceId, Target};
use crate::compiler::units::UnitId;
use crate::schema::PublishedNode;

/// Maximum number of union members that a message names.
const MAX_SHOWN: usize = 6;

/// Maximum number of members of a union. Larger unions are `Any`.
const MAX_MEMBERS: usize = 250;

/// The type of a value. Nothing is known or reported about values of the type [`Type::Any`].
#[derive(Clone, Debug)]
pub(super) enum Type {
    Any,
    Null,
    /// A Boolean. A literal if it has a value.
    Bool(Option<bool>),
    Int(Option<i64>),
    Text(Option<Rc<str>>),
    Array(Rc<Type>),
    Tuple(Rc<[Type]>),
    Object(Rc<Object>),
    /// A discriminated union of objects.
    Tagged(Rc<Tagged>),
    /// A union of several types, none of which is a union.
    Union(Rc<[Type]>),
    /// A type declaration of a file, which may contain itself.
    Named(UnitId, usize),
    /// A string, integer, or array with bounds, from decorators or from the expression.
    Limited(Rc<Limited>),
    /// A part of a published resource type. `true` for the property of a body.
    Published(PublishedNode, bool),
    /// An anonymous function.
    Lambda,
    /// A deployment scope.
    Scope(Target),
    Resource(ResourceId),
    Module(usize),
    /// A whole loop of resources or modules.
    Each(Rc<Type>),
    /// All exports of another file.
    File(UnitId),
    /// `sys`, `az`, or an extension.
    Namespace,
}

/// Properties that an object may have.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub properties: Vec<Property>,
    /// Type of additional properties. `None` if the object cannot have any.
    pub additional: Option<Type>,
    pub rigor: Rigor,
}

/// Treatment of what does not fit an object type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rigor {
    /// An error.
    #[default]
    Strict,
    /// Undeclared properties are accepted with a warning.
    Open,
    /// A warning, because published types have mistakes. Mismatches of top-level properties are errors.
    TopLevel,
    /// A warning, because published types have mistakes.
    Lenient,
}

impl Rigor {
    /// True if a property that does not exist is only a warning.
    pub(super) const fn warns_of_names(self) -> bool {
        matches!(self, Self::TopLevel | Self::Lenient)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: Rc<str>,
    pub ty: Type,
    pub is_required: bool,
    pub usage: Usage,
}

/// Uses of a property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Usage {
    #[default]
    Any,
    ReadOnly,
    WriteOnly,
    /// The published type lacks the property, which resources usually have.
    Fallback,
}

impl Property {
    pub(super) fn new(name: impl Into<Rc<str>>, ty: Type, is_required: bool) -> Self {
        Self { name: name.into(), ty, is_required, usage: Usage::Any }
    }
}

/// A discriminated union of objects.
#[derive(Debug)]
pub(super) struct Tagged {
    /// Name of the discriminator.
    pub key: Rc<str>,
    pub variants: Vec<(Rc<str>, Type)>,
    pub rigor: Rigor,
}

/// Bounds of a value: of an integer itself, of other values their length.
#[derive(Debug)]
pub(super) struct Limited {
    pub ty: Type,
    pub least: Option<i64>,
    pub most: Option<i64>,
    /// Regular expression that a string has to match.
    pub pattern: Option<&'static str>,
}

impl Object {
    /// Returns a property. Names are case-sensitive.
    pub(super) fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| &*property.name == name)
    }
}

impl Type {
    pub(super) const TEXT: Self = Self::Text(None);
    pub(super) const INT: Self = Self::Int(None);
    pub(super) const BOOL: Self = Self::Bool(None);

    pub(super) fn array() -> Self {
        Self::array_of(Self::Any)
    }

    pub(super) fn array_of(item: Self) -> Self {
        Self::Array(Rc::new(item))
    }

    /// Returns the type of a string whose length has bounds.
    pub(super) fn text_of(least: Option<i64>, most: Option<i64>) -> Self {
        if least.is_none() && most.is_none() {
            return Self::TEXT;
        }
        Self::Limited(Rc::new(Limited { ty: Self::TEXT, least, most, pattern: None }))
    }

    /// Returns the type of an object with any properties.
    pub(super) fn object() -> Self {
        Self::Object(Rc::new(Object { additional: Some(Self::Any), ..Object::default() }))
    }

    /// Returns the type of an object with these properties only.
    pub(super) fn object_of(properties: Vec<Property>) -> Self {
        Self::Object(Rc::new(Object { properties, ..Object::default() }))
    }

    /// Returns the union of several types.
    pub(super) fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut members: Vec<Self> = Vec::new();
        for ty in types {
            match ty {
                Self::Any => return Self::Any,
                Self::Union(inner) => {
                    for member in inner.iter() {
                        add(&mut members, member.clone());
                    }
                }
                other => add(&mut members, other),
            }
            // Each member is compared with those before it.
            if members.len() > MAX_MEMBERS {
                return Self::Any;
            }
        }
        match members.len() {
            1 => members.pop().unwrap_or(Self::Any),
            2..=MAX_MEMBERS => Self::Union(members.into()),
            _ => Self::Any,
        }
    }

    pub(super) fn or_null(self) -> Self {
        Self::union([self, Self::Null])
    }

    /// Returns the members of a union, or the type itself.
    pub(super) fn members(&self) -> &[Self] {
        match self {
            Self::Union(members) => members,
            other => std::slice::from_ref(other),
        }
    }

    /// Returns the type without null. Null itself becomes `Any`.
    pub(super) fn without_null(&self) -> Self {
        match self {
            Self::Null => Self::Any,
            Self::Union(members) => Self::union(members.iter().filter(|member| !matches!(member, Self::Null)).cloned()),
            other => other.clone(),
        }
    }

    pub(super) fn is_nullable(&self) -> bool {
        self.members().iter().any(Self::is_null)
    }

    pub(super) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(super) const fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }

    /// True if two types are equal by a shallow comparison. A deep one would be slow, because types that repeat each
    /// other multiply.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, Self::Any) | (Self::Null, Self::Null) | (Self::Namespace, Self::Namespace) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Scope(a), Self::Scope(b)) => a == b,
            (Self::Resource(a), Self::Resource(b)) | (Self::Module(a), Self::Module(b)) => a == b,
            (Self::Named(a, at), Self::Named(b, other)) => a == b && at == other,
            (Self::File(a), Self::File(b)) => a == b,
            (Self::Array(a), Self::Array(b)) | (Self::Each(a), Self::Each(b)) => Rc::ptr_eq(a, b),
            (Self::Tuple(a), Self::Tuple(b)) | (Self::Union(a), Self::Union(b)) => Rc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Rc::ptr_eq(a, b),
            (Self::Tagged(a), Self::Tagged(b)) => Rc::ptr_eq(a, b),
            (Self::Limited(a), Self::Limited(b)) => Rc::ptr_eq(a, b),
            (Self::Published(a, _), Self::Published(b, _)) => a == b,
            _ => false,
        }
    }

    /// Removes the value from a literal type.
    pub(super) fn widened(&self) -> Self {
        match self {
            Self::Bool(_) => Self::BOOL,
            Self::Int(_) => Self::INT,
            Self::Text(_) => Self::TEXT,
            other => other.clone(),
        }
    }

    pub(super) fn is_literal(&self) -> bool {
        matches!(self, Self::Bool(Some(_)) | Self::Int(Some(_)) | Self::Text(Some(_)))
    }
}

/// Adds a member to a union, unless the union already has it.
fn add(members: &mut Vec<Type>, ty: Type) {
    let is_known = members.iter().any(|known| known.is_same(&ty) || known.is_same(&ty.widened()));
    if !is_known {
        members.push(ty);
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any | Self::Named(..) | Self::Published(..) => f.write_str("any"),
            Self::Limited(limited) => limited.ty.fmt(f),
            Self::Null => f.write_str("null"),
            Self::Bool(None) => f.write_str("bool"),
            Self::Bool(Some(value)) => write!(f, "{value}"),
            Self::Int(None) => f.write_str("int"),
            Self::Int(Some(value)) => write!(f, "{value}"),
            Self::Text(None) => f.write_str("string"),
            Self::Text(Some(value)) => write!(f, "'{value}'"),
            Self::Array(_) | Self::Tuple(_) => f.write_str("array"),
            Self::Object(_) | Self::Tagged(_) => f.write_str("object"),
            Self::Lambda => f.write_str("lambda"),
            Self::Scope(Target::Tenant) => f.write_str("tenant"),
            Self::Scope(Target::ManagementGroup) => f.write_str("managementGroup"),
            Self::Scope(Target::Subscription) => f.write_str("subscription"),
            Self::Scope(_) => f.write_str("resourceGroup"),
            Self::Resource(_) => f.write_str("resource"),
            Self::Module(_) => f.write_str("module"),
            Self::Each(inner) => write!(f, "{inner}[]"),
            Self::File(_) | Self::Namespace => f.write_str("namespace"),
            Self::Union(members) => {
                for (at, member) in members.iter().take(MAX_SHOWN).enumerate() {
                    f.write_str(if at > 0 { " | " } else { "" })?;
                    member.fmt(f)?;
                }
                f.write_str(if members.len() > MAX_SHOWN { " | …" } else { "" })
            }
        }
    }
}
