//! Programs that are read without a problem, and problems that are reported.

use super::*;
use crate::text::Sources;

fn check(text: &str, expected: &[&str]) {
    let sources = Sources::new();
    let file = sources.add("main.bicep", text);
    let (_, problems) = parse(file, text);
    let found: Vec<String> = problems
        .iter()
        .map(|problem| {
            let position = sources.get(file).position(problem.primary.span.start);
            format!("{}:{} {}", position.line, position.column, problem.message)
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn the_whole_language_is_read() {
    for text in [
        "param a int\n  | 1\n  // between\n  | 2\n\nparam b resourceInput<'A/b@1'>.x[*].*?",
        "var a = b\n  ? c\n  : d\nvar e = f\n  .g\n  .?h[?0]![^1]::i",
        "var a = [\n  -1\n  -2\n]",
        "var a = { b: 1, 'c d': 2, '${e}f': 3\n ...g }",
        "var a = map(b, (c, d) => { e: c })\nvar f = () => 1",
        "var a = '''\n'quoted' ${kept}''''\nvar b = $'''${c} ${d}'''\nvar e = $$'''${kept} $${f}'''",
        "var a = '\\u{1F600}\\u{D801}\\u{DC37}\\${b}'",
        "func f(a string, b {\n c: int }) [int, string] => a",
        "import { a as b\n c } from 'x.bicep'\nimport * as d from 'y.bicep'",
        "extension kubernetes with { namespace: 'n' } as k8s\nextension graph",
        "@sys.description('a')\n@secure()\nparam a string = newGuid()",
        "#disable-next-line x\nmodule a 'b' = [for (c, d) in e: if (f) { name: g }]",
        "resource a 'b/c@1' existing = { name: 'd'\n @description('e')\n resource f 'g' = { name: 'h' } }",
        "using none\nextends 'a'\nparam for = 1\nassert b = true\nmetadata c = {}\ntest d 'e' = {}",
    ] {
        check(text, &[]);
    }
}

#[test]
fn each_statement_with_errors_is_reported() {
    check(
        "var = 1\nparam ok int\nvar a = (1\nresource r 'x' {}\noutput o int = 1 2\n",
        &[
            "1:5 expected the name of the variable, found `=`",
            "4:1 expected `)`, found `resource`",
            "4:16 expected `=`, found `{`",
            "5:18 expected the end of the line, found `2`",
        ],
    );
}
