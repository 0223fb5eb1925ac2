//! Patterns that rules share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use foldhash::HashMap;

use crate::{Dialect, Pattern, PatternError};

type SharedPatterns = HashMap<Box<str>, Weak<Pattern>>;

/// Cache: patterns of rules that are in use, and some that no longer are.
static KNOWN: Mutex<Option<SharedPatterns>> = Mutex::new(None);

impl Pattern {
    /// Compiles the pattern of a rule, or returns the one that another rule uses. Rules about several types often share
    /// a pattern, which may take a quarter of a megabyte.
    ///
    /// # Errors
    ///
    /// Fails as [`Pattern::new`] does.
    pub fn of_rule(pattern: &str) -> Result<Arc<Self>, PatternError> {
        if let Some(known) = shared_patterns().get_or_insert_default().get(pattern).and_then(Weak::upgrade) {
            return Ok(known);
        }
        // Other threads go on meanwhile.
        let made = Arc::new(Self::new(Dialect::DotNet, pattern)?);
        let mut known = shared_patterns();
        let known = known.get_or_insert_default();
        if known.len() == known.capacity() {
            known.retain(|_, pattern| pattern.strong_count() > 0);
        }
        known.insert(pattern.into(), Arc::downgrade(&made));
        Ok(made)
    }
}

fn shared_patterns() -> MutexGuard<'static, Option<SharedPatterns>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_shared_while_it_is_in_use() {
        let of_rule = |pattern| Pattern::of_rule(pattern).unwrap();
        let first = of_rule("^shared$");
        assert!(Arc::ptr_eq(&first, &of_rule("^shared$")));
        assert!(!Arc::ptr_eq(&first, &of_rule("^shared")));
        let unused = Arc::downgrade(&first);
        drop(first);
        assert!(unused.upgrade().is_none());
        assert_eq!(of_rule("^shared$").is_match("SHARED"), Ok(true));
        assert!(Pattern::of_rule("(").is_err());
    }

    #[test]
    fn patterns_that_are_no_longer_in_use_are_forgotten() {
        (0..10_000).for_each(|at| _ = Pattern::of_rule(&format!("^{at}$")).unwrap());
        assert!(shared_patterns().get_or_insert_default().len() < 5_000);
    }
}
