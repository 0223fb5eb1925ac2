//! Runtime properties of network resources.

use crate::functions::unique_text;
use crate::runtime::source::RuntimeProperty;
use crate::runtime::source::Source::{Lower, Of, Unknown};
use crate::runtime::table::Table;
use crate::runtime::{ResourceFacts, ids_of_items};
use crate::value::{Kind, Member, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.Cdn/profiles/afdEndpoints", &[RuntimeProperty::new("hostName", Unknown(Kind::String))]),
    ("Microsoft.Cdn/profiles/endpoints", &[RuntimeProperty::new("hostName", Lower("{name}.azureedge.net"))]),
    (
        "Microsoft.Network/applicationGateways",
        &[
            RuntimeProperty::new("backendAddressPools", Of(|facts| ids_of_items(facts, "backendAddressPools"))),
            RuntimeProperty::new(
                "frontendIPConfigurations",
                Of(|facts| ids_of_items(facts, "frontendIPConfigurations")),
            ),
            RuntimeProperty::new("httpListeners", Of(|facts| ids_of_items(facts, "httpListeners"))),
            RuntimeProperty::new("probes", Of(|facts| ids_of_items(facts, "probes"))),
        ],
    ),
    ("Microsoft.Network/bastionHosts", &[RuntimeProperty::new("dnsName", Unknown(Kind::String))]),
    ("Microsoft.Network/dnsZones", &[RuntimeProperty::new("nameServers", Unknown(Kind::Array))]),
    (
        "Microsoft.Network/loadBalancers",
        &[
            RuntimeProperty::new("backendAddressPools", Of(|facts| ids_of_items(facts, "backendAddressPools"))),
            RuntimeProperty::new(
                "frontendIPConfigurations",
                Of(|facts| ids_of_items(facts, "frontendIPConfigurations")),
            ),
            RuntimeProperty::new("probes", Of(|facts| ids_of_items(facts, "probes"))),
        ],
    ),
    (
        "Microsoft.Network/networkInterfaces",
        &[
            RuntimeProperty::new("ipConfigurations", Of(|facts| ids_of_items(facts, "ipConfigurations"))),
            RuntimeProperty::new("macAddress", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.Network/privateEndpoints",
        &[
            RuntimeProperty::new("networkInterfaces", Of(interface_of_endpoint)),
            RuntimeProperty::new("customDnsConfigs", Unknown(Kind::Array)),
        ],
    ),
    ("Microsoft.Network/privateLinkServices", &[RuntimeProperty::new("alias", Unknown(Kind::String))]),
    (
        "Microsoft.Network/publicIPAddresses",
        &[
            RuntimeProperty::new("dnsSettings.fqdn", Of(host_of_address)),
            RuntimeProperty::new("ipAddress", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.Network/publicIPPrefixes", &[RuntimeProperty::new("ipPrefix", Unknown(Kind::String))]),
    ("Microsoft.Network/trafficManagerProfiles", &[RuntimeProperty::new("dnsConfig.fqdn", Of(host_of_profile))]),
    (
        "Microsoft.Network/virtualNetworks",
        &[RuntimeProperty::new("subnets", Of(|facts| ids_of_items(facts, "subnets")))],
    ),
];

/// Returns the network interface of a private endpoint. Azure creates it in the same scope and generates its name,
/// unless the template chooses one.
fn interface_of_endpoint(facts: &ResourceFacts<'_>) -> Option<Value> {
    let (scope, _) = facts.id.rsplit_once("/providers/")?;
    let id_of = |name: &str| format!("{scope}/providers/Microsoft.Network/networkInterfaces/{name}");
    let chosen = facts.property("customNetworkInterfaceName").and_then(|value| Some((value, value.as_str()?)));
    let id = match chosen.filter(|(_, name)| !name.is_empty()) {
        Some((value, name)) => facts.text_of(value, id_of(name)),
        None => facts.drawn("networkInterfaces", &id_of(&format!("pe.nic.{}", unique_text(facts.id)))),
    };
    Some(Value::array(vec![Value::object(vec![Member::new("id", id)])]))
}

/// Returns the host name of a public IP address. `None` without a domain name label.
fn host_of_address(facts: &ResourceFacts<'_>) -> Option<Value> {
    let settings = facts.property("dnsSettings")?;
    let label = settings.get("domainNameLabel")?;
    let host = format!("{}.{}.cloudapp.azure.com", label.as_str()?, facts.region()?);
    // With a scope, Azure adds a hash to the label.
    settings.get("domainNameLabelScope").is_none().then(|| facts.regional(facts.text_of(label, host)))
}

/// Returns the host name of a Traffic Manager profile.
fn host_of_profile(facts: &ResourceFacts<'_>) -> Option<Value> {
    let label = facts.property("dnsConfig")?.get("relativeName")?;
    Some(facts.text_of(label, format!("{}.trafficmanager.net", label.as_str()?)))
}
