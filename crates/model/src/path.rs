//! Operations on file paths as text, without access to the file system.

use std::path::{Component, Path, PathBuf};

/// Makes a path absolute, and removes `.` and `..`. Symbolic links are not resolved.
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
