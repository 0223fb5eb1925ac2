//! `formwork diff`, on files, folders, and states of a repository.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::changes::Repository;
use crate::harness::{Ended, Folder, is_blessing, parameters, template};
use crate::schemas::assert_described;

const GOLDEN: &str = "tests/golden/diff";

/// Runs the program in a folder of a repository.
pub(crate) fn run_in(repository: &Repository, folder: &str, arguments: &[&str]) -> Ended {
    let mut command = repository.command(env!("CARGO_BIN_EXE_formwork"), folder);
    let output = command.arg("diff").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The difference of two texts of one template.
pub(crate) fn compared(old: &str, new: &str, arguments: &[&str]) -> Ended {
    let folder = Folder::new();
    folder.write("old.json", old).write("new.json", new);
    folder.run(&[&["diff", "old.json", "new.json", "--exit-code"], arguments].concat())
}

#[track_caller]
pub(crate) fn check_same(old: &str, new: &str) {
    let ended = compared(old, new, &[]);
    assert!(ended.code == 0 && ended.stdout.starts_with("No difference in 1 deployment with "), "{ended:?}");
}

/// A template in Bicep with an account of this access tier.
fn account(tier: &str) -> String {
    format!(
        "resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {{\n  name: 'account'\n  location: 'westeurope'\n  \
         kind: 'StorageV2'\n  sku: {{ name: 'Standard_LRS' }}\n  properties: {{ accessTier: '{tier}' }}\n}}\n"
    )
}

#[test]
fn bicep_is_compared_and_what_builds_it_is_said_once() {
    let folder = Folder::new();
    folder.write("old/main.bicep", account("Hot")).write("new/main.bicep", account("Cool"));
    let ended = folder.run(&["diff", "old", "new", "--exit-code"]);
    assert!(ended.code == 1 && ended.stdout.contains("properties.accessTier: \"Hot\" → \"Cool\""), "{ended:?}");
    assert_eq!(ended.stderr.matches("note[bicep/tool]").count(), 1, "{ended:?}");
}

/// The resources of a JSON difference, as `sign type name path…`.
fn told(document: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let resources = |deployment: &Value| deployment["resources"].as_array().unwrap().clone();
    let all = document["deployments"].as_array().unwrap().iter().flat_map(resources);
    let paths = |resource: &Value| {
        let changes = resource["changes"].as_array().unwrap().iter();
        changes.map(|change| format!(" {}", text(&change["path"]))).collect::<Vec<_>>().concat()
    };
    let told =
        all.map(|resource| format!("{} {}{}", text(&resource["outcome"]), text(&resource["name"]), paths(&resource)));
    told.collect()
}

fn golden(format: &str, file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
    let (old, new) = (format!("{GOLDEN}/old"), format!("{GOLDEN}/new"));
    program.args(["diff", old.as_str(), new.as_str(), "--format", format]).current_dir(folder).env_clear();
    let output = String::from_utf8(program.output().unwrap().stdout).unwrap();
    let output = output.replace(concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"VERSION\"");
    let path = folder.join(GOLDEN).join(file);
    if is_blessing() {
        fs::write(path, output).unwrap();
    } else {
        assert_eq!(output, fs::read_to_string(path).unwrap());
    }
}

#[test]
fn people_read_what_the_golden_file_says() {
    golden("console", "console.txt");
}

#[test]
fn programs_read_what_the_golden_file_says() {
    golden("json", "diff.json");
}

#[test]
fn readers_of_pages_read_what_the_golden_files_say() {
    golden("markdown", "diff.md");
}

#[test]
fn the_json_has_its_schema() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN).join("diff.json");
    let golden = serde_json::from_str(&fs::read_to_string(golden).unwrap()).unwrap();
    assert_described("diff", &[golden, run_in(&repository(), "", &["first..HEAD", "--format", "json"]).json()]);
}

#[test]
fn two_unknown_values_with_one_reason_are_shown_once() {
    let with = |allowed: &str| {
        let site = SITE.replace("true", "\"[if(parameters('open'), 1, parameters('other'))]\"");
        let declared = r#""parameters": {"open": {"type": "bool"}, "other": {"type": "int", "defaultValue": 2}}"#;
        template(&format!("{declared}, \"resources\": [{site}]")).replace("2}", &format!("{allowed}}}"))
    };
    for (format, expected) in [("console", "parameter `open` has no value, changed"), ("markdown", ", changed")] {
        let ended = compared(&with("2"), &with("3"), &["--format", format]);
        let line = ended.stdout.lines().find(|line| line.contains("httpsOnly")).unwrap_or_default();
        assert!(ended.code == 1 && line.contains(expected) && !line.contains('→'), "{ended:?}");
    }
}

/// A template with these resources.
pub(crate) fn resources(items: &str) -> String {
    template(&format!("\"resources\": [{items}]"))
}

pub(crate) const SITE: &str = r#"{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "kind": "x", "properties": {"httpsOnly": true, "a": {"b": [1, 2]}}}"#;
const PLAN: &str =
    r#"{"type": "Microsoft.Web/serverfarms", "apiVersion": "2022-09-01", "name": "plan", "properties": {}}"#;

#[test]
fn the_way_a_template_is_written_makes_no_difference() {
    let old = resources(&format!("{SITE}, {PLAN}"));
    check_same(&old, &old);
    check_same(&old, &old.replace(", ", ",\n      "));
    check_same(&old, &resources(&format!("{PLAN}, {SITE}")));
    let members = r#"{"properties": {"a": {"b": [1, 2]}, "httpsOnly": true}, "name": "app", "kind": "x", "apiVersion": "2022-09-01", "type": "microsoft.web/sites"}"#;
    check_same(&old, &resources(&format!("{members}, {PLAN}")));
    let depends = PLAN.replace("\"name\"", "\"dependsOn\": [\"app\"], \"comments\": \"x\", \"name\"");
    check_same(&old, &resources(&format!("{SITE}, {depends}")));
}

#[test]
fn a_literal_that_becomes_a_parameter_makes_no_difference() {
    let old = resources(SITE);
    let site = SITE.replace("true", "[parameters('https')]").replace("\"[parameters", "[parameters");
    let site =
        site.replace("[parameters('https')]", "\"[parameters('https')]\"").replace("\"app\"", "\"[variables('n')]\"");
    let declared = r#""parameters": {"https": {"type": "bool", "defaultValue": true}}, "variables": {"n": "app"}"#;
    check_same(&old, &template(&format!("{declared}, \"resources\": [{site}]")));
}

#[test]
fn a_template_that_is_split_into_modules_makes_no_difference() {
    let old = resources(&format!("{SITE}, {PLAN}"));
    let module = resources(SITE);
    let nested = format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {module}}}}}"#
    );
    check_same(&old, &resources(&format!("{PLAN}, {nested}")));
}

#[test]
fn a_symbol_with_another_name_makes_no_difference() {
    let with = |symbol: &str| {
        let site = SITE.replace("\"app\"", "\"[parameters('name')]\"");
        template(&format!(
            r#""languageVersion": "2.0", "parameters": {{"name": {{"type": "string"}}}}, "resources": {{"{symbol}": {site}, "plan": {PLAN}}}"#
        ))
    };
    check_same(&with("site"), &with("frontend"));
}

#[test]
fn a_symbol_of_a_resource_that_exists_makes_no_difference() {
    let with = |symbol: &str| {
        let site = SITE.replace("true", &format!("\"[reference('{symbol}').x]\""));
        let plan = PLAN.replacen('{', "{\"existing\": true, ", 1);
        template(&format!(r#""languageVersion": "2.0", "resources": {{"site": {site}, "{symbol}": {plan}}}"#))
    };
    check_same(&with("plan"), &with("farm"));
    let other = with("plan").replace("\"plan\", \"properties\"", "\"other\", \"properties\"");
    assert_eq!(compared(&with("plan"), &other, &[]).code, 1);
}

#[test]
fn what_is_known_of_an_encoded_text_counts() {
    let with = |text: &str| {
        format!(
            "Resources:\n  A:\n    Type: AWS::EC2::Instance\n    Properties:\n      UserData:\n        Fn::Base64: !Sub '{text} ${{AWS::Region}}'\n"
        )
    };
    let folder = Folder::new();
    folder.write("old.yaml", with("one")).write("new.yaml", with("two"));
    assert_eq!(folder.run(&["diff", "old.yaml", "new.yaml", "--exit-code"]).code, 1);
    assert_eq!(folder.run(&["diff", "old.yaml", "old.yaml", "--exit-code"]).code, 0);
}

#[test]
fn each_outcome_is_told() {
    let maybe = PLAN.replace("\"name\"", "\"condition\": \"[parameters('open')]\", \"name\"");
    let open = r#""parameters": {"open": {"type": "bool"}}, "resources""#;
    let new = resources(&format!("{}, {maybe}", SITE.replace("[1, 2]", "[1, 3]"))).replacen("\"resources\"", open, 1);
    let old = resources(&format!("{SITE}, {PLAN}, {}", PLAN.replace("plan", "gone").replace("serverfarms", "x")));
    let ended = compared(&old, &new, &["--format", "json"]);
    assert_eq!(told(&ended.json()), ["uncertain plan", "change app properties.a.b[1]", "remove gone"]);
    assert_eq!(ended.code, 1);
    let back = compared(&new, &old, &["--format", "json"]);
    assert_eq!(told(&back.json()), ["uncertain plan", "change app properties.a.b[1]", "create gone"]);
}

#[test]
fn deployments_of_a_template_that_differ_alike_are_told_once() {
    let folder = Folder::new();
    for (side, tier) in [("old", "Hot"), ("new", "Cool")] {
        folder.write(&format!("{side}/main.bicep"), format!("param env string\n{}", account(tier)));
        for env in ["dev", "prod"] {
            let text = format!("using 'main.bicep'\nparam env = '{env}'\n");
            folder.write(&format!("{side}/main.{env}.bicepparam"), text);
        }
    }
    let ended = folder.run(&["diff", "old", "new"]);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let file = |side: &str, env: &str| format!("{side}/main.bicep with {side}/main.{env}.bicepparam");
    let title = |env: &str| format!("{} (old: {})", file("new", env), file("old", env));
    assert_eq!(lines[..2], [title("dev"), title("prod")], "{ended:?}");
    assert_eq!(ended.stdout.matches("\"Hot\" → \"Cool\"").count(), 1, "{ended:?}");
    assert!(ended.stdout.contains("2 of 2 deployments differ: 0 to create, 2 to change"), "{ended:?}");
}

#[test]
fn an_unknown_value_differs_only_if_its_reason_does() {
    let with = |properties: &str| {
        let declared = r#""parameters": {"one": {"type": "string"}, "two": {"type": "string"}}"#;
        let site = SITE.replace("true", properties);
        template(&format!("{declared}, \"resources\": [{site}]"))
    };
    check_same(&with("\"[parameters('one')]\""), &with("\"[ parameters( 'one' ) ]\""));
    let ended = compared(&with("\"[parameters('one')]\""), &with("\"[parameters('two')]\""), &[]);
    assert!(ended.stdout.contains("properties.httpsOnly: (known after deployment): parameter `one`"), "{ended:?}");
    let ended =
        compared(&with("\"[concat('a', parameters('one'))]\""), &with("\"[concat('b', parameters('one'))]\""), &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
}

#[test]
fn a_complete_deployment_deletes() {
    let nested = |inside: &str| {
        let module = resources(inside);
        resources(&format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{"mode": "Complete", "template": {module}}}}}"#
        ))
    };
    let ended = compared(&nested(&format!("{SITE}, {PLAN}")), &nested(PLAN), &[]);
    assert!(ended.stdout.contains("- Microsoft.Web/sites app (old.json:7), deleted"), "{ended:?}");
    assert!(!ended.stdout.contains("incremental"), "{ended:?}");
}

#[test]
fn a_text_cannot_command_a_terminal_or_a_runner() {
    let hostile = SITE.replace("\"app\"", r#""\u001b[31m::error::x""#).replace("\"x\"", r#""\n::error::y ##[group]""#);
    let ended = compared(&resources(PLAN), &resources(&hostile), &[]);
    let changed =
        compared(&resources(SITE), &resources(&SITE.replace("\"x\"", r#""\n::error::y ##[group]\u001b""#)), &[]);
    let page = |format: &str| {
        compared(
            &resources(SITE),
            &resources(&SITE.replace("\"x\"", r#""</code></td><script>\n::error::y ##[x]""#)),
            &["--format", format],
        )
    };
    for format in ["markdown", "html"] {
        let page = page(format).stdout;
        assert!(page.contains("&lt;script&gt;") && page.matches("<script>").count() < 2, "{page}");
        assert!(!page.contains("##[") && !page.lines().any(|line| line.starts_with("::")), "{page}");
    }
    for text in [ended.stdout, changed.stdout] {
        assert!(!text.contains('\u{1b}') && !text.contains("##["), "{text:?}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text:?}");
    }
}

#[test]
fn long_differences_are_bounded() {
    let many = |value: i64| {
        let members: Vec<String> = (0..3000).map(|at| format!("\"p{at}\": {value}")).collect();
        let site = SITE.replace("\"a\":", &format!("\"long\": {{{}}}, \"a\":", members.join(",")));
        let plans: Vec<String> = (0..300)
            .map(|at| {
                PLAN.replace("Web/serverfarms", "Zed/plans").replace("\"plan\"", &format!("\"plan{value}-{at}\""))
            })
            .collect();
        resources(&format!("{site}, {}", plans.join(",")))
    };
    let ended = compared(&many(1), &many(2), &[]);
    assert!(ended.stdout.lines().count() < 200, "{}", ended.stdout.lines().count());
    assert!(ended.stdout.contains("… and 2980 more properties") && ended.stdout.contains("more resources"));
    let json = compared(&many(1), &many(2), &["--format", "json"]).json();
    let resources = json["deployments"][0]["resources"].as_array().unwrap().clone();
    let site = resources.iter().find(|resource| resource["name"] == "app").unwrap();
    assert_eq!((site["changes"].as_array().unwrap().len(), site["moreChanges"].as_u64()), (1000, Some(2000)));
}

/// A repository with a commit, a tag `first` for it, and a second commit that changes a parameter file.
fn repository() -> Repository {
    let main = template(&format!(
        "\"parameters\": {{\"kind\": {{\"type\": \"string\"}}}}, \"resources\": [{}]",
        SITE.replace("\"x\"", "\"[parameters('kind')]\"")
    ));
    let with = |kind: &str| parameters(&format!("\"kind\": {{\"value\": \"{kind}\"}}"));
    let repository = Repository::with(&[("infra/main.json", &main), ("infra/main.parameters.json", &with("a"))]);
    repository.git(&["tag", "first"]);
    repository.put(&[("infra/main.parameters.json", &with("b"))]).commit();
    repository
}

#[test]
fn states_of_a_repository_are_compared_without_a_checkout() {
    let repository = repository();
    let head = fs::read(repository.root.join(".git/HEAD")).unwrap();
    let ended = run_in(&repository, "", &["first"]);
    let cause = "parameter `kind` (infra/main.parameters.json:1): \"a\" → \"b\"; 1 changed property depends on it";
    assert!(ended.code == 0 && ended.stdout.contains(cause), "{ended:?}");
    assert!(ended.stdout.starts_with("infra/main.json with infra/main.parameters.json\n"), "{ended:?}");
    let json = run_in(&repository, "infra", &["first..HEAD", "main.json", "--format", "json"]).json();
    assert_eq!(
        (told(&json), &json["deployments"][0]["template"]),
        (vec!["change app kind".to_owned()], &Value::from("main.json"))
    );
    assert_eq!(json["old"]["commit"], repository.git(&["rev-parse", "first"]));
    let back = run_in(&repository, "", &["HEAD..first", "--exit-code"]);
    assert!(back.code == 1 && back.stdout.contains("kind: \"b\" → \"a\""), "{back:?}");
    assert_eq!(run_in(&repository, "", &["--exit-code"]).code, 0);
    assert_eq!(
        (repository.git(&["status", "--porcelain"]).as_str(), fs::read(repository.root.join(".git/HEAD")).unwrap()),
        ("", head)
    );
}

#[test]
fn the_index_and_the_working_tree_are_different_states() {
    let repository = repository();
    repository.put(&[("infra/new.json", &resources(PLAN))]);
    let ended = run_in(&repository, "", &["--exit-code"]);
    assert!(ended.code == 1 && ended.stdout.contains("infra/new.json: a new deployment"), "{ended:?}");
    assert_eq!(run_in(&repository, "", &["--staged", "--exit-code"]).code, 0);
    repository.git(&["add", "--all"]);
    assert_eq!(run_in(&repository, "", &["--staged", "--exit-code"]).code, 1);
}

#[test]
fn a_renamed_template_is_the_same_deployment() {
    let repository = repository();
    repository.git(&["mv", "infra", "deploy"]);
    let ended = run_in(&repository, "", &["--staged", "--exit-code"]);
    assert!(ended.code == 0 && ended.stdout.starts_with("No difference in 1 deployment"), "{ended:?}");
}

#[test]
fn a_side_that_cannot_be_read_is_neither_new_nor_removed() {
    let repository = repository();
    repository.put(&[("infra/main.json", "{")]);
    let ended = run_in(&repository, "", &["--exit-code"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("cannot be compared") && ended.stderr.contains("infra/main.json"), "{ended:?}");
    assert!(!ended.stdout.contains("- Microsoft"), "{ended:?}");
    let back = run_in(&repository, "", &["HEAD..first"]);
    assert_eq!(back.code, 0, "{back:?}");
}

#[test]
fn settings_of_the_current_folder_hold_on_both_sides() {
    let repository = repository();
    repository.put(&[("infra/skipped/x.json", &resources(PLAN))]).commit();
    repository.put(&[("formwork.yaml", "exclude: [infra/skipped]\n")]);
    let ended = run_in(&repository, "", &["--exit-code"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert!(!ended.stdout.contains("skipped"), "{ended:?}");
}

#[test]
fn mistakes_are_told() {
    let repository = repository();
    let wrong = |arguments: &[&str], message: &str| {
        let ended = run_in(&repository, "", arguments);
        assert!(ended.code == 2 && ended.stderr.contains(message), "{arguments:?}: {ended:?}");
    };
    wrong(&["nowhere"], "there is no commit `nowhere`");
    wrong(&["first..nowhere"], "there is no commit `nowhere`");
    wrong(&["first", "nowhere.json"], "`nowhere.json` is on neither side");
    wrong(&["first", "../x.json"], "is outside the repository");
    wrong(&["infra", "infra/main.json"], "expected two files or two folders");
    wrong(&["first..HEAD", "--staged"], "expected only BASE");
}

#[test]
fn a_risk_can_fail_the_comparison() {
    let open = SITE.replace("\"httpsOnly\": true", "\"httpsOnly\": false");
    let with = |site: &str, level: &str| {
        let folder = Folder::new();
        folder.write("old.json", resources(SITE)).write("new.json", resources(site));
        folder.run(&["diff", "old.json", "new.json", &format!("--fail-on-risk={level}")])
    };
    let ended = with(&open, "medium");
    let told = "! medium risk: requests without encryption are accepted (`properties.httpsOnly`)";
    assert!(ended.code == 1 && ended.stdout.contains(told), "{ended:?}");
    assert!(ended.stdout.contains("Risks: 0 high, 1 medium, 0 low"), "{ended:?}");
    assert_eq!(with(&open, "high").code, 0);
    assert_eq!(with(&SITE.replace("[1, 2]", "[3]"), "low").code, 0);
    assert_eq!(with(&open, "none").code, 2);
}

/// All that a comparison says besides what it counts of what does not differ.
fn differing(document: &Value) -> Value {
    let mut kept = document.clone();
    kept["summary"]["deployments"].as_object_mut().unwrap().remove("same");
    kept["summary"]["resources"].as_object_mut().unwrap().remove("same");
    kept["summary"].as_object_mut().unwrap().remove("untouched");
    kept
}

/// Compares commits with and without narrowing, and returns how many files were not expanded.
#[track_caller]
fn check_narrowing(repository: &Repository, arguments: &[&str]) -> u64 {
    let narrowed = run_in(repository, "", &[arguments, &["--format", "json"]].concat());
    let all = run_in(repository, "", &[arguments, &["--format", "json", "--all"]].concat());
    assert_eq!(narrowed.code, all.code, "{arguments:?}: {narrowed:?}");
    let (narrowed, all) = (narrowed.json(), all.json());
    assert_eq!(differing(&narrowed), differing(&all), "{arguments:?}");
    assert_eq!(all["summary"]["untouched"], 0);
    narrowed["summary"]["untouched"].as_u64().unwrap()
}

/// The files of a golden folder, by their paths in it.
fn files_of(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN).join(folder);
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let text =
        |path: &Path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap());
    entries.map(|path| text(&path)).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one repository and its files")]
fn what_the_change_cannot_touch_is_not_expanded_and_differs_nowhere() {
    let linking = |file: &str| {
        resources(&format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{"mode": "Incremental", "templateLink": {{"relativePath": "{file}"}}}}}}"#
        ))
    };
    let of = |template: &str, kind: &str| {
        parameters(&format!("\"kind\": {{\"value\": \"{kind}\"}}")).replacen(
            '{',
            &format!("{{\"metadata\": {{\"template\": \"{template}\"}},"),
            1,
        )
    };
    let main = template(&format!(
        "\"parameters\": {{\"kind\": {{\"type\": \"string\", \"defaultValue\": \"d\"}}}}, \"resources\": [{}]",
        SITE.replace("\"x\"", "\"[parameters('kind')]\"")
    ));
    let repository = Repository::with(&[
        ("same.json", &resources(PLAN)),
        ("same.parameters.json", &parameters("")),
        ("apps/main.json", &main),
        ("apps/main.parameters.dev.json", &of("apps/main.json", "a")),
        ("apps/main.parameters.prod.json", &of("apps/main.json", "a")),
        ("links/outer.json", &linking("inner.json")),
        ("links/inner.json", &resources(SITE)),
        ("links/other.json", &linking("plan.json")),
        ("links/plan.json", &resources(PLAN)),
        (
            "bicep/main.bicep",
            "param text string = loadTextContent('text.txt')\nmodule m 'module.bicep' = { name: 'm', params: { kind: text } }\n",
        ),
        (
            "bicep/module.bicep",
            "param kind string\nresource p 'Microsoft.Web/serverfarms@2022-09-01' = {\n  name: 'p'\n  location: 'w'\n  kind: kind\n}\n",
        ),
        ("bicep/text.txt", "one"),
        (
            "bicep/alone.bicep",
            "resource p 'Microsoft.Web/serverfarms@2022-09-01' = {\n  name: 'q'\n  location: 'w'\n}\n",
        ),
    ]);
    for (name, text) in files_of("old") {
        repository.put(&[(&format!("golden/{name}"), &text)]);
    }
    repository.commit();
    let mut untouched = Vec::new();
    let mut step = |files: &[(&str, &str)], gone: &[&str]| {
        repository.put(files);
        for name in gone {
            fs::remove_file(repository.root.join(name)).unwrap();
        }
        let of_tree = check_narrowing(&repository, &[]);
        repository.git(&["add", "--all"]);
        assert_eq!(of_tree, check_narrowing(&repository, &["--staged"]));
        repository.commit();
        assert_eq!(of_tree, check_narrowing(&repository, &["HEAD~1..HEAD"]));
        check_narrowing(&repository, &["HEAD..HEAD~1"]);
        check_narrowing(&repository, &["HEAD~1..HEAD", "links", "apps/main.json"]);
        untouched.push(of_tree);
    };
    step(&[("links/inner.json", &resources(&SITE.replace("[1, 2]", "[3]")))], &[]);
    step(&[("bicep/text.txt", "two")], &[]);
    step(
        &[(
            "bicep/module.bicep",
            "param kind string\nresource p 'Microsoft.Web/serverfarms@2022-09-01' = {\n  name: 'p'\n  location: 'x'\n  kind: kind\n}\n",
        )],
        &[],
    );
    step(&[("apps/main.parameters.dev.json", &of("apps/main.json", "b"))], &[]);
    // Without its last parameter file, a template is another deployment, wherever the file was.
    step(&[], &["apps/main.parameters.dev.json"]);
    step(&[("elsewhere/values.json", &of("apps/main.json", "c"))], &["apps/main.parameters.prod.json"]);
    step(&[], &["elsewhere/values.json"]);
    step(&[("elsewhere/values.json", &of("apps/main.json", "c"))], &[]);
    step(&[("moved/plan.json", &resources(PLAN))], &["links/plan.json"]);
    step(&[("same.json", "{")], &[]);
    let golden = files_of("new");
    let golden: Vec<(String, &String)> = golden.iter().map(|(name, text)| (format!("golden/{name}"), text)).collect();
    let mut golden: Vec<(&str, &str)> = golden.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    // What is broken and not expanded does not fail the comparison.
    let same = resources(PLAN);
    golden.push(("same.json", &same));
    step(&golden, &["golden/gone.json"]);
    assert!(untouched.iter().all(|count| *count >= 8), "{untouched:?}");
    let ended = run_in(&repository, "", &["HEAD~1..HEAD", "links"]);
    assert!(
        ended.stdout.contains("templates and parameter files that the change does not affect were not expanded"),
        "{ended:?}"
    );
}

#[test]
fn parameter_files_of_commits_belong_to_their_templates() {
    let repository = repository();
    let names = |arguments: &[&str]| {
        let json = run_in(&repository, "", &[arguments, &["--format", "json"]].concat()).json();
        let deployment = &json["deployments"][0];
        (deployment["template"].clone(), deployment["parameters"].clone(), told(&json))
    };
    let expected = ("infra/main.json".into(), "infra/main.parameters.json".into(), vec!["change app kind".to_owned()]);
    for arguments in [
        &["first..HEAD"][..],
        &["first..HEAD", "infra"],
        &["first..HEAD", "infra/main.json"],
        &["first..HEAD", "infra/main.json", "--all"],
        &["first..HEAD", "infra/main.parameters.json"],
        &["first..HEAD", "infra/*.json"],
        &["first", "infra/main.json"],
    ] {
        assert_eq!(names(arguments), expected, "{arguments:?}");
    }
}
