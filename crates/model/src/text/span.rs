//! Byte ranges in source texts.

use std::num::NonZeroU32;

/// Identifies one text of a run. The text itself is in [`Sources`](super::Sources).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(NonZeroU32);

impl FileId {
    /// The ID of the text at `index` in the order of registration.
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
    /// The text that the range is in.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The empty range at the start of `file`: what a finding about a whole file points at.
    pub const fn whole_file(file: FileId) -> Self {
        Self::new(file, 0, 0)
    }

    /// Whether `other` lies inside this range of the same text.
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The smallest range that holds both. Both must be of one text.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        debug_assert_eq!(self.file, other.file);
        Self::new(self.file, self.start.min(other.start), self.end.max(other.end))
    }
}
