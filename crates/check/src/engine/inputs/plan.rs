//! Decides which templates are expanded with which parameter files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::cfn::{self, environments, has_defaults, leaves_defaults};
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::engine::Inputs;
use crate::engine::bicep::{Compiled, Harvest, Origins, Stage, is_bicep, is_template};
use crate::engine::detect::{Kind, is_sam_config};
use crate::engine::inputs::beside::beside;
use crate::engine::inputs::built::{SIGNATURE, bicep_beside, has_signature, outline, stale};
use crate::engine::inputs::discover::Input;
use crate::engine::inputs::fragments::Frames;
use crate::engine::inputs::inventory::Inventory;
use crate::engine::inputs::job::Job;
use crate::engine::inputs::layout;
use crate::engine::inputs::link::{Link, link, may_belong, of_sam_config};
use crate::engine::inputs::load::{Environment, Loaded};
use crate::engine::inputs::store::Store;
use crate::engine::inputs::test_folders;
use crate::files::display_name;
use crate::parallel;

/// Loads, builds and links the files that were found. The jobs are ordered by the path of their template.
pub(super) fn plan(inventory: Inventory<'_>) -> (Vec<Job>, Vec<Diagnostic>) {
    let Inventory { inputs, store, found, roots, graph, problems } = inventory;
    let stage = Stage::new(inputs, Arc::clone(&store), graph);
    let mut planner = Planner::new(inputs, &store, roots, problems);
    let (found, skipped) = test_folders::without_tests(inputs, &store, &planner.roots, found);
    planner.diagnostics.extend(skipped);
    let read = planner.read_all(SortedInputs::new(found, inputs), stage);
    let built = planner.build_all(read);
    planner.pair_all(built);
    planner.into_jobs()
}

/// The files of a run by what reads them: a compiler of Bicep, or formwork.
struct SortedInputs {
    found: Vec<Input>,
    found_bicep: Vec<Input>,
    /// The parameter files of the command line.
    given: Vec<Input>,
    given_bicep: Vec<Input>,
}

impl SortedInputs {
    fn new(found: Vec<Input>, inputs: &Inputs<'_>) -> Self {
        let (found_bicep, found) = found.into_iter().partition(|input| is_bicep(&input.path));
        let given = inputs.parameters.iter().map(|path| Input::new(inputs.working, path, true));
        let (given_bicep, given) = given.partition(|input| is_bicep(&input.path));
        Self { found, found_bicep, given, given_bicep }
    }
}

/// The files of a run after they are read. Those in Bicep are collected to be built.
struct ReadInputs<'a> {
    templates: Vec<Loaded>,
    parameters: Vec<(Loaded, Link)>,
    /// The parameter files of the command line that are not Bicep.
    given: Vec<Loaded>,
    /// The paths of those in Bicep.
    given_bicep: Vec<PathBuf>,
    stage: Stage<'a>,
}

/// The files of a run after all templates have jobs, and no parameter file belongs to one yet.
struct BuiltInputs {
    parameters: Vec<(Loaded, Link)>,
    /// Parameter files in Bicep, and the path of the template of each.
    compiled: Vec<(Compiled, Option<PathBuf>)>,
    given: Vec<Loaded>,
    given_bicep: Vec<PathBuf>,
}

struct Planner<'a> {
    inputs: &'a Inputs<'a>,
    store: &'a Store<'a>,
    /// The folders to search for the template of a parameter file, in addition to its own.
    roots: Vec<PathBuf>,
    /// The jobs so far, by the real path of the template.
    jobs: BTreeMap<PathBuf, Job>,
    /// The real paths of files with a problem that was reported.
    unusable: BTreeSet<PathBuf>,
    /// The Bicep files from which skipped templates were built, by the real path of the template.
    built: BTreeMap<PathBuf, PathBuf>,
    /// Bicep files of templates that differ from the compiler's output and so are not skipped, by the real path of the
    /// template.
    differing: BTreeMap<PathBuf, PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Planner<'a> {
    fn new(inputs: &'a Inputs<'a>, store: &'a Store<'a>, roots: Vec<PathBuf>, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            inputs,
            store,
            roots,
            jobs: BTreeMap::new(),
            unusable: BTreeSet::new(),
            built: BTreeMap::new(),
            differing: BTreeMap::new(),
            diagnostics,
        }
    }

    /// Returns `true` unless parameter files of the command line replace all others.
    fn all_count(&self) -> bool {
        self.inputs.parameters.is_empty()
    }

    /// Reads the files that are not Bicep, and finds the template of each parameter file.
    fn read_all<'s>(&mut self, sorted: SortedInputs, mut stage: Stage<'s>) -> ReadInputs<'s> {
        let SortedInputs { found, found_bicep, given, given_bicep } = sorted;
        let mut loaded = self.load_all(found);
        loaded.extend(self.load_stdin());
        let given = self.load_all(given);
        let (templates, parameters) = loaded.into_iter().partition(|file: &Loaded| !file.kind.is_of_parameters());
        let mut parameters = self.link_all(parameters);
        parameters.extend(self.settings_of(&templates));
        stage.take(found_bicep, self.all_count());
        let given_paths = given_bicep.iter().map(|input| input.path.clone()).collect();
        stage.take_given(given_bicep);
        if self.all_count() {
            let named: Vec<&Input> = templates.iter().map(|file| &file.input).chain(stage.templates()).collect();
            parameters.extend(self.load_beside(&named, &parameters));
        }
        ReadInputs { templates, parameters, given, given_bicep: given_paths, stage }
    }

    /// Returns the environments of templates that have the name of the settings of the SAM CLI, which reads them then.
    fn settings_of(&self, templates: &[Loaded]) -> Vec<(Loaded, Link)> {
        let settings = templates.iter().filter(|file| file.kind == Kind::Stack && is_sam_config(&file.input.path));
        settings.flat_map(|file| self.environments(file)).collect()
    }

    /// Makes a job of each template, and builds those in Bicep.
    fn build_all(&mut self, read: ReadInputs<'_>) -> BuiltInputs {
        let ReadInputs { templates, parameters, given, given_bicep, mut stage } = read;
        let store = self.store;
        let jobs: Vec<_> = templates.into_par_iter().map(|template| Job::new(template, store)).collect();
        self.add(jobs);
        for target in self.bicep_templates_of(&parameters, self.all_count()) {
            stage.want_template(&target);
        }
        let compiled = self.take_built(stage.build());
        self.skip_built();
        BuiltInputs { parameters, compiled, given, given_bicep }
    }

    /// Adds each parameter file to the jobs of its templates.
    fn pair_all(&mut self, built: BuiltInputs) {
        let all_count = self.all_count();
        for (file, link) in built.parameters {
            self.assign(file, link, all_count);
        }
        for (file, target) in built.compiled {
            if built.given_bicep.contains(&file.loaded.input.path) {
                self.give(file.loaded, &file.origins);
            } else if let Some(target) = target {
                self.attach(file.loaded, &target, &file.origins);
            }
        }
        self.give_all(built.given);
    }

    /// Completes the jobs by what depends on all of their parameter files.
    fn into_jobs(mut self) -> (Vec<Job>, Vec<Diagnostic>) {
        self.note_needs();
        self.find_frames();
        (self.jobs.into_values().collect(), self.diagnostics)
    }

    fn load_all(&mut self, inputs: Vec<Input>) -> Vec<Loaded> {
        let load = |input: Input| (input.path.clone(), self.store.load(input));
        let length = |input: &Input| self.store.fence.stat(&input.path).map_or(0, |file| file.length);
        let results = parallel::map_longest_first(inputs, length, load);
        results.into_iter().filter_map(|(path, result)| self.keep(&path, result)).collect()
    }

    /// Records the problems of a file. If it cannot be used, it is not loaded again.
    fn keep(&mut self, path: &Path, (loaded, problems): (Option<Loaded>, Vec<Diagnostic>)) -> Option<Loaded> {
        if loaded.is_none() && !problems.is_empty() {
            self.unusable.insert(self.store.identity(path));
        }
        self.diagnostics.extend(problems);
        loaded
    }

    fn load_stdin(&mut self) -> Option<Loaded> {
        let piped = self.inputs.stdin.as_ref()?;
        let input = Input::new(self.inputs.working, Path::new(&piped.name), true);
        let path = input.path.clone();
        let result = self.store.load_bytes(input, piped.bytes.clone());
        self.keep(&path, result)
    }

    /// Resolves the template of each parameter file, which looks several paths up.
    fn link_all(&self, files: Vec<Loaded>) -> Vec<(Loaded, Link)> {
        let linked = files.into_par_iter().flat_map_iter(|file| {
            if file.kind == Kind::SamConfig {
                return self.environments(&file);
            }
            let link = link(&self.roots, self.store, &file);
            vec![(file, link)]
        });
        linked.collect()
    }

    /// Returns a parameter file for each environment in the settings of the AWS SAM CLI, and the template that it
    /// belongs to.
    fn environments(&self, config: &Loaded) -> Vec<(Loaded, Link)> {
        let source = self.store.sources.get(config.file);
        let value = self.store.value(config);
        let leaves_defaults = leaves_defaults(&value);
        let all = environments(&value, config.file, source.text()).into_iter();
        let linked = all.map(|cfn::Environment { name, templates, parameters }| {
            let link = of_sam_config(&self.roots, self.store, config, &templates);
            let parameters = Loaded::new(config.input.clone(), config.file, Kind::StackParameters, parameters);
            (Loaded { environment: Some(Environment { name, leaves_defaults }), ..parameters }, link)
        });
        linked.collect()
    }

    fn add(&mut self, jobs: Vec<Job>) {
        // A map that is made of all at once compares less than one to which they are added.
        let mut jobs: BTreeMap<_, _> = jobs.into_iter().map(|job| (job.identity.clone(), job)).collect();
        self.jobs.append(&mut jobs);
    }

    /// Returns the Bicep templates that parameter files in JSON belong to.
    fn bicep_templates_of(&self, parameters: &[(Loaded, Link)], all_count: bool) -> Vec<PathBuf> {
        let counted =
            parameters.iter().filter(|(file, _)| file.input.named || (all_count && self.inputs.bicep.builds_files));
        let targets = counted.filter_map(|(_, link)| match link {
            Link::To(target) | Link::Near(target) if is_template(target) => Some(target.clone()),
            _ => None,
        });
        targets.collect()
    }

    /// Adds jobs for the templates that were built, and returns the parameter files with the paths of their templates.
    fn take_built(&mut self, harvest: Harvest) -> Vec<(Compiled, Option<PathBuf>)> {
        self.diagnostics.extend(harvest.diagnostics);
        self.unusable.extend(harvest.unusable.iter().map(|path| self.store.identity(path)));
        let store = self.store;
        self.add(harvest.templates.into_iter().map(|compiled| Job::of_compiled(compiled, store)).collect());
        harvest.parameters
    }

    /// Removes the jobs of templates that are the same deployment as the output of the Bicep file beside them.
    /// Different templates stay, as they may be the ones that are deployed.
    fn skip_built(&mut self) {
        let (mut compared, mut elsewhere) = (Vec::new(), Vec::new());
        if !self.jobs.values().any(|job| is_bicep(&job.template.input.path)) {
            return;
        }
        for (key, job) in &self.jobs {
            let Some(source) = bicep_beside(&job.template) else { continue };
            let Some(built) = self.jobs.get(&self.store.identity(&source)) else {
                if self.store.sources.get(job.template.file).text().contains(SIGNATURE) {
                    elsewhere.push(key.clone());
                }
                continue;
            };
            let written = self.store.value(&job.template);
            if has_signature(&written) {
                // Whether a template with gaps is the same cannot be told, so both are checked.
                let compare = || stale(job.template.file, &written, &self.store.value(&built.template), &source);
                let same = built.gaps.is_none().then(compare);
                compared.push((key.clone(), source, same));
            }
            // Most are skipped.
            self.store.release(&job.template.input.path);
        }
        for (key, source, same) in compared {
            if same.as_ref().is_some_and(Option::is_none) {
                self.jobs.remove(&key);
                self.built.insert(key, source);
            } else if let Some(job) = self.jobs.get_mut(&key) {
                job.stale = same.flatten();
                job.twin = Some(display_name(self.inputs.working, &source));
                self.differing.insert(key, self.store.identity(&source));
            }
        }
        self.find_twins(&elsewhere);
    }

    /// Finds the Bicep files of templates that lie elsewhere, by their resources.
    fn find_twins(&mut self, elsewhere: &[PathBuf]) {
        if elsewhere.is_empty() {
            return;
        }
        let built = self.jobs.values().filter(|job| is_bicep(&job.template.input.path));
        let outlined = |job: &Job| outline(&self.store.value(&job.template));
        let known: HashMap<_, &Job> = built.filter_map(|job| Some((outlined(job)?, job))).collect();
        let twin = |key: &PathBuf| {
            let job = self.jobs.get(key)?;
            let written = self.store.value(&job.template);
            let source = known.get(&outline(&written)?).filter(|_| has_signature(&written))?;
            Some((key.clone(), source.template.input.name.clone()))
        };
        let found: Vec<(PathBuf, String)> = elsewhere.iter().filter_map(twin).collect();
        for (key, source) in found {
            if let Some(job) = self.jobs.get_mut(&key) {
                job.twin = Some(source);
            }
        }
    }

    /// Loads the parameter files beside templates that the user or a pre-commit hook named.
    fn load_beside(&mut self, templates: &[&Input], known: &[(Loaded, Link)]) -> Vec<(Loaded, Link)> {
        let filter = self.inputs.filter;
        let named = templates.iter().filter(|template| template.named || filter.holds_for_named);
        let named: HashSet<&Path> = named.map(|template| template.path.as_path()).collect();
        let mut paths = beside(&named, &self.store.fence);
        let known: HashSet<&Path> = known.iter().map(|(file, _)| file.input.path.as_path()).collect();
        paths.retain(|path| {
            let is_excluded = filter.holds_for_named && !filter.takes_file(path);
            !is_bicep(path) && !known.contains(path.as_path()) && !is_excluded
        });
        let inputs = paths.iter().map(|path| Input::new(self.inputs.working, path, false)).collect();
        let templates: HashSet<&Path> = templates.iter().map(|template| template.path.as_path()).collect();
        let mut loaded = self.load_all(inputs);
        loaded.retain(|file| file.kind.is_of_parameters());
        let mut linked = self.link_all(loaded);
        linked.retain(|(_, link)| link.leads_to(&templates));
        linked
    }

    /// Adds a parameter file that was found to the job of its template. If the command line has parameter files, it is
    /// skipped unless the user named it.
    fn assign(&mut self, file: Loaded, link: Link, all_count: bool) {
        let named = file.input.named;
        if !named && !all_count {
            return;
        }
        match link {
            Link::To(target) => self.attach(file, &target, &Origins::default()),
            Link::Near(target) if !self.is_of_kind(&target, file.kind.template()) => self.orphan(&file, &[]),
            Link::Near(target) => self.attach(file, &target, &Origins::default()),
            Link::Broken(problem) => self.diagnostics.push(problem),
            Link::Nowhere(candidates) => self.orphan(&file, &candidates),
        }
    }

    /// Returns `true` if a file may be a template of this kind. A file that cannot be read or parsed is reported as
    /// such.
    fn is_of_kind(&self, path: &Path, kind: Option<Kind>) -> bool {
        if let Some(job) = self.jobs.get(&self.store.identity(path)) {
            return Some(job.template.kind) == kind;
        }
        let inspect = |named| self.store.inspect(Input::new(self.inputs.working, path, named));
        let is_broken = || {
            // Of a file that nobody named, a text that cannot be parsed is not reported.
            let (loaded, problems) = inspect(true);
            loaded.is_none() && problems.iter().any(|problem| problem.code != Code::FileNotATemplate)
        };
        is_bicep(path) || inspect(false).0.map_or_else(is_broken, |template| Some(template.kind) == kind)
    }

    /// Reports that no template belongs to a parameter file. `candidates` are templates that may be meant.
    fn orphan(&mut self, file: &Loaded, candidates: &[PathBuf]) {
        let level = if file.input.named { Level::Error } else { Level::Note };
        let message = "no template belongs to this parameter file";
        let problem = Diagnostic::of_file(Code::TemplateLink, file.file, message).with_level(level);
        let advice = match file.kind {
            Kind::StackParameters => {
                "name the template in `parameters` of the settings, or call the file `x.parameters.json` for `x.yaml`"
            }
            _ => {
                "name the template in `metadata.template`, or in `parameters` of the settings, or call the file `x.parameters.json` for `x.json`"
            }
        };
        let help = format!("{advice}{}", layout::named(self.inputs.working, candidates));
        self.diagnostics.push(problem.with_help(help).not_checked(NotChecked::OrphanParameters));
    }

    fn attach(&mut self, file: Loaded, target: &Path, origins: &Origins) {
        let identity = self.store.identity(target);
        let (target, key) = match self.built.get(&identity) {
            Some(source) => (source.clone(), self.store.identity(source)),
            None => (target.to_path_buf(), identity),
        };
        let target = target.as_path();
        let wanted = file.kind.template();
        if self.unusable.contains(&key) {
            return;
        }
        if !self.jobs.contains_key(&key) {
            // All Bicep templates are built by now, except those that the settings exclude.
            if is_template(target) {
                return;
            }
            let input = Input::new(self.inputs.working, target, false);
            let name = input.name.clone();
            let result = self.store.load(input);
            match self.keep(target, result).filter(|template| Some(template.kind) == wanted) {
                Some(template) => self.add(vec![Job::new(template, self.store)]),
                None if self.unusable.contains(&key) => return,
                None => {
                    let message = format!("`{name}`, which the parameter file belongs to, is not a template");
                    self.diagnostics.push(Diagnostic::of_file(Code::TemplateLink, file.file, message));
                    return;
                }
            }
        }
        let is_of_settings = self.store.template_of(&file.input.path).is_some();
        let paths = [file.input.path.clone(), self.store.identity(&file.input.path)];
        let is_unreviewed =
            paths.iter().any(|path| self.inputs.unreviewed.has(path, target, is_of_settings, may_belong));
        let file = Arc::new(file);
        for key in std::iter::once(&key).chain(self.differing.get(&key)) {
            if let Some(job) = self.jobs.get_mut(key).filter(|job| Some(job.template.kind) == wanted) {
                job.take(Arc::clone(&file), origins, is_unreviewed);
            }
        }
    }

    /// Finds the frames of templates that are fragments.
    fn find_frames(&mut self) {
        let mut frames = Frames::default();
        let Self { jobs, store, roots, .. } = self;
        for job in jobs.values_mut() {
            let repository = store.folders.repository_of(job.template.input.path.parent().unwrap_or(Path::new("")));
            let inside = roots.iter().map(PathBuf::as_path).chain(repository.as_deref());
            let is_inside = |folder: &Path| inside.clone().any(|root| folder.starts_with(root));
            job.frame = frames.find_frame(store, &job.template, is_inside);
        }
    }

    /// Marks the templates that need the parameters that only environments set.
    fn note_needs(&mut self) {
        for job in
            self.jobs.values_mut().filter(|job| !job.parameters.is_empty() && job.has_defaults() && !job.has_unreviewed)
        {
            job.needs_parameters = !has_defaults(&self.store.value(&job.template));
            self.store.release(&job.template.input.path);
        }
    }

    /// Adds the parameter files of the command line that are not Bicep to every job, and each environment of settings
    /// of the SAM CLI.
    fn give_all(&mut self, files: Vec<Loaded>) {
        for file in files {
            if file.kind == Kind::SamConfig {
                let environments = self.environments(&file).into_iter();
                environments.for_each(|(file, _)| self.give(file, &Origins::default()));
            } else {
                self.give(file, &Origins::default());
            }
        }
    }

    /// Adds a parameter file of the command line to every job.
    fn give(&mut self, file: Loaded, origins: &Origins) {
        let Some(wanted) = file.kind.template() else {
            let message = "expected a parameter file, found a template";
            self.diagnostics.push(Diagnostic::of_file(Code::TemplateLink, file.file, message));
            return;
        };
        let file = Arc::new(file);
        for job in self.jobs.values_mut().filter(|job| job.template.kind == wanted) {
            job.take(Arc::clone(&file), origins, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::bicep;
    use crate::files::Disk;
    use crate::model::{Assumptions, Limits};
    use crate::text::Sources;

    const TEMPLATE: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "resources": []}"#;
    const PARAMETERS: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#", "parameters": {}}"#;

    /// Returns the pairs `template: parameters` of a plan, and its problems. A file that is called `parameters` gets
    /// the text of a parameter file, `broken.json` half a template after a comment, any other a template.
    fn planned(files: &[&str], paths: &[&str], given: &[&str]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let working = fs::canonicalize(folder.path()).unwrap();
        for name in files {
            let path = working.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = if name.contains("parameters") { PARAMETERS } else { TEMPLATE };
            let broken = || format!("// Half.\n{}", text.strip_suffix('}').unwrap());
            fs::write(path, if *name == "broken.json" { broken() } else { text.to_owned() }).unwrap();
        }
        let [paths, parameters] = [paths, given].map(|names| names.iter().map(PathBuf::from).collect::<Vec<_>>());
        let (assumptions, bicep, limits) = (Assumptions::default(), bicep::Options::default(), Limits::default());
        let inputs =
            Inputs { parameters: &parameters, ..Inputs::plain(&Disk, &working, &paths, &assumptions, &bicep, &limits) };
        let (jobs, diagnostics) = plan(Inventory::open(&inputs, &Sources::new()));
        let shown = jobs.iter().map(|job| {
            let files: Vec<&str> = job.parameters.iter().map(|file| file.input.name.as_str()).collect();
            format!("{}: {}", job.template.input.name, files.join(" ")).trim_end().to_owned()
        });
        let problems =
            diagnostics.iter().map(|problem| format!("{} {}", problem.level.as_str(), problem.code.as_str()));
        (shown.collect(), problems.collect())
    }

    #[track_caller]
    fn check(files: &[&str], paths: &[&str], given: &[&str], expected: &[&str]) {
        assert_eq!(planned(files, paths, given), (expected.iter().map(|&it| it.to_owned()).collect(), Vec::new()));
    }

    #[test]
    fn a_template_is_expanded_once_for_each_of_its_parameter_files() {
        let files = ["x.json", "x.parameters.dev.json", "x.prod.parameters.json", "y.json"];
        let expected = ["x.json: x.parameters.dev.json x.prod.parameters.json", "y.json:"];
        check(&files, &["."], &[], &expected);
    }

    #[test]
    fn a_template_that_is_named_brings_the_parameter_files_beside_it() {
        let files = ["a/x.json", "a/x.parameters.json", "a/y.parameters.json"];
        check(&files, &["a/x.json"], &[], &["a/x.json: a/x.parameters.json"]);
    }

    #[test]
    fn a_parameter_file_that_is_named_brings_its_template_and_no_other_file() {
        let files = ["x.json", "x.parameters.json", "x.dev.parameters.json"];
        check(&files, &["x.dev.parameters.json"], &[], &["x.json: x.dev.parameters.json"]);
    }

    #[test]
    fn given_parameter_files_replace_those_that_are_found() {
        let files = ["x.json", "x.parameters.json", "other/parameters.json"];
        check(&files, &["x.json"], &["other/parameters.json"], &["x.json: other/parameters.json"]);
        check(&files, &["."], &["other/parameters.json"], &["x.json: other/parameters.json"]);
    }

    #[test]
    fn a_template_that_is_broken_is_reported_once() {
        let (jobs, problems) =
            planned(&["broken.json", "broken.parameters.json", "broken.parameters.dev.json"], &["."], &[]);
        assert_eq!((jobs.len(), problems), (0, vec!["error syntax/json".to_owned()]));
    }

    #[test]
    fn a_parameter_file_without_a_template_is_an_error_only_if_it_is_named() {
        let files = ["x.parameters.json"];
        let problems = |paths| planned(&files, paths, &[]).1;
        assert_eq!(problems(&["."]), ["note template/link"]);
        assert_eq!(problems(&["x.parameters.json"]), ["error template/link"]);
    }
}
