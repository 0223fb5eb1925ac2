//! The checks of resources against the types that their clouds publish.

use formwork::{Outcome, Rules, Severity, Template};

use crate::harness::{Folder, template};

/// What the checks say of a template: ID, path, and message, in the order of the text.
fn findings(name: &str, text: &str) -> Vec<String> {
    let report = Template::new(name, text).check(&Rules::builtin());
    let of_types = report.findings().filter(|it| it.outcome == Outcome::Failed && it.rule.starts_with("schema/"));
    of_types.map(|it| format!("{} {}: {}", it.rule, it.path, it.message)).collect()
}

/// Checks one resource of Azure, from its `type` on.
#[track_caller]
fn azure(resource: &str, expected: &[&str]) {
    assert_eq!(of_azure(resource), expected, "{resource}");
}

/// What the checks say of one resource of Azure.
fn of_azure(resource: &str) -> Vec<String> {
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    let parameters = r#"{"text": {"type": "string"}, "plain": {"type": "string", "defaultValue": "x"}, "secret": {"type": "securestring"}}"#;
    let text = format!(
        r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "parameters": {parameters}, "resources": [{{{resource}}}]}}"#
    );
    findings("main.json", &text)
}

/// Checks a storage account with these members.
#[track_caller]
fn account(members: &str, expected: &[&str]) {
    let account = r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account""#;
    azure(&format!("{account}, {members}"), expected);
}

const WHOLE: &str = r#""location": "westeurope", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}"#;

#[test]
fn a_resource_that_fits_its_type_is_silent() {
    account(WHOLE, &[]);
    account(&format!(r#"{WHOLE}, "properties": {{"accessTier": "Hot", "minimumTlsVersion": "TLS1_2"}}"#), &[]);
    account(&format!(r#"{WHOLE}, "tags": {{"anything": "goes"}}, "dependsOn": [], "comments": "c""#), &[]);
}

#[test]
fn azure_is_tolerant() {
    // Case, Booleans and numbers as strings, and the empty string for absence.
    let tolerated =
        r#""PROPERTIES": {"accesstier": "hot", "supportsHttpsTrafficOnly": "True", "minimumTlsVersion": ""}"#;
    account(&format!("{WHOLE}, {tolerated}"), &[]);
    account(&format!(r#"{WHOLE}, "properties": null"#), &[]);
}

#[test]
fn a_type_that_does_not_exist_is_reported() {
    azure(
        r#""type": "Microsoft.Storage/storageAcounts", "apiVersion": "2023-01-01", "name": "a""#,
        &[
            "schema/resource-type resources[0].type: Azure has no resource type `Microsoft.Storage/storageAcounts`, did you mean `Microsoft.Storage/storageAccounts`?",
        ],
    );
    azure(
        r#""type": "Microsoft.Storag/storageAccounts", "apiVersion": "2023-01-01", "name": "a""#,
        &[
            "schema/resource-type resources[0].type: Azure has no resource type `Microsoft.Storag/storageAccounts`, did you mean `Microsoft.Storage/storageAccounts`?",
        ],
    );
    azure(r#""type": "Contoso.Custom/things", "apiVersion": "2023-01-01", "name": "a""#, &[]);
}

#[test]
fn a_resource_of_an_extension_has_no_type_of_azure() {
    let check = |resource: &str, expected: &[&str]| {
        let text = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "languageVersion": "2.1-experimental", "contentVersion": "1.0.0.0", "resources": {{"a": {{{resource}}}}}}}"#
        );
        assert_eq!(findings("main.json", &text), expected, "{resource}");
    };
    let resource = r#""type": "Microsoft.Storage/storageAcounts@v1.0", "properties": {"anything": "goes"}"#;
    for member in [r#""extension": "graph""#, r#""import": "graph""#, r#""import": "graph", "existing": true"#] {
        check(&format!("{member}, {resource}"), &[]);
    }
}

#[test]
fn a_version_that_does_not_exist_is_reported() {
    azure(
        r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-13-01", "name": "account""#,
        &[
            "schema/api-version resources[0].apiVersion: `Microsoft.Storage/storageAccounts` has no API version `2023-13-01`; the newest one is `2026-04-01`, the next one is `2024-01-01`",
        ],
    );
    // Of some providers not all old versions are known.
    let network = r#""type": "Microsoft.Network/virtualNetworks", "apiVersion": "2019-13-01", "name": "n""#;
    let text = template(&format!(r#""resources": [{{{network}}}]"#));
    let report = Template::new("main.json", &text).check(&Rules::builtin());
    let of_version = report.findings().find(|finding| finding.rule == "schema/api-version");
    assert_eq!(of_version.map(|finding| finding.severity), Some(Severity::Low));
    // It may be newer than the data.
    azure(r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2099-01-01", "name": "account""#, &[]);
}

#[test]
fn names_of_properties_are_checked() {
    account(
        &format!(r#"{WHOLE}, "propertise": {{"accessTier": "Hot"}}"#),
        &[
            "schema/unknown-property resources[0].propertise: `Microsoft.Storage/storageAccounts` has no property `propertise`, did you mean `properties`?",
        ],
    );
    account(
        &format!(r#"{WHOLE}, "accessTier": "Hot""#),
        &[
            "schema/unknown-property resources[0].accessTier: `Microsoft.Storage/storageAccounts` has no property `accessTier`; it belongs in `properties`",
        ],
    );
    account(
        r#""location": "westeurope", "kind": "StorageV2", "sku": {"tier": "Standard"}"#,
        &[
            "schema/missing-property resources[0].sku.name: `sku` lacks the required property `name`",
            "schema/read-only resources[0].sku.tier: `tier` is read-only: Azure sets it, and ignores or rejects other values",
        ],
    );
}

#[test]
fn a_name_that_no_resource_has_is_reported_once() {
    let rules = |text: &str, settings: &str| {
        let folder = Folder::new();
        folder.write("main.json", text).write("formwork.yaml", settings);
        let report = folder.run(&["check", "main.json", "--format", "json"]).json();
        let of = |finding: &serde_json::Value| {
            let rule = finding["rule"].as_str().unwrap();
            rule.ends_with("/unknown-property").then(|| format!("{rule} {}", finding["severity"]))
        };
        report["results"].as_array().unwrap().iter().filter_map(of).collect::<Vec<_>>()
    };
    let account = |members: &str| {
        template(&format!(
            r#""resources": [{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account", {WHOLE}, {members}}}]"#
        ))
    };
    let misspelled = account(r#""propertise": {}"#);
    // The type knows more names, and the deployment is rejected as a whole.
    assert_eq!(rules(&misspelled, ""), ["schema/unknown-property 1"]);
    assert_eq!(rules(&account(r#""accessTier": "Hot""#), ""), ["schema/unknown-property 2"]);
    // What is said without the type is said where nothing else is.
    let not_deployed = account(r#""propertise": {}, "condition": false"#);
    assert_eq!(rules(&not_deployed, ""), ["template/unknown-property 1"]);
    let without_types = "rules:\n  exclude: [schema/unknown-property]\n";
    assert_eq!(rules(&misspelled, without_types), ["template/unknown-property 1"]);
    let without_templates = "rules:\n  exclude: [template/unknown-property]\n";
    assert_eq!(rules(&misspelled, without_templates), ["schema/unknown-property 2"]);
}

#[test]
fn values_are_checked() {
    account(
        &format!(
            r#"{WHOLE}, "properties": {{"accessTier": ["Hot"], "encryption": "yes", "minimumTlsVersion": "TLS1_2"}}"#
        ),
        &[
            "schema/type resources[0].properties.accessTier: `accessTier` is an array; expected a string",
            "schema/type resources[0].properties.encryption: `encryption` is a string; expected an object",
        ],
    );
    account(
        &format!(r#"{WHOLE}, "properties": {{"accessTier": "Hott"}}"#),
        &[
            "schema/value resources[0].properties.accessTier: `accessTier` is `Hott`; expected one of `Cool`, `Hot`, `Premium`, did you mean `Hot`?",
        ],
    );
    azure(
        r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "ab", "location": "x", "kind": "Storage", "sku": {"name": "Standard_LRS"}"#,
        &["schema/length resources[0].name: `name` has 2 characters; expected 3 to 24"],
    );
}

#[test]
fn a_slip_in_a_value_of_an_open_choice_is_reported() {
    account(
        r#""location": "westeurope", "kind": "StorageV3", "sku": {"name": "Standard_LRSS"}"#,
        &["schema/misspelled-value resources[0].sku.name: `name` is `Standard_LRSS`, which the type does not name; \
           did you mean `Standard_LRS`?"],
    );
    account(r#""location": "westeurope", "kind": "StorageV2", "sku": {"name": "Standard_NEW"}"#, &[]);
}

#[test]
fn what_is_unknown_never_fails() {
    account(
        r#""location": "[parameters('text')]", "kind": "[parameters('text')]", "sku": {"name": "[parameters('text')]"}, "properties": {"accessTier": "[parameters('text')]"}"#,
        &[],
    );
    account(&format!(r#"{WHOLE}, "properties": "[reference('other')]""#), &[]);
}

#[test]
fn what_azure_accepts_is_not_reported() {
    // The tag selects the branch `Default` where it is absent.
    let server = |login: &str| {
        format!(
            r#""type": "Microsoft.DBforMySQL/servers", "apiVersion": "2017-12-01", "name": "server", "location": "x", "properties": {{"version": "5.7", {login}}}"#
        )
    };
    let password = r#""administratorLoginPassword": "[parameters('secret')]""#;
    azure(&server(&format!(r#""administratorLogin": "admin1", {password}"#)), &[]);
    azure(
        &server(password),
        &[
            "schema/missing-property resources[0].properties.administratorLogin: `properties` lacks the required property `administratorLogin`",
        ],
    );
    // Every type has the same plan.
    let plan = |name: &str| {
        format!(
            r#""type": "Microsoft.OperationsManagement/solutions", "apiVersion": "2015-11-01-preview", "name": "s", "location": "x", "plan": {{"name": "s", "publisher": "p", "product": "o", "promotionCode": "", "{name}": "1"}}, "properties": {{"workspaceResourceId": "[parameters('text')]"}}"#
        )
    };
    azure(&plan("Version"), &[]);
    azure(&plan("versoin"), &["schema/unknown-property resources[0].plan.versoin: `plan` has no property `versoin`"]);
    // A setting that has its own type by now.
    let config = |name: &str| {
        format!(
            r#""type": "Microsoft.Web/sites/config", "apiVersion": "2019-08-01", "name": "site/{name}", "properties": {{}}"#
        )
    };
    azure(&config("virtualNetwork"), &[]);
    assert_eq!(of_azure(&config("virtualNetwerk")).len(), 1);
}

#[test]
fn what_is_demanded_of_a_new_disk_is_not_of_one_that_is_decrypted() {
    let machine = |disk: &str| {
        format!(
            r#""type": "Microsoft.Compute/virtualMachines", "apiVersion": "2015-06-15", "name": "vm", "location": "x", "properties": {{"storageProfile": {{"osDisk": {{{disk}}}}}}}"#
        )
    };
    azure(&machine(r#""encryptionSettings": {"enabled": false}"#), &[]);
    assert_eq!(of_azure(&machine(r#""caching": "None""#)).len(), of_azure(&machine("")).len());
    let missing = of_azure(&machine(r#""caching": "None""#));
    assert!(missing.iter().any(|finding| finding.contains("osDisk.createOption")), "{missing:?}");
}

#[test]
fn a_property_that_only_another_version_has_is_not_reported_by_default() {
    let account = |version: &str, property: &str| {
        format!(
            r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "{version}", "name": "account", "location": "x", "kind": "Storage", "sku": {{"name": "Standard_LRS"}}, "properties": {{"{property}": true}}"#
        )
    };
    // The description of an older version is likely to be incomplete, and that of a preview even more so.
    for version in ["2017-06-01", "2018-03-01-preview"] {
        azure(&account(version, "allowSharedKeyAccess"), &[]);
        assert_eq!(of_azure(&account(version, "allowSharedKey")).len(), 1, "{version}");
    }
}

#[test]
fn a_property_belongs_where_it_is_missing() {
    let connection = |properties: &str| {
        format!(
            r#""type": "Microsoft.Automation/automationAccounts/connections", "apiVersion": "2015-10-31", "name": "account/c", "properties": {{{properties}}}"#
        )
    };
    azure(
        &connection(r#""name": "c", "connectionType": {"name": "Azure"}"#),
        &[
            "schema/unknown-property resources[0].properties.name: `properties` has no property `name`; it belongs one level up",
        ],
    );
}

#[test]
fn a_scope_that_a_type_cannot_be_deployed_to_is_reported() {
    let schema = "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#";
    let account = r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account""#;
    let text =
        format!(r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "resources": [{{{account}, {WHOLE}}}]}}"#);
    let expected = "schema/scope resources[0].type: `Microsoft.Storage/storageAccounts` cannot be deployed to a subscription; expected a resource group";
    assert_eq!(findings("main.json", &text), [expected]);
}

/// Checks resources in a template whose parameters `on`, `list`, and `name` have defaults that deploy nothing.
#[track_caller]
fn with_defaults(resources: &str, expected: &[&str]) {
    let declared = r#""parameters": {"on": {"type": "bool", "defaultValue": false},
        "list": {"type": "array", "defaultValue": []}, "name": {"type": "string", "defaultValue": ""}},
        "variables": {"never": false}"#;
    let text = template(&format!("{declared}, \"resources\": [{resources}]"));
    let report = Template::new("main.json", &text).check(&Rules::builtin());
    let of_types = report.findings().filter(|it| it.outcome == Outcome::Failed && it.rule.starts_with("schema/"));
    let found: Vec<String> = of_types.map(|it| format!("{} {}: {}", it.rule, it.path, it.message)).collect();
    assert_eq!(found, expected, "{resources}");
}

/// A storage account that fits its type, with these members.
fn account_with(members: &str) -> String {
    format!(r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", {WHOLE}, {members}}}"#)
}

const MISSPELLED: &str = r#""properties": {"accesTier": "Hot"}"#;

/// Finding about [`MISSPELLED`] at a path, with the condition of the resource.
fn misspelled(path: &str, condition: &str) -> String {
    let message = "`properties` has no property `accesTier`, did you mean `accessTier`?";
    format!("schema/unknown-property {path}.accesTier: {message}{condition}")
}

#[test]
fn what_other_values_deploy_is_compared_with_its_type() {
    // A resource, a child, and a loop.
    with_defaults(
        &account_with(&format!(r#""name": "a", "condition": "[parameters('on')]", {MISSPELLED}"#)),
        &[&misspelled("resources[0].properties", " (if `on`)")],
    );
    with_defaults(
        &account_with(&format!(
            r#""name": "[parameters('list')[copyIndex()].name]", "copy": {{"name": "c", "count": "[length(parameters('list'))]"}}, {MISSPELLED}"#
        )),
        &[&misspelled("resources[0].properties", "")],
    );
    with_defaults(
        &account_with(
            r#""name": "b", "condition": "[parameters('on')]", "resources": [{"type": "blobServices", "apiVersion": "2023-01-01", "name": "default", "properties": {"isVersioningEnabld": true}}]"#,
        ),
        &[
            "schema/unknown-property resources[0].resources[0].properties.isVersioningEnabld: `properties` has no property `isVersioningEnabld`, did you mean `isVersioningEnabled`? (if `on`)",
        ],
    );
    // A branch, and a loop in a property.
    with_defaults(
        &account_with(
            r#""name": "branch", "properties": {"networkAcls": "[if(parameters('on'), createObject('defaultAction', 'Deny', 'bypas', 'None'), null())]"}"#,
        ),
        &[
            "schema/unknown-property resources[0].properties.networkAcls.bypas: `networkAcls` has no property `bypas`, did you mean `bypass`?",
        ],
    );
    with_defaults(
        &account_with(
            r#""name": "looped", "properties": {"networkAcls": {"defaultAction": "Deny", "copy": [{"name": "ipRules", "count": "[length(parameters('list'))]", "input": {"vale": "[parameters('list')[copyIndex('ipRules')]]"}}]}}"#,
        ),
        &[
            "schema/missing-property resources[0].properties.networkAcls.ipRules[0].value: an item of `ipRules` lacks the required property `value`",
            "schema/unknown-property resources[0].properties.networkAcls.ipRules[0].vale: an item of `ipRules` has no property `vale`, did you mean `value`?",
        ],
    );
}

#[test]
fn what_no_value_deploys_is_not_compared_with_its_type() {
    // What no value deploys is no mistake, nor is what only the reached branch lacks or a default leaves empty.
    for condition in ["false", r#""[variables('never')]""#, r#""[and(parameters('on'), false())]""#] {
        with_defaults(&account_with(&format!(r#""name": "e", "condition": {condition}, {MISSPELLED}"#)), &[]);
    }
    with_defaults(
        &account_with(
            r#""name": "[parameters('name')]", "condition": "[not(empty(parameters('name')))]", "properties": {"networkAcls": "[if(parameters('on'), createObject(), createObject('defaultAction', 'Deny'))]"}"#,
        ),
        &[],
    );
    with_defaults(
        r#"{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "f", "existing": true, "condition": "[parameters('on')]"}"#,
        &[],
    );
    // One text, one finding.
    let twice = account_with(&format!(r#""name": "[if(parameters('on'), 'first', 'second')]", {MISSPELLED}"#));
    with_defaults(&twice, &[&misspelled("resources[0].properties", "")]);
}

#[test]
fn what_a_template_only_refers_to_has_a_type_and_a_version() {
    let check = |scope: &str, resource: &str, expected: &[&str]| {
        let schema = format!("https://schema.management.azure.com/schemas/{scope}eploymentTemplate.json#");
        let text = format!(
            r#"{{"$schema": "{schema}", "languageVersion": "2.0", "contentVersion": "1.0.0.0", "resources": {{"a": {{"existing": true, "name": "account", {resource}}}}}}}"#
        );
        assert_eq!(findings("main.json", &text), expected, "{resource}");
    };
    let (group, subscription) = ("2019-04-01/d", "2018-05-01/subscriptionD");
    let account = r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01""#;
    check(group, account, &[]);
    // Nothing but these and the scope is of the resource that exists.
    check(group, &format!(r#"{account}, "properties": {{"accessTier": "Hott"}}"#), &[]);
    check(
        group,
        r#""type": "Microsoft.Storage/storageAcounts", "apiVersion": "2023-01-01""#,
        &[
            "schema/resource-type resources.a.type: Azure has no resource type `Microsoft.Storage/storageAcounts`, did you mean `Microsoft.Storage/storageAccounts`?",
        ],
    );
    check(
        group,
        r#""type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-13-01""#,
        &[
            "schema/api-version resources.a.apiVersion: `Microsoft.Storage/storageAccounts` has no API version `2023-13-01`; the newest one is `2026-04-01`, the next one is `2024-01-01`",
        ],
    );
    check(
        subscription,
        account,
        &[
            "schema/scope resources.a.type: `Microsoft.Storage/storageAccounts` cannot be found in a subscription; expected a resource group",
        ],
    );
    check(subscription, &format!(r#"{account}, "scope": "[resourceGroup('g')]""#), &[]);
    check(subscription, &format!(r#"{account}, "resourceGroup": "g""#), &[]);
}

/// Checks one resource of a stack, from its `Type` on.
#[track_caller]
fn stack(resource: &str, expected: &[&str]) {
    let text = format!(
        r#"{{"Conditions": {{"C": {{"Fn::Equals": [{{"Ref": "Q"}}, "x"]}}}}, "Parameters": {{"P": {{"Type": "String"}}, "Q": {{"Type": "String"}}}}, "Resources": {{"R": {{{resource}}}}}}}"#
    );
    assert_eq!(findings("stack.json", &text), expected, "{resource}");
}

#[test]
fn stacks_are_checked_against_the_schemas_of_cloudformation() {
    stack(r#""Type": "AWS::S3::Bucket""#, &[]);
    stack(
        r#""Type": "AWS::S3::Buckett""#,
        &[
            "schema/resource-type Resources.R.Type: CloudFormation has no resource type `AWS::S3::Buckett`, did you mean `AWS::S3::Bucket`?",
        ],
    );
    stack(
        r#""Type": "AWS::S3::Bucket", "Properties": {"BucketNam": "x", "AccessControl": "private", "OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}}"#,
        &[
            "schema/unknown-property Resources.R.Properties.BucketNam: `Properties` has no property `BucketNam`, did you mean `BucketName`?",
            "schema/value Resources.R.Properties.AccessControl: `AccessControl` is `private`; expected one of `AuthenticatedRead`, `AwsExecRead`, `BucketOwnerFullControl`, `BucketOwnerRead`, `LogDeliveryWrite`, `Private`, `PublicRead`, `PublicReadWrite`, did you mean `Private`?",
        ],
    );
    stack(
        r#""Type": "AWS::Lambda::Function", "Properties": {"Code": "./dist", "Timeout": "30"}"#,
        &["schema/missing-property Resources.R.Properties.Role: `Properties` lacks the required property `Role`"],
    );
    stack(
        r#""Type": "AWS::Lambda::Function", "Properties": {"Code": {"ZipFile": "x"}, "Role": {"Ref": "P"}, "Runtime": "python3.14"}"#,
        &[],
    );
}

/// Checks the properties of an instance in a stack. The condition `C` is unknown.
#[track_caller]
fn instance(properties: &str, expected: &[&str]) {
    stack(&format!(r#""Type": "AWS::EC2::Instance", "Properties": {{{properties}}}"#), expected);
}

#[test]
fn each_branch_of_a_choice_is_checked_as_far_as_it_is_known() {
    let image = "schema/type Resources.R.Properties.ImageId: `ImageId` is an array; expected a string";
    instance(r#""ImageId": {"Fn::If": ["C", ["a"], {"Ref": "P"}]}"#, &[image]);
    instance(r#""ImageId": {"Fn::If": ["C", {"Ref": "P"}, ["a"]]}"#, &[image]);
    let absent = "schema/missing-property Resources.R.Properties.ImageId: `AWS::EC2::Instance` lacks `ImageId`, which is required without `LaunchTemplate` (if not `C`)";
    instance(r#""ImageId": {"Fn::If": ["C", ["a"], {"Ref": "AWS::NoValue"}]}"#, &[absent, image]);
    instance(r#""ImageId": {"Fn::If": ["C", "ami-12345678", {"Fn::If": ["C", {"Ref": "P"}, ["b"]]}]}"#, &[image]);
    instance(r#""ImageId": {"Fn::If": ["C", ["a"], ["b"]]}"#, &[image, image]);
    instance(r#""ImageId": {"Fn::If": ["C", {"Ref": "P"}, "ami-12345678"]}"#, &[]);
    instance(
        r#""ImageId": {"Ref": "P"}, "BlockDeviceMappings": [{"Fn::If": ["C", {"VirtualName": {"Ref": "P"}}, {"Ref": "AWS::NoValue"}]}]"#,
        &[
            "schema/missing-property Resources.R.Properties.BlockDeviceMappings[0].DeviceName: an item of `BlockDeviceMappings` lacks the required property `DeviceName`",
        ],
    );
    instance(
        r#""ImageId": {"Ref": "P"}, "BlockDeviceMappings": [{"DeviceName": "d", "Ebs": {"Fn::If": ["C", {"Encrypted": {"Ref": "P"}, "Encrypt": true}, {"Ref": "AWS::NoValue"}]}}]"#,
        &[
            "schema/missing-property Resources.R.Properties.BlockDeviceMappings[0].VirtualName: an item of `BlockDeviceMappings` lacks a required property; expected `VirtualName`, or `Ebs`, or `NoDevice` (if not `C`)",
            "schema/unknown-property Resources.R.Properties.BlockDeviceMappings[0].Ebs.Encrypt: `Ebs` has no property `Encrypt`, did you mean `Encrypted`?",
        ],
    );
}

#[test]
fn an_array_is_too_long_where_its_items_are_deployed() {
    let function = |architectures: &str| {
        format!(
            r#""Type": "AWS::Lambda::Function", "Properties": {{"Code": {{"ZipFile": "x"}}, "Role": {{"Ref": "P"}}, "Runtime": "python3.14", "Architectures": [{architectures}]}}"#
        )
    };
    let maybe = r#"{"Fn::If": ["C", "arm64", {"Ref": "AWS::NoValue"}]}"#;
    let both = "schema/length Resources.R.Properties.Architectures: `Architectures` has 2 items; expected 1 (if `C`)";
    stack(&function(&format!(r#""x86_64", {maybe}"#)), &[both]);
    let expected = "schema/length Resources.R.Properties.Architectures: `Architectures` has 3 items; expected 1";
    let twice = "schema/duplicate Resources.R.Properties.Architectures[2]: item 2 of `Architectures` repeats an earlier item (if `C`)";
    stack(&function(&format!(r#""x86_64", "arm64", {maybe}"#)), &[expected, twice]);
}

#[test]
fn a_finding_in_a_branch_is_on_its_line() {
    let folder = Folder::new();
    folder.write(
        "stack.yaml",
        "Conditions: {C: !Equals [!Ref P, x]}\nParameters: {P: {Type: String}}\nResources:\n  R:\n    Type: AWS::EC2::Instance\n    Properties:\n      ImageId: !If\n        - C\n        - a\n        - [b]\n",
    );
    let report = folder.run(&["check", "stack.yaml", "--format", "json"]).json();
    let of_types = report["results"].as_array().unwrap().iter().find(|finding| finding["rule"] == "schema/type");
    assert_eq!(of_types.unwrap()["location"]["line"], 10, "{of_types:?}");
}

#[test]
fn serverless_resources_need_what_their_expansion_needs() {
    let serverless = |kind: &str, properties: &str| {
        let text = format!(
            r#"{{"Transform": "AWS::Serverless-2016-10-31", "Resources": {{"R": {{"Type": "AWS::Serverless::{kind}"{properties}}}}}}}"#
        );
        let report = Template::new("stack.json", &text).check(&Rules::builtin());
        let of_sam = report.findings().filter(|finding| finding.rule == "sam/invalid");
        of_sam.map(|finding| finding.message).collect::<Vec<_>>()
    };
    let lacks = |kind: &str, name: &str| format!("`AWS::Serverless::{kind}` lacks the required property `{name}`");
    assert_eq!(serverless("Api", ""), [lacks("Api", "StageName")]);
    assert_eq!(serverless("Api", r#", "Properties": {"StageName": "s"}"#), [""; 0]);
    assert_eq!(serverless("Application", r#", "Properties": {"Parameters": {}}"#), [lacks("Application", "Location")]);
    assert_eq!(
        serverless("LayerVersion", r#", "Properties": {"LayerName": "l"}"#),
        [lacks("LayerVersion", "ContentUri")]
    );
    assert_eq!(serverless("HttpApi", ""), [""; 0]);
}

#[test]
fn what_is_not_aws_is_not_checked() {
    for kind in
        ["Custom::Thing", "AWS::CloudFormation::CustomResource", "Contoso::Bucket::MODULE", "AWS::Serverless::Function"]
    {
        stack(&format!(r#""Type": "{kind}", "Properties": {{"Anything": 1}}"#), &[]);
    }
}

/// The findings about the age of API versions in a run with these settings and arguments.
#[track_caller]
fn ages(settings: &str, arguments: &[&str], resources: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    folder.write("formwork.yaml", settings);
    folder.write("main.json", template(&format!(r#""resources": [{}]"#, resources.join(","))));
    let ended = folder.run(&[&["check", "main.json", "--format", "json"], arguments].concat());
    let report = ended.json();
    let results = report["results"].as_array().unwrap().iter();
    let of_age = results.filter(|finding| finding["rule"] == "schema/old-api-version");
    of_age.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect()
}

/// A storage account of a version.
fn account_of(version: &str, properties: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "{version}", "name": "account{}", {WHOLE}, "properties": {properties}}}"#,
        version.replace('-', "").get(..8).unwrap()
    )
}

#[test]
fn the_age_of_api_versions_is_reported_on_demand() {
    let old = account_of("2019-06-01", "{}");
    let expected = ["`2019-06-01` is more than 2 years older than the newest API version; use `2026-04-01`"];
    assert_eq!(ages("", &[], &[&old]), [""; 0]);
    assert_eq!(ages("rules: {profile: default}", &[], &[&old]), [""; 0]);
    assert_eq!(ages("rules: {profile: all}", &[], &[&old]), expected);
    assert_eq!(ages("", &["--profile", "all"], &[&old]), expected);
    assert_eq!(ages("rules: {profile: all}", &["--profile", "default"], &[&old]), [""; 0]);
    // Who names the check wants it.
    assert_eq!(ages("rules: {include: [schema/old-api-version]}", &[], &[&old]), expected);
    assert_eq!(ages("rules: {profile: all, exclude: [schema/old-api-version]}", &[], &[&old]), [""; 0]);
}

#[test]
fn an_old_version_is_told_apart_from_a_recent_one() {
    let all = |resource: &str| ages("", &["--profile", "all"], &[resource]);
    assert_eq!(all(&account_of("2026-04-01", "{}")), [""; 0]);
    assert_eq!(all(&account_of("2025-01-01", "{}")), [""; 0]);
    // An unknown version is not old.
    assert_eq!(all(&account_of("2019-13-01", "{}")), [""; 0]);
    assert_eq!(
        all(&account_of("2018-03-01-preview", "{}")),
        ["`2018-03-01-preview` is a preview, and a later stable API version exists; use `2026-04-01`"]
    );
    let workspace = r#"{"type": "Microsoft.Databricks/workspaces", "apiVersion": "2018-04-01", "name": "w", "location": "x", "properties": {"managedResourceGroupId": "id"}}"#;
    assert_eq!(
        all(workspace),
        [
            "`2018-04-01` is more than 2 years older than the newest API version; use `2024-05-01`; the newest one is `2026-01-01`, but the resource does not fit it"
        ]
    );
    // What is wrong already does not keep it from a newer version.
    assert_eq!(all(&account_of("2019-06-01", r#"{"accessTier": "Hott"}"#)).len(), 1);
}

/// What `explain` says of the type of a property of `main.json`.
#[track_caller]
fn declared(folder: &Folder, path: &str) -> String {
    let ended = folder.run(&["explain", "main.json", path, "--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.json()["type"].as_str().unwrap_or("-").to_owned()
}

#[test]
fn explain_tells_the_type_of_a_property() {
    let folder = Folder::new();
    let properties = r#"{"accessTier": "Hot", "networkAcls": {"ipRules": [{"value": "1.2.3.4"}]}, "odd": 1}"#;
    let account = account_of("2023-01-01", properties);
    folder.write("main.json", template(&format!(r#""variables": {{"v": 1}}, "resources": [{account}]"#)));
    assert_eq!(declared(&folder, "resources[0].name"), "string, 3 to 24 characters, matching `^[a-z0-9]+$`");
    assert_eq!(declared(&folder, "resources[0].properties.accesstier"), "string, one of `Cool`, `Hot`, `Premium`");
    assert_eq!(declared(&folder, "resources[0].properties.networkAcls"), "object");
    assert_eq!(declared(&folder, "resources[0].properties.networkAcls.ipRules"), "array of objects");
    assert_eq!(declared(&folder, "resources[0].properties.networkAcls.ipRules[0].value"), "string");
    assert_eq!(declared(&folder, "resources[0].properties.odd"), "-");
    assert_eq!(declared(&folder, "variables.v"), "-");
    let shown = folder.run(&["explain", "main.json", "resources[0].kind"]).stdout;
    assert!(shown.contains("= type: string, such as `BlobStorage`, `BlockBlobStorage`"), "{shown}");

    folder.write(
        "main.json",
        r#"{"Resources": {"F": {"Type": "AWS::Lambda::Function", "Properties": {"Timeout": 3, "PackageType": "Zip"}}}}"#,
    );
    assert_eq!(declared(&folder, "Resources.F.Properties.Timeout"), "integer, 1 to 5400");
    assert_eq!(declared(&folder, "Resources.F.Properties.PackageType"), "string, one of `Image`, `Zip`");
    assert_eq!(declared(&folder, "Resources.F.Properties"), "object");
}

#[test]
fn a_rule_is_shown_with_the_types_of_its_properties() {
    let shown = Folder::new().run(&["rules", "show", "AZ-STORAGE-002"]).stdout;
    assert!(shown.contains("\nProperty: properties.minimumTlsVersion (string, such as `TLS1_0`"), "{shown}");
    let shown = Folder::new().run(&["rules", "show", "schema/old-api-version"]).stdout;
    assert!(!shown.contains("Property:"), "{shown}");
}

/// What `rules lint` says of a ruleset.
#[track_caller]
fn lint(ruleset: &str, expected: &[&str]) {
    let folder = Folder::new();
    let ended = folder.write("own.ruleset", ruleset).run(&["rules", "lint", "own.ruleset"]);
    let warnings: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!((warnings.as_slice(), ended.code), (expected, 0), "{ruleset}");
}

#[test]
fn rulesets_are_compared_with_the_types() {
    lint(
        "AWS::S3::Bucket BucketEncryption.ServerSideEncryptionConfiguration.*.ServerSideEncryptionByDefault.SSEAlgorithm == aws:kms",
        &[],
    );
    lint(
        "AWS::S3::Buckett BucketName == x",
        &["warning[rule/suspicious]: there is no resource type `AWS::S3::Buckett`, did you mean `AWS::S3::Bucket`?"],
    );
    lint(
        "AWS::S3::Bucket BucketNam == x",
        &[
            "warning[rule/suspicious]: no resource of type `AWS::S3::Bucket` has `BucketNam` there, did you mean `BucketName`?",
        ],
    );
    lint(
        "AWS::EC2::Volume WHEN Encrypted == true CHECK Sise <= 100",
        &["warning[rule/suspicious]: no resource of type `AWS::EC2::Volume` has `Sise` there, did you mean `Size`?"],
    );
    // Indexes, wildcards, what is beside the properties, policies in text, and types that are not published.
    lint("AWS::EC2::Instance BlockDeviceMappings.0.Ebs.Encrypted == true", &[]);
    lint("AWS::S3::Bucket .DeletionPolicy == Retain", &[]);
    lint("AWS::IAM::Role AssumeRolePolicyDocument.Statement.*.Principal.* != *", &[]);
    lint("AWS::Serverless::Function Anything == x", &[]);
    lint("Custom::Thing Anything == x", &[]);
    lint("Microsoft::Storage::storageAccounts accessTier == Hot", &[]);
    lint("Microsoft::Storage::storageAccounts .sku.name == Standard_LRS", &[]);
    lint(
        "Microsoft::Storage::storageAccounts accessTire == Hot",
        &[
            "warning[rule/suspicious]: no resource of type `Microsoft.Storage/storageAccounts` has `accessTire` there, did you mean `accessTier`?",
        ],
    );
}

#[test]
fn every_embedded_rule_is_about_something_that_exists() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
    let ended = Folder::new().run(&["rules", "lint", rules]);
    assert!(ended.stdout.contains(" 0 errors, 0 warnings"), "{ended:?}");
}
