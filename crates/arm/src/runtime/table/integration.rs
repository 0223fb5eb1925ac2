//! Runtime properties of messaging, events, devices, API management and workflows.

use crate::runtime::source::RuntimeProperty;
use crate::runtime::source::Source::{Fixed, Lower, Text, Unknown};
use crate::runtime::table::Table;
use crate::value::Kind;

/// Namespaces of Service Bus, Event Hubs and Relay have endpoints of the same form.
const NAMESPACE: &[RuntimeProperty] = &[
    RuntimeProperty::new("provisioningState", Fixed("Succeeded")),
    RuntimeProperty::new("serviceBusEndpoint", Text("https://{name}.{bus}:443/")),
];

/// Topics and domains of Event Grid. Their host names add a number to the region.
const TOPIC: &[RuntimeProperty] =
    &[RuntimeProperty::new("endpoint", Lower("https://{name}.{region}-1.eventgrid.azure.net/api/events"))];

pub(super) const TABLE: Table = &[
    (
        "Microsoft.ApiManagement/service",
        &[
            RuntimeProperty::new("gatewayUrl", Lower("https://{name}.{api}")),
            RuntimeProperty::new("managementApiUrl", Lower("https://{name}.management.{api}")),
            RuntimeProperty::new("developerPortalUrl", Lower("https://{name}.developer.{api}")),
            RuntimeProperty::new("scmUrl", Lower("https://{name}.scm.{api}")),
            RuntimeProperty::new("publicIPAddresses", Unknown(Kind::Array)),
            RuntimeProperty::new("privateIPAddresses", Unknown(Kind::Array)),
        ],
    ),
    (
        "Microsoft.Communication/communicationServices",
        &[
            RuntimeProperty::new("hostName", Lower("{name}.communication.azure.com")),
            RuntimeProperty::new("immutableResourceId", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.Devices/IotHubs",
        &[
            RuntimeProperty::new("hostName", Lower("{name}.{iot}")),
            RuntimeProperty::new("eventHubEndpoints", Unknown(Kind::Object)),
        ],
    ),
    (
        "Microsoft.Devices/provisioningServices",
        &[
            RuntimeProperty::new("serviceOperationsHostName", Lower("{name}.azure-devices-provisioning.net")),
            RuntimeProperty::new("deviceProvisioningHostName", Fixed("global.azure-devices-provisioning.net")),
            RuntimeProperty::new("idScope", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.DigitalTwins/digitalTwinsInstances", &[RuntimeProperty::new("hostName", Unknown(Kind::String))]),
    ("Microsoft.EventGrid/domains", TOPIC),
    ("Microsoft.EventGrid/topics", TOPIC),
    ("Microsoft.EventHub/namespaces", NAMESPACE),
    (
        "Microsoft.Logic/workflows",
        &[
            RuntimeProperty::new("accessEndpoint", Unknown(Kind::String)),
            RuntimeProperty::new("endpointsConfiguration", Unknown(Kind::Object)),
        ],
    ),
    (
        "Microsoft.NotificationHubs/namespaces",
        &[RuntimeProperty::new("serviceBusEndpoint", Text("https://{name}.{bus}:443/"))],
    ),
    ("Microsoft.Relay/namespaces", NAMESPACE),
    ("Microsoft.ServiceBus/namespaces", NAMESPACE),
    (
        "Microsoft.SignalRService/signalR",
        &[
            RuntimeProperty::new("hostName", Lower("{name}.service.signalr.net")),
            RuntimeProperty::new("externalIP", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.SignalRService/webPubSub",
        &[
            RuntimeProperty::new("hostName", Lower("{name}.webpubsub.azure.com")),
            RuntimeProperty::new("externalIP", Unknown(Kind::String)),
        ],
    ),
];
