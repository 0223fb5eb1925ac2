//! Samples of each language, damaged in every way.

use super::*;
use formwork_testing::damage::{ALL, check};

#[test]
fn json_is_read_or_refused() {
    check(json, include_bytes!("../../../../tests/golden/bicep/modules/template.json"), ALL);
    check(json, "// é\n{'a': [1.5e3, -0, \"\\u00e9\\ud83d\", tru, /* x */], b: \"\u{1F980}\r\n\",}".as_bytes(), ALL);
    check(json, br#"{"a": [1.5e3, -0, 12345678901234567890, "\u00e9\ud83e\udd80", true, null, {}]}"#, ALL);
    check(json, "9".repeat(320).as_bytes(), ALL);
}

#[test]
fn yaml_is_read_or_refused() {
    check(yaml, include_bytes!("../../../../tests/golden/sam/undeclared.yaml"), ALL);
    check(yaml, include_bytes!("../../../../tests/golden/sam/loops.yaml"), ALL);
    check(yaml, "a: &x !Sub 'é' # ö\nb: [*x, {<<: {c: 1.10}}, 0x1F, ~]\n? |+2\n   𝄞\n: >-\n  y\n".as_bytes(), ALL);
    check(yaml, "? |\n\n é\n: - |\n\n   é]~\n  - >\n\n   é\n".as_bytes(), ALL);
}

#[test]
fn settings_of_sam_are_read_or_refused() {
    let text = "[a.deploy.parameters]\nparameter_overrides = \"A=\\\"é x\\\" ParameterKey=B,ParameterValue=\\u00e9\"\n[b]\n\
                deploy.parameters = {parameter_overrides = ['C=1', '''D=\"e'''], template = '''x\ny'''}\n";
    check(sam_config, text.as_bytes(), ALL);
}

#[test]
fn expressions_end_within_their_fuel() {
    for text in [
        "[if(equals(parameters('p'), 'é'), variables('v'), format('{0:N}', copyIndex('outer', -1)))]",
        "[map(range(0, 3), lambda('i', u.f(mul(lambdaVariables('i'), parameters('n')))))]",
        "[reference(resourceId('Microsoft.Web/sites', 'a''b'), '2022-09-01', 'Full').properties['x'][0].y]",
        "[dateTimeAdd('2020-01-01', 'P1Y2M', 'yyyy-MM-dd')]",
        "[cidrSubnet('10.0.0.0/16', 24, -1)]",
    ] {
        check(expression, text.as_bytes(), ALL);
    }
}

#[test]
fn bicep_is_compiled_or_refused() {
    check(bicep, include_bytes!("../../../../tests/golden/bicep/symbolic/types.bicep"), 60);
    check(bicep, b"import {sku} from 'module.bicep'\nparam s sku = 'a'\nvar x = [for i in range(0, 3): '${i}-${s}']\nresource r 'Microsoft.Web/sites@2022-09-01' = if (s == 'a') {\n  name: x[0]\n}\nmodule m 'module.bicep' = {\n  params: {key: r.id}\n}\n", 60);
}

#[test]
fn parameter_files_are_read_or_refused() {
    check(bicep_parameters, b"using 'module.bicep'\nimport * as m from 'module.bicep'\nparam prefix = '${m.names[0]}-x'\nparam key = readEnvironmentVariable('A', 'b')\n", 60);
    check(parameters, br#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#", "contentVersion": "1.0.0.0", "parameters": {"count": {"value": 2}, "zones": {"value": ["1"]}}}"#, 12);
    check(parameters, br#"[{"ParameterKey": "Count", "ParameterValue": "3"}]"#, 12);
}

#[test]
fn templates_are_checked_or_refused() {
    check(template, include_bytes!("../../../../tests/examples/azure/main.json"), 24);
    check(stack, include_bytes!("../../../../tests/golden/sam/simple.yaml"), 24);
}

#[test]
fn rules_are_compiled_or_refused() {
    let rule = br#"[{"id": "T-1", "name": "T", "shortDescription": "s", "fullDescription": "f", "severity": 2, "evaluation": {"resourceType": "Microsoft.Web/sites", "allOf": [{"path": "properties.httpsOnly", "equals": true}, {"path": "properties.siteConfig.list[*]", "regex": "^a+$"}]}}]"#;
    check(rules, rule, 60);
    check(ruleset, b"let sites = Resources.*[ Type == 'AWS::S3::Bucket' ]\nrule named when %sites !empty {\n  %sites.Properties.Tags[*] { Key == /^a/ <<why>> or Value in ['b', r(1, 3)] }\n}\nAWS::EC2::Volume Encrypted == true\n", 60);
}

#[test]
fn rules_of_guard_end_on_every_template() {
    let rules = "let all = Resources.*[ Type == /Bucket$/ ]\nrule p(x) { %x[*] in ['a', r[1, 3]] }\nrule r when %all !empty {\n  \
                 %all.Properties { some Tags[*].Key == 'a' or p(Size) <<Fix: it>>\n  count(Tags[*]) >= 1 }\n}\n";
    let template = "Parameters: {P: {Type: String}}\nResources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties:\n      Tags:\n      \
                    - {Key: !Ref P, Value: &v !If [c, 1, b]}\n      - *v\n";
    check(guard_verdicts, format!("{rules}\n=====\n{template}").as_bytes(), 60);
}

#[test]
fn policies_are_judged_or_refused() {
    check(policies, include_bytes!("../../../../tests/golden/policies/arrays.json"), 60);
    check(policies, include_bytes!("../../../../tests/golden/policies/changes.json"), 60);
}

#[test]
fn baselines_and_differences_are_read_or_refused() {
    let entry =
        r#"{"template": "a.json", "rule": "T-1", "resource": "r", "fingerprint": "0123456789abcdef", "note": "é"}"#;
    let baseline_file = format!(r#"{{"schema": "formwork/baseline/v1", "findings": [{entry}]}}"#);
    check(baseline, baseline_file.as_bytes(), ALL);
    check(difference, include_bytes!("../../../../tests/golden/diff/diff.json"), 100);
}

#[test]
fn reports_of_parts_are_read_or_refused() {
    let part = serde_json::json!({
        "schema": "formwork/report/v1",
        "tool": {"name": "formwork", "version": env!("CARGO_PKG_VERSION")},
        "summary": {"templates": 1, "deployments": 1, "resources": 1, "rules": 1, "passed": 0},
        "results": [{
            "rule": "T-1", "name": "T", "severity": 1, "outcome": "failed", "message": "m\u{1b}", "template": "é.json",
            "parameters": [], "resource": null, "path": "", "failed_paths": [], "failures": [], "related": [],
            "location": {"file": "é.json", "line": 1, "column": 2, "end_line": 3, "end_column": 4},
            "fingerprint": "0123456789abcdef", "fault": "0123456789abcdef", "resource_fingerprint": "fedcba9876543210",
            "deployments": ["0000000000000001"]
        }],
        "diagnostics": []
    });
    check(shard, part.to_string().as_bytes(), 300);
}
