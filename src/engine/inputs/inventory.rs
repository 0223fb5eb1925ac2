//! The files that a run found.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::engine::Inputs;
use crate::engine::changes::absent_submodules;
use crate::engine::given::{Cause, Narrowing};
use crate::engine::inputs::discover::{Input, discover, narrow};
use crate::engine::inputs::graph::Graph;
use crate::engine::inputs::store::Store;
use crate::files::{Bounds, Host, Unreadable, display_name, normalize};
use crate::text::Sources;

/// The files of a run, with their contents and references.
#[derive(Debug)]
pub(super) struct Inventory<'a> {
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) store: Arc<Store<'a>>,
    /// The files of the walk, ordered by path.
    pub(super) found: Vec<Input>,
    /// The folders to search for the template of a parameter file, in addition to its own folder: the current folder
    /// and those that the user named.
    pub(super) roots: Vec<PathBuf>,
    /// The references between files. It has only the files that a stage added.
    pub(super) graph: Graph,
    /// The problems of the walk.
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> Inventory<'a> {
    /// Walks the paths that the user named. No file is read yet.
    pub(super) fn open(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Self {
        let (mut found, mut problems) = discover(inputs.working, inputs.paths, inputs.filter, sources);
        problems.extend(drop_missing(&mut found, inputs, sources));
        let named = found.iter().filter(|input| input.named).map(|input| input.path.clone());
        let given: Vec<PathBuf> =
            inputs.paths.iter().chain(inputs.parameters).map(|path| normalize(inputs.working, path)).collect();
        let parameters = inputs.parameters.iter().map(|path| normalize(inputs.working, path));
        let store = Store::new(inputs.working, sources, inputs.limits, inputs.host, named.chain(parameters).collect());
        let bounds = Bounds::around(inputs.working, given.iter().map(PathBuf::as_path), &store.folders);
        let store = Arc::new(store.isolated(inputs.isolation).within(bounds));
        problems.extend(absent(inputs, sources));
        let folders =
            inputs.paths.iter().map(|path| inputs.working.join(path)).filter(|path| inputs.host.is_folder(path));
        let roots = std::iter::once(inputs.working.to_path_buf()).chain(folders).collect();
        Self { inputs, store, found, roots, graph: Graph::default(), problems }
    }

    /// Keeps only the files that the change affects.
    pub(super) fn narrow(&mut self, narrowing: &Narrowing<'_>) {
        let own;
        let paths = match &narrowing.cause {
            Cause::Selected(paths) => paths,
            Cause::Changes(_) | Cause::Named(_) => {
                own = self.select(Some(narrowing)).paths();
                &own
            }
        };
        self.found = narrow(std::mem::take(&mut self.found), paths, self.inputs.working);
    }

    /// The input for a path that the user did not name.
    pub(super) fn unnamed(&self, path: &Path) -> Input {
        Input::new(self.inputs.working, path, false)
    }
}

/// Reports the submodules in folders of the user that are not checked out; in a run about a change, those that it touches.
fn absent(inputs: &Inputs<'_>, sources: &Sources) -> Vec<Diagnostic> {
    let changes = match inputs.narrowing.map(|narrowing| &narrowing.cause) {
        None => None,
        Some(Cause::Changes(changes)) => Some(changes),
        Some(Cause::Selected(_) | Cause::Named(_)) => return Vec::new(),
    };
    let base = changes.and_then(|changes| changes.base.as_deref());
    let folders =
        inputs.paths.iter().map(|path| normalize(inputs.working, path)).filter(|path| inputs.host.is_folder(path));
    // What git cannot list here, the walk has reported.
    let paths: BTreeSet<PathBuf> =
        folders.flat_map(|folder| absent_submodules(&folder, base).unwrap_or_default()).collect();
    let taken = paths.into_iter().filter(|path| inputs.filter.enters_folder(path));
    let report = |path: PathBuf| {
        let file = sources.add(display_name(inputs.working, &path), "");
        let message = "the submodule is not checked out, so its files are not checked";
        let problem = Diagnostic::of_file(Code::FileSubmodule, file, message).not_checked(NotChecked::Submodule);
        problem.with_help("check it out, in a workflow with `submodules: true` of `actions/checkout`")
    };
    taken.map(report).collect()
}

/// Drops and reports what the user named and is not there, unless the change deleted it.
fn drop_missing(found: &mut Vec<Input>, inputs: &Inputs<'_>, sources: &Sources) -> Vec<Diagnostic> {
    let changes = inputs.narrowing.and_then(|narrowing| match narrowing.cause {
        Cause::Changes(changes) => Some(changes),
        Cause::Selected(_) | Cause::Named(_) => None,
    });
    let mut problems = Vec::new();
    found.retain(|input| {
        let is_deleted = || changes.is_some_and(|changes| changes.touched_within(&input.path).is_some());
        let Some(error) = missing(input, inputs.host).filter(|_| !is_deleted()) else { return true };
        let problem = Unreadable::from(error).into_diagnostic(&input.name, sources);
        let help = || format!("for a commit or a branch of this name, write `--changed={}`", input.name);
        problems.push(if changes.is_some() { problem.with_help(help()) } else { problem });
        false
    });
    problems
}

/// Why a file that the user named is not there. `None` if it is, or if nobody can tell.
fn missing(input: &Input, host: &dyn Host) -> Option<io::Error> {
    let error = host.is_link(&input.path).err().filter(|_| input.named)?;
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory).then_some(error)
}
