//! Walks folders on the disk, as git sees them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};

use foldhash::HashSet;
use ignore::{DirEntry, WalkBuilder};

use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::engine::changes::tracked;
use crate::engine::inputs::discover::{FoundFile, Input, SearchedFolder, has_our_extension};
use crate::engine::inputs::store::locked;
use crate::engine::inputs::system::walkers::visit_each;
use crate::files::{
    Disk, Fence, PathFilter, Programs, describe, display_name, endless_ignore_file, leads_out, repository_of,
    tracked_by_index,
};
use crate::text::Sources;

/// Maximum number of links to folders that are followed.
const MAX_LINKS: usize = 64;

/// Adds the files in folders to `found`, and returns their problems. Untracked files that git ignores are skipped.
pub(in crate::engine::inputs) fn walk(
    places: Vec<SearchedFolder>,
    (working, filter, fence): (&Path, &PathFilter, &Fence<'_>),
    found: &mut Vec<FoundFile>,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let (outside, places): (Vec<SearchedFolder>, Vec<SearchedFolder>) =
        places.into_iter().partition(|place| place.folder.is_dir() && leads_out(&place.folder, &on_disk()));
    let folders: Vec<PathBuf> =
        places.iter().map(|place| place.folder.clone()).filter(|folder| folder.is_dir()).collect();
    let walk = FolderWalk {
        working,
        filter,
        programs: fence.programs(),
        places,
        links: Mutex::default(),
        found: Mutex::default(),
        problems: Mutex::default(),
    };
    for place in outside {
        let message = "a link leads to this folder outside the repository, and is not followed";
        walk.report(&place.folder, message.to_owned(), Level::Error);
    }
    walk.run_with_tracked(&folders);
    found.append(&mut locked(&walk.found));
    let problems = std::mem::take(&mut *locked(&walk.problems)).into_iter().map(|problem| {
        let file = sources.add(display_name(working, &problem.path), "");
        let not_checked = problem.not_checked;
        let problem = Diagnostic::of_file(Code::FileUnreadable, file, problem.message).with_level(problem.level);
        Diagnostic { not_checked, ..problem }
    });
    problems.collect()
}

/// Returns the file system for a walk of folders of the user.
fn on_disk() -> Fence<'static> {
    Fence::of_user(&Disk)
}

/// Findings of a walk other than files.
enum Seen {
    /// A folder that is a repository of its own.
    Repository(PathBuf),
    /// An ignore file that cannot be read to its end.
    Endless(PathBuf),
}

struct FolderWalk<'a> {
    working: &'a Path,
    filter: &'a PathFilter,
    programs: Option<Programs>,
    places: Vec<SearchedFolder>,
    /// The links to folders of the repository that were seen, and are not followed yet.
    links: Mutex<Vec<PathBuf>>,
    found: Mutex<Vec<FoundFile>>,
    problems: Mutex<Vec<PathProblem>>,
}

/// Problem with a file or a folder.
struct PathProblem {
    path: PathBuf,
    message: String,
    level: Level,
    not_checked: Option<NotChecked>,
}

impl FolderWalk<'_> {
    /// Walks the folders. Ignore files are in the repository, where a change can add to them, so they must not hide
    /// what git tracks.
    fn run_with_tracked(&self, folders: &[PathBuf]) {
        let endless = folders.iter().filter(|folder| self.has_endless_ignore_file(folder));
        let takes_ignored = self.filter.takes_ignored || endless.count() > 0;
        let mut files = Vec::new();
        let repositories = if takes_ignored {
            self.run(folders, takes_ignored)
        } else {
            // Git takes as long as the walk.
            let list = || folders.iter().map(|folder| (folder, self.tracked(folder))).collect::<Vec<_>>();
            let (listed, repositories) = rayon::join(list, || self.run(folders, takes_ignored));
            let mut refused = Vec::new();
            for (folder, listed) in listed {
                match listed {
                    Ok(listed) => files.extend(listed.unwrap_or_default()),
                    Err(why) => refused.push((folder, why)),
                }
            }
            if refused.is_empty() {
                repositories
            } else {
                locked(&self.found).clear();
                locked(&self.problems).clear();
                locked(&self.links).clear();
                for (folder, why) in &refused {
                    self.takes_ignored(folder, why);
                }
                self.run(folders, true)
            }
        };
        for repository in repositories {
            // If git refuses this one, the ignore files in it have counted already.
            files.extend(self.tracked(&repository).ok().flatten().unwrap_or_default());
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

    /// Returns the files that git tracks in a folder: as git lists them, or as its index has them if no program may be
    /// started.
    fn tracked(&self, folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
        match self.programs {
            Some(programs) => tracked(folder, programs).map_err(|why| why.to_string()),
            None => tracked_by_index(folder).map_err(|why| why.to_string()),
        }
    }

    /// Returns `true` if an ignore file above the folder cannot be read to its end, and reports that.
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

    /// Walks the folders, with those that links in them lead to, and returns the repositories inside them.
    fn run(&self, folders: &[PathBuf], takes_ignored: bool) -> Vec<PathBuf> {
        let mut repositories = self.run_once(folders, takes_ignored, false);
        let (mut known, mut count) = (HashSet::<PathBuf>::default(), 0);
        loop {
            let mut links = std::mem::take(&mut *locked(&self.links));
            links.sort();
            links.retain(|link| fs::canonicalize(link).is_ok_and(|target| count == 0 || !known.contains(&target)));
            known.extend(links.iter().filter_map(|link| fs::canonicalize(link).ok()));
            for link in links.split_off(links.len().min(MAX_LINKS.saturating_sub(count))) {
                let message = format!("more than {MAX_LINKS} links lead to folders, and this one is not followed");
                self.report_link(&link, message);
            }
            if links.is_empty() {
                return repositories;
            }
            count += links.len();
            repositories.extend(self.run_once(&links, takes_ignored, true));
        }
    }

    /// Walks the folders without the links in them.
    fn run_once(&self, folders: &[PathBuf], takes_ignored: bool, is_below_link: bool) -> Vec<PathBuf> {
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
        visit_each(&mut builder, |entry| match entry {
            Ok(entry) => self.visit(&entry, is_below_link),
            Err(error) => self.report_error(&error),
        });
        seen.try_iter().filter_map(|seen| self.repository(seen)).collect()
    }

    /// Returns the repository that was seen, if it is one. Reports anything else.
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

    /// Adds a file or a link. `is_below_link` is true while a link to a folder is walked.
    fn visit(&self, entry: &DirEntry, is_below_link: bool) {
        let path = entry.path();
        let Some(kind) = entry.file_type() else {
            return;
        };
        if kind.is_symlink() {
            self.visit_link(path);
        } else if kind.is_file() {
            // Below a link to a folder, each file has another path as well.
            self.take(path, is_below_link);
        }
    }

    /// Returns `true` if a link to a folder, which does not lead out of its repository, is followed. Outside of
    /// repositories, it has to lead to a folder that is walked.
    fn follows(&self, path: &Path, target: &Path) -> bool {
        let is_of_git = target.iter().any(|name| name.eq_ignore_ascii_case(".git"));
        let is_walked =
            |place: &SearchedFolder| fs::canonicalize(&place.folder).is_ok_and(|folder| target.starts_with(folder));
        let is_of_repository = || path.parent().and_then(repository_of).is_some();
        let is_inside = || is_of_repository() || self.places.iter().any(is_walked);
        self.filter.enters_folder(path) && !is_of_git && is_inside()
    }

    fn visit_link(&self, path: &Path) {
        match fs::metadata(path) {
            Ok(target) if target.is_file() && has_our_extension(path) && leads_out(path, &on_disk()) => {
                self.report_outside(path);
            }
            Ok(target) if target.is_file() => self.take(path, true),
            Ok(target) if target.is_dir() && self.filter.enters_folder(path) && leads_out(path, &on_disk()) => {
                self.report_outside(path);
            }
            Ok(kind) => {
                let target = fs::canonicalize(path).ok();
                let folder = path.parent().and_then(|parent| fs::canonicalize(parent).ok());
                let (Some(target), Some(folder)) = (target, folder) else { return };
                if !folder.starts_with(target.as_path()) {
                    if kind.is_dir() && self.follows(path, &target) {
                        locked(&self.links).push(path.to_owned());
                    }
                } else {
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
        let is_wanted = |SearchedFolder { folder, globs }: &SearchedFolder| {
            path.starts_with(folder) && globs.as_ref().is_none_or(|globs| globs.matches(path))
        };
        if has_our_extension(path) && self.filter.takes_file(path) && self.places.iter().any(is_wanted) {
            let input = Input::new(self.working, path, false);
            locked(&self.found).push(FoundFile { input, is_link });
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
        locked(&self.problems).push(PathProblem { path: path.to_owned(), message, level, not_checked: None });
    }

    /// Reports a link that is not followed, because it leads out of the repository.
    fn report_outside(&self, path: &Path) {
        self.report_link(path, "the link leads out of the repository, and is not followed".to_owned());
    }

    /// Reports a link that is not followed, so that its target is not checked.
    fn report_link(&self, path: &Path, message: String) {
        let (path, not_checked) = (path.to_owned(), Some(NotChecked::Link));
        locked(&self.problems).push(PathProblem { path, message, level: Level::Note, not_checked });
    }
}
