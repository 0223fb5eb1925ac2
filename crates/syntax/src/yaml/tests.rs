//! What is read, where it stands, and what is refused.

#![expect(clippy::string_slice, reason = "a test should panic on a wrong span")]

use std::fmt::Write as _;

use super::*;
use crate::text::Sources;
use crate::value::Traits;

const DEPTH: u32 = 16;

fn read(text: &str) -> (Parsed, Sources) {
    let sources = Sources::new();
    let file = sources.add("a.yaml", text);
    let shared = sources.get(file).text().clone();
    (parse(file, &shared, DEPTH), sources)
}

#[track_caller]
fn value(text: &str) -> Value {
    let (parsed, _) = read(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.value.expect("the text is valid")
}

#[track_caller]
fn reads(text: &str, json: &str) {
    assert_eq!(value(text).to_json(), json);
}

/// The diagnostics as `line:column code message`.
fn report(text: &str) -> Vec<String> {
    let (parsed, sources) = read(text);
    let line = |problem: &Diagnostic| {
        let (at, _) = sources.range(problem.primary.span);
        let code = problem.code.as_str();
        format!("{}:{} {code} {}", at.line, at.column, problem.message)
    };
    parsed.diagnostics.iter().map(line).collect()
}

#[track_caller]
fn fails(text: &str, error: &str) {
    assert!(read(text).0.value.is_none(), "{text}");
    assert_eq!(report(text), [error]);
}

#[test]
fn blocks_and_flows_become_values() {
    reads("a: 1\nb:\n  - x\n  - y: ~\n", r#"{"a":1,"b":["x",{"y":null}]}"#);
    reads("{a: [1, 2.5, true], b: {}}", r#"{"a":[1,2.5,true],"b":{}}"#);
    reads("- a\r\n- b # c\r\n", r#"["a","b"]"#);
    reads("x", r#""x""#);
}

#[test]
fn a_text_without_a_document_is_null() {
    reads("", "null");
    reads("# nothing\n", "null");
    reads("---\n", "null");
}

#[test]
fn quotes_blocks_and_the_tag_of_texts_make_texts() {
    reads(r#"['1', "tr\u0075e", !!str 7, !Ref 7]"#, r#"["1","true","7",7]"#);
    reads("a: |\n  1\n  2\nb: >-\n  c\n  d\n", r#"{"a":"1\n2\n","b":"c d"}"#);
}

#[test]
fn keys_are_texts_as_they_are_written() {
    reads("1: a\ntrue: b\n~: c\n'q': d\n", r#"{"1":"a","true":"b","~":"c","q":"d"}"#);
    fails("? [a]\n: b\n", "1:3 syntax/yaml expected a string as key, found a value of kind `array`");
    fails("{{a: 1}: 2}", "1:2 syntax/yaml expected a string as key, found a value of kind `object`");
}

#[test]
fn aliases_repeat_what_was_anchored() {
    reads("a: &x [1]\nb: *x\nc: &k n\n*k : 2\n", r#"{"a":[1],"b":[1],"c":"n","n":2}"#);
    reads("&k a: 1\nb: *k\n", r#"{"a":1,"b":"a"}"#);
    fails("a: *x\n", "1:4 syntax/yaml while parsing node, found unknown anchor");
    fails("a: &x [*x]\n", "1:8 syntax/yaml the alias is inside the value that it refers to");
    fails("a: &x 1\n*x : 2\n", "2:1 syntax/yaml expected a string as key, found a value of kind `int`");
}

#[test]
fn aliases_cannot_multiply_without_end() {
    let mut laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let previous = format!("*a{}", level - 1);
        let items = [previous.as_str(); 9].join(",");
        let _ = writeln!(laughs, "a{level}: &a{level} [{items}]");
    }
    assert_eq!(report(&laughs), ["6:34 syntax/yaml aliases add more than 500000 values to the document"]);
    let mut deep = "- &a0 []\n".to_owned();
    for level in 1..30 {
        let _ = writeln!(deep, "- &a{level} [*a{}]", level - 1);
    }
    assert_eq!(report(&deep), ["16:9 syntax/depth arrays and objects are nested more than 16 deep"]);
}

#[test]
fn spans_count_bytes_and_end_with_the_value() {
    let text = "é𝄞: &k !t 'ü' # it's\r\nl:\r\n  - {x: [1 , 2] } # }\r\n  - |\r\n    \"é\" !\r\n\r\n# end\r\nn:\r\n";
    let root = value(text);
    let slice = |span: Option<Span>| {
        let span = span.expect("it was written");
        &text[span.start as usize..span.end as usize]
    };
    assert_eq!(slice(root.span), text.trim_end().trim_end_matches(':'));
    let members: Vec<_> = root.as_object().expect("it is an object").iter().collect();
    assert_eq!(slice(members[0].key_span), "é𝄞");
    assert_eq!(slice(members[0].value.span), "'ü'");
    assert_eq!(slice(members[1].value.span), "- {x: [1 , 2] } # }\r\n  - |\r\n    \"é\" !");
    assert_eq!(slice(members[2].key_span), "n");
    assert_eq!(slice(members[2].value.span), "");
    let items = members[1].value.as_array().expect("it is an array");
    assert_eq!(slice(items[0].span), "{x: [1 , 2] }");
    assert_eq!(slice(items[0].get("x").and_then(|value| value.span)), "[1 , 2]");
    assert_eq!(slice(items[1].span), "\"é\" !");
}

#[test]
fn a_pair_in_brackets_is_an_object_of_its_own() {
    let text = "[é: 1, \"b\": [é]\n]";
    let root = value(text);
    assert_eq!(root.to_json(), r#"[{"é":1},{"b":["é"]}]"#);
    let items = root.as_array().expect("it is an array").iter();
    let spans: Vec<_> = items.filter_map(|value| value.span).collect();
    let slices = spans.iter().map(|span| &text[span.start as usize..span.end as usize]);
    assert_eq!(slices.collect::<Vec<_>>(), ["é: 1", "\"b\": [é]"]);
}

#[test]
fn an_alias_stands_where_it_is_written() {
    let root = value("a: &x [1]\nb: *x\n");
    let span = |name: &str| root.get(name).and_then(|value| value.span).map(|span| (span.start, span.end));
    assert_eq!(span("a"), Some((6, 9)));
    assert_eq!(span("b"), Some((13, 15)));
}

#[test]
fn texts_that_are_written_as_they_read_share_the_file() {
    let (parsed, sources) = read("[plain, 'quoted', \"es\\tcaped\"]");
    let root = parsed.value.expect("the text is valid");
    let owner = sources.get(root.span.expect("it was written").file).text().as_ptr().addr();
    let items = root.as_array().expect("it is an array");
    let address = |at: usize| items[at].as_shared_str().expect("it is a string").address();
    assert_eq!(address(0), (owner, 1));
    assert_eq!(address(1), (owner, 9));
    assert_ne!(address(2).0, owner);
}

#[test]
fn what_is_no_yaml_is_refused_where_it_goes_wrong() {
    fails("é: [1,\n", "2:1 syntax/yaml while parsing a node, did not find expected node content");
    fails("é: b: c", "1:5 syntax/yaml mapping values are not allowed in this context");
    fails("a: \0b", "1:4 syntax/yaml the text has a NUL character, which YAML does not allow");
}

#[test]
fn a_second_document_is_reported_beside_the_first() {
    assert_eq!(
        report("a: 1\n---\nb: [\n"),
        ["2:1 syntax/yaml a second document begins here, expected one in the file"]
    );
    let chosen = |text: &str| {
        let text = ArcStr::from(text);
        let file = Sources::new().add("a.yaml", text.clone());
        parse_template(file, &text, DEPTH, &|value| value.get("b").is_some()).value.map(|value| value.to_json())
    };
    assert_eq!(chosen("---\n---\na: 1\n---\nb: 2\n---\nb: 3\n").as_deref(), Some(r#"{"b":2}"#));
    assert_eq!(chosen("a: 1\n---\nc: 2\n").as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(chosen("b: 1\n---\n[\n").as_deref(), Some(r#"{"b":1}"#));
    assert_eq!(chosen("a: 1\n---\n[\n"), None);
    assert_eq!(read("a: 1\n---\nb: 2\n").0.value.map(|value| value.to_json()), Some(r#"{"a":1}"#.to_owned()));
    reads("---\na: 1\n...\n", r#"{"a":1}"#);
}

#[test]
fn a_key_that_recurs_is_reported() {
    assert_eq!(
        report("a: 1\nb: 2\na: 3\n"),
        ["3:1 syntax/duplicate-key the key `a` is repeated here, and this value counts"]
    );
}

#[test]
fn nesting_ends_at_the_limit() {
    let flow = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(value(&flow(16)).size().depth, 16);
    fails(&flow(17), "1:17 syntax/depth arrays and objects are nested more than 16 deep");
    fails(&"[".repeat(100_000), "1:256 syntax/depth arrays and objects are nested more than 16 deep");
    fails(&"- ".repeat(100_000), "1:33 syntax/depth arrays and objects are nested more than 16 deep");
}

#[test]
fn every_prefix_and_every_cut_is_read_without_a_panic() {
    let sample =
        "%YAML 1.2\n---\né: &a [1, 'x', \"\\u00e9\", {k: v}] # c\r\nb: *a\n? c\n: |+\n  𝄞\n\n- d\n...\n--- !t x\n";
    for cut in (0..=sample.len()).filter(|&at| sample.is_char_boundary(at)) {
        for text in [&sample[..cut], &sample[cut..]] {
            let parsed = read(text).0;
            assert!(parsed.value.is_some() || !parsed.diagnostics.is_empty(), "{text}");
        }
    }
}

#[track_caller]
fn reads_as_template(text: &str, json: &str) {
    let sources = Sources::new();
    let file = sources.add("a.yaml", text);
    let parsed = parse_template(file, sources.get(file).text(), DEPTH, &|_| true);
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(parsed.value.map(|value| value.to_json()).as_deref(), Some(json), "{text}");
}

#[test]
fn short_forms_become_long_forms() {
    reads_as_template("!Ref a", r#"{"Ref":"a"}"#);
    reads_as_template("!GetAtt a.b.c", r#"{"Fn::GetAtt":["a","b.c"]}"#);
    reads_as_template("!GetAtt [a, b]", r#"{"Fn::GetAtt":["a","b"]}"#);
    reads_as_template("[!Ref true, !Ref 12, !Sub \"x\"]", r#"[{"Ref":"true"},{"Ref":"12"},{"Fn::Sub":"x"}]"#);
    reads_as_template("!If\n- c\n- !Ref a\n- !Condition d\n", r#"{"Fn::If":["c",{"Ref":"a"},{"Condition":"d"}]}"#);
    reads_as_template("!Transform {Name: x}", r#"{"Fn::Transform":{"Name":"x"}}"#);
    reads_as_template("!Rain::Embed x", r#"{"Rain::Embed":"x"}"#);
    reads_as_template("a: &x !Ref y\nb: *x\nc: !!str 1\n", r#"{"a":{"Ref":"y"},"b":{"Ref":"y"},"c":"1"}"#);
    reads_as_template("!Base64\n  Fn::Sub: |\n    a\n", r#"{"Fn::Base64":{"Fn::Sub":"a\n"}}"#);
}

#[test]
fn plain_scalars_of_templates_are_those_of_yaml_1_1() {
    reads_as_template("[yes, No, ON, off, True, y, N]", r#"[true,false,true,false,true,"y","N"]"#);
    reads_as_template("[12, -3, 1.5, 0123, 1.10, 0x1F, +1, 1e3]", r#"[12,-3,1.5,"0123","1.10","0x1F","+1","1e3"]"#);
    reads_as_template(
        "[123456789012345678901, 2012-10-17, 22:30, ~]",
        r#"["123456789012345678901","2012-10-17","22:30",null]"#,
    );
    reads_as_template("yes: 'no'\n0123: '1.10'\n", r#"{"yes":"no","0123":"1.10"}"#);
}

#[test]
fn numbers_in_other_spellings_are_told_from_texts() {
    let sources = Sources::new();
    let text = "[0123, '0123', 12]";
    let file = sources.add("a.yaml", text);
    let value = parse_template(file, sources.get(file).text(), DEPTH, &|_| true).value.expect("the text is valid");
    let numeric = value.as_array().expect("it is an array").iter().map(|value| value.traits.has(Traits::NUMERIC));
    assert_eq!(numeric.collect::<Vec<_>>(), [true, false, false]);
    assert!(matches!(number("0123"), Some(crate::value::Data::Int(123))));
}

#[test]
fn merged_members_give_way_to_written_ones() {
    reads_as_template(
        "x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\nz: {b: 0, <<: [*x, *y]}\nw: {<<: *y}\n",
        r#"{"x":{"a":1,"b":2},"y":{"b":3,"c":4},"z":{"b":0,"a":1,"c":4},"w":{"b":3,"c":4}}"#,
    );
    reads("<<: {a: 1}\n", r#"{"<<":{"a":1}}"#);
}

#[test]
fn spans_of_short_forms_begin_with_the_tag() {
    let text = "a: &k !Sub 'x' # c\nb: !If\n  - c\n  - d\n";
    let sources = Sources::new();
    let file = sources.add("a.yaml", text);
    let root = parse_template(file, sources.get(file).text(), DEPTH, &|_| true).value.expect("the text is valid");
    let slice = |span: Option<Span>| span.map(|span| &text[span.start as usize..span.end as usize]);
    assert_eq!(slice(root.get("a").and_then(|value| value.span)), Some("!Sub 'x'"));
    assert_eq!(slice(root.get("b").and_then(|value| value.span)), Some("!If\n  - c\n  - d"));
    let call = root.get("a").and_then(Value::as_object).and_then(|value| value.member("Fn::Sub"));
    assert_eq!(slice(call.and_then(|member| member.key_span)), Some("!Sub"));
}

#[test]
fn tags_count_as_nesting() {
    let nested = |depth: usize| "!A [".repeat(depth) + &"]".repeat(depth);
    let parsed = |text: &str| {
        let sources = Sources::new();
        let file = sources.add("a.yaml", text);
        parse_template(file, sources.get(file).text(), DEPTH, &|_| true).value
    };
    assert_eq!(parsed(&nested(8)).map(|value| value.size().depth), Some(16));
    assert!(parsed(&nested(9)).is_none());
}

/// Reads a text in both dialects, and looks at every span.
fn all_spans_are_of_whole_characters(text: &str) {
    fn check(text: &str, span: Option<Span>) {
        let span = span.expect("every value that is read has a span");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
    }
    fn visit(text: &str, value: &Value) {
        check(text, value.span);
        for item in value.as_array().into_iter().flatten() {
            visit(text, item);
        }
        for member in value.as_object().into_iter().flatten() {
            check(text, member.key_span);
            visit(text, &member.value);
        }
    }
    let sources = Sources::new();
    let file = sources.add("a.yaml", text);
    for dialect in [Dialect::Core, Dialect::Template] {
        let parsed = parse_as(dialect, file, sources.get(file).text(), DEPTH, &|_| true);
        for diagnostic in &parsed.diagnostics {
            check(text, Some(diagnostic.primary.span));
        }
        if let Some(value) = parsed.value {
            visit(text, &value);
        }
    }
}

#[test]
fn white_space_that_is_not_of_yaml_ends_no_anchor() {
    all_spans_are_of_whole_characters("&\u{3000}\u{3040}\u{3000}\n\"\"");
    all_spans_are_of_whole_characters("- \u{E9}\u{3000}\n- !\u{E9}\u{A0} 'x'\n- {\u{E9}: \u{3000}}");
    reads("a: &x # note\n  'b'\n", r#"{"a":"b"}"#);
}

/// Texts like those that people write: short forms, anchors, block scalars, comments and characters of several bytes.
const SAMPLES: [&str; 4] = [
    "&\u{3000}\u{3040}\u{3000}\n\"\"",
    "é: &ü !Sub 'ñ' # ö\r\n𝄞: *ü\n\u{FEFF}- x: {é: [ü, \"\\u00e9\"]}\n",
    "Resources:\n  Bücket:\n    Type: \"AWS::S3::Bucket\"\n    Properties: !If [ç, {é: ~}, !Ref AWS::NoValue]\n",
    "? é\n: |+2\n   𝄞 é\n\n- >-\n  \u{2028}ü\n  ö # é\n...\n--- !é x\n",
];

#[test]
fn no_part_and_no_change_of_a_sample_panics_or_splits_a_character() {
    const REPLACEMENTS: [char; 12] = ['&', '!', '*', '"', '\'', '\n', ' ', '|', '{', ']', '\u{3000}', '\u{1D11E}'];
    for sample in SAMPLES {
        all_spans_are_of_whole_characters(sample);
        for (at, old) in sample.char_indices() {
            let (before, after) = (&sample[..at], &sample[at + old.len_utf8()..]);
            all_spans_are_of_whole_characters(before);
            all_spans_are_of_whole_characters(&sample[at..]);
            all_spans_are_of_whole_characters(&format!("{before}{after}"));
            for new in REPLACEMENTS {
                all_spans_are_of_whole_characters(&format!("{before}{new}{after}"));
            }
        }
        // A byte that is missing or wrong breaks a character, which is read as a replacement character.
        for at in 0..sample.len() {
            let mut bytes = sample.as_bytes().to_vec();
            bytes[at] ^= 0x81;
            all_spans_are_of_whole_characters(&String::from_utf8_lossy(&bytes));
            bytes.remove(at);
            all_spans_are_of_whole_characters(&String::from_utf8_lossy(&bytes));
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1000))]

    #[test]
    fn spans_fall_on_character_boundaries(text in "([&!*#'\"\\-?:,\\[\\]{}|>~a\\\\]| |\n|: |- |\u{3000}|\u{E9}|\u{85}|\u{2028}|\u{FEFF}){0,14}") {
        all_spans_are_of_whole_characters(&text);
    }
}

#[test]
fn templates_have_lines_in_brackets_and_quotes_in_any_column() {
    let text = "A:\n  B: {\n    C: \"a\n  b \\\n  c\",\n  D: [\n é,\n  'x\n\n''y' # z\n]\n}\n  E: 1\n";
    let sources = Sources::new();
    let file = sources.add("a.yaml", text);
    let parsed = parse_template(file, &text.into(), DEPTH, &|_| true);
    assert_eq!(parsed.diagnostics, []);
    let value = parsed.value.expect("the text is valid for CloudFormation");
    assert_eq!(value.to_json(), r#"{"A":{"B":{"C":"a b c","D":["é","x\n'y"]},"E":1}}"#);
    let members = |value: &Value| value.as_object().expect("it is an object").iter().cloned().collect::<Vec<_>>();
    let inner = members(&members(&value)[0].value);
    let slice = |span: Option<Span>| span.map_or("", |span| &text[span.start as usize..span.end as usize]);
    let items = members(&inner[0].value)[1].value.clone();
    assert_eq!(slice(items.as_array().expect("it is an array")[0].span), "é");
    assert_eq!(slice(items.as_array().expect("it is an array")[1].span), "'x\n\n''y'");
    assert_eq!(slice(inner[1].value.span), "1");
    // Others keep to YAML, and what is broken stays so.
    assert!(parse(file, &text.into(), DEPTH).value.is_none());
    let broken = "A: {\n  B: \"a\nb\n";
    let parsed = parse_template(file, &broken.into(), DEPTH, &|_| true);
    assert!(parsed.value.is_none() && parsed.diagnostics.len() == 1);
}

#[test]
fn templates_have_dashes_in_brackets() {
    let text = "A: !Join [-, [_, a, -], - ]\nB: {x: -, y: [\n-,\n&d -, *d]}\nC: [a-, -b, !Sub -, '-']\n";
    let sources = Sources::new();
    let file = sources.add("a.yaml", text);
    let parsed = parse_template(file, &text.replace(", - ]", "]").into(), DEPTH, &|_| true);
    assert_eq!(parsed.diagnostics, []);
    let value = parsed.value.expect("the text is valid for CloudFormation");
    let expected =
        r#"{"A":{"Fn::Join":["-",["_","a","-"]]},"B":{"x":"-","y":["-","-","-"]},"C":["a-","-b",{"Fn::Sub":"-"},"-"]}"#;
    assert_eq!(value.to_json(), expected);
    // A dash with a space begins an item of a block, and others keep to YAML.
    assert!(parse_template(file, &text.into(), DEPTH, &|_| true).value.is_none());
    assert!(parse(file, &"A: [-, a]".into(), DEPTH).value.is_none());
}
