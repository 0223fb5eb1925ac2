//! Finds the file of a repository that a URL names.
//!
//! Templates link to each other by the URLs that a service has for the files of a repository, or for the copies that a
//! deployment makes of them. If the URL names the repository of the template, its path is that of the file. Otherwise,
//! the file is one whose path ends with at least two segments of the URL, and that lies in the folder of the template
//! or in one above it. If there is more than one with the most segments, there is none.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use foldhash::HashMap;

use crate::engine::inputs::remotes::{Remote, remotes, service_of};
use crate::engine::inputs::store::locked;
use crate::files::{Fence, Folders};
use crate::model::{Certainty, Guess};

/// Maximum number of segments at the end of a URL that are compared.
const MAX_SEGMENTS: usize = 16;

/// Maximum number of folders beside a template that the graph searches for a file.
const MAX_CHILDREN: usize = 16;

/// Maximum number of entries of a folder that the graph reads.
const MAX_ENTRIES: usize = 512;

/// The folders and the files in a folder.
type Entries = (Arc<[PathBuf]>, Arc<[PathBuf]>);

/// Finds files by URLs. What it learns of the file system is kept for the run.
#[derive(Debug)]
pub(super) struct Urls<'h> {
    fence: Fence<'h>,
    /// The remotes of repositories, by their root.
    remotes: Mutex<HashMap<PathBuf, Vec<Remote>>>,
    /// Cache: true for folders, by path.
    folders: Mutex<HashMap<PathBuf, bool>>,
    /// Cache: folders and files in a folder, by its path.
    entries: Mutex<HashMap<PathBuf, Entries>>,
}

/// A file that a URL names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: PathBuf,
    pub(super) certainty: Certainty,
}

/// A file in a repository, as the URL of a service names it.
#[derive(Debug, PartialEq, Eq)]
struct RepositoryFile {
    remote: Remote,
    path: Vec<String>,
    /// The URL names a commit or a tag, whose files need not be those of the checkout.
    is_version: bool,
}

impl<'h> Urls<'h> {
    /// Creates a search whose caches are empty.
    pub(super) fn new(fence: Fence<'h>) -> Self {
        Self { fence, remotes: Mutex::default(), folders: Mutex::default(), entries: Mutex::default() }
    }

    /// Returns the file that a URL in a template in `folder` names. `root` is the root of the repository.
    pub(super) fn find(&self, root: &Path, folder: &Path, url: &str) -> Option<Named> {
        let url = Url::parse(url)?;
        let remotes = self.remotes_of(root);
        let place = url.place(&remotes);
        let mut needs_overlap = false;
        if let Some(place) = place.as_ref().filter(|_| !remotes.is_empty()) {
            let is_same = remotes.contains(&place.remote);
            let is_fork = remotes.iter().any(|remote| remote.name == place.remote.name);
            // Any repository may have a file of this name in its root.
            let is_telling = is_same || (is_fork && place.path.len() >= 2);
            let path = root.join(place.path.iter().collect::<PathBuf>());
            if is_telling && self.fence.is_file(&path) {
                let is_around = place.path.first().is_some_and(|first| folder.starts_with(root.join(first)));
                let certainty = match (is_same, place.is_version, is_around) {
                    (true, false, _) => Certainty::Named,
                    (true, true, _) => Certainty::Guessed(Guess::Version),
                    (false, _, true) => Certainty::Guessed(Guess::Folder),
                    (false, _, false) => Certainty::Guessed(Guess::Fork),
                };
                return Some(Named { path, certainty });
            }
            needs_overlap = !is_fork;
        }
        let segments = place.map_or(url.segments, |place| place.path);
        let (path, overlaps) = self.resembling(root, folder, &segments, needs_overlap)?;
        let guess = if overlaps && !needs_overlap { Guess::Folder } else { Guess::Ending };
        Some(Named { path, certainty: Certainty::Guessed(guess) })
    }

    /// Returns the file whose path ends with the most segments, at least two, and whether the first of them is a folder
    /// around the template. With `needs_overlap`, it has to be one: the URL is for another repository, which this one
    /// may contain a copy of.
    fn resembling(
        &self,
        root: &Path,
        folder: &Path,
        segments: &[String],
        needs_overlap: bool,
    ) -> Option<(PathBuf, bool)> {
        let start = segments.len().saturating_sub(MAX_SEGMENTS);
        for at in start..segments.len().saturating_sub(1) {
            let (first, end) = (segments.get(at)?, segments.get(at..)?);
            let mut below: Option<&Path> = None;
            let mut found = None;
            for ancestor in folder.ancestors().take_while(|ancestor| ancestor.starts_with(root)) {
                let overlaps = below.is_some_and(|below| ancestor.join(first) == below);
                below = Some(ancestor);
                if (needs_overlap && !overlaps) || !self.is_folder(ancestor.join(first)) {
                    continue;
                }
                let path = ancestor.join(end.iter().collect::<PathBuf>());
                if !self.fence.is_file(&path) {
                    continue;
                }
                if found.is_some() {
                    return None;
                }
                found = Some((path, overlaps));
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Returns the files that a URL may name, whether or not they exist: [`Urls::find`] returns one of those that do.
    pub(super) fn possible(&self, root: &Path, folder: &Path, url: &str) -> Vec<PathBuf> {
        let Some(parsed) = Url::parse(url) else { return Vec::new() };
        let remotes = self.remotes_of(root);
        let place = parsed.place(&remotes).filter(|place| remotes.contains(&place.remote));
        let named = place.map(|place| root.join(place.path.iter().collect::<PathBuf>()));
        let found = self.find(root, folder, url).map(|named| named.path);
        // A file that does not exist is taken for one if the URL has the name of a folder around the template.
        let mut around = folder.ancestors().take_while(|ancestor| *ancestor != root && ancestor.starts_with(root));
        let segments = &parsed.segments;
        let beside = around.find_map(|ancestor| {
            let name = ancestor.file_name()?;
            let at = segments.iter().rposition(|segment| name == segment.as_str())?;
            Some(ancestor.join(segments.get(at + 1..)?.iter().collect::<PathBuf>()))
        });
        named.into_iter().chain(found).chain(beside).collect()
    }

    /// Returns the files at `path` in the folders above `folder`, and in those directly in it: a URI is often put
    /// together from the location of another template, the name of a folder, and a path.
    pub(super) fn around(&self, root: &Path, folder: &Path, path: &str) -> Vec<PathBuf> {
        let Some(segments) = segments(path) else { return Vec::new() };
        let path: PathBuf = segments.iter().collect();
        let [first, _, ..] = segments.as_slice() else {
            let inside = self.children_of(folder);
            return inside.iter().map(|child| child.join(&path)).filter(|path| self.fence.is_file(path)).collect();
        };
        let above = folder.ancestors().skip(1).take_while(|ancestor| ancestor.starts_with(root));
        let above = above.filter(|ancestor| self.is_folder(ancestor.join(first)));
        above.map(|ancestor| ancestor.join(&path)).filter(|path| self.fence.is_file(path)).collect()
    }

    /// Returns the files in `folder` and in those directly in it whose names end like this: the start of the name is
    /// computed.
    pub(super) fn ending(&self, folder: &Path, end: &str) -> Vec<PathBuf> {
        let folders = self.children_of(folder);
        let ends = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end));
        let inside = |folder: &Path| {
            let entries = self.entries_of(folder);
            entries.1.iter().filter(ends).cloned().collect::<Vec<_>>()
        };
        std::iter::once(folder).chain(folders.iter().map(PathBuf::as_path)).flat_map(inside).collect()
    }

    fn children_of(&self, folder: &Path) -> Arc<[PathBuf]> {
        Arc::clone(&self.entries_of(folder).0)
    }

    /// Returns the first folders and the first files in a folder.
    fn entries_of(&self, folder: &Path) -> Entries {
        let list = || {
            let entries = self.fence.list(folder).into_iter().flatten();
            let mut entries: Vec<PathBuf> = entries.take(MAX_ENTRIES).collect();
            entries.sort();
            let (mut children, files): (Vec<_>, Vec<_>) =
                entries.into_iter().partition(|path| self.fence.is_folder(path));
            children.truncate(MAX_CHILDREN);
            (children.into(), files.into())
        };
        locked(&self.entries).entry(folder.to_path_buf()).or_insert_with(list).clone()
    }

    fn is_folder(&self, path: PathBuf) -> bool {
        *locked(&self.folders).entry(path).or_insert_with_key(|path| self.fence.is_folder(path))
    }

    fn remotes_of(&self, root: &Path) -> Vec<Remote> {
        locked(&self.remotes).entry(root.to_path_buf()).or_insert_with(|| remotes(root, &self.fence)).clone()
    }
}

/// The parts of a URL of a file.
#[derive(Debug)]
struct Url {
    host: String,
    /// The decoded segments of the path.
    segments: Vec<String>,
    /// The path of a file in the query, as Azure DevOps has it.
    path: Option<Vec<String>>,
    /// The scheme is `http` or `https`.
    is_web: bool,
    /// The query asks for a commit or a tag.
    is_version: bool,
}

impl Url {
    /// Parses a URL. `None` if the text is not a URL, or if its path could lead anywhere.
    fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let rest = rest.split('#').next()?;
        let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = address.split_once('/')?;
        let host = host.rsplit('@').next()?.to_ascii_lowercase();
        // Not everybody agrees on the host of a URL with other characters before its path.
        if address.split('/').next()?.contains(['\\', ' ', '\t', '\r', '\n', '\0']) {
            return None;
        }
        let is_web = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        let pairs = || query.split('&').filter_map(|pair| pair.split_once('='));
        let in_query =
            pairs().find(|(name, _)| ["path", "scopePath"].iter().any(|known| name.eq_ignore_ascii_case(known)));
        let path_in_query = match in_query {
            Some((_, path)) => Some(segments(&decoded(path))?),
            None => None,
        };
        let is_version = pairs().any(asks_for_version);
        Some(Self { host, segments: segments(&decoded(path))?, path: path_in_query, is_web, is_version })
    }

    /// Returns the repository and the file that the URL names, if it is one of a known service or of the host of a
    /// remote.
    fn place(&self, remotes: &[Remote]) -> Option<RepositoryFile> {
        let parts: Vec<&str> = self.segments.iter().map(String::as_str).collect();
        let place = |owner: &[&str], name: &str, (path, is_version): (&[&str], bool)| {
            let path: Vec<String> = path.iter().map(|&part| part.to_owned()).collect();
            (!path.is_empty()).then(|| RepositoryFile {
                remote: Remote::new(&self.host, owner, name),
                path,
                is_version,
            })
        };
        if !self.is_web {
            return None;
        }
        if ["raw.githubusercontent.com", "raw.github.com"].contains(&self.host.as_str()) {
            let [owner, name, rest @ ..] = parts.as_slice() else { return None };
            return place(&[owner], name, after_ref(rest)?);
        }
        if let Some(path) = &self.path {
            let at = parts.iter().position(|part| ["_git", "repositories"].contains(part))?;
            let owner: Vec<&str> = parts.get(..at)?.iter().copied().filter(|part| !part.starts_with('_')).collect();
            let owner: Vec<&str> = owner.into_iter().filter(|part| *part != "git").collect();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            return place(&owner, parts.get(at + 1)?, (&path, self.is_version));
        }
        let is_service = ["github.com", "www.github.com", "gitlab.com", "bitbucket.org"].contains(&self.host.as_str());
        if !is_service && !remotes.iter().any(|remote| remote.host == service_of(&self.host)) {
            return None;
        }
        let at = parts.iter().skip(2).position(|part| ["raw", "blob"].contains(part))? + 2;
        let (before, after) = (parts.get(..at)?, parts.get(at + 1..)?);
        let before = before.strip_suffix(&["-"]).unwrap_or(before);
        let (name, owner) = before.split_last()?;
        place(owner, name, after_ref(after)?)
    }
}

/// Returns the segments after the branch, tag or commit, and true if that is certainly not a branch. A branch with more
/// segments than `refs/heads/x` cannot be told from a path.
fn after_ref<'a, 'b>(segments: &'a [&'b str]) -> Option<(&'a [&'b str], bool)> {
    match segments {
        ["refs", kind @ ("heads" | "tags"), _, path @ ..] => Some((path, *kind == "tags")),
        [name, path @ ..] => Some((path, is_commit(name))),
        [] => None,
    }
}

/// True if a name is one of a commit, perhaps a short one. A service also has the commits of forks, by the same URL.
fn is_commit(name: &str) -> bool {
    (7..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True if a part of a query asks Azure DevOps for a commit or a tag.
fn asks_for_version((name, value): (&str, &str)) -> bool {
    let value = decoded(value).to_ascii_lowercase();
    match name.to_ascii_lowercase().as_str() {
        "version" => value.starts_with("gc") || value.starts_with("gt"),
        "versiontype" | "versiondescriptor.versiontype" => value != "branch",
        _ => false,
    }
}

/// Returns the segments of a path. `None` if one of them is not the plain name of a file or folder.
fn segments(path: &str) -> Option<Vec<String>> {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    let plain = |part: &str| {
        let is_plain = part != ".." && !part.contains(['\\', ':', '\0']);
        is_plain.then(|| part.to_owned())
    };
    parts.map(plain).collect()
}

/// Decodes `%20` and the like in a text.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit(high).zip(digit(low)).map(|(high, low)| high * 16 + low)
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = tail.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the folder that links of a file in `folder` must not leave: its repository; outside a repository, the first
/// of `roots` that contains `folder`; otherwise `folder` itself. `roots` are the current folder and those that the user
/// named.
pub(super) fn root_of(folder: &Path, roots: &[PathBuf], folders: &Folders<'_>) -> PathBuf {
    let named = || roots.iter().find(|root| folder.starts_with(root));
    folders.repository_of(folder).unwrap_or_else(|| named().map_or(folder, PathBuf::as_path).to_path_buf())
}

/// Returns the path of `target` from `folder`, with `/`.
pub(super) fn relative(folder: &Path, target: &Path) -> Option<String> {
    let common = folder.ancestors().find(|ancestor| target.starts_with(ancestor))?;
    let ups = folder.strip_prefix(common).ok()?.components().map(|_| "..".to_owned());
    let downs = target.strip_prefix(common).ok()?.iter().map(|part| part.to_string_lossy().into_owned());
    Some(ups.chain(downs).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::files::Disk;

    use super::*;

    /// Resolves a URL in a template of `repo/app/web`, and returns the path with `?` if the file only resembles the
    /// URL, or the reason why it is a guess.
    fn found(remote: Option<&str>, url: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in [".git", "app/web/nested", "app/web/shared", "shared", "app/x"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in
            ["app/web/nested/a.json", "app/web/b.json", "shared/c.json", "app/web/shared/c.json", "app/x/a b.json"]
        {
            fs::write(root.join(name), "{}").unwrap();
        }
        if let Some(remote) = remote {
            fs::write(root.join(".git/config"), format!("[remote \"origin\"]\n\turl = {remote}\n")).unwrap();
        }
        match Urls::new(Fence::of_user(&Disk)).find(&root, &root.join("app/web"), url) {
            Some(Named { path, certainty }) => {
                let shown = path.strip_prefix(&root).unwrap().display().to_string();
                match certainty {
                    Certainty::Named => shown,
                    Certainty::Guessed(Guess::Ending | Guess::Fork) => format!("{shown}?"),
                    Certainty::Guessed(guess) => format!("{shown} ({guess:?})"),
                }
            }
            None => String::new(),
        }
    }

    #[test]
    fn a_url_of_this_repository_names_the_file() {
        let github = "https://github.com/Org/Infra.git";
        for remote in [github, "git@github.com:org/infra.git", "ssh://git@github.com/ORG/infra"] {
            for start in [
                "https://raw.githubusercontent.com/Org/infra/main",
                "https://raw.githubusercontent.com/org/infra/refs/heads/main",
                "https://github.com/org/infra/raw/main",
                "https://github.com/org/infra/blob/release",
            ] {
                assert_eq!(
                    found(Some(remote), &format!("{start}/app/web/b.json?token=x")),
                    "app/web/b.json",
                    "{start}"
                );
            }
        }
        assert_eq!(found(Some(github), "https://github.com/org/infra/raw/main/app/x/a%20b.json"), "app/x/a b.json");
        let devops = "https://user@dev.azure.com/org/project/_git/infra";
        let items = "https://dev.azure.com/org/project/_apis/git/repositories/infra/items?api-version=6.0&path=%2Fapp%2Fweb%2Fb.json";
        assert_eq!(found(Some(devops), items), "app/web/b.json");
        assert_eq!(found(Some("git@ssh.dev.azure.com:v3/org/project/infra"), items), "app/web/b.json");
        let web = "https://dev.azure.com/org/project/_git/infra?path=/app/web/b.json&version=GBmain";
        assert_eq!(found(Some(devops), web), "app/web/b.json");
        let own = "https://git.example.org/group/team/infra.git";
        assert_eq!(
            found(Some(own), "https://git.example.org/group/team/infra/-/raw/main/app/web/b.json"),
            "app/web/b.json"
        );
    }

    #[test]
    fn a_url_of_a_fork_or_of_a_copy_names_a_file_at_the_same_path() {
        let github = Some("https://github.com/org/infra");
        let raw = |rest: &str| format!("https://raw.githubusercontent.com/{rest}");
        assert_eq!(found(github, &raw("other/infra/main/app/web/b.json")), "app/web/b.json (Folder)");
        assert_eq!(found(github, &raw("other/infra/main/shared/c.json")), "shared/c.json?");
        assert_eq!(found(github, &raw("other/copy/main/web/nested/a.json")), "app/web/nested/a.json?");
        assert_eq!(found(None, &raw("org/infra/feature/y/app/web/b.json")), "app/web/b.json (Folder)");
        assert_eq!(found(None, "https://x.blob.core.windows.net/stage/nested/a.json?sv=1"), "app/web/nested/a.json?");
    }

    #[test]
    fn a_url_of_another_version_or_of_another_server_is_a_guess() {
        let github = Some("https://github.com/org/infra");
        let version = "app/web/b.json (Version)";
        let commit = "0123456789012345678901234567890123456789";
        assert_eq!(
            found(github, &format!("https://raw.githubusercontent.com/org/infra/{commit}/app/web/b.json")),
            version
        );
        assert_eq!(found(github, "https://github.com/org/infra/blob/1234567/app/web/b.json"), version);
        assert_eq!(found(github, "https://github.com/org/infra/raw/refs/tags/v1/app/web/b.json"), version);
        let devops = Some("https://dev.azure.com/org/project/_git/infra");
        let items = |host: &str, query: &str| {
            format!("https://{host}/org/project/_apis/git/repositories/infra/items?path=/app/web/b.json{query}")
        };
        assert_eq!(found(devops, &items("dev.azure.com", "&versionDescriptor.versionType=commit")), version);
        assert_eq!(found(devops, &items("dev.azure.com", "&version=GT1.0")), version);
        assert_eq!(found(devops, &items("dev.azure.com", "&version=GBmain")), "app/web/b.json");
        let folder = "app/web/b.json (Folder)";
        assert_eq!(found(devops, &items("example.org", "")), folder);
        assert_eq!(found(github, "https://gitlab.com/org/infra/-/raw/main/app/web/b.json"), folder);
        assert_eq!(found(github, "https://raw.github.com.example.org/org/infra/main/app/web/b.json"), folder);
        assert_eq!(found(github, r"https://example.org\@github.com/org/infra/raw/main/app/web/b.json"), "");
        assert_eq!(found(github, "ftp://github.com/org/infra/raw/main/app/web/b.json"), folder);
        assert_eq!(found(github, "https://github.com/org/infra/raw/refs/pull/1/head/app/web/b.json"), folder);
    }

    #[test]
    fn a_chance_resemblance_is_no_match() {
        let github = Some("https://github.com/org/infra");
        assert_eq!(found(github, "https://raw.githubusercontent.com/other/library/main/nested/a.json"), "");
        assert_eq!(found(github, "https://raw.githubusercontent.com/other/infra/main/b.json"), "");
        assert_eq!(found(None, "https://raw.githubusercontent.com/other/library/main/b.json"), "");
        assert_eq!(found(None, "https://example.org/b.json"), "");
        // Both `shared/c.json` and `app/web/shared/c.json` are possible.
        assert_eq!(found(None, "https://example.org/shared/c.json"), "");
        assert_eq!(found(None, "https://example.org/web/shared/c.json"), "app/web/shared/c.json (Folder)");
    }

    #[test]
    fn the_graph_has_what_a_computed_name_may_be() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("nested/deep")).unwrap();
        for name in ["main.json", "nested/vm-linux.json", "nested/vm.json", "nested/deep/x-linux.json"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let urls = Urls::new(Fence::of_user(&Disk));
        let names = |paths: Vec<PathBuf>| {
            let name = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
            paths.into_iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(urls.ending(folder.path(), "-linux.json")), ["nested/vm-linux.json"]);
        assert_eq!(names(urls.ending(folder.path(), ".json")), ["main.json", "nested/vm-linux.json", "nested/vm.json"]);
        assert_eq!(names(urls.around(folder.path(), folder.path(), "vm.json")), ["nested/vm.json"]);
        let deep = folder.path().join("nested/deep");
        assert_eq!(names(urls.around(folder.path(), &deep, "nested/vm.json")), ["nested/vm.json"]);
    }

    #[test]
    fn no_url_leads_out_of_the_repository() {
        let github = Some("https://github.com/org/infra");
        for end in [
            "app/../../x/y.json",
            "app/%2e%2e/%2E%2E/etc/passwd",
            "..%2f..%2fetc/passwd",
            "c:%5Cx/y.json",
            "%00/b.json",
        ] {
            assert_eq!(found(github, &format!("https://raw.githubusercontent.com/org/infra/main/{end}")), "");
        }
    }
}
