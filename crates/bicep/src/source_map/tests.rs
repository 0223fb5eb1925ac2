//! Pointers into small templates, and the text that each leads to.

use std::sync::Arc;

use foldhash::HashMap;

use arcstr::ArcStr;

use crate::language::{SyntaxTree, parse};
use crate::source_map::{Exactness, ModuleFile, Modules, SourceMap, pointer_at};
use crate::syntax::json;
use crate::text::{FileId, Sources};
use crate::value::Value;

/// Modules by their path, wherever they are named.
#[derive(Default)]
struct Folder(HashMap<String, ModuleFile>);

impl Modules for Folder {
    fn open(&mut self, _: FileId, path: &str) -> Option<ModuleFile> {
        self.0.get(path).cloned()
    }
}

struct Project {
    sources: Sources,
    folder: Folder,
    map: Option<SourceMap>,
}

impl Project {
    fn new() -> Self {
        Self { sources: Sources::new(), folder: Folder::default(), map: None }
    }

    fn bicep(&self, name: &str, text: &str) -> Arc<SyntaxTree> {
        let text = ArcStr::from(text);
        let tree = parse(self.sources.add(name, text.clone()), &text);
        assert!(tree.problems.is_empty(), "{:?}", tree.problems);
        Arc::new(tree)
    }

    fn json(&self, name: &str, text: &str) -> Value {
        let text = ArcStr::from(text);
        json::parse(self.sources.add(name, text.clone()), &text, 64).value.unwrap()
    }

    fn with_module(mut self, path: &str, text: &str) -> Self {
        let module = if !path.ends_with("json") {
            ModuleFile::Bicep(self.bicep(path, text))
        } else {
            ModuleFile::Template(self.json(path, text))
        };
        self.folder.0.insert(path.to_owned(), module);
        self
    }

    fn compiled(mut self, bicep: &str, template: &str) -> Self {
        let (entry, template) = (self.bicep("main.bicep", bicep), self.json("main.json", template));
        self.map = Some(SourceMap::new(entry, &template, &mut self.folder));
        self
    }

    /// The place of a pointer as `file:line text`, with `~` before what is only near.
    fn place(&self, pointer: &str) -> String {
        let place = self.map.as_ref().unwrap().locate(pointer);
        let source = self.sources.get(place.span.file);
        let text = source.text().get(place.span.start as usize..place.span.end as usize).unwrap();
        let mark = match place.exactness {
            Exactness::Exact => "",
            Exactness::Nearest => "~",
            Exactness::Generated => "-",
        };
        let line = source.position(place.span.start).line;
        let first = text.lines().next().unwrap_or_default();
        format!("{mark}{}:{line} {first}", source.name())
    }
}

/// Checks pointers into the template of one file: `line text`.
#[track_caller]
fn check(bicep: &str, template: &str, expected: &[(&str, &str)]) {
    let project = Project::new().compiled(bicep, template);
    for (pointer, wanted) in expected {
        assert_eq!(project.place(pointer).replace("main.bicep:", ""), *wanted, "{pointer}");
    }
}

const RESOURCES: &str = "resource parent 'A/b@1' = if (yes) {
  name: 'p'
  properties: {
    list: [
      { size: 1 }
    ]
    each: [for x in xs: {
      id: x
    }]
  }
  resource child 'c' = [for x in xs: {
    name: x
  }]
}
resource known 'A/b@1' existing = {
  name: 'k'
}
resource other 'A/b@1' = {
  name: 'o'
}";

#[test]
fn resources_are_found_by_their_order_and_by_their_name() {
    let body = r#""type": "A/b", "condition": 1, "name": "p", "properties": {"list": [{"size": 1}], "copy": [{"name": "each", "count": "[1]", "input": {"id": "[1]"}}]}"#;
    let list = format!(
        r#"{{"resources": [{{"type": "A/b/c", "copy": {{"name": "child", "count": 1}}, "name": "x"}}, {{{body}}}, {{"type": "A/b", "name": "o"}}]}}"#
    );
    let named = format!(
        r#"{{"resources": {{"parent::child": {{"type": "A/b/c", "copy": {{}}}}, "parent": {{{body}}}, "known": {{"existing": true}}, "other": {{}}}}}}"#
    );
    for (template, [child, parent, other]) in [(&list, ["0", "1", "2"]), (&named, ["parent::child", "parent", "other"])]
    {
        let project = Project::new().compiled(RESOURCES, template);
        let check = |site: &str, path: &str, wanted: &str| {
            let pointer = format!("/resources/{site}{path}");
            assert_eq!(project.place(&pointer).replace("main.bicep:", ""), wanted, "{pointer}");
        };
        check(child, "", "11 resource child 'c' = [for x in xs: {");
        check(child, "/name", "12 name: x");
        check(child, "/copy/count", "11 xs");
        check(parent, "/type", "1 'A/b@1'");
        check(parent, "/condition", "1 yes");
        check(parent, "/properties/list/0/size", "5 size: 1");
        check(parent, "/properties/copy", "7 each: [for x in xs: {");
        check(parent, "/properties/copy/0/count", "7 xs");
        check(parent, "/properties/copy/0/input/id", "8 id: x");
        check(parent, "/properties/each/3/id", "8 id: x");
        check(parent, "/properties/missing", "~3 properties: {");
        check(other, "/name", "19 name: 'o'");
    }
}

#[test]
fn a_template_older_than_its_source_still_finds_its_resources() {
    check(
        "resource new 'A/new@1' = {}\nresource a 'A/b@1' = {\n  name: 'a'\n}\nresource c 'A/c@1' = {}",
        r#"{"resources": [{"type": "A/c"}, {"type": "A/gone"}, {"type": "A/b", "name": "a"}]}"#,
        &[("/resources/0", "5 resource c 'A/c@1' = {}"), ("/resources/1", "-1 "), ("/resources/2/name", "3 name: 'a'")],
    );
}

#[test]
fn what_an_expression_evaluates_to_is_looked_for_in_its_literals() {
    let bicep = "var base = {
  fromBase: 1
}
resource a 'A/b@1' = {
  properties: union(base, {
    one: 1
  }, yes ? {
    two: { three: 3 }
  } : {})
  tags: {
    ...base
    own: 2
  }
  sku: base
  either: yes ? { x: 1 } : { x: 2 }
}";
    let template = r#"{"resources": {"a": {"properties": "[union()]", "tags": "[shallowMerge()]", "sku": "[variables('base')]", "either": "[if()]"}}}"#;
    check(
        bicep,
        template,
        &[
            ("/resources/a/properties/one", "6 one: 1"),
            ("/resources/a/properties/two/three", "8 three: 3"),
            ("/resources/a/properties/fromBase", "~5 properties: union(base, {"),
            ("/resources/a/tags/own", "12 own: 2"),
            ("/resources/a/tags/fromBase", "2 fromBase: 1"),
            ("/resources/a/sku/fromBase", "2 fromBase: 1"),
            ("/resources/a/either/x", "~15 either: yes ? { x: 1 } : { x: 2 }"),
        ],
    );
}

#[test]
fn variables_that_lead_in_circles_end() {
    let bicep = "var a = {\n  ...b\n  ...b\n}\nvar b = {\n  ...a\n  ...a\n}";
    check(bicep, r#"{"variables": {"a": "[b]"}}"#, &[("/variables/a/x", "~1 {")]);
}

#[test]
fn computed_names_are_matched_in_order() {
    let bicep = "var v = {\n  '${a}': 1\n  b: 2\n  'x${c}': 3\n  copy: 4\n  '[d]': 5\n}";
    let template = r#"{"variables": {"v": {"[format('{0}', 1)]": 1, "b": 2, "[format('x{0}', 2)]": 3, "[string('copy')]": 4, "[[d]": 5}}}"#;
    check(
        bicep,
        template,
        &[
            ("/variables/v/[format('{0}', 1)]", "2 '${a}': 1"),
            ("/variables/v/[format('x{0}', 2)]", "4 'x${c}': 3"),
            ("/variables/v/[string('copy')]", "5 copy: 4"),
            ("/variables/v/[[d]", "6 '[d]': 5"),
        ],
    );
}

#[test]
fn declarations_are_found_with_their_decorators() {
    let bicep = "@description('d')
@allowed([
  'a'
  'b'
])
param p string = 'a'
var v = [
  1
]
var w = [
  for x in v: { y: x }
]
@metadata({
  m: 1
})
output o array = [for x in v: {
  z: x
}]
metadata owner = 'me'
func f(a string) string => 'x'
assert sane = true";
    let template = r#"{"parameters": {"p": {}}, "variables": {"copy": [{"name": "w", "input": {"y": 1}}], "v": [1]}}"#;
    check(
        bicep,
        template,
        &[
            ("/parameters/p", "6 param p string = 'a'"),
            ("/parameters/p/type", "6 string"),
            ("/parameters/p/defaultValue", "6 'a'"),
            ("/parameters/p/metadata/description", "1 @description('d')"),
            ("/parameters/p/allowedValues", "2 @allowed(["),
            ("/parameters/p/allowedValues/1", "4 'b'"),
            ("/variables/v/0", "8 1"),
            ("/variables/copy/0/count", "11 v"),
            ("/variables/copy/0/input/y", "11 y: x"),
            ("/outputs/o/metadata/m", "14 m: 1"),
            ("/outputs/o/copy/count", "16 v"),
            ("/outputs/o/copy/input/z", "17 z: x"),
            ("/metadata/owner", "19 metadata owner = 'me'"),
            ("/functions/0/members/f/parameters/0/type", "20 string"),
            ("/functions/0/members/f/output/value", "20 'x'"),
            ("/asserts/sane", "21 assert sane = true"),
            ("/contentVersion", "-1 "),
            ("/parameters/gone", "-1 "),
            ("", "-1 "),
        ],
    );
}

#[test]
fn types_are_found_through_unions_and_names() {
    let bicep = "@sealed()
type t = {
  @minLength(3)
  name: string?
  list: {
    inner: int
  }[]
}
type tuple = [
  @description('first')
  string
]
type rest = {
  *: int
}
type cat = { kind: 'cat'
  lives: int
}
type pet = cat | { kind: 'dog' }";
    let template =
        r#"{"definitions": {"pet": {"discriminator": {"mapping": {"cat": {"$ref": "x"}, "dog": {}}}}, "inline": {}}}"#;
    check(
        bicep,
        template,
        &[
            ("/definitions/t/additionalProperties", "1 @sealed()"),
            ("/definitions/t/properties/name", "4 name: string?"),
            ("/definitions/t/properties/name/minLength", "3 @minLength(3)"),
            ("/definitions/t/properties/list/items/properties/inner/type", "6 int"),
            ("/definitions/tuple/prefixItems/0/metadata/description", "10 @description('first')"),
            ("/definitions/rest/additionalProperties/type", "14 int"),
            ("/definitions/pet/discriminator/mapping/dog", "19 { kind: 'dog' }"),
            ("/definitions/pet/discriminator/mapping/cat/$ref", "19 cat | { kind: 'dog' }"),
        ],
    );
}

#[test]
fn imported_names_are_found_at_their_import() {
    let bicep =
        "import {\n  foo\n  bar as baz\n} from 'a.bicep'\nimport * as b from 'b.bicep'\nvar mine = [foo, baz, b.qux]";
    let template = r#"{"variables": {"foo": "[variables('_1.hidden')]", "baz": 1, "_1.hidden": 1, "_2.qux": 2},
      "definitions": {"_2.t": {"metadata": {"__bicep_imported_from!": {"sourceTemplate": "b.bicep"}}}}}"#;
    check(
        bicep,
        template,
        &[
            ("/variables/foo", "2 foo"),
            ("/variables/baz", "3 bar as baz"),
            ("/variables/_1.hidden", "2 foo"),
            ("/variables/_2.qux", "5 import * as b from 'b.bicep'"),
            ("/definitions/_2.t/type", "5 import * as b from 'b.bicep'"),
        ],
    );
}

#[test]
fn loaded_files_are_found_at_their_call() {
    let bicep = "var v = {\n  a: concat(loadTextContent('x'),\n    loadJsonContent('y'))\n}";
    let template = r#"{"variables": {"$fxv#0": "x", "$fxv#1": {}, "v": {"a": "[concat(variables('$fxv#0'), variables('$fxv#1'))]"}}}"#;
    check(
        bicep,
        template,
        &[("/variables/$fxv#0", "2 loadTextContent('x'),"), ("/variables/$fxv#1", "3 loadJsonContent('y'))")],
    );
}

const CALL: &str = "module m 'm.bicep' = {
  params: {
    size: 1
    tags: { a: 'b' }
    each: [for x in xs: x]
  }
}";

fn called(template: &str) -> String {
    let parameters = r#"{"size": {"value": 1}, "tags": {"value": {"a": "b"}}, "each": {"copy": [{"name": "value"}]}}"#;
    format!(r#"{{"resources": {{"m": {{"properties": {{"parameters": {parameters}, "template": {template}}}}}}}}}"#)
}

#[test]
fn arguments_of_modules_are_found() {
    check(
        CALL,
        &called("{}"),
        &[
            ("/resources/m/properties/parameters", "2 params: {"),
            ("/resources/m/properties/parameters/size/value", "3 size: 1"),
            ("/resources/m/properties/parameters/tags/value/a", "4 a: 'b'"),
            ("/resources/m/properties/parameters/each/copy/0/input", "5 x"),
            ("/resources/m/properties/mode", "~1 module m 'm.bicep' = {"),
        ],
    );
}

#[test]
fn local_modules_are_entered_and_the_way_is_kept() {
    let template = r#"{"resources": [{"type": "A/b", "name": "x"}]}"#;
    let project = Project::new()
        .with_module("m.bicep", "resource r 'A/b@1' = {\n  name: 'x'\n}")
        .compiled(CALL, &called(template));
    let pointer = "/resources/m/properties/template/resources/0/name";
    assert_eq!(project.place(pointer), "m.bicep:2 name: 'x'");
    let place = project.map.as_ref().unwrap().locate(pointer);
    let file = project.sources.get(place.outermost().file);
    assert_eq!((&**file.name(), place.through.len()), ("main.bicep", 1));
}

#[test]
fn modules_in_json_are_entered() {
    let project = Project::new()
        .with_module("m.json", "{\n  \"outputs\": {\n    \"o\": {\"value\": 1}\n  }\n}")
        .compiled(&CALL.replace("m.bicep", "m.json"), &called(r#"{"outputs": {"o": {"value": 1}}}"#));
    assert_eq!(project.place("/resources/m/properties/template/outputs/o/value"), "m.json:3 \"value\": 1");
}

#[test]
fn modules_elsewhere_are_placed_at_their_statement() {
    for path in ["m.bicep", "br/public:avm/res/x:1.0"] {
        let bicep = CALL.replace("m.bicep", path);
        let first = bicep.lines().next().unwrap();
        let template = called(r#"{"resources": {"r": {"name": "x"}}}"#);
        let wanted = format!("~1 {first}");
        check(&bicep, &template, &[("/resources/m/properties/template/resources/r/name", &wanted)]);
    }
}

#[test]
fn a_span_of_the_template_has_a_pointer() {
    let project = Project::new();
    let text = r#"{"a/b": [1, {"c~": "text"}], "d": 2}"#;
    let value = project.json("x.json", text);
    let file = value.span.unwrap().file;
    let pointer = |needle: &str| {
        let start = u32::try_from(text.find(needle).unwrap()).unwrap();
        let end = start + u32::try_from(needle.len()).unwrap();
        pointer_at(&value, crate::text::Span::new(file, start, end))
    };
    assert_eq!(pointer("ex").as_deref(), Some("/a~1b/1/c~0"));
    assert_eq!(pointer("\"c~\"").as_deref(), Some("/a~1b/1/c~0"));
    assert_eq!(pointer("1").as_deref(), Some("/a~1b/0"));
    assert_eq!(pointer("2").as_deref(), Some("/d"));
    assert_eq!(pointer(text).as_deref(), Some(""));
}
