//! Strings that share their storage.

use std::ops::Deref;

use arcstr::ArcStr;

/// An immutable string that is a range of a shared one. The strings of a template are ranges of its file, so reading
/// a file does not copy them, and a clone is cheap.
#[derive(Clone)]
pub struct Str {
    owner: ArcStr,
    start: u32,
    end: u32,
}

impl Str {
    /// Creates a string of the bytes `start..end` of `owner`.
    ///
    /// # Panics
    ///
    /// Panics if the range is not within the text, or splits a character.
    pub fn slice(owner: &ArcStr, start: u32, end: u32) -> Self {
        assert!(owner.is_char_boundary(start as usize) && owner.is_char_boundary(end as usize) && start <= end);
        Self { owner: ArcStr::clone(owner), start, end }
    }

    /// Returns the length in bytes, without an access to the text.
    #[inline]
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns the bytes, without a check for the boundaries of characters.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.owner.as_bytes().get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Returns whether the string is empty.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns an identity that clones share. Strings in different storage have different identities.
    pub fn address(&self) -> (usize, u32) {
        (self.owner.as_ptr().addr(), self.start)
    }
}

impl Deref for Str {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        // `slice` and `from` guarantee the boundaries of characters.
        self.owner.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self::from(ArcStr::from(text))
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self::from(ArcStr::from(text))
    }
}

impl From<ArcStr> for Str {
    fn from(owner: ArcStr) -> Self {
        // Limits keep texts far below 4 GiB. A longer one would be truncated.
        let end = u32::try_from(owner.floor_char_boundary(u32::MAX as usize)).unwrap_or(u32::MAX);
        Self { owner, start: 0, end }
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl std::hash::Hash for Str {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl std::borrow::Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self
    }
}

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl std::fmt::Display for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}
