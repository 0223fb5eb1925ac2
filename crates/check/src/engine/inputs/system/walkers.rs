//! Walking folders on several threads, where the operating system starts them.

use std::sync::{Mutex, RwLock};
use std::thread;

use ignore::{DirEntry, Error, WalkBuilder, WalkState};

/// The most threads that a walk uses: more of them wait for the file system.
const MAX_THREADS: usize = 8;

/// Number of further threads that have to be possible. At the same moment, the rest of the process may start some, as
/// for git.
const SPARE: usize = 2;

/// Held by the walk that has threads of its own. A walk at the same time, as of the other side of a diff, needs none.
static WALKING: Mutex<()> = Mutex::new(());

/// Calls `visit` with each entry of a walk, on several threads if the run has some.
///
/// The library panics if a thread does not start, and those that did wait for it forever. So it only gets threads that
/// are sure to start.
pub(super) fn visit_each(builder: &mut WalkBuilder, visit: impl Fn(Result<DirEntry, Error>) + Sync) {
    let threads = rayon::current_num_threads().min(MAX_THREADS);
    let own = WALKING.try_lock();
    if threads == 1 || own.is_err() || !can_start(threads + SPARE) {
        return builder.build().for_each(visit);
    }
    builder.threads(threads).build_parallel().run(|| {
        Box::new(|entry| {
            visit(entry);
            WalkState::Continue
        })
    });
}

/// Returns `true` if the operating system starts this number of threads beside those of the run. A library may panic
/// where one does not start, or wait for it.
fn can_start(count: usize) -> bool {
    let gate = RwLock::new(());
    thread::scope(|scope| {
        // Until all have started, none ends.
        let closed = gate.write();
        let pass = || drop(gate.read());
        let can = (0..count).all(|_| thread::Builder::new().spawn_scoped(scope, pass).is_ok());
        drop(closed);
        can
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::PathBuf;

    use crate::engine::Threads;

    use super::*;

    #[test]
    fn a_walk_finds_the_same_with_and_without_threads_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/b/c", "a/d", "e"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("main.json"), "{}").unwrap();
        }
        let found = || {
            let found = Mutex::new(BTreeSet::<PathBuf>::new());
            Threads::start(3).unwrap().install(|| {
                visit_each(&mut WalkBuilder::new(folder.path()), |entry| {
                    found.lock().unwrap().insert(entry.unwrap().into_path());
                });
            });
            found.into_inner().unwrap()
        };
        let with = found();
        assert_eq!(with.len(), 9);
        let _another = WALKING.lock();
        assert_eq!(found(), with);
    }
}
