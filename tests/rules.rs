//! The embedded rules, each with a folder of templates in `tests/rules`.
//!
//! Below what a rule must report there are carets: `// ^^^^ warning AZ-STORAGE-001: beginning of the message`, in YAML after a
//! `#`. The word before the id is the level, or `unknown` where only a deployment can tell. Of several lines, the first is
//! marked. A finding without carets fails, and so do carets without a finding. Parameter files belong to the templates
//! beside them, as they do for users.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::thread;

use serde_json::Value;

use crate::harness::{Folder, is_blessing};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The paths of the files below a folder, relative to it, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            files.extend(files_below(&path).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            files.push(name);
        }
    }
    files
}

/// The rule files, as `azure/storage/https-only.json`.
fn rule_files() -> Vec<String> {
    let is_rule = |path: &String| path.starts_with("aws/") || path.starts_with("azure/");
    files_below(&root().join("rules")).into_iter().filter(is_rule).collect()
}

fn rule_text(file: &str) -> String {
    fs::read_to_string(root().join("rules").join(file)).unwrap()
}

/// A rule of the folder `rules`.
pub(crate) struct Rule {
    pub(crate) id: String,
    /// As `Storage.HttpsOnly`.
    pub(crate) name: String,
    /// Its file, as `azure/storage/https-only.json`.
    file: String,
}

impl Rule {
    /// Where it is, without the extension, and where its samples are: `azure/storage/https-only`.
    pub(crate) fn folder(&self) -> String {
        let (service, telling) = self.name.split_once('.').unwrap();
        let cloud = self.file.split('/').next().unwrap();
        let mut folder = format!("{cloud}/{}/", service.to_lowercase());
        for (at, letter) in telling.char_indices() {
            if at > 0 && letter.is_ascii_uppercase() {
                folder.push('-');
            }
            folder.push(letter.to_ascii_lowercase());
        }
        folder
    }
}

/// The rules of a JSON file.
fn json_rules(file: &str) -> Vec<Value> {
    match serde_json::from_str(&rule_text(file)).unwrap() {
        Value::Object(mut members) if members.contains_key("rules") => {
            members["rules"].take().as_array().unwrap().clone()
        }
        rule => vec![rule],
    }
}

/// All rules, ordered by their files.
pub(crate) fn rules() -> Vec<Rule> {
    let mut rules = Vec::new();
    for file in rule_files() {
        let named: Vec<(String, String)> = if file.strip_suffix(".json").is_some() {
            let text = |rule: &Value, name: &str| rule[name].as_str().unwrap().to_owned();
            json_rules(&file).iter().map(|rule| (text(rule, "id"), text(rule, "name"))).collect()
        } else {
            let text = rule_text(&file);
            let all = |key: &str| -> Vec<String> {
                text.lines().filter_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned()).collect()
            };
            all("# id: ").into_iter().zip(all("# name: ")).collect()
        };
        rules.extend(named.into_iter().map(|(id, name)| Rule { id, name, file: file.clone() }));
    }
    rules
}

/// Something that is marked, or reported.
#[derive(Debug)]
struct Mark {
    line: usize,
    /// First and last column, from 1.
    columns: (usize, usize),
    /// The level, or `unknown`, and the id of the rule.
    what: String,
    message: String,
}

impl Mark {
    fn is_reported_as(&self, other: &Self) -> bool {
        (self.line, self.columns, &self.what) == (other.line, other.columns, &other.what)
            && other.message.starts_with(&self.message)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, columns: (first, last), what, message } = self;
        write!(f, "line {line}, columns {first} to {last}: {what}: {message}")
    }
}

/// The carets of a template. They belong to the last line above that is not of carets.
fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut marked = 0;
    for (at, line) in text.lines().enumerate() {
        let comment = line.trim_start();
        let comment = comment.strip_prefix("//").or_else(|| comment.strip_prefix('#'));
        let carets = comment.map(str::trim_start).filter(|comment| comment.starts_with('^'));
        let Some(carets) = carets else {
            marked = at + 1;
            continue;
        };
        let said = carets.trim_start_matches('^');
        let first = line.len() - carets.len() + 1;
        let columns = (first, first + carets.len() - said.len() - 1);
        let (what, message) = said.trim().split_once(':').unwrap_or((said.trim(), ""));
        marks.push(Mark { line: marked, columns, what: what.to_owned(), message: message.trim().to_owned() });
    }
    marks
}

/// What the rule of a folder says of one of its templates.
#[derive(Default)]
struct Report {
    /// What failed, and what is unknown.
    marks: Vec<Mark>,
    /// Whether something passed.
    has_passed: bool,
}

/// What each rule says of its templates, by their paths below `tests/rules`. Each file of rules is run alone, on the
/// templates of its rules: what other rules say of a template is not its subject.
fn reports() -> &'static BTreeMap<String, Report> {
    static REPORTS: LazyLock<BTreeMap<String, Report>> = LazyLock::new(|| {
        let mut folders: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        for rule in rules() {
            folders.entry(rule.file.clone()).or_default().push(rule);
        }
        let files: Vec<_> = folders.into_iter().collect();
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let each = files.len().div_ceil(threads);
        thread::scope(|scope| {
            let chunks: Vec<_> = files.chunks(each).map(|chunk| scope.spawn(|| reports_of(chunk))).collect();
            chunks.into_iter().flat_map(|chunk| chunk.join().unwrap()).collect()
        })
    });
    &REPORTS
}

/// The reports of some files of rules, each with its rules.
fn reports_of(files: &[(String, Vec<Rule>)]) -> BTreeMap<String, Report> {
    let samples = root().join("tests/rules");
    let mut reports = BTreeMap::new();
    for (file, rules) in files {
        let output = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args(["check", "--format", "json", "--show-passed", "--no-builtin-rules", "--rules"])
            .arg(root().join("rules").join(file))
            .args(rules.iter().map(Rule::folder))
            .current_dir(&samples)
            .env_clear()
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("no report ({error}): {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(report["diagnostics"], serde_json::json!([]), "{file}");
        reports.extend(by_file(&report, &samples, rules));
    }
    reports
}

fn by_file(report: &Value, samples: &Path, rules: &[Rule]) -> BTreeMap<String, Report> {
    let mut reports: BTreeMap<String, Report> = BTreeMap::new();
    for rule in rules {
        let folder = rule.folder();
        let templates = names(&samples.join(&folder)).into_iter().filter(|name| !name.contains(".parameters"));
        reports.extend(templates.map(|name| (format!("{folder}/{name}"), Report::default())));
    }
    for result in report["results"].as_array().unwrap() {
        let word = |name: &str| result[name].as_str().unwrap().to_owned();
        let file = result["location"]["file"].as_str().unwrap();
        let Some(rule) = rules.iter().find(|rule| file.starts_with(&format!("{}/", rule.folder()))) else { continue };
        if word("rule") != rule.id {
            continue;
        }
        let report = reports.get_mut(file).unwrap();
        let what = match word("outcome").as_str() {
            "failed" => format!("{} {}", word("level"), word("rule")),
            "passed" => {
                report.has_passed = true;
                continue;
            }
            outcome => format!("{outcome} {}", word("rule")),
        };
        let text = fs::read_to_string(samples.join(file)).unwrap();
        let places = std::iter::once(&result["location"]).chain(result["failures"].as_array().unwrap());
        report.marks.extend(places.map(|place| located(place, &text, what.clone(), word("message"))));
    }
    reports
}

/// A place of a report as it is marked in the text.
fn located(place: &Value, text: &str, what: String, message: String) -> Mark {
    let number = |name: &str| usize::try_from(place[name].as_u64().unwrap()).unwrap();
    let line = number("line");
    let end = if number("end_line") == line {
        number("end_column")
    } else {
        text.lines().nth(line - 1).unwrap().encode_utf16().count() + 1
    };
    Mark { line, columns: (number("column"), end - 1), what, message }
}

#[test]
fn rules_report_what_is_marked_and_nothing_else() {
    let mut wrong = String::new();
    for (path, report) in reports() {
        let text = fs::read_to_string(root().join("tests/rules").join(path)).unwrap();
        let mut unmarked: Vec<&Mark> = report.marks.iter().collect();
        for mark in marks(&text) {
            if !take(&mut unmarked, &mark) {
                writeln!(wrong, "{path} not reported: {mark}").unwrap();
            }
        }
        for mark in unmarked {
            writeln!(wrong, "{path} not marked: {mark}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Removes what is reported as it is marked; whether there was something.
fn take(found: &mut Vec<&Mark>, mark: &Mark) -> bool {
    let at = found.iter().position(|reported| mark.is_reported_as(reported));
    at.map(|at| found.remove(at)).is_some()
}

#[test]
fn every_rule_has_something_that_fails_something_that_passes_and_something_unknown() {
    for rule in rules() {
        let folder = format!("{}/", rule.folder());
        let id = &rule.id;
        let own: Vec<&Report> =
            reports().iter().filter(|(path, _)| path.starts_with(&folder)).map(|(_, report)| report).collect();
        let is_marked = |word: &str| {
            let what = format!("{word} {id}");
            own.iter().any(|report| report.marks.iter().any(|mark| mark.what == what))
        };
        assert!(["error", "warning", "note"].into_iter().any(is_marked), "{id}: nothing fails");
        // Of a service that is retired, every resource fails.
        let is_of_all =
            rule.file.strip_suffix(".json").is_some() && rule_text(&rule.file).contains("\"path\": \"type\"");
        // What a condition decides fails where a value of a parameter deploys it.
        let is_conditional = own.iter().any(|report| report.marks.iter().any(|mark| mark.message.contains(" (if ")));
        assert!(is_of_all || is_conditional || is_marked("unknown"), "{id}: nothing is unknown");
        assert!(is_of_all || own.iter().any(|report| report.has_passed), "{id}: nothing passes");
    }
}

#[test]
fn the_example_shows_values_from_parameters_variables_and_files() {
    let output = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["check", "--format", "json", "tests/examples/azure"])
        .current_dir(root())
        .env_clear()
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<String> = Vec::new();
    for result in report["results"].as_array().unwrap() {
        let names = [&result["rule"], &result["resource"]["name"]].map(text);
        let origins = result["related"].as_array().unwrap().iter().map(|label| text(&label["message"]));
        found.push(format!("{}: {}", names.join(" "), origins.collect::<Vec<_>>().join(", ")));
    }
    found.sort();
    let wanted = [
        "AZ-APPSERVICE-001 app-shopprod: ",
        "AZ-APPSERVICE-002 app-shopdev: value comes from the default of parameter `minimumTls`",
        "AZ-KEYVAULT-001 kv-shopdev: value comes from variable `vault`, value comes from variable `isProduction`, \
         value comes from parameter `environment`",
        "AZ-NSG-001 nsg-shopdev: value comes from variable `openPorts`, value comes from parameter `administrators`",
        "AZ-STORAGE-003 stshopdev: value comes from parameter `publicImages`",
        "AZ-STORAGE-004 stshopdev/default/images: value comes from parameter `publicImages`",
        "secret/credential : ",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn rules_and_their_folders_belong_together() {
    let folders: BTreeSet<String> = files_below(&root().join("tests/rules"))
        .iter()
        .map(|file| file.rsplit_once('/').unwrap().0.to_owned())
        .collect();
    assert_eq!(folders, rules().iter().map(Rule::folder).collect());
}

#[test]
fn a_rule_is_found_by_its_name() {
    for rule in rules() {
        let (folder, service) = (rule.folder(), rule.name.split('.').next().unwrap().to_uppercase());
        if rule.file.strip_suffix(".json").is_some() {
            // Rules that share constants have a file that is called like what they have in common.
            let (place, name) = rule.file.strip_suffix(".json").and_then(|file| file.rsplit_once('/')).unwrap();
            let (known, whole) = folder.rsplit_once('/').unwrap();
            let is_alone = json_rules(&rule.file).len() == 1;
            let is_called_so = if is_alone { whole == name } else { whole.ends_with(&format!("-{name}")) };
            assert!(place == known && is_called_so, "{} should not be in {}", rule.name, rule.file);
        }
        let cloud = if folder.starts_with("aws") { "AWS" } else { "AZ" };
        let number = rule.id.strip_prefix(&format!("{cloud}-{service}-"));
        let is_number = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        assert!(number.is_some_and(is_number), "{}: the id {} is of another service", rule.name, rule.id);
    }
}

#[test]
fn a_rule_says_everything_about_itself() {
    for file in rule_files().into_iter().filter(|file| file.strip_suffix(".json").is_some()) {
        let vendor = if file.starts_with("aws") { "docs.aws.amazon.com" } else { "learn.microsoft.com" };
        for rule in json_rules(&file) {
            for name in ["name", "shortDescription", "fullDescription", "recommendation", "helpUri", "severity"] {
                assert!(!rule[name].is_null(), "a rule of {file} has no {name}");
            }
            let page = rule["helpUri"].as_str().unwrap();
            assert!(page.starts_with(&format!("https://{vendor}/")), "{file} links no page of the vendor");
        }
    }
}

#[test]
fn a_line_of_a_ruleset_says_everything_about_itself() {
    for file in rule_files().into_iter().filter(|file| file.strip_suffix(".json").is_none()) {
        let text = rule_text(&file);
        for block in text.split("\n\n").skip(1) {
            let service = block.split_once("# name: ").and_then(|(_, rest)| rest.split('.').next()).unwrap_or_default();
            let id = format!("# id: AWS-{}-", service.to_uppercase());
            assert!(block.starts_with(&id), "{file}: {id} does not begin\n{block}");
            for key in ["severity", "summary", "recommendation", "help: https://docs.aws.amazon.com/"] {
                assert!(block.contains(&format!("\n# {key}")), "{file}: no {key} in\n{block}");
            }
            let rules = block.lines().filter(|line| !line.starts_with('#'));
            assert_eq!(rules.count(), 1, "{file}: one line of rules is wanted in\n{block}");
        }
    }
}

/// <https://docs.aws.amazon.com/securityhub/latest/userguide/iam-controls.html>: `IAM.1` and `IAM.21` evaluate no inline policies.
#[test]
fn controls_about_managed_policies_are_only_those_of_rules_about_them() {
    for file in rule_files().into_iter().filter(|file| file.starts_with("aws/iam")) {
        if file.strip_suffix(".json").is_none() {
            assert!(!rule_text(&file).contains("fsbp:IAM.1,"), "{file}");
            continue;
        }
        for rule in json_rules(&file) {
            let controls = rule["controls"].as_array().into_iter().flatten();
            let is_of_policies =
                controls.filter_map(Value::as_str).any(|id| ["fsbp:IAM.1", "fsbp:IAM.21"].contains(&id));
            let type_name = &rule["evaluation"]["resourceType"];
            assert!(!is_of_policies || type_name == "AWS::IAM::ManagedPolicy", "{}", rule["id"]);
        }
    }
}

#[test]
fn the_runtimes_of_lambda_are_those_that_are_deprecated() {
    let table = fs::read_to_string(root().join("rules/data/lambda-runtimes.tsv")).unwrap();
    let mut rows = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once('\t').unwrap());
    let (_, today) = rows.next().filter(|(name, _)| *name == "as of").unwrap();
    let deprecated: Vec<&str> = rows.filter(|(_, day)| *day <= today).map(|(name, _)| name).collect();
    let list = format!("AWS::Lambda::Function Runtime NOT_IN [{}] <<", deprecated.join(", "));
    assert!(rule_text("aws/lambda.ruleset").contains(&list), "expected {list}");
}

#[test]
fn every_rule_file_is_embedded() {
    let line = |file: &String| format!("    (\"{file}\", include_str!(\"{file}\")),\n");
    let right = format!("[\n{}]\n", rule_files().iter().map(line).collect::<String>());
    check_whole("rules/files.list", &right);
}

#[test]
fn every_table_with_dates_is_embedded() {
    let names = fs::read_dir(root().join("rules/data")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    let tables = names.iter().filter_map(|name| name.strip_suffix(".tsv"));
    let line = |name: &str| format!("    (\"{name}\", include_str!(\"data/{name}.tsv\")),\n");
    check_list("rules/lib.rs", &tables.map(line).collect::<String>());
}

/// Compares the list in a source file with what it should be, or renews it.
fn check_list(path: &str, list: &str) {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let (begin, rest) = text.split_once("    // begin of the list\n").unwrap();
    let (_, end) = rest.split_once("    // end of the list\n").unwrap();
    let right = format!("{begin}    // begin of the list\n{list}    // end of the list\n{end}");
    check_whole(path, &right);
}

/// Compares a file with what it should be, or renews it.
fn check_whole(path: &str, right: &str) {
    let file = root().join(path);
    if is_blessing() {
        fs::write(&file, right).unwrap();
    } else {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text == right, "{path} differs from the folder; `INSTA_UPDATE=always cargo test` renews it");
    }
}

/// How many rules of the folder `rules`, and how many other rules and checks, `rules list` lists.
fn listed(folder: &Folder, arguments: &[&str]) -> (usize, usize) {
    let ended = folder.run(&[&["rules", "list"], arguments].concat());
    assert_eq!(ended.code, 0, "{ended:?}");
    let is_rule = |line: &&str| line.starts_with("AZ-") || line.starts_with("AWS-");
    let (rules, others): (Vec<_>, Vec<_>) = ended.stdout.lines().partition(is_rule);
    (rules.len(), others.len())
}

#[test]
fn embedded_rules_can_be_disabled_by_a_flag_and_by_the_settings() {
    let folder = Folder::new();
    let (rules, checks) = listed(&folder, &[]);
    assert_eq!(rules, self::rules().len());
    assert!(checks > 0);
    let (rules, those_of_problems) = listed(&folder, &["--no-builtin-rules"]);
    assert_eq!(rules, 0);
    assert!(those_of_problems < checks, "{those_of_problems} of {checks}");
    folder.write("formwork.json", r#"{"rules": {"builtin": false}}"#);
    assert_eq!(listed(&folder, &[]), (0, those_of_problems));
}

#[test]
fn a_rule_with_the_id_of_an_embedded_one_is_a_warning() {
    let folder = Folder::new();
    let id = "AZ-STORAGE-001";
    folder.write("own.json", rule_text("azure/storage/https-only.json"));
    let warning = format!("another rule has the id `{id}`");
    let stderr =
        |arguments: &[&str]| folder.run(&[&["rules", "list", "--rules", "own.json"], arguments].concat()).stderr;
    assert!(stderr(&[]).contains(&warning), "{}", stderr(&[]));
    assert_eq!(stderr(&["--no-builtin-rules"]), "");
}
