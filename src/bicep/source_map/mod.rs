//! The way back from compiled JSON to the lines of Bicep files.
//!
//! The compiler's own source map never leaves it, and knows only lines. Here the compiled template and the declarations
//! of its source are walked side by side: both name the same things. What the compiler makes of a whole expression
//! (`union()`, a spread, a ternary) is one text in JSON; a pointer to what it evaluates to goes on in the Bicep source.

mod import;
mod load;
mod pointer;
mod property;
mod resource;
mod sites;
#[cfg(test)]
mod tests;
mod types;
mod unit;

use std::sync::Arc;

use crate::bicep::reader::File;
use crate::text::{FileId, Span};
use crate::value::Value;

use self::unit::{Opening, Unit};

pub use self::pointer::pointer_at;

/// Declarations of all modules of one entry file, counted at each use. Modules past it are placed at their statements.
const MAX_DECLARATIONS: usize = 1_000_000;

/// How well a place fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// The author wrote nothing like it: the compiler adds it. The place is the whole file, or the `module` statement.
    Generated,
    /// It comes from somewhere in the place.
    Nearest,
    /// It is just what the place says.
    Exact,
}

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The innermost text in a file that the user owns: a property with its name, a declaration, an item.
    pub span: Span,
    /// The value alone, where the place is a property; else the same.
    pub value: Span,
    /// How well it fits.
    pub exactness: Exactness,
    /// The `module` statements that lead to it from the entry file, outermost first.
    pub through: Vec<Span>,
}

impl Place {
    /// The place in the entry file.
    pub fn outermost(&self) -> Span {
        self.through.first().copied().unwrap_or(self.span)
    }
}

/// What a `module` statement may name in the repository.
#[derive(Clone, Debug)]
pub enum ModuleFile {
    /// A Bicep file.
    Bicep(Arc<File>),
    /// A template in JSON.
    Template(Value),
}

/// Gives access to modules: reading files is not the business of this layer.
pub trait Modules {
    /// The module that the file `from` names as `path`. `None` if it is not there, or cannot be read; its contents are
    /// then placed at the `module` statement.
    fn open(&mut self, from: FileId, path: &str) -> Option<ModuleFile>;
}

/// Leads from the compiled template of one entry file to its source and that of its local modules. What a module from a
/// registry holds is placed at its `module` statement: its source is not the user's.
#[derive(Debug)]
pub struct SourceMap {
    template: Value,
    root: Unit,
}

impl SourceMap {
    /// The map of `template`, which `entry` was compiled to.
    pub fn new(entry: Arc<File>, template: &Value, modules: &mut dyn Modules) -> Self {
        let mut opening = Opening { modules, declarations_left: MAX_DECLARATIONS };
        Self { template: template.clone(), root: Unit::new(entry, template, &mut opening) }
    }

    /// The compiled template.
    pub fn template(&self) -> &Value {
        &self.template
    }

    /// Where the value at a JSON pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) was written. The pointer
    /// may go on behind a text that is an expression: into what the expression evaluates to.
    pub fn locate(&self, pointer: &str) -> Place {
        let steps = pointer::steps(pointer);
        self.root.locate(&steps, Some(&self.template))
    }
}
