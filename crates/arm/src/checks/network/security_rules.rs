//! The priorities and ports of security rules.

use foldhash::HashMap;

use crate::checks::network::{NETWORK_PRIORITY, NETWORK_RANGE};
use crate::checks::network::{NetworkPart, one_or_many, written};
use crate::eval::World;
use crate::model::{Issue, join_key};
use crate::value::{Data, Value};

/// The priorities that a security rule may have.
const PRIORITIES: std::ops::RangeInclusive<i64> = 100..=4096;

/// Reports priorities of rules of one group that are out of range, or that two rules have in one direction.
pub(super) fn check_priorities(rules: &[NetworkPart<'_>], world: &World<'_>) {
    let mut taken: HashMap<(String, i64), (&Value, &NetworkPart<'_>)> = HashMap::default();
    for rule in rules {
        let Some(priority) = rule.properties.get("priority") else { continue };
        let (Data::Int(number), Some(span)) = (&priority.data, priority.span) else { continue };
        let path = join_key(&rule.path, "priority");
        let issue = |message: String| Issue::new(NETWORK_PRIORITY, path.as_str(), span, message).with_value(priority);
        if !PRIORITIES.contains(number) {
            world.issue(issue(format!("a priority of {number} is not between 100 and 4096")));
        }
        let Some(direction) = rule.properties.get("direction").and_then(Value::as_str) else { continue };
        let key = (direction.to_ascii_lowercase(), *number);
        match taken.get(&key) {
            Some((other, first)) if rule.is_beside(first) => {
                let name = world.masked(first.name.unwrap_or("?"));
                let issue = issue(format!("rule `{name}` has the priority {number}, too, in the same direction"));
                world.issue(match other.span {
                    Some(place) if place != span => issue.with_label(place, "the other rule is here"),
                    _ => issue,
                });
            }
            Some(_) => {}
            None => {
                taken.insert(key, (priority, rule));
            }
        }
    }
}

/// Reports ports of security rules that are out of range or malformed.
pub(super) fn check_ports(rules: &[NetworkPart<'_>], world: &World<'_>) {
    for rule in rules {
        for name in ["sourcePortRange", "destinationPortRange"] {
            for (path, value) in one_or_many(rule.properties, &rule.path, name) {
                let Some((text, span)) = written(value) else { continue };
                let is_listed = path.ends_with(']');
                if text == "*" && is_listed {
                    let message =
                        "`*` cannot be an item of a list of ports; write it alone, in the property without `s`";
                    world.issue(Issue::new(NETWORK_RANGE, path, span, message).with_value(value));
                } else if text != "*" && !is_port_range(text) {
                    let message = format!("`{text}` is not a port, a range such as `8000-8080`, or `*`");
                    world.issue(Issue::new(NETWORK_RANGE, path, span, message).with_value(value));
                }
            }
        }
    }
}

/// Returns `true` if `text` is a port, or a range of ports such as `80-90`.
fn is_port_range(text: &str) -> bool {
    // A sign is part of a number in Rust, but not in Azure.
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let port = |text: &str| Some(text.trim()).filter(is_number)?.parse::<u16>().ok();
    match text.split_once('-') {
        Some((first, last)) => port(first).zip(port(last)).is_some_and(|(first, last)| first <= last),
        None => port(text).is_some(),
    }
}
