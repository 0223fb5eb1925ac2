//! Availability Zones of resources.

use crate::checks::SCHEMA_VALUE;
use crate::published::facts::{FactViolation, text};
use crate::text::is_aws_region;
use crate::value::Value;

/// Reports a Region where an Availability Zone is expected. Reference:
/// <https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html>.
pub(super) fn zone(value: &Value) -> Vec<FactViolation<'_>> {
    text(value)
        .filter(|text| is_aws_region(text))
        .map(|region| {
            let message =
                format!("`{region}` is a Region; expected one of its Availability Zones, such as `{region}a`");
            FactViolation::new(SCHEMA_VALUE, &[], message)
        })
        .into_iter()
        .collect()
}
