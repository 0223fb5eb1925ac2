//! Byte ranges in source texts.

use std::num::NonZeroU32;

/// Identifies one text of a run, which is in [`Sources`](super::Sources).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(NonZeroU32);

impl FileId {
    /// Creates the ID of the text at `index`, in the order in which texts were added.
    pub(super) fn from_index(index: usize) -> Self {
        // A run has fewer than 2^32 files.
        Self(NonZeroU32::MIN.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    pub(super) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A half-open range of bytes in one text.
///
/// `Option<Span>` is as small as `Span`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text that contains the range.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the range `start..end` of `file`.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// Creates the empty range at the start of `file`, for findings about a whole file.
    pub const fn whole_file(file: FileId) -> Self {
        Self::new(file, 0, 0)
    }

    /// Returns whether `other` is inside this range of the same text.
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Returns the smallest range that contains both. Both must be in the same text.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        debug_assert_eq!(self.file, other.file);
        Self::new(self.file, self.start.min(other.start), self.end.max(other.end))
    }
}
