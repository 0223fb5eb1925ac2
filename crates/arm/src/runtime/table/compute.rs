//! Runtime properties of compute resources: virtual machines, clusters, automation, deployment scripts.

use crate::runtime::ResourceFacts;
use crate::runtime::source::RuntimeProperty;
use crate::runtime::source::Source::{Lower, Of, Unknown};
use crate::runtime::table::Table;
use crate::value::{Kind, Value};

pub(super) const TABLE: Table = &[
    (
        "Microsoft.Automation/automationAccounts",
        &[RuntimeProperty::new("automationHybridServiceUrl", Unknown(Kind::String))],
    ),
    ("Microsoft.Batch/batchAccounts", &[RuntimeProperty::new("accountEndpoint", Lower("{name}.{region}.{batch}"))]),
    ("Microsoft.Compute/disks", &[RuntimeProperty::new("uniqueId", Unknown(Kind::String))]),
    ("Microsoft.Compute/virtualMachines", &[RuntimeProperty::new("vmId", Unknown(Kind::String))]),
    ("Microsoft.Compute/virtualMachineScaleSets", &[RuntimeProperty::new("uniqueId", Unknown(Kind::String))]),
    (
        "Microsoft.ContainerService/managedClusters",
        &[
            RuntimeProperty::new("nodeResourceGroup", Of(node_resource_group)),
            RuntimeProperty::new("fqdn", Unknown(Kind::String)),
            RuntimeProperty::new("privateFQDN", Unknown(Kind::String)),
            RuntimeProperty::new("azurePortalFQDN", Unknown(Kind::String)),
            RuntimeProperty::new("oidcIssuerProfile.issuerURL", Unknown(Kind::String)),
            RuntimeProperty::new("identityProfile", Unknown(Kind::Object)),
        ],
    ),
    ("Microsoft.DevCenter/devcenters", &[RuntimeProperty::new("devCenterUri", Unknown(Kind::String))]),
    ("Microsoft.LoadTestService/loadTests", &[RuntimeProperty::new("dataPlaneURI", Unknown(Kind::String))]),
    ("Microsoft.Resources/deploymentScripts", &[RuntimeProperty::new("outputs", Unknown(Kind::Object))]),
    ("Microsoft.ServiceFabric/clusters", &[RuntimeProperty::new("clusterEndpoint", Unknown(Kind::String))]),
];

/// Returns the resource group that Azure creates for the nodes of a cluster, unless the template names one.
fn node_resource_group(facts: &ResourceFacts<'_>) -> Option<Value> {
    let (_, rest) = facts.id.split_once("/resourceGroups/")?;
    let group = rest.split('/').next()?;
    Some(facts.regional(facts.text(format!("MC_{group}_{}_{}", facts.own_name(), facts.region()?))))
}
