//! CloudFormation on the command line: what is found, what it is expanded with, what is accepted.

use crate::harness::Folder;

const BUCKET: &str = "Parameters:\n  Open: {Type: String, Default: PublicRead}\nResources:\n  Data:\n    \
                      Type: AWS::S3::Bucket\n    Properties:\n      AccessControl: !Ref Open\n";

/// What the rule about access control lists says of each resource, as `outcome file:line resource`.
fn outcomes(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let ended = folder.run(&[&["check", "--format", "json", "--show-passed"], arguments].concat());
    let report = ended.json();
    let results = report["results"].as_array().expect("a report has results").iter();
    let of_rule = results.filter(|it| it["rule"] == "AWS-S3-002");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let shown = of_rule.map(|it| {
        let place = &it["location"];
        format!("{} {}:{} {}", text(&it["outcome"]), text(&place["file"]), place["line"], text(&it["resource"]["name"]))
    });
    shown.collect()
}

#[test]
fn templates_are_found_in_json_and_in_yaml() {
    let folder = Folder::new();
    folder.write("a.yaml", BUCKET).write("b/c.template", BUCKET).write("other.yaml", "kind: Service\nspec: {a: b}\n");
    folder.write(
        "d.json",
        r#"{"Resources": {"Data": {"Type": "AWS::S3::Bucket", "Properties": {"AccessControl": "PublicRead"}}}}"#,
    );
    assert_eq!(outcomes(&folder, &[]), ["failed a.yaml:7 Data", "failed b/c.template:7 Data", "failed d.json:1 Data"]);
    let ended = folder.run(&["check", "other.yaml", "--format", "json"]);
    assert_eq!((ended.code, ended.diagnostics()), (3, vec!["file/not-a-template other.yaml:1".to_owned()]));
}

#[test]
fn a_template_may_be_piped_in() {
    let folder = Folder::new();
    let ended = folder.run_with(&["check", "-", "--format", "concise"], &[], BUCKET.as_bytes());
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("AWS-S3-002"), "{ended:?}");
}

#[test]
fn parameters_come_from_files_in_both_forms_and_from_arguments() {
    let folder = Folder::new();
    folder.write("a.yaml", BUCKET);
    folder.write("list.json", r#"[{"ParameterKey": "Open", "ParameterValue": "Private"}]"#);
    folder.write("object.json", r#"{"Parameters": {"Open": "Private"}}"#);
    for given in [["--parameters", "list.json"], ["--parameters", "object.json"], ["--set", "Open=Private"]] {
        let found = outcomes(&folder, &[&["a.yaml"], &given[..]].concat());
        assert_eq!(found, ["passed a.yaml:5 Data"], "{given:?}");
    }
    folder.write("wrong.json", r#"[{"ParameterKey": "Opne", "ParameterValue": "x"}]"#);
    let ended = folder.run(&["check", "a.yaml", "--parameters", "wrong.json", "--format", "json"]);
    let result = &ended.json()["results"][0];
    let found = [&result["rule"], &result["location"]["file"], &result["path"]];
    assert_eq!(found, ["parameter/undefined", "wrong.json", "[0].ParameterValue"]);
}

#[test]
fn parameter_files_beside_a_template_are_deployments_of_it() {
    let folder = Folder::new();
    folder.write("a.yaml", BUCKET);
    folder.write("a.parameters.json", r#"[{"ParameterKey": "Open", "ParameterValue": "Private"}]"#);
    for paths in [&["."][..], &["a.yaml"], &["a.parameters.json"]] {
        assert_eq!(outcomes(&folder, paths), ["passed a.yaml:5 Data"], "{paths:?}");
    }
    folder.write("a-params.prod.json", r#"{"Parameters": {"Open": "PublicRead", "Opne": "x"}}"#);
    let report = folder.run(&["check", "--format", "json"]).json();
    let results = report["results"].as_array().expect("a report has results");
    let found = results.iter().find(|it| it["rule"] == "AWS-S3-002").expect("the rule is broken");
    assert_eq!(found["related"][0]["file"], "a-params.prod.json");
    let undefined = results.iter().find(|it| it["rule"] == "parameter/undefined").expect("one is not declared");
    assert_eq!(undefined["location"]["file"], "a-params.prod.json");
}

#[test]
fn a_parameter_file_whose_namesake_is_not_a_template_is_noted() {
    let folder = Folder::new();
    folder.write("s.json", r#"{"StartAt": "A", "Resources": 1}"#);
    folder.write("s.parameters.json", r#"[{"ParameterKey": "Open", "ParameterValue": "Private"}]"#);
    let ended = folder.run(&["check", "--format", "json"]);
    assert_eq!((ended.code, ended.diagnostics()), (0, vec!["template/link s.parameters.json:1".to_owned()]));
    let note = &ended.json()["diagnostics"][0];
    assert_eq!(
        (&note["level"], &note["message"]),
        (&"note".into(), &"no template belongs to this parameter file".into())
    );
}

#[test]
fn a_finding_says_where_the_value_of_a_parameter_is() {
    let folder = Folder::new();
    folder.write("a.yaml", BUCKET);
    let report = folder.run(&["check", "a.yaml", "--format", "json"]).json();
    let results = report["results"].as_array().expect("a report has results");
    let found = results.iter().find(|it| it["rule"] == "AWS-S3-002").expect("the rule is broken");
    assert_eq!(found["path"], "Resources.Data.Properties.AccessControl");
    assert_eq!(found["related"][0]["message"], "value comes from the default of parameter `Open`");
    assert_eq!(found["related"][0]["line"], 2);
}

#[test]
fn what_the_metadata_of_a_resource_accepts_is_suppressed() {
    let folder = Folder::new();
    let accepted = "    Metadata:\n      formwork:\n        suppress:\n          - {rule: AWS-S3-002, reason: a web site}\n    Properties:";
    folder.write("a.yaml", BUCKET.replace("    Properties:", accepted));
    assert_eq!(outcomes(&folder, &["a.yaml"]), ["suppressed a.yaml:11 Data"]);
}

#[test]
fn expand_shows_the_resources_with_their_values() {
    let folder = Folder::new();
    folder.write("a.yaml", format!("{BUCKET}      BucketName: !Ref Name\n"));
    let ended = folder.run(&["expand", "a.yaml", "--set", "Open=Private"]);
    let expanded = ended.json();
    let resources = expanded["resources"].as_array().expect("there are resources");
    assert_eq!((resources.len(), &expanded["scope"]), (2, &serde_json::json!("stack")));
    assert_eq!(resources[0]["type"], "AWS::CloudFormation::Stack");
    assert_eq!(resources[1]["type"], "AWS::S3::Bucket");
    assert_eq!(resources[1]["name"], "Data");
    assert_eq!(resources[1]["properties"]["AccessControl"], "Private");
    assert_eq!(resources[1]["_formwork"]["path"], "Resources.Data");
    assert_eq!(resources[1]["_formwork"]["unknown"], serde_json::json!(["properties.BucketName"]));
    assert!(ended.stderr.contains("high[expression/undefined]"), "{ended:?}");
}

#[test]
fn a_broken_template_is_reported_where_it_breaks() {
    let folder = Folder::new();
    folder.write("a.yaml", "AWSTemplateFormatVersion: 2010-09-09\nResources: [\n");
    let ended = folder.run(&["check", "--format", "json"]);
    assert_eq!((ended.code, ended.diagnostics()), (3, vec!["syntax/yaml a.yaml:3".to_owned()]));
}

#[test]
fn nested_stacks_are_followed_within_the_repository() {
    let folder = Folder::new();
    let outer = "Resources:\n  Site:\n    Type: AWS::CloudFormation::Stack\n    Properties:\n      TemplateURL: ../parts/site.yaml\n      \
                 Parameters: {Open: PublicReadWrite}\n";
    folder.write(".git/HEAD", "").write("main/stack.yaml", outer).write("parts/site.yaml", BUCKET);
    let ended = folder.run(&["check", "main/stack.yaml", "--format", "json"]);
    let report = ended.json();
    let found = report["results"].as_array().unwrap().iter().find(|it| it["rule"] == "AWS-S3-002");
    let found = found.unwrap_or_else(|| panic!("the rule is broken: {ended:?}"));
    assert_eq!(found["location"]["file"], "parts/site.yaml");
    assert_eq!(found["resource"]["id"], "Site/Data");
    assert_eq!(found["related"][0]["file"], "main/stack.yaml");
    folder.write("main/stack.yaml", outer.replace("../parts/site.yaml", "../../../etc/passwd"));
    let ended = folder.run(&["check", "main/stack.yaml", "--format", "json"]);
    assert_eq!(ended.diagnostics(), ["template/remote main/stack.yaml:5"]);
}

/// A reference that a stack passes on is to one of its own resources, and not to that of the nested stack with the same name.
#[test]
fn a_reference_is_to_a_resource_of_the_stack_that_makes_it() {
    let net = "Parameters: {Net: {Type: String}}\nResources:\n";
    let role =
        |name: &str| format!("  {name}: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {{}}}}}}\n");
    let vpc = |name: &str| format!("  {name}: {{Type: AWS::EC2::VPC, Properties: {{CidrBlock: 10.0.0.0/16}}}}\n");
    let stack = |url: &str, name: &str| {
        format!(
            "  Stack: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: {url}, Parameters: {{Net: !Ref {name}}}}}}}\n"
        )
    };
    let group = |vpc: &str| {
        format!("  Group: {{Type: AWS::EC2::SecurityGroup, Properties: {{GroupDescription: x, VpcId: !Ref {vpc}}}}}\n")
    };
    let check = |text: &str, url: &str, expected: &[&str]| {
        let folder = Folder::new();
        folder.write("inner.yaml", format!("{net}{}{}{}", role("Role"), vpc("Vpc"), group("Net")));
        folder.write("between.yaml", format!("{net}{}{}{}", role("Role"), vpc("Vpc"), stack("inner.yaml", "Net")));
        folder.write("main.yaml", format!("Resources:\n{text}"));
        let ended = folder.run(&["check", "main.yaml", "--format", "concise"]);
        let found: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("schema/format")).collect();
        assert_eq!(found.len(), expected.len(), "{url}: {ended:?}");
        assert!(found.iter().zip(expected).all(|(found, expected)| found.contains(expected)), "{url}: {ended:?}");
    };
    for url in ["inner.yaml", "between.yaml"] {
        check(&format!("{}{}", vpc("Role"), stack(url, "Role")), url, &[]);
        let wrong = "`VpcId` is what `Ref` returns of `Vpc`, an `AWS::IAM::Role`; expected the ID of a VPC";
        check(&format!("{}{}", role("Vpc"), stack(url, "Vpc")), url, &[wrong]);
        // What the resource itself refers to is in its own stack.
        let text = format!("{}{}{}", role("Vpc"), vpc("Role"), group("Vpc"));
        check(&format!("{text}{}", stack(url, "Role")), url, &[wrong]);
    }
}

/// What `Ref` and `Fn::GetAtt` return is compared with what a property takes, as far as the schemas tell both.
#[test]
fn a_reference_returns_what_a_property_takes() {
    let check = |property: &str, expected: &str| {
        let folder = Folder::new();
        let text = "Resources:\n  Role: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {}}}\n  \
                    Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}\n  \
                    Other: {Type: Custom::Thing, Properties: {ServiceToken: a}}\n  Function: {Type: AWS::Lambda::Function, \
                    Properties: {Role: !GetAtt Role.Arn, Code: {ZipFile: a}, Handler: a, Runtime: python3.13, ";
        folder.write("main.yaml", format!("{text}{property}}}}}\n"));
        let ended = folder.run(&["check", "main.yaml", "--format", "concise"]);
        let found = ended.stdout.lines().filter_map(|line| line.split_once("high[schema/")).map(|(_, found)| found);
        assert_eq!(found.collect::<Vec<_>>().join("\n"), expected, "{property}");
    };
    let string = "which is a string; expected an array";
    let arn = "is `Arn` of `Role`, an `AWS::IAM::Role`";
    check("Layers: !GetAtt Role.Arn", &format!("type] `Layers` {arn}, {string}"));
    check("Layers: !Ref Role", "type] `Layers` is a string; expected an array");
    let branches = "Layers: !If [Unknown, !GetAtt Role.Arn, !GetAtt Other.List]";
    check(branches, &format!("type] `Layers` {arn}, {string}"));
    check("Layers: !GetAtt Other.Arn", "");
    check(
        "Environment: !GetAtt [Role, Arn]",
        &format!("type] `Environment` {arn}, which is a string; expected an object"),
    );
    check("Environment: !GetAtt Other.Environment", "");
    let config =
        |groups: &str| format!("VpcConfig: {{SubnetIds: [subnet-0123456789abcdef0], SecurityGroupIds: {groups}}}");
    let group = "expected the ID of a security group, such as `sg-0123456789abcdef0`";
    let named = format!("format] `SecurityGroupIds` is what `Ref` returns of `Role`, an `AWS::IAM::Role`; {group}");
    check(&config("[!Ref Role]"), &named);
    check(&config("[!Sub '${Role}']"), &named);
    check(
        &config("[!GetAtt Vpc.VpcId]"),
        &format!("format] `SecurityGroupIds` is `VpcId` of `Vpc`, an `AWS::EC2::VPC`; {group}"),
    );
    check(&config("[!GetAtt Vpc.DefaultSecurityGroup]"), "");
    check(&config("[!GetAtt Other.Group]"), "");
    check(&config("!GetAtt Vpc.CidrBlockAssociations"), "");
    check(
        &config("!GetAtt Vpc.CidrBlock"),
        &format!("type] `SecurityGroupIds` is `CidrBlock` of `Vpc`, an `AWS::EC2::VPC`, {string}"),
    );
    check(&config("[!Ref Vpc]"), &named.replace("Role", "Vpc").replace("IAM::Vpc", "EC2::VPC"));
    check("KmsKeyArn: !GetAtt Other.Arn", "");
    check(
        "KmsKeyArn: !GetAtt Role.Arn",
        "format] `KmsKeyArn` is `Arn` of `Role`, an `AWS::IAM::Role`; expected the ARN of a key",
    );
}

#[test]
fn each_environment_of_the_sam_cli_is_a_deployment() {
    let folder = Folder::new();
    folder.write("infra/template.yaml", BUCKET).write("other.yaml", BUCKET);
    let config = "version = 0.1\n[default.deploy.parameters]\nparameter_overrides = \"Open=Private\"\n\
                  [prod.deploy.parameters]\nparameter_overrides = [\"Open=PublicReadWrite\", \"Opne=x\"]\n\
                  [old.deploy.parameters]\ntemplate_file = \"../other.yaml\"\nparameter_overrides = \"Open=Private\"\n";
    folder.write("infra/samconfig.toml", config);
    for paths in [&["."][..], &["infra/samconfig.toml", "other.yaml"]] {
        let report = folder.run(&[&["check", "--format", "json"], paths].concat()).json();
        let results = report["results"].as_array().expect("a report has results");
        let places = |rule: &str| -> Vec<String> {
            let of_rule = results.iter().filter(|it| it["rule"] == rule && it["outcome"] == "failed");
            of_rule.map(|it| format!("{} {}", it["location"]["file"], it["location"]["line"])).collect()
        };
        assert_eq!(places("AWS-S3-002"), ["\"infra/template.yaml\" 7"], "{paths:?}");
        assert_eq!(places("parameter/undefined"), ["\"infra/samconfig.toml\" 5"], "{paths:?}");
        let public =
            results.iter().find(|it| it["rule"] == "AWS-S3-002" && it["outcome"] == "failed").expect("it is found");
        assert_eq!(public["parameters"][0], "infra/samconfig.toml [prod]");
        assert_eq!(report["summary"]["deployments"], 3, "{paths:?}");
    }
    for broken in ["parameter_overrides = ", "made = 2024-01-01\n[x.deploy.parameters]\nparameter_overrides = 'Opne=x'"]
    {
        folder.write("infra/samconfig.toml", broken);
        let ended = folder.run(&["check", "--format", "json"]);
        let is_read = broken.starts_with("made");
        let expected = if is_read { (1, vec![]) } else { (3, vec!["syntax/toml infra/samconfig.toml:1".to_owned()]) };
        assert_eq!((ended.code, ended.diagnostics()), expected);
        assert_eq!(ended.stdout.contains("`Opne`"), is_read);
    }
    folder.write("infra/samconfig.toml", "version = ");
    let ended = folder.run(&["check", "--format", "json"]);
    assert_eq!((ended.code, ended.diagnostics()), (1, Vec::new()));
    let ended = folder.run(&["check", "infra/samconfig.toml", "--format", "json"]);
    assert_eq!((ended.code, ended.diagnostics()), (3, vec!["syntax/toml infra/samconfig.toml:1".to_owned()]));
}

#[test]
fn settings_of_the_sam_cli_that_leave_the_defaults_do_not_hide_what_these_deploy() {
    let folder = Folder::new();
    folder.write("template.yaml", BUCKET);
    let found = || {
        let report = folder.run(&["check", "--format", "json"]).json();
        let results = report["results"].as_array().expect("a report has results");
        let failed = results.iter().filter(|it| it["rule"] == "AWS-S3-002" && it["outcome"] == "failed");
        let parameters = failed.map(|it| it["parameters"].as_array().map_or(0, Vec::len));
        (parameters.collect::<Vec<_>>(), report["summary"]["deployments"].as_u64())
    };
    let prod = "[prod.deploy.parameters]\nparameter_overrides = 'Open=Private'\n";
    folder.write("samconfig.toml", prod);
    assert_eq!(found(), (vec![0], Some(2)));
    folder.write("samconfig.toml", format!("{prod}{}", prod.replace("prod", "default")));
    assert_eq!(found(), (vec![], Some(2)));
    folder.write("samconfig.toml", prod.replace("Private", "PublicRead"));
    assert_eq!(found(), (vec![1], Some(2)));
}

#[test]
fn a_difference_names_each_environment_of_the_sam_cli() {
    let folder = Folder::new();
    for (side, open) in [("old", "Private"), ("new", "PublicRead")] {
        let environment =
            |name: &str, open: &str| format!("[{name}.deploy.parameters]\nparameter_overrides = 'Open={open}'\n");
        folder.write(&format!("{side}/template.yaml"), BUCKET);
        let config = format!("{}{}", environment("default", "Private"), environment("prod", open));
        folder.write(&format!("{side}/samconfig.toml"), &config);
    }
    let difference = folder.run(&["diff", "old", "new", "--format", "json"]).json();
    let all = difference["deployments"].as_array().expect("it has deployments");
    let changed: Vec<_> = all.iter().filter(|it| it["status"] == "changed").map(|it| &it["parameters"]).collect();
    assert_eq!(changed, ["new/samconfig.toml [prod]"]);
}

#[test]
fn a_fragment_is_checked_with_what_the_template_above_it_declares() {
    let folder = Folder::new();
    let parent = "Transform: AWS::Serverless-2016-10-31\nGlobals: {Function: {Runtime: nodejs24.x}}\n\
                  Parameters: {Stage: {Type: String}}\nConditions: {IsProd: !Equals [!Ref Stage, prod]}\n\
                  Resources:\n  Key: {Type: AWS::KMS::Key, Properties: {KeyPolicyy: {}}}\n";
    let function = "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Condition: IsProd\n    Properties:\n      \
                    InlineCode: x\n      Handler: index.b\n      FunctionName: !Ref Stage\n      Role: !GetAtt Key.Arn\n      \
                    Description: !Ref Stagee\n      KmsKeyArn: !GetAtt TopicAlias.Arn\n";
    folder.write("ci/parent.yaml", parent).write("ci/functions/f.yaml", function);
    folder.write(
        "ci/topics/t.yaml",
        "Resources:\n  Topic: {Type: AWS::SNS::Topic, Condition: IsProd, Properties: {DisplayName: !Ref Stage}}\n",
    );
    let found = |paths: &[&str]| -> Vec<String> {
        let report = folder.run(&[&["check", "--format", "json"], paths].concat()).json();
        let results = report["results"].as_array().expect("a report has results");
        let failed = results.iter().filter(|it| it["outcome"] == "failed" && !it["rule"].to_string().contains("AWS-"));
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        failed.map(|it| format!("{} {}", text(&it["location"]["file"]), text(&it["message"]))).collect()
    };
    let own = ["ci/functions/f.yaml there is no parameter and no resource `Stagee`, did you mean `Stage`?"];
    assert_eq!(found(&["ci/functions/f.yaml"]), own);
    assert_eq!(found(&["."])[..1], own);
    assert_eq!(
        found(&["."])[1..],
        ["ci/parent.yaml `Properties` has no property `KeyPolicyy`, did you mean `KeyPolicy`?"]
    );
    // A template of its own is not completed.
    folder.write("ci/functions/f.yaml", format!("Parameters: {{A: {{Type: String}}}}\n{function}"));
    assert!(found(&["ci/functions/f.yaml"]).iter().any(|it| it.contains("needs the transform")));
}

#[test]
fn findings_in_what_the_cdk_writes_name_the_construct() {
    let folder = Folder::new();
    let inner = r#"{"Resources": {"T": {"Type": "AWS::SNS::Topic", "Properties": {"DisplayNam": "x"}}}}"#;
    let outer = r#"{"Resources": {"B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketNam": "x"},
        "Metadata": {"aws:cdk:path": "App/Bucket/Resource"}}, "N": {"Type": "AWS::CloudFormation::Stack",
        "Properties": {"TemplateURL": {"Fn::Sub": "https://${AWS::Region}/x.json"}},
        "Metadata": {"aws:asset:path": "N.nested.template.json", "aws:asset:property": "TemplateURL"}}}}"#;
    folder.write("cdk.out/App.template.json", outer).write("cdk.out/N.nested.template.json", inner);
    let ended = folder.run(&["check", "cdk.out", "--format", "concise"]);
    assert!(ended.stdout.contains("did you mean `BucketName`? (in construct `App/Bucket/Resource`)"), "{ended:?}");
    assert!(ended.stdout.contains("N.nested.template.json:1:64: high[schema/unknown-property]"), "{ended:?}");
    assert!(!ended.stdout.contains("template/remote"), "{ended:?}");
}
