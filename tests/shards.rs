//! A check that several machines share, and the joined reports of their parts.

use crate::harness::{Ended, Folder, parameters, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "everyone listens",
  "recommendation": "Set it.", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// What is checked by every test here.
const CHECK: [&str; 4] = ["check", "--no-builtin-rules", "--rules", "rules.json"];

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
    folder.write("rules.json", RULE).write(".git/HEAD", "ref: refs/heads/main\n");
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
        let ended = folder.run(&[&CHECK[..], arguments, &own].concat());
        assert!(folder.path().join(format!("reports/{index}.json")).exists(), "{ended:?}");
        ended
    };
    let _ = std::fs::remove_dir_all(folder.path().join("reports"));
    std::fs::create_dir(folder.path().join("reports")).unwrap();
    (1..=count).map(part).collect()
}

fn merge(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["merge", "reports", "--no-builtin-rules", "--rules", "rules.json"], arguments].concat())
}

/// Compares the joined reports with those of a run that is not split, in every format.
#[track_caller]
fn check_same(folder: &Folder, count: usize, of_check: &[&str], of_merge: &[&str]) {
    parts(folder, count, of_check);
    for format in ["json", "sarif", "junit", "markdown", "concise", "github", "rdjson", "gitlab", "azure"] {
        let whole =
            folder.run(&[&CHECK[..], of_check, of_merge, &["--exclude", "reports", "--format", format]].concat());
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
    for count in [1, 2, 3, 5, 8, 40] {
        check_same(&folder, count, &["--exclude", "reports"], &[]);
    }
    std::fs::remove_file(folder.path().join("sites/broken.json")).unwrap();
    for of_merge in [&["--fail-on", "high"][..], &["--fail-on-unknown"], &["--show-unknown"], &["--allow-unreadable"]] {
        check_same(&folder, 3, &["--exclude", "reports"], of_merge);
    }
    check_same(&folder, 3, &["--exclude", "reports", "--show-passed"], &[]);
}
