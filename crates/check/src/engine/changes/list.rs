//! Parses the lists of files that git prints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::changes::git::path_of;

/// Kind of change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The file did not exist before.
    Added,
    /// The content, the kind or the mode of the file changed.
    Modified,
    /// The file no longer exists.
    Deleted,
    /// The file had this path before.
    RenamedFrom(PathBuf),
    /// The file has this path now.
    RenamedTo(PathBuf),
    /// The user named it; whether it changed is unknown.
    Named,
}

impl Event {
    /// Returns `true` if the file no longer exists at its path.
    pub const fn is_gone(&self) -> bool {
        matches!(self, Self::Deleted | Self::RenamedTo(_))
    }
}

/// A file as `git diff --raw -z` lists it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedFile {
    /// The current path, relative to the root of the repository; for a deleted file, its last one.
    pub(super) path: PathBuf,
    /// The former path of a file that was renamed or copied.
    pub(super) from: Option<PathBuf>,
    /// `A`, `C`, `D`, `M`, `R`, `T` or `U`.
    pub(super) status: u8,
}

/// Parses the list at the beginning of `bytes`, and returns it with the remaining bytes.
pub(super) fn entries(mut bytes: &[u8]) -> (Vec<ListedFile>, &[u8]) {
    let mut entries = Vec::new();
    while bytes.first() == Some(&b':') {
        let Some((head, rest)) = split(bytes) else { break };
        let Some((first, rest)) = split(rest) else { break };
        // `:100644 100644 1234567 abcdef0 R86`
        let status = head.rsplit(|&head| head == b' ').next().and_then(|head| head.first().copied()).unwrap_or(b'M');
        bytes = rest;
        if !matches!(status, b'R' | b'C') {
            entries.push(ListedFile { path: path_of(first), from: None, status });
            continue;
        }
        let Some((second, rest)) = split(rest) else { break };
        entries.push(ListedFile { path: path_of(second), from: Some(path_of(first)), status });
        bytes = rest;
    }
    (entries, bytes)
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(0, bytes)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// Returns the event of each file, by its path below `root`.
pub(super) fn events(entries: Vec<ListedFile>, root: &Path) -> BTreeMap<PathBuf, Event> {
    let mut events = BTreeMap::new();
    for ListedFile { path, from, status } in entries {
        let path = root.join(path);
        let from = from.map(|path| root.join(path));
        let event = match (status, from) {
            (b'R', Some(from)) => {
                // A new file at the old path has an entry of its own.
                events.entry(from.clone()).or_insert_with(|| Event::RenamedTo(path.clone()));
                Event::RenamedFrom(from)
            }
            (b'A' | b'C', _) => Event::Added,
            (b'D', _) => Event::Deleted,
            _ => Event::Modified,
        };
        match events.get(&path) {
            // Listed twice: unmerged, or removed from the index and still there as an untracked file.
            Some(Event::Deleted | Event::Modified) => events.insert(path, Event::Modified),
            _ => events.insert(path, event),
        };
    }
    events
}

/// Returns the paths of a list in which a zero byte follows each.
pub(super) fn paths(bytes: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    bytes.split(|&byte| byte == 0).filter(|byte| !byte.is_empty()).map(path_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, expected: &[(&str, Event)], behind: &str) {
        let list = list.replace('|', "\0");
        let (entries, rest) = entries(list.as_bytes());
        assert_eq!(rest, behind.as_bytes());
        let expected = expected.iter().map(|(path, event)| (PathBuf::from(path), event.clone())).collect();
        assert_eq!(events(entries, Path::new("")), expected);
    }

    #[test]
    fn every_kind_of_change_is_read() {
        let renamed = Event::RenamedFrom("b".into());
        check(":1 1 a b M|a b|", &[("a b", Event::Modified)], "");
        check(":0 1 a b A|-x\n:y|:1 0 a b D|z|", &[("-x\n:y", Event::Added), ("z", Event::Deleted)], "");
        check(":1 1 a b R086|b|c|", &[("b", Event::RenamedTo("c".into())), ("c", renamed.clone())], "");
        check(":1 1 a b C100|b|c|diff", &[("c", Event::Added)], "diff");
        check(":1 1 a b R100|b|c|:0 1 a b A|b|", &[("b", Event::Added), ("c", renamed)], "");
        check(":1 1 a b U|a|:1 1 a b M|a|", &[("a", Event::Modified)], "");
        check(":1 0 a b D|a|:0 1 a b A|a|", &[("a", Event::Modified)], "");
        check(":0 1 a b A|a|:1 0 a b D|a|", &[("a", Event::Deleted)], "");
    }

    #[test]
    fn a_list_that_is_cut_off_ends_there() {
        check(":1 1 a b M", &[], ":1 1 a b M");
        check(":1 1 a b M|a|:1 1 a b R1|b|", &[("a", Event::Modified)], "");
    }
}
