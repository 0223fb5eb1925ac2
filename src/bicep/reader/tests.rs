//! Small texts and what the reader returns for them, a line for each declaration.

use std::fmt::Write as _;

use arcstr::ArcStr;

use crate::bicep::reader::{DeclarationKind, Decorator, File, Node, ObjectItem, Shape, read};
use crate::text::Sources;

/// Reads a text; the problems as `line:column message`.
fn read_text(text: &str) -> (File, Vec<String>) {
    let sources = Sources::new();
    let text = ArcStr::from(text);
    let id = sources.add("main.bicep", text.clone());
    let (file, problems) = read(id, &text);
    let shown = problems.iter().map(|problem| {
        let at = sources.range(problem.primary.span).0;
        format!("{}:{} {}", at.line, at.column, problem.message)
    });
    (file, shown.collect())
}

/// The skeleton of a node: `_` is an expression with nothing in it.
fn outline(file: &File, node: &Node) -> String {
    let list = |nodes: &[Node]| nodes.iter().map(|node| outline(file, node)).collect::<Vec<_>>().join(" ");
    match &node.shape {
        Shape::Expression(parts) if parts.is_empty() => "_".to_owned(),
        Shape::Expression(parts) => format!("({})", list(parts)),
        Shape::Loop(it) => format!("[for {}: {}]", file.slice(it.source.range), outline(file, &it.body)),
        Shape::Condition(it) => format!("if {} {}", file.slice(it.test.range), outline(file, &it.body)),
        Shape::Array(items) => {
            let items = items.iter().map(|item| {
                let dots = if item.spread { "..." } else { "" };
                format!("{}{dots}{}", decorators(file, &item.decorators), outline(file, &item.value))
            });
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Shape::Object(members) => {
            let members = members.iter().map(|item| match item {
                ObjectItem::Property(it) => {
                    let name = file.word(it.key).unwrap_or_else(|| file.slice(it.key).into());
                    format!("{}{name}: {}", decorators(file, &it.decorators), outline(file, &it.value))
                }
                ObjectItem::Spread(it) => format!("...{}", outline(file, it)),
                ObjectItem::Resource(id) => format!("resource {}", file.name(file.declaration(*id))),
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

fn decorators(file: &File, decorators: &[Decorator]) -> String {
    decorators.iter().fold(String::new(), |mut all, decorator| {
        let arguments: Vec<_> = decorator.arguments.iter().map(|node| outline(file, node)).collect();
        let _ = write!(all, "@{}({}) ", file.slice(decorator.name), arguments.join(", "));
        all
    })
}

/// One line a declaration.
fn outlines(file: &File) -> Vec<String> {
    let lines = file.declarations.iter().map(|it| {
        let mut line = format!("{}{:?} {}", decorators(file, &it.decorators), it.kind, file.name(it));
        if let Some(target) = it.target {
            let _ = write!(line, " {}", file.slice(target));
        }
        if it.existing {
            line.push_str(" existing");
        }
        for part in &it.parts {
            let _ = write!(line, " <{}>", file.slice(part.range));
        }
        if let Some(node) = &it.annotation {
            let _ = write!(line, " : {}", outline(file, node));
        }
        if let Some(node) = &it.value {
            let _ = write!(line, " = {}", outline(file, node));
        }
        line
    });
    lines.collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (file, problems) = read_text(text);
    assert_eq!(problems, [""; 0]);
    assert_eq!(outlines(&file), expected);
}

/// What is left of a text with problems, and the problems.
#[track_caller]
fn fails(text: &str, expected: &[&str], problems: &[&str]) {
    let (file, found) = read_text(text);
    assert_eq!(found, problems);
    assert_eq!(outlines(&file), expected);
}

#[test]
fn every_kind_of_declaration_is_read() {
    check("targetScope = 'subscription'", &["TargetScope  = _"]);
    check("metadata owner = 'me'", &["Metadata owner = _"]);
    check("param sku string = 'a'\nparam x {\n  a: int\n}", &["Param sku : _ = _", "Param x : {a: _}"]);
    check("var a = 1\nvar b string[] = []", &["Var a = _", "Var b : _ = []"]);
    check("type t = {\n  *: string?\n}\ntype u = 'a' | 'b'", &["Type t = {*: _}", "Type u = _"]);
    check("func f(a string, b int[]) object => {\n  a: a\n}", &["Func f <a string> <b int[]> : _ = {a: _}"]);
    check("import * as m from 'm.bicep'", &["Import m 'm.bicep'"]);
    check("import {\n  a\n  'b-c' as d, e\n} from 'm.bicep'", &["Import  'm.bicep' <a> <'b-c' as d> <e>"]);
    check("module m 'a.bicep' = {\n  params: {}\n}", &["Module m 'a.bicep' = {params: {}}"]);
    check("resource r 'A/b@1' existing = {\n}", &["Resource r 'A/b@1' existing = {}"]);
    check("output o array = [for x in y: x]", &["Output o : _ = [for y: _]"]);
    check("assert a = 1 == 1\ntest t 'm.bicep' = {}", &["Assert a = _", "Test t 'm.bicep' = {}"]);
    check("extension k with {\n  a: 1\n} as b\nprovider 'p@1'", &["Extension b = {a: _}", "Extension  'p@1'"]);
    check("import 'az@1.0' as az", &["Extension az 'az@1.0'"]);
}

#[test]
fn parameter_files_are_read() {
    check(
        "using 'main.bicep'\nextends 'base.bicepparam'\nparam a = {\n  b: 1\n}\nextensionConfig k with {\n}",
        &["Using  'main.bicep'", "Extends  'base.bicepparam'", "Param a = {b: _}", "ExtensionConfig k = {}"],
    );
    check("using none", &["Using none"]);
}

#[test]
fn nested_resources_come_before_those_around_them() {
    let text = "resource a 'A/b@1' = {\n  name: 'x'\n  @description('d')\n  resource b 'c' = {\n    resource d 'e' = {}\n  }\n}";
    let (file, problems) = read_text(text);
    assert_eq!(problems, [""; 0]);
    let shown = file.iter().map(|(_, it)| (file.name(it), it.parent.map(|id| file.name(file.declaration(id)))));
    assert_eq!(shown.collect::<Vec<_>>(), [("d", Some("b")), ("b", Some("a")), ("a", None)]);
    assert_eq!(outlines(&file)[2], "Resource a 'A/b@1' = {name: _, resource b}");
}

#[test]
fn loops_and_conditions_stand_around_bodies() {
    check("resource r 'A/b@1' = if (a && (b)) {\n}", &["Resource r 'A/b@1' = if a && (b) {}"]);
    check(
        "module m 'a.bicep' = [for (x, i) in range(0, 3): if (x > 1) {\n  name: x\n}]",
        &["Module m 'a.bicep' = [for range(0, 3): if x > 1 {name: _}]"],
    );
    check("module m 'a' =\n// why\nif (a) {\n}", &["Module m 'a' = if a {}"]);
    check("var v = [\n  for x in a ? b : c: {\n    x: x\n  }\n]", &["Var v = [for a ? b : c: {x: _}]"]);
    check("var for = 1\nvar if = [for]", &["Var for = _", "Var if = [_]"]);
}

#[test]
fn literals_are_found_inside_of_expressions() {
    check("var a = b ? {\n  c: 1\n} : union({ d: 2 }, [3])", &["Var a = ({c: _} {d: _} [_])"]);
    check(
        "var a = {\n  ...b\n  c: 1, d: [...e, 2]\n}",
        &["Var a = {...(), c: _, d: [...(), _]}".replace("()", "_").as_str()],
    );
    check("var a = [{}][0].b[?c].?d!", &["Var a = ([{}])"]);
    check("type t = ({\n  a: 'b'\n} | null)[]?", &["Type t = ({a: _})"]);
    check("type t = [\n  @description('d')\n  string\n  int[]\n]", &["Type t = [@description(_) _, _]"]);
}

#[test]
fn expressions_continue_on_the_next_line_if_they_must() {
    check("var a = b\n  ? c\n  : d\nvar e = 1 +\n  2", &["Var a = _", "Var e = _"]);
    check("var a = {\n  b: c\n    .d\n  e: f ??\n  g\n  ...h\n}", &["Var a = {b: _, e: _, ..._}"]);
    check("type t =\n  | 'a'\n  | 'b'\nvar x = 1", &["Type t = _", "Var x = _"]);
    check("type t = {\n  a: string?\n  *: int\n}", &["Type t = {a: _, *: _}"]);
    check("var a = f(\n  1\n  ,\n  2\n)", &["Var a = _"]);
    check("var a = { b: 1 <= 2 && 3 >= x || y !~ z }", &["Var a = {b: _}"]);
    check("var a = -1\nvar b = [\n  -1\n  -2\n]", &["Var a = _", "Var b = [_, _]"]);
}

#[test]
fn strings_may_hold_anything() {
    check(r"var a = 'it\'s ${b('}', '${c}')} }'", &["Var a = _"]);
    check("var a = '''\n'' } ${x\n'''\nvar b = ''''q''''\nvar c = ''''''", &["Var a = _", "Var b = _", "Var c = _"]);
    check("var a = $'''\n${b('{')} $ {\n'''\nvar d = $$'''${x $${y}'''", &["Var a = _", "Var d = _"]);
    check("var a = {\n  'b c': 1\n  '${d}': 2\n}", &["Var a = {b c: _, '${d}': _}"]);
}

#[test]
fn comments_and_directives_are_skipped() {
    check(
        "// one\n#disable-next-line no-unused-vars // why\nvar a = /* {\n */ {\n  #disable-next-line BCP001\n  b: 1 // }\n}",
        &["Var a = {b: _}"],
    );
}

#[test]
fn decorators_belong_to_what_follows() {
    check(
        "@sys.description('a')\n// b\n@allowed([\n  'c'\n])\n@metadata({\n  d: 'e'\n})\nparam f string",
        &["@description(_) @allowed([_]) @metadata({d: _}) Param f : _"],
    );
}

#[test]
fn ranges_are_exact() {
    let text = "@secure()\nparam a string = 'x' // c\nresource b 'T' = if (a) {\n  'c': [1, 2]  \n}\n";
    let (file, _) = read_text(text);
    let [param, resource] = file.declarations.as_slice() else { panic!("{:?}", outlines(&file)) };
    assert_eq!(file.slice(param.range), "param a string = 'x'");
    assert_eq!(file.slice(param.decorators[0].range), "@secure()");
    assert_eq!(file.slice(param.annotation.as_ref().unwrap().range), "string");
    assert_eq!(file.slice(resource.condition().unwrap().range), "a");
    let Shape::Object(members) = &resource.body().unwrap().shape else { panic!("{resource:?}") };
    let ObjectItem::Property(property) = &members[0] else { panic!("{members:?}") };
    assert_eq!(file.slice(property.range()), "'c': [1, 2]");
    assert_eq!(file.slice(property.value.range), "[1, 2]");
    assert_eq!(resource.kind, DeclarationKind::Resource);
}

#[test]
fn what_cannot_be_read_loses_only_itself() {
    fails(
        "var a = {\n  b: 1\n  =\n  c: 2\n}\nvar d = 1",
        &["Var a = {b: _, c: _}", "Var d = _"],
        &["3:3 expected the name of a property, found `=`"],
    );
    fails("hello world\nvar a = 1", &["Var a = _"], &["1:1 expected a declaration, found `hello`"]);
    fails("param\nvar a = 1", &["Param ", "Var a = _"], &["1:6 expected a name, found the end of the line"]);
    fails("var a =\nvar b = 1", &["Var a", "Var b = _"], &["2:1 expected a value after `=`, found `var`"]);
    fails("var a = 'b\nvar c = 1", &["Var a = _", "Var c = _"], &["1:9 the string is not closed"]);
    fails("var a = 'b${c\nvar d = 1", &["Var a = _", "Var d = _"], &["1:9 the string is not closed"]);
    fails("var a = 1 /* b\nvar c = 1", &["Var a = _"], &["1:11 the comment is not closed; expected `*/`"]);
    fails(
        "var a = )\nvar b = 1",
        &["Var a = _", "Var b = _"],
        &["1:9 expected a value after `=`, found `)`", "1:9 expected the end of the line, found `)`"],
    );
}

#[test]
fn an_open_bracket_ends_before_the_next_declaration() {
    let open = "1:9 the bracket is not closed";
    fails("var a = {\n  b: 1\nvar c = 1", &["Var a = {b: _}", "Var c = _"], &[open]);
    fails("var a = [\n  1\n\nparam c string", &["Var a = [_]", "Param c : _"], &[open]);
    fails("var a = f(\nparam c string", &["Var a = _", "Param c : _"], &["1:10 the bracket is not closed"]);
    fails("var a = { b: [1 }\nvar c = 1", &["Var a = {b: [_]}", "Var c = _"], &["1:14 the bracket is not closed"]);
    fails("var a = {", &["Var a = {}"], &[open]);
}

#[test]
fn hostile_texts_end() {
    for piece in [
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
    ] {
        for text in [piece.repeat(50_000), format!("var a = {}", piece.repeat(50_000))] {
            read_text(&text);
        }
    }
    let (_, problems) = read_text(&format!("var a = {}1{}", "[".repeat(500), "]".repeat(500)));
    assert_eq!(problems, ["1:109 brackets are nested more than 100 deep"]);
    let (file, _) = read_text(&"=\n".repeat(10_000));
    assert!(file.declarations.is_empty());
}

#[test]
fn every_prefix_of_a_text_is_read() {
    let text = "import { a as b } from 'c'\n@d([1, {e: 'f${g('h')}'}])\nparam i { j: 'k' }[]? = [for l in m: if]\nresource n 'o@p' = [for (q, r) in s: if (t) {\n  ...u\n  'ü': v ? w : '''x'''\n  resource y 'z' existing = {\n  }\n}]\nfunc f(a int) int => /* b */ a\n";
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        read_text(text.get(..end).unwrap());
    }
    let (_, problems) = read_text(text);
    assert_eq!(problems, [""; 0]);
}
