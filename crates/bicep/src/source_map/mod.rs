//! Maps compiled JSON back to the lines of Bicep files.
//!
//! The compiler does not export its own source map, which has only lines. Instead, the compiled template and the
//! syntax tree of its source are walked in parallel, because both have the same names. An expression such as a spread
//! or a ternary is compiled to one string. A pointer into its value continues in the Bicep source.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod import;
mod load;
mod noted;
mod pointer;
mod property;
mod resource;
mod sites;
#[cfg(test)]
mod tests;
mod types;
mod unit;

use std::sync::Arc;

use crate::language::SyntaxTree;
use crate::text::{FileId, Span};
use crate::value::Value;

use self::unit::{Opening, Unit};

pub use self::pointer::pointer_at;

/// How many declarations the modules of one entry file may have in total, counted at each use. Beyond it, the contents
/// of a module are mapped to its statement.
const MAX_DECLARATIONS: usize = 1_000_000;

/// How precisely a [`Place`] corresponds to the compiled value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// The compiler added the value. The place is the start of the file, or the `module` statement.
    Generated,
    /// The value comes from somewhere inside the place.
    Nearest,
    /// The place is the source of the value.
    Exact,
}

/// The source of a compiled value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The innermost construct in a file of the user: a property with its name, a declaration or an item.
    pub span: Span,
    /// The value without the name if the construct is a property. Otherwise the same as `span`.
    pub value: Span,
    /// How precise the place is.
    pub exactness: Exactness,
    /// The `module` statements that lead from the entry file to it, outermost first.
    pub through: Vec<Span>,
}

impl Place {
    /// The span in the entry file: the outermost `module` statement, or the place itself.
    pub fn outermost(&self) -> Span {
        self.through.first().copied().unwrap_or(self.span)
    }
}

/// A local file that a `module` statement refers to.
#[derive(Clone, Debug)]
pub enum ModuleFile {
    /// A Bicep file that was read.
    Bicep(Arc<SyntaxTree>),
    /// A JSON template.
    Template(Value),
}

/// Opens local modules. The implementation is elsewhere because this layer does not read files.
pub trait Modules {
    /// The module that the file `from` refers to as `path`. `None` if it does not exist or cannot be read; then its
    /// contents are mapped to the `module` statement.
    fn open(&mut self, from: FileId, path: &str) -> Option<ModuleFile>;
}

/// Maps the compiled template of one entry file to its source and that of its local modules. The contents of a module
/// from a registry are mapped to its `module` statement, because its source is not among the user's files.
#[derive(Debug)]
pub struct SourceMap {
    template: Value,
    /// The template with the places that the built-in compiler noted.
    noted: Option<Value>,
    root: Unit,
}

impl SourceMap {
    /// Maps `template`, which was compiled from `entry`.
    pub fn new(entry: Arc<SyntaxTree>, template: &Value, modules: &mut dyn Modules) -> Self {
        let mut opening = Opening { modules, declarations_left: MAX_DECLARATIONS };
        Self { template: template.clone(), noted: None, root: Unit::new(entry, template, &mut opening) }
    }

    /// The same map, which prefers the places that the built-in compiler noted in the values of `template`.
    #[must_use]
    pub fn with_noted(self, template: Option<Value>) -> Self {
        Self { noted: template, ..self }
    }

    /// The compiled template that is mapped.
    pub fn template(&self) -> &Value {
        &self.template
    }

    /// The source of the value at a JSON pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)). The pointer may
    /// go beyond a string that is an expression, into the value of that expression.
    pub fn locate(&self, pointer: &str) -> Place {
        let steps = pointer::steps(pointer);
        if let Some(place) = self.noted.as_ref().and_then(|template| noted::place(template, &steps)) {
            return place;
        }
        self.root.locate(&steps, Some(&self.template))
    }
}
