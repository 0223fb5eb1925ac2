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
use crate::engine::{Inputs, Isolation};
use crate::files::{Contents, Disk, Host, Listing, PathFilter, Stat, Unreadable};
use crate::model::{Assumptions, Limits, Loader};
use crate::text::Sources;

/// Reads from the file system, and counts the files that are there.
#[derive(Debug, Default)]
struct Counting {
    reads: Mutex<BTreeMap<PathBuf, usize>>,
}

impl Host for Counting {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        Disk.stat(path)
    }

    fn is_link(&self, path: &Path) -> io::Result<bool> {
        Disk.is_link(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.real_path(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Listing<'_>> {
        Disk.list(folder)
    }

    fn read_start(&self, path: &Path, length: u64) -> io::Result<Vec<u8>> {
        Disk.read_start(path, length)
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        let bytes = Disk.read(path, limit)?;
        *locked(&self.reads).entry(path.to_owned()).or_default() += 1;
        Ok(bytes)
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
        let (sources, counting, limits) = (Sources::new(), Counting::default(), Limits::default());
        let inputs = Inputs {
            host: &counting,
            cache: None,
            working: &self.root,
            paths: &[PathBuf::from(".")],
            stdin: None,
            parameters: &[],
            merges_parameters: false,
            overrides: &[],
            assumptions: &Assumptions::default(),
            as_written: false,
            filter: &PathFilter::default(),
            bicep: &bicep::Options::default(),
            narrowing: Some(&narrowing),
            shard: None,
            isolation: Isolation::alone(),
            limits: &limits,
        };
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
    let (sources, counting, limits) = (Sources::new(), Counting::default(), Limits::default());
    let inputs = Inputs {
        host: &counting,
        cache: None,
        working: &repository.root,
        paths: &[PathBuf::from("."), PathBuf::from("a.json")],
        stdin: None,
        parameters: &[],
        merges_parameters: false,
        overrides: &[],
        assumptions: &Assumptions::default(),
        as_written: false,
        filter: &PathFilter::default(),
        bicep: &bicep::Options::default(),
        narrowing: None,
        shard: None,
        isolation: Isolation::alone(),
        limits: &limits,
    };
    let prepared = prepare(&inputs, &sources);
    assert_eq!((prepared.jobs.len(), prepared.jobs[0].parameters.len()), (1, 1));
    assert!(locked(&counting.reads).values().all(|count| *count == 1));
    assert_eq!(locked(&counting.reads).len(), 3);
}
