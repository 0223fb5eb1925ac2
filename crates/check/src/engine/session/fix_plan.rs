//! Chooses the fixes that are applied together, and writes the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Edit, Finding, Outcome, Run, rewritten};
use crate::engine::fix::overlap;
use crate::engine::session::NotFixed;
use crate::engine::session::fix_diff::{ReplacedLines, replaced_lines, unified};
use crate::files::{Destination, open};
use crate::path::normalize;
use crate::text::FileId;

/// The byte order mark in UTF-8. Sources do not contain it.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Files that fixes may change.
#[derive(Debug)]
pub struct FixScope<'a> {
    /// The current folder, absolute. The names of sources are relative to it.
    pub working: &'a Path,
    /// The files and folders that the user named.
    pub named: &'a [PathBuf],
}

/// The fixes of a run that are applied together.
#[derive(Debug, Default)]
pub struct FixPlan {
    /// The changes of each file, by the name that reports show.
    files: BTreeMap<Arc<str>, FileFixes>,
    /// The fingerprints of findings whose fixes conflict with others. Another run can apply them.
    pub postponed: BTreeSet<String>,
    /// The files with fixes that are not changed, and why.
    pub refused: BTreeMap<Arc<str>, NotFixed>,
}

/// A file with its fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenFile {
    /// The name that reports show.
    pub name: Arc<str>,
    /// The new text.
    pub text: String,
    /// The lines that differ.
    pub lines: Vec<ReplacedLines>,
    /// Number of findings that are fixed.
    pub fixed: usize,
}

#[derive(Debug)]
struct FileFixes {
    file: FileId,
    /// Path that the file is written to. `None` if it is not written.
    destination: Option<Destination>,
    /// Edits by where they start. None overlaps another.
    edits: BTreeMap<u32, Edit>,
    fixed: usize,
}

impl FixPlan {
    /// Plans the fixes of the failed findings that `is_wanted` selects, in their order.
    pub fn new(run: &Run, scope: &FixScope<'_>, is_wanted: impl Fn(&Finding) -> bool) -> Self {
        Self::of(run, Some(scope), is_wanted)
    }

    /// Plans fixes like [`FixPlan::new`], of files that are not written.
    pub fn of_texts(run: &Run, is_wanted: impl Fn(&Finding) -> bool) -> Self {
        Self::of(run, None, is_wanted)
    }

    fn of(run: &Run, scope: Option<&FixScope<'_>>, is_wanted: impl Fn(&Finding) -> bool) -> Self {
        let mut plan = Self::default();
        let failed = run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
        for finding in failed.filter(|finding| is_wanted(finding)) {
            plan.take(run, scope, finding);
        }
        plan
    }

    fn take(&mut self, run: &Run, scope: Option<&FixScope<'_>>, finding: &Finding) {
        let Some(fix) = &finding.fix else { return };
        let Some(file) = fix.edits.first().map(|edit| edit.span.file) else { return };
        // A fix of two files could fail after the first was written.
        if fix.edits.iter().any(|edit| edit.span.file != file) {
            return;
        }
        let name = run.sources.get(file).name().clone();
        if self.refused.contains_key(&name) {
            return;
        }
        if !self.files.contains_key(&name) {
            match scope.map(|scope| scope.target(&name)).transpose() {
                Ok(destination) => {
                    let fixes = FileFixes { file, destination, edits: BTreeMap::new(), fixed: 0 };
                    self.files.insert(Arc::clone(&name), fixes);
                }
                Err(refused) => {
                    self.refused.insert(name, refused);
                    return;
                }
            }
        }
        let Some(fixes) = self.files.get_mut(&name) else { return };
        // A file that was read for several templates has several sources.
        let is_same_text = file == fixes.file || run.sources.get(file).text() == run.sources.get(fixes.file).text();
        let edits: Vec<Edit> = fix.edits.iter().map(|edit| fixes.own(edit)).collect();
        if is_same_text && edits.iter().all(|edit| fixes.has_room_for(edit)) {
            fixes.edits.extend(edits.into_iter().map(|edit| (edit.span.start, edit)));
            fixes.fixed += 1;
        } else {
            self.postponed.insert(finding.fingerprint.clone());
        }
    }

    /// Returns the changes as a unified diff.
    pub fn diff(&mut self, run: &Run) -> String {
        let mut all = String::new();
        for (name, fixes) in &self.files {
            let old = run.sources.get(fixes.file);
            let new = fixes.applied(old.text()).ok_or(NotFixed::Unprintable);
            match new.and_then(|new| unified(&old, &new, &fixes.ordered())) {
                Ok(diff) => all.push_str(&diff),
                Err(refused) => {
                    self.refused.insert(Arc::clone(name), refused);
                }
            }
        }
        all
    }

    /// Returns the new text of each file, and the lines that differ. Files whose lines have a secret are refused.
    pub fn rewritten_files(&mut self, run: &Run) -> Vec<RewrittenFile> {
        let mut files = Vec::new();
        for (name, fixes) in &self.files {
            let old = run.sources.get(fixes.file);
            let new = fixes.applied(old.text()).ok_or(NotFixed::Changed);
            let rewritten = new.and_then(|text| {
                let lines = replaced_lines(&old, &text, &fixes.ordered())?;
                Ok(RewrittenFile { name: Arc::clone(name), text, lines, fixed: fixes.fixed })
            });
            match rewritten {
                Ok(file) => files.push(file),
                Err(refused) => {
                    self.refused.insert(Arc::clone(name), refused);
                }
            }
        }
        files
    }

    /// Writes the files. Each is replaced completely or not at all. Returns the number of fixed findings and the names
    /// of the files.
    pub fn write(&mut self, run: &Run) -> (usize, Vec<Arc<str>>) {
        let (mut findings, mut files) = (0, Vec::new());
        for (name, fixes) in &self.files {
            match fixes.write(run.sources.get(fixes.file).text()) {
                Ok(()) => {
                    findings += fixes.fixed;
                    files.push(Arc::clone(name));
                }
                Err(refused) => {
                    self.refused.insert(Arc::clone(name), refused);
                }
            }
        }
        (findings, files)
    }
}

impl FileFixes {
    /// Returns the edit in the source that these fixes apply to.
    fn own(&self, edit: &Edit) -> Edit {
        let mut edit = edit.clone();
        edit.span.file = self.file;
        edit
    }

    /// Returns `true` if an edit overlaps none of the others, or equals one of them.
    fn has_room_for(&self, edit: &Edit) -> bool {
        // Only the next ones can overlap it: those here are in order, also by where they end.
        let before = self.edits.range(..edit.span.start).next_back();
        let mut near = before.into_iter().chain(self.edits.range(edit.span.start..).next()).map(|(_, other)| other);
        near.all(|other| other == edit || !overlap(other.span, edit.span))
    }

    fn ordered(&self) -> Vec<&Edit> {
        self.edits.values().collect()
    }

    fn applied(&self, text: &str) -> Option<String> {
        rewritten(text, 0, &self.ordered())
    }

    fn write(&self, text: &str) -> Result<(), NotFixed> {
        let mut bytes = Vec::new();
        let destination = self.destination.as_ref().ok_or(NotFixed::NotNamed)?;
        open(&destination.real()?)?.read_to_end(&mut bytes)?;
        let (mark, old) = bytes.strip_prefix(MARK).map_or((&[][..], &bytes[..]), |rest| (MARK, rest));
        let new = self.applied(text).filter(|_| old == text.as_bytes()).ok_or(NotFixed::Changed)?;
        Ok(destination.replace(&[mark, new.as_bytes()].concat())?)
    }
}

impl FixScope<'_> {
    /// Returns the path that the file with this name is written to, or the reason why it may not be changed.
    pub(in crate::engine) fn target(&self, name: &str) -> Result<Destination, NotFixed> {
        let destination = Destination::new(self.working, Path::new(name));
        let real = destination.real()?.canonicalize()?;
        let is_below = |path: &Path| path.canonicalize().is_ok_and(|folder| real.starts_with(folder));
        if !self.named.iter().any(|named| is_below(&normalize(self.working, named))) {
            return Err(NotFixed::NotNamed);
        }
        if fs::metadata(&real)?.permissions().readonly() {
            return Err(NotFixed::ReadOnly);
        }
        Ok(destination)
    }
}
