//! Finds new findings: those that a run on the base of the change does not report.
//!
//! A finding is the same if its fingerprint is, and if it holds for no other resource and no other deployment than at
//! the base; the files may have other names now.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{Analysed, DeploymentKey, Finding, Holds, Level, Outcome, Run};
use crate::engine::session::deployed::DeployedResources;
use crate::engine::stable_paths::StablePaths;
use crate::files::Disk;

/// Findings that the base of a change already has.
#[derive(Debug, Default)]
pub(super) struct BaseFindings {
    findings: Vec<KnownFinding>,
    /// Positions by each fingerprint.
    by_fingerprint: HashMap<String, Vec<usize>>,
    /// Positions by the present path of a template that was renamed, and the fingerprint without it.
    by_resource: HashMap<(String, String), Vec<usize>>,
    /// Resources of the base. Empty unless the run keeps trees.
    pub(super) deployed: DeployedResources,
    /// Notice about the comparison.
    notice: Option<String>,
}

#[derive(Debug)]
struct KnownFinding {
    outcome: Outcome,
    value: u64,
    holds: HashMap<DeploymentKey, Holds>,
}

/// Criterion by which two findings are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    /// Same rule and place, and the same deployments and resources.
    Place,
    /// Same value, too.
    Value,
}

impl BaseFindings {
    /// Returns no findings for a base that cannot be checked, with the reason.
    pub(super) fn nothing(notice: String) -> Self {
        Self { notice: Some(notice), ..Self::default() }
    }

    /// Indexes the findings of a run on the base. `renamed` has the old paths of files by their new ones.
    pub(super) fn from_run(run: &Run, working: &Path, renamed: &BTreeMap<PathBuf, PathBuf>) -> Self {
        let text = |path: &PathBuf| path.to_string_lossy().replace('\\', "/");
        let renamed: HashMap<String, String> = renamed.iter().map(|(new, old)| (text(old), text(new))).collect();
        let paths = StablePaths::new(working, &Disk);
        let names = Names::with_template_names(run, |name| {
            let old = paths.stable_path(name);
            renamed.get(&old).cloned().unwrap_or(old)
        });
        let mut known = Self::default();
        let reported = |finding: &&Finding| matches!(finding.outcome, Outcome::Failed | Outcome::Unknown);
        for (at, finding) in run.findings.iter().filter(reported).enumerate() {
            for name in std::iter::once(&finding.fingerprint).chain(&*finding.aliases) {
                known.by_fingerprint.entry(name.clone()).or_default().push(at);
            }
            if let Some(new) = renamed.get(&paths.stable_path(&finding.template)) {
                let place = (new.clone(), finding.resource_fingerprint.clone());
                known.by_resource.entry(place).or_default().push(at);
            }
            let holds = finding.holds.iter().map(|held| (names.deployment(held), *held)).collect();
            known.findings.push(KnownFinding { outcome: finding.outcome, value: value(finding), holds });
        }
        known.deployed = DeployedResources::of_run(run, |name| {
            let old = paths.stable_path(name);
            renamed.get(&old).cloned().unwrap_or(old)
        });
        let broken = run.diagnostics.iter().filter(|problem| problem.level == Level::Error).count();
        known.notice = (broken > 0).then(|| {
            format!(
                "not everything could be checked at the base ({broken} errors), so some findings may count as new that are not"
            )
        });
        known
    }

    /// Sets the notice about the comparison, unless there is one already.
    pub(super) fn or_notice(self, notice: Option<String>) -> Self {
        Self { notice: self.notice.or(notice), ..self }
    }

    /// Drops the findings that the base has, and returns how many of them failed.
    pub(super) fn hide(&self, run: &mut Run, working: &Path) -> usize {
        let now = Names::from_run(run, working);
        let Run { findings, summary, .. } = run;
        let mut failed = 0;
        findings.retain(|finding| {
            let stays = !self.has(finding, &now, Likeness::Place);
            if !stays {
                summary.forget(finding.outcome, finding.places());
                failed += if finding.outcome == Outcome::Failed { finding.places() } else { 0 };
            }
            stays
        });
        self.tell(run);
        run.has_only_new = true;
        failed
    }

    /// Marks the findings for which `is_open` is true as in the change if the base lacks them, or has them with another
    /// value.
    pub(super) fn mark(&self, run: &mut Run, working: &Path, is_open: impl Fn(&Finding) -> bool) {
        let now = Names::from_run(run, working);
        for finding in run.findings.iter_mut().filter(|finding| is_open(finding)) {
            finding.in_change = Some(!self.has(finding, &now, Likeness::Value));
        }
        self.tell(run);
    }

    fn tell(&self, run: &mut Run) {
        if let Some(notice) = self.notice.as_ref().filter(|notice| !run.notices.contains(notice)) {
            run.notices.push(notice.clone());
        }
    }

    /// Returns `true` if the base has a finding, in each deployment and for each resource that it holds for.
    fn has(&self, finding: &Finding, now: &Names, likeness: Likeness) -> bool {
        let names = std::iter::once(&finding.fingerprint).chain(&*finding.aliases);
        let of_names = names.filter_map(|name| self.by_fingerprint.get(name));
        let place = (now.template(&finding.template), finding.resource_fingerprint.clone());
        let positions = of_names.chain(self.by_resource.get(&place)).flatten();
        let own = value(finding);
        let is_same = |known: &&KnownFinding| {
            let is_alike = match finding.outcome {
                Outcome::Failed => known.outcome == Outcome::Failed,
                Outcome::Unknown => true,
                Outcome::Suppressed | Outcome::Passed => false,
            };
            is_alike && (likeness == Likeness::Place || known.value == own)
        };
        let same: Vec<&KnownFinding> = positions.filter_map(|at| self.findings.get(*at)).filter(is_same).collect();
        let held = |own: &Holds| {
            let key = now.deployment(own);
            same.iter().any(|known| known.holds.get(&key).is_some_and(|known| known.covers(own)))
        };
        !same.is_empty() && finding.holds.iter().all(held)
    }
}

/// Returns a digest of the value that a finding reports.
fn value(finding: &Finding) -> u64 {
    let mut hasher = DefaultHasher::new();
    let actual = finding.actual.as_ref().map(ToString::to_string);
    // What comes before the place of the finding changes with the order of resources.
    let paths = finding.failed_paths().iter().map(|path| path.strip_prefix(&finding.path));
    (finding.outcome, &finding.message, actual, paths.collect::<Vec<_>>(), finding.failed_paths.more())
        .hash(&mut hasher);
    hasher.finish()
}

/// Returns the deployments of a template: the key of each in a run, and the name of its parameters.
pub(super) fn deployments(analysed: &Analysed) -> impl Iterator<Item = (DeploymentKey, Option<&Arc<str>>)> {
    let without = analysed.has_defaults.then_some(None);
    let names = without.into_iter().chain(analysed.parameters.iter().map(|of| Some(&of.name)));
    names.map(|name| (DeploymentKey::new(&analysed.template, name.map(|name| &**name), ""), name))
}

/// Present names of the files of a run in the repository.
struct Names {
    templates: HashMap<Arc<str>, String>,
    deployments: HashMap<DeploymentKey, DeploymentKey>,
}

impl Names {
    fn from_run(run: &Run, working: &Path) -> Self {
        let paths = StablePaths::new(working, &Disk);
        Self::with_template_names(run, |name| paths.stable_path(name))
    }

    fn with_template_names(run: &Run, present: impl Fn(&str) -> String) -> Self {
        let mut names = Self { templates: HashMap::default(), deployments: HashMap::default() };
        for name in run.findings.iter().map(|finding| &finding.template) {
            if !names.templates.contains_key(name) {
                names.templates.insert(Arc::clone(name), present(name));
            }
        }
        for analysed in &run.analysed {
            let template = present(&analysed.template);
            for (key, file) in deployments(analysed) {
                let file = file.map(|name| present(name));
                names.deployments.insert(key, DeploymentKey::new(&template, file.as_deref(), ""));
            }
        }
        names
    }

    fn template(&self, name: &Arc<str>) -> String {
        self.templates.get(name).cloned().unwrap_or_default()
    }

    fn deployment(&self, of: &Holds) -> DeploymentKey {
        self.deployments.get(&of.deployment).copied().unwrap_or(of.deployment)
    }
}
