//! Azure Verified Modules with parameter values that violate their declarations. The modules are in `../shared/corpus`,
//! beside the repository; the tests pass without them.

use std::fs;
use std::path::Path;

use super::Expanded;

/// Checks the problems of the parameter file by line (from 2 on, one for each parameter).
#[track_caller]
fn check(module: &str, parameters: &[&str], expected: &[(usize, &str, &str)]) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/avm/avm/res");
    let Ok(template) = fs::read_to_string(corpus.join(module).join("main.json")) else { return };
    let expanded = Expanded::new(&template, &format!("{{\"parameters\": {{\n{}}}}}", parameters.join(",\n")));
    let issues = &expanded.expansion.issues;
    let given = issues.iter().filter(|issue| issue.path.starts_with("parameters."));
    let found: Vec<_> = given
        .map(|issue| {
            let (at, _) = expanded.sources.range(issue.span);
            (at.line as usize, issue.path.clone(), issue.message.clone())
        })
        .collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (line, path, message) in expected {
        let is_expected = |(at, of, said): &(usize, String, String)| at == line && of == path && said.contains(message);
        assert!(found.iter().any(is_expected), "{line} {path} {message}: {found:#?}");
    }
    for it in issues {
        let constraint = it.related.first().expect("the constraint is shown");
        assert_eq!(&*expanded.sources.get(constraint.span.file).name().clone(), "main.json");
    }
}

#[test]
fn a_gallery() {
    let image = |rest: &str| {
        format!(
            r#"{{"osType": "Linux", "osState": "Generalized", "identifier": {{"publisher": "p", "offer": "o", "sku": "s"}}, {rest}}}"#
        )
    };
    let images = [
        image(r#""name": """#),
        image(&format!(r#""name": "{}""#, "n".repeat(81))),
        image(r#""name": "n", "architecture": "x86""#),
        image(r#""name": "n", "vCPUs": {"min": 0, "max": "4"}"#),
        image(r#""name": "n", "eula": 3, "tags": []"#),
        image(r#""description": "without a name""#),
        image(r#""name": "good", "description": null, "securityType": "trustedlaunch", "more": 1"#),
    ];
    let parameters = [
        r#""name": {"value": ""}"#.to_owned(),
        format!("\"images\": {{\"value\": [\n{}]}}", images.join(",\n")),
        r#""applications": {"value": {}}"#.to_owned(),
        r#""lock": {"value": {"kind": "Nothing"}}"#.to_owned(),
        r#""enableTelemetry": {"value": "true"}"#.to_owned(),
    ];
    check(
        "compute/gallery",
        &parameters.each_ref().map(String::as_str),
        &[
            (2, "parameters.name", "has 0 characters; its `minLength` is 1"),
            (4, "parameters.images[0].name", "`minLength`"),
            (5, "parameters.images[1].name", "has 81 characters; its `maxLength` is 80"),
            (6, "parameters.images[2].architecture", "`allowedValues` are `\"Arm64\"`, `\"x64\"`"),
            (7, "parameters.images[3].vCPUs.min", "is 0; its `minValue` is 1"),
            (7, "parameters.images[3].vCPUs.max", "is a string; its `type` is `int`"),
            (8, "parameters.images[4].eula", "is an integer; its `type` is `string`"),
            (8, "parameters.images[4].tags", "is an array; its `type` is `object`"),
            (9, "parameters.images[5].name", "is missing the required property `name`"),
            (11, "parameters.applications", "is an object; its `type` is `array`"),
            (12, "parameters.lock.kind", "`allowedValues`"),
            (13, "parameters.enableTelemetry", "is a string; its `type` is `bool`"),
        ],
    );
}

#[test]
fn a_virtual_network_gateway() {
    check(
        "network/virtual-network-gateway",
        &[
            r#""name": {"value": null}"#,
            r#""virtualNetworkResourceId": {"value": "id"}"#,
            r#""gatewayType": {"value": "vpn"}"#,
            r#""publicIpAvailabilityZones": {"value": [1, 4]}"#,
            r#""clusterSettings": {"value": {"clusterMode": "active"}}"#,
            r#""vpnType": {"value": "Fast"}"#,
        ],
        &[
            (2, "parameters.name", "is null, but it is not `nullable`"),
            (5, "parameters.publicIpAvailabilityZones", "contains `4`; its `allowedValues` are `1`, `2`, `3`"),
            (6, "parameters.clusterSettings.clusterMode", "`discriminator`"),
            (7, "parameters.vpnType", "`allowedValues` are `\"PolicyBased\"`, `\"RouteBased\"`"),
        ],
    );
}

#[test]
fn an_elastic_san() {
    check(
        "elastic-san/elastic-san",
        &[
            r#""name": {"value": "san"}"#,
            r#""baseSizeTiB": {"value": 401}"#,
            r#""extendedCapacitySizeTiB": {"value": -1}"#,
        ],
        &[
            (3, "parameters.baseSizeTiB", "is 401; its `maxValue` is 400"),
            (4, "parameters.extendedCapacitySizeTiB", "is -1; its `minValue` is 0"),
        ],
    );
}
