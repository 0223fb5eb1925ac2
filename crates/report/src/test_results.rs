//! Results of rule tests, as `JUnit` XML.

use std::io;

use quick_junit::{NonSuccessKind, Report as Dashboard, TestCase, TestCaseStatus, TestSuite};

use crate::junit::{add_suite, printable};

/// Tests of one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteResult {
    /// Name of the file or folder.
    pub name: String,
    pub tests: Vec<TestResult>,
}

/// Result of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    pub name: String,
    /// Deviations from the expectations of the test, one per line. `None` if it passed.
    pub failure: Option<String>,
}

/// Writes the results for a test dashboard.
pub fn render_test_results(suites: &[SuiteResult], out: &mut dyn io::Write) -> io::Result<()> {
    let mut dashboard = Dashboard::new("formwork rules test");
    for suite in suites {
        let cases = suite.tests.iter().map(|test| TestCase::new(printable(&test.name), status(test)));
        add_suite(&mut dashboard, TestSuite::new(printable(&suite.name)), cases);
    }
    out.write_all(dashboard.to_string().map_err(io::Error::other)?.as_bytes())
}

fn status(test: &TestResult) -> TestCaseStatus {
    let Some(failure) = &test.failure else { return TestCaseStatus::success() };
    let lines: Vec<String> = failure.lines().map(|line| printable(line.trim())).collect();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(lines.first().map_or("", String::as_str)).set_description(lines.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_a_case_of_its_suite() {
        let test = |name: &str, failure: Option<&str>| TestResult {
            name: name.to_owned(),
            failure: failure.map(str::to_owned),
        };
        let tests =
            vec![test("no <bucket>", None), test("a\u{1b}", Some("a.yaml:3:9: `R` is `SKIP`\na.yaml:4:9: more"))];
        let mut out = Vec::new();
        render_test_results(&[SuiteResult { name: "a.yaml".to_owned(), tests }], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "snapshots" }, {
            insta::assert_snapshot!("test_results", text);
        });
    }
}
