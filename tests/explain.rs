//! `formwork explain`. What it prints for people is held by `docs/explain.md`.

use serde_json::json;

use crate::harness::{Ended, Folder, parameters, template};

fn explain(folder: &Folder, arguments: &[&str]) -> Ended {
    let mut all = vec!["explain"];
    all.extend(arguments);
    folder.run(&all)
}

/// The steps of the only value that a path of `main.json` leads to, as `kind name file:line:column`.
#[track_caller]
fn check(folder: &Folder, arguments: &[&str], value: &serde_json::Value, steps: &[&str]) {
    let ended = explain(folder, &[arguments, &["--format", "json"]].concat());
    assert_eq!(ended.code, 0, "{ended:?}");
    let explained = ended.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let chain = explained["chain"].as_array().unwrap().iter().map(|it| {
        let (kind, name, file) = (text(&it["step"]), text(&it["name"]), text(&it["file"]));
        format!("{kind} {name} {file}:{}:{}", it["line"], it["column"]).replace("  ", " ")
    });
    assert_eq!(
        (&explained["value"], chain.collect::<Vec<_>>()),
        (value, steps.iter().map(ToString::to_string).collect())
    );
}

#[track_caller]
fn check_wrong(folder: &Folder, path: &str, expected: &str) {
    let ended = explain(folder, &["main.json", path]);
    assert_eq!((ended.stderr, ended.stdout, ended.code), (format!("error: {expected}\n"), String::new(), 2), "{path}");
}

const SITES: &str = r#""parameters": {
    "names": {"type": "array", "defaultValue": ["a", "b", "c"]},
    "tier": {"type": "string", "defaultValue": "Free"},
    "gone": {"type": "bool", "defaultValue": false}
  },
  "variables": {"sku": {"tier": "[parameters('tier')]"}},
  "resources": [
    {
      "copy": {"name": "sites", "count": "[length(parameters('names'))]"},
      "type": "Microsoft.Web/sites", "apiVersion": "2022-09-01",
      "name": "[parameters('names')[copyIndex()]]",
      "tags": {"a.b": "x", "first": "[equals(copyIndex(), 0)]"},
      "sku": "[variables('sku')]",
      "properties": {"nothing": "[null()]"}
    },
    {
      "condition": "[parameters('gone')]",
      "type": "Microsoft.Web/serverfarms", "apiVersion": "2022-09-01", "name": "plan"
    }
  ],
  "outputs": {"size": {"type": "int", "value": "[length(parameters('names'))]"}}"#;

fn sites() -> Folder {
    let folder = Folder::new();
    folder.write("main.json", template(SITES));
    folder
}

#[test]
fn a_chain_leads_from_the_property_to_the_origin() {
    let folder = sites();
    let path = ["main.json", "Resources[0].SKU.tier", "--name", "B"];
    let nearer = ["expression main.json:16:14", "variable sku main.json:9:33"];
    let of_default = [nearer[0], nearer[1], "default tier main.json:6:48"];
    check(&folder, &path, &json!("Free"), &of_default);
    folder.write("p.json", parameters(r#""tier": {"value": "Basic"}"#));
    let of_file = [nearer[0], nearer[1], "parameter tier p.json:1:160"];
    check(&folder, &[&path[..], &["--parameters", "p.json"]].concat(), &json!("Basic"), &of_file);
    let of_flag = [nearer[0], nearer[1], "parameter tier --set tier:1:1"];
    check(&folder, &[&path[..], &["--set", "tier=Basic"]].concat(), &json!("Basic"), &of_flag);
}

#[test]
fn parameters_and_outputs_are_explained_by_what_gives_them_their_value() {
    let folder = sites();
    check(&folder, &["main.json", "parameters.tier"], &json!("Free"), &["default tier main.json:6:48"]);
    check(&folder, &["main.json", "parameters.tier.type"], &json!("string"), &["text main.json:6:14"]);
    let steps = ["expression main.json:24:39", "default names main.json:5:48"];
    check(&folder, &["main.json", "outputs.size"], &json!(3), &steps);
}

/// The paths that are explained of a line or a name.
fn explained(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let ended = explain(folder, &[arguments, &["--format", "json", "--bicep", "builtin"]].concat());
    assert_eq!(ended.code, 0, "{ended:?}");
    let path =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].as_str().map(str::to_owned);
    ended.stdout.lines().filter_map(path).collect()
}

#[test]
fn a_line_of_a_parameter_file_means_the_parameter() {
    let folder = Folder::new();
    folder.write("main.json", template(SITES));
    folder.write(
        "main.parameters.json",
        parameters("\n\"tier\": {\n\"value\": \"Basic\"},\n\"names\": {\"value\": [\n\"x\"]}"),
    );
    let at = |line: u32| explained(&folder, &[&format!("main.parameters.json:{line}")]);
    assert_eq!((at(2), at(3)), (vec!["parameters.tier".to_owned()], vec!["parameters.tier".to_owned()]));
    assert_eq!((at(4), at(5)), (vec!["parameters.names".to_owned()], vec!["parameters.names[0]".to_owned()]));
    let ended = explain(&folder, &["main.parameters.json:1"]);
    assert_eq!(ended.stderr, "error: no value of a parameter begins on line 1 of `main.parameters.json`\n");
    // Only the names of parameters count.
    folder.write(
        "main.parameters.json",
        parameters("\"tier\": {\n\"metadata\": {\n\"names\": 1},\n\"value\": \"Basic\"}"),
    );
    let ended = explain(&folder, &["main.parameters.json:3"]);
    assert_eq!(ended.stderr, "error: no value of a parameter begins on line 3 of `main.parameters.json`\n");
}

#[test]
fn a_line_of_a_bicep_parameter_file_means_the_parameter() {
    let folder = Folder::new();
    folder.write(
        "main.bicep",
        "param tags object\n\nresource plan 'Microsoft.Web/serverfarms@2022-09-01' = {\n  name: 'p'\n  tags: tags\n}\n",
    );
    folder.write("main.bicepparam", "using 'main.bicep'\n\nparam tags = {\n  a: 'b'\n}\n");
    let at = |line: u32| explained(&folder, &[&format!("main.bicepparam:{line}")]);
    assert_eq!((at(3), at(4)), (vec!["parameters.tags".to_owned()], vec!["parameters.tags.a".to_owned()]));
}

#[test]
fn a_name_of_bicep_means_what_the_file_declares_before_what_its_modules_declare() {
    let folder = Folder::new();
    let plan = |symbol: &str, name: &str| {
        format!("resource {symbol} 'Microsoft.Web/serverfarms@2022-09-01' = {{\n  name: '{name}'\n}}\n")
    };
    folder.write("main.bicep", format!("module a 'm.bicep' = {{\n  name: 'm'\n}}\n\n{}", plan("b", "p")));
    folder.write("m.bicep", plan("a", "q") + &plan("c", "r"));
    let of = |name: &str| explained(&folder, &["main.bicep", name]);
    let inner = "resources[1].properties.template.resources";
    assert_eq!(of("a.name"), ["resources[1].name"]);
    assert_eq!(of("b.name"), ["resources[0].name"]);
    assert_eq!(of("c.name"), [format!("{inner}[1].name")]);
}

#[test]
fn a_name_with_a_dot_is_written_in_brackets() {
    let steps = ["text main.json:15:16"];
    check(&sites(), &["main.json", "resources[0].tags['a.b']", "--name", "a"], &json!("x"), &steps);
}

#[test]
fn identical_iterations_are_reported_once() {
    let folder = sites();
    let ended = explain(&folder, &["main.json", "resources[0].tags.first"]);
    assert_eq!(ended.stdout.matches("resources[0].tags.first = ").count(), 2, "{ended:?}");
    assert!(ended.stdout.contains("= also in: `c`\n"), "{ended:?}");
    let ended = explain(&folder, &["main.json", "resources[0].tags.first", "--format", "json"]);
    assert_eq!(ended.stdout.lines().count(), 3, "{ended:?}");
}

#[test]
fn a_path_that_leads_nowhere_says_how_far_it_goes() {
    let folder = sites();
    check_wrong(&folder, "resources[0].tag", "`resources[0]` has no property `tag`, did you mean `tags`?");
    check_wrong(
        &folder,
        "resources[0].tags.other",
        "`resources[0].tags` has no property `other`; expected one of `a.b`, `first`",
    );
    check_wrong(&folder, "resources[0].name.x", "`resources[0].name` is of kind string and has no `x`");
    check_wrong(&folder, "resources[2]", "there is no resource `resources[2]`; expected `resources[0]`");
    check_wrong(&folder, "parameters.names[3]", "`parameters.names` has 3 items; there is no `[3]`");
    check_wrong(&folder, "parameters.names.x", "`parameters.names` is an array; expected an index before `x`");
    check_wrong(&folder, "output.size", "the template has no property `output`, did you mean `outputs`?");
    check_wrong(
        &folder,
        "resources[1].name",
        "there is no resource `resources[1]`; expected `resources[0]`; \
         it is written at main.json:21:80, but a condition is false, a loop is empty, or it is `null`",
    );
    check_wrong(&folder, "a[1", "`a[1` is not a path: expected `]`");
}

mod secrets {
    use super::*;

    const MEMBERS: &str = r#""parameters": {
    "password": {"type": "secureString", "defaultValue": "hunter2"}, "user": {"type": "string", "defaultValue": "me"},
    "settings": {"type": "secureObject", "defaultValue": {"key": "hunter2"}}
  },
  "variables": {"both": "[concat(parameters('user'), parameters('password'))]", "key": "[parameters('settings').key]"},
  "resources": [],
  "outputs": {"key": {"type": "object", "value": {"a": "[variables('key')]"}}}"#;

    #[track_caller]
    fn check_hidden(arguments: &[&str]) {
        let folder = Folder::new();
        folder
            .write("main.json", template(MEMBERS))
            .write("p.json", parameters(r#""password": {"value": "hunter2"}, "user": {"value": "you"}"#));
        for format in ["console", "json"] {
            let ended = explain(&folder, &[arguments, &["--format", format]].concat());
            assert!(ended.code == 0 && !ended.stdout.is_empty(), "{ended:?}");
            assert!(!ended.stdout.contains("hunter2") && !ended.stderr.contains("hunter2"), "{ended:?}");
        }
    }

    #[test]
    fn neither_a_secret_nor_what_is_made_of_one_is_shown() {
        check_hidden(&["main.json", "parameters.password"]);
        check_hidden(&["main.json", "parameters.settings.key"]);
        check_hidden(&["main.json", "variables.both"]);
        check_hidden(&["main.json", "variables.key"]);
        check_hidden(&["main.json", "outputs.key"]);
        check_hidden(&["main.json", "parameters.password", "--set", "password=hunter2"]);
    }

    #[test]
    fn the_declaration_of_a_secret_is_shown_without_its_default() {
        check_hidden(&["main.json", "parameters"]);
        check_hidden(&["main.json", "parameters.password.defaultValue"]);
        check_hidden(&["main.json", "parameters.password.defaultValue", "--parameters", "p.json"]);
    }

    #[test]
    fn a_line_that_a_secret_stands_in_is_not_shown_for_what_stands_beside_it() {
        check_hidden(&["main.json", "parameters.user"]);
        check_hidden(&["main.json", "parameters.user", "--parameters", "p.json"]);
    }
}

#[test]
fn a_secret_object_is_masked_where_it_is_written() {
    let folder = Folder::new();
    folder.write(
        "main.json",
        template(
            r#""parameters": {"s": {"type": "secureObject", "defaultValue": {"p": ["hunter2"]}}}, "resources": []"#,
        ),
    );
    let ended = explain(&folder, &["main.json", "parameters.s.defaultValue"]);
    assert!(ended.stdout.contains("{{Secret}}") && !ended.stdout.contains("hunter2"), "{ended:?}");
}
