//! Runtime properties of compute resources: virtual machines, clusters, automation, deployment scripts.

use crate::runtime::ResourceFacts;
use crate::runtime::source::Property;
use crate::runtime::source::Source::{Lower, Of, Unknown};
use crate::runtime::table::Table;
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

/// Returns the resource group that Azure creates for the nodes of a cluster, unless the template names one.
fn node_resource_group(facts: &ResourceFacts<'_>) -> Option<Value> {
    let (_, rest) = facts.id.split_once("/resourceGroups/")?;
    let group = rest.split('/').next()?;
    Some(facts.regional(facts.text(format!("MC_{group}_{}_{}", facts.own_name(), facts.region()?))))
}
