//! What is read, what is refused, and with which words.

#![expect(clippy::string_slice, reason = "a test should panic on a wrong span")]

use std::fmt::Write as _;

use arcstr::ArcStr;

use super::*;
use crate::text::{Sources, Span};
use crate::value::{Data, Traits};

const DEPTH: u32 = 16;

fn read(text: &str) -> (Parsed, Sources) {
    let sources = Sources::new();
    let file = sources.add("a.json", text);
    let shared = sources.get(file).text().clone();
    (parse(file, &shared, DEPTH), sources)
}

#[track_caller]
fn value(text: &str) -> Value {
    let (parsed, _) = read(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.value.expect("the text is valid")
}

/// Each diagnostic as `line:column-column message`, its labels and its help on lines of their own.
fn report(text: &str) -> String {
    let (parsed, sources) = read(text);
    let place = |span: Span| {
        let (from, to) = sources.range(span);
        format!("{}:{}-{}", from.line, from.column, to.column)
    };
    let mut report = String::new();
    for it in &parsed.diagnostics {
        let _ = writeln!(report, "{} {}", place(it.primary.span), it.message);
        for label in &it.secondary {
            let _ = writeln!(report, "{} {}", place(label.span), label.message);
        }
        if let Some(help) = &it.help {
            let _ = writeln!(report, "help: {help}");
        }
    }
    report
}

#[track_caller]
fn reads(text: &str, json: &str) {
    assert_eq!(value(text).to_json(), json);
}

#[track_caller]
fn fails(text: &str, lines: &[&str]) {
    assert!(read(text).0.value.is_none(), "{text}");
    assert_eq!(report(text).lines().collect::<Vec<_>>(), lines);
}

#[test]
fn every_kind_of_value_is_read() {
    reads(
        r#" {"a": [1, -2.5, true, false, null, "x", {}], "": []} "#,
        r#"{"a":[1,-2.5,true,false,null,"x",{}],"":[]}"#,
    );
    reads("7", "7");
}

#[test]
fn whole_numbers_are_integers_while_they_fit() {
    assert!(matches!(value("9223372036854775807").data, Data::Int(i64::MAX)));
    assert!(matches!(value("-9223372036854775808").data, Data::Int(i64::MIN)));
    assert!(matches!(&value("9223372036854775808").data, Data::BigInt(it) if it == "9223372036854775808"));
    assert!(matches!(value("-0").data, Data::Int(0)));
    assert!(matches!(value("1.0").data, Data::Float(1.0)));
    assert!(matches!(value("1E+2").data, Data::Float(100.0)));
    assert!(matches!(value("0.5e-1").data, Data::Float(0.05)));
}

#[test]
fn comments_trailing_commas_and_odd_blanks_are_skipped() {
    reads("// first\n[1, /* * / */ 2,] // last", "[1,2]");
    reads("{\"a\": 1, // why\r\n}/**/", r#"{"a":1}"#);
    reads("// why\r{\"a\": 1}", r#"{"a":1}"#);
    reads("{\u{a0}\"a\"\u{b}:\u{c}\u{3000}1}", r#"{"a":1}"#);
}

#[test]
fn strings_keep_their_line_breaks_and_control_characters() {
    reads("\"a\nb\r\nc\td\u{1}\"", r#""a\nb\r\nc\td\u0001""#);
}

#[test]
fn single_quotes_and_bare_keys_are_read_as_newtonsoft_does() {
    reads(r#"{'a': 'x"y', b_1: '\'', $é2: "'"}"#, r#"{"a":"x\"y","b_1":"'","$é2":"'"}"#);
}

#[test]
fn escapes_are_decoded() {
    reads(r#""\"\\\/\b\f\n\r\t\u00e9\u00E9""#, r#""\"\\/\b\f\n\r\téé""#);
    reads(r#""\ud834\uDD1E 𝄞""#, "\"𝄞 𝄞\"");
}

#[test]
fn half_a_surrogate_pair_is_the_replacement_character() {
    reads(r#""\ud834""#, "\"\u{fffd}\"");
    reads(r#""\udd1ex""#, "\"\u{fffd}x\"");
    reads(r#""\ud834\ud834\udd1e""#, "\"\u{fffd}𝄞\"");
    reads(r#""\ud834\u0041""#, "\"\u{fffd}A\"");
}

#[test]
fn strings_without_escapes_share_the_text() {
    let (parsed, sources) = read(r#"{"key": ["plain", "\u0041"]}"#);
    let object = parsed.value.expect("the text is valid");
    let owner = sources.get(object.span.expect("it was written").file).text().as_ptr().addr();
    let member = object.as_object().and_then(|value| value.member("key")).expect("it is there");
    assert_eq!(member.key.address(), (owner, 2));
    let items = member.value.as_array().expect("it is an array");
    let address = |at: usize| items[at].as_shared_str().expect("it is a string").address();
    assert_eq!(address(0), (owner, 10));
    assert_ne!(address(1).0, owner);
}

#[test]
fn spans_hold_quotes_and_brackets_and_count_bytes() {
    let text = r#"{ "é𝄞": [ "ü", -1.5 ] , b : null }"#;
    let parsed = read(text).0.value.expect("the text is valid");
    let slice = |span: Option<Span>| {
        let span = span.expect("it was written");
        &text[span.start as usize..span.end as usize]
    };
    assert_eq!(slice(parsed.span), text);
    let members: Vec<_> = parsed.as_object().expect("it is an object").iter().collect();
    assert_eq!(slice(members[0].key_span), r#""é𝄞""#);
    assert_eq!(slice(members[0].value.span), r#"[ "ü", -1.5 ]"#);
    assert_eq!(slice(members[1].key_span), "b");
    assert_eq!(slice(members[1].value.span), "null");
    let items = members[0].value.as_array().expect("it is an array");
    assert_eq!(slice(items[0].span), r#""ü""#);
    assert_eq!(slice(items[1].span), "-1.5");
}

#[test]
fn expressions_and_copy_loops_mark_all_that_holds_them() {
    let dynamic = |text: &str| value(text).traits.has(Traits::DYNAMIC);
    assert!(dynamic(r#""[x]""#));
    assert!(dynamic(r#""[[x]""#));
    assert!(dynamic(r#"[1, {"a": ["[x]"]}]"#));
    assert!(dynamic(r#"{"[x]": 1}"#));
    assert!(dynamic(r#"[{"COPY": 1}]"#));
    assert!(!dynamic(r#"{"a": " [x]", "copyright": ["x["]}"#));
    let mixed = value(r#"{"a": "[x]", "b": "x"}"#);
    assert!(!mixed.get("b").expect("it is there").traits.has(Traits::DYNAMIC));
}

#[test]
fn computed_texts_have_neither_spans_nor_expressions() {
    let text = ArcStr::from(r#"{'a': "[x]", 'a': 1}"#);
    let value = parse_computed(&text, DEPTH).expect("the text is valid");
    assert_eq!((value.span, value.traits), (None, Traits::NONE));
    assert_eq!(value.to_json(), r#"{"a":"[x]","a":1}"#);
    let error = parse_computed(&ArcStr::from("{"), DEPTH).expect_err("it is not closed");
    assert_eq!(error, "expected a key in double quotes or `}`, found the end of the text");
}

#[test]
fn texts_without_a_value_are_refused() {
    fails("", &["1:1-1 the text is empty, expected a JSON value"]);
    fails(" \n// x\n", &["1:1-1 the text has nothing but blanks and comments, expected a JSON value"]);
}

#[test]
fn a_missing_value_says_what_stands_there() {
    fails("}", &["1:1-2 expected a value, found `}`"]);
    fails("{\"a\": }", &["1:7-8 expected a value after `:`, found `}`", "1:1-2 this `{` is still open"]);
    fails("[1,,2]", &["1:4-5 expected a value or `]`, found `,`"]);
    fails("[\u{1}]", &[r"1:2-3 expected a value or `]`, found \u{1}"]);
    fails("[True]", &["1:2-6 expected a value or `]`, found `True`", "help: write it in lower case"]);
    fails("{\"a\": yes}", &["1:7-10 expected a value after `:`, found `yes`", "help: put strings in double quotes"]);
}

#[test]
fn a_missing_comma_or_colon_is_named() {
    fails(
        "{\"a\": 1\n \"b\": 2}",
        &["2:2-3 expected `,` or `}` after a member, found `\"`", "help: put a `,` between the two"],
    );
    fails("[1 2]", &["1:4-5 expected `,` or `]` after an item, found `2`", "help: put a `,` between the two"]);
    fails("{\"a\" 1}", &["1:6-7 expected `:` after a key, found `1`"]);
    fails("{,}", &["1:2-3 expected a key in double quotes or `}`, found `,`"]);
}

#[test]
fn open_brackets_are_shown() {
    fails(
        "{\n  \"a\": [\n",
        &["3:1-1 expected a value or `]`, found the end of the text", "2:8-9 this `[` is not closed"],
    );
    fails("[{\"a\": 1]", &["1:9-10 expected `,` or `}` after a member, found `]`", "1:2-3 this `{` is still open"]);
    fails(
        "[[1], 2",
        &["1:8-8 expected `,` or `]` after an item, found the end of the text", "1:1-2 this `[` is not closed"],
    );
}

#[test]
fn open_strings_and_comments_are_shown() {
    fails(
        "[\"abc",
        &["1:6-6 the text ends inside a string, expected its closing quote", "1:2-3 the string begins here"],
    );
    fails(r#""\"#, &["1:2-3 `\\` is not an escape of JSON", "help: write `\\\\` for a backslash"]);
    fails("[1 /* 2]", &["1:4-6 the comment is not closed, expected `*/` before the end of the text"]);
    fails("[1 / 2]", &["1:4-5 expected `,`, a bracket or a comment, found `/`"]);
}

#[test]
fn a_string_over_several_lines_is_suspected() {
    fails(
        "{\n \"a\": \"x,\n \"b\": 1\n}",
        &[
            "3:3-4 expected `,` or `}` after a member, found `b`",
            "2:7-8 the string that begins here runs over the end of its line: is its closing quote missing?",
        ],
    );
}

#[test]
fn wrong_escapes_are_shown_whole() {
    let help = "help: write `\\\\` for a backslash";
    fails(r#""C:\Windows""#, &["1:4-6 `\\W` is not an escape of JSON", help]);
    fails(r#""\u12G4""#, &["1:2-8 `\\u12G4` is not an escape; expected four hexadecimal digits after `\\u`", help]);
    fails(r#""\u1""#, &["1:2-5 `\\u1` is not an escape; expected four hexadecimal digits after `\\u`", help]);
    fails("\"\\𝄞\"", &["1:2-5 `\\𝄞` is not an escape of JSON", help]);
}

#[test]
fn wrong_numbers_are_shown_whole() {
    fails("01", &["1:1-3 `01` is not a JSON number", "help: remove the leading zero"]);
    fails("[1.]", &["1:2-4 `1.` is not a JSON number", "help: write a digit after the point"]);
    fails("-", &["1:1-2 `-` is not a JSON number", "help: begin a number with a digit, or with `-` and a digit"]);
    fails("+1.5", &["1:1-5 `+1.5` is not a JSON number", "help: begin a number with a digit, or with `-` and a digit"]);
    fails("1e", &["1:1-3 `1e` is not a JSON number", "help: end the exponent with digits"]);
    fails("2024-01-01", &["1:1-11 `2024-01-01` is not a JSON number", "help: put strings in double quotes"]);
    fails("1e999", &["1:1-6 `1e999` is out of the range of numbers"]);
}

#[test]
fn text_behind_the_value_is_refused() {
    fails("{} x", &["1:4-5 expected nothing more after the value, found `x`"]);
    fails("{}\n}", &["2:1-2 expected nothing more after the value, found `}`"]);
}

#[test]
fn nesting_ends_at_the_limit_whatever_the_length() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(value(&nested(16)).size().depth, 16);
    fails(&nested(17), &["1:17-18 arrays and objects are nested more than 16 deep"]);
    fails(&"[".repeat(100_000), &["1:17-18 arrays and objects are nested more than 16 deep"]);
    fails(&"{\"a\":".repeat(100_000), &["1:81-82 arrays and objects are nested more than 16 deep"]);
}

#[test]
fn a_key_that_recurs_is_reported_and_the_last_one_counts() {
    let mut many: Vec<String> = (0..40).map(|at| format!("\"k{at}\": 0")).collect();
    many.insert(7, "\"x\": 1".to_owned());
    many.push("\"\\u0078\": 2".to_owned());
    for text in [r#"{"x": 1, "X": 0, "\u0078": 2}"#.to_owned(), format!("{{{}}}", many.join(","))] {
        let lines = report(&text);
        assert!(lines.contains("the key `x` is repeated here, and this value counts\n"), "{lines}");
        assert!(lines.contains("the key comes first here\n"), "{lines}");
        assert_eq!(lines.lines().count(), 2, "{lines}");
        let value = read(&text).0.value.expect("the text is valid");
        assert_eq!(value.get("x").and_then(Value::as_int), Some(2));
    }
    assert_eq!(report(r#"{"a": {"x": 1}, "b": {"x": 1}}"#), "");
}

#[test]
fn large_objects_take_linear_time() {
    let members = |same: bool| {
        let member = |at: u32| format!("\"key{}\":{at}", if same { 0 } else { at });
        (0..200_000).map(member).collect::<Vec<_>>().join(",")
    };
    assert_eq!(value(&format!("{{{}}}", members(false))).size().weight, 200_001);
    assert_eq!(read(&format!("{{{}}}", members(true))).0.diagnostics.len(), 100);
}

#[test]
fn every_prefix_and_every_cut_is_read_without_a_panic() {
    let samples = [
        r#"{"a": [1, -2.5e+3, true, null, "x\ud834\udd1e\n𝄞"], /* c */ 'b': {c: '\''},} // end"#,
        "[\"a\r\n\tb\",\u{a0}01, 1.e, \\u, nul, {\"[é]\": {\"copy\": []}}]\u{feff}",
    ];
    for sample in samples {
        for cut in (0..=sample.len()).filter(|&at| sample.is_char_boundary(at)) {
            for text in [&sample[..cut], &sample[cut..]] {
                let parsed = read(text).0;
                assert!(parsed.value.is_some() || !parsed.diagnostics.is_empty(), "{text}");
            }
        }
    }
}
