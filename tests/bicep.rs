//! The Bicep parser and the way back from compiled JSON, on the corpus that lies beside the repository. Where it does
//! not, these tests say so and hold nothing up.

use arcstr::ArcStr;
use formwork::machinery::source_map::{Exactness, SourceLocation, SourceMap};
use formwork::machinery::{BicepFiles, Limits, Sources, Value, json};
use formwork_check::files::Disk;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::Folder;

#[expect(clippy::print_stderr, reason = "what a test tells those who run it")]
fn note(text: &str) {
    eprintln!("{text}");
}

/// The files of a folder of the corpus with this ending, sorted.
fn corpus(folder: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus").join(folder);
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|it| it.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        note(&format!("skipped: there is no ../shared/corpus/{folder}"));
    }
    files.sort();
    files
}

#[test]
fn all_files_of_the_corpus_are_parsed() {
    let folders = [("avm", ".bicep"), ("bicep", ".bicep"), ("bicep", ".bicepparam"), ("template-analyzer", ".bicep")];
    let mut problems = Vec::new();
    for path in folders.iter().flat_map(|(folder, ending)| corpus(folder, ending)) {
        let (sources, limits) = (Sources::new(), Limits::default());
        let mut files = BicepFiles::new((Path::new("/"), &Disk), Path::new("/"), &sources, &limits);
        files.read(&path);
        problems.extend(files.into_diagnostics().into_iter().map(|it| format!("{}: {}", path.display(), it.message)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Members that the compiler derives from the declaration: they are not properties of its body.
const MADE: &[&str] = &["type", "apiVersion", "copy", "condition", "scope", "@options", "dependsOn", "metadata"];

/// As [`MADE`], for a resource that is not deployed.
const MADE_OF_EXISTING: &[&str] =
    &["type", "apiVersion", "copy", "condition", "scope", "existing", "resourceGroup", "subscriptionId", "metadata"];

/// What was counted over all templates.
#[derive(Default)]
struct Tally {
    resources: usize,
    properties: usize,
    /// Resources that are not found.
    lost: Vec<String>,
    /// Properties that are not found.
    misses: Vec<String>,
}

/// One template with its source.
struct Twin {
    name: String,
    sources: Sources,
    map: SourceMap,
}

impl Twin {
    /// The twin of a Bicep file; `None` if it has none.
    fn open(path: &Path) -> Option<Self> {
        let text: ArcStr = ArcStr::from(fs::read_to_string(path.with_extension("json")).ok()?);
        let (sources, limits) = (Sources::new(), Limits::default());
        let template = json::parse(sources.add("main.json", text.clone()), &text, 256).value?;
        let mut files = BicepFiles::new((Path::new("/"), &Disk), Path::new("/"), &sources, &limits);
        let entry = files.read(path)?;
        let map = SourceMap::new(entry, &template, &mut files);
        Some(Self { name: path.display().to_string(), sources, map })
    }

    fn text(&self, place: &SourceLocation) -> String {
        let source = self.sources.get(place.span.file);
        source.text()[place.span.start as usize..place.span.end as usize].to_owned()
    }

    fn count(&self, tally: &mut Tally) {
        let resources = self.map.template().get("resources");
        for (step, resource) in members(resources) {
            let pointer = format!("/resources/{step}");
            tally.resources += 1;
            if self.map.locate(&pointer).exactness != Exactness::Exact {
                tally.lost.push(format!("{} {pointer}", self.name));
            }
            let is_module = resource.get("properties").is_some_and(|it| it.get("template").is_some());
            if is_module {
                let arguments = resource.get("properties").and_then(|it| it.get("parameters"));
                for (name, argument) in members(arguments) {
                    let pointer = format!("{pointer}/properties/parameters/{name}");
                    self.property(&pointer, &name, tally);
                    self.below(&format!("{pointer}/value"), argument.get("value"), tally);
                }
                continue;
            }
            let made = if is_existing(resource) { MADE_OF_EXISTING } else { MADE };
            for (name, value) in members(Some(resource)).into_iter().filter(|(name, _)| !made.contains(&name.as_str()))
            {
                let pointer = format!("{pointer}/{name}");
                self.property(&pointer, &name, tally);
                self.below(&pointer, Some(value), tally);
            }
        }
    }

    /// Counts all properties in a value; `pointer` is its own.
    fn below(&self, pointer: &str, value: Option<&Value>, tally: &mut Tally) {
        for (step, inner) in members(value) {
            let pointer = format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"));
            if step == "copy" {
                for (at, entry) in members(Some(inner)) {
                    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
                    self.property(&format!("{pointer}/{at}"), name, tally);
                    self.below(&format!("{pointer}/{at}/input"), entry.get("input"), tally);
                }
                continue;
            }
            self.property(&pointer, &step, tally);
            self.below(&pointer, Some(inner), tally);
        }
    }

    /// Counts one property, which must be found at its name.
    fn property(&self, pointer: &str, name: &str, tally: &mut Tally) {
        let place = self.map.locate(pointer);
        let text = self.text(&place);
        let is_own =
            name.parse::<usize>().is_ok() || name.starts_with('[') || text.trim_start_matches('\'').starts_with(name);
        tally.properties += 1;
        if place.exactness != Exactness::Exact || !is_own {
            tally.misses.push(format!("{} {pointer}: {text:.40}", self.name));
        }
    }
}

fn is_existing(resource: &Value) -> bool {
    resource.get("existing").and_then(Value::as_bool) == Some(true)
}

/// Names or indices with what they lead to.
fn members(value: Option<&Value>) -> Vec<(String, &Value)> {
    let object = value.and_then(Value::as_object).into_iter().flatten();
    let array = value.and_then(Value::as_array).into_iter().flatten();
    let named = object.map(|it| (it.key.to_string(), &it.value));
    named.chain(array.enumerate().map(|(at, it)| (at.to_string(), it))).collect()
}

#[test]
fn resources_and_their_properties_are_found_again() {
    let mut tally = Tally::default();
    for path in corpus("avm", "main.bicep") {
        if let Some(twin) = Twin::open(&path) {
            twin.count(&mut tally);
        }
    }
    let Tally { resources, properties, lost, misses } = tally;
    note(&format!("{resources} resources, {properties} properties, {} misses", misses.len()));
    assert_eq!(lost, [""; 0]);
    assert!(misses.len() * 1000 <= properties * 5, "{}", misses.join("\n"));
}

#[cfg(unix)]
#[test]
fn sourcemap_prints_a_line_for_every_member() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    folder.write("main.bicep", "var a = {\n  b: [\n    1\n  ]\n}\n");
    folder.write("main.json", r#"{"variables": {"a": {"b": [1]}}}"#);
    folder.write("bicep", "#!/bin/sh\ncase $1 in build) cat \"${2%.bicep}.json\";; *) echo 0.28.1;; esac\n");
    let cli = folder.path().join("bicep");
    fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("PSRULE_AZURE_BICEP_PATH", cli.to_str().unwrap())];
    let ended = folder.run_with(&["sourcemap", "main.bicep"], &variables, b"");
    let rows = [
        r#"{"pointer":"/variables","line":1,"column":1,"exactness":"generated"}"#,
        r#"{"pointer":"/variables/a","line":1,"column":9,"exactness":"exact"}"#,
        r#"{"pointer":"/variables/a/b","line":2,"column":3,"exactness":"exact"}"#,
        r#"{"pointer":"/variables/a/b/0","line":3,"column":5,"exactness":"exact"}"#,
    ];
    assert_eq!((ended.code, ended.stdout.lines().collect::<Vec<_>>()), (0, rows.to_vec()));
}

#[test]
fn without_the_bicep_cli_the_searched_paths_are_named() {
    let folder = Folder::new();
    folder.write("main.bicep", "var a = 1\n");
    let ended = folder.run(&["sourcemap", "main.bicep", "--bicep", "cli"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""));
    for place in ["PSRULE_AZURE_BICEP_PATH", "PSRULE_AZURE_BICEP_USE_AZURE_CLI", "PATH"] {
        assert!(ended.stderr.contains(place), "{}", ended.stderr);
    }
}
