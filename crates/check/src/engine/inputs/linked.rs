//! The files that templates link to.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use foldhash::HashMap;

use crate::engine::inputs::job::Job;
use crate::engine::inputs::link::lies_in;
use crate::engine::inputs::load::{Content, Loaded};
use crate::engine::inputs::store::{Store, locked};
use crate::engine::inputs::urls::{Named, relative, root_of};
use crate::model::{LinkProblem, Linked, Loader, Located};
use crate::path::normalize;
use crate::syntax::Parsed;
use crate::text::FileId;
use crate::value::Value;

type Slot = Arc<OnceLock<Result<Linked, LinkProblem>>>;

/// Loads linked files from the repository of the template that links to them. Each is loaded once, or twice if it was a
/// template that is checked, too.
pub(in crate::engine) struct Linker<'a> {
    store: Arc<Store<'a>>,
    /// The current folder and those that the user named.
    roots: Vec<PathBuf>,
    /// The paths of the files that were read.
    paths: Mutex<HashMap<FileId, PathBuf>>,
    /// The results of loading, by the real path of the file.
    files: Mutex<HashMap<PathBuf, Slot>>,
}

impl fmt::Debug for Linker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linker").field("store", &self.store).finish_non_exhaustive()
    }
}

impl<'a> Linker<'a> {
    /// Starts with the templates of the run, which are not read again.
    pub(super) fn new(store: Arc<Store<'a>>, roots: Vec<PathBuf>, jobs: &[Job]) -> Self {
        let (mut paths, mut files) = (HashMap::default(), HashMap::default());
        for Job { template, identity, .. } in jobs {
            paths.insert(template.file, template.input.path.clone());
            if let Content::Parsed(Parsed { value: Some(value), .. }) = &template.content {
                let name = Arc::clone(store.sources.get(template.file).name());
                let linked = Linked { file: template.file, name, value: value.clone() };
                files.insert(identity.clone(), Arc::new(OnceLock::from(Ok(linked))));
            }
        }
        Self { store, roots, paths: Mutex::new(paths), files: Mutex::new(files) }
    }

    /// Returns the other paths that lead to files of the run, by the path that it has.
    pub(in crate::engine) fn aliases(&self) -> HashMap<PathBuf, Vec<PathBuf>> {
        self.store.aliases.clone()
    }

    /// Returns the value of a template, and the problems of its text.
    pub(in crate::engine) fn template(&self, job: &Job) -> Parsed {
        let parsed = self.store.parsed(&job.template);
        let Some(frame) = &job.frame else { return parsed };
        Parsed { value: parsed.value.map(|template| frame.framed(&template)), ..parsed }
    }

    /// Returns the value of a parameter file.
    pub(in crate::engine) fn parameters(&self, file: &Loaded) -> Value {
        self.store.value(file)
    }

    /// Frees a template that was checked, and its parameter files. For what links to one of them, it is parsed again.
    pub(in crate::engine) fn release(&self, Job { template, identity, parameters, .. }: Job) {
        for file in parameters {
            self.store.release(&file.input.path);
        }
        // What was piped in or built cannot be read again.
        if self.store.release(&template.input.path) {
            locked(&self.files).remove(&identity);
        }
    }

    fn read(&self, path: &Path) -> Result<Linked, LinkProblem> {
        let file = self.store.text(path).map_err(|problem| LinkProblem::Unusable(vec![problem]))?;
        let value = self.store.reading(path, file, |reading| {
            let parsed = reading.choose(true);
            parsed.value.clone().ok_or_else(|| LinkProblem::Unusable(parsed.diagnostics.clone()))
        })?;
        locked(&self.paths).insert(file, path.to_path_buf());
        Ok(Linked { file, name: Arc::clone(self.store.sources.get(file).name()), value })
    }
}

impl Loader for Linker<'_> {
    fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem> {
        let from = locked(&self.paths).get(&from).cloned().ok_or(LinkProblem::Missing)?;
        let folder = from.parent().unwrap_or(&from);
        let root = root_of(folder, &self.roots, &self.store.folders);
        let target = normalize(folder, Path::new(path));
        if !target.starts_with(&root) {
            return Err(LinkProblem::Outside);
        }
        if !self.store.fence.is_file(&target) {
            return Err(LinkProblem::Missing);
        }
        if !lies_in(&target, &root, &self.store.folders) {
            return Err(LinkProblem::Outside);
        }
        let slot = Arc::clone(locked(&self.files).entry(self.store.identity(&target)).or_default());
        slot.get_or_init(|| self.read(&target)).clone()
    }

    fn locate(&self, from: FileId, url: &str) -> Option<Located> {
        let from = locked(&self.paths).get(&from).cloned()?;
        let folder = from.parent()?;
        let Named { path, certainty } =
            self.store.urls.find(&root_of(folder, &self.roots, &self.store.folders), folder, url)?;
        Some(Located { path: relative(folder, &path)?, certainty })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use foldhash::HashSet;

    use super::*;
    use crate::files::{Disk, Fence};
    use crate::model::Limits;
    use crate::text::Sources;

    /// Resolves a path in a template of `repo/infra`, and returns the name of the file, or the reason why there is
    /// none.
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
        let (sources, limits) = (Sources::new(), Limits::default());
        let store = Store::new(&working, &sources, &limits, Fence::of_user(&Disk), HashSet::default());
        let linker = Linker::new(Arc::new(store), vec![working.clone()], &[]);
        let main = linker.read(&working.join("repo/infra/main.json")).unwrap();
        let again = |linked: &Linked| linker.load(main.file, path).unwrap().file == linked.file;
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
