//! Globs, and the filter of a walk that is made of them.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::gitignore::Gitignore;

use crate::files::Fence;
use crate::path::normalize;

/// Patterns over paths below one folder. `*` stops at `/`, `**` does not; a pattern without `/` holds in any folder; a
/// pattern that matches a folder matches everything in it.
#[derive(Clone, Debug)]
pub struct PathGlobs {
    base: PathBuf,
    set: GlobSet,
    /// Whether paths outside the folder can match, as those that begin with `../`.
    is_everywhere: bool,
}

impl PathGlobs {
    /// Compiles patterns that are relative to `base`.
    pub fn new<'a>(base: &Path, patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, globset::Error> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let trimmed = pattern.trim_end_matches('/');
            let rooted = trimmed.strip_prefix("./").or(trimmed.strip_prefix('/'));
            let anchored = match rooted {
                Some(rest) => rest.to_owned(),
                None if trimmed.contains('/') => trimmed.to_owned(),
                None => format!("**/{trimmed}"),
            };
            for glob in [format!("{anchored}/**"), anchored] {
                set.add(GlobBuilder::new(&glob).literal_separator(true).build()?);
            }
        }
        Ok(Self { base: base.to_owned(), set: set.build()?, is_everywhere: false })
    }

    /// The same patterns, for paths outside the folder as well: `../x/*` matches in the folder beside it.
    #[must_use]
    pub fn everywhere(self) -> Self {
        Self { is_everywhere: true, ..self }
    }

    /// Whether a pattern matches.
    pub fn matches(&self, path: &Path) -> bool {
        match path.strip_prefix(&self.base) {
            Ok(path) => self.set.is_match(path),
            Err(_) => self.is_everywhere && self.set.is_match(from(&self.base, path)),
        }
    }
}

/// The way from a folder to a path outside of it.
fn from(folder: &Path, path: &Path) -> PathBuf {
    let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Whether a path has characters that make it a glob. Brackets do not: they are in many names.
pub fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '{'])
}

/// The folder in which a glob selects, and what it selects there. `None` for a path without wildcards, for that of a
/// file that is really called so, and for a glob that is wrong.
pub fn glob_of(working: &Path, path: &Path, fence: &Fence<'_>) -> Option<(PathBuf, PathGlobs)> {
    let path = normalize(working, path);
    if !is_glob(&path) || fence.exists(&path) {
        return None;
    }
    let literal = |component: &Component<'_>| !is_glob(Path::new(component.as_os_str()));
    let folder: PathBuf = path.components().take_while(literal).collect();
    let pattern = path.strip_prefix(&folder).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let globs = PathGlobs::new(&folder, [format!("./{pattern}").as_str()]).ok()?;
    Some((folder, globs))
}

/// The template that the settings name for some parameter files.
#[derive(Clone, Debug)]
pub struct TemplateOf {
    /// Which parameter files belong to it.
    pub files: Vec<PathGlobs>,
    /// The absolute path of the template.
    pub template: PathBuf,
}

/// Which files a walk takes: those that an `include` matches, if there is any, and no `exclude`.
#[derive(Clone, Debug, Default)]
pub struct PathFilter {
    /// A file must match one of these, if there are any.
    pub include: Vec<PathGlobs>,
    /// Files and folders that a walk does not take.
    pub exclude: Vec<PathGlobs>,
    /// Files that `input.pathIgnore` of `ps-rule.yaml` excludes, in the syntax of `.gitignore`.
    pub path_ignore: Option<Gitignore>,
    /// The templates of parameter files whose names do not tell them.
    pub templates: Vec<TemplateOf>,
    /// Whether the filter applies to files that the user names, as for a hook that names every file.
    pub holds_for_named: bool,
    /// Whether a walk also takes the untracked files that `.gitignore` names.
    pub takes_ignored: bool,
}

impl PathFilter {
    /// Whether a walk takes the file.
    pub fn takes_file(&self, path: &Path) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|globs| globs.matches(path));
        included && self.enters_folder(path) && !self.is_path_ignored(path)
    }

    /// Whether a walk enters the folder.
    pub fn enters_folder(&self, path: &Path) -> bool {
        !self.exclude.iter().any(|globs| globs.matches(path))
    }

    /// The template that the settings name for a parameter file: the first whose globs match.
    pub fn template_of(&self, parameters: &Path) -> Option<&Path> {
        let of = self.templates.iter().find(|of| of.files.iter().any(|globs| globs.matches(parameters)));
        of.map(|of| of.template.as_path())
    }

    fn is_path_ignored(&self, path: &Path) -> bool {
        self.path_ignore.as_ref().is_some_and(|ignored| {
            path.starts_with(ignored.path()) && ignored.matched_path_or_any_parents(path, false).is_ignore()
        })
    }
}

#[cfg(test)]
#[cfg(feature = "system")]
mod tests {
    use super::*;
    use crate::files::Disk;

    #[track_caller]
    fn check(pattern: &str, path: &str, expected: bool) {
        let globs = PathGlobs::new(Path::new("/repo"), [pattern]).unwrap();
        let found = globs.matches(&Path::new("/repo").join(path));
        assert_eq!(found, expected, "{pattern} on {path}");
    }

    #[test]
    fn a_glob_selects_below_its_first_folders() {
        let of = |path: &str| glob_of(Path::new("/repo/x"), Path::new(path), &Fence::of_user(&Disk));
        let selects = |glob: &str, path: &str| of(glob).is_some_and(|(_, globs)| globs.matches(Path::new(path)));
        assert_eq!(of("a/*/b.json").unwrap().0, Path::new("/repo/x/a"));
        assert_eq!(of("../y/**").unwrap().0, Path::new("/repo/y"));
        assert!(of("a/b.json").is_none() && of("a/[b].json").is_none());
        assert!(selects("*.json", "/repo/x/b.json") && !selects("*.json", "/repo/x/a/b.json"));
        assert!(selects("**/*.json", "/repo/x/a/b.json") && selects("../{x,y}/b.json", "/repo/y/b.json"));
        assert!(selects("modules/*", "/repo/x/modules/a/b/c.json") && !selects("modules/*", "/repo/x/other/c.json"));
    }

    #[test]
    fn patterns_of_the_command_line_match_outside_of_its_folder() {
        let matches = |pattern: &str, path: &str| {
            let globs = PathGlobs::new(Path::new("/repo/x"), [pattern]).unwrap();
            assert!(!globs.matches(Path::new(path)), "{pattern} on {path}");
            globs.everywhere().matches(Path::new(path))
        };
        assert!(matches("../y/*.json", "/repo/y/a.json") && matches("*.json", "/repo/y/a.json"));
        assert!(matches("**/*.json", "/a.json") && matches("../..", "/other/a.json"));
        assert!(!matches("y/*.json", "/repo/y/a.json") && !matches("../z/*.json", "/repo/y/a.json"));
    }

    #[test]
    fn a_pattern_without_a_slash_holds_in_any_folder() {
        check("*.json", "a/b.json", true);
        check("bin", "a/bin/b.json", true);
        check("bin", "a/cabin/b.json", false);
    }

    #[test]
    fn a_pattern_with_a_slash_is_relative_to_its_folder() {
        check("a/*.json", "a/b.json", true);
        check("a/*.json", "a/c/b.json", false);
        check("a/*.json", "x/a/b.json", false);
        check("a/**/*.json", "a/c/d/b.json", true);
        check("./b.json", "b.json", true);
        check("/b.json", "a/b.json", false);
        check("b.json", "/elsewhere/b.json", false);
    }

    #[test]
    fn a_pattern_of_a_folder_holds_for_everything_in_it() {
        check("a/", "a/b/c.json", true);
        check("a/b", "a/b/c.json", true);
    }
}
