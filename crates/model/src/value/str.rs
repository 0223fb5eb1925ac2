//! Strings that share their storage.

use std::ops::Deref;

use arcstr::ArcStr;

/// An immutable string that is a range of a shared one. The strings of a template are ranges of its file, so reading a
/// file copies none of them, and a clone costs one reference count.
#[derive(Clone)]
pub struct Str {
    owner: ArcStr,
    start: u32,
    end: u32,
}

impl Str {
    /// The bytes `start..end` of `owner`.
    ///
    /// # Panics
    /// If the range is not within the text, or splits a character.
    pub fn slice(owner: &ArcStr, start: u32, end: u32) -> Self {
        assert!(owner.is_char_boundary(start as usize) && owner.is_char_boundary(end as usize) && start <= end);
        Self { owner: ArcStr::clone(owner), start, end }
    }

    /// Length in bytes. Unlike that of a `str`, it costs no look at the text.
    #[inline]
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// The bytes. Unlike those of a `str`, they cost no search for the boundaries of characters.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.owner.as_bytes().get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// An identity that clones share. Strings that are stored in different places have different ones.
    pub fn address(&self) -> (usize, u32) {
        (self.owner.as_ptr().addr(), self.start)
    }
}

impl Deref for Str {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        // `slice` and `from` keep to the boundaries of characters.
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
        // Limits keep texts far below 4 GiB; a longer one would be truncated.
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
