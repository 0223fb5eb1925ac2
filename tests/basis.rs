//! Everything that a workflow names is read, or the run ends with exit code 2: for every option and setting that names a file, as
//! the table of settings lists them, and everything that a change can put at its path.
//!
//! The base of each repository fails its check. A change that makes the check pass has weakened it.

use std::fs;
use std::path::{Path, PathBuf};

use formwork_check::config::{Role, Takes, all_settings};

use crate::changes::{RULE, Repository};
use crate::harness::{Ended, template};

/// Where the file or folder is that is named.
const NAMED: &str = "ci/named";

/// A site that accepts HTTP.
const OPEN: &str = r#"{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "location": "westeurope",
  "properties": {"httpsOnly": false}}"#;

const EMPTY_BASELINE: &str = r#"{"schema": "formwork/baseline/v1", "findings": []}"#;

fn main(resource: &str) -> String {
    template(&format!(r#""resources": [{resource}]"#))
}

/// A definition whose effect is a parameter.
fn definition(default: &str) -> String {
    format!(
        r#"{{"name": "https", "properties": {{"mode": "All",
  "parameters": {{"effect": {{"type": "String", "defaultValue": "{default}"}}}},
  "policyRule": {{"if": {{"field": "Microsoft.Web/sites/httpsOnly", "equals": false}},
    "then": {{"effect": "[parameters('effect')]"}}}}}}}}"#
    )
}

/// A kind of file that can be named.
struct Subject {
    role: Role,
    /// The name of the file, or of the one in the folder.
    file: &'static str,
    /// A content with which the check fails.
    strict: String,
    /// A content with which it would pass.
    weak: String,
    /// Other files that the check needs.
    others: Vec<(&'static str, String)>,
    /// A part of the finding with which the check fails.
    finding: &'static str,
    /// Further arguments.
    arguments: &'static [&'static str],
}

impl Subject {
    /// What a role is tried with. A new role needs a sample of its own.
    fn of(role: Role) -> Self {
        let plain = Self {
            role,
            file: "it.json",
            strict: RULE.to_owned(),
            weak: RULE.replace("\"equals\": true", "\"exists\": true"),
            others: Vec::new(),
            finding: "T-1",
            arguments: &[],
        };
        let rule = || vec![("rules/t.json", RULE.to_owned())];
        match role {
            Role::Rules => plain,
            Role::Policies => {
                Self { strict: definition("deny"), weak: definition("disabled"), finding: "azure-policy/deny", ..plain }
            }
            Role::PolicyParameters => Self {
                strict: r#"{"effect": {"value": "deny"}}"#.to_owned(),
                weak: r#"{"effect": {"value": "disabled"}}"#.to_owned(),
                others: vec![("policies/d.json", definition("disabled"))],
                finding: "azure-policy/deny",
                arguments: &["--policy=policies"],
                ..plain
            },
            Role::Baseline => Self {
                strict: EMPTY_BASELINE.to_owned(),
                weak: String::new(),
                others: rule(),
                arguments: &["--rules=rules"],
                ..plain
            },
            Role::Settings => Self {
                file: "formwork.yaml",
                strict: "fail-on: low\n".to_owned(),
                weak: "fail-on: never\n".to_owned(),
                others: rule(),
                arguments: &["--rules=rules"],
                ..plain
            },
            Role::Parameters | Role::BicepSettings => unreachable!("no setting names them"),
        }
    }
}

/// How a file is named: by a flag, or by a key of the settings.
enum By {
    Flag(String),
    Key(String),
}

/// Every way to name a file, from the table of settings, and `--config`. The second part is true for a folder.
fn ways() -> Vec<(Role, By, bool)> {
    let mut ways = vec![(Role::Settings, By::Flag("config".to_owned()), false)];
    for (key, setting) in all_settings() {
        let Some(names) = setting.names() else { continue };
        let forms: &[bool] = if matches!(setting.takes, Takes::Paths(..)) { &[false, true] } else { &[false] };
        for is_folder in forms {
            ways.extend(setting.flag.iter().map(|flag| (names.role, By::Flag(flag.name.to_owned()), *is_folder)));
            ways.push((names.role, By::Key(key.clone()), *is_folder));
        }
    }
    ways
}

/// What a change does at the path that is named.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// It edits the file.
    Edit,
    Delete,
    /// It puts a file at the path.
    File,
    /// It puts another file into the folder.
    FileInside,
    /// It puts a link at the path, to a weak one elsewhere.
    Link,
    /// It puts a link into the folder.
    LinkInside,
    Gitlink,
    /// It puts a submodule into the folder.
    GitlinkInside,
    /// It puts something in the place of the folder above.
    FileAbove,
    LinkAbove,
    GitlinkAbove,
    /// It adds the path in capital letters.
    OtherCase,
    /// It adds a file beside the path.
    Beside,
}

const DEEDS: [Deed; 13] = [
    Deed::Edit,
    Deed::Delete,
    Deed::File,
    Deed::FileInside,
    Deed::Link,
    Deed::LinkInside,
    Deed::Gitlink,
    Deed::GitlinkInside,
    Deed::FileAbove,
    Deed::LinkAbove,
    Deed::GitlinkAbove,
    Deed::OtherCase,
    Deed::Beside,
];

/// A repository with something that is named.
struct Trial<'a> {
    repository: Repository,
    subject: &'a Subject,
    is_folder: bool,
    weak: String,
}

impl Trial<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.repository.root.join(name)
    }

    /// The path of the file itself.
    fn file(&self) -> String {
        if self.is_folder { format!("{NAMED}/{}", self.subject.file) } else { NAMED.to_owned() + self.ending() }
    }

    /// What the options name.
    fn named(&self) -> String {
        if self.is_folder { NAMED.to_owned() } else { self.file() }
    }

    fn ending(&self) -> &'static str {
        if self.subject.role == Role::Settings { ".yaml" } else { ".json" }
    }

    fn clear(&self, name: &str) {
        let path = self.path(name);
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).unwrap();
        } else {
            let _ = fs::remove_file(path);
        }
    }

    fn link(&self, name: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let up = "../".repeat(Path::new(name).components().count() - 1);
        let target = if self.is_folder && name == NAMED {
            format!("{up}weak")
        } else if name == "ci" {
            "weak-ci".to_owned()
        } else {
            format!("{up}weak/{}", self.subject.file)
        };
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    fn gitlink(&self, name: &str) {
        let entry = format!("160000,{},{name}", "1".repeat(40));
        self.repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }

    /// Does it, and commits. False if it is no change of this repository.
    #[expect(clippy::too_many_lines, reason = "an arm for each deed")]
    fn make(&self, deed: Deed) -> bool {
        let (file, named) = (self.file(), self.named());
        let inside = |name: &str| if self.is_folder { format!("{NAMED}/{name}") } else { format!("{file}/{name}") };
        let exists = self.path(&file).exists();
        self.repository.put(&[(&format!("weak/{}", self.subject.file), &self.weak)]);
        self.repository.put(&[(&format!("weak-ci/named/{}", self.subject.file), &self.weak)]);
        self.repository.put(&[(&format!("weak-ci/named{}", self.ending()), &self.weak)]);
        let mut gitlink = None;
        match deed {
            Deed::Edit | Deed::Delete if !exists => return false,
            Deed::Edit => drop(self.repository.put(&[(&file, &self.weak)])),
            Deed::Delete => self.clear(&file),
            Deed::File => {
                self.clear(&named);
                self.repository.put(&[(&named, "x")]);
            }
            Deed::FileInside => {
                if !self.is_folder {
                    self.clear(&named);
                }
                self.repository.put(&[(&inside("another.json"), &self.weak)]);
            }
            Deed::Link => {
                self.clear(&named);
                self.link(&named);
            }
            Deed::LinkInside if !self.is_folder => return false,
            Deed::LinkInside => {
                let name = inside("linked.json");
                self.link(&name);
            }
            Deed::Gitlink => {
                self.clear(&named);
                gitlink = Some(named);
            }
            Deed::GitlinkInside if !self.is_folder => return false,
            Deed::GitlinkInside => gitlink = Some(inside("module")),
            Deed::FileAbove => {
                self.clear("ci");
                self.repository.put(&[("ci", "x")]);
            }
            Deed::LinkAbove => {
                self.clear("ci");
                self.link("ci");
            }
            Deed::GitlinkAbove => {
                self.clear("ci");
                gitlink = Some("ci".to_owned());
            }
            Deed::OtherCase => drop(self.repository.put(&[(&file.to_uppercase(), &self.weak)])),
            Deed::Beside => drop(self.repository.put(&[("ci/beside.txt", "x")])),
        }
        self.repository.git(&["add", "--all"]);
        if let Some(name) = gitlink {
            self.gitlink(&name);
        }
        self.repository.git(&["commit", "--quiet", "--allow-empty", "--message=change"]);
        true
    }

    /// Puts what the workflow brings along at the path, as a second checkout does.
    fn fill(&self) {
        for name in ["ci", &self.named()] {
            let path = self.path(name);
            if path.is_symlink() || path.is_file() || name != "ci" {
                self.clear(name);
            }
        }
        self.repository.put(&[(&self.file(), &self.subject.strict)]);
    }
}

/// The rest of the arguments of every run.
const CHECK: [&str; 5] =
    ["--changed=base", "--config-from=base", "--no-builtin-rules", "--format=concise", "--no-cache"];

fn is_refused(ended: &Ended) -> bool {
    ended.code == 2 && ended.stderr.contains("error")
}

/// Tries everything with the files of one role. `is_of_base` says whether the base has the file that is named; otherwise, the
/// workflow puts it on the disk.
fn check(role: Role, is_of_base: bool) {
    for (_, by, is_folder) in ways().into_iter().filter(|(own, ..)| *own == role) {
        for deed in DEEDS {
            let subject = Subject::of(role);
            let mut trial = Trial {
                repository: Repository::with(&[("main.json", &main(""))]),
                subject: &subject,
                is_folder,
                weak: subject.weak.clone(),
            };
            let named = trial.named();
            for (name, text) in &subject.others {
                trial.repository.put(&[(name, text)]);
            }
            if is_of_base {
                trial.repository.put(&[(&trial.file(), &subject.strict)]);
            }
            let flag = match &by {
                By::Flag(name) => Some(format!("--{name}={named}")),
                By::Key(key) => {
                    let value = if is_list(key) { format!("[{named}]") } else { named.clone() };
                    let text = match key.split_once('.') {
                        Some((section, key)) => format!("{section}: {{{key}: {value}}}\n"),
                        None => format!("{key}: {value}\n"),
                    };
                    trial.repository.put(&[("formwork.yaml", &text)]);
                    None
                }
            };
            trial.repository.commit().git(&["tag", "base"]);
            trial.repository.put(&[("main.json", &main(OPEN))]);
            if role == Role::Baseline {
                trial.weak = accepting(&trial.repository);
            }
            let is_made = trial.make(deed);
            if !is_made {
                continue;
            }
            if !is_of_base {
                trial.fill();
            }
            let arguments: Vec<&str> =
                CHECK.iter().copied().chain(subject.arguments.iter().copied()).chain(flag.as_deref()).collect();
            let ended = trial.repository.run(&arguments);
            let is_verdict_of_base = ended.code == 1 && ended.stdout.contains(subject.finding);
            let what = format!("{role:?} {flag:?} {deed:?}, in the base: {is_of_base}, folder: {is_folder}");
            assert!(is_verdict_of_base || is_refused(&ended), "{what}: {ended:?}");
            let is_harmless = matches!(deed, Deed::Beside);
            assert!(!is_harmless || is_verdict_of_base, "{what} is no reason to refuse: {ended:?}");
            let keeps_base = is_of_base && matches!(deed, Deed::Edit | Deed::Delete | Deed::Link | Deed::File);
            assert!(!keeps_base || is_verdict_of_base, "{what}: {ended:?}");
        }
    }
}

fn is_list(key: &str) -> bool {
    all_settings().any(|(own, setting)| own == key && matches!(setting.takes, Takes::Paths(..)))
}

/// A baseline that accepts what the change does.
fn accepting(repository: &Repository) -> String {
    let path = repository.root.join("accepted.json");
    repository.run(&["--no-builtin-rules", "--rules=rules", "--write-baseline=accepted.json", "--no-cache"]);
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(path).unwrap();
    text
}

/// Every setting that names files is tried below.
#[test]
fn every_role_is_tried() {
    let mut roles: Vec<Role> = ways().into_iter().map(|(role, ..)| role).collect();
    roles.sort();
    roles.dedup();
    let tried = [Role::Settings, Role::Rules, Role::Policies, Role::PolicyParameters, Role::Baseline];
    assert_eq!(roles, tried, "a role without a test");
}

#[test]
fn rules_are_read_or_refused() {
    check(Role::Rules, true);
    check(Role::Rules, false);
}

#[test]
fn policies_are_read_or_refused() {
    check(Role::Policies, true);
    check(Role::Policies, false);
}

#[test]
fn values_of_policies_are_read_or_refused() {
    check(Role::PolicyParameters, true);
    check(Role::PolicyParameters, false);
}

#[test]
fn baselines_are_read_or_refused() {
    check(Role::Baseline, true);
    check(Role::Baseline, false);
}

#[test]
fn settings_are_read_or_refused() {
    check(Role::Settings, true);
    check(Role::Settings, false);
}

/// A definition, an assignment, or the values of parameters that a change edits concern every template.
#[test]
fn edited_policies_check_all_templates_again() {
    let arguments = ["--policy=policies", "--policy-parameters=values.json", "--no-builtin-rules", "--format=concise"];
    let repository = |head: &[(&str, &str)]| {
        let repository = Repository::with(&[
            ("main.json", &main(OPEN)),
            ("policies/d.json", &definition("disabled")),
            ("values.json", "{}"),
        ]);
        repository.git(&["tag", "base"]);
        repository.put(head).commit();
        repository.run(&[&["--changed=base"], &arguments[..]].concat())
    };
    for head in
        [("policies/d.json", definition("deny")), ("values.json", r#"{"effect": {"value": "deny"}}"#.to_owned())]
    {
        let ended = repository(&[(head.0, &head.1)]);
        assert!(ended.code == 1 && ended.stdout.contains("azure-policy/deny"), "{}: {ended:?}", head.0);
    }
}

/// Where the settings of the change count, its reviewers are told what it does to policies.
#[test]
fn edited_policies_are_told() {
    let settings = "policy: {paths: [policies], parameters: values.json}\n";
    let base = [
        ("main.json", main(OPEN)),
        ("formwork.yaml", settings.to_owned()),
        ("policies/d.json", definition("deny")),
        ("values.json", "{}".to_owned()),
    ];
    let exemption = r#"{"type": "Microsoft.Authorization/policyExemptions", "name": "all", "properties":
        {"policyAssignmentId": "/providers/Microsoft.Authorization/policyAssignments/x", "scope": "/"}}"#;
    for (name, text) in [
        ("policies/d.json", definition("audit")),
        ("policies/new.json", exemption.to_owned()),
        ("values.json", r#"{"effect": {"value": "disabled"}}"#.to_owned()),
    ] {
        let repository = Repository::with(&base.each_ref().map(|(name, text)| (*name, text.as_str())));
        repository.git(&["tag", "base"]);
        repository.put(&[(name, &text)]).commit();
        let ended = repository.run(&["--changed=base", "--format=json", "--no-builtin-rules"]);
        let told = ended.stdout.contains("config/weakened") && ended.stdout.contains(&format!("`{name}` is "));
        assert!(told, "{name}: {ended:?}");
    }
}

/// What a link in a folder of rules leads to is a part of it.
#[test]
fn edits_behind_links_are_told() {
    let repository = Repository::with(&[("main.json", &main(OPEN)), ("shared/t.json", RULE), ("rules/readme.txt", "")]);
    std::os::unix::fs::symlink("../shared/t.json", repository.root.join("rules/t.json")).unwrap();
    repository.commit().git(&["tag", "base"]);
    repository.put(&[("shared/t.json", &RULE.replace("\"equals\": true", "\"exists\": true"))]).commit();
    let ended = repository.run(&["--changed=base", "--format=json", "--no-builtin-rules", "--rules=rules"]);
    assert!(ended.stdout.contains("`shared/t.json` is changed"), "{ended:?}");
    let arguments = ["--changed=base", "--config-from=base", "--no-builtin-rules", "--rules=rules"];
    repository.put(&[("main.json", &format!("{}\n", main(OPEN)))]).commit();
    assert_eq!(repository.run(&arguments).code, 1);
}

/// Without a base, what a change does to anything that is named would count.
#[test]
fn what_is_named_needs_a_base() {
    for (name, text, flag) in [
        ("policies/d.json", definition("deny"), "--policy=policies"),
        ("rules/t.json", RULE.to_owned(), "--rules=rules"),
        ("values.json", "{}".to_owned(), "--policy-parameters=values.json"),
        ("b.json", EMPTY_BASELINE.to_owned(), "--baseline=b.json"),
        ("ci/formwork.yaml", "fail-on: never".to_owned(), "--config=ci/formwork.yaml"),
        ("infra/bicepconfig.json", "{}".to_owned(), "--strict"),
    ] {
        let folder = Repository::without_git();
        folder.put(&[("main.json", &main(OPEN)), (name, &text)]);
        let ended = folder.run(&["--config-from=base", flag]);
        let is_told = ended.stderr.contains("the settings of the base cannot be read");
        assert!(ended.code == 2 && is_told, "{name}: {ended:?}");
    }
}

/// Files that the workflow adds to a folder of the base count as well.
#[test]
fn a_folder_of_the_base_is_read_with_what_the_workflow_adds() {
    let repository = Repository::with(&[("main.json", &main("")), ("rules/readme.txt", "our rules")]);
    repository.git(&["tag", "base"]);
    repository.put(&[("main.json", &main(OPEN))]).commit();
    repository.put(&[("rules/t.json", RULE)]);
    let arguments = ["--changed=base", "--config-from=base", "--no-builtin-rules", "--rules=rules"];
    assert_eq!(repository.run(&arguments).code, 1);
    // One that the change has as well may be the same or not.
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message=x"]);
    repository.put(&[("rules/t.json", &RULE.replace("T-1", "T-2"))]);
    let ended = repository.run(&arguments);
    assert!(ended.code == 2 && ended.stderr.contains("the disk has something else"), "{ended:?}");
}

/// A file that is only on the disk can lead to one of the base.
#[test]
fn a_link_of_the_workflow_leads_to_what_the_base_has() {
    let repository = Repository::with(&[("main.json", &main("")), ("shared/t.json", RULE)]);
    repository.git(&["tag", "base"]);
    let weak = RULE.replace("\"equals\": true", "\"exists\": true");
    repository.put(&[("main.json", &main(OPEN)), ("shared/t.json", &weak)]).commit();
    std::os::unix::fs::symlink("shared", repository.root.join("company")).unwrap();
    let ended = repository.run(&["--changed=base", "--config-from=base", "--no-builtin-rules", "--rules=company"]);
    assert!(ended.code == 1 && ended.stdout.contains("T-1"), "{ended:?}");
}
