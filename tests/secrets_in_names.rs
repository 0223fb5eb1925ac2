//! Secrets that become names of properties.

use crate::harness::{Folder, parameters, template};

/// The secret, as the parameter file gives it.
const SECRET: &str = "hunter2hunter2";

/// The ways in which a template makes the name of a property.
const NAMES: [&str; 12] = [
    "[createObject(parameters('s'), 1)]",
    "[createObject(concat('x-', parameters('s')), 1)]",
    "[json(concat('{\"', parameters('s'), '\": 1}'))]",
    "[json(concat('{\"a\": [{\"n-', parameters('s'), '\": 1}]}'))]",
    "[json(replace('{\"@\": 1}', '@', parameters('s')))]",
    "[json(concat('{\"', toUpper(parameters('s')), '\": 1}'))]",
    "[base64ToJson(base64(concat('{\"', parameters('s'), '\": 1}')))]",
    "[items(json(concat('{\"', parameters('s'), '\": 1}')))]",
    "[objectKeys(json(concat('{\"', parameters('s'), '\": 1}')))]",
    "[union(createObject('a', 1), json(concat('{\"', parameters('s'), '\": 1}')))]",
    "[toObject(createArray(parameters('s')), lambda('x', lambdaVariables('x')))]",
    "[mapValues(json(concat('{\"', parameters('s'), '\": 1}')), lambda('v', lambdaVariables('v')))]",
];

#[test]
fn no_output_has_a_secret_in_the_name_of_a_property() {
    for name in NAMES {
        let name = name.replace('"', "\\\"");
        let folder = Folder::new();
        folder.write(
            "main.json",
            template(&format!(
                r#""parameters": {{"s": {{"type": "securestring"}}}},
                "resources": [{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "a", "location": "westeurope",
                  "tags": {{"[parameters('s')]": "x"}}, "properties": {{"p": "{name}"}}}}],
                "outputs": {{"o": {{"type": "object", "value": "{name}"}}}}"#
            )),
        );
        folder.write("main.parameters.json", parameters(&format!(r#""s": {{"value": "{SECRET}"}}"#)));
        for arguments in [
            &["expand", "main.json", "--parameters", "main.parameters.json"][..],
            &["explain", "main.parameters.json", "resources[0].properties.p"],
            &["check", ".", "--format", "json"],
            &["check", "."],
        ] {
            let ended = folder.run(arguments);
            let shown = (ended.stdout.clone() + &ended.stderr).to_lowercase();
            assert!(!shown.contains(SECRET), "{name} {arguments:?}: {ended:?}");
        }
    }
}

/// The names of other properties of an object with a secret stay, so that its values can be checked.
#[test]
fn names_beside_a_secret_are_shown() {
    let folder = Folder::new();
    let name = r#"[json(concat('{\"password\": \"', parameters('s'), '\", \"minTlsVersion\": \"1.0\"}'))]"#;
    folder.write(
        "main.json",
        template(&format!(
            r#""parameters": {{"s": {{"type": "securestring"}}}},
            "resources": [{{"type": "A.B/c", "apiVersion": "2022-09-01", "name": "a", "properties": {{"p": "{name}"}}}}]"#
        )),
    );
    folder.write("main.parameters.json", parameters(&format!(r#""s": {{"value": "{SECRET}"}}"#)));
    let expanded = folder.run(&["expand", "main.json", "--parameters", "main.parameters.json"]);
    let keys = expanded.json()["resources"][1]["properties"]["p"].clone();
    let keys: Vec<&String> = keys.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["password", "minTlsVersion"], "{expanded:?}");
}
