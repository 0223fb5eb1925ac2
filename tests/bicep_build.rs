//! Bicep files as inputs, built by a stand-in for the Bicep CLI.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Ended, Folder, parameters, standin, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

const SITE: &str = "param https bool = false

resource site 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app'
  properties: {
    httpsOnly: https
  }
}
";

/// What the compiler makes of [`SITE`].
fn site() -> String {
    template(
        r#""parameters": {"https": {"type": "bool", "defaultValue": false}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "properties": {"httpsOnly": "[parameters('https')]"}}]"#,
    )
}

/// What the compiler makes of a module `m` with a value for `https`.
fn module(inner: &str) -> String {
    template(&format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "mode": "Incremental", "parameters": {{"https": {{"value": false}}}}, "template": {inner}}}}}]"#
    ))
}

/// The folder, and how to run in it.
struct Run {
    folder: Folder,
    variables: Vec<(String, String)>,
}

impl Run {
    fn new() -> Self {
        let folder = Folder::new();
        folder.write("rules.json", RULE);
        let cli = standin();
        let log = folder.path().join("starts.log");
        let variables = [
            ("PSRULE_AZURE_BICEP_PATH", cli.display().to_string()),
            ("FORMWORK_BICEP_ENV", "STANDIN_*".to_owned()),
            ("STANDIN_LOG", log.display().to_string()),
            ("XDG_CACHE_HOME", folder.path().join("cache").display().to_string()),
        ];
        Self { folder, variables: variables.map(|(name, value)| (name.to_owned(), value)).to_vec() }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.retain(|it| it.0 != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A file, and what the compiler makes of it.
    fn bicep(self, name: &str, text: &str, twin: &str) -> Self {
        self.folder.write(name, text).write(&format!("{name}.twin"), twin);
        self
    }

    fn file(self, name: &str, text: &str) -> Self {
        self.folder.write(name, text);
        self
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let variables: Vec<(&str, &str)> = self.variables.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
        self.folder.run_with(arguments, &variables, b"")
    }

    fn check(&self, arguments: &[&str]) -> Ended {
        let mut all = vec!["check", "--no-builtin-rules", "--rules", "rules.json", "--format", "json"];
        all.extend(arguments);
        self.run(&all)
    }

    /// The arguments of every process that was started.
    fn starts(&self) -> Vec<String> {
        let log = fs::read_to_string(self.folder.path().join("starts.log")).unwrap_or_default();
        log.lines().filter_map(|it| it.split_once(' ')).map(|it| it.1.to_owned()).collect()
    }

    /// Fails if one of the processes that were started is there still.
    #[cfg(target_os = "linux")]
    fn assert_all_are_gone(&self) {
        let log = fs::read_to_string(self.folder.path().join("starts.log")).unwrap_or_default();
        for pid in log.lines().filter_map(|it| it.split(' ').next()) {
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            assert!(!command.contains("standin"), "{pid} is there still");
        }
    }
}

/// The findings as `file:line`, each with the places that explain it.
fn places(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let place = |it: &Value| format!("{}:{}", it["file"].as_str().unwrap(), it["line"]);
    let results = report["results"].as_array().unwrap().iter().map(|it| {
        let related = it["related"].as_array().into_iter().flatten().map(place).collect::<Vec<_>>().join(" ");
        format!("{} < {related}", place(&it["location"])).trim_end_matches([' ', '<']).to_owned()
    });
    results.collect()
}

fn messages(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let all = report["diagnostics"].as_array().unwrap();
    all.iter().map(|it| format!("{} {}", it["level"].as_str().unwrap(), it["message"].as_str().unwrap())).collect()
}

mod findings {
    use super::*;

    #[test]
    fn are_on_the_line_of_the_source() {
        let run = Run::new().bicep("main.bicep", SITE, &site());
        let ended = run.check(&["main.bicep"]);
        assert_eq!((places(&ended), ended.code), (vec!["main.bicep:6 < main.bicep:1".to_owned()], 1), "{ended:?}");
        let report = ended.json();
        assert_eq!(
            (&report["results"][0]["template"], &report["summary"]["templates"]),
            (&"main.bicep".into(), &1.into())
        );
    }

    #[test]
    fn are_made_without_a_token() {
        let run = Run::new().bicep("main.bicep", SITE, &site());
        let run = run.with("FORMWORK_TOKEN", "secret").with("GITHUB_TOKEN", "secret");
        let ended = run.check(&["main.bicep"]);
        assert_eq!((ended.code, run.starts().len()), (1, 1), "{ended:?}");
    }

    #[test]
    fn of_a_local_module_are_in_its_own_file() {
        let main = "// modules\nmodule m 'm.bicep' = {\n  name: 'm'\n  params: {\n    https: false\n  }\n}\n";
        let run = Run::new().bicep("main.bicep", main, &module(&site())).file("m.bicep", SITE);
        let ended = run.check(&["."]);
        assert_eq!(places(&ended), ["m.bicep:6 < main.bicep:5 main.bicep:2"], "{ended:?}");
    }

    #[test]
    fn of_a_module_of_a_registry_are_at_its_argument() {
        let main = "module m 'br:x.io/m:1' = {\n  name: 'm'\n  params: {\n    https: false\n  }\n}\n";
        let run = Run::new().bicep("main.bicep", main, &module(&site()));
        let ended = run.check(&["."]);
        assert_eq!(places(&ended), ["main.bicep:4 < main.bicep:1"], "{ended:?}");
    }

    #[test]
    fn show_no_compiled_text() {
        let run = Run::new().bicep("main.bicep", SITE, &site());
        let ended = run.run(&["check", "--no-builtin-rules", "--rules", "rules.json", "--color", "never"]);
        assert!(ended.stdout.contains("httpsOnly: https") && !ended.stdout.contains("defaultValue"), "{ended:?}");
    }
}

mod expansion {
    use super::*;

    #[test]
    fn names_places_in_the_source() {
        let run = Run::new().bicep("main.bicep", SITE, &site());
        let ended = run.run(&["expand", "main.bicep"]);
        let json = ended.json();
        let about = &json["resources"][1]["_formwork"];
        assert_eq!(
            (&json["template"], &about["file"], &about["line"]),
            (&"main.bicep".into(), &"main.bicep".into(), &3.into())
        );
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}

mod explanation {
    use super::*;

    #[test]
    fn leads_through_the_source() {
        let run = Run::new().bicep("main.bicep", SITE, &site());
        let ended = run.run(&["explain", "main.bicep", "resources[0].properties.httpsOnly", "--color", "never"]);
        for part in ["main.bicep:6:5", "httpsOnly: https", "param https bool = false"] {
            assert!(ended.stdout.contains(part), "{part}: {ended:?}");
        }
        assert!(!ended.stdout.contains("defaultValue") && ended.code == 0, "{ended:?}");
    }
}

mod inputs {
    use super::*;

    const PARAMETERS: &str = "using 'main.bicep'\n\nparam https = false\n";

    fn given(value: &str) -> String {
        parameters(&format!(r#""https": {{"value": {value}}}"#))
    }

    #[test]
    fn a_parameter_file_brings_its_template_and_is_where_its_values_are() {
        let run = Run::new()
            .bicep("main.bicep", SITE, &site())
            .bicep("dev.bicepparam", PARAMETERS, &given("false"))
            .bicep("prod.bicepparam", PARAMETERS, &given("true"));
        for paths in [&["dev.bicepparam", "prod.bicepparam"][..], &["."], &["main.bicep"]] {
            let ended = run.check(paths);
            assert_eq!(places(&ended), ["main.bicep:6 < dev.bicepparam:3"], "{paths:?} {ended:?}");
            assert_eq!(ended.json()["results"][0]["parameters"], serde_json::json!(["dev.bicepparam"]));
            assert_eq!(ended.json()["summary"]["deployments"], 2);
        }
    }

    #[test]
    fn values_of_a_base_are_in_the_base() {
        let run = Run::new()
            .bicep("main.bicep", SITE, &site())
            .bicep("dev.bicepparam", "using 'main.bicep'\nextends 'base.bicepparam'\n", &given("false"))
            .bicep("base.bicepparam", "using none\n\n\nparam https = false\n", &given("false"));
        let ended = run.check(&["."]);
        assert_eq!((places(&ended), ended.code), (vec!["main.bicep:6 < base.bicepparam:4".to_owned()], 1), "{ended:?}");
    }

    #[test]
    fn values_that_only_a_deployment_knows_are_not_errors() {
        let vault = r#""https": {"reference": {"keyVault": {"id": "/v"}, "secretName": "s"}}"#;
        let input = r#""https": {"expression": "[externalInputs('sys_cli_0')]"}"#;
        let input = parameters(input)
            .replace("{\"$schema\"", r#"{"externalInputDefinitions": {"sys_cli_0": {"kind": "sys.cli"}}, "$schema""#);
        for given in [parameters(vault), input] {
            let run = Run::new().bicep("main.bicep", SITE, &site()).bicep("dev.bicepparam", PARAMETERS, &given);
            let ended = run.check(&["dev.bicepparam"]);
            let summary = &ended.json()["summary"];
            assert_eq!((&summary["unknown"], &summary["failed"]), (&1.into(), &0.into()), "{ended:?}");
            assert_eq!(ended.diagnostics(), [""; 0]);
        }
    }

    #[test]
    fn a_parameter_file_without_a_template_is_built_if_it_is_named() {
        let run = Run::new().bicep("base.bicepparam", "using none\nparam https = true\n", &given("true"));
        assert_eq!((run.check(&["."]).code, run.starts().len()), (0, 0));
        assert_eq!((run.check(&["base.bicepparam"]).code, run.starts().len()), (0, 1));
    }

    #[test]
    fn a_parameter_file_in_json_may_belong_to_bicep() {
        let run = Run::new().bicep("main.bicep", SITE, &site()).file("main.parameters.json", &given("true"));
        for path in [".", "main.bicep", "main.parameters.json"] {
            let ended = run.check(&[path]);
            assert_eq!((ended.json()["summary"]["deployments"].clone(), ended.code), (1.into(), 0), "{path} {ended:?}");
        }
    }

    #[test]
    fn a_given_parameter_file_is_laid_over_templates_of_any_kind() {
        let run = Run::new().bicep("main.bicep", SITE, &site()).file("other.json", &site()).bicep(
            "prod.bicepparam",
            PARAMETERS,
            &given("true"),
        );
        let ended = run.check(&["main.bicep", "other.json", "--parameters", "prod.bicepparam"]);
        assert_eq!((ended.json()["summary"]["deployments"].clone(), ended.code), (2.into(), 0), "{ended:?}");
    }

    #[test]
    fn settings_can_exclude_bicep_files_that_are_not_named() {
        let run = Run::new()
            .bicep("main.bicep", SITE, &site())
            .file("formwork.yaml", "configuration:\n  AZURE_BICEP_FILE_EXPANSION: false\n");
        assert_eq!(run.check(&["."]).code, 0);
        assert_eq!(run.starts(), Vec::<String>::new());
        assert_eq!(run.check(&["main.bicep"]).code, 1);
    }
}

mod compiler {
    use super::*;

    #[test]
    fn messages_have_file_line_and_code() {
        let text = format!("{SITE}// warning no-unused-params: Unused.\n");
        let run = Run::new().bicep("main.bicep", &text, &site());
        let ended = run.check(&["main.bicep", "--fail-on", "never"]);
        assert_eq!(ended.diagnostics(), ["bicep/diagnostic main.bicep:9"]);
        assert_eq!((messages(&ended), ended.code), (vec!["warning no-unused-params: Unused.".to_owned()], 0));
    }

    #[test]
    fn what_a_finding_says_the_compiler_does_not_repeat() {
        let twin = template(r#""parameters": {"a": {"type": "string"}}, "resources": []"#);
        let text = "param a string // warning no-unused-params: Unused.\n// warning no-unused-vars: Unused.\n";
        let arguments = ["check", "main.bicep", "--format", "json", "--rules-include", "parameter/unused"];
        let ended = Run::new().bicep("main.bicep", text, &twin).run(&arguments);
        assert_eq!(ended.json()["results"][0]["rule"], "parameter/unused", "{ended:?}");
        assert_eq!(ended.diagnostics(), ["bicep/diagnostic main.bicep:2"]);
    }

    #[test]
    fn an_error_is_3_and_the_others_are_checked() {
        let run = Run::new()
            .bicep("bad.bicep", "// error BCP018: Expected a thing.\n", "{}")
            .bicep("main.bicep", SITE, &site())
            .file("main.json", &site());
        let ended = run.check(&["."]);
        assert_eq!((messages(&ended), ended.code), (vec!["error Expected a thing.".to_owned()], 3));
        assert_eq!(ended.json()["summary"]["failed"], 2);
    }

    #[test]
    fn one_process_serves_the_run_and_none_the_next() {
        let mut run = Run::new();
        for name in ["a", "b", "c"] {
            run = run.bicep(&format!("{name}.bicep"), SITE, &site());
        }
        let first = run.check(&["."]);
        let second = run.check(&["."]);
        assert_eq!((first.code, &first.stdout), (1, &second.stdout));
        assert_eq!(run.starts(), ["jsonrpc --stdio"]);
        run.folder.write("data.txt", "referenced");
        run.check(&["."]);
        assert_eq!(run.starts().len(), 2);
        run.check(&[".", "--no-cache"]);
        run.check(&[".", "--cache-dir", "other"]);
        assert_eq!(run.starts().len(), 4);
        run.check(&[".", "--cache-dir", "other"]);
        assert_eq!(run.starts().len(), 4);
    }

    #[test]
    fn an_old_one_and_one_with_arguments_take_a_process_a_file() {
        for (name, value, starts) in [("STANDIN_FAIL", "old", 4), ("PSRULE_AZURE_BICEP_ARGS", "--no-restore", 3)] {
            let run = Run::new()
                .bicep("a.bicep", SITE, &site())
                .bicep(
                    "b.bicepparam",
                    "using 'a.bicep'\n\nparam https = true\n",
                    &parameters(r#""https": {"value": true}"#),
                )
                .with(name, value);
            let ended = run.check(&["."]);
            assert_eq!((ended.code, run.starts().len()), (0, starts), "{ended:?} {:?}", run.starts());
            run.check(&["."]);
            assert_eq!(run.starts().len(), starts);
        }
    }

    #[test]
    fn a_version_below_the_required_one_is_an_error() {
        let run = Run::new().bicep("a.bicep", SITE, &site()).file("b.json", &site()).file(
            "formwork.yaml",
            "configuration:\n  AZURE_BICEP_CHECK_TOOL: true\n  AZURE_BICEP_MINIMUM_VERSION: '0.99.0'\n",
        );
        let ended = run.check(&["."]);
        assert_eq!((ended.diagnostics(), ended.code), (vec!["bicep/tool a.bicep:1".to_owned()], 3));
        assert!(messages(&ended)[0].contains("has version 0.46.1; expected at least 0.99.0"), "{ended:?}");
        assert_eq!(ended.json()["summary"]["failed"], 1);
    }
}

mod trouble {
    use super::*;

    /// Two Bicep files and a template, of which the last is checked in any case.
    fn run() -> Run {
        Run::new()
            .bicep("a.bicep", SITE, &site())
            .bicep("b.bicep", SITE, &site())
            .file("c.json", &site())
            .file("formwork.yaml", "configuration:\n  AZURE_BICEP_FILE_EXPANSION_TIMEOUT: 2\n")
    }

    #[track_caller]
    fn check(run: &Run, failed: u64, expected: &[&str]) -> Vec<String> {
        let started = Instant::now();
        let ended = run.check(&["."]);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(ended.diagnostics(), expected, "{ended:?}");
        assert_eq!(ended.json()["summary"]["failed"], failed, "{ended:?}");
        assert_eq!(ended.code, if expected.is_empty() { 1 } else { 3 });
        #[cfg(target_os = "linux")]
        run.assert_all_are_gone();
        messages(&ended)
    }

    #[test]
    fn without_a_cli_all_else_is_checked() {
        let run = run().file("formwork.yaml", "bicep: cli\n").with("PSRULE_AZURE_BICEP_PATH", "");
        let said = check(&run, 1, &["bicep/tool a.bicep:1"]);
        assert_eq!(
            said,
            [
                "error the Bicep CLI was not found: `PSRULE_AZURE_BICEP_PATH` is not set, `PSRULE_AZURE_BICEP_USE_AZURE_CLI` \
              is not `true`, there is no `bicep` on the `PATH`; 2 Bicep files are not checked"
            ]
        );
    }

    #[test]
    fn a_cli_that_hangs_is_stopped() {
        let run = run().with("STANDIN_FAIL", "hang");
        let said = check(&run, 1, &["bicep/tool a.bicep:1"]);
        assert!(said[0].contains("did not answer within 2 s; 2 Bicep files are not checked"), "{said:?}");
    }

    #[test]
    fn a_cli_that_crashes_is_reported_once() {
        let run = run().with("STANDIN_FAIL", "crash");
        let said = check(&run, 1, &["bicep/tool a.bicep:1"]);
        assert!(said[0].contains("failed: it ended (exit status: 134); 2 Bicep files are not checked"), "{said:?}");
    }

    #[test]
    fn noise_on_standard_error_does_no_harm() {
        check(&run().with("STANDIN_FAIL", "noise"), 3, &[]);
    }

    #[test]
    fn a_file_that_crashes_the_cli_is_named_and_the_others_are_built() {
        let run = run().with("STANDIN_CRASH_ON", "a.bicep");
        let said = check(&run, 2, &["bicep/failed a.bicep:1"]);
        assert_eq!(said, ["error the Bicep CLI crashed while building the file: it ended (exit status: 134)"]);
    }

    #[test]
    fn a_file_that_hangs_the_cli_is_named_and_the_others_are_built() {
        let run = run().with("STANDIN_HANG_ON", "a.bicep");
        let said = check(&run, 2, &["bicep/failed a.bicep:1"]);
        assert_eq!(said, ["error the Bicep CLI did not build the file in time"]);
    }

    #[test]
    fn without_a_network_modules_are_skipped_or_errors_on_demand() {
        let main = "module m 'br:x.io/m:1' = {\n  name: 'm'\n}\n";
        let run = Run::new().bicep("a.bicep", main, &module(&site())).bicep("b.bicep", SITE, &site());
        let ended = run.check(&[".", "--offline"]);
        assert_eq!((ended.diagnostics(), ended.code), (vec!["bicep/restore a.bicep:1".to_owned()], 1), "{ended:?}");
        assert_eq!(run.check(&[".", "--offline", "--strict"]).code, 3);
        assert_eq!(run.check(&["."]).diagnostics(), Vec::<String>::new());
    }
}

mod committed_templates {
    use super::*;

    /// The compiled form of [`SITE`] as the Bicep CLI writes it.
    fn built() -> String {
        let generator = r#""metadata": {"_generator": {"name": "bicep", "version": "0.46.1", "templateHash": "1"}},"#;
        site().replacen("\"parameters\"", &format!("{generator} \"parameters\""), 1)
    }

    #[test]
    fn a_template_beside_the_bicep_file_that_it_was_built_from_is_not_checked_again() {
        let run = Run::new().bicep("a/main.bicep", SITE, &site()).file("a/main.json", &built());
        assert_eq!(places(&run.check(&["."])), ["a/main.bicep:6 < a/main.bicep:1"]);
        let shown = run.run(&["check", "--show-files"]).stdout;
        assert!(shown.contains("a/main.json: is skipped if a/main.bicep still builds the same\n"), "{shown}");
        assert_eq!(places(&run.check(&["a/main.json"])).len(), 1);
        assert_eq!(places(&run.check(&["a/main.json", "a/main.bicep"])).len(), 2);
    }

    /// What the Bicep file builds has no finding, and what is committed beside it has one.
    #[test]
    fn a_template_that_differs_from_what_is_built_is_checked_and_told() {
        let good = site().replace("\"defaultValue\": false", "\"defaultValue\": true");
        let run = Run::new().bicep("main.bicep", &SITE.replace("false", "true"), &good).file("main.json", &built());
        let ended = run.check(&["."]);
        let report = ended.json();
        let found: Vec<String> = report["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| format!("{} {}", it["rule"].as_str().unwrap(), it["location"]["file"].as_str().unwrap()))
            .collect();
        assert_eq!((ended.code, found), (1, vec!["T-1 main.json".to_owned()]), "{ended:?}");
        let ended = run.run(&["check", "--rules-include=bicep/stale-output", "--format=json"]);
        let stale = &ended.json()["results"][0];
        let place = (stale["location"]["file"].as_str(), stale["path"].as_str());
        assert_eq!(place, (Some("main.json"), Some("parameters.https.defaultValue")), "{ended:?}");
        // Without the Bicep CLI nothing represents the template.
        let without = run.with("PSRULE_AZURE_BICEP_PATH", "/nowhere/bicep");
        assert!(places(&without.check(&["main.json", "."]))[0].starts_with("main.json:"));
        assert!(places(&without.check(&["."]))[0].starts_with("main.json:"));
    }

    #[test]
    fn another_version_of_the_compiler_is_named() {
        let twin = built().replace("0.46.1", "0.47.0").replace("\"app\"", "\"other\"");
        let run = Run::new().bicep("main.bicep", SITE, &twin).file("main.json", &built());
        let ended = run.run(&["check", "--rules-include=bicep/stale-output", "--format=json"]);
        let message = ended.json()["results"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("version 0.46.1 of Bicep built it, and version 0.47.0 builds"), "{message}");
        // Of the same content, it is the same deployment.
        let run =
            Run::new().bicep("main.bicep", SITE, &built().replace("0.46.1", "0.47.0")).file("main.json", &built());
        assert_eq!(places(&run.check(&["."])), ["main.bicep:6 < main.bicep:1"]);
    }

    #[test]
    fn parameter_files_of_a_template_that_differs_are_for_both() {
        let given = parameters(r#""https": {"value": false}"#);
        let run = Run::new()
            .bicep("main.bicep", SITE, &site().replace("\"app\"", "\"other\""))
            .file("main.json", &built())
            .file("main.parameters.json", &given);
        let ended = run.check(&["."]);
        let templates: Vec<String> =
            ended.json()["results"].as_array().unwrap().iter().map(|it| it["template"].to_string()).collect();
        assert_eq!(templates, ["\"main.bicep\"", "\"main.json\""], "{ended:?}");
        assert!(
            ended.json()["results"].as_array().unwrap().iter().all(|it| it["parameters"][0] == "main.parameters.json")
        );
    }

    #[test]
    fn its_parameter_files_belong_to_the_bicep_file() {
        let given = parameters(r#""https": {"value": true}"#);
        let run = Run::new()
            .bicep("main.bicep", SITE, &site())
            .file("main.json", &built())
            .file("main.parameters.json", &given);
        let ended = run.check(&["."]);
        assert_eq!((ended.code, ended.json()["summary"]["deployments"].clone()), (0, 1.into()), "{ended:?}");
    }

    #[test]
    fn a_file_that_nothing_represents_is_checked() {
        let check = |run: Run, expected: &str| {
            let ended = run.check(&["."]);
            assert!(places(&ended)[0].starts_with(expected), "{ended:?}");
            let shown = run.run(&["check", "--show-files"]).stdout;
            assert!(!shown.contains("skipped"), "{shown}");
        };
        check(Run::new().file("main.json", &built()), "main.json:");
        check(
            Run::new().bicep("other.bicep", "", &template("\"resources\": []")).file("main.json", &built()),
            "main.json:",
        );
        let settings = "configuration:\n  AZURE_BICEP_FILE_EXPANSION: false\n";
        let run = Run::new().bicep("main.bicep", SITE, &site()).file("main.json", &built());
        check(run.file("formwork.yaml", settings), "main.json:");
    }

    #[test]
    fn it_is_checked_where_the_bicep_file_cannot_be_built() {
        let text = format!("{SITE}// error BCP018: Expected a thing.\n");
        let run = Run::new().bicep("main.bicep", &text, "{}").file("main.json", &built());
        let ended = run.check(&["."]);
        assert_eq!((places(&ended).len(), ended.code), (1, 3), "{ended:?}");
    }
}
