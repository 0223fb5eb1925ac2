//! Where the action takes the binary from.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::action::job::{BUILT, Ended, INSTALL, Job};
use crate::action::releases::Releases;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The archive of a release, which holds a script that says that it is `version`, and runs this program.
fn archive(version: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let says = format!("[ \"$1\" = --version ] && echo 'formwork {version}' && exit");
    let script = format!("#!/bin/sh\n{says}\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_formwork"));
    fs::write(folder.path().join("formwork"), script).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(folder.path()).status();
        assert!(status.unwrap().success());
    };
    run("chmod", &["+x", "formwork"]);
    // An archive that is made twice has the same checksum in another second, too.
    let program = fs::File::options().write(true).open(folder.path().join("formwork")).unwrap();
    program.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    run("tar", &["-cf", "archive", "formwork"]);
    run("gzip", &["-n", "archive"]);
    fs::read(folder.path().join("archive.gz")).unwrap()
}

fn name(version: &str) -> String {
    format!("formwork-{version}-x86_64-unknown-linux-musl.tar.gz")
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digits: Vec<String> = Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect();
    digits.concat()
}

/// A job whose action is that of a release with this checksum, and the downloads of that release.
fn released(version: &str, checksum: Option<&str>) -> (Job, Releases, String) {
    let archive = archive(version);
    let right = sha256(&archive);
    let releases = Releases::serve([(format!("/downloads/v{version}/{}", name(version)), archive)]);
    let job = Job::new();
    job.variable("FORMWORK_RELEASES", &releases.url()).input("token", "");
    let row = format!("# a comment\n{}  {}\n", checksum.unwrap_or(&right), name(version));
    job.write("action/.github/action/checksums.txt", row);
    job.write("action/.github/action/repository.txt", "# a comment\nowner/formwork\nrefs/heads/main\nc0ffee\n");
    (job, releases, right)
}

#[track_caller]
fn check_used(job: &Job, ended: &Ended) {
    check_version_used(job, ended, VERSION);
}

#[track_caller]
fn check_version_used(job: &Job, ended: &Ended, version: &str) {
    assert_eq!((ended.code, ended.outputs["version"].as_str()), (0, version), "{ended:?}");
    assert_eq!(ended.messages("error"), [""; 0], "{ended:?}");
    assert_eq!(job.calls(), [""; 0], "nothing is built");
}

#[track_caller]
fn check_refused(job: &Job, ended: &Ended, message: &str) {
    let errors = ended.messages("error");
    assert!(ended.code != 0 && errors.len() == 1 && errors[0].contains(message), "{ended:?}");
    assert!(!job.path("tools/formwork").exists(), "nothing is kept");
    assert_eq!(ended.outputs["exit-code"], "", "nothing is run");
}

#[test]
fn a_release_is_downloaded_once() {
    let (job, releases, checksum) = released(VERSION, None);
    check_used(&job, &job.run());
    let asked = [format!("/downloads/v{VERSION}/{}", name(VERSION))];
    assert_eq!(releases.asked(), asked);
    let kept = fs::read(job.path(&kept())).unwrap();
    assert_eq!(sha256(&kept), checksum);
    check_used(&job, &job.run());
    assert_eq!(releases.asked(), asked, "the second run takes the binary from the cache");
}

#[test]
fn an_archive_with_another_checksum_is_refused() {
    let (job, _releases, right) = released(VERSION, Some(&"0".repeat(64)));
    let ended = job.run();
    check_refused(&job, &ended, &format!("has the SHA-256 checksum {right}; expected 000"));
    assert_eq!(job.calls(), [""; 0], "it is not replaced by a build");
}

/// Where the tool cache keeps the archive.
fn kept() -> String {
    format!("tools/formwork/{VERSION}/x64/{}", name(VERSION))
}

#[test]
fn what_another_job_writes_into_the_cache_is_not_run() {
    let (job, releases, checksum) = released(VERSION, None);
    check_used(&job, &job.run());
    overwrite(&job.path("tools"), &format!("echo >'{}'; echo formwork {VERSION}", job.path("ran").display()));
    let ended = job.run();
    assert!(!job.path("ran").exists(), "{ended:?}");
    assert!(ended.messages("warning")[0].contains("does not have the SHA-256 checksum"), "{ended:?}");
    check_used(&job, &ended);
    assert_eq!(releases.asked().len(), 2, "it is downloaded again");
    assert_eq!(sha256(&fs::read(job.path(&kept())).unwrap()), checksum);
    check_used(&job, &job.run());
    assert_eq!(releases.asked().len(), 2);
}

/// Makes each file of a folder a script, as another job could, apart from short ones that only note something.
pub(crate) fn overwrite(folder: &Path, script: &str) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            overwrite(&path, script);
        } else if path.metadata().unwrap().len() != 64 {
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

#[test]
fn a_release_that_is_not_there_is_an_error() {
    let (job, _releases, checksum) = released(VERSION, None);
    job.input("version", "9.9.9").input("checksum", &checksum);
    check_refused(&job, &job.run(), "/v9.9.9/formwork-9.9.9-x86_64-unknown-linux-musl.tar.gz");
}

#[test]
fn another_version_needs_its_checksum() {
    let (job, _releases, checksum) = released("9.9.9", Some(&"0".repeat(64)));
    job.write("action/.github/action/checksums.txt", "").input("version", "v9.9.9");
    check_refused(&job, &job.run(), "does not know version 9.9.9");
    job.input("checksum", &checksum);
    check_version_used(&job, &job.run(), "9.9.9");
}

#[test]
fn a_program_of_another_version_is_not_run() {
    let (job, _releases, checksum) = released("9.9.9", None);
    let releases = Releases::serve([(format!("/downloads/v9.9.8/{}", name("9.9.8")), archive("9.9.9"))]);
    job.variable("FORMWORK_RELEASES", &releases.url()).input("version", "9.9.8").input("checksum", &checksum);
    let ended = job.run();
    let errors = ended.messages("error");
    assert!(errors.len() == 1 && errors[0].ends_with("reports `formwork 9.9.9`; expected version 9.9.8"), "{ended:?}");
    assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (3, ""));
}

/// A release of a private repository: its downloads need the API and a token.
fn private() -> (Job, Releases, String) {
    let (job, _, right) = released(VERSION, None);
    let asset = |id: u32, name: &str| {
        format!(
            "{{\n \"url\": \"{{api}}/repos/owner/formwork/releases/assets/{id}\",\n \"id\": {id}, \"name\": \"{name}\"}}"
        )
    };
    let listed = [asset(1, "other.tar.gz"), asset(2, &name(VERSION)), asset(3, "SHA256SUMS")].join(", ");
    let releases = Releases::serve_private("Bearer secret", |url| {
        let release =
            format!("{{\"url\": \"{url}/repos/owner/formwork/releases/9\", \"name\": \"v\", \"assets\": [{listed}]}}");
        let release = release.replace("{api}", url);
        [
            (format!("/repos/owner/formwork/releases/tags/v{VERSION}"), release.into_bytes()),
            ("/repos/owner/formwork/releases/assets/2".to_owned(), archive(VERSION)),
        ]
    });
    job.variable("FORMWORK_RELEASES", "").variable("FORMWORK_DOWNLOADS", &releases.root());
    job.variable("GITHUB_API_URL", &releases.root());
    (job, releases, right)
}

#[test]
fn the_token_downloads_from_a_private_repository() {
    let (job, releases, _) = private();
    check_refused(&job, &job.run(), "cannot download");
    job.input("token", "secret");
    check_used(&job, &job.run());
    let asked = releases.asked();
    assert_eq!(asked.last().unwrap(), "/repos/owner/formwork/releases/assets/2", "{asked:?}");
}

#[test]
fn a_token_without_access_to_the_releases_is_an_error() {
    let (job, _releases, _) = private();
    job.input("token", "other");
    check_refused(&job, &job.run(), "`token` needs access to this repository");
}

#[test]
fn an_asset_with_another_checksum_is_refused() {
    let (job, _releases, _) = private();
    job.input("token", "secret");
    job.write("action/.github/action/checksums.txt", format!("{}  {}\n", "0".repeat(64), name(VERSION)));
    check_refused(&job, &job.run(), "expected 000");
}

#[test]
fn versions_and_checksums_have_a_form() {
    let job = Job::new();
    job.input("version", "latest");
    check_refused(&job, &job.run(), "`version` is `latest`; expected a version such as");
    job.input("version", "1.2.3/../..");
    check_refused(&job, &job.run(), "`version` is");
    job.input("version", "1.2.3").input("checksum", "abc\n::warning::forged");
    let ended = job.run();
    check_refused(&job, &ended, "`checksum` is `abc%0A::warning::forged`");
    assert_eq!(ended.commands().len(), 1);
}

#[test]
fn a_revision_that_is_not_a_release_is_built_from_source() {
    let job = Job::new();
    let ended = job.run();
    assert_eq!((ended.code, ended.outputs["version"].as_str()), (0, VERSION), "{ended:?}");
    let root = job.path("temp/formwork-source");
    let call = format!("cargo install --path . --locked --features github --root {}", root.display());
    assert_eq!(job.calls(), [call]);
    let (notice, wait) = (ended.log.find(BUILT), ended.log.find("::group::Build"));
    assert!(notice.is_some() && notice < wait, "it is said before the wait: {ended:?}");
}

#[test]
fn a_runner_that_no_release_is_made_for_builds_from_source() {
    let (job, releases, _) = released(VERSION, None);
    job.variable("RUNNER_ARCH", "S390X");
    assert_eq!(job.run().code, 0);
    assert_eq!((job.calls().len(), releases.asked()), (1, Vec::new()));
}

#[test]
fn without_cargo_there_is_no_build() {
    let job = Job::new();
    job.without("cargo");
    check_refused(&job, &job.run(), "`cargo`, which is needed to build it, was not found");
}

#[test]
fn a_build_that_fails_fails_the_job() {
    let job = Job::new();
    job.program("cargo", "exit 101");
    check_refused(&job, &job.run(), "cannot build formwork");
}

/// Options in the output of `gh attestation verify --help`.
const OPTIONS: &str = "echo '::error::text of another program --source-ref string --source-digest string'";

/// Returns the arguments with which an attestation is verified, for a `gh` with these options and a version of formwork.
fn verified(options: &str, version: &str) -> String {
    let (job, _releases, checksum) = released(version, None);
    job.program("gh", options).input("token", "secret").input("version", version).input("checksum", &checksum);
    let ended = job.run();
    assert_eq!((ended.code, ended.messages("error").len()), (0, 0), "{ended:?}");
    let calls = job.calls();
    assert_eq!((calls[0].as_str(), calls.len()), ("gh attestation verify --help", 2));
    assert!(calls[1].starts_with("gh attestation verify /"), "{calls:?}");
    calls[1].split_once(" --repo ").unwrap().1.to_owned()
}

#[test]
fn an_attestation_is_asked_for_where_that_is_possible() {
    let signer = "owner/formwork --signer-workflow owner/formwork/.github/workflows/release.yml";
    let source = "--source-ref refs/heads/main";
    assert_eq!(verified(OPTIONS, VERSION), format!("{signer} {source} --source-digest c0ffee"));
    assert_eq!(verified(OPTIONS, "9.9.9"), format!("{signer} {source}"), "another release has another commit");
    assert_eq!(verified("echo '--repo string'", VERSION), signer, "an old version of gh");
}

/// A build script of a dependency could act for the job.
#[test]
fn build_scripts_get_no_token_and_no_file_of_the_runner() {
    let job = Job::new();
    let seen = job.path("seen");
    job.program("cargo", &format!("/usr/bin/env >'{}'\n{INSTALL}", seen.display()));
    job.input("token", "secret-token")
        .variable("GITHUB_TOKEN", "secret-token")
        .variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "secret-token")
        .variable("ACTIONS_RUNTIME_URL", "https://example.org")
        .variable("GITHUB_ENV", "/runner/env")
        .variable("GITHUB_PATH", "/runner/path")
        .variable("CARGO_REGISTRY_TOKEN", "secret-token")
        .variable("DEPLOY_PASSWORD", "secret-token")
        .variable("CARGO_REGISTRIES_OWN_TOKEN", "of the registry")
        .variable("HTTPS_PROXY", "http://proxy");
    let ended = job.run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let seen = fs::read_to_string(seen).unwrap();
    let names: Vec<&str> = seen.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let is_of_job = |name: &&&str| ["GITHUB_", "GH_", "ACTIONS_"].iter().any(|start| name.starts_with(start));
    assert_eq!(names.iter().find(is_of_job), None, "{seen}");
    assert!(!seen.contains("secret-token") && names.contains(&"CARGO_REGISTRIES_OWN_TOKEN"), "{seen}");
    assert!(names.contains(&"HTTPS_PROXY") && names.contains(&"CARGO_TARGET_DIR"), "{seen}");
}

#[test]
fn an_archive_without_the_attestation_is_refused() {
    let (job, _releases, _) = released(VERSION, None);
    job.program("gh", r#"[ "$3" = --help ]"#).input("token", "secret");
    check_refused(&job, &job.run(), "-musl.tar.gz cannot be verified");
}

#[test]
fn a_token_of_another_server_does_not_go_to_github() {
    let (job, _releases, _) = released(VERSION, None);
    job.program("gh", "echo called")
        .input("token", "secret")
        .variable("GITHUB_SERVER_URL", "https://github.example.com");
    let ended = job.run();
    assert_eq!((ended.code, job.calls()), (0, Vec::new()), "{ended:?}");
}
