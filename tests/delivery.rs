//! What the action, the hooks, the workflows and the pages about them say of each other and of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::Value;

use crate::harness::Folder;
use crate::yaml;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The files of a folder with this extension.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = root().join(folder).read_dir().unwrap().map(|it| it.unwrap().path());
    entries.filter(|it| it.extension().is_some_and(|it| it == extension)).collect()
}

/// The pages for users.
fn pages() -> Vec<PathBuf> {
    let mut pages = files("docs", "md");
    pages.push(root().join("README.md"));
    pages
}

/// The blocks of a language on the pages, each with the name of its page.
fn blocks(language: &str) -> Vec<(String, String)> {
    let fence = format!("```{language}\n");
    let mut blocks = Vec::new();
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let shown = page.split(&fence).skip(1).map(|it| it.split_once("```").unwrap().0.to_owned());
        blocks.extend(shown.map(|it| (path.display().to_string(), it)));
    }
    blocks
}

/// The flags that a command knows.
fn flags(command: &str) -> BTreeSet<String> {
    let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
    let help = Folder::new().run(&words).stdout;
    Regex::new(r"--[a-z][a-z-]+").unwrap().find_iter(&help).map(|it| it.as_str().to_owned()).collect()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// The steps of all jobs of a workflow.
fn steps(workflow: &Value) -> Vec<&Value> {
    let jobs = workflow["jobs"].as_object().into_iter().flatten();
    jobs.flat_map(|(_, job)| job["steps"].as_array().unwrap()).collect()
}

#[test]
fn actions_of_others_are_pinned_by_commit() {
    let pinned = Regex::new(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    let mut texts = vec![read("action.yml")];
    texts.extend(files(".github/workflows", "yml").iter().map(|it| fs::read_to_string(it).unwrap()));
    texts.extend(blocks("yaml").into_iter().map(|(_, block)| block));
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in texts.iter().flat_map(|it| it.lines()) {
        let Some((_, used)) = line.split_once("uses: ") else { continue };
        if used.starts_with("./ ") || used == "OWNER/formwork@COMMIT" {
            continue;
        }
        assert!(pinned.is_match(used), "`{used}` is not pinned");
        let (name, version) = used.split_once('@').unwrap();
        versions.entry(name.to_owned()).or_default().insert(version.to_owned());
    }
    let several: Vec<_> = versions.iter().filter(|(_, it)| it.len() > 1).collect();
    assert!(several.is_empty() && versions.len() > 3, "one version of each: {versions:?}");
}

#[test]
fn nothing_is_pasted_into_scripts() {
    let mut texts = vec![read("action.yml")];
    texts.extend(files(".github/workflows", "yml").iter().map(|it| fs::read_to_string(it).unwrap()));
    let documents: Vec<Value> = texts.iter().map(|it| yaml::parse(it)).collect();
    let inner = documents.iter().flat_map(|it| it["runs"]["steps"].as_array().into_iter().flatten());
    let scripts = documents.iter().flat_map(steps).chain(inner).filter_map(|it| it["run"].as_str());
    let mut count = 0;
    for script in scripts {
        count += 1;
        assert!(!script.contains("${{"), "{script}");
    }
    assert!(count > 5);
}

#[test]
fn the_page_lists_the_inputs_and_outputs_of_the_action() {
    let action = yaml::parse(&read("action.yml"));
    let page = read("docs/action.md");
    let row = |line: &str| -> Option<(Vec<String>, String)> {
        let mut cells = line.strip_prefix("| `")?.split('|').map(|it| it.trim().trim_matches('`').to_owned());
        let names = cells.next()?.split("`, `").map(str::to_owned).collect();
        Some((names, cells.next()?))
    };
    let (_, tables) = page.split_once("## Inputs").unwrap();
    let (inputs, outputs) = tables.split_once("## Outputs").unwrap();
    let (outputs, _) = outputs.split_once("\n## ").unwrap();
    let listed: BTreeMap<String, String> = inputs
        .lines()
        .filter_map(row)
        .flat_map(|(names, it)| names.into_iter().map(move |name| (name, it.clone())))
        .collect();
    assert_eq!(listed.keys().map(String::as_str).collect::<BTreeSet<_>>(), keys(&action["inputs"]));
    for (name, default) in listed.iter().filter(|(name, _)| *name != "token") {
        assert_eq!(action["inputs"][name]["default"], default.as_str(), "{name}");
    }
    let listed: BTreeSet<String> = outputs.lines().filter_map(row).flat_map(|(names, _)| names).collect();
    assert_eq!(listed.iter().map(String::as_str).collect::<BTreeSet<_>>(), keys(&action["outputs"]));
}

#[test]
fn every_input_reaches_a_step() {
    let text = read("action.yml");
    let (declared, steps) = text.split_once("\nruns:\n").unwrap();
    for input in keys(&yaml::parse(declared)["inputs"]) {
        assert!(steps.contains(&format!("inputs.{input} ")), "`{input}` does nothing");
    }
}

#[test]
fn workflows_on_the_pages_fit_the_action() {
    let action = yaml::parse(&read("action.yml"));
    let (inputs, outputs) = (keys(&action["inputs"]), keys(&action["outputs"]));
    let output = Regex::new(r"steps\.formwork\.outputs\.([\w-]+)").unwrap();
    let mut count = 0;
    for (page, block) in blocks("yaml") {
        let workflow = yaml::parse(&block);
        for step in steps(&workflow).into_iter().filter(|it| it["uses"] == "OWNER/formwork@COMMIT") {
            count += 1;
            assert!(keys(&step["with"]).is_subset(&inputs), "{page}: {step}");
        }
        for name in output.captures_iter(&block) {
            assert!(outputs.contains(&name[1]), "{page}: there is no output `{}`", &name[1]);
        }
        for (_, job) in workflow["jobs"].as_object().into_iter().flatten() {
            let allowed = &job["permissions"];
            let allowed = if allowed.is_null() { &workflow["permissions"] } else { allowed };
            assert_eq!(allowed["contents"], "read", "{page}: least permissions are shown\n{block}");
            let asks = |input: &str| steps(&workflow).iter().any(|it| it["with"][input] == "true");
            assert_eq!(allowed["security-events"] == "write", asks("upload-sarif"), "{page}:\n{block}");
            let comments = asks("review-comments") || asks("summary-comment");
            assert_eq!(allowed["pull-requests"] == "write", comments, "{page}:\n{block}");
        }
    }
    assert!(count >= 4);
}

#[test]
fn the_workflows_for_forks_fit_together() {
    let page = read("docs/permissions.md");
    let workflows: Vec<Value> = blocks("yaml").into_iter().map(|(_, block)| yaml::parse(&block)).collect();
    let find = |name: &str| {
        workflows.iter().find(|it| page.contains("## Comment on pull requests from forks") && it["name"] == name)
    };
    let second = find("Comments").unwrap();
    let names = second["on"]["workflow_run"]["workflows"].as_array().unwrap();
    let uploads =
        |it: &&Value| steps(it).iter().any(|it| it["uses"].as_str().unwrap_or_default().contains("/upload-artifact@"));
    let first = workflows.iter().filter(|it| names.contains(&it["name"])).find(uploads).unwrap();
    let step = |workflow: &Value, part: &str| -> Value {
        let mut steps = steps(workflow).into_iter();
        steps.find(|it| it["uses"].as_str().unwrap_or_default().contains(part)).unwrap()["with"].clone()
    };
    let (left, taken) = (step(first, "/upload-artifact@"), step(second, "/download-artifact@"));
    assert_eq!(left["name"], taken["name"]);
    assert_eq!(left["path"], "${{ steps.formwork.outputs.json-file }}");
    // The name that `formwork github action` gives the report.
    let report = format!("{}/report.json", taken["path"].as_str().unwrap());
    assert_eq!(step(second, "OWNER/formwork")["report"], report);
    assert!(!steps(second).iter().any(|it| it["uses"].as_str().unwrap_or_default().contains("/checkout@")));
    assert_eq!(first["permissions"], second["permissions"]);
    assert_eq!(first["jobs"]["check"]["permissions"], serde_json::json!({"contents": "read"}));
}

#[test]
fn hooks_on_the_pages_exist_and_get_arguments_that_the_program_knows() {
    let hooks = yaml::parse(&read(".pre-commit-hooks.yaml"));
    let ids: BTreeSet<&str> = hooks.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    let known = flags("check");
    let mut count = 0;
    for (page, block) in blocks("yaml") {
        for repository in yaml::parse(&block)["repos"].as_array().into_iter().flatten() {
            for hook in repository["hooks"].as_array().unwrap() {
                count += 1;
                assert!(ids.contains(hook["id"].as_str().unwrap()), "{page}: {hook}");
                let arguments = hook["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let unknown: Vec<_> =
                    arguments.filter(|it| it.starts_with("--") && *it != "--" && !known.contains(*it)).collect();
                assert_eq!(unknown, [""; 0], "{page}");
            }
        }
    }
    assert!(count >= 2);
    let listed = read("docs/pre-commit.md");
    assert!(ids.iter().all(|it| listed.contains(&format!("| `{it}` |"))), "{ids:?}");
}

#[test]
fn commands_on_the_pages_have_flags_that_the_program_knows() {
    let call = Regex::new(r"formwork (check|expand|explain|eval|github report) ([^|`\n]*)").unwrap();
    let flag = Regex::new(r"--[a-z][a-z-]+").unwrap();
    let mut count = 0;
    for path in pages() {
        for call in call.captures_iter(&fs::read_to_string(&path).unwrap()) {
            let known = flags(&call[1]);
            for flag in flag.find_iter(&call[2]) {
                count += 1;
                assert!(known.contains(flag.as_str()), "{}: {} has no {}", path.display(), &call[1], flag.as_str());
            }
        }
    }
    assert!(count >= 2);
}

#[test]
fn releases_are_built_for_the_targets_that_the_action_asks_for() {
    let release = yaml::parse(&read(".github/workflows/release.yml"));
    let matrix = release["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let built: BTreeSet<&str> = matrix.iter().map(|it| it["target"].as_str().unwrap()).collect();
    let script = read(".github/action/install.sh");
    let asked = Regex::new(r"(?:Linux|macOS|Windows)/\w+\) echo ([\w-]+) ;;").unwrap();
    assert_eq!(built, asked.captures_iter(&script).map(|it| it.get(1).unwrap().as_str()).collect());
    let name = r#""dist/formwork-$version-$target.tar.gz""#;
    assert!(
        read(".github/release-archive.sh").contains(name)
            && script.contains("archive=formwork-$version-$(target).tar.gz")
    );
}

#[test]
fn the_table_of_checksums_has_rows_of_a_checksum_and_an_archive() {
    let row = Regex::new(r"^[0-9a-f]{64}  formwork-[\w.-]+\.tar\.gz$").unwrap();
    for line in read(".github/action/checksums.txt").lines().filter(|it| !it.starts_with('#')) {
        assert!(row.is_match(line), "{line}");
    }
}
