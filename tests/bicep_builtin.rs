//! Bicep files built without the Bicep CLI.
//!
//! `tests/golden/bicep` has a folder for each sample, with what it is built to. `INSTA_UPDATE=always` rewrites them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Folder, is_blessing};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

const SITE: &str = "param https bool

resource site 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app'
  location: 'westeurope'
  properties: {
    httpsOnly: https
  }
}
";

const MAIN: &str = "module web 'modules/web.bicep' = {
  name: 'web'
  params: {
    https: false
  }
}
";

fn samples() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/bicep");
    let mut folders: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// A folder with a copy of a sample.
fn copied(sample: &Path) -> Folder {
    let folder = Folder::new();
    for entry in fs::read_dir(sample).unwrap() {
        let path = entry.unwrap().path();
        folder.write(path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
    }
    folder
}

/// Removes the hashes of templates, which depend on the version.
fn remove_hashes(built: &mut serde_json::Value) {
    if let Some(object) = built.as_object_mut() {
        object.remove("templateHash");
        object.values_mut().for_each(remove_hashes);
    } else if let Some(items) = built.as_array_mut() {
        items.iter_mut().for_each(remove_hashes);
    }
}

#[test]
fn samples_are_built_as_the_golden_files_say() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let main = if sample.join("main.bicepparam").exists() { "main.bicepparam" } else { "main.bicep" };
        let ended = copied(&sample).run(&["build", main, "--bicep", "builtin"]);
        assert_eq!(ended.code, 0, "{}: {}", sample.display(), ended.stderr);
        // The compiler builds what it warns of.
        let is_warning = |line: &str| line.contains(") : Warning BCP");
        assert!(ended.stderr.lines().all(is_warning), "{}: {}", sample.display(), ended.stderr);
        let mut built = ended.json();
        if let Some(text) = built.get("parametersJson").and_then(serde_json::Value::as_str) {
            built = serde_json::from_str(text).unwrap();
        }
        // It has the version of formwork.
        if let Some(metadata) = built.get_mut("metadata").and_then(serde_json::Value::as_object_mut) {
            metadata.remove("_generator");
        }
        remove_hashes(&mut built);
        let text = serde_json::to_string_pretty(&built).unwrap().replace(env!("CARGO_PKG_VERSION"), "VERSION") + "\n";
        let golden = sample.join("built.golden");
        if is_blessing() {
            fs::write(&golden, &text).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != text {
            wrong.push(format!("{}:\n{text}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn findings_are_on_the_lines_of_bicep() {
    let folder = Folder::new();
    folder.write("rules.json", RULE).write("main.bicep", MAIN).write("modules/web.bicep", SITE);
    let arguments = ["check", "main.bicep", "--rules", "rules.json", "--no-builtin-rules", "--format", "json"];
    let ended = folder.run(&arguments);
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = ended.json();
    let findings = report["results"].as_array().unwrap();
    let place = |finding: &serde_json::Value| {
        format!("{} {}", finding["location"]["file"].as_str().unwrap(), finding["location"]["line"])
    };
    let places: Vec<String> = findings.iter().map(place).collect();
    assert_eq!(places, ["modules/web.bicep 7"], "{report}");
    assert_eq!(ended.diagnostics(), ["bicep/tool main.bicep:1"], "one note says which compiler was used");
    let chosen = folder.run(&[&arguments[..], &["--bicep", "builtin"]].concat());
    assert!(chosen.diagnostics().is_empty(), "{chosen:?}");
    assert_eq!(folder.run(&[&arguments[..], &["--bicep", "cli"]].concat()).code, 3);
}

#[test]
fn the_settings_choose_the_compiler() {
    let folder = Folder::new();
    folder.write("main.bicep", "output x int = 1\n").write("formwork.yaml", "bicep: cli\n");
    assert_eq!(folder.run(&["check", "."]).code, 3);
    folder.write("formwork.yaml", "bicep: builtin\n");
    assert_eq!(folder.run(&["check", "."]).code, 0);
    folder.write("formwork.yaml", "bicep: other\n");
    let ended = folder.run(&["check", "."]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("expected one of `auto`, `cli`, `builtin`"), "{ended:?}");
}

#[test]
fn values_of_parameter_files_are_used() {
    let folder = Folder::new();
    folder.write("rules.json", RULE).write("main.bicep", SITE);
    folder.write("main.bicepparam", "using 'main.bicep'\n\nvar on = length('ab') == 2\nparam https = !on\n");
    let arguments = ["check", "main.bicep", "--rules", "rules.json", "--no-builtin-rules", "--format", "json"];
    let ended = folder.run(&[&arguments[..], &["--bicep", "builtin"]].concat());
    assert_eq!(ended.code, 1, "{ended:?}");
    folder.write("main.bicepparam", "using 'main.bicep'\n\nvar on = length('ab') == 2\nparam https = on\n");
    assert_eq!(folder.run(&[&arguments[..], &["--bicep", "builtin"]].concat()).code, 0);
}

#[test]
fn what_cannot_be_built_is_said_with_its_line() {
    let folder = Folder::new();
    folder.write("main.bicep", "var a = b\noutput x string = a\n");
    let ended = folder.run(&["build", "main.bicep", "--bicep", "builtin"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""));
    assert!(ended.stderr.contains("main.bicep(1,9) : Error BCP057: `b` is not declared"), "{ended:?}");
}

#[test]
fn nothing_outside_of_the_repository_is_read() {
    let folder = Folder::new();
    folder.write("secret.txt", "secret").write("repository/.git/HEAD", "");
    for path in ["../secret.txt", ".git/config", "link.txt"] {
        folder.write("repository/.git/config", "secret");
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink("../secret.txt", folder.path().join("repository/link.txt"));
        folder.write("repository/main.bicep", format!("output x string = loadTextContent('{path}')\n"));
        let ended = folder.run(&["build", "repository/main.bicep", "--bicep", "builtin"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{path}");
        assert!(cfg!(windows) || ended.stderr.contains("the path leads out of the repository"), "{ended:?}");
    }
}

#[test]
fn modules_come_from_the_cache_of_the_cli() {
    let folder = Folder::new();
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": [], "outputs": {"a": {"type": "string", "value": "b"}}}"#;
    folder.write("home/.bicep/br/mcr.microsoft.com/bicep$avm$thing/1.0.0$/main.json", template);
    folder.write(
        "work/bicepconfig.json",
        r#"{"moduleAliases": {"br": {"own": {"registry": "mcr.microsoft.com", "modulePath": "bicep/avm"}}}}"#,
    );
    folder.write("work/main.bicep", "module a 'br/public:avm/thing:1.0.0' = {}\nmodule b 'br/own:thing:1.0.0' = {}\noutput x string = a.outputs.a\n");
    folder.write("work/missing.bicep", "module a 'br/public:avm/thing:2.0.0' = {}\n");
    let modules = [1, 2, 3, 4, 5].map(|at| format!("module m{at} 'br/public:avm/thing:{at}.5.0' = {{}}\n")).concat();
    folder.write("work/several.bicep", modules);
    let home = folder.path().join("home").display().to_string();
    let build =
        |file: &str| folder.run_with(&["build", file, "--bicep", "builtin", "--offline"], &[("HOME", &home)], b"");
    let built = build("work/main.bicep");
    assert_eq!(built.code, 0, "{built:?}");
    let check = ["check", "work", "--bicep", "builtin", "--offline", "--strict"];
    let checked = folder.run_with(&check, &[("HOME", &home)], b"");
    assert!(
        checked.stdout.contains("work/missing.bicep") && !checked.stdout.contains("work/main.bicep"),
        "{checked:?}"
    );
    assert_eq!(built.json()["resources"]["b"]["properties"]["template"]["outputs"]["a"]["value"], "b");
    let missing = build("work/missing.bicep");
    assert_eq!(missing.code, 3);
    let message = "the module `br:mcr.microsoft.com/bicep/avm/thing:2.0.0` is not in the module cache";
    assert!(missing.stderr.contains(message), "{missing:?}");
    let several = build("work/several.bicep");
    assert_eq!((several.code, several.stderr.lines().count()), (3, 1), "{several:?}");
    let message = "5 modules are not in the module cache, and `--offline` prevents downloads: \
        `br:mcr.microsoft.com/bicep/avm/thing:1.5.0`, `br:mcr.microsoft.com/bicep/avm/thing:2.5.0`, \
        `br:mcr.microsoft.com/bicep/avm/thing:3.5.0`, and 2 more";
    assert!(several.stderr.contains(message), "{several:?}");
}

#[test]
fn the_settings_of_bicep_name_the_cache() {
    let template = r#"{"$schema": "x", "contentVersion": "1.0.0.0", "resources": []}"#;
    let module = "br/mcr.microsoft.com/bicep$avm$thing/1.0.0$/main.json";
    for (place, root) in [("work/.modules", ".modules"), ("home/modules", "~/modules")] {
        let folder = Folder::new();
        let home = folder.path().join("home").display().to_string();
        folder.write(&format!("{place}/{module}"), template).write("work/.git/HEAD", "");
        folder.write("work/infra/main.bicep", "module a 'br/public:avm/thing:1.0.0' = {}\n");
        let build = || folder.run_with(&["build", "work/infra/main.bicep", "--offline"], &[("HOME", &home)], b"");
        assert_eq!(build().code, 3);
        folder.write("work/bicepconfig.json", format!(r#"{{"cacheRootDirectory": "{root}"}}"#));
        let ended = build();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{root}: {ended:?}");
        #[cfg(unix)]
        {
            // A link in the folder, which may be that of a stranger, is not followed out of it.
            let path = folder.path().join(place).join(module);
            folder.write("elsewhere.json", template);
            fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink(folder.path().join("elsewhere.json"), &path).unwrap();
            assert_eq!(build().code, 3, "{root}");
        }
    }
}

#[test]
fn a_cache_outside_of_the_repository_is_not_named_by_a_relative_path() {
    let folder = Folder::new();
    folder.write("work/.git/HEAD", "").write("work/main.bicep", "module a 'br/public:avm/thing:1.0.0' = {}\n");
    folder.write("work/bicepconfig.json", r#"{"cacheRootDirectory": "../modules"}"#);
    let ended = folder.run(&["build", "work/main.bicep", "--offline"]);
    assert!(ended.code == 3 && ended.stderr.contains("out of the repository by `..`"), "{ended:?}");
}

#[test]
fn the_example_of_the_readme_has_a_twin() {
    let folder = Folder::new();
    for name in ["main.bicep", "main.dev.bicepparam"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples/bicep").join(name);
        folder.write(name, fs::read(path).unwrap());
    }
    let ended = folder.run(&["check", ".", "--format", "json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = ended.json();
    let findings = report["results"].as_array().unwrap();
    let rules: Vec<&str> = findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect();
    for rule in ["AZ-APPSERVICE-002", "AZ-KEYVAULT-001", "AZ-NSG-001", "AZ-STORAGE-003"] {
        assert!(rules.contains(&rule), "{rule} is not in {rules:?}");
    }
    let public = findings.iter().find(|finding| finding["rule"] == "AZ-STORAGE-003").unwrap();
    let place = &public["location"];
    assert_eq!((place["file"].as_str(), place["line"].as_u64()), (Some("main.bicep"), Some(40)));
}

/// The codes and rules of a report, each with its file and line.
fn reported(ended: &crate::harness::Ended) -> Vec<String> {
    let results = ended.json()["results"].as_array().unwrap().clone();
    let shown = |result: &serde_json::Value| {
        let place = &result["location"];
        format!("{} {}:{}", result["rule"].as_str().unwrap(), place["file"].as_str().unwrap(), place["line"])
    };
    let failed = results.iter().filter(|result| result["outcome"] == "failed");
    ended.diagnostics().into_iter().chain(failed.map(shown)).collect()
}

#[test]
fn what_does_not_compile_hides_nothing_else() {
    let folder = Folder::new();
    folder.write("rule.json", RULE).write("modules/web.bicep", SITE);
    let check = [
        "check",
        ".",
        "--bicep",
        "builtin",
        "--offline",
        "--no-builtin-rules",
        "--rules",
        "rule.json",
        "--format",
        "json",
    ];
    let site = "resource own 'Microsoft.Web/sites@2022-09-01' = {
  name: 'own'
  location: 'westeurope'
  tags: thing
  properties: {
    httpsOnly: false
    siteConfig: WRONG
    serverFarmId: gone.outputs.id
  }
}
";
    let missing = "import { thing } from 'br/public:avm/utl/types:1.0.0'
extension other
module gone 'br/public:avm/res/web/site:1.0.0' = {}
resource group 'Microsoft.Graph/groups@v1.0' = {
  displayName: 'team'
}
";
    folder.write("bicepconfig.json", r#"{"extensions": {"other": "br:example.azurecr.io/other:1.0.0"}}"#);
    // All that is known is checked, and the rest is listed.
    folder.write("main.bicep", [missing, &site.replace("WRONG", "{}"), MAIN].concat());
    let ended = folder.run(&check);
    let found =
        ["bicep/restore main.bicep:1", "bicep/restore main.bicep:2", "T-1 modules/web.bicep:7", "T-1 main.bicep:12"];
    assert_eq!((ended.code, reported(&ended)), (1, found.map(str::to_owned).to_vec()), "{ended:?}");
    // So is what an error is not about.
    folder.write("main.bicep", [missing, &site.replace("WRONG", "unknown"), MAIN].concat());
    let ended = folder.run(&check);
    let found = [found[0], found[1], "bicep/BCP057 main.bicep:13", found[2], found[3]];
    assert_eq!((ended.code, reported(&ended)), (3, found.map(str::to_owned).to_vec()), "{ended:?}");
    // Where a file cannot be parsed, its local modules are checked on their own.
    folder.write("modules/web.bicep", SITE.replace(": https\n", ": false\n").replace("param https bool\n", ""));
    folder.write("main.bicep", [missing, "resource own = {}\n", MAIN].concat());
    let ended = folder.run(&check);
    let errors = ["bicep/diagnostic main.bicep:7", "bicep/BCP037 main.bicep:11"];
    let found = [found[0], found[1], errors[0], errors[1], "T-1 modules/web.bicep:6"];
    assert_eq!((ended.code, reported(&ended)), (3, found.map(str::to_owned).to_vec()), "{ended:?}");
}

#[test]
fn values_that_a_validator_refuses_are_found() {
    let folder = Folder::new();
    folder.write(
        "main.bicep",
        "type limits = {
  @validate(x => x > 0 && x < 10, 'between 1 and 9')
  count: int
}

@validate(x => startsWith(x, 'st'), 'begins with `st`')
param name string

param tier limits

module inner 'inner.bicep' = {
  params: { size: tier.count }
}

output o string = name
",
    );
    folder.write("inner.bicep", "@validate(x => x < 5)\nparam size int\noutput o int = size\n");
    let check = ["check", ".", "--bicep", "builtin", "--format", "json"];
    let given = |name: &str, count: u32| {
        let text = format!("using 'main.bicep'\nparam name = '{name}'\nparam tier = {{ count: {count} }}\n");
        folder.write("main.bicepparam", text);
        let ended = folder.run(&check);
        (ended.code, reported(&ended))
    };
    assert_eq!(given("stone", 4), (0, Vec::new()));
    let name = "parameter/constraint main.bicepparam:2".to_owned();
    assert_eq!(given("web", 4), (1, vec![name.clone()]));
    let inner = "parameter/constraint inner.bicep:2".to_owned();
    assert_eq!(given("web", 7), (1, vec![name, inner]));
}

#[test]
fn what_nothing_uses_is_found_as_the_linter_of_bicep_finds_it() {
    let folder = Folder::new();
    folder.write(
        "main.bicep",
        "param a string
param used string = toLower(a)
param other string
#disable-next-line no-unused-params
param waived string
var b = used
@export()
var exported = 1
output o string[] = map([1], other => '${other}')
",
    );
    let check = ["check", ".", "--bicep", "builtin", "--profile", "all", "--format", "json"];
    let found = ["parameter/unused main.bicep:3", "variable/unused main.bicep:6"].map(str::to_owned);
    assert_eq!(reported(&folder.run(&check)), found);
    let rules = r#"{"analyzers": {"core": {"rules": {"no-unused-params": {"level": "off"}}}}}"#;
    folder.write("bicepconfig.json", rules);
    assert_eq!(reported(&folder.run(&check)), [found[1].clone()]);
    folder.write("bicepconfig.json", r#"{"analyzers": {"core": {"enabled": false}}}"#);
    assert_eq!(reported(&folder.run(&check)), Vec::<String>::new());
}

#[test]
fn warnings_of_the_linter_are_reported_at_the_level_of_bicepconfig_and_are_advice_below_error() {
    let folder = Folder::new();
    let text = "var a = {
  'b': 'https://vault.azure.net'
}
#disable-next-line prefer-interpolation
output c string = concat(a.b, '/x')
#disable-diagnostics no-hardcoded-env-urls
output d string = 'graph.windows.net'
#restore-diagnostics no-hardcoded-env-urls
output e string = 'graph.windows.net'
";
    folder.write("main.bicep", text);
    let check = ["check", ".", "--bicep", "builtin", "--format", "json"];
    let quotes = "bicep/prefer-unquoted-property-names main.bicep:2";
    let [host, other] = ["bicep/no-hardcoded-env-urls main.bicep:2", "bicep/no-hardcoded-env-urls main.bicep:9"];
    let run = |arguments: &[&str]| {
        let ended = folder.run(&[&check[..], arguments].concat());
        let mut found = reported(&ended);
        found.sort();
        (ended.code, found)
    };
    let sorted = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(run(&[]), (0, sorted(&[host, other])));
    // Style is for those who ask for it.
    assert_eq!(run(&["--profile", "all"]), (0, sorted(&[host, other, quotes])));
    let level = r#"{"analyzers": {"core": {"rules": {"prefer-unquoted-property-names": {"level": "warning"}}}}}"#;
    folder.write("bicepconfig.json", level);
    assert_eq!(run(&[]), (0, sorted(&[host, other, quotes])));
    assert_eq!(run(&["--fail-on", "low"]).0, 1);
    let rules = r#"{"analyzers": {"core": {"rules": {
  "no-hardcoded-env-urls": {"level": "error", "excludedHosts": ["vault.azure.net"]},
  "prefer-unquoted-property-names": {"level": "off"},
  "use-description-outputs": {"level": "info"}
}}}}"#;
    folder.write("bicepconfig.json", rules);
    let described = [5, 7, 9].map(|line| format!("bicep/use-description-outputs main.bicep:{line}"));
    let all = [&[other.to_owned()][..], &described].concat();
    assert_eq!(run(&[]), (1, all));
    assert_eq!(run(&["--fail-on", "high"]).0, 1);
    assert_eq!(run(&["--min-severity", "high"]), (1, sorted(&[other])));
}
