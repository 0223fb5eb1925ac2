//! The files that templates link to.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use crate::engine::Inputs;
use crate::engine::link::lies_in;
use crate::engine::parse::read;
use crate::engine::plan::{Job, identity};
use crate::files::{Unreadable, display_name, normalize, read_bytes, register, repository_of};
use crate::model::{Limits, LinkProblem, Linked, Loader};
use crate::text::{FileId, Sources};

type Slot = Arc<OnceLock<Result<Linked, LinkProblem>>>;

/// Reads linked files from the repository of the template that links to them, each once in a run.
pub(super) struct Linker<'a> {
    working: &'a Path,
    sources: &'a Sources,
    limits: &'a Limits,
    /// Where files lie.
    paths: Mutex<FxHashMap<FileId, PathBuf>>,
    /// What was read, by its real path.
    files: Mutex<FxHashMap<PathBuf, Slot>>,
}

impl fmt::Debug for Linker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linker").field("working", &self.working).finish_non_exhaustive()
    }
}

impl<'a> Linker<'a> {
    /// Knows the templates of the run, which were read already.
    pub(super) fn new(inputs: &Inputs<'a>, sources: &'a Sources, jobs: &[Job]) -> Self {
        let (mut paths, mut files) = (FxHashMap::default(), FxHashMap::default());
        for Job { template, .. } in jobs {
            let name = Arc::clone(sources.get(template.file).name());
            let linked = Linked { file: template.file, name, value: template.value.clone() };
            paths.insert(template.file, template.input.path.clone());
            files.insert(identity(&template.input.path), Arc::new(OnceLock::from(Ok(linked))));
        }
        let (paths, files) = (Mutex::new(paths), Mutex::new(files));
        Self { working: inputs.working, sources, limits: inputs.limits, paths, files }
    }

    /// What links of a file in `folder` may reach: its repository; else the current folder, if it lies in that; else
    /// only itself.
    fn root_of(&self, folder: &Path) -> PathBuf {
        let outside = || if folder.starts_with(self.working) { self.working } else { folder }.to_path_buf();
        repository_of(folder).unwrap_or_else(outside)
    }

    fn read(&self, path: &Path) -> Result<Linked, LinkProblem> {
        let name = display_name(self.working, path);
        let unusable = |problem| LinkProblem::Unusable(vec![problem]);
        let bytes = read_bytes(path, self.limits.file_bytes)
            .map_err(|problem: Unreadable| unusable(problem.into_diagnostic(&name, self.sources)))?;
        let file = register(&name, bytes, self.sources).map_err(unusable)?;
        let source = self.sources.get(file);
        let parsed = read(path, true, file, source.text(), self.limits.nesting);
        let value = parsed.value.ok_or(LinkProblem::Unusable(parsed.diagnostics))?;
        locked(&self.paths).insert(file, path.to_path_buf());
        Ok(Linked { file, name: Arc::clone(source.name()), value })
    }
}

impl Loader for Linker<'_> {
    fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem> {
        let from = locked(&self.paths).get(&from).cloned().ok_or(LinkProblem::Missing)?;
        let folder = from.parent().unwrap_or(&from);
        let root = self.root_of(folder);
        let target = normalize(folder, Path::new(path));
        if !target.starts_with(&root) {
            return Err(LinkProblem::Outside);
        }
        if !target.is_file() {
            return Err(LinkProblem::Missing);
        }
        if !lies_in(&target, &root) {
            return Err(LinkProblem::Outside);
        }
        let slot = Arc::clone(locked(&self.files).entry(identity(&target)).or_default());
        slot.get_or_init(|| self.read(&target)).clone()
    }
}

/// The maps are whole between any two of their operations, whatever happened to another thread.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::bicep;
    use crate::files::PathFilter;
    use crate::model::Assumptions;

    /// What a template in `repo/infra` finds behind a path: the name of the file or why there is none.
    fn found(path: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let working = fs::canonicalize(folder.path()).unwrap();
        for it in ["repo/.git", "repo/infra/nested", "repo/shared"] {
            fs::create_dir_all(working.join(it)).unwrap();
        }
        for (name, text) in
            [("infra/main.json", "{}"), ("infra/nested/a.json", "{}"), ("shared/b.json", "{"), ("../c.json", "{}")]
        {
            fs::write(working.join("repo").join(name), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(working.join("c.json"), working.join("repo/infra/out.json")).unwrap();
        let (sources, assumptions, limits) = (Sources::new(), Assumptions::default(), Limits::default());
        let inputs = Inputs {
            working: &working,
            paths: &[],
            stdin: None,
            parameters: &[],
            overrides: &[],
            assumptions: &assumptions,
            filter: &PathFilter::default(),
            only: None,
            as_written: false,
            bicep: &bicep::cli::Options::default(),
            limits: &limits,
        };
        let linker = Linker::new(&inputs, &sources, &[]);
        let main = linker.read(&working.join("repo/infra/main.json")).unwrap();
        let again = |it: &Linked| linker.load(main.file, path).unwrap().file == it.file;
        match linker.load(main.file, path) {
            Ok(linked) => {
                assert!(again(&linked), "a file is read once");
                linked.name.to_string()
            }
            Err(LinkProblem::Missing) => "missing".to_owned(),
            Err(LinkProblem::Outside) => "outside".to_owned(),
            Err(LinkProblem::Unusable(problems)) => problems[0].code.as_str().to_owned(),
        }
    }

    #[test]
    fn files_of_the_repository_are_found_from_the_folder_of_the_template() {
        assert_eq!(found("nested/a.json"), "repo/infra/nested/a.json");
        assert_eq!(found("./nested/../nested/a.json"), "repo/infra/nested/a.json");
        assert_eq!(found("../infra/nested/a.json"), "repo/infra/nested/a.json");
        assert_eq!(found("../shared/b.json"), "syntax/json");
        assert_eq!(found("nested"), "missing");
        assert_eq!(found("a.json"), "missing");
    }

    #[test]
    fn nothing_outside_the_repository_is_read() {
        assert_eq!(found("../../c.json"), "outside");
        assert_eq!(found("../../../../../../../../etc/passwd"), "outside");
        #[cfg(unix)]
        assert_eq!(found("out.json"), "outside");
    }
}
