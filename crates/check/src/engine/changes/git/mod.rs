//! Runs `git` so that neither a repository nor a change of it can execute anything, or choose what git reads.
//!
//! A repository brings its own configuration and attributes, and some of those name programs to run: file monitors,
//! external diffs, text conversions, filters, submodules with a configuration of their own. None of them is run.
//!
//! A change brings folders. Some of them look like repositories to git, which would take their configuration: so git
//! never searches for the repository. formwork takes the nearest folder with a `.git`, a name that no commit can have
//! in any case of its letters, and git starts there.
//!
//! # Invariant
//!
//! Git never searches for the repository.

mod process;
mod variables;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use self::process::{Output, wait};
use self::variables::is_withheld;
use crate::engine::changes::Error;
use crate::files::{Programs, SearchPath, is_local, repository_of};

/// Time limit for one command.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Time limit for a command that uses the network.
const FETCH_TIMEOUT: Duration = Duration::from_mins(1);

/// The first arguments of every command.
const SAFE: [&str; 10] = [
    "--no-pager",
    // Nothing searches for a repository. If something in git did, it would not take a folder of a change for one.
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "submodule.recurse=false",
    "--no-replace-objects",
];

/// The first arguments of every comparison. They override the user's settings for diffs, and run no external programs.
pub(super) const DIFF: [&str; 9] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=all",
    "--inter-hunk-context=0",
    "--diff-algorithm=default",
    "-z",
];

/// Folders in which git is searched for if there is no search path, as the system does it.
const SYSTEM_PATH: &str = if cfg!(unix) { "/usr/bin:/bin" } else { "" };

/// Folder with the repositories of submodules, in the working tree of their parent.
const MODULES: &str = ".git/modules";

/// A repository with a working tree.
#[derive(Debug)]
pub(super) struct Git {
    program: Program,
    /// The right to start it.
    programs: Programs,
    /// The folder with the `.git`, absolute. Links on the way to it stay unresolved.
    root: PathBuf,
    /// Options that turn off the filters that the configuration names.
    without_filters: Vec<OsString>,
    /// The files of the working tree that are part of the configuration.
    configured_by: Vec<PathBuf>,
}

/// The git that is installed, outside of the repository.
#[derive(Debug)]
struct Program {
    path: PathBuf,
    /// Search path with which git finds other programs.
    folders: Option<OsString>,
}

impl Git {
    /// Returns the repository around `folder`, an absolute path.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or if git cannot be run or refuses to read the repository.
    pub(super) fn around(folder: &Path, programs: Programs) -> Result<Self, Error> {
        Self::open_root(root(folder)?, programs)
    }

    /// Returns the repository that the event of a workflow is about. It is never a submodule: a change can turn any
    /// folder into one, whose history is its own.
    ///
    /// # Errors
    ///
    /// As those of [`Git::around`].
    pub(super) fn of_event(folder: &Path, programs: Programs) -> Result<Self, Error> {
        let mut root = root(folder)?;
        while let Some(outer) = superproject(&root) {
            root = outer;
        }
        Self::open_root(root, programs)
    }

    fn open_root(root: PathBuf, programs: Programs) -> Result<Self, Error> {
        let program = Program::find(&root, programs)?;
        let mut git = Self { program, programs, root, without_filters: Vec::new(), configured_by: Vec::new() };
        if git.is_bare()? {
            return Err(Error::NoRepository { message: "the repository is bare".to_owned() });
        }
        // `<origin>`, a zero byte, `<name>`, and unless it is only a name, a line break and `<value>`.
        let listed = git.ask(&["config", "--null", "--show-origin", "--list"])?;
        let mut fields = listed.split(|&byte| byte == 0);
        while let (Some(origin), Some(entry)) = (fields.next(), fields.next()) {
            let name = entry.split(|&byte| byte == b'\n').next().unwrap_or_default();
            git.without_filters.extend(without_filter(name));
            let file = origin.strip_prefix(b"file:").map(|path| git.root.join(path_of(path)));
            git.configured_by.extend(file.filter(|file| is_in_tree(&git.root, file)));
        }
        git.configured_by.dedup();
        Ok(git)
    }

    /// Returns the right to start programs that git was found with.
    pub(super) fn programs(&self) -> Programs {
        self.programs
    }

    /// Returns the folder with the working tree, absolute.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a file of the working tree that git reads its configuration from and that a change may have brought,
    /// such as one that `include.path` names, or the `.gitconfig` of a home folder that is the checkout.
    pub(super) fn is_configured_by_change(&self) -> Result<Option<&Path>, Error> {
        for file in &self.configured_by {
            let mut arguments: Vec<&OsStr> = ["ls-files", "-z", "--"].map(OsStr::new).into();
            arguments.push(file.as_os_str());
            // Fails if there are links on the way to the file.
            let listed = self.run(&arguments)?;
            if !listed.is_success() || !listed.stdout.is_empty() {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Returns `true` if the repository is configured to have no working tree.
    fn is_bare(&self) -> Result<bool, Error> {
        let mut command = self.command(&["rev-parse", "--is-bare-repository"]);
        command.env_remove("GIT_WORK_TREE");
        let answer = wait(command, Vec::new(), TIMEOUT)?;
        if answer.is_success() {
            return Ok(answer.line() == "true");
        }
        let message = answer.message();
        Err(if message.contains("not a git repository") {
            Error::NoRepository { message }
        } else {
            Error::Failed { command: "rev-parse".to_owned(), message }
        })
    }

    /// Runs a command, which may fail.
    pub(super) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Output, Error> {
        wait(self.command(arguments), Vec::new(), TIMEOUT)
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub(super) fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<u8>, Error> {
        self.ask_with(arguments, Vec::new())
    }

    /// Runs a command with standard input that must succeed, and returns what it printed.
    pub(super) fn ask_with<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Vec<u8>, Error> {
        Ok(succeeded(arguments, wait(self.command(arguments), input, TIMEOUT)?)?.stdout)
    }

    /// Runs a command that must succeed within a time limit.
    pub(super) fn ask_within<A: AsRef<OsStr>>(&self, arguments: &[A], limit: Duration) -> Result<Output, Error> {
        succeeded(arguments, wait(self.command(arguments), Vec::new(), limit)?)
    }

    /// Runs a command that uses the network. `variables` are added to its environment, and may be secret.
    pub(super) fn talk(&self, arguments: &[String], variables: &[(&str, &str)]) -> Result<Output, Error> {
        let mut command = self.command(arguments);
        // An empty name means that no program asks for passwords, even if the configuration names one.
        command.env("GIT_ASKPASS", "").env("GIT_ALLOW_PROTOCOL", "file:http:https").env("GIT_TRACE_REDACT", "1");
        command.envs(variables.iter().copied());
        wait(command, Vec::new(), FETCH_TIMEOUT)
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = self.program.command();
        command
            .args(SAFE)
            .args(&self.without_filters)
            .args(arguments)
            .current_dir(&self.root)
            .env("GIT_DIR", self.root.join(".git"))
            .env("GIT_WORK_TREE", &self.root)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // A partial clone would fetch missing objects with a program that its configuration may name. An older git only
            // knows the second variable, which allows nothing.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "")
            .env("FORMWORK_FALSE", "false")
            .env("FORMWORK_EMPTY", "");
        command
    }
}

impl Program {
    /// Finds the git that is run in a folder. It comes neither from the repositories around it nor from those around
    /// the current folder, of which the folder may be a copy.
    fn find(folder: &Path, programs: Programs) -> Result<Self, Error> {
        let around = |folder: &Path| {
            std::iter::successors(repository_of(folder), |root| repository_of(root.parent()?)).collect::<Vec<_>>()
        };
        let current = std::env::current_dir().unwrap_or_default();
        let search_path = std::env::vars_os().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let search_path = search_path.map_or_else(|| OsString::from(SYSTEM_PATH), |(_, value)| value);
        let search_path = SearchPath::new(&search_path, [around(folder), around(&current)].concat(), programs);
        let path = search_path.find(&["git"]).map_err(|why| Error::Start(io::Error::other(why)))?;
        Ok(Self { path, folders: search_path.joined() })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        // A process inherits what is not taken from it, so all names are needed, and no value.
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_withheld(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        match &self.folders {
            Some(folders) => command.env("PATH", folders),
            None => command.env_remove("PATH"),
        };
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn succeeded<A: AsRef<OsStr>>(arguments: &[A], output: Output) -> Result<Output, Error> {
    if output.is_success() {
        return Ok(output);
    }
    let command = arguments.first().map(|argument| argument.as_ref().to_string_lossy().into_owned());
    Err(Error::Failed { command: command.unwrap_or_default(), message: output.message() })
}

/// Returns the version of the installed git, as it prints it; `folder` is the current one.
///
/// # Errors
///
/// Fails if git cannot be run.
pub(super) fn version(folder: &Path, programs: Programs) -> Result<String, Error> {
    let program = Program::find(folder, programs)?;
    let mut command = program.command();
    command.arg("--version");
    let version = wait(command, Vec::new(), TIMEOUT)?.line();
    Ok(version.strip_prefix("git version ").map_or(version.clone(), str::to_owned))
}

fn root(folder: &Path) -> Result<PathBuf, Error> {
    let message = || "neither it nor a folder above it has a `.git`".to_owned();
    repository_of(folder).ok_or_else(|| Error::NoRepository { message: message() })
}

/// Returns the root of the repository that has the one at `root` as a submodule.
fn superproject(root: &Path) -> Option<PathBuf> {
    let outer = repository_of(root.parent()?)?;
    let file = root.join(".git");
    let is_file = fs::metadata(&file).is_ok_and(|file| file.is_file());
    let text = fs::read_to_string(file).ok().filter(|_| is_file)?;
    let named = text.strip_prefix("gitdir:").map(str::trim).filter(|named| is_local(named))?;
    let inner = root.join(named).canonicalize().ok()?;
    let modules = outer.join(MODULES).canonicalize().ok()?;
    inner.starts_with(modules).then_some(outer)
}

/// Returns the option that turns off a filter that the configuration names.
fn without_filter(name: &[u8]) -> Option<OsString> {
    let filter = name.strip_prefix(b"filter.")?;
    let value = match filter.rsplit(|&byte| byte == b'.').next()? {
        b"clean" | b"smudge" | b"process" => "=FORMWORK_EMPTY",
        b"required" => "=FORMWORK_FALSE",
        _ => return None,
    };
    // Not `-c`: a name may have a `=` in it.
    let mut option = OsString::from("--config-env=");
    option.push(path_of(name));
    option.push(value);
    Some(option)
}

/// Returns `true` if a file is in the working tree at `root`, and not in its `.git` folder.
fn is_in_tree(root: &Path, file: &Path) -> bool {
    let below = |root: &Path, file: &Path| file.strip_prefix(root).is_ok_and(|below| !below.starts_with(".git"));
    let real = || Some(below(&root.canonicalize().ok()?, &file.canonicalize().ok()?));
    below(root, file) || real().unwrap_or_default()
}

/// Returns the path for bytes that git printed.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Returns the path for bytes that git printed.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
