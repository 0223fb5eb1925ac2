//! Changes of templates that a run reaches through symbolic links to folders.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::action::job::Job;
use crate::changes::{Repository, site};
use crate::harness::template;

/// Rules that want `httpsOnly` of a site and a key of a queue.
const RULES: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}, {
  "id": "T-2", "name": "Key", "shortDescription": "use a key", "fullDescription": "use a key", "severity": 2,
  "evaluation": {"resourceType": "AWS::SQS::Queue", "path": "Properties.SqsManagedSseEnabled", "equals": true}
}]"#;

/// A language of templates.
#[derive(Clone, Copy, Debug)]
enum Language {
    Json,
    Bicep,
    Yaml,
}

const LANGUAGES: [Language; 3] = [Language::Json, Language::Bicep, Language::Yaml];

impl Language {
    fn name(self, name: &str) -> String {
        let extension = match self {
            Self::Json => "json",
            Self::Bicep => "bicep",
            Self::Yaml => "yaml",
        };
        format!("{name}.{extension}")
    }

    /// A template that one of the rules has a finding for, unless it is secure.
    fn part(self, secure: bool) -> String {
        match self {
            Self::Json => site(if secure { "true" } else { "false" }),
            Self::Bicep => format!(
                "resource s 'Microsoft.Web/sites@2022-09-01' = {{\n  name: 'app'\n  location: 'x'\n  properties: {{\n    httpsOnly: {secure}\n  }}\n}}\n"
            ),
            Self::Yaml => format!(
                "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Queue:\n    Type: AWS::SQS::Queue\n    Properties:\n      SqsManagedSseEnabled: {secure}\n"
            ),
        }
    }

    /// A template that deploys `modules/part`.
    fn main(self) -> String {
        match self {
            Self::Json => template(
                r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
                "properties": {"mode": "Incremental", "templateLink": {"relativePath": "modules/part.json"}}}]"#,
            ),
            Self::Bicep => "module m 'modules/part.bicep' = {\n  name: 'm'\n}\n".to_owned(),
            Self::Yaml => "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Nested:\n    Type: AWS::CloudFormation::Stack\n    Properties:\n      TemplateURL: ./modules/part.yaml\n".to_owned(),
        }
    }

    /// A repository with a secure and an insecure template in folders, and these links to folders.
    fn repository(self, links: &[(&str, &str)]) -> Repository {
        let it = Repository::new();
        it.put(&[
            ("rules.json", RULES),
            (&self.name("secure/part"), &self.part(true)),
            (&self.name("insecure/part"), &self.part(false)),
            (&self.name("main"), &self.main()),
        ]);
        for (target, name) in links {
            link(&it, target, name);
        }
        it.commit();
        it
    }
}

/// Makes a link in place of what has its name.
fn link(it: &Repository, target: &str, name: &str) {
    let path = it.root.join(name);
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(&path).unwrap();
    } else {
        let _ = fs::remove_file(&path);
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

/// The exit code of a check that only findings of the change fail, and what it would check and why.
fn checked(it: &Repository, arguments: &[&str]) -> (i32, String) {
    let always = ["--no-builtin-rules", "--rules=rules.json", "--quiet", "--bicep=builtin", "--no-cache"];
    let ended = it.run(&[&always, arguments].concat());
    let shown = it.run(&[&["--show-files", "--bicep=builtin", "--quiet"], arguments].concat());
    (ended.code, shown.stdout)
}

/// A change that makes what is deployed insecure fails the check of `path`, staged or committed, and is the only reason.
#[track_caller]
fn check(it: &Repository, path: &str, reason: &str) {
    let lines = format!("{reason}\n");
    assert_eq!(checked(it, &["--changed", "--fail-on-scope=changed", path]), (1, lines.clone()), "--changed");
    it.git(&["add", "--all"]);
    assert_eq!(checked(it, &["--staged", "--fail-on-scope=changed", path]), (1, lines.clone()), "--staged");
    // Now the working tree differs, and a copy of the index is read.
    it.put(&[("note.txt", "x\n")]).git(&["add", "note.txt"]);
    it.put(&[("note.txt", "y\n")]);
    assert_eq!(checked(it, &["--staged", "--fail-on-scope=changed", path]), (1, lines.clone()), "a copy");
    it.commit();
    let alias = tempfile::tempdir().unwrap();
    let alias = alias.path().join("alias");
    symlink(&it.root, &alias).unwrap();
    for path in [it.root.join(path), alias.join(path)] {
        let (code, shown) = checked(it, &["--changed=HEAD~1", "--fail-on-scope=changed", path.to_str().unwrap()]);
        assert_eq!((code, shown.lines().count()), (1, 1), "{}: {shown}", path.display());
    }
    assert_eq!(checked(it, &["--changed=HEAD~1", "--fail-on-scope=changed", path]), (1, lines), "--changed=HEAD~1");
    assert_eq!(checked(it, &["--changed=HEAD", path]), (0, String::new()), "nothing changed since");
}

#[test]
fn a_link_that_leads_elsewhere_changes_what_is_behind_it() {
    for language in LANGUAGES {
        let file = language.name("infra/part");
        let it = language.repository(&[("secure", "infra")]);
        link(&it, "insecure", "infra");
        check(&it, "infra", &format!("{file}: is reached through infra, which changed"));
        let it = language.repository(&[("middle", "infra"), ("secure", "middle")]);
        link(&it, "insecure", "middle");
        check(&it, "infra", &format!("{file}: is reached through middle, which changed"));
    }
}

#[test]
fn a_folder_that_becomes_a_link_is_changed() {
    for language in LANGUAGES {
        let file = language.name("infra/part");
        let it = language.repository(&[]);
        it.put(&[(&file, &language.part(true))]).commit();
        link(&it, "insecure", "infra");
        check(&it, "infra", &format!("{file}: is reached through infra, which is new"));
    }
}

#[test]
fn an_edit_behind_a_link_is_seen() {
    for language in LANGUAGES {
        let file = language.name("infra/part");
        let it = language.repository(&[("secure", "infra")]);
        let secure = language.name("secure/part");
        it.put(&[(&secure, &language.part(false))]);
        check(&it, "infra", &format!("{file}: leads to {secure}, which changed"));
        // The lines are those of the file behind the link.
        it.put(&[(&secure, &format!("{}\n\n", language.part(false)))]);
        let (code, shown) = checked(&it, &["--changed", "--fail-on-scope=changed", "infra"]);
        assert_eq!((code, shown), (0, format!("{file}: leads to {secure}, which changed\n")), "{language:?}");
    }
}

#[test]
fn a_folder_of_modules_may_be_a_link() {
    for language in LANGUAGES {
        let (main, part) = (language.name("main"), language.name("modules/part"));
        let verb = if matches!(language, Language::Bicep) { "uses" } else { "links to" };
        let it = language.repository(&[("secure", "modules")]);
        link(&it, "insecure", "modules");
        check(&it, &main, &format!("{main}: {verb} {part}, which is reached through modules, which changed"));
        let it = language.repository(&[("secure", "modules")]);
        let secure = language.name("secure/part");
        it.put(&[(&secure, &language.part(false))]);
        check(&it, &main, &format!("{main}: {verb} {part}, which leads to {secure}, which changed"));
        let it = language.repository(&[("secure", "modules")]);
        it.remove("modules");
        let (_, shown) = checked(&it, &["--changed", &main]);
        let gone = format!("{main}: {verb} {part}, which is reached through modules, which was deleted\n");
        assert_eq!(shown, gone, "{language:?}");
    }
}

#[test]
fn dependents_are_found_through_links() {
    for language in LANGUAGES {
        let (main, part) = (language.name("main"), language.name("modules/part"));
        let it = language.repository(&[("insecure", "modules"), (".", "also")]);
        for path in [&part, &language.name("insecure/part"), &language.name("also/modules/part")] {
            let (code, shown) = checked(&it, &["--dependents", path]);
            assert!(code == 1 && shown.contains(&format!("{main}: ")), "{path}: {code} {shown}");
        }
        let (_, shown) = checked(&it, &["--dependents", &language.name("secure/part")]);
        assert!(!shown.contains(&format!("{main}: ")), "{shown}");
    }
}

#[test]
fn a_parameter_file_that_is_gone_is_missed_behind_a_link() {
    let it = Repository::new();
    let given = crate::harness::parameters("");
    it.put(&[("real/main.json", &site("true")), ("real/main.parameters.json", &given)]);
    link(&it, "real", "infra");
    it.commit().remove("real/main.parameters.json");
    let (_, shown) = checked_without_rules(&it, &["--changed", "infra"]);
    assert_eq!(shown, "infra/main.json: had parameters in real/main.parameters.json, which was deleted\n");
}

fn checked_without_rules(it: &Repository, arguments: &[&str]) -> (i32, String) {
    let ended = it.run(&[&["--show-files", "--quiet"], arguments].concat());
    (ended.code, ended.stdout)
}

/// The action, for a push that makes the last commit; its checkout may be reached through a link.
#[test]
fn the_action_sees_changes_through_links() {
    for language in LANGUAGES {
        for is_retargeted in [true, false] {
            let job = Job::new();
            job.write("workspace/formwork.yaml", "rules:\n  paths: [rules.json]\n  builtin: false\n")
                .write("workspace/rules.json", RULES)
                .write(&format!("workspace/{}", language.name("secure/part")), language.part(true))
                .write(&format!("workspace/{}", language.name("insecure/part")), language.part(false));
            let infra = job.path("workspace/infra");
            symlink("secure", &infra).unwrap();
            job.git(&["init", "--quiet", "--initial-branch=main"]);
            let before = job.commit();
            if is_retargeted {
                fs::remove_file(&infra).unwrap();
                symlink("insecure", &infra).unwrap();
            } else {
                job.write(&format!("workspace/{}", language.name("secure/part")), language.part(false));
            }
            let after = job.commit();
            job.event(
                "push",
                &json!({
                    "ref": "refs/heads/main", "before": before, "after": after, "forced": false, "created": false,
                    "repository": {"full_name": "owner/infra", "default_branch": "main"},
                }),
            );
            for paths in ["infra".to_owned(), infra.display().to_string()] {
                job.input("paths", &paths).input("fail-on-scope", "changed").input("bicep-compiler", "builtin");
                let ended = job.run();
                assert_eq!((ended.code, &*ended.outputs["findings"]), (1, "1"), "{language:?} {paths}: {ended:?}");
                assert_eq!(ended.outputs["new-findings"], "1", "{ended:?}");
            }
        }
    }
}

/// The options of a check that only the rules of these tests decide.
const ALWAYS: [&str; 4] = ["--no-builtin-rules", "--rules=rules.json", "--bicep=builtin", "--no-cache"];

#[test]
fn a_template_that_moves_behind_a_link_is_checked() {
    for language in LANGUAGES {
        let it = Repository::new();
        let (part, other) = (language.name("infra/net/part"), language.name("infra/other"));
        it.put(&[("rules.json", RULES), (&part, &language.part(true)), (&other, &language.part(true))]);
        it.commit();
        fs::remove_dir_all(it.root.join("infra/net")).unwrap();
        it.put(&[(&language.name("real/part"), &language.part(false))]);
        link(&it, "../real", "infra/net");
        let check = |arguments: &[&str]| it.run(&[&ALWAYS, arguments].concat());
        for arguments in [&["infra"][..], &["--changed", "infra"], &["--changed", "."], &["."], &["infra/**"]] {
            let ended = check(arguments);
            assert_eq!(ended.code, 1, "{language:?} {arguments:?}: {}", ended.stdout);
            let places = ended.stdout.matches(&format!("{}:", language.name("part"))).count();
            assert_eq!(places, 1, "{language:?} {arguments:?}: {}", ended.stdout);
        }
        it.put(&[("formwork.yaml", "exclude: [real]\n")]);
        assert_eq!(check(&["."]).code, 1, "{language:?}: it is not excluded as `infra/net`");
        it.put(&[("formwork.yaml", "exclude: [real, infra/net]\n")]);
        assert_eq!(check(&["."]).code, 0, "{language:?}");
    }
}

#[test]
fn a_suppression_covers_each_path_that_leads_to_a_template() {
    let settings = |paths: &str| format!("suppressions:\n  - {{rule: [T-1, T-2], path: [{paths}], reason: samples}}\n");
    for language in LANGUAGES {
        let (sample, main) = (language.name("samples/m"), language.name("infra/main"));
        for (target, name) in [(format!("../{sample}"), &*main), ("../samples".to_owned(), "infra/net")] {
            let it = Repository::new();
            let own = settings("samples/**");
            it.put(&[("rules.json", RULES), (&sample, &language.part(false)), ("formwork.yaml", &own)]);
            let code = |arguments: &[&str]| it.run(&[&ALWAYS, arguments].concat()).code;
            assert_eq!(code(&["."]), 0, "{language:?}");
            it.commit();
            link(&it, &target, name);
            assert_eq!(code(&["."]), 1, "{language:?} {name}");
            assert_eq!(code(&["--changed", "."]), 1, "{language:?} {name}");
            it.put(&[("formwork.yaml", &settings("samples/**, infra/**"))]);
            assert_eq!(code(&["."]), 0, "{language:?} {name}");
        }
    }
}
