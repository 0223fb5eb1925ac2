//! The values of one side of a comparison, to look others up in.

use foldhash::HashSet;

use crate::guard3::eval::compare::{Answer, same};
use crate::guard3::eval::scope::Found;
use crate::guard3::eval::view::View;

/// From this many strings on, membership is looked up in a table.
const TABLE_FROM: usize = 16;

/// The values of one side of a comparison of sets.
pub(super) struct Members<'f> {
    views: Vec<View<'f>>,
    /// All of them, if they are many and all are strings.
    texts: Option<HashSet<&'f str>>,
}

impl<'f> Members<'f> {
    pub(super) fn new(found: &'f [&Found<'_>]) -> Self {
        Self::of(found.iter().map(|found| found.at.item.view()).collect())
    }

    /// With the items of lists in place of the lists.
    pub(super) fn flat(found: &'f [&Found<'_>]) -> Self {
        let mut views = Vec::new();
        for found in found {
            match found.at.item.view() {
                View::List(list) => views.extend(list.iter()),
                view => views.push(view),
            }
        }
        Self::of(views)
    }

    fn of(views: Vec<View<'f>>) -> Self {
        let is_table = views.len() >= TABLE_FROM && views.iter().all(|view| matches!(view, View::String(_)));
        let texts = is_table.then(|| views.iter().filter_map(|view| view.text()).collect());
        Self { views, texts }
    }

    /// Whether a string is among them. `None` if that is not to be looked up.
    pub(super) fn has_text(&self, view: View<'_>) -> Option<bool> {
        match (&self.texts, view) {
            (Some(texts), View::String(text)) => Some(texts.contains(text)),
            _ => None,
        }
    }

    pub(super) fn has(&self, view: View<'_>) -> bool {
        let looked_up = self.has_text(view);
        looked_up.unwrap_or_else(|| self.views.iter().any(|other| same(view, *other, false) == Answer::Yes))
    }
}
