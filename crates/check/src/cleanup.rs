//! Cleans up if a signal ends the process: removes temporary files, and ends processes that it started in groups of
//! their own, which the signal of a terminal does not reach.
//!
//! # Invariant
//!
//! Temporary files and folders are made, and processes with a group of their own are started, only here.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
#[cfg(unix)]
use std::sync::TryLockError;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

/// All that would stay behind now.
static LEFTOVERS: Mutex<Vec<Leftover>> = Mutex::new(Vec::new());

/// The folder in which this process makes others, if it shares one. What it cannot remove because it crashes is removed
/// with that.
static SHARED: OnceLock<PathBuf> = OnceLock::new();

/// Prefix of the names of temporary folders.
const PREFIX: &str = "formwork-";

/// Number of times that a signal tries to lock [`LEFTOVERS`] or to remove a folder before it ends the process without
/// doing so. Between two tries, it waits for the lock.
const TRIES: usize = 500;
#[cfg(unix)]
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Leftover {
    /// A file, or a folder with all that is in it.
    Path(PathBuf),
    /// The processes of a group, by the process that leads it. Whether they are asked to end, so that they can clean
    /// up.
    Group { leader: u32, politely: bool },
}

/// Notes a leftover as long as it lives.
#[derive(Debug)]
pub struct Noted(Leftover);

impl Drop for Noted {
    fn drop(&mut self) {
        let mut leftovers = locked();
        if let Some(at) = leftovers.iter().rposition(|leftover| *leftover == self.0) {
            leftovers.swap_remove(at);
        }
    }
}

/// Creates a temporary file in a folder.
pub fn file(builder: &tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<(NamedTempFile, Noted)> {
    let mut leftovers = locked();
    let file = builder.tempfile_in(folder)?;
    let noted = noted(&mut leftovers, Leftover::Path(file.path().to_path_buf()));
    Ok((file, noted))
}

/// A folder for temporary files, which is removed when it is dropped.
#[derive(Debug)]
pub struct Folder {
    // Dropped first, so that the folder is noted until it is gone.
    dir: TempDir,
    _noted: Noted,
}

impl Folder {
    /// Creates a folder among the temporary files of the system, or in the folder that this process shares.
    pub fn new() -> io::Result<Self> {
        let mut leftovers = locked();
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        let dir = SHARED.get().map_or_else(|| builder.tempdir(), |shared| builder.tempdir_in(shared))?;
        let noted = noted(&mut leftovers, Leftover::Path(dir.path().to_path_buf()));
        Ok(Self { dir, _noted: noted })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// The folder of another process, which removes it, too, unless it was killed.
#[derive(Debug)]
pub struct SharedFolder {
    path: &'static Path,
    _noted: Noted,
}

impl SharedFolder {
    /// Shares what another process made with [`Folder::new`]; new folders are made in it. `None` if the name is not
    /// that of such a folder.
    pub fn new(path: &Path) -> Option<Self> {
        path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
        let path = SHARED.get_or_init(|| path.to_path_buf());
        let noted = noted(&mut locked(), Leftover::Path(path.clone()));
        Some(Self { path, _noted: noted })
    }

    /// Removes the folder, if it is still there.
    pub fn remove(self) {
        remove(self.path);
    }
}

/// Starts a process as the leader of a group. What is returned with it is to be dropped when the process has ended.
pub fn start(command: &mut Command, politely: bool) -> io::Result<(Child, Noted)> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // A signal waits for the lock, so no process is started after it.
    let mut leftovers = locked();
    let child = command.spawn()?;
    let noted = noted(&mut leftovers, Leftover::Group { leader: child.id(), politely });
    Ok((child, noted))
}

/// Ends the processes and removes the files. Nothing can be noted after that: the caller ends the process.
#[cfg(unix)]
pub fn end() {
    for _ in 0..TRIES {
        match LEFTOVERS.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Poisoned(poisoned)) => return end_all(poisoned.into_inner()),
            Ok(leftovers) => return end_all(leftovers),
        }
    }
}

#[cfg(unix)]
fn end_all(leftovers: MutexGuard<'static, Vec<Leftover>>) {
    for leftover in leftovers.iter() {
        if let Leftover::Group { leader, politely } = leftover {
            end_group(*leader, *politely);
        }
    }
    for leftover in leftovers.iter() {
        if let Leftover::Path(path) = leftover {
            remove(path);
        }
    }
    // No other thread gets on to start or to make anything.
    std::mem::forget(leftovers);
}

#[cfg(unix)]
fn end_group(leader: u32, politely: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let signal = if politely { Signal::TERM } else { Signal::KILL };
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // It may have ended by now.
        let _ = kill_process_group(leader, signal);
    }
}

fn remove(path: &Path) {
    if !path.is_dir() {
        // It may be gone by now.
        let _ = fs::remove_file(path);
        return;
    }
    for _ in 0..TRIES {
        match fs::remove_dir_all(path) {
            // Another thread has made a file in it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            _ => return,
        }
    }
}

fn noted(leftovers: &mut Vec<Leftover>, leftover: Leftover) -> Noted {
    leftovers.push(leftover.clone());
    Noted(leftover)
}

fn locked() -> MutexGuard<'static, Vec<Leftover>> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread::scope;

    use super::*;

    #[test]
    fn a_folder_is_removed_while_another_thread_makes_files_in_it() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            scope(|scope| {
                let making = || (0..100_000).take_while(|at| fs::write(path.join(at.to_string()), "").is_ok()).count();
                let making = scope.spawn(making);
                while !path.join("10").exists() && !making.is_finished() {}
                remove(path);
                assert!(!path.exists());
                assert!(making.join().unwrap() > 10);
            });
        }
    }
}
