//! Networks and messaging.

use crate::arm::functions::unique_text;
use crate::arm::project::{Subject, Table, properties, succeeded, text};
use crate::value::{Member, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.EventHub/namespaces", namespace),
    ("Microsoft.Network/privateEndpoints", private_endpoint),
    ("Microsoft.Network/virtualNetworks", virtual_network),
    ("Microsoft.Relay/namespaces", namespace),
    ("Microsoft.ServiceBus/namespaces", namespace),
];

/// Service Bus, Event Hubs and Relay share their endpoint.
fn namespace(subject: &Subject<'_>) -> Vec<Member> {
    let endpoint = format!("https://{}.servicebus.windows.net:443/", subject.own_name());
    properties(vec![succeeded(), text("serviceBusEndpoint", endpoint)])
}

/// Subnets that are written in their network get their ids.
fn virtual_network(subject: &Subject<'_>) -> Vec<Member> {
    let Some(subnets) = subject.property("subnets").and_then(Value::as_array) else { return Vec::new() };
    let with_id = |subnet: &Value| match subnet.get("name").and_then(Value::as_str) {
        Some(name) => Value::object(vec![text("id", format!("{}/subnets/{name}", subject.id))]),
        None => Value::object(Vec::new()),
    };
    properties(vec![Member::new("subnets", Value::array(subnets.iter().map(with_id).collect()))])
}

/// Azure makes the network interface of a private endpoint beside it. Its name is drawn unless it is chosen.
fn private_endpoint(subject: &Subject<'_>) -> Vec<Member> {
    let Some((scope, _)) = subject.id.rsplit_once("/providers/") else { return Vec::new() };
    let chosen = subject.property("customNetworkInterfaceName").and_then(Value::as_str).filter(|it| !it.is_empty());
    let name = chosen.map_or_else(|| format!("pe.nic.{}", unique_text(subject.id)), str::to_owned);
    let id = text("id", format!("{scope}/providers/Microsoft.Network/networkInterfaces/{name}"));
    properties(vec![Member::new("networkInterfaces", Value::array(vec![Value::object(vec![id])]))])
}
