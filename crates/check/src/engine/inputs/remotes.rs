//! The remotes of a repository, read from the files of git.

use std::path::{Path, PathBuf};

use crate::files::{Fence, is_local};
use crate::path::normalize;

/// Maximum number of bytes that are read of a file of git.
const MAX_BYTES: u64 = 1 << 20;

/// A repository of a service, in lower case: hosts and owners are case-insensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remote {
    pub(super) host: String,
    /// The organization and, if there are any, groups or the project.
    owner: Vec<String>,
    pub(super) name: String,
}

impl Remote {
    /// Returns the repository `name` of `owner`.
    pub(super) fn new(host: &str, owner: &[&str], name: &str) -> Self {
        let lower = |text: &str| text.to_lowercase();
        let host = lower(host);
        // `org.visualstudio.com` is the former name of `dev.azure.com/org`.
        let former = host.strip_suffix(".visualstudio.com").filter(|organization| *organization != "vs-ssh");
        let mut owner: Vec<String> =
            former.map(lower).into_iter().chain(owner.iter().map(|&part| lower(part))).collect();
        owner.retain(|part| part != "defaultcollection");
        let name = lower(name);
        Self { host: service_of(&host).to_owned(), owner, name: name.strip_suffix(".git").unwrap_or(&name).to_owned() }
    }

    /// Reads the URL of a remote, in any form that git takes.
    fn parse(url: &str) -> Option<Self> {
        let url = url.trim().trim_matches('"');
        let (host, path) = match url.split_once("://") {
            Some((_, rest)) => rest.split_once('/')?,
            // `git@github.com:org/repository.git`
            None => url.split_once(':').filter(|(host, _)| host.len() > 1)?,
        };
        let host = host.rsplit('@').next()?;
        let host = host.split(':').next()?;
        let parts: Vec<&str> = path.split('/').filter(|part| !["", "_git", "v3"].contains(part)).collect();
        let (name, owner) = parts.split_last()?;
        Some(Self::new(host, owner, name))
    }
}

/// Returns the host that stands for all hosts of a service: some have another one for raw files, and for SSH.
pub(super) fn service_of(host: &str) -> &str {
    match host {
        "www.github.com" | "raw.github.com" | "raw.githubusercontent.com" | "ssh.github.com" => "github.com",
        "ssh.dev.azure.com" => "dev.azure.com",
        "altssh.gitlab.com" => "gitlab.com",
        "altssh.bitbucket.org" => "bitbucket.org",
        host if host.ends_with(".visualstudio.com") => "dev.azure.com",
        host => host,
    }
}

/// Returns the remotes of the repository at `root`. Empty if it has none, or if `root` is not a repository.
pub(super) fn remotes(root: &Path, fence: &Fence<'_>) -> Vec<Remote> {
    let Some(config) = git_folder(root, fence).and_then(|folder| text(&folder.join("config"), fence)) else {
        return Vec::new();
    };
    let mut is_remote = false;
    let mut remotes = Vec::new();
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_remote = line.get(1..7).is_some_and(|name| name.eq_ignore_ascii_case("remote"));
        } else if let Some((key, url)) = line.split_once('=').filter(|_| is_remote)
            && key.trim().eq_ignore_ascii_case("url")
        {
            remotes.extend(Remote::parse(url));
        }
    }
    remotes
}

/// Returns the folder that has the settings of the repository. In a worktree and in a submodule, `.git` is a file that
/// leads to it.
fn git_folder(root: &Path, fence: &Fence<'_>) -> Option<PathBuf> {
    let git = root.join(".git");
    if fence.is_folder(&git) {
        return Some(git);
    }
    let kept = |from: &Path, text: &str| is_local(text.trim()).then(|| normalize(from, Path::new(text.trim())));
    let folder = kept(root, text(&git, fence)?.trim().strip_prefix("gitdir:")?)?;
    match text(&folder.join("commondir"), fence) {
        Some(common) => kept(&folder, &common),
        None => Some(folder),
    }
}

fn text(path: &Path, fence: &Fence<'_>) -> Option<String> {
    String::from_utf8(fence.read_of_git(path, MAX_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::Disk;

    #[test]
    fn a_remote_has_an_owner_and_a_name() {
        let check = |url: &str, owner: &[&str], name: &str| {
            let remote = Remote::parse(url).unwrap();
            assert_eq!((remote.owner.join("/"), &*remote.name), (owner.join("/"), name), "{url}");
        };
        check("https://github.com/Org/Repo.git", &["org"], "repo");
        check("https://token@github.com/org/repo", &["org"], "repo");
        check("git@github.com:org/repo.git", &["org"], "repo");
        check("ssh://git@github.com:22/org/repo.git/", &["org"], "repo");
        check("https://gitlab.com/group/team/repo.git", &["group", "team"], "repo");
        check("https://org@dev.azure.com/org/project/_git/repo", &["org", "project"], "repo");
        check("git@ssh.dev.azure.com:v3/org/project/repo", &["org", "project"], "repo");
        check("https://org.visualstudio.com/DefaultCollection/project/_git/repo", &["org", "project"], "repo");
        assert_eq!(Remote::parse("C:/folder/repo"), None);
        assert_eq!(Remote::parse("../repo"), None);
    }

    #[test]
    fn a_worktree_has_the_remotes_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "main/.git/config",
            "[core]\n\turl = https://x.org/no/thing\n[remote \"origin\"]\n\turl = https://github.com/org/repo.git\n",
        );
        write("main/.git/worktrees/other/commondir", "../..\n");
        write("other/.git", &format!("gitdir: {}\n", root.join("main/.git/worktrees/other").display()));
        let fence = Fence::of_user(&Disk);
        let expected = vec![Remote::new("github.com", &["org"], "repo")];
        assert_eq!(remotes(&root.join("main"), &fence), expected);
        assert_eq!(remotes(&root.join("other"), &fence), expected);
        assert_eq!(remotes(&root, &fence), []);
    }
}
