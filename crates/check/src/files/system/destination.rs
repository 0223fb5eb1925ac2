//! Checks the paths that a run may write.
//!
//! Whoever opens a pull request chooses where the links of its checkout lead, and must not get to choose what a run
//! writes over. So a file is written where its path says: no link of a checkout is followed, and nothing is written
//! into what git keeps. Links elsewhere, such as `/tmp` on macOS, are the user's own.
//!
//! # Invariant
//!
//! A file of the user is written whole, or not at all, and never through a link of a checkout or into the files of git.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::files::fault::NotWritten;
use crate::files::{display_name, repository_of};

/// Maximum number of links that a path may lead through, as on Linux.
const MAX_LINKS: usize = 40;

/// A path that the user named for a file to be written.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The current folder, where relative paths begin.
    working: PathBuf,
    path: PathBuf,
}

/// Reason why the walk along a path ended early.
enum Stop {
    /// This is a link.
    Link(PathBuf),
    /// The links of the path have no end.
    Endless,
}

impl Destination {
    /// Creates the destination that a path names. The files that a run itself writes are resolved before the run does
    /// anything else.
    pub fn new(working: &Path, path: &Path) -> Self {
        Self { working: working.to_owned(), path: path.to_owned() }
    }

    /// Returns the path as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the real path of the file, which need not exist.
    ///
    /// # Errors
    ///
    /// Fails if the path leads through a link of a checkout, or into what git keeps. All of a relative path is taken
    /// for a part of the checkout, and of an absolute one what is in a repository or in the current folder.
    pub fn real(&self) -> Result<PathBuf, NotWritten> {
        let working = self.working.canonicalize().unwrap_or_else(|_| self.working.clone());
        let is_of_checkout = |folder: &Path| {
            let is_below = |root: &Path| root.parent().is_some() && folder.starts_with(root);
            self.is_relative() || is_below(&working) || is_below(&self.working) || repository_of(folder).is_some()
        };
        let real = self.walk(&working, is_of_checkout).map_err(|stop| match stop {
            Stop::Link(link) => NotWritten::Link {
                link: display_name(&working, &link),
                real: self.walk(&working, |_| false).ok().filter(|real| !is_kept_by_git(real, &working)),
            },
            Stop::Endless => io::Error::other("its links lead to each other without an end").into(),
        })?;
        if is_kept_by_git(&real, &working) { Err(NotWritten::Git) } else { Ok(real) }
    }

    /// Follows the path and its links. Fails at a link in a folder in which they are refused.
    fn walk(&self, working: &Path, is_refused: impl Fn(&Path) -> bool) -> Result<PathBuf, Stop> {
        let (mut reached, mut rest) = if self.is_relative() {
            (working.to_owned(), backwards(&self.path))
        } else {
            (PathBuf::new(), backwards(&self.working.join(&self.path)))
        };
        let mut links = 0;
        while let Some(name) = rest.pop() {
            if name == *Component::ParentDir.as_os_str() {
                reached.pop();
                continue;
            }
            let next = reached.join(&name);
            match fs::read_link(&next).ok().filter(|_| !is_open_file(&next)) {
                None => reached = next,
                Some(_) if is_refused(&reached) => return Err(Stop::Link(next)),
                Some(_) if links == MAX_LINKS => return Err(Stop::Endless),
                Some(target) => {
                    links += 1;
                    rest.extend(backwards(&target));
                }
            }
        }
        Ok(reached)
    }

    fn is_relative(&self) -> bool {
        matches!(
            self.path.components().next(),
            None | Some(Component::CurDir | Component::ParentDir | Component::Normal(_))
        )
    }
}

/// Returns the names in a path, the last one first.
fn backwards(path: &Path) -> Vec<OsString> {
    let components = path.components().filter(|component| *component != Component::CurDir);
    components.rev().map(|component| component.as_os_str().to_owned()).collect()
}

/// Returns `true` if a path is in a `.git` folder, or is one. Folders that the current folder is in do not count.
fn is_kept_by_git(path: &Path, working: &Path) -> bool {
    let is_named_so = |name: &OsStr| name.eq_ignore_ascii_case(".git");
    path.ancestors().any(|folder| folder.file_name().is_some_and(is_named_so) && !working.starts_with(folder))
}

/// Returns `true` if a path names a file by the number under which a process has it open. Such a path leads to exactly
/// that file, even if it has no name, or another file has got its name.
pub(super) fn is_open_file(path: &Path) -> bool {
    let names: Option<Vec<&str>> = path.iter().skip(1).map(OsStr::to_str).collect();
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    path.is_absolute()
        && match names.as_deref() {
            Some(["dev", "stdout" | "stderr"]) => true,
            Some(["dev", "fd", number] | ["proc", _, "fd", number]) => is_number(number),
            _ => false,
        }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Returns a repository in a folder with another name for it, and links in the repository and beside it.
    fn repository() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["repository/.git/hooks", "repository/a/b", "elsewhere"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let links = [
            ("repository/file.json", "a/real.json"),
            ("repository/gone.json", "../elsewhere/gone.json"),
            ("repository/hook", ".git/hooks/pre-commit"),
            ("repository/folder", "a"),
            ("repository/out", "../elsewhere"),
            ("repository/loop", "loop"),
            ("also", "repository"),
            ("beside", "elsewhere"),
            ("endless", "endless"),
            ("into", "repository/out"),
        ];
        for (link, target) in links {
            symlink(target, root.join(link)).unwrap();
        }
        (folder, root)
    }

    #[track_caller]
    fn check(working: &Path, path: impl AsRef<Path>, expected: Result<PathBuf, &str>) {
        let real = Destination::new(working, path.as_ref()).real();
        let expected = expected.map_err(ToOwned::to_owned);
        assert_eq!(real.map_err(|why| why.to_string()), expected, "{}", path.as_ref().display());
    }

    #[test]
    fn a_path_without_links_is_that_of_the_file() {
        let (_folder, root) = repository();
        let at = root.join("repository");
        for path in ["x.json", "./a/./x.json", "a/b/../x.json", "gone/../x.json", "gone/x.json"] {
            let plain = crate::path::normalize(&at, Path::new(path));
            check(&at, path, Ok(plain.clone()));
            check(&at, at.join(path), Ok(plain));
        }
        check(&at.join("a"), "../../elsewhere/x.json", Ok(root.join("elsewhere/x.json")));
        check(&at, "/dev/stdout", Ok(PathBuf::from("/dev/stdout")));
    }

    #[test]
    fn links_of_a_checkout_are_refused_by_their_names() {
        let (_folder, root) = repository();
        let at = root.join("repository");
        for (path, link, real) in [
            ("file.json", "file.json", "repository/a/real.json"),
            ("gone.json", "gone.json", "elsewhere/gone.json"),
            ("folder/x.json", "folder", "repository/a/x.json"),
            ("folder/../x.json", "folder", "repository/x.json"),
            ("a/../out/x.json", "out", "elsewhere/x.json"),
        ] {
            let real = root.join(real);
            let why = format!(
                "`{link}` is a link, and a change may have chosen where it leads; to write there, name `{}`",
                real.display()
            );
            check(&at, path, Err(&why));
            check(&at, at.join(path), Err(&why));
            check(&at, root.join("also").join(path), Err(&why));
            // Without a repository, the current folder takes its place.
            fs::rename(at.join(".git"), at.join("git")).unwrap();
            check(&at, at.join(path), Err(&why));
            fs::rename(at.join("git"), at.join(".git")).unwrap();
        }
        let why = "` is a link, and a change may have chosen where it leads; remove it";
        check(&at, "hook", Err(&format!("`hook{why}")));
        check(&at, "loop", Err(&format!("`loop{why}")));
        let into = Destination::new(&at, &root.join("into/x.json")).real().unwrap_err().to_string();
        assert!(into.starts_with("`out` is a link"), "{into}");
        let beside = Destination::new(&at, Path::new("../beside/x.json")).real();
        assert!(beside.is_err(), "what a relative path leads through may be a part of the checkout");
    }

    #[test]
    fn links_elsewhere_are_the_users_own() {
        let (_folder, root) = repository();
        let at = root.join("repository");
        check(&at, root.join("beside/x.json"), Ok(root.join("elsewhere/x.json")));
        check(&at, root.join("beside/../x.json"), Ok(root.join("x.json")));
        check(&at, root.join("also/a/x.json"), Ok(at.join("a/x.json")));
        check(&root.join("also"), "a/x.json", Ok(at.join("a/x.json")));
        check(&at, root.join("endless"), Err("its links lead to each other without an end"));
    }

    #[test]
    fn nothing_is_written_into_what_git_keeps() {
        let (_folder, root) = repository();
        let at = root.join("repository");
        let why = "git keeps its own files there; choose a path outside of `.git`";
        for path in [".git/config", ".git/hooks/pre-commit", ".GIT/x", "a/../.git/x", ".git", "a/b/.git/x"] {
            check(&at, path, Err(why));
            check(&at, at.join(path), Err(why));
        }
        check(&at, ".github/x.json", Ok(at.join(".github/x.json")));
        check(&at.join(".git/hooks"), "x.json", Ok(at.join(".git/hooks/x.json")));
    }
}
