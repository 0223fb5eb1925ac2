//! Findings that the base of a change does not have: the same check of the base, and what it found.
//!
//! The base is read from the objects of git into a copy, and checked with the same rules and the same values. A finding is
//! the same if its fingerprint is; the template may have another path now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use foldhash::HashSet;

use crate::config;
use crate::diagnostic::{Finding, Level, Outcome, Run};
use crate::engine::changes::{Changes, Event, Notice, Relocated, Revisions, Snapshot};
use crate::engine::check::{Checker, check};
use crate::engine::session::change::ChangeScope;
use crate::engine::session::{CheckOptions, Error, NewOnly, Rules, Session, filter_of};
use crate::engine::stable_paths::StablePaths;
use crate::engine::{Inputs, Isolation, Observer};
use crate::files::{Disk, PathFilter, Tree, is_glob, normalize};
use crate::model::Limits;
use crate::text::Sources;

/// A state of the repository that findings are compared with.
struct Base {
    /// The root of the repository, and that of its files, which may be a copy.
    repository: PathBuf,
    root: PathBuf,
    commit: String,
    /// The old path of renamed files by their new one, relative to the root.
    renamed: BTreeMap<PathBuf, PathBuf>,
    /// What is to be said of how it was determined, unless the change says it.
    notice: Option<Notice>,
}

/// What a base already has.
#[derive(Debug, Default)]
pub(super) struct Known {
    failed: HashSet<String>,
    undecided: HashSet<String>,
    /// By the path of the template at the base and the fingerprint without it.
    failed_elsewhere: HashSet<(String, String)>,
    renamed: BTreeMap<String, String>,
    /// What is to be said of the comparison.
    notice: Option<String>,
}

/// A run of which nobody is told.
struct Silent;

impl Observer for Silent {}

impl Session<'_> {
    /// What the base has already, if only other findings are to be reported.
    pub(super) fn known_at_base(&self, run: &Run, rules: &Rules) -> Result<Option<Known>, Error> {
        let Some(wanted) = &self.options.new_only else { return Ok(None) };
        let Some(base) = base(wanted, self.options, &self.change)? else {
            let notice = "no base is known, so every finding counts as new".to_owned();
            return Ok(Some(Known { notice: Some(notice), ..Known::default() }));
        };
        let copy = Snapshot::of_commit(&base.repository, &base.commit, Limits::MAX_FILE_BYTES)?;
        let working = copy.folder(&self.options.working)?;
        let paths = self.paths_at(&base, run, copy.root());
        if paths.is_empty() {
            return Ok(Some(Known::default()));
        }
        let at_base = |path: &PathBuf| {
            let path = normalize(&self.options.working, path);
            let place = path.strip_prefix(&base.repository).map(|inside| copy.root().join(inside));
            place.ok().filter(|place| place.exists()).unwrap_or(path)
        };
        let parameters: Vec<PathBuf> = self.options.parameters.iter().map(at_base).collect();
        let filter = self.filter_at(&base, &copy, &working)?;
        let inputs = Inputs {
            working: &working,
            paths: &paths,
            stdin: None,
            parameters: &parameters,
            filter: &filter,
            narrowing: None,
            shard: None,
            isolation: Isolation::ALONE,
            ..self.inputs()
        };
        let checker = Checker {
            rules: &rules.set,
            checks: &rules.checks,
            infos: rules.infos.clone(),
            keep_passed: false,
            keep_trees: false,
            threads: &self.threads,
            suppressing: &self.suppressing(rules),
            observer: &Silent,
        };
        let found = check(&inputs, &checker, Sources::new())?;
        let known = Known::of(&found, &working, base.renamed);
        let notice = known.notice.or_else(|| base.notice.map(|notice| notice.to_string()));
        Ok(Some(Known { notice, ..known }))
    }

    /// The paths to check at the base. If only a part is checked, these are the templates of the part.
    fn paths_at(&self, base: &Base, run: &Run, copy: &Path) -> Vec<PathBuf> {
        let is_part = self.change.narrows() || self.options.dependents || self.options.shard.is_some();
        let working = self.change.working();
        let named: Vec<PathBuf> = if is_part {
            run.analysed.iter().map(|analysed| normalize(working, Path::new(&*analysed.template))).collect()
        } else {
            self.paths.iter().map(|path| normalize(working, path)).collect()
        };
        let inside = named.iter().filter_map(|path| path.strip_prefix(&base.root).ok());
        let at_base = inside.map(|path| copy.join(base.renamed.get(path).map_or(path, PathBuf::as_path)));
        at_base.filter(|path| path.exists() || is_glob(path)).collect()
    }

    /// The filter of the settings that count, at the place of the copy.
    fn filter_at(&self, base: &Base, copy: &Snapshot, working: &Path) -> Result<PathFilter, Error> {
        let relocated = Relocated { tree: &Disk, copy: copy.root().to_owned(), original: base.repository.clone() };
        let tree: &dyn Tree = if self.policy.is_of_base() { &Disk } else { &relocated };
        let config = self.options.config.as_deref().map(|path| {
            let path = normalize(&self.options.working, path);
            path.strip_prefix(&base.repository).map_or_else(|_| path.clone(), |inside| copy.root().join(inside))
        });
        let origin = config::Origin {
            working,
            file: config.as_deref().filter(|path| tree.entry(path).is_some()),
            tree,
            environment: &self.options.variables,
            limits: &self.settings.limits,
        };
        // The session has told the problems of its settings.
        let (settings, _) = config::load(&origin, &Sources::new());
        filter_of(self.options, settings.files, working, true)
    }
}

/// The state to compare with. `None` if the change has no base that is known.
fn base(wanted: &NewOnly, options: &CheckOptions, change: &ChangeScope) -> Result<Option<Base>, Error> {
    if let (NewOnly::OfChange, Some(changes)) = (wanted, change.changes()) {
        let Some(commit) = changes.base.clone() else { return Ok(None) };
        let (repository, root) = (changes.repository.clone(), changes.root.clone());
        return Ok(Some(Base { renamed: renamed(changes), repository, root, commit, notice: None }));
    }
    let name = match wanted {
        NewOnly::Since(name) => Some(name.as_str()),
        NewOnly::OfChange => None,
    };
    let revisions = Revisions::find(&options.working, name, change.is_staged())?;
    let renamed = revisions.renamed();
    let Revisions { root, old, notice, .. } = revisions;
    let own = change.changes().map_or_else(|| root.clone(), |changes| changes.root.clone());
    Ok(Some(Base { repository: root, root: own, commit: old, renamed, notice }))
}

fn renamed(changes: &Changes) -> BTreeMap<PathBuf, PathBuf> {
    let inside = |path: &Path| path.strip_prefix(&changes.root).map(Path::to_path_buf).ok();
    let events = changes.files.iter().flatten();
    let pairs = events.filter_map(|(new, event)| match event {
        Event::RenamedFrom(old) => Some((inside(new)?, inside(old)?)),
        _ => None,
    });
    pairs.collect()
}

impl Known {
    fn of(run: &Run, working: &Path, renamed: BTreeMap<PathBuf, PathBuf>) -> Self {
        let text = |path: PathBuf| path.to_string_lossy().replace('\\', "/");
        let mut known =
            Self { renamed: renamed.into_iter().map(|(new, old)| (text(new), text(old))).collect(), ..Self::default() };
        let paths = StablePaths::new(working);
        for finding in &run.findings {
            let of = match finding.outcome {
                Outcome::Failed => &mut known.failed,
                Outcome::Unknown => &mut known.undecided,
                Outcome::Suppressed | Outcome::Passed => continue,
            };
            of.extend(std::iter::once(&finding.fingerprint).chain(&finding.aliases).cloned());
            if finding.outcome == Outcome::Failed {
                let template = paths.of(&finding.template);
                known.failed_elsewhere.insert((template, finding.resource_fingerprint.clone()));
            }
        }
        let broken = run.diagnostics.iter().filter(|problem| problem.level == Level::Error).count();
        if broken > 0 {
            known.notice = Some(format!(
                "not everything could be checked at the base ({broken} errors), so some findings may count as new that are not"
            ));
        }
        known
    }

    /// Drops the findings that the base has, and returns how many of them failed.
    pub(super) fn hide(&self, run: &mut Run, working: &Path) -> usize {
        let Run { findings, summary, .. } = run;
        let paths = StablePaths::new(working);
        let mut failed = 0;
        findings.retain(|finding| {
            let stays = !self.has(finding, &paths);
            if !stays {
                summary.forget(finding.outcome);
                failed += usize::from(finding.outcome == Outcome::Failed);
            }
            stays
        });
        run.notices.extend(self.notice.clone());
        run.has_only_new = true;
        failed
    }

    fn has(&self, finding: &Finding, paths: &StablePaths<'_>) -> bool {
        let mut names = std::iter::once(&finding.fingerprint).chain(&finding.aliases);
        match finding.outcome {
            Outcome::Failed => {
                names.any(|name| self.failed.contains(name)) || {
                    let template = paths.of(&finding.template);
                    let old = self.renamed.get(&template);
                    old.is_some_and(|old| {
                        self.failed_elsewhere.contains(&(old.clone(), finding.resource_fingerprint.clone()))
                    })
                }
            }
            Outcome::Unknown => names.any(|name| self.failed.contains(name) || self.undecided.contains(name)),
            Outcome::Suppressed | Outcome::Passed => false,
        }
    }
}
