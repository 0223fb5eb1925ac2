//! Finds the programs that a run starts.
//!
//! A folder of the search path that is not absolute means the one in which a program is started, which may be the
//! checkout of a change, and a folder in the checkout has what the change brings. No program is taken from either.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::Programs;

/// Reason why there is no program to start.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProgram {
    /// No folder of the search path has it.
    #[error("there is no `{name}` on the `PATH`")]
    Missing {
        /// The name of the program.
        name: String,
    },
    /// Only a folder has it in which a change could put it.
    #[error("`{}` is in the repository and is not run, and there is no other `{name}` on the `PATH`", .path.display())]
    InRepository {
        /// The name of the program.
        name: String,
        /// The first such program.
        path: PathBuf,
    },
}

/// The folders with programs that a run may start.
#[derive(Clone, Debug)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
    /// Folders of the `PATH` that are in a checkout, and are not searched.
    refused: Vec<PathBuf>,
    checkouts: Checkouts,
}

impl SearchPath {
    /// Returns the folders of a `PATH` that are not in the `checkouts`, which are given by their roots.
    pub fn new(path: &OsStr, checkouts: impl IntoIterator<Item = PathBuf>, _: Programs) -> Self {
        let checkouts = Checkouts::new(checkouts);
        let folders = split_paths(path).filter(|folder| folder.is_absolute());
        let (refused, folders) = folders.partition(|folder| checkouts.hold(folder));
        Self { folders, refused, checkouts }
    }

    /// Finds the first program with one of these names.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn find(&self, names: &[&str]) -> Result<PathBuf, NoProgram> {
        let mut refused = None;
        for file in programs(&self.folders, names) {
            // The folder is not in a checkout, but a link in it may lead there.
            if !self.checkouts.hold(&file) {
                return Ok(file);
            }
            refused.get_or_insert(file);
        }
        let name = names.first().copied().unwrap_or_default().to_owned();
        Err(match refused.or_else(|| programs(&self.refused, names).next()) {
            Some(path) => NoProgram::InRepository { name, path },
            None => NoProgram::Missing { name },
        })
    }

    /// Returns the `PATH` for a program that starts others. `None` if there are no folders: an empty one means the
    /// current folder.
    pub fn joined(&self) -> Option<OsString> {
        // What was split can be joined.
        join_paths(&self.folders).ok().filter(|joined| !joined.is_empty())
    }
}

/// The roots of checkouts, as somebody named them, and without links.
#[derive(Clone, Debug)]
struct Checkouts(Vec<PathBuf>);

impl Checkouts {
    fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let roots = roots.into_iter().filter(|root| !root.as_os_str().is_empty());
        Self(roots.flat_map(|root| [root.canonicalize().ok(), Some(root)]).flatten().collect())
    }

    /// Returns `true` if a path is in a checkout, or leads through one: a link in a checkout may lead out of it.
    fn hold(&self, path: &Path) -> bool {
        let is_inside = |path: &Path| self.0.iter().any(|root| path.starts_with(root));
        let is_really = |above: &Path| above.canonicalize().is_ok_and(|above| is_inside(&above));
        is_inside(path) || (!self.0.is_empty() && path.ancestors().any(is_really))
    }
}

/// Returns the programs with one of these names in folders.
fn programs<'a>(folders: &'a [PathBuf], names: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    let files = folders.iter().flat_map(|folder| names.iter().map(|name| with_extension(folder, name)));
    files.filter(|file| is_program(file))
}

fn with_extension(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(name);
    if name.contains('.') { file } else { file.with_extension(std::env::consts::EXE_EXTENSION) }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    fs::metadata(file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|file| file.is_file())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_program_is_not_taken_from_where_a_change_can_put_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, mode) in [("r/bin/git", 0o755), ("r/git", 0o755), ("own/git", 0o755), ("text/git", 0o644)] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), "").unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(at("r/bin"), at("linked")).unwrap();
        symlink(at("own"), at("r/out")).unwrap();
        symlink(at("r"), at("root")).unwrap();
        symlink(folder.path(), at("alias")).unwrap();
        let find = |folders: &[&str], root: &str| {
            let path = folders.iter().map(|&name| if name.is_empty() { PathBuf::new() } else { at(name) });
            let path = join_paths(path.chain([".".into(), "bin".into()])).unwrap();
            SearchPath::new(&path, [at(root)], Programs::of_command_line()).find(&["git"])
        };
        for folders in
            [&["own"][..], &["", "text", "own"], &["r/bin", "r", "own"], &["linked", "r/out", "alias/r/out", "own"]]
        {
            for root in ["r", "root", "alias/r"] {
                assert_eq!(find(folders, root), Ok(at("own/git")), "{folders:?}");
            }
        }
        let name = || "git".to_owned();
        assert_eq!(find(&["", "text"], "r"), Err(NoProgram::Missing { name: name() }));
        let path = at("r/bin/git");
        assert_eq!(find(&["r/bin", "r"], "r"), Err(NoProgram::InRepository { name: name(), path }));
        assert_eq!(
            SearchPath::new(OsStr::new(":/a:.:b:/r/x:/c"), ["/r".into()], Programs::of_command_line())
                .joined()
                .unwrap(),
            "/a:/c"
        );
        assert_eq!(SearchPath::new(OsStr::new(":/r:."), ["/r".into()], Programs::of_command_line()).joined(), None);
    }
}
