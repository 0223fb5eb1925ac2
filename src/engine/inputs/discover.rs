//! Finds the files that may be templates or parameter files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};

use foldhash::HashSet;
use ignore::{DirEntry, WalkBuilder};
use rayon::prelude::*;

use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::engine::bicep::is_bicep;
use crate::engine::changes::tracked;
use crate::engine::inputs::store::locked;
use crate::engine::inputs::walk::walk;
use crate::files::{PathFilter, PathGlobs, describe, display_name, endless_ignore_file, glob_of, leads_out, normalize};
use crate::text::Sources;

/// A file that may be a template or a parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Input {
    /// Absolute, without `.` and `..`.
    pub(in crate::engine) path: PathBuf,
    /// The name that reports show.
    pub(in crate::engine) name: String,
    /// Whether the user named the file itself, and not only a folder above it.
    pub(in crate::engine) named: bool,
}

impl Input {
    pub(in crate::engine) fn new(working: &Path, path: &Path, named: bool) -> Self {
        let path = normalize(working, path);
        let name = display_name(working, &path);
        Self { path, name, named }
    }
}

/// The files at `paths` and in the folders at `paths`, ordered by path. Untracked files that git ignores are skipped, and
/// links to folders are not followed.
pub(super) fn discover(
    working: &Path,
    paths: &[PathBuf],
    filter: &PathFilter,
    sources: &Sources,
) -> (Vec<Input>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let (mut folders, mut places, mut outside) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let input = Input::new(working, path, !filter.holds_for_named);
        let globbed = glob_of(working, path);
        let folder = globbed.as_ref().map_or(&input.path, |(folder, _)| folder);
        if folder.is_dir() && leads_out(folder) {
            outside.push(folder.clone());
        } else if let Some((folder, globs)) = globbed {
            folders.extend(folder.is_dir().then(|| folder.clone()));
            places.push((folder, Some(globs)));
        } else if input.path.is_dir() {
            folders.push(input.path.clone());
            places.push((input.path, None));
        } else if input.named || is_taken(&input.path, filter) {
            let is_link = input.path.is_symlink();
            found.push(Found { input, is_link });
        }
    }
    let walk = Walk { working, filter, places, found: Mutex::default(), problems: Mutex::default() };
    for folder in outside {
        walk.report(
            &folder,
            "a link leads to this folder outside the repository, and is not followed".to_owned(),
            Level::Error,
        );
    }
    walk.run_with_tracked(&folders);
    found.append(&mut locked(&walk.found));
    // What the user named stays before what the walk found at the same path.
    found.par_sort_by(|a, b| a.input.path.cmp(&b.input.path));
    found.dedup_by(|later, first| later.input.path == first.input.path);
    let diagnostics = std::mem::take(&mut *locked(&walk.problems)).into_iter().map(|problem| {
        let file = sources.add(display_name(working, &problem.path), "");
        let not_checked = problem.not_checked;
        let problem = Diagnostic::of_file(Code::FileUnreadable, file, problem.message).with_level(problem.level);
        Diagnostic { not_checked, ..problem }
    });
    (without_aliases(found), diagnostics.collect())
}

/// The inputs for the paths of `only`. Those that are in `found` are taken from it.
pub(super) fn narrow(found: Vec<Input>, only: &BTreeSet<PathBuf>, working: &Path) -> Vec<Input> {
    let mut found: BTreeMap<PathBuf, Input> = found.into_iter().map(|input| (input.path.clone(), input)).collect();
    let take = |path: &PathBuf| found.remove(path).unwrap_or_else(|| Input::new(working, path, false));
    only.iter().map(take).collect()
}

/// A file that was found, and whether its path is that of a symbolic link.
struct Found {
    input: Input,
    is_link: bool,
}

/// Drops symbolic links to files that were also found by their real path.
fn without_aliases(found: Vec<Found>) -> Vec<Input> {
    let (links, files): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| !found.input.named && found.is_link);
    let mut files: Vec<Input> = files.into_iter().map(|found| found.input).collect();
    if links.is_empty() {
        return files;
    }
    let real = |input: &Input| fs::canonicalize(&input.path).unwrap_or_else(|_| input.path.clone());
    let mut known: Vec<PathBuf> = files.iter().map(real).collect();
    for Found { input, .. } in links {
        let target = real(&input);
        if !known.contains(&target) {
            known.push(target);
            files.push(input);
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// What a walk comes by besides files.
enum Seen {
    /// A folder that is a repository of its own.
    Repository(PathBuf),
    /// An ignore file that cannot be read to its end.
    Endless(PathBuf),
}

struct Walk<'a> {
    working: &'a Path,
    filter: &'a PathFilter,
    /// The folders, and what is taken of each if that is not everything.
    places: Vec<(PathBuf, Option<PathGlobs>)>,
    found: Mutex<Vec<Found>>,
    problems: Mutex<Vec<Problem>>,
}

/// What is wrong with a file or a folder.
struct Problem {
    path: PathBuf,
    message: String,
    level: Level,
    not_checked: Option<NotChecked>,
}

impl Walk<'_> {
    /// Walks the folders. Ignore files are in the repository, where a change can add to them, so they must not hide what
    /// git tracks.
    fn run_with_tracked(&self, folders: &[PathBuf]) {
        let endless = folders.iter().filter(|folder| self.has_endless_ignore_file(folder));
        let takes_ignored = self.filter.takes_ignored || endless.count() > 0;
        let mut files = Vec::new();
        let repositories = if takes_ignored {
            self.run(folders, takes_ignored)
        } else {
            // Git takes as long as the walk.
            let list = || folders.iter().map(|folder| (folder, tracked(folder))).collect::<Vec<_>>();
            let (listed, repositories) = rayon::join(list, || self.run(folders, takes_ignored));
            let mut refused = Vec::new();
            for (folder, listed) in listed {
                match listed {
                    Ok(listed) => files.extend(listed.unwrap_or_default()),
                    Err(why) => refused.push((folder, why.to_string())),
                }
            }
            if refused.is_empty() {
                repositories
            } else {
                locked(&self.found).clear();
                locked(&self.problems).clear();
                for (folder, why) in &refused {
                    self.takes_ignored(folder, why);
                }
                self.run(folders, true)
            }
        };
        for repository in repositories {
            // If git refuses this one, the ignore files in it have counted already.
            files.extend(tracked(&repository).ok().flatten().unwrap_or_default());
        }
        let known: HashSet<PathBuf> = locked(&self.found).iter().map(|found| found.input.path.clone()).collect();
        for path in files.into_iter().filter(|path| has_our_extension(path) && !known.contains(path)) {
            match fs::symlink_metadata(&path) {
                // What is wrong with a link, the walk has reported.
                Ok(kind) if kind.is_symlink() && !path.is_file() => {}
                Ok(kind) if !kind.is_dir() => self.take(&path, kind.is_symlink()),
                _ => {}
            }
        }
    }

    /// Whether an ignore file above the folder cannot be read to its end. Reports that.
    fn has_endless_ignore_file(&self, folder: &Path) -> bool {
        let endless = folder.ancestors().find_map(endless_ignore_file);
        if let Some(file) = &endless {
            self.takes_ignored(folder, &format!("`{}` is not a file", display_name(self.working, file)));
        }
        endless.is_some()
    }

    /// Reports why ignored files are taken.
    fn takes_ignored(&self, folder: &Path, why: &str) {
        let message = format!("ignore files do not count, since it is unknown what they hide: {why}");
        self.report(folder, message, Level::Warning);
    }

    /// Walks the folders, and returns the repositories inside them.
    fn run(&self, folders: &[PathBuf], takes_ignored: bool) -> Vec<PathBuf> {
        let Some((first, rest)) = folders.split_first() else {
            return Vec::new();
        };
        let mut builder = WalkBuilder::new(first);
        for folder in rest {
            builder.add(folder);
        }
        let filter = self.filter.clone();
        let (sender, seen) = mpsc::channel();
        let sender = Mutex::new(sender);
        // The receiver lives as long as the walk.
        let send = move |seen| drop(sender.lock().unwrap_or_else(PoisonError::into_inner).send(seen));
        builder
            // Templates live in `.azure` and `.github` as well.
            .hidden(false)
            .require_git(false)
            .ignore(false)
            .git_global(false)
            .git_ignore(!takes_ignored)
            .git_exclude(!takes_ignored)
            .filter_entry(move |entry| {
                if entry.depth() == 0 {
                    return true;
                }
                if entry.file_name() != ".git" {
                    let is_folder = !takes_ignored && entry.file_type().is_some_and(|kind| kind.is_dir());
                    let endless = if is_folder { endless_ignore_file(entry.path()) } else { None };
                    let is_safe = endless.is_none();
                    if let Some(file) = endless {
                        send(Seen::Endless(file));
                    }
                    return is_safe && filter.enters_folder(entry.path());
                }
                if let (Some(folder), true) = (entry.path().parent(), entry.depth() > 1) {
                    send(Seen::Repository(folder.to_path_buf()));
                }
                false
            });
        walk(&mut builder, |entry| match entry {
            Ok(entry) => self.visit(&entry),
            Err(error) => self.report_error(&error),
        });
        seen.try_iter().filter_map(|seen| self.repository(seen)).collect()
    }

    /// The repository that was seen, if it is one. Reports anything else.
    fn repository(&self, seen: Seen) -> Option<PathBuf> {
        match seen {
            Seen::Repository(folder) => Some(folder),
            Seen::Endless(file) => {
                let message = "expected an ignore file, found a pipe, a socket, or a device; what is in the folder is not checked";
                self.report(&file, message.to_owned(), Level::Error);
                None
            }
        }
    }

    fn visit(&self, entry: &DirEntry) {
        let path = entry.path();
        let Some(kind) = entry.file_type() else {
            return;
        };
        if kind.is_symlink() {
            self.visit_link(path);
        } else if kind.is_file() {
            self.take(path, false);
        }
    }

    fn visit_link(&self, path: &Path) {
        match fs::metadata(path) {
            Ok(target) if target.is_file() && has_our_extension(path) && leads_out(path) => {
                self.report_outside(path);
            }
            Ok(target) if target.is_file() => self.take(path, true),
            Ok(target) if target.is_dir() && self.filter.enters_folder(path) && leads_out(path) => {
                self.report_outside(path);
            }
            Ok(_) => {
                let target = fs::canonicalize(path).ok();
                let folder = path.parent().and_then(|parent| fs::canonicalize(parent).ok());
                if let (Some(target), Some(folder)) = (target, folder)
                    && folder.starts_with(target)
                {
                    let message = "the link leads to a folder that contains it, and is not followed";
                    self.report(path, message.to_owned(), Level::Note);
                }
            }
            Err(_) if has_our_extension(path) => {
                let message = "the link is broken, or leads to itself";
                self.report(path, message.to_owned(), Level::Warning);
            }
            Err(_) => {}
        }
    }

    fn take(&self, path: &Path, is_link: bool) {
        let is_wanted = |(folder, globs): &(PathBuf, Option<PathGlobs>)| {
            path.starts_with(folder) && globs.as_ref().is_none_or(|globs| globs.matches(path))
        };
        if has_our_extension(path) && self.filter.takes_file(path) && self.places.iter().any(is_wanted) {
            let input = Input::new(self.working, path, false);
            locked(&self.found).push(Found { input, is_link });
        }
    }

    fn report_error(&self, error: &ignore::Error) {
        let mut inner = error;
        let mut path = self.working;
        loop {
            match inner {
                ignore::Error::WithPath { path: at, err } => (path, inner) = (at, err),
                ignore::Error::WithDepth { err, .. } => inner = err,
                _ => break,
            }
        }
        let why = inner.io_error().map_or_else(|| inner.to_string(), describe);
        self.report(path, format!("the folder cannot be read: {why}"), Level::Error);
    }

    fn report(&self, path: &Path, message: String, level: Level) {
        locked(&self.problems).push(Problem { path: path.to_owned(), message, level, not_checked: None });
    }

    /// Reports a link that is not followed, because it leads out of the repository.
    fn report_outside(&self, path: &Path) {
        let message = "the link leads out of the repository, and is not followed".to_owned();
        let (path, not_checked) = (path.to_owned(), Some(NotChecked::Link));
        locked(&self.problems).push(Problem { path, message, level: Level::Note, not_checked });
    }
}

/// Whether a walk would take the file. A path that does not exist is skipped.
fn is_taken(path: &Path, filter: &PathFilter) -> bool {
    path.is_file() && has_our_extension(path) && filter.takes_file(path)
}

/// Whether its name is that of a template or a parameter file.
pub(super) fn has_our_extension(path: &Path) -> bool {
    const OURS: [&str; 5] = ["json", "jsonc", "yaml", "yml", "template"];
    is_bicep(path)
        || path.extension().is_some_and(|extension| OURS.iter().any(|ours| extension.eq_ignore_ascii_case(ours)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, paths: &[&str], filter: &PathFilter) -> (Vec<String>, Vec<String>) {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let (inputs, diagnostics) = discover(folder, &paths, filter, &Sources::new());
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
                (".azure/e.json", ""),
                ("a/b.bicep", ""),
                ("p.bicepparam", ""),
            ],
            &["."],
            &[".azure/e.json", "a/b.bicep", "a/c.JSONC", "a/d.yaml", "b.json", "p.bicepparam"],
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
