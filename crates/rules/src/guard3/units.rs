//! Unit tests of cfn-guard: `- name: …`, `input: …`, `expectations: {rules: {NAME: PASS}}`.

use arcstr::ArcStr;

use crate::guard3::statuses::Status;
use crate::syntax::yaml;
use crate::text::{FileId, Span};
use crate::value::{Member, Value};

/// A test of the rules of a file.
#[derive(Debug)]
pub struct UnitTest {
    /// Name, or the number of a test without a name.
    pub name: String,
    /// Template on which the rules run.
    pub input: Value,
    /// Expected verdicts.
    pub expectations: Vec<Expectation>,
}

/// The expected verdict of a rule.
#[derive(Debug)]
pub struct Expectation {
    /// The name of the rule.
    pub rule: String,
    /// Verdict; the error is an unknown word.
    pub status: Result<Status, String>,
    /// Span of the expectation.
    pub span: Span,
}

/// True if a text may have unit tests: a quick test before it is parsed.
pub fn may_have_units(text: &str) -> bool {
    text.contains("expectations")
}

/// Reads a file with unit tests. Returns `None` if the file is something else.
pub fn units(file: FileId, text: &ArcStr, max_depth: u32) -> Option<Vec<UnitTest>> {
    let tests = yaml::parse_guard_test(file, text, max_depth).value?;
    let tests = tests.as_array()?;

    // Tests of Azure policies have the same form.
    if tests.is_empty()
        || !tests.iter().all(|test| {
            let expectations = test.as_object().and_then(|test| test.get_exact("expectations"));
            expectations.is_some_and(|all| all.get("policies").is_none())
        })
    {
        return None;
    }
    Some((1_usize..).zip(tests).map(|(number, test)| unit(file, number, test)).collect())
}

fn unit(file: FileId, number: usize, test: &Value) -> UnitTest {
    let member = |name: &str| test.as_object().and_then(|test| test.get_exact(name));
    let name = member("name").and_then(Value::as_str);
    let rules = member("expectations").and_then(|all| all.as_object()?.get_exact("rules")).and_then(Value::as_object);
    UnitTest {
        name: name.map_or_else(|| number.to_string(), str::to_owned),
        input: member("input").cloned().unwrap_or(Value::NULL),
        expectations: rules
            .into_iter()
            .flatten()
            .map(|member: &Member| Expectation {
                rule: member.key.to_string(),
                status: status(&member.value),
                span: member.span().unwrap_or_else(|| Span::whole_file(file)),
            })
            .collect(),
    }
}

fn status(value: &Value) -> Result<Status, String> {
    let found = Status::ALL.iter().find(|status| value.as_str() == Some(status.as_str()));
    found.copied().ok_or_else(|| value.to_json())
}
