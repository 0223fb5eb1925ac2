//! Where the action takes the Bicep CLI from.

use std::fs;

use crate::action::install::{overwrite, sha256};
use crate::action::job::{Ended, Job};
use crate::action::releases::Releases;
use crate::harness::{standin, template};

/// The version of what stands in for the Bicep CLI.
const VERSION: &str = "0.46.1";

/// A job with a Bicep file, and downloads with this program as its version of the Bicep CLI.
fn job(version: &str) -> (Job, Releases, String) {
    let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", standin().display()).into_bytes();
    let checksum = sha256(&program);
    let releases = Releases::serve([(format!("/downloads/v{version}/bicep-linux-x64"), program)]);
    let job = Job::new();
    job.variable("FORMWORK_BICEP_RELEASES", &releases.url()).input("bicep-version", version);
    job.write("workspace/main.bicep", "output a string = 'b'\n");
    job.write("workspace/main.bicep.twin", template(r#""resources": []"#));
    (job, releases, checksum)
}

#[track_caller]
fn check_used(ended: &Ended, program: &str) {
    assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (0, "0"), "{ended:?}");
    let line = ended.log.lines().find(|it| it.starts_with("using Bicep CLI ")).unwrap();
    assert!(line.starts_with("using Bicep CLI 0.46.1: ") && line.ends_with(program), "{line}");
}

#[track_caller]
fn check_refused(job: &Job, ended: &Ended, message: &str) {
    let errors = ended.messages("error");
    assert!(ended.code != 0 && errors.len() == 1 && errors[0].contains(message), "{ended:?}");
    assert!(!job.path("tools/formwork-bicep").exists(), "nothing is kept");
    assert_eq!(ended.outputs["exit-code"], "", "nothing is checked");
}

#[test]
fn a_bicep_of_the_path_is_used_if_it_is_of_the_version() {
    let (job, releases, _) = job(VERSION);
    job.with_bicep();
    check_used(&job.run(), "/path/bicep");
    assert_eq!(releases.asked(), [""; 0]);
}

#[test]
fn another_bicep_is_downloaded_once_and_preferred_to_the_one_on_the_path() {
    let (job, releases, checksum) = job(VERSION);
    job.program("bicep", "echo 'Bicep CLI version 0.1.1 (old)'").input("bicep-checksum", &checksum);
    let ended = job.run();
    check_used(&ended, "/bicep");
    assert!(!ended.log.contains("/path/bicep"), "{ended:?}");
    let asked = ["/downloads/v0.46.1/bicep-linux-x64"];
    assert_eq!(releases.asked(), asked);
    assert_eq!(job.calls().iter().filter(|it| *it != "bicep --version").count(), 1, "the old one builds nothing");
    check_used(&job.run(), "/bicep");
    assert_eq!(releases.asked(), asked, "the second run takes it from the cache");
}

#[test]
fn what_another_job_writes_into_the_cache_is_not_run() {
    let (job, releases, checksum) = job(VERSION);
    job.input("bicep-checksum", &checksum);
    check_used(&job.run(), "/bicep");
    let script = format!("echo >'{}'; echo 'Bicep CLI version {VERSION}'", job.path("ran").display());
    overwrite(&job.path("tools"), &script);
    let ended = job.run();
    assert!(!job.path("ran").exists(), "{ended:?}");
    check_used(&ended, "/bicep");
    assert_eq!(releases.asked().len(), 2, "it is downloaded again");
}

#[test]
fn a_version_of_the_table_needs_no_checksum() {
    let (job, _releases, checksum) = job(VERSION);
    job.write(
        "action/.github/action/bicep-checksums.txt",
        format!("# a comment\n{checksum}  {VERSION}/bicep-linux-x64\n"),
    );
    check_used(&job.run(), "/bicep");
}

#[test]
fn a_version_without_a_checksum_is_refused() {
    let (job, releases, _) = job(VERSION);
    let message = "set `bicep-checksum` to the SHA-256 checksum of bicep-linux-x64";
    check_refused(&job, &job.run(), message);
    assert_eq!(releases.asked(), [""; 0]);
}

#[test]
fn a_file_with_another_checksum_is_refused() {
    let (job, _releases, right) = job(VERSION);
    job.input("bicep-checksum", &"0".repeat(64));
    check_refused(&job, &job.run(), &format!("has the SHA-256 checksum {right}; expected 000"));
}

#[test]
fn versions_and_checksums_have_a_form() {
    for (version, checksum, message) in [
        ("latest", "", "`bicep-version` is `latest`; expected a version such as"),
        ("1.2.3/../..", "", "`bicep-version` is"),
        ("1.2.3", "abc", "`bicep-checksum` is `abc`; expected 64 lowercase hexadecimal digits"),
    ] {
        let job = Job::new();
        job.input("bicep-version", version).input("bicep-checksum", checksum);
        check_refused(&job, &job.run(), message);
    }
}

#[test]
fn a_program_of_another_version_is_not_used() {
    let (job, _releases, checksum) = job("0.46.2");
    job.input("bicep-checksum", &checksum);
    let ended = job.run();
    assert!(ended.code != 0 && ended.messages("error")[0].contains("reports version `0.46.1`; expected 0.46.2"));
}

#[test]
fn the_table_has_rows_of_a_checksum_and_a_file_of_a_version() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.github/action/bicep-checksums.txt")).unwrap();
    let row = regex::Regex::new(r"^[0-9a-f]{64}  \d+\.\d+\.\d+/bicep-(linux|osx|win)-(x64|arm64)(\.exe)?$").unwrap();
    let rows: Vec<&str> = text.lines().filter(|it| !it.starts_with('#')).collect();
    assert!(!rows.is_empty() && rows.iter().all(|it| row.is_match(it)), "{rows:?}");
}
