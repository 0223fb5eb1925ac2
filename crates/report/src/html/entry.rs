//! Entries of a page: findings and problems with the attributes for filters.

use std::sync::Arc;

use crate::diagnostic::{Level, Severity};
use crate::html::service;
use crate::item::Item;

/// A finding or a problem on the page.
pub(super) struct PageEntry<'a> {
    pub(super) item: Item<'a>,
    pub(super) file: Arc<str>,
    pub(super) severity: &'static str,
    /// True if the page has room for the whole entry.
    pub(super) is_shown: bool,
    pub(super) number: usize,
}

impl<'a> PageEntry<'a> {
    pub(super) fn new(number: usize, item: Item<'a>) -> Self {
        let file = Arc::clone(item.place().file.name());
        Self { severity: severity(&item), item, file, is_shown: false, number }
    }

    /// Returns the service of the resource of a finding.
    pub(super) fn service(&self) -> Option<&str> {
        match &self.item {
            Item::Finding(fault) => fault.resource.as_ref().map(|resource| service(&resource.type_name)),
            Item::Problem(_) => None,
        }
    }
}

/// Returns the severity of a finding, or the severity that corresponds to the level of a problem.
fn severity(item: &Item<'_>) -> &'static str {
    match (item, item.level()) {
        (Item::Finding(fault), _) => fault.rule.severity.as_str(),
        (_, Level::Error) => Severity::High.as_str(),
        (_, Level::Warning) => Severity::Medium.as_str(),
        (_, Level::Note) => Severity::Low.as_str(),
    }
}
