//! Inputs without an operating system: each file is named, and no run is about a change.

use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::engine::Inputs;
use crate::engine::inputs::discover::{FoundFile, Input, SearchedFolder};
use crate::engine::inputs::inventory::Inventory;
use crate::engine::narrowing::Narrowing;
use crate::files::{Fence, PathFilter};
use crate::text::Sources;

/// Finds nothing: folders are not walked.
pub(super) fn walk(
    _: Vec<SearchedFolder>,
    _: (&Path, &PathFilter, &Fence<'_>),
    _: &mut [FoundFile],
    _: &Sources,
) -> Vec<Diagnostic> {
    Vec::new()
}

/// Returns the files unchanged: none of them is missing.
pub(super) fn report(
    found: Vec<Input>,
    problems: Vec<Diagnostic>,
    _: (&Inputs<'_>, &Fence<'_>),
    _: &Sources,
) -> (Vec<Input>, Vec<Diagnostic>) {
    (found, problems)
}

/// Returns all files.
pub(super) fn narrowed<'a>(inputs: &'a Inputs<'a>, sources: &'a Sources, _: &Narrowing<'_>) -> Inventory<'a> {
    Inventory::open(inputs, sources)
}
