//! Writes the files that an upgrade of API versions edits.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Edit, rewritten};
use crate::engine::session::{FixScope, NotFixed};
use crate::engine::upgrade::UpgradePlan;
use crate::files::open;
use crate::text::Sources;

/// The byte order mark in UTF-8. Sources do not contain it.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Writes the edits of a plan. Each file is replaced completely or not at all. Returns the files that were written, and
/// those that may not be changed.
pub fn write_upgrades(
    plan: &UpgradePlan,
    (working, named): (&std::path::Path, &[PathBuf]),
    sources: &Sources,
) -> (Vec<Arc<str>>, BTreeMap<Arc<str>, NotFixed>) {
    let scope = FixScope { working, named };
    let (mut written, mut refused) = (Vec::new(), BTreeMap::new());
    for (name, edits) in &plan.edits {
        match write_file(&scope, name, edits, sources) {
            Ok(()) => written.push(Arc::clone(name)),
            Err(why) => {
                refused.insert(Arc::clone(name), why);
            }
        }
    }
    (written, refused)
}

fn write_file(scope: &FixScope<'_>, name: &str, edits: &[Edit], sources: &Sources) -> Result<(), NotFixed> {
    let destination = scope.target(name)?;
    let mut bytes = Vec::new();
    open(&destination.real()?)?.read_to_end(&mut bytes)?;
    let (mark, old) = bytes.strip_prefix(MARK).map_or((&[][..], &bytes[..]), |rest| (MARK, rest));
    let source = edits.first().map(|edit| sources.get(edit.span.file)).ok_or(NotFixed::Changed)?;
    let edits: Vec<&Edit> = edits.iter().collect();
    let new = rewritten(source.text(), 0, &edits).filter(|_| old == source.text().as_bytes());
    let new = new.ok_or(NotFixed::Changed)?;
    Ok(destination.replace(&[mark, new.as_bytes()].concat())?)
}
