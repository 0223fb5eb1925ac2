//! Runtime properties of identities, role assignments, management groups and subscriptions.

use crate::runtime::source::Property;
use crate::runtime::source::Source::{Drawn, Fixed, Tenant};
use crate::runtime::table::Table;

pub(super) const TABLE: Table = &[
    // `User` is the default.
    ("Microsoft.Authorization/roleAssignments", &[Property::new("principalType", Fixed("User"))]),
    (
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        &[Property::new("clientId", Drawn), Property::new("principalId", Drawn), Property::new("tenantId", Tenant)],
    ),
    ("Microsoft.Management/managementGroups", &[Property::new("tenantId", Tenant)]),
    (
        "Microsoft.Subscription/aliases",
        &[
            Property::new("subscriptionId", Drawn),
            Property::new("acceptOwnershipState", Fixed("Completed")),
            Property::new("acceptOwnershipUrl", Fixed("")),
        ],
    ),
];
