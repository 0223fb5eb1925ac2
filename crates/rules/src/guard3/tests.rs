//! Rules on documents.

use crate::guard3::{Program, Status, Statuses, read};
use crate::text::Sources;

fn run(rules: &str, document: &str) -> Result<Statuses, String> {
    let sources = Sources::new();
    let file = sources.add("t.yaml", document);
    let document = read(file, sources.get(file).text(), 64).ok_or("the document is not YAML")?;
    Program::new(sources.add("t.guard", rules), rules)?.statuses(document)
}

/// The verdicts of rules on a document, as `name PASS`.
#[track_caller]
pub(super) fn verdicts(rules: &str, document: &str) -> Vec<String> {
    let statuses = run(rules, document).expect("the rules run");
    statuses.into_iter().map(|(name, status)| format!("{name} {}", status.as_str())).collect()
}

#[track_caller]
fn check(rule: &str, document: &str, expected: Status) {
    let rules = format!("rule r {{ {rule}\n}}");
    assert_eq!(verdicts(&rules, document), [format!("r {}", expected.as_str())], "{rule} on {document}");
}

#[test]
fn kinds_that_cannot_be_compared_fail_both_ways() {
    check("A == '5'", "A: 5", Status::Fail);
    check("A != '5'", "A: 5", Status::Fail);
    check("A not in ['5']", "A: 5", Status::Pass);
    check("A == 5.0", "A: 5", Status::Pass);
}

#[test]
fn what_is_missing_fails_unless_it_is_asked_for() {
    check("A.B == 1", "A: {}", Status::Fail);
    check("A.B !exists", "A: {}", Status::Pass);
    check("A[ B == 1 ].C == 1", "A: [{B: 2}]", Status::Skip);
    check("A[ B == 1 ] empty", "A: [{B: 2}]", Status::Pass);
}

#[test]
fn or_binds_stronger_than_and() {
    check("A == 1 or A == 2\n B == 3", "{A: 2, B: 3}", Status::Pass);
    check("A == 1 or A == 2\n B == 4", "{A: 2, B: 3}", Status::Fail);
}

#[test]
fn some_asks_for_one_value() {
    check("some A[*] == 1", "A: [1, 2]", Status::Pass);
    check("A[*] == 1", "A: [1, 2]", Status::Fail);
}

#[test]
fn a_skipped_rule_fails_an_assertion_and_skips_a_condition() {
    let rules = "rule a when A == 2 { A exists }\nrule b { a\n}\nrule c when a { A exists }\nrule d { not a\n}";
    assert_eq!(verdicts(rules, "A: 1"), ["a SKIP", "b FAIL", "c SKIP", "d FAIL"]);
}

#[test]
fn names_are_found_in_other_cases() {
    check("block_device == 1", "BlockDevice: 1", Status::Pass);
    check("Policies == 1", "Policy: 1", Status::Pass);
}

#[test]
fn rules_with_parameters_see_the_variables_of_their_callers() {
    let rules = "rule p(x) { %x == %y }\nrule r { let y = 1\n p(A) }";
    assert_eq!(verdicts(rules, "A: 1"), ["r PASS"]);
}

#[test]
fn a_type_selects_resources() {
    let rules = "AWS::S3::Bucket { Properties.Name == 'a' }";
    let document = "Resources: {B: {Type: 'AWS::S3::Bucket', Properties: {Name: b}}}";
    assert_eq!(verdicts(rules, document), ["default FAIL"]);
    assert_eq!(verdicts(rules, "Resources: {}"), ["default SKIP"]);
}

#[test]
fn a_filter_by_type_selects_what_any_filter_selects() {
    let document = "Resources: {A: {Type: 'A::B::C'}, B: {type: 'A::B::C'}, C: {Type: 'A::B::D'}, D: {Type: 5}}";
    for filter in ["Type == 'A::B::C'", "Type in ['A::B::C']", "Type == /^A::B::C$/"] {
        for step in ["Resources", "Resources.*"] {
            let rules = format!("let all = {step}[ {filter} ]\nrule r {{ let n = count(%all)\n %n == 2 }}");
            assert_eq!(verdicts(&rules, document), ["r PASS"], "{rules}");
        }
    }
}

#[test]
fn lines_in_brackets_may_begin_in_any_column() {
    check("A.B == 1", "A: {\nB: 1\n}", Status::Pass);
}

#[test]
fn recursion_ends() {
    let rules = "rule p(x) { p(%x)\n}\nrule r { p(A)\n}";
    assert!(run(rules, "A: 1").is_err());
}

/// The warnings about a file of rules.
fn warnings(rules: &str) -> Vec<String> {
    let sources = Sources::new();
    let (_, problems) = super::parse(sources.add("t.guard", rules), "t.guard", rules);
    problems.into_iter().map(|problem| problem.message).collect()
}

#[test]
fn what_was_probably_not_meant_is_a_warning() {
    let cases = [
        ("rule r { not some A[*] == 1 }", "`not some` negates"),
        ("let l = ['a']\nrule r { some %l == 'a' }", "`%l` is a list of literals"),
        ("let l = ['a']\nrule r { %l[*] == 'a' }", "`%l[*]` is `%l`"),
        ("rule r { Tags[*][ Key == 'a' ] exists }", "cfn-guard evaluates a filter after `[*]`"),
        ("rule r { Resources[B1].Type exists }", "`[B1]` means each member"),
        ("rule p(x) { %x == %y }\nrule r { let y = 1\n p(A) }", "`%y` is a variable of the rules that call"),
        ("rule r { Resources.*.ResourceProperties exists }", "`r` cannot apply to a template"),
    ];
    for (rules, expected) in cases {
        let found = warnings(rules);
        assert!(matches!(&*found, [only] if only.starts_with(expected)), "{rules}: {found:?}");
    }
}

#[test]
fn what_templates_have_is_no_matter_of_hooks() {
    let both = "let t = 'A::B::C'\nlet all = Resources.*[ Type == %t ]\nlet input = this\n\
                rule r { %all exists\n %input.%t.resourceProperties !exists }\nrule s { Resources[name] { %name exists } }";
    assert_eq!(warnings(both), [""; 0]);
}

#[test]
fn each_rule_is_looked_at_for_hooks() {
    let cases = [
        ("rule h { resourceProperties exists }\nrule t { Resources.*.Type exists }", &["h"][..]),
        ("rule h { resourceProperties exists }\nrule t { Resources exists }", &["h"]),
        (
            "let input = resourceProperties\nrule h { %input exists }\nrule t { AWS::S3::Bucket { Tags exists } }",
            &["h"],
        ),
        ("let all = Resources.*[ Type exists ]\nrule t { %all.ResourceType exists }", &[]),
        ("rule p(x) { %x.Properties exists }\nrule t { p(ResourceType) }", &[]),
    ];
    for (rules, expected) in cases {
        let names: Vec<_> =
            warnings(rules).iter().filter_map(|found| found.split('`').nth(1)?.to_owned().into()).collect();
        assert_eq!(names, expected, "{rules}");
    }
}

#[test]
fn a_list_is_not_meant_where_another_variable_has_its_name() {
    let cases = [
        "let l = ['a']\nrule r { let l = Resources.*\n %l[*] exists }",
        "let l = ['a']\nrule p(l) { some %l == 'a' }\nrule r { p(Resources.*) }",
        "let l = ['a']\nrule r { Resources.*[ l | Type exists ] { some %l == 'a' } }",
    ];
    for rules in cases {
        assert_eq!(warnings(rules), [""; 0], "{rules}");
    }
    let inner = "rule r { let l = ['a']\n some %l == 'a' }";
    assert!(matches!(&*warnings(inner), [only] if only.starts_with("`%l` is a list of literals")));
}

#[test]
fn the_fix_of_a_message_is_the_recommendation() {
    let rules =
        "rule r {\n A == 1 << Violation: no Fix: Set A. >>\n B == 1 << [FIX]: Set B. >>\n C == 1 << Fix: Set A. >>\n}";
    let sources = Sources::new();
    let (found, _) = super::parse(sources.add("t.guard", rules), "t.guard", rules);
    let recommendations: Vec<_> = found.iter().map(|rule| rule.info().recommendation.as_deref()).collect();
    assert_eq!(recommendations, [Some("Set A. Set B.")]);
}

#[test]
fn the_recommendations_of_many_messages_are_bounded() {
    let clauses = |count: usize, fix: &str| -> String {
        let clauses: Vec<String> = (0..count).map(|number| format!("A == 1 << Fix: {fix} {number}. >>\n")).collect();
        clauses.concat()
    };
    let of = |clauses: String| {
        let rules = format!("rule r {{\n{clauses}}}");
        let sources = Sources::new();
        let (found, _) = super::parse(sources.add("t.guard", &*rules), "t.guard", &rules);
        found[0].info().recommendation.clone().unwrap()
    };
    assert_eq!(of(clauses(20_000, "Set")), "Set 0. Set 1. Set 2. Set 3. Set 4. Set 5. Set 6. Set 7.");
    let long = of(clauses(3, &"é".repeat(1500)));
    assert_eq!((long.chars().count(), long.ends_with("é…")), (2001, true));
}
