//! Projected and settled states of resources in templates.

use std::fmt::Write as _;

use crate::expand::testing;
use crate::model::{Document, Expansion, ResourceId};
use crate::value::{Data, Traits, Value};

fn expanded(template: &str) -> Expansion {
    let (_, mut expansion) = testing::expanded(template);
    // The resources of these templates have no `apiVersion`, which is tested elsewhere.
    expansion.diagnostics.retain(|problem| !problem.message.contains("`apiVersion`"));
    expansion
}

/// Returns JSON in which an unknown is `?` and its approximation, and a secret is `*`.
fn show(value: &Value) -> String {
    match &value.data {
        Data::String(_) if value.traits.has(Traits::SECRET) => "*".to_owned(),
        Data::Unknown(unknown) => format!("?{}", show(&unknown.approximation.clone().with_traits(value.traits))),
        Data::Array(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(",")),
        Data::Object(object) => {
            let member = |member: &crate::value::Member| format!("{}:{}", &*member.key, show(&member.value));
            format!("{{{}}}", object.iter().map(member).collect::<Vec<_>>().join(","))
        }
        _ => value.to_json(),
    }
}

/// Expands a template with one resource, `resource` being its members but for `apiVersion`.
#[track_caller]
fn check(resource: &str, expected: &str) {
    let template = format!(
        r#"{{"parameters": {{"p": {{"type": "string"}}, "s": {{"type": "secureString"}}}}, "resources": [{{{resource}}}]}}"#
    );
    let document = expanded(&template).document.unwrap();
    let state = &document.resources[0].state;
    assert_eq!(state.get("properties").map(show).unwrap_or_default(), expected);
}

#[test]
fn names_make_endpoints() {
    check(
        r#""type": "Microsoft.Storage/storageAccounts", "name": "st1", "location": "West US 2""#,
        concat!(
            r#"{provisioningState:"Succeeded",primaryLocation:"west us 2",primaryEndpoints:{"#,
            r#"web:?"https://st1.web.core.windows.net/",dfs:"https://st1.dfs.core.windows.net/","#,
            r#"blob:"https://st1.blob.core.windows.net/",file:"https://st1.file.core.windows.net/","#,
            r#"queue:"https://st1.queue.core.windows.net/",table:"https://st1.table.core.windows.net/"}}"#,
        ),
    );
    check(
        r#""type": "microsoft.keyvault/VAULTS/secrets", "name": "Kv/Name""#,
        concat!(
            r#"{secretUri:"https://kv.vault.azure.net/secrets/name","#,
            r#"secretUriWithVersion:?"https://kv.vault.azure.net/secrets/name/ffffffffffffffffffffffffffffffff"}"#,
        ),
    );
    check(
        r#""type": "Microsoft.Batch/batchAccounts", "name": "b", "location": "West Europe""#,
        r#"{accountEndpoint:"b.westeurope.batch.azure.com"}"#,
    );
    check(r#""type": "Microsoft.Batch/batchAccounts", "name": "b""#, "");
    check(
        r#""type": "Microsoft.Web/sites/slots", "name": "App/Slot""#,
        r#"{defaultHostName:"app-slot.azurewebsites.net",state:"Running",siteConfig:{}}"#,
    );
    check(
        r#""type": "Microsoft.Cache/redis", "name": "r""#,
        r#"{hostName:"r.redis.cache.windows.net",port:6379,sslPort:6380}"#,
    );
}

#[test]
fn properties_make_host_names() {
    check(
        r#""type": "Microsoft.Network/publicIPAddresses", "name": "a", "location": "eastus",
           "properties": {"dnsSettings": {"domainNameLabel": "x"}}"#,
        r#"{dnsSettings:{domainNameLabel:"x",fqdn:"x.eastus.cloudapp.azure.com"}}"#,
    );
    check(
        r#""type": "Microsoft.Network/privateEndpoints", "name": "e", "properties": {"customNetworkInterfaceName": "n"}"#,
        concat!(
            r#"{customNetworkInterfaceName:"n",networkInterfaces:[{id:"/subscriptions/ffffffff-ffff-ffff-ffff-ffffffffffff"#,
            r#"/resourceGroups/ps-rule-test-rg/providers/Microsoft.Network/networkInterfaces/n"}]}"#,
        ),
    );
    check(
        r#""type": "Microsoft.CognitiveServices/accounts", "name": "c", "kind": "OpenAI""#,
        concat!(
            r#"{provisioningState:"Succeeded",customSubDomainName:"c",endpoints:{"#,
            r#"OpenAI Language Model Instance API:"https://c.openai.azure.com/","#,
            r#"OpenAI Dall-E API:"https://c.openai.azure.com/",OpenAI Sora API:"https://c.openai.azure.com/","#,
            r#"OpenAI Moderations API:"https://c.openai.azure.com/",OpenAI Whisper API:"https://c.openai.azure.com/","#,
            r#"OpenAI Model Scaleset API:"https://c.openai.azure.com/",OpenAI Realtime API:"https://c.openai.azure.com/","#,
            r#"Token Service API:"https://c.openai.azure.com/"},endpoint:"https://c.openai.azure.com/"}"#,
        ),
    );
}

#[test]
fn what_the_author_writes_stays() {
    check(
        r#""type": "Microsoft.KeyVault/vaults", "name": "k", "properties": {"TenantId": "t", "accessPolicies": [1]}"#,
        r#"{TenantId:"t",accessPolicies:[1],vaultUri:"https://k.vault.azure.net/"}"#,
    );
    check(
        r#""type": "Microsoft.Authorization/roleAssignments", "name": "r", "properties": {"principalType": "Group"}"#,
        r#"{principalType:"Group"}"#,
    );
}

#[test]
fn what_azure_draws_is_unknown() {
    check(
        r#""type": "Microsoft.ManagedIdentity/userAssignedIdentities", "name": "i""#,
        concat!(
            r#"{clientId:?"ffffffff-ffff-ffff-ffff-ffffffffffff",principalId:?"ffffffff-ffff-ffff-ffff-ffffffffffff","#,
            r#"tenantId:"ffffffff-ffff-ffff-ffff-ffffffffffff"}"#,
        ),
    );
    let template =
        r#"{"resources": [{"type": "A.B/c", "name": "x", "identity": {"type": "SystemAssigned, UserAssigned"}}]}"#;
    let document = expanded(template).document.unwrap();
    let identity = show(document.resources[0].state.get("identity").unwrap());
    let id = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    let expected = format!(r#"{{type:"SystemAssigned, UserAssigned",principalId:?"{id}",tenantId:"{id}"}}"#);
    assert_eq!(identity, expected);
}

#[test]
fn what_is_made_of_an_unknown_or_a_secret_is_one() {
    check(
        r#""type": "Microsoft.Search/searchServices", "name": "[format('a{0}', parameters('p'))]""#,
        r#"{endpoint:?"https://a.search.windows.net"}"#,
    );
    check(
        r#""type": "Microsoft.Network/trafficManagerProfiles", "name": "t",
           "properties": {"dnsConfig": {"relativeName": "[format('x{0}', parameters('s'))]"}}"#,
        r"{dnsConfig:{relativeName:?*}}",
    );
    check(
        r#""type": "Microsoft.Search/searchServices", "name": "[format('a{0}', parameters('s'))]""#,
        r"{endpoint:?*}",
    );
}

#[test]
fn reference_sees_what_only_azure_knows_as_an_unknown_with_a_reason() {
    let template = r#"{
        "resources": [{"type": "Microsoft.Network/publicIPAddresses", "name": "a", "properties": {"x": 1}}],
        "outputs": {"ip": {"type": "string", "value": "[reference(resourceId('Microsoft.Network/publicIPAddresses', 'a')).ipAddress]"}}
    }"#;
    let document = expanded(template).document.unwrap();
    assert_eq!(show(document.resources[0].state.get("properties").unwrap()), "{x:1}");
    let value = document.deployments[0].outputs.get("ip").and_then(|output| output.get("value")).unwrap().clone();
    assert_eq!(value.first_unknown().unwrap().why.to_string(), "only Azure knows `ipAddress` of `a`");
}

/// Returns the resources of a document, children below their parents: type, name and properties.
fn tree(document: &Document) -> String {
    let mut out = String::new();
    for (at, resource) in document.resources.iter().enumerate() {
        if resource.parent.is_none() {
            branch(document, ResourceId(at), 0, &mut out);
        }
    }
    out
}

fn branch(document: &Document, id: ResourceId, depth: usize, out: &mut String) {
    let resource = document.resource(id);
    line(&resource.state, depth, out);
    for &child in &resource.children {
        branch(document, child, depth + 1, out);
    }
    for implied in &resource.implied {
        line(implied, depth + 1, out);
    }
}

fn line(state: &Value, depth: usize, out: &mut String) {
    let part = |name: &str| state.get(name).map(show).unwrap_or_default();
    let plain = |name: &str| part(name).replace('"', "");
    let kind = plain("type").rsplit('/').next().unwrap().to_owned();
    if kind != "deployments" {
        writeln!(out, "{}{kind} {} {}", "  ".repeat(depth), plain("name"), part("properties")).unwrap();
    }
}

#[track_caller]
fn settles(resources: &str, expected: &[&str]) {
    let expansion =
        expanded(&format!(r#"{{"parameters": {{"p": {{"type": "string"}}}}, "resources": [{resources}]}}"#));
    assert!(expansion.diagnostics.is_empty(), "{:?}", expansion.diagnostics);
    let found = tree(&expansion.document.unwrap());
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "\n{found}");
}

/// Returns a nested deployment of its own.
fn module(name: &str, resources: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Resources/deployments", "name": "{name}", "properties": {{"mode": "Incremental",
            "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {{"resources": [{resources}]}}}}}}"#
    )
}

#[test]
fn a_site_has_one_configuration() {
    settles(
        r#"{"type": "Microsoft.Web/sites", "name": "w", "properties": {"defaultHostName": "h", "state": "s", "siteConfig": {"a": 1, "b": {"c": 1}}}},
           {"type": "Microsoft.Web/sites/config", "name": "w/web", "apiVersion": "2020-01-01", "properties": {"a": 2, "B": {"d": 2}, "e": null}},
           {"type": "Microsoft.Web/sites/config", "name": "w/logs", "properties": {"f": 1}}"#,
        &[
            r#"sites w {defaultHostName:"h",state:"s",siteConfig:{a:2,B:{c:1,d:2},e:null}}"#,
            r"  config web {a:2,B:{c:1,d:2},e:null}",
            r"  config w/logs {f:1}",
        ],
    );
    settles(
        r#"{"type": "Microsoft.Web/sites", "name": "w", "properties": {"defaultHostName": "h", "state": "s"}}"#,
        &[r#"sites w {defaultHostName:"h",state:"s",siteConfig:{}}"#, r"  config web {}"],
    );
}

#[test]
fn a_configuration_that_may_not_be_deployed_decides_nothing() {
    settles(
        r#"{"type": "Microsoft.Web/sites", "name": "w", "properties": {"defaultHostName": "h", "state": "s"}},
           {"type": "Microsoft.Web/sites/config", "name": "w/web", "condition": "[equals(parameters('p'), 'x')]", "properties": {"a": 1}}"#,
        &[r#"sites w {defaultHostName:"h",state:"s",siteConfig:{}}"#, r"  config w/web {a:1}", r"  config web {}"],
    );
}

#[test]
fn the_administrators_of_a_server_are_its_children() {
    settles(
        r#"{"type": "Microsoft.Sql/managedInstances", "name": "s", "properties": {"administrators": {"sid": 1}}},
           {"type": "Microsoft.Sql/managedInstances/administrators", "name": "s/ActiveDirectory", "properties": {"login": "abc"}},
           {"type": "Microsoft.Sql/managedInstances/azureADOnlyAuthentications", "name": "s/Default", "properties": {"azureADOnlyAuthentication": true}}"#,
        &[
            r#"managedInstances s {administrators:{sid:1,login:"abc",azureADOnlyAuthentication:true}}"#,
            r#"  administrators s/ActiveDirectory {login:"abc"}"#,
            r"  azureADOnlyAuthentications s/Default {azureADOnlyAuthentication:true}",
        ],
    );
}

/// Checks the access policies of a vault with `{objectId: a, p: 1}` and `{objectId: b}`, after an action.
#[track_caller]
fn policies_after(action: &str, own: &str, shown: &str, expected: &str) {
    settles(
        &format!(
            r#"{{"type": "Microsoft.KeyVault/vaults", "name": "k", "properties": {{"tenantId": "t", "vaultUri": "u",
                "accessPolicies": [{{"objectId": "a", "p": 1}}, {{"objectId": "b"}}]}}}},
               {{"type": "Microsoft.KeyVault/vaults/accessPolicies", "name": "k/{action}",
                "properties": {{"accessPolicies": [{own}]}}}}"#
        ),
        &[
            &format!(r#"vaults k {{tenantId:"t",vaultUri:"u",accessPolicies:[{expected}]}}"#),
            &format!("  accessPolicies k/{action} {{accessPolicies:[{shown}]}}"),
        ],
    );
}

#[test]
fn access_policies_act_on_the_vault_of_the_deployment() {
    let (a, b, c) = (r#"{objectId:"a",p:1}"#, r#"{objectId:"b"}"#, r#"{objectId:"c"}"#);
    policies_after("add", r#"{"objectId": "c"}"#, c, &format!("{a},{b},{c}"));
    let other = r#"{objectId:"A",p:2}"#;
    policies_after("replace", r#"{"objectId": "A", "p": 2}"#, other, &format!("{b},{other}"));
    policies_after("remove", r#"{"objectId": "a"}"#, r#"{objectId:"a"}"#, b);
}

#[test]
fn items_may_be_resources_of_their_own() {
    settles(
        r#"{"type": "Microsoft.Network/routeTables", "name": "t", "properties": {"routes": [{"name": "A", "properties": {"x": 1, "y": 1}}]}},
           {"type": "Microsoft.Network/routeTables/routes", "name": "t/a", "properties": {"x": 2}}"#,
        &[
            concat!(
                "routeTables t {routes:[{name:\"a\",properties:{x:2,y:1},id:\"/subscriptions/",
                "ffffffff-ffff-ffff-ffff-ffffffffffff/resourceGroups/ps-rule-test-rg/providers/Microsoft.Network/",
                "routeTables/t/routes/a\"}]}",
            ),
            "  routes t/a {x:2}",
        ],
    );
    settles(
        r#"{"type": "Microsoft.ContainerService/managedClusters", "name": "k"},
           {"type": "Microsoft.ContainerService/managedClusters/agentPools", "name": "k/n", "properties": {"count": 2}}"#,
        &[r#"managedClusters k {agentPoolProfiles:[{name:"n",count:2}]}"#, "  agentPools k/n {count:2}"],
    );
}

#[test]
fn an_array_that_is_unknown_gets_no_items() {
    settles(
        r#"{"type": "Microsoft.Network/routeTables", "name": "t", "properties": {"routes": "[parameters('p')]"}},
           {"type": "Microsoft.Network/routeTables/routes", "name": "t/a", "properties": {"x": 2}}"#,
        &["routeTables t {routes:?\"\"}", "  routes t/a {x:2}"],
    );
}

#[test]
fn a_storage_account_keeps_what_earlier_deployments_set() {
    let account = |properties: &str| {
        format!(
            r#"{{"type": "Microsoft.Storage/storageAccounts", "name": "s", "properties":
                {{"provisioningState": 0, "primaryEndpoints": 0, "secondaryLocation": 0, {properties}}}}}"#
        )
    };
    settles(
        &[module("d1", &account(r#""x": 1, "l": [1, 2]"#)), module("d2", &account(r#""y": 2, "l": [2, 3]"#))].join(","),
        &[
            "storageAccounts s {provisioningState:0,primaryEndpoints:0,secondaryLocation:0,x:1,l:[1,2]}",
            "storageAccounts s {provisioningState:0,primaryEndpoints:0,secondaryLocation:0,x:1,l:[1,2,3],y:2}",
        ],
    );
}

#[test]
fn of_other_types_the_last_declaration_counts() {
    let group = |property: &str| {
        format!(r#"{{"type": "Microsoft.Network/networkSecurityGroups", "name": "g", "properties": {{{property}}}}}"#)
    };
    settles(
        &[module("d1", &group(r#""x": 1"#)), module("d2", &group(r#""y": 2"#))].join(","),
        &["networkSecurityGroups g {x:1}", "networkSecurityGroups g {y:2}"],
    );
}

#[test]
fn children_find_their_parents_across_deployments_and_the_last_of_an_id_stays() {
    let child = |value: u8| format!(r#"{{"type": "A.B/c/d", "name": "x/y", "properties": {{"v": {value}}}}}"#);
    settles(
        &[r#"{"type": "A.B/c", "name": "x"}"#.to_owned(), module("d1", &child(1)), module("d2", &child(2))].join(","),
        &["c x ", "  d x/y {v:2}", "d x/y {v:1}"],
    );
}

#[test]
fn a_child_prefers_the_parent_of_its_own_deployment_and_else_takes_the_nearest_above() {
    let both = |value: u8| format!(r#"{{"type": "A.B/c", "name": "x"}}, {{"type": "A.B/c/d", "name": "x/{value}"}}"#);
    settles(&[module("d1", &both(1)), module("d2", &both(2))].join(","), &["c x ", "  d x/1 ", "c x ", "  d x/2 "]);
    settles(
        r#"{"type": "Microsoft.Network/virtualNetworks", "name": "v"},
           {"type": "Microsoft.Network/virtualNetworks/subnets/providers/locks", "name": "v/s/Microsoft.Authorization/l"},
           {"type": "Microsoft.Insights/diagnosticSettings", "scope": "Microsoft.Network/virtualNetworks/v", "name": "logs"}"#,
        &["virtualNetworks v ", "  locks v/s/Microsoft.Authorization/l ", "  diagnosticSettings logs "],
    );
}

#[test]
fn a_parent_whose_name_is_unknown_is_found_where_there_is_one() {
    let pair = |suffix: &str| {
        format!(
            r#"{{"type": "A.B/c", "name": "[parameters('p')]"}},
               {{"type": "A.B/c/d", "name": "[format('{{0}}/{suffix}', parameters('p'))]"}}"#
        )
    };
    settles(&pair("a"), &["c ? ", "  d ?/a "]);
    settles(&[pair("a"), pair("b")].join(","), &["c ? ", "d ?/a ", "c ? ", "d ?/b "]);
}
