//! Names of members that resources may have whatever their types declare.

/// Names that the template language itself reads in a resource.
pub(super) const TEMPLATE_MEMBERS: &[&str] = &[
    "@options",
    "apiVersion",
    "asserts",
    "batchSize",
    "comments",
    "condition",
    "copy",
    "dependsOn",
    "existing",
    "extension",
    "import",
    "metadata",
    "name",
    "parent",
    "resources",
    "scope",
    "type",
];

/// Names that every resource may have, whatever its type declares.
pub(super) const COMMON_MEMBERS: &[&str] = &[
    "location",
    "tags",
    "sku",
    "kind",
    "plan",
    "identity",
    "zones",
    "managedBy",
    "managedByExtended",
    "extendedLocation",
    "eTag",
    "properties",
];

/// Members of a resource's plan.
pub(super) const PLAN_MEMBERS: &[&str] = &["name", "product", "promotionCode", "publisher", "version"];

/// True if the template language itself reads a member of resources.
pub(in crate::published) fn is_template_member(name: &str) -> bool {
    contains(TEMPLATE_MEMBERS, name)
}

/// True if a list has a name, case-insensitive.
pub(super) fn contains(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
