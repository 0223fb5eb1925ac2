//! Paths as text: nothing here asks the file system.

use std::path::{Component, Path, PathBuf};

/// The absolute form of a path, without `.` and `..`. Symbolic links are not resolved.
pub fn normalize(working: &Path, path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in working.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            _ => result.push(component),
        }
    }
    result
}
