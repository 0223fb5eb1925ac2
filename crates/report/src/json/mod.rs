//! Machine-readable report, `formwork/report/v1`: see [`document`].

mod document;
mod object;
mod read;
mod write;

use std::io;

use crate::Options;
use crate::diagnostic::Outcome;
use crate::model::{Finding, Report};

use self::document::{Added, SCHEMA, Tool};
use self::object::Object;
pub use self::read::{Written, read};
use self::write::Writer;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let findings: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding: &&Finding| options.show_passed || finding.outcome != Outcome::Passed)
        .collect();
    let writer = Writer::new(report);
    let mut written = Object::new(out);
    written.member("schema", &SCHEMA)?;
    written.member("tool", &Tool { name: "formwork", version: options.tool_version.into() })?;
    written.optional("shard", report.part.as_ref().map(|part| writer.shard(part, report)).as_ref())?;
    written.optional("change", report.change.as_ref().map(write::change).as_ref())?;
    written.member("summary", &write::summary(report))?;
    written.optional("notices", Some(&report.notices).filter(|notices| !notices.is_empty()))?;
    written.list("results", &findings, |finding| writer.verdict(finding))?;
    written.list("diagnostics", &report.problems, |problem| writer.problem(problem))?;
    written.list("not_checked", &report.not_checked().collect::<Vec<_>>(), |gap| writer.unchecked(gap))?;
    let added: Vec<Added<'_>> = report.added_suppressions.iter().map(|added| writer.added(added)).collect();
    written.optional("added_suppressions", Some(&added).filter(|added| !added.is_empty()))?;
    written.member("rules", &write::rules(report))?;
    written.optional("difference", report.difference.as_ref())?;
    written.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Edit, EventChange, Fix, HeadFile, Run};
    use crate::text::{Hunk, LineMap, Span};
    use crate::value::{Value, ValueExcerpt};
    use crate::{Format, difference, sample, schema_file};

    /// Describes the member `difference`, which the action adds from the output of `formwork diff`.
    fn add_difference(schema: &mut serde_json::Value) {
        let text = difference::schema().to_string().replace("\"#/$defs/", "\"#/$defs/difference.");
        let mut added: serde_json::Value = serde_json::from_str(&text).unwrap();
        let members = added.as_object_mut().unwrap();
        members.remove("$schema");
        let definitions = members.remove("$defs").unwrap();
        members["description"] = "What the change deploys, as `formwork diff --format json` prints it.".into();
        let into = schema["$defs"].as_object_mut().unwrap();
        into.insert("difference".to_owned(), added);
        for (name, definition) in definitions.as_object().unwrap() {
            into.insert(format!("difference.{name}"), definition.clone());
        }
        schema["properties"]["difference"] = serde_json::json!({"$ref": "#/$defs/difference"});
    }

    #[test]
    fn the_schema_is_that_of_the_structs() {
        let about = "The output of `formwork check --format json`. Later versions may add fields.";
        let mut schema = schema_file::schema_of::<document::Report<'_>>("Report of formwork", about, SCHEMA);
        add_difference(&mut schema);
        schema_file::check_schema("report.schema.json", &schema);
    }

    #[test]
    fn output() {
        sample::assert_report(Format::Json, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::assert_report(Format::Json, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Json, "empty", &sample::empty());
    }

    #[track_caller]
    fn check_outcomes(show_passed: bool, expected: &[&str]) {
        let text = sample::render(Format::Json, &sample::run(), false, show_passed);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let results = report["results"].as_array().unwrap().iter();
        let outcomes: Vec<&str> = results.map(|result| result["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, expected);
    }

    #[test]
    fn verdicts_that_passed_are_listed_on_request() {
        let shown = ["failed", "failed", "unknown", "suppressed", "failed", "failed"];
        check_outcomes(false, &shown);
        check_outcomes(true, &["failed", "failed", "unknown", "suppressed", "passed", "failed", "failed"]);
    }

    #[test]
    fn a_change_adds_its_facts_and_the_places_in_its_head() {
        let mut run = sample::run();
        let place = |run: &Run, at: usize| run.findings[at].span.file;
        let lines = LineMap::new(vec![Hunk { old_start: 2, old_count: 0, new_start: 3, new_count: 2 }]);
        let there = HeadFile { name: "infra/old.json".into(), lines: Some(lines) };
        let gone = HeadFile { name: "infra/gone.json".into(), lines: None };
        let files = [(place(&run, 0), there), (place(&run, 5), gone)].into_iter().collect();
        let (event, commit) = ("pull_request".to_owned(), "c".to_owned());
        run.change = Some(EventChange { event, pull_request: Some(7), commit, files, ..Default::default() });
        run.findings[0].in_change = Some(true);
        let report: serde_json::Value =
            serde_json::from_str(&sample::render(Format::Json, &run, false, false)).unwrap();
        let change = r#"{"event":"pull_request","pull_request":7,"base":null,"head":null,"commit":"c"}"#;
        assert_eq!(report["change"].to_string(), change);
        let result = &report["results"][0];
        assert_eq!(result["on_changed_lines"], true);
        let line = result["location"]["line"].as_u64().unwrap();
        let expected = serde_json::json!({"file": "infra/old.json", "line": line - 2, "end_line": line - 2});
        assert_eq!(result["location"]["head"], expected);
        assert!(result["related"][0].get("head").is_some());
        assert!(result["related"][1].get("head").is_none());
        assert_eq!(report["results"][1].get("on_changed_lines"), None);
        assert_eq!(report["results"][4]["location"].get("head"), Some(&serde_json::Value::Null));
    }

    /// Where the lines of a fix are, given that one stands in the run that the head does not have.
    #[track_caller]
    fn check_fix_in_head(base_line: u32, expected: serde_json::Value) {
        let mut run = sample::run();
        let file = run.findings[0].span.file;
        let text = run.sources.get(file).text().clone();
        let at = |needle: &str| u32::try_from(text.find(needle).unwrap()).unwrap();
        let edit =
            |start: u32| Edit { span: Span::new(file, start, start), name: String::new(), replacement: "x".into() };
        let edits = vec![edit(at("\"minimumTlsVersion\"")), edit(at("\"networkAcls\""))];
        run.findings.truncate(1);
        run.findings[0].fix = Some(Box::new(Fix { title: String::new(), edits, is_guess: false }));
        let hunk = Hunk { old_start: base_line - 1, old_count: 0, new_start: base_line, new_count: 1 };
        let there = HeadFile { name: run.sources.get(file).name().clone(), lines: Some(LineMap::new(vec![hunk])) };
        run.change = Some(EventChange { files: [(file, there)].into_iter().collect(), ..Default::default() });
        let text = sample::render(Format::Json, &run, false, false);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let fix = &report["results"][0]["fix"];
        assert_eq!((fix["line"].as_u64(), fix["end_line"].as_u64()), (Some(11), Some(12)));
        assert_eq!(fix.get("head"), Some(&expected), "{base_line}");
    }

    #[test]
    fn the_lines_of_a_fix_are_in_the_head_all_together_or_not_at_all() {
        check_fix_in_head(2, serde_json::json!({"line": 10, "end_line": 11}));
        check_fix_in_head(13, serde_json::json!({"line": 11, "end_line": 12}));
        check_fix_in_head(11, serde_json::Value::Null);
        check_fix_in_head(12, serde_json::Value::Null);
    }

    #[test]
    fn an_actual_value_is_json_where_it_can_be() {
        let shown = |value: Value| write::actual(&ValueExcerpt::new(&value));
        assert_eq!(shown(Value::NULL), serde_json::Value::Null);
        assert_eq!(shown(Value::array(vec![Value::from(1)])), serde_json::json!([1]));
        assert_eq!(shown(Value::from("x".repeat(300))), serde_json::json!(format!("\"{}…", "x".repeat(199))));
    }
}
