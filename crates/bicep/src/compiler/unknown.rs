//! What stands in a template for what is not known: it has been reported, and everything around it can still be checked.
//!
//! Such a template is checked, and never printed.

use crate::compiler::emitter::made;
use crate::compiler::formula::Formula;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::language::ast::{Name, Text};
use crate::text::{FileId, Span};
use crate::value::{Member, Value};

/// How the key of an external input begins whose value no tool supplies. `arm` takes it as unknown.
const KEY: &str = "bicep:";

/// The formula for a value that cannot be computed.
pub(super) fn value() -> Formula {
    Formula::named("externalInputs", &format!("{KEY}the value is not valid"))
}

/// The problem with an extension whose types are not built in.
pub(super) fn extension(name: &Name) -> Diagnostic {
    let message = format!("the types of the extension `{}` are not known, so its resources are not checked", name.text);
    let problem = Diagnostic::new(Code::BicepRestore, name.span, message).with_level(Level::Error);
    problem.with_help("build the file with the Bicep CLI: `--bicep cli`")
}

/// The problem with a file of which nothing can be made without what is missing.
pub(super) fn file(file: FileId) -> Diagnostic {
    let message = "the file is not checked, because it depends on what is not available";
    Diagnostic::of_file(Code::BicepRestore, file, message).with_level(Level::Error)
}

/// What stands for the template of a module that is not known. `arm` takes what it deploys and its outputs as unknown.
pub(super) fn link(module: &Text) -> Member {
    let uri = Value::from(format!("{KEY}{}", module.literal().unwrap_or_default()));
    let span: Span = module.span;
    made("templateLink", Value::object(vec![made("uri", uri, span)]), span)
}
