//! Tokens and keys of known formats, and the values of settings, which nobody marked as secret: no command prints them.

use crate::harness::{Folder, TEMPLATE};
use crate::secrets::{FORMATS, has_secret, run};

/// A token of GitHub. It is not written out, because scanners would report this file.
fn token() -> String {
    format!("{}_{}", "ghp", "S3CRETh7Kq2ZpR9vWmT4cXgB6nJdL3sYfQ8t")
}

/// The body of a private key.
const KEY: &str = "MIIEowS3CRETKq2ZpR9vWmT4cXgB6nJdL3sYfQ8tEuA5wh7Kq2ZpR9vWmT4cXgB6nJdL3s";

fn arm() -> String {
    let token = token();
    let key = format!("-----BEGIN RSA {0} KEY-----\\n{KEY}\\n-----END RSA {0} KEY-----\\n", "PRIVATE");
    format!(
        r#"{{
  "$schema": "{TEMPLATE}",
  "contentVersion": "1.0.0.0",
  "parameters": {{
    "plain": {{"type": "string", "defaultValue": "{token}", "maxLength": 3}},
    "given": {{"type": "string", "allowedValues": ["a"]}}
  }},
  "variables": {{"token": "{token}", "joined": "[concat('Bearer ', variables('token'))]", "password": "S3CRET-value1"}},
  "resources": [
    {{
      "type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[concat('x-', variables('token'))]", "location": "w",
      "tags": {{"a": "[variables('joined')]", "b": "{key}"}},
      "properties": {{
        "httpsOnly": false,
        "clientCertMode": "{token}",
        "siteConfig": {{
          "appSettings": [
            {{"name": "A", "value": "{token}"}},
            {{"name": "DB_PASSWORD", "value": "S3CRET-value2"}},
            {{"name": "OTHER_PASSWORD", "value": "[variables('password')]"}},
            {{"name": "DB", "value": "[concat('Server=a;Password=', 'S3CRET3value;')]"}}
          ]
        }}
      }}
    }}
  ],
  "outputs": {{"o": {{"type": "string", "value": "[variables('joined')]"}}}}
}}
"#
    )
}

fn stack() -> String {
    let token = token();
    format!(
        r"AWSTemplateFormatVersion: 2010-09-09
Description: uses {token}
Parameters:
  Plain:
    Type: String
    Default: {token}
    AllowedValues: [a]
Mappings:
  M:
    a: {{b: {token}}}
Resources:
  F:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: {token}
      Handler: index.handler
      Role: !Sub 'arn:aws:iam::123456789012:role/${{Plain}}'
      Code: {{ZipFile: '// {token}'}}
      Environment:
        Variables:
          A: !FindInMap [M, a, b]
          B: !Ref Plain
          C: !Base64 {token}
          DB_PASSWORD: S3CRET-value2
Outputs:
  O:
    Value: !Sub 'Bearer {token}'
"
    )
}

fn bicep() -> String {
    let token = token();
    format!(
        "// {token}\nparam mode 'a' | 'b' = '{token}'\nvar token = '{token}'\nresource s 'Microsoft.Web/sites@2022-09-01' = {{\n  name: 'x'\n  location: 'w'\n  \
         tags: {{ a: 'Bearer ${{token}}', b: mode }}\n  properties: {{\n    siteConfig: {{\n      appSettings: [\n        {{ name: 'DB_PASSWORD', value: 'S3CRET-value2' }}\n      ]\n    }}\n  }}\n}}\noutput o string = token\n"
    )
}

/// A folder with a template of each language, and a parameter file.
fn folder() -> Folder {
    let folder = Folder::new();
    let schema = TEMPLATE.replace("deploymentTemplate", "deploymentParameters");
    let given = format!(
        r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "parameters": {{"given": {{"value": "{}"}}}}}}"#,
        token()
    );
    folder
        .write("main.json", arm())
        .write("main.parameters.json", given)
        .write("stack.yaml", stack())
        .write("main.bicep", bicep());
    folder
}

const NAMES: [&str; 3] = ["main.json", "stack.yaml", "main.bicep"];

#[test]
fn a_token_is_reported_and_not_shown() {
    let folder = folder();
    for name in NAMES {
        for format in FORMATS {
            let ended = run(&folder, &["check", name, "--profile", "all", "--show-passed", "--format", format]);
            for id in ["secret/token", "secret/setting"] {
                assert!(ended.stdout.contains(id), "{name}, {format}, {id}: {ended:?}");
            }
        }
        run(&folder, &["expand", name]);
        run(&folder, &["check", name, "--guard-raw"]);
    }
    run(&folder, &["explain", "main.json", "resources[0].tags"]);
    run(&folder, &["explain", "stack.yaml", "Resources.F.Properties"]);
    let ended = run(&folder, &["check", "main.json", "--parameters", "main.parameters.json", "--format", "concise"]);
    assert!(ended.stdout.contains("main.parameters.json:1:"), "{ended:?}");
}

#[test]
fn a_difference_shows_no_token() {
    let folder = folder();
    for name in NAMES {
        let old = std::fs::read_to_string(folder.path().join(name)).unwrap();
        folder.write(&format!("old/{name}"), &old);
        folder.write(&format!("new/{name}"), old.replace("S3CRETh", "S3CRETx").replace("value2", "value3"));
    }
    for format in ["console", "json", "markdown", "html"] {
        run(&folder, &["diff", "old", "new", "--format", format]);
    }
}

#[test]
fn a_placeholder_or_a_reference_is_not_reported() {
    let folder = Folder::new();
    folder.write(
        "stack.yaml",
        r"AWSTemplateFormatVersion: 2010-09-09
Parameters:
  Secret: {Type: String, NoEcho: true}
  Open: {Type: String}
Resources:
  F:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: nodejs22.x
      Handler: index.handler
      Role: arn:aws:iam::123456789012:role/r
      Code: {S3Bucket: b, S3Key: k}
      Environment:
        Variables:
          A_PASSWORD: !Ref Open
          B_PASSWORD: '{{resolve:secretsmanager:a}}'
          C_PASSWORD: !Sub '${Open}-x'
          D_PASSWORD: <your password>
          E_PASSWORD: ''
          SECRET_NAME: prod
",
    );
    let ended = folder.run(&["check", "stack.yaml", "--format", "concise", "--rules-include", "secret/*"]);
    assert!(!ended.stdout.contains("secret/token") && !ended.stdout.contains("secret/setting"), "{ended:?}");
    assert!(!has_secret(&ended.stdout));
}
