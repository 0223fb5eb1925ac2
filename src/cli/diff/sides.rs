//! The two sides of a comparison: their files and names.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bicep;
use crate::cli::Environment;
use crate::cli::args::DiffArguments;
use crate::cli::diff::pairs::{self, PairedDeployments};
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

/// A side of a comparison.
#[derive(Debug)]
pub(super) struct Side {
    /// The name that the user passed, such as a branch.
    pub(super) name: String,
    /// The ID of the commit, if the side is a commit.
    pub(super) commit: Option<String>,
    /// The folder that paths are relative to when deployments are paired.
    pub(super) root: PathBuf,
    /// The file, if the side is a single file.
    pub(super) file: Option<PathBuf>,
    pub(super) sources: Sources,
    working: PathBuf,
    paths: Vec<PathBuf>,
    /// The copy that the files are read from, and the root of the repository.
    copy: Option<(Snapshot, PathBuf)>,
}

/// Both sides, and the files that differ between them.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) old: Side,
    pub(super) new: Side,
    /// Old paths by new paths of renamed files, relative to the roots of the sides.
    pub(super) renamed: BTreeMap<PathBuf, PathBuf>,
    /// The change of each file, by paths relative to the roots of the sides. `None` if the sides are not states of a
    /// repository.
    files: Option<BTreeMap<PathBuf, Event>>,
    pub(super) notice: Option<Notice>,
}

/// The states to compare, from the arguments.
#[derive(Debug)]
pub(super) enum Comparand<'a> {
    /// Two files, or two folders.
    Paths(&'a Path, &'a Path),
    /// States of a repository, as BASE or BASE..HEAD, restricted to these paths.
    Revisions { spec: Option<Cow<'a, str>>, paths: &'a [PathBuf] },
}

impl<'a> Comparand<'a> {
    /// Reads the arguments. Two paths that exist are compared with each other. Otherwise, a first argument that is
    /// not a path names the states.
    pub(super) fn from_arguments(arguments: &'a DiffArguments, working: &Path) -> Self {
        let exists = |path: &PathBuf| normalize(working, path).exists();
        match arguments.what.as_slice() {
            [old, new] if !arguments.staged && exists(old) && exists(new) => Self::Paths(old, new),
            [first, rest @ ..] if !exists(first) && !is_glob(first) => {
                Self::Revisions { spec: Some(first.to_string_lossy()), paths: rest }
            }
            all => Self::Revisions { spec: None, paths: all },
        }
    }

    /// Returns the old state, if the user passed one.
    pub(super) fn base(&self) -> Option<&str> {
        let Self::Revisions { spec, .. } = self else { return None };
        let spec = spec.as_deref()?;
        Some(spec.split_once("..").map_or(spec, |(base, _)| base)).filter(|base| !base.is_empty())
    }
}

/// The settings and arguments for one side.
struct SideOptions<'a> {
    assumptions: Assumptions,
    filter: PathFilter,
    bicep: bicep::Options,
    limits: &'a Limits,
}

impl Sides {
    /// Compares the deployments that the change can affect. Compares all deployments if `--all` is set or the change
    /// is unknown.
    pub(super) fn compare(
        &self,
        arguments: &DiffArguments,
        workspace: &Workspace<'_>,
        policy: &Policy,
    ) -> Result<PairedDeployments, Error> {
        let old = self.old.options(arguments, workspace, policy)?;
        let mut new = self.new.options(arguments, workspace, policy)?;
        // The old side has its own settings.
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
            Ok(PairedDeployments { untouched, ..pairs::compare(self, old, new) })
        })
    }

    /// Finds both sides. Files that are only in git are copied.
    pub(super) fn find(
        asked: &Comparand<'_>,
        arguments: &DiffArguments,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let working = &environment.working;
        match asked {
            Comparand::Paths(old, new) => Self::of_paths(old, new, working),
            Comparand::Revisions { spec, .. }
                if arguments.staged && spec.as_ref().is_some_and(|spec| spec.contains("..")) =>
            {
                Err(Error::Usage("`--staged` compares with the next commit; expected only BASE before it".to_owned()))
            }
            Comparand::Revisions { spec, paths } => {
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
            let is_known = [&mut sides.old, &mut sides.new].map(|side| side.add(inside)).contains(&true);
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

    /// Adds a path, relative to the root. Returns whether it exists on this side.
    fn add(&mut self, inside: &Path) -> bool {
        let path = self.root.join(inside);
        let exists = path.exists() || is_glob(inside);
        if exists {
            self.paths.push(path);
        }
        exists
    }

    /// Returns the settings and arguments for this side.
    fn options<'a>(
        &self,
        arguments: &DiffArguments,
        workspace: &'a Workspace<'_>,
        policy: &Policy,
    ) -> Result<SideOptions<'a>, Error> {
        Ok(SideOptions {
            assumptions: workspace.assumptions(),
            filter: self.filter(arguments, workspace, policy),
            bicep: workspace.bicep(&arguments.bicep)?,
            limits: &workspace.limits,
        })
    }

    fn inputs<'a>(&'a self, options: &'a SideOptions<'_>) -> Inputs<'a> {
        Inputs {
            filter: &options.filter,
            ..Inputs::plain(&Disk, &self.working, &self.paths, &options.assumptions, &options.bicep, options.limits)
        }
    }

    /// Returns the name of a source to show. Files outside the current folder have absolute names.
    pub(super) fn source_name(&self, name: &str) -> String {
        let original = self.copy.as_ref().and_then(|(copy, original)| {
            let inside = Path::new(name).strip_prefix(copy.root()).ok()?;
            Some(original.join(inside).to_string_lossy().into_owned())
        });
        original.unwrap_or_else(|| name.to_owned())
    }

    /// Returns the path filter of the settings, for the paths of this side.
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
        // The workspace has printed the problems of these settings.
        let (settings, _) = config::load(&origin, &Sources::new());
        // All files in git are tracked.
        PathFilter { takes_ignored: true, ..settings.files }
    }

    /// Returns the path of a file of the repository on this side.
    fn place(&self, path: &Path) -> PathBuf {
        let Some((copy, original)) = &self.copy else { return path.to_owned() };
        path.strip_prefix(original).map_or_else(|_| path.to_owned(), |inside| copy.root().join(inside))
    }

    /// Returns the name of a file to show.
    pub(super) fn shown(&self, path: &Path) -> String {
        match &self.copy {
            Some((copy, _)) => copy.with_original_names(&display_name(&self.working, path)),
            None => display_name(&self.working, path),
        }
    }

    /// Returns the sources and the problems of this side. The names of its files begin with its name, unless they are
    /// on disk.
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
