//! Networks.

use crate::arm::functions::unique_text;
use crate::arm::runtime::source::Property;
use crate::arm::runtime::source::Source::{Lower, Of, Unknown};
use crate::arm::runtime::table::Table;
use crate::arm::runtime::{Subject, ids_of_items};
use crate::value::{Kind, Member, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.Cdn/profiles/afdEndpoints", &[Property::new("hostName", Unknown(Kind::String))]),
    ("Microsoft.Cdn/profiles/endpoints", &[Property::new("hostName", Lower("{name}.azureedge.net"))]),
    (
        "Microsoft.Network/applicationGateways",
        &[
            Property::new("backendAddressPools", Of(|it| ids_of_items(it, "backendAddressPools"))),
            Property::new("frontendIPConfigurations", Of(|it| ids_of_items(it, "frontendIPConfigurations"))),
            Property::new("httpListeners", Of(|it| ids_of_items(it, "httpListeners"))),
            Property::new("probes", Of(|it| ids_of_items(it, "probes"))),
        ],
    ),
    ("Microsoft.Network/bastionHosts", &[Property::new("dnsName", Unknown(Kind::String))]),
    ("Microsoft.Network/dnsZones", &[Property::new("nameServers", Unknown(Kind::Array))]),
    (
        "Microsoft.Network/loadBalancers",
        &[
            Property::new("backendAddressPools", Of(|it| ids_of_items(it, "backendAddressPools"))),
            Property::new("frontendIPConfigurations", Of(|it| ids_of_items(it, "frontendIPConfigurations"))),
            Property::new("probes", Of(|it| ids_of_items(it, "probes"))),
        ],
    ),
    (
        "Microsoft.Network/networkInterfaces",
        &[
            Property::new("ipConfigurations", Of(|it| ids_of_items(it, "ipConfigurations"))),
            Property::new("macAddress", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.Network/privateEndpoints",
        &[
            Property::new("networkInterfaces", Of(interface_of_endpoint)),
            Property::new("customDnsConfigs", Unknown(Kind::Array)),
        ],
    ),
    ("Microsoft.Network/privateLinkServices", &[Property::new("alias", Unknown(Kind::String))]),
    (
        "Microsoft.Network/publicIPAddresses",
        &[Property::new("dnsSettings.fqdn", Of(host_of_address)), Property::new("ipAddress", Unknown(Kind::String))],
    ),
    ("Microsoft.Network/publicIPPrefixes", &[Property::new("ipPrefix", Unknown(Kind::String))]),
    ("Microsoft.Network/trafficManagerProfiles", &[Property::new("dnsConfig.fqdn", Of(host_of_profile))]),
    ("Microsoft.Network/virtualNetworks", &[Property::new("subnets", Of(|it| ids_of_items(it, "subnets")))]),
];

/// Azure makes the network interface of a private endpoint beside it, and chooses its name unless the template does.
fn interface_of_endpoint(subject: &Subject<'_>) -> Option<Value> {
    let (scope, _) = subject.id.rsplit_once("/providers/")?;
    let id_of = |name: &str| format!("{scope}/providers/Microsoft.Network/networkInterfaces/{name}");
    let chosen =
        subject.property("customNetworkInterfaceName").filter(|it| it.as_str().is_some_and(|it| !it.is_empty()));
    let id = match chosen.and_then(|it| Some((it, it.as_str()?))) {
        Some((value, name)) => subject.text_of(value, id_of(name)),
        None => subject.drawn("networkInterfaces", &id_of(&format!("pe.nic.{}", unique_text(subject.id)))),
    };
    Some(Value::array(vec![Value::object(vec![Member::new("id", id)])]))
}

/// An address with a label for its domain name has a host name.
fn host_of_address(subject: &Subject<'_>) -> Option<Value> {
    let settings = subject.property("dnsSettings")?;
    let label = settings.get("domainNameLabel")?;
    let host = format!("{}.{}.cloudapp.azure.com", label.as_str()?, subject.region()?);
    // A label that is unique in a scope has a hash in it.
    settings.get("domainNameLabelScope").is_none().then(|| subject.text_of(label, host))
}

fn host_of_profile(subject: &Subject<'_>) -> Option<Value> {
    let label = subject.property("dnsConfig")?.get("relativeName")?;
    Some(subject.text_of(label, format!("{}.trafficmanager.net", label.as_str()?)))
}
