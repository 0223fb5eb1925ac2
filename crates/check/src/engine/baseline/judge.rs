//! Applies a baseline to a run: suppresses accepted findings, reports stale entries, and computes a new baseline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{
    Analysed, Code, Diagnostic, Finding, MAX_STALE_LABELS, Outcome, Run, Severity, StaleEntry, Suppressed,
    SuppressionKind, stale_entries,
};
use crate::engine::baseline::{Baseline, BaselineEntry, Renewal};
use crate::engine::merge::sort_diagnostics;
use crate::engine::stable_paths::StablePaths;
use crate::files::{Bounds, Fence, Folders, Host};
use crate::path::normalize;

impl Baseline {
    /// Suppresses the findings that the baseline accepts, and returns their number.
    pub fn accept(&self, run: &mut Run) -> usize {
        let known: HashMap<&str, &BaselineEntry> =
            self.entries.iter().map(|entry| (entry.fingerprint.as_str(), entry)).collect();
        let mut accepted = 0;
        for finding in run.findings.iter_mut().filter(|finding| finding.outcome == Outcome::Failed) {
            let entry = names_of(finding).find_map(|name| known.get(name).copied());
            if let Some(BaselineEntry { note: reason, span: place, .. }) = entry.cloned() {
                run.summary.forget(finding.outcome, finding.places());
                finding.suppress(Suppressed { kind: SuppressionKind::Baseline, reason, place });
                run.summary.count(finding.outcome, finding.places());
                accepted += finding.places();
            }
        }
        accepted
    }

    /// Returns the entries that no finding matches, if the run checked everything that could match them.
    pub fn stale(&self, run: &Run, working: &Path, host: &dyn Host) -> Vec<StaleEntry> {
        let judge = Judge::new(run, working, host);
        let stale = self.entries.iter().filter(|entry| judge.is_stale(entry));
        let entry = |BaselineEntry { rule, template, span, .. }: &BaselineEntry| {
            let is_checked = judge.templates.contains_key(template);
            Some(StaleEntry { rule: rule.clone(), template: template.clone(), is_checked, place: (*span)? })
        };
        stale.filter_map(entry).collect()
    }

    /// Returns the baseline that accepts the findings of a run whose severity is `least` or higher. Notes are kept, and
    /// so are the entries for templates and rules that the run did not check.
    pub fn renewed(&self, run: &Run, (working, host): (&Path, &dyn Host), least: Severity) -> (Self, Renewal) {
        let judge = Judge::new(run, working, host);
        let mut by_name: HashMap<&str, usize> = HashMap::default();
        by_name.extend(self.entries.iter().enumerate().map(|(at, entry)| (entry.fingerprint.as_str(), at)));
        let mut replaced: BTreeSet<usize> = BTreeSet::new();
        let mut renewed = Self::default();
        let mut added = 0;
        for finding in run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed) {
            let matching: Vec<usize> = names_of(finding).filter_map(|name| by_name.get(name).copied()).collect();
            if matching.is_empty() && finding.rule.severity <= least {
                renewed.entries.push(BaselineEntry::from_finding(finding.into(), None, &judge.paths));
                added += 1;
            } else if !matching.is_empty() && matching.iter().all(|&at| judge.sees(&self.entries[at])) {
                let note = matching.iter().find_map(|&at| self.entries[at].note.clone());
                renewed.entries.push(BaselineEntry::from_finding(finding.into(), note, &judge.paths));
                replaced.extend(matching);
            }
        }
        let others = self.entries.iter().enumerate().filter(|(at, _)| !replaced.contains(at)).map(|(_, entry)| entry);
        let (stale, kept): (Vec<&BaselineEntry>, Vec<&BaselineEntry>) = others.partition(|other| judge.is_stale(other));
        renewed.entries.extend(kept.into_iter().cloned());
        renewed.sort();
        let renewal = Renewal { total: renewed.entries.len(), added, removed: stale.len() };
        (renewed, renewal)
    }
}

/// Reports stale entries. `name` is the name of the baseline file.
pub(crate) fn report_stale(run: &mut Run, stale: &[StaleEntry], name: &str) {
    let [first, more @ ..] = stale else { return };
    let (message, help) = stale_entries(&first.rule, &first.template, stale.len(), name);
    let problem = Diagnostic::new(Code::BaselineStale, first.place, message).with_help(help);
    let more = more.iter().take(MAX_STALE_LABELS);
    let problem = more.fold(problem, |problem, entry| problem.with_label(entry.place, "and this"));
    run.diagnostics.push(problem);
    sort_diagnostics(&mut run.diagnostics, &run.sources);
}

/// Returns the fingerprint of a finding, and those that it has in a run with only some of its parameter files.
fn names_of(finding: &Finding) -> impl Iterator<Item = &str> {
    std::iter::once(&finding.fingerprint).chain(&finding.aliases).map(String::as_str)
}

/// Scope and findings of a run, to decide which entries are stale.
struct Judge<'a> {
    /// The files of the repository: a baseline names others only by mistake.
    fence: Fence<'a>,
    paths: StablePaths<'a>,
    /// The folder that the template paths of entries are relative to.
    root: PathBuf,
    /// The fingerprints of the findings that failed, were suppressed, or could not be decided.
    found: HashSet<&'a str>,
    /// The rules that ran.
    rules: HashSet<&'a str>,
    /// The checked templates with the paths of their parameter files, by the path that baselines use.
    templates: HashMap<String, (&'a Analysed, BTreeSet<String>)>,
}

impl<'a> Judge<'a> {
    fn new(run: &'a Run, working: &'a Path, host: &'a dyn Host) -> Self {
        let there = run.findings.iter().filter(|finding| finding.outcome != Outcome::Passed);
        let paths = StablePaths::new(working, host);
        let folders = Arc::new(Folders::new(Fence::of_user(host)));
        let parameters =
            |analysed: &Analysed| analysed.parameters.iter().map(|of| paths.stable_path(&of.name)).collect();
        let template =
            |analysed: &'a Analysed| (paths.stable_path(&analysed.template), (analysed, parameters(analysed)));
        Self {
            fence: Bounds::around(working, [], &folders).fence(),
            root: folders.repository_of(working).unwrap_or_else(|| working.to_path_buf()),
            found: there.flat_map(names_of).collect(),
            rules: run.rules.iter().map(|rule| rule.id.as_str()).collect(),
            templates: run.analysed.iter().map(template).collect(),
            paths,
        }
    }

    /// Returns `true` if no finding matches an entry, although the run would have found it if it were still there.
    fn is_stale(&self, entry: &BaselineEntry) -> bool {
        let is_gone = || {
            let is_there = self.templates.contains_key(&entry.template) || self.has(&entry.template);
            // The path of a template in a submodule is relative to the root of the submodule.
            !is_there && !self.has(".gitmodules")
        };
        !self.found.contains(entry.fingerprint.as_str()) && (self.sees(entry) || is_gone())
    }

    fn has(&self, name: &str) -> bool {
        self.fence.exists(&normalize(&self.root, Path::new(name)))
    }

    /// Returns `true` if the run checked the template of an entry with the same rule and parameter files.
    fn sees(&self, entry: &BaselineEntry) -> bool {
        let Some((analysed, files)) = self.templates.get(&entry.template) else { return false };
        let was_seen = |name: &String| files.contains(name) || !self.has(name);
        let is_same_question = match entry.parameters.as_slice() {
            [] => analysed.is_usual,
            parameters => parameters.iter().all(was_seen),
        };
        analysed.is_whole && is_same_question && self.rules.contains(entry.rule.as_str())
    }
}
