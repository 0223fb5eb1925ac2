//! What whoever opens a pull request must not get at: files and secrets of the runner, and the runner itself.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use crate::changes::{Repository, search_path, site};
use crate::harness::{Ended, Folder, template};

/// What must be in no output.
const SECRET: &str = "hunter2-AKIAIOSFODNN7";

/// A repository in a folder with files that are not of it.
struct Runner {
    folder: Folder,
}

impl Runner {
    fn new() -> Self {
        let folder = Folder::new();
        let auth = format!("{{\"auths\": {{\"ghcr.io\": {{\"auth\": \"{SECRET}\"}}}}}}");
        folder.write("home/.docker/config.json", auth).write("home/environ", format!("TOKEN={SECRET}\0A=1\0"));
        folder.write("home/main.bicep", format!("{SECRET}\n")).write("home/x.guard", format!("rule {SECRET} {{"));
        folder.write("home/main.json", template(&format!("\"resources\": [], {SECRET}")));
        folder.write("home/settings.yaml", format!("{SECRET}: 1\n"));
        folder.write("repo/.git/config", format!("[http]\n\textraheader = {SECRET}\n"));
        folder.write("repo/.env", format!("TOKEN={SECRET}\n")).write("repo/main.json", template("\"resources\": []"));
        Self { folder }
    }

    fn write(self, name: &str, text: &str) -> Self {
        self.folder.write(&format!("repo/{name}"), text);
        self
    }

    fn link(self, target: &str, name: &str) -> Self {
        let path = self.folder.path().join("repo").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
        command.args(arguments).current_dir(self.folder.path().join("repo")).env_clear();
        command.env("GITHUB_ACTIONS", "true").env("DEPLOY_PAT", SECRET).env("PATH", search_path());
        let output = command.output().unwrap();
        Ended {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// No report has the secret, and each says what is wrong.
    #[track_caller]
    fn keeps_its_secret(&self, arguments: &[&str], reason: &str) {
        for format in ["console", "json", "github"] {
            let ended = self.run(&[&["check", "--format", format], arguments].concat());
            let output = format!("{}{}", ended.stdout, ended.stderr);
            assert!(!output.contains("hunter2") && !output.contains("AKIA"), "{format}: {output}");
            assert!(output.contains(reason), "{format}: `{reason}` is not in {output}");
        }
    }
}

/// A unit test of policies names the file of a template.
#[test]
fn unit_tests_of_policies_read_no_file_outside_the_repository() {
    const DEFINITION: &str = r#"{"name": "p", "mode": "All",
        "policyRule": {"if": {"field": "name", "equals": "x"}, "then": {"effect": "audit"}}}"#;
    let tell_with = |runner: &Runner, code: i32| {
        let ended = runner.run(&["rules", "test", "policies"]);
        let output = format!("{}{}", ended.stdout, ended.stderr);
        assert!(ended.code == code && !output.contains("hunter2") && !output.contains("AKIA"), "{output}");
        output
    };
    let tell = |runner: &Runner| tell_with(runner, 1);
    let test = |file: &str| {
        let test = format!("- {{template: \"{file}\", expectations: {{policies: {{p: none}}}}}}\n");
        Runner::new().write("policies/p.json", DEFINITION).write("policies/tests/p.yaml", &test)
    };
    for file in ["../../../home/environ", "../../../home/main.json", "/proc/self/environ", "../../.git/config"] {
        assert!(tell(&test(file)).contains("is outside the repository"), "{file}");
    }
    let linked = test("../out.json").link("../../home/main.json", "policies/out.json");
    // A file of the folder that cannot be read ends the command.
    assert!(tell_with(&linked, 2).contains("is outside the repository"));
    // What is there may be anything.
    let broken = format!("{{\"resources\": [], {SECRET}");
    for (name, text) in [("x.env", SECRET), ("x.json", &broken), ("x.bicep", SECRET)] {
        let runner = test(&format!("../../{name}")).write(name, text);
        assert!(!tell(&runner).contains("is outside the repository"), "{name}");
    }
}

mod settings {
    use super::*;

    #[test]
    fn name_no_file_outside_the_repository() {
        for file in ["/proc/self/environ", "../home/environ", "../home/.docker/config.json", ".git/config", "../gone"] {
            let runner = Runner::new().write("formwork.yaml", &format!("baseline: {file}\n"));
            runner.keeps_its_secret(&["."], "is outside the repository");
            let runner = Runner::new().write("formwork.yaml", &format!("rules: {{paths: [\"{file}\"]}}\n"));
            runner.keeps_its_secret(&["."], "is outside the repository");
        }
        let runner = Runner::new().write("formwork.yaml", "rules: {paths: [../home/.docker]}\n");
        runner.keeps_its_secret(&["."], "is outside the repository");
        let runner = Runner::new().link("../home", "h").write("formwork.yaml", "rules: {paths: [h]}\n");
        runner.keeps_its_secret(&["."], "is outside the repository");
    }

    #[test]
    fn quote_no_file_that_is_of_another_kind() {
        let runner = Runner::new().write("formwork.yaml", "baseline: .env\n");
        runner.keeps_its_secret(&["."], "this is not a baseline");
        for text in [format!("{{\"key\": \"{SECRET}\"}}"), format!("{{\"key\" \"{SECRET}\"}}"), SECRET.to_owned()] {
            let runner = Runner::new().write("creds.json", &text).write("formwork.yaml", "baseline: creds.json\n");
            runner.keeps_its_secret(&["."], "this is not a baseline");
            for paths in [".", "creds.json"] {
                let settings = format!("rules: {{paths: [\"{paths}\"]}}\n");
                let runner = Runner::new().write("creds.json", &text).write("formwork.yaml", &settings);
                runner.keeps_its_secret(&["main.json"], "this is not a rule file");
            }
        }
        let runner = Runner::new().link("../.env", "rules/x.guard").write("formwork.yaml", "rules: {paths: [rules]}\n");
        runner.keeps_its_secret(&["."], "this is not a rule file");
    }

    #[test]
    fn are_no_link_to_another_file() {
        for target in ["../home/settings.yaml", "../home/.docker/config.json", ".env", "creds.yaml", ".git/config"] {
            for name in ["formwork.yaml", "formwork.json", "ps-rule.yaml"] {
                let runner = Runner::new().write("creds.yaml", &format!("{SECRET}: 1\n")).link(target, name);
                runner.keeps_its_secret(&["."], "the link leads to a file whose name is not one of settings");
            }
        }
        let runner = Runner::new().link("../../home/settings.yaml", "ci/formwork.yaml");
        runner.keeps_its_secret(&["--config", "ci/formwork.yaml", "."], "the file is outside the repository");
        let runner = Runner::new();
        runner.folder.write("home/formwork.yaml", format!("{SECRET}: 1\n"));
        runner
            .link("../home/formwork.yaml", "formwork.yaml")
            .keeps_its_secret(&["."], "the file is outside the repository");
    }

    #[test]
    fn may_be_links_within_the_repository() {
        let runner = Runner::new().write("ci/formwork.yaml", "fail-on: never\nrules: {paths: [rules]}\n");
        let runner = runner.link("ci/formwork.yaml", "formwork.yaml").write("rules/a.json", crate::changes::RULE);
        let ended = runner.run(&["check", "."]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    }

    /// A command line is the user's own, wherever it leads.
    #[test]
    fn of_a_command_line_may_name_any_file() {
        let runner = Runner::new();
        runner
            .folder
            .write("org/formwork.yaml", "rules: {paths: [rules]}\n")
            .write("org/rules/a.json", crate::changes::RULE);
        let ended = runner.run(&["check", "--config", "../org/formwork.yaml", "--rules", "../org/rules", "."]);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}

mod links {
    use super::*;

    #[test]
    fn that_leave_the_repository_are_not_followed() {
        let runner = Runner::new().link("../home/main.json", "out.json");
        runner.keeps_its_secret(&["."], "");
        let report = runner.run(&["check", "--format", "json", "."]).json();
        let problem = &report["diagnostics"][0];
        assert_eq!(
            (problem["level"].as_str(), problem["file"].as_str(), problem["message"].as_str()),
            (Some("note"), Some("out.json"), Some("the link leads out of the repository, and is not followed"))
        );
        // Who names a link names a file of the repository.
        runner.keeps_its_secret(&["out.json"], "the file is outside the repository");
        let runner = Runner::new().link("../home", "infra");
        runner.keeps_its_secret(&["infra"], "a link leads to this folder outside the repository");
        runner.keeps_its_secret(&["infra/main.json"], "the file is outside the repository");
    }

    #[test]
    fn of_a_parameter_file_lead_to_no_other_file() {
        let parameters = |template: &str| {
            let text = crate::harness::parameters("");
            text.replacen('{', &format!("{{\"metadata\": {{\"template\": \"{template}\"}}, "), 1)
        };
        for target in ["../home/main.json", ".git/config", "./.git/config", "out.json"] {
            let runner = Runner::new().link("../home/main.json", "out.json");
            let runner = runner.write("x.parameters.json", &parameters(target));
            runner.keeps_its_secret(&["x.parameters.json"], "x.parameters.json");
        }
        // Its name names one, too.
        let runner =
            Runner::new().link("../home/main.json", "x.json").write("x.parameters.json", &parameters("x.json"));
        runner.keeps_its_secret(&["."], "is outside the repository");
        let runner = Runner::new().link("../home/main.json", "x.json");
        let runner = runner.write("x.parameters.json", &crate::harness::parameters(""));
        runner.keeps_its_secret(&["x.parameters.json"], "is outside the repository");
        let runner = Runner::new().link("../home/.docker/config.json", "p.json");
        runner.keeps_its_secret(&["--parameters", "p.json", "main.json"], "is outside the repository");
    }

    #[test]
    fn of_a_template_lead_to_no_other_file() {
        let linked = |path: &str| {
            template(&format!(
                r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
                   "properties": {{"mode": "Incremental", "templateLink": {{"relativePath": "{path}"}}}}}}]"#
            ))
        };
        for path in ["out.json", "../home/main.json", ".git/config", "h/main.json"] {
            let runner = Runner::new().link("../home/main.json", "out.json").link("../home", "h");
            runner.write("main.json", &linked(path)).keeps_its_secret(&["main.json"], "");
        }
    }

    #[test]
    fn outside_of_repositories_are_followed() {
        let folder = Folder::new();
        folder.write("store/abc", site("false")).write("work/rule.json", crate::changes::RULE);
        symlink("../store/abc", folder.path().join("work/main.json")).unwrap();
        let ended = folder.run(&["check", "--no-builtin-rules", "--rules", "work/rule.json", "work"]);
        assert_eq!(ended.code, 1, "{ended:?}");
    }
}

mod environment {
    use super::*;

    /// Variables with credentials, and one that is not.
    const VARIABLES: [&str; 8] = [
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "FORMWORK_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "ACTIONS_RUNTIME_TOKEN",
        "AZURE_CLIENT_SECRET",
        "AWS_SECRET_ACCESS_KEY",
        "NPM_PAT",
    ];

    /// Runs a check with a program that writes down its environment.
    fn environment_of(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let repository = Repository::with(&[("main.bicep", "param x string\n"), ("main.json", &site("true"))]);
        let folder = tempfile::tempdir().unwrap();
        let (file, log) = (folder.path().join(program), folder.path().join("log"));
        let real = search_path().split(':').map(|it| Path::new(it).join("git")).find(|it| it.is_file()).unwrap();
        let rest = if program == "git" { format!("exec '{}' \"$@\"", real.display()) } else { "exit 1".to_owned() };
        fs::write(&file, format!("#!/bin/sh\nenv >> '{}'\n{rest}\n", log.display())).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
        command.args(arguments).current_dir(&repository.root).env_clear();
        command.env("PATH", format!("{}:{}", folder.path().display(), search_path())).env("HOME", folder.path());
        command.env("https_proxy", "http://proxy:1").env("GIT_CONFIG_COUNT", "0");
        command.envs(VARIABLES.map(|name| (name, SECRET))).envs(variables.iter().copied());
        command.output().unwrap();
        fs::read_to_string(log).unwrap()
    }

    #[test]
    fn of_bicep_has_no_credentials() {
        let found = environment_of("bicep", &["check", "."], &[("STAGE", "dev")]);
        assert!(!found.contains(SECRET) && !found.contains("STAGE"), "{found}");
        for kept in ["PATH=", "HOME=", "https_proxy=http://proxy:1"] {
            assert!(found.contains(kept), "{found}");
        }
        let found =
            environment_of("bicep", &["check", "."], &[("STAGE", "dev"), ("FORMWORK_BICEP_ENV", "STAGE, NPM_*")]);
        assert!(found.contains("STAGE=dev") && found.contains("NPM_PAT=") && !found.contains("GH_TOKEN"), "{found}");
    }

    #[test]
    fn of_git_has_no_credentials() {
        let found = environment_of("git", &["check", "--changed=HEAD", "."], &[]);
        assert!(!found.contains(SECRET), "{found}");
        for kept in ["PATH=", "HOME=", "https_proxy=http://proxy:1", "GIT_CONFIG_COUNT=0"] {
            assert!(found.contains(kept), "{found}");
        }
    }
}

mod bicep {
    use super::*;

    /// A Bicep CLI of an old version, which complains of one file and quotes it.
    fn refusing(runner: &Runner, file: &str, message: &str) -> String {
        let program = runner.folder.path().join("bicep");
        let said = format!("{file}(1,1) : Error BCP007: {message}");
        let script =
            format!("case $1 in --version) echo 'Bicep CLI version 0.10.1';; *) echo \"{said}\" >&2; exit 1;; esac");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program.display().to_string()
    }

    fn check(runner: &Runner, file: &str, message: &str) -> Ended {
        let program = refusing(runner, file, message);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
        command.args(["check", "--no-cache", "."]).current_dir(runner.folder.path().join("repo")).env_clear();
        let output = command.env("PSRULE_AZURE_BICEP_PATH", program).env("PATH", search_path()).output().unwrap();
        Ended {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[test]
    fn quotes_no_module_that_is_another_file() {
        for module in
            ["../home/main.bicep", ".env", "../home/.docker/config.json", ".git/config", "l.bicep", "../home/environ"]
        {
            let runner = Runner::new().link("../home/main.bicep", "l.bicep");
            let runner = runner.write("main.bicep", &format!("module m '{module}' = {{\n  name: 'm'\n}}\n"));
            let file = runner.folder.path().join("repo").join(module);
            let ended = check(&runner, file.to_str().unwrap(), SECRET);
            assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("hunter2"), "{module}: {ended:?}");
            assert_eq!((ended.code, ended.stdout.contains("its text is not shown")), (3, true), "{module}: {ended:?}");
        }
    }

    #[test]
    fn does_not_get_a_link_to_another_file() {
        for target in ["../home/main.bicep", ".env"] {
            let runner = Runner::new().link(target, "x.bicep");
            let ended = check(&runner, "x.bicep", SECRET);
            assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("hunter2"), "{ended:?}");
            assert!(ended.stdout.contains("repository"), "{ended:?}");
        }
    }

    #[test]
    fn names_what_it_does_not_get() {
        let runner = Runner::new().write("main.bicep", "param x string\n");
        let ended = check(&runner, "main.bicep", "Environment variable STAGE does not exist");
        assert!(ended.stdout.contains("`FORMWORK_BICEP_ENV`"), "{ended:?}");
    }
}

mod owner {
    use super::*;

    /// A folder with a git to which every repository belongs to another user.
    fn other() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut folders = std::env::split_paths(&search_path()).collect::<Vec<_>>().into_iter();
        let git = folders.find_map(|folder| Some(folder.join("git")).filter(|file| file.exists())).unwrap();
        let text = format!("GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '{}' \"$@\"", git.display());
        program(&folder, &text);
        folder
    }

    fn program(folder: &TempDir, text: &str) {
        let path = folder.path().join("git");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn check(repository: &Repository, arguments: &[&str], git: &TempDir, variables: &[(&str, &str)]) -> Ended {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
        let path = format!("{}:{}", git.path().display(), search_path());
        command.args(arguments).current_dir(&repository.root).env_clear().env("PATH", path);
        let output = command.env("HOME", "/nowhere").envs(variables.iter().copied()).output().unwrap();
        Ended {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[test]
    fn of_a_repository_may_be_another_user() {
        let repository = Repository::with(&[("a.json", &site("true")), ("b.json", &site("true"))]);
        fs::write(repository.root.join("b.json"), site("false")).unwrap();
        let ended = check(&repository, &["check", "--changed=HEAD", "--show-files", "."], &other(), &[]);
        assert_eq!(
            (ended.code, ended.stdout.as_str(), ended.stderr.as_str()),
            (0, "b.json: changed\n", ""),
            "{ended:?}"
        );
    }

    /// What git refuses such a repository for.
    #[test]
    fn gets_nothing_run() {
        let repository = Repository::with(&[("a.json", &site("true")), (".gitattributes", "*.json filter=x diff=x\n")]);
        let script = repository.root.join(".git/evil");
        fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", repository.root.join("ran").display())).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let evil = script.to_str().unwrap();
        for name in [
            "core.fsmonitor",
            "core.pager",
            "core.sshCommand",
            "core.alternateRefsCommand",
            "diff.external",
            "diff.x.command",
            "diff.x.textconv",
            "filter.x.clean",
            "filter.x.process",
            "gpg.program",
        ] {
            repository.git(&["config", name, evil]);
        }
        repository.git(&["config", "core.hooksPath", repository.root.join(".git/hooks").to_str().unwrap()]);
        fs::create_dir_all(repository.root.join(".git/hooks")).unwrap();
        for hook in ["post-index-change", "reference-transaction"] {
            fs::copy(&script, repository.root.join(".git/hooks").join(hook)).unwrap();
        }
        fs::write(repository.root.join("a.json"), site("false")).unwrap();
        for arguments in [&["check", "--changed=HEAD", "--filter-mode=added", "."][..], &["check", "--staged", "."]] {
            let ended = check(&repository, arguments, &other(), &[]);
            assert!(!ended.stderr.contains("git"), "{ended:?}");
            assert!(!repository.root.join("ran").exists(), "{arguments:?}");
        }
    }

    #[test]
    fn is_not_the_reason_if_git_fails() {
        let repository = Repository::with(&[("a.json", &site("true"))]);
        let folder = tempfile::tempdir().unwrap();
        program(&folder, "echo 'fatal: bad object' >&2; exit 128");
        let variables = [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "push"), ("GITHUB_EVENT_PATH", "/nowhere")];
        let reason = "`git rev-parse` failed: fatal: bad object";
        let ended = check(&repository, &["check", "--changed=auto", "--format=github", "."], &folder, &variables);
        assert!(ended.stdout.starts_with("::warning title=formwork::what changed cannot be told"), "{ended:?}");
        assert!(ended.stdout.contains(reason) && ended.stderr.contains(reason), "{ended:?}");
        let ended = check(&repository, &["check", "--changed=auto", "--format=markdown", "."], &folder, &variables);
        assert!(ended.stdout.contains("what changed cannot be told, so everything is checked: "), "{ended:?}");
        let ended = check(&repository, &["check", "--changed=auto", "--format=json", "."], &folder, &variables);
        assert!(ended.json()["notices"][0].as_str().unwrap().contains(reason), "{ended:?}");
        let ended = check(&repository, &["check", "--changed=HEAD", "."], &folder, &variables);
        assert_eq!((ended.code, ended.stderr.contains(reason)), (2, true), "{ended:?}");
        assert!(!ended.stderr.contains("not in a git working tree"), "{ended:?}");
    }
}

/// Text that a runner would obey, wherever it is printed.
mod commands {
    use super::*;

    const FORGED: [&str; 6] = [
        "##[error]forged",
        "##[add-mask]a",
        "::error::forged",
        "##vso[task.setvariable variable=x]y",
        "\u{1b}[2J##[group]",
        "\u{feff}::add-mask::a",
    ];

    /// Lines that a runner takes for commands, in any of the three forms.
    fn obeyed(output: &str) -> Vec<&str> {
        let is_command = |line: &&str| {
            let start = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let has = |prefix: &str| line.to_lowercase().contains(prefix);
            let name = start.strip_prefix("::").and_then(|rest| rest.split_once("::")?.0.split(' ').next());
            let is_new = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphanumeric()));
            is_new || has("##[") || has("##vso[")
        };
        output.split(['\r', '\n']).filter(is_command).collect()
    }

    /// A template with hostile text in everything that is printed of it.
    fn hostile() -> String {
        let text = serde_json::to_string(&FORGED.join("\n")).unwrap();
        let text = text.trim_matches('"');
        template(&format!(
            r###""parameters": {{"p": {{"type": "string", "defaultValue": "{text}"}}}},
            "##[error]unknown": 1,
            "resources": [
              {{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "{text}", "location": "[parameters('p')]",
                "properties": {{"httpsOnly": false, "##[add-mask]x": "##vso[a]b"}}}}
            ],
            "outputs": {{"##[error]o": {{"type": "string", "value": "[listKeys('##[error]x', '1').k]"}}}}"###
        ))
    }

    #[test]
    fn are_not_formed_by_any_command_and_format() {
        let folder = Folder::new();
        folder.write("main.json", hostile()).write("##[error]x.json", hostile()).write("broken.json", "{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\", ##[error]}");
        folder.write("rules.json", crate::changes::RULE.replace("use https", "##[error]say\\n::error::it"));
        let rules = ["--rules", "rules.json"];
        let mut commands: Vec<Vec<&str>> = Vec::new();
        for format in ["console", "concise", "json", "sarif", "markdown", "junit"] {
            commands
                .push([&["check", ".", "--format", format, "--color=always", "--show-passed"], &rules[..]].concat());
        }
        commands.extend([
            vec!["expand", "main.json"],
            vec!["expand", "main.json", "--flat"],
            vec!["explain", "main.json", "resources[0].location"],
            vec!["explain", "main.json", "resources[0].location", "--format", "json"],
            vec!["eval", "[concat('##[', 'error]x')]"],
            vec!["eval", "##[error]x"],
            vec!["rules", "show", "T-1", "--rules", "rules.json"],
            vec!["rules", "list", "--rules", "rules.json"],
            vec!["rules", "list", "--rules", "rules.json", "--format", "json"],
            vec!["rules", "lint", "rules.json"],
            vec!["rules", "gen", "main.json"],
            vec!["doctor", "--rules", "rules.json"],
            vec!["check", "--##[error]flag"],
            vec!["check", "--format", "##[add-mask]a"],
            vec!["check", "##vso[a]b"],
            vec!["##[error]command"],
            vec!["check", "--diff", "."],
            vec!["check", "--show-files", "."],
        ]);
        for command in commands {
            let ended = folder.run_with(&command, &[("GITHUB_ACTIONS", "true")], b"");
            assert_eq!(obeyed(&ended.stdout), [""; 0], "{command:?}");
            assert_eq!(obeyed(&ended.stderr), [""; 0], "{command:?}");
            assert!(!ended.stdout.is_empty() || !ended.stderr.is_empty(), "{command:?}");
        }
    }

    #[test]
    fn keep_the_meaning_of_json() {
        let folder = Folder::new();
        folder.write("main.json", hostile());
        let expanded = folder.run(&["expand", "main.json"]).json();
        let resources = expanded["resources"].as_array().unwrap();
        let site = resources.iter().find(|resource| resource["type"] == "Microsoft.Web/sites").unwrap();
        assert_eq!(site["name"], FORGED.join("\n"), "{expanded}");
        assert_eq!(folder.run(&["eval", "[concat('##[', 'error]x')]"]).json(), "##[error]x");
    }

    #[test]
    fn of_ours_obey_no_terminal() {
        let folder = Folder::new();
        folder.write("main.json", hostile());
        let ended = folder.run(&["check", ".", "--format", "github"]);
        assert!(obeyed(&ended.stdout).iter().all(|line| line.starts_with("::") && !line.contains("##[")), "{ended:?}");
        assert!(obeyed(&ended.stdout).len() > 1 && !ended.stdout.contains('\u{1b}'), "{ended:?}");
    }
}
