//! What a run does not check although nothing is wrong with it: every report shows it, and `--strict` refuses it.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Ended, Folder, parameters, template};

fn deployment(properties: &str) -> String {
    let nested = format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
    "properties": {{"mode": "Incremental", {properties}}}}}]"#
    );
    template(&nested)
}

fn remote() -> String {
    deployment(r#""templateLink": {"uri": "https://example.com/a.json"}"#)
}

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n";

const BUCKET: &str = "Resources:\n  B:\n    Type: AWS::S3::Bucket\n";

/// Runs a check of the folder whose rules find nothing.
fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    let common = ["check", "--no-builtin-rules", "--rules-exclude=schema/*"];
    let home = folder.path().display().to_string();
    folder.run_with(&[&common, arguments].concat(), &[("HOME", &home), ("PATH", "/usr/bin:/bin")], b"")
}

/// What a JSON report lists, as `kind file:line`. The check passes; with `--strict`, it fails.
#[track_caller]
fn shown(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let ended = check(folder, &[arguments, &["--format=json"]].concat());
    assert_eq!(ended.code, 0, "{ended:?}");
    let report = ended.json();
    let listed = report["not_checked"].as_array().unwrap();
    assert_eq!(report["summary"]["not_checked"], json!(listed.len()));
    let strict = check(folder, &[arguments, &["--strict", "--allow-unreadable"]].concat());
    assert_eq!(strict.code, if listed.is_empty() { 0 } else { 3 }, "{strict:?}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    listed.iter().map(|it| format!("{} {}:{}", text(&it["kind"]), text(&it["file"]), it["line"])).collect()
}

#[track_caller]
fn check_shown(files: &[(&str, &str)], arguments: &[&str], expected: &[&str]) {
    let folder = Folder::new();
    for (name, content) in files {
        folder.write(name, content);
    }
    assert_eq!(shown(&folder, arguments), expected);
}

#[test]
fn remote_templates_are_shown() {
    check_shown(&[("main.json", &remote())], &["."], &["remote-template main.json:5"]);
    let spec =
        deployment(r#""templateLink": {"id": "/subscriptions/x/providers/Microsoft.Resources/templateSpecs/a"}"#);
    check_shown(&[("main.json", &spec)], &["."], &["remote-template main.json:5"]);
    let with_file = deployment(
        r#""expressionEvaluationOptions": {"scope": "inner"}, "template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "parameters": {"p": {"type": "string"}}, "resources": []}, "parametersLink": {"uri": "https://example.com/a.json"}"#,
    );
    check_shown(&[("main.json", &with_file)], &["."], &["remote-parameters main.json:5"]);
}

#[test]
fn stacks_with_a_template_elsewhere_are_shown() {
    let stack = |property: &str| {
        format!("{BUCKET}  S:\n    Type: AWS::CloudFormation::Stack\n    Properties:\n      {property}\n")
    };
    let found = ["remote-template a.yaml:7"];
    check_shown(&[("a.yaml", &stack("TemplateURL: https://s3.amazonaws.com/b/x.yaml"))], &["."], &found);
    check_shown(&[("a.yaml", &stack("TemplateURL: gone.yaml"))], &["."], &found);
    check_shown(&[("a.yaml", &stack("TemplateURL: !ImportValue Url"))], &["."], &found);
    let set = "  S:\n    Type: AWS::CloudFormation::StackSet\n    Properties: {TemplateURL: https://x/y}\n";
    check_shown(&[("a.yaml", &format!("{BUCKET}{set}"))], &["."], &["remote-template a.yaml:4"]);
    check_shown(&[("a.yaml", &stack("TemplateURL: b.yaml")), ("b.yaml", BUCKET)], &["."], &[]);
}

/// The kinds and the reasons of what is guessed, in a repository on GitHub.
#[track_caller]
fn check_guessed(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let folder = Folder::new();
    let remote = "[remote \"origin\"]\n\turl = https://github.com/org/infra\n";
    folder.write(".git/config", remote).write(".git/HEAD", "ref: refs/heads/main\n");
    for (name, content) in files {
        folder.write(name, content);
    }
    let listed = shown(&folder, &["."]);
    assert_eq!(listed.len(), expected.len(), "{listed:?}");
    let ended = check(&folder, &["--format=json", "."]);
    for (entry, (kind, why)) in ended.json()["not_checked"].as_array().unwrap().iter().zip(expected) {
        assert_eq!(entry["kind"], json!(kind), "{entry}");
        assert!(entry["message"].as_str().unwrap().ends_with(why), "{entry}");
    }
    let sarif = check(&folder, &["--format=sarif", "."]).stdout;
    assert!(expected.iter().all(|(kind, _)| sarif.contains(kind)), "{sarif}");
}

const ENDING: &str =
    "`web/nested/a.json`: the URL is not one of this repository, and only its end is the path of the file";

#[test]
fn guessed_templates_are_shown() {
    let empty = template("\"resources\": []");
    let linked = |link: &str, expected: &[(&str, &str)]| {
        check_guessed(&[("web/main.json", &deployment(link)), ("web/nested/a.json", &empty)], expected);
    };
    let uri = |uri: &str| format!(r#""templateLink": {{"uri": "{uri}"}}"#);
    let guess = |why| [("guessed-template", why)];
    linked(&uri("https://example.com/nested/a.json"), &guess(ENDING));
    linked(&uri("https://example.com/org/infra/main/web/nested/a.json"), &guess(ENDING));
    linked(&uri("https://gitlab.com/org/infra/-/raw/main/web/nested/a.json"), &guess(ENDING));
    let fork =
        "`web/nested/a.json`: the URL names the repository of another owner, and only its path is that of the file";
    let raw = |rest: &str| uri(&format!("https://raw.githubusercontent.com/{rest}"));
    linked(&raw("other/infra/main/web/nested/a.json"), &guess(ENDING));
    let version = "a commit or a tag, in which the file may be a different one";
    linked(&raw("org/infra/0123456789012345678901234567890123456789/web/nested/a.json"), &guess(version));
    linked(&raw("org/infra/main/web/nested/a.json"), &[]);
    linked(r#""templateLink": {"relativePath": "nested/a.json"}"#, &[]);
    linked(&uri("[uri(deployment().properties.templateLink.uri, 'nested/a.json')]"), &[]);
    linked(&uri("https://deployment-uri/nested/a.json"), &guess(ENDING));
    let far = [("web/main.json", &*deployment(&raw("other/infra/main/shared/a.json"))), ("shared/a.json", &empty)];
    check_guessed(&far, &guess(&fork.replace("web/nested", "shared")));
}

#[test]
fn guessed_parameter_files_are_shown() {
    let link = r#""templateLink": {"relativePath": "nested/a.json"}, "parametersLink": {"uri": "https://example.com/web/p.json"}"#;
    let files = [
        ("web/main.json", deployment(link)),
        ("web/nested/a.json", template("\"resources\": []")),
        ("web/p.json", parameters("")),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let orphan = ("orphan-parameters", "no template belongs to this parameter file");
    check_guessed(&files, &[("guessed-parameters", &ENDING.replace("nested/a.json", "p.json")), orphan]);
}

#[test]
fn what_is_below_the_location_of_artifacts_is_guessed() {
    let main = |default: &str| {
        let uri = "[concat(parameters('_artifactsLocation'), '/nested/a.json')]";
        let parameter =
            format!(r#""parameters": {{"_artifactsLocation": {{"type": "string"{default}}}}}, "resources""#);
        deployment(&format!(r#""templateLink": {{"uri": "{uri}"}}"#)).replacen("\"resources\"", &parameter, 1)
    };
    let nested = template("\"resources\": []");
    let guess = ("guessed-template", "the URL is below `_artifactsLocation`, where the file may be a different one");
    let elsewhere = main(r#", "defaultValue": "https://example.com/x""#);
    check_guessed(&[("main.json", &elsewhere), ("nested/a.json", &nested)], &[guess]);
    let own = main(r#", "defaultValue": "[deployment().properties.templateLink.uri]""#);
    check_guessed(&[("main.json", &own), ("nested/a.json", &nested)], &[]);
    check_guessed(&[("main.json", &main("")), ("nested/a.json", &nested)], &[]);
}

#[test]
fn guessed_stacks_are_shown() {
    let stack = |metadata: &str, url: &str| {
        format!(
            "{BUCKET}  S:\n    Type: AWS::CloudFormation::Stack\n{metadata}    Properties:\n      TemplateURL: {url}\n"
        )
    };
    let linked = |metadata: &str, url: &str, expected: &[(&str, &str)]| {
        check_guessed(&[("a.yaml", &stack(metadata, url)), ("parts/b.yaml", BUCKET)], expected);
    };
    let asset = "    Metadata: {'aws:asset:path': parts/b.yaml, 'aws:asset:property': TemplateURL}\n";
    let why = "`parts/b.yaml`: `aws:asset:path` names the file, but a deployment reads the URL";
    linked(asset, "https://evil.example.com/b.yaml", &[("guessed-template", why)]);
    linked(asset, "!Sub 'https://s3.${AWS::Region}.${AWS::URLSuffix}/b/x.json'", &[("guessed-template", why)]);
    linked(asset, "other.yaml", &[("guessed-template", why)]);
    linked(asset, "parts/b.yaml", &[]);
    linked("", "parts/b.yaml", &[]);
    let ending = ENDING.replace("web/nested/a.json", "parts/b.yaml");
    linked("", "https://evil.example.com/x/parts/b.yaml", &[("guessed-template", &ending)]);
    linked("", "https://raw.githubusercontent.com/org/infra/main/parts/b.yaml", &[]);
    let computed = "!Sub 'https://raw.githubusercontent.com/org/infra/main/parts/b.yaml?x=${AWS::StackId}'";
    linked("", computed, &[("guessed-template", "`parts/b.yaml`: a part of the URL is unknown")]);
}

#[test]
fn macros_are_shown() {
    let check = |head: &str, tail: &str, expected: &[&str]| {
        check_shown(&[("a.yaml", &format!("{head}{BUCKET}{tail}"))], &["."], expected);
    };
    check("Transform: Team::Macro\n", "", &["macro a.yaml:1"]);
    check("Transform: [AWS::LanguageExtensions, AWS::Include]\n", "", &["macro a.yaml:1"]);
    check("Transform: {Name: AWS::Include, Parameters: {Location: s3://b/x}}\n", "", &["macro a.yaml:1"]);
    let call = "    Properties:\n      Fn::Transform: {Name: Team::Macro}\n";
    check("", call, &["macro a.yaml:5"]);
    check("", "    Properties:\n      Tags: !Transform {Name: Team::Macro}\n", &["macro a.yaml:5"]);
    check("", "  Fn::Transform: {Name: Team::Macro}\n", &["macro a.yaml:4"]);
    check("", "Outputs:\n  O:\n    Value: !Transform {Name: Team::Macro}\n", &["macro a.yaml:6"]);
    check("", "  M:\n    Type: Team::Some::Thing::MODULE\n", &["macro a.yaml:4"]);
    check("Transform: AWS::Serverless-2016-10-31\n", "", &[]);
}

#[test]
fn parameter_files_without_a_template_are_shown() {
    check_shown(&[("lost.parameters.json", &parameters(""))], &["."], &["orphan-parameters lost.parameters.json:1"]);
    let both = [("main.json", &*template("\"resources\": []")), ("main.parameters.json", &*parameters(""))];
    check_shown(&both, &["."], &[]);
}

#[test]
fn pointers_are_shown() {
    let found = ["git-lfs infra/main.json:1", "git-lfs infra/main.parameters.json:1", "git-lfs infra/stack.yaml:1"];
    let names = ["infra/main.json", "infra/main.parameters.json", "infra/stack.yaml", "infra/picture.png"];
    check_shown(&names.map(|name| (name, POINTER)), &["."], &found);
    let folder = Folder::new();
    folder.write("main.json", POINTER);
    let named = check(&folder, &["main.json"]);
    assert!(named.code == 3 && named.stdout.contains("git lfs pull"), "{named:?}");
}

#[test]
fn files_whose_modules_are_missing_are_shown() {
    let main = "module m 'br/public:avm/res/web/site:0.1.0' = {}\n";
    let user = "module m 'main.bicep' = {}\n";
    let files = [("main.bicep", main), ("b.bicep", user), ("c.bicep", user)];
    let offline = ["--bicep=builtin", "--offline", "."];
    check_shown(&files, &offline, &["bicep-module main.bicep:1"]);
    let folder = Folder::new();
    folder.write("main.bicep", main).write("b.bicep", user);
    let ended = check(&folder, &offline);
    let line = "not checked[bicep/restore]: the module `br:mcr.microsoft.com/bicep/avm/res/web/site:0.1.0` is not in the \
        module cache, and `--offline` prevents downloads";
    assert!(ended.stdout.contains(line), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_repository_are_shown() {
    let outside = Folder::new();
    outside.write("a.json", template("\"resources\": []"));
    let folder = Folder::new();
    folder.write(".git/HEAD", "ref: refs/heads/main\n");
    std::os::unix::fs::symlink(outside.path().join("a.json"), folder.path().join("a.json")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("infra")).unwrap();
    assert_eq!(shown(&folder, &["."]), ["link a.json:1", "link infra:1"]);
}

fn git(folder: &Folder, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Records that a folder is a submodule at a commit whose ID has only this digit.
fn link(folder: &Folder, path: &str, digit: &str) {
    let entry = format!("160000,{},{path}", digit.repeat(40));
    git(folder, &["update-index", "--add", "--cacheinfo", &entry]);
    fs::create_dir_all(folder.path().join(path)).unwrap();
}

#[test]
fn submodules_that_are_not_checked_out_are_shown_in_changes_that_touch_them() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    folder.write(".gitmodules", "").write("main.json", template("\"resources\": []"));
    git(&folder, &["add", "."]);
    link(&folder, "infra/shared", "1");
    link(&folder, "theme", "1");
    git(&folder, &["commit", "--quiet", "--message=a"]);
    assert_eq!(shown(&folder, &["."]), ["submodule infra/shared:1", "submodule theme:1"]);
    assert_eq!(shown(&folder, &["infra"]), ["submodule infra/shared:1"]);
    assert_eq!(shown(&folder, &["--changed=HEAD", "."]), [""; 0]);
    link(&folder, "infra/shared", "2");
    assert_eq!(shown(&folder, &["--changed=HEAD", "."]), ["submodule infra/shared:1"]);
}

#[test]
fn what_a_change_turns_into_something_that_is_not_checked_is_shown() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    folder.write("a.json", template("\"resources\": []")).write("b.json", template("\"resources\": []"));
    folder.write("c.parameters.json", parameters("")).write("c.json", template("\"resources\": []"));
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "--message=a"]);
    folder.write("a.json", POINTER).write("b.json", remote()).write("d.parameters.json", parameters(""));
    let found = ["git-lfs a.json:1", "remote-template b.json:5", "orphan-parameters d.parameters.json:1"];
    assert_eq!(shown(&folder, &["--changed=HEAD", "."]), found);
}

/// A repository in which a template is not checked, and a parameter file, and the settings refuse that if they are to.
fn repository(is_strict: bool) -> Folder {
    let folder = Folder::new();
    folder.write(".git/HEAD", "ref: refs/heads/main\n").write("a/main.json", remote()).write("b/main.json", remote());
    folder.write("lost.parameters.json", parameters("")).write("formwork.yaml", format!("strict: {is_strict}\n"));
    folder
}

#[test]
fn each_report_for_people_shows_it() {
    let folder = repository(false);
    for format in ["console", "markdown", "html", "sarif", "concise"] {
        let ended = check(&folder, &[&*format!("--format={format}"), "."]);
        assert_eq!(ended.code, 0, "{ended:?}");
        for part in ["a/main.json", "lost.parameters.json"] {
            assert!(ended.stdout.contains(part), "{format}: {part}: {}", ended.stdout);
        }
    }
    let console = check(&folder, &["."]).stdout;
    assert!(console.contains("not checked[template/remote]: the template of deployment `d`"), "{console}");
    assert!(console.ends_with("; 3 not checked\n"), "{console}");
    let page = check(&folder, &["--format=markdown", "."]).stdout;
    let row = "| <code>orphan-parameters</code> | no template belongs to this parameter file | <code>lost.parameters.json</code> |";
    assert!(page.contains("### Not checked") && page.contains(row), "{page}");
    let sarif = check(&folder, &["--format=sarif", "."]).json();
    let notifications = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap().clone();
    let kinds: Vec<&Value> = notifications.iter().map(|it| &it["properties"]["notChecked"]).collect();
    assert_eq!(kinds, ["remote-template", "remote-template", "orphan-parameters"]);
}

#[test]
fn the_settings_can_refuse_it() {
    let ended = check(&repository(true), &["--format=json", "."]);
    assert_eq!((ended.code, &ended.json()["summary"]["errors"]), (3, &json!(3)), "{ended:?}");
    assert_eq!(ended.json()["summary"]["not_checked"], json!(3));
}

#[test]
fn merged_reports_show_it_and_refuse_it() {
    for is_strict in [false, true] {
        let folder = repository(is_strict);
        folder.write(".gitignore", "reports\n");
        let code = if is_strict { 3 } else { 0 };
        for index in 1..=2 {
            let (shard, output) = (format!("--shard={index}/2"), format!("--output=json=reports/{index}.json"));
            fs::create_dir_all(folder.path().join("reports")).unwrap();
            check(&folder, &[&*shard, &*output, "."]);
        }
        let merged = folder.run(&["merge", "reports", "--format=json", "--allow-unreadable"]);
        let whole = check(&folder, &["--format=json", "."]);
        assert_eq!((merged.code, whole.code), (code, code), "{merged:?}");
        assert_eq!(merged.json()["not_checked"], whole.json()["not_checked"]);
        assert_eq!(merged.json()["summary"], whole.json()["summary"]);
        assert_eq!(folder.run(&["merge", "reports", "--strict"]).code, 3);
    }
}
