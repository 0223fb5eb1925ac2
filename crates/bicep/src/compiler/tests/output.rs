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

/// The template of a file with a `bicepconfig.json`.
fn configured(main: &str, configuration: &str) -> Value {
    template(main, &[("bicepconfig.json", configuration), ("m.bicep", "extension kubernetes as k8s\noutput x int = 1")])
}

#[test]
fn resources_of_extensions_name_theirs() {
    let configuration =
        r#"{"extensions": {"graph": "br:mcr.microsoft.com/bicep/extensions/microsoftgraph/v1.0:0.1.9-preview"}}"#;
    let main = "extension kubernetes with { namespace: 'n', kubeConfig: 'c' } as k8s
extension graph
extension 'br:mcr.microsoft.com/bicep/extensions/microsoftgraph/beta:1.0.0'
resource s 'core/Service@v1' = { metadata: { name: 's' } }
resource d 'k8s:apps/Deployment@v1' = { metadata: { name: 'd' } }
resource g 'Microsoft.Graph/groups@v1.0' = { displayName: 'g' }
resource b 'Microsoft.Graph/groups@beta' existing = { uniqueName: g.uniqueName }
resource a 'az:Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 'a' }
output o string = a.properties.primaryEndpoints.blob
";
    let made = configured(main, configuration);
    let imports = r#"{"k8s":{"provider":"Kubernetes","version":"1.0.0","config":{"namespace":"n","kubeConfig":"c"}},"graph":{"provider":"MicrosoftGraph","version":"0.1.9-preview"},"MicrosoftGraphBeta":{"provider":"MicrosoftGraph","version":"1.0.0"}}"#;
    assert_eq!(at(&made, "imports"), imports);
    let import = |name: &str| at(&made, &format!("resources/{name}/import"));
    assert_eq!(
        ["s", "d", "g", "b", "a"].map(import),
        [r#""k8s""#, r#""k8s""#, r#""graph""#, r#""MicrosoftGraphBeta""#, ""]
    );
    let ty = |name: &str| at(&made, &format!("resources/{name}/type"));
    let types = [
        "core/Service@v1",
        "apps/Deployment@v1",
        "Microsoft.Graph/groups@v1.0",
        "Microsoft.Graph/groups@beta",
        "Microsoft.Storage/storageAccounts",
    ];
    assert_eq!(["s", "d", "g", "b", "a"].map(ty), types.map(|ty| Value::from(ty).to_json()));
}

#[test]
fn what_needs_an_experimental_feature_is_refused_without_it() {
    let check = |main: &str, expected: &str| assert_eq!(codes(main, &[("m.bicep", "")]), expected, "{main}");
    check("assert a = true", "1:1 BCP349");
    check("test t 'm.bicep' = {}", "1:1 BCP348");
    check("param p resource 'Microsoft.Storage/storageAccounts@2023-01-01'", "1:9 BCP231");
    check("module m 'm.bicep' = { extensionConfigs: {} }", "1:24 BCP037");
    check("extension microsoftGraph", "1:11 BCP407");
    check("extension other", "1:11 BCP204");
    let vault = "resource v 'Microsoft.KeyVault/vaults@2023-07-01' existing = { name: 'v' }";
    check(&format!("@patch()\n{vault}"), "1:2 BCP057");
    check(&format!("@waitUntil(x => true)\n{vault}"), "1:2 BCP057");
}

#[test]
fn experimental_features_change_what_is_made() {
    let on = |feature: &str| format!(r#"{{"experimentalFeaturesEnabled": {{"{feature}": true}}}}"#);
    let made = configured("", &on("symbolicNameCodegen"));
    assert_eq!([at(&made, "languageVersion"), at(&made, "resources")], [r#""2.0""#, "{}"]);
    let made = configured("assert a = true", &on("assertions"));
    let features = at(&made, "metadata/_EXPERIMENTAL_FEATURES_ENABLED");
    assert_eq!([at(&made, "languageVersion"), features], [r#""2.1-experimental""#, r#"["Asserts"]"#]);
    let refused = codes("", &[("bicepconfig.json", &on("resourceInfoCodegen"))]);
    assert_eq!(refused, "1:1 the experimental feature `resourceInfoCodegen` needs the Bicep CLI: `--bicep cli`");
    let main = "param p string
extension kubernetes with { namespace: p } as k8s
resource v 'Microsoft.KeyVault/vaults@2023-07-01' existing = { name: 'v' }
module m 'm.bicep' = {
  name: 'm'
  extensionConfigs: {
    k8s: { namespace: k8s.config.namespace, kubeConfig: v.getSecret('s'), context: 'c' }
  }
}
";
    let made = configured(main, &on("moduleExtensionConfigs"));
    assert_eq!(at(&made, "languageVersion"), r#""2.2-experimental""#);
    assert_eq!(at(&made, "extensions/k8s/config"), r#"{"namespace":{"defaultValue":"[parameters('p')]"}}"#);
    let given = r#"{"k8s":{"namespace":"[extensions('k8s').config.namespace]","kubeConfig":{"keyVaultReference":{"keyVault":{"id":"[resourceId('Microsoft.KeyVault/vaults', 'v')]"},"secretName":"s"}},"context":{"value":"c"}}}"#;
    assert_eq!(at(&made, "resources/m/properties/extensionConfigs"), given);
}

#[test]
fn this_is_the_resource_before_the_deployment() {
    let main = "resource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'a'
  kind: this.exists() ? this.existingResource().?kind : 'StorageV2'
}
";
    let made = template(main, &[]);
    let expected = r#""[if(not(empty(target('full'))), tryGet(target('full'), 'kind'), 'StorageV2')]""#;
    assert_eq!(at(&made, "resources/a/kind"), expected);
    assert_eq!(codes("var a = this.exists()", &[]), "1:9 BCP057");
}

#[test]
fn a_secure_output_is_read_from_the_module_itself() {
    let module = [("m.bicep", "@secure()\noutput s string = 'x'\noutput x string = 'x'")];
    let check = |value: &str, expected: &str| {
        let main = format!(
            "param c bool
module a 'm.bicep' = {{ name: 'a' }}
module b 'm.bicep' = {{ name: 'b' }}
module all 'm.bicep' = [for i in [1, 2]: {{ name: 'm${{i}}' }}]
var one = a
var either = c ? a : b
@secure()
output o object = {{
  o: {value}
}}
"
        );
        let made = compiled(&main, &module).0;
        let messages: Vec<&str> = made.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages.join("; "), expected, "{value}");
    };
    for direct in ["a", "a!", "(a)", "all[0]"] {
        check(&format!("{direct}.outputs.s"), "");
    }
    let refused = "the output `s` is secure, so it can only be read from the module itself";
    for indirect in ["one", "either", "(c ? a : b)"] {
        check(&format!("{indirect}.outputs.s"), refused);
        check(&format!("{indirect}.outputs.x"), "");
    }
    check("map(all, m => m.outputs.s)", refused);
}

#[test]
fn a_template_has_the_hash_of_itself_and_of_its_modules() {
    let module = "param p string\noutput o string = p\n";
    let main = "type t = string\nmodule m 'm.bicep' = {\n  name: 'm'\n  params: { p: 'x' }\n}\n";
    let hash = |made: &Value, path: &str| at(made, &format!("{path}metadata/_generator/templateHash"));
    let made = with_hashes(&template(main, &[("m.bicep", module)]));
    let inner = hash(&made, "resources/m/properties/template/");
    assert_eq!(inner, hash(&with_hashes(&template(module, &[])), ""));
    let digits = |text: &str| text.len() > 10 && text.trim_matches('"').bytes().all(|byte| byte.is_ascii_digit());
    assert!(digits(&inner) && digits(&hash(&made, "")), "{}", made.to_json());
    assert_ne!(inner, hash(&made, ""));
    // A template that has one, such as a module in JSON, keeps it.
    assert_eq!(with_hashes(&made).to_json(), made.to_json());
}

#[test]
fn a_parameter_file_may_refer_to_an_external_input_of_its_base() {
    let sources = Sources::new();
    let files = [
        ("main.bicep", "param a object\nparam b object\nparam c string"),
        ("base.bicepparam", "using none\nparam a = externalInput('k', 'x')\nparam b = { c: 1 }\nparam c = 'c'"),
        (
            "main.bicepparam",
            "using 'main.bicep'\nextends 'base.bicepparam'\nparam b = {\n  ...base.a\n  d: 'x'\n}\nparam c = '${base.a.n}-x'",
        ),
    ];
    let mut host = Memory::new(&sources, files);
    let made = compile_parameters(Path::new("/r/main.bicepparam"), &mut host);
    assert!(made.is_valid(), "{:?}", made.problems);
    let made = made.parameters.unwrap();
    let expression = |name: &str| at(&made, &format!("parameters/{name}/expression"));
    assert_eq!(expression("a"), r#""[externalInputs('k_0')]""#);
    let merged = r#""[shallowMerge(createArray(externalInputs('k_0'), createObject('d', 'x')))]""#;
    assert_eq!(expression("b"), merged);
    assert_eq!(expression("c"), r#""[format('{0}-x', externalInputs('k_0').n)]""#);
    assert_eq!(at(&made, "externalInputDefinitions"), r#"{"k_0":{"kind":"k","config":"x"}}"#);
}
