//! One walk, one read, one parse.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::bicep;
use crate::engine::inputs::store::locked;
use crate::engine::inputs::{Prepared, prepare};
use crate::engine::narrowing::{Cause, Narrowing};
use crate::engine::{Inputs, ParseCache, expand};
use crate::files::{Admitted, Contents, Disk, Host, Listing, PathFilter, Stat, Unreadable};
use crate::model::{Assumptions, Limits, Loader};
use crate::text::Sources;

/// Reads from the file system, counts the files that are there, and records each path that is asked for.
#[derive(Debug, Default)]
struct Counting {
    reads: Mutex<BTreeMap<PathBuf, usize>>,
    asked: Mutex<BTreeSet<PathBuf>>,
}

impl Counting {
    fn record<'p>(&self, path: Admitted<'p>) -> Admitted<'p> {
        locked(&self.asked).insert(path.path().to_owned());
        path
    }
}

impl Host for Counting {
    fn stat(&self, path: Admitted<'_>) -> io::Result<Stat> {
        Disk.stat(self.record(path))
    }

    fn is_link(&self, path: Admitted<'_>) -> io::Result<bool> {
        Disk.is_link(self.record(path))
    }

    fn real_path(&self, path: Admitted<'_>) -> io::Result<PathBuf> {
        Disk.real_path(self.record(path))
    }

    fn list(&self, folder: Admitted<'_>) -> io::Result<Listing<'_>> {
        Disk.list(self.record(folder))
    }

    fn read_start(&self, path: Admitted<'_>, length: u64) -> io::Result<Vec<u8>> {
        Disk.read_start(self.record(path), length)
    }

    fn read(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        let bytes = Host::read(&Disk, self.record(path), limit)?;
        *locked(&self.reads).entry(path.path().to_owned()).or_default() += 1;
        Ok(bytes)
    }
}

/// What a run is told besides its files.
#[derive(Default)]
struct Given {
    assumptions: Assumptions,
    filter: PathFilter,
    bicep: bicep::Options,
    limits: Limits,
}

impl Given {
    fn inputs<'a>(&'a self, host: &'a dyn Host, working: &'a Path, paths: &'a [PathBuf]) -> Inputs<'a> {
        Inputs {
            filter: &self.filter,
            ..Inputs::plain(host, working, paths, &self.assumptions, &self.bicep, &self.limits)
        }
    }
}

/// A repository in a folder of its own.
struct Repository {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Repository {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        Self { _folder: folder, root }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn arm(&self, name: &str, kind: &str, rest: &str) {
        let schema = format!("https://schema.management.azure.com/schemas/2019-04-01/{kind}.json#");
        self.write(name, &format!(r#"{{"$schema": "{schema}", {rest}}}"#));
    }

    /// What is planned for a change of these files, with how often each file was read.
    fn reads(&self, changed: &[&str], look: impl FnOnce(&Prepared<'_>)) -> BTreeMap<String, usize> {
        let cause = Cause::Named(changed.iter().map(PathBuf::from).collect());
        let narrowing = Narrowing { cause, basis: Vec::new() };
        let (sources, counting, given) = (Sources::new(), Counting::default(), Given::default());
        let paths = [PathBuf::from(".")];
        let inputs = Inputs { narrowing: Some(&narrowing), ..given.inputs(&counting, &self.root, &paths) };
        look(&prepare(&inputs, &sources));
        let reads = locked(&counting.reads);
        let name = |path: &PathBuf| path.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned();
        reads.iter().map(|(path, count)| (name(path), *count)).collect()
    }
}

#[test]
fn a_change_among_a_thousand_templates_reads_each_file_once() {
    let repository = Repository::new();
    let mut files = BTreeSet::new();
    let link = r#""resources": [{"type": "Microsoft.Resources/deployments", "properties": {"templateLink": "#;
    for at in 0..1000 {
        let (template, parameters) = (format!("{at}/main.json"), format!("{at}/main.parameters.json"));
        // Every tenth links to a module that all of them share.
        let links = format!(r#"{link}{{"relativePath": "../shared/module.json"}}}}}}]"#);
        let rest = if at % 10 == 0 { links.as_str() } else { r#""resources": []"# };
        repository.arm(&template, "deploymentTemplate", rest);
        repository.arm(&parameters, "deploymentParameters", r#""parameters": {}"#);
        files.extend([template, parameters]);
    }
    repository.arm("shared/module.json", "deploymentTemplate", r#""resources": []"#);
    repository.write("package.json", r#"{"name": "x"}"#);
    files.extend(["shared/module.json", "package.json"].map(str::to_owned));

    let reads = repository.reads(&["7/main.json", "shared/module.json"], |prepared| {
        let names: Vec<&str> = prepared.jobs.iter().map(|job| job.template.input.name.as_str()).collect();
        assert_eq!(
            (names.len(), prepared.diagnostics.len()),
            (102, 0),
            "a template, a module and its users: {names:?}"
        );
        let user = prepared.jobs.iter().find(|job| job.template.input.name == "10/main.json").unwrap();
        let linked = prepared.linker.load(user.template.file, "../shared/module.json").unwrap();
        assert!(prepared.jobs.iter().any(|job| job.template.file == linked.file), "a link leads to what was read");
    });
    let expected: BTreeMap<String, usize> = files.into_iter().map(|name| (name, 1)).collect();
    assert!(reads == expected, "{:?}", reads.iter().find(|(name, count)| expected.get(*name) != Some(*count)));
}

#[test]
fn bicep_files_are_read_once_for_the_change_the_plan_and_the_build() {
    let repository = Repository::new();
    repository.write("main.bicep", "module m 'm.bicep' = {}\nvar t = loadTextContent('t.json')");
    repository.write("m.bicep", "param p string");
    repository.write("other.bicep", "param p string");
    repository.write("main.bicepparam", "using 'main.bicep'");
    repository.write("t.json", "{}");
    let reads = repository.reads(&["m.bicep"], |_| {});
    // Each build takes the bytes of what it loads, and a look at the references takes the text.
    let files = [("m.bicep", 1), ("main.bicep", 1), ("main.bicepparam", 1), ("other.bicep", 1), ("t.json", 3)];
    assert_eq!(reads, files.map(|(name, count)| (name.to_owned(), count)).into());
}

#[test]
fn without_a_change_a_walk_reads_each_file_once() {
    let repository = Repository::new();
    repository.arm("a.json", "deploymentTemplate", r#""resources": []"#);
    repository.arm("a.parameters.json", "deploymentParameters", r#""parameters": {}"#);
    repository.write("b.json", "{}");
    let (sources, counting, given) = (Sources::new(), Counting::default(), Given::default());
    let paths = [PathBuf::from("."), PathBuf::from("a.json")];
    let inputs = given.inputs(&counting, &repository.root, &paths);
    let prepared = prepare(&inputs, &sources);
    assert_eq!((prepared.jobs.len(), prepared.jobs[0].parameters.len()), (1, 1));
    assert!(locked(&counting.reads).values().all(|count| *count == 1));
    assert_eq!(locked(&counting.reads).len(), 3);
}

/// Numbers that are the same in each run of a test.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const BICEP: [&str; 5] = ["a.bicep", "b.bicep", "sub/c.bicep", "sub/d.bicep", "../shared/e.bicep"];
const JSON: [&str; 4] = ["a.json", "a.parameters.json", "sub/f.json", "../shared/g.json"];
const PARAMETERS: [&str; 3] = ["a.bicepparam", "sub/x.bicepparam", "sub/y.bicepparam"];

/// A text for the file with this name, which refers to some others.
fn written(name: &str, dice: &mut Dice) -> String {
    let up = if name.contains('/') { "../" } else { "" };
    let reference = |to: &str| if name.starts_with("../") { format!("../infra/{to}") } else { format!("{up}{to}") };
    let schema = "https://schema.management.azure.com/schemas/2019-04-01";
    match () {
        () if PARAMETERS.contains(&name) => format!("using '{}'\n", reference(dice.one(&BICEP))),
        () if BICEP.contains(&name) => {
            let module = |at| format!("module m{at} '{}' = {{ name: 'm{at}' }}\n", reference(dice.one(&BICEP)));
            (0..2).map(module).collect::<String>() + if name.len().is_multiple_of(2) { "" } else { "param p string" }
        }
        () if dice.below(2) == 0 => {
            format!(r#"{{"$schema": "{schema}/deploymentParameters.json#", "parameters": {{}}}}"#)
        }
        () => {
            let link = format!(r#"{{"templateLink": {{"relativePath": "{}"}}}}"#, reference(dice.one(&JSON)));
            let linked = format!(r#"{{"type": "Microsoft.Resources/deployments", "properties": {link}}}"#);
            format!(r#"{{"$schema": "{schema}/deploymentTemplate.json#", "resources": [{linked}]}}"#)
        }
    }
}

/// What is planned for the files that depend on one.
fn planned(working: &Path, named: &str, cache: Option<&ParseCache>) -> String {
    let narrowing = Narrowing { cause: Cause::Named(vec![PathBuf::from(named)]), basis: Vec::new() };
    let (given, paths) = (Given::default(), [PathBuf::from(".")]);
    let sources = cache.map_or_else(Sources::new, ParseCache::sources);
    let inputs = Inputs { narrowing: Some(&narrowing), cache, ..given.inputs(&Disk, working, &paths) };
    let prepared = prepare(&inputs, &sources);
    let jobs = prepared.jobs.iter().map(|job| {
        let parameters: Vec<&str> = job.parameters.iter().map(|file| file.input.name.as_str()).collect();
        format!("{} {parameters:?}\n", job.template.input.name)
    });
    let mut problems: Vec<String> = prepared
        .diagnostics
        .iter()
        .map(|one| format!("{}: {}\n", sources.get(one.primary.span.file).name(), one.message))
        .collect();
    problems.sort();
    jobs.chain(problems).collect()
}

/// Edits are told as an editor tells them, and nobody tells of a file that is gone.
#[test]
fn what_a_run_selected_before_changes_nothing() {
    let names: Vec<&str> = BICEP.into_iter().chain(JSON).chain(PARAMETERS).collect();
    for seed in 0..5 {
        let mut dice = Dice(seed);
        let (repository, named) = (Repository::new(), dice.one(&names));
        let working = repository.root.join("infra");
        let path = |name: &str| crate::path::normalize(&working, Path::new(name));
        let write = |name: &str, dice: &mut Dice| {
            let path = path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, written(name, dice)).unwrap();
        };
        let mut cache = ParseCache::new(&working, &Sources::new());
        for step in 0..30 {
            let there: Vec<&str> = names.iter().copied().filter(|name| path(name).exists()).collect();
            let edited = dice.one(&names);
            match dice.below(5) {
                0 if edited != named => {
                    let _ = fs::remove_file(path(edited));
                }
                _ if there.contains(&edited) => write(edited, &mut dice),
                _ => names.iter().for_each(|name| write(name, &mut dice)),
            }
            let is_told = there.contains(&edited);
            let texts = names.iter().filter_map(|name| Some((path(name), fs::read_to_string(path(name)).ok()?.into())));
            let texts: Vec<(PathBuf, arcstr::ArcStr)> = texts.collect();
            let texts = texts.iter().map(|(path, text)| (path.as_path(), text));
            if is_told && path(edited).exists() {
                cache.edit(texts, [path(edited)]);
            } else if is_told {
                cache.edit(texts, []);
            } else {
                cache.update(texts);
            }
            let expected = planned(&working, named, None);
            assert_eq!(planned(&working, named, Some(&cache)), expected, "{seed}, {step}: {edited}, for {named}");
        }
    }
}

/// Paths that lead out of a repository by their text, as a file of it may write them.
const REFUSED: [&str; 4] = ["//evil/share/x.EXT", "/evil/x.EXT", "../../evil/x.EXT", "a/../../../evil/share/../x.EXT"];

/// Files with a path in each place where a file may have one. `PATH` stands for it, and `.EXT` for the extension.
const NAMED: [(&str, &str, &str); 22] = [
    ("module.bicep", "bicep", "module m 'PATH' = {\n  name: 'm'\n}\n"),
    ("template.bicep", "json", "module m 'PATH' = {\n  name: 'm'\n}\n"),
    ("import.bicep", "bicep", "import { t } from 'PATH'\n"),
    ("test.bicep", "bicep", "test t 'PATH' = {}\n"),
    ("extension.bicep", "tgz", "extension 'PATH' as x\n"),
    ("text.bicep", "txt", "output o string = loadTextContent('PATH')\n"),
    ("bytes.bicep", "txt", "output o string = loadFileAsBase64('PATH')\n"),
    ("json.bicep", "json", "output o object = loadJsonContent('PATH')\n"),
    ("yaml.bicep", "yaml", "output o object = loadYamlContent('PATH')\n"),
    ("folder.bicep", "d", "output o array = loadDirectoryFileInfo('PATH')\n"),
    ("using.bicepparam", "bicep", "using 'PATH'\n"),
    ("extends.bicepparam", "bicepparam", "using none\nextends 'PATH'\n"),
    ("config/bicepconfig.json", "json", r#"{"extends": "PATH", "cacheRootDirectory": "PATH"}"#),
    ("config/main.bicep", "", "module m 'br/public:x/y:1' = {\n  name: 'm'\n}\n"),
    ("relative.json", "json", r#"{"templateLink": {"relativePath": "PATH"}}"#),
    ("uri.json", "json", r#"{"templateLink": {"uri": "PATH"}, "parametersLink": {"uri": "file:PATH"}}"#),
    (
        "host.json",
        "json",
        r#"{"templateLink": {"uri": "https://evil.example.org/PATH"}, "parametersLink": {"uri": "PATH"}}"#,
    ),
    ("meta.parameters.json", "json", r#"{"metadata": {"template": "PATH"}, "parameters": {}}"#),
    ("sync.yaml", "yaml", "template-file-path: PATH\nparameters: {A: b}\ntags: {}\n"),
    (
        "stack.yaml",
        "yaml",
        "Resources:\n  S: {Type: 'AWS::CloudFormation::Stack', Properties: {TemplateURL: 'PATH'}}\n  \
      A: {Type: 'AWS::CloudFormation::Stack', Metadata: {'aws:asset:path': 'PATH', 'aws:asset:property': TemplateURL}, \
      Properties: {TemplateURL: 'https://x.org/y'}}\n  \
      B: {Type: 'AWS::S3::Bucket', Properties: {'Fn::Transform': {Name: 'AWS::Include', Parameters: {Location: 'PATH'}}}}\n",
    ),
    (
        "sam.yaml",
        "yaml",
        "Transform: AWS::Serverless-2016-10-31\nResources:\n  A: {Type: 'AWS::Serverless::Application', \
      Properties: {Location: 'PATH'}}\n  F: {Type: 'AWS::Serverless::Api', Properties: {DefinitionUri: 'PATH'}}\n",
    ),
    (
        "samconfig.toml",
        "yaml",
        "version = 0.1\n[default.deploy.parameters]\ntemplate_file = \"PATH\"\nparameter_overrides = \"A=b\"\n",
    ),
];

#[test]
fn a_path_that_leads_out_by_its_text_is_never_asked_for() {
    for refused in REFUSED {
        let repository = Repository::new();
        fs::remove_dir(repository.root.join(".git")).unwrap();
        repository.write(".git", "gitdir: //evil/share/.git\n");
        for (name, extension, text) in NAMED {
            let text = text.replace("PATH", &refused.replace("EXT", extension));
            let link = format!(r#""resources": [{{"type": "Microsoft.Resources/deployments", "properties": {text}}}]"#);
            if text.contains("templateLink") {
                repository.arm(name, "deploymentTemplate", &link);
            } else {
                repository.write(name, &text);
            }
        }
        let (counting, mut given, sources) = (Counting::default(), Given::default(), Sources::new());
        given.bicep.compiler = bicep::Compiler::Builtin;
        let names = NAMED.iter().map(|(name, ..)| PathBuf::from(name));
        let paths: Vec<PathBuf> = names.filter(|name| !name.ends_with("bicepconfig.json")).collect();
        for path in &paths {
            let inputs = given.inputs(&counting, &repository.root, std::slice::from_ref(path));
            let (_, problems) = expand(&inputs, &sources).unwrap();
            assert!(problems.iter().all(|problem| problem.code.as_str() != "internal/fault"), "{problems:?}");
        }
        let (cause, all) = (Cause::Named(paths), [PathBuf::from(".")]);
        let narrowing = Narrowing { cause, basis: Vec::new() };
        let inputs = Inputs { narrowing: Some(&narrowing), ..given.inputs(&counting, &repository.root, &all) };
        assert!(prepare(&inputs, &sources).jobs.len() > 5);
        let asked = locked(&counting.asked);
        let is_inside = |path: &&PathBuf| path.starts_with(&repository.root);
        // Only the search for the repository goes up from there.
        let is_above = |path: &&PathBuf| path.parent().is_some_and(|folder| repository.root.starts_with(folder));
        let found: Vec<&PathBuf> = asked.iter().filter(|path| !is_inside(path) && !is_above(path)).collect();
        assert_eq!(found, [] as [&PathBuf; 0], "{refused}");
        let is_known = |path: &PathBuf| {
            repository.root.starts_with(path) || path.ends_with(".git") || path.ends_with("bicepconfig.json")
        };
        let above: Vec<&PathBuf> = asked.iter().filter(|path| !is_inside(path) && !is_known(path)).collect();
        assert_eq!(above, [] as [&PathBuf; 0], "{refused}");
    }
}

#[test]
fn settings_and_baselines_ask_for_nothing_outside() {
    use crate::config;

    let settings = [
        "rules: PATH",
        "rules: {paths: [PATH]}",
        "baseline: PATH",
        "policy: {paths: [PATH]}",
        "policy: {parameters: PATH}",
        "parameters: [{files: '*.json', template: PATH}]",
        "include: [PATH]",
        "exclude: [PATH]",
    ];
    for (refused, setting) in REFUSED.iter().flat_map(|refused| settings.map(|setting| (refused, setting))) {
        let repository = Repository::new();
        repository.write("formwork.yaml", &setting.replace("PATH", &refused.replace("EXT", "json")));
        let (counting, sources, limits) = (Counting::default(), Sources::new(), Limits::default());
        let origin = config::Origin {
            working: &repository.root,
            file: None,
            tree: &Disk,
            host: &counting,
            environment: &BTreeMap::new(),
            limits: &limits,
        };
        config::load(&origin, &sources);
        assert!(
            !locked(&counting.asked).iter().any(|path| path.to_string_lossy().contains("evil")),
            "{setting} {refused}"
        );
    }
}
