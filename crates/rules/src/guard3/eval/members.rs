//! Values of one side of a comparison, indexed for lookups.

use foldhash::HashSet;

use crate::guard3::eval::compare::same;
use crate::guard3::eval::scope::QueryResult;
use crate::guard3::eval::view::View;
use crate::outcomes::Outcomes;

/// Number of strings from which on membership uses a table.
const TABLE_FROM: usize = 16;

/// Values of one side of a comparison of sets.
pub(super) struct MemberIndex<'f> {
    views: Vec<View<'f>>,
    /// All values, if there are many and all are strings.
    texts: Option<HashSet<&'f str>>,
}

impl<'f> MemberIndex<'f> {
    pub(super) fn new(found: &'f [&QueryResult<'_>]) -> Self {
        Self::from_views(found.iter().map(|found| found.at.item.view()).collect())
    }

    /// Collects values, with the items of lists instead of the lists.
    pub(super) fn flat(found: &'f [&QueryResult<'_>]) -> Self {
        let mut views = Vec::new();
        for found in found {
            match found.at.item.view() {
                View::List(list) => views.extend(list.iter()),
                view => views.push(view),
            }
        }
        Self::from_views(views)
    }

    fn from_views(views: Vec<View<'f>>) -> Self {
        let is_table = views.len() >= TABLE_FROM && views.iter().all(|view| matches!(view, View::String(_)));
        let texts = is_table.then(|| views.iter().filter_map(|view| view.text()).collect());
        Self { views, texts }
    }

    /// True if a string is among the values. `None` if there is no table.
    pub(super) fn has_text(&self, view: View<'_>) -> Option<bool> {
        match (&self.texts, view) {
            (Some(texts), View::String(text)) => Some(texts.contains(text)),
            _ => None,
        }
    }

    pub(super) fn has(&self, view: View<'_>) -> bool {
        let looked_up = self.has_text(view);
        looked_up.unwrap_or_else(|| self.views.iter().any(|other| same(view, *other, false) == Outcomes::TRUE))
    }
}
