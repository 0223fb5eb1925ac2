//! Maps compiled JSON back to the lines of Bicep files.
//!
//! The compiler's own source map has only lines and is not exported. Instead, the compiled template and the syntax
//! tree of its source are walked in parallel, because both have the same names. An expression such as a spread or a
//! ternary is compiled to one string. A pointer into its value continues in the Bicep source.
//!
//! # Invariant
//!
//! Positions in compiled JSON never leave the engine; only `engine/bicep/origin.rs` of the crate `check` maps them to
//! the source.

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

/// Maximum number of declarations in the modules of one entry file, counted at each use. Beyond it, the contents of a
/// module are mapped to its statement.
const MAX_DECLARATIONS: usize = 1_000_000;

/// Precision of a [`SourceLocation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// The compiler added the value. The location is the start of the file, or the `module` statement.
    Generated,
    /// The source is somewhere inside the location.
    Nearest,
    /// The location is the source of the value.
    Exact,
}

/// Source location of a compiled value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// Span of the innermost construct in a file of the user: a property with its name, a declaration, or an item.
    pub span: Span,
    /// Span of the value, without the name of a property. Otherwise the same as `span`.
    pub value: Span,
    /// Precision of the location.
    pub exactness: Exactness,
    /// `module` statements on the way from the entry file, outermost first.
    pub through: Vec<Span>,
}

impl SourceLocation {
    /// Returns the span in the entry file: the outermost `module` statement, or the location itself.
    pub fn outermost(&self) -> Span {
        self.through.first().copied().unwrap_or(self.span)
    }
}

/// A local file that a `module` statement refers to.
#[derive(Clone, Debug)]
pub enum ModuleFile {
    /// A parsed Bicep file.
    Bicep(Arc<SyntaxTree>),
    /// A JSON template.
    Template(Value),
}

/// Access to local modules. Implemented elsewhere, because this crate does not read files.
pub trait Modules {
    /// Opens the module that the file `from` refers to as `path`. `None` if it does not exist or cannot be read; its
    /// contents are then mapped to the `module` statement.
    fn open(&mut self, from: FileId, path: &str) -> Option<ModuleFile>;
}

/// Map from the compiled template of an entry file to its source and that of its local modules. The contents of a
/// registry's module are mapped to the `module` statement, because the user does not have its source.
#[derive(Debug)]
pub struct SourceMap {
    template: Value,
    /// Template with the spans that the built-in compiler recorded.
    noted: Option<Value>,
    root: Unit,
}

impl SourceMap {
    /// Maps `template`, which was compiled from `entry`.
    pub fn new(entry: Arc<SyntaxTree>, template: &Value, modules: &mut dyn Modules) -> Self {
        let mut opening = Opening { modules, declarations_left: MAX_DECLARATIONS };
        Self { template: template.clone(), noted: None, root: Unit::new(entry, template, &mut opening) }
    }

    /// Sets the template whose recorded spans are preferred.
    #[must_use]
    pub fn with_noted(self, template: Option<Value>) -> Self {
        Self { noted: template, ..self }
    }

    /// Returns the compiled template.
    pub fn template(&self) -> &Value {
        &self.template
    }

    /// Returns the source of the value at a JSON pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)). The
    /// pointer may continue beyond a string that is an expression, into its value.
    pub fn locate(&self, pointer: &str) -> SourceLocation {
        let steps = pointer::steps(pointer);
        if let Some(place) = self.noted.as_ref().and_then(|template| noted::place(template, &steps)) {
            return place;
        }
        self.root.locate(&steps, Some(&self.template))
    }
}
