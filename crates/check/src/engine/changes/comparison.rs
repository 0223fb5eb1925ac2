//! Compares two states of a repository.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::engine::changes::git::{DIFF, Git};
use crate::engine::changes::{Detail, Error, Event, NewState, Notice, list, tracked};

/// Lists the files that differ.
const LIST: &[&str] = &["--raw"];

/// Lists the files and then their lines. Not for every comparison: `--unified` always reads contents, which a partial
/// clone may lack.
const PATCH: &[&str] = &["--patch-with-raw", "--unified=0"];

/// Settings for finding renamed files: the number of deleted and new files that git compares with each other, and a
/// time limit. The second setting is git's default; beyond its limit, only files that were not edited as well, or that
/// have an unmistakable name, count as renamed.
const RENAMES: [(&str, Duration); 2] = [("-l4000", Duration::from_secs(40)), ("-l1000", Duration::from_mins(2))];

/// Warning of git if there are more files than the limit.
const SKIPPED: &str = "rename detection was skipped";

/// Output of git for two states.
#[derive(Debug)]
pub(super) struct GitDifference {
    /// The files, and perhaps their lines.
    pub(super) listed: Vec<u8>,
    /// True if too many files were deleted and added to tell which of them were renamed.
    is_cut_short: bool,
}

impl GitDifference {
    /// Compares `base` with another state. Without lines where `detail` lets it and the clone lacks the contents; then
    /// all lines count as changed.
    pub(super) fn compare(git: &Git, base: &str, new: &NewState, detail: Detail) -> Result<Self, Error> {
        let form = if detail == Detail::Files { LIST } else { PATCH };
        match Self::in_form(git, form, base, new) {
            Err(Error::Failed { .. }) if detail == Detail::LinesIfThere => Self::in_form(git, LIST, base, new),
            other => other,
        }
    }

    /// Renames are not detected if that fails: it takes contents that a partial clone may lack.
    fn in_form(git: &Git, form: &[&str], base: &str, new: &NewState) -> Result<Self, Error> {
        let states: &[&str] = match new {
            NewState::Working => &[base],
            NewState::Index => &["--cached", base],
            NewState::Commit(_, commit) => &[base, commit],
        };
        let arguments = |renames: &[&str]| -> Vec<OsString> {
            // Of a submodule, only the commit is read, and none of its settings.
            let submodules = ["--ignore-submodules=dirty", "--submodule=short"];
            let options = DIFF.into_iter().chain(submodules).chain(form.iter().copied());
            let words = options.chain(renames.iter().copied()).chain(states.iter().copied()).chain(["--"]);
            words.map(OsString::from).collect()
        };
        let mut is_cut_short = false;
        for (limit, time) in RENAMES {
            match git.ask_within(&arguments(&["--find-renames", limit]), time) {
                Ok(output) => {
                    return Ok(Self { is_cut_short: output.stderr.contains(SKIPPED), listed: output.stdout });
                }
                Err(Error::Timeout { .. }) => is_cut_short = true,
                Err(Error::Failed { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Self { listed: git.ask(&arguments(&["--no-renames"]))?, is_cut_short })
    }

    /// Returns the event of each file, by its absolute path.
    pub(super) fn files(&self, git: &Git, new: &NewState) -> Result<BTreeMap<PathBuf, Event>, Error> {
        let mut files = list::events(list::entries(&self.listed).0, git.root());
        open_submodules(&mut files, git)?;
        if *new == NewState::Working {
            for path in untracked(git)? {
                let path = git.root().join(path);
                // A file that was removed from the index only still exists.
                let event = if files.contains_key(&path) { Event::Modified } else { Event::Added };
                files.insert(path, event);
            }
        }
        Ok(files)
    }

    /// Returns a notice if renamed files could not be found.
    pub(super) fn notice(&self) -> Option<Notice> {
        self.is_cut_short.then_some(Notice::Renames)
    }
}

/// Counts all files of a submodule as changed if its commit is another one. Which of them changed, only its own history
/// tells.
fn open_submodules(files: &mut BTreeMap<PathBuf, Event>, git: &Git) -> Result<(), Error> {
    let is_folder = |path: &&PathBuf| path.is_dir() && !path.is_symlink();
    let folders: Vec<PathBuf> = files.keys().filter(is_folder).cloned().collect();
    for folder in folders {
        files.remove(&folder);
        let inside = tracked(&folder, git.programs())?.unwrap_or_default();
        files.extend(inside.into_iter().map(|path| (path, Event::Modified)));
    }
    Ok(())
}

/// Returns untracked files, relative to the root of the repository.
fn untracked(git: &Git) -> Result<Vec<PathBuf>, Error> {
    // As in a walk, the ignore file of the user does not count.
    let without_global = ["-c", "core.excludesFile=/dev/null"];
    let list = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];
    let listed = git.ask(&[&without_global[..], &list].concat())?;
    Ok(list::paths(&listed).collect())
}
