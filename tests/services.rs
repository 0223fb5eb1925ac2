//! What services refuse of names, private endpoints, and values, and resources that do not wait for what they use.

use formwork::{Outcome, Rules, Template};

use crate::harness::Folder;

/// What the checks of these families say of a template: severity, ID, path, and message, in the order of the text.
fn findings(name: &str, text: &str) -> Vec<String> {
    const FAMILIES: &[&str] = &["service/", "resource/name", "network/group-id", "order/", "schema/misspelled"];
    let report = Template::new(name, text).check(&Rules::builtin());
    let own = report
        .findings()
        .filter(|it| it.outcome == Outcome::Failed && FAMILIES.iter().any(|family| it.rule.starts_with(family)));
    own.map(|it| format!("{:?} {} {}: {}", it.severity, it.rule, it.path, it.message)).collect()
}

/// Checks the resources of a template of Azure.
#[track_caller]
fn azure(resources: &str, expected: &[&str]) {
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    let parameters = r#"{"prefix": {"type": "string"}, "short": {"type": "string", "maxLength": 1}}"#;
    let text = format!(
        r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "parameters": {parameters}, "resources": [{resources}]}}"#
    );
    assert_eq!(findings("main.json", &text), expected, "{resources}");
}

/// Checks the resources of a stack, in YAML.
#[track_caller]
fn stack(resources: &str, expected: &[&str]) {
    assert_eq!(
        findings("stack.yaml", &format!("AWSTemplateFormatVersion: 2010-09-09\nResources:\n{resources}")),
        expected
    );
}

#[test]
#[expect(clippy::items_after_statements, reason = "a text stands where it is used")]
fn names_are_compared_with_what_their_services_take() {
    let check = |name: &str, problem: &str| {
        let account = format!(
            r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "{name}",
                "location": "westeurope", "kind": "StorageV2", "sku": {{"name": "Standard_LRS"}}}}"#
        );
        const WORDS: &str = "expected lower-case letters and digits, 3 to 24 characters";
        let finding = format!("High resource/name resources[0].name: {problem}; {WORDS}");
        let expected: &[&str] = if problem.is_empty() { &[] } else { &[&finding] };
        azure(&account, expected);
    };
    const UNKNOWN: &str = "whatever its unknown part is, the name";
    check("mystorage", "");
    check("MyStorage", "`MyStorage` contains `M`");
    check("[parameters('prefix')]", "");
    check("[concat('st', uniqueString(resourceGroup().id))]", "");
    check("[resourceGroup().name]", "");
    check("[concat(parameters('prefix'), '_x')]", &format!("{UNKNOWN} contains `_`"));
    check("[concat(parameters('prefix'), '_', parameters('prefix'))]", &format!("{UNKNOWN} contains `_`"));
    check("[concat('st', guid(parameters('prefix')))]", &format!("{UNKNOWN} contains `-`"));
    check("[take(parameters('short'), 3)]", &format!("{UNKNOWN} has at most 1 character"));
    check(
        "[concat(uniqueString(parameters('prefix')), uniqueString(parameters('prefix')))]",
        &format!("{UNKNOWN} has at least 26 characters"),
    );
}

#[test]
fn a_hash_of_the_group_has_a_known_form() {
    let account = r#"{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "location": "westeurope",
        "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "name": "[concat('Storage', uniqueString(resourceGroup().id))]"}"#;
    azure(
        account,
        &[
            "High resource/name resources[0].name: `Storageqgtsehedhutkm` contains `S`; expected lower-case letters and digits, 3 to 24 characters",
        ],
    );
}

#[test]
#[expect(clippy::items_after_statements, reason = "a text stands where it is used")]
fn private_endpoints_name_groups_of_their_targets() {
    let endpoint = |target: &str, groups: &str| {
        format!(
            r#"{{"type": "Microsoft.Network/privateEndpoints", "apiVersion": "2024-05-01", "name": "pe", "location": "westeurope",
            "properties": {{"subnet": {{"id": "/subscriptions/s"}}, "privateLinkServiceConnections": [{{"name": "c", "properties": {{
                "privateLinkServiceId": "[resourceId('{target}', parameters('prefix'))]", "groupIds": {groups}}}}}]}}}}"#
        )
    };
    const AT: &str = "resources[0].properties.privateLinkServiceConnections[0].properties.groupIds";
    azure(&endpoint("Microsoft.Sql/servers", r#"["SQLSERVER"]"#), &[]);
    azure(
        &endpoint("Microsoft.Sql/servers", r#"["sql"]"#),
        &[&format!("High network/group-id {AT}[0]: `Microsoft.Sql/servers` has no group `sql`; expected `sqlServer`")],
    );
    azure(
        &endpoint("Microsoft.Storage/storageAccounts", r#"["blob", "file"]"#),
        &[&format!(
            "Medium network/group-id {AT}: a connection leads to one group, but `groupIds` has 2; expected one"
        )],
    );
    azure(&endpoint("Microsoft.Network/privateLinkServices", r#"["x"]"#), &[]);
}

#[test]
fn facts_are_found_in_templates() {
    let network = r#"{"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2024-05-01", "name": "vnet", "location": "westeurope",
        "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": [
            {"name": "AzureBastionSubnet", "properties": {"addressPrefix": "10.0.0.0/27"}}]}}"#;
    azure(
        network,
        &[
            "Low service/combination resources[0].properties.subnets[0].properties.addressPrefix: `addressPrefix` is `10.0.0.0/27`; \
           expected a network of `/26` or larger when `name` is `AzureBastionSubnet`",
        ],
    );
    stack("  Group:\n    Type: AWS::Logs::LogGroup\n    Properties:\n      RetentionInDays: 7\n", &[]);
}

#[test]
fn facts_lead_to_subnets_and_through_extensions() {
    azure(
        r#"{"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2024-05-01", "name": "vnet", "location": "westeurope",
            "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
            "subnets": [{"name": "s", "properties": {"addressPrefix": "10.0.1.0/24"}}]}},
           {"type": "Microsoft.Network/networkInterfaces", "apiVersion": "2024-05-01", "name": "nic", "location": "westeurope",
            "dependsOn": ["vnet"], "properties": {"ipConfigurations": [{"name": "c", "properties": {
                "privateIPAllocationMethod": "Static", "privateIPAddress": "10.0.1.3",
                "subnet": {"id": "[resourceId('Microsoft.Network/virtualNetworks/subnets', 'vnet', 's')]"}}}]}}"#,
        &[
            "High service/combination resources[1].properties.ipConfigurations[0].properties.privateIPAddress: `privateIPAddress` is \
           `10.0.1.3`; expected an address that Azure does not reserve: not one of the first four or the last of \
           `10.0.1.0/24`, the `properties.addressPrefix` of `subnet` when `properties.privateIPAllocationMethod` is `Static`",
        ],
    );
    azure(
        r#"{"type": "Microsoft.KeyVault/vaults/PROVIDERS/diagnosticSettings", "apiVersion": "2021-05-01-preview",
            "name": "kv/Microsoft.Insights/d", "properties": {"workspaceId": "w",
            "logs": [{"category": "AuditEvent", "categoryGroup": "audit", "enabled": true}]}}"#,
        &[
            "High service/combination resources[0].properties.logs[0].categoryGroup: `categoryGroup` cannot be set when \
           `category` is set",
        ],
    );
    azure(
        r#"{"type": "Microsoft.Network/bastionHosts", "apiVersion": "2024-05-01", "name": "host", "location": "westeurope",
            "properties": {"ipConfigurations": [{"name": "c", "properties": {
                "subnet": {"id": "[resourceId('Microsoft.Network/virtualNetworks/subnets', 'vnet', 'bastion')]"},
                "publicIPAddress": {"id": "[resourceId('Microsoft.Network/publicIPAddresses', 'p')]"}}}]}}"#,
        &["High service/value resources[0].properties.ipConfigurations[0].properties.subnet.id: `id` is \
           `…/Microsoft.Network/virtualNetworks/vnet/subnets/bastion`; expected a string that ends with `/subnets/AzureBastionSubnet`"],
    );
}

#[test]
fn a_fact_makes_a_misspelled_value_certain() {
    azure(
        r#"{"type": "Microsoft.Network/routeTables/routes", "apiVersion": "2024-05-01", "name": "table/r",
            "properties": {"addressPrefix": "10.0.0.0/16", "nextHopType": "VirtualApplianc"}}"#,
        &[
            "High schema/misspelled-value resources[0].properties.nextHopType: `nextHopType` is `VirtualApplianc`, which the type does \
           not name; did you mean `VirtualAppliance`?",
        ],
    );
}

#[test]
fn passwords_are_compared_and_not_shown() {
    azure(
        r#"{"type": "Microsoft.Sql/servers", "apiVersion": "2023-08-01", "name": "sql-of-a-test", "location": "westeurope",
            "properties": {"administratorLogin": "manager", "administratorLoginPassword": "correcthorse"}}"#,
        &[
            "High service/value resources[0].properties.administratorLoginPassword: `administratorLoginPassword` is refused; \
           expected characters of three of four kinds: lower-case letters, upper-case letters, digits, and others",
        ],
    );
}

#[test]
fn resources_of_a_stack_wait_for_what_they_need() {
    const NETWORK: &str = "  Net:\n    Type: AWS::EC2::VPC\n    Properties: {CidrBlock: 10.0.0.0/16}\n  Gate:\n    Type: AWS::EC2::InternetGateway\n\
        \x20 Attached:\n    Type: AWS::EC2::VPCGatewayAttachment\n    Properties: {VpcId: !Ref Net, InternetGatewayId: !Ref Gate}\n\
        \x20 Table:\n    Type: AWS::EC2::RouteTable\n    Properties: {VpcId: !Ref Net}\n";
    let route = |more: &str| {
        format!(
            "{NETWORK}  Way:\n    Type: AWS::EC2::Route\n{more}    Properties: {{RouteTableId: !Ref Table, DestinationCidrBlock: 0.0.0.0/0, GatewayId: !Ref Gate}}\n"
        )
    };
    stack(&route("    DependsOn: Attached\n"), &[]);
    stack(
        &route(""),
        &[
            "Medium order/missing Resources.Way.Properties.GatewayId: `Way` does not wait for `Attached`, which attaches its gateway to the \
           network; add `Attached` to `DependsOn`",
        ],
    );
    let address =
        |more: &str| format!("{NETWORK}  Address:\n    Type: AWS::EC2::EIP\n{more}    Properties: {{Domain: vpc}}\n");
    stack(&address("    DependsOn: Attached\n"), &[]);
    stack(
        &address(""),
        &[
            "Medium order/missing Resources.Address: `Address` does not wait for `Attached`, without which the network has no addresses of \
           the internet; add `Attached` to `DependsOn`",
        ],
    );
    let api = |more: &str| {
        format!(
            "  Api:\n    Type: AWS::ApiGateway::RestApi\n    Properties: {{Name: a}}\n  Get:\n    Type: AWS::ApiGateway::Method\n    Properties:\n\
             \x20     {{RestApiId: !Ref Api, ResourceId: !GetAtt Api.RootResourceId, HttpMethod: GET, AuthorizationType: AWS_IAM}}\n\
             \x20 Deployed:\n    Type: AWS::ApiGateway::Deployment\n{more}    Properties: {{RestApiId: !Ref Api}}\n"
        )
    };
    stack(&api("    DependsOn: Get\n"), &[]);
    stack(
        &api(""),
        &[
            "Medium order/missing Resources.Deployed.Properties.RestApiId: `Deployed` does not wait for `Get`, a method of its API; add `Get` \
           to `DependsOn`",
        ],
    );
}

#[test]
fn a_web_acl_waits_for_the_stage_of_its_api() {
    let association = |more: &str| {
        format!(
            "  Api:\n    Type: AWS::ApiGateway::RestApi\n    Properties: {{Name: a}}\n\
             \x20 Deployed:\n    Type: AWS::ApiGateway::Deployment\n    Properties: {{RestApiId: !Ref Api}}\n\
             \x20 Stage:\n    Type: AWS::ApiGateway::Stage\n    Properties: {{RestApiId: !Ref Api, DeploymentId: !Ref Deployed, StageName: dev}}\n\
             \x20 Joined:\n    Type: AWS::WAFv2::WebACLAssociation\n{more}    Properties:\n\
             \x20     WebACLArn: !ImportValue acl\n      ResourceArn: !Sub 'arn:aws:apigateway:${{AWS::Region}}::/restapis/${{Api}}/stages/dev'\n"
        )
    };
    stack(&association("    DependsOn: Stage\n"), &[]);
    stack(
        &association(""),
        &[
            "Medium order/missing Resources.Joined.Properties.ResourceArn: `Joined` does not wait for `Stage`, the stage of its API; \
           add `Stage` to `DependsOn`",
        ],
    );
}

#[test]
fn a_custom_resource_waits_for_the_permissions_of_its_function() {
    let custom = |more: &str| {
        format!(
            "  Role:\n    Type: AWS::IAM::Role\n    Properties:\n      AssumeRolePolicyDocument:\n        Statement: [{{Effect: Allow, Principal: {{Service: lambda.amazonaws.com}}, Action: 'sts:AssumeRole'}}]\n\
             \x20 Policy:\n    Type: AWS::IAM::Policy\n    Properties:\n      PolicyName: p\n      Roles: [!Ref Role]\n      PolicyDocument:\n        Statement: [{{Effect: Allow, Action: 's3:ListBucket', Resource: 'arn:aws:s3:::b'}}]\n\
             \x20 Function:\n    Type: AWS::Lambda::Function\n    Properties: {{Role: !GetAtt Role.Arn, Handler: index.handler, Runtime: python3.13, Code: {{ZipFile: x}}}}\n\
             \x20 Call:\n    Type: Custom::Call\n{more}    Properties: {{ServiceToken: !GetAtt Function.Arn}}\n"
        )
    };
    stack(&custom("    DependsOn: Policy\n"), &[]);
    stack(
        &custom(""),
        &[
            "Medium order/missing Resources.Call.Properties.ServiceToken: `Call` does not wait for `Policy`, which gives its function \
           permissions; add `Policy` to `DependsOn`",
        ],
    );
}

#[test]
fn facts_are_checked_if_only_they_are_selected() {
    let folder = Folder::new();
    folder.write(
        "stack.yaml",
        "Resources:\n  Group:\n    Type: AWS::Logs::LogGroup\n    Properties: {RetentionInDays: 31}\n",
    );
    let rules = |include: &str| {
        let ended = folder.run(&["check", "stack.yaml", "--format", "json", "--rules-include", include]);
        let report = ended.json();
        let results = report["results"].as_array().unwrap().iter();
        results.map(|result| result["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected: Vec<String> = rules("*").into_iter().filter(|rule| rule.starts_with("service/")).collect();
    assert!(!expected.is_empty());
    assert_eq!(rules("service/*"), expected);
}
