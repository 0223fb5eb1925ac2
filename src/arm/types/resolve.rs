//! From declarations to types: `$ref` is followed.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arm::types::schema::Schema;
use crate::value::{Data, Kind, Value};

/// How many `$ref` may lead from one to the next. Types of people have a few.
const MAX_REFERENCES: usize = 64;

/// The types of one template. They are read when they are asked for: most declarations of a large module are never met by
/// a value.
#[derive(Debug, Default)]
pub struct Types {
    template: Option<Value>,
    /// By the address of the declaration, which the schema in the type keeps alive.
    resolved: RefCell<FxHashMap<usize, Rc<Type>>>,
    schemas: RefCell<FxHashMap<usize, Rc<Schema>>>,
    /// Whether a secure type lies in another type, so that only a part of a value is secret.
    pub(super) has_inner_secrets: bool,
}

/// A declaration with all that its `$ref` leads to.
#[derive(Debug)]
pub(crate) struct Type {
    /// Its own schema, and those that a `$ref` leads to one after the other. All of them make demands.
    pub(super) parts: Vec<Rc<Schema>>,
    /// What kind its values are of.
    pub(in crate::arm) kind: Kind,
    /// Whether its values are secrets.
    pub(in crate::arm) is_secure: bool,
    /// The nearest `nullable`: `false` beside a `$ref` takes back what is behind it.
    pub(in crate::arm) nullable: Option<bool>,
    /// What is wrong with the `$ref`.
    pub(super) problem: Option<String>,
}

impl Type {
    /// The word for it, where it has one.
    pub(in crate::arm) fn word(&self) -> Option<&'static str> {
        match (self.kind, self.is_secure) {
            (Kind::Any, _) => None,
            (Kind::String, true) => Some("secureString"),
            (Kind::Object, true) => Some("secureObject"),
            (kind, _) => Some(kind.as_str()),
        }
    }

    /// Whether its values are listed.
    pub(in crate::arm) fn has_allowed_values(&self) -> bool {
        self.parts.iter().any(|it| it.allowed.is_some())
    }

    /// Whether `null`, or no value at all, will do. What may be anything may also be nothing.
    pub(super) fn takes_null(&self) -> bool {
        let is_anything = || self.kind == Kind::Any && !self.has_allowed_values();
        self.nullable.unwrap_or_else(is_anything)
    }
}

impl Types {
    /// The types of a template.
    pub(super) fn new(template: &Value, has_inner_secrets: bool) -> Self {
        Self { template: Some(template.clone()), has_inner_secrets, ..Self::default() }
    }

    /// The type that a declaration of the template makes.
    pub(in crate::arm) fn of(&self, declaration: &Value) -> Rc<Type> {
        let Some(address) = address(declaration) else { return Rc::new(self.read(declaration)) };
        if let Some(known) = self.resolved.borrow().get(&address) {
            return Rc::clone(known);
        }
        let read = Rc::new(self.read(declaration));
        self.resolved.borrow_mut().insert(address, Rc::clone(&read));
        read
    }

    fn read(&self, declaration: &Value) -> Type {
        let mut parts = vec![self.schema(declaration)];
        let mut problem = None;
        while let Some(reference) = parts.last().and_then(|it| it.reference.as_ref()) {
            let pointer = &reference.what;
            let Some(target) = self.find(pointer) else {
                problem = Some(format!("`$ref` names nothing of this template: `{pointer}`"));
                break;
            };
            let next = self.schema(target);
            if parts.iter().any(|it| Rc::ptr_eq(it, &next)) {
                problem = Some(format!("`$ref` leads in a circle: `{pointer}`"));
                break;
            }
            if parts.len() > MAX_REFERENCES {
                problem = Some(format!("`$ref` leads through more than {MAX_REFERENCES} definitions: `{pointer}`"));
                break;
            }
            parts.push(next);
        }
        let kind = parts.iter().find_map(|it| it.kind.as_ref()).map_or(Kind::Any, |it| it.what);
        let nullable = parts.iter().find_map(|it| it.nullable.as_ref()).map(|it| it.what);
        Type { kind, is_secure: parts.iter().any(|it| it.secure), nullable, problem, parts }
    }

    fn schema(&self, declaration: &Value) -> Rc<Schema> {
        let Some(address) = address(declaration) else { return Rc::new(Schema::new(declaration)) };
        let known = self.schemas.borrow().get(&address).cloned();
        known.unwrap_or_else(|| {
            let read = Rc::new(Schema::new(declaration));
            self.schemas.borrow_mut().insert(address, Rc::clone(&read));
            read
        })
    }

    /// What a JSON pointer in a URI fragment points at (RFC 6901, section 6).
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

fn address(declaration: &Value) -> Option<usize> {
    match &declaration.data {
        Data::Object(object) => Some(Arc::as_ptr(object).addr()),
        _ => None,
    }
}

/// A segment of a pointer with its percent and tilde escapes undone.
fn unescaped(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let byte = escape.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_pointers_are_undone() {
        for (segment, name) in
            [("a", "a"), ("a~1b~0c", "a/b~c"), ("~01", "~1"), ("a%20b", "a b"), ("%2", "%2"), ("%zz", "%zz")]
        {
            assert_eq!(unescaped(segment), name);
        }
    }
}
