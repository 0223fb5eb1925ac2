//! Patterns that several rules have.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustc_hash::FxHashMap;

use crate::pattern::{Dialect, Pattern, PatternError};

type Known = FxHashMap<(Dialect, Box<str>), Weak<Pattern>>;

/// The patterns that are in use, and some that no longer are.
static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

impl Pattern {
    /// As [`Pattern::new`], for a pattern of a rule. Rules on several types often have the same one, which may take a
    /// quarter of a megabyte.
    ///
    /// # Errors
    ///
    /// As [`Pattern::new`].
    pub(crate) fn shared(dialect: Dialect, pattern: &str) -> Result<Arc<Self>, PatternError> {
        let key = (dialect, pattern.into());
        if let Some(known) = known().get_or_insert_default().get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        // Other threads go on meanwhile.
        let made = Arc::new(Self::new(dialect, pattern)?);
        let mut known = known();
        let known = known.get_or_insert_default();
        if known.len() == known.capacity() {
            known.retain(|_, pattern| pattern.strong_count() > 0);
        }
        known.insert(key, Arc::downgrade(&made));
        Ok(made)
    }
}

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_shared_while_it_is_in_use() {
        let shared = |dialect, pattern| Pattern::shared(dialect, pattern).unwrap();
        let first = shared(Dialect::DotNet, "^shared$");
        assert!(Arc::ptr_eq(&first, &shared(Dialect::DotNet, "^shared$")));
        let java = shared(Dialect::Java, "^shared$");
        assert_eq!((first.is_match("SHARED"), java.is_match("SHARED")), (Ok(true), Ok(false)));
        let unused = Arc::downgrade(&first);
        drop(first);
        assert!(unused.upgrade().is_none());
        assert_eq!(shared(Dialect::DotNet, "^shared$").is_match("shared"), Ok(true));
        assert!(Pattern::shared(Dialect::DotNet, "(").is_err());
    }

    #[test]
    fn patterns_that_are_no_longer_in_use_are_forgotten() {
        (0..10_000).for_each(|at| _ = Pattern::shared(Dialect::DotNet, &format!("^{at}$")).unwrap());
        assert!(known().get_or_insert_default().len() < 5_000);
    }
}
