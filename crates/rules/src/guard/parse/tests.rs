//! Tests of the errors in rulesets, and their positions.

#![expect(clippy::string_slice, reason = "a test should panic on a wrong span")]

use crate::diagnostic::Level;
use crate::guard::parse::parse_line;
use crate::guard::testing::read;
use crate::text::{FileId, Sources};

/// Problems as `line:column level message`.
fn problems(text: &str, environment: &[(&str, &str)]) -> Vec<String> {
    let sources = Sources::new();
    let _: FileId = sources.add("case.ruleset", text);
    let (_, problems) = read(text, environment);
    let shown = problems.iter().map(|problem| {
        let start = sources.range(problem.primary.span).0;
        format!("{}:{} {} {}", start.line, start.column, problem.level.as_str(), problem.message)
    });
    shown.collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(problems(text, &[]), expected, "{text}");
}

#[test]
fn what_follows_the_grammar_has_no_problem() {
    check("", &[]);
    check("# a comment\r\n\r\n  # another\n", &[]);
    check("let a = 1\nlet\tb\t=\t[\"x\", 2]\r\nlet c = a text # with this", &[]);
    check("let b = 1\nAWS::T::R\tA\t!=\t%b\nAWS::T::R A.*.0.b_c IN [a, b] << a message", &[]);
    check("let a = 1\nAWS::T::R .DeletionPolicy == Retain|OR| AWS::T::R N <= %a", &[]);
    check("AWS::T::R WHEN A == /x/ << m CHECK N NOT_IN 1,2 << n |AND| AWS::T::R N > -1.5e3", &[]);
    check("Microsoft::Storage::storageAccounts minimumTlsVersion == TLS1_2", &[]);
    check("AWS::T::R WHEN == x", &[]);
    check("AWS::T::R P == a\\/b", &[]);
    check(r"AWS::T::R P == /a\/b/", &[]);
}

#[test]
fn everything_wrong_is_told_at_once_with_its_place() {
    check(
        "let = 5\nAWS::T::R A = x\nAWS::T::R B == /(/\nAWS::T::R C < many |AND| AWS::T::R D == %x",
        &[
            "1:5 error `=` is not allowed in the name of a variable; expected letters, digits and `_`",
            "2:13 error `=` is not an operator, did you mean `==`?",
            "3:17 error invalid pattern: unclosed group",
            "4:15 error expected a number after `<`, found `many`",
            "4:41 warning no value is defined for `%x`",
        ],
    );
}

#[test]
fn a_problem_has_a_code_and_says_what_to_do() {
    let first = |text: &str| {
        let (_, problems) = read(text, &[]);
        let problem = problems.into_iter().next().expect("there is a problem");
        format!("{}: {}", problem.code.as_str(), problem.help.unwrap_or_default())
    };
    assert_eq!(first("AWS::T::R A==x"), "rule/syntax: put blanks around the operator");
    let types = "rule/syntax: the type belongs at the start of the rule only; `*` reaches members of any name";
    assert_eq!(first("AWS::T::R a:b == x"), types);
    let or = "rule/syntax: `TYPE PATH == VALUE |OR| TYPE PATH == VALUE` tests one of two properties";
    assert_eq!(first("AWS::T::R A|B == x"), or);
    assert_eq!(first("AWS::T::R a-b == x"), "rule/syntax: `*` reaches members of any name");
    assert_eq!(first("AWS::T::R N < many"), "rule/invalid: ");
    assert_eq!(first("AWS::T::R A == x # why"), "rule/suspicious: ");
}

#[test]
fn words_of_later_versions_are_types_and_values() {
    check("rule A == x", &["1:1 warning no resource is of type `rule`"]);
    check("AWS::T::R A == {}", &[]);
}

#[test]
fn a_message_begins_at_the_last_word_that_begins_it() {
    check("AWS::T::R A != x <<< m", &["1:20 warning the message begins with `<`: two characters begin a message"]);
    check("AWS::T::R A != x <<m", &[]);
    check("AWS::T::R A != {'a': 1}", &["1:16 warning this is a string, not an object: it is not JSON"]);
}

#[test]
fn objects_in_a_list_are_json() {
    check("AWS::T::R A NOT_IN [a,{\"Ref\":\"X\"}]", &[]);
    check("AWS::T::R A IN [[\"a\"],b]", &[]);
    check("AWS::T::R A IN [\"a[\", \"b\"]", &[]);
    check("AWS::T::R A IN [a, [b]", &["1:16 warning the brackets around the list do not match"]);
    let quotes = "1:16 warning quotes are part of the elements, since the list is not JSON";
    check("AWS::T::R A IN [a,{\"Ref\":\"X\"},\"b\"]", &[quotes]);
    check("AWS::T::R A IN [a,{'Ref':'X'}]", &[quotes]);
}

#[test]
fn alternatives_about_several_types_are_pointed_at() {
    check(
        "AWS::T::R A == x |OR| AWS::T::Q A == x",
        &[
            "1:23 warning the alternatives are about `AWS::T::R` and `AWS::T::Q`: one has to hold for all resources of its \
           type in the template",
        ],
    );
    check("AWS::T::R A == x |AND| AWS::T::Q A == x", &[]);
}

#[test]
fn assignments_have_one_form() {
    check("let", &["1:1 error expected a name after `let`"]);
    check("let v", &["1:1 error expected `=` and a value after the name"]);
    check("let v =", &["1:7 error expected a value after `=`"]);
    check("let v == x", &["1:7 error expected `=`, found `==`"]);
    check("let a-b = x", &["1:5 error `-` is not allowed in the name of a variable; expected letters, digits and `_`"]);
    check("LET v = x", &["1:7 error `=` is not an operator, did you mean `==`?"]);
    let twice = "2:5 warning `v` already has a value; the last one counts, also for the rules before it";
    check("let v = x\nlet v = y", &[twice]);
}

#[test]
fn rules_need_all_their_parts() {
    check("AWS::T::R", &["1:1 error `AWS::T::R` is not a rule"]);
    check("AWS::T::R A", &["1:11 error `A` is not a rule"]);
    check("AWS::T::R A ==", &["1:11 error expected a value after `==`"]);
    check("AWS::T::R A in [x]", &["1:13 error `in` is not an operator, did you mean `IN`?"]);
    check("AWS::T::R A NOT [x]", &["1:13 error `NOT` is not an operator"]);
    check("AWS::T::R A NOT IN [x]", &["1:13 error `NOT` is not an operator, did you mean `NOT_IN`?"]);
    check("AWS::T::R A==x", &["1:12 error `=` is not allowed in a path; expected letters, digits, `_` and dots"]);
    check("AWS::T::R a:b == x", &["1:12 error `:` is not allowed in a path; expected letters, digits, `_` and dots"]);
    check("AWS::T::R A|B == x", &["1:12 error `|` is not allowed in a path; expected letters, digits, `_` and dots"]);
    check("AWS::T::R P.*Ports == x", &["1:13 error a wildcard must be alone between dots, found `*Ports`"]);
    check("AWS::T::R ** == x", &["1:11 error a wildcard must be alone between dots, found `**`"]);
    check(
        "AWS::T::R A == x\rAWS::T::R N == 6",
        &["1:17 error a lone carriage return does not end a line; expected a line feed"],
    );
    check(&format!("AWS::T::R {}A == x", "A.".repeat(63)), &[]);
    check(&format!("AWS::T::R {}A == x", "A.".repeat(64)), &["1:11 error the path has more than 64 names"]);
}

#[test]
fn clauses_join_whole_rules() {
    check("AWS::T::R A == x |OR|", &["1:18 error expected a rule after `|OR|`"]);
    check("|OR| AWS::T::R A == x", &["1:1 error expected a rule before `|OR|`"]);
    check("AWS::T::R A == x |OR| N == 5", &["1:23 error expected a resource type before the path `N`"]);
    check(
        "AWS::T::R A == x |AND| AWS::T::R N == 5 |OR| AWS::T::R T == z",
        &["1:41 error one line cannot have both `|OR|` and `|AND|`"],
    );
    for (line, second) in [
        ("AWS::T::R A == x |AND| AWS::T::R N == 5 |OR| AWS::T::R T == z", "|OR|"),
        ("AWS::T::R A == x |OR| AWS::T::R N == 5 |AND| AWS::T::R T == z", "|AND|"),
    ] {
        let (_, problems) = read(line, &[]);
        let span = problems[0].primary.span;
        assert_eq!(&line[span.start as usize..span.end as usize], second);
    }
}

#[test]
fn conditions_stand_between_type_and_check() {
    check("WHEN A == x CHECK N == 6", &["1:1 error expected a resource type before `WHEN`"]);
    check("AWS::T::R WHEN A == x", &["1:11 error expected a comparison, `CHECK` and a comparison after `WHEN`"]);
    check("AWS::T::R WHEN CHECK N == 6", &["1:16 error expected a comparison"]);
    check("AWS::T::R WHEN A == x CHECK", &["1:28 error expected a comparison"]);
    check("AWS::T::R When A == x Check N == 6", &["1:11 error `When` is not a keyword, did you mean `WHEN`?"]);
    check(
        "AWS::T::R WHEN AWS::T::R A == x CHECK N == 6",
        &["1:16 error the type belongs before `WHEN` only, found `AWS::T::R`"],
    );
    check(
        "AWS::T::R WHEN A == x CHECK AWS::T::R N == 6",
        &["1:29 error the type belongs before `WHEN` only, found `AWS::T::R`"],
    );
    check("AWS::T::R WHEN A == x CHECK N == 5 CHECK N == 6", &["1:36 error a rule has one `CHECK`"]);
    check(
        "AWS::T::R WHEN A == x CHECK WHEN N == 5 CHECK S == z",
        &["1:29 error a condition cannot contain another condition"],
    );
    check("AWS::T::R WHEN S == a CHECK b CHECK N == 6", &[]);
    check("AWS::T::R WHEN A == x CHECK N == 6 << then check N == 7", &[]);
    check("AWS::T::R when A == x CHECK N == 6", &["1:11 warning write the keyword in capitals: `WHEN`"]);
    check("AWS::T::R WHEN A == %v CHECK N == 6", &["1:21 error no value is defined for `%v`"]);
}

#[test]
fn numbers_and_patterns_are_checked_where_they_are_used() {
    check("AWS::T::R N < /5/", &["1:15 error expected a number after `<`, found `/5/`"]);
    check("let n = [1,2]\nAWS::T::R N < %n", &["2:15 error expected a number after `<`, found `[1,2]` in `%n`"]);
    check("AWS::T::R N < NaN", &["1:15 error expected a number after `<`, found `NaN`"]);
    check("AWS::T::R N < +5", &["1:15 warning `+5` is not a JSON number"]);
    check(
        "AWS::T::R P == /(?!x)abc/",
        &["1:17 error invalid pattern: look-around, including look-ahead and look-behind, is not supported"],
    );
    check(r"AWS::T::R P == /a\p{Foo}/", &["1:18 error invalid pattern: Unicode property not found"]);
    check(r"AWS::T::R P == /(a)\1/", &["1:20 error invalid pattern: backreferences are not supported"]);
    check("AWS::T::R P == /(a{1000}){1000}/", &["1:17 error the pattern is too large"]);
    check("let r = /[/\nAWS::T::R P == %r", &["1:10 error invalid pattern: unclosed character class"]);
}

#[test]
fn what_is_hardly_meant_is_a_warning() {
    check("storage A == x", &["1:1 warning no resource is of type `storage`"]);
    check("AWS::T::R A. == x", &["1:11 warning the path ends at the missing name; what follows is ignored"]);
    check(
        "AWS::T::R Ta* == x",
        &["1:11 warning `Ta*` is not in the grammar; it matches all names that begin with `Ta`"],
    );
    check("AWS::T::R A == x and y", &[]);
    check("AWS::T::R A == x b::c", &[]);
    check("AWS::T::R A == x # why", &["1:18 warning this is part of the value: a comment needs a line of its own"]);
    check(
        "AWS::T::R A == x |or| AWS::T::R B == y",
        &["1:16 warning this is one value: rules are joined by `|OR|` and `|AND|`"],
    );
    check(
        "AWS::T::R A == x OR AWS::T::R B == y",
        &["1:18 warning this is part of the value: rules are joined by `|OR|`"],
    );
    let glued = "1:16 warning this is part of the value: a message begins at the last `<<` with a blank before it";
    check("AWS::T::R A == x<< m", &[glued]);
    check("AWS::T::R A == x << m << n", &[glued]);
    check("AWS::T::R A == /var/log", &["1:16 warning this is a string, not a pattern: it does not end with `/`"]);
    check("AWS::T::R A IN [a,b", &["1:16 warning the brackets around the list do not match"]);
    check("AWS::T::R A IN [a,\"b\"]", &["1:16 warning quotes are part of the elements, since the list is not JSON"]);
}

#[test]
fn a_reference_to_nothing_is_told_with_what_was_probably_meant() {
    check(
        "let limit = 5\nAWS::T::R A == %limt",
        &["2:16 warning no value is defined for `%limt`, did you mean `limit`?"],
    );
    check("AWS::T::R A == %{HOME}", &["1:16 warning no value is defined for `%{HOME}`"]);
    assert_eq!(problems("AWS::T::R A == %{HOME}", &[("HOME", "/")]), [""; 0]);
    check("AWS::T::R A == %", &["1:16 error expected a variable after `%`"]);
}

#[test]
fn a_rule_is_called_after_its_file_and_line_and_described_by_its_words() {
    let (rules, _) =
        read("# Volumes cost money.\n# So keep them small.\nAWS::EC2::Volume Size <= 100 << too large", &[]);
    let info = rules[0].info();
    assert_eq!((info.id.as_str(), info.name.as_str()), ("case:3", "AWS::EC2::Volume Size"));
    assert_eq!(info.short_description, "too large");
    assert_eq!(info.full_description, "Volumes cost money. So keep them small.");
    assert_eq!(info.resource_types, ["AWS::EC2::Volume"]);
}

#[test]
fn any_beginning_of_a_ruleset_is_read_without_a_panic() {
    let text = "let ä = %{é}\r\nAWS::T::R WHEN .A.*.b* == /ü(/ << m CHECK N NOT_IN [\"x\", 1] << ö |OR| A B < 1e9\n%{";
    for end in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
        let (_, problems) = read(&text[..end], &[]);
        assert!(problems.iter().all(|problem| problem.level != Level::Note));
    }
}

#[test]
fn one_line_is_one_rule() {
    assert!(parse_line("AWS::T::R A == 1").is_some());
    assert!(parse_line("AWS::T::R A == 1 |OR| AWS::T::R A == 2").is_some());
    assert!(parse_line("AWS::T::R A == 1\nAWS::T::R B == 2").is_none());
    assert!(parse_line("AWS::T::R A == 1\nAWS::T::R").is_none());
    assert!(parse_line("AWS::T::R").is_none());
    assert!(parse_line("").is_none());
}
