//! Globs, and the filter of a walk that is made of them.

use std::path::{Component, Path, PathBuf};

use foldhash::HashSet;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::gitignore::Gitignore;

use crate::files::Fence;
use crate::path::normalize;

/// Number of globs that are compiled into one automaton, which has a size limit.
const GLOBS_IN_SET: usize = 64;

/// Patterns over paths below one folder. `*` stops at `/`, `**` does not; a pattern without `/` holds in any folder; a
/// pattern that matches a folder matches everything in it.
#[derive(Clone, Debug, Default)]
pub struct PathGlobs {
    base: PathBuf,
    /// Patterns without wildcards: paths from the folder, with `/` between names.
    paths: HashSet<String>,
    /// Patterns without wildcards and without `/`: names of files and folders.
    names: HashSet<String>,
    /// Patterns with wildcards, compiled in parts.
    sets: Vec<GlobSet>,
    /// True if paths outside the folder can match, as those that begin with `../`.
    is_everywhere: bool,
}

impl PathGlobs {
    /// Compiles patterns that are relative to `base`.
    ///
    /// A lookup takes time for patterns with wildcards only. A list of ten thousand paths costs as much as one path.
    pub fn new<'a>(base: &Path, patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, globset::Error> {
        let mut globs = Self { base: base.to_owned(), ..Self::default() };
        let mut wild = Vec::new();
        for pattern in patterns {
            let anchored = anchor(pattern);
            match anchored.strip_prefix("**/").filter(|name| is_literal(name)) {
                Some(name) if !name.contains('/') => globs.names.extend([name.to_owned()]),
                _ if is_literal(&anchored) => globs.paths.extend([anchored]),
                _ => wild.extend([compile(&format!("{anchored}/**"))?, compile(&anchored)?]),
            }
        }
        for wild in wild.chunks(GLOBS_IN_SET) {
            let mut set = GlobSetBuilder::new();
            for glob in wild {
                set.add(glob.clone());
            }
            globs.sets.push(set.build()?);
        }
        Ok(globs)
    }

    /// Lets the patterns match paths outside the folder as well: `../x/*` matches in the folder beside it.
    #[must_use]
    pub fn everywhere(self) -> Self {
        Self { is_everywhere: true, ..self }
    }

    /// Returns `true` if a pattern matches.
    pub fn matches(&self, path: &Path) -> bool {
        match path.strip_prefix(&self.base) {
            Ok(path) => self.matches_relative(path),
            Err(_) => self.is_everywhere && self.matches_relative(&from(&self.base, path)),
        }
    }

    fn matches_relative(&self, path: &Path) -> bool {
        if self.sets.iter().any(|set| set.is_match(path)) {
            return true;
        }
        if self.paths.is_empty() && self.names.is_empty() {
            return false;
        }
        let mut above = String::new();
        path.components().any(|component| {
            let name = component.as_os_str().to_string_lossy();
            if !above.is_empty() {
                above.push('/');
            }
            above.push_str(&name);
            self.names.contains(&*name) || self.paths.contains(&above)
        })
    }
}

/// Anchors a pattern at the folder that it is relative to.
fn anchor(pattern: &str) -> String {
    let trimmed = pattern.trim_end_matches('/');
    match trimmed.strip_prefix("./").or(trimmed.strip_prefix('/')) {
        Some(rest) => rest.to_owned(),
        None if trimmed.contains('/') => trimmed.to_owned(),
        None => format!("**/{trimmed}"),
    }
}

/// True if a pattern is a path that matches only itself.
fn is_literal(pattern: &str) -> bool {
    !pattern.is_empty()
        && !pattern.contains(['*', '?', '[', ']', '{', '}', '\\'])
        && pattern.split('/').all(|name| !name.is_empty() && name != ".")
}

fn compile(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).build()
}

/// True if a pattern has wildcards, so that it takes time to compile it and to look it up.
///
/// # Errors
///
/// Fails if the pattern is not a glob.
pub fn has_wildcards(pattern: &str) -> Result<bool, globset::Error> {
    let anchored = anchor(pattern);
    compile(&anchored)?;
    Ok(!is_literal(anchored.strip_prefix("**/").unwrap_or(&anchored)))
}

/// Returns the relative path from a folder to a path outside of it.
fn from(folder: &Path, path: &Path) -> PathBuf {
    let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Returns `true` if a path has characters that make it a glob. Brackets do not count: they are in many names.
pub fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '{'])
}

/// Returns the folder in which a glob selects, and what it selects there. `None` for a path without wildcards, for that
/// of a file that is really called so, and for a glob that is wrong.
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
    /// Globs of the parameter files that belong to the template.
    pub files: Vec<PathGlobs>,
    /// The absolute path of the template.
    pub template: PathBuf,
}

/// Filter of the files that a walk takes: those that an `include` matches, if there is any, and no `exclude`.
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
    /// True if the filter applies to files that the user names, as for a hook that names every file.
    pub holds_for_named: bool,
    /// True if a walk also takes the untracked files that `.gitignore` names.
    pub takes_ignored: bool,
    /// True if templates in folders of tests are listed and not checked.
    pub skips_tests: bool,
}

impl PathFilter {
    /// Returns `true` if a walk takes the file.
    pub fn takes_file(&self, path: &Path) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|globs| globs.matches(path));
        included && self.enters_folder(path) && !self.is_path_ignored(path)
    }

    /// Returns `true` if a walk enters the folder.
    pub fn enters_folder(&self, path: &Path) -> bool {
        !self.exclude.iter().any(|globs| globs.matches(path))
    }

    /// Returns the template that the settings name for a parameter file: the first whose globs match.
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

    /// Patterns without wildcards are looked up in another way than globs, with the same result.
    #[test]
    fn a_pattern_without_wildcards_means_the_same_as_a_glob() {
        for pattern in [
            "a",
            "a/b",
            "./a",
            "/a/b",
            "a/",
            "a/b/",
            "b.json",
            "../x",
            "./a/b/c.json",
            "a//b",
            "a/./b",
            "",
            "/",
            "**/a",
        ] {
            let globs = PathGlobs::new(Path::new("/repo"), [pattern]).unwrap().everywhere();
            let anchored = anchor(pattern);
            let glob = |text: &str| compile(text).unwrap().compile_matcher();
            let (whole, inner) = (glob(&anchored), glob(&format!("{anchored}/**")));
            for path in
                ["a", "b", "a/b", "x/a", "x/a/b", "a/b/c.json", "x/a/b/c.json", "b.json", "a/b.json", "cab", "ab/c"]
            {
                let expected = whole.is_match(path) || inner.is_match(path);
                assert_eq!(globs.matches(&Path::new("/repo").join(path)), expected, "{pattern} on {path}");
            }
        }
    }

    #[test]
    fn ten_thousand_paths_compile_nothing() {
        let paths: Vec<String> = (0..10_000).map(|at| format!("a/b{at}/main.json")).collect();
        let globs = PathGlobs::new(Path::new("/repo"), paths.iter().map(String::as_str)).unwrap();
        assert!(globs.sets.is_empty());
        assert!(
            globs.matches(Path::new("/repo/a/b9999/main.json")) && !globs.matches(Path::new("/repo/a/b/main.json"))
        );
        assert_eq!(
            (has_wildcards("a/b[1].json").ok(), has_wildcards("a/b.json").ok(), has_wildcards("a.json").ok()),
            (Some(true), Some(false), Some(false))
        );
    }

    #[test]
    fn a_pattern_of_a_folder_holds_for_everything_in_it() {
        check("a/", "a/b/c.json", true);
        check("a/b", "a/b/c.json", true);
    }
}
