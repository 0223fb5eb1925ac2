//! Finds the files and registry modules that a Bicep file names.

use std::path::{Path, PathBuf};

use crate::bicep::language::SyntaxTree;
use crate::bicep::language::ast::{DeclarationKind, Expr, ExprKind};
use crate::bicep::language::walk::each_child;
use crate::path::normalize;

/// The prefixes of references to registries and template specs.
const REGISTRIES: [&str; 4] = ["br:", "br/", "ts:", "ts/"];

/// Prefix of the names of functions that read files.
const LOAD: &str = "load";

/// A reference in a Bicep file to something outside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Name {
    /// The kind of declaration or call that contains the reference.
    pub(in crate::engine) by: By,
    /// The file, folder or module that it refers to.
    pub(in crate::engine) target: Target,
}

/// The kind of declaration or call that contains a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum By {
    /// `module`, which deploys a file.
    Module,
    /// `import`, of what a file exports.
    Import,
    /// `using`, of a parameter file.
    Using,
    /// `extends`, of a parameter file.
    Extends,
    /// `test`, of an experimental feature.
    Test,
    /// `extension`, of a package with types.
    Extension,
    /// A function that reads a file, such as `loadTextContent('file')`.
    Load,
    /// A function that reads the files of a folder.
    LoadFolder,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Target {
    /// A file or folder: absolute, without `.` and `..`. It need not exist.
    Local(PathBuf),
    /// A module in a registry, or a template spec.
    Registry,
}

/// Returns `true` if a path has the extension of a Bicep file of either kind.
pub(in crate::engine) fn is_bicep(path: &Path) -> bool {
    is_template(path) || is_parameters(path)
}

/// Returns `true` if a path has the extension `.bicep`.
pub(in crate::engine) fn is_template(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicep"))
}

/// Returns `true` if a path has the extension `.bicepparam`.
pub(in crate::engine) fn is_parameters(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicepparam"))
}

/// Returns the references in a file in `folder`: those of declarations first.
pub(in crate::engine) fn names(tree: &SyntaxTree, folder: &Path) -> Vec<Name> {
    let local = |word: &str| Target::Local(normalize(folder, Path::new(word)));
    let mut names = Vec::new();
    for declaration in &tree.declarations {
        let (by, word) = match &declaration.kind {
            DeclarationKind::Module(module) => (By::Module, module.path.literal()),
            DeclarationKind::Test(module) => (By::Test, module.path.literal()),
            DeclarationKind::Import(import) => (By::Import, import.path.literal()),
            DeclarationKind::Using { target, .. } => (By::Using, target.as_ref().and_then(|target| target.literal())),
            DeclarationKind::Extends(target) => (By::Extends, target.literal()),
            DeclarationKind::Extension(extension) => (By::Extension, Some(&*extension.specification.text)),
            _ => continue,
        };
        let Some(word) = word else { continue };
        let target =
            if REGISTRIES.iter().any(|registry| word.starts_with(registry)) { Target::Registry } else { local(word) };
        // A built-in extension has a name instead of a path, which would begin with a dot.
        let is_built_in = by == By::Extension && target != Target::Registry && !word.starts_with('.');
        if !is_built_in {
            names.push(Name { by, target });
        }
    }
    // Few files load others, and a walk over a tree takes longer than a look at its text.
    if tree.text.contains(LOAD) {
        for declaration in &tree.declarations {
            declaration
                .each_value(&mut |value| loads(value, &mut |by, path| names.push(Name { by, target: local(path) })));
        }
    }
    names
}

/// Calls `found` for each call in an expression of a function that reads a file, with the path. The compiler accepts
/// only a literal.
fn loads(expr: &Expr, found: &mut dyn FnMut(By, &str)) {
    if let ExprKind::Call { name, arguments } | ExprKind::Method { name, arguments, .. } = &expr.kind
        && let Some(what) =
            name.text.strip_prefix(LOAD).filter(|what| what.starts_with(|c: char| c.is_ascii_uppercase()))
        && let Some(path) = arguments.first().and_then(Expr::literal)
    {
        found(if what.starts_with("Directory") { By::LoadFolder } else { By::Load }, path);
    }
    each_child(expr, &mut |child| loads(child, found));
}
