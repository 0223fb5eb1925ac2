//! What a change touches, as git tells it: files, and lines in them.
//!
//! A change is the difference between two states: from where the branch left its base to the working tree, or from the
//! last commit to the index. Nothing of the repository is executed, and nothing is written to it but the commits that a
//! workflow lacks ([`fetch`]).

mod auto;
mod base;
mod fetch;
mod git;
mod head;
mod hunks;
mod list;
mod named;
mod notice;
mod repository;
mod snapshot;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use self::auto::Found;
use self::base::Base;
use self::git::{DIFF, Git, path_of};

pub(crate) use self::auto::{Auto, Wanted};
pub(crate) use self::fetch::Remote;
pub(super) use self::head::MergedHead;
pub(super) use self::hunks::Lines;
pub(super) use self::list::Event;
pub(crate) use self::notice::Notice;
pub(crate) use self::repository::Repository;
pub(crate) use self::snapshot::Snapshot;

/// Which change is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// What is not committed: the working tree with its untracked files against `HEAD`.
    Uncommitted,
    /// All since the branch left this commit, uncommitted and untracked files among it.
    Since(String),
    /// What the next commit will do: the index against `HEAD`.
    Staged,
    /// What this run is for, as an event tells it. Whatever goes wrong with this one is a notice.
    Auto(Auto),
}

/// What is wanted of the files that a change touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Their names.
    Files,
    /// The lines that changed too, unless the clone lacks what would tell them; all lines count then.
    LinesIfThere,
    /// The lines that changed too.
    Lines,
}

/// A change.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// The root of the repository.
    pub root: PathBuf,
    /// What happened to each file, by its absolute path. `None` where everything counts as changed, because nothing is
    /// known to compare with.
    pub files: Option<BTreeMap<PathBuf, Event>>,
    /// Which lines were touched, by the absolute path of the file. An untracked file is not among them.
    lines: BTreeMap<PathBuf, Lines>,
    /// What the user should know of how the change was found.
    pub notice: Option<Notice>,
    /// What it was compared with: a commit, or a tree.
    pub base: Option<String>,
    /// The commit that is checked out; `None` in a repository without one.
    pub commit: Option<String>,
    /// The head of the pull request, where its merge with the base is checked out.
    pub head: Option<MergedHead>,
}

/// Why no change can be told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no git, or it cannot be talked to.
    #[error("cannot run `git`, which tells what changed")]
    Start(#[source] io::Error),
    /// The current folder is in no repository.
    #[error("the current folder is in no working tree of git, so nothing tells what changed: {message}")]
    NoRepository {
        /// What git says.
        message: String,
    },
    /// The base would be an option of git.
    #[error("a base is the name of a commit, and `{name}` is none")]
    BaseName {
        /// What the user typed.
        name: String,
    },
    /// The base means nothing.
    #[error("there is no commit `{name}` in this repository; a branch of a remote is `origin/main`")]
    UnknownBase {
        /// What the user typed.
        name: String,
    },
    /// A command failed.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// Its first word.
        command: String,
        /// What it says.
        message: String,
    },
    /// A command did not end.
    #[error("`git` did not answer within {seconds} seconds")]
    Timeout {
        /// How long it had.
        seconds: u64,
    },
    /// A command printed more than we take.
    #[error("`git` printed more than {limit} bytes")]
    TooMuch {
        /// What we take.
        limit: u64,
    },
    /// The staged files cannot be written to a folder of their own.
    #[error("cannot write the staged files to a temporary folder")]
    Snapshot(#[source] io::Error),
}

impl Changes {
    /// The change in the repository around `working`, an absolute path.
    pub(crate) fn find(working: &Path, query: &Query, detail: Detail) -> Result<Self, Error> {
        match Self::of_query(working, query, detail) {
            Err(error) if matches!(query, Query::Auto(_)) => {
                let notice = Some(Notice::Untold { message: with_causes(&error) });
                Ok(Self { root: working.to_owned(), notice, ..Self::default() })
            }
            other => other,
        }
    }

    fn of_query(working: &Path, query: &Query, detail: Detail) -> Result<Self, Error> {
        let git = Git::new(working)?;
        let root = root(&git, working)?;
        let found = match query {
            Query::Uncommitted | Query::Staged => Found::tree(base::head(&git)?),
            Query::Since(name) => base::merge_base(&git, name)?.into(),
            Query::Auto(auto) => auto::find(&git, auto)?,
        };
        let commit = base::commit(&git, "HEAD")?;
        let mut changes = Self { root, notice: found.notice, commit, ..Self::default() };
        let Base::Tree(base) = found.base else { return Ok(changes) };
        let cached = matches!(query, Query::Staged).then_some("--cached");
        let listed = compare(&git, "--raw", cached, &base)?;
        let mut files = list::events(list::entries(&listed).0, &changes.root);
        if cached.is_none() {
            for path in untracked(&git)? {
                // Taken out of the index, and still there.
                let event = if files.contains_key(&changes.root.join(&path)) { Event::Modified } else { Event::Added };
                files.insert(changes.root.join(path), event);
            }
        }
        if detail != Detail::Files {
            match compare(&git, "--patch-with-raw", cached, &base) {
                Ok(patches) => changes.lines = hunks::read(&patches, &changes.root),
                Err(Error::Failed { .. }) if detail == Detail::LinesIfThere => {}
                Err(error) => return Err(error),
            }
            changes.head = found.merged_head.map(|merged| MergedHead::read(&git, &changes.root, merged)).transpose()?;
        }
        (changes.files, changes.base) = (Some(files), Some(base));
        Ok(changes)
    }

    /// Which lines of a file are of the change; `None` for a file that it does not touch.
    pub(crate) fn lines(&self, path: &Path) -> Option<&Lines> {
        let Some(files) = &self.files else { return Some(&Lines::All) };
        self.lines.get(path).or_else(|| files.contains_key(path).then_some(&Lines::All))
    }

    /// The same change of a copy of the repository that lies at `root`.
    #[must_use]
    pub(crate) fn moved_to(self, root: &Path) -> Self {
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

/// What went wrong, with what is behind it.
fn with_causes(error: &Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The root of the repository, in the words in which `working` names its folders.
fn root(git: &Git, working: &Path) -> Result<PathBuf, Error> {
    let failed = |error| match error {
        Error::Failed { message, .. } => Error::NoRepository { message },
        other => other,
    };
    let ask = |what| git.ask(&["rev-parse", what]).map_err(failed);
    let line = |bytes: Vec<u8>| path_of(bytes.strip_suffix(b"\n").unwrap_or(&bytes));
    let top = line(ask("--show-toplevel")?);
    let prefix = line(ask("--show-prefix")?);
    if working.ends_with(&prefix) {
        let depth = prefix.components().count();
        return Ok(working.ancestors().nth(depth).map_or(top, Path::to_path_buf));
    }
    Ok(top)
}

/// The files that differ from `base`. Telling which were renamed takes their contents, which a partial clone may lack.
fn compare(git: &Git, form: &str, cached: Option<&str>, base: &str) -> Result<Vec<u8>, Error> {
    let arguments = |renames| -> Vec<OsString> {
        let words = DIFF.into_iter().chain([form, renames]).chain(cached).chain([base, "--"]);
        words.map(OsString::from).collect()
    };
    match git.ask(&arguments("--find-renames")) {
        Err(Error::Failed { .. }) => git.ask(&arguments("--no-renames")),
        other => other,
    }
}

/// Untracked files, relative to the root of the repository.
fn untracked(git: &Git) -> Result<Vec<PathBuf>, Error> {
    let listed = git.ask(&["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"])?;
    Ok(list::paths(&listed).collect())
}
