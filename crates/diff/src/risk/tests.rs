//! Which changes are risks.

use crate::compare;
use crate::tests::document_of;

/// The risks of a change of a resource, as `severity kind path`.
fn risks(kind: &str, old: &str, new: &str) -> Vec<String> {
    let body = |text: &str| (!text.is_empty()).then(|| format!("{{\"type\": \"{kind}\", {text}}}"));
    let [old, new] = [old, new].map(|text| document_of(kind, body(text).as_deref()));
    let difference = compare(Some(&old), Some(&new));
    let mut told: Vec<String> = difference
        .resources
        .iter()
        .flat_map(|resource| &resource.risks)
        .map(|risk| {
            format!("{} {} {}", risk.severity.as_str(), risk.kind.as_str(), risk.path.as_deref().unwrap_or("-"))
        })
        .collect();
    told.sort();
    told
}

#[track_caller]
fn check(kind: &str, old: &str, new: &str, expected: &[&str]) {
    assert_eq!(risks(kind, old, new), expected, "{kind} {old} {new}");
}

const STORAGE: &str = "Microsoft.Storage/storageAccounts";

#[test]
fn what_cannot_be_changed_is_told() {
    check(STORAGE, r#""kind": "StorageV2""#, r#""kind": "BlobStorage""#, &["high immutable kind"]);
    check(STORAGE, r#""kind": "Storage""#, r#""kind": "StorageV2""#, &[]);
    let hns = |text: &str| format!("\"properties\": {{{text}}}");
    let hns_is = |value: &str| hns(&format!("\"isHnsEnabled\": {value}"));
    check(STORAGE, &hns_is("false"), &hns_is("true"), &["high immutable properties.isHnsEnabled"]);
    check(STORAGE, &hns(""), &hns_is("true"), &["high immutable properties.isHnsEnabled"]);
    check(STORAGE, &hns(""), &hns_is("false"), &[]);
    check("A.B/c", r#""location": "West Europe""#, r#""location": "westus""#, &["high immutable location"]);
    check("A.B/c", r#""location": "West Europe""#, r#""location": "westeurope""#, &[]);
    check("Microsoft.Compute/disks", r#""zones": ["1"]"#, r#""zones": ["2"]"#, &["medium immutable zones"]);
}

#[test]
fn another_order_of_a_set_changes_nothing() {
    let disk = |zones: &str| format!("\"zones\": [{zones}], \"tags\": {{\"a\": \"{}\"}}", zones.len());
    check("Microsoft.Compute/disks", &disk(r#""1", "2""#), &disk(r#""2","1""#), &[]);
    let task = |words: &str, cpu: &str| {
        format!(
            "\"Properties\": {{\"RequiresCompatibilities\": [{words}], \"Tags\": [{{\"Key\": \"a\", \"Value\": \"{cpu}\"}}]}}"
        )
    };
    let kind = "AWS::ECS::TaskDefinition";
    check(kind, &task(r#""EC2", "FARGATE""#, "1"), &task(r#""FARGATE", "EC2""#, "2"), &[]);
    check(
        kind,
        &task(r#""EC2""#, "1"),
        &task(r#""FARGATE""#, "1"),
        &["medium replacement Properties.RequiresCompatibilities"],
    );
}

#[test]
fn only_what_the_change_opens_is_told() {
    let public = |value: &str| format!("\"properties\": {{\"publicNetworkAccess\": \"{value}\"}}");
    check("A.B/c", &public("Disabled"), &public("Enabled"), &["high access properties.publicNetworkAccess"]);
    check("A.B/c", &public("disabled"), "\"x\": 1", &["high access properties.publicNetworkAccess"]);
    check("A.B/c", &public("Enabled"), &public("Disabled"), &[]);
    check("A.B/c", "", &public("Enabled"), &[]);
    check("A.B/c", "\"x\": 1", &public("Enabled"), &[]);
    let rule = |name: &str, access: &str, from: &str, port: &str| {
        format!(
            r#"{{"name": "{name}", "properties": {{"access": "{access}", "direction": "Inbound", "sourceAddressPrefix": "{from}", "destinationPortRange": "{port}"}}}}"#
        )
    };
    let group = |rules: &[String]| format!("\"properties\": {{\"securityRules\": [{}]}}", rules.join(","));
    let kind = "Microsoft.Network/networkSecurityGroups";
    let (open, deny) = (rule("a", "Allow", "*", "443"), rule("a", "Deny", "*", "443"));
    let opened = ["high access properties.securityRules[name=a].properties.sourceAddressPrefix"];
    check(kind, &group(&[]), &group(std::slice::from_ref(&open)), &opened);
    let allowed = [opened[0], "medium access properties.securityRules[name=a].properties.access"];
    check(kind, &group(std::slice::from_ref(&deny)), &group(std::slice::from_ref(&open)), &allowed);
    check(kind, &group(std::slice::from_ref(&deny)), &group(&[]), &allowed[1..]);
    check(kind, &group(std::slice::from_ref(&deny)), "\"properties\": {}", &[]);
    check(kind, &group(&[]), &group(std::slice::from_ref(&deny)), &[]);
    let both = [rule("b", "Deny", "10.0.0.0/8", "1"), open.clone()];
    check(kind, &group(std::slice::from_ref(&open)), &group(&both), &[]);
    let port = ["medium access properties.securityRules[name=a].properties.destinationPortRange"];
    check(kind, &group(&[open]), &group(&[rule("a", "Allow", "*", "22")]), &port);
    let role = |id: &str| format!("\"properties\": {{\"roleDefinitionId\": \"/x/{id}\"}}");
    let kind = "Microsoft.Authorization/roleAssignments";
    let owner = role("8e3af657-a8ff-443c-a75c-2fe8c4bcb635");
    check(kind, "", &role("reader"), &["medium access -"]);
    check(kind, "", &owner, &["high access properties.roleDefinitionId"]);
    check(kind, &owner, &role("reader"), &[]);
}

#[test]
fn what_protects_is_missed() {
    let retention =
        |days: u8| format!("\"properties\": {{\"deleteRetentionPolicy\": {{\"enabled\": true, \"days\": {days}}}}}");
    let kind = "Microsoft.Storage/storageAccounts/blobServices";
    check(kind, &retention(30), &retention(7), &["medium backup properties.deleteRetentionPolicy.days"]);
    check(kind, &retention(7), &retention(30), &[]);
    check("Microsoft.Authorization/locks", "\"x\": 1", "", &["medium lock -"]);
    check(STORAGE, "\"x\": 1", "", &["medium data -"]);
    check("Microsoft.Web/sites", "\"x\": 1", "", &[]);
}

#[test]
fn a_stack_replaces_and_deletes() {
    let named = |name: &str| format!("\"Properties\": {{\"BucketName\": \"{name}\"}}");
    let kept = |name: &str| format!("{}, \"UpdateReplacePolicy\": \"Retain\"", named(name));
    let bucket = "AWS::S3::Bucket";
    check(bucket, &named("a"), &named("b"), &["high replacement Properties.BucketName"]);
    check(bucket, "\"Properties\": {}", &named("b"), &["high replacement Properties.BucketName"]);
    check(bucket, &kept("a"), &kept("b"), &["medium replacement Properties.BucketName"]);
    check(bucket, &named("a"), &named("a"), &[]);
    check("AWS::SNS::Topic", "\"Properties\": {}", "\"Properties\": {\"DisplayName\": \"a\"}", &[]);
    check(bucket, &named("a"), "", &["high data -"]);
    check(bucket, &format!("{}, \"DeletionPolicy\": \"Retain\"", named("a")), "", &[]);
    check("AWS::RDS::DBCluster", "\"Properties\": {}", "", &["medium data -"]);
    let [old, new] = ["AWS::SNS::Topic", "AWS::SQS::Queue"].map(|kind| document_of(kind, Some("{}")));
    let difference = compare(Some(&old), Some(&new));
    let mut risks = difference.resources.iter().flat_map(|resource| &resource.risks);
    let refused = risks.find(|risk| risk.path.as_deref() == Some("Type")).unwrap();
    assert_eq!(refused.severity.as_str(), "high");
    let ingress = |cidr: &str, about: &str| {
        format!(
            "\"Properties\": {{\"SecurityGroupIngress\": [{{\"CidrIp\": \"{cidr}\", \"Description\": \"{about}\"}}]}}"
        )
    };
    let opened = ["high access Properties.SecurityGroupIngress[0].CidrIp"];
    check("AWS::EC2::SecurityGroup", &ingress("10.0.0.0/8", ""), &ingress("0.0.0.0/0", ""), &opened);
    check("AWS::EC2::SecurityGroup", &ingress("0.0.0.0/0", "a"), &ingress("0.0.0.0/0", "b"), &[]);
}

#[test]
fn what_is_decided_at_creation_is_told_for_frequent_types() {
    let properties = |text: &str| format!("\"properties\": {{{text}}}");
    let rows = r#"
Microsoft.Network/privateEndpoints | "subnet": {"id": "/a"} | "subnet": {"id": "/b"} | high subnet.id
Microsoft.Compute/virtualMachines | "priority": "Spot" | | medium priority
Microsoft.Compute/disks | "diskSizeGB": 64 | "diskSizeGB": 32 | high diskSizeGB
Microsoft.Insights/components | "Application_Type": "web" | "Application_Type": "other" | medium Application_Type
Microsoft.ContainerService/managedClusters | "oidcIssuerProfile": {"enabled": true} | "oidcIssuerProfile": {"enabled": false} | high oidcIssuerProfile.enabled
Microsoft.EventHub/namespaces/eventhubs | "partitionCount": 2 | "partitionCount": 4 | medium partitionCount
Microsoft.Authorization/roleAssignments | "principalId": "a" | "principalId": "b" | high principalId
Microsoft.Storage/storageAccounts/fileServices/shares | | "enabledProtocols": "NFS" | high enabledProtocols"#;
    for row in rows.lines().skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [kind, old, new, expected] = cells.as_slice() else { panic!("{row}") };
        let expected = expected.replace(' ', " immutable properties.");
        check(kind, &properties(old), &properties(new), &[expected.as_str()]);
        check(kind, &properties(old), &properties(old), &[]);
    }
    let scale = |zones: &str| format!("\"zones\": [{zones}]");
    let kind = "Microsoft.Compute/virtualMachineScaleSets";
    check(kind, &scale(r#""1""#), &scale(r#""2", "1""#), &[]);
    assert_eq!(risks(kind, &scale(r#""1", "2""#), &scale(r#""1""#)).len(), 1);
    let pools = |size: u8| properties(&format!(r#""agentPoolProfiles": [{{"name": "p", "osDiskSizeGB": {size}}}]"#));
    let expected = ["high immutable properties.agentPoolProfiles[name=p].osDiskSizeGB"];
    check("Microsoft.ContainerService/managedClusters", &pools(64), &pools(128), &expected);
}

#[test]
fn what_is_no_longer_recorded_is_told() {
    let logs = |text: &str| format!("\"properties\": {{\"logs\": [{text}]}}");
    let log = |name: &str, enabled: bool| format!(r#"{{"category": "{name}", "enabled": {enabled}}}"#);
    let (kind, old) =
        ("Microsoft.Insights/diagnosticSettings", logs(&format!("{}, {}", log("a", true), log("b", true))));
    check(kind, &old, &logs(&format!("{}, {}", log("b", true), log("a", true))), &[]);
    check(kind, &old, &logs(&log("a", true)), &["medium audit properties.logs[category=b]"]);
    let off = logs(&format!("{}, {}", log("a", true), log("b", false)));
    check(kind, &old, &off, &["medium audit properties.logs[category=b].enabled"]);
    check(kind, &logs(""), &logs(&log("a", false)), &[]);
    check(kind, "\"x\": 1", "", &["medium audit -"]);
}

#[test]
fn a_first_list_of_addresses_opens_nothing() {
    let cluster = |text: &str| format!("\"properties\": {{\"apiServerAccessProfile\": {{{text}}}}}");
    let kind = "Microsoft.ContainerService/managedClusters";
    let (none, one) = (cluster(""), cluster(r#""authorizedIPRanges": ["10.0.0.0/8"]"#));
    let two = cluster(r#""authorizedIPRanges": ["10.0.0.0/8", "11.0.0.0/8"]"#);
    check(kind, &none, &one, &[]);
    check(kind, &one, &two, &["medium access properties.apiServerAccessProfile.authorizedIPRanges[1]"]);
    check(kind, &one, &none, &["high access properties.apiServerAccessProfile.authorizedIPRanges"]);
}

#[test]
fn durations_are_compared() {
    let kept = |text: &str| format!("\"properties\": {{\"weeklyRetention\": \"{text}\"}}");
    let kind = "Microsoft.Sql/servers/databases/backupLongTermRetentionPolicies";
    let falls = ["medium backup properties.weeklyRetention"];
    check(kind, &kept("P1Y"), &kept("P11M"), &falls);
    check(kind, &kept("P2W"), &kept("P13D"), &falls);
    check(kind, &kept("P4W"), &kept("P1M"), &[]);
    check(kind, &kept("P1DT1H"), &kept("PT24H"), &falls);
    check(kind, &kept("P1D"), &kept("week"), &[]);
    check(kind, &kept("P1é"), &kept("P1D"), &[]);
}

/// The new names of what is renamed, and the risks, if a resource is called otherwise and declared elsewhere.
fn renamed(kind: &str, old: &str, new: &str) -> (Vec<String>, Vec<String>) {
    moved(kind, ("a", old), ("b", new))
}

/// The same for resources with these IDs below the scope.
fn moved(kind: &str, (old_id, old): (&str, &str), (new_id, new): (&str, &str)) -> (Vec<String>, Vec<String>) {
    let document = |name: &str, place: usize, text: &str| {
        let mut document = document_of(kind, Some(&format!("{{\"type\": \"{kind}\", {text}}}")));
        let resource = &mut document.resources[0];
        (resource.name, resource.id) = (name.into(), format!("/x/{name}").into());
        resource.path = format!("resources[{place}]");
        document
    };
    let difference = compare(Some(&document(old_id, 0, old)), Some(&document(new_id, 1, new)));
    let names = difference.resources.iter().filter_map(|resource| resource.renamed.clone()).collect();
    let risks = difference.resources.iter().flat_map(|resource| &resource.risks);
    (names, risks.map(|risk| risk.message.clone()).collect())
}

#[test]
fn the_same_content_under_another_name_is_no_risk() {
    let size = |size: u32| format!("\"location\": \"westeurope\", \"properties\": {{\"diskSizeGB\": {size}}}");
    let both = vec!["b".to_owned(), "a".to_owned()];
    for kind in ["Microsoft.Compute/disks", "Microsoft.Authorization/locks", STORAGE] {
        assert_eq!(renamed(kind, &size(8), &size(8)), (both.clone(), Vec::new()), "{kind}");
    }
    // A lock of another resource, and a part of another one, are other ones.
    for (old, new) in [("x/y/a", "x/z/a"), ("a/x", "b/x")] {
        let (names, risks) = moved("Microsoft.Authorization/locks", (old, &size(8)), (new, &size(8)));
        assert_eq!((names.len(), risks.len()), (0, 1), "{old} {new}: {risks:?}");
    }
    let (names, risks) = renamed(STORAGE, &size(8), &size(16));
    assert_eq!((names.len(), risks.len()), (0, 1), "{risks:?}");
    let (names, risks) = renamed("AWS::S3::Bucket", "\"Properties\": {}", "\"Properties\": {}");
    assert_eq!((names.len(), risks.len()), (0, 1), "{risks:?}");
}
