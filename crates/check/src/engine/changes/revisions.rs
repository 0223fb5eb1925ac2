//! The two states of a repository that `formwork diff` compares.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::changes::base::{self, Base};
use crate::engine::changes::comparison::GitDifference;
use crate::engine::changes::git::Git;
use crate::engine::changes::{Detail, Error, Event, Notice};
use crate::files::Programs;

/// Two states of a repository, of which the old one is a commit or, before the first commit, the empty tree.
#[derive(Debug)]
pub struct Revisions {
    /// The root of the repository.
    pub root: PathBuf,
    /// The old state, as the user calls it.
    pub old_name: String,
    /// The ID of the old state.
    pub old: String,
    /// Description of the new state.
    pub new: NewState,
    /// Event of each file, by its absolute path.
    pub files: BTreeMap<PathBuf, Event>,
    /// Notice about how the old state was determined.
    pub notice: Option<Notice>,
}

/// The new one of two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewState {
    /// The files on the disk, tracked or not.
    Working,
    /// Files of the next commit.
    Index,
    /// A commit, by the name that the user gave it and its ID.
    Commit(String, String),
}

impl Revisions {
    /// Resolves `BASE`, `BASE..HEAD`, or `BASE...HEAD` in the repository around `working`. Without a name, the old
    /// state is the last commit; the merge base counts for `BASE` and `BASE...HEAD`. An empty name is that of the last
    /// commit.
    pub fn find(working: &Path, spec: Option<&str>, staged: bool, programs: Programs) -> Result<Self, Error> {
        let git = Git::around(working, programs)?;
        let root = git.root().to_owned();
        let work = if staged { NewState::Index } else { NewState::Working };
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let (old_name, old, new, notice) = match spec.map(|spec| (spec, spec.split_once(".."))) {
            None => ("HEAD".to_owned(), base::head(&git)?, work, None),
            Some((spec, None)) => {
                let (old, notice) = merge_base(&git, spec, None)?;
                (spec.to_owned(), old, work, notice)
            }
            Some((_, Some((old_name, new_name)))) => {
                let is_from_fork = new_name.starts_with('.');
                let (old_name, new_name) = (or_head(old_name), or_head(new_name.trim_start_matches('.')));
                let new = commit(&git, &new_name)?;
                let (old, notice) = if is_from_fork {
                    merge_base(&git, &old_name, Some(&new))?
                } else {
                    (commit(&git, &old_name)?, None)
                };
                (old_name, old, NewState::Commit(new_name, new), notice)
            }
        };
        let comparison = GitDifference::compare(&git, &old, &new, Detail::Files)?;
        let notice = notice.or_else(|| comparison.notice());
        Ok(Self { root, old_name, old, files: comparison.files(&git, &new)?, new, notice })
    }

    /// Returns the old path of each file that has another one now, by its new path. Both are relative to the root.
    pub fn renamed(&self) -> BTreeMap<PathBuf, PathBuf> {
        let inside = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).to_path_buf();
        let renamed = self.files.iter().filter_map(|(path, event)| match event {
            Event::RenamedFrom(old) => Some((inside(path), inside(old))),
            _ => None,
        });
        renamed.collect()
    }
}

fn commit(git: &Git, name: &str) -> Result<String, Error> {
    if name.starts_with('-') || name.trim().is_empty() {
        return Err(Error::BaseName { name: name.to_owned() });
    }
    base::commit(git, name)?.ok_or_else(|| base::unknown(git, name))
}

/// Returns the commit at which `head`, or what is checked out, left `name`.
fn merge_base(git: &Git, name: &str, head: Option<&str>) -> Result<(String, Option<Notice>), Error> {
    if let Some(head) = head {
        let own = commit(git, name)?;
        let merge = git.run(&["merge-base", own.as_str(), head])?;
        let unrelated = || Notice::Unrelated { base: name.to_owned(), is_shallow: false };
        return Ok(if merge.is_success() { (merge.line(), None) } else { (own, Some(unrelated())) });
    }
    match base::merge_base(git, name)? {
        (Base::Tree(base), notice) => Ok((base, notice)),
        (Base::Unknown, _) => Err(base::unknown(git, name)),
    }
}
