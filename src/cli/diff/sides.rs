//! The two sides of a comparison: where their files are, and what they are called.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bicep;
use crate::cli::Environment;
use crate::cli::args::DiffArguments;
use crate::cli::diff::pairs::{self, Comparison};
use crate::cli::exit::Error;
use crate::cli::settings::Workspace;
use crate::config;
use crate::diagnostic::Diagnostic;
use crate::engine::{
    self, Cause, Deployments, Event, Inputs, Narrowing, NewState, Notice, OneSide, Policy, Relocated, Revisions,
    Snapshot, Threads,
};
use crate::files::{Disk, PathFilter, Programs, display_name, is_glob};
use crate::model::{Assumptions, Limits};
use crate::path::normalize;
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
    /// What happened to each file, relative to the roots of the sides. `None` if only the files themselves tell.
    files: Option<BTreeMap<PathBuf, Event>>,
    pub(super) notice: Option<Notice>,
}

/// What the arguments ask to compare.
#[derive(Debug)]
pub(super) enum Asked<'a> {
    /// Two files, or two folders.
    Paths(&'a Path, &'a Path),
    /// States of a repository, BASE or BASE..HEAD, as far as these paths are concerned.
    Revisions { spec: Option<Cow<'a, str>>, paths: &'a [PathBuf] },
}

impl<'a> Asked<'a> {
    /// Two paths that exist are compared with each other; otherwise a first argument that is not a path names states.
    pub(super) fn of(arguments: &'a DiffArguments, working: &Path) -> Self {
        let exists = |path: &PathBuf| normalize(working, path).exists();
        match arguments.what.as_slice() {
            [old, new] if !arguments.staged && exists(old) && exists(new) => Self::Paths(old, new),
            [first, rest @ ..] if !exists(first) && !is_glob(first) => {
                Self::Revisions { spec: Some(first.to_string_lossy()), paths: rest }
            }
            all => Self::Revisions { spec: None, paths: all },
        }
    }

    /// The name of the old state, if the user gave it one.
    pub(super) fn base(&self) -> Option<&str> {
        let Self::Revisions { spec, .. } = self else { return None };
        let spec = spec.as_deref()?;
        Some(spec.split_once("..").map_or(spec, |(base, _)| base)).filter(|base| !base.is_empty())
    }
}

/// What the settings and the arguments say about one side.
struct Given<'a> {
    assumptions: Assumptions,
    filter: PathFilter,
    bicep: bicep::Options,
    limits: &'a Limits,
}

impl Sides {
    /// Compares the deployments of both sides that the change can touch, or all of them if that is not known or not wanted.
    pub(super) fn compare(
        &self,
        arguments: &DiffArguments,
        workspace: &Workspace<'_>,
        policy: &Policy,
    ) -> Result<Comparison, Error> {
        let old = self.old.given(arguments, workspace, policy)?;
        let mut new = self.new.given(arguments, workspace, policy)?;
        // The old side has those of its own.
        let settings = policy.bicep_settings()?.into_iter();
        new.bicep.settings = settings.map(|(path, text)| (self.new.place(&path), text)).collect();
        let threads = arguments.threads;
        let affected = match self.files.as_ref().filter(|_| !arguments.all) {
            Some(files) => {
                let (old_inputs, new_inputs) = (self.old.inputs(&old), self.new.inputs(&new));
                let old = OneSide { inputs: &old_inputs, root: &self.old.root };
                engine::affected(old, OneSide { inputs: &new_inputs, root: &self.new.root }, files, threads)?
            }
            None => None,
        };
        let narrowing = |paths| Narrowing { cause: Cause::Selected(paths), basis: Vec::new() };
        let old_narrowing = affected.as_ref().map(|affected| narrowing(&affected.old));
        let new_narrowing = affected.as_ref().map(|affected| narrowing(&affected.new));
        let old = Inputs { narrowing: old_narrowing.as_ref(), ..self.old.inputs(&old) };
        let new = Inputs { narrowing: new_narrowing.as_ref(), ..self.new.inputs(&new) };
        let untouched = affected.as_ref().map_or(0, |affected| affected.untouched);
        Threads::start(threads)?.install(|| {
            let old = Deployments::open(&old, &self.old.sources)?;
            let new = Deployments::open(&new, &self.new.sources)?;
            Ok(Comparison { untouched, ..pairs::compare(self, old, new) })
        })
    }

    /// Copies what is only in git.
    pub(super) fn find(asked: &Asked<'_>, arguments: &DiffArguments, environment: &Environment) -> Result<Self, Error> {
        let working = &environment.working;
        match asked {
            Asked::Paths(old, new) => Self::of_paths(old, new, working),
            Asked::Revisions { spec, .. }
                if arguments.staged && spec.as_ref().is_some_and(|spec| spec.contains("..")) =>
            {
                Err(Error::Usage("`--staged` compares with the next commit; expected only BASE before it".to_owned()))
            }
            Asked::Revisions { spec, paths } => {
                let revisions =
                    Revisions::find(working, spec.as_deref(), arguments.staged, Programs::of_command_line())?;
                Self::of_revisions(revisions, paths, working)
            }
        }
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
        Ok(Self { old: old_side, new: new_side, renamed: BTreeMap::new(), files: None, notice: None })
    }

    fn of_revisions(revisions: Revisions, paths: &[PathBuf], working: &Path) -> Result<Self, Error> {
        let renamed = revisions.renamed();
        let Revisions { root, old_name, old, new, files, notice } = revisions;
        let copy =
            |commit: &str| Snapshot::of_commit(&root, commit, Limits::MAX_FILE_BYTES, Programs::of_command_line());
        let old_copy = copy(&old)?;
        let old = Side::of_copy(old_name, Some(old), old_copy, &root, working)?;
        let new = match new {
            NewState::Working => Side::of_working(&root, working),
            NewState::Index => {
                let name = "the index".to_owned();
                Side::of_copy(
                    name,
                    None,
                    Snapshot::of_index(&root, Limits::MAX_FILE_BYTES, Programs::of_command_line())?,
                    &root,
                    working,
                )?
            }
            NewState::Commit(name, commit) => {
                let new_copy = copy(&commit)?;
                Side::of_copy(name, Some(commit), new_copy, &root, working)?
            }
        };
        let inside = |path: PathBuf| path.strip_prefix(&root).map(Path::to_path_buf).unwrap_or(path);
        let event = |event| match event {
            Event::RenamedFrom(path) => Event::RenamedFrom(inside(path)),
            Event::RenamedTo(path) => Event::RenamedTo(inside(path)),
            other => other,
        };
        let files = files.into_iter().map(|(path, what)| (inside(path), event(what))).collect();
        let mut sides = Self { old, new, renamed, files: Some(files), notice };
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

    /// What is known of this side in a comparison.
    fn given<'a>(
        &self,
        arguments: &DiffArguments,
        workspace: &'a Workspace<'_>,
        policy: &Policy,
    ) -> Result<Given<'a>, Error> {
        Ok(Given {
            assumptions: workspace.assumptions(),
            filter: self.filter(arguments, workspace, policy),
            bicep: workspace.bicep(&arguments.bicep)?,
            limits: &workspace.limits,
        })
    }

    fn inputs<'a>(&'a self, given: &'a Given<'_>) -> Inputs<'a> {
        Inputs {
            filter: &given.filter,
            ..Inputs::plain(&Disk, &self.working, &self.paths, &given.assumptions, &given.bicep, given.limits)
        }
    }

    /// The name of a source for people. Files outside of the current folder have absolute names.
    pub(super) fn source_name(&self, name: &str) -> String {
        let original = self.copy.as_ref().and_then(|(copy, original)| {
            let inside = Path::new(name).strip_prefix(copy.root()).ok()?;
            Some(original.join(inside).to_string_lossy().into_owned())
        });
        original.unwrap_or_else(|| name.to_owned())
    }

    /// The filter of the settings, at the place of this side.
    fn filter(&self, arguments: &DiffArguments, workspace: &Workspace<'_>, policy: &Policy) -> PathFilter {
        let Some((copy, original)) = &self.copy else { return workspace.settings.files.clone() };
        let relocated = Relocated { tree: policy.tree(), copy: copy.root().to_owned(), original: original.clone() };
        let working = &workspace.environment.working;
        let config = arguments.config.as_deref();
        let config = config.map(|path| self.place(&normalize(working, path)));
        let origin = config::Origin {
            working: &self.working,
            file: config.as_deref(),
            tree: &relocated,
            host: &Disk,
            environment: &workspace.environment.variables,
            limits: &workspace.limits,
        };
        // The workspace has told their problems.
        let (settings, _) = config::load(&origin, &Sources::new());
        // All that git has is tracked.
        PathFilter { takes_ignored: true, ..settings.files }
    }

    /// Where a file of the repository is on this side.
    fn place(&self, path: &Path) -> PathBuf {
        let Some((copy, original)) = &self.copy else { return path.to_owned() };
        path.strip_prefix(original).map_or_else(|_| path.to_owned(), |inside| copy.root().join(inside))
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
            sources.rename(|name| Some(format!("{}:{}", self.name, self.source_name(name)).into()));
            for problem in &mut problems {
                problem.message = copy.with_original_names(&problem.message);
            }
        }
        (sources, problems)
    }
}
