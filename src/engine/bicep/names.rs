//! What a Bicep file names: other files, and what is in a registry.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::bicep::reader::{DeclarationKind, File, Range};
use crate::files::normalize;

/// `loadTextContent('file')` and its like. The compiler takes nothing but a literal there. What stands in a comment is
/// found as well, which does no harm.
static LOAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(load[A-Z]\w*)\s*\(\s*('(?:[^'\\\r\n]|\\.)*')").expect("the pattern is valid"));

/// What stands before the name of something that is in a registry.
const REGISTRIES: [&str; 4] = ["br:", "br/", "ts:", "ts/"];

/// One thing that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Name {
    /// What names it.
    pub(in crate::engine) by: By,
    /// What is named.
    pub(in crate::engine) target: Target,
}

/// What names another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum By {
    /// A declaration: a module, an import, the template of a parameter file and the like.
    Declaration(DeclarationKind),
    /// A function that reads a file.
    Load,
    /// A function that reads the files of a folder.
    LoadFolder,
}

/// What is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Target {
    /// A file or folder: absolute, without `.` and `..`, whether or not it is there.
    Local(PathBuf),
    /// A module in a registry, or a template spec.
    Registry,
}

/// Whether it is a Bicep file of either kind.
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

/// What a file that lies in `folder` names, declarations first.
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
        let target = declaration.target.filter(|it| names_file && file.slice(*it).starts_with('\''));
        let Some(word) = target.and_then(|it| file.word(it)) else { continue };
        let target = if REGISTRIES.iter().any(|it| word.starts_with(it)) { Target::Registry } else { local(&word) };
        // The name of an extension is no file, and a path to one begins with a dot.
        let is_built_in = by == DeclarationKind::Extension && target != Target::Registry && !word.starts_with('.');
        if !is_built_in {
            names.push(Name { by: By::Declaration(by), target });
        }
    }
    names.extend(LOAD.captures_iter(&file.text).filter_map(|it| {
        let literal = it.get(2)?;
        let at = |offset| u32::try_from(offset).ok();
        let word = file.word(Range::new(at(literal.start())?, at(literal.end())?))?;
        let by = if it[1].starts_with("loadDirectory") { By::LoadFolder } else { By::Load };
        Some(Name { by, target: local(&word) })
    }));
    names
}
