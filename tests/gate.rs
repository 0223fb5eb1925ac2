//! What a change could do to slip past its own check. Each test makes the attack, and shows that it fails.

use std::fs;

use crate::changes::{RULE, Repository, site};
use crate::harness::{Ended, Folder, parameters, template};

/// The findings as `file:line`.
fn findings(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let failed = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
    failed.map(|it| format!("{}:{}", it["location"]["file"].as_str().unwrap(), it["location"]["line"])).collect()
}

/// The message of the diagnostic with this code, if there is one.
fn said(ended: &Ended, code: &str) -> Option<String> {
    let report = ended.json();
    let found = report["diagnostics"].as_array().unwrap().iter().find(|it| it["code"] == code);
    found.map(|it| it["message"].as_str().unwrap().to_owned())
}

mod ignore_files {
    use super::*;

    const CHECK: [&str; 4] = ["--format=json", "--no-builtin-rules", "--rules=rules.json", "--quiet"];

    #[track_caller]
    fn check(repository: &Repository, arguments: &[&str], expected: &[&str]) {
        let ended = repository.run(&[&CHECK, arguments].concat());
        assert_eq!(findings(&ended), expected, "{arguments:?}: {ended:?}");
    }

    /// A repository whose last commit has a bad template, and ignore files that hide it.
    fn attacked(ignoring: &[(&str, &str)]) -> Repository {
        let repository = Repository::with(&[("infra/main.json", &site("true")), ("rules.json", RULE)]);
        repository.git(&["tag", "base"]);
        repository.put(ignoring).put(&[("infra/main.json", &site("false")), ("infra/new.json", &site("false"))]);
        // What is ignored is tracked all the same.
        repository.git(&["add", "--force", "--all"]);
        repository.git(&["commit", "--quiet", "--message=x"]);
        repository
    }

    #[test]
    fn hide_nothing_that_git_tracks() {
        for (name, text) in [
            (".gitignore", "infra"),
            (".gitignore", "*.json\n!rules.json"),
            ("infra/.gitignore", "*"),
            (".ignore", "infra"),
            (".rgignore", "infra"),
            ("infra/.ignore", "*"),
        ] {
            let repository = attacked(&[(name, text)]);
            for arguments in [&["."][..], &["infra"], &["--changed=base"], &["--changed=base", "infra"]] {
                check(&repository, arguments, &["infra/main.json:11", "infra/new.json:11"]);
            }
        }
    }

    #[test]
    fn hide_nothing_that_is_staged() {
        let repository = Repository::with(&[("main.json", &site("true")), ("rules.json", RULE)]);
        repository.put(&[("main.json", &site("false")), (".gitignore", "*")]);
        repository.git(&["add", "--force", "--all"]);
        // The index differs from the working tree, so that a copy of it is checked.
        repository.put(&[("main.json", &site("true"))]);
        check(&repository, &["--staged"], &["main.json:11"]);
    }

    #[test]
    fn hide_what_git_does_not_track() {
        let repository = attacked(&[(".gitignore", "out")]);
        repository.put(&[("out/main.json", &site("false")), ("infra/extra.json", &site("false"))]);
        check(&repository, &["."], &["infra/extra.json:11", "infra/main.json:11", "infra/new.json:11"]);
        check(&repository, &["--changed=base"], &["infra/extra.json:11", "infra/main.json:11", "infra/new.json:11"]);
    }

    #[test]
    fn of_the_user_do_not_count() {
        let repository = attacked(&[]);
        repository.put(&[("home/git/ignore", "extra.json"), ("infra/extra.json", &site("false"))]);
        let home = repository.root.join("home").display().to_string();
        for change in [".", "--changed=base"] {
            let ended = repository.run_with("", &[&CHECK[..], &[change]].concat(), &[("XDG_CONFIG_HOME", &home)]);
            assert!(findings(&ended).contains(&"infra/extra.json:11".to_owned()), "{change}: {ended:?}");
        }
    }

    #[test]
    fn of_a_repository_inside_hide_nothing_that_it_tracks() {
        let repository = attacked(&[]);
        repository.put(&[("inner/a.json", &site("false")), ("inner/.gitignore", "a.json")]);
        let inner = |words: &[&str]| repository.git(&[&["-C", "inner"], words].concat());
        inner(&["init", "--quiet"]);
        inner(&["add", "--force", "--all"]);
        check(&repository, &["."], &["infra/main.json:11", "infra/new.json:11", "inner/a.json:11"]);
    }

    #[test]
    fn hide_nothing_in_a_workflow_that_downloaded_the_files() {
        let folder = Repository::without_git();
        folder.put(&[("main.json", &site("false")), ("rules.json", RULE), (".gitignore", "main.json")]);
        let check = |variables: &[(&str, &str)]| findings(&folder.run_with("", &CHECK, variables));
        assert_eq!(check(&[("GITHUB_ACTIONS", "true")]), ["main.json:11"]);
        assert!(check(&[]).is_empty());
    }
}

#[test]
fn a_submodule_that_moves_on_changes_its_files() {
    let inner = Repository::with(&[("main.json", &site("true"))]);
    let repository = Repository::with(&[("rules.json", RULE)]);
    let url = inner.root.display().to_string();
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
    repository.commit().git(&["tag", "base"]);
    repository.put(&[("sub/main.json", &site("false"))]);
    repository.git(&["-C", "sub", "commit", "--quiet", "--all", "--message=x"]);
    repository.commit();
    let ended = repository.run(&["--changed=base", "--format=json", "--no-builtin-rules", "--rules=rules.json"]);
    assert_eq!(findings(&ended), ["sub/main.json:11"], "{ended:?}");
}

mod settings {
    use super::*;

    const SETTINGS: &str = "rules:\n  builtin: false\n  paths: [rules]\n";

    /// The rule, so that it no longer finds anything.
    fn lax() -> String {
        RULE.replace("\"equals\": true", "\"exists\": true")
    }

    /// What the base of all attacks has, with a tag on it.
    fn base(more: &[(&str, &str)]) -> Repository {
        let repository = Repository::with(&[("main.json", &site("true")), ("rules/t.json", RULE)]);
        repository.put(&[("formwork.yaml", SETTINGS)]).put(more).commit();
        repository.git(&["tag", "base"]);
        repository.put(&[("main.json", &site("false"))]).commit();
        repository
    }

    fn run(repository: &Repository, side: &str) -> Ended {
        repository.run(&["--changed=base", "--format=json", &format!("--config-from={side}")])
    }

    /// The joined reports of two parts. Each part is checked with these arguments, and joined in the checkout of the head.
    fn joined(repository: &Repository, arguments: &[&str]) -> Ended {
        fs::create_dir_all(repository.root.join("parts")).unwrap();
        for part in ["1", "2"] {
            let (shard, output) = (format!("--shard={part}/2"), format!("--output=json=parts/{part}.json"));
            repository.run(&[arguments, &["--fail-on=never", &shard, &output]].concat());
        }
        repository.merge(&["parts", "--format=json"])
    }

    /// The check fails with the settings of the base, also on several machines. With those of the head, the attack works,
    /// and is told.
    #[track_caller]
    fn check(repository: &Repository, told: &str) {
        repository.commit();
        let ended = run(repository, "base");
        assert_eq!((ended.code, findings(&ended)), (1, vec!["main.json:11".to_owned()]), "{told}: {ended:?}");
        assert!(said(&ended, "config/base").is_some_and(|text| text.contains("counts once it is merged")), "{ended:?}");
        let ended = joined(repository, &["--changed=base", "--config-from=base"]);
        assert_eq!((ended.code, findings(&ended)), (1, vec!["main.json:11".to_owned()]), "{told}, joined: {ended:?}");
        let ended = run(repository, "head");
        assert_eq!(ended.code, 0, "{told}: this is no attack: {ended:?}");
        let message = said(&ended, "config/weakened").unwrap_or_default();
        assert!(message.contains(told), "{told} not in {message}");
    }

    /// As [`check`], with one file of these contents.
    #[track_caller]
    fn check_file(name: &str, text: &str, told: &str) {
        let repository = base(&[]);
        repository.put(&[(name, text)]);
        check(&repository, told);
    }

    fn with(more: &str) -> String {
        format!("{SETTINGS}{more}")
    }

    #[test]
    fn of_a_change_do_not_count_for_it() {
        check_file("formwork.yaml", &with("fail-on: never\n"), "`fail-on` is `never`");
        check_file("formwork.yaml", &with("exclude: ['*.json']\n"), "`exclude` has `*.json`");
        check_file("formwork.yaml", &with("include: [infra]\n"), "`include` has `infra`");
        check_file("formwork.yaml", &with("min-severity: high\n"), "`min-severity` is `high`");
        check_file("formwork.yaml", &with("  exclude: [T-1]\n"), "`rules.exclude` has `T-1`");
        check_file("formwork.yaml", &with("  include: [T-2]\n"), "`rules.include` has `T-2`");
        let severity = with("  severity: {T-1: low}\nfail-on: medium\n");
        check_file("formwork.yaml", &severity, "`rules.severity.T-1` is `low`");
        let limits = with("limits: {file-size: 300}\nallow-unreadable: true\n");
        check_file("formwork.yaml", &limits, "`allow-unreadable` is `true`, `limits.file-size` is `300`");
        check_file("ps-rule.yaml", "input: {pathIgnore: ['**']}", "`input.pathIgnore` has `**`");
    }

    #[test]
    fn under_another_name_do_not_either() {
        // Of two files, the first by name counts.
        let repository = base(&[]);
        repository.git(&["mv", "formwork.yaml", "formwork.json"]);
        repository.put(&[("formwork.json", r#"{"fail-on": "never"}"#)]);
        check(&repository, "`formwork.yaml` is no longer read, `formwork.json` is read");
        let repository = base(&[]);
        repository.remove("formwork.yaml").put(&[("psrule.yml", "input: {pathIgnore: ['*']}")]);
        check(&repository, "`rules.paths` no longer has `rules`");
    }

    #[cfg(unix)]
    #[test]
    fn behind_a_link_do_not_either() {
        use std::os::unix::fs::symlink;
        let repository = base(&[]);
        repository.put(&[("elsewhere/formwork.yaml", &with("fail-on: never\n"))]).remove("formwork.yaml");
        symlink("elsewhere/formwork.yaml", repository.root.join("formwork.yaml")).unwrap();
        check(&repository, "`fail-on` is `never`");
        // A folder becomes a link to another: `rules/t.json` is not listed, and exists.
        let repository = base(&[]);
        repository.put(&[("weak/t.json", &lax())]).remove("rules/t.json");
        fs::remove_dir(repository.root.join("rules")).unwrap();
        symlink("weak", repository.root.join("rules")).unwrap();
        check(&repository, "`rules");
    }

    #[cfg(unix)]
    #[test]
    fn of_the_base_may_be_behind_a_link() {
        let repository = base(&[("shared/policy.yaml", SETTINGS)]);
        repository.git(&["switch", "--quiet", "--create=linked", "base"]);
        repository.remove("formwork.yaml");
        std::os::unix::fs::symlink("./shared/../shared/policy.yaml", repository.root.join("formwork.yaml")).unwrap();
        repository.commit();
        repository.git(&["tag", "--force", "base"]);
        repository.put(&[("main.json", &site("false")), ("shared/policy.yaml", "fail-on: never")]).commit();
        assert_eq!(run(&repository, "base").code, 1);
    }

    #[test]
    fn nearer_to_the_folder_do_not_either() {
        let repository = base(&[("infra/main.json", &site("true"))]);
        repository.put(&[("infra/main.json", &site("false")), ("infra/formwork.yaml", "fail-on: never")]).commit();
        for (folder, config) in [("infra", None), ("", Some("--config=infra"))] {
            let run = |side: &str| {
                let side = format!("--config-from={side}");
                let mut arguments = vec!["--changed=base", "--format=json", &side];
                arguments.extend(config);
                repository.run_in(folder, &arguments)
            };
            assert_eq!(run("base").code, 1, "{folder}");
            let head = run("head");
            let told = said(&head, "config/weakened").unwrap();
            assert!(head.code == 0 && told.contains("`infra/formwork.yaml` is read"), "{told}");
        }
    }

    #[test]
    fn rules_of_a_change_do_not_count() {
        check_file("rules/t.json", &lax(), "`rules/t.json` is changed");
        let repository = base(&[]);
        repository.remove("rules/t.json").put(&[("rules/u.json", &lax())]);
        check(&repository, "`rules/t.json` is deleted");
        // They do not count where the command line names them either.
        let repository = base(&[]);
        repository.put(&[("formwork.yaml", "rules: {builtin: false}"), ("rules/t.json", &lax())]).commit();
        let run = |side: &str| repository.run(&["--changed=base", "--rules=rules", side]).code;
        assert_eq!((run("--config-from=base"), run("--config-from=head")), (1, 0));
    }

    #[test]
    fn a_baseline_of_a_change_does_not_count() {
        let accepting = |repository: &Repository| {
            repository.run(&["--write-baseline=baseline.json"]);
            assert!(fs::read_to_string(repository.root.join("baseline.json")).unwrap().contains("T-1"));
        };
        let repository = base(&[]);
        accepting(&repository);
        repository.put(&[("formwork.yaml", &with("baseline: baseline.json\n"))]);
        check(&repository, "`baseline.json` accepts 1 more finding of `T-1`");
        let empty = r#"{"schema": "formwork/baseline/v1", "findings": []}"#;
        let repository = base(&[("formwork.yaml", &with("baseline: baseline.json\n")), ("baseline.json", empty)]);
        accepting(&repository);
        check(&repository, "`baseline.json` accepts 1 more finding of `T-1`");
        // The command line names a file that only the change has.
        let repository = base(&[]);
        accepting(&repository);
        repository.commit();
        let run = |side: &str| repository.run(&["--changed=base", "--baseline=baseline.json", side]).code;
        assert_eq!((run("--config-from=base"), run("--config-from=head")), (2, 0));
    }

    #[test]
    fn an_entry_that_a_change_removes_from_the_baseline_is_not_stale() {
        let repository = base(&[]);
        repository.run(&["--write-baseline=baseline.json"]);
        repository.put(&[("formwork.yaml", &with("baseline: baseline.json\n"))]).commit();
        repository.git(&["tag", "--force", "base"]);
        let empty = r#"{"schema": "formwork/baseline/v1", "findings": []}"#;
        repository.put(&[("main.json", &site("true")), ("baseline.json", empty)]).commit();
        let ended = run(&repository, "base");
        assert_eq!((ended.code, said(&ended, "baseline/stale")), (0, None), "{ended:?}");
    }

    /// A branch may start at any commit of its base, also at one whose settings were weak.
    #[test]
    fn of_an_old_base_do_not_count() {
        let repository = Repository::with(&[("main.json", &site("true")), ("rules/t.json", RULE)]);
        repository.put(&[("formwork.yaml", "fail-on: never")]).commit();
        repository.git(&["switch", "--quiet", "--create=attack"]);
        repository.put(&[("main.json", &site("false"))]).commit();
        repository.git(&["switch", "--quiet", "main"]);
        repository.put(&[("formwork.yaml", SETTINGS)]).commit();
        repository.git(&["switch", "--quiet", "attack"]);
        let ended = repository.run(&["--changed=main", "--config-from=base", "--format=json"]);
        assert_eq!((ended.code, findings(&ended)), (1, vec!["main.json:11".to_owned()]), "{ended:?}");
    }

    #[test]
    fn that_a_workflow_brings_along_count() {
        let repository = base(&[]);
        // As if another repository were checked out there.
        repository.put(&[("policy/formwork.yaml", "fail-on: never"), (".git/info/exclude", "policy")]).commit();
        let ended = repository.run(&["--changed=base", "--config-from=base", "--config=policy/formwork.yaml"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        // With the change having them, too, nobody knows whose they are.
        repository.git(&["add", "--force", "policy"]);
        repository.git(&["commit", "--quiet", "--message=x"]);
        let ended = repository.run(&["--changed=base", "--config-from=base", "--config=policy/formwork.yaml"]);
        assert!(ended.code == 2 && ended.stderr.contains("which `--config` names"), "{ended:?}");
    }

    #[test]
    fn that_are_stronger_are_not_told() {
        let repository = base(&[]);
        repository.put(&[("formwork.yaml", &with("fail-on-unknown: true\n"))]).commit();
        let ended = run(&repository, "head");
        assert_eq!((ended.code, said(&ended, "config/weakened")), (1, None), "{ended:?}");
        let ended = run(&base(&[]), "base");
        assert_eq!((ended.code, said(&ended, "config/base")), (1, None), "{ended:?}");
    }

    #[test]
    fn need_a_base_to_come_from() {
        let folder = Repository::without_git();
        folder.put(&[("main.json", &site("false")), ("formwork.yaml", "fail-on: never")]);
        let ended = folder.run(&["--config-from=base"]);
        assert!(ended.code == 2 && ended.stderr.contains("the settings of the base cannot be read"), "{ended:?}");
        // Without settings, there are none that could be weak.
        folder.remove("formwork.yaml");
        assert_eq!(folder.run(&["--config-from=base"]).code, 1);
    }
}

#[cfg(unix)]
mod bicep {
    use super::*;
    use crate::harness::standin;

    /// A base whose compiler reports an error, and a change that silences it with these settings of the compiler.
    #[track_caller]
    fn check(name: &str, told: &str) {
        let standin = standin().display().to_string();
        let variables = [("PSRULE_AZURE_BICEP_PATH", standin.as_str())];
        let main = "// error no-secrets: a secret\nvar a = loadTextContent('main.bicep.twin')\n";
        let twin = template(r#""resources": []"#);
        let repository = Repository::with(&[("bicepconfig.json", "{}"), ("infra/main.bicep.twin", &twin)]);
        repository.git(&["tag", "base"]);
        repository.put(&[("infra/main.bicep", main), (name, r#"{"is": "silent"}"#)]).commit();
        let run = |side: &str| {
            let side = format!("--config-from={side}");
            let ended = repository.run_with("", &["--changed=base", "--format=json", "--no-cache", &side], &variables);
            (ended.code, ended.diagnostics(), said(&ended, "config/weakened"))
        };
        let (code, diagnostics, _) = run("base");
        assert!(
            code == 3 && diagnostics.contains(&"bicep/diagnostic infra/main.bicep:1".to_owned()),
            "{diagnostics:?}"
        );
        let (code, _, message) = run("head");
        assert!(code == 0 && message.as_deref().is_some_and(|text| text.contains(told)), "{message:?}");
    }

    #[test]
    fn settings_of_the_compiler_are_those_of_the_base() {
        check("bicepconfig.json", "`bicepconfig.json` is changed");
        check("infra/bicepconfig.json", "`infra/bicepconfig.json` is new");
    }

    #[test]
    fn the_built_in_compiler_takes_them_from_the_base_too() {
        let alias = |path: &str| {
            format!(
                r#"{{"moduleAliases": {{"br": {{"own": {{"registry": "example.com", "modulePath": "{path}"}}}}}}}}"#
            )
        };
        let home = Folder::new();
        home.write(".bicep/br/example.com/bad$site/1.0.0$/main.json", site("false"));
        home.write(".bicep/br/example.com/good$site/1.0.0$/main.json", site("true"));
        let main = "module site 'br/own:site:1.0.0' = {\n  name: 'site'\n}\n";
        let files = [("bicepconfig.json", alias("bad")), ("rules.json", RULE.to_owned())];
        let repository = Repository::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        repository.git(&["tag", "base"]);
        let code = |repository: &Repository, side: &str| {
            let side = format!("--config-from={side}");
            let arguments = ["--changed=base", "--bicep=builtin", "--no-builtin-rules", "--rules=rules.json", &side];
            repository.run_with("", &arguments, &[("HOME", &home.path().display().to_string())]).code
        };
        for name in ["bicepconfig.json", "infra/bicepconfig.json"] {
            repository.put(&[("infra/main.bicep", main), (name, &alias("good"))]).commit();
            assert_eq!((code(&repository, "base"), code(&repository, "head")), (1, 0), "{name}");
        }
        // What they extend is that of the base as well, and what a link leads to.
        let extending = r#"{"extends": "shared/bicep.json"}"#;
        for is_link in [false, true] {
            let repository = Repository::with(&[("shared/bicep.json", &alias("bad")), ("rules.json", RULE)]);
            if is_link {
                std::os::unix::fs::symlink("shared/bicep.json", repository.root.join("bicepconfig.json")).unwrap();
            } else {
                repository.put(&[("bicepconfig.json", extending)]);
            }
            repository.commit().git(&["tag", "base"]);
            repository.put(&[("infra/main.bicep", main), ("shared/bicep.json", &alias("good"))]).commit();
            assert_eq!((code(&repository, "base"), code(&repository, "head")), (1, 0), "{is_link}");
            let ended = repository.run(&["--changed=base", "--bicep=builtin", "--format=json", "--no-builtin-rules"]);
            let told = said(&ended, "config/weakened").unwrap_or_default();
            assert!(is_link || told.contains("`shared/bicep.json` is changed"), "{told}: {ended:?}");
            // A file that only the change has is not read.
            repository
                .put(&[("shared/bicep.json", r#"{"extends": "more.json"}"#), ("shared/more.json", &alias("good"))]);
            repository.commit();
            assert_eq!(code(&repository, "base"), 1, "{is_link}");
        }
    }
}

mod renames {
    use super::*;

    const CHECK: [&str; 6] = [
        "--changed=base",
        "--filter-mode=added",
        "--fail-on-scope=changed",
        "--format=json",
        "--no-builtin-rules",
        "--rules=rules.json",
    ];

    /// The findings after files were moved.
    fn moved(files: &[(&str, &str)], moves: &[(&str, &str)]) -> (Vec<String>, i32) {
        let repository = Repository::with(&[("rules.json", RULE)]);
        repository.put(files).commit();
        repository.git(&["tag", "base"]);
        for (from, to) in moves {
            fs::create_dir_all(repository.root.join(to).parent().unwrap()).unwrap();
            repository.git(&["mv", from, to]);
        }
        repository.commit();
        let ended = repository.run(&CHECK);
        (findings(&ended), ended.code)
    }

    #[test]
    fn into_a_template_count_as_changes() {
        let bad = site("false");
        assert_eq!(moved(&[("n.json.txt", &bad)], &[("n.json.txt", "n.json")]), (vec!["n.json:11".to_owned()], 1));
        let excluded = [("samples/n.json", bad.as_str()), ("formwork.yaml", "exclude: [samples]")];
        assert_eq!(moved(&excluded, &[("samples/n.json", "n.json")]), (vec!["n.json:11".to_owned()], 1));
        // It was checked before, and is as bad as it was.
        assert_eq!(moved(&[("a.json", &bad)], &[("a.json", "infra/b.json")]), (Vec::new(), 0));
    }

    #[test]
    fn of_parameter_files_into_place_count_as_changes() {
        let main = site("\"[parameters('https')]\"");
        let values = parameters(r#""https": {"value": false}"#);
        for from in ["main.parameters.json.off", "off/main.parameters.json", "other.parameters.json"] {
            let (found, code) = moved(&[("main.json", &main), (from, &values)], &[(from, "main.parameters.json")]);
            assert_eq!((found.len(), code), (1, 1), "{from}: {found:?}");
        }
    }
}

mod deletions {
    use super::*;

    /// A template with one that it links to.
    fn user() -> String {
        template(
            r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m",
  "properties": {"mode": "Incremental", "templateLink": {"relativePath": "m.json"}}}]"#,
        )
    }

    /// The files that a hook would check.
    fn shown(repository: &Repository, named: &[&str], variables: &[(&str, &str)]) -> String {
        let arguments = ["--force-exclude", "--dependents", "--deleted", "--quiet", "--show-files"];
        let ended = repository.run_with("", &[&arguments, named].concat(), variables);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        ended.stdout
    }

    #[test]
    fn concern_the_users_of_what_is_deleted() {
        let repository = Repository::with(&[("main.json", &user()), ("m.json", &site("true"))]);
        assert_eq!(shown(&repository, &[], &[]), "");
        repository.git(&["rm", "--quiet", "m.json"]);
        assert_eq!(shown(&repository, &[], &[]), "main.json: links to m.json, which was deleted\n");
        repository.commit();
        assert_eq!(shown(&repository, &[], &[]), "");
        let commits = [("PRE_COMMIT_FROM_REF", "HEAD~1"), ("PRE_COMMIT_TO_REF", "HEAD")];
        assert_eq!(shown(&repository, &[], &commits), "main.json: links to m.json, which was deleted\n");
    }

    #[test]
    fn of_parameter_files_concern_their_templates() {
        let main = site("\"[parameters('https')]\"").replace("\"defaultValue\": true", "\"defaultValue\": false");
        let values = parameters(r#""https": {"value": true}"#);
        let repository = Repository::with(&[
            ("main.json", &main),
            ("main.parameters.dev.json", &values),
            ("main.parameters.prod.json", &values),
            ("other.json", &site("true")),
        ]);
        repository.git(&["rm", "--quiet", "main.parameters.dev.json"]);
        let expected = "main.json: had parameters in main.parameters.dev.json, which was deleted
main.parameters.prod.json: has parameters for main.json, which had parameters in main.parameters.dev.json, which was deleted
";
        assert_eq!(shown(&repository, &[], &[]), expected);
        // Without any of them, the default value counts.
        repository.git(&["rm", "--quiet", "main.parameters.prod.json"]);
        repository.put(&[("rules/t.json", RULE)]);
        let hook = ["--force-exclude", "--dependents", "--deleted", "--no-builtin-rules", "--rules=rules"];
        assert_eq!(repository.run(&hook).code, 1);
    }

    #[test]
    fn are_part_of_a_rename() {
        let repository = Repository::with(&[("main.json", &user()), ("m.json", &site("true"))]);
        repository.git(&["mv", "m.json", "n.json"]);
        let expected = "main.json: links to m.json, which was deleted\nn.json: was named\n";
        assert_eq!(shown(&repository, &["n.json"], &[]), expected);
    }
}

/// Parameter files that a change adds do not hide what the defaults of their template deploy.
mod new_parameter_files {
    use super::*;

    const CHECK: [&str; 5] =
        ["--changed=base", "--config-from=base", "--format=json", "--no-builtin-rules", "--rules=rules.json"];

    /// How a check of a change ends that makes the default of a template bad, and adds files that set a good value.
    fn ended(base: &[(&str, &str)], head: &[(&str, &str)]) -> Ended {
        let repository = Repository::with(&[("rules.json", RULE), ("infra/main.json", &main("true"))]);
        repository.put(base).commit();
        repository.git(&["tag", "base"]);
        repository.put(&[("infra/main.json", &main("false"))]).put(head).commit();
        repository.run(&CHECK)
    }

    /// A template whose parameter has this default.
    fn main(https: &str) -> String {
        site("\"[parameters('https')]\"").replace("\"defaultValue\": true", &format!("\"defaultValue\": {https}"))
    }

    fn good() -> String {
        parameters(r#""https": {"value": true}"#)
    }

    fn with_metadata(template: &str) -> String {
        good().replacen('{', &format!("{{\"metadata\": {{\"template\": \"{template}\"}}, "), 1)
    }

    #[track_caller]
    fn is_caught(base: &[(&str, &str)], head: &[(&str, &str)]) {
        let ended = ended(base, head);
        assert_eq!((findings(&ended).len(), ended.code), (1, 1), "{head:?}: {ended:?}");
    }

    #[test]
    fn are_checked_beside_the_defaults() {
        is_caught(&[], &[("infra/main.parameters.json", &good())]);
        is_caught(&[], &[("infra/main.prod.parameters.json", &good())]);
        is_caught(&[], &[("other/x.json", &with_metadata("infra/main.json"))]);
        is_caught(&[], &[("infra/parameters/main.parameters.json", &good())]);
        // What the change says of parameter files does not count either.
        let settings = "parameters: [{files: other/x.json, template: infra/main.json}]";
        is_caught(&[], &[("other/x.json", &good()), ("formwork.yaml", settings)]);
    }

    #[test]
    fn are_also_those_that_belonged_elsewhere() {
        let elsewhere = [("infra/b.json", main("true")), ("other/x.json", with_metadata("infra/b.json"))];
        let elsewhere: Vec<(&str, &str)> = elsewhere.iter().map(|(name, text)| (*name, &**text)).collect();
        is_caught(&elsewhere, &[("other/x.json", &with_metadata("infra/main.json"))]);
        is_caught(&[("infra/main.parameters.json", "{}")], &[("infra/main.parameters.json", &good())]);
        let using = [("infra/main.bicepparam", "using 'main.json'\nparam https = true\n")];
        is_caught(&[], &using);
    }

    #[test]
    fn count_if_they_were_reviewed() {
        let files = [("infra/main.parameters.json", good())];
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        // The base has it, and other values in it change nothing.
        let other = good().replace("true", " true");
        assert_eq!(ended(&files, &[("infra/main.parameters.json", &other)]).code, 0);
        // The settings of the base say that such files count.
        let settings = "parameters: [{files: 'environments/*.json', template: infra/main.json}]";
        assert_eq!(ended(&[("formwork.yaml", settings)], &[("environments/a.json", &good())]).code, 0);
    }

    #[test]
    fn of_stacks_are_checked_beside_the_defaults() {
        let rule = "AWS::Kinesis::Stream {\n  Properties.ShardCount > 1\n}\n";
        let stack = |count: u32| {
            format!(
                "Parameters:\n  Count: {{Type: Number, Default: {count}}}\nResources:\n  S: {{Type: 'AWS::Kinesis::Stream', \
                 Properties: {{ShardCount: !Ref Count}}}}\n"
            )
        };
        let config = "version = 0.1\n[default.deploy.parameters]\nparameter_overrides = \"Count=3\"\n";
        let list = r#"[{"ParameterKey": "Count", "ParameterValue": "3"}]"#;
        let synced = "template-file-path: template.yaml\nparameters: {Count: '3'}\n";
        for (name, text) in [("samconfig.toml", config), ("template.parameters.json", list), ("sync.yaml", synced)] {
            let repository = Repository::with(&[("r.guard", rule), ("template.yaml", &stack(2))]);
            repository.git(&["tag", "base"]);
            repository.put(&[("template.yaml", &stack(1)), (name, text)]).commit();
            let arguments =
                ["--changed=base", "--config-from=base", "--format=json", "--no-builtin-rules", "--rules=r.guard"];
            let ended = repository.run(&arguments);
            assert_eq!(ended.code, 1, "{name}: {ended:?}");
        }
    }
}
