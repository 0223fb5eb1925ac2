//! Rule files and what is wrong with them.

#![expect(clippy::string_slice, reason = "a test should panic on a wrong span")]

use std::fmt::Write as _;
use std::sync::Arc;

use arcstr::ArcStr;

use super::*;
use crate::diagnostic::{Category, Pillar};
use crate::text::Sources;

const METADATA: &str = r#""id": "X-1", "name": "X", "shortDescription": "s", "fullDescription": "f""#;

/// Returns the number of rules in a text, and its problems as `line:column: message`, with a `!` for an error and the
/// help in parentheses.
#[track_caller]
fn problems(text: &str) -> (usize, String) {
    let sources = Sources::new();
    let text: ArcStr = text.into();
    let file = sources.add("rules.json", text.clone());
    let (rules, diagnostics) = parse(file, &text);
    let mut out = String::new();
    for it in diagnostics {
        let position = sources.range(it.primary.span).0;
        let mark = if it.code == Code::RuleSuspicious { "" } else { "!" };
        let help = it.help.map_or(String::new(), |help| format!(" ({help})"));
        let _ = writeln!(out, "{}:{}:{mark} {}{help}", position.line, position.column, it.message);
    }
    (rules.len(), out)
}

/// A rule around an evaluation, which stands in the second line.
fn rule(evaluation: &str) -> String {
    format!("{{{METADATA}, \"evaluation\":\n{evaluation}}}")
}

#[track_caller]
fn accepts(evaluation: &str) {
    assert_eq!(problems(&rule(evaluation)), (1, String::new()), "{evaluation}");
}

#[track_caller]
fn warns(evaluation: &str, expected: &str) {
    assert_eq!(problems(&rule(evaluation)), (1, format!("{expected}\n")), "{evaluation}");
}

#[track_caller]
fn refuses(evaluation: &str, expected: &str) {
    assert_eq!(problems(&rule(evaluation)), (0, format!("{expected}\n")), "{evaluation}");
}

#[test]
fn a_file_has_one_rule_or_an_array_of_rules() {
    let one = rule(r#"{"path": "a", "exists": true}"#);
    let other = one.replace("X-1", "X-2");
    assert_eq!(problems(&one).0, 1);
    assert_eq!(problems(&format!("// rules\n[{one}, /* and */ {other},]")), (2, String::new()));
    assert_eq!(problems("[]"), (0, String::new()));
    assert_eq!(problems("5").1, "1:1:! expected a rule or an array of rules, found `5`\n");
    assert_eq!(problems("[5]").1, "1:2:! a rule must be an object, found `5`\n");
    assert_eq!(problems("[").0, 0);
}

#[test]
fn a_file_that_is_no_json_is_a_problem_of_the_rules() {
    let sources = Sources::new();
    let text: ArcStr = "[{]".into();
    let (_, diagnostics) = parse(sources.add("rules.json", text.clone()), &text);
    assert_eq!(diagnostics.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::RuleSyntax]);
}

#[test]
fn every_problem_is_reported() {
    let text = r#"[
  {"id": "A", "name": 5, "shortDescription": "s", "severity": 4, "evaluation": {"path": "a"}},
  {"id": "A", "name": "n", "shortDescription": " ", "fullDescription": null,
   "evalution": {}}
]"#;
    let expected = "\
2:3:! a rule needs `fullDescription`
2:23:! `name` is `5`; expected a string
2:63:! `severity` is `4`; expected 1 (high), 2 (medium) or 3 (low)
2:80:! an evaluation needs an operator (the operators are `exists`, `hasValue`, `equals`, `notEquals`, `regex`, `in`, `less`, `lessOrEquals`, `greater`, `greaterOrEquals`, `is`, `versionBelow`, `versionAtLeast`, `includesPort`, `includesAction`, `anyAddress`, `addressSpan`, `containsAny`, `containsAll`, `endOfLife`, `secret`, `allOf`, `anyOf`, `not`, `evaluate`, `count`, `descendants`, `refersTo`, `referencedBy`)
3:3:! a rule needs `fullDescription`
3:3:! a rule needs an `evaluation`
3:10: another rule has the id `A`, too
3:48:! `shortDescription` is empty
4:4: unknown name `evalution` (did you mean `evaluation`?)
";
    assert_eq!(problems(text), (0, expected.to_owned()));
}

#[test]
fn metadata_is_optional_where_the_language_says_so() {
    let sources = Sources::new();
    let parsed = |extra: &str| {
        let text: ArcStr = rule(r#"{"path": "a", "exists": true}"#).replacen('{', &format!("{{{extra}"), 1).into();
        let (rules, problems) = parse(sources.add("rules.json", text.clone()), &text);
        assert_eq!(problems, []);
        Arc::clone(rules[0].info())
    };
    let plain = parsed("");
    assert_eq!((plain.severity.number(), plain.recommendation.as_deref()), (2, None));
    let full = parsed(r#""severity": "HIGH", "recommendation": "do", "helpUri": "https://example.org", "#);
    assert_eq!((full.severity.number(), full.recommendation.as_deref()), (1, Some("do")));
    assert_eq!(parsed(r#""Severity": 3, "helpUri": null, "#).severity.number(), 3);
}

/// A rule with further members, which stand in the first line.
fn with_details(details: &str) -> String {
    format!("{{{details},\n{METADATA}, \"evaluation\": {{\"path\": \"a\", \"exists\": true}}}}")
}

#[test]
fn details_are_for_the_catalogue_and_for_fixes() {
    let text = with_details(
        r#""category": "Network", "pillar": "security", "optional": true, "platformDefault": "Open.",
           "controls": ["mcsb:NS-2"], "tags": ["firewall"],
           "example": {"apiVersion": "2023-05-01", "before": {"properties": {"b": 1, "a": 2}}, "after": {}},
           "fix": [{"path": "properties.a", "value": {"x": []}, "unsafe": true}, {"path": "b", "value": null}]"#,
    );
    let sources = Sources::new();
    let (rules, problems) = parse(sources.add("rules.json", text.as_str()), &text.into());
    assert_eq!(problems, []);
    let details = &rules[0].info().details;
    assert_eq!((details.category, details.pillar), (Some(Category::Network), Some(Pillar::Security)));
    assert!(details.is_optional);
    assert_eq!(details.platform_default.as_deref(), Some("Open."));
    let controls: Vec<String> = details.controls.iter().map(ToString::to_string).collect();
    assert_eq!(
        (controls.as_slice(), details.tags.as_slice()),
        (&["mcsb:NS-2".to_owned()][..], &["firewall".to_owned()][..])
    );
    let example = details.example.as_ref().expect("there is an example");
    assert_eq!((example.before.as_str(), example.after.as_str()), (r#"{"properties":{"b":1,"a":2}}"#, "{}"));
    let fixes = details.fixes.iter().map(|fix| (fix.path.as_str(), fix.value.as_str(), fix.is_unsafe));
    assert_eq!(fixes.collect::<Vec<_>>(), [("properties.a", r#"{"x":[]}"#, true), ("b", "null", false)]);
}

#[test]
fn wrong_details_are_pointed_at_and_do_not_stop_the_rule() {
    for (details, expected) in [
        (r#""category": "netwrok""#, "1:14: `netwrok` is not a category, did you mean `network`?"),
        (r#""pillar": 5"#, "1:12: `pillar` is `5`; expected a string"),
        (r#""optional": "true""#, "1:14: `optional` is `\"true\"`; expected `true` or `false`"),
        (r#""platformDefault": " ""#, "1:21: `platformDefault` is `\" \"`; expected a string"),
        (r#""controls": "nist:AC-3""#, "1:14: `controls` is `\"nist:AC-3\"`; expected an array of strings"),
        (r#""controls": ["cis-asw:1.1"]"#, "1:15: `cis-asw` is not a framework of controls, did you mean `cis-aws`?"),
        (r#""tags": ["a", "a"]"#, "1:16: `\"a\"` is already in `tags`"),
        (r#""example": {"before": {}}"#, "1:13: an example needs `after`"),
        (
            r#""example": {"before": [], "after": {}}"#,
            "1:24: `before` is an array; expected the members of a resource, or an array of whole resources",
        ),
        (r#""fix": {"path": "a"}"#, "1:9: a fix needs the `value` that the property should have"),
        (r#""fix": {"path": "a", "vaule": 1, "value": 1}"#, "1:23: unknown name `vaule` (did you mean `value`?)"),
        (
            r#""fix": {"path": "a", "value": "[b]"}"#,
            "1:32: a string that begins with `[` would be an expression; a fix can only write plain values",
        ),
    ] {
        assert_eq!(problems(&with_details(details)), (1, format!("{expected}\n")), "{details}");
    }
}

#[test]
fn names_are_written_in_any_case() {
    accepts(r#"{"ResourceType": "A/b", "PATH": "a", "Where": null, "ALLOF": [{"path": "b", "hasvalue": true}]}"#);
    refuses(
        r#"{"path": "a", "Path": "b", "exists": true}"#,
        "2:15:! `Path` is already here as `path`; names are case-insensitive",
    );
}

#[test]
fn an_evaluation_has_exactly_one_operator() {
    refuses(
        r#"{"path": "a", "equals": 1, "regex": "a"}"#,
        "2:28:! `regex` is a second operator beside `equals` (combine the two with `allOf` or `anyOf`)",
    );
    refuses(r#"{"exists": true}"#, "2:1:! `exists` needs a `path` beside it");
    refuses(r#"{"path": null, "exists": true}"#, "2:1:! `exists` needs a `path` beside it");
    refuses(r#"{"path": 5, "exists": true}"#, "2:10:! `path` is `5`; expected a string");
    refuses("null", "2:1:! an evaluation must be an object, found `null`");
    warns(r#"{"path": "a", "exists": true, "wehre": {}}"#, "2:31: unknown name `wehre` (did you mean `where`?)");
}

#[test]
fn operators_take_values_of_their_type() {
    accepts(r#"{"path": "a", "equals": [1, {"b": null}]}"#);
    accepts(r#"{"path": "a", "in": []}"#);
    accepts(r#"{"path": "a", "less": 1.5}"#);
    accepts(r#"{"path": "a", "less": "2021-02-28 18:17:16Z"}"#);
    refuses(r#"{"path": "a", "exists": null}"#, "2:25:! `exists` is `null`; expected `true` or `false`");
    refuses(r#"{"path": "a", "hasValue": "true"}"#, "2:27:! `hasValue` is `\"true\"`; expected `true` or `false`");
    refuses(r#"{"path": "a", "in": {}}"#, "2:21:! `in` is an object; expected an array");
    refuses(r#"{"path": "a", "greater": true}"#, "2:26:! `greater` is `true`; expected a number or a date");
    refuses(
        "{\"path\": \"a\",\n \"regex\": \"(?<!x\"}",
        "3:11:! `regex` is not a regular expression that can be used: the group is not closed at offset 0 (rules use the regular expressions of .NET)",
    );
}

#[test]
fn structured_operators_take_evaluations() {
    accepts(r#"{"not": {"path": "a", "exists": true}}"#);
    accepts(r#"{"evaluate": {"path": "a", "exists": true}}"#);
    refuses(r#"{"allOf": []}"#, "2:11:! `allOf` is empty; expected an array of evaluations");
    refuses(r#"{"anyOf": {}}"#, "2:11:! `anyOf` is an object; expected an array of evaluations");
    refuses(r#"{"anyOf": [null]}"#, "2:12:! an evaluation must be an object, found `null`");
    refuses(r#"{"not": []}"#, "2:9:! an evaluation must be an object, found an array");
    refuses(r#"{"where": "a", "path": "a", "exists": true}"#, "2:11:! an evaluation must be an object, found `\"a\"`");
}

#[test]
fn what_selects_nothing_is_suspicious() {
    let star = "a `*` replaces a whole name or a whole index; within a name it is an ordinary character";
    warns(r#"{"path": "a.adm*", "exists": true}"#, &format!("2:10: {star}"));
    let index = "only `name[1]` and `name[*]` are indexes, after a name of letters, digits and `_`, and only `['a.b']` is a quoted name; here they are part of a name";
    warns(r#"{"path": "a[0][1]", "exists": true}"#, &format!("2:10: {index}"));
    warns(
        r#"{"resourceType": "servers", "path": "a", "exists": true}"#,
        "2:18: `servers` is not a fully qualified type, so no resource has it (write the full type, like `Microsoft.Sql/servers/databases` or `AWS::S3::Bucket`)",
    );
    warns(
        r#"{"resourceType": "A/b", "not": {"resourceType": "A/c", "path": "a", "exists": true}}"#,
        "2:49: this looks in the children of a resource of type `A/b`, and `A/c` is not a child type of it",
    );
    accepts(r#"{"resourceType": "A/b", "not": {"resourceType": "a/B/c", "path": "a", "exists": true}}"#);
    accepts(r#"{"resourceType": "A/b", "path": "p", "not": {"resourceType": "A/c", "path": "a", "exists": true}}"#);
    refuses(
        r#"{"resourceType": "", "path": "a", "exists": true}"#,
        "2:18:! `resourceType` is `\"\"`; expected a type like `Microsoft.Sql/servers`",
    );
}

#[test]
fn a_rule_names_the_types_that_it_begins_with() {
    let types = |evaluation: &str| {
        let value = crate::json::testing::json(evaluation);
        evaluation::written_types(&value)
    };
    assert_eq!(types(r#"{"resourceType": "A/b", "allOf": [{"resourceType": "A/b/c"}]}"#), ["A/b"]);
    assert_eq!(types(r#"{"anyOf": [{"resourceType": "A/b"}, {"not": {"resourceType": "A/c"}}]}"#), ["A/b", "A/c"]);
    assert_eq!(types(r#"{"path": null, "not": {"resourceType": "A/b"}}"#), ["A/b"]);
    assert_eq!(types(r#"{"path": "outputs", "not": {"resourceType": "A/b"}}"#), Vec::<String>::new());
    assert_eq!(types(r#"{"path": "outputs", "exists": true}"#), Vec::<String>::new());
}

#[test]
fn no_text_makes_the_parser_panic() {
    let text =
        rule(r#"{"resourceType": "A/b", "where": {"path": "a", "in": [1]}, "anyOf": [{"path": "é*", "regex": "["}]}"#);
    for end in (0..text.len()).filter(|&index| text.is_char_boundary(index)) {
        problems(&text[..end]);
    }
    problems(&(r#"{"not":"#.repeat(300) + &"}".repeat(300)));
}

#[test]
fn a_name_that_is_there_twice_is_shown_twice() {
    let text: ArcStr = rule(r#"{"path": "a", "exists": true, "Path": "b"}"#).into();
    let (_, diagnostics) = parse(Sources::new().add("rules.json", text.clone()), &text);
    assert_eq!(diagnostics[0].message, "`Path` is already here as `path`; names are case-insensitive");
    let first = &diagnostics[0].secondary[0];
    assert_eq!(
        (first.message.as_str(), &text[first.span.start as usize..first.span.end as usize]),
        ("the first one", "\"path\"")
    );
}

/// A file whose constants and rules are these; the rules begin in the third line.
fn with_constants(constants: &str, evaluations: &[&str]) -> String {
    let rules: Vec<String> = (1..)
        .zip(evaluations)
        .map(|(at, evaluation)| {
            format!("{{{}, \"evaluation\": {evaluation}}}", METADATA.replace("X-1", &format!("X-{at}")))
        })
        .collect();
    format!("{{\"constants\": {{{constants}}},\n\"rules\": [\n{}]}}", rules.join(",\n"))
}

#[test]
fn rules_of_a_file_share_constants() {
    let constants = r#""old": "^v1", "is": {"path": "b", "regex": {"constant": "old"}}, "all": [{"constant": "is"}]"#;
    let text = with_constants(
        constants,
        &[
            r#"{"path": "a", "regex": {"constant": "old"}}"#,
            r#"{"path": "a", "where": {"constant": "is"}, "allOf": {"Constant": "all"}}"#,
            r#"{"anyOf": [{"constant": "is"}, {"path": "c", "in": ["x", {"constant": "old"}]}]}"#,
        ],
    );
    assert_eq!(problems(&text), (3, String::new()));
    assert_eq!(problems(r#"{"rules": []}"#), (0, String::new()));
}

#[test]
fn constants_that_are_missing_unused_or_wrong_are_pointed_at() {
    let refer = r#"{"path": "a", "regex": {"constant": "old"}}"#;
    let help = "define it in `constants`, beside the `rules` of the file and above what names it";
    let missing = format!("3:127:! there is no constant `\"old\"` ({help})\n");
    assert_eq!(problems(&with_constants("", &[refer])), (0, missing));
    let unused = "1:16: no rule uses the constant `old`\n";
    assert_eq!(problems(&with_constants(r#""old": 5"#, &[])), (0, unused.to_owned()));
    let wrong = "1:23:! `regex` is `5`; expected a string\n";
    assert_eq!(problems(&with_constants(r#""old": 5"#, &[refer, refer])), (0, wrong.to_owned()), "it is told once");
    let later = format!("1:36:! there is no constant `\"b\"` ({help})\n");
    let circle = r#""old": {"constant": "b"}, "b": {"constant": "old"}"#;
    assert!(problems(&with_constants(circle, &[refer])).1.starts_with(&later));
    assert_eq!(problems(r#"{"constants": 1, "rules": []}"#).1, "1:15:! `constants` is `1`; expected an object\n");
}

#[test]
fn constants_stand_for_no_more_than_a_limit() {
    let mut constants = r#""c0": ["x"]"#.to_owned();
    for at in 1..40 {
        let _ = write!(constants, ", \"c{at}\": [{{\"constant\": \"c{0}\"}}, {{\"constant\": \"c{0}\"}}]", at - 1);
    }
    let (_, found) = problems(&with_constants(&constants, &[r#"{"path": "a", "in": {"constant": "c39"}}"#]));
    assert!(found.contains("the constants of this file stand for more than 100000 values"), "{found}");
    let mut constants = r#""c0": ["x"]"#.to_owned();
    for at in 1..200 {
        let _ = write!(constants, ", \"c{at}\": [{{\"constant\": \"c{}\"}}]", at - 1);
    }
    let (_, found) = problems(&with_constants(&constants, &[r#"{"path": "a", "in": {"constant": "c199"}}"#]));
    assert!(found.contains("arrays and objects are nested deeper than 128"), "{found}");
}
