//! Finds the files and registry modules that a Bicep file names.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::bicep::reader::{DeclarationKind, File, Range};
use crate::files::normalize;

/// A call of `loadTextContent('file')` or a similar function. The compiler accepts only a literal argument. Calls in
/// comments match as well, which does no harm.
static LOAD: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(load[A-Z]\w*)\s*\(\s*('(?:[^'\\\r\n]|\\.)*')"));

#[expect(clippy::expect_used, reason = "the pattern is a literal that tests compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// The prefixes of references to registries and template specs.
const REGISTRIES: [&str; 4] = ["br:", "br/", "ts:", "ts/"];

/// A reference in a Bicep file to something outside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Name {
    /// The kind of statement or call that contains the reference.
    pub(in crate::engine) by: By,
    /// The file, folder or module that it refers to.
    pub(in crate::engine) target: Target,
}

/// The kind of statement or call that contains a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum By {
    /// A declaration: a module, an import, the template of a parameter file and the like.
    Declaration(DeclarationKind),
    /// A function that reads a file.
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

/// Whether a path is that of a Bicep file of either kind.
pub(in crate::engine) fn is_bicep(path: &Path) -> bool {
    is_template(path) || is_parameters(path)
}

/// Whether it is a `.bicep` file.
pub(in crate::engine) fn is_template(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicep"))
}

/// Whether it is a `.bicepparam` file.
pub(in crate::engine) fn is_parameters(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicepparam"))
}

/// The references in a file in `folder`: those of declarations first.
pub(in crate::engine) fn names(file: &File, folder: &Path) -> Vec<Name> {
    let local = |word: &str| Target::Local(normalize(folder, Path::new(word)));
    let mut names = Vec::new();
    for declaration in &file.declarations {
        let by = declaration.kind;
        let names_file = matches!(
            by,
            DeclarationKind::Module
                | DeclarationKind::Import
                | DeclarationKind::Using
                | DeclarationKind::Extends
                | DeclarationKind::Test
                | DeclarationKind::Extension
        );
        let target = declaration.target.filter(|target| names_file && file.slice(*target).starts_with('\''));
        let Some(word) = target.and_then(|target| file.word(target)) else { continue };
        let target =
            if REGISTRIES.iter().any(|registry| word.starts_with(registry)) { Target::Registry } else { local(&word) };
        // A built-in extension has a name instead of a path, which would begin with a dot.
        let is_built_in = by == DeclarationKind::Extension && target != Target::Registry && !word.starts_with('.');
        if !is_built_in {
            names.push(Name { by: By::Declaration(by), target });
        }
    }
    names.extend(LOAD.captures_iter(&file.text).filter_map(|call| {
        let (function, literal) = (call.get(1)?, call.get(2)?);
        let at = |offset| u32::try_from(offset).ok();
        let word = file.word(Range::new(at(literal.start())?, at(literal.end())?))?;
        let by = if function.as_str().starts_with("loadDirectory") { By::LoadFolder } else { By::Load };
        Some(Name { by, target: local(&word) })
    }));
    names
}
