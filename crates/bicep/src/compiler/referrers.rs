//! References to files with errors. A file is not compiled before those that it names are correct.

use foldhash::HashSet;

use crate::compiler::units::{Content, Units};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::language::ast::{Declaration, DeclarationKind, Text};
use crate::text::{FileId, Span};

/// Reports each declaration whose file has errors among `known`. In a chain of files that name each other, only the
/// nearest reference is reported.
pub(super) fn problems(units: &Units, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let errors = known.iter().filter(|problem| problem.level == Level::Error && !is_missing(problem));
    let wrong: HashSet<FileId> = errors.map(|problem| problem.primary.span.file).collect();
    // Paths with another problem, such as a cycle of files.
    let reported: HashSet<Span> = known.iter().map(|problem| problem.primary.span).collect();
    let mut found = Vec::new();
    // Users of a registry's module cannot change the files that it names.
    for unit in units.all.iter().filter(|unit| unit.registry.is_none() && !wrong.is_empty()) {
        let Content::Bicep(tree, links) = &unit.content else { continue };
        for (declaration, link) in tree.declarations.iter().zip(links) {
            let Some(path) = path_of(declaration).filter(|path| !reported.contains(&path.span)) else { continue };
            // A missing module has the file of the one that names it.
            let unit = link.and_then(|id| units.get(id)).filter(|unit| matches!(unit.content, Content::Bicep(..)));
            if !unit.is_some_and(|unit| wrong.contains(&unit.file)) {
                continue;
            }
            let message = "the file that is named here has errors";
            found.push(Diagnostic::new(Code::BicepDiagnostic, path.span, message).with_bicep_code("BCP104"));
        }
    }
    found
}

/// Returns the path that a declaration names.
fn path_of(declaration: &Declaration) -> Option<&Text> {
    match &declaration.kind {
        DeclarationKind::Module(module) => Some(&module.path),
        DeclarationKind::Import(import) => Some(&import.path),
        DeclarationKind::Using { target, .. } => target.as_ref(),
        DeclarationKind::Extends(path) => Some(path),
        _ => None,
    }
}

/// True if a problem is an unavailable module, which is no defect of the file.
pub(super) fn is_missing(problem: &Diagnostic) -> bool {
    problem.code == Code::BicepRestore
}
