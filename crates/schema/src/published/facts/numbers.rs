//! Numbers that must be in the right order.

use crate::diagnostic::Check;
use crate::published::facts::{Remark, member, number, text};
use crate::published::misfit::Step;
use crate::value::Value;

/// How many days a backup stays in cold storage at least.
const COLD_DAYS: i64 = 90;

/// The greatest size of a group is not less than the smallest.
pub(super) fn group_sizes(group: &Value) -> Vec<Remark<'_>> {
    let [min, max] = ["MinSize", "MaxSize"].map(|name| member(group, name).and_then(number));
    match (min, max) {
        (Some(min), Some(max)) if max < min => {
            let message = format!("`MaxSize` is {max}; expected at least {min}, the `MinSize`");
            vec![Remark::new(Check::SchemaRange, &[Step::Member("MaxSize")], message)]
        }
        _ => Vec::new(),
    }
}

/// A backup is deleted 90 days after it was moved to cold storage, or later. Reference:
/// <https://docs.aws.amazon.com/aws-backup/latest/devguide/creating-a-backup-plan.html>.
pub(super) fn cold_storage(lifecycle: &Value) -> Vec<Remark<'_>> {
    let days = ["MoveToColdStorageAfterDays", "DeleteAfterDays"].map(|name| member(lifecycle, name).and_then(number));
    match days {
        [Some(cold), Some(delete)] if delete.saturating_sub(cold) < COLD_DAYS => {
            let least = cold.saturating_add(COLD_DAYS);
            let message = format!(
                "`DeleteAfterDays` is {delete}; expected at least {least}, {COLD_DAYS} more than `MoveToColdStorageAfterDays`"
            );
            vec![Remark::new(Check::SchemaRange, &[Step::Member("DeleteAfterDays")], message)]
        }
        _ => Vec::new(),
    }
}

/// The ports of a rule go from the lower to the higher. For ICMP these are a type and a code, which may be in any order.
/// Reference: <https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html>.
pub(super) fn port_range(rule: &Value) -> Vec<Remark<'_>> {
    let has_ports = member(rule, "IpProtocol").and_then(text).is_some_and(|protocol| HAS_PORTS.contains(&protocol));
    let [from, to] = ["FromPort", "ToPort"].map(|name| member(rule, name).and_then(number));
    match (from, to) {
        (Some(from), Some(to)) if has_ports && to < from => {
            let message = format!("`ToPort` is {to}; expected at least {from}, the `FromPort`");
            vec![Remark::new(Check::SchemaRange, &[Step::Member("ToPort")], message)]
        }
        _ => Vec::new(),
    }
}

/// The protocols with ports, by their names and numbers.
const HAS_PORTS: &[&str] = &["tcp", "udp", "6", "17"];
