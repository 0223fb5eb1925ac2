//! Schedules of `EventBridge` rules: expressions with `rate` and `cron`.

use crate::checks::SCHEMA_FORMAT;
use crate::published::facts::{FactViolation, text};
use crate::value::Value;

/// Fields of a `cron` expression: minutes, hours, day of the month, month, day of the week, and year.
const FIELDS: usize = 6;

/// Reports an invalid schedule of an `EventBridge` rule. Reference:
/// <https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html>.
pub(super) fn expression(value: &Value) -> Vec<FactViolation<'_>> {
    let Some(found) = text(value).filter(|text| !text.is_empty()) else { return Vec::new() };
    let fault = match ["rate(", "cron("].map(|name| found.strip_prefix(name)?.strip_suffix(')')) {
        [Some(rate), _] => rate_fault(rate),
        [_, Some(cron)] => cron_fault(cron),
        _ => Some("expected `rate(…)` or `cron(…)`".to_owned()),
    };
    fault
        .map(|fault| FactViolation::new(SCHEMA_FORMAT, &[], format!("the schedule is `{found}`; {fault}")))
        .into_iter()
        .collect()
}

fn rate_fault(rate: &str) -> Option<String> {
    let parts: Vec<&str> = rate.split(' ').collect();
    let [count, unit] = parts.as_slice() else { return Some("expected a number and a unit".to_owned()) };
    let Some(count) = count.parse::<u64>().ok().filter(|count| *count > 0) else {
        return Some("expected a positive integer".to_owned());
    };
    let units = if count == 1 { ["minute", "hour", "day"] } else { ["minutes", "hours", "days"] };
    (!units.contains(unit)).then(|| format!("expected `{}`, `{}`, or `{}` after {count}", units[0], units[1], units[2]))
}

fn cron_fault(cron: &str) -> Option<String> {
    let fields: Vec<&str> = cron.split_ascii_whitespace().collect();
    if fields.len() != FIELDS {
        return Some(format!("expected {FIELDS} fields, found {}", fields.len()));
    }
    // `cron(* ? * * * *)`, of AWS's own `WAF` solution, is deployed, though it has the mark at the hours.
    let is_open = fields.contains(&"?");
    (!is_open).then(|| "expected `?` as the day of the month or as the day of the week".to_owned())
}

#[cfg(test)]
mod tests {
    use super::expression;
    use crate::value::Value;

    #[test]
    fn schedules_have_a_rate_or_a_time() {
        for right in
            ["rate(1 hour)", "rate(5 minutes)", "cron(0 12 * * ? *)", "cron(0  12 ? * MON-FRI *)", "cron(* ? * * * *)"]
        {
            assert!(expression(&Value::from(right)).is_empty(), "{right}");
        }
        for wrong in
            ["rate(5 minute)", "rate(0 days)", "rate(1 hours)", "cron(0 12 * * *)", "cron(0 12 1 * 1 *)", "daily"]
        {
            assert_eq!(expression(&Value::from(wrong)).len(), 1, "{wrong}");
        }
    }
}
