//! Regular expressions of types, compiled when they are first needed.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

use crate::pattern::{Dialect, Pattern};

static COMPILED: Mutex<Option<HashMap<String, Option<Arc<Pattern>>>>> = Mutex::new(None);

/// True if `text` contains a match. Azure's services are mostly .NET programs, which may ignore case, so callers pass
/// `ignore_case` for them. A pattern that cannot be compiled or takes too long matches everything.
pub(super) fn matches(pattern: &str, text: &str, ignore_case: bool) -> bool {
    let compiled = if ignore_case { compiled(pattern) } else { compiled(&format!("(?-i){pattern}")) };
    compiled.is_none_or(|compiled| compiled.is_match(text).unwrap_or(true))
}

fn compiled(pattern: &str) -> Option<Arc<Pattern>> {
    let mut patterns = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let patterns = patterns.get_or_insert_default();
    if let Some(known) = patterns.get(pattern) {
        return known.clone();
    }
    let compiled = Pattern::new(Dialect::DotNet, pattern).ok().map(Arc::new);
    patterns.insert(pattern.to_owned(), compiled.clone());
    compiled
}
