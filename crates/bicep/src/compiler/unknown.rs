//! Placeholders for unknown values in a template. Their problems have been reported, and everything around them can
//! be checked.
//!
//! Such a template is checked, but never printed.

use crate::compiler::formula::Formula;
use crate::compiler::members::generated;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::language::ast::{Name, Text};
use crate::text::{FileId, Span};
use crate::value::{Member, Value};

/// Prefix of the key of an external input that no tool supplies. `arm` evaluates it to an unknown value.
const KEY: &str = "bicep:";

/// Returns the formula for a value that cannot be computed.
pub(super) fn value() -> Formula {
    Formula::named("externalInputs", &format!("{KEY}the value is not valid"))
}

/// Returns the problem of an extension whose types are not built in.
pub(super) fn extension(name: &Name) -> Diagnostic {
    let message = format!("the types of the extension `{}` are not known, so its resources are not checked", name.text);
    let problem = Diagnostic::new(Code::BicepRestore, name.span, message).with_level(Level::Error);
    problem.with_help("build the file with the Bicep CLI: `--bicep cli`")
}

/// Returns the problem of a file that cannot be compiled because something is missing.
pub(super) fn file(file: FileId) -> Diagnostic {
    let message = "the file is not checked, because it depends on what is not available";
    Diagnostic::of_file(Code::BicepRestore, file, message).with_level(Level::Error)
}

/// Returns the placeholder for the template of an unknown module. `arm` treats its resources and outputs as unknown.
pub(super) fn link(module: &Text) -> Member {
    let uri = Value::from(format!("{KEY}{}", module.literal().unwrap_or_default()));
    let span: Span = module.span;
    generated("templateLink", Value::object(vec![generated("uri", uri, span)]), span)
}
