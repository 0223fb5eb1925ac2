//! What a page of a run lists: a finding or a problem with what filters know of it.

use std::sync::Arc;

use crate::diagnostic::{Level, Severity};
use crate::html::service;
use crate::item::Item;

/// A finding or a problem on the page.
pub(super) struct Entry<'a> {
    pub(super) item: Item<'a>,
    pub(super) file: Arc<str>,
    pub(super) severity: &'static str,
    /// Whether the page has room for all of it.
    pub(super) is_shown: bool,
    pub(super) number: usize,
}

impl<'a> Entry<'a> {
    pub(super) fn new(number: usize, item: Item<'a>) -> Self {
        let file = Arc::clone(item.place().file.name());
        Self { severity: severity(&item), item, file, is_shown: false, number }
    }

    /// The service of the resource of a finding.
    pub(super) fn service(&self) -> Option<&str> {
        match &self.item {
            Item::Finding(fault) => fault.resource.as_ref().map(|resource| service(&resource.type_name)),
            Item::Problem(_) => None,
        }
    }
}

/// The severity of a finding; a problem is as severe as its level.
fn severity(item: &Item<'_>) -> &'static str {
    match (item, item.level()) {
        (Item::Finding(fault), _) => fault.rule.severity.as_str(),
        (_, Level::Error) => Severity::High.as_str(),
        (_, Level::Warning) => Severity::Medium.as_str(),
        (_, Level::Note) => Severity::Low.as_str(),
    }
}
