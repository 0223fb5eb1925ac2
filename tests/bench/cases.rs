//! The runs of the program that are measured, by `cargo bench --bench program` and by `.ci/bench`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{stacks, templates};

/// A run of the program.
#[derive(Debug)]
pub(crate) struct Case {
    /// What it is called in tables.
    pub(crate) name: String,
    /// The folder to run in.
    pub(crate) folder: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Whether the program takes a number of threads.
    pub(crate) threads: bool,
    /// The files that it reads, as far as they are templates or parameters.
    pub(crate) inputs: Vec<String>,
}

/// What is added to a check: everything is reported, and findings are no failure.
const CHECK: [&str; 5] = ["check", "--quiet", "--fail-on=never", "--no-cache", "--offline"];

/// Lays out the inputs of all cases.
pub(crate) struct Layout {
    folder: PathBuf,
    cases: Vec<Case>,
}

impl Layout {
    /// Writes the inputs of all cases to a folder. Corpora come from `shared`, and samples of this repository stand in
    /// for those that are not there.
    pub(crate) fn cases(folder: &Path, shared: &Path) -> Vec<Case> {
        let mut layout = Self { folder: folder.to_owned(), cases: Vec::new() };
        layout.start();
        layout.corpora(shared);
        layout.stacks();
        layout.large();
        layout.changes();
        layout.cases
    }

    /// Writes a file, and returns its path.
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(&path, text).expect("a file can be written");
        text_of(&path)
    }

    fn add(&mut self, name: &str, arguments: &[&str], inputs: &[&str]) {
        self.cases.push(Case {
            name: name.to_owned(),
            folder: self.folder.clone(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            threads: matches!(arguments.first(), Some(&"check" | &"diff")),
            inputs: inputs.iter().map(|&path| path.to_owned()).collect(),
        });
    }

    /// Adds a check of a file or a folder, or of the files in it with an extension. Globs are those of the current folder.
    fn check(&mut self, name: &str, arguments: &[&str], input: &str) {
        let only = arguments.iter().find_map(|argument| argument.strip_prefix("--include=**/*."));
        let mut inputs = Vec::new();
        collect(Path::new(input), &only.map_or(vec!["json", "yaml", "yml"], |only| vec![only]), &mut inputs);
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let is_folder = Path::new(input).is_dir();
        self.add(name, &[&CHECK, arguments, &[if is_folder { "." } else { input }]].concat(), &inputs);
        if let Some(case) = self.cases.last_mut().filter(|_| is_folder) {
            case.folder = input.into();
        }
    }

    fn start(&mut self) {
        self.add("`--version`", &["--version"], &[]);
        let small = self.write("small/main.json", &templates::account(0));
        self.check("check of one small template", &["--format=json"], &small);
    }

    /// Real templates. The names of the rows say where they come from.
    fn corpora(&mut self, shared: &Path) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = |name: &str, sample: &str| {
            let corpus = shared.join("corpus").join(name);
            if corpus.is_dir() {
                (name.to_owned(), text_of(&corpus))
            } else {
                (format!("`{sample}`"), text_of(&root.join(sample)))
            }
        };
        let (name, folder) = found("quickstart", "tests/rules/azure");
        self.check(&format!("{name}: templates"), &["--format=json"], &folder);
        self.check(&format!("{name}: templates, without rules"), &["--format=json", "--no-builtin-rules"], &folder);
        let (name, folder) = found("avm", "tests/examples/azure");
        self.check(&format!("{name}: templates"), &["--format=json", "--include=**/*.json"], &folder);
        let (name, folder) = found("avm", "tests/golden/bicep");
        let bicep = ["--format=json", "--include=**/*.bicep", "--bicep=builtin"];
        self.check(&format!("{name}: Bicep files"), &bicep, &folder);
        let (name, folder) = found("cloudformation", "tests/rules/aws");
        self.check(&format!("{name}: templates"), &["--format=json"], &folder);
    }

    fn stacks(&mut self) {
        let guard = self.write("guard.ruleset", stacks::RULESET);
        let all = self.write("findings.ruleset", stacks::FINDINGS_RULESET);
        let rules = |path: &str| format!("--rules={path}");
        let ten = self.write("stack-10000/main.json", &stacks::stack(10_000));
        self.check("stack of 10,000 resources", &["--format=json"], &ten);
        let line = self.write("stack-line/main.json", &stacks::stack(1_000).replace('\n', ""));
        self.check("stack of 1,000 resources on one line", &["--format=json"], &line);
        let own = ["--format=json", "--no-builtin-rules", &rules(&guard)];
        self.check("stack of 10,000 resources, 20 Guard rules", &own, &ten);
        let keys = self.write("keys/main.json", &stacks::distinct_keys(2_000, 5));
        let wildcard = self.write("keys.ruleset", stacks::KEYS_RULESET);
        let own = ["--format=json", "--no-builtin-rules", &rules(&wildcard)];
        self.check("10,000 names below a wildcard of Guard", &own, &keys);
        let yaml = self.write("stack-yaml/main.yaml", &stacks::yaml(10_000));
        let own = ["--format=json", "--no-builtin-rules", &rules(&guard)];
        self.check("YAML stack of 10,000 resources, 20 Guard rules", &own, &yaml);
        let yaml = self.write("stack-yaml-1000/main.yaml", &stacks::yaml(1_000));
        self.check("YAML stack of 1,000 resources", &["--format=json"], &yaml);
        let hundred = self.write("stack-100000/main.json", &stacks::stack(100_000));
        self.check("stack of 100,000 resources", &["--format=json"], &hundred);
        let sarif = ["--format=sarif", "--no-builtin-rules", &rules(&all)];
        self.check("SARIF report on 10,000 findings", &sarif, &ten);
    }

    fn large(&mut self) {
        let parameters = self.write("parameters/main.json", &templates::parameters(100_000));
        self.check("100,000 parameters", &["--format=json"], &parameters);
        let loops = self.write("loops/main.json", &templates::loops(25));
        self.add("expand 20,000 resources", &["expand", &loops], &[&loops]);
        let bicep = self.write("bicep/main.bicep", &bicep(1_000));
        let build = ["build", "--bicep=builtin", &bicep];
        self.add("build a Bicep file of 1,000 resources", &build, &[&bicep]);
    }

    fn changes(&mut self) {
        let text = stacks::stack(10_000);
        let old = self.write("old/main.json", &text);
        let new = self.write("new/main.json", &text.replace("team-7\"", "team-x\""));
        let diff = ["diff", "--format=json", &old, &new];
        self.add("diff of 10,000 resources, 250 of which change", &diff, &[&old, &new]);

        for at in 0..1_000 {
            self.write(&format!("many/{}/{at}.json", at % 20), &templates::account(at));
        }
        let many = self.folder.join("many");
        git(&many, &["init", "--quiet"]);
        git(&many, &["add", "."]);
        git(&many, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=all"]);
        for at in [3, 303, 603] {
            let changed = templates::account(at).replace("TLS1_0", "TLS1_1");
            self.write(&format!("many/{}/{at}.json", at % 20), &changed);
        }
        self.check("1,000 small templates", &["--format=json"], &text_of(&many));
        self.check("3 changed of 1,000 small templates", &["--format=json", "--changed"], &text_of(&many));
    }
}

/// A Bicep file that compiles on its own.
fn bicep(resources: usize) -> String {
    let declared = "param prefix string\nparam location string\nparam enabled bool\nparam tags object\n\
        resource subnet 'Microsoft.Network/virtualNetworks/subnets@2023-05-01' existing = {\n  name: 'network/subnet'\n}\n";
    format!("{declared}{}", templates::bicep(resources))
}

fn text_of(path: &Path) -> String {
    path.to_str().expect("paths are UTF-8").to_owned()
}

/// The files of a folder, or the one that is named, with one of these extensions.
fn collect(path: &Path, extensions: &[&str], files: &mut Vec<String>) {
    if path.is_dir() {
        let below = fs::read_dir(path).expect("a folder can be read");
        let mut below: Vec<PathBuf> = below.map(|entry| entry.expect("a folder can be read").path()).collect();
        below.sort();
        for path in &below {
            collect(path, extensions, files);
        }
    } else if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known)) {
        files.push(text_of(path));
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git").args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").status();
    assert!(status.is_ok_and(|status| status.success()), "git {arguments:?} works");
}
