//! The two sides of a comparison: where their files are, and what they are called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::Environment;
use crate::cli::args::DiffArguments;
use crate::cli::exit::Error;
use crate::cli::settings::Workspace;
use crate::config;
use crate::diagnostic::Diagnostic;
use crate::engine::{self, Deployments, Inputs, Isolation, NewState, Notice, Relocated, Revisions, Snapshot};
use crate::files::{PathFilter, display_name, is_glob, normalize};
use crate::model::Limits;
use crate::text::Sources;

/// One side of a comparison.
#[derive(Debug)]
pub(super) struct Side {
    /// What the user calls it.
    pub(super) name: String,
    /// The ID of its commit, if it is one.
    pub(super) commit: Option<String>,
    /// The folder that paths are relative to when deployments are paired.
    pub(super) root: PathBuf,
    /// The file, if it is a single one.
    pub(super) file: Option<PathBuf>,
    pub(super) sources: Sources,
    working: PathBuf,
    paths: Vec<PathBuf>,
    /// The copy that its files are read from, and the root of the repository.
    copy: Option<(Snapshot, PathBuf)>,
}

/// Both sides, and what connects them.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) old: Side,
    pub(super) new: Side,
    /// The old path of renamed files by their new one, relative to the roots of the sides.
    pub(super) renamed: BTreeMap<PathBuf, PathBuf>,
    pub(super) notice: Option<Notice>,
}

impl Sides {
    /// Tells by the arguments what is compared, and copies what is only in git.
    pub(super) fn find(arguments: &DiffArguments, environment: &Environment) -> Result<Self, Error> {
        let working = &environment.working;
        let exists = |path: &PathBuf| normalize(working, path).exists();
        if let ([old, new], false) = (arguments.what.as_slice(), arguments.staged)
            && exists(old)
            && exists(new)
        {
            return Self::of_paths(old, new, working);
        }
        let (spec, paths) = match arguments.what.split_first() {
            Some((first, rest)) if !exists(first) && !is_glob(first) => (Some(first.to_string_lossy()), rest),
            _ => (None, arguments.what.as_slice()),
        };
        if arguments.staged && spec.as_ref().is_some_and(|spec| spec.contains("..")) {
            return Err(Error::Usage(
                "`--staged` compares with the next commit; expected only BASE before it".to_owned(),
            ));
        }
        let revisions = Revisions::find(working, spec.as_deref(), arguments.staged)?;
        Self::of_revisions(revisions, paths, working)
    }

    fn of_paths(old: &Path, new: &Path, working: &Path) -> Result<Self, Error> {
        let [old_side, new_side] = [old, new].map(|path| Side::of_path(path, working));
        if old_side.file.is_some() != new_side.file.is_some() {
            return Err(Error::Usage(format!(
                "`{}` and `{}` are a file and a folder; expected two files or two folders",
                old.display(),
                new.display()
            )));
        }
        Ok(Self { old: old_side, new: new_side, renamed: BTreeMap::new(), notice: None })
    }

    fn of_revisions(revisions: Revisions, paths: &[PathBuf], working: &Path) -> Result<Self, Error> {
        let Revisions { root, old_name, old, new, renamed, notice } = revisions;
        let copy = |commit: &str| Snapshot::of_commit(&root, commit, Limits::MAX_FILE_BYTES);
        let old_copy = copy(&old)?;
        let old = Side::of_copy(old_name, Some(old), old_copy, &root, working)?;
        let new = match new {
            NewState::Working => Side::of_working(&root, working),
            NewState::Index => {
                let name = "the index".to_owned();
                Side::of_copy(name, None, Snapshot::of_index(&root, Limits::MAX_FILE_BYTES)?, &root, working)?
            }
            NewState::Commit(name, commit) => {
                let new_copy = copy(&commit)?;
                Side::of_copy(name, Some(commit), new_copy, &root, working)?
            }
        };
        let inside = |path: PathBuf| path.strip_prefix(&root).map(Path::to_path_buf).unwrap_or(path);
        let renamed = renamed.into_iter().map(|(new, old)| (inside(new), inside(old))).collect();
        let mut sides = Self { old, new, renamed, notice };
        let default = [PathBuf::from(".")];
        for path in if paths.is_empty() { &default } else { paths } {
            let absolute = normalize(working, path);
            let Ok(inside) = absolute.strip_prefix(&root) else {
                return Err(Error::Usage(format!("`{}` is outside the repository", path.display())));
            };
            let is_known = [&mut sides.old, &mut sides.new].map(|side| side.take(inside)).contains(&true);
            if !is_known {
                return Err(Error::Usage(format!("`{}` is on neither side of the comparison", path.display())));
            }
        }
        Ok(sides)
    }
}

impl Side {
    fn new(name: String, root: PathBuf, working: &Path) -> Self {
        let working = working.to_owned();
        Self { name, commit: None, root, file: None, sources: Sources::new(), working, paths: Vec::new(), copy: None }
    }

    fn of_path(path: &Path, working: &Path) -> Self {
        let absolute = normalize(working, path);
        let file = (!absolute.is_dir()).then(|| absolute.clone());
        let root = match &file {
            Some(file) => file.parent().unwrap_or(file).to_owned(),
            None => absolute.clone(),
        };
        Self { file, paths: vec![absolute], ..Self::new(path.to_string_lossy().into_owned(), root, working) }
    }

    fn of_working(root: &Path, working: &Path) -> Self {
        Self::new("the working tree".to_owned(), root.to_owned(), working)
    }

    fn of_copy(
        name: String,
        commit: Option<String>,
        copy: Snapshot,
        original: &Path,
        working: &Path,
    ) -> Result<Self, Error> {
        let working = copy.folder(working)?;
        let root = copy.root().to_owned();
        Ok(Self { commit, copy: Some((copy, original.to_owned())), ..Self::new(name, root, &working) })
    }

    /// Adds a path, relative to the root, if the side has it.
    fn take(&mut self, inside: &Path) -> bool {
        let path = self.root.join(inside);
        let is_there = path.exists() || is_glob(inside);
        if is_there {
            self.paths.push(path);
        }
        is_there
    }

    /// Expands the deployments of this side.
    pub(super) fn expand(
        &mut self,
        arguments: &DiffArguments,
        workspace: &Workspace<'_>,
    ) -> Result<Deployments, Error> {
        let filter = self.filter(arguments, workspace);
        let inputs = Inputs {
            working: &self.working,
            paths: &self.paths,
            stdin: None,
            parameters: &[],
            overrides: &[],
            assumptions: &workspace.assumptions(),
            as_written: false,
            filter: &filter,
            bicep: &workspace.bicep(&arguments.bicep),
            narrowing: None,
            shard: None,
            isolation: Isolation::ALONE,
            limits: &workspace.limits,
        };
        let deployments = engine::expand_all(&inputs, &self.sources, arguments.threads)?;
        if let Some((copy, original)) = &self.copy {
            // Files outside of the current folder have absolute names.
            let own = |name: &str| {
                let inside = Path::new(name).strip_prefix(copy.root()).ok()?;
                Some(original.join(inside).to_string_lossy().into_owned().into())
            };
            self.sources.rename(own);
        }
        Ok(deployments)
    }

    /// The filter of the settings, at the place of this side.
    fn filter(&self, arguments: &DiffArguments, workspace: &Workspace<'_>) -> PathFilter {
        let Some((copy, original)) = &self.copy else { return workspace.settings.files.clone() };
        let relocated = Relocated { copy: copy.root().to_owned(), original: original.clone() };
        let config = arguments.config.as_deref().map(|path| {
            let path = normalize(&workspace.environment.working, path);
            path.strip_prefix(original).map_or_else(|_| path.clone(), |inside| copy.root().join(inside))
        });
        let origin = config::Origin {
            working: &self.working,
            file: config.as_deref(),
            tree: &relocated,
            environment: &workspace.environment.variables,
            limits: &workspace.limits,
        };
        // The workspace has told their problems.
        let (settings, _) = config::load(&origin, &Sources::new());
        // All that git has is tracked.
        PathFilter { takes_ignored: true, ..settings.files }
    }

    /// The name of a file for people.
    pub(super) fn shown(&self, path: &Path) -> String {
        match &self.copy {
            Some((copy, _)) => copy.with_original_names(&display_name(&self.working, path)),
            None => display_name(&self.working, path),
        }
    }

    /// What is wrong with this side. The names of its files begin with its name, unless they are on the disk.
    pub(super) fn problems(&mut self, mut problems: Vec<Diagnostic>) -> (Sources, Vec<Diagnostic>) {
        let mut sources = std::mem::take(&mut self.sources);
        if let Some((copy, _)) = &self.copy {
            sources.rename(|name| Some(format!("{}:{name}", self.name).into()));
            for problem in &mut problems {
                problem.message = copy.with_original_names(&problem.message);
            }
        }
        (sources, problems)
    }
}
