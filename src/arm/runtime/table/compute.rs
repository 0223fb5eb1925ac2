//! Machines, clusters, automation, and the resources that run deployments.

use crate::arm::runtime::Subject;
use crate::arm::runtime::source::Property;
use crate::arm::runtime::source::Source::{Lower, Of, Unknown};
use crate::arm::runtime::table::Table;
use crate::value::{Kind, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.Automation/automationAccounts", &[Property::new("automationHybridServiceUrl", Unknown(Kind::String))]),
    ("Microsoft.Batch/batchAccounts", &[Property::new("accountEndpoint", Lower("{name}.{region}.{batch}"))]),
    ("Microsoft.Compute/disks", &[Property::new("uniqueId", Unknown(Kind::String))]),
    ("Microsoft.Compute/virtualMachines", &[Property::new("vmId", Unknown(Kind::String))]),
    ("Microsoft.Compute/virtualMachineScaleSets", &[Property::new("uniqueId", Unknown(Kind::String))]),
    (
        "Microsoft.ContainerService/managedClusters",
        &[
            Property::new("nodeResourceGroup", Of(node_resource_group)),
            Property::new("fqdn", Unknown(Kind::String)),
            Property::new("privateFQDN", Unknown(Kind::String)),
            Property::new("azurePortalFQDN", Unknown(Kind::String)),
            Property::new("oidcIssuerProfile.issuerURL", Unknown(Kind::String)),
            Property::new("identityProfile", Unknown(Kind::Object)),
        ],
    ),
    ("Microsoft.DevCenter/devcenters", &[Property::new("devCenterUri", Unknown(Kind::String))]),
    ("Microsoft.LoadTestService/loadTests", &[Property::new("dataPlaneURI", Unknown(Kind::String))]),
    ("Microsoft.Resources/deploymentScripts", &[Property::new("outputs", Unknown(Kind::Object))]),
    ("Microsoft.ServiceFabric/clusters", &[Property::new("clusterEndpoint", Unknown(Kind::String))]),
];

/// The group that Azure makes for the nodes of a cluster, unless the template names one.
fn node_resource_group(subject: &Subject<'_>) -> Option<Value> {
    let (_, rest) = subject.id.split_once("/resourceGroups/")?;
    let group = rest.split('/').next()?;
    Some(subject.text(format!("MC_{group}_{}_{}", subject.own_name(), subject.region()?)))
}
