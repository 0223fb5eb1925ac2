//! Finds the files that may be templates or parameter files.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use foldhash::HashMap;
use rayon::prelude::*;

use crate::diagnostic::Diagnostic;
use crate::engine::bicep::names::is_bicep;
use crate::engine::detect::is_sam_config;
use crate::engine::inputs::system;
use crate::files::{Fence, PathFilter, PathGlobs, display_name, glob_of};
use crate::path::normalize;
use crate::text::Sources;

/// A file that may be a template or a parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Input {
    /// Absolute, without `.` and `..`.
    pub(in crate::engine) path: PathBuf,
    /// The name that reports show.
    pub(in crate::engine) name: String,
    /// True if the user named the file itself, and not only a folder above it.
    pub(in crate::engine) named: bool,
    /// The other paths that lead to the file, through links.
    pub(in crate::engine) aliases: Vec<PathBuf>,
}

impl Input {
    pub(in crate::engine) fn new(working: &Path, path: &Path, named: bool) -> Self {
        let path = normalize(working, path);
        let name = display_name(working, &path);
        Self { path, name, named, aliases: Vec::new() }
    }
}

/// Returns the files at the paths of the user and in the folders there, ordered by path.
pub(super) fn discover(
    fence: &Fence<'_>,
    working: &Path,
    paths: &[PathBuf],
    filter: &PathFilter,
    sources: &Sources,
) -> (Vec<Input>, Vec<Diagnostic>) {
    let (mut found, mut places) = (Vec::new(), Vec::new());
    for path in paths {
        let input = Input::new(working, path, !filter.holds_for_named);
        if let Some((folder, globs)) = glob_of(working, path, fence) {
            places.push(SearchedFolder { folder, globs: Some(globs) });
        } else if fence.is_folder(&input.path) {
            places.push(SearchedFolder { folder: input.path, globs: None });
        } else if input.named || is_taken(&input.path, filter, fence) {
            let is_link = fence.is_link(&input.path).unwrap_or(false);
            found.push(FoundFile { input, is_link });
        }
    }
    let problems = system::walk(places, (working, filter, fence), &mut found, sources);
    // What the user named stays before what the walk found at the same path.
    found.par_sort_by(|a, b| a.input.path.cmp(&b.input.path));
    found.dedup_by(|later, first| later.input.path == first.input.path);
    (without_aliases(found, fence), problems)
}

/// A folder, and what is taken of it if that is not everything.
pub(super) struct SearchedFolder {
    pub(super) folder: PathBuf,
    pub(super) globs: Option<PathGlobs>,
}

/// Returns the inputs for the paths of `only`. Those that are in `found` are taken from it.
pub(super) fn narrow(found: Vec<Input>, only: &BTreeSet<PathBuf>, working: &Path) -> Vec<Input> {
    let mut found: BTreeMap<PathBuf, Input> = found.into_iter().map(|input| (input.path.clone(), input)).collect();
    let take = |path: &PathBuf| found.remove(path).unwrap_or_else(|| Input::new(working, path, false));
    only.iter().map(take).collect()
}

/// A file that was found, and whether its path is that of a symbolic link.
pub(super) struct FoundFile {
    pub(super) input: Input,
    pub(super) is_link: bool,
}

/// Drops links to files that were also found by their real path, or by another link, which become their aliases.
fn without_aliases(found: Vec<FoundFile>, fence: &Fence<'_>) -> Vec<Input> {
    let (links, files): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| !found.input.named && found.is_link);
    let mut files: Vec<Input> = files.into_iter().map(|found| found.input).collect();
    if links.is_empty() {
        return files;
    }
    let real = |input: &Input| fence.real_path(&input.path).unwrap_or_else(|_| input.path.clone());
    let mut known: HashMap<PathBuf, usize> = files.iter().map(real).zip(0..).collect();
    for FoundFile { input, .. } in links {
        match known.entry(real(&input)) {
            Entry::Occupied(at) => {
                files.get_mut(*at.get()).into_iter().for_each(|file| file.aliases.push(input.path.clone()));
            }
            Entry::Vacant(at) => {
                at.insert(files.len());
                files.push(input);
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Returns `true` if a walk would find the file. A path that does not exist is skipped.
fn is_taken(path: &Path, filter: &PathFilter, fence: &Fence<'_>) -> bool {
    fence.is_file(path) && has_our_extension(path) && filter.takes_file(path)
}

/// The file extensions of templates in JSON or YAML. A file is read as what its text looks like.
const TEMPLATE_EXTENSIONS: [&str; 7] = ["json", "jsonc", "yaml", "yml", "template", "arm", "cfn"];

/// True if the name of a file is that of a template or a parameter file, so that a walk reads it.
pub(super) fn has_our_extension(path: &Path) -> bool {
    is_bicep(path) || is_sam_config(path) || has_template_extension(path)
}

/// True if the name of a file is that of a template in JSON or YAML.
fn has_template_extension(path: &Path) -> bool {
    let is_known = |extension: &OsStr| TEMPLATE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    path.extension().is_some_and(is_known)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::Disk;

    fn names(folder: &Path, paths: &[&str], filter: &PathFilter) -> (Vec<String>, Vec<String>) {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let (inputs, diagnostics) = discover(&Fence::of_user(&Disk), folder, &paths, filter, &Sources::new());
        let messages = diagnostics.into_iter().map(|problem| problem.message);
        (inputs.into_iter().map(|input| input.name).collect(), messages.collect())
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], paths: &[&str], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let (found, messages) = names(folder.path(), paths, &PathFilter::default());
        assert_eq!(found, expected);
        assert!(messages.is_empty(), "{messages:?}");
    }

    #[test]
    fn a_folder_gives_the_files_with_our_extensions_in_order() {
        check(
            &[
                ("b.json", ""),
                ("a/c.JSONC", ""),
                ("a/d.yaml", ""),
                ("a/d.toml", ""),
                ("a/e.arm", ""),
                ("a/f.CFN", ""),
                ("a/g.template", ""),
                ("a/h", ""),
                (".azure/e.json", ""),
                ("a/b.bicep", ""),
                ("p.bicepparam", ""),
            ],
            &["."],
            &[
                ".azure/e.json",
                "a/b.bicep",
                "a/c.JSONC",
                "a/d.yaml",
                "a/e.arm",
                "a/f.CFN",
                "a/g.template",
                "b.json",
                "p.bicepparam",
            ],
        );
    }

    #[test]
    fn what_git_ignores_is_left_out_unless_it_is_named() {
        let files = [
            (".gitignore", "out/\n*.tmp.json"),
            ("out/a.json", ""),
            ("b.tmp.json", ""),
            (".git/c.json", ""),
            ("node_modules/d.json", ""),
        ];
        check(&files, &["."], &["node_modules/d.json"]);
        check(&files, &["b.tmp.json", "."], &["b.tmp.json", "node_modules/d.json"]);
    }

    #[test]
    fn other_ignore_files_do_not_count() {
        let files =
            [(".ignore", "a.json"), (".rgignore", "b.json"), ("c/.ignore", "*"), ("a.json", ""), ("b.json", "")];
        check(&[&files[..], &[("c/d.json", "")]].concat(), &["."], &["a.json", "b.json", "c/d.json"]);
    }

    #[test]
    fn a_glob_selects_files_as_a_walk_finds_them() {
        let files = [("a/x.json", ""), ("a/x.txt", ""), ("a/b/x.json", ""), ("c/x.json", ""), ("c/y.bicep", "")];
        check(&files, &["a/*.json"], &["a/x.json"]);
        check(&files, &["**/x.*"], &["a/b/x.json", "a/x.json", "c/x.json"]);
        check(&files, &["a/*", "c/y.bicep"], &["a/b/x.json", "a/x.json", "c/y.bicep"]);
        check(&files, &["gone/*.json"], &[]);
    }

    #[test]
    fn a_folder_that_is_named_like_a_file_is_a_folder() {
        check(&[("x.json/main.json", "")], &["x.json"], &["x.json/main.json"]);
        check(&[("x.json/main.json", "")], &["."], &["x.json/main.json"]);
    }

    #[test]
    fn a_file_that_is_reached_twice_counts_once() {
        check(&[("a/b.json", "")], &[".", "a", "a/../a/b.json"], &["a/b.json"]);
    }

    #[test]
    fn globs_narrow_a_walk_and_leave_named_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.json", "b.json", "c/d.json"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let globs = |pattern| PathGlobs::new(folder.path(), [pattern]).unwrap();
        let filter = PathFilter {
            include: vec![globs("*.json")],
            exclude: vec![globs("c"), globs("b.json")],
            ..PathFilter::default()
        };
        assert_eq!(names(folder.path(), &["."], &filter).0, ["a.json"]);
        assert_eq!(names(folder.path(), &["b.json", "."], &filter).0, ["a.json", "b.json"]);
        let filter = PathFilter { holds_for_named: true, ..filter };
        assert_eq!(names(folder.path(), &["b.json", "c/d.json", "gone.json", "a.json"], &filter).0, ["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_in_cycles() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("real.json"), "").unwrap();
        symlink(root, root.join("up")).unwrap();
        symlink(root.join("real.json"), root.join("alias.json")).unwrap();
        symlink(root.join("loop.json"), root.join("loop.json")).unwrap();
        let (found, mut messages) = names(root, &["."], &PathFilter::default());
        assert_eq!(found, ["real.json"]);
        messages.sort();
        assert_eq!(
            messages,
            [
                "the link is broken, or leads to itself",
                "the link leads to a folder that contains it, and is not followed",
            ]
        );
    }
}
