//! Resolves declarations to types by following `$ref`.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;

use crate::pointer::unescaped;
use crate::types::keyword::Keyword;
use crate::types::schema::Schema;
use crate::value::{Data, Kind, Value};

/// The longest chain of `$ref`. Types written by people have a few.
const MAX_REFERENCES: usize = 64;

/// Maximum number of declarations to keep as types.
const MAX_KEPT: usize = 4_096;

/// The types of one template. They are read on demand: most declarations of a large module never get a value.
#[derive(Debug, Default)]
pub struct Types {
    template: Option<Value>,
    /// Types by the address of the declaration's object. The address stays valid because the type's schema holds the
    /// declaration.
    resolved: RefCell<HashMap<usize, Rc<Type>>>,
    schemas: RefCell<HashMap<usize, Rc<Schema>>>,
    /// True if some type has a secure type inside it, so that only a part of a value is secret.
    pub(super) has_inner_secrets: bool,
}

/// A declaration together with the targets of its `$ref`.
#[derive(Debug)]
pub(crate) struct Type {
    /// The declaration's own schema, followed by those along the chain of `$ref`. The constraints of all of them apply.
    pub(super) parts: Vec<Rc<Schema>>,
    /// The kind of its values. [`Kind::Any`] if no part declares a valid `type`.
    pub(crate) kind: Kind,
    /// True if `type` is one of the secure types.
    pub(crate) is_secure: bool,
    /// The `nullable` of the first part that has one, so that `false` next to a `$ref` overrides its target.
    pub(crate) nullable: Option<bool>,
    /// An error message about a `$ref` that cannot be resolved.
    pub(super) problem: Option<String>,
}

impl Type {
    /// Returns the name of the type as in `type`. `None` for [`Kind::Any`].
    pub(crate) fn word(&self) -> Option<&'static str> {
        match (self.kind, self.is_secure) {
            (Kind::Any, _) => None,
            (Kind::String, true) => Some("secureString"),
            (Kind::Object, true) => Some("secureObject"),
            (kind, _) => Some(kind.as_str()),
        }
    }

    /// Returns the values in the first `allowedValues`.
    pub(crate) fn allowed_values(&self) -> Option<&[Value]> {
        self.parts.iter().find_map(|part| Some(part.allowed.as_ref()?.what.as_slice()))
    }

    /// Returns the least and the greatest integer, or length of a string or an array, that the constraints allow.
    pub(crate) fn range(&self) -> (Option<i64>, Option<i64>) {
        let bounds = || self.parts.iter().flat_map(|part| &part.bounds);
        let is_least = |keyword: Keyword| matches!(keyword, Keyword::MinValue | Keyword::MinLength);
        let least = bounds().filter(|(keyword, _)| is_least(*keyword)).map(|(_, bound)| bound.what).max();
        let most = bounds().filter(|(keyword, _)| !is_least(*keyword)).map(|(_, bound)| bound.what).min();
        (least, most)
    }

    /// Returns `true` if some part has `allowedValues`.
    pub(crate) fn has_allowed_values(&self) -> bool {
        self.parts.iter().any(|part| part.allowed.is_some())
    }

    /// Returns `true` if the value may be `null` or missing. This is the default for a type without constraints.
    pub(super) fn takes_null(&self) -> bool {
        let is_anything = || self.kind == Kind::Any && !self.has_allowed_values();
        self.nullable.unwrap_or_else(is_anything)
    }
}

impl Types {
    /// Creates the types of a template, none of which has been read yet.
    pub(super) fn new(template: &Value, has_inner_secrets: bool) -> Self {
        Self { template: Some(template.clone()), has_inner_secrets, ..Self::default() }
    }

    /// Returns the type that a declaration in the template declares.
    pub(crate) fn declared_type(&self, declaration: &Value) -> Rc<Type> {
        let Some(address) = declaration.address() else { return Rc::new(self.read(declaration)) };
        if let Some(known) = self.resolved.borrow().get(&address) {
            return Rc::clone(known);
        }
        // Most declarations of a long template are read once or twice, so not all are kept.
        if self.resolved.borrow().len() >= MAX_KEPT {
            self.resolved.borrow_mut().clear();
            self.schemas.borrow_mut().clear();
        }
        let read = Rc::new(self.read(declaration));
        self.resolved.borrow_mut().insert(address, Rc::clone(&read));
        read
    }

    fn read(&self, declaration: &Value) -> Type {
        let mut parts = vec![self.schema(declaration)];
        let mut problem = None;
        while let Some(reference) = parts.last().and_then(|part| part.reference.as_ref()) {
            let pointer = &reference.what;
            let Some(target) = self.find(pointer) else {
                problem = Some(format!("`$ref` does not resolve to anything in this template: `{pointer}`"));
                break;
            };
            let next = self.schema(target);
            if parts.iter().any(|part| Rc::ptr_eq(part, &next)) {
                problem = Some(format!("`$ref` is part of a cycle: `{pointer}`"));
                break;
            }
            if parts.len() > MAX_REFERENCES {
                problem = Some(format!("`$ref` resolves through more than {MAX_REFERENCES} definitions: `{pointer}`"));
                break;
            }
            parts.push(next);
        }
        let kind = parts.iter().find_map(|part| part.kind.as_ref()).map_or(Kind::Any, |kind| kind.what);
        let nullable = parts.iter().find_map(|part| part.nullable.as_ref()).map(|nullable| nullable.what);
        Type { kind, is_secure: parts.iter().any(|part| part.secure), nullable, problem, parts }
    }

    fn schema(&self, declaration: &Value) -> Rc<Schema> {
        let Some(address) = declaration.address() else { return Rc::new(Schema::new(declaration)) };
        let known = self.schemas.borrow().get(&address).cloned();
        known.unwrap_or_else(|| {
            let read = Rc::new(Schema::new(declaration));
            self.schemas.borrow_mut().insert(address, Rc::clone(&read));
            read
        })
    }

    /// Returns the value in the template that a JSON pointer in a URI fragment refers to (RFC 6901, section 6).
    fn find(&self, pointer: &str) -> Option<&Value> {
        let path = pointer.strip_prefix('#')?;
        let root = self.template.as_ref()?;
        if path.is_empty() {
            return Some(root);
        }
        path.strip_prefix('/')?.split('/').try_fold(root, |value, segment| match &value.data {
            Data::Object(object) => object.get(&unescaped(segment)),
            Data::Array(items) => items.get(segment.parse::<usize>().ok()?),
            _ => None,
        })
    }
}
