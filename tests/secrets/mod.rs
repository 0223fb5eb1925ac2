//! A secret is printed nowhere. Every place that a secret may come from holds one that begins with `S3CRET`, and no
//! command may show any of them, in any format, on standard output or standard error, or write one to a file.

mod checks;
mod policies;
mod written;

use crate::harness::{Ended, Folder};

const FORMATS: [&str; 9] = ["console", "concise", "brief", "json", "sarif", "github", "markdown", "junit", "html"];

/// Options that give the template its remaining secrets.
const GIVEN: [&str; 4] = ["--parameters", "main.parameters.json", "--set", "set=S3CRET-set"];

const STACK: [&str; 4] = ["--parameters", "stack.parameters.json", "--set", "Set=S3CRET-set"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder
        .write("main.json", include_str!("main.json"))
        .write("main.parameters.json", include_str!("main.parameters.json"))
        .write("stack.yaml", include_str!("stack.yaml"))
        .write("stack.parameters.json", include_str!("stack.parameters.json"))
        .write("given/stack.yaml", include_str!("given/stack.yaml"))
        .write("given/outer.yaml", include_str!("given/outer.yaml"))
        .write("given/broken.json", include_str!("given/broken.json"))
        .write("given/nested.yaml", include_str!("given/nested.yaml"))
        .write("given/first.json", include_str!("given/first.json"))
        .write("given/second.json", include_str!("given/second.json"))
        .write("given/raw.guard", include_str!("given/raw.guard"))
        .write("context.json", include_str!("context.json"))
        .write("rules.json", include_str!("rules.json"))
        .write("rules.ruleset", include_str!("rules.ruleset"));
    folder
}

/// Whether a text has a secret. `373373` stands for a number that is one.
fn has_secret(text: &str) -> bool {
    text.to_ascii_lowercase().contains("s3cret") || text.contains("373373")
}

/// Runs a command, which must print something, but no secret.
#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> Ended {
    let ended = folder.run(arguments);
    assert!(!ended.stdout.is_empty(), "{arguments:?}: {ended:?}");
    for text in [&ended.stdout, &ended.stderr] {
        let shown: Vec<&str> = text.lines().filter(|line| has_secret(line)).collect();
        assert!(shown.is_empty(), "{arguments:?}: {shown:#?}");
    }
    ended
}

#[test]
fn no_report_contains_a_secret() {
    let folder = folder();
    for format in FORMATS {
        let common = ["--show-passed", "--rules", "rules.json", "--rules", "rules.ruleset", "--format", format];
        let ended = run(&folder, &[&["check", "main.json"], &GIVEN[..], &common].concat());
        assert!(ended.stdout.contains("secret/output"), "{format}: {ended:?}");
        run(&folder, &[&["check", "main.json"], &common[..]].concat());
        let ended = run(&folder, &[&["check", "stack.yaml"], &STACK[..], &common].concat());
        assert!(ended.stdout.contains("parameter/constraint"), "{format}: {ended:?}");
    }
}

/// The value of a secret parameter is overridden, or refers to what is not there.
#[test]
fn no_value_that_was_given_for_a_secret_is_shown() {
    let folder = folder();
    let given = ["--parameters", "given/first.json", "--parameters", "given/second.json"];
    let set = ["--set", "Name=S3CRET-set", "--set", "Number=3733735"];
    for given in [&given[..], &given[..2], &set, &[&given[..], &set].concat()] {
        for format in FORMATS {
            let common = ["--format", format, "--profile", "all"];
            let ended = run(&folder, &[&["check", "given/stack.yaml"], given, &common].concat());
            assert!(ended.stdout.contains("expression/undefined"), "{format}: {ended:?}");
            let raw = ["check", "given/stack.yaml", "--guard-raw", "--rules", "given/raw.guard"];
            let ended = run(&folder, &[&raw[..], given, &common].concat());
            assert!(ended.stdout.contains("Database"), "{format}: {ended:?}");
        }
        run(&folder, &[&["expand", "given/stack.yaml"], given].concat());
        for resource in ["User", "Other", "Database"] {
            let path = format!("Resources.{resource}.Properties");
            run(&folder, &[&["explain", "given/stack.yaml", &path], given].concat());
        }
    }
    run(&folder, &["check", "given", "--profile", "all"]);
    run(&folder, &["check", "given/outer.yaml", "--profile", "all"]);
    run(&folder, &["check", "given/broken.json"]);
    run(&folder, &["expand", "given/outer.yaml"]);
    run(&folder, &["explain", "given/outer.yaml", "Resources.Nested.Properties"]);
}

#[test]
fn no_difference_contains_a_secret() {
    let folder = folder();
    for name in [
        "main.json",
        "main.parameters.json",
        "stack.yaml",
        "stack.parameters.json",
        "given/stack.yaml",
        "given/outer.yaml",
        "given/nested.yaml",
    ] {
        let old = std::fs::read_to_string(folder.path().join(name)).unwrap();
        folder.write(&format!("old/{name}"), &old);
        let new = old.replace("S3CRET", "S3CRET-new").replace("s3cret", "s3cret-new").replace("373373", "3733737");
        folder.write(&format!("new/{name}"), new);
    }
    for format in ["console", "json", "markdown", "html"] {
        let ended = run(&folder, &["diff", "old", "new", "--format", format]);
        assert!(ended.stdout.contains("secret") && ended.stdout.contains("main.json"), "{format}: {ended:?}");
        run(&folder, &["diff", "new/main.json", "old/main.json", "--format", format]);
    }
}

#[test]
fn no_file_that_is_written_contains_a_secret() {
    let folder = folder();
    run(&folder, &[&["check", "main.json", "--write-baseline", "baseline.json"], &GIVEN[..]].concat());
    let baseline = std::fs::read_to_string(folder.path().join("baseline.json")).unwrap();
    assert!(baseline.contains("secret/output") && !has_secret(&baseline), "{baseline}");
}

#[test]
fn a_diff_contains_no_secret() {
    let folder = folder();
    let ended = folder.run(&[&["check", "main.json", "--diff"], &GIVEN[..]].concat());
    assert!(!has_secret(&ended.stdout) && !has_secret(&ended.stderr), "{ended:?}");
    let member = |line: &str| format!("{{\n  \"$schema\": \"{}\",\n{line}", crate::harness::TEMPLATE);
    let site = r#"  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "x", "location": "west",
    "properties": {
      "httpsOnly": false
    }}],
  "parameters": {
    "p": {"type": "securestring", "defaultValue": "S3CRET"}
  }
}
"#;
    folder.write("site.json", member(site));
    let diff = run(&folder, &["check", "site.json", "--diff"]).stdout;
    assert!(diff.contains("+      \"httpsOnly\": true"), "{diff}");
    folder.write("line.json", member(&site.replace("false\n", "false, \"x\": \"[deployment()]\"").replace('\n', " ")));
    let ended = folder.run(&["check", "line.json", "--diff"]);
    assert!(ended.stdout.is_empty() && ended.stderr.contains("its diff contains a secret"), "{ended:?}");
}

#[test]
fn no_expansion_contains_a_secret() {
    let folder = folder();
    let expanded = run(&folder, &[&["expand", "main.json"], &GIVEN[..]].concat());
    for shown in ["{{Secret}}", "Microsoft.Storage/storageAccounts/{{Secret}}", "resourceGroups/{{Secret}}"] {
        assert!(expanded.stdout.contains(shown), "{shown}");
    }
    run(&folder, &["expand", "main.json"]);
    run(&folder, &[&["expand", "main.json", "--flat"], &GIVEN[..]].concat());
    run(&folder, &[&["expand", "stack.yaml"], &STACK[..]].concat());
    run(&folder, &["eval", "[deployment()]", "--context", "context.json"]);
}

#[test]
fn no_explanation_contains_a_secret() {
    let folder = folder();
    let module = "resources.module.properties.template";
    let inner = ["parameters.literal", "parameters.unused.defaultValue", "outputs.site", "outputs.deployment"];
    let inner = inner.map(|path| format!("{module}.{path}"));
    let paths = [
        "parameters.file",
        "parameters.set",
        "parameters.default",
        "parameters.objectDefault",
        "parameters.loginDefault",
        "parameters.loginDefault.defaultValue.password",
        "parameters.logins",
        "parameters.pair",
        "parameters.way",
        "parameters.wrong",
        "variables.joined",
        "variables.template",
        "variables.shown",
        "resources.store",
        "resources.store.name",
        "resources.blob.properties",
        "resources.server.properties.administratorLoginPassword",
        "resources.module.properties.parameters",
        "resources.faults.properties",
        "outputs.all",
        "outputs.given",
        "outputs.store",
        "outputs.name",
        "outputs.endpoint",
    ];
    for path in paths.into_iter().chain(inner.iter().map(String::as_str)) {
        for format in ["console", "json"] {
            run(&folder, &[&["explain", "main.json", path, "--format", format], &GIVEN[..]].concat());
        }
    }
    for path in ["Parameters.Plain.Default", "Outputs.Out", "Resources.Database.Properties.MasterUserPassword"] {
        run(&folder, &["explain", "stack.yaml", path]);
    }
}
