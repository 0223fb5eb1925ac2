//! Templates whose keys are written in an unusual way, which a tool that looks for the usual one would skip. Each has a fault,
//! and every one of them must be seen.

use crate::harness::Folder;

/// The members of a template of Resource Manager with a fault, after `$schema` and `contentVersion`.
const RESOURCES: &str = r#""resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "neighbour",
  "location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {"allowBlobPublicAccess": true}}]"#;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// A stack with a fault, in the block style and the flow style of YAML.
const BLOCK: &str =
    "Resources:\n  b:\n    Type: AWS::S3::Bucket\n    Properties:\n      AccessControl: PublicReadWrite\n";
const FLOW: &str = "{Resources: {b: {Type: AWS::S3::Bucket, Properties: {AccessControl: PublicReadWrite}}}}";
const JSON: &str =
    r#"{"Resources": {"b": {"Type": "AWS::S3::Bucket", "Properties": {"AccessControl": "PublicReadWrite"}}}}"#;

/// [`BLOCK`] with this before each line.
fn indented_by(blanks: &str) -> String {
    BLOCK.split_inclusive('\n').flat_map(|line| [blanks, line]).collect()
}

#[track_caller]
fn is_seen(name: &str, text: impl AsRef<[u8]>) {
    let text = text.as_ref();
    let ended = Folder::new().write(name, text).run(&["check", "."]);
    assert!(matches!(ended.code, 1 | 3), "{name}: {}\n{ended:?}", String::from_utf8_lossy(text));
}

#[track_caller]
fn is_not_ours(name: &str, text: &str) {
    let ended = Folder::new().write(name, text).run(&["check", "."]);
    assert!(ended.code == 0 && !ended.stdout.contains(name), "{name}: {text}\n{ended:?}");
}

#[test]
fn a_template_of_resource_manager_is_seen_in_every_spelling() {
    let template = |schema: &str, version: &str| format!("{{{schema}, {version}, {RESOURCES}}}");
    let schema = format!(r#""$schema": "{SCHEMA}""#);
    let version = r#""contentVersion": "1.0.0.0""#;
    for text in [
        template(&schema.replace("late.json", r"lat\u0065.json"), version),
        template(&schema.replace("late.json", r"lat\u0065.json"), r#""contentVersio\u006e": "1.0.0.0""#),
        template(&schema.replace("late.json", r"lat\u0065.json"), r#""ContentVersion": "1.0.0.0""#),
        template(&schema.replace("late.json", "LATE.JSON"), r#""CONTENTVERSION": "1.0.0.0""#),
        template(&schema.replace("$schema", r"\u0024SCHEMA"), version),
        template(r#""$schema": "x", "$Schema": "x""#, version),
        template(r#""a": 1"#, &version.replace('v', r"\u0076").replace('V', r"\u0056")),
        format!("{{{RESOURCES}, {version}, {schema},}}"),
        format!("{{'contentVersion': '1.0.0.0', /* x */ {RESOURCES}, $schema: '{SCHEMA}'}}"),
        format!("// x\r{}", template(&schema, version)),
        format!("/*{}*/ {}", "x".repeat(200_000), template(&schema, version)),
        format!("\u{feff}{}", template(&schema, version)),
    ] {
        is_seen("a.json", &text);
        is_seen("A.JSONC", &text);
    }
    let text = template(&schema, version);
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<_>>();
    is_seen("a.json", [b"\xFF\xFE", wide(u16::to_le_bytes).as_slice()].concat());
    is_seen("a.json", [b"\xFE\xFF", wide(u16::to_be_bytes).as_slice()].concat());
    is_seen("a.json", wide(u16::to_le_bytes));
    let yaml = format!("{{$schema: '{SCHEMA}', contentVersion: 1.0.0.0, {RESOURCES}}}");
    for text in [
        yaml.clone(),
        format!("--- {yaml}"),
        format!("---\n---\n{yaml}"),
        format!("a: &a {yaml}\n<<: *a\n"),
        yaml.replace("'1.0.0.0'", "1.0.0.0")
            .replace(&format!("'{SCHEMA}'"), &format!("\"{}\"", SCHEMA.replace("late.json", r"lat\x65.json"))),
    ] {
        is_seen("a.yaml", text);
    }
}

#[test]
fn a_stack_is_seen_in_every_spelling() {
    let indented = indented_by(" ");
    let key = |key: &str| BLOCK.replacen("Resources:", key, 1);
    for text in [
        BLOCK.to_owned(),
        indented.clone(),
        format!("# x\n{indented}"),
        FLOW.to_owned(),
        format!("--- {FLOW}"),
        format!("%YAML 1.1\n---\n{BLOCK}"),
        format!("---\n---\n{BLOCK}"),
        format!("a: 1\n---\n{BLOCK}"),
        format!("--- !!map\n{BLOCK}"),
        format!("Description: x\r{}", BLOCK.replace('\n', "\r")),
        format!("\u{feff}{BLOCK}"),
        format!("{}{BLOCK}", "# x\n".repeat(50_000)),
        key("? Resources\n:"),
        key("? |-\n  Resources\n:"),
        key("? >-\n  Resources\n:"),
        key("? \"Resour\\\n  ces\"\n:"),
        key("!!str Resources:"),
        key("&x Resources:"),
        key("Resources :"),
        key("\"Resourc\\x65s\":"),
        key("\"Resourc\\u0065s\":"),
        key("\"Resourc\\U00000065s\":"),
        format!("x: &x\n{}<<: *x\n", indented_by("  ")),
        format!("x: &k Resources\n*k :\n{}", BLOCK.split_once('\n').unwrap().1),
    ] {
        is_seen("a.yaml", &text);
        is_seen("A.YML", &text);
    }
    for text in [JSON.to_owned(), JSON.replace("Resources", r"Resourc\u0065s"), format!("\n\n {JSON}")] {
        for name in ["a.json", "a.JSON", "a.template", "a.template.json", "a.yaml"] {
            is_seen(name, &text);
        }
    }
    is_seen("a.template", BLOCK);
    is_seen(
        "a.yaml",
        "Transform: M\nResources:\n  Fn::Transform: {Name: M}\n  \
         b: {Type: AWS::S3::Bucket, Properties: {AccessControl: PublicReadWrite}}\n",
    );
    // What cannot be parsed is an error if it looks like a stack.
    is_seen("a.yaml", format!("{BLOCK}\t}}\n"));
}

#[test]
fn parameter_files_are_seen_in_every_spelling() {
    let schema = SCHEMA.replace("Template", "Parameters");
    let template = format!(
        r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "parameters": {{"public": {{"type": "bool"}}}}, {}}}"#,
        RESOURCES.replace("true", r#""[parameters('public')]""#)
    );
    let given = r#""parameters": {"public": {"value": true}}"#;
    for text in [
        format!(r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", {given}}}"#),
        format!(
            r#"{{"$schema": "{}", "ContentVersion": "1.0.0.0", {given}}}"#,
            schema.replace("meters.json", r"m\u0065ters.json")
        ),
        format!(r#"{{"contentVersio\u006e": "1.0.0.0", {given}}}"#),
    ] {
        let folder = Folder::new();
        folder.write("a.json", &template).write("a.parameters.json", &text);
        let ended = folder.run(&["check", "."]);
        assert!(ended.stdout.contains("allowBlobPublicAccess"), "{text}\n{ended:?}");
    }
}

#[test]
fn other_files_are_not_ours() {
    for (name, text) in [
        ("a.json", r#"{"name": "x", "title": "Resources", "dependencies": {"\u0061": "1"}}"#),
        ("a.json", r#"{"Resources": {"a": "b"}, "Strings": {"Type": "c"}}"#),
        ("a.json", r#"{"contentVersion": "1.0.0.0", "parameters": {}, "triggers": {}, "$schema": "x"}"#),
        (
            "a.yml",
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          echo Resources: \\\n            deploymentTemplate.json\n",
        ),
        ("a.yaml", "apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Service\nspec: {resources: {limits: {}}}\n"),
        ("a.yaml", "openapi: 3.0.0\ncomponents:\n  schemas:\n    Resources: {type: object}\n"),
        ("a.yaml", "services:\n  a: {deploy: {resources: {limits: {}}}}\n"),
        ("a.yaml", "service: x\nresources:\n  Resources:\n    B: {Type: AWS::S3::Bucket}\n"),
        ("a.yaml", "a: {{ b }}\nResources: are {{ c }}\n  d\n"),
        ("a.template", "Resources {{ x }}\n"),
    ] {
        is_not_ours(name, text);
    }
}
