//! Tests of the files of a commit, with a repository in a temporary folder.

use std::os::unix::fs::symlink;

use super::*;
use crate::engine::changes::sample::{git, write};

/// A repository whose base has `base`, `dir`, and links, and whose checkout differs from it.
struct Sample {
    _folder: tempfile::TempDir,
    root: PathBuf,
    tree: CommitTree,
}

const ID: &str = "1111111111111111111111111111111111111111";
const OTHER_ID: &str = "2222222222222222222222222222222222222222";

impl Sample {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repository");
        write(&root, &[("base", "old"), ("dir/x", "x"), ("dir/y/z", "z"), ("dir-more", "")]);
        for name in ["same", "edited", "removed"] {
            write(&root, &[(&format!("{name}/settings"), name)]);
        }
        let links = [("link", "dir"), ("deep", "./link/y"), ("out", "../loose"), ("round", "round"), ("far", "/etc")];
        for (name, target) in links {
            symlink(target, root.join(name)).unwrap();
        }
        for at in 0..=MAX_LINKS {
            let target = if at == 0 { "base".to_owned() } else { format!("chain-{at}") };
            symlink(target, root.join(format!("chain-{}", at + 1))).unwrap();
        }
        git(&root, &["init", "--quiet"]);
        git(&root, &["add", "."]);
        for name in ["module", "moved"] {
            git(&root, &["update-index", "--add", "--cacheinfo", &format!("{SUBMODULE},{ID},{name}")]);
        }
        git(&root, &["commit", "--quiet", "--message=base"]);
        let base = git(&root, &["rev-parse", "HEAD"]);

        write(&root, &[("base", "new"), ("edited/settings", "?"), ("added/settings", "!"), ("added/dir", "")]);
        fs::remove_dir_all(root.join("removed")).unwrap();
        symlink("../added", root.join("dir/new-link")).unwrap();
        git(&root, &["add", "--all", "--", ":!module", ":!moved"]);
        git(&root, &["update-index", "--add", "--cacheinfo", &format!("{SUBMODULE},{OTHER_ID},moved")]);
        write(&root, &[("module/file", "m"), ("moved/file", "m"), ("loose/file", "l"), ("../loose", "secret")]);
        symlink("../added/settings", root.join("loose/tracked")).unwrap();
        let tree = CommitTree::open(&root, &root, &base, Programs::of_command_line()).unwrap();
        Self { _folder: folder, root, tree }
    }

    fn entry(&self, path: &str) -> Option<files::Entry> {
        self.tree.entry(&self.root.join(path))
    }

    fn read(&self, path: &str, limit: u64) -> Result<String, Unreadable> {
        self.tree.read(&self.root.join(path), limit).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }

    fn files(&self, path: &str) -> Vec<String> {
        let files = self.tree.files(&self.root.join(path)).into_iter();
        files.map(|path| path.strip_prefix(&self.root).unwrap().display().to_string()).collect()
    }
}

#[test]
fn a_file_is_the_one_of_the_commit_whatever_way_leads_to_it() {
    let sample = Sample::new();
    for (path, text) in [
        ("base", "old"),
        ("dir/x", "x"),
        ("link/x", "x"),
        ("deep/z", "z"),
        ("link/../base", "old"),
        ("removed/settings", "removed"),
        (&format!("chain-{MAX_LINKS}"), "old"),
        // The commit and the checkout do not have these.
        ("loose/file", "l"),
        ("module/file", "m"),
    ] {
        assert_eq!(sample.entry(path), Some(files::Entry::File), "{path}");
        assert_eq!(sample.read(path, 100).unwrap(), text, "{path}");
    }
    for folder in ["dir", "link", "deep", "dir/y", "removed", "loose", ""] {
        assert_eq!(sample.entry(folder), Some(files::Entry::Folder), "{folder}");
    }
    assert!(matches!(sample.read("dir", 100), Err(Unreadable::Folder)));
    assert!(sample.read("base", 3).is_ok());
    assert!(matches!(sample.read("base", 2), Err(Unreadable::TooLarge { limit: 2 })));
}

#[test]
fn what_only_the_change_has_is_not_there() {
    let sample = Sample::new();
    let chain = format!("chain-{}", MAX_LINKS + 1);
    for path in [
        "added/settings",
        "ADDED/Settings",
        "dir/new-link/settings",
        "loose/tracked",
        "out",
        "round",
        "far/passwd",
        "moved/file",
        "gone",
        "di",
        &chain,
    ] {
        assert_eq!(sample.entry(path), None, "{path}");
        assert!(sample.read(path, 100).is_err(), "{path}");
    }
}

#[test]
fn what_is_named_has_one_of_two_sources_or_a_reason() {
    let sample = Sample::new();
    let source = |path: &str| sample.tree.source(&sample.root.join(path));
    for path in ["base", "dir", "link/x", "removed", "removed/settings"] {
        assert_eq!(source(path), Ok(ReadFrom::Base), "{path}");
    }
    for path in ["module", "module/file", "nowhere", "added-beside", "/dev/null"] {
        assert_eq!(source(path), Ok(ReadFrom::Disk), "{path}");
    }
    let added = |path: &str| Err(Refusal::Added(path.into()));
    for (path, expected) in [
        ("added", added("added/dir")),
        ("added/settings", added("added/settings")),
        ("added/settings/more", added("added/settings")),
        ("ADDED/Settings", added("added/settings")),
        ("moved/file", added("moved")),
        ("loose", added("added/settings")),
        ("Dir/x", Err(Refusal::OtherCase("dir/x".into()))),
        ("REMOVED", Err(Refusal::OtherCase("removed/settings".into()))),
        ("out", Err(Refusal::LeadsOut)),
        ("round", Err(Refusal::LeadsOut)),
        ("far/passwd", Err(Refusal::LeadsOut)),
    ] {
        assert_eq!(source(path), expected, "{path}");
    }
    // The disk has something else where the change adds a file.
    git(&sample.root, &["update-index", "--add", "--cacheinfo", &format!("100644,{},dir/more", blob(&sample.root))]);
    let base = git(&sample.root, &["rev-parse", "HEAD"]);
    let tree = CommitTree::open(&sample.root, &sample.root, &base, Programs::of_command_line()).unwrap();
    assert_eq!(tree.source(&sample.root.join("dir")), Ok(ReadFrom::Base));
    write(&sample.root, &[("dir/more", "of the workflow")]);
    assert_eq!(tree.source(&sample.root.join("dir")), Err(Refusal::Covered("dir/more".into())));
}

fn blob(root: &Path) -> String {
    crate::engine::changes::sample::feed(root, &["hash-object", "-w", "--stdin"], "of the change")
}

#[test]
fn the_files_in_a_folder_are_those_of_the_commit() {
    let sample = Sample::new();
    assert_eq!(sample.files("dir"), ["dir/x", "dir/y/z"]);
    assert_eq!(sample.files("link"), ["link/x", "link/y/z"]);
    assert_eq!(sample.files("loose"), ["loose/file"], "a link leads to what the change added");
    assert_eq!(sample.files("added"), [""; 0]);
    assert_eq!(sample.files("base"), [""; 0]);
    let all = sample.files("");
    assert!(all.contains(&"dir-more".to_owned()) && !all.contains(&"module".to_owned()), "{all:?}");
}

#[test]
fn paths_in_the_commit_stay_as_they_are() {
    let sample = Sample::new();
    let (real, link) = (|path: &str| sample.tree.real(&sample.root.join(path)), sample.root.join("link/x"));
    assert_eq!(real("link/x"), link);
    symlink("file", sample.root.join("loose/other")).unwrap();
    assert_eq!(real("loose/other"), sample.root.join("loose/file"));
    assert_eq!(sample.tree.top(&sample.root.join("dir/y")), sample.root);
    let outside = sample.root.parent().unwrap();
    assert_eq!(sample.tree.top(outside), Disk.top(outside));
}

#[test]
fn files_of_a_name_are_compared_with_the_disk() {
    let sample = Sample::new();
    let differing = sample.tree.bicep_settings("settings").unwrap();
    let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
    let found: Vec<_> = differing.into_iter().map(|(path, bytes)| (path, text(bytes))).collect();
    let expected = [("added", None), ("edited", Some("edited")), ("removed", Some("removed"))];
    let expected = expected.map(|(folder, text)| (sample.root.join(folder).join("settings"), text.map(str::to_owned)));
    assert_eq!(found, expected);
}
