//! Findings that an owner would fix, and only these: causes that once led to false or useless findings.

use crate::harness::Folder;

/// Lists the findings and errors of a folder as `severity id line`, without advice.
fn listed(files: &[(&str, &str)], arguments: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    for (name, content) in files {
        folder.write(name, content);
    }
    let common = ["check", "--bicep", "builtin", "--offline", "--format", "json"];
    let report = folder.run(&[&common, arguments].concat()).json();
    let results = report["results"].as_array().unwrap().iter().filter(|result| result["outcome"] == "failed");
    let of = |entry: &serde_json::Value, id: &str, line: &serde_json::Value| {
        format!("{} {} {line}", entry["level"].as_str().unwrap(), entry[id].as_str().unwrap())
    };
    let found = results.map(|result| of(result, "rule", &result["location"]["line"]));
    let errors = report["diagnostics"].as_array().unwrap().iter().filter(|problem| problem["level"] == "error");
    let mut all: Vec<String> = found.chain(errors.map(|error| of(error, "code", &error["line"]))).collect();
    all.retain(|line| !line.starts_with("note "));
    all.sort();
    all
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(listed(files, &["."]), expected);
}

/// Checks a template of CloudFormation.
#[track_caller]
fn check_stack(text: &str, expected: &[&str]) {
    check(&[("main.yaml", text)], expected);
}

const TOPIC: &str = "Resources:\n  T: {Type: 'AWS::SNS::Topic', Properties: {KmsMasterKeyId: alias/a}}\n";

#[test]
fn mappings_have_lists_of_objects() {
    let mapping = |value: &str| format!("Mappings:\n  M:\n    a:\n      b: {value}\n{TOPIC}");
    check_stack(&mapping("[{x: 1}, [2]]"), &[]);
    check_stack(&mapping("{x: 1}"), &["error template/shape 4"]);
    check_stack(&mapping("[{Ref: x}]"), &["error template/shape 4"]);
}

#[test]
fn conditions_have_any_name() {
    let condition = |name: &str| format!("Conditions:\n  {name}: !Equals [!Ref 'AWS::Region', a]\n{TOPIC}");
    for name in ["Is.Prod", "is-prod", "Is_Prod", "'is prod'"] {
        check_stack(&condition(name), &[]);
    }
    check_stack(&condition(&"a".repeat(256)), &["error template/shape 2"]);
}

#[test]
fn a_dash_joins_strings() {
    let text = "Resources:\n  T:\n    Type: AWS::SNS::Topic\n    Properties:\n      KmsMasterKeyId: alias/a\n      \
                TopicName: !Join [-, [a, b]]\n";
    check_stack(text, &[]);
}

#[test]
fn a_site_has_packages_by_several_names() {
    let extension = |name: &str| {
        let text = format!(
            "resource e 'Microsoft.Web/sites/extensions@2022-03-01' = {{\n  name: 'site/{name}'\n  \
             properties: {{ packageUri: 'https://example.com/a.zip' }}\n}}\n"
        );
        listed(&[("main.bicep", &text)], &["."])
    };
    assert_eq!(
        [extension("ZipDeploy"), extension("MSDeploy"), extension("onedeploy")],
        [(); 3].map(|()| Vec::<String>::new())
    );
    assert_eq!(extension("Zip"), ["error schema/value 2"]);
}

/// Lists the findings about keys of accounts, with advice.
fn of_keys(text: &str) -> usize {
    let folder = Folder::new();
    folder.write("main.bicep", text);
    let report = folder.run(&["check", "--bicep", "builtin", "--offline", "--format", "json"]).json();
    let results = report["results"].as_array().unwrap();
    results.iter().filter(|result| result["rule"] == "AZ-STORAGE-007" && result["outcome"] == "failed").count()
}

#[test]
fn keys_that_the_deployment_needs_are_not_advised_against() {
    let account = "resource st 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'stabc'\n  location: 'westeurope'\n  \
                   sku: { name: 'Standard_LRS' }\n  kind: 'StorageV2'\n}\n";
    assert_eq!(of_keys(account), 1);
    let app = "resource app 'Microsoft.Web/sites@2022-03-01' = {\n  name: 'app'\n  location: 'westeurope'\n  properties: { siteConfig: \
               { appSettings: [{ name: 'a', value: 'AccountKey=${st.listKeys().keys[0].value}' }] } }\n}\n";
    let share = "resource share 'Microsoft.Storage/storageAccounts/fileServices/shares@2023-01-01' = {\n  name: '${st.name}/default/s'\n}\n";
    let machine = "resource vm 'Microsoft.Compute/virtualMachines@2022-03-01' = {\n  name: 'vm'\n  location: 'westeurope'\n  properties: { \
                   diagnosticsProfile: { bootDiagnostics: { enabled: true, storageUri: st.properties.primaryEndpoints.blob } } }\n}\n";
    for user in [app, share, machine] {
        assert_eq!(of_keys(&format!("{account}{user}")), 0, "{user}");
    }
    // Another account, and a machine that names another one.
    let other = machine.replace("st.properties.primaryEndpoints.blob", "'https://other.blob.core.windows.net/'");
    assert_eq!(of_keys(&format!("{account}{other}")), 1);
}

#[test]
fn a_branch_that_nothing_takes_is_advice() {
    let text = |default: &str| {
        format!(
            "Parameters:\n  Env: {{Type: String{default}}}\n  Image: {{Type: String, Default: NA}}\nConditions:\n  IsProd: !Equals [!Ref Env, prod]\n\
             Resources:\n  T: {{Type: 'AWS::SNS::Topic', Condition: IsProd}}\n  I:\n    Type: AWS::EC2::Instance\n    Condition: IsProd\n    \
             Properties:\n      ImageId: !Ref Image\n      Bogus: 1\n      MetadataOptions: {{HttpTokens: required}}\n"
        )
    };
    // What the platform refuses whatever the parameters are is high in every branch.
    check_stack(&text(", Default: dev"), &["error schema/unknown-property 13"]);
    let taken = ["error schema/unknown-property 13", "warning AWS-SNS-001 7"];
    // Nobody knows whether a deployment takes it.
    check_stack(&text(""), &taken);
    let file = r#"[{"ParameterKey": "Env", "ParameterValue": "prod"}]"#;
    let files = [("main.yaml", &*text(", Default: dev")), ("main.parameters.json", file)];
    assert_eq!(listed(&files, &["."]), taken);
    // Settings that give a severity give it everywhere.
    let settings = "rules:\n  severity: { AWS-SNS-001: high }\n";
    let files = [("main.yaml", &*text(", Default: dev")), ("formwork.yaml", settings)];
    assert_eq!(listed(&files, &["."]), ["error AWS-SNS-001 7", taken[0]]);
}

#[test]
fn what_only_several_branches_together_break_is_advice() {
    let table = |rest: &str| {
        format!(
            "Parameters:
  LocalKey: {{Type: String, Default: ''}}
  Billing: {{Type: String, Default: PROVISIONED, AllowedValues: [PROVISIONED, PAY_PER_REQUEST]}}
Conditions:
  HasLocal: !Not [!Equals [!Ref LocalKey, '']]
  IsProvisioned: !Equals [!Ref Billing, PROVISIONED]
Resources:
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      {rest}
      AttributeDefinitions: [{{AttributeName: abc, AttributeType: S}}, {{AttributeName: def, AttributeType: S}}]
      KeySchema:
        - {{AttributeName: abc, KeyType: HASH}}
      LocalSecondaryIndexes: !If
        - HasLocal
        - - IndexName: local
            KeySchema: [{{AttributeName: abc, KeyType: HASH}}, {{AttributeName: def, KeyType: RANGE}}]
            Projection: {{ProjectionType: ALL}}
        - !Ref AWS::NoValue
"
        )
    };
    let of_key = |text: &str| {
        let listed = listed(&[("main.yaml", text)], &["--rules-include", "schema/length", "."]);
        listed.into_iter().filter(|line| line.contains("schema/length")).collect::<Vec<_>>()
    };
    assert_eq!(of_key(&table("BillingMode: PAY_PER_REQUEST")), ["error schema/length 14"]);
    let throughput = "BillingMode: !Ref Billing
      ProvisionedThroughput: !If
        - IsProvisioned
        - {ReadCapacityUnits: 1, WriteCapacityUnits: 1}
        - !Ref AWS::NoValue";
    assert_eq!(of_key(&table(throughput)), [""; 0]);
}

#[test]
fn secrets_of_one_resource_are_one_finding() {
    let text = "Parameters:\n  A: {Type: String, NoEcho: true}\n  B: {Type: String, NoEcho: true}\nResources:\n  F:\n    Type: AWS::Lambda::Function\n    \
                Properties:\n      Role: arn:aws:iam::123456789012:role/x\n      Code: {ZipFile: x}\n      Handler: index.b\n      Runtime: python3.13\n      \
                Environment: {Variables: {A: !Ref A, B: !Ref B}}\n";
    check_stack(text, &["warning secret/exposed 12"]);
}

#[test]
fn a_bicep_file_and_its_templates_are_one_finding() {
    let text = |https: bool| {
        format!(
            "resource st 'Microsoft.Storage/storageAccounts@2023-01-01' = {{\n  name: 'stabc123'\n  location: 'westeurope'\n  \
             sku: {{ name: 'Standard_LRS' }}\n  kind: 'StorageV2'\n  properties: {{ supportsHttpsTrafficOnly: {https}, minimumTlsVersion: 'TLS1_2', allowBlobPublicAccess: true }}\n}}\n"
        )
    };
    let folder = Folder::new();
    folder.write("main.bicep", text(false));
    let built = folder.run(&["build", "main.bicep", "--bicep", "builtin"]).stdout;
    let old = built.replace("\"supportsHttpsTrafficOnly\": false", "\"supportsHttpsTrafficOnly\": true");
    let found = |files: &[(&str, &str)]| {
        let mut all = vec![("bicep/main.bicep", text(false))];
        all.extend(files.iter().map(|(name, content)| (*name, (*content).to_owned())));
        let all: Vec<(&str, &str)> = all.iter().map(|(name, content)| (*name, content.as_str())).collect();
        listed(&all, &["."])
    };
    let own = ["error AZ-STORAGE-003 6", "warning AZ-STORAGE-001 6"];
    assert_eq!(found(&[("json/azuredeploy.json", &built)]), own);
    assert_eq!(found(&[("json/azuredeploy.json", &old)]), own);
    // What only the template has is reported there.
    let more = built.replace("\"minimumTlsVersion\"", "\"publicNetworkAccesss\"");
    let with_more = found(&[("json/azuredeploy.json", &more)]);
    assert_eq!(with_more.len(), 3, "{with_more:?}");
}

#[test]
fn an_error_silences_what_follows_from_it() {
    check(
        &[("main.bicep", "param a string = \"x${b}\"\nparam b string = \"y\"\noutput o string = '${a}${b}'\n")],
        &["error bicep/BCP103 1", "error bicep/BCP103 2"],
    );
    check(
        &[("main.bicep", "param cluster-node-count int\noutput o int = cluster-node-count\n")],
        &["error bicep/diagnostic 1"],
    );
    let module = "resource n 'Microsoft.Network/networkSecurityGroups@2023-04-01' = {\n  name: 'nsg'\n  location: resourceGroup().location\n  properties: {}\n}\n";
    let main = "targetScope = 'subscription'\nmodule m 'm.bicep' = {\n  name: 'm'\n}\n";
    check(&[("main.bicep", main), ("m.bicep", module)], &["error bicep/BCP134 2"]);
    let file = "using 'main.bicep'\nparam a = 'x'\n";
    let files = [
        ("main.bicep", "param a string\nparam b int = 'x'\noutput o string = '${a}${b}'\n"),
        ("dev.bicepparam", file),
        ("prod.bicepparam", file),
    ];
    check(&files, &["error bicep/BCP033 2"]);
}

#[test]
fn a_nested_deployment_without_a_resource_group_is_one_finding() {
    let resource = |name: &str| {
        format!(
            r#"{{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2023-04-01", "name": "{name}", "location": "[resourceGroup().location]", "properties": {{}}}}"#
        )
    };
    let nested = |more: &str| {
        let schema = "https://schema.management.azure.com/schemas";
        format!(
            r#"{{"$schema": "{schema}/2018-05-01/subscriptionDeploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [
{{"type": "Microsoft.Resources/deployments", "apiVersion": "2021-04-01", "name": "nested", {more} "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
"template": {{"$schema": "{schema}/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [
{}, {}]}}}}}}]}}"#,
            resource("nsg-a"),
            resource("nsg-b")
        )
    };
    check(&[("main.json", &nested(r#""location": "westeurope","#))], &["error schema/scope 2"]);
    check(&[("main.json", &nested(r#""resourceGroup": "rg","#))], &[]);
}

/// Lists the folders of tests that are not checked.
fn skipped(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let ended = folder.run(&[&["check", "--format", "json"], arguments].concat());
    let report = ended.json();
    let listed = report["not_checked"].as_array().unwrap().iter().filter(|it| it["kind"] == "tests");
    listed.map(|it| it["file"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn folders_of_tests_are_listed_and_not_checked() {
    let folder = Folder::new();
    let none: [&str; 0] = [];
    for name in
        ["a/testdata/t.yaml", "tests/fixtures/t.yaml", "__snapshots__/t.yaml", "examples_output/t.yaml", "main.yaml"]
    {
        folder.write(name, TOPIC);
    }
    folder.write("b/testdata/other.json", "{}");
    assert_eq!(skipped(&folder, &["."]), ["__snapshots__", "a/testdata", "examples_output", "tests/fixtures"]);
    assert_eq!(folder.run(&["check", "--strict"]).code, 3);
    // What the user names, includes, or sets is checked, and so is a folder that a workflow deploys.
    for named in [
        &["a/testdata", "tests/fixtures/t.yaml"][..],
        &["--include", "**/*.yaml", "."],
        &["--check-tests", "."],
        &["**/*.yaml"],
    ] {
        assert_eq!(skipped(&folder, named), none, "{named:?}");
    }
    folder.write(".github/workflows/deploy.yml", "run: aws cloudformation deploy --template-file a\\testdata/t.yaml\n");
    assert_eq!(skipped(&folder, &["."]), ["__snapshots__", "examples_output", "tests/fixtures"]);
    folder.write("formwork.yaml", "check-tests: true\n");
    assert_eq!(skipped(&folder, &["."]), none);
}

#[test]
fn a_template_in_a_folder_of_tests_is_checked_if_others_use_it() {
    let bad = "resource st 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'stabc'\n  location: 'westeurope'\n  sku: { name: 'Standard_LRS' }\n  \
               kind: 'StorageV2'\n  properties: { allowBlobPublicAccess: true }\n}\n";
    let main = "module m 'testdata/m.bicep' = {\n  name: 'm'\n}\n";
    check(&[("main.bicep", main), ("testdata/m.bicep", bad)], &["error AZ-STORAGE-003 6"]);
    check(&[("testdata/m.bicep", bad)], &[]);
    // A parameter file outside belongs to it, or one inside belongs to a template outside.
    let using = |path: &str| format!("using '{path}'\n");
    check(&[("testdata/m.bicep", bad), ("prod.bicepparam", &using("testdata/m.bicep"))], &["error AZ-STORAGE-003 6"]);
    check(&[("m.bicep", bad), ("testdata/prod.bicepparam", &using("../m.bicep"))], &["error AZ-STORAGE-003 6"]);
}

#[test]
fn a_template_for_azure_stack_hub_is_not_judged_as_one_for_azure() {
    let template = |profile: &str| {
        format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", {profile}
"resources": [
{{"type": "Microsoft.Network/publicIPAddresses", "apiVersion": "2017-10-01", "name": "pip", "location": "local", "properties": {{"bogus": 1}}}},
{{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2017-10-01", "name": "nsg", "location": "local", "properties": {{"securityRules": [
{{"name": "ssh", "properties": {{"access": "Allow", "direction": "Inbound", "protocol": "Tcp", "priority": 100, "sourceAddressPrefix": "*", "sourcePortRange": "*", "destinationAddressPrefix": "*", "destinationPortRange": "22"}}}}]}}}}]}}"#
        )
    };
    let hybrid = template(r#""apiProfile": "2019-03-01-hybrid","#);
    // A network that is open to anybody is one in every cloud.
    check(&[("main.json", &hybrid)], &["error AZ-NSG-001 5"]);
    let folder = Folder::new();
    folder.write("main.json", &hybrid);
    assert_eq!(folder.run(&["check", "--strict"]).code, 3);
    let of_azure = listed(&[("main.json", &template(""))], &["."]);
    assert!(of_azure.iter().any(|line| line.contains("AZ-PUBLICIP-001")), "{of_azure:?}");
    assert!(of_azure.iter().any(|line| line.contains("schema/unknown-property")), "{of_azure:?}");
}

#[test]
fn values_that_stand_in_for_others_are_no_faults() {
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
"parameters": {"prefix": {"type": "string", "defaultValue": ""}, "nsg": {"type": "object", "defaultValue": {}}},
"resources": [
{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2023-04-01", "name": "[concat(parameters('prefix'), '-a')]", "location": "westeurope", "properties": {}},
{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2023-04-01", "name": "[concat(parameters('prefix'), '-b')]", "location": "westeurope", "properties": {}},
{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "${azure.version}", "name": "[parameters('nsg').name]", "location": "westeurope", "properties": {}}]}"#;
    check(&[("main.json", template)], &[]);
    let file = |value: &str| {
        format!(
            "{{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#\", \"contentVersion\": \"1.0.0.0\",\n\"parameters\": {{\"prefix\": {{\"value\": \"{value}\"}}, \"nsg\": {{\"value\": {{\"name\": \"nsg\"}}}}}}}}"
        )
    };
    let of = |value: &str| listed(&[("main.json", template), ("main.parameters.json", &file(value))], &["."]);
    assert_eq!(of(""), ["warning parameter/empty 2"]);
    assert_eq!(of("-x"), ["error resource/name 4", "error resource/name 5"]);
    assert!(of("## TO BE DEFINED ##").is_empty() && of("x").is_empty());
}

#[test]
fn format_needs_arguments_only_for_placeholders() {
    let output = |call: &str| format!("output o string = {call}\n");
    for call in ["format('abc')", "format('{{0}}')", "format('a{0}', 1)"] {
        check(&[("main.bicep", &output(call))], &[]);
    }
    check(&[("main.bicep", &output("format('a{0}')"))], &["error expression/failed 1"]);
}

#[test]
fn the_branch_that_is_not_taken_is_not_the_place_of_a_finding() {
    let text = "param a bool = false\nresource st 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'stabc'\n  location: 'westeurope'\n  \
                sku: { name: 'Standard_LRS' }\n  kind: 'StorageV2'\n  properties: a ? {\n    allowBlobPublicAccess: false\n  } : {\n    \
                allowBlobPublicAccess: true\n  }\n}\n";
    check(&[("main.bicep", text)], &["error AZ-STORAGE-003 7"]);
}

#[test]
fn valid_bicep_is_not_refused() {
    check(
        &[(
            "main.bicep",
            "extension az as newAz\noutput o string = newAz.resourceGroup().location\noutput p string = newAz.subscription().id\n",
        )],
        &[],
    );
    let variables = "var id = '00000000-0000-0000-0000-000000000000'\n@export()\nvar a = subscriptionResourceId(id, 'A.B/c', 'd')\n\
                     @export()\nvar b = resourceId(id, 'rg', 'A.B/c', 'd')\n@export()\nvar c = managementGroupResourceId('mg', 'A.B/c', 'd')\n";
    let main = "param a string\nparam b string\nparam c string\noutput o string = '${a}${b}${c}'\n";
    let file = "using 'main.bicep'\nimport * as v from 'v.bicep'\nparam a = v.a\nparam b = v.b\nparam c = v.c\n";
    check(&[("main.bicep", main), ("v.bicep", variables), ("main.bicepparam", file)], &[]);
    let feature = |name: &str| format!("{{\"experimentalFeaturesEnabled\": {{\"{name}\": true}}}}");
    let existing = "resource st 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 'abc' }\n";
    check(
        &[
            ("main.bicep", &format!("{existing}output s resource = st\n")),
            ("bicepconfig.json", &feature("resourceTypedParamsAndOutputs")),
        ],
        &[],
    );
    check(
        &[("main.bicep", &format!("{existing}func f() string => '${{st.name}}${{st.id}}'\noutput o string = f()\n"))],
        &[],
    );
    let one = "param a string\noutput o string = a\n";
    let read = [("main.bicep", one), ("main.bicepparam", "using 'main.bicep'\nparam a = readEnvVar('A')\n")];
    let with = "using 'main.bicep' with {\n  mode: 'deployment'\n  scope: '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg'\n}\nparam a = readEnvVar('A')\n";
    let commands = [("main.bicep", one), ("main.bicepparam", with), ("bicepconfig.json", &*feature("deployCommands"))];
    check(&commands, &[]);
    check(&read, &["error bicep/diagnostic 2"]);
    let secret = "using 'main.bicep'\nparam a = getSecret(externalInput('sys.cli', 'sub'), 'rg', 'kv', 's')\n";
    check(
        &[("main.bicep", "@secure()\nparam a string\n@secure()\noutput o string = a\n"), ("main.bicepparam", secret)],
        &[],
    );
    let base =
        [("base.bicepparam", "using none\nparam x = 'abc'\n"), ("bicepconfig.json", &*feature("extendableParamFiles"))];
    let extending = "using 'main.bicep'\nextends 'base.bicepparam'\nparam a = base['x']\n";
    check(&[&base[..], &[("main.bicep", one), ("main.bicepparam", extending)]].concat(), &[]);
    check(&[("main.bicep", "param i 0 | 1\nvar t = ['x', 'y', 1]\noutput o string = t[i]\n")], &[]);
}

#[test]
fn a_suggested_name_is_a_fix() {
    let folder = Folder::new();
    folder.write("main.json", crate::harness::template(r#""parameters": {"location": {"type": "string"}}, "resources": [], "outputs": {"o": {"type": "string", "value": "[parameters('loaction')]"}}"#));
    folder.run(&["check", "--fix", "main.json"]);
    let text = std::fs::read_to_string(folder.path().join("main.json")).unwrap();
    assert!(text.contains("[parameters('location')]"));
}

#[test]
fn a_secret_that_is_filled_in_later_is_none() {
    let secret = |text: &str| {
        format!(
            "Resources:\n  S:\n    Type: AWS::SecretsManager::Secret\n    Properties:\n      SecretString: {text}\n"
        )
    };
    let of_secret = |text: &str| {
        let listed = listed(&[("main.yaml", &secret(text))], &["."]);
        listed.into_iter().filter(|line| line.contains("secret/")).collect::<Vec<_>>()
    };
    for text in ["ChangeMe", "'{}'", "TODO", "'{\"user\": \"changeme\", \"password\": \"\"}'"] {
        assert_eq!(of_secret(text), [""; 0], "{text}");
    }
    assert_eq!(of_secret("hunter2-and-more"), ["error secret/property 5"]);
}

#[test]
fn the_name_of_a_resource_makes_no_secret_of_its_state() {
    let template = |output: &str| {
        format!(
            "@secure()\nparam namePrefix string\n@secure()\nparam password string\n\
             resource id 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {{\n  name: '${{namePrefix}}-id'\n  location: 'westeurope'\n}}\n\
             output o string = {output}\noutput p string = password\n"
        )
    };
    let expected = ["error secret/output 10"];
    check(&[("main.bicep", &template("id.properties.clientId"))], &expected);
    // A name is marked as a secret by mistake: that is advice.
    check(&[("main.bicep", &template("id.name"))], &expected);
}

#[test]
fn what_only_a_deployment_knows_decides_nothing() {
    let main = "param a string = newGuid()\nparam b string = newGuid()\nparam subscription string = ''\n\
                module x 'm.bicep' = { name: a }\nmodule y 'm.bicep' = { name: b }\n\
                output n string = split(az.subscription().displayName, '-')[1]\n\
                resource s 'Microsoft.Storage/storageAccounts/fileServices/shares@2023-01-01' = {\n  name: 'abc/default/${subscription}-files'\n}\n";
    check(&[("main.bicep", main), ("m.bicep", "output o int = 1\n")], &[]);
}

#[test]
fn an_environment_variable_is_unknown() {
    let files = [
        ("main.bicep", "param name string\nparam size int\noutput o string = '${name}${size}'\n"),
        ("main.bicepparam", "using 'main.bicep'\nparam name = readEnvironmentVariable('NAME')\nparam size = 'x'\n"),
    ];
    check(&files, &["error bicep/BCP033 3"]);
}

#[test]
fn the_azure_developer_cli_asks_for_empty_entries() {
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "parameters": {"location": {"type": "string"}, "size": {"type": "string"}},
        "resources": [], "outputs": {"o": {"type": "string", "value": "[concat(parameters('location'), parameters('size'))]"}}}"#;
    let file = |location: &str| {
        format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
                "contentVersion": "1.0.0.0", "parameters": {{"location": {{"value": "{location}"}},
                "size": {{}}}}}}"#
        )
    };
    check(&[("main.json", template), ("main.parameters.json", &file("${AZURE_LOCATION}"))], &[]);
    check(&[("main.json", template), ("main.parameters.json", &file("west"))], &["error parameter/format 3"]);
}
