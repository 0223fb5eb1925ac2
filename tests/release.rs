//! The scripts of the release workflow, on a copy of the repository and with programs that write down how they are called.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::action::install::sha256;
use crate::harness::Folder;
use crate::yaml;

const WHEELS: [&str; 6] = [
    "formwork_check-0.1.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
    "formwork_check-0.1.0-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl",
    "formwork_check-0.1.0-py3-none-macosx_10_12_x86_64.whl",
    "formwork_check-0.1.0-py3-none-macosx_11_0_arm64.whl",
    "formwork_check-0.1.0-py3-none-win_amd64.whl",
    "formwork_check-0.1.0-py3-none-win_arm64.whl",
];

/// A checkout with the files that a release needs and builds.
fn checkout() -> Folder {
    let folder = Folder::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in [
        "Cargo.toml",
        "pyproject.toml",
        ".github/release-name.sh",
        ".github/release-tag.sh",
        ".github/release-publish.sh",
        ".github/action/checksums.txt",
        ".github/action/repository.txt",
    ] {
        folder.write(name, fs::read(own.join(name)).unwrap());
    }
    for wheel in WHEELS {
        folder.write(&format!("dist/{wheel}"), wheel);
    }
    folder.write("dist/formwork-0.1.0-x86_64-unknown-linux-musl.tar.gz", "archive");
    folder
}

/// Puts a program on the `PATH` of scripts.
fn program(folder: &Folder, name: &str, script: &str) {
    let text = format!("#!/bin/sh\necho \"{name} $*\" >>calls\n{script}\n");
    folder.write(&format!("path/{name}"), text);
    fs::set_permissions(folder.path().join("path").join(name), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a script, and gives its exit code and what it prints.
fn run(folder: &Folder, script: &str, arguments: &[&str]) -> (i32, String) {
    let path = format!("{}:/usr/bin:/bin", folder.path().join("path").display());
    let mut command = Command::new("/bin/bash");
    command.arg(folder.path().join(script)).args(arguments).current_dir(folder.path());
    let output = command.env_clear().env("PATH", path).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn programs_are_built_with_the_name_of_the_repository() {
    let folder = checkout();
    let printed = run(&folder, ".github/release-name.sh", &["owner/formwork"]);
    assert_eq!(printed, (0, format!("v{}\n", env!("CARGO_PKG_VERSION"))));
    assert!(read(&folder, "Cargo.toml").contains("\nrepository = \"https://github.com/owner/formwork\"\n"));
    for wrong in ["", "formwork", "a/b/c", "a/b\"", "a|b/c"] {
        assert_eq!(run(&folder, ".github/release-name.sh", &[wrong]).0, 2, "{wrong}");
    }
}

#[test]
fn the_tagged_commit_knows_its_repository_and_its_checksums() {
    let folder = checkout();
    assert_eq!(run(&folder, ".github/release-tag.sh", &["owner/formwork", "v0.1.0"]).0, 0);
    let last = |name: &str| read(&folder, name).lines().last().unwrap().to_owned();
    assert_eq!(last(".github/action/repository.txt"), "owner/formwork");
    let row = format!("{}  formwork-0.1.0-x86_64-unknown-linux-musl.tar.gz", sha256(b"archive"));
    assert_eq!(last(".github/action/checksums.txt"), row);
    let project = read(&folder, "pyproject.toml");
    let mut markers = BTreeSet::new();
    for wheel in WHEELS {
        let url = format!(
            "https://github.com/owner/formwork/releases/download/v0.1.0/{wheel}#sha256={}",
            sha256(wheel.as_bytes())
        );
        let start = format!("    \"formwork-check @ {url} ; ");
        let line =
            project.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{wheel}: {project}"));
        markers.insert(line.strip_prefix(&start).unwrap().to_owned());
    }
    assert_eq!(markers.len(), WHEELS.len(), "each platform gets one wheel: {markers:?}");
    assert!(markers.contains("sys_platform == 'darwin' and platform_machine == 'arm64'\","));
}

#[test]
fn a_wheel_of_an_unknown_platform_ends_the_release() {
    let folder = checkout();
    folder.write("dist/formwork_check-0.1.0-py3-none-any.whl", "");
    assert_ne!(run(&folder, ".github/release-tag.sh", &["owner/formwork", "v0.1.0"]).0, 0);
}

/// What is done to the repository and to the release, in order.
fn published(uploaded: &str) -> (i32, Vec<String>) {
    let folder = checkout();
    program(
        &folder,
        "git",
        "case $1 in rev-parse) echo c0ffee ;; ls-remote) printf 'c0ffee\\trefs/tags/v0.1.0\\n' ;; esac",
    );
    program(&folder, "gh", &format!("case \"$2\" in view) echo {uploaded} ;; esac"));
    let (code, _) = run(&folder, ".github/release-publish.sh", &["v0.1.0"]);
    let calls = read(&folder, "calls").lines().map(str::to_owned).collect();
    (code, calls)
}

#[test]
fn the_draft_has_all_files_before_there_is_a_tag() {
    let (code, calls) = published("7");
    assert_eq!(code, 0, "{calls:?}");
    let at = |start: &str| {
        calls.iter().position(|call| call.starts_with(start)).unwrap_or_else(|| panic!("{start}: {calls:?}"))
    };
    let pushed = at("git push --force origin c0ffee:refs/heads/release/v0.1.0");
    let drafted = at("gh release create v0.1.0 --draft --target c0ffee");
    let counted = at("gh release view v0.1.0");
    let published = at("gh release edit v0.1.0 --draft=false");
    assert!(pushed < drafted && drafted < counted && counted < published, "{calls:?}");
    assert!(
        !calls.iter().any(|call| call.starts_with("git tag") || call.contains("push origin refs/tags")),
        "{calls:?}"
    );
}

#[test]
fn a_draft_without_all_files_is_not_published() {
    let (code, calls) = published("6");
    assert!(code != 0 && !calls.iter().any(|call| call.contains("--draft=false")), "{calls:?}");
}

/// Each archive has the program for one target, and is packaged for all platforms on which it runs.
#[test]
fn each_archive_is_in_a_package_for_vscode() {
    let folder = checkout();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.write(".github/release-vscode.sh", fs::read(own.join(".github/release-vscode.sh")).unwrap());
    let pack = "#!/bin/sh\nprintf '%s %s %s %s\\n' \"$(cat \"$1\")\" \"$(basename \"$1\")\" \"$2\" \"$4\" >>packed\n";
    folder.write("editors/vscode/package", pack);
    fs::set_permissions(folder.path().join("editors/vscode/package"), fs::Permissions::from_mode(0o755)).unwrap();
    program(&folder, "npm", "");
    let workflow = yaml::parse(&fs::read_to_string(own.join(".github/workflows/release.yml")).unwrap());
    let matrix = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let mut expected = BTreeSet::new();
    for target in matrix.iter().map(|build| build["target"].as_str().unwrap()) {
        let name = if target.contains("windows") { "formwork.exe" } else { "formwork" };
        folder.write(name, target);
        let archive = format!("dist/formwork-0.1.0-{target}.tar.gz");
        let tar = Command::new("tar").args(["-czf", &archive, name]).current_dir(folder.path()).status().unwrap();
        assert!(tar.success());
        let architecture = if target.starts_with("aarch64") { "arm64" } else { "x64" };
        let systems: &[&str] = match target {
            _ if target.contains("linux") => &["linux", "alpine"],
            _ if target.contains("apple") => &["darwin"],
            _ => &["win32"],
        };
        for system in systems {
            let platform = format!("{system}-{architecture}");
            expected.insert(format!("{target} {name} dist/formwork-0.1.0-{platform}.vsix {platform}"));
        }
    }
    let (code, printed) = run(&folder, ".github/release-vscode.sh", &["acme/checks"]);
    assert_eq!(code, 0, "{printed}");
    let packed = read(&folder, "packed");
    assert_eq!(packed.lines().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
    assert!(read(&folder, "editors/vscode/calls").contains("repository.url=https://github.com/acme/checks"));
}

#[test]
fn the_job_that_signs_builds_nothing() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workflow = yaml::parse(&fs::read_to_string(own.join(".github/workflows/release.yml")).unwrap());
    let mut signing = 0;
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        let allowed = &job["permissions"];
        if allowed["id-token"] != "write" {
            assert_eq!(*allowed, serde_json::json!({"contents": "read"}), "{name}");
            continue;
        }
        signing += 1;
        for script in job["steps"].as_array().unwrap().iter().filter_map(|step| step["run"].as_str()) {
            for tool in ["cargo", "pip", "npm", "curl", "rustup", "apt-get"] {
                assert!(!script.contains(tool), "{name}: {script}");
            }
        }
        let needed: Vec<&str> = job["needs"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(needed, ["plan", "build", "components", "extension"]);
    }
    assert_eq!(signing, 1);
}
