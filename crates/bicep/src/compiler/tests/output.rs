//! What the compiler makes of what few files have.

use super::*;

/// The template, which there is without a problem.
fn template(main: &str, others: &[(&str, &str)]) -> Value {
    let (made, _) = compiled(main, others);
    assert!(made.problems.is_empty(), "{main}: {:?}", made.problems);
    made.template.unwrap()
}

/// The value at a path of names.
fn at(value: &Value, path: &str) -> String {
    path.split('/').try_fold(value, |value, name| value.get(name)).map_or_else(String::new, Value::to_json)
}

#[test]
fn outputs_are_read_from_every_expression_that_is_a_module() {
    let module = [("m.bicep", "output x string = 'x'"), ("s.bicep", "@secure()\noutput x string = 'x'")];
    let modules = "param c bool
module a 'm.bicep' = { name: 'a' }
module b 'm.bicep' = { name: 'b' }
module all 'm.bicep' = [for i in [1, 2]: { name: 'm${i}' }]
";
    for (value, expected) in [
        ("map(all, m => m.outputs.x)", "map(references('all'), lambda('m', lambdaVariables('m').outputs.x.value))"),
        ("(c ? a : b).outputs.x", "if(parameters('c'), reference('a'), reference('b')).outputs.x.value"),
        (
            "(c ? a : b).outputs.?x",
            "tryGet(tryGet(if(parameters('c'), reference('a'), reference('b')).outputs, 'x'), 'value')",
        ),
        (
            "map(all, m => m.?outputs.x)",
            "map(references('all'), lambda('m', tryGet(lambdaVariables('m'), 'outputs', 'x', 'value')))",
        ),
        (
            "map([{ outputs: { x: 1 } }], m => m.outputs.x)",
            "map(createArray(createObject('outputs', createObject('x', 1))), lambda('m', lambdaVariables('m').outputs.x))",
        ),
    ] {
        // A loop as a whole needs symbolic names.
        let made =
            template(&format!("{modules}var whole = map(all, m => m.name)\noutput o object = any({value})"), &module);
        let found = at(&made, "outputs/o/value");
        assert_eq!(found, Value::from(format!("[{expected}]")).to_json(), "{value}");
    }
}

#[test]
fn what_is_loaded_is_no_loop_and_has_fractions_as_formulas() {
    let data = r#"{"copy": [{"name": "x", "count": 2, "input": "a"}], "in": {"Copy": 1}, "[f]": 1.5}"#;
    let made = template("var v = loadJsonContent('d.json')", &[("d.json", data)]);
    let expected = r#"{"[string('copy')]":[{"name":"x","count":2,"input":"a"}],"in":{"[string('Copy')]":1},"[[f]":"[json('1.5')]"}"#;
    assert_eq!(at(&made, "variables/$fxv#0"), expected);
}

#[test]
fn references_to_types_are_escaped() {
    let made = template("type t = {\n  'a/b': int\n  'c%d é': bool\n}\ntype u = t['a/b']\ntype v = t['c%d é']", &[]);
    assert_eq!(at(&made, "definitions/u"), r##"{"$ref":"#/definitions/t/properties/a~1b"}"##);
    assert_eq!(at(&made, "definitions/v"), r##"{"$ref":"#/definitions/t/properties/c%25d%20%C3%A9"}"##);
}

#[test]
fn metadata_comes_before_limits_if_more_than_a_description_is_given() {
    let order = |decorators: &str| at(&template(&format!("{decorators}\nparam p string"), &[]), "parameters/p");
    assert_eq!(
        order("@description('d')\n@minLength(1)"),
        r#"{"type":"string","minLength":1,"metadata":{"description":"d"}}"#
    );
    assert_eq!(
        order("@description('d')\n@maxLength(2)\n@minLength(1)\n@metadata({ a: 1 })"),
        r#"{"type":"string","metadata":{"a":1,"description":"d"},"minLength":1,"maxLength":2}"#
    );
    let exported = template("@export()\n@minLength(1)\ntype t = string", &[]);
    assert_eq!(
        at(&exported, "definitions/t"),
        r#"{"type":"string","metadata":{"__bicep_export!":true},"minLength":1}"#
    );
}
