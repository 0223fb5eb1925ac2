//! Paths that may be asked for.

use std::path::Path;

/// A path that a host may be asked for. Only a [`Fence`](crate::files::Fence) makes one.
#[derive(Clone, Copy, Debug)]
pub struct Admitted<'p>(&'p Path);

impl<'p> Admitted<'p> {
    /// Creates the admission. Only for fences, which have checked the path.
    pub(super) const fn new(path: &'p Path) -> Self {
        Self(path)
    }

    /// Returns the path, which is absolute and without `.` and `..`.
    pub const fn path(self) -> &'p Path {
        self.0
    }
}
