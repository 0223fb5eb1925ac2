//! Runtime properties of identities, role assignments, management groups and subscriptions.

use crate::runtime::source::RuntimeProperty;
use crate::runtime::source::Source::{Drawn, Fixed, Tenant};
use crate::runtime::table::Table;

pub(super) const TABLE: Table = &[
    // `User` is the default.
    ("Microsoft.Authorization/roleAssignments", &[RuntimeProperty::new("principalType", Fixed("User"))]),
    (
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        &[
            RuntimeProperty::new("clientId", Drawn),
            RuntimeProperty::new("principalId", Drawn),
            RuntimeProperty::new("tenantId", Tenant),
        ],
    ),
    ("Microsoft.Management/managementGroups", &[RuntimeProperty::new("tenantId", Tenant)]),
    (
        "Microsoft.Subscription/aliases",
        &[
            RuntimeProperty::new("subscriptionId", Drawn),
            RuntimeProperty::new("acceptOwnershipState", Fixed("Completed")),
            RuntimeProperty::new("acceptOwnershipUrl", Fixed("")),
        ],
    ),
];
