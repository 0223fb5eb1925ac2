//! GitLab's Code Quality report, a list of violations. See
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.

use std::io;

use foldhash::HashMap;

use serde::Serialize;

use crate::Options;
use crate::diagnostic::Level;
use crate::item::{self, Item};
use crate::model::Report;
use crate::text::digest;
use crate::text::escape::visible_lines;

#[derive(Serialize)]
struct Violation<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: LineRange,
}

#[derive(Serialize)]
struct LineRange {
    begin: u32,
}

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut seen = HashMap::default();
    let violations: Vec<Violation<'_>> = item::worth_acting_on(report)
        .map(|item| {
            let place = item.place();
            let path = options.name_in_repository(place.file.name());
            Violation {
                description: visible_lines(&item.text()),
                check_name: item.id(),
                fingerprint: unique(fingerprint(&item, path), &mut seen),
                severity: severity(item.level()),
                location: Location { path, lines: LineRange { begin: place.start.line } },
            }
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &violations)?;
    writeln!(out)
}

const fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "critical",
        Level::Warning => "major",
        Level::Note => "minor",
    }
}

fn fingerprint(item: &Item<'_>, path: &str) -> String {
    match item {
        Item::Finding(finding) => finding.fingerprint.clone(),
        Item::Problem(problem) => digest(&[&problem.code, path, &problem.message]),
    }
}

/// Makes a fingerprint unique, since GitLab ignores a violation with the fingerprint of another.
fn unique(fingerprint: String, seen: &mut HashMap<String, usize>) -> String {
    let count = seen.entry(fingerprint.clone()).or_default();
    *count += 1;
    if *count == 1 { fingerprint } else { digest(&[&fingerprint, &count.to_string()]) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Gitlab, "output", &sample::run());
    }

    /// GitLab shows descriptions in merge requests, and decodes what JSON escapes.
    #[test]
    fn a_description_has_no_character_that_reorders_it() {
        let mut run = sample::run();
        run.findings[0].message = "\u{202e}a\u{9b}31m".to_owned();
        let report: Value = serde_json::from_str(&sample::render(Format::Gitlab, &run, false, false)).unwrap();
        let descriptions = report.as_array().unwrap().iter().map(|each| each["description"].as_str().unwrap());
        let first = descriptions.map(ToOwned::to_owned).find(|text| text.starts_with("\\u{202e}a\\u{9b}31m"));
        assert!(first.is_some(), "{report:#}");
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Gitlab, "empty", &sample::empty());
    }

    #[test]
    fn each_violation_has_what_gitlab_requires_and_a_fingerprint_of_its_own() {
        let mut run = sample::run();
        run.findings = vec![run.findings[0].clone(), run.findings[0].clone(), run.findings[0].clone()];
        // The same fingerprint does not make them one fault.
        run.findings[1].message.push_str(" here");
        run.findings[2].message.push_str(" there");
        let report: Value = serde_json::from_str(&sample::render(Format::Gitlab, &run, false, false)).unwrap();
        let violations = report.as_array().unwrap();
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).unwrap().to_owned();
        let prints: BTreeSet<String> = violations.iter().map(|each| text(&each["fingerprint"])).collect();
        assert!(prints.len() == violations.len() && violations.len() > 3, "{report:#}");
        for each in violations {
            text(&each["description"]);
            text(&each["check_name"]);
            assert!(["info", "minor", "major", "critical", "blocker"].contains(&each["severity"].as_str().unwrap()));
            assert!(!text(&each["location"]["path"]).starts_with("./"));
            assert!(each["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
        }
    }
}
