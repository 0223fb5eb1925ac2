//! Asks git which files and lines a change touches.
//!
//! A change is the difference between two states: from the merge base to the working tree, or from the last commit to
//! the index. Nothing in the repository is executed. Nothing is written to it except commits that the clone of a
//! workflow lacks ([`fetch`]).
//!
//! # Invariant
//!
//! Paths of a run are looked up with `Changes::touched`, which knows the links on their way.

mod auto;
mod base;
mod commit;
mod comparison;
mod deleted;
mod fetch;
mod git;
mod head;
mod hunks;
mod list;
mod named;
mod notice;
mod refusal;
mod relocated;
mod repository;
mod revisions;
#[cfg(test)]
mod sample;
mod snapshot;
mod submodules;
mod tip;
mod tracked;
mod trails;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::Programs;
use crate::text::with_causes;

use self::auto::FoundBase;
use self::base::Base;
use self::comparison::GitDifference;
use self::git::Git;

pub use self::auto::{Auto, Wanted};
pub(super) use self::commit::{CommitTree, ReadFrom};
pub use self::deleted::Deleted;
pub(super) use self::deleted::deleted;
pub use self::fetch::Remote;
pub(super) use self::head::MergedHead;
pub(super) use self::hunks::Lines;
pub use self::list::Event;
pub use self::notice::Notice;
pub use self::relocated::Relocated;
pub use self::repository::Repository;
pub use self::revisions::{NewState, Revisions};
pub use self::snapshot::Snapshot;
pub(super) use self::submodules::absent_submodules;
pub(super) use self::tracked::{tracked, tracked_of_name};
use self::trails::Trails;

/// Change that a check is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Everything that is not committed: the working tree, with untracked files, compared with `HEAD`.
    Uncommitted,
    /// Everything since the branch left this commit, including uncommitted and untracked files.
    Since(String),
    /// The next commit: the index compared with `HEAD`.
    Staged,
    /// The change that the event of a workflow describes. A failure is a notice here, not an error.
    Auto(Auto),
}

/// Level of detail about the files that a change touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only which files changed.
    Files,
    /// Also which lines changed. If the clone lacks the contents to compare, all lines count as changed.
    LinesIfThere,
    /// Also which lines changed. It is an error if that cannot be determined.
    Lines,
}

/// The files and lines that a change touches.
#[derive(Debug, Default)]
pub struct Changes {
    /// The root of the repository, or of a copy of it.
    pub root: PathBuf,
    /// The root of the repository.
    pub repository: PathBuf,
    /// Event of each file, by its absolute path. `None` if there is no base, so that everything counts as changed.
    pub files: Option<BTreeMap<PathBuf, Event>>,
    /// Changed lines, by the absolute path of the file. Untracked files are not included.
    lines: BTreeMap<PathBuf, Lines>,
    /// Notice about how the change was determined.
    pub notice: Option<Notice>,
    /// The commit or tree that it was compared with.
    pub base: Option<String>,
    /// The newest commit of what it was compared with, which is not always the one at which the change began. `None` if
    /// there is none.
    pub tip: Option<String>,
    /// The commit that is checked out; `None` in a repository without one.
    pub commit: Option<String>,
    /// The head of the pull request, if its merge with the base is checked out.
    pub head: Option<MergedHead>,
    /// Cache: links on the way to each path, and its real path.
    trails: Trails,
}

/// Reason why a change cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no git, or it cannot be started.
    #[error("cannot run `git` to find the changed files")]
    Start(#[source] io::Error),
    /// The current folder is not in a repository.
    #[error("the current folder is not in a git working tree: {message}")]
    NoRepository {
        /// Reason, in the words of git or of formwork.
        message: String,
    },
    /// The name of the base would be taken for an option of git.
    #[error("a base is the name of a commit, and `{name}` is none")]
    BaseName {
        /// Name that the user gave.
        name: String,
    },
    /// Git does not know the base.
    #[error("there is no commit `{name}` in this repository{known}")]
    UnknownBase {
        /// Name that the user gave.
        name: String,
        /// Remotes and branches of the repository, as the end of the sentence.
        known: String,
    },
    /// A git command exited with an error.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// The name of the command, such as `diff`.
        command: String,
        /// The error message of git.
        message: String,
    },
    /// A command did not exit in time.
    #[error("`git` did not answer within {seconds} seconds")]
    Timeout {
        /// The time limit, in seconds.
        seconds: u64,
    },
    /// A command printed more than the limit.
    #[error("`git` printed more than {limit} bytes")]
    TooMuch {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The files of a commit or of the index cannot be written to a temporary folder.
    #[error("cannot copy files from git to a temporary folder")]
    Snapshot(#[source] io::Error),
}

impl Changes {
    /// Returns the change of these files, whose paths are below `root`.
    pub(in crate::engine) fn of_files(root: &Path, files: BTreeMap<PathBuf, Event>) -> Self {
        Self { root: root.to_owned(), files: Some(files), ..Self::default() }
    }

    /// Returns the change in the repository around `working`, an absolute path.
    pub fn find(working: &Path, query: &Query, detail: Detail, programs: Programs) -> Result<Self, Error> {
        match Self::of_query(working, query, detail, programs) {
            Err(error) if matches!(query, Query::Auto(_)) => {
                let notice = Some(Notice::Untold { message: with_causes(&error) });
                Ok(Self { root: working.to_owned(), notice, ..Self::default() })
            }
            other => other,
        }
    }

    fn of_query(working: &Path, query: &Query, detail: Detail, programs: Programs) -> Result<Self, Error> {
        let git = match query {
            Query::Auto(_) => Git::of_event(working, programs)?,
            _ => Git::around(working, programs)?,
        };
        let root = git.root().to_owned();
        let found = match query {
            Query::Uncommitted | Query::Staged => FoundBase::tree(base::head(&git)?),
            Query::Since(name) => base::merge_base(&git, name)?.into(),
            Query::Auto(auto) => auto::find(&git, auto)?,
        };
        let commit = base::commit(&git, "HEAD")?;
        let tip = tip::find(&git, query, &found)?;
        let mut changes = Self { repository: root.clone(), root, notice: found.notice, commit, tip, ..Self::default() };
        let Base::Tree(base) = found.base else { return Ok(changes) };
        let new = if *query == Query::Staged { NewState::Index } else { NewState::Working };
        let comparison = GitDifference::compare(&git, &base, &new, detail)?;
        if detail != Detail::Files {
            changes.lines = hunks::read(&comparison.listed, &changes.root);
            let head = |merged| MergedHead::read(&git, &changes.root, merged, detail);
            changes.head = found.merged_head.map(head).transpose()?;
        }
        changes.notice = changes.notice.or_else(|| comparison.notice());
        (changes.files, changes.base) = (Some(comparison.files(&git, &new)?), Some(base));
        Ok(changes)
    }

    /// Returns the changed lines of a file; `None` for a file that the change does not touch. All of them are changed
    /// if a link on the way to it is.
    pub fn lines(&self, path: &Path) -> Option<&Lines> {
        if self.files.is_none() {
            return Some(&Lines::All);
        }
        let (place, _) = self.touched(path)?;
        let own = || *place == self.real(path);
        Some(self.lines.get(place).filter(|_| own()).unwrap_or(&Lines::All))
    }

    /// Returns the event of a file, of a link on the way to it, or of its target, with the path in the repository that
    /// has the event.
    pub fn touched(&self, path: &Path) -> Option<(&PathBuf, &Event)> {
        let files = self.files.as_ref()?;
        let trail = self.trails.to(path);
        let links = trail.links.iter().map(|link| self.listed(link));
        let real = self.listed(&trail.real);
        let spots: Vec<PathBuf> = links.chain([real.clone(), path.to_owned()]).collect();
        let events = || spots.iter().filter_map(|spot| files.get_key_value(spot));
        let gone_links = || real.ancestors().skip(1).filter_map(|folder| files.get_key_value(folder));
        // A path may be gone and there: a folder that became a link to another one.
        events().find(|(_, event)| !event.is_gone()).or_else(|| events().chain(gone_links()).next())
    }

    /// Returns the event of a file like [`Changes::touched`], or that of any file in a folder.
    pub fn touched_within(&self, path: &Path) -> Option<(&PathBuf, &Event)> {
        let files = self.files.as_ref()?;
        let below =
            |folder: &Path| files.range(folder.to_owned()..).next().filter(|(file, _)| file.starts_with(folder));
        below(path).or_else(|| below(&self.real(path))).or_else(|| self.touched(path))
    }

    /// Returns the paths that git lists for the links on the way to a path, and for its target.
    pub(in crate::engine) fn way(root: &Path, path: &Path) -> Vec<PathBuf> {
        let changes = Self { root: root.to_owned(), ..Self::default() };
        let trail = changes.trails.to(path);
        trail.links.iter().chain([&trail.real]).map(|spot| changes.listed(spot)).collect()
    }

    /// Returns the path that git lists for the target of a path.
    pub fn real(&self, path: &Path) -> PathBuf {
        self.listed(&self.trails.to(path).real)
    }

    /// Returns the path that git lists for a real path: there may be links on the way to the root.
    fn listed(&self, real: &Path) -> PathBuf {
        let root = self.trails.to(&self.root);
        real.strip_prefix(&root.real).map_or_else(|_| real.to_owned(), |inside| self.root.join(inside))
    }

    /// Counts all lines of renamed files as changed where `is_new` holds for the old and the new path.
    pub fn renew(&mut self, is_new: impl Fn(&Path, &Path) -> bool) {
        for (path, event) in self.files.iter().flatten() {
            if let Event::RenamedFrom(old) = event
                && is_new(old, path)
            {
                self.lines.insert(path.clone(), Lines::All);
            }
        }
    }

    /// Moves the change into a copy of the repository at `root`.
    #[must_use]
    pub fn moved_to(self, root: &Path) -> Self {
        let place =
            |path: PathBuf| path.strip_prefix(&self.root).map_or_else(|_| path.clone(), |inside| root.join(inside));
        let event = |event| match event {
            Event::RenamedFrom(path) => Event::RenamedFrom(place(path)),
            Event::RenamedTo(path) => Event::RenamedTo(place(path)),
            other => other,
        };
        let files = self.files.map(|files| files.into_iter().map(|(path, what)| (place(path), event(what))).collect());
        let lines = self.lines.into_iter().map(|(path, lines)| (place(path), lines)).collect();
        Self { root: root.to_owned(), files, lines, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_that_git_cannot_read_is_one() {
        let folder = tempfile::tempdir().unwrap();
        sample::git(folder.path(), &["init", "--quiet"]);
        sample::write(folder.path(), &[(".git/config", "[core")]);
        let error =
            Changes::find(folder.path(), &Query::Uncommitted, Detail::Files, Programs::of_command_line()).unwrap_err();
        assert!(error.to_string().starts_with("`git rev-parse` failed: fatal: bad config"), "{error}");
    }
}
