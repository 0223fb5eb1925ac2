//! A check that several machines share, and the joined reports of their parts.

use crate::harness::{Ended, Folder, parameters, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "everyone listens",
  "recommendation": "Set it.", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// What is checked by every test here.
const CHECK: [&str; 4] = ["check", "--rules=rules.json", "--rules-include=T-1", "--rules-include=suppression/*"];

fn site(name: &str, https: &str) -> String {
    let site = format!(
        r#""parameters": {{"https": {{"type": "bool", "defaultValue": false}}, "unset": {{"type": "bool"}}}},
  "resources": [{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "{name}",
    "properties": {{"httpsOnly": {https}, "note": "größe 𐍈"}}}}]"#
    );
    template(&site)
}

fn linking(file: &str) -> String {
    template(&format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
    "properties": {{"mode": "Incremental", "templateLink": {{"relativePath": "{file}"}},
      "parameters": {{"https": {{"value": false}}, "unset": {{"value": true}}}}}}}}]"#
    ))
}

/// A repository with all that could be torn apart: parameter files beside and elsewhere, a template that two others link
/// to, what cannot be parsed, what cannot be decided, exports, stacks, line endings of Windows, one long line.
fn repository() -> Folder {
    let folder = Folder::new();
    folder.write("rules.json", RULE).write(".git/HEAD", "ref: refs/heads/main\n").write(".gitignore", "reports\n");
    for number in 0..7 {
        let https = ["false", "true", "\"[parameters('https')]\"", "\"[parameters('unset')]\""][number % 4];
        folder.write(&format!("sites/{number}.json"), site(&format!("app{number}"), https));
    }
    folder
        .write("sites/2.parameters.json", parameters(r#""https": {"value": false}, "unset": {"value": true}"#))
        .write("sites/2.parameters.prod.json", parameters(r#""https": {"value": true}, "unset": {"value": true}"#))
        .write("sites/broken.json", &site("broken", "true")[..200])
        .write(
            "elsewhere/p.json",
            parameters(r#""https": {"value": false}"#)
                .replace("\"parameters\":", "\"metadata\": {\"template\": \"sites/6.json\"}, \"parameters\":"),
        )
        .write("lost.parameters.json", parameters(""))
        .write("links/a.json", linking("shared/site.json"))
        .write("links/b.json", linking("shared/site.json"))
        .write("links/shared/site.json", site("shared", "\"[parameters('https')]\""))
        .write("windows.json", site("windows", "false").replace('\n', "\r\n"))
        .write("long.json", site("long", "false").replace('\n', " "))
        .write(
            "list.json",
            r#"[{"id": "/x", "name": "app", "type": "Microsoft.Web/sites", "properties": {"httpsOnly": false}}]"#,
        )
        .write(
            "stack.yaml",
            "Resources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties: {BucketName: !Ref Nothing}\n",
        )
        .write("package.json", "{}");
    folder
}

/// Runs all parts, writes their reports, and gives how they ended.
fn parts(folder: &Folder, count: usize, arguments: &[&str]) -> Vec<Ended> {
    let part = |index: usize| {
        let (shard, output) = (format!("{index}/{count}"), format!("json=reports/{index}.json"));
        let own = ["--shard", &shard, "--output", &output];
        let ended = folder.run_with(&[&CHECK[..], arguments, &own].concat(), &[("PATH", "/usr/bin:/bin")], b"");
        assert!(folder.path().join(format!("reports/{index}.json")).exists(), "{ended:?}");
        ended
    };
    let _ = std::fs::remove_dir_all(folder.path().join("reports"));
    std::fs::create_dir_all(folder.path().join("reports")).unwrap();
    (1..=count).map(part).collect()
}

fn merge(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["merge", "reports"], arguments].concat())
}

/// Every format that can be joined; the first two have all that is known of a finding.
const FORMATS: &[&str] =
    &["json", "sarif", "junit", "markdown", "concise", "github", "rdjson", "gitlab", "azure", "html"];

/// Compares the joined reports with those of a run that is not split.
#[track_caller]
fn check_same(folder: &Folder, formats: &[&str], count: usize, of_check: &[&str], of_merge: &[&str]) {
    parts(folder, count, of_check);
    for format in formats {
        let whole = folder.run(&[&CHECK[..], of_check, of_merge, &["--format", format]].concat());
        let joined = merge(folder, &[of_merge, &["--format", format]].concat());
        assert_eq!(
            (joined.code, joined.stderr.as_str()),
            (whole.code, whole.stderr.as_str()),
            "{format}, {count} parts"
        );
        assert!(
            joined.stdout == whole.stdout,
            "{format}, {count} parts: {}",
            difference(&whole.stdout, &joined.stdout)
        );
    }
}

fn difference(whole: &str, joined: &str) -> String {
    let first = whole.lines().zip(joined.lines()).enumerate().find(|(_, (a, b))| a != b);
    first.map_or_else(|| "one is longer".to_owned(), |(line, (a, b))| format!("line {}:\n{a}\n{b}", line + 1))
}

#[test]
fn joined_reports_are_those_of_the_whole_run() {
    let folder = repository();
    check_same(&folder, FORMATS, 3, &[], &[]);
    for count in [1, 2, 7] {
        check_same(&folder, &FORMATS[..2], count, &[], &[]);
    }
    std::fs::remove_file(folder.path().join("sites/broken.json")).unwrap();
    for of_merge in [&["--fail-on", "high"][..], &["--fail-on-unknown"], &["--show-unknown"], &["--allow-unreadable"]] {
        check_same(&folder, &FORMATS[..1], 3, &[], of_merge);
    }
    check_same(&folder, &FORMATS[..2], 3, &["--show-passed"], &[]);
}

/// The files of each part, as `--show-files` lists them.
fn files(folder: &Folder, count: usize, arguments: &[&str]) -> Vec<Vec<String>> {
    let part = |index: usize| {
        let shard = format!("{index}/{count}");
        let ended = folder.run(&[&["check", "--show-files", "--quiet", "--shard", &shard], arguments].concat());
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.stdout.lines().map(str::to_owned).collect()
    };
    (1..=count).map(part).collect()
}

#[test]
fn each_file_is_in_exactly_one_part() {
    let folder = repository();
    let whole: Vec<String> = folder.run(&["check", "--show-files"]).stdout.lines().map(str::to_owned).collect();
    assert!(whole.len() > 15, "{whole:?}");
    for count in [1, 2, 3, 4, 9, 100] {
        let parts = files(&folder, count, &[]);
        let mut all = parts.concat();
        all.sort();
        let mut expected = whole.clone();
        expected.sort();
        assert_eq!(all, expected, "{count} parts");
        assert_eq!(parts, files(&folder, count, &["--threads", "1"]), "the parts are the same each time");
        let together = |files: &[&str]| {
            let holds = |part: &Vec<String>, file: &str| part.iter().any(|line| line.starts_with(&format!("{file}: ")));
            let homes: Vec<Option<usize>> =
                files.iter().map(|file| parts.iter().position(|part| holds(part, file))).collect();
            assert!(homes[0].is_some() && homes.iter().all(|home| *home == homes[0]), "{files:?}: {homes:?}");
        };
        together(&["sites/2.json", "sites/2.parameters.json", "sites/2.parameters.prod.json"]);
        together(&["sites/6.json", "elsewhere/p.json"]);
        together(&["links/a.json", "links/b.json", "links/shared/site.json"]);
    }
}

#[test]
fn a_bicep_file_is_with_what_it_belongs_to_and_modules_are_of_no_part() {
    let folder = Folder::new();
    for name in ["a", "b", "c", "d"] {
        folder.write(&format!("{name}/main.bicep"), "module m '../modules/m.bicep' = {\n  name: 'm'\n}\n");
        folder.write(&format!("{name}/main.bicepparam"), "using 'main.bicep'\n");
    }
    folder.write("modules/m.bicep", "module n 'n.bicep' = {\n  name: 'n'\n}\n").write("modules/n.bicep", "");
    let parts = files(&folder, 4, &[]);
    for part in &parts {
        let names: Vec<&str> = part.iter().map(|line| line.split('/').next().unwrap()).collect();
        assert!(names.len() == 1 && names[0] != "modules", "{parts:?}");
    }
}

#[test]
fn parts_cost_about_the_same() {
    let folder = Folder::new();
    let padded =
        |size: usize| template(&format!(r#""variables": {{"padding": "{}"}}, "resources": []"#, "x".repeat(size)));
    for (name, size) in [("a", 90_000), ("b", 50_000), ("c", 40_000), ("d", 10_000)] {
        folder.write(&format!("{name}.json"), padded(size));
    }
    let parts = files(&folder, 2, &[]);
    let names =
        |part: &[String]| part.iter().map(|line| line.split('.').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(parts.iter().map(|part| names(part)).collect::<Vec<_>>(), [vec!["a", "d"], vec!["b", "c"]]);
    // Each parameter file is one more expansion.
    for number in 0..9 {
        folder.write(&format!("d.parameters.{number}.json"), parameters(""));
    }
    let parts = files(&folder, 2, &[]);
    let home = parts.iter().find(|part| names(part).contains(&"d".to_owned())).unwrap();
    assert!(!names(home).contains(&"a".to_owned()), "{parts:?}");
}

#[test]
fn flags_that_make_no_sense_for_a_part_are_refused() {
    let folder = repository();
    for arguments in [
        &["--shard", "0/2"][..],
        &["--shard", "3/2"],
        &["--shard", "1"],
        &["--shard", "1/2", "--write-baseline", "b.json"],
        &["--shard", "1/2", "--fix"],
        &["--shard", "1/2", "-"],
    ] {
        let ended = folder.run(&[&["check"], arguments].concat());
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments:?}: {ended:?}");
    }
    for arguments in [&["--format", "console"][..], &["--output", "console=x"]] {
        let ended = merge(&folder, arguments);
        assert!(ended.code == 2 && ended.stderr.contains("`console` is a format for a check"), "{ended:?}");
    }
}

#[test]
fn a_report_that_is_missing_or_wrong_is_3_and_nothing_is_written() {
    let folder = repository();
    parts(&folder, 3, &[]);
    std::fs::remove_file(folder.path().join("reports/2.json")).unwrap();
    let check = |message: &str| {
        let ended = merge(&folder, &["--output", "sarif=out.sarif"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{ended:?}");
        assert!(ended.stderr.contains(message), "{ended:?}");
        assert!(!folder.path().join("out.sarif").exists());
    };
    check("error: the report of part 2 of 3 is missing; its check may have failed");
    folder.write("reports/2.json", "{\"schema\": \"x\", \"##[add-mask]\": 1}");
    check("error: cannot use `reports/2.json`: `schema` of the report is not `formwork/report/v1`");
    std::fs::remove_dir_all(folder.path().join("reports")).unwrap();
    check("error: cannot read the report `reports`");
    std::fs::create_dir_all(folder.path().join("reports")).unwrap();
    check("error: `reports` has no JSON file");
}

#[test]
fn the_baseline_of_the_parts_is_that_of_the_whole_run() {
    let folder = repository();
    std::fs::remove_file(folder.path().join("sites/broken.json")).unwrap();
    let written = folder.run(&[&CHECK[..], &["--write-baseline", "accepted.json", "--fail-on", "never"]].concat());
    assert_eq!(written.code, 0, "{written:?}");
    let accepted = std::fs::read_to_string(folder.path().join("accepted.json")).unwrap();
    // One finding is fixed, one template is gone, and one finding is new.
    folder.write("sites/0.json", site("app0", "true")).write("sites/new.json", site("new", "false"));
    std::fs::remove_file(folder.path().join("windows.json")).unwrap();
    folder.write(".git/accepted", accepted);
    let baseline = ["--baseline", "accepted.json"];
    parts(&folder, 3, &baseline);
    for format in ["json", "sarif"] {
        let whole = folder.run(&[&CHECK[..], &baseline, &["--format", format]].concat());
        let joined = merge(&folder, &["--format", format]);
        assert!(joined.stdout == whole.stdout, "{}", difference(&whole.stdout, &joined.stdout));
        assert_eq!((joined.code, whole.code), (1, 1));
        assert!(whole.stdout.contains("the baseline accepts 2 findings that are no longer found"), "{}", whole.stdout);
    }
}

fn git(folder: &Folder, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]);
    let status = command.args(arguments).current_dir(folder.path()).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

#[test]
fn findings_outside_of_the_change_count_without_being_listed() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    folder.write("rules.json", RULE).write("a.json", site("a", "false")).write("b.json", site("b", "false"));
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "--message", "first"]);
    folder.write("a.json", site("a", "false").replace("\"resources\"", "\"variables\": {}, \"resources\""));
    folder.write("b.json", site("b", "true"));
    let of_check = ["--changed", "--filter-mode", "added"];
    parts(&folder, 2, &of_check);
    for (scope, code) in [("all", 1), ("changed", 0)] {
        let path = [("PATH", "/usr/bin:/bin")];
        let whole = [&CHECK[..], &of_check, &["--fail-on-scope", scope, "--format", "json", "--quiet"]].concat();
        let whole = folder.run_with(&whole, &path, b"");
        let joined = merge(&folder, &["--fail-on-scope", scope, "--format", "json", "--quiet"]);
        assert_eq!((joined.code, whole.code), (code, code), "{scope}: {joined:?} {whole:?}");
        assert_eq!(joined.json()["results"], whole.json()["results"]);
        assert_eq!(joined.json()["results"].as_array().map(Vec::len), Some(0));
    }
}

/// Suppressions of all kinds, of which some are wrong or not used, in templates, in one that two others link to, and in
/// settings, two of them with the same text.
fn suppressing() -> Folder {
    let folder = repository();
    let above = |site: String, comment: &str| site.replacen('{', &format!("{{\n  {comment}"), 1);
    let in_metadata = |rule: &str| {
        format!(r#""metadata": {{"formwork": {{"suppress": [{{"rule": "{rule}", "reason": "r"}}]}}}}, "parameters""#)
    };
    for name in ["broken.json", "2.parameters.json"] {
        std::fs::remove_file(folder.path().join("sites").join(name)).unwrap();
    }
    for name in ["lost.parameters.json", "stack.yaml"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    folder
        .write("sites/3.json", site("app3", "true").replacen("\"parameters\"", &in_metadata("T-1"), 1))
        .write("sites/4.json", site("app4", "false").replacen("\"parameters\"", &in_metadata("T-1"), 1))
        .write(
            "sites/5.json",
            site("app5", "false").replace("\"httpsOnly\"", "\n// formwork:ignore T-1, Nope -- r\n\"httpsOnly\""),
        )
        .write(
            "links/shared/site.json",
            above(site("shared", "\"[parameters('https')]\""), "// formwork:ignore T-1 -- nothing here\n"),
        )
        .write(
            "formwork.yaml",
            "fail-on: medium\nsuppressions:\n\
             - {rule: T-1, path: sites/0.json, reason: r}\n\
             - {rule: T-1, path: 'sites/1.json', reason: r}\n\
             - {rule: T-1, path: 'package.json', reason: r}\n\
             - {rule: T-1, path: windows.json, reason: r, until: 2020-01-01}\n\
             - {rule: T-9, reason: r}\n\
             - {rule: T-1, path: long.json, reason: ''}\n",
        );
    folder
}

#[test]
fn suppressions_of_all_kinds_are_those_of_the_whole_run() {
    let folder = suppressing();
    for count in [1, 3, 8] {
        check_same(&folder, &FORMATS[..2], count, &[], &[]);
    }
    let said = |folder: &Folder| {
        let report = merge(folder, &["--format", "json"]).json();
        let results = report["results"].as_array().unwrap().clone();
        let about = results.into_iter().filter(|it| it["rule"].as_str().unwrap().starts_with("suppression/"));
        let place = |it: &serde_json::Value| format!("{}:{}", it["location"]["file"].as_str().unwrap(), it["rule"]);
        about.map(|it| place(&it)).collect::<Vec<String>>()
    };
    let all = said(&folder);
    let of_settings = all.iter().filter(|it| *it == "formwork.yaml:\"suppression/unused\"").count();
    assert_eq!(of_settings, 2, "{all:?}");
    for rule in ["expired", "unknown-rule", "unused"] {
        assert!(all.iter().any(|it| it.ends_with(&format!("suppression/{rule}\""))), "{rule}: {all:?}");
    }
    // What one part cannot read keeps all from saying that something is not used anywhere.
    folder.write("sites/broken.json", &site("broken", "true")[..200]);
    check_same(&folder, &FORMATS[..2], 3, &[], &[]);
    assert!(!said(&folder).iter().any(|it| it == "formwork.yaml:\"suppression/unused\""));
    folder.write("sites/1.parameters.json", &parameters("")[..130]);
    check_same(&folder, &FORMATS[..2], 3, &[], &["--allow-unreadable"]);
    check_same(&folder, &FORMATS[..2], 3, &["sites", "links"], &[]);
}

#[test]
fn merge_uses_what_the_parts_say_and_not_the_settings_of_the_checkout() {
    let folder = suppressing();
    parts(&folder, 2, &[]);
    let expected = merge(&folder, &["--format", "json"]);
    assert_eq!(expected.code, 1, "{expected:?}");
    folder
        .write("formwork.yaml", "fail-on: never\nallow-unreadable: true\nbaseline: b.json\nrules: {exclude: ['*']}\n");
    let joined = merge(&folder, &["--format", "json"]);
    assert_eq!(
        (joined.code, joined.json()["results"].as_array().map(Vec::len)),
        (1, expected.json()["results"].as_array().map(Vec::len))
    );
    assert_eq!(merge(&folder, &["--fail-on", "never"]).code, 0, "flags override");
    for gone in ["--config", "--baseline", "--rules"] {
        assert_eq!(merge(&folder, &[gone, "x"]).code, 2, "{gone}");
    }
}

#[test]
fn a_renamed_template_is_the_same_finding_in_the_joined_report() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    folder.write("rules.json", RULE).write("old/a.json", site("a", "false")).write("b.json", site("b", "false"));
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "--message", "first"]);
    git(&folder, &["mv", "old/a.json", "new.json"]);
    git(&folder, &["commit", "--quiet", "--message", "second"]);
    let of_check = ["--changed=HEAD~1", "--all"];
    check_same(&folder, &FORMATS[..2], 2, &of_check, &[]);
    let joined = merge(&folder, &["--format", "json", "--fail-on-scope", "changed"]).json();
    let results = joined["results"].as_array().unwrap();
    let marks: Vec<(&str, bool)> = results
        .iter()
        .map(|it| (it["template"].as_str().unwrap(), it["on_changed_lines"].as_bool().unwrap()))
        .collect();
    assert_eq!(marks, [("b.json", false), ("new.json", false)]);
}
