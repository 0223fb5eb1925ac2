//! The declarations of a file that name another file with errors. Nothing is made of the one before the other is right.

use foldhash::HashSet;

use crate::compiler::is_missing;
use crate::compiler::units::{Content, Unit, UnitId, Units};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::language::ast::{Declaration, DeclarationKind, Text};
use crate::text::{FileId, Span};

/// Reports each declaration whose file has errors among `known`. Where several files name each other in a row, only the
/// nearest is told.
pub(super) fn problems(units: &Units, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_error = |problem: &&Diagnostic| problem.level == Level::Error && !is_missing(problem);
    let wrong: HashSet<FileId> = known.iter().filter(is_error).map(|problem| problem.primary.span.file).collect();
    // A path of which something else is said, such as that the files use each other in a cycle.
    let told: HashSet<Span> = known.iter().map(|problem| problem.primary.span).collect();
    // A module that is missing has the file of the one that names it.
    let is_read = |unit: &&Unit| matches!(unit.content, Content::Bicep(..));
    let is_wrong = |id: UnitId| units.get(id).filter(is_read).is_some_and(|unit| wrong.contains(&unit.file));
    let mut found = Vec::new();
    // Who only uses a module of a registry cannot change what it names.
    for unit in units.all.iter().filter(|unit| unit.registry.is_none() && !wrong.is_empty()) {
        let Content::Bicep(tree, links) = &unit.content else { continue };
        for (declaration, link) in tree.declarations.iter().zip(links) {
            let Some(path) = path_of(declaration).filter(|path| !told.contains(&path.span)) else { continue };
            if !link.is_some_and(is_wrong) {
                continue;
            }
            let message = "the file that is named here has errors";
            found.push(Diagnostic::new(Code::BicepDiagnostic, path.span, message).with_bicep_code("BCP104"));
        }
    }
    found
}

/// The path that a declaration names.
fn path_of(declaration: &Declaration) -> Option<&Text> {
    match &declaration.kind {
        DeclarationKind::Module(module) => Some(&module.path),
        DeclarationKind::Import(import) => Some(&import.path),
        DeclarationKind::Using { target, .. } => target.as_ref(),
        DeclarationKind::Extends(path) => Some(path),
        _ => None,
    }
}
