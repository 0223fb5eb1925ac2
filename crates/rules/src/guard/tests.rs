//! Tests of rulesets on small templates.

use super::testing::{document, messages, read};
use crate::RuleSet;
use crate::diagnostic::Outcome;
use crate::model::{Document, Presence};
use crate::value::{Ends, Kind, Member, Unknown, Value, ValueExcerpt};

/// A template with one resource `R` of type `AWS::T::R`.
fn resource(properties: &str) -> String {
    format!(r#"{{"Resources": {{"R": {{"Type": "AWS::T::R", "Properties": {properties}}}}}}}"#)
}

/// The messages of what failed, without `[R] failed because `.
#[track_caller]
fn check(ruleset: &str, properties: &str, expected: &[&str]) {
    check_with(ruleset, properties, false, expected);
}

#[track_caller]
fn check_strict(ruleset: &str, properties: &str, expected: &[&str]) {
    check_with(ruleset, properties, true, expected);
}

#[track_caller]
fn check_with(ruleset: &str, properties: &str, strict: bool, expected: &[&str]) {
    let found = messages(ruleset, &resource(properties), strict, Outcome::Failed);
    let found: Vec<&str> = found.iter().map(|line| line.strip_prefix("[R] failed because ").unwrap_or(line)).collect();
    assert_eq!(found, expected, "{ruleset} on {properties}");
}

#[test]
fn each_operator_has_its_words() {
    check("AWS::T::R P == y", r#"{"P": "a b"}"#, &["[P] is [a b] and the permitted value is [y]"]);
    check("AWS::T::R P != a b", r#"{"P": "a b"}"#, &["[P] is [ab] and that value is not permitted"]);
    check("AWS::T::R P == /^b/", r#"{"P": "a b"}"#, &["[P] is [ab] and the permitted pattern is [^b]"]);
    check("AWS::T::R P != /b$/", r#"{"P": "a b"}"#, &["[P] is [ab] and the pattern [b$] is not permitted"]);
    check("AWS::T::R P < 10.50", r#"{"P": 11}"#, &["[P] is [11] and the permitted value is [< 10.5]"]);
    check("AWS::T::R P >= 1e10", r#"{"P": 11}"#, &["[P] is [11] and the permitted value is [>= 10000000000]"]);
    check("AWS::T::R P < 0.1234567891", r#"{"P": 1}"#, &["[P] is [1] and the permitted value is [< 0.12345679]"]);
    check(
        "AWS::T::R P < 16777217",
        r#"{"P": 16777217}"#,
        &["[P] is [16777217] and the permitted value is [< 16777217]"],
    );
    check("AWS::T::R P > 10", r#"{"P": 10}"#, &["[P] is [10] and the permitted value is [> 10]"]);
    check("AWS::T::R P > 10", r#"{"P": 11}"#, &[]);
    check("AWS::T::R P <= 10", r#"{"P": 11}"#, &["[P] is [11] and the permitted value is [<= 10]"]);
    check("AWS::T::R P <= 10", r#"{"P": 10}"#, &[]);
    check("AWS::T::R P <= 10", r#"{"P": 9}"#, &[]);
    check("AWS::T::R P IN [a, b]", r#"{"P": "c"}"#, &["[c] is not in [a, b] for [P]"]);
    check("AWS::T::R P NOT_IN a,c", r#"{"P": "c"}"#, &["[c] is in a,c which is not permitted for [P]"]);
    check("AWS::T::R P NOT_IN /c/", r#"{"P": "c"}"#, &["[c] is in c which is not permitted for [P]"]);
    check("AWS::T::R P == y << wrong", r#"{"P": "c"}"#, &["[P] is [c] and wrong"]);
    check("AWS::T::R P == %v", r#"{"P": "c"}"#, &["there is no value defined for [%v] to check [P] against"]);
}

#[test]
fn a_pattern_stands_between_two_slashes() {
    check("AWS::T::R P == /x", r#"{"P": "y"}"#, &["[P] is [y] and the permitted value is [/x]"]);
    check("AWS::T::R P == ax/", r#"{"P": "y"}"#, &["[P] is [y] and the permitted value is [ax/]"]);
    check("AWS::T::R P == /", r#"{"P": "y"}"#, &["[P] is [y] and the permitted value is [/]"]);
    check("AWS::T::R P == //", r#"{"P": "y"}"#, &[]);
}

#[test]
fn a_missing_property_fails_under_strict_checks_only() {
    check("AWS::T::R Q == y", "{}", &[]);
    check_strict("AWS::T::R Q == y", "{}", &["it does not contain the required property of [Q]"]);
    check_strict("AWS::T::R P.Q < 5", r#"{"P": 1}"#, &["it does not contain the required property of [P.Q]"]);
    check_strict("AWS::T::R Q == y << set it", "null", &["set it"]);
    check_strict("AWS::T::R P == null", r#"{"P": null}"#, &[]);
}

#[test]
fn paths_lead_through_objects_lists_and_json_in_texts() {
    let properties = r#"{"L": [[1, 2], [3]], "M": {"80": "http"}, "J": "{\"S\": [{\"E\": 5}]}", "a": 1}"#;
    check("AWS::T::R L.0.1 == 9", properties, &["[L.0.1] is [2] and the permitted value is [9]"]);
    check("AWS::T::R M.80 == x", properties, &["[M.80] is [http] and the permitted value is [x]"]);
    check("AWS::T::R J.S.*.E == 6", properties, &["[J.S.0.E] is [5] and the permitted value is [6]"]);
    check("AWS::T::R .Type != AWS::T::R", properties, &["[.Type] is [AWS::T::R] and that value is not permitted"]);
    check("AWS::T::R A == 2", properties, &[]);
    check("AWS::T::R a. == 2", properties, &["[a.] is [1] and the permitted value is [2]"]);
    check("AWS::T::R L.0.1* == 2", properties, &[]);
}

#[test]
fn under_a_wildcard_one_is_enough_for_equality_and_all_count_otherwise() {
    let tags = r#"{"Tags": [{"Key": "Env"}, {"Key": "Own"}]}"#;
    check("AWS::T::R Tags.*.Key  ==  Own", tags, &[]);
    check("AWS::T::R Tags.*.Key IN [Own]", tags, &[]);
    check(
        "AWS::T::R Tags.*.Key == Zip",
        tags,
        &[
            "[Tags.0.Key] is [Env] and the permitted value is [Zip]",
            "[Tags.1.Key] is [Own] and the permitted value is [Zip]",
        ],
    );
    check("AWS::T::R Tags.*.Key != Own", tags, &["[Tags.1.Key] is [Own] and that value is not permitted"]);
    check("AWS::T::R Tags.*.Key NOT_IN Own", tags, &["[Own] is in Own which is not permitted for [Tags.1.Key]"]);
    check("AWS::T::R P.* < 2", r#"{"P": {"a.b": 1, "c": 2}}"#, &["[P.c] is [2] and the permitted value is [< 2]"]);
    check("AWS::T::R P.* == 2", r#"{"P": 1}"#, &["[P.] is [1] and the permitted value is [2]"]);
    check("AWS::T::R P.*.Key == 2", r#"{"P": 1}"#, &[]);
}

#[test]
fn the_beginning_of_a_name_stands_for_all_members_that_begin_so() {
    let properties = r#"{"P": {"ab": 1, "ac": 2, "b": 3}}"#;
    check("AWS::T::R P.a* == 2", properties, &[]);
    check("AWS::T::R P.a* < 2", properties, &["[P.ac] is [2] and the permitted value is [< 2]"]);
    check_strict("AWS::T::R P.a* != 3", properties, &[]);
    check_strict("AWS::T::R P.z* != 3", properties, &["it does not contain the required property of [P.z*]"]);
}

#[test]
fn what_a_wildcard_does_not_find_fails_under_strict_checks_only() {
    let some = r#"{"Tags": [{"Key": "Env"}, {}]}"#;
    check("AWS::T::R Tags.*.Key == Zip", some, &["[Tags.0.Key] is [Env] and the permitted value is [Zip]"]);
    check("AWS::T::R Tags.*.Key == Env", some, &[]);
    check_strict("AWS::T::R Tags.*.Key != Zip", some, &["it does not contain the required property of [Tags.1.Key]"]);
    check_strict("AWS::T::R Q.* != x", "{}", &["it does not contain the required property of [Q.*]"]);
    check("AWS::T::R L.* == x", r#"{"L": []}"#, &[]);
    check_strict("AWS::T::R L.* == x", r#"{"L": []}"#, &["it does not contain the required property of [L.*]"]);
    check_strict("AWS::T::R L.* != x", r#"{"L": []}"#, &[]);
    check_strict("AWS::T::R M.* == x", r#"{"M": {}}"#, &["it does not contain the required property of [M.*]"]);
}

#[test]
fn in_a_disjunction_what_is_missing_satisfies_nothing() {
    let a = "[A] is [x] and the permitted value is [z]";
    check("AWS::T::R A == z |OR| AWS::T::R N == 5", r#"{"A": "x", "N": 5}"#, &[]);
    check("AWS::T::R A == z |OR| AWS::T::R N == 5", r#"{"A": "x"}"#, &[a]);
    check("AWS::T::R A == z |OR| AWS::T::R N == 5", "{}", &[]);
    check("AWS::T::R A == z |OR| AWS::T::R WHEN N == 5 CHECK B == y", r#"{"A": "x", "B": "y", "N": 4}"#, &[a]);
    check("AWS::T::R A == z |OR| AWS::T::R WHEN N == 5 CHECK B == y", r#"{"A": "x", "B": "y", "N": 5}"#, &[]);
    check(
        "AWS::T::R A == z |OR| AWS::T::R L.* != p",
        r#"{"A": "x", "L": ["p", "q"]}"#,
        &[a, "[L.0] is [p] and that value is not permitted"],
    );
    check("AWS::T::R A == z |OR| AWS::T::R A == z", r#"{"A": "x"}"#, &[a, a]);
}

#[test]
fn a_message_may_begin_with_a_third_bracket() {
    check("AWS::T::R A != x <<< m", r#"{"A": "x"}"#, &["[A] is [x] and < m"]);
    check("AWS::T::R A != x << one <<< two", r#"{"A": "x << one"}"#, &["[A] is [x<<one] and < two"]);
    check("AWS::T::R A != x <<<< m", r#"{"A": "x"}"#, &["[A] is [x] and << m"]);
}

#[test]
fn a_conjunction_is_as_many_rules() {
    check(
        "AWS::T::R A == z |AND| AWS::T::Q B == y |AND| AWS::T::R N == 6",
        r#"{"A": "x", "N": 5}"#,
        &["[A] is [x] and the permitted value is [z]", "[N] is [5] and the permitted value is [6]"],
    );
}

#[test]
fn a_disjunction_over_types_is_about_the_template() {
    let template = |a: &str, b: &str| {
        format!(
            r#"{{"Resources": {{"R": {{"Type": "AWS::T::R", "Properties": {{"A": "{a}"}}}},
            "Q": {{"Type": "AWS::T::Q", "Properties": {{"A": "{b}"}}}}}}}}"#
        )
    };
    let failed =
        |a, b| messages("AWS::T::R A == z |OR| AWS::T::Q A == z", &template(a, b), false, Outcome::Failed).len();
    assert_eq!([failed("z", "x"), failed("x", "z"), failed("x", "x")], [0, 0, 2]);
    check("AWS::T::R A == z |OR| AWS::Z::Z A == z", r#"{"A": "x"}"#, &["[A] is [x] and the permitted value is [z]"]);
    verdicts("AWS::T::R A == z |OR| AWS::T::Q A == z", &template("z", "x"), &["passed Resources.R"]);
    verdicts("AWS::T::R A == z |OR| AWS::T::Q A == z", &template("x", "z"), &["passed Resources.Q"]);
    verdicts("AWS::T::R A == z |OR| AWS::T::Q A == z", &template("z", "z"), &["passed "]);
}

/// Checks the verdicts of a ruleset on a template, as `outcome path`.
#[track_caller]
fn verdicts(ruleset: &str, template: &str, expected: &[&str]) {
    let (rules, _) = read(ruleset, &[]);
    let (_sources, document) = document(template);
    let verdicts = RuleSet::new(rules).check(&document);
    let found: Vec<String> =
        verdicts.iter().map(|verdict| format!("{} {}", verdict.outcome.as_str(), verdict.path)).collect();
    assert_eq!(found, expected, "{ruleset}");
}

#[test]
fn a_rule_that_is_broken_passes_nowhere() {
    let template = |r: &str, q: &str| {
        format!(
            r#"{{"Resources": {{"R": {{"Type": "AWS::T::R", "Properties": {r}}},
            "Q": {{"Type": "AWS::T::R", "Properties": {q}}}}}}}"#
        )
    };
    let one = template(r#"{"A": "x", "B": "z"}"#, r#"{"A": "q", "B": "y"}"#);
    verdicts("AWS::T::R A == x", &one, &["failed Resources.Q.Properties.A"]);
    verdicts("AWS::T::R A == x |OR| AWS::T::R B == y", &one, &["passed "]);
    verdicts("AWS::T::R A == x", &template(r#"{"A": "x"}"#, "{}"), &["passed Resources.R"]);
    verdicts("AWS::T::R A == x", &template("{}", "{}"), &[]);
}

#[test]
fn a_condition_is_strict_and_named_at_the_end() {
    let when = "[N] is [5] and the permitted value is [6] when AWS::T::R A == x << c";
    check("AWS::T::R WHEN  A == x << c  CHECK N == 6", r#"{"A": "x", "N": 5}"#, &[when]);
    check("AWS::T::R WHEN A != y CHECK N == 6", r#"{"N": 5}"#, &[]);
    check("AWS::T::R WHEN L.* == y CHECK N == 6", r#"{"N": 5, "L": []}"#, &[]);
    check("AWS::T::R WHEN A == y CHECK N == 6", r#"{"A": "x", "N": 5}"#, &[]);
    check("AWS::T::R WHEN A == x CHECK Q == 6", r#"{"A": "x"}"#, &[]);
    check(
        "AWS::T::R WHEN A == x CHECK S == 6",
        r#"{"A": "x", "S": "when"}"#,
        &["[S] is [when] and the permitted value is [6] when AWS::T::R A == x"],
    );
}

#[test]
fn variables_hold_for_the_whole_ruleset() {
    check("AWS::T::R A == %v\nlet v = y\nlet v = x", r#"{"A": "x"}"#, &[]);
    check("let v = /^x$/\nAWS::T::R A != %v", r#"{"A": "x"}"#, &["[A] is [x] and the pattern [^x$] is not permitted"]);
    check("let v = [x,y]\nAWS::T::R A NOT_IN %v", r#"{"A": "x"}"#, &["[x] is in [x,y] which is not permitted for [A]"]);
    check("AWS::T::R N == 100.0", r#"{"N": 100}"#, &[]);
    check("let v = 100.0\nAWS::T::R N == %v", r#"{"N": 100}"#, &["[N] is [100] and the permitted value is [100.0]"]);
    check("let v = %w\nlet w = x\nAWS::T::R A == %v", r#"{"A": "x"}"#, &["[A] is [x] and the permitted value is [%w]"]);
}

#[track_caller]
fn check_environment(ruleset: &str, name: &str, value: &str, expected: &str) {
    let (rules, _) = read(ruleset, &[(name, value)]);
    let (_sources, document) = document(&resource(r#"{"A": "x", "N": 5}"#));
    let found: Vec<String> = RuleSet::new(rules).check(&document).into_iter().map(|verdict| verdict.message).collect();
    assert_eq!(found, [format!("[R] failed because {expected}")]);
}

#[test]
fn secrets_of_the_environment_are_masked() {
    check_environment("AWS::T::R A == %{STAGE}", "STAGE", "y", "[A] is [x] and the permitted value is [y]");
    check_environment("AWS::T::R A == %{STAGE}", "STAGE", "/x/", "[A] is [x] and the permitted value is [/x/]");
    check_environment("AWS::T::R A == %{SECRET}", "SECRET", "y", "[A] is [x] and the permitted value is [***]");
    check_environment("AWS::T::R A IN %{API_TOKEN}", "API_TOKEN", "y,z", "[x] is not in *** for [A]");
    check_environment("AWS::T::R N > %{API_KEY}", "API_KEY", "6", "[N] is [5] and the permitted value is [> ***]");
}

#[track_caller]
fn outcomes(ruleset: &str, properties: &str, expected: &str) {
    let (rules, _) = read(ruleset, &[]);
    let (_sources, document) = document(&resource(properties));
    let found: Vec<&str> =
        RuleSet::new(rules).check(&document).iter().map(|verdict| verdict.outcome.as_str()).collect();
    assert_eq!(found.join(" "), expected, "{ruleset} on {properties}");
}

#[test]
fn what_is_not_known_decides_only_where_it_can() {
    let some = r#"{"A": "<unknown>", "L": ["x", "<unknown>"], "N": 5}"#;
    outcomes("AWS::T::R A == x", some, "unknown");
    outcomes("AWS::T::R A.B.C != x", some, "unknown");
    outcomes("AWS::T::R L == x", some, "failed");
    outcomes("AWS::T::R L == [x, y]", some, "unknown");
    outcomes("AWS::T::R L == [y, y]", some, "failed");
    outcomes("AWS::T::R L != [y, y]", some, "passed");
    outcomes("AWS::T::R L.* == x", some, "passed");
    outcomes("AWS::T::R L.* == y", some, "unknown");
    outcomes("AWS::T::R L.* != x", some, "failed");
    outcomes("AWS::T::R A == x |OR| AWS::T::R N == 5", some, "passed");
    outcomes("AWS::T::R A == x |OR| AWS::T::R N == 6", some, "unknown");
    outcomes("AWS::T::R WHEN A == x CHECK N == 5", some, "passed");
    outcomes("AWS::T::R WHEN A == x CHECK N == 6", some, "unknown");
    outcomes("AWS::T::R A == %nothing", some, "failed");
    check("AWS::T::R A.B == %nothing", some, &["there is no value defined for [%nothing] to check [A.B] against"]);
    let unknown = messages("AWS::T::R A == x", &resource(some), false, Outcome::Unknown);
    assert_eq!(unknown, ["[R] may fail: [A] is not known before the deployment, because a test says so"]);
    let unknown = messages("AWS::T::R L == [x, y]", &resource(some), false, Outcome::Unknown);
    assert_eq!(unknown, ["[R] may fail: [L] is not known before the deployment, because a test says so"]);
    outcomes("AWS::T::R L == x]", r#"{"L": ["x"]}"#, "failed");
    check("AWS::T::R L == x", some, &["[L] is [[\"x\",{}]] and the permitted value is [x]"]);
}

/// A document with a property that has this value.
fn with_value(value: Value) -> Document {
    let (_, mut document) = document(&resource("{}"));
    let properties = Value::object(vec![Member::new("A", value)]);
    document.resources[0].body = Value::object(vec![Member::new("Properties", properties)]);
    document
}

/// Checks the outcome of a rule for `A` with this value or, for a rule about its items, with a list of it.
#[track_caller]
fn certain(value: &Value, rule: &str, expected: &str) {
    let (rules, _) = read(&format!("AWS::T::R {rule}"), &[]);
    let list = Value::array(vec![value.clone()]);
    let document = with_value(if rule.starts_with("A.*") { list } else { value.clone() });
    let verdicts = RuleSet::new(rules).check(&document);
    let found: Vec<String> =
        verdicts.iter().map(|verdict| format!("{}: {}", verdict.outcome.as_str(), verdict.message)).collect();
    assert!(found.join("; ").starts_with(expected), "{rule}: {found:?}");
}

#[test]
fn what_is_certain_of_an_unknown_decides() {
    let ends = Ends { start: "arn:".to_owned(), end: ":policy/Admin".to_owned(), is_filled: true, ..Ends::default() };
    let likely = Value::from("arn:${P}:policy/Admin");
    let partial = Value::unknown(Unknown::like(Kind::String, "a test says so", likely).between(ends));
    let choice =
        Value::unknown(Unknown::new(Kind::Int, "a test says so").one_of([Value::from(3_i64), Value::from(5_i64)]));
    let shown = "failed: [R] failed because [A.0] is [arn:${P}:policy/Admin] and the pattern";
    certain(&partial, "A.* != /:policy\\/Admin$/", shown);
    certain(&partial, "A == /:policy\\/Admin$/", "passed");
    certain(&partial, "A != /:policy\\/Read$/", "passed");
    certain(&partial, "A.* == /.+/", "passed");
    certain(&partial, "A NOT_IN [a, b]", "passed");
    certain(&partial, "A == arn:aws:policy/Admin", "unknown");
    certain(&partial, "A.B == x", "unknown");
    certain(&choice, "A >= 3", "passed");
    certain(&choice, "A >= 4", "unknown");
    certain(&choice, "A >= 6", "failed");
    certain(&choice, "A IN [3, 5]", "passed");
    certain(&partial, "A >= 3", "unknown");
    let object = |value: &Value| Value::object(vec![Member::new("k", value.clone()), Member::new("l", Value::from(1))]);
    certain(&object(&partial), r#"A == {"k": "x", "l": 1}"#, "failed");
    certain(&object(&partial), r#"A == {"k": "arn:x:policy/Admin", "l": 1}"#, "unknown");
    certain(&object(&choice), r#"A == {"k": 5, "l": 1}"#, "unknown");
    certain(&object(&choice), r#"A == {"k": 5, "l": 2}"#, "failed");
    certain(&object(&choice), r#"A == {"k": 5}"#, "failed");
    let list = Value::array(vec![partial]);
    certain(&list, "A == /x/", "unknown");
    certain(&list, "A >= 5", "unknown");
}

/// Checks an outcome like [`certain`], for a rule about the items of `A` where `A` is the value itself.
#[track_caller]
fn certain_items(value: &Value, test: &str, expected: &str) {
    let (rules, _) = read(&format!("AWS::T::R A.* {test}"), &[]);
    let verdicts = RuleSet::new(rules).check(&with_value(value.clone()));
    let found: Vec<String> =
        verdicts.iter().map(|verdict| format!("{}: {}", verdict.outcome.as_str(), verdict.message)).collect();
    assert!(found.join("; ").starts_with(expected), "{test}: {found:?}");
}

#[test]
fn what_may_be_a_list_is_tested_as_its_only_item() {
    let ends = Ends { start: "arn:".to_owned(), ..Ends::default() };
    let partial = Value::unknown(Unknown::new(Kind::String, "a test says so").between(ends));
    let unknown = Value::unknown(Unknown::new(Kind::Any, "a test says so"));
    certain_items(&partial, "== /^arn:/", "passed");
    certain_items(&partial, "!= /^arn:/", "failed: [R] failed because [A.] is");
    certain_items(&unknown, "!= x", "unknown: [R] may fail: [A.*] is not known");
}

#[test]
fn of_a_value_that_is_known_in_part_that_part_decides() {
    let known = Value::object(vec![Member::new("B", "x".into())]);
    let open = Value::unknown(Unknown::open("a test says so", known.clone()));
    certain(&open, "A.B == x", "passed");
    certain(&open, "A.B == y", "failed: [R] failed because [A.B] is [x]");
    certain(&open, "A.C == y", "unknown");
    certain(&open, "A == y", "unknown");
    let likely = Value::unknown(Unknown::like(Kind::Object, "a test says so", known));
    certain(&likely, "A.B == y", "unknown");
}

#[test]
fn ends_with_blanks_decide_nothing() {
    for (start, end, expected) in [
        ("a", "b", "failed"),
        (" a", "b", "unknown"),
        ("a", "b ", "unknown"),
        ("a\nb", "b", "unknown"),
        ("a", "b\nc", "unknown"),
    ] {
        let ends = Ends { start: start.to_owned(), end: end.to_owned(), is_filled: false, ..Ends::default() };
        let partial = Value::unknown(Unknown::new(Kind::String, "a test says so").between(ends));
        certain(&partial, "A == x", expected);
    }
}

#[test]
fn types_are_written_with_double_colons_for_both_clouds() {
    let azure = r#"{"Resources": {"st": {"type": "Microsoft.Sql/servers/databases", "Type": "Microsoft.Sql/servers/databases",
        "properties": {"minimalTlsVersion": "1.0"}}}}"#;
    let rule = "microsoft::Sql::servers::databases MinimalTlsVersion == 1.2";
    let expected = ["[st] failed because [minimalTlsVersion] is [1.0] and the permitted value is [1.2]"];
    assert_eq!(messages(rule, azure, false, Outcome::Failed), expected);
    check("aws::t::r A == y", r#"{"A": "x"}"#, &[]);
}

#[test]
fn a_verdict_points_at_the_value_and_at_the_rule() {
    let (rules, _) = read("AWS::T::R A.0 == y |OR| AWS::T::R B.C == 1", &[]);
    let (sources, document) = document(&resource("{\n\"A\":\n[\"x\"],\n\"B\": {}}"));
    let verdicts = RuleSet::new(rules).guard_strict(true).check(&document);
    let at = |span| sources.range(span).0.line;
    let found: Vec<_> = verdicts
        .iter()
        .map(|verdict| (verdict.path.as_str(), at(verdict.span), verdict.leaves[0].actual.as_ref()))
        .collect();
    let x = ValueExcerpt::new(&Value::from("x"));
    let expected = [("Resources.R.Properties.A[0]", 3, Some(&x)), ("Resources.R.Properties.B.C", 4, None)];
    assert_eq!(found, expected);
    let columns: Vec<u32> = verdicts.iter().filter_map(|verdict| Some(verdict.rule.definition?.start)).collect();
    assert_eq!(columns, [0, 24]);
    assert_eq!(verdicts[0].leaves[0].related.last().map(|label| label.message.as_str()), Some("the rule is here"));
}

#[test]
fn a_resource_that_is_perhaps_deployed_is_checked_as_if_it_were() {
    let (rules, _) = read("AWS::T::R A == y", &[]);
    let (_sources, mut document) = document(&resource(r#"{"A": "x"}"#));
    document.resources[0].presence = Presence::Maybe(Unknown::new(Kind::Bool, "it may be off").into());
    let verdicts = RuleSet::new(rules).check(&document);
    assert_eq!((verdicts.len(), verdicts[0].outcome), (1, Outcome::Failed));
    let expected = "[R] failed because [A] is [x] and the permitted value is [y]";
    assert_eq!(verdicts[0].message, expected);
}

#[test]
fn a_rule_ignores_what_its_exceptions_refer_to() {
    let template = |target: &str| {
        format!(
            r#"{{"Resources": {{
                "L": {{"Type": "AWS::T::Log", "Properties": {{"Target": "{target}"}}}},
                "Other": {{"Type": "AWS::T::Other", "Properties": {{"Target": "${{One}}"}}}},
                "One": {{"Type": "AWS::T::R", "Properties": {{"BucketName": "first"}}}},
                "Two": {{"Type": "AWS::T::R", "Properties": {{"BucketName": "second"}}}}}}}}"#
        )
    };
    let failed = |target: &str| {
        let ruleset = "# id: X-1\n# except: AWS::T::Log Target\nAWS::T::R BucketName == x << no";
        messages(ruleset, &template(target), false, Outcome::Failed)
    };
    let (one, two) =
        ("[One] failed because [BucketName] is [first] and no", "[Two] failed because [BucketName] is [second] and no");
    assert_eq!(failed("somewhere"), [one, two]);
    assert_eq!(failed("first"), [two]);
    assert_eq!(failed("${Two}"), [one]);
    assert_eq!(failed("${Two.Arn}"), [one]);
}

/// Returns the number of fixes that a rule has for a resource.
#[track_caller]
fn fixes(fix: &str, rule: &str, template: &str) -> usize {
    let (rules, problems) = read(&format!("# fix: {fix}\nAWS::T::R {rule}"), &[]);
    assert!(problems.is_empty(), "{problems:?}");
    let (_sources, document) = document(template);
    let verdicts = RuleSet::new(rules).guard_strict(true).check(&document);
    assert!(verdicts.iter().any(|verdict| verdict.outcome == Outcome::Failed), "{rule} holds");
    verdicts.iter().map(|verdict| verdict.value_fixes.len()).sum()
}

#[test]
fn a_fix_says_where_like_a_rule_does() {
    let nested = resource(r#"{"A": 1, "L": [{"B": 1}, {"B": 2}]}"#);
    assert_eq!(fixes("A = 2", "A == 2", &nested), 1);
    assert_eq!(fixes("L.0.B = 2", "L.0.B == 2", &nested), 1);
    assert_eq!(fixes("L.*.B = 2", "L.*.B == 3", &nested), 1);
    let kept = r#"{"Resources": {"R": {"Type": "AWS::T::R", "DeletionPolicy": "Delete", "Properties": {}}}}"#;
    assert_eq!(fixes(".DeletionPolicy = \"Retain\"", ".DeletionPolicy == Retain", kept), 1);
}
