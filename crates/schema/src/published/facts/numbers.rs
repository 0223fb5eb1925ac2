//! Numbers that must be in a certain order.

use crate::checks::SCHEMA_RANGE;
use crate::published::facts::{FactViolation, member, number, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Days that a backup stays in cold storage at least.
const COLD_DAYS: i64 = 90;

/// Reports a group whose maximum size is less than its minimum.
pub(super) fn group_sizes(group: &Value) -> Vec<FactViolation<'_>> {
    let [min, max] = ["MinSize", "MaxSize"].map(|name| member(group, name).and_then(number));
    match (min, max) {
        (Some(min), Some(max)) if max < min => {
            let message = format!("`MaxSize` is {max}; expected at least {min}, the `MinSize`");
            vec![FactViolation::new(SCHEMA_RANGE, &[MisfitStep::Member("MaxSize")], message)]
        }
        _ => Vec::new(),
    }
}

/// Reports a backup that is deleted less than 90 days after its move to cold storage. Reference:
/// <https://docs.aws.amazon.com/aws-backup/latest/devguide/creating-a-backup-plan.html>.
pub(super) fn cold_storage(lifecycle: &Value) -> Vec<FactViolation<'_>> {
    let days = ["MoveToColdStorageAfterDays", "DeleteAfterDays"].map(|name| member(lifecycle, name).and_then(number));
    match days {
        [Some(cold), Some(delete)] if delete.saturating_sub(cold) < COLD_DAYS => {
            let least = cold.saturating_add(COLD_DAYS);
            let message = format!(
                "`DeleteAfterDays` is {delete}; expected at least {least}, {COLD_DAYS} more than `MoveToColdStorageAfterDays`"
            );
            vec![FactViolation::new(SCHEMA_RANGE, &[MisfitStep::Member("DeleteAfterDays")], message)]
        }
        _ => Vec::new(),
    }
}

/// Reports a port range whose end is before its start. For ICMP, the two are a type and a code, in any order.
/// Reference: <https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html>.
pub(super) fn port_range(rule: &Value) -> Vec<FactViolation<'_>> {
    let has_ports = member(rule, "IpProtocol").and_then(text).is_some_and(|protocol| HAS_PORTS.contains(&protocol));
    let [from, to] = ["FromPort", "ToPort"].map(|name| member(rule, name).and_then(number));
    match (from, to) {
        (Some(from), Some(to)) if has_ports && to < from => {
            let message = format!("`ToPort` is {to}; expected at least {from}, the `FromPort`");
            vec![FactViolation::new(SCHEMA_RANGE, &[MisfitStep::Member("ToPort")], message)]
        }
        _ => Vec::new(),
    }
}

/// Protocols with ports, by name and number.
const HAS_PORTS: &[&str] = &["tcp", "udp", "6", "17"];
