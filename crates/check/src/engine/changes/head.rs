//! The head of a pull request whose merge with the base is checked out.
//!
//! People see the lines of the head, but a run checks those of the merge. They differ if the base changed the same file
//! in the meantime.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::changes::comparison::GitDifference;
use crate::engine::changes::git::Git;
use crate::engine::changes::hunks::{self, Lines};
use crate::engine::changes::list::{self, Event};
use crate::engine::changes::{Detail, Error, NewState};
use crate::text::LineMap;

/// Differences of the working tree from the head: the changes of the base since the branch left it.
#[derive(Debug)]
pub struct MergedHead {
    /// The id of the head.
    pub commit: String,
    files: BTreeMap<PathBuf, Event>,
    lines: BTreeMap<PathBuf, Lines>,
}

impl MergedHead {
    pub(super) fn read(git: &Git, root: &Path, commit: String, detail: Detail) -> Result<Self, Error> {
        let GitDifference { listed, .. } = GitDifference::compare(git, &commit, &NewState::Working, detail)?;
        let files = list::events(list::entries(&listed).0, root);
        Ok(Self { files, lines: hunks::read(&listed, root), commit })
    }

    /// Returns the path of a file in the head, and the map to its lines. `None` for a file that the head does not have,
    /// and for a binary file.
    pub fn place(&self, path: &Path) -> Option<(PathBuf, LineMap)> {
        let name = match self.files.get(path) {
            None => return Some((path.to_owned(), LineMap::default())),
            Some(Event::RenamedFrom(name)) => name,
            Some(Event::Modified) => path,
            Some(_) => return None,
        };
        match self.lines.get(path)? {
            Lines::All => None,
            Lines::Hunks(map) => Some((name.to_owned(), map.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_lines_of_the_merge_are_found_in_the_head() {
        let root = Path::new("/r");
        let text = ":1 1 a b M\0changed\0:1 1 a b R90\0old\0new\0:0 1 a b A\0added\0:1 1 a b M\0binary\0\0\
                    diff --git a b\n@@ -1,0 +2 @@\ndiff --git a b\ndiff --git a b\n@@ -0,0 +1 @@\n\
                    diff --git a b\nBinary files a and b differ\n";
        let files = list::events(list::entries(text.as_bytes()).0, root);
        let head = MergedHead { commit: String::new(), files, lines: hunks::read(text.as_bytes(), root) };
        let place = |name: &str| head.place(&root.join(name)).map(|(path, map)| (path, map.hunks().len()));
        for (name, expected) in [
            ("same", Some((root.join("same"), 0))),
            ("changed", Some((root.join("changed"), 1))),
            ("new", Some((root.join("old"), 0))),
            ("added", None),
            ("binary", None),
            ("old", None),
        ] {
            assert_eq!(place(name), expected, "{name}");
        }
    }
}
