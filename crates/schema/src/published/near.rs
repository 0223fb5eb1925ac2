//! Suggestions for misspelled names, cached per document.

use std::cell::RefCell;

use foldhash::HashMap;

use crate::text::nearest_name;

/// Names of one document for which similar ones are looked up. Each costs a comparison with hundreds of names.
const MAX_NAMES: usize = 500;

/// Cache: similar names, by the name in the document.
#[derive(Debug, Default)]
pub(super) struct NearestNames(RefCell<HashMap<String, Option<&'static str>>>);

impl NearestNames {
    /// Returns the candidate that is most similar to `name`. A name must be asked with the same candidates each time.
    pub(super) fn nearest<I>(&self, name: &str, candidates: impl FnOnce() -> I) -> Option<&'static str>
    where
        I: Iterator<Item = &'static str>,
    {
        self.once(name, || nearest_name(name, candidates()))
    }

    /// Returns what a search finds for `name`, which is run once. A name must be asked with the same search each time.
    pub(super) fn once(&self, name: &str, search: impl FnOnce() -> Option<&'static str>) -> Option<&'static str> {
        let known = self.0.borrow();
        if let Some(found) = known.get(name) {
            return *found;
        }
        if known.len() >= MAX_NAMES {
            return None;
        }
        drop(known);
        let found = search();
        self.0.borrow_mut().insert(name.to_owned(), found);
        found
    }

    /// Returns the end of a message with the nearest name, ``, did you mean `x`?``, or an empty string.
    pub(super) fn hint<I>(&self, name: &str, candidates: impl FnOnce() -> I) -> String
    where
        I: Iterator<Item = &'static str>,
    {
        self.nearest(name, candidates).map_or_else(String::new, |near| format!(", did you mean `{near}`?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_once_and_many_names_are_not() {
        let near = NearestNames::default();
        assert_eq!(near.nearest("Microsoft.Storag", || ["Microsoft.Storage"].into_iter()), Some("Microsoft.Storage"));
        assert_eq!(near.hint("Microsoft.Storag", || [].into_iter()), ", did you mean `Microsoft.Storage`?");
        for at in 0..MAX_NAMES {
            near.nearest(&at.to_string(), || [].into_iter());
        }
        assert_eq!(near.once("Microsoft.Sq/servers", || Some("Microsoft.Sql/servers")), None);
        assert_eq!(near.nearest("Microsoft.Sq", || ["Microsoft.Sql"].into_iter()), None);
    }
}
