//! Runtime properties of messaging, events, devices, API management and workflows.

use crate::runtime::source::Property;
use crate::runtime::source::Source::{Fixed, Lower, Text, Unknown};
use crate::runtime::table::Table;
use crate::value::Kind;

/// Namespaces of Service Bus, Event Hubs and Relay have endpoints of the same form.
const NAMESPACE: &[Property] = &[
    Property::new("provisioningState", Fixed("Succeeded")),
    Property::new("serviceBusEndpoint", Text("https://{name}.{bus}:443/")),
];

/// Topics and domains of Event Grid. Their host names add a number to the region.
const TOPIC: &[Property] =
    &[Property::new("endpoint", Lower("https://{name}.{region}-1.eventgrid.azure.net/api/events"))];

pub(super) const TABLE: Table = &[
    (
        "Microsoft.ApiManagement/service",
        &[
            Property::new("gatewayUrl", Lower("https://{name}.{api}")),
            Property::new("managementApiUrl", Lower("https://{name}.management.{api}")),
            Property::new("developerPortalUrl", Lower("https://{name}.developer.{api}")),
            Property::new("scmUrl", Lower("https://{name}.scm.{api}")),
            Property::new("publicIPAddresses", Unknown(Kind::Array)),
            Property::new("privateIPAddresses", Unknown(Kind::Array)),
        ],
    ),
    (
        "Microsoft.Communication/communicationServices",
        &[
            Property::new("hostName", Lower("{name}.communication.azure.com")),
            Property::new("immutableResourceId", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.Devices/IotHubs",
        &[Property::new("hostName", Lower("{name}.{iot}")), Property::new("eventHubEndpoints", Unknown(Kind::Object))],
    ),
    (
        "Microsoft.Devices/provisioningServices",
        &[
            Property::new("serviceOperationsHostName", Lower("{name}.azure-devices-provisioning.net")),
            Property::new("deviceProvisioningHostName", Fixed("global.azure-devices-provisioning.net")),
            Property::new("idScope", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.DigitalTwins/digitalTwinsInstances", &[Property::new("hostName", Unknown(Kind::String))]),
    ("Microsoft.EventGrid/domains", TOPIC),
    ("Microsoft.EventGrid/topics", TOPIC),
    ("Microsoft.EventHub/namespaces", NAMESPACE),
    (
        "Microsoft.Logic/workflows",
        &[
            Property::new("accessEndpoint", Unknown(Kind::String)),
            Property::new("endpointsConfiguration", Unknown(Kind::Object)),
        ],
    ),
    (
        "Microsoft.NotificationHubs/namespaces",
        &[Property::new("serviceBusEndpoint", Text("https://{name}.{bus}:443/"))],
    ),
    ("Microsoft.Relay/namespaces", NAMESPACE),
    ("Microsoft.ServiceBus/namespaces", NAMESPACE),
    (
        "Microsoft.SignalRService/signalR",
        &[
            Property::new("hostName", Lower("{name}.service.signalr.net")),
            Property::new("externalIP", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.SignalRService/webPubSub",
        &[
            Property::new("hostName", Lower("{name}.webpubsub.azure.com")),
            Property::new("externalIP", Unknown(Kind::String)),
        ],
    ),
];
