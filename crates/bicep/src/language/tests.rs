//! Files that are parsed without a problem, problems that are reported, and what is left of files that have some.

use arcstr::ArcStr;

use super::*;
use crate::language::ast::{Declaration, DeclarationKind, Expr, ExprKind, Item};
use crate::language::tree::TriviaKind;
use crate::text::Sources;

/// Parses a text; the problems as `line:column message`.
fn parsed(text: &str) -> (SyntaxTree, Vec<String>) {
    let sources = Sources::new();
    let text = ArcStr::from(text);
    let file = sources.add("main.bicep", text.clone());
    let tree = parse(file, &text);
    let problems = tree.problems.iter().map(|problem| {
        let position = sources.get(file).position(problem.primary.span.start);
        format!("{}:{} {}", position.line, position.column, problem.message)
    });
    let problems = problems.collect();
    (tree, problems)
}

/// The structure of an expression: `_` has none, and `?` was skipped.
fn outline(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Skipped => "?".to_owned(),
        ExprKind::Object(items) => {
            let items = items.iter().map(|item| match item {
                Item::Property(property) => {
                    format!("{}: {}", property.name().unwrap_or("${}"), outline(&property.value))
                }
                Item::Spread(value) => format!("...{}", outline(value)),
                Item::Resource(resource) => format!("resource {} = {}", resource.name.text, outline(&resource.body)),
            });
            format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
        }
        ExprKind::Array(items) => {
            let items = items.iter().map(|item| outline(&item.value));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        ExprKind::For(inner) => format!("[for {}: {}]", outline(&inner.source), outline(&inner.body)),
        ExprKind::If(inner) => format!("if {}", outline(&inner.1)),
        _ => "_".to_owned(),
    }
}

fn outline_of(declaration: &Declaration) -> String {
    if let DeclarationKind::Skipped = declaration.kind {
        return "?".to_owned();
    }
    let mut values = Vec::new();
    declaration.each_value(&mut |value| values.push(outline(value)));
    let name = declaration.name().map(|name| &*name.text).unwrap_or_default();
    format!("{name} {}", values.join(" ")).trim().to_owned()
}

#[track_caller]
fn check(text: &str, problems: &[&str]) {
    assert_eq!(parsed(text).1, problems, "{text}");
}

/// What is left of a text with problems, and the problems.
#[track_caller]
fn fails(text: &str, expected: &[&str], problems: &[&str]) {
    let (tree, found) = parsed(text);
    assert_eq!(found, problems, "{text}");
    assert_eq!(tree.declarations.iter().map(outline_of).collect::<Vec<_>>(), expected, "{text}");
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
fn each_declaration_with_errors_is_reported() {
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

#[test]
fn strings_have_their_values() {
    let text = |text: &str| {
        let (tree, problems) = parsed(&format!("var a = {text}\n"));
        assert_eq!(problems, [""; 0], "{text}");
        let DeclarationKind::Var { value, .. } = &tree.declarations[0].kind else { panic!("{tree:?}") };
        let ExprKind::Text(text) = &value.kind else { panic!("{tree:?}") };
        let rest = text.interpolations.iter().map(|interpolation| interpolation.text.to_string());
        [text.first.to_string()].into_iter().chain(rest).collect::<Vec<_>>().join("|")
    };
    assert_eq!(text("''"), "");
    assert_eq!(text(r"'it\'s ${b('}', '${c}')} }\n'"), "it's | }\n");
    assert_eq!(text("'''\r\n'' } ${x\\n\r\n'''"), "'' } ${x\\n\r\n");
    assert_eq!(text("''''q''''"), "'q'");
    assert_eq!(text("''''''"), "");
    assert_eq!(text("$'''\n${b('{')} $ {\n'''"), "| $ {\n");
    assert_eq!(text("$$'''${x $${y}'''"), "${x |");
}

#[test]
fn an_item_that_cannot_be_parsed_is_skipped_alone() {
    fails(
        "var a = {\n  b: 1\n  =\n  c: 2\n}\nvar d = 1",
        &["a {b: _, c: _}", "d _"],
        &["3:3 expected the name of a property, found `=`"],
    );
    fails(
        "var a = {\n  b: f(1 2)\n  type: 'x'\n  c: [1, +, {\n    d: )\n  }]\n}",
        &["a {b: ?, type: _, c: [_, ?, {d: ?}]}"],
        &[
            "2:10 expected `)`, found `2`",
            "4:10 `+` is not a sign of numbers; remove it",
            "5:8 expected an expression, found `)`",
        ],
    );
    fails(
        "type t = {\n  a: int\n  b: =\n  c: string\n}\nvar d = 1",
        &["t", "d _"],
        &["3:6 expected a type, found `=`"],
    );
}

#[test]
fn a_declaration_that_cannot_be_parsed_loses_as_little_as_possible() {
    fails(
        "hello world\n  and more\nvar a = 1",
        &["?", "a _"],
        &["1:1 expected a statement, such as `param`, `var`, `resource` or `output`, found `hello`"],
    );
    fails("param\nvar a = 1", &["?", "a _"], &["1:6 expected the name of the parameter, found the end of the line"]);
    fails("var a =\nvar b = 1", &["a ?", "b _"], &["1:8 expected an expression, found the end of the line"]);
    fails("var a = b +\nvar b = 1", &["a ?", "b _"], &["1:12 expected an expression, found the end of the line"]);
    fails(
        "bad\noutput\noutput o\nvar b =\noutput p",
        &["?", "?", "o ?", "b ?", "p ?"],
        &[
            "1:1 expected a statement, such as `param`, `var`, `resource` or `output`, found `bad`",
            "2:7 expected the name of the output, found the end of the line",
            "3:9 expected a type, found the end of the line",
            "4:8 expected an expression, found the end of the line",
            "5:9 expected a type, found the end of the file",
        ],
    );
    fails("output o string 'x'\nvar b = 1", &["o ?", "b _"], &["1:17 expected `=`, found `'x'`"]);
    fails(
        "module m 'a.bicep' = {\n  name: ]\n  params: {}\n}\nvar b = 1",
        &["m {name: ?, params: {}}", "b _"],
        &["2:9 expected an expression, found `]`"],
    );
    fails("var a = 1 2 )\nvar b = 1", &["a _", "b _"], &["1:11 expected the end of the line, found `2`"]);
    fails(
        "@a(\nparam b string\nvar c = 1",
        &["?", "b", "c _"],
        &["1:4 expected an expression, found the end of the line"],
    );
}

#[test]
fn an_open_bracket_ends_before_the_next_declaration() {
    fails("var a = {\n  b: 1\nvar c = 1", &["a {b: _}", "c _"], &["3:1 expected `}`, found `var`"]);
    fails("var a = [\n  1\n\nparam c string", &["a [_]", "c"], &["4:1 expected `]`, found `param`"]);
    fails("var a = f(\nparam c string", &["a ?", "c"], &["1:11 expected an expression, found the end of the line"]);
    fails("var a = { b: [1 }\nvar c = 1", &["a {b: [_]}", "c _"], &["1:17 expected `,`, `]` or a new line, found `}`"]);
    fails("var a = {", &["a {}"], &["1:10 expected the name of a property, found the end of the file"]);
    fails(
        "var a = {\n  c: {\n    d: 1\nresource e 'f@1' = {\n}",
        &["a {c: {d: _}}", "e {}"],
        &["4:1 expected `}`, found `resource`"],
    );
}

#[test]
fn a_string_or_comment_that_is_not_closed_is_reported_once() {
    fails("var a = 'b\nvar c = 1", &["a _", "c _"], &["1:11 the string is not closed; expected `'`"]);
    fails("var a = 'b${c\nvar d = 1", &["a ?", "d _"], &["1:9 the string is not closed"]);
    fails("var a = {\n  b: '''c\n}\nvar d = 1", &["a {b: _}"], &["2:6 the string is not closed; expected `'''`"]);
    fails("var a = {\n  b: 1 /* c\n}\nvar d = 1", &["a {b: _}"], &["2:8 the comment is not closed; expected `*/`"]);
    fails("var a = 1 ~ 2\nvar b = 1", &["a _", "b _"], &["1:11 this character has no meaning here"]);
}

#[test]
fn names_may_be_keywords() {
    check("import {\ntype as a\nparam, test\n} from 'b'\nvar c = {\nparam: 1\ntype: 'd'\nresource: test\n}", &[]);
    check("var a = [\nvar\nparam\n]\nvar param = 1\nvar b = [for for in param: for]", &[]);
}

#[test]
fn resources_are_nested_in_bodies_only() {
    fails(
        "resource a 'b@1' = [for c in d: if (e) {\nresource f 'g' = {\n    resource h 'i' existing = {}\n  }\n}]",
        &["a [for _: if {resource f = {resource h = {}}}] {resource h = {}} {}"],
        &[],
    );
    fails("var a = {\n  resource b 'c' = {}\n}", &["a {resource: ?}"], &["2:12 expected `:`, found `b`"]);
}

#[test]
fn comments_and_directives_are_trivia() {
    let text = "// a\r\nvar b = 'c // d' /* e\n */\n#disable-next-line f // g\nparam h string";
    let (tree, problems) = parsed(text);
    assert_eq!(problems, [""; 0]);
    let directives = tree.trivia.iter().filter(|trivia| trivia.kind == TriviaKind::Directive);
    let directives: Vec<_> = directives.map(|trivia| tree.slice(trivia.span)).collect();
    assert_eq!(tree.comments().map(|span| tree.slice(span)).collect::<Vec<_>>(), ["// a", "/* e\n */", "// g"]);
    assert_eq!(directives, ["#disable-next-line f "]);
}

#[test]
fn spans_are_exact() {
    let text = "@secure()\nparam a string = 'x' // c\nresource b 'T' = if (a) {\n  'c': [1, 2]  \n}\n";
    let (tree, _) = parsed(text);
    let [param, resource] = tree.declarations.as_slice() else { panic!("{tree:?}") };
    assert_eq!(tree.slice(param.span), "param a string = 'x'");
    assert_eq!(tree.slice(param.decorators[0].span), "@secure()");
    let DeclarationKind::Param { ty: Some(ty), .. } = &param.kind else { panic!("{param:?}") };
    assert_eq!(tree.slice(ty.span), "string");
    let DeclarationKind::Resource(resource) = &resource.kind else { panic!("{resource:?}") };
    let Some([Item::Property(property)]) = resource.body.body().as_object() else { panic!("{resource:?}") };
    assert_eq!(tree.slice(property.span()), "'c': [1, 2]");
    assert_eq!(tree.slice(property.value.span), "[1, 2]");
}

#[test]
fn hostile_texts_end() {
    let pieces = [
        "{",
        "[",
        "(",
        "[for x in ",
        "{a:",
        "'${",
        "@",
        "@a(",
        "/*",
        "'''",
        "a ? ",
        "!",
        "if (",
        "\n",
        "resource a 'b' = {",
        "\nvar a = [",
        "\nvar a = {b: ${",
        "{\n=\n",
    ];
    for piece in pieces {
        for text in [piece.repeat(20_000), format!("var a = {}", piece.repeat(20_000))] {
            parsed(&text);
        }
    }
    let (_, problems) = parsed(&format!("var a = {}1{}", "[".repeat(500), "]".repeat(500)));
    assert_eq!(problems, ["1:109 this is nested too deep; split it into variables"]);
    let (tree, problems) = parsed(&"=\n".repeat(10_000));
    assert_eq!((tree.declarations.len(), problems.len()), (1, 1));
    assert_eq!(parsed(&"var a = {\n=\n=\n}\n".repeat(1_000)).1.len(), MAX_PROBLEMS);
}

#[test]
fn every_prefix_of_a_text_is_parsed() {
    let text = "import { a as b } from 'c'\n@d([1, {e: 'f${g('h')}'}])\nparam i { j: 'k' }[]? = [for l in m: l]\nresource n 'o@p' = [for (q, r) in s: if (t) {\n  ...u\n  'ü': v ? w : '''x'''\n  resource y 'z' existing = {\n  }\n}]\nfunc f(a int) int => /* b */ a\n";
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        parsed(text.get(..end).unwrap());
    }
    assert_eq!(parsed(text).1, [""; 0]);
}
