//! Loads each linked file once for an expansion.

use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;

use crate::model::{LinkProblem, Linked, Loader, Located};
use crate::text::FileId;

/// A loader that returns the same value for a file whenever an expansion asks for it. A file that another thread has
/// freed is parsed again, and would be another template then: what an expansion repeats, and so how far it goes, would
/// depend on the order of threads.
#[derive(Debug)]
pub(super) struct LoadedOnce<'a> {
    loader: &'a dyn Loader,
    links: Mutex<HashMap<(FileId, String), Result<Linked, LinkProblem>>>,
    files: Mutex<HashMap<FileId, Linked>>,
}

impl<'a> LoadedOnce<'a> {
    pub(super) fn new(loader: &'a dyn Loader) -> Self {
        Self { loader, links: Mutex::default(), files: Mutex::default() }
    }

    fn first(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem> {
        let loaded = self.loader.load(from, path)?;
        Ok(locked(&self.files).entry(loaded.file).or_insert(loaded).clone())
    }
}

impl Loader for LoadedOnce<'_> {
    fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem> {
        let key = (from, path.to_owned());
        if let Some(known) = locked(&self.links).get(&key) {
            return known.clone();
        }
        let loaded = self.first(from, path);
        locked(&self.links).insert(key, loaded.clone());
        loaded
    }

    fn locate(&self, from: FileId, url: &str) -> Option<Located> {
        self.loader.locate(from, url)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::text::Sources;
    use crate::value::Value;

    /// Parses a file again for each link.
    #[derive(Debug)]
    struct Forgetful(FileId);

    impl Loader for Forgetful {
        fn load(&self, _: FileId, path: &str) -> Result<Linked, LinkProblem> {
            let value = Value::array(vec![Value::NULL]);
            if path == "missing" {
                return Err(LinkProblem::Missing);
            }
            Ok(Linked { file: self.0, name: Arc::from("a.json"), value })
        }
    }

    #[test]
    fn a_file_has_one_value_whatever_the_path_to_it() {
        let file = Sources::new().add("a.json", "[null]");
        let loader = Forgetful(file);
        let once = LoadedOnce::new(&loader);
        let address = |path| once.load(file, path).unwrap().value.address();
        assert_eq!([address("a.json"), address("./a.json")], [address("a.json"); 2]);
        assert!(once.load(file, "missing").is_err());
    }
}
